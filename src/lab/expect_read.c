/* expect_read.c - finds the machine-readable lines in a rung's head. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "lab/expect.h"

struct head {
    const char *path;
    struct arena *mem;
    struct diag_list *diags;
    struct expectations *out;
    VEC(struct expect_line) lines;
    u32 line;
};

static void complain(struct head *h, const char *what, const char *text)
{
    struct diag_place at = {h->path, h->line, 0};
    diag_add(h->diags, DIAG_ERROR, at, "%s: '%s'", what, text);
}

/* Cuts `text` at the first occurrence of `mark`, returns what follows it, or NULL. */
static char *cut(char *text, const char *mark)
{
    char *p = strstr(text, mark);
    if (!p)
        return NULL;
    *p = '\0';
    return p + strlen(mark);
}

static char *trim(char *s)
{
    while (*s == ' ')
        s++;
    for (size_t n = strlen(s); n && s[n - 1] == ' '; n--)
        s[n - 1] = '\0';
    return s;
}

static void read_let(struct head *h, char *text)
{
    char *formula = cut(text, " = ");
    if (!formula) {
        complain(h, "LET needs 'name = expression'", text);
        return;
    }
    struct expect_line l = {.kind = EXPECT_LET, .subject = trim(text), .formula = trim(formula), .line = h->line};
    vec_push(h->mem, &h->lines, l);
}

static void read_relation(struct head *h, enum expect_kind kind, char *text)
{
    static const char *const relations[] = {" == ", " <= ", " >= "};
    char *end = text + strcspn(text, " ");
    for (u32 i = 0; i < LS_ARRAY_LEN(relations); i++) {
        if (strncmp(end, relations[i], 4) != 0)
            continue;
        struct expect_line l = {.kind = kind, .subject = text, .line = h->line};
        memcpy(l.relation, relations[i] + 1, 2);
        *end = '\0';
        char *formula = end + 4, *when = cut(formula, " when ");
        l.formula = trim(formula);
        l.when = when ? trim(when) : NULL;
        vec_push(h->mem, &h->lines, l);
        return;
    }
    complain(h, "expected 'metric == expression'", text);
}

static bool read_pair(const char *text, u32 *a, u32 *b) { return sscanf(text, "%ux%u", a, b) == 2; }

static void read_caught(struct head *h, char *text)
{
    static const char *const kinds[] = {"none", "wrong", "fault", "any", "claim"};
    struct shape *s = &h->out->caught_at;
    char *save = NULL;
    char *kind = strtok_r(text, " ", &save);
    for (u32 i = 0; kind && i < LS_ARRAY_LEN(kinds); i++)
        if (strcmp(kind, kinds[i]) == 0)
            h->out->caught = (enum expect_catch)i;
    for (char *key; (key = strtok_r(NULL, " ", &save));) {
        const char *value = strtok_r(NULL, " ", &save);
        bool ok = value && ((strcmp(key, "n") == 0 && (s->n = strtoull(value, NULL, 10)) > 0) ||
                            (strcmp(key, "size") == 0 && read_pair(value, &s->rows, &s->cols)) ||
                            (strcmp(key, "block") == 0 && read_pair(value, &s->bx, &s->by)) ||
                            (strcmp(key, "k") == 0 && (s->k = (u32)strtoul(value, NULL, 10)) > 0) ||
                            (strcmp(key, "batch") == 0 && (s->batch = (u32)strtoul(value, NULL, 10)) > 0));
        if (!ok)
            complain(h, "expected n N, size RxC, block XxY, k K or batch B", key);
    }
    if (h->out->caught == CATCH_NONE)
        complain(h, "CAUGHT needs wrong, fault, any or claim", kind ? kind : "");
}

static void read_line(struct head *h, char *text)
{
    if (strncmp(text, "LET: ", 5) == 0)
        read_let(h, text + 5);
    else if (strncmp(text, "EXPECT: ", 8) == 0)
        read_relation(h, EXPECT_MUST, text + 8);
    else if (strncmp(text, "CLAIM: ", 7) == 0)
        read_relation(h, EXPECT_CLAIM, text + 7);
    else if (strncmp(text, "CAUGHT: ", 8) == 0)
        read_caught(h, text + 8);
    else if (strncmp(text, "AGAINST: ", 9) == 0)
        h->out->against = trim(text + 9);
    else
        complain(h, "a line comment in the head must be LET, EXPECT, CLAIM, CAUGHT or AGAINST", text);
}

/* The head ends at the first preprocessor line. */
enum ls_status expect_read(const char *source, const char *path, struct arena *mem, struct expectations *out,
                           struct diag_list *diags)
{
    struct head h = {.path = path, .mem = mem, .diags = diags, .out = out};
    u32 errors = diags->errors;
    memset(out, 0, sizeof *out);
    for (const char *p = source; *p && *p != '#';) {
        size_t n = strcspn(p, "\n");
        h.line++;
        if (strncmp(p, "// ", 3) == 0)
            read_line(&h, trim(arena_strndup(mem, p + 3, n - 3)));
        p += n + (p[n] == '\n');
    }
    out->lines = h.lines.at;
    out->nlines = h.lines.len;
    return diags->errors == errors ? LS_OK : LS_ERR_SYNTAX;
}
