/* modules.c - the program's modules: their PTX, fetched once and parsed again here, with its symbols; and source files. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "debug/session/internal.h"

enum { PIECE = 1 << 19 }; /* bytes of a text that are asked for at once */

/* The text, ls_realloc'ed. NULL: it could not be had. */
static char *fetch_text(struct session *s, u64 module, u32 unit, size_t size)
{
    char *text = ls_realloc(NULL, size + 1);
    size_t at = 0;
    while (text && at < size) {
        const json_t *a = client_ask(s, "text",
                                     json_pack("{s:I, s:I, s:I, s:I}", "module", (json_int_t)module, "unit",
                                               (json_int_t)unit, "from", (json_int_t)at, "size", (json_int_t)PIECE));
        const size_t n = a ? json_string_length(json_object_get(a, "text")) : 0;
        if (!n || n > size - at) {
            ls_free(text);
            return NULL;
        }
        memcpy(text + at, member_text(a, "text"), n);
        at += n;
    }
    if (text)
        text[size] = '\0';
    return text;
}

static void open_unit(struct session *s, u64 module, u32 unit, const char *file, size_t size)
{
    struct session_module *m = arena_new(&s->mem, struct session_module);
    struct diag_list diags;
    char *text = fetch_text(s, module, unit, size);
    diag_init(&diags);
    m->number = (u32)module;
    m->unit = unit;
    if (text && ptx_parse(text, size, file, &m->ptx, &diags) == LS_OK &&
        debug_info_open(m->ptx, &m->info, &diags) == LS_OK) {
        debug_info_memory(m->info)->under = &s->mem;
        vec_push(&s->mem, &s->modules, m);
    } else if (m->ptx) {
        ptx_free(m->ptx);
    }
    diag_free(&diags);
    ls_free(text);
}

static bool known(const struct session *s, u64 module)
{
    for (u32 k = 0; k < s->modules.len; k++)
        if (!s->modules.at[k]->gone && s->modules.at[k]->number == module)
            return true;
    return false;
}

void modules_refresh(struct session *s)
{
    const json_t *all = json_object_get(client_ask(s, "modules", NULL), "modules");
    for (size_t k = 0; k < json_array_size(all); k++) {
        const json_t *m = json_array_get(all, k), *units = json_object_get(m, "units");
        const u64 number = member_u64(m, "module", 0);
        for (size_t u = 0; u < json_array_size(units) && (u > 0 || !known(s, number)); u++) {
            const json_t *unit = json_array_get(units, u);
            open_unit(s, number, (u32)u, member_text(unit, "file"), member_u64(unit, "size", 0));
        }
    }
}

u32 session_modules(const struct session *s, const struct session_module *const **out)
{
    *out = s->modules.at;
    return s->modules.len;
}

/* The launch's module first, then the newest. */
const struct ptx_func *module_function(const struct session *s, const char *name, const struct session_module **of)
{
    for (u32 pass = 0; pass < 2; pass++)
        for (u32 k = s->modules.len; k-- > 0;) {
            const struct session_module *m = s->modules.at[k];
            if (m->gone || (pass == 0 && m->number != s->module))
                continue;
            for (u32 f = 0; f < m->ptx->nfuncs; f++)
                if (m->ptx->funcs[f]->defined && strcmp(m->ptx->funcs[f]->name, name) == 0) {
                    *of = m;
                    return m->ptx->funcs[f];
                }
        }
    return NULL;
}

const struct session_module *module_of(const struct session *s, const struct ptx_func *func)
{
    for (u32 k = s->modules.len; func && k-- > 0;)
        for (u32 f = 0; f < s->modules.at[k]->ptx->nfuncs; f++)
            if (s->modules.at[k]->ptx->funcs[f] == func)
                return s->modules.at[k];
    return NULL;
}

const struct session_module *session_module_here(const struct session *s)
{
    const struct session_module *m = module_of(s, s->where.at.func);
    for (u32 k = s->modules.len; !m && k-- > 0;)
        m = s->modules.at[k]->gone ? NULL : s->modules.at[k];
    return m;
}

const char *function_name(const struct session *s, const struct ptx_func *f)
{
    const struct session_module *m = module_of(s, f);
    const struct debug_function *d = m ? debug_function_of(m->info, f) : NULL;
    return d ? d->name : f ? f->name : "??";
}

struct debug_place place_of(const struct session *s, const json_t *message)
{
    const struct session_module *m;
    struct debug_place at = {0};
    const json_t *index = json_object_get(message, "index");
    if (!index || !(at.func = module_function(s, member_text(message, "function"), &m)))
        return (struct debug_place){0};
    at.inst = (u32)json_integer_value(index);
    if (at.inst >= at.func->ninsts)
        return (struct debug_place){0};
    return at;
}

struct debug_line line_of(const struct session *s, struct debug_place at)
{
    const struct session_module *m = module_of(s, at.func);
    return m ? debug_line_at(m->info, at) : (struct debug_line){0};
}

/* As it is named; else in the folder where we are, by its last part. */
const char *session_source(struct session *s, const char *file)
{
    if (!file || access(file, R_OK) == 0)
        return file;
    const char *slash = strrchr(file, '/');
    if (slash && access(slash + 1, R_OK) == 0)
        return arena_printf(&s->stop_mem, "%s", slash + 1);
    return NULL;
}
