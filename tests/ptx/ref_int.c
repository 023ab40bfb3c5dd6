/* ref_int.c - the parser of instruction names, and integers, logic, bit fields, selections, atomics (PTX ISA 9.7.1,
 * 9.7.2, 9.7.6 to 9.7.9, 9.7.13). See ref.h. */
#include "ref.h"

#include <string.h>

#define FLOAT(name, bits, p, least)                                                                                    \
    {name, KIND_F, bits, p, least, false}, { name "x2", KIND_F, bits, p, least, true }
static const struct type types[] = {
    {"u2", KIND_U, 2, 0, 0, false},
    {"s2", KIND_S, 2, 0, 0, false},
    {"u4", KIND_U, 4, 0, 0, false},
    {"s4", KIND_S, 4, 0, 0, false},
    {"u8", KIND_U, 8, 0, 0, false},
    {"s8", KIND_S, 8, 0, 0, false},
    {"b8", KIND_B, 8, 0, 0, false},
    {"u16", KIND_U, 16, 0, 0, false},
    {"s16", KIND_S, 16, 0, 0, false},
    {"b16", KIND_B, 16, 0, 0, false},
    {"u32", KIND_U, 32, 0, 0, false},
    {"s32", KIND_S, 32, 0, 0, false},
    {"b32", KIND_B, 32, 0, 0, false},
    {"u64", KIND_U, 64, 0, 0, false},
    {"s64", KIND_S, 64, 0, 0, false},
    {"b64", KIND_B, 64, 0, 0, false},
    {"u16x2", KIND_U, 16, 0, 0, true},
    {"s16x2", KIND_S, 16, 0, 0, true},
    {"pred", KIND_PRED, 1, 0, 0, false},
    FLOAT("f16", 16, 11, -14),
    FLOAT("bf16", 16, 8, -126),
    {"f32", KIND_F, 32, 24, -126, false},
    {"f64", KIND_F, 64, 53, -1022, false},
    {"tf32", KIND_F, 32, 11, -126, false},
    FLOAT("e4m3", 8, 4, -6),
    FLOAT("e5m2", 8, 3, -14),
};

const struct type *type_find(const char *name, unsigned len)
{
    for (unsigned k = 0; k < sizeof types / sizeof types[0]; k++)
        if (strlen(types[k].name) == len && !memcmp(types[k].name, name, len))
            return &types[k];
    return 0;
}

bool ref_has(const struct ref *r, const char *token)
{
    for (unsigned k = 1; k < r->n; k++)
        if (!strcmp(r->tok[k], token))
            return true;
    return false;
}

/* ---- integers ---- */

/* An operand as a number. */
static i128 number(const struct type *t, u64 x)
{
    x &= low_bits(t->bits);
    return t->kind == KIND_S ? (i128)sign_extend(x, t->bits) : (i128)x;
}

static i128 least(const struct type *t) { return t->kind == KIND_S ? -((i128)1 << (t->bits - 1)) : 0; }
static i128 most(const struct type *t) { return ((i128)1 << (t->bits - (t->kind == KIND_S))) - 1; }
static i128 clamp(i128 x, i128 lo, i128 hi) { return x < lo ? lo : x > hi ? hi : x; }

static int put(const struct ref *r, i128 x, u64 *out)
{
    if (r->sat)
        x = clamp(x, least(r->d), most(r->d));
    out[0] = (u64)x & low_bits(r->d->bits);
    return 0;
}

/* The high half of a product: that of two signed numbers of 64 bits fits i128, of unsigned ones u128. */
static i128 high(const struct ref *r, i128 a, i128 b)
{
    if (r->d->bits == 64 && r->d->kind != KIND_S)
        return (i128)(((u128)a * (u128)b) >> 64);
    return (a * b) >> r->d->bits;
}

static i128 factor24(const struct ref *r, u64 x)
{
    return r->d->kind == KIND_S ? (i128)sign_extend(x & 0xffffff, 24) : (i128)(x & 0xffffff);
}

static int arith_one(const struct ref *r, i128 a, i128 b, i128 c, i128 *x)
{
    const char *op = r->tok[0];
    const bool hi = ref_has(r, "hi");
    if (!strcmp(op, "add"))
        *x = a + b;
    else if (!strcmp(op, "sub"))
        *x = a - b;
    else if (!strcmp(op, "mul"))
        *x = hi ? high(r, a, b) : (i128)((u128)a * (u128)b);
    else if (!strcmp(op, "mad"))
        *x = (i128)((hi ? (u128)high(r, a, b) : (u128)a * (u128)b) + (u128)c);
    else if (!strcmp(op, "min"))
        *x = a < b ? a : b;
    else if (!strcmp(op, "max"))
        *x = a > b ? a : b;
    else if (!strcmp(op, "sad"))
        *x = c + (a > b ? a - b : b - a);
    else if (!strcmp(op, "div"))
        *x = b ? a / b : 0;
    else if (!strcmp(op, "rem"))
        *x = b ? a % b : 0;
    else if (!strcmp(op, "abs"))
        *x = a < 0 ? -a : a;
    else
        *x = -a; /* neg */
    if (r->relu && *x < 0)
        *x = 0;
    return 0;
}

static int arith(const struct ref *r, const u64 *in, u64 *out)
{
    const struct type *t = r->a;
    i128 x, y;
    if (t->pair) {
        arith_one(r, number(t, in[0]), number(t, in[1]), 0, &x);
        arith_one(r, number(t, in[0] >> 16), number(t, in[1] >> 16), 0, &y);
        out[0] = ((u64)x & 0xffff) | ((u64)y & 0xffff) << 16;
        return 0;
    }
    if (ref_has(r, "wide")) {
        x = number(t, in[0]) * number(t, in[1]) + (r->tok[0][1] == 'a' ? (i128)in[2] : 0);
        out[0] = (u64)x & low_bits(2 * t->bits);
        return 0;
    }
    arith_one(r, number(t, in[0]), number(t, in[1]), number(t, in[2]), &x);
    return put(r, x, out);
}

static int arith24(const struct ref *r, const u64 *in, u64 *out)
{
    i128 x = factor24(r, in[0]) * factor24(r, in[1]);
    x = ref_has(r, "hi") ? x >> 16 : x;
    /* the product's 32 bits, as the type reads them, before c */
    x = number(r->d, (u64)x & 0xffffffff);
    return put(r, x + (r->tok[0][1] == 'a' ? number(r->d, in[2]) : 0), out);
}

/* The carry is bit `bits` of the unsigned sum. */
static int carry(const struct ref *r, const u64 *in, u64 *out)
{
    const unsigned bits = r->d->bits;
    const bool sub = r->tok[0][0] == 's', c_in = r->tok[0][3] == 'c';
    u128 s;
    if (r->tok[0][0] == 'm') {
        i128 a = number(r->a, in[0]), b = number(r->a, in[1]);
        u64 part = (u64)(ref_has(r, "hi") ? high(r, a, b) : (i128)((u128)a * (u128)b)) & low_bits(bits);
        s = (u128)part + in[2] + (c_in ? in[3] : 0);
    } else if (sub) {
        s = (u128)in[0] - in[1] - (c_in ? in[2] : 0);
    } else {
        s = (u128)in[0] + in[1] + (c_in ? in[2] : 0);
    }
    u64 cf = (u64)(s >> bits) & 1;
    out[0] = (u64)s & low_bits(bits);
    out[1] = sub ? (0 - cf) & low_bits(bits) : cf; /* subc 0, 0 gives -CF */
    return 0;
}

static int dot(const struct ref *r, const u64 *in, u64 *out)
{
    const unsigned n = r->tok[0][2] == '4' ? 4 : 2, from = ref_has(r, "hi") ? 2 : 0, wa = n == 4 ? 8 : 16;
    const bool sa = r->tok[r->n - 2][0] == 's', sb = r->tok[r->n - 1][0] == 's';
    i64 sum = 0;
    for (unsigned k = 0; k < n; k++) {
        u64 a = in[0] >> (wa * k) & low_bits(wa), b = in[1] >> (8 * (k + from)) & 0xff;
        sum += (sa ? sign_extend(a, wa) : (i64)a) * (sb ? sign_extend(b, 8) : (i64)b);
    }
    out[0] = (u32)((u64)sum + in[2]);
    return 0;
}

/* ---- bits ---- */

static int logic(const struct ref *r, const u64 *in, u64 *out)
{
    const char *op = r->tok[0];
    u64 x = in[0];
    if (!strcmp(op, "and"))
        x &= in[1];
    else if (!strcmp(op, "or"))
        x |= in[1];
    else if (!strcmp(op, "xor"))
        x ^= in[1];
    else if (!strcmp(op, "not"))
        x = ~x;
    else if (!strcmp(op, "cnot"))
        x = !x;
    out[0] = x & low_bits(r->d->bits);
    return 0;
}

static int shift(const struct ref *r, const u64 *in, u64 *out)
{
    const unsigned bits = r->d->bits;
    const u64 n = in[1] > bits ? bits : in[1];
    i128 x = number(r->d, in[0]);
    x = r->tok[0][2] == 'l' ? (i128)((u128)x << n) : x >> n;
    out[0] = (u64)x & low_bits(bits);
    return 0;
}

static int funnel(const struct ref *r, const u64 *in, u64 *out)
{
    const u128 ba = (u128)in[1] << 32 | in[0];
    const u64 n = ref_has(r, "wrap") ? in[2] % 32 : in[2] > 32 ? 32 : in[2];
    out[0] = (u32)(ref_has(r, "l") ? ba << n >> 32 : ba >> n);
    return 0;
}

static int lop3(const struct ref *r, const u64 *in, u64 *out)
{
    out[0] = 0;
    for (unsigned k = 0; k < 32; k++) {
        unsigned row = (unsigned)((in[0] >> k & 1) * 4 + (in[1] >> k & 1) * 2 + (in[2] >> k & 1));
        out[0] |= (u64)((unsigned)r->imm >> row & 1) << k;
    }
    const bool p = out[0] != 0;
    out[1] = ref_has(r, "or") ? p || in[3] : p && in[3];
    return 0;
}

/* Bytes picked by four selectors; the modes' selectors are written out as the manual's tables have them (9.7.9.7). */
static int prmt(const struct ref *r, const u64 *in, u64 *out)
{
    static const char *const names[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    static const u8 pick[6][4][4] = {/* [mode][c & 3][byte 0..3] */
                                     {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
                                     {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}},
                                     {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
                                     {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
                                     {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}},
                                     {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}};
    const u64 ba = in[1] << 32 | in[0];
    out[0] = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned s = (unsigned)(in[2] >> (4 * k)) & 15;
        for (unsigned m = 0; m < 6; m++)
            if (ref_has(r, names[m]))
                s = pick[m][in[2] & 3][k];
        u64 byte = ba >> (8 * (s & 7)) & 0xff;
        out[0] |= (s & 8 ? (byte >> 7) * 0xff : byte) << (8 * k);
    }
    return 0;
}

static int count(const struct ref *r, const u64 *in, u64 *out)
{
    const unsigned bits = r->a->bits;
    u64 x = in[0], n = 0, rev = 0;
    for (unsigned k = 0; k < bits; k++) {
        n += x >> k & 1;
        rev |= (x >> k & 1) << (bits - 1 - k);
    }
    unsigned lead = 0;
    while (lead < bits && !(x >> (bits - 1 - lead) & 1))
        lead++;
    out[0] = !strcmp(r->tok[0], "popc") ? n : !strcmp(r->tok[0], "clz") ? lead : rev;
    return 0;
}

static int bfind(const struct ref *r, const u64 *in, u64 *out)
{
    const unsigned bits = r->a->bits;
    const u64 sign = r->a->kind == KIND_S ? in[0] >> (bits - 1) & 1 : 0;
    out[0] = 0xffffffff;
    for (unsigned k = 0; k < bits; k++)
        if ((in[0] >> k & 1) != sign)
            out[0] = k;
    if (ref_has(r, "shiftamt") && out[0] != 0xffffffff)
        out[0] = bits - 1 - out[0];
    return 0;
}

static int bfe(const struct ref *r, const u64 *in, u64 *out)
{
    /* The manual's low bytes; the 64-bit forms read all 32 bits on an H200. */
    const unsigned bits = r->d->bits;
    const u64 all = bits == 64 ? 0xffffffffu : 0xff, pos = in[1] & all, len = in[2] & all;
    const u64 x = in[0];
    const bool is_signed = r->d->kind == KIND_S;
    u64 sbit = !is_signed || len == 0 ? 0 : x >> (pos + len - 1 < bits ? pos + len - 1 : bits - 1) & 1;
    out[0] = 0;
    for (unsigned k = 0; k < bits; k++)
        out[0] |= (k < len && pos + k < bits ? x >> (pos + k) & 1 : sbit) << k;
    return 0;
}

static int bfi(const struct ref *r, const u64 *in, u64 *out)
{
    const unsigned bits = r->d->bits;
    const u64 all = bits == 64 ? 0xffffffffu : 0xff, pos = in[2] & all, len = in[3] & all; /* as of bfe */
    out[0] = in[1];
    for (unsigned k = 0; k < len && pos + k < bits; k++)
        out[0] = (out[0] & ~((u64)1 << (pos + k))) | (in[0] >> k & 1) << (pos + k);
    return 0;
}

/* Find n-th set (9.7.1.17): offset 0 asks whether the base bit is set; from there up or down, the base counted. */
static int fns(const struct ref *r, const u64 *in, u64 *out)
{
    (void)r;
    const i32 offset = (i32)in[2];
    int left = offset < 0 ? -offset : offset, at = (int)in[1], step = offset < 0 ? -1 : 1;
    if (offset == 0) {
        out[0] = in[0] >> at & 1 ? (u64)at : 0xffffffff;
        return 0;
    }
    for (; at >= 0 && at < 32; at += step)
        if (in[0] >> at & 1 && --left == 0)
            break;
    out[0] = at >= 0 && at < 32 ? (u64)at : 0xffffffff;
    return 0;
}

static int szext(const struct ref *r, const u64 *in, u64 *out)
{
    const u64 n = ref_has(r, "wrap") ? in[1] & 31 : in[1] > 32 ? 32 : in[1];
    const u64 x = in[0] & low_bits((unsigned)n);
    out[0] = r->d->kind == KIND_S && n ? (u32)sign_extend(x, (unsigned)n) : x;
    return 0;
}

static int bmsk(const struct ref *r, const u64 *in, u64 *out)
{
    const bool wrap = ref_has(r, "wrap");
    const u64 pos = wrap ? in[0] & 31 : in[0], len = wrap ? in[1] & 31 : in[1];
    out[0] = pos > 31 ? 0 : (u32)(low_bits(len > 32 ? 32 : (unsigned)len) << pos);
    return 0;
}

static int select_op(const struct ref *r, const u64 *in, u64 *out)
{
    out[0] = in[2] ? in[0] : in[1];
    (void)r;
    return 0;
}

static int slct(const struct ref *r, const u64 *in, u64 *out)
{
    bool yes = (i32)in[2] >= 0;
    if (r->a->kind == KIND_F) {
        u64 c = r->ftz ? float_flush(r->a, in[2]) : in[2];
        yes = !float_is_nan(r->a, c) && (c >> 31 == 0 || c == 0x80000000);
    }
    out[0] = yes ? in[0] : in[1];
    return 0;
}

/* `copy` is the reference of loads and stores: each operand as the source's type, extended to the destination. */
static int copy(const struct ref *r, const u64 *in, u64 *out)
{
    for (unsigned k = 0; k < 4; k++)
        out[k] = (u64)number(r->a, in[k]) & low_bits(r->d->bits);
    return 0;
}

/* cvt.pack (9.7.9.22): b in the low part, a above it, c shifted above both. */
static int pack(const struct ref *r, const u64 *in, u64 *out)
{
    const struct type *t = type_find(r->tok[3], (unsigned)strlen(r->tok[3]));
    i128 a = clamp((i32)in[0], least(t), most(t)), b = clamp((i32)in[1], least(t), most(t));
    u64 both = ((u64)a & low_bits(t->bits)) << t->bits | ((u64)b & low_bits(t->bits));
    out[0] = (u32)(t->bits < 16 ? in[2] << (2 * t->bits) | both : both);
    return 0;
}

static u64 atomic_result(const struct ref *r, const char *op, const u64 *in)
{
    const struct type *t = r->d;
    const i128 a = number(t, in[0]), b = number(t, in[1]);
    if (!strcmp(op, "exch"))
        return in[1];
    if (!strcmp(op, "cas"))
        return in[0] == in[1] ? in[2] : in[0];
    if (t->kind == KIND_F)
        return float_atomic(r, op, t, in[0], in[1]);
    if (!strcmp(op, "add"))
        return (u64)(a + b);
    if (!strcmp(op, "min"))
        return (u64)(a < b ? a : b);
    if (!strcmp(op, "max"))
        return (u64)(a > b ? a : b);
    if (!strcmp(op, "inc"))
        return a >= b ? 0 : (u64)a + 1;
    if (!strcmp(op, "dec"))
        return a == 0 || a > b ? (u64)b : (u64)a - 1;
    return !strcmp(op, "and") ? in[0] & in[1] : !strcmp(op, "or") ? in[0] | in[1] : in[0] ^ in[1];
}

/* Atomics on a cell of the thread's own: out is what the cell held (not of red), then what it holds. Of vectors two
 * elements are looked at, with operands a b and c x. */
static int atomic(const struct ref *r, const u64 *in, u64 *out)
{
    const char *op = r->tok[r->operation];
    const u64 mask = low_bits(r->d->pair ? 32 : r->d->bits);
    const u64 x = atomic_result(r, op, in) & mask;
    if (r->tok[0][0] == 'r') {
        out[0] = x;
        return 0;
    }
    out[0] = in[0];
    out[1] = x;
    if (r->vector) {
        out[2] = in[2];
        out[3] = atomic_result(r, op, in + 2) & mask;
    }
    return 0;
}

/* ---- names ---- */

static const struct {
    const char *op;
    int (*eval)(const struct ref *r, const u64 *in, u64 *out);
} integer_ops[] = {
    {"add", arith},     {"sub", arith},  {"mul", arith},      {"mad", arith},  {"min", arith},   {"max", arith},
    {"sad", arith},     {"div", arith},  {"rem", arith},      {"abs", arith},  {"neg", arith},   {"mul24", arith24},
    {"mad24", arith24}, {"addc", carry}, {"subc", carry},     {"madc", carry}, {"dp4a", dot},    {"dp2a", dot},
    {"and", logic},     {"or", logic},   {"xor", logic},      {"not", logic},  {"cnot", logic},  {"mov", logic},
    {"shl", shift},     {"shr", shift},  {"shf", funnel},     {"lop3", lop3},  {"prmt", prmt},   {"popc", count},
    {"clz", count},     {"brev", count}, {"bfind", bfind},    {"bfe", bfe},    {"bfi", bfi},     {"fns", fns},
    {"szext", szext},   {"bmsk", bmsk},  {"selp", select_op}, {"copy", copy},  {"atom", atomic}, {"red", atomic},
};

static void parse_modifiers(struct ref *r)
{
    static const char *const rnd[] = {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"};
    static const enum rounding is[] = {RN, RZ, RM, RP, RNA, RN, RZ, RM, RP};
    for (unsigned k = 1; k < r->n; k++) {
        const struct type *t = type_find(r->tok[k], (unsigned)strlen(r->tok[k]));
        if (t) {
            r->d = r->d ? r->d : t;
            r->a = t;
        }
        for (unsigned m = 0; m < 9; m++)
            if (!strcmp(r->tok[k], rnd[m])) {
                r->rnd = is[m];
                r->integral = m > 4;
                r->rounded = true;
            }
    }
    r->ftz = ref_has(r, "ftz");
    r->sat = ref_has(r, "sat");
    r->relu = ref_has(r, "relu");
    r->nan = ref_has(r, "NaN");
    r->xorsign = ref_has(r, "xorsign");
    r->satfinite = ref_has(r, "satfinite");
    r->abs = ref_has(r, "abs");
}

/* The operation is the last name that is no type, width or .noftz. */
static void parse_atomic(struct ref *r)
{
    for (unsigned k = 1; k < r->n; k++) {
        r->vector |= r->tok[k][0] == 'v' && strcmp(r->tok[k], "volatile");
        if (!type_find(r->tok[k], (unsigned)strlen(r->tok[k])) && r->tok[k][0] != 'v' && strcmp(r->tok[k], "noftz"))
            r->operation = k;
    }
    r->shared = strstr(r->text, "shared");
}

static bool split(const char *op, struct ref *r)
{
    strncpy(r->text, op, sizeof r->text - 1);
    while (*op) {
        const size_t len = strcspn(op, ".");
        if (r->n == REF_TOKENS || len >= sizeof r->tok[0])
            return false;
        memcpy(r->tok[r->n++], op, len);
        op += len + (op[len] == '.');
    }
    return r->n > 1;
}

bool ref_parse(const char *op, struct ref *r)
{
    memset(r, 0, sizeof *r);
    if (!split(op, r))
        return false;
    parse_modifiers(r);
    if (!r->d)
        return false;
    const char *name = r->tok[0];
    if (!strcmp(name, "atom") || !strcmp(name, "red"))
        parse_atomic(r);
    if (!strcmp(name, "cvt"))
        r->eval = !strcmp(r->tok[1], "pack") ? pack : cvt_eval;
    else if (!strcmp(name, "setp"))
        r->eval = setp_eval;
    else if (!strcmp(name, "set"))
        r->eval = set_eval;
    else if (!strcmp(name, "slct"))
        r->eval = slct;
    else if (ref_has(r, "cc"))
        r->eval = carry;
    else if (r->a->kind == KIND_F && strcmp(name, "mov") && strcmp(name, "selp") && strcmp(name, "atom") &&
             strcmp(name, "red") && strcmp(name, "copy"))
        r->eval = float_eval;
    for (unsigned k = 0; !r->eval && k < sizeof integer_ops / sizeof integer_ops[0]; k++)
        if (!strcmp(name, integer_ops[k].op))
            r->eval = integer_ops[k].eval;
    return r->eval != 0;
}

void ref_eval(const struct ref *r, const u64 *in, u64 *out) { r->eval(r, in, out); }
