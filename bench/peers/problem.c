/* problem.c - the table of kernels, their data, and what they compute in plain C. */
#include "problem.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- data: a small generator, the same numbers each time ---- */

static uint32_t next_word(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes' */
    uint32_t x = *state;
    x ^= x >> 16;
    return x * 0x45d9f3bu;
}

static void fill_range(float *to, size_t bytes, float low, float high, uint32_t seed)
{
    for (size_t k = 0; k < bytes / sizeof *to; k++)
        to[k] = low + (high - low) * (float)(next_word(&seed) >> 8) * 0x1p-24f;
}

static void fill_unit(const struct problem *p, void *const *data)
{
    for (unsigned k = 0; k < PEER_ARGS; k++)
        if (peer_is_buffer(&p->args[k]))
            fill_range(data[k], p->args[k].bytes, -1.0f, 1.0f, k + 1);
}

static void fill_bodies(const struct problem *p, void *const *data)
{
    float(*body)[4] = data[2];
    fill_range(data[2], p->args[2].bytes, -1.0f, 1.0f, 1);
    for (int k = 0; k < p->args[0].i; k++)
        body[k][3] = 0.5f + 0.25f * body[k][3]; /* masses */
    memset(data[3], 0, p->args[3].bytes);
}

static void fill_options(const struct problem *p, void *const *data)
{
    fill_range(data[3], p->args[3].bytes, 5.0f, 30.0f, 1);
    fill_range(data[4], p->args[4].bytes, 1.0f, 100.0f, 2);
    fill_range(data[5], p->args[5].bytes, 0.25f, 10.0f, 3);
    memset(data[6], 0, p->args[6].bytes);
    memset(data[7], 0, p->args[7].bytes);
}

static void fill_words(const struct problem *p, void *const *data)
{
    for (unsigned k = 0; k < PEER_ARGS; k++) {
        uint32_t seed = k + 1, *to = data[k];
        for (size_t j = 0; peer_is_buffer(&p->args[k]) && j < p->args[k].bytes / sizeof *to; j++)
            to[j] = p->args[k].kind == PEER_IN ? next_word(&seed) : 0;
    }
}

/* ---- what the kernels compute, one element after the other ---- */

static void plain_saxpy(const struct problem *p, void *const *data)
{
    const float a = p->args[1].f, *x = data[2];
    float *y = data[3];
    for (int k = 0; k < p->args[0].i; k++)
        y[k] += a * x[k];
}

static void plain_reduce(const struct problem *p, void *const *data)
{
    const float *in = data[0];
    float *out = data[1];
    for (unsigned b = 0; b < p->groups[0]; b++) {
        double sum = 0;
        for (unsigned k = 0; k < 512; k++)
            sum += in[b * 512 + k];
        out[b] = (float)sum;
    }
}

static void plain_transpose(const struct problem *p, void *const *data)
{
    const int n = p->args[0].i;
    const float *in = data[1];
    float *out = data[2];
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            out[x * n + y] = in[y * n + x];
}

static void plain_matmul(const struct problem *p, void *const *data)
{
    const int n = p->args[0].i;
    const float *a = data[1], *b = data[2];
    float *c = data[3];
    double *row = malloc((size_t)n * sizeof *row);
    for (int i = 0; i < n; i++) {
        memset(row, 0, (size_t)n * sizeof *row);
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                row[j] += (double)a[i * n + k] * b[k * n + j];
        for (int j = 0; j < n; j++)
            c[i * n + j] = (float)row[j];
    }
    free(row);
}

static void plain_stencil5(const struct problem *p, void *const *data)
{
    const int n = p->args[0].i;
    const float k = p->args[1].f, *in = data[2];
    float *out = data[3];
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            const int i = y * n + x;
            out[i] = in[i] + k * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4.0f * in[i]);
        }
}

static void plain_stencil27(const struct problem *p, void *const *data)
{
    const int n = p->args[0].i, m = n * n;
    const float *in = data[5];
    float *out = data[6];
    for (int at = m; at < n * m - m; at++) {
        const int x = at % n, y = at / n % n;
        if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1)
            continue;
        float sum = 0;
        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += p->args[1 + abs(dx) + abs(dy) + abs(dz)].f * in[at + dz * m + dy * n + dx];
        out[at] = sum;
    }
}

static void plain_nbody(const struct problem *p, void *const *data)
{
    const int n = p->args[0].i;
    const float(*body)[4] = data[2];
    float(*acc)[4] = data[3];
    for (int i = 0; i < n; i++) {
        double a[3] = {0};
        for (int j = 0; j < n; j++) {
            double d[3], square = p->args[1].f;
            for (int c = 0; c < 3; c++) {
                d[c] = (double)body[j][c] - body[i][c];
                square += d[c] * d[c];
            }
            const double s = body[j][3] / (square * sqrt(square));
            for (int c = 0; c < 3; c++)
                a[c] += d[c] * s;
        }
        for (int c = 0; c < 3; c++)
            acc[i][c] = (float)a[c];
        acc[i][3] = 0;
    }
}

static void plain_histogram(const struct problem *p, void *const *data)
{
    const unsigned char *in = data[1];
    uint32_t *bins = data[2];
    for (int k = 0; k < p->args[0].i; k++)
        bins[in[k]]++;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void plain_bitonic(const struct problem *p, void *const *data)
{
    uint32_t *out = data[1];
    memcpy(out, data[0], p->args[0].bytes);
    for (unsigned b = 0; b < p->groups[0]; b++)
        qsort(out + b * 1024, 1024, sizeof *out, by_value);
}

static double normal(double d) { return 0.5 * erfc(-d * M_SQRT1_2); }

static void plain_options(const struct problem *p, void *const *data)
{
    const double r = p->args[1].f, v = p->args[2].f;
    const float *price = data[3], *strike = data[4], *years = data[5];
    float *call = data[6], *put = data[7];
    for (int k = 0; k < p->args[0].i; k++) {
        const double s = price[k], t = years[k], root = v * sqrt(t);
        const double d1 = (log(s / strike[k]) + (r + 0.5 * v * v) * t) / root, d2 = d1 - root;
        const double later = strike[k] * exp(-r * t);
        call[k] = (float)(s * normal(d1) - later * normal(d2));
        put[k] = (float)(later * normal(-d2) - s * normal(-d1));
    }
}

/* ---- the table: a launch takes PoCL 2 to 20 ms on one core of a machine of 2025 ---- */

#define INT(v) {PEER_INT, .i = (v)}
#define FLOAT(v) {PEER_FLOAT, .f = (v)}
#define IN(n) {PEER_IN, .bytes = 4 * (size_t)(n)}
#define OUT(n) {PEER_OUT, .bytes = 4 * (size_t)(n)}
#define IN_BYTES(n) {PEER_IN, .bytes = (n)}

enum {
    SAXPY = 1 << 22,
    REDUCE = 1 << 21,
    TRANSPOSE = 2048,
    TILE = 256,
    REGISTER = 384,
    FIVE = 2048,
    CUBE = 128,
    BODIES = 2048,
    BYTES = 1 << 20,
    KEYS = 1 << 17,
    OPTIONS = 1 << 18,
};

const struct problem problems[] = {
    {"saxpy",
     {SAXPY / 256, 1, 1},
     {256, 1, 1},
     {INT(SAXPY), FLOAT(0.75f), IN(SAXPY), OUT(SAXPY)},
     fill_unit,
     plain_saxpy,
     1e-6f},
    {"reduce", {REDUCE / 512, 1, 1}, {256, 1, 1}, {IN(REDUCE), OUT(REDUCE / 512)}, fill_unit, plain_reduce, 3e-5f},
    {"transpose",
     {TRANSPOSE / 32, TRANSPOSE / 32, 1},
     {32, 8, 1},
     {INT(TRANSPOSE), IN(TRANSPOSE *TRANSPOSE), OUT(TRANSPOSE *TRANSPOSE)},
     fill_words,
     plain_transpose,
     0},
    {"matmulTile",
     {TILE / 32, TILE / 32, 1},
     {32, 32, 1},
     {INT(TILE), IN(TILE *TILE), IN(TILE *TILE), OUT(TILE *TILE)},
     fill_unit,
     plain_matmul,
     1e-4f},
    {"matmulRegister",
     {REGISTER / 64, REGISTER / 64, 1},
     {16, 16, 1},
     {INT(REGISTER), IN(REGISTER *REGISTER), IN(REGISTER *REGISTER), OUT(REGISTER *REGISTER)},
     fill_unit,
     plain_matmul,
     1e-4f},
    {"stencil5",
     {FIVE / 32, FIVE / 8, 1},
     {32, 8, 1},
     {INT(FIVE), FLOAT(0.2f), IN(FIVE *FIVE), OUT(FIVE *FIVE)},
     fill_unit,
     plain_stencil5,
     1e-6f},
    {"stencil27",
     {CUBE / 32, CUBE / 4, CUBE / 2},
     {32, 4, 2},
     {INT(CUBE), FLOAT(0.5f), FLOAT(0.04f), FLOAT(0.015f), FLOAT(0.01f), IN(CUBE *CUBE *CUBE), OUT(CUBE *CUBE *CUBE)},
     fill_unit,
     plain_stencil27,
     1e-6f},
    {"nbody",
     {BODIES / 256, 1, 1},
     {256, 1, 1},
     {INT(BODIES), FLOAT(0.01f), IN(4 * BODIES), OUT(4 * BODIES)},
     fill_bodies,
     plain_nbody,
     1e-4f},
    {"histogram", {64, 1, 1}, {256, 1, 1}, {INT(BYTES), IN_BYTES(BYTES), OUT(256)}, fill_words, plain_histogram, 0},
    {"bitonic", {KEYS / 1024, 1, 1}, {512, 1, 1}, {IN(KEYS), OUT(KEYS)}, fill_words, plain_bitonic, 0},
    {"blackScholes",
     {OPTIONS / 128, 1, 1},
     {128, 1, 1},
     {INT(OPTIONS), FLOAT(0.02f), FLOAT(0.3f), IN(OPTIONS), IN(OPTIONS), IN(OPTIONS), OUT(OPTIONS), OUT(OPTIONS)},
     fill_options,
     plain_options,
     1e-4f},
};
const unsigned problem_count = sizeof problems / sizeof *problems;

const struct problem *problem_named(const char *name)
{
    for (unsigned k = 0; k < problem_count; k++)
        if (!strcmp(problems[k].name, name))
            return &problems[k];
    return NULL;
}

void problem_data(const struct problem *p, void *data[PEER_ARGS])
{
    for (unsigned k = 0; k < PEER_ARGS; k++) {
        data[k] = peer_is_buffer(&p->args[k]) ? aligned_alloc(4096, (p->args[k].bytes + 4095) & ~(size_t)4095) : NULL;
        if (peer_is_buffer(&p->args[k]) && !data[k])
            abort();
    }
    p->fill(p, data);
}

void problem_free(void *data[PEER_ARGS])
{
    for (unsigned k = 0; k < PEER_ARGS; k++)
        free(data[k]);
}

/* ---- the comparison ---- */

static bool same(const struct problem *p, unsigned arg, const void *got, const void *want)
{
    const uint32_t *g = got, *w = want;
    for (size_t k = 0; k < p->args[arg].bytes / 4; k++) {
        float a, b;
        memcpy(&a, &g[k], sizeof a), memcpy(&b, &w[k], sizeof b);
        if (p->tolerance == 0 ? g[k] == w[k] : fabsf(a - b) <= p->tolerance * fmaxf(1.0f, fabsf(b)))
            continue;
        fprintf(stderr, "%s: argument %u, element %zu: %.9g (0x%08x) instead of %.9g (0x%08x)\n", p->name, arg, k, a,
                g[k], b, w[k]);
        return false;
    }
    return true;
}

bool problem_right(const struct problem *p, void *const *got)
{
    void *want[PEER_ARGS];
    bool right = true;
    problem_data(p, want);
    p->plain(p, want);
    for (unsigned k = 0; k < PEER_ARGS && right; k++)
        right = p->args[k].kind != PEER_OUT || same(p, k, got[k], want[k]);
    problem_free(want);
    return right;
}
