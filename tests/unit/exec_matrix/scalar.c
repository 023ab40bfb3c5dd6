/* scalar.c - see scalar.h. Every fragment is spread out into a matrix, every element of the result is one loop over k,
 * and the result is gathered into its registers. What an element of floats is, hw/tensor/model.c says. */
#include "scalar.h"

#include "../../hw/tensor/model.h"
#include "exec/ops/halves.h"

/* The largest: A of m32n8k16 or, one bit an element, m16n8k256; B of m16n16k16 or m16n8k256. */
enum { MOST_A = 16 * 256, MOST_B = 8 * 256, MOST_C = 16 * 16 };

static u32 slot_of(const struct ir_fragment *f, u32 unit, u32 i)
{
    return f->bits >= 32 ? f->slots[unit * f->per_lane + i] : f->slots[unit];
}

static u64 bits_of(const struct ir_fragment *f, const u8 *regs, u32 unit, u32 i, u32 lane)
{
    const u8 *r = regs + slot_of(f, unit, i);
    if (f->bits == 64)
        return ((const u64 *)(const void *)r)[lane];
    const u32 word = ((const u32 *)(const void *)r)[lane];
    return f->bits == 32 ? word : word >> i * f->bits & ((1u << f->bits) - 1);
}

/* Where element i of a unit's lane goes in a matrix whose lines and runs are that many elements apart. */
static u32 place_of(const struct ir_fragment *f, u32 unit, u32 i, u32 lane, u32 lines, u32 runs)
{
    return (f->line[unit] + lane / 4) * lines + (f->run[unit] + lane % 4 * f->per_lane + i) * runs;
}

#define EACH_ELEMENT(f)                                                                                                \
    for (u32 u = 0; u < (f)->units; u++)                                                                               \
        for (u32 i = 0; i < (f)->per_lane; i++)                                                                        \
            for (u32 l = 0; l < IR_LANES; l++)

static void spread_bits(const struct ir_fragment *f, const u8 *regs, u32 *to, u32 lines, u32 runs)
{
    EACH_ELEMENT(f) to[place_of(f, u, i, l, lines, runs)] = (u32)bits_of(f, regs, u, i, l);
}

static void spread_doubles(const struct ir_fragment *f, const u8 *regs, f64 *to, u32 lines, u32 runs)
{
    EACH_ELEMENT(f) to[place_of(f, u, i, l, lines, runs)] = f64_of_bits(bits_of(f, regs, u, i, l));
}

static void spread_ints(const struct ir_fragment *f, const u8 *regs, i32 *to, u32 lines, u32 runs)
{
    const u32 sign = ptx_type_signed((enum ptx_type)f->type) ? 1u << (f->bits - 1) : 0;
    EACH_ELEMENT(f) to[place_of(f, u, i, l, lines, runs)] = (i32)(((u32)bits_of(f, regs, u, i, l) ^ sign) - sign);
}

static enum tensor_type type_of(u32 type)
{
    switch ((enum ptx_type)type) {
    case PTX_F16:
        return T_F16;
    case PTX_BF16:
        return T_BF16;
    case PTX_TF32:
        return T_TF32;
    case PTX_E4M3:
        return T_E4M3;
    default:
        return T_E5M2;
    }
}

/* As a tensor core does it. The only tf32 product of 16 columns is that of wmma. */
static void float_product(const struct ir_matrix *x, u8 *regs)
{
    static u32 a[MOST_A], b[MOST_B], c[MOST_C];
    const struct tensor_op op = {.by = x->n == 16 ? TENSOR_WMMA : TENSOR_MMA,
                                 .k = x->k,
                                 .a = type_of(x->a.type),
                                 .b = type_of(x->b.type),
                                 .half_c = x->c.type == PTX_F16,
                                 .half_d = x->d.type == PTX_F16};
    spread_bits(&x->a, regs, a, x->k, 1);
    spread_bits(&x->b, regs, b, x->k, 1);
    spread_bits(&x->c, regs, c, x->n, 1);
    EACH_ELEMENT(&x->d)
    {
        const u32 at = place_of(&x->d, u, i, l, x->n, 1);
        const u32 r = tensor_element(tensor_rules, &op, a + at / x->n * x->k, b + at % x->n * x->k, c[at]);
        u32 *d = (u32 *)(void *)(regs + slot_of(&x->d, u, i)) + l;
        *d = x->d.bits == 16 && i ? *d | r << 16 : r;
    }
}

static void double_product(const struct ir_matrix *x, u8 *regs)
{
    static f64 a[MOST_A], b[MOST_B], c[MOST_C];
    spread_doubles(&x->a, regs, a, x->k, 1);
    spread_doubles(&x->b, regs, b, x->k, 1);
    spread_doubles(&x->c, regs, c, x->n, 1);
    for (u32 at = 0; at < (u32)x->m * x->n; at++)
        for (u32 j = 0; j < x->k; j++)
            c[at] = f64_fma(a[at / x->n * x->k + j], b[at % x->n * x->k + j], c[at]);
    EACH_ELEMENT(&x->d)
    ((f64 *)(void *)(regs + slot_of(&x->d, u, i)))[l] = c[place_of(&x->d, u, i, l, x->n, 1)];
}

static i64 dot(const struct ir_matrix *x, const i32 *a, const i32 *b)
{
    i64 sum = 0;
    for (u32 j = 0; j < x->k; j++)
        sum += x->op == MATRIX_XOR ? a[j] ^ b[j] : x->op == MATRIX_AND ? a[j] & b[j] : a[j] * b[j];
    return sum;
}

static void int_product(const struct ir_matrix *x, u8 *regs)
{
    static i32 a[MOST_A], b[MOST_B], c[MOST_C];
    spread_ints(&x->a, regs, a, x->k, 1);
    spread_ints(&x->b, regs, b, x->k, 1);
    spread_ints(&x->c, regs, c, x->n, 1);
    EACH_ELEMENT(&x->d)
    {
        const u32 at = place_of(&x->d, u, i, l, x->n, 1);
        const i64 sum = c[at] + dot(x, a + at / x->n * x->k, b + at % x->n * x->k);
        const i64 near = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        ((u32 *)(void *)(regs + slot_of(&x->d, u, i)))[l] = (u32)(x->satfinite ? near : sum);
    }
}

void scalar_product(const struct ir_matrix *x, u8 *regs)
{
    if (x->a.type == PTX_F64)
        double_product(x, regs);
    else if (x->d.type == PTX_S32)
        int_product(x, regs);
    else
        float_product(x, regs);
}
