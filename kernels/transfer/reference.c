/* reference.c of transfer - sums in double.
 *
 * A sum rounds once: the result is a + b within u |a + b|, u = 2^-24. (a + b) + b rounds twice: the first error goes
 * into the second sum whole, and that one's is u times what it rounds: u |a + b| + u (|a + 2 b| + u |a + b|). */
#include <math.h>

#include "kernels/families.h"
#include "kernels/transfer/columns.h"

void transfer_check(const struct outcome *o, struct check *c)
{
    const double u = 0x1p-24;
    const f32 *a = o->before[0], *b = o->before[1], *out = o->after[2];
    const bool twice = o->rung->columns->twice;
    for (u64 i = 0; i < o->shape->n; i++) {
        const double once = (double)a[i] + (double)b[i], sum = once + (double)b[i], first = u * fabs(once);
        if (twice)
            check_element(c, i, out[i], sum, first + u * (fabs(sum) + first));
        else
            check_element(c, i, out[i], once, first);
    }
}
