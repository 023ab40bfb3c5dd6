/* api.c - the exported functions of api.def: each checks the driver's state, calls its implementation, and emits
 * call_begin and call_end. */
#include "driver/driver.h"

#define ENTRY(symbol, name, when, per_thread, n, ...)                                                                  \
    CUresult symbol(LS_DECL_##n(__VA_ARGS__))                                                                          \
    {                                                                                                                  \
        CUresult result = driver_enter(WHEN_##when);                                                                   \
        const unsigned told = CALLS_HEARD ? driver_call_begin(#symbol, __builtin_return_address(0)) : 0;               \
        if (LS_LIKELY(result == CUDA_SUCCESS)) {                                                                       \
            bool before = drv_per_thread;                                                                              \
            drv_per_thread = per_thread;                                                                               \
            result = impl_##name(PASS_##n(__VA_ARGS__));                                                               \
            drv_per_thread = before;                                                                                   \
        }                                                                                                              \
        if (LS_UNLIKELY(told)) {                                                                                       \
            const struct call_arg args[] = {ARGS_##n(__VA_ARGS__)};                                                    \
            driver_call_end(told, &(struct driver_call){#symbol, NULL, false, result, args, n});                       \
        }                                                                                                              \
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
