/* allocate.c - allocating and freeing memory of every kind but that of pools, and what is known of an address. */
#include "base/alloc.h"
#include "driver/driver.h"
#include "driver/memory/allocation_table.h"

CUresult allocation_wrong_free(u64 address)
{
    TELL(call_refused, &(struct driver_refusal){.what = REFUSED_FREE, .address = address});
    return CUDA_ERROR_INVALID_VALUE;
}

/* Once, to programs that ask how much memory there is, or ask for more than that. */
static void say_small(void)
{
    static atomic_bool said;
    const double gib = 1 << 30;
    const u64 capacity = mem_capacity(drv.exec[0].mem);
    if (drv.settings.device_memory || capacity >= drv.gpu_memory || atomic_exchange(&said, true))
        return;
    drv_log("the device has %.1f GiB of memory, half of what this machine has available, and not the %.1f GiB of the "
            "%s: LOCKSTEP_DEVICE_MEMORY=gpu, or a size such as 64G, says otherwise",
            (double)capacity / gib, (double)drv.gpu_memory / gib, drv.gpu.name);
}

CUresult memory_alloc(CUcontext ctx, size_t size, enum mem_kind kind, unsigned flags, CUmemoryPool pool, u64 *address)
{
    if (size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    const u64 align = kind == MEM_DEVICE ? MEM_ALIGN : drv.host_align;
    struct mem *mem = drv.exec[pool ? pool->device : ctx->device].mem;
    enum ls_status s = mem_alloc(mem, size, align, kind, NULL, address);
    if (s != LS_OK) {
        if (kind != MEM_PINNED && size <= drv.gpu_memory)
            say_small();
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (pool)
        mem_set_rights(mem, *address, pool->devices, pool->devices);
    struct allocation a = {.base = *address, .size = size, .ctx = ctx, .pool = pool, .flags = flags, .kind = (u8)kind};
    a.id = atomic_fetch_add(&drv.next_id, 1) + 1;
    if (memory_adopt(&a))
        return CUDA_SUCCESS;
    mem_free(drv.mem, *address);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult impl_cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    u64 address;
    if (!dptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = memory_alloc(ctx_current(), bytesize, MEM_DEVICE, 0, NULL, &address);
    if (r == CUDA_SUCCESS)
        *dptr = address;
    return r;
}

/* Rows start at multiples of 512 bytes, as on current GPUs. */
enum { PITCH_ALIGN = 512 };

CUresult impl_cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                                 unsigned int ElementSizeBytes)
{
    size_t bytes;
    if (!dptr || !pPitch || !WidthInBytes || !Height || WidthInBytes > INT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16)
        return CUDA_ERROR_INVALID_VALUE;
    size_t pitch = ls_align_up(WidthInBytes, PITCH_ALIGN);
    if (__builtin_mul_overflow(pitch, Height, &bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult r = impl_cuMemAlloc_v2(dptr, bytes);
    if (r == CUDA_SUCCESS)
        *pPitch = pitch;
    return r;
}

CUresult impl_cuMemFree_v2(CUdeviceptr dptr)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    struct allocation a;
    if (!dptr)
        return CUDA_SUCCESS;
    if (!memory_find(dptr, &a) || a.base != dptr || !(DEVICE_KINDS >> a.kind & 1))
        return allocation_wrong_free(dptr);
    TELL(host_waits, &(struct driver_wait){0});
    streams_wait(a.ctx);
    TELL(host_waited, &(struct driver_wait){.ctx = a.ctx});
    if (!allocation_take(dptr, DEVICE_KINDS, &a))
        return allocation_wrong_free(dptr);
    memory_give_back(&a);
    return CUDA_SUCCESS;
}

CUresult impl_cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    u64 address;
    if (!dptr || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = memory_alloc(ctx_current(), bytesize, MEM_MANAGED, flags, NULL, &address);
    if (r == CUDA_SUCCESS)
        *dptr = address;
    return r;
}

/* ---- memory of the host ---- */

CUresult impl_cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    const unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    u64 address;
    if (!pp || (Flags & ~known))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = memory_alloc(ctx_current(), bytesize, MEM_PINNED, Flags, NULL, &address);
    if (r == CUDA_SUCCESS)
        *pp = (void *)(uintptr_t)address;
    return r;
}

CUresult impl_cuMemAllocHost_v2(void **pp, size_t bytesize)
{
    return impl_cuMemHostAlloc(pp, bytesize, CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult impl_cuMemFreeHost(void *p)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    struct allocation a;
    u64 address = (u64)(uintptr_t)p;
    if (!memory_find(address, &a) || a.base != address || a.kind != MEM_PINNED)
        return allocation_wrong_free(address);
    TELL(host_waits, &(struct driver_wait){0});
    streams_wait(a.ctx);
    TELL(host_waited, &(struct driver_wait){.ctx = a.ctx});
    if (!allocation_take(address, 1u << MEM_PINNED, &a))
        return allocation_wrong_free(address);
    memory_give_back(&a);
    return CUDA_SUCCESS;
}

CUresult impl_cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_IOMEMORY |
                           CU_MEMHOSTREGISTER_READ_ONLY;
    if (!p || !bytesize || (Flags & ~known))
        return CUDA_ERROR_INVALID_VALUE;
    if (Flags & CU_MEMHOSTREGISTER_IOMEMORY)
        return CUDA_ERROR_NOT_SUPPORTED;
    enum ls_status s = mem_register(drv.mem, p, bytesize);
    if (s != LS_OK)
        return s == LS_ERR_NOMEM ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    struct allocation a = {
        .base = (u64)(uintptr_t)p, .size = bytesize, .ctx = ctx_current(), .flags = Flags, .kind = MEM_REGISTERED};
    a.id = atomic_fetch_add(&drv.next_id, 1) + 1;
    if (memory_adopt(&a))
        return CUDA_SUCCESS;
    mem_unregister(drv.mem, p);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult impl_cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags)
{
    return impl_cuMemHostRegister_v2(p, bytesize, Flags);
}

CUresult impl_cuMemHostUnregister(void *p)
{
    CUresult unsafe = capture_unsafe();
    if (unsafe != CUDA_SUCCESS)
        return unsafe;
    struct allocation a;
    u64 address = (u64)(uintptr_t)p;
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    if (!memory_find(address, &a) || a.base != address || a.kind != MEM_REGISTERED)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    TELL(host_waits, &(struct driver_wait){0});
    streams_wait(a.ctx);
    TELL(host_waited, &(struct driver_wait){.ctx = a.ctx});
    if (!allocation_take(address, 1u << MEM_REGISTERED, &a))
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    memory_give_back(&a);
    return CUDA_SUCCESS;
}

/* ---- what is known of an address ---- */

bool memory_known(const void *p)
{
    u64 lo, hi;
    enum mem_kind kind;
    return mem_range(drv.mem, (u64)(uintptr_t)p, &lo, &hi, &kind);
}

static bool covers(struct mem *mem, u64 address, size_t size, bool write)
{
    u64 lo, hi;
    enum mem_kind kind;
    return mem_range(mem, address, &lo, &hi, &kind) && size <= hi - address && !(write && kind == MEM_MAPPED_READ);
}

bool memory_covers(u64 address, size_t size, bool write) { return covers(drv.mem, address, size, write); }

bool memory_reaches(CUcontext ctx, u64 address, size_t size)
{
    return covers(drv.exec[ctx->device].mem, address, size, true);
}

CUresult impl_cuMemGetInfo_v2(size_t *free, size_t *total)
{
    if (!free || !total)
        return CUDA_ERROR_INVALID_VALUE;
    struct mem *mem = drv.exec[ctx_current()->device].mem;
    u64 used = mem_used(mem);
    *total = mem_capacity(mem);
    *free = used < *total ? *total - used : 0;
    say_small();
    return CUDA_SUCCESS;
}

CUresult impl_cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    u64 lo, hi;
    enum mem_kind kind;
    if (!mem_range(drv.mem, dptr, &lo, &hi, &kind))
        return CUDA_ERROR_NOT_FOUND;
    if (pbase)
        *pbase = lo;
    if (psize)
        *psize = hi - lo;
    return CUDA_SUCCESS;
}

static bool host_kind(u8 kind) { return kind == MEM_PINNED || kind == MEM_REGISTERED; }

CUresult impl_cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    struct allocation a;
    if (!pdptr || Flags || !memory_find((u64)(uintptr_t)p, &a) || !host_kind(a.kind))
        return CUDA_ERROR_INVALID_VALUE;
    *pdptr = (u64)(uintptr_t)p;
    return CUDA_SUCCESS;
}

CUresult impl_cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    struct allocation a;
    if (!pFlags || !memory_find((u64)(uintptr_t)p, &a) || a.kind != MEM_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    *pFlags = a.flags;
    return CUDA_SUCCESS;
}
