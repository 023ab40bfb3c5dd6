/* host.c of access - n words copied, added or gathered: what a warp's request costs by where its lanes point.
 *
 * k is an offset, a stride, or the length of a row, all in words. Loads off by k are served from an input with k words
 * of tail; stores off by k go to an output whose first k words are its lead, which must stay as it was. */
#include <stdlib.h>

#include "kernels/access/columns.h"
#include "kernels/families.h"

#define LADDER "kernels/access/ladder.def"
#define DEFAULTS .per_thread = 1, .point_words = 1, .row_align = 1,
#include "kernels/rungs.inc"

static bool is(const struct rung *r, enum task task) { return r->columns->task == task; }

static bool by_stride(const struct rung *r) { return is(r, READ_STRIDE) || is(r, WRITE_STRIDE); }

static bool by_offset(const struct rung *r) { return is(r, READ_OFFSET) || is(r, WRITE_OFFSET); }

static void defaults(const struct rung *r, struct shape *s)
{
    if (s->n == 0)
        s->n = 1u << 18;
    if (s->k == 0)
        s->k = is(r, ROWS) ? 100 : by_stride(r) ? 8 : 1;
    if (s->bx == 0)
        s->bx = 128;
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    bool k = is(r, ROWS) || by_stride(r) || by_offset(r);
    const u32 bx = base->bx;
    const struct {
        u64 n;
        u32 k;
    } sizes[] = {{1, 1}, {2, 0}, {3, 7}, {31, 8}, {33, 9}, {bx - 1, 33}, {bx + 1, 2}, {4 * bx + 1, 128}, {997, 129}};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i].n ? sizes[i].n : 1;
    out->k = k && sizes[i].k ? sizes[i].k : base->k;
    return true;
}

u32 access_pitch(const struct rung *r, u32 width)
{
    const u32 align = r->columns->row_align;
    return ceil_div(width, align) * align;
}

static int by_value(const void *a, const void *b)
{
    const i32 *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* One word of each of n pairs, in random order or sorted: the same list in both cases. */
static const i32 *list_of(struct plan *p, u64 n, bool sorted)
{
    i32 *list = arena_array(p->mem, i32, n);
    u64 state = 1;
    for (u64 i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        u64 other = (state >> 33) % (i + 1); /* Fisher and Yates, inside out */
        list[i] = list[other];
        list[other] = (i32)(2 * i + (state >> 63));
    }
    if (sorted)
        qsort(list, n, sizeof *list, by_value);
    return list;
}

static void plan_rows(const struct rung *r, const struct shape *s, struct plan *p)
{
    u32 rows = ceil_div(s->n, s->k), pitch = access_pitch(r, s->k);
    u64 words = (u64)(rows - 1) * pitch + s->k;
    struct launch *l = plan_launch(p, r->kernel, rows, s->bx);
    launch_buffer(l, plan_input(p, BUFFER_INT, words)), launch_buffer(l, plan_output(p, BUFFER_INT, words));
    launch_u32(l, s->k), launch_u32(l, pitch);
    p->useful_bytes = (u64)rows * s->k * 8;
}

static void plan_moved(const struct rung *r, const struct shape *s, struct plan *p, struct launch *l)
{
    struct buffer arr = {.use = BUFFER_IN, .type = BUFFER_INT, .count = s->n};
    struct buffer ret = {.use = BUFFER_OUT, .type = BUFFER_INT, .count = s->n};
    u64 before = 0;
    if (is(r, READ_OFFSET))
        arr.tail = s->k;
    if (is(r, WRITE_OFFSET))
        ret.lead = before = s->k;
    if (is(r, READ_STRIDE))
        arr.count = (s->n - 1) * s->k + 1;
    if (is(r, WRITE_STRIDE))
        ret.count = (s->n - 1) * s->k + 1;
    launch_buffer(l, plan_buffer(p, arr)), launch_pointer(l, plan_buffer(p, ret), 0 - before);
    launch_u32(l, (u32)s->n), launch_u32(l, s->k);
}

static void plan_points(const struct rung *r, const struct shape *s, struct plan *p, struct launch *l)
{
    const u64 words = r->columns->point_words;
    for (u32 i = 0; i < (words == 1 ? 3 : 1); i++)
        launch_buffer(l, plan_input(p, BUFFER_FLOAT, s->n * words));
    launch_buffer(l, plan_output(p, BUFFER_FLOAT, s->n)), launch_u32(l, (u32)s->n);
    p->useful_bytes = s->n * 16;
}

static void plan_list(const struct rung *r, const struct shape *s, struct plan *p, struct launch *l)
{
    launch_buffer(l, plan_input(p, BUFFER_INT, 2 * s->n));
    launch_buffer(l, plan_fixed(p, BUFFER_INT, s->n, list_of(p, s->n, r->columns->sorted)));
    launch_buffer(l, plan_output(p, BUFFER_INT, s->n)), launch_u32(l, (u32)s->n);
    p->useful_bytes = s->n * 12;
}

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx == 0 || s->bx > 1024)
        return "a block has 1 to 1024 threads";
    if (r->columns->whole_warps && s->bx % 32)
        return "whole warps are needed: a multiple of 32 threads";
    if (s->n == 0 || s->n > 1u << 28)
        return "n is 1 to 2^28";
    if (s->k == 0 || s->k > 1u << 20 || (by_stride(r) && s->n * s->k > 1u << 30))
        return "k is 1 to 2^20, and n strides are at most 2^30 words";
    if (is(r, ROWS) && (u64)ceil_div(s->n, s->k) * access_pitch(r, s->k) > 1u << 30)
        return "all rows together, with what lies between them, have at most 2^30 words";
    return NULL;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    out->useful_bytes = s->n * 8;
    if (is(r, ROWS)) {
        plan_rows(r, s, out);
        return NULL;
    }
    struct launch *l = plan_launch(out, r->kernel, ceil_div(s->n, (u64)s->bx * r->columns->per_thread), s->bx);
    if (is(r, GATHER)) {
        plan_list(r, s, out, l);
    } else if (is(r, POINTS)) {
        plan_points(r, s, out, l);
    } else if (by_offset(r) || by_stride(r)) {
        plan_moved(r, s, out, l);
    } else if (is(r, ROTATE)) {
        launch_buffer(l, plan_inout(out, BUFFER_INT, s->n)), launch_u32(l, (u32)s->n);
    } else {
        const bool two = is(r, TWO_NEIGHBORS) || is(r, TWO_SEGMENTS);
        launch_buffer(l, plan_input(out, BUFFER_INT, s->n * (two ? 2 : 1)));
        launch_buffer(l, plan_output(out, BUFFER_INT, s->n)), launch_u32(l, (u32)s->n);
        out->useful_bytes = s->n * (two ? 12 : 8);
    }
    return NULL;
}

const struct family family_access = {
    .name = "access",
    .about = "where the lanes of a warp point: sectors of loads and stores",
    .third = "step in words",
    .columns = "gld gst sld",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = access_check,
};
