/* inspect_module.c - modules, their texts and functions, as answers. */
#include <stdio.h>
#include <string.h>

#include "debug/agent/internal.h"
#include "exec/module.h"

static json_t *tell_module(const struct agent_module *x)
{
    json_t *units = json_array();
    for (unsigned k = 0; k < x->module->nunits; k++) {
        const struct ptx_module *u = x->module->units[k];
        json_array_append_new(units, json_pack("{s:o, s:I}", "file", word_text(u->file, strlen(u->file)), "size",
                                               (json_int_t)u->text_len));
    }
    return json_pack("{s:I, s:o}", "module", (json_int_t)x->id, "units", units);
}

bool inspect_modules(const json_t *q, json_t *out, char why[200])
{
    json_t *all = json_array();
    (void)q, (void)why;
    pthread_mutex_lock(&agent.modules_lock);
    for (const struct agent_module *x = agent.modules; x; x = x->next)
        json_array_insert_new(all, 0, tell_module(x));
    pthread_mutex_unlock(&agent.modules_lock);
    json_object_set_new(out, "modules", all);
    return true;
}

/* modules_lock held */
static const struct exec_module *find_module(const json_t *q, char why[200])
{
    u64 id = 0;
    word_u64(json_object_get(q, "module"), &id);
    for (const struct agent_module *x = agent.modules; x; x = x->next)
        if (x->id == id)
            return x->module;
    snprintf(why, 200, "there is no module of that number");
    return NULL;
}

static bool text_of(const struct exec_module *m, const json_t *q, json_t *out, char why[200])
{
    u64 unit, from, size;
    if (!word_member(q, "unit", 0, m->nunits - 1, &unit) || !m->nunits) {
        snprintf(why, 200, "the module has not that many texts");
        return false;
    }
    const struct ptx_module *u = m->units[unit];
    if (!word_member(q, "from", 0, u->text_len, &from) || !word_member(q, "size", UINT64_MAX, UINT64_MAX, &size)) {
        snprintf(why, 200, "from is in the text, size a number");
        return false;
    }
    const u64 rest = u->text_len - from, n = size < rest ? size : rest;
    json_object_set_new(out, "text", word_text(u->text + from, n));
    json_object_set_new(out, "rest", json_integer((json_int_t)(rest - n)));
    return true;
}

bool inspect_text(const json_t *q, json_t *out, char why[200])
{
    pthread_mutex_lock(&agent.modules_lock);
    const struct exec_module *m = find_module(q, why);
    const bool ok = m && text_of(m, q, out, why);
    pthread_mutex_unlock(&agent.modules_lock);
    return ok;
}

static void list_functions(const struct ptx_module *u, unsigned unit, json_t *all)
{
    for (u32 k = 0; k < u->nfuncs; k++) {
        const struct ptx_func *f = u->funcs[k];
        if (f->defined && !f->is_proto)
            json_array_append_new(all, json_pack("{s:s, s:b, s:I, s:I, s:I}", "function", f->name, "kernel",
                                                 f->is_entry, "instructions", (json_int_t)f->ninsts, "unit",
                                                 (json_int_t)unit, "ptx_line", (json_int_t)f->line));
    }
}

bool inspect_functions(const json_t *q, json_t *out, char why[200])
{
    json_t *all = json_array();
    pthread_mutex_lock(&agent.modules_lock);
    const struct exec_module *m = find_module(q, why);
    for (unsigned k = 0; m && k < m->nunits; k++)
        list_functions(m->units[k], k, all);
    pthread_mutex_unlock(&agent.modules_lock);
    json_object_set_new(out, "functions", all);
    return m != NULL;
}

static bool tell_named(const struct ptx_module *u, const char *name, u64 index, json_t *out)
{
    for (u32 k = 0; k < u->nfuncs; k++) {
        const struct ptx_func *f = u->funcs[k];
        if (!f->defined || f->is_proto || strcmp(f->name, name) != 0 || index >= f->ninsts)
            continue;
        tell_instruction(out, u, f, (u32)index);
        return true;
    }
    return false;
}

bool inspect_instruction(const json_t *q, json_t *out, char why[200])
{
    const char *name = json_string_value(json_object_get(q, "function"));
    u64 index;
    bool ok = false;
    pthread_mutex_lock(&agent.modules_lock);
    const struct exec_module *m = find_module(q, why);
    if (m)
        snprintf(why, 200, "the module has no such instruction");
    if (m && name && word_u64(json_object_get(q, "index"), &index))
        for (unsigned k = 0; !ok && k < m->nunits; k++)
            ok = tell_named(m->units[k], name, index, out);
    pthread_mutex_unlock(&agent.modules_lock);
    return ok;
}
