/* parse_debug.c - source positions: .file, .loc, and of DWARF sections where they are; only .debug_str, which holds the
 * names of inlined functions, is read here (PTX ISA 11.5).
 *
 *     .loc file line column [',' 'function_name' label ['+' number] ',' 'inlined_at' file line column]
 *
 * Equal positions that follow each other at one place share an entry of the module's locs. */
#include <string.h>

#include "ptx/parser.h"

enum { FILES_MAX = 1 << 20 };

/* Two tables over p->locs, as numbers 1 + index: `exact` finds an equal position, `latest` the last one met at a place,
 * which is what inlined_at refers to. */
static u32 hash(u64 a, u64 b, u64 c)
{
    u64 h = (a * 0x9e3779b97f4a7c15u ^ b) * 0x9e3779b97f4a7c15u ^ c; /* Fibonacci hashing, twice */
    h *= 0x9e3779b97f4a7c15u;
    return (u32)(h >> 32);
}

static u32 hash_place(const struct ptx_loc *l) { return hash(l->file, l->line, l->column); }

static bool same_place(const struct ptx_loc *a, const struct ptx_loc *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

static u32 *find_latest(struct parser *p, const struct ptx_loc *l)
{
    u32 i = hash_place(l) & (p->loc_cap - 1);
    while (p->loc_latest[i] && !same_place(&p->locs.at[p->loc_latest[i] - 1], l))
        i = (i + 1) & (p->loc_cap - 1);
    return &p->loc_latest[i];
}

static u32 *find_exact(struct parser *p, const struct ptx_loc *l, const struct loc_name *n)
{
    u32 i = hash(hash_place(l), (uintptr_t)n->label, l->inlined_at ^ n->offset << 32) & (p->loc_cap - 1);
    for (; p->loc_exact[i]; i = (i + 1) & (p->loc_cap - 1)) {
        const u32 k = p->loc_exact[i] - 1;
        const struct loc_name *have = &p->loc_names.at[k];
        if (same_place(&p->locs.at[k], l) && p->locs.at[k].inlined_at == l->inlined_at && have->label == n->label &&
            have->offset == n->offset)
            break;
    }
    return &p->loc_exact[i];
}

static void grow(struct parser *p)
{
    const u32 old_cap = p->loc_cap;
    const u32 *latest = p->loc_latest;
    p->loc_cap = old_cap ? old_cap * 2 : 256;
    p->loc_latest = arena_array(&p->tmp, u32, p->loc_cap);
    p->loc_exact = arena_array(&p->tmp, u32, p->loc_cap);
    for (u32 i = 0; i < old_cap; i++)
        if (latest[i])
            *find_latest(p, &p->locs.at[latest[i] - 1]) = latest[i];
    for (u32 i = 0; i < p->locs.len; i++)
        *find_exact(p, &p->locs.at[i], &p->loc_names.at[i]) = i + 1;
}

static u32 find_loc(struct parser *p, struct ptx_loc l, struct loc_name name)
{
    if (p->locs.len * 2 >= p->loc_cap)
        grow(p);
    u32 *slot = find_exact(p, &l, &name);
    if (*slot == 0) {
        vec_push(&p->tmp, &p->locs, l);
        vec_push(&p->tmp, &p->loc_names, name);
        *slot = p->locs.len;
    }
    *find_latest(p, &l) = *slot;
    return *slot;
}

/* The latest position at the place of a call, which tells whether the caller was inlined itself (11.5.3). */
static u32 find_call_site(struct parser *p, struct ptx_loc l)
{
    const u32 latest = p->loc_cap ? *find_latest(p, &l) : 0;
    return latest ? latest : find_loc(p, l, (struct loc_name){0});
}

static u32 small(struct parser *p)
{
    lex_skip(p);
    const char *s = p->at;
    u64 v = 0;
    if (*s < '0' || *s > '9')
        fail(p, s, "expected a number");
    for (; *s >= '0' && *s <= '9'; s++) {
        v = v * 10 + (u64)(*s - '0');
        if (v > UINT32_MAX)
            fail(p, p->at, "the number is too large");
    }
    p->at = s;
    return (u32)v;
}

static struct ptx_loc place(struct parser *p)
{
    struct ptx_loc l = {0};
    lex_skip(p);
    const char *at = p->at;
    l.file = small(p);
    l.line = small(p);
    l.column = small(p);
    if (l.file >= FILES_MAX)
        fail(p, at, "the file number is too large");
    while (p->files.len <= l.file)
        vec_push(&p->tmp, &p->files, NULL);
    return l;
}

static void expect_word(struct parser *p, const char *word)
{
    lex_skip(p);
    const char *at = p->at;
    if (strcmp(lex_ident(p, word), word) != 0)
        fail(p, at, "expected '%s'", word);
}

void parse_loc(struct parser *p)
{
    struct ptx_loc l = place(p);
    struct loc_name name = {0};
    if (lex_accept(p, ',')) {
        expect_word(p, "function_name");
        name.label = lex_ident(p, "a label in .debug_str");
        if (lex_accept(p, '+'))
            name.offset = const_unsigned(p, "an offset", UINT32_MAX);
        lex_expect(p, ',', "the function's name");
        expect_word(p, "inlined_at");
        l.inlined_at = find_call_site(p, place(p));
    }
    p->loc = find_loc(p, l, name);
}

/* .file index "name" [, timestamp, size] */
void parse_file(struct parser *p)
{
    lex_skip(p);
    const char *at = p->at;
    const u32 i = small(p);
    if (i >= FILES_MAX)
        fail(p, at, "the file number is too large");
    const char *name = lex_string(p);
    if (lex_accept(p, ',')) {
        const_expr(p);
        lex_expect(p, ',', "the time stamp");
        const_expr(p);
    }
    while (p->files.len <= i)
        vec_push(&p->tmp, &p->files, NULL);
    if (p->files.at[i] && p->files.at[i] != name)
        error(p, at, "file %u is declared twice", i);
    p->files.at[i] = name;
}

static void skip_braces(struct parser *p, const char *open)
{
    while (lex_peek(p) != '}') {
        if (p->at >= p->end)
            fail(p, open, "section is not closed");
        p->at++;
    }
    p->at++;
}

/* label: .b8 1, 2, 3, 0 ... up to the brace. */
static void parse_debug_str(struct parser *p, const char *open)
{
    const char *start;
    size_t len;
    while (!lex_accept(p, '}')) {
        if (p->at >= p->end)
            fail(p, open, "section is not closed");
        if (lex_is_ident_start(*p->at)) {
            const char *label = lex_ident(p, "a label");
            lex_expect(p, ':', "the label");
            name_of(p, label)->debug_at = 1 + (u64)p->debug_str.len;
            continue;
        }
        const struct keyword *k = lex_directive(p, &start, &len);
        if (!k || k->type != PTX_B8)
            fail(p, start - 1, "expected '.b8' in .debug_str");
        do
            vec_push(&p->tmp, &p->debug_str, (char)const_expr(p).bits);
        while (lex_accept(p, ','));
    }
}

void parse_section(struct parser *p)
{
    const char *start;
    size_t len;
    lex_directive(p, &start, &len);
    lex_skip(p);
    const char *open = p->at;
    lex_expect(p, '{', "the section's name");
    const size_t first = (size_t)(p->at - p->m->text);
    if (len == 9 && memcmp(start, "debug_str", 9) == 0)
        parse_debug_str(p, open);
    else
        skip_braces(p, open);
    const struct ptx_section section = {intern(&p->m->names, start - 1, len + 1), first,
                                        (size_t)(p->at - p->m->text) - first - 1};
    vec_push(&p->tmp, &p->sections, section);
}

enum { NAME_MAX_LEN = 4096 }; /* of an inlined function's name, for display only */

static const char *debug_string(struct parser *p, const struct loc_name *n)
{
    struct name *label = name_of(p, n->label);
    if (label->debug_at == 0 || label->debug_at - 1 + n->offset >= p->debug_str.len)
        return NULL;
    if (label->debug_text && label->debug_offset == n->offset)
        return label->debug_text;
    const u64 at = label->debug_at - 1 + n->offset, rest = p->debug_str.len - at;
    const char *s = p->debug_str.at + at;
    label->debug_text = intern(&p->m->names, s, strnlen(s, rest < NAME_MAX_LEN ? rest : NAME_MAX_LEN));
    label->debug_offset = n->offset;
    return label->debug_text;
}

/* At the end of the module: the names of inlined functions. */
void finish_locs(struct parser *p)
{
    for (u32 i = 0; i < p->locs.len; i++)
        if (p->loc_names.at[i].label)
            p->locs.at[i].function_name = debug_string(p, &p->loc_names.at[i]);
}
