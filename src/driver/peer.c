/* peer.c - devices that touch each other's memory.
 *
 * Any two devices may be peers, as if joined by NVLink. Access is opened from a context to a device; a kernel may touch
 * what any context of its device has opened. So two contexts of one device get different answers from the API, but
 * their kernels can reach the same memory, and access to one context's memory is access to all memory of its device.
 *
 * Memory of pools and mapped memory are different: they have their own lists of devices that may touch them (pool.c,
 * vmm.c). Copies need no access at all. */
#include "driver/driver.h"

/* driver.lock held: what kernels of the device may touch is what its contexts have opened. */
static void renew(CUdevice device)
{
    u32 peers = 0;
    for (CUcontext c = drv.contexts; c; c = c->next)
        if (c->device == device)
            peers |= c->peers;
    for (CUdevice d = 0; device_ok(d); d++)
        mem_set_peer(drv.exec[device].mem, (unsigned)d, peers >> d & 1);
}

void peers_end(CUcontext ctx)
{
    ctx->peers = 0;
    for (CUcontext c = drv.contexts; c; c = c->next)
        if (ctx->primary)
            c->peers &= ~(1u << ctx->device);
    for (CUdevice d = 0; device_ok(d); d++)
        renew(d);
}

/* ---- entry points ---- */

/* A device is no peer of itself. */
CUresult impl_cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    if (!canAccessPeer)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev) || !device_ok(peerDev))
        return CUDA_ERROR_INVALID_DEVICE;
    *canAccessPeer = dev != peerDev;
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice)
{
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(srcDevice) || !device_ok(dstDevice) || srcDevice == dstDevice)
        return CUDA_ERROR_INVALID_DEVICE;
    switch (attrib) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK: /* 0 is the best */
        *value = 0;
        return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        *value = 1;
        return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
        *value = 0;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult impl_cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    const CUcontext ctx = ctx_current();
    if (Flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!ctx_valid(peerContext))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (peerContext->device == ctx->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    const u32 bit = 1u << peerContext->device;
    pthread_mutex_lock(&drv.lock);
    const bool had = ctx->peers & bit;
    ctx->peers |= bit;
    renew(ctx->device);
    pthread_mutex_unlock(&drv.lock);
    return had ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

/* Kernels that were launched before may still use it. */
CUresult impl_cuCtxDisablePeerAccess(CUcontext peerContext)
{
    const CUcontext ctx = ctx_current();
    if (!ctx_valid(peerContext))
        return CUDA_ERROR_INVALID_CONTEXT;
    const u32 bit = 1u << peerContext->device;
    streams_wait(ctx);
    pthread_mutex_lock(&drv.lock);
    const bool had = ctx->peers & bit;
    ctx->peers &= ~bit;
    renew(ctx->device);
    pthread_mutex_unlock(&drv.lock);
    return had ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

/* ---- whose memory ---- */

static bool block_at(u64 address, struct mem_block *b)
{
    return mem_nearest(drv.mem, address, b) && b->live && address - b->base < b->size;
}

CUdevice memory_device(u64 address)
{
    struct mem_block b;
    return block_at(address, &b) ? b.device : 0;
}

/* The device that a copy of the default stream must also come after; -1: none. */
static CUdevice other_device(const struct CUstream_st *s, const void *p)
{
    struct mem_block b;
    const bool found = block_at((u64)(uintptr_t)p, &b);
    const bool host = b.kind == MEM_PINNED || b.kind == MEM_REGISTERED || b.kind == MEM_MANAGED;
    return found && !host && b.device != s->ctx->device ? b.device : -1;
}

void peers_order(struct CUstream_st *s, const void *p, void (*order)(struct CUstream_st *s, CUcontext other))
{
    const CUdevice other = drv.ndevices > 1 && s->legacy ? other_device(s, p) : -1;
    if (other < 0)
        return;
    pthread_mutex_lock(&drv.lock);
    for (CUcontext c = drv.contexts; c; c = c->next)
        if (c->device == other && atomic_load(&c->alive))
            order(s, c);
    pthread_mutex_unlock(&drv.lock);
}
