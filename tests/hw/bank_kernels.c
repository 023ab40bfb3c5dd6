/* bank_kernels.c - writes the kernels. Loads and atomics store what they got, so that no compiler may drop them. */
#include "bank_kernels.h"

#include <stdio.h>
#include <string.h>

/* The access: `use` runs under the predicate %p1 at shared address %r3 and leaves something in %r10 (and %r11..13, %rd10). */
static const struct {
    const char *op, *use, *keep;
} ops[] = {
    {"ld8", "ld.volatile.shared.u8 %r10, [%r3];", "st.global.u32 [%rd4], %r10;"},
    {"ld16", "ld.volatile.shared.u16 %r10, [%r3];", "st.global.u32 [%rd4], %r10;"},
    {"ld32", "ld.volatile.shared.u32 %r10, [%r3];", "st.global.u32 [%rd4], %r10;"},
    {"ld64", "ld.volatile.shared.u64 %rd10, [%r3];", "st.global.u64 [%rd4], %rd10;"},
    {"ld128", "ld.volatile.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3];",
     "st.global.v4.u32 [%rd4], {%r10, %r11, %r12, %r13};"},
    {"st32", "st.volatile.shared.u32 [%r3], %r1;", ""},
    {"st64", "st.volatile.shared.u64 [%r3], %rd4;", ""},
    {"st128", "st.volatile.shared.v4.u32 [%r3], {%r1, %r1, %r1, %r1};", ""},
    {"atom_add_u32", "atom.shared.add.u32 %r10, [%r3], %r1;", "st.global.u32 [%rd4], %r10;"},
    {"atom_max_u32", "atom.shared.max.u32 %r10, [%r3], %r1;", "st.global.u32 [%rd4], %r10;"},
    {"atom_exch_b32", "atom.shared.exch.b32 %r10, [%r3], %r1;", "st.global.u32 [%rd4], %r10;"},
    {"atom_cas_b32", "atom.shared.cas.b32 %r10, [%r3], %r1, %r2;", "st.global.u32 [%rd4], %r10;"},
    {"red_add_u32", "red.shared.add.u32 [%r3], %r1;", ""},
    {"atom_add_f32", "atom.shared.add.f32 %f1, [%r3], 0f3F800000;", "st.global.f32 [%rd4], %f1;"},
    {"atom_add_u64", "atom.shared.add.u64 %rd10, [%r3], %rd4;", "st.global.u64 [%rd4], %rd10;"},
};

static const char text[] = ".version 7.8\n"
                           ".target sm_80\n"
                           ".address_size 64\n"
                           ".visible .entry probe(.param .u64 table, .param .u64 sink, .param .u32 mask)\n"
                           "{\n"
                           "    .reg .pred %%p<2>;\n"
                           "    .reg .b32 %%r<16>;\n"
                           "    .reg .f32 %%f<2>;\n"
                           "    .reg .b64 %%rd<12>;\n"
                           "    .shared .align 16 .b8 buffer[32768];\n"
                           "    ld.param.u64 %%rd1, [table];\n"
                           "    ld.param.u64 %%rd3, [sink];\n"
                           "    ld.param.u32 %%r5, [mask];\n"
                           "    mov.u32 %%r1, %%tid.x;\n"
                           "    mul.wide.u32 %%rd2, %%r1, 4;\n"
                           "    add.s64 %%rd2, %%rd1, %%rd2;\n"
                           "    ld.global.u32 %%r2, [%%rd2];\n"
                           "    mov.u32 %%r4, buffer;\n"
                           "    add.s32 %%r3, %%r4, %%r2;\n"
                           "    mul.wide.u32 %%rd2, %%r1, 16;\n"
                           "    add.s64 %%rd4, %%rd3, %%rd2;\n"
                           "    shr.u32 %%r6, %%r5, %%r1;\n"
                           "    and.b32 %%r7, %%r6, 1;\n"
                           "    setp.eq.u32 %%p1, %%r7, 1;\n"
                           "    @%%p1 %s\n"
                           "    %s\n"
                           "    ret;\n"
                           "}\n";

size_t bank_kernel(const char *op, char *buf, size_t room)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (strcmp(ops[i].op, op))
            continue;
        const int n = snprintf(buf, room, text, ops[i].use, ops[i].keep);
        return n > 0 && (size_t)n < room ? (size_t)n : 0;
    }
    return 0;
}
