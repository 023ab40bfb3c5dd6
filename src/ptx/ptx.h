/* ptx.h - a PTX module as a syntax tree: what the parser makes, the verifier checks, the printer prints and ir/ lowers.
 *
 * Reference: PTX ISA 9.0. Everything that nvcc 13 and clang 19 emit is represented, executed or not.
 * The vocabulary: module, function (entry or device), variable, instruction, operand, modifier, type, state space.
 * Everything lives in the module's arena; names are interned in the module, so they compare by pointer.
 *
 * Scopes are flattened: in a function the names of registers, variables and labels are unique (a name that a scope
 * repeats becomes name__1 and so on). A call's operands are, as written: PTX_LIST of results (if any), the target
 * (PTX_FUNC or PTX_REG), PTX_LIST of arguments (if any), PTX_LABEL of a .callprototype or .calltargets (if any).
 * Not kept: pragmas, the pointee's space and alignment of .ptr. Of debug sections only where they are (section.h). */
#ifndef LS_PTX_H
#define LS_PTX_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/status.h"

/* types.def: PTX_TYPE(id, "name", bits, class). class: B(its) U(nsigned) S(igned) F(loat) P(redicate) O(paque) */
enum ptx_type {
    PTX_NONE, /* no type */
#define PTX_TYPE(id, name, bits, cls) PTX_##id,
#include "ptx/types.def"
#undef PTX_TYPE
    PTX_NTYPES
};

/* ops.def, one row an opcode (its head documents the columns): PTX_OP(id, "mnemonic", ...) */
enum ptx_op {
    PTX_OP_NONE,
#define PTX_OP(id, ...) OP_##id,
#include "ptx/ops.def"
#undef PTX_OP
    PTX_NOPS
};

/* The columns of ops.def whose words later modules give a meaning to. */
enum ptx_class {
    PTX_CLASS_ARITH, /* by the type of the first operand */
    PTX_CLASS_INTEGER,
    PTX_CLASS_BIT,
    PTX_CLASS_CONVERSION,
    PTX_CLASS_CONTROL,
    PTX_CLASS_INTER_THREAD,
    PTX_CLASS_MEMORY,
    PTX_CLASS_TEXTURE,
    PTX_CLASS_TENSOR,
    PTX_CLASS_MISC,
};

/* How control leaves an instruction. */
enum ptx_flow {
    FLOW_NEXT,   /* simple: falls through; may be predicated with a guard record */
    FLOW_BRANCH, /* bra */
    FLOW_TABLE,  /* brx */
    FLOW_END,    /* ret exit trap */
    FLOW_CALL,   /* falls through once the callee has returned; predicated as FLOW_STOP */
    FLOW_STOP,   /* falls through, but may block or fire with others: a predicated one becomes a block of its own behind
                    a branch */
};

/* What an instruction does to memory. */
enum ptx_memory {
    PTX_MEM_NONE, /* nothing, or what no table has to know: bulk copies, mbarriers, textures */
    PTX_MEM_LOAD,
    PTX_MEM_STORE,
    PTX_MEM_ATOMIC, /* atom and red */
    PTX_MEM_MATRIX_LOAD,
    PTX_MEM_MATRIX_STORE,
    PTX_MEM_COPY,    /* cp.async */
    PTX_MEM_FENCE,   /* orders the thread's own accesses */
    PTX_MEM_BARRIER, /* orders those of the lanes that meet there */
    PTX_MEM_COMMIT,  /* closes a group of copies; its operand, if any, is none of them */
    PTX_MEM_WAIT,    /* waits for groups of copies: all but as many as the operand says, or all */
    PTX_MEM_BULK_COMMIT,
    PTX_MEM_BULK_WAIT,
};

/* What of its sources is in the result of an instruction. */
enum ptx_result {
    PTX_RESULT_OTHER,
    PTX_RESULT_NUMBER,  /* computed from numbers, every byte of which counts */
    PTX_RESULT_COMPARE, /* of two numbers, or of two words that may be equal */
    PTX_RESULT_COPY,    /* a source as it is, or packed and unpacked */
    PTX_RESULT_CONVERT,
    PTX_RESULT_SPLICE, /* whole bytes of several sources */
    PTX_RESULT_MASK,   /* bytes of a source, when the mask keeps or drops whole ones */
    PTX_RESULT_SHIFT,  /* the same, by the distance */
    PTX_RESULT_FIELD,  /* the same, by position and length */
    PTX_RESULT_CHOICE, /* one of the first two sources */
    PTX_RESULT_MIX,    /* bits of all */
    PTX_RESULT_FETCH,  /* not its sources: what memory or a texture holds */
};

/* mods.def: PTX_MOD(id, "text", group): every modifier that can follow an opcode and is not a type, in one list.
 * State spaces, comparison operators, rounding, caches, scopes, shapes are all modifiers. */
enum ptx_mod {
    PTX_MOD_NONE,
#define PTX_MOD(id, text, group) MOD_##id,
#include "ptx/mods.def"
#undef PTX_MOD
    PTX_NMODS
};

/* sregs.def, one row a special register (its head documents the columns): PTX_SREG(name, ...) */
enum ptx_sreg {
#define PTX_SREG(name, ...) SREG_##name,
#include "ptx/sregs.def"
#undef PTX_SREG
    PTX_NSREGS
};

enum ptx_space {
    SPACE_NONE, /* generic */
    SPACE_REG,
    SPACE_SREG,
    SPACE_CONST,
    SPACE_GLOBAL,
    SPACE_LOCAL,
    SPACE_PARAM,
    SPACE_SHARED,
    SPACE_TEX,
};

struct ptx_var;
struct ptx_func;

enum ptx_operand_kind {
    PTX_REG,   /* var: a register (.reg variable); a predicate may carry neg (!%p) */
    PTX_SREG,  /* sreg, comp 'x' 'y' 'z' 'w' or 0; never a declared variable */
    PTX_IMM,   /* bits; is_float/is_double say how it was written: an integer (as 64-bit two's complement,
                  is_signed when it had a minus sign), a 0f (32-bit pattern) or a 0d / decimal (64-bit pattern) */
    PTX_VAR,   /* var [+ offset]: the address of a variable that is not a register (mov %rd, buf+16), or a param name */
    PTX_FUNC,  /* func: a function's name (mov of a function's address, call target) */
    PTX_LABEL, /* label */
    PTX_ADDR,  /* [base + offset]: elems[0] is the base (PTX_REG, PTX_VAR or PTX_IMM); offset in bytes */
    PTX_VEC,   /* {a, b, c, d}: elems[0..n) */
    PTX_PAIR,  /* a|b: elems[0..2), e.g. the two predicates of setp or d|p of shfl */
    PTX_LIST,  /* (a, b, c) of call; also the [tex, sampler, {coords}] of tex: elems[0..n) */
    PTX_SINK,  /* _ */
};

/* What the instruction does with an operand, as its form in ops.def says. */
enum ptx_role {
    PTX_SOURCE,  /* a value, a label, what is called */
    PTX_DEST,    /* a register, or several, that it writes */
    PTX_ADDRESS, /* memory that it names; the registers in it are read */
};

struct ptx_operand {
    u8 kind;  /* enum ptx_operand_kind */
    u8 role;  /* enum ptx_role; elements of vectors and lists have none of their own, those of pairs do */
    u8 type;  /* enum ptx_type as which the instruction takes it; PTX_NONE: it says none (addresses, labels) */
    bool neg; /* !%p, or -%r (allowed in old integer operands) */
    bool is_float, is_double, is_signed;
    bool unified; /* PTX_ADDR: [a].unified */
    char comp;    /* PTX_SREG: its component, or 0 */
    u16 n;        /* elements */
    u32 column;
    union {
        u64 bits;
        struct ptx_var *var;
        struct ptx_func *func;
        struct ptx_label *label;
        const char *name;   /* of a label, until its scope closes */
        enum ptx_sreg sreg; /* PTX_SREG */
        struct ptx_operand *elems;
    };
    i64 offset;
    const char *sel; /* video instructions: the selector behind a register ("b0", "h10"), or NULL */
};

struct ptx_label {
    const char *name;
    u32 at; /* index into the function's insts; == ninsts when it stands at the end */
    u32 line;
    const struct ptx_label **targets; /* of a .branchtargets list that bears this label */
    u32 ntargets;
    const struct ptx_func *proto;  /* of a .callprototype that bears this label */
    const struct ptx_func **calls; /* of a .calltargets list */
    u32 ncalls;
};

enum { PTX_MAX_MODS = 14, PTX_MAX_TYPES = 6, PTX_MAX_OPERANDS = 12 };

struct ptx_inst {
    u16 op;         /* enum ptx_op */
    bool guard_neg; /* @!%p */
    u8 nmods, ntypes, noperands;
    u8 space;                /* the state space modifier if there is one (also in mods), else SPACE_NONE */
    u32 type_at;             /* bit k: the k-th thing written after the opcode is a type, not a modifier */
    u16 mods[PTX_MAX_MODS];  /* in the order of the form in ops.def; ids of mods.def */
    u8 types[PTX_MAX_TYPES]; /* in the order written: cvt.f32.s32 has {F32, S32}; vectors: MOD_V2/V4/V8 is in mods */
    struct ptx_var *guard;   /* the predicate register of @%p, or NULL */
    struct ptx_operand *operands; /* destinations first, as written */
    u32 line, column;             /* in the PTX text */
    u32 loc; /* 1 + index into the module's locs: the source line of the .loc before it; 0 = none */
};

struct ptx_var {
    const char *name; /* %r<24> declares %r0 .. %r23: each used one is a variable of its own */
    u8 space, type;   /* enum ptx_space, element type */
    u8 vec;           /* 1, 2, 4 (.v2 .v4); registers: 1, as vectors are split (vectors.c) */
    u8 linkage;       /* enum ptx_linkage */
    bool managed, is_ptr, is_array;
    u32 align;         /* bytes; as declared, else the natural one */
    u64 count;         /* elements of the (flattened) array; 1 for a scalar; 0 for an unsized array ([]) */
    u64 size;          /* bytes; 0 when unsized */
    u32 index;         /* registers: dense number in the function; params: position; else order in the module */
    u64 offset;        /* kernel and function parameters: byte offset in the parameter block (PTX ABI alignment) */
    u8 *init;          /* initial bytes, `size` of them, or NULL for zero */
    struct ptx_reloc { /* addresses inside init, to be added by the loader */
        u64 at;        /* byte offset in init */
        u8 bytes;      /* 4 or 8; 1 for mask() byte pieces */
        u8 shift;      /* the piece of the address that mask(0xFF..) selects, in bits */
        bool generic;  /* generic(sym) */
        struct ptx_var *var; /* one of var and func */
        struct ptx_func *func;
        i64 addend;
    } *relocs;
    u32 nrelocs;
    u32 line;
};

enum ptx_linkage { LINK_NONE, LINK_EXTERN, LINK_VISIBLE, LINK_WEAK, LINK_COMMON };

/* A .loc: file is an index into the module's files. */
struct ptx_loc {
    u32 file, line, column;
    u32 inlined_at;            /* 1 + index into locs, or 0 */
    const char *function_name; /* of an inlined function, when debug_str tells, else NULL */
};

/* A debug section: where its text stands in the module's (section.h reads it). */
struct ptx_section {
    const char *name; /* ".debug_info" */
    size_t at, len;   /* between the braces */
};

/* A label outside functions, which compilers put behind a function's end for debug sections. */
struct ptx_outer_label {
    const char *name;
    const struct ptx_func *after; /* the function before it, or NULL */
};

struct ptx_func {
    const char *name;
    bool is_entry, is_proto, defined, noreturn;
    u8 linkage;
    struct ptx_var **params; /* in order */
    struct ptx_var **rets;   /* device functions: return parameters */
    u32 nparams, nrets;
    u64 param_bytes;       /* size of the parameter block */
    struct ptx_var **regs; /* the registers that are used, by index */
    u32 nregs;
    struct ptx_var **locals; /* .local .shared .param variables (and .const/.global) declared in the body, all scopes */
    u32 nlocals;
    struct ptx_inst *insts;
    u32 ninsts;
    struct ptx_label **labels;
    u32 nlabels;
    u32 maxntid[3], reqntid[3]; /* 0 = not given */
    u32 minnctapersm, maxnctapersm, maxnreg;
    u32 cluster[3]; /* .reqnctapercluster */
    u32 maxclusterrank;
    bool explicitcluster, blocksareclusters;
    struct ptx_func *alias; /* .alias: the function whose body this one shares, else NULL */
    u32 line;
    struct ptx_func *next_decl; /* chain of prototypes, internal to the parser */
};

struct ptx_module {
    struct arena mem;
    struct intern names;
    const char *file; /* the name the text was given, for messages */
    u32 version_major, version_minor;
    const char *target;    /* "sm_90" */
    u32 sm;                /* 90 */
    bool debug;            /* .target ..., debug */
    u32 address_size;      /* 64 */
    struct ptx_var **vars; /* module scope: .global .const .shared .texref ... */
    u32 nvars;
    struct ptx_func **funcs; /* one a name: the definition if there is one */
    u32 nfuncs;
    const char **files; /* .file table, by its own index; may have NULL holes */
    u32 nfiles;
    struct ptx_loc *locs;
    u32 nlocs;
    struct ptx_section *sections;
    u32 nsections;
    struct ptx_outer_label *outer_labels;
    u32 nouter_labels;
    const char *text; /* copy of the source, NUL-terminated, for diagnostics */
    size_t text_len;
};

/* Parses and verifies text[0..len) (trailing NULs are ignored). On LS_OK *out is a module to be freed with ptx_free;
 * on LS_ERR_SYNTAX the errors are in diags; LS_ERR_NOMEM when memory ran out. `file` is used in messages only.
 * An opcode that is known but cannot be executed is not an error here. */
enum ls_status ptx_parse(const char *text, size_t len, const char *file, struct ptx_module **out,
                         struct diag_list *diags);
void ptx_free(struct ptx_module *m);

/* The module as PTX text that parses to the same tree; ls_realloc'ed, the caller frees. NULL: no memory. */
char *ptx_print(const struct ptx_module *m);
/* One instruction as text without newline, into buf (always NUL-terminated; truncated when it does not fit). */
void ptx_print_inst(const struct ptx_inst *i, char *buf, size_t size);

const struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name);

/* Properties of the tables. */
const char *ptx_op_name(enum ptx_op op);
const char *ptx_mod_name(enum ptx_mod mod);
const char *ptx_type_name(enum ptx_type t);
u32 ptx_type_bits(enum ptx_type t); /* 1 for .pred */
bool ptx_type_signed(enum ptx_type t);
bool ptx_type_float(enum ptx_type t); /* packed and alternative floats too */
char ptx_type_class(enum ptx_type t); /* the letter of types.def */

/* A row of ops.def. */
struct ptx_op_row {
    const char *name, *forms, *cls, *section, *semantics;
    u8 class, flow, memory, result; /* enums ptx_class, ptx_flow, ptx_memory, ptx_result */
};
extern const struct ptx_op_row ptx_op_rows[PTX_NOPS];

static inline const struct ptx_op_row *ptx_op_row(enum ptx_op op)
{
    return &ptx_op_rows[(unsigned)op < PTX_NOPS ? op : PTX_OP_NONE];
}

/* Whose value a special register is. */
enum ptx_sreg_scope {
    SREG_SCOPE_NONE, /* nobody's: it is not provided */
    SREG_SCOPE_LANE,
    SREG_SCOPE_WARP,
    SREG_SCOPE_BLOCK,
    SREG_SCOPE_GRID,
    SREG_SCOPE_MOVING, /* it changes while the kernel runs */
};

/* A row of sregs.def. */
struct ptx_sreg_row {
    const char *name; /* "%tid" */
    u8 type;          /* of a component, if it is a vector */
    bool vector;
    u8 scope; /* enum ptx_sreg_scope */
};
extern const struct ptx_sreg_row ptx_sreg_rows[PTX_NSREGS];

static inline bool ptx_has(const struct ptx_inst *i, enum ptx_mod mod)
{
    for (unsigned k = 0; k < i->nmods; k++)
        if (i->mods[k] == mod)
            return true;
    return false;
}

/* The reason that unsupported.def gives for an instruction that cannot run, or NULL. Slow: for messages. */
const char *ptx_unsupported(const struct ptx_inst *i);

/* How many of its operands, which come first, it writes. */
static inline unsigned ptx_dest_count(const struct ptx_inst *i)
{
    return i->noperands && i->operands[0].role == PTX_DEST;
}

/* The number of vector elements of a ld/st/tex: 1, 2, 4 or 8. Defined in types.c. */
unsigned ptx_vec_count(const struct ptx_inst *i);

#endif
