/* test_disassemble.c - the words of machine instructions: from the two forms in which NVIDIA's disassemblers write them, from programs
 * that stand beside ptxas or do not, and what is said without one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meter/rules.h"

/* LDG.64 R4; @!P0 BRA back to the first; an opcode that no table has; EXIT. */
static struct sass_inst insts[] = {
    {.low = 0x0000000604047981, .op = SASS_LDG, .bytes = 8, .target = -1},
    {.low = 0xfffffffc00e88947, .op = SASS_BRA, .guarded = true, .target = 0},
    {.low = 0x00000000000071ff, .target = -1},
    {.low = 0x000000000000794d, .op = SASS_EXIT, .target = -1},
};

static struct sass_func func;
static struct sass code;

static void begin(void)
{
    func = (struct sass_func){.name = "_Z4copyPf", .insts = insts, .n = LS_ARRAY_LEN(insts)};
    code = (struct sass){.funcs = &func, .n = 1};
}

static const char nvdisasm[] = "\t.target\tsm_90\n"
                               "//--------------------- .text._Z4copyPf          --------------------------\n"
                               "\t.section\t.text._Z4copyPf,\"ax\",@progbits\n"
                               "_Z4copyPf:\n"
                               ".text._Z4copyPf:\n"
                               ".L_x_7:\n"
                               "        /*0000*/                   LDG.E.64 R4, desc[UR4][R4.64] ;\n"
                               "        /*0010*/              @!P0 BRA `(.L_x_7) ;\n"
                               ".L_x_8:\n"
                               "        /*0020*/                   CALL.REL.NOINC `(elsewhere) ;\n"
                               "        /*0030*/                   EXIT ;\n"
                               "        /*0040*/                   BRA `(.L_x_8);\n"
                               ".text.other:\n"
                               "        /*0000*/                   NOP;\n";

static const char cuobjdump[] = "\tcode for sm_90\n"
                                "\t\tFunction : other\n"
                                "        /*0000*/                   NOP ;     /* 0x0000000000007918 */\n"
                                "\t\tFunction : _Z4copyPf\n"
                                "        /*0000*/                   LDG.E.64 R4, desc[UR4][R4.64] ;   /* 0x81 */\n"
                                "                                                                     /* 0x00 */\n"
                                "        /*0010*/              @!P0 BRA 0x0 ;                         /* 0x47 */\n"
                                "        /*0030*/                   EXIT ;                            /* 0x4d */\n"
                                "\t\t..........\n";

static void both_forms_are_read(void **state)
{
    (void)state;
    struct arena mem = ARENA("test");
    assert_int_equal(setjmp(mem.oom), 0);
    for (u32 k = 0; k < 2; k++) {
        begin();
        disassembled(&mem, &mem, &code, k ? cuobjdump : nvdisasm, "someone");
        assert_string_equal(func.said_by, "someone");
        assert_string_equal(func.words[0], "LDG.E.64 R4, desc[UR4][R4.64]");
        assert_string_equal(func.words[1], "@!P0 BRA 0x0");
        assert_string_equal(func.words[3], "EXIT");
    }
    assert_null(func.words[2]); /* the second text has none */
    begin();
    disassembled(&mem, &mem, &code, nvdisasm, "someone");
    assert_string_equal(func.words[2], "CALL.REL.NOINC elsewhere");
    arena_free(&mem);
}

static void what_is_no_disassembly_says_nothing(void **state)
{
    (void)state;
    struct arena mem = ARENA("test");
    assert_int_equal(setjmp(mem.oom), 0);
    static const char *const texts[] = {"",
                                        "\n",
                                        " /*",
                                        " /*0000*/",
                                        " /*0000",
                                        "no such option\n",
                                        ".text._Z4copyPf:",
                                        ".text._Z4copyPf:\n /*0008*/ MOV ;\n /*1000*/ MOV ;\n /*zz*/ MOV ;\n /**/ ;"};
    for (u32 k = 0; k < LS_ARRAY_LEN(texts); k++) {
        begin();
        disassembled(&mem, &mem, &code, texts[k], "someone");
        assert_null(func.words);
    }
    for (size_t n = 0; n < sizeof nvdisasm; n++) { /* cut off anywhere */
        char text[sizeof nvdisasm];
        memcpy(text, nvdisasm, n);
        text[n] = 0;
        begin();
        disassembled(&mem, &mem, &code, text, "someone");
    }
    arena_free(&mem);
}

static void without_one_the_opcode_is_said(void **state)
{
    (void)state;
    struct arena mem = ARENA("test");
    assert_int_equal(setjmp(mem.oom), 0);
    begin();
    assert_string_equal(sass_text(&mem, &func, 0, 9), "LDG.64");
    assert_string_equal(sass_text(&mem, &func, 1, 9), "@!P0 BRA 0x0");
    assert_string_equal(sass_text(&mem, &func, 2, 9), "?");
    assert_string_equal(sass_text(&mem, &func, 3, 9), "EXIT");
    arena_free(&mem);
}

/* A program that prints a text and ends with a status. */
static void write_program(const char *folder, const char *name, const char *says, int status)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    fprintf(f, "#!/bin/sh\ncat <<'END'\n%sEND\nexit %d\n", says, status);
    fclose(f);
    chmod(path, 0755);
}

static void remove_program(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void the_one_beside_ptxas_is_asked(void **state)
{
    (void)state;
    struct arena mem = ARENA("test");
    char folder[] = "/tmp/lockstep-sass-XXXXXX", ptxas[128];
    assert_int_equal(setjmp(mem.oom), 0);
    assert_non_null(mkdtemp(folder));
    snprintf(ptxas, sizeof ptxas, "%s/ptxas", folder);
    const struct ptxas with = {.program = ptxas, .tmp = folder, .words = true};
    setenv("PATH", "/usr/bin:/bin", 1); /* no toolkit */

    write_program(folder, "cuobjdump", cuobjdump, 0);
    begin();
    disassemble(&mem, &mem, &code, &with, "x.cubin");
    assert_string_equal(func.said_by, "cuobjdump");

    write_program(folder, "nvdisasm", nvdisasm, 0);
    begin();
    disassemble(&mem, &mem, &code, &with, "x.cubin");
    assert_string_equal(func.said_by, "nvdisasm");

    write_program(folder, "nvdisasm", nvdisasm, 1); /* it fails: the other one is asked */
    begin();
    disassemble(&mem, &mem, &code, &with, "x.cubin");
    assert_string_equal(func.said_by, "cuobjdump");

    remove_program(folder, "nvdisasm");
    remove_program(folder, "cuobjdump");
    begin();
    disassemble(&mem, &mem, &code, &with, "x.cubin");
    assert_null(func.words);
    assert_int_equal(rmdir(folder), 0); /* no file was left */
    arena_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_are_read),
        cmocka_unit_test(what_is_no_disassembly_says_nothing),
        cmocka_unit_test(without_one_the_opcode_is_said),
        cmocka_unit_test(the_one_beside_ptxas_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
