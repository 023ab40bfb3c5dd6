/* replay_meter.c - puts code, streams and what served each instruction together, and has them replayed. */
#include "meter/replay/replay_meter.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "meter/replay/record.h"

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

/* A multicast asks once for all of its blocks. */
static float asked_of(const u64 n[EVENT_COUNT])
{
    const double own =
        (double)(n[EVENT_bulk_ld_sectors] - n[EVENT_bulk_ld_many_sectors]) + 4.0 * (double)n[EVENT_bulk_ld_many_lines];
    return own > 0 ? (float)fmin(1, (double)n[EVENT_l2_reads] / own) : 1;
}

/* Bytes of the link for each sector of the host's memory. */
static float link_of(const u64 n[EVENT_COUNT])
{
    const double sectors = (double)(n[EVENT_host_reads] + n[EVENT_host_writes]);
    return sectors > 0 ? (float)((double)n[EVENT_host_bytes] / sectors) : 0;
}

static float values_of(const u64 n[EVENT_COUNT])
{
    return n[EVENT_matches] ? (float)((double)n[EVENT_match_values] / (double)n[EVENT_matches]) : 1;
}

static struct replay_shares shares_of(const u64 n[EVENT_COUNT])
{
    return (struct replay_shares){.served = traffic_served(&n[TRAFFIC_FIRST]),
                                  .late = late_of(n),
                                  .values = values_of(n),
                                  .asked = asked_of(n),
                                  .link = link_of(n)};
}

static void make_func(struct arena *mem, const struct replayed_launch *l, struct replayed_func *f)
{
    const u32 n = f->func->src->ninsts;
    struct replay_shares *shares = arena_array(mem, struct replay_shares, n + 1);
    for (u32 s = 0; s < n; s++)
        shares[s] = shares_of(f->n[s]);
    f->replay = (struct replay_func){
        .code = f->code,
        .nsites = n,
        .shares = shares,
        .sites = arena_array(mem, struct replay_site, n + 1),
        .machine = f->code->machine ? l->machine : NULL,
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

/* DEVICE_CALLS: it is none of them. */
static enum device_call call_of(const struct ptx_inst *i)
{
    static const char *const names[DEVICE_CALLS][2] = {[CALL_PRINTF] = {"vprintf"},
                                                       [CALL_MALLOC] = {"malloc", "__cudaCDP2Malloc"},
                                                       [CALL_FREE] = {"free", "__cudaCDP2Free"}};
    const char *name = callee_of(i);
    for (u32 k = 0; name && k < DEVICE_CALLS; k++)
        if (!strcmp(name, names[k][0]) || (names[k][1] && !strcmp(name, names[k][1])))
            return (enum device_call)k;
    return DEVICE_CALLS;
}

/* How often each block of a function calls each. */
struct calls_of_block {
    u32 n[DEVICE_CALLS];
    i32 rise; /* the most that calls of malloc are ahead of those of free */
};

static void add_call(struct calls_of_block *b, enum device_call which)
{
    b->n[which]++;
    const i32 ahead = (i32)b->n[CALL_MALLOC] - (i32)b->n[CALL_FREE];
    b->rise = ahead > b->rise ? ahead : b->rise;
}

/* NULL: it calls none. */
static struct calls_of_block *calls_of(struct arena *mem, const struct ir_func *f)
{
    struct calls_of_block *all = NULL;
    for (u32 b = 0; b < f->nblocks; b++)
        for (u32 s = f->blocks[b].first; s < f->blocks[b].end; s++) {
            const enum device_call which = call_of(&f->src->insts[s]);
            if (which == DEVICE_CALLS)
                continue;
            if (!all)
                all = arena_array(mem, struct calls_of_block, f->nblocks);
            add_call(&all[b], which);
        }
    return all;
}

static void add_calls(struct device_calls *c, const struct replayed_func *f, const struct calls_of_block *calls)
{
    for (u32 b = 0; b < f->func->nblocks; b++)
        for (u32 k = 0; k < DEVICE_CALLS; k++) {
            c->n[k].threads += (double)calls[b].n[k] * (double)f->blocks[b].threads;
            c->n[k].warps += (double)calls[b].n[k] * (double)f->blocks[b].warps;
        }
}

/* The calls of a recorded warp, and how many of malloc it had not given back; `calls` by its functions' numbers. */
static void add_rounds(struct device_calls *c, const struct replay_stream *w, struct calls_of_block *const *calls,
                       u32 ncalls)
{
    double rounds[DEVICE_CALLS] = {0}, alive = 0;
    for (u64 k = 0; k < w->n; k++) {
        const u64 item = w->items[k];
        if (item_kind(item) != ITEM_ENTER || item_func(item) >= ncalls || !calls[item_func(item)])
            continue;
        const struct calls_of_block *b = &calls[item_func(item)][item_block(item)];
        for (u32 d = 0; d < DEVICE_CALLS; d++)
            rounds[d] += b->n[d];
        c->heap.peak = fmax(c->heap.peak, alive + b->rise);
        alive = fmax(0, alive + b->n[CALL_MALLOC] - b->n[CALL_FREE]);
    }
    for (u32 d = 0; d < DEVICE_CALLS; d++)
        c->n[d].rounds = fmax(c->n[d].rounds, rounds[d]);
}

static struct calls_of_block **calls_by_number(struct arena *mem, const struct replayed_launch *l,
                                               struct calls_of_block **calls, const struct replay_block_stream *b)
{
    struct calls_of_block **to = arena_array(mem, struct calls_of_block *, b->nfuncs + 1);
    for (u32 n = 0; n < b->nfuncs; n++)
        for (u32 k = 0; k < l->nfuncs; k++)
            if (b->funcs[n] == &l->funcs[k].replay)
                to[n] = calls[k];
    return to;
}

static struct device_heap_use heap_of(const struct replayed_launch *l, const struct replay_launch *r)
{
    struct device_heap_use u = {.bytes = (double)l->options->heap_bytes,
                                .blocks = (double)l->nblocks,
                                .held = (double)r->resident * l->warps * l->gpu->sms,
                                .before_n = (double)l->options->heap_n};
    for (u32 k = 0; k < HEAP_SIZES; k++) {
        u.before[k] = (double)l->options->heap_slots[k];
        struct device_heap_sum taken = {0};
        for (u32 w = 0; w < l->nworkers; w++)
            if (l->workers[w])
                device_heap_merge(&taken, &l->workers[w]->heap[k]);
        u.slots[k] = (double)device_heap_taken(&taken);
    }
    return u;
}

static double call_cycles(struct arena *mem, struct replayed_launch *l, const struct replay_launch *r)
{
    struct calls_of_block **calls = arena_array(mem, struct calls_of_block *, l->nfuncs + 1);
    struct device_calls c = {.heap = heap_of(l, r)};
    bool any = false;
    for (u32 k = 0; k < l->nfuncs; k++) {
        calls[k] = calls_of(mem, l->funcs[k].func);
        if (calls[k])
            add_calls(&c, &l->funcs[k], calls[k]);
        any |= calls[k] != NULL;
    }
    for (u32 b = 0; any && b < r->nrecorded; b++) {
        struct calls_of_block **by_number = calls_by_number(mem, l, calls, &r->blocks[b]);
        for (u32 w = 0; w < l->warps; w++)
            add_rounds(&c, &r->blocks[b].warps[w], by_number, r->blocks[b].nfuncs);
    }
    c.heap.taken = c.n[CALL_MALLOC];
    c.heap.given = c.n[CALL_FREE];
    l->calls = c;
    return any ? device_calls_cycles(l->gpu, &c) : 0;
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

static const struct replay_size *sizes_of(struct arena *mem, const struct replayed_launch *l)
{
    struct recorder **all = arena_array(mem, struct recorder *, l->nworkers + 1);
    for (u32 w = 0; w < l->nworkers; w++)
        all[w] = l->workers[w] ? l->workers[w]->recorder : NULL;
    if (!record_has_sizes(l->nblocks))
        return NULL;
    struct replay_size *sizes = arena_array(mem, struct replay_size, l->nblocks);
    return record_sizes(all, l->nworkers, l->nblocks, sizes) ? sizes : NULL;
}

static double over(u64 a, u64 b) { return b ? (double)a / (double)b : 0; }

/* Compare-and-swaps that changed memory: all, and at the word that had most. */
struct swaps {
    u64 all, hot;
};

static struct swaps swaps_of(const struct replayed_launch *l)
{
    struct swaps sum = {0};
    bool any = false;
    for (u32 w = 0; w < l->nworkers; w++)
        any |= l->workers[w] && l->workers[w]->swaps;
    for (u32 k = 0; any && k < SWAP_WORDS; k++) {
        u64 here = 0;
        for (u32 w = 0; w < l->nworkers; w++)
            here += l->workers[w] && l->workers[w]->swaps ? l->workers[w]->swaps[k] : 0;
        sum.all += here;
        sum.hot = here > sum.hot ? here : sum.hot;
    }
    return sum;
}

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
    const struct swaps swaps = swaps_of(l);
    struct replay_launch r = {
        .gpu = l->gpu,
        .nblocks = l->nblocks,
        .warps = l->warps,
        .resident = l->resident ? l->resident : 1,
        .slots = l->slots,
        .places = l->places,
        .l1_bytes = l->l1_bytes,
        .cost = cost_of(l),
        .sizes = sizes_of(mem, l),
        .reads = (double)l->n[EVENT_l2_reads],
        .atomics = (double)(l->n[EVENT_l2_atoms] + l->n[EVENT_l2_reds]),
        .hot = *l->hot,
        .swaps = swaps.all,
        .swaps_hot = swaps.hot,
        .dram_write_share =
            over(l->n[EVENT_dram_writes], l->n[EVENT_l2_writes] + l->n[EVENT_l2_atoms] + l->n[EVENT_l2_reds]),
        .dram_alone_share = over(l->hot->alone, l->n[EVENT_dram_writes]),
        .dram_fill_share = over(l->n[EVENT_l2_fills], l->n[EVENT_l2_writes]),
        .budget = BUDGET,
    };
    r.blocks = take_blocks(mem, l, &r.nrecorded);
    if (!r.blocks || !r.nrecorded)
        return false;
    r.calls = call_cycles(mem, l, &r);
    *out = replay_launch(mem, &r);
    for (u32 k = 0; k < l->nfuncs; k++)
        add_stalls(&l->funcs[k], out->scale);
    return true;
}
