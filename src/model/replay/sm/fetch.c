/* fetch.c - machine code on its way to warps.
 *
 *     first cache, 32 KB ◄── second, 128 KB ◄── L2 ◄── DRAM
 *
 * A cache holds the lines of 128 bytes that it took last. When a warp begins with a line the next one is asked for: a warp that
 * needs longer for a line than that takes never waits. All that was measured with code of 1 KB to 1 MB, of one warp and of several,
 * in step and not (calibrate/fetch.c). */
#include "model/replay/sm/sm.h"

static bool is_in(u32 number, u32 taken, u32 lines) { return number && taken - number < lines; }

/* Cycles until a line that the first cache does not have; `straight`: behind the line before it. */
static double line_cycles(struct sm *s, const struct prepared_line *l, u32 line, bool straight)
{
    const struct machine *m = s->machine;
    if (!s->near_lines)
        return m->fetch_first;
    if (is_in(l->far, s->far_lines, m->far_lines) || (!l->far && line < m->lines_ahead))
        return m->fetch;
    if (l->far)
        return straight ? m->fetch_l2 : m->l2;
    return straight ? m->fetch_dram : m->dram;
}

static void ask_for(struct sm *s, const struct sm_warp *w, struct prepared_line *l, u32 line, double t)
{
    const bool straight = w->line && w->line + 1 == l;
    const double cycles = line_cycles(s, l, line, straight);
    const double asked = straight ? w->line_begun : t;
    s->code = larger(s->code, asked) + s->machine->fetch_line;
    l->there = larger(asked + cycles, s->code);
    l->near = ++s->near_lines;
    if (!is_in(l->far, s->far_lines, s->machine->far_lines))
        l->far = ++s->far_lines;
}

double sm_fetch(struct sm *s, struct sm_warp *w, u32 at, double t)
{
    const u32 line = at / INSTS_A_LINE;
    const struct prepared *p = w->func->prepared;
    if (line >= p->nlines)
        return t;
    struct prepared_line *l = &p->lines[line];
    if (w->line == l)
        return larger(l->there, t);
    if (!is_in(l->near, s->near_lines, s->machine->near_lines))
        ask_for(s, w, l, line, t);
    w->line = l;
    w->line_begun = larger(l->there, t);
    return w->line_begun;
}
