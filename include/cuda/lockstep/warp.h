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

/* The builtins take the value first (redux.sync d, a, mask). */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
LS_DEVICE unsigned int __reduce_add_sync(unsigned int mask, unsigned int v)
{
    return (unsigned int)__nvvm_redux_sync_add((int)v, (int)mask);
}
LS_DEVICE int __reduce_add_sync(unsigned int mask, int v) { return __nvvm_redux_sync_add(v, (int)mask); }
LS_DEVICE unsigned int __reduce_min_sync(unsigned int mask, unsigned int v)
{
    return (unsigned int)__nvvm_redux_sync_umin(v, (int)mask);
}
LS_DEVICE int __reduce_min_sync(unsigned int mask, int v) { return __nvvm_redux_sync_min(v, (int)mask); }
LS_DEVICE unsigned int __reduce_max_sync(unsigned int mask, unsigned int v)
{
    return (unsigned int)__nvvm_redux_sync_umax(v, (int)mask);
}
LS_DEVICE int __reduce_max_sync(unsigned int mask, int v) { return __nvvm_redux_sync_max(v, (int)mask); }
LS_DEVICE unsigned int __reduce_or_sync(unsigned int mask, unsigned int v)
{
    return (unsigned int)__nvvm_redux_sync_or((int)v, (int)mask);
}
LS_DEVICE unsigned int __reduce_and_sync(unsigned int mask, unsigned int v)
{
    return (unsigned int)__nvvm_redux_sync_and((int)v, (int)mask);
}
LS_DEVICE unsigned int __reduce_xor_sync(unsigned int mask, unsigned int v)
{
    return (unsigned int)__nvvm_redux_sync_xor((int)v, (int)mask);
}
#endif

LS_DEVICE void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory"); }

#undef LS_DEVICE

#endif
