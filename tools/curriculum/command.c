/* command.c - a command line of Lockstep, as far as the rows use it: whether it would run, and which rung at which
 * shape. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curriculum.h"

static const char *bad(const char *what, const char *text)
{
    static char message[200];
    snprintf(message, sizeof message, "%s: '%.120s'", what, text);
    return message;
}

static bool read_count(const char *text, u64 most, u64 *out)
{
    char *end;
    const unsigned long long v = strtoull(text, &end, 10);
    u32 shift = *end == 'k' ? 10 : *end == 'm' ? 20 : 0;
    end += shift != 0;
    *out = (u64)v << shift;
    return end != text && !*end && text[0] >= '1' && text[0] <= '9' && *out <= most;
}

static bool read_pair(const char *text, bool one, u32 *a, u32 *b)
{
    char copy[40];
    u64 x, y = 1;
    snprintf(copy, sizeof copy, "%s", text);
    char *cross = strchr(copy, 'x');
    if (cross)
        *cross++ = '\0';
    if ((!cross && !one) || !read_count(copy, 1 << 30, &x) || (cross && !read_count(cross, 1 << 30, &y)))
        return false;
    *a = (u32)x;
    *b = (u32)y;
    return true;
}

static bool add_environment(struct command *c, const char *name, const char *value)
{
    size_t n = strlen(c->environment);
    int more = snprintf(c->environment + n, sizeof c->environment - n, "%s%s=%s", n ? " " : "", name, value);
    return more > 0 && (size_t)more < sizeof c->environment - n;
}

/* FAMILY, FAMILY/RUNG or FAMILY/broken/RUNG */
static const char *read_place(struct command *c, const char *text)
{
    char family[60];
    const char *slash = strchr(text, '/');
    snprintf(family, sizeof family, "%.*s", (int)(slash ? slash - text : (int)strlen(text)), text);
    c->family = lab_family(family);
    if (!c->family)
        return bad("there is no such family", family);
    if (!slash)
        return NULL;
    const bool broken = strncmp(slash, "/broken/", 8) == 0;
    c->rung = lab_rung(c->family, slash + (broken ? 8 : 1), broken);
    return c->rung ? NULL : bad("there is no such rung", text);
}

/* One value of an option that sets the shape; false: not such an option, or not such a value. */
static bool set_shape(struct shape *s, const char *key, const char *value)
{
    u64 v;
    if (strcmp(key, "block") == 0)
        return read_pair(value, true, &s->bx, &s->by);
    if (strcmp(key, "size") == 0)
        return read_pair(value, false, &s->rows, &s->cols);
    if (strcmp(key, "n") == 0)
        return read_count(value, 1ull << 40, &s->n);
    if (!read_count(value, 1 << 30, &v))
        return false;
    if (strcmp(key, "k") == 0)
        s->k = (u32)v;
    else if (strcmp(key, "batch") == 0)
        s->batch = (u32)v;
    else
        return false;
    return true;
}

static bool sweep_good(const char *text)
{
    char copy[200], *save = NULL;
    struct shape unused = {0};
    u32 n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    char *list = strchr(copy, '=');
    if (!list)
        return false;
    *list++ = '\0';
    if (strcmp(copy, "block") == 0 && strcmp(list, "all") == 0)
        return true;
    for (char *v = strtok_r(list, ",", &save); v; v = strtok_r(NULL, ",", &save), n++)
        if (!set_shape(&unused, copy, v))
            return false;
    return n > 0;
}

/* An option that takes a value. */
static const char *read_valued(struct command *c, const char *name, const char *value, bool *several)
{
    if (!value)
        return bad("a value is missing behind", name);
    if (strcmp(name, "--sweep") == 0) {
        *several = true;
        return sweep_good(value) ? NULL : bad("not a sweep", value);
    }
    if (strcmp(name, "--ptx") == 0) {
        *several = true; /* files of the user's */
        return NULL;
    }
    if (strcmp(name, "--gpu") == 0)
        return add_environment(c, "LOCKSTEP_GPU", value) ? NULL : bad("too long", value);
    if (strcmp(name, "--banks") == 0) {
        u32 banks, bytes;
        return read_pair(value, false, &banks, &bytes) && add_environment(c, "LOCKSTEP_BANKS", value)
                   ? NULL
                   : bad("not banks", value);
    }
    return set_shape(&c->shape, name + 2, value) ? NULL : bad("not such a value", value);
}

static bool is_valued(const char *name)
{
    static const char *const names[] = {"--n",   "--size",  "--k",     "--batch", "--block",
                                        "--gpu", "--banks", "--sweep", "--ptx"};
    for (u32 i = 0; i < LS_ARRAY_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* --quick changes nothing that is measured; what the others print is looked at, or goes to a GPU. */
static bool is_flag(const char *word, bool *several)
{
    static const char *const names[] = {"--broken", "--list", "--csv", "--json", "--plot", "--picture"};
    for (u32 i = 0; i < LS_ARRAY_LEN(names); i++)
        if (strcmp(word, names[i]) == 0)
            return *several = true;
    return strcmp(word, "--quick") == 0;
}

static const char *read_climb(struct command *c, char **save)
{
    bool several = false;
    const char *why = NULL;
    for (char *word; !why && (word = strtok_r(NULL, " ", save));)
        if (strcmp(word, "--on") == 0) {
            const char *where = strtok_r(NULL, " ", save);
            several = true;
            why = where && strcmp(where, "gpu") == 0 ? NULL : bad("--on gpu", word);
        } else if (is_valued(word))
            why = read_valued(c, word, strtok_r(NULL, " ", save), &several);
        else if (word[0] == '-')
            why = is_flag(word, &several) ? NULL : bad("no such option", word);
        else
            why = c->family ? bad("a second family", word) : read_place(c, word);
    c->one = c->rung && !several;
    return why;
}

static bool is_program_command(const char *name)
{
    static const char *const names[] = {"cc", "run", "check", "debug"};
    for (u32 i = 0; i < LS_ARRAY_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

const char *command_read(const char *text, struct command *c)
{
    char copy[400], *save = NULL;
    if (strlen(text) >= sizeof copy)
        return bad("too long", text);
    snprintf(copy, sizeof copy, "%s", text);
    const char *name = strtok_r(copy, " ", &save);
    if (name && strcmp(name, "climb") == 0)
        return read_climb(c, &save);
    c->typed = name && is_program_command(name);
    if (c->typed)
        return NULL;
    if (name && (strcmp(name, "gpus") == 0 || strcmp(name, "launch") == 0 || strcmp(name, "ptx") == 0))
        return NULL;
    return bad("Lockstep has no such command", text);
}

const char *command_read_line(const char *text, struct command *c)
{
    while (strncmp(text, "lockstep ", 9) != 0) {
        size_t n = strcspn(text, " ");
        char copy[100];
        snprintf(copy, sizeof copy, "%.*s", (int)n, text);
        char *value = strchr(copy, '=');
        if (!text[n] || !value || strncmp(copy, "LOCKSTEP_", 9) != 0)
            return bad("not a command of lockstep", text);
        *value++ = '\0';
        if (!add_environment(c, copy, value))
            return bad("too long", text);
        text += n + 1;
    }
    return command_read(text + 9, c);
}
