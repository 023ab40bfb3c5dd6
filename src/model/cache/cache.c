/* cache.c - sets as arrays in order of use (cache.h). */
#include "model/cache/cache.h"

#include <string.h>

#include "base/alloc.h"
#include "model/cache/cache_entries.h"

enum { HOST_LINE = 64 };

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
    c->vectors = false;
    if (!lines || !ways)
        return true;
    const u32 fit = lines < ways ? (u32)lines : ways, nsets = (u32)(lines / fit);
    if (!make_room(c, (u64)nsets * fit))
        return false;
    c->ways = fit;
    /* Sets of eight and sixteen ways are looked up by vectors of four. */
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
    c->filled = 0;
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

/* A line comes to a set without it, in place of what is in that way. */
static INLINED void note_new(struct cache *c, const struct cache_line *set, u32 way, struct cache_line *gone)
{
    if (set[way].held == c->stamp)
        *gone = set[way];
    else
        c->filled++;
    c->begun += set[0].held != c->stamp;
}

/* Of a set that is not full. */
static inline u32 first_free(const struct cache *c, const struct cache_line *set)
{
    u32 low = 0, high = c->ways - 1;
    while (low < high) {
        const u32 middle = (low + high) / 2;
        const bool there = set[middle].held == c->stamp;
        low = there ? middle + 1 : low;
        high = there ? high : middle;
    }
    return low;
}

static INLINED u32 any_way_behind(struct cache *c, u32 kept)
{
    c->random = random_after(c->random);
    return any_behind(c->random, kept, c->ways);
}

/* The way of a line that comes to a set without it: a free one, or that of any line which is not kept. Kept are the first ones that were asked
 * for again, of a quarter of the ways. */
static u32 way_beside_kept(struct cache *c, const struct cache_line *set)
{
    u32 kept = 0;
    if (set[c->ways - 1].held != c->stamp)
        return first_free(c, set);
    while (kept < c->ways / 4 && set[kept].dirty)
        kept++;
    return any_way_behind(c, kept);
}

/* With CACHE_KEEPS the others stay where they are. */
static u32 enter_beside_kept(struct cache *c, struct cache_line *set, struct cache_line l, struct cache_line *gone)
{
    const u32 way = way_beside_kept(c, set);
    note_new(c, set, way, gone);
    set[way] = l;
    return way;
}

/* cache_take where there are sets, way by way; the line is then in that way. */
static void take(struct cache *c, struct cache_line *set, u64 number, struct cache_line *gone, u32 *way)
{
    const struct cache_line l = {.number = number, .held = c->stamp};
    const u32 at = way_of(set, c->ways, l);
    *way = 0;
    if (at < c->ways) {
        put_in_front(set, at, entry_of(entry_at(set + at) | again_bit(c)));
    } else if (c->policy & CACHE_KEEPS) {
        *way = enter_beside_kept(c, set, l, gone);
    } else {
        note_new(c, set, c->ways - 1, gone);
        put_in_front(set, c->ways - 1, l);
    }
}

/* ---- the same by vectors ---- */

#if defined(__x86_64__)
/* How many vectors of a set have lines in them, two at least: of a large cache most sets are half empty for long, and what is behind is then not
 * touched. */
static INLINED u32 vectors_of(const struct cache *c, const struct cache_line *set)
{
    return c->ways == 2 * VECTOR || set[2 * VECTOR - 1].held != c->stamp ? 2 : 4;
}

WITH_VECTORS static u32 way_by_vectors(const struct cache *c, const struct cache_line *set, struct cache_line wanted)
{
    const u32 vectors = vectors_of(c, set),
              way = vectors == 2 ? entries_find(set, 2, word_of(wanted)) : entries_find(set, 4, word_of(wanted));
    return way < vectors * VECTOR ? way : c->ways;
}

/* enter_beside_kept: of the first lines, those that are kept have the topmost bit. */
WITH_VECTORS static INLINED u32 enter_beside_topmost(struct cache *c, struct cache_line *set, u64 line,
                                                     struct cache_line *gone)
{
    if (LS_UNLIKELY(set[c->ways - 1].held != c->stamp)) {
        const u32 way = first_free(c, set);
        note_new(c, set, way, gone);
        set[way] = entry_of(line);
        return way;
    }
    const __m256d first = _mm256_loadu_pd((const double *)(const void *)set);
    const u32 way = any_way_behind(c, (u32)__builtin_ctz(~(u32)_mm256_movemask_pd(first) | 1u << c->ways / 4));
    *gone = set[way];
    set[way] = entry_of(line);
    return way;
}

/* A line with its stamp, and what is set of it where it is there. */
struct wanted {
    u64 line, again;
};

/* take, of a set of that many vectors; the line is not in the first. */
WITH_VECTORS static INLINED void take_behind(struct cache *c, struct cache_line *set, struct wanted w,
                                             struct cache_line *gone, u32 *way, u32 vectors)
{
    const u32 at = entries_find(set, vectors, w.line), last = vectors * VECTOR - 1;
    if (at <= last) {
        entries_move_up(set, vectors, at, entry_at(set + at) | w.again);
    } else if (w.again) {
        *way = enter_beside_topmost(c, set, w.line, gone);
    } else {
        note_new(c, set, last, gone);
        entries_move_up(set, vectors, last, w.line);
    }
}

/* take. What does not change is not written, as the set is soon read by vectors; most lines that are there are in the first of them. */
WITH_VECTORS static void take_by_vectors(struct cache *c, struct cache_line *set, u64 number, struct cache_line *gone,
                                         u32 *way)
{
    const struct wanted w = {word_of((struct cache_line){.number = number, .held = c->stamp}), again_bit(c)};
    const u32 at = entries_find(set, 1, w.line);
    *way = 0;
    if (at < VECTOR) {
        const u64 there = entry_at(set + at), now = there | w.again;
        if (at)
            entries_move_up(set, 1, at, now);
        else if (now != there)
            *set = entry_of(now);
    } else if (vectors_of(c, set) == 2) {
        take_behind(c, set, w, gone, way, 2);
    } else {
        take_behind(c, set, w, gone, way, 4);
    }
}

#else
#define take_by_vectors(c, set, number, gone, way) take(c, set, number, gone, way)
#define way_by_vectors(c, set, wanted) way_of(set, (c)->ways, wanted)
#endif

struct cache_line *cache_take_in(struct cache *c, size_t at, u64 number, struct cache_line *gone)
{
    *gone = (struct cache_line){0};
    if (!c->nsets)
        return NULL;
    struct cache_line *set = c->lines + at;
    u32 way;
    if (c->vectors)
        take_by_vectors(c, set, number, gone, &way);
    else
        take(c, set, number, gone, &way);
    return set + way;
}

struct cache_line *cache_take(struct cache *c, u64 number, struct cache_line *gone)
{
    return cache_take_in(c, cache_set(c, number), number, gone);
}

struct cache_line *cache_peek_in(struct cache *c, size_t at, u64 number, u32 *rank)
{
    if (!c->nsets)
        return NULL;
    struct cache_line *set = c->lines + at;
    const struct cache_line wanted = {.number = number, .held = c->stamp};
    *rank = c->vectors ? way_by_vectors(c, set, wanted) : way_of(set, c->ways, wanted);
    return *rank < c->ways ? &set[*rank] : NULL;
}

struct cache_line *cache_peek(struct cache *c, u64 number, u32 *rank)
{
    return cache_peek_in(c, cache_set(c, number), number, rank);
}
