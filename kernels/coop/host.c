/* host.c of coop - grids that wait for themselves, and warps in parts.
 *
 * SUM: the sum of n integers. CENTRE: each less the mean of all, rounded towards zero. JACOBI: k steps of
 * out[i] = in[i - 1] + 2 in[i] + in[i + 1] modulo 2^32. TILES: the sums of groups of neighbours
 * (TILES_OWN: of some the smallest element).
 *
 * A cooperative grid must fit the device at once. Grids here fit the smallest one in gpus/: 36 SMs, each with 24
 * blocks and 1024 threads (of 1536; so that kernels of up to 64 registers fit). Where there are more elements than
 * threads, threads go round. The rungs that are compared with cooperative ones have the same grid. */
#include "kernels/coop/columns.h"
#include "kernels/families.h"

#define LADDER "kernels/coop/ladder.def"
#include "kernels/rungs.inc"

enum { SMS = 36, SM_THREADS = 1024, SM_BLOCKS = 24, KEPT = 8 };
/* Shuffled runs with weak memory: the grid's barrier must hand on what was written. */
enum { SCHEDULES = 2 };

static bool is(const struct rung *r, enum task task) { return r->columns->task == task; }

static bool is_tile(const struct rung *r) { return is(r, TILES) || is(r, TILES_OWN); }

static void defaults(const struct rung *r, struct shape *s)
{
    if (s->n == 0)
        s->n = is(r, JACOBI) ? 1u << 14 : 1u << 18;
    if (s->k == 0)
        s->k = 8;
    if (s->bx == 0)
        s->bx = 128;
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    const u32 bx = base->bx;
    const u64 sizes[] = {1, 2, 3, 31, 33, bx - 1, bx, bx + 1, 3 * bx + 7, 4099};
    (void)r;
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i];
    out->k = i % 3 + 1;
    return true;
}

/* Blocks that the smallest device holds at once. */
static u32 room(u32 bx)
{
    const u32 a_sm = SM_THREADS / bx < SM_BLOCKS ? SM_THREADS / bx : SM_BLOCKS;
    return SMS * a_sm;
}

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    if (s->n == 0 || s->n > 1u << 20)
        return "n is 1 to 2^20";
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx > 1024 || s->bx % 32)
        return "whole warps are needed: a multiple of 32 threads, at most 1024";
    const u64 threads = (u64)room(s->bx) * s->bx;
    if (is(r, JACOBI) && s->k > 1000)
        return "1 to 1000 steps";
    if (is(r, JACOBI) && r->columns->keeps && s->n > threads)
        return "an element a thread, and the grid must fit the device at once: n is too large";
    if (is(r, CENTRE) && r->columns->keeps && s->n > KEPT * threads)
        return "eight elements a thread at most, and the grid must fit the device at once: n is too large";
    return NULL;
}

static u32 grid(const struct shape *s)
{
    const u32 blocks = ceil_div(s->n, s->bx);
    return blocks < room(s->bx) ? blocks : room(s->bx);
}

static struct launch *cooperative(struct plan *p, const char *kernel, const struct shape *s)
{
    struct launch *l = plan_launch(p, kernel, grid(s), s->bx);
    l->cooperative = true;
    return l;
}

static u32 zeroed(struct plan *p, u64 words)
{
    u32 b = plan_output(p, BUFFER_INT, words);
    plan_step(p, (struct step){.kind = STEP_SET, .to = b, .count = words, .value = 0});
    return b;
}

static void plan_sum(struct plan *p, const struct rung *r, const struct shape *s)
{
    const u32 in = plan_input(p, BUFFER_INT, s->n), total = plan_output(p, BUFFER_INT, 1);
    const u32 partial = plan_output(p, BUFFER_INT, grid(s));
    if (r->columns->launches) {
        struct launch *l = plan_launch(p, r->kernel, grid(s), s->bx);
        launch_buffer(l, partial), launch_buffer(l, in), launch_u32(l, (u32)s->n);
        l = plan_launch(p, "addSums", 1, s->bx);
        launch_buffer(l, total), launch_buffer(l, partial), launch_u32(l, grid(s));
        return;
    }
    struct launch *l = cooperative(p, r->kernel, s);
    l->cooperative = !r->columns->ordinary;
    launch_buffer(l, total), launch_buffer(l, in), launch_buffer(l, partial), launch_u32(l, (u32)s->n);
}

static void plan_centre(struct plan *p, const struct rung *r, const struct shape *s)
{
    const u32 in = plan_input(p, BUFFER_INT, s->n), out = plan_output(p, BUFFER_INT, s->n), total = zeroed(p, 1);
    const bool two = r->columns->launches;
    if (two) {
        struct launch *l = plan_launch(p, "sumAll", grid(s), s->bx);
        launch_buffer(l, total), launch_buffer(l, in), launch_u32(l, (u32)s->n);
    }
    struct launch *l = two ? plan_launch(p, r->kernel, grid(s), s->bx) : cooperative(p, r->kernel, s);
    launch_buffer(l, out), launch_buffer(l, in), launch_buffer(l, total), launch_u32(l, (u32)s->n);
}

/* Steps go from buffer 0 to buffer 1 and back. */
static void plan_jacobi(struct plan *p, const struct rung *r, const struct shape *s)
{
    const u32 a = plan_inout(p, BUFFER_INT, s->n), b = plan_output(p, BUFFER_INT, s->n);
    if (r->columns->launches) {
        for (u32 i = 0; i < s->k; i++) {
            struct launch *l = plan_launch(p, r->kernel, grid(s), s->bx);
            launch_buffer(l, i % 2 ? a : b), launch_buffer(l, i % 2 ? b : a), launch_u32(l, (u32)s->n);
        }
        return;
    }
    const bool keep = r->columns->keeps, counts = r->columns->counter;
    const u32 more = keep ? plan_output(p, BUFFER_INT, 4ull * grid(s)) : counts ? zeroed(p, 1) : 0;
    struct launch *l = cooperative(p, r->kernel, s);
    launch_buffer(l, b), launch_buffer(l, a);
    if (more)
        launch_buffer(l, more);
    launch_u32(l, (u32)s->n), launch_u32(l, s->k);
}

static void plan_tiles(struct plan *p, const struct rung *r, const struct shape *s)
{
    const u32 in = plan_input(p, BUFFER_INT, s->n), out = plan_output(p, BUFFER_INT, ceil_div(s->n, r->columns->lanes));
    struct launch *l = plan_launch(p, r->kernel, ceil_div(s->n, s->bx), s->bx);
    launch_buffer(l, out), launch_buffer(l, in), launch_u32(l, (u32)s->n);
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *p)
{
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    const bool sum = is(r, SUM), tile = is_tile(r);
    if (sum)
        plan_sum(p, r, s);
    else if (tile)
        plan_tiles(p, r, s);
    else if (is(r, CENTRE))
        plan_centre(p, r, s);
    else
        plan_jacobi(p, r, s);
    p->useful_bytes = s->n * 4 + (sum ? 4 : tile ? ceil_div(s->n, r->columns->lanes) * 4 : s->n * 4);
    for (u32 i = 0; i < p->steps.len; i++)
        if (p->steps.at[i].launch && p->steps.at[i].launch->cooperative)
            p->schedules = SCHEDULES;
    return NULL;
}

const struct family family_coop = {
    .name = "coop",
    .about = "barriers of the grid in one cooperative launch against several launches; tiles of a warp",
    .third = "steps",
    .columns = "gld gst sld atom barriers launch",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = coop_check,
};
