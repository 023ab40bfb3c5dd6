/* html.h - launches as one HTML file: a table of the kernels, and of each a page with its limits, memory, source and advice.
 *
 * The file has everything in it: the page, its style and script (the files in this folder, embedded by cmake/EmbedPage.cmake),
 * and the data as one JSON object. Nothing is fetched. The table of kernels is written here; a kernel's page is made by the
 * script when it is opened, so that a file of a thousand kernels opens as fast as one of ten. */
#ifndef LS_REPORT_HTML_H
#define LS_REPORT_HTML_H

#include <stdio.h>

#include "report/baseline.h"
#include "report/ncu/ncu.h"

struct timeline;

struct html_report {
    const struct ncu_launch *launches; /* in their order */
    u32 n;
    const char *command, *version;
    const char *const *folders; /* where to look for sources; ends in NULL; or NULL */
    /* When copies and kernels ran; n of them, one a process. None: `no_timeline` says why, in a sentence. */
    const struct timeline *timelines;
    u32 ntimelines;
    const char *no_timeline, *no_pictures;
    const char *no_machine;          /* said of kernels whose machine code is not known; NULL: nothing */
    const struct baseline *baseline; /* NULL: there is nothing to compare with */
    const char *baseline_note;       /* what is to be said of the comparison, or why there is none; NULL */
};

/* False: no memory. Whether `out` took it all is for the caller to ask (ferror). */
bool html_write(FILE *out, const struct html_report *r);

#endif
