/* rig.h - runs kernels of PTX text under the checks and keeps what they find, for the tests of the tools. */
#ifndef LS_TESTS_CHECK_RIG_H
#define LS_TESTS_CHECK_RIG_H

#include "../exec/harness.h"
#include "check/core/check.h"

enum { RIG_FINDINGS = 64 };

struct rig {
    struct bench bench;
    struct check *check;
    struct finding found[RIG_FINDINGS]; /* in the order in which they were reported, counts added up */
    u64 ids[RIG_FINDINGS];
    u32 nfound;
    u64 launches;
    u64 left_out;          /* by the last launch */
    enum ls_status status; /* of the last launch */
    struct exec_fault fault;
};

/* A device with the module, observed by these tools (enum check_tool, several). options may be NULL: of it most and
 * most_faults count. Fails the test when it cannot. */
void rig_open(struct rig *r, const char *ptx, unsigned tools, const struct check_options *options);
void rig_close(struct rig *r);
u64 rig_alloc(struct rig *r, u64 bytes); /* device memory, zeroed */

/* Runs the kernel under the checks, with one worker unless told otherwise; how it ended is in status and fault. */
void rig_run(struct rig *r, const struct run *what);

/* The only finding; fails the test when there is none or another one. */
const struct finding *rig_only(const struct rig *r, enum finding_kind kind);
/* The first finding of that kind, or NULL. */
const struct finding *rig_find(const struct rig *r, enum finding_kind kind);
void rig_none(const struct rig *r);
/* Forgets what was found so far. */
void rig_forget(struct rig *r);

#endif
