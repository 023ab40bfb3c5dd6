/* replay_meter.h - what the meter has of a launch, for the replay of an SM. */
#ifndef LS_METER_REPLAY_METER_H
#define LS_METER_REPLAY_METER_H

#include "meter/count.h"
#include "meter/meter.h"
#include "model/device_calls.h"
#include "model/replay/replay.h"

/* A function of the launch, all workers together. */
struct replayed_func {
    const struct ir_func *func;
    const struct replay_code *code;
    const struct exec_block_count *blocks;
    u64 (*n)[EVENT_COUNT];     /* by site */
    struct replay_func replay; /* made here */
};

struct replayed_launch {
    const struct gpu *gpu;
    const struct sass_func *code; /* what ptxas made of the kernel, or NULL */
    struct replay_site *machine;  /* by its instructions; filled. NULL: nobody asks */
    u64 nblocks;
    u32 warps, resident, slots, places; /* as in struct replay_launch */
    u64 l1_bytes;                       /* of an SM */
    struct replayed_func *funcs;        /* the kernel first */
    u32 nfuncs;
    struct counter *const *workers; /* some may be NULL */
    u32 nworkers;
    const u64 *n; /* the launch's events */
    const struct l2_hot *hot;
    const struct meter_options *options; /* for the heap */
    struct device_calls calls;           /* filled */
};

/* mem: its recovery point is set. False: nothing was recorded. */
bool replay_metered(struct arena *mem, struct replayed_launch *l, struct replay_result *out);

#endif
