/* device_heap.h - what malloc and free in a kernel cost: time, sectors of L2, of DRAM. Measured on an H200 (tests/hw/device_heap.cu,
 * tests/hw/heap_shapes.cu); what is written here follows from the time of single calls, the distances of addresses and from what
 * sizes of the heap change. NVIDIA documents none of it.
 *
 *     chunk   24 slots of 80 bytes, 2208, 53280, ...; an allocation takes as many neighbouring slots as it and 16 bytes need, or the
 *             whole chunk beyond twelve. A chunk of one size is a slot of a chunk of the next.
 *     list    of all chunks. A call goes through it, some 1,000 cycles a chunk; one that finds no room makes a chunk and goes through
 *             it once more.
 *
 * So a call's time grows with all that is allocated, and an allocation of 1 KB, which takes a chunk for itself, costs far more than one
 * of 64 bytes or of 2 KB. Warps do not share a chunk when they call at the same time. Each begins at another place of the heap, so their
 * chunks have chunks of their own around them, up to the largest that the heap has room for: the larger the heap, the more. New chunks
 * are linked one after the other, empty ones unlinked: free waits for nobody, the first warp that does it works for those behind it,
 * so most are done at once and one is late.
 *
 * What a launch takes is that of a warp of those that the device holds at once, and what all of them do one after the other:
 *
 *     until most is allocated   calls, new chunks, and the list, which all warps make longer meanwhile
 *     then                      pairs of calls, for which there is a place
 *     what is given back        calls, and chunks that become empty
 *
 * All of it with cold caches: the functions' code and what they read of the heap come from DRAM. Sectors of L2 are those of each call,
 * and of lanes that wait, which ask for the same words again and again: that is nearly all where many warps make several chunks each. */
#ifndef LS_MODEL_DEVICE_HEAP_H
#define LS_MODEL_DEVICE_HEAP_H

#include "base/gpu.h"

struct device_call_count {
    double threads, warps; /* how often they called */
    double rounds;         /* calls of the warp that called most often */
};

enum {
    HEAP_SLOTS = 24,
    HEAP_SIZES = 3 /* of slots that allocations are made of */
};

struct device_heap_use {
    struct device_call_count taken, given; /* malloc, free */
    double bytes;                          /* of the heap */
    double blocks;                         /* of the launch */
    double held;                           /* warps that the device holds at once */
    double own_cycles;                     /* that the launch takes without them; 0: not known */
    double peak;               /* calls of malloc of a warp whose memory it had not given back, at most; 0: not known */
    double slots[HEAP_SIZES];  /* of all that was taken (device_heap_taken); all 0: not known */
    double before[HEAP_SIZES]; /* slots that were in use when the launch began */
    double before_n;           /* and allocations in them */
};

/* The size of slot for so many bytes, < HEAP_SIZES; and those of a chunk that such an allocation takes from others of its size. */
u32 device_heap_size(u64 bytes);
u64 device_heap_slots(u64 bytes);

/* Allocations in slots of one size. 0: none. */
struct device_heap_sum {
    u64 alike;       /* slots that they take, if all are like each other: device_heap_slots added up */
    u64 needed;      /* that they need, if all fit */
    u64 large;       /* of chunks with one that needs more than half of it: there is one in each */
    u64 least, most; /* that one needs */
};
void device_heap_add(struct device_heap_sum *s, u64 bytes);
void device_heap_merge(struct device_heap_sum *s, const struct device_heap_sum *other);
/* Slots that they take. Where they differ, small ones are in what large ones leave of a chunk (heap_shapes.cu, `sizes`). */
u64 device_heap_taken(const struct device_heap_sum *s);

/* Cycles that they add to a launch. */
double device_heap_cycles(const struct gpu *gpu, const struct device_heap_use *use);

/* Sectors that they add. */
struct device_heap_sectors {
    double reads, writes, atoms; /* that SMs ask L2 for */
    double code;                 /* read from L2 for instructions */
    double settles;              /* by which SMs ask slices of L2 whether all is done, at the end */
    double fences;               /* likewise, in the calls */
    double dram;                 /* read from DRAM */
};
struct device_heap_sectors device_heap_sectors(const struct gpu *gpu, const struct device_heap_use *use);

#endif
