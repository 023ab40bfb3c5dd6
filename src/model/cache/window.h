/* window.h - the lines that a group of SMs has asked L2 for lately: some sets, of which the line that was asked for least lately leaves.
 * Internal to cache_l2.c.
 *
 * A line stays where it is in its set, and has the time when it was last asked for: the same few lines are asked for by one SM after the
 * other, so nothing is moved. */
#ifndef LS_MODEL_CACHE_WINDOW_H
#define LS_MODEL_CACHE_WINDOW_H

#include "model/cache/cache.h"

enum { WINDOW_LINES = 64, WINDOW_WAYS = 8, WINDOW_SETS = WINDOW_LINES / WINDOW_WAYS };

/* All zero: new, but to be cleared before it is asked. */
struct window {
    u64 line[WINDOW_SETS][WINDOW_WAYS];
    u32 low[WINDOW_SETS][WINDOW_WAYS];                                      /* of it, which is compared first */
    u64 when[WINDOW_SETS][WINDOW_WAYS];                                     /* it was asked for */
    u8 sectors[WINDOW_SETS][WINDOW_WAYS], member[WINDOW_SETS][WINDOW_WAYS]; /* that were asked for, and by whom */
    u64 now, cleared;   /* what is not later than that is not there */
    u32 ways, set_bits; /* no ways: it holds nothing */
};

/* Empty, of so many lines: a power of two, WINDOW_LINES at most, or 0. */
static inline void window_clear(struct window *w, u32 lines)
{
    w->cleared = w->now;
    w->ways = lines < WINDOW_WAYS ? lines : WINDOW_WAYS;
    w->set_bits = lines > WINDOW_WAYS ? (u32)__builtin_ctz(lines / WINDOW_WAYS) : 0;
}

/* Lines a power of two apart are spread (cache.h has the same rule). */
static inline u32 window_set(const struct window *w, u64 number)
{
    return ((u32)number ^ (u32)((number >> w->set_bits) * 0x9e3779b97f4a7c15ull >> 32)) & ((1u << w->set_bits) - 1);
}

/* The way that was used least lately. */
static inline u32 window_oldest(const struct window *w, u32 set)
{
    u32 oldest = 0;
    for (u32 way = 1; way < w->ways; way++)
        oldest = w->when[set][way] < w->when[set][oldest] ? way : oldest;
    return oldest;
}

/* Where the line is in the set; WINDOW_WAYS: nowhere. */
static inline u32 window_way(const struct window *w, u32 set, u64 number)
{
    u32 found = 0;
    for (u32 way = 0; way < WINDOW_WAYS; way++)
        found |= w->low[set][way] == (u32)number ? 1u << way : 0;
    for (; found; found &= found - 1) {
        const u32 way = (u32)__builtin_ctz(found);
        if (w->line[set][way] == number && w->when[set][way] > w->cleared)
            return way;
    }
    return WINDOW_WAYS;
}

/* The line is asked for these sectors by that member of the group. What it was asked for before, and by whom: *sectors 0: it was
 * not there. */
static inline void window_ask(struct window *w, u64 number, u32 *sectors, u32 *member)
{
    const u32 set = window_set(w, number), asked = *sectors, by = *member;
    *sectors = 0;
    if (!w->ways)
        return;
    u32 way = window_way(w, set, number);
    if (way < WINDOW_WAYS) {
        *sectors = w->sectors[set][way];
        *member = w->member[set][way];
    } else {
        way = window_oldest(w, set);
        w->line[set][way] = number;
        w->low[set][way] = (u32)number;
    }
    w->when[set][way] = ++w->now;
    w->sectors[set][way] = (u8)asked;
    w->member[set][way] = (u8)by;
}

#endif
