/* run.c - compiled code at work: whole blocks in it, and the way between it and the interpreter. */
#include <string.h>

#include "exec/tier/compile.h"
#include "exec/tier/tell.h"
#include "exec/tier/tier.h"

/* ---- bodies ---- */

const struct ir_inst *tier_stop(const struct ir_inst *pc, u8 *regs, struct warp *w)
{
    (void)regs, (void)w;
    return pc;
}

bool tier_go_on(struct warp *w)
{
    w->worker->spent += (u64)(w->block->quantum - w->budget);
    w->budget = w->block->quantum;
    if (block_watch(w->block))
        return true;
    w->stop = STOP_FAULT;
    return false;
}

/* ---- states ---- */

static void expand_32(u32 *at, const struct shape *s)
{
    const u32 first = s->known ? (u32)s->value : at[0];
    for (u32 i = 0; i < IR_LANES; i++)
        at[i] = first + (s->offset ? (u32)s->offset[i] : 0);
}

static void expand_64(u64 *at, const struct shape *s)
{
    const u64 first = s->known ? (u64)s->value : at[0];
    for (u32 i = 0; i < IR_LANES; i++)
        at[i] = first + (s->offset ? (u64)s->offset[i] : 0);
}

/* From the compact form to all lanes. */
static void expand(u8 *regs, const struct tier_state *s)
{
    for (u32 k = 0; k < s->ncells; k++) {
        const struct tier_cell *c = &s->cells[k];
        void *at = regs + c->at;
        if (c->kind == CELL_PRED && c->s.known)
            *(u32 *)at = c->s.value ? FULL_MASK : 0;
        else if (c->s.kind == SHAPE_VECTOR || c->kind == CELL_PRED)
            continue;
        else if (c->kind == CELL_64)
            expand_64(at, &c->s);
        else
            expand_32(at, &c->s);
    }
}

static bool fits_32(const u32 *at, const struct shape *s)
{
    u32 off = s->known ? at[0] ^ (u32)s->value : s->root ? 0 : at[0] & (((u32)1 << (s->align & 31)) - 1);
    for (u32 i = 0; i < IR_LANES; i++)
        off |= at[i] ^ (at[0] + (s->offset ? (u32)s->offset[i] : 0));
    return !off;
}

static bool fits_64(const u64 *at, const struct shape *s)
{
    u64 off = s->known ? at[0] ^ (u64)s->value : s->root ? 0 : at[0] & (((u64)1 << s->align) - 1);
    for (u32 i = 0; i < IR_LANES; i++)
        off |= at[i] ^ (at[0] + (s->offset ? (u64)s->offset[i] : 0));
    return !off;
}

/* Whether the values in the frame are of the shapes that the state says: lane 0 then is its compact form. */
static bool fits(const u8 *regs, const struct tier_state *s)
{
    for (u32 k = 0; k < s->ncells; k++) {
        const struct tier_cell *c = &s->cells[k];
        const void *at = regs + c->at;
        bool ok = true;
        if (c->s.kind == SHAPE_VECTOR)
            continue;
        if (c->kind == CELL_PRED) {
            const u32 mask = *(const u32 *)at;
            ok = c->s.known ? mask == (c->s.value ? FULL_MASK : 0) : mask == 0 || mask == FULL_MASK;
        } else {
            ok = c->kind == CELL_64 ? fits_64(at, &c->s) : fits_32(at, &c->s);
        }
        if (!ok)
            return false;
    }
    return true;
}

/* ---- a block in compiled code ---- */

/* A block whose warps poll may wait for another block: after so many turns the interpreter decides who runs. How many
 * barriers a block passes, after the first, before it looks at the clock. */
enum { PATIENCE = 64, WATCH_PHASES = 256 };

/* The warps of a block that runs in code; sets are a bit a warp. */
struct tier_warps {
    struct tier_args args;
    struct exec_site_count *none; /* of a launch that is told of all accesses */
    u32 at[MAX_WARPS];            /* the entry at which the warp goes on */
    u32 started, waiting, done;
    u32 begun; /* it has a split, which bodies expect: most warps never need one */
    u32 polls; /* turns at whose end a warp had polled */
};

/* The block is the one that code has come to. */
static void follow(struct block *b)
{
    if (b->info.id[0] == b->tiered->args.x)
        return;
    b->tiered->begun = 0;
    block_follow(b, b->tiered->args.x);
}

/* What bodies, and the interpreter after them, expect of a running warp. */
static void begin_warp(struct warp *w)
{
    struct tier_warps *t = w->block->tiered;
    follow(w->block);
    if (t->begun >> w->index & 1)
        return;
    t->begun |= 1u << w->index;
    warp_begin(w, FULL_MASK);
    warp_resume(w, &w->splits[0]);
}

bool tier_run_body(struct warp *w, const struct ir_inst *first, u32 mask)
{
    const struct ir_inst *pc = first;
    if (w->block->in_code)
        begin_warp(w);
    w->mask = mask;
    while (pc && pc->run != tier_stop)
        pc = pc->run(pc, w->regs, w);
    w->mask = FULL_MASK;
    return pc != NULL;
}

static void set_args(struct block *b, const struct tier_code *c)
{
    const struct grid *g = b->grid;
    b->tiered->args = (struct tier_args){.params = g->launch->params,
                                         .sites = b->worker->sites[g->kernel->number],
                                         .shared = b->shared,
                                         .shared_bytes = b->info.shared_bytes,
                                         .ctaid = {b->info.id[0], b->info.id[1], b->info.id[2]},
                                         .nctaid = {g->launch->grid[0], g->launch->grid[1], g->launch->grid[2]},
                                         .dynamic_shared = g->shared_static,
                                         .param_address = g->param_address,
                                         .bodies = c->bodies,
                                         .run_body = tier_run_body,
                                         .go_on = tier_go_on,
                                         .tell = &tier_tells,
                                         .kernel = g->kernel->ir};
    if (c->mode == IR_TRACED)
        b->tiered->none = arena_array(&b->worker->mem, struct exec_site_count, g->kernel->src->ninsts + 1);
}

/* The counters are the worker's, and it may have taken over the block from another. */
static void set_counts(struct block *b)
{
    const struct exec_counts *c = &b->worker->counts[b->grid->kernel->number];
    b->tiered->args.blocks = c->blocks;
    b->tiered->args.plain = c->sites ? c->sites : b->tiered->none;
}

bool tier_begin(struct block *b)
{
    struct tier_warps *t = b->tiered;
    if (!t) {
        t = b->tiered = arena_new(&b->worker->mem, struct tier_warps);
        set_args(b, b->tier);
    }
    for (u32 k = 0; k < 3; k++) /* one by one, as they have just been written */
        t->args.ctaid[k] = b->info.id[k];
    if (b->tier->mode == IR_TRACED)
        set_counts(b);
    if (b->grid->last_mask != FULL_MASK)
        return false;
    if (b->tier->needs_frame)
        frames_move(b);
    t->started = t->begun = t->waiting = t->done = t->polls = 0;
    return true;
}

/* The warps [first, end) of the block, from one entry; of straight code those of the blocks behind it, too, if it is given all. */
static u32 run_code(struct block *b, u32 first, u32 end, u32 entry, u32 blocks)
{
    struct tier_args *args = &b->tiered->args;
    enum { FARTHEST = 50 };
    if (b->tier->mixed)
        args->chance = 1 + (u32)(worker_random(b->worker) % (FARTHEST * (u64)(end - first)));
    args->first = first;
    args->end = end;
    args->x = args->ctaid[0];
    args->x_end = args->x + blocks;
    return b->tier->run(b->warps, b->frames, args, entry);
}

/* The interpreter goes on with the warp in front of the record. */
static void hand_over(struct warp *w, const struct tier_state *s, u32 record)
{
    const struct ir_code *code = &w->func->code[w->block->tier->mode];
    expand(w->regs, s);
    w->splits[0].pc = code->insts + record;
}

/* The interpreter goes on with all warps: those that wait at a barrier come to it once more. left: of the warp that
 * leaves the code, or NULL. */
static void hand_over_all(struct block *b, u32 leaver, const struct tier_state *left)
{
    const struct tier_code *c = b->tier;
    if (!c->needs_frame)
        frames_move(b);
    for (u32 k = 0; k < b->info.warps; k++) {
        struct warp *w = &b->warps[k];
        const u32 at = b->tiered->at[k];
        if (b->tiered->done >> k & 1) {
            w->nsplits = w->ready = w->blocked = 0;
            w->exited = FULL_MASK;
            b->exited_threads += IR_LANES;
            b->live_warps--;
            continue;
        }
        begin_warp(w);
        if (!(b->tiered->started >> k & 1))
            continue;
        if (left && k == leaver)
            hand_over(w, left, left->record);
        else
            hand_over(w, &c->states[at], c->states[at].record - (b->tiered->waiting >> k & 1));
    }
    b->in_code = false;
}

/* What a warp's result says of it; false: the block is no longer the code's, or it stops (*stopped). */
static bool note_end(struct block *b, u32 k, u32 result, bool *stopped)
{
    struct tier_warps *t = b->tiered;
    switch (TIER_END(result)) {
    case TIER_DONE:
        t->done |= 1u << k;
        break;
    case TIER_BARRIER:
        t->waiting |= 1u << k;
        t->at[k] = TIER_STATE(result);
        break;
    case TIER_YIELD:
        t->at[k] = TIER_STATE(result);
        if (b->warps[k].polled && ++t->polls > PATIENCE) {
            hand_over_all(b, k, NULL);
            return false;
        }
        break;
    case TIER_LEAVE:
        hand_over_all(b, k, &b->tier->states[TIER_STATE(result)]);
        return false;
    case TIER_FAULT:
        *stopped = true;
        return false;
    }
    return true;
}

/* The set of warps [first, end), which is not empty. */
static u32 range(u32 first, u32 end) { return FULL_MASK >> (IR_LANES - (end - first)) << first; }

/* These are all done, or all at one barrier. */
static void note_same(struct tier_warps *t, u32 first, u32 end, u32 result)
{
    if (TIER_END(result) == TIER_DONE) {
        t->done |= range(first, end);
        return;
    }
    t->waiting |= range(first, end);
    for (u32 k = first; k < end; k++)
        t->at[k] = TIER_STATE(result);
}

static u32 entry_of(const struct tier_warps *t, u32 k) { return t->started >> k & 1 ? t->at[k] : 0; }

static void give_budgets(struct block *b, u32 first, u32 end)
{
    for (u32 k = first; k < end; k++) {
        b->warps[k].polled = 0;
        b->warps[k].budget = b->quantum;
    }
}

static void take_budgets(struct block *b, u32 first, u32 end)
{
    for (u32 k = first; k < end; k++)
        b->worker->spent += (u64)(b->quantum - b->warps[k].budget);
}

/* Of warps from first on, the last of which had that result. False: as note_end. */
static bool note_warps(struct block *b, u32 first, u32 result, bool *stopped)
{
    struct tier_warps *t = b->tiered;
    const u32 last = t->args.last;
    t->started |= range(first, last + 1);
    if (first < last)
        note_same(t, first, last, t->args.before);
    return note_end(b, last, result, stopped);
}

/* Runs warps from *first on, to *end at most, which it changes to behind the last that ran; false: as note_end. */
static bool run_warps(struct block *b, u32 first, u32 *end, bool *stopped)
{
    struct tier_warps *t = b->tiered;
    const u32 entry = entry_of(t, first);
    if (b->tier->pays)
        give_budgets(b, first, *end);
    const u32 result = run_code(b, first, *end, entry, 1), last = t->args.last;
    if (b->tier->pays)
        take_budgets(b, first, last + 1);
    *end = last + 1;
    return note_warps(b, first, result, stopped);
}

/* All warps that are not done wait: at one barrier they go on, at several the interpreter sorts it out. */
static bool pass_barrier(struct block *b)
{
    u32 first = UINT32_MAX;
    for (u32 k = 0; k < b->info.warps; k++) {
        if (!(b->tiered->waiting >> k & 1))
            continue;
        first = first == UINT32_MAX ? b->tiered->at[k] : first;
        if (b->tiered->at[k] != first) {
            hand_over_all(b, 0, NULL);
            return false;
        }
    }
    if (b->grid->mode == IR_TRACED)
        tell_barrier(b, b->tiered->waiting, b->tier->states[first].record - 1);
    b->tiered->waiting = 0;
    return true;
}

static bool can_run(const struct tier_warps *t, u32 k) { return !((t->done | t->waiting) >> k & 1); }

/* Behind the last of the warps from k on that can run from the same entry, or that cannot either. */
static u32 alike(const struct block *b, u32 k)
{
    const struct tier_warps *t = b->tiered;
    const bool runs = can_run(t, k);
    const u32 entry = entry_of(t, k);
    if (!t->started)
        return b->info.warps;
    do
        k++;
    while (k < b->info.warps && can_run(t, k) == runs && (!runs || entry_of(t, k) == entry));
    return k;
}

bool tier_block(struct block *b, enum block_end *end)
{
    const u32 all = b->info.warps == 32 ? FULL_MASK : (1u << b->info.warps) - 1;
    const bool shuffled = b->grid->launch->seed != 0;
    bool stopped = false;
    u8 turns[MAX_WARPS];
    for (u32 phase = 1; b->tiered->done != all; phase++) {
        if (shuffled)
            block_deal_turns(b, turns);
        for (u32 n = 0, behind; n < b->info.warps; n = shuffled ? n + 1 : behind) {
            const u32 k = shuffled ? turns[n] : n;
            behind = shuffled ? k + 1 : alike(b, k);
            if (can_run(b->tiered, k) && !run_warps(b, k, &behind, &stopped)) {
                *end = BLOCK_STOPPED;
                return stopped;
            }
        }
        const bool unfinished = (b->tiered->done | b->tiered->waiting) != all;
        if (!unfinished && b->tiered->waiting && !pass_barrier(b))
            return false;
        const bool look = phase % WATCH_PHASES == 1 && b->tiered->done != all;
        if ((unfinished || look) && !block_watch(b)) {
            *end = BLOCK_STOPPED;
            return true;
        }
    }
    b->live_warps = 0;
    *end = BLOCK_DONE;
    return true;
}

bool tier_is_straight(const struct tier_code *c)
{
    return !c->pays && !c->needs_frame && !c->mixed && c->nentries == 1;
}

bool tier_repeat(struct block *b, u32 most, enum block_end *end)
{
    struct tier_warps *t = b->tiered;
    const u32 last = b->info.warps - 1;
    bool stopped = false;
    b->in_code = true; /* the block before may have left it */
    t->started = t->begun = t->waiting = t->done = t->polls = 0;
    for (u32 k = 0; k < 3; k++)
        t->args.ctaid[k] = b->info.id[k];
    const u32 result = run_code(b, 0, last + 1, 0, most);
    follow(b);
    t->args.ctaid[0] = t->args.x;
    *end = BLOCK_DONE;
    if (LS_LIKELY(t->args.last == last && TIER_END(result) == TIER_DONE &&
                  (!last || TIER_END(t->args.before) == TIER_DONE)))
        return true;
    *end = BLOCK_STOPPED;
    return note_warps(b, 0, result, &stopped) ? tier_block(b, end) : stopped;
}

/* ---- from the interpreter back into code ---- */

/* The split is the warp's only one, of all lanes, in the kernel itself. */
static bool is_whole(const struct warp *w) { return w->mask == FULL_MASK && !w->split->group && !w->frame->caller; }

/* Goes on in front of the state's record, or `back` records before it. */
static const struct ir_inst *leave_at(struct warp *w, const struct tier_state *s, u32 back)
{
    expand(w->regs, s);
    return w->func->code[w->block->tier->mode].insts + s->record - back;
}

const struct ir_inst *tier_step(struct warp *w, const struct ir_inst *pc)
{
    const struct tier_code *c = w->block->tier;
    const u32 entry = is_whole(w) ? c->entry_at[pc - w->func->code[c->mode].insts] : 0;
    if (!entry || !fits(w->regs, &c->states[entry - 1]))
        return pc->run(pc, w->regs, w);
    const u32 result = run_code(w->block, w->index, w->index + 1, entry - 1, 1);
    const struct tier_state *s = &c->states[TIER_STATE(result)];
    switch (TIER_END(result)) {
    case TIER_DONE:
        return warp_exit(w, pc);
    case TIER_BARRIER:
        pc = leave_at(w, s, 1);
        return pc->run(pc, w->regs, w);
    case TIER_YIELD:
        return warp_yield(w, leave_at(w, s, 0));
    case TIER_LEAVE:
        pc = leave_at(w, s, 0);
        return pc->run(pc, w->regs, w);
    case TIER_FAULT:
        break;
    }
    return NULL;
}
