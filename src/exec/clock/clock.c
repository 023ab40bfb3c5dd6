/* clock.c - the clock of a warp: its scoreboard, its units, and when its block begins. See clock.h for the model.
 *
 * The scoreboard (frame.ready) has an entry for each slot and predicate of a frame: the cycle from which what was last
 * written there can be read. Splits of a warp share it, as they share the clock: lanes that have parted run one after
 * the other. Blocks that an SM holds at once begin together; each further one when a place is free. */
#include "exec/clock/clock.h"

#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "exec/sched.h"
#include "model/occupancy.h"

/* ---- a launch ---- */

/* What the blocks that an SM has at once leave of its L1. */
static u64 l1_bytes(const struct grid *g, const struct gpu *gpu, u32 blocks_per_sm)
{
    u64 on_sm = (g->nblocks + gpu->sms - 1) / gpu->sms, blocks = on_sm < blocks_per_sm ? on_sm : blocks_per_sm;
    return occupancy_l1_bytes(gpu, blocks * (g->shared_bytes + gpu->shared_reserved));
}

static u64 host_nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

void clock_grid_begin(struct grid *g, u32 blocks_per_sm)
{
    const struct gpu *gpu = &g->launch->device->gpu;
    struct clock_model *c = &g->clock;
    c->latency = latencies_of(gpu);
    c->banks = gpu->banks;
    c->bank_bytes = gpu->bank_bytes;
    c->l1_bytes = l1_bytes(g, gpu, blocks_per_sm);
    c->l2_bytes = gpu->l2_bytes;
    c->blocks_per_sm = blocks_per_sm;
    c->timer_floor = &g->launch->device->timer_floor;
    u64 now = host_nanoseconds(), floor = __atomic_load_n(c->timer_floor, __ATOMIC_RELAXED);
    c->started = now > floor ? now : floor;
}

static u64 nanoseconds(const struct clock_model *c, u64 cycles) { return c->started + latency_ns(&c->latency, cycles); }

/* The next launch's timer goes on where the slowest SM's stands, should that be ahead of the host's. */
void clock_grid_end(struct grid *g)
{
    const struct clock_model *c = &g->clock;
    u64 last = 0;
    for (unsigned n = 0; n < g->nworkers; n++)
        last = g->workers[n].clock_end > last ? g->workers[n].clock_end : last;
    u64 end = nanoseconds(c, last), floor = __atomic_load_n(c->timer_floor, __ATOMIC_RELAXED);
    while (floor < end &&
           !__atomic_compare_exchange_n(c->timer_floor, &floor, end, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* ---- blocks ---- */

static u64 *scoreboard(struct worker *wk, const struct frame *f)
{
    return arena_array(&wk->mem, u64, f->func->ir->scoreboard + 1);
}

void clock_frame(struct worker *wk, struct frame *f)
{
    if (!f->ready)
        f->ready = scoreboard(wk, f);
    else
        memset(f->ready, 0, sizeof f->ready[0] * f->func->ir->scoreboard);
}

void clock_block_new(struct block *b)
{
    for (u32 k = 0; k < b->info.warps; k++)
        b->warps[k].clock = arena_new(&b->worker->mem, struct warp_clock);
}

static struct clock_sm *sm_of(struct worker *wk, u32 sm)
{
    const struct grid *g = wk->grid;
    if (!wk->clock_sms)
        wk->clock_sms = arena_array(&wk->mem, struct clock_sm *, g->launch->device->gpu.sms);
    struct clock_sm *s = wk->clock_sms[sm];
    if (!s) {
        wk->clock_sms[sm] = s = arena_new(&wk->mem, struct clock_sm);
        timed_memory_init(&s->memory, &wk->mem, g->clock.l1_bytes, g->clock.l2_bytes);
        s->until = arena_array(&wk->mem, u64, g->clock.blocks_per_sm);
    }
    return s;
}

/* The place that is free first. When blocks that wait for others were put aside, there may be none: the first then. */
static u32 free_place(const struct clock_sm *s, u32 places)
{
    u32 best = 0;
    for (u32 k = 1; k < places; k++)
        if (s->until[k] < s->until[best])
            best = k;
    return best;
}

void clock_block_begin(struct block *b)
{
    const struct clock_model *c = &b->grid->clock;
    struct clock_sm *s = sm_of(b->worker, b->info.sm);
    u32 place = free_place(s, c->blocks_per_sm);
    u64 begin = s->until[place] == UINT64_MAX ? 0 : s->until[place];
    s->until[place] = UINT64_MAX;
    b->clock_place = place;
    for (u32 k = 0; k < b->info.warps; k++) {
        /* above every device address, and apart from every other warp's on the SM */
        u64 warp = (u64)place * MAX_WARPS + k;
        *b->warps[k].clock =
            (struct warp_clock){.now = begin, .sm = s, .local_line = ((u64)1 << 57 | warp << 32) / CACHE_LINE};
        clock_frame(b->worker, &b->frames[k]);
    }
}

void clock_block_end(struct block *b)
{
    u64 end = 0;
    for (u32 k = 0; k < b->info.warps; k++)
        end = b->warps[k].clock->now > end ? b->warps[k].clock->now : end;
    b->worker->clock_sms[b->info.sm]->until[b->clock_place] = end;
    if (end > b->worker->clock_end)
        b->worker->clock_end = end;
}

/* ---- an instruction ---- */

static u64 later(u64 a, u64 b) { return a > b ? a : b; }

static u64 operands_ready(const struct ir_tick *t, const u64 *ready)
{
    u64 at = 0;
    for (u32 k = 0; k < t->nreads; k++)
        at = later(at, ready[t->entry[k]]);
    return at;
}

static void results_ready(const struct ir_tick *t, u64 *ready, u64 when)
{
    for (u32 k = 0; k < t->nwrites; k++)
        ready[t->entry[t->nreads + k]] = when;
}

/* When all committed groups but the newest ones have arrived, or all copies; the last entry of the list stands for all
 * that is older. */
static u64 copies_done(const struct warp_clock *k, const struct ir_tick *t)
{
    bool all = t->value == IR_COPY_ALL;
    u64 when = all ? k->copied : 0;
    for (u32 n = all ? 0 : t->value; n < CLOCK_GROUPS; n++)
        when = later(when, k->groups[n]);
    return when;
}

static void commit_copies(struct warp_clock *k)
{
    u64 oldest = later(k->groups[CLOCK_GROUPS - 1], k->groups[CLOCK_GROUPS - 2]);
    memmove(k->groups + 1, k->groups, sizeof k->groups - sizeof k->groups[0]);
    k->groups[CLOCK_GROUPS - 1] = oldest;
    k->groups[0] = k->copied;
    k->copied = 0;
}

static u64 sleep_cycles(const struct warp *w, const struct ir_tick *t, const u8 *regs)
{
    const u32 *ns = (const u32 *)(const void *)(regs + t->value);
    u64 most = 0;
    for (u32 m = w->mask; m; m &= m - 1)
        most = later(most, ns[__builtin_ctz(m)]);
    return latency_cycles(&w->block->grid->clock.latency, most);
}

void clock_issue(struct warp *w, const struct ir_inst *pc, const u8 *regs)
{
    const struct ir_tick *t = pc->ptr;
    const struct clock_model *c = &w->block->grid->clock;
    struct warp_clock *k = w->clock;
    u64 *ready = w->frame->ready, operands = operands_ready(t, ready);
    k->tick = t;
    if (t->unit == IR_UNIT_NONE) {
        results_ready(t, ready, operands);
        return;
    }
    u64 at = later(later(k->now, operands), k->free[t->unit]);
    u32 latency = c->latency.unit[t->unit], every = c->latency.interval[t->unit];
    u64 last = at + (t->steps - 1u) * (u64)(t->chain ? later(latency, every) : every);
    k->issued = at;
    k->now = last + 1;
    k->free[t->unit] = last + every;
    switch ((enum ir_unit)t->unit) {
    case IR_UNIT_ARGUMENT:
        k->now = at;
        break;
    case IR_UNIT_FENCE:
        k->now = later(k->now, k->stored);
        break;
    case IR_UNIT_SLEEP:
        k->now += sleep_cycles(w, t, regs);
        break;
    case IR_UNIT_COPY_COMMIT:
        commit_copies(k);
        break;
    case IR_UNIT_COPY_WAIT:
        k->now = later(k->now, copies_done(k, t));
        break;
    case IR_UNIT_MEMORY: /* the least it can take; its access says how long it takes */
        results_ready(t, ready, at + (t->shared ? c->latency.shared : latency));
        break;
    default:
        results_ready(t, ready, last + latency);
    }
}

u64 clock_cycles(const struct warp *w) { return w->clock ? w->clock->issued : 0; }

u64 clock_nanoseconds(const struct warp *w)
{
    return w->clock ? nanoseconds(&w->block->grid->clock, w->clock->issued) : host_nanoseconds();
}

/* ---- barriers ---- */

void clock_arrive(const struct warp *w, u64 *latest)
{
    if (w->clock)
        *latest = later(*latest, w->clock->now);
}

void clock_release(struct warp *w, u64 latest)
{
    if (w->clock)
        w->clock->now = later(w->clock->now, latest);
}
