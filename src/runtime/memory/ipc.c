/* ipc.c - memory and events of other processes of this machine: the driver's, under the runtime API's names. A handle
 * is 64 bytes that a program sends to another process in its own way; only the driver knows its contents. */
#include <string.h>

#include "runtime/runtime.h"

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(CUipcMemHandle), "passed on as it is");
_Static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(CUipcEventHandle), "passed on as it is");

cudaError_t impl_cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr)
{
    return error_of(drv.cuIpcGetMemHandle((CUipcMemHandle *)(void *)handle, (CUdeviceptr)(uintptr_t)devPtr));
}

cudaError_t impl_cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags)
{
    CUipcMemHandle h;
    CUdeviceptr p = 0;
    if (!devPtr)
        return cudaErrorInvalidValue;
    memcpy(&h, &handle, sizeof h);
    CUresult r = drv.cuIpcOpenMemHandle_v2(&p, h, flags);
    if (r == CUDA_SUCCESS)
        *devPtr = (void *)(uintptr_t)p;
    return error_of(r);
}

cudaError_t impl_cudaIpcCloseMemHandle(void *devPtr)
{
    return error_of(drv.cuIpcCloseMemHandle((CUdeviceptr)(uintptr_t)devPtr));
}

cudaError_t impl_cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    return error_of(drv.cuIpcGetEventHandle((CUipcEventHandle *)(void *)handle, event));
}

cudaError_t impl_cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    CUipcEventHandle h;
    memcpy(&h, &handle, sizeof h);
    return error_of(drv.cuIpcOpenEventHandle(event, h));
}
