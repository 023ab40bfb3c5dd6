/* allocations.h - the calls that made and freed allocations, by the serial of their block in device memory
 * (mem_block.serial), so that a finding can name both. Those of freed allocations are kept for a while.
 *
 * Thread-safe: one lock, leaf. */
#ifndef LS_CHECK_ALLOCATIONS_H
#define LS_CHECK_ALLOCATIONS_H

#include "base/base.h"
#include "check/core/finding.h"

struct allocations;

enum { ALLOCATIONS_FREED = 16384 }; /* freed allocations that are remembered: the last ones */

struct allocations *allocations_create(void); /* NULL: no memory */
void allocations_destroy(struct allocations *a);

/* Frees of unknown allocations are ignored. Without memory the calls are forgotten. */
void allocations_put_made(struct allocations *a, u64 serial, const struct host_call *call);
void allocations_put_gone(struct allocations *a, u64 serial, const struct host_call *call);

/* The call that made it, and the one that freed it; false: not known. */
bool allocations_made(struct allocations *a, u64 serial, struct host_call *out);
bool allocations_gone(struct allocations *a, u64 serial, struct host_call *out);

#endif
