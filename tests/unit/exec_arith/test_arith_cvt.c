/* test_arith_cvt.c - conversions with a float on either side, against the definition in 128-bit floats. The 16-bit and
 * 8-bit types are gone through exhaustively as sources, the levels taking turns (test_arith_levels compares them). */
#include "ref.h"

struct number {
    const char *name;
    u8 bits;
    bool is_signed;
};
static const struct number numbers[] = {{"u8", 8, 0},   {"s8", 8, 1},   {"u16", 16, 0}, {"s16", 16, 1},
                                        {"u32", 32, 0}, {"s32", 32, 1}, {"u64", 64, 0}, {"s64", 64, 1}};
struct kind {
    const char *name;
    const struct format *f;
    int ebits, fbits;
};
static const struct kind floats[] = {
    {"f32", &REF_F32, 8, 23}, {"f64", &REF_F64, 11, 52}, {"f16", &REF_F16, 5, 10}, {"bf16", &REF_BF16, 8, 7}};
static const char *const to_int[] = {"rni", "rzi", "rmi", "rpi"}, *const to_float[] = {"rn", "rz", "rm", "rp"};
static const enum mode modes[] = {REF_RN, REF_RZ, REF_RM, REF_RP};

/* Fills A with values of a kind; 16-bit kinds count through all patterns over the rounds. */
static exact fill(struct rig *r, const struct kind *k, unsigned round, int i)
{
    if (k->f == &REF_F64)
        return rigd(r, AT_A)[i] = rig_double();
    if (k->f == &REF_F32)
        return rigf(r, AT_A)[i] = rig_float();
    u32 h = rig32(r, AT_A)[i] = (round * 32 + (u32)i) & 0xffff;
    return ref_of_half(h, k->ebits, k->fbits);
}
static unsigned rounds_of(const struct kind *k) { return k->f == &REF_F32 || k->f == &REF_F64 ? 100 : 2048; }

/* What lies in D, as a value. */
static exact result(struct rig *r, const struct kind *k, int i)
{
    if (k->f == &REF_F64)
        return rigd(r, AT_D)[i];
    if (k->f == &REF_F32)
        return rigf(r, AT_D)[i];
    return ref_of_half(rig32(r, AT_D)[i], k->ebits, k->fbits);
}
static bool canonical(struct rig *r, const struct kind *k, int i)
{
    if (k->f == &REF_F64)
        return true;
    return rig32(r, AT_D)[i] == (k->f == &REF_F32 ? 0x7fffffffu : 0x7fffu);
}
static void expect(struct rig *r, const struct kind *k, const char *name, enum exec_isa isa, int i, exact want)
{
    exact got = result(r, k, i);
    if (!ref_same(got, want) || (ref_is_nan(want) && !canonical(r, k, i)))
        rig_fail(name, isa, i, rig64(r, AT_A)[i], rig32(r, AT_A)[i], 0, rig64(r, AT_D)[i], bits64((f64)want));
}

static u64 int_of(exact whole, const struct number *n, bool source_f64)
{
    exact lo = n->is_signed ? -ref_scale(n->bits - 1) : 0, hi = ref_scale(n->is_signed ? n->bits - 1 : n->bits) - 1;
    u64 cut = n->bits == 64 ? ~(u64)0 : ((u64)1 << n->bits) - 1;
    if (whole != whole)
        return source_f64 || n->bits == 64 ? (u64)1 << (n->bits - 1) : 0;
    whole = whole < lo ? lo : whole > hi ? hi : whole;
    return (u64)(__int128)whole & cut;
}

static void test_float_to_int(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 4; k++)
        for (unsigned n = 0; n < 8; n++)
            for (unsigned m = 0; m < 4; m++)
                for (unsigned ftz = 0; ftz < (k == 0 ? 2u : 1u); ftz++) {
                    char name[64];
                    snprintf(name, sizeof name, "cvt_%s%s_%s_%s", to_int[m], ftz ? "_ftz" : "", numbers[n].name,
                             floats[k].name);
                    for (unsigned round = 0; round < rounds_of(&floats[k]) / (k > 1 ? 1 : 4); round++) {
                        struct rig in;
                        exact x[32];
                        rig_init(&in);
                        for (int i = 0; i < 32; i++) {
                            x[i] = fill(&in, &floats[k], round, i);
                            x[i] = ftz ? ref_flush(x[i]) : x[i];
                        }
                        enum exec_isa isa = (enum exec_isa)(round % ISA_COUNT);
                        if (!bodies_has_isa(isa))
                            continue;
                        rig_run(&in, isa, name, FULL_MASK);
                        for (int i = 0; i < 32; i++) {
                            u64 want = int_of(ref_whole(x[i], modes[m]), &numbers[n], k == 1);
                            u64 got = numbers[n].bits == 64 ? rig64(&in, AT_D)[i] : rig32(&in, AT_D)[i];
                            if (got != want)
                                rig_fail(name, isa, i, rig64(&in, AT_A)[i], rig32(&in, AT_A)[i], 0, got, want);
                        }
                    }
                }
}

static void test_int_to_float(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 4; k++)
        for (unsigned n = 0; n < 8; n++)
            for (unsigned m = 0; m < 4; m++)
                for (unsigned sat = 0; sat < 2; sat++)
                    for (unsigned round = 0; round < 24; round++)
                        EACH_ISA(isa)
                        {
                            char name[64];
                            struct rig r;
                            exact x[32];
                            const struct number *t = &numbers[n];
                            rig_init(&r);
                            for (int i = 0; i < 32; i++) {
                                u64 v = t->bits == 64 ? rig_special64() : rig_special32();
                                v = t->bits == 64 ? v : v & (((u64)1 << t->bits) - 1);
                                if (t->bits == 64)
                                    rig64(&r, AT_A)[i] = v;
                                else
                                    rig32(&r, AT_A)[i] = (u32)v;
                                x[i] = (exact)v;
                                if (t->is_signed && v >> (t->bits - 1) & 1)
                                    x[i] -= ref_scale(t->bits);
                            }
                            snprintf(name, sizeof name, "cvt_%s%s_%s_%s", to_float[m], sat ? "_sat" : "",
                                     floats[k].name, t->name);
                            rig_run(&r, isa, name, FULL_MASK);
                            for (int i = 0; i < 32; i++) {
                                exact want = ref_round(x[i], floats[k].f, modes[m]);
                                expect(&r, &floats[k], name, isa, i, sat ? ref_sat(want) : want);
                            }
                        }
}

/* NaNs as an H200 converts them: from f64 with their sign and the top of their payload, quieted; from f32 to itself,
 * f64 to itself and bf16 to f32 as they are; else canonical. */
static void expect_nan(struct rig *r, const struct kind *to, const struct kind *from, bool ftz, const char *name,
                       enum exec_isa isa, int i)
{
    u64 wide = rig64(r, AT_A)[i], got = rig32(r, AT_D)[i], sign = wide >> 63, top = wide >> 29 & 0x7fffff;
    u64 want = to->f == &REF_F32 ? 0x7fffffff : 0x7fff;
    if (from->f == &REF_F64 && to->f != &REF_F64)
        want = to->f == &REF_F32   ? sign << 31 | 0x7fc00000 | top
               : to->f == &REF_F16 ? sign << 15 | 0x7e00 | top >> 13
                                   : sign << 15 | 0x7fc0 | top >> 16;
    if (from->f == to->f && (from->f == &REF_F32 || from->f == &REF_F64) && !ftz)
        want = from->f == &REF_F64 ? wide : rig32(r, AT_A)[i];
    if (from->f == &REF_BF16 && to->f == &REF_F32 && !ftz)
        want = (u64)rig32(r, AT_A)[i] << 16;
    if (to->f == &REF_F64) {
        got = rig64(r, AT_D)[i];
        want = from->f == to->f ? want : ftz ? 0x7fffffffe0000000 : got; /* others: any NaN */
        assert_true(ref_is_nan(rigd(r, AT_D)[i]));
    }
    if (got != want)
        rig_fail(name, isa, i, wide, rig32(r, AT_A)[i], 0, got, want);
}

/* From one kind of float to another: with a rounding where it narrows, without one where it widens. */
static void test_float_to_float(void **state)
{
    (void)state;
    static const struct {
        u8 to, from;
        bool rounds, ftz;
    } pairs[] = {{0, 1, 1, 1}, {1, 0, 0, 1}, {2, 0, 1, 1}, {3, 0, 1, 1}, {2, 1, 1, 0}, {3, 1, 1, 0}, {0, 2, 0, 1},
                 {0, 3, 0, 1}, {1, 2, 0, 0}, {1, 3, 0, 0}, {3, 2, 1, 0}, {2, 3, 1, 0}, {0, 0, 0, 1}, {1, 1, 0, 0}};
    for (unsigned p = 0; p < LS_ARRAY_LEN(pairs); p++)
        for (unsigned m = 0; m < (pairs[p].rounds ? 4u : 1u); m++)
            for (unsigned mods = 0; mods < (pairs[p].ftz ? 4u : 2u); mods++) {
                const struct kind *to = &floats[pairs[p].to], *from = &floats[pairs[p].from];
                bool sat = mods & 1, ftz = mods & 2;
                char name[64];
                snprintf(name, sizeof name, "cvt%s%s%s%s_%s_%s", pairs[p].rounds ? "_" : "",
                         pairs[p].rounds ? to_float[m] : "", ftz ? "_ftz" : "", sat ? "_sat" : "", to->name,
                         from->name);
                for (unsigned round = 0; round < rounds_of(from); round++) {
                    enum exec_isa isa = (enum exec_isa)(round % ISA_COUNT);
                    if (!bodies_has_isa(isa))
                        continue;
                    struct rig r;
                    exact x[32];
                    rig_init(&r);
                    for (int i = 0; i < 32; i++) {
                        x[i] = fill(&r, from, round, i);
                        /* toward f16 an H200 does not flush */
                        x[i] = ftz && pairs[p].from == 0 && pairs[p].to != 2 ? ref_flush(x[i]) : x[i];
                    }
                    rig_run(&r, isa, name, FULL_MASK);
                    for (int i = 0; i < 32; i++) {
                        exact want = ref_round(x[i], to->f, modes[m]);
                        want = ftz && pairs[p].to == 0 ? ref_flush(want) : want;
                        if (ref_is_nan(want) && !sat)
                            expect_nan(&r, to, from, ftz, name, isa, i);
                        else
                            expect(&r, to, name, isa, i, sat ? ref_sat(want) : want);
                    }
                }
            }
}

static void test_whole(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 4; k++)
        for (unsigned m = 0; m < 4; m++)
            for (unsigned round = 0; round < rounds_of(&floats[k]); round++) {
                enum exec_isa isa = (enum exec_isa)(round % ISA_COUNT);
                if (!bodies_has_isa(isa))
                    continue;
                struct rig r;
                exact x[32];
                char name[64];
                rig_init(&r);
                for (int i = 0; i < 32; i++)
                    x[i] = fill(&r, &floats[k], round, i);
                snprintf(name, sizeof name, "cvt_%s_%s_%s", to_int[m], floats[k].name, floats[k].name);
                rig_run(&r, isa, name, FULL_MASK);
                for (int i = 0; i < 32; i++) {
                    exact want = ref_whole(x[i], modes[m]);
                    /* a fraction keeps its sign when it becomes zero */
                    want = want == 0 && ref_sign(x[i]) ? -(exact)0 : want;
                    expect(&r, &floats[k], name, isa, i, want);
                }
            }
}

/* ---- .relu, .satfinite, pairs, tf32 ---- */

static exact narrowed(exact x, const struct format *f, enum mode mode, bool relu, bool satfinite)
{
    exact r = ref_round(x, f, mode);
    if (satfinite && ref_is_inf(r))
        r = ref_sign(r) ? -f->max : f->max;
    return relu && ref_sign(r) && !ref_is_nan(r) ? 0 : r;
}

static void test_pairs(void **state)
{
    (void)state;
    for (unsigned v = 0; v < 32; v++)
        for (unsigned round = 0; round < 40; round++)
            EACH_ISA(isa)
            {
                const struct kind *k = &floats[v & 1 ? 2 : 3];
                bool rz = v & 2, relu = v & 4, fin = v & 8, single = v & 16;
                char name[64];
                struct rig r;
                rig_init(&r);
                for (int i = 0; i < 32; i++) {
                    rigf(&r, AT_A)[i] = rig_float();
                    rigf(&r, AT_B)[i] = rig_float();
                }
                snprintf(name, sizeof name, "cvt_%s%s%s_%s%s_f32", rz ? "rz" : "rn", relu ? "_relu" : "",
                         fin ? "_satfinite" : "", k->name, single ? "" : "x2");
                rig_run(&r, isa, name, FULL_MASK);
                for (int i = 0; i < 32; i++) {
                    enum mode mode = rz ? REF_RZ : REF_RN;
                    u32 d = rig32(&r, AT_D)[i];
                    exact hi = narrowed(rigf(&r, AT_A)[i], k->f, mode, relu, fin);
                    exact lo = narrowed(rigf(&r, single ? AT_A : AT_B)[i], k->f, mode, relu, fin);
                    if (!ref_same(ref_of_half(d & 0xffff, k->ebits, k->fbits), lo) ||
                        (!single && !ref_same(ref_of_half(d >> 16, k->ebits, k->fbits), hi)))
                        rig_fail(name, isa, i, rig32(&r, AT_A)[i], rig32(&r, AT_B)[i], 0, d, 0);
                }
            }
}

static void test_tf32(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum mode mode;
        bool relu, fin;
    } rows[] = {{"cvt_rna_tf32_f32", REF_RNA, 0, 0},    {"cvt_rna_satfinite_tf32_f32", REF_RNA, 0, 1},
                {"cvt_rn_tf32_f32", REF_RN, 0, 0},      {"cvt_rz_tf32_f32", REF_RZ, 0, 0},
                {"cvt_rn_relu_tf32_f32", REF_RN, 1, 0}, {"cvt_rn_satfinite_relu_tf32_f32", REF_RN, 1, 1}};
    for (unsigned k = 0; k < LS_ARRAY_LEN(rows); k++)
        for (unsigned round = 0; round < 100; round++)
            EACH_ISA(isa)
            {
                struct rig r;
                rig_init(&r);
                for (int i = 0; i < 32; i++)
                    rigf(&r, AT_A)[i] = rig_float();
                rig_run(&r, isa, rows[k].name, FULL_MASK);
                for (int i = 0; i < 32; i++) {
                    exact want = narrowed(rigf(&r, AT_A)[i], &REF_TF32, rows[k].mode, rows[k].relu, rows[k].fin);
                    u32 in = rig32(&r, AT_A)[i], cut = in & ~0x1fffu; /* NaNs: ops/cvt_half.inc */
                    u32 nan = rows[k].mode != REF_RNA ? 0x7fffe000 : rows[k].fin ? cut - 0x2000 : cut;
                    if (!ref_is_nan(want))
                        expect(&r, &floats[0], rows[k].name, isa, i, want);
                    else if (rig32(&r, AT_D)[i] != nan)
                        rig_fail(rows[k].name, isa, i, in, 0, 0, rig32(&r, AT_D)[i], nan);
                }
            }
}

/* ---- floats of 8, 6 and 4 bits ---- */

static const struct tiny {
    const char *name;
    const struct format *f;
    int ebits, fbits, nan; /* nan: the NaN pattern, or -1: none, NaN becomes the largest */
} tinies[] = {{"e4m3", &REF_E4M3, 4, 3, 0x7f},
              {"e5m2", &REF_E5M2, 5, 2, 0x7f},
              {"e2m3", &REF_E2M3, 2, 3, -1},
              {"e3m2", &REF_E3M2, 3, 2, -1},
              {"e2m1", &REF_E2M1, 2, 1, -1}};

/* A pattern's value where the top exponent is an ordinary one. */
static exact tiny_value(const struct tiny *t, u32 h)
{
    int bias = (1 << (t->ebits - 1)) - 1, e = (int)(h >> t->fbits & ((1u << t->ebits) - 1)),
        f = h & ((1 << t->fbits) - 1);
    exact v =
        e ? (exact)(f + (1 << t->fbits)) * ref_scale(e - bias - t->fbits) : (exact)f * ref_scale(1 - bias - t->fbits);
    if (t->f == &REF_E5M2 && e == 31)
        v = f ? ref_nan() : (exact)1 / (exact)0;
    if (t->f == &REF_E4M3 && (h & 0x7f) == 0x7f)
        v = ref_nan();
    return h >> (t->ebits + t->fbits) & 1 ? -v : v;
}

static void check_tiny_part(const struct tiny *t, const char *name, enum exec_isa isa, int i, f32 x, u32 part,
                            bool relu)
{
    exact want = narrowed(x, t->f, REF_RN, relu, true);
    if (ref_is_nan(want) ? (int)part != (t->nan >= 0 ? t->nan : (1 << (t->ebits + t->fbits)) - 1)
                         : !ref_same(tiny_value(t, part), want))
        rig_fail(name, isa, i, bits32(x), 0, 0, part, 0);
}

static void test_to_tiny(void **state)
{
    (void)state;
    for (unsigned k = 0; k < LS_ARRAY_LEN(tinies); k++)
        for (unsigned relu = 0; relu < 2; relu++)
            for (unsigned round = 0; round < 200; round++)
                EACH_ISA(isa)
                {
                    const struct tiny *t = &tinies[k];
                    unsigned step = t->f == &REF_E2M1 ? 4 : 8;
                    char name[64];
                    struct rig r;
                    rig_init(&r);
                    for (int i = 0; i < 32; i++) {
                        rigf(&r, AT_A)[i] = round & 1 ? rig_float() : (f32)(i32)(rig_random() >> 40) * 0x1p-20f;
                        rigf(&r, AT_B)[i] = rig_float();
                    }
                    snprintf(name, sizeof name, "cvt_rn_satfinite%s_%sx2_f32", relu ? "_relu" : "", t->name);
                    rig_run(&r, isa, name, FULL_MASK);
                    for (int i = 0; i < 32; i++) {
                        u32 d = rig32(&r, AT_D)[i];
                        check_tiny_part(t, name, isa, i, rigf(&r, AT_A)[i], d >> step, relu);
                        check_tiny_part(t, name, isa, i, rigf(&r, AT_B)[i], d & ((1u << step) - 1), relu);
                    }
                }
}

static void test_from_tiny(void **state)
{
    (void)state;
    for (unsigned k = 0; k < LS_ARRAY_LEN(tinies); k++)
        for (unsigned round = 0; round < 2048; round++) {
            enum exec_isa isa = (enum exec_isa)(round % ISA_COUNT);
            if (!bodies_has_isa(isa))
                continue;
            const struct tiny *t = &tinies[k];
            unsigned bits = 1u + (unsigned)t->ebits + (unsigned)t->fbits, step = bits == 4 ? 4 : 8;
            char name[64];
            struct rig r;
            rig_init(&r);
            for (int i = 0; i < 32; i++)
                rig32(&r, AT_A)[i] = (round * 32 + (u32)i) & (bits == 4 ? 0xff : bits == 6 ? 0x3f3f : 0xffff);
            snprintf(name, sizeof name, "cvt_rn_f16x2_%sx2", t->name);
            rig_run(&r, isa, name, FULL_MASK);
            for (int i = 0; i < 32; i++) {
                u32 a = rig32(&r, AT_A)[i], d = rig32(&r, AT_D)[i], keep = (1u << bits) - 1;
                if (!ref_same(ref_of_half(d & 0xffff, 5, 10), tiny_value(t, a & keep)) ||
                    !ref_same(ref_of_half(d >> 16, 5, 10), tiny_value(t, a >> step & keep)))
                    rig_fail(name, isa, i, a, 0, 0, d, 0);
            }
        }
}

static void test_pair_to_tiny(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned round = 0; round < 2048; round++) {
            enum exec_isa isa = (enum exec_isa)(round % ISA_COUNT);
            if (!bodies_has_isa(isa))
                continue;
            char name[64];
            struct rig r;
            rig_init(&r);
            for (int i = 0; i < 32; i++) {
                u32 h = (round * 32 + (u32)i) & 0xffff;
                rig32(&r, AT_A)[i] = h | (h * 0x9e37u & 0xffff) << 16;
            }
            snprintf(name, sizeof name, "cvt_rn_satfinite_%sx2_f16x2", tinies[k].name);
            rig_run(&r, isa, name, FULL_MASK);
            for (int i = 0; i < 32; i++) {
                u32 a = rig32(&r, AT_A)[i], d = rig32(&r, AT_D)[i];
                check_tiny_part(&tinies[k], name, isa, i, (f32)ref_of_half(a >> 16, 5, 10), d >> 8, false);
                check_tiny_part(&tinies[k], name, isa, i, (f32)ref_of_half(a & 0xffff, 5, 10), d & 0xff, false);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float_to_int), cmocka_unit_test(test_int_to_float), cmocka_unit_test(test_float_to_float),
        cmocka_unit_test(test_whole),        cmocka_unit_test(test_pairs),        cmocka_unit_test(test_tf32),
        cmocka_unit_test(test_to_tiny),      cmocka_unit_test(test_from_tiny),    cmocka_unit_test(test_pair_to_tiny),
    };
    return cmocka_run_group_tests_name("exec_arith_cvt", tests, NULL, NULL);
}
