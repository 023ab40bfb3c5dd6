/* plot.h - the ladder and the roofline as pictures: for the terminal, and as SVG by gnuplot. */
#ifndef LS_REPORT_PLOT_H
#define LS_REPORT_PLOT_H

#include <stdio.h>

#include "base/gpu.h"
#include "report/report.h"

/* A rung on the roofline. Intensity is arithmetic a byte between L1 and the SM's registers (32 bytes a global sector), so
 * that what a rung keeps on chip moves it to the right. */
struct plot_point {
    const char *name;
    double intensity; /* flop a byte; 0: the family has no arithmetic to speak of */
    double flops;     /* a second: as report/times.h has its time */
};

struct plot_point plot_point(const struct lab_result *r);

void plot_text(FILE *out, const struct report *r, const struct gpu *gpu);
/* Writes FILE by gnuplot; on failure a diagnostic says what is missing. */
enum ls_status plot_svg(const char *path, const struct report *r, u32 n, const struct gpu *gpu,
                        struct diag_list *diags);

#endif
