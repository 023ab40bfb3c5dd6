/* init_regs_run.c - follows open registers (init_regs.h) while a launch runs: which lanes of each warp have no value in
 * them. The steps of a block are done when a warp enters it, for the lanes that enter.
 *
 * A kernel's registers have no values when its block begins, those of a device function when lanes enter it. */
#include "check/init_regs.h"

#include <stdio.h>

#include "exec/running.h"

/* The state of a function's open registers in one warp. */
struct regs_state {
    struct regs_state *next;
    const struct init_regs *regs;
    u32 *open;   /* by number: lanes that have no value */
    u32 *origin; /* by number: 1 + the site that first computed with what has none; 0: nobody did */
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

static bool wanted(struct check_launch *l)
{
    struct init_regs *r = init_regs_make(&l->mem, l->exec->kernel);
    l->init = r;
    return r->nopen || l->exec->kernel->has_calls;
}

static struct init_regs *make_regs(struct check_worker *w, const struct ir_func *func)
{
    struct init_regs_worker *s = w->init_regs;
    if (setjmp(w->mem.oom))
        return NULL;
    struct init_regs *r = arena_new(&w->mem, struct init_regs);
    const struct init_regs *kernel = w->launch->init;
    *r = kernel->func == func ? *kernel : *init_regs_make(&w->mem, func);
    r->next = s->regs;
    return s->regs = r;
}

static const struct init_regs *regs_of(struct check_worker *w, const struct ir_func *func)
{
    struct init_regs_worker *s = w->init_regs;
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
    if (setjmp(w->mem.oom))
        return NULL;
    struct regs_block *b = arena_new(&w->mem, struct regs_block);
    b->warps = arena_array(&w->mem, struct regs_state *, warps);
    b->next = w->init_regs->blocks;
    return w->init_regs->blocks = b;
}

static void clear(struct regs_state *x)
{
    for (u32 k = 0; k < x->regs->nopen; k++) {
        x->open[k] = UINT32_MAX;
        x->origin[k] = 0;
    }
}

static void block_begin(struct check_worker *w, const struct exec_block_info *info)
{
    struct regs_block *b = block_of(w->init_regs, NULL);
    if (!b && (b = new_block(w, info->warps)) == NULL)
        return;
    b->info = info;
    for (u32 k = 0; k < info->warps; k++)
        for (struct regs_state *x = b->warps[k]; x; x = x->next)
            clear(x);
}

static void block_end(struct check_worker *w, const struct exec_block_info *info)
{
    struct regs_block *b = block_of(w->init_regs, info);
    if (b)
        b->info = NULL;
}

static struct regs_state *new_state(struct check_worker *w, struct regs_state **list, const struct init_regs *r)
{
    if (setjmp(w->mem.oom))
        return NULL;
    struct regs_state *x = arena_new(&w->mem, struct regs_state);
    x->regs = r;
    x->open = arena_array(&w->mem, u32, r->nopen);
    x->origin = arena_array(&w->mem, u32, r->nopen);
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

/* ---- findings ---- */

static void report(struct check_worker *w, const struct regs_state *x, const struct init_step *s, u32 reg, u32 lanes)
{
    const struct ir_func *func = x->regs->func;
    const u32 site = x->origin[reg] ? x->origin[reg] - 1 : s->site;
    const u64 key = finding_key(func, site, NULL, 0), times = (u64)__builtin_popcount(lanes);
    struct finding f;
    if (check_found_again(w->launch, FINDING_UNINIT_REGISTER, key, times))
        return;
    finding_init(&f, FINDING_UNINIT_REGISTER);
    party_place(&f.at, func, site);
    party_thread(&f.at, exec_running.block, exec_running.warp, (unsigned)__builtin_ctz(lanes));
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

static void step(struct check_worker *w, struct regs_state *x, const struct init_step *s, u32 mask)
{
    u32 which = 0, lanes = 0;
    if (s->kind == STEP_ANY || s->kind == STEP_USE_ANY)
        lanes = any_of(x, s, &which);
    else if (s->kind != STEP_DEFINE)
        lanes = all_of(x, s, &which);
    if (s->kind != STEP_USE_ANY && s->kind != STEP_USE_ALL)
        result(x, s, lanes, which, mask);
    else if (lanes & mask)
        report(w, x, s, which, lanes & mask);
}

static void enter(struct check_worker *w, const struct ir_func *func, u32 block, u32 mask)
{
    const struct init_regs *r = regs_of(w, func);
    if (LS_LIKELY(!r || !r->nopen))
        return;
    const struct init_block_steps *steps = &r->blocks[block];
    const bool starts = block == 0 && !func->src->is_entry;
    if (!steps->n && !starts)
        return;
    struct regs_block *b = block_of(w->init_regs, exec_running.block);
    struct regs_state *x = b ? state_of(w, b, exec_running.warp, r) : NULL;
    if (!x)
        return;
    for (u32 k = 0; starts && k < r->nopen; k++)
        x->open[k] |= mask;
    for (u32 k = 0; k < steps->n; k++)
        step(w, x, &steps->steps[k], mask);
}

static bool worker_begin(struct check_worker *w)
{
    w->init_regs = arena_new(&w->mem, struct init_regs_worker);
    return true;
}

const struct check_instrument instrument_init_registers = {
    .tools = CHECK_INITCHECK,
    .wanted = wanted,
    .worker_begin = worker_begin,
    .block_begin = block_begin,
    .block_end = block_end,
    .enter = enter,
};
