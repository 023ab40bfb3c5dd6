/* cooperative_groups.h - groups of threads that work together: the block, the grid, tiles and coalesced lanes.
 *
 * The names and meanings are those of the CUDA C++ Programming Guide, "Cooperative Groups".
 * cooperative_groups/reduce.h, scan.h and memcpy_async.h have the collective algorithms. In a host's compilation there
 * is nothing to declare. */
#ifndef LOCKSTEP_COOPERATIVE_GROUPS_H
#define LOCKSTEP_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_

#if defined(__cplusplus) && defined(__CUDA__)
#include "lockstep/group_cluster.h"
#include "lockstep/group_tile.h"
#include "lockstep/group_tile_wide.h"
#endif

#endif
