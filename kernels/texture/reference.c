/* reference.c of texture - turned and blurred images in double, from the very places that the kernels compute.
 *
 * The places: every kernel fuses them by name, so they are known to the last bit and are computed here in the same way.
 * Nearest pixel: from global memory the pixel in which place + 0.5 lies, exactly. A texture unit may reckon with places
 * of 8 bits of fraction, so where one is that near to a pixel's edge the neighbour is right too.
 *
 * Four pixels weighted, from global memory: v = (1 - b) ((1 - a) p + a q) + b ((1 - a) r + a s). The weights a and b
 * are exact (the difference of a float and its floor is), but for places between -1 and 0, where they round once: an
 * absolute u each. Then on the way from a pixel to the result: a product and a sum twice and two weights 1 - x, at most
 * 6 roundings. With S the sum of the weighted magnitudes and D the largest of them: 6 u S / (1 - 6 u) + 4 u D, taken as
 * 7 u S + 4 u D.
 *
 * Weighted by the texture unit: a and b have 8 bits of fraction (CUDA C++ Programming Guide, "Linear Filtering"), so
 * each is off by at most 2^-8, however the unit rounds, and by u (|place| + 1) because 0.5 was added to the place. With
 * d the sum of the two and the largest differences of neighbours in x (X) and in y (Y): v is off by
 * d X + d Y + 2 d^2 M, M the largest magnitude, and by the roundings above.
 *
 * Mean of k x k: k^2 - 1 sums and a product, k^2 roundings: gamma(k^2) w sum |v|, w the weight that the kernel got. */
#include <math.h>

#include "kernels/families.h"
#include "kernels/texture/columns.h"

static const double u = 0x1p-24;

struct image {
    const f32 *at;
    i64 rows, cols;
};

/* 0 outside, or what is at the border. */
static double pixel(const struct image *im, i64 x, i64 y, bool clamp)
{
    if (clamp) {
        x = x < 0 ? 0 : x >= im->cols ? im->cols - 1 : x;
        y = y < 0 ? 0 : y >= im->rows ? im->rows - 1 : y;
    }
    const bool inside = x >= 0 && x < im->cols && y >= 0 && y < im->rows;
    return inside ? im->at[y * im->cols + x] : 0;
}

struct want {
    double value, bound;
};

/* Of the pixels within `slack` of the place, the one nearest to what was got. */
static struct want nearest(const struct image *im, f32 x, f32 y, double slack, double got)
{
    const double px = x + 0.5f, py = y + 0.5f; /* in float, as in the kernels */
    struct want best = {pixel(im, (i64)floor(px), (i64)floor(py), false), 0};
    for (int k = 0; k < 4; k++) {
        const double v =
            pixel(im, (i64)floor(px + (k & 1 ? slack : -slack)), (i64)floor(py + (k & 2 ? slack : -slack)), false);
        if (fabs(v - got) < fabs(best.value - got))
            best.value = v;
    }
    return best;
}

static double larger(double a, double b) { return a > b ? a : b; }

static struct want weighted(const struct image *im, f32 x, f32 y, bool unit)
{
    const i64 ix = (i64)floorf(x), iy = (i64)floorf(y);
    const double a = (double)x - (double)ix, b = (double)y - (double)iy;
    const double p = pixel(im, ix, iy, false), q = pixel(im, ix + 1, iy, false);
    const double r = pixel(im, ix, iy + 1, false), s = pixel(im, ix + 1, iy + 1, false);
    const double most = larger(larger(fabs(p), fabs(q)), larger(fabs(r), fabs(s)));
    const double sum = (1 - b) * ((1 - a) * fabs(p) + a * fabs(q)) + b * ((1 - a) * fabs(r) + a * fabs(s));
    struct want w = {(1 - b) * ((1 - a) * p + a * q) + b * ((1 - a) * r + a * s), 7 * u * sum + 4 * u * most};
    if (unit) {
        const double d = 0x1p-8 + u * (larger(fabs((double)x), fabs((double)y)) + 1);
        const double in_x = larger(fabs(q - p), fabs(s - r)), in_y = larger(fabs(r - p), fabs(s - q));
        w.bound += d * (in_x + in_y) + 2 * d * d * most;
    }
    return w;
}

static struct want mean(const struct image *im, i64 x, i64 y, i64 k, bool clamp)
{
    const double weight = 1.0f / (f32)(k * k), roundings = (double)(k * k);
    double sum = 0, magnitudes = 0;
    for (i64 dy = -(k / 2); dy <= k / 2; dy++)
        for (i64 dx = -(k / 2); dx <= k / 2; dx++) {
            const double v = pixel(im, x + dx, y + dy, clamp);
            sum += v;
            magnitudes += fabs(v);
        }
    return (struct want){weight * sum, roundings * u / (1 - roundings * u) * weight * magnitudes};
}

static struct want of_pixel(const struct outcome *o, const struct image *im, u32 x, u32 y, double got)
{
    const struct columns *own = o->rung->columns;
    if (own->blur)
        return mean(im, x, y, o->shape->k, own->clamp);
    f32 cosine, sine;
    texture_turn(o->shape->k, &cosine, &sine);
    const f32 mx = 0.5f * (f32)(im->cols - 1), my = 0.5f * (f32)(im->rows - 1);
    const f32 dx = (f32)x - mx, dy = (f32)y - my;
    const f32 from_x = fmaf(cosine, dx, fmaf(sine, dy, mx)), from_y = fmaf(cosine, dy, fmaf(-sine, dx, my));
    if (own->linear)
        return weighted(im, from_x, from_y, own->texture);
    return nearest(im, from_x, from_y, own->texture ? 0x1p-8 : 0, got);
}

void texture_check(const struct outcome *o, struct check *c)
{
    const struct image im = {.at = o->before[1], .rows = o->shape->rows, .cols = o->shape->cols};
    const f32 *out = o->after[0];
    for (u32 y = 0; y < o->shape->rows; y++)
        for (u32 x = 0; x < o->shape->cols; x++) {
            const u64 i = (u64)y * o->shape->cols + x;
            const struct want w = of_pixel(o, &im, x, y, out[i]);
            check_element(c, i, out[i], w.value, w.bound);
        }
}
