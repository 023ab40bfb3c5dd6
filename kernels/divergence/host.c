/* host.c of divergence - two kinds of work in one grid, by what they are told apart, and what to do about it.
 *
 * Buffers of the rungs with two sides: a, b, out, then the kinds and the table where there are. The sums by pairs have
 * n integers, two scratch buffers and the sum. */
#include "kernels/divergence/columns.h"
#include "kernels/families.h"

#define LADDER "kernels/divergence/ladder.def"
#include "kernels/rungs.inc"

/* The constants of side A and of side B, as the kernels have them. */
const u32 divergence_constants[4] = {1664525, 1013904223, 22695477, 1};

static void defaults(const struct rung *r, struct shape *s)
{
    (void)r;
    if (s->n == 0)
        s->n = 1u << 18;
    if (s->bx == 0)
        s->bx = 256;
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    (void)r;
    const u64 sizes[] = {1, 2, 3, 6, 31, 33, base->bx - 1, base->bx, base->bx + 1, 134, 997};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i] ? sizes[i] : 1;
    return true;
}

u64 divergence_first_b(u64 n) { return n - n / 2; }

/* n / 2 ones among zeros, in random order. */
static const i32 *random_kinds(struct plan *p, u64 n)
{
    i32 *kinds = arena_array(p->mem, i32, n);
    u64 state = 1;
    for (u64 i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        u64 other = (state >> 33) % (i + 1); /* Fisher and Yates, inside out */
        kinds[i] = kinds[other];
        kinds[other] = i >= divergence_first_b(n);
    }
    return kinds;
}

/* One flag in 128, on lane 5 of every fourth warp. */
static const i32 *rare_flags(struct plan *p, u64 n)
{
    i32 *flags = arena_array(p->mem, i32, n);
    for (u64 i = 5; i < n; i += 128)
        flags[i] = 1;
    return flags;
}

static void plan_sides(const struct rung *r, const struct shape *s, struct plan *p)
{
    struct launch *l = plan_launch(p, r->kernel, ceil_div(s->n, s->bx), s->bx);
    launch_buffer(l, plan_input(p, BUFFER_INT, s->n)), launch_buffer(l, plan_input(p, BUFFER_INT, s->n));
    launch_buffer(l, plan_output(p, BUFFER_INT, s->n)), launch_u32(l, (u32)s->n);
    if (r->columns->by == BY_GROUP)
        launch_u32(l, (u32)divergence_first_b(s->n));
    if (r->columns->by == BY_DATA)
        launch_buffer(l, plan_fixed(p, BUFFER_INT, s->n, random_kinds(p, s->n)));
    if (r->columns->table)
        launch_buffer(l, plan_fixed(p, BUFFER_INT, 4, divergence_constants));
}

static void plan_split(const struct rung *r, const struct shape *s, struct plan *p)
{
    (void)r;
    u64 first_b = divergence_first_b(s->n);
    u32 a = plan_input(p, BUFFER_INT, s->n), b = plan_input(p, BUFFER_INT, s->n);
    u32 out = plan_output(p, BUFFER_INT, s->n);
    struct launch *l = plan_launch(p, "sideA", ceil_div(first_b, s->bx), s->bx);
    launch_buffer(l, a), launch_buffer(l, out), launch_u32(l, (u32)first_b);
    if (s->n == first_b)
        return;
    l = plan_launch(p, "sideB", ceil_div(s->n - first_b, s->bx), s->bx);
    launch_buffer(l, b), launch_buffer(l, out), launch_u32(l, (u32)first_b), launch_u32(l, (u32)s->n);
}

static void plan_rare(const struct rung *r, const struct shape *s, struct plan *p)
{
    struct launch *l = plan_launch(p, r->kernel, ceil_div(s->n, s->bx), s->bx);
    launch_buffer(l, plan_input(p, BUFFER_INT, s->n));
    launch_buffer(l, plan_input(p, BUFFER_INT, ceil_div(s->n, 128) * 32ull));
    launch_buffer(l, plan_output(p, BUFFER_INT, s->n)), launch_u32(l, (u32)s->n);
    launch_buffer(l, plan_fixed(p, BUFFER_INT, s->n, rare_flags(p, s->n)));
}

static void plan_leaders(const struct rung *r, const struct shape *s, struct plan *p)
{
    u64 heads = ceil_div(s->n, r->columns->a_warp ? 32 : s->bx);
    struct launch *l = plan_launch(p, r->kernel, ceil_div(s->n, s->bx), s->bx);
    launch_buffer(l, plan_input(p, BUFFER_INT, s->n)), launch_buffer(l, plan_output(p, BUFFER_INT, heads));
    launch_buffer(l, plan_output(p, BUFFER_INT, s->n)), launch_u32(l, (u32)s->n);
}

static void plan_clamp(const struct rung *r, const struct shape *s, struct plan *p)
{
    struct launch *l = plan_launch(p, r->kernel, ceil_div(s->n, s->bx), s->bx);
    launch_buffer(l, plan_input(p, BUFFER_INT, s->n)), launch_buffer(l, plan_output(p, BUFFER_INT, s->n));
    launch_u32(l, (u32)s->n);
}

/* Level by level, from one scratch buffer to the other; the last level goes to the sum. */
static void plan_pairs(const struct rung *r, const struct shape *s, struct plan *p)
{
    u32 from = plan_input(p, BUFFER_INT, s->n);
    u64 n = s->n, half = (n + 1) / 2;
    u32 scratch[2] = {plan_output(p, BUFFER_INT, half), plan_output(p, BUFFER_INT, (half + 1) / 2)};
    u32 sum = plan_output(p, BUFFER_INT, 1);
    for (u32 level = 0; level == 0 || n > 1; level++) {
        half = (n + 1) / 2;
        u32 to = half == 1 ? sum : scratch[level % 2];
        struct launch *l = plan_launch(p, r->kernel, ceil_div(half, s->bx), s->bx);
        launch_buffer(l, from), launch_buffer(l, to), launch_u32(l, (u32)n);
        from = to;
        n = half;
    }
    p->useful_bytes = s->n * 4 + 4;
}

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx == 0 || s->bx > 1024)
        return "a block has 1 to 1024 threads";
    if (r->columns->whole_warps && s->bx % 32)
        return "whole warps are needed: a multiple of 32 threads";
    if (r->columns->task == PAIRS && s->n > 1u << 21)
        return "n is at most 2^21, so that no sum overflows";
    if (s->n == 0 || s->n > 1u << 28)
        return "n is 1 to 2^28";
    return NULL;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    static void (*const plans[])(const struct rung *, const struct shape *, struct plan *) = {
        [SIDES] = plan_sides,     [SPLIT] = plan_split, [RARE] = plan_rare,
        [LEADERS] = plan_leaders, [CLAMP] = plan_clamp, [PAIRS] = plan_pairs};
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    out->useful_bytes = s->n * 8;
    plans[r->columns->task](r, s, out);
    return NULL;
}

const struct family family_divergence = {
    .name = "divergence",
    .about = "lanes that part: two kinds of work in one warp",
    .columns = "gld gst branch inst",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = divergence_check,
};
