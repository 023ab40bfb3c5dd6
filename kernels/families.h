/* families.h - the families that there are; each is defined in <family>/host.c, its check in <family>/reference.c. */
#ifndef LS_KERNELS_FAMILIES_H
#define LS_KERNELS_FAMILIES_H

#include "kernels/family.h"

#define FAMILY(name, tiles)                                                                                            \
    extern const struct family family_##name;                                                                          \
    void name##_check(const struct outcome *o, struct check *c);
#include "kernels/families.def"
#undef FAMILY

/* The coefficient of f(x + i h) - f(x - i h) in the central difference of 2 * radius + 1 points, times h. 1 <= i <= radius
 * <= 8. */
double stencil_coefficient(u32 radius, u32 i);

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

/* Multiplier and addend of latency's chains, of floats and of integers; the steps of a round; the words of the rings in
 * constant and local memory, and how far a step goes in them. */
enum { LATENCY_ROUND = 16, LATENCY_CONSTANT = 256, LATENCY_LOCAL = 64, LATENCY_SHIFT = 5 };
extern const f32 latency_fma[2];
extern const u32 latency_integer[2];

/* Multiplier and addend of config's arithmetic, and how often it is done. */
enum { CONFIG_FMAS = 256 };
extern const f32 config_fma[2];

/* Cosine and sine of an angle in degrees, exact for quarter turns. */
void texture_turn(u32 degrees, f32 *cosine, f32 *sine);

#endif
