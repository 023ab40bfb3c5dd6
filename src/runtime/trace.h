/* trace.h - LOCKSTEP_TRACE=1: calls of the runtime library on stderr, with their arguments. */
#ifndef LS_RUNTIME_TRACE_H
#define LS_RUNTIME_TRACE_H

#include "runtime/runtime.h"

struct trace_arg {
    const char *type, *name;
    const void *at;
    size_t size;
};

extern bool trace_on;

void trace_call(const char *function, cudaError_t result, const struct trace_arg *args, unsigned n);

#endif
