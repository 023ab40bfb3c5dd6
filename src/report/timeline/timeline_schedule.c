/* timeline_schedule.c - when what a program asked for would have run.
 *
 * Each thread of the host makes its calls in order. A call that puts work into a stream, or allocates, takes launch_ns
 * of the GPU's file; the others nothing, but for waiting. What is put into a stream is an operation: it starts when it
 * was issued, what was before it in its stream is done, the events that its stream waits for have come, the rules of the
 * default stream are kept, and there is room for it:
 *
 *     copy from the host, to the host   one at a time each way: copy_latency_ns + bytes / the link's rate for that kind
 *                                       of memory
 *     copy or fill in the device        2 x bytes, or bytes, / DRAM's rate, at least launch_ns
 *     kernel                            its modelled time, launch_ns if it was not recorded; kernels run side by side as long as
 *                                       their blocks fit on the SMs together
 *
 * An operation that nobody waits for yet is scheduled as late as possible, so that of several that could start the one
 * that is ready first does, as by the hardware's queues. */
#include <math.h>
#include <string.h>

#include "report/timeline/timeline.h"

enum engine { ENGINE_NONE, ENGINE_HTOD, ENGINE_DTOH, ENGINE_SMS, ENGINES };

struct op {
    u32 item, stream;
    enum engine engine;
    double seconds, share; /* share of the SMs, 0 to 1 */
    double issued, end;
    u32 deps, ndeps; /* in model.deps */
    i32 next;        /* in its stream, or -1 */
    bool done;
};

struct stream {
    u64 context, number;
    u32 device;
    bool blocking;
    i32 first; /* the first that is not scheduled, or -1 */
    i32 last;  /* the last that was issued, or -1 */
    double tail;
};

/* A device's copy engines: when each is free again. */
struct engines {
    double free_at[ENGINES];
};

struct running {
    u32 device;
    double end, share;
};

struct model {
    struct timeline *t;
    const struct gpu *gpu;
    struct arena *mem;
    VEC(struct op) ops;
    VEC(i32) deps;
    VEC(struct stream) streams;
    VEC(struct running) running;
    VEC(double) host; /* by thread */
    VEC(u32) open;    /* calls that have not returned, all threads' */
    struct {
        u64 event;
        i32 op;
    } *events;
    u32 nevents;
    VEC(struct engines) engines; /* by device */
    double call;                 /* seconds of a call that puts work into a stream */
};

static double latest(double a, double b) { return a > b ? a : b; }

/* ---- scheduling ---- */

/* The first time from `at` on when `share` of the device's SMs is free. */
static double room_at(const struct model *m, u32 device, double at, double share)
{
    for (;;) {
        double used = 0, next = INFINITY;
        for (u32 i = 0; i < m->running.len; i++)
            if (m->running.at[i].device == device && m->running.at[i].end > at) {
                used += m->running.at[i].share;
                next = m->running.at[i].end < next ? m->running.at[i].end : next;
            }
        if (used + share <= 1 + 1e-9 || next == INFINITY)
            return at;
        at = next;
    }
}

/* INFINITY: something that it waits for is not scheduled yet. */
static double could_start(const struct model *m, const struct op *o)
{
    double at = latest(o->issued, m->streams.at[o->stream].tail);
    for (u32 i = 0; i < o->ndeps; i++) {
        const struct op *d = &m->ops.at[m->deps.at[o->deps + i]];
        at = latest(at, d->done ? d->end : INFINITY);
    }
    if (at == INFINITY || o->engine == ENGINE_NONE)
        return at;
    const u32 device = m->streams.at[o->stream].device;
    return o->engine == ENGINE_SMS ? room_at(m, device, at, o->share)
                                   : latest(at, m->engines.at[device].free_at[o->engine]);
}

static void run_on_sms(struct model *m, const struct op *o, double start)
{
    u32 kept = 0;
    for (u32 i = 0; i < m->running.len; i++)
        if (m->running.at[i].end > start)
            m->running.at[kept++] = m->running.at[i];
    m->running.len = kept;
    vec_push(m->mem, &m->running,
             ((struct running){.device = m->streams.at[o->stream].device, .end = o->end, .share = o->share}));
}

static void place(struct model *m, i32 index, double start)
{
    struct op *o = &m->ops.at[index];
    struct stream *s = &m->streams.at[o->stream];
    o->end = start + o->seconds;
    o->done = true;
    if (o->engine == ENGINE_SMS)
        run_on_sms(m, o, start);
    else
        m->engines.at[s->device].free_at[o->engine] = o->end;
    s->tail = o->end;
    s->first = o->next;
    m->t->items.at[o->item].start = start;
    m->t->items.at[o->item].seconds = o->seconds;
}

/* The stream heads' earliest, of equals the one that was issued first. What is waited for was issued before, so one of
 * the heads can start. */
static void schedule_one(struct model *m)
{
    i32 best = -1;
    double start = INFINITY;
    for (u32 s = 0; s < m->streams.len; s++) {
        const i32 head = m->streams.at[s].first;
        const double at = head < 0 ? INFINITY : could_start(m, &m->ops.at[head]);
        if (at < start || (at == start && best >= 0 && head < best)) {
            best = head;
            start = at;
        }
    }
    LS_BUG_ON(best < 0);
    place(m, best, start);
}

static void finish(struct model *m, i32 op)
{
    while (op >= 0 && !m->ops.at[op].done)
        schedule_one(m);
}

/* ---- the host ---- */

static double *host(struct model *m, u32 thread)
{
    while (m->host.len <= thread)
        vec_push(m->mem, &m->host, 0.0);
    return &m->host.at[thread];
}

static void host_waits(struct model *m, u32 thread, i32 op)
{
    finish(m, op);
    if (op >= 0)
        *host(m, thread) = latest(*host(m, thread), m->ops.at[op].end);
}

static u32 stream_of(struct model *m, const struct timeline_item *i)
{
    for (u32 s = 0; s < m->streams.len; s++)
        if (m->streams.at[s].context == i->context && m->streams.at[s].number == i->stream)
            return s;
    while (m->engines.len <= i->device)
        vec_push(m->mem, &m->engines, (struct engines){0});
    vec_push(m->mem, &m->streams,
             ((struct stream){.context = i->context,
                              .number = i->stream,
                              .device = i->device,
                              .blocking = i->blocking,
                              .first = -1,
                              .last = -1}));
    return m->streams.len - 1;
}

static bool is_default(const struct stream *s) { return s->number == 7; /* as ncu numbers it */ }

/* ---- operations ---- */

static void depend(struct model *m, struct op *o, i32 on)
{
    if (on < 0)
        return;
    vec_push(m->mem, &m->deps, on);
    o->ndeps++;
}

/* The default stream waits for what blocking streams of its context got before, and they for it. */
static void keep_default_rules(struct model *m, struct op *o)
{
    const struct stream *s = &m->streams.at[o->stream];
    for (u32 i = 0; s->blocking && i < m->streams.len; i++) {
        const struct stream *x = &m->streams.at[i];
        if (i != o->stream && x->blocking && x->context == s->context && is_default(s) != is_default(x))
            depend(m, o, x->last);
    }
}

static i32 recorded(const struct model *m, u64 event)
{
    for (u32 i = m->nevents; i-- > 0;)
        if (m->events[i].event == event)
            return m->events[i].op;
    return -1;
}

static i32 issue(struct model *m, u32 item, struct op o)
{
    const struct timeline_item *i = &m->t->items.at[item];
    const i32 index = (i32)m->ops.len;
    o.item = item;
    o.stream = stream_of(m, i);
    o.issued = *host(m, i->thread);
    o.next = -1;
    o.deps = m->deps.len;
    keep_default_rules(m, &o);
    if (i->kind == TIMELINE_WAIT)
        depend(m, &o, recorded(m, i->event));
    vec_push(m->mem, &m->ops, o);
    struct stream *s = &m->streams.at[o.stream];
    if (s->first < 0)
        s->first = index;
    else
        m->ops.at[s->last].next = index;
    s->last = index;
    return index;
}

static bool crosses(const struct timeline_item *i, bool to_device)
{
    return strcmp(timeline_direction(i), to_device ? "HtoD" : "DtoH") == 0;
}

static double link_rate(const struct gpu *g, const struct timeline_item *i)
{
    if (crosses(i, true))
        return i->from == PLACE_PAGEABLE ? g->link_htod_pageable_bytes_per_s : g->link_htod_bytes_per_s;
    return i->to == PLACE_PAGEABLE ? g->link_dtoh_pageable_bytes_per_s : g->link_dtoh_bytes_per_s;
}

static struct op copy_op(const struct model *m, const struct timeline_item *i)
{
    const struct gpu *g = m->gpu;
    struct op o = {0};
    if (crosses(i, true) || crosses(i, false)) {
        o.engine = crosses(i, true) ? ENGINE_HTOD : ENGINE_DTOH;
        o.seconds = (double)i->bytes / link_rate(g, i) + g->copy_latency_ns * 1e-9;
    } else if (strcmp(timeline_direction(i), "DtoD") == 0) {
        o.engine = ENGINE_SMS;
        o.share = 1;
        o.seconds = latest(2.0 * (double)i->bytes / g->dram_bytes_per_s, m->call);
    }
    return o;
}

/* How much of the GPU its blocks take, when all that fit run at once. */
static double share_of(const struct meter_report *r)
{
    const double blocks = (double)r->grid[0] * r->grid[1] * r->grid[2];
    const double room = (double)r->sms * r->occupancy.blocks_per_sm;
    return room > blocks ? blocks / room : 1;
}

static struct op kernel_op(const struct model *m, const struct timeline_item *i)
{
    struct op o = {.engine = ENGINE_SMS, .share = 1, .seconds = m->call};
    const double ns = i->report ? meter_value_of(i->report, "gpu__time_duration.sum") : NAN;
    if (i->report)
        o.share = share_of(i->report);
    if (isfinite(ns))
        o.seconds = ns * 1e-9;
    return o;
}

static void remember(struct model *m, u64 event, i32 op)
{
    for (u32 i = 0; i < m->nevents; i++)
        if (m->events[i].event == event) {
            m->events[i].op = op;
            return;
        }
    m->events[m->nevents].event = event;
    m->events[m->nevents++].op = op;
}

/* ---- items ---- */

static bool same_stream(const struct stream *s, const struct timeline_item *i)
{
    return s->context == i->context && s->number == i->stream;
}

static void synchronize(struct model *m, const struct timeline_item *i)
{
    if (i->event) {
        host_waits(m, i->thread, recorded(m, i->event));
        return;
    }
    for (u32 s = 0; s < m->streams.len; s++)
        if (!i->stream || same_stream(&m->streams.at[s], i))
            host_waits(m, i->thread, m->streams.at[s].last);
}

static void put_work(struct model *m, u32 item, struct op o)
{
    const struct timeline_item *i = &m->t->items.at[item];
    if (!i->graph) /* a graph is launched by one call */
        *host(m, i->thread) += m->call;
    const i32 op = issue(m, item, o);
    if (i->waits)
        host_waits(m, i->thread, op);
}

static void begin_call(struct model *m, u32 item)
{
    struct timeline_item *i = &m->t->items.at[item];
    for (u32 k = 0; k < m->open.len; k++)
        i->depth += m->t->items.at[m->open.at[k]].thread == i->thread;
    i->start = *host(m, i->thread);
    if (strncmp(i->name, "cuMem", 5) == 0 && strstr(i->name, "Alloc"))
        *host(m, i->thread) += m->call;
    vec_push(m->mem, &m->open, item);
}

static void end_call(struct model *m, const struct timeline_item *i)
{
    for (u32 k = m->open.len; k-- > 0;) {
        struct timeline_item *call = &m->t->items.at[m->open.at[k]];
        if (call->thread != i->thread)
            continue;
        call->seconds = *host(m, i->thread) - call->start;
        memmove(&m->open.at[k], &m->open.at[k + 1], (m->open.len - k - 1) * sizeof m->open.at[0]);
        m->open.len--;
        return;
    }
}

static void do_item(struct model *m, u32 item)
{
    const struct timeline_item *i = &m->t->items.at[item];
    switch (i->kind) {
    case TIMELINE_CALL:
        begin_call(m, item);
        return;
    case TIMELINE_RETURN:
        end_call(m, i);
        return;
    case TIMELINE_COPY:
        put_work(m, item, copy_op(m, i));
        return;
    case TIMELINE_KERNEL:
        put_work(m, item, kernel_op(m, i));
        return;
    case TIMELINE_SET:
        put_work(m, item,
                 (struct op){.engine = ENGINE_SMS,
                             .share = 1,
                             .seconds = latest((double)i->bytes / m->gpu->dram_bytes_per_s, m->call)});
        return;
    case TIMELINE_HOST:
    case TIMELINE_WAIT:
        issue(m, item, (struct op){0});
        return;
    case TIMELINE_RECORD:
        remember(m, i->event, issue(m, item, (struct op){0}));
        return;
    case TIMELINE_SYNC:
        synchronize(m, i);
        return;
    case TIMELINE_GRAPH:
        return;
    }
}

/* A program that ended inside a call never returned from it. */
static void close_calls(struct model *m)
{
    while (m->open.len) {
        struct timeline_item *call = &m->t->items.at[m->open.at[--m->open.len]];
        call->seconds = *host(m, call->thread) - call->start;
    }
}

bool timeline_schedule(struct timeline *t, const struct gpu *g)
{
    struct model m = {.t = t, .gpu = g, .mem = &t->mem, .call = g->launch_ns * 1e-9};
    u32 events = 0;
    if (!(g->link_htod_bytes_per_s > 0 && g->link_dtoh_bytes_per_s > 0 && g->link_htod_pageable_bytes_per_s > 0 &&
          g->link_dtoh_pageable_bytes_per_s > 0 && g->dram_bytes_per_s > 0 && g->launch_ns))
        return false;
    for (u32 i = 0; i < t->items.len; i++)
        events += t->items.at[i].kind == TIMELINE_RECORD;
    m.events = arena_alloc(&t->mem, (events + 1) * sizeof *m.events);
    for (u32 i = 0; i < t->items.len; i++)
        do_item(&m, i);
    for (u32 s = 0; s < m.streams.len; s++)
        finish(&m, m.streams.at[s].last);
    close_calls(&m);
    return true;
}
