/* test_print.c - the printer: parse(print(m)) prints identically, on compilers' output and on odd syntax. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "helper.h"

static void round_trip(const char *text, size_t len, const char *name)
{
    char *said;
    struct ptx_module *m = parse_text(text, len, name, &said);
    if (!m)
        print_error("%s", said);
    assert_non_null(m);
    ls_free(said);
    char *once = ptx_print(m);
    assert_non_null(once);
    struct ptx_module *again = parse_text(once, strlen(once), "printed", &said);
    if (!again)
        print_error("%s", said);
    assert_non_null(again);
    char *twice = ptx_print(again);
    assert_string_equal(once, twice);
    assert_int_equal(m->nfuncs, again->nfuncs);
    assert_int_equal(m->nvars, again->nvars);
    for (u32 i = 0; i < m->nfuncs; i++) {
        assert_int_equal(m->funcs[i]->ninsts, again->funcs[i]->ninsts);
        assert_int_equal(m->funcs[i]->nregs, again->funcs[i]->nregs);
        assert_int_equal(m->funcs[i]->param_bytes, again->funcs[i]->param_bytes);
    }
    ls_free(said);
    ls_free(once);
    ls_free(twice);
    ptx_free(m);
    ptx_free(again);
}

static void compilers_output(void **state)
{
    (void)state;
    static const char folder[] = "tests/unit/ptx/data";
    unsigned n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".ptx") != 0)
            continue;
        char path[512];
        size_t len;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        char *text = read_file(path, &len);
        round_trip(text, len, e->d_name);
        ls_free(text);
        n++;
    }
    closedir(d);
    assert_true(n >= 5);
}

static void odd_syntax(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.7\n.target sm_90a, debug\n.address_size 64\n"
        ".extern .global .u64 later;\n.global .u64 first = later+8;\n.global .u64 later = first;\n"
        ".weak .global .align 8 .b8 bytes[12] = {1, 2, 0xFF(first), 0xFF00(first+4), 5};\n"
        ".const .f32 table[2][3] = {{1.0, 2}, {0f40000000, -1.5}};\n.global .v4 .f32 v = {1.0, 2.0, 3.0, 4.0};\n"
        ".global .attribute(.managed) .u32 managed;\n.common .global .u32 shared_by_all;\n"
        ".extern .shared .align 16 .b8 dyn[];\n"
        ".extern .func (.param .b32 r) ext(.param .b64 a, .param .align 8 .b8 s[24]) .noreturn;\n"
        ".weak .func loop(.param .b32 x);\n.func other(.param .b32 x);\n.global .u64 fp = loop;\n.global .u64 gp = "
        "generic(bytes)+3;\n"
        ".weak .func loop(.param .b32 x) { .reg .b32 a; ld.param.b32 a, [x]; { .reg .b32 a; mov.b32 a, 1; bra L; L: }\n"
        "  { .reg .b64 a; mov.b64 a, 2; bra L; L: } mov.b32 a, a; ret; }\n"
        ".alias other, loop;\n"
        ".visible .entry k(.param .u32 n, .param .u64 .ptr .global .align 16 p, .param .align 4 .b8 s[9])\n"
        ".maxntid 128, 2\n.minnctapersm 2\n.maxnreg 64\n.reqnctapercluster 2, 1, 1\n{\n"
        ".reg .pred p<4>; .reg .v4 .f32 %v; .reg .b32 %r<31186>; .reg .b64 %rd<8>; .local .align 8 .b8 stack[64];\n"
        ".shared .u32 tile[32][33]; .pragma \"nounroll\"; .loc 1 5 3\n"
        "@!p1 ld.global.v4.f32 %v, [%rd1+-4]; mov.f32 %v.x, %v.y; mov.u64 %rd2, stack+8; mov.u64 %rd3, loop;\n"
        "setp.lt.and.s32 p1|p2, %r31185, -1, !p3; mov.b64 {%r1, _}, %rd1; st.shared.u32 [tile+132], 0xffffffffU;\n"
        "ts: .branchtargets A, B; proto: .callprototype (.param .b32 _) _ (.param .b64 _); tgt: .calltargets loop, "
        "other;\n"
        "{ .param .b64 a; .param .b32 r; st.param.b64 [a], %rd1; call (r), %rd3, (a), proto; ld.param.b32 %r2, [r]; }\n"
        "{ .param .b32 a; call %rd3, (a), tgt; call.uni loop, (a); }\n"
        "A: brx.idx %r1, ts;\nB: vadd.s32.u32.s32.sat %r1.h0, %r2.b3, %r3, %r4; ld.global.u32 %r5, [%rd1].unified;\n"
        "tex.2d.v4.f32.s32 {%r1, %r2, %r3, %r4}|p1, [%rd1, {%r1, %r2}]; mov.f64 %rd5, 0d3FF8000000000000;\n"
        "/* a comment */ mov.u32 %r6, %ctaid.y; // another\n"
        ".loc 1 7 1, function_name $n, inlined_at 1 5 3\n mov.u32 %r6, WARP_SZ; ret;\n}\n"
        ".file 1 \"a b.cu\", 123, 456\n.section .debug_str { $n: .b8 102,111,111,0 }\n.section .debug_info { .b32 $n "
        "}\n";
    round_trip(text, sizeof(text) - 1, "odd");
    round_trip(text, sizeof(text) + 0, "with a trailing NUL");
}

static void one_instruction(void **state)
{
    (void)state;
    struct ptx_module *m = must_parse(
        ".version 9.0\n.target sm_90\n.visible .entry k() { .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
        "@!%p1 add.s32 %r1 , %r2,-7; ld.global.ca.u32 %r1,[%rd1 + 4]; add.f32.ftz.rn %r1, %r2, 0f3f800000; }");
    static const char *const want[] = {"@!%p1 add.s32 %r1, %r2, -7;", "ld.global.ca.u32 %r1, [%rd1+4];",
                                       "add.rn.ftz.f32 %r1, %r2, 0f3F800000;"};
    const struct ptx_func *f = ptx_find_func(m, "k");
    char buf[64];
    for (u32 i = 0; i < 3; i++) {
        ptx_print_inst(&f->insts[i], buf, sizeof(buf));
        assert_string_equal(buf, want[i]);
        for (size_t size = 0; size < 40; size++) { /* cut off, never over */
            memset(buf, 'x', sizeof(buf));
            ptx_print_inst(&f->insts[i], buf, size);
            assert_int_equal(buf[size], 'x');
            if (size)
                assert_memory_equal(buf, want[i], strlen(buf));
            if (size && size <= strlen(want[i]))
                assert_int_equal(strlen(buf), size - 1);
        }
    }
    ptx_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compilers_output),
        cmocka_unit_test(odd_syntax),
        cmocka_unit_test(one_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
