/* fatbin_elf.c - the fat binaries inside an ELF file: nvcc puts those of one translation unit into the section
 * .nv_fatbin (__nv_relfatbin when it compiles for separate linking), one container behind the other, each aligned to
 * 8 bytes. An object of lockstep-ptxas has the PTX itself in a section (ptx_object.h). Little-endian ELF64 only, which is all that nvcc makes. Nothing in the file is trusted: every offset is
 * checked against the file's size. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "driver/module/fatbin.h"
#include "driver/module/ptx_object.h"

static bool inside(u64 at, u64 n, u64 size) { return at <= size && n <= size - at; }

static enum ls_status damaged(struct image *img)
{
    snprintf(img->why, sizeof img->why, "the ELF file is truncated or damaged");
    return LS_ERR_SYNTAX;
}

/* The section's name, when it ends inside the string table; else "". */
static const char *name_of(const u8 *data, const Elf64_Shdr *strings, u32 at)
{
    const char *text = (const char *)data + strings->sh_offset;
    if (at >= strings->sh_size || !memchr(text + at, 0, strings->sh_size - at))
        return "";
    return text + at;
}

/* Every container of a section. One without PTX for this GPU is no error while another has it. */
static enum ls_status take_section(struct image *img, const u8 *data, u64 size, u32 sm)
{
    enum ls_status last = LS_OK;
    for (u64 at = 0; size - at >= 16;) {
        u32 magic;
        u16 header;
        u64 body;
        memcpy(&magic, data + at, 4);
        memcpy(&header, data + at + 6, 2);
        memcpy(&body, data + at + 8, 8);
        if (magic != (u32)FATBIN_MAGIC) { /* padding */
            at += 8;
            continue;
        }
        enum ls_status s = fatbin_container(img, data + at, size - at, sm);
        if (s != LS_OK && s != LS_ERR_NOT_FOUND)
            return s;
        last = s == LS_OK ? last : s;
        at += ls_align_up(header + body, 8); /* fatbin_container has checked that it lies inside */
        if (at > size)
            break;
    }
    return last;
}

static enum ls_status find_table(const u8 *data, size_t size, Elf64_Ehdr *e, Elf64_Shdr *strings, struct image *img)
{
    if (size < sizeof *e)
        return damaged(img);
    memcpy(e, data, sizeof *e);
    if (e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_ident[EI_DATA] != ELFDATA2LSB) {
        snprintf(img->why, sizeof img->why, "only 64-bit little-endian ELF files can hold fat binaries");
        return LS_ERR_UNSUPPORTED;
    }
    if (e->e_shnum == 0)
        return LS_OK;
    if (e->e_shentsize != sizeof *strings || e->e_shstrndx >= e->e_shnum ||
        !inside(e->e_shoff, (u64)e->e_shnum * sizeof *strings, size))
        return damaged(img);
    memcpy(strings, data + e->e_shoff + (u64)e->e_shstrndx * sizeof *strings, sizeof *strings);
    return strings->sh_type == SHT_NOBITS || inside(strings->sh_offset, strings->sh_size, size) ? LS_OK : damaged(img);
}

/* The section's text, if the object was made for this GPU. */
static enum ls_status take_ptx(struct image *img, const Elf64_Ehdr *e, const u8 *text, u64 size, u32 sm)
{
    const u32 made = e->e_flags & PTX_OBJECT_SM;
    if (ptx_object_runs(e->e_flags, sm))
        return image_add(img, (const char *)text, size, "<PTX of an object>");
    snprintf(img->why, sizeof img->why,
             "the object was made for sm_%u%s and this GPU is an sm_%u: make it with --gpu-name=sm_%u", made,
             e->e_flags & PTX_OBJECT_ARCH ? "a" : "", sm, sm);
    return LS_ERR_NOT_FOUND;
}

size_t image_elf_size(const void *data)
{
    Elf64_Ehdr e;
    memcpy(&e, data, EI_NIDENT);
    if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB)
        return 0;
    memcpy(&e, data, sizeof e);
    const u64 table = (u64)e.e_shnum * sizeof(Elf64_Shdr);
    return ptx_object_is(&e) && e.e_shoff < SIZE_MAX - table ? e.e_shoff + table : 0;
}

static bool wanted(const char *name, bool relocatable)
{
    return strcmp(name, "__nv_relfatbin") == 0 || (!relocatable && strcmp(name, ".nv_fatbin") == 0);
}

enum ls_status image_elf(struct image *img, const void *bytes, size_t size, u32 sm, bool relocatable)
{
    const u8 *data = bytes;
    const unsigned before = img->n;
    bool found = false;
    Elf64_Ehdr e;
    Elf64_Shdr strings = {0};
    enum ls_status status = find_table(data, size, &e, &strings, img);
    for (u32 i = 0; status == LS_OK && strings.sh_size && strings.sh_type != SHT_NOBITS && i < e.e_shnum; i++) {
        Elf64_Shdr h;
        memcpy(&h, data + e.e_shoff + (u64)i * sizeof h, sizeof h);
        const char *name = name_of(data, &strings, h.sh_name);
        const bool ptx = ptx_object_is(&e) && strcmp(name, PTX_OBJECT_SECTION) == 0;
        if (!ptx && !wanted(name, relocatable))
            continue;
        found = true;
        if (h.sh_type == SHT_NOBITS || !inside(h.sh_offset, h.sh_size, size))
            return damaged(img);
        status = ptx ? take_ptx(img, &e, data + h.sh_offset, h.sh_size, sm)
                     : take_section(img, data + h.sh_offset, h.sh_size, sm);
        status = status == LS_ERR_NOT_FOUND ? LS_OK : status;
    }
    if (status != LS_OK || img->n > before)
        return status;
    if (found)
        return LS_ERR_NOT_FOUND;
    snprintf(img->why, sizeof img->why,
             relocatable ? "the file has no device code for linking: compile it with -rdc=true"
                         : "the ELF file has no fat binary: no section .nv_fatbin");
    return LS_ERR_UNSUPPORTED;
}
