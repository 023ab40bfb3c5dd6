/* abi_theirs.c - a toolkit's cuda.h as facts; and, while compiling, each prototype of api.def against the toolkit's.
 * Built only where the toolkit is. The internal versions are declared too, so that old forms can be compared. */
#define __CUDA_API_VERSION_INTERNAL 1
#include <cuda.h>
#include <cudaProfiler.h>
#include <stddef.h>

#include "abi.h"

#define LS_DECL_0() void
#define LS_DECL_1(T1, a1) T1
#define LS_DECL_2(T1, a1, ...) T1, LS_DECL_1(__VA_ARGS__)
#define LS_DECL_3(T1, a1, ...) T1, LS_DECL_2(__VA_ARGS__)
#define LS_DECL_4(T1, a1, ...) T1, LS_DECL_3(__VA_ARGS__)
#define LS_DECL_5(T1, a1, ...) T1, LS_DECL_4(__VA_ARGS__)
#define LS_DECL_6(T1, a1, ...) T1, LS_DECL_5(__VA_ARGS__)
#define LS_DECL_7(T1, a1, ...) T1, LS_DECL_6(__VA_ARGS__)
#define LS_DECL_8(T1, a1, ...) T1, LS_DECL_7(__VA_ARGS__)
#define LS_DECL_9(T1, a1, ...) T1, LS_DECL_8(__VA_ARGS__)
#define LS_DECL_10(T1, a1, ...) T1, LS_DECL_9(__VA_ARGS__)
#define LS_DECL_11(T1, a1, ...) T1, LS_DECL_10(__VA_ARGS__)
#define LS_DECL_12(T1, a1, ...) T1, LS_DECL_11(__VA_ARGS__)
#define LS_DECL_13(T1, a1, ...) T1, LS_DECL_12(__VA_ARGS__)
#define LS_DECL_14(T1, a1, ...) T1, LS_DECL_13(__VA_ARGS__)
#define LS_DECL_15(T1, a1, ...) T1, LS_DECL_14(__VA_ARGS__)

#define SAME(symbol, n, ...)                                                                                           \
    _Static_assert(__builtin_types_compatible_p(__typeof__(symbol), CUresult(LS_DECL_##n(__VA_ARGS__))),               \
                   "the prototype of " #symbol " differs from the toolkit's");
#define SAME__(name, n, ...) SAME(name, n, ##__VA_ARGS__)
#define SAME_SZ(name, n, ...) SAME(name, n, ##__VA_ARGS__) SAME(name##_ptsz, n, ##__VA_ARGS__)
#define SAME_DS(name, n, ...) SAME(name, n, ##__VA_ARGS__) SAME(name##_ptds, n, ##__VA_ARGS__)
#define API(name, when, threads, n, ...) SAME_##threads(name, n, ##__VA_ARGS__)
#include "driver/api.def"
#undef API

const struct abi_fact abi_theirs[] = {
#include "abi_facts.inc"
};
const unsigned abi_theirs_count = sizeof(abi_theirs) / sizeof(abi_theirs[0]);
