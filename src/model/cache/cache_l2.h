/* cache_l2.h - the second-level cache and DRAM: what the SMs send, taken in turns (traffic.h has the rules). */
#ifndef LS_MODEL_CACHE_L2_H
#define LS_MODEL_CACHE_L2_H

#include "model/cache/cache.h"
#include "model/cache/places.h"
#include "model/cache/traffic.h"

/* What an SM sends to L2. */
struct l2_input {
    struct requests kept;
    u64 seen, budget;
    u32 lag, lags;           /* l2_run's: parts of 2^32 of a turn that it is late, and how many more with each turn */
    u32 one_in;              /* lines kept: one in so many, a power of two */
    u32 sm;                  /* its number */
    u32 turn;                /* how often it has had other blocks since the first */
    struct sm_place place;   /* of the blocks that it has; reads of a group are coalesced */
    struct traffic ***sites; /* the worker's, which may move */
};
/* Which lines are kept when only some are: one in so many, the same for every SM. */
static inline bool l2_keeps(u64 number, u32 one_in)
{
    const u64 h = number * 0xd6e8feb86659fd93ull;
    return ((h ^ h >> 32) & (one_in - 1)) == 0;
}
void l2_input_thin(struct l2_input *in, u32 one_in);
/* The share kept depends on how many requests there were, not on how many were kept, so that it is the same for every
 * order in which SMs run. */
static inline bool l2_input_push(struct l2_input *in, u64 request)
{
    if (LS_UNLIKELY(++in->seen > in->budget * in->one_in))
        l2_input_thin(in, in->one_in * 2);
    return !l2_keeps(request_number(request), in->one_in) || requests_push(&in->kept, request);
}
/* What follows is of other blocks. */
#define REQUEST_OTHER_BLOCKS request_make(0, 0, TRAFFIC_EMPTY_L1, true, 0)
static inline bool l2_input_other_blocks(struct l2_input *in) { return requests_push(&in->kept, REQUEST_OTHER_BLOCKS); }
/* Lines of memory that is not the device's: [from, to). */
struct l2_lines {
    u64 from, to;
};
struct l2_shape {
    u64 bytes;
    u32 halves;
    bool coalesces;
    bool goes_on;                /* with what the run before left, if that was of the same shape; else L2 is empty */
    u32 late;                    /* rounds, of an instruction of each SM, that DRAM takes to answer */
    const struct l2_lines *host; /* the host's, in their order */
    u32 nhost;
};
/* Memory for one launch after the other. NULL: there is none. */
struct l2;
struct l2 *l2_make(void);
void l2_free(struct l2 *l2);
/* What a slice of L2 has to do, one after the other. */
enum hot_kind { HOT_LOADS, HOT_STORES, HOT_ATOMICS, HOT_KINDS };
/* Sectors of a whole launch, by kind: of the slice that is wanted most, which has several lines. The three need not be the
 * same slice's. Slices are told apart by hashes, more finely than a GPU has them, so where nothing is hot the figures are
 * below a slice's fair share. */
struct l2_hot {
    u64 sector; /* atomics at the sector that is wanted most */
    u64 slice[HOT_KINDS];
    u64 slice_all; /* of the slice that has most of all kinds together */
    u64 alone;     /* no slice's: sectors written to DRAM without another one of their line */
};
/* Takes all inputs in turn, from an L2 that is empty or goes on; adds to their sites' rows. The order of `inputs` is lost.
 * False: no memory. */
bool l2_run(struct l2 *l2, const struct l2_shape *shape, struct l2_input **inputs, u32 n, struct l2_hot *hot);

#endif
