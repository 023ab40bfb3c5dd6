/* test_accept.c - what NVIDIA's assembler takes and refuses, one instruction a line (data/accept.txt, data/reject.txt).
 *
 * The lists are hand-written; each line was put into the module below and given to ptxas 13.0. Lines that begin with
 * !target were assembled for that target, which changes nothing here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "helper.h"

static const char head[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".shared .align 16 .b8 sm[64]; .global .align 16 .b8 gv[64]; .const .align 4 .b8 cv[64];\n"
    ".visible .entry k(.param .u64 p)\n{ .reg .pred %p<9>; .reg .b16 %h<9>; .reg .u16 %u<9>; .reg .b32 %r<9>;\n"
    ".reg .u32 %ru<9>; .reg .s32 %s<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b64 %rd<9>; .reg .u64 %ud<9>;\n"
    ".reg .f16 %hf<9>; .reg .f16x2 %hh<9>; .reg .b8 %c<9>; .reg .b128 %q<4>; .reg .u8 %uc<9>;\n";

static bool takes(const char *line, char **said)
{
    char text[4096];
    if (*line == '!')
        line = strchr(line, ' ') + 1;
    const int n = snprintf(text, sizeof(text), "%s%s\nret; }\n", head, line);
    assert_true(n < (int)sizeof(text));
    struct ptx_module *m = parse_text(text, (size_t)n, "line", said);
    const bool ok = m != NULL;
    ptx_free(m);
    return ok;
}

/* Returns the number of lines; every one must be taken, or refused. */
static unsigned check(const char *path, bool want)
{
    size_t len;
    unsigned lines = 0, wrong = 0;
    char *text = read_file(path, &len);
    assert_non_null(text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *said;
        if (*line == '#')
            continue;
        lines++;
        if (takes(line, &said) != want) {
            print_error("%s: %s\n%s", want ? "refused" : "taken", line, said);
            wrong++;
        }
        ls_free(said);
    }
    ls_free(text);
    assert_int_equal(wrong, 0);
    return lines;
}

static void what_ptxas_takes(void **state)
{
    (void)state;
    assert_true(check("tests/unit/ptx/data/accept.txt", true) > 350);
}

static void what_ptxas_refuses(void **state)
{
    (void)state;
    assert_true(check("tests/unit/ptx/data/reject.txt", false) > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ptxas_takes),
        cmocka_unit_test(what_ptxas_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
