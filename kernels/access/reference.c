/* reference.c of access - integers, exact, and the squared lengths of points.
 *
 * x x + y y + z z: each of its terms passes through at most three roundings (a product and two sums, fewer where the
 * compiler fuses), so the error is at most g (x^2 + y^2 + z^2) with g = 3 u / (1 - 3 u), u = 2^-24 (Higham, Accuracy
 * and Stability of Numerical Algorithms, lemma 3.1). */
#include "kernels/access/columns.h"
#include "kernels/families.h"

static bool is(const struct outcome *o, enum task task) { return o->rung->columns->task == task; }

static void check_points(const struct outcome *o, struct check *c)
{
    const u32 words = o->rung->columns->point_words;
    const bool soa = words == 1;
    const f32 *x = o->before[0], *y = soa ? o->before[1] : x + 1, *z = soa ? o->before[2] : x + 2;
    const f32 *out = o->after[soa ? 3 : 1];
    const double u = 0x1p-24, g = 3 * u / (1 - 3 * u);
    for (u64 i = 0; i < o->shape->n; i++, x += words, y += words, z += words) {
        double want = (double)*x * *x + (double)*y * *y + (double)*z * *z;
        check_element(c, i, out[i], want, g * want);
    }
}

/* What no thread writes, between rows or strides, must be what it was. */
static void check_spread(const struct outcome *o, struct check *c, u64 rows, u64 width, u64 pitch)
{
    const i32 *in = o->before[0], *old = o->before[1], *out = o->after[1];
    const bool packed = is(o, WRITE_STRIDE); /* one input word a row; else rows of the input lie as the output's */
    for (u64 row = 0; row < rows; row++)
        for (u64 i = 0; i < (row + 1 < rows ? pitch : width); i++) {
            u64 at = row * pitch + i;
            check_element(c, at, out[at], i >= width ? old[at] : in[packed ? row : at], 0);
        }
}

static i32 rotated(const i32 *in, u64 n, u64 bx, u64 i)
{
    u64 start = i / bx * bx, left = n - start < bx ? n - start : bx;
    return in[start + (i - start + bx / 2) % left];
}

static i32 wanted(const struct outcome *o, u64 i)
{
    const i32 *in = o->before[0];
    const u64 n = o->shape->n;
    if (is(o, READ_OFFSET))
        return in[i + o->shape->k];
    if (is(o, READ_STRIDE))
        return in[i * o->shape->k];
    if (is(o, TWO_NEIGHBORS))
        return in[2 * i] + in[2 * i + 1];
    if (is(o, TWO_SEGMENTS))
        return in[i] + in[i + n];
    if (is(o, GATHER))
        return in[((const i32 *)o->before[1])[i]];
    if (is(o, ROTATE))
        return rotated(in, n, o->shape->bx, i);
    return in[i];
}

void access_check(const struct outcome *o, struct check *c)
{
    const struct shape *s = o->shape;
    if (is(o, POINTS)) {
        check_points(o, c);
        return;
    }
    if (is(o, WRITE_STRIDE)) {
        check_spread(o, c, s->n, 1, s->k);
        return;
    }
    if (is(o, ROWS)) {
        check_spread(o, c, ceil_div(s->n, s->k), s->k, access_pitch(o->rung, s->k));
        return;
    }
    u32 at = is(o, ROTATE) ? 0 : is(o, GATHER) ? 2 : 1;
    const i32 *out = o->after[at];
    for (u64 i = 0; i < s->n; i++)
        check_element(c, i, out[i], wanted(o, i), 0);
}
