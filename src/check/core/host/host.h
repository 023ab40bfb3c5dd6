/* host.h - the host's side of `lockstep check`, which observes the driver: with LOCKSTEP_CHECK=<tools> and
 * LOCKSTEP_SESSION=<folder> each selected launch runs under the checks, and all findings go to <folder>/<pid>.chk.
 *
 *     host.c            the environment, the record file, launches, the end of the process
 *     host_call.c       calls of the program: who called, from where
 *     host_order.c      the order of streams
 *     host_memory.c     allocations, copies and fills
 *     host_observers.c  who observes the driver: the above, and the tools' own host_*.c
 *
 * Nothing here runs unless check_on. */
#ifndef LS_CHECK_HOST_H
#define LS_CHECK_HOST_H

#include "check/core/check.h"
#include "driver/observe/launcher.h"

extern bool check_on;
extern struct check *checked; /* the process's; NULL unless check_on */

/* ---- host_observers.c ---- */

#define OBSERVER(name, tools) extern const struct driver_observer observer_##name;
#include "check/tools.def"

void check_observe(const struct driver_observer *but); /* without that one */
void check_unobserve(void);                            /* and check_on is no more */

/* ---- host.c ---- */

void check_start(void); /* at the driver's start, when there is memory */
/* The same for a debugger: with these options, whatever the environment says. */
enum ls_status check_start_with(const struct check_options *o);
/* The program's main function has returned, or it called exit; the library is unloaded. */
void check_settle(void);
void check_end(void);
/* One grid, under the hooks if it is wanted. As in struct driver_launcher. */
enum ls_status check_grid(struct driver_launch *x, CUfunction f, bool wanted, struct exec_launch *l,
                          struct exec_fault *fault);
bool check_wants(enum check_tool tool);
bool check_idle(void);      /* no stream has anything to do */
bool check_succeeded(void); /* what the process says of itself in the end */

/* ---- host_call.c ---- */

void check_call_init(void);
/* An entry of the driver begins and returns; a library above says the same of its own. Calls that they make are theirs.
 */
void check_call_begin(const char *name, const void *from);       /* from: a return address in the caller */
void check_call_begin_above(const char *name, const void *from); /* its code, where no place of the program's is */
void check_call_end(void);
/* The call under way is about to return that error, and the program is told so: what a sanitizer says of it. False: it is
 * an answer and no error, or no call of the program's own. */
bool check_call_error(int error, const char *name, const char *text, char *what, size_t n);
/* The call under way asks whether there is something: if it fails, that is an answer. */
void check_call_answered(void);
/* What the program called in this thread, and from where; the same until that call returns. NULL: this thread is in no
 * call of the program's, it runs what a stream was given. */
const struct host_call *check_call(void);
u64 check_call_number(void);            /* of this thread's calls, from 1 */
struct host_call *check_call_new(void); /* a copy, for ls_free; NULL: no memory, or no call */
/* ---- host_memory.c ---- */

/* The serial of the live block that begins at base; 0: there is none. */
u64 check_serial_of(u64 base);

#endif
