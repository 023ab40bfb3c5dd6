/* sectors.h - sectors of lines: masks of four bits, of one line and of many. */
#ifndef LS_MODEL_CACHE_SECTORS_H
#define LS_MODEL_CACHE_SECTORS_H

#include <string.h>

#include "base/base.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Number of sectors. A processor that popcount can be counted on is not what we are built for. */
#define SECTORS_IN 0x4332322132212110ull
static inline u32 sectors_in(u32 sectors) { return SECTORS_IN >> 4 * sectors & 15; }

/* Of eight masks, by the byte: how many each has. */
static inline u64 sectors_of_eight(u64 masks)
{
    const u64 bytes = UINT64_MAX / 255;
    masks -= masks >> 1 & bytes * 0x55;
    return (masks & bytes * 0x33) + (masks >> 2 & bytes * 0x33);
}

/* How many n masks have. */
static inline u32 sectors_of_all(const u8 *mask, u32 n)
{
    const u64 bytes = UINT64_MAX / 255;
    u32 sum = 0, k = 0;
#if defined(__SSE2__)
    __m128i sums = _mm_setzero_si128();
    for (; k + 16 <= n; k += 16) {
        const __m128i masks = _mm_loadu_si128((const __m128i *)(const void *)(mask + k));
        const __m128i pairs = _mm_sub_epi8(masks, _mm_and_si128(_mm_srli_epi16(masks, 1), _mm_set1_epi8(0x55)));
        const __m128i each = _mm_add_epi8(_mm_and_si128(pairs, _mm_set1_epi8(0x33)),
                                          _mm_and_si128(_mm_srli_epi16(pairs, 2), _mm_set1_epi8(0x33)));
        sums = _mm_add_epi64(sums, _mm_sad_epu8(each, _mm_setzero_si128()));
    }
    sum = (u32)(_mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_srli_si128(sums, 8)));
#endif
    for (u64 eight; k + sizeof eight <= n; k += sizeof eight) {
        memcpy(&eight, mask + k, sizeof eight);
        sum += (u32)(sectors_of_eight(eight) * bytes >> 56);
    }
    for (; k < n; k++)
        sum += sectors_in(mask[k]);
    return sum;
}

/* A bit for each of n masks, 64 at most: it has some. */
static inline u64 sectors_there(const u8 *mask, u32 n)
{
    const u64 bytes = UINT64_MAX / 255;
    u64 there = 0;
    u32 k = 0;
#if defined(__SSE2__)
    for (; k + 16 <= n; k += 16) {
        const __m128i masks = _mm_loadu_si128((const __m128i *)(const void *)(mask + k));
        there |= (u64)(u16)~_mm_movemask_epi8(_mm_cmpeq_epi8(masks, _mm_setzero_si128())) << k;
    }
#endif
    for (u64 eight; k + sizeof eight <= n; k += sizeof eight) {
        memcpy(&eight, mask + k, sizeof eight);
        eight = (eight + bytes * 127) >> 7 & bytes;
        there |= (eight * 0x0102040810204080ull >> 56) << k;
    }
    for (; k < n; k++)
        there |= (u64)(mask[k] != 0) << k;
    return there;
}

#endif
