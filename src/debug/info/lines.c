/* lines.c - the line table, from .loc, and the frames at an instruction.
 *
 * A statement begins where the position of the instructions changes to one with a line; line 0 is code that the compiler
 * put there for no line. */
#include <dwarf.h>
#include <stdlib.h>

#include "debug/info/internal.h"

static const struct ptx_loc *loc_of(const struct debug_info *info, const struct ptx_func *f, u32 inst)
{
    const u32 loc = inst < f->ninsts ? f->insts[inst].loc : 0;
    return loc && loc <= info->m->nlocs ? &info->m->locs[loc - 1] : NULL;
}

static const char *file_name(const struct debug_info *info, u64 file)
{
    return file < info->m->nfiles ? info->m->files[file] : NULL;
}

static bool begins_statement(const struct debug_info *info, const struct ptx_func *f, u32 inst)
{
    const struct ptx_loc *l = loc_of(info, f, inst);
    return l && l->line && (inst == 0 || f->insts[inst - 1].loc != f->insts[inst].loc);
}

/* ---- the table ---- */

static int by_line(const void *a, const void *b)
{
    const struct line_row *x = a, *y = b;
    const int files = strcmp(x->file, y->file);
    if (files)
        return files;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->at.func != y->at.func)
        return x->at.func->line < y->at.func->line ? -1 : 1;
    return (x->at.inst > y->at.inst) - (x->at.inst < y->at.inst);
}

static void name_locs(struct debug_info *info)
{
    const struct ptx_module *m = info->m;
    info->loc_names = arena_array(&info->mem, const char *, m->nlocs);
    for (u32 i = 0; i < m->nlocs; i++) {
        const char *mangled = m->locs[i].function_name;
        const char *name = mangled ? demangle_function(&info->mem, mangled) : NULL;
        info->loc_names[i] = name ? name : mangled;
    }
}

/* Without DWARF a function begins at its first line. */
static void place_function(struct debug_info *info, struct debug_function *f)
{
    for (u32 i = 0; i < f->func->ninsts && !f->file; i++) {
        const struct ptx_loc *l = loc_of(info, f->func, i);
        if (!l || !l->line || l->inlined_at)
            continue;
        f->file = file_name(info, l->file);
        f->line = l->line;
    }
}

void make_lines(struct debug_info *info)
{
    name_locs(info);
    for (u32 k = 0; k < info->nfunctions; k++)
        place_function(info, &info->functions[k]);
    for (u32 k = 0; k < info->nfunctions; k++) {
        const struct ptx_func *f = info->functions[k].func;
        for (u32 i = 0; i < f->ninsts; i++) {
            const struct ptx_loc *l = loc_of(info, f, i);
            if (!begins_statement(info, f, i) || !file_name(info, l->file))
                continue;
            const struct line_row row = {file_name(info, l->file), l->line, {f, i}, f->insts[i].loc};
            vec_push(&info->mem, &info->rows, row);
        }
    }
    if (info->rows.len)
        qsort(info->rows.at, info->rows.len, sizeof *info->rows.at, by_line);
}

struct debug_line debug_line_at(const struct debug_info *info, struct debug_place at)
{
    const struct ptx_loc *l = NULL;
    u32 i = at.inst < at.func->ninsts ? at.inst + 1 : at.func->ninsts;
    while (i-- > 0) {
        l = loc_of(info, at.func, i);
        if (l && l->line)
            break;
    }
    if (!l || !l->line)
        return (struct debug_line){0};
    return (struct debug_line){file_name(info, l->file), l->line, l->column, begins_statement(info, at.func, at.inst)};
}

bool debug_info_has_lines(const struct debug_info *info) { return info->rows.len > 0; }

/* ---- from a line to places ---- */

/* The whole path, or the end of it behind a slash. */
static bool is_file(const char *path, const char *file)
{
    const size_t n = strlen(path), k = strlen(file);
    return n >= k && strcmp(path + n - k, file) == 0 && (n == k || file[0] == '/' || path[n - k - 1] == '/');
}

/* The innermost inlined function that declares the line, by DWARF's scopes. */
static bool inlined_scope(struct debug_info *info, const struct line_row *r, Dwarf_Die *scope, Dwarf_Die *origin)
{
    Dwarf_Die scopes[NESTING];
    const char *file;
    u32 line;
    for (u32 k = scopes_at(info, r->at, scopes); k-- > 1;) {
        if (dwarf_tag(&scopes[k]) != DW_TAG_inlined_subroutine)
            continue;
        *scope = scopes[k];
        die_declared(info, scope, &file, &line);
        return die_reference(scope, DW_AT_abstract_origin, origin) && file == r->file && line <= r->line;
    }
    return false;
}

/* Inlined copies differ by .loc where that tells of calls, else by their scopes. */
static bool same_copy(struct debug_info *info, const struct line_row *a, const struct line_row *b)
{
    const struct ptx_loc *x = &info->m->locs[a->loc - 1], *y = &info->m->locs[b->loc - 1];
    Dwarf_Die of_a, of_b, origin_a, origin_b;
    if (a->at.func != b->at.func || x->inlined_at != y->inlined_at || x->function_name != y->function_name)
        return false;
    return x->inlined_at || !inlined_scope(info, a, &of_a, &origin_a) || !inlined_scope(info, b, &of_b, &origin_b) ||
           dwarf_dieoffset(&origin_a) != dwarf_dieoffset(&origin_b) || dwarf_dieoffset(&of_a) == dwarf_dieoffset(&of_b);
}

u32 debug_line_places(struct debug_info *info, const char *file, u32 line, const struct debug_place **places,
                      u32 *found)
{
    VEC(struct line_row) rows = {0};
    u32 best = UINT32_MAX;
    for (u32 i = 0; i < info->rows.len; i++) {
        const struct line_row *r = &info->rows.at[i];
        if (r->line < line || r->line > best || !is_file(r->file, file))
            continue;
        if (r->line < best)
            rows.len = 0;
        best = r->line;
        bool have = false; /* rows are in order: the first of a copy stays */
        for (u32 k = 0; k < rows.len && !have; k++)
            have = same_copy(info, &rows.at[k], r);
        if (!have)
            vec_push(&info->mem, &rows, *r);
    }
    struct debug_place *out = arena_array(&info->mem, struct debug_place, rows.len);
    for (u32 k = 0; k < rows.len; k++)
        out[k] = rows.at[k].at;
    *places = out;
    *found = rows.len ? best : 0;
    return rows.len;
}

/* Code for a debugger puts parameters where it wants them first; its second line is the function's first statement. */
struct debug_place debug_function_start(const struct debug_info *info, const struct ptx_func *func)
{
    const struct debug_place first = {func, 0};
    const struct debug_function *f = debug_function_of(info, func);
    if (!f || !info->subprograms[f - info->functions].die)
        return first;
    const struct ptx_loc *head = loc_of(info, func, 0);
    for (u32 i = 1; head && i < func->ninsts && ptx_op_row(func->insts[i - 1].op)->flow == FLOW_NEXT; i++) {
        const struct ptx_loc *l = loc_of(info, func, i);
        if (l && l->line && (l->line != head->line || (l != head && head->column == 0)))
            return (struct debug_place){func, i};
    }
    return first;
}

/* ---- frames ---- */

static const char *function_name(const struct debug_info *info, const struct ptx_func *f)
{
    const struct debug_function *d = debug_function_of(info, f);
    return d ? d->name : f->name;
}

/* The functions that .loc says were inlined; how many there are. */
static u32 frames_of_loc(const struct debug_info *info, struct debug_place at, struct debug_frame *out)
{
    const struct ptx_loc *l = loc_of(info, at.func, at.inst);
    u32 n = 0;
    for (; l && l->inlined_at && n < DEBUG_FRAMES - 1; n++) {
        const u32 call = l->inlined_at - 1;
        const char *name = info->loc_names[l - info->m->locs];
        out[n].function = name ? name : "??";
        out[n].inlined = true;
        l = &info->m->locs[call];
        out[n + 1].line = (struct debug_line){file_name(info, l->file), l->line, l->column, false};
    }
    return n;
}

/* The same by DWARF's scopes. */
static u32 frames_of_scopes(struct debug_info *info, struct debug_place at, struct debug_frame *out)
{
    Dwarf_Die scopes[NESTING];
    u32 n = 0;
    for (u32 k = scopes_at(info, at, scopes); k-- > 1 && n < DEBUG_FRAMES - 1;) {
        if (dwarf_tag(&scopes[k]) != DW_TAG_inlined_subroutine)
            continue;
        const char *name = die_name(&scopes[k]);
        out[n].function = name ? name : "??";
        out[n].inlined = true;
        out[++n].line = (struct debug_line){file_name(info, die_number_or(&scopes[k], DW_AT_call_file, 0)),
                                            (u32)die_number_or(&scopes[k], DW_AT_call_line, 0),
                                            (u32)die_number_or(&scopes[k], DW_AT_call_column, 0), false};
    }
    return n;
}

u32 debug_frames(struct debug_info *info, struct debug_place at, struct debug_frame out[DEBUG_FRAMES])
{
    memset(out, 0, sizeof *out * DEBUG_FRAMES);
    out[0].line = debug_line_at(info, at);
    u32 n = frames_of_loc(info, at, out);
    if (n == 0)
        n = frames_of_scopes(info, at, out);
    out[n].function = function_name(info, at.func);
    out[n].inlined = false;
    return n + 1;
}
