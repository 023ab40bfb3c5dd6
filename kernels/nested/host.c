/* host.c of nested - kernels that launch kernels, and their partners that do not.
 *
 * HELLO: levels of n, n / 2, ... 1 threads, each thread notes its level and number. REDUCE: the sum of each part of bx
 * integers. TREE: the sum of all. SORT: n integers in order. */
#include "kernels/families.h"
#include "kernels/nested/columns.h"

#define LADDER "kernels/nested/ladder.def"
#include "kernels/rungs.inc"

/* What a device keeps of launches that wait, less a few (cudaLimitDevRuntimePendingLaunchCount). */
enum { PENDING = 2000, LEAF = 256, SORT_MOST = 2048 };

/* The block that a rung needs, or 0: any. The levels begin with one block of n threads. */
static u32 block_needed(const struct rung *r, u64 n)
{
    const enum task t = r->columns->task;
    if (t == HELLO)
        return n < 1024 ? (u32)n : 1024;
    return t == TREE ? 32 : r->columns->one_thread ? 1 : 0;
}

static void defaults(const struct rung *r, struct shape *s)
{
    static const u32 sizes[] = {[HELLO] = 1024, [REDUCE] = 4096, [TREE] = 1u << 14, [SORT] = 1024};
    if (s->n == 0)
        s->n = sizes[r->columns->task];
    if (s->bx == 0)
        s->bx = block_needed(r, s->n) ? block_needed(r, s->n) : 128;
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    const u64 sizes[] = {1, 2, 3, 31, 33, 127, 128, 129, 257, 997};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i];
    out->bx = block_needed(r, out->n) ? block_needed(r, out->n) : base->bx;
    return true;
}

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    const enum task t = r->columns->task;
    const u32 block = block_needed(r, s->n);
    if (s->n == 0 || s->n > 1u << 20)
        return "n is 1 to 2^20";
    if (t == HELLO && s->n > 1024)
        return "the first level is one block: n is 1 to 1024";
    if (t == SORT && s->n > SORT_MOST)
        return "n is 1 to 2048: one block's shared memory, or one thread's patience";
    if (s->by != 1 || (block && s->bx != block))
        return "it sets its blocks itself: leave --block out";
    if (t == REDUCE && (s->bx < 2 || s->bx > 1024 || s->bx & (s->bx - 1)))
        return "halving needs a power of two of threads, 2 to 1024";
    if (t == REDUCE && ceil_div(s->n, s->bx) > PENDING)
        return "every block launches a child, and no more than 2048 launches may wait";
    if (s->bx > 1024)
        return "a block has at most 1024 threads";
    return NULL;
}

static void plan_hello(struct plan *p, const struct rung *r, const struct shape *s)
{
    u32 all = 0;
    for (u32 size = (u32)s->n; size; size /= 2)
        all += size;
    const u32 out = plan_output(p, BUFFER_INT, all);
    if (!r->columns->flat) {
        struct launch *l = plan_launch(p, r->kernel, 1, (u32)s->n);
        launch_buffer(l, out), launch_u32(l, 0), launch_u32(l, (u32)s->n), launch_u32(l, 0);
        return;
    }
    for (u32 size = (u32)s->n, start = 0, depth = 0; size; start += size, size /= 2, depth++) {
        struct launch *l = plan_launch(p, r->kernel, 1, size);
        launch_buffer(l, out), launch_u32(l, start), launch_u32(l, depth);
    }
}

static void plan_reduce(struct plan *p, const struct rung *r, const struct shape *s)
{
    const u32 blocks = ceil_div(s->n, s->bx);
    const u32 in = plan_inout(p, BUFFER_INT, s->n), out = plan_output(p, BUFFER_INT, blocks);
    const bool halves = r->columns->halves;
    struct launch *l = plan_launch(p, r->kernel, blocks, halves ? s->bx / 2 : s->bx);
    launch_buffer(l, in), launch_buffer(l, out);
    if (halves)
        launch_u32(l, s->bx / 2);
    launch_u32(l, s->bx), launch_u32(l, (u32)s->n);
}

/* Nodes are numbered as in a heap; halving down to leaves of LEAF rounds up at every level. */
static void plan_tree(struct plan *p, const struct rung *r, const struct shape *s)
{
    u64 nodes = 2;
    for (u64 part = s->n; part > LEAF; part -= part / 2)
        nodes *= 2;
    const u32 in = plan_input(p, BUFFER_INT, s->n); /* nobody has number 0 */
    const u32 sums =
        plan_buffer(p, (struct buffer){.use = BUFFER_OUT, .type = BUFFER_INT, .count = nodes - 1, .lead = 1});
    struct launch *l = plan_launch(p, r->kernel, 1, 32);
    launch_pointer(l, sums, (u64)-1), launch_buffer(l, in), launch_u32(l, 0), launch_u32(l, (u32)s->n),
        launch_u32(l, 1);
}

static void plan_sort(struct plan *p, const struct rung *r, const struct shape *s)
{
    const u32 data = plan_inout(p, BUFFER_INT, s->n);
    struct launch *l = plan_launch(p, r->kernel, 1, s->bx);
    launch_buffer(l, data);
    if (r->columns->one_thread) {
        launch_u32(l, 0), launch_u32(l, (u32)s->n - 1), launch_u32(l, 0);
        return;
    }
    u32 size = 1;
    while (size < s->n)
        size *= 2;
    l->dynamic_shared = size * 4;
    launch_u32(l, (u32)s->n), launch_u32(l, size);
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *p)
{
    static void (*const plans[])(struct plan *, const struct rung *, const struct shape *) = {
        [HELLO] = plan_hello, [REDUCE] = plan_reduce, [TREE] = plan_tree, [SORT] = plan_sort};
    static const u32 bytes[] = {[HELLO] = 8, [REDUCE] = 4, [TREE] = 4, [SORT] = 8}; /* an element, roughly n of them */
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    plans[r->columns->task](p, r, s);
    p->useful_bytes = s->n * bytes[r->columns->task];
    p->device_runtime = !r->columns->flat;
    return NULL;
}

const struct family family_nested = {
    .name = "nested",
    .about = "kernels that launch kernels: levels, recursive sums, quicksort; each against a flat form",
    .columns = "gld gst barriers launch",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = nested_check,
};
