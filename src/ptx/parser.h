/* parser.h - what the files of src/ptx share.
 *
 * Vocabulary. A *word* is what stands between two dots of an opcode. A *form* is one way to write an opcode (ops.def).
 * A *rule* is what a form says of one operand. A *binding* is what a name means in a *scope* (the module, a function, a
 * pair of braces). A *range* is `%r<24>`. A *ref* is a use of a label that may come before the label.
 *
 * The parser has no token buffer: `at` walks over the text once, names are interned as they are met, and a name's
 * bindings hang on the interned string. Everything about a full opcode ("ld.global.nc.v4.f32") is worked out at its
 * first occurrence and found by hash afterwards: real modules have some hundreds of them. */
#ifndef LS_PTX_PARSER_H
#define LS_PTX_PARSER_H

#include <setjmp.h>

#include "base/vec.h"
#include "ptx/ptx.h"

/* Directives and keywords behind a dot that are neither types nor modifiers. */
enum ptx_dir {
    DIR_NONE,
#define PTX_DIR(id, text) DIR_##id,
#include "ptx/dirs.def"
#undef PTX_DIR
};

/* What a word can mean; several fields may be set at once. */
struct keyword {
    const char *text;
    u16 len;
    u16 op, mod, type, dir;
};

/* The keyword of that text, or NULL. The table is made once for the process. */
const struct keyword *keyword_find(const char *s, size_t n);

bool sreg_find(const char *name, enum ptx_sreg *sreg); /* "%tid" */

/* Rules for operands. */
enum rule_kind {
    RULE_VALUE, /* exactly the type */
    RULE_RELAX, /* the type or a wider register */
    RULE_VEC,   /* the same, as often as .v2 .v4 .v8 say */
    RULE_REGS,  /* a vector of `count` of them */
    RULE_MEM,
    RULE_ADDR,
    RULE_MOV,
    RULE_IMM,
    RULE_LABEL,
    RULE_CALL,
    RULE_VIDEO,
    RULE_ANY,
    RULE_MORE,
};

enum { MAX_RULES = 12, MAX_WORDS = PTX_MAX_MODS + PTX_MAX_TYPES };

enum { VECTOR_MOST = 4 };

/* A vector register and the registers that its elements are. */
struct vector_register {
    const struct ptx_var *var;
    struct ptx_var *elements[VECTOR_MOST];
};

struct rule {
    u8 kind, type;
    u8 count; /* RULE_REGS */
    bool dest, sink, optional;
    bool pair, pair_optional;
    u8 pair_type;
};

/* A full opcode, worked out. */
struct opcode {
    const char *text;
    u32 len;
    u64 hash;
    struct ptx_inst inst; /* op, mods, types, space filled */
    struct rule rules[MAX_RULES];
    u8 nrules, min_operands, max_operands;
    u8 vec;
    bool bad; /* an error was reported at its first occurrence */
};

enum binding_kind { BIND_VAR, BIND_FUNC, BIND_LABEL, BIND_RANGE, BIND_UNDEFINED };

struct binding {
    struct binding *below; /* what the name meant outside */
    struct binding *next;  /* in the scope */
    struct name *name;
    struct scope *scope;
    u8 kind;
    union {
        struct ptx_var *var;
        struct ptx_func *func;
        struct ptx_label *label;
        struct range *range;
    };
};

/* What hangs on an interned string. */
struct name {
    struct binding *top;
    const char *text;
    u32 func; /* serial of the last function that declared it, so that names stay unique in a function */
    u32 renamed;
    bool module;      /* declared at module scope */
    u64 debug_at;     /* a label of .debug_str: 1 + its place there */
    u64 debug_offset; /* the last string looked up there */
    const char *debug_text;
};

struct range {
    struct ptx_var like; /* type, vec, line */
    u64 count;
};

/* A label used in an operand or a list: *operand or *slot is filled when its scope closes. */
struct ref {
    struct ref *next;
    const char *name, *at;
    struct ptx_operand *operand;
    const struct ptx_label **slot;
};

struct scope {
    struct scope *outer; /* NULL: the module's */
    struct binding *bindings;
    struct ref *refs;
    const char *open; /* its brace, for messages */
};

struct loc_name { /* a .loc's function_name, until .debug_str is read; beside locs */
    const char *label;
    u64 offset;
};

struct parser {
    struct ptx_module *m;
    struct arena tmp; /* lives as long as the parse */
    struct diag_list *diags;
    u32 errors;
    jmp_buf sync; /* where fail() goes: the statement loop */

    const char *at, *end; /* *end == 0 */
    const char *line_start;
    u32 line;

    struct scope *scope;
    u32 nscopes; /* open braces in the function */

    struct opcode **opcodes; /* hash table */
    u32 opcodes_len, opcodes_cap;

    VEC(struct ptx_var *) vars;
    VEC(struct ptx_func *) funcs;
    VEC(const char *) files;
    VEC(struct ptx_loc) locs;
    VEC(struct loc_name) loc_names;
    VEC(char) debug_str;
    VEC(struct ptx_section) sections;
    VEC(struct ptx_outer_label) outer_labels;
    struct ptx_func *last_func;  /* whose body came last */
    u32 *loc_latest, *loc_exact; /* parse_debug.c's hash tables over locs */
    u32 loc_cap;

    struct ptx_func *f;
    u32 func_serial;
    u32 loc;                     /* 1 + index of the current .loc */
    const char *stmt;            /* where the current statement begins */
    const char *stmt_line_start; /* of definitions: its line */
    u32 stmt_line;
    struct ptx_label *label; /* the one just before this statement */
    struct scope module;
    VEC(struct ptx_inst) insts;
    VEC(struct ptx_var *) regs;
    VEC(struct vector_register) vectors; /* of the body */
    VEC(struct ptx_var *) locals;
    VEC(struct ptx_label *) labels;
    bool seen_version, seen_target;
    bool bad_operand; /* of the current instruction: it was reported, so its types are not checked */
};

/* lexer.c */
void lex_skip(struct parser *p);           /* blanks and comments */
bool lex_accept(struct parser *p, char c); /* skips, then eats c if it is next */
void lex_expect(struct parser *p, char c, const char *after);
char lex_peek(struct parser *p); /* skips; the next character, 0 at the end */
bool lex_is_ident(char c);
bool lex_is_ident_start(char c);
const char *lex_ident(struct parser *p, const char *what); /* interned; fails when there is none */
const char *lex_string(struct parser *p);                  /* interned contents */
const struct keyword *lex_directive(struct parser *p, const char **start, size_t *len); /* at a dot */

struct number {
    u64 bits;
    bool is_f32, is_f64, is_unsigned;
};
struct number lex_number(struct parser *p);

/* After so many errors the parse ends, and no more are reported: what a mistake costs is bounded. */
enum { TOO_MANY = 100 };

/* Errors. `at` points into the text. error() goes on, fail() leaves the statement. */
void error(struct parser *p, const char *at, const char *fmt, ...) LS_PRINTF(3, 4);
void error_note(struct parser *p, const char *at, const char *note, const char *fmt, ...) LS_PRINTF(4, 5);
_Noreturn void fail(struct parser *p, const char *at, const char *fmt, ...) LS_PRINTF(3, 4);
u32 column_of(const struct parser *p, const char *at);

/* scope.c */
void scope_open(struct parser *p, const char *at);
void scope_close(struct parser *p);
void scope_drop(struct parser *p); /* after an error: closes without looking for labels */
struct name *name_of(struct parser *p, const char *interned);
struct binding *scope_find(struct parser *p, const char *interned);
struct binding *scope_here(struct parser *p, const char *interned); /* in the innermost scope only */
struct binding *scope_bind(struct parser *p, struct scope *s, const char *interned, enum binding_kind kind, void *what);
const char *scope_unique(struct parser *p, const char *interned);
/* What a range is bound as: its prefix and '<', which no name has, so that %r and %r<4> can both be there. */
const char *scope_range(struct parser *p, const char *prefix, size_t len);
struct ptx_var *scope_register(struct parser *p, const char *interned); /* from a range, or NULL */
void scope_ref(struct parser *p, const char *name, const char *at, struct ptx_operand *o,
               const struct ptx_label **slot);

/* forms.c */
const struct opcode *opcode_get(struct parser *p, const char *at, const char *text, size_t len);
const char *mod_group(enum ptx_mod mod);
enum ptx_space mod_space(enum ptx_mod mod);

/* parse_const.c: constant expressions (4.5) */
struct number const_expr(struct parser *p);
struct number const_more(struct parser *p, struct number left); /* operators behind a first number */
u64 const_unsigned(struct parser *p, const char *what, u64 max);

/* parse_var.c */
struct decl { /* what stands before a variable's name */
    u8 space, type, vec, linkage;
    bool managed, is_ptr;
    u32 align;
    const char *at;
};
void parse_variables(struct parser *p, struct decl *d);
bool parse_decl_word(struct parser *p, struct decl *d, const struct keyword *k, const char *start, size_t len);
struct ptx_var *parse_param(struct parser *p, bool anonymous);
u32 type_natural_align(enum ptx_type t, u32 vec);

/* parse_inst.c: gives a register its number at its first use */
void use_register(struct parser *p, struct ptx_var *v);

/* vectors.c: an operand that names a vector register, or an element of one */
void split_vector(struct parser *p, const char *at, struct ptx_operand *o);

/* parse_func.c */
void parse_function(struct parser *p, u8 linkage, bool is_entry);

/* parse_debug.c */
void parse_loc(struct parser *p);
void parse_section(struct parser *p);
void parse_file(struct parser *p);
void finish_locs(struct parser *p);

/* parse_inst.c */
void parse_instruction(struct parser *p);

/* verify.c: also gives each operand its role and type */
void verify_inst(struct parser *p, const struct opcode *op, struct ptx_inst *i, const char *inst_at,
                 const char *const *at);

#endif
