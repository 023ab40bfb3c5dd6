/* reference.c of constant - the sum in double. A float goes through 16 additions of words of 1 to 2: the partial sums stay
 * below |x| + 32, so the error is at most g (|x| + 32) with g = 16 u / (1 - 16 u), u = 2^-24 (Higham, Accuracy and
 * Stability of Numerical Algorithms, section 4.2). A word too few or too many is off by 1 at least. */
#include <math.h>

#include "kernels/constant/columns.h"
#include "kernels/families.h"

static u32 index_of(enum spread spread, u32 j, u32 lane)
{
    if (spread == ALL_DIFFERENT)
        return (32 * j + lane) % CONSTANT_TABLE;
    return 16 * j + (spread == TWO_WAY ? lane / 16 : 0);
}

void constant_check(const struct outcome *o, struct check *c)
{
    const f32 *in = o->before[0], *out = o->after[1], *table = constant_table();
    const double u = 0x1p-24, g = 16 * u / (1 - 16 * u);
    for (u64 i = 0; i < o->shape->n; i++) {
        double want = in[i];
        for (u32 j = 0; j < 16; j++)
            want += table[index_of(o->rung->columns->spread, j, (u32)(i % o->shape->bx % 32))];
        check_element(c, i, out[i], want, g * (fabs(in[i]) + 32));
    }
}
