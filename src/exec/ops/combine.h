/* combine.h - what atomic operations and reductions make of memory and a value (PTX ISA 9.7.13.5): the arithmetic, and one
 * element in memory of the host.
 *
 * `ftz`: the memory is global, where f32 sums take subnormals for zeros and make none. */
#ifndef LS_EXEC_OPS_COMBINE_H
#define LS_EXEC_OPS_COMBINE_H

#include "exec/access.h"
#include "exec/ops/floats.h"

enum atomic_op { A_ADD, A_MIN, A_MAX, A_INC, A_DEC, A_AND, A_OR, A_XOR, A_EXCH, A_CAS };

/* ---- the arithmetic ---- */

MEM_FN f32 half_value(u16 h)
{
    const u32 sign = (u32)(h & 0x8000) << 16, magnitude = h & 0x7fff;
    if (magnitude >= 0x7c00)
        return f32_of_bits(sign | 0x7f800000u | (magnitude & 0x3ff) << 13);
    /* A half's bits at the top of a float's, scaled by 2^112: exact, also for subnormals. */
    const f32 x = f32_of_bits(magnitude << 13) * 0x1p112f;
    return f32_of_bits(f32_bits(x) | sign);
}

/* To nearest even, by adding half an ulp and the odd bit; subnormals by adding a float whose ulp is a half's least. */
MEM_FN u16 half_bits(f32 x)
{
    const u32 u = f32_bits(x), magnitude = u & 0x7fffffff;
    const u16 sign = (u16)(u >> 16 & 0x8000);
    if (magnitude > 0x7f800000)
        return 0x7fff;
    if (magnitude >= 0x477ff000) /* 65520, where rounding reaches infinity */
        return sign | 0x7c00;
    if (magnitude < 0x38800000) /* 2^-14 */
        return (u16)(sign | (f32_bits(f32_of_bits(magnitude) + 0.5f) - 0x3f000000u));
    return (u16)(sign | (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13);
}

MEM_FN f32 brain_value(u16 h) { return f32_of_bits((u32)h << 16); }

MEM_FN u16 brain_bits(f32 x)
{
    const u32 u = f32_bits(x);
    return (u & 0x7fffffff) > 0x7f800000 ? 0x7fff : (u16)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

MEM_FN f32 small_value(u16 h, bool brain) { return brain ? brain_value(h) : half_value(h); }
MEM_FN bool small_nan(u16 h, bool brain) { return (h & 0x7fff) > (brain ? 0x7f80 : 0x7c00); }

/* One 16-bit float. The float sum of two halves (24 bits of significand for 11 and 8) rounds as the exact one does.
 * min and max: the number when one is NaN; -0 is less than +0. */
MEM_FN u16 combine_small(enum atomic_op op, u16 old, u16 b, bool brain)
{
    const f32 x = small_value(old, brain), y = small_value(b, brain);
    if (op == A_ADD)
        return brain ? brain_bits(x + y) : half_bits(x + y);
    if (small_nan(old, brain))
        return small_nan(b, brain) ? 0x7fff : b;
    if (small_nan(b, brain))
        return old;
    if (x == y)
        return op == A_MIN ? old | b : old & b;
    return (op == A_MIN) == (x < y) ? old : b;
}

MEM_FN f32 flushed(f32 x, bool ftz) { return ftz && fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x; }

MEM_FN u64 add_f32(u64 old, u64 b, bool ftz)
{
    const f32 r = flushed(flushed(f32_of_bits((u32)old), ftz) + flushed(f32_of_bits((u32)b), ftz), ftz);
    return isnan(r) ? 0x7fffffffu : f32_bits(r);
}

/* NaNs as an H200 gives them: global memory's adder takes b's before the old value's and hands it on untouched; the
 * loop that shared memory needs takes the old value's first, quieted. */
MEM_FN u64 add_f64(u64 old, u64 b, bool global)
{
    const f64 x = f64_of_bits(old), y = f64_of_bits(b), r = x + y;
    if (!isnan(r))
        return f64_bits(r);
    if (global)
        return isnan(y) ? b : isnan(x) ? old : 0xfff8000000000000u;
    return (isnan(x) ? old : isnan(y) ? b : 0xfff8000000000000u) | 0x0008000000000000u;
}

MEM_FN bool below(u32 type, u64 x, u64 y)
{
    return type == PTX_S32 ? (i32)x < (i32)y : type == PTX_S64 ? (i64)x < (i64)y : x < y;
}

/* What memory holds after the operation. Values are zero-extended. */
MEM_FN u64 combine(enum atomic_op op, u32 type, u64 old, u64 b, u64 c, bool ftz)
{
    const bool brain = type == PTX_BF16 || type == PTX_BF16X2;
    if (type == PTX_F16 || type == PTX_BF16)
        return combine_small(op, (u16)old, (u16)b, brain);
    if (type == PTX_F16X2 || type == PTX_BF16X2)
        return combine_small(op, (u16)old, (u16)b, brain) |
               (u64)combine_small(op, (u16)(old >> 16), (u16)(b >> 16), brain) << 16;
    switch (op) {
    case A_ADD:
        return type == PTX_F32 ? add_f32(old, b, ftz) : type == PTX_F64 ? add_f64(old, b, ftz) : old + b;
    case A_MIN:
        return below(type, b, old) ? b : old;
    case A_MAX:
        return below(type, old, b) ? b : old;
    case A_INC:
        return old >= b ? 0 : old + 1;
    case A_DEC:
        return old == 0 || old > b ? b : old - 1;
    case A_AND:
        return old & b;
    case A_OR:
        return old | b;
    case A_XOR:
        return old ^ b;
    case A_EXCH:
        return b;
    default:
        return old == b ? c : old;
    }
}

/* ---- one lane ---- */

/* On memory that other threads use: a loop around compare-and-swap, which also serves what the host has directly. */
#define SHARED_UPDATE(T)                                                                                               \
    T *at = (T *)(void *)p;                                                                                            \
    T old = __atomic_load_n(at, __ATOMIC_RELAXED);                                                                     \
    while (!__atomic_compare_exchange_n(at, &old, (T)combine(op, type, old, b, c, ftz), true, __ATOMIC_SEQ_CST,        \
                                        __ATOMIC_RELAXED))                                                             \
        ;                                                                                                              \
    return old
#define DIRECT(T)                                                                                                      \
    T *at = (T *)(void *)p;                                                                                            \
    switch (op) {                                                                                                      \
    case A_ADD:                                                                                                        \
        return __atomic_fetch_add(at, (T)b, __ATOMIC_SEQ_CST);                                                         \
    case A_AND:                                                                                                        \
        return __atomic_fetch_and(at, (T)b, __ATOMIC_SEQ_CST);                                                         \
    case A_OR:                                                                                                         \
        return __atomic_fetch_or(at, (T)b, __ATOMIC_SEQ_CST);                                                          \
    case A_XOR:                                                                                                        \
        return __atomic_fetch_xor(at, (T)b, __ATOMIC_SEQ_CST);                                                         \
    default:                                                                                                           \
        return __atomic_exchange_n(at, (T)b, __ATOMIC_SEQ_CST);                                                        \
    }

MEM_FN bool is_direct(enum atomic_op op, u32 type)
{
    const bool integer = type != PTX_F32 && type != PTX_F64 && type != PTX_F16X2 && type != PTX_BF16X2;
    return op == A_EXCH || (integer && (op == A_ADD || op == A_AND || op == A_OR || op == A_XOR));
}

MEM_FN u64 update_16(u8 *p, enum atomic_op op, u32 type, u64 b, u64 c, bool ftz) { SHARED_UPDATE(u16); }
MEM_FN u64 update_32(u8 *p, enum atomic_op op, u32 type, u64 b, u64 c, bool ftz) { SHARED_UPDATE(u32); }
MEM_FN u64 update_64(u8 *p, enum atomic_op op, u32 type, u64 b, u64 c, bool ftz) { SHARED_UPDATE(u64); }
MEM_FN u64 direct_32(u8 *p, enum atomic_op op, u64 b){DIRECT(u32)} MEM_FN u64
    direct_64(u8 *p, enum atomic_op op, u64 b){DIRECT(u64)}

MEM_FN u64 update_host(u8 *p, enum atomic_op op, u32 type, unsigned esize, u64 b, u64 c, bool ftz)
{
    if (esize == 2)
        return update_16(p, op, type, b, c, ftz);
    if (is_direct(op, type))
        return esize == 4 ? direct_32(p, op, b) : direct_64(p, op, b);
    return esize == 4 ? update_32(p, op, type, b, c, ftz) : update_64(p, op, type, b, c, ftz);
}

MEM_FN u64 update_own(u8 *p, enum atomic_op op, u32 type, unsigned esize, u64 b, u64 c)
{
    const u64 old = esize == 2 ? *(u16_any *)p : esize == 4 ? *(u32_any *)p : *(u64_any *)p;
    const u64 now = combine(op, type, old, b, c, false);
    if (esize == 2)
        *(u16_any *)p = (u16)now;
    else if (esize == 4)
        *(u32_any *)p = (u32)now;
    else
        *(u64_any *)p = now;
    return old;
}

#endif
