/* plot_svg.c - the same pictures as SVG: the data and a script go to gnuplot through a pipe. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "lab/recorded.h"
#include "model/bounds.h"
#include "report/plot.h"
#include "report/times.h"

static bool any_time(const struct report *r, double (*of)(const struct rung_times *t))
{
    for (u32 i = 0; i < r->n; i++) {
        const struct rung_times t = rung_times(&r->results[i]);
        if (of(&t) > 0)
            return true;
    }
    return false;
}

static double modelled_of(const struct rung_times *t) { return t->modelled; }
static double recorded_of(const struct rung_times *t) { return t->recorded; }
static double bound_of(const struct rung_times *t) { return t->bound; }

static void put_number(FILE *g, double us)
{
    if (us > 0)
        fprintf(g, " %.9g", us);
    else
        fputs(" NaN", g);
}

/* A row a rung: its number, time, bound and what was recorded, and its name. How many there are. */
static u32 put_rows(FILE *g, const struct report *r)
{
    u32 n = 0;
    fprintf(g, "$ladder << EOD\n");
    for (u32 i = 0; i < r->n; i++) {
        const struct rung_times t = rung_times(&r->results[i]);
        if (rung_microseconds(&r->results[i]) <= 0)
            continue;
        fprintf(g, "%u", n++);
        put_number(g, rung_microseconds(&r->results[i]));
        put_number(g, t.bound);
        put_number(g, t.recorded);
        fprintf(g, " \"%s\"\n", r->results[i].rung->name);
    }
    fprintf(g, "EOD\n");
    return n;
}

static void put_ladder(FILE *g, const struct report *r)
{
    const u32 n = put_rows(g, r);
    const bool modelled = any_time(r, modelled_of);
    fprintf(g, "set title '%s: %s, microseconds'\n", r->family->name,
            r->gpu     ? "measured"
            : modelled ? "modelled"
                       : "lower bound from the counters (modelled)");
    fprintf(g,
            "unset logscale; set xrange [0:*]; set yrange [%u.5:-0.5]; set xlabel 'us'; unset ylabel\n"
            "set ytics noenhanced; set key bottom right\n"
            "plot $ladder using ($2/2):1:($2/2):(0.35):ytic(5) with boxxyerror fillstyle solid 0.6 notitle",
            n ? n - 1 : 0);
    if (modelled && any_time(r, bound_of))
        fprintf(g, ", \\\n     $ladder using 3:1 with points pointtype 2 linecolor 'black' title 'at least'");
    if (any_time(r, recorded_of))
        fprintf(g, ", \\\n     $ladder using 4:1 with points pointtype 7 linecolor 'red' title 'an %s took (recorded)'",
                recorded_on.name);
    fputc('\n', g);
}

/* False: no rung of the family has arithmetic. */
static bool put_points(FILE *g, const struct report *r)
{
    bool any = false;
    fprintf(g, "$points << EOD\n");
    for (u32 i = 0; i < r->n; i++) {
        const struct plot_point p = plot_point(&r->results[i]);
        if (p.intensity > 0)
            fprintf(g, "%.9g %.9g \"%s\"\n", p.intensity, p.flops, p.name), any = true;
    }
    fprintf(g, "EOD\n");
    return any;
}

static void put_roofline(FILE *g, const struct report *r, const struct gpu *gpu)
{
    const struct roofs roofs = roofs_of(gpu);
    if (!put_points(g, r))
        return;
    fprintf(g,
            "set title '%s: roofline of %s'; set logscale xy; set xrange [*:*]; set yrange [*:*]; set ytics auto\n"
            "set xlabel 'flop a byte of global sectors'; set ylabel 'flop/s'; set key left top noenhanced\n"
            "peak = %.9g; l1 = %.9g; dram = %.9g; low(a, b) = a < b ? a : b\n"
            "plot [0.05:512] low(peak, l1 * x) title 'L1', low(peak, dram * x) title 'DRAM', \\\n"
            "     $points using 1:2 with points pointtype 7 notitle, \\\n"
            "     $points using 1:2:3 with labels noenhanced left offset 0.6,0.3 font ',8' notitle\n",
            r->family->name, gpu->name, roofs.flops, roofs.l1, roofs.dram);
}

static bool arithmetic(const struct report *r)
{
    for (u32 i = 0; i < r->n; i++)
        if (plot_point(&r->results[i]).intensity > 0)
            return true;
    return false;
}

static void put_script(FILE *g, const struct report *r, u32 n, const struct gpu *gpu)
{
    u32 pictures = 0;
    for (u32 i = 0; i < n; i++)
        pictures += 1 + arithmetic(&r[i]);
    fprintf(g, "set terminal svg size 900,%u background 'white'\nset output ARG1\nset multiplot layout %u,1\n",
            480 * pictures, pictures);
    for (u32 i = 0; i < n; i++) {
        put_ladder(g, &r[i]);
        put_roofline(g, &r[i], gpu);
    }
    fprintf(g, "unset multiplot\n");
}

enum ls_status plot_svg(const char *path, const struct report *r, u32 n, const struct gpu *gpu, struct diag_list *diags)
{
    const struct diag_place nowhere = {0};
    if (strchr(path, '\'')) {
        diag_add(diags, DIAG_ERROR, nowhere, "the name of a plot's file may not have a ' in it: %s", path);
        return LS_ERR_INVALID;
    }
    char command[1200];
    if (snprintf(command, sizeof command, "gnuplot -e \"ARG1='%s'\" - 2>&1", path) >= (int)sizeof command)
        return LS_ERR_INVALID;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* without gnuplot the script has no reader */
    FILE *g = popen(command, "w");
    int status = -1;
    if (g) {
        put_script(g, r, n, gpu);
        status = pclose(g);
    }
    signal(SIGPIPE, before);
    if (status == 0)
        return LS_OK;
    struct diag *d = diag_add(diags, DIAG_ERROR, nowhere, "gnuplot could not write %s", path);
    if (d)
        diag_set_note(
            diags, d,
            WIFEXITED(status) && WEXITSTATUS(status) == 127
                ? "gnuplot is not installed: Debian's package is gnuplot-nox; --plot alone draws in the terminal"
                : "gnuplot's own message is above");
    return LS_ERR_IO;
}
