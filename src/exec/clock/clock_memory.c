/* clock_memory.c - how many cycles after its issue an access has its result.
 *
 *     shared    latency_shared, and one more for each further wavefront
 *     const     latency_l1, and a pass of its own for each further address
 *     global    one line a cycle goes through the tags of the SM's L1; a sector that is there takes latency_l1, one
 *               that only L2 has latency_l2, others latency_dram; the result is there with the last of them. Volatile,
 *               relaxed and .cg loads go by L1; stores write through and allocate in L2 alone; atomics are in L2
 *     local     the same behind addresses in which word k of lane l is the l-th of line k; stores allocate in L1
 *
 * model/cache/timed_cache.h has the caches. They are cold when a launch begins, and an SM
 * sees in L2 what it brought there itself: so no other worker's timing shows in the numbers. TLBs, refills' bandwidth
 * and other warps' traffic are not modelled. */
#include "exec/clock/clock.h"
#include "exec/sched.h"

/* The sectors that an access touches, by line. A lane's 32 bytes lie in two lines, or in eight of local memory. */
struct lines {
    u32 n;
    u64 number[IR_LANES * 8];
    u8 sectors[IR_LANES * 8];
};

static void add_sector(struct lines *l, u64 number, u32 sector)
{
    for (u32 k = l->n; k-- > 0;)
        if (l->number[k] == number) {
            l->sectors[k] |= (u8)(1u << sector);
            return;
        }
    l->number[l->n] = number;
    l->sectors[l->n++] = (u8)(1u << sector);
}

static void global_lines(struct lines *l, const struct exec_access *a)
{
    u32 lanes = a->pattern == PATTERN_UNIFORM ? a->mask & -a->mask : a->mask;
    for (u32 m = lanes; m; m &= m - 1) {
        u64 at = a->addr[__builtin_ctz(m)];
        for (u64 s = at / CACHE_SECTOR; s <= (at + a->size - 1) / CACHE_SECTOR; s++)
            add_sector(l, s / CACHE_SECTORS, (u32)(s % CACHE_SECTORS));
    }
}

static void local_lines(struct lines *l, const struct exec_access *a, u64 first)
{
    for (u32 m = a->mask; m; m &= m - 1) {
        u32 lane = (u32)__builtin_ctz(m);
        for (u64 word = a->addr[lane] / 4; word <= (a->addr[lane] + a->size - 1) / 4; word++)
            add_sector(l, first + word, lane * 4 / CACHE_SECTOR);
    }
}

/* ---- the caches ---- */

static u64 sector_done(struct warp_clock *k, const struct clock_model *c, const struct exec_access *a, u64 at,
                       u64 number, u32 sector)
{
    if (a->op == ACCESS_ST)
        return timed_store(&k->sm->memory, &c->latency, at, number, sector, a->space == SPACE_LOCAL);
    return timed_load(&k->sm->memory, &c->latency, at, number, sector, a->op != ACCESS_LD || k->tick->past_l1);
}

/* Through the tags, a line a cycle. Returns when all of it is done; *passes: how long the unit is busy. */
static u64 through_caches(struct warp_clock *k, const struct clock_model *c, const struct exec_access *a, u32 *passes)
{
    struct lines l = {0};
    u64 done = 0;
    if (a->space == SPACE_LOCAL)
        local_lines(&l, a, k->local_line);
    else
        global_lines(&l, a);
    for (u32 n = 0; n < l.n; n++)
        for (u32 s = 0; s < CACHE_SECTORS; s++) {
            u64 when = l.sectors[n] >> s & 1 ? sector_done(k, c, a, k->issued + n, l.number[n], s) : 0;
            done = when > done ? when : done;
        }
    *passes = l.n;
    return done;
}

/* ---- shared and constant memory ---- */

/* The most distinct words (atomics: lanes) of a bank among these lanes. */
static u32 busiest_bank(const struct clock_model *c, const struct exec_access *a, u32 lanes, bool atomic)
{
    u64 words[IR_LANES * 8];
    u32 n = 0, most = 0;
    for (u32 m = lanes; m; m &= m - 1) {
        u64 at = a->addr[__builtin_ctz(m)], last = (at + a->size - 1) / c->bank_bytes;
        for (u64 word = at / c->bank_bytes; word <= last && n < LS_ARRAY_LEN(words); word++) {
            bool seen = false;
            u32 same = 1;
            for (u32 k = 0; k < n; k++) {
                seen |= words[k] == word;
                same += words[k] % c->banks == word % c->banks;
            }
            if (seen && !atomic)
                continue;
            words[n++] = word;
            most = same > most ? same : most;
        }
    }
    return most;
}

/* Lanes of more than 4 bytes go in parts of the warp, each as wide as the banks. */
static u32 wavefronts(const struct clock_model *c, const struct exec_access *a)
{
    bool atomic = a->op != ACCESS_LD && a->op != ACCESS_ST;
    u32 row = c->banks * c->bank_bytes, lanes = a->size ? row / a->size : IR_LANES, sum = 0;
    if (a->pattern == PATTERN_UNIFORM && a->op == ACCESS_LD)
        return 1;
    if (a->pattern == PATTERN_CONTIGUOUS && !atomic)
        return (IR_LANES * a->size + row - 1) / row;
    if (lanes >= IR_LANES || atomic)
        return busiest_bank(c, a, a->mask, atomic);
    for (u32 from = 0, step = lanes ? lanes : 1; from < IR_LANES; from += step)
        sum += busiest_bank(c, a, a->mask & (((1u << step) - 1) << from), false);
    return sum;
}

static u32 distinct(const struct exec_access *a)
{
    u32 n = 0;
    if (a->pattern == PATTERN_UNIFORM)
        return 1;
    for (u32 m = a->mask; m; m &= m - 1) {
        u32 first = (u32)__builtin_ctz(a->mask), lane = (u32)__builtin_ctz(m);
        while (first < lane && !(a->mask >> first & 1 && a->addr[first] == a->addr[lane]))
            first++;
        n += first == lane;
    }
    return n;
}

/* ---- the access ---- */

static void give(struct warp *w, u64 done)
{
    const struct ir_tick *t = w->clock->tick;
    u64 *ready = w->frame->ready;
    for (u32 k = 0; k < t->nwrites; k++)
        if (ready[t->entry[t->nreads + k]] < done)
            ready[t->entry[t->nreads + k]] = done;
}

void clock_access(struct warp *w, const struct exec_access *a)
{
    struct warp_clock *k = w->clock;
    const struct clock_model *c = &w->block->grid->clock;
    u32 passes = 1, each = 1;
    u64 done;
    if (a->space == SPACE_SHARED) {
        passes = wavefronts(c, a);
        done = k->issued + c->latency.shared + (passes ? passes - 1 : 0);
    } else if (a->space == SPACE_CONST || a->space == SPACE_PARAM) {
        passes = distinct(a);
        each = c->latency.interval[IR_UNIT_MEMORY];
        done = k->issued + c->latency.l1 + (passes ? passes - 1 : 0) * each;
    } else {
        done = through_caches(k, c, a, &passes);
    }
    u64 busy = k->issued + passes * each;
    if (k->free[IR_UNIT_MEMORY] < busy)
        k->free[IR_UNIT_MEMORY] = busy;
    if (k->tick->is_copy)
        k->copied = done > k->copied ? done : k->copied;
    else if (a->op == ACCESS_LD || a->op == ACCESS_ATOM)
        give(w, done);
    if (a->op != ACCESS_LD && a->space == SPACE_GLOBAL && done > k->stored)
        k->stored = done;
}
