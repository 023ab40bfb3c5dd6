/* test_arith_approx.c - the approximations: errors against libm in double, within what the PTX manual states, and the
 * manual's tables of special values. */
/* clang-format off */ // rows of macros and of text
#include <math.h>

#include "ref.h"

struct special {
    f32 in;
    f64 out; /* NaN: must be NaN */
};
#define INF __builtin_inff()
#define NOT_A_NUMBER __builtin_nanf("")

/* rel: relative error; abs: absolute error; whichever is met. */
struct function {
    const char *name;
    f64 (*ref)(f64);
    f64 lo, hi, rel, abs;
    bool ftz;
    struct special special[8];
};

static f64 rcp(f64 x) { return 1 / x; }
static f64 rsqrt(f64 x) { return 1 / sqrt(x); }

/* Bounds of PTX ISA 9.7.3.13-22: rcp 1 ulp, sqrt 2^-23, rsqrt 2^-22.9, sin and cos 2^-20.5 absolute in [-2 pi, 2 pi], lg2
 * 2^-22, ex2 2^-22, tanh 2^-11. */
static const struct function functions[] = {
    {"rcp_approx", rcp, -0x1p120, 0x1p120, 0x1p-23, 0, true,
     {{INF, 0}, {-INF, -0.0}, {0, INF}, {-0.0f, -INF}, {NOT_A_NUMBER, NAN}, {0x1p-126f, 0x1p126}}},
    {"sqrt_approx", sqrt, 0, 0x1p127, 0x1p-23, 0, true,
     {{INF, INF}, {-INF, NAN}, {0, 0}, {-0.0f, -0.0}, {NOT_A_NUMBER, NAN}, {-1, NAN}, {4, 2}}},
    {"rsqrt_approx", rsqrt, 0, 0x1p127, 0x1p-22, 0, true,
     {{INF, 0}, {-INF, NAN}, {0, INF}, {-0.0f, -INF}, {NOT_A_NUMBER, NAN}, {-1, NAN}, {4, 0.5}}},
    {"sin_approx", sin, -2 * M_PI, 2 * M_PI, 0, 0x1p-20, true,
     {{INF, NAN}, {-INF, NAN}, {0, 0}, {-0.0f, -0.0}, {NOT_A_NUMBER, NAN}}},
    {"cos_approx", cos, -2 * M_PI, 2 * M_PI, 0, 0x1p-20, true,
     {{INF, NAN}, {-INF, NAN}, {0, 1}, {-0.0f, 1}, {NOT_A_NUMBER, NAN}}},
    {"lg2_approx", log2, 0, 0x1p127, 0x1p-22, 0x1p-22, true,
     {{INF, INF}, {-INF, NAN}, {0, -INF}, {-0.0f, -INF}, {NOT_A_NUMBER, NAN}, {-1, NAN}, {1, 0}, {8, 3}}},
    {"ex2_approx", exp2, -126, 127.9, 0x1p-22, 0, true,
     {{INF, INF}, {-INF, 0}, {0, 1}, {-0.0f, 1}, {NOT_A_NUMBER, NAN}, {128, INF}, {-200, 0}, {-1e-40f, 1}}},
    {"tanh_approx", tanh, -20, 20, 0x1p-11, 0, false,
     {{INF, 1}, {-INF, -1}, {0, 0}, {-0.0f, -0.0}, {NOT_A_NUMBER, NAN}, {1e-40f, 1e-40f}}},
};

static void check_specials(const struct function *f, const char *name, enum exec_isa isa)
{
    struct rig r;
    rig_init(&r);
    for (int i = 0; i < 32; i++)
        rigf(&r, AT_A)[i] = f->special[i % 8].in;
    rig_run(&r, isa, name, FULL_MASK);
    for (int i = 0; i < 8; i++) {
        f64 want = f->special[i].out, got = rigf(&r, AT_D)[i];
        if (i >= 5 && f->special[i].in == 0 && want == 0)
            continue; /* unused rows */
        if (want != want ? rig32(&r, AT_D)[i] != 0x7fffffff : bits32((f32)want) != bits32((f32)got))
            rig_fail(name, isa, i, bits32(f->special[i].in), 0, 0, rig32(&r, AT_D)[i], bits32((f32)want));
    }
}

static f32 in_range(const struct function *f)
{
    for (;;) {
        f32 x = rig_random() & 1 ? rig_float() : (f32)(f->lo + (f->hi - f->lo) * ((f64)(rig_random() >> 11) * 0x1p-53));
        if (x >= f->lo && x <= f->hi && x != 0 && fabsf(x) >= 0x1p-126f)
            return x;
    }
}

static void check_errors(const struct function *f, const char *name, enum exec_isa isa)
{
    for (unsigned round = 0; round < 500; round++) {
        struct rig r;
        rig_init(&r);
        for (int i = 0; i < 32; i++)
            rigf(&r, AT_A)[i] = in_range(f);
        rig_run(&r, isa, name, FULL_MASK);
        for (int i = 0; i < 32; i++) {
            f64 x = rigf(&r, AT_A)[i], want = f->ref(x), err = fabs((f64)rigf(&r, AT_D)[i] - want);
            bool tiny = fabs(want) < 0x1p-125;
            if (!(err <= f->rel * fabs(want) || err <= f->abs || (tiny && err <= 0x1p-126)))
                rig_fail(name, isa, i, rig32(&r, AT_A)[i], 0, 0, rig32(&r, AT_D)[i], bits32((f32)want));
        }
    }
}

static void test_functions(void **state)
{
    (void)state;
    for (unsigned k = 0; k < LS_ARRAY_LEN(functions); k++)
        for (unsigned ftz = 0; ftz <= functions[k].ftz; ftz++)
            EACH_ISA(isa)
            {
                char name[64];
                snprintf(name, sizeof name, "%s%s_f32", functions[k].name, ftz ? "_ftz" : "");
                if (!ftz || k != 6) /* ex2.ftz of a subnormal is in test_flush */
                    check_specials(&functions[k], name, isa);
                check_errors(&functions[k], name, isa);
            }
}

static u32 run1(enum exec_isa isa, const char *name, f32 x)
{
    struct rig r;
    rig_init(&r);
    for (int i = 0; i < 32; i++)
        rigf(&r, AT_A)[i] = x;
    rig_run(&r, isa, name, FULL_MASK);
    return rig32(&r, AT_D)[13];
}

/* What .ftz changes, and subnormals without it. */
static void test_flush(void **state)
{
    (void)state;
    EACH_ISA(isa)
    {
        assert_int_equal(run1(isa, "rcp_approx_ftz_f32", -1e-40f), bits32(-INF));
        assert_int_equal(run1(isa, "rcp_approx_ftz_f32", 0x1.8p127f), 0); /* its reciprocal is subnormal */
        assert_int_equal(run1(isa, "rcp_approx_f32", 0x1p127f), bits32(0x1p-127f));
        assert_int_equal(run1(isa, "sqrt_approx_ftz_f32", -1e-40f), bits32(-0.0f));
        assert_int_equal(run1(isa, "rsqrt_approx_ftz_f32", 1e-40f), bits32(INF));
        assert_int_equal(run1(isa, "rsqrt_approx_f32", 0x1p-140f), bits32(0x1p70f));
        assert_int_equal(run1(isa, "lg2_approx_ftz_f32", 1e-40f), bits32(-INF));
        assert_int_equal(run1(isa, "lg2_approx_f32", 0x1p-140f), bits32(-140.0f));
        assert_int_equal(run1(isa, "ex2_approx_ftz_f32", -127.0f), 0);
        assert_int_equal(run1(isa, "ex2_approx_f32", -140.0f), bits32(0x1p-140f));
        assert_int_equal(run1(isa, "ex2_approx_ftz_f32", -1e-40f), bits32(1.0f));
        assert_int_equal(run1(isa, "sin_approx_ftz_f32", -1e-40f), bits32(-0.0f));
        assert_int_equal(run1(isa, "cos_approx_ftz_f32", -1e-40f), bits32(1.0f));
    }
}

/* Far arguments: sin and cos stay in [-1, 1]. */
static void test_far(void **state)
{
    (void)state;
    EACH_ISA(isa)
        for (int e = 3; e < 128; e++) {
            assert_true(fabsf(float_of(run1(isa, "sin_approx_f32", ldexpf(1.7f, e)))) <= 1);
            assert_true(fabsf(float_of(run1(isa, "cos_approx_f32", ldexpf(-1.3f, e)))) <= 1);
        }
}

static void test_division(void **state)
{
    (void)state;
    EACH_ISA(isa)
        for (unsigned round = 0; round < 300; round++) {
            struct rig r;
            rig_init(&r);
            for (int i = 0; i < 32; i++) {
                rigf(&r, AT_A)[i] = rig_float();
                rigf(&r, AT_B)[i] = rig_float();
            }
            rig_run(&r, isa, round & 1 ? "div_approx_f32" : "div_full_f32", FULL_MASK);
            for (int i = 0; i < 32; i++) {
                f32 a = rigf(&r, AT_A)[i], b = rigf(&r, AT_B)[i], d = rigf(&r, AT_D)[i], q = a / b;
                if ((round & 1) && fabsf(b) > 0x1p126f && fabsf(b) < INF) { /* 9.7.3.8's range rule */
                    assert_true(fabsf(a) < INF ? d == 0 : d != d);
                    continue;
                }
                if (q != q)
                    assert_int_equal(bits32(d), 0x7fffffff);
                else if (fabsf(q) == INF || q == 0)
                    assert_int_equal(bits32(d), bits32(q));
                else
                    assert_true(fabs((f64)d - (f64)a / (f64)b) <= 2 * fabs((f64)a / (f64)b) * 0x1p-23 + 0x1p-149);
            }
        }
}

/* 1.11.20 operands (.ftz) and results: the low words are ignored and zero, the relative error below 2^-20. */
static void test_gross_f64(void **state)
{
    (void)state;
    static const char *const names[] = {"rcp_approx_ftz_f64", "rsqrt_approx_ftz_f64", "rsqrt_approx_f64"};
    for (unsigned k = 0; k < 3; k++)
        EACH_ISA(isa)
            for (unsigned round = 0; round < 200; round++) {
                struct rig r;
                rig_init(&r);
                for (int i = 0; i < 32; i++)
                    rigd(&r, AT_A)[i] = rig_double();
                rig_run(&r, isa, names[k], FULL_MASK);
                for (int i = 0; i < 32; i++) {
                    f64 x = double_of(rig64(&r, AT_A)[i] & (k < 2 ? ~(u64)0xffffffff : ~(u64)0));
                    f64 d = rigd(&r, AT_D)[i], want = k ? 1 / sqrt(x) : 1 / x;
                    assert_int_equal(rig32(&r, AT_D)[2 * i], 0);
                    if (fabs(x) < 0x1p-1022 && k < 2) /* flushed to a zero of its sign, also where its root is a NaN */
                        assert_true(d == (bits64(x) >> 63 ? -INF : INF));
                    else if (x != x || want != want)
                        assert_true(d != d);
                    else if (fabs(want) >= 0x1p-1021 && fabs(want) < 0x1p1023)
                        assert_true(fabs(d - want) <= fabs(want) * 0x1p-19);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions), cmocka_unit_test(test_flush), cmocka_unit_test(test_far),
        cmocka_unit_test(test_division),  cmocka_unit_test(test_gross_f64),
    };
    return cmocka_run_group_tests_name("exec_arith_approx", tests, NULL, NULL);
}
