/* lane_memory.h - one lane's bytes between memory and registers. Included by bodies_mem.c and bodies_weak.c only, after
 * access.h.
 *
 * What a lane loads or stores by one instruction, all elements of a vector together, is one access of the host if it
 * has up to 16 bytes, and one for each 16 bytes otherwise. No GPU tears such an access and kernels rely on it (a flag
 * and its value in one 8- or 16-byte word), though PTX promises it for single elements only. docs/memory-model.md says
 * what of this the host gives. `volatile` keeps the compiler from splitting an access of which it needs the parts.
 *
 * Data lanes: up to 32 bits in u32[32], 64 bits in u64[32], 128 bits in u64[32][2]. */
#ifndef LS_EXEC_OPS_LANE_MEMORY_H
#define LS_EXEC_OPS_LANE_MEMORY_H

#include "exec/access.h"

/* The bytes of one lane, the first lowest; `size` of them count. */
struct lane_bytes {
    u64 word[4];
};

MEM_FN u64x2 read_16(const u8 *p) { return *(const volatile u64x2_any *)(const void *)p; }
MEM_FN void write_16(u8 *p, u64x2 v) { *(volatile u64x2_any *)(void *)p = v; }

MEM_FN struct lane_bytes read_lane(const u8 *p, unsigned size)
{
    struct lane_bytes v = {0};
    switch (size) {
    case 1:
        v.word[0] = *(const volatile u8 *)p;
        break;
    case 2:
        v.word[0] = *(const volatile u16_any *)p;
        break;
    case 4:
        v.word[0] = *(const volatile u32_any *)p;
        break;
    case 8:
        v.word[0] = *(const volatile u64_any *)p;
        break;
    default:
        for (unsigned k = 0; k < size / 16; k++) {
            const u64x2 x = read_16(p + 16 * k);
            v.word[2 * k] = x[0];
            v.word[2 * k + 1] = x[1];
        }
    }
    return v;
}

MEM_FN void write_lane(u8 *p, unsigned size, const struct lane_bytes *v)
{
    switch (size) {
    case 1:
        *(volatile u8 *)p = (u8)v->word[0];
        break;
    case 2:
        *(volatile u16_any *)p = (u16)v->word[0];
        break;
    case 4:
        *(volatile u32_any *)p = (u32)v->word[0];
        break;
    case 8:
        *(volatile u64_any *)p = v->word[0];
        break;
    default:
        for (unsigned k = 0; k < size / 16; k++)
            write_16(p + 16 * k, (u64x2){v->word[2 * k], v->word[2 * k + 1]});
    }
}

/* ---- elements in registers ---- */

MEM_FN u32 data_slot(const struct ir_inst *pc, unsigned n, unsigned k, bool store)
{
    return n > 1 ? pc->list[k] : store ? pc->b : pc->d;
}

/* Element k of `esize` bytes, zero-extended. */
MEM_FN u64 element_of(const struct lane_bytes *v, unsigned esize, unsigned k)
{
    const u64 x = v->word[k * esize / 8] >> k * esize % 8 * 8;
    return esize < 8 ? x & ((1ull << esize % 8 * 8) - 1) : x;
}

MEM_FN u64 extended(u64 x, unsigned esize)
{
    return esize < 8 ? (u64)((i64)(x << (64 - 8 * esize)) >> (64 - 8 * esize)) : x;
}

/* aux: IR_REG64 and IR_REG16 say that the register is wider or narrower than the instruction's type has it. */
MEM_FN void put_element(u8 *regs, u32 slot, int i, u64 x, unsigned esize, bool sext, u32 aux)
{
    const u64 v = sext ? extended(x, esize) : x;
    if (esize == 8 || aux & IR_REG64)
        ((u64 *)(void *)(regs + slot))[i] = v;
    else
        ((u32 *)(void *)(regs + slot))[i] = aux & IR_REG16 ? (u16)v : (u32)v;
}

/* ---- a lane ---- */

/* What the lane stores. */
MEM_FN struct lane_bytes lane_from_regs(const struct ir_inst *pc, const u8 *regs, int i, unsigned esize, unsigned n)
{
    struct lane_bytes v = {0};
    for (unsigned k = 0; k < n; k++) {
        const u8 *slot = regs + data_slot(pc, n, k, true);
        const u32 *d = (const u32 *)(const void *)slot;
        const u64 *d64 = (const u64 *)(const void *)slot;
        if (esize == 16) {
            v.word[0] = d64[2 * i];
            v.word[1] = d64[2 * i + 1];
        } else if (esize == 8) {
            v.word[k] = d64[i];
        } else {
            const u64 x = esize == 4 ? d[i] : esize == 2 ? (u16)d[i] : (u8)d[i];
            v.word[k * esize / 8] |= x << k * esize % 8 * 8;
        }
    }
    return v;
}

/* What it has loaded. */
MEM_FN void lane_to_regs(const struct ir_inst *pc, u8 *regs, int i, const struct lane_bytes *v, u32 op, u32 aux)
{
    const unsigned esize = MEM_ESIZE(op), n = MEM_COUNT(op);
    if (esize == 16) {
        u64 *d = (u64 *)(void *)(regs + pc->d) + 2 * i;
        d[0] = v->word[0];
        d[1] = v->word[1];
        return;
    }
    for (unsigned k = 0; k < n; k++)
        put_element(regs, data_slot(pc, n, k, false), i, element_of(v, esize, k), esize, op & MEM_SEXT, aux);
}

MEM_FN void load_lane(const struct ir_inst *pc, u8 *regs, int i, const u8 *p, u32 op, u32 aux)
{
    const struct lane_bytes v = read_lane(p, MEM_SIZE(op));
    lane_to_regs(pc, regs, i, &v, op, aux);
}

MEM_FN void store_lane(const struct ir_inst *pc, const u8 *regs, int i, u8 *p, u32 op)
{
    const struct lane_bytes v = lane_from_regs(pc, regs, i, MEM_ESIZE(op), MEM_COUNT(op));
    write_lane(p, MEM_SIZE(op), &v);
}

#endif
