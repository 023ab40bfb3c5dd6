/* test_arith_levels.c - walks the table: every arithmetic body leaves the same register file on every level, for random
 * and special bit patterns of every width, under full and partial masks; lanes outside the mask keep their values. */
#include "rig.h"

/* The opcodes whose bodies read and write registers alone. (Memory, control and warp bodies need a running block.) */
static const char *const opcodes[] = {
    "abs",      "add",   "addc", "and",  "bfe",  "bfi",  "bfind", "bmsk",  "brev", "clz",   "cnot",
    "copysign", "cos",   "cvt",  "div",  "dp2a", "dp4a", "ex2",   "fma",   "fns",  "lg2",   "lop3",
    "mad",      "mad24", "madc", "max",  "max3", "min",  "min3",  "mov",   "mul",  "mul24", "neg",
    "not",      "or",    "popc", "prmt", "rcp",  "rem",  "rsqrt", "sad",   "selp", "setp",  "shf",
    "shl",      "shr",   "sin",  "slct", "sqrt", "sub",  "subc",  "szext", "tanh", "testp", "xor"};

static int opcode_of(const char *name)
{
    for (unsigned k = 0; k < LS_ARRAY_LEN(opcodes); k++) {
        size_t n = strlen(opcodes[k]);
        if (strncmp(name, opcodes[k], n) == 0 && name[n] == '_')
            return (int)k;
    }
    return -1;
}

static void fill(struct rig *r, unsigned kind)
{
    rig_init(r);
    for (u32 at = 0; at < RIG_BYTES; at += 8) {
        u64 v = rig_random();
        switch ((kind + at / AREA % 2) % 6) {
        case 0:
            v = (u64)bits32(rig_float()) << 32 | bits32(rig_float());
            break;
        case 1:
            v = bits64(rig_double());
            break;
        case 2:
            v = (u64)rig_special32() << 32 | rig_special32();
            break;
        case 3:
            v = rig_special64();
            break;
        case 4: /* 16-bit lanes */
            v &= 0x0000ffff0000ffff;
            break;
        default:
            break;
        }
        memcpy(r->regs + at, &v, sizeof v);
    }
}

static void compare(const char *name)
{
    for (unsigned round = 0; round < 48; round++) {
        struct rig in, first;
        fill(&in, round);
        u32 mask = round % 4 == 3 ? (u32)rig_random() | 1 : round % 16 == 2 ? 1u << (round % 32) : FULL_MASK;
        in.imm = strncmp(name, "lop3", 4) == 0 ? (i64)(rig_random() & 255) : AT_CARRY;
        first = in;
        rig_run(&first, ISA_PORTABLE, name, mask);
        for (enum exec_isa isa = ISA_V3; isa < ISA_COUNT; isa++) {
            if (!bodies_has_isa(isa))
                continue;
            struct rig r = in;
            rig_run(&r, isa, name, mask);
            for (u32 at = 0; at < RIG_BYTES; at += 4)
                if (memcmp(r.regs + at, first.regs + at, 4) != 0) {
                    int lane = (int)(at % AREA / 4);
                    rig_fail(name, isa, lane, *rig64(&in, AT_A + (u32)lane * 4 / 8 * 8), rig32(&in, AT_A)[lane],
                             rig32(&in, AT_B)[lane], rig32(&r, at)[0], rig32(&first, at)[0]);
                }
        }
    }
}

static void test_levels_agree(void **state)
{
    (void)state;
    bool seen[LS_ARRAY_LEN(opcodes)] = {false};
    unsigned count = 0;
    for (unsigned n = 0; bodies_name(n); n++) {
        int op = opcode_of(bodies_name(n));
        if (op < 0)
            continue;
        seen[op] = true;
        count++;
        compare(bodies_name(n));
    }
    for (unsigned k = 0; k < LS_ARRAY_LEN(opcodes); k++)
        if (!seen[k])
            fail_msg("no body of opcode %s", opcodes[k]);
    assert_true(count > 1000);
}

/* Every level has the same names. */
static void test_same_names(void **state)
{
    (void)state;
    for (unsigned n = 0; bodies_name(n); n++)
        EACH_ISA(isa)
    if (!bodies_find_isa(isa, bodies_name(n), IR_FAST) || !bodies_find_isa(isa, bodies_name(n), IR_TRACED))
        fail_msg("%s is missing at level %d", bodies_name(n), isa);
    assert_null(bodies_find("add_u33", IR_FAST));
    assert_null(bodies_find("", IR_FAST));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_agree),
        cmocka_unit_test(test_same_names),
    };
    return cmocka_run_group_tests_name("exec_arith_levels", tests, NULL, NULL);
}
