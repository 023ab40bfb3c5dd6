/* api.c - the exported functions of api.def: each makes sure of the driver and a context, calls its implementation,
 * records the calling thread's last error and is traced. Compiled for libcudart.so.12 too, where some have other names.
 */
#ifdef LS_CUDART12
#include "runtime/cuda12.h"
#endif
#include "runtime/runtime.h"

#define ENTRY_IMPL(name) impl_##name
#include "runtime/entry.h"

#include "runtime/api.def"
