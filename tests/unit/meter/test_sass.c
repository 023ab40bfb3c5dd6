/* test_sass.c - what ptxas makes of instructions: the line table from bytes written here by hand, and, where a ptxas is
 * installed, probes whose machine code is known: what each line became and how often it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "meter/rules.h"

/* ---- the line table ---- */

struct row {
    u32 section;
    u64 address;
    u32 line;
};

static struct row rows[16];
static u32 nrows;

static void take(void *ctx, u32 section, u64 address, u32 line)
{
    (void)ctx;
    if (nrows < 16)
        rows[nrows++] = (struct row){section, address, line};
}

/* DWARF 2: unit length, version 2, header length, minimum instruction length 1, is_stmt, line base -5, range 14, opcode
 * base 10, nine lengths, no folders, no files; then the program. */
#define HEADER(bytes) (bytes) + 22, 0, 0, 0, 2, 0, 16, 0, 0, 0, 1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0

/* line 25 at 0; special opcode 10 + 14 * 16 + 5 would be 16 bytes on: here by advance_pc 16 and special opcode 15 + 3. */
static const u8 table[] = {HEADER(27), 0,    9,          2,  0, 0, 0, 0, 0, 0, 0, 0, /* set_address */
                           3,          24,   1,                                      /* line + 24, row */
                           2,          16,   10 + 5 + 3,                             /* 16 bytes on, line + 3 */
                           3,          0x7d, 2,          16, 1,                      /* line - 3, 16 bytes on */
                           2,          16,   0,          1,  1};                     /* end of sequence */

static void rows_are_read(void **state)
{
    (void)state;
    const struct sass_origin origin = {.at = 29, .section = 7};
    nrows = 0;
    assert_true(sass_lines(table, sizeof table, &origin, 1, take, NULL));
    assert_int_equal(nrows, 3);
    static const struct row want[] = {{7, 0, 25}, {7, 16, 28}, {7, 32, 25}};
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(rows[i].section, want[i].section);
        assert_int_equal(rows[i].address, want[i].address);
        assert_int_equal(rows[i].line, want[i].line);
    }
}

/* Every cut and every changed byte ends without harm. */
static void damaged_tables_are_refused(void **state)
{
    (void)state;
    for (size_t n = 1; n < sizeof table; n++)
        assert_false(sass_lines(table, n, NULL, 0, take, NULL));
    for (size_t at = 0; at < sizeof table; at++) {
        u8 bad[sizeof table];
        memcpy(bad, table, sizeof table);
        bad[at] ^= 0xff;
        sass_lines(bad, sizeof bad, NULL, 0, take, NULL);
    }
}

static void what_is_no_cubin_is_refused(void **state)
{
    (void)state;
    struct arena mem = ARENA("test");
    assert_int_equal(setjmp(mem.oom), 0);
    assert_null(sass_read(&mem, "no elf", 6));
    assert_null(sass_read(&mem, "\177ELF", 4));
    arena_free(&mem);
}

/* ---- what the installed ptxas makes ---- */

static struct ptxas with = {.program = "ptxas", .tmp = "/tmp"};

static const struct sass_func *code_of(const char *ptx, size_t len, u32 sm, const char *kernel)
{
    const struct sass_func *code;
    ptxas_ask(&with, ptx, len, sm, kernel, &code);
    return code;
}

static const char probe[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                            ".visible .entry k(.param .u64 p)\n{\n"
                            ".reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<3>; .shared .align 16 .b8 s[2048];\n"
                            "ld.param.u64 %rd1, [p];\n"                 /* 7 */
                            "mov.u32 %r1, %tid.x;\n"                    /* 8 */
                            "shl.b32 %r2, %r1, 4;\n"                    /* 9 */
                            "mov.u32 %r3, s;\n"                         /* 10 */
                            "add.s32 %r4, %r3, %r2;\n"                  /* 11 */
                            "st.shared.u32 [%r4], %r1;\n"               /* 12 */
                            "bar.sync 0;\n"                             /* 13 */
                            "ld.shared.u32 %r5, [%r4];\n"               /* 14 */
                            "ld.shared.u32 %r6, [%r4+4];\n"             /* 15: one LDS.64 with the one before */
                            "add.s32 %r7, %r5, %r6;\n"                  /* 16 */
                            "shfl.sync.bfly.b32 %r8, %r7, 1, 31, -1;\n" /* 17 */
                            "mul.wide.u32 %rd2, %r1, 4;\n"              /* 18 */
                            "add.s64 %rd3, %rd1, %rd2;\n"               /* 19 */
                            "st.global.u32 [%rd3], %r8;\n"              /* 20 */
                            "setp.gt.u32 %p1, %r8, 77;\n"               /* 21 */
                            "@%p1 bra OUT;\n"                           /* 22: predicates the next */
                            "st.global.u32 [%rd3+4], %r7;\n"            /* 23 */
                            "OUT: ret;\n}\n";                           /* 24 */

static u32 count(const struct sass_func *f, u32 line, enum sass_op op, u32 *bytes)
{
    u32 n = 0;
    for (u32 i = 0; i < f->n; i++)
        if (f->insts[i].line == line && f->insts[i].op == op) {
            n++;
            *bytes = f->insts[i].bytes;
        }
    return n;
}

static void ptxas_is_understood(void **state)
{
    (void)state;
    static const u32 targets[] = {75, 80, 86, 89, 90, 100, 120};
    u32 asked = 0, bytes = 0;
    for (u32 t = 0; t < LS_ARRAY_LEN(targets); t++) {
        const struct sass_func *f = code_of(probe, sizeof probe - 1, targets[t], "k");
        if (!f)
            continue; /* no ptxas, or it does not know this GPU */
        asked++;
        assert_int_equal(count(f, 12, SASS_STS, &bytes), 1);
        assert_int_equal(bytes, 4);
        assert_int_equal(count(f, 13, SASS_BAR, &bytes), 1);
        assert_int_equal(count(f, 14, SASS_LDS, &bytes) + count(f, 15, SASS_LDS, &bytes), 1);
        assert_int_equal(bytes, 8);
        assert_int_equal(count(f, 17, SASS_SHFL, &bytes), 1);
        assert_int_equal(count(f, 20, SASS_STG, &bytes), 1);
        assert_int_equal(count(f, 23, SASS_STG, &bytes), 1);
        assert_int_equal(count(f, 22, SASS_BRA, &bytes), 0);
    }
    if (!asked) {
        print_message("no ptxas answered\n");
        skip();
    }
    assert_null(code_of(probe, sizeof probe - 1, 90, "another"));
    assert_null(code_of("no PTX", 6, 90, "k"));
}

static void without_ptxas_there_is_no_answer(void **state)
{
    (void)state;
    with.program = NULL;
    assert_null(code_of(probe, sizeof probe - 1, 90, "k"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_read),
        cmocka_unit_test(damaged_tables_are_refused),
        cmocka_unit_test(what_is_no_cubin_is_refused),
        cmocka_unit_test(ptxas_is_understood),
        cmocka_unit_test(without_ptxas_there_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
