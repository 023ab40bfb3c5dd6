/* l2_places.h - where L2 has the lines that it is asked for: their numbers there, sets, homes and slices, of some requests at once. Internal to
 * cache_l2.c. */
#ifndef LS_MODEL_CACHE_L2_PLACES_H
#define LS_MODEL_CACHE_L2_PLACES_H

#include "model/cache/l2/hot.h"
#include "model/cache/sample.h"

/* What lines that share a slice of L2 are asked for is done one after the other. Measured on an H200 with atomics at random
 * words of the first bytes of an allocation: 256 bytes are in one slice, 512 and 1024 in two, 4096 in eight. So of a KiB the
 * first and the third 256 bytes are in one slice, the others in another. */
enum { SLICE_LINES = 4 };
static inline u64 slice_of(u64 number) { return number >> 3 << 1 | (number >> 1 & 1); }

/* When DRAM was asked for some line is kept by a hash of it. */
enum { CAME_BITS = 15 };
static inline u32 came_of(u64 number, u32 one_in_bits)
{
    return (u32)((number * 0xd6e8feb86659fd93ull) >> (64 - CAME_BITS + one_in_bits));
}

/* Where there are two halves, one of two neighbouring runs of 512 bytes is at home in each, and in the same set of it: what is contiguous
 * fills all sets evenly. So a line's number is here: that of both runs, and at the top which of them. */
enum { WHICH_BIT = CACHE_NUMBER_BITS - 1 };
_Static_assert(SLICE_LINES == 1 << SAMPLE_WHICH, "which of two runs a line is in");
static inline u64 l2_number(u32 halves, u32 one_in, u32 one_in_bits, u64 number)
{
    if (halves == 1)
        return sample_number(number, one_in);
    return sample_pair(number) >> one_in_bits | (number >> SAMPLE_WHICH & 1) << WHICH_BIT;
}

/* The half in which a line is at home. */
static inline u32 l2_home(u32 halves, u64 number)
{
    const u64 both = number & ((1ull << WHICH_BIT) - 1);
    return halves == 1 ? 0 : (u32)(number >> WHICH_BIT ^ (both / SLICE_LINES * 0x9e3779b97f4a7c15ull) >> 63);
}

/* Of lines that are looked up one behind the other. */
enum { L2_TOGETHER = 64 };
struct l2_places {
    u64 line[L2_TOGETHER];   /* its number, as SMs have it */
    u64 number[L2_TOGETHER]; /* as L2 has it */
    u32 set[L2_TOGETHER];    /* in each half */
    u32 slice[L2_TOGETHER], came[L2_TOGETHER], home[L2_TOGETHER];
    u32 asked[L2_TOGETHER]; /* sectors that are to be loaded; 0: none */
};
/* half: a half of L2, or all of it. Where there are fewer requests, what stands in place of the others does not matter. */
void l2_find_places(struct l2_places *to, const struct cache *half, u32 halves, u32 one_in,
                    const u64 request[L2_TOGETHER]);

/* By kind. */
#define LOADS (1u << TRAFFIC_LOAD | 1u << TRAFFIC_LOAD_PAST | 1u << TRAFFIC_LOCAL_LOAD | 1u << TRAFFIC_TEXTURE)
static inline bool is_load(enum traffic_kind kind) { return LOADS >> kind & 1; }

#endif
