/* vmm.c - virtual memory management: addresses (cuMemAddressReserve), memory
 * (cuMemCreate), and one mapped at the other.
 *
 * Memory is a *piece*: a shared mapping of the host, not visible to kernels, from which exec/memory/mem_map.c makes the
 * views that programs map. A piece lives as long as a handle refers to it or it is mapped. One that may be exported is
 * a sealed file in memory; the file descriptor that a program exports and imports, in this process or another, is that
 * file's.
 *
 * Nothing here waits for the device, as in CUDA: unmapping memory that a kernel uses makes that kernel fault. */
#include "driver/memory/vmm.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/locked.h"

enum { GRANULARITY = 2 << 20 }; /* as on current GPUs */

struct piece {
    u32 tag;
    u32 handles, mappings;
    bool imported; /* it counts as used where it was made */
    int fd;        /* -1: it cannot be exported */
    u64 size;
    void *home;
    CUmemAllocationProp prop;
};

/* Of pieces and mappings; taken before driver.lock. */
static pthread_mutex_t vmm_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- pieces ---- */

static struct mem *device_mem(CUdevice device) { return drv.exec[device].mem; }

/* Lock held. */
static void piece_drop(struct piece *p)
{
    LS_LOCKED(&vmm_lock);
    if (p->handles || p->mappings)
        return;
    munmap(p->home, p->size);
    if (p->fd >= 0)
        close(p->fd);
    if (!p->imported)
        mem_discharge(device_mem(p->prop.location.id), p->size);
    p->tag = 0;
    handle_free(TAG_PIECE, p);
}

static struct piece *piece_of(CUmemGenericAllocationHandle handle)
{
    struct piece *p = (struct piece *)(uintptr_t)handle;
    return p && p->tag == TAG_PIECE && p->handles ? p : NULL;
}

static CUmemGenericAllocationHandle handle_of(const struct piece *p)
{
    return (CUmemGenericAllocationHandle)(uintptr_t)p;
}

/* A file whose size can no longer change, so that a view of it never loses its pages. */
static int sealed_file(u64 size)
{
    const int fd = memfd_create("lockstep memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, (off_t)size) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void *map_home(u64 size, int fd)
{
    const int anonymous = fd < 0 ? MAP_ANONYMOUS : 0;
    void *home = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | anonymous, fd, 0);
    if (home == MAP_FAILED)
        return NULL;
    madvise(home, size, MADV_DONTDUMP);
    return home;
}

/* Takes fd, also on failure. */
static CUresult piece_new(u64 size, int fd, const CUmemAllocationProp *prop, bool imported,
                          CUmemGenericAllocationHandle *handle)
{
    void *home = map_home(size, fd);
    struct piece *p = home ? handle_new(TAG_PIECE, sizeof *p) : NULL;
    if (!p) {
        if (home)
            munmap(home, size);
        if (fd >= 0)
            close(fd);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *p = (struct piece){
        .tag = TAG_PIECE, .handles = 1, .imported = imported, .fd = fd, .size = size, .home = home, .prop = *prop};
    *handle = handle_of(p);
    return CUDA_SUCCESS;
}

/* Memory of the device, exported as a file descriptor or not at all. */
static CUresult check_prop(const CUmemAllocationProp *p)
{
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return p->location.type == CU_MEM_LOCATION_TYPE_INVALID ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
    if (!device_ok(p->location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    if (p->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_NOT_SUPPORTED;
    return p->allocFlags.gpuDirectRDMACapable || p->allocFlags.usage ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

CUresult impl_cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                            CUmemAllocationGranularity_flags option)
{
    if (!granularity || (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM && option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = check_prop(prop);
    if (r == CUDA_SUCCESS)
        *granularity = GRANULARITY;
    return r;
}

CUresult impl_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                          unsigned long long flags)
{
    CUresult r = check_prop(prop);
    if (r != CUDA_SUCCESS)
        return r;
    if (!handle || !size || size % GRANULARITY || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!mem_charge(device_mem(prop->location.id), size))
        return CUDA_ERROR_OUT_OF_MEMORY;
    const bool exported = prop->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE;
    CUmemAllocationProp kept = *prop;
    kept.allocFlags.compressionType = 0; /* compression is accepted, and there is none */
    const int fd = exported ? sealed_file(size) : -1;
    r = exported && fd < 0 ? CUDA_ERROR_OUT_OF_MEMORY : piece_new(size, fd, &kept, false, handle);
    if (r != CUDA_SUCCESS)
        mem_discharge(device_mem(prop->location.id), size);
    return r;
}

CUresult impl_cuMemRelease(CUmemGenericAllocationHandle handle)
{
    pthread_mutex_lock(&vmm_lock);
    struct piece *p = piece_of(handle);
    if (p) {
        p->handles--;
        piece_drop(p);
    }
    pthread_mutex_unlock(&vmm_lock);
    return p ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    struct allocation a;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&vmm_lock);
    const bool ok = memory_find((u64)(uintptr_t)addr, &a) && a.piece;
    if (ok) {
        a.piece->handles++;
        *handle = handle_of(a.piece);
    }
    pthread_mutex_unlock(&vmm_lock);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
    pthread_mutex_lock(&vmm_lock);
    const struct piece *p = piece_of(handle);
    if (p && prop)
        *prop = p->prop;
    pthread_mutex_unlock(&vmm_lock);
    return p && prop ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUmemAllocationHandleType piece_handle_types(const struct piece *p) { return p->prop.requestedHandleTypes; }

/* ---- other processes ---- */

CUresult impl_cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                           CUmemAllocationHandleType handleType, unsigned long long flags)
{
    CUresult r = CUDA_ERROR_INVALID_VALUE;
    if (!shareableHandle || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags)
        return r;
    pthread_mutex_lock(&vmm_lock);
    const struct piece *p = piece_of(handle);
    if (p && p->fd >= 0) {
        const int fd = fcntl(p->fd, F_DUPFD_CLOEXEC, 0);
        r = fd < 0 ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
        if (fd >= 0)
            *(int *)shareableHandle = fd;
    }
    pthread_mutex_unlock(&vmm_lock);
    return r;
}

/* Only files of cuMemCreate: sealed, and whole granules long. The caller's
 * descriptor stays the caller's. */
CUresult impl_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                             CUmemAllocationHandleType shHandleType)
{
    const int theirs = (int)(intptr_t)osHandle, seals = F_SEAL_SHRINK | F_SEAL_GROW;
    struct stat st;
    if (!handle || shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    const int has = fcntl(theirs, F_GET_SEALS);
    if (has < 0 || (has & seals) != seals || fstat(theirs, &st) != 0 || !st.st_size || st.st_size % GRANULARITY)
        return CUDA_ERROR_INVALID_VALUE;
    const int fd = fcntl(theirs, F_DUPFD_CLOEXEC, 0);
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, device_now()}};
    return fd < 0 ? CUDA_ERROR_OPERATING_SYSTEM : piece_new((u64)st.st_size, fd, &prop, true, handle);
}

/* ---- addresses ---- */

CUresult impl_cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                                  unsigned long long flags)
{
    u64 address;
    if (!ptr || !size || size % GRANULARITY || (alignment & (alignment - 1)) || flags)
        return CUDA_ERROR_INVALID_VALUE;
    const u64 align = alignment < GRANULARITY ? GRANULARITY : alignment;
    if (mem_reserve(drv.mem, size, align, addr, &address) != LS_OK)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *ptr = address;
    return CUDA_SUCCESS;
}

CUresult impl_cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
    u64 base, bytes;
    bool empty, ok;
    pthread_mutex_lock(&vmm_lock);
    ok = mem_reserved(drv.mem, ptr, &base, &bytes, &empty) && base == ptr && bytes == size && empty;
    if (ok)
        memory_give_back(&(struct allocation){.base = ptr, .size = size, .kind = MEM_RESERVED});
    pthread_mutex_unlock(&vmm_lock);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- mappings ---- */

/* Lock held. What is mapped may not be touched before cuMemSetAccess. */
static CUresult map_piece(u64 at, u64 size, struct piece *p)
{
    LS_LOCKED(&vmm_lock);
    enum ls_status s = mem_map(device_mem(p->prop.location.id), at, size, p->home, MEM_MAPPED_NONE);
    if (s != LS_OK)
        return s == LS_ERR_INVALID ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
    const struct allocation a = {
        .base = at, .size = size, .id = atomic_fetch_add(&drv.next_id, 1) + 1, .kind = MEM_MAPPED, .piece = p};
    if (!memory_adopt(&a)) {
        mem_unmap(drv.mem, at, size);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    p->mappings++;
    return CUDA_SUCCESS;
}

CUresult impl_cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                       unsigned long long flags)
{
    CUresult r = CUDA_ERROR_INVALID_VALUE;
    if (!size || size % GRANULARITY || ptr % GRANULARITY || offset || flags)
        return r;
    pthread_mutex_lock(&vmm_lock);
    struct piece *p = piece_of(handle);
    if (p && size <= p->size)
        r = map_piece(ptr, size, p);
    pthread_mutex_unlock(&vmm_lock);
    return r;
}

/* Every mapping in [at, at + size) is of a piece; lock held. */
static bool of_pieces(u64 at, u64 size)
{
    struct allocation a;
    for (const u64 end = at + size; at < end; at = a.base + a.size)
        if (!memory_find(at, &a) || !a.piece)
            return false;
    return size > 0;
}

CUresult impl_cuMemUnmap(CUdeviceptr ptr, size_t size)
{
    struct allocation a;
    pthread_mutex_lock(&vmm_lock);
    const bool ok = ptr + size >= ptr && of_pieces(ptr, size) && mem_unmap(drv.mem, ptr, size) == LS_OK;
    for (u64 at = ptr; ok && at < ptr + size && memory_forget(at, &a); at += a.size) {
        a.piece->mappings--;
        piece_drop(a.piece);
    }
    pthread_mutex_unlock(&vmm_lock);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult access_kind(const CUmemAccessDesc *d, enum mem_kind *kind)
{
    if (d->location.type != CU_MEM_LOCATION_TYPE_DEVICE) /* the host cannot access device memory */
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!device_ok(d->location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    switch (d->flags) {
    case CU_MEM_ACCESS_FLAGS_PROT_NONE:
        *kind = MEM_MAPPED_NONE;
        return CUDA_SUCCESS;
    case CU_MEM_ACCESS_FLAGS_PROT_READ:
        *kind = MEM_MAPPED_READ;
        return CUDA_SUCCESS;
    case CU_MEM_ACCESS_FLAGS_PROT_READWRITE:
        *kind = MEM_MAPPED;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult impl_cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    enum mem_kind kind[MEM_DEVICES];
    bool named[MEM_DEVICES] = {false};
    CUresult r = desc && count && ptr + size >= ptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; r == CUDA_SUCCESS && i < count; i++) {
        enum mem_kind k;
        r = access_kind(&desc[i], &k);
        if (r == CUDA_SUCCESS) {
            kind[desc[i].location.id] = k;
            named[desc[i].location.id] = true;
        }
    }
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&vmm_lock);
    if (!of_pieces(ptr, size))
        r = CUDA_ERROR_INVALID_VALUE;
    for (CUdevice d = 0; r == CUDA_SUCCESS && device_ok(d); d++)
        if (named[d] && mem_set_access(device_mem(d), ptr, size, kind[d]) != LS_OK)
            r = CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_unlock(&vmm_lock);
    return r;
}

CUresult impl_cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
    struct mem_block b;
    if (!flags || !location)
        return CUDA_ERROR_INVALID_VALUE;
    const bool device = location->type == CU_MEM_LOCATION_TYPE_DEVICE;
    if (device && !device_ok(location->id))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!mem_mapping(device ? device_mem(location->id) : drv.mem, ptr, &b))
        return CUDA_ERROR_INVALID_VALUE;
    *flags = !device || b.kind == MEM_MAPPED_NONE ? CU_MEM_ACCESS_FLAGS_PROT_NONE
             : b.kind == MEM_MAPPED_READ          ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                                  : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
}
