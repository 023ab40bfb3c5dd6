/* places.c - what a user calls a place: FILE:LINE, LINE, FUNCTION, *FUNCTION+INDEX, *INDEX. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/session/internal.h"

static bool is_number(const char *text)
{
    const char *t = text;
    while (isdigit((unsigned char)*t))
        t++;
    return t != text && !*t;
}

/* FUNCTION, which may be in a module that comes later */
bool places_is_name(const char *text)
{
    const char *colon = strrchr(text, ':');
    return text[0] != '*' && !is_number(text) && !(colon && is_number(colon + 1));
}

static const struct debug_place *one(struct session *s, const struct ptx_func *func, u32 inst)
{
    struct debug_place *at = arena_new(&s->mem, struct debug_place);
    at->func = func;
    at->inst = inst;
    return at;
}

static bool of_instruction(struct session *s, const struct session_module *m, const char *text,
                           const struct debug_place **places, u32 *n)
{
    const char *plus = strrchr(text, '+');
    const struct ptx_func *func = s->where.at.func;
    const u32 index = (u32)strtoul(plus ? plus + 1 : text, NULL, 0);
    if (plus) {
        const struct debug_function *f =
            debug_function_find(m->info, arena_strndup(&s->mem, text, (size_t)(plus - text)));
        func = f ? f->func : NULL;
    }
    if (!func || module_of(s, func) != m || index >= func->ninsts)
        return false;
    *places = one(s, func, index);
    *n = 1;
    return true;
}

/* The file of a LINE without one: where the focus is, else that of the module's first function. */
static const char *default_file(const struct session *s, const struct session_module *m)
{
    u32 n;
    if (s->frames && s->focus.frame < s->nframes && s->frames[s->focus.frame].line.file)
        return s->frames[s->focus.frame].line.file;
    const struct debug_line line = line_of(s, s->where.at);
    if (line.file)
        return line.file;
    const struct debug_function *f = debug_functions(m->info, &n);
    for (u32 k = 0; k < n; k++) {
        const struct debug_line first = debug_line_at(m->info, debug_function_start(m->info, f[k].func));
        if (f[k].func->is_entry && (f[k].file || first.file))
            return f[k].file ? f[k].file : first.file;
    }
    return NULL;
}

bool places_find(struct session *s, const struct session_module *m, const char *text, const struct debug_place **places,
                 u32 *n)
{
    const char *colon = strrchr(text, ':');
    u32 found;
    *n = 0;
    if (text[0] == '*')
        return of_instruction(s, m, text + 1, places, n);
    if (is_number(text) || (colon && is_number(colon + 1))) {
        const char *file = is_number(text) ? default_file(s, m) : arena_strndup(&s->mem, text, (size_t)(colon - text));
        const char *line = is_number(text) ? text : colon + 1;
        *n = file ? debug_line_places(m->info, file, (u32)strtoul(line, NULL, 10), places, &found) : 0;
        return *n > 0;
    }
    const struct debug_function *f = debug_function_find(m->info, text);
    if (!f)
        return false;
    *places = one(s, f->func, debug_function_start(m->info, f->func).inst);
    *n = 1;
    return true;
}
