/* stream.c - streams and the rules of the default stream.
 *
 * A stream is a queue (queue.h). The legacy default stream waits for all work that blocking streams of its context got
 * before, and they wait for it; both are waits pushed before the work itself. Non-blocking streams take no part.
 * A stream that is destroyed with work left stays in its context's list, dead, until that is done: the default stream
 * must still wait for it. */
#include <string.h>

#include "base/alloc.h"
#include "base/locked.h"
#include "driver/driver.h"
#include "driver/observe/launcher.h"

struct CUstream_st *stream_new(CUcontext ctx, unsigned flags, int priority)
{
    struct CUstream_st *s = handle_new(TAG_STREAM, sizeof *s);
    struct queue *q = s ? queue_new(&drv.hub) : NULL;
    if (!q) {
        handle_free(TAG_STREAM, s);
        return NULL;
    }
    *s = (struct CUstream_st){.tag = TAG_STREAM, .ctx = ctx, .queue = q, .flags = flags, .priority = priority};
    s->id = atomic_fetch_add(&drv.next_id, 1) + 1;
    s->number = atomic_fetch_add(&ctx->streams_made, 1);
    return s;
}

static void stream_free(struct CUstream_st *s)
{
    capture_leave(s);
    TELL(stream_gone, s);
    queue_close(s->queue);
    handle_free(TAG_STREAM, s);
}

static bool blocking(const struct CUstream_st *s) { return !(s->flags & CU_STREAM_NON_BLOCKING); }

/* hub.lock held: takes dead streams that have finished out of the list and returns them, for freeing without it. */
static struct CUstream_st *take_finished(CUcontext ctx)
{
    LS_LOCKED(&drv.hub.lock);
    struct CUstream_st *out = NULL;
    for (struct CUstream_st **at = &ctx->streams; *at;) {
        struct CUstream_st *s = *at;
        if (s->dead && queue_idle(s->queue)) {
            *at = s->next;
            s->next = out;
            out = s;
        } else {
            at = &s->next;
        }
    }
    return out;
}

static void free_list(struct CUstream_st *s)
{
    while (s) {
        struct CUstream_st *next = s->next;
        stream_free(s);
        s = next;
    }
}

static CUresult add(CUcontext ctx, struct CUstream_st *s)
{
    pthread_mutex_lock(&drv.hub.lock);
    struct CUstream_st *finished = take_finished(ctx);
    s->next = ctx->streams;
    ctx->streams = s;
    pthread_mutex_unlock(&drv.hub.lock);
    free_list(finished);
    return CUDA_SUCCESS;
}

/* The calling thread's own default stream, made when first used. */
static struct CUstream_st *per_thread(CUcontext ctx)
{
    pthread_t self = pthread_self();
    pthread_mutex_lock(&drv.hub.lock);
    struct CUstream_st *s = ctx->streams;
    while (s && !(s->per_thread && pthread_equal(s->owner, self)))
        s = s->next;
    pthread_mutex_unlock(&drv.hub.lock);
    if (s)
        return s;
    s = stream_new(ctx, 0, 0);
    if (!s)
        return NULL;
    s->per_thread = true;
    s->owner = self;
    add(ctx, s);
    return s;
}

CUresult stream_find(CUstream handle, struct CUstream_st **out)
{
    CUcontext ctx = ctx_current();
    if (handle == CU_STREAM_PER_THREAD || (!handle && drv_per_thread))
        *out = per_thread(ctx);
    else if (!handle || handle == CU_STREAM_LEGACY) {
        *out = ctx->legacy;
        return capture_implicit(ctx, true);
    } else if (handle->tag != TAG_STREAM || handle->dead)
        return CUDA_ERROR_INVALID_HANDLE;
    else
        *out = handle;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- order ---- */

/* hub.lock held: nothing is before a work that would be put into s now. */
static bool ready(const struct CUstream_st *s)
{
    if (!queue_idle(s->queue))
        return false;
    if (!s->legacy)
        return !blocking(s) || queue_idle(s->ctx->legacy->queue);
    for (const struct CUstream_st *t = s->ctx->streams; t; t = t->next)
        if (blocking(t) && !queue_idle(t->queue))
            return false;
    return true;
}

/* hub.lock held: the waits that the default stream's rules ask for. */
static bool push_waits(struct CUstream_st *s)
{
    LS_LOCKED(&drv.hub.lock);
    struct queue *legacy = s->ctx->legacy->queue;
    if (!s->legacy)
        return !blocking(s) || queue_push_wait(s->queue, legacy, legacy->submitted);
    for (struct CUstream_st *t = s->ctx->streams; t; t = t->next)
        if (blocking(t) && !queue_push_wait(s->queue, t->queue, t->queue->submitted))
            return false;
    return true;
}

CUresult stream_submit(struct CUstream_st *s, struct work *w, u64 *at)
{
    pthread_mutex_lock(&drv.hub.lock);
    bool waits = push_waits(s);
    bool ok = waits && queue_push(s->queue, w);
    if (at)
        *at = s->queue->submitted;
    pthread_mutex_unlock(&drv.hub.lock);
    if (!waits)
        w->release(w);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

u64 stream_number(const struct CUstream_st *s, u64 launch, const char *kernel, const void *graph)
{
    const u64 number = atomic_fetch_add_explicit(&drv.operations, 1, memory_order_relaxed) + 1;
    TELL(op_put, &(struct driver_put){number, s, launch, kernel, graph});
    return number;
}

CUresult stream_submit_op(struct CUstream_st *s, struct op *op)
{
    if (stream_capturing(s))
        return capture_op(s, op, NULL, 0);
    if (!op->work.number)
        op->work.number = stream_number(s, 0, NULL, NULL);
    return stream_submit(s, &op->work, NULL);
}

void stream_fault(CUcontext ctx, const char *what, const void *at)
{
    drv_log("%s touches memory that is not allocated (any more), at %p", what, at);
    ctx_poison(ctx, CUDA_ERROR_ILLEGAL_ADDRESS);
}

bool stream_enter(struct CUstream_st *s, u64 *at)
{
    if (stream_capturing(s))
        return false;
    pthread_mutex_lock(&drv.hub.lock);
    bool free_now = ready(s);
    if (free_now)
        queue_enter(s->queue);
    if (at)
        *at = s->queue->submitted;
    pthread_mutex_unlock(&drv.hub.lock);
    if (free_now)
        queue_doing = stream_number(s, 0, NULL, NULL);
    return free_now;
}

void stream_leave(struct CUstream_st *s)
{
    queue_doing = 0;
    queue_leave(s->queue);
    pthread_mutex_unlock(&drv.hub.lock);
}

/* ---- waiting ---- */

/* A position in a queue, with a reference. */
struct point {
    struct queue *queue;
    u64 n;
};

enum scope { SCOPE_ALL, SCOPE_BLOCKING };

/* hub.lock held. */
static void take_point(struct CUstream_st *s, struct point *points, unsigned *n)
{
    if (queue_idle(s->queue))
        return;
    queue_ref(s->queue);
    points[(*n)++] = (struct point){s->queue, s->queue->submitted};
}

/* Where the context's streams stand now. NULL with *n == 0 when all are idle; NULL with *n != 0: no memory. */
static struct point *collect(CUcontext ctx, enum scope scope, unsigned *n)
{
    unsigned count = 1, busy = 0;
    pthread_mutex_lock(&drv.hub.lock);
    busy += !queue_idle(ctx->legacy->queue);
    for (struct CUstream_st *s = ctx->streams; s; s = s->next) {
        count++;
        busy += !queue_idle(s->queue);
    }
    struct point *points = busy ? ls_calloc(count, sizeof *points) : NULL;
    *n = 0;
    if (points) {
        take_point(ctx->legacy, points, n);
        for (struct CUstream_st *s = ctx->streams; s; s = s->next)
            if (scope == SCOPE_ALL || blocking(s))
                take_point(s, points, n);
    } else {
        *n = busy;
    }
    pthread_mutex_unlock(&drv.hub.lock);
    return points;
}

static void wait_scope(CUcontext ctx, enum scope scope)
{
    unsigned n;
    struct point *points = collect(ctx, scope, &n);
    for (unsigned i = 0; points && i < n; i++) {
        queue_wait(points[i].queue, points[i].n);
        queue_unref(points[i].queue);
    }
    ls_free(points);
    if (!points && n) /* no memory for a list: the default stream at least */
        queue_wait(ctx->legacy->queue, ctx->legacy->queue->submitted);
}

void streams_wait(CUcontext ctx) { wait_scope(ctx, SCOPE_ALL); }

/* Waits for the works that s has now. */
static void wait_own(struct CUstream_st *s)
{
    pthread_mutex_lock(&drv.hub.lock);
    struct queue *q = s->queue;
    bool busy = !queue_idle(q);
    u64 n = q->submitted;
    if (busy)
        queue_ref(q);
    pthread_mutex_unlock(&drv.hub.lock);
    if (!busy)
        return;
    queue_wait(q, n);
    queue_unref(q);
}

CUresult stream_drain(struct CUstream_st *s)
{
    CUcontext ctx = s->ctx;
    if (s->legacy) {
        wait_scope(ctx, SCOPE_BLOCKING);
    } else {
        if (blocking(s))
            wait_own(ctx->legacy);
        wait_own(s);
    }
    return ctx_sticky(ctx);
}

/* hub.lock held. Without memory for a wait the order is lost; a work that is put in next fails for the same reason. */
static void follow(struct CUstream_st *s, struct CUstream_st *before)
{
    queue_push_wait(s->queue, before->queue, before->queue->submitted);
    if (s != before)
        TELL(stream_joined, s, before);
}

void stream_after(struct CUstream_st *s, CUcontext other)
{
    pthread_mutex_lock(&drv.hub.lock);
    if (other->legacy)
        follow(s, other->legacy);
    for (struct CUstream_st *t = other->streams; t; t = t->next)
        follow(s, t);
    pthread_mutex_unlock(&drv.hub.lock);
}

void stream_before(struct CUstream_st *s, CUcontext other)
{
    pthread_mutex_lock(&drv.hub.lock);
    if (other->legacy)
        follow(other->legacy, s);
    pthread_mutex_unlock(&drv.hub.lock);
}

CUresult launch_wait(struct CUstream_st *s)
{
    if (drv.settings.launch_blocking) {
        const CUresult r = stream_drain(s);
        TELL(host_waited, &(struct driver_wait){.stream = s});
        return r;
    }
    if (driver_launcher.alone) /* the program has no handle of it */
        stream_drain(s);
    return CUDA_SUCCESS;
}

static bool of_device(const void *p)
{
    struct allocation a;
    if (!p)
        return true;
    if (!memory_find((u64)(uintptr_t)p, &a))
        return memory_known(p); /* a module's variable */
    return a.kind != MEM_PINNED && a.kind != MEM_REGISTERED && a.kind != MEM_MANAGED;
}

/* As the manual says, and not as this driver happens to work: a fill of device memory by cudaMemset is asynchronous,
 * and so is a copy between device memory; the host goes on without knowing that they are done. */
void stream_host_did(const struct CUstream_st *s, const void *to, const void *from)
{
    if (HEARD(host_waited) && !(of_device(to) && of_device(from)))
        TELL(host_waited, &(struct driver_wait){.stream = s});
}

/* The default stream is ncu's stream 7; contexts are counted in the order in which they were made. */
struct launch_place stream_place(const struct CUstream_st *s)
{
    struct launch_place p = {.stream = s->number ? 12 + s->number : 7,
                             .device = (u32)s->ctx->device,
                             .profiled = !atomic_load(&drv.profiler_off)};
    for (CUcontext c = s->ctx; c; c = c->next) /* the newest context is first */
        p.context++;
    return p;
}

bool stream_drained(struct CUstream_st *s)
{
    pthread_mutex_lock(&drv.hub.lock);
    bool idle = s->legacy ? ready(s) : queue_idle(s->queue);
    pthread_mutex_unlock(&drv.hub.lock);
    return idle;
}

bool ctx_idle(CUcontext ctx)
{
    pthread_mutex_lock(&drv.hub.lock);
    bool idle = !ctx->legacy || queue_idle(ctx->legacy->queue);
    for (struct CUstream_st *s = ctx->streams; s && idle; s = s->next)
        idle = queue_idle(s->queue);
    pthread_mutex_unlock(&drv.hub.lock);
    return idle;
}

void streams_drop_all(CUcontext ctx)
{
    streams_wait(ctx);
    pthread_mutex_lock(&drv.hub.lock);
    struct CUstream_st *list = ctx->streams, *legacy = ctx->legacy;
    ctx->streams = ctx->legacy = NULL;
    pthread_mutex_unlock(&drv.hub.lock);
    free_list(list);
    if (legacy)
        stream_free(legacy);
}

/* ---- entry points ---- */

enum { PRIORITY_GREATEST = -5, PRIORITY_LEAST = 0 };

CUresult impl_cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    if (!phStream || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING))
        return CUDA_ERROR_INVALID_VALUE;
    if (priority < PRIORITY_GREATEST)
        priority = PRIORITY_GREATEST;
    if (priority > PRIORITY_LEAST)
        priority = PRIORITY_LEAST;
    CUcontext ctx = ctx_current();
    struct CUstream_st *s = stream_new(ctx, flags, priority);
    if (!s)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *phStream = s;
    return add(ctx, s);
}

CUresult impl_cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    return impl_cuStreamCreateWithPriority(phStream, Flags, 0);
}

CUresult impl_cuStreamDestroy_v2(CUstream hStream)
{
    if (!hStream || hStream == CU_STREAM_LEGACY || hStream == CU_STREAM_PER_THREAD || hStream->tag != TAG_STREAM ||
        hStream->dead || hStream->legacy)
        return CUDA_ERROR_INVALID_HANDLE;
    CUcontext ctx = hStream->ctx;
    capture_leave(hStream);
    pthread_mutex_lock(&drv.hub.lock);
    hStream->dead = true;
    struct CUstream_st *finished = take_finished(ctx);
    pthread_mutex_unlock(&drv.hub.lock);
    free_list(finished);
    return CUDA_SUCCESS;
}

CUresult impl_cuStreamDestroy(CUstream hStream) { return impl_cuStreamDestroy_v2(hStream); }

/* The stream, for a call that a stream which is being captured forbids. */
static CUresult find_uncaptured(CUstream stream, struct CUstream_st **s)
{
    const CUresult r = stream_find(stream, s);
    return r == CUDA_SUCCESS && stream_capturing(*s) ? capture_forbids(*s) : r;
}

CUresult impl_cuStreamSynchronize(CUstream hStream)
{
    struct CUstream_st *s;
    CUresult r = find_uncaptured(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    TELL(host_waits, &(struct driver_wait){.stream = s});
    if (s->legacy)
        stream_drain(s);
    else
        wait_own(s);
    TELL(host_waited, &(struct driver_wait){.stream = s});
    return ctx_sticky(s->ctx);
}

CUresult impl_cuStreamQuery(CUstream hStream)
{
    struct CUstream_st *s;
    CUresult r = find_uncaptured(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    if (!stream_drained(s))
        return CUDA_ERROR_NOT_READY;
    TELL(host_waited, &(struct driver_wait){.stream = s});
    return ctx_sticky(s->ctx);
}

/* GETTER(function, type of the result, value): what a stream is. */
#define GETTER(function, type, value)                                                                                  \
    CUresult impl_##function(CUstream hStream, type *out)                                                              \
    {                                                                                                                  \
        struct CUstream_st *s;                                                                                         \
        CUresult r = stream_find(hStream, &s);                                                                         \
        if (r != CUDA_SUCCESS)                                                                                         \
            return r;                                                                                                  \
        if (!out)                                                                                                      \
            return CUDA_ERROR_INVALID_VALUE;                                                                           \
        *out = value;                                                                                                  \
        return CUDA_SUCCESS;                                                                                           \
    }

GETTER(cuStreamGetPriority, int, s->priority)
GETTER(cuStreamGetFlags, unsigned int, s->flags)
GETTER(cuStreamGetId, unsigned long long, s->id)
GETTER(cuStreamGetCtx, CUcontext, s->ctx)
GETTER(cuStreamGetDevice, CUdevice, s->ctx->device)

CUresult impl_cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    if (pGreenCtx)
        *pGreenCtx = NULL; /* there are none */
    return impl_cuStreamGetCtx(hStream, pCtx);
}

/* Managed memory is visible everywhere at once. */
CUresult impl_cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags)
{
    struct CUstream_st *s;
    (void)length;
    CUresult r = find_uncaptured(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation a;
    return memory_find(dptr, &a) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The attributes that streams have. All but the priority are hints, which are remembered and have no effect. */
static bool stream_has(CUstreamAttrID attr)
{
    return attr == CU_LAUNCH_ATTRIBUTE_PRIORITY || attr == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW ||
           attr == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY || attr == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
           attr == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
}

CUresult impl_cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out)
{
    struct CUstream_st *s;
    CUresult r = stream_find(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    if (!value_out || !stream_has(attr))
        return CUDA_ERROR_INVALID_VALUE;
    *value_out = s->hints[attr];
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        value_out->priority = s->priority;
    return CUDA_SUCCESS;
}

CUresult impl_cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value)
{
    struct CUstream_st *s;
    CUresult r = stream_find(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    if (!value || !stream_has(attr))
        return CUDA_ERROR_INVALID_VALUE;
    if (attr == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
        r = access_window_check(&value->accessPolicyWindow);
    if (r != CUDA_SUCCESS)
        return r;
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        s->priority = value->priority;
    else
        s->hints[attr] = *value;
    return CUDA_SUCCESS;
}

CUresult impl_cuStreamCopyAttributes(CUstream dst, CUstream src)
{
    struct CUstream_st *d, *s;
    CUresult r = stream_find(dst, &d);
    if (r == CUDA_SUCCESS)
        r = stream_find(src, &s);
    if (r != CUDA_SUCCESS)
        return r;
    d->priority = s->priority;
    memmove(d->hints, s->hints, sizeof d->hints);
    return CUDA_SUCCESS;
}

/* ---- host functions ---- */

struct host_work {
    struct op op;
    CUstream handle;
    CUstreamCallback callback;
    void *data;
};

/* After an error a host function is not called; a callback is called with the error. */
static void host_run(struct work *w)
{
    const struct op *op = (const struct op *)w;
    TELL(host_waited, &(struct driver_wait){.op = queue_doing});
    if (ctx_sticky(op->ctx) == CUDA_SUCCESS)
        op->params.host.fn(op->params.host.userData);
}

static void callback_run(struct work *w)
{
    struct host_work *h = (struct host_work *)w;
    TELL(host_waited, &(struct driver_wait){.op = queue_doing});
    h->callback(h->handle, ctx_sticky(h->op.ctx), h->data);
}

struct op *host_op(CUcontext ctx, CUhostFn fn, void *data)
{
    struct op *op = op_new(sizeof *op, CU_GRAPH_NODE_TYPE_HOST, ctx, host_run);
    if (op)
        op->params.host = (CUDA_HOST_NODE_PARAMS){fn, data};
    return op;
}

CUresult impl_cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    struct CUstream_st *s;
    if (!fn)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = stream_find(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    struct op *op = host_op(s->ctx, fn, userData);
    if (!stream_capturing(s))
        TELL(asked, &(struct driver_ask){.what = ASKED_HOST, .stream = s});
    return op ? stream_submit_op(s, op) : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult impl_cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags)
{
    struct CUstream_st *s;
    if (!callback || flags)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = find_uncaptured(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    struct host_work *h = (struct host_work *)op_new(sizeof *h, CU_GRAPH_NODE_TYPE_HOST, s->ctx, callback_run);
    if (!h)
        return CUDA_ERROR_OUT_OF_MEMORY;
    h->handle = hStream;
    h->callback = callback;
    h->data = userData;
    TELL(asked, &(struct driver_ask){.what = ASKED_HOST, .stream = s});
    return stream_submit_op(s, &h->op);
}
