/* cache_sets.c - see cache_sets.h. By vectors of four where the processor has them. */
#include "model/cache/cache_sets.h"

#include "model/cache/cache_entries.h"

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

/* Set k. The result: the number's bits without those that say which of 2^low_bits sets. Where there are some above the 31st, it is not the set. */
static inline u64 find_one(u32 *set, u64 word, const struct shape *s, bool mixed)
{
    const u64 number = word & s->bits, run = number >> s->low_bits, once = run * CACHE_FACTOR;
    const u64 low = (number ^ (mixed ? cache_mixed(once) : once) >> 32) & ((1u << s->low_bits) - 1);
    const u64 high = run - ((u64)(u32)run * (u32)s->factor >> s->shift) * s->rest;
    *set = (u32)(((high << s->low_bits) + low) * s->ways);
    return run;
}

#if defined(__x86_64__)
/* Bits from the 32nd on of run, which has 31, times what is given in halves; of four. */
WITH_VECTORS static INLINED __m256i times_high(__m256i run, __m256i low, __m256i high)
{
    return _mm256_add_epi64(_mm256_srli_epi64(_mm256_mul_epu32(run, low), 32), _mm256_mul_epu32(run, high));
}

/* The same of x, which has 64. */
WITH_VECTORS static INLINED __m256i times_high_of(__m256i x, __m256i low, __m256i high)
{
    return _mm256_add_epi64(times_high(x, low, high), _mm256_mul_epu32(_mm256_srli_epi64(x, 32), low));
}

WITH_VECTORS static INLINED __m256i shift_of(__m256i run, bool mixed)
{
    const __m256i low = _mm256_set1_epi64x((u32)CACHE_FACTOR), high = _mm256_set1_epi64x(CACHE_FACTOR >> 32);
    if (!mixed)
        return times_high(run, low, high);
    const __m256i once =
        _mm256_add_epi64(_mm256_mul_epu32(run, low), _mm256_slli_epi64(_mm256_mul_epu32(run, high), 32));
    return times_high_of(_mm256_xor_si256(once, _mm256_srli_epi64(once, 29)), _mm256_set1_epi64x((u32)CACHE_MIX),
                         _mm256_set1_epi64x(CACHE_MIX >> 32));
}

/* find_one of n words, a multiple of four. */
WITH_VECTORS static INLINED u64 find_four(u32 *set, const u64 *word, u32 n, const struct shape *s, bool mixed)
{
    const __m128i by = _mm_cvtsi32_si128((int)s->low_bits), shift = _mm_cvtsi32_si128((int)s->shift);
    const __m256i bits = _mm256_set1_epi64x((i64)s->bits), mask = _mm256_set1_epi64x((1u << s->low_bits) - 1),
                  factor = _mm256_set1_epi64x((i64)s->factor), rest = _mm256_set1_epi64x(s->rest),
                  ways = _mm256_set1_epi64x(s->ways), lowest = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    __m256i all = _mm256_setzero_si256();
    for (u32 k = 0; k < n; k += 4) {
        const __m256i number = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)(word + k)), bits);
        const __m256i run = _mm256_srl_epi64(number, by);
        const __m256i low = _mm256_and_si256(_mm256_xor_si256(number, shift_of(run, mixed)), mask);
        const __m256i times = _mm256_srl_epi64(_mm256_mul_epu32(run, factor), shift);
        const __m256i high = _mm256_sub_epi64(run, _mm256_mul_epu32(times, rest));
        const __m256i sets = _mm256_mul_epu32(_mm256_add_epi64(_mm256_sll_epi64(high, by), low), ways);
        all = _mm256_or_si256(all, run);
        _mm_storeu_si128((__m128i *)(void *)(set + k),
                         _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(sets, lowest)));
    }
    const __m128i both = _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    return (u64)_mm_cvtsi128_si64(both) | (u64)_mm_extract_epi64(both, 1);
}

WITH_VECTORS static u64 find_by_vectors(u32 *set, const u64 *word, u32 n, const struct shape *s, bool mixed)
{
    return mixed ? find_four(set, word, n, s, true) : find_four(set, word, n, s, false);
}
#else
#define find_by_vectors(set, word, n, s, mixed) ((void)(set), (void)(word), (void)(n), (void)(s), (void)(mixed), 0)
#endif

void cache_sets(u32 *set, const struct cache *c, const u64 *word, u32 n)
{
    const struct shape s = shape_of(c);
    const bool mixed = c->policy & CACHE_MIXED;
    const u32 some = c->vectors ? n & ~3u : 0;
    u64 all = some ? find_by_vectors(set, word, some, &s, mixed) : 0;
    for (u32 k = some; k < n; k++)
        all |= find_one(&set[k], word[k], &s, mixed);
    for (u32 k = 0; LS_UNLIKELY(all >> 31) && k < n; k++)
        set[k] = (u32)cache_set_of(c, word[k] & ((1ull << CACHE_NUMBER_BITS) - 1));
}
