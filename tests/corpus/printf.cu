/* printf - kernels that print: a call with a stack frame and writes into the device's buffer, which the host empties at the end.
 * The lines come before the program's own last line. Most kernels print little; the code is there all the same. */
#include "corpus.h"

/* One thread prints one line after the kernel's work, as a program says what it found: the cost of the frame alone. */
__global__ void print_one(const float *x, int n, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = sqrtf(x[i]);
    if (i == 0)
        printf("the first of %d is %f\n", n, out[0]);
}

static float *random_values(int n)
{
    float *x = host_array<float>(n);
    for (int i = 0; i < n; i++)
        x[i] = random_float();
    return x;
}

static void run_print_one(int size)
{
    const int count[] = {1 << 14, 1 << 20, 1 << 24}, n = count[size];
    float *x = random_values(n), *d_x = to_device(x, n), *d_out = device_zeros<float>(n);
    LAUNCH(print_one<<<blocks_for(n, 256), 256>>>(d_x, n, d_out));
    float *out = to_host(d_out, n);
    for (int i = 0; i < n; i += 5)
        EXPECT(close_to(out[i], sqrtf(x[i]), 1e-5), "out[%d] is %f", i, out[i]);
    free(x), free(out);
}

/* ---- a report of each thread's sum ---- */

/* Each thread prints its line: the lanes of a warp print one after the other's place in the buffer. */
__global__ void report_threads(const int *x, int each, int *sums)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    int sum = 0;
    for (int k = 0; k < each; k++)
        sum += x[k * n + i];
    sums[i] = sum;
    printf("thread %d: %d\n", i, sum);
}

/* The block's first thread prints for all: a loop of calls in one lane. */
__global__ void report_first(const int *x, int each, int *sums)
{
    extern __shared__ int own[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    int sum = 0;
    for (int k = 0; k < each; k++)
        sum += x[k * n + i];
    sums[i] = own[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int t = 0; t < blockDim.x; t++)
            printf("thread %d: %d\n", i + t, own[t]);
}

static void run_report(int size, void (*kernel)(const int *, int, int *))
{
    const int blocks[] = {1, 8, 32}, each[] = {4, 64, 2048}, n = blocks[size] * 64, e = each[size];
    int *x = host_array<int>((size_t)n * e);
    for (int i = 0; i < n * e; i++)
        x[i] = (int)random_below(100);
    int *d_x = to_device(x, (size_t)n * e), *d_sums = device_zeros<int>(n);
    LAUNCH(kernel<<<blocks[size], 64, 64 * sizeof(int)>>>(d_x, e, d_sums));
    const int *sums = to_host(d_sums, n);
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int k = 0; k < e; k++)
            sum += x[k * n + i];
        EXPECT(sums[i] == sum, "thread %d: %d, not %d", i, sums[i], sum);
    }
}

static void run_report_threads(int size) { run_report(size, report_threads); }
static void run_report_first(int size) { run_report(size, report_first); }

/* A line a block with the block's greatest value: a reduction, then one lane's call with a string. */
__global__ void print_blocks(const float *x, float *greatest)
{
    __shared__ float part[8];
    float v = x[blockIdx.x * 256 + threadIdx.x];
    for (int d = 16; d; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x)
        return;
    for (int w = 1; w < 8; w++)
        v = fmaxf(v, part[w]);
    greatest[blockIdx.x] = v;
    printf("block %d: %s, %f\n", blockIdx.x, v > 0.999f ? "near one" : "lower", v);
}

static void run_print_blocks(int size)
{
    const int count[] = {16, 512, 2048}, blocks = count[size], n = blocks * 256;
    float *x = random_values(n), *d_x = to_device(x, n), *d_greatest = device_zeros<float>(blocks);
    LAUNCH(print_blocks<<<blocks, 256>>>(d_x, d_greatest));
    const float *greatest = to_host(d_greatest, blocks);
    for (int b = 0; b < blocks; b++) {
        float want = 0;
        for (int i = b * 256; i < b * 256 + 256; i++)
            want = fmaxf(want, x[i]);
        EXPECT(greatest[b] == want, "block %d: %f, not %f", b, greatest[b], want);
    }
}

/* A table of eight formatted floats a line, of a body that falls: the arguments are stored as doubles in the frame. */
__global__ void print_floats(const float *height, int steps, float *end)
{
    const int i = threadIdx.x;
    float h = height[i], v = 0, least = h, most = h;
    for (int k = 0; k < steps; k++) {
        v -= 0.01f;
        h += v * 0.01f;
        if (h < 0)
            h = -h, v = -0.75f * v;
        least = fminf(least, h), most = fmaxf(most, h);
    }
    end[i] = h;
    printf("%2d %8.5f %8.5f %8.5f %10.3e %10.3e %g %g %g\n", i, h, v, most, least, h * v, h + v, h - v, height[i]);
}

static void run_print_floats(int size)
{
    const int steps[] = {100, 4000, 30000};
    float *height = random_values(32), *d_height = to_device(height, 32), *d_end = device_zeros<float>(32);
    LAUNCH(print_floats<<<1, 32>>>(d_height, steps[size], d_end));
    const float *end = to_host(d_end, 32);
    for (int i = 0; i < 32; i++)
        EXPECT(end[i] >= 0 && end[i] <= height[i] + 0.1f, "body %d at %f", i, end[i]);
}

__host__ __device__ static inline int collatz(uint32_t i)
{
    int steps = 0;
    for (unsigned long long v = i; v != 1; steps++)
        v = v & 1 ? 3 * v + 1 : v / 2;
    return steps;
}

/* A search that prints the rare finds: long uneven loops, the call in few warps. */
__global__ void print_rarely(int n, int found, int *steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    steps[i] = collatz(i + 1);
    if (steps[i] >= found)
        printf("%d takes %d steps\n", i + 1, steps[i]);
}

static void run_print_rarely(int size)
{
    const int count[] = {1 << 10, 1 << 17, 1 << 21}, found[] = {170, 350, 510}, n = count[size];
    int *d_steps = device_zeros<int>(n);
    LAUNCH(print_rarely<<<blocks_for(n, 128), 128>>>(n, found[size], d_steps));
    const int *steps = to_host(d_steps, n);
    for (int i = 0; i < n; i += 13)
        EXPECT(steps[i] == collatz(i + 1), "%d takes %d steps", i + 1, steps[i]);
}

/* ---- a check of each element that finds nothing wrong ---- */

/* The check prints: never called, but the call stands in the loop. */
__global__ void checked_silent(const float *x, int n, int verbose, float *out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float v = x[i];
        if (verbose || !(v >= 0 && v < 1))
            printf("x[%d] is %f\n", i, v);
        out[i] = v * v;
    }
}

/* The same without a call: what the call in the loop costs. */
__global__ void unchecked(const float *x, int n, int verbose, float *out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float v = x[i];
        out[i] = verbose || !(v >= 0 && v < 1) ? 0 : v * v;
    }
}

static void run_square(int size, void (*kernel)(const float *, int, int, float *))
{
    const int count[] = {1 << 15, 1 << 21, 1 << 24}, n = count[size];
    float *x = random_values(n), *d_x = to_device(x, n), *d_out = device_zeros<float>(n);
    LAUNCH(kernel<<<size ? 264 : 64, 256>>>(d_x, n, 0, d_out));
    float *out = to_host(d_out, n);
    for (int i = 0; i < n; i++)
        EXPECT(out[i] == x[i] * x[i], "out[%d] is %f", i, out[i]);
    free(x), free(out);
}

static void run_checked_silent(int size) { run_square(size, checked_silent); }
static void run_unchecked(int size) { run_square(size, unchecked); }

CORPUS({"print_one", NULL, run_print_one}, {"report_threads", "report", run_report_threads},
       {"report_first", "report", run_report_first}, {"print_blocks", NULL, run_print_blocks},
       {"print_floats", NULL, run_print_floats}, {"print_rarely", NULL, run_print_rarely},
       {"checked_silent", "square", run_checked_silent}, {"unchecked", "square", run_unchecked})
