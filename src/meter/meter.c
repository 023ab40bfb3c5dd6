/* meter.c - a launch from begin to end: gives each worker a counter, adds them up, and makes the report.
 *
 * What follows from addresses is added access by access (count.c); what a block of instructions did is the number of
 * times it was entered, so it is added up once, here, instruction by instruction. */
#include "meter/meter.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/mutate.h"
#include "ir/wgmma_shape.h"
#include "meter/code/code_length.h"
#include "meter/count.h"
#include "meter/executed.h"
#include "meter/heap.h"
#include "meter/kernel.h"
#include "meter/machine.h"
#include "meter/plain.h"
#include "meter/prints.h"
#include "meter/replay/record.h"
#include "meter/replay/replay_meter.h"
#include "model/cache/sample.h"
#include "model/interval.h"

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

/* ---- begin ---- */

static bool make_room(struct meter *m, unsigned worker)
{
    if (worker < m->nworkers)
        return true;
    struct counter **w = ls_realloc(m->workers, sizeof *w * (worker + 1));
    if (!w)
        return false;
    for (unsigned i = m->nworkers; i <= worker; i++)
        w[i] = NULL;
    m->workers = w;
    m->nworkers = worker + 1;
    return true;
}

static void *worker_begin(void *launch, unsigned worker)
{
    struct meter *m = launch;
    if (make_room(m, worker)) {
        struct counter **c = &m->workers[worker];
        if (!*c && (*c = counter_make(&m->gpu, m->options.no_memo))) {
            (*c)->keeps_pictures = m->options.pictures;
            (*c)->plain = !m->options.pictures && !m->options.no_memo;
            (*c)->code = m->code;
            (*c)->caches = m->caches ? caches_worker(m->caches) : NULL;
            (*c)->memory_base = m->options.memory_base;
            (*c)->recorder = m->caches ? recorder_make(&m->recorded) : NULL;
            m->failed |= m->caches && (!(*c)->caches || !(*c)->recorder);
        }
        if (*c)
            return *c;
    }
    m->failed = true;
    return &m->dead;
}

static void set_options(struct meter *m, const struct meter_options *o)
{
    m->options = o ? *o : METER_OPTIONS_DEFAULT;
    if (m->options.base_clock)
        time_at_base_clock(&m->gpu);
    if (m->options.banks && m->options.banks <= BANKS_MAX)
        m->gpu.banks = m->options.banks;
    if (m->options.bank_bytes && !(m->options.bank_bytes & (m->options.bank_bytes - 1)))
        m->gpu.bank_bytes = m->options.bank_bytes;
}

static void ask_registers(struct meter *m)
{
    const u32 sm = m->gpu.cc_major * 10 + m->gpu.cc_minor;
    const struct meter_options *o = &m->options;
    const struct sass_func *code = NULL;
    const struct ptxas with = {o->ptxas, o->tmp, o->machine};
    const u32 asked = o->ptx_text ? ptxas_ask(&with, o->ptx_text, o->ptx_len, sm, m->kernel->name, &code) : 0;
    /* the driver gives every kernel 16 at least, also where ptxas says fewer */
    m->registers = !asked ? meter_kernel_registers(o->kernel, &m->gpu, m->kernel) : asked < 16 ? 16 : asked;
    m->asked = asked != 0;
    m->code = asked ? code : NULL;
    m->occupancy = occupancy(&m->gpu, &(struct occupancy_request){
                                          .threads = m->block[0] * m->block[1] * m->block[2],
                                          .regs = m->registers,
                                          .static_shared = m->kernel->shared_bytes,
                                          .dynamic_shared = m->dynamic_shared,
                                          .carveout_kib = m->options.carveout_kib,
                                          .barriers = m->kernel->nbarriers,
                                      });
}

static u64 l1_bytes(const struct meter *m) { return occupancy_l1_bytes(&m->gpu, m->occupancy.carveout_kib * 1024ull); }

/* What the grids above it and before it have left; NULL: nothing. */
static struct caches *take_before(struct meter *m)
{
    struct meter_tree *t = m->options.tree;
    struct caches *before = t ? t->caches : NULL;
    if (t)
        t->caches = NULL;
    if (m->depth)
        return before;
    caches_free(before);
    return NULL;
}

void meter_tree_end(struct meter_tree *t)
{
    caches_free(t->caches);
    t->caches = NULL;
}

static bool make_caches(struct meter *m)
{
    const u32 warps = (m->block[0] * m->block[1] * m->block[2] + 31) / 32;
    m->caches = caches_make(&(struct caches_input){.gpu = &m->gpu,
                                                   .l1_bytes = l1_bytes(m),
                                                   .memory_base = m->options.memory_base,
                                                   .host = m->options.host,
                                                   .nhost = m->options.nhost,
                                                   .nblocks = (u64)m->grid[0] * m->grid[1] * m->grid[2],
                                                   .resident = m->occupancy.blocks_per_sm,
                                                   .warps = warps,
                                                   .before = take_before(m)});
    m->recorded = (struct record_launch){.nblocks = (u64)m->grid[0] * m->grid[1] * m->grid[2],
                                         .warps = warps,
                                         .resident = m->occupancy.blocks_per_sm ? m->occupancy.blocks_per_sm : 1,
                                         .sms = m->gpu.sms ? m->gpu.sms : 1};
    m->hooks.block_begin = counter_block_begin;
    m->hooks.block_end = counter_block_end;
    m->hooks.heap = counter_heap;
    m->hooks.order = counter_order;
    m->hooks.release = counter_release;
    return m->caches != NULL;
}

enum ls_status meter_begin(const struct exec_launch *l, const struct gpu *gpu, const struct meter_options *options,
                           struct meter **out)
{
    struct meter *m = ls_calloc(1, sizeof *m);
    if (!m)
        return LS_ERR_NOMEM;
    m->gpu = gpu ? *gpu : l->device->gpu;
    set_options(m, options);
    m->kernel = l->kernel;
    memcpy(m->grid, l->grid, sizeof m->grid);
    memcpy(m->block, l->block, sizeof m->block);
    memcpy(m->cluster, l->cluster, sizeof m->cluster);
    m->dynamic_shared = l->dynamic_shared;
    m->id = l->id;
    m->parent = l->parent;
    m->root = l->depth ? l->root : 0;
    m->depth = l->depth;
    m->dead.failed = true;
    m->hooks = (struct exec_hooks){
        .launch = m,
        .worker_begin = worker_begin,
        .counts = counter_counts,
        .enter = counter_enter,
        .diverge = counter_diverge,
        .access = counter_access,
        .far_access = counter_far_access,
        .barrier = counter_barrier,
        .bulk = counter_bulk,
        .whole = true,
    };
    if (m->options.pictures) {
        m->hooks.block_begin = picture_block;
        m->hooks.access = picture_access;
    }
    ask_registers(m);
    if (m->options.caches && !make_caches(m)) {
        ls_free(m);
        return LS_ERR_NOMEM;
    }
    *out = m;
    return LS_OK;
}

const struct exec_hooks *meter_hooks(struct meter *m) { return &m->hooks; }

/* ---- adding up ---- */

/* One function of the launch: all workers together. */
struct total {
    const struct ir_func *func;
    const struct estimate *estimate;
    const struct replay_code *code;
    struct exec_block_count *blocks;
    u64 (*n)[EVENT_COUNT];       /* by site */
    struct traffic_drawn *drawn; /* likewise */
};

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

/* Traffic of sites that had no number. */
static void add_rest(const struct meter *m, u64 n[EVENT_COUNT])
{
    struct traffic all = {0};
    for (unsigned w = 0; w < m->nworkers; w++) {
        const struct traffic *rest = m->workers[w] && m->workers[w]->caches ? caches_rest(m->workers[w]->caches) : NULL;
        for (u32 e = 0; rest && e < TRAFFIC_COUNT; e++)
            all.n[e] += rest->n[e];
        if (rest)
            traffic_drawn_add(&all.drawn, &rest->drawn);
    }
    sample_scale(all.n, &all.drawn);
    for (u32 e = 0; e < TRAFFIC_COUNT; e++)
        n[TRAFFIC_FIRST + e] += all.n[e];
}

/* Of no instruction: what the launch itself costs. */
static void add_beside(const struct meter *m, u64 n[EVENT_COUNT], u32 insts)
{
    const struct beside b = m->depth ? traffic_beside_child(&n[TRAFFIC_FIRST]) : traffic_beside(insts);
    n[EVENT_l2_beside] += b.l2;
    n[EVENT_l2_beside_reads] += b.l2_reads;
    n[EVENT_dram_reads] += b.dram_reads;
}

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

static void add_blocks(struct total *t)
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

/* What it does to memory was seen in ptxas's code for one architecture, not counted on hardware. */
static bool is_matrix_access(const struct ptx_inst *i)
{
    const u8 memory = ptx_op_rows[i->op].memory;
    return MUTANT(72, memory == PTX_MEM_MATRIX_LOAD || memory == PTX_MEM_MATRIX_STORE, false);
}

static u32 doubts_of(const struct total *t)
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

/* ---- lines ---- */

static bool any_event(const u64 n[EVENT_COUNT])
{
    for (u32 e = 0; e < EVENT_COUNT; e++)
        if (n[e])
            return true;
    return false;
}

static const char *copy(struct arena *mem, const char *s) { return s ? arena_strndup(mem, s, strlen(s)) : NULL; }

static struct meter_line make_line(struct arena *mem, const struct total *t, u32 site)
{
    const struct ptx_inst *i = &t->func->src->insts[site];
    const struct ptx_module *mod = t->func->mod;
    struct meter_line l = {.function = t->func->name, .ptx_line = i->line};
    char text[160];
    if (mod && i->loc && i->loc <= mod->nlocs) {
        const struct ptx_loc *loc = &mod->locs[i->loc - 1];
        l.line = loc->line;
        l.file = loc->file < mod->nfiles ? copy(mem, mod->files[loc->file]) : NULL;
    }
    ptx_print_inst(i, text, sizeof text);
    l.ptx = copy(mem, text);
    memcpy(l.n, t->n[site], sizeof l.n);
    return l;
}

static void add_lines(struct meter_report *r, struct total *totals, u32 ntotals)
{
    VEC(struct meter_line) lines = {0};
    for (u32 k = 0; k < ntotals; k++) {
        const char *function = copy(&r->mem, totals[k].func->name);
        for (u32 s = 0; s < totals[k].func->src->ninsts; s++) {
            if (!any_event(totals[k].n[s]))
                continue;
            struct meter_line l = make_line(&r->mem, &totals[k], s);
            l.function = function;
            vec_push(&r->mem, &lines, l);
        }
    }
    r->lines = lines.at;
    r->nlines = lines.len;
}

/* ---- pictures ---- */

static void place_picture(struct meter_picture *p, struct arena *mem, const struct picture_sample *s)
{
    const struct ptx_inst *i = &s->func->src->insts[s->site];
    const struct ptx_module *mod = s->func->mod;
    p->ptx_line = i->line;
    if (mod && i->loc && i->loc <= mod->nlocs) {
        const struct ptx_loc *loc = &mod->locs[i->loc - 1];
        p->line = loc->line;
        p->file = loc->file < mod->nfiles ? copy(mem, mod->files[loc->file]) : NULL;
    }
}

static struct meter_picture make_picture(struct arena *mem, const struct picture_sample *s)
{
    static const char *const ops[] = {
        [ACCESS_LD] = "ld", [ACCESS_ST] = "st", [ACCESS_ATOM] = "atom", [ACCESS_RED] = "red"};
    const bool device = s->space == SPACE_GLOBAL || s->space == SPACE_CONST;
    struct meter_picture p = {.space = s->space == SPACE_GLOBAL   ? "global"
                                       : s->space == SPACE_SHARED ? "shared"
                                       : s->space == SPACE_LOCAL  ? "local"
                                       : s->space == SPACE_CONST  ? "const"
                                                                  : "other",
                              .op = s->op < LS_ARRAY_LEN(ops) ? ops[s->op] : "other",
                              .size = s->size,
                              .mask = s->mask};
    u64 lowest = UINT64_MAX;
    for (u32 lane = 0; lane < 32; lane++)
        if (s->mask >> lane & 1 && s->addr[lane] < lowest)
            lowest = s->addr[lane];
    for (u32 lane = 0; lane < 32; lane++)
        if (s->mask >> lane & 1)
            p.addr[lane] = s->addr[lane] - (device ? lowest / 128 * 128 : 0);
    place_picture(&p, mem, s);
    return p;
}

static void add_pictures(const struct meter *m, struct meter_report *r)
{
    VEC(struct meter_picture) all = {0};
    for (unsigned w = 0; w < m->nworkers; w++)
        for (u32 k = 0; m->workers[w] && k < m->workers[w]->samples.len; k++) {
            const struct meter_picture p = make_picture(&r->mem, &m->workers[w]->samples.at[k]);
            vec_push(&r->mem, &all, p);
        }
    r->pictures = all.at;
    r->npictures = all.len;
}

/* ---- end ---- */

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

static u32 add_workers(struct arena *tmp, const struct meter *m, struct total **out)
{
    VEC(struct total) all = {0};
    for (unsigned w = 0; w < m->nworkers; w++)
        for (u32 k = 0; m->workers[w] && k < m->workers[w]->funcs.len; k++) {
            const struct func_count *f = m->workers[w]->funcs.at[k];
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

static void describe_launch(const struct meter *m, struct meter_report *r)
{
    r->kernel = copy(&r->mem, m->kernel->name);
    r->device = copy(&r->mem, m->gpu.id);
    r->cc[0] = m->gpu.cc_major;
    r->cc[1] = m->gpu.cc_minor;
    r->status = "ok";
    r->id = m->id;
    r->parent = m->parent;
    r->root = m->root;
    r->depth = m->depth;
    memcpy(r->grid, m->grid, sizeof r->grid);
    memcpy(r->block, m->block, sizeof r->block);
    memcpy(r->cluster, m->cluster, sizeof r->cluster);
    r->static_shared = m->kernel->shared_bytes;
    r->dynamic_shared = m->dynamic_shared;
    r->shared_reserved = m->gpu.shared_reserved;
    r->sms = m->gpu.sms;
    r->schedulers = m->gpu.sub_partitions;
    r->registers = m->registers;
    r->occupancy = m->occupancy;
    r->modelled = m->caches != NULL;
}

static void set_interval(struct model_time *t, enum interval_code code)
{
    const struct interval_signs signs = interval_signs_of(t, code);
    const struct time_interval i = time_interval_of(&signs);
    t->low_ns = i.low_ns;
    t->high_ns = i.high_ns;
    t->measured = i.launches;
}

/* What malloc and free ask for. Half of it is asked of the other half of L2, which is no load of an SM's. */
static void add_heap(const struct meter *m, struct meter_report *r, const struct device_heap_use *u)
{
    const struct device_heap_sectors s = device_heap_sectors(&m->gpu, u);
    const double far = caches_halves(m->caches) > 1 ? 0.5 : 0;
    const double miss = fmin(s.reads, s.dram); /* of reads, as if nothing else missed */
    r->n[EVENT_l2_reads] += (u64)s.reads;
    r->n[EVENT_l2_read_hits] += (u64)(s.reads - miss);
    r->n[EVENT_l2_far_reads] += (u64)(far * s.reads);
    r->n[EVENT_l2_far_hits] += (u64)(far * (s.reads - miss));
    r->n[EVENT_l2_writes] += (u64)s.writes;
    r->n[EVENT_l2_far_writes] += (u64)(far * s.writes);
    r->n[EVENT_l2_atoms] += (u64)s.atoms;
    r->n[EVENT_l2_far_atoms] += (u64)(far * s.atoms);
    r->n[EVENT_l2_settles] = (u64)(fmax((double)r->n[EVENT_l2_settles], s.settles) + s.fences);
    r->n[EVENT_l2_beside] += (u64)s.code;
    r->n[EVENT_l2_beside_reads] += (u64)s.code;
    r->n[EVENT_dram_reads] += (u64)s.dram;
}

/* Compare-and-swaps that the engine did not run, as it has no other block that is faster. */
static void add_tries(struct meter_report *r, double tries)
{
    const u64 atoms = r->n[EVENT_l2_atoms], far = r->n[EVENT_l2_far_atoms];
    const double share = atoms ? (double)far / (double)atoms : 0;
    r->n[EVENT_l2_atoms] += (u64)tries;
    r->n[EVENT_l2_far_atoms] += (u64)(share * tries);
}

static void add_replay(const struct meter *m, struct meter_report *r, const struct model_work *w,
                       const struct total *totals, u32 n, struct arena *tmp)
{
    struct replayed_launch l = {.gpu = &m->gpu,
                                .code = m->code,
                                .nblocks = w->blocks,
                                .warps = w->warps,
                                .resident = w->resident,
                                .slots = m->occupancy.slots,
                                .places = m->occupancy.places,
                                .l1_bytes = l1_bytes(m),
                                .funcs = arena_array(tmp, struct replayed_func, n + 1),
                                .nfuncs = n,
                                .workers = m->workers,
                                .nworkers = m->nworkers,
                                .n = r->n,
                                .options = &m->options,
                                .hot = caches_hot(m->caches)};
    struct replay_result result;
    for (u32 k = 0; k < n; k++)
        l.funcs[k] = (struct replayed_func){
            .func = totals[k].func, .code = totals[k].code, .blocks = totals[k].blocks, .n = totals[k].n};
    if (m->options.machine && m->code)
        l.machine = arena_array(tmp, struct replay_site, m->code->n + 1);
    if (!replay_metered(tmp, &l, &result))
        return;
    if (l.machine)
        machine_add(r, tmp, &l, result.scale);
    time_replayed(&r->time, &m->gpu, w, &result);
    l.calls.heap.own_cycles = result.cycles - device_calls_cycles(&m->gpu, &l.calls);
    add_heap(m, r, &l.calls.heap);
    add_tries(r, result.tries);
    for (u32 k = 0; k < n; k++)
        for (u32 s = 0; s < totals[k].func->src->ninsts; s++)
            for (u32 e = EVENT_stall_SELECTED; e <= EVENT_stall_MISC; e++)
                r->n[e] += totals[k].n[s][e];
}

static void add_time(const struct meter *m, struct meter_report *r, const struct total *totals, u32 n,
                     struct arena *tmp)
{
    struct model_work w = work_of_report(r);
    w.slice_sectors = (double)caches_hot(m->caches)->slice[HOT_ATOMICS];
    for (u32 k = 0; k < n; k++)
        w.path += work_path(tmp, &m->gpu, totals[k].func, totals[k].estimate, totals[k].blocks, totals[k].n);
    r->time = time_of(&m->gpu, &w);
    add_replay(m, r, &w, totals, n, tmp);
    set_interval(&r->time, m->code ? INTERVAL_MACHINE : INTERVAL_ESTIMATED);
    r->n[EVENT_time_ns] = (u64)(r->time.ns + 0.5);
}

/* Machine instructions of the kernel and of what it calls. */
static u32 code_size(const struct meter *m, const struct total *totals, u32 n)
{
    u32 insts = 0;
    for (u32 k = 0; !m->code && k < n; k++)
        insts += code_length(totals[k].func, totals[k].estimate->sites);
    return m->code ? m->code->n : insts;
}

static void set_metrics(struct meter_report *r, u32 doubts)
{
    const bool replayed = stall_cycles(r->n) > 0;
    for (u32 i = 0; i < METRIC_COUNT; i++) {
        const bool absent = (metric_info(i)->kind == METRIC_MODELLED && !r->modelled) ||
                            (metric_doubts(i) & DOUBT_NO_REPLAY && !replayed);
        r->metrics[i].value = absent ? NAN : metric_of_launch(r, i);
        r->metrics[i].kind = metric_doubts(i) & doubts ? METRIC_ESTIMATED : metric_info(i)->kind;
    }
}

/* What calls of printf move. */
static void add_prints(const struct meter *m, struct meter_report *r, const struct total *totals, u32 n)
{
    const u64 blocks = (u64)m->grid[0] * m->grid[1] * m->grid[2],
              warps = (m->block[0] * m->block[1] * m->block[2] + 31) / 32;
    const double all = (double)(blocks * warps) / (m->gpu.sms ? m->gpu.sms : 1);
    struct device_print p = {0};
    for (u32 k = 0; k < n; k++)
        prints_add(&p, totals[k].func, totals[k].blocks);
    prints_events(&p, fmin(fmax(all, (double)warps), (double)m->occupancy.blocks_per_sm * (double)warps), r->n);
}

static void fill(const struct meter *m, struct meter_report *r, struct arena *tmp)
{
    struct total *totals;
    const u32 n = add_workers(tmp, m, &totals);
    u32 doubts = m->asked ? 0 : DOUBT_REGISTERS;
    for (u32 k = 0; k < n; k++) {
        totals[k].code =
            meter_kernel_code(m->options.kernel, tmp, &m->gpu, totals[k].func, totals[k].estimate, m->code);
        add_blocks(&totals[k]);
        doubts |= doubts_of(&totals[k]);
        for (u32 s = 0; s < totals[k].func->src->ninsts; s++)
            for (u32 e = 0; e < EVENT_COUNT; e++)
                r->n[e] += totals[k].n[s][e];
    }
    add_rest(m, r->n);
    if (m->caches)
        add_beside(m, r->n, code_size(m, totals, n));
    describe_launch(m, r);
    if (m->caches) {
        add_time(m, r, totals, n, tmp);
        const u64 meanwhile = m->depth ? 0 : traffic_meanwhile(r->time.ns);
        r->n[EVENT_l2_beside] += meanwhile;
        r->n[EVENT_l2_beside_reads] += meanwhile;
        add_prints(m, r, totals, n);
    }
    set_metrics(r, doubts);
    if (!m->options.no_lines)
        add_lines(r, totals, n);
    add_pictures(m, r);
}

static bool any_failed(const struct meter *m)
{
    for (unsigned w = 0; w < m->nworkers; w++)
        if (m->workers[w] && (m->workers[w]->failed || !record_good(m->workers[w]->recorder)))
            return true;
    return m->failed;
}

static struct meter_report *make_report(const struct meter *m)
{
    for (unsigned w = 0; w < m->nworkers; w++)
        if (m->workers[w]) {
            plain_settle(m->workers[w]);
            counter_settle(m->workers[w]);
        }
    const bool good = (!m->caches || caches_finish(m->caches)) && !any_failed(m);
    struct meter_report *r = good ? ls_calloc(1, sizeof *r) : NULL;
    if (!r)
        return NULL;
    r->mem.name = "report";
    struct arena tmp = ARENA_UNDER("tmp", &r->mem);
    if (setjmp(r->mem.oom)) {
        arena_free(&tmp);
        meter_report_free(r);
        return NULL;
    }
    fill(m, r, &tmp);
    arena_free(&tmp);
    return r;
}

struct meter_report *meter_end(struct meter *m)
{
    struct meter_report *r = make_report(m);
    for (unsigned w = 0; w < m->nworkers; w++)
        counter_free(m->workers[w]);
    if (m->caches && m->options.tree) {
        caches_end(m->caches);
        m->options.tree->caches = m->caches;
    } else {
        caches_free(m->caches);
    }
    ls_free(m->workers);
    ls_free(m);
    return r;
}
