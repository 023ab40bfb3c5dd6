/* device.c - what a device is and can do, as struct gpu (gpus/<name>.json) describes it: all are of the same GPU. Which
 * devices there are is visible.c's.
 *
 * What the file has comes from the file; sizes of textures and surfaces are those of any GPU since Volta (the CUDA C++
 * Programming Guide's table of compute capabilities, and an H200's answers); what Lockstep lacks is 0, such as
 * clusters, sparse arrays and memory of other hosts. tests/runtime/test_attributes.c compares all of them with an
 * H200's. */
#include <stdio.h>
#include <string.h>

#include "driver/driver.h"

CUresult impl_cuDeviceGet(CUdevice *device, int ordinal)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetName(char *name, int len, CUdevice dev)
{
    if (!name || len <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    snprintf(name, (size_t)len, "%s", drv.gpu.name);
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    *bytes = mem_capacity(drv.exec[dev].mem);
    return CUDA_SUCCESS;
}

/* ---- attributes ---- */

enum { CONSTANT_BYTES = 64 << 10, MAX_PITCH = INT32_MAX };

static u32 fp_ratio(const struct gpu *g) { return g->fp64_rate ? g->fp32_rate / g->fp64_rate : 0; }

/* What an H200 says; GPUs that cannot set L2 aside have no windows. */
u64 access_window_most(void)
{
    enum { WINDOW_BYTES = 128 << 20 };
    return drv.gpu.cc_major >= 8 ? WINDOW_BYTES : 0;
}

/* Accepts what an H200's driver accepts. An accepted window has no effect. */
CUresult access_window_check(const CUaccessPolicyWindow *w)
{
    const bool ok = w->num_bytes <= access_window_most() && w->hitRatio >= 0 && w->hitRatio <= 1 &&
                    w->missProp != CU_ACCESS_PROPERTY_PERSISTING;
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ATTR(name, value): value is an expression of g. */
#define ATTRIBUTES(ATTR)                                                                                               \
    ATTR(MAX_THREADS_PER_BLOCK, g->threads_per_block)                                                                  \
    ATTR(MAX_BLOCK_DIM_X, g->block_dim[0])                                                                             \
    ATTR(MAX_BLOCK_DIM_Y, g->block_dim[1])                                                                             \
    ATTR(MAX_BLOCK_DIM_Z, g->block_dim[2])                                                                             \
    ATTR(MAX_GRID_DIM_X, g->grid_dim[0])                                                                               \
    ATTR(MAX_GRID_DIM_Y, g->grid_dim[1])                                                                               \
    ATTR(MAX_GRID_DIM_Z, g->grid_dim[2])                                                                               \
    ATTR(MAX_SHARED_MEMORY_PER_BLOCK, g->shared_per_block)                                                             \
    ATTR(TOTAL_CONSTANT_MEMORY, CONSTANT_BYTES)                                                                        \
    ATTR(WARP_SIZE, g->warp_size)                                                                                      \
    ATTR(MAX_PITCH, MAX_PITCH)                                                                                         \
    ATTR(MAX_REGISTERS_PER_BLOCK, g->registers_per_block)                                                              \
    ATTR(CLOCK_RATE, g->boost_mhz * 1000)                                                                              \
    ATTR(TEXTURE_ALIGNMENT, 512)                                                                                       \
    ATTR(GPU_OVERLAP, 1)                                                                                               \
    ATTR(MULTIPROCESSOR_COUNT, g->sms)                                                                                 \
    ATTR(CAN_MAP_HOST_MEMORY, 1)                                                                                       \
    ATTR(COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT)                                                                         \
    ATTR(MAXIMUM_TEXTURE1D_WIDTH, 131072)                                                                              \
    ATTR(MAXIMUM_TEXTURE2D_WIDTH, 131072)                                                                              \
    ATTR(MAXIMUM_TEXTURE2D_HEIGHT, 65536)                                                                              \
    ATTR(MAXIMUM_TEXTURE3D_WIDTH, 16384)                                                                               \
    ATTR(MAXIMUM_TEXTURE3D_HEIGHT, 16384)                                                                              \
    ATTR(MAXIMUM_TEXTURE3D_DEPTH, 16384)                                                                               \
    ATTR(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE, 8192)                                                                      \
    ATTR(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE, 8192)                                                                     \
    ATTR(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE, 32768)                                                                     \
    ATTR(MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 32768)                                                                       \
    ATTR(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, 32768)                                                                      \
    ATTR(MAXIMUM_TEXTURE2D_LAYERED_LAYERS, 2048)                                                                       \
    ATTR(MAXIMUM_TEXTURE1D_LAYERED_WIDTH, 32768)                                                                       \
    ATTR(MAXIMUM_TEXTURE1D_LAYERED_LAYERS, 2048)                                                                       \
    ATTR(MAXIMUM_TEXTURECUBEMAP_WIDTH, 32768)                                                                          \
    ATTR(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH, 32768)                                                                  \
    ATTR(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS, 2046)                                                                  \
    ATTR(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 32768)                                                                     \
    ATTR(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, 32768)                                                                     \
    ATTR(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, 32768)                                                                    \
    ATTR(SURFACE_ALIGNMENT, 512)                                                                                       \
    ATTR(CAN_TEX2D_GATHER, 1)                                                                                          \
    ATTR(MAXIMUM_TEXTURE2D_GATHER_WIDTH, 32768)                                                                        \
    ATTR(MAXIMUM_TEXTURE2D_GATHER_HEIGHT, 32768)                                                                       \
    ATTR(MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 1 << 28)                                                                      \
    ATTR(MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 131072)                                                                       \
    ATTR(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 65000)                                                                       \
    ATTR(MAXIMUM_TEXTURE2D_LINEAR_PITCH, 2097120)                                                                      \
    ATTR(MAXIMUM_SURFACE1D_WIDTH, 32768)                                                                               \
    ATTR(MAXIMUM_SURFACE2D_WIDTH, 131072)                                                                              \
    ATTR(MAXIMUM_SURFACE2D_HEIGHT, 65536)                                                                              \
    ATTR(MAXIMUM_SURFACE3D_WIDTH, 16384)                                                                               \
    ATTR(MAXIMUM_SURFACE3D_HEIGHT, 16384)                                                                              \
    ATTR(MAXIMUM_SURFACE3D_DEPTH, 16384)                                                                               \
    ATTR(MAXIMUM_SURFACE1D_LAYERED_WIDTH, 32768)                                                                       \
    ATTR(MAXIMUM_SURFACE1D_LAYERED_LAYERS, 2048)                                                                       \
    ATTR(MAXIMUM_SURFACE2D_LAYERED_WIDTH, 32768)                                                                       \
    ATTR(MAXIMUM_SURFACE2D_LAYERED_HEIGHT, 32768)                                                                      \
    ATTR(MAXIMUM_SURFACE2D_LAYERED_LAYERS, 2048)                                                                       \
    ATTR(MAXIMUM_SURFACECUBEMAP_WIDTH, 32768)                                                                          \
    ATTR(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, 32768)                                                                  \
    ATTR(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS, 2046)                                                                  \
    ATTR(TEXTURE_PITCH_ALIGNMENT, 32)                                                                                  \
    ATTR(CONCURRENT_KERNELS, 1)                                                                                        \
    ATTR(ECC_ENABLED, g->ecc)                                                                                          \
    ATTR(MEMORY_CLOCK_RATE, g->memory_mhz * 1000)                                                                      \
    ATTR(GLOBAL_MEMORY_BUS_WIDTH, g->memory_bus_bits)                                                                  \
    ATTR(L2_CACHE_SIZE, g->l2_bytes)                                                                                   \
    ATTR(MAX_THREADS_PER_MULTIPROCESSOR, g->threads_per_sm)                                                            \
    ATTR(ASYNC_ENGINE_COUNT, 3)                                                                                        \
    ATTR(UNIFIED_ADDRESSING, 1)                                                                                        \
    ATTR(COMPUTE_CAPABILITY_MAJOR, g->cc_major)                                                                        \
    ATTR(COMPUTE_CAPABILITY_MINOR, g->cc_minor)                                                                        \
    ATTR(STREAM_PRIORITIES_SUPPORTED, 1)                                                                               \
    ATTR(GLOBAL_L1_CACHE_SUPPORTED, 1)                                                                                 \
    ATTR(LOCAL_L1_CACHE_SUPPORTED, 1)                                                                                  \
    ATTR(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, g->shared_per_sm)                                                       \
    ATTR(MAX_REGISTERS_PER_MULTIPROCESSOR, g->registers_per_sm)                                                        \
    ATTR(MANAGED_MEMORY, 1)                                                                                            \
    ATTR(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, fp_ratio(g))                                                           \
    ATTR(CONCURRENT_MANAGED_ACCESS, 1)                                                                                 \
    ATTR(COMPUTE_PREEMPTION_SUPPORTED, 1)                                                                              \
    ATTR(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1)                                                                   \
    ATTR(COOPERATIVE_LAUNCH, 1)                                                                                        \
    ATTR(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, g->shared_per_block_optin)                                                 \
    ATTR(CAN_FLUSH_REMOTE_WRITES, 0)                                                                                   \
    ATTR(CAN_USE_64_BIT_STREAM_MEM_OPS, 1)                                                                             \
    ATTR(CAN_USE_STREAM_WAIT_VALUE_NOR, 1)                                                                             \
    ATTR(HOST_REGISTER_SUPPORTED, 1)                                                                                   \
    ATTR(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 0)                                                                       \
    ATTR(MAX_BLOCKS_PER_MULTIPROCESSOR, g->blocks_per_sm)                                                              \
    ATTR(MAX_PERSISTING_L2_CACHE_SIZE, g->l2_persisting_bytes)                                                         \
    ATTR(MAX_ACCESS_POLICY_WINDOW_SIZE, access_window_most())                                                          \
    ATTR(RESERVED_SHARED_MEMORY_PER_BLOCK, g->shared_reserved)                                                         \
    ATTR(READ_ONLY_HOST_REGISTER_SUPPORTED, 1)                                                                         \
    ATTR(MEMORY_POOLS_SUPPORTED, 1)                                                                                    \
    ATTR(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1)                                                                       \
    ATTR(HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1)                                                               \
    ATTR(IPC_EVENT_SUPPORTED, 1)                                                                                       \
    ATTR(MEM_SYNC_DOMAIN_COUNT, g->cc_major >= 9 ? 4 : 1)                                                              \
    ATTR(HOST_NUMA_ID, 0)                                                                                              \
    ATTR(NUMA_ID, -1)

CUresult impl_cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    const struct gpu *g = &drv.gpu;
    if (!pi)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    switch (attrib) {
#define ATTR(name, value)                                                                                              \
    case CU_DEVICE_ATTRIBUTE_##name:                                                                                   \
        *pi = (int)(value);                                                                                            \
        return CUDA_SUCCESS;
        ATTRIBUTES(ATTR)
#undef ATTR
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: /* visible.c */
        *pi = (int)drv.devices[dev].number;
        return CUDA_SUCCESS;
    default:
        break;
    }
    if ((int)attrib < 1 || (int)attrib > CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED)
        return CUDA_ERROR_INVALID_VALUE;
    *pi = 0;
    return CUDA_SUCCESS;
}

static int attribute(CUdevice_attribute a)
{
    int v = 0;
    impl_cuDeviceGetAttribute(&v, a, 0);
    return v;
}

CUresult impl_cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
    const struct gpu *g = &drv.gpu;
    if (!prop)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    *prop = (CUdevprop){
        .maxThreadsPerBlock = (int)g->threads_per_block,
        .maxThreadsDim = {(int)g->block_dim[0], (int)g->block_dim[1], (int)g->block_dim[2]},
        .maxGridSize = {(int)g->grid_dim[0], (int)g->grid_dim[1], (int)g->grid_dim[2]},
        .sharedMemPerBlock = (int)g->shared_per_block,
        .totalConstantMemory = CONSTANT_BYTES,
        .SIMDWidth = (int)g->warp_size,
        .memPitch = MAX_PITCH,
        .regsPerBlock = (int)g->registers_per_block,
        .clockRate = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        .textureAlign = attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
    };
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    if (!major || !minor)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    *major = (int)drv.gpu.cc_major;
    *minor = (int)drv.gpu.cc_minor;
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
    if (!pi || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    *pi = 0;
    return CUDA_SUCCESS;
}
