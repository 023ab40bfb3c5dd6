/* find.c - where the compilers, our headers and our runtime are. */
#include "base/settings.h"
#include "toolchain/toolchain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first of the names that is a program on PATH. */
static const char *on_path(const char *const *names, struct arena *mem)
{
    const char *path = settings_other(OTHERS_PATH);
    for (; *names; names++)
        for (const char *at = path ? path : "/usr/bin"; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
            const char *file = arena_printf(mem, "%.*s/%s", (int)strcspn(at, ":"), at, *names);
            if (access(file, X_OK) == 0)
                return file;
        }
    return NULL;
}

/* What is given, or the folder beside the command's; NULL with a diagnostic if it has no such file. */
static const char *folder(const char *given, enum setting n, const char *usual, const char *file, struct arena *mem,
                          struct diag_list *diags)
{
    const char *dir = given ? given : usual;
    if (access(arena_printf(mem, "%s/%s", dir, file), R_OK) == 0)
        return dir;
    struct diag *g = diag_add(diags, DIAG_ERROR, (struct diag_place){0}, "%s/%s is not there", dir, file);
    diag_set_note(diags, g, "it belongs to Lockstep's installation; %s says where else it is", setting_info(n)->name);
    return NULL;
}

enum ls_status tool_find(struct tool_paths *p, const char *bin, struct arena *mem, struct diag_list *diags)
{
    static const char *const clangs[] = {"clang-19", NULL}, *const nvccs[] = {"nvcc", NULL};
    struct settings said;
    settings_read(&said, NULL, NULL);
    *p = (struct tool_paths){
        .clang = said.clang ? said.clang : on_path(clangs, mem),
        .nvcc = said.nvcc ? said.nvcc : on_path(nvccs, mem),
    };
    if (!p->nvcc && access("/usr/local/cuda/bin/nvcc", X_OK) == 0)
        p->nvcc = "/usr/local/cuda/bin/nvcc";
    p->include = folder(said.include, SETTING_INCLUDE, arena_printf(mem, "%s/../include/cuda", bin), "cuda_runtime.h",
                        mem, diags);
    p->lib = folder(said.lib, SETTING_LIB, arena_printf(mem, "%s/../lib", bin), "libcudart.so", mem, diags);
    return p->include && p->lib ? LS_OK : LS_ERR_NOT_FOUND;
}

enum ls_status tool_find_inputs(const struct tool_options *o, struct diag_list *diags)
{
    enum ls_status status = LS_OK;
    for (u32 i = 0; i < o->inputs.len; i++)
        if (access(o->inputs.at[i].path, R_OK)) {
            diag_add(diags, DIAG_ERROR, (struct diag_place){0}, "cannot read %s: %s", o->inputs.at[i].path,
                     strerror(errno));
            status = LS_ERR_IO;
        }
    return status;
}

static bool has(const char *folder, const char *what, struct arena *mem)
{
    return access(arena_printf(mem, "%s/%s", folder, what), F_OK) == 0;
}

/* A toolkit's folder of headers, which many a Makefile names, has a header of each name that ours has: it is looked at
 * behind them. What nvcc finds by itself there, CUB, Thrust and libcu++, is looked at as if it had been named. */
void tool_place_includes(struct tool_options *o, struct arena *mem)
{
    const tool_words given = o->preprocessor;
    o->preprocessor = (tool_words){0};
    for (u32 i = 0; i + 1 < given.len; i += 2) {
        const char *option = given.at[i], *value = given.at[i + 1];
        if ((strcmp(option, "-I") == 0 || strcmp(option, "-isystem") == 0) && has(value, "cuda_runtime.h", mem)) {
            if (has(value, "cccl/cuda/std", mem)) {
                tool_words_add(&o->preprocessor, mem, option);
                tool_words_add(&o->preprocessor, mem, arena_printf(mem, "%s/cccl", value));
            }
            option = "-idirafter";
        }
        tool_words_add(&o->preprocessor, mem, option);
        tool_words_add(&o->preprocessor, mem, value);
    }
}
