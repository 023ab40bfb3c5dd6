/* html_parts.h - what the files of the HTML report share.
 *
 * Vocabulary: a *kernel* is the launches of one function with one shape (grid, block, dynamic shared memory, GPU), a row of the table
 * and a page; the launch *shown* on its page is the one that takes longest. */
#ifndef LS_REPORT_HTML_PARTS_H
#define LS_REPORT_HTML_PARTS_H

#include <jansson.h>

#include "base/vec.h"
#include "report/html/html.h"
#include "report/limit.h"
#include "report/source_file.h"

struct html_kernel {
    const struct ncu_launch *shown;
    const struct ncu_launch *const *launches; /* n of them */
    u32 n;
    double ns; /* modelled, of all launches together; NaN: none was modelled */
    u32 timed; /* launches that were */
    const char *name, *function;
};

struct html_page {
    const struct html_report *r;
    struct arena *mem; /* its recovery point is set */
    struct html_kernel *kernels;
    u32 n;
    const struct html_launch {
        const struct meter_report *r;
        u32 kernel;
    } *by_report; /* r->n of them, by address */
    struct source_file *sources;
    VEC(const struct source_file *) files; /* by their number in the data */
};

/* ---- html_group.c ---- */

/* The launches as kernels, the one that takes longest first. */
void html_group(struct html_page *p);
/* The number of the kernel that a launch belongs to; -1: of none. */
int html_kernel_of(const struct html_page *p, const struct meter_report *r);

/* ---- html_json.c ---- */

/* Any text; bytes that are no UTF-8 become U+FFFD. NULL is null. */
json_t *html_string(struct arena *mem, const char *text);
json_t *html_number(double v); /* null for what is no number; whole numbers without a point */
/* As JSON that may stand in a script element: no <, > or & in it. */
bool html_dump(FILE *out, const json_t *j);
/* Text as HTML's, for content and for attributes in double quotes. */
void html_put(FILE *out, struct arena *mem, const char *text);

/* ---- parts of a kernel's page ---- */

json_t *html_limits(const struct html_page *p, const struct ncu_launch *l); /* html_advice.c */
json_t *html_advice(const struct html_page *p, const struct ncu_launch *l); /* the same */
json_t *html_columns(void);                                                 /* html_lines.c: of the tables of lines */
json_t *html_lines(struct html_page *p, const struct ncu_launch *l);        /* the same */
/* The same: a file's number; one that no launch named before is read. */
u32 html_file_number(struct html_page *p, const struct ncu_launch *l, const char *file);
json_t *html_machine(struct html_page *p, const struct html_kernel *k); /* html_machine.c; null: there is none */
json_t *html_files(const struct html_page *p); /* the same: of all kernels, when all are made */
json_t *html_pictures(const struct html_page *p, const struct ncu_launch *l); /* html_pictures.c */
json_t *html_curves(const struct ncu_launch *l);                              /* html_occupancy.c */
json_t *html_timelines(const struct html_page *p);                            /* html_timeline.c */

/* ---- html_kernel.c ---- */

/* All data of the page. */
json_t *html_data(struct html_page *p);

/* ---- html_table.c ---- */

void html_table(FILE *out, const struct html_page *p);
void html_summary(FILE *out, const struct html_page *p);

/* ---- made by cmake/EmbedPage.cmake ---- */

extern const char html_template[], html_style[], html_script[];

#endif
