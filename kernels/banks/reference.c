/* reference.c of banks - which thread's number each thread must read. */
#include <string.h>

#include "kernels/families.h"

/* Rungs that load where they stored give every thread its own number back. */
static bool identity(const struct rung *r)
{
    return strcmp(r->kernel, "setRowReadRow") == 0 || strncmp(r->kernel, "setColReadCol", 13) == 0;
}

/* The others load the word in row `i % by` and column `i / by` of the tile, which thread (column, row) stored. */
static u32 transposed(u32 i, const struct shape *s)
{
    return i % s->by * s->bx + i / s->by;
}

void banks_check(const struct outcome *o, struct check *c)
{
    const struct shape *s = o->shape;
    const i32 *out = o->after[0];
    for (u32 i = 0; i < s->bx * s->by; i++)
        check_element(c, i, out[i], identity(o->rung) ? i : transposed(i, s), 0);
}
