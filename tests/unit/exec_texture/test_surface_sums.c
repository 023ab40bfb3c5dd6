/* test_surface_sums.c - sured and sust.p in the engine: every operation, type and width against sums made one after the
 * other, edges, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "exec/texture/texture.h"
#include "harness.h"

enum { TEXELS = 8, LANES_ = 32, MOST = 16 * TEXELS };

/* %r3: the thread's texel, of 8; %r4: its byte; %r5..%r8, %t5: its values. */
#define HEAD                                                                                                           \
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 s, .param .u64 in)\n{\n"             \
    " .reg .b32 %%r<12>; .reg .b64 %%t<8>;\n mov.u32 %%r1, %%tid.x; ld.param.u64 %%t1, [s]; ld.param.u64 %%t2, "       \
    "[in];\n"                                                                                                          \
    " mad.wide.u32 %%t3, %%r1, 16, %%t2; and.b32 %%r3, %%r1, 7; mul.lo.u32 %%r4, %%r3, %u;\n"                          \
    " ld.global.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%t3]; ld.global.u64 %%t5, [%%t3]; add.s32 %%r9, %%r1, -4;\n"        \
    " shl.b32 %%r10, %%r9, 2;\n %s;\n ret;\n}\n"

struct image_of {
    u8 format, channels, bytes;
};

static u64 add_line(struct bench *b, const void *texels, struct image_of of)
{
    u64 handle;
    const u64 row = (u64)TEXELS * of.channels * of.bytes;
    const struct texture t = {.kind = KIND_SURFACE,
                              .image = {.base = (u64)(uintptr_t)texels,
                                        .bytes = row,
                                        .pitch = row,
                                        .slice = row,
                                        .width = TEXELS,
                                        .height = 1,
                                        .depth = 1,
                                        .dims = 1,
                                        .format = of.format,
                                        .channels = of.channels,
                                        .texel_bytes = (u8)(of.channels * of.bytes)}};
    assert_int_equal(textures_add(b->device.textures, &t, &handle), LS_OK);
    return handle;
}

static u64 random_bits(u64 *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 32 | *seed << 32;
}

/* Runs the instruction by `lanes` threads; the memory before and after, and what the threads had. */
struct result {
    u32 before[MOST / 4 * 4], after[MOST / 4 * 4], in[LANES_][4];
    enum ls_status status;
    char detail[256];
};

static void run_one(const char *instruction, struct image_of of, unsigned lanes, struct result *r)
{
    char text[2048];
    struct bench b;
    struct exec_fault f = {0};
    u64 seed = 7;
    const size_t bytes = (size_t)TEXELS * of.channels * of.bytes;
    snprintf(text, sizeof text, HEAD, of.channels * of.bytes, instruction);
    bench_open(&b, text);
    u32 *texels = bench_alloc(&b, sizeof r->before), *in = bench_alloc(&b, sizeof r->in);
    for (u32 k = 0; k < sizeof r->before / 4; k++)
        r->before[k] = (u32)random_bits(&seed);
    for (u32 k = 0; k < LANES_ * 4; k++)
        r->in[k / 4][k % 4] = (u32)random_bits(&seed);
    memcpy(texels, r->before, sizeof r->before);
    memcpy(in, r->in, sizeof r->in);
    const u64 s = add_line(&b, texels, of);
    r->status =
        bench_run(&b, &(struct run){.kernel = "k", .grid = 1, .block = lanes, .params = {s, (u64)(uintptr_t)in}}, &f);
    snprintf(r->detail, sizeof r->detail, "%.255s", f.detail);
    memcpy(r->after, texels, sizeof r->after);
    assert_memory_equal((u8 *)r->after + bytes, (u8 *)r->before + bytes, sizeof r->after - bytes);
    bench_close(&b);
}

/* ---- sured ---- */

static u64 expected(char op, bool is_signed, u32 bytes, u64 a, u64 b)
{
    const i64 x = bytes == 4 ? (i32)a : (i64)a, y = bytes == 4 ? (i32)b : (i64)b;
    switch (op) {
    case '+':
        return a + b;
    case '<':
        return is_signed ? (u64)(x < y ? x : y) : a < b ? a : b;
    case '>':
        return is_signed ? (u64)(x > y ? x : y) : a > b ? a : b;
    case '&':
        return a & b;
    default:
        return a | b;
    }
}

static void sums(void **state)
{
    static const struct {
        const char *text;
        char op;
        bool is_signed;
        u8 bytes;
        struct image_of of;
    } all[] = {
        {"b.add.1d.u32", '+', false, 4, {TEXEL_U32, 1, 4}}, {"b.add.1d.s32", '+', true, 4, {TEXEL_FLOAT, 1, 4}},
        {"b.add.1d.u64", '+', false, 8, {TEXEL_U32, 2, 4}}, {"b.min.1d.u32", '<', false, 4, {TEXEL_S32, 1, 4}},
        {"b.min.1d.s32", '<', true, 4, {TEXEL_U32, 1, 4}},  {"b.min.1d.u64", '<', false, 8, {TEXEL_U16, 4, 2}},
        {"b.min.1d.s64", '<', true, 8, {TEXEL_U32, 2, 4}},  {"b.max.1d.u32", '>', false, 4, {TEXEL_U8, 4, 1}},
        {"b.max.1d.s32", '>', true, 4, {TEXEL_U32, 1, 4}},  {"b.max.1d.u64", '>', false, 8, {TEXEL_U32, 2, 4}},
        {"b.max.1d.s64", '>', true, 8, {TEXEL_U32, 2, 4}},  {"b.and.1d.b32", '&', false, 4, {TEXEL_U32, 1, 4}},
        {"b.or.1d.b32", '|', false, 4, {TEXEL_U32, 1, 4}},  {"p.add.1d.b32", '+', false, 4, {TEXEL_U32, 1, 4}},
        {"p.min.1d.b32", '<', false, 4, {TEXEL_U32, 1, 4}}, {"p.min.1d.b32", '<', true, 4, {TEXEL_S32, 1, 4}},
        {"p.max.1d.b32", '>', false, 4, {TEXEL_U32, 1, 4}}, {"p.max.1d.b32", '>', true, 4, {TEXEL_S32, 1, 4}},
        {"p.and.1d.b32", '&', false, 4, {TEXEL_U32, 1, 4}}, {"p.or.1d.b32", '|', false, 4, {TEXEL_U32, 1, 4}},
        {"p.min.1d.b64", '<', false, 8, {TEXEL_U32, 2, 4}}, {"p.min.1d.b64", '<', true, 8, {TEXEL_S32, 2, 4}},
        {"p.max.1d.b64", '>', false, 8, {TEXEL_U32, 2, 4}}, {"p.max.1d.b64", '>', true, 8, {TEXEL_S32, 2, 4}},
    };
    (void)state;
    for (size_t k = 0; k < LS_ARRAY_LEN(all); k++) {
        struct result r;
        char text[128];
        snprintf(text, sizeof text, "sured.%s.trap [%%t1, {%s}], %s", all[k].text,
                 all[k].text[0] == 'b' ? "%r4" : "%r3", all[k].bytes == 8 ? "%t5" : "%r5");
        run_one(text, all[k].of, LANES_, &r);
        assert_int_equal(r.status, LS_OK);
        for (u32 x = 0; x < TEXELS; x++) {
            u64 want = 0, got = 0, in;
            memcpy(&want, (u8 *)r.before + x * all[k].bytes, all[k].bytes);
            memcpy(&got, (u8 *)r.after + x * all[k].bytes, all[k].bytes);
            for (u32 lane = x; lane < LANES_; lane += TEXELS) {
                in = 0;
                memcpy(&in, r.in[lane], all[k].bytes);
                want = expected(all[k].op, all[k].is_signed, all[k].bytes, want, in);
            }
            if (all[k].bytes == 4)
                want = (u32)want;
            if (got != want)
                fail_msg("%s: texel %u is %llx, not %llx", all[k].text, x, (unsigned long long)got,
                         (unsigned long long)want);
        }
    }
}

/* Threads -4 to 11 of 8 texels: what is outside goes to the edge, or nowhere. */
static void edges(void **state)
{
    struct result r;
    (void)state;
    run_one("sured.p.add.1d.b32.clamp [%t1, {%r9}], %r5", (struct image_of){TEXEL_U32, 1, 4}, 16, &r);
    for (u32 x = 0; x < TEXELS; x++) {
        u32 want = r.before[x];
        for (u32 lane = 0; lane < 16; lane++)
            want += (x == 0 ? lane <= 4 : x == 7 ? lane >= 11 : lane == x + 4) ? r.in[lane][0] : 0;
        assert_int_equal(r.after[x], want);
    }
    run_one("sured.b.add.1d.u32.zero [%t1, {%r10}], %r5", (struct image_of){TEXEL_U32, 1, 4}, 16, &r);
    for (u32 x = 0; x < TEXELS; x++)
        assert_int_equal(r.after[x], r.before[x] + r.in[x + 4][0]);
    run_one("sust.p.1d.b32.zero [%t1, {%r9}], %r5", (struct image_of){TEXEL_FLOAT, 1, 4}, 16, &r);
    for (u32 x = 0; x < TEXELS; x++)
        assert_int_equal(r.after[x], r.in[x + 4][0]);
    run_one("sust.p.1d.b32.trap [%t1, {%r9}], %r5", (struct image_of){TEXEL_U32, 1, 4}, 16, &r);
    assert_int_equal(r.status, LS_ERR_FAULT);
}

/* ---- sust.p ---- */

static void formatted_stores(void **state)
{
    static const char *const data[] = {"", "{%r5}", "{%r5, %r6}", "", "{%r5, %r6, %r7, %r8}"};
    static const u8 formats[] = {TEXEL_U32, TEXEL_S32, TEXEL_FLOAT};
    (void)state;
    for (u32 channels = 1; channels <= 4; channels *= 2)
        for (u32 n = 1; n <= 4; n *= 2)
            for (u32 f = 0; f < 3; f++) {
                struct result r;
                char text[128];
                const char *vec = n == 1 ? "" : n == 2 ? ".v2" : ".v4";
                snprintf(text, sizeof text, "sust.p.1d%s.b32.trap [%%t1, {%%r3}], %s", vec, data[n]);
                run_one(text, (struct image_of){formats[f], (u8)channels, 4}, TEXELS, &r);
                assert_int_equal(r.status, LS_OK);
                for (u32 k = 0; k < TEXELS * channels; k++)
                    assert_int_equal(r.after[k], k % channels < n ? r.in[k / channels][k % channels] : 0);
            }
}

/* Integers are brought to the nearest that the component has; components that are not named become 0. */
static void narrow_stores(void **state)
{
    struct result r;
    (void)state;
    run_one("sust.p.1d.b32.trap [%t1, {%r3}], %r5", (struct image_of){TEXEL_U8, 4, 1}, 8, &r);
    assert_int_equal(r.status, LS_OK);
    for (u32 k = 0; k < 8; k++)
        assert_int_equal(r.after[k], r.in[k][0] < 255 ? r.in[k][0] : 255);
    run_one("sust.p.1d.b32.trap [%t1, {%r3}], %r5", (struct image_of){TEXEL_S8, 4, 1}, 8, &r);
    assert_int_equal(r.status, LS_OK);
    for (u32 k = 0; k < 8; k++) {
        const i32 x = (i32)r.in[k][0];
        assert_int_equal(r.after[k], (u8)(x > 127 ? 127 : x < -128 ? -128 : x));
    }
}

/* A word of a float is added to as an integer. */
static void sums_of_floats(void **state)
{
    struct result r;
    (void)state;
    run_one("sured.p.add.1d.b32.trap [%t1, {%r3}], %r5", (struct image_of){TEXEL_FLOAT, 1, 4}, 8, &r);
    assert_int_equal(r.status, LS_OK);
    for (u32 k = 0; k < 8; k++)
        assert_int_equal(r.after[k], r.before[k] + r.in[k][0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),          cmocka_unit_test(edges),          cmocka_unit_test(formatted_stores),
        cmocka_unit_test(narrow_stores), cmocka_unit_test(sums_of_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
