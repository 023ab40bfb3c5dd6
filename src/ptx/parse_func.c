/* parse_func.c - functions: header, performance directives, body with its scopes, labels and lists (PTX ISA 7, 11).
 *
 *     function  = ['(' params ')'] name ['(' params ')'] {directive} (';' | body)
 *     body      = '{' {statement} '}'
 *     statement = declaration | label ':' | .loc ... | .pragma string ';' | [guard] instruction | body | ';'
 *
 * Nested braces are a list of scopes, not recursion: their depth costs memory only. An error leaves the statement
 * (fail() jumps to the loop) and goes on behind its semicolon. */
#include <string.h>

#include "ptx/parser.h"

static void parse_params(struct parser *p, bool anonymous, struct ptx_var ***vars, u32 *n)
{
    VEC(struct ptx_var *) list = {0};
    lex_expect(p, '(', "the name");
    if (!lex_accept(p, ')')) {
        do
            vec_push(&p->tmp, &list, parse_param(p, anonymous));
        while (lex_accept(p, ','));
        lex_expect(p, ')', "the parameters");
    }
    *n = list.len;
    *vars = arena_array(&p->m->mem, struct ptx_var *, list.len);
    for (u32 i = 0; i < list.len; i++) {
        (*vars)[i] = list.at[i];
        list.at[i]->index = i;
    }
}

/* Offsets in a parameter block: each parameter at its own alignment (PTX ISA 7.1, the CUDA driver's convention). */
static u64 layout(struct ptx_var **vars, u32 n)
{
    u64 at = 0;
    for (u32 i = 0; i < n; i++) {
        at = ls_align_up(at, vars[i]->align);
        vars[i]->offset = at;
        at += vars[i]->size;
    }
    return at;
}

static void parse_header(struct parser *p, struct ptx_func *f, bool anonymous)
{
    if (lex_peek(p) == '(')
        parse_params(p, anonymous, &f->rets, &f->nrets);
    if (f->is_entry && f->nrets)
        error(p, p->at, "an entry returns nothing");
    lex_skip(p);
    f->line = p->line;
    f->name = lex_ident(p, "the function's name");
    if (lex_peek(p) == '(')
        parse_params(p, anonymous, &f->params, &f->nparams);
    layout(f->rets, f->nrets);
    f->param_bytes = layout(f->params, f->nparams);
}

/* Up to three numbers, the rest 1. */
static void parse_dims(struct parser *p, u32 dims[3])
{
    unsigned n = 0;
    dims[0] = dims[1] = dims[2] = 1;
    do {
        if (n == 3)
            fail(p, p->at, "more than three dimensions");
        dims[n++] = (u32)const_unsigned(p, "a dimension", UINT32_MAX);
    } while (lex_accept(p, ','));
}

static u32 parse_count(struct parser *p) { return (u32)const_unsigned(p, "the value", UINT32_MAX); }

/* A directive between header and body, or behind a prototype. */
static void parse_func_directive(struct parser *p, struct ptx_func *f)
{
    const char *start;
    size_t len;
    const struct keyword *k = lex_directive(p, &start, &len);
    switch (k ? k->dir : DIR_NONE) {
    case DIR_MAXNTID:
        parse_dims(p, f->maxntid);
        break;
    case DIR_REQNTID:
        parse_dims(p, f->reqntid);
        break;
    case DIR_REQNCTAPERCLUSTER:
        parse_dims(p, f->cluster);
        break;
    case DIR_MINNCTAPERSM:
        f->minnctapersm = parse_count(p);
        break;
    case DIR_MAXNCTAPERSM:
        f->maxnctapersm = parse_count(p);
        break;
    case DIR_MAXNREG:
        f->maxnreg = parse_count(p);
        break;
    case DIR_MAXCLUSTERRANK:
        f->maxclusterrank = parse_count(p);
        break;
    case DIR_ABI_PRESERVE:
    case DIR_ABI_PRESERVE_CONTROL:
        parse_count(p); /* a hint for ptxas: read and ignored */
        break;
    case DIR_EXPLICITCLUSTER:
        f->explicitcluster = true;
        break;
    case DIR_BLOCKSARECLUSTERS:
        f->blocksareclusters = true;
        break;
    case DIR_NORETURN:
        f->noreturn = true;
        break;
    case DIR_PRAGMA:
        do
            lex_string(p);
        while (lex_accept(p, ','));
        lex_expect(p, ';', "the pragma");
        break;
    case DIR_LOC:
        parse_loc(p);
        break;
    default:
        fail(p, start - 1, "directive '.%.*s' does not belong to a function", (int)len, start);
    }
}

static bool same_params(struct ptx_var **a, u32 na, struct ptx_var **b, u32 nb)
{
    if (na != nb)
        return false;
    for (u32 i = 0; i < na; i++)
        if (a[i]->size != b[i]->size || a[i]->align != b[i]->align)
            return false;
    return true;
}

/* The one object of that name: `f` joins what was declared before. */
static struct ptx_func *join(struct parser *p, struct ptx_func *f, const char *at, bool defines)
{
    struct binding *b = scope_find(p, f->name);
    while (b && b->scope != &p->module)
        b = b->below;
    if (!b) {
        struct ptx_func *to = arena_new(&p->m->mem, struct ptx_func);
        *to = *f;
        to->defined = defines;
        vec_push(&p->tmp, &p->funcs, to);
        /* The module's binding lies below those of the function's scope. */
        struct name *n = name_of(p, f->name);
        struct binding *top = n->top;
        n->top = NULL;
        struct binding *mine = scope_bind(p, &p->module, f->name, BIND_FUNC, to);
        n->module = true;
        if (top) {
            struct binding *lowest = top;
            while (lowest->below)
                lowest = lowest->below;
            lowest->below = mine;
            n->top = top;
        }
        return to;
    }
    if (b->kind != BIND_FUNC)
        fail(p, at, "'%s' is a variable", f->name);
    struct ptx_func *to = b->func;
    if (to->defined && defines)
        fail(p, at, "function '%s' is defined twice", f->name);
    if (to->is_entry != f->is_entry || !same_params(to->params, to->nparams, f->params, f->nparams) ||
        !same_params(to->rets, to->nrets, f->rets, f->nrets))
        error(p, at, "'%s' is declared with other parameters on line %u", f->name, to->line);
    if (to->defined)
        return to;
    const bool noreturn = to->noreturn || f->noreturn;
    const u8 linkage = f->linkage == LINK_NONE ? to->linkage : f->linkage;
    *to = *f;
    to->noreturn = noreturn;
    to->linkage = linkage;
    to->defined = defines;
    return to;
}

static struct ptx_label *define_label(struct parser *p, const char *name, const char *at)
{
    const bool twice = scope_here(p, name) != NULL;
    if (twice)
        error(p, at, "'%s' is declared twice", name);
    struct ptx_label *l = arena_new(&p->m->mem, struct ptx_label);
    l->name = scope_unique(p, name);
    l->at = p->insts.len;
    l->line = p->line;
    vec_push(&p->tmp, &p->labels, l);
    if (!twice)
        scope_bind(p, p->scope, name, BIND_LABEL, l);
    return l;
}

static struct ptx_label *need_label(struct parser *p, const char *at)
{
    if (!p->label)
        fail(p, at, "the list needs a label before it");
    return p->label;
}

static void parse_branchtargets(struct parser *p, const char *at)
{
    struct ptx_label *l = need_label(p, at);
    struct name_at {
        const char *name, *at;
    };
    VEC(struct name_at) names = {0};
    do {
        lex_skip(p);
        struct name_at n = {.at = p->at};
        n.name = lex_ident(p, "a label");
        vec_push(&p->tmp, &names, n);
    } while (lex_accept(p, ','));
    l->ntargets = names.len;
    l->targets = arena_array(&p->m->mem, const struct ptx_label *, names.len);
    for (u32 i = 0; i < names.len; i++)
        scope_ref(p, names.at[i].name, names.at[i].at, NULL, &l->targets[i]);
    lex_expect(p, ';', "the labels");
}

static void parse_calltargets(struct parser *p, const char *at)
{
    struct ptx_label *l = need_label(p, at);
    VEC(const struct ptx_func *) funcs = {0};
    do {
        lex_skip(p);
        const char *where = p->at;
        const char *name = lex_ident(p, "a function");
        const struct binding *b = scope_find(p, name);
        if (!b || b->kind != BIND_FUNC)
            fail(p, where, "'%s' is not a function", name);
        vec_push(&p->tmp, &funcs, b->func);
    } while (lex_accept(p, ','));
    l->ncalls = funcs.len;
    l->calls = arena_array(&p->m->mem, const struct ptx_func *, funcs.len);
    memcpy(l->calls, funcs.at, funcs.len * sizeof(funcs.at[0]));
    lex_expect(p, ';', "the functions");
}

/* [(rets)] _ [(params)] [.noreturn]; the names count for nothing. */
static void parse_callprototype(struct parser *p, const char *at)
{
    struct ptx_label *l = need_label(p, at);
    struct ptx_func *f = arena_new(&p->m->mem, struct ptx_func);
    parse_header(p, f, true);
    f->is_proto = true;
    while (lex_peek(p) == '.')
        parse_func_directive(p, f);
    l->proto = f;
    lex_expect(p, ';', "the prototype");
}

static u8 linkage_of(enum ptx_dir dir)
{
    switch (dir) {
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

static void parse_body_directive(struct parser *p)
{
    const char *start, *at = p->at;
    size_t len;
    const struct keyword *k = lex_directive(p, &start, &len);
    switch (k ? k->dir : DIR_NONE) {
    case DIR_LOC:
        parse_loc(p);
        return;
    case DIR_PRAGMA:
        do
            lex_string(p);
        while (lex_accept(p, ','));
        lex_expect(p, ';', "the pragma");
        return;
    case DIR_BRANCHTARGETS:
        parse_branchtargets(p, at);
        return;
    case DIR_CALLTARGETS:
        parse_calltargets(p, at);
        return;
    case DIR_CALLPROTOTYPE:
        parse_callprototype(p, at);
        return;
    case DIR_FILE:
        parse_file(p);
        return;
    default:
        break;
    }
    struct decl d = {.vec = 1, .at = at};
    if (k && linkage_of(k->dir) != LINK_NONE)
        d.linkage = linkage_of(k->dir);
    else if (!parse_decl_word(p, &d, k, start, len))
        fail(p, at, "directive '.%.*s' is not known in a function", (int)len, start);
    parse_variables(p, &d);
}

/* At a name: a label if a single colon follows. */
static bool parse_label(struct parser *p)
{
    const char *s = p->at, *e = s;
    while (lex_is_ident(*e) || (e == s && *e == '%'))
        e++;
    const char *colon = e;
    while (*colon == ' ' || *colon == '\t')
        colon++;
    if (e == s || *colon != ':' || colon[1] == ':')
        return false;
    p->label = define_label(p, lex_ident(p, "a label"), s);
    p->at = colon + 1;
    return true;
}

/* false: the function's last brace is closed */
static bool parse_statement(struct parser *p)
{
    const char c = lex_peek(p);
    p->stmt = p->at;
    struct ptx_label *label = p->label;
    switch (c) {
    case '}':
        p->at++;
        p->label = NULL;
        if (p->nscopes == 1)
            return false;
        scope_close(p);
        return true;
    case '{':
        scope_open(p, p->at++);
        break;
    case ';':
        p->at++;
        break;
    case '.':
        parse_body_directive(p);
        break;
    default:
        if (p->at >= p->end)
            return false;
        if (parse_label(p))
            return true;
        parse_instruction(p);
        break;
    }
    if (label == p->label)
        p->label = NULL;
    return true;
}

/* After an error in a function: to behind the next semicolon, or before the brace that closes the scope. */
static void resync_statement(struct parser *p)
{
    u32 depth = 0;
    if (p->at == p->stmt && p->at < p->end)
        p->at++;
    for (; lex_peek(p), p->at < p->end; p->at++) {
        if (*p->at == ';') {
            p->at++;
            return;
        }
        if (*p->at == '{')
            depth++;
        if (*p->at != '}')
            continue;
        if (depth == 0)
            return;
        depth--;
    }
}

static void start_body(struct parser *p, struct ptx_func *f)
{
    p->f = f;
    p->insts.len = p->regs.len = p->vectors.len = p->locals.len = p->labels.len = 0;
    p->loc = 0;
    p->label = NULL;
}

#define TAKE(field, type)                                                                                              \
    do {                                                                                                               \
        f->n##field = p->field.len;                                                                                    \
        f->field = arena_array(&p->m->mem, type, p->field.len);                                                        \
        if (p->field.len)                                                                                              \
            memcpy(f->field, p->field.at, sizeof(p->field.at[0]) * p->field.len);                                      \
    } while (0)

static void finish_body(struct parser *p, struct ptx_func *f)
{
    TAKE(insts, struct ptx_inst);
    TAKE(regs, struct ptx_var *);
    TAKE(locals, struct ptx_var *);
    TAKE(labels, struct ptx_label *);
}

static void parse_body(struct parser *p, struct ptx_func *f)
{
    start_body(p, f);
    if (setjmp(p->sync)) {
        if (p->errors >= TOO_MANY)
            p->at = p->end;
        p->label = NULL;
        resync_statement(p);
    }
    while (parse_statement(p))
        ;
    if (p->stmt == p->end) {
        error(p, p->scope->open, "the brace is not closed");
        while (p->nscopes > 1)
            scope_drop(p);
        p->scope->refs = NULL;
    }
    finish_body(p, f);
}

/* Behind .entry or .func. */
void parse_function(struct parser *p, u8 linkage, bool is_entry)
{
    struct ptx_func f = {.is_entry = is_entry, .linkage = linkage};
    p->func_serial++;
    lex_skip(p);
    const char *at = p->at;
    scope_open(p, at);
    while (lex_peek(p) == '.') { /* .func .noreturn name, .func .attribute(.unified(..)) name */
        const char *start;
        size_t len;
        struct decl d = {0};
        const struct keyword *k = lex_directive(p, &start, &len);
        if (k && k->dir == DIR_NORETURN)
            f.noreturn = true;
        else if (!k || k->dir != DIR_ATTRIBUTE || !parse_decl_word(p, &d, k, start, len))
            fail(p, start - 1, "'.%.*s' does not belong here", (int)len, start);
    }
    parse_header(p, &f, false);
    while (lex_peek(p) == '.')
        parse_func_directive(p, &f);
    if (lex_accept(p, ';')) {
        join(p, &f, at, false);
        scope_drop(p);
        return;
    }
    const char *open = p->at;
    lex_expect(p, '{', "the function's header");
    p->scope->open = open;
    struct ptx_func *to = join(p, &f, at, true);
    parse_body(p, to);
    p->last_func = to;
    scope_close(p);
    p->f = NULL;
}
