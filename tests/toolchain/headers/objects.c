/* objects.c - see objects.h. The order of the handles is textures.cu's. Arrays are 16 texels wide and high, 4 deep or
 * layers, 6 for the cube; a texel's value follows from its place. */
#include "objects.h"

#include <stdbool.h>
#include <stddef.h>

enum { SIDE = 16, DEPTH = 4, FACES = 6, WORDS = SIDE * SIDE * FACES };

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        CUresult r_ = (call);                                                                                          \
        if (r_ != CUDA_SUCCESS)                                                                                        \
            return r_;                                                                                                 \
    } while (0)

struct shape {
    size_t width, height, depth;
    unsigned flags;
    CUarray_format format;
    unsigned channels;
};

/* An array with its texels: whole numbers as floats, or bytes. */
static CUresult array_make(const struct shape *s, CUarray *array)
{
    static float numbers[4 * WORDS];
    static unsigned char bytes[4 * WORDS];
    for (unsigned i = 0; i < 4 * WORDS; i++) {
        numbers[i] = (float)(i * 37 % 1000);
        bytes[i] = (unsigned char)(i * 73 + 5);
    }
    const bool wide = s->format == CU_AD_FORMAT_FLOAT;
    const size_t row = s->width * s->channels * (wide ? sizeof(float) : 1);
    const CUDA_ARRAY3D_DESCRIPTOR d = {s->width, s->height, s->depth, s->format, s->channels, s->flags};
    TRY(cuArray3DCreate_v2(array, &d));
    const CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = wide ? (const void *)numbers : bytes,
                             .srcPitch = row,
                             .srcHeight = s->height ? s->height : 1,
                             .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                             .dstArray = *array,
                             .WidthInBytes = row,
                             .Height = s->height ? s->height : 1,
                             .Depth = s->depth ? s->depth : 1};
    return cuMemcpy3D_v2(&c);
}

static CUresult texture_make(const struct shape *s, CUfilter_mode filter, unsigned flags, CUtexObject *t)
{
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    const CUDA_TEXTURE_DESC d = {
        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
        .filterMode = filter,
        .flags = flags};
    TRY(array_make(s, &r.res.array.hArray));
    return cuTexObjectCreate(t, &r, &d, NULL);
}

static CUresult memory_make(CUtexObject *t)
{
    static unsigned words[64];
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR};
    const CUDA_TEXTURE_DESC d = {.flags = CU_TRSF_READ_AS_INTEGER};
    for (unsigned i = 0; i < 64; i++)
        words[i] = i * i;
    TRY(cuMemAlloc_v2(&r.res.linear.devPtr, sizeof words));
    TRY(cuMemcpyHtoD_v2(r.res.linear.devPtr, words, sizeof words));
    r.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
    r.res.linear.numChannels = 2;
    r.res.linear.sizeInBytes = sizeof words;
    return cuTexObjectCreate(t, &r, &d, NULL);
}

static CUresult surface_make(const struct shape *s, CUsurfObject *o)
{
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    TRY(array_make(s, &r.res.array.hArray));
    return cuSurfObjectCreate(o, &r);
}

CUresult objects_make(CUmodule module)
{
    enum { LAYERS = CUDA_ARRAY3D_LAYERED, STORES = CUDA_ARRAY3D_SURFACE_LDST, GATHER = CUDA_ARRAY3D_TEXTURE_GATHER };
    static const struct shape line = {SIDE, 0, 0, STORES, CU_AD_FORMAT_FLOAT, 1},
                              image = {SIDE, SIDE, 0, STORES, CU_AD_FORMAT_FLOAT, 1},
                              gathered = {SIDE, SIDE, 0, GATHER, CU_AD_FORMAT_FLOAT, 1},
                              block = {SIDE, SIDE, DEPTH, STORES, CU_AD_FORMAT_FLOAT, 1},
                              lines = {SIDE, 0, DEPTH, LAYERS | STORES, CU_AD_FORMAT_FLOAT, 1},
                              images = {SIDE, SIDE, DEPTH, LAYERS | STORES, CU_AD_FORMAT_FLOAT, 1},
                              cube = {SIDE, SIDE, FACES, CUDA_ARRAY3D_CUBEMAP, CU_AD_FORMAT_FLOAT, 1},
                              bytes = {SIDE, SIDE, 0, GATHER, CU_AD_FORMAT_UNSIGNED_INT8, 4},
                              wide = {SIDE, SIDE, 0, STORES, CU_AD_FORMAT_FLOAT, 4};
    unsigned long long handles[16] = {0};
    CUdeviceptr at;
    size_t size;
    if (cuModuleGetGlobal_v2(&at, &size, module, "objects") != CUDA_SUCCESS)
        return CUDA_SUCCESS;
    TRY(texture_make(&line, CU_TR_FILTER_MODE_LINEAR, 0, &handles[0]));
    TRY(texture_make(&gathered, CU_TR_FILTER_MODE_LINEAR, 0, &handles[1]));
    TRY(texture_make(&block, CU_TR_FILTER_MODE_LINEAR, 0, &handles[2]));
    TRY(texture_make(&lines, CU_TR_FILTER_MODE_LINEAR, 0, &handles[3]));
    TRY(texture_make(&images, CU_TR_FILTER_MODE_LINEAR, 0, &handles[4]));
    TRY(texture_make(&cube, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES, &handles[5]));
    TRY(texture_make(&bytes, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER, &handles[6]));
    TRY(texture_make(&bytes, CU_TR_FILTER_MODE_LINEAR, 0, &handles[7]));
    TRY(memory_make(&handles[8]));
    TRY(surface_make(&line, &handles[9]));
    TRY(surface_make(&image, &handles[10]));
    TRY(surface_make(&block, &handles[11]));
    TRY(surface_make(&lines, &handles[12]));
    TRY(surface_make(&images, &handles[13]));
    TRY(surface_make(&wide, &handles[14]));
    return cuMemcpyHtoD_v2(at, handles, sizeof handles);
}
