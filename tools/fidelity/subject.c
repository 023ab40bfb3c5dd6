/* subject.c - which rung at which size a recorded row is.
 *
 * Rows of the tutorials' programs name the program and the kernel's signature; rows of our own ladders the family and the
 * rung. The tutorials' reduceSmemUnroll has a fault (it drops the last block of data), which the ladder keeps as
 * broken/reduceSmemUnroll: that one is not proportional to the data and is run whole. */
#include <stdio.h>
#include <string.h>

#include "fidelity.h"

static bool starts(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

static bool find_of_program(const char *program, const char *signature, u32 scale, struct subject *s)
{
    char name[80], rung[100];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(signature, "("), signature);
    snprintf(rung, sizeof rung, "%s%s", strcmp(program, "checkSmemRectangle") == 0 ? "rect_" : "", name);
    snprintf(s->name, sizeof s->name, "%.40s: %.76s", program, name);
    const bool broken = strcmp(program, "reduceInteger") == 0 && strcmp(name, "reduceSmemUnroll") == 0;
    if (starts(program, "checkSmem")) {
        s->family = lab_family("banks");
    } else if (strcmp(program, "reduceIntegerShfl") == 0) {
        s->family = lab_family("reduce");
        s->shape.n = 1024;
    } else {
        s->scale = broken ? 1 : scale;
        s->family = lab_family(strcmp(program, "constantStencil") == 0 ? "stencil"
                               : strcmp(program, "reduceInteger") == 0 ? "reduce"
                                                                       : "transpose");
        s->shape.n = (1u << 24) / s->scale;
        s->shape.rows = 4096 / s->scale; /* the columns stay, and with them the grid's width */
        s->shape.cols = 4096;
    }
    s->rung = s->family ? lab_rung(s->family, rung, broken) : NULL;
    return s->rung != NULL;
}

static bool find_of_ladder(const char *family, const char *rung, struct subject *s)
{
    snprintf(s->name, sizeof s->name, "%.40s/%.76s", family, rung);
    s->family = lab_family(family);
    s->rung = s->family ? lab_rung(s->family, rung, false) : NULL;
    return s->rung != NULL;
}

bool subject_find(const struct table *t, u32 row, u32 scale, struct subject *s)
{
    *s = (struct subject){.scale = 1};
    const char *program = table_cell(t, row, "program"), *family = table_cell(t, row, "family");
    const char *kernel = table_cell(t, row, program ? "kernel" : "rung");
    if (!kernel || (!program && !family))
        return false;
    if (!(program ? find_of_program(program, kernel, scale, s) : find_of_ladder(family, kernel, s)))
        return false;
    s->family->defaults(s->rung, &s->shape);
    return true;
}

bool subject_same_launch(const struct table *t, u32 row, const struct subject *s, const struct lab_result *r)
{
    u32 x, y, bx, by;
    const char *grid = table_cell(t, row, "grid"), *block = table_cell(t, row, "block");
    if (!r->main || !grid || !block || sscanf(grid, "(%u, %u", &x, &y) != 2 || sscanf(block, "(%u, %u", &bx, &by) != 2)
        return false;
    return x * (u64)y == r->main->grid[0] * (u64)r->main->grid[1] * s->scale && bx == r->main->block[0] &&
           by == r->main->block[1];
}
