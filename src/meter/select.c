/* select.c - see select.h. */
#include "meter/select.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_name(struct select_name *n, const char *text, char why[256])
{
    static const char prefix[] = "regex:";
    *n = (struct select_name){0};
    if (!text || !*text)
        return true;
    if (strncmp(text, prefix, sizeof prefix - 1) != 0) {
        n->name = text;
        return true;
    }
    const int bad = regcomp(&n->pattern, text + sizeof prefix - 1, REG_EXTENDED | REG_NOSUB);
    n->by_pattern = !bad;
    if (bad)
        snprintf(why, 256, "'%s' is no regular expression", text + sizeof prefix - 1);
    return !bad;
}

static bool read_id_number(const char *text, u64 *out, char why[256])
{
    char *end;
    *out = strtoull(text, &end, 10);
    if (!*text || (isdigit((unsigned char)*text) && !*end))
        return true;
    snprintf(why, 256, "'%.100s' is no number (context:stream:name:invocation, each may be left out)", text);
    return false;
}

/* The name may hold colons (regex:..., ns::name), so the first two fields and the last are cut off. */
static bool read_id(struct select *s, const char *text, char why[256])
{
    if (!text || !*text)
        return true;
    snprintf(s->id_text, sizeof s->id_text, "%s", text);
    char *stream = strchr(s->id_text, ':'), *name = stream ? strchr(stream + 1, ':') : NULL;
    char *invocation = name ? strrchr(name + 1, ':') : NULL;
    if (!invocation) {
        snprintf(why, 256, "'%s' is not context:stream:name:invocation", text);
        return false;
    }
    *stream = *name = *invocation = 0;
    return read_id_number(s->id_text, &s->id_context, why) && read_id_number(stream + 1, &s->id_stream, why) &&
           read_id_number(invocation + 1, &s->id_invocation, why) && read_name(&s->id_name, name + 1, why);
}

bool select_init(struct select *s, const struct select_options *options, char why[256])
{
    *s = (struct select){.options = *options, .any_base = !options->base || !*options->base};
    pthread_mutex_init(&s->lock, NULL);
    if (!s->any_base && !kernel_base_find(options->base, &s->base)) {
        snprintf(why, 256, "'%s' is not function, demangled or mangled", options->base);
        s->any_base = true;
        return false;
    }
    if (read_name(&s->kernel, options->kernel, why) && read_id(s, options->kernel_id, why))
        return true;
    select_free(s);
    s->kernel = s->id_name = (struct select_name){0};
    s->id_context = s->id_stream = s->id_invocation = 0;
    return false;
}

static bool fits(const struct select_name *n, const char *name)
{
    return n->by_pattern ? regexec(&n->pattern, name, 0, NULL, 0) == 0 : !strcmp(n->name, name);
}

static bool matches(const struct select *s, const struct select_name *n, const char *mangled)
{
    char name[4096];
    if (!n->name && !n->by_pattern)
        return true;
    if (s->any_base)
        return fits(n, mangled) || fits(n, kernel_name(mangled, KERNEL_FUNCTION, name, sizeof name));
    return fits(n, kernel_name(mangled, s->base, name, sizeof name));
}

static bool matches_id(struct select *s, const char *mangled, u64 context, u64 stream)
{
    if ((s->id_context && s->id_context != context) || (s->id_stream && s->id_stream != stream) ||
        !matches(s, &s->id_name, mangled))
        return false;
    s->invocations++;
    return !s->id_invocation || s->id_invocation == s->invocations;
}

static bool take(struct select *s, const char *mangled, u64 context, u64 stream)
{
    const struct select_options *o = &s->options;
    if (s->seen++ < o->skip_any)
        return false;
    if (o->count && s->matched >= o->skip && s->matched - o->skip >= o->count)
        return false; /* enough: no name is looked at any more */
    if (!matches(s, &s->kernel, mangled) || !matches_id(s, mangled, context, stream))
        return false;
    return s->matched++ >= o->skip;
}

bool select_take(struct select *s, const char *mangled, u64 context, u64 stream)
{
    pthread_mutex_lock(&s->lock);
    const bool wanted = take(s, mangled, context, stream);
    pthread_mutex_unlock(&s->lock);
    return wanted;
}

void select_free(struct select *s)
{
    if (s->kernel.by_pattern)
        regfree(&s->kernel.pattern);
    if (s->id_name.by_pattern)
        regfree(&s->id_name.pattern);
    s->kernel.by_pattern = s->id_name.by_pattern = false;
}
