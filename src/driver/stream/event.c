/* event.c - events: a point in a stream's work and the host's time when it was reached.
 *
 * Recording makes a new point; waits and queries look at the point that was recorded last, even when the event is
 * recorded again meanwhile. Times are of the host's monotonic clock, taken when all work before the point is done.
 *
 * An event of several processes (CU_EVENT_INTERPROCESS) has no point of its own that counts: its records are numbers in
 * a page that the processes share (ipc.h), and the work that stamps a point reports there. */
#include <time.h>

#include "base/alloc.h"
#include "driver/driver.h"
#include "driver/memory/ipc.h"

struct event_point {
    struct work work; /* the stamp as a work of its stream */
    atomic_uint refs; /* the event, the stamp, and callers */
    struct queue *queue;
    u64 n;                    /* hub.lock */
    i64 ns;                   /* written before n is completed */
    struct ipc_event *shared; /* with a reference, or NULL: */
    u64 record;               /* what it is there */
};

void event_point_unref(struct event_point *p)
{
    if (!p || atomic_fetch_sub(&p->refs, 1) != 1)
        return;
    queue_unref(p->queue);
    ipc_event_unref(p->shared);
    ls_free(p);
}

static void stamp(struct work *w)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    ((struct event_point *)w)->ns = (i64)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Also when the stream failed and nothing was stamped: another process may wait. */
static void stamped(struct work *w)
{
    struct event_point *p = (struct event_point *)w;
    if (p->shared)
        ipc_event_reach(p->shared, p->record);
    event_point_unref(p);
}

bool event_valid(CUevent e) { return e && e->tag == TAG_EVENT; }

CUresult impl_cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (!phEvent || (Flags & ~known))
        return CUDA_ERROR_INVALID_VALUE;
    if ((Flags & CU_EVENT_INTERPROCESS) && !(Flags & CU_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_VALUE;
    CUevent e = handle_new(TAG_EVENT, sizeof *e);
    if (!e)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *e = (struct CUevent_st){.tag = TAG_EVENT, .ctx = ctx_current(), .flags = Flags};
    if ((Flags & CU_EVENT_INTERPROCESS) && !(e->shared = ipc_event_new())) {
        handle_free(TAG_EVENT, e);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *phEvent = e;
    return CUDA_SUCCESS;
}

CUresult impl_cuEventDestroy_v2(CUevent hEvent)
{
    if (!event_valid(hEvent))
        return CUDA_ERROR_INVALID_HANDLE;
    capture_forget(hEvent);
    TELL(event_gone, hEvent);
    event_point_unref(hEvent->point);
    ipc_event_unref(hEvent->shared);
    handle_free(TAG_EVENT, hEvent);
    return CUDA_SUCCESS;
}

CUresult impl_cuEventDestroy(CUevent hEvent) { return impl_cuEventDestroy_v2(hEvent); }

static struct event_point *point_new(struct queue *q)
{
    struct event_point *p = ls_calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->work = (struct work){.run = stamp, .release = stamped};
    atomic_init(&p->refs, 2);
    p->queue = q;
    pthread_mutex_lock(&drv.hub.lock);
    queue_ref(p->queue);
    pthread_mutex_unlock(&drv.hub.lock);
    return p;
}

/* The event now means p. */
static void attach(CUevent e, struct event_point *p, u64 n)
{
    pthread_mutex_lock(&drv.hub.lock);
    struct event_point *old = e->point;
    p->n = n;
    e->point = p;
    pthread_mutex_unlock(&drv.hub.lock);
    event_point_unref(old);
}

static void share_point(struct event_point *p, struct ipc_event *shared)
{
    ipc_event_ref(shared);
    p->shared = shared;
    p->record = ipc_event_begin(shared);
}

static CUresult record(CUevent hEvent, CUstream hStream, bool external)
{
    struct CUstream_st *s;
    if (!event_valid(hEvent))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult r = stream_find(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    if (hEvent->ctx->device != s->ctx->device)
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream_capturing(s))
        return hEvent->shared ? CUDA_ERROR_NOT_SUPPORTED : capture_record(s, hEvent, external);
    capture_forget(hEvent);
    struct event_point *p = point_new(s->queue);
    if (!p)
        return CUDA_ERROR_OUT_OF_MEMORY;
    TELL(event_recorded, s, hEvent, false);
    if (hEvent->shared)
        share_point(p, hEvent->shared);
    u64 n;
    if (stream_enter(s, &n)) {
        stamp(&p->work);
        stream_leave(s);
        attach(hEvent, p, n);
        stamped(&p->work);
        return CUDA_SUCCESS;
    }
    atomic_fetch_add(&p->refs, 1); /* ours, until it is attached */
    r = stream_submit(s, &p->work, &n);
    if (r == CUDA_SUCCESS)
        attach(hEvent, p, n);
    else
        event_point_unref(p);
    event_point_unref(p);
    return r;
}

CUresult impl_cuEventRecord(CUevent hEvent, CUstream hStream) { return record(hEvent, hStream, false); }

/* External: in a capture it becomes a node, which records the event whenever the graph runs. */
CUresult impl_cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    return flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL ? CUDA_ERROR_INVALID_VALUE : record(hEvent, hStream, flags);
}

/* ---- points of graphs: in a queue of their own, which holds one work and is entered until the node is reached ---- */

struct event_point *event_point_begin(CUevent e)
{
    struct queue *q = queue_new(&drv.hub);
    struct event_point *p = q ? point_new(q) : NULL;
    if (!p) {
        if (q)
            queue_close(q);
        return NULL;
    }
    pthread_mutex_lock(&drv.hub.lock);
    queue_enter(q);
    pthread_mutex_unlock(&drv.hub.lock);
    capture_forget(e);
    attach(e, p, 1);
    return p;
}

void event_point_reach(struct event_point *p)
{
    struct queue *q = p->queue;
    stamp(&p->work);
    queue_leave(q);
    pthread_mutex_unlock(&drv.hub.lock);
    queue_close(q); /* the remaining points keep it alive */
    event_point_unref(p);
}

/* The event's point with a reference, and whether it is reached; NULL: never recorded. */
static struct event_point *look(CUevent e, bool *reached)
{
    pthread_mutex_lock(&drv.hub.lock);
    struct event_point *p = e->point;
    *reached = !p || p->queue->completed >= p->n;
    if (p)
        atomic_fetch_add(&p->refs, 1);
    pthread_mutex_unlock(&drv.hub.lock);
    return p;
}

struct event_point *event_point_last(CUevent e)
{
    bool reached;
    return look(e, &reached);
}

void event_point_wait(struct event_point *p)
{
    queue_wait(p->queue, p->n);
    event_point_unref(p);
}

CUresult impl_cuEventQuery(CUevent hEvent)
{
    if (!event_valid(hEvent))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult r = capture_event(hEvent);
    if (r == CUDA_SUCCESS)
        r = capture_unsafe();
    if (r != CUDA_SUCCESS)
        return r;
    bool reached;
    if (hEvent->shared)
        reached = ipc_event_done(hEvent->shared, ipc_event_last(hEvent->shared));
    else
        event_point_unref(look(hEvent, &reached));
    if (!reached)
        return CUDA_ERROR_NOT_READY;
    TELL(host_waited, &(struct driver_wait){.event = hEvent});
    return ctx_sticky(hEvent->ctx);
}

CUresult impl_cuEventSynchronize(CUevent hEvent)
{
    if (!event_valid(hEvent))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult r = capture_event(hEvent);
    if (r != CUDA_SUCCESS)
        return r;
    TELL(host_waits, &(struct driver_wait){.event = hEvent});
    if (hEvent->shared) {
        ipc_event_wait(hEvent->shared, ipc_event_last(hEvent->shared));
        TELL(host_waited, &(struct driver_wait){.event = hEvent});
        return ctx_sticky(hEvent->ctx);
    }
    bool reached;
    struct event_point *p = look(hEvent, &reached);
    if (!reached)
        queue_wait(p->queue, p->n);
    event_point_unref(p);
    TELL(host_waited, &(struct driver_wait){.event = hEvent});
    return ctx_sticky(hEvent->ctx);
}

CUresult impl_cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    if (!pMilliseconds)
        return CUDA_ERROR_INVALID_VALUE;
    if (!event_valid(hStart) || !event_valid(hEnd) || ((hStart->flags | hEnd->flags) & CU_EVENT_DISABLE_TIMING) ||
        hStart->ctx->device != hEnd->ctx->device)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult r = capture_event(hStart);
    if (r == CUDA_SUCCESS)
        r = capture_event(hEnd);
    if (r != CUDA_SUCCESS)
        return r;
    bool started, ended;
    struct event_point *a = look(hStart, &started), *b = look(hEnd, &ended);
    r = !a || !b ? CUDA_ERROR_INVALID_HANDLE : started && ended ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    if (r == CUDA_SUCCESS) {
        *pMilliseconds = (float)((double)(b->ns - a->ns) * 1e-6);
        TELL(host_waited, &(struct driver_wait){.event = hStart});
        TELL(host_waited, &(struct driver_wait){.event = hEnd});
    }
    event_point_unref(a);
    event_point_unref(b);
    return r;
}

CUresult impl_cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    return impl_cuEventElapsedTime(pMilliseconds, hStart, hEnd);
}

/* ---- events of several processes ---- */

struct shared_wait {
    struct work work;
    struct ipc_event *event;
    u64 record;
};

static void shared_wait_run(struct work *w)
{
    struct shared_wait *x = (struct shared_wait *)w;
    ipc_event_wait(x->event, x->record);
}

static void shared_wait_release(struct work *w)
{
    ipc_event_unref(((struct shared_wait *)w)->event);
    ls_free(w);
}

static CUresult wait_shared(struct CUstream_st *s, CUevent hEvent)
{
    struct ipc_event *e = hEvent->shared;
    const u64 n = ipc_event_last(e);
    if (stream_capturing(s))
        return CUDA_ERROR_NOT_SUPPORTED;
    TELL(event_waited, s, hEvent, false);
    if (ipc_event_done(e, n))
        return CUDA_SUCCESS;
    struct shared_wait *x = ls_calloc(1, sizeof *x);
    if (!x)
        return CUDA_ERROR_OUT_OF_MEMORY;
    ipc_event_ref(e);
    *x =
        (struct shared_wait){.work = {.run = shared_wait_run, .release = shared_wait_release}, .event = e, .record = n};
    return stream_submit(s, &x->work, NULL);
}

CUresult impl_cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event)
{
    if (!event_valid(event) || !event->shared)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!pHandle)
        return CUDA_ERROR_INVALID_VALUE;
    return ipc_event_export(event->shared, pHandle) ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

CUresult impl_cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle)
{
    if (!phEvent)
        return CUDA_ERROR_INVALID_VALUE;
    struct ipc_event *shared;
    CUresult r = ipc_event_open(&handle, &shared);
    if (r != CUDA_SUCCESS)
        return r;
    CUevent e = handle_new(TAG_EVENT, sizeof *e);
    if (!e) {
        ipc_event_unref(shared);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *e = (struct CUevent_st){.tag = TAG_EVENT,
                             .ctx = ctx_current(),
                             .flags = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING,
                             .shared = shared};
    *phEvent = e;
    return CUDA_SUCCESS;
}

CUresult impl_cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    struct CUstream_st *s;
    if (!event_valid(hEvent))
        return CUDA_ERROR_INVALID_HANDLE;
    if (Flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = stream_find(hStream, &s);
    if (r == CUDA_SUCCESS && hEvent->shared)
        return wait_shared(s, hEvent);
    if (r != CUDA_SUCCESS || capture_wait(s, hEvent, Flags & CU_EVENT_WAIT_EXTERNAL, &r))
        return r;
    TELL(event_waited, s, hEvent, false);
    bool reached, ok = true;
    struct event_point *p = look(hEvent, &reached);
    if (!reached) {
        pthread_mutex_lock(&drv.hub.lock);
        ok = queue_push_wait(s->queue, p->queue, p->n);
        pthread_mutex_unlock(&drv.hub.lock);
    }
    event_point_unref(p);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
