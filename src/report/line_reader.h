/* line_reader.h - text files of ours that people read and diff, line by line: words separated by blanks, texts in quotes. What is
 * wrong is a diagnostic with line and column, and the rest of that line is left out. */
#ifndef LS_REPORT_LINE_READER_H
#define LS_REPORT_LINE_READER_H

#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

struct line_reader {
    struct arena *mem; /* of all texts; its recovery point is set */
    struct diag_list *diags;
    const char *file;
    const char *text, *at; /* the line, and where in it */
    u32 line;
    bool wrong; /* something in this line was */
};

/* Calls `take` for each line that is neither empty nor a comment (#). A line of which something is left then is wrong.
 * LS_ERR_IO, LS_ERR_SYNTAX after a diagnostic. */
enum ls_status line_read_file(struct line_reader *r, void (*take)(struct line_reader *r, void *ctx), void *ctx);

void line_complain(struct line_reader *r, const char *fmt, ...) LS_PRINTF(2, 3);
/* Nothing more is in the line, or something was wrong. */
bool line_ended(struct line_reader *r);
/* The next word, which may stand in quotes; "" at the end. */
const char *line_word(struct line_reader *r);
/* Back to the beginning of a word that was just read, so that an error points there. */
void line_back(struct line_reader *r, const char *word);
/* A text in quotes; `what` is missing otherwise. */
const char *line_quoted(struct line_reader *r, const char *what);
/* A number that is not negative. */
double line_number(struct line_reader *r, const char *what);
/* A whole one of 32 bits. */
u32 line_count(struct line_reader *r, const char *what);

/* The text as line_quoted reads it. */
void line_put_quoted(FILE *out, const char *text);

#endif
