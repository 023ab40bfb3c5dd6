/* host.c of constant - every element gets 16 words of a table added, which are the same for all lanes of a warp, for those
 * of a half, or for none. The table is a __constant__ variable or a buffer. */
#include "kernels/constant/columns.h"
#include "kernels/families.h"

#define LADDER "kernels/constant/ladder.def"
#include "kernels/rungs.inc"

/* The word k is 1 + k / 256: exact in single precision, all different. */
const f32 *constant_table(void)
{
    static f32 table[CONSTANT_TABLE];
    for (u32 k = 0; k < CONSTANT_TABLE; k++)
        table[k] = 1.0f + (f32)k / CONSTANT_TABLE;
    return table;
}

static void defaults(const struct rung *r, struct shape *s)
{
    (void)r;
    if (s->n == 0)
        s->n = 1u << 18;
    if (s->bx == 0)
        s->bx = 128;
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    (void)r;
    const u64 sizes[] = {1, 31, 32, 33, base->bx - 1, base->bx, base->bx + 1, 997};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i] ? sizes[i] : 1;
    return true;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    if (s->by != 1 || s->bx % 32 || s->bx > 1024)
        return "blocks have one dimension and whole warps here, up to 1024 threads";
    if (s->n == 0 || s->n > 1u << 30)
        return "n is 1 to 2^30";
    const u32 in = plan_input(out, BUFFER_FLOAT, s->n), sums = plan_output(out, BUFFER_FLOAT, s->n);
    struct launch *l = plan_launch(out, r->kernel, ceil_div(s->n, s->bx), s->bx);
    launch_buffer(l, in), launch_buffer(l, sums), launch_u32(l, (u32)s->n);
    if (r->columns->constant)
        plan_constant(out, "table", constant_table(), CONSTANT_TABLE * sizeof(f32));
    else
        launch_buffer(l, plan_fixed(out, BUFFER_FLOAT, CONSTANT_TABLE, constant_table()));
    out->useful_bytes = s->n * 8;
    return NULL;
}

const struct family family_constant = {
    .name = "constant",
    .about = "constant memory: one word at a time, against the read-only cache and plain loads",
    .columns = "gld gst const inst",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = constant_check,
};
