/* texture_indirect_functions.h - texture objects in device code: tex1D, tex2D, tex3D and the like, of every element
 * type.
 *
 * The names and meanings are those of the CUDA C++ Programming Guide, "Texture Functions"; each is one tex or tld4
 * instruction, which gives four channels as floats, signed or unsigned words: of them a narrower type keeps what it
 * has. A float from a texture of integers is what cudaReadModeNormalizedFloat reads. Variants that report residency
 * (sparse textures) are not provided. */
#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#if defined(__cplusplus) && defined(__CUDA__)

#include "lockstep/texel.h"

#define LS_D static __device__ __forceinline__

namespace ls_texture {

/* What an instruction gives for a type: four words of its kind. */
template <ls_texel::number Kind> struct words {
    typedef int type[4];
};
template <> struct words<ls_texel::unsigned_integer> {
    typedef unsigned type[4];
};
template <> struct words<ls_texel::floating> {
    typedef float type[4];
};
template <class T> using words_of = typename words<ls_texel::texel<T>::kind>::type;

template <class T, class Word> LS_D T narrow(const Word (&word)[4])
{
    typedef typename ls_texel::texel<T>::scalar scalar;
    static_assert(sizeof(scalar) <= 4, "a texture's elements have at most 32 bits a channel");
    scalar channels[ls_texel::texel<T>::count];
    for (int i = 0; i < ls_texel::texel<T>::count; i++)
        channels[i] = (scalar)word[i];
    T value;
    __builtin_memcpy(&value, channels, sizeof value);
    return value;
}

} // namespace ls_texture

#define LS_LIST(...) __VA_ARGS__

/* For a word type: the instruction `op` with the coordinates of `text`, which count from %5. */
#define LS_FETCH(name, word, ptx, out, op, from, text, params, operands)                                               \
    LS_D void name(word(&r)[4], cudaTextureObject_t texture, LS_LIST params)                                           \
    {                                                                                                                  \
        asm(op ".v4." ptx "." from " {%0, %1, %2, %3}, [%4, " text ";"                                                 \
            : out(r[0]), out(r[1]), out(r[2]), out(r[3])                                                               \
            : "l"(texture), LS_LIST operands);                                                                         \
    }
/* The function, which returns its value or stores it. */
#define LS_TEXTURE(name, op, from, text, params, names, operands)                                                      \
    namespace ls_texture {                                                                                             \
    LS_FETCH(fetch_##name, float, "f32", "=f", op, from, text, params, operands)                                       \
    LS_FETCH(fetch_##name, int, "s32", "=r", op, from, text, params, operands)                                         \
    LS_FETCH(fetch_##name, unsigned, "u32", "=r", op, from, text, params, operands)                                    \
    }                                                                                                                  \
    template <class T> LS_D T name(cudaTextureObject_t texture, LS_LIST params)                                        \
    {                                                                                                                  \
        ls_texture::words_of<T> words;                                                                                 \
        ls_texture::fetch_##name(words, texture, LS_LIST names);                                                       \
        return ls_texture::narrow<T>(words);                                                                           \
    }                                                                                                                  \
    template <class T> LS_D void name(T *result, cudaTextureObject_t texture, LS_LIST params)                          \
    {                                                                                                                  \
        *result = name<T>(texture, LS_LIST names);                                                                     \
    }

/* ---- at a place ---- */

LS_TEXTURE(tex1Dfetch, "tex.1d", "s32", "{%5}]", (int x), (x), ("r"(x)))
LS_TEXTURE(tex1D, "tex.1d", "f32", "{%5}]", (float x), (x), ("f"(x)))
LS_TEXTURE(tex2D, "tex.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), ("f"(x), "f"(y)))
LS_TEXTURE(tex3D, "tex.3d", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), (x, y, z),
           ("f"(x), "f"(y), "f"(z)))
LS_TEXTURE(tex1DLayered, "tex.a1d", "f32", "{%5, %6}]", (float x, int layer), (x, layer), ("r"(layer), "f"(x)))
LS_TEXTURE(tex2DLayered, "tex.a2d", "f32", "{%5, %6, %7, %7}]", (float x, float y, int layer), (x, y, layer),
           ("r"(layer), "f"(x), "f"(y)))
LS_TEXTURE(texCubemap, "tex.cube", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), (x, y, z),
           ("f"(x), "f"(y), "f"(z)))
LS_TEXTURE(texCubemapLayered, "tex.acube", "f32", "{%5, %6, %7, %8}]", (float x, float y, float z, int layer),
           (x, y, z, layer), ("r"(layer), "f"(x), "f"(y), "f"(z)))

/* ---- at a level of detail ---- */

LS_TEXTURE(tex1DLod, "tex.level.1d", "f32", "{%5}], %6", (float x, float level), (x, level), ("f"(x), "f"(level)))
LS_TEXTURE(tex2DLod, "tex.level.2d", "f32", "{%5, %6}], %7", (float x, float y, float level), (x, y, level),
           ("f"(x), "f"(y), "f"(level)))
LS_TEXTURE(tex3DLod, "tex.level.3d", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, float z, float level),
           (x, y, z, level), ("f"(x), "f"(y), "f"(z), "f"(level)))
LS_TEXTURE(tex1DLayeredLod, "tex.level.a1d", "f32", "{%5, %6}], %7", (float x, int layer, float level),
           (x, layer, level), ("r"(layer), "f"(x), "f"(level)))
LS_TEXTURE(tex2DLayeredLod, "tex.level.a2d", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, int layer, float level),
           (x, y, layer, level), ("r"(layer), "f"(x), "f"(y), "f"(level)))
LS_TEXTURE(texCubemapLod, "tex.level.cube", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, float z, float level),
           (x, y, z, level), ("f"(x), "f"(y), "f"(z), "f"(level)))
LS_TEXTURE(texCubemapLayeredLod, "tex.level.acube", "f32", "{%5, %6, %7, %8}], %9",
           (float x, float y, float z, int layer, float level), (x, y, z, layer, level),
           ("r"(layer), "f"(x), "f"(y), "f"(z), "f"(level)))

/* ---- with derivatives, of which the level of detail is worked out ---- */

LS_TEXTURE(tex1DGrad, "tex.grad.1d", "f32", "{%5}], {%6}, {%7}", (float x, float dx, float dy), (x, dx, dy),
           ("f"(x), "f"(dx), "f"(dy)))
LS_TEXTURE(tex2DGrad, "tex.grad.2d", "f32", "{%5, %6}], {%7, %8}, {%9, %10}", (float x, float y, float2 dx, float2 dy),
           (x, y, dx, dy), ("f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
LS_TEXTURE(tex3DGrad, "tex.grad.3d", "f32", "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
           (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy),
           ("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)))
LS_TEXTURE(tex1DLayeredGrad, "tex.grad.a1d", "f32", "{%5, %6}], {%7}, {%8}", (float x, int layer, float dx, float dy),
           (x, layer, dx, dy), ("r"(layer), "f"(x), "f"(dx), "f"(dy)))
LS_TEXTURE(tex2DLayeredGrad, "tex.grad.a2d", "f32", "{%5, %6, %7, %7}], {%8, %9}, {%10, %11}",
           (float x, float y, int layer, float2 dx, float2 dy), (x, y, layer, dx, dy),
           ("r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
LS_TEXTURE(texCubemapGrad, "tex.grad.cube", "f32", "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
           (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy),
           ("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)))
LS_TEXTURE(texCubemapLayeredGrad, "tex.grad.acube", "f32",
           "{%5, %6, %7, %8}], {%9, %10, %11, %11}, {%12, %13, %14, %14}",
           (float x, float y, float z, int layer, float4 dx, float4 dy), (x, y, z, layer, dx, dy),
           ("r"(layer), "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)))

/* ---- one channel of the four texels that a linear filter would take ---- */

#define LS_GATHER(channel)                                                                                             \
    LS_FETCH(gather_##channel, float, "f32", "=f", "tld4." #channel ".2d", "f32", "{%5, %6}]", (float x, float y),     \
             ("f"(x), "f"(y)))                                                                                         \
    LS_FETCH(gather_##channel, int, "s32", "=r", "tld4." #channel ".2d", "f32", "{%5, %6}]", (float x, float y),       \
             ("f"(x), "f"(y)))                                                                                         \
    LS_FETCH(gather_##channel, unsigned, "u32", "=r", "tld4." #channel ".2d", "f32", "{%5, %6}]", (float x, float y),  \
             ("f"(x), "f"(y)))
namespace ls_texture {
LS_GATHER(r)
LS_GATHER(g)
LS_GATHER(b)
LS_GATHER(a)
} // namespace ls_texture
#undef LS_GATHER

template <class T> LS_D T tex2Dgather(cudaTextureObject_t texture, float x, float y, int channel = 0)
{
    ls_texture::words_of<T> words;
    if (channel == 1)
        ls_texture::gather_g(words, texture, x, y);
    else if (channel == 2)
        ls_texture::gather_b(words, texture, x, y);
    else if (channel == 3)
        ls_texture::gather_a(words, texture, x, y);
    else
        ls_texture::gather_r(words, texture, x, y);
    return ls_texture::narrow<T>(words);
}
template <class T> LS_D void tex2Dgather(T *result, cudaTextureObject_t texture, float x, float y, int channel = 0)
{
    *result = tex2Dgather<T>(texture, x, y, channel);
}

#undef LS_TEXTURE
#undef LS_FETCH
#undef LS_LIST
#undef LS_D
#endif

#endif
