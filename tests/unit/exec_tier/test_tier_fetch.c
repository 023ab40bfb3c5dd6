/* test_tier_fetch.c - which accesses of compiled kernels fetch ahead: those of blocks of several rows, and of blocks of one row
 * where the code is straight. Looks for the instruction in the code that was kept; each compilation is in a child. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../exec/harness.h"
#include "base/settings.h"
#include "exec/tier/cache.h"
#include "exec/tier/keep.h"
#include "exec/tier/llvm.h"

enum { N = 256 };

/* out[i] = 2 * out[i] + 1, once: a load and a store at one address. */
#define HEAD                                                                                                           \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                                                  \
    ".visible .entry k(.param .u64 out)\n{\n"                                                                          \
    "    .reg .b64 %p;\n    .reg .b32 %t, %u, %i;\n    .reg .pred %c;\n"                                               \
    "    ld.param.u64 %p, [out];\n    mov.u32 %t, %tid.x;\n    mov.u32 %u, %tid.y;\n    mov.u32 %i, %ntid.x;\n"        \
    "    mad.lo.u32 %t, %u, %i, %t;\n    mad.wide.u32 %p, %t, 4, %p;\n    mov.u32 %i, 0;\n"
#define STEP "    ld.global.u32 %u, [%p];\n    mad.lo.u32 %u, %u, 2, 1;\n    st.global.u32 [%p], %u;\n"
static const char straight[] = HEAD STEP "    ret;\n}\n";
static const char loop[] =
    HEAD "AGAIN:\n" STEP "    add.u32 %i, %i, 1;\n    setp.lt.u32 %c, %i, 3;\n    @%c bra AGAIN;\n    ret;\n}\n";

/* The same where i is below a number that is not known: some lanes alone, or all. */
static const char below[] =
    HEAD "    mov.u32 %u, %nctaid.x;\n    mul.lo.u32 %u, %u, 256;\n    setp.ge.u32 %c, %t, %u;\n    @%c bra END;\n" STEP
         "END:\n    ret;\n}\n";

/* out[i + n] of three addresses that are not sums of the same register, and within a line of each other; n = 0. */
static const char near_each_other[] =
    HEAD "    .reg .b64 %q, %r;\n    .reg .b32 %a, %b;\n    mov.u32 %i, %nctaid.y;\n    add.u32 %i, %i, -1;\n"
         "    mul.wide.s32 %q, %i, 4;\n    add.u64 %q, %p, %q;\n    ld.global.u32 %a, [%q];\n"
         "    not.b32 %b, %i;\n    mul.wide.s32 %r, %b, 4;\n    sub.u64 %r, %p, %r;\n    ld.global.u32 %b, [%r+-4];\n"
         "    add.u32 %a, %a, %b;\n    add.u32 %u, %i, 1;\n    mul.wide.u32 %r, %u, 4;\n    add.u64 %r, %p, %r;\n"
         "    ld.global.u32 %b, [%r+-4];\n    add.u32 %a, %a, %b;\n    add.u32 %a, %a, 1;\n"
         "    st.global.u32 [%q], %a;\n    ret;\n}\n";

/* out[i] = 1 in blocks of 32 x 8, whose next one in x stores beside them, or elsewhere. */
#define STORE(apart)                                                                                                   \
    HEAD "    ld.param.u64 %p, [out];\n    mov.u32 %u, %ctaid.x;\n    mad.lo.u32 %t, %u, " #apart                      \
         ", %t;\n    mad.wide.u32 %p, %t, 4, %p;\n    mov.u32 %u, 1;\n    st.global.u32 [%p], %u;\n    ret;\n}\n"
static const char beside[] = STORE(32), elsewhere[] = STORE(256);

static char folder[] = "/tmp/test_tier_fetch_XXXXXX";

/* In the one entry of the folder, which is removed: how often there is what reads as prefetcht0 (0f 18 /1)
 * of an address. Hardly any other bytes do. */
static int fetches(void)
{
    static u8 bytes[1 << 20];
    int n = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *f = strstr(e->d_name, ".code") ? fopen(path, "rb") : NULL;
        const size_t len = f ? fread(bytes, 1, sizeof bytes, f) : 0;
        for (size_t k = 0; k + 2 < len; k++)
            n += bytes[k] == 0x0f && bytes[k + 1] == 0x18 && (bytes[k + 2] & 0x38) == 0x08 && bytes[k + 2] < 0xc0;
        if (f) {
            fclose(f);
            unlink(path);
        }
    }
    if (d)
        closedir(d);
    return n;
}

enum { GOOD, WRONG, NO_LLVM };

static int work(const char *text, u32 x, u32 y, u32 want)
{
    struct tier_cache cache = {.limit = 1 << 20};
    struct bench b;
    char why[LLVM_WHY];
    u8 id[64];
    int result = GOOD;
    if (!llvm_load(why, sizeof why) || !keep_build(id, sizeof id))
        return NO_LLVM;
    snprintf(cache.folder, sizeof cache.folder, "%s", folder);
    bench_open(&b, text);
    b.device.tier = TIER_FORCE;
    b.device.tier_cache = &cache;
    u32 *out = bench_alloc(&b, N * sizeof *out);
    bench_run_ok(
        &b, &(struct run){
                .kernel = "k", .grid = 1, .block = x, .block_y = y, .params = {(u64)(uintptr_t)out}, .workers = 1});
    for (u32 k = 0; k < N; k++)
        result |= out[k] == want ? GOOD : WRONG;
    bench_close(&b);
    return result;
}

static int fetches_of(const char *text, u32 x, u32 y, u32 want)
{
    int status;
    const pid_t child = fork();
    if (!child)
        _exit(work(text, x, y, want));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_LLVM)
        skip();
    assert_int_equal(WEXITSTATUS(status), GOOD);
    return fetches();
}

/* Each of 32 lanes of 4 bytes: two lines. */
static void test_rows(void **state)
{
    (void)state;
    assert_in_range(fetches_of(straight, N / 8, 8, 1), 2, 100);
    assert_in_range(fetches_of(loop, N / 8, 8, 7), 2, 100);
}

/* In a loop the next access is not the next block's. */
static void test_one_row(void **state)
{
    (void)state;
    assert_in_range(fetches_of(straight, N, 1, 1), 2, 100);
    assert_in_range(fetches_of(loop, N, 1, 7), 0, 1);
}

/* Whole warps and lanes that have parted go different ways, and both fetch. */
static void test_parted(void **state)
{
    (void)state;
    assert_in_range(fetches_of(below, N, 1, 1), 4, 100);
}

/* A stencil's neighbours are of few rows. */
static void test_neighbours(void **state)
{
    (void)state;
    assert_in_range(fetches_of(near_each_other, N, 1, 1), 2, 3);
}

static void test_stores(void **state)
{
    (void)state;
    assert_in_range(fetches_of(beside, N / 8, 8, 1), 0, 1);
    assert_in_range(fetches_of(elsewhere, N / 8, 8, 1), 2, 100);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_one_row),
                                       cmocka_unit_test(test_parted), cmocka_unit_test(test_neighbours),
                                       cmocka_unit_test(test_stores)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
