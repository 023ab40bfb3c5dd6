/* profile_tree.h - a launch with the grids that its kernels launch, for its time (model/children.h). All of a launch's grids run
 * on one thread, one after the other, parents before children; what is kept is that thread's. */
#ifndef LS_ATTACH_PROFILE_TREE_H
#define LS_ATTACH_PROFILE_TREE_H

#include "exec/exec.h"
#include "meter/meter.h"
#include "model/children.h"

void profile_tree_begin(void);
/* What the launch's grids leave for each other. */
struct meter_tree *profile_tree_kept(void);
/* A grid that has run. r NULL: it was not recorded, and counts as one without work. */
void profile_tree_add(const struct exec_launch *l, const struct meter_report *r, const struct gpu *gpu);
/* The launch with all of its grids, and what that moves besides; 0: it launched none, or its own time is not known. */
double profile_tree_ns(const struct gpu *gpu, struct child_traffic *traffic);
void profile_tree_end(void);

#endif
