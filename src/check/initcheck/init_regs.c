/* init_regs.c - finds the open registers of a function and what its blocks do with them (init_regs.h).
 *
 * What has a value on every path is found by forward dataflow over bit sets; a guarded write counts as a write, but
 * for loads. What is computed from an open register is open, too: compilers compute ahead of the branch that asks
 * whether the value counts. So only what has an effect is a use: the address of an access, the predicate of a branch
 * or a guarded store, and what is stored to global memory. Arguments of calls, stores to local memory,
 * values that other lanes take (shuffles, votes) and operands of matrix instructions are no uses, and carry nothing
 * on. An `and`, `or` or choice has a value if one of its sources has: that is how `have && last > 0` is computed; what
 * chooses is no use, be it a selp or a branch round a few computations. Nor is a store to shared memory one: a block
 * exchanges the items of a ragged last tile there together with those that it never read. */
#include "check/initcheck/init_regs.h"

#include <string.h>

#include "base/vec.h"
#include "check/initcheck/initcheck.h"
#include "ir/pass.h"

enum { WORD_BITS = 64, SOURCES_MOST = 32 };
#define NOT_OPEN UINT32_MAX

struct regs_pass {
    struct arena *mem;
    const struct ir_func *func;
    u32 words;
    u64 *in, *out;    /* by block: registers that have a value for certain */
    u64 *open;        /* registers */
    const u64 *local; /* registers that hold addresses of local memory */
    u32 *number;      /* of an open register, by register */
    bool changed;
};

static bool test(const u64 *set, u32 r) { return set[r / WORD_BITS] >> (r % WORD_BITS) & 1; }
static void put(u64 *set, u32 r) { set[r / WORD_BITS] |= (u64)1 << (r % WORD_BITS); }

/* ---- what is written on every path ---- */

static void note_write(void *ctx, const struct ptx_var *reg, bool is_write)
{
    if (is_write)
        put(ctx, reg->index);
}

/* A guarded load whose event tells which lanes do it: one that names a space, which then is the only one. */
static bool is_guarded_load(const struct ptx_inst *i)
{
    return i->op == OP_LD && i->guard &&
           (i->space == SPACE_GLOBAL || i->space == SPACE_SHARED || i->space == SPACE_LOCAL);
}

static void note_writes(const struct ptx_inst *i, u64 *set)
{
    if (!is_guarded_load(i))
        ir_each_reg(i, note_write, set);
}

static void write_all(const struct regs_pass *p, u32 from, u32 to, u64 *set)
{
    for (u32 s = from; s < to; s++)
        note_writes(&p->func->src->insts[s], set);
}

static void meet(const struct regs_pass *p, u32 from, u32 to, bool *changed)
{
    u64 *in = p->in + (size_t)to * p->words;
    const u64 *out = p->out + (size_t)from * p->words;
    for (u32 w = 0; w < p->words; w++) {
        *changed |= (in[w] & ~out[w]) != 0;
        in[w] &= out[w];
    }
}

static void solve(struct regs_pass *p)
{
    const struct ir_func *f = p->func;
    const size_t cells = (size_t)f->nblocks * p->words;
    memset(p->in, 0xff, cells * sizeof *p->in);
    memset(p->in, 0, p->words * sizeof *p->in);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < f->nblocks; b++) {
            const size_t at = (size_t)b * p->words;
            memcpy(p->out + at, p->in + at, p->words * sizeof *p->out);
            write_all(p, f->blocks[b].first, f->blocks[b].end, p->out + at);
            for (u32 k = 0; k < f->blocks[b].nsucc; k++)
                meet(p, b, f->blocks[b].succs[k], &changed);
        }
    }
}

struct reader {
    struct regs_pass *p;
    const u64 *have;
};

static void note_read(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct reader *r = ctx;
    if (!is_write && !test(r->have, reg->index))
        put(r->p->open, reg->index);
}

/* Reads of what has no value on some path. True: there are some. */
static bool find_open(struct regs_pass *p)
{
    const struct ir_func *f = p->func;
    u64 any = 0;
    for (u32 b = 0; b < f->nblocks; b++) {
        u64 *have = p->in + (size_t)b * p->words;
        struct reader r = {p, have};
        for (u32 s = f->blocks[b].first; s < f->blocks[b].end; s++) {
            ir_each_reg(&f->src->insts[s], note_read, &r);
            note_writes(&f->src->insts[s], have);
        }
    }
    for (u32 w = 0; w < p->words; w++)
        any |= p->open[w];
    return any != 0;
}

/* ---- instructions ---- */

enum effect {
    EFFECT_NONE, /* results have values, sources do not matter */
    EFFECT_ANY,
    EFFECT_ALL,
};

static enum effect effect_of(const struct ptx_inst *i)
{
    if (i->guard || ir_flow(i) != FLOW_NEXT)
        return EFFECT_NONE;
    switch (ptx_op_rows[i->op].result) {
    case PTX_RESULT_FETCH:
        return EFFECT_NONE;
    case PTX_RESULT_MASK:
    case PTX_RESULT_SPLICE:
    case PTX_RESULT_CHOICE:
    case PTX_RESULT_MIX:
        return EFFECT_ALL;
    case PTX_RESULT_COMPARE:
        return ptx_has(i, MOD_AND) || ptx_has(i, MOD_OR) || ptx_has(i, MOD_XOR) ? EFFECT_ALL : EFFECT_ANY;
    case PTX_RESULT_COPY: /* {a, b} into one: it has a value if a part has */
        return i->noperands > 1 && i->operands[1].kind == PTX_VEC ? EFFECT_ALL : EFFECT_ANY;
    default:
        return EFFECT_ANY;
    }
}

/* Sources as a list of registers; others: something else is among them, which has a value. */
struct sources {
    const struct ptx_var *regs[SOURCES_MOST];
    u32 n;
    bool others;
};

static void gather(const struct ptx_operand *o, struct sources *s)
{
    if (o->kind == PTX_REG && s->n < SOURCES_MOST)
        s->regs[s->n++] = o->var;
    else if (o->kind == PTX_VEC || o->kind == PTX_PAIR || o->kind == PTX_ADDR)
        for (unsigned k = 0; k < o->n; k++)
            gather(&o->elems[k], s);
    else
        s->others = true;
}

/* What the result's state follows: not the predicate of a choice. */
static struct sources sources_of(const struct ptx_inst *i)
{
    struct sources s = {.n = 0};
    const bool two = ptx_op_rows[i->op].result == PTX_RESULT_CHOICE || i->op == OP_BFI;
    const unsigned end = two ? 3 : i->noperands;
    for (unsigned k = ptx_dest_count(i); k < end && k < i->noperands; k++)
        gather(&i->operands[k], &s);
    return s;
}

static u32 open_among(const struct regs_pass *p, const struct sources *s)
{
    u32 n = 0;
    for (u32 k = 0; k < s->n; k++)
        n += test(p->open, s->regs[k]->index);
    return n;
}

/* Whether the results have no value when the sources have none. */
static bool carries(const struct regs_pass *p, const struct ptx_inst *i, const struct sources *s)
{
    const u32 n = open_among(p, s);
    switch (effect_of(i)) {
    case EFFECT_ANY:
        return n != 0;
    case EFFECT_ALL:
        return n && n == s->n && !s->others;
    default:
        return false;
    }
}

static void open_result(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct regs_pass *p = ctx;
    if (!is_write || test(p->open, reg->index))
        return;
    put(p->open, reg->index);
    p->changed = true;
}

static void spread(struct regs_pass *p)
{
    const struct ptx_func *f = p->func->src;
    do {
        p->changed = false;
        for (u32 k = 0; k < f->ninsts; k++) {
            const struct sources s = sources_of(&f->insts[k]);
            if (carries(p, &f->insts[k], &s))
                ir_each_reg(&f->insts[k], open_result, p);
        }
    } while (p->changed);
}

/* ---- steps ---- */

struct steps {
    VEC(struct init_step) list;
};

static void add_step(struct regs_pass *p, struct steps *out, enum init_step_kind kind, u32 site, u32 d,
                     const struct sources *s)
{
    struct init_step x = {.kind = (u8)kind, .site = site, .d = d};
    u32 *from = arena_array(p->mem, u32, s ? s->n + 1 : 1);
    for (u32 k = 0; s && k < s->n; k++)
        if (test(p->open, s->regs[k]->index))
            from[x.n++] = p->number[s->regs[k]->index];
    x.from = from;
    x.moves = p->func->src->insts[site].op == OP_MOV;
    vec_push(p->mem, &out->list, x);
}

static void use(struct regs_pass *p, struct steps *out, enum init_step_kind kind, u32 site, const struct ptx_operand *o)
{
    struct sources s = {.n = 0};
    gather(o, &s);
    const u32 n = open_among(p, &s);
    if (n && (kind == STEP_USE_ANY || (n == s.n && !s.others)))
        add_step(p, out, kind, site, 0, &s);
}

static void use_guard(struct regs_pass *p, struct steps *out, u32 site)
{
    const struct ptx_inst *i = &p->func->src->insts[site];
    const struct ptx_operand o = {.kind = PTX_REG, .var = i->guard};
    const bool acts =
        ir_flow(i) != FLOW_NEXT || (i->op == OP_ST && i->space != SPACE_PARAM) || i->op == OP_RED || i->op == OP_ATOM;
    if (i->guard && acts && test(p->open, i->guard->index) && !init_is_choice(p->func, site))
        use(p, out, STEP_USE_ANY, site, &o);
}

static void uses_of(struct regs_pass *p, struct steps *out, u32 site)
{
    const struct ptx_inst *i = &p->func->src->insts[site];
    use_guard(p, out, site);
    if (i->guard)
        return;
    const bool atomic = i->op == OP_ATOM || i->op == OP_RED;
    if (i->op != OP_LD && i->op != OP_ST && !atomic)
        return;
    bool local = i->space == SPACE_LOCAL || i->space == SPACE_PARAM;
    for (unsigned k = 0; k < i->noperands; k++)
        if (i->operands[k].kind == PTX_ADDR) {
            use(p, out, STEP_USE_ANY, site, &i->operands[k]);
            local |= init_is_local(p->local, &i->operands[k].elems[0]);
        }
    if (i->op == OP_ST && !local && i->space != SPACE_SHARED)
        use(p, out, STEP_USE_ALL, site, &i->operands[1]);
    for (unsigned k = ptx_dest_count(i) + 1; atomic && k < i->noperands; k++)
        use(p, out, STEP_USE_ANY, site, &i->operands[k]);
}

struct result_step {
    struct regs_pass *p;
    struct steps *out;
    u32 site;
    enum init_step_kind kind;
    const struct sources *s;
};

static void step_result(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct result_step *r = ctx;
    if (is_write && test(r->p->open, reg->index))
        add_step(r->p, r->out, r->kind, r->site, r->p->number[reg->index], r->s);
}

static void steps_of(struct regs_pass *p, struct steps *out, u32 site)
{
    const struct ptx_inst *i = &p->func->src->insts[site];
    const struct sources s = sources_of(i);
    uses_of(p, out, site);
    struct result_step r = {p, out, site, is_guarded_load(i) ? STEP_LOAD : STEP_DEFINE, NULL};
    if (carries(p, i, &s)) {
        r.kind = effect_of(i) == EFFECT_ANY ? STEP_ANY : STEP_ALL;
        r.s = &s;
    }
    ir_each_reg(i, step_result, &r);
}

static void number_open(struct regs_pass *p, struct init_regs *out)
{
    const struct ptx_func *f = p->func->src;
    out->open = arena_array(p->mem, const struct ptx_var *, f->nregs + 1);
    for (u32 r = 0; r < f->nregs; r++)
        if (test(p->open, r)) {
            p->number[r] = out->nopen;
            out->open[out->nopen++] = f->regs[r];
        }
}

static void make_steps(struct regs_pass *p, struct init_regs *out)
{
    const struct ir_func *f = p->func;
    out->blocks = arena_array(p->mem, struct init_block_steps, f->nblocks + 1);
    for (u32 b = 0; b < f->nblocks; b++) {
        struct steps s = {{0}};
        for (u32 k = f->blocks[b].first; k < f->blocks[b].end; k++)
            steps_of(p, &s, k);
        out->blocks[b].steps = s.list.at;
        out->blocks[b].n = s.list.len;
    }
}

/* Of a device function, a call defines nothing at its first block: lanes come there again by a loop or by recursion,
 * with no sign of which it is. */
static bool is_followed(const struct ir_func *f)
{
    return f->nblocks && (f->src->is_entry || (!f->blocks[0].npreds && !f->is_recursive));
}

struct init_regs *init_regs_make(struct arena *mem, const struct ir_func *func)
{
    struct init_regs *out = arena_new(mem, struct init_regs);
    struct regs_pass p = {.mem = mem, .func = func, .words = (func->src->nregs + WORD_BITS - 1) / WORD_BITS};
    const size_t cells = (size_t)func->nblocks * p.words + 1;
    out->func = func;
    if (!is_followed(func))
        return out;
    p.in = arena_array(mem, u64, cells);
    p.out = arena_array(mem, u64, cells);
    p.open = arena_array(mem, u64, p.words + 1);
    p.number = arena_array(mem, u32, func->src->nregs + 1);
    solve(&p);
    if (!find_open(&p))
        return out;
    spread(&p);
    p.local = init_local_registers(mem, func->src);
    number_open(&p, out);
    make_steps(&p, out);
    return out;
}
