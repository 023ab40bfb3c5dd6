/* sass_text.c - a machine instruction as text, of what its bits are known to mean: sass_ops.def has no operands. */
#include "meter/sass/sass.h"
#include "model/replay/code.h"

const char *sass_pipe_name(u32 pipe)
{
    static const char *const names[PIPE_COUNT] = {
        [PIPE_NONE] = "none",     [PIPE_FMA] = "fma",         [PIPE_FMAHEAVY] = "fmaheavy", [PIPE_ALU] = "alu",
        [PIPE_FP16] = "fp16",     [PIPE_FP16_MMA] = "fp16",   [PIPE_FP64] = "fp64",         [PIPE_XU] = "xu",
        [PIPE_TENSOR] = "tensor", [PIPE_UNIFORM] = "uniform", [PIPE_BRANCH] = "branch",     [PIPE_ADU] = "adu",
        [PIPE_LSU] = "lsu",       [PIPE_TEX] = "tex",
    };
    return pipe < PIPE_COUNT ? names[pipe] : "none";
}

/* Bits 12 to 14: the predicate, 7 is always true; bit 15: not. */
static const char *guard_of(struct arena *mem, u64 low)
{
    enum { ALWAYS = 7 };
    const u32 predicate = (u32)(low >> 12 & 7), not = (u32)(low >> 15 & 1);
    if (predicate == ALWAYS)
        return not ? "@!PT " : "";
    return arena_printf(mem, "@%sP%u ", not? "!" : "", predicate);
}

const char *sass_text(struct arena *mem, const struct sass_func *f, u32 inst, u32 cc_major)
{
    enum { WORD = 4 };
    const struct sass_inst *i = &f->insts[inst];
    const struct sass_row *row = sass_row_of(i->low, cc_major);
    const char *guard = guard_of(mem, i->low), *name = row ? row->name : "?";
    if (i->bytes && i->bytes != WORD)
        return arena_printf(mem, "%s%s.%u", guard, name, i->bytes * 8u);
    if (i->target >= 0)
        return arena_printf(mem, "%s%s 0x%x", guard, name, (u32)i->target * SASS_BYTES);
    return arena_printf(mem, "%s%s", guard, name);
}
