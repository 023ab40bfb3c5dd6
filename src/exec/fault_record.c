/* fault_record.c - faults: where they happened, and the ones that the scheduler itself finds (deadlock, watchdog). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exec/gate/gate.h"
#include "exec/sched.h"
#include "exec/sync/cluster.h"
#include "exec/sync/mbarrier.h"

/* The first fault of a grid stays; every later one is a consequence. */
void grid_fault(struct grid *g, const struct exec_fault *f)
{
    if (LS_UNLIKELY(gate_fault_told != NULL))
        gate_fault_told(g, f);
    pthread_mutex_lock(&g->lock);
    if (!g->faulted) {
        g->fault = *f;
        g->faulted = true;
    }
    pthread_mutex_unlock(&g->lock);
    atomic_store(&g->stop, true);
}

static void thread_of(const struct warp *w, unsigned lane, u32 out[3])
{
    const u32 *dim = w->block->grid->launch->block;
    u32 t = w->index * IR_LANES + lane;
    out[0] = t % dim[0];
    out[1] = t / dim[0] % dim[1];
    out[2] = t / dim[0] / dim[1];
}

/* The source line of a site; for inlined code the innermost. */
static void source_of(const struct ir_func *func, u32 site, const char **file, u32 *line, u32 *column)
{
    const struct ptx_module *m = func->mod;
    u32 loc = func->src->insts[site].loc;
    if (!loc || loc > m->nlocs)
        return;
    const struct ptx_loc *l = &m->locs[loc - 1];
    *line = l->line;
    *column = l->column;
    *file = l->file < m->nfiles ? m->files[l->file] : NULL;
}

void fault_place(const struct warp *w, const struct ir_inst *pc, unsigned lane, struct exec_fault *f)
{
    const struct block *b = w->block;
    f->kernel = b->grid->kernel->src->name;
    f->function = w->func->name;
    memcpy(f->block, b->info.id, sizeof f->block);
    thread_of(w, lane, f->thread);
    f->ptx_file = w->func->mod->file;
    f->ptx_line = w->func->src->ninsts ? w->func->src->insts[pc->site].line : w->func->src->line;
    if (!w->func->src->ninsts)
        return;
    f->func = w->func;
    f->site = pc->site;
    source_of(w->func, pc->site, &f->source_file, &f->source_line, &f->source_column);
}

/* In the shared memory of another block of the cluster, or of one that it would have. What is a little in front of the block's
 * own memory is not meant so. */
static bool is_far(const struct warp *w, u64 offset)
{
    const u32 own = cluster_rank(w), rank = cluster_owner(offset, own);
    return rank != own && rank <= CLUSTER_RANKS && offset % CLUSTER_STRIDE < CLUSTER_STRIDE / 2 &&
           cluster_has_others(w);
}

static struct exec_fault describe(const struct warp *w, const struct ir_inst *pc, enum exec_fault_kind kind,
                                  unsigned lane, u64 address, u64 size, u8 space, bool write, bool atomic)
{
    struct exec_fault f = {
        .kind = kind, .address = address, .size = size, .space = space, .write = write, .atomic = atomic};
    fault_place(w, pc, lane, &f);
    if (kind == FAULT_ILLEGAL_ADDRESS && (space == SPACE_GLOBAL || space == SPACE_CONST || space == SPACE_NONE))
        mem_describe(w->mem, address, size, f.detail, sizeof f.detail);
    else if (space == SPACE_SHARED && is_far(w, address)) {
        f.kind = kind == FAULT_ILLEGAL_ADDRESS ? FAULT_CLUSTER_GONE : kind;
        f.address = address + w->shared_at; /* as the program has it */
        cluster_describe(w, address, f.detail, sizeof f.detail);
    } else if (space == SPACE_SHARED)
        snprintf(f.detail, sizeof f.detail, "the block has %llu bytes of shared memory",
                 (unsigned long long)w->shared_bytes);
    else if (space == SPACE_LOCAL)
        snprintf(f.detail, sizeof f.detail, "the thread has %llu bytes of local memory",
                 (unsigned long long)w->local_bytes);
    return f;
}

const struct ir_inst *warp_fault(struct warp *w, const struct ir_inst *pc, enum exec_fault_kind kind, unsigned lane,
                                 u64 address, u64 size, u8 space, bool write, bool atomic)
{
    const struct exec_fault f = describe(w, pc, kind, lane, address, size, space, write, atomic);
    grid_fault(w->block->grid, &f);
    w->stop = STOP_FAULT;
    return NULL;
}

u8 *warp_excuse(struct warp *w, const struct ir_inst *pc, enum exec_fault_kind kind, unsigned lane, u64 address,
                u64 size, u8 space, bool write, bool atomic)
{
    const struct exec_fault f = describe(w, pc, kind, lane, address, size, space, write, atomic);
    struct worker *k = w->worker;
    if (w->hooks && w->hooks->fault && w->hooks->fault(w->hook_ctx, w->info, &f)) {
        if (!k->nowhere)
            k->nowhere = arena_alloc(&k->mem, sizeof *k->nowhere * IR_LANES);
        return memset(k->nowhere[lane], 0, sizeof k->nowhere[lane]);
    }
    grid_fault(w->block->grid, &f);
    w->stop = STOP_FAULT;
    return NULL;
}

/* Whether an access that goes so far is the one to report: the furthest, and of equals the first in the order of
 * blocks. */
static bool goes_further(const struct worker *k, u64 bytes, u64 block, const u32 thread[3])
{
    if (bytes != k->behind_bytes)
        return bytes > k->behind_bytes;
    if (block != k->behind_block)
        return block < k->behind_block;
    for (int i = 3; i-- > 0;)
        if (thread[i] != k->behind.thread[i])
            return thread[i] < k->behind.thread[i];
    return false;
}

bool warp_forgive(struct warp *w, const struct ir_inst *pc, unsigned lane, u64 address, u64 size, u8 space, bool write,
                  bool atomic)
{
    struct worker *k = w->worker;
    struct mem_block b;
    u32 thread[3];
    if (!w->block->grid->launch->behind || (w->hooks && w->hooks->fault) ||
        (space != SPACE_GLOBAL && space != SPACE_CONST) || !mem_behind(w->mem, address, size, write, &b) ||
        (space == SPACE_CONST && b.kind != MEM_CONST))
        return false;
    const u64 bytes = address + size - (b.base + b.size), block = w->block->info.linear;
    thread_of(w, lane, thread);
    if (goes_further(k, bytes, block, thread)) {
        k->behind = describe(w, pc, FAULT_ILLEGAL_ADDRESS, lane, address, size, space, write, atomic);
        k->behind_bytes = bytes;
        k->behind_block = block;
    }
    return true;
}

void grid_tell_behind(const struct grid *g)
{
    const struct worker *most = NULL;
    for (unsigned i = 0; !g->faulted && g->workers && i < g->nworkers; i++) {
        const struct worker *k = &g->workers[i];
        if (k->behind_bytes && (!most || goes_further(most, k->behind_bytes, k->behind_block, k->behind.thread)))
            most = k;
    }
    if (most)
        g->launch->behind(g->launch->behind_ctx, &most->behind, most->behind_bytes);
}

/* Text that must not grow beyond its buffer. */
struct text {
    char *at;
    size_t left;
};

static void LS_PRINTF(2, 3) say(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->at, t->left, fmt, ap);
    va_end(ap);
    size_t took = n < 0 ? 0 : (size_t)n < t->left ? (size_t)n : t->left - 1;
    t->at += took;
    t->left -= took;
}

/* The operation that a split waits at, or NULL. */
static const struct ir_inst *waits_at(const struct split *s)
{
    if (s->state == SPLIT_SYNC || s->state == SPLIT_BARRIER)
        return s->pc;
    return s->state == SPLIT_NONE ? NULL : s->waited;
}

/* The first split of the warp that waits where s does, with the same lanes, or NULL. */
static const struct split *alike_in(const struct warp *w, const struct split *s)
{
    for (u32 i = 0; i < w->nsplits; i++)
        if (waits_at(&w->splits[i]) == waits_at(s) && w->splits[i].mask == s->mask)
            return &w->splits[i];
    return NULL;
}

/* "warp 3", or "warps 0-2,5" of all warps in which the same lanes wait at the same place. */
static void say_warps(struct text *t, const struct block *b, const struct split *s)
{
    const u32 n = b->info.warps;
    u32 all = 0; /* a block has 32 warps at most */
    for (u32 k = 0; k < n; k++)
        all |= (u32)(alike_in(&b->warps[k], s) != NULL) << k;
    const char *between = __builtin_popcount(all) > 1 ? "warps " : "warp ";
    for (u32 k = 0, last; k < n; k = last + 1) {
        for (last = k; last + 1 < n && all >> k & 1 && all >> (last + 1) & 1;)
            last++;
        if (!(all >> k & 1))
            continue;
        say(t, last > k ? "%s%u-%u" : "%s%u", between, k, last);
        between = ",";
    }
}

/* The end of a long path is what tells files apart. */
static void say_file(struct text *t, const char *file, u32 line)
{
    enum { MOST = 100 };
    const size_t n = strlen(file);
    say(t, ", %s%s:%u", n > MOST ? "..." : "", n > MOST ? file + n - MOST : file, line);
}

/* What is missing at an mbarrier. */
static void say_missing(struct text *t, const struct warp *w, const struct split *s)
{
    u32 arrivals;
    i32 bytes;
    if (s->state == SPLIT_SYNC || s->state == SPLIT_BARRIER || !s->asking)
        return;
    mbarrier_lacks(w, s, &arrivals, &bytes);
    if (bytes > 0)
        say(t, " (%u arrivals and %d bytes are missing)", arrivals, bytes);
    else if (bytes < 0)
        say(t, " (%u arrivals are missing, and %d bytes came that were not expected)", arrivals, -bytes);
    else
        say(t, " (%u arrivals are missing)", arrivals);
}

static void say_waiting(struct text *t, const struct block *b, const struct warp *w, const struct split *s)
{
    const struct ir_func *f = s->frame->func->ir;
    const struct ir_inst *pc = waits_at(s);
    const char *file = NULL;
    u32 line = 0, column;
    char what[96];
    source_of(f, pc->site, &file, &line, &column);
    ptx_print_inst(&f->src->insts[pc->site], what, sizeof what);
    what[strcspn(what, ";")] = 0;
    say_warps(t, b, s);
    say(t, ", lanes 0x%08x wait at `%s`", s->mask, what);
    if (file)
        say_file(t, file, line);
    else
        say(t, ", PTX line %u", f->src->insts[pc->site].line);
    say_missing(t, w, s);
}

/* The split is the first of those that wait alike, in warp k. */
static bool is_first(const struct block *b, u32 k, const struct split *s)
{
    if (!waits_at(s) || alike_in(&b->warps[k], s) != s)
        return false;
    for (u32 before = 0; before < k; before++)
        if (alike_in(&b->warps[before], s))
            return false;
    return true;
}

/* What all of the block's warps wait at. What finds no room is counted. */
static void say_all_waiting(struct text *t, const struct block *b)
{
    enum { FOR_THE_REST = 24 };
    u32 more = 0;
    const char *between = "";
    for (u32 k = 0; k < b->info.warps; k++)
        for (u32 i = 0; i < b->warps[k].nsplits; i++) {
            char one[400];
            struct text x = {one, sizeof one};
            if (!is_first(b, k, &b->warps[k].splits[i]))
                continue;
            say_waiting(&x, b, &b->warps[k], &b->warps[k].splits[i]);
            if (more || strlen(one) + strlen(between) + FOR_THE_REST > t->left) {
                more++;
                continue;
            }
            say(t, "%s%s", between, one);
            between = "; ";
        }
    if (more)
        say(t, "; and %u more", more);
}

void block_deadlock(struct block *b)
{
    enum { MOST = 640 }; /* so that all of the fault's text finds room in a finding, too */
    struct exec_fault f = {.kind = FAULT_DEADLOCK};
    struct text t = {f.detail, MOST};
    bool placed = false;
    for (u32 k = 0; k < b->info.warps && !placed; k++) {
        struct warp *w = &b->warps[k];
        for (u32 i = 0; i < w->nsplits && !placed; i++) {
            const struct split *s = &w->splits[i];
            if (!waits_at(s))
                continue;
            w->func = s->frame->func->ir;
            fault_place(w, waits_at(s), (unsigned)__builtin_ctz(s->mask), &f);
            placed = true;
        }
    }
    say_all_waiting(&t, b);
    grid_fault(b->grid, &f);
}

/* Names a split that could still run, for the watchdog. */
static void place_runner(struct block *b, struct exec_fault *f)
{
    for (u32 k = 0; k < b->info.warps; k++) {
        struct warp *w = &b->warps[k];
        for (u32 i = 0; i < w->nsplits; i++)
            if (w->splits[i].state == SPLIT_READY) {
                w->func = w->splits[i].frame->func->ir;
                fault_place(w, w->splits[i].pc, (unsigned)__builtin_ctz(w->splits[i].mask), f);
                return;
            }
    }
}

bool block_watch(struct block *b)
{
    struct grid *g = b->grid;
    const struct exec_launch *l = g->launch;
    struct exec_fault f = {.kind = FAULT_TIMEOUT};
    if (l->cancel && __atomic_load_n(l->cancel, __ATOMIC_RELAXED))
        atomic_store(&g->stop, true);
    if (atomic_load_explicit(&g->stop, memory_order_relaxed))
        return false;
    if (l->max_instructions && b->worker->spent > l->max_instructions)
        snprintf(f.detail, sizeof f.detail, "more than %llu warp instructions on one worker",
                 (unsigned long long)l->max_instructions);
    else if (g->deadline > 0 && exec_now() > g->deadline)
        snprintf(f.detail, sizeof f.detail, "it ran longer than %g seconds", l->max_seconds);
    else
        return true;
    place_runner(b, &f);
    grid_fault(g, &f);
    return false;
}
