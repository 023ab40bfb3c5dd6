/* host.c of reduce - n integers or floats, summed.
 *
 * Most rungs leave the sum of each block's part, and the caller adds those up; TOTAL leaves one sum of 64 bits, after a
 * second kernel or by atomics. Rungs in global memory overwrite their input. Values are within +-1000, so no
 * sum of a block's part overflows, and neither do the squares of 1024 of them: 1.024e9. */
#include "kernels/families.h"
#include "kernels/reduce/columns.h"

#define LADDER "kernels/reduce/ladder.def"
#define DEFAULTS .per_thread = 1,
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
    u64 block = (u64)base->bx * r->columns->per_thread;
    const u64 sizes[] = {
        1, 2, 31, 33, base->bx - 1, base->bx, base->bx + 1, block - 1, block, block + 1, 3 * block + 7, 4099};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i] ? sizes[i] : 1;
    return true;
}

static bool power_of_two(u32 x) { return x && (x & (x - 1)) == 0; }

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    const enum block block = r->columns->block;
    if (s->n == 0 || s->n > 1u << 30)
        return "n is 1 to 2^30";
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx > 1024)
        return "a block has at most 1024 threads";
    if (block == WHOLE_WARPS)
        return s->bx % 32 ? "whole warps are needed: a multiple of 32 threads" : NULL;
    if (block == ANY_THREADS)
        return NULL;
    if (!power_of_two(s->bx))
        return "halving needs a power of two of threads";
    if (block == POWER_FROM_32)
        return s->bx < 32 ? "at least 32 threads are needed" : NULL;
    return s->bx < 64 ? "the rounds are written for at least 64 threads" : NULL;
}

/* A block's part is `per_thread` elements a thread. */
static u32 grid(const struct rung *r, const struct shape *s)
{
    const struct columns *own = r->columns;
    const u32 blocks = ceil_div(s->n, (u64)s->bx * own->per_thread), at_once = own->resident / s->bx;
    return own->resident && blocks > at_once ? at_once : blocks;
}

static void plan_total(struct plan *p, const struct rung *r, const struct shape *s)
{
    u32 blocks = grid(r, s), in = plan_input(p, BUFFER_INT, s->n), total = plan_output(p, BUFFER_INT, 2);
    if (r->columns->second_kernel) {
        u32 sums = plan_output(p, BUFFER_INT, blocks);
        struct launch *l = plan_launch(p, r->kernel, blocks, s->bx);
        launch_buffer(l, in), launch_buffer(l, sums), launch_u32(l, (u32)s->n);
        l = plan_launch(p, "addSums", 1, s->bx);
        launch_buffer(l, sums), launch_buffer(l, total), launch_u32(l, blocks);
        return;
    }
    if (r->columns->cooperative) {
        u32 sums = plan_output(p, BUFFER_INT, blocks);
        struct launch *l = plan_launch(p, r->kernel, blocks, s->bx);
        l->cooperative = true;
        launch_buffer(l, in), launch_buffer(l, total), launch_buffer(l, sums), launch_u32(l, (u32)s->n);
        return;
    }
    plan_step(p, (struct step){.kind = STEP_SET, .to = total, .count = 2, .value = 0});
    struct launch *l = plan_launch(p, r->kernel, blocks, s->bx);
    launch_clusters(l, r->columns->cluster);
    launch_buffer(l, in), launch_buffer(l, total), launch_u32(l, (u32)s->n);
}

static void plan_parts(struct plan *p, const struct rung *r, const struct shape *s)
{
    const struct columns *own = r->columns;
    const enum buffer_type type = own->task == FLOATS ? BUFFER_FLOAT : BUFFER_INT;
    u32 blocks = grid(r, s), in = own->in_place ? plan_inout(p, type, s->n) : plan_input(p, type, s->n);
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
    const enum task task = r->columns->task;
    if (task == TOTAL)
        plan_total(out, r, s);
    else
        plan_parts(out, r, s);
    out->useful_bytes = s->n * 4 + (task == TOTAL ? 8 : grid(r, s) * 4ull);
    out->flops = task == FLOATS ? (double)s->n : 0;
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
