/* api.c - the exported functions of api.def: each checks the driver's state, calls its implementation and is traced. */
#include "driver/driver.h"
#include "driver/timeline.h"
#include "driver/trace.h"

#define PASS_0()
#define PASS_1(T1, a1) a1
#define PASS_2(T1, a1, ...) a1, PASS_1(__VA_ARGS__)
#define PASS_3(T1, a1, ...) a1, PASS_2(__VA_ARGS__)
#define PASS_4(T1, a1, ...) a1, PASS_3(__VA_ARGS__)
#define PASS_5(T1, a1, ...) a1, PASS_4(__VA_ARGS__)
#define PASS_6(T1, a1, ...) a1, PASS_5(__VA_ARGS__)
#define PASS_7(T1, a1, ...) a1, PASS_6(__VA_ARGS__)
#define PASS_8(T1, a1, ...) a1, PASS_7(__VA_ARGS__)
#define PASS_9(T1, a1, ...) a1, PASS_8(__VA_ARGS__)
#define PASS_10(T1, a1, ...) a1, PASS_9(__VA_ARGS__)
#define PASS_11(T1, a1, ...) a1, PASS_10(__VA_ARGS__)

#define ARG(T, a)                                                                                                      \
    {                                                                                                                  \
#T, #a, &(a), sizeof(a)                                                                                        \
    }
#define ARGS_0()                                                                                                       \
    {                                                                                                                  \
        "", "", NULL, 0                                                                                                \
    }
#define ARGS_1(T1, a1) ARG(T1, a1)
#define ARGS_2(T1, a1, ...) ARG(T1, a1), ARGS_1(__VA_ARGS__)
#define ARGS_3(T1, a1, ...) ARG(T1, a1), ARGS_2(__VA_ARGS__)
#define ARGS_4(T1, a1, ...) ARG(T1, a1), ARGS_3(__VA_ARGS__)
#define ARGS_5(T1, a1, ...) ARG(T1, a1), ARGS_4(__VA_ARGS__)
#define ARGS_6(T1, a1, ...) ARG(T1, a1), ARGS_5(__VA_ARGS__)
#define ARGS_7(T1, a1, ...) ARG(T1, a1), ARGS_6(__VA_ARGS__)
#define ARGS_8(T1, a1, ...) ARG(T1, a1), ARGS_7(__VA_ARGS__)
#define ARGS_9(T1, a1, ...) ARG(T1, a1), ARGS_8(__VA_ARGS__)
#define ARGS_10(T1, a1, ...) ARG(T1, a1), ARGS_9(__VA_ARGS__)
#define ARGS_11(T1, a1, ...) ARG(T1, a1), ARGS_10(__VA_ARGS__)

#define ENTRY(symbol, name, when, per_thread, n, ...)                                                                  \
    CUresult symbol(LS_DECL_##n(__VA_ARGS__))                                                                          \
    {                                                                                                                  \
        CUresult result = driver_enter(WHEN_##when);                                                                   \
        const bool shown = LS_UNLIKELY(timeline_on);                                                                   \
        if (shown)                                                                                                     \
            timeline_call(#symbol, true);                                                                              \
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
