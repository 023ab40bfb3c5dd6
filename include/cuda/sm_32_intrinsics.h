/* sm_32_intrinsics.h - a name that programs include; what they expect of it is in cuda_runtime.h. */
#ifndef LS_SM_32_INTRINSICS_H
#define LS_SM_32_INTRINSICS_H

#include "cuda_runtime.h"

#endif
