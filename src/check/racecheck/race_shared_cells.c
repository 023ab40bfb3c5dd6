/* race_shared_cells.c - the cells of racecheck's shared memory (race_shared.h): scans of what an access touches.
 *
 * The loops over 32 lanes have no branches, so that compilers make vector code of them; they are compiled for several
 * levels of x86-64 and the best is taken at start. A cell that looks unordered is looked at again, exactly, by
 * race_shared_found.c. */
#include "check/racecheck/race_shared.h"

#include <string.h>

/* ---- making them ---- */

static u64 *stamps(struct arena *mem, u32 n) { return check_alloc_aligned(mem, sizeof(u64) * n, 64); }

struct shared_cells *cells_new(struct arena *mem, u64 bytes, u32 granule_bits)
{
    struct shared_cells *c = check_new(mem, struct shared_cells);
    if (!c)
        return NULL;
    c->granule_bits = granule_bits;
    c->n = (u32)((bytes + (1u << granule_bits) - 1) >> granule_bits);
    c->wr = stamps(mem, c->n);
    c->rd = stamps(mem, c->n);
    c->rd2 = stamps(mem, c->n);
    c->flight = check_alloc_aligned(mem, c->n, 64);
    return c->wr && c->rd && c->rd2 && c->flight ? c : NULL;
}

/* Each cell becomes several with the same stamps. */
bool cells_split(struct shared_cells *c, struct arena *mem, u32 granule_bits)
{
    const u32 shift = c->granule_bits - granule_bits, n = c->n << shift;
    u64 *wr = stamps(mem, n), *rd = stamps(mem, n), *rd2 = stamps(mem, n);
    u8 *flight = check_alloc_aligned(mem, n, 64);
    if (!wr || !rd || !rd2 || !flight)
        return false;
    for (u32 k = 0; k < n; k++) {
        wr[k] = c->wr[k >> shift];
        rd[k] = c->rd[k >> shift];
        rd2[k] = c->rd2[k >> shift];
        flight[k] = c->flight[k >> shift];
    }
    c->wr = wr, c->rd = rd, c->rd2 = rd2, c->flight = flight;
    c->is_contested = NULL;
    c->contested.len = 0;
    c->n = n;
    c->granule_bits = granule_bits;
    return true;
}

void cells_clear(struct shared_cells *c)
{
    memset(c->wr, 0, sizeof(u64) * c->n);
    memset(c->rd, 0, sizeof(u64) * c->n);
    memset(c->rd2, 0, sizeof(u64) * c->n);
    c->log_len = 0;
}

/* ---- runs of cells: contiguous accesses ---- */

static inline u64 lane_stamp(u64 me, u32 lane) { return me + ((u64)lane << STAMP_LANE); }
static inline u64 wide(bool b) { return -(u64)b; }

/* ~0 if the stamp is unordered with me. */
static inline u64 unordered(u64 stamp, u64 me, u64 limit, u64 own)
{
    const u64 x = stamp ^ me, least = x & STAMP_WARP_MASK ? limit : own;
    return wide((x & STAMP_THREAD_MASK) != 0) & wide(stamp >= least);
}

HOT static u64 check_run(const u64 *restrict at, u32 n, u32 bits, u64 me, u64 limit, u64 own)
{
    u64 any = 0;
    if (bits == 0)
        for (u32 k = 0; k < SYNC_LANES; k++)
            any |= unordered(at[k], lane_stamp(me, k), limit, own);
    else
        for (u32 k = 0; k < n; k++)
            any |= unordered(at[k], lane_stamp(me, k >> bits), limit, own);
    return any;
}

/* The same of an atomic's look at earlier writes: those of atomics are in order. */
HOT static u64 check_run_atomic(const u64 *restrict at, u32 n, u32 bits, u64 me, u64 limit, u64 own)
{
    u64 any = 0;
    for (u32 k = 0; k < n; k++)
        any |= unordered(at[k], lane_stamp(me, k >> bits), limit, own) & wide(!(at[k] & STAMP_ATOMIC_BIT));
    return any;
}

static inline void keep_read(u64 *restrict rd, u64 *restrict rd2, u64 me, u64 limit)
{
    const u64 old = *rd, other = *rd2, x = old ^ me;
    const u64 now = wide(old >= limit) & wide((x & STAMP_THREAD_MASK) != 0);
    const u64 better =
        wide((x & STAMP_WARP_MASK) != 0) | wide(other < limit) | wide(((other ^ me) & STAMP_WARP_MASK) == 0);
    const u64 take = now & better;
    *rd2 = (old & take) | (other & ~take);
    *rd = me;
}

HOT static void read_run(u64 *restrict rd, u64 *restrict rd2, u32 n, u32 bits, u64 me, u64 limit)
{
    if (bits == 0)
        for (u32 k = 0; k < SYNC_LANES; k++)
            keep_read(rd + k, rd2 + k, lane_stamp(me, k), limit);
    else
        for (u32 k = 0; k < n; k++)
            keep_read(rd + k, rd2 + k, lane_stamp(me, k >> bits), limit);
}

HOT static void write_run(u64 *restrict wr, u32 n, u32 bits, u64 me)
{
    for (u32 k = 0; k < n; k++)
        wr[k] = lane_stamp(me, k >> bits);
}

/* The cells of lanes at any addresses, 0 for lanes that take no part; the highest address. */
HOT u64 cells_gather(u32 *restrict cell, const u64 *restrict addr, u32 mask, u32 granule_bits)
{
    u64 most = 0;
    for (u32 k = 0; k < SYNC_LANES; k++) {
        const u64 at = addr[k] & wide(mask >> k & 1);
        most = at > most ? at : most;
        cell[k] = (u32)(at >> granule_bits);
    }
    return most;
}

/* ---- any cells ---- */

#define EACH_CELL(t, lane, cell)                                                                                       \
    for (u32 m_ = (t)->mask, lane; m_ && (lane = (u32)__builtin_ctz(m_), true); m_ &= m_ - 1)                          \
        for (u32 cell = touch_cell(t, lane), end_ = cell + (1u << (t)->bits); cell < end_; cell++)

static u64 check_cells(const u64 *at, const struct touch *t, u64 but)
{
    u64 any = 0;
    EACH_CELL(t, lane, k) any |= unordered(at[k], lane_stamp(t->me, lane), t->limit, t->own) & wide(!(at[k] & but));
    return any;
}

static bool is_run(const struct touch *t) { return t->pattern == PATTERN_CONTIGUOUS; }
static u32 run_cells(const struct touch *t) { return (u32)SYNC_LANES << t->bits; }

static bool check(const u64 *at, const struct touch *t, u64 but)
{
    if (!is_run(t))
        return check_cells(at, t, but) != 0;
    return (but ? check_run_atomic : check_run)(at + t->first, run_cells(t), t->bits, t->me, t->limit, t->own) != 0;
}

bool cells_check_read(const struct shared_cells *c, const struct touch *t)
{
    if (t->pattern == PATTERN_UNIFORM) { /* a stamp that is no lane's but one's is unordered with another lane */
        u64 any = 0;
        for (u32 k = t->first; k < t->first + (1u << t->bits); k++)
            any |= wide(c->wr[k] >= ((c->wr[k] ^ t->me) & STAMP_WARP_MASK ? t->limit : t->own));
        return any != 0;
    }
    return check(c->wr, t, 0);
}

void cells_read(struct shared_cells *c, const struct touch *t)
{
    if (is_run(t)) {
        read_run(c->rd + t->first, c->rd2 + t->first, run_cells(t), t->bits, t->me, t->limit);
        return;
    }
    if (t->pattern == PATTERN_UNIFORM) {
        const u32 first = (u32)__builtin_ctz(t->mask), last = 31 - (u32)__builtin_clz(t->mask);
        for (u32 k = t->first; k < t->first + (1u << t->bits); k++) {
            keep_read(c->rd + k, c->rd2 + k, lane_stamp(t->me, first), t->limit);
            keep_read(c->rd + k, c->rd2 + k, lane_stamp(t->me, last), t->limit);
        }
        return;
    }
    EACH_CELL(t, lane, k) keep_read(c->rd + k, c->rd2 + k, lane_stamp(t->me, lane), t->limit);
}

bool cells_check_write(const struct shared_cells *c, const struct touch *t)
{
    return check(c->wr, t, t->me & STAMP_ATOMIC_BIT) || check(c->rd, t, 0) || check(c->rd2, t, 0);
}

bool cells_write(struct shared_cells *c, const struct touch *t)
{
    u64 same = 0;
    if (is_run(t)) {
        write_run(c->wr + t->first, run_cells(t), t->bits, t->me);
        return false;
    }
    EACH_CELL(t, lane, k) c->wr[k] = lane_stamp(t->me, lane);
    EACH_CELL(t, lane, k) same |= c->wr[k] ^ lane_stamp(t->me, lane);
    return same != 0 && !(t->me & STAMP_ATOMIC_BIT);
}

bool cells_flight(const struct shared_cells *c, const struct touch *t)
{
    u8 any = 0;
    if (is_run(t))
        for (u32 k = 0; k < run_cells(t); k++)
            any |= c->flight[t->first + k];
    else
        EACH_CELL(t, lane, k) any |= c->flight[k];
    return any != 0;
}
