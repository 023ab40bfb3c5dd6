/* cudaTypedefs.h - types of pointers to the driver's functions, for cudaGetDriverEntryPoint and cuGetProcAddress: of those that
 * programs take this way because they do not link with the driver. PFN_f is the newest, PFN_f_vN that of CUDA N. */
#ifndef LOCKSTEP_CUDA_TYPEDEFS_H
#define LOCKSTEP_CUDA_TYPEDEFS_H

#include <cuda.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_FUNCTION(name, version, ...)                                                                                \
    typedef CUresult (*PFN_##name##_v##version)(__VA_ARGS__);                                                          \
    typedef PFN_##name##_v##version PFN_##name;

LS_FUNCTION(cuGetErrorName, 6000, CUresult, const char **)
LS_FUNCTION(cuGetErrorString, 6000, CUresult, const char **)
LS_FUNCTION(cuInit, 2000, unsigned int)
LS_FUNCTION(cuDriverGetVersion, 2020, int *)
LS_FUNCTION(cuDeviceGet, 2000, CUdevice *, int)
LS_FUNCTION(cuDeviceGetCount, 2000, int *)
LS_FUNCTION(cuDeviceGetAttribute, 2000, int *, CUdevice_attribute, CUdevice)
LS_FUNCTION(cuCtxGetCurrent, 4000, CUcontext *)
LS_FUNCTION(cuCtxSetCurrent, 4000, CUcontext)
LS_FUNCTION(cuModuleLoadData, 2000, CUmodule *, const void *)
LS_FUNCTION(cuModuleGetFunction, 2000, CUfunction *, CUmodule, const char *)
LS_FUNCTION(cuFuncSetAttribute, 9000, CUfunction, CUfunction_attribute, int)
LS_FUNCTION(cuLaunchKernel, 4000, CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
            unsigned int, unsigned int, CUstream, void **, void **)
LS_FUNCTION(cuTensorMapEncodeTiled, 12000, CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
            const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
            CUtensorMapL2promotion, CUtensorMapFloatOOBfill)
LS_FUNCTION(cuTensorMapEncodeIm2col, 12000, CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
            const cuuint64_t *, const int *, const int *, cuuint32_t, cuuint32_t, const cuuint32_t *,
            CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill)
LS_FUNCTION(cuTensorMapReplaceAddress, 12000, CUtensorMap *, void *)

#undef LS_FUNCTION

#ifdef __cplusplus
}
#endif
#endif
