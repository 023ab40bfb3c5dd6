/* host.c of vector - one operation for each of n elements: sums, saxpy, scaling, quotients, roots and sines. */
#include "kernels/families.h"
#include "kernels/vector/columns.h"

#define LADDER "kernels/vector/ladder.def"
#define DEFAULTS .per_thread = 1,
#include "kernels/rungs.inc"

/* What grids of fixed size have: two blocks for each of an H200's 132 SMs. */
enum { FIXED_BLOCKS = 264 };

/* The kernels' parameters. */
enum form {
    FORM_BINARY,     /* A, B, C, n */
    FORM_ACCUMULATE, /* the same, and C is read too */
    FORM_SAXPY,      /* n, a, x, y */
    FORM_QUOTIENT,   /* n, two numbers whose quotient is a, x, y */
    FORM_SCALE,      /* data, n */
    FORM_UNARY,      /* x, y, n */
};

static enum form form_of(const struct rung *r)
{
    static const enum form forms[] = {
        [SAXPY] = FORM_SAXPY,        [SAXPY_QUOTIENT] = FORM_QUOTIENT,
        [ADD] = FORM_BINARY,         [DIVIDE] = FORM_BINARY,
        [DIVIDE_FAST] = FORM_BINARY, [MULTIPLY_ADD] = FORM_ACCUMULATE,
        [FUSED] = FORM_ACCUMULATE,   [SCALE] = FORM_SCALE,
        [ROOT] = FORM_UNARY,         [ROOT_FAST] = FORM_UNARY,
        [SINE] = FORM_UNARY,         [SINE_FAST] = FORM_UNARY,
    };
    return forms[r->columns->op];
}

static void defaults(const struct rung *r, struct shape *s)
{
    (void)r;
    if (s->n == 0)
        s->n = 1u << 20;
    if (s->bx == 0)
        s->bx = 256;
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    u64 block = (u64)base->bx * r->columns->per_thread;
    const u64 sizes[] = {1, 2, 3, 31, 33, base->bx - 1, base->bx + 1, block, block + 1, 4 * block - 1, 997};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i] ? sizes[i] : 1;
    return true;
}

static u32 blocks_for(const struct rung *r, const struct shape *s)
{
    if (!r->columns->fixed_grid)
        return ceil_div(s->n, (u64)s->bx * r->columns->per_thread);
    u32 all = ceil_div(s->n, s->bx);
    return all < FIXED_BLOCKS ? all : FIXED_BLOCKS;
}

static void arguments(const struct rung *r, const struct shape *s, struct plan *p, struct launch *l)
{
    u32 a = plan_input(p, BUFFER_FLOAT, s->n);
    switch (form_of(r)) {
    case FORM_BINARY:
    case FORM_ACCUMULATE: {
        bool in = form_of(r) == FORM_ACCUMULATE;
        u32 b = plan_input(p, BUFFER_FLOAT, s->n);
        u32 c = in ? plan_inout(p, BUFFER_FLOAT, s->n) : plan_output(p, BUFFER_FLOAT, s->n);
        launch_buffer(l, a), launch_buffer(l, b), launch_buffer(l, c), launch_u32(l, (u32)s->n);
        p->useful_bytes = s->n * (in ? 16 : 12);
        return;
    }
    case FORM_SAXPY:
    case FORM_QUOTIENT: {
        u32 y = plan_inout(p, BUFFER_FLOAT, s->n);
        launch_u32(l, (u32)s->n);
        if (form_of(r) == FORM_QUOTIENT)
            launch_buffer(l, plan_fixed(p, BUFFER_FLOAT, 2, vector_quotient));
        else
            launch_f32(l, vector_factor);
        launch_buffer(l, a), launch_buffer(l, y);
        p->useful_bytes = s->n * 12;
        p->flops = 2.0 * (double)s->n;
        return;
    }
    case FORM_SCALE:
        p->buffers[a].use = BUFFER_INOUT;
        launch_buffer(l, a), launch_u32(l, (u32)s->n);
        p->useful_bytes = s->n * 8;
        return;
    case FORM_UNARY:
        launch_buffer(l, a), launch_buffer(l, plan_output(p, BUFFER_FLOAT, s->n)), launch_u32(l, (u32)s->n);
        p->useful_bytes = s->n * 8;
        return;
    }
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx == 0 || s->bx > 1024)
        return "a block has 1 to 1024 threads";
    if (s->n == 0 || s->n > 1u << 30)
        return "n is 1 to 2^30";
    arguments(r, s, out, plan_launch(out, r->kernel, blocks_for(r, s), s->bx));
    return NULL;
}

const struct family family_vector = {
    .name = "vector",
    .about = "one operation an element: what arithmetic costs where DRAM is the limit",
    .columns = "gld gst barriers inst regs",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = vector_check,
};
