/* reference.c of scan - prefix sums modulo 2^32, exact. */
#include <string.h>

#include "kernels/families.h"

void scan_check(const struct outcome *o, struct check *c)
{
    const u32 *in = o->before[0], *out = o->after[1];
    const bool whole = strncmp(o->rung->name, "scan_", 5) == 0;
    const bool exclusive = strncmp(o->rung->name, "block_Blelloch", 14) == 0;
    const u64 part = (u64)o->shape->bx * o->rung->unroll;
    u32 sum = 0;
    for (u64 i = 0; i < o->shape->n; i++) {
        if (!whole && i % part == 0)
            sum = 0;
        const u32 before = sum;
        sum += in[i];
        check_element(c, i, out[i], exclusive ? before : sum, 0);
    }
}
