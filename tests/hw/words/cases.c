/* cases.c - see words.h. */
#include "words.h"

const char *const kind_names[KINDS] = {"near", "wide", "any"};

/* ---- operands ---- */

struct format {
    int exponent, fraction, width, spread; /* spread: of `near`, exponents on each side */
};
static const struct format formats[] = {
    [E_F16] = {5, 10, 16, 3}, [E_BF16] = {8, 7, 16, 6}, [E_TF32] = {8, 23, 32, 6},
    [E_E4M3] = {4, 3, 8, 3},  [E_E5M2] = {5, 2, 8, 4},  [E_F32] = {8, 23, 32, 12},
};

static uint32_t number(const struct format *f, enum kind kind)
{
    const uint32_t middle = (1u << (f->exponent - 1)) - 1, spread = kind == NEAR ? (uint32_t)f->spread : middle;
    const uint32_t least = kind == WIDE && words_next() % 4 ? middle / 2 : middle - spread;
    const uint32_t field = least + words_next() % (2 * (middle - least) + 1);
    const uint32_t fraction = words_next() & ((1u << f->fraction) - 1), sign = words_next() & 1;
    return sign << (f->width - 1) | field << f->fraction | fraction;
}

uint32_t words_of(enum element e, enum kind kind)
{
    uint32_t word = 0;
    if (e == E_INT || kind == ANY)
        return words_next() << 8 ^ words_next();
    for (int at = 0; at < 32; at += formats[e].width)
        word |= number(&formats[e], kind) << at;
    return word;
}

/* Two of four, in order; of tf32 one of two. */
uint32_t words_metadata(const struct matrix_case *x)
{
    static const uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    uint32_t word = 0;
    for (int at = 0; at < 32; at += 4)
        word |= (x->metadata == 4 ? words_next() % 2 ? 0xeu : 0x4u : pairs[words_next() % 6]) << at;
    return word;
}

/* ---- instructions ---- */

#define SP "mma.sp.sync.aligned."
#define SPO "mma.sp::ordered_metadata.sync.aligned."
#define SPARSE(NAME, A, B, C, D, E, EB, EC, BITS, SELECTOR)                                                            \
    {.name = NAME,                                                                                                     \
     .na = A,                                                                                                          \
     .nb = B,                                                                                                          \
     .nc = C,                                                                                                          \
     .nd = D,                                                                                                          \
     .a = E,                                                                                                           \
     .b = EB,                                                                                                          \
     .c = EC,                                                                                                          \
     .metadata = BITS,                                                                                                 \
     .sparse = true,                                                                                                   \
     .selector = SELECTOR},
/* Of one k both selectors of the shorter shape, of the longer one both, too, where there are two. */
#define HALVES(K, A, B, T, E, S)                                                                                       \
    SPARSE(SPO "m16n8k" K ".row.col.f32." T "." T ".f32", A, B, 4, 4, E, E, E_F32, 2, S)                               \
    SPARSE(SP "m16n8k" K ".row.col.f32." T "." T ".f32", A, B, 4, 4, E, E, E_F32, 2, S)
#define HALF_SUMS(K, A, B, S) SPARSE(SPO "m16n8k" K ".row.col.f16.f16.f16.f16", A, B, 2, 2, E_F16, E_F16, E_F16, 2, S)
#define BYTES(K, A, B, TA, TB, D, E, EB, EC, S)                                                                        \
    SPARSE(SPO "m16n8k" K ".row.col." D "." TA "." TB "." D, A, B, 4, 4, E, EB, EC, 2, S)

#define QUAD(LAYOUT, D, C, ND, NC, EC)                                                                                 \
    {.name = "mma.sync.aligned.m8n8k4." LAYOUT "." D ".f16.f16." C,                                                    \
     .na = 2,                                                                                                          \
     .nb = 2,                                                                                                          \
     .nc = NC,                                                                                                         \
     .nd = ND,                                                                                                         \
     .a = E_F16,                                                                                                       \
     .b = E_F16,                                                                                                       \
     .c = EC},
#define QUADS(LAYOUT)                                                                                                  \
    QUAD(LAYOUT, "f32", "f32", 8, 8, E_F32)                                                                            \
    QUAD(LAYOUT, "f16", "f16", 4, 4, E_F16)                                                                            \
    QUAD(LAYOUT, "f32", "f16", 8, 4, E_F16)

/* a: 64 lines of 32 bytes; b: 16 lines of 64. A swizzle's matrices begin at multiples of 1024. */
#define AT(ADDRESS, LEADING, STRIDE, SWIZZLE)                                                                          \
    ((uint64_t)(ADDRESS) >> 4 | (uint64_t)(LEADING) >> 4 << 16 | (uint64_t)(STRIDE) >> 4 << 32 |                       \
     (uint64_t)(SWIZZLE) << 62)
#define A_AT AT(0, 128, 256, 0)
#define GROUP(K, D, TA, TB, ND, NA, E, EC, BITS, S, TAIL, B_AT)                                                        \
    {.name = "wgmma.mma_async.sp.sync.aligned.m64n16k" K "." D "." TA "." TB,                                          \
     .tail = TAIL,                                                                                                     \
     .na = NA,                                                                                                         \
     .nc = ND,                                                                                                         \
     .nd = ND,                                                                                                         \
     .a = E,                                                                                                           \
     .b = E,                                                                                                           \
     .c = EC,                                                                                                          \
     .metadata = BITS,                                                                                                 \
     .group = true,                                                                                                    \
     .sparse = true,                                                                                                   \
     .selector = S,                                                                                                    \
     .a_at = A_AT,                                                                                                     \
     .b_at = B_AT},
#define SWIZZLES(K, D, TA, TB, ND, NA, E, EC, BITS, S, TAIL)                                                           \
    GROUP(K, D, TA, TB, ND, NA, E, EC, BITS, S, TAIL, AT(8192, 128, 1024, 0))                                          \
    GROUP(K, D, TA, TB, ND, NA, E, EC, BITS, S, TAIL, AT(8192, 16, 1024, 1))                                           \
    GROUP(K, D, TA, TB, ND, NA, E, EC, BITS, S, TAIL, AT(8192, 16, 512, 2))                                            \
    GROUP(K, D, TA, TB, ND, NA, E, EC, BITS, S, TAIL, AT(8192, 2048, 512, 3))
#define GROUPS(K, D, TA, TB, ND, NA, E, EC, BITS, S, TAIL)                                                             \
    SWIZZLES(K, D, TA, TB, ND, 0, E, EC, BITS, S, TAIL)                                                                \
    GROUP(K, D, TA, TB, ND, NA, E, EC, BITS, S, TAIL##_REGS, AT(8192, 128, 1024, 0))
#define FLOATS ", 1, 1, 0, 0"
#define FLOATS_REGS ", 1, 1, 0"
#define SCALES ", 1, 1"
#define SCALES_REGS ", 1, 1"
#define INTS ""
#define INTS_REGS ""
#define LAST ", 1, 1, 0, 1" /* b by columns */

const struct matrix_case matrix_cases[] = {
    HALVES("16", 2, 2, "f16", E_F16, 0) HALVES("16", 2, 2, "f16", E_F16, 1) HALVES("32", 4, 4, "f16", E_F16, 0) HALVES(
        "32", 4, 4, "f16", E_F16, 1) HALVES("16", 2, 2, "bf16", E_BF16, 0) HALVES("16", 2, 2, "bf16", E_BF16, 1)
        HALVES("32", 4, 4, "bf16", E_BF16, 0) HALVES("32", 4, 4, "bf16", E_BF16, 1) HALF_SUMS("16", 2, 2, 0) HALF_SUMS(
            "16", 2, 2, 1) HALF_SUMS("32", 4, 4, 0) HALF_SUMS("32",
                                                              4, 4, 1) SPARSE(SPO "m16n8k8.row.col.f32.tf32.tf32.f32",
                                                                              2, 2, 4, 4, E_TF32, E_TF32, E_F32, 4, 0)
            SPARSE(SPO "m16n8k8.row.col.f32.tf32.tf32.f32", 2, 2, 4, 4, E_TF32, E_TF32, E_F32, 4,
                   1) SPARSE(SPO "m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, 4, E_TF32, E_TF32, E_F32, 4, 0)
                SPARSE(SPO "m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, 4, E_TF32, E_TF32, E_F32,
                       4, 1) BYTES("64", 4, 4, "e4m3", "e4m3", "f32", E_E4M3, E_E4M3, E_F32,
                                   0) BYTES("64", 4, 4, "e4m3", "e5m2", "f32", E_E4M3, E_E5M2, E_F32,
                                            0) BYTES("64", 4, 4, "e5m2", "e4m3", "f32", E_E5M2, E_E4M3, E_F32, 0)
                    BYTES("64", 4, 4, "e5m2", "e5m2", "f32", E_E5M2, E_E5M2, E_F32,
                          0) SPARSE(SP "m16n8k64.row.col.f32.e4m3.e4m3.f32", 4, 4, 4, 4, E_E4M3, E_E4M3, E_F32, 2, 0)
                        BYTES("32", 2, 2, "s8", "s8", "s32", E_INT, E_INT, E_INT,
                              0) BYTES("32", 2, 2, "s8", "u8", "s32", E_INT, E_INT, E_INT,
                                       1) BYTES("64", 4, 4, "s8", "s8", "s32", E_INT, E_INT, E_INT, 0)
                            BYTES("64", 4, 4, "u8", "s8", "s32", E_INT, E_INT, E_INT,
                                  0) BYTES("64", 2, 2, "s4", "s4", "s32", E_INT, E_INT, E_INT,
                                           0) BYTES("64", 2, 2, "u4", "s4", "s32", E_INT, E_INT, E_INT, 1)
                                BYTES("128", 4, 4, "s4", "s4", "s32", E_INT, E_INT,
                                      E_INT, 0) QUADS("row.col") QUADS("row.row") QUADS("col.col") QUADS("col.row")
                                    GROUPS("32", "f32", "f16", "f16", 8, 4, E_F16, E_F32, 2, 0,
                                           FLOATS) GROUPS("32", "f32", "f16", "f16", 8, 4, E_F16, E_F32, 2, 1, FLOATS)
                                        GROUPS("32", "f16", "f16", "f16", 4, 4, E_F16, E_F16, 2, 0, FLOATS)
                                            GROUPS("32", "f32", "bf16", "bf16", 8, 4, E_BF16, E_F32, 2, 1, FLOATS)
                                                GROUPS("16", "f32", "tf32", "tf32", 8, 4, E_TF32, E_F32, 4, 0, SCALES)
                                                    GROUPS("16", "f32", "tf32", "tf32", 8, 4, E_TF32, E_F32,
                                                           4, 1, SCALES) GROUPS("64", "f32", "e4m3", "e4m3", 8,
                                                                                4, E_E4M3, E_F32, 2, 0, SCALES)
                                                        GROUPS("64", "f32", "e5m2", "e5m2", 8, 4, E_E5M2, E_F32,
                                                               2, 0, SCALES) GROUPS("64", "f16", "e4m3", "e4m3", 4,
                                                                                    4, E_E4M3, E_F16, 2, 0, SCALES)
                                                            GROUPS("64", "s32", "s8", "s8", 8, 4, E_INT, E_INT, 2, 0,
                                                                   INTS) GROUPS("64", "s32", "u8", "s8", 8, 4, E_INT,
                                                                                E_INT, 2, 0, INTS)
                                                                GROUP("32", "f32", "f16", "f16", 8, 0, E_F16, E_F32, 2,
                                                                      0, LAST, AT(8192, 512, 1024, 0))
                                                                    GROUP("32", "f32", "f16", "f16", 8, 0, E_F16, E_F32,
                                                                          2, 0, LAST, AT(8192, 1024, 4096, 1))
                                                                        GROUP("32", "f32", "f16", "f16", 8, 0, E_F16,
                                                                              E_F32, 2, 0, LAST,
                                                                              AT(8192, 1024, 2048, 2))
                                                                            GROUP("32", "f32", "f16", "f16", 8, 0,
                                                                                  E_F16, E_F32, 2, 0, LAST,
                                                                                  AT(8192, 1024, 512, 3))};
const int matrix_ncases = sizeof matrix_cases / sizeof *matrix_cases;
