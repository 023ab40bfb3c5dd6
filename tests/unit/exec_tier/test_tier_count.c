/* test_tier_count.c - kernels under the meter, compiled: each counter of each instruction is what the interpreter's is,
 * with and without the model, for all alignments, partial blocks and lanes that part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../exec/harness.h"
#include "base/settings.h"
#include "exec/module.h"
#include "exec/tier/code.h"
#include "exec/tier/llvm.h"
#include "meter/meter.h"

enum { WORDS = 32 << 10, BLOCKS = 6 };

/* What a launch is, besides its kernel. */
struct way {
    u32 n, off, block[2];
    unsigned workers;
    u64 seed;
    bool model, no_memo;
};

static struct meter_report *run(struct bench *b, const char *kernel, u32 *data, u32 *out, const struct way *w, u8 tier)
{
    struct {
        const u32 *data, *out;
        u32 n, off;
    } params = {data, out, w->n, w->off};
    struct exec_launch l = {.device = &b->device,
                            .module = b->module,
                            .kernel = exec_module_kernel(b->module, kernel),
                            .grid = {BLOCKS, 1, 1},
                            .block = {w->block[0], w->block[1], 1},
                            .params = &params,
                            .workers = w->workers,
                            .seed = w->seed};
    struct meter_options options = METER_OPTIONS_DEFAULT;
    struct exec_fault fault;
    struct meter *m;
    options.caches = w->model;
    options.no_memo = w->no_memo;
    options.memory_base = mem_shared_window(b->device.mem);
    b->device.tier = tier;
    for (u32 k = 0; k < WORDS; k++) {
        data[k] = k * 2654435761u >> 7;
        out[k] = 0;
    }
    assert_non_null(l.kernel);
    assert_int_equal(meter_begin(&l, NULL, &options, &m), LS_OK);
    l.hooks = meter_hooks(m);
    if (exec_run(&l, &fault, NULL) != LS_OK)
        fail_msg("%s: %s", kernel, exec_fault_text(&fault));
    return meter_end(m);
}

static const char *const event_names[] = {
#define EVENT(name, text) #name,
#define EVENT_NAMED(id, name, text) #id,
#include "meter/events.def"
#undef EVENT_NAMED
#undef EVENT
};

static bool same_events(const char *kernel, u32 line, const u64 *want, const u64 *got)
{
    bool same = true;
    for (u32 e = 0; e < EVENT_COUNT; e++)
        if (want[e] != got[e]) {
            print_error("%s, line %u, %s: %llu, not %llu\n", kernel, line, event_names[e], (unsigned long long)got[e],
                        (unsigned long long)want[e]);
            same = false;
        }
    return same;
}

static bool same_reports(const char *kernel, const struct meter_report *want, const struct meter_report *got)
{
    bool same = same_events(kernel, 0, want->n, got->n) && want->nlines == got->nlines;
    for (u32 k = 0; k < want->nlines && same; k++)
        same = want->lines[k].ptx_line == got->lines[k].ptx_line &&
               same_events(kernel, want->lines[k].ptx_line, want->lines[k].n, got->lines[k].n);
    for (u32 k = 0; k < METRIC_COUNT && same; k++)
        same = memcmp(&want->metrics[k].value, &got->metrics[k].value, sizeof(double)) == 0;
    return same;
}

static bool have_llvm;

static void check_compiled(const struct bench *b, const char *kernel, const u32 block[2])
{
    for (u32 k = 0; k < b->module->nfuncs && have_llvm; k++) {
        const struct exec_func *f = &b->module->funcs[k];
        const struct tier_code *c = atomic_load(&f->codes);
        if (!f->ir || strcmp(f->ir->name, kernel) != 0)
            continue;
        while (c && (c->mode != IR_TRACED || c->block[0] != block[0] || c->block[1] != block[1]))
            c = c->next;
        if (!c || atomic_load(&c->phase) != TIER_READY)
            fail_msg("%s: no code: %s", kernel, c ? c->why : "nobody asked for it");
    }
}

struct memory {
    u32 *data, *out;
};

static void compare(struct bench *b, const struct memory *m, const char *kernel, const struct way *w, u8 tier)
{
    static u32 first[WORDS];
    struct meter_report *const want = run(b, kernel, m->data, m->out, w, TIER_OFF);
    memcpy(first, m->out, sizeof first);
    struct meter_report *const got = run(b, kernel, m->data, m->out, w, tier);
    for (u32 k = 0; k < WORDS; k++)
        if (first[k] != m->out[k])
            fail_msg("%s: word %u is %#x, not %#x", kernel, k, m->out[k], first[k]);
    if (!same_reports(kernel, want, got))
        fail_msg("%s differs: n %u, off %u, block %u x %u, %u workers, %s, %s", kernel, w->n, w->off, w->block[0],
                 w->block[1], w->workers, w->model ? "model" : "meter", tier == TIER_MIXED ? "mixed" : "forced");
    meter_report_free(want);
    meter_report_free(got);
}

/* Each n and offset: counted and told, by one worker and by three. */
static void compare_all(const char *kernel, u32 x, u32 y, const u32 *n, const u32 *off)
{
    static const u8 tiers[] = {TIER_FORCE, TIER_MIXED};
    for (u32 t = 0; t < LS_ARRAY_LEN(tiers); t++) {
        struct bench b;
        bench_open(&b, "counted.ptx");
        const struct memory m = {bench_alloc(&b, 4 * WORDS), bench_alloc(&b, 4 * WORDS)};
        for (const u32 *at = n; *at; at++)
            for (u32 k = 0; k < 6; k++) {
                const struct way w = {.n = *at,
                                      .off = off[k % 3],
                                      .block = {x, y},
                                      .workers = k & 1 ? 3 : 1,
                                      .seed = k == 4 ? 7 : 0,
                                      .model = k >= 3,
                                      .no_memo = k == 2};
                compare(&b, &m, kernel, &w, tiers[t]);
            }
        check_compiled(&b, kernel, (const u32[]){x, y});
        bench_close(&b);
    }
}

static void test_accesses(void **state)
{
    static const u32 n[] = {1, 777, 1300, 1536, 0}, words[] = {0, 4, 44}, wide[] = {0, 16, 48};
    (void)state;
    compare_all("words", 256, 1, n, words);
    compare_all("words", 16, 16, n, words);
    compare_all("words", 5, 20, n, words); /* no multiple of a warp */
    compare_all("wide", 256, 1, n, wide);
    compare_all("wide", 32, 8, n, wide);
}

static void test_patterns(void **state)
{
    static const u32 n[] = {1, 5, 33, 0}, off[] = {0, 4, 28};
    (void)state;
    compare_all("again", 256, 1, n, off);
    compare_all("again", 16, 16, n, off);
    compare_all("again", 8, 8, n, off);
}

static void test_parting(void **state)
{
    static const u32 ends[] = {1, 500, 1001, 1536, 0}, trips[] = {1, 2, 9, 33, 0}, off[] = {0, 0, 0};
    (void)state;
    compare_all("tail", 256, 1, ends, off);
    compare_all("sides", 256, 1, trips, off);
    compare_all("sides", 64, 1, trips, off);
    compare_all("ends", 256, 1, trips, off);
    compare_all("either", 256, 1, trips, off);
    compare_all("leaving", 256, 1, trips, off);
}

/* By one worker and without a seed, as atomics tell who came first. */
static void test_bodies(void **state)
{
    struct bench b;
    const struct way w = {.n = 1, .block = {256, 1}, .workers = 1}, modelled = {1, 0, {256, 1}, 1, 0, true, false};
    (void)state;
    bench_open(&b, "counted.ptx");
    const struct memory m = {bench_alloc(&b, 4 * WORDS), bench_alloc(&b, 4 * WORDS)};
    compare(&b, &m, "bodies", &w, TIER_FORCE);
    compare(&b, &m, "bodies", &modelled, TIER_FORCE);
    check_compiled(&b, "bodies", w.block);
    bench_close(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_parting),
        cmocka_unit_test(test_bodies),
    };
    char why[256];
    have_llvm = llvm_load(why, sizeof why) != NULL && strcmp(exec_level(), "portable") != 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
