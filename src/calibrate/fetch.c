/* fetch.c - machine code: what instructions cost that are not in a cache. */
#include <stdio.h>

#include "calibrate/experiments.h"

/* A kernel of n fma in a row, p[0] times over; each time's cycles are in a record of its own. */
static char *straight_line(struct bench *b, u32 n)
{
    enum { LINE = 40 };
    char *text = arena_alloc(b->mem, 4096 + (size_t)LINE * n), *at = text;
    at += sprintf(at, ".version 7.0\n.target sm_80\n.address_size 64\n"
                      ".visible .entry fetch(.param .align 8 .b8 g[64])\n{\n"
                      ".reg .b64 %%o, %%n, %%b, %%e;\n.reg .b32 %%x<4>, %%z, %%t, %%h;\n.reg .f32 %%f<4>, %%a, %%c;\n"
                      ".reg .pred %%p;\n"
                      "ld.param.u64 %%o, [g];\nld.param.u64 %%n, [g+8];\nld.param.u32 %%z, [g+16];\n"
                      "mov.u32 %%t, %%tid.x;\ncvt.rn.f32.u32 %%a, %%t;\nadd.f32 %%c, %%a, %%a;\n"
                      "mov.f32 %%f0, %%a;\nmov.f32 %%f1, %%c;\nmov.f32 %%f2, %%a;\nmov.f32 %%f3, %%c;\n"
                      "PASS:\nbar.sync 0;\nmov.u64 %%b, %%clock64;\ncvt.u32.u64 %%h, %%b;\nand.b32 %%h, %%h, %%z;\n");
    for (u32 k = 0; k < 4; k++)
        at +=
            sprintf(at, "mov.b32 %%x%u, %%f%u;\nxor.b32 %%x%u, %%x%u, %%h;\nmov.b32 %%f%u, %%x%u;\n", k, k, k, k, k, k);
    for (u32 i = 0; i < n; i++)
        at += sprintf(at, "fma.rn.f32 %%f%u, %%f%u, %%a, %%c;\n", i & 3, i & 3);
    at += sprintf(at, "add.f32 %%f0, %%f0, %%f1;\nadd.f32 %%f0, %%f0, %%f2;\nadd.f32 %%f0, %%f0, %%f3;\n"
                      "mov.b32 %%x0, %%f0;\nsetp.eq.u32 %%p, %%x0, 0x9e3779b9;\n@%%p st.global.u32 [%%o], %%x0;\n"
                      "bar.sync 0;\nmov.u64 %%e, %%clock64;\nsub.u64 %%e, %%e, %%b;\n"
                      "mov.u32 %%h, %%ctaid.x;\nor.b32 %%h, %%h, %%t;\nsetp.eq.u32 %%p, %%h, 0;\n"
                      "@%%p st.global.u64 [%%o], %%e;\nadd.u64 %%o, %%o, 32;\nsub.u64 %%n, %%n, 1;\n"
                      "setp.ne.u64 %%p, %%n, 0;\n@%%p bra PASS;\nret;\n}\n");
    return text;
}

/* Cycles an instruction: the first time in a launch, and the fourth. */
struct fetched {
    f64 first, again;
};

static bool fetch_launch(struct bench *b, CUfunction f, u32 n, u32 blocks, u32 threads, const char *when,
                         struct fetched *out)
{
    enum { PASSES = 4 };
    struct bench_args args = {.out = b->out, .p = {PASSES}};
    void *params[] = {&args};
    if (!bench_ok(b, b->cuda.launch(f, blocks, 1, 1, threads, 1, 1, 0, NULL, params, NULL)) || !bench_wait(b) ||
        !bench_ok(b, b->cuda.to_host(b->records, b->out, PASSES * sizeof *b->records)))
        return false;
    *out = (struct fetched){(f64)b->records[0].cycles / n, (f64)b->records[PASSES - 1].cycles / n};
    bench_row(b, out->first, "cycles an instruction", 0, "fetch_%u_by_%u_x_%u_%s_first", n, blocks, threads, when);
    bench_row(b, out->again, "cycles an instruction", 0, "fetch_%u_by_%u_x_%u_%s_again", n, blocks, threads, when);
    return true;
}

/* n instructions: when the module is new, and later. */
static bool fetch(struct bench *b, u32 n, struct fetched *cold, struct fetched *warm)
{
    CUmodule module;
    CUfunction f;
    struct fetched ignored;
    const u32 all = (u32)bench_scaled(b, b->sms, 2);
    if (!bench_ok(b, b->cuda.module_load(&module, straight_line(b, n))) ||
        !bench_ok(b, b->cuda.module_function(&f, module, "fetch")))
        return false;
    const bool good = fetch_launch(b, f, n, 1, 32, "new", cold) && fetch_launch(b, f, n, 1, 32, "known", warm) &&
                      fetch_launch(b, f, n, 1, 128, "known", &ignored) &&
                      fetch_launch(b, f, n, 1, 512, "known", &ignored) &&
                      fetch_launch(b, f, n, all, 128, "known", &ignored);
    if (good)
        b->cuda.module_unload(module);
    return good;
}

/* The largest code that costs less than `limit` cycles an instruction when it was run before; its place in sizes. */
static u32 held(const struct fetched *warm, u32 n, f64 limit)
{
    u32 last = 0;
    while (last + 1 < n && warm[last + 1].again < limit)
        last++;
    return last;
}

/* Caches of code, by their steps: below one issue and a third, and below what the largest code costs. */
static void fetch_summary(struct bench *b, const u32 *sizes, const struct fetched *cold, const struct fetched *warm,
                          u32 n)
{
    const u32 end = n - 1, l1 = held(warm, n, 1.3), l2 = held(warm, n, 0.6 * warm[end].again);
    u32 ready = 0;
    while (ready + 1 < n && cold[ready + 1].first < 1.25 * warm[l2].again)
        ready++;
    bench_row(b, 16.0 * sizes[l1], "bytes", 0, "icache_l1");
    bench_row(b, 16.0 * sizes[l2], "bytes", 0, "icache");
    bench_row(b, 16.0 * sizes[ready], "bytes", 0, "icache_prefetch");
    bench_row(b, warm[(l1 + l2 + 1) / 2].again, "cycles an instruction", 0, "fetch_second_cache");
    bench_row(b, warm[end].again, "cycles an instruction", 0, "fetch_l2");
    bench_row(b, (cold[end].first * sizes[end] - cold[ready].first * sizes[ready]) / (sizes[end] - sizes[ready]),
              "cycles an instruction", 0, "fetch_dram");
}

bool measure_fetch(struct bench *b)
{
    static const u32 sizes[] = {64, 256, 1024, 2048, 3072, 4096, 6144, 8192, 10240, 12288, 16384, 32768, 65536};
    struct fetched cold[LS_ARRAY_LEN(sizes)], warm[LS_ARRAY_LEN(sizes)];
    const u32 n = (u32)bench_scaled(b, LS_ARRAY_LEN(sizes), 2);
    for (u32 i = 0; i < n; i++)
        if (!fetch(b, sizes[i], &cold[i], &warm[i]))
            return false;
    if (b->request->gpu)
        fetch_summary(b, sizes, cold, warm, n);
    return true;
}
