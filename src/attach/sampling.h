/* sampling.h - which launches are modelled, and which only counted: LOCKSTEP_MODEL_LAUNCHES=sampled.
 *
 * Launches of a kernel of a stream with the same grid, block, shared memory and parameters (addresses of memory may differ) are
 * a *row*. In a run of launches of a row that did the same work (meter/report/sampled.h) the 1st, 2nd, 4th, 8th, 16th ... are modelled;
 * those between take what the last one of these has. That the work is the same is known only when a launch has run: one that did other
 * work is left without modelled values, and the next one of its row begins a new run. A row in which that happens
 * MOST_UNLIKE times is modelled whole.
 *
 * All of this follows from the launches of a stream in their order, so it depends neither on the number of workers nor on
 * other streams. */
#ifndef LS_ATTACH_SAMPLING_H
#define LS_ATTACH_SAMPLING_H

#include "driver/observe/launcher.h"
#include "meter/meter.h"

struct sampled_row;

/* The row of a launch; NULL: no memory, or there are too many rows: it is modelled. */
struct sampled_row *sampling_row(const struct exec_launch *l, i32 carveout_kib, struct launch_place place);
bool sampling_models(struct sampled_row *row);
/* The launch has run well; modelled: as sampling_models said. If not, r is given what the row knows, or said to be unlike. */
void sampling_take(struct sampled_row *row, struct meter_report *r, bool modelled);

#endif
