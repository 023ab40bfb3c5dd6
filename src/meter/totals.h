/* totals.h - the counters of all workers added up, function by function. Internal to the meter.
 *
 * What follows from addresses was added access by access (count.h); what a block of instructions did is the number of
 * times it was entered, so it is added up once, here, instruction by instruction. The same for any number of workers and any
 * schedule. */
#ifndef LS_METER_TOTALS_H
#define LS_METER_TOTALS_H

#include "meter/count.h"

/* One function of the launch: all workers together. */
struct total {
    const struct ir_func *func;
    const struct estimate *estimate;
    const struct replay_code *code; /* set before total_blocks */
    struct exec_block_count *blocks;
    u64 (*n)[EVENT_COUNT];       /* by site */
    struct traffic_drawn *drawn; /* likewise */
};

/* The functions of all workers, in tmp, the kernel first. Returns how many they are. */
u32 totals_add(struct arena *tmp, struct counter *const *workers, unsigned n, struct total **out);
/* What the instructions did that follows from how often their blocks were entered. Once. */
void total_blocks(struct total *t);
/* After that: DOUBT_... of metrics that are estimated in this launch. */
u32 total_doubts(const struct total *t);
/* Traffic of sites that had no number. */
void totals_rest(struct counter *const *workers, unsigned nworkers, u64 n[EVENT_COUNT]);

#endif
