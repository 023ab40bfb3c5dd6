/* write.c - the object of lockstep-ptxas, by libelf. */
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "cli/ptxas/ptxas.h"
#include "driver/module/ptx_object.h"

static const char names[] = "\0" PTX_OBJECT_SECTION "\0" PTX_OBJECT_COMMENT "\0.shstrtab";

enum {
    NAME_PTX = 1,
    NAME_COMMENT = NAME_PTX + sizeof PTX_OBJECT_SECTION,
    NAME_NAMES = NAME_COMMENT + sizeof PTX_OBJECT_COMMENT
};

/* The section's index; 0: libelf's error. */
static size_t add(Elf *elf, Elf64_Word name, Elf64_Word type, const void *bytes, size_t size)
{
    Elf_Scn *section = elf_newscn(elf);
    Elf_Data *data = section ? elf_newdata(section) : NULL;
    Elf64_Shdr *header = section ? elf64_getshdr(section) : NULL;
    if (!data || !header)
        return 0;
    header->sh_name = name;
    header->sh_type = type;
    *data = (Elf_Data){.d_buf = (void *)(uintptr_t)bytes, .d_size = size, .d_align = 1, .d_version = EV_CURRENT};
    return elf_ndxscn(section);
}

static bool fill(Elf *elf, const struct ptxas_options *o, const char *text, size_t len, const char *comment)
{
    Elf64_Ehdr *e = elf64_newehdr(elf);
    if (!e)
        return false;
    e->e_ident[EI_DATA] = ELFDATA2LSB;
    e->e_type = o->compile_only ? ET_REL : ET_EXEC;
    e->e_machine = EM_NONE;
    e->e_version = EV_CURRENT;
    e->e_flags = o->elf_flags;
    if (!add(elf, NAME_PTX, SHT_PROGBITS, text, len) ||
        !add(elf, NAME_COMMENT, SHT_PROGBITS, comment, strlen(comment) + 1))
        return false;
    const size_t at = add(elf, NAME_NAMES, SHT_STRTAB, names, sizeof names);
    e->e_shstrndx = (Elf64_Half)at;
    return at && elf_update(elf, ELF_C_WRITE) > 0;
}

bool ptxas_write(const struct ptxas_options *o, const char *text, size_t len, const char *comment)
{
    elf_version(EV_CURRENT);
    const int fd = open(o->output, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return ptxas_fatal("%s cannot be written: %s", o->output, strerror(errno));
    Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
    bool good = elf && fill(elf, o, text, len, comment);
    const char *why = good ? NULL : elf_errmsg(-1);
    elf_end(elf);
    if (close(fd) && good) {
        good = false;
        why = strerror(errno);
    }
    return good || ptxas_fatal("%s cannot be written: %s", o->output, why);
}
