/* openmp.c - the same computations as plain loops of C with OpenMP: what the machine gives without a GPU's way to write
 * them. Built with -O3 -march=native -ffast-math. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

typedef void run_function(const struct peer_arg *args, void *const *data);

static void saxpy(const struct peer_arg *args, void *const *data)
{
    const int n = args[0].i;
    const float a = args[1].f, *restrict x = data[2];
    float *restrict y = data[3];
#pragma omp parallel for simd
    for (int k = 0; k < n; k++)
        y[k] = a * x[k] + y[k];
}

static void reduce(const struct peer_arg *args, void *const *data)
{
    const int blocks = (int)(args[1].bytes / sizeof(float));
    const float *restrict in = data[0];
    float *restrict out = data[1];
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int k = 0; k < 512; k++)
            sum += in[b * 512 + k];
        out[b] = sum;
    }
}

static void transpose(const struct peer_arg *args, void *const *data)
{
    const int n = args[0].i;
    const float *restrict in = data[1];
    float *restrict out = data[2];
#pragma omp parallel for collapse(2)
    for (int y = 0; y < n; y += 32)
        for (int x = 0; x < n; x += 32)
            for (int i = 0; i < 32; i++)
                for (int j = 0; j < 32; j++)
                    out[(x + i) * n + y + j] = in[(y + j) * n + x + i];
}

/* Four rows of C at a time, so that a row of B is loaded once for four. */
static void matmul(const struct peer_arg *args, void *const *data)
{
    const int n = args[0].i;
    const float *restrict a = data[1], *restrict b = data[2];
    float *restrict c = data[3];
#pragma omp parallel for
    for (int i = 0; i < n; i += 4)
        for (int j = 0; j < n; j += 64) {
            float sum[4][64] = {0};
            for (int k = 0; k < n; k++)
                for (int r = 0; r < 4; r++)
#pragma omp simd
                    for (int s = 0; s < 64; s++)
                        sum[r][s] += a[(i + r) * n + k] * b[k * n + j + s];
            for (int r = 0; r < 4; r++)
                memcpy(&c[(i + r) * n + j], sum[r], sizeof sum[r]);
        }
}

static void stencil5(const struct peer_arg *args, void *const *data)
{
    const int n = args[0].i;
    const float k = args[1].f, *restrict in = data[2];
    float *restrict out = data[3];
#pragma omp parallel for
    for (int y = 1; y < n - 1; y++)
#pragma omp simd
        for (int x = 1; x < n - 1; x++) {
            const int i = y * n + x;
            out[i] = in[i] + k * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4.0f * in[i]);
        }
}

static void stencil27(const struct peer_arg *args, void *const *data)
{
    const int n = args[0].i, m = n * n;
    const float c0 = args[1].f, c1 = args[2].f, c2 = args[3].f, c3 = args[4].f, *restrict in = data[5];
    float *restrict out = data[6];
#pragma omp parallel for collapse(2)
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
#pragma omp simd
            for (int x = 1; x < n - 1; x++) {
                const int i = z * m + y * n + x;
                const float *p = in + i;
                out[i] = c0 * p[0] + c1 * (p[-1] + p[1] + p[-n] + p[n] + p[-m] + p[m]) +
                         c2 * (p[-n - 1] + p[-n + 1] + p[n - 1] + p[n + 1] + p[-m - 1] + p[-m + 1] + p[m - 1] +
                               p[m + 1] + p[-m - n] + p[-m + n] + p[m - n] + p[m + n]) +
                         c3 * (p[-m - n - 1] + p[-m - n + 1] + p[-m + n - 1] + p[-m + n + 1] + p[m - n - 1] +
                               p[m - n + 1] + p[m + n - 1] + p[m + n + 1]);
            }
}

static void nbody(const struct peer_arg *args, void *const *data)
{
    const int n = args[0].i;
    const float soft = args[1].f, (*restrict body)[4] = data[2];
    float(*restrict acc)[4] = data[3];
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
        for (int j = 0; j < n; j++) {
            const float dx = body[j][0] - body[i][0], dy = body[j][1] - body[i][1], dz = body[j][2] - body[i][2];
            const float near = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + soft);
            const float s = body[j][3] * near * near * near;
            ax += dx * s, ay += dy * s, az += dz * s;
        }
        acc[i][0] = ax, acc[i][1] = ay, acc[i][2] = az, acc[i][3] = 0;
    }
}

/* Each thread has bins of its own. */
static void histogram(const struct peer_arg *args, void *const *data)
{
    const int n = args[0].i;
    const unsigned char *restrict in = data[1];
    uint32_t *bins = data[2];
#pragma omp parallel
    {
        uint32_t part[256] = {0};
#pragma omp for nowait
        for (int k = 0; k < n; k++)
            part[in[k]]++;
        for (int k = 0; k < 256; k++)
#pragma omp atomic
            bins[k] += part[k];
    }
}

/* The same network as the kernel's, in the same order, so that the inner loop is of least and greatest. */
static void sort_tile(uint32_t *key)
{
    for (int size = 2; size <= 1024; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2)
            for (int base = 0; base < 1024; base += 2 * stride) {
                uint32_t *restrict low = key + base, *restrict high = low + stride;
                if (base & size) { /* downwards */
                    low = high;
                    high = key + base;
                }
#pragma omp simd
                for (int k = 0; k < stride; k++) {
                    const uint32_t a = low[k], b = high[k];
                    low[k] = a < b ? a : b;
                    high[k] = a < b ? b : a;
                }
            }
}

static void bitonic(const struct peer_arg *args, void *const *data)
{
    const int tiles = (int)(args[0].bytes / sizeof(uint32_t) / 1024);
    const uint32_t *in = data[0];
    uint32_t *out = data[1];
#pragma omp parallel for
    for (int b = 0; b < tiles; b++) {
        memcpy(out + b * 1024, in + b * 1024, 1024 * sizeof *out);
        sort_tile(out + b * 1024);
    }
}

static inline float cnd(float d)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    const float poly =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228040143267794f * expf(-0.5f * d * d) * poly;
    return d > 0.0f ? 1.0f - tail : tail;
}

static void black_scholes(const struct peer_arg *args, void *const *data)
{
    const int n = args[0].i;
    const float rate = args[1].f, sigma = args[2].f;
    const float *restrict price = data[3], *restrict strike = data[4], *restrict years = data[5];
    float *restrict call = data[6], *restrict put = data[7];
#pragma omp parallel for simd
    for (int k = 0; k < n; k++) {
        const float s = price[k], x = strike[k], t = years[k], root = sqrtf(t);
        const float d1 = (logf(s / x) + (rate + 0.5f * sigma * sigma) * t) / (sigma * root), d2 = d1 - sigma * root;
        const float n1 = cnd(d1), n2 = cnd(d2), later = x * expf(-rate * t);
        call[k] = s * n1 - later * n2;
        put[k] = later * (1.0f - n2) - s * (1.0f - n1);
    }
}

static const struct {
    const char *name;
    run_function *run;
} loops[] = {
    {"saxpy", saxpy},           {"reduce", reduce},     {"transpose", transpose},        {"matmulTile", matmul},
    {"matmulRegister", matmul}, {"stencil5", stencil5}, {"stencil27", stencil27},        {"nbody", nbody},
    {"histogram", histogram},   {"bitonic", bitonic},   {"blackScholes", black_scholes},
};

static struct {
    const struct problem *p;
    run_function *run;
    void *data[PEER_ARGS];
} openmp;

const char *peer_open(const struct problem *p, const char *folder)
{
    (void)folder;
    openmp.p = p;
    problem_data(p, openmp.data);
    for (unsigned k = 0; k < sizeof loops / sizeof *loops; k++)
        if (!strcmp(loops[k].name, p->name))
            openmp.run = loops[k].run;
    return openmp.run ? NULL : "there is no loop for it in openmp.c";
}

const char *peer_build(void) { return NULL; }

const char *peer_write(void *const *data)
{
    for (unsigned k = 0; k < PEER_ARGS; k++)
        if (data[k])
            memcpy(openmp.data[k], data[k], openmp.p->args[k].bytes);
    return NULL;
}

const char *peer_read(void *const *data)
{
    for (unsigned k = 0; k < PEER_ARGS; k++)
        if (openmp.p->args[k].kind == PEER_OUT)
            memcpy(data[k], openmp.data[k], openmp.p->args[k].bytes);
    return NULL;
}

const char *peer_launch(unsigned times)
{
    while (times--)
        openmp.run(openmp.p->args, openmp.data);
    return NULL;
}

void peer_close(void)
{
    problem_free(openmp.data);
    memset(&openmp, 0, sizeof openmp);
}

const char *peer_about(void)
{
    static char words[128];
    snprintf(words, sizeof words, "C with OpenMP, gcc %s, -O3 -march=native -ffast-math", __VERSION__);
    return words;
}
