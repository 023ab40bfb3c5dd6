/* check_baseline.h - findings that are known: a file of them, which `lockstep check --baseline` leaves out, so that only new
 * ones fail. A line of text each, sorted:
 *
 *     finding out-of-bounds "add" "x.cu" 12 "out[i] = a[i] + 1;"
 *     finding shared-read-after-write "turn" "x.cu" 20 "v = s[i];" "x.cu" 18 "s[i] = v;"
 *
 * A kind, the kernel's function or the call, and the place, with the text of its line; of a race both places. A finding is
 * known if all of it is the same but for the number of a line whose text is. */
#ifndef LS_REPORT_CHECK_BASELINE_H
#define LS_REPORT_CHECK_BASELINE_H

#include "report/check/check_report.h"

enum { CHECK_BASELINE_FORMAT = 1 };

struct check_known_place {
    const char *file; /* without folder; "": none */
    u32 line;
    const char *text; /* ""; the source was not found */
};

struct check_known {
    const char *kind, *what;
    struct check_known_place at, other;
    bool found; /* in this run */
};

struct check_baseline {
    struct arena *mem; /* its recovery point is set */
    const char *file;
    VEC(struct check_known) known;
};

/* LS_ERR_IO, LS_ERR_SYNTAX after diagnostics. */
enum ls_status check_baseline_read(struct arena *mem, const char *path, struct check_baseline *out,
                                   struct diag_list *diags);
/* Takes the findings out of the report that are known; how many. */
u32 check_baseline_apply(struct check_baseline *b, struct check_report *r, const struct check_paths *paths);
/* Known ones that were not found any more. */
u32 check_baseline_gone(const struct check_baseline *b);
void check_baseline_write(FILE *out, struct arena *mem, const struct check_report *r, const struct check_paths *paths);

#endif
