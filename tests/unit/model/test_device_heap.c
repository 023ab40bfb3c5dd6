/* test_device_heap.c - malloc and free in kernels: what the model says beside what an H200 took and asked for
 * (tests/hw/h200/device-heap.csv, heap-shapes.csv), and how its heap is laid out (device-heap-sizes.csv). */
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

enum { CASES_MOST = 8192, PER_SM = 64, WARM = 100000 /* ns */ };

/* A launch of tests/hw/device_heap.cu: every warp calls n times, with so many lanes. */
struct launch {
    double heap_mib, blocks, warps, lanes, n, bytes;
    char mode[16];
};

static struct device_heap_use use_of(const struct launch *l)
{
    const double calls = l->blocks * l->warps * l->n;
    const struct device_call_count n = {.threads = calls * l->lanes, .warps = calls, .rounds = l->n}, none = {0};
    const bool takes = strncmp(l->mode, "free", 4) != 0, gives = strcmp(l->mode, "malloc") != 0;
    struct device_heap_use u = {.taken = takes ? n : none,
                                .given = gives ? n : none,
                                .bytes = l->heap_mib * (1 << 20),
                                .blocks = l->blocks,
                                .held = (double)PER_SM * h200.sms,
                                .peak = strcmp(l->mode, "pairs") ? l->n : 1,
                                .before_n = takes ? 0 : calls * l->lanes};
    (takes ? u.slots : u.before)[device_heap_size((u64)l->bytes)] =
        calls * l->lanes * (double)device_heap_slots((u64)l->bytes);
    return u;
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

/* All launches in which every call had memory, and behind which nothing was alive; their caches were warm, which does not matter to
 * long ones. */
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
        if (sscanf(line, "empty,%lf,%lf,%lf,%lf,%lf,%lf,%15[^,],%*f,%lf,%lf", &l.heap_mib, &l.blocks, &l.warps,
                   &l.lanes, &l.n, &l.bytes, l.mode, &ns, &good) != 9 ||
            good < l.blocks * l.warps * l.lanes * l.n || ns < WARM)
            continue;
        const double error = fabs(log(modelled_ns(&l) / ns));
        if (l.lanes > 1)
            add(errors, &n, error);
        else
            add(single, &nsingle, error);
    }
    fclose(f);
    assert_true(n > 1000 && nsingle > 500);
    if (errors[n / 2] > 0.15 || errors[n * 9 / 10] > 0.40 || single[nsingle / 2] > 0.30)
        fail_msg("half of %u within a factor of %.2f, nine in ten of %.2f; of one lane half of %u within %.2f", n,
                 exp(errors[n / 2]), exp(errors[n * 9 / 10]), nsingle, exp(single[nsingle / 2]));
}

/* Of what takes a chunk for itself the list is as long as what is allocated. */
static void grows_with_what_is_alive(void **state)
{
    (void)state;
    const struct launch small = {8, 1, 1, 1, 160, 64, "malloc"}, large = {8, 1, 1, 1, 160, 1024, "malloc"};
    assert_true(modelled_ns(&large) > 8 * modelled_ns(&small));
    struct device_heap_use u = use_of(&small);
    const double empty = device_heap_cycles(&h200, &u);
    u.before[0] = 24.0 * 5461; /* 131072 allocations of 64 bytes */
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

/* Of threads that take 16 to 1215 bytes a warp makes some eleven chunks, not fifteen (heap_shapes.cu, `sizes`). */
static void what_differs_fills_chunks(void **state)
{
    (void)state;
    struct device_heap_sum all = {0}, halves[2] = {{0}}, same = {0};
    for (u64 bytes = 16; bytes < 1216; bytes++) {
        device_heap_add(&all, bytes);
        device_heap_add(&halves[bytes % 2], bytes);
        device_heap_add(&same, 600);
    }
    const double each = (double)device_heap_taken(&all) / 1200;
    if (each < 8 || each > 8.8)
        fail_msg("%.2f slots each", each);
    device_heap_merge(&halves[1], &halves[0]);
    assert_memory_equal(&halves[1], &all, sizeof all);
    assert_int_equal(device_heap_taken(&same), 1200 * device_heap_slots(600));
    struct device_heap_sum large = {0}; /* no two of these are in one chunk */
    device_heap_add(&large, 1200);
    device_heap_add(&large, 1300);
    assert_int_equal(device_heap_taken(&large), 48);
}

/* Chunks lie in chunks of their own, as long as there is room. */
static void grows_with_the_heap(void **state)
{
    (void)state;
    const struct launch small = {8, 132, 8, 1, 1, 64, "free"}, large = {1024, 132, 8, 1, 1, 64, "free"};
    const double ratio = modelled_ns(&large) / modelled_ns(&small);
    if (ratio < 1.8 || ratio > 2.6) /* 6372 us, 2609 us */
        fail_msg("%.2f times as long", ratio);
}

static void near(double modelled, double measured, double share)
{
    if (fabs(modelled / measured - 1) > share)
        fail_msg("%.0f sectors, measured %.0f", modelled, measured);
}

/* Those of heap-shapes-calls.csv and heap-shapes.csv, without what the kernels themselves ask for. */
static void sectors_as_measured(void **state)
{
    (void)state;
    static const struct {
        struct launch launch;
        double before, sectors, atoms, dram; /* chunks; sectors but for code */
    } cases[] = {{{256, 1, 1, 1, 1, 48, "malloc"}, 0, 218, 40, 1150},
                 {{256, 1, 1, 1, 1, 48, "malloc"}, 256, 909, 16, 1340},
                 {{256, 1, 1, 32, 1, 48, "malloc"}, 0, 1369, 592, 1235},
                 {{256, 1, 1, 32, 1, 48, "free"}, 0, 705, 380, 720},
                 {{256, 132, 1, 32, 1, 48, "malloc"}, 0, 373886, 207600, 11600},
                 {{256, 132, 8, 32, 1, 600, "malloc"}, 0, 927703214, 590693000, 112000}};
    for (u32 k = 0; k < LS_ARRAY_LEN(cases); k++) {
        struct device_heap_use u = use_of(&cases[k].launch);
        u.before[0] += HEAP_SLOTS * cases[k].before;
        const struct device_heap_sectors s = device_heap_sectors(&h200, &u);
        near(s.reads + s.writes + s.atoms, cases[k].sectors, 0.3);
        if (cases[k].sectors > 1000)
            near(s.atoms, cases[k].atoms, 0.5);
        near(s.dram, cases[k].dram, 0.35);
    }
}

static void no_calls_cost_nothing(void **state)
{
    (void)state;
    const struct device_heap_use nothing = {.blocks = 10, .before = {1000}};
    const struct device_heap_sectors s = device_heap_sectors(&h200, &nothing);
    assert_true(s.reads + s.writes + s.atoms + s.code + s.dram <= 0);
    assert_true(device_heap_cycles(&h200, &nothing) <= 0);
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
        cmocka_unit_test(as_measured),           cmocka_unit_test(grows_with_what_is_alive),
        cmocka_unit_test(slots_as_measured),     cmocka_unit_test(what_differs_fills_chunks),
        cmocka_unit_test(grows_with_the_heap),   cmocka_unit_test(sectors_as_measured),
        cmocka_unit_test(no_calls_cost_nothing),
    };
    return cmocka_run_group_tests(tests, find, NULL);
}
