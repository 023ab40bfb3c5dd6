/* places.h - which SMs stand together, and which blocks: GPCs (of which each reads a line of L2 once for several SMs) and the halves
 * of L2.
 *
 * No manual says how blocks are dealt to SMs. Measured on an H200 (tests/hw/h200/block-places.csv): the first eight blocks of a launch
 * go to eight SMs of one GPC; of the others each GPC gets a run of neighbours, as many as it has SMs left, or in proportion where
 * blocks are few. All SMs have one when the first has two. Once all are full, a block goes where one has ended: pairs of
 * neighbours, as the SMs of a TPC mostly end together, and else anywhere. Which GPC begins differs from launch to launch.
 *
 * Here SMs are numbered as the first blocks are dealt to them. */
#ifndef LS_MODEL_CACHE_PLACES_H
#define LS_MODEL_CACHE_PLACES_H

#include "base/base.h"

enum { PLACE_GROUPS = 8 };

struct sm_place {
    u32 group; /* a GPC, below PLACE_GROUPS */
    u32 side;  /* the half of L2 that it is at, 0 or 1 */
};

/* Where an SM's first blocks are, of a launch that has blocks for so many SMs. */
struct sm_place sm_place_first(u32 sm, u32 used);
/* Where the blocks are that an SM has after those: in the nth turn, from 1 on. */
struct sm_place sm_place_later(u32 sm, u32 turn);

#endif
