/* memory.c - what an access costs: a chain of queues, each with the time at which it is free again.
 *
 *     LSU, L1, shared memory ──► L2, reads and writes ──► DRAM
 *                                 └──► atomics (atomics.c)
 *
 * An access takes the LSU and the data of L1 or shared memory for as many cycles as it has lines, wavefronts or 128 bytes.
 * What a load needs from beyond L1 is load.c's. A queue that is taken delays the result; one that is too long stops the issue. */
#include "model/replay/sm/warp.h"

double sm_take(double *queue, double t, double cycles) { return *queue = larger(*queue, t) + cycles; }

/* What DRAM was asked for in the last thousand cycles or so, over what it can send: 1 and more, where it is full. */
double sm_take_dram(struct sm *s, double t, double cycles)
{
    enum { LATELY = 1000 };
    struct sm_memory *q = &s->memory;
    if (t > q->dram_asked) {
        q->dram_used *= exp((q->dram_asked - t) / LATELY);
        q->dram_asked = t;
    }
    q->dram_used += cycles / LATELY;
    return sm_take(&q->dram, t, cycles) + s->machine->dram_full * smaller(1, q->dram_used);
}

double sm_read_dram(struct sm *s, double t, double sectors, double cycles)
{
    return larger(sm_take_dram(s, t, cycles), sm_take(&s->memory.l2_write, t, sectors * s->fill_share));
}

/* ---- behind L1 ---- */

double sm_write_l2(struct sm *s, double t, double sectors, double lines)
{
    struct sm_memory *q = &s->memory;
    const double all = sm_take(&q->l2, t, lines * s->line_share);
    q->l2_write = larger(sm_take(&q->l2_write, t, sectors * s->write_share), all);
    return q->l2_write;
}

/* Cycles of DRAM for sectors in so many lines. Stores to single sectors of lines whose others other stores wrote leave L2 as whole lines. */
static double written_at(const struct sm *s, enum sm_places places, double sectors, double lines)
{
    const double alone = s->launch->dram_alone_share;
    return alone * sm_dram_cycles(s->dram_write, places, sectors, lines) +
           (1 - alone) * sectors * s->dram_write[PLACES_WHOLE];
}

/* Which bytes are written goes with each line of which not all are, and takes as long as so many sectors: of one or two of them (memory-cases.csv)
 * less than of more (mask-stores.csv, both in tests/hw/h200). */
static double masks_of(const struct item_access *a) { return !a->slow ? 0 : a->passes > 2 * a->lines ? 1.3 : 1.06; }

/* Until the sectors have left the SM. */
static double write_beyond(struct sm *s, const struct sm_warp *w, const struct sm_cost *cost,
                           const struct item_access *a, double t)
{
    const enum sm_places places = sm_places_of(a, cost);
    const struct replay_shares *shares = &w->func->shares[a->site];
    const double leave = 1 - shares->served.l1; /* others go along with them */
    const double lines = leave * a->lines, masks = masks_of(a) * lines, sectors = leave * a->passes,
                 host = sectors * shares->served.host;
    const double in_dram = s->launch->dram_write_share * written_at(s, places, sectors - host, lines) +
                           s->launch->dram_fill_share * sm_dram_cycles(s->dram_read, places, sectors - host, lines);
    s->left += sectors + masks;
    if (host > 0)
        sm_take(&s->memory.link_out, t, host * shares->link * s->link_out_share);
    if (in_dram > 0)
        sm_take_dram(s, t, in_dram);
    return sm_write_l2(s, t, sectors + masks, lines);
}

/* Of the host's memory: 0 where it has no part in it. */
static double host_atomic(struct sm *s, const struct sm_warp *w, const struct item_access *a, double t)
{
    const struct replay_shares *shares = &w->func->shares[a->site];
    const double host = a->passes * shares->served.host;
    return host > 0 ? sm_take(&s->memory.link_out, t, host * shares->link * s->link_out_share) + s->machine->host : 0;
}

/* ---- by class ---- */

static double store(struct sm *s, struct sm_warp *w, const struct sm_cost *cost, const struct item_access *a, double t)
{
    sm_store_through(s, cost);
    sm_let_go(s, w, a, t);
    const double left = write_beyond(s, w, cost, a, t);
    w->leaves = larger(w->leaves, t + s->machine->leave);
    return left + s->machine->l2;
}

static double finish(struct sm *s, struct sm_warp *w, const struct sm_cost *cost, const struct item_access *a, double t)
{
    const struct machine *m = s->machine;
    switch (a->class) {
    case ITEM_LOAD:
    case ITEM_LOAD_PAST:
    case ITEM_LOCAL_LOAD:
        return sm_load(s, w, cost, a, t);
    case ITEM_COPY: {
        const double done = sm_load(s, w, cost, a, t);
        w->copies.open = larger(w->copies.open, done);
        return done;
    }
    case ITEM_TEXTURE:
        return sm_load(s, w, cost, a, t) + m->texture - m->l1 + a->sector;
    case ITEM_STORE:
    case ITEM_LOCAL_STORE:
    case ITEM_SURFACE_STORE:
        return store(s, w, cost, a, t);
    case ITEM_ATOMIC:
    case ITEM_REDUCTION:
    case ITEM_SWAP:
        return larger(sm_atomic(s, w, a, t), host_atomic(s, w, a, t));
    case ITEM_SHARED_ATOMIC:
        return t + m->shared_atomic * larger(1, a->lines) - m->issue; /* lines: turns of a loop of compare-and-swap */
    default:
        return t + m->shared - m->issue;
    }
}

/* ---- the LSU ---- */

double sm_queue_room(const struct sm *s, const struct sm_scheduler *c, bool stores)
{
    const u32 n = stores ? s->machine->stores_queued : s->machine->loads_queued;
    return c->nqueued < n ? 0 : c->queued[(c->nqueued - n) % SM_QUEUE];
}

double sm_take_lsu(struct sm *s, struct sm_scheduler *c, double t, double passes, double more)
{
    const double own = sm_take(&c->lsu, t, s->machine->issue + more);
    const double all = sm_take(&s->memory.lsu, t, larger(s->machine->lsu_cycles, passes));
    const double done = larger(own, all);
    s->used[PIPE_LSU] += passes;
    c->queued[c->nqueued++ % SM_QUEUE] = done;
    return done;
}

static bool is_shared(const struct item_access *a)
{
    return a->class == ITEM_SHARED_LOAD || a->class == ITEM_SHARED_STORE || a->class == ITEM_SHARED_ATOMIC;
}

static bool is_store(const struct item_access *a)
{
    return a->class == ITEM_STORE || a->class == ITEM_LOCAL_STORE || a->class == ITEM_SURFACE_STORE ||
           a->class == ITEM_SHARED_STORE || a->class == ITEM_REDUCTION;
}

/* Its operands wait for the way out of the SM. */
static bool leaves(const struct item_access *a)
{
    return a->class == ITEM_STORE || a->class == ITEM_LOCAL_STORE || a->class == ITEM_SURFACE_STORE;
}

static bool is_load(const struct item_access *a)
{
    return a->class == ITEM_LOAD || a->class == ITEM_LOAD_PAST || a->class == ITEM_LOCAL_LOAD;
}

static bool is_atomic(const struct item_access *a)
{
    return a->class == ITEM_ATOMIC || a->class == ITEM_REDUCTION || a->class == ITEM_SWAP;
}

/* Cycles of L1 or shared memory: L1 looks up four lines a cycle and has a wavefront of data a cycle. */
static double passes_of(const struct machine *m, const struct item_access *a)
{
    if (is_shared(a))
        return a->passes;
    if (is_atomic(a))
        return larger(0.5 * a->lines, 0.8 * 32.0 * a->passes / m->line_bytes);
    return larger(a->wavefronts, a->lines > 4 ? (a->lines + 3u) / 4 + 0.5 : 1);
}

/* Cycles by which its last lane has its result later than the only one would. What L1 holds of up to sixteen lines takes no longer than
 * one of them (tests/hw/h200/tables.csv, diverge.csv). */
static double later(const struct machine *m, const struct item_access *a)
{
    enum { LINES_AT_ONCE = 16 };
    if (is_shared(a) || is_atomic(a))
        return larger(0, (passes_of(m, a) - 1) * (is_atomic(a) ? m->line : m->way));
    const double each = is_load(a) ? m->load_wavefront : 1;
    return larger(larger(0, (a->wavefronts - 1.0) * each), 0.5 * ((double)a->lines - LINES_AT_ONCE));
}

/* What a load's result takes longer on its way to the registers: nobody waits behind it. */
static double back(const struct machine *m, const struct item_access *a, const struct replay_inst *i)
{
    if (!is_load(a))
        return 0;
    return m->load_wavefront_back * larger(0, a->wavefronts - 1.0) + m->load_word_back * larger(0, i->count - 1.0);
}

static double take_unit(struct sm *s, struct sm_scheduler *c, const struct item_access *a, double t)
{
    const struct machine *m = s->machine;
    if (a->class == ITEM_TEXTURE) {
        s->used[PIPE_TEX] += larger(1, a->wavefronts);
        const double done = sm_take(&s->memory.texture, t, larger(1, a->wavefronts));
        c->textures[c->ntextures++ % SM_TEXTURES_QUEUED] = done;
        return done;
    }
    return sm_take_lsu(s, c, t, passes_of(m, a), later(m, a));
}

static u8 throttle_of(const struct item_access *a)
{
    return is_shared(a) ? STALL_MIO_THROTTLE : a->class == ITEM_TEXTURE ? STALL_TEX_THROTTLE : STALL_LG_THROTTLE;
}

/* When the queues have room; what goes out and is not waited for must not pile up. */
static double room(const struct sm *s, const struct sm_scheduler *c, const struct item_access *a)
{
    const struct sm_memory *q = &s->memory;
    if (a->class == ITEM_TEXTURE)
        return c->ntextures < SM_TEXTURES_QUEUED ? 0 : c->textures[c->ntextures % SM_TEXTURES_QUEUED];
    const double queue = sm_queue_room(s, c, is_store(a));
    if (is_store(a) && !is_shared(a) && a->class != ITEM_REDUCTION)
        return larger(queue, larger(larger(q->l2_write, q->dram), q->link_out) - s->machine->store_queue);
    return queue;
}

/* One lane asks for all that take part. */
static void elect(struct item_access *a)
{
    a->passes = a->lines = 1;
    a->slow = false;
}

bool sm_access(struct sm *s, struct sm_scheduler *c, struct sm_warp *w, const struct sm_cost *cost, double t,
               struct sm_done *out)
{
    struct item_access a = item_read_access(cost->item);
    if (a.class == ITEM_ASYNC) {
        *out = (struct sm_done){.result = t + s->machine->shared, .read = t + 8, .reason = STALL_SHORT_SCOREBOARD};
        sm_async(s, w, cost->item, t);
        return true;
    }
    if (a.class == ITEM_CONSTANT)
        return sm_constant_access(s, c, w, &a, t, out);
    const double from = larger(room(s, c, &a), c->pipe[PIPE_LSU]);
    if (from > t) {
        *out = (struct sm_done){.result = from, .reason = throttle_of(&a)};
        return false;
    }
    if (w->program->insts[w->pc].elected)
        elect(&a);
    c->pipe[PIPE_LSU] = t + s->machine->issue;
    const double taken = take_unit(s, c, &a, t);
    out->result = finish(s, w, cost, &a, taken) + back(s->machine, &a, warp_inst(w));
    out->read = larger(taken + 8, leaves(&a) ? out->result - s->machine->l2 - s->machine->store_read : 0);
    out->reason = is_shared(&a) ? STALL_SHORT_SCOREBOARD : STALL_LONG_SCOREBOARD;
    if (!is_shared(&a))
        w->memory = larger(w->memory, out->result);
    return true;
}
