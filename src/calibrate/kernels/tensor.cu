/* tensor.cu - matrix instructions: latency_ID, one chain of a warp; rate_ID, four chains in each warp. p[0]: times round. */
#include "bench.cuh"

enum { STEPS = 32, CHAINS = 4 };

#define R4(x) "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])
#define R2(x) "+r"(x[0]), "+r"(x[1])
#define D2(x) "+d"(x[0]), "+d"(x[1])

#define BODY(type, chains, text, outputs, letter)                                                                      \
    type x[chains][4];                                                                                                 \
    const type a = (type)(g.p[1] + threadIdx.x), b = (type)g.p[2], c = a * b, d = a + b;                               \
    _Pragma("unroll") for (u32 k = 0; k < chains; k++)                                                                 \
    {                                                                                                                  \
        _Pragma("unroll") for (u32 j = 0; j < 4; j++) x[k][j] = (type)(g.p[1] * k);                                    \
    }                                                                                                                  \
    bench_span s;                                                                                                      \
    _Pragma("unroll 1") for (u32 pass = 0; pass < 2; pass++)                                                           \
    {                                                                                                                  \
        bench_begin(s);                                                                                                \
        _Pragma("unroll 1") for (u32 i = 0; i < (u32)g.p[0]; i++)                                                      \
        {                                                                                                              \
            _Pragma("unroll") for (u32 k = 0; k < STEPS; k++) asm volatile(text                                        \
                                                                           : outputs(x[k % chains])                    \
                                                                           : letter(a), letter(b), letter(c),          \
                                                                             letter(d));                               \
        }                                                                                                              \
        _Pragma("unroll") for (u32 k = 0; k < chains; k++) bench_use(g, x[k][0]);                                      \
        bench_end(s);                                                                                                  \
    }                                                                                                                  \
    bench_record(g, s)

#define MATRIX(id, type, letter, outputs, madds, about, text)                                                          \
    BENCH latency_##id(args g)                                                                                         \
    {                                                                                                                  \
        BODY(type, 1, text, outputs, letter);                                                                          \
    }                                                                                                                  \
    BENCH __launch_bounds__(1024) rate_##id(args g)                                                                    \
    {                                                                                                                  \
        BODY(type, CHAINS, text, outputs, letter);                                                                     \
    }
#include "src/calibrate/matrix.def"
