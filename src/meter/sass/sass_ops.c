/* sass_ops.c - the fields of a 128-bit machine instruction (compute capability 7.0 on):
 *
 *     bits 0 to 8  opcode       9 to 11  where operands come from     12 to 15  guard: predicate, 15 = @!PT
 *     105 to 108   stall        109  yield, inverted                  110 to 112, 113 to 115  scoreboards written, read
 *     116 to 121   wait
 *
 * Found as sass_ops.def says. */
#include "meter/sass/sass.h"
#include "model/replay/code.h"
#include "model/replay/unit.h"

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

u32 sass_copy_groups(u64 low) { return (u32)(low >> 38 & 63); }

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
