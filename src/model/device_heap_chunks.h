/* device_heap_chunks.h - how many chunks of the device's heap (device_heap.h) the calls of a launch make or empty. */
#ifndef LS_MODEL_DEVICE_HEAP_CHUNKS_H
#define LS_MODEL_DEVICE_HEAP_CHUNKS_H

#include "model/device_heap.h"

/* Those that call at once, as often as all that come after them together. */
struct heap_party {
    double warps, lanes, rounds;
};

struct heap_chunks {
    double calls;  /* of each warp, whose memory is there at once */
    double own;    /* of a warp, in which its allocations are */
    double around; /* of all warps: in which those are, and those around them */
    double before; /* that stay there all the time */
    double levels; /* sizes of chunks that the heap has room for, beyond those of the smallest heaps */
};

/* warps 0: nobody calls. */
struct heap_party heap_party_of(const struct device_call_count *n, double held);
/* Of what is taken, when most of it is there. */
struct heap_chunks heap_chunks_taken(const struct device_heap_use *u, const struct heap_party *taken);
/* Of what is given back in a launch that takes nothing. */
struct heap_chunks heap_chunks_given(const struct device_heap_use *u, const struct heap_party *given);
/* All that come and go. */
double heap_chunks_all(const struct heap_chunks *c, const struct heap_party *p);
/* Slots of an allocation on average. */
double heap_slots_each(const struct device_heap_use *u);

#endif
