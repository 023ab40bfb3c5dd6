/* init_regs_run.c - follows open registers (init_regs.h) while a launch runs: which lanes of each warp have no value in
 * them. The steps of a block are done when a warp enters it, for the lanes that enter.
 *
 * A kernel's registers have no values when its block begins, those of a device function when lanes enter it. At a
 * guarded load the steps wait for its event, which names the lanes that do it. When the warp goes on elsewhere without
 * one, nobody did, or other lanes came in between: then all count as having done it. */
#include "check/initcheck/init_regs.h"

#include <stdio.h>
#include <xxhash.h>

#include "check/initcheck/initcheck.h"
/* The state of a function's open registers in one warp. */
struct regs_state {
    struct regs_state *next;
    const struct init_regs *regs;
    u32 *open;   /* by number: lanes that have no value */
    u32 *origin; /* by number: 1 + the site that first computed with what has none; 0: nobody did */
    const struct init_step *waits,
        *end; /* the guarded load whose event is awaited, and the end of its block's steps; or NULL */
    u32 mask; /* the lanes that entered that block */
};

struct regs_block {
    struct regs_block *next;
    const struct exec_block_info *info; /* NULL: free */
    struct regs_state **warps;
};

struct init_regs_worker {
    struct init_regs *regs, *last; /* functions that were met; last: of the last event */
    struct regs_block *blocks, *block;
};

/* ---- functions ---- */

/* Not 0. Another function may have the same at another time: then its registers are not followed. */
static u64 hash_of(const struct ir_func *f)
{
    const u64 words[] = {(u64)(uintptr_t)f, (u64)(uintptr_t)f->src, (u64)(uintptr_t)f->mod->text,
                         f->mod->text_len,  f->src->ninsts,         f->src->nregs,
                         f->nblocks};
    return XXH3_64bits(words, sizeof words) | 1;
}

static struct init_regs *find_regs(struct check *c, struct arena *mem, const struct ir_func *func)
{
    const u64 hash = hash_of(func);
    u64 *closed = &c->of.initcheck->closed[hash / 2 % LS_ARRAY_LEN(c->of.initcheck->closed)];
    if (__atomic_load_n(closed, __ATOMIC_RELAXED) == hash) {
        struct init_regs *r = arena_new(mem, struct init_regs);
        r->func = func;
        return r;
    }
    struct init_regs *r = init_regs_make(mem, func);
    if (!r->nopen)
        __atomic_store_n(closed, hash, __ATOMIC_RELAXED);
    return r;
}

static bool wanted(struct check_launch *l)
{
    struct init_regs *r = find_regs(l->check, &l->mem, l->exec->kernel);
    l->of.initcheck_registers = r;
    return r->nopen || l->exec->kernel->has_calls;
}

static struct init_regs *make_regs(struct check_worker *w, const struct ir_func *func)
{
    struct init_regs_worker *s = w->of.initcheck_registers;
    if (setjmp(w->mem.oom))
        return NULL;
    struct init_regs *r = arena_new(&w->mem, struct init_regs);
    const struct init_regs *kernel = w->launch->of.initcheck_registers;
    *r = kernel->func == func ? *kernel : *find_regs(check_of(w), &w->mem, func);
    r->next = s->regs;
    return s->regs = r;
}

static const struct init_regs *regs_of(struct check_worker *w, const struct ir_func *func)
{
    struct init_regs_worker *s = w->of.initcheck_registers;
    if (LS_LIKELY(s->last && s->last->func == func))
        return s->last;
    struct init_regs *r = s->regs;
    while (r && r->func != func)
        r = r->next;
    return s->last = r ? r : make_regs(w, func);
}

/* ---- states ---- */

static struct regs_block *block_of(struct init_regs_worker *s, const struct exec_block_info *info)
{
    struct regs_block *b = s->block && s->block->info == info ? s->block : s->blocks;
    while (b && b->info != info)
        b = b->next;
    return s->block = b;
}

static struct regs_block *new_block(struct check_worker *w, u32 warps)
{
    struct regs_block *b = check_new(&w->mem, struct regs_block);
    if (!b || !(b->warps = check_array(&w->mem, struct regs_state *, warps)))
        return NULL;
    b->next = w->of.initcheck_registers->blocks;
    return w->of.initcheck_registers->blocks = b;
}

static void clear(struct regs_state *x)
{
    x->waits = NULL;
    for (u32 k = 0; k < x->regs->nopen; k++) {
        x->open[k] = UINT32_MAX;
        x->origin[k] = 0;
    }
}

static void block_begin(struct check_worker *w, const struct exec_block_info *info)
{
    struct regs_block *b = block_of(w->of.initcheck_registers, NULL);
    if (!b && (b = new_block(w, info->warps)) == NULL)
        return;
    b->info = info;
    for (u32 k = 0; k < info->warps; k++)
        for (struct regs_state *x = b->warps[k]; x; x = x->next)
            clear(x);
}

static void block_end(struct check_worker *w, const struct exec_block_info *info)
{
    struct regs_block *b = block_of(w->of.initcheck_registers, info);
    if (b)
        b->info = NULL;
}

static struct regs_state *new_state(struct check_worker *w, struct regs_state **list, const struct init_regs *r)
{
    struct regs_state *x = check_new(&w->mem, struct regs_state);
    if (!x || !(x->open = check_array(&w->mem, u32, r->nopen)) || !(x->origin = check_array(&w->mem, u32, r->nopen)))
        return NULL;
    x->regs = r;
    clear(x);
    x->next = *list;
    return *list = x;
}

static struct regs_state *state_of(struct check_worker *w, struct regs_block *b, u32 warp, const struct init_regs *r)
{
    struct regs_state *x = b->warps[warp];
    while (x && x->regs != r)
        x = x->next;
    return x ? x : new_state(w, &b->warps[warp], r);
}

/* Where a warp is. */
struct regs_place {
    struct regs_state *state;
    const struct exec_block_info *info;
    u32 warp;
};

/* ---- findings ---- */

static void report(struct check_worker *w, const struct regs_place *at, const struct init_step *s, u32 reg, u32 lanes)
{
    const struct regs_state *x = at->state;
    const struct ir_func *func = x->regs->func;
    const u32 site = x->origin[reg] ? x->origin[reg] - 1 : s->site;
    const u64 key = finding_key(func, finding_place(func, site), NULL, 0), times = (u64)__builtin_popcount(lanes);
    struct finding f;
    if (check_found_again(w->launch, FINDING_UNINIT_REGISTER, key, times))
        return;
    finding_init(&f, FINDING_UNINIT_REGISTER);
    party_place(&f.at, func, site);
    party_thread(&f.at, at->info, at->warp, (unsigned)__builtin_ctz(lanes));
    f.at.does = DOES_READ;
    f.count = f.threads = times;
    snprintf(f.what, sizeof f.what, "Use of a variable that has no value");
    if (site == s->site)
        snprintf(f.detail, sizeof f.detail, "no path that the thread took wrote register %s", x->regs->open[reg]->name);
    else
        snprintf(f.detail, sizeof f.detail,
                 "no path that the thread took wrote a register that it reads; the result, in %s, "
                 "has an effect in PTX line %u",
                 x->regs->open[reg]->name, func->src->insts[s->site].line);
    check_found(w->launch, &f, key);
}

/* ---- steps ---- */

static u32 any_of(const struct regs_state *x, const struct init_step *s, u32 *which)
{
    u32 lanes = 0;
    for (u32 k = 0; k < s->n; k++) {
        if (!lanes && x->open[s->from[k]])
            *which = s->from[k];
        lanes |= x->open[s->from[k]];
    }
    return lanes;
}

static u32 all_of(const struct regs_state *x, const struct init_step *s, u32 *which)
{
    u32 lanes = UINT32_MAX;
    *which = s->from[0];
    for (u32 k = 0; k < s->n; k++)
        lanes &= x->open[s->from[k]];
    return lanes;
}

static void result(struct regs_state *x, const struct init_step *s, u32 lanes, u32 which, u32 mask)
{
    x->open[s->d] = (x->open[s->d] & ~mask) | (lanes & mask);
    if (!(lanes & mask))
        return;
    x->origin[s->d] = x->origin[which] ? x->origin[which] : s->moves ? 0 : s->site + 1;
}

static void step(struct check_worker *w, const struct regs_place *at, const struct init_step *s, u32 mask)
{
    struct regs_state *x = at->state;
    u32 which = 0, lanes = 0;
    if (s->kind == STEP_ANY || s->kind == STEP_USE_ANY)
        lanes = any_of(x, s, &which);
    else if (s->kind == STEP_ALL || s->kind == STEP_USE_ALL)
        lanes = all_of(x, s, &which);
    if (s->kind != STEP_USE_ANY && s->kind != STEP_USE_ALL)
        result(x, s, lanes, which, mask);
    else if (lanes & mask)
        report(w, at, s, which, lanes & mask);
}

/* Does steps up to a guarded load, if it may wait, or to the end. */
static void go_on(struct check_worker *w, const struct regs_place *at, const struct init_step *from,
                  const struct init_step *end, u32 mask, bool may_wait)
{
    struct regs_state *x = at->state;
    for (const struct init_step *s = from; s < end; s++) {
        if (s->kind == STEP_LOAD && may_wait) {
            x->waits = s;
            x->end = end;
            x->mask = mask;
            return;
        }
        step(w, at, s, mask);
    }
}

/* Ends the wait: the lanes that did the load have its value. */
static void end_wait(struct check_worker *w, const struct regs_place *at, u32 lanes, bool may_wait)
{
    struct regs_state *x = at->state;
    const struct init_step *s = x->waits;
    const u32 site = s->site;
    x->waits = NULL;
    for (; s < x->end && s->site == site && s->kind == STEP_LOAD; s++) {
        x->open[s->d] &= ~(lanes & x->mask);
        x->origin[s->d] = 0;
    }
    go_on(w, at, s, x->end, x->mask, may_wait);
}

static void enter(struct check_worker *w, const struct ir_func *func, u32 block, u32 mask, u32 warp,
                  const struct exec_block_info *info)
{
    const struct init_regs *r = regs_of(w, func);
    if (LS_LIKELY(!r || !r->nopen))
        return;
    struct regs_block *b = block_of(w->of.initcheck_registers, info);
    struct regs_state *x = b ? state_of(w, b, warp, r) : NULL;
    if (!x)
        return;
    const struct init_block_steps *steps = &r->blocks[block];
    const struct regs_place at = {x, info, warp};
    if (x->waits)
        end_wait(w, &at, UINT32_MAX, false);
    for (u32 k = 0; block == 0 && !func->src->is_entry && k < r->nopen; k++)
        x->open[k] |= mask;
    go_on(w, &at, steps->steps, steps->steps + steps->n, mask, true);
}

static void on_access(struct check_worker *w, const struct exec_access *a)
{
    const struct init_regs *r = regs_of(w, a->func);
    if (LS_LIKELY(!r || !r->nopen) || a->op != ACCESS_LD || !a->func->src->insts[a->site].guard)
        return;
    struct regs_block *b = block_of(w->of.initcheck_registers, a->block);
    struct regs_state *x = b ? state_of(w, b, a->warp, r) : NULL;
    if (x && x->waits && x->waits->site == a->site && !(a->mask & ~x->mask))
        end_wait(w, &(struct regs_place){x, a->block, a->warp}, a->mask, true);
}

static bool worker_begin(struct check_worker *w)
{
    w->of.initcheck_registers = arena_new(&w->mem, struct init_regs_worker);
    return true;
}

const struct check_instrument instrument_initcheck_registers = {
    .tools = CHECK_INITCHECK,
    .wanted = wanted,
    .worker_begin = worker_begin,
    .block_begin = block_begin,
    .block_end = block_end,
    .enter = enter,
    .access = on_access,
};
