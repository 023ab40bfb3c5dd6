/* test_truth.c - the tutorial's kernels against an H200: tests/hw/h200/seed-kernels.csv, a row a launch.
 *
 * Every row is run by the ladder's kernel at the recorded size. Three classes of columns:
 *
 *   exact      follow from addresses and masks: must be equal, and are recorded free of noise
 *   noisy      the plain counters of shared memory, which add arbitration: printed beside, and never below ours
 *   distance   depend on the machine code that ptxas makes: how far our estimate is off is printed, not judged
 *
 * The recorded reduceSmemUnroll has a fault of its own (it drops the last block of data), which the ladder keeps as
 * broken/reduceSmemUnroll. All launches are of whole blocks, so counters are proportional to the data: in builds with
 * sanitizers, or with LOCKSTEP_TRUTH_SCALE=k, a k-th of the data is run and k times the counters compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lab.h"

enum { MAX_COLUMNS = 80, MAX_ROWS = 64 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { DEFAULT_SCALE = 64 };
#else
enum { DEFAULT_SCALE = 1 };
#endif

/* ---- the recording ---- */

struct table {
    char *text;
    char *cells[MAX_ROWS][MAX_COLUMNS];
    u32 rows, columns;
};

/* One field, in place; quotes taken off. Moves *at behind it; *last: it ended the line. */
static char *field(char **at, bool *last)
{
    bool quoted = **at == '"';
    char *start = *at + quoted, *end = start + strcspn(start, quoted ? "\"" : ",\r\n");
    char *next = quoted ? end + 1 : end;
    next += *next == '\r';
    *last = *next != ',';
    *at = *next ? next + 1 : next;
    *end = '\0';
    return start;
}

static void load(struct table *t, const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    t->text = calloc(1, 1 << 20);
    assert_non_null(t->text);
    assert_true(fread(t->text, 1, (1 << 20) - 1, f) > 1000);
    fclose(f);
    for (char *at = t->text; *at; t->rows++) {
        bool last = false;
        u32 c = 0;
        assert_true(t->rows < MAX_ROWS);
        while (!last) {
            assert_true(c < MAX_COLUMNS);
            t->cells[t->rows][c++] = field(&at, &last);
        }
        t->columns = t->rows ? t->columns : c;
        assert_int_equal(c, t->columns);
    }
}

static const char *cell(const struct table *t, u32 row, const char *column)
{
    for (u32 c = 0; c < t->columns; c++)
        if (strcmp(t->cells[0][c], column) == 0)
            return t->cells[row][c];
    fail_msg("no column %s", column);
    return "";
}

static double recorded(const struct table *t, u32 row, const char *column)
{
    return atof(cell(t, row, column));
}

/* ---- which rung, which shape ---- */

struct subject {
    const struct family *family;
    const struct rung *rung;
    struct shape shape;
    u32 scale;
};

static void find_subject(const struct table *t, u32 row, u32 scale, struct subject *s)
{
    const char *program = cell(t, row, "program"), *signature = cell(t, row, "kernel");
    char name[80], rung[100];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(signature, "("), signature);
    snprintf(rung, sizeof rung, "%s%s", strcmp(program, "checkSmemRectangle") == 0 ? "rect_" : "", name);
    bool broken = strcmp(program, "reduceInteger") == 0 && strcmp(name, "reduceSmemUnroll") == 0;
    *s = (struct subject){.scale = 1};
    if (strncmp(program, "checkSmem", 9) == 0)
        s->family = lab_family("banks");
    else if (strcmp(program, "reduceIntegerShfl") == 0) {
        s->family = lab_family("reduce");
        s->shape.n = 1024;
    } else {
        s->scale = broken ? 1 : scale;
        s->family = lab_family(strcmp(program, "constantStencil") == 0 ? "stencil"
                               : strcmp(program, "reduceInteger") == 0 ? "reduce"
                                                                       : "transpose");
        s->shape.n = (1u << 24) / s->scale;
        s->shape.rows = 4096 / s->scale; /* the columns stay, and with them the grid's width */
        s->shape.cols = 4096;
    }
    assert_non_null(s->family);
    s->rung = lab_rung(s->family, rung, broken);
    if (!s->rung)
        fail_msg("no rung for %s of %s", name, program);
    s->family->defaults(s->rung, &s->shape);
}

/* ---- comparison ---- */

static const char *const exact[] = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__sass_data_bytes_mem_global_op_ld.sum",
    "smsp__sass_data_bytes_mem_global_op_st.sum",
    "smsp__sass_data_bytes_mem_shared_op_ld.sum",
    "smsp__sass_data_bytes_mem_shared_op_st.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
};

/* The noisy counter of what an exact one counts; conflicts have no noise-free column but wavefronts minus requests. */
static const char *const noisy[][2] = {
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
};

static const char *const distance[] = {
    "smsp__sass_inst_executed_op_global_ld.sum",
    "smsp__sass_inst_executed_op_global_st.sum",
    "smsp__sass_inst_executed_op_shared_ld.sum",
    "smsp__sass_inst_executed_op_shared_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__sass_inst_executed.sum",
    "smsp__sass_thread_inst_executed.sum",
    "smsp__sass_inst_executed_op_branch.sum",
    "smsp__sass_average_branch_targets_threads_uniform.pct",
    "smsp__sass_branch_targets.sum",
    "smsp__sass_branch_targets_threads_divergent.sum",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "launch__registers_per_thread",
    "sm__maximum_warps_per_active_cycle_pct",
};

static u32 unequal;

/* Counters are proportional to the data, ratios are not. */
static double scaled(const struct subject *s, const char *metric, double value)
{
    return strstr(metric, ".sum") ? value * s->scale : value;
}

static void put(const char *class, const char *metric, double ours, double theirs, const char *verdict)
{
    printf("  %-8s %-66s %14.10g %14.10g  %s\n", class, metric, ours, theirs, verdict);
}

static void compare_exact(const struct table *t, u32 row, const struct subject *s, const struct meter_report *r)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(exact); i++) {
        double ours = scaled(s, exact[i], meter_value_of(r, exact[i])), theirs = recorded(t, row, exact[i]);
        bool equal = ours == theirs;
        unequal += !equal;
        if (ours != 0 || !equal)
            put("exact", exact[i], ours, theirs, equal ? "equal" : "NOT EQUAL");
    }
}

static void compare_noisy(const struct table *t, u32 row, const struct subject *s, const struct meter_report *r)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(noisy); i++) {
        double ours = scaled(s, noisy[i][0], meter_value_of(r, noisy[i][0])), theirs = recorded(t, row, noisy[i][1]);
        char text[40];
        bool below = !(theirs >= ours);
        unequal += below;
        snprintf(text, sizeof text, "%s%+.2f %%", below ? "BELOW OURS " : "", ours > 0 ? (theirs / ours - 1) * 100 : 0);
        if (ours != 0 || theirs != 0)
            put("noisy", noisy[i][1], ours, theirs, text);
    }
}

static void compare_distance(const struct table *t, u32 row, const struct subject *s, const struct meter_report *r)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(distance); i++) {
        double ours = scaled(s, distance[i], meter_value_of(r, distance[i])), theirs = recorded(t, row, distance[i]);
        char text[40];
        snprintf(text, sizeof text, "%+.1f %%", theirs != 0 ? (ours / theirs - 1) * 100 : ours == 0 ? 0 : INFINITY);
        if (ours != 0 || theirs != 0)
            put("distance", distance[i], ours, theirs, text);
    }
}

static void compare_grid(const struct table *t, u32 row, const struct subject *s, const struct lab_result *r)
{
    u32 x, y, bx, by;
    assert_int_equal(sscanf(cell(t, row, "grid"), "(%u, %u", &x, &y), 2);
    assert_int_equal(sscanf(cell(t, row, "block"), "(%u, %u", &bx, &by), 2);
    assert_int_equal(x * (u64)y, r->plan.grid[0] * (u64)r->plan.grid[1] * s->scale);
    assert_int_equal(bx, r->plan.block[0]);
    assert_int_equal(by, r->plan.block[1]);
}

static void compare_row(const struct table *t, u32 row, u32 scale, struct lab *lab, struct arena *mem)
{
    struct subject s;
    struct lab_result r;
    struct diag_list diags;
    diag_init(&diags);
    find_subject(t, row, scale, &s);
    lab_set_shape(lab, &s.shape);
    if (lab_run(lab, s.family, s.rung, mem, &r, &diags) != LS_OK)
        fail_msg("%s", diag_text(&diags));
    printf("%s/%s%s: grid %s, block %s, a %uth of the data\n", s.family->name, s.rung->broken ? "broken/" : "",
           s.rung->name, cell(t, row, "grid"), cell(t, row, "block"), s.scale);
    if (!s.rung->broken && r.verdict != LAB_RIGHT)
        fail_msg("%s: %s", s.rung->name, r.text);
    assert_non_null(r.report);
    assert_int_equal(r.nfindings, 0);
    compare_grid(t, row, &s, &r);
    compare_exact(t, row, &s, r.report);
    compare_noisy(t, row, &s, r.report);
    compare_distance(t, row, &s, r.report);
    fflush(stdout);
    lab_result_free(&r);
    diag_free(&diags);
}

static void test_h200(void **state)
{
    (void)state;
    static struct table t;
    const char *said = getenv("LOCKSTEP_TRUTH_SCALE");
    u32 scale = said && atoi(said) > 0 ? (u32)atoi(said) : DEFAULT_SCALE;
    struct lab_request request = {.no_awkward = true};
    struct lab *lab;
    struct diag_list diags;
    diag_init(&diags);
    if (lab_open(&request, &lab, &diags) != LS_OK)
        fail_msg("%s", diag_text(&diags));
    struct arena mem = ARENA("test");
    if (setjmp(mem.oom))
        fail_msg("out of memory");
    load(&t, "tests/hw/h200/seed-kernels.csv");
    printf("%-10s %-66s %14s %14s\n", "", "", "Lockstep", "H200");
    for (u32 row = 1; row < t.rows; row++)
        compare_row(&t, row, scale, lab, &mem);
    assert_int_equal(t.rows - 1, 34);
    assert_int_equal(unequal, 0);
    lab_close(lab);
    diag_free(&diags);
    arena_free(&mem);
    free(t.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_h200)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
