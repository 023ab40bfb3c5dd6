/* version.c - what differs between libcudart.so.13 and libcudart.so.12: compiled for each (LS_CUDART_MAJOR). */
#include "runtime/runtime.h"

cudaError_t impl_cudaRuntimeGetVersion(int *runtimeVersion)
{
    if (!runtimeVersion)
        return cudaErrorInvalidValue;
    *runtimeVersion = CUDART_VERSION;
    return cudaSuccess;
}
