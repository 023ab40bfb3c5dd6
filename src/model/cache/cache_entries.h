/* cache_entries.h - entries of a cache as words, which are copied and compared at once, not field by field; and as vectors of four, where the processor has
 * them. Internal to this folder. */
#ifndef LS_MODEL_CACHE_ENTRIES_H
#define LS_MODEL_CACHE_ENTRIES_H

#include <string.h>

#include "model/cache/cache.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINED inline __attribute__((always_inline))

enum { STAMP_MOST = UINT16_MAX, VECTOR = 4 };

static inline u64 entry_at(const struct cache_line *l)
{
    u64 word;
    memcpy(&word, l, sizeof word);
    return word;
}
static inline struct cache_line entry_of(u64 word)
{
    struct cache_line l;
    memcpy(&l, &word, sizeof l);
    return l;
}
static inline u64 word_of(struct cache_line l) { return entry_at(&l); }

/* Number and stamp, which are compared at once. */
static inline u64 tag_mask(void)
{
    return word_of((struct cache_line){.number = (1ull << CACHE_NUMBER_BITS) - 1, .held = STAMP_MOST});
}

/* With CACHE_KEEPS, a line that was asked for again has a bit that is no sector's: what it keeps is never dirty. */
static inline u64 again_bit(const struct cache *c)
{
    return c->policy & CACHE_KEEPS ? word_of((struct cache_line){.dirty = 8}) : 0;
}

/* Which line leaves a full set with CACHE_KEEPS: any way but the first ones. */
static inline u64 random_after(u64 random) { return random * 6364136223846793005ull + 1442695040888963407ull; }
static inline u32 any_behind(u64 random, u32 kept, u32 ways)
{
    return kept + (u32)((random >> 32) * (ways - kept) >> 32);
}

/* cache_take_in of a line that is one of the first four of its set; NULL: it is none of those. Not with CACHE_KEEPS. */
static inline struct cache_line *entries_take_first(struct cache *c, size_t at, u64 number)
{
    const u64 tag = word_of((struct cache_line){.number = number, .held = c->stamp & STAMP_MOST}), mask = tag_mask();
    struct cache_line *set = c->lines + at;
    if (LS_UNLIKELY(c->nsets == 0 || c->ways < 4))
        return NULL;
    const u64 first = entry_at(&set[0]);
    if (!((first ^ tag) & mask))
        return set;
    /* Without branches, as nobody can tell which of them it is. */
    const u64 second = entry_at(&set[1]), third = entry_at(&set[2]), fourth = entry_at(&set[3]);
    const u64 is_second = -(u64) !((second ^ tag) & mask), is_third = -(u64) !((third ^ tag) & mask),
              is_fourth = -(u64) !((fourth ^ tag) & mask);
    if (!(is_second | is_third | is_fourth))
        return NULL;
    set[0] = entry_of((second & is_second) | (third & is_third) | (fourth & is_fourth));
    set[1] = entry_of(first);
    set[2] = entry_of(second ^ ((second ^ third) & is_second));
    set[3] = entry_of(fourth ^ ((fourth ^ third) & is_fourth));
    return set;
}

#if defined(__x86_64__)
#define WITH_VECTORS __attribute__((target("avx2,bmi,bmi2")))
static inline bool has_vectors(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }

WITH_VECTORS static INLINED __m256i entries_load(const struct cache_line *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}
WITH_VECTORS static INLINED void entries_store(struct cache_line *at, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)at, v);
}

/* Where in a set of so many vectors the line of `entry` is; behind all of them: it is not there. */
WITH_VECTORS static INLINED u32 entries_find(const struct cache_line *set, u32 vectors, u64 entry)
{
    const __m256i tag = _mm256_set1_epi64x((i64)tag_mask()), want = _mm256_set1_epi64x((i64)(entry & tag_mask()));
    u32 found = 1u << VECTOR * vectors;
    for (u32 k = 0; k < vectors; k++) {
        const __m256i same = _mm256_cmpeq_epi64(_mm256_and_si256(entries_load(set + VECTOR * k), tag), want);
        found |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(same)) << VECTOR * k;
    }
    return (u32)__builtin_ctz(found);
}

/* The entry `line` comes to the front of a set of so many vectors, and those before place `at`, where it was, move up. */
WITH_VECTORS static INLINED void entries_move_up(struct cache_line *set, u32 vectors, u32 at, u64 line)
{
    const __m256i last = _mm256_set1_epi64x(at), front = _mm256_set1_epi64x((i64)line);
    __m256i moved[4];
    for (u32 k = 0; k < vectors; k++) {
        const __m256i way = _mm256_setr_epi64x(VECTOR * k, VECTOR * k + 1, VECTOR * k + 2, VECTOR * k + 3);
        const __m256i now = entries_load(set + VECTOR * k);
        const __m256i before =
            k ? entries_load(set + VECTOR * k - 1) : _mm256_blend_epi32(_mm256_permute4x64_epi64(now, 0x90), front, 3);
        moved[k] = _mm256_blendv_epi8(before, now, _mm256_cmpgt_epi64(way, last));
    }
    for (u32 k = 0; k < vectors; k++)
        entries_store(set + VECTOR * k, moved[k]);
}

#else
static inline bool has_vectors(void) { return false; }
#endif

#endif
