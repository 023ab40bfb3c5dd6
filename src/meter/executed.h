/* executed.h - how often the machine instructions that ptxas made of a function were executed. */
#ifndef LS_METER_EXECUTED_H
#define LS_METER_EXECUTED_H

#include "exec/exec.h"
#include "meter/metrics.h"
#include "model/replay/code.h"

/* Adds EVENT_inst and EVENT_thread_inst to the sites of f (n, by site), whose blocks were entered so often. */
void executed_add(const struct ir_func *f, const struct replay_code *code, const struct exec_block_count *blocks,
                  u64 (*n)[EVENT_COUNT]);

#endif
