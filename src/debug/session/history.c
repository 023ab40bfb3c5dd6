/* history.c - what has happened up to here, which the agent learns by running the launch once more: what each line has cost,
 * and who wrote a variable of shared memory last, element by element. */
#include <stdlib.h>
#include <string.h>

#include "debug/session/internal.h"

/* ---- costs ---- */

bool session_costs(struct session *s, const struct session_cost **out, u32 *n)
{
    if (!s->stop_message)
        return session_fail(s, "No kernel is being run.");
    const json_t *list = json_object_get(client_ask_cached(s, "costs", NULL), "lines");
    struct session_cost *all = arena_array(&s->stop_mem, struct session_cost, json_array_size(list) + 1);
    *n = (u32)json_array_size(list);
    *out = all;
    for (u32 k = 0; k < *n; k++) {
        const json_t *l = json_array_get(list, k);
        all[k] = (struct session_cost){.file = json_string_value(json_object_get(l, "file")),
                                       .line = (u32)member_u64(l, "line", 0),
                                       .ptx_line = (u32)member_u64(l, "ptx_line", 0),
                                       .instructions = member_u64(l, "instructions", 0),
                                       .threads = member_u64(l, "threads", 0),
                                       .sectors = member_u64(l, "sectors", 0),
                                       .wavefronts = member_u64(l, "wavefronts", 0),
                                       .cycles = member_u64(l, "cycles", 0)};
    }
    return list != NULL;
}

/* ---- shared memory ---- */

/* <length><name>, and nothing or a number behind it; NULL: it is not that. */
static const char *counted_name(struct session *s, const char *at)
{
    char *name;
    const unsigned long n = strtoul(at, &name, 10);
    if (name == at || !n || strlen(name) < n || (name[n] && name[n] != '_'))
        return NULL;
    return arena_printf(&s->stop_mem, "%.*s", (int)n, name);
}

/* The plain name in _ZZ10shared_sumPiE4cell, _Z4cell and _ZL4cell. */
static const char *plain_name(struct session *s, const char *mangled)
{
    const char *found = NULL;
    if (strncmp(mangled, "_Z", 2) != 0)
        return mangled;
    if (mangled[2] != 'Z')
        found = counted_name(s, mangled + 2 + (mangled[2] == 'L'));
    for (const char *p = mangled; mangled[2] == 'Z' && (p = strchr(p, 'E')) && !found; p++)
        found = counted_name(s, p + 1);
    return found ? found : mangled;
}

u32 session_shared_variables(struct session *s, const char *const **out)
{
    const json_t *list = s->stop_message ? json_object_get(client_ask_cached(s, "shared", NULL), "variables") : NULL;
    const char **all = arena_array(&s->stop_mem, const char *, json_array_size(list) + 1);
    const u32 n = (u32)json_array_size(list);
    for (u32 k = 0; k < n; k++)
        all[k] = plain_name(s, member_text(json_array_get(list, k), "name"));
    *out = all;
    return n;
}

/* The PTX's variable of that name, or of a source variable whose name is mangled in it. */
static const json_t *find_variable(struct session *s, const char *name)
{
    const json_t *list = json_object_get(client_ask_cached(s, "shared", NULL), "variables");
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *v = json_array_get(list, k);
        if (strcmp(member_text(v, "name"), name) == 0 || strcmp(plain_name(s, member_text(v, "name")), name) == 0)
            return v;
    }
    return NULL;
}

static const struct debug_type *element_of(const struct debug_type *t)
{
    const struct debug_type *e = debug_type_strip(t);
    while (e->kind == DEBUG_ARRAY && e->target)
        e = debug_type_strip(e->target);
    return e;
}

/* What it is, as the source says, or words of 4 bytes. */
static bool describe(struct session *s, const char *name, struct session_shared *out)
{
    const json_t *v = find_variable(s, name);
    enum ptx_space space;
    u64 address, size;
    out->name = v ? plain_name(s, member_text(v, "name")) : name;
    if (session_address(s, out->name, &space, &address, &size) && space == SPACE_SHARED) {
        out->address = address;
        out->size = size;
        out->element = element_of(s->address_type);
    } else if (v) {
        out->address = member_u64(v, "address", 0);
        out->size = member_u64(v, "size", 0);
    } else {
        return session_fail(s, "%s is no variable in shared memory here.", name);
    }
    const struct session_module *m = session_module_here(s);
    if (!out->element || !out->element->size)
        out->element = m ? debug_type_base(m->info, DEBUG_SIGNED, 4) : NULL;
    if (out->size == 0 && v) /* `extern __shared__`: as large as the launch says */
        out->size = member_u64(v, "size", 0);
    return out->element || session_fail(s, "There are no types.");
}

static void read_writers(struct session *s, const json_t *a, struct session_shared *out)
{
    const json_t *elements = json_object_get(a, "elements"), *places = json_object_get(a, "places");
    struct session_writer *all = arena_array(&s->stop_mem, struct session_writer, json_array_size(elements) + 1);
    const u32 *dim = s->launch.block;
    out->n = (u32)json_array_size(elements);
    out->writers = all;
    for (u32 k = 0; k < out->n; k++) {
        const json_t *e = json_array_get(elements, k);
        all[k] = (struct session_writer){.written = json_is_array(e)};
        if (!all[k].written)
            continue;
        all[k].tick = (u64)json_integer_value(json_array_get(e, 0));
        all[k].warp = (u32)json_integer_value(json_array_get(e, 1));
        all[k].lane = (u32)json_integer_value(json_array_get(e, 2));
        const u32 linear = all[k].warp * 32 + all[k].lane;
        all[k].thread[0] = linear % dim[0];
        all[k].thread[1] = linear / dim[0] % dim[1];
        all[k].thread[2] = linear / dim[0] / dim[1];
        all[k].at = place_of(s, json_array_get(places, (size_t)json_integer_value(json_array_get(e, 3))));
        all[k].function = function_name(s, all[k].at.func);
        all[k].line = line_of(s, all[k].at);
    }
}

bool session_shared(struct session *s, const char *name, struct session_shared *out)
{
    *out = (struct session_shared){0};
    if (!s->stop_message || !s->where.in_warp)
        return session_fail(s, "No thread is about to run here.");
    if (!describe(s, name, out))
        return false;
    const json_t *a = client_ask_cached(s, "writers",
                                        json_pack("{s:I, s:I, s:I, s:I}", "block", (json_int_t)s->focus.block,
                                                  "address", (json_int_t)out->address, "size", (json_int_t)out->size,
                                                  "step", (json_int_t)out->element->size));
    if (a)
        read_writers(s, a, out);
    return a != NULL;
}

bool session_shared_values(struct session *s, const struct session_shared *v, u32 first, u32 n, const char **text)
{
    const struct debug_format f = {.elements = 8};
    const struct session_module *m = session_module_here(s);
    struct debug_context c;
    if (!m || !session_context(s, &c))
        return false;
    const struct debug_type *t = n == 1 ? v->element : debug_type_array(m->info, v->element, n);
    *text = debug_value_text(&c, debug_value_in_memory(t, SPACE_SHARED, v->address + first * v->element->size), &f);
    return true;
}
