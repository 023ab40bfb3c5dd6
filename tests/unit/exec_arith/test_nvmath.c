/* test_nvmath.c - the __nv_* functions: f32 results against C's long double functions within an ulp, values from
 * tables where C has no such function, roundings and conversions against the definition, parts of words by hand. */
/* clang-format off */ // rows of macros and of text
#include <math.h>

#include "exec/device/nvmath.h"
#include "ref.h"

enum { STRIDE = 64 };

/* One call by lanes 0, 5 and 31 with the same argument block; the others' results must stay. */
static void call(const char *name, const void *args, size_t nargs, void *ret, size_t nret)
{
    _Alignas(16) u8 in[32 * STRIDE], out[32 * STRIDE];
    int id = nvmath_find(name);
    if (id < 0)
        fail_msg("no function %s", name);
    memset(in, 0xaa, sizeof in);
    memset(out, 0x55, sizeof out);
    struct builtin_call c = {.mask = 1u | 1u << 5 | 1u << 31, .args = in, .arg_stride = STRIDE, .rets = out, .ret_stride = STRIDE};
    for (int lane = 0; lane < 32; lane++)
        memcpy(in + lane * STRIDE, args, nargs);
    assert_true(nvmath_run(id, &c));
    for (int lane = 0; lane < 32; lane++) {
        if (c.mask >> lane & 1)
            assert_memory_equal(out + lane * STRIDE, out, nret);
        else
            assert_int_equal(out[lane * STRIDE], 0x55);
        assert_int_equal(out[lane * STRIDE + nret], 0x55);
    }
    memcpy(ret, out, nret);
}
static f32 f1(const char *name, f32 a)
{
    f32 r;
    call(name, &a, 4, &r, 4);
    return r;
}
static f32 f2(const char *name, f32 a, f32 b)
{
    f32 args[2] = {a, b}, r;
    call(name, args, 8, &r, 4);
    return r;
}
static f64 d1(const char *name, f64 a)
{
    f64 r;
    call(name, &a, 8, &r, 8);
    return r;
}
static u32 u2(const char *name, u32 a, u32 b)
{
    u32 args[2] = {a, b}, r;
    call(name, args, 8, &r, 4);
    return r;
}

/* |got - want| in units of the last place of want. */
static f64 ulps(f64 got, long double want, int prec, int emin)
{
    if (isnan((f64)want) || isinf((f64)want))
        return isnan((f64)want) ? (isnan(got) ? 0 : 1e9) : got == (f64)want ? 0 : 1e9;
    long double m = fabsl(want);
    if (prec == 24 && m >= 0x1.ffffffp127L) /* rounds to infinity */
        return isinf(got) && (got < 0) == (want < 0) ? 0 : 1e9;
    int e = m == 0 ? emin : (int)floorl(log2l(m));
    return (f64)(fabsl(got - want) / ldexpl(1, (e < emin ? emin : e) - (prec - 1)));
}

struct unary {
    const char *name;
    long double (*ref)(long double);
    f64 lo, hi;
};
static long double exp10_ref(long double x) { return powl(10, x); }
static long double rsqrt_ref(long double x) { return 1 / sqrtl(x); }
static long double rcbrt_ref(long double x) { return 1 / cbrtl(x); }
static long double normcdf_ref(long double x) { return erfcl(-x * sqrtl(0.5L)) / 2; }
static const struct unary unaries[] = {
    {"acos", acosl, -1, 1},    {"acosh", acoshl, 1, 1e30}, {"asin", asinl, -1, 1},     {"asinh", asinhl, -1e30, 1e30},
    {"atan", atanl, -1e6, 1e6}, {"atanh", atanhl, -1, 1},  {"cbrt", cbrtl, -1e30, 1e30}, {"cos", cosl, -1e5, 1e5},
    {"cosh", coshl, -80, 80},  {"erf", erfl, -4, 4},       {"erfc", erfcl, -4, 9},     {"exp", expl, -80, 80},
    {"exp10", exp10_ref, -36, 37}, {"exp2", exp2l, -125, 127}, {"expm1", expm1l, -20, 80}, {"lgamma", lgammal, 0.1, 1e6},
    {"log", logl, 0, 1e30},    {"log10", log10l, 0, 1e30}, {"log1p", log1pl, -1, 1e30}, {"log2", log2l, 0, 1e30},
    {"sin", sinl, -1e5, 1e5},  {"sinh", sinhl, -80, 80},   {"tan", tanl, -1e5, 1e5},   {"tanh", tanhl, -9, 9},
    {"tgamma", tgammal, 0.1, 30}, {"rsqrt", rsqrt_ref, 0, 1e30}, {"rcbrt", rcbrt_ref, 0.001, 1e30},
    {"normcdf", normcdf_ref, -12, 8}, {"sqrt", sqrtl, 0, 1e30}};

static void test_unary(void **state)
{
    (void)state;
    for (unsigned k = 0; k < LS_ARRAY_LEN(unaries); k++)
        for (unsigned n = 0; n < 400; n++) {
            const struct unary *u = &unaries[k];
            char name[40];
            f64 x = u->lo + (u->hi - u->lo) * (f64)(rig_random() >> 11) * 0x1p-53;
            x = n & 1 ? x : x * 1e-4 + (u->lo > 0 ? u->lo : 0); /* small ones too */
            snprintf(name, sizeof name, "__nv_%sf", u->name);
            f32 xf = (f32)x;
            f64 e = ulps(f1(name, xf), u->ref((long double)xf), 24, -126);
            if (!(e <= 0.51))
                fail_msg("%s(%a) is off by %g ulp", name, (f64)xf, e);
            snprintf(name, sizeof name, "__nv_%s", u->name);
            e = ulps(d1(name, x), u->ref((long double)x), 53, -1022);
            if (!(e <= 6)) /* the guide's worst for these: lgamma, 4; tgamma 10; erfc 5 */
                fail_msg("%s(%a) is off by %g ulp", name, x, e);
        }
}

/* Values from Abramowitz and Stegun's tables (9.8, 7.1) and exact identities. */
static void test_known_values(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        f64 x, y;
    } rows[] = {{"cyl_bessel_i0", 1, 1.2660658777520083}, {"cyl_bessel_i0", 10, 2815.716628466254},
                {"cyl_bessel_i1", 1, 0.5651591039924850}, {"cyl_bessel_i1", -10, -2670.988303701255},
                {"cyl_bessel_i0", 0, 1}, {"erfcx", 0, 1}, {"erfcx", 1, 0.427583576155807}, {"erfcx", 30, 0.018795888861416751},
                {"erfcx", 1e10, 5.641895835477563e-11}, {"erfinv", 0.5, 0.4769362762044699},
                {"erfinv", -0.9, -1.1630871536766743}, {"erfcinv", 1e-10, 4.572824967389486},
                {"erfcinv", 1.5, -0.4769362762044699}, {"normcdfinv", 0.975, 1.959963984540054},
                {"normcdfinv", 0.5, 0}, {"normcdfinv", 0.001, -3.090232306167813}, {"sinpi", 0.5, 1}, {"sinpi", 1e9 + 1, 0},
                {"cospi", 0.5, 0}, {"cospi", 3, -1}, {"cospi", 0.25, 0.7071067811865476}, {"sinpi", 0.25, 0.7071067811865476},
                {"j0", 1, 0.7651976865579666}, {"j1", 1, 0.4400505857449335}, {"y0", 1, 0.08825696421567697},
                {"y1", 1, -0.7812128213002887}};
    for (unsigned k = 0; k < LS_ARRAY_LEN(rows); k++) {
        char name[40];
        snprintf(name, sizeof name, "__nv_%s", rows[k].name);
        f64 got = d1(name, rows[k].x);
        if (!(fabs(got - rows[k].y) <= fabs(rows[k].y) * 2e-15))
            fail_msg("%s(%.17g) = %.17g, want %.17g", name, rows[k].x, got, rows[k].y);
        snprintf(name, sizeof name, "__nv_%sf", rows[k].name);
        f32 x = (f32)rows[k].x;
        if ((f64)x == rows[k].x)
            assert_true(fabs(f1(name, x) - rows[k].y) <= fabs(rows[k].y) * 0x1p-23);
    }
    assert_true(isinf(d1("__nv_erfinv", 1)) && isnan(d1("__nv_erfinv", 1.5)) && isnan(d1("__nv_y0", -1)));
    assert_true(isinf(d1("__nv_erfcinv", 0)) && isnan(d1("__nv_normcdfinv", 2)));
    assert_int_equal(bits32(f1("__nv_logf", -1)), 0x7fffffff);
    /* the inverses undo the functions */
    for (unsigned n = 1; n < 200; n++) {
        f64 y = n / 200.0 * (n & 1 ? 1 : -1);
        assert_true(fabs(erf(d1("__nv_erfinv", y)) - y) <= 4e-16 * fabs(y));
        f64 p = exp2(-(f64)n);
        assert_true(fabs(erfc(d1("__nv_erfcinv", p)) - p) <= p * n * 1e-14);
    }
}

static void test_binary(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2000; n++) {
        f32 a = rig_float(), b = rig_float(), m = fabsf(a);
        assert_true(ulps(f2("__nv_powf", m, b), powl((long double)m, (long double)b), 24, -126) <= 0.51);
        assert_true(ulps(f2("__nv_hypotf", a, b), hypotl((long double)a, (long double)b), 24, -126) <= 0.51);
        assert_true(ulps(f2("__nv_atan2f", a, b), atan2l((long double)a, (long double)b), 24, -126) <= 0.51);
        assert_true(ulps(f2("__nv_fmodf", a, b), fmodl((long double)a, (long double)b), 24, -126) == 0);
        f32 max = f2("__nv_fmaxf", a, b), min = f2("__nv_fminf", a, b);
        if (a == a && b == b)
            assert_true((max == a || max == b) && max >= a && max >= b && (min == a || min == b) && min <= a && min <= b);
        else
            assert_true((a == a ? max == a : b == b ? max == b : max != max));
    }
    assert_int_equal(bits32(f2("__nv_fmaxf", -0.0f, 0.0f)), 0);
    assert_int_equal(bits32(f2("__nv_fminf", 0.0f, -0.0f)), 0x80000000);
    assert_true(f2("__nv_fast_fdividef", 1, 0x1.8p126f) == 0 && isnan(f2("__nv_fast_fdividef", INFINITY, 0x1.8p126f)));
    struct {
        f64 a;
        i32 b;
    } mixed = {1.5, -3};
    f64 r;
    call("__nv_ldexp", &mixed, 12, &r, 8);
    assert_true(r == 0.1875);
    call("__nv_powi", &mixed, 12, &r, 8);
    assert_true(fabs(r - 1 / 3.375) < 1e-16);
    struct {
        i32 n;
        f64 x;
    } bessel = {2, 1.0}; /* n, then x at offset 8 */
    call("__nv_jn", &bessel, 16, &r, 8);
    assert_true(fabs(r - 0.1149034849319005) < 1e-16);
    f64 four[4] = {3, 4, 12, 84};
    call("__nv_norm4d", four, 32, &r, 8);
    assert_true(r == 85);
    call("__nv_rnorm3d", four, 24, &r, 8);
    assert_true(fabs(r - 1.0 / 13) < 1e-16);
}

static const char *const suffixes[] = {"rn", "rz", "rd", "ru"};
static const enum mode modes[] = {REF_RN, REF_RZ, REF_RM, REF_RP};

static void test_rounding(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 400; n++)
        for (unsigned m = 0; m < 4; m++) {
            f32 args[3] = {rig_float(), rig_float(), rig_float()}, r;
            exact a = args[0], b = args[1], c = args[2];
            struct {
                const char *name;
                exact want;
            } rows[] = {{"fadd", ref_add(a, b, modes[m])},         {"fsub", ref_add(a, -b, modes[m])},
                        {"fmul", a * b},                           {"fdiv", a / b},
                        {"fmaf", ref_fma(a, b, c, modes[m])},      {"frcp", 1 / a},
                        {"fsqrt", ref_sqrt(a)},                    {"fmaf_ieee", ref_fma(a, b, c, modes[m])}};
            for (unsigned k = 0; k < LS_ARRAY_LEN(rows); k++) {
                char name[40];
                snprintf(name, sizeof name, "__nv_%s_%s", rows[k].name, suffixes[m]);
                call(name, args, 12, &r, 4);
                if (!ref_same(r, ref_round(rows[k].want, &REF_F32, modes[m])))
                    fail_msg("%s(%a, %a, %a) = %a", name, (f64)args[0], (f64)args[1], (f64)args[2], (f64)r);
            }
        }
}

static void test_conversions(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 400; n++)
        for (unsigned m = 0; m < 4; m++) {
            char name[40];
            f32 x = rig_float(), r;
            f64 y = rig_double();
            u64 v = rig_special64(), w;
            i32 i;
            exact whole = ref_whole(x, modes[m]);
            snprintf(name, sizeof name, "__nv_float2int_%s", suffixes[m]);
            call(name, &x, 4, &i, 4);
            assert_true(x != x ? i == 0 : i == (whole < -0x1p31 ? INT32_MIN : whole > 0x7fffffff ? INT32_MAX : (i32)whole));
            snprintf(name, sizeof name, "__nv_float2ull_%s", suffixes[m]);
            call(name, &x, 4, &w, 8);
            assert_true(w == (x != x ? (u64)1 << 63 : whole < 0 ? 0 : whole >= ref_scale(64) ? UINT64_MAX : (u64)whole));
            snprintf(name, sizeof name, "__nv_double2float_%s", suffixes[m]);
            call(name, &y, 8, &r, 4);
            assert_true(ref_same(r, ref_round(y, &REF_F32, modes[m])));
            snprintf(name, sizeof name, "__nv_ull2float_%s", suffixes[m]);
            call(name, &v, 8, &r, 4);
            assert_true((exact)r == ref_round((exact)v, &REF_F32, modes[m]));
            snprintf(name, sizeof name, "__nv_ll2double_%s", suffixes[m]);
            call(name, &v, 8, &y, 8);
            assert_true((exact)y == ref_round((exact)(i64)v, &REF_F64, modes[m]));
        }
    for (u32 h = 0; h < 0x10000; h++) {
        u16 in = (u16)h, back;
        f32 x;
        call("__nv_half2float", &in, 2, &x, 4);
        assert_true(ref_same(x, ref_of_half(h, 5, 10)));
        call("__nv_float2half_rn", &x, 4, &back, 2);
        assert_true(x != x ? back == 0x7fff : back == in);
    }
    u32 nan = 0xffc12345, out;
    call("__nv_int_as_float", &nan, 4, &out, 4);
    assert_int_equal(out, nan);
    u32 words[2] = {0x40091eb8, 0x51eb851f};
    f64 d;
    call("__nv_hiloint2double", words, 8, &d, 8);
    assert_true(d == 3.14);
}

/* ---- integers and parts of words ---- */

static i32 part(u32 v, int bits, int k, bool is_signed)
{
    u32 p = v >> k & ((1u << bits) - 1);
    return is_signed && p >> (bits - 1) ? (i32)p - (1 << bits) : (i32)p;
}
static i32 limit(i32 v, int bits, bool is_signed)
{
    i32 lo = is_signed ? -(1 << (bits - 1)) : 0, hi = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    return v < lo ? lo : v > hi ? hi : v;
}

static void test_parts(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 500; n++)
        for (int bits = 8; bits <= 16; bits += 8) {
            u32 a = rig_special32() * 0x01010101u, b = n % 3 ? rig_special32() : a ^ 0x00ff0000;
            struct {
                const char *name;
                u32 want;
            } rows[] = {{"vadd", 0}, {"vaddss", 0}, {"vaddus", 0}, {"vsubss", 0}, {"vmaxs", 0}, {"vminu", 0}, {"vcmpgts", 0},
                        {"vsetleu", 0}, {"vavgu", 0}, {"vhaddu", 0}, {"vabsdiffu", 0}, {"vabsss", 0}, {"vcmpeq", 0}};
            u32 sum = 0;
            for (int k = 0; k < 32; k += bits) {
                i32 xs = part(a, bits, k, true), ys = part(b, bits, k, true), xu = part(a, bits, k, false),
                    yu = part(b, bits, k, false), v[] = {xu + yu, limit(xs + ys, bits, true), limit(xu + yu, bits, false),
                    limit(xs - ys, bits, true), xs > ys ? xs : ys, xu < yu ? xu : yu, xs > ys ? -1 : 0, xu <= yu,
                    (xu + yu + 1) / 2, (xu + yu) / 2, abs(xu - yu), limit(abs(xs), bits, true), xu == yu ? -1 : 0};
                for (unsigned r = 0; r < LS_ARRAY_LEN(rows); r++)
                    rows[r].want |= ((u32)v[r] & ((1u << bits) - 1)) << k;
                sum += (u32)abs(xs - ys);
            }
            for (unsigned r = 0; r < LS_ARRAY_LEN(rows); r++) {
                char name[40];
                snprintf(name, sizeof name, "__nv_%s%d", rows[r].name, 32 / bits);
                u32 got = u2(name, a, b);
                if (got != rows[r].want)
                    fail_msg("%s(%x, %x) = %x, want %x", name, a, b, got, rows[r].want);
            }
            assert_int_equal(u2(bits == 8 ? "__nv_vsads4" : "__nv_vsads2", a, b), sum);
        }
}

static void test_integers(void **state)
{
    (void)state;
    assert_int_equal(u2("__nv_clz", 0, 0), 32);
    assert_int_equal(u2("__nv_ffs", 0x80000000, 0), 32);
    assert_int_equal(u2("__nv_abs", 0x80000000, 0), 0x80000000);
    assert_int_equal(u2("__nv_hadd", 0xfffffffe, 0xffffffff), 0xfffffffe);
    assert_int_equal(u2("__nv_rhadd", 0xfffffffe, 0xffffffff), 0xffffffff);
    assert_int_equal(u2("__nv_mulhi", 0x80000000, 2), 0xffffffff);
    assert_int_equal(u2("__nv_umulhi", 0x80000000, 2), 1);
    assert_int_equal(u2("__nv_mul24", 0x00ffffff, 3), 0xfffffffd);
    u32 three[3] = {0x33221100, 0x77665544, 0xf7a1}, r;
    call("__nv_byte_perm", three, 12, &r, 4); /* selector bits 3 are ignored: 7, 7, 2, 1 */
    assert_int_equal(r, 0x77772211);
    u32 apart[3] = {5, 0xfffffff0, 7};
    call("__nv_sad", apart, 12, &r, 4);
    assert_int_equal(r, 21 + 7);
    u64 wide[2] = {(u64)1 << 63, 4}, h;
    call("__nv_mul64hi", wide, 16, &h, 8);
    assert_true(h == ~(u64)1);
    call("__nv_umul64hi", wide, 16, &h, 8);
    assert_true(h == 2);
}

static void test_names(void **state)
{
    (void)state;
    int n = 0;
    for (; nvmath_name(n); n++)
        assert_int_equal(nvmath_find(nvmath_name(n)), n);
    assert_true(n > 350);
    assert_int_equal(nvmath_find("__nv_nothing"), -1);
    assert_int_equal(nvmath_find("sinf"), -1);
    static const char *const with_pointers[] = {"__nv_sincosf", "__nv_sincospi", "__nv_frexp", "__nv_modff", "__nv_remquo",
                                                "__nv_normf", "__nv_rnorm", "__nv_nanf", "__nv_fast_sincosf"};
    for (unsigned k = 0; k < LS_ARRAY_LEN(with_pointers); k++)
        assert_true(nvmath_find(with_pointers[k]) >= 0);
}

/* A pointer into local memory: each lane's own. */
static void test_pointers(void **state)
{
    (void)state;
    static u8 local[32 * 64];
    _Alignas(8) u8 in[32 * 32], out[32 * 32];
    struct warp w = {.mask = FULL_MASK, .local = local, .local_bytes = 64, .local_window = (u64)1 << 40,
                     .shared_window = (u64)1 << 41};
    struct builtin_call c = {.w = &w, .mask = FULL_MASK, .args = in, .arg_stride = 32, .rets = out, .ret_stride = 32};
    for (int i = 0; i < 32; i++) {
        f64 x = 0.1 * i;
        u64 s = ((u64)1 << 40) + 16, co = ((u64)1 << 40) + 24;
        memcpy(in + i * 32, &x, 8);
        memcpy(in + i * 32 + 8, &s, 8);
        memcpy(in + i * 32 + 16, &co, 8);
    }
    assert_true(nvmath_run(nvmath_find("__nv_sincos"), &c));
    for (int i = 0; i < 32; i++) {
        f64 s, co;
        memcpy(&s, local + i * 64 + 16, 8);
        memcpy(&co, local + i * 64 + 24, 8);
        assert_true(fabs(s - sin(0.1 * i)) < 1e-15 && fabs(co - cos(0.1 * i)) < 1e-15);
    }
    assert_true(nvmath_run(nvmath_find("__nv_modf"), &c));
    for (int i = 0; i < 32; i++) {
        f64 whole, fraction;
        memcpy(&whole, local + i * 64 + 16, 8);
        memcpy(&fraction, out + i * 32, 8);
        assert_true(whole == floor(0.1 * i) && whole + fraction == 0.1 * i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unary),       cmocka_unit_test(test_known_values), cmocka_unit_test(test_binary),
        cmocka_unit_test(test_rounding),    cmocka_unit_test(test_conversions),  cmocka_unit_test(test_parts),
        cmocka_unit_test(test_integers),    cmocka_unit_test(test_names),        cmocka_unit_test(test_pointers),
    };
    return cmocka_run_group_tests_name("nvmath", tests, NULL, NULL);
}
