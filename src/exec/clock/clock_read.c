/* clock_read.c - which functions read a clock: the special registers that change while a kernel runs are all clocks. */
#include "exec/clock/clock.h"

static bool is_clock(const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_SREG:
        return ptx_sreg_rows[o->sreg].scope == SREG_SCOPE_MOVING;
    case PTX_VEC: /* packed by a mov */
        for (unsigned k = 0; k < o->n; k++)
            if (is_clock(&o->elems[k]))
                return true;
        return false;
    default:
        return false;
    }
}

bool clock_is_read(const struct ptx_func *f)
{
    for (u32 s = 0; s < f->ninsts; s++)
        for (unsigned k = 0; k < f->insts[s].noperands; k++)
            if (is_clock(&f->insts[s].operands[k]))
                return true;
    return false;
}
