/* atomic.h - atomicAdd() and its like: relaxed, at any address; the scope is the device, and that of the block or the
 * system for the names that end so. */
#ifndef LOCKSTEP_ATOMIC_H
#define LOCKSTEP_ATOMIC_H

#define LS_ATOMIC static __device__ __inline__ __attribute__((always_inline))

/* One operation on 32-bit integers of both signs; op is that of clang's builtin, scope its infix. */
#define LS_ATOMIC_32(name, scope, op)                                                                                  \
    LS_ATOMIC int name(int *p, int v) { return __nvvm_atom_##scope##op##_gen_i(p, v); }                                \
    LS_ATOMIC unsigned int name(unsigned int *p, unsigned int v)                                                       \
    {                                                                                                                  \
        return (unsigned int)__nvvm_atom_##scope##op##_gen_i((int *)p, (int)v);                                        \
    }
#define LS_ATOMIC_U64(name, scope, op)                                                                                 \
    LS_ATOMIC unsigned long long name(unsigned long long *p, unsigned long long v)                                     \
    {                                                                                                                  \
        return (unsigned long long)__nvvm_atom_##scope##op##_gen_ll((long long *)p, (long long)v);                     \
    }
/* Logic is the same for both signs of 64 bits. */
#define LS_ATOMIC_LOGIC(name, scope, op)                                                                               \
    LS_ATOMIC_32(name, scope, op)                                                                                      \
    LS_ATOMIC_U64(name, scope, op)                                                                                     \
    LS_ATOMIC long long name(long long *p, long long v) { return __nvvm_atom_##scope##op##_gen_ll(p, v); }
/* Which is greater depends on the sign, of which clang's builtins with a scope know nothing. */
#define LS_ATOMIC_ORDER_1(name, ptx, T, C)                                                                             \
    LS_ATOMIC T name(T *p, T v)                                                                                        \
    {                                                                                                                  \
        T old;                                                                                                         \
        asm volatile("atom" ptx " %0, [%1], %2;" : "=" C(old) : "l"(p), C(v) : "memory");                              \
        return old;                                                                                                    \
    }
#define LS_ATOMIC_ORDER(name, ptx)                                                                                     \
    LS_ATOMIC_ORDER_1(name, ptx ".s32", int, "r")                                                                      \
    LS_ATOMIC_ORDER_1(name, ptx ".u32", unsigned int, "r")                                                             \
    LS_ATOMIC_ORDER_1(name, ptx ".s64", long long, "l")                                                                \
    LS_ATOMIC_ORDER_1(name, ptx ".u64", unsigned long long, "l")
#define LS_ATOMIC_ORDER_DEVICE(name, op)                                                                               \
    LS_ATOMIC int name(int *p, int v) { return __nvvm_atom_##op##_gen_i(p, v); }                                       \
    LS_ATOMIC unsigned int name(unsigned int *p, unsigned int v) { return __nvvm_atom_##op##_gen_ui(p, v); }           \
    LS_ATOMIC long long name(long long *p, long long v) { return __nvvm_atom_##op##_gen_ll(p, v); }                    \
    LS_ATOMIC unsigned long long name(unsigned long long *p, unsigned long long v)                                     \
    {                                                                                                                  \
        return __nvvm_atom_##op##_gen_ull(p, v);                                                                       \
    }
LS_ATOMIC_ORDER_DEVICE(atomicMin, min)
LS_ATOMIC_ORDER_DEVICE(atomicMax, max)
LS_ATOMIC_ORDER(atomicMin_block, ".cta.min")
LS_ATOMIC_ORDER(atomicMax_block, ".cta.max")
LS_ATOMIC_ORDER(atomicMin_system, ".sys.min")
LS_ATOMIC_ORDER(atomicMax_system, ".sys.max")
/* The builtins of and, or, xor, inc, dec and exchange are named alike. suffix is the function's, scope the builtin's,
 * ptx the instruction's. */
#define LS_ATOMICS(suffix, scope, ptx)                                                                                 \
    LS_ATOMIC_32(atomicAdd##suffix, scope, add)                                                                        \
    LS_ATOMIC_U64(atomicAdd##suffix, scope, add)                                                                       \
    LS_ATOMIC float atomicAdd##suffix(float *p, float v) { return __nvvm_atom_##scope##add_gen_f(p, v); }              \
    LS_ATOMIC double atomicAdd##suffix(double *p, double v) { return __nvvm_atom_##scope##add_gen_d(p, v); }           \
    LS_ATOMIC int atomicSub##suffix(int *p, int v)                                                                     \
    {                                                                                                                  \
        return __nvvm_atom_##scope##add_gen_i(p, (int)-(unsigned int)v);                                               \
    }                                                                                                                  \
    LS_ATOMIC unsigned int atomicSub##suffix(unsigned int *p, unsigned int v)                                          \
    {                                                                                                                  \
        return (unsigned int)__nvvm_atom_##scope##add_gen_i((int *)p, (int)-v);                                        \
    }                                                                                                                  \
    LS_ATOMIC_32(atomicExch##suffix, scope, xchg)                                                                      \
    LS_ATOMIC_U64(atomicExch##suffix, scope, xchg)                                                                     \
    LS_ATOMIC float atomicExch##suffix(float *p, float v)                                                              \
    {                                                                                                                  \
        return __builtin_bit_cast(float, __nvvm_atom_##scope##xchg_gen_i((int *)p, __builtin_bit_cast(int, v)));       \
    }                                                                                                                  \
    LS_ATOMIC_LOGIC(atomicAnd##suffix, scope, and)                                                                     \
    LS_ATOMIC_LOGIC(atomicOr##suffix, scope, or)                                                                       \
    LS_ATOMIC_LOGIC(atomicXor##suffix, scope, xor)                                                                     \
    LS_ATOMIC unsigned int atomicInc##suffix(unsigned int *p, unsigned int limit)                                      \
    {                                                                                                                  \
        return __nvvm_atom_##scope##inc_gen_ui(p, limit);                                                              \
    }                                                                                                                  \
    LS_ATOMIC unsigned int atomicDec##suffix(unsigned int *p, unsigned int limit)                                      \
    {                                                                                                                  \
        return __nvvm_atom_##scope##dec_gen_ui(p, limit);                                                              \
    }                                                                                                                  \
    LS_ATOMIC int atomicCAS##suffix(int *p, int compare, int v)                                                        \
    {                                                                                                                  \
        return __nvvm_atom_##scope##cas_gen_i(p, compare, v);                                                          \
    }                                                                                                                  \
    LS_ATOMIC unsigned int atomicCAS##suffix(unsigned int *p, unsigned int compare, unsigned int v)                    \
    {                                                                                                                  \
        return (unsigned int)__nvvm_atom_##scope##cas_gen_i((int *)p, (int)compare, (int)v);                           \
    }                                                                                                                  \
    LS_ATOMIC unsigned long long atomicCAS##suffix(unsigned long long *p, unsigned long long compare,                  \
                                                   unsigned long long v)                                               \
    {                                                                                                                  \
        return (unsigned long long)__nvvm_atom_##scope##cas_gen_ll((long long *)p, (long long)compare, (long long)v);  \
    }                                                                                                                  \
    LS_ATOMIC unsigned short atomicCAS##suffix(unsigned short *p, unsigned short compare, unsigned short v)            \
    {                                                                                                                  \
        unsigned short old;                                                                                            \
        asm volatile("atom" ptx ".cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(compare), "h"(v) : "memory");   \
        return old;                                                                                                    \
    }
LS_ATOMICS(, , "")
LS_ATOMICS(_block, cta_, ".cta")
LS_ATOMICS(_system, sys_, ".sys")

#undef LS_ATOMICS
#undef LS_ATOMIC_ORDER_DEVICE
#undef LS_ATOMIC_ORDER
#undef LS_ATOMIC_ORDER_1
#undef LS_ATOMIC_LOGIC
#undef LS_ATOMIC_U64
#undef LS_ATOMIC_32
#undef LS_ATOMIC

#endif
