/* cc_command.c - `lockstep cc`: compiles CUDA programs, by the options that nvcc has.
 *
 * The library src/toolchain does it; here are the messages, --help, -v, and the choice between clang and nvcc. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/gpu.h"
#include "cli/cli.h"
#include "cli/said.h"
#include "toolchain/toolchain.h"

struct cc {
    struct tool_options options;
    struct tool_paths paths;
    struct tool_plan plan;
    struct diag_list diags;
    struct arena mem;
};

/* ---- --help ---- */

static const char *dashes(const char *name) { return name[1] ? "--" : "-"; }

static void print_option(const struct tool_option *o)
{
    static const char *const values[] = {[TAKES_NONE] = "",
                                         [TAKES_VALUE] = "=VALUE",
                                         [TAKES_LIST] = "=VALUE,...",
                                         [TAKES_GLUED] = "VALUE",
                                         [TAKES_BOOL] = "=true|false"};
    char names[120];
    int n = snprintf(names, sizeof names, "-%s%s", o->name, values[o->takes]);
    if (*o->other && n > 0 && n < (int)sizeof names)
        snprintf(names + n, sizeof names - (size_t)n, ", %s%s", dashes(o->other), o->other);
    printf("  %s\n        %s\n", names, o->text);
}

static void print_help(void)
{
    puts("usage: lockstep cc [OPTION...] FILE...\n\n"
         "Compiles CUDA C++ programs with clang and Lockstep's own headers: no CUDA toolkit is needed. Names and\n"
         "meaning of the options are nvcc's; a name may have one dash or two. @FILE reads options from a file.\n"
         "What it makes runs with `lockstep run`.\n");
    for (u32 i = 0; tool_option_at(i); i++)
        print_option(tool_option_at(i));
}

/* ---- telling what happens ---- */

static void print_step(void *ctx, const struct tool_step *s)
{
    struct cc *c = ctx;
    if (c->options.verbose || c->options.dryrun)
        fprintf(stderr, "#$ %s\n", tool_step_text(s, &c->mem));
    fflush(NULL);
}

static void print_text(void *ctx, const char *text, size_t len)
{
    (void)ctx;
    fwrite(text, 1, len, stderr);
}

static int finish(struct cc *c, int code)
{
    if (c->diags.errors || c->diags.warnings)
        cli_print_diags(&c->diags);
    diag_free(&c->diags);
    arena_free(&c->mem);
    return code;
}

/* ---- the parts ---- */

static const char *own_folder(struct arena *mem)
{
    char self[4096];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    return arena_strndup(mem, self, slash ? (size_t)(slash - self) : 0);
}

/* The compute capability of -arch=native: the GPU to be. */
static enum ls_status native(struct cc *c, u32 *sm)
{
    struct gpu gpu;
    const enum ls_status status = gpu_find(said.gpu, &gpu, &c->diags);
    *sm = status == LS_OK ? gpu.cc_major * 10 + gpu.cc_minor : 0;
    return status;
}

static bool wants_nvcc(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i] + strspn(argv[i], "-");
        if (argv[i][0] == '-' &&
            (!strcmp(name, "with=nvcc") || (!strcmp(name, "with") && i + 1 < argc && !strcmp(argv[i + 1], "nvcc"))))
            return true;
    }
    return false;
}

static int run_plan(struct cc *c)
{
    const struct tool_watch watch = {print_step, print_text, c};
    int code;
    const enum ls_status status = tool_run(&c->plan, &c->paths, &watch, &code, &c->mem, &c->diags);
    if (status == LS_ERR_FAULT)
        return c->options.run && code ? code : CLI_BAD;
    return status == LS_OK ? CLI_OK : CLI_TROUBLE;
}

static int with_nvcc(struct cc *c, int argc, char **argv)
{
    if (!c->paths.nvcc) {
        struct diag *g = diag_add(&c->diags, DIAG_ERROR, (struct diag_place){0}, "there is no nvcc on PATH");
        diag_set_note(&c->diags, g, "--with nvcc needs NVIDIA's CUDA toolkit; without it, clang compiles");
        return CLI_TROUBLE;
    }
    tool_plan_nvcc(&c->plan, c->paths.nvcc, argc, argv, &c->mem);
    return run_plan(c);
}

static int with_clang(struct cc *c)
{
    const struct tool_options *o = &c->options;
    enum ls_status status = tool_find_inputs(o, &c->diags);
    if (status != LS_OK)
        return CLI_TROUBLE;
    if (o->keep)
        c->paths.tmp = o->keep_dir ? o->keep_dir : o->out_dir ? o->out_dir : ".";
    else if (o->dryrun)
        c->paths.tmp = "/tmp/lockstep-cc";
    else
        status = tool_tmp_make(&c->paths.tmp, &c->mem, &c->diags);
    if (status != LS_OK)
        return CLI_TROUBLE;
    tool_place_includes(&c->options, &c->mem);
    int code = CLI_USAGE;
    if (tool_plan_make(&c->plan, o, &c->paths, &c->mem, &c->diags) == LS_OK) {
        code = CLI_OK;
        for (u32 i = 0; o->dryrun && i < c->plan.steps.len; i++)
            print_step(c, &c->plan.steps.at[i]);
        if (!o->dryrun)
            code = run_plan(c);
    }
    if (!o->keep && !o->dryrun)
        tool_tmp_remove(c->paths.tmp);
    return code;
}

static int print_version(const struct cc *c)
{
    printf("lockstep cc " LS_VERSION "\nclang: %s\nnvcc: %s\n", c->paths.clang ? c->paths.clang : "none",
           c->paths.nvcc ? c->paths.nvcc : "none");
    return CLI_OK;
}

static int compile(struct cc *c, int argc, char **argv)
{
    u32 sm;
    const enum ls_status found = tool_find(&c->paths, own_folder(&c->mem), &c->mem, &c->diags);
    if (wants_nvcc(argc, argv))
        return with_nvcc(c, argc, argv);
    if (native(c, &sm) != LS_OK)
        return CLI_TROUBLE;
    if (tool_options_read(&c->options, argc, argv, sm, &c->mem, &c->diags) != LS_OK)
        return CLI_USAGE;
    if (c->options.help || c->options.version) {
        if (c->options.help)
            print_help();
        return c->options.help ? CLI_OK : print_version(c);
    }
    if (!c->paths.clang && c->paths.nvcc)
        return with_nvcc(c, argc, argv);
    if (!c->paths.clang) {
        struct diag *g = diag_add(&c->diags, DIAG_ERROR, (struct diag_place){0}, "there is no clang-19 on PATH");
        diag_set_note(&c->diags, g, "install the package clang-19, or say where clang is by LOCKSTEP_CLANG");
        return CLI_TROUBLE;
    }
    if (found != LS_OK)
        return CLI_TROUBLE;
    c->options.colour = isatty(STDERR_FILENO);
    return with_clang(c);
}

int cli_cc(int argc, char **argv)
{
    struct cc c = {.mem = ARENA("compilation")};
    diag_init(&c.diags);
    if (setjmp(c.mem.oom)) {
        fputs("lockstep: out of memory\n", stderr);
        return finish(&c, CLI_TROUBLE);
    }
    return finish(&c, compile(&c, argc, argv));
}
