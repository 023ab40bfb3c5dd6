/* nested.cu - kernels that launch kernels. Three compilations of it are beside it:
 *
 *     nested_clang.ptx    clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -O3 -S
 *     nested_nvcc.ptx     nvcc -ptx -arch=compute_90
 *     nested_triple.ptx   nvcc -ptx -arch=compute_90 -rdc=true -DTRIPLE, which is <<<>>> itself
 *
 * all with -I<repository>/kernels. test_nested.c says what each kernel is to do. */
#ifdef TRIPLE
#define LAUNCH(kernel, grid, block, shared, stream, ...)                                                               \
    (kernel<<<grid, block, shared, stream>>>(__VA_ARGS__), (int)cudaGetLastError())
#define NULL_STREAM 0
#define TAIL cudaStreamTailLaunch
#define FORGET cudaStreamFireAndForget
#else
#include "lockstep_grid.cuh"
#define LAUNCH LS_LAUNCH
#define NULL_STREAM LS_STREAM_NULL
#define TAIL LS_STREAM_TAIL
#define FORGET LS_STREAM_FIRE_AND_FORGET
#endif

static __device__ int add(int *p, int v)
{
    int before;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(v) : "memory");
    return before;
}

/* out[i] = 100 * depth + (n of its leaf), halving until n <= 8 */
extern "C" __global__ void halve(int *out, int lo, int n, int depth)
{
    const int t = (int)threadIdx.x;
    if (n <= 8) {
        if (t < n)
            out[lo + t] += 100 * depth + n;
    } else if (t == 0) {
        LAUNCH(halve, 1, 32, 0, NULL_STREAM, out, lo, n / 2, depth + 1);
        LAUNCH(halve, 1, 32, 0, NULL_STREAM, out, lo + n / 2, n - n / 2, depth + 1);
    }
}

/* log[0] counts, log[1..] are what was noted, in order */
extern "C" __global__ void note(int *log, int what)
{
    if (threadIdx.x == 0)
        log[1 + add(log, 1)] = what;
}

extern "C" __global__ void note_after(int *log, int what)
{
    if (threadIdx.x != 0)
        return;
    LAUNCH(note, 1, 1, 0, TAIL, log, what + 2);
    LAUNCH(note, 1, 1, 0, NULL_STREAM, log, what + 1);
    log[1 + add(log, 1)] = what;
}

extern "C" __global__ void in_order(int *log)
{
    const int b = 100 * (int)blockIdx.x;
    if (threadIdx.x != 0)
        return;
    LAUNCH(note, 1, 32, 0, TAIL, log, b + 90);
    LAUNCH(note, 2, 32, 0, NULL_STREAM, log, b + 10);
    LAUNCH(note_after, 1, 32, 0, NULL_STREAM, log, b + 20);
    LAUNCH(note, 1, 32, 0, FORGET, log, b + 30);
    LAUNCH(note_after, 1, 32, 0, TAIL, log, b + 91);
    log[1 + add(log, 1)] = b;
}

struct mixed {
    char c;
    double d;
    short s[3];
};

struct alignas(16) four {
    float x, y, z, w;
};

/* One thread, whose parameters lie at all alignments; dynamic shared memory too. */
extern "C" __global__ void take(double *out, char c, mixed m, short s, four v, int n)
{
    unsigned int shared;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared));
    if (threadIdx.x || threadIdx.y || blockIdx.x != gridDim.x - 1 || blockIdx.y != gridDim.y - 1)
        return;
    const double values[] = {(double)c, (double)m.c, m.d, (double)m.s[2], (double)s, v.x, v.w, (double)n,
                             (double)gridDim.x, (double)gridDim.y, (double)blockDim.x, (double)blockDim.y, (double)shared};
    for (int i = 0; i < 13; i++)
        out[i] = values[i];
}

extern "C" __global__ void give(double *out)
{
    mixed m = {2, 3.5, {4, 5, 6}};
    four v = {8.5f, 0, 0, 9.5f};
    dim3 grid, block;
    grid.x = 3, grid.y = 2, grid.z = 1;
    block.x = 8, block.y = 4, block.z = 1;
    if (threadIdx.x == 1)
        LAUNCH(take, grid, block, 512, NULL_STREAM, out, 'a', m, (short)-7, v, 10);
}

/* out[d] = 1 + what the launch at depth d gave */
extern "C" __global__ void deeper(int *out, int d)
{
    if (threadIdx.x == 0)
        out[d] = 1 + LAUNCH(deeper, 1, 32, 0, NULL_STREAM, out, d + 1);
}

extern "C" __global__ void count(int *n)
{
    add(n, 1);
}

/* Each thread launches `times` grids of one thread: n[0] counts what ran, n[1] what was refused, n[2] adds up the codes */
extern "C" __global__ void flood(int *n, int times)
{
    for (int i = 0; i < times; i++) {
        const int error = LAUNCH(count, 1, 1, 0, NULL_STREAM, n);
        if (error) {
            add(n + 1, 1);
            add(n + 2, error);
        }
    }
}

/* What is wrong with a launch is a code, which stays until it is asked for. */
extern "C" __global__ void wrong(int *out, int *n)
{
    out[0] = LAUNCH(count, 1, 2048, 0, NULL_STREAM, n);
    out[1] = LAUNCH(count, 0, 32, 0, NULL_STREAM, n);
    out[2] = LAUNCH(count, 1, 1, 1 << 20, NULL_STREAM, n);
    out[3] = LAUNCH(count, 1, 1, 0, NULL_STREAM, n);
}

extern "C" __global__ void stray(int *p)
{
    p[threadIdx.x] = 1;
}

extern "C" __global__ void between(int *p)
{
    if (threadIdx.x == 3)
        LAUNCH(stray, 1, 32, 0, NULL_STREAM, p);
}

extern "C" __global__ void strays(int *p)
{
    if (blockIdx.x == 1 && threadIdx.x == 0)
        LAUNCH(between, 2, 32, 0, NULL_STREAM, p);
}
