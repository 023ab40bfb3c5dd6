/* merge.c - shared loads and stores that ptxas makes wider: neighbours at the same base whose common alignment is known.
 *
 * In a tiled matrix product the H200 ran 8 LDS.128 for the 32 words of a row, where PTX shows 32 loads. The rule here:
 * within a basic block, plain accesses of the same kind through the same base register (or variable), with nothing
 * between that could change or order shared memory, that make 16 or 8 aligned bytes without a gap, are one access. The
 * alignment of a base is found by walking back its arithmetic; ptxas lays out a kernel's own arrays itself, so those
 * count as aligned to 16 bytes whatever PTX says. */
#include "base/vec.h"
#include "meter/mutate.h"
#include "meter/rules.h"

enum { DEPTH_MAX = 12, ALIGN_MAX = 16 };

/* ---- alignment ---- */

struct finder {
    const struct ptx_func *f;
    u32 *def;  /* by register: 1 + the site that writes it; 0 = none */
    u8 *count; /* by register: how many write it, up to 2 */
};

static u64 lowest_bit(u64 x) { return x ? x & -x : ALIGN_MAX; }

static u64 min_u64(u64 a, u64 b) { return a < b ? a : b; }

static u64 clamp(u64 x) { return x > ALIGN_MAX ? ALIGN_MAX : x; }

static u64 var_alignment(const struct ptx_var *v)
{
    if (v->space == SPACE_SHARED && v->linkage != LINK_EXTERN && v->size >= ALIGN_MAX)
        return ALIGN_MAX;
    return v->align ? v->align : 1;
}

static u64 alignment_of(const struct finder *d, const struct ptx_operand *o, u32 depth);

static u64 alignment_of_product(const struct finder *d, const struct ptx_inst *i, u32 depth)
{
    return clamp(alignment_of(d, &i->operands[1], depth) * alignment_of(d, &i->operands[2], depth));
}

/* Of the value that i writes. */
static u64 alignment_of_inst(const struct finder *d, const struct ptx_inst *i, u32 depth)
{
    const struct ptx_operand *o = i->operands;
    switch (i->op) {
    case OP_MOV:
    case OP_CVT:
    case OP_CVTA:
        return i->noperands == 2 ? alignment_of(d, &o[1], depth) : 1;
    case OP_ADD:
    case OP_SUB:
    case OP_OR:
        return min_u64(alignment_of(d, &o[1], depth), alignment_of(d, &o[2], depth));
    case OP_AND: {
        const u64 a = alignment_of(d, &o[1], depth), b = alignment_of(d, &o[2], depth);
        return a > b ? a : b;
    }
    case OP_SHL:
        return o[2].kind == PTX_IMM && o[2].bits < 5 ? clamp(alignment_of(d, &o[1], depth) << o[2].bits)
               : o[2].kind == PTX_IMM                ? ALIGN_MAX
                                                     : 1;
    case OP_MUL:
        return ptx_has(i, MOD_HI) ? 1 : alignment_of_product(d, i, depth);
    case OP_MAD:
        return ptx_has(i, MOD_HI) ? 1 : min_u64(alignment_of_product(d, i, depth), alignment_of(d, &o[3], depth));
    default:
        return 1;
    }
}

/* The largest power of two, up to ALIGN_MAX, that is known to divide the operand. */
static u64 alignment_of(const struct finder *d, const struct ptx_operand *o, u32 depth)
{
    switch (o->kind) {
    case PTX_IMM:
        return clamp(lowest_bit(o->bits));
    case PTX_VAR:
        return min_u64(clamp(var_alignment(o->var)), clamp(lowest_bit((u64)o->offset)));
    case PTX_REG:
        if (!depth || o->var->index >= d->f->nregs || d->count[o->var->index] != 1)
            return 1;
        return alignment_of_inst(d, &d->f->insts[d->def[o->var->index] - 1], depth - 1);
    default:
        return 1;
    }
}

static struct finder make_finder(struct arena *mem, const struct ptx_func *f)
{
    struct finder d = {f, arena_array(mem, u32, f->nregs + 1), arena_array(mem, u8, f->nregs + 1)};
    for (u32 s = 0; s < f->ninsts; s++) {
        const struct ptx_inst *i = &f->insts[s];
        const struct ptx_operand *o = i->operands;
        const u32 n = i->noperands && (o->kind == PTX_VEC || o->kind == PTX_PAIR) ? o->n : i->noperands ? 1 : 0;
        for (u32 k = 0; k < n; k++) {
            const struct ptx_operand *r = o->kind == PTX_VEC || o->kind == PTX_PAIR ? &o->elems[k] : o;
            if (r->kind != PTX_REG || r->var->index >= f->nregs || i->op == OP_ST || i->op == OP_RED)
                continue;
            d.def[r->var->index] = s + 1;
            d.count[r->var->index] += d.count[r->var->index] < 2 && !i->guard ? 1 : 2;
            if (d.count[r->var->index] > 2)
                d.count[r->var->index] = 2;
        }
    }
    return d;
}

/* ---- windows ---- */

struct access {
    u32 site, bytes;
    i64 offset;
    const struct ptx_operand *base;
    const struct ptx_var *guard;
    bool guard_neg;
    bool used;
};

/* Accesses of one kind with nothing between them that keeps them apart. */
struct window {
    VEC(struct access) at;
};

static const struct ptx_operand *address_of(const struct ptx_inst *i)
{
    const u32 k = i->op == OP_LD ? 1 : 0;
    return k < i->noperands && i->operands[k].kind == PTX_ADDR ? &i->operands[k] : NULL;
}

static bool is_plain_shared(const struct ptx_inst *i)
{
    if ((i->op != OP_LD && i->op != OP_ST) || i->space != SPACE_SHARED || !address_of(i) || !i->ntypes)
        return false;
    return !ptx_has(i, MOD_VOLATILE) && !ptx_has(i, MOD_RELAXED) && !ptx_has(i, MOD_ACQUIRE) &&
           !ptx_has(i, MOD_RELEASE);
}

static bool same_base(const struct access *a, const struct access *b)
{
    return a->base->kind == b->base->kind && (a->base->kind == PTX_REG || a->base->kind == PTX_VAR) &&
           a->base->var == b->base->var && a->guard == b->guard && a->guard_neg == b->guard_neg;
}

/* The access of the window at base of `a` and the given offset and size that nobody took yet. */
static struct access *find(struct window *w, const struct access *a, i64 offset)
{
    for (u32 k = 0; k < w->at.len; k++)
        if (!w->at.at[k].used && w->at.at[k].offset == offset && w->at.at[k].bytes == a->bytes && same_base(a, &w->at.at[k]))
            return &w->at.at[k];
    return NULL;
}

static bool try_width(const struct finder *d, struct window *w, struct access *a, u32 width, struct site_estimate *sites)
{
    struct access *part[ALIGN_MAX];
    const u32 n = width / a->bytes;
    if (n < 2 || min_u64(alignment_of(d, a->base, DEPTH_MAX), lowest_bit((u64)a->offset)) < width)
        return false;
    for (u32 k = 0; k < n; k++)
        if (!(part[k] = find(w, a, a->offset + (i64)k * a->bytes)))
            return false;
    for (u32 k = 0; k < n; k++) {
        part[k]->used = true;
        sites[part[k]->site].follows = k > 0;
    }
    sites[a->site].width = (u8)MUTANT(64, width, a->bytes);
    return true;
}

static void close_window(const struct finder *d, struct window *w, struct site_estimate *sites)
{
    for (u32 width = ALIGN_MAX; width >= 8; width /= 2)
        for (u32 k = 0; k < w->at.len; k++)
            if (!w->at.at[k].used && w->at.at[k].bytes >= 4)
                try_width(d, w, &w->at.at[k], width, sites);
    w->at.len = 0;
}

/* Whether i orders or may change shared memory other than by a plain access. */
static bool keeps_apart(const struct ptx_inst *i)
{
    switch (i->op) {
    case OP_LD:
    case OP_ST:
        return (i->space == SPACE_SHARED && !is_plain_shared(i)) || (i->space == SPACE_NONE && i->op == OP_ST);
    case OP_ATOM:
    case OP_RED:
    case OP_BAR:
    case OP_BARRIER:
    case OP_BAR_WARP_SYNC:
    case OP_CALL:
    case OP_MEMBAR:
    case OP_FENCE:
    case OP_WMMA_LOAD:
    case OP_WMMA_STORE:
    case OP_LDMATRIX:
    case OP_STMATRIX:
        return true;
    default:
        return false;
    }
}

static bool writes_a_base(const struct window *w, const struct ptx_inst *i)
{
    if (!i->noperands || i->operands[0].kind != PTX_REG || i->op == OP_ST)
        return false;
    for (u32 k = 0; k < w->at.len; k++)
        if (w->at.at[k].base->kind == PTX_REG && w->at.at[k].base->var == i->operands[0].var)
            return true;
    return false;
}

static void scan_block(struct arena *mem, const struct finder *d, const struct ir_block *b, enum ptx_op op,
                       struct window *w, struct site_estimate *sites)
{
    for (u32 s = b->first; s < b->end; s++) {
        const struct ptx_inst *i = &d->f->insts[s];
        const bool ours = i->op == op && is_plain_shared(i);
        if (keeps_apart(i) || (!ours && is_plain_shared(i) && MUTANT(65, true, false)))
            close_window(d, w, sites);
        if (ours) {
            const struct ptx_operand *a = address_of(i);
            const struct access access = {s, ptx_type_bits(i->types[0]) / 8 * ptx_vec_count(i), a->offset, &a->elems[0],
                                          i->guard, i->guard_neg, false};
            vec_push(mem, &w->at, access);
        }
        if (writes_a_base(w, i))
            close_window(d, w, sites);
    }
    close_window(d, w, sites);
}

void estimate_merges(struct arena *mem, const struct ir_func *f, struct site_estimate *sites)
{
    const struct finder d = make_finder(mem, f->src);
    struct window w = {0};
    for (u32 b = 0; b < f->nblocks; b++) {
        scan_block(mem, &d, &f->blocks[b], OP_LD, &w, sites);
        scan_block(mem, &d, &f->blocks[b], OP_ST, &w, sites);
    }
}
