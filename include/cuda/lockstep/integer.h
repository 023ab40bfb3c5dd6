/* integer.h - dot products of the parts of words (Compute Capability 6.1 and later). */
#ifndef LOCKSTEP_INTEGER_H
#define LOCKSTEP_INTEGER_H

#define LS_DEVICE static __device__ __inline__ __attribute__((always_inline))

/* c plus the dot product; P and V are the packed and the vector type of the first two arguments' parts. */
#define LS_DOT(name, ptx, A, B, C, TA, TB)                                                                             \
    LS_DEVICE C name(TA a, TB b, C c)                                                                                  \
    {                                                                                                                  \
        C d;                                                                                                           \
        asm(ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(__builtin_bit_cast(A, a)), "r"(__builtin_bit_cast(B, b)), "r"(c));  \
        return d;                                                                                                      \
    }
LS_DOT(__dp4a, "dp4a.s32.s32", int, int, int, int, int)
LS_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int, unsigned int, unsigned int)
LS_DOT(__dp4a, "dp4a.s32.s32", int, int, int, char4, char4)
LS_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int, uchar4, uchar4)
#define LS_DOT2(half)                                                                                                  \
    LS_DOT(__dp2a_##half, "dp2a." #half ".s32.s32", int, int, int, int, int)                                           \
    LS_DOT(__dp2a_##half, "dp2a." #half ".u32.u32", unsigned int, unsigned int, unsigned int, unsigned int,            \
           unsigned int)                                                                                               \
    LS_DOT(__dp2a_##half, "dp2a." #half ".s32.s32", int, int, int, short2, char4)                                      \
    LS_DOT(__dp2a_##half, "dp2a." #half ".u32.u32", unsigned int, unsigned int, unsigned int, ushort2, uchar4)
LS_DOT2(lo)
LS_DOT2(hi)
#undef LS_DOT2
#undef LS_DOT
#undef LS_DEVICE

#endif
