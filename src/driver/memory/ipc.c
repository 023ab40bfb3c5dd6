/* ipc.c - memory of other processes of this machine: cuIpcGetMemHandle and the like.
 *
 * An exported allocation's pages move into a file in memory (exec/memory/mem_share.c). Its handle says where: the
 * process, the descriptor there, which file that must be, and the bytes in it. Opening the handle opens
 * /proc/<pid>/fd/<fd> and maps those bytes, so the exporter must be alive, visible and of the same user. Loads, stores
 * and atomic operations of both processes then act on the same memory. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/locked.h"
#include "driver/driver.h"
#include "driver/memory/ipc.h"

struct memory_handle {
    u32 magic;
    struct ipc_file file;
    u64 offset, size;
};
#define MEMORY_MAGIC 0x4c53a110u

_Static_assert(sizeof(struct memory_handle) <= sizeof(CUipcMemHandle), "it travels in the handle");

/* ---- files ---- */

bool ipc_file_name(int fd, struct ipc_file *out)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    *out = (struct ipc_file){.pid = getpid(), .fd = fd, .device = st.st_dev, .inode = st.st_ino};
    return true;
}

int ipc_file_open(const struct ipc_file *f, u64 bytes)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", f->pid, f->fd);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 &&
        (fstat(fd, &st) != 0 || st.st_dev != f->device || st.st_ino != f->inode || (u64)st.st_size < bytes)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- exporting ---- */

/* Kernels, copies and fills count as runs: while there is none, device memory is not written. */
static enum ls_status share(const struct allocation *a, struct mem_shared *out)
{
    while (!mem_is_shared(drv.mem, a->base)) {
        streams_wait(a->ctx);
        pthread_mutex_lock(&drv.run_lock);
        const bool quiet = drv.running == 0;
        const enum ls_status s = quiet ? mem_share(drv.mem, a->base, out) : LS_OK;
        pthread_mutex_unlock(&drv.run_lock);
        if (quiet)
            return s;
        sched_yield();
    }
    return mem_share(drv.mem, a->base, out);
}

/* An address inside an allocation stands for all of it: opening the handle gives its base, as with NVIDIA's driver. */
static bool can_export(u64 address, struct allocation *a)
{
    return memory_find(address, a) && a->kind == MEM_DEVICE && !a->pool && !a->graph;
}

CUresult impl_cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
    struct allocation a;
    struct mem_shared m;
    struct memory_handle h = {.magic = MEMORY_MAGIC};
    if (!pHandle || !can_export(dptr, &a))
        return CUDA_ERROR_INVALID_VALUE;
    const enum ls_status s = share(&a, &m);
    if (s != LS_OK)
        return s == LS_ERR_INVALID ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
    if (!ipc_file_name(m.fd, &h.file))
        return CUDA_ERROR_OPERATING_SYSTEM;
    h.offset = m.offset;
    h.size = m.size;
    memset(pHandle, 0, sizeof *pHandle);
    memcpy(pHandle, &h, sizeof h);
    return CUDA_SUCCESS;
}

/* ---- importing ---- */

/* What is open, by handle and context; a context that ends takes its
 * allocations with it, so each is looked up. */
static struct opened {
    struct memory_handle handle;
    CUcontext ctx;
    u64 address, id; /* of the allocation */
    unsigned refs;
    struct opened *next;
} *opened;
static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER; /* before driver.lock */

static bool still_there(const struct opened *o)
{
    struct allocation a;
    return memory_find(o->address, &a) && a.id == o->id;
}

static void forget_gone(void)
{
    for (struct opened **at = &opened; *at;) {
        struct opened *o = *at;
        if (still_there(o)) {
            at = &o->next;
        } else {
            *at = o->next;
            ls_free(o);
        }
    }
}

static CUresult import(const struct memory_handle *h, struct opened *o)
{
    u64 address;
    const int fd = ipc_file_open(&h->file, h->offset + h->size);
    if (fd < 0)
        return CUDA_ERROR_INVALID_HANDLE;
    const enum ls_status s = mem_import(drv.exec[o->ctx->device].mem,
                                        &(struct mem_shared){.fd = fd, .offset = h->offset, .size = h->size}, &address);
    close(fd);
    if (s != LS_OK)
        return CUDA_ERROR_MAP_FAILED;
    const struct allocation a = {.base = address,
                                 .size = h->size,
                                 .id = atomic_fetch_add(&drv.next_id, 1) + 1,
                                 .ctx = o->ctx,
                                 .kind = MEM_MAPPED};
    o->address = address;
    o->id = a.id;
    if (memory_adopt(&a))
        return CUDA_SUCCESS;
    memory_give_back(&a);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Lock held. */
static CUresult open_handle(const struct memory_handle *h, u64 *address)
{
    LS_LOCKED(&opened_lock);
    const CUcontext ctx = ctx_current();
    forget_gone();
    for (struct opened *o = opened; o; o = o->next) {
        if (o->ctx != ctx || memcmp(&o->handle, h, sizeof *h) != 0)
            continue;
        o->refs++;
        *address = o->address;
        return CUDA_SUCCESS;
    }
    struct opened *o = ls_calloc(1, sizeof *o);
    if (!o)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(&o->handle, h, sizeof *h);
    o->ctx = ctx;
    o->refs = 1;
    const CUresult r = import(h, o);
    if (r != CUDA_SUCCESS) {
        ls_free(o);
        return r;
    }
    o->next = opened;
    opened = o;
    *address = o->address;
    return CUDA_SUCCESS;
}

CUresult impl_cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    struct memory_handle h;
    u64 address;
    if (!pdptr || Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&h, &handle, sizeof h);
    if (h.magic != MEMORY_MAGIC || !h.size || h.offset + h.size < h.size)
        return CUDA_ERROR_INVALID_VALUE;
    if (h.file.pid == getpid()) /* as in CUDA: the exporter cannot open its own handle */
        return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&opened_lock);
    const CUresult r = open_handle(&h, &address);
    pthread_mutex_unlock(&opened_lock);
    if (r == CUDA_SUCCESS)
        *pdptr = address;
    return r;
}

/* The last close of an address takes it out of the list; NULL: it is not open,
 * or still is. */
static struct opened *close_address(u64 address, bool *known)
{
    pthread_mutex_lock(&opened_lock);
    forget_gone();
    struct opened **at = &opened;
    while (*at && (*at)->address != address)
        at = &(*at)->next;
    struct opened *o = *at;
    *known = o;
    if (o && --o->refs == 0)
        *at = o->next;
    else
        o = NULL;
    pthread_mutex_unlock(&opened_lock);
    return o;
}

CUresult impl_cuIpcCloseMemHandle(CUdeviceptr dptr)
{
    struct allocation a;
    bool known;
    struct opened *o = close_address(dptr, &known);
    if (!known)
        return CUDA_ERROR_INVALID_VALUE;
    if (!o)
        return CUDA_SUCCESS;
    TELL(host_waits, &(struct driver_wait){0});
    streams_wait(o->ctx);
    TELL(host_waited, &(struct driver_wait){.ctx = o->ctx});
    if (memory_forget(dptr, &a))
        memory_give_back(&a);
    ls_free(o);
    return CUDA_SUCCESS;
}
