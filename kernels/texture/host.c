/* host.c of texture - an image turned by an angle, or blurred by a mean of k x k. */
#include <math.h>

#include "kernels/families.h"
#include "kernels/texture/columns.h"

#define LADDER "kernels/texture/ladder.def"
#include "kernels/rungs.inc"

/* Beyond, a float has too few bits left for a place between pixels (reference.c). */
enum { MOST_SIDE = 16384 };
/* CU_TR_ADDRESS_MODE_... */
enum { ADDRESS_CLAMP = 1, ADDRESS_BORDER = 3 };

/* A turn by quarters is exact, so that what it reads can be said on paper. */
void texture_turn(u32 degrees, f32 *cosine, f32 *sine)
{
    static const f32 quarters[] = {0, 1, 0, -1};
    const double radian = degrees % 360 * (3.14159265358979323846 / 180);
    const bool exact = degrees % 90 == 0;
    *cosine = exact ? quarters[(degrees / 90 + 1) % 4] : (f32)cos(radian);
    *sine = exact ? quarters[degrees / 90 % 4] : (f32)sin(radian);
}

static void defaults(const struct rung *r, struct shape *s)
{
    s->rows = s->rows ? s->rows : 256;
    s->cols = s->cols ? s->cols : 256;
    s->k = s->k ? s->k : r->columns->blur ? 3 : 30;
    s->bx = s->bx ? s->bx : 32;
    s->by = s->by ? s->by : 8;
}

/* The last ones turn by quarters, or blur with a filter wider than the image. */
static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    static const u32 sizes[][2] = {{1, 1},  {1, 2},  {2, 1},   {3, 3},   {7, 31},  {8, 32}, {9, 33},
                                   {1, 97}, {97, 1}, {37, 41}, {64, 64}, {32, 32}, {3, 5}};
    static const u32 turns[] = {30, 45, 90, 180, 270, 359, 360, 1, 30, 123, 90, 360, 45};
    static const u32 widths[] = {3, 3, 3, 5, 5, 3, 3, 1, 3, 7, 1, 3, 9};
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    *out = *base;
    out->rows = sizes[i][0];
    out->cols = sizes[i][1];
    out->k = r->columns->blur ? widths[i] : turns[i];
    return true;
}

static const char *refuse(const struct rung *r, const struct shape *s)
{
    if (s->bx == 0 || s->by == 0 || (u64)s->bx * s->by > 1024)
        return "a block has 1 to 1024 threads";
    if (s->rows == 0 || s->cols == 0 || s->rows > MOST_SIDE || s->cols > MOST_SIDE)
        return "an image has 1 to 16384 rows and columns";
    if (ceil_div(s->rows, s->by) > 65535)
        return "more than 65535 blocks in y: a block must have more rows";
    if (r->columns->blur ? s->k % 2 == 0 || s->k > 255 : s->k > 360)
        return r->columns->blur ? "a filter is 1, 3, 5, ... 255 pixels wide" : "an angle is 1 to 360 degrees";
    return NULL;
}

/* The image, as memory or as a texture. */
static void pass_image(const struct rung *r, const struct shape *s, struct plan *p, struct launch *l)
{
    const u32 image = plan_input(p, BUFFER_FLOAT, (u64)s->rows * s->cols);
    const struct columns *own = r->columns;
    if (!own->texture) {
        launch_buffer(l, image);
        return;
    }
    const struct plan_texture t = {.buffer = image,
                                   .cols = s->cols,
                                   .rows = s->rows,
                                   .linear = own->linear,
                                   .address = own->clamp ? ADDRESS_CLAMP : ADDRESS_BORDER};
    launch_texture(l, plan_texture(p, t));
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const char *why = refuse(r, s);
    if (why)
        return why;
    struct launch *l = plan_launch_2d(out, r->kernel, ceil_div(s->cols, s->bx), ceil_div(s->rows, s->by), s->bx, s->by);
    launch_buffer(l, plan_output(out, BUFFER_FLOAT, (u64)s->rows * s->cols));
    pass_image(r, s, out, l);
    launch_u32(l, s->cols), launch_u32(l, s->rows);
    if (r->columns->blur) {
        launch_u32(l, s->k), launch_f32(l, 1.0f / (f32)(s->k * s->k));
    } else {
        f32 cosine, sine;
        texture_turn(s->k, &cosine, &sine);
        launch_f32(l, cosine), launch_f32(l, sine);
    }
    out->useful_bytes = 8ull * s->rows * s->cols;
    return NULL;
}

const struct family family_texture = {
    .name = "texture",
    .about = "an image turned and blurred: global reads against texture reads",
    .matrix = true,
    .third = "angle or blur width",
    .columns = "gld gst tex inst regs",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = texture_check,
};
