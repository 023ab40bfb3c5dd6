/* types.c - DIEs of types to struct debug_type, one for each DIE, made when first asked for. */
#include <dwarf.h>

#include "debug/info/internal.h"

/* ---- the table ---- */

static struct type_slot *find_slot(struct debug_info *info, u64 die)
{
    for (u64 i = die * 0x9e3779b97f4a7c15u >> 20;; i++) {
        struct type_slot *s = &info->types[i & (info->types_cap - 1)];
        if (!s->type || s->die == die)
            return s;
    }
}

static void grow(struct debug_info *info)
{
    const struct type_slot *old = info->types;
    const u32 cap = info->types_cap;
    info->types_cap = cap ? cap * 2 : 64;
    info->types = arena_array(&info->mem, struct type_slot, info->types_cap);
    for (u32 i = 0; i < cap; i++)
        if (old[i].type)
            *find_slot(info, old[i].die) = old[i];
}

/* ---- kinds ---- */

static enum debug_encoding encoding_of(Dwarf_Die *die)
{
    switch (die_number_or(die, DW_AT_encoding, DW_ATE_unsigned)) {
    case DW_ATE_signed:
        return DEBUG_SIGNED;
    case DW_ATE_float:
        return DEBUG_FLOAT;
    case DW_ATE_boolean:
        return DEBUG_BOOL;
    case DW_ATE_signed_char:
        return DEBUG_CHAR;
    case DW_ATE_unsigned_char:
        return DEBUG_UCHAR;
    default:
        return DEBUG_UNSIGNED;
    }
}

static enum debug_type_kind kind_of(int tag)
{
    switch (tag) {
    case DW_TAG_base_type:
    case DW_TAG_ptr_to_member_type:
        return DEBUG_BASE;
    case DW_TAG_pointer_type:
        return DEBUG_POINTER;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        return DEBUG_REFERENCE;
    case DW_TAG_array_type:
        return DEBUG_ARRAY;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
        return DEBUG_STRUCT;
    case DW_TAG_union_type:
        return DEBUG_UNION;
    case DW_TAG_enumeration_type:
        return DEBUG_ENUM;
    case DW_TAG_typedef:
        return DEBUG_TYPEDEF;
    case DW_TAG_const_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
        return DEBUG_CONST;
    case DW_TAG_volatile_type:
        return DEBUG_VOLATILE;
    case DW_TAG_subroutine_type:
        return DEBUG_FUNCTION;
    default:
        return DEBUG_VOID;
    }
}

static u64 count_of(Dwarf_Die *range)
{
    u64 n;
    if (die_number(range, DW_AT_count, &n))
        return n;
    return die_number(range, DW_AT_upper_bound, &n) ? n + 1 - die_number_or(range, DW_AT_lower_bound, 0) : 0;
}

static void set_count(struct debug_type *t, u64 count)
{
    const u64 each = t->target ? t->target->size : 0;
    t->count = count;
    if (__builtin_mul_overflow(each, count, &t->size))
        t->size = t->count = 0;
}

enum { DIMENSIONS = 16 };

/* int[4][8] is an array of 4 arrays of 8. */
static void fill_array(struct debug_info *info, struct debug_type *t, Dwarf_Die *die)
{
    u64 counts[DIMENSIONS] = {0};
    u32 n = 0;
    Dwarf_Die range;
    for (bool started = false; next_child(die, &range, &started) && n < DIMENSIONS;)
        if (dwarf_tag(&range) == DW_TAG_subrange_type)
            counts[n++] = count_of(&range);
    t->target = type_of(info, die);
    for (u32 k = n; k-- > 1;)
        t->target = debug_type_array(info, t->target, counts[k]);
    set_count(t, counts[0]);
}

static u64 size_of(Dwarf_Die *die, const struct debug_type *t)
{
    switch (t->kind) {
    case DEBUG_POINTER:
    case DEBUG_REFERENCE:
        return die_number_or(die, DW_AT_byte_size, 8);
    case DEBUG_TYPEDEF:
    case DEBUG_CONST:
    case DEBUG_VOLATILE:
        return t->target ? t->target->size : 0;
    default:
        return die_number_or(die, DW_AT_byte_size, 0);
    }
}

/* Of the type below; where none is told (DWARF 2), it is signed if an enumerator is. */
static enum debug_encoding enum_encoding(Dwarf_Die *die, const struct debug_type *below)
{
    Dwarf_Die child;
    u64 value;
    below = debug_type_strip(below);
    if (below && below->kind == DEBUG_BASE)
        return (enum debug_encoding)below->encoding;
    for (bool started = false; next_child(die, &child, &started);)
        if (dwarf_tag(&child) == DW_TAG_enumerator && die_number(&child, DW_AT_const_value, &value) && (i64)value < 0)
            return DEBUG_SIGNED;
    return DEBUG_UNSIGNED;
}

static void fill(struct debug_info *info, struct debug_type *t, Dwarf_Die *die)
{
    const int tag = dwarf_tag(die);
    t->kind = (u8)kind_of(tag);
    t->die = dwarf_dieoffset(die);
    t->is_class = tag == DW_TAG_class_type;
    t->incomplete = die_flag(die, DW_AT_declaration);
    const bool tagged =
        t->kind == DEBUG_STRUCT || t->kind == DEBUG_UNION || t->kind == DEBUG_ENUM || t->kind == DEBUG_TYPEDEF;
    t->name = tagged ? qualified_name(info, die) : die_name(die);
    if (t->kind == DEBUG_BASE)
        t->encoding = (u8)encoding_of(die);
    if (t->kind == DEBUG_POINTER || t->kind == DEBUG_REFERENCE)
        t->space = (u8)die_space(die);
    if (t->kind == DEBUG_ARRAY) {
        fill_array(info, t, die);
        return;
    }
    if (t->kind != DEBUG_BASE)
        t->target = type_of(info, die);
    if (t->kind == DEBUG_ENUM)
        t->encoding = (u8)enum_encoding(die, t->target);
    t->size = size_of(die, t);
}

const struct debug_type *type_at(struct debug_info *info, Dwarf_Die *die)
{
    if (info->ntypes * 2 >= info->types_cap)
        grow(info);
    const u64 at = dwarf_dieoffset(die);
    struct type_slot *s = find_slot(info, at);
    if (s->type || info->type_depth >= NESTING)
        return s->type;
    struct debug_type *t = arena_new(&info->mem, struct debug_type);
    *s = (struct type_slot){at, t};
    info->ntypes++;
    info->type_depth++;
    fill(info, t, die);
    info->type_depth--;
    return t;
}

const struct debug_type *type_of(struct debug_info *info, Dwarf_Die *die)
{
    Dwarf_Die to;
    if (!die_reference(die, DW_AT_type, &to))
        return NULL;
    const struct debug_type *t = type_at(info, &to);
    return t && t->kind == DEBUG_VOID ? NULL : t;
}

const struct debug_type *debug_function_result(struct debug_info *info, const struct ptx_func *func)
{
    Dwarf_Die die;
    const struct debug_function *f = debug_function_of(info, func);
    const u64 at = f ? info->subprograms[f - info->functions].die : 0;
    return at && die_at(info, at, &die) ? type_of(info, &die) : NULL;
}

const struct debug_type *debug_type_strip(const struct debug_type *t)
{
    for (u32 k = 0; t && k < NESTING; k++, t = t->target)
        if (t->kind != DEBUG_TYPEDEF && t->kind != DEBUG_CONST && t->kind != DEBUG_VOLATILE)
            return t;
    return NULL;
}

/* ---- members ---- */

/* A number, or an expression that adds one. */
static u64 member_offset(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Op *ops;
    size_t n;
    u64 v;
    if (die_number(die, DW_AT_data_member_location, &v))
        return v;
    if (dwarf_attr(die, DW_AT_data_member_location, &a) && dwarf_getlocation(&a, &ops, &n) == 0 && n == 1 &&
        ops[0].atom == DW_OP_plus_uconst)
        return ops[0].number;
    return 0;
}

/* DWARF 2 counts a bit-field from the highest bit of its storage, DWARF 4 and later from the lowest of the struct. */
static void set_bits(struct debug_member *m, Dwarf_Die *die)
{
    u64 bits, at;
    if (!die_number(die, DW_AT_bit_size, &bits) || bits == 0 || bits > 64)
        return;
    m->bits = (u32)bits;
    if (die_number(die, DW_AT_data_bit_offset, &at)) {
        m->offset = at / 8;
        m->bit = at % 8;
    } else if (die_number(die, DW_AT_bit_offset, &at)) {
        const u64 storage = die_number_or(die, DW_AT_byte_size, m->type ? m->type->size : 0) * 8;
        const u64 low = storage - at - bits;
        m->bit = low < 64 ? (u32)low : 0;
    }
}

/* nvcc makes members of base classes: __b_ and the length and name of the class. */
static bool is_base(Dwarf_Die *die, const char *name)
{
    return dwarf_tag(die) == DW_TAG_inheritance ||
           (name && strncmp(name, "__b_", 4) == 0 && name[4] >= '0' && name[4] <= '9');
}

static bool describe_member(struct debug_info *info, Dwarf_Die *die, struct debug_member *m)
{
    *m = (struct debug_member){.name = die_name(die)};
    switch (dwarf_tag(die)) {
    case DW_TAG_enumerator:
        m->value = (i64)die_number_or(die, DW_AT_const_value, 0);
        return m->name;
    case DW_TAG_formal_parameter:
        m->type = type_of(info, die);
        return true;
    case DW_TAG_member:
    case DW_TAG_inheritance:
        if (die_flag(die, DW_AT_declaration) || die_flag(die, DW_AT_external))
            return false; /* static */
        m->type = type_of(info, die);
        m->offset = member_offset(die);
        m->base = is_base(die, m->name);
        set_bits(m, die);
        return m->type;
    default:
        return false;
    }
}

const struct debug_members *debug_members(struct debug_info *info, const struct debug_type *type)
{
    static const struct debug_members none;
    struct debug_type *t = (struct debug_type *)type; /* made by type_at, and only here changed */
    Dwarf_Die die, child;
    if (t && t->members)
        return t->members;
    if (!t || !t->die || t->kind == DEBUG_ARRAY || !die_at(info, t->die, &die))
        return &none;
    VEC(struct debug_member) v = {0};
    struct debug_member m;
    struct debug_members *members = arena_new(&info->mem, struct debug_members);
    t->members = members;
    for (bool started = false; next_child(&die, &child, &started);) {
        members->variadic |= dwarf_tag(&child) == DW_TAG_unspecified_parameters;
        if (describe_member(info, &child, &m))
            vec_push(&info->mem, &v, m);
    }
    members->n = v.len;
    members->at = v.at;
    return members;
}

/* ---- types that expressions make ---- */

const struct debug_type *debug_type_array(struct debug_info *info, const struct debug_type *of, u64 count)
{
    struct debug_type *t = arena_new(&info->mem, struct debug_type);
    t->kind = DEBUG_ARRAY;
    t->target = of;
    set_count(t, count);
    return t;
}

const struct debug_type *debug_type_pointer(struct debug_info *info, const struct debug_type *to, enum ptx_space space)
{
    if (to && to->pointer && to->pointer->space == space)
        return to->pointer;
    struct debug_type *t = arena_new(&info->mem, struct debug_type);
    *t = (struct debug_type){.kind = DEBUG_POINTER, .space = (u8)space, .size = 8, .target = to};
    if (to)
        ((struct debug_type *)to)->pointer = t;
    return t;
}

const struct debug_type *debug_type_struct(struct debug_info *info, const char *name, u64 size,
                                           const struct debug_member *members, u32 n)
{
    struct debug_type *t = arena_new(&info->mem, struct debug_type);
    struct debug_members *m = arena_new(&info->mem, struct debug_members);
    *m = (struct debug_members){.n = n, .at = members};
    *t = (struct debug_type){.kind = DEBUG_STRUCT, .name = name, .size = size, .members = m};
    return t;
}

const struct debug_type *debug_type_base(struct debug_info *info, enum debug_encoding encoding, u64 size)
{
    static const char *const names[][5] = {
        [DEBUG_SIGNED] = {"signed char", "short", "int", "long", "__int128"},
        [DEBUG_UNSIGNED] = {"unsigned char", "unsigned short", "unsigned int", "unsigned long", "unsigned __int128"},
        [DEBUG_FLOAT] = {"float8", "half", "float", "double", "long double"},
        [DEBUG_BOOL] = {"bool", "bool", "bool", "bool", "bool"},
        [DEBUG_CHAR] = {"char", "char16_t", "char32_t", "char", "char"},
        [DEBUG_UCHAR] = {"unsigned char", "char16_t", "char32_t", "char", "char"},
    };
    u32 log = 0;
    while (log < 4 && (u64)1 << log < size)
        log++;
    struct debug_type **slot = &info->base_types[encoding][log];
    if (!*slot) {
        *slot = arena_new(&info->mem, struct debug_type);
        **slot = (struct debug_type){
            .kind = DEBUG_BASE, .encoding = (u8)encoding, .name = names[encoding][log], .size = (u64)1 << log};
    }
    return *slot;
}

const struct debug_type *debug_type_find(struct debug_info *info, const char *name)
{
    u64 at;
    Dwarf_Die die;
    walk_type_names(info);
    return names_find(&info->type_names, name, &at) && die_at(info, at, &die) ? type_at(info, &die) : NULL;
}

bool debug_enumerator(struct debug_info *info, const char *name, const struct debug_type **type, i64 *value)
{
    u64 at;
    Dwarf_Die die, parent;
    walk_type_names(info);
    if (!names_find(&info->enumerators, name, &at) || !die_at(info, info->enumerator_dies.at[at].type, &parent) ||
        !die_at(info, info->enumerator_dies.at[at].die, &die))
        return false;
    *type = type_at(info, &parent);
    *value = (i64)die_number_or(&die, DW_AT_const_value, 0);
    return *type != NULL;
}
