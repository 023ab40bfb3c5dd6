/* recorded.h - how long the ladders' kernels took on a GPU, at their default sizes: built in from the recording that lies with the
 * tests (tests/hw), so that a ladder can show it beside what is modelled where there is no GPU. */
#ifndef LS_LAB_RECORDED_H
#define LS_LAB_RECORDED_H

#include "base/base.h"

/* One launch of each kernel under the profiler: cold caches, boost clock. */
struct recorded_time {
    const char *family, *rung;
    u32 grid[3], block[3]; /* of the rung's own kernel */
    u32 launches;          /* whose times are added up */
    double ns;
};

/* Up to one without a family. */
extern const struct recorded_time recorded_times[];

/* The GPU that they are of: its file's id, its name ("H200"), the driver. */
extern const struct recorded_on {
    const char *id, *name, *driver;
} recorded_on;

#endif
