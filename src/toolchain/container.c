/* container.c - the fat binary that a program carries: PTX texts, each with its architecture, stored as they are.
 *
 *     container  u32 magic; u16 version 1; u16 header size 16; u64 bytes behind it; entries
 *     entry      00 u16 kind 1 (PTX)   02 u16 version   04 u32 header size   08 u64 payload, a multiple of 8
 *                10 u32 compressed bytes: 0, stored     18 u16 minor, u16 major of the PTX ISA   1C u32 sm
 *                28 u64 flags: 1 64-bit, 0x10 Linux     38 u64 bytes when decompressed: 0, stored
 *
 * The payload ends in NULs. -maxrregcount becomes .maxnreg of the kernels that say nothing about registers
 * themselves. */
#include "toolchain/toolchain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/module/fatbin.h"

enum { HEADER = 16, ENTRY = 0x40, KIND_PTX = 1, FLAGS_LINUX_64 = 0x11 };

static void put(u8 *at, u64 value, u32 bytes)
{
    for (u32 i = 0; i < bytes; i++)
        at[i] = (u8)(value >> (8 * i));
}

/* ".version 8.3" of a text; 0 where it has none. */
static u32 ptx_version(const char *ptx)
{
    const char *at = strstr(ptx, ".version");
    unsigned major = 0, minor = 0;
    if (at)
        sscanf(at, ".version %u.%u", &major, &minor);
    return minor | major << 16;
}

enum ls_status tool_ptx_write(const struct tool_step *s, struct arena *mem, struct diag_list *diags)
{
    size_t len;
    char *ptx = tool_file_read(s->argv.at[0], &len, mem, diags);
    if (!ptx)
        return LS_ERR_IO;
    ptx = tool_ptx_mend(ptx, s->options, mem);
    return tool_file_write(s->out, ptx, strlen(ptx), diags);
}

enum ls_status tool_container_write(const struct tool_step *s, struct arena *mem, struct diag_list *diags)
{
    const struct tool_options *o = s->options;
    u8 *bytes = arena_alloc(mem, HEADER);
    size_t size = HEADER;
    for (u32 i = 0; i < s->argv.len; i++) {
        size_t len;
        char *ptx = tool_file_read(s->argv.at[i], &len, mem, diags);
        if (!ptx)
            return LS_ERR_IO;
        ptx = tool_ptx_mend(ptx, o, mem);
        len = strlen(ptx);
        const size_t padded = (size_t)ls_align_up(len + 1, 8);
        u8 *all = arena_alloc(mem, size + ENTRY + padded); /* zeroed */
        memcpy(all, bytes, size);
        u8 *entry = all + size;
        put(entry, KIND_PTX, 2);
        put(entry + 0x02, 0x101, 2);
        put(entry + 0x04, ENTRY, 4);
        put(entry + 0x08, padded, 8);
        put(entry + 0x18, ptx_version(ptx), 4);
        put(entry + 0x1C, o->arches[i].sm, 4);
        put(entry + 0x28, FLAGS_LINUX_64, 8);
        memcpy(entry + ENTRY, ptx, len);
        bytes = all;
        size += ENTRY + padded;
    }
    put(bytes, (u32)FATBIN_MAGIC, 4);
    put(bytes + 4, 1, 2);
    put(bytes + 6, HEADER, 2);
    put(bytes + 8, size - HEADER, 8);
    return tool_file_write(s->out, bytes, size, diags);
}
