/* time_path.c - how many cycles a warp needs that has the SM for itself: each basic block by a scoreboard, in the order
 * of the PTX, times how often warps came into it.
 *
 * An instruction is issued when its operands are there, at the earliest a cycle after the one before; its result is
 * there after the latency of its unit. A load's is that of the caches that served it, on the average of its sectors. A
 * block does not begin with everything ready: what is under way of the block that most warps come from is taken along,
 * for a loop's only block that is the block itself. */
#include "ir/pass.h"
#include "meter/count.h"
#include "meter/time.h"

struct path {
    const struct gpu *gpu;
    const struct ir_func *f;
    const struct estimate *e;
    u64 (*n)[EVENT_COUNT];
    double *ready; /* by register */
    double now;    /* when the last instruction was issued */
    double wait;   /* until the operands of the instruction that is looked at are there */
    double done;   /* when its results are */
};

/* ---- latencies ---- */

static double or_else(u32 latency, double otherwise) { return latency ? latency : otherwise; }

static double average(const struct path *p, const u64 *n)
{
    const double l1 = (double)(n[EVENT_l1_gld_hits] + n[EVENT_l1_other_hits]), l2 = (double)n[EVENT_l2_read_hits];
    const double dram = (double)n[EVENT_dram_reads];
    const double far = (double)n[EVENT_l2_far_hits], atomics = (double)(n[EVENT_l2_atoms] + n[EVENT_l2_reds]);
    const double all = l1 + l2 + far + dram + atomics, near = or_else(p->gpu->latency_l1, 40);
    if (all == 0)
        return near;
    return (l1 * near + (l2 + atomics) * or_else(p->gpu->latency_l2, 263) +
            far * 1.5 * or_else(p->gpu->latency_l2, 263) + dram * or_else(p->gpu->latency_dram, 500)) /
           all;
}

static double latency_of(const struct path *p, u32 site)
{
    const struct ptx_inst *i = &p->f->src->insts[site];
    const struct gpu *g = p->gpu;
    const u64 *n = p->n[site];
    switch (p->e->sites[site].event) {
    case EVENT_fp32:
        return or_else(g->latency_fp32, 4);
    case EVENT_fp64:
        return or_else(g->latency_fp64, 8);
    case EVENT_fp16:
        return or_else(p->e->sites[site].products ? g->latency_tensor : g->latency_fp16, 5);
    case EVENT_conversion:
        return or_else(g->latency_convert, 14);
    case EVENT_exchange:
        return or_else(g->latency_shuffle, 23);
    case EVENT_memory:
        if (n[EVENT_sld_requests] + n[EVENT_satom_requests] + n[EVENT_sst_requests]) {
            const double each =
                (double)(n[EVENT_sld_wavefronts] + n[EVENT_satom_wavefronts] + n[EVENT_sst_wavefronts]) /
                (double)(n[EVENT_sld_requests] + n[EVENT_satom_requests] + n[EVENT_sst_requests]);
            return or_else(g->latency_shared, 29) + each - 1;
        }
        return i->space == SPACE_PARAM ? 0 : average(p, n);
    default:
        return p->e->sites[site].products ? or_else(g->latency_tensor, 33) : or_else(g->latency_int, 4);
    }
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
    const u32 weight = p->e->sites[site].weight;
    const double latency = latency_of(p, site);
    p->wait = p->now;
    ir_each_reg(i, look, p);
    const double chain = weight > 1 ? (weight - 1) * or_else(p->gpu->latency_int, 4) : 0;
    p->now = p->wait + (weight ? 1 : 0);
    p->done = p->wait + (weight ? latency + chain : 0);
    if (i->op == OP_BAR || i->op == OP_BARRIER)
        p->now += or_else(p->gpu->latency_shared, 29);
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
static u32 busiest_before(const struct ir_func *f, const struct block_count *blocks, u32 b)
{
    u32 best = IR_NO_BLOCK;
    for (u32 k = 0; k < f->nblocks; k++)
        for (u32 s = 0; s < f->blocks[k].nsucc; s++) {
            const u32 to = f->blocks[k].succs ? f->blocks[k].succs[s] : f->blocks[k].succ[s];
            if (to == b && blocks[k].warps && (best == IR_NO_BLOCK || blocks[k].warps > blocks[best].warps))
                best = k;
        }
    return best;
}

void time_path_add(struct arena *mem, const struct gpu *gpu, const struct ir_func *f, const struct estimate *e,
                   const struct block_count *blocks, u64 (*n)[EVENT_COUNT], double *path)
{
    struct path p = {.gpu = gpu, .f = f, .e = e, .n = n};
    p.ready = arena_array(mem, double, f->src->nregs + 1);
    for (u32 b = 0; b < f->nblocks; b++) {
        if (!blocks[b].warps)
            continue;
        for (u32 r = 0; r < f->src->nregs; r++)
            p.ready[r] = 0;
        p.now = 0;
        const u32 before = busiest_before(f, blocks, b);
        if (before != IR_NO_BLOCK)
            run_block(&p, before);
        *path += run_block(&p, b) * (double)blocks[b].warps;
    }
}
