/* selects.c - selections that ptxas makes a part of what they choose from, where no ptxas is asked.
 *
 *     selp of two constants, and add   of 32 bits: the sum with one of them, and under the predicate the sum with the other one
 *     add, mul, fma and selp           of floats: the operation under the predicate, if the other value is not read again
 *     setp and selp of 1 and 0         of floats are one FSET
 *
 * `s += a == b` and `if (a < b) s += c` are written like this. Nothing but the one reads the other one's result. What ptxas 13.0 makes of loops for
 * sm_90; it keeps selections from integers' sums. */
#include "ir/pass.h"
#include "meter/rules.h"

enum { NOBODY = UINT32_MAX, SEVERAL = UINT32_MAX - 1, FLOAT_ONE = 0x3f800000 };

struct selector {
    const struct ir_func *f;
    u32 *writer, *reads; /* by register: the site that writes it, or NOBODY, SEVERAL; how often it is read */
    u32 site;
};

static void note(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct selector *s = ctx;
    if (!is_write)
        s->reads[reg->index]++;
    else
        s->writer[reg->index] = s->writer[reg->index] == NOBODY ? s->site : SEVERAL;
}

static struct selector make_selector(struct arena *mem, const struct ir_func *f)
{
    const u32 nregs = f->src->nregs + 1;
    struct selector s = {f, arena_array(mem, u32, nregs), arena_array(mem, u32, nregs), 0};
    for (u32 r = 0; r < nregs; r++)
        s.writer[r] = NOBODY;
    for (s.site = 0; s.site < f->src->ninsts; s.site++)
        ir_each_reg(&f->src->insts[s.site], note, &s);
    return s;
}

static enum ptx_type type_of(const struct ptx_inst *i) { return i->ntypes ? (enum ptx_type)i->types[0] : PTX_NONE; }

static bool is_selection(const struct ptx_inst *i)
{
    return i->op == OP_SELP && i->noperands == 4 && !i->guard && i->operands[0].kind == PTX_REG &&
           ptx_type_bits(type_of(i)) == 32;
}

/* The site in the same block, before `site`, that makes the operand, which nothing else reads; or NOBODY. */
static u32 maker_of(const struct selector *s, const struct ptx_operand *o, u32 site)
{
    if (o->kind != PTX_REG || s->reads[o->var->index] != 1)
        return NOBODY;
    const u32 from = s->writer[o->var->index];
    return from < site && s->f->block_of_site[from] == s->f->block_of_site[site] ? from : NOBODY;
}

/* ---- sums of constants ---- */

static bool is_sum(const struct ptx_inst *i)
{
    return i->op == OP_ADD && i->noperands == 3 && !i->guard && ptx_type_bits(type_of(i)) == 32 &&
           !ptx_type_float(type_of(i)) && !ptx_has(i, MOD_CC) && !ptx_has(i, MOD_SAT);
}

static bool is_of_constants(const struct ptx_inst *i)
{
    return is_selection(i) && i->operands[1].kind == PTX_IMM && i->operands[2].kind == PTX_IMM;
}

void estimate_selected_sums(struct arena *mem, const struct ir_func *f, struct site_estimate *sites)
{
    const struct selector s = make_selector(mem, f);
    for (u32 site = 0; site < f->src->ninsts; site++) {
        const struct ptx_inst *i = &f->src->insts[site];
        for (u32 k = 1; is_sum(i) && k < i->noperands && !sites[site].selects; k++) {
            const u32 from = maker_of(&s, &i->operands[k], site);
            if (from == NOBODY || !is_of_constants(&f->src->insts[from]))
                continue;
            sites[site].selects = true;
            sites[site].weight = 2;
            sites[from].weight = 0;
        }
    }
}

/* ---- floats ---- */

static bool is_operation(const struct ptx_inst *i)
{
    return (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_FMA) && type_of(i) == PTX_F32 &&
           !i->guard;
}

struct touched {
    const struct ptx_var *reg;
    u32 reads, writes;
};

static void count(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct touched *t = ctx;
    t->reads += reg == t->reg && !is_write;
    t->writes += reg == t->reg && is_write;
}

/* The register of the other value can be the result's: nothing reads it behind the selection before it is written again. */
static bool is_overwritten(const struct selector *s, u32 site, const struct ptx_operand *other)
{
    const struct ir_block *b = &s->f->blocks[s->f->block_of_site[site]];
    struct touched t = {.reg = other->kind == PTX_REG ? other->var : NULL};
    for (u32 k = b->first; k <= site; k++)
        ir_each_reg(&s->f->src->insts[k], count, &t);
    const bool last = t.reg && t.reads == s->reads[t.reg->index];
    struct touched behind = {.reg = s->f->src->insts[site].operands[0].var == t.reg ? NULL : t.reg};
    for (u32 k = site + 1; k < b->end && !behind.reads && !behind.writes; k++)
        ir_each_reg(&s->f->src->insts[k], count, &behind);
    return t.reg && (last || !behind.reg || (behind.writes && !behind.reads));
}

/* The machine instruction stands where the selection does, as it needs the predicate. */
static bool take_operation(const struct selector *s, u32 site, struct site_estimate *sites)
{
    const struct ptx_inst *i = &s->f->src->insts[site];
    for (u32 k = 1; k < 3; k++) {
        const u32 from = maker_of(s, &i->operands[k], site);
        if (from == NOBODY || sites[from].weight != 1 || !is_operation(&s->f->src->insts[from]) ||
            !is_overwritten(s, site, &i->operands[3 - k]))
            continue;
        sites[from].weight = 0;
        sites[site].selects = true;
        sites[site].fused = sites[from].fused;
        sites[site].event = sites[from].event;
        return true;
    }
    return false;
}

static bool is_one_or_zero(const struct ptx_inst *i)
{
    const struct ptx_operand *a = &i->operands[1], *b = &i->operands[2];
    return type_of(i) == PTX_F32 && a->kind == PTX_IMM && b->kind == PTX_IMM &&
           ((a->bits == FLOAT_ONE && !b->bits) || (b->bits == FLOAT_ONE && !a->bits));
}

static void take_comparison(const struct selector *s, u32 site, struct site_estimate *sites)
{
    const u32 from = maker_of(s, &s->f->src->insts[site].operands[3], site);
    const struct ptx_inst *in = from == NOBODY ? NULL : &s->f->src->insts[from];
    if (in && in->op == OP_SETP && type_of(in) == PTX_F32 && in->noperands == 3 && !in->guard)
        sites[from].weight = 0;
}

void estimate_selected_floats(struct arena *mem, const struct ir_func *f, struct site_estimate *sites)
{
    const struct selector s = make_selector(mem, f);
    for (u32 site = 0; site < f->src->ninsts; site++) {
        const struct ptx_inst *i = &f->src->insts[site];
        if (is_selection(i) && !take_operation(&s, site, sites) && is_one_or_zero(i))
            take_comparison(&s, site, sites);
    }
}
