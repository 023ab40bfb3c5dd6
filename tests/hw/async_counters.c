/* async_counters.c - what products of warpgroups (wgmma), bulk copies with and without a tensor map, st.async and red.async are
 * counted as: a kernel a form, which does it `reps` times and waits for each. Each kernel is launched twice, with 2 and with
 * 10, so that of two rows of a profiler the difference is that of eight times the form alone.
 *
 *     async_counters [--only START] [--time | --ptx]
 *
 * --only: the forms whose name begins so; --time: cycles instead, a row a form and way; --ptx: prints the kernels.
 *
 * async_counters.py profiles it and compares with what an H200 counted (h200/async-counters.csv). On a GPU:
 *     gcc -Isrc tests/hw/async_counters.c -lcuda -o async_counters */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/cuda_abi.h"

enum { DATA = 128 << 10, SHARED = DATA + 1024, BARRIER = DATA, FEW = 2, MANY = 10, MOST_UNROLLED = 16 };

/* ---- forms ---- */

enum kind { WGMMA, LOAD, STORE, REDUCE, PREFETCH, SEND };
enum { NO_TENSOR = 0, TILED = 1, IM2COL = 2 };

struct form {
    const char *name;
    enum kind kind;
    /* wgmma */
    const char *types; /* .d.a.b */
    int n, k;          /* k: bytes of k of a row */
    bool in_registers, cross_a, cross_b, sparse, no_add;
    int groups; /* warpgroups, 0: 1 */
    int shift;  /* the start of both matrices, bytes */
    /* copies */
    int mode, type, rank, box[5], at[5], steps1, pitch, promotion; /* pitch: bytes of a row, 0: 4096 */
    int swizzle;              /* of a map 0 to 3: 0, 32, 64, 128 bytes; of wgmma too */
    int bytes;                /* without a tensor map; a lane's of SEND */
    int offset;               /* of the bytes in global memory */
    const char *op;           /* of a reduction, with its type if there is no map */
    int cluster;              /* blocks; 0: 1 */
    bool multicast, to_block; /* to_block: from shared memory to the next block's */
    int lanes;                /* SEND */
    bool own;                 /* SEND: to the block itself */
};

enum { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16 };
static const int sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};

#define W_OF(nm, ty, nn, sw, ...) {.name = nm, .kind = WGMMA, .types = ty, .n = nn, .k = 32, .swizzle = sw, __VA_ARGS__}
#define W(nm, ty, nn, ...) W_OF(nm, ty, nn, 3, ##__VA_ARGS__)
#define TILE(nm, kd, ty, r, sw, ...)                                                                                   \
    {.name = nm, .kind = kd, .mode = TILED, .type = ty, .rank = r, .swizzle = sw, __VA_ARGS__}
#define BOX(...) .box = {__VA_ARGS__}
#define AT(...) .at = {__VA_ARGS__}
#define BYTES(nm, kd, b, ...) {.name = nm, .kind = kd, .bytes = b, __VA_ARGS__}
static const struct form forms[] = {
    W("w_f16_n8", "f32.f16.f16", 8),
    W("w_f16_n16", "f32.f16.f16", 16),
    W("w_f16_n24", "f32.f16.f16", 24),
    W("w_f16_n32", "f32.f16.f16", 32),
    W("w_f16_n64", "f32.f16.f16", 64),
    W("w_f16_n96", "f32.f16.f16", 96),
    W("w_f16_n128", "f32.f16.f16", 128),
    W("w_f16_n192", "f32.f16.f16", 192),
    W("w_f16_n256", "f32.f16.f16", 256),
    W("w_f16_f16_n64", "f16.f16.f16", 64),
    W("w_f16_f16_n256", "f16.f16.f16", 256),
    W("w_bf16_n64", "f32.bf16.bf16", 64),
    W("w_tf32_n64", "f32.tf32.tf32", 64),
    W("w_tf32_n128", "f32.tf32.tf32", 128),
    W("w_e4m3_n64", "f32.e4m3.e4m3", 64),
    W("w_e4m3_n256", "f32.e4m3.e4m3", 256),
    W("w_e5m2_f16_n64", "f16.e5m2.e5m2", 64),
    W("w_s8_n64", "s32.s8.s8", 64),
    W("w_s8_n256", "s32.s8.s8", 256),
    W("w_b1_n64", "s32.b1.b1", 64),
    W("w_b1_n128", "s32.b1.b1", 128),
    W("w_f16_n8_regs", "f32.f16.f16", 8, .in_registers = true),
    W("w_f16_n64_regs", "f32.f16.f16", 64, .in_registers = true),
    W("w_f16_n256_regs", "f32.f16.f16", 256, .in_registers = true),
    W("w_tf32_n64_regs", "f32.tf32.tf32", 64, .in_registers = true),
    W("w_s8_n64_regs", "s32.s8.s8", 64, .in_registers = true),
    W("w_e4m3_n128_regs", "f32.e4m3.e4m3", 128, .in_registers = true),
    W_OF("w_f16_n64_plain", "f32.f16.f16", 64, 0),
    W_OF("w_f16_n128_plain", "f32.f16.f16", 128, 0),
    W_OF("w_f16_n64_sw32", "f32.f16.f16", 64, 1),
    W_OF("w_f16_n64_sw64", "f32.f16.f16", 64, 2),
    W("w_f16_n64_crossb", "f32.f16.f16", 64, .cross_b = true),
    W("w_f16_n128_crossb", "f32.f16.f16", 128, .cross_b = true),
    W("w_f16_n64_crossa", "f32.f16.f16", 64, .cross_a = true),
    W("w_f16_n64_cross", "f32.f16.f16", 64, .cross_a = true, .cross_b = true),
    W_OF("w_f16_n64_cross_plain", "f32.f16.f16", 64, 0, .cross_a = true, .cross_b = true),
    W("w_f16_n64_shift32", "f32.f16.f16", 64, .shift = 32),
    W("w_f16_n64_no_add", "f32.f16.f16", 64, .no_add = true),
    W("w_f16_n64_two", "f32.f16.f16", 64, .groups = 2),
    W("w_f16_n256_two", "f32.f16.f16", 256, .groups = 2),
    W("w_sp_f16_n8", "f32.f16.f16", 8, .sparse = true),
    W("w_sp_f16_n64", "f32.f16.f16", 64, .sparse = true),
    W("w_sp_f16_n128", "f32.f16.f16", 128, .sparse = true),
    W("w_sp_f16_n256", "f32.f16.f16", 256, .sparse = true),
    W("w_sp_f16_n64_regs", "f32.f16.f16", 64, .sparse = true, .in_registers = true),
    W("w_sp_tf32_n64", "f32.tf32.tf32", 64, .sparse = true),
    W("w_sp_e4m3_n64", "f32.e4m3.e4m3", 64, .sparse = true),
    W("w_sp_s8_n128", "s32.s8.s8", 128, .sparse = true),

    TILE("t_ld_f16_64x1", LOAD, F16, 2, 3, BOX(64, 1)),
    TILE("t_ld_f16_64x8", LOAD, F16, 2, 3, BOX(64, 8)),
    TILE("t_ld_f16_64x32", LOAD, F16, 2, 3, BOX(64, 32)),
    TILE("t_ld_f16_64x64", LOAD, F16, 2, 3, BOX(64, 64)),
    TILE("t_ld_f16_64x128", LOAD, F16, 2, 3, BOX(64, 128)),
    TILE("t_ld_f16_64x256", LOAD, F16, 2, 3, BOX(64, 256)),
    TILE("t_ld_f16_64x64_plain", LOAD, F16, 2, 0, BOX(64, 64)),
    TILE("t_ld_f16_32x64_sw64", LOAD, F16, 2, 2, BOX(32, 64)),
    TILE("t_ld_f16_16x64_sw32", LOAD, F16, 2, 1, BOX(16, 64)),
    TILE("t_ld_f16_32x64_sw128", LOAD, F16, 2, 3, BOX(32, 64)),
    TILE("t_ld_f16_8x64", LOAD, F16, 2, 0, BOX(8, 64)),
    TILE("t_ld_f16_16x64", LOAD, F16, 2, 0, BOX(16, 64)),
    TILE("t_ld_f16_32x64", LOAD, F16, 2, 0, BOX(32, 64)),
    TILE("t_ld_f16_128x64", LOAD, F16, 2, 0, BOX(128, 64)),
    TILE("t_ld_f16_256x64", LOAD, F16, 2, 0, BOX(256, 64)),
    TILE("t_ld_f32_32x64", LOAD, F32, 2, 3, BOX(32, 64)),
    TILE("t_ld_u8_128x64", LOAD, U8, 2, 3, BOX(128, 64)),
    TILE("t_ld_f64_16x64", LOAD, F64, 2, 3, BOX(16, 64)),
    TILE("t_ld_1d_4", LOAD, F32, 1, 0, BOX(4)),
    TILE("t_ld_1d_8", LOAD, F32, 1, 0, BOX(8)),
    TILE("t_ld_1d_32", LOAD, F32, 1, 0, BOX(32)),
    TILE("t_ld_1d_256", LOAD, F32, 1, 0, BOX(256)),
    TILE("t_ld_1d_32_off", LOAD, F32, 1, 0, BOX(32), AT(4)),
    TILE("t_ld_1d_32_off32", LOAD, F32, 1, 0, BOX(32), AT(8)),
    TILE("t_ld_1d_32_off64", LOAD, F32, 1, 0, BOX(32), AT(16)),
    TILE("t_ld_1d_256_off", LOAD, F32, 1, 0, BOX(256), AT(4)),
    TILE("t_ld_1d_256_off64", LOAD, F32, 1, 0, BOX(256), AT(16)),
    TILE("t_ld_u8_48x16", LOAD, U8, 2, 0, BOX(48, 16)),
    TILE("t_ld_u8_144x16", LOAD, U8, 2, 0, BOX(144, 16)),
    TILE("t_ld_u8_208x16", LOAD, U8, 2, 0, BOX(208, 16)),
    TILE("t_ld_3d", LOAD, F32, 3, 0, BOX(32, 8, 4)),
    TILE("t_ld_3d_small", LOAD, F32, 3, 0, BOX(4, 4, 4)),
    TILE("t_ld_3d_sw128", LOAD, F16, 3, 3, BOX(64, 16, 4)),
    TILE("t_ld_off", LOAD, F16, 2, 3, BOX(64, 64), AT(8, 0)),
    TILE("t_ld_pitch144", LOAD, F16, 2, 3, BOX(64, 64), .pitch = 144),
    TILE("t_ld_pitch128", LOAD, F16, 2, 3, BOX(64, 64), .pitch = 128),
    TILE("t_ld_out_left", LOAD, F16, 2, 3, BOX(64, 64), AT(-32, 0)),
    TILE("t_ld_out_top", LOAD, F16, 2, 3, BOX(64, 64), AT(0, -32)),
    TILE("t_ld_out_all", LOAD, F16, 2, 3, BOX(64, 64), AT(0, -64)),
    TILE("t_ld_skip", LOAD, F16, 2, 3, BOX(64, 64), .steps1 = 2),
    TILE("t_ld_promo64", LOAD, F16, 2, 1, BOX(16, 64), .promotion = 1),
    TILE("t_ld_promo128", LOAD, F16, 2, 1, BOX(16, 64), .promotion = 2),
    TILE("t_ld_promo256", LOAD, F16, 2, 1, BOX(16, 64), .promotion = 3),
    TILE("t_ld_promo256_64x64", LOAD, F16, 2, 3, BOX(64, 64), .promotion = 3),
    TILE("t_ld_in_cluster", LOAD, F16, 2, 3, BOX(64, 64), .cluster = 2),
    TILE("t_ld_multi2", LOAD, F16, 2, 3, BOX(64, 64), .cluster = 2, .multicast = true),
    TILE("t_ld_multi4", LOAD, F16, 2, 3, BOX(64, 64), .cluster = 4, .multicast = true),
    TILE("t_ld_multi4_small", LOAD, F16, 2, 3, BOX(64, 8), .cluster = 4, .multicast = true),
    TILE("t_prefetch", PREFETCH, F16, 2, 3, BOX(64, 64)),
    TILE("t_prefetch_8x64", PREFETCH, F16, 2, 0, BOX(8, 64)),
    {.name = "t_ld_im2col", .kind = LOAD, .mode = IM2COL, .type = F16, .rank = 4, .swizzle = 3, BOX(64, 64)},
    TILE("t_st_f16_64x1", STORE, F16, 2, 3, BOX(64, 1)),
    TILE("t_st_f16_64x8", STORE, F16, 2, 3, BOX(64, 8)),
    TILE("t_st_f16_64x64", STORE, F16, 2, 3, BOX(64, 64)),
    TILE("t_st_f16_64x128", STORE, F16, 2, 3, BOX(64, 128)),
    TILE("t_st_f16_64x64_plain", STORE, F16, 2, 0, BOX(64, 64)),
    TILE("t_st_f16_32x64_sw64", STORE, F16, 2, 2, BOX(32, 64)),
    TILE("t_st_f16_16x64_sw32", STORE, F16, 2, 1, BOX(16, 64)),
    TILE("t_st_f16_8x64", STORE, F16, 2, 0, BOX(8, 64)),
    TILE("t_st_f16_256x64", STORE, F16, 2, 0, BOX(256, 64)),
    TILE("t_st_u8_128x64", STORE, U8, 2, 3, BOX(128, 64)),
    TILE("t_st_1d_4", STORE, F32, 1, 0, BOX(4)),
    TILE("t_st_1d_256", STORE, F32, 1, 0, BOX(256)),
    TILE("t_st_3d", STORE, F32, 3, 0, BOX(32, 8, 4)),
    TILE("t_st_off", STORE, F16, 2, 3, BOX(64, 64), AT(8, 0)),
    TILE("t_st_u8_48x16", STORE, U8, 2, 0, BOX(48, 16)),
    TILE("t_st_u8_144x16", STORE, U8, 2, 0, BOX(144, 16)),
    TILE("t_st_1d_256_off", STORE, F32, 1, 0, BOX(256), AT(4)),
    TILE("t_st_pitch144", STORE, F16, 2, 3, BOX(64, 64), .pitch = 144),
    TILE("t_red_add_f32", REDUCE, F32, 2, 3, BOX(32, 64), .op = "add"),
    TILE("t_red_add_f32_plain", REDUCE, F32, 2, 0, BOX(32, 64), .op = "add"),
    TILE("t_red_add_f16", REDUCE, F16, 2, 3, BOX(64, 64), .op = "add"),
    TILE("t_red_add_u32", REDUCE, U32, 2, 3, BOX(32, 64), .op = "add"),
    TILE("t_red_min_s32", REDUCE, S32, 2, 3, BOX(32, 64), .op = "min"),
    TILE("t_red_add_u64", REDUCE, U64, 2, 3, BOX(16, 64), .op = "add"),
    TILE("t_red_add_f32_1d_4", REDUCE, F32, 1, 0, BOX(4), .op = "add"),
    TILE("t_red_add_f32_1d_off", REDUCE, F32, 1, 0, BOX(32), AT(4), .op = "add"),

    BYTES("b_ld_16", LOAD, 16),
    BYTES("b_ld_32", LOAD, 32),
    BYTES("b_ld_48", LOAD, 48),
    BYTES("b_ld_64", LOAD, 64),
    BYTES("b_ld_128", LOAD, 128),
    BYTES("b_ld_256", LOAD, 256),
    BYTES("b_ld_1024", LOAD, 1024),
    BYTES("b_ld_4096", LOAD, 4096),
    BYTES("b_ld_16384", LOAD, 16384),
    BYTES("b_ld_128_off16", LOAD, 128, .offset = 16),
    BYTES("b_ld_1024_off16", LOAD, 1024, .offset = 16),
    BYTES("b_ld_1024_off64", LOAD, 1024, .offset = 64),
    BYTES("b_ld_multi2", LOAD, 1024, .cluster = 2, .multicast = true),
    BYTES("b_ld_multi4", LOAD, 1024, .cluster = 4, .multicast = true),
    BYTES("b_prefetch_1024", PREFETCH, 1024),
    BYTES("b_st_16", STORE, 16),
    BYTES("b_st_32", STORE, 32),
    BYTES("b_st_64", STORE, 64),
    BYTES("b_st_128", STORE, 128),
    BYTES("b_st_1024", STORE, 1024),
    BYTES("b_st_16384", STORE, 16384),
    BYTES("b_st_1024_off16", STORE, 1024, .offset = 16),
    BYTES("b_red_add_f32_64", REDUCE, 64, .op = "add.f32"),
    BYTES("b_red_add_f32_1024", REDUCE, 1024, .op = "add.f32"),
    BYTES("b_red_add_u32_1024", REDUCE, 1024, .op = "add.u32"),
    BYTES("b_red_add_u64_1024", REDUCE, 1024, .op = "add.u64"),
    BYTES("b_red_add_f16_1024", REDUCE, 1024, .op = "add.noftz.f16"),
    BYTES("b_red_min_s32_1024", REDUCE, 1024, .op = "min.s32"),
    BYTES("b_next_16", LOAD, 16, .cluster = 2, .to_block = true),
    BYTES("b_next_1024", LOAD, 1024, .cluster = 2, .to_block = true),
    BYTES("b_next_16384", LOAD, 16384, .cluster = 2, .to_block = true),
    BYTES("b_next_red_u32_1024", LOAD, 1024, .cluster = 2, .to_block = true, .op = "add.u32"),
    BYTES("s_b32", SEND, 4, .cluster = 2, .lanes = 32, .op = "st.async%s.b32"),
    BYTES("s_b32_one", SEND, 4, .cluster = 2, .lanes = 1, .op = "st.async%s.b32"),
    BYTES("s_b64", SEND, 8, .cluster = 2, .lanes = 32, .op = "st.async%s.b64"),
    BYTES("s_v4_b32", SEND, 16, .cluster = 2, .lanes = 32, .op = "st.async%s.v4.b32"),
    BYTES("s_b32_own", SEND, 4, .cluster = 2, .lanes = 32, .own = true, .op = "st.async%s.b32"),
    BYTES("s_red_add_u32", SEND, 4, .cluster = 2, .lanes = 32, .op = "red.async.relaxed.cluster%s.add.u32"),
    BYTES("s_red_add_u64", SEND, 8, .cluster = 2, .lanes = 32, .op = "red.async.relaxed.cluster%s.add.u64"),
    BYTES("s_red_min_s32", SEND, 4, .cluster = 2, .lanes = 32, .op = "red.async.relaxed.cluster%s.min.s32"),

    TILE("z_st_out_top", STORE, F16, 2, 3, BOX(64, 64), AT(0, -32)),
    TILE("z_st_out_right", STORE, F16, 2, 3, BOX(64, 64), AT(2016, 0)),
    TILE("z_st_out_left", STORE, F16, 2, 3, BOX(64, 64), AT(-32, 0)),
};
enum { NFORMS = sizeof forms / sizeof *forms };

/* ---- their kernels ---- */

static char text[1 << 18], *end;
static __attribute__((format(printf, 1, 2))) void put(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    end += vsnprintf(end, (size_t)(text + sizeof text - end), format, list);
    va_end(list);
}

static int threads_of(const struct form *f) { return f->kind == WGMMA ? 128 * (f->groups ? f->groups : 1) : 32; }
static int blocks_of(const struct form *f) { return f->cluster ? f->cluster : 1; }

/* Bytes of shared memory that one copy takes in one block. */
static int bytes_of(const struct form *f)
{
    if (f->kind == SEND)
        return f->bytes * f->lanes;
    if (f->mode == NO_TENSOR)
        return f->bytes;
    int n = sizes[f->type];
    for (int k = 0; k < f->rank; k++)
        n *= f->box[k] ? f->box[k] : 1;
    return f->steps1 ? n / f->steps1 : n;
}

/* A descriptor without its start. Lines of k are as wide as the swizzle, or 16 bytes; those across too. */
static uint64_t descriptor(const struct form *f, bool crossed)
{
    static const int codes[] = {0, 3, 2, 1}, widths[] = {16, 32, 64, 128};
    const int width = widths[f->swizzle];
    const int stride = 8 * width, leading = crossed && f->swizzle ? 16384 : f->swizzle ? 16 : 4096;
    return (uint64_t)(leading / 16) << 16 | (uint64_t)(stride / 16) << 32 | (uint64_t)codes[f->swizzle] << 62;
}

static void put_product(const struct form *f)
{
    const bool is_float = f->types[0] == 'f', halves = !strncmp(f->types, "f16", 3), bits = strstr(f->types, "b1.b1");
    const bool cross = strstr(f->types, "f16.f16") || strstr(f->types, "bf16.bf16");
    const int element = strstr(f->types, ".tf32") ? 32 : cross ? 16 : bits ? 1 : 8;
    const int regs = f->n / (halves ? 4 : 2);
    put("wgmma.mma_async%s.sync.aligned.m64n%dk%d.%s%s ", f->sparse ? ".sp" : "", f->n,
        8 * f->k * (f->sparse ? 2 : 1) / element, f->types, bits ? ".and.popc" : "");
    for (int r = 0; r < regs; r++)
        put("%s%%v%d", r ? ", " : "{", r);
    put("}, %s, %%q5, %s", f->in_registers ? "{%a0, %a1, %a2, %a3}" : "%q4", f->sparse ? "%r9, 0, " : "");
    put("%%p3%s", is_float ? ", 1, 1" : "");
    if (cross && f->in_registers)
        put(", %d", f->cross_b);
    else if (cross)
        put(", %d, %d", f->cross_a, f->cross_b);
    put(";\n");
}

static void put_products(const struct form *f, int unrolled)
{
    const bool halves = !strncmp(f->types, "f16", 3);
    const int regs = f->n / (halves ? 4 : 2);
    put(".reg .b32 %%v<%d>, %%a<4>;\n", regs);
    for (int r = 0; r < regs; r++)
        put("mov.b32 %%v%d, %%r1;\n", r);
    for (int r = 0; r < 4; r++)
        put("ld.shared.b32 %%a%d, [%%r12+%d];\n", r, 512 * r);
    put("mov.b32 %%r9, 0x44444444;\nsetp.%s.u32 %%p3, %%r3, 0;\n", f->no_add ? "eq" : "ne");
    put("add.u32 %%r6, %%r2, %d;\nshr.u32 %%r6, %%r6, 4;\ncvt.u64.u32 %%q4, %%r6;\nor.b64 %%q4, %%q4, 0x%llx;\n",
        f->shift, (unsigned long long)descriptor(f, f->cross_a));
    put("add.u32 %%r6, %%r2, %d;\nshr.u32 %%r6, %%r6, 4;\ncvt.u64.u32 %%q5, %%r6;\nor.b64 %%q5, %%q5, 0x%llx;\n",
        32768 + f->shift, (unsigned long long)descriptor(f, f->cross_b));
    put("L:\nwgmma.fence.sync.aligned;\n");
    for (int k = 0; k < unrolled; k++)
        put_product(f);
    put("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
}

static void put_point(const struct form *f)
{
    put("{");
    for (int k = 0; k < f->rank; k++)
        put("%s%%c%d", k ? ", " : "", k);
    put("}");
}

/* Copy number k into its own part of shared memory, by one thread. */
static void put_copy(const struct form *f, int k)
{
    const int part = (bytes_of(f) + 127) / 128 * 128, at = part * (k % (DATA / part));
    put("add.u32 %%r6, %%r2, %d;\n", at);
    if (f->kind == LOAD && f->to_block) {
        put("mapa.shared::cluster.u32 %%r13, %%r6, %%r11;\n");
        if (f->op)
            put("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.%s [%%r13], [%%r6], %d, "
                "[%%r14];\n",
                f->op, f->bytes);
        else
            put("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%%r13], [%%r6], %d, "
                "[%%r14];\n",
                f->bytes);
        return;
    }
    if (f->mode == NO_TENSOR) {
        const char *many = f->multicast ? ".multicast::cluster" : "", *mask = f->multicast ? ", %h1" : "";
        if (f->kind == LOAD)
            put("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes%s [%%r6], [%%q1], %d, [%%r8]%s;\n",
                many, f->bytes, mask);
        else if (f->kind == PREFETCH)
            put("cp.async.bulk.prefetch.L2.global [%%q1], %d;\n", f->bytes);
        else if (f->kind == STORE)
            put("cp.async.bulk.global.shared::cta.bulk_group [%%q1], [%%r6], %d;\n", f->bytes);
        else
            put("cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%q1], [%%r6], %d;\n", f->op, f->bytes);
        return;
    }
    const char *way = f->mode == IM2COL ? "im2col" : "tile";
    if (f->kind == LOAD) {
        put("cp.async.bulk.tensor.%dd.shared::cluster.global.%s.mbarrier::complete_tx::bytes%s [%%r6], [%%q3, ",
            f->rank, way, f->multicast ? ".multicast::cluster" : "");
        put_point(f);
        put("], [%%r8]%s%s;\n", f->mode == IM2COL ? ", {%h2, %h2}" : "", f->multicast ? ", %h1" : "");
    } else {
        const char *what = f->kind == STORE ? "cp.async.bulk.tensor" : "cp.reduce.async.bulk.tensor";
        if (f->kind == PREFETCH)
            put("cp.async.bulk.prefetch.tensor.%dd.L2.global.tile [%%q3, ", f->rank);
        else
            put("%s.%dd.global.shared::cta.%s%stile.bulk_group [%%q3, ", what, f->rank, f->op ? f->op : "",
                f->op ? "." : "");
        put_point(f);
        put(f->kind == PREFETCH ? "];\n" : "], [%%r6];\n");
    }
    if (f->mode == TILED)
        put("add.s32 %%c%d, %%c%d, %%r4;\n", f->rank - 1, f->rank - 1);
}

static void put_send(const struct form *f)
{
    char op[128];
    snprintf(op, sizeof op, f->op, ".shared::cluster.mbarrier::complete_tx::bytes");
    put("setp.ge.u32 %%p4, %%r1, %d;\n@%%p4 bra S;\nmul.lo.u32 %%r6, %%r1, %d;\nadd.u32 %%r6, %%r6, %%r2;\n", f->lanes,
        f->bytes);
    put("mapa.shared::cluster.u32 %%r6, %%r6, %%r11;\n");
    put("%s [%%r6], %s, [%%r14];\nS:\n", op, f->bytes == 16 ? "{%r1, %r1, %r3, %r1}" : f->bytes == 8 ? "%q6" : "%r1");
}

/* p1: not the block's first thread; p5: nor that of the cluster's first block. */
static void put_copies(const struct form *f, int unrolled)
{
    const bool waits = f->kind == LOAD || f->kind == SEND,
               one = f->cluster && (f->multicast || f->to_block || f->kind == SEND);
    put("L:\n");
    if (f->cluster)
        put("barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
    const bool receives_all = f->multicast || !one; /* else the block that is sent to */
    const char *receives = receives_all ? "%p1" : f->own ? "%p5" : "%p6";
    if (waits)
        put("@%s bra E;\nmbarrier.arrive.expect_tx.shared::cta.b64 %%q7, [%%r8], %d;\nE:\n", receives,
            unrolled * bytes_of(f));
    if (f->kind == SEND) {
        put("@%%p7 bra N;\n");
        put_send(f);
        put("N:\n");
    } else {
        put("@%s bra N;\n", one ? "%p5" : "%p1");
        for (int k = 0; k < unrolled; k++)
            put_copy(f, k);
        if (!waits && f->kind != PREFETCH)
            put("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n");
        put("N:\n");
    }
    if (waits) {
        put("@%s bra D;\nW:\nmbarrier.try_wait.parity.shared::cta.b64 %%p2, [%%r8], %%r7;\n@!%%p2 bra W;\nD:\n",
            receives);
        put("xor.b32 %%r7, %%r7, 1;\n");
    }
    put("bar.warp.sync 0xffffffff;\n");
}

/* NAME(out, from, reps, step, map): shared memory is filled, then the form comes `unrolled` times a turn. out: the cycles. */
static void make_kernel(const struct form *f, int unrolled)
{
    end = text;
    put(".version 8.7\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 sm[];\n"
        ".visible .entry %s(.param .u64 out, .param .u64 from, .param .u32 reps, .param .u32 step, .param .align 64 "
        ".b8 "
        "map[128])\n{\n",
        f->name);
    put(".reg .b32 %%r<20>, %%c<5>;\n.reg .b64 %%q<12>;\n.reg .b16 %%h<3>;\n.reg .pred %%p<8>;\n");
    put("mov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, sm;\nld.param.u32 %%r3, [reps];\nld.param.u32 %%r4, [step];\n"
        "ld.param.u64 %%q1, [from];\nmov.b64 %%q3, map;\ncvta.param.u64 %%q3, %%q3;\nmov.u32 %%r5, %%ctaid.x;\n"
        "add.u64 %%q1, %%q1, %d;\nadd.u32 %%r8, %%r2, %d;\nmov.b32 %%r7, 0;\nmov.b16 %%h1, %d;\nmov.b16 %%h2, 0;\n",
        f->offset, BARRIER, (1 << blocks_of(f)) - 1);
    put("mov.u32 %%r10, %%cluster_ctarank;\nxor.b32 %%r11, %%r10, %d;\nmapa.shared::cluster.u32 %%r14, %%r8, %%r11;\n",
        f->cluster && !f->own);
    put("setp.ne.u32 %%p1, %%r1, 0;\nsetp.ne.u32 %%p7, %%r10, 0;\nor.pred %%p5, %%p1, %%p7;\nnot.pred %%p6, %%p7;\n"
        "or.pred %%p6, %%p6, %%p1;\ncvt.u64.u32 %%q6, %%r1;\n");
    for (int k = 0; k < 5; k++)
        put("mov.b32 %%c%d, %d;\n", k, f->at[k]);
    if (f->mode == TILED) /* each block has its own rows */
        put("mul.lo.u32 %%r6, %%r5, %%r4;\nmul.lo.u32 %%r6, %%r6, %%r3;\nmul.lo.u32 %%r6, %%r6, %d;\nadd.s32 %%c%d, "
            "%%c%d, %%r6;\n",
            unrolled, f->rank - 1, f->rank - 1);
    /* random words, small as halves and as bytes */
    put("shl.b32 %%r12, %%r1, 2;\nadd.u32 %%r12, %%r12, %%r2;\nmov.b32 %%r6, %%r1;\nmul.lo.u32 %%r15, %%r1, "
        "2654435761;\nF:\n"
        "mad.lo.u32 %%r15, %%r15, 1664525, 1013904223;\nand.b32 %%r16, %%r15, 0xbbffbbff;\n"
        "st.shared.b32 [%%r12], %%r16;\nadd.u32 %%r12, %%r12, %d;\nadd.u32 %%r6, %%r6, %d;\nsetp.lt.u32 %%p2, %%r6, "
        "%d;\n"
        "@%%p2 bra F;\nshl.b32 %%r12, %%r1, 2;\nadd.u32 %%r12, %%r12, %%r2;\n",
        4 * threads_of(f), threads_of(f), DATA / 4);
    put("@%%p1 bra I;\nmbarrier.init.shared::cta.b64 [%%r8], "
        "1;\nfence.mbarrier_init.release.cluster;\nI:\nfence.proxy.async;\n"
        "bar.sync 0;\n");
    if (f->cluster)
        put("barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
    put("mov.u64 %%q8, %%clock64;\n");
    if (f->kind == WGMMA)
        put_products(f, unrolled);
    else
        put_copies(f, unrolled);
    put("sub.u32 %%r3, %%r3, 1;\nsetp.ne.u32 %%p2, %%r3, 0;\n@%%p2 bra L;\n");
    put("mov.u64 %%q9, %%clock64;\nsub.u64 %%q9, %%q9, %%q8;\n");
    if (f->cluster)
        put("barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
    put("ld.param.u64 %%q2, [out];\nmul.wide.u32 %%q10, %%r5, 8;\nadd.u64 %%q2, %%q2, %%q10;\n@%%p1 bra T;\n"
        "st.global.u64 [%%q2], %%q9;\nT:\n");
    if (f->kind == WGMMA) { /* the sums are wanted */
        put("mov.b32 %%r6, 0;\n");
        for (int r = 0; r < f->n / (!strncmp(f->types, "f16", 3) ? 4 : 2); r++)
            put("xor.b32 %%r6, %%r6, %%v%d;\n", r);
        put("setp.ne.u32 %%p2, %%r6, 12345;\n@%%p2 bra Z;\nst.global.u32 [%%q2+65536], %%r6;\nZ:\n");
    }
    put("ret;\n}\n");
}

/* ---- running ---- */

enum { OUT_BYTES = 128 << 10, TIMED_BYTES = 256 << 20 };
static CUdeviceptr out, from;

static void need(CUresult e, const char *what)
{
    const char *name = "?";
    if (e == CUDA_SUCCESS)
        return;
    cuGetErrorName(e, &name);
    printf("%s: %s\n", what, name);
    exit(1);
}

static void make_map(const struct form *f, cuuint64_t rows, CUtensorMap *map)
{
    const unsigned size = (unsigned)sizes[f->type], pitch = f->pitch ? (unsigned)f->pitch : 4096;
    cuuint64_t dims[5] = {pitch / size, rows, 1, 1, 1}, strides[4] = {pitch, pitch, pitch, pitch};
    cuuint32_t box[5], steps[5];
    for (int k = 0; k < 5; k++) {
        box[k] = f->box[k] ? (cuuint32_t)f->box[k] : 1;
        steps[k] = k == 1 && f->steps1 ? (cuuint32_t)f->steps1 : 1;
    }
    if (f->rank == 3)
        dims[1] = 64, dims[2] = rows / 64, strides[1] = 64 * pitch;
    if (f->mode == IM2COL) {
        static const int low[2], high[2];
        dims[0] = 64, dims[1] = dims[2] = 16, dims[3] = 4;
        strides[0] = 128, strides[1] = 16 * 128, strides[2] = 256 * 128;
        need(cuTensorMapEncodeIm2col(map, (CUtensorMapDataType)f->type, 4, (void *)(uintptr_t)from, dims, strides, low,
                                     high, 64, 64, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)f->swizzle,
                                     (CUtensorMapL2promotion)f->promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
             f->name);
        return;
    }
    need(cuTensorMapEncodeTiled(map, (CUtensorMapDataType)f->type, (unsigned)f->rank, (void *)(uintptr_t)from, dims,
                                strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)f->swizzle,
                                (CUtensorMapL2promotion)f->promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
         f->name);
}

static CUfunction kernel_of(const struct form *f, int unrolled)
{
    static char log[8192];
    CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module;
    CUfunction function;
    make_kernel(f, unrolled);
    if (cuModuleLoadDataEx(&module, text, 2, names, values) != CUDA_SUCCESS) {
        printf("%s: %s\n", f->name, log);
        exit(1);
    }
    need(cuModuleGetFunction(&function, module, f->name), f->name);
    need(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, SHARED), f->name);
    return function;
}

static void launch(const struct form *f, CUfunction function, int blocks, int reps, int step, CUtensorMap *map)
{
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    a.value.clusterDim.x = (unsigned)blocks_of(f);
    a.value.clusterDim.y = a.value.clusterDim.z = 1;
    CUlaunchConfig c = {.gridDimX = (unsigned)blocks,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = (unsigned)threads_of(f),
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .sharedMemBytes = SHARED,
                        .attrs = &a,
                        .numAttrs = 1};
    void *args[] = {&out, &from, &reps, &step, map};
    need(cuLaunchKernelEx(&c, function, args, NULL), f->name);
    need(cuCtxSynchronize(), f->name);
}

static void count(const struct form *f)
{
    CUtensorMap map;
    memset(&map, 0, sizeof map);
    if (f->mode != NO_TENSOR)
        make_map(f, 1024, &map);
    const CUfunction function = kernel_of(f, 1);
    launch(f, function, blocks_of(f), FEW, 0, &map);
    launch(f, function, blocks_of(f), MANY, 0, &map);
}

/* ---- time ---- */

static double cycles(const struct form *f, CUfunction function, int blocks, int reps, int step, CUtensorMap *map)
{
    uint64_t host[1024];
    double sum = 0;
    for (int k = 0; k < 2; k++)
        launch(f, function, blocks, reps, step, map);
    need(cuMemcpyDtoH_v2(host, out, sizeof *host * (size_t)blocks), "copy");
    for (int k = 0; k < blocks; k++)
        sum += (double)host[k];
    return sum / blocks;
}

static void time_of(const struct form *f, const char *way, int unrolled, int blocks, int reps, int step,
                    cuuint64_t rows)
{
    CUtensorMap map;
    memset(&map, 0, sizeof map);
    if (f->mode != NO_TENSOR)
        make_map(f, rows, &map);
    const CUfunction function = kernel_of(f, unrolled);
    const double few = cycles(f, function, blocks, reps, step, &map),
                 many = cycles(f, function, blocks, 3 * reps, step, &map);
    printf("%s,%s,%.1f\n", f->name, way, (many - few) / (2.0 * reps * unrolled));
    fflush(stdout);
}

static void times(const struct form *f)
{
    const int all = 132 / blocks_of(f) * blocks_of(f), rows = f->box[f->rank ? f->rank - 1 : 0];
    time_of(f, "chain", 1, blocks_of(f), 32, 0, 1024);
    if (f->kind == SEND)
        return;
    time_of(f, "stream", MOST_UNROLLED, blocks_of(f), 32, 0, 1024);
    if (f->kind != WGMMA)
        time_of(f, "stream of all SMs", MOST_UNROLLED, all, 16, 0, 1024);
    struct form dense = *f;
    dense.pitch = f->box[0] * sizes[f->type];
    if (f->mode == TILED && f->rank == 2 && f->kind != REDUCE && !f->cluster && !f->pitch)
        time_of(&dense, "new rows of all SMs", 8, all, 2, rows, (cuuint64_t)TIMED_BYTES / (unsigned)dense.pitch);
}

int main(int argc, char **argv)
{
    const char *only = "";
    bool with_time = false, as_ptx = false;
    CUcontext context;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--time"))
            with_time = true;
        else if (!strcmp(argv[i], "--ptx"))
            as_ptx = true;
        else if (!strcmp(argv[i], "--only") && i + 1 < argc)
            only = argv[++i];
    for (int k = 0; as_ptx && k < NFORMS; k++)
        if (!strncmp(forms[k].name, only, strlen(only))) {
            make_kernel(&forms[k], 1);
            puts(text);
        }
    if (as_ptx)
        return 0;
    need(cuInit(0), "cuInit");
    need(cuDevicePrimaryCtxRetain(&context, 0), "context");
    need(cuCtxSetCurrent(context), "context");
    const size_t bytes = with_time ? TIMED_BYTES : 4 << 20;
    need(cuMemAlloc_v2(&out, OUT_BYTES), "memory");
    need(cuMemAlloc_v2(&from, bytes), "memory");
    uint32_t *random = malloc(bytes), state = 1;
    for (size_t k = 0; k < bytes / 4; k++)
        random[k] = (state = state * 1664525 + 1013904223) & 0xbbffbbff;
    need(cuMemcpyHtoD_v2(from, random, bytes), "copy");
    free(random);
    for (int k = 0; k < NFORMS; k++)
        if (!strncmp(forms[k].name, only, strlen(only)))
            (with_time ? times : count)(&forms[k]);
    return 0;
}
