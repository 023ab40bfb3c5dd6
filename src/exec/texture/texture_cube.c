/* texture_cube.c - cube maps: which face a direction meets, where, and what lies beyond a face's edge.
 *
 * The coordinate of the largest magnitude chooses the face (ties: z, then y). (s, t, m) are linear in the direction:
 *
 *     face   0 +x       1 -x       2 +y      3 -y        4 +z      5 -z
 *     s t m  -z -y x    z -y -x    x z y     x -z -y     x -y z    -x -y -z
 *
 * and s / m, t / m are the place on the face, from -1 to 1 (CUDA C++ Programming Guide, cubemap textures). The guide
 * does not say how ties go; these are Direct3D's. */
#include <math.h>

#include "exec/texture/texture.h"

/* Rows of (s, t, m): which coordinate, negated? */
static const struct {
    u8 axis[3];
    i8 sign[3];
} faces[6] = {
    {{2, 1, 0}, {-1, -1, 1}}, {{2, 1, 0}, {1, -1, -1}}, {{0, 2, 1}, {1, 1, 1}},
    {{0, 2, 1}, {1, -1, -1}}, {{0, 1, 2}, {1, -1, 1}},  {{0, 1, 2}, {-1, -1, -1}},
};

static unsigned face_of(const f64 v[3])
{
    const f64 x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);
    const unsigned axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    return 2 * axis + (v[axis] < 0);
}

/* v as (s, t, m) of a face. */
static void turn(unsigned face, const f64 v[3], f64 stm[3])
{
    for (unsigned k = 0; k < 3; k++)
        stm[k] = faces[face].sign[k] * v[faces[face].axis[k]];
}

/* s and t divided by m, from 0 to 1. */
static f64 on_face(f64 x, f64 m) { return m == 0 ? 0.5 : (x / m + 1) / 2; }

/* The derivative of on_face along (dx, dm). */
static f64 slope(f64 x, f64 m, f64 dx, f64 dm) { return m == 0 ? 0 : (dx * m - x * dm) / (m * m) / 2; }

static void gradient(unsigned face, const f64 stm[3], f32 along[3])
{
    const f64 v[3] = {along[0], along[1], along[2]};
    f64 d[3];
    turn(face, v, d);
    along[0] = (f32)slope(stm[0], stm[2], d[0], d[2]);
    along[1] = (f32)slope(stm[1], stm[2], d[1], d[2]);
    along[2] = 0;
}

void cube_to_face(struct texture_place *at)
{
    f64 v[3], stm[3];
    for (unsigned k = 0; k < 3; k++)
        v[k] = isnan(at->at[k]) ? 0 : isinf(at->at[k]) ? copysign(0x1p127, at->at[k]) : at->at[k];
    const unsigned face = face_of(v);
    turn(face, v, stm);
    at->at[0] = (f32)on_face(stm[0], stm[2]);
    at->at[1] = (f32)on_face(stm[1], stm[2]);
    at->layer = at->layer * 6 + face;
    if (at->detail == DETAIL_GRADIENTS) {
        gradient(face, stm, at->dx);
        gradient(face, stm, at->dy);
    }
}

/* The centre of the texel as a direction, in units of half a texel; the face that it meets has it in the outermost row,
 * at the same place along the edge: of N texels, N N / (N + 1) and N (j + 1) / (N + 1) rounded down are N - 1 and j. */
void cube_neighbour(u32 size, i64 index[3], u32 *layer)
{
    const unsigned face = *layer % 6;
    const f64 n = size, stm[3] = {(f64)(2 * index[0] + 1) - n, (f64)(2 * index[1] + 1) - n, n};
    f64 v[3], there[3];
    for (unsigned k = 0; k < 3; k++)
        v[faces[face].axis[k]] = faces[face].sign[k] * stm[k];
    const unsigned other = face_of(v);
    turn(other, v, there);
    for (unsigned k = 0; k < 2; k++) {
        const i64 at = (i64)floor(on_face(there[k], there[2]) * n);
        index[k] = at < 0 ? 0 : at >= (i64)size ? (i64)size - 1 : at;
    }
    *layer = *layer - face + other;
}
