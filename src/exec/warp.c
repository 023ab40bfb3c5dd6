/* warp.c - divergence: how the lanes of a warp part, wait for each other, and go on.
 *
 * A divergent branch opens a group at its immediate post-dominator, unless the current group meets there already. Lanes
 * that reach the meeting point park; when all that are expected and have not exited are there, they go on together in
 * the parent group. A call is a group that meets behind the call. Of the splits that can run, the one in the deepest
 * frame with the lowest pc goes first, until it parts, parks, waits or has used its budget.
 *
 * Parking is soft, because independent thread scheduling promises progress: when every split that could run has used
 * its budget, or a warp-wide operation waits for lanes that are parked, those lanes go on without the others.
 *
 * Invariants: the masks of a warp's splits and of the lanes arrived in its groups are disjoint; together with the
 * exited lanes they are all lanes. A group's arrived lanes are among its expected ones; both are among its parent's
 * expected ones and none of them has arrived there. warp_verify.c has them as code. */
#include <string.h>

#include "exec/sched.h"
#include "exec/sync/wgmma.h"
#include "exec/tier/tier.h"

/* ---- splits ---- */

struct split *warp_new_split(struct warp *w)
{
    for (u32 k = 0; k < w->nsplits; k++)
        if (w->splits[k].state == SPLIT_NONE)
            return &w->splits[k];
    LS_BUG_ON(w->nsplits == IR_LANES);
    return &w->splits[w->nsplits++];
}

static struct split *add_split(struct warp *w, const struct ir_inst *pc, struct frame *frame, struct group *group,
                               u32 mask)
{
    struct split *s = warp_new_split(w);
    *s = (struct split){.pc = pc, .frame = frame, .group = group, .mask = mask, .state = SPLIT_READY};
    w->ready++;
    return s;
}

static void drop_split(struct warp *w, struct split *s)
{
    if (s->state == SPLIT_READY || s->state == SPLIT_SPENT)
        w->ready--;
    else
        w->blocked--;
    s->state = SPLIT_NONE;
}

void warp_resume(struct warp *w, struct split *s)
{
    const struct frame *f = s->frame;
    w->split = s;
    w->mask = s->mask;
    w->frame = s->frame;
    w->regs = f->regs;
    w->func = f->func->ir;
    w->sites = w->worker->sites[f->func->number];
    if (w->worker->counts)
        w->counts = w->worker->counts[f->func->number];
    w->join = s->group ? s->group->pc : NULL;
}

/* The running split changed its mask or group in place. */
static void refresh(struct warp *w)
{
    warp_verified(w);
    warp_resume(w, w->split);
}

static struct split *pick(struct warp *w)
{
    struct split *best = NULL;
    for (u32 k = 0; k < w->nsplits; k++) {
        struct split *s = &w->splits[k];
        if (s->state != SPLIT_READY)
            continue;
        if (!best || s->frame->depth > best->frame->depth ||
            (s->frame->depth == best->frame->depth && s->pc < best->pc))
            best = s;
    }
    return best;
}

/* ---- groups ---- */

static struct group *open_group(struct warp *w, const struct ir_inst *pc, struct frame *frame, u32 expected,
                                struct group *parent)
{
    struct worker *wk = w->worker;
    struct group *g = wk->free_groups;
    if (g)
        wk->free_groups = g->next;
    else
        g = arena_new(&wk->mem, struct group);
    *g = (struct group){
        .pc = pc, .frame = frame, .expected = expected, .parent = parent, .next = w->groups, .self = &w->groups};
    if (w->groups)
        w->groups->self = &g->next;
    w->groups = g;
    return g;
}

static void close_group(struct warp *w, struct group *g)
{
    *g->self = g->next;
    if (g->next)
        g->next->self = g->self;
    g->next = w->worker->free_groups;
    w->worker->free_groups = g;
}

/* Lanes leave the group and all around it for good (they exited). The innermost group that still expects lanes may now
 * be complete. */
static void leave_groups(struct warp *w, struct group *g, u32 lanes)
{
    for (struct group *k = g; k; k = k->parent)
        k->expected &= ~lanes;
    while (g && !g->expected) {
        struct group *parent = g->parent;
        close_group(w, g);
        g = parent;
    }
    if (g && g->arrived == g->expected) {
        add_split(w, g->pc, g->frame, g->parent, g->arrived);
        close_group(w, g);
    }
}

/* The running split arrives at its group's meeting point. Returns where the completed group goes on, or NULL. */
static const struct ir_inst *arrive(struct warp *w)
{
    struct split *s = w->split;
    struct group *g = s->group;
    g->arrived |= s->mask;
    if (g->arrived != g->expected) {
        drop_split(w, s);
        warp_verified(w);
        w->stop = STOP_SWITCH;
        return NULL;
    }
    const struct ir_inst *pc = g->pc;
    s->mask = g->arrived;
    s->group = g->parent;
    s->frame = g->frame;
    close_group(w, g);
    refresh(w);
    return pc;
}

bool warp_release(struct warp *w, u32 lanes)
{
    bool any = false;
    for (struct group *g = w->groups, *next; g; g = next) {
        next = g->next;
        u32 out = g->arrived & lanes;
        if (!out)
            continue;
        any = true;
        add_split(w, g->pc, g->frame, g->parent, out);
        g->arrived &= ~out;
        g->expected &= ~out;
        if (!g->expected)
            close_group(w, g);
    }
    warp_verified(w);
    return any;
}

/* ---- what bodies call ---- */

const struct ir_inst *warp_park(struct warp *w, const struct ir_inst *pc)
{
    if (w->split->group->frame != w->frame)
        return pc + 1; /* a deeper activation of the same function passes by */
    return arrive(w);
}

/* Opens a group for the lanes of the running split that meets at join, unless they already meet there. */
static void meet_at(struct warp *w, const struct ir_inst *join)
{
    struct split *s = w->split;
    if (!join || (s->group && s->group->pc == join && s->group->frame == w->frame))
        return;
    s->group = open_group(w, join, w->frame, s->mask, s->group);
    w->join = join;
}

/* Lanes of the running split go to pc: a split of their own, or parked at once when pc is the meeting point. */
static void send(struct warp *w, u32 lanes, const struct ir_inst *pc)
{
    struct split *s = w->split;
    s->mask &= ~lanes;
    if (s->group && s->group->pc == pc && s->group->frame == w->frame)
        s->group->arrived |= lanes;
    else
        add_split(w, pc, w->frame, s->group, lanes);
}

const struct ir_inst *warp_part(struct warp *w, const struct ir_inst *pc, u32 taken, const struct ir_inst *target,
                                const struct ir_inst *fall, const struct ir_inst *join)
{
    if (w->hooks && w->hooks->diverge)
        w->hooks->diverge(w->hook_ctx, w->func, pc->site, w->mask, taken);
    meet_at(w, join);
    bool target_first = target != join && (target < fall || fall == join);
    send(w, target_first ? w->mask & ~taken : taken, target_first ? fall : target);
    refresh(w);
    return target_first ? target : fall;
}

const struct ir_inst *warp_table(struct warp *w, const struct ir_inst *pc, u8 *regs)
{
    const struct ir_table *t = pc->ptr;
    const u32 *index = (const u32 *)(const void *)(regs + pc->a);
    const struct ir_inst *join = (const struct ir_inst *)(intptr_t)pc->imm;
    const struct ir_inst *last = NULL;
    u32 left = w->mask;
    bool parted = false;
    while (left) {
        u32 lane = (u32)__builtin_ctz(left), same = 0;
        for (u32 i = 0; i < IR_LANES; i++)
            same |= (u32)(index[i] == index[lane]) << i;
        same &= left;
        /* out of range is undefined (PTX ISA, brx.idx); we go to the last label */
        last = t->targets[index[lane] < t->n ? index[lane] : t->n - 1];
        left &= ~same;
        if (!left)
            break;
        if (!parted) {
            if (w->hooks && w->hooks->diverge)
                w->hooks->diverge(w->hook_ctx, w->func, pc->site, w->mask, same);
            meet_at(w, join);
            parted = true;
        }
        send(w, same, last);
    }
    refresh(w);
    return last;
}

const struct ir_inst *warp_exit(struct warp *w, const struct ir_inst *pc)
{
    struct split *s = w->split;
    u32 lanes = s->mask;
    struct group *g = s->group;
    (void)pc;
    for (struct frame *f = s->frame, *caller; f->caller; f = caller) {
        caller = f->caller;
        if (w->block->wgmma)
            wgmma_leave(w, f);
        frame_leave(w, f, lanes);
    }
    drop_split(w, s);
    w->exited |= lanes;
    if (w->hooks && w->hooks->exit)
        w->hooks->exit(w->hook_ctx, w->info, w->index, lanes);
    w->block->exited_threads += lanes == FULL_MASK ? IR_LANES : (u32)__builtin_popcount(lanes);
    leave_groups(w, g, lanes);
    warp_verified(w);
    if (w->blocked)
        warp_sync_retry(w);
    if (w->block->open_barriers)
        block_exit_barriers(w->block, w->index, lanes);
    w->stop = STOP_SWITCH;
    return NULL;
}

const struct ir_inst *warp_yield(struct warp *w, const struct ir_inst *pc)
{
    w->split->pc = pc;
    w->split->state = SPLIT_SPENT;
    w->stop = STOP_SPENT;
    return NULL;
}

void warp_block(struct warp *w, const struct ir_inst *pc, enum split_state state)
{
    w->split->pc = pc;
    w->split->state = (u8)state;
    w->ready--;
    w->blocked++;
    w->stop = STOP_SWITCH;
}

void warp_wake(struct warp *w, struct split *s)
{
    s->state = SPLIT_READY;
    s->pc++;
    w->ready++;
    w->blocked--;
}

/* Splits that have met at one point, in one group, go on as one. Lanes that were let go while another polled find each other
 * again here, behind the barrier that all of them came to. */
void warp_merge(struct warp *w)
{
    for (u32 i = 0; i < w->nsplits; i++)
        for (u32 k = i + 1; k < w->nsplits && w->splits[i].state == SPLIT_READY; k++) {
            struct split *a = &w->splits[i], *b = &w->splits[k];
            if (b->state != SPLIT_READY || a->pc != b->pc || a->frame != b->frame || a->group != b->group)
                continue;
            a->asking |= b->asking;
            a->mask |= b->mask;
            drop_split(w, b);
        }
    warp_verified(w);
}

/* ---- calls ---- */

static const struct ir_inst *bad_callee(struct warp *w, const struct ir_inst *pc, const struct exec_func *f, u64 handle)
{
    if (f && f->ir && f->ir->poison) {
        struct exec_fault fault = {.kind = FAULT_ILLEGAL_INSTRUCTION};
        fault_place(w, pc, (unsigned)__builtin_ctz(w->mask), &fault);
        strncpy(fault.detail, f->ir->poison, sizeof fault.detail - 1);
        grid_fault(w->block->grid, &fault);
        w->stop = STOP_FAULT;
        return NULL;
    }
    return warp_fault(w, pc, FAULT_INVALID_PC, (unsigned)__builtin_ctz(w->mask), handle, 0, SPACE_NONE, false, false);
}

/* Lanes (of the running split) enter a function; their group is the call's. */
static const struct ir_inst *enter_function(struct warp *w, const struct ir_inst *pc, u64 handle, u32 lanes,
                                            struct group *meet, struct split *s)
{
    const struct ir_call *c = pc->ptr;
    struct exec_func *f = exec_module_func(w->block->grid->module, handle);
    if (!f || !f->ir || f->ir->poison || f->src->is_entry)
        return bad_callee(w, pc, f, handle);
    struct frame *frame = frame_push(w, f, lanes, c->ret_at);
    if (!frame)
        return warp_fault(w, pc, FAULT_STACK_OVERFLOW, (unsigned)__builtin_ctz(lanes), 0, 0, SPACE_LOCAL, true, false);
    const struct ir_inst *entry = f->ir->code[w->block->grid->mode].insts;
    if (!s)
        s = add_split(w, entry, frame, meet, lanes);
    s->pc = entry;
    s->frame = frame;
    s->group = meet;
    s->mask = lanes;
    return entry;
}

const struct ir_inst *warp_call(struct warp *w, const struct ir_inst *pc, u64 handle)
{
    struct group *meet = open_group(w, pc + 1, w->frame, w->mask, w->split->group);
    const struct ir_inst *entry = enter_function(w, pc, handle, w->mask, meet, w->split);
    if (entry)
        refresh(w);
    return entry;
}

const struct ir_inst *warp_call_each(struct warp *w, const struct ir_inst *pc, const u64 *handles)
{
    u32 left = w->mask, first = 0;
    struct group *meet = open_group(w, pc + 1, w->frame, w->mask, w->split->group);
    const struct ir_inst *entry = NULL;
    u64 first_handle = 0;
    while (left) {
        u32 lane = (u32)__builtin_ctz(left), same = 0;
        for (u32 i = 0; i < IR_LANES; i++)
            same |= (u32)(handles[i] == handles[lane]) << i;
        same &= left;
        left &= ~same;
        if (!first) {
            first = same;
            first_handle = handles[lane];
        } else if (!enter_function(w, pc, handles[lane], same, meet, NULL)) {
            return NULL;
        }
    }
    if (first != w->mask && w->hooks && w->hooks->diverge)
        w->hooks->diverge(w->hook_ctx, w->func, pc->site, w->mask, first);
    entry = enter_function(w, pc, first_handle, first, meet, w->split);
    if (entry)
        refresh(w);
    return entry;
}

const struct ir_inst *warp_return(struct warp *w, const struct ir_inst *pc)
{
    struct split *s = w->split;
    struct frame *f = s->frame;
    (void)pc;
    LS_BUG_ON(!f->caller || !s->group || s->group->frame != f->caller);
    if (w->block->wgmma)
        wgmma_leave(w, f);
    frame_leave(w, f, s->mask);
    return arrive(w);
}

/* ---- the loop ---- */

void warp_begin(struct warp *w, u32 lanes)
{
    struct block *b = w->block;
    struct frame *f = &b->frames[w->index];
    const struct ir_inst *entry = f->func->ir->code[b->grid->mode].insts;
    w->nsplits = 0;
    w->ready = w->blocked = 0;
    w->groups = NULL;
    w->exited = ~lanes;
    f->lanes = lanes;
    if (LS_LIKELY(!b->grid->launch->one_lane)) {
        w->splits[0] = (struct split){.pc = entry, .frame = f, .mask = lanes, .state = SPLIT_READY};
        w->nsplits = w->ready = 1;
        return;
    }
    for (; lanes; lanes &= lanes - 1)
        add_split(w, entry, f, NULL, lanes & -lanes);
}

/* Every split that could run has used its budget: parked lanes may be what they wait for. */
static void end_of_quantum(struct warp *w)
{
    if (w->polled)
        warp_release(w, FULL_MASK);
    for (u32 k = 0; k < w->nsplits; k++)
        if (w->splits[k].state == SPLIT_SPENT)
            w->splits[k].state = SPLIT_READY;
}

/* The lanes that waiting warp-wide operations still miss. */
static u32 awaited(const struct warp *w)
{
    u32 lanes = 0;
    for (u32 k = 0; k < w->nsplits; k++)
        if (w->splits[k].state == SPLIT_SYNC)
            for (u32 m = w->splits[k].mask; m; m &= m - 1)
                lanes |= w->members[__builtin_ctz(m)];
    return lanes & ~w->exited;
}

/* Charges what has been used of the quantum and starts a new one. */
static void renew_budget(struct warp *w)
{
    const u64 spent = (u64)(w->block->quantum - w->budget);
    w->worker->spent += spent;
    if (LS_UNLIKELY(w->worker->spent >= w->worker->help_at))
        crew_call(w->worker);
    if (w->polled & POLLED_MEMORY)
        w->worker->polling += spent / WARP_POLL_COST * POLL_NS;
    w->budget = w->block->quantum;
}

void warp_run(struct warp *w)
{
    const atomic_bool *stop = &w->block->grid->stop;
    w->polled = 0;
    w->tired = false;
    w->budget = w->block->quantum;
    for (;;) {
        warp_verified(w);
        struct split *s = pick(w);
        if (!s && w->ready) {
            end_of_quantum(w);
            break;
        }
        if (!s && w->blocked && warp_release(w, awaited(w)))
            continue;
        if (!s)
            break;
        warp_resume(w, s);
        s->asking = 0;
        const struct ir_inst *pc = s->pc;
        while (pc)
            pc = w->block->tier ? tier_step(w, pc) : pc->run(pc, w->regs, w);
        if (w->stop == STOP_FAULT || atomic_load_explicit(stop, memory_order_relaxed))
            break;
        if (w->stop == STOP_SPENT) {
            w->tired |= w->budget <= 0;
            renew_budget(w);
        }
    }
    renew_budget(w);
}

bool warp_only_waits(const struct warp *w)
{
    if (w->tired || w->polled & POLLED_MEMORY)
        return false;
    for (u32 k = 0; k < w->nsplits; k++)
        if (w->splits[k].state == SPLIT_READY && !w->splits[k].waited)
            return false;
    return true;
}
