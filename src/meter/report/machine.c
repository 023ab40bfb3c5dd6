/* machine.c - the machine instructions of a launch's kernel with the lines that they were made of (machine.h). The line table has
 * lines of the PTX; what a line of the PTX has of the source, its .loc says. */
#include "meter/report/machine.h"

#include <string.h>

/* The PTX instruction of a line; of several the first. */
struct line_inst {
    const struct ptx_inst *inst;
    const struct ptx_module *mod;
};

struct lines_known {
    struct line_inst *at; /* by PTX line */
    u32 n;
};

static struct lines_known lines_known(struct arena *tmp, const struct replayed_launch *l)
{
    struct lines_known all = {0};
    for (u32 f = 0; f < l->nfuncs; f++)
        for (u32 s = 0; s < l->funcs[f].func->src->ninsts; s++)
            if (l->funcs[f].func->src->insts[s].line >= all.n)
                all.n = l->funcs[f].func->src->insts[s].line + 1;
    all.at = arena_array(tmp, struct line_inst, all.n + 1);
    for (u32 f = 0; f < l->nfuncs; f++)
        for (u32 s = 0; s < l->funcs[f].func->src->ninsts; s++) {
            const struct ptx_inst *i = &l->funcs[f].func->src->insts[s];
            if (!all.at[i->line].inst)
                all.at[i->line] = (struct line_inst){i, l->funcs[f].func->mod};
        }
    return all;
}

static void set_place(struct meter_report *r, struct meter_machine *to, const struct line_inst *of)
{
    if (!of->mod || !of->inst->loc || of->inst->loc > of->mod->nlocs)
        return;
    const struct ptx_loc *loc = &of->mod->locs[of->inst->loc - 1];
    to->line = loc->line;
    if (loc->file < of->mod->nfiles)
        to->file = arena_strndup(&r->mem, of->mod->files[loc->file], strlen(of->mod->files[loc->file]));
}

/* Without what fills the section up behind the last instruction. */
static u32 length_of(const struct sass_func *code)
{
    u32 n = code->n;
    while (n && code->insts[n - 1].op == SASS_NOP)
        n--;
    return n;
}

static struct meter_machine row_of(struct meter_report *r, const struct replayed_launch *l, u32 at, double scale)
{
    const struct sass_func *code = l->code;
    const struct sass_row *row = sass_row_of(code->insts[at].low, l->gpu->cc_major);
    const char *words = code->words ? code->words[at] : NULL;
    struct meter_machine m = {.text = words ? arena_strndup(&r->mem, words, strlen(words))
                                            : sass_text(&r->mem, code, at, l->gpu->cc_major),
                              .pipe = row ? sass_pipe_name(row->pipe) : "?",
                              .issued = (u64)(l->machine[at].issued * scale + 0.5)};
    for (u32 k = 0; k < STALL_COUNT; k++)
        m.stalls[k] = (u64)(l->machine[at].stalls[k] * scale + 0.5);
    return m;
}

void machine_add(struct meter_report *r, struct arena *tmp, const struct replayed_launch *l, double scale)
{
    const struct lines_known known = lines_known(tmp, l);
    r->nmachine = length_of(l->code);
    r->machine = arena_array(&r->mem, struct meter_machine, r->nmachine + 1);
    r->machine_by = l->code->said_by;
    for (u32 i = 0; i < r->nmachine; i++) {
        const u32 line = l->code->insts[i].line;
        r->machine[i] = row_of(r, l, i, scale);
        if (line < known.n && known.at[line].inst) {
            r->machine[i].ptx_line = line;
            set_place(r, &r->machine[i], &known.at[line]);
        }
    }
}
