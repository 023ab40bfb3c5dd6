/* replay_meter.c - puts code, streams and what served each instruction together, and has them replayed. */
#include "meter/replay/replay_meter.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "meter/replay/make_code.h"
#include "meter/replay/record.h"
#include "model/device_calls.h"

_Static_assert(STALL_SELECTED == 0 && EVENT_stall_MISC - EVENT_stall_SELECTED + 1 == STALL_COUNT,
               "they stand together");

/* Machine instructions that are replayed at most: some tens of milliseconds. */
enum { BUDGET = 1 << 20 };

/* ---- functions ---- */

/* Of a site's sectors, those that came late. */
static float late_of(const u64 n[EVENT_COUNT])
{
    const double loads =
        (double)(n[EVENT_l1_gld_hits] + n[EVENT_l1_gld_misses] + n[EVENT_l1_other_hits] + n[EVENT_l1_other_misses]);
    return loads > 0 ? (float)fmin(1, (double)n[EVENT_l2_late] / loads) : 0;
}

static struct replay_shares shares_of(const u64 n[EVENT_COUNT])
{
    return (struct replay_shares){.served = traffic_served(&n[TRAFFIC_FIRST]), .late = late_of(n)};
}

static void make_func(struct arena *mem, const struct replayed_launch *l, struct replayed_func *f)
{
    const u32 n = f->func->src->ninsts;
    struct replay_shares *shares = arena_array(mem, struct replay_shares, n + 1);
    const struct replay_code *code = l->code ? code_from_sass(mem, l->gpu, f->func, l->code) : NULL;
    for (u32 s = 0; s < n; s++)
        shares[s] = shares_of(f->n[s]);
    f->replay = (struct replay_func){
        .code = code ? code : code_from_ptx(mem, l->gpu, f->func, f->estimate),
        .nsites = n,
        .shares = shares,
        .sites = arena_array(mem, struct replay_site, n + 1),
    };
}

static struct replay_func *find_func(struct replayed_launch *l, const struct ir_func *f)
{
    for (u32 k = 0; k < l->nfuncs; k++)
        if (l->funcs[k].func == f)
            return &l->funcs[k].replay;
    return NULL;
}

/* By the numbers that the worker's items have. */
static struct replay_func **funcs_of_worker(struct arena *mem, struct replayed_launch *l, const struct counter *c)
{
    struct replay_func **funcs = arena_array(mem, struct replay_func *, c->funcs.len + 1);
    for (u32 k = 0; k < c->funcs.len; k++)
        funcs[k] = find_func(l, c->funcs.at[k]->func);
    return funcs;
}

/* ---- calls of the device's run time ---- */

/* What a call calls; NULL: it is none, or through a pointer. */
static const char *callee_of(const struct ptx_inst *i)
{
    for (u32 k = 0; i->op == OP_CALL && k < i->noperands; k++)
        if (i->operands[k].kind == PTX_FUNC)
            return i->operands[k].func->name;
    return NULL;
}

static void add_calls(struct device_calls *c, const struct replayed_func *f)
{
    for (u32 b = 0; b < f->func->nblocks; b++)
        for (u32 s = f->func->blocks[b].first; s < f->func->blocks[b].end; s++) {
            const char *name = callee_of(&f->func->src->insts[s]);
            if (name && !strcmp(name, "vprintf"))
                c->prints += (double)f->blocks[b].threads;
            if (name && !strcmp(name, "malloc")) {
                c->mallocs += (double)f->blocks[b].threads;
                c->malloc_warps += (double)f->blocks[b].warps;
            }
        }
}

/* ---- blocks ---- */

static struct replay_block_stream stream_of(struct arena *mem, const struct record_block *b, u32 warps)
{
    struct replay_stream *streams = arena_array(mem, struct replay_stream, warps + 1);
    for (u32 w = 0; w < warps; w++)
        streams[w] = (struct replay_stream){b->items[w], b->lengths[w]};
    return (struct replay_block_stream){.warps = streams,
                                        .linear = b->linear,
                                        .cost = b->cost,
                                        .longest = b->longest,
                                        .rest = b->kept_cost > 0 ? b->cost / b->kept_cost : 1};
}

static struct replay_block_stream *take_blocks(struct arena *mem, struct replayed_launch *l, u32 *n)
{
    struct recorder **all = arena_array(mem, struct recorder *, l->nworkers + 1);
    struct replay_func ***funcs = arena_array(mem, struct replay_func **, l->nworkers + 1);
    for (u32 w = 0; w < l->nworkers; w++) {
        all[w] = l->workers[w] ? l->workers[w]->recorder : NULL;
        funcs[w] = all[w] ? funcs_of_worker(mem, l, l->workers[w]) : NULL;
    }
    u32 *worker = NULL;
    const struct record_block **kept = record_blocks(all, l->nworkers, &worker, n);
    struct replay_block_stream *blocks = arena_try_array(mem, struct replay_block_stream, *n + 1);
    for (u32 k = 0; blocks && k < *n; k++) {
        blocks[k] = stream_of(mem, kept[k], l->warps);
        blocks[k].funcs = funcs[worker[k]];
        blocks[k].nfuncs = l->workers[worker[k]]->funcs.len;
    }
    ls_free(kept);
    ls_free(worker);
    return blocks;
}

static double cost_of(const struct replayed_launch *l)
{
    double cost = 0;
    for (u32 w = 0; w < l->nworkers; w++)
        cost += l->workers[w] && l->workers[w]->recorder ? record_cost(l->workers[w]->recorder) : 0;
    return cost;
}

static double over(u64 a, u64 b) { return b ? (double)a / (double)b : 0; }

/* Cycles of the replayed warps as those of the whole launch. */
static void add_stalls(struct replayed_func *f, double scale)
{
    for (u32 s = 0; s < f->replay.nsites; s++)
        for (u32 k = 0; k < STALL_COUNT; k++)
            f->n[s][EVENT_stall_SELECTED + k] += (u64)(f->replay.sites[s].stalls[k] * scale + 0.5);
}

bool replay_metered(struct arena *mem, struct replayed_launch *l, struct replay_result *out)
{
    for (u32 k = 0; k < l->nfuncs; k++)
        make_func(mem, l, &l->funcs[k]);
    struct replay_launch r = {
        .gpu = l->gpu,
        .nblocks = l->nblocks,
        .warps = l->warps,
        .resident = l->resident ? l->resident : 1,
        .l1_bytes = l->l1_bytes,
        .cost = cost_of(l),
        .reads = (double)l->n[EVENT_l2_reads],
        .atomics = (double)(l->n[EVENT_l2_atoms] + l->n[EVENT_l2_reds]),
        .hot = *l->hot,
        .dram_write_share =
            over(l->n[EVENT_dram_writes], l->n[EVENT_l2_writes] + l->n[EVENT_l2_atoms] + l->n[EVENT_l2_reds]),
        .budget = BUDGET,
    };
    struct device_calls calls = {.warps = (double)l->nblocks * l->warps};
    for (u32 k = 0; k < l->nfuncs; k++)
        add_calls(&calls, &l->funcs[k]);
    r.calls = device_calls_cycles(&calls);
    r.blocks = take_blocks(mem, l, &r.nrecorded);
    if (!r.blocks || !r.nrecorded)
        return false;
    *out = replay_launch(mem, &r);
    for (u32 k = 0; k < l->nfuncs; k++)
        add_stalls(&l->funcs[k], out->scale);
    return true;
}
