/* test_metric_names.c - names as on ncu's command line, units, and the table of sections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "report/ncu/ncu.h"

static const char loads[] = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";

/* What --metrics with one item names, with commas between. */
static const char *names_of(struct arena *mem, const char *item, u32 *n)
{
    struct ncu_metrics m = {.mem = mem};
    const char *all = "";
    if (ncu_metrics_add(&m, item))
        return NULL;
    ncu_metrics_sort(&m);
    for (u32 i = 0; i < m.n; i++)
        all = arena_printf(mem, "%s%s%s", all, i ? "," : "", m.at[i].name);
    *n = m.n;
    return all;
}

static void names_are_found(void **state)
{
    (void)state;
    struct arena mem = ARENA("tmp");
    static u32 n; /* not a register's: longjmp */
    if (setjmp(mem.oom))
        fail();
    assert_string_equal(names_of(&mem, loads, &n), loads);
    assert_string_equal(names_of(&mem, "gld_transactions", &n), loads);
    assert_string_equal(names_of(&mem, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld", &n), loads);
    assert_string_equal(names_of(&mem, "nonsense", &n), "nonsense");
    assert_string_equal(names_of(&mem, "regex:^launch__grid_dim_[xy]$", &n), "launch__grid_dim_x,launch__grid_dim_y");
    assert_non_null(names_of(&mem, "group:memory__shared_table", &n));
    assert_true(n > 5);
    assert_null(names_of(&mem, "regex:(", &n));
    assert_null(names_of(&mem, "regex:^nothing$", &n));
    assert_null(names_of(&mem, "group:nothing", &n));
    arena_free(&mem);
}

/* Every alias stands for a metric whose name is found as itself. */
static void aliases_are_metrics(void **state)
{
    (void)state;
    enum metric_id id;
    const char *name;
    for (u32 i = 0; (name = metric_alias(i, &id)); i++) {
        assert_int_equal(ncu_metric_find(name).id, id);
        assert_int_equal(metric_find(metric_info(id)->name), id);
        for (u32 k = 0; k < i; k++) {
            enum metric_id other;
            assert_string_not_equal(name, metric_alias(k, &other));
        }
    }
}

/* 4 scheduler units an SM, 10 SMs; a second of modelled time is not there, so a rate is not known. */
static void derived_metrics(void **state)
{
    (void)state;
    const struct gpu gpu = {.sms = 10, .sub_partitions = 4};
    struct meter_report r = {0};
    const struct ncu_launch l = {.r = &r, .gpu = &gpu}, nowhere = {.r = &r};
    enum metric_kind kind;
    for (u32 i = 0; i < METRIC_COUNT; i++)
        r.metrics[i].value = NAN;
    r.metrics[METRIC_inst].value = 400;
    r.metrics[METRIC_gld_sectors].value = 50;
    const struct ncu_metric a = ncu_metric_find("smsp__inst_executed.avg"),
                            b = ncu_metric_find("smsp__inst_executed.sum");
    assert_true(ncu_metric_value(&a, &l, &kind) == 10);
    assert_true(ncu_metric_value(&b, &l, &kind) == 400);
    assert_true(isnan(ncu_metric_value(&a, &nowhere, &kind)));
    const struct ncu_metric c = ncu_metric_find("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.avg");
    assert_true(ncu_metric_value(&c, &l, &kind) == 5);
    const struct ncu_metric d = ncu_metric_find("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum.per_second");
    assert_true(d.id >= 0 && isnan(ncu_metric_value(&d, &l, &kind)));
    assert_string_equal(ncu_metric_unit(&d), "sector/s");
    assert_int_equal(ncu_metric_find("launch__grid_size.avg").id, -1);
}

static void units_are_scaled(void **state)
{
    (void)state;
    static const struct {
        const char *base;
        double value;
        const char *unit;
        double shown;
    } all[] = {{"byte", 999, "byte", 999},         {"byte", 1024, "Kbyte", 1.024},
               {"byte/s", 4.8e12, "Tbyte/s", 4.8}, {"byte/block", 2048, "Kbyte/block", 2.048},
               {"ns", 2180, "us", 2.18},           {"ns", 5e12, "s", 5000},
               {"Hz", 1.98e9, "Ghz", 1.98},        {"inst", 1e9, "inst", 1e9},
               {"sector", 5000, "sector", 5000},   {"byte/sector", 5000, "byte/sector", 5000}};
    for (size_t i = 0; i < LS_ARRAY_LEN(all); i++) {
        const struct ncu_unit u = ncu_unit_for(all[i].base, all[i].value, true);
        assert_string_equal(u.name, all[i].unit);
        assert_true(fabs(all[i].value / u.divisor - all[i].shown) < 1e-9 * all[i].shown);
        assert_true(ncu_unit_for(all[i].base, all[i].value, false).divisor == 1);
    }
}

static void unknown_names_have_neighbours(void **state)
{
    (void)state;
    char like[600];
    ncu_metric_like("l1tex__t_sectors_pipe_lsu_mem_global_op_lod.sum", like, sizeof like);
    assert_true(strstr(like, loads) == like);
    ncu_metric_like("zzz", like, sizeof like);
    assert_string_equal(like, "");
}

static void sections_hold_their_rows(void **state)
{
    (void)state;
    const char *label, *metric;
    assert_int_equal(ncu_section_find("SpeedOfLight"), 0);
    assert_int_equal(ncu_section_find("Nonsense"), -1);
    const u32 occupancy = (u32)ncu_section_find("Occupancy");
    assert_true(ncu_section_row(occupancy, 0, NCU_HEADER, &label, &metric));
    assert_string_equal(label, "Block Limit SM");
    assert_string_equal(metric, "launch__occupancy_limit_blocks");
    for (u32 s = 0; ncu_section_at(s); s++)
        assert_true(s < NCU_SECTIONS && ncu_section_row(s, 0, NCU_HEADER | NCU_BODY, &label, &metric));
    assert_false(ncu_section_row(occupancy, 100, NCU_HEADER | NCU_BODY, &label, &metric));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(aliases_are_metrics),
        cmocka_unit_test(derived_metrics),
        cmocka_unit_test(units_are_scaled),
        cmocka_unit_test(unknown_names_have_neighbours),
        cmocka_unit_test(sections_hold_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
