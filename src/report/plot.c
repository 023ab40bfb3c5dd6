/* plot.c - the ladder as bars and the roofline as characters.
 *
 * Both axes of the roofline are logarithmic; a letter is a rung, named under the picture. */
#include <math.h>
#include <string.h>

#include "lab/recorded.h"
#include "model/bounds.h"
#include "report/plot.h"
#include "report/times.h"

enum { BAR = 56, WIDE = 64, HIGH = 16 };

static double sectors(const struct lab_result *r)
{
    const u64 *n = r->report->n;
    return (double)(n[EVENT_gld_sectors] + n[EVENT_gst_sectors] + n[EVENT_gatom_sectors] + n[EVENT_gred_sectors]);
}

struct plot_point plot_point(const struct lab_result *r)
{
    struct plot_point p = {.name = r->rung->name};
    const double seconds = rung_microseconds(r) * 1e-6;
    if (!r->report || r->plan.flops <= 0 || seconds <= 0 || sectors(r) <= 0)
        return p;
    p.intensity = r->plan.flops / (32 * sectors(r));
    p.flops = r->plan.flops / seconds;
    return p;
}

/* ---- bars ---- */

/* Where a time stands in a bar of which `most` is the end. */
static i32 bar_place(double us, double most)
{
    const i32 at = (i32)ceil(us / most * BAR) - 1;
    return at < 0 ? 0 : at;
}

static void put_bar(FILE *out, const struct lab_result *r, double most)
{
    char bar[BAR + 1] = "";
    const struct rung_times t = rung_times(r);
    const double us = rung_microseconds(r);
    memset(bar, ' ', BAR);
    memset(bar, '#', (size_t)bar_place(us, most) + 1);
    if (t.bound > 0 && t.bound != us)
        bar[bar_place(t.bound, most)] = '|';
    if (t.recorded > 0)
        bar[bar_place(t.recorded, most)] = 'o';
    fputs(bar, out);
}

/* Of what is drawn in its bar. */
static double furthest(const struct lab_result *r)
{
    const struct rung_times t = rung_times(r);
    const double us = rung_microseconds(r);
    return us > 0 ? fmax(us, fmax(t.bound, t.recorded)) : 0;
}

static void bars(FILE *out, const struct report *r)
{
    double most = 0;
    for (u32 i = 0; i < r->n; i++)
        most = fmax(most, furthest(&r->results[i]));
    for (u32 i = 0; i < r->n; i++) {
        const struct lab_result *x = &r->results[i];
        const double us = rung_microseconds(x);
        if (us <= 0)
            continue;
        fprintf(out, "  %-*s ", report_name_width(r), x->rung->name);
        put_bar(out, x, most);
        fprintf(out, " %.2f us%s%s%s\n", us, r->gpu ? "" : "'", x->limit ? " " : "", x->limit ? x->limit : "");
    }
}

/* ---- the roofline ---- */

struct canvas {
    char cell[HIGH][WIDE + 1];
    double x0, x1, y0, y1; /* logarithms of the edges */
};

static i32 column_of(const struct canvas *c, double x)
{
    return (i32)floor((log2(x) - c->x0) / (c->x1 - c->x0) * (WIDE - 1) + 0.5);
}

static i32 row_of(const struct canvas *c, double y)
{
    return HIGH - 1 - (i32)floor((log2(y) - c->y0) / (c->y1 - c->y0) * (HIGH - 1) + 0.5);
}

static void put(struct canvas *c, double x, double y, char mark)
{
    const i32 col = column_of(c, x), row = row_of(c, y);
    if (col >= 0 && col < WIDE && row >= 0 && row < HIGH)
        c->cell[row][col] = mark;
}

static void put_roofs(struct canvas *c, const struct roofs *roofs)
{
    for (i32 col = 0; col < WIDE; col++) {
        const double x = exp2(c->x0 + (c->x1 - c->x0) * col / (WIDE - 1));
        put(c, x, fmin(roofs->flops, roofs->dram * x), '.');
        put(c, x, fmin(roofs->flops, roofs->l1 * x), '-');
    }
}

static void roofline(FILE *out, const struct report *r, const struct gpu *gpu)
{
    const struct roofs top = roofs_of(gpu);
    struct canvas c = {.x0 = 0, .x1 = 0, .y0 = log2(top.flops), .y1 = log2(top.flops) + 0.5};
    u32 n = 0;
    for (u32 i = 0; i < r->n; i++) {
        const struct plot_point p = plot_point(&r->results[i]);
        if (p.intensity <= 0)
            continue;
        c.x0 = fmin(c.x0, floor(log2(p.intensity)) - 1);
        c.x1 = fmax(c.x1, ceil(log2(p.intensity)) + 2);
        c.y0 = fmin(c.y0, floor(log2(p.flops)) - 1);
        n++;
    }
    if (!n)
        return;
    for (i32 row = 0; row < HIGH; row++)
        memset(c.cell[row], ' ', WIDE);
    put_roofs(&c, &top);
    for (u32 i = 0, k = 0; i < r->n; i++) {
        const struct plot_point p = plot_point(&r->results[i]);
        if (p.intensity > 0)
            put(&c, p.intensity, p.flops, (char)('A' + k++ % 26));
    }
    fprintf(out, "\n  %.3g flop/s\n", exp2(c.y1));
    for (i32 row = 0; row < HIGH; row++)
        fprintf(out, "  |%s\n", c.cell[row]);
    fprintf(out, "  +%.*s\n   %.3g to %.3g flop a byte of global sectors; - L1's roof, . DRAM's\n", WIDE,
            "----------------------------------------------------------------", exp2(c.x0), exp2(c.x1));
    for (u32 i = 0, k = 0; i < r->n; i++) {
        const struct plot_point p = plot_point(&r->results[i]);
        if (p.intensity > 0)
            fprintf(out, "   %c %s: %.3g flop/byte, %.3g flop/s%s\n", (char)('A' + k++ % 26), p.name, p.intensity,
                    p.flops, r->gpu ? "" : "'");
    }
}

/* What the bars are, and what is marked in them. */
static void put_meaning(FILE *out, const struct report *r)
{
    const char *name = r->family->name;
    bool modelled = false, recorded = false;
    for (u32 i = 0; i < r->n; i++) {
        modelled |= rung_times(&r->results[i]).modelled > 0;
        recorded |= r->results[i].recorded != NULL;
    }
    if (r->gpu)
        fprintf(out, "%s: measured time\n", name);
    else if (!modelled)
        fprintf(out, "%s: at least this time with these counters (modelled), and what limits it\n", name);
    else
        fprintf(out, "%s: modelled time; | at least this, by what stands behind%s%s%s\n", name,
                recorded ? "; o an " : "", recorded ? recorded_on.name : "", recorded ? " took (recorded)" : "");
}

void plot_text(FILE *out, const struct report *r, const struct gpu *gpu)
{
    put_meaning(out, r);
    bars(out, r);
    if (!r->gpu)
        roofline(out, r, gpu);
    fputc('\n', out);
}
