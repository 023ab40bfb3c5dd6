/* device.c - devices: properties, attributes, limits, identification, peers, versions. */
#include <limits.h>
#include <string.h>

#include "runtime/runtime.h"

static int attribute(int device, CUdevice_attribute a)
{
    int value = 0;
    return drv.cuDeviceGetAttribute(&value, a, device) == CUDA_SUCCESS ? value : 0;
}

static bool is_device(int device) { return device >= 0 && device < device_count(); }

cudaError_t impl_cudaGetDeviceCount(int *count)
{
    if (!count)
        return cudaErrorInvalidValue;
    *count = device_count();
    cudaError_t e = driver_load();
    return e != cudaSuccess ? e : *count ? cudaSuccess : cudaErrorNoDevice;
}

/* ---- properties ---- */

static void add_identity(struct cudaDeviceProp *p, int device)
{
    CUuuid uuid = {{0}};
    drv.cuDeviceGetName(p->name, (int)sizeof p->name, device);
    drv.cuDeviceTotalMem_v2(&p->totalGlobalMem, device);
    drv.cuDeviceGetUuid_v2(&uuid, device);
    memcpy(p->uuid.bytes, uuid.bytes, sizeof uuid.bytes);
}

cudaError_t impl_cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    if (!prop)
        return cudaErrorInvalidValue;
    if (!is_device(device))
        return cudaErrorInvalidDevice;
    memset(prop, 0, sizeof *prop);
    add_identity(prop, device);
#define PROP(member, a) prop->member = (__typeof__(prop->member))attribute(device, CU_DEVICE_ATTRIBUTE_##a);
#include "runtime/props.def"
    PROP(deviceNumaConfig, NUMA_CONFIG)
    PROP(deviceNumaId, NUMA_ID)
    PROP(mpsEnabled, MPS_ENABLED)
    PROP(hostNumaId, HOST_NUMA_ID)
    PROP(gpuPciDeviceID, GPU_PCI_DEVICE_ID)
    PROP(gpuPciSubsystemID, GPU_PCI_SUBSYSTEM_ID)
    PROP(hostNumaMultinodeIpcSupported, HOST_NUMA_MULTINODE_IPC_SUPPORTED)
#undef PROP
    return cudaSuccess;
}

/* The two APIs number attributes alike. */
cudaError_t impl_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    if (!value)
        return cudaErrorInvalidValue;
    if (!is_device(device))
        return cudaErrorInvalidDevice;
    return error_of(drv.cuDeviceGetAttribute(value, (CUdevice_attribute)attr, device));
}

/* The first of the devices that have what is asked for; else the one with the most multiprocessors. Members of *prop
 * that are 0 do not matter. */
static bool satisfies(int device, const struct cudaDeviceProp *want)
{
    const int major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    const int minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    size_t memory = 0;
    drv.cuDeviceTotalMem_v2(&memory, device);
    return (major > want->major || (major == want->major && minor >= want->minor)) && memory >= want->totalGlobalMem &&
           attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) >= want->multiProcessorCount;
}

cudaError_t impl_cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    if (!device || !prop)
        return cudaErrorInvalidValue;
    const int n = device_count();
    *device = 0;
    for (int i = 0; i < n; i++) {
        if (satisfies(i, prop)) {
            *device = i;
            return cudaSuccess;
        }
    }
    return n ? cudaSuccess : cudaErrorNoDevice;
}

/* The order in which devices would be tried: there is nothing to choose from before a call names one. */
cudaError_t impl_cudaSetValidDevices(int *device_arr, int len)
{
    if (!device_arr || len < 0)
        return cudaErrorInvalidValue;
    for (int i = 0; i < len; i++)
        if (!is_device(device_arr[i]))
            return cudaErrorInvalidDevice;
    return cudaSuccess;
}

/* ---- identification ---- */

cudaError_t impl_cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    return is_device(device) ? error_of(drv.cuDeviceGetPCIBusId(pciBusId, len, device)) : cudaErrorInvalidDevice;
}

cudaError_t impl_cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    return error_of(drv.cuDeviceGetByPCIBusId(device, pciBusId));
}

/* Where there is no driver its version is 0, and that is no error. */
cudaError_t impl_cudaDriverGetVersion(int *driverVersion)
{
    if (!driverVersion)
        return cudaErrorInvalidValue;
    *driverVersion = 0;
    driver_load();
    return !drv.cuDriverGetVersion ? cudaSuccess : error_of(drv.cuDriverGetVersion(driverVersion));
}

cudaError_t impl_cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                      const struct cudaChannelFormatDesc *fmtDesc, int device)
{
    CUarray_format format;
    unsigned channels;
    if (!maxWidthInElements || !fmtDesc)
        return cudaErrorInvalidValue;
    cudaError_t e = format_of(fmtDesc, &format, &channels);
    if (e != cudaSuccess)
        return e;
    return error_of(drv.cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements, format, channels, device));
}

/* ---- peers ---- */

cudaError_t impl_cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    if (!is_device(device) || !is_device(peerDevice))
        return cudaErrorInvalidDevice;
    return error_of(drv.cuDeviceCanAccessPeer(canAccessPeer, device, peerDevice));
}

cudaError_t impl_cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice)
{
    if (!is_device(srcDevice) || !is_device(dstDevice))
        return cudaErrorInvalidDevice;
    return error_of(drv.cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)attr, srcDevice, dstDevice));
}

cudaError_t impl_cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    CUcontext peer;
    if (flags)
        return cudaErrorInvalidValue;
    cudaError_t e = context_find(peerDevice, &peer);
    return e == cudaSuccess ? error_of(drv.cuCtxEnablePeerAccess(peer, 0)) : e;
}

cudaError_t impl_cudaDeviceDisablePeerAccess(int peerDevice)
{
    CUcontext peer;
    cudaError_t e = context_find(peerDevice, &peer);
    return e == cudaSuccess ? error_of(drv.cuCtxDisablePeerAccess(peer)) : e;
}

/* ---- the current context's settings ---- */

cudaError_t impl_cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    return error_of(drv.cuCtxSetLimit((CUlimit)limit, value));
}

cudaError_t impl_cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit)
{
    return error_of(drv.cuCtxGetLimit(pValue, (CUlimit)limit));
}

cudaError_t impl_cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    return error_of(drv.cuCtxGetCacheConfig((CUfunc_cache *)(void *)pCacheConfig));
}

cudaError_t impl_cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    return error_of(drv.cuCtxSetCacheConfig((CUfunc_cache)cacheConfig));
}

cudaError_t impl_cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig)
{
    return error_of(drv.cuCtxGetSharedMemConfig((CUsharedconfig *)(void *)pConfig));
}

cudaError_t impl_cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    return error_of(drv.cuCtxSetSharedMemConfig((CUsharedconfig)config));
}

cudaError_t impl_cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    return error_of(drv.cuCtxGetStreamPriorityRange(leastPriority, greatestPriority));
}

cudaError_t impl_cudaCtxResetPersistingL2Cache(void) { return error_of(drv.cuCtxResetPersistingL2Cache()); }

/* ---- the driver's functions, for programs that call them ---- */

cudaError_t impl_cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                                  unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *driverStatus)
{
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (!symbol || !*symbol || !funcPtr || flags > cudaEnablePerThreadDefaultStream)
        return cudaErrorInvalidValue;
    if (flags == cudaEnableDefault && rt.per_thread)
        flags = cudaEnablePerThreadDefaultStream;
    CUresult r = drv.cuGetProcAddress_v2(symbol, funcPtr, (int)cudaVersion, flags, &status);
    if (driverStatus)
        *driverStatus = (enum cudaDriverEntryPointQueryResult)status;
    return error_of(r); /* an unknown function is no error: *funcPtr is NULL */
}

cudaError_t impl_cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *driverStatus)
{
    return impl_cudaGetDriverEntryPointByVersion(symbol, funcPtr, CUDART_VERSION, flags, driverStatus);
}
