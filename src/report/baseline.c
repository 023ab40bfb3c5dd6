/* baseline.c - which launches of two profiles belong together, and what changed between them (baseline.h). */
#include "report/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOVED 0.05   /* less than a twentieth is no change */
enum { STALLS = 3 }; /* reasons named at most */

/* ---- kernels of one profile ---- */

struct group {
    const char *kernel;
    const struct meter_report **launches;
    u32 n;
    bool taken;
};

struct groups {
    struct group *at;
    u32 n;
};

static struct group *group_of(struct groups *g, const char *kernel)
{
    for (u32 i = 0; i < g->n; i++)
        if (!strcmp(g->at[i].kernel, kernel))
            return &g->at[i];
    return NULL;
}

/* Two walks: how many launches a kernel has, and then which. */
static struct groups groups_of(struct arena *mem, const struct baseline_profile *p)
{
    struct groups g = {.at = arena_array(mem, struct group, p->n + 1)};
    for (u32 i = 0; i < p->n; i++) {
        struct group *of = group_of(&g, p->reports[i]->kernel);
        if (!of)
            *(of = &g.at[g.n++]) = (struct group){.kernel = p->reports[i]->kernel};
        of->n++;
    }
    for (u32 k = 0; k < g.n; k++) {
        g.at[k].launches = arena_array(mem, const struct meter_report *, g.at[k].n);
        g.at[k].n = 0;
    }
    for (u32 i = 0; i < p->n; i++) {
        struct group *of = group_of(&g, p->reports[i]->kernel);
        of->launches[of->n++] = p->reports[i];
    }
    return g;
}

static bool same_name(const char *a, const char *b, enum kernel_base base)
{
    char x[4096], y[4096];
    return !strcmp(kernel_name(a, base, x, sizeof x), kernel_name(b, base, y, sizeof y));
}

/* The newer kernel that belongs to an older one, and to no other. */
static struct group *partner_of(struct groups *newer, const struct group *old, enum kernel_base base)
{
    for (u32 i = 0; i < newer->n; i++)
        if (!newer->at[i].taken && same_name(newer->at[i].kernel, old->kernel, base))
            return &newer->at[i];
    return NULL;
}

/* ---- launches together ---- */

/* Launches that were not modelled (struct meter_report, unlike) are as long as the others on average. */
static double sum_of(const struct group *g, u32 n, enum metric_id id)
{
    double sum = 0, with = 0;
    for (u32 i = 0; i < n; i++)
        if (!isnan(meter_value(g->launches[i], id))) {
            sum += meter_value(g->launches[i], id);
            with++;
        }
    return with > 0 ? sum * n / with : NAN;
}

static enum interval_limit limit_of(const struct meter_report *r)
{
    const struct interval_signs signs = {.ns = meter_value(r, METRIC_gpu_time),
                                         .memory_pct = meter_value(r, METRIC_memory_throughput),
                                         .sm_pct = meter_value(r, METRIC_sm_throughput),
                                         .atomics_pct = meter_value(r, METRIC_atomic_throughput)};
    return interval_limit(&signs);
}

/* Without a ptxas registers are estimated, as all code is. */
static enum interval_code code_of(const struct meter_report *r)
{
    return r->metrics[METRIC_registers].kind == METRIC_ESTIMATED ? INTERVAL_ESTIMATED : INTERVAL_MACHINE;
}

static struct baseline_side add_up(const struct group *g, u32 n)
{
    struct baseline_side s = {
        .kernel = g->kernel, .status = "ok", .limit = limit_of(g->launches[0]), .code = code_of(g->launches[0])};
    for (u32 i = 0; i < n; i++) {
        const struct meter_report *r = g->launches[i];
        if (r->status && !strcmp(s.status, "ok"))
            s.status = r->status;
        for (u32 e = 0; e < EVENT_COUNT; e++)
            s.sum.n[e] += r->n[e];
        s.occupancy += meter_value(r, METRIC_max_warps_pct) / n;
        s.registers += meter_value(r, METRIC_registers) / n;
    }
    s.ns = sum_of(g, n, METRIC_gpu_time);
    s.low_ns = sum_of(g, n, METRIC_time_low);
    s.high_ns = sum_of(g, n, METRIC_time_high);
    s.achieved = sum_of(g, n, METRIC_warps_active) / n;
    return s;
}

static void add_rest(struct baseline *b, u32 side, const char *kernel, u32 launches)
{
    if (launches)
        b->rest[side][b->nrest[side]++] = (struct baseline_rest){kernel, launches};
}

static void pair_up(struct baseline *b, struct group *old, struct group *newer)
{
    const u32 n = old->n < newer->n ? old->n : newer->n;
    b->kernels[b->n++] = (struct baseline_kernel){.launches = n, .side = {add_up(old, n), add_up(newer, n)}};
    old->taken = newer->taken = true;
    add_rest(b, BASELINE_OLD, old->kernel, old->n - n);
    add_rest(b, BASELINE_NEW, newer->kernel, newer->n - n);
}

bool baseline_make(struct arena *mem, const struct baseline_profile profiles[BASELINE_SIDES], struct baseline *out)
{
    static const enum kernel_base bases[] = {KERNEL_MANGLED, KERNEL_FUNCTION};
    struct groups g[BASELINE_SIDES] = {groups_of(mem, &profiles[0]), groups_of(mem, &profiles[1])};
    struct group **partner = arena_array(mem, struct group *, g[BASELINE_OLD].n + 1);
    *out = (struct baseline){.files = {profiles[0].file, profiles[1].file}};
    out->kernels = arena_array(mem, struct baseline_kernel, g[BASELINE_OLD].n + 1);
    for (u32 s = 0; s < BASELINE_SIDES; s++)
        out->rest[s] = arena_array(mem, struct baseline_rest, g[s].n + 1);
    for (u32 b = 0; b < LS_ARRAY_LEN(bases); b++)
        for (u32 i = 0; i < g[BASELINE_OLD].n; i++)
            if (!partner[i] && (partner[i] = partner_of(&g[BASELINE_NEW], &g[BASELINE_OLD].at[i], bases[b])))
                partner[i]->taken = true;
    for (u32 i = 0; i < g[BASELINE_OLD].n; i++)
        if (partner[i])
            pair_up(out, &g[BASELINE_OLD].at[i], partner[i]);
    for (u32 s = 0; s < BASELINE_SIDES; s++)
        for (u32 i = 0; i < g[s].n; i++)
            if (!g[s].at[i].taken)
                add_rest(out, s, g[s].at[i].kernel, g[s].at[i].n);
    return out->n > 0;
}

/* ---- what changed ---- */

double baseline_ratio(const struct baseline_kernel *k)
{
    const double old = k->side[BASELINE_OLD].ns, newer = k->side[BASELINE_NEW].ns;
    return old > 0 ? newer / old : NAN;
}

struct ratio_interval baseline_interval(const struct baseline_kernel *k)
{
    const struct baseline_side *old = &k->side[BASELINE_OLD], *newer = &k->side[BASELINE_NEW];
    return ratio_interval_of(baseline_ratio(k), old->limit == newer->limit,
                             old->code > newer->code ? old->code : newer->code);
}

u32 baseline_pairs(const struct baseline *b)
{
    enum interval_code code = INTERVAL_MACHINE;
    for (u32 i = 0; i < b->n; i++)
        for (u32 s = 0; s < BASELINE_SIDES; s++)
            code = b->kernels[i].side[s].code > code ? b->kernels[i].side[s].code : code;
    return ratio_interval_of(1, true, code).pairs + ratio_interval_of(1, false, code).pairs;
}

struct baseline_kernel baseline_sum(const struct baseline *b)
{
    struct baseline_kernel all = {0};
    for (u32 i = 0; i < b->n; i++) {
        all.launches += b->kernels[i].launches;
        for (u32 s = 0; s < BASELINE_SIDES; s++) {
            all.side[s].ns += b->kernels[i].side[s].ns;
            if (b->kernels[i].side[s].code > all.side[s].code)
                all.side[s].code = b->kernels[i].side[s].code;
        }
        if (b->kernels[i].side[BASELINE_OLD].limit != b->kernels[i].side[BASELINE_NEW].limit) {
            all.side[BASELINE_OLD].limit = b->kernels[i].side[BASELINE_OLD].limit;
            all.side[BASELINE_NEW].limit = b->kernels[i].side[BASELINE_NEW].limit;
        }
    }
    return all;
}

static bool moved(double was, double is) { return fabs(is - was) > MOVED * fmax(fabs(was), fabs(is)); }

static u64 cycles(const struct baseline_kernel *k, u32 side, u32 reason)
{
    return k->side[side].sum.n[stall_event((enum stall_reason)reason)];
}

static u64 distance(const struct baseline_kernel *k, u32 reason)
{
    const u64 was = cycles(k, BASELINE_OLD, reason), is = cycles(k, BASELINE_NEW, reason);
    return was > is ? was - is : is - was;
}

static const char *stall_metric(u32 reason)
{
    return metric_info((enum metric_id)((u32)METRIC_warps_SELECTED + reason))->name;
}

static const char *stall_label(u32 reason)
{
    static const char *const labels[STALL_COUNT] = {
#define STALL(id, name, text) "Stall " name,
#include "model/replay/stalls.def"
#undef STALL
    };
    return labels[reason];
}

/* Reasons whose change is a twentieth of all cycles at least, the largest first. */
static u32 add_stalls(const struct baseline_kernel *k, struct baseline_change *out)
{
    const u64 all[] = {stall_cycles(k->side[0].sum.n), stall_cycles(k->side[1].sum.n)};
    bool named[STALL_COUNT] = {0};
    u32 n = 0;
    while (n < STALLS && all[0] && all[1]) {
        u32 most = STALL_COUNT;
        for (u32 r = 0; r < STALL_COUNT; r++)
            if (!named[r] && (most == STALL_COUNT || distance(k, r) > distance(k, most)))
                most = r;
        if ((double)distance(k, most) <= MOVED * (double)(all[0] > all[1] ? all[0] : all[1]))
            break;
        named[most] = true;
        out[n++] =
            (struct baseline_change){stall_metric(most), stall_label(most), "warp cycle",
                                     (double)cycles(k, BASELINE_OLD, most), (double)cycles(k, BASELINE_NEW, most)};
    }
    return n;
}

/* What is compared beside stalls, in the order in which it is told. */
static const struct {
    enum metric_id metric;
    const char *label;
} counters[] = {
    {METRIC_warp_latency, "Warp Cycles Per Issued Instruction"},
    {METRIC_inst, "Executed Instructions"},
    {METRIC_threads_per_inst, "Avg. Active Threads Per Warp"},
    {METRIC_gld_sectors, "Global Load Sectors"},
    {METRIC_gld_sectors_per_request, "Global Load Sectors/Request"},
    {METRIC_gst_sectors, "Global Store Sectors"},
    {METRIC_gst_sectors_per_request, "Global Store Sectors/Request"},
    {METRIC_gatom_requests, "Global Atomic Requests"},
    {METRIC_gred_requests, "Global Reduction Requests"},
    {METRIC_lld_sectors, "Local Load Sectors"},
    {METRIC_lst_sectors, "Local Store Sectors"},
    {METRIC_shared_wavefronts, "Shared Wavefronts"},
    {METRIC_shared_conflicts, "Shared Bank Conflicts"},
    {METRIC_barriers, "Barriers"},
    {METRIC_l1_hit_rate, "L1/TEX Hit Rate"},
    {METRIC_l2_hit_rate, "L2 Hit Rate"},
    {METRIC_dram_bytes, "DRAM Bytes"},
};
_Static_assert(LS_ARRAY_LEN(counters) + STALLS + 3 <= BASELINE_CHANGES, "room for all changes");

static u32 add_change(struct baseline_change *to, enum metric_id metric, const char *label, double was, double is)
{
    if (isnan(was) || isnan(is) || !moved(was, is))
        return 0;
    *to = (struct baseline_change){metric_info(metric)->name, label, metric_info(metric)->unit, was, is};
    return 1;
}

u32 baseline_changes(const struct baseline_kernel *k, struct baseline_change out[BASELINE_CHANGES])
{
    const struct baseline_side *old = &k->side[BASELINE_OLD], *newer = &k->side[BASELINE_NEW];
    u32 n = add_stalls(k, out);
    for (u32 i = 0; i < LS_ARRAY_LEN(counters); i++)
        n += add_change(&out[n], counters[i].metric, counters[i].label, meter_line_value(&old->sum, counters[i].metric),
                        meter_line_value(&newer->sum, counters[i].metric));
    n += add_change(&out[n], METRIC_registers, "Registers Per Thread", old->registers, newer->registers);
    n += add_change(&out[n], METRIC_max_warps_pct, "Theoretical Occupancy", old->occupancy, newer->occupancy);
    n += add_change(&out[n], METRIC_warps_active, "Achieved Occupancy", old->achieved, newer->achieved);
    return n;
}
