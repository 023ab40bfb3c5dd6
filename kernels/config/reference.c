/* reference.c of config - a copy, a value after 256 steps, a block turned round, 64 weighted deviations.
 *
 * Copies and turned blocks are exact. fmaLoop adds `addend` 256 times (its multiplier is 1): x + 256 addend, where
 * each step rounds a number of at most |x| + 256 addend: 256 u of that, u = 2^-24, some 0.001, when a step too few is
 * 0.25. The deviations are as in spill/reference.c. */
#include <math.h>

#include "kernels/config/columns.h"
#include "kernels/families.h"

const f32 config_fma[2] = {1.0f, 0.25f};

/* The element in the same block that stands opposite; 0 for what is outside the matrix. */
static double opposite(const f32 *in, const struct shape *s, u32 y, u32 x)
{
    const u64 top = y / s->by * s->by, left = x / s->bx * s->bx;
    const u64 from_y = top + s->by - 1 - (y - top), from_x = left + s->bx - 1 - (x - left);
    return from_y < s->rows && from_x < s->cols ? (double)in[from_y * s->cols + from_x] : 0;
}

static double gamma_of(double k)
{
    const double u = 0x1p-24;
    return k * u / (1 - k * u);
}

static double deviations(const f32 *in, u64 plane, u32 planes, u64 i, double *bound)
{
    double sum = 0, size = 0, want = 0, weighed = 0;
    for (u32 j = 0; j < planes; j++) {
        sum += in[j * plane + i];
        size += fabs((double)in[j * plane + i]);
    }
    for (u32 j = 0; j < planes; j++) {
        const double deviation = in[j * plane + i] - sum / planes;
        want += (j + 1.0) * deviation;
        weighed += (j + 1.0) * fabs(deviation);
    }
    const double off = planes * (planes + 1.0) / 2 * gamma_of(planes) * size / planes;
    *bound = gamma_of(planes + 1) * (weighed + off) + off;
    return want;
}

void config_check(const struct outcome *o, struct check *c)
{
    const f32 *in = o->before[0], *out = o->after[1];
    const struct shape *s = o->shape;
    const u64 n = (u64)s->rows * s->cols;
    const struct columns *own = o->rung->columns;
    for (u64 i = 0; i < n; i++) {
        double want = in[i], bound = 0;
        if (own->task == FLIP)
            want = opposite(in, s, (u32)(i / s->cols), (u32)(i % s->cols));
        else if (own->task == FMAS) {
            want += CONFIG_FMAS * (double)config_fma[1];
            bound = CONFIG_FMAS * 0x1p-24 * (fabs((double)in[i]) + CONFIG_FMAS * (double)config_fma[1]);
        } else if (own->task == DEVIATIONS)
            want = deviations(in, n, own->planes, i, &bound);
        check_element(c, i, out[i], want, bound);
    }
}
