/* type_name.c - types as C and gdb write them: "const float *", "int (*)[8]", "void (float, int)".
 *
 * A declarator grows from the inside: of a pointer to an array first "*", then "(*)[8]", then "int (*)[8]". */
#include "debug/info/internal.h"

static const char *declare(struct debug_info *info, const struct debug_type *t, const char *inner, unsigned depth);

static const char *space_word(enum ptx_space space)
{
    switch (space) {
    case SPACE_GLOBAL:
        return "@global ";
    case SPACE_SHARED:
        return "@shared ";
    case SPACE_LOCAL:
        return "@local ";
    case SPACE_CONST:
        return "@constant ";
    case SPACE_PARAM:
        return "@parameter ";
    case SPACE_REG:
        return "@register ";
    default:
        return "";
    }
}

static const char *named(struct debug_info *info, const char *name, const char *inner)
{
    return arena_printf(&info->mem, "%s%s%s", name, *inner ? " " : "", inner);
}

static const char *declare_pointer(struct debug_info *info, const struct debug_type *t, const char *inner,
                                   unsigned depth)
{
    const struct debug_type *to = t->target;
    const char *star = t->kind == DEBUG_POINTER ? "*" : "&";
    const bool around = to && (to->kind == DEBUG_ARRAY || to->kind == DEBUG_FUNCTION);
    inner = arena_printf(&info->mem, around ? "(%s%s)" : "%s%s", star, inner);
    return arena_printf(&info->mem, "%s%s", space_word(t->space), declare(info, to, inner, depth));
}

static const char *declare_function(struct debug_info *info, const struct debug_type *t, const char *inner,
                                    unsigned depth)
{
    const struct debug_members *m = debug_members(info, t);
    const char *list = m->n || m->variadic ? "" : "void";
    for (u32 k = 0; k < m->n; k++)
        list = arena_printf(&info->mem, "%s%s%s", list, k ? ", " : "", declare(info, m->at[k].type, "", depth));
    if (m->variadic)
        list = arena_printf(&info->mem, "%s%s...", list, m->n ? ", " : "");
    return declare(info, t->target, arena_printf(&info->mem, "%s(%s)", inner, list), depth);
}

static const char *declare_array(struct debug_info *info, const struct debug_type *t, const char *inner, unsigned depth)
{
    inner = t->count ? arena_printf(&info->mem, "%s[%llu]", inner, (unsigned long long)t->count)
                     : arena_printf(&info->mem, "%s[]", inner);
    return declare(info, t->target, inner, depth);
}

static const char *declare_qualified(struct debug_info *info, const struct debug_type *t, const char *inner,
                                     unsigned depth)
{
    const char *word = t->kind == DEBUG_CONST ? "const" : "volatile";
    const struct debug_type *to = t->target;
    if (to && (to->kind == DEBUG_POINTER || to->kind == DEBUG_REFERENCE))
        return declare(info, to, arena_printf(&info->mem, " %s%s%s", word, *inner ? " " : "", inner), depth);
    return arena_printf(&info->mem, "%s %s", word, declare(info, to, inner, depth));
}

static const char *kind_word(const struct debug_type *t)
{
    switch (t->kind) {
    case DEBUG_UNION:
        return "union {...}";
    case DEBUG_ENUM:
        return "enum {...}";
    case DEBUG_STRUCT:
        return t->is_class ? "class {...}" : "struct {...}";
    default:
        return "<unknown type>";
    }
}

static const char *declare(struct debug_info *info, const struct debug_type *t, const char *inner, unsigned depth)
{
    if (!t || depth >= NESTING)
        return named(info, t ? "..." : "void", inner);
    switch (t->kind) {
    case DEBUG_POINTER:
    case DEBUG_REFERENCE:
        return declare_pointer(info, t, inner, depth + 1);
    case DEBUG_ARRAY:
        return declare_array(info, t, inner, depth + 1);
    case DEBUG_FUNCTION:
        return declare_function(info, t, inner, depth + 1);
    case DEBUG_CONST:
    case DEBUG_VOLATILE:
        return declare_qualified(info, t, inner, depth + 1);
    default:
        return named(info, t->name ? t->name : kind_word(t), inner);
    }
}

const char *debug_type_name(struct debug_info *info, const struct debug_type *t) { return declare(info, t, "", 0); }
