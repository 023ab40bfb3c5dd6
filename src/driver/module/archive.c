/* archive.c - the device code of a static library: an ar archive of host objects, read with libelf. All members are
 * taken, as NVIDIA's linker takes them, not only those that something refers to. Members without device code for
 * linking are passed over: a library has host code too.
 *
 * libelf goes through the members of a file, not of a buffer: so the buffer becomes a file in memory. */
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/module/fatbin.h"

static enum ls_status refuse(struct image *img, enum ls_status s, const char *what)
{
    snprintf(img->why, sizeof img->why, "%s", what);
    return s;
}

/* LS_ERR_UNSUPPORTED: it has no device code. */
static enum ls_status take_member(struct image *img, Elf *member, u32 sm, const char *archive)
{
    const unsigned before = img->n;
    size_t size = 0;
    const Elf_Arhdr *header = elf_getarhdr(member);
    const void *data = elf_kind(member) == ELF_K_ELF ? elf_rawfile(member, &size) : NULL;
    if (!data || !header || !header->ar_name)
        return LS_ERR_UNSUPPORTED;
    const enum ls_status s = image_elf(img, data, size, sm, true);
    char name[512];
    snprintf(name, sizeof name, "%s(%s)", archive, header->ar_name);
    image_rename(img, before, name);
    return s;
}

static enum ls_status take_members(struct image *img, Elf *ar, int fd, u32 sm, const char *name, bool *left_out)
{
    bool device_code = false;
    Elf *member;
    for (Elf_Cmd next = ELF_C_READ_MMAP; (member = elf_begin(fd, next, ar)) != NULL;) {
        const enum ls_status s = take_member(img, member, sm, name);
        next = elf_next(member);
        elf_end(member);
        if (s != LS_OK && s != LS_ERR_NOT_FOUND && s != LS_ERR_UNSUPPORTED)
            return s;
        device_code |= s != LS_ERR_UNSUPPORTED;
        *left_out |= s == LS_ERR_NOT_FOUND;
    }
    return device_code ? LS_OK
                       : refuse(img, LS_ERR_UNSUPPORTED,
                                "no member of the library has device code for linking: compile "
                                "them with -rdc=true");
}

static int file_of(const void *data, size_t size)
{
    const int fd = memfd_create("lockstep library", MFD_CLOEXEC);
    for (size_t at = 0; fd >= 0 && at < size;) {
        const ssize_t n = write(fd, (const char *)data + at, size - at);
        if (n <= 0) {
            close(fd);
            return -1;
        }
        at += (size_t)n;
    }
    return fd;
}

enum ls_status image_archive(struct image *img, const void *data, size_t size, u32 sm, const char *name, bool *left_out)
{
    const int fd = file_of(data, size);
    if (fd < 0)
        return LS_ERR_NOMEM;
    elf_version(EV_CURRENT);
    Elf *ar = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    enum ls_status s = LS_ERR_SYNTAX;
    if (ar && elf_kind(ar) == ELF_K_AR)
        s = take_members(img, ar, fd, sm, name, left_out);
    else
        refuse(img, s, "the library is no archive: ar makes one of object files");
    elf_end(ar);
    close(fd);
    return s;
}
