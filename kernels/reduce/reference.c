/* reference.c of reduce - the sum of each block's part, or of all: exact in 64-bit integers, in double for floats. */
#include <math.h>
#include <string.h>

#include "kernels/families.h"
#include "kernels/reduce/columns.h"

static void check_parts(const struct outcome *o, bool square, struct check *c)
{
    const i32 *in = o->before[0], *out = o->after[1];
    u64 n = o->shape->n, part = (u64)o->shape->bx * o->rung->columns->per_thread;
    for (u64 block = 0; block * part < n; block++) {
        i64 sum = 0;
        for (u64 i = block * part; i < n && i < (block + 1) * part; i++)
            sum += square ? in[i] * in[i] : in[i];
        check_element(c, block, out[block], (double)sum, 0);
    }
}

/* One integer of 64 bits; below 2^30 * 1000 < 2^53, so exact as a double too. */
static void check_total(const struct outcome *o, struct check *c)
{
    const i32 *in = o->before[0];
    i64 got, sum = 0;
    memcpy(&got, o->after[1], sizeof got);
    for (u64 i = 0; i < o->shape->n; i++)
        sum += in[i];
    check_element(c, 0, (double)got, (double)sum, 0);
}

/* The block that adds element i. The vector rung deals whole vectors of four to the grid's threads in turn, and what is
 * left, up to three elements, to the first threads. */
static u64 block_of(const struct outcome *o, u64 i, u64 threads)
{
    const u32 bx = o->shape->bx;
    if (!o->rung->columns->resident)
        return i / bx;
    u64 whole = o->shape->n / 4 * 4;
    return (i < whole ? i / 4 % threads : i - whole) / bx;
}

/* Floats. No element goes through more than `depth` rounded additions, in whatever order: then the error is at most
 * gamma_depth times the sum of the magnitudes (Higham 2002, 4.2), gamma_k = k u / (1 - k u), u = 2^-24. Trees have one
 * addition a level: 10 at most for 1024 threads. The vector rung adds 4 elements a round and one of the rest before. */
static void check_floats(const struct outcome *o, struct check *c)
{
    const f32 *in = o->before[0], *out = o->after[1];
    const u64 blocks = o->plan->buffers[1].count, threads = blocks * o->shape->bx;
    double *sums = arena_array(o->plan->mem, double, blocks), *sizes = arena_array(o->plan->mem, double, blocks);
    memset(sums, 0, blocks * sizeof *sums);
    memset(sizes, 0, blocks * sizeof *sizes);
    for (u64 i = 0; i < o->shape->n; i++) {
        sums[block_of(o, i, threads)] += in[i];
        sizes[block_of(o, i, threads)] += fabs((double)in[i]);
    }
    const double rounds = o->rung->columns->resident ? (double)ceil_div(o->shape->n / 4, threads) * 4 + 1 : 0;
    const double ku = (rounds + 10) * 0x1p-24;
    for (u64 b = 0; b < blocks; b++)
        check_element(c, b, out[b], sums[b], ku / (1 - ku) * sizes[b]);
}

void reduce_check(const struct outcome *o, struct check *c)
{
    const enum task task = o->rung->columns->task;
    if (task == TOTAL)
        check_total(o, c);
    else if (task == FLOATS)
        check_floats(o, c);
    else
        check_parts(o, task == SQUARES, c);
}
