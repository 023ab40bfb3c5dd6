/* images.c - the PTX of the kernels as bytes of the program, put there by the assembler. The build writes the list that
 * is included here, a line a file. */
#include "calibrate/bench.h"

#define IMAGE(name, path)                                                                                              \
    __asm__(".section .rodata\n"                                                                                       \
            ".balign 16\ncalibrate_" #name ":\n"                                                                       \
            ".incbin \"" path "\"\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".previous\n");                                                                                            \
    extern const char calibrate_##name[];
#include "images.inc"
#undef IMAGE

#define IMAGE(name, path) {#name, calibrate_##name},
const struct bench_image bench_images[] = {
#include "images.inc"
};
const u32 bench_image_count = LS_ARRAY_LEN(bench_images);
