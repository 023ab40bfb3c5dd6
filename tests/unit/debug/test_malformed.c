/* test_malformed.c - sections that are wrong: the symbols are those without them, and it is said why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n.file 1 \"k.cu\"\n"

static struct rig rig;

static void expect(const char *section, const char *said)
{
    char text[1024];
    snprintf(text, sizeof text, HEAD "%s", section);
    rig_open_text(&rig, text);
    char *all = diag_text(&rig.diags);
    if (said) {
        assert_false(debug_info_has_variables(rig.info));
        assert_non_null(strstr(all, said));
    }
    u32 n;
    debug_functions(rig.info, &n);
    assert_int_equal(n, 1);
    free(all);
    rig_close(&rig);
}

static void sections(void **state)
{
    (void)state;
    expect(".section .debug_info { .b8 1, 2, }", "expected a number or a name");
    expect(".section .debug_info { .b8 300 }", "the number does not fit");
    expect(".section .debug_info { .b8 99999999999999999999999 }", "the number is too large");
    expect(".section .debug_info { .b12 1 }", "expected '.b8', '.b16', '.b32', '.b64' or a label");
    expect(".section .debug_info { .b64 a-b-c }", "expected a number");
    expect(".section .debug_info { .b8 1, 2, 3 }", NULL);
    expect(".section .debug_info { .b32 4294967295 .b8 2, 0 .b32 .debug_abbrev .b8 8, 1 }", NULL);
    expect(".section .debug_info { .b32 8 .b8 2, 0 .b32 .debug_abbrev+1000 .b8 8, 1 } .section .debug_abbrev { .b8 1 }",
           NULL);
    expect(".section .debug_abbrev { .b8 1, 17, 0, 0, 0, 0 }", NULL);
}

/* The first digit of every byte changed in turn, everything asked: nothing may crash. */
static void ask_everything(struct rig *r)
{
    u32 n;
    const struct debug_variable *v;
    const struct debug_function *f = debug_functions(r->info, &n);
    for (u32 k = 0; k < n; k++) {
        const struct debug_place at = {f[k].func, f[k].func->ninsts / 2};
        struct debug_frame frames[DEBUG_FRAMES];
        const u32 nframes = debug_frames(r->info, at, frames);
        for (u32 i = 0; i < nframes; i++) {
            const u32 nv = debug_variables(r->info, at, i, &v);
            r->c.at = at;
            r->c.frame = i;
            for (u32 j = 0; j < nv; j++) {
                debug_type_name(r->info, v[j].type);
                debug_value_text(&r->c, debug_value_of(&r->c, &v[j]), NULL);
            }
        }
    }
    debug_type_find(r->info, "Point");
    const u32 ng = debug_globals(r->info, &v);
    for (u32 j = 0; j < ng; j++)
        debug_value_text(&r->c, debug_value_of(&r->c, &v[j]), NULL);
}

static void damaged(void **state)
{
    static char text[1 << 17];
    (void)state;
    FILE *f = fopen("tests/unit/debug/ptx/nvcc-G.ptx", "rb");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    u32 changed = 0;
    char *sections = strstr(text, ".section");
    assert_non_null(sections);
    for (char *at = sections; (at = strstr(at, ".b8 ")) != NULL; at += 4) {
        const char old = at[4];
        changed++;
        at[4] = old == '1' ? '2' : '1';
        rig_open_text(&rig, text);
        ask_everything(&rig);
        rig_close(&rig);
        at[4] = old;
    }
    assert_true(changed > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sections), cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
