/* section.c - see section.h.
 *
 *     section = {label ':' | ('.b8' | '.b16' | '.b32' | '.b64') value {',' value}}
 *     value   = ['-'] number | name ['+' number] | name '-' name ['+' number]
 *
 * A compiler writes one value a line, some hundred thousand of them for a large module, so this is a scanner of its
 * own: it needs neither scopes nor constant expressions. */
#include "ptx/section.h"

#include <string.h>

#include "base/vec.h"

struct scan {
    const struct ptx_module *m;
    struct arena *mem;
    struct diag_list *diags;
    const char *at, *end;
    bool failed;
    VEC(u8) bytes;
    VEC(struct ptx_fixup) fixups;
    VEC(struct ptx_section_label) labels;
};

static void fail(struct scan *s, const char *at, const char *text)
{
    if (s->failed)
        return;
    s->failed = true;
    s->at = s->end;
    const char *start = s->m->text;
    u32 line = 1;
    for (const char *p = start; p < at; p++)
        if (*p == '\n') {
            line++;
            start = p + 1;
        }
    struct diag *d =
        diag_add(s->diags, DIAG_ERROR, (struct diag_place){s->m->file, line, (u32)(at - start) + 1}, "%s", text);
    if (d)
        diag_set_source(s->diags, d, start, strcspn(start, "\n"));
}

static void skip(struct scan *s)
{
    while (s->at < s->end) {
        const char c = *s->at;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
            s->at++;
        } else if (c == '/' && s->at + 1 < s->end && s->at[1] == '/') {
            const char *nl = memchr(s->at, '\n', (size_t)(s->end - s->at));
            s->at = nl ? nl : s->end;
        } else if (c == '/' && s->at + 1 < s->end && s->at[1] == '*') {
            const char *close = memmem(s->at + 2, (size_t)(s->end - s->at - 2), "*/", 2);
            s->at = close ? close + 2 : s->end;
        } else {
            return;
        }
    }
}

static bool accept(struct scan *s, char c)
{
    skip(s);
    if (s->at >= s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' || c == '%' ||
           c == '.' || (u8)c > 127;
}

static const char *name(struct scan *s)
{
    skip(s);
    const char *start = s->at;
    while (s->at < s->end && in_name(*s->at))
        s->at++;
    if (s->at == start) {
        fail(s, start, "expected a number or a name");
        return "";
    }
    return arena_strndup(s->mem, start, (size_t)(s->at - start));
}

static unsigned digit_of(char c)
{
    if (is_digit(c))
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

static u64 number(struct scan *s)
{
    skip(s);
    const char *start = s->at;
    unsigned base = 10;
    u64 v = 0;
    if (s->end - s->at > 2 && s->at[0] == '0' && (s->at[1] == 'x' || s->at[1] == 'X')) {
        base = 16;
        s->at += 2;
    }
    const char *first = s->at;
    for (; s->at < s->end && digit_of(*s->at) < base; s->at++) {
        const u64 d = digit_of(*s->at);
        if (v > (UINT64_MAX - d) / base) {
            fail(s, start, "the number is too large");
            return 0;
        }
        v = v * base + d;
    }
    if (s->at == first)
        fail(s, start, "expected a number");
    if (s->at < s->end && *s->at == 'U')
        s->at++;
    return v;
}

/* Numbers of 2^(8 bytes - 1) and more may be written without their sign. */
static bool fits(u64 v, bool negative, unsigned bytes)
{
    if (bytes == 8)
        return true;
    return negative ? v <= (u64)1 << (8 * bytes - 1) : v >> (8 * bytes) == 0;
}

static void put(struct scan *s, u64 v, unsigned bytes)
{
    for (unsigned k = 0; k < bytes; k++)
        vec_push(s->mem, &s->bytes, (u8)(v >> (8 * k)));
}

static void symbolic(struct scan *s, unsigned bytes)
{
    struct ptx_fixup f = {.at = s->bytes.len, .bytes = (u8)bytes, .name = name(s)};
    for (bool minus; (minus = accept(s, '-')) || accept(s, '+');) {
        skip(s);
        if (s->at < s->end && is_digit(*s->at)) {
            const u64 v = number(s);
            f.addend = (i64)((u64)f.addend + (minus ? 0 - v : v));
        } else if (minus && !f.minus) {
            f.minus = name(s);
        } else {
            fail(s, s->at, "expected a number");
            return;
        }
    }
    vec_push(s->mem, &s->fixups, f);
    put(s, 0, bytes);
}

static void value(struct scan *s, unsigned bytes)
{
    skip(s);
    const char *start = s->at;
    const bool negative = accept(s, '-');
    skip(s);
    if (negative || (s->at < s->end && is_digit(*s->at))) {
        const u64 v = number(s);
        if (!fits(v, negative, bytes))
            fail(s, start, "the number does not fit");
        put(s, negative ? 0 - v : v, bytes);
    } else {
        symbolic(s, bytes);
    }
}

/* The bytes of a value, or 0 when the word is no such type. */
static unsigned width_of(const char *word)
{
    static const struct {
        const char *word;
        unsigned bytes;
    } widths[] = {{".b8", 1}, {".b16", 2}, {".b32", 4}, {".b64", 8}};
    for (size_t k = 0; k < LS_ARRAY_LEN(widths); k++)
        if (strcmp(word, widths[k].word) == 0)
            return widths[k].bytes;
    return 0;
}

static void statement(struct scan *s)
{
    const char *start = s->at;
    const char *word = name(s);
    if (s->failed)
        return;
    const unsigned bytes = width_of(word);
    if (bytes) {
        do
            value(s, bytes);
        while (!s->failed && accept(s, ','));
    } else if (accept(s, ':')) {
        vec_push(s->mem, &s->labels, ((struct ptx_section_label){word, s->bytes.len}));
    } else {
        fail(s, start, "expected '.b8', '.b16', '.b32', '.b64' or a label");
    }
}

enum ls_status ptx_read_section(const struct ptx_module *m, const struct ptx_section *section, struct arena *mem,
                                struct ptx_section_data *out, struct diag_list *diags)
{
    struct scan s = {
        .m = m, .mem = mem, .diags = diags, .at = m->text + section->at, .end = m->text + section->at + section->len};
    for (skip(&s); s.at < s.end; skip(&s))
        statement(&s);
    *out = (struct ptx_section_data){.bytes = s.bytes.at,
                                     .len = s.bytes.len,
                                     .fixups = s.fixups.at,
                                     .nfixups = s.fixups.len,
                                     .labels = s.labels.at,
                                     .nlabels = s.labels.len};
    return s.failed ? LS_ERR_SYNTAX : LS_OK;
}
