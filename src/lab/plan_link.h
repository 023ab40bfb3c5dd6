/* plan_link.h - how long a plan's copies and kernels take together, by a model of the link and the GPU's three
 * engines. */
#ifndef LS_LAB_PLAN_LINK_H
#define LS_LAB_PLAN_LINK_H

#include "base/arena.h"
#include "base/gpu.h"
#include "kernels/family.h"

struct link_times {
    double path;   /* seconds from the first call until the host has waited for everything */
    double copy;   /* seconds in which data crossed the link, both directions added up */
    double kernel; /* seconds of kernels, added up */
    double hidden; /* the share of copy + kernel that ran while another of them ran: 0 to 1 */
};

/* `kernel_seconds`: what all launches of the plan take by themselves; each gets its share by its threads. False: a
 * number of the GPU's file is not known. */
bool link_model(const struct gpu *gpu, const struct plan *plan, double kernel_seconds, struct arena *mem,
                struct link_times *out);

#endif
