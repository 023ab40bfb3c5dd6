/* children.h - how long a launch takes whose kernels launch kernels: one grid and all below it.
 *
 * The threads that launch take their time one after the other; the device begins one grid at a time, so many a microsecond, and
 * holds so many at once as there are places and SMs. Grids of a stream follow each other, those that are forgotten wait for
 * nothing, a tail follows all else of its parent, and a grid is complete when its children are. The numbers were
 * measured on an H200 by tests/hw/device_runtime.cu.
 *
 * What it does not know: when in its life a block launches (at its end), and that grids slow each other down by sharing L2 and
 * DRAM. */
#ifndef LS_MODEL_CHILDREN_H
#define LS_MODEL_CHILDREN_H

#include "base/arena.h"
#include "base/gpu.h"

enum child_order { CHILD_IN_STREAM, CHILD_FORGOTTEN, CHILD_TAIL };

/* A grid; of the first one only ns, blocks and held count. */
struct child_grid {
    u32 parent; /* its number, smaller than the child's */
    enum child_order order;
    u64 stream; /* IN_STREAM: of its block */
    u64 block;  /* of the parent's, that launched it */
    u32 thread; /* of that block */
    double ns;  /* alone, as if the host had launched it, without its launches */
    u64 blocks;
    double held; /* blocks that the device holds at once */
};

/* What the launches move besides what each grid does (traffic_beside_child): sectors. */
struct child_traffic {
    u64 l2, l2_reads, dram_reads; /* l2_reads is a part of l2 */
};

/* Of grid 0 until all are complete. Children of a grid stand in the order in which each block launched them,
 * tails last. mem is for the time of the call; its recovery point is set. */
double children_ns(struct arena *mem, const struct gpu *gpu, const struct child_grid *grids, u32 n,
                   struct child_traffic *traffic);

#endif
