/* memcheck_shared_describe.c - an offset in a block's shared memory in words: where it lies relative to the nearest
 * variable. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/memcheck/memcheck_shared.h"

static const char *plural(u64 n) { return n == 1 ? "byte" : "bytes"; }

/* The variable's own name: the last one of a mangled local (_ZZ4blurPKfPfiE4tile, also with a number behind, _0), which
 * stands behind its length. Others as they are. */
static void own_name(const char *mangled, char *buf, size_t n)
{
    snprintf(buf, n, "%s", mangled);
    if (strncmp(mangled, "_ZZ", 3) != 0 && strncmp(mangled, "_ZN", 3) != 0)
        return;
    for (const char *s = mangled; *s; s++) {
        char *name;
        const unsigned long length = strtoul(s, &name, 10);
        if (name == s || *s == '+' || *s == '-' || *s == ' ' || !length || length > strlen(name))
            continue;
        const char *behind = name + length;
        if (!*behind || *behind == '_' || !strcmp(behind, "E")) {
            snprintf(buf, n, "%.*s", (int)length, name);
            return;
        }
        s = name - 1;
    }
}

/* An offset below 0, in 32 or 64 bits; 0: it is not. */
static u64 below_zero(u64 offset)
{
    const i64 d = offset <= UINT32_MAX ? (i64)(i32)(u32)offset : (i64)offset;
    return d < 0 && d > -(i64)MEM_WINDOW_BYTES ? (u64)-d : 0;
}

bool memcheck_shared_describe(const struct exec_launch *l, u64 offset, u64 size, char *buf, size_t n)
{
    const char *mangled;
    char name[96];
    u64 base, bytes;
    const u64 before = below_zero(offset);
    if (before) {
        snprintf(buf, n, "%" PRIu64 " %s before the block's shared memory", before, plural(before));
        return true;
    }
    if (offset >= MEM_WINDOW_BYTES || !exec_shared_variable(l->kernel, offset, &mangled, &base, &bytes))
        return false;
    own_name(mangled, name, sizeof name);
    const bool dynamic = !bytes;
    const u64 end = base + (dynamic ? l->dynamic_shared : bytes);
    char what[160];
    snprintf(what, sizeof what, "the %" PRIu64 "-byte %s '%s'", end - base,
             dynamic ? "dynamic shared memory" : "shared variable", name);
    if (offset >= end)
        snprintf(buf, n, "%" PRIu64 " %s after %s", offset - end, plural(offset - end), what);
    else if (size > end - offset)
        snprintf(buf, n, "the last %" PRIu64 " %s %s after %s", size - (end - offset), plural(size - (end - offset)),
                 size - (end - offset) == 1 ? "lies" : "lie", what);
    else
        snprintf(buf, n, "%" PRIu64 " %s into %s", offset - base, plural(offset - base), what);
    return true;
}
