/* merge.c - shared loads and stores that ptxas makes wider, and loads of constants: neighbours at the same base whose common alignment is known.
 *
 * In a tiled matrix product the H200 ran 8 LDS.128 for the 32 words of a row, where PTX shows 32 loads. The rule here:
 * within a basic block, plain accesses of the same kind through the same base register (or variable), with nothing
 * between that could change or order shared memory, that make 16 or 8 aligned bytes without a gap, are one access. The
 * alignment of a base is found by walking back its arithmetic; ptxas lays out a kernel's own arrays itself, so those
 * count as aligned to 16 bytes whatever PTX says. */
#include "base/mutate.h"
#include "base/vec.h"
#include "meter/rules.h"

enum { DEPTH_MAX = 12, ALIGN_MAX = 16 };

/* ---- low bits ---- */

enum { BITS = 4 }; /* what matters: 16 bytes */

/* The lowest `known` bits of a value are those of `bits`. */
struct low {
    u32 known, bits;
};

struct finder {
    const struct ptx_func *f;
    u32 (*def)[2]; /* by register: 1 + the sites that write it, up to two; 0 = none */
    u8 *count;     /* by register: how many write it, up to 3; 3: too many, or under a guard */
};

static u32 min_u32(u32 a, u32 b) { return a < b ? a : b; }

static struct low low_of(u32 known, u64 bits)
{
    const u32 n = min_u32(known, BITS);
    return (struct low){n, (u32)bits & ((1u << n) - 1)};
}

/* How many of the lowest bits are known to be 0. */
static u32 zeros(struct low a)
{
    const u32 n = a.bits ? (u32)__builtin_ctz(a.bits) : BITS;
    return min_u32(n, a.known);
}

static struct low low_product(struct low a, struct low b)
{
    return low_of(min_u32(a.known + zeros(b), b.known + zeros(a)), (u64)a.bits * b.bits);
}

static struct low low_sum(struct low a, struct low b) { return low_of(min_u32(a.known, b.known), a.bits + b.bits); }

/* A bit of a conjunction is known where both are, or one is 0. */
static struct low low_and(struct low a, struct low b)
{
    u32 n = 0;
    while (n < BITS &&
           ((n < a.known && n < b.known) || (n < a.known && !(a.bits >> n & 1)) || (n < b.known && !(b.bits >> n & 1))))
        n++;
    return low_of(n, a.bits & b.bits);
}

static u32 log2_of(u64 x) { return x ? (u32)__builtin_ctzll(x) : BITS; }

/* ptxas lays out a kernel's own arrays itself. */
static struct low low_of_var(const struct ptx_var *v, i64 offset)
{
    const bool here = v->space == SPACE_SHARED || v->space == SPACE_CONST;
    const bool own = here && v->linkage != LINK_EXTERN && v->size >= ALIGN_MAX;
    return low_of(own ? BITS : log2_of(v->align ? v->align : 1), (u64)offset);
}

static struct low low_operand(const struct finder *d, const struct ptx_operand *o, u32 depth);

/* Of the value that i writes. */
static struct low low_of_inst(const struct finder *d, const struct ptx_inst *i, u32 depth)
{
    const struct ptx_operand *o = i->operands;
    const struct low nothing = {0, 0};
    switch (i->op) {
    case OP_MOV:
    case OP_CVT:
    case OP_CVTA:
        return i->noperands == 2 ? low_operand(d, &o[1], depth) : nothing;
    case OP_ADD:
        return low_sum(low_operand(d, &o[1], depth), low_operand(d, &o[2], depth));
    case OP_SUB: {
        const struct low a = low_operand(d, &o[1], depth), b = low_operand(d, &o[2], depth);
        return low_of(min_u32(a.known, b.known), a.bits - b.bits);
    }
    case OP_OR: {
        const struct low a = low_operand(d, &o[1], depth), b = low_operand(d, &o[2], depth);
        return low_of(min_u32(a.known, b.known), a.bits | b.bits);
    }
    case OP_AND:
        return low_and(low_operand(d, &o[1], depth), low_operand(d, &o[2], depth));
    case OP_SHL:
        return o[2].kind != PTX_IMM
                   ? nothing
                   : low_product(low_operand(d, &o[1], depth), low_of(BITS, o[2].bits < BITS ? 1u << o[2].bits : 0));
    case OP_MUL:
        return ptx_has(i, MOD_HI) ? nothing : low_product(low_operand(d, &o[1], depth), low_operand(d, &o[2], depth));
    case OP_MAD:
        return ptx_has(i, MOD_HI) ? nothing
                                  : low_sum(low_product(low_operand(d, &o[1], depth), low_operand(d, &o[2], depth)),
                                            low_operand(d, &o[3], depth));
    default:
        return nothing;
    }
}

/* `add r, r, step`: how many low bits it leaves as they are; BITS + 1 when i is something else. */
static u32 kept_by_step(const struct ptx_inst *i, const struct ptx_var *r)
{
    const struct ptx_operand *o = i->operands;
    const bool step =
        i->op == OP_ADD && i->noperands == 3 && o[1].kind == PTX_REG && o[1].var == r && o[2].kind == PTX_IMM;
    return step ? min_u32(log2_of(o[2].bits), BITS) : BITS + 1;
}

/* A register that is set once, or set and then stepped in a loop. */
static struct low low_register(const struct finder *d, const struct ptx_var *r, u32 depth)
{
    const struct low nothing = {0, 0};
    if (!depth || r->index >= d->f->nregs || !d->count[r->index] || d->count[r->index] > 2)
        return nothing;
    const struct ptx_inst *first = &d->f->insts[d->def[r->index][0] - 1];
    if (d->count[r->index] == 1)
        return low_of_inst(d, first, depth - 1);
    const struct ptx_inst *second = &d->f->insts[d->def[r->index][1] - 1];
    const u32 kept = min_u32(kept_by_step(first, r), kept_by_step(second, r));
    if (kept > BITS)
        return nothing;
    const struct ptx_inst *set = kept_by_step(first, r) <= BITS ? second : first;
    const struct low start = low_of_inst(d, set, depth - 1);
    return low_of(min_u32(start.known, kept), start.bits);
}

static struct low low_operand(const struct finder *d, const struct ptx_operand *o, u32 depth)
{
    switch (o->kind) {
    case PTX_IMM:
        return low_of(BITS, o->bits);
    case PTX_VAR:
        return low_of_var(o->var, o->offset);
    case PTX_REG:
        return low_register(d, o->var, depth);
    default:
        return (struct low){0, 0};
    }
}

static void note_write(struct finder *d, const struct ptx_inst *i, u32 site, u32 reg)
{
    u8 *n = &d->count[reg];
    if (*n < 2 && !i->guard)
        d->def[reg][(*n)++] = site + 1;
    else
        *n = 3;
}

static struct finder make_finder(struct arena *mem, const struct ptx_func *f)
{
    struct finder d = {f, arena_alloc(mem, sizeof(u32[2]) * (f->nregs + 1)), arena_array(mem, u8, f->nregs + 1)};
    for (u32 s = 0; s < f->ninsts; s++) {
        const struct ptx_inst *i = &f->insts[s];
        const struct ptx_operand *o = i->operands;
        const bool writes = ptx_dest_count(i) > 0, many = writes && (o->kind == PTX_VEC || o->kind == PTX_PAIR);
        const u32 n = many ? o->n : writes;
        for (u32 k = 0; k < n; k++) {
            const struct ptx_operand *r = many ? &o->elems[k] : o;
            if (r->kind == PTX_REG && r->var->index < f->nregs)
                note_write(&d, i, s, r->var->index);
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
    enum ptx_op op;
    enum ptx_space space;
    u32 widest; /* bytes */
};

static const struct ptx_operand *address_of(const struct ptx_inst *i)
{
    const u32 k = i->op == OP_LD ? 1 : 0;
    return k < i->noperands && i->operands[k].kind == PTX_ADDR ? &i->operands[k] : NULL;
}

static bool is_plain(const struct ptx_inst *i, enum ptx_space space)
{
    if ((i->op != OP_LD && i->op != OP_ST) || i->space != space || !address_of(i) || !i->ntypes)
        return false;
    return !ptx_has(i, MOD_VOLATILE) && !ptx_has(i, MOD_RELAXED) && !ptx_has(i, MOD_ACQUIRE) &&
           !ptx_has(i, MOD_RELEASE);
}

static bool same_base(const struct access *a, const struct access *b)
{
    return a->base->kind == b->base->kind && (a->base->kind == PTX_REG || a->base->kind == PTX_VAR) &&
           a->base->var == b->base->var && a->guard == b->guard && a->guard_neg == b->guard_neg;
}

/* The access of the window at base of `a` and the given offset and size that is not taken yet. */
static struct access *find(struct window *w, const struct access *a, i64 offset)
{
    for (u32 k = 0; k < w->at.len; k++)
        if (!w->at.at[k].used && w->at.at[k].offset == offset && w->at.at[k].bytes == a->bytes &&
            same_base(a, &w->at.at[k]))
            return &w->at.at[k];
    return NULL;
}

static bool try_width(const struct finder *d, struct window *w, struct access *a, u32 width,
                      struct site_estimate *sites)
{
    struct access *part[ALIGN_MAX];
    const u32 n = width / a->bytes;
    const struct low base = low_operand(d, a->base, DEPTH_MAX);
    if (n < 2 || 1u << base.known < width || (base.bits + (u64)a->offset) % width)
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
    for (u32 width = w->widest; width >= 8; width /= 2)
        for (u32 k = 0; k < w->at.len; k++)
            if (!w->at.at[k].used && w->at.at[k].bytes >= 4)
                try_width(d, w, &w->at.at[k], width, sites);
    w->at.len = 0;
}

/* Whether i orders or may change what the window's accesses are of, other than by a plain access. */
static bool keeps_apart(const struct window *w, const struct ptx_inst *i)
{
    const struct ptx_op_row *row = &ptx_op_rows[i->op];
    if (w->space == SPACE_CONST)
        return row->flow == FLOW_CALL || row->memory == PTX_MEM_BARRIER;
    switch (row->memory) {
    case PTX_MEM_LOAD:
    case PTX_MEM_STORE:
        return (i->space == SPACE_SHARED && !is_plain(i, SPACE_SHARED)) ||
               (i->space == SPACE_NONE && row->memory == PTX_MEM_STORE);
    case PTX_MEM_ATOMIC:
    case PTX_MEM_MATRIX_LOAD:
    case PTX_MEM_MATRIX_STORE:
    case PTX_MEM_FENCE:
    case PTX_MEM_BARRIER:
        return true;
    default:
        return row->flow == FLOW_CALL;
    }
}

static bool writes_a_base(const struct window *w, const struct ptx_inst *i)
{
    if (!ptx_dest_count(i) || i->operands[0].kind != PTX_REG)
        return false;
    for (u32 k = 0; k < w->at.len; k++)
        if (w->at.at[k].base->kind == PTX_REG && w->at.at[k].base->var == i->operands[0].var)
            return true;
    return false;
}

/* A constant at a known place is no load, but an operand of what uses it. */
static bool is_operand(const struct window *w, const struct ptx_inst *i)
{
    return w->space == SPACE_CONST && address_of(i)->elems[0].kind != PTX_REG;
}

static void scan_block(struct arena *mem, const struct finder *d, const struct ir_block *b, struct window *w,
                       struct site_estimate *sites)
{
    for (u32 s = b->first; s < b->end; s++) {
        const struct ptx_inst *i = &d->f->insts[s];
        const bool plain = is_plain(i, w->space), ours = plain && i->op == w->op && !is_operand(w, i);
        if (keeps_apart(w, i) || (!ours && plain && MUTANT(65, true, false)))
            close_window(d, w, sites);
        if (ours) {
            const struct ptx_operand *a = address_of(i);
            const struct access access = {s,         ptx_type_bits(i->types[0]) / 8 * ptx_vec_count(i),
                                          a->offset, &a->elems[0],
                                          i->guard,  i->guard_neg,
                                          false};
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
    struct window loads = {.op = OP_LD, .space = SPACE_SHARED, .widest = ALIGN_MAX};
    struct window stores = {.op = OP_ST, .space = SPACE_SHARED, .widest = ALIGN_MAX};
    struct window constants = {.op = OP_LD, .space = SPACE_CONST, .widest = 8};
    for (u32 b = 0; b < f->nblocks; b++) {
        scan_block(mem, &d, &f->blocks[b], &loads, sites);
        scan_block(mem, &d, &f->blocks[b], &stores, sites);
        scan_block(mem, &d, &f->blocks[b], &constants, sites);
    }
}
