/* bench.c - launches and times of the microbenchmarks. */
#include "calibrate/bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"

f64 bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (f64)t.tv_sec + 1e-9 * (f64)t.tv_nsec;
}

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL); }

/* ---- numbers ---- */

static int ascending(const void *x, const void *y)
{
    const f64 a = *(const f64 *)x, b = *(const f64 *)y;
    return (a > b) - (a < b);
}

f64 bench_middle(f64 *values, u32 n)
{
    qsort(values, n, sizeof *values, ascending);
    return n & 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

f64 bench_spread(const f64 *sorted, u32 n)
{
    const f64 middle = sorted[n / 2];
    return middle > 0 ? (sorted[n - 1] - sorted[0]) / middle : 0;
}

void bench_row(struct bench *b, f64 value, const char *unit, f64 spread, const char *name, ...)
{
    if (b->to->nrows == CALIBRATE_ROWS)
        return;
    char text[128];
    va_list args;
    va_start(args, name);
    vsnprintf(text, sizeof text, name, args);
    va_end(args);
    struct calibrate_row *row = &b->to->rows[b->to->nrows++];
    row->name = arena_printf(b->mem, "%s", text);
    row->unit = unit;
    row->value = value;
    row->spread = spread;
}

/* ---- what goes wrong ---- */

bool bench_ok(struct bench *b, CUresult r)
{
    if (r != CUDA_SUCCESS && !b->error[0])
        snprintf(b->error, sizeof b->error, "%s", lab_cuda_error(&b->cuda, r));
    return !b->error[0];
}

/* ---- the device ---- */

bool bench_alloc(struct bench *b, u64 bytes, CUdeviceptr *out) { return bench_ok(b, b->cuda.alloc(out, bytes)); }

static bool prepare(struct bench *b)
{
    b->error[0] = '\0';
    memset(b->modules, 0, bench_image_count * sizeof(CUmodule));
    return bench_alloc(b, BENCH_RECORDS * sizeof(struct bench_record), &b->out);
}

bool bench_renew(struct bench *b)
{
    b->error[0] = '\0';
    return bench_ok(b, lab_cuda_renew(&b->cuda)) && prepare(b);
}

static void read_attributes(struct bench *b)
{
    struct calibration *to = b->to;
    to->nattributes = LS_ARRAY_LEN(to->attributes);
    for (u32 i = 1; i < to->nattributes; i++)
        if (b->cuda.device_attribute(&to->attributes[i], (CUdevice_attribute)i, b->cuda.device) != CUDA_SUCCESS)
            to->attributes[i] = 0;
    to->sms = b->sms = (u32)to->attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT];
    to->cc_major = (u32)to->attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR];
    to->cc_minor = (u32)to->attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR];
    snprintf(to->device, sizeof to->device, "%s", b->cuda.device_name);
}

/* "580.159.04", as the kernel's module says it. */
static void read_driver(struct bench *b)
{
    char line[256] = "", *at;
    FILE *f = b->request->gpu ? fopen("/proc/driver/nvidia/version", "r") : NULL;
    snprintf(b->to->driver, sizeof b->to->driver, "%s", b->request->gpu ? "unknown" : "Lockstep's");
    if (f && fgets(line, sizeof line, f))
        for (at = strtok(line, " "); at; at = strtok(NULL, " "))
            if (at[0] >= '0' && at[0] <= '9' && strchr(at, '.')) {
                snprintf(b->to->driver, sizeof b->to->driver, "%.60s", at);
                break;
            }
    if (f)
        fclose(f);
}

bool bench_open(struct bench *b, struct diag_list *diags)
{
    if (lab_cuda_open(&b->cuda, b->request->gpu, diags) != LS_OK)
        return false;
    b->modules = arena_array(b->mem, CUmodule, bench_image_count);
    b->records = arena_array(b->mem, struct bench_record, BENCH_RECORDS);
    read_attributes(b);
    read_driver(b);
    if (prepare(b))
        return true;
    diag_add(diags, DIAG_ERROR, (struct diag_place){0}, "the device has no memory: %s", b->error);
    lab_cuda_close(&b->cuda);
    return false;
}

void bench_close(struct bench *b)
{
    if (b->hung)
        return; /* its context cannot be given back: the process ends with it */
    b->cuda.free(b->out);
    lab_cuda_close(&b->cuda);
}

/* ---- launches ---- */

static CUmodule *module_of(struct bench *b, const char *name, const char **ptx)
{
    for (u32 i = 0; i < bench_image_count; i++)
        if (strcmp(bench_images[i].name, name) == 0) {
            *ptx = bench_images[i].ptx;
            return &b->modules[i];
        }
    LS_BUG_ON(true);
    return NULL;
}

static bool load(struct bench *b, const char *module, CUmodule *out)
{
    const char *ptx = NULL;
    CUmodule *m = module_of(b, module, &ptx);
    if (!*m && !bench_ok(b, b->cuda.module_load(m, ptx)))
        *m = NULL;
    *out = *m;
    return *m != NULL;
}

bool bench_function(struct bench *b, const char *module, const char *kernel, CUfunction *out)
{
    CUmodule m;
    return load(b, module, &m) && bench_ok(b, b->cuda.module_function(out, m, kernel));
}

bool bench_global(struct bench *b, const char *module, const char *name, CUdeviceptr *out)
{
    CUmodule m;
    size_t size;
    return load(b, module, &m) && bench_ok(b, b->cuda.module_global(out, &size, m, name));
}

bool bench_wait(struct bench *b)
{
    CUevent done;
    if (!bench_ok(b, b->cuda.event_create(&done, 0)) || !bench_ok(b, b->cuda.event_record(done, NULL)))
        return false;
    const f64 until = bench_seconds() + 20;
    CUresult r;
    while ((r = b->cuda.event_query(done)) == CUDA_ERROR_NOT_READY && bench_seconds() < until)
        nap();
    if (r == CUDA_ERROR_NOT_READY) {
        b->hung = true;
        snprintf(b->error, sizeof b->error, "a kernel did not end in 20 seconds");
        return false;
    }
    b->cuda.event_destroy(done);
    return bench_ok(b, r);
}

/* The kernel, with the shared memory that the launch asks for. */
static bool function_for(struct bench *b, const struct bench_launch *l, CUfunction *f)
{
    if (!bench_function(b, l->module, l->kernel, f))
        return false;
    return l->shared <= 48 << 10 ||
           bench_ok(b, b->cuda.function_set(*f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)l->shared));
}

static bool start(struct bench *b, const struct bench_launch *l, CUfunction f)
{
    static char zeros[4096];
    struct bench_args args = l->args;
    args.out = b->out;
    void *params[] = {&args, zeros};
    if (l->cooperative)
        return bench_ok(b, b->cuda.launch_cooperative(f, l->blocks, 1, 1, l->threads, 1, 1, l->shared, NULL, params));
    return bench_ok(b, b->cuda.launch(f, l->blocks, 1, 1, l->threads, 1, 1, l->shared, NULL, params, NULL));
}

static void read_records(struct bench *b, u32 n, struct bench_time *out)
{
    f64 *cycles = arena_array(b->mem, f64, n);
    u64 begin = ~0ull, end = 0;
    for (u32 i = 0; i < n; i++) {
        const struct bench_record *r = &b->records[i];
        cycles[i] = (f64)r->cycles;
        begin = BENCH_MIN(begin, r->begin);
        end = BENCH_MAX(end, r->end);
    }
    out->first = cycles[0];
    out->cycles = bench_middle(cycles, n);
    out->ns = end > begin ? (f64)(end - begin) : 0;
    out->end0 = (f64)b->records[0].end;
}

bool bench_run(struct bench *b, const struct bench_launch *l, struct bench_time *out)
{
    const u32 n = BENCH_MIN(l->blocks, (u32)BENCH_RECORDS);
    CUfunction f;
    if (!function_for(b, l, &f) || !start(b, l, f) || !bench_wait(b) ||
        !bench_ok(b, b->cuda.to_host(b->records, b->out, n * sizeof *b->records)))
        return false;
    read_records(b, n, out);
    return true;
}

bool bench_median(struct bench *b, const struct bench_launch *l, bool by_ns, struct bench_time *out, f64 *spread)
{
    f64 cycles[BENCH_RUNS], ns[BENCH_RUNS], first[BENCH_RUNS], end[BENCH_RUNS];
    struct bench_time t = {0};
    const u32 runs = b->request->gpu ? BENCH_RUNS : 1;
    for (u32 i = 0; i < runs; i++) {
        if (!bench_run(b, l, &t))
            return false;
        cycles[i] = t.cycles;
        ns[i] = t.ns;
        first[i] = t.first;
        end[i] = t.end0;
    }
    *out = (struct bench_time){bench_middle(cycles, runs), bench_middle(first, runs), bench_middle(ns, runs),
                               bench_middle(end, runs)};
    if (spread)
        *spread = bench_spread(by_ns ? ns : cycles, runs);
    return true;
}

bool bench_events(struct bench *b, const struct bench_launch *l, u32 n, f64 *ms)
{
    CUevent begin, end;
    CUfunction f;
    float between = 0;
    if (!function_for(b, l, &f) || !bench_ok(b, b->cuda.event_create(&begin, 0)) ||
        !bench_ok(b, b->cuda.event_create(&end, 0)))
        return false;
    bool good = bench_ok(b, b->cuda.event_record(begin, NULL));
    for (u32 i = 0; good && i < n; i++)
        good = start(b, l, f);
    good = good && bench_ok(b, b->cuda.event_record(end, NULL)) && bench_wait(b) &&
           bench_ok(b, b->cuda.event_elapsed(&between, begin, end));
    if (!b->hung) {
        b->cuda.event_destroy(begin);
        b->cuda.event_destroy(end);
    }
    *ms = between;
    return good;
}
