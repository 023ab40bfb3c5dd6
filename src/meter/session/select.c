/* select.c - see select.h. */
#include "meter/session/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

bool select_given(const struct select_options *o)
{
    return o->kernel || o->kernel_id || o->skip || o->count || o->skip_any;
}

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

/* An expression of digits. `.*` as an invocation is refused, as by ncu: an empty one says the same. */
static bool read_number(struct select_number *n, const char *text, bool digit, char why[256])
{
    static const char allowed[] = "0123456789.*+?|()[]{}^$-,";
    char whole[4096 + 8];
    n->given = *text;
    if (!n->given)
        return true;
    snprintf(whole, sizeof whole, "^(%s)$", text);
    if (!text[strspn(text, allowed)] && (!digit || strpbrk(text, "0123456789")) &&
        !regcomp(&n->pattern, whole, REG_EXTENDED | REG_NOSUB))
        return true;
    n->given = false;
    snprintf(why, 256, "'%.100s' is no number (context:stream:name:invocation, each may be left out)", text);
    return false;
}

/* The name may hold colons (regex:..., ns::name), so the first two fields and the last are cut off. */
static bool read_id(struct select *s, const char *text, char why[256])
{
    s->by_id = text && *text;
    if (!s->by_id)
        return true;
    const bool fits = strlen(text) < sizeof s->id_text;
    snprintf(s->id_text, sizeof s->id_text, "%s", fits ? text : "");
    char *stream = strchr(s->id_text, ':'), *name = stream ? strchr(stream + 1, ':') : NULL;
    char *invocation = name ? strrchr(name + 1, ':') : NULL;
    if (!invocation) {
        snprintf(why, 256, "'%.100s' is not context:stream:name:invocation", text);
        return false;
    }
    *stream = *name = *invocation = 0;
    return read_number(&s->id_context, s->id_text, false, why) && read_number(&s->id_stream, stream + 1, false, why) &&
           read_number(&s->id_invocation, invocation + 1, true, why) && read_name(&s->id_name, name + 1, why);
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
    s->by_id = false;
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

static bool fits_number(const struct select_number *n, u64 value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return !n->given || regexec(&n->pattern, text, 0, NULL, 0) == 0;
}

/* The kernel's count; NULL: there is no memory for one. */
static u64 *count_of(struct select *s, const char *name, u64 context, u64 stream)
{
    for (u32 i = 0; i < s->ncounts; i++)
        if (s->counts[i].context == context && s->counts[i].stream == stream && !strcmp(s->counts[i].name, name))
            return &s->counts[i].n;
    struct select_count *more = ls_realloc(s->counts, sizeof *more * (s->ncounts + 1));
    const size_t len = strlen(name) + 1;
    char *copy = more ? ls_calloc(len, 1) : NULL;
    s->counts = more ? more : s->counts;
    if (!copy)
        return NULL;
    memcpy(copy, name, len);
    s->counts[s->ncounts] = (struct select_count){copy, context, stream, 0};
    return &s->counts[s->ncounts++].n;
}

static bool matches_id(struct select *s, const char *mangled, u64 context, u64 stream)
{
    char name[4096];
    if (!fits_number(&s->id_context, context) || !fits_number(&s->id_stream, stream) ||
        !matches(s, &s->id_name, mangled))
        return false;
    if (!s->id_invocation.given)
        return true;
    u64 *n = count_of(s, kernel_name(mangled, s->any_base ? KERNEL_FUNCTION : s->base, name, sizeof name),
                      s->id_context.given ? context : 0, s->id_stream.given ? stream : 0);
    return n && fits_number(&s->id_invocation, ++*n);
}

static bool take(struct select *s, const char *mangled, u64 context, u64 stream)
{
    const struct select_options *o = &s->options;
    if (s->seen++ < o->skip_any)
        return false;
    if (o->count && s->matched >= o->skip && s->matched - o->skip >= o->count)
        return false; /* enough: no name is looked at any more */
    if (s->by_id ? !matches_id(s, mangled, context, stream) : !matches(s, &s->kernel, mangled))
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
    struct select_number *const numbers[] = {&s->id_context, &s->id_stream, &s->id_invocation};
    if (s->kernel.by_pattern)
        regfree(&s->kernel.pattern);
    if (s->id_name.by_pattern)
        regfree(&s->id_name.pattern);
    for (u32 i = 0; i < LS_ARRAY_LEN(numbers); i++) {
        if (numbers[i]->given)
            regfree(&numbers[i]->pattern);
        numbers[i]->given = false;
    }
    for (u32 i = 0; i < s->ncounts; i++)
        ls_free(s->counts[i].name);
    ls_free(s->counts);
    s->counts = NULL;
    s->ncounts = 0;
    s->kernel.by_pattern = s->id_name.by_pattern = false;
}
