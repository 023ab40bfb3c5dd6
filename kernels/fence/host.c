/* host.c of fence - what must be ordered, and by what.
 *
 * BLOCK_SUM: the sum of each block's part. LAST_BLOCK: the sum of all. Messages: n integers go from one warp or block
 * to another by rounds of 32 or of the block's threads, and come out backwards in each round.
 *
 * All but BLOCK_SUM run under shuffled schedules with weak memory too, where a missing fence shows. */
#include "kernels/families.h"
#include "kernels/fence/columns.h"

#define LADDER "kernels/fence/ladder.def"
#define DEFAULTS .rounds = 1,
#include "kernels/rungs.inc"

/* So many shuffled runs. In trials the first one caught each broken rung; the others are in case it does not. */
enum { SCHEDULES_RIGHT = 4, SCHEDULES_BROKEN = 20 };

static bool is(const struct rung *r, enum task task) { return r->columns->task == task; }

static void defaults(const struct rung *r, struct shape *s)
{
    if (s->n == 0)
        s->n = is(r, BLOCK_SUM) ? 1u << 20 : 1u << 15;
    if (s->bx == 0)
        s->bx = 128;
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    const u64 part = (u64)base->bx * r->columns->rounds;
    const u64 sizes[] = {1, 2, 3, 31, 33, part - 1, part, part + 1, 3 * part + 7, 4099};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i];
    return true;
}

/* Sums of 2^20 numbers within +-1000 fit 32 bits; all have that limit, to have one. */
static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    if (s->n == 0 || s->n > 1u << 20)
        return "n is 1 to 2^20";
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx > 1024 || s->bx % 32)
        return "whole warps are needed: a multiple of 32 threads, at most 1024";
    if (is(r, BLOCK_SUM) && s->bx & (s->bx - 1))
        return "halving needs a power of two of threads";
    if (is(r, WARP_MESSAGE) && s->bx % 64)
        return "pairs of warps are needed: a multiple of 64 threads";
    return NULL;
}

/* A buffer of words that the rung owns, all zero before the launch. */
static u32 zeroed(struct plan *p, u64 words)
{
    u32 b = plan_output(p, BUFFER_INT, words);
    plan_step(p, (struct step){.kind = STEP_SET, .to = b, .count = words, .value = 0});
    return b;
}

static void plan_blocks(struct plan *p, const struct rung *r, const struct shape *s)
{
    const u32 blocks = ceil_div(s->n, s->bx);
    const u32 in = plan_input(p, BUFFER_INT, s->n), out = plan_output(p, BUFFER_INT, blocks);
    struct launch *l = plan_launch(p, r->kernel, blocks, s->bx);
    launch_buffer(l, out), launch_buffer(l, in), launch_u32(l, (u32)s->n);
}

static void plan_total(struct plan *p, const struct rung *r, const struct shape *s)
{
    const u32 blocks = ceil_div(s->n, s->bx);
    const u32 in = plan_input(p, BUFFER_INT, s->n), out = plan_output(p, BUFFER_INT, 1);
    const u32 partial = plan_output(p, BUFFER_INT, blocks), ticket = zeroed(p, 1);
    struct launch *l = plan_launch(p, r->kernel, blocks, s->bx);
    launch_buffer(l, out), launch_buffer(l, in), launch_buffer(l, partial), launch_buffer(l, ticket);
    launch_u32(l, (u32)s->n);
}

/* Slots have a round's words for each pair, and words of 64 bits for all rounds where each word is its own flag. */
static void plan_message(struct plan *p, const struct rung *r, const struct shape *s)
{
    const bool warps = is(r, WARP_MESSAGE), alone = r->columns->own_flags;
    const u32 width = warps ? 32 : s->bx, pairs_a_block = warps ? s->bx / 64 : 1;
    const u32 groups = ceil_div(s->n, (u64)width * r->columns->rounds * pairs_a_block), pairs = groups * pairs_a_block;
    const u32 in = plan_input(p, BUFFER_INT, s->n), out = plan_output(p, BUFFER_INT, s->n);
    const u64 words = (u64)pairs * width;
    const u32 slots = alone ? zeroed(p, words * r->columns->rounds * 2) : plan_output(p, BUFFER_INT, words);
    const u32 flags = alone ? 0 : zeroed(p, 2ull * pairs), ticket = warps ? 0 : zeroed(p, 1);
    struct launch *l = plan_launch(p, r->kernel, warps ? groups : 2ull * pairs, s->bx);
    launch_buffer(l, out), launch_buffer(l, in), launch_buffer(l, slots);
    if (!alone)
        launch_buffer(l, flags);
    if (!warps)
        launch_buffer(l, ticket);
    launch_u32(l, (u32)s->n);
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *p)
{
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    if (is(r, BLOCK_SUM))
        plan_blocks(p, r, s);
    else if (is(r, LAST_BLOCK))
        plan_total(p, r, s);
    else
        plan_message(p, r, s);
    if (!is(r, BLOCK_SUM))
        p->schedules = r->broken ? SCHEDULES_BROKEN : SCHEDULES_RIGHT;
    const u64 results = is(r, BLOCK_SUM) ? ceil_div(s->n, s->bx) : is(r, LAST_BLOCK) ? 1 : s->n;
    p->useful_bytes = (s->n + results) * 4;
    return NULL;
}

static const struct rung_column formula_columns[] = {{"rounds", offsetof(struct columns, rounds)}, {0}};

const struct family family_fence = {
    .formula_columns = formula_columns,
    .name = "fence",
    .about = "barriers, fences, release and acquire: which order is needed, and what a missing one does",
    .columns = "gld gst sld sst atom barriers",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = fence_check,
};
