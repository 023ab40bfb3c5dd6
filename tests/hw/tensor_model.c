/* tensor_model.c - what the PTX manual says of copies through tensor maps (5.5), and an H200 does where it says nothing, element by
 * element and without regard to speed: nothing of it is the engine's. */
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

/* An element that is outside the tensor: NaNs are 0x7ff7 in every half word. */
static void fill(const struct map *m, unsigned char *here, unsigned size)
{
    for (unsigned k = 0; k < size; k++)
        here[k] = !m->fill ? 0 : k % 2 ? 0x7f : 0xf7;
}

/* Types 11 and 12 are tf32: 10 bits of fraction are left, and one NaN. */
static void load(const struct map *m, unsigned char *here, const unsigned char *from, unsigned size)
{
    memcpy(here, from, size);
    for (unsigned k = 0; m->type >= 11 && k < size; k += 4) {
        unsigned x;
        memcpy(&x, here + k, 4);
        const unsigned magnitude = x & 0x7fffffff, below = magnitude & 0x1fff;
        const unsigned near = magnitude - below + (below >= 0x1000 ? 0x2000 : 0);
        x = magnitude > 0x7f800000 ? 0x7fffe000 : (x & 0x80000000) | near;
        memcpy(here + k, &x, 4);
    }
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
            fill(m, here, size);
    } else if (j->way == LOAD) {
        load(m, here, global + place, size);
    } else {
        memcpy(global + place, here, size);
    }
}

/* Interleaved: elements of the first dimension are slices of 16 or 32 bytes, and of the last dimension but one a box has one
 * element. Slice n of the box, which is at these coordinates. */
static void slice(const struct map *m, const struct job *j, const long long *at, unsigned n, unsigned char *global,
                  unsigned char *shared)
{
    const unsigned size = 8u << m->interleave;
    long long place = at[0] * size;
    for (int k = 1; k < m->rank; k++)
        place += at[k] * (long long)m->strides[k - 1];
    for (unsigned k = 0; k < size; k += 16) {
        unsigned char *here = shared - j->base + swizzled(m->swizzle, j->base + n * size + k);
        if (inside(m, at) && j->way == LOAD)
            load(m, here, global + place + k, 16);
        else if (inside(m, at))
            memcpy(global + place + k, here, 16);
        else if (j->way == LOAD)
            fill(m, here, 16);
    }
}

static void slices(const struct map *m, const struct job *j, unsigned char *global, unsigned char *shared)
{
    unsigned count[5], all = 1;
    for (int k = 0; k < m->rank; k++)
        all *= count[k] = k == m->rank - 2 ? 1 : (m->box[k] + m->steps[k] - 1) / m->steps[k];
    for (unsigned n = 0; n < all; n++) {
        long long at[5] = {0};
        unsigned left = n;
        for (int k = 0; k < m->rank; k++) {
            at[k] = j->at[k] + (long long)(left % count[k]) * m->steps[k];
            left /= count[k];
        }
        slice(m, j, at, n, global, shared);
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
    if (m->interleave)
        slices(m, j, global, shared);
    else
        (m->mode == TILED ? tile : column)(m, j, size, global, shared);
}
