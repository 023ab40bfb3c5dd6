/* ncu_table.c - a table as ncu prints its sections: rules of dashes, as wide as the widest cell of each column. */
#include <string.h>

#include "report/ncu/ncu.h"

void ncu_table_row(struct ncu_table *t, const char *const cells[NCU_COLUMNS])
{
    if (t->rows == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 16;
        void *to = arena_alloc(t->mem, sizeof *t->cells * t->cap);
        if (t->rows)
            memcpy(to, t->cells, sizeof *t->cells * t->rows);
        t->cells = to;
    }
    for (u32 c = 0; c < t->columns; c++) {
        t->cells[t->rows][c] = arena_strndup(t->mem, cells[c], strlen(cells[c]));
        const int n = (int)strlen(cells[c]);
        t->width[c] = n > t->width[c] ? n : t->width[c];
    }
    t->rows++;
}

static void put_rule(FILE *out, const struct ncu_table *t)
{
    fputs("    ", out);
    for (u32 c = 0; c < t->columns; c++) {
        fputs(c ? " " : "", out);
        for (int k = 0; k < t->width[c]; k++)
            fputc('-', out);
    }
    fputc('\n', out);
}

void ncu_table_print(FILE *out, const struct ncu_table *t)
{
    put_rule(out, t);
    for (u32 i = 0; i < t->rows; i++) {
        fprintf(out, "    %-*s", t->width[0], t->cells[i][0]);
        for (u32 c = 1; c < t->columns; c++)
            fprintf(out, " %*s", t->width[c], t->cells[i][c]);
        fputc('\n', out);
        if (!i)
            put_rule(out, t);
    }
    put_rule(out, t);
}
