/* test_lab_texture.c - what a plan's texture asks of the driver, and its clocks, seen by a driver that notes it down.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lab/trial.h"

static struct {
    CUDA_ARRAY_DESCRIPTOR array;
    CUDA_MEMCPY2D copy;
    CUDA_TEXTURE_DESC how;
    CUarray of;
    f32 first; /* element that was copied */
    int arrays, objects;
    bool refuse;
} seen;

static char an_array;

static CUresult fake_array(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d)
{
    seen.array = *d;
    seen.arrays++;
    *out = (CUarray)(void *)&an_array;
    return CUDA_SUCCESS;
}

static CUresult fake_array_destroy(CUarray a)
{
    assert_ptr_equal(a, &an_array);
    seen.arrays--;
    return CUDA_SUCCESS;
}

static CUresult fake_copy(const CUDA_MEMCPY2D *c)
{
    seen.copy = *c;
    memcpy(&seen.first, c->srcHost, 4);
    return CUDA_SUCCESS;
}

static CUresult fake_object(CUtexObject *out, const CUDA_RESOURCE_DESC *from, const CUDA_TEXTURE_DESC *how,
                            const CUDA_RESOURCE_VIEW_DESC *view)
{
    assert_null(view);
    seen.how = *how;
    seen.of = from->res.array.hArray;
    if (seen.refuse)
        return CUDA_ERROR_INVALID_VALUE;
    seen.objects++;
    *out = 77;
    return CUDA_SUCCESS;
}

static CUresult fake_object_destroy(CUtexObject t)
{
    assert_int_equal(t, 77);
    seen.objects--;
    return CUDA_SUCCESS;
}

static struct lab lab = {.cuda = {.array_create = fake_array,
                                  .array_destroy = fake_array_destroy,
                                  .copy_2d = fake_copy,
                                  .texture_create = fake_object,
                                  .texture_destroy = fake_object_destroy}};

static struct trial trial_with(enum buffer_type type, struct plan_texture p)
{
    static u8 image[GUARD_BYTES + 64 + 4 * 8 * 6];
    const f32 first = 2.5f;
    struct trial t = {.lab = &lab};
    memset(&seen, 0, sizeof seen);
    t.plan.nbuffers = 1;
    t.plan.buffers[0] = (struct buffer){.type = type, .count = 48, .lead = 2};
    t.plan.ntextures = 1;
    t.plan.textures[0] = p;
    t.before[0] = image;
    memcpy(image + payload_at(&t, &t.plan.buffers[0]), &first, 4);
    return t;
}

static void test_rows_from_the_payload(void **state)
{
    (void)state;
    struct trial t = trial_with(BUFFER_FLOAT, (struct plan_texture){.cols = 8, .rows = 6, .address = 3});
    assert_true(trial_make_textures(&t));
    assert_int_equal(t.textures[0], 77);
    assert_int_equal(seen.array.Width, 8);
    assert_int_equal(seen.array.Height, 6);
    assert_int_equal(seen.array.Format, CU_AD_FORMAT_FLOAT);
    assert_int_equal(seen.array.NumChannels, 1);
    assert_int_equal(seen.copy.srcMemoryType, CU_MEMORYTYPE_HOST);
    assert_int_equal(seen.copy.dstMemoryType, CU_MEMORYTYPE_ARRAY);
    assert_ptr_equal(seen.copy.dstArray, &an_array);
    assert_int_equal(seen.copy.srcPitch, 32);
    assert_int_equal(seen.copy.WidthInBytes, 32);
    assert_int_equal(seen.copy.Height, 6);
    assert_true(seen.first == 2.5f); /* behind guard and lead */
    assert_ptr_equal(seen.of, &an_array);
    assert_int_equal(seen.how.addressMode[0], CU_TR_ADDRESS_MODE_BORDER);
    assert_int_equal(seen.how.addressMode[1], CU_TR_ADDRESS_MODE_BORDER);
    assert_int_equal(seen.how.filterMode, CU_TR_FILTER_MODE_POINT);
    assert_int_equal(seen.how.flags, 0);
    trial_drop_textures(&t);
    assert_int_equal(seen.arrays, 0);
    assert_int_equal(seen.objects, 0);
}

static void test_one_dimension_linear_normalized(void **state)
{
    (void)state;
    const struct plan_texture p = {.cols = 48, .linear = true, .normalized = true, .address = 1};
    struct trial t = trial_with(BUFFER_HALF, p);
    assert_true(trial_make_textures(&t));
    assert_int_equal(seen.array.Height, 0);
    assert_int_equal(seen.array.Format, CU_AD_FORMAT_HALF);
    assert_int_equal(seen.copy.WidthInBytes, 96);
    assert_int_equal(seen.copy.Height, 1);
    assert_int_equal(seen.how.addressMode[0], CU_TR_ADDRESS_MODE_CLAMP);
    assert_int_equal(seen.how.filterMode, CU_TR_FILTER_MODE_LINEAR);
    assert_int_equal(seen.how.flags, CU_TRSF_NORMALIZED_COORDINATES);
    trial_drop_textures(&t);
}

/* The array is dropped though no object came of it. */
static void test_a_refusal_leaves_nothing(void **state)
{
    (void)state;
    struct trial t = trial_with(BUFFER_BYTE, (struct plan_texture){.cols = 8, .rows = 6});
    seen.refuse = true;
    assert_false(trial_make_textures(&t));
    assert_int_equal(t.error, CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(seen.array.Format, CU_AD_FORMAT_UNSIGNED_INT8);
    trial_drop_textures(&t);
    assert_int_equal(seen.arrays, 0);
    assert_int_equal(seen.objects, 0);
}

/* ---- clocks: a plan's marks and events as values ---- */

static CUresult fake_elapsed(float *ms, CUevent a, CUevent b)
{
    assert_ptr_not_equal(a, b);
    *ms = 8;
    return CUDA_SUCCESS;
}

static void test_clocks(void **state)
{
    (void)state;
    static struct lab with_events;
    struct trial t = {.lab = &with_events};
    struct arena mem = ARENA("test");
    struct lab_result r = {.plan = {.mem = &mem}};
    with_events.cuda.event_elapsed = fake_elapsed;
    lab_values(&t, &mem, &r);
    assert_true(lab_value_of(&r, "lockstep__host_clock.us") != lab_value_of(&r, "lockstep__host_clock.us")); /* NaN */
    t.marks[0] = 10;
    t.marks[1] = 10.002;
    lab_values(&t, &mem, &r);
    const double host = lab_value_of(&r, "lockstep__host_clock.us");
    assert_true(host > 1999.999 && host < 2000.001);
    assert_true(lab_value_of(&r, "lockstep__event_time.us") != lab_value_of(&r, "lockstep__event_time.us"));
    t.events[0] = (CUevent)(void *)&an_array;
    t.events[1] = (CUevent)(void *)&seen;
    lab_values(&t, &mem, &r);
    assert_true(lab_value_of(&r, "lockstep__event_time.us") == 8000);
    const double ratio = lab_value_of(&r, "lockstep__clock_ratio.pct");
    assert_true(ratio > 24.999 && ratio < 25.001);
    arena_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_from_the_payload),
        cmocka_unit_test(test_one_dimension_linear_normalized),
        cmocka_unit_test(test_a_refusal_leaves_nothing),
        cmocka_unit_test(test_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
