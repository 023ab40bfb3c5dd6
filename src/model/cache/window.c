/* window.c - see window.h. */
#include "model/cache/window.h"

#include <string.h>

#include "base/clones.h"

#if defined(__x86_64__)
#include <immintrin.h>
static bool has_vectors(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }
#else
static bool has_vectors(void) { return false; }
#endif

/* Of `rest`: 8 bits of the number, 23 of what it was asked for. */
enum { NUMBER = 255, ASKED_AT = 8, NOBODYS = 1u << 31 };
_Static_assert(CACHE_NUMBER_BITS == 40, "32 bits and 8");

void window_clear(struct window *w, u32 lines)
{
    memset(w->set, 255, sizeof w->set);
    w->ways = lines < WINDOW_WAYS ? lines : WINDOW_WAYS;
    w->set_bits = lines > WINDOW_WAYS ? (u32)__builtin_ctz(lines / WINDOW_WAYS) : 0;
    w->vectors = has_vectors();
}

/* Where the sets of some lines begin, from the first window on. Lines a power of two apart are spread (cache.h has the same rule). */
CLONES static void find_sets(u32 *restrict at, const u8 *restrict which, const u64 *restrict number, u32 n,
                             u32 set_bits)
{
    const u32 mask = (1u << set_bits) - 1;
    for (u32 k = 0; k < n; k++) {
        const u32 spread = (u32)number[k] ^ (u32)((number[k] >> set_bits) * CACHE_FACTOR >> 32);
        at[k] = which[k] * (u32)sizeof(struct window) + (spread & mask) * (u32)sizeof(struct window_set);
    }
}

static inline struct window_set *set_at(void *windows, u32 at) { return (struct window_set *)((char *)windows + at); }

/* Of numbers that have the same bits in `rest`. */
static inline bool is_same(u32 a, u32 b) { return !((a ^ b) & ((u32)NOBODYS | NUMBER)); }

static u32 ask(struct window_set *set, u32 ways, u64 number, u32 asked)
{
    const u32 low = (u32)number, rest = (u32)(number >> 32) | asked << ASKED_AT;
    u32 way = 0;
    while (way < ways && !(set->low[way] == low && is_same(set->rest[way], rest)))
        way++;
    const bool there = way < ways;
    const u32 before = there ? set->rest[way] >> ASKED_AT : 0, last = there ? way : ways - 1;
    memmove(set->low + 1, set->low, sizeof *set->low * last);
    memmove(set->rest + 1, set->rest, sizeof *set->rest * last);
    set->low[0] = low;
    set->rest[0] = rest;
    return before;
}

static void ask_all(void *windows, u32 ways, const u32 *at, const u64 *number, const u32 *asked, u32 n, u32 *before)
{
    for (u32 k = 0; k < n; k++)
        before[k] = asked[k] ? ask(set_at(windows, at[k]), ways, number[k], asked[k]) : 0;
}

/* ---- the same by vectors ---- */

#if defined(__x86_64__)
#define WITH_VECTORS __attribute__((target("avx2,bmi,bmi2")))

/* Which way comes to each place when that one comes to the front. */
static const u32 orders[WINDOW_WAYS][WINDOW_WAYS] __attribute__((aligned(32))) = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 2, 3, 4, 5, 6, 7}, {2, 0, 1, 3, 4, 5, 6, 7}, {3, 0, 1, 2, 4, 5, 6, 7},
    {4, 0, 1, 2, 3, 5, 6, 7}, {5, 0, 1, 2, 3, 4, 6, 7}, {6, 0, 1, 2, 3, 4, 5, 7}, {7, 0, 1, 2, 3, 4, 5, 6},
};

WITH_VECTORS static inline u32 ask_by_vectors(struct window_set *set, u32 ways, u64 number, u32 asked)
{
    __m256i *const low_at = (__m256i *)(void *)set->low, *const rest_at = (__m256i *)(void *)set->rest;
    const __m256i low = _mm256_loadu_si256(low_at), rest = _mm256_loadu_si256(rest_at);
    const __m256i new_low = _mm256_set1_epi32((i32)number),
                  new_rest = _mm256_set1_epi32((i32)((u32)(number >> 32) | asked << ASKED_AT)),
                  compared = _mm256_set1_epi32((i32)((u32)NOBODYS | NUMBER));
    const __m256i differs =
        _mm256_or_si256(_mm256_xor_si256(low, new_low), _mm256_and_si256(_mm256_xor_si256(rest, new_rest), compared));
    const __m256i same = _mm256_cmpeq_epi32(differs, _mm256_setzero_si256());
    const u32 found = (u32)_mm256_movemask_ps(_mm256_castsi256_ps(same));
    const u32 way = (u32)__builtin_ctz(found | 1u << (ways - 1)), before = set->rest[way] >> ASKED_AT;
    const __m256i order = _mm256_load_si256((const __m256i *)(const void *)orders[way]);
    _mm256_storeu_si256(low_at, _mm256_blend_epi32(_mm256_permutevar8x32_epi32(low, order), new_low, 1));
    _mm256_storeu_si256(rest_at, _mm256_blend_epi32(_mm256_permutevar8x32_epi32(rest, order), new_rest, 1));
    return found ? before : 0;
}

WITH_VECTORS static void ask_all_by_vectors(void *windows, u32 ways, const u32 *at, const u64 *number, const u32 *asked,
                                            u32 n, u32 *before)
{
    for (u32 k = 0; k < n; k++)
        before[k] = asked[k] ? ask_by_vectors(set_at(windows, at[k]), ways, number[k], asked[k]) : 0;
}

#else
#define ask_all_by_vectors ask_all
#endif

void window_ask(struct window *windows, const u8 *which, const u64 *number, const u32 *asked, u32 n, u32 *before)
{
    const struct window *any = &windows[n ? which[0] : 0];
    u32 at[WINDOW_TOGETHER];
    if (!any->ways) {
        memset(before, 0, sizeof *before * n);
        return;
    }
    find_sets(at, which, number, n, any->set_bits);
    if (any->vectors)
        ask_all_by_vectors(windows, any->ways, at, number, asked, n, before);
    else
        ask_all(windows, any->ways, at, number, asked, n, before);
}
