/* cache_hints.h - loads and stores that say how they use the caches: __ldcg(), __stcs() and their like.
 *
 * Each is one instruction of the global state space with its cache operator. They are volatile and order memory as the
 * compiler sees it: a loop may poll with one. */
#ifndef LOCKSTEP_CACHE_HINTS_H
#define LOCKSTEP_CACHE_HINTS_H

#define LS_DEVICE static __device__ __inline__ __attribute__((always_inline))

/* T in memory, P its PTX type, R what carries it in a register, C its constraint. */
#define LS_LD1(f, op, T, P, R, C)                                                                                      \
    LS_DEVICE T f(const T *p)                                                                                          \
    {                                                                                                                  \
        R v;                                                                                                           \
        asm volatile("ld.global." op "." P " %0, [%1];" : "=" C(v) : "l"(p) : "memory");                               \
        return (T)v;                                                                                                   \
    }
#define LS_LD2(f, op, T, E, P, R, C)                                                                                   \
    LS_DEVICE T f(const T *p)                                                                                          \
    {                                                                                                                  \
        R x, y;                                                                                                        \
        asm volatile("ld.global." op ".v2." P " {%0, %1}, [%2];" : "=" C(x), "=" C(y) : "l"(p) : "memory");            \
        return T{(E)x, (E)y};                                                                                          \
    }
#define LS_LD4(f, op, T, E, P, R, C)                                                                                   \
    LS_DEVICE T f(const T *p)                                                                                          \
    {                                                                                                                  \
        R x, y, z, w;                                                                                                  \
        asm volatile("ld.global." op ".v4." P " {%0, %1, %2, %3}, [%4];"                                               \
                     : "=" C(x), "=" C(y), "=" C(z), "=" C(w)                                                          \
                     : "l"(p)                                                                                          \
                     : "memory");                                                                                      \
        return T{(E)x, (E)y, (E)z, (E)w};                                                                              \
    }
#define LS_ST1(f, op, T, P, R, C)                                                                                      \
    LS_DEVICE void f(T *p, T v) { asm volatile("st.global." op "." P " [%0], %1;" ::"l"(p), C((R)v) : "memory"); }
#define LS_ST2(f, op, T, E, P, R, C)                                                                                   \
    LS_DEVICE void f(T *p, T v)                                                                                        \
    {                                                                                                                  \
        asm volatile("st.global." op ".v2." P " [%0], {%1, %2};" ::"l"(p), C((R)v.x), C((R)v.y) : "memory");           \
    }
#define LS_ST4(f, op, T, E, P, R, C)                                                                                   \
    LS_DEVICE void f(T *p, T v)                                                                                        \
    {                                                                                                                  \
        asm volatile("st.global." op ".v4." P " [%0], {%1, %2, %3, %4};" ::"l"(p), C((R)v.x), C((R)v.y), C((R)v.z),    \
                     C((R)v.w)                                                                                         \
                     : "memory");                                                                                      \
    }
/* All types that the functions take; X is LD or ST. 8-bit values travel in 16-bit registers. */
#define LS_CACHED(X, f, op)                                                                                            \
    LS_##X##1(f, op, char, "s8", short, "h")LS_##X##1(f, op, signed char, "s8", short, "h")LS_##X##1(                  \
        f, op, unsigned char, "u8", unsigned short,                                                                    \
        "h")LS_##X##1(f, op, short, "s16", short, "h")LS_##X##1(f, op, unsigned short, "u16", unsigned short, "h")     \
        LS_##X##1(f, op, int, "s32", int, "r")LS_##X##1(f, op, unsigned int, "u32", unsigned int, "r")LS_##X##1(       \
            f, op, long, "s64", long, "l")LS_##X##1(f, op, unsigned long, "u64", unsigned long,                        \
                                                    "l")LS_##X##1(f, op, long long, "s64", long long,                  \
                                                                  "l")LS_##X##1(f, op, unsigned long long, "u64",      \
                                                                                unsigned long long, "l")               \
            LS_##X##1(f, op, float, "f32", float, "f")LS_##X##1(f, op, double, "f64", double, "d")LS_##X##2(           \
                f, op, char2, signed char, "s8", short,                                                                \
                "h")LS_##X##4(f, op, char4, signed char, "s8", short,                                                  \
                              "h")LS_##X##2(f, op, uchar2, unsigned char, "u8", unsigned short,                        \
                                            "h")LS_##X##4(f, op, uchar4, unsigned char, "u8", unsigned short,          \
                                                          "h")LS_##X##2(f, op, short2, short, "s16", short, "h")       \
                LS_##X##4(f, op, short4, short, "s16", short,                                                          \
                          "h")LS_##X##2(f, op, ushort2, unsigned short, "u16", unsigned short,                         \
                                        "h")LS_##X##4(f, op, ushort4, unsigned short, "u16", unsigned short, "h")      \
                    LS_##X##2(f, op, int2, int, "s32", int, "r")LS_##X##4(f, op, int4, int, "s32", int, "r")LS_##X##2( \
                        f, op, uint2, unsigned int, "u32", unsigned int,                                               \
                        "r")LS_##X##4(f, op, uint4, unsigned int, "u32", unsigned int,                                 \
                                      "r")LS_##X##2(f, op, longlong2, long long, "s64", long long, "l")                \
                        LS_##X##2(f, op, ulonglong2, unsigned long long, "u64", unsigned long long, "l")LS_##X##2(     \
                            f, op, float2, float, "f32", float, "f")LS_##X##4(f, op, float4, float, "f32", float,      \
                                                                              "f")LS_##X##2(f, op, double2, double,    \
                                                                                            "f64", double, "d")

LS_CACHED(LD, __ldca, "ca")
LS_CACHED(LD, __ldcg, "cg")
LS_CACHED(LD, __ldcs, "cs")
LS_CACHED(LD, __ldlu, "lu")
LS_CACHED(LD, __ldcv, "cv")
LS_CACHED(ST, __stwb, "wb")
LS_CACHED(ST, __stcg, "cg")
LS_CACHED(ST, __stcs, "cs")
LS_CACHED(ST, __stwt, "wt")

#undef LS_CACHED
#undef LS_ST4
#undef LS_ST2
#undef LS_ST1
#undef LS_LD4
#undef LS_LD2
#undef LS_LD1
#undef LS_DEVICE

#endif
