/* mbarrier.c - barriers in shared memory (PTX ISA 9.7.13.15): counts of arrivals and of bytes still to come, phase
 * after phase.
 *
 * The object is opaque to programs; here its 64 bits are
 *
 *     63      62     61    60 .. 40        39 .. 20          19 .. 0
 *     parity  alive  dead  bytes to come   arrivals a phase  arrivals still to come
 *
 * and the state that an arrival gives is the object as it was before. A phase ends when nothing more is to come; then
 * the parity turns and the arrivals are counted anew. What the manual leaves undefined (an object that was not
 * initialised, a count that leaves its range) is a fault. One exception: mbarrier.inval only marks the object as dead,
 * and it works on, as on a GPU, where threads that come late still see that their phase is over. The event of each
 * operation says whose object was dead, for synccheck.
 *
 * A wait that fails gives way: the split goes on behind it at its next turn, so other lanes, warps and blocks run. If
 * the phase ends before that turn, the wait's answer becomes yes there and then: at that turn the object may be in a
 * later phase or initialised anew. A block in which nothing else happens any more is a deadlock (block.c). A block's
 * shared memory belongs to one worker, so there are no atomics. */
#include "exec/sync/async.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "exec/sync/flight.h"
#include "exec/sync/mbarrier.h"
#include "exec/sync/order.h"
#include "exec/sync/weak.h"

enum { COUNT_BITS = 20, MOST = (1 << COUNT_BITS) - 1, TX_BITS = 21 };
typedef u64 u64_any __attribute__((may_alias));

struct phase {
    u32 pending, expected; /* arrivals */
    i32 bytes;             /* that are still to come; less than 0: some came before they were expected */
    bool parity, alive, dead;
};

static struct phase unpack(u64 x)
{
    const u32 bytes = (u32)(x >> 2 * COUNT_BITS) & ((1u << TX_BITS) - 1);
    return (struct phase){.pending = x & MOST,
                          .expected = x >> COUNT_BITS & MOST,
                          .bytes = (i32)(bytes ^ 1u << COUNT_BITS) - (1 << COUNT_BITS),
                          .parity = x >> 63,
                          .alive = x >> 62 & 1,
                          .dead = x >> 61 & 1};
}

bool exec_mbarrier_parity(const u8 *object, u32 *expected)
{
    const struct phase p = unpack(*(const u64_any *)(const void *)object);
    *expected = p.expected;
    return p.parity;
}

static u64 pack(const struct phase *p)
{
    const u64 bytes = (u32)p->bytes & ((1u << TX_BITS) - 1);
    return p->pending | (u64)p->expected << COUNT_BITS | bytes << 2 * COUNT_BITS | (u64)p->dead << 61 |
           (u64)p->alive << 62 | (u64)p->parity << 63;
}

static bool LS_PRINTF(4, 5) fault(struct warp *w, const struct ir_inst *pc, unsigned lane, const char *fmt, ...)
{
    struct exec_fault f = {.kind = FAULT_MBARRIER};
    va_list args;
    fault_place(w, pc, lane, &f);
    va_start(args, fmt);
    vsnprintf(f.detail, sizeof f.detail, fmt, args);
    va_end(args);
    grid_fault(w->block->grid, &f);
    w->stop = STOP_FAULT;
    return false;
}

u8 *async_shared(struct warp *w, const struct ir_inst *pc, const u8 *regs, const struct ir_address *at, unsigned lane,
                 u64 bytes, unsigned align, bool write, bool *left_out)
{
    const u64 offset = async_offset(w, regs, at, lane);
    const bool in_window = !at->generic || warp_in_shared(w, offset + w->shared_window);
    const bool inside = offset < w->shared_bytes && w->shared_bytes - offset >= bytes;
    enum exec_fault_kind kind = FAULT_ILLEGAL_ADDRESS;
    if (inside && offset % align == 0)
        return w->shared + offset;
    u8 *const other = in_window && offset % align == 0 ? cluster_memory(w, offset, bytes) : NULL;
    if (other)
        return other;
    if (!in_window)
        kind = FAULT_INVALID_SPACE;
    else if (offset % align)
        kind = FAULT_MISALIGNED;
    const u64 where = kind == FAULT_INVALID_SPACE ? offset + w->shared_window : offset;
    if (left_out)
        *left_out = warp_excuse(w, pc, kind, lane, where, bytes, SPACE_SHARED, write, false);
    else
        warp_fault(w, pc, kind, lane, where, bytes, SPACE_SHARED, write, false);
    return NULL;
}

/* ---- a phase ---- */

/* Turns the phase when nothing is to come any more. */
static void end_phase(struct phase *p)
{
    if (p->pending || p->bytes)
        return;
    p->parity = !p->parity;
    p->pending = p->expected;
}

static bool expect(struct warp *w, const struct ir_inst *pc, unsigned lane, struct phase *p, u32 bytes)
{
    if (bytes > MOST || p->bytes + (i64)bytes > MOST)
        return fault(w, pc, lane, "the mbarrier would expect %" PRId64 " bytes, the most is %d", p->bytes + (i64)bytes,
                     MOST);
    p->bytes += (i32)bytes;
    return true;
}

static bool complete(struct warp *w, const struct ir_inst *pc, unsigned lane, struct phase *p, u32 bytes)
{
    if (bytes > MOST || p->bytes - (i64)bytes < -MOST)
        return fault(w, pc, lane, "%u bytes more came than an mbarrier can count (%d)", bytes, MOST);
    p->bytes -= (i32)bytes;
    end_phase(p);
    return true;
}

static bool arrive(struct warp *w, const struct ir_inst *pc, unsigned lane, struct phase *p, u32 count, bool drop)
{
    const struct ir_mbarrier *m = pc->ptr;
    if (!count || count > p->pending)
        return fault(w, pc, lane, "%u arrivals on an mbarrier that expects %u more in this phase", count, p->pending);
    if (m->no_complete && count == p->pending && !p->bytes)
        return fault(w, pc, lane, "an arrival with .noComplete would complete the phase");
    p->pending -= count;
    p->expected -= drop ? count : 0;
    end_phase(p);
    return true;
}

/* ---- instructions ---- */

static u32 value_of(const struct ir_mbarrier *m, const u8 *regs, unsigned lane)
{
    return ((const u32 *)(const void *)(regs + m->value))[lane];
}

static bool initialise(struct warp *w, const struct ir_inst *pc, const u8 *regs, unsigned lane, struct phase *p)
{
    const u32 count = value_of(pc->ptr, regs, lane);
    if (!count || count > MOST)
        return fault(w, pc, lane, "the count of an mbarrier is between 1 and %d, not %u", MOST, count);
    *p = (struct phase){.pending = count, .expected = count, .alive = true};
    return true;
}

static bool change(struct warp *w, const struct ir_inst *pc, const u8 *regs, unsigned lane, struct phase *p)
{
    const struct ir_mbarrier *m = pc->ptr;
    switch (m->op) {
    case MBARRIER_INVAL:
        p->dead = true;
        return true;
    case MBARRIER_EXPECT:
        return expect(w, pc, lane, p, value_of(m, regs, lane));
    case MBARRIER_COMPLETE:
        return complete(w, pc, lane, p, value_of(m, regs, lane));
    case MBARRIER_COPIES: /* done already; without .noinc what arrives was added before */
        return !m->noinc || arrive(w, pc, lane, p, 1, false);
    default:
        if (m->transaction)
            return expect(w, pc, lane, p, value_of(m, regs, lane)) && arrive(w, pc, lane, p, 1, m->op == MBARRIER_DROP);
        return arrive(w, pc, lane, p, value_of(m, regs, lane), m->op == MBARRIER_DROP);
    }
}

static bool is_over(const struct ir_mbarrier *m, const u8 *regs, unsigned lane, const struct phase *p)
{
    const u64 *states = (const u64 *)(const void *)(regs + m->value);
    return m->parity ? (value_of(m, regs, lane) & 1) != p->parity : states[lane] >> 63 != p->parity;
}

/* ---- those who wait while a phase ends ---- */

/* Where the object of a lane is that waits already, so that its address is known to be good. */
static u64 object_of(const struct warp *w, const struct split *s, unsigned lane)
{
    const struct ir_mbarrier *m = s->waited->ptr;
    return async_offset(w, s->frame->regs, &m->at, lane);
}

void mbarrier_lacks(const struct warp *w, const struct split *s, u32 *arrivals, i32 *bytes)
{
    const u64 at = object_of(w, s, (unsigned)__builtin_ctz(s->asking));
    const struct phase p = unpack(*(const u64_any *)(const void *)(w->shared + at));
    *arrivals = p.pending;
    *bytes = p.bytes;
}

static void answer(const struct warp *w, struct split *s, u64 offset, const struct phase *p)
{
    const struct ir_mbarrier *m = s->waited->ptr;
    u8 *regs = s->frame->regs;
    u32 over = 0;
    for (u32 left = s->asking; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        over |= (u32)(object_of(w, s, lane) == offset && is_over(m, regs, lane, p)) << lane;
    }
    *(u32 *)(void *)(regs + m->result) |= over;
    s->asking &= ~over;
    s->answered |= over;
}

/* The object's phase has just ended: p is the new one. */
static void answer_all(struct block *b, u64 offset, const struct phase *p)
{
    for (u32 k = 0; k < b->info.warps; k++)
        for (u32 i = 0; i < b->warps[k].nsplits; i++)
            if (b->warps[k].splits[i].state != SPLIT_NONE && b->warps[k].splits[i].asking)
                answer(&b->warps[k], &b->warps[k].splits[i], offset, p);
}

static void tell_answered(struct warp *w, struct split *s)
{
    const struct ir_func *running = w->func;
    u64 addr[IR_LANES];
    u32 dead = 0;
    for (u32 left = s->answered; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        addr[lane] = object_of(w, s, lane);
        dead |= (u32)unpack(*(const u64_any *)(const void *)(w->shared + addr[lane])).dead << lane;
    }
    w->func = s->frame->func->ir;
    warp_order_mbarrier(w, s->waited, EXEC_MBARRIER_WAIT, s->answered, addr, dead, false);
    w->func = running;
}

/* Behind the event of the arrival that ended the phase, since that is what the waits are ordered behind. */
static void tell_all_answered(struct block *b)
{
    for (u32 k = 0; k < b->info.warps; k++)
        for (u32 i = 0; i < b->warps[k].nsplits; i++) {
            struct split *s = &b->warps[k].splits[i];
            if (s->state == SPLIT_NONE || !s->answered)
                continue;
            tell_answered(&b->warps[k], s);
            s->answered = 0;
            s->waited = s->asking ? s->waited : NULL;
        }
}

/* ---- one lane ---- */

/* What an instruction did, of all its lanes. */
struct done {
    u32 over, dead;     /* waits that are over; objects that mbarrier.inval had ended */
    u32 own;            /* lanes whose object is in the block's own shared memory */
    u64 addr[IR_LANES]; /* of these */
};

/* The object of a lane, which must have been made before; NULL after a fault. */
static u64_any *find_object(struct warp *w, const struct ir_inst *pc, const u8 *regs, const struct ir_address *at,
                            unsigned lane, const struct ir_mbarrier *m, struct phase *p)
{
    const bool write = !m || m->op != MBARRIER_WAIT;
    u64_any *object = (u64_any *)(void *)async_shared(w, pc, regs, at, lane, 8, 8, write, NULL);
    if (!object)
        return NULL;
    *p = unpack(*object);
    if (p->alive || (m && m->op == MBARRIER_INIT))
        return object;
    fault(w, pc, lane, "there is no mbarrier at 0x%" PRIx64 " of shared memory%s: mbarrier.init has not made one",
          (u64)((u8 *)object - w->shared), m ? "" : " for the copy to arrive at");
    return NULL;
}

static void put_object(struct warp *w, u64_any *object, const struct phase *before, const struct phase *p, bool ended)
{
    struct block *b = cluster_block_of(w, object);
    *object = pack(p);
    if (!ended || before->parity == p->parity)
        return;
    b->phases++;
    answer_all(b, (u64)((u8 *)object - b->shared), p);
}

/* What was done to an object of another block, and then that its waits are over. */
static void tell_other(struct warp *w, const struct ir_inst *pc, enum exec_order_op op, unsigned lane, const u8 *object)
{
    struct block *home = cluster_block_of(w, object);
    cluster_tell_mbarrier(w, pc, op, lane, home, (u64)(object - home->shared), false);
    tell_all_answered(home);
}

/* A phase that is not over may only wait for copies that nobody has asked for yet. */
static bool wait_lane(struct warp *w, const u8 *regs, unsigned lane, const struct ir_mbarrier *m, const u64_any *object,
                      struct done *done)
{
    struct phase p = unpack(*object);
    bool over = is_over(m, regs, lane, &p);
    if (!over && !flight_land_at(w, (const u8 *)object))
        return false;
    p = unpack(*object);
    over = over || is_over(m, regs, lane, &p);
    done->over |= (u32)over << lane;
    return true;
}

/* False after a fault. */
static bool run_lane(struct warp *w, const struct ir_inst *pc, u8 *regs, unsigned lane, struct done *done)
{
    const struct ir_mbarrier *m = pc->ptr;
    struct phase before, p;
    u64_any *object = find_object(w, pc, regs, &m->at, lane, m, &before);
    if (!object)
        return false;
    /* a phase that lacks nothing but bytes is over by the time of what comes now */
    const bool over = m->op == MBARRIER_INVAL || (m->op != MBARRIER_INIT && m->op != MBARRIER_WAIT && !before.pending);
    if (over && !flight_land_at(w, (const u8 *)object))
        return false;
    before = unpack(*object);
    const u64 state = *object;
    p = before;
    done->own |= (u32)(cluster_block_of(w, object) == w->block) << lane;
    done->addr[lane] = (u64)((u8 *)object - w->shared);
    done->dead |= (u32)(m->op != MBARRIER_INIT && before.dead) << lane;
    if (m->op == MBARRIER_WAIT)
        return wait_lane(w, regs, lane, m, object, done);
    if (!(m->op == MBARRIER_INIT ? initialise(w, pc, regs, lane, &p) : change(w, pc, regs, lane, &p)))
        return false;
    put_object(w, object, &before, &p, m->op != MBARRIER_INIT);
    if (m->op == MBARRIER_ARRIVE || m->op == MBARRIER_DROP)
        ((u64 *)(void *)(regs + m->result))[lane] = state;
    return true;
}

u8 *mbarrier_awaits_bytes(struct warp *w, const struct ir_inst *pc, const u8 *regs, const struct ir_address *at,
                          unsigned lane)
{
    struct phase p = {0};
    u64 addr[IR_LANES];
    u64_any *object = find_object(w, pc, regs, at, lane, NULL, &p);
    const struct block *home = object ? cluster_block_of(w, object) : NULL;
    if (home == w->block) {
        addr[lane] = (u64)((u8 *)object - w->shared);
        warp_order_mbarrier(w, pc, EXEC_MBARRIER_ARRIVE, 1u << lane, addr, p.dead ? 1u << lane : 0, true);
    } else if (home) {
        cluster_tell_mbarrier(w, pc, EXEC_MBARRIER_ARRIVE, lane, home, (u64)((u8 *)object - home->shared), true);
    }
    return (u8 *)object;
}

bool mbarrier_bytes_came(struct warp *w, const struct ir_func *func, const struct ir_inst *pc, unsigned lane,
                         u8 *barrier, u32 bytes)
{
    const struct ir_func *running = w->func;
    u64_any *object = (u64_any *)(void *)barrier;
    const struct phase before = unpack(*object);
    struct phase p = before;
    w->func = func;
    const bool good = complete(w, pc, lane, &p, bytes);
    w->func = running;
    if (!good)
        return false;
    put_object(w, object, &before, &p, true);
    if (before.parity != p.parity)
        tell_all_answered(cluster_block_of(w, object));
    return true;
}

/* ---- an instruction ---- */

/* The lanes whose wait is over go on and see it; if some are not, all of them go on at the next turn only. */
static const struct ir_inst *end_wait(struct warp *w, const struct ir_inst *pc, u8 *regs, u32 over)
{
    const struct ir_mbarrier *m = pc->ptr;
    u32 *d = (u32 *)(void *)(regs + m->result);
    *d = (*d & ~w->mask) | over;
    if (over == w->mask) {
        w->split->waited = NULL;
        return pc + 1;
    }
    w->split->waited = pc;
    w->split->asking = w->mask & ~over;
    return warp_yield(w, pc + 1);
}

/* expect_tx orders nothing. */
static void tell(struct warp *w, const struct ir_inst *pc, const struct done *done)
{
    static const u8 ops[] = {[MBARRIER_INIT] = EXEC_MBARRIER_INIT,       [MBARRIER_INVAL] = EXEC_MBARRIER_INVAL,
                             [MBARRIER_COMPLETE] = EXEC_MBARRIER_ARRIVE, [MBARRIER_ARRIVE] = EXEC_MBARRIER_ARRIVE,
                             [MBARRIER_DROP] = EXEC_MBARRIER_ARRIVE,     [MBARRIER_COPIES] = EXEC_MBARRIER_COPIES,
                             [MBARRIER_WAIT] = EXEC_MBARRIER_WAIT};
    const struct ir_mbarrier *m = pc->ptr;
    const u32 lanes = (m->op == MBARRIER_WAIT ? done->over : w->mask) & done->own;
    if (w->hooks && m->op != MBARRIER_EXPECT && (lanes || !w->block->cluster))
        warp_order_mbarrier(w, pc, (enum exec_order_op)ops[m->op], lanes, done->addr, done->dead, false);
    const u32 others = m->op == MBARRIER_WAIT || m->op == MBARRIER_EXPECT ? 0 : w->mask & ~done->own;
    for (u32 left = w->block->cluster ? others : 0; left; left &= left - 1) {
        const u32 i = (u32)__builtin_ctz(left);
        tell_other(w, pc, (enum exec_order_op)ops[m->op], i, w->shared + done->addr[i]);
    }
}

const struct ir_inst *mbarrier_run(struct warp *w, const struct ir_inst *pc, u8 *regs)
{
    const struct ir_mbarrier *m = pc->ptr;
    const u32 phases = w->block->phases;
    struct done done;
    done.over = done.dead = done.own = 0;
    if (w->weak && !m->relaxed && m->op != MBARRIER_WAIT)
        weak_fence_block(w);
    for (u32 left = w->mask; left; left &= left - 1)
        if (!run_lane(w, pc, regs, (unsigned)__builtin_ctz(left), &done))
            return NULL;
    tell(w, pc, &done);
    if (w->block->phases != phases)
        tell_all_answered(w->block);
    return m->op == MBARRIER_WAIT ? end_wait(w, pc, regs, done.over) : pc + 1;
}
