/* atomics.cu - atomics of the whole device. A thread's word is at p[0] + p[1] x lane + p[2] x warp of the grid, cut to p[3]
 * bytes (a power of two); it does p[4] of them. Only the first p[5] lanes of a warp take part. Operands are not 0. */
#include "bench.cuh"

enum { STEPS = 8 };

#define ATOMIC(name, type, letter, text)                                                                               \
    BENCH __launch_bounds__(1024) atomics_##name(args g)                                                               \
    {                                                                                                                  \
        const u32 lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;                        \
        const u64 p = g.p[0] + ((g.p[1] * lane + g.p[2] * warp) & (g.p[3] - 1) & ~(u64)(sizeof(type) - 1));            \
        type v = (type)(1 + (lane & (u32)g.p[4])), got = v, sum = v;                                                   \
        bench_span s;                                                                                                  \
        bench_begin(s);                                                                                                \
        if (lane < (u32)g.p[5]) {                                                                                      \
            _Pragma("unroll 1") for (u32 i = 0; i < (u32)g.p[4]; i += STEPS)                                           \
            {                                                                                                          \
                _Pragma("unroll") for (u32 k = 0; k < STEPS; k++)                                                      \
                {                                                                                                      \
                    asm volatile(text : "+" letter(got) : "l"(p), letter(v) : "memory");                               \
                    sum += got;                                                                                        \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        bench_use(g, sum);                                                                                             \
        bench_end(s);                                                                                                  \
        bench_record(g, s);                                                                                            \
    }
ATOMIC(red_u32, u32, "r", "red.global.add.u32 [%1], %2;")
ATOMIC(red_u64, u64, "l", "red.global.add.u64 [%1], %2;")
ATOMIC(red_f32, float, "f", "red.global.add.f32 [%1], %2;")
ATOMIC(red_f64, double, "d", "red.global.add.f64 [%1], %2;")
ATOMIC(red_max, u32, "r", "red.global.max.u32 [%1], %2;")
ATOMIC(add_u32, u32, "r", "atom.global.add.u32 %0, [%1], %2;")
ATOMIC(add_f32, float, "f", "atom.global.add.f32 %0, [%1], %2;")
ATOMIC(cas_u32, u32, "r", "atom.global.cas.b32 %0, [%1], %2, %2;")
ATOMIC(exchange_u32, u32, "r", "atom.global.exch.b32 %0, [%1], %2;")

/* Additions at random words of the p[3] bytes (a power of two) at p[0], p[4] of them a thread. */
BENCH __launch_bounds__(1024) atomics_random(args g)
{
    u32 at = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b9u;
    bench_span s;
    bench_begin(s);
#pragma unroll 1
    for (u32 i = 0; i < (u32)g.p[4]; i++) {
        at = at * 0x915f77f5u + 0x2545f491u;
        const u64 p = g.p[0] + ((u64)(at ^ at >> 15) * 4 & (g.p[3] - 1));
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(at | 1) : "memory");
    }
    bench_end(s);
    bench_record(g, s);
}

/* One thread of each block adds p[4] times at one word, in a loop until nobody else was faster. */
BENCH atomics_swap_loop(args g)
{
    bench_span s;
    bench_begin(s);
    if (threadIdx.x == 0)
        for (u32 i = 0; i < (u32)g.p[4]; i++) {
            u32 seen, before;
            asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(seen) : "l"(g.p[0]) : "memory");
            do {
                before = seen;
                asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                             : "=r"(seen)
                             : "l"(g.p[0]), "r"(before), "r"(before + 1)
                             : "memory");
            } while (seen != before);
        }
    bench_end(s);
    bench_record(g, s);
}
