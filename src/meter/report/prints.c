/* prints.c - what is printed is read off the code: the format of a call is a constant, whose register one instruction makes. Where it
 * is not found (a format that the program computes), it is taken for a short one with an argument. */
#include "meter/report/prints.h"

#include <string.h>

#include "ir/ir.h"

enum { UNKNOWN_LENGTH = 20, UNKNOWN_ARGUMENTS = 1, STEPS = 4 };

static bool calls_printf(const struct ptx_inst *i)
{
    for (u32 k = 0; i->op == OP_CALL && k < i->noperands; k++)
        if (i->operands[k].kind == PTX_FUNC)
            return !strcmp(i->operands[k].func->name, "vprintf");
    return false;
}

/* The operand that the instruction stores as a call's first parameter; NULL: it does not. */
static const struct ptx_operand *first_parameter(const struct ptx_inst *i, const struct ptx_inst *call)
{
    const struct ptx_operand *list = NULL, *to = i->operands;
    for (u32 k = 0; k < call->noperands; k++) /* the last list: results stand before the function */
        list = call->operands[k].kind == PTX_LIST ? &call->operands[k] : list;
    const bool stores = i->op == OP_ST && i->space == SPACE_PARAM && i->noperands == 2 && to->kind == PTX_ADDR;
    const bool first = stores && list && list->n && list->elems[0].kind == PTX_VAR && to->elems[0].kind == PTX_VAR &&
                       to->elems[0].var == list->elems[0].var;
    return first ? &i->operands[1] : NULL;
}

/* The last instruction before `at` that writes the register; NULL: there is none. */
static const struct ptx_inst *maker_of(const struct ptx_func *f, u32 at, const struct ptx_var *reg)
{
    while (at-- > 0) {
        const struct ptx_operand *to = f->insts[at].operands;
        if (f->insts[at].noperands == 2 && to->role == PTX_DEST && to->kind == PTX_REG && to->var == reg)
            return &f->insts[at];
    }
    return NULL;
}

/* The string that the operand is the address of; NULL: not known. */
static const struct ptx_var *string_of(const struct ptx_func *f, u32 at, const struct ptx_operand *o)
{
    for (u32 k = 0; o && k < STEPS && o->kind == PTX_REG; k++) {
        const struct ptx_inst *maker = maker_of(f, at, o->var);
        if (!maker || (maker->op != OP_MOV && maker->op != OP_CVTA))
            return NULL;
        at = (u32)(maker - f->insts);
        o = &maker->operands[1];
    }
    return o && o->kind == PTX_VAR && o->var->init && o->var->size && !o->offset ? o->var : NULL;
}

static const struct ptx_var *format_of(const struct ptx_func *f, u32 call)
{
    for (u32 at = call; at-- > 0 && !calls_printf(&f->insts[at]);) {
        const struct ptx_operand *o = first_parameter(&f->insts[at], &f->insts[call]);
        if (o)
            return string_of(f, at, o);
    }
    return NULL;
}

/* Conversions, and widths and precisions that are arguments. */
static u32 arguments_of(const char *format, u32 length)
{
    u32 n = 0;
    for (u32 k = 0; k < length; k++) {
        if (format[k] != '%')
            continue;
        for (k++; k < length && strchr("#0- +.*123456789", format[k]); k++)
            n += format[k] == '*';
        n += k < length && format[k] != '%';
    }
    return n;
}

static void add_call(struct device_print *p, const struct ptx_func *f, u32 call, const struct exec_block_count *b)
{
    const struct ptx_var *v = format_of(f, call);
    const u32 length = v ? (u32)strnlen((const char *)v->init, v->size) : UNKNOWN_LENGTH;
    const u32 arguments = v ? arguments_of((const char *)v->init, length) : UNKNOWN_ARGUMENTS;
    device_print_add(p, (double)b->warps, (double)b->threads, length, arguments);
}

void prints_add(struct device_print *p, const struct ir_func *f, const struct exec_block_count *blocks)
{
    for (u32 b = 0; b < f->nblocks; b++)
        for (u32 s = f->blocks[b].first; blocks[b].warps && s < f->blocks[b].end; s++)
            if (calls_printf(&f->src->insts[s]))
                add_call(p, f->src, s, &blocks[b]);
}

void prints_events(const struct device_print *p, double held, u64 n[EVENT_COUNT])
{
    const struct device_print_traffic t = device_print_traffic(p, held);
    n[EVENT_l2_writes] += t.writes;
    n[EVENT_l2_far_writes] += t.far_writes;
    n[EVENT_l2_atoms] += t.atoms;
    n[EVENT_l2_far_atoms] += t.far_atoms;
    n[EVENT_l2_beside] += t.beside;
    n[EVENT_l2_beside_reads] += t.beside_reads;
    n[EVENT_dram_reads] += t.dram_reads;
}
