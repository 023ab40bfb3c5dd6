/* test_tier_keep.c - compiled kernels on disk: another process finds them, without LLVM, and gets the same results; what is
 * damaged is compiled again. Each process of these tests is a child that sees LLVM, or a path where there is none. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../exec/harness.h"
#include "base/settings.h"
#include "exec/module.h"
#include "exec/tier/cache.h"
#include "exec/tier/keep.h"
#include "exec/tier/llvm.h"

enum { THREADS = 64, BLOCKS = 4, N = THREADS * BLOCKS, ROUNDS = 300 };

/* A loop, a barrier, a branch, and a body (the reduction): entries, states of all shapes, and the list of bodies. */
static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
                           "    .reg .b64 %p, %q;\n    .reg .b32 %t, %u, %s, %i, %n;\n    .reg .pred %c;\n"
                           "    .shared .b32 cell[64];\n"
                           "    ld.param.u64 %p, [out];\n    ld.param.u32 %n, [n];\n    mov.u32 %t, %tid.x;\n"
                           "    mov.u32 %u, %ctaid.x;\n    mad.lo.u32 %u, %u, 64, %t;\n"
                           "    mad.wide.u32 %p, %u, 4, %p;\n    mov.u32 %s, 7;\n    mov.u32 %i, 0;\n"
                           "AGAIN:\n    mad.lo.u32 %s, %s, 1664525, %u;\n    and.b32 %u, %s, 4096;\n"
                           "    setp.eq.u32 %c, %u, 0;\n    @%c bra EVEN;\n    xor.b32 %s, %s, 12345;\nEVEN:\n"
                           "    add.u32 %i, %i, 1;\n    setp.lt.u32 %c, %i, %n;\n    @%c bra AGAIN;\n"
                           "    shl.b32 %u, %t, 2;\n    mov.u32 %i, cell;\n    add.u32 %i, %i, %u;\n"
                           "    st.shared.u32 [%i], %s;\n    bar.sync 0;\n    xor.b32 %u, %u, 128;\n"
                           "    mov.u32 %i, cell;\n    add.u32 %i, %i, %u;\n    ld.shared.u32 %u, [%i];\n"
                           "    add.u32 %s, %s, %u;\n    redux.sync.add.s32 %u, %s, 0xffffffff;\n"
                           "    xor.b32 %s, %s, %u;\n    st.global.u32 [%p], %s;\n    ret;\n}\n";

static char folder[] = "/tmp/test_tier_keep_XXXXXX";
static struct tier_cache cache;
static u32 want[N];

/* In a child: the result's hash is right, and code was run (or not). */
enum { WRONG = 1, NO_CODE = 2 };

static const struct tier_code *code_of(const struct bench *b)
{
    for (u32 k = 0; k < b->module->nfuncs; k++) {
        const struct tier_code *c = atomic_load(&b->module->funcs[k].codes);
        if (c && atomic_load(&c->phase) == TIER_READY)
            return c;
    }
    return NULL;
}

static bool launch(struct bench *b, u32 *out, u32 blocks)
{
    memset(out, 0, sizeof want);
    bench_run_ok(
        b, &(struct run){
               .kernel = "k", .grid = blocks, .block = THREADS, .params = {(u64)(uintptr_t)out, ROUNDS}, .workers = 1});
    return memcmp(out, want, sizeof want) == 0;
}

static int work(u8 tier)
{
    struct bench b;
    int result = 0;
    bench_open(&b, text);
    b.device.tier = tier;
    b.device.tier_cache = &cache;
    u32 *out = bench_alloc(&b, sizeof want);
    /* by itself: some launches until the cache is looked into, and until that has been done */
    for (u32 k = 0; k < (tier == TIER_AUTO ? 2000 : 1) && !code_of(&b); k++) {
        result |= launch(&b, out, BLOCKS) ? 0 : WRONG;
        if (tier == TIER_AUTO && k % 100 == 99)
            usleep(10000);
    }
    result |= launch(&b, out, BLOCKS) ? 0 : WRONG;
    result |= code_of(&b) ? 0 : NO_CODE;
    bench_close(&b);
    return result;
}

static int process(u8 tier, bool with_llvm)
{
    int status;
    const pid_t child = fork();
    if (!child) {
        if (!with_llvm)
            llvm_choose("/nonexistent/libLLVM.so");
        _exit(work(tier));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static unsigned entries(char *last)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, ".code")) {
            snprintf(last, 512, "%s/%s", folder, e->d_name);
            n++;
        }
    if (d)
        closedir(d);
    return n;
}

static bool possible(void)
{
    u8 id[64];
    int status;
    const pid_t child = fork(); /* LLVM is loaded in children alone */
    if (!child) {
        char why[LLVM_WHY];
        _exit(llvm_load(why, sizeof why) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && !WEXITSTATUS(status) && keep_build(id, sizeof id);
}

static void test_found_again(void **state)
{
    char path[512];
    (void)state;
    if (!possible())
        skip();
    assert_int_equal(entries(path), 0);
    assert_int_equal(process(TIER_FORCE, false), NO_CODE);
    assert_int_equal(process(TIER_FORCE, true), 0);
    assert_int_equal(entries(path), 1);
    assert_int_equal(process(TIER_FORCE, false), 0);
    assert_int_equal(process(TIER_AUTO, false), 0);
    assert_int_equal(process(TIER_MIXED, false), NO_CODE); /* other code */
    assert_int_equal(process(TIER_MIXED, true), 0);
    assert_int_equal(entries(path), 2);
    assert_int_equal(process(TIER_MIXED, false), 0);
}

/* Damage of the file that the header tells. */
static void test_damaged(void **state)
{
    char path[512];
    (void)state;
    if (!possible())
        skip();
    while (entries(path))
        assert_int_equal(unlink(path), 0);
    assert_int_equal(process(TIER_FORCE, true), 0);
    assert_int_equal(entries(path), 1);
    const int fd = open(path, O_RDWR);
    const u8 byte = 0x5a;
    assert_int_equal(pwrite(fd, &byte, 1, 200), 1);
    close(fd);
    assert_int_equal(process(TIER_FORCE, false), NO_CODE);
    assert_int_equal(process(TIER_FORCE, true), 0);
    assert_int_equal(process(TIER_FORCE, false), 0);
}

/* Unpacks the first `cut` bytes, with this number all ones. */
static bool unpack(struct tier_code *got, const u8 *all, size_t n, size_t cut, u32 word)
{
    const u8 *object;
    size_t len;
    u8 *const copy = calloc(1, n + 8);
    assert_non_null(copy);
    memcpy(copy, all, n);
    if (word < n / 8)
        memset(copy + 8 * (size_t)word, 0xff, 8);
    got->mem.name = "test";
    if (setjmp(got->mem.oom))
        fail_msg("memory for nonsense");
    const bool good = keep_unpack(got, copy, cut, &object, &len);
    if (good)
        assert_true(object + len == copy + cut);
    free(copy);
    return good;
}

/* Bytes that are whole and yet no entry: of any length, and with any number changed. */
static void test_nonsense(void **state)
{
    struct bench b;
    u8 object[40] = {1, 2, 3};
    static const i64 offset[IR_LANES] = {0, -4, 17};
    struct tier_cell cells[] = {{128, CELL_32, {.kind = SHAPE_OFFSETS, .root = 3, .offset = offset}},
                                {0, CELL_64, {.kind = SHAPE_UNIFORM, .known = true, .value = -4}}};
    struct tier_state states[] = {{0, 0, NULL}, {3, 2, cells}};
    struct tier_body bodies[] = {{2, 4}};
    size_t n;
    (void)state;
    bench_open(&b, text);
    assert_non_null(exec_module_kernel(b.module, "k"));
    const struct exec_func *f = &b.module->funcs[0];
    const struct tier_code c = {
        .f = f, .states = states, .nstates = 2, .nentries = 1, .body_list = bodies, .nbodies = 1, .needs_frame = true};
    u8 *const all = keep_pack(&c, object, sizeof object, &n);
    assert_non_null(all);
    for (size_t cut = 0; cut <= n + 8; cut++) {
        struct tier_code got = {.f = f};
        if (unpack(&got, all, n, cut, UINT32_MAX) != (cut == n))
            fail_msg("%zu of %zu bytes", cut, n);
        if (cut == n) {
            assert_int_equal(got.nstates, 2);
            assert_int_equal(got.states[1].cells[1].s.value, -4);
            assert_int_equal(got.states[1].cells[0].s.root, 3);
            assert_memory_equal(got.states[1].cells[0].s.offset, offset, sizeof offset);
            assert_int_equal(got.body_list[0].end, 4);
        }
        arena_free(&got.mem);
    }
    for (u32 word = 0; word < (n - sizeof object) / 8; word++) {
        struct tier_code got = {.f = f};
        if (unpack(&got, all, n, n, word)) { /* one whose value may be any */
            const struct tier_cell *at = got.states[1].cells;
            bool any = at[0].s.value == -1 || at[1].s.value == -1;
            for (u32 k = 0; k < IR_LANES; k++)
                any |= at[0].s.offset[k] == -1;
            assert_true(any);
        }
        arena_free(&got.mem);
    }
    free(all);
    bench_close(&b);
}

static int set_up(void **state)
{
    struct bench b;
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    snprintf(cache.folder, sizeof cache.folder, "%s", folder);
    cache.limit = 1 << 20;
    bench_open(&b, text);
    b.device.tier = TIER_OFF;
    u32 *out = bench_alloc(&b, sizeof want);
    launch(&b, out, BLOCKS);
    memcpy(want, out, sizeof want);
    bench_close(&b);
    return 0;
}

static int tear_down(void **state)
{
    char path[512];
    (void)state;
    while (entries(path) && !unlink(path))
        ;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_again),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests_name("exec_tier_keep", tests, set_up, tear_down);
}
