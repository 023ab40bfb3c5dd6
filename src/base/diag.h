/* diag.h - what is said about bad input: a place, a sentence, the source line with a caret, and a note.
 *
 *     reduce.ptx:41:9: error: unknown modifier '.fzt' for add
 *         add.fzt.f32 %f1, %f2, %f3;
 *            ^
 *     note: add.f32 takes .rn .rz .rm .rp .ftz .sat
 *
 * A list collects several of them a run and never prints. */
#ifndef LS_BASE_DIAG_H
#define LS_BASE_DIAG_H

#include "base/arena.h"
#include "base/base.h"

enum diag_level { DIAG_ERROR, DIAG_WARNING };

/* A place in an input text. line and column count from 1; 0 means unknown. */
struct diag_place {
    const char *file;
    u32 line, column;
};

struct diag {
    struct diag *next;
    enum diag_level level;
    struct diag_place at;
    const char *text;   /* one sentence, no full stop, no newline */
    const char *source; /* the source line without its newline, or NULL */
    const char *note;   /* what to do about it, or NULL */
};

/* Memory of its own; at most DIAG_MAX errors are kept, the rest are counted. */
enum { DIAG_MAX = 20 };

struct diag_list {
    struct arena mem;
    struct diag *first, **last;
    u32 errors, warnings, dropped;
};

void diag_init(struct diag_list *d);
void diag_free(struct diag_list *d);

/* Adds one; returns it so that the caller can set source and note (or NULL when it was dropped).
 * Strings are copied. Out of memory drops the diagnostic but counts it. */
struct diag *diag_add(struct diag_list *d, enum diag_level level, struct diag_place at, const char *fmt, ...)
    LS_PRINTF(4, 5);
void diag_set_source(struct diag_list *d, struct diag *g, const char *line, size_t len);
void diag_set_note(struct diag_list *d, struct diag *g, const char *fmt, ...) LS_PRINTF(3, 4);

/* The whole list as text; allocated with ls_realloc, the caller frees it. NULL when there is no memory. */
char *diag_text(const struct diag_list *d);

#endif
