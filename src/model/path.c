/* path.c - how many cycles a warp needs that has the SM for itself: each basic block by a scoreboard, in the order of the
 * PTX, times how often warps came into it.
 *
 * An instruction is issued when its operands are there, at the earliest a cycle after the one before; its result is
 * there after the latency of its unit. A load's is that of the caches that served it, on the average of its sectors. A
 * block does not begin with everything ready: what is under way of the block that most warps come from is taken along,
 * for a loop's only block that is the block itself. */
#include "model/path.h"

#include "ir/pass.h"
#include "model/latency.h"

struct path {
    struct latencies latency;
    const struct ir_func *f;
    const struct path_step *steps;
    double *ready; /* by register */
    double now;    /* when the last instruction was issued */
    double wait;   /* until the operands of the instruction that is looked at are there */
    double done;   /* when its results are */
};

/* ---- latencies ---- */

static double average(const struct latencies *l, const struct path_served *s)
{
    const double all = s->l1 + s->l2 + s->far + s->dram;
    if (all == 0)
        return l->l1;
    return (s->l1 * l->l1 + s->l2 * l->l2 + s->far * 1.5 * l->l2 + s->dram * l->dram) / all;
}

static double latency_of(const struct latencies *l, const struct path_step *s)
{
    if (s->unit != IR_UNIT_MEMORY)
        return l->unit[s->unit];
    if (s->wavefronts > 0)
        return l->shared + s->wavefronts - 1;
    return s->argument ? 0 : average(l, &s->served);
}

/* ---- the scoreboard ---- */

static void look(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct path *p = ctx;
    if (!is_write && p->ready[reg->index] > p->wait)
        p->wait = p->ready[reg->index];
}

static void give(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct path *p = ctx;
    if (is_write)
        p->ready[reg->index] = p->done;
}

/* A sequence of machine instructions is a chain. */
static void step(struct path *p, u32 site)
{
    const struct ptx_inst *i = &p->f->src->insts[site];
    const struct path_step *s = &p->steps[site];
    p->wait = p->now;
    ir_each_reg(i, look, p);
    const double chain = s->weight > 1 ? (s->weight - 1) * p->latency.unit[IR_UNIT_INT] : 0;
    p->now = p->wait + (s->weight ? 1 : 0);
    p->done = p->wait + (s->weight ? latency_of(&p->latency, s) + chain : 0);
    if (s->barrier)
        p->now += p->latency.shared;
    ir_each_reg(i, give, p);
}

static double run_block(struct path *p, u32 b)
{
    const double start = p->now;
    for (u32 s = p->f->blocks[b].first; s < p->f->blocks[b].end; s++)
        step(p, s);
    return p->now - start;
}

/* The predecessor that most warps come from, or IR_NO_BLOCK. */
static u32 busiest_before(const struct ir_func *f, const u64 *warps, u32 b)
{
    u32 best = IR_NO_BLOCK;
    for (u32 k = 0; k < f->nblocks; k++)
        for (u32 s = 0; s < f->blocks[k].nsucc; s++) {
            const u32 to = f->blocks[k].succs ? f->blocks[k].succs[s] : f->blocks[k].succ[s];
            if (to == b && warps[k] && (best == IR_NO_BLOCK || warps[k] > warps[best]))
                best = k;
        }
    return best;
}

double path_of(struct arena *mem, const struct gpu *gpu, const struct ir_func *f, const struct path_step *steps,
               const u64 *warps)
{
    struct path p = {.latency = latencies_of(gpu), .f = f, .steps = steps};
    double cycles = 0;
    p.ready = arena_array(mem, double, f->src->nregs + 1);
    for (u32 b = 0; b < f->nblocks; b++) {
        if (!warps[b])
            continue;
        for (u32 r = 0; r < f->src->nregs; r++)
            p.ready[r] = 0;
        p.now = 0;
        const u32 before = busiest_before(f, warps, b);
        if (before != IR_NO_BLOCK)
            run_block(&p, before);
        cycles += run_block(&p, b) * (double)warps[b];
    }
    return cycles;
}
