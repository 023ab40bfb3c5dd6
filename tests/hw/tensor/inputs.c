/* inputs.c - see inputs.h. Most kinds say from where to where the exponents of A, B and the accumulator reach; then some
 * make pairs of k whose products cancel, leave one product or two, or put zeros, infinities and NaNs in. */
#include "inputs.h"

#include <math.h>
#include <string.h>

static _Thread_local uint64_t state;
static uint32_t next(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 16);
}
static uint32_t below(uint32_t n) { return (uint32_t)((uint64_t)next() * n >> 32); }
static int between(int low, int high) { return low + (int)below((uint32_t)(high - low + 1)); }

/* ---- kinds ---- */

enum kind {
    NEAR,
    WIDE,
    SPREAD,
    FAR,
    CANCEL,
    CANCEL_DEEP,
    C_LARGE,
    C_SMALL,
    C_CANCELS,
    SUBNORMAL,
    SUBNORMAL_BOTH,
    TINY,
    HUGE_SUMS,
    HUGE_CANCEL,
    SPARSE,
    ZEROS,
    ONE,
    TWO,
    ALL_ONES,
    POWERS,
    SPECIAL,
    INFINITE,
    ANY,
    DOWN
};
const char *const tensor_kinds[TENSOR_KINDS] = {
    "near",      "wide",      "spread",         "far",    "cancel",  "cancel_deep", "c_large", "c_small",
    "c_cancels", "subnormal", "subnormal_both", "tiny",   "huge",    "huge_cancel", "sparse",  "zeros",
    "one",       "two",       "all_ones",       "powers", "special", "infinite",    "any",     "down",
};

/* From where to where exponents reach, of elements and of the accumulator. */
struct reach {
    int a[2], b[2], c[2];
};

static int least(enum tensor_type t) { return 1 - tensor_bias(t); }
static int most(enum tensor_type t) { return tensor_bias(t) + (t == T_E4M3); }

static struct reach reach_of(const struct tensor_op *op, enum kind kind)
{
    const int la = least(op->a), lb = least(op->b), ma = most(op->a), mb = most(op->b);
    const bool large = op->a == T_BF16 || op->a == T_TF32;
    switch (kind) {
    case WIDE:
        return (struct reach){{la - 1, ma}, {lb - 1, mb}, {la + lb, ma + mb}};
    case SPREAD:
    case ALL_ONES:
    case SPARSE:
        return (struct reach){{-7, 7}, {-7, 7}, {-16, 16}};
    case FAR:
    case POWERS:
    case TWO:
    case DOWN:
        return (struct reach){{-13, 13}, {-13, 13}, {-30, 30}};
    case ONE:
        return (struct reach){{-8, 8}, {-8, 8}, {-30, 30}};
    case C_LARGE:
        return (struct reach){{-3, 2}, {-3, 2}, {16, 28}};
    case C_SMALL:
        return (struct reach){{-3, 2}, {-3, 2}, {-31, -14}};
    case SUBNORMAL:
        return (struct reach){{la - 1, la + 1}, {mb - 3, mb}, {la + mb - 8, la + mb + 2}};
    case SUBNORMAL_BOTH:
        return (struct reach){{la - 1, la + 1}, {lb - 1, lb + 2}, {la + lb - 4, la + lb + 2}};
    case TINY:
        return large ? (struct reach){{-76, -62}, {-75, -63}, {-151, -118}}
                     : (struct reach){{la - 1, la + 7}, {lb - 1, lb + 7}, {2 * la - 1, la + 2}};
    case HUGE_SUMS:
        return large ? (struct reach){{60, 65}, {60, 64}, {120, 127}} : (struct reach){{4, 9}, {4, 9}, {11, 15}};
    case HUGE_CANCEL:
        return (struct reach){{ma - 3, ma}, {mb - 3, mb}, {ma + mb - 5, ma + mb}};
    default:
        return (struct reach){{-3, 2}, {-3, 2}, {-4, 5}};
    }
}

/* ---- elements ---- */

static uint32_t sign_of(enum tensor_type t) { return 1u << (tensor_formats[t].width - 1); }
static uint32_t infinity_of(enum tensor_type t)
{
    const struct tensor_format f = tensor_formats[t];
    return ((1u << f.exponent) - 1) << (f.width - 1 - f.exponent);
}

/* A finite number: exponents that the format has not are the nearest that it has; the one below the least is of subnormals. */
static uint32_t element(enum tensor_type t, const int *reach, enum kind kind)
{
    const struct tensor_format f = tensor_formats[t];
    const int top = (1 << f.exponent) - 2 + (t == T_E4M3), below_point = f.width - 1 - f.exponent;
    int field = between(reach[0], reach[1]) + tensor_bias(t);
    uint32_t fraction = next() & ((1u << below_point) - 1);
    if (kind == ALL_ONES && below(8))
        fraction |= ((1u << f.fraction) - 1 - below(2)) << (below_point - f.fraction);
    if (kind == POWERS)
        fraction = 0;
    field = field < 0 ? 0 : field > top ? top : field;
    if (t == T_E4M3 && field == top && fraction == 7)
        fraction = 6;
    return (next() & sign_of(t)) | (uint32_t)field << below_point | fraction;
}

static uint32_t special(enum tensor_type t, uint32_t x, uint32_t rare, bool nan)
{
    if (below(rare))
        return x;
    x = (next() & sign_of(t)) | infinity_of(t);
    if (t == T_E4M3)
        return nan ? x | 7 : x;
    return nan && below(2) ? x | (next() & (infinity_of(t) - 1) & (sign_of(t) - 1)) : x;
}

static uint32_t any(enum tensor_type t, const int *reach, enum kind kind)
{
    const uint32_t all = sign_of(t) | (sign_of(t) - 1), x = element(t, reach, kind);
    switch (kind) {
    case SPARSE:
        return below(4) ? x & sign_of(t) : x;
    case ZEROS:
        return x & sign_of(t);
    case SPECIAL:
        return special(t, x, 64, true);
    case INFINITE:
        return special(t, x, 128, false);
    case ANY:
        return next() & all;
    default:
        return x;
    }
}

/* ---- tiles ---- */

/* Products of pairs of k cancel, but for the first pair's, which are `by` less. */
static void cancel(const struct tensor_op *op, int by, struct tensor_tile *to)
{
    const int other = 1 << below(op->k == 4    ? 2
                                 : op->k == 8  ? 3
                                 : op->k == 16 ? 4
                                               : 5),
              alone = (int)below((uint32_t)op->k);
    const int ra[2] = {-3 - by / 2, 1 - by / 2}, rb[2] = {-2 - by + by / 2, 1 - by + by / 2};
    for (int k = 0; k < op->k; k++) {
        const bool small = k == alone || k == (alone ^ other);
        for (int i = 0; i < op->m; i++) {
            uint32_t *x = &to->a[i * op->k + k];
            *x = small ? element(op->a, ra, NEAR) : k & other ? to->a[i * op->k + (k ^ other)] ^ sign_of(op->a) : *x;
        }
        for (int j = 0; j < op->n; j++) {
            uint32_t *x = &to->b[j * op->k + k];
            *x = small ? element(op->b, rb, NEAR) : k & other ? to->b[j * op->k + (k ^ other)] : *x;
        }
    }
}

/* All but `n` of the k are zeros. */
static void keep(const struct tensor_op *op, int n, struct tensor_tile *to)
{
    uint32_t kept = 0;
    while (n--)
        kept |= 1u << below((uint32_t)op->k);
    for (int i = 0; i < op->m * op->k; i++)
        if (!(kept >> i % op->k & 1))
            to->a[i] &= sign_of(op->a);
}

/* The accumulator is about the negative of the sum. */
static void meet(const struct tensor_op *op, struct tensor_tile *to)
{
    for (int at = 0; at < op->m * op->n; at++) {
        double sum = 0;
        for (int k = 0; k < op->k; k++)
            sum +=
                tensor_value(op->a, to->a[at / op->n * op->k + k]) * tensor_value(op->b, to->b[at % op->n * op->k + k]);
        const float f = -(float)sum;
        uint32_t u;
        memcpy(&u, &f, sizeof u);
        if (op->half_c) { /* of the magnitudes that can be: truncated, then a bit more or less */
            const int e = (int)(u >> 23 & 0xff) - 112;
            u = e < 1 || e > 30 ? u >> 16 & 0x8000 : (u >> 16 & 0x8000) | (uint32_t)e << 10 | (u >> 13 & 0x3ff);
        }
        to->c[at] = u + below(3) - 1;
    }
}

/* Signs that are all the same: what is cut off adds up. */
static void all_negative(const struct tensor_op *op, struct tensor_tile *to)
{
    for (int i = 0; i < op->m * op->k; i++)
        to->a[i] |= sign_of(op->a);
    for (int i = 0; i < op->n * op->k; i++)
        to->b[i] &= sign_of(op->b) - 1;
}

void tensor_inputs(const struct tensor_op *op, int op_number, int kind, int tile, struct tensor_tile *to)
{
    const struct reach reach = reach_of(op, (enum kind)kind);
    const enum tensor_type c = op->half_c ? T_F16 : T_F32;
    state = ((uint64_t)op_number << 48 | (uint64_t)kind << 32 | (uint64_t)tile) * 0xd1342543de82ef95u + 1;
    for (int i = 0; i < op->m * op->k; i++)
        to->a[i] = any(op->a, reach.a, (enum kind)kind);
    for (int i = 0; i < op->n * op->k; i++)
        to->b[i] = any(op->b, reach.b, kind == ZEROS ? ANY : (enum kind)kind);
    for (int i = 0; i < op->m * op->n; i++)
        to->c[i] = any(c, reach.c, (enum kind)kind);
    switch ((enum kind)kind) {
    case CANCEL:
    case HUGE_CANCEL:
        cancel(op, between(0, 20), to);
        break;
    case CANCEL_DEEP:
        cancel(op, between(20, 30), to);
        break;
    case C_CANCELS:
        meet(op, to);
        break;
    case ZEROS: /* zeros times finite numbers */
        for (int i = 0; i < op->n * op->k; i++)
            to->b[i] =
                element(op->b, (const int[2]){least(op->b) - 1, most(op->b)}, NEAR) & (below(2) ? ~0u : sign_of(op->b));
        if (tile & 1) /* all of a sign */
            all_negative(op, to);
        break;
    case SPARSE: /* what meets the zeros is large */
        for (int i = 0; i < op->n * op->k; i++)
            if (!below(4))
                to->b[i] = element(op->b, (const int[2]){most(op->b), most(op->b)}, NEAR);
        if (tile & 1)
            for (int i = 0; i < op->m * op->k; i++)
                if (i % op->k % 2)
                    to->a[i] &= sign_of(op->a);
        break;
    case ONE:
        keep(op, 1, to);
        break;
    case TWO:
        keep(op, 2, to);
        break;
    case DOWN:
        all_negative(op, to);
        break;
    default:
        break;
    }
    if ((kind == TWO || kind == TINY || kind == CANCEL_DEEP || kind == SUBNORMAL_BOTH || kind == FAR) && tile % 2)
        for (int i = 0; i < op->m * op->n; i++)
            to->c[i] = 0;
}
