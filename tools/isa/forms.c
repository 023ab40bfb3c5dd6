/* forms.c - the forms of ops.def, written out. The head of ops.def documents their language. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa.h"

enum { MAX_WORDS = 24, MAX_TEXT = 1024, MAX_KINDS = 512 };
_Static_assert((int)PTX_NMODS <= (int)MAX_KINDS && (int)PTX_NTYPES <= (int)MAX_KINDS, "struct words");

struct walk {
    enum ptx_op op;
    unsigned form;
    bool sparse;
    isa_fn fn;
    void *ctx;
    enum ptx_type types[MAX_WORDS];
    unsigned ntypes, vec;
    bool param, store, whole; /* whole: no operand is left out */
    char text[MAX_TEXT], regs[4 * MAX_TEXT];
};

static const char *const groups[PTX_NMODS] = {
    "",
#define PTX_MOD(id, text, group) #group,
#include "ptx/mods.def"
#undef PTX_MOD
};

/* A million instructions ask for words. */
static struct words {
    const char *at[MAX_KINDS];
    size_t len[MAX_KINDS];
} mod_words, type_words, group_words;

static void list_words(void)
{
    for (unsigned k = 0; k < PTX_NMODS; k++) {
        mod_words.at[k] = ptx_mod_name(k);
        mod_words.len[k] = k ? strlen(mod_words.at[k]) : 0;
        group_words.at[k] = groups[k];
        group_words.len[k] = strlen(groups[k]);
    }
    for (unsigned k = 1; k < PTX_NTYPES; k++) {
        type_words.at[k] = ptx_type_name(k);
        type_words.len[k] = strlen(type_words.at[k]);
    }
}

static bool is_word(const struct words *w, unsigned k, const char *s, size_t n)
{
    return w->len[k] == n && w->at[k][0] == *s && !memcmp(w->at[k], s, n);
}

static enum ptx_type type_of(const char *s, size_t n)
{
    for (unsigned t = 1; t < PTX_NTYPES; t++)
        if (is_word(&type_words, t, s, n))
            return t;
    return PTX_NONE;
}

static enum ptx_mod mod_of(const char *s, size_t n)
{
    for (unsigned m = 1; m < PTX_NMODS; m++)
        if (is_word(&mod_words, m, s, n))
            return m;
    return PTX_MOD_NONE;
}

/* ---- operands ---- */

/* The type with which a register for a value of type t is declared. */
static const char *register_type(enum ptx_type t)
{
    const char c = ptx_type_class(t);
    const u32 bits = ptx_type_bits(t);
    if (t == PTX_PRED || (c != 'A' && c != 'O' && bits > 8))
        return ptx_type_name(t);
    if (c == 'A' && bits == 8)
        return "b8"; /* packed formats fill their register */
    return bits <= 16 ? "b16" : bits == 32 ? "b32" : bits == 64 ? "b64" : "b128";
}

static void put(char *to, size_t size, const char *text)
{
    const size_t n = strlen(to);
    LS_BUG_ON(n + strlen(text) >= size);
    strcpy(to + n, text);
}

static void put_reg(struct walk *w, enum ptx_type t)
{
    char name[16], line[48];
    unsigned n = 0;
    for (const char *s = w->regs; (s = strchr(s, ';')); s++)
        n++;
    snprintf(name, sizeof name, "%%v%u", n);
    snprintf(line, sizeof line, ".reg .%s %s; ", register_type(t), name);
    put(w->regs, sizeof w->regs, line);
    put(w->text, sizeof w->text, name);
}

static void put_tuple(struct walk *w, unsigned n, enum ptx_type t)
{
    for (unsigned k = 0; k < n; k++) {
        put(w->text, sizeof w->text, k ? "," : "{");
        put_reg(w, t);
    }
    put(w->text, sizeof w->text, "}");
}

static bool has_mod(const struct walk *w, const char *word)
{
    const size_t n = strlen(word);
    for (const char *s = strchr(w->text, '.'); s; s = strchr(s + 1, '.'))
        if (!strncmp(s + 1, word, n) && strchr(". ", s[n + 1]))
            return true;
    return false;
}

/* Textures and surfaces: how many elements a vector of coordinates has (9.7.10.3); 0: the operation has none. */
static unsigned coordinates(const struct walk *w)
{
    if (w->op != OP_TEX && w->op != OP_TLD4 && w->op != OP_SULD && w->op != OP_SUST && w->op != OP_SURED)
        return 0;
    return has_mod(w, "1d") ? 1 : has_mod(w, "2d") || has_mod(w, "a1d") ? 2 : 4;
}

/* Tensors: how many coordinates follow the address of the map, which is the first address or, where a box comes into shared
 * memory, the second. 0: the operation has none. */
static unsigned tensor_rank(const struct walk *w)
{
    if (w->op != OP_CP_ASYNC_BULK_TENSOR && w->op != OP_CP_REDUCE_ASYNC_BULK_TENSOR &&
        w->op != OP_CP_ASYNC_BULK_PREFETCH_TENSOR)
        return 0;
    return has_mod(w, "1d") ? 1 : has_mod(w, "2d") ? 2 : has_mod(w, "3d") ? 3 : has_mod(w, "4d") ? 4 : 5;
}

static bool is_map(const struct walk *w)
{
    unsigned n = 0;
    for (const char *s = w->text; (s = strchr(s, '[')); s++)
        n++;
    return tensor_rank(w) && n == (has_mod(w, "mbarrier::complete_tx::bytes") ? 2u : 1u);
}

static void put_address(struct walk *w)
{
    if (w->param) {
        put(w->text, sizeof w->text, w->store ? "[ret]" : "[arg]");
        return;
    }
    put(w->text, sizeof w->text, "[");
    put_reg(w, PTX_B64);
    if (is_map(w)) {
        put(w->text, sizeof w->text, ", ");
        put_tuple(w, tensor_rank(w), PTX_S32);
    }
    if (coordinates(w)) {
        put(w->text, sizeof w->text, ", ");
        put_tuple(w, coordinates(w), (w->op == OP_TEX || w->op == OP_TLD4) ? w->types[1] : PTX_B32);
    }
    put(w->text, sizeof w->text, "]");
}

static enum ptx_type twice(enum ptx_type t)
{
    return t == PTX_U16 ? PTX_U32 : t == PTX_S16 ? PTX_S32 : t == PTX_U32 ? PTX_U64 : PTX_S64;
}

/* Video instructions with a third source and no secondary operation write a part of d: else it would not matter. */
static void put_video_part(struct walk *w, unsigned shape, const char *operands)
{
    const char *mods = w->text + strlen(ptx_op_name(w->op)), last = mods[-1];
    const bool third = shape & 1 || !memchr(operands, '?', strcspn(operands, ";"));
    if (third && w->op != OP_VMAD && !strstr(mods, ".add") && !strstr(mods, ".min") && !strstr(mods, ".max"))
        put(w->text, sizeof w->text, last == '4' ? ".b0" : ".h0");
}

/* The operands of tex and tld4 that ops.def leaves open: the results; the level of detail or two gradients; offsets;
 * the value that a depth is compared with, which comes last. */
static void put_texture(struct walk *w, const char *operand)
{
    const bool last = operand[1] == '?' && operand[2] != ',', gradient = operand[1] != '?' && has_mod(w, "grad");
    if (operand[1] == '|')
        put_tuple(w, w->vec, w->types[0]);
    else if (last || (operand[1] != '?' && !gradient))
        put_reg(w, PTX_F32);
    else
        put_tuple(w, coordinates(w), gradient ? PTX_F32 : PTX_B32);
}

static bool is_wgmma(const struct walk *w) { return w->op == OP_WGMMA_MMA_ASYNC || w->op == OP_WGMMA_MMA_ASYNC_SP; }

/* d; a, which is in registers where the last operand is left out. */
static void put_wgmma(struct walk *w, bool dest, bool optional)
{
    const unsigned n = (unsigned)strtoul(strstr(w->text, "m64n") + 4, NULL, 10);
    if (dest)
        put_tuple(w, n / (w->types[0] == PTX_F16 ? 4 : 2), PTX_B32);
    else if (optional)
        put_tuple(w, 4, PTX_B32);
    else
        put_reg(w, PTX_B64);
}

/* Fragments of matrix instructions: as many registers as the number in front of the type says. */
static bool put_registers(struct walk *w, const char *s, size_t n)
{
    const unsigned count = *s >= '0' && *s <= '9' ? (unsigned)(*s - '0') : 0;
    for (unsigned k = 0; k < count; k++) {
        put(w->text, sizeof w->text, k ? "," : "{");
        put_reg(w, type_of(s + 1, n - 1));
    }
    if (count)
        put(w->text, sizeof w->text, "}");
    return count;
}

/* One operand of kind s[0..n). */
static void put_kind(struct walk *w, const char *s, size_t n)
{
    static const struct {
        const char *kind, *text;
    } fixed[] = {{"imm", "16"}, {"lab", "LAB"}, {"call", "fun"}};
    for (size_t k = 0; k < LS_ARRAY_LEN(fixed); k++)
        if (strlen(fixed[k].kind) == n && !memcmp(s, fixed[k].kind, n)) {
            put(w->text, sizeof w->text, w->op == OP_BRX ? "LABS" : fixed[k].text);
            return;
        }
    if (put_registers(w, s, n))
        return;
    const bool nth = n == 2 && strchr("trvw", s[0]) && s[1] >= '0' && s[1] <= '9';
    const enum ptx_type t = nth ? w->types[s[1] - '0'] : type_of(s, n);
    if (n == 1 && *s == 'm')
        put_address(w);
    else if (n == 1 && *s == '*' && coordinates(w))
        put_texture(w, s);
    else if (n == 1 && *s == '*' && is_wgmma(w))
        put_wgmma(w, s[-1] == '=', memchr(s, '?', strcspn(s, ";")) && !w->whole);
    else if (n == 1 && *s == '*' && tensor_rank(w) > 2)
        put_tuple(w, tensor_rank(w) - 2, PTX_B16);
    else if (nth && *s == 'v' && w->vec > 1)
        put_tuple(w, w->vec, t);
    else if (nth)
        put_reg(w, *s == 'w' ? twice(t) : t);
    else if (n == 3 && !memcmp(s, "mov", 3))
        put_reg(w, w->types[0]);
    else if (n == 1 && *s == 'a')
        put_reg(w, w->ntypes ? w->types[0] : PTX_B64);
    else
        put_reg(w, t != PTX_NONE ? t : PTX_B32);
}

/* One operand; false when nothing was written. `shape`: bit 0 optional operands, bit 1 optional second halves. */
static bool put_operand(struct walk *w, const char *s, const char *end, unsigned shape, bool first)
{
    s += *s == '=' || *s == '~';
    const char *bar = memchr(s, '|', (size_t)(end - s));
    const bool optional = end[-1] == '?';
    end -= optional;
    if (optional && !bar && !(shape & 1))
        return false;
    if (end - s == 3 && !memcmp(s, "...", 3))
        return false;
    put(w->text, sizeof w->text, first ? " " : ", ");
    put_kind(w, s, (size_t)((bar ? bar : end) - s));
    if (bar && (!optional || shape & 2)) {
        put(w->text, sizeof w->text, "|");
        put_kind(w, bar + 1, (size_t)(end - bar - 1));
    }
    return true;
}

static void put_operands(struct walk *w, const char *s, unsigned shape)
{
    for (bool first = true;;) {
        while (*s == ' ')
            s++;
        const char *end = s + strcspn(s, ",; ");
        if (end == s)
            return;
        const bool dest = first;
        first &= !put_operand(w, s, end, shape, first);
        if (dest && end - s == 4 && !memcmp(s, "=vid", 4))
            put_video_part(w, shape, s);
        if (*end != ',')
            return;
        s = end + 1;
    }
}

/* The operands in all their shapes: whether any is optional, and any pair. */
static void each_shape(struct walk *w, const char *s)
{
    const size_t len = strcspn(s, ";"), at = strlen(w->text);
    bool optional = false, pair = false;
    for (size_t k = 0; k < len; k++)
        if (s[k] == '?') {
            size_t from = k;
            while (from > 0 && s[from - 1] != ',')
                from--;
            *(memchr(s + from, '|', k - from) ? &pair : &optional) = true;
        }
    for (unsigned shape = 0; shape < 4; shape++) {
        if ((shape & 1 && !optional) || (shape & 2 && !pair))
            continue;
        w->text[at] = w->regs[0] = 0;
        w->whole = shape & 1;
        put_operands(w, s, shape);
        w->fn(w->ctx, &(struct isa_case){w->op, w->form, w->text, w->regs});
    }
    w->text[at] = 0;
}

/* ---- modifiers ---- */

static void elements(struct walk *w, const char *s, bool odd);

static void choose(struct walk *w, const char *word, size_t n, const char *rest, bool odd)
{
    const struct walk before = *w;
    const enum ptx_type t = type_of(word, n);
    const enum ptx_mod m = mod_of(word, n);
    put(w->text, sizeof w->text, ".");
    snprintf(w->text + strlen(w->text), sizeof w->text - strlen(w->text), "%.*s", (int)n, word);
    if (t != PTX_NONE)
        w->types[w->ntypes++] = t;
    w->vec = m == MOD_V2 ? 2 : m == MOD_V4 ? 4 : m == MOD_V8 ? 8 : w->vec;
    w->param |= m == MOD_PARAM || m == MOD_PARAM_FUNC || m == MOD_PARAM_ENTRY;
    elements(w, rest, odd);
    *w = before;
}

/* What one alternative stands for: itself, the members of a group, or types to stand for all. */
static void alternative(struct walk *w, const char *s, size_t n, const char *rest, bool *first, bool quiet, bool odd)
{
    static const char *const any[] = {"b32", "f16", "f32"};
    const unsigned count = *s == '@' ? PTX_NMODS : *s == '%' ? LS_ARRAY_LEN(any) : 1;
    for (unsigned k = 0; k < count; k++) {
        const char *word = *s == '@' ? ptx_mod_name(k) : *s == '%' ? any[k] : s;
        if (*s == '@' && (!k || !is_word(&group_words, k, s + 1, n - 1)))
            continue;
        if (*first || !quiet || !odd)
            choose(w, word, *s == '@' || *s == '%' ? strlen(word) : n, rest, odd || (quiet && !*first));
        *first = false;
    }
}

/* Modifiers of which no two can matter to each other. What follows the kind of a sparse product of scaled blocks is such: none
 * of them runs (unsupported.def), and they would be nine tenths of all cases. */
static bool is_quiet(const struct walk *w, const char *s, const char *end)
{
    const bool sparse_product = w->op == OP_MMA_SP || w->op == OP_MMA_SP_ORDERED_METADATA;
    if (w->sparse || (is_wgmma(w) && *s == '@') || (sparse_product && strstr(w->text, ".kind::")))
        return true;
    const enum ptx_mod m = mod_of(s, strcspn(s, "/? :;") < (size_t)(end - s) ? strcspn(s, "/? :;") : (size_t)(end - s));
    return m && (!strcmp(groups[m], "cache") || !strcmp(groups[m], "level") || !strcmp(groups[m], "scope") ||
                 (!strcmp(groups[m], "sem") && m != MOD_MMIO));
}

static const char *element_end(const char *s)
{
    for (; *s && *s != ' ' && *s != ';'; s++) {
        if (*s == ':' && s[1] != ':')
            break;
        s += *s == ':';
    }
    return s;
}

static void elements(struct walk *w, const char *s, bool odd)
{
    while (*s == ' ')
        s++;
    if (*s == ':') {
        each_shape(w, s + 1);
        return;
    }
    const char *rest = element_end(s), *end = rest;
    const bool optional = end[-1] == '?';
    end -= optional;
    bool quiet = is_quiet(w, s, end), first = true;
    if (optional) {
        elements(w, rest, odd);
        first = false;
    }
    for (const char *a = s, *e; a < end; a = e + 1) {
        e = memchr(a, '/', (size_t)(end - a));
        e = e ? e : end;
        alternative(w, a, (size_t)(e - a), rest, &first, quiet, odd);
    }
}

void isa_each(enum ptx_op op, bool sparse, isa_fn fn, void *ctx)
{
    struct walk w = {.op = op, .sparse = sparse, .fn = fn, .ctx = ctx, .vec = 1, .store = op == OP_ST};
    list_words();
    for (const char *s = ptx_op_row(op)->forms; s && *s; w.form++) {
        snprintf(w.text, sizeof w.text, "%s", ptx_op_name(op));
        elements(&w, s, false);
        s = strchr(s, ';');
        s = s ? s + 1 : NULL;
    }
}

unsigned isa_forms(enum ptx_op op)
{
    unsigned n = 0;
    for (const char *s = ptx_op_row(op)->forms; s && *s; n++) {
        s = strchr(s, ';');
        s = s ? s + 1 : NULL;
    }
    return n;
}
