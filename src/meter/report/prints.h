/* prints.h - a function's calls of printf, for what they move (model/device_print.h). */
#ifndef LS_METER_REPORT_PRINTS_H
#define LS_METER_REPORT_PRINTS_H

#include "exec/exec.h"
#include "meter/metrics.h"
#include "model/device_print.h"

/* blocks: how often each was entered. */
void prints_add(struct device_print *p, const struct ir_func *f, const struct exec_block_count *blocks);
/* What they move, to a launch's events. */
void prints_events(const struct device_print *p, double held, u64 n[EVENT_COUNT]);

#endif
