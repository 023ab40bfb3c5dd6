/* registry.c - the list of families, and the search for a rung's code. */
#include "kernels/family.h"

#include <math.h>
#include <string.h>

#include "kernels/families.h"

const struct family *const kernel_families[] = {
#define FAMILY(name, tiles) &family_##name,
#include "kernels/families.def"
#undef FAMILY
};
const u32 kernel_family_count = LS_ARRAY_LEN(kernel_families);

void check_element(struct check *c, u64 i, double got, double want, double bound)
{
    double error = fabs(got - want);
    if (!(error <= bound)) {
        if (c->wrong++ == 0) {
            c->first = i;
            c->got = got;
            c->want = want;
            c->bound = bound;
        }
    }
    if (!(error <= c->worst))
        c->worst = error;
}

const struct embedded *kernel_code(const struct family *f, const struct rung *r, u32 bx, u32 by)
{
    for (u32 i = 0; i < kernel_embedded_count; i++) {
        const struct embedded *e = &kernel_embedded[i];
        if (e->broken != r->broken || strcmp(e->rung, r->name) != 0 || strcmp(e->family, f->name) != 0)
            continue;
        if (e->tile_x == 0 || (e->tile_x == bx && e->tile_y == by))
            return e;
    }
    return NULL;
}
