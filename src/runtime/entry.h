/* entry.h - from a row of a table (api.def has the form) to an exported function. The including file defines
 * ENTRY_IMPL(name), the implementation's name, before, and undefines API, STUB and ABSENT after its table. */
#ifndef LS_RUNTIME_ENTRY_H
#define LS_RUNTIME_ENTRY_H

#include <stdatomic.h>

#include "runtime/runtime_trace.h"

#define ENTRY(symbol, impl, when, twin, n, ...)                                                                        \
    cudaError_t symbol(LS_DECL_##n(__VA_ARGS__));                                                                      \
    cudaError_t symbol(LS_DECL_##n(__VA_ARGS__))                                                                       \
    {                                                                                                                  \
        const bool rt_shown = trace_begin(#symbol);                                                                    \
        cudaError_t rt_error = rt_enter(WHEN_##when);                                                                  \
        if (LS_UNLIKELY(trace_timeline != NULL && !rt_shown))                                                          \
            trace_begin(#symbol); /* the call that loaded the driver */                                                \
        if (LS_LIKELY(rt_error == cudaSuccess)) {                                                                      \
            rt.per_thread = twin;                                                                                      \
            rt_error = impl(PASS_##n(__VA_ARGS__));                                                                    \
            rt.per_thread = false;                                                                                     \
        }                                                                                                              \
        if (LS_UNLIKELY(trace_on)) {                                                                                   \
            const struct call_arg rt_args[] = {ARGS_##n(__VA_ARGS__)};                                                 \
            trace_call(#symbol, rt_error, rt_args, n);                                                                 \
        }                                                                                                              \
        rt_error = rt_leave(rt_error);                                                                                 \
        if (LS_UNLIKELY(trace_timeline != NULL))                                                                       \
            trace_timeline(#symbol, 0);                                                                                \
        return rt_error;                                                                                               \
    }

#define ENTRIES__(name, when, n, ...) ENTRY(name, ENTRY_IMPL(name), when, false, n, ##__VA_ARGS__)
#define ENTRIES_SZ(name, when, n, ...)                                                                                 \
    ENTRY(name, ENTRY_IMPL(name), when, false, n, ##__VA_ARGS__)                                                       \
    ENTRY(name##_ptsz, ENTRY_IMPL(name), when, true, n, ##__VA_ARGS__)
#define ENTRIES_DS(name, when, n, ...)                                                                                 \
    ENTRY(name, ENTRY_IMPL(name), when, false, n, ##__VA_ARGS__)                                                       \
    ENTRY(name##_ptds, ENTRY_IMPL(name), when, true, n, ##__VA_ARGS__)

#define REFUSAL(symbol, n, ...)                                                                                        \
    cudaError_t symbol(LS_DECL_##n(__VA_ARGS__));                                                                      \
    cudaError_t symbol(LS_DECL_##n(__VA_ARGS__))                                                                       \
    {                                                                                                                  \
        static atomic_bool said;                                                                                       \
        return rt_not_supported(&said, #symbol);                                                                       \
    }

#define API(name, when, threads, n, ...) ENTRIES_##threads(name, when, n, ##__VA_ARGS__)
#define STUB(name, threads, n, ...) STUBS_##threads(name, n, ##__VA_ARGS__)
#define ABSENT(name) REFUSAL(name, 0)
#define STUBS__(name, n, ...) REFUSAL(name, n, ##__VA_ARGS__)
#define STUBS_SZ(name, n, ...) REFUSAL(name, n, ##__VA_ARGS__) REFUSAL(name##_ptsz, n, ##__VA_ARGS__)
#define STUBS_DS(name, n, ...) REFUSAL(name, n, ##__VA_ARGS__) REFUSAL(name##_ptds, n, ##__VA_ARGS__)

#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wunused-parameter" /* of what is not supported */

#endif
