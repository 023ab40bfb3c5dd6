/* reference.c of divergence - integers modulo 2^32 and sums that do not overflow: all exact. */
#include "kernels/divergence/columns.h"
#include "kernels/families.h"

/* The eight rounds of side A (0) or B (1). */
static u32 work(u32 x, u32 side)
{
    for (u32 round = 0; round < 8; round++) {
        x = x * divergence_constants[2 * side] + divergence_constants[2 * side + 1];
        x ^= x >> 15;
    }
    return x;
}

static u32 side_of(const struct outcome *o, u64 i)
{
    const u32 bx = o->shape->bx;
    switch (o->rung->columns->by) {
    case BY_LANE:
        return i % bx & 1;
    case BY_WARP:
        return i % bx / 32 & 1;
    case BY_BLOCK:
        return i / bx & 1;
    case BY_GROUP:
        return i >= divergence_first_b(o->shape->n);
    case BY_DATA:
        break;
    }
    return (u32)((const i32 *)o->before[3])[i];
}

static void check_sides(const struct outcome *o, struct check *c)
{
    const u32 *a = o->before[0], *b = o->before[1], *out = o->after[2];
    for (u64 i = 0; i < o->shape->n; i++) {
        u32 side = side_of(o, i);
        check_element(c, i, out[i], work(side ? b[i] : a[i], side), 0);
    }
}

static void check_rare(const struct outcome *o, struct check *c)
{
    const i32 *a = o->before[0], *rows = o->before[1], *flag = o->before[3], *out = o->after[2];
    for (u64 i = 0; i < o->shape->n; i++) {
        i32 want = flag[i] ? 0 : a[i];
        for (u64 k = 0; flag[i] && k < 32; k++)
            want += rows[i / 128 * 32 + k];
        check_element(c, i, out[i], want, 0);
    }
}

static void check_leaders(const struct outcome *o, struct check *c)
{
    const u32 *a = o->before[0], *heads = o->after[1], *out = o->after[2];
    const u64 group = o->rung->columns->a_warp ? 32 : o->shape->bx;
    for (u64 i = 0; i < o->shape->n; i++) {
        check_element(c, i, out[i], a[i] + 1, 0);
        if (i % group == 0)
            check_element(c, i, heads[i / group], work(a[i], 0), 0);
    }
}

static void check_clamp(const struct outcome *o, struct check *c)
{
    const i32 *in = o->before[0], *out = o->after[1];
    for (u64 i = 0; i < o->shape->n; i++)
        check_element(c, i, out[i], in[i] > 0 ? in[i] : 0, 0);
}

static void check_sum(const struct outcome *o, struct check *c)
{
    const i32 *in = o->before[0], *sum = o->after[3];
    i64 want = 0;
    for (u64 i = 0; i < o->shape->n; i++)
        want += in[i];
    check_element(c, 0, sum[0], (double)want, 0);
}

void divergence_check(const struct outcome *o, struct check *c)
{
    static void (*const checks[])(const struct outcome *, struct check *) = {
        [SIDES] = check_sides,     [SPLIT] = check_sides, [RARE] = check_rare,
        [LEADERS] = check_leaders, [CLAMP] = check_clamp, [PAIRS] = check_sum};
    checks[o->rung->columns->task](o, c);
}
