/* metered.h - a launch while it is counted. Internal to the meter. */
#ifndef LS_METER_METERED_H
#define LS_METER_METERED_H

#include "meter/count.h"
#include "meter/meter.h"
#include "meter/replay/record.h"

struct meter {
    struct exec_hooks hooks;
    struct gpu gpu;
    struct meter_options options;
    const struct ir_func *kernel;
    u32 grid[3], block[3], cluster[3], dynamic_shared;
    u64 id, parent, root;
    u32 depth;
    struct counter **workers;
    unsigned nworkers;
    struct caches *caches; /* NULL: not asked for */
    struct record_launch recorded;
    struct occupancy_result occupancy;
    u32 registers;
    bool asked;                   /* ptxas was, and answered */
    const struct sass_func *code; /* its answer, or NULL */
    struct counter dead;          /* for a worker that there was no memory for: it drops everything */
    bool failed;
};

static inline u64 meter_l1_bytes(const struct meter *m)
{
    return occupancy_l1_bytes(&m->gpu, m->occupancy.carveout_kib * 1024ull);
}

/* Fills a report when all workers are done; r->mem's recovery point is set. */
void meter_fill(const struct meter *m, struct meter_report *r, struct arena *tmp);

#endif
