/* cache_sets.c - see cache_sets.h. In two loops, as the first then becomes vectors. */
#include "model/cache/cache_sets.h"

#include "base/clones.h"

struct shape {
    u64 bits; /* of a word that say which set */
    u32 low_bits;
    bool mixed;
};

/* Where among 2^low_bits sets, and the number without those bits. */
static inline __attribute__((always_inline)) void low_of(u32 *restrict low, u64 *restrict run, const u64 *restrict word,
                                                         u32 n, struct shape s, bool mixed)
{
    const u32 mask = (1u << s.low_bits) - 1;
    for (u32 k = 0; k < n; k++) {
        const u64 number = word[k] & s.bits, once = (number >> s.low_bits) * CACHE_FACTOR;
        run[k] = number >> s.low_bits;
        low[k] = ((u32)number ^ (u32)((mixed ? cache_mixed(once) : once) >> 32)) & mask;
    }
}

CLONES static void find_low(u32 *restrict low, u64 *restrict run, const u64 *restrict word, u32 n, struct shape s)
{
    if (s.mixed)
        low_of(low, run, word, n, s, true);
    else
        low_of(low, run, word, n, s, false);
}

void cache_sets(u32 *set, const struct cache *c, const u64 *word, u32 n)
{
    const struct cache shape = *c;
    u64 run[CACHE_SETS_MOST];
    find_low(set, run, word, n,
             (struct shape){((1ull << CACHE_NUMBER_BITS) - 1) & ~shape.same_set, shape.low_bits,
                            shape.policy & CACHE_MIXED});
    for (u32 k = 0; k < n; k++) {
        const u32 high = LS_UNLIKELY(run[k] >> 32) ? (u32)(run[k] % shape.rest) : cache_remainder(&shape, (u32)run[k]);
        set[k] = ((high << shape.low_bits) + set[k]) * shape.ways;
    }
}
