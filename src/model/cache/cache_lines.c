/* cache_lines.c - lines that are taken together (cache.h). What they have in common is done for all of them at once, and a line that is not
 * there costs two comparisons and a number. */
#include <string.h>

#include "base/clones.h"
#include "model/cache/cache_entries.h"
#include "model/cache/cache_sets.h"

enum { TOGETHER = CACHE_SETS_MOST, WAYS = 16, KEPT_MOST = WAYS / 4, VALID = CACHE_NUMBER_BITS + 16 };

/* Of a word of cache_take_lines. */
static inline u64 asked_number(u64 asked) { return asked & ((1ull << CACHE_NUMBER_BITS) - 1); }
static inline u32 asked_sectors(u64 asked) { return (u32)(asked >> CACHE_NUMBER_BITS) & 15; }

static void take_one_by_one(struct cache *c, const u64 *asked, u32 n, u8 *there)
{
    for (u32 k = 0; k < n; k++) {
        struct cache_line gone, *l = cache_take(c, asked_number(asked[k]), &gone);
        there[k] = l ? (u8)(l->valid & asked_sectors(asked[k])) : 0;
        if (l)
            l->valid |= asked_sectors(asked[k]) & 15;
    }
}

/* ---- sets of 16 ways, of which some are kept ---- */

#if defined(__x86_64__)

#define AGAIN (8ull << (VALID + CACHE_SECTORS)) /* again_bit */
_Static_assert((int)CACHE_NUMBER_BITS + 16 + 2 * (int)CACHE_SECTORS == 64, "struct cache_line");

/* The entries of lines that have come, with the sectors that are asked for. */
CLONES static void find_entries(u64 *restrict entry, const u64 *restrict asked, u32 n, u64 held)
{
    for (u32 k = 0; k < n; k++)
        entry[k] = asked_number(asked[k]) | held | (u64)asked_sectors(asked[k]) << VALID;
}

/* Where a line comes to a set that is not full. */
static __attribute__((noinline)) u32 way_of_new(struct cache *c, const struct cache_line *set)
{
    u32 way = 0;
    while (set[way].held == c->stamp)
        way++;
    c->filled++;
    c->begun += way == 0;
    return way;
}

/* The result: which of the sectors that are asked for it had. What does not change is not written; else so many vectors are, all of them where which
 * have to be the host cannot tell beforehand. */
WITH_VECTORS static INLINED u8 ask_again(struct cache_line *set, u32 vectors, u32 way, u64 entry)
{
    const u64 before = entry_at(set + way), now = before | entry | AGAIN;
    if (way)
        entries_move_up(set, vectors, way, now);
    else if (now != before)
        *set = entry_of(now);
    return (u8)((before & entry) >> VALID);
}

/* Of a line that may be there: mostly among the first ones, as those are that were asked for again. False: it is not there. */
WITH_VECTORS static INLINED bool ask_if_there(struct cache_line *set, u64 entry, u8 *there)
{
    const u32 near = entries_find(set, 1, entry);
    if (near < VECTOR) {
        *there = ask_again(set, 1, near, entry);
        return true;
    }
    const u32 way = entries_find(set, WAYS / VECTOR, entry);
    if (way < WAYS)
        *there = ask_again(set, WAYS / VECTOR, way, entry);
    return way < WAYS;
}

static inline bool is_first(const struct cache_line *set, u64 entry) { return !((entry_at(set) ^ entry) & tag_mask()); }

/* Whether some line's number has these lowest 32 bits: few that are not there have, and it is asked without masks. */
WITH_VECTORS static INLINED bool may_be_in(const struct cache_line *set, u64 entry)
{
    const __m256i want = _mm256_set1_epi32((i32)entry), lowest = _mm256_set1_epi64x(UINT32_MAX);
    __m256i same = _mm256_cmpeq_epi32(entries_load(set), want);
    for (u32 i = 1; i < 4; i++)
        same = _mm256_or_si256(same, _mm256_cmpeq_epi32(entries_load(set + VECTOR * i), want));
    return !_mm256_testz_si256(same, lowest);
}

/* In a set that is full. Mostly as many as can be are kept: as the host guesses so, it knows where the line goes before it has read the set, and need not
 * wait to see whether the next set is another one. */
WITH_VECTORS static INLINED void put_beside_kept(struct cache_line *set, u64 entry, u64 random)
{
    const u32 again = (u32)_mm256_movemask_pd(_mm256_castsi256_pd(entries_load(set)));
    if (LS_LIKELY(again == (1u << KEPT_MOST) - 1))
        set[any_behind(random, KEPT_MOST, WAYS)] = entry_of(entry);
    else
        set[any_behind(random, (u32)__builtin_ctz(~again), WAYS)] = entry_of(entry);
}

/* n lines whose sets begin at set[], and of which none is there yet in there[]. `full`: all sets are. */
WITH_VECTORS static INLINED void take_some(struct cache *c, const u32 *set, const u64 *entry, u32 n, u8 *there,
                                           bool full)
{
    struct cache_line *const lines = c->lines;
    u64 random = c->random;
    for (u32 k = 0; k < n; k++) {
        struct cache_line *at = lines + set[k];
        if (!full && is_first(at, entry[k])) {
            there[k] = ask_again(at, 1, 0, entry[k]);
        } else if (may_be_in(at, entry[k]) && ask_if_there(at, entry[k], &there[k])) {
            continue;
        } else if (full || LS_LIKELY(at[WAYS - 1].held == c->stamp)) {
            random = random_after(random);
            put_beside_kept(at, entry[k], random);
        } else {
            at[way_of_new(c, at)] = entry_of(entry[k]);
        }
    }
    c->random = random;
}

WITH_VECTORS static void take_any(struct cache *c, const u32 *set, const u64 *entry, u32 n, u8 *there)
{
    take_some(c, set, entry, n, there, false);
}
WITH_VECTORS static void take_of_full(struct cache *c, const u32 *set, const u64 *entry, u32 n, u8 *there)
{
    take_some(c, set, entry, n, there, true);
}

/* The sets of some lines are fetched before the first of them is looked at. */
static void take_by_vectors(struct cache *c, const u64 *asked, u32 n, u8 *there)
{
    const u64 held = word_of((struct cache_line){.held = c->stamp & STAMP_MOST});
    u64 entry[TOGETHER];
    u32 set[TOGETHER];
    memset(there, 0, n);
    for (u32 from = 0; from < n; from += TOGETHER) {
        const u32 some = n - from < TOGETHER ? n - from : TOGETHER;
        const bool full = c->filled == (u64)c->nsets * WAYS;
        find_entries(entry, asked + from, some, held);
        cache_sets(set, c, asked + from, some);
        for (u32 k = 0; k < some && !full; k++)
            __builtin_prefetch(c->lines + set[k], 1);
        (full ? take_of_full : take_any)(c, set, entry, some, there + from);
    }
}

#else
static void take_by_vectors(struct cache *c, const u64 *asked, u32 n, u8 *there)
{
    take_one_by_one(c, asked, n, there);
}
#endif

/* ---- all of them ---- */

CLONES static void find_lacking(u8 *restrict lacking, const u64 *restrict asked, const u8 *restrict there, u32 n)
{
    for (u32 k = 0; k < n; k++)
        lacking[k] = (u8)(asked_sectors(asked[k]) & ~there[k]);
}

/* Sets of 16 ways of which some are kept, as an SM's L1 has them. */
static bool by_vectors(const struct cache *c)
{
    return c->vectors && c->ways == WAYS && c->policy & CACHE_KEEPS && !(c->policy & CACHE_HASHED);
}

void cache_take_lines(struct cache *c, const u64 *asked, u32 n, u8 *there, u8 *lacking)
{
    if (by_vectors(c))
        take_by_vectors(c, asked, n, there);
    else
        take_one_by_one(c, asked, n, there);
    find_lacking(lacking, asked, there, n);
}
