/* symbols.c - see symbols.h. A file is opened once, at its first address; libelf and libdw (elfutils) read it. */
#include "cli/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

/* What was found before: many findings come from few call sites, and a symbol table is searched from end to end. */
struct known {
    struct known *next;
    u64 offset;
    u32 n;
    struct symbol symbols[SYMBOLS_INLINED];
};

struct module {
    struct module *next;
    struct known *known; /* in the callers' memory */
    char *path;
    int fd;
    Elf *elf; /* NULL: it cannot be read */
    Dwarf *dwarf;
    u64 base; /* the link address of what is loaded first */
};

struct symbols {
    struct module *modules;
};

struct symbols *symbols_open(void)
{
    elf_version(EV_CURRENT);
    return ls_calloc(1, sizeof(struct symbols));
}

static void close_module(struct module *m)
{
    if (m->dwarf)
        dwarf_end(m->dwarf);
    if (m->elf)
        elf_end(m->elf);
    if (m->fd >= 0)
        close(m->fd);
    ls_free(m->path);
    ls_free(m);
}

void symbols_close(struct symbols *s)
{
    for (struct module *m = s ? s->modules : NULL, *next; m; m = next) {
        next = m->next;
        close_module(m);
    }
    ls_free(s);
}

/* ---- files ---- */

static u64 load_base(Elf *elf)
{
    size_t n = 0;
    GElf_Phdr p;
    elf_getphdrnum(elf, &n);
    for (size_t k = 0; k < n; k++)
        if (gelf_getphdr(elf, (int)k, &p) && p.p_type == PT_LOAD)
            return p.p_vaddr & ~(u64)0xfff; /* the first is the lowest, and is mapped by pages */
    return 0;
}

static void read_module(struct module *m)
{
    m->fd = open(m->path, O_RDONLY | O_CLOEXEC);
    m->elf = m->fd >= 0 ? elf_begin(m->fd, ELF_C_READ_MMAP, NULL) : NULL;
    if (m->elf && elf_kind(m->elf) != ELF_K_ELF) {
        elf_end(m->elf);
        m->elf = NULL;
    }
    if (!m->elf)
        return;
    m->base = load_base(m->elf);
    m->dwarf = dwarf_begin_elf(m->elf, DWARF_C_READ, NULL);
}

static struct module *module_of(struct symbols *s, const char *path)
{
    for (struct module *m = s->modules; m; m = m->next)
        if (!strcmp(m->path, path))
            return m;
    struct module *m = ls_calloc(1, sizeof *m);
    char *copy = ls_realloc(NULL, strlen(path) + 1);
    if (!m || !copy) {
        ls_free(m);
        ls_free(copy);
        return NULL;
    }
    m->path = strcpy(copy, path);
    m->fd = -1;
    read_module(m);
    m->next = s->modules;
    return s->modules = m;
}

/* ---- functions ---- */

static Elf_Scn *table_of(Elf *elf, u32 type, GElf_Shdr *header)
{
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));)
        if (gelf_getshdr(s, header) && header->sh_type == type)
            return s;
    return NULL;
}

static bool is_inside(const GElf_Sym *y, u64 address)
{
    const unsigned type = GELF_ST_TYPE(y->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && y->st_shndx != SHN_UNDEF && address >= y->st_value &&
           address - y->st_value < y->st_size;
}

static const char *function_in(Elf *elf, u32 type, u64 address)
{
    GElf_Shdr header;
    GElf_Sym y;
    Elf_Scn *scn = table_of(elf, type, &header);
    Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
    const u64 n = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
    for (u64 k = 0; k < n; k++)
        if (gelf_getsym(data, (int)k, &y) && is_inside(&y, address))
            return elf_strptr(elf, header.sh_link, y.st_name);
    return NULL;
}

static const char *function_at(Elf *elf, u64 address)
{
    const char *name = function_in(elf, SHT_SYMTAB, address);
    return name ? name : function_in(elf, SHT_DYNSYM, address);
}

/* ---- lines ---- */

/* The table of address ranges is quick, but clang writes none. */
static bool unit_of(Dwarf *dwarf, u64 address, Dwarf_Die *unit)
{
    Dwarf_CU *cu = NULL;
    if (dwarf_addrdie(dwarf, address, unit))
        return true;
    while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, unit, NULL) == 0)
        if (dwarf_haspc(unit, address) > 0)
            return true;
    return false;
}

static const char *copy(struct arena *mem, const char *text)
{
    return text ? arena_strndup(mem, text, strlen(text)) : NULL;
}

static void line_at(Dwarf_Die *unit, struct arena *mem, u64 address, struct symbol *out)
{
    Dwarf_Line *l = dwarf_getsrc_die(unit, address);
    const char *file = l ? dwarf_linesrc(l, NULL, NULL) : NULL;
    int line = 0;
    if (!file || dwarf_lineno(l, &line) || line <= 0)
        return;
    out->file = copy(mem, file);
    out->line = (u32)line;
}

/* ---- inlined functions ---- */

/* Mangled, as symbol tables have it, where the compiler says so. */
static const char *name_of(Dwarf_Die *function)
{
    Dwarf_Attribute a;
    const char *linkage = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &a));
    return linkage ? linkage : dwarf_diename(function);
}

static u64 number_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    Dwarf_Word n = 0;
    return dwarf_formudata(dwarf_attr(die, attribute, &a), &n) ? 0 : n;
}

/* Where an inlined function was called from. */
static void call_of(Dwarf_Die *unit, Dwarf_Die *inlined, struct arena *mem, struct symbol *out)
{
    Dwarf_Files *files;
    size_t n;
    const u64 file = number_of(inlined, DW_AT_call_file);
    *out = (struct symbol){.line = (u32)number_of(inlined, DW_AT_call_line)};
    if (dwarf_getsrcfiles(unit, &files, &n) == 0 && file < n)
        out->file = copy(mem, dwarf_filesrc(files, file, NULL, NULL));
}

/* out[0] has the line already; from it outwards, each inlined function and the line that it was called from. */
static u32 unfold(Dwarf_Die *unit, Dwarf_Die *scopes, int nscopes, struct arena *mem,
                  struct symbol out[SYMBOLS_INLINED])
{
    u32 n = 0;
    for (int k = 0; k < nscopes && n + 1 < SYMBOLS_INLINED; k++)
        if (dwarf_tag(&scopes[k]) == DW_TAG_inlined_subroutine) {
            out[n].function = copy(mem, name_of(&scopes[k]));
            call_of(unit, &scopes[k], mem, &out[++n]);
        }
    return n;
}

/* dwarf_getscopes follows an inlined function to where it was defined; what physically encloses it is asked for anew.
 * The number of inlined functions; the one that they were inlined into is out[that]. */
static u32 inlined_at(Dwarf_Die *unit, u64 address, struct arena *mem, struct symbol out[SYMBOLS_INLINED])
{
    Dwarf_Die *inner = NULL, *scopes = NULL;
    const int ninner = dwarf_getscopes(unit, address, &inner);
    const int n = ninner > 0 ? dwarf_getscopes_die(&inner[0], &scopes) : 0;
    const u32 inlined = n > 0 ? unfold(unit, scopes, n, mem, out) : 0;
    free(inner); /* libdw's own */
    free(scopes);
    return inlined;
}

/* ---- both ---- */

static u32 look_up(const struct module *m, struct arena *mem, u64 offset, struct symbol out[SYMBOLS_INLINED])
{
    const u64 address = m->base + offset - 1; /* a return address belongs to the instruction before it */
    u32 n = 0;
    Dwarf_Die unit;
    out[0] = (struct symbol){0};
    if (m->dwarf && unit_of(m->dwarf, address, &unit)) {
        line_at(&unit, mem, address, &out[0]);
        n = inlined_at(&unit, address, mem, out);
    }
    out[n].function = copy(mem, function_at(m->elf, address));
    return n || out[0].function || out[0].file ? n + 1 : 0;
}

u32 symbols_find(struct symbols *s, struct arena *mem, const char *module, u64 offset,
                 struct symbol out[SYMBOLS_INLINED])
{
    struct module *m = module_of(s, module);
    if (!m || !m->elf || !offset)
        return 0;
    struct known *k = m->known;
    while (k && k->offset != offset)
        k = k->next;
    if (!k) {
        k = arena_new(mem, struct known);
        k->offset = offset;
        k->n = look_up(m, mem, offset, k->symbols);
        k->next = m->known;
        m->known = k;
    }
    memcpy(out, k->symbols, sizeof k->symbols);
    return k->n;
}
