/* section.h - the debug sections of a module (PTX ISA 11.5.2), read when somebody asks for them.
 *
 * The parser keeps only where a section stands in the module's text. Reading one gives its bytes and what the loader of
 * a debugger has to fill in: places whose value is the address of a name. */
#ifndef LS_PTX_SECTION_H
#define LS_PTX_SECTION_H

#include "ptx/ptx.h"

/* The bytes at `at` become name + addend, or name - minus + addend. A name is a label of the code, a label of a
 * section, a variable, or a section (with its dot). */
struct ptx_fixup {
    u64 at;
    u8 bytes; /* 1, 2, 4 or 8 */
    const char *name, *minus;
    i64 addend;
};

struct ptx_section_label {
    const char *name;
    u64 at;
};

struct ptx_section_data {
    u8 *bytes;
    u64 len;
    struct ptx_fixup *fixups;
    u32 nfixups;
    struct ptx_section_label *labels;
    u32 nlabels;
};

/* All in mem, which needs a recovery point. LS_ERR_SYNTAX: the error is in diags, with its place. */
enum ls_status ptx_read_section(const struct ptx_module *m, const struct ptx_section *s, struct arena *mem,
                                struct ptx_section_data *out, struct diag_list *diags);

#endif
