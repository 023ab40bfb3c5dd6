/* test_sass_ops.c - the fields of machine instructions (sass_ops.def, sass_ops.c): words whose meaning is known, and, where a
 * ptxas and a disassembler are installed, the mnemonic of each instruction that ptxas makes of the test programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "meter/sass/sass.h"
#include "model/replay/code.h"
#include "model/replay/sm/unit.h"

/* As a disassembler has them. */
static void known_words(void **state)
{
    (void)state;
    static const struct {
        u64 low;
        const char *name;
        u32 cc_major;
        u8 pipe;
    } words[] = {
        {0x0000000604098981, "LDG", 9, PIPE_LSU},        {0x0000002425257221, "FADD", 9, PIPE_FMA},
        {0x0000000a00057308, "MUFU", 9, PIPE_XU},        {0x0000001a0204723c, "HMMA", 9, PIPE_TENSOR},
        {0x00000000ff007435, "HFMA2", 9, PIPE_FP16_MMA}, {0x0000000502097235, "IADD", 10, PIPE_ALU},
        {0x000000070200798e, "REDG", 9, PIPE_LSU},       {0x000000000006798e, "RED", 8, PIPE_LSU},
        {0x000000000000794d, "EXIT", 9, PIPE_BRANCH},    {0x0000000102027836, "VIADD", 9, PIPE_FMAHEAVY},
    };
    for (u32 k = 0; k < LS_ARRAY_LEN(words); k++) {
        const struct sass_row *row = sass_row_of(words[k].low, words[k].cc_major);
        assert_non_null(row);
        assert_string_equal(row->name, words[k].name);
        assert_int_equal(row->pipe, words[k].pipe);
    }
    assert_null(sass_row_of(0x1ff, 9));
}

/* MUFU of a division for sm_90: 8 cycles, counts up scoreboard 1, waits for 2. */
static void control_words(void **state)
{
    (void)state;
    const struct sass_control c = sass_control_of(0x004e700000001000);
    assert_int_equal(c.stall, 8);
    assert_int_equal(c.write_bar, 1);
    assert_int_equal(c.read_bar, SASS_NO_BAR);
    assert_int_equal(c.wait, 4);
    assert_false(c.yield);
    assert_true(sass_never_runs(0x00000000fffff984)); /* @!PT LDS */
    assert_false(sass_never_runs(0x0000000000007984));
    assert_int_equal(sass_copy_groups(0x000080c00000791a), 3); /* DEPBAR.LE SB0, 0x3 */
    assert_true(sass_reads_constant(0x0000580002027625));      /* IMAD.WIDE.U32 R2, R2, R3, c[0x0][0x160] */
    assert_false(sass_reads_constant(0x0000000405047221));
    u32 bank, at;
    assert_true(sass_constant_at(0x0000580002027625, &bank, &at));
    assert_int_equal(bank, 0);
    assert_int_equal(at, 0x160);
    assert_true(sass_constant_at(0x00c10000ff027b82, &bank, &at)); /* LDC R2, c[0x3][0x400] */
    assert_int_equal(bank, 3);
    assert_int_equal(at, 0x400);
    assert_false(sass_constant_at(0x00c1000004027b82, &bank, &at)); /* LDC R2, c[0x3][R4+0x400] */
}

/* FFMA R5, R2, R5, R4 and DADD R4, R2, R4 with registers kept, FADD with a constant. */
static void registers_read(void **state)
{
    (void)state;
    struct sass_reads r = sass_reads_of(sass_row_of(0x0000000502057223, 9), 0x0000000502057223, 0x0400000000000004);
    assert_memory_equal(r.regs, ((u8[]){2, 5, 4}), 3);
    assert_int_equal(r.reuse, 1);
    assert_int_equal(r.wide, 0);
    r = sass_reads_of(sass_row_of(0x0000000002047229, 9), 0x0000000002047229, 0x0000000000000004);
    assert_memory_equal(r.regs, ((u8[]){2, 255, 4}), 3);
    assert_int_equal(r.wide, 7);
    r = sass_reads_of(sass_row_of(0x0000580002027625, 9), 0x0000580002027625, 0x0000000000000003);
    assert_memory_equal(r.regs, ((u8[]){2, 255, 3}), 3);
    assert_int_equal(r.wide, 4 | REPLAY_WIDE_RESULT);
    r = sass_reads_of(sass_row_of(0x0000580002027a21, 9), 0x0000580002027a21, 0);
    assert_memory_equal(r.regs, ((u8[]){2, 255, 255}), 3);
    assert_true(sass_reads_number(0x000100050000751d)); /* BAR.SYNC R5, 0x40 */
    assert_false(sass_reads_number(0x0000000000007b1d));
}

static u32 macs(u64 low, u64 high) { return sass_matrix_macs(sass_row_of(low, 9), high); }

/* Multiply-adds at the rate of halves: tf32 counts twice, bytes half. */
static void products_of_matrices(void **state)
{
    (void)state;
    enum { HMMA = 0x23c, IMMA = 0x237, DMMA = 0x23f };
    assert_int_equal(macs(HMMA, 0x002ff00000001810), 2048); /* 16816.F32 */
    assert_int_equal(macs(HMMA, 0x000fe20000001004), 1024); /* 1688.F32 */
    assert_int_equal(macs(HMMA, 0x000fe20000081004), 2048); /* 1688.F32.TF32 */
    assert_int_equal(macs(HMMA, 0x020fe20000085004), 1024); /* 1684.F32.TF32 */
    assert_int_equal(macs(IMMA, 0x000fda00000054ff), 512);  /* 8816 */
    assert_int_equal(macs(IMMA, 0x000fe20000405c08), 2048); /* 16832 */
    assert_int_equal(macs(DMMA, 0x004e280000000008), 256);  /* 8x8x4 */
    assert_int_equal(macs(DMMA, 0x0022e40000003020), 2048); /* 16x8x16 */
    assert_true(sass_is_double_product(sass_row_of(DMMA, 9)));
    assert_false(sass_is_double_product(sass_row_of(HMMA, 9)));
}

static void units_take_time(void **state)
{
    (void)state;
    struct gpu g = {
        .cc_major = 9, .sub_partitions = 4, .latency_sfu = 19, .tensor_fp16_rate = 1283, .tensor_fp64_rate = 63};
    assert_int_equal(unit_latency(&g, UNIT_SFU), 19);
    assert_int_equal(unit_latency(&g, UNIT_SHUFFLE), 23);
    assert_int_equal(unit_product_cycles(&g, 2048, false), 6);
    assert_int_equal(unit_product_cycles(&g, 256, true), 16);
    assert_int_equal(unit_product_cycles(&g, 1, false), 1);
    g.tensor_fp16_rate = 512;
    assert_int_equal(unit_product_cycles(&g, 2048, false), 16);
}

/* ---- a disassembler ---- */

/* A line has the place in a comment, guard, mnemonic and operands, and the word in another: the mnemonic and the word. */
static bool read_line(const char *line, char name[32], u64 *low)
{
    const char *at = strstr(line, "*/"), *hex = strstr(line, "/* 0x");
    if (strncmp(line, "        /*", 10) != 0 || !at || !hex || hex < at || sscanf(hex, "/* 0x%lx */", low) != 1)
        return false;
    at += 2 + strspn(at + 2, " {");
    if (*at == '@')
        at += strcspn(at, " "), at += strspn(at, " ");
    return sscanf(at, "%31[A-Z0-9_]", name) == 1;
}

/* Two words for one code, by where operands come from. */
static bool is_same(const char *ours, const char *theirs)
{
    static const char *const also[][2] = {{"FFMA", "FHFMA"},
                                          {"FADD", "FHADD"},
                                          {"ERRBAR", "CGAERRBAR"},
                                          {"UCGABAR", "UCGABAR_ARV"},
                                          {"UCGABAR", "UCGABAR_WAIT"}};
    for (u32 k = 0; k < LS_ARRAY_LEN(also); k++)
        if (strcmp(ours, also[k][0]) == 0 && strcmp(theirs, also[k][1]) == 0)
            return true;
    return strcmp(ours, theirs) == 0;
}

/* Every instruction of what the disassembler prints; how many there were. */
static u32 compare(FILE *listing, u32 cc_major)
{
    char line[1024], name[32];
    u64 low = 0;
    u32 n = 0;
    while (fgets(line, sizeof line, listing))
        if (read_line(line, name, &low)) {
            const struct sass_row *row = sass_row_of(low, cc_major);
            if (!row || !is_same(row->name, name))
                fail_msg("%03x is %s, not %s", (unsigned)(low & 0xfff), name, row ? row->name : "in the table");
            n++;
        }
    return n;
}

static void disassembler_agrees(void **state)
{
    (void)state;
    static const u32 targets[] = {90, 120};
    u32 n = 0;
    if (system("command -v nvdisasm > /dev/null && command -v ptxas > /dev/null && test -e " PTX_FOLDER "/bits.ptx") !=
        0) {
        print_message("no disassembler is installed, or the programs were not made\n");
        skip();
    }
    for (u32 t = 0; t < LS_ARRAY_LEN(targets); t++) {
        char command[1024];
        snprintf(command, sizeof command,
                 "d=$(mktemp -d) && for f in " PTX_FOLDER
                 "/*.ptx; do sed 's/^[.]target .*/.target sm_%u/' $f > $d/p.ptx; "
                 "ptxas -arch=sm_%u -o $d/p.cubin $d/p.ptx 2> /dev/null && nvdisasm -hex -c $d/p.cubin; done; rm -r $d",
                 targets[t], targets[t]);
        FILE *listing = popen(command, "r");
        assert_non_null(listing);
        n += compare(listing, targets[t] / 10);
        pclose(listing);
    }
    assert_true(n > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_words),     cmocka_unit_test(control_words),
        cmocka_unit_test(registers_read),  cmocka_unit_test(products_of_matrices),
        cmocka_unit_test(units_take_time), cmocka_unit_test(disassembler_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
