/* host.c of stencil - the first derivative of n samples by a central difference of 2 * radius + 1 points.
 *
 * Both arrays carry `radius` cells of halo at either end, as in the tutorial's program, and a kernel gets the address
 * of cell 0: for a radius of 4, 16 bytes behind an aligned one. The input's halo holds data; the output's must stay as
 * it was. The tutorial's kernels are written for a radius of 4; the others, with dynamic shared memory, take 1 to 8. */
#include "kernels/families.h"
#include "kernels/stencil/columns.h"

#define LADDER "kernels/stencil/ladder.def"
#define DEFAULTS .per_thread = 1,
#include "kernels/rungs.inc"

enum { RADIUS = 4, MAX_RADIUS = 8 };

/* f'(x) h = sum c[i] (f(x + i h) - f(x - i h)) with an error of order h^(2 radius + 1):
 * c[i] = (-1)^(i+1) radius!^2 / (i (radius - i)! (radius + i)!) (Fornberg, Generation of Finite Difference Formulas on
 * Arbitrarily Spaced Grids, 1988). A quotient of integers below 2^53, so rounded once. */
double stencil_coefficient(u32 radius, u32 i)
{
    double above = 1, below = i;
    for (u32 k = radius - i + 1; k <= radius; k++)
        above *= k;
    for (u32 k = radius + 1; k <= radius + i; k++)
        below *= k;
    return (i % 2 ? 1 : -1) * above / below;
}

static bool any_radius(const struct rung *r) { return r->tile == TILE_DYNAMIC; }

static void defaults(const struct rung *r, struct shape *s)
{
    if (s->bx == 0)
        s->bx = 32;
    if (s->n == 0) /* 2^22, or what of it is whole blocks of five cells a thread */
        s->n = (1u << 22) / (s->bx * (u64)r->columns->per_thread) * (s->bx * (u64)r->columns->per_thread);
    if (s->n == 0)
        s->n = 1u << 22;
    if (s->by == 0)
        s->by = 1;
    if (s->k == 0)
        s->k = RADIUS;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    const u64 part = (u64)base->bx * r->columns->per_thread;
    const u64 sizes[] = {1, 3, 4, 5, part - 1, part, part + 1, 2 * part + 3, 997};
    const u32 radii[] = {1, 2, 3, 5, 6, 7, 8, 8};
    const u32 n = LS_ARRAY_LEN(sizes);
    *out = *base;
    if (i >= n + (any_radius(r) ? LS_ARRAY_LEN(radii) : 0))
        return false;
    out->n = i < n ? (sizes[i] ? sizes[i] : 1) : i < n + 7 ? part * 2 + i : 1;
    out->k = i < n ? base->k : radii[i - n];
    return true;
}

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    if (s->by != 1)
        return "blocks have one dimension here";
    if (!any_radius(r) && s->k != RADIUS)
        return "written for a radius of 4";
    if (s->k < 1 || s->k > MAX_RADIUS)
        return "the radius is 1 to 8";
    if (!any_radius(r) && s->bx < RADIUS)
        return "the radius's 4 cells of halo need 4 threads";
    if (s->bx == 0 || s->bx > 1024)
        return "a block has 1 to 1024 threads";
    if (r->columns->tma && (s->bx % 4 || s->bx + 2 * RADIUS > 256))
        return "a tensor map's box has whole 16 bytes and at most 256 cells: 4 to 248 threads, a multiple of 4";
    if (s->n == 0 || s->n > 1u << 30)
        return "n is 1 to 2^30";
    return NULL;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    f32 *coefficients = arena_array(out->mem, f32, MAX_RADIUS + 1);
    for (u32 i = 1; i <= s->k; i++)
        coefficients[i] = (f32)stencil_coefficient(s->k, i);
    struct buffer cells = {.use = BUFFER_IN, .type = BUFFER_FLOAT, .count = s->n, .lead = s->k, .tail = s->k};
    u32 in = plan_buffer(out, cells);
    cells.use = BUFFER_OUT;
    u32 derivative = plan_buffer(out, cells);
    struct launch *l = plan_launch(out, r->kernel, ceil_div(s->n, (u64)s->bx * r->columns->per_thread), s->bx);
    if (r->columns->tma)
        launch_map(l, plan_map(out, (struct plan_map){in, 0, (u32)s->n + 2 * s->k, 0, s->bx + 2 * s->k, false}));
    else
        launch_buffer(l, in);
    launch_buffer(l, derivative), launch_u32(l, (u32)s->n);
    if (r->columns->constant)
        plan_constant(out, "coef", coefficients, (s->k + 1) * 4);
    else
        launch_buffer(l, plan_fixed(out, BUFFER_FLOAT, s->k + 1, coefficients));
    if (any_radius(r)) {
        launch_u32(l, s->k);
        l->dynamic_shared = (s->bx * r->columns->per_thread + 2 * s->k) * 4;
    }
    out->useful_bytes = s->n * 8;
    out->flops = 3.0 * s->k * (double)s->n;
    return NULL;
}

const struct family family_stencil = {
    .name = "stencil",
    .about = "a derivative from neighbours: shared tiles, coefficients, any radius, register windows",
    .third = "radius",
    .columns = "gld gst sld sst const barriers",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = stencil_check,
};
