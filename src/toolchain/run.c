/* run.c - doing what a plan says: files, processes, the folder of intermediate files.
 *
 * The messages of a device pass are read here, because they show what clang cannot do and nvcc can; they are passed on
 * unchanged. All other commands write to the user's own stderr. */
#include "base/settings.h"
#include "toolchain/toolchain.h"

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct diag_place nowhere;

/* ---- files ---- */

static enum ls_status io_error(struct diag_list *diags, const char *verb, const char *path)
{
    diag_add(diags, DIAG_ERROR, nowhere, "cannot %s %s: %s", verb, path, strerror(errno));
    return LS_ERR_IO;
}

char *tool_file_read(const char *path, size_t *len, struct arena *mem, struct diag_list *diags)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    char *text = NULL;
    if (f && fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode)) {
        text = arena_alloc(mem, (size_t)st.st_size + 1);
        *len = fread(text, 1, (size_t)st.st_size, f);
        text[*len] = 0;
    } else {
        io_error(diags, "read", path);
    }
    if (f)
        fclose(f);
    return text;
}

enum ls_status tool_file_write(const char *path, const void *data, size_t len, struct diag_list *diags)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return io_error(diags, "write", path);
    const bool ok = fwrite(data, 1, len, f) == len;
    return fclose(f) == 0 && ok ? LS_OK : io_error(diags, "write", path);
}

enum ls_status tool_tmp_make(const char **path, struct arena *mem, struct diag_list *diags)
{
    char *made = arena_printf(mem, "%s/lockstep-cc-XXXXXX", settings_tmp());
    *path = mkdtemp(made);
    return *path ? LS_OK : io_error(diags, "make the folder", made);
}

void tool_tmp_remove(const char *path)
{
    DIR *d = opendir(path);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    rmdir(path);
}

/* ---- what clang cannot do ---- */

#define CCCL                                                                                                           \
    "it comes with NVIDIA's CCCL (CUB, Thrust, libcu++): give -I with the folder of that, which is include/cccl of a " \
    "toolkit, or nvidia/cu13/include/cccl of the Python package nvidia-cuda-cccl, version 13.0"

/* A piece of clang's message, and what to say about it; or the beginning of a header's name that is not found. */
static const struct {
    const char *message, *note;
    bool header;
} limits[] = {
    {"reference to __global__ function",
     "a launch from device code is compiled where it stands in the .cu file itself; in a header it needs nvcc: "
     "--with nvcc -rdc=true",
     false},
    {"'kernel' with type 'auto'",
     "a launch from device code names its kernel's template arguments, as in child<int><<<1, 1>>>(p); nvcc deduces "
     "them: --with nvcc -rdc=true",
     false},
    {"undeclared identifier 'lockstep_launch'", "launches from device code need -std=c++17 or later", false},
    {"the_word___managed__",
     "__managed__ variables are compiled where they stand in the .cu file itself; in a header they need --with nvcc",
     false},
    {"the_word___cluster_dims__",
     "kernels with __cluster_dims__ are for sm_90 and above; in a header, the .cu file has to have the word too, in a "
     "comment if nowhere else",
     false},
    {"the_word___block_size__", "clang cannot compile kernels with __block_size__: nvcc can, with --with nvcc", false},
    {"initialization is not supported for __shared__",
     "nvcc leaves the constructor of such a variable out, and clang has no way to: take the one of Lockstep's own "
     "headers "
     "(no -I of NVIDIA's CCCL), or --with nvcc",
     false},
    {"'cub/", CCCL, true},
    {"'thrust/", CCCL, true},
    {"'cuda/", CCCL, true},
    {"'nv/target'", CCCL, true},
    {"'cublas", "cuBLAS is NVIDIA's library: it needs NVIDIA's toolkit and a GPU", true},
    {"'cufft", "cuFFT is NVIDIA's library: it needs NVIDIA's toolkit and a GPU", true},
    {"'curand", "cuRAND is NVIDIA's library: it needs NVIDIA's toolkit", true},
    {"'cusparse", "cuSPARSE is NVIDIA's library: it needs NVIDIA's toolkit and a GPU", true},
    {"'cudnn", "cuDNN is NVIDIA's library: it needs NVIDIA's toolkit and a GPU", true},
};

/* What is wrong: a header that is not found, whose name stands in quotes, or a thing that clang does not do. */
static void complain(const char *message, bool header, const char *note, struct diag_list *diags)
{
    struct diag *g = header ? diag_add(diags, DIAG_ERROR, nowhere, "this program includes <%.*s>, which is not there",
                                       (int)strcspn(message + 1, "'"), message + 1)
                            : diag_add(diags, DIAG_ERROR, nowhere, "this program is beyond what clang compiles");
    diag_set_note(diags, g, "%s", note);
}

/* The limits of clang that a text shows, each once. */
static void explain(const char *text, struct diag_list *diags)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(limits); i++) {
        const char *at = strstr(text, limits[i].message);
        const char *end = at ? strchr(at, '\n') : NULL;
        const bool header = limits[i].header;
        if (!at || (header && !(end && memmem(at, (size_t)(end - at), "file not found", 14))))
            continue;
        complain(at, header, limits[i].note, diags);
    }
}

/* ---- processes ---- */

static enum ls_status wait_for(pid_t pid, int *code)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return LS_ERR_IO;
    *code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return *code ? LS_ERR_FAULT : LS_OK;
}

/* All that comes through fd, to its end. */
static char *drain(int fd, size_t *len, struct arena *mem)
{
    size_t cap = 4096;
    char *text = arena_alloc(mem, cap);
    ssize_t n;
    *len = 0;
    while ((n = read(fd, text + *len, cap - 1 - *len)) > 0 || (n < 0 && errno == EINTR)) {
        *len += n > 0 ? (size_t)n : 0;
        if (*len == cap - 1) {
            char *more = arena_alloc(mem, cap * 2);
            memcpy(more, text, *len);
            text = more;
            cap *= 2;
        }
    }
    text[*len] = 0;
    return text;
}

/* Starts argv; with `heard`, its stderr is read to the end and passed on. */
static enum ls_status run_command(const char *const *argv, const struct tool_watch *heard, int *code, struct arena *mem,
                                  struct diag_list *diags)
{
    posix_spawn_file_actions_t actions;
    int fds[2] = {-1, -1};
    pid_t pid;
    if (heard && pipe(fds))
        return io_error(diags, "make a pipe for", argv[0]);
    posix_spawn_file_actions_init(&actions);
    if (heard) {
        posix_spawn_file_actions_adddup2(&actions, fds[1], STDERR_FILENO);
        posix_spawn_file_actions_addclose(&actions, fds[0]);
        posix_spawn_file_actions_addclose(&actions, fds[1]);
    }
    errno = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    const int failed = errno;
    posix_spawn_file_actions_destroy(&actions);
    char *text = NULL;
    size_t len = 0;
    if (heard) {
        close(fds[1]);
        if (!failed)
            text = drain(fds[0], &len, mem);
        close(fds[0]);
    }
    errno = failed;
    if (failed)
        return io_error(diags, "run", argv[0]);
    if (text && len && heard->said)
        heard->said(heard->ctx, text, len);
    const enum ls_status status = wait_for(pid, code);
    if (status == LS_ERR_FAULT && text)
        explain(text, diags);
    return status;
}

/* The program, with our libraries found first. */
static enum ls_status run_program(const struct tool_step *s, const struct tool_paths *p, int *code, struct arena *mem,
                                  struct diag_list *diags)
{
    if (!settings_prepend(OTHERS_LD_LIBRARY_PATH, p->lib, ':'))
        return LS_ERR_NOMEM;
    const char *const argv[] = {s->argv.at[0], NULL};
    return run_command(argv, NULL, code, mem, diags);
}

static enum ls_status run_step(const struct tool_step *s, const struct tool_paths *p, const struct tool_watch *watch,
                               int *code, struct arena *mem, struct diag_list *diags)
{
    switch (s->kind) {
    case STEP_COMMAND:
        return run_command(s->argv.at, s->device ? watch : NULL, code, mem, diags);
    case STEP_CONTAINER:
        return tool_container_write(s, mem, diags);
    case STEP_CLUSTERS:
        return tool_clusters_write(s, mem, diags);
    case STEP_PTX:
        return tool_ptx_write(s, mem, diags);
    case STEP_LINK_STUB:
        return tool_link_stub_write(s, mem, diags);
    case STEP_REWRITE:
        return tool_rewrite_write(s, mem, diags);
    case STEP_RUN:
        return run_program(s, p, code, mem, diags);
    }
    return LS_ERR_INVALID;
}

enum ls_status tool_run(const struct tool_plan *plan, const struct tool_paths *p, const struct tool_watch *watch,
                        int *code, struct arena *mem, struct diag_list *diags)
{
    enum ls_status status = LS_OK;
    *code = 0;
    for (u32 i = 0; i < plan->steps.len && status == LS_OK; i++) {
        if (watch->before)
            watch->before(watch->ctx, &plan->steps.at[i]);
        status = run_step(&plan->steps.at[i], p, watch, code, mem, diags);
    }
    return status;
}
