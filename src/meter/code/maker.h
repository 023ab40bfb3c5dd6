/* maker.h - the parts of code_sass.c: machine code as ptxas made it becomes programs by PTX block. */
#ifndef LS_METER_CODE_MAKER_H
#define LS_METER_CODE_MAKER_H

#include "meter/code/make_code.h"
#include "meter/sass/match.h"

struct maker {
    struct arena *mem;
    const struct gpu *gpu;
    struct match m;
    u8 *heads;         /* by machine block: a loop begins */
    u8 *joins;         /* by machine block: a branch to it leaves out some that are not rare */
    u16 *depth;        /* by machine block: how many machine loops it is in */
    u32 *main_depth;   /* by PTX block: that of its first program */
    u32 *total, *seen; /* by site: its instructions in the sequence, and those so far; two of each (is_streamed) */
    u32 unknown;
};

/* What one run, or several that belong together, are made of. */
struct sequence {
    VEC(u32) blocks; /* machine blocks */
    u32 copies, depth;
    struct match_presence *sites; /* of the PTX block */
};
struct sequences {
    VEC(struct sequence) at;
};

/* ---- code_owners.c: machine blocks, and which belong together ---- */

/* Sets what is by machine block, and lets copies of the same PTX blocks have one owner. */
void maker_settle_owners(struct maker *k);
/* The first of the blocks that a warp enters as often as `block`, of those that pass the test: up the tree of dominators. */
u32 maker_first_equal(struct maker *k, u32 block, bool (*passes)(struct maker *k, u32 up, const void *ctx),
                      const void *ctx);
/* Of the machine blocks of a PTX block. */
struct sequences maker_sequences(struct maker *k, u32 ptx_block);

/* ---- code_inst.c ---- */

/* Instruction `at` of the machine code, which is in b. */
struct replay_inst maker_inst(struct maker *k, const struct machine_block *b, u32 at);

#endif
