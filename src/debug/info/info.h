/* info.h - the symbols of a PTX module: functions, lines, scopes, variables, where they are, and their types.
 *
 * Lines come from .loc, which both compilers write for -lineinfo too; everything else from the module's DWARF sections
 * (nvcc -G, clang -g), which libdw reads. Without them, or if they are damaged, there are functions and lines all the same.
 *
 * A *place* is an instruction of a function. A *frame* is a function that is being executed there: the innermost first,
 * then those into which it was inlined, last the function of the PTX text. Everything lives as long as the info, and the
 * info no longer than its module. One thread at a time. */
#ifndef LS_DEBUG_INFO_H
#define LS_DEBUG_INFO_H

#include "ptx/ptx.h"

struct debug_info;

/* LS_OK, or LS_ERR_NOMEM. What is wrong with the sections is told in diags as warnings. */
enum ls_status debug_info_open(const struct ptx_module *m, struct debug_info **out, struct diag_list *diags);
void debug_info_close(struct debug_info *info);
bool debug_info_has_variables(const struct debug_info *info); /* DWARF was found and read */
bool debug_info_has_lines(const struct debug_info *info);
/* The info's arena. Everything below may allocate in it: whoever calls has set its recovery point. */
struct arena *debug_info_memory(struct debug_info *info);

/* ---- functions ---- */

struct debug_function {
    const struct ptx_func *func;
    const char *name; /* as in the source; without DWARF that of the PTX text */
    const char *file; /* where it is defined; NULL: unknown */
    u32 line;
};

const struct debug_function *debug_functions(const struct debug_info *info, u32 *n); /* those with a body */
/* By the name in the source or in the PTX text. NULL: none. */
const struct debug_function *debug_function_find(const struct debug_info *info, const char *name);
const struct debug_function *debug_function_of(const struct debug_info *info, const struct ptx_func *func);

/* ---- lines ---- */

struct debug_place {
    const struct ptx_func *func;
    u32 inst; /* index into its insts */
};

struct debug_line {
    const char *file; /* NULL: unknown */
    u32 line, column;
    bool statement; /* a statement's first instruction: where a step ends */
};

/* The line of an instruction; one without a line of its own has that of the instruction before it. */
struct debug_line debug_line_at(const struct debug_info *info, struct debug_place at);

/* Where the code of a line begins: one place for each function and each inlined copy. If the line has no code, those of the
 * next line that has some; *found is the line. The file may be the end of a path. 0: none. */
u32 debug_line_places(struct debug_info *info, const char *file, u32 line, const struct debug_place **places,
                      u32 *found);

/* The first place of a function behind the loading of its parameters, where a breakpoint on it belongs. */
struct debug_place debug_function_start(const struct debug_info *info, const struct ptx_func *func);

/* ---- frames ---- */

struct debug_frame {
    const char *function;
    struct debug_line line; /* of the instruction; of the call in all but the innermost */
    bool inlined;
};

enum { DEBUG_FRAMES = 32 }; /* more are left out, except the last */

u32 debug_frames(struct debug_info *info, struct debug_place at, struct debug_frame out[DEBUG_FRAMES]);

/* ---- types ---- */

enum debug_type_kind {
    DEBUG_VOID,
    DEBUG_BASE,
    DEBUG_POINTER,
    DEBUG_REFERENCE, /* && too */
    DEBUG_ARRAY,
    DEBUG_STRUCT, /* class too */
    DEBUG_UNION,
    DEBUG_ENUM,
    DEBUG_TYPEDEF,
    DEBUG_CONST,
    DEBUG_VOLATILE,
    DEBUG_FUNCTION,
};

enum debug_encoding { DEBUG_SIGNED, DEBUG_UNSIGNED, DEBUG_FLOAT, DEBUG_BOOL, DEBUG_CHAR, DEBUG_UCHAR };

struct debug_type {
    u8 kind;     /* enum debug_type_kind */
    u8 encoding; /* enum debug_encoding, of base types and of what enumerations stand for */
    u8 space;    /* enum ptx_space: what a pointer or a reference points into; SPACE_NONE: generic */
    bool incomplete;
    bool is_class;
    const char *name;                 /* qualified; NULL: none */
    u64 size;                         /* bytes */
    u64 count;                        /* elements of an array; 0: unknown */
    const struct debug_type *target;  /* pointed to, element, result, or what is qualified; NULL: void */
    const struct debug_type *pointer; /* a pointer to it that expressions made, or NULL */
    u64 die;                          /* of its definition, for debug_members */
    struct debug_members *members;
};

struct debug_member {
    const char *name; /* NULL: anonymous */
    const struct debug_type *type;
    u64 offset;    /* bytes */
    u32 bits, bit; /* of a bit-field: width, and the lowest bit from `offset`; 0: none */
    bool base;     /* a base class */
    i64 value;     /* of an enumerator */
};

/* Members of a struct or union, enumerators, or parameters of a function type. */
struct debug_members {
    u32 n;
    bool variadic;
    const struct debug_member *at;
};

const struct debug_members *debug_members(struct debug_info *info, const struct debug_type *t);
const struct debug_type *debug_function_result(struct debug_info *info,
                                               const struct ptx_func *func); /* NULL: void, unknown */
const struct debug_type *debug_type_strip(const struct debug_type *t);       /* without typedefs and qualifiers */
/* By name: a base type, struct, union, enum or typedef of the module; qualified or not. NULL: none. */
const struct debug_type *debug_type_find(struct debug_info *info, const char *name);
const struct debug_type *debug_type_base(struct debug_info *info, enum debug_encoding encoding, u64 size);
const struct debug_type *debug_type_pointer(struct debug_info *info, const struct debug_type *to, enum ptx_space space);
const struct debug_type *debug_type_array(struct debug_info *info, const struct debug_type *of, u64 count);
/* Of a struct that is not in the module; the members live as long as the info. */
const struct debug_type *debug_type_struct(struct debug_info *info, const char *name, u64 size,
                                           const struct debug_member *members, u32 n);
bool debug_enumerator(struct debug_info *info, const char *name, const struct debug_type **type, i64 *value);
const char *debug_type_name(struct debug_info *info, const struct debug_type *t); /* as gdb writes it */

/* ---- variables ---- */

enum debug_variable_kind { DEBUG_ARGUMENT, DEBUG_LOCAL, DEBUG_GLOBAL };

struct debug_variable {
    const char *name;         /* qualified if it is global */
    const char *linkage_name; /* NULL: none */
    const struct debug_type *type;
    u8 kind;   /* enum debug_variable_kind */
    u32 block; /* nesting inside the frame: 0 is the function's own */
    bool artificial;
    const char *file;
    u32 line;
    u64 die;
};

/* What can be seen in a frame of debug_frames: innermost block first, in a block as they were declared. */
u32 debug_variables(struct debug_info *info, struct debug_place at, u32 frame, const struct debug_variable **out);
u32 debug_globals(struct debug_info *info, const struct debug_variable **out);
/* A variable by name as that frame sees it, global ones last. NULL: none. */
const struct debug_variable *debug_variable_find(struct debug_info *info, struct debug_place at, u32 frame,
                                                 const char *name);

/* ---- locations ---- */

enum debug_piece_kind {
    DEBUG_LOST,     /* optimised out */
    DEBUG_REGISTER, /* the value is in reg */
    DEBUG_MEMORY,   /* at var + offset, at reg + offset, or at offset */
    DEBUG_VALUE,    /* the value is reg + offset, or the bytes */
};

struct debug_piece {
    u8 kind;  /* enum debug_piece_kind */
    u8 space; /* enum ptx_space, of memory */
    u64 size; /* bytes; 0: the rest */
    const struct ptx_var *reg;
    const struct ptx_var *var;
    i64 offset;
    const u8 *bytes;
    u64 nbytes;
};

struct debug_location {
    u32 n;
    const struct debug_piece *pieces;
};

/* Where a variable is at an instruction: at least one piece. */
struct debug_location debug_location(struct debug_info *info, const struct debug_variable *v, struct debug_place at);
/* A variable of the PTX text's module scope, or NULL. */
const struct ptx_var *debug_module_variable(const struct debug_info *info, const char *name);
/* A register by its PTX name ("%r1"), or NULL. */
const struct ptx_var *debug_register(const struct debug_info *info, const struct ptx_func *func, const char *name);

#endif
