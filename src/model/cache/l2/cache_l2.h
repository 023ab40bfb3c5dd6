/* cache_l2.h - the second-level cache and DRAM: what the SMs send, taken in turns (traffic.h has the rules). */
#ifndef LS_MODEL_CACHE_L2_H
#define LS_MODEL_CACHE_L2_H

#include "model/cache/l2/l2_input.h"

/* Lines of memory that is not the device's: [from, to). */
struct l2_lines {
    u64 from, to;
};
struct l2_shape {
    u64 bytes;
    u32 halves;
    bool coalesces;
    bool goes_on;                /* with what the run before left, if that was of the same shape; else L2 is empty */
    double turn;                 /* cycles between two instructions of an SM that ask for something */
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
