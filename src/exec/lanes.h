/* lanes.h - the closed vocabulary in which op bodies are written. Included by the body files (bodies_*.c) only, which
 * are compiled once for each instruction-set level (LS_LEVEL: portable, v3, v4; the memory and control files once more
 * with LS_TRACED) and include the `.inc` files of ops/.
 *
 *     OP(name) { ... NEXT; }              a whole body by hand
 *     UN(op, T, expr)                     op_T: d = expr of a
 *     BIN(op, T, expr)                    op_T: d = expr of a, b
 *     TER(op, T, expr)                    op_T: d = expr of a, b, c
 *     MAP1(name, D, A, expr)              name: d of type D = expr of a of type A; MAP2 and MAP3 have b, and b and c
 *     INT(M, op, expr) ...                M for every integer type
 *
 * T is a PTX type; in `expr` a, b, c are values of that type and U is the unsigned type in which its arithmetic may
 * wrap (u16 works in u32: a product of two u16 overflows int). Full masks take a plain loop, partial masks a blended
 * one; destinations overlap sources exactly or not at all (the slot allocator's promise), hence LANES' ivdep.
 *
 * OP also enters the body into its level's table: an entry is a constant in a section of its own, which the linker
 * gathers (bodies.c reads it from start to stop), so a body is never listed a second time.
 *
 * A body ends in NEXT: a tail call to the next record where the compiler makes one (LS_TAIL), else a return to the
 * trampoline in warp.c. Both are correct everywhere. */
/* clang-format off */ // rows of macros and of text
#ifndef LS_EXEC_LANES_H
#define LS_EXEC_LANES_H

#include <math.h>
#include <string.h>

#include "exec/bodies/bodies.h"
#include "exec/warp.h"

/* PTX's names for lane types. The 16-bit floats are bit patterns; half.inc gives them values. */
typedef u8 b8;
typedef u16 b16;
typedef u32 b32;
typedef u64 b64;
typedef i8 s8;
typedef i16 s16;
typedef i32 s32;
typedef i64 s64;
typedef u16 f16;
typedef u16 bf16;
typedef u32 f16x2;
typedef u32 bf16x2;
typedef u32 u16x2;
typedef u32 s16x2;
typedef unsigned __int128 u128;
typedef __int128 s128;

/* The lane in the register file that holds a T, and a T as it stands there (narrow values are zero-extended). */
#define LANE_u8 u32
#define LANE_s8 u32
#define LANE_b8 u32
#define LANE_u16 u32
#define LANE_s16 u32
#define LANE_b16 u32
#define LANE_f16 u32
#define LANE_bf16 u32
#define LANE_u32 u32
#define LANE_s32 u32
#define LANE_b32 u32
#define LANE_f16x2 u32
#define LANE_bf16x2 u32
#define LANE_u16x2 u32
#define LANE_s16x2 u32
#define LANE_f32 f32
#define LANE_u64 u64
#define LANE_s64 u64
#define LANE_b64 u64
#define LANE_f64 f64
#define PUT_u8(x) ((u32)(u8)(x))
#define PUT_s8(x) ((u32)(u8)(x))
#define PUT_b8(x) ((u32)(u8)(x))
#define PUT_u16(x) ((u32)(u16)(x))
#define PUT_s16(x) ((u32)(u16)(x))
#define PUT_b16(x) ((u32)(u16)(x))
#define PUT_f16(x) ((u32)(u16)(x))
#define PUT_bf16(x) ((u32)(u16)(x))
#define PUT_u32(x) ((u32)(x))
#define PUT_s32(x) ((u32)(x))
#define PUT_b32(x) ((u32)(x))
#define PUT_f16x2(x) ((u32)(x))
#define PUT_bf16x2(x) ((u32)(x))
#define PUT_u16x2(x) ((u32)(x))
#define PUT_s16x2(x) ((u32)(x))
#define PUT_f32(x) (x)
#define PUT_u64(x) ((u64)(x))
#define PUT_s64(x) ((u64)(x))
#define PUT_b64(x) ((u64)(x))
#define PUT_f64(x) (x)
/* The type of U, above. */
#define WRAP_u8 u32
#define WRAP_s8 u32
#define WRAP_b8 u32
#define WRAP_u16 u32
#define WRAP_s16 u32
#define WRAP_b16 u32
#define WRAP_f16 u32
#define WRAP_bf16 u32
#define WRAP_u32 u32
#define WRAP_s32 u32
#define WRAP_b32 u32
#define WRAP_f16x2 u32
#define WRAP_bf16x2 u32
#define WRAP_u16x2 u32
#define WRAP_s16x2 u32
#define WRAP_f32 u32
#define WRAP_u64 u64
#define WRAP_s64 u64
#define WRAP_b64 u64
#define WRAP_f64 u64

/* The lanes of operand d, a, b, c. */
#define REG(T, operand) ((LANE_##T *)(void *)(regs + pc->operand))
#define PRED(operand) ((u32 *)(void *)(regs + pc->operand))

#ifdef __clang__
#define LANES _Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (int i = 0; i < IR_LANES; i++)
#else
#define LANES _Pragma("GCC ivdep") for (int i = 0; i < IR_LANES; i++)
#endif
#define ACTIVE(mask, i) (((mask) & (1u << (i))) != 0)
/* What a body's expression calls must vanish into its lane loop. */
#define LANE_FN static inline __attribute__((always_inline, unused))

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(LS_NO_TAIL)
#define LS_TAIL 1
#if defined(__clang__)
#define LS_MUSTTAIL __attribute__((musttail))
#else
#define LS_MUSTTAIL
#endif
#define GOTO(to)                                                                                                       \
    do {                                                                                                               \
        const struct ir_inst *to_ = (to);                                                                              \
        LS_MUSTTAIL return to_->run(to_, regs, w);                                                                     \
    } while (0)
#else
#define GOTO(to) return (to)
#endif
#define NEXT GOTO(pc + 1)

/* In front of every call out of the body files: the rest of the program is compiled for the baseline, and its SSE
 * instructions wait for the upper halves of the vector registers when these are in use (85 % of a divergent loop's
 * time was spent so). Bodies themselves do not pay for it (-mno-vzeroupper). */
#if defined(__AVX__)
#define CALL_OUT() __builtin_ia32_vzeroupper()
#else
#define CALL_OUT() ((void)0)
#endif
/* Ends a body whose successor a function of the scheduler names. */
#define LEAVE_TO(call)                                                                                                 \
    do {                                                                                                               \
        CALL_OUT();                                                                                                    \
        return (call);                                                                                                 \
    } while (0)

#define BODY_NAME_(name, level) body_##name##_##level
#define BODY_NAME(name, level) BODY_NAME_(name, level)
#define BODY_ENTRY_(name, level) entry_##name##_##level
#define BODY_ENTRY(name, level) BODY_ENTRY_(name, level)
#define BODY_TEXT_(x) #x
#define BODY_TEXT(x) BODY_TEXT_(x)
#if defined(LS_WEAK) && defined(LS_TRACED)
#define BODY_SECTION "ls_bodies_weak_traced"
#elif defined(LS_WEAK)
#define BODY_SECTION "ls_bodies_weak"
#elif defined(LS_TRACED)
#define BODY_SECTION "ls_bodies_traced_" BODY_TEXT(LS_LEVEL)
#else
#define BODY_SECTION "ls_bodies_" BODY_TEXT(LS_LEVEL)
#endif

#define OP(name)                                                                                                       \
    static const struct ir_inst *BODY_NAME(name, LS_LEVEL)(const struct ir_inst *pc, u8 *regs, struct warp *w);        \
    static const struct body BODY_ENTRY(name, LS_LEVEL)                                                                \
        __attribute__((section(BODY_SECTION), used)) = {#name, BODY_NAME(name, LS_LEVEL)};                             \
    static const struct ir_inst *BODY_NAME(name, LS_LEVEL)(__attribute__((unused)) const struct ir_inst *pc,           \
                                                           __attribute__((unused)) u8 *regs,                           \
                                                           __attribute__((unused)) struct warp *w)

/* Writes `value` (an expression of i) to the active lanes of operand d. */
#define WRITE(T, value)                                                                                                \
    LANE_##T *d_ = REG(T, d);                                                                                          \
    const u32 m_ = w->mask;                                                                                            \
    if (LS_LIKELY(m_ == FULL_MASK)) {                                                                                  \
        LANES d_[i] = PUT_##T(value);                                                                                  \
    } else {                                                                                                           \
        LANES                                                                                                          \
        {                                                                                                              \
            const LANE_##T r_ = PUT_##T(value);                                                                        \
            d_[i] = ACTIVE(m_, i) ? r_ : d_[i];                                                                        \
        }                                                                                                              \
    }

/* Writes `value` to the active lanes of the predicate d. */
#define WRITE_PRED(value)                                                                                              \
    do {                                                                                                               \
        const u32 m_ = w->mask;                                                                                        \
        u32 *d_ = PRED(d);                                                                                             \
        *d_ = (*d_ & ~m_) | ((value) & m_);                                                                            \
    } while (0)

/* ..._IN: with statements before and after the lane loop. */
#define MAP1_IN(name, D, A, expr, before, after)                                                                       \
    OP(name)                                                                                                           \
    {                                                                                                                  \
        typedef WRAP_##D U __attribute__((unused));                                                                    \
        const LANE_##A *a_ = REG(A, a);                                                                                \
        before                                                                                                         \
        WRITE(D, ({                                                                                                    \
                  const A a = (A)a_[i];                                                                                \
                  (expr);                                                                                              \
              }))                                                                                                      \
        after                                                                                                          \
        NEXT;                                                                                                          \
    }
#define MAP2_IN(name, D, A, B, expr, before, after)                                                                    \
    OP(name)                                                                                                           \
    {                                                                                                                  \
        typedef WRAP_##D U __attribute__((unused));                                                                    \
        const LANE_##A *a_ = REG(A, a);                                                                                \
        const LANE_##B *b_ = REG(B, b);                                                                                \
        before                                                                                                         \
        WRITE(D, ({                                                                                                    \
                  const A a = (A)a_[i];                                                                                \
                  const B b = (B)b_[i];                                                                                \
                  (expr);                                                                                              \
              }))                                                                                                      \
        after                                                                                                          \
        NEXT;                                                                                                          \
    }
#define MAP3_IN(name, D, A, B, C, expr, before, after)                                                                 \
    OP(name)                                                                                                           \
    {                                                                                                                  \
        typedef WRAP_##D U __attribute__((unused));                                                                    \
        const LANE_##A *a_ = REG(A, a);                                                                                \
        const LANE_##B *b_ = REG(B, b);                                                                                \
        const LANE_##C *c_ = REG(C, c);                                                                                \
        before                                                                                                         \
        WRITE(D, ({                                                                                                    \
                  const A a = (A)a_[i];                                                                                \
                  const B b = (B)b_[i];                                                                                \
                  const C c = (C)c_[i];                                                                                \
                  (expr);                                                                                              \
              }))                                                                                                      \
        after                                                                                                          \
        NEXT;                                                                                                          \
    }
#define MAP1(name, D, A, expr) MAP1_IN(name, D, A, expr, , )
#define MAP2(name, D, A, B, expr) MAP2_IN(name, D, A, B, expr, , )
#define MAP3(name, D, A, B, C, expr) MAP3_IN(name, D, A, B, C, expr, , )
#define UN(op, T, expr) MAP1(op##_##T, T, T, expr)
#define BIN(op, T, expr) MAP2(op##_##T, T, T, T, expr)
#define TER(op, T, expr) MAP3(op##_##T, T, T, T, T, expr)

#define BITS(M, op, expr) M(op, b16, expr) M(op, b32, expr) M(op, b64, expr)
#define INT(M, op, expr)                                                                                               \
    M(op, u16, expr) M(op, s16, expr) M(op, u32, expr) M(op, s32, expr) M(op, u64, expr) M(op, s64, expr)
#define SIGNED(M, op, expr) M(op, s16, expr) M(op, s32, expr) M(op, s64, expr)

/* Bit patterns. */
LANE_FN u32 f32_bits(f32 x)
{
    u32 u;
    memcpy(&u, &x, sizeof u);
    return u;
}
LANE_FN f32 f32_of_bits(u32 u)
{
    f32 x;
    memcpy(&x, &u, sizeof x);
    return x;
}
LANE_FN u64 f64_bits(f64 x)
{
    u64 u;
    memcpy(&u, &x, sizeof u);
    return u;
}
LANE_FN f64 f64_of_bits(u64 u)
{
    f64 x;
    memcpy(&x, &u, sizeof x);
    return x;
}

#endif
