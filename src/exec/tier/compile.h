/* compile.h - a kernel becomes code. Internal to exec/tier. */
#ifndef LS_EXEC_TIER_COMPILE_H
#define LS_EXEC_TIER_COMPILE_H

#include "exec/tier/code.h"

/* Makes c->f's code for blocks of c->block, or finds it in the cache; false: c->why says why there is none. Compiling takes
 * some 10 ms and more; any thread, one at a time. The function's ir must outlive the code. */
bool tier_compile(struct tier_code *c);
/* Finds it in the cache, without LLVM; false: it is not there. */
bool tier_recall(struct tier_code *c);
void tier_code_free(struct tier_code *c); /* and c */

/* exec/tier/run.c: what code calls */
bool tier_run_body(struct warp *w, const struct ir_inst *first, u32 mask);
bool tier_go_on(struct warp *w);
const struct ir_inst *tier_stop(const struct ir_inst *pc, u8 *regs, struct warp *w);

#endif
