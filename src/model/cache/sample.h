/* sample.h - of a long launch some lines stand for all: one in 2, 4, 8 ... (traffic.h has the rules).
 *
 * Which lines those are, a line's number says. Of each run of `one_in` lines of a half of L2 (an aligned one; a power of two, 2^10 at most)
 * exactly one is kept, and which one a hash of what they have in common says. So what is contiguous is kept evenly, and of what lies a power of two
 * apart some is kept, too. Whoever is kept at one in 2n is kept at one in n.
 *
 *     number            ..9 8 7 6 5 4 3 2 1 0      512 bytes of one half of L2 beside 512 of the other: bit 2 says which
 *     pair              ..9 8 7 6 5 4 3   1 0      without it; the lowest bits must be as the hash wants them
 *     number if kept    ..9 8 7 6 5 4 3       2    at one in 4: those bits say nothing, and are left out
 *
 * Numbered so, the lines that are kept fill a cache of one in so many lines as all fill all of it. */
#ifndef LS_MODEL_CACHE_SAMPLE_H
#define LS_MODEL_CACHE_SAMPLE_H

#include "model/cache/cache.h"
#include "model/cache/traffic.h"

enum { SAMPLE_NEAR_BITS = 4, SAMPLE_BITS = 10, SAMPLE_MOST = 1 << SAMPLE_BITS, SAMPLE_WHICH = 2 };

static inline u64 sample_pair(u64 number) { return (number >> 1 & ~3ull) | (number & 3); }

/* What the lowest bits of a pair must be: four of them by a hash of those above, the others by one of what is above all. (Of 32 bits, for vectors.) */
static inline u32 sample_hash(u32 of)
{
    const u32 h = (of ^ of >> 16) * 0x9e3779b1u;
    return (h ^ h >> 15) * 0x85ebca6bu;
}
static inline u32 sample_near(u64 pair)
{
    return sample_hash((u32)(pair >> SAMPLE_NEAR_BITS)) >> (32 - SAMPLE_NEAR_BITS);
}
static inline u32 sample_far(u64 pair)
{
    return sample_hash((u32)(pair >> SAMPLE_BITS)) >> (32 - SAMPLE_BITS) & ~((1u << SAMPLE_NEAR_BITS) - 1);
}

static inline bool sample_keeps(u64 number, u32 one_in)
{
    const u64 pair = sample_pair(number);
    const u32 wanted = sample_near(pair) | (one_in > 1u << SAMPLE_NEAR_BITS ? sample_far(pair) : 0);
    return !(((u32)pair ^ wanted) & (one_in - 1));
}

/* Which of n requests, 64 at most: a bit each. */
u64 sample_kept(const u64 *request, u32 n, u32 one_in);

/* Of a line that is kept: its number among those, one in 2^bits, of which bits is not 0; and one in any number. */
static inline u64 sample_among(u64 number, u32 bits)
{
    return sample_pair(number) >> bits << 1 | (number >> SAMPLE_WHICH & 1);
}
static inline u64 sample_number(u64 number, u32 one_in)
{
    return one_in == 1 ? number : sample_among(number, (u32)__builtin_ctz(one_in));
}
/* The line that has that number. */
u64 sample_line(u64 among, u32 one_in);

/* One line in so many of that many lines is enough for a set or more. */
u32 sample_most(u64 lines);

/* What an instruction's counts are, all workers together, where only some of its lines were looked up: each of them stands for one_in, and then
 * for as many as were asked for (struct traffic_drawn). */
void sample_scale(u64 n[TRAFFIC_COUNT], const struct traffic_drawn *d);

#endif
