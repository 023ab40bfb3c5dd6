/* enter.c - what every entry does before and after its implementation: the driver, a context, the last error. */
#include <stdatomic.h>

#include "runtime/runtime.h"
#include "runtime/runtime_trace.h"

_Thread_local struct rt_thread rt;

cudaError_t rt_enter(enum rt_when when)
{
    if (when == WHEN_ANY)
        return cudaSuccess;
    cudaError_t e = driver_load();
    return e == cudaSuccess && when == WHEN_CTX ? context_enter() : e;
}

cudaError_t rt_leave(cudaError_t e)
{
    if (LS_LIKELY(e == cudaSuccess))
        return e;
    rt.last = e;
    if (trace_checks.failed)
        trace_checks.failed((int)e, cudaGetErrorName(e), cudaGetErrorString(e));
    return e;
}

cudaError_t rt_not_supported(atomic_bool *said, const char *name)
{
    if (!atomic_exchange(said, true))
        rt_log("%s is not supported by Lockstep's runtime library; docs/runtime.md lists what is", name);
    trace_begin(name);
    const cudaError_t e = rt_leave(cudaErrorNotSupported);
    if (trace_timeline)
        trace_timeline(name, 0);
    return e;
}
