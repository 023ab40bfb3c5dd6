/* host.c of scan - the sums of the first 1, 2, 3, ... n of n integers, modulo 2^32.
 *
 * Some rungs scan each block's part on its own, others all of it. Trees give exclusive sums (without the element itself), all
 * others inclusive ones.
 *
 * THREE_KERNELS: the first leaves the sum of each block in a buffer for two more. The single-pass rungs (LOOK_BACK) have a
 * counter of tickets and a status for each block, which are zero before the launch. */
#include "kernels/families.h"
#include "kernels/scan/columns.h"

#define LADDER "kernels/scan/ladder.def"
#define DEFAULTS .per_thread = 1, .status_words = 2,
#include "kernels/rungs.inc"

enum { WORD = 4 }; /* bytes */

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

/* Parts that end early, one block, a warp's worth of blocks and more: the look-back goes by 32. */
static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    u64 part = (u64)base->bx * r->columns->per_thread;
    const u64 sizes[] = {1, 2, 3, 31, 33, part - 1, part, part + 1, 3 * part + 7, 33 * part + 1, 4099};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i];
    return true;
}

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx > 1024 || s->bx % 32)
        return "whole warps are needed: a multiple of 32 threads, at most 1024";
    if (r->columns->tree && s->bx & (s->bx - 1))
        return "the tree needs a power of two of threads";
    if (s->n == 0 || s->n > 1u << 30)
        return "n is 1 to 2^30";
    return NULL;
}

/* Words of the tile: two buffers, or a tree over two elements a thread with a word after every 32. */
static u32 shared_words(const struct rung *r, u32 bx)
{
    if (r->tile != TILE_DYNAMIC)
        return 0;
    return 2 * bx + (r->columns->gaps ? 2 * bx / 32 : 0);
}

static void plan_two_level(struct plan *p, const struct rung *r, const struct shape *s, u32 in, u32 out)
{
    u32 blocks = ceil_div(s->n, s->bx), sums = plan_output(p, BUFFER_INT, blocks);
    struct launch *l = plan_launch(p, r->kernel, blocks, s->bx);
    launch_buffer(l, out), launch_buffer(l, in), launch_buffer(l, sums), launch_u32(l, (u32)s->n);
    l = plan_launch(p, "scanSums", 1, s->bx);
    launch_buffer(l, sums), launch_u32(l, blocks);
    l = plan_launch(p, "addSums", blocks, s->bx);
    launch_buffer(l, out), launch_buffer(l, sums), launch_u32(l, (u32)s->n);
}

/* A status of `words` words a block, and the ticket, all zero. */
static void plan_single_pass(struct plan *p, const struct rung *r, const struct shape *s, u32 in, u32 out)
{
    u32 blocks = ceil_div(s->n, (u64)s->bx * r->columns->per_thread), words = r->columns->status_words;
    u32 status = plan_output(p, BUFFER_INT, (u64)blocks * words), ticket = plan_output(p, BUFFER_INT, 1);
    plan_step(p, (struct step){.kind = STEP_SET, .to = status, .count = (u64)blocks * words, .value = 0});
    plan_step(p, (struct step){.kind = STEP_SET, .to = ticket, .count = 1, .value = 0});
    struct launch *l = plan_launch(p, r->kernel, blocks, s->bx);
    launch_buffer(l, out), launch_buffer(l, in), launch_buffer(l, status), launch_buffer(l, ticket);
    launch_u32(l, (u32)s->n);
    p->schedules = 2; /* blocks in other orders, and stores that others see late */
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *p)
{
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    u32 in = plan_input(p, BUFFER_INT, s->n), out = plan_output(p, BUFFER_INT, s->n);
    p->useful_bytes = s->n * 2 * WORD;
    if (r->columns->reach == THREE_KERNELS) {
        plan_two_level(p, r, s, in, out);
    } else if (r->columns->reach == LOOK_BACK) {
        plan_single_pass(p, r, s, in, out);
    } else {
        struct launch *l = plan_launch(p, r->kernel, ceil_div(s->n, (u64)s->bx * r->columns->per_thread), s->bx);
        l->dynamic_shared = shared_words(r, s->bx) * WORD;
        launch_buffer(l, out), launch_buffer(l, in), launch_u32(l, (u32)s->n);
    }
    return NULL;
}

const struct family family_scan = {
    .name = "scan",
    .about = "prefix sums: in a block, then across blocks in three passes and in one",
    .columns = "gld gst sld sst atom barriers",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = scan_check,
};
