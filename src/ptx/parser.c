/* parser.c - the module: its directives, variables and functions (PTX ISA 11), and the entry point ptx_parse.
 *
 *     module = {.version n.n | .target t {, t} | .address_size n | .file ... | .section ... | .pragma ...
 *               | .alias a, b ';' | [linkage] variable | [linkage] (.entry | .func) function}
 *
 * Source: PTX ISA 9.0, chapters 4, 5, 7, 11. Types and operands are checked as they are met (verify.c). Pragmas
 * and the pointee of .ptr parameters are read and dropped: nothing in Lockstep depends on them. */
#include "ptx/parser.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* major.minor, which is not a number: 7.10 is not 7.1 */
static void parse_version(struct parser *p)
{
    struct ptx_module *m = p->m;
    lex_skip(p);
    const char *s = p->at;
    u32 part[2] = {0};
    for (unsigned k = 0; k < 2; k++) {
        const char *first = s;
        while (*s >= '0' && *s <= '9' && s - first < 4)
            part[k] = part[k] * 10 + (u32)(*s++ - '0');
        if (s == first || (k == 0 && *s++ != '.'))
            fail(p, p->at, "expected a version such as 9.0");
    }
    p->at = s;
    m->version_major = part[0];
    m->version_minor = part[1];
    p->seen_version = true;
}

static void parse_target_word(struct parser *p, const char *word)
{
    struct ptx_module *m = p->m;
    if (strncmp(word, "sm_", 3) == 0 || strncmp(word, "compute_", 8) == 0) {
        m->target = word;
        m->sm = (u32)strtoul(strchr(word, '_') + 1, NULL, 10);
    } else if (strcmp(word, "debug") == 0) {
        m->debug = true;
    } else if (strcmp(word, "texmode_unified") != 0 && strcmp(word, "texmode_independent") != 0 &&
               strcmp(word, "map_f64_to_f32") != 0) {
        error(p, p->at - strlen(word), "unknown target '%s'", word);
    }
}

static void parse_target(struct parser *p)
{
    do
        parse_target_word(p, lex_ident(p, "a target"));
    while (lex_accept(p, ','));
    p->seen_target = true;
}

static struct ptx_func *need_function(struct parser *p)
{
    lex_skip(p);
    const char *at = p->at;
    const char *name = lex_ident(p, "a function");
    const struct binding *b = scope_find(p, name);
    if (!b || b->kind != BIND_FUNC)
        fail(p, at, "'%s' is not a function", name);
    return b->func;
}

/* .alias a, b: a is another name of b */
static void parse_alias(struct parser *p)
{
    lex_skip(p);
    const char *at = p->at;
    struct ptx_func *a = need_function(p);
    lex_expect(p, ',', "the alias");
    struct ptx_func *b = need_function(p);
    lex_expect(p, ';', "the function");
    if (a->defined || a == b)
        fail(p, at, "'%s' is defined itself", a->name);
    if (b->alias || !b->defined)
        fail(p, at, "'%s' must be defined, not an alias itself", b->name);
    a->alias = b;
}

static void parse_pragma(struct parser *p)
{
    do
        lex_string(p);
    while (lex_accept(p, ','));
    lex_expect(p, ';', "the pragma");
}

/* The linkage word, or LINK_NONE. */
static u8 linkage_word(const struct keyword *k)
{
    switch (k ? k->dir : DIR_NONE) {
    case DIR_EXTERN:
        return LINK_EXTERN;
    case DIR_VISIBLE:
        return LINK_VISIBLE;
    case DIR_WEAK:
        return LINK_WEAK;
    case DIR_COMMON:
        return LINK_COMMON;
    default:
        return LINK_NONE;
    }
}

/* Variables and functions, with their linkage. */
static void parse_definition(struct parser *p, const struct keyword *k, const char *start, size_t len)
{
    struct decl d = {.vec = 1, .at = start - 1};
    while (linkage_word(k) != LINK_NONE) {
        if (d.linkage != LINK_NONE)
            fail(p, start - 1, "a second linkage");
        d.linkage = linkage_word(k);
        k = lex_directive(p, &start, &len);
    }
    if (k && (k->dir == DIR_ENTRY || k->dir == DIR_FUNC))
        parse_function(p, d.linkage, k->dir == DIR_ENTRY);
    else if (parse_decl_word(p, &d, k, start, len))
        parse_variables(p, &d);
    else
        fail(p, start - 1, "unknown directive '.%.*s'", (int)len, start);
}

static void parse_module_directive(struct parser *p)
{
    const char *start;
    size_t len;
    const struct keyword *k = lex_directive(p, &start, &len);
    switch (k ? k->dir : DIR_NONE) {
    case DIR_VERSION:
        parse_version(p);
        break;
    case DIR_TARGET:
        parse_target(p);
        break;
    case DIR_ADDRESS_SIZE:
        p->m->address_size = (u32)const_unsigned(p, "the address size", 64);
        if (p->m->address_size != 64)
            error(p, start - 1, "only 64-bit addresses are supported");
        break;
    case DIR_FILE:
        parse_file(p);
        break;
    case DIR_SECTION:
        parse_section(p);
        break;
    case DIR_LOC:
        parse_loc(p);
        break;
    case DIR_PRAGMA:
        parse_pragma(p);
        break;
    case DIR_ALIAS:
        parse_alias(p);
        break;
    default:
        if (!p->seen_version)
            error(p, start - 1, "the module must begin with .version");
        p->seen_version = true;
        parse_definition(p, k, start, len);
    }
}

/* clang's labels between functions */
static void parse_outer_label(struct parser *p)
{
    const struct ptx_outer_label l = {lex_ident(p, "a label"), p->last_func};
    lex_expect(p, ':', "the label");
    vec_push(&p->tmp, &p->outer_labels, l);
}

static void leave_function(struct parser *p)
{
    while (p->scope != &p->module)
        scope_drop(p);
    p->f = NULL;
}

/* After an error outside functions: to behind the semicolon or the closing brace that ends what began at stmt. It may
 * have stopped inside braces, so they are counted from the beginning. */
static void resync_definition(struct parser *p)
{
    u32 depth = 0;
    const char *stopped = p->at;
    p->at = p->stmt;
    p->line = p->stmt_line;
    p->line_start = p->stmt_line_start;
    if (p->at < p->end)
        p->at++;
    for (; lex_peek(p), p->at < p->end; p->at++) {
        const char c = *p->at;
        if (c == '{')
            depth++;
        if (c == '}' && depth > 0)
            depth--;
        if (depth == 0 && (c == '}' || c == ';') && p->at >= stopped - 1) {
            p->at++;
            return;
        }
    }
}

static void parse_module(struct parser *p)
{
    for (;;) {
        if (setjmp(p->sync)) {
            leave_function(p);
            resync_definition(p);
        }
        const char c = lex_peek(p);
        p->stmt = p->at;
        p->stmt_line = p->line;
        p->stmt_line_start = p->line_start;
        if (p->at >= p->end || p->errors >= TOO_MANY)
            return;
        if (c == '.')
            parse_module_directive(p);
        else if (c == ';')
            p->at++;
        else if (lex_is_ident_start(c))
            parse_outer_label(p);
        else
            fail(p, p->at, "expected a directive");
    }
}

/* An alias shares the body of its function. */
static void finish_aliases(struct parser *p)
{
    for (u32 i = 0; i < p->funcs.len; i++) {
        struct ptx_func *f = p->funcs.at[i];
        if (!f->alias)
            continue;
        struct ptx_func *of = f->alias;
        const char *name = f->name;
        const u8 linkage = f->linkage;
        *f = *of;
        f->name = name;
        f->linkage = linkage;
        f->alias = of;
    }
}

/* Closes the holes that declarations left whose definitions came later. */
static void compact_vars(struct parser *p)
{
    u32 n = 0;
    for (u32 i = 0; i < p->vars.len; i++)
        if (p->vars.at[i]) {
            p->vars.at[i]->index = n;
            p->vars.at[n++] = p->vars.at[i];
        }
    p->vars.len = n;
}

#define TAKE(field, type)                                                                                              \
    do {                                                                                                               \
        m->n##field = p->field.len;                                                                                    \
        m->field = arena_array(&m->mem, type, p->field.len);                                                           \
        if (p->field.len)                                                                                              \
            memcpy(m->field, p->field.at, sizeof(p->field.at[0]) * p->field.len);                                      \
    } while (0)

static void finish_module(struct parser *p)
{
    struct ptx_module *m = p->m;
    finish_locs(p);
    finish_aliases(p);
    compact_vars(p);
    TAKE(vars, struct ptx_var *);
    TAKE(funcs, struct ptx_func *);
    TAKE(files, const char *);
    TAKE(locs, struct ptx_loc);
    TAKE(sections, struct ptx_section);
    TAKE(outer_labels, struct ptx_outer_label);
}

static void start_module(struct parser *p, const char *text, size_t len, const char *file)
{
    struct ptx_module *m = p->m;
    m->names.mem = &m->mem;
    m->file = arena_strndup(&m->mem, file, strlen(file));
    m->text = arena_strndup(&m->mem, text, len);
    m->text_len = len;
    m->address_size = 64;
    m->target = "";
    p->at = p->line_start = m->text;
    p->end = m->text + len;
    p->line = 1;
    p->scope = &p->module;
}

static enum ls_status run(struct parser *p, const char *text, size_t len, const char *file)
{
    if (setjmp(p->m->mem.oom))
        return LS_ERR_NOMEM;
    start_module(p, text, len, file);
    parse_module(p);
    finish_module(p);
    return p->errors ? LS_ERR_SYNTAX : LS_OK;
}

enum ls_status ptx_parse(const char *text, size_t len, const char *file, struct ptx_module **out,
                         struct diag_list *diags)
{
    *out = NULL;
    while (len && text[len - 1] == 0)
        len--;
    enum ls_status status = LS_ERR_NOMEM;
    struct parser *p = ls_calloc(1, sizeof(*p));
    if (!p)
        return status;
    struct ptx_module *m = p->m = ls_calloc(1, sizeof(*m));
    if (m) {
        m->mem.name = "mod";
        p->tmp = (struct arena)ARENA_UNDER("tmp", &m->mem);
        p->diags = diags;
        status = run(p, text, len, file ? file : "<ptx>");
    }
    arena_free(&p->tmp);
    ls_free(p);
    if (status == LS_OK)
        *out = m;
    else
        ptx_free(m);
    return status;
}

void ptx_free(struct ptx_module *m)
{
    if (!m)
        return;
    arena_free(&m->mem);
    ls_free(m);
}
