/* test_session.c - a report written and read again says the same; broken records are told and left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "meter/session/session.h"

static struct meter_line lines[2];
static struct meter_machine machine[3];

/* Values that only survive if integers stay exact and fractions are not rounded. */
static struct meter_report sample(void)
{
    struct meter_report r = {.kernel = "k<\"x\">",
                             .device = "h200",
                             .status = "ok",
                             .id = 12,
                             .grid = {3, 2, 1},
                             .block = {32, 8, 1},
                             .static_shared = 64,
                             .dynamic_shared = 100,
                             .registers = 40,
                             .seconds = 0.125,
                             .lines = lines,
                             .nlines = 2,
                             .machine = machine,
                             .nmachine = 3,
                             .machine_by = "nvdisasm"};
    for (int i = 0; i < METRIC_COUNT; i++) {
        r.metrics[i].value = i % 3 ? 9007199254740.0 + i : i / 7.0;
        r.metrics[i].kind = i % 2 ? METRIC_ESTIMATED : METRIC_COUNTED;
    }
    r.metrics[METRIC_registers].value = 40;
    r.metrics[METRIC_fp16].value = NAN;
    r.occupancy.blocks_per_sm = 7;
    r.occupancy.limiter = OCCUPANCY_BY_SHARED;
    lines[0] = (struct meter_line){.function = "k", .file = "a.cu", .line = 5, .ptx_line = 40, .ptx = "ld.global.f32"};
    lines[0].n[EVENT_gld_requests] = 77;
    lines[0].n[EVENT_gld_sectors] = 308;
    lines[1] = (struct meter_line){.function = "k", .ptx_line = 41, .ptx = "bra"};
    lines[1].n[EVENT_branches] = 9;
    lines[1].n[EVENT_divergent] = 4;
    machine[0] = (struct meter_machine){.text = "MOV R1, c[0x0][0x28]", .pipe = "alu"};
    machine[1] = (struct meter_machine){
        .text = "LDG.E R3, [R2]", .pipe = "lsu", .file = "a.cu", .line = 5, .ptx_line = 40, .issued = 77};
    machine[1].stalls[STALL_SELECTED] = 77;
    machine[1].stalls[STALL_MISC] = 1234567890123;
    machine[2] = machine[1];
    machine[2].issued = machine[2].stalls[STALL_SELECTED] = 0;
    machine[2].stalls[STALL_MISC] = 0;
    return r;
}

static void assert_same(const struct meter_report *a, const struct meter_report *b)
{
    assert_string_equal(a->kernel, b->kernel);
    assert_string_equal(a->device, b->device);
    assert_string_equal(a->status, b->status);
    assert_int_equal(a->id, b->id);
    assert_memory_equal(a->grid, b->grid, sizeof a->grid);
    assert_memory_equal(a->block, b->block, sizeof a->block);
    assert_int_equal(a->static_shared, b->static_shared);
    assert_int_equal(a->dynamic_shared, b->dynamic_shared);
    assert_int_equal(a->registers, b->registers);
    assert_true(a->seconds == b->seconds);
    assert_int_equal(a->occupancy.blocks_per_sm, b->occupancy.blocks_per_sm);
    assert_int_equal(a->occupancy.limiter, b->occupancy.limiter);
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (isnan(a->metrics[i].value)) {
            assert_true(isnan(b->metrics[i].value));
            continue;
        }
        assert_true(a->metrics[i].value == b->metrics[i].value);
        assert_int_equal(a->metrics[i].kind, b->metrics[i].kind);
    }
    assert_int_equal(a->nlines, b->nlines);
    for (u32 k = 0; k < a->nlines; k++) {
        assert_int_equal(a->lines[k].line, b->lines[k].line);
        assert_int_equal(a->lines[k].ptx_line, b->lines[k].ptx_line);
        assert_string_equal(a->lines[k].function, b->lines[k].function);
        assert_string_equal(a->lines[k].ptx, b->lines[k].ptx);
        assert_memory_equal(a->lines[k].n, b->lines[k].n, sizeof a->lines[k].n);
    }
}

static void assert_same_machine(const struct meter_report *a, const struct meter_report *b)
{
    assert_int_equal(a->nmachine, b->nmachine);
    assert_string_equal(a->machine_by, b->machine_by);
    for (u32 k = 0; k < a->nmachine; k++) {
        const struct meter_machine *x = &a->machine[k], *y = &b->machine[k];
        assert_string_equal(x->text, y->text);
        assert_string_equal(x->pipe, y->pipe);
        assert_int_equal(x->ptx_line, y->ptx_line);
        assert_int_equal(x->line, y->line);
        assert_true((x->file == NULL) == (y->file == NULL) && (!x->file || !strcmp(x->file, y->file)));
        assert_int_equal(x->issued, y->issued);
        assert_memory_equal(x->stalls, y->stalls, sizeof x->stalls);
    }
}

/* Machine code is written once; a launch that did the same does not write its counts again. */
static void machine_code_is_written_once(void **state)
{
    (void)state;
    char folder[] = "/tmp/lockstep-session-XXXXXX", file[128], line[65536];
    assert_non_null(mkdtemp(folder));
    struct meter_report r = sample();
    u32 codes = 0, launches = 0;
    for (u32 k = 0; k < 4; k++) {
        machine[1].issued = k < 2 ? 77 : 78;
        r.nmachine = k < 3 ? 3 : 0; /* one that was not modelled itself */
        assert_int_equal(session_append(folder, NULL, &r), LS_OK);
    }
    snprintf(file, sizeof file, "%s/%d.rec", folder, (int)getpid());
    FILE *f = fopen(file, "r");
    while (fgets(line, sizeof line, f)) {
        codes += strstr(line, "\"codes\":") != NULL;
        launches += strstr(line, "\"machine\":") != NULL;
    }
    fclose(f);
    assert_int_equal(codes, 1);
    assert_int_equal(launches, 2);
    struct session s;
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(session_read(folder, &s, &d), LS_OK);
    assert_int_equal(s.n, 4);
    assert_int_equal(s.reports[1]->machine[1].issued, 77);
    assert_int_equal(s.reports[3]->nmachine, 3);
    r.nmachine = 3;
    assert_same_machine(&r, s.reports[2]);
    session_free(&s);
    diag_free(&d);
    unlink(file);
    rmdir(folder);
}

static void a_record_says_the_same_again(void **state)
{
    (void)state;
    const struct meter_report r = sample();
    char *text = session_print(&r);
    assert_non_null(text);
    assert_null(strchr(text, '\n'));
    struct meter_report *back;
    assert_int_equal(session_parse(text, strlen(text), &back), LS_OK);
    assert_same(&r, back);
    assert_same_machine(&r, back);
    assert_string_equal(back->lines[0].file, "a.cu");
    assert_null(back->lines[1].file);
    meter_report_free(back);
    ls_free(text);
}

static void garbage_is_not_a_record(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "{",
        "null",
        "[]",
        "{}",
        "{\"type\":\"launch\"}",
        "{\"type\":\"other\",\"name\":\"k\"}",
        "{\"type\":\"launch\",\"name\":\"k\",\"grid\":[1,2],\"block\":[1,1,1]}",
        "{\"type\":\"launch\",\"name\":\"k\",\"grid\":[1,2,-1],\"block\":[1,1,1]}",
    };
    struct meter_report *r;
    for (size_t i = 0; i < LS_ARRAY_LEN(bad); i++) {
        assert_int_equal(session_parse(bad[i], strlen(bad[i]), &r), LS_ERR_SYNTAX);
        assert_null(r);
    }
}

/* A record of another version: unknown members are ignored, missing metrics are NaN. */
static void other_versions_can_be_read(void **state)
{
    (void)state;
    const char *text = "{\"type\":\"launch\",\"name\":\"k\",\"grid\":[1,1,1],\"block\":[32,1,1],\"new\":1,\"metrics\":"
                       "{\"launch__grid_size\":{\"value\":1},\"unheard_of.sum\":{\"value\":2}}}";
    struct meter_report *r;
    assert_int_equal(session_parse(text, strlen(text), &r), LS_OK);
    assert_float_equal(meter_value(r, METRIC_grid_size), 1, 0);
    assert_true(isnan(meter_value(r, METRIC_gld_requests)));
    meter_report_free(r);
}

/* Its line stands behind the records of all. */
static void the_time_and_traffic_of_a_tree_are_its_roots(void **state)
{
    (void)state;
    char folder[] = "/tmp/lockstep-session-XXXXXX", file[128];
    assert_non_null(mkdtemp(folder));
    struct meter_report r = sample();
    r.metrics[METRIC_gpu_time].value = 1000;
    r.metrics[METRIC_cycles_elapsed].value = 2000;
    r.metrics[METRIC_dram_read_bytes].value = 32 * (double)r.n[EVENT_dram_reads];
    const struct session_tree tree = {5, 4000, {.l2 = 30, .l2_reads = 20, .dram_reads = 10}};
    for (u32 k = 0; k < 3; k++) {
        r.id = 5 + k;
        r.depth = k;
        assert_int_equal(session_append(folder, NULL, &r), LS_OK);
    }
    assert_int_equal(session_append_tree(folder, &tree), LS_OK);
    snprintf(file, sizeof file, "%s/%ld.rec", folder, (long)getpid());
    struct session s;
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(session_read(folder, &s, &d), LS_OK);
    assert_int_equal(d.errors, 0);
    assert_int_equal(s.n, 3);
    assert_float_equal(meter_value(s.reports[0], METRIC_gpu_time), 4000, 1e-6);
    assert_float_equal(meter_value(s.reports[0], METRIC_cycles_elapsed), 8000, 1e-6);
    assert_float_equal(meter_value(s.reports[1], METRIC_gpu_time), 1000, 1e-6);
    assert_float_equal(meter_value(s.reports[0], METRIC_dram_read_bytes) -
                           meter_value(s.reports[1], METRIC_dram_read_bytes),
                       320, 1e-6);
    assert_int_equal(s.reports[0]->n[EVENT_l2_beside], s.reports[1]->n[EVENT_l2_beside] + 30);
    const u64 child = s.reports[1]->n[EVENT_time_ns];
    meter_report_add(s.reports[0], s.reports[1]);
    assert_int_equal(s.reports[0]->n[EVENT_time_ns], 4000);
    assert_true(child != 4000);
    session_free(&s);
    diag_free(&d);
    unlink(file);
    rmdir(folder);
}

static void a_folder_holds_the_launches_in_order(void **state)
{
    (void)state;
    char folder[] = "/tmp/lockstep-session-XXXXXX", sub[64], file[128];
    assert_non_null(mkdtemp(folder));
    snprintf(sub, sizeof sub, "%s/new", folder);
    struct meter_report r = sample();
    for (u32 k = 0; k < 5; k++) {
        r.id = k;
        assert_int_equal(session_append(sub, NULL, &r), LS_OK);
    }
    snprintf(file, sizeof file, "%s/%ld.rec", sub, (long)getpid());
    FILE *f = fopen(file, "a");
    fputs("nonsense\n{\"type\":\"launch\",\"name\":\"cut sho", f);
    fclose(f);
    struct session s;
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(session_read(sub, &s, &d), LS_OK);
    assert_int_equal(s.n, 5);
    assert_int_equal(d.errors, 1); /* the nonsense; a last line without its end is only ignored */
    assert_int_equal(d.first->at.line, 6);
    for (u32 k = 0; k < 5; k++)
        assert_int_equal(s.reports[k]->id, k);
    session_free(&s);
    assert_int_equal(session_read("/nonexistent/folder", &s, &d), LS_ERR_IO);
    assert_int_equal(session_append("/nonexistent/folder/x", NULL, &r), LS_ERR_IO);
    diag_free(&d);
    unlink(file);
    rmdir(sub);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_says_the_same_again),
        cmocka_unit_test(garbage_is_not_a_record),
        cmocka_unit_test(machine_code_is_written_once),
        cmocka_unit_test(other_versions_can_be_read),
        cmocka_unit_test(the_time_and_traffic_of_a_tree_are_its_roots),
        cmocka_unit_test(a_folder_holds_the_launches_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
