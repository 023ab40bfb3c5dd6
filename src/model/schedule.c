/* schedule.c - streams and engines (schedule.h). */
#include "model/schedule.h"

#include <math.h>

#include "base/larger.h"

/* The first time from `at` on when `share` of the device's SMs is free. */
static double room_at(const struct schedule *s, u32 device, double at, double share)
{
    for (;;) {
        double used = 0, next = INFINITY;
        for (u32 i = 0; i < s->running.len; i++)
            if (s->running.at[i].device == device && s->running.at[i].end > at) {
                used += s->running.at[i].share;
                next = s->running.at[i].end < next ? s->running.at[i].end : next;
            }
        if (used + share <= 1 + 1e-9 || next == INFINITY)
            return at;
        at = next;
    }
}

/* INFINITY: something that it waits for is not scheduled yet. */
static double could_start(const struct schedule *s, const struct schedule_op *o)
{
    const u32 device = s->streams.at[o->stream].device;
    double at = larger(o->issued, s->streams.at[o->stream].tail);
    for (u32 i = 0; i < o->ndeps; i++) {
        const struct schedule_op *d = &s->ops.at[s->deps.at[o->deps + i]];
        at = larger(at, d->done ? d->end : INFINITY);
    }
    for (u32 e = 0; e < ENGINE_SMS; e++)
        if (o->seconds[e] > 0)
            at = larger(at, s->copies.at[device].free_at[e]);
    return o->seconds[ENGINE_SMS] > 0 && at < INFINITY ? room_at(s, device, at, o->share) : at;
}

/* Nothing that is scheduled later starts earlier. */
static void run_on_sms(struct schedule *s, const struct schedule_op *o, u32 device)
{
    u32 kept = 0;
    for (u32 i = 0; i < s->running.len; i++)
        if (s->running.at[i].end > o->start)
            s->running.at[kept++] = s->running.at[i];
    s->running.len = kept;
    vec_push(s->mem, &s->running, ((struct schedule_running){.device = device, .end = o->end, .share = o->share}));
}

static void place(struct schedule *s, i32 index, double start)
{
    struct schedule_op *o = &s->ops.at[index];
    struct schedule_stream *stream = &s->streams.at[o->stream];
    double longest = 0;
    for (u32 e = 0; e < ENGINES; e++)
        longest = larger(longest, o->seconds[e]);
    o->start = start;
    o->end = start + longest;
    o->done = true;
    for (u32 e = 0; e < ENGINE_SMS; e++)
        if (o->seconds[e] > 0)
            s->copies.at[stream->device].free_at[e] = o->end;
    if (o->seconds[ENGINE_SMS] > 0)
        run_on_sms(s, o, stream->device);
    stream->tail = o->end;
    stream->first = o->next;
}

/* The stream heads' earliest. What is waited for was issued before, so one of the heads can start. */
static void schedule_one(struct schedule *s)
{
    i32 best = -1;
    double start = INFINITY;
    for (u32 k = 0; k < s->streams.len; k++) {
        const i32 head = s->streams.at[k].first;
        const double at = head < 0 ? INFINITY : could_start(s, &s->ops.at[head]);
        if (at < start || (at == start && best >= 0 && head < best)) {
            best = head;
            start = at;
        }
    }
    LS_BUG_ON(best < 0);
    place(s, best, start);
}

static void finish(struct schedule *s, i32 op)
{
    while (op >= 0 && !s->ops.at[op].done)
        schedule_one(s);
}

u32 schedule_stream(struct schedule *s, u32 device)
{
    while (s->copies.len <= device)
        vec_push(s->mem, &s->copies, (struct schedule_copies){0});
    vec_push(s->mem, &s->streams, ((struct schedule_stream){.device = device, .first = -1, .last = -1}));
    return s->streams.len - 1;
}

double *schedule_host(struct schedule *s, u32 thread)
{
    while (s->host.len <= thread)
        vec_push(s->mem, &s->host, 0.0);
    return &s->host.at[thread];
}

void schedule_depend(struct schedule *s, i32 op)
{
    if (op >= 0)
        vec_push(s->mem, &s->deps, op);
}

i32 schedule_issue(struct schedule *s, u32 thread, struct schedule_op o)
{
    const i32 index = (i32)s->ops.len;
    struct schedule_stream *stream = &s->streams.at[o.stream];
    o.issued = *schedule_host(s, thread);
    o.next = -1;
    o.deps = s->deps_used;
    o.ndeps = s->deps.len - s->deps_used;
    s->deps_used = s->deps.len;
    vec_push(s->mem, &s->ops, o);
    if (stream->first < 0)
        stream->first = index;
    else
        s->ops.at[stream->last].next = index;
    stream->last = index;
    return index;
}

void schedule_wait(struct schedule *s, u32 thread, i32 op)
{
    finish(s, op);
    if (op >= 0)
        *schedule_host(s, thread) = larger(*schedule_host(s, thread), s->ops.at[op].end);
}

void schedule_finish(struct schedule *s)
{
    for (u32 k = 0; k < s->streams.len; k++)
        finish(s, s->streams.at[k].last);
}
