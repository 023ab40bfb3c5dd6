/* test_arith_half.c - f16 and bf16 arithmetic against exact results rounded once; unary operations on every pattern,
 * binary ones on special patterns crossed and random ones. */
#include <math.h>

#include "ref.h"

struct half {
    const char *name;
    const struct format *f;
    int ebits, fbits;
    u32 inf;
};
static const struct half halves[] = {{"f16", &REF_F16, 5, 10, 0x7c00}, {"bf16", &REF_BF16, 8, 7, 0x7f80}};

static exact value(const struct half *h, u32 pattern) { return ref_of_half(pattern & 0xffff, h->ebits, h->fbits); }
static u32 pattern(const struct half *h)
{
    static const u32 pool[] = {0,      0x8000, 1,      0x8001, 0x3c00, 0xbc00, 0x3f80, 0x03ff, 0x0400, 0x7bff, 0xfbff,
                               0x7c00, 0xfc00, 0x7e00, 0x7f80, 0xff80, 0x7f7f, 0x007f, 0x0080, 0x7fff, 0x3800, 0x3c01};
    u64 x = rig_random();
    if ((x & 3) == 0)
        return pool[(x >> 8) % LS_ARRAY_LEN(pool)];
    if ((x & 3) == 1) /* near 1 */
        return (u32)(x >> 8 & 0x8000) | (h->inf / 2 + (u32)((x >> 32) % (4u << h->fbits)) - (2u << h->fbits));
    return (u32)(x >> 16) & 0xffff;
}
static bool is_subnormal(const struct half *h, u32 p) { return (p & h->inf) == 0; }
static u32 flushed(const struct half *h, u32 p) { return is_subnormal(h, p) ? p & 0x8000 : p; }

struct variant {
    bool ftz, sat, relu;
};

/* Whether `got` is what x rounds to under the modifiers. */
static bool is_result(const struct half *h, u32 got, exact x, const struct variant *v)
{
    exact want = v->ftz ? ref_round_ftz(x, h->f, REF_RN) : ref_round(x, h->f, REF_RN);
    if (v->sat)
        want = ref_sat(want);
    if (v->relu && ref_sign(want) && want == want)
        want = 0;
    return ref_is_nan(want) ? got == 0x7fff : ref_same(value(h, got), want);
}

static exact apply(unsigned op, exact a, exact b, exact c)
{
    return op == 0   ? ref_add(a, b, REF_RN)
           : op == 1 ? ref_add(a, -b, REF_RN)
           : op == 2 ? a * b
                     : ref_fma(a, b, c, REF_RN);
}

static void check_arith(const struct half *h, unsigned op, const struct variant *v, const char *name, bool pair)
{
    for (unsigned round = 0; round < 100; round++) {
        struct rig in;
        rig_init(&in);
        in.d = round % 3 == 1 ? AT_B : AT_D;
        u32 mask = round % 3 == 2 ? (u32)rig_random() | 1 : FULL_MASK;
        for (int i = 0; i < 32; i++) {
            rig32(&in, AT_A)[i] = pattern(h) | (pair ? pattern(h) << 16 : 0);
            rig32(&in, AT_B)[i] = pattern(h) | (pair ? pattern(h) << 16 : 0);
            rig32(&in, AT_C)[i] = pattern(h) | (pair ? pattern(h) << 16 : 0);
        }
        EACH_ISA(isa)
        {
            struct rig r = in;
            rig_run(&r, isa, name, mask);
            for (int i = 0; i < 32; i++) {
                u32 d = rig32(&r, r.d)[i];
                if (!(mask >> i & 1)) {
                    assert_int_equal(d, rig32(&in, in.d)[i]);
                    continue;
                }
                for (int k = 0; k <= pair; k++) {
                    u32 a = rig32(&in, AT_A)[i] >> 16 * k & 0xffff, b = rig32(&in, AT_B)[i] >> 16 * k & 0xffff;
                    u32 c = rig32(&in, AT_C)[i] >> 16 * k & 0xffff;
                    if (v->ftz)
                        a = flushed(h, a), b = flushed(h, b), c = flushed(h, c);
                    if (!is_result(h, d >> 16 * k & 0xffff, apply(op, value(h, a), value(h, b), value(h, c)), v))
                        rig_fail(name, isa, i, a, b, c, d >> 16 * k & 0xffff, 0);
                }
            }
        }
    }
}

static void test_arithmetic(void **state)
{
    (void)state;
    static const char *const ops[] = {"add", "sub", "mul", "fma"};
    for (unsigned k = 0; k < 2; k++)
        for (unsigned op = 0; op < 4; op++)
            for (unsigned m = 0; m < 8; m++) {
                struct variant v = {m & 1, m & 2, m & 4};
                if ((v.sat && v.relu) || (v.relu && op != 3) || (k == 1 && (v.ftz || v.sat)))
                    continue;
                for (unsigned pair = 0; pair < 2; pair++) {
                    char name[64];
                    snprintf(name, sizeof name, "%s%s%s%s_%s%s", ops[op], v.ftz ? "_ftz" : "", v.sat ? "_sat" : "",
                             v.relu ? "_relu" : "", halves[k].name, pair ? "x2" : "");
                    check_arith(&halves[k], op, &v, name, pair);
                }
            }
}

/* ---- every pattern ---- */

typedef bool (*judge)(const struct half *h, u32 in, u32 out);

static void check_unary(const struct half *h, const char *op, judge ok)
{
    char name[64];
    for (unsigned pair = 0; pair < 2; pair++)
        for (unsigned round = 0; round < 2048; round++)
            EACH_ISA(isa)
            {
                struct rig r;
                rig_init(&r);
                for (int i = 0; i < 32; i++)
                    rig32(&r, AT_A)[i] = (round * 32 + (u32)i) << (pair ? 16 : 0) | (pair ? 0x3c00 : 0);
                snprintf(name, sizeof name, "%s_%s%s", op, h->name, pair ? "x2" : "");
                rig_run(&r, isa, name, FULL_MASK);
                for (int i = 0; i < 32; i++) {
                    u32 in = round * 32 + (u32)i, out = rig32(&r, AT_D)[i];
                    if (!ok(h, in, pair ? out >> 16 : out) || (pair && !ok(h, 0x3c00, out & 0xffff)))
                        rig_fail(name, isa, i, in, 0, 0, out, 0);
                }
            }
}

static bool is_nan(const struct half *h, u32 p) { return (p & 0x7fff) > h->inf; }
static bool ok_neg(const struct half *h, u32 in, u32 out) { return out == (is_nan(h, in) ? 0x7fff : in ^ 0x8000); }
static bool ok_abs(const struct half *h, u32 in, u32 out) { return out == (is_nan(h, in) ? 0x7fff : in & 0x7fff); }
static bool ok_neg_ftz(const struct half *h, u32 in, u32 out) { return ok_neg(h, flushed(h, in), out); }
static bool ok_abs_ftz(const struct half *h, u32 in, u32 out) { return ok_abs(h, flushed(h, in), out); }

/* Within `ulps` of a libm result; specials exactly. */
static bool near(const struct half *h, u32 out, f64 want, f64 ulps)
{
    if (want != want)
        return out == 0x7fff;
    exact r = ref_round(want, h->f, REF_RN);
    if (ref_is_inf(r) || r == 0)
        return ref_same(value(h, out), r);
    f64 unit = exp2(fmax(floor(log2(fabs(want))), h->f->emin) - (h->f->prec - 1));
    return fabs((f64)value(h, out) - want) <= ulps * unit;
}
/* 9.7.4.10: tanh.approx.f16 has absolute error 2^-10.987; ex2 9.7.4.9: relative error 2^-9.9 (f16), 2^-7 (bf16). Ours
 * are the nearest halves but for f32's own error. */
static bool ok_tanh(const struct half *h, u32 in, u32 out) { return near(h, out, tanh((f64)value(h, in)), 0.501); }
static bool ok_ex2(const struct half *h, u32 in, u32 out) { return near(h, out, exp2((f64)value(h, in)), 0.501); }
static bool ok_ex2_ftz(const struct half *h, u32 in, u32 out)
{
    f64 x = is_subnormal(h, in) ? 0 : (f64)value(h, in), y = exp2(x);
    return near(h, out, y < 0x1p-126 ? 0 : y, 0.501);
}

static void test_unary(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        check_unary(&halves[k], "neg", ok_neg);
        check_unary(&halves[k], "abs", ok_abs);
        check_unary(&halves[k], "tanh_approx", ok_tanh);
    }
    check_unary(&halves[0], "neg_ftz", ok_neg_ftz);
    check_unary(&halves[0], "abs_ftz", ok_abs_ftz);
    check_unary(&halves[0], "ex2_approx", ok_ex2);
    check_unary(&halves[1], "ex2_approx_ftz", ok_ex2_ftz);
}

/* ---- minimum, maximum, comparison ---- */

static u32 pick(const struct half *h, bool max, bool nan, bool xorsign, u32 a, u32 b)
{
    u32 sign = (a ^ b) & 0x8000;
    bool na = is_nan(h, a), nb = is_nan(h, b);
    if ((na && nb) || (nan && (na || nb)))
        return 0x7fff;
    if (xorsign)
        a &= 0x7fff, b &= 0x7fff;
    exact x = value(h, a), y = value(h, b);
    bool less = x < y || (x == y && a >> 15);
    u32 r = na ? b : nb ? a : less != max ? a : b;
    return xorsign ? r | sign : r;
}

static void test_min_max(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned m = 0; m < 16; m++) {
            bool max = m & 1, nan = m & 2, xorsign = m & 4, ftz = m & 8;
            const struct half *h = &halves[k];
            char name[64];
            if (ftz && k == 1)
                continue;
            snprintf(name, sizeof name, "%s%s%s%s_%sx2", max ? "max" : "min", ftz ? "_ftz" : "", nan ? "_NaN" : "",
                     xorsign ? "_xorsign_abs" : "", h->name);
            for (unsigned round = 0; round < 100; round++)
                EACH_ISA(isa)
                {
                    struct rig r;
                    rig_init(&r);
                    for (int i = 0; i < 32; i++) {
                        rig32(&r, AT_A)[i] = pattern(h) | pattern(h) << 16;
                        rig32(&r, AT_B)[i] = i % 5 ? pattern(h) | pattern(h) << 16 : rig32(&r, AT_A)[i] ^ 0x80008000;
                    }
                    rig_run(&r, isa, name, FULL_MASK);
                    for (int i = 0; i < 64; i++) {
                        u32 a = rig32(&r, AT_A)[i / 2] >> 16 * (i & 1) & 0xffff;
                        u32 b = rig32(&r, AT_B)[i / 2] >> 16 * (i & 1) & 0xffff;
                        u32 d = rig32(&r, AT_D)[i / 2] >> 16 * (i & 1) & 0xffff;
                        u32 want = ftz ? pick(h, max, nan, xorsign, flushed(h, a), flushed(h, b))
                                       : pick(h, max, nan, xorsign, a, b);
                        if (d != want)
                            rig_fail(name, isa, i / 2, a, b, 0, d, want);
                    }
                }
        }
}

static bool compare(const char *how, exact a, exact b)
{
    bool unordered = a != a || b != b;
    if (!strcmp(how, "num") || !strcmp(how, "nan"))
        return unordered == (how[1] == 'a');
    if (unordered)
        return how[2] == 'u';
    bool eq = a == b, lt = a < b;
    return how[0] == 'e'   ? eq
           : how[0] == 'n' ? !eq
           : how[0] == 'l' ? lt || (how[1] == 'e' && eq)
                           : !lt && (how[1] == 'e' || !eq);
}

static void test_setp(void **state)
{
    (void)state;
    static const char *const hows[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                       "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    for (unsigned k = 0; k < 2; k++)
        for (unsigned c = 0; c < LS_ARRAY_LEN(hows); c++)
            for (unsigned ftz = 0; ftz < 2 - k; ftz++)
                for (unsigned round = 0; round < 20; round++)
                    EACH_ISA(isa)
                    {
                        const struct half *h = &halves[k];
                        struct rig r;
                        char name[64];
                        u32 want[2] = {0, 0}, mask = round & 1 ? FULL_MASK : (u32)rig_random() | 1;
                        rig_init(&r);
                        for (int i = 0; i < 32; i++) {
                            rig32(&r, AT_A)[i] = pattern(h) | pattern(h) << 16;
                            rig32(&r, AT_B)[i] = i % 3 ? pattern(h) | pattern(h) << 16 : rig32(&r, AT_A)[i];
                            for (int p = 0; p < 2; p++) {
                                u32 a = rig32(&r, AT_A)[i] >> 16 * p, b = rig32(&r, AT_B)[i] >> 16 * p;
                                if (ftz)
                                    a = flushed(h, a & 0xffff), b = flushed(h, b & 0xffff);
                                want[p] |= (u32)compare(hows[c], value(h, a), value(h, b)) << i & mask;
                            }
                        }
                        snprintf(name, sizeof name, "setp_%s%s_%sx2", hows[c], ftz ? "_ftz" : "", h->name);
                        rig_run(&r, isa, name, mask);
                        assert_int_equal(*rig32(&r, AT_D), want[0]);
                        assert_int_equal(*rig32(&r, AT_AUX), want[1]);
                    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_unary),
        cmocka_unit_test(test_min_max),
        cmocka_unit_test(test_setp),
    };
    return cmocka_run_group_tests_name("exec_arith_half", tests, NULL, NULL);
}
