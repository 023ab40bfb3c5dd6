/* race_shared_fence.c - products of warpgroups whose registers were written with no wgmma.fence between (PTX ISA 9.7.15.7.1).
 *
 * By forward dataflow over a function, once: which registers may have been written since the last fence, on some path. Moves are
 * the compiler's: a move is as its source, and constants are nothing. What a product writes needs no fence before the next.
 * That there was no fence at all since the kernel began is a bit of its own. Told is a product that runs.
 *
 * Limit: a path that is never taken counts. */
#include <string.h>

#include "check/racecheck/race_shared.h"
#include "ir/pass.h"

enum { WORD_BITS = 64 };

struct fence_pass {
    const struct ir_func *func;
    u32 words, never; /* never: the bit that says so */
    u64 *in;          /* by block: registers, and that bit */
};

static bool test(const u64 *set, u32 r) { return set[r / WORD_BITS] >> (r % WORD_BITS) & 1; }
static void put(u64 *set, u32 r, bool to)
{
    const u64 bit = (u64)1 << (r % WORD_BITS);
    set[r / WORD_BITS] = to ? set[r / WORD_BITS] | bit : set[r / WORD_BITS] & ~bit;
}

static bool is_product(const struct ptx_inst *i)
{
    return i->op == OP_WGMMA_MMA_ASYNC || i->op == OP_WGMMA_MMA_ASYNC_SP;
}

struct step {
    u64 *set;
    bool value;
};

static void any_read(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct step *s = ctx;
    s->value |= !is_write && test(s->set, reg->index);
}

static void all_written(void *ctx, const struct ptx_var *reg, bool is_write)
{
    const struct step *s = ctx;
    if (is_write)
        put(s->set, reg->index, s->value);
}

static void step_over(const struct fence_pass *p, const struct ptx_inst *i, u64 *set)
{
    struct step s = {set, !is_product(i)};
    if (i->op == OP_WGMMA_FENCE) {
        memset(set, 0, p->words * sizeof *set);
        return;
    }
    if (i->op == OP_MOV) {
        s.value = false;
        ir_each_reg(i, any_read, &s);
    }
    ir_each_reg(i, all_written, &s);
}

static bool meet(const struct fence_pass *p, const u64 *out, u32 to)
{
    u64 *in = p->in + (size_t)to * p->words, more = 0;
    for (u32 w = 0; w < p->words; w++) {
        more |= out[w] & ~in[w];
        in[w] |= out[w];
    }
    return more != 0;
}

static void solve(const struct fence_pass *p, u64 *set)
{
    const struct ir_func *f = p->func;
    put(p->in, p->never, f->src->is_entry);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < f->nblocks; b++) {
            memcpy(set, p->in + (size_t)b * p->words, p->words * sizeof *set);
            for (u32 k = f->blocks[b].first; k < f->blocks[b].end; k++)
                step_over(p, &f->src->insts[k], set);
            for (u32 k = 0; k < f->blocks[b].nsucc; k++)
                changed |= meet(p, set, f->blocks[b].succs[k]);
        }
    }
}

/* ---- which products ---- */

/* A register of d or of a that the set has, or UINT32_MAX. */
static u32 find_register(const struct ptx_inst *i, const u64 *set)
{
    for (u32 o = 0; o < 2; o++)
        for (u32 k = 0; i->operands[o].kind == PTX_VEC && k < i->operands[o].n; k++) {
            const struct ptx_operand *e = &i->operands[o].elems[k];
            if (e->kind == PTX_REG && test(set, e->var->index))
                return e->var->index;
        }
    return UINT32_MAX;
}

struct writer {
    u32 reg;
    bool writes;
};

static void is_register(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct writer *x = ctx;
    x->writes |= is_write && reg->index == x->reg;
}

/* The instruction that wrote the register: the last one before the product, or the last of all; `none`: there is none. */
static u32 writer_of(const struct ptx_func *f, u32 reg, u32 before, u32 none)
{
    u32 found = none;
    for (u32 k = 0; k < f->ninsts && (k < before || found == none); k++) {
        struct writer x = {reg, false};
        ir_each_reg(&f->insts[k], is_register, &x);
        if (x.writes && !is_product(&f->insts[k]))
            found = k;
    }
    return found;
}

/* The entry of each product: 0, or 1 and the site of a write (the product's own: there was no fence at all). */
static void note(const struct fence_pass *p, u64 *set, u32 *sites)
{
    const struct ir_func *f = p->func;
    for (u32 b = 0; b < f->nblocks; b++) {
        memcpy(set, p->in + (size_t)b * p->words, p->words * sizeof *set);
        for (u32 k = f->blocks[b].first; k < f->blocks[b].end; k++) {
            const struct ptx_inst *i = &f->src->insts[k];
            const u32 found = is_product(i) ? find_register(i, set) : UINT32_MAX;
            if (found != UINT32_MAX)
                sites[k] = 1 + writer_of(f->src, found, k, k);
            else if (is_product(i) && test(set, p->never))
                sites[k] = 1 + k;
            step_over(p, i, set);
        }
    }
}

static struct fence_func *make(struct check_worker *w, const struct ir_func *f)
{
    struct fence_func *x = check_new(&w->mem, struct fence_func);
    struct arena tmp = {0};
    struct fence_pass p = {.func = f, .words = (f->src->nregs + 1) / WORD_BITS + 1, .never = f->src->nregs};
    u64 *set = check_array(&tmp, u64, p.words);
    p.in = check_array(&tmp, u64, (size_t)p.words * f->nblocks);
    if (x && set && p.in && (x->sites = check_array(&w->mem, u32, f->src->ninsts))) {
        x->func = f;
        solve(&p, set);
        note(&p, set, x->sites);
    } else {
        x = NULL;
    }
    arena_free(&tmp);
    return x;
}

void fence_access(const struct shared_event *e)
{
    struct race_shared *r = e->w->of.racecheck_shared;
    const struct exec_access *a = e->a;
    struct fence_func *x = r->fences;
    while (x && x->func != a->func)
        x = x->next;
    if (!x) {
        if (!(x = make(e->w, a->func)))
            return;
        x->next = r->fences;
        r->fences = x;
    }
    if (!x->sites[a->site])
        return;
    race_shared_report_fence(e, x->sites[a->site] - 1);
    x->sites[a->site] = 0;
}
