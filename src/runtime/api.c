/* api.c - the exported functions of api.def: each makes sure of the driver and a context, calls its implementation,
 * records the calling thread's last error and is traced. */
#include "runtime/runtime.h"

#include <stdatomic.h>

#include "runtime/trace.h"

_Thread_local struct rt_thread rt;

static cudaError_t enter(enum rt_when when)
{
    if (when == WHEN_ANY)
        return cudaSuccess;
    cudaError_t e = driver_load();
    return e == cudaSuccess && when == WHEN_CTX ? context_enter() : e;
}

static cudaError_t leave(cudaError_t e)
{
    if (LS_UNLIKELY(e != cudaSuccess))
        rt.last = e;
    return e;
}

static cudaError_t not_supported(atomic_bool *said, const char *name)
{
    if (!atomic_exchange(said, true))
        rt_log("%s is not supported by Lockstep's runtime library; docs/runtime.md lists what is", name);
    return leave(cudaErrorNotSupported);
}

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

#define ARG(T, a) {#T, #a, &(a), sizeof(a)}
#define ARGS_0() {"", "", NULL, 0}
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

#define ENTRY(symbol, name, when, twin, n, ...)                                                                        \
    cudaError_t symbol(LS_DECL_##n(__VA_ARGS__));                                                                      \
    cudaError_t symbol(LS_DECL_##n(__VA_ARGS__))                                                                       \
    {                                                                                                                  \
        cudaError_t rt_error = enter(WHEN_##when);                                                                     \
        if (LS_LIKELY(rt_error == cudaSuccess)) {                                                                      \
            rt.per_thread = twin;                                                                                      \
            rt_error = impl_##name(PASS_##n(__VA_ARGS__));                                                             \
            rt.per_thread = false;                                                                                     \
        }                                                                                                              \
        if (LS_UNLIKELY(trace_on)) {                                                                                   \
            const struct trace_arg rt_args[] = {ARGS_##n(__VA_ARGS__)};                                                \
            trace_call(#symbol, rt_error, rt_args, n);                                                                 \
        }                                                                                                              \
        return leave(rt_error);                                                                                        \
    }

#define ENTRIES__(name, when, n, ...) ENTRY(name, name, when, false, n, ##__VA_ARGS__)
#define ENTRIES_SZ(name, when, n, ...)                                                                                 \
    ENTRY(name, name, when, false, n, ##__VA_ARGS__) ENTRY(name##_ptsz, name, when, true, n, ##__VA_ARGS__)
#define ENTRIES_DS(name, when, n, ...)                                                                                 \
    ENTRY(name, name, when, false, n, ##__VA_ARGS__) ENTRY(name##_ptds, name, when, true, n, ##__VA_ARGS__)

#define REFUSAL(symbol, n, ...)                                                                                        \
    cudaError_t symbol(LS_DECL_##n(__VA_ARGS__));                                                                      \
    cudaError_t symbol(LS_DECL_##n(__VA_ARGS__))                                                                       \
    {                                                                                                                  \
        static atomic_bool said;                                                                                       \
        return not_supported(&said, #symbol);                                                                          \
    }

#pragma GCC visibility push(default)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" /* of what is not supported */
#define API(name, when, threads, n, ...) ENTRIES_##threads(name, when, n, ##__VA_ARGS__)
#define STUB(name, threads, n, ...) STUBS_##threads(name, n, ##__VA_ARGS__)
#define ABSENT(name) REFUSAL(name, 0)
#define STUBS__(name, n, ...) REFUSAL(name, n, ##__VA_ARGS__)
#define STUBS_SZ(name, n, ...) REFUSAL(name, n, ##__VA_ARGS__) REFUSAL(name##_ptsz, n, ##__VA_ARGS__)
#define STUBS_DS(name, n, ...) REFUSAL(name, n, ##__VA_ARGS__) REFUSAL(name##_ptds, n, ##__VA_ARGS__)
#include "runtime/api.def"
#undef API
#undef STUB
#undef ABSENT
#pragma GCC diagnostic pop
#pragma GCC visibility pop
