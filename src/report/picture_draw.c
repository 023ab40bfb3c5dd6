/* picture_draw.c - accesses laid out as grids and drawn with characters or as SVG. */
#include "report/picture_draw.h"

#include <stdlib.h>
#include <string.h>

static bool of_shared(const struct meter_picture *p) { return strcmp(p->space, "shared") == 0; }

static void mark(struct picture_grid *g, u32 row, u32 col, u32 lane)
{
    if (g->lane[row][col] >= 0)
        g->several[row][col] = true;
    else
        g->lane[row][col] = (i8)lane;
}

/* ---- layout ---- */

/* A word of shared memory goes to its bank's column, below the words that are there. */
static void lay_word(struct picture_grid *g, u64 words[32][PICTURE_ROWS], u32 depth[32], u64 word, u32 lane)
{
    const u32 bank = (u32)(word % 32);
    u32 row = 0;
    while (row < depth[bank] && words[bank][row] != word)
        row++;
    if (row == PICTURE_ROWS) {
        g->more++;
        return;
    }
    if (row == depth[bank])
        words[bank][depth[bank]++] = word;
    g->deepest = depth[bank] > g->deepest ? depth[bank] : g->deepest;
    mark(g, row, bank, lane);
}

static void lay_shared(const struct meter_picture *p, struct picture_grid *g)
{
    static _Thread_local u64 words[32][PICTURE_ROWS];
    u32 depth[32] = {0};
    for (u32 lane = 0; lane < 32; lane++)
        for (u64 at = p->addr[lane] / 4; p->mask >> lane & 1 && at <= (p->addr[lane] + p->size - 1) / 4; at++)
            lay_word(g, words, depth, at, lane);
    g->rows = g->deepest;
}

static int by_value(const void *a, const void *b)
{
    const u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

/* The distinct values of addr / unit that the access touches, sorted; returns how many. */
static u32 distinct(const struct meter_picture *p, u32 unit, u64 out[32 * 32])
{
    u32 n = 0, kept = 0;
    for (u32 lane = 0; lane < 32; lane++)
        for (u64 at = p->addr[lane] / unit; p->mask >> lane & 1 && at <= (p->addr[lane] + p->size - 1) / unit; at++)
            out[n++] = at;
    qsort(out, n, sizeof *out, by_value);
    for (u32 i = 0; i < n; i++)
        if (!kept || out[kept - 1] != out[i])
            out[kept++] = out[i];
    return kept;
}

static void lay_lines(const struct meter_picture *p, struct picture_grid *g)
{
    u64 lines[32 * 32], sectors[32 * 32];
    const u32 n = distinct(p, 128, lines);
    g->sectors = distinct(p, 32, sectors);
    g->rows = n < PICTURE_ROWS ? n : PICTURE_ROWS;
    g->more = n - g->rows;
    for (u32 lane = 0; lane < 32; lane++)
        for (u64 at = p->addr[lane] / 4; p->mask >> lane & 1 && at <= (p->addr[lane] + p->size - 1) / 4; at++)
            for (u32 row = 0; row < g->rows; row++)
                if (lines[row] == at / 32)
                    mark(g, row, (u32)(at % 32), lane);
}

void picture_lay_out(const struct meter_picture *p, struct picture_grid *g)
{
    memset(g, 0, sizeof *g);
    memset(g->lane, -1, sizeof g->lane);
    if (of_shared(p))
        lay_shared(p, g);
    else
        lay_lines(p, g);
}

/* ---- characters ---- */

static void put_caption(FILE *out, const struct meter_picture *p, const struct picture_grid *g)
{
    fprintf(out, "%s:%u: %s.%s, %u bytes a lane, %u lanes: ", p->file ? p->file : "line",
            p->file ? p->line : p->ptx_line, p->op, p->space, p->size, (u32)__builtin_popcount(p->mask));
    if (of_shared(p))
        fprintf(out, "%u %s in the fullest bank", g->deepest, g->deepest == 1 ? "word" : "words");
    else
        fprintf(out, "%u %s", g->sectors, g->sectors == 1 ? "sector" : "sectors");
}

static void put_picture(FILE *out, const struct meter_picture *p)
{
    struct picture_grid g;
    picture_lay_out(p, &g);
    put_caption(out, p, &g);
    fprintf(out, "\n  %s", of_shared(p) ? "bank" : "word");
    for (u32 col = 0; col < 32; col++)
        fprintf(out, "%s%2u", col && col % 8 == 0 && !of_shared(p) ? " | " : " ", col);
    for (u32 row = 0; row < g.rows; row++) {
        fprintf(out, "\n      ");
        for (u32 col = 0; col < 32; col++) {
            fputs(col && col % 8 == 0 && !of_shared(p) ? " |" : "", out);
            if (g.lane[row][col] < 0)
                fputs("  .", out);
            else
                fprintf(out, "%c%2d", g.several[row][col] ? '*' : ' ', g.lane[row][col]);
        }
    }
    if (g.more)
        fprintf(out, "\n      and %u %s more", g.more, of_shared(p) ? "words" : "lines");
    fputs("\n\n", out);
}

void picture_text(FILE *out, const struct lab_result *r)
{
    fprintf(out, "%s/%s: lanes of one warp by %s (* several lanes)\n\n", r->family->name, r->rung->name,
            "bank of shared memory, or word of a 128-byte line");
    for (u32 i = 0; r->report && i < r->report->npictures; i++)
        put_picture(out, &r->report->pictures[i]);
}

/* ---- SVG ---- */

enum { CELL_W = 24, CELL_H = 18, LEFT = 10 };

static u32 height_of(const struct meter_picture *p)
{
    struct picture_grid g;
    picture_lay_out(p, &g);
    return (g.rows + 4) * CELL_H;
}

static void put_cell(FILE *out, const struct picture_grid *g, u32 row, u32 col, u32 top)
{
    const u32 x = LEFT + col * CELL_W, y = top + row * CELL_H;
    const i32 lane = g->lane[row][col];
    char fill[40] = "white";
    if (lane >= 0)
        snprintf(fill, sizeof fill, "hsl(%u,70%%,%u%%)", row * 37 % 360, g->several[row][col] ? 65u : 80u);
    fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#bbb\"/>\n", x, y, CELL_W,
            CELL_H, fill);
    if (lane >= 0)
        fprintf(out, "<text x=\"%u\" y=\"%u\">%d%s</text>\n", x + CELL_W / 2, y + CELL_H - 5, lane,
                g->several[row][col] ? "+" : "");
}

static void put_grid(FILE *out, const struct meter_picture *p, u32 top)
{
    struct picture_grid g;
    picture_lay_out(p, &g);
    fprintf(out, "<text x=\"%d\" y=\"%u\" text-anchor=\"start\" font-weight=\"bold\">", LEFT, top + 14);
    put_caption(out, p, &g);
    fprintf(out, "</text>\n");
    for (u32 col = 0; col < 32; col++)
        fprintf(out, "<text x=\"%u\" y=\"%u\" fill=\"#888\">%u</text>\n", LEFT + col * CELL_W + CELL_W / 2, top + 32,
                col);
    for (u32 row = 0; row < g.rows; row++)
        for (u32 col = 0; col < 32; col++)
            put_cell(out, &g, row, col, top + 38);
    for (u32 col = 8; col < 32 && !of_shared(p); col += 8)
        fprintf(out, "<line x1=\"%u\" x2=\"%u\" y1=\"%u\" y2=\"%u\" stroke=\"black\"/>\n", LEFT + col * CELL_W,
                LEFT + col * CELL_W, top + 38, top + 38 + g.rows * CELL_H);
}

void picture_svg(FILE *out, const struct lab_result *r)
{
    u32 top = 30, height = 30;
    for (u32 i = 0; r->report && i < r->report->npictures; i++)
        height += height_of(&r->report->pictures[i]);
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" font-family=\"sans-serif\" "
        "font-size=\"11\" text-anchor=\"middle\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
        "<text x=\"%d\" y=\"20\" text-anchor=\"start\" font-size=\"14\">%s/%s: lanes of one warp; + several</text>\n",
        2 * LEFT + 32 * CELL_W, height + 10, LEFT, r->family->name, r->rung->name);
    for (u32 i = 0; r->report && i < r->report->npictures; i++) {
        put_grid(out, &r->report->pictures[i], top);
        top += height_of(&r->report->pictures[i]);
    }
    fprintf(out, "</svg>\n");
}
