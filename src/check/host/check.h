/* check.h - the host's side of `lockstep check`, an observer of the driver: with LOCKSTEP_CHECK=<tools> and
 * LOCKSTEP_SESSION=<folder> each selected launch runs under the checks, which are told what the program's calls do to
 * memory; it adds what only the driver sees (failing calls, wrong frees, leaks, errors that nobody asked for), and writes all findings to
 * <folder>/<pid>.chk.
 *
 *     check.c         the environment, the record file, launches, the end of the process
 *     check_call.c    calls of the program: who called, from where; those that fail
 *     check_status.c  errors that nobody asked for
 *     check_host.c    loads and stores of the program's own
 *
 *     events.c        what of the driver's events goes where
 *
 * Nothing here is called, and nothing is paid for, unless check_on. */
#ifndef LS_CHECK_HOST_CHECK_H
#define LS_CHECK_HOST_CHECK_H

#include "check/core/check.h"
#include "driver/launcher.h"

extern bool check_on;
extern struct check *checked; /* the process's; NULL unless check_on */

/* ---- events.c ---- */

void check_observe(void);
void check_unobserve(void); /* and check_on is no more */

/* ---- check.c ---- */

void check_start(void); /* at the driver's start, when there is memory */
/* The program's main function has returned, or it called exit; the library is unloaded. */
void check_settle(void);
void check_end(void);
/* One grid, under the hooks if it is wanted. As in struct driver_launcher. */
enum ls_status check_grid(struct driver_launch *x, CUfunction f, bool wanted, struct exec_launch *l,
                          struct exec_fault *fault);
bool check_wants(enum check_tool tool);
bool check_idle(void); /* no stream has anything to do */

/* ---- check_call.c ---- */

void check_call_init(void);
void check_call_reports(const char *which); /* all, explicit, no */
/* An entry of the driver begins and returns; a library above says the same of its own. Calls that they make are theirs.
 */
void check_call_begin(const char *name, const void *from);       /* from: a return address in the caller */
void check_call_begin_above(const char *name, const void *from); /* its code, where no place of the program's is */
void check_call_end(void);
/* The call is about to return that error. */
void check_call_failed(int error, const char *name, const char *text);
/* What the program called in this thread, and from where; the same until that call returns. NULL: this thread is in no
 * call of the program's, it runs what a stream was given. */
const struct host_call *check_call(void);
u64 check_call_number(void);            /* of this thread's calls, from 1 */
struct host_call *check_call_new(void); /* a copy, for ls_free; NULL: no memory, or no call */
/* More about the call under way, should it fail: "the destination has 64 bytes, ...". */
void check_call_detail(const char *fmt, ...) LS_PRINTF(1, 2);

/* What is wrong, should the call under way fail: filled by the caller, in place of an API error. */
struct finding *check_call_explain(enum finding_kind kind);

/* ---- check_host.c ---- */

extern bool check_host_on; /* the rest does nothing unless it is */
void check_host_start(void);
/* The outermost call of this thread begins, and ends. */
void check_host_enter(void);
void check_host_leave(void);
void check_host_stop(void); /* the process ends */

/* ---- observers of the driver ---- */

extern const struct driver_observer order_observer;   /* core/host_order.c */
extern const struct driver_observer memory_observer;  /* core/host_memory.c */
extern const struct driver_observer refused_observer; /* memcheck/host_refused.c */
extern const struct driver_observer leaks_observer;   /* leakcheck/host_leaks.c */

/* core/host_memory.c: the serial of the live block that begins at base; 0: there is none. */
u64 check_serial_of(u64 base);

/* ---- check_dropped.c ---- */

/* Whether the code at these return addresses (of one stack, innermost first) surely does not look at what the call
 * returned. */
bool check_result_dropped(const u64 *frames, u32 nframes);

/* ---- check_status.c ---- */

/* The call under way fails, and the program is told so. */
void check_status_failed(const char *what, const struct host_call *call);
void check_status_asked(void);
void check_status_launched(const void *site);
void check_status_end(bool success); /* of the process: whether it says that it succeeded */

#endif
