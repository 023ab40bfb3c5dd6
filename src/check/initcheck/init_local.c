/* init_local.c - which registers point into a thread's local memory, where code is not optimised and names no space:
 * what is computed from the stack pointer or a local variable's address by moves and additions. */
#include "check/initcheck/initcheck.h"

static bool holds(const u64 *set, u32 r) { return set[r / 64] >> (r % 64) & 1; }

bool init_is_local(const u64 *registers, const struct ptx_operand *o)
{
    if (o->kind == PTX_VAR)
        return o->var->space == SPACE_LOCAL;
    return o->kind == PTX_REG &&
           (holds(registers, o->var->index) || !strcmp(o->var->name, "%SP") || !strcmp(o->var->name, "%SPL"));
}

static bool computes_address(const struct ptx_inst *i)
{
    return (i->op == OP_MOV || i->op == OP_ADD || i->op == OP_OR || i->op == OP_CVTA) && i->noperands > 1 &&
           i->operands[0].kind == PTX_REG;
}

static bool from_local(const u64 *set, const struct ptx_inst *i)
{
    for (unsigned k = 1; k < i->noperands; k++)
        if (init_is_local(set, &i->operands[k]))
            return true;
    return false;
}

u64 *init_local_registers(struct arena *mem, const struct ptx_func *f)
{
    u64 *set = arena_array(mem, u64, f->nregs / 64 + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 s = 0; s < f->ninsts; s++) {
            const struct ptx_inst *i = &f->insts[s];
            if (!computes_address(i) || holds(set, i->operands[0].var->index) || !from_local(set, i))
                continue;
            set[i->operands[0].var->index / 64] |= (u64)1 << i->operands[0].var->index % 64;
            changed = true;
        }
    }
    return set;
}
