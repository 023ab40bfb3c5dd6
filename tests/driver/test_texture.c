/* test_texture.c - arrays, texture and surface objects through the driver API, in kernels that clang (texture.ptx) and
 * nvcc (texture_objects.ptx) compiled. Sampling itself is tested in unit/exec_texture; here it is that every part of a
 * descriptor arrives. */
#include "driver_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    CUcontext ctx;
    CUmodule clang, nvcc;
};

static char *read_program(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/driver/%s", name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    return text;
}

static CUmodule load_program(const char *name)
{
    CUmodule m;
    char *text = read_program(name);
    OK(cuModuleLoadData(&m, text));
    free(text);
    return m;
}

static int up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->ctx = context_up();
    f->clang = load_program("texture.ptx");
    f->nvcc = load_program("texture_objects.ptx");
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

static CUfunction kernel(CUmodule m, const char *name)
{
    CUfunction f;
    OK(cuModuleGetFunction(&f, m, name));
    return f;
}

static CUdeviceptr device_copy(const void *from, size_t n)
{
    CUdeviceptr p;
    OK(cuMemAlloc_v2(&p, n));
    if (from)
        OK(cuMemcpyHtoD_v2(p, from, n));
    else
        OK(cuMemsetD8_v2(p, 0, n));
    return p;
}

static CUarray array_of(size_t w, size_t h, size_t d, CUarray_format format, unsigned channels, unsigned flags)
{
    CUarray a;
    const CUDA_ARRAY3D_DESCRIPTOR desc = {w, h, d, format, channels, flags};
    OK(cuArray3DCreate_v2(&a, &desc));
    return a;
}

/* Whole arrays, to and from the host. */
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

static void take(void *to, CUarray a, size_t row, size_t rows)
{
    const CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                             .srcArray = a,
                             .dstMemoryType = CU_MEMORYTYPE_HOST,
                             .dstHost = to,
                             .dstPitch = row,
                             .WidthInBytes = row,
                             .Height = rows};
    OK(cuMemcpy2D_v2(&c));
}

static CUDA_RESOURCE_DESC of_array(CUarray a)
{
    return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
}

static CUtexObject texture_of(CUDA_RESOURCE_DESC r, CUaddress_mode address, CUfilter_mode filter, unsigned flags)
{
    CUtexObject t;
    const CUDA_TEXTURE_DESC d = {.addressMode = {address, address, address},
                                 .filterMode = filter,
                                 .flags = flags,
                                 .borderColor = {-1, -2, -3, -4}};
    OK(cuTexObjectCreate(&t, &r, &d, NULL));
    assert_true(t != 0);
    return t;
}

static CUsurfObject surface_of(CUarray a)
{
    CUsurfObject s;
    const CUDA_RESOURCE_DESC r = of_array(a);
    OK(cuSurfObjectCreate(&s, &r));
    return s;
}

/* Runs a fetch kernel at n places of four floats each; out has four words a place. */
static void fetch(struct fixture *f, const char *name, CUtexObject t, const float *at, void *out, int n)
{
    CUdeviceptr places = device_copy(at, (size_t)n * 16), results = device_copy(NULL, (size_t)n * 16);
    void *params[] = {&t, &places, &results, &n};
    OK(run1(kernel(f->clang, name), 1, 32, NULL, params));
    OK(cuMemcpyDtoH_v2(out, results, (size_t)n * 16));
    OK(cuMemFree_v2(places));
    OK(cuMemFree_v2(results));
}

static void expect_first(struct fixture *f, const char *name, CUtexObject t, const float *at, const float *want, int n)
{
    float got[32][4];
    fetch(f, name, t, at, got, n);
    for (int k = 0; k < n; k++)
        if (got[k][0] != want[k])
            fail_msg("%s at place %d gives %g, not %g", name, k, (double)got[k][0], (double)want[k]);
}

static const float grid4x3[12] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};

static CUarray grid_array(unsigned flags)
{
    CUarray a = array_of(4, 3, 0, CU_AD_FORMAT_FLOAT, 1, flags);
    fill(a, grid4x3, 16, 3, 1);
    return a;
}

/* ---- arrays ---- */

static void arrays_keep_what_is_copied(void **state)
{
    (void)state;
    float row[4], all[12];
    CUarray a = grid_array(0), line = array_of(8, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0), other;
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUDA_ARRAY_DESCRIPTOR flat = {.Width = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    take(all, a, 16, 3);
    assert_memory_equal(all, grid4x3, sizeof all);
    /* 2 x 2 elements from (1, 1) of the array to device memory with a pitch of 32 bytes */
    CUdeviceptr p = device_copy(NULL, 64);
    const CUDA_MEMCPY2D part = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                                .srcArray = a,
                                .srcXInBytes = 4,
                                .srcY = 1,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = p,
                                .dstPitch = 32,
                                .WidthInBytes = 8,
                                .Height = 2};
    OK(cuMemcpy2D_v2(&part));
    OK(cuMemcpyDtoH_v2(row, p, 8));
    OK(cuMemcpyDtoH_v2(row + 2, p + 32, 8));
    assert_memory_equal(row, ((float[]){11, 12, 21, 22}), sizeof row);
    OK(cuArray3DGetDescriptor_v2(&d, a));
    assert_true(d.Width == 4 && d.Height == 3 && d.Depth == 0 && d.Format == CU_AD_FORMAT_FLOAT && d.NumChannels == 1);
    /* bytes of one row */
    OK(cuMemcpyHtoA_v2(line, 8, grid4x3, 16));
    OK(cuMemcpyAtoH_v2(row, line, 12, 12));
    assert_memory_equal(row, grid4x3 + 1, 12);
    OK(cuArrayCreate_v2(&other, &flat));
    OK(cuMemcpyAtoA_v2(other, 0, line, 8, 16));
    OK(cuMemcpyAtoD_v2(p, other, 4, 8));
    OK(cuMemcpyDtoA_v2(other, 24, p, 8));
    OK(cuMemcpyAtoHAsync_v2(row, other, 24, 8, NULL));
    OK(cuStreamSynchronize(NULL));
    assert_memory_equal(row, grid4x3 + 1, 8);
    OK(cuArrayGetDescriptor_v2(&flat, other));
    assert_true(flat.Width == 8 && flat.Height == 0);
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(line));
    OK(cuArrayDestroy(other));
    OK(cuMemFree_v2(p));
}

static void copies_beyond_an_array_are_refused(void **state)
{
    (void)state;
    float buffer[64] = {0};
    CUarray a = grid_array(0), line = array_of(8, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = buffer,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = a,
                       .WidthInBytes = 16,
                       .Height = 4};
    FAILS(cuMemcpy2D_v2(&c), CUDA_ERROR_INVALID_VALUE);
    c.Height = 3;
    c.dstXInBytes = 4;
    FAILS(cuMemcpy2D_v2(&c), CUDA_ERROR_INVALID_VALUE);
    c.dstXInBytes = SIZE_MAX - 3;
    FAILS(cuMemcpy2D_v2(&c), CUDA_ERROR_INVALID_VALUE);
    c.dstXInBytes = 0;
    OK(cuMemcpy2D_v2(&c));
    FAILS(cuMemcpyHtoA_v2(line, 20, buffer, 16), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(a));
    FAILS(cuMemcpy2D_v2(&c), CUDA_ERROR_INVALID_HANDLE);
    FAILS(cuMemcpyHtoA_v2(NULL, 0, buffer, 4), CUDA_ERROR_INVALID_HANDLE);
    FAILS(cuMemcpyHtoA_v2((CUarray)&buffer, 0, buffer, 4), CUDA_ERROR_INVALID_HANDLE);
    FAILS(cuArrayDestroy(a), CUDA_ERROR_INVALID_HANDLE);
    FAILS(cuArrayDestroy((CUarray)0x1234), CUDA_ERROR_INVALID_HANDLE);
    OK(cuArrayDestroy(line));
}

static void arrays_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        CUDA_ARRAY3D_DESCRIPTOR d;
        CUresult want;
    } bad[] = {
        {{0, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0}, CUDA_ERROR_INVALID_VALUE},
        {{4, 4, 0, CU_AD_FORMAT_FLOAT, 3, 0}, CUDA_ERROR_INVALID_VALUE},
        {{4, 4, 0, 0, 1, 0}, CUDA_ERROR_INVALID_VALUE},
        {{131073, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0}, CUDA_ERROR_INVALID_VALUE},
        {{4, 0, 4, CU_AD_FORMAT_FLOAT, 1, 0}, CUDA_ERROR_INVALID_VALUE},
        {{4, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED}, CUDA_ERROR_INVALID_VALUE},
        {{4, 4, 2049, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED}, CUDA_ERROR_INVALID_VALUE},
        {{4, 0, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_TEXTURE_GATHER}, CUDA_ERROR_INVALID_VALUE},
        {{4, 32769, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_TEXTURE_GATHER}, CUDA_ERROR_INVALID_VALUE},
        {{4, 4, 4, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_TEXTURE_GATHER}, CUDA_ERROR_INVALID_VALUE},
        {{4, 4, 7, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP}, CUDA_ERROR_INVALID_VALUE},
        {{4, 4, 12, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP}, CUDA_ERROR_INVALID_VALUE},
        {{4, 5, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP}, CUDA_ERROR_INVALID_VALUE},
        {{4, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP}, CUDA_ERROR_INVALID_VALUE},
        {{4, 4, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP | 0x10}, CUDA_ERROR_NOT_SUPPORTED},
        {{4, 4, 0, (CUarray_format)0xc0, 1, 0}, CUDA_ERROR_NOT_SUPPORTED},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CUarray a;
        FAILS(cuArray3DCreate_v2(&a, &bad[k].d), bad[k].want);
    }
    FAILS(cuArray3DCreate_v2(NULL, &bad[0].d), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuArrayCreate_v2(NULL, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* ---- textures ---- */

static void two_dimensional_textures(void **state)
{
    struct fixture *f = *state;
    CUarray a = grid_array(0);
    const float at[] = {1.5f, 1.5f, 0, 0, 3.9f, 0, 0, 0, -1, 2, 0, 0, 9, 9, 0, 0};
    CUtexObject t = texture_of(of_array(a), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
    expect_first(f, "fetch_2d", t, at, (float[]){11, 3, 20, 23}, 4);
    OK(cuTexObjectDestroy(t));
    t = texture_of(of_array(a), CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_POINT, 0);
    expect_first(f, "fetch_2d", t, at, (float[]){11, 3, -1, -1}, 4);
    OK(cuTexObjectDestroy(t));
    t = texture_of(of_array(a), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, 0);
    /* (2, 1): between columns 1 and 2 and rows 0 and 1 */
    expect_first(f, "fetch_2d", t, (float[]){2, 1, 0, 0, 1.5f, 1.75f, 0, 0}, (float[]){6.5f, 13.5f}, 2);
    OK(cuTexObjectDestroy(t));
    const float normalized[] = {1.125f, 0.5f, 0, 0, -0.125f, 1.5f, 0, 0};
    t = texture_of(of_array(a), CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
    expect_first(f, "fetch_2d", t, normalized, (float[]){10, 13}, 2);
    OK(cuTexObjectDestroy(t));
    t = texture_of(of_array(a), CU_TR_ADDRESS_MODE_MIRROR, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
    expect_first(f, "fetch_2d", t, normalized, (float[]){13, 10}, 2);
    OK(cuTexObjectDestroy(t));
    OK(cuArrayDestroy(a));
}

static void other_shapes(void **state)
{
    struct fixture *f = *state;
    float box[24];
    for (int k = 0; k < 24; k++)
        box[k] = (float)k;
    CUarray three = array_of(2, 3, 4, CU_AD_FORMAT_FLOAT, 1, 0);
    CUarray pages = array_of(2, 3, 4, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED);
    CUarray lines = array_of(6, 0, 4, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED);
    fill(three, box, 8, 3, 4);
    fill(pages, box, 8, 3, 4);
    fill(lines, box, 24, 1, 4);
    const float at[] = {1.5f, 2.5f, 3.5f, 3, 0.5f, 1.5f, 0.5f, 0, 1.5f, 0.5f, 2.5f, 9};
    const CUaddress_mode clamp = CU_TR_ADDRESS_MODE_CLAMP;
    CUtexObject t = texture_of(of_array(three), clamp, CU_TR_FILTER_MODE_POINT, 0);
    expect_first(f, "fetch_3d", t, at, (float[]){23, 2, 13}, 3);
    OK(cuTexObjectDestroy(t));
    t = texture_of(of_array(three), clamp, CU_TR_FILTER_MODE_LINEAR, 0);
    expect_first(f, "fetch_3d", t, (float[]){1, 1.5f, 2, 0}, (float[]){11.5f}, 1); /* (8 + 9 + 14 + 15) / 4 */
    OK(cuTexObjectDestroy(t));
    t = texture_of(of_array(pages), clamp, CU_TR_FILTER_MODE_POINT, 0);
    expect_first(f, "fetch_a2d", t, at, (float[]){23, 2, 19}, 3);
    OK(cuTexObjectDestroy(t));
    t = texture_of(of_array(lines), clamp, CU_TR_FILTER_MODE_POINT, 0);
    expect_first(f, "fetch_a1d", t, at, (float[]){19, 0, 19}, 3);
    OK(cuTexObjectDestroy(t));
    OK(cuArrayDestroy(three));
    OK(cuArrayDestroy(pages));
    OK(cuArrayDestroy(lines));
}

static void plain_memory(void **state)
{
    struct fixture *f = *state;
    uint32_t got[4][4];
    CUdeviceptr p = device_copy((uint16_t[]){1, 2, 3, 4, 5, 6}, 12), rows = device_copy(NULL, 3 * 512);
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR, .res.linear = {p, CU_AD_FORMAT_UNSIGNED_INT16, 2, 12}};
    CUtexObject t = texture_of(r, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER);
    /* outside plain memory is 0, whatever the mode */
    fetch(f, "fetch_1d_texel", t, (float[]){0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, -1, 0, 0, 0}, got, 4);
    assert_memory_equal(got, ((uint32_t[]){1, 2, 0, 1, 5, 6, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}), sizeof got);
    OK(cuTexObjectDestroy(t));
    for (int y = 0; y < 3; y++)
        OK(cuMemcpyHtoD_v2(rows + (CUdeviceptr)y * 512, grid4x3 + 4 * y, 16));
    r = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D,
                             .res.pitch2D = {rows, CU_AD_FORMAT_FLOAT, 1, 4, 3, 512}};
    t = texture_of(r, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, 0);
    expect_first(f, "fetch_2d", t, (float[]){2, 1, 0, 0, 9, 9, 0, 0}, (float[]){6.5f, 23}, 2);
    OK(cuTexObjectDestroy(t));
    OK(cuMemFree_v2(p));
    OK(cuMemFree_v2(rows));
}

static void formats_arrive(void **state)
{
    struct fixture *f = *state;
    static const struct {
        CUarray_format format;
        unsigned bytes;
        uint32_t texel, as_integer; /* first channel */
        float as_float;             /* without CU_TRSF_READ_AS_INTEGER; 32-bit integers stay */
    } rows[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, 1, 0x33, 0x33, 0.2f},
        {CU_AD_FORMAT_SIGNED_INT8, 1, 0x80, 0xffffff80, -1},
        {CU_AD_FORMAT_UNSIGNED_INT16, 2, 0xffff, 0xffff, 1},
        {CU_AD_FORMAT_SIGNED_INT16, 2, 0x8001, 0xffff8001, -1},
        {CU_AD_FORMAT_UNSIGNED_INT32, 4, 0x3f800000, 0x3f800000, 1},
        {CU_AD_FORMAT_SIGNED_INT32, 4, 0xbf800000, 0xbf800000, -1},
        {CU_AD_FORMAT_HALF, 2, 0xc000, 0xc0000000, -2},
        {CU_AD_FORMAT_FLOAT, 4, 0x40490fdb, 0x40490fdb, 3.14159274f},
    };
    const float at[] = {1.5f, 0.5f, 0, 0};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned channels = 1; channels <= 4; channels *= 2) {
            const unsigned texel = rows[k].bytes * channels;
            unsigned char bytes[32] = {0};
            uint32_t got[4];
            CUarray a = array_of(2, 1, 0, rows[k].format, channels, 0);
            for (unsigned c = 0; c < channels; c++)
                memcpy(bytes + texel + c * rows[k].bytes, &rows[k].texel, rows[k].bytes);
            fill(a, bytes, 2 * texel, 1, 1);
            CUtexObject t =
                texture_of(of_array(a), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER);
            fetch(f, k & 1 ? "fetch_2d_s32" : "fetch_2d_u32", t, at, got, 1);
            for (unsigned c = 0; c < channels; c++)
                assert_int_equal(got[c], rows[k].as_integer);
            OK(cuTexObjectDestroy(t));
            t = texture_of(of_array(a), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
            expect_first(f, "fetch_2d", t, at, &rows[k].as_float, 1);
            OK(cuTexObjectDestroy(t));
            OK(cuArrayDestroy(a));
        }
}

static void other_instructions(void **state)
{
    struct fixture *f = *state;
    CUarray a = grid_array(CUDA_ARRAY3D_TEXTURE_GATHER);
    CUtexObject t = texture_of(of_array(a), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
    CUdeviceptr at = device_copy((float[]){1.5f, 1.5f, 0, 0}, 16);
    CUdeviceptr out = device_copy(NULL, 16), h = device_copy(NULL, 16);
    float got[4];
    uint32_t halves[4];
    void *params[] = {&t, &at, &out, &h};
    OK(run1(kernel(f->clang, "variants"), 1, 1, NULL, params));
    OK(cuMemcpyDtoH_v2(got, out, 16));
    OK(cuMemcpyDtoH_v2(halves, h, 16));
    assert_memory_equal(got, ((float[]){11, 11, 2, 11}), sizeof got); /* the third is displaced by (1, -1) */
    /* resident; {11, 0}; {0, 1}; 11 | 1 << 16, as halves */
    assert_memory_equal(halves, ((uint32_t[]){1, 0x4980, 0x3c000000, 0x3c004980}), sizeof halves);
    fetch(f, "gather", t, (float[]){2, 1, 0, 0}, got, 1);
    assert_memory_equal(got, ((float[]){11, 12, 2, 1}), sizeof got);
    OK(cuTexObjectDestroy(t));
    OK(cuArrayDestroy(a));
}

static void queries(void **state)
{
    struct fixture *f = *state;
    uint32_t got[9];
    CUdeviceptr out = device_copy(NULL, sizeof got);
    CUarray a = array_of(5, 6, 7, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST);
    CUtexObject t =
        texture_of(of_array(a), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
    CUsurfObject s = surface_of(a);
    void *params[] = {&t, &out};
    OK(run1(kernel(f->clang, "texture_queries"), 1, 1, NULL, params));
    OK(cuMemcpyDtoH_v2(got, out, sizeof got));
    /* CL_UNORM_INT8, CL_RGBA */
    assert_memory_equal(got, ((uint32_t[]){5, 6, 0, 7, 0x10d2, 0x10b5, 1, 1, 5}), sizeof got);
    params[0] = &s;
    OK(run1(kernel(f->clang, "surface_queries"), 1, 1, NULL, params));
    OK(cuMemcpyDtoH_v2(got, out, 24));
    assert_memory_equal(got, ((uint32_t[]){5, 6, 0, 7, 0x10da, 0x10b5}), 24); /* CL_UNSIGNED_INT8 */
    OK(cuTexObjectDestroy(t));
    OK(cuSurfObjectDestroy(s));
    OK(cuArrayDestroy(a));
}

static void descriptors_come_back(void **state)
{
    (void)state;
    CUarray a = grid_array(CUDA_ARRAY3D_SURFACE_LDST);
    const CUDA_RESOURCE_DESC r = of_array(a);
    const CUDA_TEXTURE_DESC d = {.addressMode = {0, 1, 2}, .filterMode = CU_TR_FILTER_MODE_LINEAR, .maxAnisotropy = 3};
    const CUDA_RESOURCE_VIEW_DESC plain = {.width = 4, .height = 3}, half = {.width = 2, .height = 3};
    CUDA_RESOURCE_DESC gr;
    CUDA_TEXTURE_DESC gd;
    CUDA_RESOURCE_VIEW_DESC gv;
    CUtexObject t;
    CUsurfObject s = surface_of(a);
    OK(cuTexObjectCreate(&t, &r, &d, &plain));
    OK(cuTexObjectGetResourceDesc(&gr, t));
    OK(cuTexObjectGetTextureDesc(&gd, t));
    OK(cuTexObjectGetResourceViewDesc(&gv, t));
    assert_memory_equal(&gd, &d, sizeof d);
    assert_true(gr.resType == CU_RESOURCE_TYPE_ARRAY && gr.res.array.hArray == a && gv.width == 4);
    OK(cuSurfObjectGetResourceDesc(&gr, s));
    assert_true(gr.res.array.hArray == a);
    FAILS(cuSurfObjectGetResourceDesc(&gr, t), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuTexObjectDestroy(s), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexObjectDestroy(t));
    FAILS(cuTexObjectDestroy(t), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuTexObjectGetTextureDesc(&gd, t), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuTexObjectCreate(&t, &r, &d, &half), CUDA_ERROR_INVALID_VALUE);
    OK(cuSurfObjectDestroy(s));
    OK(cuArrayDestroy(a));
}

static void objects_that_cannot_be_are_refused(void **state)
{
    (void)state;
    CUtexObject t;
    CUsurfObject s;
    CUarray floats = grid_array(0), bytes = array_of(4, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0);
    CUdeviceptr p = device_copy(NULL, 1024);
    CUDA_RESOURCE_DESC r = of_array(bytes);
    CUDA_TEXTURE_DESC d = {.filterMode = CU_TR_FILTER_MODE_LINEAR, .flags = CU_TRSF_READ_AS_INTEGER};
    FAILS(cuTexObjectCreate(&t, &r, &d, NULL), CUDA_ERROR_INVALID_VALUE); /* integers are not filtered */
    d = (CUDA_TEXTURE_DESC){.addressMode = {4}};
    FAILS(cuTexObjectCreate(&t, &r, &d, NULL), CUDA_ERROR_INVALID_VALUE);
    d = (CUDA_TEXTURE_DESC){.flags = 0x80};
    FAILS(cuTexObjectCreate(&t, &r, &d, NULL), CUDA_ERROR_INVALID_VALUE);
    d = (CUDA_TEXTURE_DESC){0};
    FAILS(cuTexObjectCreate(&t, &r, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    r = of_array((CUarray)&d);
    FAILS(cuTexObjectCreate(&t, &r, &d, NULL), CUDA_ERROR_INVALID_HANDLE);
    r = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_LINEAR, .res.linear = {p, CU_AD_FORMAT_FLOAT, 1, 1028}};
    FAILS(cuTexObjectCreate(&t, &r, &d, NULL), CUDA_ERROR_INVALID_VALUE); /* beyond the allocation */
    r.res.linear.sizeInBytes = 1024;
    r.res.linear.devPtr = p + 4;
    FAILS(cuTexObjectCreate(&t, &r, &d, NULL), CUDA_ERROR_INVALID_VALUE);
    r = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D, .res.pitch2D = {p, CU_AD_FORMAT_FLOAT, 1, 4, 4, 40}};
    FAILS(cuTexObjectCreate(&t, &r, &d, NULL), CUDA_ERROR_INVALID_VALUE);
    r = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    FAILS(cuTexObjectCreate(&t, &r, &d, NULL), CUDA_ERROR_INVALID_HANDLE);
    r = of_array(floats);
    FAILS(cuSurfObjectCreate(&s, &r), CUDA_ERROR_INVALID_VALUE); /* made without CUDA_ARRAY3D_SURFACE_LDST */
    OK(cuArrayDestroy(floats));
    OK(cuArrayDestroy(bytes));
    OK(cuMemFree_v2(p));
    size_t most;
    OK(cuDeviceGetTexture1DLinearMaxWidth(&most, CU_AD_FORMAT_FLOAT, 4, 0));
    assert_int_equal(most, 1 << 28);
    FAILS(cuDeviceGetTexture1DLinearMaxWidth(&most, CU_AD_FORMAT_FLOAT, 3, 0), CUDA_ERROR_INVALID_VALUE);
}

/* ---- surfaces ---- */

static CUresult move(struct fixture *f, const char *name, CUsurfObject s, const int *x, const int *y, unsigned *out,
                     int n)
{
    const size_t bytes = (size_t)n * 4;
    CUdeviceptr dx = device_copy(x, bytes), dy = device_copy(y, bytes), d = device_copy(NULL, bytes);
    void *params[] = {&s, &dx, &dy, &d, &n};
    const CUresult r = run1(kernel(f->clang, name), 1, 32, NULL, params);
    return r == CUDA_SUCCESS ? cuMemcpyDtoH_v2(out, d, bytes) : r;
}

static void surfaces_are_read_and_written(void **state)
{
    struct fixture *f = *state;
    const unsigned words[12] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
    unsigned got[3], after[12];
    CUarray a = array_of(4, 3, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST);
    CUsurfObject s = surface_of(a);
    fill(a, words, 16, 3, 1);
    OK(move(f, "move_trap", s, (int[]){0, 12}, (int[]){0, 1}, got, 2));
    assert_memory_equal(got, ((unsigned[]){0, 13}), 8);
    take(after, a, 16, 3);
    assert_memory_equal(after, ((unsigned[]){0, 1, 2, 3, 1, 11, 12, 13, 20, 21, 22, 14}), sizeof after);
    fill(a, words, 16, 3, 1);
    /* clamped: (16, -1) reads (12, 0) and writes (12, 0); (-4, 5) reads and writes (0, 2) */
    OK(move(f, "move_clamp", s, (int[]){16, -4}, (int[]){-1, 5}, got, 2));
    assert_memory_equal(got, ((unsigned[]){3, 20}), 8);
    take(after, a, 16, 3);
    assert_memory_equal(after, ((unsigned[]){0, 1, 2, 4, 10, 11, 12, 13, 21, 21, 22, 23}), sizeof after);
    fill(a, words, 16, 3, 1);
    /* zero: outside reads 0 and writes nothing; (4, 2) is inside and (4, 3) is not; (8, -1) then writes (8, 0) */
    OK(move(f, "move_zero", s, (int[]){16, 4, 8}, (int[]){0, 2, -1}, got, 3));
    assert_memory_equal(got, ((unsigned[]){0, 21, 0}), 12);
    take(after, a, 16, 3);
    assert_memory_equal(after, ((unsigned[]){0, 1, 1, 3, 10, 11, 12, 13, 20, 21, 22, 23}), sizeof after);
    OK(cuSurfObjectDestroy(s));
    OK(cuArrayDestroy(a));
}

static void surfaces_of_every_width(void **state)
{
    struct fixture *f = *state;
    const unsigned flag = CUDA_ARRAY3D_SURFACE_LDST;
    CUarray line = array_of(16, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, flag);
    CUarray box = array_of(4, 2, 3, CU_AD_FORMAT_UNSIGNED_INT32, 1, flag);
    CUarray pages = array_of(2, 1, 2, CU_AD_FORMAT_UNSIGNED_INT32, 2, flag | CUDA_ARRAY3D_LAYERED);
    CUsurfObject l = surface_of(line), b = surface_of(box), p = surface_of(pages);
    CUdeviceptr out = device_copy(NULL, 32);
    uint64_t got[4];
    unsigned char bytes[16];
    void *params[] = {&l, &b, &p, &out};
    OK(run1(kernel(f->clang, "surface_widths"), 1, 1, NULL, params));
    OK(cuMemcpyDtoH_v2(got, out, 32));
    assert_true(got[0] == 0xff030201 && got[1] == 0xff03 && got[2] == (88ull << 32 | 77));
    assert_true(got[3] == 0x123456789abcdef0);
    OK(cuMemcpyAtoH_v2(bytes, line, 0, 16));
    assert_memory_equal(bytes + 4, ((unsigned char[]){1, 2, 3, 255}), 4);
    OK(cuSurfObjectDestroy(l));
    OK(cuSurfObjectDestroy(b));
    OK(cuSurfObjectDestroy(p));
}

/* ---- nvcc's programs ---- */

static void a_blur_as_nvcc_compiles_it(void **state)
{
    struct fixture *f = *state;
    float got[12];
    int w = 4, h = 3;
    CUarray a = grid_array(0);
    CUtexObject t = texture_of(of_array(a), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
    CUdeviceptr out = device_copy(NULL, sizeof got);
    void *params[] = {&t, &out, &w, &h};
    OK(cuLaunchKernel(kernel(f->nvcc, "blur"), 1, 1, 1, 8, 8, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH_v2(got, out, sizeof got));
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++) {
            float want = 0;
            for (int k = 0; k < 9; k++) {
                const int cx = x + k % 3 - 1, cy = y + k / 3 - 1;
                want += grid4x3[(cy < 0 ? 0 : cy > 2 ? 2 : cy) * 4 + (cx < 0 ? 0 : cx > 3 ? 3 : cx)];
            }
            assert_true(got[y * 4 + x] == want);
        }
    OK(cuTexObjectDestroy(t));
    OK(cuArrayDestroy(a));
}

static void mixed_objects_as_nvcc_compiles_them(void **state)
{
    struct fixture *f = *state;
    float got[3];
    unsigned char pixels[16] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 30, 40, 50, 60, 70, 80}, inverse[16];
    CUdeviceptr p = device_copy(grid4x3, sizeof grid4x3), out = device_copy(NULL, 12);
    CUarray image = array_of(2, 2, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST);
    CUarray result = array_of(2, 2, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST);
    CUarray lines = array_of(4, 0, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED);
    const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR, .res.linear = {p, CU_AD_FORMAT_FLOAT, 1, 48}};
    fill(image, pixels, 8, 2, 1);
    fill(lines, grid4x3, 16, 1, 3);
    CUtexObject t = texture_of(r, CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_POINT, 0);
    CUtexObject c =
        texture_of(of_array(image), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER);
    CUtexObject l = texture_of(of_array(lines), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
    void *params[] = {&t, &c, &l, &out};
    OK(run1(kernel(f->nvcc, "mixed"), 1, 1, NULL, params));
    OK(cuMemcpyDtoH_v2(got, out, 12));
    assert_memory_equal(got, ((float[]){3, 5 + 2 * 6 + 4 * 7 + 8 * 8, 20}), sizeof got);
    CUsurfObject from = surface_of(image), to = surface_of(result);
    int width = 2;
    void *args[] = {&from, &to, &width};
    OK(run1(kernel(f->nvcc, "invert"), 2, 32, NULL, args));
    take(inverse, result, 8, 2);
    for (int k = 0; k < 16; k++)
        assert_int_equal(inverse[k], k % 4 == 3 ? pixels[k] : 255 - pixels[k]);
}

/* ---- what must fault, each in a context of its own ---- */

static CUresult fetch_with(CUmodule m, CUtexObject t)
{
    float at[4] = {0.5f, 0.5f, 0, 0};
    int n = 1;
    CUdeviceptr places = device_copy(at, 16), out = device_copy(NULL, 16);
    void *params[] = {&t, &places, &out, &n};
    const CUresult r = run1(kernel(m, "fetch_2d"), 1, 32, NULL, params);
    return r == CUDA_SUCCESS ? cuCtxSynchronize() : r;
}

static void bad_handles_fault(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 8; k++) {
        CUcontext ctx = context_up();
        CUmodule m = load_program("texture.ptx");
        CUarray a = grid_array(CUDA_ARRAY3D_SURFACE_LDST);
        CUarray line = array_of(4, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0);
        CUtexObject t = texture_of(of_array(a), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
        CUtexObject one = texture_of(of_array(line), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
        const CUtexObject handles[8] = {0, t + 1, t ^ 1ull << 40, UINT64_MAX, surface_of(a), one, t, t};
        if (k == 6)
            OK(cuTexObjectDestroy(t));
        if (k == 7)
            OK(cuArrayDestroy(a));
        FAILS(fetch_with(m, handles[k]), CUDA_ERROR_LAUNCH_FAILED);
        FAILS(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
        context_down(ctx);
    }
}

static void surface_accesses_outside_trap(void **state)
{
    (void)state;
    static const int bad[][2] = {{16, 0}, {-4, 0}, {0, 3}, {0, -1}, {2, 0}, {0, 2}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) { /* the last reads inside and writes outside */
        struct fixture f = {.ctx = context_up()};
        unsigned got[1];
        f.clang = load_program("texture.ptx");
        CUarray a = array_of(4, 3, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST);
        FAILS(move(&f, "move_trap", surface_of(a), &bad[k][0], &bad[k][1], got, 1), CUDA_ERROR_LAUNCH_FAILED);
        context_down(f.ctx);
    }
}

static void gather_needs_an_array_made_for_it(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUmodule m = load_program("texture.ptx");
    CUarray a = grid_array(0);
    CUtexObject t = texture_of(of_array(a), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
    CUdeviceptr at = device_copy(NULL, 16), out = device_copy(NULL, 16);
    int n = 1;
    void *params[] = {&t, &at, &out, &n};
    run1(kernel(m, "gather"), 1, 1, NULL, params);
    FAILS(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    context_down(ctx);
}

/* Lanes with different handles; 40 textures, so that the two warps have their own. */
static void every_thread_may_have_its_handle(void **state)
{
    struct fixture *f = *state;
    enum { N = 40 };
    CUtexObject t[N];
    CUarray a[N];
    float got[N];
    for (int k = 0; k < N; k++) {
        float texels[N];
        for (int i = 0; i < N; i++)
            texels[i] = (float)(100 * k + i);
        a[k] = array_of(N, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0);
        OK(cuMemcpyHtoA_v2(a[k], 0, texels, sizeof texels));
        t[k] = texture_of(of_array(a[k]), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
    }
    CUdeviceptr handles = device_copy(t, sizeof t), out = device_copy(NULL, sizeof got);
    void *params[] = {&handles, &out};
    OK(run1(kernel(f->clang, "fetch_each"), 1, N, NULL, params));
    OK(cuMemcpyDtoH_v2(got, out, sizeof got));
    for (int k = 0; k < N; k++) {
        assert_true(got[k] == (float)(101 * k));
        OK(cuTexObjectDestroy(t[k]));
        OK(cuArrayDestroy(a[k]));
    }
}

/* A destroyed context takes its arrays and objects along; their handles are refused, not followed. */
static void a_context_takes_its_objects_along(void **state)
{
    (void)state;
    CUcontext first = context_up();
    CUarray a = grid_array(0);
    CUtexObject t = texture_of(of_array(a), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
    context_down(first);
    CUcontext second = context_up();
    FAILS(cuTexObjectDestroy(t), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuArrayDestroy(a), CUDA_ERROR_INVALID_HANDLE);
    context_down(second);
}

int main(void)
{
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, up, down)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(arrays_keep_what_is_copied),
        IN_CONTEXT(copies_beyond_an_array_are_refused),
        IN_CONTEXT(arrays_that_cannot_be_are_refused),
        IN_CONTEXT(two_dimensional_textures),
        IN_CONTEXT(other_shapes),
        IN_CONTEXT(plain_memory),
        IN_CONTEXT(formats_arrive),
        IN_CONTEXT(other_instructions),
        IN_CONTEXT(queries),
        IN_CONTEXT(descriptors_come_back),
        IN_CONTEXT(objects_that_cannot_be_are_refused),
        IN_CONTEXT(surfaces_are_read_and_written),
        IN_CONTEXT(surfaces_of_every_width),
        IN_CONTEXT(a_blur_as_nvcc_compiles_it),
        IN_CONTEXT(mixed_objects_as_nvcc_compiles_them),
        IN_CONTEXT(every_thread_may_have_its_handle),
        cmocka_unit_test(bad_handles_fault),
        cmocka_unit_test(surface_accesses_outside_trap),
        cmocka_unit_test(gather_needs_an_array_made_for_it),
        cmocka_unit_test(a_context_takes_its_objects_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
