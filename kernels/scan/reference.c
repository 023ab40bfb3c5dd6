/* reference.c of scan - prefix sums modulo 2^32, exact. */
#include "kernels/families.h"
#include "kernels/scan/columns.h"

void scan_check(const struct outcome *o, struct check *c)
{
    const u32 *in = o->before[0], *out = o->after[1];
    const struct columns *own = o->rung->columns;
    const u64 part = (u64)o->shape->bx * own->per_thread;
    u32 sum = 0;
    for (u64 i = 0; i < o->shape->n; i++) {
        if (own->reach == A_BLOCK && i % part == 0)
            sum = 0;
        const u32 before = sum;
        sum += in[i];
        check_element(c, i, out[i], own->tree ? before : sum, 0);
    }
}
