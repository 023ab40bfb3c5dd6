/* object.c - see object.h.
 *
 * One mapping holds all:
 *
 *     | 64 bytes | code sections | stubs: 16 bytes for each symbol |      constants      |
 *     |              pages that are read and executed               | pages that are read |
 *
 * It is written before it is executable, and never both. What a compiler makes position independent needs few relocations:
 * addresses, distances, and calls, which go through a stub where the callee is more than 2 GiB away. There is no global
 * offset table, no writable data and no unwinding.
 *
 * Bytes may come from a file that somebody has damaged: every offset is checked before it is followed, all structs are
 * copied out, since nothing says that they are aligned. Source: the System V ABI, and its AMD64 supplement, 4.4. */
#include "exec/tier/object.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"

/* HEAD: a caller that is checked by a sanitizer reads in front of a function. */
enum { PAGE = 4096, HEAD = 64, STUB = 16, LARGEST = 256 << 20 };

enum place { PLACE_NONE, PLACE_CODE, PLACE_CONST };

struct section {
    Elf64_Shdr h;
    enum place place;
    u64 at; /* in the mapping */
};

struct function {
    u64 at;
    u32 name; /* in object.names */
};

struct object {
    u8 *mapping;
    size_t size;
    struct function *functions;
    size_t nfunctions;
    char *names;
};

struct loader {
    const u8 *bytes;
    size_t len;
    const struct object_symbol *symbols;
    size_t nsymbols;
    struct section *sections;
    size_t nsections;
    const u8 *symtab; /* Elf64_Sym, unaligned */
    size_t nsyms;
    const char *strtab; /* the symbols' names; the last byte is a 0 */
    size_t strtab_len;
    u64 stubs, code_end; /* in the mapping */
    struct object *object;
    char *why;
    size_t n;
};

static enum ls_status malformed(struct loader *l, const char *what)
{
    snprintf(l->why, l->n, "the object file is damaged: %s", what);
    return LS_ERR_SYNTAX;
}

static enum ls_status unsupported(struct loader *l, const char *what, const char *name)
{
    snprintf(l->why, l->n, "the object file has %s %s, which is not loaded", what, name);
    return LS_ERR_UNSUPPORTED;
}

static bool inside(const struct loader *l, u64 at, u64 size) { return at <= l->len && size <= l->len - at; }

/* ---- the file's tables ---- */

static enum ls_status read_header(struct loader *l, Elf64_Ehdr *e)
{
    if (!inside(l, 0, sizeof *e))
        return malformed(l, "no header");
    memcpy(e, l->bytes, sizeof *e);
    if (memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        e->e_ident[EI_DATA] != ELFDATA2LSB || e->e_type != ET_REL || e->e_machine != EM_X86_64)
        return malformed(l, "not a relocatable file of x86-64");
    if (e->e_shentsize != sizeof(Elf64_Shdr) || !e->e_shnum ||
        !inside(l, e->e_shoff, (u64)e->e_shnum * sizeof(Elf64_Shdr)))
        return malformed(l, "the table of sections");
    return LS_OK;
}

/* A section that is a list of strings: NULL if it is not. */
static const char *strings(const struct loader *l, u32 index, size_t *len)
{
    if (index >= l->nsections)
        return NULL;
    const Elf64_Shdr *const h = &l->sections[index].h;
    if (h->sh_type != SHT_STRTAB || !h->sh_size || l->bytes[h->sh_offset + h->sh_size - 1] != 0)
        return NULL;
    *len = h->sh_size;
    return (const char *)l->bytes + h->sh_offset;
}

static enum ls_status read_sections(struct loader *l, const Elf64_Ehdr *e)
{
    l->nsections = e->e_shnum;
    l->sections = ls_calloc(l->nsections, sizeof *l->sections);
    if (!l->sections)
        return LS_ERR_NOMEM;
    for (size_t i = 0; i < l->nsections; i++) {
        Elf64_Shdr *const h = &l->sections[i].h;
        memcpy(h, l->bytes + e->e_shoff + i * sizeof *h, sizeof *h);
        if (h->sh_type != SHT_NOBITS && h->sh_type != SHT_NULL && !inside(l, h->sh_offset, h->sh_size))
            return malformed(l, "a section ends outside the file");
    }
    return LS_OK;
}

static enum ls_status read_symbols(struct loader *l)
{
    for (size_t i = 0; i < l->nsections; i++) {
        const Elf64_Shdr *const h = &l->sections[i].h;
        if (h->sh_type != SHT_SYMTAB)
            continue;
        l->symtab = l->bytes + h->sh_offset;
        l->nsyms = h->sh_size / sizeof(Elf64_Sym);
        l->strtab = strings(l, h->sh_link, &l->strtab_len);
        return l->strtab ? LS_OK : malformed(l, "the symbols have no names");
    }
    return malformed(l, "no symbols");
}

static Elf64_Sym symbol(const struct loader *l, size_t i)
{
    Elf64_Sym s;
    memcpy(&s, l->symtab + i * sizeof s, sizeof s);
    return s;
}

static const char *symbol_name(const struct loader *l, const Elf64_Sym *s)
{
    return s->st_name < l->strtab_len ? l->strtab + s->st_name : "";
}

/* ---- layout ---- */

static bool starts_with(const char *s, const char *start) { return strncmp(s, start, strlen(start)) == 0; }

static enum ls_status place_section(struct loader *l, struct section *s, const char *name)
{
    const Elf64_Shdr *const h = &s->h;
    if (!(h->sh_flags & SHF_ALLOC) || !h->sh_size || h->sh_type == SHT_NOTE || h->sh_type == SHT_X86_64_UNWIND ||
        strcmp(name, ".eh_frame") == 0)
        return LS_OK;
    if (h->sh_type != SHT_PROGBITS || (h->sh_flags & SHF_TLS) ||
        ((h->sh_flags & SHF_WRITE) && !starts_with(name, ".data.rel.ro")))
        return unsupported(l, "a section", name);
    if (h->sh_addralign > PAGE || (h->sh_addralign & (h->sh_addralign - 1)))
        return malformed(l, "the alignment of a section");
    s->place = h->sh_flags & SHF_EXECINSTR ? PLACE_CODE : PLACE_CONST;
    return LS_OK;
}

static enum ls_status place_sections(struct loader *l, u32 names_index)
{
    size_t len = 0;
    const char *const names = strings(l, names_index, &len);
    if (!names)
        return malformed(l, "the sections have no names");
    for (size_t i = 0; i < l->nsections; i++) {
        struct section *const s = &l->sections[i];
        const enum ls_status r = place_section(l, s, s->h.sh_name < len ? names + s->h.sh_name : "");
        if (r)
            return r;
    }
    return LS_OK;
}

static u64 lay_out_all(struct loader *l, enum place place, u64 at)
{
    for (size_t i = 0; i < l->nsections; i++) {
        struct section *const s = &l->sections[i];
        if (s->place != place)
            continue;
        s->at = ls_align_up(at, s->h.sh_addralign ? s->h.sh_addralign : 1);
        at = s->at + s->h.sh_size;
    }
    return at;
}

static enum ls_status map(struct loader *l)
{
    struct object *const o = l->object;
    l->stubs = ls_align_up(lay_out_all(l, PLACE_CODE, HEAD), STUB);
    l->code_end = ls_align_up(l->stubs + l->nsyms * STUB, PAGE);
    const u64 size = ls_align_up(lay_out_all(l, PLACE_CONST, l->code_end), PAGE);
    if (!l->stubs ||
        size > LARGEST) /* sections may overlap in a damaged file, so the sum is not bounded by its length */
        return malformed(l, l->stubs == HEAD ? "there is no code in it" : "it is too large");
    void *const p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        snprintf(l->why, l->n, "no memory for compiled code: %s", strerror(errno));
        return LS_ERR_NOMEM;
    }
    o->mapping = p;
    o->size = size;
    for (size_t i = 0; i < l->nsections; i++) {
        const struct section *const s = &l->sections[i];
        if (s->place)
            memcpy(o->mapping + s->at, l->bytes + s->h.sh_offset, s->h.sh_size);
    }
    return LS_OK;
}

/* ---- relocation ---- */

struct target {
    u64 address;
    bool outside; /* of the mapping: a call may need the stub */
};

static enum ls_status look_up(struct loader *l, const char *name, u64 *address)
{
    for (size_t i = 0; i < l->nsymbols; i++)
        if (strcmp(l->symbols[i].name, name) == 0) {
            *address = (u64)(uintptr_t)l->symbols[i].address;
            return LS_OK;
        }
    snprintf(l->why, l->n, "the compiled code wants `%s`, which nothing provides", name);
    return LS_ERR_NOT_FOUND;
}

static enum ls_status resolve(struct loader *l, u64 index, struct target *t)
{
    if (index >= l->nsyms)
        return malformed(l, "a relocation for no symbol");
    const Elf64_Sym s = symbol(l, index);
    t->outside = s.st_shndx == SHN_UNDEF;
    if (t->outside)
        return look_up(l, symbol_name(l, &s), &t->address);
    if (s.st_shndx >= l->nsections)
        return unsupported(l, "a symbol", symbol_name(l, &s));
    const struct section *const in = &l->sections[s.st_shndx];
    if (!in->place || s.st_value > in->h.sh_size)
        return malformed(l, "a symbol in no section that is loaded");
    t->address = (u64)(uintptr_t)l->object->mapping + in->at + s.st_value;
    return LS_OK;
}

/* jmp *0(%rip), and the address behind it. */
static u64 stub(struct loader *l, u64 index, u64 address)
{
    static const u8 jump[] = {0xff, 0x25, 0, 0, 0, 0};
    u8 *const at = l->object->mapping + l->stubs + index * STUB;
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &address, sizeof address);
    return (u64)(uintptr_t)at;
}

static bool put_distance(u8 *at, u64 address, i64 addend)
{
    const i64 d = (i64)(address + (u64)addend - (u64)(uintptr_t)at);
    const i32 narrow = (i32)d;
    memcpy(at, &narrow, sizeof narrow);
    return narrow == d;
}

static enum ls_status relocate(struct loader *l, const struct section *in, const Elf64_Rela *r)
{
    const u64 type = ELF64_R_TYPE(r->r_info), index = ELF64_R_SYM(r->r_info);
    const u64 width = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
    struct target t = {0};
    char number[32];
    if (type == R_X86_64_NONE)
        return LS_OK;
    if (r->r_offset > in->h.sh_size || width > in->h.sh_size - r->r_offset)
        return malformed(l, "a relocation outside its section");
    const enum ls_status s = resolve(l, index, &t);
    if (s)
        return s;
    u8 *const at = l->object->mapping + in->at + r->r_offset;
    const u64 wide = t.address + (u64)r->r_addend - (type == R_X86_64_PC64 ? (u64)(uintptr_t)at : 0);
    switch (type) {
    case R_X86_64_64:
    case R_X86_64_PC64:
        memcpy(at, &wide, sizeof wide);
        return LS_OK;
    case R_X86_64_PLT32:
        if (put_distance(at, t.address, r->r_addend) ||
            (t.outside && put_distance(at, stub(l, index, t.address), r->r_addend)))
            return LS_OK;
        return malformed(l, "a call that goes too far");
    case R_X86_64_PC32:
        return put_distance(at, t.address, r->r_addend) ? LS_OK : malformed(l, "a distance of more than 2 GiB");
    default:
        snprintf(number, sizeof number, "%llu", (unsigned long long)type);
        return unsupported(l, "a relocation of type", number);
    }
}

static enum ls_status relocate_section(struct loader *l, const Elf64_Shdr *h)
{
    if (h->sh_info >= l->nsections)
        return malformed(l, "relocations for no section");
    const struct section *const in = &l->sections[h->sh_info];
    if (!in->place)
        return LS_OK;
    if (h->sh_type == SHT_REL)
        return unsupported(l, "relocations of type", "REL");
    for (u64 i = 0; i < h->sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela r;
        memcpy(&r, l->bytes + h->sh_offset + i * sizeof r, sizeof r);
        const enum ls_status s = relocate(l, in, &r);
        if (s)
            return s;
    }
    return LS_OK;
}

static enum ls_status relocate_all(struct loader *l)
{
    for (size_t i = 0; i < l->nsections; i++) {
        const Elf64_Shdr *const h = &l->sections[i].h;
        const enum ls_status s = h->sh_type == SHT_RELA || h->sh_type == SHT_REL ? relocate_section(l, h) : LS_OK;
        if (s)
            return s;
    }
    return LS_OK;
}

/* ---- what is left when all is loaded ---- */

static bool is_function(const struct loader *l, const Elf64_Sym *s)
{
    return ELF64_ST_TYPE(s->st_info) == STT_FUNC && ELF64_ST_BIND(s->st_info) == STB_GLOBAL &&
           s->st_shndx < l->nsections && l->sections[s->st_shndx].place == PLACE_CODE &&
           s->st_value < l->sections[s->st_shndx].h.sh_size && s->st_name < l->strtab_len;
}

static enum ls_status keep_functions(struct loader *l)
{
    struct object *const o = l->object;
    for (size_t i = 0; i < l->nsyms; i++) {
        const Elf64_Sym s = symbol(l, i);
        o->nfunctions += is_function(l, &s);
    }
    o->functions = ls_calloc(o->nfunctions + 1, sizeof *o->functions);
    o->names = ls_realloc(NULL, l->strtab_len);
    if (!o->functions || !o->names)
        return LS_ERR_NOMEM;
    memcpy(o->names, l->strtab, l->strtab_len);
    struct function *f = o->functions;
    for (size_t i = 0; i < l->nsyms; i++) {
        const Elf64_Sym s = symbol(l, i);
        if (is_function(l, &s))
            *f++ = (struct function){l->sections[s.st_shndx].at + s.st_value, s.st_name};
    }
    return LS_OK;
}

static enum ls_status protect(struct loader *l)
{
    const struct object *const o = l->object;
    if (mprotect(o->mapping, l->code_end, PROT_READ | PROT_EXEC) == 0 &&
        (o->size == l->code_end || mprotect(o->mapping + l->code_end, o->size - l->code_end, PROT_READ) == 0))
        return LS_OK;
    snprintf(l->why, l->n, "compiled code cannot be made executable: %s", strerror(errno));
    return LS_ERR_IO;
}

static enum ls_status load(struct loader *l)
{
    Elf64_Ehdr e;
    enum ls_status s = read_header(l, &e);
    if (s == LS_OK)
        s = read_sections(l, &e);
    if (s == LS_OK)
        s = read_symbols(l);
    if (s == LS_OK)
        s = place_sections(l, e.e_shstrndx);
    if (s == LS_OK)
        s = map(l);
    if (s == LS_OK)
        s = relocate_all(l);
    if (s == LS_OK)
        s = keep_functions(l);
    return s == LS_OK ? protect(l) : s;
}

enum ls_status object_load(const u8 *bytes, size_t len, const struct object_symbol *symbols, size_t nsymbols,
                           struct object **out, char *why, size_t n)
{
    struct loader l = {
        .bytes = bytes,
        .len = len,
        .symbols = symbols,
        .nsymbols = nsymbols,
        .why = why,
        .n = n,
    };
    snprintf(why, n, "%s", ls_status_text(LS_ERR_NOMEM));
    l.object = ls_calloc(1, sizeof *l.object);
    const enum ls_status s = l.object ? load(&l) : LS_ERR_NOMEM;
    ls_free(l.sections);
    if (s) {
        object_free(l.object);
        l.object = NULL;
    }
    *out = l.object;
    return s;
}

void *object_function(const struct object *o, const char *name)
{
    for (size_t i = 0; i < o->nfunctions; i++)
        if (strcmp(o->names + o->functions[i].name, name) == 0)
            return o->mapping + o->functions[i].at;
    return NULL;
}

size_t object_size(const struct object *o) { return o->size; }

void object_free(struct object *o)
{
    if (!o)
        return;
    if (o->mapping)
        munmap(o->mapping, o->size);
    ls_free(o->functions);
    ls_free(o->names);
    ls_free(o);
}
