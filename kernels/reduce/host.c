/* host.c of reduce - n integers or floats, summed.
 *
 * Most rungs leave the sum of each block's part, and the caller adds those up; reduceTotal* leave one sum of 64 bits,
 * after a second kernel or by atomics. Rungs in global memory overwrite their input. Values are within +-1000, so no
 * sum of a block's part overflows, and neither do the squares of 1024 of them: 1.024e9. */
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

static bool power_of_two(u32 x) { return x && (x & (x - 1)) == 0; }

static bool named(const struct rung *r, const char *start) { return strncmp(r->name, start, strlen(start)) == 0; }

/* Those whose grid is what a GPU holds at once. */
static bool resident(const struct rung *r)
{
    return named(r, "reduceTotalVector") || named(r, "reduceSumVector") || named(r, "reduceTotalCooperative");
}

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    bool shuffle = strstr(r->name, "Shfl") || named(r, "reduceTotal") || resident(r);
    bool loop = named(r, "reduceNeighbored") || named(r, "reduceInterleaved") || named(r, "sumSquares");
    if (s->n == 0 || s->n > 1u << 30)
        return "n is 1 to 2^30";
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx > 1024)
        return "a block has at most 1024 threads";
    if (shuffle)
        return s->bx % 32 ? "whole warps are needed: a multiple of 32 threads" : NULL;
    if (r->broken && named(r, "reduceSum"))
        return NULL; /* it halves any number of threads, which is what is broken */
    if (!power_of_two(s->bx))
        return "halving needs a power of two of threads";
    if (loop || named(r, "reduceSum"))
        return s->bx < 32 ? "at least 32 threads are needed" : NULL;
    return s->bx < 64 ? "the rounds are written for at least 64 threads" : NULL;
}

/* A block's part is `unroll` elements a thread. Resident grids have no more threads than an H200 holds, 132 SMs of
 * 2048; a cooperative launch must fit, so its grid fits every GPU of gpus/: 36 SMs with 1024 threads each. */
static u32 grid(const struct rung *r, const struct shape *s)
{
    const u32 threads = named(r, "reduceTotalCooperative") ? 36 * 1024 : 132 * 2048;
    u32 blocks = ceil_div(s->n, (u64)s->bx * r->unroll), at_once = threads / s->bx;
    return resident(r) && blocks > at_once ? at_once : blocks;
}

static void plan_total(struct plan *p, const struct rung *r, const struct shape *s)
{
    u32 blocks = grid(r, s), in = plan_input(p, BUFFER_INT, s->n), total = plan_output(p, BUFFER_INT, 2);
    if (named(r, "reduceTotalTwoStage")) {
        u32 sums = plan_output(p, BUFFER_INT, blocks);
        struct launch *l = plan_launch(p, r->kernel, blocks, s->bx);
        launch_buffer(l, in), launch_buffer(l, sums), launch_u32(l, (u32)s->n);
        l = plan_launch(p, "addSums", 1, s->bx);
        launch_buffer(l, sums), launch_buffer(l, total), launch_u32(l, blocks);
        return;
    }
    if (named(r, "reduceTotalCooperative")) {
        u32 sums = plan_output(p, BUFFER_INT, blocks);
        struct launch *l = plan_launch(p, r->kernel, blocks, s->bx);
        l->cooperative = true;
        launch_buffer(l, in), launch_buffer(l, total), launch_buffer(l, sums), launch_u32(l, (u32)s->n);
        return;
    }
    plan_step(p, (struct step){.kind = STEP_SET, .to = total, .count = 2, .value = 0});
    struct launch *l = plan_launch(p, r->kernel, blocks, s->bx);
    launch_buffer(l, in), launch_buffer(l, total), launch_u32(l, (u32)s->n);
}

static void plan_parts(struct plan *p, const struct rung *r, const struct shape *s)
{
    enum buffer_type type = named(r, "reduceSum") ? BUFFER_FLOAT : BUFFER_INT;
    bool in_place = r->tile == TILE_NONE && strcmp(r->name, "reduceShfl") != 0;
    u32 blocks = grid(r, s), in = in_place ? plan_inout(p, type, s->n) : plan_input(p, type, s->n);
    u32 sums = plan_output(p, type, blocks);
    struct launch *l = plan_launch(p, r->kernel, blocks, s->bx);
    l->dynamic_shared = r->tile == TILE_DYNAMIC ? s->bx * 4 : 0;
    launch_buffer(l, in), launch_buffer(l, sums), launch_u32(l, (u32)s->n);
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    if (named(r, "reduceTotal"))
        plan_total(out, r, s);
    else
        plan_parts(out, r, s);
    out->useful_bytes = s->n * 4 + (named(r, "reduceTotal") ? 8 : grid(r, s) * 4ull);
    out->flops = named(r, "reduceSum") ? (double)s->n : 0;
    return NULL;
}

const struct family family_reduce = {
    .name = "reduce",
    .about = "the sum of n integers, from neighbouring pairs to shuffles, two stages and atomics",
    .columns = "gld gst sld atom branch barriers",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = reduce_check,
};
