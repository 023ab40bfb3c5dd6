/* test_ptxas.c - registers from ptxas: from a stand-in that prints what ptxas prints, and from the real one where it is
 * installed (a kernel that must keep 64 values alive cannot have fewer registers). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "meter/rules.h"

static struct ptxas with = {.tmp = "/tmp"};

static u32 registers_of(const char *ptx, size_t len, u32 sm, const char *kernel)
{
    const struct sass_func *code;
    return ptxas_ask(&with, ptx, len, sm, kernel, &code);
}

/* A program that prints `said` on stderr and ends with that status, which is asked from now on. */
static void use_stand_in(char *path, const char *said, int status)
{
    strcpy(path, "/tmp/lockstep-ptxas-XXXXXX");
    const int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "#!/bin/sh\ncat >&2 <<'END'\n%s\nEND\nexit %d\n", said, status);
    fclose(f);
    chmod(path, 0755);
    with.program = path;
}

static const char said[] = "ptxas info    : 0 bytes gmem\n"
                           "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
                           "ptxas info    : Function properties for first\n"
                           "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                           "ptxas info    : Used 22 registers, used 1 barriers\n"
                           "ptxas info    : Compiling entry function 'second' for 'sm_90'\n"
                           "ptxas info    : Used 168 registers\n"
                           "ptxas info    : Compiling entry function 'third' for 'sm_90'\n";

static void a_kernels_own_line_is_read(void **state)
{
    (void)state;
    char path[64];
    use_stand_in(path, said, 0);
    assert_int_equal(registers_of("text 1", 6, 90, "first"), 22);
    assert_int_equal(registers_of("text 1", 6, 90, "second"), 168);
    assert_int_equal(registers_of("text 1", 6, 90, "third"), 0);
    assert_int_equal(registers_of("text 1", 6, 90, "fir"), 0);
    unlink(path);
    assert_int_equal(registers_of("text 1", 6, 90, "first"), 22); /* remembered */
    assert_int_equal(registers_of("text 1", 6, 80, "first"), 0);  /* another architecture: asked again, gone */
}

static void a_failing_ptxas_is_no_answer(void **state)
{
    (void)state;
    char path[64];
    use_stand_in(path, said, 3);
    assert_int_equal(registers_of("text 2", 6, 90, "first"), 0);
    unlink(path);
    with.program = "/nonexistent/ptxas";
    assert_int_equal(registers_of("text 3", 6, 90, "first"), 0);
}

static void it_can_be_switched_off(void **state)
{
    (void)state;
    with.program = NULL;
    assert_int_equal(registers_of("text 1", 6, 90, "first"), 0);
}

static void the_real_one_counts_what_must_live(void **state)
{
    (void)state;
    static char ptx[32768];
    if (system("ptxas --version > /dev/null 2>&1"))
        skip();
    with.program = "ptxas";
    /* 64 loads, then their sum from the last to the first: all are alive between */
    size_t n =
        (size_t)sprintf(ptx, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry many(.param .u64 p)\n{\n"
                             ".reg .b64 %%rd<3>;\n.reg .b32 %%r<70>;\nld.param.u64 %%rd1, [p];\n"
                             "cvta.to.global.u64 %%rd2, %%rd1;\n");
    for (int i = 0; i < 64; i++)
        n += (size_t)sprintf(ptx + n, "ld.volatile.global.u32 %%r%d, [%%rd2+%d];\n", i, 4 * i);
    for (int i = 63; i >= 0; i--)
        n += (size_t)sprintf(ptx + n, "st.volatile.global.u32 [%%rd2+%d], %%r%d;\n", 512 + 4 * i, i);
    n += (size_t)sprintf(ptx + n, "ret;\n}\n");
    const u32 registers = registers_of(ptx, n, 90, "many");
    assert_in_range(registers, 64, 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernels_own_line_is_read),
        cmocka_unit_test(a_failing_ptxas_is_no_answer),
        cmocka_unit_test(it_can_be_switched_off),
        cmocka_unit_test(the_real_one_counts_what_must_live),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
