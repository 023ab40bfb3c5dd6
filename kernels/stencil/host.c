/* host.c of stencil - the first derivative of n samples by the nine-point central difference.
 *
 * Both arrays carry RADIUS cells of halo at either end, as in the tutorial's program, and a kernel gets the address of
 * cell 0: 16 bytes behind an aligned one. The input's halo holds data; the output's must stay as it was. */
#include <string.h>

#include "kernels/families.h"

#define LADDER "kernels/stencil/ladder.def"
#include "kernels/rungs.inc"

enum { RADIUS = 4 };

/* The eighth-order formula: f'(x) = sum c[i] (f(x + i h) - f(x - i h)) / h, with h = 1. */
const f32 stencil_coefficients[RADIUS + 1] = {0.0f, 4.0f / 5, -1.0f / 5, 4.0f / 105, -1.0f / 280};

static void defaults(const struct rung *r, struct shape *s)
{
    (void)r;
    if (s->n == 0)
        s->n = 1u << 22;
    if (s->bx == 0)
        s->bx = 32;
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    (void)r;
    const u64 sizes[] = {1, 3, 4, 5, base->bx - 1, base->bx, base->bx + 1, 2 * base->bx + 3, 997};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i] ? sizes[i] : 1;
    return true;
}

/* Coefficients come as a constant or as an argument. */
static bool by_constant(const struct rung *r)
{
    return strcmp(r->kernel, "stencil_1d") == 0;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx < RADIUS || s->bx > 1024)
        return "a block has 4 (the radius) to 1024 threads";
    if (s->n == 0 || s->n > 1u << 30)
        return "n is 1 to 2^30";
    struct buffer cells = {.use = BUFFER_IN, .type = BUFFER_FLOAT, .count = s->n, .lead = RADIUS, .tail = RADIUS};
    u32 in = plan_buffer(out, cells);
    cells.use = BUFFER_OUT;
    u32 derivative = plan_buffer(out, cells);
    struct launch *l = plan_launch(out, r->kernel, ceil_div(s->n, s->bx), s->bx);
    launch_buffer(l, in), launch_buffer(l, derivative), launch_u32(l, (u32)s->n);
    if (by_constant(r))
        plan_constant(out, "coef", stencil_coefficients, sizeof stencil_coefficients);
    else
        launch_buffer(l, plan_fixed(out, BUFFER_FLOAT, RADIUS + 1, stencil_coefficients));
    out->useful_bytes = s->n * 8;
    return NULL;
}

const struct family family_stencil = {
    .name = "stencil",
    .about = "a nine-point derivative: shared tiles and where coefficients live",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = stencil_check,
};
