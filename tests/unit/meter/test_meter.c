/* test_meter.c - from hooks to a report: workers add up, machine-code estimates follow the block counts, doubts turn
 * counted numbers into estimated ones, lines carry their own events, and running out of memory gives no report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fake.h"
#include "meter/rules.h"

static struct gpu h200(void)
{
    struct gpu g;
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(gpu_find("h200", &g, &d), LS_OK);
    diag_free(&d);
    return g;
}

/* A kernel of one global load, one shared store, a branch over one instruction, a ret. */
static void make_kernel(struct fake *f)
{
    fake_init(f, 6);
    f->insts[0].op = OP_LD;
    f->insts[0].space = SPACE_GLOBAL;
    f->insts[1].op = OP_ST;
    f->insts[1].space = SPACE_SHARED;
    f->insts[2].op = OP_BAR;
    f->insts[2].noperands = 0;
    f->insts[3].op = OP_FMA;
    f->insts[3].types[0] = PTX_F32;
    f->insts[4].op = OP_ADD;
    f->insts[4].types[0] = PTX_F32;
    f->insts[5].op = OP_RET;
    f->insts[5].noperands = 0;
    f->func.shared_bytes = 4096;
    f->func.nbarriers = 1;
}

static struct exec_launch launch_of(const struct fake *f)
{
    return (struct exec_launch){
        .kernel = &f->func, .grid = {10, 2, 1}, .block = {64, 2, 1}, .dynamic_shared = 512, .id = 3};
}

/* One warp's way through the kernel. */
static void run_warp(const struct exec_hooks *h, void *ctx, const struct fake *f, u32 mask)
{
    u64 addr[32];
    for (u32 i = 0; i < 32; i++)
        addr[i] = 4096 + 128 * i;
    struct exec_access a = {.func = &f->func, .mask = mask, .size = 4, .type = PTX_U32, .addr = addr};
    for (u32 b = 0; b < f->func.nblocks; b++)
        h->enter(ctx, &f->func, b, mask, 0, NULL);
    a.space = SPACE_GLOBAL;
    h->access(ctx, &a);
    a.site = 1;
    a.space = SPACE_SHARED;
    a.op = ACCESS_ST;
    h->access(ctx, &a);
    h->barrier(ctx, &(struct exec_barrier){.func = &f->func, .site = 2, .mask = mask});
}

static struct meter_report *run(const struct fake *f, unsigned workers, u32 warps, const struct meter_options *o)
{
    const struct gpu g = h200();
    const struct exec_launch l = launch_of(f);
    struct meter *m;
    if (meter_begin(&l, &g, o, &m) != LS_OK)
        return NULL;
    const struct exec_hooks *h = meter_hooks(m);
    void *ctx[8];
    for (unsigned w = 0; w < workers; w++)
        ctx[w] = h->worker_begin(h->launch, w);
    for (u32 w = 0; w < warps; w++)
        run_warp(h, ctx[w % workers], f, w % 4 ? UINT32_MAX : 0xffff);
    return meter_end(m);
}

static void events_become_metrics(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    struct meter_report *r = run(&f, 1, 8, NULL); /* 6 full warps, 2 half ones: 224 lanes */
    assert_non_null(r);
    assert_string_equal(r->kernel, "fake");
    assert_string_equal(r->device, "h200");
    assert_float_equal(meter_value(r, METRIC_gld_requests), 8, 0);
    assert_float_equal(meter_value(r, METRIC_gld_sectors), 224, 0);
    assert_float_equal(meter_value_of(r, "gld_transactions_per_request"), 28, 0);
    assert_float_equal(meter_value_of(r, "gld_efficiency"), 12.5, 1e-12);
    assert_float_equal(meter_value(r, METRIC_sst_wavefronts), 224, 0); /* one bank: a wavefront a lane */
    assert_float_equal(meter_value(r, METRIC_sst_conflicts), 216, 0);
    assert_float_equal(meter_value(r, METRIC_sst_inst), 8, 0);
    assert_float_equal(meter_value(r, METRIC_barriers), 8, 0);
    assert_float_equal(meter_value(r, METRIC_ffma), 224, 0);
    assert_float_equal(meter_value(r, METRIC_fadd), 224, 0);
    assert_float_equal(meter_value(r, METRIC_ptx_inst), 48, 0);
    assert_float_equal(meter_value(r, METRIC_ptx_thread_inst), 6 * 224, 0);
    assert_float_equal(meter_value(r, METRIC_threads_per_inst), 28, 1e-12);
    assert_true(isnan(meter_value_of(r, "no such metric")));
    meter_report_free(r);
}

static void modelled_metrics_are_there_when_asked_for(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    struct meter_report *r = run(&f, 1, 8, NULL);
    assert_false(r->modelled);
    assert_true(isnan(meter_value(r, METRIC_gpu_time)));
    assert_true(isnan(meter_value(r, METRIC_dram_bytes)));
    meter_report_free(r);
    struct meter_options options = METER_OPTIONS_DEFAULT;
    options.caches = true;
    r = run(&f, 2, 8, &options);
    assert_true(r->modelled);
    assert_true(meter_value(r, METRIC_gpu_time) >= h200().kernel_ns);
    assert_float_equal(meter_value(r, METRIC_dram_bytes), 32 * (72 + 8),
                       0); /* these accesses are of no block: traffic_beside, with a line of code and one of NOPs */
    assert_int_equal(r->metrics[METRIC_gpu_time].kind, METRIC_MODELLED);
    assert_true(isnan(meter_line_value(&r->lines[0], METRIC_gpu_time)));
    struct meter_report *other = run(&f, 1, 8, &options);
    const double one = meter_value(r, METRIC_gpu_time);
    meter_report_add(r, other); /* one after the other */
    assert_float_equal(meter_value(r, METRIC_gpu_time), 2 * one, 1e-9);
    meter_report_free(other);
    meter_report_free(r);
}

static void the_launch_is_described(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    struct meter_report *r = run(&f, 1, 1, NULL);
    const struct {
        const char *name;
        double value;
    } want[] = {
        {"launch__grid_size", 20},
        {"launch__block_size", 128},
        {"launch__thread_count", 2560},
        {"launch__registers_per_thread", 16},
        {"launch__shared_mem_per_block_static", 4096},
        {"launch__shared_mem_per_block_dynamic", 512},
        {"launch__shared_mem_per_block_driver", 1024},
        {"launch__shared_mem_per_block_allocated", 5632},
        {"launch__occupancy_limit_warps", 16},
        {"launch__occupancy_limit_registers", 32},      /* 512 a warp, 32 a partition, 128 / 4 */
        {"launch__shared_mem_config_size", 132 * 1024}, /* more than 16 * 5632 */
        {"launch__occupancy_limit_shared_mem", 24},     /* 135168 / 5632 */
        {"launch__occupancy_limit_blocks", 32},
        {"launch__occupancy_limit_barriers", 64},
        {"sm__maximum_warps_per_active_cycle_pct", 100},
        {"launch__waves_per_multiprocessor", 20.0 / (16 * 132)},
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(want); i++)
        assert_float_equal(meter_value_of(r, want[i].name), want[i].value, 1e-12);
    assert_int_equal(r->id, 3);
    assert_int_equal(r->metrics[METRIC_registers].kind, METRIC_ESTIMATED);
    assert_int_equal(r->metrics[METRIC_sst_wavefronts].kind, METRIC_COUNTED);
    assert_int_equal(r->metrics[METRIC_inst].kind, METRIC_ESTIMATED);
    meter_report_free(r);
}

static void the_number_of_workers_changes_nothing(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    struct meter_report *one = run(&f, 1, 100, NULL), *many = run(&f, 7, 100, NULL);
    for (u32 i = 0; i < METRIC_COUNT; i++)
        assert_float_equal(meter_value(one, i), meter_value(many, i), 0);
    assert_int_equal(one->nlines, many->nlines);
    for (u32 k = 0; k < one->nlines; k++)
        assert_memory_equal(one->lines[k].n, many->lines[k].n, sizeof one->lines[k].n);
    meter_report_free(one);
    meter_report_free(many);
}

static void lines_add_up_to_the_launch(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    struct meter_report *r = run(&f, 2, 20, NULL);
    assert_int_equal(r->nlines, 6);
    for (u32 i = 0; i < EVENT_COUNT; i++) {
        u64 sum = 0;
        for (u32 k = 0; k < r->nlines; k++)
            sum += r->lines[k].n[i];
        assert_int_equal(sum, r->n[i]);
    }
    assert_int_equal(r->lines[0].ptx_line, 10);
    assert_float_equal(meter_line_value(&r->lines[0], METRIC_gld_requests), 20, 0);
    assert_float_equal(meter_line_value(&r->lines[1], METRIC_gld_requests), 0, 0);
    assert_true(isnan(meter_line_value(&r->lines[0], METRIC_grid_size)));
    const struct meter_options quiet = {.carveout_kib = -1, .no_lines = true};
    struct meter_report *without = run(&f, 2, 20, &quiet);
    assert_int_equal(without->nlines, 0);
    meter_report_free(without);
    meter_report_free(r);
}

static void source_lines_gather_their_instructions(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    const char *files[] = {NULL, "k.cu"};
    struct ptx_loc locs[] = {{.file = 1, .line = 7}, {.file = 1, .line = 3}};
    struct ptx_module mod = {.files = files, .nfiles = 2, .locs = locs, .nlocs = 2};
    f.func.mod = &mod;
    f.insts[0].loc = f.insts[1].loc = f.insts[4].loc = 1;
    f.insts[2].loc = 2;
    struct meter_report *r = run(&f, 1, 4, NULL);
    struct arena mem = ARENA("test");
    u32 n;
    if (setjmp(mem.oom))
        fail();
    struct meter_line *l = meter_source_lines(r, &mem, &n);
    assert_int_equal(n, 4); /* two without a source line, k.cu:3, k.cu:7 */
    assert_null(l[0].file);
    assert_null(l[1].file);
    assert_int_equal(l[2].line, 3);
    assert_int_equal(l[2].n[EVENT_barriers], 4);
    assert_int_equal(l[3].line, 7);
    assert_int_equal(l[3].n[EVENT_gld_requests], 4);
    assert_int_equal(l[3].n[EVENT_sst_requests], 4);
    assert_int_equal(l[3].n[EVENT_fadd], 112);
    arena_free(&mem);
    meter_report_free(r);
}

/* A picture with five banks: words 128 bytes apart fall into banks 0 2 4 1 3: 32 lanes in 5 banks, 7 in the fullest. */
static void other_banks_can_be_asked_for(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    const struct meter_options five = {.carveout_kib = -1, .banks = 5, .bank_bytes = 4};
    struct meter_report *r = run(&f, 1, 4, &five);
    assert_float_equal(meter_value(r, METRIC_sst_wavefronts), 3 * 7 + 4, 0); /* half a warp: 4 in the fullest */
    meter_report_free(r);
}

static void doubts_are_told(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    f.insts[1].op = OP_RED;
    f.insts[1].types[0] = PTX_F32; /* a loop of compare-and-swap */
    const struct gpu g = h200();
    const struct exec_launch l = launch_of(&f);
    struct meter *m;
    assert_int_equal(meter_begin(&l, &g, NULL, &m), LS_OK);
    const struct exec_hooks *h = meter_hooks(m);
    void *ctx = h->worker_begin(h->launch, 0);
    u64 addr[32] = {0};
    h->access(ctx, &(struct exec_access){.func = &f.func,
                                         .site = 1,
                                         .mask = 1,
                                         .space = SPACE_SHARED,
                                         .op = ACCESS_RED,
                                         .size = 4,
                                         .type = PTX_F32,
                                         .addr = addr});
    struct meter_report *r = meter_end(m);
    assert_int_equal(r->metrics[METRIC_satom_wavefronts].kind, METRIC_ESTIMATED);
    assert_int_equal(r->metrics[METRIC_sld_wavefronts].kind, METRIC_ESTIMATED);
    assert_int_equal(r->metrics[METRIC_sst_wavefronts].kind, METRIC_COUNTED);
    meter_report_free(r);
}

/* A branch that parts warps is divergent only if it is a branch in machine code. */
static void branches_that_count(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    struct ptx_var p = {.name = "%p1", .type = PTX_PRED};
    struct ptx_label to_fma = {.name = "$fma", .at = 4}, to_ret = {.name = "$ret", .at = 5};
    f.insts[2] = (struct ptx_inst){.op = OP_BRA, .guard = &p, .operands = f.operands[2], .noperands = 1};
    f.operands[2][0] = (struct ptx_operand){.kind = PTX_LABEL, .label = &to_ret};
    f.insts[0] = (struct ptx_inst){.op = OP_BRA, .guard = &p, .operands = f.operands[0], .noperands = 1};
    f.operands[0][0] = (struct ptx_operand){.kind = PTX_LABEL, .label = &to_fma};
    const struct gpu g = h200();
    const struct exec_launch l = launch_of(&f);
    struct meter *m;
    assert_int_equal(meter_begin(&l, &g, NULL, &m), LS_OK);
    const struct exec_hooks *h = meter_hooks(m);
    void *ctx = h->worker_begin(h->launch, 0);
    for (u32 k = 0; k < 8; k++) {
        h->enter(ctx, &f.func, 0, UINT32_MAX, 0, NULL);
        h->enter(ctx, &f.func, 2, UINT32_MAX, 0, NULL);
    }
    h->diverge(ctx, &f.func, 0, UINT32_MAX, 1);
    h->diverge(ctx, &f.func, 0, UINT32_MAX, 2);
    h->diverge(ctx, &f.func, 2, UINT32_MAX, 1); /* to a bare ret: an exit */
    struct meter_report *r = meter_end(m);
    assert_float_equal(meter_value(r, METRIC_branch_targets), 8, 0);
    assert_float_equal(meter_value(r, METRIC_branch_targets_divergent), 2, 0);
    assert_float_equal(meter_value(r, METRIC_branch_uniformity), 75, 1e-12);
    meter_report_free(r);
}

/* A load in a short body is predicated: it is an instruction whenever the branch was reached, also by warps without a
 * lane for it; its requests are only those with one. */
static void predicated_loads_are_instructions_without_lanes_too(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    struct ptx_var p = {.name = "%p1", .type = PTX_PRED};
    struct ptx_label over = {.name = "$over", .at = 2};
    u32 joins[] = {2};
    f.insts[1] = f.insts[0];
    f.insts[0] = (struct ptx_inst){.op = OP_BRA, .guard = &p, .operands = f.operands[0], .noperands = 1};
    f.operands[0][0] = (struct ptx_operand){.kind = PTX_LABEL, .label = &over};
    f.insts[1].operands = f.operands[1];
    f.blocks[1].npreds = f.blocks[1].nsucc = 1;
    f.blocks[1].succs = joins;
    const struct gpu g = h200();
    const struct exec_launch l = launch_of(&f);
    struct meter *m;
    assert_int_equal(meter_begin(&l, &g, NULL, &m), LS_OK);
    const struct exec_hooks *h = meter_hooks(m);
    void *ctx = h->worker_begin(h->launch, 0);
    const u64 addr[32] = {0};
    for (u32 k = 0; k < 8; k++) {
        h->enter(ctx, &f.func, 0, UINT32_MAX, 0, NULL);
        if (k < 3) {
            h->diverge(ctx, &f.func, 0, UINT32_MAX, ~1u);
            h->enter(ctx, &f.func, 1, 1, 0, NULL);
            h->access(ctx, &(struct exec_access){.func = &f.func,
                                                 .site = 1,
                                                 .mask = 1,
                                                 .space = SPACE_GLOBAL,
                                                 .size = 4,
                                                 .type = PTX_U32,
                                                 .addr = addr});
        }
    }
    struct meter_report *r = meter_end(m);
    assert_float_equal(meter_value(r, METRIC_gld_inst), 8, 0);
    assert_float_equal(meter_value(r, METRIC_sass_gld_inst), 3, 0);
    assert_float_equal(meter_value(r, METRIC_gld_requests), 3, 0);
    assert_float_equal(meter_value(r, METRIC_branch_targets), 0, 0);
    assert_float_equal(meter_value(r, METRIC_branch_targets_divergent), 0, 0);
    meter_report_free(r);
}

/* wmma: one PTX instruction is several accesses, and products of the tensor pipe. */
static void matrix_instructions_count_several_times(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    f.insts[0] = (struct ptx_inst){.op = OP_WMMA_LOAD,
                                   .space = SPACE_GLOBAL,
                                   .nmods = 3,
                                   .ntypes = 1,
                                   .types = {PTX_F16},
                                   .mods = {MOD_A, MOD_ROW, MOD_M16N16K16},
                                   .operands = f.operands[0]};
    f.insts[3] = (struct ptx_inst){.op = OP_WMMA_MMA,
                                   .nmods = 1,
                                   .ntypes = 2,
                                   .types = {PTX_F32, PTX_F32},
                                   .mods = {MOD_M16N16K16},
                                   .operands = f.operands[3]};
    struct meter_report *r = run(&f, 1, 5, NULL);
    assert_float_equal(meter_value(r, METRIC_gld_inst), 20, 0);
    assert_float_equal(meter_value(r, METRIC_tensor_inst), 10, 0);
    assert_int_equal(r->metrics[METRIC_gld_requests].kind, METRIC_ESTIMATED);
    assert_int_equal(r->metrics[METRIC_sass_gst_sectors].kind, METRIC_ESTIMATED);
    assert_int_equal(r->metrics[METRIC_sst_wavefronts].kind, METRIC_COUNTED);
    meter_report_free(r);
    make_kernel(&f);
    f.insts[1].op = OP_STMATRIX;
    r = run(&f, 1, 1, NULL);
    assert_int_equal(r->metrics[METRIC_gld_requests].kind, METRIC_COUNTED);
    assert_int_equal(r->metrics[METRIC_sst_wavefronts].kind, METRIC_ESTIMATED);
    meter_report_free(r);
}

/* ---- no memory ---- */

static long budget;
static void *stingy(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (!size) {
        free(p);
        return NULL;
    }
    return budget-- > 0 ? realloc(p, size) : NULL;
}

static void running_out_of_memory_gives_no_report(void **state)
{
    (void)state;
    struct fake f;
    make_kernel(&f);
    bool done = false;
    long n = 0;
    for (; n < 500 && !done; n++) {
        budget = 1000000; /* loading the GPU is not what is tested */
        const struct gpu g = h200();
        const struct exec_launch l = launch_of(&f);
        struct meter *m;
        ls_set_realloc(stingy, NULL);
        budget = n;
        if (meter_begin(&l, &g, NULL, &m) == LS_OK) {
            const struct exec_hooks *h = meter_hooks(m);
            void *a = h->worker_begin(h->launch, 0), *b = h->worker_begin(h->launch, 1);
            for (u32 k = 0; k < 3; k++) {
                run_warp(h, a, &f, UINT32_MAX);
                run_warp(h, b, &f, 5);
            }
            struct meter_report *r = meter_end(m);
            done = r != NULL;
            if (r)
                assert_float_equal(meter_value(r, METRIC_gld_requests), 6, 0);
            meter_report_free(r);
        }
        ls_set_realloc(NULL, NULL);
    }
    assert_true(done);
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_become_metrics),
        cmocka_unit_test(modelled_metrics_are_there_when_asked_for),
        cmocka_unit_test(the_launch_is_described),
        cmocka_unit_test(the_number_of_workers_changes_nothing),
        cmocka_unit_test(lines_add_up_to_the_launch),
        cmocka_unit_test(source_lines_gather_their_instructions),
        cmocka_unit_test(other_banks_can_be_asked_for),
        cmocka_unit_test(doubts_are_told),
        cmocka_unit_test(branches_that_count),
        cmocka_unit_test(predicated_loads_are_instructions_without_lanes_too),
        cmocka_unit_test(matrix_instructions_count_several_times),
        cmocka_unit_test(running_out_of_memory_gives_no_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
