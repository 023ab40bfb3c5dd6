/* test_tier_span.c - stores of compiled code whose lanes have places of their own near each other: all strides, and lanes that
 * do not take part, write what the interpreter writes and nothing else. In a child for each tier, as LLVM is loaded there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../exec/harness.h"
#include "base/settings.h"
#include "exec/tier/llvm.h"

enum { BYTES = 8192, THREADS = 64 };

/* A lane's element goes to 4096 + tid * stride; those with a bit of `keep` do not store. */
static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 out, .param .u32 keep)\n{\n"
                           "    .reg .b64 %%p, %%q, %%v;\n    .reg .b32 %%t, %%u, %%w, %%k;\n    .reg .pred %%c;\n"
                           "    ld.param.u64 %%p, [out];\n    ld.param.u32 %%k, [keep];\n    mov.u32 %%t, %%tid.x;\n"
                           "    mad.lo.u32 %%u, %%t, 0x01020304, 0x11223344;\n    xor.b32 %%w, %%u, 0x5a5a5a5a;\n"
                           "    cvt.u64.u32 %%v, %%u;\n    mul.lo.u64 %%v, %%v, 0x100000001;\n"
                           "    mul.wide.s32 %%q, %%t, %d;\n    add.s64 %%p, %%p, %%q;\n"
                           "    and.b32 %%k, %%k, %%t;\n    setp.ne.u32 %%c, %%k, 0;\n    @%%c bra DONE;\n"
                           "    st.global.%s [%%p+4096], %s;\nDONE:\n    ret;\n}\n";

static const struct {
    int stride;
    const char *type, *value;
} stores[] = {
    {8, "u32", "%u"},  {12, "u32", "%u"},
    {16, "u32", "%u"}, {-4, "u32", "%u"},
    {-8, "u32", "%u"}, {16, "u64", "%v"},
    {-8, "u64", "%v"}, {16, "v2.u32", "{%u, %w}"},
    {20, "u32", "%u"}, {32, "v4.u32", "{%u, %w, %w, %u}"},
    {2, "b16", "%u"},  {4, "b16", "%u"},
};

static u8 *results; /* of both tiers: shared with the children */
enum { GOOD, NO_LLVM };

static int work(u8 tier, unsigned which, u32 keep, u8 *to)
{
    char kernel[sizeof text + 64], why[LLVM_WHY];
    struct bench b;
    if (tier != TIER_OFF && !llvm_load(why, sizeof why))
        return NO_LLVM;
    snprintf(kernel, sizeof kernel, text, stores[which].stride, stores[which].type, stores[which].value);
    bench_open(&b, kernel);
    b.device.tier = tier;
    u8 *out = bench_alloc(&b, BYTES);
    bench_run_ok(
        &b,
        &(struct run){.kernel = "k", .grid = 1, .block = THREADS, .params = {(u64)(uintptr_t)out, keep}, .workers = 1});
    memcpy(to, out, BYTES);
    bench_close(&b);
    return GOOD;
}

static int process(u8 tier, unsigned which, u32 keep, u8 *to)
{
    int status;
    const pid_t child = fork();
    if (!child)
        _exit(work(tier, which, keep, to));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_spans(void **state)
{
    static const u32 keeps[] = {0, 1, 2, 16, 32, 5};
    (void)state;
    for (unsigned k = 0; k < LS_ARRAY_LEN(stores); k++)
        for (unsigned n = 0; n < LS_ARRAY_LEN(keeps); n++) {
            memset(results, 0, 2 * BYTES);
            assert_int_equal(process(TIER_OFF, k, keeps[n], results), GOOD);
            assert_memory_not_equal(results, results + BYTES, BYTES); /* something was stored */
            const int end = process(TIER_FORCE, k, keeps[n], results + BYTES);
            if (end == NO_LLVM)
                skip();
            assert_int_equal(end, GOOD);
            if (memcmp(results, results + BYTES, BYTES) != 0)
                fail_msg("stride %d of %s, lanes without %u", stores[k].stride, stores[k].type, keeps[n]);
        }
}

static int set_up(void **state)
{
    (void)state;
    results = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return results == MAP_FAILED;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spans)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
