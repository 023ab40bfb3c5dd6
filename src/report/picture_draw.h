/* picture_draw.h - which lane touches which bank or sector, drawn from the addresses of a launch. */
#ifndef LS_REPORT_PICTURE_DRAW_H
#define LS_REPORT_PICTURE_DRAW_H

#include <stdio.h>

#include "report/report.h"

/* An access as a grid of 32 columns. Shared memory: a column a bank, in each the distinct words in order, so that as many
 * rows as the fullest bank has are passes (of 4-byte accesses). Other memory: a row a 128-byte line, a column a word, 8
 * words a sector. */
enum { PICTURE_ROWS = 32 };
struct picture_grid {
    u32 rows, more;                 /* more: lines or words that did not fit */
    i8 lane[PICTURE_ROWS][32];      /* the lowest lane there; -1: none */
    bool several[PICTURE_ROWS][32]; /* other lanes touch the same word */
    u32 sectors;                    /* distinct ones; not for shared memory */
    u32 deepest;                    /* of shared memory: words of the fullest bank */
};

void picture_lay_out(const struct meter_picture *p, struct picture_grid *out);

/* All pictures of a result; */
void picture_text(FILE *out, const struct lab_result *r);
void picture_svg(FILE *out, const struct lab_result *r);

#endif
