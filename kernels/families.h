/* families.h - the families that there are; each is defined in <family>/host.c, its check in <family>/reference.c. */
#ifndef LS_KERNELS_FAMILIES_H
#define LS_KERNELS_FAMILIES_H

#include "kernels/family.h"

#define FAMILY(name, tiles)                                                                                            \
    extern const struct family family_##name;                                                                         \
    void name##_check(const struct outcome *o, struct check *c);
#include "kernels/families.def"
#undef FAMILY

/* Coefficients of the stencil, c[0] unused: host.c gives them to the device, reference.c uses them. */
extern const f32 stencil_coefficients[5];

/* The filter of conv2d: weight (i, j) is conv2d_column[i] * conv2d_row[j], exactly. And the floats from row to row of
 * the image that comes with its border. */
extern const f32 conv2d_column[15], conv2d_row[15];
u32 conv2d_pitch(const struct shape *s);

/* The factor of y = a x + y, and two numbers whose quotient it is where a loop divides. */
extern const f32 vector_factor, vector_quotient[2];

/* Words from row to row, for rows of so many. */
u32 access_pitch(const struct rung *r, u32 width);

/* Multiplier and addend of side A, then of side B; and where, sorted by kind, the first of kind B stands. */
extern const u32 divergence_constants[4];
u64 divergence_first_b(u64 n);

/* The table that the rungs of constant read: word k is 1 + k / CONSTANT_TABLE. */
enum { CONSTANT_TABLE = 256 };
const f32 *constant_table(void);

/* Cosine and sine of an angle in degrees, exact for quarter turns. */
void texture_turn(u32 degrees, f32 *cosine, f32 *sine);

#endif
