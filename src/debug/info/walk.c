/* walk.c - the units' trees: attributes, and what stands outside functions. */
#include <dwarf.h>
#include <stdlib.h>

#include "debug/info/internal.h"

/* ---- attributes ---- */

static Dwarf_Attribute *attribute(Dwarf_Die *die, unsigned name, Dwarf_Attribute *a)
{
    return dwarf_attr_integrate(die, name, a);
}

static const char *text(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    const char *s = attribute(die, name, &a) ? dwarf_formstring(&a) : NULL;
    return s && *s ? s : NULL;
}

const char *die_name(Dwarf_Die *die) { return text(die, DW_AT_name); }

const char *die_linkage_name(Dwarf_Die *die)
{
    const char *s = text(die, DW_AT_linkage_name);
    return s ? s : text(die, DW_AT_MIPS_linkage_name);
}

bool die_number(Dwarf_Die *die, unsigned name, u64 *value)
{
    Dwarf_Attribute a;
    Dwarf_Word v;
    Dwarf_Sword s;
    if (!attribute(die, name, &a))
        return false;
    if (dwarf_whatform(&a) == DW_FORM_sdata || dwarf_whatform(&a) == DW_FORM_implicit_const) {
        if (dwarf_formsdata(&a, &s) != 0)
            return false;
        *value = (u64)s;
        return true;
    }
    if (dwarf_formudata(&a, &v) != 0)
        return false;
    *value = v;
    return true;
}

u64 die_number_or(Dwarf_Die *die, unsigned name, u64 otherwise)
{
    u64 v;
    return die_number(die, name, &v) ? v : otherwise;
}

bool die_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    bool flag = false;
    return attribute(die, name, &a) && dwarf_formflag(&a, &flag) == 0 && flag;
}

bool die_reference(Dwarf_Die *die, unsigned name, Dwarf_Die *to)
{
    Dwarf_Attribute a;
    return attribute(die, name, &a) && dwarf_formref_die(&a, to) != NULL;
}

/* .file numbers them: the sections have no table of files of their own. */
void die_declared(const struct debug_info *info, Dwarf_Die *die, const char **file, u32 *line)
{
    const u64 f = die_number_or(die, DW_AT_decl_file, 0);
    *file = f < info->m->nfiles ? info->m->files[f] : NULL;
    *line = (u32)die_number_or(die, DW_AT_decl_line, 0);
}

/* CUDA's address classes (PTX Writer's Guide to Interoperability, CUDA-Specific DWARF). */
enum ptx_space die_space(Dwarf_Die *die)
{
    static const u8 spaces[] = {[2] = SPACE_REG,   [3] = SPACE_SREG,  [4] = SPACE_CONST, [5] = SPACE_GLOBAL,
                                [6] = SPACE_LOCAL, [7] = SPACE_PARAM, [8] = SPACE_SHARED};
    const u64 class = die_number_or(die, DW_AT_address_class, 0);
    return class < LS_ARRAY_LEN(spaces) ? (enum ptx_space)spaces[class] : SPACE_NONE;
}

bool next_child(Dwarf_Die *parent, Dwarf_Die *child, bool *started)
{
    const int r = *started ? dwarf_siblingof(child, child) : dwarf_child(parent, child);
    *started = true;
    return r == 0;
}

/* ---- names ---- */

/* The name with those of the namespaces and types around it. */
const char *qualified_name(struct debug_info *info, Dwarf_Die *die)
{
    Dwarf_Die *scopes = NULL;
    Dwarf_Die definition = *die, declared;
    if (die_reference(die, DW_AT_specification, &declared))
        definition = declared;
    const char *s = die_name(die);
    const int n = s ? dwarf_getscopes_die(&definition, &scopes) : 0;
    for (int i = 1; i < n && i < NESTING; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_namespace && tag != DW_TAG_structure_type && tag != DW_TAG_class_type &&
            tag != DW_TAG_union_type)
            break;
        const char *outer = die_name(&scopes[i]);
        const char *unnamed = tag == DW_TAG_namespace    ? "(anonymous namespace)"
                              : tag == DW_TAG_class_type ? "(anonymous class)"
                              : tag == DW_TAG_union_type ? "(anonymous union)"
                                                         : "(anonymous struct)";
        s = arena_printf(&info->mem, "%s::%s", outer ? outer : unnamed, s);
    }
    free(scopes);
    return s;
}

/* ---- the walk ---- */

static void add_subprogram(struct debug_info *info, Dwarf_Die *die)
{
    Dwarf_Addr low;
    if (dwarf_lowpc(die, &low) != 0 || low >> 32 == 0 || low >> 32 > info->m->nfuncs)
        return;
    const u32 k = info->function_of[(low >> 32) - 1];
    if (!k || info->subprograms[k - 1].die)
        return;
    struct debug_function *f = &info->functions[k - 1];
    info->subprograms[k - 1].die = dwarf_dieoffset(die);
    const char *name = qualified_name(info, die);
    if (name)
        f->name = name;
    die_declared(info, die, &f->file, &f->line);
}

static void add_global(struct debug_info *info, Dwarf_Die *die)
{
    struct debug_variable v;
    if (!die_name(die) || die_flag(die, DW_AT_declaration))
        return;
    describe_variable(info, die, &v);
    v.kind = DEBUG_GLOBAL;
    v.name = qualified_name(info, die);
    const char *demangled = demangle_variable(&info->mem, v.name);
    if (demangled)
        v.name = demangled;
    vec_push(&info->mem, &info->globals, v);
}

static void walk(struct debug_info *info, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die die;
    for (bool started = false; next_child(parent, &die, &started);) {
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            add_subprogram(info, &die);
        else if (tag == DW_TAG_variable)
            add_global(info, &die);
        else if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && depth < NESTING)
            walk(info, &die, depth + 1);
    }
}

typedef void (*unit_fn)(struct debug_info *info, Dwarf_Die *unit);

static void each_unit(struct debug_info *info, unit_fn fn)
{
    Dwarf_Off at = 0, next;
    size_t header;
    Dwarf_Die unit;
    for (; info->dwarf && dwarf_nextcu(info->dwarf, at, &next, &header, NULL, NULL, NULL) == 0; at = next)
        if (dwarf_offdie(info->dwarf, at + header, &unit))
            fn(info, &unit);
}

static void walk_unit(struct debug_info *info, Dwarf_Die *unit) { walk(info, unit, 0); }

void walk_units(struct debug_info *info) { each_unit(info, walk_unit); }

/* ---- names of types ---- */

static bool is_type(int tag)
{
    return tag == DW_TAG_base_type || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef;
}

/* Of an enumeration; prefix is the scope around it, or itself if it has scope of its own. */
static void name_enumerators(struct debug_info *info, Dwarf_Die *type, const char *outer, const char *full)
{
    Dwarf_Die die;
    const bool own_scope = die_flag(type, DW_AT_enum_class);
    for (bool started = false; next_child(type, &die, &started);) {
        const char *name = die_name(&die), *prefix = own_scope ? full : outer;
        if (dwarf_tag(&die) != DW_TAG_enumerator || !name)
            continue;
        const struct enumerator e = {dwarf_dieoffset(&die), dwarf_dieoffset(type)};
        vec_push(&info->mem, &info->enumerator_dies, e);
        const u64 at = info->enumerator_dies.len - 1;
        names_add(&info->mem, &info->enumerators, prefix ? arena_printf(&info->mem, "%s::%s", prefix, name) : name, at);
        names_add(&info->mem, &info->enumerators, name, at);
    }
}

/* By the full name and by the last one, where the first of it stays. */
static void name_types(struct debug_info *info, Dwarf_Die *parent, const char *prefix, unsigned depth)
{
    Dwarf_Die die;
    for (bool started = false; next_child(parent, &die, &started);) {
        const int tag = dwarf_tag(&die);
        const char *name = die_name(&die), *full = prefix;
        if (name && (is_type(tag) || tag == DW_TAG_namespace))
            full = prefix ? arena_printf(&info->mem, "%s::%s", prefix, name) : name;
        if (name && is_type(tag) && !die_flag(&die, DW_AT_declaration)) {
            names_add(&info->mem, &info->type_names, full, dwarf_dieoffset(&die));
            names_add(&info->mem, &info->type_names, name, dwarf_dieoffset(&die));
        }
        if (tag == DW_TAG_enumeration_type)
            name_enumerators(info, &die, prefix, full);
        const bool scope = tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                           tag == DW_TAG_union_type || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
        if (scope && depth < NESTING)
            name_types(info, &die, full, depth + 1);
    }
}

static void name_unit(struct debug_info *info, Dwarf_Die *unit) { name_types(info, unit, NULL, 0); }

void walk_type_names(struct debug_info *info)
{
    if (!info->type_names_done)
        each_unit(info, name_unit);
    info->type_names_done = true;
}
