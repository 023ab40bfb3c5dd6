/* check_race.c - what racecheck costs a kernel, part by part, on the engine itself: fast, traced with a hook that does
 * nothing, with the order within blocks alone, with shared memory, with device memory, with both.
 *
 *     check_race PTX [REPETITIONS]     PTX: the kernels of check_kernels.cu (reduce, transpose, matmul)
 *
 * Prints milliseconds, the best of the repetitions, and how many times the fast run that is. Processor time, one
 * worker. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/core/tool.h"
#include "ptx/ptx.h"

enum way { FAST, TRACED, ORDER, SHARED, GLOBAL, BOTH, WAYS };
static const char *const way_names[WAYS] = {"fast", "traced", "order", "shared", "global", "both"};

struct kernel {
    const char *prefix; /* of the mangled name */
    u32 n, grid[3], block[3];
};
static const struct kernel kernels[] = {
    {"_Z6reduce", 2048, {2048 * 2048 / 256, 1, 1}, {256, 1, 1}},
    {"_Z9transpose", 2048, {64, 64, 1}, {32, 8, 1}},
    {"_Z6matmul", 320, {20, 20, 1}, {16, 16, 1}},
};

struct bench {
    struct exec_device device;
    struct exec_module *module;
    struct check *check;
    u64 a, b, c;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "check_race: %s\n", what);
    exit(1);
}

/* ---- hooks that do nothing ---- */

static void *no_worker(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}
static void no_access(void *ctx, const struct exec_access *a) { (void)ctx, (void)a; }
static const struct exec_hooks null_hooks = {.worker_begin = no_worker, .access = no_access};

/* ---- runs ---- */

/* Leaves the instruments that this way of running wants. */
static void choose(struct check_launch *l, enum way way)
{
    const struct check_instrument *keep[3] = {&instrument_sync, NULL, NULL};
    keep[1] = way == SHARED || way == BOTH ? &instrument_racecheck_shared : NULL;
    keep[2] = way == GLOBAL || way == BOTH ? &instrument_racecheck : NULL;
    for (unsigned k = 0; k < l->nactive; k++) {
        bool any = false;
        for (unsigned i = 0; i < 3; i++)
            any |= l->active[k] == keep[i];
        for (unsigned i = k; !any && i + 1 < l->nactive; i++)
            l->active[i] = l->active[i + 1];
        l->nactive -= !any;
        k -= !any;
    }
}

static double run(struct bench *b, const struct kernel *k, enum way way)
{
    struct {
        u64 a, b, c;
        u32 n, pad;
    } three = {b->a, b->b, b->c, k->n, 0};
    struct {
        u64 a, c;
        u32 n, pad;
    } two = {b->a, b->c, k->n, 0};
    const struct ir_func *func = NULL;
    const char *name;
    for (unsigned n = 0; (name = exec_module_kernel_name(b->module, n)); n++)
        if (!strncmp(name, k->prefix, strlen(k->prefix)))
            func = exec_module_kernel(b->module, name);
    if (!func)
        fail("a kernel is missing");
    if (strstr(k->prefix, "reduce"))
        two.n = k->n * k->n;
    struct exec_launch l = {.device = &b->device,
                            .module = b->module,
                            .kernel = func,
                            .params = strstr(k->prefix, "matmul") ? (const void *)&three : (const void *)&two,
                            .workers = 1,
                            .id = 1};
    memcpy(l.grid, k->grid, sizeof l.grid);
    memcpy(l.block, k->block, sizeof l.block);
    struct check_launch *c = NULL;
    struct exec_fault fault;
    u64 bad;
    if (way >= ORDER) {
        if (check_launch_begin(b->check, &l, &(struct check_site){.op = 0}, &c))
            fail("no memory");
        choose(c, way);
    }
    l.hooks = way == FAST ? NULL : way == TRACED ? &null_hooks : check_launch_hooks(c);
    const double start = now();
    const enum ls_status s = exec_run(&l, &fault, NULL);
    const double seconds = now() - start;
    if (c)
        check_launch_end(c, s, &fault, &bad);
    if (s)
        fail(fault.detail);
    return seconds;
}

static void on_report(void *ctx, const struct finding *f, u64 id, bool again)
{
    (void)ctx, (void)id;
    if (!again)
        fprintf(stderr, "found: %s\n", finding_info(f->kind)->name);
}

static u64 matrix(struct bench *b, u64 bytes)
{
    u64 at;
    if (mem_alloc(b->device.mem, bytes, 256, MEM_DEVICE, NULL, &at))
        fail("no memory");
    memset((void *)(uintptr_t)at, 0, bytes);
    return at;
}

static void open_bench(struct bench *b, const char *path)
{
    struct diag_list diags;
    struct gpu gpu;
    struct ptx_module *ptx;
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    diag_init(&diags);
    if (!f || !text || !fread(text, 1, (1 << 20) - 1, f))
        fail("cannot read the PTX");
    fclose(f);
    if (gpu_find("h200", &gpu, &diags))
        fail("no such GPU");
    gpu.memory_bytes = 1ull << 30;
    if (exec_device_init(&b->device, &gpu) || ptx_parse(text, strlen(text), path, &ptx, &diags) ||
        exec_module_load(&b->device, &ptx, 1, &b->module, &diags))
        fail("cannot load the PTX");
    const struct check_options o = {.tools = CHECK_RACECHECK, .report = on_report};
    if (check_create(&o, b->device.mem, &b->check))
        fail("no memory");
    b->a = matrix(b, 2048 * 2048 * 4);
    b->b = matrix(b, 2048 * 2048 * 4);
    b->c = matrix(b, 2048 * 2048 * 4);
    free(text);
    diag_free(&diags);
}

int main(int argc, char **argv)
{
    static struct bench b;
    const int repetitions = argc > 2 ? atoi(argv[2]) : 5;
    if (argc < 2)
        fail("usage: check_race PTX [REPETITIONS]");
    open_bench(&b, argv[1]);
    for (unsigned k = 0; k < LS_ARRAY_LEN(kernels); k++) {
        double best[WAYS];
        for (unsigned way = 0; way < WAYS; way++)
            best[way] = run(&b, &kernels[k], (enum way)way);
        for (int n = 0; n < repetitions; n++)
            for (unsigned way = 0; way < WAYS; way++) {
                const double t = run(&b, &kernels[k], (enum way)way);
                best[way] = t < best[way] ? t : best[way];
            }
        for (unsigned way = 0; way < WAYS; way++)
            printf("%-12s %-8s %8.2f ms %6.2f\n", kernels[k].prefix + 3, way_names[way], 1e3 * best[way],
                   best[way] / best[FAST]);
    }
    check_destroy(b.check);
    exec_module_free(b.module);
    exec_device_free(&b.device);
    return 0;
}
