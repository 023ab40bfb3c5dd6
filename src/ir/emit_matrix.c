/* emit_matrix.c - warp matrix instructions (PTX ISA 9.7.14): shapes, types and layouts become the fragments of
 * matrix.h.
 *
 * Which registers stand for which elements follows from two formulas, one for A and the accumulators and one for B,
 * that reproduce every figure of 9.7.14.5 and what ptxas does for wmma. */
#include "ir/emit.h"

#include <stdio.h>
#include <string.h>

#include "ir/matrix.h"

enum role { ROLE_A, ROLE_B, ROLE_C };

struct shape {
    u32 m, n, k;
    bool turned; /* m8n32k16, done as m32n8k16 of the transposed matrices */
};

static struct shape shape_of(const struct ptx_inst *i)
{
    struct shape s = {0};
    for (unsigned k = 0; k < i->nmods; k++)
        if (sscanf(ptx_mod_name(i->mods[k]), "m%un%uk%u", &s.m, &s.n, &s.k) == 3)
            break;
    s.turned = s.m == 8 && s.n == 32;
    if (s.turned) {
        s.m = 32;
        s.n = 8;
    }
    return s;
}

/* ---- fragments ---- */

/* A and the accumulators: two units of 8 lines below each other, then the next columns, then the next 16 lines. */
static void place_lines_first(struct ir_fragment *f, u32 lines, u32 runs)
{
    const u32 pair = lines >= 16 ? 2 : 1, width = 4u * f->per_lane, columns = runs / width;
    f->units = (u8)(lines / 8 * columns);
    for (u32 u = 0; u < f->units; u++) {
        f->line[u] = (u8)(8 * (u % pair) + 16 * (u / (pair * columns)));
        f->run[u] = (u16)(width * (u / pair % columns));
    }
}

/* B: along k, then the next 8 columns. */
static void place_runs_first(struct ir_fragment *f, u32 lines, u32 runs)
{
    const u32 width = 4u * f->per_lane, columns = runs / width;
    f->units = (u8)(lines / 8 * columns);
    for (u32 u = 0; u < f->units; u++) {
        f->line[u] = (u8)(8 * (u / columns));
        f->run[u] = (u16)(width * (u % columns));
    }
}

static void make_fragment(struct ir_fragment *f, enum role role, enum ptx_type t, const struct shape *s)
{
    f->type = (u8)t;
    f->bits = (u8)ptx_type_bits(t);
    f->per_lane = (u8)(role == ROLE_C ? 2 : f->bits >= 32 ? 1 : 32 / f->bits);
    if (role == ROLE_B)
        place_runs_first(f, s->n, s->k);
    else
        place_lines_first(f, s->m, role == ROLE_A ? s->k : s->n);
}

/* The registers of a fragment; a vector of one element may be written without braces. */
static void bind_registers(struct emit *e, struct ir_fragment *f, const struct ptx_operand *o, bool dest)
{
    const enum ptx_type t = f->bits == 64 ? PTX_B64 : PTX_B32;
    const struct ptx_operand *regs = o->kind == PTX_VEC ? o->elems : o;
    const u32 n = o->kind == PTX_VEC ? o->n : 1;
    if (n > MATRIX_SLOTS || n < f->units * matrix_unit_slots(f)) {
        ir_poison(e->p, e->site, "a fragment of %u registers is not provided", n);
        return;
    }
    f->nslots = (u8)n;
    for (u32 k = 0; k < n; k++)
        f->slots[k] = dest ? emit_write(e, &regs[k], t) : emit_read(e, &regs[k], t);
}

/* ---- products ---- */

static const char *product_body(enum ptx_type t)
{
    switch (t) {
    case PTX_F16:
    case PTX_BF16:
    case PTX_TF32:
    case PTX_E4M3:
    case PTX_E5M2:
        return "matrix_mma_float";
    case PTX_F64:
        return "matrix_mma_f64";
    default:
        return "matrix_mma_int";
    }
}

static bool is_multiplied(enum ptx_type t)
{
    switch (t) {
    case PTX_F16:
    case PTX_BF16:
    case PTX_TF32:
    case PTX_F64:
    case PTX_S8:
    case PTX_U8:
    case PTX_S4:
    case PTX_U4:
    case PTX_B1:
    case PTX_E4M3:
    case PTX_E5M2:
        return true;
    default:
        return false;
    }
}

/* What does not run although it is PTX. */
static const char *no_product(enum ptx_type a, enum ptx_type b)
{
    if (!is_multiplied(a) || !is_multiplied(b))
        return "multiplicands of this type are not simulated yet";
    return NULL;
}

static u8 rounding_of(const struct ptx_inst *i)
{
    return ptx_has(i, MOD_RZ) ? MATRIX_RZ : ptx_has(i, MOD_RM) ? MATRIX_RM : ptx_has(i, MOD_RP) ? MATRIX_RP : MATRIX_RN;
}

static u32 times_among(u32 slot, const struct ir_fragment *f)
{
    u32 n = 0;
    for (u32 k = 0; k < f->nslots; k++)
        n += f->slots[k] == slot;
    return n;
}

/* Whether d can be written only when all of a, b and c is read. An accumulator in place is read, tile by tile, before
 * it is written, if its register is not another part of the accumulator too, as where all of it is one zero. */
static bool must_be_apart(const struct ir_matrix *x)
{
    for (u32 k = 0; k < x->d.nslots; k++) {
        const u32 slot = x->d.slots[k];
        const bool in_place = x->c.bits == x->d.bits && x->c.slots[k] == slot;
        if (times_among(slot, &x->a) || times_among(slot, &x->b) || times_among(slot, &x->c) > in_place)
            return true;
    }
    return false;
}

/* ---- products of quads: mma.m8n8k4 of f16 (9.7.14.5.1) ---- */

static void bind_quad(struct emit *e, struct ir_fragment *f, enum ptx_type t, const struct ptx_operand *o, u32 n,
                      bool dest)
{
    if (o->kind != PTX_VEC || o->n != n) {
        ir_poison(e->p, e->site, "mma.m8n8k4 of f16 has fragments of 2, 4 or 8 registers");
        return;
    }
    f->type = (u8)t;
    f->bits = (u8)ptx_type_bits(t);
    f->nslots = (u8)o->n;
    for (u32 k = 0; k < o->n; k++)
        f->slots[k] = dest ? emit_write(e, &o->elems[k], PTX_B32) : emit_read(e, &o->elems[k], PTX_B32);
}

static void emit_quads(struct emit *e, enum ptx_type d, enum ptx_type c)
{
    const struct ptx_inst *i = e->inst;
    struct ir_matrix *x = arena_new(e->p->mem, struct ir_matrix);
    bool is_a = true; /* its layout comes first */
    for (unsigned k = 0; k < i->nmods; k++)
        if (i->mods[k] == MOD_ROW || i->mods[k] == MOD_COL) {
            *(is_a ? &x->crossed : &x->b_crossed) = i->mods[k] == (is_a ? MOD_COL : MOD_ROW);
            is_a = false;
        }
    bind_quad(e, &x->a, PTX_F16, &i->operands[1], 2, false);
    bind_quad(e, &x->b, PTX_F16, &i->operands[2], 2, false);
    bind_quad(e, &x->c, c, &i->operands[3], c == PTX_F16 ? 4 : 8, false);
    bind_quad(e, &x->d, d, &i->operands[0], d == PTX_F16 ? 4 : 8, true);
    emit_put(e, "matrix_mma_quads")->ptr = x;
    emit_end_writes(e);
}

/* Types are written d, a, b, c; wmma of f16 has d and c alone. */
void emit_mma(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    const bool two = i->ntypes == 2;
    const enum ptx_type d = i->types[0], c = i->types[two ? 1 : 3], a = two ? PTX_F16 : i->types[1],
                        b = two ? PTX_F16 : i->types[2];
    const struct shape s = shape_of(i);
    const char *why = no_product(a, b);
    if (why) {
        ir_poison(e->p, e->site, "%s", why);
        return;
    }
    if (s.m == 8 && s.k == 4 && a == PTX_F16) {
        emit_quads(e, d, c);
        return;
    }
    struct ir_matrix *x = arena_new(e->p->mem, struct ir_matrix);
    x->m = (u16)s.m;
    x->n = (u16)s.n;
    x->k = (u16)s.k;
    x->op = ptx_has(i, MOD_XOR) ? MATRIX_XOR : ptx_has(i, MOD_AND) ? MATRIX_AND : MATRIX_MUL;
    x->satfinite = ptx_has(i, MOD_SATFINITE);
    make_fragment(&x->a, ROLE_A, s.turned ? b : a, &s);
    make_fragment(&x->b, ROLE_B, s.turned ? a : b, &s);
    make_fragment(&x->c, ROLE_C, c, &s);
    make_fragment(&x->d, ROLE_C, d, &s);
    bind_registers(e, &x->a, &i->operands[s.turned ? 2 : 1], false);
    bind_registers(e, &x->b, &i->operands[s.turned ? 1 : 2], false);
    bind_registers(e, &x->c, &i->operands[3], false);
    bind_registers(e, &x->d, &i->operands[0], true);
    x->apart = must_be_apart(x);
    x->rounding = rounding_of(i);
    emit_put(e, x->rounding ? "matrix_mma_f64_round" : product_body(a))->ptr = x;
    emit_end_writes(e);
}

/* Of sm_120: narrow floats, and their scales. */
static bool has_kind(const struct ptx_inst *i)
{
    for (u32 k = 0; k < i->nmods; k++)
        if (strncmp(ptx_mod_name(i->mods[k]), "kind::", 6) == 0)
            return true;
    return false;
}

/* mma.sp: d, a, b, c, metadata, selector. */
void emit_mma_sparse(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    const struct shape s = shape_of(i), half = {s.m, s.n, s.k / 2, false};
    const enum ptx_type d = i->types[0], a = i->types[1], b = i->types[2], c = i->types[3];
    if (!s.k || has_kind(i) || i->ntypes != 4 || !is_multiplied(a) || a == PTX_F64 || a == PTX_B1 ||
        i->operands[4].kind == PTX_SINK) {
        ir_poison(e->p, e->site, "sparse products of this type are not simulated yet");
        return;
    }
    struct ir_matrix *x = arena_new(e->p->mem, struct ir_matrix);
    x->m = (u16)s.m;
    x->n = (u16)s.n;
    x->k = (u16)s.k;
    x->satfinite = ptx_has(i, MOD_SATFINITE);
    make_fragment(&x->a, ROLE_A, a, &half);
    make_fragment(&x->b, ROLE_B, b, &s);
    make_fragment(&x->c, ROLE_C, c, &s);
    make_fragment(&x->d, ROLE_C, d, &s);
    bind_registers(e, &x->a, &i->operands[1], false);
    bind_registers(e, &x->b, &i->operands[2], false);
    bind_registers(e, &x->c, &i->operands[3], false);
    x->metadata = emit_read(e, &i->operands[4], PTX_B32);
    x->selector = i->operands[5].kind == PTX_IMM ? (u8)(i->operands[5].bits & 3) : 0;
    bind_registers(e, &x->d, &i->operands[0], true);
    emit_put(e, "matrix_mma_sparse")->ptr = x;
    emit_end_writes(e);
}

/* ---- wmma.load, wmma.store ---- */

static u8 walk_of(const struct ir_matrix *x, enum role role)
{
    const u8 bits = x->d.bits;
    if (x->space == SPACE_SHARED && role != ROLE_C && (bits == 16 || (bits == 8 && !x->crossed)))
        return MATRIX_ROWS;
    return !x->crossed ? MATRIX_DIRECT : bits == 16 ? MATRIX_PAIRS : MATRIX_ELEMENTS;
}

/* A LDSM takes up to four units of 16-bit elements; of 8-bit ones ptxas takes two. */
static u8 units_a_row(const struct ir_fragment *f)
{
    return f->units % 4 == 0 && f->bits == 16 ? 4 : f->units % 2 == 0 ? 2 : 1;
}

/* Sets everything but the registers; returns the default leading dimension. */
static u32 make_access(struct ir_matrix *x, const struct ptx_inst *i)
{
    const struct shape s = shape_of(i);
    enum role role = ptx_has(i, MOD_A) ? ROLE_A : ptx_has(i, MOD_B) ? ROLE_B : ROLE_C;
    bool col = ptx_has(i, MOD_COL);
    if (s.turned) {
        role = role == ROLE_A ? ROLE_B : role == ROLE_B ? ROLE_A : ROLE_C;
        col = !col;
    }
    x->space = i->space;
    x->crossed = role == ROLE_B ? !col : col;
    make_fragment(&x->d, role, (enum ptx_type)i->types[0], &s);
    x->walk = walk_of(x, role);
    x->rows_units = units_a_row(&x->d);
    const u32 lines = role == ROLE_B ? s.n : s.m, runs = role == ROLE_C ? s.n : s.k;
    return x->crossed ? lines : runs;
}

u32 ir_matrix_accesses(const struct ptx_inst *i)
{
    struct ir_matrix x = {0};
    if (i->op != OP_WMMA_LOAD && i->op != OP_WMMA_STORE)
        return i->op == OP_LDMATRIX || i->op == OP_STMATRIX;
    make_access(&x, i);
    return x.walk == MATRIX_ROWS       ? (u32)x.d.units / x.rows_units
           : x.walk == MATRIX_ELEMENTS ? (u32)x.d.units * x.d.per_lane
                                       : x.d.units;
}

/* 16 x 8 elements of d and 16 of k are one instruction, of tf32 in wmma 4 of k. sm_90 has no 4-bit and no exclusive-or
 * products: it does them in two. */
u32 ir_matrix_products(const struct ptx_inst *i)
{
    if (i->op == OP_WGMMA_MMA_ASYNC || i->op == OP_WGMMA_MMA_ASYNC_SP)
        return 1;
    if (i->op != OP_WMMA_MMA && i->op != OP_MMA)
        return 0;
    const struct shape s = shape_of(i);
    const enum ptx_type a = i->ntypes > 2 ? (enum ptx_type)i->types[1] : PTX_F16;
    if (a == PTX_S4 || a == PTX_U4 || ptx_has(i, MOD_XOR))
        return 2;
    if (i->op == OP_MMA || s.m * s.n == 64)
        return 1;
    return a == PTX_TF32 ? 4 : 2;
}

static void put_access(struct emit *e, const char *body, struct place at, u32 stride, const struct ir_matrix *x)
{
    struct ir_inst *r = emit_put(e, body);
    r->a = at.slot;
    r->imm = at.imm;
    r->aux = at.aux;
    r->b = stride;
    r->ptr = x;
    emit_end_writes(e);
}

static void emit_wmma_access(struct emit *e, bool load)
{
    const struct ptx_inst *i = e->inst;
    struct ir_matrix *x = arena_new(e->p->mem, struct ir_matrix);
    const u32 usual = make_access(x, i);
    const struct place at = emit_address(e, &i->operands[load ? 1 : 0]);
    const u32 stride = i->noperands > 2 ? emit_read(e, &i->operands[2], PTX_U32) : emit_const32(e, usual);
    bind_registers(e, &x->d, &i->operands[load ? 0 : 1], load);
    put_access(e, load ? "wmma_load" : "wmma_store", at, stride, x);
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

static void emit_matrix_rows(struct emit *e, bool load)
{
    const struct ptx_inst *i = e->inst;
    struct ir_matrix *x = arena_new(e->p->mem, struct ir_matrix);
    if (!ptx_has(i, MOD_M8N8)) {
        ir_poison(e->p, e->site, "matrices of 8-bit elements and less are not simulated yet");
        return;
    }
    x->space = i->space; /* without .shared the address is generic */
    x->crossed = ptx_has(i, MOD_TRANS);
    x->walk = MATRIX_ROWS;
    x->rows_units = ptx_has(i, MOD_X4) ? 4 : ptx_has(i, MOD_X2) ? 2 : 1;
    x->d = (struct ir_fragment){.type = PTX_B16, .bits = 16, .per_lane = 2, .units = x->rows_units};
    const struct place at = emit_address(e, &i->operands[load ? 1 : 0]);
    bind_registers(e, &x->d, &i->operands[load ? 0 : 1], load);
    put_access(e, load ? "ldmatrix" : "stmatrix", at, 0, x);
}

void emit_movmatrix(struct emit *e)
{
    const u32 a = emit_read(e, &e->inst->operands[1], PTX_B32), d = emit_write(e, &e->inst->operands[0], PTX_B32);
    struct ir_inst *r = emit_put(e, "movmatrix");
    r->a = a;
    r->d = d;
    emit_end_writes(e);
}

void emit_wmma_load(struct emit *e) { emit_wmma_access(e, true); }
void emit_wmma_store(struct emit *e) { emit_wmma_access(e, false); }
void emit_ldmatrix(struct emit *e) { emit_matrix_rows(e, true); }
void emit_stmatrix(struct emit *e) { emit_matrix_rows(e, false); }
