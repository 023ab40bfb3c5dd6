/* cache.c - sets as arrays in order of use (cache.h). */
#include "model/cache/cache.h"

#include <string.h>

#include "base/alloc.h"
#include "model/cache/cache_sets.h"

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
    c->vectors = false;
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
    c->filled = 0;
}

/* An entry as a word: copied at once, not field by field. */
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

/* With CACHE_KEEPS, a line that was asked for again has a bit that is no sector's: what it keeps is never dirty. */
static inline u64 again_bit(const struct cache *c)
{
    return c->policy & CACHE_KEEPS ? word_of((struct cache_line){.dirty = 8}) : 0;
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

static inline u64 random_after(u64 random) { return random * 6364136223846793005ull + 1442695040888963407ull; }

/* Any way but the first ones. */
static INLINED u32 any_behind(struct cache *c, u32 kept)
{
    c->random = random_after(c->random);
    return kept + (u32)((c->random >> 32) * (c->ways - kept) >> 32);
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
    return any_behind(c, kept);
}

/* With CACHE_KEEPS the others stay where they are. */
static u32 enter_beside_kept(struct cache *c, struct cache_line *set, struct cache_line l, struct cache_line *gone)
{
    const u32 way = way_beside_kept(c, set);
    note_new(c, set, way, gone);
    set[way] = l;
    return way;
}

/* cache_take where there are sets, way by way; the line, which is then in that way, has those sectors: which of them it had before. */
static INLINED u32 take(struct cache *c, struct cache_line *set, u64 number, u32 sectors, struct cache_line *gone,
                        u32 *way)
{
    struct cache_line l = {.number = number, .held = c->stamp, .valid = sectors & 15};
    const u32 at = way_of(set, c->ways, l);
    *way = 0;
    if (at < c->ways) {
        const u32 there = set[at].valid & sectors;
        l = entry_of(entry_at(set + at) | entry_at(&l) | again_bit(c));
        put_in_front(set, at, l);
        return there;
    }
    if (c->policy & CACHE_KEEPS) {
        *way = enter_beside_kept(c, set, l, gone);
        return 0;
    }
    note_new(c, set, c->ways - 1, gone);
    put_in_front(set, c->ways - 1, l);
    return 0;
}

/* Of a word of cache_take_lines. */
static inline u64 asked_number(u64 asked) { return asked & ((1ull << CACHE_NUMBER_BITS) - 1); }
static inline u32 asked_sectors(u64 asked) { return (u32)(asked >> CACHE_NUMBER_BITS) & 15; }

static void take_lines(struct cache *c, const u64 *asked, u32 n, u8 *there, u8 *lacking)
{
    struct cache_line gone;
    u32 way;
    for (u32 k = 0; k < n; k++) {
        struct cache_line *set = c->lines + cache_set_of(c, asked_number(asked[k]));
        const u32 sectors = asked_sectors(asked[k]), found = take(c, set, asked_number(asked[k]), sectors, &gone, &way);
        there[k] = (u8)found;
        lacking[k] = (u8)(sectors & ~found);
    }
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

/* How many vectors of a set have lines in them, two at least: of a large cache most sets are half empty for long, and what is behind is then not
 * touched. */
static INLINED u32 vectors_of(const struct cache *c, const struct cache_line *set)
{
    return c->ways == 2 * VECTOR || set[2 * VECTOR - 1].held != c->stamp ? 2 : 4;
}

WITH_VECTORS static u32 way_by_vectors(const struct cache *c, const struct cache_line *set, struct cache_line wanted)
{
    const u32 vectors = vectors_of(c, set), way = vectors == 2 ? way_in(set, 2, wanted) : way_in(set, 4, wanted);
    return way < vectors * VECTOR ? way : c->ways;
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
    const u32 way = any_behind(c, (u32)__builtin_ctz(~(u32)_mm256_movemask_pd(first) | 1u << c->ways / 4));
    *gone = set[way];
    set[way] = entry_of(line);
    return way;
}

/* What is asked of a set: a line with its stamp, sectors that it then has, and what is set of a line that is there. */
struct wanted {
    u64 line, added, again;
};

/* take_any, of a set of that many vectors; the line is not in the first. */
WITH_VECTORS static INLINED u64 take_behind(struct cache *c, struct cache_line *set, struct wanted w,
                                            struct cache_line *gone, u32 *way, u32 vectors)
{
    const u32 at = way_in(set, vectors, entry_of(w.line)), last = vectors * VECTOR - 1;
    if (at <= last) {
        const u64 there = entry_at(set + at);
        move_up(set, vectors, at, entry_of(there | w.added | w.again));
        return there & w.added;
    }
    if (w.again) {
        *way = enter_beside_topmost(c, set, w.line | w.added, gone);
        return 0;
    }
    note_new(c, set, last, gone);
    move_up(set, vectors, last, entry_of(w.line | w.added));
    return 0;
}

/* take: of what is added, what was there. What does not change is not written, as the set is soon read by vectors; most lines that are there are
 * in the first of them. */
WITH_VECTORS static INLINED u64 take_any(struct cache *c, struct cache_line *set, struct wanted w,
                                         struct cache_line *gone, u32 *way, u32 vectors)
{
    const u32 at = way_in(set, 1, entry_of(w.line));
    *way = 0;
    if (at < VECTOR) {
        const u64 there = entry_at(set + at), now = there | w.added | w.again;
        if (at)
            move_up(set, 1, at, entry_of(now));
        else if (now != there)
            *set = entry_of(now);
        return there & w.added;
    }
    return vectors == 2 ? take_behind(c, set, w, gone, way, 2) : take_behind(c, set, w, gone, way, 4);
}

WITH_VECTORS static void take_by_vectors(struct cache *c, struct cache_line *set, u64 number, struct cache_line *gone,
                                         u32 *way)
{
    const struct wanted w = {word_of((struct cache_line){.number = number, .held = c->stamp}), 0, again_bit(c)};
    take_any(c, set, w, gone, way, vectors_of(c, set));
}

/* What is the same for lines that are taken together, of a set of 16 ways of which some are kept. */
struct taking {
    u64 held, random, filled;
    u32 begun;
};

/* take_any of such a set where the line is in none of its ways: way_beside_kept, but that nobody is told what leaves. */
WITH_VECTORS static INLINED void enter_among_16(struct taking *t, struct cache_line *set, __m256i first, u64 line)
{
    enum { WAYS = 4 * VECTOR };
    const u64 stamp = word_of((struct cache_line){.held = STAMP_MOST});
    if (LS_LIKELY((entry_at(set + WAYS - 1) & stamp) == t->held)) {
        const u32 kept = (u32)__builtin_ctz(~(u32)_mm256_movemask_pd(_mm256_castsi256_pd(first)) | 1u << WAYS / 4);
        t->random = random_after(t->random);
        set[kept + (u32)((t->random >> 32) * (WAYS - kept) >> 32)] = entry_of(line);
        return;
    }
    u32 way = 0;
    while ((entry_at(set + way) & stamp) == t->held)
        way++;
    t->filled++;
    t->begun += way == 0;
    set[way] = entry_of(line);
}

/* take_any of such a set. */
WITH_VECTORS static INLINED u64 take_among_16(struct taking *t, struct cache_line *set, u64 line, u64 added, u64 again)
{
    const __m256i *at = (const __m256i *)(const void *)set;
    const __m256i tag = _mm256_set1_epi64x((i64)tag_mask()), want = _mm256_set1_epi64x((i64)line);
    const __m256i first = _mm256_loadu_si256(at), same = _mm256_cmpeq_epi64(_mm256_and_si256(first, tag), want);
    u32 way = (u32)_mm256_movemask_pd(_mm256_castsi256_pd(same));
    if (way) {
        way = (u32)__builtin_ctz(way);
        const u64 there = entry_at(set + way), now = there | added | again;
        if (way)
            move_up(set, 1, way, entry_of(now));
        else if (now != there)
            *set = entry_of(now);
        return there & added;
    }
    __m256i behind[3];
    for (u32 k = 0; k < 3; k++)
        behind[k] = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_loadu_si256(at + 1 + k), tag), want);
    const __m256i any = _mm256_or_si256(_mm256_or_si256(behind[0], behind[1]), behind[2]);
    if (LS_LIKELY(_mm256_testz_si256(any, any))) {
        enter_among_16(t, set, first, line | added);
        return 0;
    }
    way = 0;
    for (u32 k = 0; k < 3; k++)
        way |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(behind[k])) << VECTOR * (k + 1);
    way = (u32)__builtin_ctz(way);
    const u64 there = entry_at(set + way);
    move_up(set, 4, way, entry_of(there | added | again));
    return there & added;
}

/* The sets of some lines are fetched before the first of them is looked at. */
WITH_VECTORS static void take_lines_by_vectors(struct cache *c, const u64 *asked, u32 n, u8 *there, u8 *lacking)
{
    enum { TOGETHER = 32, VALID = CACHE_NUMBER_BITS + 16 };
    struct cache_line *const lines = c->lines;
    const u64 again = again_bit(c);
    const bool among_16 = again && c->ways == 4 * VECTOR;
    struct taking t = {word_of((struct cache_line){.held = c->stamp}), c->random, c->filled, c->begun};
    u32 set[TOGETHER];
    for (u32 from = 0; from < n; from += TOGETHER) {
        const u32 some = n - from < TOGETHER ? n - from : TOGETHER;
        cache_sets(set, c, asked + from, some);
        for (u32 k = 0; k < some; k++)
            __builtin_prefetch(lines + set[k], 1);
        for (u32 k = 0; k < some; k++) {
            const u64 word = asked[from + k], line = asked_number(word) | t.held,
                      added = (u64)asked_sectors(word) << VALID;
            struct cache_line gone;
            u32 way;
            const u64 found = among_16 ? take_among_16(&t, lines + set[k], line, added, again)
                                       : take_any(c, lines + set[k], (struct wanted){line, added, again}, &gone, &way,
                                                  c->ways / VECTOR);
            there[from + k] = (u8)(found >> VALID);
            lacking[from + k] = (u8)((added ^ found) >> VALID);
        }
    }
    if (among_16) {
        c->random = t.random;
        c->filled = t.filled;
        c->begun = t.begun;
    }
}
#else
#define take_by_vectors(c, set, number, gone, way) take(c, set, number, 0, gone, way)
#define take_lines_by_vectors take_lines
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
        take(c, set, number, 0, gone, &way);
    return set + way;
}

struct cache_line *cache_take(struct cache *c, u64 number, struct cache_line *gone)
{
    return cache_take_in(c, cache_set(c, number), number, gone);
}

void cache_take_lines(struct cache *c, const u64 *asked, u32 n, u8 *there, u8 *lacking)
{
    if (c->vectors && !(c->policy & CACHE_HASHED)) {
        take_lines_by_vectors(c, asked, n, there, lacking);
    } else if (c->nsets) {
        take_lines(c, asked, n, there, lacking);
    } else {
        for (u32 k = 0; k < n; k++) {
            there[k] = 0;
            lacking[k] = (u8)asked_sectors(asked[k]);
        }
    }
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
