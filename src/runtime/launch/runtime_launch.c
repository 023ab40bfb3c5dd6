/* runtime_launch.c - launching kernels: the configuration between <<< and >>>, and the launch functions. */
#include "runtime/launch/runtime_launch.h"

#include <string.h>

#include "runtime/runtime_trace.h"

/* ---- <<<grid, block, shared, stream>>> ---- */

enum { CONFIG_DEPTH = 32 }; /* arguments of a launch may launch */

struct config {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const void *site;
};

static _Thread_local struct config configs[CONFIG_DEPTH];
static _Thread_local unsigned nconfigs;

/* Not 0: the compiler's code skips the launch. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    if (nconfigs == CONFIG_DEPTH) {
        rt.last = cudaErrorInvalidConfiguration;
        return 1;
    }
    configs[nconfigs++] = (struct config){grid, block, shared, stream, __builtin_return_address(0)};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (nconfigs == 0)
        return rt.last = cudaErrorMissingConfiguration;
    const struct config *c = &configs[--nconfigs];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    rt.site = c->site;
    return cudaSuccess;
}

/* The compiler's code asks once a launch site and ignores the result; so the handle is the host's address, which is
 * looked up at each launch: it stays valid when a library is loaded again, and the launch reports what is wrong. */
cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *hostFun)
{
    *out = (cudaKernel_t)hostFun;
    return cudaSuccess;
}

/* CUDA 13's own answer to <<<>>> with sizes beyond the device's is cudaErrorInvalidValue (measured on an H200, runtime
 * 13.0, driver 580); programs of older compilers, which call cudaLaunchKernel, were told
 * cudaErrorInvalidConfiguration. */
typedef cudaError_t launch_fn(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);

static cudaError_t as_in_13(launch_fn *launch, cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                            cudaStream_t stream)
{
    rt.as_in_13 = true;
    const cudaError_t e = launch(kernel, grid, block, args, shared, stream);
    rt.as_in_13 = false;
    return e;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    return as_in_13(cudaLaunchKernel, kernel, grid, block, args, shared, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream)
{
    return as_in_13(cudaLaunchKernel_ptsz, kernel, grid, block, args, shared, stream);
}

/* ---- launching ---- */

static int attribute(CUdevice_attribute a)
{
    int value = 0;
    drv.cuDeviceGetAttribute(&value, a, rt.device);
    return value;
}

static bool beyond(unsigned n, CUdevice_attribute limit) { return n == 0 || n > (unsigned)attribute(limit); }

static bool sizes_are_bad(dim3 grid, dim3 block)
{
    return beyond(grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) || beyond(grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) ||
           beyond(grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) || beyond(block.x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) ||
           beyond(block.y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) ||
           beyond(block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) ||
           (u64)block.x * block.y * block.z > (u64)attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
}

/* The driver has one code for bad sizes and bad arguments, the runtime API two. */
static cudaError_t launch_error(CUresult r, dim3 grid, dim3 block)
{
    if (r == CUDA_ERROR_INVALID_VALUE && sizes_are_bad(grid, block) && !rt.as_in_13)
        return cudaErrorInvalidConfiguration;
    return error_of(r);
}

/* The code that compilers generate for <<<>>> drops what the launch returns. */
static void tell_site(void)
{
    if (rt.site && trace_checks.launched)
        trace_checks.launched(rt.site);
    rt.site = NULL;
}

cudaError_t impl_cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                  cudaStream_t stream)
{
    CUkernel k;
    tell_site();
    cudaError_t e = kernel_of(func, &k);
    if (e != cudaSuccess)
        return e;
    if (sharedMem > UINT32_MAX)
        return cudaErrorInvalidValue;
    CUresult r = drv.cuLaunchKernel((CUfunction)(void *)k, gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y,
                                    blockDim.z, (unsigned)sharedMem, stream_of(stream), args, NULL);
    return launch_error(r, gridDim, blockDim);
}

cudaError_t impl_cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                             size_t sharedMem, cudaStream_t stream)
{
    CUkernel k;
    cudaError_t e = kernel_of(func, &k);
    if (e != cudaSuccess)
        return e;
    if (sharedMem > UINT32_MAX)
        return cudaErrorInvalidValue;
    CUresult r = drv.cuLaunchCooperativeKernel((CUfunction)(void *)k, gridDim.x, gridDim.y, gridDim.z, blockDim.x,
                                               blockDim.y, blockDim.z, (unsigned)sharedMem, stream_of(stream), args);
    return launch_error(r, gridDim, blockDim);
}

_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute) && sizeof(cudaLaunchAttribute) == 72,
               "attributes are passed on as they are");

static CUlaunchConfig config_of(const cudaLaunchConfig_t *c)
{
    return (CUlaunchConfig){.gridDimX = c->gridDim.x,
                            .gridDimY = c->gridDim.y,
                            .gridDimZ = c->gridDim.z,
                            .blockDimX = c->blockDim.x,
                            .blockDimY = c->blockDim.y,
                            .blockDimZ = c->blockDim.z,
                            .sharedMemBytes = (unsigned)c->dynamicSmemBytes,
                            .hStream = stream_of(c->stream),
                            .attrs = (CUlaunchAttribute *)(void *)c->attrs,
                            .numAttrs = c->numAttrs};
}

/* What the driver says of a launch of that shape, in *n. */
static cudaError_t ask_clusters(CUresult (*ask)(int *, CUfunction, const CUlaunchConfig *), int *n, const void *func,
                                const cudaLaunchConfig_t *config)
{
    CUkernel k;
    if (!n || !config || config->dynamicSmemBytes > UINT32_MAX)
        return cudaErrorInvalidValue;
    const cudaError_t e = kernel_of(func, &k);
    if (e != cudaSuccess)
        return e;
    const CUlaunchConfig c = config_of(config);
    return error_of(ask(n, (CUfunction)(void *)k, &c));
}

cudaError_t impl_cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                                const cudaLaunchConfig_t *launchConfig)
{
    return ask_clusters(drv.cuOccupancyMaxActiveClusters, numClusters, func, launchConfig);
}

cudaError_t impl_cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                      const cudaLaunchConfig_t *launchConfig)
{
    return ask_clusters(drv.cuOccupancyMaxPotentialClusterSize, clusterSize, func, launchConfig);
}

cudaError_t impl_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    CUkernel k;
    if (!config || config->dynamicSmemBytes > UINT32_MAX)
        return cudaErrorInvalidValue;
    cudaError_t e = kernel_of(func, &k);
    if (e != cudaSuccess)
        return e;
    const CUlaunchConfig c = config_of(config);
    return launch_error(drv.cuLaunchKernelEx(&c, (CUfunction)(void *)k, args, NULL), config->gridDim, config->blockDim);
}

cudaError_t impl_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    return error_of(drv.cuLaunchHostFunc(stream_of(stream), fn, userData));
}
