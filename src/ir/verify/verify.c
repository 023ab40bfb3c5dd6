/* verify.c - what lowering promises the engine, as code: debug builds ask after every function.
 *
 * The engine trusts its records: a body asks nothing of its operands, a branch nothing of its target. So each promise
 * that a pass makes is a rule here, found again from the PTX and from the function alone and not from the state of the
 * pass that made it. Poisoned functions never run and are not looked at. */
#include <stdarg.h>
#include <stdio.h>

#include "ir/verify/verify.h"

bool verify_broken(struct verify *v, u32 site, const char *fmt, ...)
{
    char text[128];
    va_list ap;
    if (*v->why)
        return false;
    va_start(ap, fmt);
    int n = snprintf(v->why, v->size, "function %s: ", v->f->name);
    if (n >= 0 && (size_t)n < v->size)
        n += vsnprintf(v->why + n, v->size - (size_t)n, fmt, ap);
    va_end(ap);
    if (site < v->src->ninsts && n >= 0 && (size_t)n < v->size) {
        ptx_print_inst(&v->src->insts[site], text, sizeof text);
        snprintf(v->why + n, v->size - (size_t)n, ", instruction %u: %s", (unsigned)site, text);
    }
    return false;
}

bool ir_verify(const struct ir_func *f, const struct ir_target *target, char *why, size_t size)
{
    struct verify v = {.f = f, .src = f->src, .target = target, .why = why, .size = size};
    *why = 0;
    if (f->poison)
        return true;
    bool sound = verify_blocks(&v) && verify_dominators(&v) && verify_frame(&v) && verify_slots(&v);
    for (unsigned shape = 0; shape < IR_NSHAPES && sound; shape++)
        sound = verify_records(&v, shape);
    return sound;
}
