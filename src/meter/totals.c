/* totals.c - see totals.h. */
#include "meter/totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/mutate.h"
#include "ir/wgmma_shape.h"
#include "meter/executed.h"
#include "model/cache/sample.h"

/* ---- workers ---- */

static void add_worker(struct total *t, const struct func_count *f)
{
    for (u32 b = 0; b < t->func->nblocks; b++) {
        t->blocks[b].warps += f->blocks[b].warps;
        t->blocks[b].threads += f->blocks[b].threads;
    }
    for (u32 s = 0; s < t->func->src->ninsts; s++) {
        site_events(&f->sites[s], t->n[s]);
        if (f->sites[s].bulk)
            bulk_events(f->sites[s].bulk, &f->func->src->insts[s], t->n[s]);
        for (u32 e = 0; f->traffic && e < TRAFFIC_COUNT; e++)
            t->n[s][TRAFFIC_FIRST + e] += f->traffic[s].n[e];
        if (f->traffic)
            traffic_drawn_add(&t->drawn[s], &f->traffic[s].drawn);
    }
}

/* When all workers have been added. */
static void scale_traffic(struct total *t)
{
    for (u32 s = 0; s < t->func->src->ninsts; s++)
        sample_scale(&t->n[s][TRAFFIC_FIRST], &t->drawn[s]);
}

/* The functions of all workers, the kernel first, then by name and place in the text: independent of the schedule. */
static int by_order(const void *a, const void *b)
{
    const struct ir_func *x = ((const struct total *)a)->func, *y = ((const struct total *)b)->func;
    if (x->src->is_entry != y->src->is_entry)
        return x->src->is_entry ? -1 : 1;
    const int names = strcmp(x->name, y->name);
    return names ? names : (x->src->line > y->src->line) - (x->src->line < y->src->line);
}

static struct total *find_total(struct total *t, u32 n, const struct ir_func *f)
{
    for (u32 k = 0; k < n; k++)
        if (t[k].func == f)
            return &t[k];
    return NULL;
}

u32 totals_add(struct arena *tmp, struct counter *const *workers, unsigned n, struct total **out)
{
    VEC(struct total) all = {0};
    for (unsigned w = 0; w < n; w++)
        for (u32 k = 0; workers[w] && k < workers[w]->funcs.len; k++) {
            const struct func_count *f = workers[w]->funcs.at[k];
            struct total *t = find_total(all.at, all.len, f->func);
            if (!t) {
                const struct total fresh = {
                    .func = f->func,
                    .estimate = f->estimate,
                    .blocks = arena_array(tmp, struct exec_block_count, f->func->nblocks + 1),
                    .n = arena_alloc(tmp, sizeof(u64[EVENT_COUNT]) * (f->func->src->ninsts + 1)),
                    .drawn = arena_array(tmp, struct traffic_drawn, f->func->src->ninsts + 1),
                };
                vec_push(tmp, &all, fresh);
                t = &all.at[all.len - 1];
            }
            add_worker(t, f);
        }
    for (u32 k = 0; k < all.len; k++)
        scale_traffic(&all.at[k]);
    if (all.len)
        qsort(all.at, all.len, sizeof *all.at, by_order);
    *out = all.at;
    return all.len;
}

void totals_rest(struct counter *const *workers, unsigned nworkers, u64 n[EVENT_COUNT])
{
    struct traffic all = {0};
    for (unsigned w = 0; w < nworkers; w++) {
        const struct traffic *rest = workers[w] && workers[w]->caches ? caches_rest(workers[w]->caches) : NULL;
        for (u32 e = 0; rest && e < TRAFFIC_COUNT; e++)
            all.n[e] += rest->n[e];
        if (rest)
            traffic_drawn_add(&all.drawn, &rest->drawn);
    }
    sample_scale(all.n, &all.drawn);
    for (u32 e = 0; e < TRAFFIC_COUNT; e++)
        n[TRAFFIC_FIRST + e] += all.n[e];
}

/* ---- instructions ---- */

static void add_instruction_mix(u64 *n, const struct site_estimate *e, const struct exec_block_count *own)
{
    n[EVENT_ptx_inst] += own->warps;
    n[EVENT_ptx_thread_inst] += own->threads;
    n[e->event] += own->threads * e->weight;
    if (e->flops)
        n[e->flop] += own->threads * e->flops;
}

/* Memory instructions of the machine: executions of the block, also where a predicate switches all lanes off. What hit
 * by a generic address, and loops of compare-and-swap, are as many as their requests. */
static void add_access_inst(u64 *n, const struct ptx_inst *i, const struct site_estimate *e, u64 warps)
{
    if (i->space != SPACE_NONE && !e->loops && !e->follows)
        n[e->access] += warps * MUTANT(70, e->accesses, 1);
    if (i->space != SPACE_NONE && !e->loops)
        return;
    n[EVENT_gld_inst] += n[EVENT_gld_requests];
    n[EVENT_gst_inst] += n[EVENT_gst_requests];
    n[EVENT_gatom_inst] += n[EVENT_gatom_requests];
    n[EVENT_gred_inst] += n[EVENT_gred_requests];
    n[EVENT_lld_inst] += n[EVENT_lld_requests];
    n[EVENT_lst_inst] += n[EVENT_lst_requests];
    n[EVENT_sld_inst] += n[EVENT_sld_requests];
    n[EVENT_sst_inst] += n[EVENT_sst_requests];
    n[EVENT_satom_inst] += n[EVENT_satom_requests];
}

/* How often the block is entered from b: what its other predecessors do not account for. */
static struct exec_block_count entered_from(const struct total *t, u32 block, u32 from)
{
    struct exec_block_count n = t->blocks[block];
    for (u32 b = 0; b < t->func->nblocks; b++)
        for (u32 s = 0; b != from && s < t->func->blocks[b].nsucc; s++)
            if (t->func->blocks[b].succs[s] == block && t->func->blocks[b].nsucc == 1) {
                n.warps -= t->blocks[b].warps < n.warps ? t->blocks[b].warps : n.warps;
                n.threads -= t->blocks[b].threads < n.threads ? t->blocks[b].threads : n.threads;
            }
    return n;
}

static u64 shared_out(u64 executions, const struct site_part *p)
{
    return (executions * p->n + p->copies / 2) / (p->copies ? p->copies : 1);
}

/* What ptxas made of an instruction, each part as often as the block runs in which it stands. */
static void add_parts(const struct total *t, u64 *n, const struct site_estimate *e)
{
    static const u8 events[] = {
        [SASS_LDG] = EVENT_gld_inst,
        [SASS_STG] = EVENT_gst_inst,
        [SASS_LDS] = EVENT_sld_inst,
        [SASS_STS] = EVENT_sst_inst,
        [SASS_LDL] = EVENT_lld_inst,
        [SASS_STL] = EVENT_lst_inst,
        [SASS_RED] = EVENT_gred_inst,
        [SASS_ATOMG] = EVENT_gatom_inst,
        [SASS_ATOMS] = EVENT_satom_inst,
        [SASS_BRA] = EVENT_branches,
        [SASS_BRX] = EVENT_branches,
        [SASS_CALL] = EVENT_branches,
        [SASS_SHFL] = 0,
    };
    for (u32 at = e->part; at; at = t->estimate->parts[at - 1].next) {
        const struct site_part *p = &t->estimate->parts[at - 1];
        const struct exec_block_count b =
            p->back == IR_NO_BLOCK ? t->blocks[p->block] : entered_from(t, p->back, p->block);
        if (p->op < LS_ARRAY_LEN(events) && events[p->op])
            n[events[p->op]] += shared_out(b.warps, p);
    }
}

/* Without an answer: by the rules. */
static void add_by_rules(u64 *n, const struct ptx_inst *i, const struct site_estimate *e,
                         const struct exec_block_count *own, const struct exec_block_count *as)
{
    if (e->access)
        add_access_inst(n, i, e, MUTANT(53, as->warps, own->warps));
    if (e->branch == BRANCH_MACHINE)
        n[EVENT_branches] += own->warps;
}

/* A product of a warpgroup: its wavefronts are those of four warps. */
static void add_product(u64 *n, const struct ptx_inst *i, u64 warps)
{
    struct ir_wgmma_shape s;
    if (!ir_wgmma_shape(i, &s))
        return;
    const enum ptx_type a = (enum ptx_type)s.a;
    const enum event_id ops = a == PTX_F16                     ? EVENT_gmma_ops_f16
                              : a == PTX_BF16                  ? EVENT_gmma_ops_bf16
                              : a == PTX_TF32                  ? EVENT_gmma_ops_tf32
                              : a == PTX_E4M3 || a == PTX_E5M2 ? EVENT_gmma_ops_f8
                              : a == PTX_B1                    ? EVENT_gmma_ops_b1
                                                               : EVENT_gmma_ops_i8;
    n[EVENT_gmma_inst] += warps;
    n[EVENT_gmma_wavefronts] += warps * ir_wgmma_wavefronts(&s) / 4;
    n[ops] += warps * 2 * 16 * s.n * s.k;
}

void total_blocks(struct total *t)
{
    executed_add(t->func, t->code, t->blocks, t->n);
    for (u32 b = 0; b < t->func->nblocks; b++) {
        const struct exec_block_count *own = &t->blocks[b], *as = &t->blocks[t->estimate->counts_as[b]];
        for (u32 s = t->func->blocks[b].first; s < t->func->blocks[b].end; s++) {
            const struct site_estimate *e = &t->estimate->sites[s];
            u64 *n = t->n[s];
            if (t->estimate->asked)
                add_parts(t, n, e);
            else
                add_by_rules(n, &t->func->src->insts[s], e, own, as);
            add_instruction_mix(n, e, own);
            n[EVENT_tensor_inst] += as->warps * MUTANT(71, e->products, 1);
            add_product(n, &t->func->src->insts[s], as->warps);
            if (e->branch != BRANCH_MACHINE)
                n[EVENT_divergent] = MUTANT(54, 0, n[EVENT_divergent]);
            n[EVENT_inst] += e->joins ? n[EVENT_divergent] : 0;
        }
    }
}

/* ---- doubts ---- */

/* What it does to memory was seen in ptxas's code for one architecture, not counted on hardware. */
static bool is_matrix_access(const struct ptx_inst *i)
{
    const u8 memory = ptx_op_rows[i->op].memory;
    return MUTANT(72, memory == PTX_MEM_MATRIX_LOAD || memory == PTX_MEM_MATRIX_STORE, false);
}

u32 total_doubts(const struct total *t)
{
    const bool merges_known = t->estimate->asked && !t->estimate->unclear;
    u32 doubts = t->estimate->asked ? 0 : DOUBT_MACHINE;
    for (u32 s = 0; s < t->func->src->ninsts; s++) {
        const struct site_estimate *e = &t->estimate->sites[s];
        if (e->loops && t->n[s][EVENT_satom_requests])
            doubts |= DOUBT_SHARED_ATOM | DOUBT_SHARED_LD;
        if (is_matrix_access(&t->func->src->insts[s])) {
            doubts |= t->n[s][EVENT_gld_requests] || t->n[s][EVENT_gst_requests] ? DOUBT_GLOBAL : 0;
            doubts |= t->n[s][EVENT_sld_requests] ? DOUBT_SHARED_LD : 0;
            doubts |= t->n[s][EVENT_sst_requests] ? DOUBT_SHARED_ST : 0;
        }
        if (!merges_known && e->width && t->n[s][EVENT_sld_requests])
            doubts |= DOUBT_SHARED_LD;
        if (!merges_known && e->width && t->n[s][EVENT_sst_requests])
            doubts |= DOUBT_SHARED_ST;
    }
    return doubts;
}
