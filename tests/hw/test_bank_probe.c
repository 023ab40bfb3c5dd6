/* test_bank_probe.c - every row of h200/bank-probe.csv, run: the access is built as a kernel, the engine executes it, and
 * the meter must say what the H200's counters said. Additions on f32 and 64 bits are excepted: they are loops of
 * compare-and-swap in machine code, so the meter gives an estimate, which must be marked so. The estimate is compared
 * too; one row of 60 is known to differ (64-bit additions of all lanes to one address). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "bank_kernels.h"
#include "bank_probe.h"
#include "exec/exec.h"
#include "meter/meter.h"

enum { ROWS = 450 };
static struct bank_probe rows[ROWS + 1];

struct bench {
    struct exec_device device;
    struct exec_module *module;
    const struct ir_func *kernel;
    char op[24];
    u64 table, sink;
};

static void load_kernel(struct bench *b, const char *op)
{
    char text[4096];
    struct ptx_module *mod;
    struct diag_list d;
    if (!strcmp(b->op, op))
        return;
    strcpy(b->op, op);
    exec_module_free(b->module);
    diag_init(&d);
    const size_t len = bank_kernel(op, text, sizeof text);
    if (!len || ptx_parse(text, len, "probe.ptx", &mod, &d) != LS_OK ||
        exec_module_load(&b->device, &mod, 1, &b->module, &d) != LS_OK)
        fail_msg("%s: %s", op, d.first ? d.first->text : "no kernel");
    b->kernel = exec_module_kernel(b->module, "probe");
    assert_non_null(b->kernel);
    if (b->kernel->poison)
        fail_msg("%s", b->kernel->poison);
    diag_free(&d);
}

static struct meter_report *run(struct bench *b, const struct bank_probe *p)
{
    struct {
        u64 table, sink;
        u32 mask;
    } params = {b->table, b->sink, p->mask};
    for (int i = 0; i < 32; i++)
        ((u32 *)(uintptr_t)b->table)[i] = (u32)p->at[i]; /* a device address is a host address */
    struct exec_launch l = {.device = &b->device,
                            .module = b->module,
                            .kernel = b->kernel,
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .params = &params,
                            .workers = 1};
    struct exec_fault fault;
    struct meter *m;
    assert_int_equal(meter_begin(&l, NULL, NULL, &m), LS_OK);
    l.hooks = meter_hooks(m);
    if (exec_run(&l, &fault, NULL) != LS_OK)
        fail_msg("line %u, %s %s: fault %s", p->line, p->op, p->pattern, fault.detail);
    struct meter_report *r = meter_end(m);
    assert_non_null(r);
    return r;
}

static const enum metric_id wavefronts[] = {METRIC_sass_sld_wavefronts, METRIC_sass_sst_wavefronts,
                                            METRIC_sass_satom_wavefronts};
static const enum metric_id conflicts[] = {METRIC_sld_conflicts, METRIC_sst_conflicts, METRIC_satom_conflicts};

static bool agrees(const struct meter_report *r, const struct bank_probe *p)
{
    for (int k = 0; k < 3; k++)
        if (meter_value(r, wavefronts[k]) != p->wavefronts[k] || meter_value(r, conflicts[k]) != p->conflicts[k])
            return false;
    return meter_value(r, METRIC_sass_sld_inst) == p->inst[PROBE_LD] &&
           meter_value(r, METRIC_sass_sst_inst) == p->inst[PROBE_ST] &&
           meter_value(r, METRIC_sass_satom_inst) == p->inst[PROBE_ATOM];
}

static void check_row(const struct meter_report *r, const struct bank_probe *p)
{
    const int kind = bank_probe_kind(p);
    const bool excepted = bank_probe_excepted(p);
    const bool known = !strcmp(p->op, "atom_add_u64") && !strcmp(p->pattern, "same");
    if (agrees(r, p) == known)
        fail_msg("line %u, %s %s: %.0f wavefronts, %.0f conflicts; the H200 counted %u and %u", p->line, p->op,
                 p->pattern, meter_value(r, wavefronts[kind]), meter_value(r, conflicts[kind]), p->wavefronts[kind],
                 p->conflicts[kind]);
    assert_int_equal(r->metrics[wavefronts[kind]].kind, excepted ? METRIC_ESTIMATED : METRIC_COUNTED);
}

static void the_engine_counts_what_the_h200_counted(void **state)
{
    (void)state;
    struct bench b = {.op = ""};
    struct gpu gpu;
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(gpu_find("h200", &gpu, &d), LS_OK);
    diag_free(&d);
    assert_int_equal(exec_device_init(&b.device, &gpu), LS_OK);
    assert_int_equal(mem_alloc(b.device.mem, 128, 256, MEM_DEVICE, NULL, &b.table), LS_OK);
    assert_int_equal(mem_alloc(b.device.mem, 512, 256, MEM_DEVICE, NULL, &b.sink), LS_OK);
    assert_int_equal(bank_probe_read("tests/hw/h200/bank-probe.csv", rows, ROWS + 1), ROWS);
    for (int i = 0; i < ROWS; i++) {
        load_kernel(&b, rows[i].op);
        struct meter_report *r = run(&b, &rows[i]);
        check_row(r, &rows[i]);
        meter_report_free(r);
    }
    exec_module_free(b.module);
    mem_free(b.device.mem, b.table);
    mem_free(b.device.mem, b.sink);
    exec_device_free(&b.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_engine_counts_what_the_h200_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
