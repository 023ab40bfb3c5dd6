/* node_constants.c - loads of constants at known places, from compute capability 9.0 on. Before, they are operands of what uses them.
 *
 * Two words at a time go to uniform registers (ULDC). An instruction has one operand that is no register of a lane (an immediate, a constant, a
 * uniform register), so a constant of which some reader has another one goes to a lane's (LDC). Of two constants of one reader that is the second one. */
#include "meter/code/estimate/build.h"

enum { WIDEST = 8 }; /* bytes of a load */

/* What is in a constant bank at a known place. */
bool build_is_constant(struct build *b, const struct ptx_inst *i)
{
    if (i->op != OP_LD || i->space != SPACE_CONST || i->operands[1].kind != PTX_ADDR)
        return false;
    const struct ptx_operand *base = &i->operands[1].elems[0];
    return base->kind == PTX_VAR || (base->kind == PTX_REG && build_value(b, base->var->index)->known);
}

/* ---- who reads it ---- */

/* The only instruction that writes a register; NULL: there are more, or none. */
static const struct ptx_inst *writer_of(const struct build *b, const struct ptx_var *reg)
{
    const struct ptx_inst *found = NULL;
    for (u32 s = 0; s < b->f->src->ninsts; s++) {
        const struct ptx_inst *i = &b->f->src->insts[s];
        const bool writes = i->noperands && i->operands[0].kind == PTX_REG && i->operands[0].var == reg;
        if (writes && found)
            return NULL;
        found = writes ? i : found;
    }
    return found;
}

/* A product with an immediate, which becomes a part of each sum that reads it, wherever that is. */
static bool is_product(const struct build *b, const struct ptx_operand *o)
{
    const struct ptx_inst *i = o->kind == PTX_REG ? writer_of(b, o->var) : NULL;
    return i && i->op == OP_MUL && build_type(i) == PTX_F32 && i->noperands == 3 && !i->guard &&
           i->operands[2].kind == PTX_IMM && !ptx_has(i, MOD_RN);
}

static bool writes(const struct ptx_inst *i, const struct ptx_var *reg)
{
    for (u32 k = 0; i->noperands && k < i->operands[0].n; k++)
        if (i->operands[0].elems[k].kind == PTX_REG && i->operands[0].elems[k].var == reg)
            return true;
    return i->noperands && i->operands[0].kind == PTX_REG && i->operands[0].var == reg;
}

/* A constant of the same block, loaded before `site`. */
static bool is_constant(struct build *b, const struct ptx_operand *o, u32 site)
{
    for (u32 s = b->f->blocks[b->block].first; o->kind == PTX_REG && s < site; s++)
        if (writes(&b->f->src->insts[s], o->var) && build_is_constant(b, &b->f->src->insts[s]))
            return true;
    return false;
}

/* i reads a register, and has another operand that is none of a lane; or it reads it twice. */
static bool has_another(struct build *b, const struct ptx_inst *i, const struct ptx_var *reg, u32 site)
{
    const bool sum = (i->op == OP_ADD || i->op == OP_SUB) && build_type(i) == PTX_F32 && !ptx_has(i, MOD_RN);
    u32 reads = 0, others = 0;
    for (u32 k = 1; k < i->noperands; k++)
        reads += i->operands[k].kind == PTX_REG && i->operands[k].var == reg;
    for (u32 k = 1; reads && k < i->noperands; k++) {
        const struct ptx_operand *o = &i->operands[k];
        const bool is = o->kind == PTX_REG && o->var == reg;
        others += !is && (o->kind == PTX_IMM || is_constant(b, o, site) || (sum && is_product(b, o)));
    }
    return reads && reads + others > 1;
}

static bool is_read_with_another(struct build *b, u32 site, const struct ptx_var *reg)
{
    for (u32 s = site + 1; s < b->f->blocks[b->block].end; s++) {
        if (has_another(b, &b->f->src->insts[s], reg, site))
            return true;
        if (writes(&b->f->src->insts[s], reg))
            break;
    }
    return false;
}

/* Some reader of what a load fills from word `first` on, as far as one instruction loads. */
static bool needs_register(struct build *b, u32 site, u32 first, u32 end)
{
    const struct ptx_operand *to = &b->f->src->insts[site].operands[0];
    if (to->kind == PTX_REG)
        return is_read_with_another(b, site, to->var);
    for (u32 k = first; k < end && k < to->n; k++)
        if (to->elems[k].kind == PTX_REG && is_read_with_another(b, site, to->elems[k].var))
            return true;
    return false;
}

/* ---- loads ---- */

/* Where a variable stands in the bank: they follow each other. */
static u64 start_of(const struct build *b, const struct ptx_var *var)
{
    const struct ptx_module *m = b->f->mod;
    u64 at = 0;
    for (u32 k = 0; k < m->nvars; k++) {
        if (m->vars[k]->space != SPACE_CONST)
            continue;
        const u64 align = m->vars[k]->align ? m->vars[k]->align : 1;
        at = (at + align - 1) / align * align;
        if (m->vars[k] == var)
            return at;
        at += m->vars[k]->size;
    }
    return 0;
}

/* The variable that a register is set to. */
static const struct ptx_var *variable_in(const struct build *b, const struct ptx_var *reg)
{
    for (u32 s = 0; s < b->f->src->ninsts; s++) {
        const struct ptx_inst *i = &b->f->src->insts[s];
        if (i->op == OP_MOV && i->operands[0].kind == PTX_REG && i->operands[0].var == reg &&
            i->operands[1].kind == PTX_VAR)
            return i->operands[1].var;
    }
    return NULL;
}

/* Which line of the bank a load names, so many bytes behind its address. */
static u16 line_of(struct build *b, u32 site, u32 behind)
{
    const struct ptx_operand *o = &b->f->src->insts[site].operands[1], *base = &o->elems[0];
    const bool named = base->kind == PTX_VAR;
    const struct ptx_var *var = named ? base->var : variable_in(b, base->var);
    const i64 steps = named ? 0 : build_value(b, base->var->index)->offset;
    return constant_line(CONSTANT_VARIABLES, (u32)(start_of(b, var) + (u64)steps + (u64)o->offset + behind));
}

static u32 add_load(struct build *b, u32 site, u32 behind, bool in_register)
{
    const u32 node = build_unit(b, in_register ? 'k' : 'u', site);
    b->g->nodes.at[node].inst.constant = true;
    b->g->nodes.at[node].inst.constant_line = line_of(b, site, behind);
    return node;
}

/* Some part of the wider load that this one leads. */
static bool parts_need_register(struct build *b, u32 leader)
{
    bool any = false;
    for (u32 s = b->f->blocks[b->block].first; s < b->f->blocks[b->block].end && !any; s++)
        any = b->merged[s].leader == leader + 1 && needs_register(b, s, 0, 1);
    return any;
}

/* Which of a load's instructions fill a lane's registers, a bit each. The same in all turns of a loop. */
static u32 in_registers(struct build *b, u32 site, u32 bytes, u32 all)
{
    enum { KNOWN = 0x80 };
    u8 *bits = &b->constants[site];
    const u32 together = bytes < WIDEST ? WIDEST / bytes : 1;
    for (u32 at = 0; !(*bits & KNOWN) && at < all; at += WIDEST)
        if (b->merged[site].leader ? parts_need_register(b, site)
                                   : needs_register(b, site, at / bytes, at / bytes + together))
            *bits |= (u8)(1u << at / WIDEST);
    *bits |= KNOWN;
    return *bits;
}

/* A load that is a part of a wider one: the first part in the text has it. */
static struct value load_part(struct build *b, u32 site)
{
    const u32 leader = b->merged[site].leader - 1;
    struct merged *m = &b->merged[leader];
    if (m->seen++ == 0)
        m->node = add_load(b, site, 0, in_registers(b, leader, WIDEST, WIDEST) & 1);
    if (m->seen == m->parts)
        m->seen = 0;
    return build_result(b, m->node);
}

struct value build_constant(struct build *b, u32 site, const struct value *needs)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const u32 bytes = ptx_type_bits(build_type(i)) / 8, all = bytes * ptx_vec_count(i);
    struct value result = *needs;
    if (b->gpu->cc_major < 9 || (b->e->sites[site].follows && !b->merged[site].leader)) {
        result.constant = b->gpu->cc_major < 9;
        return result;
    }
    if (b->merged[site].leader)
        result = load_part(b, site);
    else {
        result = (struct value){.base = b->bases++};
        for (u32 at = 0; at < all; at += WIDEST)
            value_add(b, &result, add_load(b, site, at, in_registers(b, site, bytes, all) >> at / WIDEST & 1));
    }
    for (u32 k = 0; k < result.n; k++)
        result.varies |= b->g->nodes.at[result.source[k]].inst.pipe != PIPE_UNIFORM;
    return result;
}
