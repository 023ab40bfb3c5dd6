/* test_texture_shapes.c - cube maps, mipmaps, views and sRGB through the driver API, in the kernels of texture.cu.
 * Expected values are worked out from the programming guide's appendix on texture fetching (exec/texture/texture_sample.c cites
 * it). */
#include "driver_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 32 };

struct fixture {
    CUcontext ctx;
    CUmodule module;
    CUdeviceptr at, out;
};

static int up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    char *text = calloc(1, 1 << 16);
    assert_true(f && text);
    f->ctx = context_up();
    FILE *in = fopen("tests/driver/texture.ptx", "rb");
    assert_non_null(in);
    assert_true(fread(text, 1, (1 << 16) - 1, in) > 0);
    fclose(in);
    OK(cuModuleLoadData(&f->module, text));
    free(text);
    OK(cuMemAlloc_v2(&f->at, PLACES * 16));
    OK(cuMemAlloc_v2(&f->out, PLACES * 16));
    *state = f;
    return 0;
}

static int down(void **state)
{
    struct fixture *f = *state;
    context_down(f->ctx);
    free(f);
    return 0;
}

static CUfunction kernel(struct fixture *f, const char *name)
{
    CUfunction k;
    OK(cuModuleGetFunction(&k, f->module, name));
    return k;
}

/* Texels of a whole array, packed. */
static void fill(CUarray a, const void *from, size_t row, size_t rows, size_t slices)
{
    const CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = from,
                             .srcPitch = row,
                             .srcHeight = rows,
                             .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                             .dstArray = a,
                             .WidthInBytes = row,
                             .Height = rows,
                             .Depth = slices};
    OK(cuMemcpy3D_v2(&c));
}

static CUtexObject texture(CUDA_RESOURCE_DESC r, CUDA_TEXTURE_DESC d, const CUDA_RESOURCE_VIEW_DESC *v)
{
    CUtexObject t;
    for (int k = 0; k < 3; k++)
        d.addressMode[k] = CU_TR_ADDRESS_MODE_CLAMP;
    OK(cuTexObjectCreate(&t, &r, &d, v));
    return t;
}

static CUDA_RESOURCE_DESC of_array(CUarray a)
{
    return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
}

static CUDA_RESOURCE_DESC of_mipmap(CUmipmappedArray m)
{
    return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, .res.mipmap.hMipmappedArray = m};
}

/* The first component at n places; destroys the texture. */
static void expect(struct fixture *f, const char *name, CUtexObject t, const float (*at)[4], const float *want, int n)
{
    float got[PLACES][4];
    void *params[] = {&t, &f->at, &f->out, &n};
    OK(cuMemcpyHtoD_v2(f->at, at, (size_t)n * 16));
    OK(run1(kernel(f, name), 1, 32, NULL, params));
    OK(cuMemcpyDtoH_v2(got, f->out, (size_t)n * 16));
    for (int k = 0; k < n; k++)
        if (!(fabsf(got[k][0] - want[k]) <= 1e-6f * fabsf(want[k])))
            fail_msg("%s at place %d gives %.9g, not %.9g", name, k, (double)got[k][0], (double)want[k]);
    OK(cuTexObjectDestroy(t));
}

/* ---- cube maps ---- */

/* Texel (x, y) of face k of cube c is 1000 c + 100 k + 10 y + x. */
static CUarray cube(unsigned size, unsigned cubes, unsigned flags)
{
    CUarray a;
    float texels[12 * 16];
    const CUDA_ARRAY3D_DESCRIPTOR d = {size, size, 6 * cubes, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP | flags};
    for (unsigned z = 0; z < 6 * cubes; z++)
        for (unsigned y = 0; y < size; y++)
            for (unsigned x = 0; x < size; x++)
                texels[(z * size + y) * size + x] = (float)(z / 6 * 1000 + z % 6 * 100 + 10 * y + x);
    OK(cuArray3DCreate_v2(&a, &d));
    fill(a, texels, 4 * size, size, 6 * cubes);
    return a;
}

static void a_direction_chooses_the_face(void **state)
{
    struct fixture *f = *state;
    CUarray a = cube(2, 1, 0), two = cube(2, 2, CUDA_ARRAY3D_LAYERED);
    /* (s, t) of each face, of size 2: less than 0 is texel 0, more is texel 1; s and t as in the guide's table:
     * +x: -z -y, -x: z -y, +y: x z, -y: x -z, +z: x -y, -z: -x -y */
    static const float at[][4] = {
        {3, 1, 1, 1},   {3, -1, 1, 1},  {3, 1, -1, 0}, {-3, 1, 1, 1}, {-3, -1, -1, 7}, {1, 3, -1, 1},   {-1, 3, 1, 1},
        {1, -3, -1, 1}, {-1, -3, 1, 0}, {1, -1, 3, 1}, {-1, 1, 3, 0}, {1, 1, -3, 1},   {-1, -1, -3, 1},
    };
    static const float want[] = {0, 10, 1, 101, 110, 201, 210, 311, 300, 411, 400, 500, 511};
    float layered[13];
    for (int k = 0; k < 13; k++)
        layered[k] = want[k] + (at[k][3] != 0 ? 1000 : 0); /* layer 7 is the last */
    expect(f, "fetch_cube", texture(of_array(a), (CUDA_TEXTURE_DESC){0}, NULL), at, want, 13);
    expect(f, "fetch_acube", texture(of_array(two), (CUDA_TEXTURE_DESC){0}, NULL), at, layered, 13);
    /* a magnitude changes nothing; the middle of a face is between its four texels */
    static const float far[][4] = {{1e-30f, 2e-30f, -1e-30f, 0}, {1e30f, 3e30f, 1e30f, 0}, {0, 0, 1, 0}};
    const CUDA_TEXTURE_DESC linear = {.filterMode = CU_TR_FILTER_MODE_LINEAR};
    expect(f, "fetch_cube", texture(of_array(a), (CUDA_TEXTURE_DESC){0}, NULL), far, (float[]){201, 211, 411}, 3);
    expect(f, "fetch_cube", texture(of_array(a), linear, NULL), far + 2, (float[]){405.5f}, 1);
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(two));
}

/* Where +z and +x meet: z at its right edge, s = 1, x at its left one. Halfway up, t = 0 of 2 texels. */
static void seamless_filtering_goes_round_the_edge(void **state)
{
    struct fixture *f = *state;
    CUarray a = cube(2, 1, 0);
    const CUDA_TEXTURE_DESC face = {.filterMode = CU_TR_FILTER_MODE_LINEAR};
    const CUDA_TEXTURE_DESC round = {.filterMode = CU_TR_FILTER_MODE_LINEAR, .flags = CU_TRSF_SEAMLESS_CUBEMAP};
    static const float at[][4] = {{1, 0.5f, 1, 0}, {1, 1, 1, 0}, {0, -0.5f, 1, 0}};
    /* (1, 0.5, 1): +z, s = 1, t = -0.5: the row's centre, between 401 and +x's left texel of that row, 0.
     * (1, 1, 1): the corner of +z (401), +x (0) and +y (211): a quarter each, and a quarter of their mean.
     * (0, -0.5, 1): inside. */
    expect(f, "fetch_cube", texture(of_array(a), face, NULL), at, (float[]){401, 401, 410.5f}, 3);
    expect(f, "fetch_cube", texture(of_array(a), round, NULL), at, (float[]){200.5f, 204, 410.5f}, 3);
    OK(cuArrayDestroy(a));
}

/* All 24 half edges: the neighbour's texel, told by which face and where both centres are nearest to each other. */
static void every_edge_has_its_neighbour(void **state)
{
    struct fixture *f = *state;
    static const int s_axis[6] = {2, 2, 0, 0, 0, 0}, t_axis[6] = {1, 1, 2, 2, 1, 1}, m_axis[6] = {0, 0, 1, 1, 2, 2};
    static const float s_sign[6] = {-1, 1, 1, 1, 1, -1}, t_sign[6] = {-1, -1, 1, -1, -1, -1},
                       m_sign[6] = {1, -1, 1, -1, 1, -1};
    const CUDA_TEXTURE_DESC round = {.filterMode = CU_TR_FILTER_MODE_LINEAR, .flags = CU_TRSF_SEAMLESS_CUBEMAP};
    float centre[24][3], value[24], at[32][4], want[32];
    int n = 0;
    CUarray a = cube(2, 1, 0);
    for (int k = 0; k < 24; k++) { /* the texels, at +-0.5 of their faces */
        const int face = k / 4;
        centre[k][s_axis[face]] = s_sign[face] * (k & 1 ? 0.5f : -0.5f);
        centre[k][t_axis[face]] = t_sign[face] * (k & 2 ? 0.5f : -0.5f);
        centre[k][m_axis[face]] = m_sign[face];
        value[k] = (float)(100 * face + 10 * (k >> 1 & 1) + (k & 1));
    }
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < i; k++) {
            float d = 0;
            for (int c = 0; c < 3; c++)
                d += (centre[i][c] - centre[k][c]) * (centre[i][c] - centre[k][c]);
            if (i / 4 == k / 4 || d > 0.51f || n == 32) /* 0.5 apart in two directions: across an edge */
                continue;
            /* the point of the edge between them, pushed a little to the side of the first */
            for (int c = 0; c < 3; c++)
                at[n][c] = fabsf(centre[i][c]) == 1   ? centre[i][c] * 1.0001f
                           : fabsf(centre[k][c]) == 1 ? centre[k][c]
                                                      : centre[i][c];
            at[n][3] = 0;
            want[n++] = (value[i] + value[k]) / 2;
        }
    assert_int_equal(n, 24);
    expect(f, "fetch_cube", texture(of_array(a), round, NULL), at, want, n);
    OK(cuArrayDestroy(a));
}

/* ---- mipmaps ---- */

/* 8 x 4, 4 x 2, 2 x 1, 1 x 1; every texel of level l is 10^l, but x is added on the first two. */
static CUmipmappedArray pyramid(unsigned flags, size_t layers)
{
    static const float power[] = {1, 10, 100, 1000};
    CUmipmappedArray m;
    const CUDA_ARRAY3D_DESCRIPTOR d = {8, 4, layers, CU_AD_FORMAT_FLOAT, 1, flags};
    OK(cuMipmappedArrayCreate(&m, &d, 9)); /* as many as there can be: 4 */
    for (unsigned l = 0; l < 4; l++) {
        CUarray a;
        CUDA_ARRAY3D_DESCRIPTOR got;
        float texels[64];
        const size_t w = 8u >> l, h = l < 2 ? 4u >> l : 1;
        OK(cuMipmappedArrayGetLevel(&a, m, l));
        OK(cuArray3DGetDescriptor_v2(&got, a));
        assert_true(got.Width == w && got.Height == h && got.Depth == layers && got.Flags == flags);
        for (size_t k = 0; k < w * h * (layers ? layers : 1); k++)
            texels[k] = power[l] + (float)(l < 2 ? k % w : 0) + (float)(5000 * (k / (w * h)));
        fill(a, texels, 4 * w, h, layers ? layers : 1);
    }
    return m;
}

static CUDA_TEXTURE_DESC mip_sampler(CUfilter_mode filter, CUfilter_mode mip, float bias, float least, float most)
{
    return (CUDA_TEXTURE_DESC){.filterMode = filter,
                               .mipmapFilterMode = mip,
                               .mipmapLevelBias = bias,
                               .minMipmapLevelClamp = least,
                               .maxMipmapLevelClamp = most,
                               .flags = CU_TRSF_NORMALIZED_COORDINATES};
}

static void levels_of_detail(void **state)
{
    struct fixture *f = *state;
    const CUfilter_mode point = CU_TR_FILTER_MODE_POINT, linear = CU_TR_FILTER_MODE_LINEAR;
    CUmipmappedArray m = pyramid(0, 0);
    /* x = 1/8 + 1/16: texel 1 of 8, 0 of 4 */
    static const float at[][4] = {{0.1875f, 0, 0, 0},    {0.1875f, 0, 0, 0.49f}, {0.1875f, 0, 0, 0.5f},
                                  {0.1875f, 0, 0, 1.5f}, {0.1875f, 0, 0, 2.75f}, {0.1875f, 0, 0, 99},
                                  {0.1875f, 0, 0, -9},   {0.1875f, 0, 0, 0.25f}};
    expect(f, "level_2d", texture(of_mipmap(m), mip_sampler(point, point, 0, 0, 9), NULL), at,
           (float[]){2, 2, 10, 100, 1000, 1000, 2, 2}, 8);
    /* between levels: 0.49 is 125/256 (125.44), 2.75: a quarter of 100, three of 1000 */
    expect(f, "level_2d", texture(of_mipmap(m), mip_sampler(point, linear, 0, 0, 9), NULL), at,
           (float[]){2, 2 + 8 * 125 / 256.0f, 6, 55, 775, 1000, 2, 4}, 8);
    /* a bias of 1, not below 1.5, not above 2.5 */
    expect(f, "level_2d", texture(of_mipmap(m), mip_sampler(point, linear, 1, 1.5f, 2.5f), NULL), at,
           (float[]){55, 55, 55, 550, 550, 550, 55, 55}, 8);
    /* clamps of 0, as a cleared descriptor has them, leave the first level */
    expect(f, "level_2d", texture(of_mipmap(m), mip_sampler(point, linear, 0, 0, 0), NULL), at + 3, (float[]){2}, 1);
    /* linear on each level: (8 x - 0.5) = 1 is texel 1; (4 x - 0.5) = 0.25 is between 10 and 11 */
    expect(f, "level_2d", texture(of_mipmap(m), mip_sampler(linear, linear, 0, 0, 9), NULL), at + 2,
           (float[]){(2 + 10.25f) / 2}, 1);
    /* no level is given: the first */
    expect(f, "fetch_2d", texture(of_mipmap(m), mip_sampler(point, point, 0, 0, 9), NULL), at, (float[]){2}, 1);
    OK(cuMipmappedArrayDestroy(m));
}

static void gradients_choose_the_level(void **state)
{
    struct fixture *f = *state;
    const CUfilter_mode point = CU_TR_FILTER_MODE_POINT, linear = CU_TR_FILTER_MODE_LINEAR;
    CUmipmappedArray m = pyramid(0, 0);
    /* (w, 0) is 8 w texels long, (0, w / 2) is 2 w: log2(8 w) = 0, 1, 2, 3, and less than 0 without a gradient */
    static const float at[][4] = {{0.1875f, 0, 0, 0.125f}, {0.1875f, 0, 0, 0.25f}, {0.1875f, 0, 0, -0.5f},
                                  {0.1875f, 0, 0, 1},      {0.1875f, 0, 0, 0},     {0.1875f, 0, 0, 0.3535533906f}};
    expect(f, "gradient_2d", texture(of_mipmap(m), mip_sampler(point, linear, 0, 0, 9), NULL), at,
           (float[]){2, 10, 100, 1000, 2, 55}, 6);
    OK(cuMipmappedArrayDestroy(m));
}

static void mipmaps_of_other_shapes(void **state)
{
    struct fixture *f = *state;
    const CUfilter_mode point = CU_TR_FILTER_MODE_POINT;
    CUmipmappedArray layered = pyramid(CUDA_ARRAY3D_LAYERED, 2), deep, cubes;
    CUarray a;
    const CUDA_ARRAY3D_DESCRIPTOR box = {4, 4, 4, CU_AD_FORMAT_FLOAT, 1, 0};
    const CUDA_ARRAY3D_DESCRIPTOR faces = {2, 2, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP};
    static const float at[][4] = {{0.1875f, 0, 0, 0}, {0.1875f, 0, 1, 1}, {0.1875f, 0, 1, 3}};
    expect(f, "level_a2d", texture(of_mipmap(layered), mip_sampler(point, point, 0, 0, 9), NULL), at,
           (float[]){2, 5010, 6000}, 3);
    float texels[64];
    OK(cuMipmappedArrayCreate(&deep, &box, 2));
    for (unsigned l = 0; l < 2; l++) {
        for (int k = 0; k < 64; k++)
            texels[k] = (float)(k + 100 * (int)l);
        OK(cuMipmappedArrayGetLevel(&a, deep, l));
        fill(a, texels, 16u >> l, 4u >> l, 4u >> l);
    }
    FAILS(cuMipmappedArrayGetLevel(&a, deep, 2), CUDA_ERROR_INVALID_VALUE);
    static const float inside[][4] = {{0.9f, 0.6f, 0.3f, 0}, {0.9f, 0.6f, 0.3f, 1}};
    /* (3, 2, 1) of 4, (1, 1, 0) of 2 */
    expect(f, "level_3d", texture(of_mipmap(deep), mip_sampler(point, point, 0, 0, 9), NULL), inside,
           (float[]){27, 103}, 2);
    OK(cuMipmappedArrayCreate(&cubes, &faces, 2));
    for (unsigned l = 0; l < 2; l++) {
        for (int k = 0; k < 24; k++)
            texels[k] = (float)(k + 100 * (int)l);
        OK(cuMipmappedArrayGetLevel(&a, cubes, l));
        fill(a, texels, 8u >> l, 2u >> l, 6);
    }
    static const float to[][4] = {{1, -1, 3, 0}, {1, -1, 3, 1}, {-2, 1, 1, 1}};
    expect(f, "level_cube", texture(of_mipmap(cubes), mip_sampler(point, point, 0, 0, 9), NULL), to,
           (float[]){19, 104, 101}, 3);
    /* around (0, 0, 1) a step of w in x moves s by w: of 2 texels, w / 2 of the face: w texels */
    static const float steps[][4] = {{0.1f, -0.1f, 1, 1}, {0.1f, -0.1f, 1, 2}};
    expect(f, "gradient_cube", texture(of_mipmap(cubes), mip_sampler(point, point, 0, 0, 9), NULL), steps,
           (float[]){19, 104}, 2);
    OK(cuMipmappedArrayDestroy(layered));
    OK(cuMipmappedArrayDestroy(deep));
    OK(cuMipmappedArrayDestroy(cubes));
}

static void what_mipmaps_refuse(void **state)
{
    struct fixture *f = *state;
    CUmipmappedArray m = pyramid(0, 0), other;
    CUarray a;
    CUtexObject t;
    unsigned got[9];
    CUDA_RESOURCE_DESC r = of_mipmap(m);
    CUDA_TEXTURE_DESC d = mip_sampler(CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_POINT, 0, 0, 3);
    const CUDA_ARRAY3D_DESCRIPTOR bad = {0, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    FAILS(cuMipmappedArrayCreate(&other, &bad, 1), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMipmappedArrayCreate(&other, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMipmappedArrayGetLevel(&a, m, 1));
    FAILS(cuArrayDestroy(a), CUDA_ERROR_INVALID_HANDLE); /* it goes with the whole */
    FAILS(cuMipmappedArrayGetLevel(&a, m, 4), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuMipmappedArrayGetLevel(NULL, m, 0), CUDA_ERROR_INVALID_VALUE);
    d.flags = 0;
    FAILS(cuTexObjectCreate(&t, &r, &d, NULL), CUDA_ERROR_INVALID_VALUE); /* coordinates must be normalized */
    d.flags = CU_TRSF_NORMALIZED_COORDINATES;
    OK(cuTexObjectCreate(&t, &r, &d, NULL));
    void *params[] = {&t, &f->out};
    OK(run1(kernel(f, "level_sizes"), 1, 1, NULL, params));
    OK(cuMemcpyDtoH_v2(got, f->out, sizeof got));
    assert_memory_equal(got, ((unsigned[]){8, 4, 4, 2, 2, 1, 1, 1, 4}), sizeof got);
    OK(cuTexObjectDestroy(t));
    OK(cuMipmappedArrayDestroy(m));
    FAILS(cuMipmappedArrayDestroy(m), CUDA_ERROR_INVALID_HANDLE);
    FAILS(cuMipmappedArrayGetLevel(&a, m, 0), CUDA_ERROR_INVALID_HANDLE);
    FAILS(cuTexObjectCreate(&t, &r, &d, NULL), CUDA_ERROR_INVALID_HANDLE);
}

/* ---- views, colours ---- */

static void views_show_parts(void **state)
{
    struct fixture *f = *state;
    CUmipmappedArray m = pyramid(0, 0);
    CUarray a;
    CUtexObject t;
    float texels[12];
    for (int k = 0; k < 12; k++)
        texels[k] = (float)k;
    const CUDA_TEXTURE_DESC mip = mip_sampler(CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_POINT, 0, 0, 9), plain = {0};
    const CUDA_RESOURCE_VIEW_DESC middle = {.firstMipmapLevel = 1, .lastMipmapLevel = 2};
    static const float at[][4] = {{0.1875f, 0, 0, 0}, {0.1875f, 0, 0, 1}, {0.1875f, 0, 0, 2}};
    expect(f, "level_2d", texture(of_mipmap(m), mip, &middle), at, (float[]){10, 100, 100}, 3);
    /* layers 1 and 2 of four, of 3 x 1 texels */
    const CUDA_ARRAY3D_DESCRIPTOR d = {3, 1, 4, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED};
    OK(cuArray3DCreate_v2(&a, &d));
    fill(a, texels, 12, 1, 4);
    const CUDA_RESOURCE_VIEW_DESC two = {.firstLayer = 1, .lastLayer = 2}, five = {.firstLayer = 1, .lastLayer = 4};
    static const float layers[][4] = {{0.5f, 0.5f, 0, 0}, {2.5f, 0.5f, 0, 1}, {1.5f, 0.5f, 0, 3}};
    expect(f, "fetch_a2d", texture(of_array(a), plain, &two), layers, (float[]){3, 8, 7}, 3);
    const CUDA_RESOURCE_DESC r = of_array(a);
    FAILS(cuTexObjectCreate(&t, &r, &plain, &five), CUDA_ERROR_INVALID_VALUE);
    /* 2.0f, seen as two halves: 0x4000 is the second; as four bytes of another size: refused */
    const CUDA_RESOURCE_VIEW_DESC halves = {.format = (CUresourceViewFormat)0x14};
    const CUDA_RESOURCE_VIEW_DESC bytes = {.format = CU_RES_VIEW_FORMAT_UINT_1X8};
    expect(f, "fetch_a2d", texture(of_array(a), plain, &halves), (float[][4]){{2.5f, 0.5f, 0, 0}}, (float[]){0}, 1);
    FAILS(cuTexObjectCreate(&t, &r, &plain, &bytes), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(a));
    OK(cuMipmappedArrayDestroy(m));
}

static void srgb_becomes_linear(void **state)
{
    struct fixture *f = *state;
    static const unsigned char bytes[4] = {0, 10, 128, 255};
    CUarray a;
    const CUDA_ARRAY3D_DESCRIPTOR d = {4, 1, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
    OK(cuArray3DCreate_v2(&a, &d));
    fill(a, bytes, 4, 1, 1);
    static const float at[][4] = {{0.5f, 0.5f, 0, 0}, {1.5f, 0.5f, 0, 0}, {2.5f, 0.5f, 0, 0}, {3.5f, 0.5f, 0, 0}};
    /* 10 / 255 is on the straight part, 128 / 255 gives 0.2158605 (IEC 61966-2-1) */
    expect(f, "fetch_2d", texture(of_array(a), (CUDA_TEXTURE_DESC){.flags = CU_TRSF_SRGB}, NULL), at,
           (float[]){0, 10 / 255.0f / 12.92f, 0.21586050f, 1}, 4);
    OK(cuArrayDestroy(a));
}

int main(void)
{
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, up, down)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(a_direction_chooses_the_face), IN_CONTEXT(seamless_filtering_goes_round_the_edge),
        IN_CONTEXT(every_edge_has_its_neighbour), IN_CONTEXT(levels_of_detail),
        IN_CONTEXT(gradients_choose_the_level),   IN_CONTEXT(mipmaps_of_other_shapes),
        IN_CONTEXT(what_mipmaps_refuse),          IN_CONTEXT(views_show_parts),
        IN_CONTEXT(srgb_becomes_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
