/* instructions.cu - of each row of instructions.def two kernels: latency_ID, one chain in one warp, and rate_ID, chains
 * enough to keep the pipe busy in as many warps as the block has. p[0]: times round, p[1]: a seed. */
#include "bench.cuh"

enum { STEPS = 64, RATE_STEPS = 128, CHAINS = 4 };

BENCH_INLINE u32 number(const args &g, u32 k) { return (u32)g.p[1] + threadIdx.x + 97 * k; }
BENCH_INLINE void seed(u32 &x, const args &g, u32 k) { x = number(g, k); }
BENCH_INLINE void seed(u64 &x, const args &g, u32 k) { x = number(g, k); }
BENCH_INLINE void seed(float &x, const args &g, u32 k) { x = 1.0f + 0x1p-16f * (float)number(g, k); }
BENCH_INLINE void seed(double &x, const args &g, u32 k) { x = 1.0 + 0x1p-16 * number(g, k); }

#define OPERANDS(g) (seed(a, g, 1), seed(b, g, 2), seed(c, g, 3), seed(d, g, 4))
#define STEP(letter, text, x) asm volatile(text : "+" letter(x) : letter(a), letter(b), letter(c), letter(d))

#define INSTRUCTION(id, type, letter, n, alu, text)                                                                    \
    BENCH latency_##id(args g)                                                                                         \
    {                                                                                                                  \
        type x, a, b, c, d;                                                                                            \
        OPERANDS(g);                                                                                                   \
        seed(x, g, 0);                                                                                                 \
        bench_span s;                                                                                                  \
        _Pragma("unroll 1") for (u32 pass = 0; pass < 2; pass++)                                                       \
        {                                                                                                              \
            bench_begin(s);                                                                                            \
            bench_hold(x);                                                                                             \
            _Pragma("unroll 1") for (u32 i = 0; i < (u32)g.p[0]; i++)                                                  \
            {                                                                                                          \
                _Pragma("unroll") for (u32 k = 0; k < STEPS; k++) STEP(letter, text, x);                               \
            }                                                                                                          \
            bench_use(g, x);                                                                                           \
            bench_end(s);                                                                                              \
        }                                                                                                              \
        bench_record(g, s);                                                                                            \
    }                                                                                                                  \
    BENCH __launch_bounds__(1024) rate_##id(args g)                                                                    \
    {                                                                                                                  \
        type x[CHAINS], a, b, c, d;                                                                                    \
        OPERANDS(g);                                                                                                   \
        _Pragma("unroll") for (u32 k = 0; k < CHAINS; k++) seed(x[k], g, 5 + k);                                       \
        bench_span s;                                                                                                  \
        _Pragma("unroll 1") for (u32 pass = 0; pass < 2; pass++)                                                       \
        {                                                                                                              \
            bench_begin(s);                                                                                            \
            _Pragma("unroll 1") for (u32 i = 0; i < (u32)g.p[0]; i++)                                                  \
            {                                                                                                          \
                _Pragma("unroll") for (u32 k = 0; k < RATE_STEPS; k++) STEP(letter, text, x[k % CHAINS]);              \
            }                                                                                                          \
            _Pragma("unroll") for (u32 k = 0; k < CHAINS; k++) bench_use(g, x[k]);                                     \
            bench_end(s);                                                                                              \
        }                                                                                                              \
        bench_record(g, s);                                                                                            \
    }
#include "src/calibrate/instructions.def"
