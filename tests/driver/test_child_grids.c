/* test_child_grids.c - through the driver: grids that kernels launch have records of their own and obey the context's
 * limit; cooperative launches are as large as the device's occupancy allows. The kernels are those of
 * tests/unit/exec/ptx/nested.cu and grid_sync.cu. */
#include "driver_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/lockstep-nested-XXXXXX";

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    char *text = NULL;
    size_t n = 0, room = 0;
    do {
        room = room ? room * 2 : 65536;
        text = realloc(text, room);
        assert_non_null(text);
        n += fread(text + n, 1, room - n - 1, f);
    } while (n == room - 1);
    text[n] = 0;
    fclose(f);
    return text;
}

static CUfunction load_file(const char *name, const char *kernel)
{
    char path[256];
    snprintf(path, sizeof path, "tests/unit/exec/ptx/%s", name);
    char *text = read_text(path);
    CUfunction f = load(text, kernel);
    free(text);
    return f;
}

static CUdeviceptr zeroed(size_t bytes)
{
    CUdeviceptr p;
    OK(cuMemAlloc_v2(&p, bytes));
    OK(cuMemsetD8_v2(p, 0, bytes));
    return p;
}

/* ---- records ---- */

static char *records(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%ld.rec", folder, (long)getpid());
    char *text = read_text(path);
    unlink(path);
    return text;
}

/* The number behind "key": of a line; 0 without. */
static unsigned long field(const char *line, const char *key)
{
    char name[32];
    snprintf(name, sizeof name, "\"%s\":", key);
    const char *end = strchr(line, '\n'), *at = strstr(line, name);
    return at && at < end ? strtoul(at + strlen(name), NULL, 10) : 0;
}

static void each_grid_has_a_record(void **state)
{
    static const struct {
        const char *kernel;
        unsigned parent, depth, children, blocks; /* parent: its place in this list */
    } want[] = {
        {"in_order", 0, 0, 5, 1}, {"note", 0, 1, 0, 2}, {"note_after", 0, 1, 2, 1}, {"note", 2, 2, 0, 1},
        {"note", 2, 2, 0, 1},     {"note", 0, 1, 0, 1}, {"note", 0, 1, 0, 1},       {"note_after", 0, 1, 2, 1},
        {"note", 7, 2, 0, 1},     {"note", 7, 2, 0, 1},
    };
    enum { N = sizeof want / sizeof *want };
    unsigned long ids[N];
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load_file("nested_clang.ptx", "in_order");
    CUdeviceptr log = zeroed(256);
    void *params[] = {&log};
    OK(run1(f, 1, 32, NULL, params));
    OK(cuCtxSynchronize());
    char *text = records(), *line = text;
    for (unsigned k = 0; k < N; k++) {
        char name[64], grid[64], *end = strchr(line, '\n');
        assert_non_null(end);
        snprintf(name, sizeof name, "\"name\":\"%s\"", want[k].kernel);
        snprintf(grid, sizeof grid, "\"grid\":[%u,1,1]", want[k].blocks);
        assert_true(strstr(line, name) && strstr(line, name) < end);
        assert_true(strstr(line, grid) && strstr(line, grid) < end);
        ids[k] = field(line, "id");
        assert_int_equal(field(line, "parent"), k ? ids[want[k].parent] : 0);
        assert_int_equal(field(line, "root"), k ? ids[0] : 0);
        assert_int_equal(field(line, "depth"), want[k].depth);
        assert_int_equal(field(line, "children"), want[k].children);
        line = end + 1;
    }
    assert_int_equal(*line, 0);
    free(text);
    OK(cuMemFree_v2(log));
    context_down(ctx);
}

static void the_limit_of_pending_launches(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load_file("nested_nvcc.ptx", "flood");
    CUdeviceptr p = zeroed(16);
    unsigned n[3], times = 20;
    size_t limit;
    void *params[] = {&p, &times};
    OK(cuCtxGetLimit(&limit, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT));
    assert_int_equal(limit, 2048);
    OK(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 500));
    OK(run1(f, 1, 32, NULL, params));
    OK(cuMemcpyDtoH_v2(n, p, sizeof n));
    assert_int_equal(n[0], 500);
    assert_int_equal(n[1], 140);
    assert_int_equal(n[2], 140 * 69);
    OK(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 1000));
    OK(cuMemsetD8_v2(p, 0, 16));
    OK(run1(f, 1, 32, NULL, params));
    OK(cuMemcpyDtoH_v2(n, p, sizeof n));
    assert_int_equal(n[0], 640);
    assert_int_equal(n[1], 0);
    context_down(ctx);
    free(records());
}

static void a_childs_fault_is_the_launchs(void **state)
{
    (void)state;
    CUcontext ctx = context_up();
    CUfunction f = load_file("nested_triple.ptx", "strays");
    CUdeviceptr null = 0;
    void *params[] = {&null};
    OK(run1(f, 2, 32, NULL, params));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    context_down(ctx);
    char *text = records();
    assert_non_null(strstr(text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    free(text);
}

/* ---- cooperative launches ---- */

static void cooperative_grids_fit_or_are_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"grid_sync_clang.ptx", "grid_sync_cg.ptx"};
    CUcontext ctx = context_up();
    for (size_t k = 0; k < 2; k++) {
        enum { SMS = 132, BLOCK = 1024 };
        CUfunction f = load_file(files[k], "rotate");
        unsigned n = 2 * SMS * BLOCK, rounds = 1, got[2];
        int per_sm;
        CUdeviceptr a = zeroed(4 * (size_t)n), b = zeroed(4 * (size_t)n);
        void *params[] = {&a, &b, &n, &rounds};
        OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, f, BLOCK, 0));
        assert_int_equal(per_sm, 2);
        OK(cuLaunchCooperativeKernel(f, 2 * SMS, 1, 1, BLOCK, 1, 1, 0, NULL, params));
        OK(cuMemcpyDtoH_v2(got, a + 4 * (n - 2), sizeof got));
        assert_true(got[0] == 1 && got[1] == 1);
        FAILS(cuLaunchCooperativeKernel(f, 2 * SMS + 1, 1, 1, BLOCK, 1, 1, 0, NULL, params),
              CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
        OK(cuMemFree_v2(a));
        OK(cuMemFree_v2(b));
    }
    context_down(ctx);
    free(records());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_grid_has_a_record), cmocka_unit_test(the_limit_of_pending_launches),
        cmocka_unit_test(cooperative_grids_fit_or_are_refused),
        cmocka_unit_test(a_childs_fault_is_the_launchs), /* the last: the fault stays with the process's context */
    };
    if (!mkdtemp(folder) || setenv("LOCKSTEP_SESSION", folder, 1))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
