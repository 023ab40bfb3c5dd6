/* sync.h - who is ordered before whom in a block: clocks of its warps and of their lanes, moved by barriers, __syncwarp,
 * mbarriers and fences. Both race checks ask it. Internal.
 *
 * Time in a block is counted in *epochs*: each barrier that all threads of the block pass begins a new one, and orders all
 * before it before all behind it. Within an epoch
 *
 *   - each warp has a clock, which moves when the warp arrives somewhere (a named barrier, __syncwarp, an mbarrier); a warp
 *     knows of every other warp up to which clock it is ordered behind it;
 *   - within a warp, each lane knows the same of every other lane.
 *
 * An access is stamped with epoch, warp, lane and the warp's clock. */
#ifndef LS_CHECK_SYNC_H
#define LS_CHECK_SYNC_H

#include "check/tool.h"

enum { SYNC_WARPS = 32, SYNC_LANES = 32 };

struct sync_state {
    u32 epoch;               /* of the block, from 1; never repeats within a launch's worker */
    u32 warps;
    u32 clock[SYNC_WARPS];   /* each warp's, from 1 in each epoch */
    u32 knows[SYNC_WARPS][SYNC_WARPS];  /* knows[w][v]: w is behind all that v did before its clock was this */
    u32 lanes[SYNC_WARPS][SYNC_LANES][SYNC_LANES]; /* the same of lanes of one warp, in the warp's clock */
    u32 synced[SYNC_WARPS];  /* the clock at which all live lanes of the warp were last ordered: fast answer */
    void *more;              /* mbarriers, fences */
};

struct sync_state *sync_new(struct arena *mem);
void sync_block_begin(struct sync_state *s, const struct exec_block_info *b);
void sync_release(struct sync_state *s, const struct exec_block_info *b, u32 id, const u32 *lanes);
void sync_arrive(struct sync_state *s, const struct exec_barrier *b);
void sync_warp(struct sync_state *s, const struct exec_warp_sync *w);
void sync_order(struct sync_state *s, const struct exec_order *o);
void sync_exit(struct sync_state *s, u32 warp, u32 lanes);

/* The access of (warp, lane) at that clock of this epoch is ordered before what (to_warp, to_lane) does now. */
bool sync_before(const struct sync_state *s, u32 warp, u32 lane, u32 clock, u32 to_warp, u32 to_lane);

#endif
