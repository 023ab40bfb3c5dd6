/* api.c - the exported functions of api.def: each checks the driver's state, calls its implementation and is traced. */
#include "driver/check.h"
#include "driver/driver.h"
#include "driver/timeline.h"
#include "driver/trace.h"

#define ENTRY(symbol, name, when, per_thread, n, ...)                                                                  \
    CUresult symbol(LS_DECL_##n(__VA_ARGS__))                                                                          \
    {                                                                                                                  \
        CUresult result = driver_enter(WHEN_##when);                                                                   \
        const bool shown = LS_UNLIKELY(timeline_on), seen = LS_UNLIKELY(check_on);                                     \
        if (shown)                                                                                                     \
            timeline_call(#symbol, true);                                                                              \
        if (seen)                                                                                                      \
            check_call_begin(#symbol, __builtin_return_address(0));                                                    \
        if (LS_LIKELY(result == CUDA_SUCCESS)) {                                                                       \
            bool before = drv_per_thread;                                                                              \
            drv_per_thread = per_thread;                                                                               \
            result = impl_##name(PASS_##n(__VA_ARGS__));                                                               \
            drv_per_thread = before;                                                                                   \
        }                                                                                                              \
        if (LS_UNLIKELY(drv.trace)) {                                                                                  \
            const struct trace_arg args[] = {ARGS_##n(__VA_ARGS__)};                                                   \
            trace_call(#symbol, result, args, n);                                                                      \
        }                                                                                                              \
        if (shown)                                                                                                     \
            timeline_call(#symbol, false);                                                                             \
        if (seen)                                                                                                      \
            check_call_end(result);                                                                                    \
        return result;                                                                                                 \
    }

#define ENTRIES__(name, when, n, ...) ENTRY(name, name, when, false, n, ##__VA_ARGS__)
#define ENTRIES_SZ(name, when, n, ...)                                                                                 \
    ENTRY(name, name, when, false, n, ##__VA_ARGS__) ENTRY(name##_ptsz, name, when, true, n, ##__VA_ARGS__)
#define ENTRIES_DS(name, when, n, ...)                                                                                 \
    ENTRY(name, name, when, false, n, ##__VA_ARGS__) ENTRY(name##_ptds, name, when, true, n, ##__VA_ARGS__)

_Thread_local bool drv_per_thread;

#define API(name, when, threads, n, ...) ENTRIES_##threads(name, when, n, ##__VA_ARGS__)
#include "driver/api.def"
#undef API
