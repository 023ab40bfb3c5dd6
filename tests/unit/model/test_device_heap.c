/* test_device_heap.c - malloc and free in kernels: what the model says beside what an H200 took (tests/hw/h200/device-heap.csv), and
 * how its heap is laid out (device-heap-sizes.csv). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/device_heap.h"

static struct gpu h200;

enum { CASES_MOST = 8192, PER_SM = 64 };

/* A launch of tests/hw/device_heap.cu: every warp calls n times, with so many lanes. */
struct launch {
    double blocks, warps, lanes, n, bytes;
    char mode[16];
};

static struct device_heap_use use_of(const struct launch *l)
{
    const double calls = l->blocks * l->warps * l->n,
                 slots = calls * l->lanes * (double)device_heap_slots((u64)l->bytes);
    const struct device_call_count n = {.threads = calls * l->lanes, .warps = calls, .rounds = l->n}, none = {0};
    const bool takes = strncmp(l->mode, "free", 4) != 0, gives = strcmp(l->mode, "malloc") != 0;
    return (struct device_heap_use){.taken = takes ? n : none,
                                    .given = gives ? n : none,
                                    .blocks = l->blocks,
                                    .held = (double)PER_SM * h200.sms,
                                    .peak = strcmp(l->mode, "pairs") ? l->n : 1,
                                    .slots = takes ? slots : 0,
                                    .before = takes ? 0 : slots,
                                    .before_n = takes ? 0 : calls * l->lanes};
}

static double modelled_ns(const struct launch *l)
{
    const struct device_heap_use u = use_of(l);
    return device_heap_cycles(&h200, &u) / h200.boost_mhz * 1e3;
}

static void add(double *errors, u32 *n, double error)
{
    u32 k = (*n)++;
    for (; k && errors[k - 1] > error; k--)
        errors[k] = errors[k - 1];
    errors[k] = error;
}

/* All launches in which every call had memory, and behind which nothing was alive. */
static void as_measured(void **state)
{
    (void)state;
    static double errors[CASES_MOST], single[CASES_MOST]; /* of one lane */
    u32 n = 0, nsingle = 0;
    char line[512];
    FILE *f = fopen("tests/hw/h200/device-heap.csv", "r");
    assert_non_null(f);
    while (n + nsingle < CASES_MOST && fgets(line, sizeof line, f)) {
        struct launch l;
        double ns, good;
        if (sscanf(line, "empty,%*f,%lf,%lf,%lf,%lf,%lf,%15[^,],%*f,%lf,%lf", &l.blocks, &l.warps, &l.lanes, &l.n,
                   &l.bytes, l.mode, &ns, &good) != 8 ||
            good < l.blocks * l.warps * l.lanes * l.n)
            continue;
        const double error = fabs(log(modelled_ns(&l) / ns));
        if (l.lanes > 1)
            add(errors, &n, error);
        else
            add(single, &nsingle, error);
    }
    fclose(f);
    assert_true(n > 1000 && nsingle > 1000);
    if (errors[n / 2] > 0.15 || errors[n * 9 / 10] > 0.40 || single[nsingle / 2] > 0.30)
        fail_msg("half of %u within a factor of %.2f, nine in ten of %.2f; of one lane half of %u within %.2f", n,
                 exp(errors[n / 2]), exp(errors[n * 9 / 10]), nsingle, exp(single[nsingle / 2]));
}

/* Of what takes a chunk for itself the list is as long as what is allocated. */
static void grows_with_what_is_alive(void **state)
{
    (void)state;
    const struct launch small = {1, 1, 1, 160, 64, "malloc"}, large = {1, 1, 1, 160, 1024, "malloc"};
    assert_true(modelled_ns(&large) > 8 * modelled_ns(&small));
    struct device_heap_use u = use_of(&small);
    const double empty = device_heap_cycles(&h200, &u);
    u.before = 24.0 * 5461; /* 131072 allocations of 64 bytes */
    assert_true(device_heap_cycles(&h200, &u) > 100 * empty);
}

static void slots_as_measured(void **state)
{
    (void)state;
    static const struct {
        u64 bytes, slots;
    } cases[] = {{1, 1},     {64, 1},    {65, 2},       {144, 2},      {304, 4},     {384, 6},    {464, 6},
                 {544, 8},   {624, 8},   {864, 12},     {944, 12},     {952, 24},    {1904, 24},  {1905, 1},
                 {2192, 1},  {2193, 2},  {4400, 2},     {8816, 4},     {26480, 12},  {26496, 24}, {52000, 24},
                 {53264, 1}, {65536, 2}, {1 << 20, 24}, {1278704, 24}, {1278705, 25}};
    for (u32 k = 0; k < LS_ARRAY_LEN(cases); k++)
        if (device_heap_slots(cases[k].bytes) != cases[k].slots)
            fail_msg("%llu bytes: %llu slots", (unsigned long long)cases[k].bytes,
                     (unsigned long long)device_heap_slots(cases[k].bytes));
}

static void no_calls_cost_nothing(void **state)
{
    (void)state;
    assert_true(device_heap_cycles(&h200, &(struct device_heap_use){.blocks = 10, .before = 1000}) <= 0);
}

static int find(void **state)
{
    (void)state;
    struct diag_list diags;
    diag_init(&diags);
    const bool found = gpu_find("h200", &h200, &diags) == LS_OK;
    diag_free(&diags);
    return !found;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_measured),
        cmocka_unit_test(grows_with_what_is_alive),
        cmocka_unit_test(slots_as_measured),
        cmocka_unit_test(no_calls_cost_nothing),
    };
    return cmocka_run_group_tests(tests, find, NULL);
}
