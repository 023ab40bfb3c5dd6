/* cache_sets.c - see cache_sets.h. In several loops, as those become vectors. */
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

/* run % rest, of numbers that an i32 has: the quotient by a double is off by one at most. */
CLONES static void find_high(u32 *restrict high, const u64 *restrict run, u32 n, u32 rest)
{
    const double inverse = 1.0 / rest;
    for (u32 k = 0; k < n; k++) {
        const i32 is = (i32)run[k], quotient = (i32)(is * inverse), below = is - quotient * (i32)rest;
        const i32 up = below < 0 ? below + (i32)rest : below;
        high[k] = (u32)(up >= (i32)rest ? up - (i32)rest : up);
    }
}

CLONES static u64 bits_in(const u64 *restrict run, u32 n)
{
    u64 all = 0;
    for (u32 k = 0; k < n; k++)
        all |= run[k];
    return all;
}

CLONES static void put_together(u32 *restrict set, const u32 *restrict high, u32 n, u32 low_bits, u32 ways)
{
    for (u32 k = 0; k < n; k++)
        set[k] = ((high[k] << low_bits) + set[k]) * ways;
}

void cache_sets(u32 *set, const struct cache *c, const u64 *word, u32 n)
{
    const struct shape shape = {((1ull << CACHE_NUMBER_BITS) - 1) & ~c->same_set, c->low_bits, c->policy & CACHE_MIXED};
    u64 run[CACHE_SETS_MOST];
    u32 high[CACHE_SETS_MOST];
    find_low(set, run, word, n, shape);
    if (LS_LIKELY(!(bits_in(run, n) >> 31)))
        find_high(high, run, n, c->rest);
    else
        for (u32 k = 0; k < n; k++)
            high[k] = (u32)(run[k] % c->rest);
    put_together(set, high, n, c->low_bits, c->ways);
}
