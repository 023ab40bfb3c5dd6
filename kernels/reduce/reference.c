/* reference.c of reduce - the sum of each block's part, exact in 64-bit integers. */
#include "kernels/families.h"

void reduce_check(const struct rung *r, const struct shape *s, const void *const before[PLAN_BUFFERS],
                  const void *output, struct check *c)
{
    const i32 *in = before[0], *out = output;
    u64 part = (u64)s->bx * r->unroll;
    for (u64 block = 0; block * part < s->n; block++) {
        i64 sum = 0;
        for (u64 i = block * part; i < s->n && i < (block + 1) * part; i++)
            sum += in[i];
        check_element(c, block, out[block], (double)sum, 0);
    }
}
