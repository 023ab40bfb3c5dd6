/* host.c of conv2d - an image of rows x cols floats, filtered by k x k weights, k odd.
 *
 * Most rungs repeat the border's pixels; one mirrors them; one is given the border by its caller, as random as the
 * image, with rows of a multiple of 8 floats. The filter is a column times a row, so that separable rungs compute the
 * same. */
#include "kernels/conv2d/columns.h"
#include "kernels/families.h"

#define LADDER "kernels/conv2d/ladder.def"
#define DEFAULTS .per_thread = 1,
#include "kernels/rungs.inc"

enum { MAX_WIDTH = 15, SHARED_LIMIT = 48 << 10 };
/* Of a 2D texture over an array; and CU_TR_ADDRESS_MODE_CLAMP. */
enum { MOST_TEXTURE_ROWS = 65536, MOST_TEXTURE_COLS = 131072, ADDRESS_CLAMP = 1 };

/* Few bits, so that a product of two is exact; neither symmetric, so that a filter turned about is another one. */
const f32 conv2d_column[MAX_WIDTH] = {5 / 64.f,  8 / 64.f,  11 / 64.f, 14 / 64.f, 17 / 64.f,
                                      20 / 64.f, 23 / 64.f, 26 / 64.f, 29 / 64.f, 32 / 64.f,
                                      35 / 64.f, 38 / 64.f, 41 / 64.f, 44 / 64.f, 47 / 64.f};
const f32 conv2d_row[MAX_WIDTH] = {31 / 32.f, 29 / 32.f, 27 / 32.f, 25 / 32.f, 23 / 32.f,
                                   21 / 32.f, 19 / 32.f, 17 / 32.f, 15 / 32.f, 13 / 32.f,
                                   11 / 32.f, 9 / 32.f,  7 / 32.f,  5 / 32.f,  3 / 32.f};

static void defaults(const struct rung *r, struct shape *s)
{
    if (s->rows == 0) /* the simulated texture unit is slow */
        s->rows = s->cols = r->columns->texture ? 256 : 512;
    if (s->k == 0)
        s->k = r->columns->printed ? 3 : 5;
    if (s->bx == 0) {
        s->bx = r->columns->printed ? 16 : 32;
        s->by = r->columns->printed ? 16 : 8;
    }
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    const u32 x = base->bx, y = base->by * r->columns->per_thread, k = base->k;
    const u32 sizes[][3] = {{1, 1, k},         {1, 1, 15},        {2, 3, 7},         {1, 37, k}, {37, 1, 15},
                            {y - 1, x - 1, k}, {y, x, 3},         {y + 1, x + 1, k}, {y, x, 1},  {2 * y, 2 * x, 15},
                            {61, 67, 1},       {y + 1, 2 * x, 9}, {5, 131, 11},      {131, 5, k}};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->rows = sizes[i][0] ? sizes[i][0] : 1;
    out->cols = sizes[i][1] ? sizes[i][1] : 1;
    out->k = sizes[i][2];
    return true;
}

/* Tile with halo; the fused separable rung keeps a tile of row results besides. */
static u32 shared_bytes(const struct rung *r, const struct shape *s)
{
    if (r->tile != TILE_DYNAMIC)
        return 0;
    u32 width = s->bx + s->k - 1, height = s->by * r->columns->per_thread + s->k - 1;
    u32 results = r->columns->separable ? s->bx * height : 0;
    return (width * height + results) * 4;
}

u32 conv2d_pitch(const struct shape *s) { return (s->cols + s->k - 1 + 7) / 8 * 8; }

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    if (s->bx == 0 || s->by == 0 || s->bx * (u64)s->by > 1024)
        return "a block has 1 to 1024 threads";
    if (s->k % 2 == 0 || s->k > MAX_WIDTH)
        return "the filter's width is odd and at most 15";
    if (r->columns->printed && (s->k != 3 || s->bx != 16 || s->by != 16))
        return "written for a filter of 3 x 3 and blocks of 16 x 16";
    if (s->rows == 0 || s->cols == 0 || s->rows > 1u << 28 || s->cols > 1u << 28)
        return "rows and columns are 1 to 2^28";
    if ((s->rows + 14ull) * (s->cols + 21ull) > 1u << 30)
        return "an image has at most 2^30 pixels with its border";
    if (r->columns->texture && (s->rows > MOST_TEXTURE_ROWS || s->cols > MOST_TEXTURE_COLS))
        return "a texture has at most 65536 rows and 131072 columns";
    if (shared_bytes(r, s) > SHARED_LIMIT)
        return "the tile with its halo is larger than 48 KiB";
    if (ceil_div(s->rows, s->by * r->columns->per_thread) > 65535)
        return "a grid has at most 65535 rows of blocks";
    return NULL;
}

static f32 *filter(struct plan *p, u32 k)
{
    f32 *w = arena_array(p->mem, f32, k * k);
    for (u32 i = 0; i < k * k; i++)
        w[i] = conv2d_column[i / k] * conv2d_row[i % k];
    return w;
}

static struct launch *launch(struct plan *p, const struct rung *r, const struct shape *s, const char *kernel, u32 in,
                             u32 out)
{
    struct launch *l = plan_launch_2d(p, kernel, ceil_div(s->cols, s->bx),
                                      ceil_div(s->rows, s->by * r->columns->per_thread), s->bx, s->by);
    l->dynamic_shared = shared_bytes(r, s);
    if (r->columns->texture)
        launch_texture(
            l, plan_texture(
                   p, (struct plan_texture){.buffer = in, .cols = s->cols, .rows = s->rows, .address = ADDRESS_CLAMP}));
    else
        launch_buffer(l, in);
    launch_buffer(l, out);
    return l;
}

static void launch_sizes(struct launch *l, const struct shape *s)
{
    launch_u32(l, s->cols), launch_u32(l, s->rows), launch_u32(l, s->k);
}

/* The output is buffer 1 everywhere. */
static void separable(const struct rung *r, const struct shape *s, struct plan *p, u32 in, u32 out)
{
    plan_constant(p, "rowWeights", conv2d_row, s->k * 4);
    plan_constant(p, "columnWeights", conv2d_column, s->k * 4);
    if (r->tile == TILE_DYNAMIC) {
        launch_sizes(launch(p, r, s, r->kernel, in, out), s);
        return;
    }
    u32 between = plan_output(p, BUFFER_FLOAT, (u64)s->rows * s->cols);
    launch_sizes(launch(p, r, s, "convolutionRows", in, between), s);
    launch_sizes(launch(p, r, s, "convolutionColumns", between, out), s);
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    const bool padded = r->columns->border == BORDER_GIVEN, split = r->columns->separable;
    u64 pixels = (u64)s->rows * s->cols;
    u32 in = plan_input(out, BUFFER_FLOAT, padded ? (u64)conv2d_pitch(s) * (s->rows + s->k - 1) : pixels);
    u32 to = plan_output(out, BUFFER_FLOAT, pixels);
    out->useful_bytes = pixels * 8;
    out->flops = (double)pixels * (split ? 4.0 * s->k : 2.0 * s->k * s->k);
    if (split) {
        separable(r, s, out, in, to);
        return NULL;
    }
    const f32 *w = filter(out, s->k);
    struct launch *l = launch(out, r, s, r->kernel, in, to);
    if (r->columns->weights_in_buffer)
        launch_buffer(l, plan_fixed(out, BUFFER_FLOAT, (u64)s->k * s->k, w));
    else
        plan_constant(out, "weights", w, s->k * s->k * 4);
    launch_sizes(l, s);
    if (padded)
        launch_u32(l, conv2d_pitch(s));
    return NULL;
}

const struct family family_conv2d = {
    .name = "conv2d",
    .about = "an image filter: constants, halos, borders, windows in registers, separable filters",
    .matrix = true,
    .third = "filter width",
    .columns = "gld gst sld sst const barriers",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = conv2d_check,
};
