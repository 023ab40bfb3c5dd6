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

#endif
