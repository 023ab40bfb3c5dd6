/* html_json.c - texts and numbers of programs, safe to stand in a page. */
#include <math.h>
#include <string.h>

#include "report/html/html_parts.h"

/* Bytes of the UTF-8 sequence at s; 0: it is none. */
static size_t utf8_length(const u8 *s)
{
    const size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    const bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
                     (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : n;
}

/* The text with U+FFFD for what is no UTF-8; itself when it is all right. */
static const char *clean(struct arena *mem, const char *text)
{
    static const char unknown[] = "\xef\xbf\xbd";
    size_t bad = 0;
    for (const char *s = text; *s;) {
        const size_t n = utf8_length((const u8 *)s);
        bad += !n;
        s += n ? n : 1;
    }
    if (!bad)
        return text;
    char *out = arena_alloc(mem, strlen(text) + 2 * bad + 1), *to = out;
    for (const char *s = text; *s;) {
        const size_t n = utf8_length((const u8 *)s);
        memcpy(to, n ? s : unknown, n ? n : 3);
        to += n ? n : 3;
        s += n ? n : 1;
    }
    return out;
}

json_t *html_string(struct arena *mem, const char *text) { return text ? json_string(clean(mem, text)) : json_null(); }

json_t *html_number(double v)
{
    if (!isfinite(v))
        return json_null();
    return v == floor(v) && fabs(v) < 9e15 ? json_integer((json_int_t)v) : json_real(v);
}

/* In JSON these characters are in strings alone, where they may be written by their numbers. */
static int put_safely(const char *text, size_t n, void *out)
{
    FILE *f = out;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '<' || text[i] == '>' || text[i] == '&')
            fprintf(f, "\\u%04x", (u32)text[i]);
        else
            fputc(text[i], f);
    return 0;
}

bool html_dump(FILE *out, const json_t *j)
{
    return j && !json_dump_callback(j, put_safely, out, JSON_COMPACT | JSON_REAL_PRECISION(8));
}

void html_put(FILE *out, struct arena *mem, const char *text)
{
    for (text = clean(mem, text); *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((u8)*text < ' ' ? ' ' : *text, out);
        }
    }
}
