/* sass.c - a cubin to instructions: ELF by libelf, the line table by sass_lines.c, and of each 128-bit instruction
 * (compute capability 7.0 on) the kind (sass_ops.def), guard, width and branch distance.
 *
 * NVIDIA documents no encoding. The fields were found with ptxas 13.0 by probe programs for sm_75 to sm_120 and
 * compared with a disassembler; tests/unit/meter/test_sass.c asks the installed ptxas again. */
#include "meter/sass/sass.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "base/vec.h"

/* ---- instructions ---- */

u8 sass_width(u64 high)
{
    static const u8 widths[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    return widths[high >> 9 & 7];
}

static bool is_sized(u8 op) { return op >= SASS_LDG && op <= SASS_ST; }

/* CALL.REL of an address that is in the instruction itself. */
static bool is_near_call(u64 low) { return (low & 0xfff) == 0x944; }

/* WARPSYNC that brings together a warp which came apart. */
static bool is_collective(const struct sass_row *row, u64 high)
{
    enum { WARPSYNC = 0x148 };
    return row->code == WARPSYNC && high >> 22 & 1;
}

/* The distance of a branch from the instruction behind it, in instructions: bits 16 to 23 and from bit 34 on, in words. */
static i64 distance_of(u64 low)
{
    const i64 words = ((i64)low >> 34) * 256 + (i64)(low >> 16 & 255);
    return words * 4 / SASS_BYTES;
}

/* BRA.DIV and BRA.U: a uniform register says whether. */
static bool is_uniform_branch(u64 low, u64 high)
{
    enum { BRA = 0x147 };
    return (low & 0x1ff) == BRA && high >> 27 & 1;
}

static struct sass_inst decode(const u8 *at, u32 index, u32 n)
{
    enum { ALWAYS = 7 };
    u64 low, high;
    memcpy(&low, at, 8);
    memcpy(&high, at + 8, 8);
    const bool guarded = (low >> 12 & 15) != ALWAYS || is_uniform_branch(low, high);
    struct sass_inst i = {.low = low, .high = high, .target = -1, .guarded = guarded};
    const struct sass_row *row = sass_row_of(low, UINT32_MAX);
    if (row) {
        i.op = is_collective(row, high) ? SASS_COLLECT : row->kind;
        i.bytes = is_sized(i.op) ? sass_width(high) : 0;
    }
    if (i.op == SASS_BRA || is_near_call(low)) {
        const i64 target = (i64)index + 1 + distance_of(low);
        i.target = target >= 0 && target < (i64)n ? (i32)target : -1;
        if (i.op == SASS_BRA && target == (i64)index)
            i.op = SASS_NOP;
    }
    return i;
}

/* ---- the file ---- */

struct cubin {
    struct arena *mem;
    VEC(struct sass_func) funcs;
    VEC(u32) func_of_section; /* 1 + the function; 0: the section has no code */
    VEC(struct sass_origin) origins;
    const Elf_Data *lines;
};

static const char *copy_name(struct arena *mem, const char *name) { return arena_strndup(mem, name, strlen(name)); }

static void add_code(struct cubin *c, u32 section, const char *name, const Elf_Data *code)
{
    struct sass_func f = {.name = copy_name(c->mem, name), .n = (u32)(code->d_size / SASS_BYTES)};
    f.insts = arena_array(c->mem, struct sass_inst, f.n + 1);
    for (u32 i = 0; i < f.n; i++)
        f.insts[i] = decode((const u8 *)code->d_buf + (size_t)i * SASS_BYTES, i, f.n);
    vec_push(c->mem, &c->funcs, f);
    while (c->func_of_section.len <= section)
        vec_push(c->mem, &c->func_of_section, 0u);
    c->func_of_section.at[section] = c->funcs.len;
}

/* The relocations of the line table: whose address each sequence begins with. */
static void add_origins(struct cubin *c, Elf *elf, const GElf_Shdr *h, Elf_Data *data)
{
    Elf_Data *symbols = elf_getdata(elf_getscn(elf, h->sh_link), NULL);
    GElf_Rela rela;
    GElf_Rel rel;
    GElf_Sym sym;
    for (int i = 0; data && symbols; i++) {
        if (h->sh_type == SHT_RELA ? !gelf_getrela(data, i, &rela) : !gelf_getrel(data, i, &rel))
            break;
        const u64 info = h->sh_type == SHT_RELA ? rela.r_info : rel.r_info;
        const u64 at = h->sh_type == SHT_RELA ? rela.r_offset : rel.r_offset;
        if (gelf_getsym(symbols, (int)GELF_R_SYM(info), &sym))
            vec_push(c->mem, &c->origins, ((struct sass_origin){.at = at, .section = sym.st_shndx}));
    }
}

static void read_section(struct cubin *c, Elf *elf, Elf_Scn *s, size_t names)
{
    static const char text[] = ".text.", table[] = ".nv_debug_line_sass";
    GElf_Shdr h;
    if (!gelf_getshdr(s, &h) || h.sh_type == SHT_NOBITS)
        return;
    const char *name = elf_strptr(elf, names, h.sh_name);
    Elf_Data *data = name ? elf_getdata(s, NULL) : NULL;
    if (!data || !data->d_buf)
        return;
    if (strncmp(name, text, sizeof text - 1) == 0)
        add_code(c, (u32)elf_ndxscn(s), name + sizeof text - 1, data);
    else if (strcmp(name, table) == 0)
        c->lines = data;
    else if ((h.sh_type == SHT_REL || h.sh_type == SHT_RELA) && strstr(name, table))
        add_origins(c, elf, &h, data);
}

/* A row holds until the next one's address; the gaps are filled afterwards. */
static void take_row(void *ctx, u32 section, u64 address, u32 line)
{
    struct cubin *c = ctx;
    const u32 func = section < c->func_of_section.len ? c->func_of_section.at[section] : 0;
    if (func && address / SASS_BYTES < c->funcs.at[func - 1].n)
        c->funcs.at[func - 1].insts[address / SASS_BYTES].line = line;
}

static void fill_gaps(struct sass_func *f)
{
    for (u32 i = 1; i < f->n; i++)
        if (!f->insts[i].line)
            f->insts[i].line = f->insts[i - 1].line;
}

struct sass *sass_read(struct arena *mem, const void *cubin, size_t size)
{
    struct cubin c = {.mem = mem};
    size_t names;
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory((char *)(uintptr_t)cubin, size);
    if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64 && elf_getshdrstrndx(elf, &names) == 0)
        for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s))
            read_section(&c, elf, s, names);
    const bool ok = c.lines && c.funcs.len &&
                    sass_lines(c.lines->d_buf, c.lines->d_size, c.origins.at, c.origins.len, take_row, &c);
    elf_end(elf);
    if (!ok)
        return NULL;
    for (u32 i = 0; i < c.funcs.len; i++)
        fill_gaps(&c.funcs.at[i]);
    struct sass *out = arena_new(mem, struct sass);
    *out = (struct sass){.funcs = c.funcs.at, .n = c.funcs.len};
    return out;
}

const struct sass_func *sass_find(const struct sass *s, const char *name)
{
    for (u32 i = 0; i < s->n; i++)
        if (strcmp(s->funcs[i].name, name) == 0)
            return &s->funcs[i];
    return NULL;
}
