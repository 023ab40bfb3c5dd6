/* tier.c - which kernels are compiled, and when: each for the dimensions of the blocks that it is launched with, and with
 * counters or without.
 *
 * A kernel's blocks are interpreted until they have run so many instructions that compiling is worth while; then a job of
 * the queue compiles it, and blocks that begin after that are in code. Far fewer are enough to look into the
 * cache on disk. What cannot be compiled is not asked for again. */
#include "exec/tier/tier.h"

#include <string.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "exec/tier/compile.h"
#include "exec/tier/queue.h"

/* Warp instructions that a kernel runs before it is compiled: compiling takes as long as interpreting about so many, and
 * so many more for each record. */
enum { HEAT_LEAST = 10000000, HEAT_RECORD = 1000000, MOST_VARIANTS = 8 };
/* That it runs before it is looked for in the cache, which takes far less. */
enum { WARM_LEAST = 500000, WARM_RECORD = 10000 };

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
    return l->device->tier && l->device->tier != TIER_OFF && l->device->isa != ISA_PORTABLE &&
           !l->device->weak_memory && !l->one_lane && (counted || (g->mode == IR_FAST && !l->hooks));
}

static struct tier_code *find(const struct grid *g)
{
    struct tier_code *c = atomic_load_explicit(&g->kernel->codes, memory_order_acquire);
    while (c && (c->mode != g->mode || memcmp(c->block, g->launch->block, sizeof c->block) != 0))
        c = c->next;
    return c;
}

static void compile_job(void *arg)
{
    struct tier_code *c = arg;
    const bool ok = tier_compile(c);
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

static void ask_compiler(struct tier_code *c)
{
    u32 cold = TIER_COLD;
    if (atomic_compare_exchange_strong(&c->phase, &cold, TIER_ASKED) && !tier_queue_add(compile_job, drop_job, c))
        drop_job(c);
}

/* Instructions that the worker has interpreted of the kernel, about, since it last looked. */
static u64 heat_of(struct worker *w)
{
    const struct grid *g = w->grid;
    const u64 loops = w->spent - w->heat_spent;
    w->heat_spent = w->spent;
    return loops + (u64)g->nwarps * (g->kernel->ir->code[IR_FAST].n < 4096 ? g->kernel->ir->code[IR_FAST].n : 4096);
}

enum heat { HEAT_NONE, HEAT_WARM, HEAT_HOT };

/* Warm: worth looking into the cache. */
static enum heat heat(struct worker *w)
{
    struct exec_func *f = w->grid->kernel;
    const u64 enough = HEAT_LEAST + (u64)HEAT_RECORD * f->ir->code[IR_FAST].n;
    w->heat += heat_of(w);
    u64 all = atomic_load_explicit(&f->heat, memory_order_relaxed) + w->heat; /* of launches before, too */
    if (w->heat >= enough / 16) { /* told now and then, so that workers do not meet at the sum for each block */
        all = atomic_fetch_add_explicit(&f->heat, w->heat, memory_order_relaxed) + w->heat;
        w->heat = 0;
    }
    if (all >= enough)
        return HEAT_HOT;
    return all >= WARM_LEAST + (u64)WARM_RECORD * f->ir->code[IR_FAST].n ? HEAT_WARM : HEAT_NONE;
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
        ask_compiler(c);
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
    if (w->grid->may_compile && w->heat)
        atomic_fetch_add_explicit(&w->grid->kernel->heat, w->heat, memory_order_relaxed);
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
