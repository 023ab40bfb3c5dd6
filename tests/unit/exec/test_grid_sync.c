/* The barrier of a grid in cooperative launches, ours and cooperative_groups', and the shared memory that the latter's
 * large tiles use (ptx/grid_sync.cu). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"

static const char *const files[] = {"grid_sync_clang.ptx", "grid_sync_nvcc.ptx", "grid_sync_cg.ptx"};
static const struct {
    unsigned workers;
    u64 seed;
} schedules[] = {{1, 0}, {2, 0}, {1, 1}, {1, 77}, {2, 5}, {5, 0}};

/* The last grid fills a part of the device; sanitizers get by with a smaller one. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ROUNDS = 5, THREADS = 64, MANY = 40 };
#else
enum { ROUNDS = 5, THREADS = 64, MANY = 264 };
#endif

static void rotate(struct bench *b, u32 grid, u32 grid_y, unsigned workers, u64 seed)
{
    const u32 n = grid * grid_y * THREADS - 3;
    u32 *a = bench_alloc(b, 4 * (n + 1)), *other = bench_alloc(b, 4 * (n + 1));
    for (u32 i = 0; i < n; i++)
        a[i] = i * i;
    bench_run_ok(b, &(struct run){.kernel = "rotate",
                                  .grid = grid,
                                  .grid_y = grid_y,
                                  .block = THREADS,
                                  .workers = workers,
                                  .seed = seed,
                                  .cooperative = true,
                                  .max_seconds = 120,
                                  .params = {(u64)a, (u64)other, n, ROUNDS}});
    for (u32 i = 0; i < n; i++) {
        const u32 from = (i + ROUNDS) % n;
        assert_int_equal(a[i], from * from + ROUNDS);
    }
    mem_free(b->device.mem, (u64)a);
    mem_free(b->device.mem, (u64)other);
}

static void test_rotate(void **state)
{
    (void)state;
    for (size_t f = 0; f < LS_ARRAY_LEN(files); f++) {
        struct bench b;
        bench_open(&b, files[f]);
        for (size_t k = 0; k < LS_ARRAY_LEN(schedules); k++) {
            rotate(&b, 1, 1, schedules[k].workers, schedules[k].seed);
            rotate(&b, 7, 3, schedules[k].workers, schedules[k].seed);
            rotate(&b, MANY, 1, schedules[k].workers, schedules[k].seed);
        }
        bench_close(&b);
    }
}

static void test_ordinary_launch_traps(void **state)
{
    (void)state;
    for (size_t f = 0; f < LS_ARRAY_LEN(files); f++) {
        struct bench b;
        struct exec_fault fault;
        bench_open(&b, files[f]);
        u32 *a = bench_alloc(&b, 4 * THREADS), *other = bench_alloc(&b, 4 * THREADS);
        assert_int_equal(bench_run(&b,
                                   &(struct run){.kernel = "rotate",
                                                 .grid = 1,
                                                 .block = THREADS,
                                                 .workers = 1,
                                                 .params = {(u64)a, (u64)other, THREADS, 1}},
                                   &fault),
                         LS_ERR_FAULT);
        assert_int_equal(fault.kind, FAULT_TRAP);
        bench_close(&b);
    }
}

static void test_large_tiles(void **state)
{
    enum { BLOCKS = 9, BLOCK = 128 };
    struct bench b;
    (void)state;
    bench_open(&b, "grid_sync_cg.ptx");
    for (size_t k = 0; k < LS_ARRAY_LEN(schedules); k++) {
        u32 *a = bench_alloc(&b, 4 * BLOCK * BLOCKS), *out = bench_alloc(&b, 4 * BLOCK * BLOCKS);
        bench_run_ok(&b, &(struct run){.kernel = "tiles",
                                       .grid = BLOCKS,
                                       .block = BLOCK,
                                       .dynamic_shared = 4 * BLOCK,
                                       .workers = schedules[k].workers,
                                       .seed = schedules[k].seed,
                                       .max_seconds = 60,
                                       .params = {(u64)a, (u64)out}});
        for (u32 i = 0; i < BLOCK * BLOCKS; i++) {
            const u32 t = i % BLOCK;
            assert_int_equal(a[i], t % 64);
            assert_int_equal(out[i], t / 64 * 64 + 40 + 1000 * ((t ^ 33) + 1 + 2 * (t ^ 32) + 1));
        }
    }
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotate),
        cmocka_unit_test(test_ordinary_launch_traps),
        cmocka_unit_test(test_large_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
