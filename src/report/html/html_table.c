/* html_table.c - the first screen: what ran, and the kernels as a table. It can be read without the script, which sorts it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/html/html_parts.h"

/* ---- numbers ---- */

static const char *scaled(struct arena *mem, double v, const char *const *units, double step, u32 n)
{
    u32 i = 0;
    for (; i + 1 < n && fabs(v) >= step * 0.9995; i++)
        v /= step;
    const int decimals = v == floor(v) && !i ? 0 : fabs(v) >= 99.95 ? 0 : fabs(v) >= 9.995 ? 1 : 2;
    return arena_printf(mem, "%.*f\xc2\xa0%s", decimals, v, units[i]);
}

static const char *time_text(struct arena *mem, double ns)
{
    static const char *const units[] = {"ns", "\xc2\xb5s", "ms", "s"};
    return isnan(ns) ? "\xe2\x80\x93" : scaled(mem, ns, units, 1000, LS_ARRAY_LEN(units));
}

static const char *bytes_text(struct arena *mem, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    return isnan(bytes) ? "\xe2\x80\x93" : scaled(mem, bytes, units, 1000, LS_ARRAY_LEN(units));
}

static const char *mark_of(const struct meter_report *r, enum metric_id id)
{
    return r->metrics[id].kind == METRIC_ESTIMATED ? "~" : r->metrics[id].kind == METRIC_MODELLED ? "*" : "";
}

/* ---- cells ---- */

static void put_cell(FILE *out, double sort, const char *text, const char *mark)
{
    fprintf(out, "<td data-v=\"%.9g\">%s%s%s%s", isnan(sort) ? -1 : sort, text, *mark ? "<i>" : "", mark,
            *mark ? "</i>" : "");
}

/* The kernel's function in front, what stands around it behind. */
static void put_name(FILE *out, const struct html_page *p, u32 i)
{
    const struct html_kernel *k = &p->kernels[i];
    const struct meter_report *r = k->shown->r;
    fprintf(out, "<td class=\"name\"><a href=\"#k%u\" title=\"", i);
    html_put(out, p->mem, k->name);
    fputs("\"><b>", out);
    html_put(out, p->mem, k->function);
    fprintf(out, "</b></a><small>%ux%ux%u x %ux%ux%u</small>", r->grid[0], r->grid[1], r->grid[2], r->block[0],
            r->block[1], r->block[2]);
}

/* How much of the modelled time the nearest limit explains; NaN without either. */
static double explained(const struct limits *l)
{
    return l->duration > 0 ? 100 * l->bounds.seconds[l->nearest] / l->duration : NAN;
}

static void put_limit(FILE *out, const struct html_page *p, const struct ncu_launch *l)
{
    struct limits x;
    if (!limits_of(l->r, l->gpu, &x)) {
        fputs("<td>\xe2\x80\x93<td data-v=\"-1\">\xe2\x80\x93", out);
        return;
    }
    const double part = explained(&x);
    fprintf(out, "<td class=\"text\">%s", limit_name(x.nearest));
    put_cell(out, part, isnan(part) ? "\xe2\x80\x93" : arena_printf(p->mem, "%.0f\xc2\xa0%%", part),
             isnan(part) ? "" : "*");
}

/* most: the largest of the kernels' shares. */
static void put_row(FILE *out, const struct html_page *p, u32 i, double all, double most)
{
    const struct html_kernel *k = &p->kernels[i];
    const struct meter_report *r = k->shown->r;
    const double share = all > 0 && !isnan(k->ns) ? 100 * k->ns / all : NAN;
    const double occupancy = meter_value(r, METRIC_max_warps_pct), dram = meter_value_of(r, "dram__bytes.sum");
    fprintf(out, "<tr data-k=\"%u\">", i);
    put_name(out, p, i);
    put_cell(out, k->n, arena_printf(p->mem, "%u", k->n), "");
    put_cell(out, k->ns, time_text(p->mem, k->ns), isnan(k->ns) ? "" : "*");
    if (isnan(share))
        fputs("<td data-v=\"-1\">\xe2\x80\x93", out);
    else
        fprintf(out,
                "<td data-v=\"%.9g\" class=\"share\"><span>%.1f\xc2\xa0%%<i>*</i></span><b style=\"width:%.1fpx\"></b>",
                share, share, 74 * share / most);
    put_limit(out, p, k->shown);
    put_cell(out, occupancy, isnan(occupancy) ? "\xe2\x80\x93" : arena_printf(p->mem, "%.0f\xc2\xa0%%", occupancy),
             isnan(occupancy) ? "" : mark_of(r, METRIC_max_warps_pct));
    put_cell(out, dram, bytes_text(p->mem, dram), isnan(dram) ? "" : "*");
    fputs("\n", out);
}

static double sum_of(const struct html_page *p)
{
    double all = 0;
    for (u32 i = 0; i < p->n; i++)
        all += isnan(p->kernels[i].ns) ? 0 : p->kernels[i].ns;
    return all;
}

void html_table(FILE *out, const struct html_page *p)
{
    static const struct {
        const char *name, *type, *title;
    } columns[] = {
        {"Kernel", "name", "The function, and its grid x block"},
        {"Launches", "", "With this grid and block"},
        {"Time", "", "Modelled time of all of its launches"},
        {"Share", "share", "Of the modelled time of all kernels"},
        {"Nearest limit", "text", "The resource that needs most time for what was counted"},
        {"explains", "", "What the nearest limit needs, of the modelled time"},
        {"Occupancy", "", "Theoretical: warps that an SM holds, of those that it could"},
        {"DRAM", "", "Bytes read and written, of one launch"},
    };
    const double all = sum_of(p);
    fputs("<thead><tr>", out);
    for (u32 i = 0; i < LS_ARRAY_LEN(columns); i++)
        fprintf(out, "<th class=\"%s\" title=\"%s\"%s><button type=\"button\">%s</button>", columns[i].type,
                columns[i].title, i == 2 ? " aria-sort=\"descending\"" : "", columns[i].name);
    fputs("</thead>\n<tbody>\n", out);
    for (u32 i = 0; i < p->n; i++)
        put_row(out, p, i, all, all > 0 ? 100 * p->kernels[0].ns / all : 1);
    fputs("</tbody>", out);
}

/* ---- what ran ---- */

static void put_fact(FILE *out, struct arena *mem, const char *name, const char *value, const char *note)
{
    fprintf(out, "<div><dt>%s</dt><dd>", name);
    html_put(out, mem, value);
    fprintf(out, "</dd><dd>%s</dd></div>\n", note);
}

static const char *gpu_name(const struct html_page *p)
{
    const struct ncu_launch *l = &p->r->launches[0];
    for (u32 i = 1; i < p->r->n; i++)
        if (strcmp(p->r->launches[i].r->device, l->r->device) != 0)
            return "several GPUs";
    return l->gpu ? l->gpu->name : l->r->device;
}

void html_summary(FILE *out, const struct html_page *p)
{
    const struct ncu_launch *l = &p->r->launches[0];
    const double all = sum_of(p);
    u32 timed = 0;
    for (u32 i = 0; i < p->n; i++)
        timed += p->kernels[i].timed;
    put_fact(out, p->mem, "Kernel time", all > 0 ? time_text(p->mem, all) : "not modelled",
             timed == p->r->n ? "modelled" : arena_printf(p->mem, "modelled, of %u launches", timed));
    put_fact(out, p->mem, "Kernels", arena_printf(p->mem, "%u", p->n), "by name, grid and block");
    put_fact(out, p->mem, "Launches", arena_printf(p->mem, "%u", p->r->n), "counted");
    put_fact(out, p->mem, "GPU", gpu_name(p),
             l->gpu ? arena_printf(p->mem, "modelled, at %.0f MHz", limit_clock(l->r, l->gpu) / 1e6) : "modelled");
}
