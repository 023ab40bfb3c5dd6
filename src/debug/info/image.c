/* image.c - the debug sections of a module as an ELF file in memory, which libdw reads.
 *
 * A PTX file is not linked, so addresses are made up (internal.h): they only have to be different for different things
 * and to keep the order of a function's instructions, on which the ranges of scopes and locations depend. */
#include <elf.h>

#include "debug/info/internal.h"
#include "ptx/section.h"

/* ---- names ---- */

u64 names_hash(const char *name)
{
    u64 h = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *name; name++)
        h = (h ^ (u8)*name) * 0x100000001b3u;
    return h ^ h >> 29;
}

static struct named *slot(const struct names *t, const char *name)
{
    for (u64 i = names_hash(name);; i++) {
        struct named *n = &t->at[i & (t->cap - 1)];
        if (!n->name || strcmp(n->name, name) == 0)
            return n;
    }
}

void names_add(struct arena *mem, struct names *t, const char *name, u64 address)
{
    if (t->len * 2 >= t->cap) {
        const struct names old = *t;
        t->cap = old.cap ? old.cap * 2 : 64;
        t->at = arena_array(mem, struct named, t->cap);
        for (u32 i = 0; i < old.cap; i++)
            if (old.at[i].name)
                *slot(t, old.at[i].name) = old.at[i];
    }
    struct named *n = slot(t, name);
    if (n->name)
        return;
    *n = (struct named){name, address};
    t->len++;
}

bool names_find(const struct names *t, const char *name, u64 *address)
{
    const struct named *n = t->cap ? slot(t, name) : NULL;
    if (!n || !n->name)
        return false;
    *address = n->address;
    return true;
}

/* ---- addresses ---- */

static u64 code_address(u32 function, u32 inst) { return (u64)(function + 1) << 32 | inst; }

u32 function_index(const struct debug_info *info, const struct ptx_func *f)
{
    const struct ptx_func *body = f->alias ? f->alias : f;
    for (u32 i = 0; i < info->m->nfuncs; i++)
        if (info->m->funcs[i] == body)
            return i;
    return UINT32_MAX;
}

u64 place_address(const struct debug_info *info, struct debug_place at)
{
    return code_address(function_index(info, at.func), at.inst);
}

static void add_variable(struct debug_info *info, const struct ptx_var *v)
{
    const u64 symbol = info->vars.len;
    vec_push(&info->mem, &info->vars, v);
    names_add(&info->mem, &info->symbols, v->name, SYMBOL_BIT | symbol << 40 | SYMBOL_BIAS);
}

static void add_function(struct debug_info *info, u32 index)
{
    const struct ptx_func *f = info->m->funcs[index];
    if (f->alias)
        return;
    if (f->defined)
        names_add(&info->mem, &info->symbols, f->name, code_address(index, 0));
    for (u32 i = 0; i < f->nlabels; i++)
        names_add(&info->mem, &info->symbols, f->labels[i]->name, code_address(index, f->labels[i]->at));
    for (u32 i = 0; f->defined && i < f->nparams; i++)
        add_variable(info, f->params[i]);
    for (u32 i = 0; i < f->nlocals; i++)
        add_variable(info, f->locals[i]);
}

static void add_names(struct debug_info *info)
{
    const struct ptx_module *m = info->m;
    for (u32 i = 0; i < m->nvars; i++)
        add_variable(info, m->vars[i]);
    for (u32 i = 0; i < m->nfuncs; i++)
        add_function(info, i);
    for (u32 i = 0; i < m->nouter_labels; i++) {
        const struct ptx_func *f = m->outer_labels[i].after;
        if (f)
            names_add(&info->mem, &info->symbols, m->outer_labels[i].name,
                      code_address(function_index(info, f), f->ninsts));
    }
}

const struct ptx_var *address_variable(const struct debug_info *info, u64 address, i64 *offset)
{
    const u64 symbol = (address & ~SYMBOL_BIT) >> 40;
    if (!(address & SYMBOL_BIT) || symbol >= info->vars.len)
        return NULL;
    *offset = (i64)(address & (((u64)1 << 40) - 1)) - (i64)SYMBOL_BIAS;
    return info->vars.at[symbol];
}

/* ---- sections ---- */

static void warn(struct debug_info *info, const char *text, const char *what)
{
    diag_add(info->diags, DIAG_WARNING, (struct diag_place){.file = info->m->file}, "%s%s", text, what);
}

/* Where a name is: the place in its section, or an address. False: nothing bears it. */
static bool resolve(const struct debug_info *info, const struct names *in_sections, const char *name, u64 *at)
{
    *at = 0;
    return name[0] == '.' || names_find(in_sections, name, at) || names_find(&info->symbols, name, at);
}

static u64 fixup_value(const struct debug_info *info, const struct names *in_sections, const struct ptx_fixup *f)
{
    u64 v, minus = 0;
    if (!resolve(info, in_sections, f->name, &v) || (f->minus && !resolve(info, in_sections, f->minus, &minus)))
        return 0;
    return v - minus + (u64)f->addend;
}

static void fill_in(const struct debug_info *info, const struct names *in_sections, struct ptx_section_data *d)
{
    for (u32 i = 0; i < d->nfixups; i++) {
        const u64 v = fixup_value(info, in_sections, &d->fixups[i]);
        for (unsigned k = 0; k < d->fixups[i].bytes; k++)
            d->bytes[d->fixups[i].at + k] = (u8)(v >> (8 * k));
    }
}

struct builder {
    struct arena *mem;
    VEC(u8) image;
    VEC(Elf64_Shdr) headers;
    VEC(char) names;
};

static void append(struct builder *b, const void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        vec_push(b->mem, &b->image, ((const u8 *)bytes)[i]);
}

static void add_section(struct builder *b, const char *name, u32 type, const void *bytes, size_t len)
{
    while (b->image.len % 8)
        vec_push(b->mem, &b->image, 0);
    const Elf64_Shdr h = {
        .sh_name = b->names.len, .sh_type = type, .sh_offset = b->image.len, .sh_size = len, .sh_addralign = 1};
    vec_push(b->mem, &b->headers, h);
    for (const char *s = name;; s++) {
        vec_push(b->mem, &b->names, *s);
        if (!*s)
            break;
    }
    append(b, bytes, len);
}

static const char names_section[] = ".shstrtab";

static void finish(struct builder *b)
{
    const u32 before = b->names.len;
    for (size_t i = 0; i < sizeof names_section; i++)
        vec_push(b->mem, &b->names, names_section[i]);
    const Elf64_Shdr h = {.sh_name = before,
                          .sh_type = SHT_STRTAB,
                          .sh_offset = b->image.len,
                          .sh_size = b->names.len,
                          .sh_addralign = 1};
    append(b, b->names.at, b->names.len);
    vec_push(b->mem, &b->headers, h);
    while (b->image.len % 8)
        vec_push(b->mem, &b->image, 0);
    const u64 table = b->image.len;
    append(b, b->headers.at, b->headers.len * sizeof(Elf64_Shdr));
    const Elf64_Ehdr e = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                          .e_type = ET_EXEC,
                          .e_machine = EM_CUDA,
                          .e_version = EV_CURRENT,
                          .e_shoff = table,
                          .e_ehsize = sizeof(Elf64_Ehdr),
                          .e_shentsize = sizeof(Elf64_Shdr),
                          .e_shnum = (u16)b->headers.len,
                          .e_shstrndx = (u16)(b->headers.len - 1)};
    memcpy(b->image.at, &e, sizeof e);
}

static bool is_debug(const char *name) { return strncmp(name, ".debug_", 7) == 0; }

enum { SECTIONS = 64 }; /* compilers write some ten */

/* The image, or nothing when there is no .debug_info that can be read. */
static void build(struct debug_info *info, struct builder *b)
{
    const struct ptx_module *m = info->m;
    struct ptx_section_data *data = arena_array(&info->mem, struct ptx_section_data, m->nsections);
    struct names labels = {0};
    const u32 n = m->nsections < SECTIONS ? m->nsections : SECTIONS;
    bool units = false;
    for (u32 i = 0; i < n; i++) {
        if (!is_debug(m->sections[i].name))
            continue;
        if (ptx_read_section(m, &m->sections[i], &info->mem, &data[i], info->diags) != LS_OK) {
            warn(info, "without variables: cannot read ", m->sections[i].name);
            return;
        }
        for (u32 k = 0; k < data[i].nlabels; k++)
            names_add(&info->mem, &labels, data[i].labels[k].name, data[i].labels[k].at);
        units |= strcmp(m->sections[i].name, ".debug_info") == 0 && data[i].len;
    }
    if (!units)
        return;
    append(b, &(Elf64_Ehdr){0}, sizeof(Elf64_Ehdr));
    add_section(b, "", SHT_NULL, NULL, 0);
    b->headers.at[0] = (Elf64_Shdr){0};
    for (u32 i = 0; i < n; i++) {
        if (!is_debug(m->sections[i].name) || !data[i].len)
            continue;
        fill_in(info, &labels, &data[i]);
        add_section(b, m->sections[i].name, SHT_PROGBITS, data[i].bytes, data[i].len);
    }
    finish(b);
}

bool sections_open(struct debug_info *info)
{
    struct builder b = {.mem = &info->mem};
    add_names(info);
    build(info, &b);
    if (b.headers.len == 0)
        return false;
    elf_version(EV_CURRENT);
    info->elf = elf_memory((char *)b.image.at, b.image.len);
    info->dwarf = info->elf ? dwarf_begin_elf(info->elf, DWARF_C_READ, NULL) : NULL;
    if (!info->dwarf)
        warn(info, "without variables: ", info->elf ? dwarf_errmsg(-1) : elf_errmsg(-1));
    return info->dwarf != NULL;
}

void sections_close(struct debug_info *info)
{
    if (info->dwarf)
        dwarf_end(info->dwarf);
    if (info->elf)
        elf_end(info->elf);
    info->dwarf = NULL;
    info->elf = NULL;
}

bool die_at(const struct debug_info *info, u64 offset, Dwarf_Die *die)
{
    return info->dwarf && dwarf_offdie(info->dwarf, offset, die) != NULL;
}
