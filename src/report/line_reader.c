/* line_reader.c - see line_reader.h. */
#include "report/line_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void line_complain(struct line_reader *r, const char *fmt, ...)
{
    char said[400];
    va_list args;
    if (r->wrong)
        return;
    r->wrong = true;
    const struct diag_place at = {r->file, r->line, (u32)(r->at - r->text) + 1};
    va_start(args, fmt);
    vsnprintf(said, sizeof said, fmt, args);
    va_end(args);
    struct diag *d = diag_add(r->diags, DIAG_ERROR, at, "%s", said);
    if (d)
        diag_set_source(r->diags, d, r->text, strlen(r->text));
}

bool line_ended(struct line_reader *r)
{
    r->at += strspn(r->at, " \t\r");
    return !*r->at || r->wrong;
}

const char *line_word(struct line_reader *r)
{
    if (line_ended(r))
        return "";
    if (*r->at != '"') {
        const size_t n = strcspn(r->at, " \t\r");
        r->at += n;
        return arena_strndup(r->mem, r->at - n, n);
    }
    char *out = arena_alloc(r->mem, strlen(r->at) + 1), *to = out;
    const char *from = r->at + 1;
    for (; *from && *from != '"'; from++) {
        from += *from == '\\' && from[1];
        *to++ = *from;
    }
    if (*from)
        r->at = from + 1;
    else
        line_complain(r, "the text has no closing quote");
    return out;
}

void line_back(struct line_reader *r, const char *word)
{
    const size_t n = strlen(word);
    r->at -= n < (size_t)(r->at - r->text) ? n : (size_t)(r->at - r->text);
}

const char *line_quoted(struct line_reader *r, const char *what)
{
    if (line_ended(r) || *r->at != '"')
        line_complain(r, "%s is missing, in quotes", what);
    return line_word(r);
}

double line_number(struct line_reader *r, const char *what)
{
    char *end;
    if (line_ended(r)) {
        line_complain(r, "%s has no number", what);
        return 0;
    }
    const double v = strtod(r->at, &end);
    if (end == r->at || (*end && !strchr(" \t\r", *end)) || !isfinite(v) || v < 0) {
        line_complain(r, "%s needs a number that is not negative", what);
        return 0;
    }
    r->at = end;
    return v;
}

u32 line_count(struct line_reader *r, const char *what)
{
    const double v = line_number(r, what);
    if (v <= UINT32_MAX && v == floor(v))
        return (u32)v;
    line_complain(r, "%s needs a whole number below 2^32", what);
    return 0;
}

enum ls_status line_read_file(struct line_reader *r, void (*take)(struct line_reader *r, void *ctx), void *ctx)
{
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen(r->file, "re");
    if (!f) {
        diag_add(r->diags, DIAG_ERROR, (struct diag_place){.file = r->file}, "%s", strerror(errno));
        return LS_ERR_IO;
    }
    while (getline(&line, &room, f) >= 0) {
        line[strcspn(line, "\n")] = 0;
        r->text = r->at = arena_printf(r->mem, "%s", line);
        r->line++;
        r->wrong = false;
        if (line_ended(r) || *r->at == '#')
            continue;
        take(r, ctx);
        if (!line_ended(r))
            line_complain(r, "there is more in the line than it should have");
    }
    if (ferror(f)) /* a folder, for one */
        diag_add(r->diags, DIAG_ERROR, (struct diag_place){.file = r->file}, "%s", strerror(errno));
    free(line);
    fclose(f);
    return r->diags->errors ? LS_ERR_SYNTAX : LS_OK;
}

void line_put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc((u8)*text < ' ' ? '?' : *text, out);
    }
    fputc('"', out);
}
