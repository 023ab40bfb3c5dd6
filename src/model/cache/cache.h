/* cache.h - the tags of a set-associative cache: lines of four sectors; the least recently used line of a set leaves, or,
 * where the policy says so, any but those that were asked for again.
 *
 *     struct cache c;
 *     if (!cache_init(&c, bytes, ways)) ...                   no memory
 *     struct cache_line *l = cache_take(&c, number, &gone);   number = address / CACHE_LINE
 *     l->valid |= sectors;                                    gone.held: a line had to leave, with these sectors
 *     cache_free(&c);
 *
 * A set is an array in order of use (with CACHE_KEEPS, of hits), so a hit near its front costs next to nothing. Which set a line belongs to: any
 * run of lines that is as long as there are sets, and starts at a multiple of that, meets every set once; lines that
 * are a power of two apart are spread, and with CACHE_MIXED as if at random. With CACHE_HASHED each line goes where a
 * hash says, so that sets fill unevenly. It knows nothing of what is read or written, nor of time.
 *
 * Emptying a cache takes no time, however large it is: each entry holds the stamp that the cache had when the entry was
 * made, and entries with another stamp count as absent. In a set, present entries stand in front of absent ones. */
#ifndef LS_MODEL_CACHE_H
#define LS_MODEL_CACHE_H

#include "base/base.h"

enum { CACHE_LINE = 128, CACHE_SECTOR = 32, CACHE_SECTORS = CACHE_LINE / CACHE_SECTOR, CACHE_NUMBER_BITS = 40 };

/* Numbers from that on are of no memory: an owner may have them stand for lines of others. */
#define CACHE_NOBODYS ((1ull << CACHE_NUMBER_BITS) - 64)

/* Eight bytes: a set of 16 is two lines of the host's cache. */
struct cache_line {
    u64 number : CACHE_NUMBER_BITS;
    u64 held : 16;            /* 0: empty; else the cache's stamp */
    u64 valid : 4, dirty : 4; /* a bit a sector */
};

/* Bits; 0 for runs that are spread evenly, and the least recently used line leaves. */
enum cache_policy {
    CACHE_HASHED = 1,
    /* Of the lines that were asked for again, a set keeps a quarter of its ways, the last ones. When it is full, any of the others leaves: the same
     * ones in each run. Its owner has no dirty lines. */
    CACHE_KEEPS = 2,
    CACHE_MIXED = 4,
};

struct cache {
    struct cache_line *lines; /* ways of set 0, of set 1, ...; at a multiple of a line of the host's cache */
    void *memory;             /* where they are */
    u64 room;                 /* lines allocated */
    u32 nsets, ways;          /* no sets: holds nothing */
    u32 low_bits, rest;       /* nsets = rest << low_bits, rest odd */
    u64 inverse;              /* 2^64 / rest, rounded up */
    u32 stamp;                /* of what is held, from 1 on */
    bool vectors;             /* sets are looked up by the processor's, else way by way */
    u32 policy;               /* set by its owner after the shape */
    u64 random;               /* state of CACHE_KEEPS; begins anew when the cache is emptied */
    u32 begun;                /* sets that have had a line since then */
    u64 filled;               /* lines that have come since then and for which none had to leave */
    u64 same_set;             /* bits of a number that do not say which set; set by its owner after the shape */
};

/* A cache of that many bytes, rounded down to whole sets. With less than a line it never holds anything. */
bool cache_init(struct cache *c, u64 bytes, u32 ways);
/* The same for a cache that is in use, or all zero: empties it and keeps its memory. */
bool cache_shape(struct cache *c, u64 bytes, u32 ways);
void cache_free(struct cache *c);
/* A cache that is all zero has the caller's memory, all zero too, for at most so many lines: it must not be freed. */
void cache_lend(struct cache *c, struct cache_line *lines, u64 room);
/* Forgets everything. */
void cache_clear(struct cache *c);
/* The line, or NULL when it is not there; valid until the next call. The order of use stays as it is; *rank: how many lines of its set were used since. */
struct cache_line *cache_peek(struct cache *c, u64 number, u32 *rank);
/* The line, now the last used of its set; one that is absent is entered, without sectors. NULL: the cache has no room for any line. */
struct cache_line *cache_take(struct cache *c, u64 number, struct cache_line *gone);
/* The same for n lines in turn: a word has a line's number, and in the four bits behind it the sectors that the line then has, whatever
 * stands above them. Of these, there[k]: which line k had before, lacking[k]: which it had not. Whose lines leave is not told. */
void cache_take_lines(struct cache *c, const u64 *asked, u32 n, u8 *there, u8 *lacking);
/* run % rest without a division: exact for what has 32 bits each (Lemire, Kaser, Kurz, "Faster remainder by direct computation",
 * 2019). */
static inline u32 cache_remainder(const struct cache *c, u32 run)
{
    return (u32)((unsigned __int128)(c->inverse * run) * c->rest >> 64);
}

#define CACHE_FACTOR 0x9e3779b97f4a7c15ull
#define CACHE_MIX 0xbf58476d1ce4e5b9ull

static inline u64 cache_mixed(u64 once) { return (once ^ once >> 29) * CACHE_MIX; }

/* The lines number / 2^low_bits have in common are spread over all low sets, shifted by a hash of that quotient. */
static inline size_t cache_set_of(const struct cache *c, u64 number)
{
    if (c->policy & CACHE_HASHED) {
        return (size_t)((cache_mixed(number * CACHE_FACTOR) >> 32) * c->nsets >> 32) * c->ways;
    }
    number &= ~c->same_set;
    const u64 run = number >> c->low_bits;
    const u32 mask = (1u << c->low_bits) - 1;
    const u64 once = run * CACHE_FACTOR;
    const u32 shift = (u32)((c->policy & CACHE_MIXED ? cache_mixed(once) : once) >> 32);
    const u32 low = ((u32)number ^ shift) & mask;
    const u32 high = c->rest == 1 ? 0 : run >> 32 ? (u32)(run % c->rest) : cache_remainder(c, (u32)run);
    return (size_t)((high << c->low_bits) + low) * c->ways;
}
/* Where in c->lines the line's set begins; caches of one shape, policy and same_set have it in the same place. Who knows it before takes or peeks
 * in it, so it can be prefetched. */
static inline size_t cache_set(const struct cache *c, u64 number) { return c->nsets ? cache_set_of(c, number) : 0; }
/* Sets have so many lines by now that what is behind their first ways is looked at. */
static inline bool cache_is_deep(const struct cache *c)
{
    enum { HOST_LINE = 64 / sizeof *c->lines };
    return c->ways > HOST_LINE && c->filled > (u64)HOST_LINE / 2 * c->begun;
}
/* A set is soon looked at. (GCC takes a function that only fetches for one that does nothing, and leaves out its calls: so there is none.) */
static inline __attribute__((always_inline)) void cache_fetch(const struct cache_line *set, bool deep)
{
    __builtin_prefetch(set, 1);
    if (deep)
        __builtin_prefetch(set + 64 / sizeof *set, 1);
}
struct cache_line *cache_take_in(struct cache *c, size_t set, u64 number, struct cache_line *gone);
struct cache_line *cache_peek_in(struct cache *c, size_t set, u64 number, u32 *rank);

#endif
