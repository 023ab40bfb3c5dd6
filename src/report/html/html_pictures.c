/* html_pictures.c - the accesses of a launch that waste most, as grids of lanes (picture_draw.h). */
#include <string.h>

#include "report/html/html_parts.h"
#include "report/picture_draw.h"

enum { PICTURES = 4, LANES_SHARED_BY_SEVERAL = 100 };

struct candidate {
    const struct meter_picture *p;
    struct picture_grid grid;
    u32 ideal;    /* sectors or words a bank that hold the bytes */
    double waste; /* of the launch, by this instruction */
    u32 alike;    /* other instructions of the line that do the same */
};

static bool of_shared(const struct meter_picture *p) { return !strcmp(p->space, "shared"); }

static bool of_global(const struct meter_picture *p) { return !strcmp(p->space, "global"); }

/* The distinct bytes that the lanes touch, rounded up to words: of a grid's cells. */
static u32 words_of(const struct picture_grid *g)
{
    u32 n = 0;
    for (u32 row = 0; row < g->rows; row++)
        for (u32 col = 0; col < 32; col++)
            n += g->lane[row][col] >= 0;
    return n + g->more;
}

/* What all executions of the instruction wasted: sectors, or passes of shared memory. */
static double waste_of(const struct meter_report *r, const struct meter_picture *p)
{
    double waste = 0;
    for (u32 i = 0; i < r->nlines; i++) {
        const struct meter_line *l = &r->lines[i];
        const struct limit_sectors s = limit_sectors(l);
        if (l->ptx_line == p->ptx_line && l->line == p->line)
            waste += of_shared(p)
                         ? (double)(l->n[EVENT_sld_conflicts] + l->n[EVENT_sst_conflicts] + l->n[EVENT_satom_conflicts])
                         : (double)(s.sectors - s.ideal);
    }
    return waste;
}

static struct candidate candidate_of(const struct meter_report *r, const struct meter_picture *p)
{
    struct candidate c = {.p = p, .waste = waste_of(r, p)};
    picture_lay_out(p, &c.grid);
    const u32 words = words_of(&c.grid);
    c.ideal = of_shared(p) ? (words + 31) / 32 : (words + 7) / 8;
    return c;
}

/* Rows of 32 cells: -1, or the lowest lane there, 100 more where it is not alone. */
static json_t *rows_of(const struct picture_grid *g)
{
    json_t *rows = json_array();
    for (u32 i = 0; i < g->rows; i++) {
        json_t *row = json_array();
        for (u32 col = 0; col < 32; col++)
            json_array_append_new(
                row, json_integer(g->several[i][col] ? g->lane[i][col] + LANES_SHARED_BY_SEVERAL : g->lane[i][col]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *picture(const struct html_page *page, const struct candidate *c)
{
    const struct meter_picture *p = c->p;
    return json_pack("{s:o, s:i, s:i, s:s, s:s, s:i, s:i, s:i, s:i, s:o, s:i, s:i, s:o}", "file",
                     html_string(page->mem, p->file), "line", (int)p->line, "ptx", (int)p->ptx_line, "space", p->space,
                     "op", p->op, "size", (int)p->size, "lanes", __builtin_popcount(p->mask), "units",
                     (int)(of_shared(p) ? c->grid.deepest : c->grid.sectors), "ideal", (int)c->ideal, "waste",
                     html_number(c->waste), "more", (int)c->grid.more, "alike", (int)c->alike, "rows",
                     rows_of(&c->grid));
}

/* An unrolled loop has the same access several times: one picture stands for all. */
static bool is_alike(const struct candidate *a, const struct candidate *b)
{
    return a->p->line && a->p->line == b->p->line && a->p->size == b->p->size && !strcmp(a->p->space, b->p->space) &&
           !strcmp(a->p->op, b->p->op) && a->grid.sectors == b->grid.sectors && a->grid.deepest == b->grid.deepest &&
           a->ideal == b->ideal;
}

static bool joins(struct candidate *all, u32 n, const struct candidate *c)
{
    for (u32 i = 0; i < n; i++)
        if (is_alike(&all[i], c)) {
            all[i].waste += c->waste;
            all[i].alike++;
            return true;
        }
    return false;
}

static bool is_worse(const struct candidate *a, const struct candidate *b)
{
    return a->waste != b->waste ? a->waste > b->waste
                                : a->grid.sectors + a->grid.deepest > b->grid.sectors + b->grid.deepest;
}

json_t *html_pictures(const struct html_page *p, const struct ncu_launch *l)
{
    const struct meter_report *r = l->r;
    struct candidate *worst = arena_array(p->mem, struct candidate, PICTURES + 1);
    json_t *all = json_array();
    u32 n = 0;
    for (u32 i = 0; i < r->npictures; i++) {
        if (!of_shared(&r->pictures[i]) && !of_global(&r->pictures[i]))
            continue;
        const struct candidate c = candidate_of(r, &r->pictures[i]);
        if (joins(worst, n, &c))
            continue;
        u32 at = n < PICTURES ? n++ : PICTURES;
        worst[at] = c;
        for (; at && is_worse(&worst[at], &worst[at - 1]); at--) {
            const struct candidate other = worst[at];
            worst[at] = worst[at - 1];
            worst[at - 1] = other;
        }
    }
    for (u32 i = 0; i < n; i++)
        json_array_append_new(all, picture(p, &worst[i]));
    return all;
}
