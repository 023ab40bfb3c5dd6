/* reference.c of nested - all in integers, so exact. */
#include <stdlib.h>
#include <string.h>

#include "kernels/families.h"
#include "kernels/nested/columns.h"

/* Level d's threads note d in the upper half and their number in the lower. */
static void check_hello(const struct outcome *o, struct check *c)
{
    const i32 *out = o->after[0];
    u64 at = 0;
    i32 depth = 0;
    for (u64 size = o->shape->n; size; size /= 2, depth++)
        for (u64 t = 0; t < size; t++, at++)
            check_element(c, at, out[at], depth * 65536 + (i32)t, 0);
}

/* Sums of 2^20 numbers within +-1000 fit 32 bits. */
static i64 sum_of(const i32 *in, u64 from, u64 to)
{
    i64 sum = 0;
    for (u64 i = from; i < to; i++)
        sum += in[i];
    return sum;
}

static void check_parts(const struct outcome *o, struct check *c)
{
    const i32 *out = o->after[1];
    const u64 n = o->shape->n, part = o->shape->bx;
    for (u64 b = 0; b * part < n; b++) {
        const u64 end = (b + 1) * part < n ? (b + 1) * part : n;
        check_element(c, b, out[b], (double)sum_of(o->before[0], b * part, end), 0);
    }
}

static int by_value(const void *a, const void *b)
{
    const i32 x = *(const i32 *)a, y = *(const i32 *)b;
    return (x > y) - (x < y);
}

static void check_sorted(const struct outcome *o, struct check *c)
{
    const u64 n = o->shape->n;
    const i32 *out = o->after[0];
    i32 *want = arena_array(o->plan->mem, i32, n);
    memcpy(want, o->before[0], n * sizeof *want);
    qsort(want, n, sizeof *want, by_value);
    for (u64 i = 0; i < n; i++)
        check_element(c, i, out[i], want[i], 0);
}

void nested_check(const struct outcome *o, struct check *c)
{
    switch (o->rung->columns->task) {
    case HELLO:
        check_hello(o, c);
        return;
    case REDUCE:
        check_parts(o, c);
        return;
    case TREE:
        check_element(c, 1, ((const i32 *)o->after[1])[0], (double)sum_of(o->before[0], 0, o->shape->n), 0);
        return;
    case SORT:
        check_sorted(o, c);
        return;
    }
}
