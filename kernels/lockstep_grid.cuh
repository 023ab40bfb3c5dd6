/* lockstep_grid.cuh - launches from kernels and the barrier of a whole grid, for clang without a toolkit and for
 * `nvcc -ptx` alike: the language's own forms, child<<<...>>>() and cooperative_groups, need nvcc, the first of them
 * with -rdc=true.
 *
 *     extern "C" __global__ void child(int *p, int n) { ... }
 *     extern "C" __global__ void parent(int *p)
 *     {
 *         int error = LS_LAUNCH(child, 4, 256, 0, LS_STREAM_NULL, p, 1000);
 *         ...
 *         ls_grid_sync();            // only in a cooperative launch
 *     }
 *
 * A child's kernel must be extern "C" and stand above the launch, for it is named in PTX. Arguments are converted to
 * the types of its parameters. On a GPU the module must be linked with the device runtime: cuLinkAddFile of
 * libcudadevrt.a; the grid barrier needs nothing. */
#ifndef LOCKSTEP_GRID_CUH
#define LOCKSTEP_GRID_CUH

#include "lockstep_device.cuh"

/* ---- launches ---- */

#if defined(__CUDACC__) && !defined(__clang__)
/* nvcc's headers empty these names after use. */
#undef __cudaCDP2GetParameterBufferV2
#undef __cudaCDP2LaunchDeviceV2
#undef __cudaCDP2GetLastError
typedef cudaStream_t ls_stream;
typedef cudaError_t ls_error;
#else
typedef struct CUstream_st *ls_stream;
typedef int ls_error;
#endif

extern "C" {
extern __device__ void *__cudaCDP2GetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned int shared);
extern __device__ ls_error __cudaCDP2LaunchDeviceV2(void *buffer, ls_stream stream);
extern __device__ ls_error __cudaCDP2GetLastError(void);
}

/* The null stream: launches of a block run one after the other. Tail: when the launching grid and its other children
 * are complete. Fire and forget: in no order. */
#define LS_STREAM_NULL ((ls_stream)0)
#define LS_STREAM_TAIL ((ls_stream)3)
#define LS_STREAM_FIRE_AND_FORGET ((ls_stream)4)

/* What failed since this thread asked last: a cudaError_t, 0 for nothing. */
static __device__ __forceinline__ int ls_last_error(void) { return (int)__cudaCDP2GetLastError(); }

namespace ls_grid_detail
{
template <class T> struct same {
    typedef T type;
};

__device__ __forceinline__ dim3 shape(dim3 d) { return d; }
__device__ __forceinline__ dim3 shape(unsigned int x) { return dim3{x, 1, 1}; }
__device__ __forceinline__ dim3 shape(int x) { return dim3{(unsigned int)x, 1, 1}; }

/* Parameters lie at the next multiple of their own alignment, as in a kernel's parameter list. */
__device__ __forceinline__ void put(char *, unsigned int) {}
template <class First, class... Rest>
__device__ __forceinline__ void put(char *buffer, unsigned int at, First first, Rest... rest)
{
    at = (at + (unsigned int)alignof(First) - 1) / (unsigned int)alignof(First) * (unsigned int)alignof(First);
    *(First *)(buffer + at) = first;
    put(buffer, at + (unsigned int)sizeof(First), rest...);
}

template <class... Params>
__device__ __forceinline__ int launch(void (*)(Params...), void *kernel, dim3 grid, dim3 block, unsigned int shared,
                                      ls_stream stream, typename same<Params>::type... args)
{
    char *buffer = (char *)__cudaCDP2GetParameterBufferV2(kernel, grid, block, shared);
    if (!buffer)
        return ls_last_error();
    put(buffer, 0, args...);
    return (int)__cudaCDP2LaunchDeviceV2(buffer, stream);
}
} // namespace ls_grid_detail

/* Launches grid x block threads with `shared` bytes of dynamic shared memory; grid and block are dim3 or a number. Gives
 * a cudaError_t. */
#define LS_LAUNCH(kernel, grid, block, shared, stream, ...)                                                            \
    ls_grid_detail::launch(                                                                                            \
        (decltype(&kernel))nullptr,                                                                                    \
        [] {                                                                                                           \
            void *address_;                                                                                            \
            asm("mov.u64 %0, " #kernel ";" : "=l"(address_));                                                          \
            return address_;                                                                                           \
        }(),                                                                                                           \
        ls_grid_detail::shape(grid), ls_grid_detail::shape(block), shared, stream, ##__VA_ARGS__)

/* ---- the barrier of a grid ---- */

/* The word that a cooperative launch has for barriers: the second one of the workspace whose address is in two
 * environment registers; null in any other launch. */
static __device__ __forceinline__ unsigned int *ls_grid_word(void)
{
    unsigned int high, low;
    asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
    const unsigned long long workspace = (unsigned long long)high << 32 | low;
    return workspace ? (unsigned int *)workspace + 1 : (unsigned int *)0;
}

/* All threads of the grid wait for each other; what any of them wrote before, all may read after. The low bits of the
 * word count blocks that have come; the last one sets them back to 0 and flips the top bit, for which the others wait.
 * So the word needs no setting up: a barrier leaves it as it finds it, but for that bit. All lanes of the first warp
 * wait together, so that they leave together: a lane that waits alone may be left behind. */
static __device__ __forceinline__ void ls_grid_sync(void)
{
    unsigned int *word = ls_grid_word();
    if (!word)
        asm volatile("trap;");
    const unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    __syncthreads();
    if (thread < 32) {
        const unsigned int blocks = gridDim.x * gridDim.y * gridDim.z, top = 0x80000000u;
        const unsigned int threads = blockDim.x * blockDim.y * blockDim.z;
        unsigned int before = 0, now;
        if (thread == 0) {
            asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(word) : "memory");
            if ((before & ~top) == blocks - 1)
                asm volatile("red.release.gpu.add.u32 [%0], %1;" ::"l"(word), "r"(top - blocks) : "memory");
        }
        before = __shfl_sync(threads < 32 ? (1u << threads) - 1 : 0xffffffffu, before, 0);
        do
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
        while (((now ^ before) & top) == 0);
    }
    __syncthreads();
}

#endif
