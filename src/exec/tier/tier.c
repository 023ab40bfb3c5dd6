/* tier.c - which kernels are compiled, and when: each for the dimensions of the blocks that it is launched with, and with
 * counters or without.
 *
 * A kernel's blocks are interpreted until that has taken as much processor time (PATIENCE times) as compiling it is expected
 * to; then a job of the queue compiles it, and blocks that begin after that are in code. That time is spent then: another code of
 * the kernel is compiled when it has been interpreted for as long again. So no process takes more than half of its time
 * to compile, and most far less, as few kernels run so long; and who waited could have saved half at most. Far less is enough to
 * look into the cache on disk. What cannot be compiled is not asked for again.
 *
 * When code is ready depends on the moment, and nothing else does: neither results nor counters. */
#include "exec/tier/tier.h"

#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "exec/tier/compile.h"
#include "exec/tier/queue.h"

enum { PATIENCE = 1, MOST_VARIANTS = 8 };
/* What compiling is expected to take, ns: loading LLVM, and each record, as the first kernels of a process are; those that it
 * has compiled count as much as so many records of that. */
enum { LOAD_NS = 40000000, RECORD_NS = 2000000, RECORDS_ASSUMED = 100 };
/* What interpreting takes before a kernel is looked for in the cache, ns, and for each of its records. */
enum { WARM_NS = 2000000, WARM_RECORD_NS = 40000 };
/* An interpreted warp instruction until a worker's thread has looked at the clock, ns: fast, and with events. */
enum { INST_NS = 3, INST_COUNTED_NS = 5 };
/* It looks when it has run so many: every millisecond or so. */
enum { LOOK_INSTRUCTIONS = 200000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all functions' lists */

/* Code tells what traced bodies tell, and arrivals at barriers. An instrument that may count for itself (exec_hooks.counts)
 * asks no access for values, which code has not got. */
static bool serves(const struct exec_hooks *h)
{
    return h->counts && !h->release && !h->warp_sync && !h->order && !h->exit && !h->heap && !h->fault;
}

bool tier_may_run(const struct grid *g)
{
    const struct exec_launch *l = g->launch;
    const bool counted = g->mode == IR_TRACED && l->hooks && serves(l->hooks);
    return l->device->tier && !l->cluster[0] && l->device->tier != TIER_OFF && l->device->isa != ISA_PORTABLE &&
           !l->device->weak_memory && !l->one_lane && (counted || (g->mode == IR_FAST && !l->hooks));
}

static struct tier_code *find(const struct grid *g)
{
    struct tier_code *c = atomic_load_explicit(&g->kernel->codes, memory_order_acquire);
    while (c && (c->mode != g->mode || memcmp(c->block, g->launch->block, sizeof c->block) != 0))
        c = c->next;
    return c;
}

/* ---- what compiling takes ---- */

static u64 processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* Of all that was compiled; 0 records: LLVM is not loaded. */
static _Atomic u64 compiled_ns, compiled_records;

static u64 records_of(const struct exec_func *f, enum ir_mode mode) { return f->ir->code[mode].n; }

static u64 expected_ns(const struct exec_func *f, enum ir_mode mode)
{
    const u64 records = atomic_load_explicit(&compiled_records, memory_order_relaxed);
    const u64 ns = atomic_load_explicit(&compiled_ns, memory_order_relaxed) + (u64)RECORDS_ASSUMED * RECORD_NS;
    return records_of(f, mode) * (ns / (records + RECORDS_ASSUMED)) + (records ? 0 : LOAD_NS);
}

/* That of the first has LLVM's loading in it, which is no record's. */
static void note_compilation(const struct tier_code *c, u64 ns)
{
    if (!atomic_load(&compiled_records))
        ns -= ns < LOAD_NS ? ns : LOAD_NS;
    atomic_fetch_add(&compiled_ns, ns);
    atomic_fetch_add(&compiled_records, records_of(c->f, c->mode));
}

/* ---- jobs ---- */

static void compile_job(void *arg)
{
    struct tier_code *c = arg;
    const u64 since = processor_ns();
    const bool ok = tier_compile(c);
    if (ok)
        note_compilation(c, processor_ns() - since);
    atomic_store_explicit(&c->phase, ok ? TIER_READY : TIER_FAILED, memory_order_release);
}

static void recall_job(void *arg)
{
    struct tier_code *c = arg;
    atomic_store_explicit(&c->phase, tier_recall(c) ? TIER_READY : TIER_COLD, memory_order_release);
}

static void drop_job(void *arg)
{
    struct tier_code *c = arg;
    atomic_store_explicit(&c->phase, TIER_FAILED, memory_order_release);
}

/* Enters code that is to be made; NULL: somebody has, or there is enough of it. */
static struct tier_code *enter_new(struct grid *g)
{
    struct exec_func *f = g->kernel;
    struct tier_code *c = NULL;
    u32 n = 0;
    pthread_mutex_lock(&lock);
    for (const struct tier_code *k = atomic_load(&f->codes); k; k = k->next)
        n++;
    if (n < MOST_VARIANTS && !find(g))
        c = ls_calloc(1, sizeof *c);
    if (c) {
        c->f = f;
        c->mode = g->mode;
        c->mixed = g->launch->device->tier == TIER_MIXED ? 1 + (u32)(g->launch->seed % 1000) : 0;
        memcpy(c->block, g->launch->block, sizeof c->block);
        c->next = atomic_load(&f->codes);
        atomic_store_explicit(&f->codes, c, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return c;
}

static void ask_now(struct grid *g)
{
    struct tier_code *c = enter_new(g);
    if (c && !tier_queue_run(compile_job, drop_job, c))
        drop_job(c);
}

/* A kernel that has run for a while: at first it may be in the cache. */
static void ask_cache(struct grid *g)
{
    struct tier_code *c = enter_new(g);
    if (c && !g->launch->device->tier_cache)
        atomic_store_explicit(&c->phase, TIER_COLD, memory_order_release);
    else if (c && !tier_queue_add(recall_job, drop_job, c))
        drop_job(c);
}

/* ---- what interpreting took ---- */

/* Where the thread stood when it last looked: the grid, by its worker and when it began, and its processor time. */
static _Thread_local struct {
    const struct worker *worker;
    double began;
    u64 ns;
} looked;

/* Instructions that the worker has interpreted of the kernel, about, since it last was asked. */
static u64 instructions_of(struct worker *w)
{
    const struct grid *g = w->grid;
    const u64 loops = w->spent - w->heat_spent, n = records_of(g->kernel, g->mode);
    w->heat_spent = w->spent;
    return loops + (u64)g->nwarps * (n < 4096 ? n : 4096);
}

static u64 assumed_ns(const struct worker *w)
{
    return w->heat * (w->grid->mode == IR_FAST ? INST_NS : INST_COUNTED_NS);
}

/* The processor time of the worker's last w->heat instructions: the thread's since it last looked, if that was at this
 * worker, else what is assumed of them. */
static u64 take_ns(struct worker *w)
{
    const u64 now = processor_ns();
    const bool same = looked.worker == w && looked.began == w->grid->began;
    const u64 ns = same ? now - looked.ns : assumed_ns(w);
    looked.worker = w;
    looked.began = w->grid->began;
    looked.ns = now;
    w->heat = 0;
    return ns;
}

enum heat { HEAT_NONE, HEAT_WARM, HEAT_HOT };

/* Warm: worth looking into the cache. The worker's time is added to the kernel's now and then, so that workers do not meet
 * there for each block; what was spent on other code of the kernel is no more in it. */
static enum heat heat(struct worker *w)
{
    const struct grid *g = w->grid;
    struct exec_func *f = g->kernel;
    u64 all = atomic_load_explicit(&f->heat, memory_order_relaxed);
    w->heat += instructions_of(w);
    if (w->heat >= LOOK_INSTRUCTIONS) {
        const u64 ns = take_ns(w);
        all = atomic_fetch_add_explicit(&f->heat, ns, memory_order_relaxed) + ns;
    }
    if (all >= PATIENCE * expected_ns(f, g->mode))
        return HEAT_HOT;
    return all >= WARM_NS + WARM_RECORD_NS * records_of(f, g->mode) ? HEAT_WARM : HEAT_NONE;
}

/* Takes the time for which code is compiled. False: another thread has. */
static bool spend(struct exec_func *f, u64 ns)
{
    u64 all = atomic_load_explicit(&f->heat, memory_order_relaxed);
    while (all >= ns)
        if (atomic_compare_exchange_weak(&f->heat, &all, all - ns))
            return true;
    return false;
}

static void ask_compiler(struct grid *g, struct tier_code *c)
{
    u32 cold = TIER_COLD;
    if (atomic_load(&c->phase) == TIER_COLD && spend(g->kernel, PATIENCE * expected_ns(g->kernel, g->mode)) &&
        atomic_compare_exchange_strong(&c->phase, &cold, TIER_ASKED) && !tier_queue_add(compile_job, drop_job, c))
        drop_job(c);
}

static struct tier_code *look(struct worker *w, struct tier_code *c)
{
    struct grid *g = w->grid;
    const u32 phase = c ? atomic_load_explicit(&c->phase, memory_order_acquire) : TIER_COLD;
    if (g->launch->device->tier != TIER_AUTO) {
        if (!c)
            ask_now(g);
        return find(g);
    }
    const enum heat h = phase == TIER_COLD ? heat(w) : HEAT_NONE;
    if (h && !c) {
        ask_cache(g);
        c = find(g);
    }
    if (h == HEAT_HOT && c)
        ask_compiler(g, c);
    return c;
}

struct tier_code *tier_for(struct worker *w)
{
    struct grid *g = w->grid;
    if (w->tier || !g->may_compile)
        return w->tier;
    struct tier_code *c = look(w, find(g));
    if (c && atomic_load_explicit(&c->phase, memory_order_acquire) == TIER_READY)
        w->tier = c;
    return w->tier;
}

void tier_end_launch(struct worker *w)
{
    if (looked.worker == w) /* the next grid's may be at its address */
        looked.worker = NULL;
    if (w->grid->may_compile && w->heat)
        atomic_fetch_add_explicit(&w->grid->kernel->heat, assumed_ns(w), memory_order_relaxed);
}

void tier_forget(struct exec_module *m)
{
    for (u32 k = 0; k < m->nfuncs; k++)
        for (struct tier_code *c = atomic_load(&m->funcs[k].codes), *next; c; c = next) {
            next = c->next;
            if (tier_queue_cancel(c))
                tier_code_free(c);
        }
}
