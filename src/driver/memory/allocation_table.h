/* allocation_table.h - taking allocations out of the table, for the files that free them (allocation_table.c). */
#ifndef LS_DRIVER_MEMORY_ALLOCATION_TABLE_H
#define LS_DRIVER_MEMORY_ALLOCATION_TABLE_H

#include "driver/driver.h"

enum { DEVICE_KINDS = 1u << MEM_DEVICE | 1u << MEM_MANAGED };

/* Takes the allocation that starts at base and is of one of the kinds (a mask) out of the table; a graph's stays there,
 * and is live no more. */
bool allocation_take(u64 base, unsigned kinds, struct allocation *out);
/* Marks it as freed by the program, whose stream has not come there. False: it was marked before, or is gone. */
bool allocation_mark_freed(u64 base);
/* A free in stream order ends a graph's memory at once, so that the graph may be launched again behind it; the hold
 * keeps the memory until the stream has come there. */
bool allocation_hold(u64 address);
void allocation_unhold(u64 address);

/* The caller was given a pointer that it cannot free. */
CUresult allocation_wrong_free(u64 address);

#endif
