/* sm_bench.h - machine code and streams of warps that the tests of the replay make up, and their replay. */
#ifndef LS_TEST_SM_BENCH_H
#define LS_TEST_SM_BENCH_H

#include "base/gpu.h"
#include "model/replay/machine.h"
#include "model/replay/prepare.h"
#include "model/replay/replay.h"

enum { INSTS = 64, ENTRIES = 4096, BLOCKS = 600, BLOCKS_KEPT = 64 };

/* A function of one PTX block, which warps enter again and again. */
struct made {
    struct arena mem;
    struct gpu gpu;
    struct replay_inst insts[INSTS];
    u32 n;
    u64 items[ENTRIES];
    u32 nitems;
    const u64 *others; /* what warps of every other recorded block do, as many items; NULL: the same */
    u32 shorter;       /* items of the warps behind the first of a block; 0: all */
    u32 warps, resident, slots, places;
    u64 nblocks;
    double atomics;
    struct l2_hot hot;
    u64 swaps, swaps_hot;
    struct replay_shares shares;
    const struct replay_code *code; /* in place of insts */
    const struct replay_size *sizes;
    u64 budget; /* 0: 1 << 20 */
};

void made_begin(struct made *m);
struct replay_inst *made_inst(struct made *m, u8 pipe, u8 stall);
void made_load_and_use(struct made *m);
void made_enter(struct made *m);
void made_access_lines(struct made *m, u8 class, u16 passes, u16 lines);
void made_access(struct made *m, u8 class, u16 passes);
/* One sector of a line. */
void made_load(struct made *m, u64 line, u32 sector);
/* Every warp of a block does the same. *sites: what its one site waited for; NULL: not asked. */
struct replay_result made_replay(struct made *m, struct replay_site *sites);
double made_cycles(struct made *m);

#endif
