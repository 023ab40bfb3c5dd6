/* cache.h - the tags of a set-associative cache: lines of four sectors, the least recently used line of a set leaves.
 *
 *     struct cache c;
 *     if (!cache_init(&c, bytes, ways)) ...            no memory
 *     struct cache_line *l = cache_find(&c, number);   number = address / CACHE_LINE
 *     if (!l) l = cache_put(&c, number, &gone);        gone.held: a line had to leave, with these sectors
 *     l->valid |= sectors;
 *     cache_free(&c);
 *
 * A set is an array in order of use, so a hit near its front costs next to nothing. Which set a line belongs to: any
 * run of lines that is as long as there are sets, and starts at a multiple of that, meets every set once; lines that
 * are a power of two apart are spread. It knows nothing of what is read or written, nor of time. */
#ifndef LS_BASE_CACHE_H
#define LS_BASE_CACHE_H

#include "base/base.h"

enum { CACHE_LINE = 128, CACHE_SECTOR = 32, CACHE_SECTORS = CACHE_LINE / CACHE_SECTOR };

struct cache_line {
    u64 number;
    u8 valid, dirty; /* a bit a sector */
    bool held;       /* false: there is no line here */
};

struct cache {
    struct cache_line *lines; /* ways of set 0, of set 1, ...; NULL: holds nothing */
    u32 nsets, ways;
    u32 low_bits, rest; /* nsets = rest << low_bits, rest odd */
};

/* Of so many bytes, rounded down to whole sets; fewer than a line: a cache that never holds anything. */
bool cache_init(struct cache *c, u64 bytes, u32 ways);
void cache_free(struct cache *c);
/* Forgets everything. */
void cache_clear(struct cache *c);
/* The line, now the last used of its set, or NULL when it is not there. Valid until the next call. */
struct cache_line *cache_find(struct cache *c, u64 number);
/* Takes in a line that is not there, without sectors. NULL: the cache holds nothing. */
struct cache_line *cache_put(struct cache *c, u64 number, struct cache_line *gone);

#endif
