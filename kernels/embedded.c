/* embedded.c - every rung's PTX and source as bytes of the program, put there by the assembler.
 *
 * The build writes two lists: embedded.inc (a line a file) and table.inc (a line a rung and tile). */
#include "kernels/family.h"

/* PTX ends in a NUL, as cuModuleLoadData wants it; sources do too. */
#define EMBED(id, path)                                                                                                \
    __asm__(".section .rodata\n"                                                                                       \
            ".balign 16\n" #id ":\n"                                                                                   \
            ".incbin \"" path "\"\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".previous\n");                                                                                            \
    extern const char id[];
#include "embedded.inc"

#define ROW(family, rung, broken, x, y, ptx, source, path) {family, rung, broken, x, y, ptx, source, path},
const struct embedded kernel_embedded[] = {
#include "table.inc"
};
const u32 kernel_embedded_count = LS_ARRAY_LEN(kernel_embedded);
