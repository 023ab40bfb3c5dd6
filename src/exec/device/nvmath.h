/* nvmath.h - the mathematical device functions that clang leaves as calls when no libdevice is linked (__nv_sinf,
 * __nv_fmaf_rz, __nv_float2half_rn, ...), run natively. */
#ifndef LS_EXEC_NVMATH_H
#define LS_EXEC_NVMATH_H

#include "exec/device/builtin.h"

/* The id of a function by its PTX name, or -1 when there is none of that name. */
int nvmath_find(const char *name);
/* The n-th name, NULL past the last. */
const char *nvmath_name(int n);
/* Runs it for every lane of the mask; false after a fault (a bad pointer given to sincos, modf, ...). */
bool nvmath_run(int id, struct builtin_call *c);

#endif
