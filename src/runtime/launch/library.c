/* library.c - libraries: code that a program loads itself, and finds kernels and variables in by name. */
#include "runtime/runtime.h"

/* Options of both APIs have the same numbers; the log's buffers are the driver's to fill. */
cudaError_t impl_cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions,
                                     void **jitOptionsValues, unsigned int numJitOptions,
                                     enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
                                     unsigned int numLibraryOptions)
{
    return error_of(drv.cuLibraryLoadData(library, code, (CUjit_option *)(void *)jitOptions, jitOptionsValues,
                                          numJitOptions, (CUlibraryOption *)(void *)libraryOptions, libraryOptionValues,
                                          numLibraryOptions));
}

cudaError_t impl_cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName, enum cudaJitOption *jitOptions,
                                         void **jitOptionsValues, unsigned int numJitOptions,
                                         enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
                                         unsigned int numLibraryOptions)
{
    return error_of(drv.cuLibraryLoadFromFile(library, fileName, (CUjit_option *)(void *)jitOptions, jitOptionsValues,
                                              numJitOptions, (CUlibraryOption *)(void *)libraryOptions,
                                              libraryOptionValues, numLibraryOptions));
}

cudaError_t impl_cudaLibraryUnload(cudaLibrary_t library)
{
    if (!library)
        return cudaErrorInvalidResourceHandle;
    kernel_forget_library(library);
    return error_of(drv.cuLibraryUnload(library));
}

cudaError_t impl_cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name)
{
    CUresult r = drv.cuLibraryGetKernel(pKernel, library, name);
    if (r == CUDA_SUCCESS)
        kernel_known(*pKernel, library);
    return error_of(r);
}

cudaError_t impl_cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib)
{
    return error_of(drv.cuLibraryGetKernelCount(count, lib));
}

cudaError_t impl_cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels, cudaLibrary_t lib)
{
    unsigned n = 0;
    CUresult r = drv.cuLibraryEnumerateKernels(kernels, numKernels, lib);
    if (r == CUDA_SUCCESS)
        r = drv.cuLibraryGetKernelCount(&n, lib);
    for (unsigned i = 0; r == CUDA_SUCCESS && i < n && i < numKernels; i++)
        kernel_known(kernels[i], lib);
    return error_of(r);
}

cudaError_t impl_cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name)
{
    CUdeviceptr p = 0;
    CUresult r = drv.cuLibraryGetGlobal(&p, bytes, library, name);
    if (r == CUDA_SUCCESS && dptr)
        *dptr = (void *)(uintptr_t)p;
    return error_of(r);
}

cudaError_t impl_cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name)
{
    CUdeviceptr p = 0;
    CUresult r = drv.cuLibraryGetManaged(&p, bytes, library, name);
    if (r == CUDA_SUCCESS && dptr)
        *dptr = (void *)(uintptr_t)p;
    return error_of(r);
}
