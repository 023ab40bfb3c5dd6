/* info.c - see info.h: opening, and functions. */
#include "debug/info/info.h"

#include "base/alloc.h"
#include "debug/info/internal.h"

static void list_functions(struct debug_info *info)
{
    const struct ptx_module *m = info->m;
    info->functions = arena_array(&info->mem, struct debug_function, m->nfuncs);
    info->subprograms = arena_array(&info->mem, struct subprogram, m->nfuncs);
    info->function_of = arena_array(&info->mem, u32, m->nfuncs);
    for (u32 i = 0; i < m->nfuncs; i++) {
        const struct ptx_func *f = m->funcs[i];
        if (!f->defined || f->alias)
            continue;
        const char *name = demangle_function(&info->mem, f->name);
        info->functions[info->nfunctions] = (struct debug_function){.func = f, .name = name ? name : f->name};
        info->function_of[i] = ++info->nfunctions;
    }
}

enum ls_status debug_info_open(const struct ptx_module *m, struct debug_info **out, struct diag_list *diags)
{
    *out = NULL;
    struct debug_info *info = ls_calloc(1, sizeof *info);
    if (!info)
        return LS_ERR_NOMEM;
    info->mem.name = "info";
    info->m = m;
    info->diags = diags;
    if (setjmp(info->mem.oom)) {
        debug_info_close(info);
        return LS_ERR_NOMEM;
    }
    list_functions(info);
    if (sections_open(info))
        walk_units(info);
    make_lines(info);
    info->diags = NULL;
    *out = info;
    return LS_OK;
}

void debug_info_close(struct debug_info *info)
{
    if (!info)
        return;
    sections_close(info);
    arena_free(&info->mem);
    ls_free(info);
}

bool debug_info_has_variables(const struct debug_info *info) { return info->dwarf != NULL; }

struct arena *debug_info_memory(struct debug_info *info) { return &info->mem; }

const struct debug_function *debug_functions(const struct debug_info *info, u32 *n)
{
    *n = info->nfunctions;
    return info->functions;
}

/* The last parts of a qualified name. */
bool same_ending(const char *full, const char *name)
{
    const size_t n = strlen(full), k = strlen(name);
    return n >= k && strcmp(full + n - k, name) == 0 && (n == k || (n > k + 1 && full[n - k - 1] == ':'));
}

const struct debug_function *debug_function_find(const struct debug_info *info, const char *name)
{
    for (u32 i = 0; i < info->nfunctions; i++)
        if (strcmp(info->functions[i].name, name) == 0 || strcmp(info->functions[i].func->name, name) == 0)
            return &info->functions[i];
    for (u32 i = 0; i < info->nfunctions; i++)
        if (same_ending(info->functions[i].name, name))
            return &info->functions[i];
    return NULL;
}

const struct debug_function *debug_function_of(const struct debug_info *info, const struct ptx_func *func)
{
    const u32 i = function_index(info, func);
    const u32 k = i < info->m->nfuncs ? info->function_of[i] : 0;
    return k ? &info->functions[k - 1] : NULL;
}

const struct ptx_var *debug_register(const struct debug_info *info, const struct ptx_func *func, const char *name)
{
    (void)info;
    for (u32 i = 0; func && i < func->nregs; i++)
        if (strcmp(func->regs[i]->name, name) == 0)
            return func->regs[i];
    return NULL;
}

const struct ptx_var *debug_module_variable(const struct debug_info *info, const char *name)
{
    for (u32 i = 0; i < info->m->nvars; i++)
        if (strcmp(info->m->vars[i]->name, name) == 0)
            return info->m->vars[i];
    return NULL;
}
