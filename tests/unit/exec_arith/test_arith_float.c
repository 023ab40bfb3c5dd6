/* test_arith_float.c - f32 and f64 bodies against exact results rounded by the definition, in every rounding mode, with
 * .ftz and .sat, on special values crossed with each other and random ones. */
#include "ref.h"

enum op { ADD, SUB, MUL, DIV, FMA, RCP, SQRT };
static const char *const op_names[] = {"add", "sub", "mul", "div", "fma", "rcp", "sqrt"};
static const char *const mode_names[] = {"", "_rz", "_rm", "_rp"};

static exact compute(enum op op, exact a, exact b, exact c, enum mode mode)
{
    switch (op) {
    case ADD:
        return ref_add(a, b, mode);
    case SUB:
        return ref_add(a, -b, mode);
    case MUL:
        return a * b;
    case DIV:
        return a / b;
    case FMA:
        return ref_fma(a, b, c, mode);
    case RCP:
        return 1 / a;
    default:
        return ref_sqrt(a);
    }
}

static void check_f32(enum op op, enum mode mode, bool ftz, bool sat, unsigned rounds)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s%s%s_f32", op_names[op], mode_names[mode], ftz ? "_ftz" : "", sat ? "_sat" : "");
    for (unsigned round = 0; round < rounds; round++) {
        struct rig in;
        rig_init(&in);
        for (int i = 0; i < 32; i++) {
            rigf(&in, AT_A)[i] = rig_float();
            rigf(&in, AT_B)[i] = rig_float();
            rigf(&in, AT_C)[i] = rig_float();
        }
        in.d = round % 3 == 1 ? AT_A : AT_D;
        u32 mask = round % 3 == 2 ? (u32)rig_random() | 1 : FULL_MASK;
        EACH_ISA(isa)
        {
            struct rig r = in;
            rig_run(&r, isa, name, mask);
            for (int i = 0; i < 32; i++) {
                f32 fa = rigf(&in, AT_A)[i], fb = rigf(&in, AT_B)[i], fc = rigf(&in, AT_C)[i];
                exact a = fa, b = fb, c = fc;
                if (ftz)
                    a = ref_flush(a), b = ref_flush(b), c = ref_flush(c);
                exact x = compute(op, a, b, c, mode);
                exact want = ftz ? ref_round_ftz(x, &REF_F32, mode) : ref_round(x, &REF_F32, mode);
                want = sat ? ref_sat(want) : want;
                u32 got = rig32(&r, r.d)[i], exp = ref_is_nan(want) ? 0x7fffffff : bits32((f32)want);
                exp = mask >> i & 1 ? exp : rig32(&in, r.d)[i];
                if (got != exp)
                    rig_fail(name, isa, i, bits32(fa), bits32(fb), bits32(fc), got, exp);
            }
        }
    }
}

static void test_f32(void **state)
{
    (void)state;
    for (enum op op = ADD; op <= SQRT; op++)
        for (enum mode mode = REF_RN; mode <= REF_RP; mode++)
            for (unsigned ftz = 0; ftz < 2; ftz++) {
                check_f32(op, mode, ftz, false, 60);
                if (op != DIV && op != RCP && op != SQRT)
                    check_f32(op, mode, ftz, true, 20);
            }
}

/* The operands in the order in which an H200 takes their NaNs: b c a of fma, b a of sums and products, a b of quotients. */
static u64 f64_nan_of(enum op op, f64 a, f64 b, f64 c)
{
    f64 x = op == DIV || op == RCP || op == SQRT ? a : b, y = op == FMA ? c : op == DIV ? b : a;
    f64 first = x != x ? x : y != y ? y : a;
    return first != first ? bits64(first) | 0x0008000000000000 : 0xfff8000000000000;
}

static void check_f64(enum op op, enum mode mode, unsigned rounds)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s_f64", op_names[op], mode_names[mode]);
    for (unsigned round = 0; round < rounds; round++) {
        struct rig in;
        rig_init(&in);
        for (int i = 0; i < 32; i++) {
            rigd(&in, AT_A)[i] = rig_double();
            rigd(&in, AT_B)[i] = rig_double();
            rigd(&in, AT_C)[i] = rig_double();
        }
        EACH_ISA(isa)
        {
            struct rig r = in;
            rig_run(&r, isa, name, FULL_MASK);
            for (int i = 0; i < 32; i++) {
                f64 a = rigd(&in, AT_A)[i], b = rigd(&in, AT_B)[i], c = rigd(&in, AT_C)[i];
                exact want = ref_round(compute(op, a, b, c, mode), &REF_F64, mode);
                u64 got = rig64(&r, AT_D)[i];
                u64 exp = ref_is_nan(want) ? f64_nan_of(op, a, b, c) : bits64((f64)want);
                if (got != exp)
                    rig_fail(name, isa, i, bits64(a), bits64(b), bits64(c), got, exp);
            }
        }
    }
}

static void test_f64(void **state)
{
    (void)state;
    for (enum op op = ADD; op <= SQRT; op++)
        for (enum mode mode = REF_RN; mode <= REF_RP; mode++)
            check_f64(op, mode, 40);
}

/* ---- minimum and maximum ---- */

struct minmax {
    bool max, nan, xorsign, ftz;
};

static f32 pick(const struct minmax *m, f32 a, f32 b)
{
    bool sign = (bits32(a) ^ bits32(b)) >> 31;
    if (m->xorsign)
        a = __builtin_fabsf(a), b = __builtin_fabsf(b);
    if ((a != a && b != b) || (m->nan && (a != a || b != b)))
        return float_of(0x7fffffff);
    bool a_first = a != a ? false : b != b ? true : a < b || (a == b && bits32(a) >> 31);
    bool take_a = a != a || b != b ? a_first : m->max != a_first;
    f32 r = take_a ? a : b;
    return m->xorsign ? float_of(bits32(r) | (u32)sign << 31) : r;
}

static void test_min_max(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 16; k++) {
        struct minmax m = {k & 1, k & 2, k & 4, k & 8};
        char name[64];
        snprintf(name, sizeof name, "%s%s%s%s_f32", m.max ? "max" : "min", m.ftz ? "_ftz" : "", m.nan ? "_NaN" : "",
                 m.xorsign ? "_xorsign_abs" : "");
        for (unsigned round = 0; round < 40; round++)
            EACH_ISA(isa)
            {
                struct rig r;
                rig_init(&r);
                for (int i = 0; i < 32; i++) {
                    rigf(&r, AT_A)[i] = rig_float();
                    rigf(&r, AT_B)[i] = i % 4 ? rig_float() : -rigf(&r, AT_A)[i];
                }
                rig_run(&r, isa, name, FULL_MASK);
                for (int i = 0; i < 32; i++) {
                    f32 a = rigf(&r, AT_A)[i], b = rigf(&r, AT_B)[i];
                    f32 x = m.ftz ? (f32)ref_flush(a) : a, y = m.ftz ? (f32)ref_flush(b) : b;
                    u32 want = bits32(pick(&m, x, y));
                    if (rig32(&r, AT_D)[i] != want)
                        rig_fail(name, isa, i, bits32(a), bits32(b), 0, rig32(&r, AT_D)[i], want);
                }
            }
    }
}

static void test_min_max_f64(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 80; round++)
        EACH_ISA(isa)
        {
            struct rig r;
            rig_init(&r);
            for (int i = 0; i < 32; i++) {
                rigd(&r, AT_A)[i] = rig_double();
                rigd(&r, AT_B)[i] = i % 4 ? rig_double() : -rigd(&r, AT_A)[i];
            }
            rig_run(&r, isa, round & 1 ? "max_f64" : "min_f64", FULL_MASK);
            for (int i = 0; i < 32; i++) {
                f64 a = rigd(&r, AT_A)[i], b = rigd(&r, AT_B)[i], d = rigd(&r, AT_D)[i];
                if (a != a && b != b) {
                    assert_true(bits64(d) == (bits64(b) | (u64)1 << 51));
                    continue;
                }
                bool less = a < b || (a == b && bits64(a) >> 63);
                f64 want = a != a ? b : b != b ? a : (round & 1 ? !less : less) ? a : b;
                if (bits64(d) != bits64(want))
                    rig_fail("min/max f64", isa, i, bits64(a), bits64(b), 0, bits64(d), bits64(want));
            }
        }
}

static void test_three_way(void **state)
{
    (void)state;
    struct minmax low = {false, false, false, false}, high = {true, true, false, false};
    EACH_ISA(isa)
    for (unsigned round = 0; round < 60; round++) {
        struct rig r;
        rig_init(&r);
        for (int i = 0; i < 32; i++) {
            rigf(&r, AT_A)[i] = rig_float();
            rigf(&r, AT_B)[i] = rig_float();
            rigf(&r, AT_C)[i] = rig_float();
        }
        rig_run(&r, isa, "min3_f32", FULL_MASK);
        for (int i = 0; i < 32; i++)
            assert_int_equal(rig32(&r, AT_D)[i],
                             bits32(pick(&low, pick(&low, rigf(&r, AT_A)[i], rigf(&r, AT_B)[i]), rigf(&r, AT_C)[i])));
        rig_run(&r, isa, "max3_NaN_f32", FULL_MASK);
        for (int i = 0; i < 32; i++)
            assert_int_equal(rig32(&r, AT_D)[i],
                             bits32(pick(&high, pick(&high, rigf(&r, AT_A)[i], rigf(&r, AT_B)[i]), rigf(&r, AT_C)[i])));
    }
}

/* ---- comparisons and tests ---- */

static bool float_compare(const char *how, f64 a, f64 b)
{
    bool unordered = a != a || b != b;
    size_t n = strlen(how);
    if (!strcmp(how, "num"))
        return !unordered;
    if (!strcmp(how, "nan"))
        return unordered;
    if (unordered)
        return n == 3; /* equ neu ltu leu gtu geu */
    switch (how[0] << 8 | how[1]) {
    case 'e' << 8 | 'q':
        return a == b;
    case 'n' << 8 | 'e':
        return a != b;
    case 'l' << 8 | 't':
        return a < b;
    case 'l' << 8 | 'e':
        return a <= b;
    case 'g' << 8 | 't':
        return a > b;
    default:
        return a >= b;
    }
}
static const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                          "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

static void test_setp(void **state)
{
    (void)state;
    static const char *const types[] = {"f32", "ftz_f32", "f64"};
    for (unsigned k = 0; k < LS_ARRAY_LEN(comparisons); k++)
        for (unsigned t = 0; t < 3; t++)
            for (unsigned round = 0; round < 40; round++)
                EACH_ISA(isa)
                {
                    struct rig r;
                    char name[32];
                    rig_init(&r);
                    u32 mask = round & 1 ? FULL_MASK : (u32)rig_random() | 1, old = (u32)rig_random();
                    u32 want = old & ~mask;
                    for (int i = 0; i < 32; i++) {
                        f64 a = t == 2 ? rig_double() : rig_float();
                        f64 b = i % 3 == 0 ? a : i % 3 == 1 ? -a : t == 2 ? rig_double() : rig_float();
                        if (t == 2) {
                            rigd(&r, AT_A)[i] = a;
                            rigd(&r, AT_B)[i] = b;
                        } else {
                            rigf(&r, AT_A)[i] = (f32)a;
                            rigf(&r, AT_B)[i] = (f32)b;
                        }
                        if (t == 1)
                            a = (f64)ref_flush(a), b = (f64)ref_flush(b);
                        want |= (u32)float_compare(comparisons[k], a, b) << i & mask;
                    }
                    *rig32(&r, AT_D) = old;
                    snprintf(name, sizeof name, "setp_%s_%s", comparisons[k], types[t]);
                    rig_run(&r, isa, name, mask);
                    if (*rig32(&r, AT_D) != want)
                        rig_fail(name, isa, -1, mask, 0, 0, *rig32(&r, AT_D), want);
                }
}

static void test_testp(void **state)
{
    (void)state;
    static const char *const names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    for (unsigned k = 0; k < LS_ARRAY_LEN(names); k++)
        for (unsigned wide = 0; wide < 2; wide++)
            for (unsigned round = 0; round < 20; round++)
                EACH_ISA(isa)
                {
                    struct rig r;
                    char name[40];
                    u32 want = 0;
                    rig_init(&r);
                    for (int i = 0; i < 32; i++) {
                        f64 x = wide ? rig_double() : rig_float();
                        if (wide)
                            rigd(&r, AT_A)[i] = x;
                        else
                            rigf(&r, AT_A)[i] = (f32)x;
                        f64 m = __builtin_fabs(x), min = wide ? 0x1p-1022 : 0x1p-126;
                        bool is[] = {m < __builtin_inf(),
                                     m == __builtin_inf(),
                                     x == x,
                                     x != x,
                                     m == 0 || (m >= min && m < __builtin_inf()),
                                     m > 0 && m < min};
                        want |= (u32)is[k] << i;
                    }
                    snprintf(name, sizeof name, "testp_%s_%s", names[k], wide ? "f64" : "f32");
                    rig_run(&r, isa, name, FULL_MASK);
                    if (*rig32(&r, AT_D) != want)
                        rig_fail(name, isa, -1, 0, 0, 0, *rig32(&r, AT_D), want);
                }
}

static void test_signs(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 60; round++)
        EACH_ISA(isa)
        {
            struct rig r;
            rig_init(&r);
            for (int i = 0; i < 32; i++) {
                rigf(&r, AT_A)[i] = rig_float();
                rigf(&r, AT_B)[i] = rig_float();
            }
            static const char *const names[] = {"neg_f32", "abs_f32", "neg_ftz_f32", "abs_ftz_f32", "copysign_f32"};
            for (unsigned k = 0; k < LS_ARRAY_LEN(names); k++) {
                rig_run(&r, isa, names[k], FULL_MASK);
                for (int i = 0; i < 32; i++) {
                    u32 a = rig32(&r, AT_A)[i], b = rig32(&r, AT_B)[i];
                    u32 in = k == 2 || k == 3 ? bits32((f32)ref_flush(float_of(a))) : a;
                    u32 want = k % 2 == 0 ? in ^ 0x80000000 : in & 0x7fffffff;
                    want = float_of(a) != float_of(a) ? 0x7fffffff : want;
                    want = k == 4 ? (a & 0x80000000) | (b & 0x7fffffff) : want;
                    if (rig32(&r, AT_D)[i] != want)
                        rig_fail(names[k], isa, i, a, b, 0, rig32(&r, AT_D)[i], want);
                }
            }
            rig_run(&r, isa, "neg_f64", FULL_MASK);
            for (int i = 0; i < 16; i++) {
                u64 a = rig64(&r, AT_A)[i], flip = (u64)1 << 63;
                bool nan = (a & ~flip) > 0x7ff0000000000000; /* keeps its sign, quieted */
                assert_true(rig64(&r, AT_D)[i] == (nan ? a | (u64)1 << 51 : a ^ flip));
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),         cmocka_unit_test(test_f64),       cmocka_unit_test(test_min_max),
        cmocka_unit_test(test_min_max_f64), cmocka_unit_test(test_three_way), cmocka_unit_test(test_setp),
        cmocka_unit_test(test_testp),       cmocka_unit_test(test_signs),
    };
    return cmocka_run_group_tests_name("exec_arith_float", tests, NULL, NULL);
}
