/* reference.c of banks - which thread's number each thread must read. */
#include <string.h>

#include "kernels/banks/patterns.h"
#include "kernels/families.h"

/* ---- one access of a warp ---- */

static u32 own(u32 t, u32 threads)
{
    (void)threads;
    return t;
}

static u32 second(u32 t, u32 threads) { return 2 * t % threads; }

static u32 third(u32 t, u32 threads) { return 3 * t % threads; }

static u32 backwards(u32 t, u32 threads) { return threads - 1 - t; }

static u32 disorder(u32 t, u32 threads)
{
    (void)threads;
    return t / 32 * 32 + (13 * (t % 32) + 7) % 32;
}

static u32 four_alike(u32 t, u32 threads)
{
    (void)threads;
    const u32 lane = t % 32;
    return lane == 3 || lane == 4 || lane == 7 ? t - lane + 5 : t;
}

static u32 two_words(u32 t, u32 threads)
{
    (void)threads;
    return t / 32 * 32 + (t % 32 < 16 ? 12 : 20);
}

static u32 half(u32 t, u32 threads)
{
    (void)threads;
    return t / 2;
}

/* Planes of 8 x 8 elements, each transposed. */
static u32 planes(u32 t, u32 threads)
{
    (void)threads;
    return t / 64 * 64 + t % 8 * 8 + t / 8 % 8;
}

static const struct pattern patterns[] = {
    {"strideOne", 32, own},         {"strideTwo", 32, second},         {"strideThree", 32, third},
    {"permuted", 32, disorder},     {"broadcastFour", 32, four_alike}, {"broadcastTwo", 32, two_words},
    {"array1d", 32, backwards},     {"array1dFile", 32, backwards},    {"array3d", 64, planes},
    {"array3dDynFile", 64, planes}, {"wideDouble", 32, backwards},     {"wide64Stride", 32, second},
    {"wide64Pairs", 32, half},      {"wide128", 32, backwards},        {"wide128OneWavefront", 32, backwards},
    {"wide128Column", 64, planes},  {"wide128ColumnPad", 64, planes},  {"wide128Swizzle", 64, planes},
};

const struct pattern *banks_pattern(const struct rung *r)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(patterns); i++)
        if (strcmp(patterns[i].rung, r->name) == 0)
            return &patterns[i];
    return NULL;
}

/* Element e is the words e * unroll, e * unroll + 1, ..., each holding its own number. */
static void check_pattern(const struct outcome *o, const struct pattern *p, u32 threads, struct check *c)
{
    const u32 words = o->rung->unroll;
    const bool wide = o->plan->buffers[0].type == BUFFER_DOUBLE;
    for (u32 i = 0; i < threads * words; i++) {
        const double got = wide ? ((const double *)o->after[0])[i] : ((const i32 *)o->after[0])[i];
        check_element(c, i, got, p->element(i / words, threads) * words + i % words, 0);
    }
}

/* ---- tiles ---- */

/* Rungs that load where they stored give every thread its own number back. */
static bool identity(const struct rung *r)
{
    return strcmp(r->kernel, "setRowReadRow") == 0 || strncmp(r->kernel, "setColReadCol", 13) == 0;
}

/* The others load the word in row `i % by` and column `i / by` of the tile, which thread (column, row) stored. */
static u32 transposed(u32 i, const struct shape *s) { return i % s->by * s->bx + i / s->by; }

void banks_check(const struct outcome *o, struct check *c)
{
    const struct shape *s = o->shape;
    const struct pattern *p = banks_pattern(o->rung);
    const i32 *out = o->after[0];
    if (p)
        check_pattern(o, p, s->bx * s->by, c);
    for (u32 i = 0; !p && i < s->bx * s->by; i++)
        check_element(c, i, out[i], identity(o->rung) ? i : transposed(i, s), 0);
}
