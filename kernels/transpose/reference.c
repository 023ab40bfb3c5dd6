/* reference.c of transpose - every element in its place, bit for bit (copyGmem and copyCol copy). */
#include "kernels/families.h"
#include "kernels/transpose/columns.h"

void transpose_check(const struct outcome *o, struct check *c)
{
    const struct shape *s = o->shape;
    const f32 *out = o->after[0], *in = o->before[1];
    const bool copy = o->rung->columns->copy;
    for (u64 row = 0; row < s->rows; row++)
        for (u64 col = 0; col < s->cols; col++) {
            u64 from = row * s->cols + col, to = copy ? from : col * s->rows + row;
            check_element(c, to, out[to], in[from], 0);
        }
}
