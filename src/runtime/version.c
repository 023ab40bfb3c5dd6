/* version.c - the version that each runtime library reports: compiled once for each. */
#include "runtime/runtime.h"

#ifdef LS_CUDART12
enum { VERSION = 12090 };
#else
enum { VERSION = CUDART_VERSION };
#endif

cudaError_t impl_cudaRuntimeGetVersion(int *runtimeVersion)
{
    if (!runtimeVersion)
        return cudaErrorInvalidValue;
    *runtimeVersion = VERSION;
    return cudaSuccess;
}
