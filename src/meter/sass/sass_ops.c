/* sass_ops.c - the fields of a 128-bit machine instruction (compute capability 7.0 on):
 *
 *     bits 0 to 8  opcode       9 to 11  where operands come from     12 to 15  guard: predicate, 15 = @!PT
 *     105 to 108   stall        109  yield, inverted                  110 to 112, 113 to 115  scoreboards written, read
 *     116 to 121   wait
 *
 * Found as sass_ops.def says. */
#include "meter/sass/sass.h"
#include "model/replay/code.h"
#include "model/replay/sm/unit.h"

static const struct sass_row rows[] = {
#define SASS(code, since, name, kind, pipe, op, result)                                                                \
    {code, since, name, SASS_##kind, PIPE_##pipe, REPLAY_##op, UNIT_##result},
#include "meter/sass/sass_ops.def"
#undef SASS
};

enum { CODES = 512 };

const struct sass_row *sass_row_of(u64 low, u32 cc_major)
{
    const struct sass_row *found = NULL;
    for (u32 k = 0; k < LS_ARRAY_LEN(rows); k++)
        if (rows[k].code == low % CODES && rows[k].since <= cc_major)
            found = &rows[k];
    return found;
}

struct sass_control sass_control_of(u64 high)
{
    return (struct sass_control){
        .stall = (u8)(high >> 41 & 15),
        .yield = !(high >> 45 & 1),
        .write_bar = (u8)(high >> 46 & 7),
        .read_bar = (u8)(high >> 49 & 7),
        .wait = (u8)(high >> 52 & 63),
    };
}

bool sass_never_runs(u64 low) { return (low >> 12 & 15) == 15; }

bool sass_reads_constant(u64 low)
{
    const u32 form = (u32)(low >> 9 & 7);
    return form == 3 || form == 5;
}

bool sass_reads_number(u64 low)
{
    const u32 form = (u32)(low >> 9 & 7);
    return form == 1 || form == 2;
}

/* ---- registers ----
 *
 * Operands a, b and c are in bits 24 to 31, 32 to 39 and 64 to 71. Of how many an opcode has, its row's name says nothing: what
 * is here was found by comparing the fields with the words of a disassembler, for each opcode of units of fixed latency. */

enum { READS_A = 1, READS_B = 2, READS_C = 4 };

static u32 places_of(const struct sass_row *row)
{
    switch (row->code) {
    case 0x00f: /* VIMNMX3 */
    case 0x010: /* IADD3 */
    case 0x011: /* LEA */
    case 0x012: /* LOP3 */
    case 0x016: /* PRMT */
    case 0x019: /* SHF */
    case 0x023: /* FFMA */
    case 0x024: /* these four: IMAD, IDP */
    case 0x025:
    case 0x026:
    case 0x027:
    case 0x02b: /* DFMA */
    case 0x031: /* these two: HFMA2 */
    case 0x035:
    case 0x046: /* VIADDMNMX */
        return READS_A | READS_B | READS_C;
    case 0x029: /* DADD */
        return READS_A | READS_C;
    case 0x007: /* SEL */
    case 0x008: /* FSEL */
    case 0x009: /* FMNMX */
    case 0x00b: /* FSETP */
    case 0x00c: /* ISETP */
    case 0x020: /* FMUL */
    case 0x021: /* FADD */
    case 0x028: /* DMUL */
    case 0x030: /* HADD2 */
    case 0x032: /* HMUL2 */
    case 0x036: /* VIADD */
    case 0x048: /* VIMNMX */
        return READS_A | READS_B;
    default: /* one, which is read at once */
        return 0;
    }
}

/* Form 1 has registers only; in others b is a constant, an immediate or a uniform register, and with three operands the one
 * that is left is in c. */
static u32 registers_of(const struct sass_row *row, u64 low)
{
    const u32 places = places_of(row), form = (u32)(low >> 9 & 7);
    if (form == 1)
        return places;
    return places & (places == (READS_A | READS_B | READS_C) ? READS_A | READS_C : READS_A);
}

struct sass_reads sass_reads_of(const struct sass_row *row, u64 low, u64 high)
{
    enum { WIDE = 0x025, HADD2 = 0x030, NONE = 255 };
    const u32 places = registers_of(row, low);
    const u8 regs[3] = {(u8)(low >> 24), (u8)(low >> 32), (u8)high};
    struct sass_reads r = {{NONE, NONE, NONE}, 0, (u8)(high >> 58 & 7)};
    for (u32 k = 0; k < 3; k++)
        if (places >> k & 1)
            r.regs[k] = regs[k];
    if (row->code == HADD2) { /* its second operand is in b's bits, but kept as c's */
        r.regs[2] = r.regs[1];
        r.regs[1] = NONE;
    }
    r.wide = row->pipe == PIPE_FP64 ? 7 : row->code == WIDE ? READS_C | REPLAY_WIDE_RESULT : 0;
    return r;
}

bool sass_constant_at(u64 low, u32 *bank, u32 *at)
{
    enum { LDC = 0x182, REGISTER_ULDC = 0x0bb, NO_REGISTER = 255 };
    const u32 code = (u32)low % CODES;
    *bank = (u32)(low >> 54 & 31);
    *at = (u32)(low >> 38 & 0xffff);
    return code == LDC ? (low >> 24 & 255) == NO_REGISTER : code != REGISTER_ULDC;
}

u32 sass_copy_groups(u64 low) { return (u32)(low >> 38 & 63); }

/* Seen in code with groups of one to three products and waits for 0 to 2 groups: bit 47 tells DEPBAR from ARRIVE, bits 72 to 79 are
 * the count; bits 84 to 86 of a product name the scoreboard of its group, 7: none, a later one has it. */
bool sass_waits_for_products(u64 low) { return low >> 47 & 1; }
/* CCTL with no address. */
bool sass_empties_l1(u64 low) { return (low & 511) == 0x18f && (low >> 24 & 255) == 255; }
u32 sass_product_groups(u64 high) { return (u32)(high >> 8 & 255); }
bool sass_closes_products(u64 high) { return (high >> 20 & 7) != 7; }

/* DMMA: 8x8x4, 16x8x4, 16x8x8, 16x8x16, by bits 76 and 77; double precision is its own unit, so these are what they are. */
static u32 double_macs(u64 high) { return 256u << (high >> 12 & 3); }

/* HMMA: bit 75 doubles the depth of m16n8k8; bits 82 and 83: 2 is tf32, at half the rate; of it bit 78 halves the depth. */
static u32 half_macs(u64 high)
{
    const bool tf32 = (high >> 18 & 3) == 2;
    const u32 macs = high >> 11 & 1 ? 2048 : 1024;
    return !tf32 ? macs : high >> 14 & 1 ? 1024 : 2048;
}

/* IMMA: bit 86 is m16 instead of m8, bit 75 doubles the depth of 16; at twice the rate of halves. */
static u32 integer_macs(u64 high) { return (high >> 22 & 1 ? 1024u : 512u) << (high >> 11 & 1); }

enum { IMMA = 0x37, BMMA = 0x3d, DMMA = 0x3f, QMMA = 0x7a };

bool sass_is_double_product(const struct sass_row *row) { return row->code == DMMA; }

u32 sass_matrix_macs(const struct sass_row *row, u64 high)
{
    switch (row->code) {
    case DMMA:
        return double_macs(high);
    case IMMA:
        return integer_macs(high);
    case BMMA:
    case QMMA: /* m16n8k32 of bytes, m16n8k16 half of it */
        return high >> 11 & 1 ? 2048 : 1024;
    default:
        return half_macs(high);
    }
}
