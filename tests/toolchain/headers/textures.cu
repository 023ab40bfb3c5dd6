/* textures.cu - texture and surface objects (test_headers.c). objects.c makes them and puts their handles into
 * objects[]: textures of floats in one, two and three dimensions, layers and a cube; of bytes, read as bytes and as
 * fractions; memory; and surfaces of the same arrays. */
__constant__ unsigned long long objects[16];

enum {
    LINE,
    IMAGE,
    BLOCK,
    LINES,
    IMAGES,
    CUBE,
    BYTES,
    FRACTIONS,
    MEMORY,
    S_LINE,
    S_IMAGE,
    S_BLOCK,
    S_LINES,
    S_IMAGES,
    S_WIDE
};

__device__ unsigned bits(float f)
{
    return (unsigned)__float_as_int(f);
}
__device__ unsigned bits(float4 v)
{
    return bits(v.x) ^ bits(v.y) * 3 ^ bits(v.z) * 5 ^ bits(v.w) * 7;
}
__device__ unsigned bits(uchar4 v)
{
    return v.x | (unsigned)v.y << 8 | (unsigned)v.z << 16 | (unsigned)v.w << 24;
}

extern "C" __global__ void texture_read(unsigned *out, const unsigned *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = (float)(in[i] & 255) / 16 - 2, y = (float)(in[i] >> 8 & 255) / 16 - 2,
                z = (float)(in[i] >> 16 & 31) / 4;
    const int layer = (int)(in[i] >> 21 & 3);
    out += 16 * i;
    out[0] = bits(tex1D<float>(objects[LINE], x));
    out[1] = bits(tex2D<float>(objects[IMAGE], x, y));
    out[2] = bits(tex3D<float>(objects[BLOCK], x, y, z));
    out[3] = bits(tex1DLayered<float>(objects[LINES], x, layer));
    out[4] = bits(tex2DLayered<float>(objects[IMAGES], x, y, layer));
    out[5] = bits(tex2D<uchar4>(objects[BYTES], x, y));
    out[6] = bits(tex2D<float4>(objects[FRACTIONS], x, y));
    out[7] = tex1Dfetch<uint2>(objects[MEMORY], (int)(in[i] & 31)).y;
    out[8] = bits(tex2Dgather<float4>(objects[IMAGE], x, y));
    out[9] = bits(tex2Dgather<uchar4>(objects[BYTES], x, y, 2));
    out[10] = bits(tex2DLod<float>(objects[IMAGE], x, y, 0.0f));
    out[11] = bits(tex2DGrad<float>(objects[IMAGE], x, y, make_float2(0.5f, 0), make_float2(0, 0.5f)));
    out[12] = bits(tex2DLayeredLod<float>(objects[IMAGES], x, y, layer, 0.0f));
    float value;
    tex3D(&value, objects[BLOCK], y, x, z);
    out[13] = bits(value);
    out[14] = tex2D<uchar4>(objects[BYTES], y, x).z;
}

extern "C" __global__ void texture_cube(unsigned *out, const unsigned *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = (float)(in[i] & 255) / 128 - 1, y = (float)(in[i] >> 8 & 255) / 128 - 1,
                z = (float)(in[i] >> 16 & 255) / 128 - 1;
    out[16 * i] = bits(texCubemap<float>(objects[CUBE], x, y, z));
    out[16 * i + 1] = bits(texCubemapLod<float>(objects[CUBE], y, z, x, 0.0f));
}

/* A thread a texel of 16 x 16, in 4 layers or slices. */
extern "C" __global__ void texture_surfaces(unsigned *out, const unsigned *in)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), x = i % 16, y = i / 16 % 16, z = i / 256;
    const float value = (float)(in[i] & 1023);
    out += 16 * i;
    if (y == 0 && z == 0)
        surf1Dwrite(value, objects[S_LINE], x * 4);
    if (z == 0) {
        surf2Dwrite(value + 1, objects[S_IMAGE], x * 4, y);
        surf2Dwrite(make_float4(value, 2, value, 3), objects[S_WIDE], x * 16, y, cudaBoundaryModeClamp);
    }
    if (y == 0)
        surf1DLayeredwrite(value + 2, objects[S_LINES], x * 4, z);
    surf3Dwrite(value + 3, objects[S_BLOCK], x * 4, y, z);
    surf2DLayeredwrite(value + 4, objects[S_IMAGES], x * 4, y, z, cudaBoundaryModeZero);
    out[0] = y == 0 && z == 0 ? bits(surf1Dread<float>(objects[S_LINE], x * 4)) : 0;
    out[1] = z == 0 ? bits(surf2Dread<float>(objects[S_IMAGE], x * 4, y)) : 0;
    out[2] = bits(surf3Dread<float>(objects[S_BLOCK], x * 4, y, z));
    out[3] = y == 0 ? bits(surf1DLayeredread<float>(objects[S_LINES], x * 4, z)) : 0;
    float read;
    surf2DLayeredread(&read, objects[S_IMAGES], x * 4, y, z);
    out[4] = bits(read);
    out[5] = z == 0 ? bits(surf2Dread<float4>(objects[S_WIDE], x * 16, y)) : 0;
    out[6] = bits(surf2Dread<float>(objects[S_IMAGE], x * 4 - 32, y - 20, cudaBoundaryModeZero));
    out[7] = bits(surf3Dread<uchar4>(objects[S_BLOCK], -4, 3, 1, cudaBoundaryModeZero));
}
