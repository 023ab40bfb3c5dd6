/* host.c of reduce - n integers; every block leaves the sum of its part, the caller adds those up.
 *
 * Rungs in global memory overwrite their input. Values are within +-1000, so no sum of a block's part overflows. */
#include <string.h>

#include "kernels/families.h"

#define LADDER "kernels/reduce/ladder.def"
#include "kernels/rungs.inc"

static void defaults(const struct rung *r, struct shape *s)
{
    (void)r;
    if (s->n == 0)
        s->n = 1u << 22;
    if (s->bx == 0)
        s->bx = 128;
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    u64 block = (u64)base->bx * r->unroll;
    const u64 sizes[] = {
        1, 2, 31, 33, base->bx - 1, base->bx, base->bx + 1, block - 1, block, block + 1, 3 * block + 7, 4099};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i] ? sizes[i] : 1;
    return true;
}

static bool power_of_two(u32 x)
{
    return x && (x & (x - 1)) == 0;
}

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    bool shuffle = strcmp(r->name, "reduceShfl") == 0;
    bool loop = strncmp(r->name, "reduceNeighbored", 16) == 0 || strncmp(r->name, "reduceInterleaved", 17) == 0;
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx > 1024)
        return "a block has at most 1024 threads";
    if (shuffle)
        return s->bx % 32 ? "whole warps are needed: a multiple of 32 threads" : NULL;
    if (!power_of_two(s->bx))
        return "halving needs a power of two of threads";
    if (loop)
        return s->bx < 32 ? "at least 32 threads are needed" : NULL;
    return s->bx < 64 ? "the rounds are written for at least 64 threads" : NULL;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    if (s->n == 0 || s->n > 1u << 30)
        return "n is 1 to 2^30";
    u32 blocks = ceil_div(s->n, (u64)s->bx * r->unroll);
    bool in_place = r->tile == TILE_NONE && strcmp(r->name, "reduceShfl") != 0;
    u32 in = in_place ? plan_inout(out, BUFFER_INT, s->n) : plan_input(out, BUFFER_INT, s->n);
    u32 sums = plan_output(out, BUFFER_INT, blocks);
    struct launch *l = plan_launch(out, r->kernel, blocks, s->bx);
    l->dynamic_shared = r->tile == TILE_DYNAMIC ? s->bx * 4 : 0;
    launch_buffer(l, in), launch_buffer(l, sums), launch_u32(l, (u32)s->n);
    out->useful_bytes = s->n * 4 + blocks * 4ull;
    return NULL;
}

const struct family family_reduce = {
    .name = "reduce",
    .about = "the sum of n integers, from neighbouring pairs to shuffles",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = reduce_check,
};
