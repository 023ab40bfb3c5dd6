/* cache.c - sets as arrays in order of use (cache.h). */
#include "model/cache/cache.h"

#include <string.h>

#include "base/alloc.h"

enum { STAMP_MOST = UINT16_MAX, HOST_LINE = 64 };

/* Sets of one or two vectors are looked up by them where the processor has vectors of 64 bytes. With AVX2 alone the same code is slower
 * than a loop over the ways. */
enum { VECTOR = 8 };
#if defined(__x86_64__)
#define WITH_VECTORS __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,bmi,bmi2")))
static bool has_vectors(void)
{
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("bmi2");
}
#else
#define WITH_VECTORS
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
    c->vectors = (fit == VECTOR || fit == 2 * VECTOR) && has_vectors();
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
static inline struct cache_line *set_of(const struct cache *c, u64 number)
{
    if (c->policy & CACHE_HASHED) {
        return c->lines + (size_t)((mixed(number * FIRST_FACTOR) >> 32) * c->nsets >> 32) * c->ways;
    }
    number &= ~c->same_set;
    const u64 run = number >> c->low_bits;
    const u32 mask = (1u << c->low_bits) - 1;
    const u64 once = run * FIRST_FACTOR;
    const u32 shift = (u32)((c->policy & CACHE_MIXED ? mixed(once) : once) >> 32);
    const u32 low = ((u32)number ^ shift) & mask;
    const u32 high = c->rest == 1 ? 0 : run >> 32 ? (u32)(run % c->rest) : remainder_of(c, (u32)run);
    return c->lines + (size_t)((high << c->low_bits) + low) * c->ways;
}

void cache_fetch(const struct cache *c, u64 number)
{
    if (!c->nsets)
        return;
    const char *set = (const char *)set_of(c, number);
    for (size_t at = 0; at < sizeof *c->lines * c->ways; at += HOST_LINE)
        __builtin_prefetch(set + at, 1);
}

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

/* ---- the same by vectors ---- */

typedef u64 eight __attribute__((vector_size(VECTOR * sizeof(u64)), aligned(8), may_alias));
typedef i64 eight_signed __attribute__((vector_size(VECTOR * sizeof(i64))));
#define INLINED inline __attribute__((always_inline))

/* way_of, of sets of that many vectors. */
static INLINED u32 way_in(const eight *set, u32 vectors, struct cache_line wanted)
{
    const eight bit = {1, 2, 4, 8, 16, 32, 64, 128}, tag = (eight){0} + tag_mask(), want = (eight){0} + word_of(wanted);
    eight found = {0};
    for (u32 k = 0; k < vectors; k++)
        found |= (eight)(((set[k] ^ want) & tag) == 0) & bit << VECTOR * k;
    found |= __builtin_shufflevector(found, found, 4, 5, 6, 7, 0, 1, 2, 3);
    found |= __builtin_shufflevector(found, found, 2, 3, 0, 1, 6, 7, 4, 5);
    found |= __builtin_shufflevector(found, found, 1, 0, 3, 2, 5, 4, 7, 6);
    return found[0] ? (u32)__builtin_ctzll(found[0]) : VECTOR * vectors;
}

/* put_in_front: each way up to `at` has the entry of the one before it. */
static INLINED void move_up(eight *set, u32 vectors, u32 at, struct cache_line l)
{
    const eight_signed way = {0, 1, 2, 3, 4, 5, 6, 7};
    eight before = (eight){0} + word_of(l);
    for (u32 k = 0; k < vectors; k++) {
        const eight now = set[k], moved = __builtin_shufflevector(before, now, 7, 8, 9, 10, 11, 12, 13, 14),
                    moves = (eight)(way <= (i64)at - VECTOR * (i64)k);
        set[k] = (moved & moves) | (now & ~moves);
        before = now;
    }
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

struct cache_line *cache_find(struct cache *c, u64 number)
{
    if (!c->nsets)
        return NULL;
    struct cache_line *set = set_of(c, number);
    const u32 at = way_of(set, c->ways, (struct cache_line){.number = number, .held = c->stamp});
    if (at == c->ways)
        return NULL;
    if (at)
        put_in_front(set, at, set[at]);
    return set;
}

struct cache_line *cache_peek(struct cache *c, u64 number, u32 *rank)
{
    if (!c->nsets)
        return NULL;
    struct cache_line *set = set_of(c, number);
    *rank = way_of(set, c->ways, (struct cache_line){.number = number, .held = c->stamp});
    return *rank < c->ways ? &set[*rank] : NULL;
}

/* cache_take where there are sets; vectors: of a set, 0: way by way. */
static INLINED struct cache_line *take(struct cache *c, u64 number, struct cache_line *gone, u32 vectors)
{
    struct cache_line *set = set_of(c, number);
    const struct cache_line fresh = {.number = number, .held = c->stamp};
    eight *wide = (eight *)(void *)set;
    const u32 at = vectors ? way_in(wide, vectors, fresh) : way_of(set, c->ways, fresh);
    if (at == 0)
        return set;
    const u32 leaves = at < c->ways ? at : victim_of(c, set);
    if (at == c->ways && set[leaves].held == c->stamp)
        *gone = set[leaves];
    c->begun += set[0].held != c->stamp;
    const struct cache_line first = at < c->ways ? set[at] : fresh;
    if (vectors)
        move_up(wide, vectors, leaves, first);
    else
        put_in_front(set, leaves, first);
    return set;
}

WITH_VECTORS static struct cache_line *take_by_vectors(struct cache *c, u64 number, struct cache_line *gone)
{
    return c->ways == VECTOR ? take(c, number, gone, 1) : take(c, number, gone, 2);
}

struct cache_line *cache_take(struct cache *c, u64 number, struct cache_line *gone)
{
    *gone = (struct cache_line){0};
    if (!c->nsets)
        return NULL;
    return c->vectors ? take_by_vectors(c, number, gone) : take(c, number, gone, 0);
}

static INLINED void take_lines(struct cache *c, const u64 *number, const u8 *sectors, u32 n, u8 *there, u32 vectors)
{
    for (u32 k = 0; k < n; k++) {
        struct cache_line gone, *l = take(c, number[k], &gone, vectors);
        there[k] = (u8)(l->valid & sectors[k]);
        l->valid |= sectors[k];
    }
}

WITH_VECTORS static void take_lines_by_vectors(struct cache *c, const u64 *number, const u8 *sectors, u32 n, u8 *there)
{
    if (c->ways == VECTOR)
        take_lines(c, number, sectors, n, there, 1);
    else
        take_lines(c, number, sectors, n, there, 2);
}

void cache_take_lines(struct cache *c, const u64 *number, const u8 *sectors, u32 n, u8 *there)
{
    if (!c->nsets)
        memset(there, 0, n);
    else if (c->vectors)
        take_lines_by_vectors(c, number, sectors, n, there);
    else
        take_lines(c, number, sectors, n, there, 0);
}
