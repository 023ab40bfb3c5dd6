/* forms.c - from the text of a full opcode to its row, modifiers, types and operand rules, by the forms of ops.def.
 *
 * A form is matched by backtracking over its elements (at most some fifteen); this happens once for each distinct text
 * of a module, then a hash finds it. When nothing matches, the word that no form could pass is the culprit, and what
 * the forms expected there is the note. */
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "ptx/parser.h"

/* A word after the mnemonic. */
struct item {
    const char *text;
    u32 len;
    u16 mod, type;
};

struct match {
    const struct item *items;
    u32 n;
    u32 furthest;   /* the first item that no form passed */
    char *expected; /* when not NULL, collects what could stand at `furthest` */
    size_t len, size;
};

/* The end of an element: a blank, ';', the end, or a single ':'. */
static const char *element_end(const char *s)
{
    for (; *s && *s != ' ' && *s != ';'; s++) {
        if (*s == ':' && s[1] != ':')
            break;
        s += *s == ':';
    }
    return s;
}

static const char *alternative_end(const char *s, const char *end)
{
    const char *slash = memchr(s, '/', (size_t)(end - s));
    return slash ? slash : end;
}

static bool alternative_fits(const char *s, size_t n, const struct item *i)
{
    if (*s == '%')
        return i->type != PTX_NONE;
    if (*s == '@') {
        const char *group = i->mod ? mod_group(i->mod) : "";
        return strlen(group) == n - 1 && memcmp(group, s + 1, n - 1) == 0;
    }
    return i->len == n && memcmp(i->text, s, n) == 0;
}

static void expect(struct match *m, const char *s, size_t n)
{
    char word[64];
    const int len = snprintf(word, sizeof(word), " %s%.*s", *s == '@' || *s == '%' ? "" : ".", (int)n, s);
    if (*s == '%')
        strcpy(word, " a type");
    const size_t w = *s == '%' ? 7 : (size_t)len;
    if (len >= (int)sizeof(word) || m->len + w + 1 >= m->size)
        return;
    for (const char *at = m->expected; (at = strstr(at, word)); at += w)
        if (at[w] == ' ' || at[w] == 0)
            return;
    memcpy(m->expected + m->len, word, w + 1);
    m->len += w;
}

/* A group is spelt out as its members. */
static void expect_group(struct match *m, const char *s, size_t n)
{
    for (unsigned i = 1; i < PTX_NMODS; i++)
        if (strlen(mod_group(i)) == n - 1 && memcmp(mod_group(i), s + 1, n - 1) == 0)
            expect(m, ptx_mod_name(i), strlen(ptx_mod_name(i)));
}

static void missed(struct match *m, u32 at, const char *s, const char *end)
{
    if (at > m->furthest)
        m->furthest = at;
    if (!m->expected || at != m->furthest)
        return;
    for (const char *a = s, *e; a < end; a = e + 1) {
        e = alternative_end(a, end);
        if (*a == '@')
            expect_group(m, a, (size_t)(e - a));
        else
            expect(m, a, (size_t)(e - a));
    }
}

/* Whether items[at..) fit the form from s on; *behind is its colon. Recursion is as deep as a form has elements. */
static bool fits(struct match *m, const char *s, u32 at, const char **behind)
{
    while (*s == ' ')
        s++;
    if (*s == ':') {
        *behind = s + 1;
        if (at > m->furthest)
            m->furthest = at;
        return at == m->n;
    }
    const char *end = element_end(s);
    const char *last = end;
    const bool optional = end[-1] == '?';
    last -= optional;
    for (const char *a = s, *e; a < last && at < m->n; a = e + 1) {
        e = alternative_end(a, last);
        if (alternative_fits(a, (size_t)(e - a), &m->items[at]) && fits(m, end, at + 1, behind))
            return true;
    }
    missed(m, at, s, last);
    return optional && fits(m, end, at, behind);
}

static const char *next_form(const char *s)
{
    const char *semicolon = strchr(s, ';');
    return semicolon ? semicolon + 1 : NULL;
}

/* As fits(), but modifiers may stand in any order, as ptxas has it; types keep theirs. order[] becomes the items in the
 * form's order. `used` has a bit an item. */
static bool fits_unordered(const struct match *m, const char *s, u32 used, u32 n, u8 *order, const char **behind)
{
    while (*s == ' ')
        s++;
    if (*s == ':') {
        *behind = s + 1;
        return n == m->n;
    }
    const char *end = element_end(s);
    const bool optional = end[-1] == '?';
    const char *last = end - optional;
    bool type_before = false;
    for (u32 k = 0; k < m->n; k++) {
        const struct item *i = &m->items[k];
        if (used >> k & 1 || (i->type && type_before))
            continue;
        type_before |= i->type != PTX_NONE;
        for (const char *a = s, *e; a < last; a = e + 1) {
            e = alternative_end(a, last);
            order[n] = (u8)k;
            if (alternative_fits(a, (size_t)(e - a), i) && fits_unordered(m, end, used | 1u << k, n + 1, order, behind))
                return true;
        }
    }
    return optional && fits_unordered(m, end, used, n, order, behind);
}

/* The operands of the first form that fits, or NULL. */
static const char *find_form(struct match *m, const char *forms)
{
    const char *behind = NULL;
    for (const char *s = forms; s && *s; s = next_form(s))
        if (fits(m, s, 0, &behind))
            return behind;
    return NULL;
}

/* The same in any order; brings the items into the form's. */
static const char *find_unordered(struct match *m, struct item *items, const char *forms)
{
    const char *behind = NULL;
    u8 order[MAX_WORDS];
    struct item sorted[MAX_WORDS];
    for (const char *s = forms; s && *s; s = next_form(s)) {
        if (!fits_unordered(m, s, 0, 0, order, &behind))
            continue;
        for (u32 k = 0; k < m->n; k++)
            sorted[k] = items[order[k]];
        memcpy(items, sorted, m->n * sizeof(items[0]));
        return behind;
    }
    return NULL;
}

static enum ptx_type twice(enum ptx_type t)
{
    switch (t) {
    case PTX_U16:
        return PTX_U32;
    case PTX_S16:
        return PTX_S32;
    case PTX_U32:
        return PTX_U64;
    case PTX_S32:
        return PTX_S64;
    default:
        LS_BUG_ON(true);
        return PTX_NONE;
    }
}

static const struct {
    const char *name;
    u8 kind;
} kinds[] = {
    {"m", RULE_MEM}, {"a", RULE_ADDR},   {"mov", RULE_MOV},   {"imm", RULE_IMM},   {"lab", RULE_LABEL},
    {"*", RULE_ANY}, {"...", RULE_MORE}, {"call", RULE_CALL}, {"vid", RULE_VIDEO},
};

/* The number in front of a type, 0 without one; *s moves behind it. */
static u8 take_count(const char **s, const char *end)
{
    u8 n = 0;
    for (; *s < end && **s >= '0' && **s <= '9'; (*s)++)
        n = (u8)(n * 10 + (**s - '0'));
    return n;
}

/* A kind of ops.def: a name above, or t0 r0 v0 w0, or a type. */
static void rule_kind(const struct ptx_inst *i, const char *s, size_t n, u8 *kind, u8 *type)
{
    for (size_t k = 0; k < LS_ARRAY_LEN(kinds); k++)
        if (strlen(kinds[k].name) == n && memcmp(kinds[k].name, s, n) == 0) {
            *kind = kinds[k].kind;
            return;
        }
    if (n == 2 && strchr("trvw", s[0]) && s[1] >= '0' && s[1] < '0' + PTX_MAX_TYPES) {
        *kind = s[0] == 'r' ? RULE_RELAX : s[0] == 'v' ? RULE_VEC : RULE_VALUE;
        LS_BUG_ON(s[1] - '0' >= i->ntypes);
        *type = i->types[s[1] - '0'];
        if (s[0] == 'w')
            *type = (u8)twice(*type);
        return;
    }
    const struct keyword *k = keyword_find(s, n);
    LS_BUG_ON(!k || !k->type); /* a typing error in ops.def */
    *kind = RULE_VALUE;
    *type = (u8)k->type;
}

static void add_rule(struct opcode *o, const char *s, const char *end)
{
    LS_BUG_ON(o->nrules == MAX_RULES);
    struct rule *r = &o->rules[o->nrules++];
    r->dest = *s == '=' || *s == '~';
    r->sink = *s == '~';
    s += r->dest;
    const char *bar = memchr(s, '|', (size_t)(end - s));
    if (end[-1] == '?') {
        end--;
        *(bar ? &r->pair_optional : &r->optional) = true;
    }
    if (bar) {
        u8 kind;
        r->pair = true;
        rule_kind(&o->inst, bar + 1, (size_t)(end - bar - 1), &kind, &r->pair_type);
        end = bar;
    }
    r->count = take_count(&s, end);
    rule_kind(&o->inst, s, (size_t)(end - s), &r->kind, &r->type);
    if (r->count)
        r->kind = RULE_REGS;
    if (r->kind == RULE_MORE || r->kind == RULE_CALL) {
        o->max_operands = PTX_MAX_OPERANDS;
    } else {
        o->max_operands++;
        o->min_operands += !r->optional;
    }
}

static void add_rules(struct opcode *o, const char *s)
{
    for (;;) {
        while (*s == ' ')
            s++;
        const char *end = s;
        while (*end && *end != ',' && *end != ';' && *end != ' ')
            end++;
        if (end == s)
            return;
        add_rule(o, s, end);
        if (*end != ',')
            return;
        s = end + 1;
    }
}

static const char *word_end(const char *s, const char *end)
{
    while (s < end && *s != '.')
        s++;
    return s;
}

/* The longest mnemonic that text begins with, at a dot; *behind is where its modifiers begin. */
static u16 find_mnemonic(const char *text, const char *end, const char **behind)
{
    u16 op = PTX_OP_NONE;
    *behind = end;
    const char *e = text;
    for (unsigned words = 0; words < 5 && e <= end; words++) {
        e = word_end(e, end);
        const struct keyword *k = keyword_find(text, (size_t)(e - text));
        if (k && k->op) {
            op = k->op;
            *behind = e;
        }
        e++;
    }
    return op;
}

static void bad_words(struct parser *p, const char *at, struct opcode *o, struct match *m)
{
    char expected[400] = "";
    const char *name = ptx_op_name(o->inst.op);
    m->furthest = 0;
    find_form(m, ptx_op_row(o->inst.op)->forms);
    m->expected = expected;
    m->size = sizeof(expected);
    find_form(m, ptx_op_row(o->inst.op)->forms);
    char note[512];
    snprintf(note, sizeof(note), expected[0] ? "%.*s may be followed by%s" : "nothing can follow %.*s",
             (int)(m->furthest < m->n ? m->items[m->furthest].text - 1 - o->text : (ptrdiff_t)o->len), o->text,
             expected);
    if (m->furthest == m->n) {
        error_note(p, at, note, "'%.*s' is not complete", (int)o->len, o->text);
        return;
    }
    const struct item *i = &m->items[m->furthest];
    const char *where = at + (i->text - 1 - o->text);
    if (!i->mod && !i->type)
        error_note(p, where, note, "unknown modifier '.%.*s' for %s", (int)i->len, i->text, name);
    else
        error_note(p, where, note, "%s '.%.*s' is not allowed here in %s", i->type ? "type" : "modifier", (int)i->len,
                   i->text, name);
}

/* The words from s on, which is at a dot. */
static bool split(struct parser *p, const char *at, const struct opcode *o, const char *s, struct item *items, u32 *n)
{
    const char *end = o->text + o->len;
    u32 types = 0;
    while (s < end) {
        const char *e = word_end(++s, end);
        const struct keyword *k = keyword_find(s, (size_t)(e - s));
        const struct item i = {s, (u32)(e - s), k ? k->mod : 0, k ? k->type : 0};
        types += i.type != PTX_NONE;
        if (types > PTX_MAX_TYPES || *n + 1 - types > PTX_MAX_MODS) {
            error(p, at + (s - 1 - o->text), "too many modifiers");
            return false;
        }
        items[(*n)++] = i;
        s = e;
    }
    return true;
}

static void distribute(struct ptx_inst *i, const struct item *items, u32 n)
{
    for (u32 k = 0; k < n; k++) {
        if (items[k].type) {
            i->type_at |= 1u << k;
            i->types[i->ntypes++] = (u8)items[k].type;
        } else {
            i->mods[i->nmods++] = items[k].mod;
            if (i->space == SPACE_NONE)
                i->space = (u8)mod_space(items[k].mod);
        }
    }
}

static void work_out(struct parser *p, const char *at, struct opcode *o)
{
    const char *behind;
    struct item items[MAX_WORDS];
    struct match m = {.items = items};
    o->bad = true;
    o->inst.op = find_mnemonic(o->text, o->text + o->len, &behind);
    if (o->inst.op == PTX_OP_NONE) {
        error(p, at, "unknown instruction '%.*s'", (int)(word_end(o->text, o->text + o->len) - o->text), o->text);
        return;
    }
    if (!split(p, at, o, behind, items, &m.n))
        return;
    const char *forms = ptx_op_row(o->inst.op)->forms;
    const char *operands = find_form(&m, forms);
    if (!operands)
        operands = find_unordered(&m, items, forms);
    if (!operands) {
        bad_words(p, at, o, &m);
        return;
    }
    distribute(&o->inst, items, m.n);
    add_rules(o, operands);
    o->vec = (u8)ptx_vec_count(&o->inst);
    o->bad = false;
}

static void grow(struct parser *p)
{
    const u32 cap = p->opcodes_cap ? p->opcodes_cap * 2 : 512;
    struct opcode **table = arena_array(&p->tmp, struct opcode *, cap);
    for (u32 i = 0; i < p->opcodes_cap; i++) {
        if (!p->opcodes[i])
            continue;
        u32 k = (u32)p->opcodes[i]->hash & (cap - 1);
        while (table[k])
            k = (k + 1) & (cap - 1);
        table[k] = p->opcodes[i];
    }
    p->opcodes = table;
    p->opcodes_cap = cap;
}

/* `at` is where the text stands in the source. */
const struct opcode *opcode_get(struct parser *p, const char *at, const char *text, size_t len)
{
    const u64 hash = XXH3_64bits(text, len);
    if (p->opcodes_len * 2 >= p->opcodes_cap)
        grow(p);
    u32 k = (u32)hash & (p->opcodes_cap - 1);
    for (struct opcode *o; (o = p->opcodes[k]); k = (k + 1) & (p->opcodes_cap - 1))
        if (o->hash == hash && o->len == len && memcmp(o->text, text, len) == 0)
            return o;
    struct opcode *o = arena_new(&p->tmp, struct opcode);
    o->text = arena_strndup(&p->tmp, text, len);
    o->len = (u32)len;
    o->hash = hash;
    work_out(p, at, o);
    p->opcodes[k] = o;
    p->opcodes_len++;
    return o;
}
