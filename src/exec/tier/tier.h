/* tier.h - the compiled tier as the engine sees it.
 *
 * A kernel that has run for a while is compiled by LLVM, in the background, for the dimensions of its blocks. From then on
 * its blocks begin in compiled code, a warp at a time, all of whose lanes are active; what the code does not do itself it
 * leaves to the interpreter, which goes on from the state that it finds in the frame, and gives back at entries: barriers,
 * loops, meeting points. Results are the interpreter's, bit for bit. */
#ifndef LS_EXEC_TIER_TIER_H
#define LS_EXEC_TIER_TIER_H

#include "exec/sched.h"

struct tier_code;

/* Whether blocks of the grid may run in code at all. */
bool tier_may_run(const struct grid *g);
/* The code for the blocks of the worker's grid, or NULL: there is none (yet), or the launch wants none. Asked in front of
 * each block. */
struct tier_code *tier_for(struct worker *w);
/* The block, which has code, begins: true, in code, and its warps' frames are filled when somebody needs them; false: the
 * interpreter begins it. */
bool tier_begin(struct block *b);
/* Every warp goes from the kernel's beginning to its end in one piece, without loops and barriers, unless something fails. */
bool tier_is_straight(const struct tier_code *c);
/* Runs a block that is in code. True: to its end, which is *end. False: its warps are the interpreter's now. */
bool tier_block(struct block *b, enum block_end *end);
/* The same for a block of straight code that begins where one has ended in it, without tier_begin; and for those behind it in x,
 * `most` in all. The block is the last that has begun then. */
bool tier_repeat(struct block *b, u32 most, enum block_end *end);
/* Runs the warp from pc on: in code, if it can be entered there, else by the record's body. Returns what bodies return. */
const struct ir_inst *tier_step(struct warp *w, const struct ir_inst *pc);
/* The worker has run its last block. */
void tier_end_launch(struct worker *w);
/* The module is about to be freed. */
void tier_forget(struct exec_module *m);

#endif
