/* device.cu - what kernels ask of the system: printf, malloc and free. */
#include "bench.cuh"

extern "C" __device__ int vprintf(const char *format, const char *arguments);
extern "C" __device__ void *malloc(__SIZE_TYPE__ size);
extern "C" __device__ void free(void *p);

/* The first p[0] threads print p[1] times; what they print is empty. */
BENCH print(args g)
{
    bench_span s;
    bench_begin(s);
    const char *words[2] = {"", ""};
    if (blockIdx.x * blockDim.x + threadIdx.x < g.p[0])
        for (u32 i = 0; i < (u32)g.p[1]; i++) vprintf("%s%s", (const char *)words);
    bench_end(s);
    bench_record(g, s);
}

/* The first p[0] threads get p[2] bytes and give them back, p[1] times. */
BENCH heap(args g)
{
    bench_span s;
    bench_begin(s);
    if (blockIdx.x * blockDim.x + threadIdx.x < g.p[0])
        for (u32 i = 0; i < (u32)g.p[1]; i++) {
            volatile u32 *p = (volatile u32 *)malloc(g.p[2]);
            if (p) {
                *p = i;
                free((void *)p);
            }
        }
    bench_end(s);
    bench_record(g, s);
}
