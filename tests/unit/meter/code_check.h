/* code_check.h - whether estimated machine code keeps what PTX says: found anew from the PTX, without the maker's graph.
 *
 * Each program is walked in its order of issue, with the cycles that its stalls give. Each machine instruction of a PTX
 * instruction that reads a register has to come when the register is there: the instructions that wrote it have issued,
 * and a scoreboard was waited for since, or their latency has passed. */
#ifndef LS_TESTS_METER_CODE_CHECK_H
#define LS_TESTS_METER_CODE_CHECK_H

#include "meter/code/make_code.h"

/* True when all holds; else `why` says what does not. The arena's recovery point is set. */
bool code_check(struct arena *mem, const struct gpu *gpu, const struct ir_func *f, const struct estimate *e,
                const struct replay_code *c, char *why, size_t size);

#endif
