/* sample.c - see sample.h. */
#include "model/cache/sample.h"

#include <math.h>

#include "model/cache/cache_entries.h"

static u64 kept_one_by_one(const u64 *request, u32 from, u32 n, u32 one_in)
{
    u64 all = 0;
    for (u32 k = from; k < n; k++)
        all |= (u64)sample_keeps(request_number(request[k]), one_in) << k;
    return all;
}

#if defined(__x86_64__)
/* sample_hash. */
WITH_VECTORS static inline __m256i hash_of(__m256i of)
{
    const __m256i h =
        _mm256_mullo_epi32(_mm256_xor_si256(of, _mm256_srli_epi32(of, 16)), _mm256_set1_epi32((int)0x9e3779b1u));
    return _mm256_mullo_epi32(_mm256_xor_si256(h, _mm256_srli_epi32(h, 15)), _mm256_set1_epi32((int)0x85ebca6bu));
}

/* The lowest halves of eight words, in the order 0, 1, 4, 5, 2, 3, 6, 7. */
WITH_VECTORS static inline __m256i lowest_of(__m256i four, __m256i next)
{
    return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(four), _mm256_castsi256_ps(next), 0x88));
}

/* Of eight requests what is above so many bits of their numbers, 32 bits of it, in that order. */
WITH_VECTORS static inline __m256i above(__m256i four, __m256i next, int bits)
{
    return lowest_of(_mm256_srli_epi64(four, bits), _mm256_srli_epi64(next, bits));
}

/* sample_keeps of eight requests, a bit each. Of a number, a pair lacks the bit SAMPLE_WHICH. */
WITH_VECTORS static INLINED u32 kept_of_eight(const u64 *request, u32 one_in)
{
    const __m256i four = _mm256_loadu_si256((const __m256i *)(const void *)request),
                  next = _mm256_loadu_si256((const __m256i *)(const void *)(request + 4));
    const __m256i number = lowest_of(four, next), low = _mm256_set1_epi32(3);
    const __m256i pair =
        _mm256_or_si256(_mm256_andnot_si256(low, _mm256_srli_epi32(number, 1)), _mm256_and_si256(low, number));
    __m256i wanted = _mm256_srli_epi32(hash_of(above(four, next, SAMPLE_NEAR_BITS + 1)), 32 - SAMPLE_NEAR_BITS);
    if (one_in > 1u << SAMPLE_NEAR_BITS) {
        const __m256i of_far = _mm256_and_si256(above(four, next, SAMPLE_BITS + 1),
                                                _mm256_set1_epi32((1 << (REQUEST_NUMBER_BITS - SAMPLE_BITS - 1)) - 1));
        const __m256i far = _mm256_srli_epi32(hash_of(of_far), 32 - SAMPLE_BITS);
        wanted = _mm256_or_si256(wanted, _mm256_andnot_si256(_mm256_set1_epi32((1 << SAMPLE_NEAR_BITS) - 1), far));
    }
    const __m256i differs = _mm256_and_si256(_mm256_xor_si256(pair, wanted), _mm256_set1_epi32((int)one_in - 1));
    const __m256i keeps = _mm256_permute4x64_epi64(_mm256_cmpeq_epi32(differs, _mm256_setzero_si256()), 0xd8);
    return (u32)_mm256_movemask_ps(_mm256_castsi256_ps(keeps));
}

WITH_VECTORS static u64 kept_by_vectors(const u64 *request, u32 n, u32 one_in)
{
    u64 all = 0;
    u32 k = 0;
    for (; k + 8 <= n; k += 8)
        all |= (u64)kept_of_eight(request + k, one_in) << k;
    return all | kept_one_by_one(request, k, n, one_in);
}

u64 sample_kept(const u64 *request, u32 n, u32 one_in)
{
    return has_vectors() ? kept_by_vectors(request, n, one_in) : kept_one_by_one(request, 0, n, one_in);
}
#else
u64 sample_kept(const u64 *request, u32 n, u32 one_in) { return kept_one_by_one(request, 0, n, one_in); }
#endif

u64 sample_line(u64 among, u32 one_in)
{
    const u32 bits = (u32)__builtin_ctz(one_in);
    u64 pair = among >> 1 << bits;
    if (one_in == 1)
        return among;
    if (bits > SAMPLE_NEAR_BITS)
        pair |= sample_far(pair) & (one_in - 1);
    pair |= sample_near(pair) & (one_in - 1);
    return (pair & ~3ull) << 1 | (among & 1) << SAMPLE_WHICH | (pair & 3);
}

u32 sample_most(u64 lines)
{
    enum { LEAST = 112 }; /* seven sets of 16 */
    u32 one_in = 1;
    while (one_in < 1u << SAMPLE_NEAR_BITS && lines % (2 * one_in) == 0 && lines / (2 * one_in) >= LEAST)
        one_in *= 2;
    return one_in;
}

_Static_assert(TRAFFIC_l1_gld_hits == 0 && TRAFFIC_l2_reads == TRAFFIC_l1_served + 1 &&
                   TRAFFIC_host_bytes == TRAFFIC_COUNT - 1,
               "L1's counts stand before those of L2 and what is behind it");

/* Of all lines: what a fence or the end asks for. */
static void scale(u64 *n, u32 from, u32 to, double by)
{
    for (u32 e = from; e < to; e++)
        n[e] = e == TRAFFIC_l2_settles ? n[e] : (u64)((double)n[e] * by + 0.5);
}

/* Atomics are counted whether or not their line is looked up (l2_input.h), so they have a scale of their own. */
static void scale_l2(u64 n[TRAFFIC_COUNT], double by, double sent)
{
    static const u8 atomics[] = {TRAFFIC_l2_atoms, TRAFFIC_l2_reds, TRAFFIC_l2_far_atoms, TRAFFIC_l2_far_reds};
    u64 counted[4];
    for (u32 k = 0; k < 4; k++)
        counted[k] = n[atomics[k]];
    const double all = (double)(counted[0] + counted[1]);
    const bool alone = all > 0 && !n[TRAFFIC_l2_reads] && !n[TRAFFIC_l2_writes];
    scale(n, TRAFFIC_l2_reads, TRAFFIC_COUNT, by);
    for (u32 k = 0; k < 4; k++)
        n[atomics[k]] = alone ? (u64)((double)counted[k] * sent / all + 0.5) : counted[k];
}

/* Few lines that are asked for all the time make most of what was looked up more or less than it stands for, and they do not miss. So what is read from DRAM
 * has as much of the scale as misses are of what is read; the rest of it are hits. */
static void find_misses(u64 n[TRAFFIC_COUNT], double by)
{
    const double reads = (double)n[TRAFFIC_l2_reads], near = (double)n[TRAFFIC_l2_read_hits],
                 far = (double)n[TRAFFIC_l2_far_hits], dram = (double)n[TRAFFIC_dram_reads];
    const double hits = near + far, misses = reads - hits;
    if (n[TRAFFIC_l2_writes] + n[TRAFFIC_l2_atoms] + n[TRAFFIC_l2_reds] + n[TRAFFIC_host_reads] || hits <= 0 ||
        misses <= 0)
        return;
    const double share = (1 + (by - 1) * misses / reads) / by, found = misses * (1 - share);
    n[TRAFFIC_dram_reads] = (u64)(dram * share + 0.5);
    n[TRAFFIC_l2_read_hits] = (u64)fmax(0, near + found * near / hits + 0.5);
    n[TRAFFIC_l2_far_hits] = (u64)fmax(0, far + found * far / hits + 0.5);
}

/* None of its lines was looked up: they are few, and what is asked for so often L2 has. */
static void guess(u64 n[TRAFFIC_COUNT], u64 sent)
{
    if (n[TRAFFIC_l2_atoms] + n[TRAFFIC_l2_reds])
        return;
    if (n[TRAFFIC_l1_gst_hits] + n[TRAFFIC_l1_gst_misses]) {
        n[TRAFFIC_l2_writes] += sent;
    } else {
        n[TRAFFIC_l2_reads] += sent;
        n[TRAFFIC_l2_read_hits] += sent;
    }
}

/* Bulk copies go round L1: of what has no sectors there, all goes on. */
void sample_scale(u64 n[TRAFFIC_COUNT], const struct traffic_drawn *d)
{
    double in_l1 = 0;
    if (!d->beyond && !d->sent)
        return;
    for (u32 e = TRAFFIC_l1_gld_hits; e <= TRAFFIC_l1_other_misses; e++)
        in_l1 += (double)n[e];
    const double beyond = (double)d->beyond, of_all = in_l1 > 0 ? fmax(0, 1 + beyond / in_l1) : 1;
    const double sent = in_l1 > 0 ? of_all * (double)d->sent : fmax(0, (double)d->sent + beyond);
    scale(n, TRAFFIC_l1_gld_hits, TRAFFIC_l2_reads, of_all);
    scale_l2(n, d->looked_up ? sent / (double)d->looked_up : 1, sent);
    if (d->looked_up)
        find_misses(n, sent / (double)d->looked_up);
    else
        guess(n, (u64)sent);
}
