/* test_tier_when.c - when a kernel is compiled: not in a program that is short, which does not even load LLVM; in one that
 * runs long; and for another size of block not before that has run long, too. Each test is in a child, which has no LLVM yet. */
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
#include "exec/module.h"
#include "exec/tier/code.h"
#include "exec/tier/llvm.h"

enum { BLOCKS = 8, THREADS = 64, MOST_LAUNCHES = 200000, ROUNDS = 2000 };

/* out[thread] = what n steps of a generator make of the thread's number. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
    "    .reg .b64 %p;\n    .reg .b32 %t, %u, %s, %i, %n;\n    .reg .pred %c;\n"
    "    ld.param.u64 %p, [out];\n    ld.param.u32 %n, [n];\n    mov.u32 %t, %tid.x;\n"
    "    mov.u32 %u, %ctaid.x;\n    mov.u32 %i, %ntid.x;\n    mad.lo.u32 %u, %u, %i, %t;\n"
    "    mad.wide.u32 %p, %u, 4, %p;\n    mov.u32 %s, %u;\n    mov.u32 %i, 0;\n"
    "AGAIN:\n    mad.lo.u32 %s, %s, 1664525, 1013904223;\n    add.u32 %i, %i, 1;\n"
    "    setp.lt.u32 %c, %i, %n;\n    @%c bra AGAIN;\n    st.global.u32 [%p], %s;\n    ret;\n}\n";

static u32 after(u32 x)
{
    for (u32 k = 0; k < ROUNDS; k++)
        x = x * 1664525 + 1013904223;
    return x;
}

/* Whether the process has a libLLVM. */
static bool has_llvm(void)
{
    char line[512];
    bool has = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        has |= strstr(line, "libLLVM") != NULL;
    if (maps)
        fclose(maps);
    return has;
}

/* What a child returns. */
enum { WELL, WRONG, LLVM_LOADED, LLVM_NOT_LOADED, NOT_COMPILED, TOO_EARLY, NO_LLVM };

struct job {
    struct bench b;
    u32 *out;
};

static void begin(struct job *j, u8 tier)
{
    bench_open(&j->b, text);
    j->b.device.tier = tier;
    j->out = bench_alloc(&j->b, sizeof *j->out * BLOCKS * THREADS);
}

static bool launch(struct job *j, u32 block)
{
    const u32 last = BLOCKS * block - 1;
    j->out[last] = 0;
    bench_run_ok(
        &j->b,
        &(struct run){
            .kernel = "k", .grid = BLOCKS, .block = block, .params = {(u64)(uintptr_t)j->out, ROUNDS}, .workers = 1});
    return j->out[last] == after(last);
}

/* Of the code for such blocks; TIER_COLD, too, if nobody has looked for it. */
static u32 phase_of(const struct job *j, u32 block)
{
    for (struct tier_code *c = atomic_load(&j->b.module->funcs[0].codes); c; c = c->next)
        if (c->block[0] == block)
            return atomic_load(&c->phase);
    return TIER_COLD;
}

static bool settled(const struct job *j, u32 block)
{
    const u32 phase = phase_of(j, block);
    return phase == TIER_READY || phase == TIER_FAILED;
}

/* Some launches, a few milliseconds together; forced, the first would load it. */
static int run_short(u8 tier)
{
    struct job j;
    begin(&j, tier);
    for (u32 k = 0; k < 5; k++)
        if (!launch(&j, THREADS))
            return WRONG;
    return has_llvm() ? LLVM_LOADED : LLVM_NOT_LOADED;
}

static int run_long(u8 tier)
{
    struct job j;
    begin(&j, tier);
    for (u32 k = 0; k < MOST_LAUNCHES && !settled(&j, THREADS); k++)
        if (!launch(&j, THREADS))
            return WRONG;
    if (phase_of(&j, THREADS) != TIER_READY)
        return NOT_COMPILED;
    /* the kernel's time is spent: blocks of another size begin with none, and have it when they have run as long */
    for (u32 k = 0; k < 5; k++)
        if (!launch(&j, THREADS / 2))
            return WRONG;
    if (phase_of(&j, THREADS / 2) != TIER_COLD)
        return TOO_EARLY;
    for (u32 k = 0; k < MOST_LAUNCHES && !settled(&j, THREADS / 2); k++)
        if (!launch(&j, THREADS / 2))
            return WRONG;
    return phase_of(&j, THREADS / 2) == TIER_READY ? WELL : NOT_COMPILED;
}

static int load(u8 tier)
{
    char why[LLVM_WHY];
    (void)tier;
    return llvm_load(why, sizeof why) ? WELL : NO_LLVM;
}

static int in_child(int (*run)(u8), u8 tier)
{
    int status;
    const pid_t child = fork();
    if (!child)
        _exit(run(tier));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_short(void **state)
{
    (void)state;
    assert_int_equal(in_child(run_short, TIER_AUTO), LLVM_NOT_LOADED);
    if (in_child(load, TIER_AUTO) == WELL)
        assert_int_equal(in_child(run_short, TIER_FORCE), LLVM_LOADED);
}

static void test_long(void **state)
{
    (void)state;
    if (in_child(load, TIER_AUTO) != WELL)
        skip();
    assert_int_equal(in_child(run_long, TIER_AUTO), WELL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests_name("exec_tier_when", tests, NULL, NULL);
}
