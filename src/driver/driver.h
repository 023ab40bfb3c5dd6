/* driver.h - what the files of the driver share: the process's one device, contexts, modules, streams, and the state
 * behind every handle.
 *
 * Vocabulary: the *driver* is the process's state; a *handle* is a pointer to one of the structs here, whose first word
 * is a tag, so that most wrong handles are told from right ones; an *allocation* is what cuMemAlloc and its kin made.
 *
 * Locks, in the order in which they may be taken:
 *     driver.lock   contexts, modules, functions, libraries, the allocation table, pools; never held while waiting for
 *                   a stream or running a kernel
 *     hub.lock      queues (queue.h), the lists of streams, events; never held while a work runs
 * Sticky errors are atomics. A context's handle is never freed, so a stale one is recognised instead of followed.
 *
 * No work item takes driver.lock while somebody who holds it waits for that work: nobody waits with it. */
#ifndef LS_DRIVER_H
#define LS_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "base/gpu.h"
#include "base/status.h"
#include "driver/cuda_abi.h"
#include "driver/queue.h"
#include "exec/exec.h"

enum tag {
    TAG_CONTEXT = 0x4c53c701,
    TAG_MODULE,
    TAG_FUNCTION,
    TAG_LIBRARY,
    TAG_KERNEL,
    TAG_STREAM,
    TAG_EVENT,
    TAG_LINK,
    TAG_POOL,
    TAG_ARRAY,
    TAG_MIPMAP,
    TAG_END
};

/* ---- objects ---- */

struct CUstream_st {
    u32 tag;
    CUcontext ctx;
    struct queue *queue;
    unsigned flags; /* CU_STREAM_NON_BLOCKING */
    int priority;
    u64 id;
    u32 number; /* of its context's streams, the legacy one is 0 */
    bool legacy, per_thread;
    bool dead;                /* destroyed with work left: out of the list once that is done */
    pthread_t owner;          /* of a per-thread default stream */
    struct CUstream_st *next; /* in its context, hub.lock */
};

struct CUctx_st {
    u32 tag;
    u64 id;
    bool primary;
    atomic_bool alive;
    unsigned flags;
    unsigned retained; /* primary: cuDevicePrimaryCtxRetain */
    u64 generation;    /* counts resets */
    atomic_int sticky; /* CUresult of the fault that ended this context, or 0 */
    unsigned api_version;
    CUfunc_cache cache_config;
    CUsharedconfig shared_config;
    size_t pending_launches; /* of kernels' launches */
    size_t sync_depth, l2_fetch, l2_persist; /* limits that are remembered and have no effect */
    atomic_uint streams_made;
    struct CUstream_st *legacy;
    struct CUstream_st *streams; /* all but legacy; hub.lock */
    CUmodule modules;
    CUcontext next;
};

struct CUfunc_st {
    u32 tag;
    CUmodule mod;
    const struct ir_func *ir;
    int max_dynamic_shared; /* -1: not set */
    int carveout;           /* percent, -1: default */
    int nonportable_cluster, cluster_policy;
    CUfunc_cache cache;
    CUfunction next;
};

struct CUmod_st {
    u32 tag;
    CUcontext ctx; /* NULL: a library's */
    struct exec_module *exec;
    char *ptx; /* the text, for the profiler; NULL when it was linked of several */
    size_t ptx_len;
    CUfunction functions;
    CUmodule next;
};

struct CUkern_st {
    u32 tag;
    CUlibrary lib;
    char *name;
    CUfunction function; /* as of that load of the library */
    u64 load;
    CUkernel next;
};

struct CUevent_st {
    u32 tag;
    CUcontext ctx;
    unsigned flags;
    /* hub.lock: */
    struct event_point *point; /* the last record, NULL before the first */
};

struct CUmemPoolHandle_st {
    u32 tag;
    u64 release_threshold, used, used_high;
    int reuse[3]; /* follow event dependencies, opportunistic, internal */
    bool is_default;
};

/* A CUDA array: rows one after the other in an allocation of its own. */
struct CUarray_st {
    u32 tag;
    CUcontext ctx;
    u64 address;
    CUDA_ARRAY3D_DESCRIPTOR desc; /* as given: a dimension may be 0 */
    u32 texel_bytes;
    size_t rows, slices; /* at least 1; layers are slices */
    CUmipmappedArray mipmap; /* whose level this is, or NULL */
    CUarray next;        /* driver.lock */
};

/* A mipmapped array: its levels one behind the other in one allocation, each an array. */
enum { MOST_LEVELS = 18 };
struct CUmipmappedArray_st {
    u32 tag;
    CUcontext ctx;
    u64 address;
    unsigned levels;
    CUarray level[MOST_LEVELS];
    CUmipmappedArray next; /* driver.lock */
};

struct allocation {
    u64 base, size;
    u64 id;
    CUcontext ctx;
    CUmemoryPool pool;
    unsigned flags; /* cuMemHostAlloc, cuMemHostRegister, cuMemAllocManaged */
    u8 kind;        /* enum mem_kind */
};

/* ---- the driver ---- */

struct driver {
    atomic_bool ready;
    atomic_bool forked; /* in a child of fork: nothing works any more, as in CUDA */
    atomic_bool exiting;
    volatile bool cancel; /* running kernels look at it */
    pthread_mutex_t lock;
    struct hub hub;
    struct gpu gpu;
    struct exec_device device;
    CUcontext contexts; /* all that ever were */
    CUcontext primary;
    CUlibrary libraries;
    CUarray arrays;
    CUmipmappedArray mipmaps;
    struct CUmemPoolHandle_st default_pool;
    CUmemoryPool current_pool;
    /* from the environment, docs/environment.md */
    bool trace, launch_blocking, one_lane;
    unsigned workers;
    u64 seed, max_instructions;
    double max_seconds;
    pthread_mutex_t run_lock; /* leaf: of running and of what memory.c defers; memory goes only while nothing runs */
    unsigned running;         /* kernels */
    atomic_ullong next_id, launches;
};

extern struct driver drv;
extern _Thread_local bool drv_per_thread; /* the call came through a _ptsz or _ptds entry */

/* ---- handle.c ---- */
void *handle_new(enum tag tag, size_t size); /* zeroed, also its tag; NULL: no memory */
void handle_free(enum tag tag, void *handle);

/* ---- init.c, api.c ---- */
enum api_when { WHEN_ANY, WHEN_INIT, WHEN_CTX, WHEN_STUCK };
CUresult driver_enter(enum api_when when);

/* ---- log.c: the only place that writes to stderr ---- */
void drv_log(const char *fmt, ...) LS_PRINTF(1, 2);
void drv_log_text(const char *text); /* several lines, as they are */

/* ---- error.c ---- */
const char *result_name(CUresult r); /* NULL: unknown */
const char *result_text(CUresult r);
CUresult result_by_name(const char *name);
CUresult result_of(enum ls_status s);

/* ---- context.c ---- */
CUcontext ctx_current(void); /* NULL: none, or it was destroyed */
CUcontext ctx_top(void);     /* the same, destroyed or not */
bool ctx_valid(CUcontext ctx);
CUresult ctx_synchronize(CUcontext ctx); /* waits for every stream; the sticky error */
CUresult ctx_sticky(CUcontext ctx);
void ctx_poison(CUcontext ctx, CUresult r); /* the first one stays */

/* ---- stream.c ---- */
/* The stream behind a handle: 0, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are resolved. */
CUresult stream_find(CUstream handle, struct CUstream_st **out);
struct CUstream_st *stream_new(CUcontext ctx, unsigned flags, int priority); /* not in the context's list; or NULL */
/* Puts w behind all that CUDA's rules for the default stream put before it. Takes and releases hub.lock. */
CUresult stream_submit(struct CUstream_st *s, struct work *w, u64 *at); /* at (or NULL): its position in the queue */
/* The same for a short work that the caller can do at once when nothing is before it: true: do it, then stream_leave.
 */
bool stream_enter(struct CUstream_st *s, u64 *at);
void stream_leave(struct CUstream_st *s);
/* Waits until all is done that a synchronous operation on s must wait for; the sticky error. */
CUresult stream_drain(struct CUstream_st *s);
bool stream_drained(struct CUstream_st *s);
void streams_wait(CUcontext ctx);     /* for every stream of the context */
void streams_drop_all(CUcontext ctx); /* waits, and frees them */

/* ---- module.c, function.c ---- */
void module_free(CUmodule m); /* driver.lock held or nobody else knows it */
void libraries_unload(void);  /* of their device state: they load again when used. driver.lock held */
CUresult function_get(CUmodule m, const char *name, CUfunction *out);
CUresult kernel_function(CUkernel k, CUfunction *out); /* module.c */
/* The function behind a CUfunction or a CUkernel cast to it. */
CUresult function_find(CUfunction handle, CUfunction *out);
CUresult function_attribute(CUfunction f, CUfunction_attribute attrib, int *value);
CUresult function_set_attribute(CUfunction f, CUfunction_attribute attrib, int value);
CUresult function_param(CUfunction f, size_t index, size_t *offset, size_t *size);

/* ---- memory.c ---- */
CUresult memory_alloc(CUcontext ctx, size_t size, enum mem_kind kind, unsigned flags, CUmemoryPool pool, u64 *address);
void memory_free_context(CUcontext ctx); /* driver.lock held */
bool memory_find(u64 address, struct allocation *out);
bool memory_known(const void *p); /* some allocation, registered or module variable: else pageable memory of the host */
/* [address, address + size) lies in one live allocation of the device */
bool memory_covers(u64 address, size_t size);
/* A kernel starts and ends; memory that was freed meanwhile goes when none runs. */
void memory_run_begin(void);
void memory_run_end(void);
unsigned memory_running(void);

/* ---- array.c, texture.c ---- */
CUresult array_find(CUarray handle); /* CUDA_ERROR_INVALID_HANDLE unless it is a live array */
CUresult mipmap_find(CUmipmappedArray handle);
u32 array_texel_bytes(CUarray_format format, unsigned channels); /* 0: there are no such texels */
void array_free_context(CUcontext ctx);   /* the handles; driver.lock held */
void texture_free_context(CUcontext ctx); /* driver.lock held */

/* ---- occupancy.c ---- */
u32 function_blocks_per_sm(CUfunction f, u32 threads, size_t dynamic_shared);

/* ---- launch.c, profile.c ---- */
/* Where a launch was made: ids as ncu prints them. */
struct profile_place {
    u64 context, stream;
};
struct profile_place profile_place(const struct CUstream_st *s);
enum ls_status profile_run(struct exec_launch *l, CUfunction f, struct profile_place place, struct exec_fault *fault);
void profile_init(void);
bool profile_wanted(const char *kernel, struct profile_place place); /* counts the launch */
void profile_switch(bool on); /* cuProfilerStart, cuProfilerStop */

/* ---- device.c ---- */
static inline bool device_ok(CUdevice d)
{
    return d == 0;
}

/* ---- implementations ---- */
#define API(name, when, threads, n, ...) CUresult impl_##name(LS_DECL_##n(__VA_ARGS__));
#include "driver/api.def"
#undef API

#endif
