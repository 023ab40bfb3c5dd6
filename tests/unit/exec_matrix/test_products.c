/* Warp matrix products against scalar.c, bit by bit: every shape and type that is run, at every level that the processor
 * has, in fast and traced bodies, with the result's registers apart from the operands' or among them, on operands of many
 * kinds: exponents near each other and far apart, sums that cancel, sums that are exact in f32 or too large for 32 bits,
 * accumulators above all products, products that are nearly too small, zeros, subnormals, infinities and NaNs. For a while all
 * operands are new, then one in four a or b is what it was before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../exec/harness.h"
#include "exec/bodies/bodies.h"
#include "exec/module.h"
#include "exec/warp.h"
#include "scalar.h"

enum { FRAME = 128 * IR_SLOT, ROUNDS = 520 };

/* ---- what is tested ---- */

struct product {
    const char *op;
    u32 na, nb, nc, nd; /* registers */
};
static const struct product products[] = {
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, 4},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, 2},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, 4},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, 4},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, 2},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, 4},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, 4},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, 4},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, 4},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 2, 4, 4},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 2, 4, 4},
    {"mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16", 2, 1, 2, 2},
    {"mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16", 2, 1, 2, 2},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32", 2, 1, 4, 4},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32", 2, 1, 4, 4},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16", 4, 2, 2, 2},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16", 4, 2, 2, 2},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", 4, 2, 4, 4},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, 2},
    {"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4, 4},
    {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, 4},
    {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, 4},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, 2},
    {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32", 1, 1, 2, 2},
    {"mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", 2, 1, 4, 4},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, 4},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32", 4, 2, 4, 4},
    {"mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", 1, 1, 2, 2},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.s4.s32", 2, 1, 4, 4},
    {"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", 4, 2, 4, 4},
    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 1, 1, 2, 2},
    {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 4, 4},
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, 4},
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 4, 4},
    {"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 2, 1, 4, 4},
    {"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32", 2, 1, 4, 4},
    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", 1, 1, 2, 2},
    {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 2, 1, 4, 4},
    {"mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", 4, 2, 4, 4},
    {"wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32", 1, 1, 2, 2},
    {"wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64", 1, 1, 2, 2},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32.satfinite", 2, 2, 8, 8},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.f16.f16", 8, 8, 4, 4},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.f32.f16", 8, 8, 4, 8},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16", 8, 8, 4, 4},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32", 8, 8, 8, 8},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.f32.bf16.bf16.f32", 8, 2, 8, 8},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 8, 8, 8, 8},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16", 8, 8, 4, 4},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32", 8, 8, 8, 4},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16", 8, 8, 4, 8},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32", 8, 8, 8, 8},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f16.f32", 8, 8, 8, 4},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32", 4, 4, 8, 8},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32", 2, 8, 8, 8},
    {"wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", 4, 4, 8, 8},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32", 2, 2, 8, 8},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32.satfinite", 4, 1, 8, 8},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32", 1, 4, 8, 8},
};

/* Where the result goes. */
enum places { ON_C, OF_ITS_OWN, ON_C_TURNED, ON_A_AND_B, PLACES };

static void list(char *to, u32 first, u32 n, bool down, const char *name)
{
    char *at = to;
    for (u32 k = 0; k < n; k++)
        at += sprintf(at, "%s%s%u", k ? ", " : "{", name, first + (down ? n - 1 - k : k));
    strcpy(at, "}");
}

static void make_text(const struct product *p, enum places where, char *text, size_t size)
{
    char a[128], b[128], c[128], d[128];
    const char *name = strstr(p->op, "f64") ? "%d" : "%v";
    const u32 at_c = p->na + p->nb;
    const u32 at_d = where == OF_ITS_OWN ? at_c + p->nc : where == ON_A_AND_B ? p->na - 1 : at_c;
    list(a, 0, p->na, false, name);
    list(b, p->na, p->nb, false, name);
    list(c, at_c, p->nc, false, name);
    list(d, at_d, p->nd, where == ON_C_TURNED, name);
    snprintf(
        text, size,
        ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%v<48>; .reg .f64 %%d<48>;\n"
        "%s %s, %s, %s, %s;\nret;\n}\n",
        p->op, d, a, b, c);
}

/* ---- operands ---- */

static u64 state = 88172645463325252ull;
static u64 next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

struct format {
    u32 exponent_bits, fraction_bits, width;
};
static struct format format_of(u32 type)
{
    switch ((enum ptx_type)type) {
    case PTX_F16:
        return (struct format){5, 10, 16};
    case PTX_BF16:
        return (struct format){8, 7, 16};
    case PTX_E4M3:
        return (struct format){4, 3, 8};
    case PTX_E5M2:
        return (struct format){5, 2, 8};
    case PTX_F64:
        return (struct format){11, 52, 64};
    default:
        return (struct format){8, 23, 32};
    }
}

enum kinds {
    NEAR_ONE,
    ANY_FINITE,
    SPARSE,
    CANCELLING,
    TINY,
    HUGE_ONES,
    SOME_SPECIAL,
    ANY_BITS,
    FEW_BITS,
    ALL_LARGE,
    WINDOW,
    LEAST_PRODUCTS,
    GREAT_SUMS,
    KINDS
};

/* A float of a kind; those of one k of A and of the k beside it are alike when sums shall cancel. */
static u64 float_bits(struct format f, enum kinds kind)
{
    const u64 r = next_random(), sign = (r & 1) << (f.width - 1), most = (1u << f.exponent_bits) - 1;
    const u64 fraction = (r >> 1) & ((1ull << f.fraction_bits) - 1), bias = most / 2, pick = r >> 56;
    u64 e = bias - 3 + pick % 6;
    switch (kind) {
    case ANY_FINITE:
        e = pick % most;
        break;
    case SPARSE:
        return pick % 8 ? sign : sign | e << f.fraction_bits | fraction;
    case CANCELLING: /* few values, either sign */
        return sign | (bias + pick % 2) << f.fraction_bits | (fraction & 1);
    case TINY:
        e = pick % 3;
        break;
    case HUGE_ONES:
        e = most - 1 - pick % 3;
        break;
    case SOME_SPECIAL:
        if (pick < 2)
            return sign | most << f.fraction_bits | (pick ? fraction : 0);
        break;
    case FEW_BITS: /* sums that nothing is rounded in; at times they are no numbers */
        if (pick < 2)
            return sign | most << f.fraction_bits | (pick ? fraction : 0);
        return sign | (pick % 8 ? (bias + pick % 3) << f.fraction_bits |
                                      (fraction >> (f.fraction_bits - 2) << (f.fraction_bits - 2))
                                : 0);
    case ALL_LARGE: /* sums of more than 32 bits, where 25 are kept behind the point */
        return bias << f.fraction_bits | (((1ull << f.fraction_bits) - 1) ^ (pick < 8    ? 1ull << (f.fraction_bits - 1)
                                                                             : pick < 40 ? fraction & 3
                                                                                         : 0));
    case WINDOW: /* about 2^-48 to 2^15, a bit beyond at times, and zeros */
        if (pick < 64)
            return sign;
        e = bias < 50 ? pick % most : bias - 48 + pick % 64 - (pick == 255) + (pick == 64);
        break;
    case LEAST_PRODUCTS: /* of about 2^-96 to 2^-72, and zeros beside large numbers */
        if (pick < 64)
            return sign;
        e = bias < 50 ? pick % 3 : pick < 68 ? bias + 15 : bias - 48 + pick % 12;
        break;
    case ANY_BITS:
        return r >> (64 - f.width);
    default:
        break;
    }
    return sign | e << f.fraction_bits | fraction;
}

static bool is_float(u32 type)
{
    switch ((enum ptx_type)type) {
    case PTX_F16:
    case PTX_BF16:
    case PTX_TF32:
    case PTX_F32:
    case PTX_E4M3:
    case PTX_E5M2:
    case PTX_F64:
        return true;
    default:
        return false;
    }
}

/* An accumulator among such products: of either size, or none. */
static u64 accumulator_bits(struct format f, enum kinds kind)
{
    const u64 bits = float_bits(f, NEAR_ONE), pick = next_random() >> 56, bias = (1u << (f.exponent_bits - 1)) - 1;
    const u64 other = bits & ~(((1ull << f.exponent_bits) - 1) << f.fraction_bits);
    if (kind == GREAT_SUMS)
        return other | (bias + pick % 15) << f.fraction_bits;
    return pick % 4 && f.exponent_bits == 8 ? other | (bias - 100 + pick % 30) << f.fraction_bits : 0;
}

static void fill_fragment(const struct ir_fragment *f, u8 *regs, enum kinds kind)
{
    const struct format format = format_of(f->type);
    const bool sum = (kind == LEAST_PRODUCTS || kind == GREAT_SUMS) && f->type == PTX_F32;
    for (u32 k = 0; k < f->nslots; k++)
        for (u32 l = 0; l < IR_LANES; l++) {
            u64 x = next_random();
            if (!is_float(f->type) && f->bits == 32 && kind % 2) /* near both ends: sums wrap or are clamped */
                x = (x & 0x800000ff) ^ 0x7fffff00;
            if (is_float(f->type)) {
                x = 0;
                for (u32 at = 0; at < (f->bits < 32 ? 32u : f->bits); at += format.width)
                    x |= (sum ? accumulator_bits(format, kind) : float_bits(format, kind)) << at;
            }
            if (f->bits == 64)
                ((u64 *)(void *)(regs + f->slots[k]))[l] = x;
            else
                ((u32 *)(void *)(regs + f->slots[k]))[l] = (u32)x;
        }
}

/* ---- a run ---- */

static const struct ir_inst *stop(const struct ir_inst *pc, u8 *regs, struct warp *w)
{
    (void)pc, (void)regs, (void)w;
    return NULL;
}

static void run_body(const char *body, enum exec_isa isa, enum ir_mode mode, const struct ir_matrix *x, u8 *regs)
{
    const struct ir_inst code[2] = {{.run = bodies_find_isa(isa, body, mode), .ptr = x}, {.run = stop}};
    struct warp w = {.mask = FULL_MASK};
    for (const struct ir_inst *pc = code; pc;)
        pc = pc->run(pc, regs, &w);
}

/* Of two f64 NaNs either may come out of an addition: all count as one. */
static void join_nans(const struct ir_matrix *x, u8 *regs)
{
    if (x->d.type != PTX_F64)
        return;
    for (u32 k = 0; k < x->d.nslots; k++)
        for (u32 l = 0; l < IR_LANES; l++) {
            f64 *v = (f64 *)(void *)(regs + x->d.slots[k]) + l;
            if (*v != *v)
                memset(v, 0xff, sizeof *v);
        }
}

static void compare(const char *op, const char *body, const struct ir_matrix *x, enum places where)
{
    static u8 given[FRAME] __attribute__((aligned(64))), want[FRAME] __attribute__((aligned(64)));
    static u8 got[FRAME] __attribute__((aligned(64)));
    for (u32 round = 0; round < ROUNDS; round++) {
        const enum kinds kind = (enum kinds)(round % KINDS);
        const u32 turn = round / 50 % 2 ? round % 4 : 0;
        for (u32 k = 0; k < FRAME / 8 && turn == 0; k++)
            ((u64 *)(void *)given)[k] = next_random();
        if (turn != 1)
            fill_fragment(&x->a, given, kind);
        if (turn != 2)
            fill_fragment(&x->b, given, round % 3 ? kind : NEAR_ONE);
        fill_fragment(&x->c, given, round % 5 ? kind : SPARSE);
        memcpy(want, given, FRAME);
        scalar_product(x, want);
        join_nans(x, want);
        for (enum exec_isa isa = ISA_PORTABLE; isa < ISA_COUNT; isa++)
            for (u32 mode = 0; mode < IR_NMODES && bodies_has_isa(isa); mode++) {
                memcpy(got, given, FRAME);
                run_body(body, isa, (enum ir_mode)mode, x, got);
                join_nans(x, got);
                for (u32 k = 0; k < FRAME / 4; k++)
                    if (((u32 *)(void *)want)[k] != ((u32 *)(void *)got)[k])
                        fail_msg("%s, level %d, mode %u, places %d, operands %d: byte %u is %08x and should be %08x",
                                 op, isa, mode, where, kind, 4 * k, ((u32 *)(void *)got)[k], ((u32 *)(void *)want)[k]);
            }
    }
}

static const struct ir_inst *find_product(const struct ir_func *f, const char **name)
{
    static const char *const names[] = {"matrix_mma_float", "matrix_mma_f64", "matrix_mma_int"};
    for (u32 k = 0; k < f->code[IR_FAST].n; k++)
        for (u32 n = 0; n < LS_ARRAY_LEN(names); n++)
            if (f->code[IR_FAST].insts[k].run == bodies_find(names[n], IR_FAST)) {
                *name = names[n];
                return &f->code[IR_FAST].insts[k];
            }
    fail_msg("no product was lowered");
    return NULL;
}

static void test_products(void **unused)
{
    (void)unused;
    for (u32 k = 0; k < LS_ARRAY_LEN(products); k++)
        for (enum places where = ON_C; where < PLACES; where++) {
            char text[2048];
            struct bench b;
            struct exec_fault f;
            const char *body;
            if (products[k].nc != products[k].nd && where != OF_ITS_OWN)
                continue;
            make_text(&products[k], where, text, sizeof text);
            bench_open(&b, text);
            bench_run(&b, &(struct run){.kernel = "k", .grid = 1, .block = 32}, &f); /* lowers it */
            const struct ir_func *ir = b.module->kernels[0]->ir;
            assert_true(ir->frame_bytes <= FRAME);
            const struct ir_inst *product = find_product(ir, &body);
            compare(products[k].op, body, product->ptr, where);
            bench_close(&b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
