/* arithmetic.c - operators on numbers and pointers, by C's rules of conversion. Comparisons give bool, as in C++. */
#include <math.h>
#include <string.h>

#include "debug/info/expression.h"

static const char not_integers[] = "Integer-only operation on floating point number.";

/* A number out of its value: an integer, with its sign extended, or a float. */
struct number {
    bool is_float, is_unsigned;
    u64 size;
    u64 bits;
    f64 f;
};

static const struct debug_type *pointed(const struct debug_type *t, bool *is_pointer)
{
    t = debug_type_strip(t);
    *is_pointer = t && t->kind == DEBUG_POINTER;
    return *is_pointer ? t->target : NULL;
}

static bool is_pointer(const struct debug_type *t)
{
    bool yes;
    pointed(t, &yes);
    return yes;
}

static bool number_of(struct debug_context *c, const struct debug_value *v, struct number *n)
{
    const struct debug_type *t = debug_type_strip(v->type);
    *n = (struct number){0};
    if (!t || (t->kind != DEBUG_BASE && t->kind != DEBUG_ENUM && t->kind != DEBUG_POINTER) || t->size > 8 || !t->size)
        return debug_fail(c, "Argument to arithmetic operation not a number or boolean.");
    *n = (struct number){.size = t->size, .bits = debug_value_bits(v), .is_unsigned = !debug_is_signed(t)};
    if (t->kind == DEBUG_BASE && t->encoding == DEBUG_FLOAT) {
        n->is_float = true;
        n->f = debug_value_float(v);
    } else {
        n->f = n->is_unsigned ? (f64)n->bits : (f64)(i64)n->bits;
    }
    return true;
}

/* Small integers become int (C11 6.3.1.1). */
static void promote(struct number *n)
{
    if (n->size >= 4)
        return;
    if (!n->is_float)
        n->is_unsigned = false;
    n->size = 4;
}

static u64 cut(u64 bits, u64 size, bool is_unsigned)
{
    if (size >= 8)
        return bits;
    const u32 unused = 64 - 8 * (u32)size;
    return is_unsigned ? bits << unused >> unused : (u64)((i64)(bits << unused) >> unused);
}

/* 6.3.1.8: what both become */
static struct number common(const struct number *a, const struct number *b)
{
    struct number r = {.is_float = a->is_float || b->is_float};
    if (r.is_float) {
        const u64 x = a->is_float ? a->size : 0, y = b->is_float ? b->size : 0;
        r.size = x > y ? x : y;
        return r;
    }
    r.size = a->size > b->size ? a->size : b->size;
    r.is_unsigned = (a->is_unsigned && a->size == r.size) || (b->is_unsigned && b->size == r.size);
    return r;
}

static bool give(struct debug_context *c, const struct number *n, struct debug_value *out)
{
    u64 bits = n->bits;
    enum debug_encoding e = n->is_unsigned ? DEBUG_UNSIGNED : DEBUG_SIGNED;
    if (n->is_float) {
        const f32 f = (f32)n->f;
        e = DEBUG_FLOAT;
        bits = 0;
        memcpy(&bits, n->size == 4 ? (const void *)&f : (const void *)&n->f, n->size == 4 ? 4 : 8);
    }
    *out = debug_value_number(c, debug_type_base(c->info, e, n->size), bits);
    return true;
}

static bool give_bool(struct debug_context *c, bool b, struct debug_value *out)
{
    *out = debug_value_number(c, debug_type_base(c->info, DEBUG_BOOL, 1), b);
    return true;
}

/* ---- one operand ---- */

bool debug_truth(struct debug_context *c, const struct debug_value *v, bool *out)
{
    struct number n;
    if (!number_of(c, v, &n))
        return false;
    *out = n.is_float ? n.f != 0 : n.bits != 0;
    return true;
}

bool debug_unary(struct debug_context *c, unsigned op, const struct debug_value *a, struct debug_value *out)
{
    struct number n;
    bool truth;
    if (op == '!')
        return debug_truth(c, a, &truth) && give_bool(c, !truth, out);
    if (!number_of(c, a, &n))
        return false;
    promote(&n);
    if (op == '~' && n.is_float)
        return debug_fail(c, not_integers);
    if (op == '-') {
        n.f = -n.f;
        n.bits = 0 - n.bits;
    } else if (op == '~') {
        n.bits = ~n.bits;
    }
    n.bits = cut(n.bits, n.size, n.is_unsigned);
    return give(c, &n, out);
}

/* ---- two operands ---- */

static bool is_comparison(unsigned op)
{
    return op == '<' || op == '>' || (op >= DEBUG_OP_EQUAL && op <= DEBUG_OP_AT_LEAST);
}

#define COMPARE(a, b)                                                                                                  \
    (op == '<'                  ? (a) < (b)                                                                            \
     : op == '>'                ? (a) > (b)                                                                            \
     : op == DEBUG_OP_EQUAL     ? (a) == (b)                                                                           \
     : op == DEBUG_OP_NOT_EQUAL ? (a) != (b)                                                                           \
     : op == DEBUG_OP_AT_MOST   ? (a) <= (b)                                                                           \
                                : (a) >= (b))

static bool compare(unsigned op, const struct number *r, const struct number *a, const struct number *b)
{
    if (r->is_float && r->size == 4)
        return COMPARE((f32)a->f, (f32)b->f);
    if (r->is_float)
        return COMPARE(a->f, b->f);
    if (r->is_unsigned)
        return COMPARE(cut(a->bits, r->size, true), cut(b->bits, r->size, true));
    return COMPARE((i64)a->bits, (i64)b->bits);
}

static bool float_binary(struct debug_context *c, unsigned op, struct number *r, f64 a, f64 b)
{
    switch (op) {
    case '+':
        r->f = a + b;
        return true;
    case '-':
        r->f = a - b;
        return true;
    case '*':
        r->f = a * b;
        return true;
    case '/':
        r->f = a / b;
        return true;
    default:
        return debug_fail(c, not_integers);
    }
}

static u64 divide(unsigned op, const struct number *r, u64 a, u64 b)
{
    if (r->is_unsigned)
        return op == '/' ? a / b : a % b;
    if ((i64)b == -1) /* the smallest number has no opposite */
        return op == '/' ? 0 - a : 0;
    return op == '/' ? (u64)((i64)a / (i64)b) : (u64)((i64)a % (i64)b);
}

static bool integer_binary(struct debug_context *c, unsigned op, struct number *r, u64 a, u64 b)
{
    switch (op) {
    case '+':
        r->bits = a + b;
        break;
    case '-':
        r->bits = a - b;
        break;
    case '*':
        r->bits = a * b;
        break;
    case '/':
    case '%':
        if (b == 0)
            return debug_fail(c, "Division by zero");
        r->bits = divide(op, r, a, b);
        break;
    case '&':
        r->bits = a & b;
        break;
    case '|':
        r->bits = a | b;
        break;
    case '^':
        r->bits = a ^ b;
        break;
    default:
        return debug_fail(c, "That operation is not available on integers.");
    }
    r->bits = cut(r->bits, r->size, r->is_unsigned);
    return true;
}

static bool shift(struct debug_context *c, unsigned op, const struct number *a, const struct number *b,
                  struct debug_value *out)
{
    struct number r = *a;
    if (a->is_float || b->is_float)
        return debug_fail(c, not_integers);
    const bool too_far = b->bits >= 8 * r.size;
    if (op == DEBUG_OP_SHIFT_LEFT)
        r.bits = too_far ? 0 : a->bits << b->bits;
    else if (a->is_unsigned)
        r.bits = too_far ? 0 : a->bits >> b->bits;
    else
        r.bits = (u64)((i64)a->bits >> (too_far ? 63 : b->bits));
    r.bits = cut(r.bits, r.size, r.is_unsigned);
    return give(c, &r, out);
}

/* What a pointer of another space than the other side's is compared as. */
static bool generic_bits(struct debug_context *c, const struct debug_value *v, u64 *bits)
{
    const struct debug_type *t = debug_type_strip(v->type);
    const enum ptx_space space = t->kind == DEBUG_POINTER ? (enum ptx_space)t->space : SPACE_NONE;
    *bits = debug_value_bits(v);
    if (space != SPACE_SHARED && space != SPACE_LOCAL)
        return true;
    return (c->target && c->target->generic(c->target->self, &c->thread, space, *bits, bits) == LS_OK) ||
           debug_fail(c, "The pointers are of different spaces.");
}

static bool pointer_binary(struct debug_context *c, unsigned op, const struct debug_value *a,
                           const struct debug_value *b, struct debug_value *out)
{
    bool left, right;
    const struct debug_type *of = pointed(a->type, &left), *other = pointed(b->type, &right);
    const struct debug_type *to = left ? of : other;
    u64 x = debug_value_bits(a), y = debug_value_bits(b);
    const u64 size = to && to->size ? to->size : 1;
    if (left && right && debug_type_strip(a->type)->space != debug_type_strip(b->type)->space &&
        (!generic_bits(c, a, &x) || !generic_bits(c, b, &y)))
        return false;
    if (is_comparison(op))
        return give_bool(c, COMPARE(x, y), out);
    if (left && right && op == '-') {
        *out = debug_value_number(c, debug_type_base(c->info, DEBUG_SIGNED, 8), (u64)((i64)(x - y) / (i64)size));
        return true;
    }
    struct number n;
    if ((left && right) || (op != '+' && !(op == '-' && left)))
        return debug_fail(c, "Argument to arithmetic operation not a number or boolean.");
    if (!number_of(c, left ? b : a, &n))
        return false;
    if (n.is_float)
        return debug_fail(c, not_integers);
    const u64 by = n.bits * size;
    *out = debug_value_number(c, left ? a->type : b->type, op == '-' ? x - by : left ? x + by : y + by);
    return true;
}

bool debug_binary(struct debug_context *c, unsigned op, const struct debug_value *a, const struct debug_value *b,
                  struct debug_value *out)
{
    struct number x, y;
    if (is_pointer(a->type) || is_pointer(b->type))
        return pointer_binary(c, op, a, b, out);
    if (!number_of(c, a, &x) || !number_of(c, b, &y))
        return false;
    promote(&x);
    promote(&y);
    if (op == DEBUG_OP_SHIFT_LEFT || op == DEBUG_OP_SHIFT_RIGHT)
        return shift(c, op, &x, &y, out);
    struct number r = common(&x, &y);
    if (is_comparison(op))
        return give_bool(c, compare(op, &r, &x, &y), out);
    if (r.is_float ? !float_binary(c, op, &r, x.f, y.f)
                   : !integer_binary(c, op, &r, cut(x.bits, r.size, r.is_unsigned), cut(y.bits, r.size, r.is_unsigned)))
        return false;
    return give(c, &r, out);
}

/* ---- conversions ---- */

static u64 float_to_integer(f64 f, bool is_unsigned)
{
    if (isnan(f))
        return 0;
    if (is_unsigned && f >= 0)
        return f >= 18446744073709551616.0 ? UINT64_MAX : (u64)f;
    return f >= 9223372036854775808.0 ? (u64)INT64_MAX : f < -9223372036854775808.0 ? (u64)INT64_MIN : (u64)(i64)f;
}

static u16 to_half(f64 f)
{
    const u16 sign = signbit(f) ? 0x8000 : 0;
    f = fabs(f);
    if (isnan(f))
        return sign | 0x7e00;
    if (f >= 65520)
        return sign | 0x7c00;
    int e;
    frexp(f, &e);
    e = e - 1 < -14 ? -14 : e - 1; /* the exponent of its last place is 10 less */
    const u32 units = (u32)nearbyint(ldexp(f, 10 - e));
    return (u16)(sign | (f == 0 ? 0 : (u32)(e + 14) * 1024 + units)); /* a carry goes into the exponent */
}

static u64 float_bits(f64 f, u64 size)
{
    const f32 single = (f32)f;
    u64 bits = size == 2 ? to_half(f) : 0;
    if (size == 4)
        memcpy(&bits, &single, sizeof single);
    else if (size == 8)
        memcpy(&bits, &f, sizeof f);
    return bits;
}

bool debug_convert(struct debug_context *c, const struct debug_value *v, const struct debug_type *to,
                   struct debug_value *out)
{
    const struct debug_type *t = debug_type_strip(to), *from = debug_type_strip(v->type);
    struct number n;
    if (t && t == from) { /* whole structs too */
        *out = debug_value_bytes(c, to, v->bytes);
        return true;
    }
    if (!t || (t->kind != DEBUG_BASE && t->kind != DEBUG_ENUM && t->kind != DEBUG_POINTER) || t->size > 8 || !t->size)
        return debug_fail(c, "Invalid cast.");
    if (!number_of(c, v, &n))
        return debug_fail(c, "Invalid cast.");
    if (t->kind == DEBUG_BASE && t->encoding == DEBUG_FLOAT)
        *out = debug_value_number(c, to, float_bits(n.f, t->size));
    else if (t->kind == DEBUG_BASE && t->encoding == DEBUG_BOOL)
        *out = debug_value_number(c, to, n.is_float ? n.f != 0 : n.bits != 0);
    else
        *out = debug_value_number(c, to, n.is_float ? float_to_integer(n.f, !debug_is_signed(t)) : n.bits);
    return true;
}
