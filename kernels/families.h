/* families.h - the families that there are; each is defined in <family>/host.c. */
#ifndef LS_KERNELS_FAMILIES_H
#define LS_KERNELS_FAMILIES_H

#include "kernels/family.h"

extern const struct family family_banks, family_reduce, family_transpose, family_stencil;

/* Each family's reference.c. */
void banks_check(const struct rung *r, const struct shape *s, const void *const before[PLAN_BUFFERS],
                 const void *output, struct check *c);
void reduce_check(const struct rung *r, const struct shape *s, const void *const before[PLAN_BUFFERS],
                  const void *output, struct check *c);
void transpose_check(const struct rung *r, const struct shape *s, const void *const before[PLAN_BUFFERS],
                     const void *output, struct check *c);
void stencil_check(const struct rung *r, const struct shape *s, const void *const before[PLAN_BUFFERS],
                   const void *output, struct check *c);

/* Coefficients of the stencil, c[0] unused: host.c gives them to the device, reference.c uses them. */
extern const f32 stencil_coefficients[5];

#endif
