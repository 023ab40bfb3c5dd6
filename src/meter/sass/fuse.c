/* fuse.c - instructions that ptxas makes a part of the one which uses their result, where no ptxas is asked.
 *
 *     and, or, xor, not    of three values at most are one LOP3
 *     add, sub             of three values are one IADD3
 *     shl and add          of 32 bits are one LEA, of 64 two; a product of 32 bits and add one IMAD
 *     mul.wide and add     are one IMAD.WIDE, for each of several sums of the same product; so are those of 64 bits, after the two products
 *                          of lower with upper halves, with one more sum of the upper halves. mul.lo of 32 bits and add are one IMAD likewise
 *     mul.hi and mul.lo    of the same two values are one IMAD.WIDE
 *     mul.wide and shl     by constants are one product
 *     shr of 64 bits       by 32 is the upper register, by more one shift of it
 *     mul and add, sub     of floats without a rounding mode are one FFMA, DFMA, HFMA2
 *     cvt.sat              of floats is a modifier of the sum or product in front of it
 *     add of a constant    is a part of the accesses, if only addresses are made of it
 *     add and min, max     of 32 bits are one VIADDMNMX, min, max of three values one VIMNMX3, and max with 0 behind them a part of
 *                          both (.RELU): from compute capability 9.0 on
 *
 * The inner one is in the same block, nothing else uses its result, and neither has a guard. Of 64 bits both halves are. Of addresses (mul.wide or
 * shl of 64 bits, and add) and of mul.lo and add the inner one may be anywhere, and have several sums, if it has nothing else. */
#include "ir/pass.h"
#include "meter/rules.h"

/* CROSS_PRODUCTS: of a product of 64 bits, those of which only the lower halves count. */
enum { NOBODY = UINT32_MAX, SEVERAL = UINT32_MAX - 1, INPUTS_MAX = 3, CROSS_PRODUCTS = 2 };

struct fuser {
    const struct ir_func *f;
    u32 *writer, *reads; /* by register: the site that writes it, or NOBODY, SEVERAL; how often it is read */
    u32 *sums;           /* by register: how often it is read by a sum */
    u32 *bases;          /* by register: how often it is the base of an address */
    u8 *inputs;          /* by site: of what it has become, 0: nothing was put into it */
    u32 site;            /* that is looked at */
};

static void note(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct fuser *s = ctx;
    if (!is_write)
        s->reads[reg->index]++;
    else
        s->writer[reg->index] = s->writer[reg->index] == NOBODY ? s->site : SEVERAL;
}

static enum ptx_type type_of(const struct ptx_inst *i) { return i->ntypes ? (enum ptx_type)i->types[0] : PTX_NONE; }

static bool is_integer(const struct ptx_inst *i)
{
    const u32 bits = ptx_type_bits(type_of(i));
    return (bits == 32 || bits == 64) && !ptx_type_float(type_of(i)) && !i->guard;
}

static bool is_logic(const struct ptx_inst *i)
{
    return is_integer(i) && (i->op == OP_AND || i->op == OP_OR || i->op == OP_XOR || i->op == OP_NOT);
}

static bool is_sum(const struct ptx_inst *i)
{
    return is_integer(i) && (i->op == OP_ADD || i->op == OP_SUB) && !ptx_has(i, MOD_CC) && !ptx_has(i, MOD_SAT);
}

static bool is_scaled(const struct ptx_inst *i)
{
    return is_integer(i) && ptx_type_bits(type_of(i)) == 32 &&
           ((i->op == OP_SHL && i->operands[2].kind == PTX_IMM) || (i->op == OP_MUL && ptx_has(i, MOD_LO)));
}

static bool is_float(const struct ptx_inst *i)
{
    return ptx_type_float(type_of(i)) && !i->guard && !ptx_has(i, MOD_RN) && !ptx_has(i, MOD_RZ) &&
           !ptx_has(i, MOD_RM) && !ptx_has(i, MOD_RP) && !ptx_has(i, MOD_SAT);
}

static bool is_float_product(const struct ptx_inst *i) { return i->op == OP_MUL && is_float(i); }

/* ---- addresses ---- */

static bool is_address_sum(const struct ptx_inst *i)
{
    return i->op == OP_ADD && is_sum(i) && ptx_type_bits(type_of(i)) == 64;
}

static bool is_wide_product(const struct ptx_inst *i)
{
    return i->op == OP_MUL && ptx_has(i, MOD_WIDE) && is_integer(i);
}

/* Of 64 bits: IMAD.WIDE of the lower halves, and what the upper ones add. */
static bool is_long_product(const struct ptx_inst *i)
{
    return i->op == OP_MUL && ptx_has(i, MOD_LO) && is_integer(i) && ptx_type_bits(type_of(i)) == 64;
}

static bool is_wide_shift(const struct ptx_inst *i)
{
    return i->op == OP_SHL && i->operands[2].kind == PTX_IMM && ptx_type_bits(type_of(i)) == 64 && !i->guard;
}

static bool is_offset(const struct ptx_inst *i) { return is_wide_product(i) || is_wide_shift(i) || is_long_product(i); }

static void count_sums(struct fuser *s, const struct ptx_inst *i)
{
    for (u32 k = 1; k < i->noperands && i->op == OP_ADD && is_sum(i); k++)
        if (i->operands[k].kind == PTX_REG)
            s->sums[i->operands[k].var->index]++;
}

static void count_bases(struct fuser *s, const struct ptx_inst *i)
{
    for (u32 k = 0; k < i->noperands; k++)
        if (i->operands[k].kind == PTX_ADDR && i->operands[k].elems[0].kind == PTX_REG)
            s->bases[i->operands[k].elems[0].var->index]++;
}

/* `add r, s, 16` of which only addresses are made: accesses have the 16 in them, 24 bits of it. */
static bool is_place(const struct fuser *s, const struct ptx_inst *i)
{
    enum { MOST = 1 << 23 };
    if (i->operands[1].kind != PTX_REG || i->operands[2].kind != PTX_IMM || i->operands[0].kind != PTX_REG)
        return false;
    const u32 r = i->operands[0].var->index;
    const i64 by = ptx_type_bits(type_of(i)) == 32 ? (i32)i->operands[2].bits : (i64)i->operands[2].bits;
    return by < MOST && by > -MOST && s->writer[r] == s->site && s->bases[r] && s->bases[r] == s->reads[r];
}

/* The instruction that makes the operand, if that is an offset which nothing but sums reads; else NOBODY. */
static u32 offset_of(const struct fuser *s, const struct ptx_operand *o)
{
    const u32 reg = o->kind == PTX_REG ? o->var->index : 0, from = o->kind == PTX_REG ? s->writer[reg] : NOBODY;
    return from < SEVERAL && s->sums[reg] == s->reads[reg] && is_offset(&s->f->src->insts[from]) ? from : NOBODY;
}

/* True: it has taken in an offset. */
static bool fuse_address(struct fuser *s, const struct ptx_inst *i, struct site_estimate *sites)
{
    for (u32 k = 1; k < i->noperands && is_address_sum(i); k++) {
        const u32 from = offset_of(s, &i->operands[k]);
        if (from == NOBODY)
            continue;
        const bool lengthy = is_long_product(&s->f->src->insts[from]);
        sites[from].weight = lengthy ? CROSS_PRODUCTS : 0;
        sites[s->site].fused = true;
        sites[s->site].product = is_wide_product(&s->f->src->insts[from]) || sites[from].product || lengthy;
        sites[s->site].weight = sites[s->site].product && !lengthy ? 1 : 2;
        s->inputs[s->site] = INPUTS_MAX;
        return true;
    }
    return false;
}

/* ---- halves of a product ---- */

static bool is_half(const struct ptx_inst *i)
{
    return i->op == OP_MUL && is_integer(i) && ptx_type_bits(type_of(i)) == 32 &&
           (ptx_has(i, MOD_LO) || ptx_has(i, MOD_HI));
}

/* A constant that was put into a register is the constant. */
static const struct ptx_operand *value_of(const struct fuser *s, const struct ptx_operand *o)
{
    const u32 from = o->kind == PTX_REG ? s->writer[o->var->index] : NOBODY;
    const struct ptx_inst *i = from < SEVERAL ? &s->f->src->insts[from] : NULL;
    return i && i->op == OP_MOV && !i->guard && i->operands[1].kind == PTX_IMM ? &i->operands[1] : o;
}

static bool is_same(const struct fuser *s, const struct ptx_operand *a, const struct ptx_operand *b)
{
    const struct ptx_operand *x = value_of(s, a), *y = value_of(s, b);
    if (x->kind == PTX_IMM)
        return y->kind == PTX_IMM && (u32)x->bits == (u32)y->bits;
    return x->kind == PTX_REG && y->kind == PTX_REG && x->var == y->var && s->writer[x->var->index] != SEVERAL;
}

static bool are_halves(const struct fuser *s, const struct ptx_inst *i, const struct ptx_inst *other)
{
    const struct ptx_operand *a = i->operands, *b = other->operands;
    return is_half(other) && ptx_has(i, MOD_HI) != ptx_has(other, MOD_HI) &&
           ((is_same(s, &a[1], &b[1]) && is_same(s, &a[2], &b[2])) ||
            (is_same(s, &a[1], &b[2]) && is_same(s, &a[2], &b[1])));
}

/* The other half may be a few instructions before it. */
static void fuse_halves(struct fuser *s, const struct ptx_inst *i, struct site_estimate *sites)
{
    enum { NEAR = 16 };
    const u32 first = s->f->blocks[s->f->block_of_site[s->site]].first;
    for (u32 k = s->site; k-- > first && s->site - k <= NEAR;)
        if (sites[k].weight == 1 && !sites[k].product && are_halves(s, i, &s->f->src->insts[k])) {
            sites[s->site].half_of = 1 + k;
            sites[s->site].weight = 0;
            sites[k].product = true;
            return;
        }
}

/* ---- others ---- */

/* The site whose result the operand is, if that can be put into the one that is looked at; else NOBODY. */
static u32 inner(const struct fuser *s, const struct ptx_operand *o)
{
    if (o->kind != PTX_REG || s->reads[o->var->index] != 1)
        return NOBODY;
    const u32 from = s->writer[o->var->index];
    if (from >= SEVERAL || from >= s->site || s->f->block_of_site[from] != s->f->block_of_site[s->site])
        return NOBODY;
    const struct ptx_inst *i = &s->f->src->insts[s->site], *in = &s->f->src->insts[from];
    return ptx_type_bits(type_of(i)) == ptx_type_bits(type_of(in)) ? from : NOBODY;
}

static u32 inputs_of(const struct fuser *s, u32 site)
{
    return s->inputs[site] ? s->inputs[site] : s->f->src->insts[site].noperands - 1u;
}

static void take_in(struct fuser *s, u32 from, struct site_estimate *sites)
{
    s->inputs[s->site] = (u8)(inputs_of(s, s->site) - 1 + inputs_of(s, from));
    sites[s->site].fused = true;
    sites[from].weight = 0;
}

/* An operand's instruction becomes a part of the site's, if all of their values are three at most. */
static void fuse_alike(struct fuser *s, const struct ptx_inst *i, bool (*alike)(const struct ptx_inst *i),
                       struct site_estimate *sites)
{
    for (u32 k = 1; k < i->noperands; k++) {
        const u32 from = inner(s, &i->operands[k]);
        if (from != NOBODY && sites[from].weight && !sites[from].selects && alike(&s->f->src->insts[from]) &&
            inputs_of(s, s->site) - 1 + inputs_of(s, from) <= INPUTS_MAX)
            take_in(s, from, sites);
    }
}

/* One operand's product or shift becomes a part of the sum. */
static bool fuse_product(struct fuser *s, const struct ptx_inst *i, bool (*is_product)(const struct ptx_inst *i),
                         struct site_estimate *sites)
{
    for (u32 k = 1; k < i->noperands; k++) {
        const u32 from = inner(s, &i->operands[k]);
        if (from == NOBODY || !sites[from].weight || sites[from].product || !is_product(&s->f->src->insts[from]))
            continue;
        take_in(s, from, sites);
        return true;
    }
    return false;
}

/* A product that nothing but sums reads is a part of each of them, wherever they are. */
static bool fuse_factor(struct fuser *s, const struct ptx_inst *i, struct site_estimate *sites)
{
    for (u32 k = 1; k < i->noperands && i->op == OP_ADD; k++) {
        const u32 reg = i->operands[k].kind == PTX_REG ? i->operands[k].var->index : 0,
                  from = i->operands[k].kind == PTX_REG ? s->writer[reg] : NOBODY;
        const struct ptx_inst *in = from < SEVERAL ? &s->f->src->insts[from] : NULL;
        if (!in || s->sums[reg] != s->reads[reg] || sites[from].product || in->op != OP_MUL || !is_scaled(in))
            continue;
        take_in(s, from, sites);
        return true;
    }
    return false;
}

/* A wide product by a constant becomes a part of the shift by another one. */
static void fuse_scale(struct fuser *s, const struct ptx_inst *i, struct site_estimate *sites)
{
    const u32 reg = i->operands[1].kind == PTX_REG ? i->operands[1].var->index : 0,
              from = i->operands[1].kind == PTX_REG ? s->writer[reg] : NOBODY;
    if (from >= SEVERAL || s->reads[reg] != 1 || s->f->block_of_site[from] != s->f->block_of_site[s->site] ||
        !is_wide_product(&s->f->src->insts[from]) || s->f->src->insts[from].operands[2].kind != PTX_IMM)
        return;
    sites[from].weight = 0;
    sites[s->site].weight = 1;
    sites[s->site].product = true;
}

static bool is_of_upper_half(const struct ptx_inst *i)
{
    return i->op == OP_SHR && !i->guard && ptx_type_bits(type_of(i)) == 64 && type_of(i) != PTX_S64 &&
           i->operands[2].kind == PTX_IMM && i->operands[2].bits >= 32 && i->operands[2].bits < 64;
}

/* ---- floats ---- */

static bool is_saturation(const struct ptx_inst *i)
{
    return i->op == OP_CVT && i->ntypes == 2 && type_of(i) == PTX_F32 && i->types[1] == PTX_F32 &&
           ptx_has(i, MOD_SAT) && !i->guard;
}

static bool may_saturate(const struct ptx_inst *i)
{
    return (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_FMA) && type_of(i) == PTX_F32 &&
           !i->guard;
}

static void fuse_saturation(struct fuser *s, const struct ptx_inst *i, struct site_estimate *sites)
{
    const u32 reg = i->operands[1].kind == PTX_REG ? i->operands[1].var->index : 0,
              from = i->operands[1].kind == PTX_REG && s->reads[reg] == 1 ? s->writer[reg] : NOBODY;
    if (from < s->site && s->f->block_of_site[from] == s->f->block_of_site[s->site] &&
        may_saturate(&s->f->src->insts[from]) && sites[from].weight)
        sites[s->site].weight = 0;
}

/* ---- minima and maxima ---- */

static bool is_extreme(const struct ptx_inst *i)
{
    return (i->op == OP_MIN || i->op == OP_MAX) && is_integer(i) && ptx_type_bits(type_of(i)) == 32 &&
           !ptx_has(i, MOD_RELU);
}

static bool is_alike(const struct ptx_inst *i, const struct ptx_inst *other)
{
    return is_extreme(other) && other->op == i->op && type_of(other) == type_of(i);
}

/* max with 0, of what may be less. */
static bool cuts_off(const struct ptx_inst *i)
{
    return i->op == OP_MAX && type_of(i) == PTX_S32 && i->operands[2].kind == PTX_IMM && !i->operands[2].bits;
}

/* The first operand whose instruction can become a part of the site's does. True: there was one. */
static bool fuse_operand(struct fuser *s, const struct ptx_inst *i, bool sums, struct site_estimate *sites)
{
    for (u32 k = 1; k < i->noperands; k++) {
        const u32 from = inner(s, &i->operands[k]);
        const struct ptx_inst *in = from == NOBODY ? NULL : &s->f->src->insts[from];
        const bool fits = in && (inputs_of(s, from) <= 2 || (!sums && cuts_off(i)));
        if (!fits || !sites[from].weight || sites[from].selects || !(sums ? is_sum(in) : is_alike(i, in)))
            continue;
        take_in(s, from, sites);
        return true;
    }
    return false;
}

void estimate_fuse(struct arena *mem, const struct ir_func *f, u32 cc_major, struct site_estimate *sites)
{
    const u32 nregs = f->src->nregs + 1, n = f->src->ninsts;
    struct fuser s = {f,
                      arena_array(mem, u32, nregs),
                      arena_array(mem, u32, nregs),
                      arena_array(mem, u32, nregs),
                      arena_array(mem, u32, nregs),
                      arena_array(mem, u8, n + 1),
                      0};
    for (u32 r = 0; r < nregs; r++)
        s.writer[r] = NOBODY;
    for (s.site = 0; s.site < n; s.site++) {
        ir_each_reg(&f->src->insts[s.site], note, &s);
        count_sums(&s, &f->src->insts[s.site]);
        count_bases(&s, &f->src->insts[s.site]);
    }
    for (s.site = 0; s.site < n; s.site++)
        if (is_half(&f->src->insts[s.site]))
            fuse_halves(&s, &f->src->insts[s.site], sites);
    for (s.site = 0; s.site < n; s.site++) {
        const struct ptx_inst *i = &f->src->insts[s.site];
        if (sites[s.site].selects)
            continue;
        if (is_logic(i))
            fuse_alike(&s, i, is_logic, sites);
        else if (is_sum(i) && is_place(&s, i))
            sites[s.site].weight = 0;
        else if (is_sum(i) && sites[s.site].weight && !fuse_address(&s, i, sites) &&
                 !(i->op == OP_ADD && fuse_product(&s, i, is_scaled, sites)) && !fuse_factor(&s, i, sites))
            fuse_alike(&s, i, is_sum, sites);
        else if ((i->op == OP_ADD || i->op == OP_SUB) && is_float(i))
            fuse_product(&s, i, is_float_product, sites);
        else if (is_wide_shift(i))
            fuse_scale(&s, i, sites);
        else if (is_of_upper_half(i))
            sites[s.site].weight = i->operands[2].bits > 32;
        else if (is_saturation(i))
            fuse_saturation(&s, i, sites);
        else if (is_extreme(i) && cc_major >= 9 && !fuse_operand(&s, i, true, sites))
            fuse_operand(&s, i, false, sites);
    }
}
