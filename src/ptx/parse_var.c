/* parse_var.c - declarations of variables, registers and parameters, and initialisers (PTX ISA 5.4, 7.1).
 *
 *     variables  = name [range | array] ['=' init] {',' name ...} ';'
 *     range      = '<' count '>'                       registers %r0 .. %r<count-1>, made when they are used
 *     array      = {'[' [count] ']'}
 *     init       = value | '{' init {',' init} '}'
 *     value      = expr | name ['+' expr] | 'generic' '(' name ')' | mask '(' value ')'
 *
 * An initialiser becomes bytes and relocations. */
#include <string.h>

#include "ptx/parser.h"

enum {
    MAX_DIMS = 16,
    MAX_INIT = 256 << 20, /* bytes of an initialised variable: its image is kept in memory */
};
#define MAX_SIZE (1ull << 48) /* bytes of any variable */

u32 type_natural_align(enum ptx_type t, u32 vec)
{
    const u32 bytes = t == PTX_PRED ? 1 : ptx_type_bits(t) / 8;
    return (bytes ? bytes : 1) * (vec ? vec : 1);
}

static u32 parse_align(struct parser *p)
{
    lex_skip(p);
    const char *at = p->at;
    const u64 align = const_unsigned(p, "an alignment", 1u << 20);
    if (align == 0 || (align & (align - 1)))
        fail(p, at, "an alignment must be a power of two");
    return (u32)align;
}

/* .attribute(.managed) or (.unified(uuid1, uuid2)) */
static void parse_attribute(struct parser *p, struct decl *d)
{
    const char *start;
    size_t len;
    lex_expect(p, '(', "'.attribute'");
    do {
        lex_directive(p, &start, &len);
        if (len == 7 && memcmp(start, "managed", 7) == 0) {
            d->managed = true;
        } else if (len == 7 && memcmp(start, "unified", 7) == 0) {
            lex_expect(p, '(', "'.unified'");
            const_expr(p);
            lex_expect(p, ',', "the first half of the identifier");
            const_expr(p);
            lex_expect(p, ')', "the identifier");
        } else {
            fail(p, start - 1, "unknown attribute '.%.*s'", (int)len, start);
        }
    } while (lex_accept(p, ','));
    lex_expect(p, ')', "the attribute");
}

static u8 dir_space(enum ptx_dir dir)
{
    switch (dir) {
    case DIR_REG:
        return SPACE_REG;
    case DIR_SREG:
        return SPACE_SREG;
    case DIR_CONST:
        return SPACE_CONST;
    case DIR_GLOBAL:
        return SPACE_GLOBAL;
    case DIR_LOCAL:
        return SPACE_LOCAL;
    case DIR_PARAM:
        return SPACE_PARAM;
    case DIR_SHARED:
        return SPACE_SHARED;
    case DIR_TEX:
        return SPACE_TEX;
    default:
        return SPACE_NONE;
    }
}

/* Takes one word of a declaration; false when it does not belong to one. */
bool parse_decl_word(struct parser *p, struct decl *d, const struct keyword *k, const char *start, size_t len)
{
    const bool space = k && (dir_space(k->dir) != SPACE_NONE || mod_space(k->mod) == SPACE_SHARED);
    if (space && d->is_ptr) { /* the pointee's space: what the parameter points to is not a declaration */
        return true;
    } else if (space) {
        if (d->space != SPACE_NONE)
            fail(p, start - 1, "a second state space");
        d->space = k->dir ? dir_space(k->dir) : SPACE_SHARED;
    } else if (k && k->type) {
        if (d->type != PTX_NONE)
            fail(p, start - 1, "a second type");
        d->type = (u8)k->type;
    } else if (k && (k->dir == DIR_V2 || k->dir == DIR_V4 || k->dir == DIR_V8)) {
        d->vec = k->dir == DIR_V2 ? 2 : k->dir == DIR_V4 ? 4 : 8;
    } else if (k && k->dir == DIR_ALIGN) {
        const u32 align = parse_align(p);
        if (!d->is_ptr) /* else the pointee's */
            d->align = align;
    } else if (k && k->dir == DIR_PTR) {
        d->is_ptr = true;
    } else if (k && k->dir == DIR_ATTRIBUTE) {
        parse_attribute(p, d);
    } else {
        (void)len;
        return false;
    }
    return true;
}

static void decl_words(struct parser *p, struct decl *d)
{
    const char *start;
    size_t len;
    while (lex_peek(p) == '.') {
        const struct keyword *k = lex_directive(p, &start, &len);
        if (!parse_decl_word(p, d, k, start, len))
            fail(p, start - 1, "'.%.*s' does not belong in a declaration", (int)len, start);
    }
}

static void check_decl(struct parser *p, const struct decl *d, const char *at)
{
    if (d->type == PTX_NONE)
        fail(p, at, "the declaration has no type");
    if (d->space == SPACE_SREG || d->space == SPACE_NONE)
        fail(p, at, "the declaration has no state space");
    if (d->type == PTX_PRED && d->space != SPACE_REG)
        fail(p, at, "a predicate must be a register");
    if (ptx_type_class(d->type) == 'A' && d->space != SPACE_REG && ptx_type_bits(d->type) % 8)
        fail(p, at, "'.%s' cannot be declared", ptx_type_name(d->type));
}

static struct ptx_var *new_var(struct parser *p, const struct decl *d, const char *name)
{
    struct ptx_var *v = arena_new(&p->m->mem, struct ptx_var);
    v->name = name;
    v->space = d->space;
    v->type = d->type;
    v->vec = d->vec ? d->vec : 1;
    v->linkage = d->linkage;
    v->managed = d->managed;
    v->is_ptr = d->is_ptr;
    v->align = d->align ? d->align : type_natural_align(d->type, v->vec);
    v->count = 1;
    v->size = type_natural_align(d->type, v->vec);
    v->line = p->line;
    v->index = UINT32_MAX;
    return v;
}

/* The declared sizes of an array, outermost first; 0 only as the first. */
struct shape {
    u64 dim[MAX_DIMS];
    u32 n;
};

static struct shape parse_dims(struct parser *p, struct ptx_var *v)
{
    struct shape s = {.n = 0};
    const char *at = p->at;
    u64 count = 1;
    bool over = false;
    while (lex_accept(p, '[')) {
        if (s.n == MAX_DIMS)
            fail(p, p->at, "an array of more than %d dimensions", MAX_DIMS);
        if (lex_peek(p) == ']') {
            if (s.n)
                fail(p, p->at, "only the first dimension may be left open");
            s.dim[s.n++] = 0;
        } else {
            s.dim[s.n] = const_unsigned(p, "an array's size", MAX_SIZE);
            over |= __builtin_mul_overflow(count, s.dim[s.n++], &count);
        }
        lex_expect(p, ']', "the array's size");
    }
    if (s.n == 0)
        return s;
    u64 size;
    over |= __builtin_mul_overflow(count, v->size, &size);
    if (over || size > MAX_SIZE)
        fail(p, at, "the array is too large");
    v->is_array = true;
    v->count = s.dim[0] == 0 ? 0 : count;
    v->size = s.dim[0] == 0 ? 0 : size;
    return s;
}

/* An initialiser being read: `next` counts elements in the flattened array. */
struct init {
    struct ptx_var *v;
    struct shape shape;
    u32 elem; /* bytes */
    u64 next, cap;
    u8 *bytes;
    VEC(struct ptx_reloc) relocs;
};

static void reserve(struct parser *p, struct init *in, u64 elements)
{
    if (elements <= in->cap)
        return;
    u64 cap = in->cap ? in->cap : 16;
    while (cap < elements)
        cap *= 2;
    if (cap * in->elem > MAX_INIT)
        fail(p, p->at, "the initialiser is too large");
    u8 *to = arena_alloc(&p->tmp, cap * in->elem);
    if (in->cap)
        memcpy(to, in->bytes, in->cap * in->elem);
    in->bytes = to;
    in->cap = cap;
}

/* Which name an address in an initialiser means. */
static void reloc_target(struct parser *p, struct ptx_reloc *r)
{
    const char *at = p->at;
    const char *name = lex_ident(p, "a variable or function");
    const struct binding *b = scope_find(p, name);
    if (b && b->kind == BIND_VAR && b->var->space != SPACE_REG)
        r->var = b->var;
    else if (b && b->kind == BIND_FUNC)
        r->func = b->func;
    else
        fail(p, at, "'%s' is not a variable or function", name);
}

/* name ['+' expr], or generic(name) ['+' expr] */
static struct ptx_reloc parse_address(struct parser *p)
{
    struct ptx_reloc r = {.bytes = 8};
    static const char generic[] = "generic";
    lex_skip(p);
    if (strncmp(p->at, generic, 7) == 0 && !lex_is_ident(p->at[7])) {
        p->at += 7;
        lex_expect(p, '(', "'generic'");
        lex_skip(p);
        reloc_target(p, &r);
        lex_expect(p, ')', "the name");
        r.generic = true;
    } else {
        reloc_target(p, &r);
    }
    const char c = lex_peek(p);
    if (c == '+' || c == '-')
        r.addend = (i64)const_expr(p).bits;
    return r;
}

/* 0xFF00(address): one byte of an address (5.4.4). */
static struct ptx_reloc parse_mask(struct parser *p, const char *at, u64 mask)
{
    lex_expect(p, '(', "the mask");
    lex_skip(p);
    struct ptx_reloc r = parse_address(p);
    lex_expect(p, ')', "the address");
    const unsigned shift = mask ? (unsigned)__builtin_ctzll(mask) : 1;
    if (shift % 8 || mask >> shift != 0xff)
        fail(p, at, "a mask must select one byte: 0xFF, 0xFF00, ...");
    r.bytes = 1;
    r.shift = (u8)shift;
    return r;
}

static void put_reloc(struct parser *p, struct init *in, struct ptx_reloc r, const char *at)
{
    if (r.bytes != 1) {
        if ((in->elem != 4 && in->elem != 8) || ptx_type_class(in->v->type) == 'F')
            fail(p, at, "an address does not fit in '.%s'", ptx_type_name(in->v->type));
        r.bytes = (u8)in->elem;
    }
    r.at = in->next * in->elem;
    vec_push(&p->tmp, &in->relocs, r);
}

static u64 to_half(f64 d);

/* A number as the bits of the variable's type. */
static u64 number_bits(struct parser *p, struct number n, enum ptx_type t, const char *at)
{
    f64 d;
    f32 f;
    u32 f_bits = (u32)n.bits;
    memcpy(&d, &n.bits, sizeof(d));
    memcpy(&f, &f_bits, sizeof(f));
    const bool is_float = n.is_f32 || n.is_f64;
    if (ptx_type_class(t) == 'U' || ptx_type_class(t) == 'S') {
        if (is_float)
            fail(p, at, "a floating-point value for '.%s'", ptx_type_name(t));
        return n.bits;
    }
    if (ptx_type_class(t) == 'B')
        return n.bits;
    const f64 value = n.is_f32 ? (f64)f : n.is_f64 ? d : n.is_unsigned ? (f64)n.bits : (f64)(i64)n.bits;
    if (t == PTX_F64) {
        memcpy(&n.bits, &value, sizeof(value));
        return n.bits;
    }
    if (t == PTX_F32) {
        f = (f32)value;
        memcpy(&f_bits, n.is_f32 ? &f_bits : (const void *)&f, sizeof(f_bits));
        return f_bits;
    }
    return t == PTX_F16 && is_float ? to_half(value) : n.bits;
}

/* Double to binary16, to nearest even. */
static u64 to_half(f64 d)
{
    u64 bits;
    memcpy(&bits, &d, sizeof(bits));
    const u64 sign = bits >> 63 << 15;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    u64 m = (bits & ((1ull << 52) - 1)) | 1ull << 52;
    if (exponent == 1024)
        return sign | 0x7c00 | (m != 1ull << 52 ? 0x200 : 0);
    if (exponent > 15)
        return sign | 0x7c00;
    if (exponent < -25)
        return sign;
    const unsigned drop = exponent < -14 ? 42 + (unsigned)(-14 - exponent) : 42;
    const u64 rest = m & ((1ull << drop) - 1), halfway = 1ull << (drop - 1);
    m >>= drop;
    m += rest > halfway || (rest == halfway && (m & 1));
    /* Without its hidden bit a normal number starts at exponent 1; a carry moves on to the next exponent by itself. */
    return sign | (exponent < -14 ? m : ((u64)(exponent + 15) << 10) + m - 0x400);
}

static void put_number(struct parser *p, struct init *in, struct number n, const char *at)
{
    const u64 bits = number_bits(p, n, in->v->type, at);
    memcpy(in->bytes + in->next * in->elem, &bits, in->elem < 8 ? in->elem : 8); /* little-endian hosts */
}

static void parse_value(struct parser *p, struct init *in)
{
    lex_skip(p);
    const char *at = p->at;
    if (in->v->count && in->next >= in->v->count * in->v->vec)
        fail(p, at, "too many values for '%s'", in->v->name);
    reserve(p, in, in->next + 1);
    if (lex_is_ident_start(*at)) {
        put_reloc(p, in, parse_address(p), at);
    } else {
        const struct number n = const_expr(p);
        if (lex_peek(p) == '(')
            put_reloc(p, in, parse_mask(p, at, n.bits), at);
        else
            put_number(p, in, n, at);
    }
    in->next++;
}

/* Elements of one entry of a list at the given depth of braces. */
static u64 stride(const struct init *in, u32 depth)
{
    u64 n = in->v->vec;
    for (u32 k = depth; k < in->shape.n; k++)
        n *= in->shape.dim[k] ? in->shape.dim[k] : 1;
    return n;
}

/* Nested lists; an inner list that is short is filled up with zeros. No recursion: braces are counted. */
static void parse_list(struct parser *p, struct init *in)
{
    u64 start[MAX_DIMS + 2];
    u32 depth = 0;
    do {
        while (lex_accept(p, '{')) {
            if (depth >= in->shape.n + (in->v->vec > 1))
                fail(p, p->at - 1, "too many braces for '%s'", in->v->name);
            start[depth++] = in->next;
        }
        if (depth == 0)
            parse_value(p, in);
        else if (lex_peek(p) != '}')
            parse_value(p, in);
        while (depth && lex_accept(p, '}')) {
            depth--;
            if (depth) {
                const u64 full = start[depth] + stride(in, depth);
                if (in->next > full)
                    fail(p, p->at - 1, "too many values in the braces");
                in->next = full;
            }
        }
    } while (depth && lex_accept(p, ','));
    if (depth)
        fail(p, p->at, "expected ',' or '}' in the initialiser");
}

/* Fixes the size of an open array and copies the image. */
static void finish_init(struct parser *p, struct init *in, const char *at)
{
    struct ptx_var *v = in->v;
    if (v->count == 0) {
        const u64 row = stride(in, 1);
        v->count = (in->next + row - 1) / row * row / v->vec;
        v->size = v->count * v->vec * in->elem;
    }
    if (v->size > MAX_INIT)
        fail(p, at, "the initialised variable is too large");
    v->init = arena_alloc(&p->m->mem, v->size);
    const u64 have = in->next * in->elem < v->size ? in->next * in->elem : v->size;
    reserve(p, in, in->next);
    if (have)
        memcpy(v->init, in->bytes, have);
    v->nrelocs = in->relocs.len;
    v->relocs = arena_array(&p->m->mem, struct ptx_reloc, in->relocs.len);
    if (in->relocs.len)
        memcpy(v->relocs, in->relocs.at, in->relocs.len * sizeof(struct ptx_reloc));
}

static void parse_init(struct parser *p, struct ptx_var *v, const struct shape *s)
{
    lex_skip(p);
    const char *at = p->at;
    if (v->space != SPACE_GLOBAL && v->space != SPACE_CONST)
        fail(p, at, "only .global and .const variables have initial values");
    if (ptx_type_class(v->type) == 'O' || ptx_type_bits(v->type) < 8) { /* .texref etc.: {name = value, ...} */
        fail(p, at, "initial values of '.%s' are not known", ptx_type_name(v->type));
    }
    struct init in = {.v = v, .shape = *s, .elem = ptx_type_bits(v->type) / 8};
    parse_list(p, &in);
    finish_init(p, &in, at);
}

/* The bound variable of an earlier declaration that this one repeats, or NULL; reports what cannot be. */
static struct ptx_var *redeclared(struct parser *p, const struct ptx_var *v, const char *name, const char *at)
{
    struct binding *b = scope_here(p, name);
    if (!b)
        return NULL;
    const bool may = b->kind == BIND_VAR && p->f == NULL && b->var->space == v->space && b->var->type == v->type &&
                     (b->var->linkage == LINK_EXTERN || v->linkage == LINK_EXTERN || v->linkage == LINK_COMMON);
    if (!may)
        fail(p, at, "'%s' is declared twice", name);
    return b->var;
}

static void bind_variable(struct parser *p, struct ptx_var *v, const char *name)
{
    if (p->f) {
        v->name = scope_unique(p, name);
        if (v->space != SPACE_REG) {
            v->index = p->locals.len;
            vec_push(&p->tmp, &p->locals, v);
        }
    } else {
        v->index = p->vars.len;
        vec_push(&p->tmp, &p->vars, v);
        name_of(p, name)->module = true;
    }
    scope_bind(p, p->scope, name, BIND_VAR, v);
}

static void parse_range(struct parser *p, struct ptx_var *like, const char *name, const char *at)
{
    struct range *r = arena_new(&p->tmp, struct range);
    r->like = *like;
    const struct number n = lex_number(p); /* not an expression: '>' ends it */
    if (n.is_f32 || n.is_f64 || n.bits > 1u << 31)
        fail(p, at, "the number of registers is out of range");
    r->count = n.bits;
    lex_expect(p, '>', "the number of registers");
    if (like->space != SPACE_REG)
        fail(p, at, "only registers are declared as a range");
    const char *key = scope_range(p, name, strlen(name));
    if (scope_here(p, key))
        fail(p, at, "'%s<...>' is declared twice", name);
    scope_bind(p, p->scope, key, BIND_RANGE, r);
}

/* A definition takes the place of its .extern declaration, but stands where it is written: an initialiser may name
 * what comes before it only. */
static struct ptx_var *define(struct parser *p, struct ptx_var *declared, const struct ptx_var *v)
{
    p->vars.at[declared->index] = NULL;
    *declared = *v;
    declared->index = p->vars.len;
    vec_push(&p->tmp, &p->vars, declared);
    return declared;
}

static void declare(struct parser *p, const struct decl *d)
{
    lex_skip(p);
    const char *at = p->at;
    const char *name = lex_ident(p, "a name");
    struct ptx_var *v = new_var(p, d, name);
    if (lex_accept(p, '<')) {
        parse_range(p, v, name, at);
        return;
    }
    if (v->space == SPACE_REG && p->f == NULL)
        fail(p, at, "a register outside a function");
    struct ptx_var *before = redeclared(p, v, name, at);
    const struct shape s = parse_dims(p, v);
    if (before && v->linkage == LINK_EXTERN && before->linkage != LINK_EXTERN)
        v = before; /* only repeats what is known */
    else if (before)
        v = define(p, before, v);
    else
        bind_variable(p, v, name);
    if (lex_accept(p, '='))
        parse_init(p, v, &s);
    else if (v->is_array && v->count == 0 && v->linkage != LINK_EXTERN)
        error(p, at, "'%s' has no size", name);
}

/* Behind the first words of a declaration, which are in d. */
void parse_variables(struct parser *p, struct decl *d)
{
    decl_words(p, d);
    check_decl(p, d, d->at);
    do
        declare(p, d);
    while (lex_accept(p, ','));
    lex_expect(p, ';', "the declaration");
}

/* One parameter of a function: .param .u64 name, .reg .b32 %a, .param .align 4 .b8 name[12]; prototypes write _. */
struct ptx_var *parse_param(struct parser *p, bool anonymous)
{
    struct decl d = {.vec = 1};
    lex_skip(p);
    d.at = p->at;
    decl_words(p, &d);
    check_decl(p, &d, d.at);
    if (d.space != SPACE_PARAM && d.space != SPACE_REG)
        fail(p, d.at, "a parameter must be .param or .reg");
    lex_skip(p);
    const char *at = p->at;
    const char *name = lex_ident(p, "the parameter's name");
    struct ptx_var *v = new_var(p, &d, name);
    parse_dims(p, v);
    if (anonymous || strcmp(name, "_") == 0)
        return v;
    if (scope_here(p, name))
        error(p, at, "parameter '%s' is declared twice", name);
    v->name = scope_unique(p, name);
    scope_bind(p, p->scope, name, BIND_VAR, v);
    return v;
}
