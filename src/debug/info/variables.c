/* variables.c - scopes and what is declared in them. */
#include <dwarf.h>

#include "debug/info/internal.h"

void describe_variable(struct debug_info *info, Dwarf_Die *die, struct debug_variable *v)
{
    *v = (struct debug_variable){.name = die_name(die),
                                 .linkage_name = die_linkage_name(die),
                                 .type = type_of(info, die),
                                 .kind = dwarf_tag(die) == DW_TAG_formal_parameter ? DEBUG_ARGUMENT : DEBUG_LOCAL,
                                 .artificial = die_flag(die, DW_AT_artificial),
                                 .die = dwarf_dieoffset(die)};
    die_declared(info, die, &v->file, &v->line);
}

/* ---- scopes ---- */

static bool subprogram_at(const struct debug_info *info, const struct ptx_func *func, Dwarf_Die *die)
{
    const u32 i = function_index(info, func);
    const u32 k = i < info->m->nfuncs ? info->function_of[i] : 0;
    return k && info->subprograms[k - 1].die && die_at(info, info->subprograms[k - 1].die, die);
}

static bool is_scope(Dwarf_Die *die)
{
    const int tag = dwarf_tag(die);
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

u32 scopes_at(struct debug_info *info, struct debug_place at, Dwarf_Die out[NESTING])
{
    const u64 address = place_address(info, at);
    u32 n = 0;
    if (!subprogram_at(info, at.func, &out[0]))
        return 0;
    for (bool deeper = true; deeper && ++n < NESTING;) {
        deeper = false;
        for (bool started = false; !deeper && next_child(&out[n - 1], &out[n], &started);)
            deeper = is_scope(&out[n]) && dwarf_haspc(&out[n], address) > 0;
    }
    return n;
}

/* The part of scopes[0..n) that belongs to a frame: [*from, *to). Frames count from the inside. */
static bool part_of_frame(struct debug_info *info, struct debug_place at, u32 frame, Dwarf_Die *scopes, u32 n,
                          u32 *from, u32 *to)
{
    struct debug_frame frames[DEBUG_FRAMES];
    const u32 nframes = debug_frames(info, at, frames);
    if (n == 0 || frame >= nframes)
        return false;
    u32 inlined = 0;
    for (u32 k = 1; k < n; k++)
        inlined += dwarf_tag(&scopes[k]) == DW_TAG_inlined_subroutine;
    *to = n;
    for (u32 k = n, seen = 0; k-- > 0;) {
        if (k && dwarf_tag(&scopes[k]) != DW_TAG_inlined_subroutine)
            continue;
        *from = k;
        const char *name = die_name(&scopes[k]);
        /* With as many scopes as frames the number tells, else the name. */
        if (inlined + 1 == nframes
                ? seen == frame
                : (k == 0 ? frame + 1 == nframes : name && same_ending(frames[frame].function, name)))
            return true;
        *to = k;
        seen++;
    }
    return false;
}

static bool is_variable(Dwarf_Die *die)
{
    const int tag = dwarf_tag(die);
    return (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && die_name(die);
}

static void list_scopes(struct debug_info *info, Dwarf_Die *scopes, u32 n, struct scope_list *list)
{
    VEC(struct debug_variable) v = {0};
    Dwarf_Die die;
    for (u32 k = n; k-- > 0;)
        for (bool started = false; next_child(&scopes[k], &die, &started);) {
            struct debug_variable one;
            if (!is_variable(&die))
                continue;
            describe_variable(info, &die, &one);
            one.block = k;
            vec_push(&info->mem, &v, one);
        }
    list->variables = v.at;
    list->n = v.len;
}

u32 debug_variables(struct debug_info *info, struct debug_place at, u32 frame, const struct debug_variable **out)
{
    Dwarf_Die scopes[NESTING];
    u32 from = 0, to = 0;
    *out = NULL;
    if (!part_of_frame(info, at, frame, scopes, scopes_at(info, at, scopes), &from, &to))
        return 0;
    const u64 outer = dwarf_dieoffset(&scopes[from]), inner = dwarf_dieoffset(&scopes[to - 1]);
    for (u32 i = 0; i < info->scopes.len; i++) {
        const struct scope_list *l = &info->scopes.at[i];
        if (l->outer == outer && l->inner == inner) {
            *out = l->variables;
            return l->n;
        }
    }
    struct scope_list list = {.outer = outer, .inner = inner};
    list_scopes(info, scopes + from, to - from, &list);
    vec_push(&info->mem, &info->scopes, list);
    *out = list.variables;
    return list.n;
}

u32 debug_globals(struct debug_info *info, const struct debug_variable **out)
{
    *out = info->globals.at;
    return info->globals.len;
}

/* Has the frame come to the variable's declaration? In front of it the name is an outer variable's. */
static bool declared_at(const struct debug_info *info, struct debug_place at, u32 frame, const struct debug_line *line,
                        const struct debug_variable *v)
{
    if (!v->file || !line->file || strcmp(v->file, line->file) != 0 || v->line != line->line)
        return !v->file || !line->file || strcmp(v->file, line->file) != 0 || v->line < line->line;
    for (u32 i = 0; frame == 0 && i < at.inst; i++) /* a `for` declares at its first instruction */
        if (debug_line_at(info, (struct debug_place){at.func, i}).line == line->line)
            return true;
    return frame > 0;
}

/* The innermost of the name that is declared here, or else the innermost. */
static const struct debug_variable *local_find(struct debug_info *info, struct debug_place at, u32 frame,
                                               const char *name)
{
    const struct debug_variable *v, *first = NULL;
    struct debug_frame frames[DEBUG_FRAMES];
    const u32 n = at.func ? debug_variables(info, at, frame, &v) : 0;
    for (u32 i = 0; i < n; i++) {
        if (strcmp(v[i].name, name) != 0)
            continue;
        if (!first)
            debug_frames(info, at, frames);
        if (declared_at(info, at, frame, &frames[frame].line, &v[i]))
            return &v[i];
        first = first ? first : &v[i];
    }
    return first;
}

const struct debug_variable *debug_variable_find(struct debug_info *info, struct debug_place at, u32 frame,
                                                 const char *name)
{
    const struct debug_variable *v = local_find(info, at, frame, name);
    if (v)
        return v;
    for (u32 i = 0; i < info->globals.len; i++)
        if (strcmp(info->globals.at[i].name, name) == 0)
            return &info->globals.at[i];
    for (u32 i = 0; i < info->globals.len; i++)
        if (same_ending(info->globals.at[i].name, name))
            return &info->globals.at[i];
    return NULL;
}
