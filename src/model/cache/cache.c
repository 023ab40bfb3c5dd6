/* cache.c - sets as arrays in order of use (cache.h). */
#include "model/cache/cache.h"

#include <string.h>

#include "base/alloc.h"

enum { STAMP_MOST = UINT16_MAX, HOST_LINE = 64 };

/* Sets of eight and sixteen ways are looked up by vectors of four where the processor has them. */
enum { VECTOR = 4 };
#define INLINED inline __attribute__((always_inline))
#if defined(__x86_64__)
#include <immintrin.h>
static bool has_vectors(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }
#else
static bool has_vectors(void) { return false; }
#endif

bool cache_init(struct cache *c, u64 bytes, u32 ways)
{
    *c = (struct cache){0};
    return cache_shape(c, bytes, ways);
}

static bool make_room(struct cache *c, u64 lines)
{
    if (lines <= c->room)
        return true;
    cache_free(c);
    c->memory = ls_calloc(lines + HOST_LINE / sizeof *c->lines, sizeof *c->lines);
    if (!c->memory)
        return false;
    c->lines = (struct cache_line *)(uintptr_t)ls_align_up((uintptr_t)c->memory, HOST_LINE);
    c->room = lines;
    return true;
}

bool cache_shape(struct cache *c, u64 bytes, u32 ways)
{
    const u64 lines = bytes / CACHE_LINE;
    c->nsets = 0;
    if (!lines || !ways)
        return true;
    const u32 fit = lines < ways ? (u32)lines : ways, nsets = (u32)(lines / fit);
    if (!make_room(c, (u64)nsets * fit))
        return false;
    c->ways = fit;
    c->vectors = (fit == 2 * VECTOR || fit == 4 * VECTOR) && has_vectors();
    c->nsets = nsets;
    c->low_bits = (u32)__builtin_ctz(nsets);
    c->rest = nsets >> c->low_bits;
    c->inverse = UINT64_MAX / c->rest + 1;
    cache_clear(c);
    return true;
}

void cache_free(struct cache *c)
{
    ls_free(c->memory);
    *c = (struct cache){0};
}

void cache_lend(struct cache *c, struct cache_line *lines, u64 room)
{
    c->lines = lines;
    c->room = room;
}

void cache_clear(struct cache *c)
{
    if (c->stamp == STAMP_MOST) { /* the stamps begin anew: none of the old ones may be left */
        memset(c->lines, 0, sizeof *c->lines * c->room);
        c->stamp = 0;
    }
    c->stamp++;
    c->random = 1;
    c->begun = 0;
}

/* run % rest without a division: exact for what has 32 bits each (Lemire, Kaser, Kurz, "Faster remainder by direct computation",
 * 2019). */
static inline u32 remainder_of(const struct cache *c, u32 run)
{
    return (u32)((unsigned __int128)(c->inverse * run) * c->rest >> 64);
}

#define FIRST_FACTOR 0x9e3779b97f4a7c15ull

static inline u64 mixed(u64 once) { return (once ^ once >> 29) * 0xbf58476d1ce4e5b9ull; }

/* The lines number / 2^low_bits have in common are spread over all low sets, shifted by a hash of that quotient. */
static inline size_t set_of(const struct cache *c, u64 number)
{
    if (c->policy & CACHE_HASHED) {
        return (size_t)((mixed(number * FIRST_FACTOR) >> 32) * c->nsets >> 32) * c->ways;
    }
    number &= ~c->same_set;
    const u64 run = number >> c->low_bits;
    const u32 mask = (1u << c->low_bits) - 1;
    const u64 once = run * FIRST_FACTOR;
    const u32 shift = (u32)((c->policy & CACHE_MIXED ? mixed(once) : once) >> 32);
    const u32 low = ((u32)number ^ shift) & mask;
    const u32 high = c->rest == 1 ? 0 : run >> 32 ? (u32)(run % c->rest) : remainder_of(c, (u32)run);
    return (size_t)((high << c->low_bits) + low) * c->ways;
}

size_t cache_set(const struct cache *c, u64 number) { return c->nsets ? set_of(c, number) : 0; }

static inline u64 word_of(struct cache_line l)
{
    u64 word;
    memcpy(&word, &l, sizeof word);
    return word;
}

/* Number and stamp, which are compared at once. */
static inline u64 tag_mask(void)
{
    return word_of((struct cache_line){.number = (1ull << CACHE_NUMBER_BITS) - 1, .held = STAMP_MOST});
}

/* Where in its set the line is; `ways`: it is not. */
static inline u32 way_of(const struct cache_line *set, u32 ways, struct cache_line wanted)
{
    const u64 tag = tag_mask(), want = word_of(wanted);
    for (u32 k = 0; k < ways; k++)
        if (((word_of(set[k]) ^ want) & tag) == 0)
            return k;
    return ways;
}

/* Entry `at` of the set goes, those before it move up, and l is in front. */
static inline void put_in_front(struct cache_line *set, u32 at, struct cache_line l)
{
    memmove(set + 1, set, sizeof *set * at);
    set[0] = l;
}

/* ---- the cache ---- */

/* The way that makes room in a set without the line: an absent one where there is one. */
static inline u32 victim_of(struct cache *c, const struct cache_line *set)
{
    if (!(c->policy & CACHE_RANDOM) || set[c->ways - 1].held != c->stamp)
        return c->ways - 1;
    c->random = c->random * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)((c->random >> 32) * c->ways >> 32);
}

/* The line comes to the front of its set, from `at` or, where that is all ways, anew: *first is what is in front then. Up to which way the others
 * move up. */
static inline u32 bring(struct cache *c, const struct cache_line *set, u32 at, struct cache_line *first,
                        struct cache_line *gone)
{
    if (at < c->ways) {
        *first = set[at];
        return at;
    }
    const u32 leaves = victim_of(c, set);
    if (set[leaves].held == c->stamp)
        *gone = set[leaves];
    c->begun += set[0].held != c->stamp;
    return leaves;
}

/* Of the line, which is in front of the set, those sectors are there: which of them were before. What does not change is not
 * written, as the set is soon read by vectors. */
static inline u32 add_sectors(struct cache_line *l, u32 sectors)
{
    const u32 there = l->valid & sectors;
    if (there != sectors)
        l->valid |= sectors;
    return there;
}

/* cache_take where there are sets, way by way; the line then has those sectors: which of them it had before. */
static INLINED u32 take(struct cache *c, struct cache_line *set, u64 number, u32 sectors, struct cache_line *gone)
{
    struct cache_line first = {.number = number, .held = c->stamp};
    const u32 at = way_of(set, c->ways, first);
    if (at == 0)
        return add_sectors(set, sectors);
    const u32 leaves = bring(c, set, at, &first, gone), there = add_sectors(&first, sectors);
    put_in_front(set, leaves, first);
    return there;
}

static void take_lines(struct cache *c, const u64 *number, const u8 *sectors, u32 n, u8 *there)
{
    struct cache_line gone;
    for (u32 k = 0; k < n; k++)
        there[k] = (u8)take(c, c->lines + set_of(c, number[k]), number[k], sectors[k], &gone);
}

/* ---- the same by vectors ---- */

#if defined(__x86_64__)
#define WITH_VECTORS __attribute__((target("avx2,bmi,bmi2")))

/* way_of, of sets of that many vectors. */
WITH_VECTORS static INLINED u32 way_in(const struct cache_line *set, u32 vectors, struct cache_line wanted)
{
    const __m256i tag = _mm256_set1_epi64x((i64)tag_mask()), want = _mm256_set1_epi64x((i64)word_of(wanted));
    u32 found = 1u << VECTOR * vectors;
    for (u32 k = 0; k < vectors; k++) {
        const __m256i now = _mm256_loadu_si256((const __m256i *)(const void *)(set + VECTOR * k));
        const __m256i same = _mm256_cmpeq_epi64(_mm256_and_si256(now, tag), want);
        found |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(same)) << VECTOR * k;
    }
    return (u32)__builtin_ctz(found);
}

WITH_VECTORS static u32 way_by_vectors(const struct cache_line *set, u32 ways, struct cache_line wanted)
{
    return ways == 2 * VECTOR ? way_in(set, 2, wanted) : way_in(set, 4, wanted);
}

/* put_in_front: each way up to `at` has the entry of the one before it. */
WITH_VECTORS static INLINED void move_up(struct cache_line *set, u32 vectors, u32 at, struct cache_line l)
{
    const __m256i last = _mm256_set1_epi64x(at), front = _mm256_set1_epi64x((i64)word_of(l));
    __m256i moved[4];
    for (u32 k = 0; k < vectors; k++) {
        const __m256i way = _mm256_setr_epi64x(VECTOR * k, VECTOR * k + 1, VECTOR * k + 2, VECTOR * k + 3);
        const __m256i now = _mm256_loadu_si256((const __m256i *)(const void *)(set + VECTOR * k));
        const __m256i before = k ? _mm256_loadu_si256((const __m256i *)(const void *)(set + VECTOR * k - 1))
                                 : _mm256_blend_epi32(_mm256_permute4x64_epi64(now, 0x90), front, 3);
        moved[k] = _mm256_blendv_epi8(before, now, _mm256_cmpgt_epi64(way, last));
    }
    for (u32 k = 0; k < vectors; k++)
        _mm256_storeu_si256((__m256i *)(void *)(set + VECTOR * k), moved[k]);
}

/* take, of sets of that many vectors. */
WITH_VECTORS static INLINED u32 take_wide(struct cache *c, struct cache_line *set, u64 number, u32 sectors,
                                          struct cache_line *gone, u32 vectors)
{
    struct cache_line first = {.number = number, .held = c->stamp};
    if (way_of(set, 1, first) == 0)
        return add_sectors(set, sectors);
    const u32 leaves = bring(c, set, way_in(set, vectors, first), &first, gone), there = add_sectors(&first, sectors);
    move_up(set, vectors, leaves, first);
    return there;
}

WITH_VECTORS static void take_by_vectors(struct cache *c, struct cache_line *set, u64 number, struct cache_line *gone)
{
    if (c->ways == 2 * VECTOR)
        take_wide(c, set, number, 0, gone, 2);
    else
        take_wide(c, set, number, 0, gone, 4);
}

WITH_VECTORS static void take_lines_by_vectors(struct cache *c, const u64 *number, const u8 *sectors, u32 n, u8 *there)
{
    struct cache_line gone;
    if (c->ways == 2 * VECTOR)
        for (u32 k = 0; k < n; k++)
            there[k] = (u8)take_wide(c, c->lines + set_of(c, number[k]), number[k], sectors[k], &gone, 2);
    else
        for (u32 k = 0; k < n; k++)
            there[k] = (u8)take_wide(c, c->lines + set_of(c, number[k]), number[k], sectors[k], &gone, 4);
}
#else
#define take_by_vectors(c, set, number, gone) take(c, set, number, 0, gone)
#define take_lines_by_vectors take_lines
#define way_by_vectors way_of
#endif

struct cache_line *cache_take_in(struct cache *c, size_t at, u64 number, struct cache_line *gone)
{
    *gone = (struct cache_line){0};
    if (!c->nsets)
        return NULL;
    struct cache_line *set = c->lines + at;
    if (c->vectors)
        take_by_vectors(c, set, number, gone);
    else
        take(c, set, number, 0, gone);
    return set;
}

struct cache_line *cache_take(struct cache *c, u64 number, struct cache_line *gone)
{
    return cache_take_in(c, cache_set(c, number), number, gone);
}

void cache_take_lines(struct cache *c, const u64 *number, const u8 *sectors, u32 n, u8 *there)
{
    if (!c->nsets)
        memset(there, 0, n);
    else if (c->vectors)
        take_lines_by_vectors(c, number, sectors, n, there);
    else
        take_lines(c, number, sectors, n, there);
}

struct cache_line *cache_peek_in(struct cache *c, size_t at, u64 number, u32 *rank)
{
    if (!c->nsets)
        return NULL;
    struct cache_line *set = c->lines + at;
    const struct cache_line wanted = {.number = number, .held = c->stamp};
    *rank = c->vectors ? way_by_vectors(set, c->ways, wanted) : way_of(set, c->ways, wanted);
    return *rank < c->ways ? &set[*rank] : NULL;
}

struct cache_line *cache_peek(struct cache *c, u64 number, u32 *rank)
{
    return cache_peek_in(c, cache_set(c, number), number, rank);
}

struct cache_line *cache_find(struct cache *c, u64 number)
{
    u32 at;
    struct cache_line *l = cache_peek(c, number, &at);
    if (!l || at == 0)
        return l;
    put_in_front(l - at, at, *l);
    return l - at;
}
