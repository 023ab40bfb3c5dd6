/* host.c of transpose - a matrix of rows x cols floats, row by row, into one of cols x rows. */
#include "kernels/families.h"
#include "kernels/transpose/columns.h"

#define LADDER "kernels/transpose/ladder.def"
#define DEFAULTS .wide = 1, .high = 1,
#include "kernels/rungs.inc"

static void defaults(const struct rung *r, struct shape *s)
{
    if (s->rows == 0)
        s->rows = s->cols = 2048;
    if (s->bx == 0 && r->columns->tma)
        s->bx = 32, s->by = 8;
    if (s->bx == 0)
        s->bx = s->by = 16;
    if (s->by == 0)
        s->by = 1;
}

/* The part of the matrix that one block takes. */
static void patch(const struct rung *r, const struct shape *s, u32 *rows, u32 *cols)
{
    const struct columns *own = r->columns;
    *rows = (own->x_down ? s->bx : s->by) * own->high;
    *cols = (own->x_down ? s->by : s->bx) * own->wide;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    u32 x, y;
    patch(r, base, &y, &x);
    const u32 sizes[][2] = {{1, 1},         {1, 37},        {37, 1},  {y, x},   {y + 1, x + 1}, {y - 1, x - 1},
                            {2 * y, 2 * x}, {y, 2 * x + 1}, {61, 67}, {3, 257}, {257, 3}};
    const u32 by_fours[][2] = {{4, 4},         {4, 36},  {36, 4},  {y, x},  {y + 4, x + 4},
                               {y - 4, 2 * x}, {60, 68}, {8, 256}, {256, 8}};
    *out = *base;
    if (i >= (r->columns->tma ? LS_ARRAY_LEN(by_fours) : LS_ARRAY_LEN(sizes)))
        return false;
    if (r->columns->tma) {
        out->rows = by_fours[i][0];
        out->cols = by_fours[i][1];
        return true;
    }
    out->rows = sizes[i][0] ? sizes[i][0] : 1;
    out->cols = sizes[i][1] ? sizes[i][1] : 1;
    return true;
}

static u32 tile_words(const struct rung *r, const struct shape *s)
{
    return (s->bx * r->columns->wide + r->columns->pad) * s->by;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    if (s->bx == 0 || s->by == 0 || s->bx * (u64)s->by > 1024)
        return "a block has 1 to 1024 threads";
    u64 cells = (u64)s->rows * s->cols;
    if (cells == 0 || cells > 1u << 30)
        return "a matrix has 1 to 2^30 elements";
    if (r->columns->tma && (s->bx != 32 || s->by != 8))
        return "a thread takes 4 elements of a tile of 32 x 32: the block must be 32 x 8";
    if (r->columns->tma && (s->rows % 4 || s->cols % 4))
        return "tensor maps take rows of whole 16 bytes: rows and columns are multiples of 4";
    if (r->columns->wide == 4 && (s->bx != 16 || s->by != 16))
        return "a thread takes 4 x 4 elements of a tile of 64 x 64: the block must be 16 x 16";
    u32 rows, cols;
    patch(r, s, &rows, &cols);
    u32 grid_x = r->columns->x_down ? ceil_div(s->rows, rows) : ceil_div(s->cols, cols);
    u32 grid_y = r->columns->x_down ? ceil_div(s->cols, cols) : ceil_div(s->rows, rows);
    if (grid_y > 65535)
        return "a grid has at most 65535 rows of blocks";
    u32 to = plan_output(out, BUFFER_FLOAT, cells), from = plan_input(out, BUFFER_FLOAT, cells);
    struct launch *l = plan_launch_2d(out, r->kernel, grid_x, grid_y, s->bx, s->by);
    l->dynamic_shared = r->tile == TILE_DYNAMIC ? tile_words(r, s) * 4 : 0;
    if (r->columns->tma) {
        launch_map(l, plan_map(out, (struct plan_map){to, s->cols, s->rows, 32, 32, true}));
        launch_map(l, plan_map(out, (struct plan_map){from, s->rows, s->cols, 32, 32, true}));
    } else {
        launch_buffer(l, to), launch_buffer(l, from), launch_u32(l, s->rows), launch_u32(l, s->cols);
    }
    out->useful_bytes = cells * 8;
    return NULL;
}

const struct family family_transpose = {
    .name = "transpose",
    .about = "a matrix's rows become columns: coalescing against banks",
    .matrix = true,
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = transpose_check,
};
