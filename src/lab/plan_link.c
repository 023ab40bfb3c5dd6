/* plan_link.c - the critical path of a plan: which copy and which kernel waits for which, and how long that takes.
 *
 * Four things work: the host, which makes the calls in order; the copy engine to the device; the one to the host; and
 * the GPU's SMs. model/schedule.h says when an operation starts, model/host_link.h how long a copy takes:
 *
 *   a call that puts work into a stream, or allocates   the host: launch_ns
 *   copy from or to page-locked memory                  an engine: copy_latency_ns + bytes / link_..._bytes_per_s
 *   copy from or to pageable memory                     the same by the pageable rate; the host waits until it is done,
 *                                                       and before it until the stream is
 * kernel the SMs: its share of the lower bound (model/bounds.c), at least
 *                                                       launch_ns
 *   mapped memory that a kernel has                     the engines beside the SMs, at the page-locked rate
 *   managed memory that is on the other side            the same at the pageable rate, whose value for page faults was
 *                                                       never measured; after a prefetch it is an ordinary copy
 *   copy or fill in the device                          the SMs: bytes read and written / DRAM's rate
 *   free                                                the host waits for everything
 *
 * Kernels take turns on the SMs: a lower bound is that of a kernel that has them all. The laboratory's streams are
 * non-blocking, so the default stream is one like the others. A model: nothing here was measured on this machine. */
#include "lab/plan_link.h"

#include <math.h>
#include <stdlib.h>

#include "lab/trial.h"
#include "model/host_link.h"

struct model {
    const struct gpu *gpu;
    const struct plan *plan;
    struct schedule s;         /* one thread; stream k is the plan's */
    i32 recorded[PLAN_EVENTS]; /* the operation that stands for the event, or -1 */
    bool moved[PLAN_BUFFERS];  /* a managed buffer that is on the device */
    double per_thread;         /* seconds of kernels */
};

static double latest(double a, double b) { return a > b ? a : b; }

static void wait_stream(struct model *m, u32 stream) { schedule_wait(&m->s, 0, m->s.streams.at[stream].last); }

static void wait_all(struct model *m)
{
    for (u32 s = 0; s < PLAN_STREAMS; s++)
        wait_stream(m, s);
}

static i32 issue(struct model *m, struct schedule_op o)
{
    o.share = 1; /* kernels take turns */
    return schedule_issue(&m->s, 0, o);
}

/* ---- steps ---- */

static double bytes_of(const struct plan *p, u32 buffer, u64 elements)
{
    return (double)elements * buffer_element(p->buffers[buffer].type);
}

/* The host is there until the copy is done, and starts it when the stream is. */
static void blocking_cross(struct model *m, u32 stream, enum engine e, double bytes)
{
    struct schedule_op o = {.stream = stream};
    o.seconds[e] = link_copy_seconds(m->gpu, e, true, bytes);
    wait_stream(m, stream);
    issue(m, o);
    wait_stream(m, stream);
}

static bool in_device(const struct plan *p, u32 buffer) { return p->buffers[buffer].place == PLACE_DEVICE; }

static void copy_step(struct model *m, const struct step *s)
{
    const struct plan *p = m->plan;
    const double bytes = bytes_of(p, s->to, s->count);
    struct schedule_op o = {.stream = s->stream};
    if (in_device(p, s->to) == in_device(p, s->from)) {
        o.seconds[ENGINE_SMS] = link_device_seconds(m->gpu, 2 * bytes);
        issue(m, o);
        return;
    }
    const enum engine e = in_device(p, s->to) ? ENGINE_HTOD : ENGINE_DTOH;
    const u32 host_side = e == ENGINE_HTOD ? s->from : s->to;
    if (p->buffers[host_side].place == PLACE_PAGEABLE) {
        blocking_cross(m, s->stream, e, bytes);
        return;
    }
    o.seconds[e] = link_copy_seconds(m->gpu, e, false, bytes);
    issue(m, o);
}

static void prefetch_step(struct model *m, const struct step *s)
{
    const bool to_device = s->value == 0;
    const enum engine e = to_device ? ENGINE_HTOD : ENGINE_DTOH;
    struct schedule_op o = {.stream = s->stream};
    if (m->moved[s->to] == to_device)
        return;
    m->moved[s->to] = to_device;
    o.seconds[e] = link_copy_seconds(m->gpu, e, false, bytes_of(m->plan, s->to, m->plan->buffers[s->to].count));
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
static void add_crossings(struct model *m, const struct launch *l, u32 buffer, struct schedule_op *o)
{
    const struct buffer *b = &m->plan->buffers[buffer];
    if (!has_buffer(l, buffer))
        return;
    if (b->place == PLACE_MAPPED && b->use != BUFFER_OUT)
        o->seconds[ENGINE_HTOD] += link_copy_seconds(m->gpu, ENGINE_HTOD, false, mapped_bytes(m->plan, buffer));
    if (b->place == PLACE_MAPPED && b->use != BUFFER_IN)
        o->seconds[ENGINE_DTOH] += link_copy_seconds(m->gpu, ENGINE_DTOH, false, mapped_bytes(m->plan, buffer));
    if (b->place == PLACE_MANAGED && !m->moved[buffer]) {
        o->seconds[ENGINE_HTOD] += link_copy_seconds(m->gpu, ENGINE_HTOD, true, bytes_of(m->plan, buffer, b->count));
        m->moved[buffer] = true;
    }
}

static void launch_step(struct model *m, const struct step *s)
{
    struct schedule_op o = {.stream = s->stream};
    o.seconds[ENGINE_SMS] = latest(m->per_thread * threads_of(s->launch), link_call_seconds(m->gpu));
    for (u32 b = 0; b < m->plan->nbuffers; b++)
        add_crossings(m, s->launch, b, &o);
    issue(m, o);
}

static void call(struct model *m) { *schedule_host(&m->s, 0) += link_call_seconds(m->gpu); }

static void do_step(struct model *m, const struct step *s)
{
    switch (s->kind) {
    case STEP_LAUNCH:
        call(m);
        launch_step(m, s);
        return;
    case STEP_COPY:
        call(m);
        copy_step(m, s);
        return;
    case STEP_SET:
        call(m);
        issue(m, (struct schedule_op){.stream = s->stream,
                                      .seconds[ENGINE_SMS] =
                                          link_device_seconds(m->gpu, bytes_of(m->plan, s->to, s->count))});
        return;
    case STEP_PREFETCH:
        call(m);
        prefetch_step(m, s);
        return;
    case STEP_RECORD:
        m->recorded[s->to] = issue(m, (struct schedule_op){.stream = s->stream});
        return;
    case STEP_WAIT:
        schedule_depend(&m->s, m->recorded[s->to]);
        issue(m, (struct schedule_op){.stream = s->stream});
        return;
    case STEP_SYNC:
        s->stream ? wait_stream(m, s->stream) : wait_all(m);
        return;
    case STEP_ALLOC:
        call(m);
        return;
    case STEP_FREE:
        call(m);
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
    const double x = ((const struct schedule_op *)a)->start, y = ((const struct schedule_op *)b)->start;
    return (x > y) - (x < y);
}

/* The time in which at least one engine works. Sorts the operations, which are not looked up by index any more. */
static double covered(struct model *m)
{
    double sum = 0, until = 0;
    if (m->s.ops.len)
        qsort(m->s.ops.at, m->s.ops.len, sizeof m->s.ops.at[0], by_start);
    for (u32 i = 0; i < m->s.ops.len; i++) {
        const struct schedule_op *o = &m->s.ops.at[i];
        sum += latest(o->end - latest(o->start, until), 0);
        until = latest(until, o->end);
    }
    return sum;
}

static void sum_up(struct model *m, struct link_times *out)
{
    *out = (struct link_times){.path = *schedule_host(&m->s, 0)};
    for (u32 i = 0; i < m->s.ops.len; i++) {
        out->copy += m->s.ops.at[i].seconds[ENGINE_HTOD] + m->s.ops.at[i].seconds[ENGINE_DTOH];
        out->kernel += m->s.ops.at[i].seconds[ENGINE_SMS];
    }
    const double busy = out->copy + out->kernel;
    out->hidden = busy > 0 ? latest(busy - covered(m), 0) / busy : 0;
}

bool link_model(const struct gpu *gpu, const struct plan *plan, double kernel_seconds, struct arena *mem,
                struct link_times *out)
{
    struct model m = {.gpu = gpu, .plan = plan, .s = {.mem = mem}};
    double threads = 0;
    if (!link_known(gpu))
        return false;
    for (u32 i = 0; i < PLAN_STREAMS; i++)
        schedule_stream(&m.s, 0);
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
