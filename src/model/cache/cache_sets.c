/* cache_sets.c - see cache_sets.h. In one loop of words of 64 bits, as that becomes vectors. */
#include "model/cache/cache_sets.h"

#include "base/clones.h"

/* A number of 31 bits by `rest` is number * factor >> shift: exact, as factor is 2^shift / rest rounded up, which is less than one part in 2^31
 * too much. */
struct shape {
    u64 bits; /* of a word that say which set */
    u64 factor;
    u32 shift;
    u32 low_bits, rest, ways;
};

static struct shape shape_of(const struct cache *c)
{
    const u32 shift = 31 + (c->rest > 1 ? 32 - (u32)__builtin_clz(c->rest - 1) : 0);
    return (struct shape){.bits = ((1ull << CACHE_NUMBER_BITS) - 1) & ~c->same_set,
                          .factor = ((1ull << shift) + c->rest - 1) / c->rest,
                          .shift = shift,
                          .low_bits = c->low_bits,
                          .rest = c->rest,
                          .ways = c->ways};
}

/* The result: bits of all numbers without those that say which of 2^low_bits sets. Where there are some above the 31st, the sets are not found. */
static inline __attribute__((always_inline)) u64 find(u32 *restrict set, const u64 *restrict word, u32 n,
                                                      struct shape s, bool mixed)
{
    const u64 mask = (1u << s.low_bits) - 1;
    u64 all = 0;
    for (u32 k = 0; k < n; k++) {
        const u64 number = word[k] & s.bits, run = number >> s.low_bits, once = run * CACHE_FACTOR;
        const u64 low = (number ^ (mixed ? cache_mixed(once) : once) >> 32) & mask;
        const u64 high = run - ((u64)(u32)run * (u32)s.factor >> s.shift) * s.rest;
        set[k] = (u32)(((high << s.low_bits) + low) * s.ways);
        all |= run;
    }
    return all;
}

CLONES static u64 find_sets(u32 *restrict set, const u64 *restrict word, u32 n, struct shape s)
{
    return find(set, word, n, s, false);
}

CLONES static u64 find_mixed(u32 *restrict set, const u64 *restrict word, u32 n, struct shape s)
{
    return find(set, word, n, s, true);
}

void cache_sets(u32 *set, const struct cache *c, const u64 *word, u32 n)
{
    const u64 all = (c->policy & CACHE_MIXED ? find_mixed : find_sets)(set, word, n, shape_of(c));
    for (u32 k = 0; LS_UNLIKELY(all >> 31) && k < n; k++)
        set[k] = (u32)cache_set_of(c, word[k] & ((1ull << CACHE_NUMBER_BITS) - 1));
}
