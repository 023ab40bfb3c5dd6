/* reference.c of coop - integers throughout, so everything is exact. */
#include "kernels/coop/columns.h"
#include "kernels/families.h"

/* Sums of 2^20 numbers within +-1000 fit 32 bits. */
static void check_sums(const struct outcome *o, u64 part, struct check *c)
{
    const i32 *in = o->before[0], *out = o->after[1];
    const u64 n = o->shape->n;
    for (u64 group = 0; group * part < n; group++) {
        i64 sum = 0;
        for (u64 i = group * part; i < n && i < (group + 1) * part; i++)
            sum += in[i];
        check_element(c, group, out[group], (double)sum, 0);
    }
}

/* The sum of a group of four whose first is positive, of another one the smallest; behind the end are zeros. */
static void check_own(const struct outcome *o, struct check *c)
{
    const i32 *in = o->before[0], *out = o->after[1];
    const u64 n = o->shape->n;
    for (u64 first = 0; first < n; first += 4) {
        i32 sum = 0, least = in[first];
        for (u64 i = first; i < first + 4; i++) {
            const i32 v = i < n ? in[i] : 0;
            sum += v;
            least = v < least ? v : least;
        }
        check_element(c, first / 4, out[first / 4], in[first] > 0 ? sum : least, 0);
    }
}

static void check_centre(const struct outcome *o, struct check *c)
{
    const i32 *in = o->before[0], *out = o->after[1];
    const i64 n = (i64)o->shape->n;
    i64 sum = 0;
    for (i64 i = 0; i < n; i++)
        sum += in[i];
    for (i64 i = 0; i < n; i++)
        check_element(c, (u64)i, out[i], (double)(in[i] - sum / n), 0);
}

static u32 *step(struct arena *mem, const u32 *in, u64 n)
{
    u32 *out = arena_array(mem, u32, n);
    for (u64 i = 0; i < n; i++)
        out[i] = (i > 0 ? in[i - 1] : 0) + 2 * in[i] + (i + 1 < n ? in[i + 1] : 0);
    return out;
}

/* After k steps the result lies in buffer 1 when k is odd, in buffer 0 when it is even; where elements are kept it is in 1. */
static void check_jacobi(const struct outcome *o, struct check *c)
{
    const u32 *want = o->before[0];
    const u32 *out = o->after[o->shape->k % 2 || o->rung->columns->keeps ? 1 : 0];
    for (u32 s = 0; s < o->shape->k; s++)
        want = step(o->plan->mem, want, o->shape->n);
    for (u64 i = 0; i < o->shape->n; i++)
        check_element(c, i, out[i], want[i], 0);
}

void coop_check(const struct outcome *o, struct check *c)
{
    switch (o->rung->columns->task) {
    case SUM:
        check_sums(o, o->shape->n, c);
        return;
    case CENTRE:
        check_centre(o, c);
        return;
    case JACOBI:
        check_jacobi(o, c);
        return;
    case TILES:
        check_sums(o, o->rung->columns->lanes, c);
        return;
    case TILES_OWN:
        check_own(o, c);
        return;
    }
}
