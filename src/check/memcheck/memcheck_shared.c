/* memcheck_shared.c - memcheck between the variables of shared memory: an access that leaves one for the next is out of
 * bounds.
 *
 * Under memcheck static shared variables have gaps behind them (exec_device.shared_gap), which belong to none, so that
 * a small step too far is no step into a neighbour. The engine checks accesses against all of the block's memory; what
 * lies in a gap is found here, at the price of traced code: only launches with more than one variable pay it. Such an
 * access is done, in the gap, where it harms nobody. */
#include "check/memcheck/memcheck.h"

#include <string.h>

/* The variables of the launch's kernel: offsets [at, end), in order. */
struct span {
    u64 at, end;
};

struct memcheck_spans {
    u32 n;
    struct span spans[];
};

static u64 variable_end(const struct check_launch *l, const struct ir_shared_var *v)
{
    return v->at + (v->size ? v->size : l->exec->dynamic_shared);
}

static bool wanted(struct check_launch *l)
{
    const struct ir_func *k = l->exec->kernel;
    if (!l->exec->device->shared_gap || k->nshared_vars < 2)
        return false;
    struct memcheck_spans *s = arena_alloc(&l->mem, sizeof *s + k->nshared_vars * sizeof *s->spans);
    s->n = k->nshared_vars;
    for (u32 i = 0; i < s->n; i++)
        s->spans[i] = (struct span){k->shared_vars[i].at, variable_end(l, &k->shared_vars[i])};
    l->of.memcheck_shared = s;
    return true;
}

static const struct span *span_of(const struct memcheck_spans *s, u64 offset)
{
    for (u32 k = 0; k < s->n; k++)
        if (offset - s->spans[k].at < s->spans[k].end - s->spans[k].at)
            return &s->spans[k];
    return NULL;
}

static bool inside(const struct span *s, u64 offset, u32 size)
{
    return s && offset >= s->at && offset + size <= s->end;
}

static void place(struct exec_fault *f, const struct check_launch *l, const struct exec_access *a, unsigned lane)
{
    struct party p = {0};
    party_thread(&p, a->block, a->warp, lane);
    memcpy(f->block, p.block, sizeof f->block);
    memcpy(f->thread, p.thread, sizeof f->thread);
    f->kernel = l->exec->kernel->name;
    f->function = a->func->name;
    f->func = a->func;
    f->site = a->site;
}

static void outside(struct check_worker *w, const struct exec_access *a, unsigned lane, u64 offset)
{
    struct exec_fault f = {.kind = FAULT_ILLEGAL_ADDRESS,
                           .address = offset,
                           .size = a->size,
                           .space = SPACE_SHARED,
                           .write = a->op != ACCESS_LD,
                           .atomic = a->op == ACCESS_ATOM || a->op == ACCESS_RED};
    place(&f, w->launch, a, lane);
    memcheck_count(w, a->block, &f);
}

static u64 offset_of(const struct exec_access *a, unsigned lane)
{
    switch (a->pattern) {
    case PATTERN_UNIFORM:
        return a->addr[__builtin_ctz(a->mask)];
    case PATTERN_CONTIGUOUS:
        return a->addr[0] + (u64)lane * a->size;
    default:
        return a->addr[lane];
    }
}

static bool all_inside(const struct memcheck_spans *s, const struct exec_access *a)
{
    const unsigned first = (unsigned)__builtin_ctz(a->mask), last = 31 - (unsigned)__builtin_clz(a->mask);
    const struct span *v = span_of(s, offset_of(a, first));
    if (a->pattern != PATTERN_GATHER)
        return inside(v, offset_of(a, first), a->size) && inside(v, offset_of(a, last), a->size);
    bool good = v != NULL;
    for (u32 m = a->mask; m && good; m &= m - 1)
        good = inside(v, a->addr[__builtin_ctz(m)], a->size);
    return good;
}

static void on_access(struct check_worker *w, const struct exec_access *a)
{
    const struct memcheck_spans *s = w->launch->of.memcheck_shared;
    if (a->space != SPACE_SHARED || all_inside(s, a))
        return;
    for (u32 m = a->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const u64 offset = offset_of(a, lane);
        if (offset < a->block->reserved_at && !inside(span_of(s, offset), offset, a->size))
            outside(w, a, lane, offset);
    }
}

/* All blocks have the same variables at the same places. */
static void on_far_access(struct check_worker *w, const struct exec_access *a, const struct exec_block_info *home)
{
    (void)home;
    on_access(w, a);
}

const struct check_instrument instrument_memcheck_shared = {
    .tools = CHECK_MEMCHECK, .wanted = wanted, .access = on_access, .far_access = on_far_access};
