/* html_advice.c - the limits of a launch and the advice that the text reports give, each with its place in the source and with the
 * sums behind it. */
#include <math.h>
#include <string.h>

#include "report/html/html_parts.h"
#include "report/warp_state.h"

#define E(x) ((double)r->n[EVENT_##x])

static const char *number(struct arena *mem, double v)
{
    char text[48];
    limit_number(v, text);
    return arena_strndup(mem, text, strlen(text));
}

/* ---- limits ---- */

/* What is divided by what. */
static const char *sum_of(struct arena *mem, const struct ncu_launch *l, enum bound_id id)
{
    static const char *const what[BOUND_COUNT] = {"bytes",
                                                  "sectors",
                                                  "wavefronts",
                                                  "requests",
                                                  "warp instructions",
                                                  "f32 instructions of threads",
                                                  "f64 instructions of threads",
                                                  "integer instructions of threads",
                                                  ""};
    struct model_work w = work_of_report(l->r);
    w.dram_bytes = limit_dram_bytes(l->r);
    const struct bound_sum s = bound_sum_of(l->gpu, &w, id);
    const char *ghz = number(mem, limit_clock(l->r, l->gpu) / 1e9);
    if (id == BOUND_DRAM)
        return arena_printf(mem, "%s bytes / %s GB/s", number(mem, s.work), number(mem, s.rate / 1e9));
    if (id == BOUND_LATENCY)
        return arena_printf(mem, "%s waves of blocks x (%s instructions of a warp + %s cycles of memory) / %s GHz",
                            number(mem, s.waves), number(mem, s.inst), number(mem, s.memory), ghz);
    return arena_printf(mem, "busiest SM: %s %s / %s a cycle / %s GHz", number(mem, round(s.work)), what[id],
                        number(mem, s.rate), ghz);
}

/* As `lockstep profile` marks kinds, a letter each. */
static const char *kind_of(const struct meter_report *r, enum bound_id id)
{
    switch (id) {
    case BOUND_DRAM:
        return isnan(meter_value_of(r, "dram__bytes.sum")) ? "e" : "m";
    case BOUND_L1:
    case BOUND_SHARED:
    case BOUND_LSU:
        return "c";
    default:
        return r->metrics[METRIC_inst].kind == METRIC_COUNTED ? "c" : "e";
    }
}

json_t *html_limits(const struct html_page *p, const struct ncu_launch *l)
{
    struct limits limits;
    json_t *rows = json_array();
    if (!limits_of(l->r, l->gpu, &limits))
        return json_null();
    for (u32 i = 0; i < BOUND_COUNT; i++)
        if (limits.bounds.seconds[i] > 0)
            json_array_append_new(rows,
                                  json_pack("[s, o, s, s]", limit_name((enum bound_id)i),
                                            html_number(limits.bounds.seconds[i] * 1e9),
                                            kind_of(l->r, (enum bound_id)i), sum_of(p->mem, l, (enum bound_id)i)));
    return json_pack("{s:s, s:o}", "nearest", limit_name(limits.nearest), "rows", rows);
}

/* ---- advice ---- */

struct advice {
    const char *rule, *title, *text;
    struct meter_line line; /* line and ptx_line 0: it is about no line */
    json_t *sums;
};

static void add_sum(struct arena *mem, struct advice *a, const char *text)
{
    json_array_append_new(a->sums, html_string(mem, text));
}

static void add(json_t *all, struct arena *mem, const struct advice *a)
{
    json_array_append_new(all, json_pack("{s:s, s:s, s:o, s:o, s:i, s:i, s:o}", "rule", a->rule, "title", a->title,
                                         "text", html_string(mem, a->text), "file", html_string(mem, a->line.file),
                                         "line", (int)a->line.line, "ptx", (int)a->line.ptx_line, "sums", a->sums));
}

static void sum_sectors(struct arena *mem, const struct meter_report *r, struct advice *a)
{
    const struct limit_sectors s = limit_all_sectors(r);
    if (s.sectors > s.ideal)
        add_sum(mem, a,
                arena_printf(mem, "%s sectors - %s that hold the bytes = %s excessive x 32 bytes = %s bytes",
                             number(mem, (double)s.sectors), number(mem, (double)s.ideal),
                             number(mem, (double)(s.sectors - s.ideal)),
                             number(mem, 32.0 * (double)(s.sectors - s.ideal))));
}

static void sum_conflicts(struct arena *mem, const struct meter_report *r, struct advice *a)
{
    const double all = E(sld_wavefronts) + E(sst_wavefronts) + E(satom_wavefronts);
    const double extra = E(sld_conflicts) + E(sst_conflicts) + E(satom_conflicts);
    if (extra > 0)
        add_sum(mem, a,
                arena_printf(mem, "%s wavefronts - %s of bank conflicts = %s needed: %s times as many",
                             number(mem, all), number(mem, extra), number(mem, all - extra),
                             number(mem, all > extra ? all / (all - extra) : all)));
}

static void sum_limit(struct arena *mem, const struct ncu_launch *l, const struct limits *x, struct advice *a)
{
    const double us = x->bounds.seconds[x->nearest] * 1e6;
    add_sum(mem, a, arena_printf(mem, "%s = %s us", sum_of(mem, l, x->nearest), number(mem, us)));
    if (x->duration > 0)
        add_sum(mem, a,
                arena_printf(mem, "%s us / %s us modelled = %.0f %%", number(mem, us), number(mem, x->duration * 1e6),
                             us / x->duration / 1e4));
    if (x->nearest == BOUND_DRAM || x->nearest == BOUND_L1)
        sum_sectors(mem, l->r, a);
    if (x->nearest == BOUND_SHARED)
        sum_conflicts(mem, l->r, a);
}

static void add_limit(json_t *all, struct arena *mem, const struct ncu_launch *l, const struct limits *x)
{
    char *text = arena_alloc(mem, 4096);
    struct advice a = {.rule = "NearestLimit",
                       .title = arena_printf(mem, "Nearest limit: %s", limit_name(x->nearest)),
                       .text = text,
                       .sums = json_array()};
    limit_text(l->r, l->gpu, x, text, 4096);
    limit_line(l->r, x->nearest, mem, &a.line);
    sum_limit(mem, l, x, &a);
    add(all, mem, &a);
}

static void add_notes(json_t *all, struct arena *mem, const struct ncu_launch *l, const struct limits *x)
{
    static const char *const titles[LIMIT_NOTES] = {"Excessive sectors", "Bank conflicts", "Idle threads"};
    const struct meter_report *r = l->r;
    for (u32 i = 0; i < LIMIT_NOTES; i++) {
        char *text = arena_alloc(mem, 4096);
        struct advice a = {.title = titles[i], .text = text};
        if (!limit_note(r, i, x->nearest, &a.rule, text, 4096))
            continue;
        a.sums = json_array();
        if (i == 0 && limit_line(r, BOUND_L1, mem, &a.line))
            sum_sectors(mem, r, &a);
        if (i == 1 && limit_line(r, BOUND_SHARED, mem, &a.line))
            sum_conflicts(mem, r, &a);
        if (i == 2)
            add_sum(mem, &a,
                    arena_printf(mem, "%s instructions of threads / %s of warps = %s of 32",
                                 number(mem, E(thread_inst)), number(mem, E(inst)),
                                 number(mem, E(inst) > 0 ? E(thread_inst) / E(inst) : 0)));
        add(all, mem, &a);
    }
}

static void add_stalls(json_t *all, struct arena *mem, const struct ncu_launch *l)
{
    const struct meter_report *r = l->r;
    char *text = arena_alloc(mem, 4096);
    double share, of_line;
    const enum stall_reason reason = warp_state_largest(r->n, &share);
    if (reason == STALL_COUNT || !warp_state_text(r, text, 4096))
        return;
    struct advice a = {.rule = "WarpState",
                       .title = arena_printf(mem, "Warps wait: %s", stall_name(reason)),
                       .text = text,
                       .sums = json_array()};
    warp_state_line(r, reason, mem, &a.line, &of_line);
    add_sum(mem, &a,
            arena_printf(mem, "%s of %s cycles of all warps = %.0f %%; %s instructions were issued",
                         number(mem, (double)r->n[stall_event(reason)]), number(mem, (double)stall_cycles(r->n)),
                         100 * share, number(mem, E(stall_SELECTED))));
    add(all, mem, &a);
}

json_t *html_advice(const struct html_page *p, const struct ncu_launch *l)
{
    struct limits x;
    json_t *all = json_array();
    if (limits_of(l->r, l->gpu, &x)) {
        add_limit(all, p->mem, l, &x);
        add_notes(all, p->mem, l, &x);
    }
    add_stalls(all, p->mem, l);
    return all;
}
