/* copies.c - which copies of registers ptxas keeps, where none is asked.
 *
 * PTX of compilers has a copy for each value that is carried round a loop or comes from two branches. It vanishes where both registers can
 * be one: where neither is written while the other one's value is still to be read (Chaitin et al., "Register allocation via coloring",
 * 1981). Registers that have become one are looked at as one from then on; copies of the innermost loops come first, as ptxas would rather have
 * others. A constant is an operand of what uses it, unless its register is written elsewhere, too: then an instruction makes it. Registers are
 * looked at, not halves of them, and what vectors are made of is left out. */
#include "ir/pass.h"
#include "meter/rules.h"

enum { MOST = 2048, DEEPEST = 8, STEPS = 16 };

struct copier {
    struct arena *mem;
    const struct ir_func *f;
    u32 *writes; /* by register */
    u32 *last;   /* by register: a site that writes it */
    u32 *place;  /* by register: 1 + its place among those that copies are between; 0: it is not */
    u32 n, words;
    u32 *regs;     /* by place: the register */
    u32 *one_with; /* by place: another one that it has become one with, or itself */
    u64 *meets;    /* n sets of places: where both have a value, and not the same */
    u64 *now;      /* registers that are read behind the site that is looked at */
    u32 site;
    u32 block_of_zero;
    bool zeros; /* there one register is set to 0 without another one */
};

/* Whether an instruction writes a register. */
struct same {
    const struct ptx_var *reg;
    bool written;
};

static bool is_copy(const struct ptx_inst *i)
{
    return i->op == OP_MOV && i->noperands == 2 && i->operands[0].kind == PTX_REG &&
           i->operands[0].var->type != PTX_PRED;
}

/* The register that is copied; NULL: a constant, or no register. */
static const struct ptx_var *source_of(const struct copier *c, const struct ptx_inst *i)
{
    if (i->operands[1].kind != PTX_REG)
        return NULL;
    const u32 from = i->operands[1].var->index;
    const struct ptx_inst *def = c->writes[from] == 1 ? &c->f->src->insts[c->last[from]] : NULL;
    return def && is_copy(def) && def->operands[1].kind == PTX_IMM ? NULL : i->operands[1].var;
}

static void note_write(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct copier *c = ctx;
    if (!is_write)
        return;
    c->writes[reg->index]++;
    c->last[reg->index] = c->site;
}

static void take(struct copier *c, const struct ptx_var *reg)
{
    if (c->place[reg->index])
        return;
    c->regs[c->n] = reg->index;
    c->one_with[c->n] = c->n;
    c->place[reg->index] = ++c->n;
}

static u32 leader(const struct copier *c, u32 place)
{
    while (c->one_with[place] != place)
        place = c->one_with[place];
    return place;
}

/* ---- what meets ---- */

static bool is_live(const struct copier *c, u32 reg) { return c->now[reg / 64] >> (reg % 64) & 1; }

static void set_meeting(struct copier *c, u32 a, u32 b)
{
    c->meets[(size_t)a * c->words + b / 64] |= (u64)1 << b % 64;
    c->meets[(size_t)b * c->words + a / 64] |= (u64)1 << a % 64;
}

/* What is written has a new value while others are still to be read; of a copy both have the same. */
static void meet_others(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct copier *c = ctx;
    const struct ptx_inst *i = &c->f->src->insts[c->site];
    if (!is_write || !c->place[reg->index])
        return;
    const struct ptx_var *same = is_copy(i) && !i->guard ? source_of(c, i) : NULL;
    for (u32 k = 0; k < c->n; k++)
        if (c->regs[k] != reg->index && is_live(c, c->regs[k]) && !(same && same->index == c->regs[k]))
            set_meeting(c, c->place[reg->index] - 1, k);
}

static void end_life(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct copier *c = ctx;
    if (is_write && !c->f->src->insts[c->site].guard)
        c->now[reg->index / 64] &= ~((u64)1 << reg->index % 64);
}

static void begin_life(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct copier *c = ctx;
    if (!is_write)
        c->now[reg->index / 64] |= (u64)1 << reg->index % 64;
}

static void find_meetings(struct copier *c)
{
    const struct ir_liveness sets = ir_find_liveness(c->mem, c->f->src, c->f->blocks, c->f->nblocks);
    c->words = (c->n + 63) / 64;
    c->meets = arena_array(c->mem, u64, (size_t)c->n * c->words);
    for (u32 b = 0; b < c->f->nblocks; b++) {
        c->now = sets.out + (size_t)b * sets.words;
        for (c->site = c->f->blocks[b].end; c->site-- > c->f->blocks[b].first;) {
            const struct ptx_inst *i = &c->f->src->insts[c->site];
            ir_each_reg(i, meet_others, c);
            ir_each_reg(i, end_life, c);
            ir_each_reg(i, begin_life, c);
        }
    }
}

/* ---- copies ---- */

static bool have_met(const struct copier *c, u32 a, u32 b)
{
    return c->meets[(size_t)a * c->words + b / 64] >> (b % 64) & 1;
}

/* True: from now on they are one. */
static bool become_one(struct copier *c, u32 a, u32 b)
{
    a = leader(c, a);
    b = leader(c, b);
    if (a == b)
        return true;
    if (have_met(c, a, b))
        return false;
    c->one_with[b] = a;
    for (u32 k = 0; k < c->n; k++)
        if (have_met(c, b, k))
            set_meeting(c, a, k);
    return true;
}

/* CS2R sets two registers to 0. */
static u8 instructions_of(struct copier *c, const struct ptx_inst *i, bool zero)
{
    const bool wide = ptx_type_bits(i->operands[0].var->type) == 64;
    if (!zero || wide)
        return wide && !zero ? 2 : 1;
    const bool second = c->zeros && c->block_of_zero == c->f->block_of_site[c->site];
    c->block_of_zero = c->f->block_of_site[c->site];
    c->zeros = !second;
    return second ? 0 : 1;
}

static void note_same(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct same *w = ctx;
    w->written |= is_write && reg == w->reg;
}

/* What set the register that is copied last in the block, in front of the copy, or nowhere else; NULL: that is not known. */
static const struct ptx_inst *setter_of(const struct copier *c, const struct ptx_var *reg)
{
    struct same w = {.reg = reg};
    if (c->writes[reg->index] == 1)
        return &c->f->src->insts[c->last[reg->index]];
    for (u32 s = c->site; s-- > c->f->blocks[c->f->block_of_site[c->site]].first;) {
        ir_each_reg(&c->f->src->insts[s], note_same, &w);
        if (w.written)
            return &c->f->src->insts[s];
    }
    return NULL;
}

/* The constant of a copy, also by way of another copy; NULL: it has none. */
static const struct ptx_operand *constant_of(const struct copier *c, const struct ptx_inst *i)
{
    for (u32 step = 0; step < STEPS && i && is_copy(i) && (step == 0 || !i->guard); step++) {
        if (i->operands[1].kind == PTX_IMM)
            return &i->operands[1];
        i = i->operands[1].kind == PTX_REG ? setter_of(c, i->operands[1].var) : NULL;
    }
    return NULL;
}

static void look_at(struct copier *c, struct site_estimate *e)
{
    const struct ptx_inst *i = &c->f->src->insts[c->site];
    const struct ptx_var *to = i->operands[0].var, *from = source_of(c, i);
    const struct ptx_operand *constant = constant_of(c, i);
    e->copy = constant ? c->writes[to->index] > 1
                       : from && !become_one(c, c->place[to->index] - 1, c->place[from->index] - 1);
    if (e->copy)
        e->weight = instructions_of(c, i, constant && !constant->bits);
}

void estimate_copies(struct arena *mem, const struct ir_func *f, struct site_estimate *sites)
{
    const u32 nregs = f->src->nregs + 1;
    struct copier c = {.mem = mem,
                       .f = f,
                       .writes = arena_array(mem, u32, nregs),
                       .last = arena_array(mem, u32, nregs),
                       .place = arena_array(mem, u32, nregs),
                       .regs = arena_array(mem, u32, nregs),
                       .one_with = arena_array(mem, u32, nregs)};
    for (c.site = 0; c.site < f->src->ninsts; c.site++)
        ir_each_reg(&f->src->insts[c.site], note_write, &c);
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        if (!is_copy(i) || !source_of(&c, i))
            continue;
        take(&c, i->operands[0].var);
        take(&c, source_of(&c, i));
    }
    if (c.n > MOST)
        return;
    find_meetings(&c);
    for (u32 depth = DEEPEST + 1; depth-- > 0;)
        for (u32 b = 0; b < f->nblocks; b++)
            for (c.site = f->blocks[b].first; c.site < f->blocks[b].end; c.site++)
                if ((f->blocks[b].loop_depth < DEEPEST ? f->blocks[b].loop_depth : DEEPEST) == depth &&
                    is_copy(&f->src->insts[c.site]))
                    look_at(&c, &sites[c.site]);
}
