/* test_ranges.c - what is remembered of ranges of managed memory: advice and prefetches, with the answers that an H200
 * with NVIDIA's libraries gave (driver 580.159.04, CUDA 13.0). */
#include "runtime_test.h"

enum { BYTES = 1 << 20, HALF = BYTES / 2, NOWHERE = -2 };

static char *range;
static cudaStream_t stream;
static const struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};

static int up(void **state)
{
    (void)state;
    OK(cudaDeviceReset());
    OK(cudaMallocManaged((void **)&range, BYTES, cudaMemAttachGlobal));
    OK(cudaStreamCreate(&stream));
    return 0;
}

static int get(enum cudaMemRangeAttribute a, size_t at, size_t size)
{
    int v = 77;
    OK(cudaMemRangeGetAttribute(&v, sizeof v, a, range + at, size));
    return v;
}

/* Read mostly; location, its type and its id; the same of the last prefetch. */
static void expect(size_t at, size_t size, int mostly, int preferred, int prefetched)
{
    static const int types[] = {cudaMemLocationTypeInvalid, cudaMemLocationTypeHost, cudaMemLocationTypeDevice};
    assert_int_equal(get(cudaMemRangeAttributeReadMostly, at, size), mostly);
    assert_int_equal(get(cudaMemRangeAttributePreferredLocation, at, size), preferred);
    assert_int_equal(get(cudaMemRangeAttributePreferredLocationType, at, size), types[preferred + 2]);
    assert_int_equal(get(cudaMemRangeAttributePreferredLocationId, at, size), preferred);
    assert_int_equal(get(cudaMemRangeAttributeLastPrefetchLocation, at, size), prefetched);
    assert_int_equal(get(cudaMemRangeAttributeLastPrefetchLocationType, at, size), types[prefetched + 2]);
    assert_int_equal(get(cudaMemRangeAttributeLastPrefetchLocationId, at, size), prefetched);
}

static void expect_accessors(size_t at, size_t size, int first, int second)
{
    int got[3] = {77, 77, 77};
    OK(cudaMemRangeGetAttribute(got, sizeof got, cudaMemRangeAttributeAccessedBy, range + at, size));
    assert_int_equal(got[0], first);
    assert_int_equal(got[1], second);
    assert_int_equal(got[2], NOWHERE);
}

static void advice_is_remembered(void **state)
{
    (void)state;
    expect(0, BYTES, 0, NOWHERE, NOWHERE);
    expect_accessors(0, BYTES, NOWHERE, NOWHERE);
    OK(cudaMemAdvise(range, BYTES, cudaMemAdviseSetReadMostly, device));
    OK(cudaMemAdvise(range, BYTES, cudaMemAdviseSetPreferredLocation, device));
    OK(cudaMemAdvise(range, BYTES, cudaMemAdviseSetAccessedBy, device));
    OK(cudaMemAdvise(range, BYTES, cudaMemAdviseSetAccessedBy, host));
    OK(cudaMemPrefetchAsync(range, BYTES, device, 0, stream));
    expect(0, BYTES, 1, 0, 0);
    expect_accessors(0, BYTES, 0, -1);

    /* of a range that was told different things: what is the same of all of it */
    OK(cudaMemAdvise(range, HALF, cudaMemAdviseUnsetReadMostly, device));
    OK(cudaMemAdvise(range, HALF, cudaMemAdviseSetPreferredLocation, host));
    OK(cudaMemPrefetchAsync(range, HALF, host, 0, stream));
    expect(0, BYTES, 0, NOWHERE, NOWHERE);
    expect_accessors(0, BYTES, 0, -1);
    expect(HALF, HALF, 1, 0, 0);
    expect(0, HALF, 0, -1, -1);
    OK(cudaMemAdvise(range + 4096, 4096, cudaMemAdviseUnsetAccessedBy, host));
    OK(cudaMemAdvise(range + 4096, 4096, cudaMemAdviseUnsetPreferredLocation, host));
    expect_accessors(0, BYTES, 0, NOWHERE);
    expect_accessors(8192, 4096, 0, -1);
    assert_int_equal(get(cudaMemRangeAttributePreferredLocation, 4096, 4096), NOWHERE);
    assert_int_equal(get(cudaMemRangeAttributePreferredLocation, 0, 4096), -1);
}

static void other_memory_at_the_same_address_has_heard_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        OK(cudaMemAdvise(range, HALF, cudaMemAdviseSetReadMostly, device));
        OK(cudaFree(range));
        OK(cudaMallocManaged((void **)&range, BYTES, cudaMemAttachGlobal));
        expect(0, HALF, 0, NOWHERE, NOWHERE);
    }
}

static void several_attributes_at_once(void **state)
{
    (void)state;
    int mostly = 7, where = 7, who[2] = {7, 7};
    void *data[] = {&mostly, who, &where};
    size_t sizes[] = {sizeof mostly, sizeof who, sizeof where};
    enum cudaMemRangeAttribute what[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributeAccessedBy,
                                         cudaMemRangeAttributeLastPrefetchLocation};
    OK(cudaMemAdvise(range, 64, cudaMemAdviseSetAccessedBy, host));
    OK(cudaMemPrefetchAsync(range, 64, host, 0, stream));
    OK(cudaMemRangeGetAttributes(data, sizes, what, 3, range, 64));
    assert_int_equal(mostly, 0);
    assert_int_equal(who[0], -1);
    assert_int_equal(who[1], NOWHERE);
    assert_int_equal(where, -1);
    FAILS(cudaMemRangeGetAttributes(data, sizes, what, 0, range, 64), cudaErrorInvalidValue);
}

static void what_cannot_be_asked(void **state)
{
    (void)state;
    int v[4];
    void *p;
    OK(cudaMalloc(&p, 4096));
    FAILS(cudaMemRangeGetAttribute(v, 4, cudaMemRangeAttributeReadMostly, p, 16), cudaErrorInvalidValue);
    FAILS(cudaMemRangeGetAttribute(v, 4, cudaMemRangeAttributeReadMostly, range, 0), cudaErrorInvalidValue);
    FAILS(cudaMemRangeGetAttribute(v, 3, cudaMemRangeAttributeReadMostly, range, 16), cudaErrorInvalidValue);
    FAILS(cudaMemRangeGetAttribute(v, 8, cudaMemRangeAttributeReadMostly, range, 16), cudaErrorInvalidValue);
    FAILS(cudaMemRangeGetAttribute(v, 4, (enum cudaMemRangeAttribute)9, range, 16), cudaErrorInvalidValue);
    FAILS(cudaMemRangeGetAttribute(NULL, 4, cudaMemRangeAttributeReadMostly, range, 16), cudaErrorInvalidValue);
    FAILS(cudaMemRangeGetAttribute(v, 4, cudaMemRangeAttributeReadMostly, range, 2 * BYTES), cudaErrorInvalidValue);
}

static void batches(void **state)
{
    (void)state;
    void *ranges[] = {range, range + 4096, range + 8192}, *p;
    size_t sizes[] = {4096, 4096, 4096}, from[] = {0, 2}, wrong[] = {1};
    struct cudaMemLocation places[] = {device, host};
    OK(cudaMalloc(&p, 4096));
    OK(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, from, 2, 0, stream));
    expect(0, 8192, 0, NOWHERE, 0);
    expect(8192, 4096, 0, NOWHERE, -1);
    OK(cudaMemDiscardBatchAsync(ranges, sizes, 3, 0, stream));
    OK(cudaMemDiscardAndPrefetchBatchAsync(ranges, sizes, 3, places, from, 1, 0, stream));
    expect(0, 12288, 0, NOWHERE, 0);
    FAILS(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, wrong, 1, 0, stream), cudaErrorInvalidValue);
    FAILS(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, from, 1, 1, stream), cudaErrorInvalidValue);
    FAILS(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, from, 1, 0, NULL), cudaErrorInvalidValue);
    FAILS(cudaMemPrefetchBatchAsync(ranges, sizes, 0, places, from, 1, 0, stream), cudaErrorInvalidValue);
    ranges[1] = p;
    FAILS(cudaMemPrefetchBatchAsync(ranges, sizes, 3, &places[1], from, 1, 0, stream), cudaErrorInvalidValue);
    FAILS(cudaMemDiscardBatchAsync(ranges, sizes, 3, 0, stream), cudaErrorInvalidValue);
    expect(0, 4096, 0, NOWHERE, 0); /* nothing was done */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(advice_is_remembered, up),
        cmocka_unit_test_setup(other_memory_at_the_same_address_has_heard_nothing, up),
        cmocka_unit_test_setup(several_attributes_at_once, up),
        cmocka_unit_test_setup(what_cannot_be_asked, up),
        cmocka_unit_test_setup(batches, up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
