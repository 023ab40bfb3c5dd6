/* compare.c - the columns, and one row's run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fidelity.h"

const struct column counted_columns[] = {
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "load requests", NULL},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "load sectors (l1tex)", NULL},
    {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum", "load sectors", NULL},
    {"smsp__sass_data_bytes_mem_global_op_ld.sum", "load bytes", NULL},
    {"smsp__sass_inst_executed_op_global_ld.sum", "load instructions", NULL},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "store requests", NULL},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "store sectors (l1tex)", NULL},
    {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum", "store sectors", NULL},
    {"smsp__sass_data_bytes_mem_global_op_st.sum", "store bytes", NULL},
    {"smsp__sass_inst_executed_op_global_st.sum", "store instructions", NULL},
    {"smsp__sass_inst_executed_op_shared_ld.sum", "shared load instructions", NULL},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared load wavefronts",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"smsp__sass_data_bytes_mem_shared_op_ld.sum", "shared load bytes", NULL},
    {"smsp__sass_inst_executed_op_shared_st.sum", "shared store instructions", NULL},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared store wavefronts",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "shared atomic wavefronts", NULL},
    {"smsp__sass_data_bytes_mem_shared_op_st.sum", "shared store bytes", NULL},
    {"launch__shared_mem_per_block_static", "static shared bytes", NULL},
    {"launch__shared_mem_per_block_dynamic", "dynamic shared bytes", NULL},
    {"launch__shared_mem_per_block_allocated", "allocated shared bytes", NULL},
    {"launch__occupancy_limit_warps", "blocks by warps", NULL},
    {"launch__occupancy_limit_blocks", "blocks at most", NULL},
};
const u32 counted_count = LS_ARRAY_LEN(counted_columns);

const struct column estimated_columns[] = {
    {"launch__registers_per_thread", "registers", NULL},
    {"sm__maximum_warps_per_active_cycle_pct", "theoretical occupancy %", NULL},
    {"smsp__inst_executed.sum", "instructions", NULL},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", "threads an instruction", NULL},
    {"smsp__sass_branch_targets.sum", "branches", NULL},
    {"smsp__sass_average_branch_targets_threads_uniform.pct", "uniform branches %", NULL},
    {"smsp__inst_executed_op_shared_ld.sum", "shared loads with those switched off", NULL},
    {"smsp__inst_executed_op_shared_st.sum", "shared stores with those switched off", NULL},
    {"smsp__sass_inst_executed_op_memory_8b.sum", "memory instructions of 8 bits", NULL},
    {"smsp__sass_inst_executed_op_memory_16b.sum", "memory instructions of 16 bits", NULL},
    {"smsp__sass_inst_executed_op_memory_32b.sum", "memory instructions of 32 bits", NULL},
    {"smsp__sass_inst_executed_op_memory_64b.sum", "memory instructions of 64 bits", NULL},
    {"smsp__sass_inst_executed_op_memory_128b.sum", "memory instructions of 128 bits", NULL},
};
const u32 estimated_count = LS_ARRAY_LEN(estimated_columns);

_Static_assert(LS_ARRAY_LEN(counted_columns) <= COUNTED_MAX && LS_ARRAY_LEN(estimated_columns) <= ESTIMATED_MAX,
               "struct comparison");

/* Why a value may differ: it is on the list, or our report says itself that it is no more than an estimate here. */
static const char *excuse(const char *subject, const struct meter_report *r, const char *metric)
{
    const int id = metric_find(metric);
    const char *listed = exception_of(subject, metric);
    if (listed || id < 0 || r->metrics[id].kind == METRIC_COUNTED)
        return listed;
    return "estimated here: the report says so, because of matrix instructions or accesses that ptxas merges";
}

/* Sums are proportional to the data, all else is not. */
static struct pair look(const struct table *t, u32 row, const struct subject *s, const struct meter_report *r,
                        const struct column *c)
{
    const char *except = excuse(s->name, r, c->metric);
    const bool polls = except && strncmp(except, "polls", 5) == 0; /* differs from run to run: not looked at */
    const double ours = polls ? NAN : meter_value_of(r, c->metric);
    return (struct pair){.ours = strstr(c->metric, ".sum") ? ours * s->scale : ours,
                         .theirs = table_value(t, row, c->metric),
                         .noisy = c->noisy ? table_value(t, row, c->noisy) : NAN,
                         .except = except};
}

bool compare_row(const struct table *t, u32 row, u32 scale, struct lab *lab, struct arena *mem, struct comparison *out,
                 struct diag_list *diags)
{
    struct lab_result r;
    memset(out, 0, sizeof *out);
    if (!subject_find(t, row, scale, &out->subject)) {
        snprintf(out->text, sizeof out->text, "there is no such rung");
        return true;
    }
    lab_set_shape(lab, &out->subject.shape);
    if (lab_run(lab, out->subject.family, out->subject.rung, mem, &r, diags) != LS_OK)
        return false;
    snprintf(out->text, sizeof out->text, "%.190s", r.text);
    out->ran = r.report != NULL;
    out->right = out->ran && (r.verdict == LAB_RIGHT || r.rung->broken);
    out->findings = r.nfindings;
    out->same_launch = subject_same_launch(t, row, &out->subject, &r);
    for (u32 i = 0; out->ran && i < counted_count; i++)
        out->counted[i] = look(t, row, &out->subject, r.report, &counted_columns[i]);
    for (u32 i = 0; out->ran && i < estimated_count; i++)
        out->estimated[i] = look(t, row, &out->subject, r.report, &estimated_columns[i]);
    if (out->ran)
        modelled_compare(&out->subject, r.report, out->modelled);
    for (u32 i = 0; i < counted_count; i++)
        out->polls |= out->counted[i].except && strncmp(out->counted[i].except, "polls", 5) == 0;
    lab_result_free(&r);
    return true;
}

bool pair_equal(const struct pair *p) { return p->ours == p->theirs; }

/* ncu prints ratios and percentages with two decimals. */
bool pair_close(const struct pair *p, const char *metric)
{
    return pair_equal(p) || (!strstr(metric, ".sum") && fabs(p->ours - p->theirs) <= 0.005 + 1e-9);
}

void score_add(struct score *s, const struct comparison *c)
{
    bool all = c->ran && c->same_launch;
    for (u32 i = 0; c->ran && i < counted_count; i++) {
        const struct pair *p = &c->counted[i];
        if (isnan(p->theirs))
            continue;
        s->values++;
        s->values_equal += pair_equal(p);
        s->excepted += !pair_equal(p) && p->except;
        s->below += p->noisy < p->ours && !p->except;
        all = all && pair_equal(p);
    }
    s->kernels++;
    s->kernels_equal += all;
}
