/* Video instructions (PTX ISA 9.7.18): which selectors and operands are taken, and a few results worked out by hand at
 * every instruction-set level. video.ptx (tests/ptx/gen_video.py) has all opcodes against a model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exec/bodies/bodies.h"
#include "exec/warp.h"
#include "ir/video.h"
#include "isa.h"

static const char *probe(const char *text)
{
    static char buf[256];
    const struct isa_case c = {.op = OP_VABSDIFF, .text = text, .regs = ".reg .u32 d, a, b, c;"};
    return isa_probe(&c, buf, sizeof buf);
}

static void taken(void **state)
{
    (void)state;
    static const char *const good[] = {"vabsdiff.u32.u32.u32 d, a, b",
                                       "vabsdiff.s32.u32.s32.sat d, a.b3, b.h1",
                                       "vabsdiff.u32.u32.u32 d.b2, a, b, c",
                                       "vset.u32.s32.lt.max d, a.b0, b.b1, c",
                                       "vadd2.u32.u32.u32 d.h1, a.h03, b.h21, c",
                                       "vset4.u32.u32.ge.add d.b310, a.b7654, b.b0000, c",
                                       "vabsdiff.u32.u32.u32 d, 7, b",
                                       "vadd.s32.u32.s32.add d, a.b3, b.h0, c",
                                       "vsub.u32.u32.u32 d.b2, a, b, c",
                                       "vshl.u32.u32.u32.clamp d, a, b"};
    for (size_t k = 0; k < LS_ARRAY_LEN(good); k++)
        assert_null(probe(good[k]));
}

static void refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "vabsdiff.u32.u32.u32 d, a, b, c",        /* the third source would do nothing */
        "vabsdiff.u32.u32.u32.add d.h0, a, b, c", /* both a merge and an operation */
        "vabsdiff.u32.u32.u32 d.h0, a, b",        /* a merge with nothing */
        "vabsdiff.u32.u32.u32 d, a.b4, b", "vabsdiff.u32.u32.u32 d, a.h2, b", "vabsdiff.u32.u32.u32 d, a.h10, b",
        "vadd2.u32.u32.u32 d, a.h4, b, c", "vadd2.u32.u32.u32 d, a.h40, b, c", "vadd4.u32.u32.u32 d, a.b8000, b, c",
        "vadd4.u32.u32.u32 d, a.h10, b, c", "vadd2.u32.u32.u32.sat.add d, a, b, c",
        /* there the machine code of sm_90 does otherwise than the manual */
        "vadd.u32.u32.u32.sat d, a, b", "vsub.u32.u32.u32.min d, a, b, c", "vmax.u32.u32.u32 d.h1, a, b, c",
        "vmad.u32.u32.u32 d, a, b, c", "vshr.u32.u32.s32.wrap d, a, b"};
    for (size_t k = 0; k < LS_ARRAY_LEN(bad); k++)
        if (!probe(bad[k]))
            fail_msg("%s is taken", bad[k]);
}

static const struct ir_inst *stop(const struct ir_inst *pc, u8 *regs, struct warp *w)
{
    (void)pc, (void)regs, (void)w;
    return NULL;
}

/* Lane 3 alone runs: the others keep d. */
static void expect(const char *name, u64 how, u32 a, u32 b, u32 c, u32 want)
{
    for (enum exec_isa isa = ISA_PORTABLE; isa < ISA_COUNT; isa++) {
        _Alignas(64) u32 regs[4][IR_LANES] = {0};
        if (!bodies_has_isa(isa))
            continue;
        regs[1][3] = a, regs[2][3] = b, regs[3][3] = c;
        const struct ir_inst code[2] = {{.run = bodies_find_isa(isa, name, IR_FAST),
                                         .d = 0,
                                         .a = IR_SLOT,
                                         .b = 2 * IR_SLOT,
                                         .c = 3 * IR_SLOT,
                                         .imm = (i64)how},
                                        {.run = stop}};
        struct warp w = {.mask = 1 << 3};
        for (const struct ir_inst *pc = code; pc;)
            pc = pc->run(pc, (u8 *)regs, &w);
        assert_int_equal(regs[0][3], want);
        assert_int_equal(regs[0][2] | regs[0][4], 0);
    }
}

static void results(void **state)
{
    (void)state;
    const u64 halves = 15ull << VIDEO_BYTES_AT | 0x10ull << VIDEO_A_AT | 0x32ull << VIDEO_B_AT;
    const u64 bytes = 15ull << VIDEO_BYTES_AT | 0x3210ull << VIDEO_A_AT | 0x7654ull << VIDEO_B_AT;
    /* |-128 - 127| = 255 of signed bytes 3 and 0, into byte 1 of c */
    expect("vabsdiff",
           2ull << VIDEO_BYTES_AT | 0x13ull << VIDEO_A_AT | 0x10ull << VIDEO_B_AT | VIDEO_SIGNED_A | VIDEO_SIGNED_B,
           0x80000000, 0x7f, 0x11223344, 0x1122ff44);
    /* halfwords: 0xffff + 1 wraps to 0 in its half alone; 1 + 2 = 3 */
    expect("vadd2", halves, 0x0001ffff, 0x00020001, 0, 0x00030000);
    /* averages round up: (1 + 2 + 1) >> 1 = 2; of -1 and -2: -3 >> 1 = -2 */
    expect("vavrg4", bytes | VIDEO_SIGNED_A | VIDEO_SIGNED_B, 0x0000ff01, 0x0000fe02, 0, 0x0000fe02);
    /* accumulated comparisons: three bytes are equal */
    expect("vset4", bytes | VIDEO_ADD | VIDEO_EQ, 0x01020304, 0x01020300, 10, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(taken), cmocka_unit_test(refused), cmocka_unit_test(results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
