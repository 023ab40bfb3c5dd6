/* driver.h - what the files of the driver share: the process's devices, contexts, modules, streams, and the state
 * behind every handle.
 *
 * Vocabulary: the *driver* is the process's state; a *handle* is a pointer to one of the structs here, whose first word
 * is a tag, so that most wrong handles are told from right ones; an *allocation* is what cuMemAlloc and its kin made.
 *
 * Locks, in the order in which they may be taken:
 *     driver.lock   contexts, modules, functions, libraries, the allocation table, pools; never held while waiting for
 *                   a stream or running a kernel
 *     hub.lock      queues (queue.h), the lists of streams, events; never held while a work runs
 * The lock of captures (capture.c) comes before both; graphs have none, as the API asks callers to take turns.
 * Sticky errors are atomics. A context's handle is never freed, so a stale one is recognised instead of followed.
 *
 * No thread waits for work while it holds driver.lock, so work items may take it. */
#ifndef LS_DRIVER_H
#define LS_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "base/gpu.h"
#include "base/settings.h"
#include "base/status.h"
#include "driver/cuda_abi.h"
#include "driver/observe/observe.h"
#include "driver/stream/op.h"
#include "driver/stream/queue.h"
#include "exec/exec.h"
#include "exec/tier/cache.h"

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
    TAG_GRAPH,
    TAG_NODE,
    TAG_GRAPH_EXEC,
    TAG_USER_OBJECT,
    TAG_MIPMAP,
    TAG_PIECE,
    TAG_END
};

/* ---- objects ---- */

struct capture;

/* Nodes that the next node of a capture comes after, and what is said of each edge. capture.c's lock. */
struct frontier {
    CUgraphNode *nodes;
    CUgraphEdgeData *data;
    size_t n;
};

struct CUstream_st {
    u32 tag;
    CUcontext ctx;
    struct queue *queue;
    unsigned flags; /* CU_STREAM_NON_BLOCKING */
    int priority;
    CUstreamAttrValue hints[CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN + 1]; /* attributes that are remembered, by number */
    u64 id;
    u32 number; /* of its context's streams, the legacy one is 0 */
    bool legacy, per_thread;
    bool dead;                         /* destroyed with work left: out of the list once that is done */
    pthread_t owner;                   /* of a per-thread default stream */
    _Atomic(struct capture *) capture; /* that it takes part in, or NULL */
    struct frontier frontier;
    struct CUstream_st *captured_next; /* in its capture */
    struct CUstream_st *next;          /* in its context, hub.lock */
};

struct CUctx_st {
    u32 tag;
    CUdevice device;
    u64 id;
    u32 peers; /* a bit a device whose memory cuCtxEnablePeerAccess opened to this context; driver.lock */
    bool primary;
    atomic_bool alive;
    unsigned flags;
    unsigned retained; /* primary: cuDevicePrimaryCtxRetain */
    u64 generation;    /* counts resets */
    atomic_int sticky; /* CUresult of the fault that ended this context, or 0 */
    unsigned api_version;
    CUfunc_cache cache_config;
    CUsharedconfig shared_config;
    size_t pending_launches;                 /* of kernels' launches */
    size_t sync_depth, l2_fetch, l2_persist; /* limits that are remembered and have no effect */
    atomic_uint streams_made;
    struct CUstream_st *legacy;
    struct CUstream_st *streams; /* all but legacy; hub.lock */
    CUmodule modules;
    CUcontext next;
};

/* What a listener keeps of a function, for as long as that lives. */
struct function_kept {
    void (*free)(struct function_kept *k);
};

struct CUfunc_st {
    u32 tag;
    CUmodule mod;
    const struct ir_func *ir;
    int max_dynamic_shared; /* -1: not set */
    int carveout;           /* percent, -1: default */
    int nonportable_cluster, cluster_policy;
    CUfunc_cache cache;
    _Atomic(struct function_kept *) kept; /* NULL: nothing yet */
    struct old_launch *old;               /* launch_old.c; NULL until one of its calls */
    CUfunction next;
};

struct CUmod_st {
    u32 tag;
    CUcontext ctx; /* NULL: a library's */
    CUdevice device;
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
    /* by device, and as of which load of the library there */
    CUfunction function[MEM_DEVICES];
    u64 load[MEM_DEVICES];
};

struct CUevent_st {
    u32 tag;
    CUcontext ctx;
    unsigned flags;
    /* hub.lock: */
    struct event_point *point; /* the last record, NULL before the first */
    struct ipc_event *shared;  /* CU_EVENT_INTERPROCESS: what the processes share; point is not used then */
    /* capture.c's lock: */
    u64 capture; /* the last record was made in this one; 0: in none */
    struct frontier frontier;
};

struct CUmemPoolHandle_st {
    u32 tag;
    u64 release_threshold, used, used_high;
    int reuse[3]; /* follow event dependencies, opportunistic, internal */
    bool is_default;
    CUdevice device;
    u16 devices; /* the others that may touch its memory, a bit each; driver.lock */
};

/* A CUDA array: rows one after the other in an allocation of its own. */
struct CUarray_st {
    u32 tag;
    CUcontext ctx;
    u64 address;
    CUDA_ARRAY3D_DESCRIPTOR desc; /* as given: a dimension may be 0 */
    u32 texel_bytes;
    size_t rows, slices;     /* at least 1; layers are slices */
    CUmipmappedArray mipmap; /* whose level this is, or NULL */
    CUarray next;            /* driver.lock */
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

struct piece;

enum { ALLOCATION_OURS = 1u << 30 }; /* a flag: made by the driver for itself */

struct allocation {
    u64 base, size;
    u64 id;
    CUcontext ctx;
    CUmemoryPool pool;
    struct piece *piece; /* of cuMemCreate, what is mapped here (vmm.c) */
    unsigned flags;      /* cuMemHostAlloc, cuMemHostRegister, cuMemAllocManaged */
    u8 kind;             /* enum mem_kind */
    bool graph;          /* a graph's: its address stays when it is freed; live between allocation and free */
    bool live, dropped;
    bool freed; /* by cuMemFreeAsync, which the stream has not come to */
    u32 holds;  /* frees that streams have not come to */
};

/* ---- the driver ---- */

struct memory_graph_use {
    u64 used, used_high, reserved, reserved_high;
};

/* One that the program sees; drv.exec has what the engine knows of it. */
struct device {
    unsigned number;            /* of the machine's devices, without regard to CUDA_VISIBLE_DEVICES */
    _Atomic(CUcontext) primary; /* NULL before its first use; never changes afterwards */
    struct CUmemPoolHandle_st default_pool;
    CUmemoryPool current_pool;
    struct memory_graph_use graph_use; /* driver.lock */
};

struct driver {
    atomic_bool ready;
    atomic_bool forked; /* in a child of fork: nothing works any more, as in CUDA */
    atomic_bool exiting;
    volatile bool cancel; /* running kernels look at it */
    pthread_mutex_t lock;
    struct hub hub;
    struct gpu gpu;
    unsigned ndevices;
    struct device devices[MEM_DEVICES];
    struct exec_device exec[MEM_DEVICES];
    struct mem *mem;    /* of all devices */
    u64 gpu_memory;     /* bytes that such a GPU has; each device may have less (init.c) */
    CUcontext contexts; /* all that ever were */
    CUlibrary libraries;
    CUarray arrays;
    CUmipmappedArray mipmaps;
    struct tier_cache tier_cache;
    struct settings settings; /* as cuInit found them; lockstep_driver_schedule changes the seed */
    pthread_mutex_t run_lock; /* leaf: guards `running` and deferred frees; memory is freed only while nothing runs */
    unsigned running;         /* kernels */
    atomic_ullong next_id, launches, graph_launches, operations;
    atomic_bool profiler_off; /* cuProfilerStop was the last to be called */
    /* Set by tools, before the first call that uses them: */
    u64 host_align;    /* alignment of memory that the host reaches by plain loads and stores */
    bool stops_at_end; /* at the process's end kernels and calls go on until the library is unloaded */
};

extern struct driver drv;
extern _Thread_local bool drv_per_thread; /* the call came through a _ptsz or _ptds entry */

/* ---- handle.c ---- */
void *handle_new(enum tag tag, size_t size); /* zeroed, also its tag; NULL: no memory */
void handle_free(enum tag tag, void *handle);

/* ---- init.c, api.c ---- */
enum api_when { WHEN_ANY, WHEN_INIT, WHEN_CTX, WHEN_STUCK };
CUresult driver_enter(enum api_when when);
void driver_stop(void); /* the process ends */

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
/* The first error stays. With several devices all of the process's are told of it, as by NVIDIA's driver (measured: a
 * trap on one H200 is what cudaDeviceSynchronize returns for the other one). */
void ctx_poison(CUcontext ctx, CUresult r);

/* ---- stream.c ---- */
/* The stream behind a handle: 0, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are resolved. */
CUresult stream_find(CUstream handle, struct CUstream_st **out);
struct CUstream_st *stream_new(CUcontext ctx, unsigned flags, int priority); /* not in the context's list; or NULL */
/* Queues w, behind waits for all work that CUDA's rules for the default stream order before it. Takes and releases
 * hub.lock. */
CUresult stream_submit(struct CUstream_st *s, struct work *w, u64 *at); /* at (or NULL): its position in the queue */
/* The same for a short work. True: nothing is before it; the caller does it now, then calls stream_leave.
 */
bool stream_enter(struct CUstream_st *s, u64 *at);
void stream_leave(struct CUstream_st *s);
/* The same for an operation, whose reference it takes; when s is being captured, the operation becomes a node. */
CUresult stream_submit_op(struct CUstream_st *s, struct op *op);
/* An operation found that its memory is gone: an illegal address, the context's sticky error. */
void stream_fault(CUcontext ctx, const char *what, const void *at);
/* Waits until all is done that a synchronous operation on s must wait for; the sticky error. */
CUresult stream_drain(struct CUstream_st *s);
/* stream_after: the next work of s comes after all work that the other context's streams have now. stream_before: the
 * next work of the other context's blocking streams comes after all work that s has now. */
void stream_after(struct CUstream_st *s, CUcontext other);
void stream_before(struct CUstream_st *s, CUcontext other);
CUresult launch_wait(struct CUstream_st *s); /* for the launch just put into s, if launches are waited for */
bool stream_drained(struct CUstream_st *s);
/* Emits host_waited for a copy or fill by a function without Async, unless it touches device memory only. Addresses:
 * what it touched; NULL: none. */
void stream_host_did(const struct CUstream_st *s, const void *to, const void *from);
/* Where a launch is made: ids as ncu prints them; and whether profiling is switched on. */
struct launch_place {
    u64 context, stream;
    u32 device;
    bool profiled;
};
struct launch_place stream_place(const struct CUstream_st *s);
/* A new operation's number; tells op_put. launch, kernel, graph: as in struct driver_put. */
u64 stream_number(const struct CUstream_st *s, u64 launch, const char *kernel, const void *graph);
void streams_wait(CUcontext ctx);     /* for every stream of the context */
bool ctx_idle(CUcontext ctx);         /* all of them have nothing to do */
void streams_drop_all(CUcontext ctx); /* waits, and frees them */

/* ---- capture.c ---- */
static inline bool stream_capturing(const struct CUstream_st *s)
{
    return atomic_load_explicit(&s->capture, memory_order_acquire) != NULL;
}
/* Makes op a node of the capture of s and takes its reference, and the bodies, also on failure. */
CUresult capture_op(struct CUstream_st *s, struct op *op, CUgraph *bodies, unsigned nbodies);
/* What is not allowed while a capture is under way fails with these, and invalidates the capture: */
CUresult capture_forbids(struct CUstream_st *s); /* the caller would wait for s, or work in it could not be a node */
CUresult capture_unsafe(void);                   /* may have effects that a capture in this thread's mode forbids */
CUresult capture_implicit(CUcontext ctx, bool invalidate); /* uses the legacy stream */
CUresult capture_context(CUcontext ctx);                   /* waits for the whole context */
CUresult capture_event(CUevent e);                         /* waits for the event, or asks for it */
CUresult capture_record(struct CUstream_st *s, CUevent e, bool external);
void capture_forget(CUevent e); /* it is recorded outside of captures, or destroyed */
/* True: the wait belonged to a capture; *r is its result. */
bool capture_wait(struct CUstream_st *s, CUevent e, bool external, CUresult *r);
void capture_leave(struct CUstream_st *s); /* the stream is destroyed */

/* ---- event.c: points of graphs, each reached when its node is ---- */
struct event_point;
bool event_valid(CUevent e);
struct event_point *event_point_begin(CUevent e); /* the event now means this point; NULL: no memory */
void event_point_reach(struct event_point *p);    /* takes the reference */
void event_point_unref(struct event_point *p);    /* or NULL */
struct event_point *event_point_last(CUevent e);  /* NULL: never recorded */
void event_point_wait(struct event_point *p);     /* takes the reference */

/* ---- module.c, function.c ---- */
void module_free(CUmodule m);           /* driver.lock held, or no other thread has it yet */
void libraries_unload(CUdevice device); /* of their state there: they load again when used. driver.lock held */
CUresult function_get(CUmodule m, const char *name, CUfunction *out);
CUresult kernel_function(CUkernel k, CUdevice device, CUfunction *out); /* module.c */
/* The function behind a CUfunction or a CUkernel cast to it, which is that of the current device. */
CUresult function_find(CUfunction handle, CUfunction *out);
/* The same for that context: CUDA_ERROR_INVALID_HANDLE when it is a function of another one. */
CUresult function_find_for(CUcontext ctx, CUfunction handle, CUfunction *out);
CUresult function_attribute(CUfunction f, CUfunction_attribute attrib, int *value);
CUresult function_set_attribute(CUfunction f, CUfunction_attribute attrib, int value);
/* The largest block that is launched. How many registers a thread has is an estimate, and may be half too high: what a GPU may take is
 * not refused. */
u32 function_launch_threads(CUfunction f);
CUresult function_param(CUfunction f, size_t index, size_t *offset, size_t *size);

/* ---- allocate.c ---- */
CUresult memory_alloc(CUcontext ctx, size_t size, enum mem_kind kind, unsigned flags, CUmemoryPool pool, u64 *address);
bool memory_known(const void *p); /* some allocation, registered or module variable: else pageable memory of the host */
/* [address, address + size) lies in one live allocation of the device, or in mappings that touch; to be written: and may
 * be. What a program maps for reading only may not; constants may, by the host. */
bool memory_covers(u64 address, size_t size, bool write);
bool memory_reaches(CUcontext ctx, u64 address, size_t size); /* and the context's device may write there */

/* ---- allocation_table.c ---- */
void memory_free_context(CUcontext ctx); /* driver.lock held */
bool memory_find(u64 address, struct allocation *out);
void memory_pool_rights(CUmemoryPool pool); /* of all of its allocations, as the pool has them now. driver.lock held */
struct allocation *memory_all(size_t *n);   /* a copy of the table, for ls_free; NULL: it is empty, or no memory */
/* Allocations made by vmm.c and ipc.c: into the table and out of it. */
bool memory_adopt(const struct allocation *a);
bool memory_forget(u64 base, struct allocation *out);
/* Memory of graphs: a fixed address, which is live from a launch that allocates it to a free. Identified by id also. */
CUresult memory_graph_alloc(CUcontext ctx, size_t size, u64 *address, u64 *id);
void memory_graph_drop(u64 address, u64 id);        /* its graphs are gone */
bool memory_graph_set_live(u64 address, bool live); /* what it was */
struct memory_graph_use memory_graph_use(CUdevice device, bool reset_used, bool reset_reserved);

/* ---- deferred_free.c, free_async.c ---- */
void memory_give_back(const struct allocation *a); /* frees it when no kernel runs */
void memory_free_now(u64 address);                 /* what cuMemFreeAsync does when the stream gets there */
/* A kernel begins and ends; memory that was freed meanwhile is given back when none runs. */
void memory_run_begin(void);
/* The same, and no other operation runs until memory_run_end; false: others did not end in time and may go on. */
bool memory_run_begin_alone(void);
void memory_run_end(void);
unsigned memory_running(void);

/* ---- array.c, texture_object.c ---- */
CUresult array_find(CUarray handle); /* CUDA_ERROR_INVALID_HANDLE unless it is a live array */
CUresult mipmap_find(CUmipmappedArray handle);
u32 array_texel_bytes(CUarray_format format, unsigned channels); /* 0: there are no such texels */
void array_free_context(CUcontext ctx);                          /* the handles; driver.lock held */
void texture_free_context(CUcontext ctx);                        /* driver.lock held */

/* ---- occupancy.c ---- */
u32 function_blocks_per_sm(CUfunction f, u32 threads, size_t dynamic_shared);
/* A carve-out in percent, in KiB, which the model rounds up to one that there is; -1: none is asked for. */
i32 carveout_kib(int percent);
/* The most blocks that a cluster of the function may have: 8, or 16 if it is told not to be portable. */
u32 function_cluster_most(CUfunction f);

/* ---- launch.c ---- */
const char *kernel_op_name(const struct op *op);
/* For a stream that runs a graph. wanted: by a tool (launcher.h). */
void kernel_op_run(const struct op *op, struct launch_place place, bool wanted);

/* ---- visible.c ---- */
CUresult devices_find(void); /* which there are: drv.ndevices and drv.devices */

static inline bool device_ok(CUdevice d) { return d >= 0 && (unsigned)d < drv.ndevices; }
u64 access_window_most(void);                                /* bytes of an access policy window */
CUresult access_window_check(const CUaccessPolicyWindow *w); /* of a stream, a launch or a node */

CUdevice device_now(void); /* of the current context, or the first one */

/* ---- peer.c ---- */
/* The context ends: closes the access that it opened, and the access that others opened to it. driver.lock held */
void peers_end(CUcontext ctx);
CUdevice memory_device(u64 address); /* the device that owns it; 0 for unknown addresses */
/* When s is a default stream and p is memory of another device: calls `order` for each context of that device, because
 * a copy between devices in the default stream comes after all earlier work of both and before all later work.
 */
void peers_order(struct CUstream_st *s, const void *p, void (*order)(struct CUstream_st *s, CUcontext other));

/* ---- implementations ---- */
#define API(name, when, threads, n, ...) CUresult impl_##name(LS_DECL_##n(__VA_ARGS__));
#include "driver/api.def"
#undef API

#endif
