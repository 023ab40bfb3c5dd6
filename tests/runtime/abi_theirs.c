/* abi_theirs.c - the facts by a toolkit's headers; and each prototype of api.def is declared once more, which compiles
 * only where it is the same. */
#include "abi.h"

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <device_types.h>
#include <library_types.h>

#define ABI_TABLE abi_theirs
#define ABI_COUNT abi_theirs_count
#include "abi_table.h"

#define LS_DECL_0() void
#define LS_DECL_1(T1, a1) T1 a1
#define LS_DECL_2(T1, a1, ...) T1 a1, LS_DECL_1(__VA_ARGS__)
#define LS_DECL_3(T1, a1, ...) T1 a1, LS_DECL_2(__VA_ARGS__)
#define LS_DECL_4(T1, a1, ...) T1 a1, LS_DECL_3(__VA_ARGS__)
#define LS_DECL_5(T1, a1, ...) T1 a1, LS_DECL_4(__VA_ARGS__)
#define LS_DECL_6(T1, a1, ...) T1 a1, LS_DECL_5(__VA_ARGS__)
#define LS_DECL_7(T1, a1, ...) T1 a1, LS_DECL_6(__VA_ARGS__)
#define LS_DECL_8(T1, a1, ...) T1 a1, LS_DECL_7(__VA_ARGS__)
#define LS_DECL_9(T1, a1, ...) T1 a1, LS_DECL_8(__VA_ARGS__)

#define API(name, when, threads, n, ...) cudaError_t name(LS_DECL_##n(__VA_ARGS__));
#define STUB(name, threads, n, ...) cudaError_t name(LS_DECL_##n(__VA_ARGS__));
#define ABSENT(name)
#include "runtime/api.def"
