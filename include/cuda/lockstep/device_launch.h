/* device_launch.h - launches from device code: `lockstep cc` writes kernel<<<grid, block>>>(x) there as
 * lockstep_launch<kernel>(grid, block)(x), since clang does not compile the former.
 *
 * A launch fills a buffer with the arguments, each at the next multiple of its alignment as in the kernel's own
 * parameter list, and hands it to the device runtime, which is part of the driver. */
#ifndef LOCKSTEP_DEVICE_LAUNCH_H
#define LOCKSTEP_DEVICE_LAUNCH_H

/* The device runtime's functions, which the driver answers. What is not here a kernel cannot call. */
extern "C" {
__device__ void *cudaGetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned int shared);
__device__ cudaError_t cudaLaunchDeviceV2(void *buffer, cudaStream_t stream);
__device__ cudaError_t cudaGetLastError(void);
__device__ cudaError_t cudaPeekAtLastError(void);
__device__ const char *cudaGetErrorName(cudaError_t error);
__device__ const char *cudaGetErrorString(cudaError_t error);
__device__ cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int ordinal);
__device__ cudaError_t cudaGetDevice(int *ordinal);
__device__ cudaError_t cudaGetDeviceCount(int *count);
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
__device__ cudaError_t cudaStreamDestroy(cudaStream_t stream);
__device__ cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags);
__device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
__device__ cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
__device__ cudaError_t cudaEventDestroy(cudaEvent_t event);
__device__ cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                                       cudaStream_t stream = 0);
__device__ cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                         size_t height, enum cudaMemcpyKind kind, cudaStream_t stream = 0);
__device__ cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream = 0);
__device__ cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                                         cudaStream_t stream = 0);
__device__ cudaError_t cudaMalloc(void **p, size_t size);
__device__ cudaError_t cudaFree(void *p);
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
}
template <class T> static __device__ __inline__ cudaError_t cudaMalloc(T **p, size_t size)
{
    return ::cudaMalloc((void **)(void *)p, size);
}

/* Programmatic dependent launch: instructions, on whose architecture nvcc's headers insist too. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
static __device__ __inline__ void cudaTriggerProgrammaticLaunchCompletion(void)
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
static __device__ __inline__ void cudaGridDependencySynchronize(void)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
#endif

#ifndef cudaStreamTailLaunch
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#endif
#ifndef cudaStreamFireAndForget
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#endif

#if __cplusplus >= 201703L
/* A kernel's address cannot be taken in device code, but a variable may be initialized with it. */
template <auto kernel> __device__ void *lockstep_kernel_address = (void *)kernel;

template <auto kernel> struct lockstep_launch {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;

    __device__ lockstep_launch(dim3 g, dim3 b, size_t bytes = 0, cudaStream_t s = 0)
        : grid(g), block(b), shared(bytes), stream(s)
    {
    }

    template <class... A> __device__ void operator()(A... args) const { run((decltype(kernel))nullptr, args...); }

  private:
    /* The arguments are converted to the kernel's types on the way in. */
    template <class... P> struct with {
        static __device__ void put(char *, size_t) {}
    };
    template <class First, class... Rest> struct with<First, Rest...> {
        static __device__ void put(char *buffer, size_t at, First first, Rest... rest)
        {
            at = (at + alignof(First) - 1) / alignof(First) * alignof(First);
            *(First *)(buffer + at) = first;
            with<Rest...>::put(buffer, at + sizeof(First), rest...);
        }
    };
    template <class... P, class... A> __device__ void run(void (*)(P...), A... args) const
    {
#ifdef __CUDA_ARCH__
        char *buffer =
            (char *)cudaGetParameterBufferV2(lockstep_kernel_address<kernel>, grid, block, (unsigned int)shared);
        if (!buffer)
            return; /* cudaGetLastError() has the reason */
        with<P...>::put(buffer, 0, args...);
        cudaLaunchDeviceV2(buffer, stream);
#endif
    }
};
#endif

#endif
