/* read.c - docs/curriculum.txt and the guide's chapters, read into rows. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "curriculum.h"

enum { TEXT_MAX = 1 << 20 };

static bool say(const char *path, u32 line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%u: ", path, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return false;
}

char *trim(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    char *end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return s;
}

/* A file's text; the book keeps it. */
static char *load(struct book *b, const char *path)
{
    FILE *f = b->ntexts < TEXTS ? fopen(path, "rb") : NULL;
    char *text = f ? ls_calloc(1, TEXT_MAX) : NULL;
    bool good = text && fread(text, 1, TEXT_MAX - 1, f) > 0 && feof(f);
    if (f)
        fclose(f);
    if (text)
        b->texts[b->ntexts++] = text;
    if (!good)
        say(path, 0, "cannot be read");
    return good ? text : NULL;
}

void read_end(struct book *b)
{
    while (b->ntexts)
        ls_free(b->texts[--b->ntexts]);
}

static char *next_line(char **at)
{
    char *line = *at, *end = line + strcspn(line, "\n");
    *at = *end ? end + 1 : end;
    *end = '\0';
    return line;
}

static struct row *new_row(struct book *b, const char *path, u32 line)
{
    if (b->n == ROWS) {
        say(path, line, "more than %d rows", ROWS);
        return NULL;
    }
    struct row *r = &b->rows[b->n++];
    *r = (struct row){.file = path, .line = line};
    return r;
}

static bool add_check(struct row *r, const char *text, u32 line)
{
    if (r->nchecks == ROW_CHECKS)
        return say(r->file, line, "more than %d checks", ROW_CHECKS);
    struct check_line *c = &r->checks[r->nchecks++];
    c->text = text;
    return formula_split(c) || say(r->file, line, "no ==, <= or >= in '%s'", text);
}

static bool add_line(struct row *r, const char *text, u32 line)
{
    if (r->nlines == ROW_LINES)
        return say(r->file, line, "more than %d lines", ROW_LINES);
    r->lines[r->nlines++] = text;
    return true;
}

/* ---- the curriculum ---- */

static bool set_field(struct row *r, const char *key, const char *value, u32 line)
{
    struct {
        const char *key, **field;
    } fields[] = {{"at", &r->at},           {"run", &r->run},     {"against", &r->against}, {"says", &r->says},
                  {"refused", &r->refused}, {"shows", &r->shows}, {"verdict", &r->verdict}};
    if (strcmp(key, "check") == 0)
        return add_check(r, value, line);
    if (strcmp(key, "prints") == 0)
        return add_line(r, "...", line) && add_line(r, value, line);
    for (u32 i = 0; i < LS_ARRAY_LEN(fields); i++)
        if (strcmp(key, fields[i].key) == 0) {
            if (*fields[i].field)
                return say(r->file, line, "a second '%s'", key);
            *fields[i].field = value;
            return true;
        }
    return say(r->file, line, "there is no '%s'", key);
}

static bool verdict_good(const char *v)
{
    static const char *const heads[] = {"wrong: ", "holds on ", "holds for ", "holds if "};
    for (u32 i = 0; i < LS_ARRAY_LEN(heads); i++)
        if (strncmp(v, heads[i], strlen(heads[i])) == 0)
            return v[strlen(heads[i])] != '\0';
    return strcmp(v, "holds") == 0;
}

/* A row must say where, how, what is claimed and whether it holds, and measure something or say why not. */
static bool finish(struct row *r)
{
    const char *why = NULL;
    if (!r->tutorial || !r->at || !r->run || !r->says || !r->verdict)
        return say(r->file, r->line, "a row needs tutorial, at, run, says and verdict");
    if (!verdict_good(r->verdict))
        return say(r->file, r->line, "a verdict is 'holds', 'holds on (or for, if) ...' or 'wrong: ...'");
    why = command_read(r->run, &r->command);
    if (!why && r->against)
        why = command_read(r->against, &r->reference);
    if (why)
        return say(r->file, r->line, "%s", why);
    if (r->command.one && !r->nchecks && !r->refused)
        return say(r->file, r->line, "it can be measured and has no check");
    if ((r->nchecks || r->refused) && (!r->command.one || (r->against && !r->reference.one)))
        return say(r->file, r->line, "a check needs a command of one rung at one shape");
    if (r->against && strcmp(r->command.environment, r->reference.environment) != 0)
        return say(r->file, r->line, "'against' must run in the same environment");
    if (r->command.typed != (r->nlines != 0))
        return say(r->file, r->line, "'prints' is for commands that run a program, and they need it");
    if ((r->nchecks != 0) + (r->refused != NULL) + (r->shows != NULL) + (r->nlines != 0) != 1)
        return say(r->file, r->line, "a row has checks, or 'prints', or 'refused', or 'shows': one of them");
    return !r->nlines || add_line(r, "...", r->line);
}

static bool split_field(char *line, char **key, char **value)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return false;
    *colon = '\0';
    *key = trim(line);
    *value = trim(colon + 1);
    return **key && **value;
}

bool read_rows(struct book *b, const char *path)
{
    char *at = load(b, path), *key, *value;
    const char *tutorial = NULL;
    struct row *r = NULL;
    if (!at)
        return false;
    for (u32 line = 1; *at; line++) {
        char *text = trim(next_line(&at));
        if (*text == '#')
            continue;
        if (!*text) {
            if (r && !finish(r))
                return false;
            r = NULL;
            continue;
        }
        if (!split_field(text, &key, &value))
            return say(path, line, "a line is KEY: VALUE");
        if (!r && strcmp(key, "tutorial") == 0) {
            tutorial = value;
            continue;
        }
        if (!r && !(r = new_row(b, path, line)))
            return false;
        r->tutorial = tutorial;
        if (!set_field(r, key, value, line))
            return false;
    }
    return !r || finish(r);
}

/* ---- the guide ---- */

static bool read_command(struct book *b, const char *path, u32 line, const char *text)
{
    struct row *r = new_row(b, path, line);
    if (!r)
        return false;
    r->run = text;
    const char *why = command_read_line(text, &r->command);
    return !why || say(path, line, "%s", why);
}

static bool read_expect(struct book *b, const char *path, u32 line, const char *text)
{
    struct row *r = b->n ? &b->rows[b->n - 1] : NULL;
    if (!r || r->file != path || !r->command.one)
        return say(path, line, "an expectation needs a command of one rung at one shape above it");
    return add_check(r, text, line);
}

/* A line of what a command printed. */
static bool read_printed(struct book *b, const char *path, u32 line, const char *text)
{
    struct row *r = b->n ? &b->rows[b->n - 1] : NULL;
    return !r || r->file != path || !r->command.typed || add_line(r, text, line);
}

bool read_chapter(struct book *b, const char *path)
{
    char *at = load(b, path);
    bool fenced = false, below = false; /* below a command */
    if (!at)
        return false;
    for (u32 line = 1; *at; line++) {
        char *whole = next_line(&at), *text = trim(whole);
        if (strncmp(text, "```", 3) == 0) {
            fenced = !fenced;
            below = false;
        } else if (fenced && strncmp(text, "$ ", 2) == 0 && strstr(text, "lockstep ")) {
            if (!read_command(b, path, line, trim(text + 2)))
                return false;
            below = true;
        } else if (fenced && strncmp(text, "# expect:", 9) == 0) {
            if (!read_expect(b, path, line, trim(text + 9)))
                return false;
        } else if (below) {
            if (!read_printed(b, path, line, whole))
                return false;
        } else if (!fenced && strncmp(text, "# expect:", 9) == 0)
            return say(path, line, "an expectation outside a fenced block is not checked");
    }
    return !fenced || say(path, 0, "a fence is not closed");
}
