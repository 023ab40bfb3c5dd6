/* machine.h - what ptxas made of a kernel, as rows of its report. */
#ifndef LS_METER_REPORT_MACHINE_H
#define LS_METER_REPORT_MACHINE_H

#include "meter/replay/replay_meter.h"

/* Of a launch that was replayed with l->machine; scale: from the blocks that were to all. tmp is for the time of the call. */
void machine_add(struct meter_report *r, struct arena *tmp, const struct replayed_launch *l, double scale);

#endif
