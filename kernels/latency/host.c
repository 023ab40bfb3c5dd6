/* host.c of latency - one warp, n steps of a chain, and its own clock.
 *
 * A step is one instruction of a chain; rungs with several chains do n in each. Chains through global memory go
 * round a table of `ring` lines of 128 bytes. */
#include "kernels/families.h"
#include "kernels/latency/columns.h"

#define LADDER "kernels/latency/ladder.def"
#define DEFAULTS .chains = 1,
#include "kernels/rungs.inc"

enum { LINE = 128 };

static void defaults(const struct rung *r, struct shape *s)
{
    (void)r;
    if (s->n == 0)
        s->n = 1u << 12;
    if (s->bx == 0)
        s->bx = 32;
    if (s->by == 0)
        s->by = 1;
}

/* Rounds of the loop: 1, 2, 3, 5, 63, 65; more than once round each table but the largest. */
static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    (void)r;
    static const u32 rounds[] = {1, 2, 3, 5, 63, 65};
    *out = *base;
    if (i >= LS_ARRAY_LEN(rounds))
        return false;
    out->n = rounds[i] * LATENCY_ROUND;
    return true;
}

static bool is(const struct rung *r, enum step_of step) { return r->columns->step == step; }

/* The arguments in front of n: inputs, outputs (out and cycles), numbers. */
static void add_arguments(struct plan *p, struct launch *l, const struct rung *r)
{
    const u32 elements = 32 * r->columns->chains, lines = r->columns->ring;
    if (is(r, FMA))
        launch_buffer(l, plan_input(p, BUFFER_FLOAT, elements));
    else if (is(r, INTEGER) || is(r, SHUFFLE))
        launch_buffer(l, plan_input(p, BUFFER_INT, elements));
    else if (is(r, GLOBAL)) /* addresses: 8 bytes an element */
        launch_buffer(l, plan_output(p, BUFFER_DOUBLE, (u64)lines * (LINE / 8)));
    const u32 out = plan_output(p, is(r, FMA) ? BUFFER_FLOAT : BUFFER_INT, elements);
    launch_buffer(l, out), launch_buffer(l, plan_output(p, BUFFER_INT, 32));
    if (is(r, FMA))
        launch_f32(l, latency_fma[0]), launch_f32(l, latency_fma[1]);
    else if (is(r, INTEGER))
        launch_u32(l, latency_integer[0]), launch_u32(l, latency_integer[1]);
    else if (is(r, GLOBAL))
        launch_u32(l, lines);
    else if (is(r, LOCAL))
        launch_u32(l, LATENCY_SHIFT);
}

/* Each word is the index of the one LATENCY_SHIFT on. */
static const u32 *constant_chain(struct plan *p)
{
    u32 *next = arena_array(p->mem, u32, LATENCY_CONSTANT);
    for (u32 i = 0; i < LATENCY_CONSTANT; i++)
        next[i] = (i + LATENCY_SHIFT) % LATENCY_CONSTANT;
    return next;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    if (s->bx != 32 || s->by != 1)
        return "one warp is measured here: the block is 32";
    if (s->n == 0 || s->n % LATENCY_ROUND || s->n > 1u << 20)
        return "n is a multiple of 16, the steps of a round of the loop, up to 2^20";
    struct launch *l = plan_launch(out, r->kernel, 1, 32);
    add_arguments(out, l, r);
    launch_u32(l, (u32)s->n);
    if (is(r, CONSTANT))
        plan_constant(out, "next", constant_chain(out), LATENCY_CONSTANT * sizeof(u32));
    return NULL;
}

static const struct rung_column formula_columns[] = {{"ring", offsetof(struct columns, ring)}, {0}};

const struct family family_latency = {
    .formula_columns = formula_columns,
    .name = "latency",
    .about = "what one warp waits for: arithmetic, shuffles and each kind of memory, by its own clock",
    .columns = "cycles gld sld local const inst",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = latency_check,
};
