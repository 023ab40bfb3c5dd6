/* warp_wide.c - warp-wide operations: shfl, vote, match, redux, elect, bar.warp.sync (PTX ISA 9.7.9.6, 9.7.13).
 *
 * An operation fires when all lanes of its member mask that have not exited have arrived at the same operation with
 * the same mask, at any pc. Usually they are the running split and it fires at once. Otherwise the split waits; each
 * later arrival or exit tries again. Firing has three steps, so that lanes at different pcs can take part: gather the
 * sources of every taking part, compute, scatter to every one's own destinations.
 *
 * A lane that executes the operation without being in its own mask is undefined behaviour. An H200 ends the kernel, and
 * so does this, with one exception on both: where the mask is a constant and ptxas sees that all lanes come together,
 * it drops the mask, and the operation is one of the lanes that are there (measured; tests/hw/h200/warp-masks.txt). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exec/sched.h"

/* The operands of all lanes that take part, and the results. */
struct sync {
    enum sync_op op;
    u32 lanes;   /* that take part */
    u32 members; /* the member mask */
    u32 given;   /* as the instruction has it: the same, but where a GPU drops the mask */
    u64 a[IR_LANES];
    u32 b[IR_LANES], c[IR_LANES];
    u32 pred; /* the source predicate of vote */
    u64 out[IR_LANES];
    u32 out_pred; /* the second result, or the first of vote.pred */
    u32 reads;    /* lanes whose value another takes */
};

/* The order of enum sync_op (sched.h) on which the ranges below rest. */
_Static_assert(SYNC_SHFL_UP == 0 && SYNC_SHFL_IDX + 1 == SYNC_VOTE_ALL && SYNC_VOTE_UNI + 1 == SYNC_BALLOT &&
                   SYNC_BALLOT + 1 == SYNC_MATCH_ANY_32 && SYNC_MATCH_ALL_64 + 1 == SYNC_ADD &&
                   SYNC_XOR + 1 == SYNC_FMIN && SYNC_FMAX_ABS + 1 == SYNC_FMIN_NAN &&
                   SYNC_FMAX_ABS_NAN + 1 == SYNC_ELECT,
               "shuffles, votes, matches, reductions (of floats at the end, those that keep NaN last), the others");

static bool is_shfl(enum sync_op op) { return op <= SYNC_SHFL_IDX; }
static bool is_vote(enum sync_op op) { return op >= SYNC_VOTE_ALL && op <= SYNC_BALLOT; }
static bool is_wide(enum sync_op op) { return op == SYNC_MATCH_ANY_64 || op == SYNC_MATCH_ALL_64; }

static void gather(struct sync *x, const struct ir_inst *pc, const u8 *regs, u32 lanes)
{
    const u32 *a = (const u32 *)(const void *)(regs + pc->a);
    if (x->op == SYNC_BARRIER || x->op == SYNC_ELECT) {
        return;
    } else if (is_vote(x->op)) {
        x->pred |= *a & lanes;
    } else if (is_wide(x->op)) {
        for (u32 m = lanes; m; m &= m - 1)
            x->a[__builtin_ctz(m)] = ((const u64 *)(const void *)(regs + pc->a))[__builtin_ctz(m)];
    } else {
        for (u32 m = lanes; m; m &= m - 1)
            x->a[__builtin_ctz(m)] = a[__builtin_ctz(m)];
    }
    if (is_shfl(x->op)) {
        const u32 *b = (const u32 *)(const void *)(regs + pc->b), *c = (const u32 *)(const void *)(regs + pc->c);
        for (u32 m = lanes; m; m &= m - 1) {
            x->b[__builtin_ctz(m)] = b[__builtin_ctz(m)];
            x->c[__builtin_ctz(m)] = c[__builtin_ctz(m)];
        }
    }
}

static void scatter(const struct sync *x, const struct ir_inst *pc, u8 *regs, u32 lanes)
{
    u32 *d = (u32 *)(void *)(regs + pc->d), *p = (u32 *)(void *)(regs + pc->aux);
    if (x->op == SYNC_BARRIER)
        return;
    if (x->op >= SYNC_VOTE_ALL && x->op <= SYNC_VOTE_UNI) {
        *d = (*d & ~lanes) | (x->out_pred & lanes);
        return;
    }
    for (u32 m = lanes; m; m &= m - 1)
        d[__builtin_ctz(m)] = (u32)x->out[__builtin_ctz(m)];
    if (is_shfl(x->op) || x->op == SYNC_MATCH_ALL_32 || x->op == SYNC_MATCH_ALL_64 || x->op == SYNC_ELECT)
        *p = (*p & ~lanes) | (x->out_pred & lanes);
}

/* PTX ISA 9.7.9.6: c packs the clamp (bits 0-4) and the segment mask (bits 8-12). A source lane that does not take
 * part gives an undefined value: here the lane's own. */
static void compute_shfl(struct sync *x)
{
    for (u32 m = x->lanes; m; m &= m - 1) {
        i32 lane = __builtin_ctz(m);
        i32 b = (i32)(x->b[lane] & 31), clamp = (i32)(x->c[lane] & 31), segment = (i32)(x->c[lane] >> 8 & 31);
        i32 max = (lane & segment) | (clamp & ~segment), min = lane & segment, from;
        bool in;
        switch (x->op) {
        case SYNC_SHFL_UP:
            from = lane - b;
            in = from >= max;
            break;
        case SYNC_SHFL_DOWN:
            from = lane + b;
            in = from <= max;
            break;
        case SYNC_SHFL_BFLY:
            from = lane ^ b;
            in = from <= max;
            break;
        default:
            from = min | (b & ~segment);
            in = from <= max;
        }
        if (!in || from < 0 || from > 31)
            from = lane;
        x->reads |= from != lane ? 1u << from : 0;
        x->out[lane] = x->lanes >> from & 1 ? x->a[from] : x->a[lane];
        x->out_pred |= (u32)in << lane;
    }
}

static void compute_vote(struct sync *x)
{
    u32 members = x->lanes & x->members, yes = x->pred & members;
    bool result = x->op == SYNC_VOTE_ALL   ? yes == members
                  : x->op == SYNC_VOTE_ANY ? yes != 0
                                           : yes == 0 || yes == members;
    x->out_pred = result ? FULL_MASK : 0;
    for (u32 i = 0; i < IR_LANES; i++)
        x->out[i] = yes;
}

static void compute_match(struct sync *x)
{
    u32 members = x->lanes & x->members;
    bool all = x->op == SYNC_MATCH_ALL_32 || x->op == SYNC_MATCH_ALL_64, same_everywhere = true;
    for (u32 m = x->lanes; m; m &= m - 1) {
        u32 lane = (u32)__builtin_ctz(m), same = 0;
        for (u32 k = members; k; k &= k - 1)
            same |= (u32)(x->a[__builtin_ctz(k)] == x->a[lane]) << __builtin_ctz(k);
        x->out[lane] = same;
        same_everywhere &= same == members;
    }
    if (!all)
        return;
    for (u32 i = 0; i < IR_LANES; i++)
        x->out[i] = same_everywhere ? members : 0;
    x->out_pred = same_everywhere ? FULL_MASK : 0;
}

static f32 as_float(u64 bits)
{
    u32 word = (u32)bits;
    f32 f;
    memcpy(&f, &word, sizeof f);
    return f;
}

/* redux.f32 (9.7.13.13): NaN inputs are skipped, or win with .NaN; -0 < +0. */
static u32 reduce_float(enum sync_op op, u32 acc, u32 value)
{
    bool magnitude = op == SYNC_FMIN_ABS || op == SYNC_FMAX_ABS || op == SYNC_FMIN_ABS_NAN || op == SYNC_FMAX_ABS_NAN;
    bool nan_wins = op >= SYNC_FMIN_NAN;
    bool least = op == SYNC_FMIN || op == SYNC_FMIN_ABS || op == SYNC_FMIN_NAN || op == SYNC_FMIN_ABS_NAN;
    u32 a = magnitude ? acc & 0x7fffffffu : acc, b = magnitude ? value & 0x7fffffffu : value;
    f32 fa = as_float(a), fb = as_float(b);
    if (isnan(fa) || isnan(fb))
        return nan_wins || (isnan(fa) && isnan(fb)) ? 0x7fffffffu : isnan(fa) ? b : a;
    bool a_less = fa < fb || (fa == fb && signbit(fa));
    return a_less == least ? a : b;
}

static u64 reduce(enum sync_op op, u64 acc, u64 v)
{
    switch (op) {
    case SYNC_ADD:
        return (u32)(acc + v);
    case SYNC_UMIN:
        return v < acc ? v : acc;
    case SYNC_UMAX:
        return v > acc ? v : acc;
    case SYNC_SMIN:
        return (i32)v < (i32)acc ? v : acc;
    case SYNC_SMAX:
        return (i32)v > (i32)acc ? v : acc;
    case SYNC_AND:
        return acc & v;
    case SYNC_OR:
        return acc | v;
    case SYNC_XOR:
        return acc ^ v;
    default:
        return reduce_float(op, (u32)acc, (u32)v);
    }
}

static void compute_redux(struct sync *x)
{
    u32 members = x->lanes & x->members;
    if (!members)
        return;
    u64 acc = x->a[__builtin_ctz(members)];
    bool is_float = x->op >= SYNC_FMIN && x->op <= SYNC_FMAX_ABS_NAN;
    if (is_float)
        acc = reduce(x->op, acc, acc); /* absolute value and canonical NaN of a single lane */
    for (u32 m = members & (members - 1); m; m &= m - 1)
        acc = reduce(x->op, acc, x->a[__builtin_ctz(m)]);
    for (u32 i = 0; i < IR_LANES; i++)
        x->out[i] = acc;
}

static void compute(struct sync *x)
{
    if (is_shfl(x->op)) {
        compute_shfl(x);
    } else if (is_vote(x->op)) {
        compute_vote(x);
    } else if (x->op <= SYNC_MATCH_ALL_64) {
        compute_match(x);
    } else if (x->op < SYNC_ELECT) {
        compute_redux(x);
    } else if (x->op == SYNC_ELECT) {
        u32 members = x->lanes & x->members, leader = members ? (u32)__builtin_ctz(members) : 0;
        for (u32 i = 0; i < IR_LANES; i++)
            x->out[i] = leader;
        x->out_pred = 1u << leader;
    }
}

static void start(struct sync *x, enum sync_op op, u32 members)
{
    x->op = op;
    x->members = x->given = members;
    x->lanes = x->pred = x->out_pred = x->reads = 0;
}

/* Of match.any: lanes that have a value which none before them has. */
static u32 different_values(const struct sync *x)
{
    u32 n = 0;
    for (u32 m = x->lanes; m; m &= m - 1)
        n += !(x->out[__builtin_ctz(m)] & x->lanes & ((m & -m) - 1));
    return n;
}

static void announce(const struct warp *w, const struct sync *x, const struct ir_func *func, const struct ir_inst *pc)
{
    if (w->hooks && w->hooks->match && (x->op == SYNC_MATCH_ANY_32 || x->op == SYNC_MATCH_ANY_64))
        w->hooks->match(w->hook_ctx, func, pc->site, different_values(x));
    if (!w->hooks || !w->hooks->warp_sync)
        return;
    const struct exec_warp_sync e = {.func = func,
                                     .site = pc->site,
                                     .warp = w->index,
                                     .lanes = x->lanes,
                                     .members = x->given,
                                     .reads = x->reads,
                                     .exited = w->exited,
                                     .orders = x->op == SYNC_BARRIER,
                                     .block = w->info};
    w->hooks->warp_sync(w->hook_ctx, &e);
}

/* The waiting split that has the first of these lanes. */
static const struct split *first_of(const struct warp *w, u32 lanes)
{
    for (u32 k = 0; k < w->nsplits; k++)
        if (w->splits[k].state == SPLIT_SYNC && w->splits[k].mask & lanes & -lanes)
            return &w->splits[k];
    LS_BUG_ON(true);
    return NULL;
}

/* ---- waiting ---- */

/* The operation of a split that waits, found again through its record. */
static bool same_operation(const struct split *a, const struct split *b) { return a->pc->run == b->pc->run; }

/* The waiting lanes that are at the same operation as s with member mask m. */
static u32 company(const struct warp *w, const struct split *s, u32 m)
{
    u32 lanes = 0;
    for (u32 k = 0; k < w->nsplits; k++) {
        const struct split *o = &w->splits[k];
        if (o->state != SPLIT_SYNC || !same_operation(o, s))
            continue;
        for (u32 left = o->mask; left; left &= left - 1)
            if (w->members[__builtin_ctz(left)] == m)
                lanes |= 1u << __builtin_ctz(left);
    }
    return lanes;
}

/* Lanes of a waiting split have fired: they go on behind the operation, the others keep waiting. */
static void go_on(struct warp *w, struct split *s, u32 fired)
{
    if (fired == s->mask) {
        warp_wake(w, s);
        return;
    }
    struct split *rest = warp_new_split(w);
    *rest = *s;
    rest->mask = s->mask & ~fired;
    w->blocked++;
    s->mask = fired;
    warp_wake(w, s);
}

static void fire(struct warp *w, enum sync_op op, const struct split *at, u32 lanes, u32 members)
{
    struct sync x;
    start(&x, op, members);
    ir_body run = at->pc->run;
    x.lanes = lanes;
    for (u32 k = 0; k < w->nsplits; k++)
        if (w->splits[k].state == SPLIT_SYNC && w->splits[k].pc->run == run && w->splits[k].mask & lanes)
            gather(&x, w->splits[k].pc, w->splits[k].frame->regs, w->splits[k].mask & lanes);
    compute(&x);
    const struct split *first = first_of(w, lanes);
    announce(w, &x, first->frame->func->ir, first->pc);
    for (u32 k = 0, n = w->nsplits; k < n; k++) {
        struct split *s = &w->splits[k];
        u32 mine = s->mask & lanes;
        if (s->state != SPLIT_SYNC || s->pc->run != run || !mine)
            continue;
        scatter(&x, s->pc, s->frame->regs, mine);
        go_on(w, s, mine);
    }
    if (op == SYNC_BARRIER && !w->block->grid->launch->one_lane)
        warp_merge(w);
}

/* A matrix instruction that waits for a lane that has exited never runs (PTX ISA 9.7.14: undefined). */
static void partial_warp(struct warp *w, const struct split *s)
{
    const struct ir_func *running = w->func;
    if (!w->exited)
        return;
    w->func = s->frame->func->ir;
    warp_fault(w, s->pc, FAULT_PARTIAL_WARP, (u32)__builtin_ctz(s->mask), 0, 0, SPACE_NONE, false, false);
    w->func = running;
}

void warp_sync_retry(struct warp *w)
{
    for (u32 k = 0; k < w->nsplits; k++) {
        struct split *s = &w->splits[k];
        u32 left = s->state == SPLIT_SYNC ? s->mask : 0;
        if (left && s->sync == SYNC_MATRIX) {
            partial_warp(w, s);
            continue;
        }
        while (left && s->state == SPLIT_SYNC) {
            u32 lane = (u32)__builtin_ctz(left), m = w->members[lane];
            u32 lanes = company(w, s, m);
            left &= ~lanes;
            if (!(m & ~w->exited & ~lanes))
                fire(w, (enum sync_op)s->sync, s, lanes, m);
        }
    }
}

/* The operation for lanes that are all here, which gave the mask `given`; `members` are those that it is about. */
static void fire_here(struct warp *w, u8 *regs, const struct ir_inst *pc, enum sync_op op, u32 lanes, u32 given,
                      u32 members)
{
    struct sync x;
    start(&x, op, members);
    x.given = given;
    x.lanes = lanes;
    gather(&x, pc, regs, lanes);
    compute(&x);
    announce(w, &x, w->func, pc);
    scatter(&x, pc, regs, lanes);
}

static u32 with_mask(const u32 *given, u32 lanes, u32 members)
{
    u32 same = 0;
    for (u32 m = lanes; m; m &= m - 1)
        same |= (u32)(given[__builtin_ctz(m)] == members) << __builtin_ctz(m);
    return same;
}

/* Lanes of the running split name different masks (tiles of a warp), but everybody named is here: all of them fire, and
 * the split stays whole, as on a GPU. */
static bool fire_tiles(struct warp *w, const struct ir_inst *pc, u8 *regs, enum sync_op op, const u32 *given)
{
    for (u32 left = w->mask; left;) {
        const u32 members = given[__builtin_ctz(left)], lanes = with_mask(given, left, members);
        if (members & ~w->exited & ~lanes)
            return false;
        left &= ~lanes;
    }
    for (u32 left = w->mask; left;) {
        const u32 members = given[__builtin_ctz(left)], lanes = with_mask(given, left, members);
        fire_here(w, regs, pc, op, lanes, members, members);
        left &= ~lanes;
    }
    return true;
}

/* The lanes that their own mask does not name. */
static u32 strangers(const struct warp *w, const u32 *given)
{
    u32 lanes = 0;
    for (u32 m = w->mask; m; m &= m - 1)
        lanes |= ~given[__builtin_ctz(m)] & m & -m;
    return lanes;
}

/* Whether ptxas drops the mask: it is a constant, the last operand, and all lanes of the warp are here. */
static bool drops_mask(const struct warp *w, const struct ir_inst *pc)
{
    const struct ptx_inst *i = warp_inst(w, pc);
    return w->mask == ~w->exited && i->noperands && i->operands[i->noperands - 1].kind == PTX_IMM;
}

static const struct ir_inst *without_caller(struct warp *w, const struct ir_inst *pc, const u32 *given, u32 lanes)
{
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    struct exec_fault f = {.kind = FAULT_MASK};
    fault_place(w, pc, lane, &f);
    snprintf(f.detail, sizeof f.detail, "the mask is 0x%08x, and threads 0x%08x of the warp call with it", given[lane],
             with_mask(given, w->mask, given[lane]));
    grid_fault(w->block->grid, &f);
    w->stop = STOP_FAULT;
    return NULL;
}

const struct ir_inst *warp_sync(struct warp *w, const struct ir_inst *pc, u8 *regs, enum sync_op op)
{
    const u32 *given = pc->imm < 0 ? &w->mask : (const u32 *)(const void *)(regs + pc->imm);
    u32 first = given[pc->imm < 0 ? 0 : __builtin_ctz(w->mask)], differ = 0;
    for (u32 m = pc->imm < 0 ? 0 : w->mask; m; m &= m - 1) /* without .sync the members are the active lanes */
        differ |= given[__builtin_ctz(m)] ^ first;
    const u32 outside = differ || w->mask & ~first ? strangers(w, given) : 0;
    if (LS_UNLIKELY(outside)) {
        if (!drops_mask(w, pc))
            return without_caller(w, pc, given, outside);
        fire_here(w, regs, pc, op, w->mask, first, w->mask);
        return pc + 1;
    }
    if (!differ && !(first & ~w->exited & ~w->mask)) {
        fire_here(w, regs, pc, op, w->mask, first, first);
        return pc + 1;
    }
    if (differ && fire_tiles(w, pc, regs, op, given))
        return pc + 1;
    for (u32 m = w->mask; m; m &= m - 1)
        w->members[__builtin_ctz(m)] = given[__builtin_ctz(m)];
    w->split->sync = (u8)op;
    warp_block(w, pc, SPLIT_SYNC);
    warp_sync_retry(w);
    return NULL;
}

bool warp_whole(struct warp *w, const struct ir_inst *pc)
{
    u32 here = w->mask;
    for (u32 k = 0; k < w->nsplits; k++) {
        const struct split *s = &w->splits[k];
        if (s->state == SPLIT_SYNC && s->pc == pc && s->frame == w->frame)
            here |= s->mask;
    }
    if (here == FULL_MASK) {
        for (u32 k = 0; k < w->nsplits; k++)
            if (w->splits[k].state == SPLIT_SYNC && w->splits[k].pc == pc && w->splits[k].frame == w->frame)
                warp_wake(w, &w->splits[k]);
        return true;
    }
    for (u32 m = w->mask; m; m &= m - 1)
        w->members[__builtin_ctz(m)] = FULL_MASK;
    w->split->sync = SYNC_MATRIX;
    warp_block(w, pc, SPLIT_SYNC);
    if (w->exited)
        partial_warp(w, w->split);
    return false;
}
