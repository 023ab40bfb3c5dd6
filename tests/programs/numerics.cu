/* numerics - small versions of the classic applications: separable convolution with constant memory, the Mandelbrot
 * set, bodies under gravitation, Monte Carlo with a generator of its own, finite differences in three dimensions, and
 * Black-Scholes. Each is compared with the same computation on the host. */
#include <cuda_runtime.h>

#include "program.h"

/* ---- convolution: rows, then columns ---- */

enum { RADIUS = 3, WIDTH = 70, HEIGHT = 40 };

__constant__ float taps[2 * RADIUS + 1];

__global__ void convolve(const float *in, float *out, int width, int height, int dx, int dy)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        int ix = min(max(x + k * dx, 0), width - 1), iy = min(max(y + k * dy, 0), height - 1);
        sum += in[iy * width + ix] * taps[k + RADIUS];
    }
    out[y * width + x] = sum;
}

static double pixel(const double *image, int x, int y)
{
    x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
    y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
    return image[y * WIDTH + x];
}

static void convolution(void)
{
    enum { PIXELS = WIDTH * HEIGHT };
    static float host[PIXELS], got[PIXELS];
    static double image[PIXELS], rows[PIXELS];
    const float weights[2 * RADIUS + 1] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
    float *in, *mid, *out;
    int bad = 0;
    for (int i = 0; i < PIXELS; i++)
        image[i] = host[i] = random_unit();
    CHECK(cudaMemcpyToSymbol(taps, weights, sizeof weights));
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&mid, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    dim3 block(32, 8), grid((WIDTH + 31) / 32, (HEIGHT + 7) / 8);
    convolve<<<grid, block>>>(in, mid, WIDTH, HEIGHT, 1, 0);
    convolve<<<grid, block>>>(mid, out, WIDTH, HEIGHT, 0, 1);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < PIXELS; i++)
        for (int k = -RADIUS; k <= RADIUS; k++)
            rows[i] += pixel(image, i % WIDTH + k, i / WIDTH) * weights[k + RADIUS];
    for (int i = 0; i < PIXELS; i++) {
        double sum = 0;
        for (int k = -RADIUS; k <= RADIUS; k++)
            sum += pixel(rows, i % WIDTH, i / WIDTH + k) * weights[k + RADIUS];
        bad += !near(got[i], sum, 1e-6);
    }
    verdict(bad == 0, "separable convolution");
    CHECK(cudaFree(in));
    CHECK(cudaFree(mid));
    CHECK(cudaFree(out));
}

/* ---- Mandelbrot: the number of steps until |z| > 2; powers of two as steps keep the corners exact ---- */

__host__ __device__ int escape(double re, double im, int most)
{
    double x = 0, y = 0;
    int n = 0;
    for (; n < most && x * x + y * y <= 4; n++) {
        double t = x * x - y * y + re;
        y = 2 * x * y + im;
        x = t;
    }
    return n;
}

__global__ void mandelbrot(int *out, int size, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < size && j < size)
        out[j * size + i] = escape(-2.0 + 4.0 * i / size, -2.0 + 4.0 * j / size, most);
}

static void fractal(void)
{
    enum { SIZE = 64, MOST = 100 };
    static int got[SIZE * SIZE];
    int *out, differ = 0, inside = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    mandelbrot<<<dim3(SIZE / 16, SIZE / 16), dim3(16, 16)>>>(out, SIZE, MOST);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < SIZE * SIZE; i++) { // contraction may move a point of the edge
        differ += got[i] != escape(-2.0 + 4.0 * (i % SIZE) / SIZE, -2.0 + 4.0 * (i / SIZE) / SIZE, MOST);
        inside += got[i] == MOST;
    }
    verdict(differ <= SIZE * SIZE / 200, "the Mandelbrot set");
    verdict(inside > 300 && inside < 500, "its area"); // 1.51 of 16, in 4096 points: 386
    CHECK(cudaFree(out));
}

/* ---- bodies: all pairs, a tile at a time in shared memory ---- */

enum { BODIES = 128 };

__global__ void accelerate(const float4 *at, float3 *out)
{
    __shared__ float4 tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = at[i];
    float3 sum = {0, 0, 0};
    for (int t = 0; t < BODIES; t += 64) {
        tile[threadIdx.x] = at[t + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 64; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float f = tile[j].w * inverse * inverse * inverse;
            sum.x += f * dx, sum.y += f * dy, sum.z += f * dz;
        }
        __syncthreads();
    }
    out[i] = sum;
}

static void bodies(void)
{
    static float4 host[BODIES];
    static float3 got[BODIES];
    float4 *at;
    float3 *out;
    int bad = 0;
    for (int i = 0; i < BODIES; i++)
        host[i] = make_float4(random_unit(), random_unit(), random_unit(), random_unit());
    CHECK(cudaMalloc(&at, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(at, host, sizeof host, cudaMemcpyHostToDevice));
    accelerate<<<BODIES / 64, 64>>>(at, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    double total[3] = {0};
    for (int i = 0; i < BODIES; i++) {
        double x = 0, size = 0;
        for (int j = 0; j < BODIES; j++) {
            double dx = host[j].x - host[i].x, dy = host[j].y - host[i].y, dz = host[j].z - host[i].z;
            double f = host[j].w * pow(dx * dx + dy * dy + dz * dz + 0.01f, -1.5);
            x += f * dx;
            size += f * fabs(dx);
        }
        bad += !near(got[i].x, x, 2e-5 * size);
        total[0] += host[i].w * got[i].x, total[1] += host[i].w * got[i].y, total[2] += host[i].w * got[i].z;
    }
    verdict(bad == 0, "bodies attract each other");
    verdict(near(total[0], 0, 0.05) && near(total[1], 0, 0.05) && near(total[2], 0, 0.05), "momentum stays");
    CHECK(cudaFree(at));
    CHECK(cudaFree(out));
}

/* ---- Monte Carlo: xorshift a thread, points in the quarter circle ---- */

__global__ void quarter_circle(unsigned long long *inside, int rounds)
{
    unsigned int s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    unsigned int mine = 0;
    for (int i = 0; i < rounds; i++) {
        float p[2];
        for (int j = 0; j < 2; j++) {
            s ^= s << 13;
            s ^= s >> 17;
            s ^= s << 5;
            p[j] = (s >> 8) * (1.0f / 16777216);
        }
        mine += p[0] * p[0] + p[1] * p[1] < 1;
    }
    atomicAdd(inside, (unsigned long long)mine);
}

static void monte_carlo(void)
{
    unsigned long long *inside, got = 0;
    const int threads = 1024, rounds = 100;
    CHECK(cudaMalloc(&inside, sizeof got));
    CHECK(cudaMemset(inside, 0, sizeof got));
    quarter_circle<<<threads / 128, 128>>>(inside, rounds);
    CHECK(cudaMemcpy(&got, inside, sizeof got, cudaMemcpyDeviceToHost));
    double pi = 4.0 * got / threads / rounds; // standard deviation 0.005
    verdict(near(pi, 3.14159265, 0.026), "pi by Monte Carlo");
    CHECK(cudaFree(inside));
}

/* ---- finite differences: two planes in registers, one in shared memory ---- */

enum { EDGE = 20, BOX = EDGE * EDGE * EDGE };

__global__ void diffuse(const float *in, float *out)
{
    __shared__ float plane[EDGE][EDGE];
    int x = threadIdx.x, y = threadIdx.y, at = y * EDGE + x;
    bool inner = x > 0 && y > 0 && x < EDGE - 1 && y < EDGE - 1;
    float behind = in[at], here = in[EDGE * EDGE + at];
    for (int z = 1; z < EDGE - 1; z++) {
        float front = in[(z + 1) * EDGE * EDGE + at];
        plane[y][x] = here;
        __syncthreads();
        if (inner)
            out[z * EDGE * EDGE + at] = 0.4f * here + 0.1f * (behind + front + plane[y][x - 1] + plane[y][x + 1] +
                                                              plane[y - 1][x] + plane[y + 1][x]);
        __syncthreads();
        behind = here;
        here = front;
    }
}

static void differences(void)
{
    static float host[BOX], got[BOX];
    static double a[BOX], b[BOX];
    float *one, *two;
    int bad = 0;
    for (int i = 0; i < BOX; i++)
        a[i] = b[i] = host[i] = random_unit();
    CHECK(cudaMalloc(&one, sizeof host));
    CHECK(cudaMalloc(&two, sizeof host));
    CHECK(cudaMemcpy(one, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(two, host, sizeof host, cudaMemcpyHostToDevice));
    for (int step = 0; step < 3; step++) {
        diffuse<<<1, dim3(EDGE, EDGE)>>>(step % 2 ? two : one, step % 2 ? one : two);
        double *from = step % 2 ? b : a, *to = step % 2 ? a : b;
        const int nx = 1, ny = EDGE, nz = EDGE * EDGE;
        for (int z = 1; z < EDGE - 1; z++)
            for (int y = 1; y < EDGE - 1; y++)
                for (int x = 1; x < EDGE - 1; x++) {
                    int i = z * nz + y * ny + x;
                    to[i] = 0.4 * from[i] + 0.1 * (from[i - nx] + from[i + nx] + from[i - ny] + from[i + ny] +
                                                   from[i - nz] + from[i + nz]);
                }
    }
    CHECK(cudaMemcpy(got, two, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BOX; i++)
        bad += !near(got[i], b[i], 1e-6);
    verdict(bad == 0, "finite differences in three dimensions");
    CHECK(cudaFree(one));
    CHECK(cudaFree(two));
}

/* ---- Black-Scholes: prices of European options ---- */

template <class T> __host__ __device__ T normal(T d)
{
    return (T)0.5 * (T)erfc(-d / (T)1.4142135623730951);
}

__global__ void black_scholes(const float *spot, const float *strike, const float *years, float *call, float *put,
                              float rate, float volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float root = sqrtf(years[i]);
    float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    float d2 = d1 - volatility * root, discounted = strike[i] * expf(-rate * years[i]);
    call[i] = spot[i] * normcdff(d1) - discounted * normcdff(d2);
    put[i] = discounted * normcdff(-d2) - spot[i] * normcdff(-d1);
}

static void options(void)
{
    enum { OPTIONS = 500 };
    static float host[3][OPTIONS], prices[2][OPTIONS];
    float *device[5];
    int bad = 0, parity = 0;
    for (int i = 0; i < OPTIONS; i++) {
        host[0][i] = 5 + 25 * random_unit();
        host[1][i] = 1 + 99 * random_unit();
        host[2][i] = 0.25f + 9.75f * random_unit();
    }
    for (int i = 0; i < 5; i++)
        CHECK(cudaMalloc(&device[i], sizeof host[0]));
    for (int i = 0; i < 3; i++)
        CHECK(cudaMemcpy(device[i], host[i], sizeof host[0], cudaMemcpyHostToDevice));
    black_scholes<<<(OPTIONS + 127) / 128, 128>>>(device[0], device[1], device[2], device[3], device[4], 0.02f, 0.3f,
                                                  OPTIONS);
    for (int i = 0; i < 2; i++)
        CHECK(cudaMemcpy(prices[i], device[3 + i], sizeof prices[i], cudaMemcpyDeviceToHost));
    for (int i = 0; i < OPTIONS; i++) {
        double s = host[0][i], x = host[1][i], t = host[2][i], r = 0.02f, v = 0.3f;
        double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
        bad += !near(prices[0][i], s * normal(d1) - x * exp(-r * t) * normal(d2), 1e-4);
        parity += !near(prices[0][i] - prices[1][i], s - x * exp(-r * t), 1e-4);
    }
    verdict(bad == 0, "Black-Scholes");
    verdict(parity == 0, "puts and calls are at parity");
    for (int i = 0; i < 5; i++)
        CHECK(cudaFree(device[i]));
}

int main()
{
    convolution();
    fractal();
    bodies();
    monte_carlo();
    differences();
    options();
    return failures;
}
