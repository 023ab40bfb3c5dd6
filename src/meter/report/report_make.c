/* report_make.c - a launch's report from the counters of its workers: the launch in words, events of all and by line, pictures, what
 * is modelled (caches were, while it ran; the replay and the time here), and the metrics of all that. */
#include <math.h>
#include <string.h>

#include "meter/code/code_length.h"
#include "meter/kernel.h"
#include "meter/metered.h"
#include "meter/replay/replay_meter.h"
#include "meter/report/heap.h"
#include "meter/report/machine.h"
#include "meter/report/prints.h"
#include "meter/totals.h"
#include "model/interval.h"

static const char *copy(struct arena *mem, const char *s) { return s ? arena_strndup(mem, s, strlen(s)) : NULL; }

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

/* ---- lines ---- */

static bool any_event(const u64 n[EVENT_COUNT])
{
    for (u32 e = 0; e < EVENT_COUNT; e++)
        if (n[e])
            return true;
    return false;
}

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

/* ---- what is modelled ---- */

/* Of no instruction: what the launch itself costs. */
static void add_beside(const struct meter *m, u64 n[EVENT_COUNT], u32 insts)
{
    const struct beside b = m->depth ? traffic_beside_child(&n[TRAFFIC_FIRST]) : traffic_beside(insts);
    n[EVENT_l2_beside] += b.l2;
    n[EVENT_l2_beside_reads] += b.l2_reads;
    n[EVENT_dram_reads] += b.dram_reads;
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
                                .l1_bytes = meter_l1_bytes(m),
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

/* ---- all of it ---- */

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

void meter_fill(const struct meter *m, struct meter_report *r, struct arena *tmp)
{
    struct total *totals;
    const u32 n = totals_add(tmp, m->workers, m->nworkers, &totals);
    u32 doubts = m->asked ? 0 : DOUBT_REGISTERS;
    for (u32 k = 0; k < n; k++) {
        totals[k].code =
            meter_kernel_code(m->options.kernel, tmp, &m->gpu, totals[k].func, totals[k].estimate, m->code);
        total_blocks(&totals[k]);
        doubts |= total_doubts(&totals[k]);
        for (u32 s = 0; s < totals[k].func->src->ninsts; s++)
            for (u32 e = 0; e < EVENT_COUNT; e++)
                r->n[e] += totals[k].n[s][e];
    }
    totals_rest(m->workers, m->nworkers, r->n);
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
