/* rows.h - 32 lanes' consecutive elements between memory and registers: a row. Included by bodies_mem.c and
 * bodies_weak.c only.
 *
 * A single element of 4, 8 or 16 bytes lies in memory as it lies in registers, so a row of them is a copy. Vectors lie
 * lane by lane in memory and element by element in registers, so a row of them is a transposition. Memory is accessed
 * by vectors of the host that begin at a multiple of a lane's size (of 16, if that is less); what the host splits of
 * them, it splits between two lanes (lane_memory.h). */
#ifndef LS_EXEC_OPS_ROWS_H
#define LS_EXEC_OPS_ROWS_H

#include "exec/memory/lane_memory.h"

/* The widest vector of the level. */
#if defined(__AVX512F__)
enum { WIDE = 64 };
#elif defined(__AVX2__)
enum { WIDE = 32 };
#else
enum { WIDE = 16 };
#endif
typedef u64 wide __attribute__((vector_size(WIDE), may_alias));
typedef u64 wide_any __attribute__((vector_size(WIDE), aligned(1), may_alias));

/* Plain loads will not do: the compiler may load a vector once for each of its uses. */
MEM_FN wide read_wide(const u8 *p) { return *(const volatile wide_any *)(const void *)p; }
MEM_FN void write_wide(u8 *p, wide v) { *(volatile wide_any *)(void *)p = v; }

MEM_FN void copy_row(u8 *to, const u8 *from, unsigned bytes)
{
    for (unsigned k = 0; k < bytes; k += WIDE)
        write_wide(to + k, read_wide(from + k));
}

#if defined(__AVX512F__)
/* r[k] is element k of sixteen lanes, m[j] the j-th 64 bytes of memory. */
MEM_FN void rows_to_lanes_2(const __m512i *m, __m512i *r)
{
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    r[0] = _mm512_permutex2var_epi32(m[0], even, m[1]);
    r[1] = _mm512_permutex2var_epi32(m[0], _mm512_add_epi32(even, _mm512_set1_epi32(1)), m[1]);
}

MEM_FN void rows_to_lanes_4(const __m512i *m, __m512i *r)
{
    /* low half: element 0 (2) of eight lanes; high half: element 1 (3) */
    const __m512i i01 = _mm512_set_epi32(29, 25, 21, 17, 13, 9, 5, 1, 28, 24, 20, 16, 12, 8, 4, 0);
    const __m512i i23 = _mm512_add_epi32(i01, _mm512_set1_epi32(2));
    const __m512i a = _mm512_permutex2var_epi32(m[0], i01, m[1]), b = _mm512_permutex2var_epi32(m[2], i01, m[3]);
    const __m512i c = _mm512_permutex2var_epi32(m[0], i23, m[1]), d = _mm512_permutex2var_epi32(m[2], i23, m[3]);
    r[0] = _mm512_shuffle_i64x2(a, b, 0x44);
    r[1] = _mm512_shuffle_i64x2(a, b, 0xee);
    r[2] = _mm512_shuffle_i64x2(c, d, 0x44);
    r[3] = _mm512_shuffle_i64x2(c, d, 0xee);
}

/* Pairs (x[i], y[i]) of the lower and the upper eight lanes. */
MEM_FN void pair_up(__m512i x, __m512i y, __m512i *lower, __m512i *upper)
{
    const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    *lower = _mm512_permutex2var_epi32(x, low, y);
    *upper = _mm512_permutex2var_epi32(x, _mm512_add_epi32(low, _mm512_set1_epi32(8)), y);
}

MEM_FN void lanes_to_rows_4(const __m512i *r, __m512i *m)
{
    const __m512i low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), high = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    __m512i a, b, c, d;
    pair_up(r[0], r[1], &a, &b);
    pair_up(r[2], r[3], &c, &d);
    m[0] = _mm512_permutex2var_epi64(a, low, c);
    m[1] = _mm512_permutex2var_epi64(a, high, c);
    m[2] = _mm512_permutex2var_epi64(b, low, d);
    m[3] = _mm512_permutex2var_epi64(b, high, d);
}

MEM_FN void load_row_b32(const struct ir_inst *pc, u8 *regs, const u8 *p, unsigned n)
{
    __m512i m[4], r[4];
    for (unsigned half = 0; half < 2; half++, p += 64 * n) {
        for (unsigned j = 0; j < n; j++)
            m[j] = (__m512i)read_wide(p + 64 * j);
        if (n == 2)
            rows_to_lanes_2(m, r);
        else
            rows_to_lanes_4(m, r);
        for (unsigned k = 0; k < n; k++)
            _mm512_store_si512(regs + pc->list[k] + 64 * half, r[k]);
    }
}

MEM_FN void store_row_b32(const struct ir_inst *pc, const u8 *regs, u8 *p, unsigned n)
{
    __m512i m[4], r[4];
    for (unsigned half = 0; half < 2; half++, p += 64 * n) {
        for (unsigned k = 0; k < n; k++)
            r[k] = _mm512_load_si512(regs + pc->list[k] + 64 * half);
        if (n == 2)
            pair_up(r[0], r[1], &m[0], &m[1]);
        else
            lanes_to_rows_4(r, m);
        for (unsigned j = 0; j < n; j++)
            write_wide(p + 64 * j, (wide)m[j]);
    }
}
#else
typedef u32 u32x4 __attribute__((vector_size(16), may_alias));

MEM_FN u32x4 read_words(const u8 *p) { return (u32x4)read_16(p); }
MEM_FN void write_words(u8 *p, u32x4 v) { write_16(p, (u64x2)v); }
#define SHUFFLE(x, y, a, b, c, d) __builtin_shufflevector(x, y, a, b, c, d)

/* Four lanes of four elements; it is its own inverse. */
MEM_FN void turn_4(u32x4 v[4])
{
    const u32x4 a = SHUFFLE(v[0], v[1], 0, 4, 1, 5), b = SHUFFLE(v[2], v[3], 0, 4, 1, 5);
    const u32x4 c = SHUFFLE(v[0], v[1], 2, 6, 3, 7), d = SHUFFLE(v[2], v[3], 2, 6, 3, 7);
    v[0] = SHUFFLE(a, b, 0, 1, 4, 5);
    v[1] = SHUFFLE(a, b, 2, 3, 6, 7);
    v[2] = SHUFFLE(c, d, 0, 1, 4, 5);
    v[3] = SHUFFLE(c, d, 2, 3, 6, 7);
}

MEM_FN void load_row_b32(const struct ir_inst *pc, u8 *regs, const u8 *p, unsigned n)
{
    for (unsigned i = 0; i < IR_LANES; i += 4, p += 16 * n) {
        u32x4 v[4] = {0};
        for (unsigned k = 0; k < n; k++)
            v[k] = read_words(p + 16 * k);
        if (n == 4) {
            turn_4(v);
        } else {
            const u32x4 a = v[0], b = v[1];
            v[0] = SHUFFLE(a, b, 0, 2, 4, 6);
            v[1] = SHUFFLE(a, b, 1, 3, 5, 7);
        }
        for (unsigned k = 0; k < n; k++)
            *(u32x4 *)(void *)(regs + pc->list[k] + 4 * i) = v[k];
    }
}

MEM_FN void store_row_b32(const struct ir_inst *pc, const u8 *regs, u8 *p, unsigned n)
{
    for (unsigned i = 0; i < IR_LANES; i += 4, p += 16 * n) {
        u32x4 v[4] = {0};
        for (unsigned k = 0; k < n; k++)
            v[k] = *(const u32x4 *)(const void *)(regs + pc->list[k] + 4 * i);
        if (n == 4) {
            turn_4(v);
        } else {
            const u32x4 a = v[0], b = v[1];
            v[0] = SHUFFLE(a, b, 0, 4, 1, 5);
            v[1] = SHUFFLE(a, b, 2, 6, 3, 7);
        }
        for (unsigned k = 0; k < n; k++)
            write_words(p + 16 * k, v[k]);
    }
}
#endif

MEM_FN void load_row_v2_b64(const struct ir_inst *pc, u8 *regs, const u8 *p)
{
    for (unsigned i = 0; i < IR_LANES; i += 2) {
        const u64x2 a = read_16(p + 16 * i), b = read_16(p + 16 * i + 16);
        *(u64x2 *)(void *)(regs + pc->list[0] + 8 * i) = (u64x2){a[0], b[0]};
        *(u64x2 *)(void *)(regs + pc->list[1] + 8 * i) = (u64x2){a[1], b[1]};
    }
}

MEM_FN void store_row_v2_b64(const struct ir_inst *pc, const u8 *regs, u8 *p)
{
    for (unsigned i = 0; i < IR_LANES; i += 2) {
        const u64x2 x = *(const u64x2 *)(const void *)(regs + pc->list[0] + 8 * i);
        const u64x2 y = *(const u64x2 *)(const void *)(regs + pc->list[1] + 8 * i);
        write_16(p + 16 * i, (u64x2){x[0], y[0]});
        write_16(p + 16 * i + 16, (u64x2){x[1], y[1]});
    }
}

MEM_FN void load_row(const struct ir_inst *pc, u8 *regs, const u8 *p, u32 op)
{
    const unsigned esize = MEM_ESIZE(op), n = MEM_COUNT(op);
    u32 *d = (u32 *)(void *)(regs + pc->d);
    if (n == 1 && esize >= 4)
        copy_row(regs + pc->d, p, 32 * esize);
    else if (n == 1 && esize == 2)
        LANES
            d[i] = op & MEM_SEXT ? (u32)(i32)((const i16_any *)p)[i] : ((const u16_any *)p)[i];
    else if (n == 1)
        LANES
            d[i] = op & MEM_SEXT ? (u32)(i32)((const i8_any *)p)[i] : p[i];
    else if (esize == 4)
        load_row_b32(pc, regs, p, n);
    else
        load_row_v2_b64(pc, regs, p);
}

MEM_FN void store_row(const struct ir_inst *pc, const u8 *regs, u8 *p, u32 op)
{
    const unsigned esize = MEM_ESIZE(op), n = MEM_COUNT(op);
    const u32 *d = (const u32 *)(const void *)(regs + pc->b);
    if (n == 1 && esize >= 4)
        copy_row(p, regs + pc->b, 32 * esize);
    else if (n == 1 && esize == 2)
        LANES {
            ((u16_any *)p)[i] = (u16)d[i];
        }
    else if (n == 1)
        LANES
            p[i] = (u8)d[i];
    else if (esize == 4)
        store_row_b32(pc, regs, p, n);
    else
        store_row_v2_b64(pc, regs, p);
}

/* The same for some lanes, single elements of 4 or 8 bytes, where the processor has masked moves. Lane 0's element
 * would be at p, which need not be there. */
#if defined(__AVX512F__)
#define HAVE_MASKED 1
MEM_FN void move_masked(const struct ir_inst *pc, u8 *regs, u32 mask, u8 *p, u32 op)
{
    u8 *d = regs + (op & MEM_STORE ? pc->b : pc->d);
    for (unsigned k = 0; k < 32 * MEM_ESIZE(op); k += 64) {
        u8 *to = op & MEM_STORE ? (u8 *)((uintptr_t)p + k) : d + k;
        const u8 *from = op & MEM_STORE ? d + k : (const u8 *)((uintptr_t)p + k);
        if (MEM_ESIZE(op) == 4) {
            const __mmask16 m = (__mmask16)(mask >> k / 4);
            _mm512_mask_storeu_epi32(to, m, _mm512_maskz_loadu_epi32(m, from));
        } else {
            const __mmask8 m = (__mmask8)(mask >> k / 8);
            _mm512_mask_storeu_epi64(to, m, _mm512_maskz_loadu_epi64(m, from));
        }
    }
}
#else
#define HAVE_MASKED 0
MEM_FN void move_masked(const struct ir_inst *pc, u8 *regs, u32 mask, u8 *p, u32 op)
{
    (void)pc, (void)regs, (void)mask, (void)p, (void)op;
}
#endif

#endif
