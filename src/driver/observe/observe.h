/* observe.h - the driver as a source of events, as the engine is one (exec_hooks): it emits what the program asks for
 * and what becomes of it, and does not know its observers.
 *
 *     static const struct driver_observer mine = {.call_begin = on_call_begin, .copied = on_copied};
 *     driver_observe(&mine);
 *
 * events.def is the list. An event without observers costs the test of a bit: TELL does not evaluate its arguments
 * then. Observers are called one after the other, in the order in which they were added. They only observe; the one
 * place where a tool may change what the driver does is the launcher (launcher.h). */
#ifndef LS_DRIVER_OBSERVE_H
#define LS_DRIVER_OBSERVE_H

#include <stdatomic.h>

#include "base/base.h"
#include "driver/arguments.h"
#include "driver/cuda_abi.h"

struct op;
struct exec_module;

enum driver_moment { PROCESS_START, PROCESS_FORKED, PROCESS_MAIN_ENDED, PROCESS_END };

struct driver_call {
    const char *name;
    const void *from; /* a return address in the caller; if `above`, in that library */
    bool above;       /* a library above the driver reports its own call */
    /* In call_end, for the driver's own functions: */
    CUresult result;
    const struct call_arg *args;
    unsigned nargs;
};

struct driver_refusal {
    enum {
        REFUSED_TEXT,  /* text says why */
        REFUSED_RANGE, /* [address, address + size), which text names ("source"), cannot be used so */
        REFUSED_FREE,  /* no allocation that this call could free begins at address */
        REFUSED_ARRAY, /* there is no array of that handle */
        REFUSED_NUMBER /* this driver knows no attribute `address` of the kind that text names: programs that know more try
                          them, and take the failure for an answer */
    } what;
    const char *text;
    u64 address, size;
    const void *handle;
};

struct driver_ask {
    enum { ASKED_COPY, ASKED_FILL, ASKED_KERNEL, ASKED_HOST, ASKED_GRAPH } what;
    const struct CUstream_st *stream; /* NULL: it is done now, in the graph that this thread runs, if any */
    u64 bytes;
    const void *from, *to; /* of a copy or a fill; any addresses */
    bool waits;            /* the call returns when it is done */
    u64 launch;            /* a kernel's, as in exec_launch; a graph's, counted by themselves */
};

struct driver_put {
    u64 number; /* 1, 2, ... over all operations; threads may report theirs in another order */
    const struct CUstream_st *stream;
    u64 launch; /* of a kernel, else 0 */
    const char *kernel;
    const void *graph; /* the executable graph that is launched (its launches take turns), else NULL */
};

/* What is waited for: one of these; everything if all are empty. */
struct driver_wait {
    const struct CUstream_st *stream;
    const struct CUevent_st *event;
    CUcontext ctx;
    u64 op; /* and all that is before it */
};

/* An observer: NULL for the events that it does not want. */
struct driver_observer {
#define EVENT(name, parameters, arguments) void(*name) parameters;
#include "driver/observe/events.def"
#undef EVENT
};

/* At any time. Whether events under way in other threads are still delivered is open. */
void driver_observe(const struct driver_observer *o);
void driver_unobserve(const struct driver_observer *o);

/* ---- the driver's side ---- */

enum driver_event {
#define EVENT(name, parameters, arguments) HEARD_##name,
#include "driver/observe/events.def"
#undef EVENT
    DRIVER_EVENTS
};

extern _Atomic u64 driver_heard; /* a bit an event: some observer wants it */

#define HEARD_BIT(name) ((u64)1 << HEARD_##name)
#define ANY_HEARD(bits) LS_UNLIKELY(atomic_load_explicit(&driver_heard, memory_order_relaxed) & (bits))
#define HEARD(name) ANY_HEARD(HEARD_BIT(name))

#define EVENT(name, parameters, arguments) void emit_##name parameters;
#include "driver/observe/events.def"
#undef EVENT

/* TELL(event, arguments...) */
#define TELL(name, ...)                                                                                                \
    do {                                                                                                               \
        if (HEARD(name))                                                                                               \
            emit_##name(__VA_ARGS__);                                                                                  \
    } while (0)

/* For the wrappers of entry points: the first returns how many observers the second has to call. */
#define CALLS_HEARD ANY_HEARD(HEARD_BIT(call_begin) | HEARD_BIT(call_end) | HEARD_BIT(call_failed))
unsigned driver_call_begin(const char *name, const void *from);
void driver_call_end(unsigned observers, const struct driver_call *c);

/* Emits call_refused with that text, if an observer wants it. */
void driver_refused(const char *fmt, ...) LS_PRINTF(1, 2);

#endif
