/* test_arrays.c - CUDA arrays, mipmapped arrays, texture and surface objects of the runtime API: descriptors and
 * copies. What kernels read through them is tested with the driver (tests/driver/test_texture.c): the objects are the
 * same. */
#include <string.h>

#include "runtime_test.h"

static int fresh(void **state)
{
    (void)state;
    OK(cudaDeviceReset());
    (void)cudaGetLastError();
    return 0;
}

static struct cudaChannelFormatDesc one_float(void)
{
    return cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
}

static void an_array_keeps_its_description(void **state)
{
    (void)state;
    cudaArray_t a;
    struct cudaChannelFormatDesc d = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned), back;
    struct cudaExtent e;
    unsigned flags;
    OK(cudaMallocArray(&a, &d, 16, 9, cudaArraySurfaceLoadStore));
    OK(cudaArrayGetInfo(&back, &e, &flags, a));
    assert_memory_equal(&back, &d, sizeof d);
    assert_int_equal(e.width, 16);
    assert_int_equal(e.height, 9);
    assert_int_equal(e.depth, 0);
    assert_int_equal(flags, cudaArraySurfaceLoadStore);
    memset(&back, 0, sizeof back);
    OK(cudaGetChannelDesc(&back, a));
    assert_memory_equal(&back, &d, sizeof d);
    OK(cudaFreeArray(a));
    FAILS(cudaArrayGetInfo(&back, &e, &flags, NULL), cudaErrorInvalidResourceHandle);
    d = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned); /* three channels: there is no such format */
    FAILS(cudaMallocArray(&a, &d, 16, 9, 0), cudaErrorInvalidChannelDescriptor);
    d = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindSignedNormalized8X1);
    FAILS(cudaMallocArray(&a, &d, 16, 9, 0), cudaErrorNotSupported);
    d = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
    FAILS(cudaMallocArray(&a, &d, 16, 9, 0), cudaErrorInvalidChannelDescriptor);
}

static void rectangles_go_into_arrays(void **state)
{
    (void)state;
    float in[3][8], out[3][8], row[4];
    const struct cudaChannelFormatDesc d = one_float();
    cudaArray_t a, b;
    for (int i = 0; i < 24; i++)
        in[i / 8][i % 8] = (float)i;
    OK(cudaMallocArray(&a, &d, 8, 3, 0));
    OK(cudaMallocArray(&b, &d, 8, 3, 0));
    OK(cudaMemcpy2DToArray(a, 0, 0, in, sizeof in[0], sizeof in[0], 3, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DFromArray(out, sizeof out[0], a, 0, 0, sizeof out[0], 3, cudaMemcpyDeviceToHost));
    assert_memory_equal(out, in, sizeof in);
    /* offsets in x are bytes: columns 2 to 5 of row 1 */
    OK(cudaMemcpy2DFromArray(row, sizeof row, a, 2 * sizeof(float), 1, sizeof row, 1, cudaMemcpyDeviceToHost));
    assert_memory_equal(row, &in[1][2], sizeof row);
    OK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, sizeof in[0], 3, cudaMemcpyDeviceToDevice));
    memset(out, 0, sizeof out);
    OK(cudaMemcpy2DFromArray(out, sizeof out[0], b, 0, 0, sizeof out[0], 3, cudaMemcpyDefault));
    assert_memory_equal(out, in, sizeof in);
    FAILS(cudaMemcpy2DToArray(a, 0, 0, in, 4, 8, 3, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
}

/* Bytes run on from row to row: from element 5 of row 0 to element 1 of row 2. */
static void bytes_wrap_at_the_end_of_a_row(void **state)
{
    (void)state;
    float in[24], out[24], few[13];
    const struct cudaChannelFormatDesc d = one_float();
    cudaArray_t a, b;
    for (int i = 0; i < 24; i++)
        in[i] = (float)(i + 1);
    OK(cudaMallocArray(&a, &d, 8, 3, 0));
    OK(cudaMallocArray(&b, &d, 6, 4, 0));
    OK(cudaMemcpyToArray(a, 0, 0, in, sizeof in, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromArray(few, a, 5 * sizeof(float), 0, sizeof few, cudaMemcpyDeviceToHost));
    assert_memory_equal(few, in + 5, sizeof few);
    OK(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, sizeof in, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpyFromArray(out, b, 0, 0, sizeof out, cudaMemcpyDeviceToHost));
    assert_memory_equal(out, in, sizeof in);
    FAILS(cudaMemcpyToArray(a, 8 * sizeof(float), 0, in, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
}

/* With an array in it, a box's x and width are elements. */
static void boxes_of_arrays_count_elements(void **state)
{
    (void)state;
    float in[2][3][4], out[3];
    const struct cudaChannelFormatDesc d = one_float();
    cudaArray_t a;
    for (int i = 0; i < 24; i++)
        in[i / 12][i / 4 % 3][i % 4] = (float)i;
    OK(cudaMalloc3DArray(&a, &d, (struct cudaExtent){4, 3, 2}, 0));
    const struct cudaMemcpy3DParms to = {
        .srcPtr = {in, sizeof in[0][0], 4, 3}, .dstArray = a, .extent = {4, 3, 2}, .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&to));
    const struct cudaMemcpy3DParms from = {.srcArray = a,
                                           .srcPos = {1, 2, 1},
                                           .dstPtr = {out, sizeof out, 3, 1},
                                           .extent = {3, 1, 1},
                                           .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&from));
    assert_memory_equal(out, &in[1][2][1], sizeof out);
    const struct cudaMemcpy3DPeerParms peer = {.srcArray = a,
                                               .srcPos = {0, 1, 0},
                                               .srcDevice = 0,
                                               .dstPtr = {out, sizeof out, 3, 1},
                                               .dstDevice = 0,
                                               .extent = {3, 1, 1}};
    OK(cudaMemcpy3DPeer(&peer));
    assert_memory_equal(out, &in[0][1][0], sizeof out);
    struct cudaMemcpy3DPeerParms nowhere = peer;
    nowhere.dstDevice = 77;
    FAILS(cudaMemcpy3DPeer(&nowhere), cudaErrorInvalidDevice);
    OK(cudaFreeArray(a));
}

static void mipmaps_have_levels(void **state)
{
    (void)state;
    cudaMipmappedArray_t m;
    cudaArray_t level;
    struct cudaExtent e;
    const struct cudaChannelFormatDesc d = one_float();
    OK(cudaMallocMipmappedArray(&m, &d, (struct cudaExtent){16, 8, 0}, 3, 0));
    OK(cudaGetMipmappedArrayLevel(&level, m, 2));
    OK(cudaArrayGetInfo(NULL, &e, NULL, level));
    assert_int_equal(e.width, 4);
    assert_int_equal(e.height, 2);
    FAILS(cudaGetMipmappedArrayLevel(&level, m, 3), cudaErrorInvalidValue);
    OK(cudaFreeMipmappedArray(m));
}

static void textures_keep_their_descriptions(void **state)
{
    (void)state;
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    cudaArray_t a;
    struct cudaChannelFormatDesc d = one_float();
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray}, r_back;
    struct cudaTextureDesc x = {.addressMode = {cudaAddressModeClamp, cudaAddressModeWrap, cudaAddressModeBorder},
                                .filterMode = cudaFilterModeLinear,
                                .readMode = cudaReadModeElementType,
                                .normalizedCoords = 1,
                                .borderColor = {1, 2, 3, 4}},
                           x_back;
    OK(cudaMallocArray(&a, &d, 8, 8, cudaArraySurfaceLoadStore));
    r.res.array.array = a;
    OK(cudaCreateTextureObject(&t, &r, &x, NULL));
    OK(cudaGetTextureObjectResourceDesc(&r_back, t));
    assert_int_equal(r_back.resType, cudaResourceTypeArray);
    assert_ptr_equal(r_back.res.array.array, a);
    OK(cudaGetTextureObjectTextureDesc(&x_back, t));
    assert_memory_equal(x_back.addressMode, x.addressMode, sizeof x.addressMode);
    assert_memory_equal(x_back.borderColor, x.borderColor, sizeof x.borderColor);
    assert_int_equal(x_back.filterMode, cudaFilterModeLinear);
    assert_int_equal(x_back.readMode, cudaReadModeElementType);
    assert_int_equal(x_back.normalizedCoords, 1);
    OK(cudaDestroyTextureObject(t));
    OK(cudaCreateSurfaceObject(&s, &r));
    OK(cudaGetSurfaceObjectResourceDesc(&r_back, s));
    assert_ptr_equal(r_back.res.array.array, a);
    OK(cudaDestroySurfaceObject(s));
    OK(cudaFreeArray(a));
}

static void linear_memory_is_a_texture(void **state)
{
    (void)state;
    cudaTextureObject_t t;
    void *p;
    struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear}, back;
    struct cudaTextureDesc x = {.readMode = cudaReadModeElementType};
    OK(cudaMalloc(&p, 1024));
    r.res.linear.devPtr = p;
    r.res.linear.sizeInBytes = 1024;
    r.res.linear.desc = cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindSigned);
    OK(cudaCreateTextureObject(&t, &r, &x, NULL));
    OK(cudaGetTextureObjectResourceDesc(&back, t));
    assert_int_equal(back.resType, cudaResourceTypeLinear);
    assert_ptr_equal(back.res.linear.devPtr, p);
    assert_int_equal(back.res.linear.sizeInBytes, 1024);
    assert_memory_equal(&back.res.linear.desc, &r.res.linear.desc, sizeof back.res.linear.desc);
    OK(cudaDestroyTextureObject(t));
    x.filterMode = cudaFilterModeLinear; /* integers are not filtered, */
    FAILS(cudaCreateTextureObject(&t, &r, &x, NULL), cudaErrorInvalidFilterSetting);
    x.readMode = cudaReadModeNormalizedFloat; /* and 32-bit ones are no fractions */
    FAILS(cudaCreateTextureObject(&t, &r, &x, NULL), cudaErrorInvalidNormSetting);
    OK(cudaFree(p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_array_keeps_its_description, fresh),
        cmocka_unit_test_setup(rectangles_go_into_arrays, fresh),
        cmocka_unit_test_setup(bytes_wrap_at_the_end_of_a_row, fresh),
        cmocka_unit_test_setup(boxes_of_arrays_count_elements, fresh),
        cmocka_unit_test_setup(mipmaps_have_levels, fresh),
        cmocka_unit_test_setup(textures_keep_their_descriptions, fresh),
        cmocka_unit_test_setup(linear_memory_is_a_texture, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
