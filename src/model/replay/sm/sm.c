/* sm.c - the SM: who issues next (sm.h).
 *
 * Each warp knows the earliest time at which its next instruction may issue, and a scheduler which warp is next (scheduler.h). It is free again a
 * cycle later; the SM takes the scheduler that is first. A warp that finds its pipe or queue taken says when that will be free and
 * waits on. */
#include "model/replay/sm/sm_run.h"

#include "model/replay/sm/scheduler.h"
#include "model/replay/sm/warp.h"

/* ---- schedulers ---- */

static struct sm_scheduler *scheduler_of(struct sm *s, u32 warp, u32 *place)
{
    *place = warp / s->machine->schedulers;
    return &s->schedulers[warp % s->machine->schedulers];
}

static void set_when_at(struct sm *s, struct sm_scheduler *c, u32 place, double t)
{
    c->when[place] = t;
    scheduler_choose(c, s->places);
}

static void set_when(struct sm *s, u32 warp, double t)
{
    u32 place;
    struct sm_scheduler *c = scheduler_of(s, warp, &place);
    set_when_at(s, c, place, t);
}

static struct sm_scheduler *earliest(struct sm *s)
{
    struct sm_scheduler *best = &s->schedulers[0];
    for (u32 k = 1; k < s->machine->schedulers; k++)
        if (s->schedulers[k].next < best->next)
            best = &s->schedulers[k];
    return best;
}

/* ---- blocks ---- */

static u32 warps_of(const struct sm *s) { return s->launch->warps; }

/* Of the scheduler's slots the one that has been free for longest; nslots: none is. */
static u32 free_slot_of(const struct sm *s, u32 scheduler)
{
    u32 best = s->nslots;
    for (u32 k = scheduler; k < s->nslots; k += s->machine->schedulers)
        if (!s->warps[k].there && s->warps[k].gone < INFINITY &&
            (best == s->nslots || s->warps[k].gone < s->warps[best].gone))
            best = k;
    return best;
}

/* Slots for the block's warps: by turns of each scheduler, or of the next one that has any. Which one has a block's first warp differs from block to
 * block (tests/hw/h200/uneven.csv, warp: of twelve long warps not all are at one scheduler). When the last of them was left. */
static double take_slots(struct sm *s, struct sm_held *h)
{
    double t = -INFINITY;
    for (u32 k = 0; k < warps_of(s); k++) {
        u32 slot = s->nslots;
        for (u32 turn = 0; slot == s->nslots; turn++)
            slot = free_slot_of(s, (s->turn + k + turn) % s->machine->schedulers);
        t = larger(t, s->warps[slot].gone);
        s->warps[slot].gone = INFINITY;
        h->slots[k] = slot;
    }
    s->turn += warps_of(s);
    if (warps_of(s) % s->machine->schedulers == 0)
        s->turn += (u32)((s->turn + 1ull) * 0x9e3779b97f4a7c15ull >> 60);
    s->nfree -= warps_of(s);
    return t;
}

static void leave_slot(struct sm *s, struct sm_held *h, u32 index, double t)
{
    s->warps[h->slots[index]].gone = t;
    h->slots[index] = s->nslots;
    s->nfree++;
}

static void begin_warp(struct sm *s, u32 held, u32 index, double t)
{
    const u32 number = s->held[held].slots[index];
    struct sm_warp *w = &s->warps[number];
    struct sm_cost *costs = w->costs, *early = w->early;
    const u64 **ahead = w->ahead;
    const struct replay_stream *stream = &s->held[held].block->warps[index];
    *w = (struct sm_warp){.costs = costs,
                          .early = early,
                          .ahead = ahead,
                          .item = stream->items,
                          .last = stream->items + stream->n,
                          .held = held,
                          .index = index,
                          .gone = INFINITY,
                          .issued = t - 1,
                          .stalled = t};
    u32 place;
    struct sm_scheduler *c = scheduler_of(s, number, &place);
    c->turn[place] = scheduler_turn(c, s->held[held].number);
    while (s->places <= place)
        s->places += SCHEDULER_PLACES;
    w->there = warp_next_program(s, w);
    set_when(s, number, w->there ? warp_arrive(s, c, w) : INFINITY);
    if (w->there)
        s->held[held].running++;
    else
        leave_slot(s, &s->held[held], index, t);
}

static void end_block(struct sm_run *run, struct sm_held *h)
{
    h->block = NULL;
    run->ended[h->number] = h->gone;
    run->cycles = larger(run->cycles, h->gone);
}

static void begin_block(struct sm *s, struct sm_run *run, u32 held)
{
    struct sm_held *h = &s->held[held];
    struct sm_mbarrier *mbarriers = h->mbarriers;
    u32 *slots = h->slots;
    const double room = larger(h->gone, take_slots(s, h)) + s->machine->block_start,
                 t = larger(room, s->started + run->active / s->machine->blocks_a_cycle);
    for (u32 k = 0; mbarriers && k < SM_MBARRIERS; k++)
        mbarriers[k].arrived = 0;
    *h = (struct sm_held){.block = &s->launch->blocks[run->blocks[run->ran]],
                          .number = run->ran,
                          .begun = t,
                          .gone = t,
                          .mbarriers = mbarriers,
                          .slots = slots};
    run->begun[run->ran++] = t;
    s->started = t;
    for (u32 k = 0; k < warps_of(s); k++)
        begin_warp(s, held, k, t);
    if (!h->running)
        end_block(run, h);
}

/* The place that has been free for longest; nplaces: none is. */
static u32 free_place(const struct sm *s)
{
    u32 best = s->nplaces;
    for (u32 k = 0; k < s->nplaces; k++)
        if (!s->held[k].block && (best == s->nplaces || s->held[k].gone < s->held[best].gone))
            best = k;
    return best;
}

/* The next blocks of the list, until one has no room: that of warps comes back warp by warp, of whatever blocks, a place with its
 * whole block. None, if the list or the budget is spent. */
static void begin_blocks(struct sm *s, struct sm_run *run)
{
    for (u32 place; s->nfree >= warps_of(s) && run->ran < run->n && s->issued < run->until &&
                    (place = free_place(s)) < s->nplaces;)
        begin_block(s, run, place);
}

/* ---- barriers ---- */

static u32 must_come(const struct sm_held *h, u64 item)
{
    const u32 n = item_barrier_warps(item);
    return n && n < h->running ? n : h->running;
}

static void release(struct sm *s, struct sm_held *h, u32 id, double t)
{
    const double open = larger(t, h->barriers[id].done) + s->machine->barrier;
    for (u32 k = 0; k < warps_of(s); k++) {
        struct sm_warp *w = h->slots[k] < s->nslots ? &s->warps[h->slots[k]] : NULL;
        if (!w || w->waits_at != id + 1)
            continue;
        w->waits_at = 0;
        warp_wait_until(w, open, STALL_BARRIER);
        set_when(s, h->slots[k], warp_ready(w));
    }
    h->barriers[id].arrived = 0;
}

/* The barrier that waits for warps which have exited. */
static void release_complete(struct sm *s, struct sm_held *h, double t)
{
    for (u32 id = 0; id < SM_BARRIERS; id++)
        if (h->barriers[id].arrived && h->barriers[id].arrived >= h->running)
            release(s, h, id, t);
}

static void come_to_barrier(struct sm *s, u32 number, u64 item, double t)
{
    struct sm_warp *w = &s->warps[number];
    struct sm_held *h = &s->held[w->held];
    const u32 id = item_barrier_id(item) % SM_BARRIERS;
    s->barriers = larger(s->barriers, t) + s->machine->barrier_warp;
    h->barriers[id].done = s->barriers;
    h->barriers[id].arrived++;
    if (item_waits(item)) {
        w->waits_at = id + 1;
        set_when(s, number, INFINITY);
    }
    if (h->barriers[id].arrived >= must_come(h, item))
        release(s, h, id, t);
}

/* ---- mbarriers ---- */

static void wait_for(struct sm *s, u32 number, u32 slot, u32 n)
{
    struct sm_warp *w = &s->warps[number];
    double t;
    const bool over = sm_arrived(&s->held[w->held], slot, n, &t);
    w->waits_for = over ? 0 : slot + 1;
    w->waits_n = n;
    if (over)
        warp_wait_until(w, t, STALL_LONG_SCOREBOARD);
    set_when(s, number, over ? warp_ready(w) : INFINITY);
}

/* Warps of the block that an arrival may let go. */
static void wake(struct sm *s, u32 held, u32 slot)
{
    for (u32 k = 0; k < warps_of(s); k++) {
        const u32 number = s->held[held].slots[k];
        if (number < s->nslots && s->warps[number].waits_for == slot + 1)
            wait_for(s, number, slot, s->warps[number].waits_n);
    }
}

/* The warp stands at the instruction behind. */
static void after_async(struct sm *s, u32 number, struct item_async a)
{
    if (a.what == ASYNC_WAIT && s->warps[number].there)
        wait_for(s, number, a.slot, a.n);
    else if (a.what != ASYNC_WAIT && a.slot < SM_MBARRIERS)
        wake(s, s->warps[number].held, a.slot);
}

/* ---- sleep ---- */

/* The warp goes on when a clock of all SMs has next counted so many times 2^k ns, the least 2^k that is more than what it sleeps for: what is measured
 * (tests/hw/sleep.cu). Nobody knows when that is, so a launch begins in the middle. */
static double wake_time(const struct machine *m, u32 ns, double t)
{
    enum { LEAST = 90 }; /* cycles */
    const double period = (double)(1u << (ns ? 32 - __builtin_clz(ns) : 0)) * m->hz * 1e-9;
    const double next = (floor(t / period + 0.5) + 0.5) * period;
    return larger(t + LEAST, next);
}

/* It stands at the instruction behind. */
static void fall_asleep(struct sm *s, u32 number, u32 ns, double t)
{
    struct sm_warp *w = &s->warps[number];
    if (!w->there)
        return;
    warp_wait_until(w, wake_time(s->machine, ns, t), STALL_SLEEPING);
    set_when(s, number, warp_ready(w));
}

/* ---- registers ---- */

static bool keeps_any(const struct sm_warp *w)
{
    return w->cached[0][0] | w->cached[0][1] | w->cached[1][0] | w->cached[1][1] | w->cached[2][0] | w->cached[2][1];
}

static bool is_kept(const struct sm_warp *w, const struct replay_inst *i, u32 k)
{
    return w->cached[k][i->regs[k] & 1] == i->regs[k] + 1;
}

static bool is_read_twice(const struct replay_inst *i, u32 k)
{
    return (k > 0 && i->regs[0] == i->regs[k]) || (k > 1 && i->regs[1] == i->regs[k]);
}

/* Cycles in which an instruction's registers are read: a bank gives one a cycle, what is kept is not read. IMAD.WIDE holds up
 * what follows for two more (docs/calibrate.md). */
static double read_cycles(const struct sm_warp *w, const struct replay_inst *i)
{
    u32 reads[2] = {0};
    for (u32 k = 0; k < 3; k++)
        if (i->regs[k] != REPLAY_NO_REG && !is_kept(w, i, k) && !is_read_twice(i, k)) {
            reads[i->regs[k] & 1]++;
            reads[!(i->regs[k] & 1)] += i->wide >> k & 1;
        }
    const u32 most = reads[0] > reads[1] ? reads[0] : reads[1];
    return (most ? most : 1) + (i->wide & REPLAY_WIDE_RESULT ? 2 : 0);
}

/* What is kept for a place and bank goes when another register of that bank is read there, or when it is used for the last time. */
static void keep_registers(struct sm_warp *w, const struct replay_inst *i)
{
    if (!i->reuse && !keeps_any(w))
        return;
    for (u32 k = 0; k < 3; k++)
        if (i->regs[k] != REPLAY_NO_REG)
            w->cached[k][i->regs[k] & 1] = i->reuse >> k & 1 ? (u8)(i->regs[k] + 1) : 0;
}

/* ---- issue ---- */

static void finish_warp(struct sm *s, struct sm_run *run, u32 number, double t)
{
    struct sm_warp *w = &s->warps[number];
    struct sm_held *h = &s->held[w->held];
    const double resolved = t + 1 + s->machine->exit, gone = larger(resolved, w->leaves);
    w->there = false;
    s->stalls[STALL_BRANCH_RESOLVING] += s->machine->exit;
    s->stalls[STALL_DRAIN] += gone - resolved;
    for (u32 k = 0; k < LS_ARRAY_LEN(w->before); k++)
        if (w->before[k]) {
            w->before[k]->stalls[STALL_BRANCH_RESOLVING] += s->machine->exit;
            w->before[k]->stalls[STALL_DRAIN] += gone - resolved;
        }
    s->present += gone - h->begun;
    h->running--;
    h->gone = larger(h->gone, gone);
    set_when(s, number, INFINITY);
    leave_slot(s, h, w->index, gone);
    if (h->running)
        release_complete(s, h, t);
    else
        end_block(run, h);
    begin_blocks(s, run);
}

/* The warp is not at the instruction behind the last one: it took a branch there. */
static void branch(const struct sm *s, struct sm_warp *w, double t)
{
    w->resolved = larger(w->resolved, w->stalled + s->machine->branch);
    w->fetched = t + s->machine->branch_fetch;
}

/* Some of its lanes went another way. They come to the join first, where they wait, and the warp goes on with these: one of both had
 * a branch to take. */
static void part(const struct sm *s, struct sm_warp *w, bool jumped)
{
    const struct machine *m = s->machine;
    const double more = (w->parted || jumped ? m->branch : 0) + (w->switched ? m->change : 0);
    w->joined = w->parted;
    w->stalled += w->parted * m->join_stall;
    w->resolved = larger(w->resolved, w->stalled + w->parted * m->join + w->late * m->join_late + more);
    w->fetched = w->resolved + m->branch_there;
}

/* The warp has come to its next program. */
static void come_to_program(const struct sm *s, struct sm_warp *w, const struct replay_inst *last, double t)
{
    const bool jumped = warp_inst(w)->at != last->at + 1;
    if (jumped)
        branch(s, w, t);
    if (last->control == CONTROL_EXIT)
        w->resolved = larger(w->resolved, w->parted ? w->stalled + s->machine->exit : 0);
    else if (w->parted || w->switched)
        part(s, w, jumped);
    w->parted = w->late = 0;
    w->switched = false;
}

/* Until its target is known, whether it goes there or not. */
static double control_cycles(const struct machine *m, u8 control)
{
    return control == CONTROL_JOIN     ? m->join
           : control == CONTROL_BREAK  ? m->branch
           : control == CONTROL_RETURN ? m->comes_back
                                       : 0;
}

/* It stands at its next instruction, and at a barrier if the one before was one. */
static void go_on(struct sm *s, struct sm_run *run, struct sm_scheduler *c, u32 number, double t, double late,
                  u64 barrier)
{
    struct sm_warp *w = &s->warps[number];
    const struct replay_inst *i = warp_inst(w);
    const double control = control_cycles(s->machine, i->control);
    w->issued = t;
    w->joined = 0;
    w->stalled = t + late + (i->stall ? i->stall : 1);
    w->resolved = control > 0 ? w->stalled + control : 0;
    w->fetched = 0;
    if (++w->pc == w->program->n) {
        if (!warp_next_program(s, w)) {
            finish_warp(s, run, number, t);
            return;
        }
        come_to_program(s, w, i, t);
    }
    set_when_at(s, c, c->last, warp_arrive(s, c, w));
    if (barrier)
        come_to_barrier(s, number, barrier, t + i->latency);
}

static void set_bar(struct sm_warp *w, u8 bar, double t, u8 reason)
{
    if (bar < REPLAY_BARS && t > w->bar[bar]) {
        w->bar[bar] = t;
        w->bar_reason[bar] = reason;
    }
}

/* A product of a warpgroup has its pipe from t on. */
static void begin_product(struct sm *s, struct sm_warp *w, const struct replay_inst *i, double t)
{
    sm_take(&s->memory.lsu, t, i->wavefronts);
    s->used[PIPE_LSU] += i->wavefronts;
    s->used[PIPE_TENSOR] += i->interval;
    w->products.open = larger(w->products.open, t + i->interval + s->machine->product);
    if (i->count)
        sm_close_group(&w->products);
}

/* The pipe of floats is two halves, where integers have half its rate: those take one of them, floats take turns. A mix of both
 * is as slow as if floats did not choose (docs/calibrate.md). */
static bool has_halves(const struct machine *m) { return 2 * m->interval[PIPE_FMA] == m->interval[PIPE_FMAHEAVY]; }

static double *unit_of(const struct machine *m, struct sm_scheduler *c, u32 pipe)
{
    if (pipe == PIPE_FMA && c->heavy)
        return &c->pipe[PIPE_FMAHEAVY];
    return &c->pipe[pipe == PIPE_FMAHEAVY && !has_halves(m) ? PIPE_FMA : pipe];
}

/* Something was issued at t: what takes that pipe has to wait until then. */
static void tell_taken(const struct machine *m, struct sm_scheduler *c, u32 pipe, double t)
{
    const double until = *unit_of(m, c, pipe), from = larger(t + 1, c->told[pipe]);
    if (until > from) {
        c->taken[pipe] += until - from;
        c->told[pipe] = until;
    }
}

/* True: the pipe is free, and taken now; longer, if its operands come late. */
static bool take_pipe(struct sm *s, struct sm_scheduler *c, const struct replay_inst *i, double t, double reads,
                      struct sm_done *done)
{
    const struct machine *m = s->machine;
    const bool half = i->pipe == PIPE_FMA && has_halves(m);
    double *unit = unit_of(m, c, i->pipe);
    if (*unit > t) {
        *done = (struct sm_done){.result = *unit, .reason = STALL_MATH_PIPE_THROTTLE};
        return false;
    }
    const double cycles = i->interval ? i->interval : m->interval[half ? PIPE_FMAHEAVY : i->pipe];
    *unit = t + larger(cycles, reads);
    s->used[unit - c->pipe] += cycles;
    c->heavy ^= half;
    tell_taken(m, c, i->pipe, t);
    if (i->pipe == PIPE_FMA || i->pipe == PIPE_FMAHEAVY)
        tell_taken(m, c, PIPE_FMA + PIPE_FMAHEAVY - i->pipe, t);
    return true;
}

/* Registers of all lanes that are kept in local memory go through to L2. */
static void spill(struct sm *s, struct sm_warp *w, u32 words, double t)
{
    sm_write_l2(s, t, CACHE_SECTORS * words, words);
    w->leaves = larger(w->leaves, t + s->machine->leave);
}

/* Shuffles, accesses of no lane, spilled registers. */
static bool take_lsu(struct sm *s, struct sm_scheduler *c, struct sm_warp *w, const struct replay_inst *i, double t,
                     struct sm_done *done)
{
    const bool stores = i->spill == SPILL_STORE;
    const double full = stores ? s->memory.l2_write - s->machine->store_queue : 0;
    const double from = larger(larger(sm_queue_room(s, c, stores), c->pipe[PIPE_LSU]), full);
    if (from > t) {
        *done = (struct sm_done){.result = from, .reason = i->spill ? STALL_LG_THROTTLE : STALL_MIO_THROTTLE};
        return false;
    }
    c->pipe[PIPE_LSU] = t + s->machine->issue;
    const double taken = sm_take_lsu(s, c, t, 1, 0);
    done->result = larger(done->result, taken + i->latency - s->machine->issue);
    done->reason = i->spill ? STALL_LONG_SCOREBOARD : STALL_SHORT_SCOREBOARD;
    if (stores)
        spill(s, w, i->count, taken);
    return true;
}

/* True: it has its pipe and queue, *done is when its results are there. */
static bool admit(struct sm *s, struct sm_scheduler *c, struct sm_warp *w, const struct replay_inst *i, double t,
                  double reads, struct sm_done *done)
{
    const struct sm_cost *cost = i->op == REPLAY_MEMORY ? warp_cost(w) : NULL;
    *done = (struct sm_done){.result = t + i->latency, .read = t + 2, .reason = STALL_SHORT_SCOREBOARD};
    if (cost)
        return sm_access(s, c, w, cost, t, done);
    if (i->pipe == PIPE_NONE)
        return true;
    if (i->constant && i->pipe == PIPE_ADU)
        return sm_constant_load(s, c, w, i, t, done);
    if (i->op == REPLAY_MATCH)
        return sm_match(s, c, w, i, t, done);
    if (i->pipe == PIPE_LSU)
        return take_lsu(s, c, w, i, t, done);
    return take_pipe(s, c, i, t, reads, done);
}

/* The scheduler is free again a cycle later, unless registers of what it has issued are still to be read: those of one
 * instruction may be late. How much later the warp's stall count begins for that: half of it, fitted on what kernels of the
 * corpus's half for fitting wait for. */
static double hold(struct sm_scheduler *c, struct sm_warp *w, const struct replay_inst *i, double t, double reads)
{
    enum { LATE = 1 };
    const double from = larger(c->reads, t);
    c->reads = from + (i->pipe == PIPE_FP64 ? 1 : reads);
    keep_registers(w, i);
    c->issued[c->best] = t;
    c->last = c->best;
    c->free = larger(t + 1, c->reads - LATE);
    c->held += c->free - t - 1;
    return 0.5 * (from - t);
}

static void issue(struct sm *s, struct sm_run *run, struct sm_scheduler *c)
{
    const double t = c->next;
    const u32 number = c->best * s->machine->schedulers + (u32)(c - s->schedulers);
    struct sm_warp *w = &s->warps[number];
    const struct replay_inst *i = warp_inst(w);
    const double reads = read_cycles(w, i);
    struct sm_done done;
    if (!admit(s, c, w, i, t, reads, &done)) {
        if (done.reason != STALL_MATH_PIPE_THROTTLE) {
            w->throttled = done.result;
            w->throttled_by = done.reason;
        }
        set_when_at(s, c, c->best, done.result);
        return;
    }
    warp_account(s, c, w, t);
    const double late = hold(c, w, i, t, reads);
    set_bar(w, i->write_bar, done.result, done.reason);
    set_bar(w, i->read_bar, done.read, done.reason);
    if (i->empties_l1)
        l1_forget(&s->l1);
    if (i->op == REPLAY_COPY_COMMIT)
        sm_close_group(&w->copies);
    if (i->op == REPLAY_PRODUCT_COMMIT)
        sm_close_group(&w->products);
    if (i->op == REPLAY_PRODUCT)
        begin_product(s, w, i, t);
    const struct sm_cost *cost = replay_is_streamed(i) ? warp_cost(w) : NULL;
    const u64 item = cost ? cost->item : 0;
    go_on(s, run, c, number, t, late, i->op == REPLAY_BARRIER ? item : 0);
    if (item && item_is_async(item))
        after_async(s, number, item_read_async(item));
    if (item && item_is_sleep(item))
        fall_asleep(s, number, item_sleep_ns(item), t);
}

/* ---- all ---- */

/* What the other SMs leave of L2 and DRAM. Where many want the same line or slice, that does one after the other. */
static void set_shares(struct sm *s, double active)
{
    const struct machine *m = s->machine;
    const struct replay_launch *l = s->launch;
    const double hot_read = l->reads > 0 ? (double)l->hot.slice[HOT_LOADS] / l->reads : 0;
    const double sector = 32 * larger(1 / m->l2_sm, active / m->l2_all);
    s->active = active;
    s->read_share = sector;
    s->l2_share = 32 * active / m->l2_all;
    s->copy_share = 32 * larger(1 / m->copy_sm, active / m->copy_all);
    s->past_share = larger(sector, active * hot_read * m->read_same);
    s->write_share = 32 * larger(1 / m->l2_write_sm, active / m->l2_write_all);
    s->fill_share = 32 * active / m->l2_write_all;
    s->atomics = sm_atomic_shares(m, l, active);
    s->dram_read[PLACES_WHOLE] = s->dram_write[PLACES_WHOLE] = 32 * larger(1 / m->dram_sm, active / m->dram_all);
    s->dram_read[PLACES_STRIDED] = larger(32 / m->dram_sm, active * m->dram_sector);
    s->dram_read[PLACES_APART] = larger(32 / m->dram_sm, active * m->dram_apart);
    s->dram_write[PLACES_STRIDED] = larger(32 / m->dram_sm, active * m->dram_write_sector);
    s->dram_write[PLACES_APART] = larger(32 / m->dram_sm, active * m->dram_write_apart);
    s->apart_share = active * m->l2_read_apart;
    s->line_share = active * m->l2_write_line;
    s->link_in_share = active / m->link_in;
    s->link_out_share = active / m->link_out;
}

static void make_sm(struct sm *s, struct arena *mem, const struct replay_launch *l, const struct machine *m,
                    const struct sm_run *run)
{
    const u32 n = l->slots;
    u32 places = 1;
    *s = (struct sm){
        .mem = mem, .machine = m, .launch = l, .counts = run->counts, .nslots = n, .nfree = n, .nplaces = l->places};
    set_shares(s, run->active);
    s->warps = arena_array(mem, struct sm_warp, n + m->schedulers);
    s->held = arena_array(mem, struct sm_held, l->places);
    for (u32 k = 0; k < l->places; k++) {
        s->held[k].slots = arena_array(mem, u32, l->warps);
        s->held[k].gone = -m->block_start;
    }
    cache_lend(&s->l1, arena_array(mem, struct cache_line, l1_lines(l->l1_bytes) + 1), l1_lines(l->l1_bytes));
    l1_empty(&s->l1, l->l1_bytes);
    sm_constants_begin(s);
    for (u32 b = 0; b < l->nrecorded; b++)
        for (u32 k = 0; k < l->blocks[b].nfuncs; k++)
            if (l->blocks[b].funcs[k] && l->blocks[b].funcs[k]->prepared->most_places > places)
                places = l->blocks[b].funcs[k]->prepared->most_places;
    for (u32 k = 0; k < n; k++) {
        s->warps[k].costs = arena_array(mem, struct sm_cost, places);
        s->warps[k].ahead = arena_array(mem, const u64 *, AHEAD_MOST);
        s->warps[k].gone = -m->block_start;
    }
    for (u32 c = 0; c < m->schedulers; c++) {
        for (u32 k = 0; k < SM_WARPS_A_SCHEDULER; k++)
            s->schedulers[c].when[k] = INFINITY;
        s->schedulers[c].next = INFINITY;
    }
}

/* Warps that wait at a barrier for ever: the streams do not fit together (they were cut off), or what they wait for comes from another
 * block of the cluster. Lets them go. */
static bool unlock(struct sm *s, double t)
{
    bool any = false;
    for (u32 k = 0; k < s->nslots; k++)
        if (s->warps[k].there && s->warps[k].waits_for) {
            wait_for(s, k, s->warps[k].waits_for - 1, 0);
            any = true;
        }
    if (any)
        return true;
    for (u32 h = 0; h < s->nplaces; h++)
        for (u32 id = 0; s->held[h].block && s->held[h].running && id < SM_BARRIERS; id++)
            if (s->held[h].barriers[id].arrived) {
                release(s, &s->held[h], id, t);
                any = true;
            }
    return any;
}

/* Each scheduler issues one instruction a cycle, and has units of its own. */
static double sm_used(const struct sm *s)
{
    double most = s->issued;
    for (u32 k = PIPE_FMA; k <= PIPE_TENSOR; k++)
        most = larger(most, s->used[k]);
    return larger(most / s->machine->schedulers, s->used[PIPE_ADU]);
}

/* A wavefront a cycle, a sector that comes in, and one that goes out. */
static double l1_used(const struct sm *s)
{
    return larger(larger(s->used[PIPE_LSU], s->used[PIPE_TEX]), larger(s->came, s->left));
}

void sm_run_blocks(struct arena *mem, const struct replay_launch *l, const struct machine *m, struct sm_run *run)
{
    struct sm s;
    make_sm(&s, mem, l, m, run);
    run->ran = 0;
    run->cycles = 0;
    begin_blocks(&s, run);
    run->filled = s.started;
    double now = 0;
    for (;;) {
        struct sm_scheduler *c = earliest(&s);
        if (c->next == INFINITY) {
            if (!unlock(&s, now))
                break;
            continue;
        }
        now = c->next;
        issue(&s, run, c);
    }
    run->cycles = larger(run->cycles, larger(larger(s.memory.l2_write, s.memory.link_out),
                                             larger(s.memory.atomics_done, s.memory.swaps)));
    run->present = s.present;
    run->sm_used = sm_used(&s);
    run->l1_used = l1_used(&s);
    run->tries = s.memory.tries;
    run->hold = s.memory.nheld > 0 ? s.memory.held / s.memory.nheld : 0;
    for (u32 k = 0; k < STALL_COUNT; k++)
        run->stalls[k] = s.stalls[k];
}
