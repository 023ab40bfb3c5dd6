/* snapshot.h - all memory that kernels may write, as it was when a launch began, so that the launch can be run again. */
#ifndef LS_DEBUG_SNAPSHOT_H
#define LS_DEBUG_SNAPSHOT_H

#include "exec/memory/device_memory.h"

struct snapshot_part {
    struct mem_block block;
    u8 *before; /* block.size bytes, mapped; pages of zeros are not there */
};

struct snapshot {
    struct snapshot_part *parts;
    u64 nparts, bytes;
    u64 heap; /* a sum that changes when blocks of the device's heap come or go */
};

/* *s has what was taken before, or zeros: copies of memory that is still there are used again. NULL, or why it cannot be
 * taken. */
const char *snapshot_take(struct snapshot *s, struct mem *mem, u64 most);
/* NULL, or why the launch cannot be run again. */
const char *snapshot_lacks(const struct snapshot *s, struct mem *mem);
void snapshot_restore(const struct snapshot *s); /* puts the memory back */
void snapshot_drop(struct snapshot *s);

#endif
