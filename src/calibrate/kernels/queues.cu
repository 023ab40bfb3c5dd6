/* queues.cu - how many memory instructions a warp issues before it must wait: the time until N of them have been issued, none
 * of which anybody waits for. p[0]: memory, for the global ones; p[1]: bytes from one lane to the next; p[2]: 0. */
#include "bench.cuh"

enum { SHARED_BYTES = 16384 };

BENCH_INLINE u32 shared_base()
{
    __shared__ __align__(128) u32 words[SHARED_BYTES / 4];
    u64 address;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"((const void *)words));
    for (u32 i = threadIdx.x; i < SHARED_BYTES / 4; i += blockDim.x) words[i] = i;
    __syncthreads();
    return (u32)address;
}

#define SHARED_AT const u32 at = shared_base() + ((threadIdx.x & 31) * (u32)g.p[1] & (SHARED_BYTES - 1))
#define GLOBAL_AT const u64 at = g.p[0] + (threadIdx.x & 31) * g.p[1] + (threadIdx.x >> 5) * 4096

/* Each is done twice: the first time brings code and lines. What is timed are the issues alone. */
#define QUEUE(name, n, address, text)                                                                                  \
    BENCH queue_##name##_##n(args g)                                                                                   \
    {                                                                                                                  \
        address;                                                                                                       \
        u32 got[n];                                                                                                    \
        bench_span s;                                                                                                  \
        u32 sum = 0;                                                                                                   \
        _Pragma("unroll 1") for (u32 pass = 0; pass < 3; pass++)                                                       \
        {                                                                                                              \
            _Pragma("unroll") for (u32 k = 0; k < n; k++) got[k] = pass;                                              \
            __syncthreads();                                                                                           \
            s.begin = bench_ns();                                                                                      \
            s.cycles = bench_clock();                                                                                  \
            _Pragma("unroll") for (u32 k = 0; k < n; k++) asm volatile(text : "+r"(got[k]) : ADDRESS(at + 4 * k)        \
                                                                         : "memory");                                  \
            s.cycles = bench_clock() - s.cycles;                                                                       \
            _Pragma("unroll") for (u32 k = 0; k < n; k++) sum += got[k];                                               \
            s.end = bench_ns();                                                                                        \
        }                                                                                                              \
        bench_use(g, sum);                                                                                             \
        bench_record(g, s);                                                                                            \
    }
#define QUEUES(name, address, text)                                                                                    \
    QUEUE(name, 1, address, text)                                                                                      \
    QUEUE(name, 2, address, text)                                                                                      \
    QUEUE(name, 4, address, text)                                                                                      \
    QUEUE(name, 8, address, text)                                                                                      \
    QUEUE(name, 12, address, text)                                                                                     \
    QUEUE(name, 16, address, text)                                                                                     \
    QUEUE(name, 24, address, text)                                                                                     \
    QUEUE(name, 32, address, text)                                                                                     \
    QUEUE(name, 48, address, text)

#define ADDRESS(at) "r"(at)
QUEUES(shared_load, SHARED_AT, "ld.volatile.shared.u32 %0, [%1];")
QUEUES(shared_store, SHARED_AT, "st.volatile.shared.u32 [%1], %0;")
#undef ADDRESS
#define ADDRESS(at) "l"(at)
QUEUES(global_load, GLOBAL_AT, "ld.relaxed.gpu.global.u32 %0, [%1];")
QUEUES(l1_load, GLOBAL_AT, "ld.weak.global.u32 %0, [%1];")
QUEUES(global_store, GLOBAL_AT, "st.relaxed.gpu.global.u32 [%1], %0;")
QUEUES(global_red, GLOBAL_AT, "red.relaxed.gpu.global.add.u32 [%1], %0;")
#undef ADDRESS
