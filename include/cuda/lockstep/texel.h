/* texel.h - the element types that textures and surfaces have: a scalar, or a vector of one, two or four of it. */
#ifndef LOCKSTEP_TEXEL_H
#define LOCKSTEP_TEXEL_H

#include <cuda_runtime.h>

#include "surface_types.h"
#include "texture_types.h"

namespace ls_texel {

enum number { signed_integer, unsigned_integer, floating };

/* Of a type that is none of these, nothing: using it does not compile. */
template <class T> struct texel;

#define LS_TEXEL(type, element, n, what)                                                                               \
    template <> struct texel<type> {                                                                                   \
        typedef element scalar;                                                                                        \
        static constexpr int count = n;                                                                                \
        static constexpr number kind = what;                                                                           \
    };
#define LS_TEXELS(name, element, what)                                                                                 \
    LS_TEXEL(element, element, 1, what)                                                                                \
    LS_TEXEL(name##1, element, 1, what)                                                                                \
    LS_TEXEL(name##2, element, 2, what)                                                                                \
    LS_TEXEL(name##4, element, 4, what)
LS_TEXELS(char, signed char, signed_integer)
LS_TEXELS(uchar, unsigned char, unsigned_integer)
LS_TEXELS(short, short, signed_integer)
LS_TEXELS(ushort, unsigned short, unsigned_integer)
LS_TEXELS(int, int, signed_integer)
LS_TEXELS(uint, unsigned int, unsigned_integer)
LS_TEXELS(float, float, floating)
LS_TEXEL(char, char, 1, signed_integer)
LS_TEXEL(long long, long long, 1, signed_integer)
LS_TEXEL(longlong1, long long, 1, signed_integer)
LS_TEXEL(longlong2, long long, 2, signed_integer)
LS_TEXEL(unsigned long long, unsigned long long, 1, unsigned_integer)
LS_TEXEL(ulonglong1, unsigned long long, 1, unsigned_integer)
LS_TEXEL(ulonglong2, unsigned long long, 2, unsigned_integer)
#undef LS_TEXELS
#undef LS_TEXEL

} // namespace ls_texel

#endif
