/* gate_run.c - the program under the meter: a session folder for as long as it runs, the environment that tells the driver
 * what to record, and the records read back as a baseline. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gpu.h"
#include "cli/cli.h"
#include "cli/folder.h"
#include "cli/gate/gate_command.h"
#include "cli/program.h"
#include "cli/said.h"
#include "driver/module/fatbin.h"

/* ---- what compiled it ---- */

/* The word behind `before`, up to one of `ends`. */
static const char *word_behind(struct arena *mem, const char *text, size_t len, const char *before, const char *ends)
{
    const char *at = memmem(text, len, before, strlen(before));
    if (!at)
        return NULL;
    at += strlen(before);
    size_t n = 0;
    while (at + n < text + len && n < 40 && at[n] > ' ' && !strchr(ends, at[n]))
        n++;
    return n ? arena_strndup(mem, at, n) : NULL;
}

/* nvcc says so in its PTX, which may be compressed; clang in the object's .comment. */
static const char *compiler_of(struct arena *mem, const char *data, size_t size)
{
    struct image img = {0};
    const char *version = NULL;
    if (size > 4 && !memcmp(data, "\177ELF", 4) && image_elf(&img, data, size, 90, false) == LS_OK && img.n)
        version = word_behind(mem, img.texts[0].text, img.texts[0].len, "// Cuda compilation tools, release ", "\n");
    const char *exact = version ? word_behind(mem, img.texts[0].text, img.texts[0].len, ", V", "\n") : NULL;
    image_free(&img);
    if (version)
        return arena_printf(mem, "nvcc %s", exact ? exact : version);
    version = word_behind(mem, data, size, "clang version ", "-(+");
    return version ? arena_printf(mem, "clang %s", version) : NULL;
}

const char *gate_compiler(struct arena *mem, const char *program)
{
    struct stat st;
    const char *name = NULL;
    const int fd = open(program, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0) {
        void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            name = compiler_of(mem, data, (size_t)st.st_size);
            munmap(data, (size_t)st.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return name;
}

/* Of all programs that launched kernels. */
static const char *compilers_of(struct arena *mem, const struct session *s)
{
    const char *all = NULL;
    for (u32 i = 0; i < s->nprocesses; i++) {
        const char *one = gate_compiler(mem, s->processes[i].path);
        if (one && !all)
            all = one;
        else if (one && !strstr(all, one))
            all = arena_printf(mem, "%s, %s", all, one);
    }
    return all;
}

/* ---- the program ---- */

/* Without ptxas: what is recorded must not depend on whether this machine has one. */
static bool set_environment(const struct gate_command *c, const struct gate_baseline *b, const char *folder)
{
    struct engine_options e = c->engine;
    if (!e.gpu && !said.given[SETTING_GPU])
        e.gpu = b->gpu;
    if (!engine_options_set(&e) || !said_set(&said, SETTING_PTXAS, "0"))
        return false;
    struct settings s = said;
    settings_begin_run(&s);
    return said_set(&s, SETTING_SESSION, folder) && said_set(&s, SETTING_TIMELINE, "1") &&
           said_set(&s, SETTING_KERNEL, b->select) &&
           said_set(&s, SETTING_KERNEL_BASE, b->select ? "function" : NULL) &&
           said_set(&s, SETTING_CACHES, b->model ? "1" : "0") && said_set(&s, SETTING_MODEL_LAUNCHES, "sampled") &&
           said_set(&s, SETTING_CLOCK, "base") && said_export(&s);
}

static bool run(const struct gate_command *c, const struct gate_baseline *b, char **program, const char *folder)
{
    struct program_facts facts;
    struct gpu gpu;
    pid_t pid;
    if (!set_environment(c, b, folder) || !cli_gpu(&gpu))
        return false;
    int status = program_ready(program[0], c->unchecked, &facts);
    status = status ? status : program_spawn(&facts, program, &pid);
    if (status)
        return false;
    status = program_wait(pid);
    if (status && c->tell_exit_code)
        fprintf(stderr, "lockstep gate: the program failed (exit status %d)\n", status);
    return !status || !c->tell_exit_code;
}

/* ---- what it left ---- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    const u64 x = strtoull((*a)->d_name, NULL, 10), y = strtoull((*b)->d_name, NULL, 10);
    return (x > y) - (x < y);
}

static int is_lines(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && !strcmp(dot, ".line");
}

static void add_copies(struct gate_command *c, const char *folder, struct gate_baseline *to)
{
    struct dirent **names;
    const int n = scandir(folder, &names, is_lines, by_name);
    for (int i = 0; i < n; i++) {
        gate_add_copies(&c->mem, arena_printf(&c->mem, "%s/%s", folder, names[i]->d_name), to);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

static const char *folder_of(struct arena *mem, const char *program)
{
    const char *slash = strrchr(program, '/');
    return slash ? arena_strndup(mem, program, (size_t)(slash - program)) : NULL;
}

static bool make(struct gate_command *c, const struct session *s, const char *folder, struct gate_baseline *to)
{
    const char *why = NULL;
    c->paths.beside = s->nprocesses ? folder_of(&c->mem, s->processes[0].path) : NULL;
    to->gpu = NULL; /* the one that it ran on */
    if (!s->n) {
        fprintf(stderr, "lockstep gate: the program launched no kernel%s\n", to->select ? " of that name" : "");
        return false;
    }
    if (!gate_make(&c->mem, s, &c->paths, to, &why)) {
        fprintf(stderr, "lockstep gate: %s\n", why);
        return false;
    }
    if (!to->select)
        add_copies(c, folder, to);
    gate_sort(to);
    to->compiler = compilers_of(&c->mem, s);
    to->version = LS_VERSION;
    return true;
}

static bool collect(struct gate_command *c, const char *folder, struct gate_baseline *to)
{
    struct session s = {0};
    struct diag_list diags;
    diag_init(&diags);
    const enum ls_status status = session_read(folder, &s, &diags);
    if (diags.errors)
        cli_print_diags(&diags);
    diag_free(&diags);
    if (status != LS_OK)
        fprintf(stderr, "lockstep gate: cannot read what was recorded: %s\n", ls_status_text(status));
    const bool good = status == LS_OK && make(c, &s, folder, to);
    session_free(&s);
    return good;
}

bool gate_run(struct gate_command *c, char **program, struct gate_baseline *to)
{
    char folder[FOLDER_MAX];
    if (!folder_make("gate", folder))
        return false;
    const bool good = run(c, to, program, folder) && collect(c, folder, to);
    folder_remove(folder);
    return good;
}
