/* sectors.c - the blocks that up to 32 lanes touch, counted: of aligned elements all lanes at once. Else most accesses walk
 * upwards, so a block is compared with the one before first; only what is out of order goes into a small hash set. */
#include "meter/access/sectors.h"

#include <string.h>

#include "base/clones.h"
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

/* ---- all lanes at once ---- */

/* Vectors then stay in registers. */
#define UNROLLED _Pragma("GCC unroll 32")

enum { NEAR_BITS = 31 };
#define NOBODY (1u << NEAR_BITS) /* what stands for a lane that is not active */

/* The low bits of the addresses; false: they are not all within the same 2^31 bytes. */
static inline __attribute__((always_inline)) bool near_keys(const u64 *restrict at, u32 mask, u32 *restrict key)
{
    const u64 first = at[__builtin_ctz(mask)];
    u64 off = 0;
    for (u32 i = 0; i < 32; i++) {
        const u32 active = -(mask >> i & 1);
        off |= (at[i] ^ first) & (u64)(i64)(i32)active;
        key[i] = ((u32)at[i] & (NOBODY - 1) & active) | (NOBODY & ~active);
    }
    return !MUTANT(27, off >> NEAR_BITS, 0);
}

/* The exclusive or of two addresses is 0 where they are the same, and below 2^k where they lie in the same 2^k bytes. So
 * its least value over all lanes in front says of a lane whether it is the first at its address, in its sector, in its
 * line. Nobody stands in front of the first lane, too: of those that are not active none is a first one. */
CLONES static bool near_lanes(const u64 *restrict at, u32 mask, struct distinct *restrict n)
{
    u32 key[64] __attribute__((aligned(64))), least[32] __attribute__((aligned(64)));
    if (!near_keys(at, mask, key + 32))
        return false;
    for (u32 i = 0; i < 32; i++) {
        key[i] = NOBODY;
        least[i] = UINT32_MAX;
    }
    UNROLLED for (u32 k = 1; k <= 32; k++) for (u32 i = 0; i < 32; i++)
    {
        const u32 x = key[32 + i] ^ key[32 + i - k];
        least[i] = x < least[i] ? x : least[i];
    }
    *n = (struct distinct){0};
    for (u32 i = 0; i < 32; i++) {
        n->low |= key[32 + i];
        n->first |= (u32)(least[i] != 0) << i;
        n->elements += MUTANT(24, least[i] != 0, true);
        n->sectors += least[i] >= MUTANT(25, SECTOR_BYTES, 64);
        n->first_lines |= (u32)(least[i] >= LINE_BYTES) << i;
        n->lines += least[i] >= MUTANT(28, LINE_BYTES, 64);
    }
    return true;
}

bool sectors_near(const u64 *at, u32 mask, struct distinct *n) { return mask && near_lanes(at, mask, n); }

bool sectors_aligned(const struct distinct *n, u32 bytes) { return !(n->low & MUTANT(26, bytes - 1, 0)); }

struct distinct sectors_distinct(const u64 *at, u32 mask, u32 bytes)
{
    struct distinct n;
    if (sectors_near(at, mask, &n) && sectors_aligned(&n, bytes))
        return n;
    return (struct distinct){.elements = sectors_words(at, mask, bytes), .sectors = sectors_count(at, mask, bytes)};
}

/* ---- one by one ---- */

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

/* The lanes whose key is that one but for the bits below 2^k = piece. */
static inline __attribute__((always_inline)) u32 lanes_in(const u32 *key, u32 here, u32 piece)
{
    u32 lanes = 0;
    for (u32 i = 0; i < 32; i++)
        lanes |= (u32)((key[i] ^ here) < piece) << i;
    return lanes;
}

/* The same of aligned elements; first: the lanes that are the first of theirs. */
CLONES static u32 near_turns(const u64 *at, u32 mask, u32 first, u32 piece)
{
    u32 key[32] __attribute__((aligned(64))), total = 0;
    near_keys(at, mask, key);
    for (u32 left = first; left;) {
        const u32 firsts = lanes_in(key, key[__builtin_ctz(left)], piece) & left;
        u32 most = 1;
        for (u32 m = firsts; m; m &= m - 1) {
            const u32 n = (u32)__builtin_popcount(lanes_in(key, key[__builtin_ctz(m)], 1));
            most = n > most ? n : most;
        }
        total += MUTANT(29, most, 1);
        left &= ~firsts;
    }
    return total;
}

static u32 turns(const u64 *at, u32 mask, u32 bytes, u32 piece)
{
    struct distinct n;
    if (!sectors_near(at, mask, &n) || !sectors_aligned(&n, bytes))
        return count_turns(at, mask, bytes, piece);
    if (n.first == mask)
        return piece == SECTOR_BYTES ? n.sectors : n.lines;
    return near_turns(at, mask, n.first, piece);
}

u32 sectors_red(const u64 *at, u32 mask, u32 bytes) { return turns(at, mask, bytes, SECTOR_BYTES); }
u32 lines_red(const u64 *at, u32 mask, u32 bytes) { return turns(at, mask, bytes, LINE_BYTES); }
