/* expression_parse.c - text to a tree.
 *
 *     assignment = ternary [('=' | '+=' | ...) assignment]
 *     ternary    = binary ['?' assignment ':' ternary]
 *     binary     = unary {operator unary}               by precedence; '@' stands between shifts and sums, as in gdb
 *     unary      = ('-' | '+' | '!' | '~' | '*' | '&' | sizeof) unary | '(' type ')' unary | postfix
 *     postfix    = primary {'[' assignment ']' | '.' name | '->' name}
 *     primary    = number | 'c' | "text" | name {'::' name} | ('$' | '%') name ['.' x] | '(' assignment ')'
 *     type       = {const | volatile | @space | name} {'*' | '&' | const | volatile} ['(' '*' ')'] {'[' number ']'} */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/info/expression.h"

enum { DEEPEST = 200, LONGEST = 4096 };

struct parser {
    struct debug_context *c;
    const char *at;
    u32 depth;
    bool failed;
};

static const struct debug_node *assignment(struct parser *p);
static const struct debug_node *unary(struct parser *p);

static void *fail(struct parser *p)
{
    if (!p->failed)
        debug_fail(p->c, "A syntax error in expression, near `%s'.", p->at);
    p->failed = true;
    return NULL;
}

static struct debug_node *node(struct parser *p, enum debug_node_kind kind)
{
    struct debug_node *n = arena_new(p->c->mem, struct debug_node);
    n->kind = (u8)kind;
    return n;
}

/* ---- characters ---- */

static void skip(struct parser *p) { p->at += strspn(p->at, " \t\n"); }

static bool accept(struct parser *p, const char *text)
{
    skip(p);
    const size_t n = strlen(text);
    if (strncmp(p->at, text, n) != 0)
        return false;
    p->at += n;
    return true;
}

static bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (u8)c > 127; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t name_length(const char *s)
{
    size_t n = 0;
    while (starts_name(s[n]) || (n && is_digit(s[n])))
        n++;
    return n;
}

static bool accept_word(struct parser *p, const char *word)
{
    skip(p);
    const size_t n = strlen(word);
    if (name_length(p->at) != n || strncmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* The length of a name with its qualifiers: ns::Type. */
static size_t qualified_length(const char *s)
{
    size_t n = strncmp(s, "::", 2) == 0 ? 2 : 0, k;
    for (;; n += 2) {
        k = name_length(s + n);
        n += k;
        if (k == 0 || strncmp(s + n, "::", 2) != 0 || name_length(s + n + 2) == 0)
            return k ? n : 0;
    }
}

/* ---- types ---- */

static const struct debug_type *qualify(struct parser *p, const struct debug_type *t, enum debug_type_kind kind)
{
    struct debug_type *q = arena_new(debug_info_memory(p->c->info), struct debug_type);
    *q = (struct debug_type){.kind = (u8)kind, .target = t, .size = t ? t->size : 0};
    return q;
}

static bool space_word(struct parser *p, enum ptx_space *space)
{
    static const struct {
        const char *word;
        enum ptx_space space;
    } words[] = {{"@shared", SPACE_SHARED},  {"@global", SPACE_GLOBAL}, {"@local", SPACE_LOCAL},
                 {"@constant", SPACE_CONST}, {"@generic", SPACE_NONE},  {"@parameter", SPACE_PARAM}};
    for (size_t k = 0; k < LS_ARRAY_LEN(words); k++)
        if (accept(p, words[k].word)) {
            *space = words[k].space;
            return true;
        }
    return false;
}

struct words { /* of a base type */
    u32 n, longs;
    bool is_unsigned, is_signed, is_void;
    u64 size;
    enum debug_encoding encoding;
};

static bool base_word(struct parser *p, struct words *w)
{
    static const struct {
        const char *word;
        u8 size, encoding;
    } words[] = {{"int", 0, DEBUG_SIGNED},  {"char", 1, DEBUG_CHAR},    {"short", 2, DEBUG_SIGNED},
                 {"float", 4, DEBUG_FLOAT}, {"double", 8, DEBUG_FLOAT}, {"bool", 1, DEBUG_BOOL}};
    w->n++;
    if (accept_word(p, "unsigned"))
        return (w->is_unsigned = true);
    if (accept_word(p, "signed"))
        return (w->is_signed = true);
    if (accept_word(p, "long"))
        return ++w->longs > 0;
    if (accept_word(p, "void"))
        return (w->is_void = true);
    for (size_t k = 0; k < LS_ARRAY_LEN(words); k++)
        if (accept_word(p, words[k].word)) {
            if (words[k].size) {
                w->size = words[k].size;
                w->encoding = (enum debug_encoding)words[k].encoding;
            }
            return true;
        }
    w->n--;
    return false;
}

static const struct debug_type *base_type(struct parser *p, const struct words *w)
{
    if (w->is_void)
        return NULL;
    enum debug_encoding e = w->encoding;
    if (e == DEBUG_CHAR && w->is_signed)
        e = DEBUG_SIGNED;
    if (w->is_unsigned)
        e = e == DEBUG_CHAR ? DEBUG_UCHAR : DEBUG_UNSIGNED;
    const u64 size = w->size ? w->size : w->longs ? 8 : 4;
    return debug_type_base(p->c->info, e, size);
}

/* Name<...>, with the blanks that the compilers put or do not put behind commas. */
static const struct debug_type *template_type(struct parser *p, size_t n)
{
    u32 open = 0;
    size_t end = n;
    do {
        open += p->at[end] == '<';
        open -= p->at[end] == '>';
    } while (p->at[end++] && open);
    if (!p->at[end - 1])
        return NULL;
    char *tight = arena_alloc(p->c->mem, end + 1), *wide = arena_alloc(p->c->mem, 2 * end + 1);
    size_t t = 0, w = 0;
    for (size_t k = 0; k < end; k++) {
        if (p->at[k] == ' ' && k && p->at[k - 1] == ',')
            continue;
        tight[t++] = wide[w++] = p->at[k];
        if (p->at[k] == ',')
            wide[w++] = ' ';
    }
    const struct debug_type *type = debug_type_find(p->c->info, tight);
    type = type ? type : debug_type_find(p->c->info, wide);
    p->at += type ? end : 0;
    return type;
}

static const struct debug_type *named_type(struct parser *p)
{
    skip(p);
    const bool tagged =
        accept_word(p, "struct") || accept_word(p, "class") || accept_word(p, "union") || accept_word(p, "enum");
    skip(p);
    const size_t n = qualified_length(p->at), colons = strncmp(p->at, "::", 2) == 0 ? 2 : 0;
    if (n == 0)
        return NULL;
    const struct debug_type *t = p->at[n] == '<' ? template_type(p, n) : NULL;
    if (t)
        return t;
    const char *name = arena_strndup(p->c->mem, p->at + colons, n - colons);
    if (!tagged && debug_variable_find(p->c->info, p->c->at, p->c->frame, name))
        return NULL;
    t = debug_type_find(p->c->info, name);
    if (t)
        p->at += n;
    return t;
}

static const struct debug_type *declarator(struct parser *p, const struct debug_type *t, enum ptx_space space)
{
    for (;; space = SPACE_NONE) {
        if (accept(p, "*"))
            t = debug_type_pointer(p->c->info, t, space);
        else if (accept_word(p, "const"))
            t = qualify(p, t, DEBUG_CONST);
        else if (accept_word(p, "volatile"))
            t = qualify(p, t, DEBUG_VOLATILE);
        else
            break;
    }
    const char *start = p->at;
    const bool to_array = accept(p, "(") && accept(p, "*") && accept(p, ")");
    if (!to_array)
        p->at = start;
    u64 counts[8];
    u32 n = 0;
    while (n < LS_ARRAY_LEN(counts) && accept(p, "[")) {
        skip(p);
        char *end;
        counts[n++] = strtoull(p->at, &end, 0);
        p->at = end;
        if (!accept(p, "]"))
            return fail(p);
    }
    while (n-- > 0)
        t = debug_type_array(p->c->info, t, counts[n]);
    return to_array ? debug_type_pointer(p->c->info, t, space) : t;
}

/* A type if one stands here; nothing is read otherwise. */
static bool accept_type(struct parser *p, const struct debug_type **out)
{
    const char *start = p->at;
    struct words w = {.encoding = DEBUG_SIGNED};
    enum ptx_space space = SPACE_NONE;
    bool constant = false, is_volatile = false;
    const struct debug_type *t = NULL;
    for (bool more = true; more;) {
        constant |= (more = accept_word(p, "const"));
        if (!more)
            is_volatile |= (more = accept_word(p, "volatile"));
        if (!more)
            more = space_word(p, &space) || (!t && base_word(p, &w));
        if (!more && !t && !w.n)
            more = (t = named_type(p)) != NULL;
    }
    if (!t && !w.n) {
        p->at = start;
        return false;
    }
    if (!t)
        t = base_type(p, &w);
    if (constant)
        t = qualify(p, t, DEBUG_CONST);
    if (is_volatile)
        t = qualify(p, t, DEBUG_VOLATILE);
    *out = declarator(p, t, space);
    return true;
}

/* ---- primary expressions ---- */

static const struct debug_node *number_node(struct parser *p, const struct debug_type *t, u64 bits)
{
    struct debug_node *n = node(p, DEBUG_NODE_NUMBER);
    n->type = t;
    n->bits = bits;
    return n;
}

static const struct debug_node *bad_number(struct parser *p, size_t n)
{
    if (!p->failed)
        debug_fail(p->c, "Invalid number \"%.*s\".", (int)n, p->at);
    p->failed = true;
    return NULL;
}

static const struct debug_node *float_number(struct parser *p, size_t n)
{
    char *end;
    const f64 d = strtod(p->at, &end);
    const bool is_float = *end == 'f' || *end == 'F';
    if ((size_t)(end - p->at) + is_float != n)
        return bad_number(p, n);
    p->at += n;
    const f32 f = (f32)d;
    u64 bits = 0;
    memcpy(&bits, is_float ? (const void *)&f : (const void *)&d, is_float ? sizeof f : sizeof d);
    return number_node(p, debug_type_base(p->c->info, DEBUG_FLOAT, is_float ? 4 : 8), bits);
}

static const struct debug_node *number(struct parser *p)
{
    const bool hex = p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
    bool is_float = false, is_unsigned = false, is_long = false;
    size_t n = 0;
    for (char c; (c = p->at[n]) != 0; n++) {
        const bool exponent = !hex && (c == '+' || c == '-') && n && (p->at[n - 1] == 'e' || p->at[n - 1] == 'E');
        if (!is_digit(c) && !starts_name(c) && c != '.' && !exponent)
            break;
        is_float |= c == '.' || (!hex && (c == 'e' || c == 'E'));
    }
    if (is_float)
        return float_number(p, n);
    char *end;
    const u64 v = strtoull(p->at, &end, 0);
    size_t k = (size_t)(end - p->at);
    for (; k < n; k++) {
        is_unsigned |= p->at[k] == 'u' || p->at[k] == 'U';
        is_long |= p->at[k] == 'l' || p->at[k] == 'L';
        if (!strchr("uUlL", p->at[k]))
            return bad_number(p, n);
    }
    p->at += n;
    const bool decimal = !hex && v && !is_unsigned;
    u64 size = is_long || v > UINT32_MAX || (decimal && v > INT32_MAX) ? 8 : 4;
    is_unsigned |= v > (size == 8 ? (u64)INT64_MAX : (u64)INT32_MAX);
    return number_node(p, debug_type_base(p->c->info, is_unsigned ? DEBUG_UNSIGNED : DEBUG_SIGNED, size), v);
}

/* A character behind a quote; false at the closing one or the end. */
static bool character(struct parser *p, char quote, u8 *out)
{
    static const char from[] = "abtnvfre", to[] = "\a\b\t\n\v\f\r\033";
    if (*p->at == 0 || *p->at == quote)
        return false;
    *out = (u8)*p->at++;
    if (*out != '\\' || *p->at == 0)
        return true;
    const char *k = strchr(from, *p->at);
    if (k) {
        *out = (u8)to[k - from];
    } else if (*p->at >= '0' && *p->at <= '7') {
        unsigned v = 0;
        for (unsigned n = 0; n < 3 && *p->at >= '0' && *p->at <= '7'; n++)
            v = v * 8 + (unsigned)(*p->at++ - '0');
        *out = (u8)v;
        return true;
    } else {
        *out = (u8)*p->at;
    }
    p->at++;
    return true;
}

static const struct debug_node *text(struct parser *p, char quote)
{
    p->at++;
    char *s = arena_alloc(p->c->mem, strlen(p->at) + 1);
    u64 n = 0;
    while (character(p, quote, (u8 *)&s[n]))
        n++;
    if (*p->at != quote || (quote == '\'' && n != 1))
        return fail(p);
    p->at++;
    if (quote == '\'')
        return number_node(p, debug_type_base(p->c->info, DEBUG_CHAR, 1), (u8)s[0]);
    struct debug_node *d = node(p, DEBUG_NODE_STRING);
    s[n] = 0;
    d->name = s;
    d->bits = n;
    return d;
}

static bool special_name(const char *name, u32 *sreg)
{
    static const struct {
        const char *name;
        enum ptx_sreg sreg;
    } names[] = {{"threadIdx", SREG_tid}, {"blockIdx", SREG_ctaid}, {"blockDim", SREG_ntid}, {"gridDim", SREG_nctaid}};
    for (size_t k = 0; k < LS_ARRAY_LEN(names); k++)
        if (strcmp(name, names[k].name) == 0) {
            *sreg = names[k].sreg;
            return true;
        }
    return false;
}

static const struct debug_node *name(struct parser *p)
{
    const size_t n = qualified_length(p->at), colons = strncmp(p->at, "::", 2) == 0 ? 2 : 0;
    if (n == 0)
        return fail(p);
    struct debug_node *d = node(p, DEBUG_NODE_NAME);
    d->name = arena_strndup(p->c->mem, p->at + colons, n - colons);
    p->at += n;
    if (strcmp(d->name, "true") == 0 || strcmp(d->name, "false") == 0)
        return number_node(p, debug_type_base(p->c->info, DEBUG_BOOL, 1), d->name[0] == 't');
    if (strcmp(d->name, "nullptr") == 0)
        return number_node(p, debug_type_pointer(p->c->info, NULL, SPACE_NONE), 0);
    if (strcmp(d->name, "warpSize") == 0)
        return number_node(p, debug_type_base(p->c->info, DEBUG_SIGNED, 4), 32);
    if (special_name(d->name, &d->sreg))
        d->kind = DEBUG_NODE_SPECIALS;
    return d;
}

/* A special register by its PTX name without the percent sign. */
static bool find_special(const char *name, u32 *sreg)
{
    for (u32 k = 0; k < PTX_NSREGS; k++)
        if (strcmp(ptx_sreg_rows[k].name + 1, name) == 0) {
            *sreg = k;
            return true;
        }
    return false;
}

static const struct debug_node *dollar(struct parser *p)
{
    const char *start = ++p->at;
    while (starts_name(*p->at) || is_digit(*p->at) || *p->at == '$')
        p->at++;
    struct debug_node *d = node(p, DEBUG_NODE_DOLLAR);
    d->name = arena_strndup(p->c->mem, start, (size_t)(p->at - start));
    if (!find_special(d->name, &d->sreg))
        return d;
    d->kind = DEBUG_NODE_SPECIAL;
    if (ptx_sreg_rows[d->sreg].vector) {
        d->kind = DEBUG_NODE_SPECIALS;
        if (p->at[0] == '.' && p->at[1] >= 'x' && p->at[1] <= 'z' && name_length(p->at + 1) == 1) {
            d->kind = DEBUG_NODE_SPECIAL;
            d->comp = p->at[1];
            p->at += 2;
        }
    }
    return d;
}

static const struct debug_node *primary(struct parser *p)
{
    skip(p);
    if (is_digit(*p->at) || (*p->at == '.' && is_digit(p->at[1])))
        return number(p);
    if (*p->at == '\'' || *p->at == '"')
        return text(p, *p->at);
    if (*p->at == '$' || (*p->at == '%' && starts_name(p->at[1])))
        return dollar(p);
    if (accept(p, "(")) {
        const struct debug_node *n = assignment(p);
        return n && !accept(p, ")") ? fail(p) : n;
    }
    return name(p);
}

/* ---- operators ---- */

static struct debug_node *unary_node(struct parser *p, unsigned op, const struct debug_node *a)
{
    struct debug_node *n = node(p, DEBUG_NODE_UNARY);
    n->op = (u16)op;
    n->a = a;
    return n;
}

static const struct debug_node *member(struct parser *p, const struct debug_node *of)
{
    skip(p);
    const size_t n = qualified_length(p->at);
    if (n == 0)
        return fail(p);
    struct debug_node *m = node(p, DEBUG_NODE_MEMBER);
    m->a = of;
    m->name = arena_strndup(p->c->mem, p->at, n);
    p->at += n;
    return m;
}

static const struct debug_node *postfix(struct parser *p)
{
    const struct debug_node *a = primary(p);
    while (a) {
        if (accept(p, "[")) {
            struct debug_node *n = node(p, DEBUG_NODE_INDEX);
            n->a = a;
            n->b = assignment(p);
            a = n->b && accept(p, "]") ? n : fail(p);
        } else if (accept(p, "->")) {
            a = member(p, unary_node(p, '*', a));
        } else if (accept(p, ".")) {
            a = member(p, a);
        } else if (accept(p, "(")) {
            p->failed = true;
            debug_fail(p->c, "Functions of the program cannot be called.");
            return NULL;
        } else {
            break;
        }
    }
    return a;
}

static const struct debug_node *size_of(struct parser *p)
{
    struct debug_node *n = node(p, DEBUG_NODE_SIZEOF);
    const char *start = p->at;
    if (accept(p, "(") && accept_type(p, &n->type) && accept(p, ")")) {
        n->bits = n->type ? n->type->size : 1;
        return n;
    }
    p->at = start;
    n->a = unary(p);
    return n->a ? n : NULL;
}

static const struct debug_node *cast(struct parser *p)
{
    struct debug_node *n = node(p, DEBUG_NODE_CAST);
    const char *start = p->at;
    if (!accept(p, "(") || !accept_type(p, &n->type) || !accept(p, ")")) {
        p->at = start;
        return NULL;
    }
    n->a = unary(p);
    return n->a ? n : fail(p);
}

static const struct debug_node *unary_inside(struct parser *p)
{
    skip(p);
    if (accept_word(p, "sizeof"))
        return size_of(p);
    if (*p->at && strchr("-+!~*&", *p->at)) {
        const char op = *p->at++;
        const struct debug_node *a = unary(p);
        return a ? unary_node(p, (unsigned)op, a) : NULL;
    }
    const struct debug_node *n = *p->at == '(' ? cast(p) : NULL;
    return n || p->failed ? n : postfix(p);
}

static const struct debug_node *unary(struct parser *p)
{
    if (++p->depth > DEEPEST)
        return fail(p);
    const struct debug_node *n = unary_inside(p);
    p->depth--;
    return n;
}

/* Longer ones first. */
static const struct {
    const char *text;
    u16 op;
    u8 precedence;
} operators[] = {
    {"||", DEBUG_OP_OR, 1},
    {"&&", DEBUG_OP_AND, 2},
    {"==", DEBUG_OP_EQUAL, 6},
    {"!=", DEBUG_OP_NOT_EQUAL, 6},
    {"<=", DEBUG_OP_AT_MOST, 7},
    {">=", DEBUG_OP_AT_LEAST, 7},
    {"<<", DEBUG_OP_SHIFT_LEFT, 8},
    {">>", DEBUG_OP_SHIFT_RIGHT, 8},
    {"|", '|', 3},
    {"^", '^', 4},
    {"&", '&', 5},
    {"<", '<', 7},
    {">", '>', 7},
    {"@", '@', 9},
    {"+", '+', 10},
    {"-", '-', 10},
    {"*", '*', 11},
    {"/", '/', 11},
    {"%", '%', 11},
};

/* The operator here, if it is one; an assignment's is not. */
static int operator_at(struct parser *p)
{
    skip(p);
    for (size_t k = 0; k < LS_ARRAY_LEN(operators); k++) {
        const size_t n = strlen(operators[k].text);
        if (strncmp(p->at, operators[k].text, n) == 0)
            return p->at[n] == '=' && (n == 1 || operators[k].precedence == 8) ? -1 : (int)k;
    }
    return -1;
}

static const struct debug_node *binary(struct parser *p, unsigned least)
{
    const struct debug_node *a = unary(p);
    for (int k; a && (k = operator_at(p)) >= 0 && operators[k].precedence >= least;) {
        p->at += strlen(operators[k].text);
        struct debug_node *n = node(p, operators[k].op == '@' ? DEBUG_NODE_REPEAT : DEBUG_NODE_BINARY);
        n->op = operators[k].op;
        n->a = a;
        n->b = binary(p, operators[k].precedence + 1u);
        a = n->b ? n : NULL;
    }
    return a;
}

static const struct debug_node *ternary(struct parser *p)
{
    const struct debug_node *a = binary(p, 1);
    if (!a || !accept(p, "?"))
        return a;
    struct debug_node *n = node(p, DEBUG_NODE_TERNARY);
    n->a = a;
    n->b = assignment(p);
    if (!n->b || !accept(p, ":"))
        return fail(p);
    n->c = assignment(p);
    return n->c ? n : NULL;
}

static bool assignment_operator(struct parser *p, u16 *op)
{
    skip(p);
    *op = DEBUG_OP_NONE;
    if (p->at[0] == '=' && p->at[1] != '=')
        return p->at++, true;
    for (size_t k = 0; k < LS_ARRAY_LEN(operators); k++) {
        const size_t n = strlen(operators[k].text);
        if ((n == 1 ? strchr("|^&+-*/%", operators[k].op) != NULL : operators[k].precedence == 8) &&
            strncmp(p->at, operators[k].text, n) == 0 && p->at[n] == '=' && p->at[n + 1] != '=') {
            *op = operators[k].op;
            p->at += n + 1;
            return true;
        }
    }
    return false;
}

static const struct debug_node *assignment(struct parser *p)
{
    u16 op;
    if (++p->depth > DEEPEST)
        return fail(p);
    const struct debug_node *a = ternary(p);
    if (a && assignment_operator(p, &op)) {
        struct debug_node *n = node(p, DEBUG_NODE_ASSIGN);
        n->op = op;
        n->a = a;
        n->b = assignment(p);
        a = n->b ? n : NULL;
    }
    p->depth--;
    return a;
}

const struct debug_node *debug_parse(struct debug_context *c, const char *expression)
{
    struct parser p = {.c = c, .at = expression};
    if (strlen(expression) > LONGEST) {
        debug_fail(c, "The expression is too long.");
        return NULL;
    }
    const struct debug_node *n = assignment(&p);
    skip(&p);
    return n && !p.failed && *p.at ? fail(&p) : p.failed ? NULL : n ? n : fail(&p);
}

const struct debug_type *debug_parse_type(struct debug_context *c, const char *type)
{
    struct parser p = {.c = c, .at = type};
    const struct debug_type *t = NULL;
    const bool found = accept_type(&p, &t);
    skip(&p);
    if (!found || *p.at) {
        debug_fail(c, "No type named %s.", type);
        return NULL;
    }
    return t;
}
