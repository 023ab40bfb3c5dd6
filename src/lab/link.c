/* link.c - the critical path of a plan: which copy and which kernel waits for which, and how long that takes.
 *
 * Four things work: the host, which makes the calls in order; the copy engine to the device; the one to the host; and
 * the GPU's SMs. What a call puts into a stream is an operation; it starts when the host has issued it, what was before
 * it in its stream is done, the event that its stream waits for has come, and its engines are free. An engine that
 * could start several takes the one that was ready first. Numbers are the GPU file's:
 *
 *   a call that puts work into a stream, or allocates   the host: launch_ns
 *   copy from or to page-locked memory                  an engine: copy_latency_ns + bytes / link_..._bytes_per_s
 *   copy from or to pageable memory                     the same by the pageable rate; the host waits until it is done,
 *                                                       and before it until the stream is
 *   kernel                                              the SMs: its share of the lower bound (model/bounds.c), at least
 *                                                       launch_ns
 *   mapped memory that a kernel has                     the engines beside the SMs, at the page-locked rate
 *   managed memory that is on the other side            the same at the pageable rate, whose value for page faults was
 *                                                       never measured; after a prefetch it is an ordinary copy
 *   copy or fill in the device                          the SMs: bytes read and written / DRAM's rate
 *   free                                                the host waits for everything
 *
 * Kernels take turns on the SMs: a lower bound is that of a kernel that has them all. The laboratory's streams are
 * non-blocking, so the default stream is one like the others. A model: nothing here was measured on this machine. */
#include "lab/link.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "lab/internal.h"

enum engine { ENGINE_HTOD, ENGINE_DTOH, ENGINE_SMS, ENGINES };

struct op {
    u32 stream;
    double seconds[ENGINES]; /* on each engine, side by side */
    double issued;
    i32 after; /* the operation that it waits for besides its stream, or -1 */
    i32 next;  /* in its stream, or -1 */
    bool done;
    double start, end;
};

struct model {
    const struct gpu *gpu;
    const struct plan *plan;
    struct arena *mem;
    VEC(struct op) ops;
    i32 first[PLAN_STREAMS], last[PLAN_STREAMS]; /* what is not scheduled yet; -1: nothing */
    double tail[PLAN_STREAMS];                   /* when what is scheduled ends */
    double engine[ENGINES];                      /* when it is free */
    double host;
    i32 recorded[PLAN_EVENTS]; /* the operation that stands for the event, or -1 */
    bool moved[PLAN_BUFFERS];  /* a managed buffer that is on the device */
    double per_thread;         /* seconds of kernels */
};

/* ---- the schedule ---- */

static double latest(double a, double b) { return a > b ? a : b; }

/* When the operation could start; INFINITY: what it waits for is not scheduled yet. */
static double could_start(const struct model *m, const struct op *o)
{
    double at = latest(o->issued, m->tail[o->stream]);
    if (o->after >= 0)
        at = latest(at, m->ops.at[o->after].done ? m->ops.at[o->after].end : INFINITY);
    for (u32 e = 0; e < ENGINES; e++)
        if (o->seconds[e] > 0)
            at = latest(at, m->engine[e]);
    return at;
}

static void place(struct model *m, i32 index, double start)
{
    struct op *o = &m->ops.at[index];
    double longest = 0;
    for (u32 e = 0; e < ENGINES; e++)
        longest = latest(longest, o->seconds[e]);
    o->start = start;
    o->end = start + longest;
    o->done = true;
    for (u32 e = 0; e < ENGINES; e++)
        if (o->seconds[e] > 0)
            m->engine[e] = o->end;
    m->tail[o->stream] = o->end;
    m->first[o->stream] = o->next;
    if (o->next < 0)
        m->last[o->stream] = -1;
}

/* Schedules the stream heads' earliest, of equals the one that was issued first. An event's operation is always before
 * those that wait for it, so one of the heads can start. */
static void schedule_one(struct model *m)
{
    i32 best = -1;
    double start = INFINITY;
    for (u32 s = 0; s < PLAN_STREAMS; s++) {
        const i32 head = m->first[s];
        const double at = head < 0 ? INFINITY : could_start(m, &m->ops.at[head]);
        if (at < start || (at == start && best >= 0 && head < best)) {
            best = head;
            start = at;
        }
    }
    LS_BUG_ON(best < 0);
    place(m, best, start);
}

/* What is issued later starts later, so nothing that is scheduled here would have to make way for it. */
static void wait_stream(struct model *m, u32 stream)
{
    while (m->first[stream] >= 0)
        schedule_one(m);
    m->host = latest(m->host, m->tail[stream]);
}

static void wait_all(struct model *m)
{
    for (u32 s = 0; s < PLAN_STREAMS; s++)
        wait_stream(m, s);
}

static i32 issue(struct model *m, struct op o)
{
    const i32 index = (i32)m->ops.len;
    o.issued = m->host;
    o.next = -1;
    vec_push(m->mem, &m->ops, o);
    if (m->last[o.stream] >= 0)
        m->ops.at[m->last[o.stream]].next = index;
    else
        m->first[o.stream] = index;
    m->last[o.stream] = index;
    return index;
}

/* ---- steps ---- */

static double call_seconds(const struct model *m) { return m->gpu->launch_ns * 1e-9; }

static double dram_seconds(const struct model *m, double bytes)
{
    return latest(bytes / m->gpu->dram_bytes_per_s, call_seconds(m));
}

static double cross_seconds(const struct model *m, enum engine e, bool pageable, double bytes)
{
    const struct gpu *g = m->gpu;
    const double pinned_rate = e == ENGINE_HTOD ? g->link_htod_bytes_per_s : g->link_dtoh_bytes_per_s;
    const double pageable_rate =
        e == ENGINE_HTOD ? g->link_htod_pageable_bytes_per_s : g->link_dtoh_pageable_bytes_per_s;
    return bytes / (pageable ? pageable_rate : pinned_rate) + g->copy_latency_ns * 1e-9;
}

static double bytes_of(const struct plan *p, u32 buffer, u64 elements)
{
    return (double)elements * buffer_element(p->buffers[buffer].type);
}

/* The host is there until the copy is done, and starts it when the stream is. */
static void blocking_cross(struct model *m, u32 stream, enum engine e, double bytes)
{
    struct op o = {.stream = stream, .after = -1};
    o.seconds[e] = cross_seconds(m, e, true, bytes);
    wait_stream(m, stream);
    issue(m, o);
    wait_stream(m, stream);
}

static bool in_device(const struct plan *p, u32 buffer) { return p->buffers[buffer].place == PLACE_DEVICE; }

static void copy_step(struct model *m, const struct step *s)
{
    const struct plan *p = m->plan;
    const double bytes = bytes_of(p, s->to, s->count);
    struct op o = {.stream = s->stream, .after = -1};
    if (in_device(p, s->to) == in_device(p, s->from)) {
        o.seconds[ENGINE_SMS] = dram_seconds(m, 2 * bytes);
        issue(m, o);
        return;
    }
    const enum engine e = in_device(p, s->to) ? ENGINE_HTOD : ENGINE_DTOH;
    const u32 host_side = e == ENGINE_HTOD ? s->from : s->to;
    if (p->buffers[host_side].place == PLACE_PAGEABLE) {
        blocking_cross(m, s->stream, e, bytes);
        return;
    }
    o.seconds[e] = cross_seconds(m, e, false, bytes);
    issue(m, o);
}

static void prefetch_step(struct model *m, const struct step *s)
{
    const bool to_device = s->value == 0;
    const enum engine e = to_device ? ENGINE_HTOD : ENGINE_DTOH;
    struct op o = {.stream = s->stream, .after = -1};
    if (m->moved[s->to] == to_device)
        return;
    m->moved[s->to] = to_device;
    o.seconds[e] = cross_seconds(m, e, false, bytes_of(m->plan, s->to, m->plan->buffers[s->to].count));
    issue(m, o);
}

static void touch_step(struct model *m, const struct step *s)
{
    if (m->plan->buffers[s->to].place != PLACE_MANAGED || !m->moved[s->to])
        return;
    m->moved[s->to] = false;
    blocking_cross(m, 0, ENGINE_DTOH, bytes_of(m->plan, s->to, m->plan->buffers[s->to].count));
}

static double threads_of(const struct launch *l)
{
    return (double)l->grid[0] * l->grid[1] * l->grid[2] * l->block[0] * l->block[1] * l->block[2];
}

static bool has_buffer(const struct launch *l, u32 buffer)
{
    for (u32 i = 0; i < l->nargs; i++)
        if (l->args[i].kind == ARG_BUFFER && l->args[i].index == buffer)
            return true;
    return false;
}

/* The part of a mapped buffer that one launch moves: launches that have it are taken to share it evenly. */
static double mapped_bytes(const struct plan *p, u32 buffer)
{
    u32 users = 0;
    for (u32 i = 0; i < p->steps.len; i++)
        users += p->steps.at[i].launch && has_buffer(p->steps.at[i].launch, buffer);
    return bytes_of(p, buffer, p->buffers[buffer].count) / users;
}

/* What a launch fetches over the link by itself. */
static void add_crossings(struct model *m, const struct launch *l, u32 buffer, struct op *o)
{
    const struct buffer *b = &m->plan->buffers[buffer];
    if (!has_buffer(l, buffer))
        return;
    if (b->place == PLACE_MAPPED && b->use != BUFFER_OUT)
        o->seconds[ENGINE_HTOD] += cross_seconds(m, ENGINE_HTOD, false, mapped_bytes(m->plan, buffer));
    if (b->place == PLACE_MAPPED && b->use != BUFFER_IN)
        o->seconds[ENGINE_DTOH] += cross_seconds(m, ENGINE_DTOH, false, mapped_bytes(m->plan, buffer));
    if (b->place == PLACE_MANAGED && !m->moved[buffer]) {
        o->seconds[ENGINE_HTOD] += cross_seconds(m, ENGINE_HTOD, true, bytes_of(m->plan, buffer, b->count));
        m->moved[buffer] = true;
    }
}

static void launch_step(struct model *m, const struct step *s)
{
    struct op o = {.stream = s->stream, .after = -1};
    o.seconds[ENGINE_SMS] = latest(m->per_thread * threads_of(s->launch), call_seconds(m));
    for (u32 b = 0; b < m->plan->nbuffers; b++)
        add_crossings(m, s->launch, b, &o);
    issue(m, o);
}

static void do_step(struct model *m, const struct step *s)
{
    switch (s->kind) {
    case STEP_LAUNCH:
        m->host += call_seconds(m);
        launch_step(m, s);
        return;
    case STEP_COPY:
        m->host += call_seconds(m);
        copy_step(m, s);
        return;
    case STEP_SET:
        m->host += call_seconds(m);
        issue(m, (struct op){.stream = s->stream,
                             .after = -1,
                             .seconds[ENGINE_SMS] = dram_seconds(m, bytes_of(m->plan, s->to, s->count))});
        return;
    case STEP_PREFETCH:
        m->host += call_seconds(m);
        prefetch_step(m, s);
        return;
    case STEP_RECORD:
        m->recorded[s->to] = issue(m, (struct op){.stream = s->stream, .after = -1});
        return;
    case STEP_WAIT:
        issue(m, (struct op){.stream = s->stream, .after = m->recorded[s->to]});
        return;
    case STEP_SYNC:
        s->stream ? wait_stream(m, s->stream) : wait_all(m);
        return;
    case STEP_ALLOC:
        m->host += call_seconds(m);
        return;
    case STEP_FREE:
        m->host += call_seconds(m);
        wait_all(m);
        return;
    case STEP_TOUCH:
        touch_step(m, s);
        return;
    case STEP_POKE:
    case STEP_MARK:
        return;
    }
}

/* ---- the result ---- */

static int by_start(const void *a, const void *b)
{
    const double x = ((const struct op *)a)->start, y = ((const struct op *)b)->start;
    return (x > y) - (x < y);
}

/* The time in which at least one engine works. Sorts the operations, which nobody looks up any more. */
static double covered(struct model *m)
{
    double sum = 0, until = 0;
    if (m->ops.len)
        qsort(m->ops.at, m->ops.len, sizeof m->ops.at[0], by_start);
    for (u32 i = 0; i < m->ops.len; i++) {
        const struct op *o = &m->ops.at[i];
        sum += latest(o->end - latest(o->start, until), 0);
        until = latest(until, o->end);
    }
    return sum;
}

static void sum_up(struct model *m, struct link_times *out)
{
    *out = (struct link_times){.path = m->host};
    for (u32 i = 0; i < m->ops.len; i++) {
        out->copy += m->ops.at[i].seconds[ENGINE_HTOD] + m->ops.at[i].seconds[ENGINE_DTOH];
        out->kernel += m->ops.at[i].seconds[ENGINE_SMS];
    }
    const double busy = out->copy + out->kernel;
    out->hidden = busy > 0 ? latest(busy - covered(m), 0) / busy : 0;
}

/* 0 in a GPU's file is: not known. */
static bool known(const struct gpu *g)
{
    return g->link_htod_bytes_per_s > 0 && g->link_dtoh_bytes_per_s > 0 && g->link_htod_pageable_bytes_per_s > 0 &&
           g->link_dtoh_pageable_bytes_per_s > 0 && g->dram_bytes_per_s > 0 && g->copy_latency_ns && g->launch_ns;
}

bool link_model(const struct gpu *gpu, const struct plan *plan, double kernel_seconds, struct arena *mem,
                struct link_times *out)
{
    struct model m = {.gpu = gpu, .plan = plan, .mem = mem};
    double threads = 0;
    if (!known(gpu))
        return false;
    for (u32 i = 0; i < PLAN_STREAMS; i++)
        m.first[i] = m.last[i] = -1;
    for (u32 i = 0; i < PLAN_EVENTS; i++)
        m.recorded[i] = -1;
    for (u32 i = 0; i < plan->steps.len; i++)
        threads += plan->steps.at[i].launch ? threads_of(plan->steps.at[i].launch) : 0;
    m.per_thread = threads > 0 ? kernel_seconds / threads : 0;
    for (u32 i = 0; i < plan->steps.len; i++)
        do_step(&m, &plan->steps.at[i]);
    wait_all(&m);
    sum_up(&m, out);
    return true;
}

/* Launches in one stream have no other path than their own. */
static bool only_launches(const struct plan *p)
{
    for (u32 i = 0; i < p->steps.len; i++)
        if (p->steps.at[i].kind != STEP_LAUNCH || p->steps.at[i].stream)
            return false;
    return true;
}

void lab_link(const struct gpu *gpu, struct arena *mem, struct lab_result *out)
{
    struct link_times t;
    if (only_launches(&out->plan) || !link_model(gpu, &out->plan, out->bound_seconds, mem, &t))
        return;
    lab_value_set(out, "lockstep__critical_path.us", t.path * 1e6);
    lab_value_set(out, "lockstep__copy_time.us", t.copy * 1e6);
    lab_value_set(out, "lockstep__kernel_time.us", t.kernel * 1e6);
    lab_value_set(out, "lockstep__overlap.pct", t.hidden * 100);
}
