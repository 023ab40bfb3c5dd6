/* unsupported.c - why an instruction is known not to run: unsupported.def as a function. */
#include <fnmatch.h>
#include <string.h>

#include "ptx/parser.h"

static const struct {
    u16 op;
    const char *pattern, *reason;
} rows[] = {
#define PTX_UNSUPPORTED(id, reason) {OP_##id, "*", reason},
#define PTX_UNSUPPORTED_FORM(id, pattern, reason) {OP_##id, pattern, reason},
#include "ptx/unsupported.def"
#undef PTX_UNSUPPORTED
};

const char *ptx_unsupported(const struct ptx_inst *i)
{
    char text[256];
    struct ptx_inst bare = *i;
    bare.guard = NULL;
    ptx_print_inst(&bare, text, sizeof text);
    text[strcspn(text, ";")] = 0;
    for (size_t k = 0; k < LS_ARRAY_LEN(rows); k++)
        if (rows[k].op == i->op && !fnmatch(rows[k].pattern, text + strlen(ptx_op_name(i->op)), FNM_EXTMATCH))
            return rows[k].reason;
    return NULL;
}
