/* cause.c - why a rung is better or worse than the one before, in its counters: the largest changes, as a sentence.
 *
 * A number counts as changed from 5 % on. Ratios say more than totals, so totals are named only where their ratio stayed;
 * that is the order of the list. Estimated numbers come last and are marked with ~. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/columns.h"

enum { CAUSES = 4 }; /* named at most */

/* What is compared, in the order of its weight; `unless` is the entry that says the same thing better. */
static const struct term {
    const char *name, *words;
    i32 unless;
    bool telling; /* named though it is estimated */
} terms[] = {
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "load sectors a request", -1, false},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "store sectors a request", -1, false},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "shared load conflicts", -1, false},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "shared store conflicts", -1, false},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global sectors loaded", 0, false},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global sectors stored", 1, false},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "global atomic requests", -1, false},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "global reduction requests", -1, false},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "local sectors loaded", -1, true},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "local sectors stored", -1, true},
    {"idc__requests.sum", "constant cache passes", -1, true},
    {"l1tex__t_requests_pipe_tex_mem_texture.sum", "texture requests", -1, true},
    {"sm__inst_executed_pipe_tensor.sum", "tensor instructions", -1, true},
    {"lockstep__cycles_per_step", "cycles a step", -1, false},
    {"lockstep__critical_path.us", "critical path us", -1, false},
    {"lockstep__bytes_htod.sum", "bytes to the device", -1, false},
    {"lockstep__bytes_dtoh.sum", "bytes to the host", -1, false},
    {"lockstep__copies_htod.sum", "copies to the device", -1, false},
    {"lockstep__copies_dtoh.sum", "copies to the host", -1, false},
    {"lockstep__launches.sum", "launches", -1, false},
    {"lockstep__host_waits.sum", "host waits", -1, false},
    {"lockstep__allocations.sum", "allocations", -1, false},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global load requests", 4, false},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global store requests", 5, false},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared load wavefronts", 2, false},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared store wavefronts", 3, false},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "shared atomic wavefronts", -1, false},
    {"lockstep__barriers.sum", "barriers", -1, false},
    {"smsp__sass_average_branch_targets_threads_uniform.pct", "uniform branches %", -1, false},
    {"sm__maximum_warps_per_active_cycle_pct", "occupancy %", -1, false},
    {"launch__registers_per_thread", "registers", -1, false},
    {"smsp__inst_executed.sum", "warp instructions", -1, false},
};

static bool changed(double a, double b)
{
    return !isnan(a) && !isnan(b) && fabs(a - b) > 0.05 * fmax(fabs(a), fabs(b));
}

static bool counted(const struct lab_result *r, const char *name)
{
    const int id = metric_find(name);
    return id < 0 || !r->report || r->report->metrics[id].kind == METRIC_COUNTED;
}

/* 1048576 as 1,048,576; a fraction with two digits. */
static void put_number(char *out, size_t size, double v)
{
    char digits[40];
    snprintf(digits, sizeof digits, v == floor(v) ? "%.0f" : "%.2f", v);
    const size_t whole = strcspn(digits, ".");
    size_t at = 0;
    for (size_t i = 0; digits[i] && at + 2 < size; i++) {
        if (i && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-')
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

static void append(char *out, size_t size, const struct term *t, double a, double b, bool estimated)
{
    char from[48], to[48];
    const size_t n = strlen(out);
    put_number(from, sizeof from, a);
    put_number(to, sizeof to, b);
    snprintf(out + n, size - n, "%s%s %s -> %s%s", n ? ", " : "", t->words, from, to, estimated ? "~" : "");
}

bool cause_text(const struct lab_result *before, const struct lab_result *after, char *out, size_t size)
{
    bool named[LS_ARRAY_LEN(terms)] = {0};
    u32 n = 0;
    out[0] = '\0';
    for (u32 pass = 0; pass < 2 && (pass == 0 || n == 0); pass++)
        for (u32 i = 0; i < LS_ARRAY_LEN(terms) && n < CAUSES; i++) {
            const struct term *t = &terms[i];
            const double a = lab_value_of(before, t->name), b = lab_value_of(after, t->name);
            const bool sure = counted(before, t->name) && counted(after, t->name);
            if ((sure || t->telling) != (pass == 0) || !changed(a, b) || (t->unless >= 0 && named[t->unless]))
                continue;
            named[i] = true;
            append(out, size, t, a, b, !sure);
            n++;
        }
    return n > 0;
}

bool shape_same_sizes(const struct shape *a, const struct shape *b)
{
    return a->n == b->n && a->rows == b->rows && a->cols == b->cols && a->k == b->k && a->batch == b->batch;
}

const struct lab_result *cause_partner(const struct lab_result *all, u32 n, const struct lab_result *r)
{
    const struct lab_result *last = NULL;
    for (u32 i = 0; i < n; i++) {
        const struct lab_result *x = &all[i];
        const bool ran = x->verdict == LAB_RIGHT && !x->rung->broken;
        if (r->against && ran && strcmp(x->rung->name, r->against) == 0)
            return x;
        if (x == r && !r->against)
            return last;
        if (ran && shape_same_sizes(&x->shape, &r->shape))
            last = x;
    }
    return NULL;
}
