/* cache.c - sets as arrays in order of use (cache.h). */
#include "model/cache/cache.h"

#include <string.h>

#include "base/alloc.h"

enum { STAMP_MOST = UINT16_MAX, HOST_LINE = 64 };

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
    c->nsets = nsets;
    c->low_bits = (u32)__builtin_ctz(nsets);
    c->rest = nsets >> c->low_bits;
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
    c->taken = 0;
}

/* The lines number / 2^low_bits have in common are spread over all low sets, shifted by a hash of that quotient. */
static inline struct cache_line *set_of(const struct cache *c, u64 number)
{
    if (c->policy & CACHE_HASHED) {
        const u64 once = number * 0x9e3779b97f4a7c15ull, twice = (once ^ once >> 29) * 0xbf58476d1ce4e5b9ull;
        return c->lines + (size_t)((twice >> 32) * c->nsets >> 32) * c->ways;
    }
    const u64 run = number >> c->low_bits;
    const u32 mask = (1u << c->low_bits) - 1;
    const u32 shift = (u32)((run * 0x9e3779b97f4a7c15ull) >> 32);
    const u32 low = ((u32)number ^ shift) & mask;
    const u32 high = c->rest == 1 ? 0
                     : run >> 32  ? (u32)(run % c->rest)
                                  : (u32)run % c->rest; /* the short one is faster */
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

/* Where in its set the line is; `ways`: it is not. Number and stamp are compared at once. */
static inline u32 way_of(const struct cache_line *set, u32 ways, struct cache_line wanted)
{
    const u64 tag = word_of((struct cache_line){.number = (1ull << CACHE_NUMBER_BITS) - 1, .held = STAMP_MOST}),
              want = word_of(wanted);
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

struct cache_line *cache_take(struct cache *c, u64 number, struct cache_line *gone)
{
    *gone = (struct cache_line){0};
    if (!c->nsets)
        return NULL;
    struct cache_line *set = set_of(c, number);
    const struct cache_line fresh = {.number = number, .held = c->stamp};
    const u32 at = way_of(set, c->ways, fresh);
    if (at == 0)
        return set;
    if (at < c->ways) {
        put_in_front(set, at, set[at]);
        return set;
    }
    const u32 leaves = victim_of(c, set);
    if (set[leaves].held == c->stamp)
        *gone = set[leaves];
    put_in_front(set, leaves, fresh);
    c->taken++;
    return set;
}
