/* live.c - liveness, and a slot for every register.
 *
 * Backward dataflow over bit sets gives what is live into each block; walking each block backward gives every register
 * one interval of sites; a linear scan hands out slots of the register's class (pass.h says why classes do not mix).
 * A predicated write does not end a value's life: lanes whose predicate is false keep the old one. A destination may
 * take the slot of a source that dies at the same instruction: bodies read before they write, lane by lane. Predicates
 * are the exception (their instructions become several records), so their intervals touch. Registers that products of
 * warpgroups read or write after their instruction share their slot with no other. */
#include "ir/pass.h"

enum { WORD_BITS = 64 };

struct live {
    struct pass *p;
    u32 nregs, words;
    u64 *in, *out;    /* nblocks x words */
    u32 *start, *end; /* a register's interval in half-sites: 2 * site reads, 2 * site + 1 writes */
    u64 *now;
};

static bool test(const u64 *set, u32 r) { return set[r / WORD_BITS] >> (r % WORD_BITS) & 1; }
static void put(u64 *set, u32 r) { set[r / WORD_BITS] |= (u64)1 << (r % WORD_BITS); }
static void drop(u64 *set, u32 r) { set[r / WORD_BITS] &= ~((u64)1 << (r % WORD_BITS)); }

struct block_sets {
    u64 *use, *def;
    bool guarded;
};

static void note_use(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct block_sets *s = ctx;
    if (!is_write && !test(s->def, reg->index))
        put(s->use, reg->index);
}

static void note_def(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct block_sets *s = ctx;
    if (!is_write)
        return;
    if (s->guarded && !test(s->def, reg->index))
        put(s->use, reg->index);
    else
        put(s->def, reg->index);
}

static void gather(const struct ptx_func *f, const struct ir_block *blk, struct block_sets s)
{
    for (u32 k = blk->first; k < blk->end; k++) {
        s.guarded = f->insts[k].guard;
        ir_each_reg(&f->insts[k], note_use, &s);
        ir_each_reg(&f->insts[k], note_def, &s);
    }
}

static void solve(struct ir_liveness *l, const struct ir_block *blocks, u32 nblocks, const u64 *use, const u64 *def)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = nblocks; b-- > 0;) {
            size_t at = (size_t)b * l->words;
            for (u32 k = 0; k < blocks[b].nsucc; k++) {
                const u64 *from = l->in + (size_t)blocks[b].succs[k] * l->words;
                for (u32 w = 0; w < l->words; w++)
                    l->out[at + w] |= from[w];
            }
            for (u32 w = 0; w < l->words; w++) {
                u64 in = use[at + w] | (l->out[at + w] & ~def[at + w]);
                changed |= in != l->in[at + w];
                l->in[at + w] = in;
            }
        }
    }
}

struct ir_liveness ir_find_liveness(struct arena *mem, const struct ptx_func *f, const struct ir_block *blocks,
                                    u32 nblocks)
{
    struct ir_liveness l = {.words = f->nregs / WORD_BITS + 1};
    const size_t cells = (size_t)nblocks * l.words;
    u64 *use = arena_array(mem, u64, cells + 1), *def = arena_array(mem, u64, cells + 1);
    l.in = arena_array(mem, u64, cells + 1);
    l.out = arena_array(mem, u64, cells + 1);
    for (u32 b = 0; b < nblocks; b++)
        gather(f, &blocks[b], (struct block_sets){use + (size_t)b * l.words, def + (size_t)b * l.words, false});
    solve(&l, blocks, nblocks, use, def);
    return l;
}

static void reach(struct live *l, u32 r, u32 at)
{
    if (at < l->start[r])
        l->start[r] = at;
    if (l->end[r] == UINT32_MAX || at > l->end[r])
        l->end[r] = at;
}

static void reach_set(struct live *l, const u64 *set, u32 at)
{
    for (u32 w = 0; w < l->words; w++)
        for (u64 bits = set[w]; bits; bits &= bits - 1)
            reach(l, w * WORD_BITS + (u32)__builtin_ctzll(bits), at);
}

struct touch {
    struct live *l;
    u32 site;
    bool early; /* results are written while sources are still to be read */
};

/* Vector atomics read an element's addend after they have written the result of another. */
static bool writes_early(const struct ptx_inst *i) { return i->op == OP_ATOM && i->operands[0].kind == PTX_VEC; }

static void touch_reg(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct touch *t = ctx;
    bool early = is_write && (t->early || ir_class(reg->type) == CLASS_PRED);
    reach(t->l, reg->index, 2 * t->site + is_write);
    if (early)
        reach(t->l, reg->index, 2 * t->site);
}

static void intervals(struct live *l)
{
    const struct ir_func *out = l->p->out;
    for (u32 r = 0; r < l->nregs; r++)
        l->start[r] = l->end[r] = UINT32_MAX;
    for (u32 b = 0; b < out->nblocks; b++) {
        reach_set(l, l->in + (size_t)b * l->words, 2 * out->blocks[b].first);
        reach_set(l, l->out + (size_t)b * l->words, 2 * out->blocks[b].end);
        for (u32 k = out->blocks[b].first; k < out->blocks[b].end; k++) {
            struct touch t = {l, k, writes_early(&l->p->f->insts[k])};
            ir_each_reg(&l->p->f->insts[k], touch_reg, &t);
        }
    }
}

/* ---- register pressure: what a thread needs at least ---- */

struct pressure {
    struct live *l;
    u32 units;
    bool guarded;
};

static u32 units_of(const struct pass *p, u32 r)
{
    static const u32 units[CLASS_COUNT] = {1, 2, 4, 0};
    return units[ir_class(p->f->regs[r]->type)];
}

static void pressure_def(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct pressure *x = ctx;
    if (is_write && !x->guarded && test(x->l->now, reg->index)) {
        drop(x->l->now, reg->index);
        x->units -= units_of(x->l->p, reg->index);
    }
}

static void pressure_use(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct pressure *x = ctx;
    if ((!is_write || x->guarded) && !test(x->l->now, reg->index)) {
        put(x->l->now, reg->index);
        x->units += units_of(x->l->p, reg->index);
    }
}

/* What the smallest kernels of an H200 report. Of the rules tried on 71 of its kernels the plain one fits best: the most
 * 32-bit values live at once, at least this (docs/fidelity.md has the distances). */
enum { REGISTER_LEAST = 16 };

static void measure_pressure(struct live *l)
{
    struct ir_func *out = l->p->out;
    u32 most = 0;
    for (u32 b = 0; b < out->nblocks; b++) {
        struct pressure x = {l, 0, false};
        memcpy(l->now, l->out + (size_t)b * l->words, sizeof *l->now * l->words);
        for (u32 w = 0; w < l->words; w++)
            for (u64 bits = l->now[w]; bits; bits &= bits - 1)
                x.units += units_of(l->p, w * WORD_BITS + (u32)__builtin_ctzll(bits));
        for (u32 k = out->blocks[b].end; k-- > out->blocks[b].first;) {
            most = x.units > most ? x.units : most;
            x.guarded = l->p->f->insts[k].guard;
            ir_each_reg(&l->p->f->insts[k], pressure_def, &x);
            ir_each_reg(&l->p->f->insts[k], pressure_use, &x);
        }
        most = x.units > most ? x.units : most;
    }
    out->registers = most > REGISTER_LEAST ? most : REGISTER_LEAST;
    if (out->registers > 255)
        out->registers = 255;
}

/* ---- the scan ---- */

/* Registers by interval start (counting sort on half-sites). */
static u32 *by_start(struct live *l, u32 points)
{
    u32 *at = arena_array(l->p->mem, u32, points + 2), *order = arena_array(l->p->mem, u32, l->nregs + 1);
    for (u32 r = 0; r < l->nregs; r++)
        if (l->start[r] != UINT32_MAX)
            at[l->start[r] + 1]++;
    for (u32 k = 0; k < points; k++)
        at[k + 1] += at[k];
    for (u32 r = 0; r < l->nregs; r++)
        if (l->start[r] != UINT32_MAX)
            order[at[l->start[r]]++] = r;
    return order;
}

static void scan(struct live *l)
{
    struct pass *p = l->p;
    u32 points = 2 * p->f->ninsts + 2, live = 0;
    u32 *order = by_start(l, points);
    u32 *colour = p->place; /* a register's slot number in its class, turned into an offset by lay_out */
    u32 *expire = arena_array(p->mem, u32, points), *next = arena_array(p->mem, u32, l->nregs + 1);
    u32 *free_list[CLASS_COUNT], nfree[CLASS_COUNT] = {0};
    for (int c = 0; c < CLASS_COUNT; c++)
        free_list[c] = arena_array(p->mem, u32, l->nregs + 1);
    for (u32 r = 0; r < l->nregs; r++)
        live += l->start[r] != UINT32_MAX;
    for (u32 k = 0, at = 0; at < points; at++) {
        for (u32 r = expire[at]; r && !p->target->keep_apart; r = next[r - 1]) {
            enum slot_class c = ir_class(p->f->regs[r - 1]->type);
            free_list[c][nfree[c]++] = colour[r - 1];
        }
        for (; k < live && l->start[order[k]] == at; k++) {
            u32 r = order[k];
            enum slot_class c = ir_class(p->f->regs[r]->type);
            const bool late = p->late && p->late[r];
            colour[r] = nfree[c] && !late ? free_list[c][--nfree[c]] : p->class_count[c]++;
            if (late)
                continue;
            u32 gone = l->end[r] + 1 < points ? l->end[r] + 1 : points - 1;
            next[r] = expire[gone];
            expire[gone] = r + 1;
        }
    }
}

void ir_build_live(struct pass *p)
{
    const struct ir_liveness sets = ir_find_liveness(p->mem, p->f, p->out->blocks, p->out->nblocks);
    struct live l = {.p = p, .nregs = p->f->nregs, .words = sets.words, .in = sets.in, .out = sets.out};
    l.now = arena_array(p->mem, u64, l.words + 1);
    l.start = arena_array(p->mem, u32, l.nregs + 1);
    l.end = arena_array(p->mem, u32, l.nregs + 1);
    p->place = arena_array(p->mem, u32, l.nregs + 1);
    intervals(&l);
    measure_pressure(&l);
    scan(&l);
}
