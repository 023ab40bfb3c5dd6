/* reference.c of latency - where each chain ends, exactly, and whether the cycles are believable.
 *
 * Ends: a step of fmaChains is the C library's fmaf, which rounds as the device does; integers are modulo 2^32; chases
 * go on by a known distance in a ring.
 *
 * Cycles: all lanes of a warp read one clock, so they agree. And a step takes what hardware of compute capability 7.0
 * to 12.0 can have taken, in either direction generously: the published latencies are, over these, 4 for arithmetic
 * (with few units a warp is issued every second cycle), 19 to 30 for shared memory and shuffles, 28 to 43 for L1, 193
 * to 358 for L2. To these comes the loop's share, addresses, and, for L2, the far side of the chip. The ranges of L1
 * and L2 are apart, so a table that is not where it should be is found. */
#include <math.h>

#include "kernels/families.h"
#include "kernels/latency/columns.h"

const f32 latency_fma[2] = {1.0f, 0.25f};
const u32 latency_integer[2] = {1664525, 1013904223}; /* Numerical Recipes' generator: each step is another number */

/* What the first round may take more: its instructions come from memory. */
enum { COLD_START = 1000 };

static f32 after_fmas(f32 x, u64 n)
{
    for (u64 i = 0; i < n; i++)
        x = fmaf(x, latency_fma[0], latency_fma[1]);
    return x;
}

static u32 after_integers(u32 x, u64 n)
{
    for (u64 i = 0; i < n; i++)
        x = x * latency_integer[0] + latency_integer[1];
    return x;
}

/* The index at which lane `lane` of chain `chain` ends. */
static u64 end_of_chase(const struct rung *r, u32 lane, u32 chain, u64 n)
{
    const struct columns *own = r->columns;
    if (own->step == CONSTANT)
        return n * LATENCY_SHIFT % LATENCY_CONSTANT;
    if (own->step == LOCAL)
        return n * LATENCY_SHIFT % LATENCY_LOCAL;
    if (own->conflict)
        return (lane + n) % 32 * 32;
    return ((u64)own->ring / own->chains * chain + n) % own->ring;
}

/* Arithmetic is done for a round before the clock is read; chases go once round before, or not at all. */
static double want_of(const struct outcome *o, u64 i)
{
    const enum step_of step = o->rung->columns->step;
    const u64 n = o->shape->n + LATENCY_ROUND, lane = i % 32;
    if (step == FMA)
        return after_fmas(((const f32 *)o->before[0])[i], n);
    if (step == INTEGER)
        return after_integers(((const u32 *)o->before[0])[i], n);
    if (step == SHUFFLE)
        return ((const u32 *)o->before[0])[(lane + n) % 32];
    return (double)end_of_chase(o->rung, (u32)lane, (u32)(i / 32), o->shape->n);
}

static void check_cycles(const struct outcome *o, const i32 *cycles, u64 first, struct check *c)
{
    const struct columns *own = o->rung->columns;
    const double steps = (double)o->shape->n * own->chains;
    const double least = own->least * steps, most = own->most * steps + COLD_START;
    check_element(c, first, cycles[0], (least + most) / 2, (most - least) / 2);
    for (u32 lane = 1; lane < 32; lane++)
        check_element(c, first + lane, cycles[lane], cycles[0], 0);
    c->worst = 0; /* of the results, which are exact */
    c->cycles_per_step = cycles[0] / steps;
}

/* The outputs are the last two buffers: out, then cycles, which count as elements behind it. */
void latency_check(const struct outcome *o, struct check *c)
{
    const u32 at = o->plan->nbuffers - 2;
    const u64 count = o->plan->buffers[at].count;
    const bool floats = o->plan->buffers[at].type == BUFFER_FLOAT;
    for (u64 i = 0; i < count; i++) {
        const void *out = o->after[at];
        const double got = floats ? (double)((const f32 *)out)[i] : (double)((const u32 *)out)[i];
        check_element(c, i, got, want_of(o, i), 0);
    }
    check_cycles(o, o->after[at + 1], count, c);
}
