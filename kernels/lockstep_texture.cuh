/* lockstep_texture.cuh - one texel of a texture, as a function for both compilers.
 *
 * CUDA C++ calls it tex2D<float>(texture, x, y); clang without a toolkit has no such name, and the instruction is the
 * same. volatile, so that it is carried out as often as the source says. */
#ifndef LOCKSTEP_TEXTURE_CUH
#define LOCKSTEP_TEXTURE_CUH

#include "lockstep_device.cuh"

/* What cudaTextureObject_t is. */
typedef unsigned long long texture_object;

/* At x, y in texels: the middle of texel (i, j) is at (i + 0.5, j + 0.5). */
static __device__ __forceinline__ float sample(texture_object texture, float x, float y)
{
    float4 channels; // of which our textures have one
    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                 : "=f"(channels.x), "=f"(channels.y), "=f"(channels.z), "=f"(channels.w)
                 : "l"(texture), "f"(x), "f"(y));
    return channels.x;
}

#endif
