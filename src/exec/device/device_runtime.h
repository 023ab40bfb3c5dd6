/* device_runtime.h - the CUDA runtime as kernels see it: launches of grids, errors, streams, a little memory.
 * Internal to exec/. */
#ifndef LS_EXEC_DEVICE_RUNTIME_H
#define LS_EXEC_DEVICE_RUNTIME_H

#include "exec/device/builtin.h"

/* The error codes that it returns: cudaError_t. */
enum {
    CUDA_INVALID_VALUE = 1,
    CUDA_MEMORY_ALLOCATION = 2,
    CUDA_INVALID_CONFIGURATION = 9,
    CUDA_LAUNCH_MAX_DEPTH_EXCEEDED = 65,
    CUDA_LAUNCH_PENDING_COUNT_EXCEEDED = 69,
    CUDA_INVALID_DEVICE_FUNCTION = 98,
    CUDA_INVALID_DEVICE = 101,
    CUDA_INVALID_RESOURCE_HANDLE = 400,
    CUDA_NOT_SUPPORTED = 801,
};

/* The id of a function by its PTX name (__cudaCDP2LaunchDeviceV2, cudaLaunchDeviceV2, ...), or -1. */
int device_runtime_find(const char *name);
bool device_runtime_run(int id, struct builtin_call *c);

#endif
