/* tensor_model.c - what the PTX manual says of copies through tensor maps (5.5), element by element and without regard to
 * speed: nothing of it is the engine's. */
#include "tensor_maps.h"

#include <stdbool.h>
#include <string.h>

/* A swizzle as the manual's tables have it: rows of eight units of 16 bytes, in which units change places by the row. */
static unsigned swizzled(int swizzle, unsigned place)
{
    static const unsigned rows[] = {1, 2, 4, 8};
    const unsigned row = place / 128, unit = place / 16 % 8;
    return row * 128 + (unit ^ row % rows[swizzle]) * 16 + place % 16;
}

static bool inside(const struct map *m, const long long *at)
{
    bool yes = true;
    for (int k = 0; k < m->rank; k++)
        yes &= at[k] >= 0 && at[k] < (long long)m->dims[k];
    return yes;
}

/* Element n of the box, whose rows have so many, which is at these coordinates. With a swizzle a row has the whole span of it to itself.
 * What is stored is whole units of 16 bytes of a row, if they begin in the tensor: both as an H200 has it. */
static void element(const struct map *m, const struct job *j, unsigned size, const long long *at, unsigned n,
                    unsigned row, unsigned char *global, unsigned char *shared)
{
    const unsigned span = m->swizzle && row * size < 16u << m->swizzle ? 16u << m->swizzle : row * size;
    unsigned char *here = shared - j->base + swizzled(m->swizzle, j->base + n / row * span + n % row * size);
    long long place = at[0] * size, first[5];
    for (int k = 1; k < m->rank; k++)
        place += at[k] * (long long)m->strides[k - 1];
    memcpy(first, at, sizeof first);
    first[0] -= at[0] >= 0 ? at[0] % (16 / size) : 0;
    if (!inside(m, j->way == LOAD ? at : first)) {
        if (j->way == LOAD)
            memset(here, m->fill ? 0xff : 0, size);
        if (j->way == LOAD && m->fill)
            here[size - 1] = 0x7f;
    } else if (j->way == LOAD) {
        memcpy(here, global + place, size);
    } else {
        memcpy(global + place, here, size);
    }
}

static void tile(const struct map *m, const struct job *j, unsigned size, unsigned char *global, unsigned char *shared)
{
    unsigned count[5], all = 1;
    for (int k = 0; k < m->rank; k++) {
        const unsigned step = k ? m->steps[k] : 1;
        count[k] = 0;
        for (unsigned x = 0; x < m->box[k]; x += step)
            count[k]++;
        all *= count[k];
    }
    for (unsigned n = 0; n < all; n++) {
        long long at[5];
        unsigned left = n;
        for (int k = 0; k < m->rank; k++) {
            at[k] = j->at[k] + (long long)(left % count[k]) * (k ? m->steps[k] : 1);
            left /= count[k];
        }
        element(m, j, size, at, n, count[0], global, shared);
    }
}

/* Pixels in the order W, H, D, N, from one that lies in the window on. */
static void column(const struct map *m, const struct job *j, unsigned size, unsigned char *global,
                   unsigned char *shared)
{
    const int last = m->rank - 1; /* the dimension N */
    long long at[5];
    for (int k = 0; k < m->rank; k++)
        at[k] = j->at[k];
    for (unsigned pixel = 0; pixel < m->pixels; pixel++) {
        long long from[5];
        for (unsigned c = 0; c < m->channels; c++) {
            memcpy(from, at, sizeof from);
            from[0] += c;
            for (int k = 1; k < last; k++)
                from[k] += j->way == LOAD ? j->off[k - 1] : 0;
            element(m, j, size, from, pixel * m->channels + c, m->channels, global, shared);
        }
        int k = 1;
        while (k < last && (at[k] += m->steps[k]) > (long long)m->dims[k] - 1 + m->upper[k - 1]) {
            at[k] = m->lower[k - 1];
            k++;
        }
        at[last] += k == last;
    }
}

void tensor_model(const struct map *m, const struct job *j, unsigned size, unsigned char *global, unsigned char *shared)
{
    (m->mode == TILED ? tile : column)(m, j, size, global, shared);
}
