/* scope.c - what names mean: bindings, ranges of registers, and references to labels that may come later.
 *
 * Each interned name carries the stack of its bindings (struct name), so a look-up is one load; closing a scope pops
 * the bindings it made. A register of a range %r<24> comes into being at its first use, in the scope of its range.
 * Labels may be used before they are written, so their references wait until the scope closes, and go to the scope
 * around it when it has no such label. */
#include <stdio.h>
#include <string.h>

#include "ptx/parser.h"

struct name *name_of(struct parser *p, const char *interned)
{
    void **slot = intern_slot(interned);
    if (!*slot) {
        struct name *n = arena_new(&p->tmp, struct name);
        n->text = interned;
        *slot = n;
    }
    return *slot;
}

void scope_open(struct parser *p, const char *at)
{
    struct scope *s = arena_new(&p->tmp, struct scope); /* not on the stack: fail() jumps over it */
    *s = (struct scope){.outer = p->scope, .open = at};
    p->scope = s;
    p->nscopes++;
}

struct binding *scope_find(struct parser *p, const char *interned) { return name_of(p, interned)->top; }

struct binding *scope_here(struct parser *p, const char *interned)
{
    for (struct binding *b = scope_find(p, interned); b; b = b->below)
        if (b->scope == p->scope)
            return b;
    return NULL;
}

struct binding *scope_bind(struct parser *p, struct scope *s, const char *interned, enum binding_kind kind, void *what)
{
    struct name *n = name_of(p, interned);
    struct binding *b = arena_new(&p->tmp, struct binding);
    b->name = n;
    b->scope = s;
    b->kind = (u8)kind;
    b->var = what;
    b->next = s->bindings;
    s->bindings = b;
    b->below = n->top;
    n->top = b;
    return b;
}

/* The name under which something declared in a function is known in the tree: names are unique there, though scopes
 * may repeat them, so that a tree without scopes can be printed. */
const char *scope_unique(struct parser *p, const char *interned)
{
    struct name *n = name_of(p, interned);
    const char *s = interned;
    for (struct name *taken = n; taken->func == p->func_serial || taken->module; taken = name_of(p, s)) {
        char digits[16];
        const size_t len = strlen(interned);
        const size_t nd = (size_t)snprintf(digits, sizeof(digits), "__%u", ++n->renamed);
        char *to = arena_alloc(&p->tmp, len + nd + 1);
        memcpy(to, interned, len);
        memcpy(to + len, digits, nd);
        s = intern(&p->m->names, to, len + nd);
    }
    name_of(p, s)->func = p->func_serial;
    return s;
}

/* The number that s[0..n) spells without leading zeros. */
static bool decimal(const char *s, size_t n, u64 *out)
{
    if (n == 0 || n > 10 || (s[0] == '0' && n > 1))
        return false;
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out = *out * 10 + (u64)(s[i] - '0');
    return true;
}

const char *scope_range(struct parser *p, const char *prefix, size_t len)
{
    char *name = arena_alloc(&p->tmp, len + 1);
    memcpy(name, prefix, len);
    name[len] = '<';
    return intern(&p->m->names, name, len + 1);
}

struct ptx_var *scope_register(struct parser *p, const char *interned)
{
    const size_t len = strlen(interned);
    size_t cut = len;
    while (cut > 0 && interned[cut - 1] >= '0' && interned[cut - 1] <= '9')
        cut--;
    for (; cut < len; cut++) {
        u64 number;
        if (cut == 0 || !decimal(interned + cut, len - cut, &number))
            continue;
        for (struct binding *b = scope_find(p, scope_range(p, interned, cut)); b; b = b->below) {
            if (number >= b->range->count)
                continue;
            struct ptx_var *v = arena_new(&p->m->mem, struct ptx_var);
            *v = b->range->like;
            v->name = scope_unique(p, interned);
            scope_bind(p, b->scope, interned, BIND_VAR, v);
            return v;
        }
    }
    return NULL;
}

void scope_ref(struct parser *p, const char *name, const char *at, struct ptx_operand *o, const struct ptx_label **slot)
{
    struct ref *r = arena_new(&p->tmp, struct ref);
    *r = (struct ref){p->scope->refs, name, at, o, slot};
    p->scope->refs = r;
}

static void resolve(struct ref *r, struct ptx_label *l)
{
    if (r->operand) {
        r->operand->kind = PTX_LABEL;
        r->operand->label = l;
    }
    if (r->slot)
        *r->slot = l;
}

static void undefined_label(struct parser *p, struct ref *r)
{
    struct binding *b = scope_find(p, r->name);
    if (b && b->kind == BIND_UNDEFINED)
        return;
    if (b)
        error(p, r->at, "'%s' is not a label", r->name);
    else
        error(p, r->at, "label '%s' is not defined", r->name);
}

/* Innermost labels win; what is not found waits in the outer scope, up to the function's. */
static void close_refs(struct parser *p, struct scope *s)
{
    for (struct ref *r = s->refs, *next; r; r = next) {
        next = r->next;
        struct binding *b = scope_find(p, r->name);
        if (b && b->kind == BIND_LABEL && b->scope == s) {
            resolve(r, b->label);
        } else if (p->nscopes > 1) {
            r->next = s->outer->refs;
            s->outer->refs = r;
        } else {
            undefined_label(p, r);
        }
    }
}

void scope_close(struct parser *p)
{
    struct scope *s = p->scope;
    close_refs(p, s);
    for (struct binding *b = s->bindings; b; b = b->next) {
        struct binding **at = &b->name->top;
        while (*at != b)
            at = &(*at)->below;
        *at = b->below;
    }
    p->scope = s->outer;
    p->nscopes--;
}

void scope_drop(struct parser *p)
{
    p->scope->refs = NULL;
    scope_close(p);
}
