/* window.h - the lines that a group of SMs has asked L2 for lately: some sets, of which the line that was asked for least lately leaves.
 * Internal to cache_l2.c.
 *
 * A set is in order of use, so where a vector of the processor's has all of it, it is put in order by one shuffle. */
#ifndef LS_MODEL_CACHE_WINDOW_H
#define LS_MODEL_CACHE_WINDOW_H

#include "model/cache/cache.h"

enum { WINDOW_LINES = 64, WINDOW_WAYS = 8, WINDOW_SETS = WINDOW_LINES / WINDOW_WAYS };

/* All zero: to be cleared before it is asked. */
struct window {
    struct window_set {
        u32 low[WINDOW_WAYS];  /* of a line's number */
        u32 rest[WINDOW_WAYS]; /* what is left of it, and what it was asked for; UINT32_MAX: none */
    } set[WINDOW_SETS];
    u32 ways, set_bits; /* no ways: it holds nothing */
    bool vectors;       /* sets are looked up by the processor's, else way by way */
};

/* Empty, of so many lines: a power of two, WINDOW_LINES at most, or 0. */
void window_clear(struct window *w, u32 lines);

/* What a line is asked for: some sectors, by that member of the group, below 2^19. */
static inline u32 window_asked(u32 sectors, u32 member) { return member << 4 | sectors; }
static inline u32 window_sectors(u32 asked) { return asked & 15; }
static inline u32 window_member(u32 asked) { return asked >> 4; }

/* n lines in turn, of windows which[k] that were all cleared alike: before[k] is what line k was asked for before, 0 where it was not there. Those for
 * which asked[k] is 0 are left out. */
enum { WINDOW_TOGETHER = 64 };
void window_ask(struct window *windows, const u8 *which, const u64 *number, const u32 *asked, u32 n, u32 *before);

#endif
