/* device_heap.h - what malloc and free in a kernel cost. Measured on an H200 (tests/hw/device_heap.cu); what is written here follows
 * from the time of single calls and the distances of addresses, NVIDIA documents none of it.
 *
 *     chunk   24 slots of 80 bytes, 2208, or 53280; an allocation takes as many neighbouring slots as it and 16 bytes need, or the
 *             whole chunk beyond twelve. A chunk of one size is a slot of the next larger.
 *     list    of all chunks. A call goes through it, some 700 cycles a chunk, whether or not there is room in the first; one that finds
 *             no room makes a chunk and goes through it once more.
 *
 * So a call's time grows with all that is allocated, and an allocation of 1 KB, which takes a chunk for itself, costs far more than one
 * of 64 bytes or of 2 KB. Warps do not share a chunk when they call at the same time. New chunks are linked one after the other; free
 * waits for nobody: the first warp that does it works for those behind it, so most are done at once and one is late.
 *
 * What a launch takes is that of a warp of those that the device holds at once, and what all of them do one after the other:
 *
 *     until most is allocated   calls, new chunks, and the list, which all warps make longer meanwhile
 *     then                      pairs of calls, for which there is a place
 *     what is given back        calls, and chunks that become empty
 *
 * Sizes that differ in a launch count by their average share of a chunk. Not in it: that a single thread's small allocation finds its
 * last place again, by which pairs of blocks of one calling thread come out up to five times too slow; the size of the heap. */
#ifndef LS_MODEL_DEVICE_HEAP_H
#define LS_MODEL_DEVICE_HEAP_H

#include "base/gpu.h"

struct device_call_count {
    double threads, warps; /* how often they called */
    double rounds;         /* calls of the warp that called most often */
};

struct device_heap_use {
    struct device_call_count taken, given; /* malloc, free */
    double blocks;                         /* of the launch */
    double held;                           /* warps that the device holds at once */
    double peak;     /* calls of malloc of a warp whose memory it had not given back, at most; 0: not known */
    double slots;    /* of all that was taken: device_heap_slots added up; 0: not known */
    double before;   /* slots that were in use when the launch began */
    double before_n; /* and allocations in them */
};

enum { HEAP_SLOTS = 24 };
/* Of a chunk's, those that an allocation of so many bytes takes from others of its size. */
u64 device_heap_slots(u64 bytes);
/* Cycles that they add to a launch. */
double device_heap_cycles(const struct gpu *gpu, const struct device_heap_use *use);

#endif
