/* diag.c - lists of diagnostics and their text. */
#include "base/diag.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

void diag_init(struct diag_list *d)
{
    memset(d, 0, sizeof(*d));
    d->mem.name = "diag";
    d->last = &d->first;
}

void diag_free(struct diag_list *d)
{
    arena_free(&d->mem);
    diag_init(d);
}

/* Counts the diagnostic; false when the list is full. */
static bool count(struct diag_list *d, enum diag_level level)
{
    const bool room = level == DIAG_WARNING ? d->warnings < DIAG_MAX : d->errors < DIAG_MAX;
    if (level == DIAG_ERROR)
        d->errors++;
    else
        d->warnings++;
    return room;
}

/* NULL: no memory. */
static char *format(struct arena *a, const char *fmt, va_list args)
{
    LS_BUG_ON(!fmt);
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, args);
    LS_BUG_ON(n < 0);
    char *to = arena_try(a, (size_t)n + 1);
    if (to)
        vsnprintf(to, (size_t)n + 1, fmt, again);
    va_end(again);
    return to;
}

static char *copy(struct arena *a, const char *s, size_t n)
{
    char *to = arena_try(a, n + 1);
    return to && n ? memcpy(to, s, n) : to;
}

struct diag *diag_add(struct diag_list *d, enum diag_level level, struct diag_place at, const char *fmt, ...)
{
    struct diag *g = count(d, level) ? arena_try_new(&d->mem, struct diag) : NULL;
    va_list args;
    va_start(args, fmt);
    char *text = g ? format(&d->mem, fmt, args) : NULL, *file = NULL;
    va_end(args);
    if (!text || (at.file && !(file = copy(&d->mem, at.file, strlen(at.file))))) {
        d->dropped++;
        return NULL;
    }
    *g = (struct diag){.level = level, .at = at, .text = text};
    g->at.file = file;
    *d->last = g;
    d->last = &g->next;
    return g;
}

void diag_set_source(struct diag_list *d, struct diag *g, const char *line, size_t len)
{
    if (g)
        g->source = copy(&d->mem, line, len);
}

void diag_set_note(struct diag_list *d, struct diag *g, const char *fmt, ...)
{
    if (!g)
        return;
    va_list args;
    va_start(args, fmt);
    g->note = format(&d->mem, fmt, args);
    va_end(args);
}

/* A growing text; `failed` once memory ran out. */
struct text {
    char *at;
    size_t len, cap;
    bool failed;
};

static void put(struct text *t, const char *s, size_t n)
{
    if (t->failed)
        return;
    if (t->len + n + 1 > t->cap) {
        const size_t cap = (t->len + n + 1) * 2;
        char *to = ls_realloc(t->at, cap);
        if (!to) {
            t->failed = true;
            return;
        }
        t->at = to;
        t->cap = cap;
    }
    memcpy(t->at + t->len, s, n);
    t->len += n;
    t->at[t->len] = 0;
}

static void puts_(struct text *t, const char *s) { put(t, s, strlen(s)); }

static void put_place(struct text *t, const struct diag_place *p)
{
    char buf[32];
    puts_(t, p->file ? p->file : "lockstep");
    if (p->line) {
        put(t, buf, (size_t)snprintf(buf, sizeof(buf), ":%u", p->line));
        if (p->column)
            put(t, buf, (size_t)snprintf(buf, sizeof(buf), ":%u", p->column));
    }
    puts_(t, ": ");
}

/* The source line, control characters as spaces, and the caret under the column (tabs kept, so that it lines up). */
static void put_source(struct text *t, const struct diag *g)
{
    for (const char *s = g->source; *s; s++)
        put(t, (unsigned char)*s < ' ' && *s != '\t' ? " " : s, 1);
    put(t, "\n", 1);
    if (g->at.column == 0)
        return;
    const size_t len = strlen(g->source);
    for (u32 i = 0; i + 1 < g->at.column; i++)
        put(t, i < len && g->source[i] == '\t' ? "\t" : " ", 1);
    puts_(t, "^\n");
}

char *diag_text(const struct diag_list *d)
{
    struct text t = {0};
    put(&t, "", 0);
    for (const struct diag *g = d->first; g; g = g->next) {
        put_place(&t, &g->at);
        puts_(&t, g->level == DIAG_ERROR ? "error: " : "warning: ");
        puts_(&t, g->text);
        put(&t, "\n", 1);
        if (g->source)
            put_source(&t, g);
        if (g->note) {
            puts_(&t, "note: ");
            puts_(&t, g->note);
            put(&t, "\n", 1);
        }
    }
    if (d->dropped) {
        char buf[64];
        put(&t, buf, (size_t)snprintf(buf, sizeof(buf), "%u more not shown\n", d->dropped));
    }
    if (t.failed) {
        ls_free(t.at);
        return NULL;
    }
    return t.at;
}
