/* fatbin.h - PTX out of whatever a program hands to cuModuleLoadData: a fat binary's wrapper or container, a linked
 * image of ours, PTX text, or machine code, which is refused.
 *
 * Layout of a fat binary, as nvcc 12 and 13 write it (little endian):
 *
 *     wrapper    u32 0x466243B1; u32 version; u64 data; u64 list
 *                version 1: data is a container, or, from clang, any other image;
 *                version 2: list is a NULL-terminated array of containers
 *     container  u32 0xBA55ED50; u16 1; u16 header size; u64 bytes after the header; entries
 *     entry      00 u16 kind (1 PTX, 2 machine code)     04 u32 header size     08 u64 payload, padded to 8
 *                10 u32 compressed bytes (0: stored)     1C u32 sm              28 u64 flags (0x2000 LZ4, 0x8000 zstd)
 *                38 u64 bytes when decompressed
 *
 * Header sizes differ, so nothing is read beyond what an entry's header says it has. */
#ifndef LS_DRIVER_FATBIN_H
#define LS_DRIVER_FATBIN_H

#include "base/base.h"
#include "base/status.h"

enum { FATBIN_WRAPPER_MAGIC = 0x466243B1, FATBIN_MAGIC = (int)0xBA55ED50, IMAGE_MAGIC = 0x4b4c534c /* "LSLK" */ };

/* A PTX text: NUL-terminated copy, ls_realloc'ed, trailing NULs not counted. */
struct image_text {
    char *text;
    size_t len;
    char name[64]; /* for messages */
};

/* What is to be linked into one module. */
struct image {
    struct image_text *texts;
    unsigned n;
    char why[256]; /* when there is no PTX to run: a sentence */
};

void image_free(struct image *img);
/* Appends a copy of text[0..len). */
enum ls_status image_add(struct image *img, const char *text, size_t len, const char *name);

/* Adds the best PTX of one container for a GPU of compute capability sm (90): the highest that is not above it.
 * Reads data[0..size) only. LS_ERR_SYNTAX: not well formed; LS_ERR_NOT_FOUND: holds no PTX that can run; LS_ERR_NOMEM.
 * img->why has the sentence. */
enum ls_status fatbin_container(struct image *img, const u8 *data, size_t size, u32 sm);
/* A buffer of known size with any of the formats that hold no pointers. */
enum ls_status image_read(struct image *img, const void *data, size_t size, u32 sm, const char *name);
/* The fat binaries inside an ELF file (fatbin_elf.c): those for separate linking alone, or all. LS_ERR_NOT_FOUND: none has
 * PTX that can run; LS_ERR_UNSUPPORTED: there are none. */
enum ls_status image_elf(struct image *img, const void *data, size_t size, u32 sm, bool relocatable);
/* The size of an object of lockstep-ptxas that begins there; 0: an ELF file of another kind. */
size_t image_elf_size(const void *data);
/* The same of each member of an ar archive (archive.c), whatever there is: *left_out is set if some member has machine code
 * and no PTX that can run. LS_ERR_SYNTAX: it is no archive; LS_ERR_UNSUPPORTED: no member has any device code. Texts are named "name(member)". */
enum ls_status image_archive(struct image *img, const void *data, size_t size, u32 sm, const char *name,
                             bool *left_out);
/* Another name for the texts from `first` on. */
void image_rename(struct image *img, unsigned first, const char *name);
/* What a program passes: a pointer with no size. Wrappers are followed; text must end with a NUL. */
enum ls_status image_open(struct image *img, const void *data, u32 sm, const char *name);

/* The texts as one block that image_read takes: "LSLK", count, sizes, texts. ls_realloc'ed; NULL: no memory. */
void *image_pack(const struct image *img, size_t *size);

#endif
