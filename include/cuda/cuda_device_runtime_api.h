/* cuda_device_runtime_api.h - a name that programs include; what kernels may call of the runtime is in
 * lockstep/device_launch.h, which every .cu file has. */
#ifndef LS_CUDA_DEVICE_RUNTIME_API_H
#define LS_CUDA_DEVICE_RUNTIME_API_H

#include "cuda_runtime.h"

#endif
