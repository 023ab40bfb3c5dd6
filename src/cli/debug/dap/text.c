/* text.c - see text.h. */
#include "cli/debug/dap/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* ---- UTF-8 ---- */

/* Bytes of the character at the beginning; 0: there is none; more than n: it goes on behind. */
static size_t character(const u8 *at, size_t n)
{
    const size_t size = at[0] < 0x80   ? 1
                        : at[0] < 0xc2 ? 0
                        : at[0] < 0xe0 ? 2
                        : at[0] < 0xf0 ? 3
                        : at[0] < 0xf5 ? 4
                                       : 0;
    for (size_t i = 1; i < size && i < n; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if (n > 1 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                  (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)))
        return 0;
    return size;
}

size_t text_whole(const char *text, size_t n)
{
    for (size_t back = 1; back <= 3 && back <= n; back++)
        if (character((const u8 *)text + n - back, back) > back)
            return n - back;
    return n;
}

json_t *text_json(const char *text, size_t n)
{
    json_t *out = json_stringn(text, n);
    if (out)
        return out;
    char *clean = ls_realloc(NULL, n * 3 + 1);
    size_t len = 0;
    if (!clean)
        return NULL;
    for (size_t i = 0; i < n;) {
        const size_t size = character((const u8 *)text + i, n - i);
        const bool whole = size > 0 && size <= n - i;
        memcpy(clean + len, whole ? text + i : "\xef\xbf\xbd", whole ? size : 3);
        len += whole ? size : 3;
        i += whole ? size : 1;
    }
    out = json_stringn(clean, len);
    ls_free(clean);
    return out;
}

json_t *text_of(const char *text) { return text_json(text ? text : "", text ? strlen(text) : 0); }

json_t *text_format(const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return text_of(text);
}

/* ---- base64 ---- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

json_t *base64_json(const u8 *bytes, size_t n)
{
    char *text = ls_realloc(NULL, (n + 2) / 3 * 4 + 1);
    size_t len = 0;
    if (!text)
        return NULL;
    for (size_t i = 0; i < n; i += 3) {
        const u32 three =
            (u32)bytes[i] << 16 | (i + 1 < n ? (u32)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0);
        for (u32 k = 0; k < 4; k++)
            text[len++] = i + k <= n ? digits[three >> (18 - 6 * k) & 63] : '=';
    }
    json_t *out = json_stringn(text, len);
    ls_free(text);
    return out;
}

u8 *base64_bytes(const char *text, size_t *n)
{
    const size_t len = strlen(text);
    u8 *out = len % 4 == 0 ? ls_realloc(NULL, len / 4 * 3 + 1) : NULL;
    u32 bits = 0, have = 0;
    size_t padding = 0;
    if (!out)
        return NULL;
    *n = 0;
    for (size_t i = 0; i < len; i++) {
        const char *digit = strchr(digits, text[i]);
        padding += text[i] == '=';
        if (padding > 2 || (text[i] != '=' && (!digit || padding))) {
            ls_free(out);
            return NULL;
        }
        bits = bits << 6 | (text[i] == '=' ? 0 : (u32)(digit - digits));
        if (++have % 4 == 0)
            for (u32 k = 0; k < 3; k++)
                out[(*n)++] = (u8)(bits >> (16 - 8 * k));
    }
    *n -= padding;
    return out;
}

/* ---- arguments ---- */

static bool wrong(char why[DAP_WHY], const char *name, const char *what)
{
    snprintf(why, DAP_WHY, "%s: %s is wanted", name, what);
    return false;
}

bool argument_number(const json_t *arguments, const char *name, u64 otherwise, u64 most, u64 *out, char why[DAP_WHY])
{
    const json_t *v = json_object_get(arguments, name);
    *out = otherwise;
    if (!v || json_is_null(v))
        return true;
    if (!json_is_integer(v) || json_integer_value(v) < 0 || (u64)json_integer_value(v) > most)
        return wrong(why, name, "a number that is not negative and not too large");
    *out = (u64)json_integer_value(v);
    return true;
}

bool argument_text(const json_t *arguments, const char *name, const char *otherwise, const char **out,
                   char why[DAP_WHY])
{
    const json_t *v = json_object_get(arguments, name);
    *out = otherwise;
    if (!v || json_is_null(v))
        return otherwise != NULL || wrong(why, name, "a text");
    if (!json_is_string(v) || strlen(json_string_value(v)) != json_string_length(v))
        return wrong(why, name, "a text");
    *out = json_string_value(v);
    return true;
}

bool argument_bool(const json_t *arguments, const char *name, bool otherwise, bool *out, char why[DAP_WHY])
{
    const json_t *v = json_object_get(arguments, name);
    *out = otherwise;
    if (!v || json_is_null(v))
        return true;
    *out = json_is_true(v);
    return json_is_boolean(v) || wrong(why, name, "true or false");
}

bool argument_list(const json_t *arguments, const char *name, const json_t **out, char why[DAP_WHY])
{
    size_t i;
    json_t *one;
    *out = json_object_get(arguments, name);
    if (!*out || json_is_null(*out)) {
        *out = NULL;
        return true;
    }
    if (!json_is_array(*out))
        return wrong(why, name, "a list");
    json_array_foreach(*out, i, one)
        if (!json_is_object(one))
            return wrong(why, name, "a list of objects");
    return true;
}

bool read_number(const char *text, u64 *out)
{
    char *stop;
    errno = 0;
    if (text[0] < '0' || text[0] > '9')
        return false;
    *out = strtoull(text, &stop, text[1] == 'x' || text[1] == 'X' ? 16 : 10);
    return !errno && !*stop;
}
