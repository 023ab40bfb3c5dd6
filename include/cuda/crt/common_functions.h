/* common_functions.h - a name that programs include; what they expect of it is in cuda_runtime.h. */
#ifndef LS_CRT_COMMON_FUNCTIONS_H
#define LS_CRT_COMMON_FUNCTIONS_H

#include "../cuda_runtime.h"

#endif
