/* timeline_schedule.c - what a program asked for, as operations for the model's scheduler (model/schedule.h).
 *
 * Each thread of the host makes its calls in order. A call that puts work into a stream, or allocates, takes launch_ns
 * of the GPU's file; the others nothing, but for waiting. An operation waits for the events that its stream waits for,
 * and by the rules of the default stream; and it takes
 *
 *     copy from the host, to the host   one at a time each way: copy_latency_ns + bytes / the link's rate for that kind
 *                                       of memory
 *     copy or fill in the device        2 x bytes, or bytes, / DRAM's rate, at least launch_ns
 *     kernel                            its modelled time, launch_ns if it was not recorded; kernels run side by side as long as
 *                                       their blocks fit on the SMs together */
#include <math.h>
#include <string.h>

#include "model/host_link.h"
#include "report/timeline/timeline.h"

/* A stream of the program; its number is the scheduler's. */
struct stream {
    u64 context, number;
    bool blocking;
};

struct model {
    struct timeline *t;
    const struct gpu *gpu;
    struct arena *mem;
    struct schedule s;
    VEC(u32) items; /* by operation */
    VEC(struct stream) streams;
    VEC(u32) open; /* calls that have not returned, all threads' */
    struct {
        u64 event;
        i32 op;
    } *events;
    u32 nevents;
    double call; /* seconds of a call that puts work into a stream */
};

static double *host(struct model *m, u32 thread) { return schedule_host(&m->s, thread); }

static u32 stream_of(struct model *m, const struct timeline_item *i)
{
    for (u32 s = 0; s < m->streams.len; s++)
        if (m->streams.at[s].context == i->context && m->streams.at[s].number == i->stream)
            return s;
    vec_push(m->mem, &m->streams,
             ((struct stream){.context = i->context, .number = i->stream, .blocking = i->blocking}));
    return schedule_stream(&m->s, i->device);
}

static bool is_default(const struct stream *s) { return s->number == 7; /* as ncu numbers it */ }

/* ---- operations ---- */

/* The default stream waits for what blocking streams of its context got before, and they for it. */
static void keep_default_rules(struct model *m, u32 stream)
{
    const struct stream *s = &m->streams.at[stream];
    for (u32 i = 0; s->blocking && i < m->streams.len; i++) {
        const struct stream *x = &m->streams.at[i];
        if (i != stream && x->blocking && x->context == s->context && is_default(s) != is_default(x))
            schedule_depend(&m->s, m->s.streams.at[i].last);
    }
}

static i32 recorded(const struct model *m, u64 event)
{
    for (u32 i = m->nevents; i-- > 0;)
        if (m->events[i].event == event)
            return m->events[i].op;
    return -1;
}

static i32 issue(struct model *m, u32 item, struct schedule_op o)
{
    const struct timeline_item *i = &m->t->items.at[item];
    o.stream = stream_of(m, i);
    keep_default_rules(m, o.stream);
    if (i->kind == TIMELINE_WAIT)
        schedule_depend(&m->s, recorded(m, i->event));
    vec_push(m->mem, &m->items, item);
    return schedule_issue(&m->s, i->thread, o);
}

static bool crosses(const struct timeline_item *i, bool to_device)
{
    return strcmp(timeline_direction(i), to_device ? "HtoD" : "DtoH") == 0;
}

static struct schedule_op copy_op(const struct model *m, const struct timeline_item *i)
{
    struct schedule_op o = {.share = 1};
    if (crosses(i, true))
        o.seconds[ENGINE_HTOD] = link_copy_seconds(m->gpu, ENGINE_HTOD, i->from == PLACE_PAGEABLE, (double)i->bytes);
    else if (crosses(i, false))
        o.seconds[ENGINE_DTOH] = link_copy_seconds(m->gpu, ENGINE_DTOH, i->to == PLACE_PAGEABLE, (double)i->bytes);
    else if (strcmp(timeline_direction(i), "DtoD") == 0)
        o.seconds[ENGINE_SMS] = link_device_seconds(m->gpu, 2.0 * (double)i->bytes);
    return o;
}

/* How much of the GPU its blocks take, when all that fit run at once. */
static double share_of(const struct meter_report *r)
{
    const double blocks = (double)r->grid[0] * r->grid[1] * r->grid[2];
    const double room = (double)r->sms * r->occupancy.blocks_per_sm;
    return room > blocks ? blocks / room : 1;
}

static struct schedule_op kernel_op(const struct model *m, const struct timeline_item *i)
{
    const double ns = i->report ? meter_value_of(i->report, "gpu__time_duration.sum") : NAN;
    return (struct schedule_op){.share = i->report ? share_of(i->report) : 1,
                                .seconds[ENGINE_SMS] = isfinite(ns) ? ns * 1e-9 : m->call};
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
        schedule_wait(&m->s, i->thread, recorded(m, i->event));
        return;
    }
    for (u32 s = 0; s < m->streams.len; s++)
        if (!i->stream || same_stream(&m->streams.at[s], i))
            schedule_wait(&m->s, i->thread, m->s.streams.at[s].last);
}

static void put_work(struct model *m, u32 item, struct schedule_op o)
{
    const struct timeline_item *i = &m->t->items.at[item];
    if (!i->graph) /* a graph is launched by one call */
        *host(m, i->thread) += m->call;
    const i32 op = issue(m, item, o);
    if (i->waits)
        schedule_wait(&m->s, i->thread, op);
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
        put_work(
            m, item,
            (struct schedule_op){.share = 1, .seconds[ENGINE_SMS] = link_device_seconds(m->gpu, (double)i->bytes)});
        return;
    case TIMELINE_HOST:
    case TIMELINE_WAIT:
        issue(m, item, (struct schedule_op){0});
        return;
    case TIMELINE_RECORD:
        remember(m, i->event, issue(m, item, (struct schedule_op){0}));
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

/* Where the schedule put the items that are operations. */
static void tell_items(struct model *m)
{
    for (u32 k = 0; k < m->items.len; k++) {
        const struct schedule_op *o = &m->s.ops.at[k];
        struct timeline_item *i = &m->t->items.at[m->items.at[k]];
        i->start = o->start;
        for (u32 e = 0; e < ENGINES; e++) /* one of them at most */
            i->seconds += o->seconds[e];
    }
}

bool timeline_schedule(struct timeline *t, const struct gpu *g)
{
    struct model m = {.t = t, .gpu = g, .mem = &t->mem, .s = {.mem = &t->mem}, .call = link_call_seconds(g)};
    u32 events = 0;
    if (!link_known(g))
        return false;
    for (u32 i = 0; i < t->items.len; i++)
        events += t->items.at[i].kind == TIMELINE_RECORD;
    m.events = arena_alloc(&t->mem, (events + 1) * sizeof *m.events);
    for (u32 i = 0; i < t->items.len; i++)
        do_item(&m, i);
    schedule_finish(&m.s);
    tell_items(&m);
    close_calls(&m);
    return true;
}
