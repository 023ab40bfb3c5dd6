/* window.h - the lines that a group of SMs has asked L2 for lately: some sets, of which the line that was asked for least lately leaves.
 * Internal to cache_l2.c.
 *
 * A line stays where it is in its set, and the set has the order in which its lines were asked for: the same few lines are asked for by one SM after
 * the other, so nothing else is moved. */
#ifndef LS_MODEL_CACHE_WINDOW_H
#define LS_MODEL_CACHE_WINDOW_H

#include "model/cache/cache.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { WINDOW_LINES = 64, WINDOW_WAYS = 8, WINDOW_SETS = WINDOW_LINES / WINDOW_WAYS };

/* All zero: to be cleared before it is asked. */
struct window {
    u64 line[WINDOW_SETS][WINDOW_WAYS]; /* UINT64_MAX: none */
    u32 low[WINDOW_SETS][WINDOW_WAYS];  /* of it, which is compared first */
    u64 order[WINDOW_SETS];             /* ways, a byte each, the last asked for lowest */
    u8 sectors[WINDOW_SETS][WINDOW_WAYS], member[WINDOW_SETS][WINDOW_WAYS]; /* that were asked for, and by whom */
    u32 ways, set_bits;                                                     /* no ways: it holds nothing */
};

/* Empty, of so many lines: a power of two, WINDOW_LINES at most, or 0. */
static inline void window_clear(struct window *w, u32 lines)
{
    w->ways = lines < WINDOW_WAYS ? lines : WINDOW_WAYS;
    w->set_bits = lines > WINDOW_WAYS ? (u32)__builtin_ctz(lines / WINDOW_WAYS) : 0;
    for (u32 set = 0; set < WINDOW_SETS; set++) {
        w->order[set] = 0x0706050403020100ull;
        for (u32 way = 0; way < WINDOW_WAYS; way++)
            w->line[set][way] = UINT64_MAX;
    }
}

/* Lines a power of two apart are spread (cache.h has the same rule). */
static inline u32 window_set(const struct window *w, u64 number)
{
    return ((u32)number ^ (u32)((number >> w->set_bits) * 0x9e3779b97f4a7c15ull >> 32)) & ((1u << w->set_bits) - 1);
}

/* A bit for each way whose line has these lowest bits. */
static inline u32 window_alike(const u32 low[WINDOW_WAYS], u32 wanted)
{
#if defined(__SSE2__)
    const __m128i all = _mm_set1_epi32((i32)wanted), *at = (const __m128i *)(const void *)low;
    const __m128i first = _mm_cmpeq_epi32(_mm_loadu_si128(at), all),
                  last = _mm_cmpeq_epi32(_mm_loadu_si128(at + 1), all);
    return (u32)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(first, last), _mm_setzero_si128()));
#else
    u32 found = 0;
    for (u32 way = 0; way < WINDOW_WAYS; way++)
        found |= low[way] == wanted ? 1u << way : 0;
    return found;
#endif
}

/* Where the line is in the set; WINDOW_WAYS: nowhere. */
static inline u32 window_way(const struct window *w, u32 set, u64 number)
{
    for (u32 found = window_alike(w->low[set], (u32)number); found; found &= found - 1) {
        const u32 way = (u32)__builtin_ctz(found);
        if (w->line[set][way] == number)
            return way;
    }
    return WINDOW_WAYS;
}

/* The way is the last that was asked for. */
static inline void window_touch(struct window *w, u32 set, u32 way)
{
    const u64 bytes = UINT64_MAX / 255, order = w->order[set], others = order ^ bytes * way;
    const u32 at =
        (u32)__builtin_ctzll((others - bytes) & ~others & bytes << 7) & ~7u; /* of its byte: the lowest that is 0 */
    const u64 later = order & ((1ull << at) - 1);
    w->order[set] = (order >> at >> 8 << at << 8) | later << 8 | way;
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
        way = (u32)(w->order[set] >> 8 * (w->ways - 1)) & 255;
        w->line[set][way] = number;
        w->low[set][way] = (u32)number;
    }
    window_touch(w, set, way);
    w->sectors[set][way] = (u8)asked;
    w->member[set][way] = (u8)by;
}

#endif
