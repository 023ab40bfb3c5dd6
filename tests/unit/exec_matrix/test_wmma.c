/* wmma.load, wmma.mma and wmma.store against products of single elements: every shape, type, layout of the four matrices
 * and state space, with leading dimensions that are no multiple of the matrix, fast and with hooks. Floats are what a
 * tensor core makes of them (tests/hw/tensor/model.c), f64 is a chain of fma; integers are exact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../hw/tensor/model.h"
#include "../exec/harness.h"

enum { REGION = 8192, REGIONS = 4 * REGION };

enum kind { F16, BF16, TF32, F32, S8, U8, S32, F64, KINDS };
static const struct {
    const char *name;
    u32 bytes;
} kinds[KINDS] = {
    [F16] = {"f16", 2}, [BF16] = {"bf16", 2}, [TF32] = {"tf32", 4}, [F32] = {"f32", 4},
    [S8] = {"s8", 1},   [U8] = {"u8", 1},     [S32] = {"s32", 4},   [F64] = {"f64", 8},
};

struct combo {
    u32 m, n, k;
    enum kind ab, c, d;
    u32 na, nb, nc, nd; /* registers of the fragments */
    const char *extra;
};
static const struct combo combos[] = {
    {16, 16, 16, F16, F32, F32, 8, 8, 8, 8, ""},  {8, 32, 16, F16, F32, F32, 8, 8, 8, 8, ""},
    {32, 8, 16, F16, F32, F32, 8, 8, 8, 8, ""},   {16, 16, 16, F16, F16, F16, 8, 8, 4, 4, ""},
    {8, 32, 16, F16, F16, F16, 8, 8, 4, 4, ""},   {32, 8, 16, F16, F16, F16, 8, 8, 4, 4, ""},
    {16, 16, 16, F16, F16, F32, 8, 8, 4, 8, ""},  {8, 32, 16, F16, F32, F16, 8, 8, 8, 4, ""},
    {16, 16, 16, BF16, F32, F32, 4, 4, 8, 8, ""}, {8, 32, 16, BF16, F32, F32, 2, 8, 8, 8, ""},
    {32, 8, 16, BF16, F32, F32, 8, 2, 8, 8, ""},  {16, 16, 8, TF32, F32, F32, 4, 4, 8, 8, ""},
    {16, 16, 16, S8, S32, S32, 2, 2, 8, 8, ""},   {8, 32, 16, S8, S32, S32, 1, 4, 8, 8, ""},
    {32, 8, 16, S8, S32, S32, 4, 1, 8, 8, ""},    {16, 16, 16, U8, S32, S32, 2, 2, 8, 8, ".satfinite"},
    {8, 32, 16, U8, S32, S32, 1, 4, 8, 8, ""},    {32, 8, 16, U8, S32, S32, 4, 1, 8, 8, ".satfinite"},
    {8, 8, 4, F64, F64, F64, 1, 1, 2, 2, ""},
};

/* ---- values ---- */

static u64 state = 88172645463325252ull;
static u64 next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* The value of a binary float with so many fraction bits. */
static i64 int_of(enum kind t, u64 bits) { return t == S8 ? (i8)bits : t == U8 ? (u8)bits : (i32)(u32)bits; }

static f64 double_of(u64 bits)
{
    f64 v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Random bits; floats with exponents near that of 1, now and then zero or subnormal. */
static u64 random_bits(enum kind t)
{
    const u64 r = next_random(), e = next_random() % 16;
    switch (t) {
    case F16:
        return (r & 0x83ff) | (e == 0 ? 0 : (8 + e) << 10);
    case BF16:
        return (r & 0x807f) | (120 + e) << 7;
    case TF32:
    case F32:
        return (r & 0x807fffff) | (120 + e) << 23;
    case F64:
        return (r & 0x800fffffffffffff) | (1016 + e) << 52;
    case S32: /* near both ends too, so that sums wrap and are clamped */
        return e == 0 ? 0x7fffff00 + (r & 255) : e == 1 ? 0x80000000 + (r & 255) : r >> 44;
    default:
        return r;
    }
}

/* ---- one launch ---- */

struct matrix {
    enum kind type;
    u32 rows, cols, stride;
    bool col;
    u8 *at;
};

static u8 *element(const struct matrix *x, u32 row, u32 col)
{
    return x->at + (x->col ? col * x->stride + row : row * x->stride + col) * kinds[x->type].bytes;
}

static u64 bits_at(const struct matrix *x, u32 row, u32 col)
{
    u64 bits = 0;
    memcpy(&bits, element(x, row, col), kinds[x->type].bytes);
    return bits;
}

static void fill(const struct matrix *x)
{
    for (u32 r = 0; r < x->rows; r++)
        for (u32 c = 0; c < x->cols; c++) {
            const u64 bits = random_bits(x->type);
            memcpy(element(x, r, c), &bits, kinds[x->type].bytes);
        }
}

static u32 put_fragment(char *to, size_t size, u32 first, u32 n)
{
    size_t at = 0;
    for (u32 i = 0; i < n; i++)
        at += (size_t)snprintf(to + at, size - at, "%s%%v%u", i ? ", " : "{", first + i);
    snprintf(to + at, size - at, "}");
    return first + n;
}

static const char *const spaces[] = {".global", ".shared", ""};

/* The kernel k(base, lda, ldb, ldc, ldd): the matrices lie REGION bytes apart from base, or from the start of a copy in
 * shared memory, which goes back at the end. */
static void make_text(char *text, size_t size, const struct combo *x, const struct matrix *a, const struct matrix *b,
                      const struct matrix *c, const struct matrix *d, unsigned space)
{
    char fa[96], fb[96], fc[96], fd[96], shape[16], types[40];
    u32 v = put_fragment(fa, sizeof fa, 0, x->na);
    v = put_fragment(fb, sizeof fb, v, x->nb);
    v = put_fragment(fc, sizeof fc, v, x->nc);
    put_fragment(fd, sizeof fd, v, x->nd);
    const char *t = kinds[x->ab].name;
    snprintf(shape, sizeof shape, "m%un%uk%u", x->m, x->n, x->k);
    if (x->ab == F16)
        snprintf(types, sizeof types, "%s.%s", kinds[x->d].name, kinds[x->c].name);
    else
        snprintf(types, sizeof types, "%s.%s.%s.%s", kinds[x->d].name, t, t, kinds[x->c].name);
#define LAYOUT(m) ((m)->col ? "col" : "row")
    snprintf(
        text, size,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 base, .param .u32 lda, .param .u32 ldb, .param .u32 ldc, .param .u32 ldd)\n{\n"
        ".reg .pred %%p; .reg .b32 %%r<9>; .reg .b64 %%q<9>; .reg .b32 %%w<4>; .reg .%s %%v<40>;\n"
        ".shared .align 32 .b8 buf[%u];\n"
        "ld.param.u64 %%q1, [base]; ld.param.u32 %%r1, [lda]; ld.param.u32 %%r2, [ldb]; ld.param.u32 %%r3, [ldc];\n"
        "ld.param.u32 %%r4, [ldd]; mov.u64 %%q2, %%q1; mov.u32 %%r5, %%tid.x; mov.u32 %%r6, buf;\n"
        "%s"
        "wmma.load.a.sync.aligned.%s.%s%s.%s %s, [%%q2], %%r1;\n"
        "wmma.load.b.sync.aligned.%s.%s%s.%s %s, [%%q2+%u], %%r2;\n"
        "wmma.load.c.sync.aligned.%s.%s%s.%s %s, [%%q2+%u], %%r3;\n"
        "wmma.mma.sync.aligned.%s.%s.%s.%s%s %s, %s, %s, %s;\n"
        "wmma.store.d.sync.aligned.%s.%s%s.%s [%%q2+%u], %s, %%r4;\n"
        "%s ret;\n}\n",
        x->ab == F64 ? "b64" : "b32", space == 1 ? REGIONS : 16,
        space == 1 ? "mov.u64 %q2, buf; mov.u32 %r7, %r5;\n"
                     "IN: mul.wide.u32 %q3, %r7, 4; add.u64 %q4, %q1, %q3; add.u64 %q5, %q2, %q3;\n"
                     "ld.global.b32 %w1, [%q4]; st.shared.b32 [%q5], %w1; add.u32 %r7, %r7, 32;\n"
                     "setp.lt.u32 %p, %r7, 8192; @%p bra IN; bar.sync 0;\n"
                   : "",
        LAYOUT(a), shape, spaces[space], t, fa, LAYOUT(b), shape, spaces[space], t, fb, REGION, LAYOUT(c), shape,
        spaces[space], kinds[x->c].name, fc, 2 * REGION, LAYOUT(a), LAYOUT(b), shape, types, x->extra, fd, fa, fb, fc,
        LAYOUT(d), shape, spaces[space], kinds[x->d].name, 3 * REGION, fd,
        space == 1 ? "bar.sync 0; mov.u32 %r7, %r5;\n"
                     "OUT: mul.wide.u32 %q3, %r7, 4; add.u64 %q4, %q1, %q3; add.u64 %q5, %q2, %q3;\n"
                     "ld.shared.b32 %w1, [%q5]; st.global.b32 [%q4], %w1; add.u32 %r7, %r7, 32;\n"
                     "setp.lt.u32 %p, %r7, 8192; @%p bra OUT;\n"
                   : "");
}

/* ---- judging ---- */

static void check_int(const struct combo *x, const struct matrix *m, u32 row, u32 col)
{
    i64 sum = int_of(S32, bits_at(&m[2], row, col));
    for (u32 j = 0; j < x->k; j++)
        sum += int_of(x->ab, bits_at(&m[0], row, j)) * int_of(x->ab, bits_at(&m[1], j, col));
    if (*x->extra)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    assert_int_equal((u32)bits_at(&m[3], row, col), (u32)sum);
}

static void check_f64(const struct combo *x, const struct matrix *m, u32 row, u32 col)
{
    double sum = double_of(bits_at(&m[2], row, col));
    for (u32 j = 0; j < x->k; j++)
        sum = fma(double_of(bits_at(&m[0], row, j)), double_of(bits_at(&m[1], j, col)), sum);
    u64 want;
    memcpy(&want, &sum, sizeof want);
    assert_int_equal(bits_at(&m[3], row, col), want);
}

static void check_float(const struct combo *x, const struct matrix *m, u32 row, u32 col)
{
    static const enum tensor_type types[] = {[F16] = T_F16, [BF16] = T_BF16, [TF32] = T_TF32};
    const struct tensor_op op = {.by = TENSOR_WMMA,
                                 .k = (int)x->k,
                                 .a = types[x->ab],
                                 .b = types[x->ab],
                                 .half_c = x->c == F16,
                                 .half_d = x->d == F16};
    u32 a[16], b[16];
    for (u32 j = 0; j < x->k; j++) {
        a[j] = (u32)bits_at(&m[0], row, j);
        b[j] = (u32)bits_at(&m[1], j, col);
    }
    const u32 want = tensor_element(tensor_rules, &op, a, b, (u32)bits_at(&m[2], row, col));
    assert_int_equal((u32)bits_at(&m[3], row, col), want);
}

/* d outside the matrix is not written: it keeps the poison. */
static void check_rest(const struct matrix *d)
{
    const u32 lines = d->col ? d->cols : d->rows, run = d->col ? d->rows : d->cols, bytes = kinds[d->type].bytes;
    for (u32 line = 0; line < lines; line++)
        for (u32 k = run * bytes; k < d->stride * bytes; k++)
            assert_int_equal(d->at[line * d->stride * bytes + k], 0xa5);
    for (u32 k = lines * d->stride * bytes; k < REGION; k++)
        assert_int_equal(d->at[k], 0xa5);
}

static void ignore(void *ctx, const struct exec_access *a) { (void)ctx, (void)a; }
static const struct exec_hooks tracing = {.access = ignore};

static void run_case(const struct combo *x, unsigned layouts, unsigned space)
{
    static char text[8192];
    struct bench b;
    const enum kind types[4] = {x->ab, x->ab, x->c, x->d};
    const u32 rows[4] = {x->m, x->k, x->m, x->m}, cols[4] = {x->k, x->n, x->n, x->n};
    struct matrix m[4];
    for (unsigned i = 0; i < 4; i++) {
        const bool col = layouts >> i & 1;
        const u32 unit = 16 / kinds[types[i]].bytes; /* leading dimensions are multiples of 16 bytes (9.7.14.4.3) */
        m[i] = (struct matrix){
            types[i], rows[i], cols[i], ls_align_up(col ? rows[i] : cols[i], unit) + (2 * i + 1) * unit, col, NULL};
    }
    make_text(text, sizeof text, x, &m[0], &m[1], &m[2], &m[3], space);
    bench_open(&b, text);
    u8 *base = bench_alloc(&b, REGIONS);
    for (unsigned i = 0; i < 4; i++)
        m[i].at = base + i * REGION;
    for (int traced = 0; traced < 2; traced++) {
        memset(base, 0xa5, REGIONS);
        fill(&m[0]), fill(&m[1]), fill(&m[2]);
        bench_run_ok(
            &b, &(struct run){.kernel = "k",
                              .grid = 1,
                              .block = 32,
                              .hooks = traced ? &tracing : NULL,
                              .params = {(u64)(uintptr_t)base, m[0].stride, m[1].stride, m[2].stride, m[3].stride}});
        for (u32 r = 0; r < x->m; r++)
            for (u32 c = 0; c < x->n; c++)
                (x->ab == F64 ? check_f64 : x->ab >= S8 ? check_int : check_float)(x, m, r, c);
        check_rest(&m[3]);
    }
    bench_close(&b);
}

static void test_products(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < LS_ARRAY_LEN(combos); k++)
        for (unsigned layouts = 0; layouts < 16; layouts++)
            for (unsigned space = 0; space < 3; space++)
                run_case(&combos[k], layouts, space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
