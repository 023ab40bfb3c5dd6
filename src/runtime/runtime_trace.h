/* runtime_trace.h - LOCKSTEP_TRACE=1: calls of the runtime library on stderr, with their arguments. */
#ifndef LS_RUNTIME_RUNTIME_TRACE_H
#define LS_RUNTIME_RUNTIME_TRACE_H

#include "driver/arguments.h"
#include "runtime/runtime.h"

extern bool trace_on;

/* Where Lockstep's driver takes reports of this library's calls (lockstep_driver_call); NULL: it takes none, or is
 * another driver. Set when the driver is loaded. */
typedef void (*trace_timeline_fn)(const char *name, int begins);
extern trace_timeline_fn trace_timeline;

/* A call begins; false: nothing takes the report (yet). */
static inline bool trace_begin(const char *name)
{
    if (LS_LIKELY(!trace_timeline))
        return false;
    trace_timeline(name, 1);
    return true;
}

/* The same for the results of calls, for LOCKSTEP_CHECK (driver/memory/own.h). NULL: nothing takes them. */
struct trace_checks {
    void (*failed)(int error, const char *name, const char *text);
    void (*asked)(void);
    void (*launched)(const void *site);
};
extern struct trace_checks trace_checks;

void trace_call(const char *function, cudaError_t result, const struct call_arg *args, unsigned n);

#endif
