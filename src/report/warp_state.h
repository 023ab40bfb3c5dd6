/* warp_state.h - what warps do with their time, in words: the reason that they wait for most, the source line that most of
 * it is spent on, and what to try. Only for launches of which an SM was replayed. */
#ifndef LS_REPORT_WARP_STATE_H
#define LS_REPORT_WARP_STATE_H

#include "meter/meter.h"

/* The largest reason other than that it issued; *share: its part of all cycles of warps. STALL_COUNT: nothing was replayed. */
enum stall_reason warp_state_largest(const u64 n[EVENT_COUNT], double *share);
/* What to try against a reason; "" for what is no wait. */
const char *warp_state_advice(enum stall_reason reason);

/* The source line with most cycles of warps: of a reason, or of all (STALL_COUNT). *share: its part of the launch's cycles of
 * that reason. The line is in mem. False: there is none. */
bool warp_state_line(const struct meter_report *r, enum stall_reason reason, struct arena *mem, struct meter_line *out,
                     double *share);

/* A few sentences. False: nothing was replayed. */
bool warp_state_text(const struct meter_report *r, char *out, size_t size);
/* One sentence, with a space behind it: the line that costs most; "" when there is none. */
void warp_state_costly(const struct meter_report *r, char *out, size_t size);

#endif
