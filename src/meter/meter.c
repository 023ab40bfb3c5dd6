/* meter.c - a launch from begin to end: gives each worker a counter, and the report its contents (report_make.c). */
#include "meter/meter.h"

#include <string.h>

#include "base/alloc.h"
#include "meter/access/plain.h"
#include "meter/kernel.h"
#include "meter/metered.h"
#include "meter/report/heap.h"

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
                                                   .l1_bytes = meter_l1_bytes(m),
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
        .match = counter_match,
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

/* ---- end ---- */

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
    meter_fill(m, r, &tmp);
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
