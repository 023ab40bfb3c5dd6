/* sectors.c - the blocks that up to 32 lanes touch, counted. Most accesses walk upwards, so a block is compared with the one
 * before first; only what is out of order goes into a small hash set. */
#include "meter/sectors.h"

#include <string.h>

#include "base/mutate.h"

/* Slots of the set, powers of two: two blocks a lane at most, or eight words of local memory. */
enum { SMALL_BITS = 7, LARGE_BITS = 9 };

struct block_set {
    u64 slot[1 << LARGE_BITS]; /* 1 + block; only the first 2^bits are in use */
    u32 bits, n;
};

static void clear(struct block_set *s, u32 bits)
{
    s->bits = bits;
    s->n = 0;
    memset(s->slot, 0, sizeof(u64) << bits);
}

static void insert(struct block_set *s, u64 block)
{
    u32 at = (u32)((block * 0x9e3779b97f4a7c15ull) >> (64 - s->bits));
    while (s->slot[at]) {
        if (s->slot[at] == block + 1)
            return;
        at = (at + 1) & ((1u << s->bits) - 1);
    }
    s->slot[at] = block + 1;
    s->n++;
}

/* Distinct blocks of any lanes, through the set. block_bytes is a power of two, at least half of bytes. */
static u32 count_any(const u64 *at, u32 mask, u32 bytes, u32 block_bytes)
{
    const u32 shift = (u32)__builtin_ctz(block_bytes);
    struct block_set s;
    clear(&s, SMALL_BITS);
    for (; mask; mask &= mask - 1) {
        const u64 a = at[__builtin_ctz(mask)], last = (a + bytes - 1) >> shift;
        for (u64 b = a >> shift; b <= last; b++)
            insert(&s, b);
    }
    return s.n;
}

/* The same as long as no lane starts in a block before the last one's; false when one does. */
static bool count_upwards(const u64 *at, u32 mask, u32 bytes, u32 block_bytes, u32 *n)
{
    const u32 shift = (u32)__builtin_ctz(block_bytes);
    u64 next = 0; /* blocks below it are counted */
    *n = 0;
    for (; mask; mask &= mask - 1) {
        const u64 a = at[__builtin_ctz(mask)], first = a >> shift, end = ((a + bytes - 1) >> shift) + 1;
        if (*n && first + 1 < next)
            return false;
        if (end > next || !*n) {
            *n += (u32)(end - (first < next && *n ? next : first));
            next = end;
        }
    }
    return true;
}

u32 sectors_count(const u64 *at, u32 mask, u32 bytes)
{
    const u32 block = MUTANT(20, SECTOR_BYTES, 64), len = MUTANT(21, bytes, 1);
    u32 n;
    return count_upwards(at, mask, len, block, &n) ? n : MUTANT(22, count_any(at, mask, len, block), n);
}

u32 sectors_local(const u64 *at, u32 mask, u32 bytes)
{
    struct block_set s;
    clear(&s, LARGE_BITS);
    for (; mask; mask &= mask - 1) {
        const u32 lane = (u32)__builtin_ctz(mask);
        for (u64 k = at[lane] / 4; k <= (at[lane] + bytes - 1) / 4; k++)
            insert(&s, MUTANT(23, (32 * k + lane) * 4, (lane * 1024 + k) * 4) / SECTOR_BYTES);
    }
    return s.n;
}

u32 sectors_words(const u64 *at, u32 mask, u32 bytes)
{
    u32 n;
    return count_upwards(at, mask, 1, bytes, &n) ? n : count_any(at, mask, 1, bytes);
}

/* For each piece of memory that is wanted, as often as the most lanes want the same element of it. */
static u32 count_turns(const u64 *at, u32 mask, u32 bytes, u32 piece)
{
    u32 total = 0, left = mask;
    while (left) {
        const u64 here = at[__builtin_ctz(left)] / piece;
        u32 same = 0, most = 0;
        for (u32 m = left; m; m &= m - 1)
            if (at[__builtin_ctz(m)] / piece == here)
                same |= 1u << __builtin_ctz(m);
        for (u32 m = same; m; m &= m - 1) {
            u32 n = 0;
            for (u32 k = same; k; k &= k - 1)
                n += at[__builtin_ctz(k)] / bytes == at[__builtin_ctz(m)] / bytes;
            most = n > most ? n : most;
        }
        total += most;
        left &= ~same;
    }
    return total;
}

u32 sectors_red(const u64 *at, u32 mask, u32 bytes) { return count_turns(at, mask, bytes, SECTOR_BYTES); }
u32 lines_red(const u64 *at, u32 mask, u32 bytes) { return count_turns(at, mask, bytes, LINE_BYTES); }
