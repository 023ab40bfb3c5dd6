/* block.cu - barriers of blocks and grids, and the clock itself. */
#include "bench.cuh"
#include "kernels/lockstep_grid.cuh"

/* p[0] barriers of the block. */
BENCH barrier(args g)
{
    bench_span s;
#pragma unroll 1
    for (u32 pass = 0; pass < 2; pass++) {
        bench_begin(s);
#pragma unroll 1
        for (u32 i = 0; i < (u32)g.p[0]; i += 16) {
#pragma unroll
            for (u32 k = 0; k < 16; k++) asm volatile("bar.sync 0;" ::: "memory");
        }
        bench_end(s);
    }
    bench_record(g, s);
}

/* p[0] barriers of the grid. */
BENCH grid_barrier(args g)
{
    bench_span s;
    ls_grid_sync();
    bench_begin(s);
    for (u32 i = 0; i < (u32)g.p[0]; i++) ls_grid_sync();
    bench_end(s);
    bench_record(g, s);
}

/* Runs for p[0] cycles: what the clock says against the time. */
BENCH clock_rate(args g)
{
    bench_span s;
    bench_begin(s);
    const u64 until = s.cycles + g.p[0];
    while (bench_clock() < until)
        ;
    bench_end(s);
    bench_record(g, s);
}

/* p[0] reads of the clock, one after the other. */
BENCH clock_read(args g)
{
    bench_span s;
    u64 sum = 0;
    bench_begin(s);
#pragma unroll 1
    for (u32 i = 0; i < (u32)g.p[0]; i += 16) {
#pragma unroll
        for (u32 k = 0; k < 16; k++) {
            u32 t;
            asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
            sum ^= t;
        }
    }
    bench_use(g, sum);
    bench_end(s);
    bench_record(g, s);
}

/* Sixteen integer instructions of a chain. */
#define CHAIN2 "xor.b32 %0, %0, %1; add.u32 %0, %0, %2; "
#define CHAIN16 CHAIN2 CHAIN2 CHAIN2 CHAIN2 CHAIN2 CHAIN2 CHAIN2 CHAIN2

/* A loop of p[0] rounds, in each a chain of 16. */
#define LOOP(name, text)                                                                                               \
    BENCH name(args g)                                                                                                 \
    {                                                                                                                  \
        u32 x = threadIdx.x, a = x + 3, b = x + 5;                                                                     \
        bench_span s;                                                                                                  \
        _Pragma("unroll 1") for (u32 pass = 0; pass < 2; pass++)                                                       \
        {                                                                                                              \
            bench_begin(s);                                                                                            \
            bench_hold(x);                                                                                             \
            _Pragma("unroll 1") for (u32 i = 0; i < (u32)g.p[0]; i++) asm volatile(text                                \
                                                                                   : "+r"(x)                           \
                                                                                   : "r"(a), "r"(b));                  \
            bench_use(g, x);                                                                                           \
            bench_end(s);                                                                                              \
        }                                                                                                              \
        bench_record(g, s);                                                                                            \
    }
LOOP(loop, CHAIN16)
/* Even lanes do 16, odd ones 32. */
LOOP(loop_part, "{.reg .pred q; .reg .b32 t; and.b32 t, %1, 1; setp.ne.u32 q, t, 0; @q bra ODD; " CHAIN16
                "bra MEET; ODD: " CHAIN16 CHAIN16 "MEET:}")

BENCH empty(args g) {}

struct large {
    u64 words[500];
};
BENCH empty_large(args g, large l) {}

extern __shared__ u32 dynamic[];
/* Its shared memory is used, or the launch would not need it. */
BENCH empty_shared(args g)
{
    if (g.p[0])
        dynamic[threadIdx.x] = (u32)g.p[0];
}

/* When each block began. */
BENCH starts(args g)
{
    if (threadIdx.x)
        return;
    u64 *out = g.out + (u64)RECORD_WORDS * blockIdx.x;
    out[0] = bench_clock();
    out[1] = out[2] = bench_ns();
    out[3] = bench_sm();
}
