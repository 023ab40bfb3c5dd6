/* initcheck on what compilers make of init_kernels.cu: argv[1] is the PTX, argv[2] "optimised" or "debug". An optimiser
 * may take a variable without a value for whatever suits it, so what must be found there is less. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

static char *ptx;
static bool debug;

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *s = calloc(1, 1 << 20);
    if (!f || !s || !fread(s, 1, (1 << 20) - 1, f)) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    fclose(f);
    return s;
}

static void run(struct rig *r, const char *kernel, u64 n)
{
    const u64 out = rig_alloc(r, 4096), in = rig_alloc(r, 128);
    for (u32 k = 0; k < 32; k++)
        ((u32 *)(uintptr_t)in)[k] = k;
    check_host_wrote(r->check, in, 128, 0, NULL);
    rig_forget(r);
    rig_run(r, &(struct run){.kernel = kernel, .grid = 2, .block = 32, .params = {out, in, n}});
    if (r->status && r->status != LS_ERR_UNSUPPORTED)
        rig_none(r); /* says why */
}

static void is_silent(const char *kernel, u64 n)
{
    struct rig r;
    rig_open(&r, ptx, CHECK_INITCHECK, NULL);
    run(&r, kernel, n);
    if (r.nfound)
        print_message("%s:\n", kernel);
    if (r.status == LS_ERR_UNSUPPORTED) /* arguments of functions through registers, as clang -O0 makes them */
        print_message("%s cannot run\n", kernel);
    else
        rig_none(&r);
    rig_close(&r);
}

/* One of two kinds: where a variable lives is the compiler's choice. */
static void finds(const char *kernel, u64 n, enum finding_kind kind, enum finding_kind other, u64 threads)
{
    struct rig r;
    rig_open(&r, ptx, CHECK_INITCHECK, NULL);
    run(&r, kernel, n);
    const struct finding *f = rig_find(&r, kind) ? rig_find(&r, kind) : rig_find(&r, other);
    if (!f)
        fail_msg("%s: no %s", kernel, finding_info(kind)->name);
    assert_int_equal(f->threads % threads, 0);
    assert_string_equal(f->at.kernel, kernel);
    assert_true(f->at.ptx_line > 0);
    rig_close(&r);
}

static void test_silent(void **state)
{
    (void)state;
    is_silent("twice_if", 16);
    is_silent("last_seen", 32);
    is_silent("unused", 7);
    is_silent("choose", 20);
}

static void test_copies(void **state)
{
    (void)state;
    is_silent("copy_padded", 2);
    is_silent("copy_union", 1);
    is_silent("pass_some", 3);
    is_silent("pass_some", 0);
}

static void test_variables(void **state)
{
    (void)state;
    finds("sum_without_start", 8, FINDING_UNINIT_REGISTER, FINDING_UNINIT_LOCAL, 32);
    if (debug)
        finds("set_by_some", 5, FINDING_UNINIT_REGISTER, FINDING_UNINIT_LOCAL, 32);
}

static void test_arrays(void **state)
{
    (void)state;
    finds("half_an_array", 6, FINDING_UNINIT_LOCAL, FINDING_UNINIT_REGISTER, 32);
    is_silent("half_an_array", 3);
    finds("half_a_tile", 8, FINDING_UNINIT_SHARED, FINDING_UNINIT_SHARED, 8);
    is_silent("half_a_tile", 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silent),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_arrays),
    };
    if (argc != 3)
        return 2;
    ptx = read_file(argv[1]);
    debug = !strcmp(argv[2], "debug");
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(ptx);
    return failed;
}
