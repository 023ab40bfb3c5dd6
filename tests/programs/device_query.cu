/* device_query - what a program may ask about the devices before it does anything. */
#include <cuda_runtime.h>

#include "program.h"

static int attribute(cudaDeviceAttr which, int device)
{
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

static void print_limits(const cudaDeviceProp &p)
{
    printf("%s, compute capability %d.%d\n", p.name, p.major, p.minor);
    printf("%d multiprocessors of %d threads and %d registers, warps of %d\n", p.multiProcessorCount,
           p.maxThreadsPerMultiProcessor, p.regsPerMultiprocessor, p.warpSize);
    printf("blocks of up to %d threads, %d x %d x %d, %d registers, %zu bytes shared\n", p.maxThreadsPerBlock,
           p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2], p.regsPerBlock, p.sharedMemPerBlock);
    printf("grids of up to %d x %d x %d blocks\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("%zu bytes of shared memory an SM, up to %zu a block on request, %zu reserved\n",
           p.sharedMemPerMultiprocessor, p.sharedMemPerBlockOptin, p.reservedSharedMemPerBlock);
    printf("%zu bytes of constant memory, %d bytes of L2\n", p.totalConstMem, p.l2CacheSize);
    printf("memory bus of %d bits\n", p.memoryBusWidth);
}

/* A property and the attribute of the same meaning are one number. */
static void compare(const cudaDeviceProp &p, int device)
{
    verdict(p.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount, device), "multiprocessors");
    verdict(p.warpSize == attribute(cudaDevAttrWarpSize, device), "warp size");
    verdict(p.maxThreadsPerBlock == attribute(cudaDevAttrMaxThreadsPerBlock, device), "threads a block");
    verdict(p.maxThreadsDim[2] == attribute(cudaDevAttrMaxBlockDimZ, device), "block size in z");
    verdict(p.maxGridSize[1] == attribute(cudaDevAttrMaxGridDimY, device), "grid size in y");
    verdict((int)p.sharedMemPerBlock == attribute(cudaDevAttrMaxSharedMemoryPerBlock, device), "shared memory a block");
    verdict((int)p.sharedMemPerBlockOptin == attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
            "shared memory on request");
    verdict(p.l2CacheSize == attribute(cudaDevAttrL2CacheSize, device), "L2");
    verdict(p.memoryBusWidth == attribute(cudaDevAttrGlobalMemoryBusWidth, device), "memory bus");
    verdict(p.maxBlocksPerMultiProcessor == attribute(cudaDevAttrMaxBlocksPerMultiprocessor, device), "blocks an SM");
    verdict(p.major == attribute(cudaDevAttrComputeCapabilityMajor, device) &&
                p.minor == attribute(cudaDevAttrComputeCapabilityMinor, device),
            "compute capability");
    verdict(p.unifiedAddressing && p.canMapHostMemory && p.managedMemory && p.concurrentKernels &&
                p.cooperativeLaunch && p.asyncEngineCount > 0,
            "unified addressing, mapped and managed memory, concurrent and cooperative launches, copy engines");
}

int main()
{
    int count = 0, device = -1, driver = 0, runtime = 0, chosen = -1;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    verdict(count == 1, "one device");
    verdict(driver >= runtime && runtime >= 13000, "the driver is as new as the runtime");

    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    print_limits(p);
    compare(p, 0);

    CHECK(cudaGetDevice(&device));
    verdict(device == 0, "the current device is 0");
    cudaDeviceProp wish;
    memset(&wish, 0, sizeof wish);
    wish.major = 7;
    CHECK(cudaChooseDevice(&chosen, &wish));
    verdict(chosen == 0, "it is chosen");
    CHECK(cudaSetDevice(0));
    REFUSED(cudaSetDevice(count), cudaErrorInvalidDevice);
    REFUSED(cudaGetDeviceProperties(&p, -1), cudaErrorInvalidDevice);
    verdict(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess,
            "the last error is told once");

    char bus[32];
    int back = -1;
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(cudaDeviceGetByPCIBusId(&back, bus));
    verdict(back == 0, "the PCI bus id leads back to the device");

    size_t free_bytes = 0, total = 0, heap = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    verdict(free_bytes > 0 && free_bytes <= total && total == p.totalGlobalMem, "free memory is part of the total");
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    verdict(heap >= 16 << 20, "a limit that was set is there");
    int least = 1, greatest = 1;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    verdict(least == 0 && greatest <= 0, "stream priorities go down from 0");
    int access = 1;
    REFUSED(cudaDeviceCanAccessPeer(&access, 0, 7), cudaErrorInvalidDevice);
    CHECK(cudaDeviceReset());
    return failures;
}
