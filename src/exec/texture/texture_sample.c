/* texture_sample.c - what a texture gives at a place, as the CUDA C++ Programming Guide's appendix on texture fetching
 * defines it.
 *
 * Nearest: the texel floor(x). Linear: with x' = x - 0.5, i = floor(x') and the weight a = x' - i in 1.8 fixed point
 * (nine bits, so that 1.0 can be said), (1 - a) T[i] + a T[i + 1]; in two and three dimensions the product of the
 * weights. The guide does not say how a is rounded; here to the nearest, halves up. Sums are made in f64 and rounded
 * once; what the hardware does with the last bit is not documented.
 *
 *     texel index outside   wrap     0 .. N-1 again and again        mirror   forth and back
 *                           clamp    the nearest edge                border   the sampler's border colour
 *
 * Cube maps: texture_cube.c finds the face and the place on it.
 * Without seamless filtering a face is an image of its own. With it a texel beyond an edge is the one that the
 * neighbour has there, and one beyond a corner, which no face has, the mean of the three that meet.
 *
 * Mipmaps: the level of detail is given, or log2 of the longer gradient in texels, or 0; the bias is added, the clamps
 * hold. The nearest level (halves up), or two weighed by the fraction in 1.8 fixed point.
 *
 * Channels that an image has not are 0, the fourth 1, as OpenCL's orders R and RG have it. A coordinate that is no
 * number is 0. */
#include <math.h>
#include <string.h>

#include "exec/texture/texture.h"

/* Kernels and the host may race for a texel when their authors let them. */
#define RACY __attribute__((no_sanitize("thread")))
typedef u8 u8_any __attribute__((may_alias));
typedef u16 u16_any __attribute__((aligned(1), may_alias));
typedef u32 u32_any __attribute__((aligned(1), may_alias));

static u32 bits_of(f32 x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static f32 float_of(u32 bits)
{
    f32 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- texels ---- */

f32 texture_half_value(u32 half)
{
    const u32 exponent = half >> 10 & 31, mantissa = half & 1023, sign = (half & 0x8000) << 16;
    if (exponent == 31)
        return float_of(mantissa ? 0x7fffffff : sign | 0x7f800000);
    if (!exponent)
        return float_of(bits_of((f32)mantissa * 0x1p-24f) | sign);
    return float_of(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
}

u32 texture_half_bits(f32 value)
{
    const u32 sign = bits_of(value) >> 16 & 0x8000;
    const f32 size = fabsf(value);
    if (isnan(value))
        return 0x7fff;
    if (size >= 65520) /* half-way between the largest half and what would follow it */
        return sign | 0x7c00;
    const int exponent = size < 0x1p-14f ? -24 : ilogbf(size) - 10; /* of the last bit that stays */
    return sign | (((u32)(exponent + 24) << 10) + (u32)lrintf(ldexpf(size, -exponent)));
}

static u32 normalized(i32 value, f32 most)
{
    const f32 x = (f32)value / most;
    return bits_of(x < -1 ? -1 : x); /* -128 and -127 are both -1 */
}

/* IEC 61966-2-1; alpha is linear already. */
static u32 linear_colour(u8 x, unsigned k)
{
    const f64 c = x / 255.0;
    return bits_of((f32)(k == 3 ? c : c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)));
}

/* Channel k of the texel at `at`, which has this format, as a fetch gives it. */
RACY static inline __attribute__((always_inline)) u32 read_as(const struct texture *t, u8 format, u64 at, unsigned k)
{
    const void *p = (const void *)(uintptr_t)(at + k * (texel_bits(format) / 8));
    const bool raw = t->sampler.integers;
    switch (format) {
    case TEXEL_U8:
        return raw               ? *(const u8_any *)p
               : t->sampler.srgb ? linear_colour(*(const u8_any *)p, k)
                                 : normalized(*(const u8_any *)p, 255);
    case TEXEL_S8:
        return raw ? (u32)(i8) * (const u8_any *)p : normalized((i8) * (const u8_any *)p, 127);
    case TEXEL_U16:
        return raw ? *(const u16_any *)p : normalized(*(const u16_any *)p, 65535);
    case TEXEL_S16:
        return raw ? (u32)(i16) * (const u16_any *)p : normalized((i16) * (const u16_any *)p, 32767);
    case TEXEL_HALF:
        return bits_of(texture_half_value(*(const u16_any *)p));
    default:
        return *(const u32_any *)p;
    }
}

RACY static u32 read_channel(const struct texture *t, u64 at, unsigned k) { return read_as(t, t->image.format, at, k); }

static u32 missing_channel(const struct texture *t, unsigned k)
{
    return k < 3 ? 0 : texture_gives_floats(t) ? bits_of(1) : 1;
}

/* ---- addresses ---- */

/* An index in 0 .. n-1, or -1: the border. Wrap and mirror exist for normalized coordinates only (CUDA_TEXTURE_DESC's
 * addressMode); others clamp. */
static i64 address(const struct sampler *s, unsigned dim, i64 i, i64 n)
{
    if (i >= 0 && i < n)
        return i;
    const bool periodic = s->normalized;
    switch (s->address[dim]) {
    case ADDRESS_BORDER:
        return -1;
    case ADDRESS_WRAP:
        if (periodic)
            return (i % n + n) % n;
        break;
    case ADDRESS_MIRROR:
        if (periodic) {
            const i64 m = (i % (2 * n) + 2 * n) % (2 * n);
            return m < n ? m : 2 * n - 1 - m;
        }
        break;
    default:
        break;
    }
    return i < 0 ? 0 : n - 1;
}

/* The texel with these indices, which may be outside; of a cube, on the face `layer`. */
static struct texture_value texel_of_image(const struct texture *t, const i64 index[3], u32 layer)
{
    const struct image *im = &t->image;
    const i64 size[3] = {im->width, im->height, im->depth};
    i64 at[3] = {0, 0, im->layered || im->cube ? (layer < im->depth ? layer : im->depth - 1) : 0};
    bool border = false;
    for (unsigned d = 0; d < im->dims; d++) {
        at[d] = address(&t->sampler, d, index[d], size[d]);
        border |= at[d] < 0;
    }
    struct texture_value v = {.address = im->base};
    if (!border)
        v.address += (u64)at[2] * im->slice + (u64)at[1] * im->pitch + (u64)at[0] * im->texel_bytes;
    for (unsigned k = 0; k < 4; k++)
        v.bits[k] = k >= im->channels ? missing_channel(t, k)
                    : border          ? t->sampler.border[k]
                                      : read_channel(t, v.address, k);
    return v;
}

static bool is_outside(const struct image *im, i64 i) { return i < 0 || i >= im->width; }

static i64 pulled_in(const struct image *im, i64 i) { return i < 0 ? 0 : i >= im->width ? im->width - 1 : i; }

static struct texture_value neighbour(const struct texture *t, i64 x, i64 y, u32 layer)
{
    i64 index[3] = {x, y, 0};
    cube_neighbour(t->image.width, index, &layer);
    return texel_of_image(t, index, layer);
}

static u32 mean_of_three(u32 a, u32 b, u32 c)
{
    return bits_of((f32)(((f64)float_of(a) + (f64)float_of(b) + (f64)float_of(c)) / 3));
}

/* Beyond a corner: the corner's own texel and those that its two neighbours have there. */
static struct texture_value beyond_corner(const struct texture *t, const i64 index[3], u32 layer)
{
    const i64 x = pulled_in(&t->image, index[0]), y = pulled_in(&t->image, index[1]), own[3] = {x, y, 0};
    const struct texture_value a = texel_of_image(t, own, layer), b = neighbour(t, index[0], y, layer),
                               c = neighbour(t, x, index[1], layer);
    struct texture_value v = a;
    for (unsigned k = 0; k < 4; k++)
        v.bits[k] = mean_of_three(a.bits[k], b.bits[k], c.bits[k]);
    return v;
}

static struct texture_value texel(const struct texture *t, const i64 index[3], u32 layer)
{
    const struct image *im = &t->image;
    const bool out_x = is_outside(im, index[0]), out_y = is_outside(im, index[1]);
    if (!im->cube || !t->sampler.seamless || !(out_x || out_y))
        return texel_of_image(t, index, layer);
    return out_x && out_y ? beyond_corner(t, index, layer) : neighbour(t, index[0], index[1], layer);
}

/* ---- coordinates ---- */

/* A coordinate in texels. Far outside one place is as good as another: indices stay far from overflow. */
static f64 in_texels(const struct texture *t, const struct texture_place *at, unsigned dim)
{
    const u32 size[3] = {t->image.width, t->image.height, t->image.depth};
    const f64 x = t->sampler.normalized ? (f64)at->at[dim] * size[dim] : at->at[dim], far = 0x1p40;
    return isnan(x) ? 0 : x < -far ? -far : x > far ? far : x;
}

/* First texel and weight of the second, in 256ths. */
struct footprint {
    i64 first[3];
    u32 weight[3];
};

/* Says which texels were looked at: those that have a weight. */
static __attribute__((noinline)) void tell(const struct texture *t, const struct texture_place *at,
                                           const struct footprint *f)
{
    const struct image *im = &t->image;
    const i64 size[3] = {im->width, im->height, im->depth};
    const u32 last = im->depth - 1;
    struct texels *s = at->seen; /* in place: a copy would wait for its own bytes */
    *s = (struct texels){.base = im->base, .width = im->width, .height = im->height, .n = {1, 1, 1}, .dims = im->dims};
    s->bytes = im->texel_bytes;
    s->layout = im->layout;
    s->layered = im->layered || im->cube;
    s->by_floats = at->is_float;
    s->filtered = t->sampler.linear && at->is_float;
    s->at[2][0] = im->layered || im->cube ? (at->layer < last ? at->layer : last) : 0;
    for (unsigned d = 0; d < im->dims; d++) {
        s->n[d] = 0;
        for (u32 k = 0; k < 2; k++) {
            const i64 i = address(&t->sampler, d, f->first[d] + k, size[d]);
            if (i >= 0 && (k ? f->weight[d] > 0 : f->weight[d] < 256))
                s->at[d][s->n[d]++] = (u32)i;
        }
    }
}

/* floor(x) for |x| up to 2^40 (in_texels), without a call. */
static inline i64 floor_of(f64 x)
{
    const i64 i = (i64)x;
    return i - ((f64)i > x);
}

static struct footprint footprint(const struct texture *t, const struct texture_place *at)
{
    struct footprint f = {0};
    for (unsigned d = 0; d < t->image.dims; d++) {
        const f64 x = in_texels(t, at, d) - 0.5;
        const i64 low = floor_of(x);
        f.first[d] = low + at->offset[d];
        f.weight[d] = (u32)((x - (f64)low) * 256 + 0.5);
    }
    return f;
}

static struct texture_value fetch_nearest(const struct texture *t, const struct texture_place *at)
{
    struct footprint f = {0};
    i64 *index = f.first;
    for (unsigned d = 0; d < t->image.dims; d++)
        index[d] = at->offset[d] + (at->is_float ? floor_of(in_texels(t, at, d)) : (i64)at->texel[d]);
    if (at->seen)
        tell(t, at, &f);
    return t->image.cube ? texel(t, index, at->layer) : texel_of_image(t, index, at->layer);
}

/* Where the two texels of a dimension lie, in bytes from the first, and their weights. A border is 0 bytes away. */
struct axis {
    u64 bytes[2];
    bool border[2];
    f64 weight[2];
    bool plain; /* no border, and neither weight is 0 */
};

static inline struct axis axis(const struct texture *t, const struct footprint *f, unsigned d, i64 size, u64 stride)
{
    struct axis a;
    for (unsigned k = 0; k < 2; k++) {
        const i64 i = address(&t->sampler, d, f->first[d] + k, size);
        a.border[k] = i < 0;
        a.bytes[k] = i < 0 ? 0 : (u64)i * stride;
    }
    a.weight[0] = (256 - f->weight[d]) / 256.0;
    a.weight[1] = f->weight[d] / 256.0;
    a.plain = !a.border[0] && !a.border[1] && f->weight[d] % 256;
    return a;
}

/* What fetch_linear does, for images without neighbours behind their edges. The format, the number of channels and that
 * of dimensions are constants where this is called for what is usual. */
RACY static inline __attribute__((always_inline)) struct texture_value
blend(const struct texture *t, const struct texture_place *at, unsigned dims, u8 format, unsigned channels)
{
    const struct image *im = &t->image;
    const struct footprint f = footprint(t, at);
    if (at->seen)
        tell(t, at, &f);
    const u32 last = im->depth - 1;
    const u64 base = im->base + (im->layered ? (u64)(at->layer < last ? at->layer : last) * im->slice : 0);
    struct axis a[3];
    struct texture_value out = {0};
    f64 sum[4] = {0};
    a[0] = axis(t, &f, 0, im->width, im->texel_bytes);
    if (dims > 1)
        a[1] = axis(t, &f, 1, im->height, im->pitch);
    if (dims > 2)
        a[2] = axis(t, &f, 2, im->depth, im->slice);
    const bool plain = a[0].plain && (dims < 2 || a[1].plain) && (dims < 3 || a[2].plain);
    for (unsigned corner = 0; corner < 1u << dims; corner++) {
        u64 where = base;
        f64 weight = 1;
        bool border = false;
        for (unsigned d = 0; d < dims; d++) {
            const unsigned k = corner >> d & 1;
            where += a[d].bytes[k];
            weight *= a[d].weight[k];
            border |= a[d].border[k];
        }
        if (!plain && weight == 0)
            continue;
        if (!out.address)
            out.address = border ? im->base : where;
        for (unsigned k = 0; k < channels; k++) {
            const u32 bits = !plain && border ? t->sampler.border[k] : read_as(t, format, where, k);
            sum[k] += weight * (f64)float_of(bits);
        }
    }
    for (unsigned k = 0; k < channels; k++)
        out.bits[k] = bits_of((f32)sum[k]);
    for (unsigned k = channels; k < 4; k++) /* the weights' sum is 1 */
        out.bits[k] = missing_channel(t, k);
    return out;
}

RACY static struct texture_value blend_image(const struct texture *t, const struct texture_place *at)
{
    const struct image *im = &t->image;
    if (im->dims == 2 && im->format == TEXEL_FLOAT && im->channels == 1)
        return blend(t, at, 2, TEXEL_FLOAT, 1);
    if (im->dims == 2 && im->format == TEXEL_FLOAT && im->channels == 4)
        return blend(t, at, 2, TEXEL_FLOAT, 4);
    if (im->dims == 2 && im->format == TEXEL_U8 && im->channels == 4)
        return blend(t, at, 2, TEXEL_U8, 4);
    if (im->dims == 3 && im->format == TEXEL_FLOAT && im->channels == 1)
        return blend(t, at, 3, TEXEL_FLOAT, 1);
    return blend(t, at, im->dims, im->format, im->channels);
}

/* Texels of weight 0 are not looked at. */
static struct texture_value fetch_linear(const struct texture *t, const struct texture_place *at)
{
    if (!t->image.cube)
        return blend_image(t, at);
    const struct footprint f = footprint(t, at);
    if (at->seen)
        tell(t, at, &f);
    const unsigned dims = t->image.dims;
    struct texture_value out = {0};
    f64 sum[4] = {0};
    for (unsigned corner = 0; corner < 1u << dims; corner++) {
        i64 index[3] = {0};
        f64 weight = 1;
        for (unsigned d = 0; d < dims; d++) {
            const bool second = corner >> d & 1;
            index[d] = f.first[d] + second;
            weight *= (second ? f.weight[d] : 256 - f.weight[d]) / 256.0;
        }
        if (weight == 0)
            continue;
        const struct texture_value v = texel(t, index, at->layer);
        out.address = out.address ? out.address : v.address;
        for (unsigned k = 0; k < 4; k++)
            sum[k] += weight * (f64)float_of(v.bits[k]);
    }
    for (unsigned k = 0; k < 4; k++)
        out.bits[k] = bits_of((f32)sum[k]);
    return out;
}

/* Integer coordinates are texels and never filtered. */
static struct texture_value fetch_level(const struct texture *t, const struct texture_place *at)
{
    return t->sampler.linear && at->is_float ? fetch_linear(t, at) : fetch_nearest(t, at);
}

/* ---- mipmaps ---- */

static u32 halved(u32 size, unsigned times) { return size >> times ? size >> times : 1; }

struct image image_level(const struct image *im, unsigned level)
{
    struct image at = *im;
    const unsigned last = im->levels ? im->levels - 1u : 0;
    const bool deep = im->dims == 3;
    for (unsigned l = 1; l <= (level < last ? level : last); l++) {
        at.base += at.slice * at.depth;
        at.width = halved(im->width, l);
        at.height = halved(im->height, l);
        at.depth = deep ? halved(im->depth, l) : im->depth;
        at.pitch = (u64)at.width * at.texel_bytes;
        at.slice = at.pitch * at.height;
    }
    return at;
}

/* The length of a gradient in texels of the first level. */
static f64 length(const struct texture *t, const f32 d[3])
{
    const u32 size[3] = {t->image.width, t->image.height, t->image.depth};
    f64 sum = 0;
    for (unsigned k = 0; k < t->image.dims; k++) {
        const f64 x = t->sampler.normalized ? (f64)d[k] * size[k] : d[k];
        sum += x * x;
    }
    return sqrt(sum);
}

/* Between the first level, 0, and the last. */
static f64 level_of_detail(const struct texture *t, const struct texture_place *at)
{
    const struct sampler *s = &t->sampler;
    const f64 last = t->image.levels - 1;
    f64 level = at->detail == DETAIL_LEVEL       ? at->level
                : at->detail == DETAIL_GRADIENTS ? log2(fmax(length(t, at->dx), length(t, at->dy)))
                                                 : 0;
    level = fmin(fmax(level + s->bias, s->least), s->most); /* NaN: the least */
    return fmin(fmax(level, 0), last);
}

static struct texture_value fetch_at_level(const struct texture *t, const struct texture_place *at, unsigned level)
{
    struct texture one = *t;
    one.image = image_level(&t->image, level);
    return fetch_level(&one, at);
}

/* weight / 256 of the way from a to b */
static u32 between(u32 a, u32 b, u32 weight)
{
    return bits_of((f32)(((256 - weight) * (f64)float_of(a) + weight * (f64)float_of(b)) / 256));
}

static struct texture_value fetch_mipmap(const struct texture *t, const struct texture_place *at)
{
    const f64 level = level_of_detail(t, at), low = floor(level);
    const u32 weight = (u32)floor((level - low) * 256 + 0.5);
    if (!t->sampler.mip_linear)
        return fetch_at_level(t, at, (unsigned)floor(level + 0.5));
    struct texture_value v = fetch_at_level(t, at, (unsigned)low);
    if (!weight)
        return v;
    const struct texture_value next = fetch_at_level(t, at, (unsigned)low + 1);
    for (unsigned k = 0; k < 4; k++)
        v.bits[k] = between(v.bits[k], next.bits[k], weight);
    return v;
}

struct texture_value texture_fetch(const struct texture *t, const struct texture_place *at)
{
    if (!t->image.cube)
        return t->image.levels > 1 ? fetch_mipmap(t, at) : fetch_level(t, at);
    struct texture_place on_face = *at;
    const u32 last = t->image.depth / 6 - 1;
    on_face.layer = !t->image.layered ? 0 : at->layer < last ? at->layer : last;
    cube_to_face(&on_face);
    return t->image.levels > 1 ? fetch_mipmap(t, &on_face) : fetch_level(t, &on_face);
}

struct texture_value texture_gather(const struct texture *t, const struct texture_place *at, unsigned component)
{
    static const u8 order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct footprint f = footprint(t, at);
    struct texture_value out = {0};
    f.weight[0] = f.weight[1] = 128; /* all four */
    if (at->seen)
        tell(t, at, &f);
    for (unsigned k = 0; k < 4; k++) {
        const i64 index[3] = {f.first[0] + order[k][0], f.first[1] + order[k][1], 0};
        const struct texture_value v = texel(t, index, at->layer);
        out.bits[k] = v.bits[component];
        out.address = v.address;
    }
    return out;
}
