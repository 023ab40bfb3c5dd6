/* shared.cu - of each row of shared.def two kernels: chain_ID, one chain a thread; rate_ID, two. p[0]: times round, p[1]: 0, p[2]: bytes from
 * a lane's address to the next one's, p[3]: bytes from a warp's to the next one's. */
#include "bench.cuh"

enum { STEPS = 32, CHAINS = 2, BYTES = 32768 };

BENCH_INLINE u32 address_of(const void *p)
{
    u64 address;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(p));
    return (u32)address;
}

#define FILL(width)                                                                                                    \
    __shared__ __align__(128) u32 words[BYTES / 4];                                                                    \
    const u32 base = address_of(words);                                                                                \
    for (u32 i = threadIdx.x; i < BYTES / 4; i += blockDim.x) words[i] = base + (4 * i & ~(width - 1u));               \
    __syncthreads();                                                                                                   \
    const u32 zero = (u32)g.p[1];                                                                                      \
    u32 x = base + (((threadIdx.x & 31) * (u32)g.p[2] + (threadIdx.x >> 5) * (u32)g.p[3]) & (BYTES - 1));             \
    const u32 self = x

#define STEP(text, x, own) asm volatile(text : "+r"(x) : "r"(zero), "r"(own) : "memory")

#define SHARED(id, width, n, alu, text)                                                                                \
    BENCH __launch_bounds__(1024) chain_##id(args g)                                                                   \
    {                                                                                                                  \
        FILL(width);                                                                                                   \
        bench_span s;                                                                                                  \
        _Pragma("unroll 1") for (u32 pass = 0; pass < 2; pass++)                                                       \
        {                                                                                                              \
            bench_begin(s);                                                                                            \
            bench_hold(x);                                                                                             \
            _Pragma("unroll 1") for (u32 i = 0; i < (u32)g.p[0]; i++)                                                  \
            {                                                                                                          \
                _Pragma("unroll") for (u32 k = 0; k < STEPS; k++) STEP(text, x, self);                                 \
            }                                                                                                          \
            bench_use(g, x);                                                                                           \
            bench_end(s);                                                                                              \
        }                                                                                                              \
        bench_record(g, s);                                                                                            \
    }                                                                                                                  \
    BENCH __launch_bounds__(1024) rate_##id(args g)                                                                    \
    {                                                                                                                  \
        FILL(width);                                                                                                   \
        u32 y = x;                                                                                                     \
        bench_hold(y);                                                                                                 \
        bench_span s;                                                                                                  \
        _Pragma("unroll 1") for (u32 pass = 0; pass < 2; pass++)                                                       \
        {                                                                                                              \
            bench_begin(s);                                                                                            \
            _Pragma("unroll 1") for (u32 i = 0; i < (u32)g.p[0]; i++)                                                  \
            {                                                                                                          \
                _Pragma("unroll") for (u32 k = 0; k < STEPS; k += CHAINS)                                              \
                {                                                                                                      \
                    STEP(text, x, self);                                                                               \
                    STEP(text, y, self);                                                                               \
                }                                                                                                      \
            }                                                                                                          \
            bench_use(g, x);                                                                                           \
            bench_use(g, y);                                                                                           \
            bench_end(s);                                                                                              \
        }                                                                                                              \
        bench_record(g, s);                                                                                            \
    }
#include "src/calibrate/shared.def"
