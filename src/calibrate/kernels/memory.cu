/* memory.cu - chains and streams through the caches, constant memory and textures. */
#include "bench.cuh"

/* Makes a ring of p[1] places, a power of two, p[2] bytes apart at p[0]: a walk in an order that looks random. */
BENCH ring(args g)
{
    const u32 n = (u32)g.p[1];
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const u32 next = (i * 1664525u + 1013904223u) & (n - 1);
        *(u64 *)(g.p[0] + g.p[2] * i) = g.p[0] + g.p[2] * next;
    }
}

#define CHASE(name, load)                                                                                              \
    BENCH_INLINE u64 walk_##name(u64 p, u32 steps)                                                                     \
    {                                                                                                                  \
        _Pragma("unroll 1") for (u32 i = 0; i < steps; i += 16)                                                        \
        {                                                                                                              \
            _Pragma("unroll") for (u32 k = 0; k < 16; k++) asm volatile(load " %0, [%0];" : "+l"(p)::"memory");        \
        }                                                                                                              \
        return p;                                                                                                      \
    }                                                                                                                  \
    /* One thread follows p[0] for p[1] steps, then p[2] for p[3] steps; the second way is timed. */                   \
    BENCH chase_##name(args g)                                                                                         \
    {                                                                                                                  \
        u64 warm = walk_##name(g.p[0], (u32)g.p[1]), p = g.p[2];                                                       \
        bench_use(g, warm);                                                                                            \
        bench_span s;                                                                                                  \
        bench_begin(s);                                                                                                \
        bench_hold(p);                                                                                                 \
        p = walk_##name(p, (u32)g.p[3]);                                                                               \
        bench_use(g, p);                                                                                               \
        bench_end(s);                                                                                                  \
        bench_record(g, s);                                                                                            \
    }
CHASE(l1, "ld.global.u64")
CHASE(l2, "ld.global.cg.u64")

/* The same with atomics of one thread, or of a warp's lanes p[4] bytes apart; memory holds its own addresses, and what is
 * added is 0: p[5]. */
#define CHAIN(name, text)                                                                                              \
    BENCH chain_##name(args g)                                                                                         \
    {                                                                                                                  \
        u64 p = g.p[0] + g.p[4] * threadIdx.x, zero = g.p[5];                                                          \
        bench_span s;                                                                                                  \
        for (u32 pass = 0; pass < 2; pass++) {                                                                         \
            bench_begin(s);                                                                                            \
            bench_hold(p);                                                                                             \
            _Pragma("unroll 1") for (u32 i = 0; i < (u32)g.p[3]; i += 16)                                              \
            {                                                                                                          \
                _Pragma("unroll") for (u32 k = 0; k < 16; k++) asm volatile(text : "+l"(p) : "l"(zero) : "memory");    \
            }                                                                                                          \
            bench_use(g, p);                                                                                           \
            bench_end(s);                                                                                              \
        }                                                                                                              \
        bench_record(g, s);                                                                                            \
    }
CHAIN(load, "ld.global.u64 %0, [%0];")
CHAIN(atomic_add, "atom.global.add.u64 %0, [%0], %1;")
CHAIN(atomic_cas, "atom.global.cas.b64 %0, [%0], %0, %0;")
CHAIN(atomic_exchange, "atom.global.exch.b64 %0, [%0], %0;")
CHAIN(store_fence, "st.global.u64 [%0], %0; fence.acq_rel.gpu;")
CHAIN(store_fence_cta, "st.global.u64 [%0], %0; fence.acq_rel.cta;")
CHAIN(store_fence_sys, "st.global.u64 [%0], %0; fence.acq_rel.sys;")
CHAIN(store_membar, "st.global.u64 [%0], %0; membar.gl;")
CHAIN(fence, "fence.acq_rel.gpu;")

/* Each word of p[0] on, p[1] of them, holds its own address. */
BENCH own_addresses(args g)
{
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < g.p[1]; i += (u64)gridDim.x * blockDim.x)
        ((u64 *)g.p[0])[i] = g.p[0] + 8 * i;
}

struct quad {
    u32 x, y, z, w;
};
BENCH_INLINE quad load_cg(u64 p)
{
    quad q;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w) : "l"(p));
    return q;
}
BENCH_INLINE quad load_ca(u64 p)
{
    quad q;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w) : "l"(p));
    return q;
}
BENCH_INLINE void store(u64 p, quad q)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(q.x), "r"(q.y), "r"(q.z), "r"(q.w) : "memory");
}

enum { AHEAD = 4 };

/* All blocks together read p[1] bytes at p[0], p[2] times; with p[3] = 1 each block reads its own p[1] bytes, with 2 each
 * block reads all of the same. The bytes are a multiple of what is read in one turn of the loop. */
#define READ(name, load)                                                                                               \
    BENCH __launch_bounds__(1024) read_##name(args g)                                                                  \
    {                                                                                                                  \
        const u64 own = g.p[3] == 1 ? g.p[1] * blockIdx.x : 0, beside = (u64)blockDim.x * 16, tile = beside * AHEAD;   \
        const u64 stride = (g.p[3] ? 1 : gridDim.x) * tile;                                                            \
        const u64 first = 16 * threadIdx.x + (g.p[3] ? 0 : tile * blockIdx.x);                                         \
        u32 sum = 0;                                                                                                   \
        bench_span s;                                                                                                  \
        bench_begin(s);                                                                                                \
        _Pragma("unroll 1") for (u64 pass = 0; pass < g.p[2]; pass++)                                                  \
        {                                                                                                              \
            _Pragma("unroll 1") for (u64 at = first; at < g.p[1]; at += stride)                                        \
            {                                                                                                          \
                quad q[AHEAD];                                                                                         \
                _Pragma("unroll") for (u32 k = 0; k < AHEAD; k++) q[k] = load(g.p[0] + own + at + beside * k);         \
                _Pragma("unroll") for (u32 k = 0; k < AHEAD; k++) sum ^= q[k].x ^ q[k].y ^ q[k].z ^ q[k].w;            \
            }                                                                                                          \
        }                                                                                                              \
        bench_use(g, sum);                                                                                             \
        bench_end(s);                                                                                                  \
        bench_record(g, s);                                                                                            \
    }
READ(l2, load_cg)
READ(l1, load_ca)

/* All blocks write p[1] bytes at p[0], p[2] times; if there is a p[4], what they read there. */
BENCH __launch_bounds__(1024) write(args g)
{
    const u64 beside = (u64)blockDim.x * 16, tile = beside * AHEAD, stride = tile * gridDim.x;
    const u64 first = 16 * threadIdx.x + tile * blockIdx.x;
    bench_span s;
    bench_begin(s);
#pragma unroll 1
    for (u64 pass = 0; pass < g.p[2]; pass++)
#pragma unroll 1
        for (u64 at = first; at < g.p[1]; at += stride) {
            quad q[AHEAD];
#pragma unroll
            for (u32 k = 0; k < AHEAD; k++) q[k] = g.p[4] ? load_cg(g.p[4] + at + beside * k) : quad{(u32)at, k, 0, 0};
#pragma unroll
            for (u32 k = 0; k < AHEAD; k++) store(g.p[0] + at + beside * k, q[k]);
        }
    bench_end(s);
    bench_record(g, s);
}

/* Each lane reads words at places that look random in p[1] bytes at p[0], a power of two; p[2] of them. p[3] lanes, a power
 * of two, have the same places and read sectors side by side. */
BENCH __launch_bounds__(1024) gather(args g)
{
    const u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x, beside = threadIdx.x & (g.p[3] - 1);
    u64 state = (thread / g.p[3] + 1) * 0x9e3779b97f4a7c15ull;
    u32 sum = 0;
    bench_span s;
    bench_begin(s);
#pragma unroll 1
    for (u64 i = 0; i < g.p[2]; i += AHEAD) {
        u32 got[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            const u64 at = ((state >> 20) & (g.p[1] - 1) & ~(32 * g.p[3] - 1)) + 32 * beside;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got[k]) : "l"(g.p[0] + at));
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) sum ^= got[k];
    }
    bench_use(g, sum);
    bench_end(s);
    bench_record(g, s);
}

/* Each warp reads one line past L1, p[1] bytes from one warp's to the next one's, p[2] times. */
BENCH __launch_bounds__(1024) line(args g)
{
    const u64 at = g.p[0] + ((blockIdx.x * blockDim.x + threadIdx.x) >> 5) * g.p[1] + 4 * (threadIdx.x & 31);
    u32 sum = 0;
    bench_span s;
    bench_begin(s);
#pragma unroll 1
    for (u64 i = 0; i < g.p[2]; i += 8) {
        u32 got[8];
#pragma unroll
        for (u32 k = 0; k < 8; k++) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(got[k]) : "l"(at));
#pragma unroll
        for (u32 k = 0; k < 8; k++) sum ^= got[k];
    }
    bench_use(g, sum);
    bench_end(s);
    bench_record(g, s);
}

/* ---- constants ---- */

__constant__ u32 constants[16384];

/* Follows p[1] words of a ring in constant memory, p[2] steps; then again. The first time is in the record's end. */
BENCH chase_constant(args g)
{
    u32 x = (u32)g.p[0];
    u64 first = 0;
    bench_span s;
#pragma unroll 1
    for (u32 pass = 0; pass < 3; pass++) {
        bench_begin(s);
        bench_hold(x);
#pragma unroll 1
        for (u32 i = 0; i < (u32)g.p[2]; i += 8) {
#pragma unroll
            for (u32 k = 0; k < 8; k++) x = constants[x];
        }
        bench_use(g, x);
        bench_end(s);
        if (pass == 0)
            first = s.cycles;
    }
    s.begin = 0;
    s.end = first;
    bench_record(g, s);
}

/* ---- textures ---- */

/* A chain of fetches from a texture of integers, all 0: the next place is made of what was fetched. */
BENCH chase_texture(args g)
{
    u32 x = threadIdx.x & 31, y = threadIdx.x >> 5;
    bench_span s;
#pragma unroll 1
    for (u32 pass = 0; pass < 2; pass++) {
        bench_begin(s);
        bench_hold(x);
#pragma unroll 1
        for (u32 i = 0; i < (u32)g.p[1]; i += 16) {
#pragma unroll
            for (u32 k = 0; k < 16; k++) {
                u32 r, r1, r2, r3;
                asm volatile("tex.2d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                             : "=r"(r), "=r"(r1), "=r"(r2), "=r"(r3)
                             : "l"(g.p[0]), "r"(x), "r"(y));
                asm volatile("lop3.b32 %0, %1, %0, %2, 0xf6;" : "+r"(x) : "r"(r), "r"(r)); // x | (r ^ r), not known to be x
            }
        }
        bench_use(g, x);
        bench_end(s);
    }
    bench_record(g, s);
}
