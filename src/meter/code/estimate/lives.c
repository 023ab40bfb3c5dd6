/* lives.c - what ptxas keeps in a lane's registers (lives.h). */
#include "meter/code/estimate/lives.h"

#include "ir/pass.h"
#include "meter/code/estimate/unroll.h"

/* ---- widths ---- */

/* Of 16-bit factors that wmma.load fills eight registers with: as many as a factor's rows or columns need. The others have what these have. */
static u32 factor_registers(const struct ptx_inst *i)
{
    if (ptx_has(i, MOD_M16N16K16))
        return 4;
    return ptx_has(i, MOD_A) == ptx_has(i, MOD_M32N8K16) ? 8 : 2;
}

static bool *find_doubles(struct arena *mem, const struct ir_func *f)
{
    bool *doubles = arena_array(mem, bool, f->src->nregs + 1);
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        if (i->op != OP_WMMA_LOAD || i->types[0] != PTX_F16 || (!ptx_has(i, MOD_A) && !ptx_has(i, MOD_B)))
            continue;
        for (u32 k = factor_registers(i); k < i->operands[0].n; k++)
            if (i->operands[0].elems[k].kind == PTX_REG)
                doubles[i->operands[0].elems[k].var->index] = true;
    }
    return doubles;
}

static u8 *find_widths(struct arena *mem, const struct ir_func *f, const bool *varying, const bool *doubles)
{
    u8 *width = arena_array(mem, u8, f->src->nregs + 1);
    for (u32 r = 0; r < f->src->nregs; r++) {
        const enum ptx_type t = f->src->regs[r]->type;
        const u32 bits = ptx_type_bits(t);
        width[r] = t == PTX_PRED || !varying[r] || doubles[r] ? 0 : bits <= 32 ? 1 : (u8)(bits / 32);
    }
    return width;
}

/* ---- bases of addresses ---- */

const struct ptx_var *lives_base(const struct lives *l, const struct ir_func *f, const struct estimate *e, u32 site)
{
    const struct ptx_inst *i = &f->src->insts[site];
    if (i->op != OP_ADD || !e->sites[site].product || !f->blocks[f->block_of_site[site]].loop_depth ||
        i->operands[0].kind != PTX_REG || !l->varying[i->operands[0].var->index])
        return NULL;
    for (u32 k = 1; k < 3; k++)
        if (i->operands[k].kind == PTX_REG && !l->varying[i->operands[k].var->index])
            return i->operands[k].var;
    return NULL;
}

/* Registers that are a parameter, a copy of one, or a multiple: its factor is a parameter then. */
static bool *find_parameters(struct arena *mem, const struct ir_func *f)
{
    bool *is = arena_array(mem, bool, f->src->nregs + 1);
    for (u32 s = 0; s < f->src->ninsts && f->src->is_entry; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        const bool load = i->op == OP_LD && i->space == SPACE_PARAM,
                   copy = (i->op == OP_CVTA || i->op == OP_MOV) && i->noperands == 2,
                   multiple = i->op == OP_MUL && ptx_has(i, MOD_WIDE) && i->operands[2].kind == PTX_IMM;
        const bool follows = copy || multiple; /* an instruction of any other kind may have no operands */
        if ((load || (follows && i->operands[1].kind == PTX_REG && is[i->operands[1].var->index])) &&
            i->operands[0].kind == PTX_REG)
            is[i->operands[0].var->index] = true;
    }
    return is;
}

/* Machine instructions by block, those of the bodies that are predicated into it among them. */
static u32 *find_lengths(struct arena *mem, const struct ir_func *f, const struct estimate *e)
{
    u32 *length = arena_array(mem, u32, f->nblocks + 1);
    for (u32 s = 0; s < f->src->ninsts; s++)
        length[e->counts_as[f->block_of_site[s]]] += e->sites[s].weight;
    return length;
}

/* Parameters are loaded again in the turns of long loops. */
static void hold_bases(struct arena *mem, struct lives *l, const struct ir_func *f, const struct estimate *e)
{
    enum { LONG = 28 };
    const u32 *length = find_lengths(mem, f, e);
    l->parameter = find_parameters(mem, f);
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const struct ptx_var *base = lives_base(l, f, e, s);
        const u32 head = e->counts_as[f->block_of_site[s]];
        if (base && (!l->parameter[base->index] || (length[head] < LONG && unroll_factor(f, head) == 1)))
            l->width[base->index] = 2;
    }
}

/* By block: an address has that base there. */
static bool is_base_in(const struct lives *l, const struct ir_func *f, const struct estimate *e, u32 reg, u32 block)
{
    for (u32 s = f->blocks[block].first; s < f->blocks[block].end; s++) {
        const struct ptx_var *base = lives_base(l, f, e, s);
        if (base && base->index == reg)
            return true;
    }
    return false;
}

/* It has a value in a loop where so many registers are taken, or not many fewer and it is of no use there. */
static bool is_crowded(const struct lives *l, const struct ir_func *f, const struct estimate *e, u32 reg,
                       const u32 *taken, u32 most)
{
    enum { LESS = 3 };
    for (u32 b = 0; b < f->nblocks; b++)
        if (f->blocks[b].loop_depth && taken[b] + LESS > most && lives_has(lives_into(l, b), reg) &&
            (taken[b] > most || !is_base_in(l, f, e, reg, b)))
            return true;
    return false;
}

bool lives_drop_parameters(struct lives *l, const struct ir_func *f, const struct estimate *e, const u32 *taken,
                           u32 most)
{
    bool any = false;
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const struct ptx_var *base = lives_base(l, f, e, s);
        if (!base || !l->parameter[base->index] || !l->width[base->index] ||
            !is_crowded(l, f, e, base->index, taken, most))
            continue;
        l->width[base->index] = 0;
        any = true;
    }
    return any;
}

/* ---- values that are others ---- */

static void count_write(void *ctx, const struct ptx_var *reg, bool is_write)
{
    u32 *writes = ctx;
    writes[reg->index] += is_write;
}

static void note_read(void *ctx, const struct ptx_var *reg, bool is_write)
{
    bool *read = ctx;
    read[reg->index] |= !is_write;
}

/* It makes a value 64 bits long. The lower half is the value itself; the upper one has a register where it is read: a sum with nothing else in
 * it takes the sign from the lower one (LEA.HI.X.SX32). */
static bool is_lengthened(const struct ptx_inst *i)
{
    return i->op == OP_CVT && i->ntypes == 2 && ptx_type_bits((enum ptx_type)i->types[0]) == 64 &&
           ptx_type_bits((enum ptx_type)i->types[1]) <= 32 && !ptx_type_float((enum ptx_type)i->types[0]) &&
           !ptx_type_float((enum ptx_type)i->types[1]);
}

/* A sum with a constant that has become a part of accesses, or an offset that has become one of sums (fuse.c). */
static bool is_part(const struct ptx_inst *i, const struct site_estimate *e)
{
    const bool three = i->noperands == 3 && !e->weight && !i->guard,
               sum = three && (i->op == OP_ADD || i->op == OP_SUB) && i->operands[2].kind == PTX_IMM,
               product = three && i->op == OP_MUL,
               shift = three && i->op == OP_SHL && i->operands[2].kind == PTX_IMM &&
                       ptx_type_bits((enum ptx_type)i->types[0]) == 64;
    return sum || product || shift;
}

static void keep(struct lives *l, const struct ir_func *f, u32 from, u32 to)
{
    for (u32 b = 0; b < f->nblocks; b++) {
        u64 *in = l->in + (size_t)b * l->words;
        if (lives_has(in, to))
            in[from / 64] |= (u64)1 << from % 64;
    }
}

/* Nothing that it reads has been replaced by something else already, so that none is replaced by itself. */
static bool comes_first(const struct lives *l, const struct ptx_inst *i)
{
    for (u32 k = 1; k < i->noperands; k++)
        if (i->operands[k].kind == PTX_REG &&
            (i->operands[k].var == i->operands[0].var || l->instead[2 * i->operands[k].var->index]))
            return false;
    return true;
}

/* It has no register: what it is made of is kept instead. */
static void replace(struct lives *l, const struct ir_func *f, const struct ptx_inst *i, bool upper)
{
    const u32 to = i->operands[0].var->index;
    l->width[to] = upper && is_lengthened(i) && ptx_type_signed((enum ptx_type)i->types[1]) && l->width[to];
    for (u32 k = 1; k < i->noperands; k++)
        if (i->operands[k].kind == PTX_REG) {
            l->instead[2 * to + k - 1] = 1 + i->operands[k].var->index;
            keep(l, f, i->operands[k].var->index, to);
        }
}

static void replace_all(struct arena *mem, struct lives *l, const struct ir_func *f, const struct estimate *e)
{
    u32 *writes = arena_array(mem, u32, f->src->nregs + 1);
    bool *upper = arena_array(mem, bool, f->src->nregs + 1);
    for (u32 s = 0; s < f->src->ninsts; s++) {
        ir_each_reg(&f->src->insts[s], count_write, writes);
        if (f->src->insts[s].op != OP_CVT && (f->src->insts[s].op != OP_ADD || e->sites[s].product))
            ir_each_reg(&f->src->insts[s], note_read, upper);
    }
    for (u32 s = f->src->ninsts; s-- > 0;) { /* of a sum's sum the last one first */
        const struct ptx_inst *i = &f->src->insts[s];
        if ((!is_lengthened(i) && !is_part(i, &e->sites[s])) || i->operands[0].kind != PTX_REG ||
            i->operands[1].kind != PTX_REG)
            continue;
        const u32 to = i->operands[0].var->index;
        if (writes[to] == 1 && comes_first(l, i))
            replace(l, f, i, upper[to]);
        else if (is_lengthened(i) && l->width[to])
            l->width[to] = 1;
    }
}

struct lives *lives_make(struct arena *mem, const struct ir_func *f, const struct estimate *e)
{
    struct lives *l = arena_new(mem, struct lives);
    const struct ir_liveness sets = ir_find_liveness(mem, f->src, f->blocks, f->nblocks);
    l->words = sets.words;
    l->in = sets.in;
    l->varying = lives_find_varying(mem, f);
    l->doubles = find_doubles(mem, f);
    l->width = find_widths(mem, f, l->varying, l->doubles);
    hold_bases(mem, l, f, e);
    l->predicate = arena_array(mem, bool, f->src->nregs + 1);
    for (u32 r = 0; r < f->src->nregs; r++)
        l->predicate[r] = f->src->regs[r]->type == PTX_PRED;
    l->place = arena_array(mem, u32, f->src->nregs + 1);
    l->instead = arena_array(mem, u32, 2 * (f->src->nregs + 1));
    replace_all(mem, l, f, e);
    return l;
}
