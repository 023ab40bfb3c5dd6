/* schedule.h - when operations in streams run: the one scheduler behind `lockstep trace` and climb's plans.
 *
 *     struct schedule s = {.mem = &mem};
 *     const u32 a = schedule_stream(&s, 0);
 *     *schedule_host(&s, 0) += call;                                     a call takes the host's thread 0 some time
 *     i32 op = schedule_issue(&s, 0, (struct schedule_op){.stream = a, .seconds[ENGINE_HTOD] = 5e-6});
 *     schedule_wait(&s, 0, op);                                          the host goes on when it is done
 *     schedule_finish(&s);                                               now every operation has its start and end
 *
 * An operation starts when the host has issued it, what was before it in its stream is done, what it depends on is done,
 * and its engines are free. A device has a copy engine each way, which does one operation at a time, and its SMs, on
 * which operations run side by side as long as their shares fit together. Nothing is scheduled before somebody waits for
 * it, so that of several that could start the one that is ready first does, as by the hardware's queues; of equals the
 * one that was issued first. */
#ifndef LS_MODEL_SCHEDULE_H
#define LS_MODEL_SCHEDULE_H

#include "base/arena.h"
#include "base/vec.h"

enum engine { ENGINE_HTOD, ENGINE_DTOH, ENGINE_SMS, ENGINES };

struct schedule_op {
    u32 stream;
    double seconds[ENGINES]; /* on each engine, side by side; 0: not used. None: a mark in the stream */
    double share;            /* of the SMs, where it uses them: up to 1 */
    /* set by the scheduler */
    double issued, start, end;
    u32 deps, ndeps; /* in schedule.deps */
    i32 next;        /* in its stream, or -1 */
    bool done;
};

struct schedule_stream {
    u32 device;
    i32 first;   /* the first operation that is not scheduled, or -1 */
    i32 last;    /* the last that was issued, or -1 */
    double tail; /* when what is scheduled ends */
};

/* What runs on a device's SMs. */
struct schedule_running {
    u32 device;
    double end, share;
};

/* When a device's copy engines are free. */
struct schedule_copies {
    double free_at[ENGINE_SMS];
};

struct schedule {
    struct arena *mem; /* its recovery point is set */
    VEC(struct schedule_op) ops;
    VEC(struct schedule_stream) streams;
    VEC(i32) deps;
    u32 deps_used; /* the others are of the operation that is issued next */
    VEC(struct schedule_running) running;
    VEC(struct schedule_copies) copies; /* by device */
    VEC(double) host;                   /* seconds, by thread */
};

/* The number of a new stream. */
u32 schedule_stream(struct schedule *s, u32 device);
/* When the thread can make its next call. Valid until the next call. */
double *schedule_host(struct schedule *s, u32 thread);
/* The operation that is issued next waits for this one; -1: for none. */
void schedule_depend(struct schedule *s, i32 op);
/* Its number. */
i32 schedule_issue(struct schedule *s, u32 thread, struct schedule_op o);
/* The thread waits until the operation is done; -1: for nothing. */
void schedule_wait(struct schedule *s, u32 thread, i32 op);
/* Schedules all. */
void schedule_finish(struct schedule *s);

#endif
