/* vector_types.h - the vector types of CUDA C: char1 to double4, and dim3.
 *
 * Sizes and alignments are those of NVIDIA's published interface: vectors of two and four have the alignment of the
 * whole, up to 16 bytes; vectors of three that of their element. A test compares them with a toolkit's header where
 * there is one. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#define LS_VECTOR_1(type, name)                                                                                        \
    struct name {                                                                                                      \
        type x;                                                                                                        \
    };                                                                                                                 \
    typedef struct name name;
#define LS_VECTOR_2(type, name, align)                                                                                 \
    struct __attribute__((aligned(align))) name {                                                                      \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    typedef struct name name;
#define LS_VECTOR_3(type, name)                                                                                        \
    struct name {                                                                                                      \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    typedef struct name name;
#define LS_VECTOR_4(type, name, align)                                                                                 \
    struct __attribute__((aligned(align))) name {                                                                      \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    typedef struct name name;

#define LS_VECTORS(type, name, align2, align4)                                                                         \
    LS_VECTOR_1(type, name##1)                                                                                         \
    LS_VECTOR_2(type, name##2, align2)                                                                                 \
    LS_VECTOR_3(type, name##3)                                                                                         \
    LS_VECTOR_4(type, name##4, align4)

LS_VECTORS(signed char, char, 2, 4)
LS_VECTORS(unsigned char, uchar, 2, 4)
LS_VECTORS(short, short, 4, 8)
LS_VECTORS(unsigned short, ushort, 4, 8)
LS_VECTORS(int, int, 8, 16)
LS_VECTORS(unsigned int, uint, 8, 16)
LS_VECTORS(long, long, 16, 16)
LS_VECTORS(unsigned long, ulong, 16, 16)
LS_VECTORS(long long, longlong, 16, 16)
LS_VECTORS(unsigned long long, ulonglong, 16, 16)
LS_VECTORS(float, float, 8, 16)
LS_VECTORS(double, double, 16, 16)

/* Vectors of 32 bytes exist with both alignments. */
LS_VECTOR_4(long, long4_16a, 16)
LS_VECTOR_4(long, long4_32a, 32)
LS_VECTOR_4(unsigned long, ulong4_16a, 16)
LS_VECTOR_4(unsigned long, ulong4_32a, 32)
LS_VECTOR_4(long long, longlong4_16a, 16)
LS_VECTOR_4(long long, longlong4_32a, 32)
LS_VECTOR_4(unsigned long long, ulonglong4_16a, 16)
LS_VECTOR_4(unsigned long long, ulonglong4_32a, 32)
LS_VECTOR_4(double, double4_16a, 16)
LS_VECTOR_4(double, double4_32a, 32)

#undef LS_VECTORS
#undef LS_VECTOR_1
#undef LS_VECTOR_2
#undef LS_VECTOR_3
#undef LS_VECTOR_4

/* The size of a grid or a block; what is not given is 1. constexpr functions (C++11) are device functions too. */
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
