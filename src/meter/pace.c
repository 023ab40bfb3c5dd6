/* pace.c - how long a scheduler is busy with an SM's first block (caches_pace). The longer for each access, the less do warps go on side by side. */
#include "meter/count.h"

#include "model/latency.h"

/* Not what queues behind it; nor that of integers, by which goes what is known of no other. */
static bool keeps_scheduler(u32 unit) { return unit != IR_UNIT_MEMORY && unit != IR_UNIT_INT; }

void pace_weigh(struct counter *c, struct func_count *f)
{
    const struct ir_func *func = f->func;
    const struct latencies l = latencies_of(c->gpu);
    f->busy = arena_array(&c->mem, u32, func->nblocks + 1);
    f->before = arena_array(&c->mem, u64, func->nblocks + 1);
    for (u32 b = 0; b < func->nblocks; b++) {
        u32 of_unit[IR_UNIT_COUNT] = {0}, issued = 0;
        for (u32 s = func->blocks[b].first; s < func->blocks[b].end; s++) {
            const struct site_estimate *e = &f->estimate->sites[s];
            issued += e->weight;
            of_unit[work_unit(e)] += e->weight;
        }
        u32 most = issued;
        for (u32 k = 0; k < IR_UNIT_COUNT; k++)
            if (keeps_scheduler(k) && of_unit[k] * l.interval[k] > most)
                most = of_unit[k] * l.interval[k];
        f->busy[f->estimate->counts_as[b]] += most;
    }
}

/* A cluster's blocks, and those of a grid that waits for all of them, take turns at the worker. */
static bool is_first(const struct counter *c, const struct exec_block_info *b)
{
    return c->caches && !b->slot && b->cluster_size <= 1 && !b->launch->cooperative;
}

void pace_block_begin(struct counter *c, const struct exec_block_info *b)
{
    for (u32 k = 0; k < c->funcs.len && is_first(c, b); k++) {
        struct func_count *f = c->funcs.at[k];
        for (u32 j = 0; j < f->func->nblocks; j++)
            f->before[j] = f->blocks[j].warps;
    }
}

void pace_block_end(struct counter *c, const struct exec_block_info *b)
{
    u64 cycles = 0;
    if (!is_first(c, b))
        return;
    for (u32 k = 0; k < c->funcs.len; k++) {
        const struct func_count *f = c->funcs.at[k];
        for (u32 j = 0; j < f->func->nblocks; j++)
            cycles += (f->blocks[j].warps - f->before[j]) * f->busy[j];
    }
    caches_pace(c->caches, b, cycles);
}
