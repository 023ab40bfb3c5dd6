/* engine.c - how many warp instructions a second does the engine run? Interpreted, compiled, traced with hooks that do nothing,
 * with the meter (interpreted and compiled), and with the model of caches and time besides (both), on the loops of
 * bench/engine/loops.ptx, and how that scales with workers.
 *
 * The number of instructions comes from the text: `// BENCH: name trip=T outside=O` says what a warp runs in a trip of
 * the loop and outside of it; a divergent trip counts what both sides run. Nothing is taken from our own counters.
 * Each figure is the best of three runs of a fifth of a second, or of --seconds; with --cpu of processor time, for a machine that has
 * other things to do. With --plain a line is a loop's name and its rate interpreted, and there is nothing else; with --cost, its
 * rates with the meter and with the model besides, both interpreted, and how much longer the second takes: the same launch, counted and
 * modelled in turn, 15 times. Of all three the median, and of the last the quartiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "exec/bodies/bodies.h"
#include "exec/exec.h"
#include "meter/meter.h"
#include "ptx/ptx.h"

enum mode { INTERPRETED, COMPILED, NULL_HOOKS, METER, METER_COMPILED, MODEL, MODEL_COMPILED, MODES };
enum { BLOCK = 256, WARPS = BLOCK / 32, BLOCKS = 64, DATA_BYTES = 8 << 20, REPEATS = 3, MAX_LOOPS = 24, ROUNDS = 15 };

struct loop {
    char name[24];
    unsigned trip, outside;
};

struct bench {
    struct gpu gpu;
    struct exec_device device;
    struct exec_module *module;
    u64 data;
    struct loop loops[MAX_LOOPS];
    unsigned n;
    char *text;
    size_t len;
};

static clockid_t clock_of_runs = CLOCK_MONOTONIC;
static double seconds_of_run = 0.2; /* at least */

static double now(void)
{
    struct timespec t;
    clock_gettime(clock_of_runs, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- hooks that do nothing ---- */

static void *no_worker(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}
static void no_block(void *ctx, const struct exec_block_info *b) { (void)ctx, (void)b; }
static void no_enter(void *ctx, const struct ir_func *f, u32 block, u32 mask, u32 warp, const struct exec_block_info *b)
{
    (void)ctx, (void)f, (void)block, (void)mask, (void)warp, (void)b;
}
static void no_diverge(void *ctx, const struct ir_func *f, u32 site, u32 mask, u32 taken)
{
    (void)ctx, (void)f, (void)site, (void)mask, (void)taken;
}
static void no_access(void *ctx, const struct exec_access *a) { (void)ctx, (void)a; }
static void no_barrier(void *ctx, const struct exec_barrier *b) { (void)ctx, (void)b; }
static const struct exec_hooks null_hooks = {.worker_begin = no_worker,
                                             .block_begin = no_block,
                                             .block_end = no_block,
                                             .enter = no_enter,
                                             .diverge = no_diverge,
                                             .access = no_access,
                                             .barrier = no_barrier};

/* ---- one run ---- */

static bool run(struct bench *b, const struct loop *l, u32 trips, enum mode mode, unsigned workers, double *seconds)
{
    struct {
        u64 data;
        u32 n, pad;
    } params = {b->data, trips, 0};
    struct exec_fault fault;
    struct exec_launch launch = {.device = &b->device,
                                 .module = b->module,
                                 .grid = {BLOCKS, 1, 1},
                                 .block = {BLOCK, 1, 1},
                                 .params = &params,
                                 .workers = workers};
    struct meter *meter = NULL;
    struct meter_options options = METER_OPTIONS_DEFAULT;
    options.caches = mode >= MODEL;
    options.memory_base = mem_shared_window(b->device.mem);
    launch.kernel = exec_module_kernel(b->module, l->name);
    if (!launch.kernel)
        return false;
    b->device.tier = mode == COMPILED || mode == METER_COMPILED || mode == MODEL_COMPILED ? TIER_FORCE : TIER_OFF;
    const double start = now();
    if (mode >= METER && meter_begin(&launch, NULL, &options, &meter) != LS_OK)
        return false;
    launch.hooks = mode >= METER ? meter_hooks(meter) : mode == NULL_HOOKS ? &null_hooks : NULL;
    const enum ls_status s = exec_run(&launch, &fault, NULL);
    if (meter)
        meter_report_free(meter_end(meter));
    *seconds = now() - start;
    if (s != LS_OK)
        fprintf(stderr, "%s: %s: %s\n", l->name, ls_status_name(s), fault.detail);
    return s == LS_OK;
}

static double instructions(const struct loop *l, u32 trips)
{
    return (double)BLOCKS * WARPS * ((double)l->trip * trips + l->outside);
}

/* Trips that take long enough to measure; 0: the loop does not run. */
static u32 enough_trips(struct bench *b, const struct loop *l, enum mode mode, unsigned workers)
{
    const u32 most = 1u << 20;
    for (u32 trips = 64;; trips *= 2) {
        double seconds;
        if (!run(b, l, trips, mode, workers, &seconds))
            return 0;
        if (seconds > seconds_of_run || trips >= most)
            return trips;
    }
}

/* Millions of warp instructions a second and worker; 0 when the loop does not run. */
static double rate(struct bench *b, const struct loop *l, enum mode mode, unsigned workers)
{
    const u32 trips = enough_trips(b, l, mode, workers);
    double best = 0, seconds;
    if (!trips)
        return 0;
    for (unsigned k = 0; k < REPEATS; k++) {
        if (!run(b, l, trips, mode, workers, &seconds))
            return 0;
        const double r = instructions(l, trips) / seconds / 1e6;
        best = r > best ? r : best;
    }
    return best;
}

/* ---- set-up ---- */

static char *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *len = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(*len + 1, 1);
    if (text && fread(text, 1, *len, f) != *len)
        *len = 0;
    fclose(f);
    return text;
}

static void read_loops(struct bench *b)
{
    for (const char *at = b->text; (at = strstr(at, "// BENCH: ")) && b->n < MAX_LOOPS; at++) {
        struct loop *l = &b->loops[b->n];
        if (sscanf(at, "// BENCH: %23s trip=%u outside=%u", l->name, &l->trip, &l->outside) == 3)
            b->n++;
    }
}

static bool set_up(struct bench *b, const char *path)
{
    struct diag_list diags;
    struct ptx_module *m = NULL;
    diag_init(&diags);
    if (!(b->text = read_file(path, &b->len)))
        return fprintf(stderr, "%s: cannot be read\n", path), false;
    read_loops(b);
    bool ok = gpu_find(NULL, &b->gpu, &diags) == LS_OK && exec_device_init(&b->device, &b->gpu) == LS_OK &&
              ptx_parse(b->text, b->len, path, &m, &diags) == LS_OK &&
              exec_module_load(&b->device, &m, 1, &b->module, &diags) == LS_OK &&
              mem_alloc(b->device.mem, DATA_BYTES, 256, MEM_DEVICE, NULL, &b->data) == LS_OK;
    if (!ok) {
        char *text = diag_text(&diags);
        fprintf(stderr, "%s: cannot be set up\n%s", path, text ? text : "");
        ls_free(text);
    } else {
        memset((void *)(uintptr_t)b->data, 0, DATA_BYTES);
    }
    diag_free(&diags);
    return ok;
}

static void cpu_model(char *to, size_t size)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(to, size, "unknown");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
            snprintf(to, size, "%s", strchr(line, ':') + 2);
            to[strcspn(to, "\n")] = 0;
            break;
        }
    if (f)
        fclose(f);
}

/* Slow ones with decimals. */
static int decimals(double rate) { return rate < 20 ? 2 : rate < 100 ? 1 : 0; }

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void cost_row(struct bench *b, const struct loop *l)
{
    const u32 trips = enough_trips(b, l, MODEL, 1);
    if (!trips)
        return;
    double counted[ROUNDS], modelled[ROUNDS], factor[ROUNDS];
    for (unsigned k = 0; k < ROUNDS; k++) {
        double plain, more;
        if (!run(b, l, trips, METER, 1, &plain) || !run(b, l, trips, MODEL, 1, &more))
            return;
        counted[k] = instructions(l, trips) / plain / 1e6;
        modelled[k] = instructions(l, trips) / more / 1e6;
        factor[k] = more / plain;
    }
    qsort(counted, ROUNDS, sizeof *counted, by_value);
    qsort(modelled, ROUNDS, sizeof *modelled, by_value);
    qsort(factor, ROUNDS, sizeof *factor, by_value);
    printf("%-10s %10.1f %10.1f %6.2f (%.2f to %.2f)\n", l->name, counted[ROUNDS / 2], modelled[ROUNDS / 2],
           factor[ROUNDS / 2], factor[ROUNDS / 4], factor[ROUNDS - 1 - ROUNDS / 4]);
    fflush(stdout);
}

static void plain_row(struct bench *b, const struct loop *l)
{
    const double r = rate(b, l, INTERPRETED, 1);
    printf("%s %.*f\n", l->name, decimals(r), r);
    fflush(stdout);
}

/* That of LOCKSTEP_ISA, else the best. */
static bool choose_level(struct bench *b)
{
    struct settings s;
    if (!settings_read(&s, NULL, NULL))
        return fprintf(stderr, "a LOCKSTEP_ variable has no such value\n"), false;
    b->device.isa = s.isa ? (enum exec_isa)(s.isa - 1) : bodies_isa();
    return bodies_has_isa(b->device.isa) || (fprintf(stderr, "this processor has no such level\n"), false);
}

static void head(const struct bench *b, bool markdown, unsigned cores)
{
    static const char *const levels[] = {"portable", "x86-64-v3", "x86-64-v4"};
    char cpu[128], date[32];
    const time_t t = time(NULL);
    struct tm tm;
    cpu_model(cpu, sizeof cpu);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&t, &tm));
    printf("%s%s, %u cores, compiler %s, level %s, %s. Millions of warp instructions a second%s.\n\n",
           markdown ? "## The engine\n\n" : "", cpu, cores, __VERSION__, levels[b->device.isa], date,
           clock_of_runs == CLOCK_PROCESS_CPUTIME_ID ? " of processor time" : "");
    printf(markdown ? "| loop | interpreted | compiled | traced, empty hooks | with the meter | compiled | and the "
                      "model | compiled |"
                    : "%-10s %11s %10s %12s %10s %10s %10s %10s",
           "loop", "interpreted", "compiled", "empty hooks", "meter", "compiled", "and model", "compiled");
    for (unsigned w = 2; w <= cores; w *= 2)
        printf(markdown ? " compiled, %u workers | x |" : " %6u workers      x", w);
    printf("\n");
    if (markdown) {
        printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        for (unsigned w = 2; w <= cores; w *= 2)
            printf(" ---: | ---: |");
        printf("\n");
    }
}

static void row(struct bench *b, const struct loop *l, bool markdown, unsigned cores)
{
    double r[MODES];
    for (unsigned m = 0; m < MODES; m++)
        r[m] = rate(b, l, (enum mode)m, 1);
    int d[MODES];
    for (unsigned m = 0; m < MODES; m++)
        d[m] = decimals(r[m]);
    printf(markdown ? "| %s | %.*f | %.*f | %.*f | %.*f | %.*f | %.1f | %.1f |"
                    : "%-10s %11.*f %10.*f %12.*f %10.*f %10.*f %10.1f %10.1f",
           l->name, d[INTERPRETED], r[INTERPRETED], d[COMPILED], r[COMPILED], d[NULL_HOOKS], r[NULL_HOOKS], d[METER],
           r[METER], d[METER_COMPILED], r[METER_COMPILED], r[MODEL], r[MODEL_COMPILED]);
    for (unsigned w = 2; w <= cores; w *= 2) {
        const double all = rate(b, l, COMPILED, w);
        printf(markdown ? " %.0f | %.2f |" : " %14.0f %6.2f", all, r[COMPILED] > 0 ? all / r[COMPILED] : 0);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static struct bench b;
    bool markdown = false, plain = false, cost = false;
    const char *path = NULL, *only = NULL;
    unsigned cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    for (int k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "--markdown"))
            markdown = true;
        else if (!strcmp(argv[k], "--cpu"))
            clock_of_runs = CLOCK_PROCESS_CPUTIME_ID, cores = 1;
        else if (!strcmp(argv[k], "--plain"))
            plain = true;
        else if (!strcmp(argv[k], "--cost"))
            cost = true;
        else if (!strcmp(argv[k], "--seconds") && k + 1 < argc)
            seconds_of_run = atof(argv[++k]);
        else if (!path)
            path = argv[k];
        else
            only = argv[k];
    }
    if (!path || !(seconds_of_run > 0))
        return fprintf(stderr, "usage: bench_engine [--markdown] [--cpu] [--seconds S] [--plain | --cost] "
                               "bench/engine/loops.ptx [LOOP]\n"),
               2;
    if (!set_up(&b, path) || !choose_level(&b))
        return 1;
    if (!plain && !cost)
        head(&b, markdown, cores);
    for (unsigned k = 0; k < b.n; k++)
        if (!only || !strcmp(only, b.loops[k].name)) {
            if (plain)
                plain_row(&b, &b.loops[k]);
            else if (cost)
                cost_row(&b, &b.loops[k]);
            else
                row(&b, &b.loops[k], markdown, cores);
        }
    exec_module_free(b.module);
    exec_device_free(&b.device);
    free(b.text);
    return 0;
}
