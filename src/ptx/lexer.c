/* lexer.c - characters to names, numbers and keywords, on demand; and the errors, which are places in the text.
 *
 * There are no tokens: the parser asks for what it expects. Source: PTX ISA 9.0, 4.1 to 4.5. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/parser.h"

enum { IDENT = 1, START = 2, BLANK = 4, DIGIT = 8, HEX = 16 };

/* Character classes: 4.4 allows [a-zA-Z_$%] at the start of a name and [a-zA-Z0-9_$] after it. Bytes above 127 are
 * taken as letters: clang emits them for identifiers with unusual characters. */
static const u8 class_of[256] = {
    ['a' ... 'f'] = IDENT | START | HEX,
    ['g' ... 'z'] = IDENT | START,
    ['A' ... 'F'] = IDENT | START | HEX,
    ['G' ... 'Z'] = IDENT | START,
    ['0' ... '9'] = IDENT | DIGIT | HEX,
    ['_'] = IDENT | START,
    ['$'] = IDENT | START,
    ['%'] = START,
    [128 ... 255] = IDENT | START,
    [' '] = BLANK,
    ['\t'] = BLANK,
    ['\r'] = BLANK,
    ['\f'] = BLANK,
    ['\v'] = BLANK,
};

static bool is(char c, u8 what) { return class_of[(u8)c] & what; }

bool lex_is_ident(char c) { return is(c, IDENT); }

bool lex_is_ident_start(char c) { return is(c, START); }

static void newline(struct parser *p, const char *next)
{
    p->line++;
    p->line_start = next;
}

/* At the slash of a comment; returns behind it, or NULL when it is not one. */
static const char *comment(struct parser *p, const char *s)
{
    if (s[1] == '/') {
        const char *nl = memchr(s, '\n', (size_t)(p->end - s));
        return nl ? nl : p->end;
    }
    if (s[1] != '*')
        return NULL;
    const char *open = s;
    for (s += 2; s < p->end; s++) {
        if (s[0] == '*' && s[1] == '/')
            return s + 2;
        if (*s == '\n')
            newline(p, s + 1);
    }
    p->at = p->end;
    error(p, open, "comment is not closed");
    return p->end;
}

void lex_skip(struct parser *p)
{
    const char *s = p->at;
    for (;;) {
        while (is(*s, BLANK))
            s++;
        if (*s == '\n') {
            newline(p, ++s);
        } else if (*s == '/') {
            const char *behind = comment(p, s);
            if (!behind)
                break;
            s = behind;
        } else {
            break;
        }
    }
    p->at = s;
}

char lex_peek(struct parser *p)
{
    lex_skip(p);
    return *p->at;
}

bool lex_accept(struct parser *p, char c)
{
    if (lex_peek(p) != c || p->at == p->end)
        return false;
    p->at++;
    return true;
}

void lex_expect(struct parser *p, char c, const char *after)
{
    if (!lex_accept(p, c))
        fail(p, p->at, "expected '%c' after %s", c, after);
}

const char *lex_ident(struct parser *p, const char *what)
{
    lex_skip(p);
    const char *s = p->at;
    if (!is(*s, START))
        fail(p, s, "expected %s", what);
    const char *e = s + 1;
    while (is(*e, IDENT))
        e++;
    if (*s == '%' && e == s + 1)
        fail(p, s, "expected %s", what);
    p->at = e;
    return intern(&p->m->names, s, (size_t)(e - s));
}

const char *lex_string(struct parser *p)
{
    if (!lex_accept(p, '"'))
        fail(p, p->at, "expected a string");
    const char *s = p->at, *e = s;
    while (e < p->end && *e != '"' && *e != '\n')
        e += e[0] == '\\' && e[1] && e[1] != '\n' ? 2 : 1;
    if (e >= p->end || *e != '"')
        fail(p, s - 1, "string is not closed");
    p->at = e + 1;
    return intern(&p->m->names, s, (size_t)(e - s));
}

/* A word behind a dot, with its `::` parts. */
const struct keyword *lex_directive(struct parser *p, const char **start, size_t *len)
{
    lex_skip(p);
    if (*p->at != '.')
        fail(p, p->at, "expected a directive");
    const char *s = p->at + 1, *e = s;
    while (is(*e, IDENT) || (e[0] == ':' && e[1] == ':' && is(e[2], IDENT)))
        e += *e == ':' ? 2 : 1;
    if (e == s)
        fail(p, p->at, "expected a directive's name after the dot");
    *start = s;
    *len = (size_t)(e - s);
    p->at = e;
    return keyword_find(s, *len);
}

static int digit(char c)
{
    if (is(c, DIGIT))
        return c - '0';
    return is(c, HEX) ? (c | 32) - 'a' + 10 : 99;
}

/* Digits of a base; 4.5.1 makes integer constants 64 bits wide. */
static u64 digits(struct parser *p, const char **at, int base)
{
    const char *s = *at, *first = s;
    u64 v = 0;
    bool over = false;
    for (; digit(*s) < base; s++)
        over |= __builtin_mul_overflow(v, (u64)base, &v) || __builtin_add_overflow(v, (u64)digit(*s), &v);
    if (s == first)
        fail(p, s, "expected a digit");
    if (over)
        error(p, first, "the number does not fit in 64 bits");
    *at = s;
    return v;
}

/* 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: the bits of a float (4.5.2). */
static u64 float_bits(struct parser *p, const char **at, unsigned ndigits)
{
    const char *s = *at;
    unsigned n = 0;
    u64 v = 0;
    for (; is(*s, HEX); s++, n++)
        v = v << 4 | (u64)digit(*s);
    if (n != ndigits)
        fail(p, *at, "expected %u hexadecimal digits, found %u", ndigits, n);
    *at = s;
    return v;
}

/* 1.5 .5 1e3: a decimal float, in the C locale whatever the program has set. */
static bool decimal(struct parser *p, struct number *n)
{
    const char *s = p->at, *e = s;
    while (is(*e, DIGIT))
        e++;
    const bool fraction = *e == '.' && (is(e[1], DIGIT) || !lex_is_ident(e[1])) && e > s;
    const bool exponent = (*e | 32) == 'e' && (is(e[1], DIGIT) || ((e[1] == '-' || e[1] == '+') && is(e[2], DIGIT)));
    if (!fraction && !exponent)
        return false;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        fail(p, s, "cannot read a decimal number: no C locale");
    char *behind;
    const double d = strtod_l(s, &behind, c);
    freelocale(c);
    memcpy(&n->bits, &d, sizeof(d));
    n->is_f64 = true;
    p->at = behind;
    return true;
}

struct number lex_number(struct parser *p)
{
    struct number n = {0};
    lex_skip(p);
    const char *s = p->at, *start = s;
    if (!is(*s, DIGIT))
        fail(p, s, "expected a number");
    const char kind = s[0] == '0' ? (char)(s[1] | 32) : 0;
    if (kind == 'f' || kind == 'd') {
        s += 2;
        n.is_f32 = kind == 'f';
        n.is_f64 = kind == 'd';
        n.bits = float_bits(p, &s, n.is_f32 ? 8 : 16);
    } else if (kind == 'x' || kind == 'b') {
        s += 2;
        n.bits = digits(p, &s, kind == 'x' ? 16 : 2);
    } else if (decimal(p, &n)) {
        s = p->at;
    } else {
        n.bits = digits(p, &s, s[0] == '0' && is(s[1], DIGIT) ? 8 : 10);
    }
    if (*s == 'U' && !n.is_f32 && !n.is_f64) {
        n.is_unsigned = true;
        s++;
    }
    if (is(*s, IDENT))
        fail(p, start, "malformed number");
    p->at = s;
    return n;
}

u32 column_of(const struct parser *p, const char *at)
{
    return at >= p->line_start ? (u32)(at - p->line_start) + 1 : 1;
}

/* The line of a place at or before the cursor. */
static struct diag_place place_of(const struct parser *p, const char *at, const char **line)
{
    u32 n = p->line;
    const char *s = p->line_start;
    if (at < s) {
        for (const char *c = s - 1; c >= at; c--)
            n -= *c == '\n';
        for (s = at; s > p->m->text && s[-1] != '\n';)
            s--;
    }
    *line = s;
    return (struct diag_place){p->m->file, n, (u32)(at - s) + 1};
}

/* Shows at most a piece of a long line. */
enum { SOURCE_MAX = 160 };

static void report(struct parser *p, const char *at, const char *note, const char *fmt, va_list args)
{
    if (++p->errors > TOO_MANY)
        return;
    char text[512];
    vsnprintf(text, sizeof(text), fmt, args);
    const char *line;
    const struct diag_place place = place_of(p, at, &line);
    struct diag *d = diag_add(p->diags, DIAG_ERROR, place, "%s", text);
    const char *nl = memchr(line, '\n', (size_t)(p->end - line));
    const size_t len = (size_t)((nl ? nl : p->end) - line);
    if (place.column <= SOURCE_MAX)
        diag_set_source(p->diags, d, line, len < SOURCE_MAX ? len : SOURCE_MAX);
    if (note)
        diag_set_note(p->diags, d, "%s", note);
}

void error(struct parser *p, const char *at, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report(p, at, NULL, fmt, args);
    va_end(args);
}

void error_note(struct parser *p, const char *at, const char *note, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report(p, at, note, fmt, args);
    va_end(args);
}

_Noreturn void fail(struct parser *p, const char *at, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report(p, at, NULL, fmt, args);
    va_end(args);
    longjmp(p->sync, 1);
}
