/* fuzz_ptx.c - libFuzzer target: any bytes into ptx_parse; what parses is printed, parsed and printed again, and its
 * debug sections are read.
 *
 * The two printed texts must be equal: the printer writes what the parser reads, and nothing is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/ptx.h"
#include "ptx/section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ptx_module *parse(const char *text, size_t len, bool must)
{
    struct diag_list diags;
    struct ptx_module *m;
    diag_init(&diags);
    const enum ls_status s = ptx_parse(text, len, "fuzz.ptx", &m, &diags);
    LS_BUG_ON((s == LS_OK) != (diags.errors == 0));
    char *said = diag_text(&diags);
    if (must && s != LS_OK) {
        fprintf(stderr, "the printed text does not parse:\n%s\n%s", text, said);
        abort();
    }
    ls_free(said);
    diag_free(&diags);
    return m;
}

/* Each debug section is bytes with fixups inside them, or has an error. */
static void read_sections(const struct ptx_module *m)
{
    struct arena mem = ARENA("section");
    struct diag_list diags;
    diag_init(&diags);
    if (setjmp(mem.oom))
        abort();
    for (u32 i = 0; i < m->nsections; i++) {
        struct ptx_section_data d;
        const u32 errors = diags.errors;
        const enum ls_status s = ptx_read_section(m, &m->sections[i], &mem, &d, &diags);
        LS_BUG_ON((s == LS_OK) != (diags.errors == errors));
        for (u32 k = 0; k < d.nfixups; k++)
            LS_BUG_ON(d.fixups[k].at + d.fixups[k].bytes > d.len);
    }
    diag_free(&diags);
    arena_free(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_module *m = parse((const char *)data, size, false);
    if (!m)
        return 0;
    read_sections(m);
    char *once = ptx_print(m);
    LS_BUG_ON(!once);
    struct ptx_module *again = parse(once, strlen(once), true);
    char *twice = ptx_print(again);
    LS_BUG_ON(!twice);
    if (strcmp(once, twice) != 0) {
        fprintf(stderr, "printed twice, two texts:\n%s\n----\n%s", once, twice);
        abort();
    }
    ls_free(once);
    ls_free(twice);
    ptx_free(m);
    ptx_free(again);
    return 0;
}
