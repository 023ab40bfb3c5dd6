/* bench.cuh - what the microbenchmarks share: their one parameter, the record that each block leaves, and the clock.
 *
 * Everything that is measured is made of a value that the host chose and is consumed at the end, so that no compiler can
 * reckon it beforehand or leave it out. */
#ifndef LS_CALIBRATE_BENCH_CUH
#define LS_CALIBRATE_BENCH_CUH

#include "kernels/lockstep_device.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

/* As struct bench_args and struct bench_record on the host's side (bench.h). */
struct args {
    u64 *out;   /* a record a block */
    u64 p[7];   /* what the kernel says */
};
enum { RECORD_WORDS = 4 }; /* cycles, begin and end in ns, SM */

#define BENCH extern "C" __global__ void
#define BENCH_INLINE static __device__ __forceinline__

BENCH_INLINE void bench_hold(u32 &x) { asm volatile("" : "+r"(x)::"memory"); }
BENCH_INLINE void bench_hold(u64 &x) { asm volatile("" : "+l"(x)::"memory"); }
BENCH_INLINE void bench_hold(float &x) { asm volatile("" : "+f"(x)::"memory"); }
BENCH_INLINE void bench_hold(double &x) { asm volatile("" : "+d"(x)::"memory"); }

BENCH_INLINE u64 bench_clock()
{
    u64 t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}
BENCH_INLINE u64 bench_ns()
{
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}
BENCH_INLINE u32 bench_sm()
{
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* Between two of these lies what is timed. */
struct bench_span {
    u64 cycles, begin, end;
};
BENCH_INLINE void bench_begin(bench_span &s)
{
    __syncthreads();
    s.begin = bench_ns();
    s.cycles = bench_clock();
}
BENCH_INLINE void bench_end(bench_span &s)
{
    __syncthreads();
    s.cycles = bench_clock() - s.cycles;
    s.end = bench_ns();
}
BENCH_INLINE void bench_record(const args &g, const bench_span &s)
{
    if (threadIdx.x)
        return;
    u64 *out = g.out + (u64)RECORD_WORDS * blockIdx.x;
    out[0] = s.cycles;
    out[1] = s.begin;
    out[2] = s.end;
    out[3] = bench_sm();
}

/* A value is used; the store is hardly ever done. */
BENCH_INLINE void bench_use(const args &g, u32 x)
{
    if (x == 0x9e3779b9u)
        g.out[3] = x;
}
BENCH_INLINE void bench_use(const args &g, u64 x) { bench_use(g, (u32)(x ^ x >> 32)); }
BENCH_INLINE void bench_use(const args &g, float x) { bench_use(g, (u32)__float_as_int(x)); }
BENCH_INLINE void bench_use(const args &g, double x) { bench_use(g, __builtin_bit_cast(u64, x)); }

#endif
