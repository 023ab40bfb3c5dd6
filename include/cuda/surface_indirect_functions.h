/* surface_indirect_functions.h - surface objects in device code: surf1Dread, surf2Dwrite and the like.
 *
 * The names and meanings are those of the CUDA C++ Programming Guide, "Surface Functions": x counts bytes, the others
 * texels, and `mode` says what happens outside (cudaBoundaryModeTrap unless said). Each is one suld.b or sust.b
 * instruction. A cube map is a layered surface whose layers are faces. */
#ifndef __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#if defined(__cplusplus) && defined(__CUDA__)

#include "lockstep/texel.h"

#define LS_D static __device__ __forceinline__

namespace ls_surface {

/* The registers of a channel of so many bytes, and an element as its channels. */
template <int Bytes> struct word;
template <> struct word<1> {
    typedef unsigned short type;
};
template <> struct word<2> {
    typedef unsigned short type;
};
template <> struct word<4> {
    typedef unsigned type;
};
template <> struct word<8> {
    typedef unsigned long long type;
};

template <class T> struct shape {
    typedef typename ls_texel::texel<T>::scalar scalar;
    static constexpr int bytes = sizeof(scalar), count = ls_texel::texel<T>::count;
    typedef typename word<bytes>::type type;
    static_assert(bytes * count <= 16, "a surface's elements have at most 16 bytes");
};

/* By which a load or store of so many channels of so many bytes is picked. */
template <int Bytes, int Count> struct form {};

} // namespace ls_surface

#define LS_LIST(...) __VA_ARGS__

/* Loads and stores of one width and count, for the three modes. The coordinates' text counts from %(outputs) on. */
#define LS_BY_MODE(before, after, ...)                                                                                 \
    if (mode == cudaBoundaryModeZero)                                                                                  \
        asm volatile(before "zero" after __VA_ARGS__ : "memory");                                                      \
    else if (mode == cudaBoundaryModeClamp)                                                                            \
        asm volatile(before "clamp" after __VA_ARGS__ : "memory");                                                     \
    else                                                                                                               \
        asm volatile(before "trap" after __VA_ARGS__ : "memory");

#define LS_FORM_1(geometry, bytes, word, ptx, in, params, operands, at)                                                \
    LS_D void load(form<bytes, 1>, word *r, cudaSurfaceObject_t surface, LS_LIST params,                               \
                   cudaSurfaceBoundaryMode mode){                                                                      \
        LS_BY_MODE("suld.b." geometry "." ptx ".", " {%0}, [%1, " at##_FROM_2 "];", : "=" in(r[0]) : "l"(surface),     \
                   LS_LIST operands)} LS_D void store(form<bytes, 1>, const word *r, cudaSurfaceObject_t surface,      \
                                                      LS_LIST params, cudaSurfaceBoundaryMode mode)                    \
    {                                                                                                                  \
        LS_BY_MODE("sust.b." geometry "." ptx ".", " [%1, " at##_FROM_2 "], {%0};", ::in(r[0]), "l"(surface),          \
                   LS_LIST operands)                                                                                   \
    }
#define LS_FORM_2(geometry, bytes, word, ptx, in, params, operands, at)                                                \
    LS_D void load(form<bytes, 2>, word *r, cudaSurfaceObject_t surface, LS_LIST params,                               \
                   cudaSurfaceBoundaryMode mode){LS_BY_MODE(                                                           \
        "suld.b." geometry ".v2." ptx ".", " {%0, %1}, [%2, " at##_FROM_3 "];", : "=" in(r[0]),                        \
        "=" in(r[1]) : "l"(surface), LS_LIST operands)} LS_D void store(form<bytes, 2>, const word *r,                 \
                                                                        cudaSurfaceObject_t surface, LS_LIST params,   \
                                                                        cudaSurfaceBoundaryMode mode)                  \
    {                                                                                                                  \
        LS_BY_MODE("sust.b." geometry ".v2." ptx ".", " [%2, " at##_FROM_3 "], {%0, %1};", ::in(r[0]), in(r[1]),       \
                   "l"(surface), LS_LIST operands)                                                                     \
    }
#define LS_FORM_4(geometry, bytes, word, ptx, in, params, operands, at)                                                \
    LS_D void load(form<bytes, 4>, word *r, cudaSurfaceObject_t surface, LS_LIST params,                               \
                   cudaSurfaceBoundaryMode mode){                                                                      \
        LS_BY_MODE("suld.b." geometry ".v4." ptx ".", " {%0, %1, %2, %3}, [%4, " at##_FROM_5 "];", : "=" in(r[0]),     \
                   "=" in(r[1]), "=" in(r[2]), "=" in(r[3]) : "l"(surface),                                            \
                   LS_LIST operands)} LS_D void store(form<bytes, 4>, const word *r, cudaSurfaceObject_t surface,      \
                                                      LS_LIST params, cudaSurfaceBoundaryMode mode)                    \
    {                                                                                                                  \
        LS_BY_MODE("sust.b." geometry ".v4." ptx ".", " [%4, " at##_FROM_5 "], {%0, %1, %2, %3};", ::in(r[0]),         \
                   in(r[1]), in(r[2]), in(r[3]), "l"(surface), LS_LIST operands)                                       \
    }

#define LS_FORMS(geometry, params, operands, at)                                                                       \
    LS_FORM_1(geometry, 1, unsigned short, "b8", "h", params, operands, at)                                            \
    LS_FORM_2(geometry, 1, unsigned short, "b8", "h", params, operands, at)                                            \
    LS_FORM_4(geometry, 1, unsigned short, "b8", "h", params, operands, at)                                            \
    LS_FORM_1(geometry, 2, unsigned short, "b16", "h", params, operands, at)                                           \
    LS_FORM_2(geometry, 2, unsigned short, "b16", "h", params, operands, at)                                           \
    LS_FORM_4(geometry, 2, unsigned short, "b16", "h", params, operands, at)                                           \
    LS_FORM_1(geometry, 4, unsigned, "b32", "r", params, operands, at)                                                 \
    LS_FORM_2(geometry, 4, unsigned, "b32", "r", params, operands, at)                                                 \
    LS_FORM_4(geometry, 4, unsigned, "b32", "r", params, operands, at)                                                 \
    LS_FORM_1(geometry, 8, unsigned long long, "b64", "l", params, operands, at)                                       \
    LS_FORM_2(geometry, 8, unsigned long long, "b64", "l", params, operands, at)

/* The coordinates' texts: one, two, three numbers, a layer and one, a layer and two. */
#define LS_1_FROM_2 "{%2}"
#define LS_1_FROM_3 "{%3}"
#define LS_1_FROM_5 "{%5}"
#define LS_2_FROM_2 "{%2, %3}"
#define LS_2_FROM_3 "{%3, %4}"
#define LS_2_FROM_5 "{%5, %6}"
#define LS_3_FROM_2 "{%2, %3, %4, %4}"
#define LS_3_FROM_3 "{%3, %4, %5, %5}"
#define LS_3_FROM_5 "{%5, %6, %7, %7}"

namespace ls_surface {
namespace one {
LS_FORMS("1d", (int x), ("r"(x)), LS_1)
}
namespace two {
LS_FORMS("2d", (int x, int y), ("r"(x), "r"(y)), LS_2)
}
namespace three {
LS_FORMS("3d", (int x, int y, int z), ("r"(x), "r"(y), "r"(z)), LS_3)
}
namespace one_layered {
LS_FORMS("a1d", (int x, int layer), ("r"(layer), "r"(x)), LS_2)
}
namespace two_layered {
LS_FORMS("a2d", (int x, int y, int layer), ("r"(layer), "r"(x), "r"(y)), LS_3)
}
} // namespace ls_surface

#define LS_SURFACE(name, geometry, params, names)                                                                      \
    template <class T>                                                                                                 \
    LS_D T name##read(cudaSurfaceObject_t surface, LS_LIST params,                                                     \
                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                             \
    {                                                                                                                  \
        typedef ls_surface::shape<T> shape;                                                                            \
        typename shape::type words[shape::count];                                                                      \
        typename shape::scalar channels[shape::count];                                                                 \
        ls_surface::geometry::load(ls_surface::form<shape::bytes, shape::count>(), words, surface, LS_LIST names,      \
                                   mode);                                                                              \
        for (int i = 0; i < shape::count; i++)                                                                         \
            __builtin_memcpy(&channels[i], &words[i], sizeof channels[i]);                                             \
        T value;                                                                                                       \
        __builtin_memcpy(&value, channels, sizeof value);                                                              \
        return value;                                                                                                  \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    LS_D void name##read(T *result, cudaSurfaceObject_t surface, LS_LIST params,                                       \
                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                          \
    {                                                                                                                  \
        *result = name##read<T>(surface, LS_LIST names, mode);                                                         \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    LS_D void name##write(T value, cudaSurfaceObject_t surface, LS_LIST params,                                        \
                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                         \
    {                                                                                                                  \
        typedef ls_surface::shape<T> shape;                                                                            \
        typename shape::type words[shape::count] = {};                                                                 \
        typename shape::scalar channels[shape::count];                                                                 \
        __builtin_memcpy(channels, &value, sizeof value);                                                              \
        for (int i = 0; i < shape::count; i++)                                                                         \
            __builtin_memcpy(&words[i], &channels[i], sizeof channels[i]);                                             \
        ls_surface::geometry::store(ls_surface::form<shape::bytes, shape::count>(), words, surface, LS_LIST names,     \
                                    mode);                                                                             \
    }

LS_SURFACE(surf1D, one, (int x), (x))
LS_SURFACE(surf2D, two, (int x, int y), (x, y))
LS_SURFACE(surf3D, three, (int x, int y, int z), (x, y, z))
LS_SURFACE(surf1DLayered, one_layered, (int x, int layer), (x, layer))
LS_SURFACE(surf2DLayered, two_layered, (int x, int y, int layer), (x, y, layer))
LS_SURFACE(surfCubemap, two_layered, (int x, int y, int face), (x, y, face))
LS_SURFACE(surfCubemapLayered, two_layered, (int x, int y, int layer_face), (x, y, layer_face))

#undef LS_SURFACE
#undef LS_FORMS
#undef LS_FORM_1
#undef LS_FORM_2
#undef LS_FORM_4
#undef LS_BY_MODE
#undef LS_1_FROM_2
#undef LS_1_FROM_3
#undef LS_1_FROM_5
#undef LS_2_FROM_2
#undef LS_2_FROM_3
#undef LS_2_FROM_5
#undef LS_3_FROM_2
#undef LS_3_FROM_3
#undef LS_3_FROM_5
#undef LS_LIST
#undef LS_D
#endif

#endif
