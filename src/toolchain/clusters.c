/* clusters.c - __cluster_dims__, for which clang 19 has no attribute. The headers make an annotation of it, which clang
 * keeps in its intermediate code and drops behind that. So a file with the word has its device pass twice, once to PTX and
 * once to that code, from which the kernels' PTX gets what nvcc writes there:
 *
 *     @.args = ... { i32, i32 } { i32 4, i32 2 }, ...                  .entry k( ... )
 *     @llvm.global.annotations = ... { ptr @k, ptr @.str,    ──►       .explicitcluster
 *         ptr @.str1, i32 9, ptr @.args } ...                          .reqnctapercluster 4, 2, 1
 *                                                                      { */
#include "toolchain/toolchain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "c\"lockstep_cluster_dims\\00\"";

bool tool_has_clusters(const char *path, struct arena *mem)
{
    struct diag_list none;
    size_t len;
    diag_init(&none);
    const char *text = tool_file_read(path, &len, mem, &none);
    diag_free(&none); /* clang says what is wrong with the file */
    return text && strstr(text, "__cluster_dims__");
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.'; }

/* The name behind the n-th @ from here, without quotes; NULL where there is none. */
static const char *name_at(const char *at, u32 n, struct arena *mem)
{
    while (n-- && at)
        if ((at = strchr(at, '@')))
            at++;
    if (!at)
        return NULL;
    size_t len = 0;
    if (*at == '"')
        len = strcspn(++at, "\"");
    else
        while (in_name(at[len]))
            len++;
    return arena_printf(mem, "%.*s", (int)len, at);
}

/* The numbers of a constant, "@name = ... { i32, i32 } { i32 4, i32 2 }", 1 where there are fewer than three. */
static bool read_numbers(const char *ir, const char *name, u64 n[3], struct arena *mem)
{
    const char *at = strstr(ir, arena_printf(mem, "\n@%s = ", name));
    const char *end = at ? strchr(at + 1, '\n') : NULL;
    const char *values = end ? memmem(at, (size_t)(end - at), "} { ", 4) : NULL;
    n[0] = n[1] = n[2] = 1;
    for (u32 k = 0; k < 3 && values && values < end; k++) {
        values += strcspn(values, "i\n");
        values += strcspn(values, " \n");
        n[k] = strtoull(values, NULL, 10);
        const size_t rest = strcspn(values, ",}\n");
        if (values[rest] != ',')
            return true;
        values += rest;
    }
    return values != NULL;
}

/* The PTX with the directives in front of the body of a kernel. */
static char *declare(char *ptx, const char *kernel, const u64 n[3], struct arena *mem)
{
    const char *entry = arena_printf(mem, ".entry %s(", kernel);
    for (char *at = ptx; (at = strstr(at, entry)); at++) {
        char *body = at + strcspn(at, "{;"); /* a semicolon: a declaration only */
        if (*body == '{')
            return arena_printf(mem, "%.*s.explicitcluster\n.reqnctapercluster %llu, %llu, %llu\n%s", (int)(body - ptx),
                                ptx, (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)n[2],
                                body);
    }
    return ptx;
}

char *tool_clusters_declare(char *ptx, const char *ir, struct arena *mem)
{
    const char *string = strstr(ir, mark), *line = string;
    while (line && line > ir && line[-1] != '\n')
        line--;
    const char *at = strstr(ir, "\n@llvm.global.annotations"), *marked = line ? name_at(line, 1, mem) : NULL;
    if (!at || !marked)
        return ptx;
    const char *end = at + 1 + strcspn(at + 1, "\n");
    for (at = strchr(at + 2, '@'); at && at < end; at = strchr(at + 1, '@')) {
        /* a kernel, the annotation's text, the file's name, the constant */
        const char *text = name_at(at, 2, mem), *args = name_at(at, 4, mem);
        u64 n[3];
        if (text && args && strcmp(text, marked) == 0 && read_numbers(ir, args, n, mem))
            ptx = declare(ptx, name_at(at, 1, mem), n, mem);
    }
    return ptx;
}

enum ls_status tool_clusters_write(const struct tool_step *s, struct arena *mem, struct diag_list *diags)
{
    size_t len;
    char *ptx = tool_file_read(s->out, &len, mem, diags);
    const char *ir = ptx ? tool_file_read(s->argv.at[0], &len, mem, diags) : NULL;
    if (!ir)
        return LS_ERR_IO;
    ptx = tool_clusters_declare(ptx, ir, mem);
    return tool_file_write(s->out, ptx, strlen(ptx), diags);
}
