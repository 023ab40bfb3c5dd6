/* test_texture_run.c - texture and surface instructions in the engine, without a driver: lanes and predicates, events,
 * registers that are source and destination, and the text of faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "exec/texture/texture.h"
#include "harness.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define BODY                                                                                                           \
    " .reg .pred %p<4>; .reg .b32 %r<12>; .reg .f32 %f<8>; .reg .b64 %t<8>;\n"                                         \
    " mov.u32 %r1, %tid.x; ld.param.u64 %t1, [t]; ld.param.u64 %t2, [out]; mad.wide.u32 %t3, %r1, 4, %t2;\n"

/* thread i, if odd, fetches texel i; the coordinate's register dies there and may be the result's */
static const char ptx_odd[] = HEAD ".visible .entry odd(.param .u64 t, .param .u64 out)\n{\n" BODY
                                   " and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0; mov.b32 %r5, 9;\n"
                                   " @%p1 tex.1d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [%t1, {%r1}];\n"
                                   " st.global.u32 [%t3], %r5; ret;\n}\n";
/* the coordinates are the first results */
static const char ptx_same[] =
    HEAD ".visible .entry same(.param .u64 t, .param .u64 out)\n{\n" BODY " mov.u32 %r2, 1; mov.u32 %r5, %r1;\n"
         " tex.2d.v4.u32.s32 {%r2, %r5, %r6, %r7}, [%t1, {%r5, %r2}];\n"
         " st.global.u32 [%t3], %r2; ret;\n}\n";
/* the loaded 64 bits take the register of the handle */
static const char ptx_handle[] = HEAD ".visible .entry handle(.param .u64 t, .param .u64 out)\n{\n" BODY
                                      " mad.wide.u32 %t4, %r1, 8, %t2; shl.b32 %r2, %r1, 3;\n"
                                      " suld.b.1d.b64.trap {%t1}, [%t1, {%r2}];\n"
                                      " st.global.u64 [%t4], %t1; ret;\n}\n";
static const char ptx_store[] =
    HEAD ".visible .entry store(.param .u64 t, .param .u64 out)\n{\n" BODY " shl.b32 %r2, %r1, 2;\n"
         " sust.b.1d.b32.trap [%t1, {%r2}], {%r1}; ret;\n}\n";

static u64 add_line(struct bench *b, const void *texels, u32 n, u8 texel_bytes, u8 kind)
{
    u64 handle;
    struct texture t = {.kind = kind};
    t.image = (struct image){.base = (u64)(uintptr_t)texels,
                             .bytes = (u64)n * texel_bytes,
                             .width = n,
                             .height = 1,
                             .depth = 1,
                             .dims = 1,
                             .format = TEXEL_U32,
                             .channels = texel_bytes / 4,
                             .texel_bytes = texel_bytes,
                             .pitch = (u64)n * texel_bytes};
    t.image.slice = t.image.pitch;
    t.sampler.address[0] = ADDRESS_CLAMP;
    assert_int_equal(textures_add(b->device.textures, &t, &handle), LS_OK);
    return handle;
}

/* ---- events ---- */

struct seen {
    u32 n, mask;
    u8 space, op, size;
    u64 addr[32];
    struct texels texels[32]; /* of the lanes */
};

static void *begin(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}

static void access(void *ctx, const struct exec_access *a)
{
    struct seen *s = ctx;
    if (a->space != SPACE_TEX)
        return;
    s->n++;
    s->mask = a->mask;
    s->space = a->space;
    s->op = a->op;
    s->size = a->size;
    memcpy(s->addr, a->addr, sizeof s->addr);
    memcpy(s->texels, texture_access_of(a->addr)->texels, sizeof s->texels);
}

static void predicated_lanes_do_not_fetch(void **state)
{
    (void)state;
    struct bench b;
    struct seen seen = {0};
    const struct exec_hooks hooks = {.launch = &seen, .worker_begin = begin, .access = access};
    bench_open(&b, ptx_odd);
    u32 *texels = bench_alloc(&b, 128), *out = bench_alloc(&b, 128);
    for (u32 k = 0; k < 32; k++)
        texels[k] = 100 + k;
    const u64 t = add_line(&b, texels, 32, 4, KIND_TEXTURE);
    for (unsigned traced = 0; traced < 2; traced++) {
        bench_run_ok(&b, &(struct run){.kernel = "odd",
                                       .grid = 1,
                                       .block = 32,
                                       .params = {t, (u64)(uintptr_t)out},
                                       .hooks = traced ? &hooks : NULL});
        for (u32 k = 0; k < 32; k++)
            assert_int_equal(out[k], k & 1 ? 100 + k : 9);
    }
    assert_true(seen.n == 1 && seen.mask == 0xaaaaaaaa && seen.op == ACCESS_LD && seen.size == 4);
    for (u32 k = 1; k < 32; k += 2)
        assert_true(seen.addr[k] == (u64)(uintptr_t)&texels[k]);
    for (u32 k = 1; k < 32; k += 2) {
        const struct texels *at = &seen.texels[k];
        assert_true(at->base == (u64)(uintptr_t)texels && at->width == 32 && at->bytes == 4 && at->dims == 1);
        assert_true(at->n[0] == 1 && at->n[1] == 1 && at->n[2] == 1 && at->at[0][0] == k && !at->filtered);
    }
    bench_close(&b);
}

static void stores_are_events_too(void **state)
{
    (void)state;
    struct bench b;
    struct seen seen = {0};
    const struct exec_hooks hooks = {.launch = &seen, .worker_begin = begin, .access = access};
    bench_open(&b, ptx_store);
    u32 *texels = bench_alloc(&b, 128);
    const u64 s = add_line(&b, texels, 32, 4, KIND_SURFACE);
    bench_run_ok(
        &b, &(struct run){
                .kernel = "store", .grid = 1, .block = 20, .params = {s, (u64)(uintptr_t)texels}, .hooks = &hooks});
    assert_true(seen.n == 1 && seen.mask == 0xfffff && seen.op == ACCESS_ST && seen.size == 4);
    for (u32 k = 0; k < 32; k++)
        assert_int_equal(texels[k], k < 20 ? k : 0);
    for (u32 k = 0; k < 20; k++) {
        const struct texels *at = &seen.texels[k];
        assert_true(at->base == (u64)(uintptr_t)texels && at->width == 32 && at->bytes == 4 && at->dims == 1);
        assert_true(at->n[0] == 1 && at->n[1] == 1 && at->n[2] == 1 && at->at[0][0] == k);
    }
    bench_close(&b);
}

/* ---- registers ---- */

static void results_may_take_the_coordinates_registers(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, ptx_same);
    u32 *texels = bench_alloc(&b, 256), *out = bench_alloc(&b, 128);
    for (u32 k = 0; k < 64; k++)
        texels[k] = 1000 + k;
    u64 handle;
    struct texture t = {.kind = KIND_TEXTURE};
    t.image = (struct image){.base = (u64)(uintptr_t)texels,
                             .bytes = 256,
                             .pitch = 128,
                             .slice = 256,
                             .width = 32,
                             .height = 2,
                             .depth = 1,
                             .dims = 2,
                             .format = TEXEL_U32,
                             .channels = 1,
                             .texel_bytes = 4};
    memset(t.sampler.address, ADDRESS_CLAMP, 3);
    assert_int_equal(textures_add(b.device.textures, &t, &handle), LS_OK);
    bench_run_ok(&b, &(struct run){.kernel = "same", .grid = 1, .block = 32, .params = {handle, (u64)(uintptr_t)out}});
    for (u32 k = 0; k < 32; k++)
        assert_int_equal(out[k], 1000 + 32 + k);
    bench_close(&b);
}

static void a_load_may_take_the_handles_register(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, ptx_handle);
    u64 *texels = bench_alloc(&b, 256), *out = bench_alloc(&b, 256);
    for (u32 k = 0; k < 32; k++)
        texels[k] = (u64)k << 32 | 5;
    const u64 s = add_line(&b, texels, 32, 8, KIND_SURFACE);
    bench_run_ok(&b, &(struct run){.kernel = "handle", .grid = 1, .block = 32, .params = {s, (u64)(uintptr_t)out}});
    assert_memory_equal(out, texels, 256);
    bench_close(&b);
}

/* ---- faults ---- */

static void expect_fault(struct bench *b, const char *kernel, u64 handle, unsigned threads, const char *detail)
{
    struct exec_fault f = {0};
    const struct run r = {.kernel = kernel, .grid = 1, .block = threads, .params = {handle, 0}};
    assert_int_equal(bench_run(b, &r, &f), LS_ERR_FAULT);
    assert_int_equal(f.kind, FAULT_TEXTURE);
    if (!strstr(f.detail, detail))
        fail_msg("'%s' is not in '%s'", detail, f.detail);
}

static void faults_say_what_is_wrong(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, ptx_store);
    u32 *texels = bench_alloc(&b, 64);
    const u64 texture = add_line(&b, texels, 16, 4, KIND_TEXTURE), surface = add_line(&b, texels, 16, 4, KIND_SURFACE);
    expect_fault(&b, "store", 12345, 1, "0x3039 is not the handle of a live surface object");
    expect_fault(&b, "store", texture, 1, "is the handle of a texture object, the instruction needs a surface object");
    expect_fault(&b, "store", surface, 17, "x 64 bytes, y 0, z 0 is outside surface object");
    const u64 beyond = add_line(&b, texels, 17, 4, KIND_SURFACE);
    expect_fault(&b, "store", beyond, 1, "is gone: 68 bytes at");
    assert_int_equal(mem_free(b.device.mem, (u64)(uintptr_t)texels), LS_OK);
    expect_fault(&b, "store", surface, 1, "is gone: 64 bytes at");
    assert_true(textures_remove(b.device.textures, surface));
    expect_fault(&b, "store", surface, 1, "is not the handle of a live surface object");
    bench_close(&b);
}

/* The whole of a poisoned kernel's reason, for what is not provided. */
static void expect_poison(const char *declarations, const char *instruction, const char *why)
{
    char text[1024];
    struct bench b;
    struct exec_fault f = {0};
    snprintf(text, sizeof text, "%s%s.visible .entry k(.param .u64 t, .param .u64 out)\n{\n%s %s;\n ret;\n}\n", HEAD,
             declarations, BODY, instruction);
    bench_open(&b, text);
    assert_int_equal(bench_run(&b, &(struct run){.kernel = "k", .grid = 1, .block = 1}, &f), LS_ERR_UNSUPPORTED);
    if (!strstr(f.detail, why))
        fail_msg("'%s' is not in '%s'", why, f.detail);
    bench_close(&b);
}

static void what_is_not_there_is_named(void **state)
{
    (void)state;
    expect_poison("", "tld4.r.cube.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%t1, {%f4,%f4,%f4,%f4}]", "cube maps");
    expect_poison("", "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%t1, %t2, {%f4,%f4}]", "separate sampler");
    expect_poison("", "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%t1, {%f4}]", "it has 1 coordinates and needs 2");
    expect_poison("", "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%t1, {%f4,%f4}], %f5", "depth textures");
    expect_poison("", "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%t1]", "a handle and coordinates");
    expect_poison("", "tex.2d.v4.f32.f32 {%f0,%f1}, [%t1, {%f4,%f4}]", "a vector of 4 registers");
    expect_poison(".global .texref old;\n", "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [old, {%f4,%f4}]", "64-bit handle");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicated_lanes_do_not_fetch),
        cmocka_unit_test(stores_are_events_too),
        cmocka_unit_test(results_may_take_the_coordinates_registers),
        cmocka_unit_test(a_load_may_take_the_handles_register),
        cmocka_unit_test(faults_say_what_is_wrong),
        cmocka_unit_test(what_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
