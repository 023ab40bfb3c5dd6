/* host.c of fft - `batch` Fourier transforms of n complex numbers each, n a power of two, forward or inverse, not
 * scaled.
 *
 * A complex number is two floats, the real part first. Transforms lie one behind the other. Twiddles, the powers of W =
 * exp(-+ 2 pi i / n), come in a table: computed in double, rounded to float, since fast sines on the device are off by
 * more than all the rest. */
#include <math.h>

#include "kernels/families.h"
#include "kernels/fft/columns.h"

#define LADDER "kernels/fft/ladder.def"
#define DEFAULTS .radix = 2,
#include "kernels/rungs.inc"

enum { FORWARD = 1, INVERSE = 2, BLOCK_LIMIT = 4096, DIRECT_LIMIT = 4096, WARP_LIMIT = 256, COLUMN_BYTES = 64 << 10 };

static bool is(const struct rung *r, enum way way) { return r->columns->way == way; }

static bool is_power(u64 n) { return n && (n & (n - 1)) == 0; }

static u32 log_of(u64 n)
{
    u32 t = 0;
    while (n >> (t + 1))
        t++;
    return t;
}

static u64 default_n(const struct rung *r)
{
    return is(r, DIRECT) || is(r, WARP) ? 256 : is(r, FOUR_STEP) ? 1 << 16 : 4096;
}

static void defaults(const struct rung *r, struct shape *s)
{
    if (s->n == 0)
        s->n = default_n(r);
    if (s->batch == 0) {
        u64 total = is(r, DIRECT) ? 1 << 15 : 1 << 18;
        s->batch = r->broken || s->n >= total ? 1 : (u32)(total / s->n);
    }
    if (s->k == 0)
        s->k = FORWARD;
    if (s->bx == 0)
        s->bx = 128;
    if (s->by == 0)
        s->by = 1;
}

/* The longest transform that a rung takes. */
static u64 limit(const struct rung *r)
{
    return is(r, DIRECT) ? DIRECT_LIMIT : is(r, WARP) ? WARP_LIMIT : is(r, BLOCK) ? BLOCK_LIMIT : 1 << 24;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    static const u32 sizes[][3] = {{2, 1, 1},    {2, 67, 2},   {4, 1, 2},    {4, 5, 1},      {8, 3, 1},   {16, 7, 2},
                                   {32, 3, 1},   {64, 5, 2},   {128, 1, 1},  {256, 3, 2},    {512, 2, 1}, {1024, 1, 2},
                                   {2048, 3, 1}, {4096, 1, 2}, {8192, 1, 1}, {1 << 17, 1, 2}};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes) || sizes[i][0] > limit(r) || (sizes[i][0] > 8192 && !is(r, FOUR_STEP)))
        return false;
    out->n = sizes[i][0];
    out->batch = sizes[i][1];
    out->k = sizes[i][2];
    return true;
}

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx == 0 || s->bx > 1024)
        return "a block has 1 to 1024 threads";
    if (r->columns->radix == 8 && s->bx > 512)
        return "eight numbers a thread need registers: a block has at most 512 threads";
    if (is(r, WARP) && s->bx % 32)
        return "whole warps are needed: a multiple of 32 threads";
    if (s->k != FORWARD && s->k != INVERSE)
        return "the direction is 1, forward, or 2, inverse";
    if (!is_power(s->n) || s->n < 2)
        return "n is a power of two from 2 on";
    if (s->n > limit(r))
        return is(r, DIRECT)  ? "n * n products: n is at most 4096 here"
               : is(r, WARP)  ? "a warp holds at most 256 numbers"
               : is(r, BLOCK) ? "a block's shared memory holds at most 4096 numbers"
                              : "n is at most 2^24";
    if (s->n * s->batch > 1u << 28)
        return "at most 2^28 numbers in all";
    if (r->columns->printed && s->batch != 1)
        return "as printed: one transform";
    return NULL;
}

/* exp(sign 2 pi i j / n), by the angle's part within a quarter turn: whole quarters are exact. */
static void root(u64 j, u64 n, double sign, f32 out[2])
{
    const double quarter = 1.57079632679489661923;
    j &= n - 1;
    u64 turns = 4 * j / n;
    double angle = quarter * ((double)(4 * j % n) / (double)n), c = cos(angle), s = sin(angle);
    const double at[4][2] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
    out[0] = (f32)at[turns][0];
    out[1] = (f32)(sign * at[turns][1]);
}

static double sign_of(const struct shape *s) { return s->k == INVERSE ? 1 : -1; }

static u32 add_table(struct plan *p, const struct shape *s)
{
    f32 *table = arena_array(p->mem, f32, 2 * s->n);
    for (u64 j = 0; j < s->n; j++)
        root(j, s->n, sign_of(s), table + 2 * j);
    return plan_fixed(p, BUFFER_FLOAT, 2 * s->n, table);
}

/* W^(k j) for all k and j, row by row. */
static u32 add_middle(struct plan *p, const struct shape *s, u64 rows, u64 cols)
{
    f32 *table = arena_array(p->mem, f32, 2 * s->n);
    for (u64 k = 0; k < rows; k++)
        for (u64 j = 0; j < cols; j++)
            root(k * j, s->n, sign_of(s), table + 2 * (k * cols + j));
    return plan_fixed(p, BUFFER_FLOAT, 2 * s->n, table);
}

/* Passes over steps of 1, 2, 4, ... in `data`; as printed, with a thread for each number. */
static void passes(const struct rung *r, const struct shape *s, struct plan *p, u32 data, u32 table, bool printed)
{
    u64 threads = s->n * s->batch / (printed ? 1 : 2);
    for (u64 step = 1; step < s->n; step *= 2) {
        struct launch *l = plan_launch(p, r->kernel, ceil_div(threads, s->bx), s->bx);
        launch_buffer(l, data), launch_buffer(l, table), launch_u32(l, (u32)s->n), launch_u32(l, (u32)step);
        if (!printed)
            launch_u32(l, (u32)threads);
    }
}

static void in_place(const struct rung *r, const struct shape *s, struct plan *p, u32 in, u32 data, u32 table)
{
    u64 total = s->n * s->batch;
    if (r->columns->unsorted) {
        plan_step(p, (struct step){.kind = STEP_COPY, .to = data, .from = in, .count = 2 * total});
    } else {
        struct launch *l = plan_launch(p, "bitReverse", ceil_div(total, s->bx), s->bx);
        launch_buffer(l, in), launch_buffer(l, data), launch_u32(l, log_of(s->n)), launch_u32(l, (u32)total);
    }
    passes(r, s, p, data, table, r->columns->printed);
}

/* n = rows x cols, as square as can be; as many columns a block as fit, at most 8: 64 bytes. */
static void four_step(const struct rung *r, const struct shape *s, struct plan *p, u32 in, u32 out, u32 table)
{
    u32 cols = 1u << log_of(s->n) / 2, rows = (u32)(s->n / cols), at_once = 8;
    while (at_once > cols || 16ull * rows * at_once > COLUMN_BYTES)
        at_once /= 2;
    u32 between = plan_output(p, BUFFER_FLOAT, 2 * s->n * s->batch), middle = add_middle(p, s, rows, cols);
    struct launch *l = plan_launch(p, r->kernel, (u64)s->batch * (cols / at_once), s->bx);
    l->dynamic_shared = 16 * rows * at_once;
    launch_buffer(l, in), launch_buffer(l, between), launch_buffer(l, table), launch_buffer(l, middle);
    launch_u32(l, rows), launch_u32(l, cols), launch_u32(l, at_once);
    l = plan_launch(p, "fftFourStepRows", (u64)s->batch * (rows / at_once), s->bx);
    l->dynamic_shared = 16 * cols * at_once;
    launch_buffer(l, between), launch_buffer(l, out), launch_buffer(l, table);
    launch_u32(l, rows), launch_u32(l, cols), launch_u32(l, at_once);
}

static void by_block(const struct rung *r, const struct shape *s, struct plan *p, u32 in, u32 out, u32 table)
{
    struct launch *l = plan_launch(p, r->kernel, s->batch, s->bx);
    u32 words = (u32)s->n + (r->columns->gaps ? (u32)s->n / 16 : 0);
    l->dynamic_shared = words * (r->columns->one_array ? 8 : 16);
    launch_buffer(l, in), launch_buffer(l, out), launch_buffer(l, table), launch_u32(l, (u32)s->n);
    if (r->columns->radix > 2)
        launch_f32(l, (f32)sign_of(s));
}

static void by_thread(const struct rung *r, const struct shape *s, struct plan *p, u32 in, u32 out, u32 table)
{
    bool warp = is(r, WARP);
    u64 total = s->n * s->batch, part = warp && s->n > 32 ? s->n / 32 : 1;
    struct launch *l = plan_launch(p, r->kernel, ceil_div(total, s->bx * part), s->bx);
    launch_buffer(l, in), launch_buffer(l, out), launch_buffer(l, table), launch_u32(l, (u32)s->n);
    if (warp)
        launch_u32(l, log_of(s->n));
    launch_u32(l, (u32)total);
}

/* Input, output and table are buffers 0, 1 and 2 everywhere. */
static const char *plan(const struct rung *r, const struct shape *s, struct plan *p)
{
    static void (*const ways[])(const struct rung *, const struct shape *, struct plan *, u32 in, u32 out,
                                u32 table) = {
        [PASSES] = in_place, [DIRECT] = by_thread, [BLOCK] = by_block, [WARP] = by_thread, [FOUR_STEP] = four_step};
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    u64 total = s->n * s->batch;
    u32 in = plan_input(p, BUFFER_FLOAT, 2 * total), out = plan_output(p, BUFFER_FLOAT, 2 * total);
    u32 table = add_table(p, s);
    ways[r->columns->way](r, s, p, in, out, table);
    p->useful_bytes = total * 16;
    p->flops = 5.0 * (double)total * log_of(s->n);
    return NULL;
}

const struct family family_fft = {
    .name = "fft",
    .about = "Fourier transforms: passes through memory, shared memory, registers, lanes",
    .third = "direction, 1 forward 2 inverse",
    .batched = true,
    .columns = "gld gst sld sst barriers launch",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = fft_check,
};
