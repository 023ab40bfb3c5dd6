/* host.c of shuffle - n integers are moved between the lanes of each warp, by groups of 16. */
#include "kernels/families.h"
#include "kernels/shuffle/columns.h"

#define LADDER "kernels/shuffle/ladder.def"
#define DEFAULTS .consecutive = 1, .parts = 1,
#include "kernels/rungs.inc"

static u32 per_thread(const struct rung *r) { return r->columns->consecutive * r->columns->parts; }

static void defaults(const struct rung *r, struct shape *s)
{
    const bool flat = r->columns->move == ROWS;
    if (s->n == 0)
        s->n = 1u << 20;
    if (s->bx == 0) {
        s->bx = flat ? 8 : 128;
        s->by = flat ? 4 : 1;
    }
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    const u64 part = (u64)base->bx * base->by * per_thread(r);
    const u64 sizes[] = {1, 2, 3, 15, 16, 17, 31, 33, part - 1, part, part + 1, 997, 2 * part + 18};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i];
    return true;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const u32 threads = s->bx * s->by;
    const bool flat = r->columns->move == ROWS;
    if (s->bx > 1024 || s->by > 1024 || threads > 1024 || threads % 32)
        return "whole warps are needed: a multiple of 32 threads, at most 1024";
    if (!flat && s->by != 1)
        return "blocks have one dimension here; test_shfl_2d takes two";
    if (s->n == 0 || s->n > 1u << 30)
        return "n is 1 to 2^30";
    const u32 in = plan_input(out, BUFFER_INT, s->n), to = plan_output(out, BUFFER_INT, s->n);
    struct launch *l = plan_launch_2d(out, r->kernel, ceil_div(s->n, (u64)threads * per_thread(r)), 1, s->bx, s->by);
    launch_buffer(l, in), launch_buffer(l, to), launch_u32(l, (u32)s->n);
    out->useful_bytes = s->n * 8;
    return NULL;
}

const struct family family_shuffle = {
    .name = "shuffle",
    .about = "warps exchange values in registers: every form, and the way through shared memory",
    .columns = "gld gst sld sst inst",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = shuffle_check,
};
