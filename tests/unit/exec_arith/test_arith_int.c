/* test_arith_int.c - integer, logic, shift, bit-field, compare and move bodies against 128-bit scalar formulas, on
 * special values, under full and partial masks and with the result in place of the first operand. */
#include "rig.h"

typedef __int128 wide;

/* One type of a body: how its lanes are read as numbers. */
struct type {
    const char *name;
    u8 bits;
    bool is_signed;
};
static const struct type U16 = {"u16", 16, false}, S16 = {"s16", 16, true}, U32 = {"u32", 32, false},
                         S32 = {"s32", 32, true}, U64 = {"u64", 64, false}, S64 = {"s64", 64, true},
                         B16 = {"b16", 16, false}, B32 = {"b32", 32, false}, B64 = {"b64", 64, false},
                         U8 = {"u8", 8, false}, S8 = {"s8", 8, true};

static wide as(const struct type *t, u64 raw)
{
    u64 v = t->bits == 64 ? raw : raw & (((u64)1 << t->bits) - 1);
    if (t->is_signed && v >> (t->bits - 1) & 1)
        return (wide)v - ((wide)1 << t->bits);
    return (wide)v;
}
static u64 cut(const struct type *t, wide v) { return t->bits == 64 ? (u64)v : (u64)v & (((u64)1 << t->bits) - 1); }
static wide low(const struct type *t) { return t->is_signed ? -((wide)1 << (t->bits - 1)) : 0; }
static wide high(const struct type *t)
{
    return t->is_signed ? ((wide)1 << (t->bits - 1)) - 1 : ((wide)1 << t->bits) - 1;
}
static wide clamp(const struct type *t, wide v) { return v < low(t) ? low(t) : v > high(t) ? high(t) : v; }

static u64 get(struct rig *r, u32 at, const struct type *t, int lane)
{
    return t->bits == 64 ? rig64(r, at)[lane] : rig32(r, at)[lane];
}
static u64 fill(struct rig *r, u32 at, const struct type *t, int lane)
{
    u64 v = t->bits == 64 ? rig_special64() : cut(t, (wide)rig_special32());
    if (t->bits == 64)
        rig64(r, at)[lane] = v;
    else
        rig32(r, at)[lane] = (u32)v;
    return v;
}

typedef wide (*formula)(const struct type *t, wide a, wide b, wide c);

/* op_T with every operand of these types; the formula gives the result before it is cut to td. */
static void check(const char *name, const struct type *td, const struct type *ta, const struct type *tb,
                  const struct type *tc, formula want)
{
    for (unsigned round = 0; round < 60; round++) {
        EACH_ISA(isa)
        {
            struct rig r;
            u64 a[32], b[32], c[32], old[32];
            rig_init(&r);
            bool in_place = round % 3 == 1 && (td->bits == 64) == (ta->bits == 64);
            u32 mask = round % 3 == 2 ? (u32)rig_random() | 1 : FULL_MASK;
            r.d = in_place ? AT_A : AT_D;
            for (int i = 0; i < 32; i++) {
                fill(&r, AT_D, td, i);
                a[i] = fill(&r, AT_A, ta, i);
                b[i] = fill(&r, AT_B, tb, i);
                c[i] = fill(&r, AT_C, tc, i);
                old[i] = get(&r, r.d, td, i);
            }
            rig_run(&r, isa, name, mask);
            for (int i = 0; i < 32; i++) {
                u64 got = get(&r, r.d, td, i);
                u64 exp = mask >> i & 1 ? cut(td, want(ta, as(ta, a[i]), as(tb, b[i]), as(tc, c[i]))) : old[i];
                if (got != exp)
                    rig_fail(name, isa, i, a[i], b[i], c[i], got, exp);
            }
        }
    }
}

static void check_types(const char *op, formula want, const struct type *const *types)
{
    for (; *types; types++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%s", op, (*types)->name);
        check(name, *types, *types, *types, *types, want);
    }
}
static const struct type *const ints[] = {&U16, &S16, &U32, &S32, &U64, &S64, NULL};
static const struct type *const signeds[] = {&S16, &S32, &S64, NULL};
static const struct type *const bits[] = {&B16, &B32, &B64, NULL};
static const struct type *const b3264[] = {&B32, &B64, NULL};

#define F(name, expr)                                                                                                  \
    static wide name(const struct type *t, wide a, wide b, wide c)                                                     \
    {                                                                                                                  \
        (void)t, (void)a, (void)b, (void)c;                                                                            \
        return (expr);                                                                                                 \
    }
typedef unsigned __int128 uwide;
/* Products of 64-bit values wrap modulo 2^128, which leaves the bits that count. */
#define TIMES(a, b) ((wide)((uwide)(a) * (uwide)(b)))
F(f_add, a + b)
F(f_sub, a - b)
F(f_mul_lo, TIMES(a, b))
F(f_mad_lo, (wide)((uwide)TIMES(a, b) + (uwide)c))
F(f_mul_hi, t->is_signed ? TIMES(a, b) >> t->bits : (wide)((uwide)TIMES(a, b) >> t->bits))
F(f_mad_hi, f_mul_hi(t, a, b, c) + c)
F(f_min, a < b ? a : b)
F(f_max, a > b ? a : b)
F(f_neg, -a)
F(f_abs, a < 0 ? -a : a)
F(f_sad, c + (a < b ? b - a : a - b))
F(f_div, b == 0 ? -1 : a / b)
F(f_rem, b == 0 ? -1 : a % b)
F(f_and, a &b)
F(f_or, a | b)
F(f_xor, a ^ b)
F(f_not, ~a)
F(f_cnot, a == 0)
F(f_mov, a)
F(f_shl, b >= t->bits ? 0 : (wide)((uwide)a << (unsigned)b))
F(f_shr, a >> (unsigned)(b >= 64 ? 64 : b))
F(f_add_sat, clamp(&S32, a + b))
F(f_sub_sat, clamp(&S32, a - b))
F(f_mad_hi_sat, clamp(&S32, (TIMES(a, b) >> 32) + c))
F(f_min_relu, f_min(t, a, b, c) < 0 ? 0 : f_min(t, a, b, c))
F(f_max_relu, f_max(t, a, b, c) < 0 ? 0 : f_max(t, a, b, c))

static void test_arithmetic(void **state)
{
    (void)state;
    check_types("add", f_add, ints);
    check_types("sub", f_sub, ints);
    check_types("mul_lo", f_mul_lo, ints);
    check_types("mad_lo", f_mad_lo, ints);
    check_types("mul_hi", f_mul_hi, ints);
    check_types("mad_hi", f_mad_hi, ints);
    check_types("min", f_min, ints);
    check_types("max", f_max, ints);
    check_types("sad", f_sad, ints);
    check_types("div", f_div, ints);
    check_types("rem", f_rem, ints);
    check_types("neg", f_neg, signeds);
    check_types("abs", f_abs, signeds);
    check("add_sat_s32", &S32, &S32, &S32, &S32, f_add_sat);
    check("sub_sat_s32", &S32, &S32, &S32, &S32, f_sub_sat);
    check("mad_hi_sat_s32", &S32, &S32, &S32, &S32, f_mad_hi_sat);
    check("min_relu_s32", &S32, &S32, &S32, &S32, f_min_relu);
    check("max_relu_s32", &S32, &S32, &S32, &S32, f_max_relu);
}

static void test_wide(void **state)
{
    (void)state;
    check("mul_wide_u16", &U32, &U16, &U16, &U16, f_mul_lo);
    check("mul_wide_s16", &S32, &S16, &S16, &S16, f_mul_lo);
    check("mul_wide_u32", &U64, &U32, &U32, &U32, f_mul_lo);
    check("mul_wide_s32", &S64, &S32, &S32, &S32, f_mul_lo);
    check("mad_wide_u16", &U32, &U16, &U16, &U32, f_mad_lo);
    check("mad_wide_s16", &S32, &S16, &S16, &S32, f_mad_lo);
    check("mad_wide_u32", &U64, &U32, &U32, &U64, f_mad_lo);
    check("mad_wide_s32", &S64, &S32, &S32, &S64, f_mad_lo);
}

static wide low24(const struct type *t, wide a)
{
    wide v = a & 0xffffff;
    return t->is_signed && v >> 23 ? v - 0x1000000 : v;
}
F(f_mul24_lo, low24(t, a) * low24(t, b))
F(f_mul24_hi, (low24(t, a) * low24(t, b)) >> 16)
F(f_mad24_lo, f_mul24_lo(t, a, b, c) + c)
F(f_mad24_hi, f_mul24_hi(t, a, b, c) + c)
/* The 32 bits 47..16 are read as an s32 before c is added. */
F(f_mad24_hi_sat, clamp(&S32, f_mul24_hi(t, a, b, c) + c))

static void test_24(void **state)
{
    (void)state;
    static const struct type *const both[] = {&U32, &S32, NULL};
    check_types("mul24_lo", f_mul24_lo, both);
    check_types("mul24_hi", f_mul24_hi, both);
    check_types("mad24_lo", f_mad24_lo, both);
    check_types("mad24_hi", f_mad24_hi, both);
    check("mad24_hi_sat_s32", &S32, &S32, &S32, &S32, f_mad24_hi_sat);
}

static void test_logic(void **state)
{
    (void)state;
    check_types("and", f_and, bits);
    check_types("or", f_or, bits);
    check_types("xor", f_xor, bits);
    check_types("not", f_not, bits);
    check_types("cnot", f_cnot, bits);
    check_types("mov", f_mov, bits);
    for (const struct type *const *t = bits; *t; t++) {
        char name[16];
        snprintf(name, sizeof name, "shl_%s", (*t)->name);
        check(name, *t, *t, &U32, &U32, f_shl);
    }
    for (const struct type *const *t = ints; *t; t++) {
        char name[16];
        snprintf(name, sizeof name, "shr_%s", (*t)->name);
        check(name, *t, *t, &U32, &U32, f_shr);
    }
}

/* ---- bit counting and fields, a bit at a time as the manual's pseudo code has it ---- */

F(f_popc, __builtin_popcountll((u64)a))
static wide f_clz(const struct type *t, wide a, wide b, wide c)
{
    (void)b, (void)c;
    int n = 0;
    while (n < t->bits && !(a >> (t->bits - 1 - n) & 1))
        n++;
    return n;
}
static wide f_bfind(const struct type *t, wide a, wide b, wide c)
{
    (void)b, (void)c;
    if (t->is_signed && a < 0)
        a = ~a;
    for (int k = t->bits - 1; k >= 0; k--)
        if (a >> k & 1)
            return k;
    return -1;
}
static wide f_bfind_shiftamt(const struct type *t, wide a, wide b, wide c)
{
    wide k = f_bfind(t, a, b, c);
    return k < 0 ? k : t->bits - 1 - k;
}
static wide f_brev(const struct type *t, wide a, wide b, wide c)
{
    (void)b, (void)c;
    wide r = 0;
    for (int k = 0; k < t->bits; k++)
        r |= (a >> k & 1) << (t->bits - 1 - k);
    return r;
}
static wide f_bfe(const struct type *t, wide a, wide b, wide c)
{
    /* of the 64-bit forms all 32 bits count on an H200 */
    wide low = t->bits == 64 ? 0xffffffffu : 255, msb = t->bits - 1, pos = b & low, len = c & low;
    wide last = pos + len - 1 < msb ? pos + len - 1 : msb;
    bool sign = t->is_signed && len > 0 && (a >> last & 1);
    wide d = 0;
    for (int i = 0; i <= msb; i++) {
        bool bit = i < len && pos + i <= msb ? a >> (pos + i) & 1 : sign;
        d |= (wide)bit << i;
    }
    return d;
}
static wide f_szext(wide a, int n, bool is_signed)
{
    wide d = 0;
    for (int i = 0; i < 32; i++) {
        bool bit = i < n ? a >> i & 1 : is_signed && n > 0 && (a >> (n - 1) & 1);
        d |= (wide)bit << i;
    }
    return d;
}
F(f_szext_wrap, f_szext(a, (int)(b & 31), t->is_signed))
F(f_szext_clamp, f_szext(a, b > 32 ? 32 : (int)b, t->is_signed))
static wide f_bmsk(wide a, wide b)
{
    wide d = 0;
    for (wide i = a; i < 32 && i < a + b; i++)
        d |= (wide)1 << (int)i;
    return d;
}
F(f_bmsk_wrap, f_bmsk(a & 31, b & 31))
F(f_bmsk_clamp, f_bmsk(a > 32 ? 32 : a, b > 32 ? 32 : b))
static wide f_fns(const struct type *t, wide a, wide b, wide c)
{
    (void)t;
    if (c == 0)
        return b < 32 && (a >> (int)b & 1) ? b : -1;
    wide found = 0;
    for (wide at = b; at >= 0 && at < 32; at += c < 0 ? -1 : 1)
        if (a >> (int)at & 1 && ++found == (c < 0 ? -c : c))
            return at;
    return -1;
}
F(f_shf_l_wrap, ((wide)b << 32 | a) << (int)(c & 31) >> 32)
F(f_shf_r_wrap, ((wide)b << 32 | a) >> (int)(c & 31))
F(f_shf_l_clamp, ((wide)b << 32 | a) << (int)(c > 32 ? 32 : c) >> 32)
F(f_shf_r_clamp, ((wide)b << 32 | a) >> (int)(c > 32 ? 32 : c))

static void test_fields(void **state)
{
    (void)state;
    check("popc_b32", &U32, &B32, &B32, &B32, f_popc);
    check("popc_b64", &U32, &B64, &B32, &B32, f_popc);
    check("clz_b32", &U32, &B32, &B32, &B32, f_clz);
    check("clz_b64", &U32, &B64, &B32, &B32, f_clz);
    check_types("brev", f_brev, b3264);
    check("bfind_u32", &U32, &U32, &U32, &U32, f_bfind);
    check("bfind_s32", &U32, &S32, &U32, &U32, f_bfind);
    check("bfind_u64", &U32, &U64, &U32, &U32, f_bfind);
    check("bfind_s64", &U32, &S64, &U32, &U32, f_bfind);
    check("bfind_shiftamt_u32", &U32, &U32, &U32, &U32, f_bfind_shiftamt);
    check("bfind_shiftamt_s32", &U32, &S32, &U32, &U32, f_bfind_shiftamt);
    check("bfind_shiftamt_u64", &U32, &U64, &U32, &U32, f_bfind_shiftamt);
    check("bfind_shiftamt_s64", &U32, &S64, &U32, &U32, f_bfind_shiftamt);
    check("bfe_u32", &U32, &U32, &U32, &U32, f_bfe);
    check("bfe_s32", &S32, &S32, &U32, &U32, f_bfe);
    check("bfe_u64", &U64, &U64, &U32, &U32, f_bfe);
    check("bfe_s64", &S64, &S64, &U32, &U32, f_bfe);
    check("szext_wrap_u32", &U32, &U32, &U32, &U32, f_szext_wrap);
    check("szext_wrap_s32", &S32, &S32, &U32, &U32, f_szext_wrap);
    check("szext_clamp_u32", &U32, &U32, &U32, &U32, f_szext_clamp);
    check("szext_clamp_s32", &S32, &S32, &U32, &U32, f_szext_clamp);
    check("bmsk_wrap_b32", &B32, &B32, &B32, &B32, f_bmsk_wrap);
    check("bmsk_clamp_b32", &B32, &B32, &B32, &B32, f_bmsk_clamp);
    check("fns_b32", &B32, &B32, &B32, &S32, f_fns);
    check("shf_l_wrap_b32", &B32, &B32, &B32, &B32, f_shf_l_wrap);
    check("shf_r_wrap_b32", &B32, &B32, &B32, &B32, f_shf_r_wrap);
    check("shf_l_clamp_b32", &B32, &B32, &B32, &B32, f_shf_l_clamp);
    check("shf_r_clamp_b32", &B32, &B32, &B32, &B32, f_shf_r_clamp);
}

/* ---- bytes ---- */

static u32 prmt_by_hand(u64 ba, const u8 pick[4])
{
    u32 d = 0;
    for (int n = 0; n < 4; n++) {
        u32 byte = ba >> (8 * (pick[n] & 7)) & 0xff;
        d |= (pick[n] & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << (8 * n);
    }
    return d;
}
static wide f_prmt(const struct type *t, wide a, wide b, wide c)
{
    (void)t;
    u8 pick[4] = {c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15};
    return prmt_by_hand((u64)b << 32 | (u64)a, pick);
}
/* The manual's tables, written as rules: byte n of the result for c & 3 = m. */
#define PRMT_MODE(name, rule)                                                                                          \
    static wide name(const struct type *t, wide a, wide b, wide c)                                                     \
    {                                                                                                                  \
        (void)t;                                                                                                       \
        u8 pick[4];                                                                                                    \
        int m = (int)(c & 3);                                                                                          \
        for (int n = 0; n < 4; n++)                                                                                    \
            pick[n] = (u8)(rule);                                                                                      \
        return prmt_by_hand((u64)b << 32 | (u64)a, pick);                                                              \
    }
PRMT_MODE(f_f4e, m + n)
PRMT_MODE(f_b4e, (m - n) & 7)
PRMT_MODE(f_rc8, m)
PRMT_MODE(f_ecl, n > m ? n : m)
PRMT_MODE(f_ecr, n < m ? n : m)
PRMT_MODE(f_rc16, (m & 1) * 2 + (n & 1))
static wide dot(wide a, wide b, wide c, bool sa, bool sb, int first, int step)
{
    for (int k = 0; k < (step == 2 ? 2 : 4); k++) {
        i64 x = step == 2 ? (sa ? (i64)(i16)(a >> (16 * k)) : (i64)(u16)(a >> (16 * k)))
                          : (sa ? (i64)(i8)(a >> (8 * k)) : (i64)(u8)(a >> (8 * k)));
        i64 y = sb ? (i64)(i8)(b >> (8 * (first + k))) : (i64)(u8)(b >> (8 * (first + k)));
        c += x * y;
    }
    return c;
}
F(f_dp4a_uu, dot(a, b, c, false, false, 0, 1))
F(f_dp4a_us, dot(a, b, c, false, true, 0, 1))
F(f_dp4a_su, dot(a, b, c, true, false, 0, 1))
F(f_dp4a_ss, dot(a, b, c, true, true, 0, 1))
F(f_dp2a_lo_uu, dot(a, b, c, false, false, 0, 2))
F(f_dp2a_lo_us, dot(a, b, c, false, true, 0, 2))
F(f_dp2a_hi_su, dot(a, b, c, true, false, 2, 2))
F(f_dp2a_hi_ss, dot(a, b, c, true, true, 2, 2))

static void test_bytes(void **state)
{
    (void)state;
    check("prmt_b32", &B32, &B32, &B32, &B32, f_prmt);
    check("prmt_f4e_b32", &B32, &B32, &B32, &B32, f_f4e);
    check("prmt_b4e_b32", &B32, &B32, &B32, &B32, f_b4e);
    check("prmt_rc8_b32", &B32, &B32, &B32, &B32, f_rc8);
    check("prmt_ecl_b32", &B32, &B32, &B32, &B32, f_ecl);
    check("prmt_ecr_b32", &B32, &B32, &B32, &B32, f_ecr);
    check("prmt_rc16_b32", &B32, &B32, &B32, &B32, f_rc16);
    check("dp4a_u32_u32", &B32, &B32, &B32, &B32, f_dp4a_uu);
    check("dp4a_u32_s32", &B32, &B32, &B32, &B32, f_dp4a_us);
    check("dp4a_s32_u32", &B32, &B32, &B32, &B32, f_dp4a_su);
    check("dp4a_s32_s32", &B32, &B32, &B32, &B32, f_dp4a_ss);
    check("dp2a_lo_u32_u32", &B32, &B32, &B32, &B32, f_dp2a_lo_uu);
    check("dp2a_lo_u32_s32", &B32, &B32, &B32, &B32, f_dp2a_lo_us);
    check("dp2a_hi_s32_u32", &B32, &B32, &B32, &B32, f_dp2a_hi_su);
    check("dp2a_hi_s32_s32", &B32, &B32, &B32, &B32, f_dp2a_hi_ss);
}

/* ---- records with a fourth source or an immediate ---- */

static void test_bfi_and_lop3(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        EACH_ISA(isa)
        {
            struct rig r;
            rig_init(&r);
            for (int i = 0; i < 32; i++) {
                rig64(&r, AT_A)[i] = rig_special64();
                rig64(&r, AT_B)[i] = rig_special64();
                rig32(&r, AT_C)[i] = rig_special32() % (i % 4 ? 80 : 600);
                rig32(&r, AT_AUX)[i] = rig_special32() % (i % 4 ? 80 : 600);
            }
            rig_run(&r, isa, "bfi_b64", FULL_MASK);
            for (int i = 0; i < 32; i++) {
                u64 a = rig64(&r, AT_A)[i], want = rig64(&r, AT_B)[i];
                u32 pos = rig32(&r, AT_C)[i], len = rig32(&r, AT_AUX)[i];
                for (u32 k = 0; k < len && pos + k < 64; k++)
                    want = (want & ~((u64)1 << (pos + k))) | (a >> k & 1) << (pos + k);
                if (rig64(&r, AT_D)[i] != want)
                    rig_fail("bfi_b64", isa, i, a, pos, len, rig64(&r, AT_D)[i], want);
            }
            r.imm = round & 255;
            rig_run(&r, isa, "lop3_b32", FULL_MASK);
            for (int i = 0; i < 32; i++) {
                u32 a = rig32(&r, AT_A)[i], b = rig32(&r, AT_B)[i], c = rig32(&r, AT_C)[i], want = 0;
                for (int k = 0; k < 32; k++)
                    want |= (u32)(r.imm >> ((a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1)) & 1) << k;
                if (rig32(&r, AT_D)[i] != want)
                    rig_fail("lop3_b32", isa, i, a, b, c, rig32(&r, AT_D)[i], want);
            }
        }
    }
}

/* Sums of three words with add.cc, addc.cc, addc equal one of 96 (192) bits; so for sub. */
static void test_carry_chains(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        EACH_ISA(isa)
        {
            struct rig r;
            u64 a[2][32], b[2][32];
            rig_init(&r);
            bool sub = round & 1;
            u32 mask = round % 4 < 2 ? FULL_MASK : (u32)rig_random() | 2;
            *rig32(&r, AT_CARRY) = 0x0f0f0f0f;
            for (int word = 0; word < 2; word++) {
                for (int i = 0; i < 32; i++) {
                    a[word][i] = rig64(&r, AT_A)[i] = rig_special64();
                    b[word][i] = rig64(&r, AT_B)[i] = rig_special64();
                    rig64(&r, AT_D)[i] = 77;
                }
                rig_run(&r, isa, word ? (sub ? "subc_cc_u64" : "addc_cc_u64") : (sub ? "sub_cc_u64" : "add_cc_u64"),
                        mask);
                for (int i = 0; i < 32; i++) {
                    uwide x = ((uwide)a[1][i] << 64) | a[0][i], y = ((uwide)b[1][i] << 64) | b[0][i];
                    u64 want = (u64)((sub ? x - y : x + y) >> (word ? 64 : 0));
                    want = mask >> i & 1 ? want : 77;
                    if (rig64(&r, AT_D)[i] != want)
                        rig_fail(sub ? "sub chain" : "add chain", isa, i, a[word][i], b[word][i], (u64)word,
                                 rig64(&r, AT_D)[i], want);
                }
            }
            for (int i = 0; i < 32; i++) {
                uwide x = ((uwide)a[1][i] << 64) | a[0][i], y = ((uwide)b[1][i] << 64) | b[0][i];
                bool carry = sub ? x < y : x + y < x;
                assert_int_equal(*rig32(&r, AT_CARRY) >> i & 1, mask >> i & 1 ? carry : 0x0f0f0f0fu >> i & 1);
            }
        }
    }
}

/* mad.lo.cc, madc.hi: 32 x 32 + 64. */
static void test_mad_carry(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        EACH_ISA(isa)
        {
            struct rig r;
            u32 lo[32];
            u64 sum[32];
            rig_init(&r);
            for (int i = 0; i < 32; i++) {
                rig32(&r, AT_A)[i] = rig_special32();
                rig32(&r, AT_B)[i] = rig_special32();
                sum[i] = rig_special64();
                rig32(&r, AT_C)[i] = (u32)sum[i];
            }
            rig_run(&r, isa, "mad_lo_cc_u32", FULL_MASK);
            memcpy(lo, rig32(&r, AT_D), sizeof lo);
            for (int i = 0; i < 32; i++)
                rig32(&r, AT_C)[i] = (u32)(sum[i] >> 32);
            rig_run(&r, isa, "madc_hi_u32", FULL_MASK);
            for (int i = 0; i < 32; i++) {
                u64 want = (u64)rig32(&r, AT_A)[i] * rig32(&r, AT_B)[i] + sum[i];
                assert_int_equal((u64)rig32(&r, AT_D)[i] << 32 | lo[i], want);
            }
        }
    }
}

/* ---- comparisons, selections, predicates ---- */

static bool compare(const char *how, wide a, wide b)
{
    if (!strcmp(how, "eq"))
        return a == b;
    if (!strcmp(how, "ne"))
        return a != b;
    if (!strcmp(how, "lt") || !strcmp(how, "lo"))
        return a < b;
    if (!strcmp(how, "le") || !strcmp(how, "ls"))
        return a <= b;
    if (!strcmp(how, "gt") || !strcmp(how, "hi"))
        return a > b;
    return a >= b;
}

static void check_setp(const char *how, const struct type *t)
{
    char name[32];
    snprintf(name, sizeof name, "setp_%s_%s", how, t->name);
    for (unsigned round = 0; round < 40; round++) {
        EACH_ISA(isa)
        {
            struct rig r;
            u64 a[32], b[32];
            rig_init(&r);
            u32 mask = round & 1 ? FULL_MASK : (u32)rig_random() | 4, old = (u32)rig_random(), want = old & ~mask;
            for (int i = 0; i < 32; i++) {
                a[i] = fill(&r, AT_A, t, i);
                b[i] = i % 3 ? fill(&r, AT_B, t, i) : a[i];
                if (t->bits == 64)
                    rig64(&r, AT_B)[i] = b[i];
                else
                    rig32(&r, AT_B)[i] = (u32)b[i];
                want |= (u32)compare(how, as(t, a[i]), as(t, b[i])) << i & mask;
            }
            *rig32(&r, AT_D) = old;
            rig_run(&r, isa, name, mask);
            if (*rig32(&r, AT_D) != want)
                rig_fail(name, isa, -1, mask, 0, 0, *rig32(&r, AT_D), want);
        }
    }
}

static void test_setp(void **state)
{
    (void)state;
    static const char *const all[] = {"eq", "ne", "lt", "le", "gt", "ge"}, *const more[] = {"lo", "ls", "hi", "hs"};
    for (const struct type *const *t = ints; *t; t++) {
        for (unsigned k = 0; k < LS_ARRAY_LEN(all); k++)
            check_setp(all[k], *t);
        for (unsigned k = 0; k < LS_ARRAY_LEN(more) && !(*t)->is_signed; k++)
            check_setp(more[k], *t);
    }
    for (const struct type *const *t = bits; *t; t++) {
        check_setp("eq", *t);
        check_setp("ne", *t);
    }
}

static void test_select_and_predicates(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 50; round++) {
        EACH_ISA(isa)
        {
            struct rig r;
            rig_init(&r);
            u32 mask = round & 1 ? FULL_MASK : (u32)rig_random() | 8, p = (u32)rig_random(), q = (u32)rig_random();
            for (int i = 0; i < 32; i++) {
                rig64(&r, AT_A)[i] = rig_random();
                rig64(&r, AT_B)[i] = rig_random();
                rig64(&r, AT_D)[i] = 5;
            }
            *rig32(&r, AT_C) = p;
            rig_run(&r, isa, "selp_b64", mask);
            for (int i = 0; i < 32; i++)
                assert_int_equal(rig64(&r, AT_D)[i], mask >> i & 1 ? rig64(&r, p >> i & 1 ? AT_A : AT_B)[i] : (u64)5);
            rig_run(&r, isa, "selp_b32", FULL_MASK);
            for (int i = 0; i < 32; i++)
                assert_int_equal(rig32(&r, AT_D)[i], rig32(&r, p >> i & 1 ? AT_A : AT_B)[i]);
            static const char *const names[] = {"and_pred", "or_pred", "xor_pred", "not_pred", "mov_pred"};
            u32 want[] = {p & q, p | q, p ^ q, ~p, p};
            for (unsigned k = 0; k < LS_ARRAY_LEN(names); k++) {
                *rig32(&r, AT_A) = p;
                *rig32(&r, AT_B) = q;
                *rig32(&r, AT_D) = 0x12345678;
                rig_run(&r, isa, names[k], mask);
                assert_int_equal(*rig32(&r, AT_D), (want[k] & mask) | (0x12345678 & ~mask));
            }
        }
    }
}

static void test_slct(void **state)
{
    (void)state;
    static const u32 third[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, 0x80000001, 0xbf800000};
    /* c >= 0 as an integer, as a float (-0 is, NaN is not), and with subnormals flushed */
    static const bool as_s32[] = {1, 1, 1, 0, 0, 1, 0, 0}, as_f32[] = {1, 1, 0, 1, 0, 0, 0, 0},
                      flushed[] = {1, 1, 0, 1, 0, 0, 1, 0};
    EACH_ISA(isa)
    {
        struct rig r;
        rig_init(&r);
        for (int i = 0; i < 32; i++) {
            rig32(&r, AT_A)[i] = 100 + (u32)i;
            rig32(&r, AT_B)[i] = 200 + (u32)i;
            rig32(&r, AT_C)[i] = third[i % 8];
        }
        rig_run(&r, isa, "slct_b32_s32", FULL_MASK);
        for (int i = 0; i < 32; i++)
            assert_int_equal(rig32(&r, AT_D)[i], (as_s32[i % 8] ? 100 : 200) + i);
        rig_run(&r, isa, "slct_b32_f32", FULL_MASK);
        for (int i = 0; i < 32; i++)
            assert_int_equal(rig32(&r, AT_D)[i], (as_f32[i % 8] ? 100 : 200) + i);
        rig_run(&r, isa, "slct_ftz_b32_f32", FULL_MASK);
        for (int i = 0; i < 32; i++)
            assert_int_equal(rig32(&r, AT_D)[i], (flushed[i % 8] ? 100 : 200) + i);
    }
}

/* ---- conversions among integers ---- */

F(f_same, a)
static const struct type *clamp_to;
F(f_clamp, clamp(clamp_to, a))

static void test_cvt_int(void **state)
{
    (void)state;
    static const struct type *const all[] = {&U8, &S8, &U16, &S16, &U32, &S32, &U64, &S64};
    for (unsigned d = 0; d < 8; d++)
        for (unsigned a = 0; a < 8; a++) {
            char name[32];
            snprintf(name, sizeof name, "cvt_%s_%s", all[d]->name, all[a]->name);
            check(name, all[d], all[a], &U32, &U32, f_same);
            snprintf(name, sizeof name, "cvt_sat_%s_%s", all[d]->name, all[a]->name);
            clamp_to = all[d];
            check(name, all[d], all[a], &U32, &U32, f_clamp);
        }
}

/* ---- pairs of 16 bits ---- */

static void test_pairs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const struct type *t;
        formula want;
    } rows[] = {{"add_u16x2", &U16, f_add},           {"add_s16x2", &S16, f_add},          {"min_u16x2", &U16, f_min},
                {"max_u16x2", &U16, f_max},           {"min_s16x2", &S16, f_min},          {"max_s16x2", &S16, f_max},
                {"min_relu_s16x2", &S16, f_min_relu}, {"max_relu_s16x2", &S16, f_max_relu}};
    for (unsigned k = 0; k < LS_ARRAY_LEN(rows); k++)
        for (unsigned round = 0; round < 40; round++)
            EACH_ISA(isa)
            {
                const struct type *t = rows[k].t;
                struct rig r;
                rig_init(&r);
                for (int i = 0; i < 32; i++) {
                    rig32(&r, AT_A)[i] = rig_special32() << 16 | (rig_special32() & 0xffff);
                    rig32(&r, AT_B)[i] = rig_special32() << 16 | (rig_special32() & 0xffff);
                }
                rig_run(&r, isa, rows[k].name, FULL_MASK);
                for (int i = 0; i < 32; i++) {
                    u32 a = rig32(&r, AT_A)[i], b = rig32(&r, AT_B)[i];
                    u64 lo = cut(t, rows[k].want(t, as(t, a), as(t, b), 0));
                    u64 hi = cut(t, rows[k].want(t, as(t, a >> 16), as(t, b >> 16), 0));
                    if (rig32(&r, AT_D)[i] != (lo | hi << 16))
                        rig_fail(rows[k].name, isa, i, a, b, 0, rig32(&r, AT_D)[i], lo | hi << 16);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_24),
        cmocka_unit_test(test_logic),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bfi_and_lop3),
        cmocka_unit_test(test_carry_chains),
        cmocka_unit_test(test_mad_carry),
        cmocka_unit_test(test_setp),
        cmocka_unit_test(test_select_and_predicates),
        cmocka_unit_test(test_slct),
        cmocka_unit_test(test_cvt_int),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests_name("exec_arith_int", tests, NULL, NULL);
}
