/* html_kernel.c - all data of the page as one JSON object; page.js reads it. What is the same for all kernels (names of metrics, of
 * events, of columns; GPUs; sources) is in it once. */
#include <math.h>
#include <string.h>

#include "report/baseline_object.h"
#include "report/html/html_parts.h"

enum { RUNS_MOST = 400 }; /* launches of a kernel that are listed */

/* ---- what all kernels share ---- */

/* [[title, [[label, ncu's name, unit, meaning], ...]], ...] in the order of a kernel's "values". */
static json_t *sections(void)
{
    json_t *all = json_array();
    for (u32 s = 0; ncu_section_at(s); s++) {
        const char *label, *name;
        json_t *rows = json_array();
        for (u32 i = 0; ncu_section_row(s, i, NCU_HEADER | NCU_BODY, &label, &name); i++) {
            const struct ncu_metric m = ncu_metric_find(name);
            json_array_append_new(rows, json_pack("[s, s, s, s]", label, name, m.id >= 0 ? ncu_metric_unit(&m) : "",
                                                  m.id >= 0 ? metric_info((enum metric_id)m.id)->text : ""));
        }
        json_array_append_new(all, json_pack("[s, o]", ncu_section_at(s)->title, rows));
    }
    return all;
}

static json_t *event_names(void)
{
    json_t *all = json_array();
    for (u32 e = 0; e < EVENT_COUNT; e++)
        json_array_append_new(all, json_string(event_name((enum event_id)e)));
    return all;
}

/* [[name, meaning], ...] */
static json_t *stall_names(void)
{
    json_t *all = json_array();
    for (u32 r = 0; r < STALL_COUNT; r++)
        json_array_append_new(all,
                              json_pack("[s, s]", stall_name((enum stall_reason)r), stall_text((enum stall_reason)r)));
    return all;
}

/* Rates of the whole GPU a second, at the clock that time was modelled for. */
static json_t *roofs_json(const struct ncu_launch *l)
{
    const struct gpu *g = l->gpu;
    if (!g || !g->sms)
        return json_null();
    const double hz = limit_clock(l->r, g);
    const struct roofs roofs = roofs_at(g, hz);
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", g->name, "sms", (int)g->sms, "hz",
                     html_number(hz), "fp32", html_number(roofs.flops), "fp64", html_number(roofs.fp64), "issue",
                     html_number(roofs.issue), "l1", html_number(roofs.l1), "l2", html_number(roofs.l2), "dram",
                     html_number(roofs.dram));
}

/* ---- a kernel ---- */

static void add_values(json_t *k, const struct ncu_launch *l)
{
    static const char letters[] = "cmet";
    char kinds[1000];
    u32 n = 0;
    json_t *values = json_array();
    for (u32 s = 0; ncu_section_at(s); s++) {
        const char *label, *name;
        for (u32 i = 0; ncu_section_row(s, i, NCU_HEADER | NCU_BODY, &label, &name) && n + 1 < sizeof kinds; i++) {
            const struct ncu_metric m = ncu_metric_find(name);
            enum metric_kind kind = METRIC_COUNTED;
            json_array_append_new(values, m.id < 0 ? json_null() : html_number(ncu_metric_value(&m, l, &kind)));
            kinds[n++] = letters[kind & 3];
        }
    }
    kinds[n] = 0;
    json_object_set_new(k, "values", values);
    json_object_set_new(k, "kinds", json_string(kinds));
}

/* [event, count, ...] */
static json_t *events_of(const struct meter_report *r)
{
    json_t *all = json_array();
    for (u32 e = 0; e < EVENT_COUNT; e++)
        if (r->n[e]) {
            json_array_append_new(all, json_integer(e));
            json_array_append_new(all, json_integer((json_int_t)r->n[e]));
        }
    return all;
}

static json_t *three(const u32 n[3]) { return json_pack("[i, i, i]", (int)n[0], (int)n[1], (int)n[2]); }

static const char *kind_letter(const struct meter_report *r, enum metric_id id)
{
    static const char *const letters[] = {"c", "m", "e", "t"};
    return letters[r->metrics[id].kind & 3];
}

/* [number of the launch, modelled ns], ... */
static json_t *runs_of(const struct html_kernel *k)
{
    json_t *all = json_array();
    for (u32 i = 0; i < k->n && i < RUNS_MOST; i++)
        json_array_append_new(all, json_pack("[I, o]", (json_int_t)k->launches[i]->id,
                                             html_number(meter_value(k->launches[i]->r, METRIC_gpu_time))));
    return all;
}

static json_t *launch_of(const struct ncu_launch *l)
{
    const struct meter_report *r = l->r;
    return json_pack(
        "{s:I, s:i, s:I, s:s, s:o, s:o, s:o, s:i, s:i, s:i, s:s, s:o, s:s, s:o, s:o}", "id", (json_int_t)l->id,
        "process", (int)r->process, "stream", (json_int_t)r->stream, "status", r->status ? r->status : "ok", "grid",
        three(r->grid), "block", three(r->block), "cluster", r->cluster[0] ? three(r->cluster) : json_null(), "static",
        (int)r->static_shared, "dynamic", (int)r->dynamic_shared, "registers", (int)r->registers, "registers_kind",
        kind_letter(r, METRIC_registers), "occupancy", html_number(meter_value(r, METRIC_max_warps_pct)),
        "occupancy_kind", kind_letter(r, METRIC_max_warps_pct), "low", html_number(meter_value(r, METRIC_time_low)),
        "high", html_number(meter_value(r, METRIC_time_high)));
}

static json_t *kernel_of(struct html_page *p, const struct html_kernel *k)
{
    const struct ncu_launch *l = k->shown;
    json_t *j = json_pack("{s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                          html_string(p->mem, k->name), "function", html_string(p->mem, k->function), "launches",
                          (int)k->n, "timed", (int)k->timed, "total", html_number(k->ns), "ns",
                          html_number(meter_value(l->r, METRIC_gpu_time)), "launch", launch_of(l), "roofs",
                          roofs_json(l), "runs", runs_of(k), "limits", html_limits(p, l), "advice", html_advice(p, l),
                          "events", events_of(l->r), "lines", html_lines(p, l), "machine", html_machine(p, k),
                          "pictures", html_pictures(p, l), "curves", html_curves(l));
    if (j)
        add_values(j, l);
    return j;
}

json_t *html_data(struct html_page *p)
{
    json_t *kernels = json_array();
    for (u32 i = 0; i < p->n; i++)
        json_array_append_new(kernels, kernel_of(p, &p->kernels[i]));
    const struct html_report *r = p->r;
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format", 1, "command",
                     html_string(p->mem, r->command), "sections", sections(), "event_names", event_names(), "stalls",
                     stall_names(), "columns", html_columns(), "kernels", kernels, "files", html_files(p), "timelines",
                     html_timelines(p), "no_timeline", html_string(p->mem, r->no_timeline), "no_pictures",
                     html_string(p->mem, r->no_pictures), "no_machine", html_string(p->mem, r->no_machine), "baseline",
                     r->baseline ? baseline_object(r->baseline, KERNEL_DEMANGLED) : json_null());
}
