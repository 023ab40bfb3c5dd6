/* host.c of matmul - C (rows x cols) = A (rows x k) B (k x cols), row by row. C is floats, and so are A and B but for
 * the rungs of 16-bit inputs. */
#include "kernels/families.h"
#include "kernels/matmul/columns.h"

#define LADDER "kernels/matmul/ladder.def"
#define DEFAULTS .per_thread = 1, .inputs = BUFFER_FLOAT,
#include "kernels/rungs.inc"

/* The block of a rung whose tile has a fixed side: square up to 32 x 32, else a line of threads. */
static void fixed_block(const struct rung *r, u32 *bx, u32 *by)
{
    const u32 side = r->columns->side, threads = side * side / r->columns->per_thread + r->columns->helpers;
    *bx = side <= 32 ? side : threads;
    *by = threads / *bx;
}

static void defaults(const struct rung *r, struct shape *s)
{
    if (s->rows == 0)
        s->rows = s->cols = 256;
    if (s->k == 0)
        s->k = r->columns->inner ? r->columns->inner : 256;
    if (s->bx == 0 && r->columns->side)
        fixed_block(r, &s->bx, &s->by);
    else if (s->bx == 0)
        s->bx = 32, s->by = 8;
    if (s->by == 0)
        s->by = 1;
}

/* The part of C that one block makes. */
static void patch(const struct rung *r, const struct shape *s, u32 *rows, u32 *cols)
{
    const u32 side = r->columns->side;
    const bool down = r->columns->x_down;
    *rows = side ? side : down ? s->bx : s->by;
    *cols = side ? side : down ? s->by : s->bx;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    u32 y, x;
    patch(r, base, &y, &x);
    const u32 ragged[][3] = {{1, 1, 1},
                             {1, 37, 5},
                             {37, 1, 17},
                             {2, 3, 2},
                             {y, x, 16},
                             {61, 67, 29},
                             {y - 1, x + 1, 31},
                             {y + 1, x - 1, 33},
                             {3, 130, 4},
                             {130, 3, 64},
                             {y + 3, 2 * x + 2, 20},
                             {65, 68, 12}};
    const u32 whole[][3] = {{y, x, 16}, {2 * y, x, 32}, {y, 3 * x, 48}, {5 * y, x, 16}};
    const u32 by_eights[][3] = {{1, 8, 8},          {37, 16, 24},        {y, x, 64},   {61, 72, 40},
                                {y - 1, x + 8, 72}, {y + 1, x - 8, 136}, {130, 8, 64}, {2 * y + 3, 2 * x + 8, 328}};
    const u32(*sizes)[3] = r->columns->tma ? by_eights : r->columns->whole_only ? whole : ragged;
    const u32 n = r->columns->tma          ? LS_ARRAY_LEN(by_eights)
                  : r->columns->whole_only ? LS_ARRAY_LEN(whole)
                                           : LS_ARRAY_LEN(ragged);
    *out = *base;
    if (i >= n)
        return false;
    out->rows = sizes[i][0] ? sizes[i][0] : 1;
    out->cols = sizes[i][1] ? sizes[i][1] : 1;
    out->k = r->columns->inner ? r->columns->inner : sizes[i][2];
    return true;
}

/* Why this rung does not take this shape, or NULL. */
static const char *refusal(const struct rung *r, const struct shape *s)
{
    const u64 most = 1u << 30;
    if (s->bx == 0 || s->by == 0 || s->bx * (u64)s->by > 1024)
        return "a block has 1 to 1024 threads";
    u32 bx = s->bx, by = s->by, rows, cols;
    if (r->columns->side)
        fixed_block(r, &bx, &by);
    if (bx != s->bx || by != s->by)
        return "the tile fixes the block of this rung: leave --block away";
    if (s->rows == 0 || s->cols == 0 || s->k == 0)
        return "rows, columns and the inner length are at least 1";
    if ((u64)s->rows * s->cols > most || (u64)s->rows * s->k > most || (u64)s->k * s->cols > most)
        return "a matrix has at most 2^30 elements";
    if (r->columns->inner && s->k != r->columns->inner)
        return "this kernel is made for an inner length of 32, one warp";
    patch(r, s, &rows, &cols);
    if (r->columns->whole_only && (s->rows % rows || s->cols % cols || (r->columns->side && s->k % r->columns->side)))
        return "no boundary test: the block's tile must divide the matrices";
    if (r->columns->tma && (s->k % 8 || s->cols % 8))
        return "tensor maps take rows of whole 16 bytes: columns and the inner length are multiples of 8";
    return NULL;
}

static void add_inputs(const struct rung *r, const struct shape *s, struct plan *out, struct launch *l)
{
    const enum buffer_type type = r->columns->inputs;
    const u32 a = plan_input(out, type, (u64)s->rows * s->k), b = plan_input(out, type, (u64)s->k * s->cols);
    if (!r->columns->tma) {
        launch_buffer(l, a), launch_buffer(l, b);
        return;
    }
    launch_map(l, plan_map(out, (struct plan_map){a, s->rows, s->k, r->columns->side, 64, true}));
    launch_map(l, plan_map(out, (struct plan_map){b, s->k, s->cols, 64, 64, true}));
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const char *why = refusal(r, s);
    if (why)
        return why;
    u32 rows, cols;
    patch(r, s, &rows, &cols);
    const u32 cluster = r->columns->cluster ? r->columns->cluster : 1, along = ceil_div(s->cols, cols),
              down = ceil_div(s->rows, (u64)rows * cluster) * cluster;
    const bool rows_in_x = r->columns->x_down;
    if ((rows_in_x ? along : down) > 65535)
        return "a grid has at most 65535 rows of blocks";
    u64 cells = (u64)s->rows * s->cols, of_a = (u64)s->rows * s->k, of_b = (u64)s->k * s->cols;
    const u32 c = plan_output(out, BUFFER_FLOAT, cells);
    struct launch *l = plan_launch_2d(out, r->kernel, rows_in_x ? down : along, rows_in_x ? along : down, s->bx, s->by);
    if (r->columns->cluster)
        l->cluster[0] = l->cluster[2] = 1, l->cluster[1] = cluster;
    l->dynamic_shared = r->columns->dynamic_shared;
    launch_buffer(l, c);
    add_inputs(r, s, out, l);
    launch_u32(l, s->rows), launch_u32(l, s->cols), launch_u32(l, s->k);
    out->useful_bytes = cells * 4 + (of_a + of_b) * buffer_element(r->columns->inputs);
    out->flops = 2.0 * (double)cells * s->k;
    return NULL;
}

const struct family family_matmul = {
    .name = "matmul",
    .about = "a product of matrices: reuse in shared memory, registers and tensor cores",
    .matrix = true,
    .third = "inner length",
    .columns = "gld gst sld sst barriers occ",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = matmul_check,
};
