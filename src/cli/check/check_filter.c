/* check_filter.c - compute-sanitizer's kernel filters and file names, in our terms: all filters become one regular
 * expression, since the driver takes one. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.h"
#include "cli/check/check_command.h"

/* ---- kernels ---- */

/* A name as an expression that matches just that. */
static const char *quote(struct arena *mem, const char *text, size_t n)
{
    char *out = arena_alloc(mem, 2 * n + 1), *to = out;
    for (size_t k = 0; k < n; k++) {
        if (!isalnum((unsigned char)text[k]) && text[k] != '_')
            *to++ = '\\';
        *to++ = text[k];
    }
    *to = 0;
    return out;
}

static void either(struct arena *mem, const char **all, const char *one)
{
    *all = *all ? arena_printf(mem, "%s|%s", *all, one) : one;
}

static bool is_expression(const char *text, char why[256])
{
    regex_t r;
    const bool good = *text && !regcomp(&r, text, REG_EXTENDED | REG_NOSUB);
    if (good)
        regfree(&r);
    else
        snprintf(why, 256, "'%.150s' is no regular expression", text);
    return good;
}

static bool add_expression(struct arena *mem, const char **all, const char *text, char why[256])
{
    if (!is_expression(text, why))
        return false;
    either(mem, all, arena_printf(mem, "(%s)", text));
    return true;
}

/* "kns=sum" of a list. */
static bool add_pair(struct arena *mem, const char **all, const char *pair, size_t n, char why[256])
{
    const char *equals = memchr(pair, '=', n);
    const size_t key = equals ? (size_t)(equals - pair) : n, length = equals ? n - key - 1 : 0;
    const bool part = (key == 3 && !strncmp(pair, "kns", 3)) || (key == 16 && !strncmp(pair, "kernel_substring", 16));
    const bool whole = (key == 3 && !strncmp(pair, "kne", 3)) || (key == 11 && !strncmp(pair, "kernel_name", 11));
    if ((!part && !whole) || !length) {
        snprintf(why, 256, "'%.*s' is not kns=PART, kne=NAME or regex=EXPRESSION (of the name as in PTX), nor a name",
                 (int)(n < 100 ? n : 100), pair);
        return false;
    }
    const char *text = quote(mem, equals + 1, length);
    either(mem, all, whole ? arena_printf(mem, "^%s$", text) : text);
    return true;
}

static bool add_list(struct arena *mem, const char **all, const char *text, char why[256])
{
    while (*text) {
        const size_t n = strcspn(text, ",");
        if (!add_pair(mem, all, text, n, why))
            return false;
        text += n + (text[n] == ',');
    }
    return true;
}

bool check_filter_add(struct arena *mem, const char **expression, bool *keyed, const char *text, char why[256])
{
    if (!strncmp(text, "regex=", 6)) /* may have commas */
        return add_expression(mem, expression, text + 6, why);
    if (strchr(text, '='))
        return add_list(mem, expression, text, why);
    *keyed = false;
    if (!strncmp(text, "regex:", 6))
        return add_expression(mem, expression, text + 6, why);
    if (!*text) {
        snprintf(why, 256, "a name, kns=PART, kne=NAME or regex=EXPRESSION is needed");
        return false;
    }
    either(mem, expression, arena_printf(mem, "^%s$", quote(mem, text, strlen(text))));
    return true;
}

/* ---- files ---- */

/* The text of an escape at `at`; *next is behind it. NULL: there is no such escape. */
static const char *escape(struct arena *mem, const char *at, const char **next)
{
    *next = at + 2;
    if (at[1] == '%')
        return "%";
    if (at[1] == 'p')
        return arena_printf(mem, "%ld", (long)getpid());
    const char *end = at[1] == 'q' && at[2] == '{' ? strchr(at, '}') : NULL;
    if (!end)
        return NULL;
    const char *value = settings_lookup(arena_strndup(mem, at + 3, (size_t)(end - at - 3)));
    *next = end + 1;
    return value ? value : "";
}

const char *check_file_name(struct arena *mem, const char *text, char why[256])
{
    const char *name = "";
    while (*text) {
        const size_t n = strcspn(text, "%");
        name = arena_printf(mem, "%s%.*s", name, (int)n, text);
        text += n;
        if (!*text)
            break;
        const char *value = escape(mem, text, &text);
        if (!value) {
            snprintf(why, 256, "in a file name %% is followed by p (our process), q{VARIABLE} or %%");
            return NULL;
        }
        name = arena_printf(mem, "%s%s", name, value);
    }
    return name;
}
