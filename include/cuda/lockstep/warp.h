/* warp.h - operations of a warp that clang's headers leave to a toolkit's, and waiting. */
#ifndef LOCKSTEP_WARP_H
#define LOCKSTEP_WARP_H

#define LS_DEVICE static __device__ __inline__ __attribute__((always_inline))

/* Lanes with the same value: bits are compared, so NaNs match themselves and -0 does not match 0. */
#define LS_MATCH(T, bits, U)                                                                                           \
    LS_DEVICE unsigned int __match_any_sync(unsigned int mask, T v)                                                    \
    {                                                                                                                  \
        return __match##bits##_any_sync(mask, __builtin_bit_cast(U, v));                                               \
    }                                                                                                                  \
    LS_DEVICE unsigned int __match_all_sync(unsigned int mask, T v, int *all)                                          \
    {                                                                                                                  \
        return __match##bits##_all_sync(mask, __builtin_bit_cast(U, v), all);                                          \
    }
LS_MATCH(int, 32, unsigned int)
LS_MATCH(unsigned int, 32, unsigned int)
LS_MATCH(float, 32, unsigned int)
LS_MATCH(long, 64, unsigned long)
LS_MATCH(unsigned long, 64, unsigned long)
LS_MATCH(long long, 64, unsigned long long)
LS_MATCH(unsigned long long, 64, unsigned long long)
LS_MATCH(double, 64, unsigned long long)
#undef LS_MATCH

LS_DEVICE void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory"); }

#undef LS_DEVICE

#endif
