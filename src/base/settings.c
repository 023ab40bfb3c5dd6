/* settings.c - see settings.h. The only file that calls getenv and setenv (tools/check-layers.sh). */
#include "base/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/likeness.h"

#define NAME_USER(NAME) "LOCKSTEP_" #NAME
#define NAME_RUN(NAME) "LOCKSTEP_" #NAME
#define NAME_FOREIGN(NAME) #NAME

static const struct setting_info rows[SETTING_COUNT] = {
#define SETTING(NAME, field, TYPE, SCOPE, takes, preset, usual, meaning)                                               \
    {NAME_##SCOPE(NAME),                                                                                               \
     SETTING_TYPE_##TYPE,                                                                                              \
     SETTING_SCOPE_##SCOPE,                                                                                            \
     offsetof(struct settings, field),                                                                                 \
     takes,                                                                                                            \
     preset,                                                                                                           \
     usual,                                                                                                            \
     meaning},
#include "base/settings.def"
};

static const struct {
    const char *name, *meaning;
} others[OTHERS_COUNT] = {
#define SETTING(NAME, field, TYPE, SCOPE, takes, preset, usual, meaning)
#define OTHERS(NAME, meaning) {#NAME, meaning},
#include "base/settings.def"
};

const struct setting_info *setting_info(enum setting n) { return &rows[n]; }

/* ---- values ---- */

static const char *const types[] = {
    [SETTING_TYPE_COUNT] = "a whole number",
    [SETTING_TYPE_SECONDS] = "a number of seconds",
    [SETTING_TYPE_BYTES] = "a number of bytes (K, M, G or T may follow)",
    [SETTING_TYPE_ROOM] = "host, gpu or a size such as 64G",
    [SETTING_TYPE_BANKS] = "<1 to 64 banks>x<1, 2, 4, 8 or 16 bytes>",
};

static bool read_count(const char *range, const char *text, u64 *out)
{
    unsigned long long least = 0, most = UINT64_MAX;
    char *end;
    sscanf(range, "%llu-%llu", &least, &most);
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (*end) { /* 1e9 */
        const double n = strtod(text, &end);
        if (!(n >= 0 && n < 1.8e19) || n != (double)(u64)n)
            return false;
        *out = (u64)n;
    }
    return *text >= '0' && *text <= '9' && !errno && !*end && *out >= least && *out <= most;
}

static bool read_number(const char *text, const char **end, f64 *out)
{
    *out = strtod(text, (char **)end);
    return *end != text && *out >= 0 && *out < 1e15;
}

static bool read_bytes(const char *text, u64 *out)
{
    static const char units[] = "KMGT";
    const char *end;
    f64 n;
    if (!read_number(text, &end, &n))
        return false;
    const char *unit = *end ? strchr(units, *end) : NULL;
    const f64 bytes = n * (f64)((u64)1 << (unit ? 10 * (unit - units + 1) : 0));
    *out = bytes < 1e15 ? (u64)bytes : 0;
    return bytes < 1e15 && (!*end || (unit && !end[1]));
}

static bool read_room(const char *text, u64 *out)
{
    const bool host = strcmp(text, "host") == 0;
    if (!host && strcmp(text, "gpu") != 0)
        return read_bytes(text, out) && *out;
    *out = host ? ROOM_HOST : ROOM_GPU;
    return true;
}

static bool read_choice(const char *words, const char *text, u32 *out)
{
    *out = 0;
    for (u32 place = 1; words; place++) {
        const size_t n = strcspn(words, "|");
        if (strlen(text) == n && memcmp(words, text, n) == 0)
            *out = place;
        words = words[n] ? words + n + 1 : NULL;
    }
    return *out != 0;
}

static bool read_banks(const char *text, struct setting_banks *out)
{
    char rest;
    return sscanf(text, "%2ux%2u%c", &out->banks, &out->bytes, &rest) == 2 && out->banks >= 1 && out->banks <= 64 &&
           out->bytes >= 1 && out->bytes <= 16 && !(out->bytes & (out->bytes - 1));
}

static bool read_value(const struct setting_info *r, const char *text, void *out)
{
    const char *end;
    switch (r->type) {
    case SETTING_TYPE_FLAG:
        *(bool *)out = *text == '1';
        return (*text == '0' || *text == '1') && !text[1];
    case SETTING_TYPE_SWITCH:
        *(bool *)out = strcmp(text, "0") != 0;
        return true;
    case SETTING_TYPE_COUNT:
        return read_count(r->takes, text, out);
    case SETTING_TYPE_SECONDS:
        return read_number(text, &end, out) && !*end;
    case SETTING_TYPE_BYTES:
        return read_bytes(text, out);
    case SETTING_TYPE_ROOM:
        return read_room(text, out);
    case SETTING_TYPE_CHOICE:
        return read_choice(r->takes, text, out);
    case SETTING_TYPE_BANKS:
        return read_banks(text, out);
    case SETTING_TYPE_TEXT:
    case SETTING_TYPE_WORDS:
        *(const char **)out = text;
        return true;
    }
    return false;
}

static size_t size_of(enum setting_type type)
{
    switch (type) {
#define SIZE(TYPE)                                                                                                     \
    case SETTING_TYPE_##TYPE:                                                                                          \
        return sizeof(SETTING_IN_##TYPE)
        SIZE(FLAG);
        SIZE(SWITCH);
        SIZE(COUNT);
        SIZE(SECONDS);
        SIZE(BYTES);
        SIZE(ROOM);
        SIZE(CHOICE);
        SIZE(BANKS);
        SIZE(TEXT);
        SIZE(WORDS);
#undef SIZE
    }
    return 0;
}

static void put_preset(struct settings *s, enum setting n)
{
    void *field = (char *)s + rows[n].offset;
    memset(field, 0, size_of(rows[n].type));
    LS_BUG_ON(rows[n].preset && !read_value(&rows[n], rows[n].preset, field));
    s->given[n] = NULL;
}

/* ---- what is said ---- */

/* The words, with `between` where the table has '|'. */
static void list_words(const char *words, const char *between, char *out, size_t size)
{
    size_t len = 0;
    for (const char *at = words; at && len < size;) {
        const size_t n = strcspn(at, "|");
        len += (size_t)snprintf(out + len, size - len, "%s%.*s", at == words ? "" : between, (int)n, at);
        at = at[n] ? at + n + 1 : NULL;
    }
}

static void say_why(const struct setting_info *r, const char *text, char why[SETTING_WHY])
{
    const char *words = r->type == SETTING_TYPE_FLAG ? "0|1" : r->type == SETTING_TYPE_CHOICE ? r->takes : "";
    const bool two = strchr(words, '|') == strrchr(words, '|');
    char what[160];
    unsigned long long least, most;
    list_words(words, two ? " nor " : ", ", what, sizeof what);
    if (r->type == SETTING_TYPE_COUNT && sscanf(r->takes, "%llu-%llu", &least, &most) == 2)
        snprintf(what, sizeof what, "%s from %llu to %llu", types[r->type], least, most);
    else if (!*words)
        snprintf(what, sizeof what, "%s", types[r->type]);
    snprintf(why, SETTING_WHY, "%s=%.200s is %s %s", r->name, text,
             !*words ? "not"
             : two   ? "neither"
                     : "none of",
             what);
}

void setting_takes(enum setting n, char out[160])
{
    const struct setting_info *r = &rows[n];
    unsigned long long least, most;
    if (r->type == SETTING_TYPE_CHOICE) {
        char words[120];
        list_words(r->takes, "`, `", words, sizeof words);
        snprintf(out, 160, "`%s`", words);
    } else if (r->type == SETTING_TYPE_FLAG || r->type == SETTING_TYPE_SWITCH) {
        snprintf(out, 160, "`0`, `1`");
    } else if (r->type == SETTING_TYPE_COUNT && sscanf(r->takes, "%llu-%llu", &least, &most) == 2 &&
               most < UINT32_MAX) {
        snprintf(out, 160, "%llu to %llu", least, most);
    } else {
        snprintf(out, 160, "%s", r->type == SETTING_TYPE_COUNT ? types[r->type] : r->takes);
    }
}

static void say_unknown(const char *variable, size_t n, settings_say *say, void *ctx)
{
    char name[64], text[SETTING_WHY];
    const char *nearest = NULL;
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), variable);
    for (unsigned k = 0; k < SETTING_COUNT; k++)
        likeness_keep(&nearest, name, rows[k].name);
    snprintf(text, sizeof text, "there is no setting %s%s%s", name, nearest ? ": the nearest is " : "",
             nearest ? nearest : "");
    say(ctx, false, text);
}

static bool known(const char *variable, size_t n)
{
    for (unsigned k = 0; k < SETTING_COUNT; k++)
        if (strlen(rows[k].name) == n && memcmp(rows[k].name, variable, n) == 0)
            return true;
    return false;
}

static void look_for_unknown(settings_say *say, void *ctx)
{
    for (char **e = environ; e && *e; e++) {
        const size_t n = strcspn(*e, "=");
        if (strncmp(*e, "LOCKSTEP_", strlen("LOCKSTEP_")) == 0 && !known(*e, n))
            say_unknown(*e, n, say, ctx);
    }
}

/* ---- reading and handing on ---- */

bool settings_set(struct settings *s, enum setting n, const char *text, char why[SETTING_WHY])
{
    const struct setting_info *r = &rows[n];
    put_preset(s, n);
    if (!text || (!*text && r->type != SETTING_TYPE_WORDS))
        return true;
    if (!read_value(r, text, (char *)s + r->offset)) {
        say_why(r, text, why);
        put_preset(s, n);
        return false;
    }
    s->given[n] = text;
    return true;
}

bool settings_read(struct settings *s, settings_say *say, void *ctx)
{
    bool good = true;
    for (unsigned n = 0; n < SETTING_COUNT; n++) {
        char why[SETTING_WHY];
        if (settings_set(s, (enum setting)n, getenv(rows[n].name), why))
            continue;
        good = false;
        if (say)
            say(ctx, true, why);
    }
    if (say)
        look_for_unknown(say, ctx);
    return good;
}

void settings_begin_run(struct settings *s)
{
    for (unsigned n = 0; n < SETTING_COUNT; n++)
        if (rows[n].scope == SETTING_SCOPE_RUN)
            put_preset(s, (enum setting)n);
}

bool settings_export(const struct settings *s)
{
    bool good = true;
    for (unsigned n = 0; n < SETTING_COUNT; n++)
        good &= (s->given[n] ? setenv(rows[n].name, s->given[n], 1) : unsetenv(rows[n].name)) == 0;
    return good;
}

/* ---- variables of others ---- */

const char *settings_other_name(enum setting_other n, const char **meaning)
{
    *meaning = others[n].meaning;
    return others[n].name;
}

const char *settings_other(enum setting_other n) { return getenv(others[n].name); }

bool settings_put(enum setting_other n, const char *text) { return setenv(others[n].name, text, 0) == 0; }

bool settings_prepend(enum setting_other n, const char *text, char separator)
{
    const char *old = settings_other(n);
    char *all = NULL;
    if (!old || !*old)
        return setenv(others[n].name, text, 1) == 0;
    if (asprintf(&all, "%s%c%s", text, separator, old) < 0)
        return false;
    const bool good = setenv(others[n].name, all, 1) == 0;
    free(all);
    return good;
}

const char *settings_tmp(void)
{
    const char *said = settings_other(OTHERS_TMPDIR);
    return said && *said ? said : "/tmp";
}

bool settings_cache(char *folder, size_t n)
{
    const char *const said = settings_other(OTHERS_XDG_CACHE_HOME), *const home = settings_other(OTHERS_HOME);
    int length = 0;
    if (said && *said == '/') /* a relative path is to be ignored: XDG Base Directory Specification */
        length = snprintf(folder, n, "%s/lockstep", said);
    else if (home && *home == '/')
        length = snprintf(folder, n, "%s/.cache/lockstep", home);
    return length > 0 && (size_t)length < n;
}

const char *settings_lookup(const char *name) { return getenv(name); }
