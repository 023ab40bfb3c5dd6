/* findings.c - what the tools of `lockstep check` found in the launch, and going to those who did it. */
#include <string.h>

#include "debug/session/internal.h"

static const char *kept_text(struct session *s, const json_t *o, const char *name)
{
    const char *text = json_string_value(json_object_get(o, name));
    return text ? arena_printf(&s->stop_mem, "%s", text) : NULL;
}

static const char *base_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file;
}

static const char *place_text(struct session *s, const json_t *o)
{
    const char *name = json_string_value(json_object_get(o, "function"));
    const struct session_module *m;
    const struct ptx_func *f = name ? module_function(s, name, &m) : NULL;
    const char *file = base_name(json_string_value(json_object_get(o, "file")));
    const u64 line = member_u64(o, "line", 0), ptx_line = member_u64(o, "ptx_line", 0);
    if (!name)
        return NULL;
    name = f ? function_name(s, f) : name;
    return file && line ? arena_printf(&s->stop_mem, "%s at %s:%llu", name, file, (unsigned long long)line)
                        : arena_printf(&s->stop_mem, "%s at line %llu of the PTX", name, (unsigned long long)ptx_line);
}

static void read_party(struct session *s, const json_t *o, struct session_party *p)
{
    if (!o)
        return;
    p->is = true;
    p->has_thread = json_object_get(o, "thread") != NULL;
    member_dim(o, "block", p->block);
    member_dim(o, "thread", p->thread);
    p->does = kept_text(s, o, "does");
    p->value = kept_text(s, o, "value");
    p->launched = kept_text(s, o, "launched");
    p->place = place_text(s, o);
    p->has_tick = json_object_get(o, "tick") != NULL;
    p->tick = member_u64(o, "tick", 0);
}

static const char *lines_of(struct session *s, const json_t *list)
{
    const char *text = "";
    size_t i;
    json_t *line;
    json_array_foreach((json_t *)list, i, line)
        text = arena_printf(&s->stop_mem, "%s%s%s", text, i ? "\n" : "", json_string_value(line));
    return text;
}

static void read_finding(struct session *s, const json_t *o, struct session_finding *f)
{
    const char *what = kept_text(s, o, "what");
    *f = (struct session_finding){.number = (u32)member_u64(o, "number", 0),
                                  .tool = kept_text(s, o, "tool"),
                                  .kind = kept_text(s, o, "kind"),
                                  .title = what ? what : kept_text(s, o, "title"),
                                  .detail = lines_of(s, json_object_get(o, "detail")),
                                  .has_tick = json_object_get(o, "tick") != NULL,
                                  .tick = member_u64(o, "tick", 0),
                                  .message = o};
    read_party(s, json_object_get(o, "at"), &f->party[0]);
    read_party(s, json_object_get(o, "other"), &f->party[1]);
}

static void read_list(struct session *s, const json_t *list, const struct session_finding **out, u32 *n)
{
    struct session_finding *all = arena_array(&s->stop_mem, struct session_finding, json_array_size(list) + 1);
    *n = (u32)json_array_size(list);
    *out = all;
    for (u32 k = 0; k < *n; k++)
        read_finding(s, json_array_get(list, k), &all[k]);
}

bool session_findings(struct session *s, const struct session_finding **out, u32 *n)
{
    const json_t *a = s->stop_message ? client_ask_cached(s, "findings", NULL) : NULL;
    if (!s->stop_message)
        return session_fail(s, "No kernel is being run.");
    read_list(s, json_object_get(a, "findings"), out, n);
    return a != NULL;
}

u32 session_findings_here(struct session *s, const struct session_finding **out)
{
    u32 n;
    read_list(s, json_object_get(s->stop_message, "findings"), out, &n);
    return n;
}

void session_finding_read(struct session *s, const json_t *message, struct session_finding *out)
{
    read_finding(s, json_object_get(message, "finding"), out);
}

static const char *party_text(struct session *s, const struct session_party *p)
{
    struct arena *mem = &s->stop_mem;
    const char *text = p->does ? p->does : p->has_thread ? "access" : "";
    if (p->value && p->does && strcmp(p->does, "read") != 0)
        text = arena_printf(mem, "%s of %s", text, p->value);
    if (p->has_thread)
        text = arena_printf(mem, "%s by block (%u,%u,%u), thread (%u,%u,%u)", text, p->block[0], p->block[1],
                            p->block[2], p->thread[0], p->thread[1], p->thread[2]);
    if (p->launched)
        text = arena_printf(mem, "%s%s%s", text, p->has_thread ? " of " : *text ? " by " : "", p->launched);
    if (p->place)
        text = arena_printf(mem, "%s in %s", text, p->place);
    if (p->has_tick)
        text = arena_printf(mem, "%s (tick %llu)", text, (unsigned long long)p->tick);
    return text;
}

const char *session_finding_text(struct session *s, const struct session_finding *f)
{
    struct arena *mem = &s->stop_mem;
    const char *text = f->number ? arena_printf(mem, "Finding %u, %s: %s", f->number, f->tool, f->title)
                                 : arena_printf(mem, "Finding, %s: %s", f->tool, f->title);
    for (u32 k = 0; k < 2; k++)
        if (f->party[k].is)
            text = arena_printf(mem, "%s\n  %u: %s", text, k + 1, party_text(s, &f->party[k]));
    for (const char *at = f->detail; *at;) {
        const size_t n = strcspn(at, "\n");
        text = arena_printf(mem, "%s\n  %.*s", text, (int)n, at);
        at += n + (at[n] != 0);
    }
    return text;
}

/* The one of that number; 0: the one at which it stands. */
static const struct session_finding *find(struct session *s, u32 number)
{
    const struct session_finding *all;
    u32 n = number ? 0 : session_findings_here(s, &all);
    if (!n && !session_findings(s, &all, &n))
        return NULL;
    for (u32 k = 0; k < n; k++)
        if (all[k].number == number || (!number && (n == 1 || json_object_get(s->stop_message, "findings"))))
            return &all[k];
    session_fail(s, number ? "There is no finding %u." : "Which finding? `info findings` has their numbers.", number);
    return NULL;
}

bool session_go_to_finding(struct session *s, u32 number, u32 party)
{
    const struct session_finding *f = find(s, number);
    if (!f)
        return false;
    if (party > 2 || (party && !f->party[party - 1].is))
        return session_fail(s, "The finding has no party %u.", party);
    const struct session_party *p = party ? &f->party[party - 1] : NULL;
    if (p ? !p->has_tick : !f->has_tick)
        return session_fail(s, "It is not known when that was.");
    const u32 *dim = s->launch.block, *t = p ? p->thread : NULL;
    json_t *q = json_pack("{s:I, s:b}", "tick", (json_int_t)(p ? p->tick : f->tick), "straight", 1);
    if (p)
        json_object_set_new(q, "lanes",
                            json_integer((json_int_t)(1u << (t[0] + dim[0] * (t[1] + dim[1] * t[2])) % 32)));
    return go(s, "goto", q);
}
