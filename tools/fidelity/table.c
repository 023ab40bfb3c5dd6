/* table.c - a CSV file, read into cells in place. */
#include "fidelity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { TEXT_MAX = 1 << 20 };

/* One field, in place; quotes taken off. Moves *at behind it; *last: it ended the line. */
static char *field(char **at, bool *last)
{
    bool quoted = **at == '"';
    char *start = *at + quoted, *end = start + strcspn(start, quoted ? "\"" : ",\r\n");
    char *next = quoted && *end ? end + 1 : end;
    next += *next == '\r';
    *last = *next != ',';
    *at = *next ? next + 1 : next;
    *end = '\0';
    return start;
}

static bool split(struct table *t)
{
    for (char *at = t->text; *at;) {
        if (*at == '#') {
            at += strcspn(at, "\n");
            at += *at == '\n';
            continue;
        }
        bool last = false;
        u32 n = 0;
        while (!last) {
            if (t->rows >= TABLE_ROWS || n >= TABLE_COLUMNS)
                return false;
            t->cells[t->rows][n++] = field(&at, &last);
        }
        if (t->rows && n != t->columns)
            return false;
        t->columns = n;
        t->rows++;
    }
    return t->rows > 1;
}

bool table_load(struct table *t, const char *path)
{
    memset(t, 0, sizeof *t);
    FILE *f = fopen(path, "rb");
    t->text = f ? ls_calloc(1, TEXT_MAX) : NULL;
    bool good = t->text && fread(t->text, 1, TEXT_MAX - 1, f) > 0 && !ferror(f) && feof(f);
    if (f)
        fclose(f);
    if (good && split(t))
        return true;
    table_free(t);
    return false;
}

void table_free(struct table *t)
{
    ls_free(t->text);
    memset(t, 0, sizeof *t);
}

const char *table_cell(const struct table *t, u32 row, const char *column)
{
    for (u32 c = 0; c < t->columns; c++)
        if (strcmp(t->cells[0][c], column) == 0)
            return t->cells[row][c];
    return NULL;
}

double table_value(const struct table *t, u32 row, const char *column)
{
    const char *cell = table_cell(t, row, column);
    return cell && *cell ? strtod(cell, NULL) : NAN;
}
