/* internal.h - what the files of src/debug/info share.
 *
 * An *address* is what a label is in the DWARF sections that libdw reads: of code (1 + function) << 32 | instruction; of a
 * variable SYMBOL_BIT | symbol << 40 | 2^39 + offset. 0 is a name that nothing in the module bears. */
#ifndef LS_DEBUG_INFO_INTERNAL_H
#define LS_DEBUG_INFO_INTERNAL_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include "base/vec.h"
#include "debug/info/info.h"

static const u64 SYMBOL_BIT = (u64)1 << 63, SYMBOL_BIAS = (u64)1 << 39;

/* Names to what they are: open addressing by the text. */
struct named {
    const char *name;
    u64 address;
};

struct names {
    struct named *at;
    u32 len, cap;
};

void names_add(struct arena *mem, struct names *t, const char *name, u64 address); /* the first of a name stays */
bool names_find(const struct names *t, const char *name, u64 *address);
u64 names_hash(const char *name);

struct subprogram { /* of a function, beside functions */
    u64 die;        /* 0: none */
};

struct line_row { /* the first instruction of a statement */
    const char *file;
    u32 line;
    struct debug_place at;
    u32 loc; /* 1 + index: which inlined copy */
};

struct type_slot {
    u64 die;
    struct debug_type *type;
};

struct scope_list {
    u64 outer, inner; /* DIEs of the frame's first and last scope */
    struct debug_variable *variables;
    u32 n;
};

struct enumerator {
    u64 die, type;
};

struct flow_entry {
    Dwarf_Op *ops;
    size_t nops;
};

struct flow_list { /* of a variable whose location is a list */
    u64 die;
    const struct ptx_func *func;
    const u64 *at;  /* by instruction: the entries that have the value */
    const u8 *list; /* the one that the list gives */
    const struct flow_entry *entries;
};

struct debug_info {
    struct arena mem;
    const struct ptx_module *m;
    struct diag_list *diags;          /* while it is being opened */
    struct names symbols;             /* labels and variables */
    VEC(const struct ptx_var *) vars; /* by symbol */

    Elf *elf;
    Dwarf *dwarf; /* NULL: no DWARF */

    struct debug_function *functions;
    struct subprogram *subprograms;
    u32 nfunctions;
    u32 *function_of; /* function of the module -> 1 + index into functions */

    VEC(struct debug_variable) globals;
    struct names type_names;  /* to offsets of DIEs */
    struct names enumerators; /* to enumerator_dies */
    VEC(struct enumerator) enumerator_dies;
    bool type_names_done;
    struct type_slot *types; /* hash table */
    u32 ntypes, types_cap;
    struct debug_type *base_types[8][5]; /* by encoding and log2 of the size, for expressions */

    u32 type_depth; /* of type_at, which follows types */

    VEC(struct line_row) rows;     /* by file and line */
    const char **loc_names;        /* of the inlined functions of the module's locs */
    VEC(struct scope_list) scopes; /* the variables of scopes that were asked for */
    VEC(struct flow_list) flows;   /* of variables that were asked for */
    bool *walk_seen;               /* flow.c's, for functions of up to walk_room instructions */
    u32 *walk_todo, walk_room;
};

/* image.c */
bool sections_open(struct debug_info *info);
void sections_close(struct debug_info *info);
const struct ptx_var *address_variable(const struct debug_info *info, u64 address, i64 *offset);
u64 place_address(const struct debug_info *info, struct debug_place at);
u32 function_index(const struct debug_info *info, const struct ptx_func *f); /* of the module's */
bool die_at(const struct debug_info *info, u64 offset, Dwarf_Die *die);

/* walk.c: what the sections declare */
void walk_units(struct debug_info *info);
void walk_type_names(struct debug_info *info);
const char *qualified_name(struct debug_info *info, Dwarf_Die *die);

/* Attributes, through DW_AT_abstract_origin and DW_AT_specification; NULL, 0 or false: there is none. */
const char *die_name(Dwarf_Die *die);
const char *die_linkage_name(Dwarf_Die *die);
bool die_number(Dwarf_Die *die, unsigned name, u64 *value);
u64 die_number_or(Dwarf_Die *die, unsigned name, u64 otherwise);
bool die_flag(Dwarf_Die *die, unsigned name);
bool die_reference(Dwarf_Die *die, unsigned name, Dwarf_Die *to);
void die_declared(const struct debug_info *info, Dwarf_Die *die, const char **file, u32 *line);
enum ptx_space die_space(Dwarf_Die *die);
bool next_child(Dwarf_Die *parent, Dwarf_Die *child, bool *started); /* each child in turn */

/* demangle.c: ns::name of _ZN2ns4nameE; NULL: it is nothing so simple */
const char *demangle_variable(struct arena *mem, const char *name);
const char *demangle_function(struct arena *mem, const char *name);

/* types.c */
const struct debug_type *type_of(struct debug_info *info, Dwarf_Die *die); /* DW_AT_type; NULL: void */
const struct debug_type *type_at(struct debug_info *info, Dwarf_Die *die);

/* variables.c */
enum { NESTING = 64 }; /* of scopes and types that are followed; damaged sections may nest without end */

void describe_variable(struct debug_info *info, Dwarf_Die *die, struct debug_variable *v);
/* The scopes around a place from the function inwards; returns how many. */
u32 scopes_at(struct debug_info *info, struct debug_place at, Dwarf_Die out[NESTING]);
bool same_ending(const char *full, const char *name); /* of qualified names */

/* location.c: the register of a DWARF number, or NULL */
const struct ptx_var *location_register(const struct debug_info *info, const struct ptx_func *f, u64 number);

/* flow.c: the expression of a variable's list that holds at an instruction, and how long it is; 0: none does */
size_t flow_entry(struct debug_info *info, u64 die, struct debug_place at, Dwarf_Attribute *list, Dwarf_Op **ops);
/* Pieces in registers that may not have been written are lost. */
void flow_check_registers(struct debug_info *info, struct debug_place at, struct debug_piece *pieces, u32 n);

/* lines.c */
void make_lines(struct debug_info *info);

#endif
