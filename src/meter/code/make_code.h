/* make_code.h - the makers of a function's machine code as the replay runs it (model/replay/code.h): from what ptxas made
 * of it, or estimated from the PTX. */
#ifndef LS_METER_CODE_MAKE_CODE_H
#define LS_METER_CODE_MAKE_CODE_H

#include "base/gpu.h"
#include "meter/rules.h"
#include "model/replay/code.h"

/* What it does is in the warp's stream (struct item_async). */
bool code_is_async(const struct ptx_inst *i);

/* Fills c->moved, in mem. */
void code_find_moved(struct arena *mem, const struct ir_func *f, struct replay_code *c);
/* i, of a program of the block, is an access or barrier that warps come to while another program runs which does not have it, and
 * was not moved: the replay finds its place only if that program is the next one. */
bool code_is_lost(const struct ir_func *f, const struct replay_code *c, u32 block, const struct replay_inst *i);

/* Both in mem, whose recovery point is set. */

/* code: what ptxas made of the kernel that f is or is a part of. NULL: none of it is f's. */
struct replay_code *code_from_sass(struct arena *mem, const struct gpu *gpu, const struct ir_func *f,
                                   const struct sass_func *code);
struct replay_code *code_from_ptx(struct arena *mem, const struct gpu *gpu, const struct ir_func *f,
                                  const struct estimate *e);
/* Registers a thread that ptxas is expected to give a kernel. */
u32 code_registers(const struct gpu *gpu, const struct ir_func *f);

#endif
