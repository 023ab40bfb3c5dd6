/* test_metrics.c - the tables: unique names, resolvable aliases, formulas that read the events they should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "meter/rules.h"

static void names_are_unique_and_found(void **state)
{
    (void)state;
    for (int i = 0; i < METRIC_COUNT; i++) {
        const struct metric_info *m = metric_info((enum metric_id)i);
        assert_true(strlen(m->name) > 4 && strlen(m->text) > 1 && m->unit);
        assert_int_equal(metric_find(m->name), i);
    }
    assert_int_equal(metric_find("no such metric"), -1);
}

static void aliases_are_nvprofs_names(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        /* NVIDIA's migration table */
        {"gld_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"},
        {"gld_transactions_per_request", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"},
        {"shared_load_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
        {"branch_efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct"},
        {"warp_execution_efficiency", "smsp__thread_inst_executed_per_inst_executed.ratio"},
        {"flop_count_sp_fma", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"},
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(pairs); i++)
        assert_int_equal(metric_find(pairs[i][0]), metric_find(pairs[i][1]));
    enum metric_id id;
    unsigned n = 0;
    for (const char *a; (a = metric_alias(n, &id)); n++)
        assert_int_equal(metric_find(a), (int)id);
    assert_true(n > 40);
}

/* Distinct primes in the events: a formula that reads a wrong one gives a wrong number. */
static void formulas(void **state)
{
    (void)state;
    u64 n[EVENT_COUNT] = {0};
    n[EVENT_gld_requests] = 7;
    n[EVENT_gld_sectors] = 112;
    n[EVENT_gld_bytes] = 896;
    n[EVENT_gst_requests] = 11;
    n[EVENT_gst_sectors] = 352;
    n[EVENT_gst_bytes] = 1408;
    n[EVENT_sld_wavefronts] = 13;
    n[EVENT_sst_wavefronts] = 17;
    n[EVENT_satom_wavefronts] = 19;
    n[EVENT_sld_conflicts] = 3;
    n[EVENT_sst_conflicts] = 5;
    n[EVENT_branches] = 40;
    n[EVENT_divergent] = 10;
    n[EVENT_inst] = 100;
    n[EVENT_thread_inst] = 2500;
    const struct {
        enum metric_id id;
        double value;
    } want[] = {
        {METRIC_gld_sectors_per_request, 16},  {METRIC_gst_sectors_per_request, 32},  {METRIC_gld_efficiency, 25},
        {METRIC_gst_efficiency, 12.5},         {METRIC_gld_bytes_per_sector, 8},      {METRIC_gst_bytes_per_sector, 4},
        {METRIC_shared_wavefronts, 49},        {METRIC_shared_conflicts, 8},          {METRIC_branch_uniformity, 75},
        {METRIC_branch_targets_uniform, 30},   {METRIC_branch_targets_divergent, 10}, {METRIC_threads_per_inst, 25},
        {METRIC_gatom_sectors_per_request, 0}, {METRIC_lld_sectors_per_request, 0},
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(want); i++)
        assert_float_equal(metric_of_events(n, want[i].id), want[i].value, 1e-12);
    assert_true(isnan(metric_of_events(n, METRIC_registers)));
}

static double value_of(const struct meter_report *r, const char *name)
{
    const int id = metric_find(name);
    if (id < 0)
        fail_msg("no metric %s", name);
    return metric_of_launch(r, (enum metric_id)id);
}

/* Names as public lists of ncu's metrics have them. 10 SMs with 4 schedulers, busy for 20480 cycles, 64 blocks of 3 warps:
 * 819200 cycles of schedulers, 100 samples, 192 warps. */
static void stalls_are_ncus(void **state)
{
    (void)state;
    struct meter_report r = {.grid = {64, 1, 1},
                             .block = {80, 1, 1},
                             .sms = 10,
                             .schedulers = 4,
                             .time = {.active = 20480, .cycles = 40960}};
    r.n[EVENT_inst] = r.n[EVENT_stall_SELECTED] = 204800;
    r.n[EVENT_stall_NOT_SELECTED] = 102400;
    r.n[EVENT_stall_LONG_SCOREBOARD] = 192 * 4000;
    r.n[EVENT_stall_NO_INSTRUCTION] = 2048000 - 192 * 4000 - 307200;
    const struct {
        const char *name;
        double value;
    } want[] = {
        {"smsp__warps_issue_stalled_long_scoreboard.sum", 192 * 4000},
        {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 3.75},
        {"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", 1},
        {"smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", 0.5},
        {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 0},
        {"smsp__average_warp_latency_per_inst_issued.ratio", 10},
        {"smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", 37.5},
        {"stall_memory_dependency", 37.5},
        {"smsp__average_warp_latency_issue_stalled_long_scoreboard.ratio", 4000},
        {"smsp__warps_active.avg.per_cycle_active", 2.5},
        {"smsp__warps_eligible.avg.per_cycle_active", 0.375},
        {"smsp__issue_active.avg.pct_of_peak_sustained_active", 25},
        {"smsp__issue_inst0.avg.pct_of_peak_sustained_active", 75},
        {"sm__inst_issued.avg.pct_of_peak_sustained_active", 25},
        {"sm__inst_executed.avg.per_cycle_active", 1},
        {"sm__inst_executed.avg.per_cycle_elapsed", 0.5},
        {"sm__warps_active.avg.per_cycle_active", 10},
        {"smsp__average_warps_active_per_inst_executed.ratio", 10},
        {"smsp__pcsamp_interval_cycles", 2048},
        {"smsp__pcsamp_sample_count", 100},
        {"smsp__pcsamp_warps_issue_stalled_long_scoreboard", 37.5},
        {"smsp__pcsamp_warps_issue_stalled_no_instructions", 47.5},
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(want); i++)
        assert_float_equal(value_of(&r, want[i].name), want[i].value, 1e-9);
    assert_string_equal(stall_name(STALL_LONG_SCOREBOARD), "long_scoreboard");
    assert_string_equal(event_name(stall_event(STALL_MISC)), "stall_misc");
}

static void lines_without_stalls_have_none(void **state)
{
    (void)state;
    struct meter_line l = {.n = {[EVENT_stall_WAIT] = 30, [EVENT_stall_SELECTED] = 10}};
    assert_float_equal(meter_line_value(&l, METRIC_stalled_WAIT), 3, 0);
    assert_float_equal(meter_line_value(&l, METRIC_warp_latency), 4, 0);
    assert_true(isnan(meter_line_value(&l, METRIC_l1_gld_hits))); /* the caches saw nothing of it */
    l = (struct meter_line){.n = {[EVENT_inst] = 1, [EVENT_dram_reads] = 1}};
    assert_true(isnan(meter_line_value(&l, METRIC_stalled_WAIT)));
    assert_false(isnan(meter_line_value(&l, METRIC_dram_bytes)));
}

/* As ncu prints for a kernel without loads or branches. */
static void ratios_without_denominator_are_zero(void **state)
{
    (void)state;
    const u64 n[EVENT_COUNT] = {0};
    for (int i = 0; i < METRIC_COUNT; i++)
        if (metric_info((enum metric_id)i)->by_line)
            assert_float_equal(metric_of_events(n, (enum metric_id)i), 0, 0);
}

/* Every event is read by some formula: set it alone and something changes. */
static void every_event_is_used(void **state)
{
    (void)state;
    static const u8 unread[] = {EVENT_gatom_lanes,    EVENT_gred_lanes,      EVENT_lld_bytes,    EVENT_lst_bytes,
                                EVENT_satom_lanes,    EVENT_cld_requests,    EVENT_sld_requests, EVENT_sst_requests,
                                EVENT_satom_requests, EVENT_l1_other_misses, EVENT_l1_lines,     EVENT_l1_served,
                                EVENT_l2_late,        EVENT_host_reads,      EVENT_host_writes,  EVENT_host_bytes};
    for (int e = 0; e < EVENT_COUNT; e++) {
        u64 n[EVENT_COUNT] = {0};
        n[e] = 1;
        bool used = memchr(unread, e, sizeof unread) != NULL;
        for (int i = 0; i < METRIC_COUNT && !used; i++)
            used = metric_info((enum metric_id)i)->by_line && metric_of_events(n, (enum metric_id)i) != 0;
        if (!used)
            fail_msg("no metric reads the event %s", event_name((enum event_id)e));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_and_found),
        cmocka_unit_test(aliases_are_nvprofs_names),
        cmocka_unit_test(formulas),
        cmocka_unit_test(stalls_are_ncus),
        cmocka_unit_test(lines_without_stalls_have_none),
        cmocka_unit_test(ratios_without_denominator_are_zero),
        cmocka_unit_test(every_event_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
