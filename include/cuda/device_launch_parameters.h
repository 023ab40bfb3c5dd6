/* device_launch_parameters.h - a name that programs include; what they expect of it is in cuda_runtime.h. */
#ifndef LS_DEVICE_LAUNCH_PARAMETERS_H
#define LS_DEVICE_LAUNCH_PARAMETERS_H

#include "cuda_runtime.h"

#endif
