/* check.h - the checks of a process, as the driver sees them: what happened to device memory goes in, findings come out.
 *
 *     driver: allocations, copies, launches, waits  ──►  check  ──►  findings (finding.h) to `report`
 *     engine: events of a launch's blocks and warps ──►
 *
 * One `struct check` a process. Its functions may be called from any thread; those of a launch from the thread that runs
 * it (and, by the engine's hooks, from its workers). Nothing here prints or writes files. */
#ifndef LS_CHECK_CHECK_H
#define LS_CHECK_CHECK_H

#include "base/status.h"
#include "check/core/finding.h"
#include "exec/exec.h"

struct check;
struct check_launch;

struct check_options {
    unsigned tools;  /* enum check_tool, several */
    u64 most_faults; /* accesses that are left out before a kernel is stopped; 0: 1,000,000 */
    /* Called without locks. For each new finding with again = false and all of f. When a launch has found it again,
     * with again = true; of f only kind, count and threads count then: how often since the last call. */
    void (*report)(void *ctx, const struct finding *f, u64 id, bool again);
    void *report_ctx;
    /* For a debugger. */
    u64 (*clock)(void); /* finding.when; may be NULL. On the thread that found it */
    bool faults_end;    /* no access is left out: the first that cannot be done ends the kernel */
};

/* Begins to observe mem. LS_ERR_NOMEM also when the host gives no address space for the shadows. */
enum ls_status check_create(const struct check_options *o, struct mem *mem, struct check **out);
void check_destroy(struct check *c);
unsigned check_tools(const struct check *c);
/* What has been found and reported is new when it is found again. */
void check_forget(struct check *c);
struct allocations *check_allocations(const struct check *c); /* allocations.h: the driver fills it */
struct stream_order *check_order(const struct check *c);      /* stream_order.h: so it does this */

/* A finding of the driver's own (API errors, leaks, ...). */
void check_report(struct check *c, const struct finding *f);

/* ---- operations: launches, copies and fills, each with its place in the order of streams (stream_order.h) ---- */

/* What the host did to device memory. `op`: its number in check_order (stream_order.h), 0: ordered with everything.
 * call: for findings; may be NULL. Ranges that are not device memory are ignored. */
void check_host_wrote(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call);
void check_host_read(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call);
/* Device to device, or a peer: initialised bytes stay so. */
void check_copied(struct check *c, u64 to, u64 from, u64 size, u64 op, const struct host_call *call);
void check_filled(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call);

/* The allocation that begins there is there behind operation op (allocated in stream order), or until then (freed). */
void check_ordered(struct check *c, u64 base, u64 op, bool freed);

/* A launch begins that is not checked: what it does to memory is not recorded. */
void check_unseen(struct check *c);

/* ---- launches ---- */

struct check_site {               /* where a launch was made */
    const struct host_call *call; /* copied; NULL: unknown */
    u64 op;                       /* check_order's number of the launch */
    u64 stream;                   /* as printed */
};

/* l->id must be set. The hooks are for l->hooks; they live until check_launch_end. */
enum ls_status check_launch_begin(struct check *c, const struct exec_launch *l, const struct check_site *site,
                                  struct check_launch **out);
const struct exec_hooks *check_launch_hooks(struct check_launch *l);
/* The fault of the first access that was left out; FAULT_NONE: none was. */
enum exec_fault_kind check_launch_first(const struct check_launch *l);
/* After exec_run: s and fault are its results. *bad: the accesses that were left out (the launch did not do what it was
 * written to do). Frees l. */
void check_launch_end(struct check_launch *l, enum ls_status s, const struct exec_fault *fault, u64 *bad);

#endif
