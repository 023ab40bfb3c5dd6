/* check_ptx.c - `lockstep ptx`: is this PTX right, what is in it, and what of it cannot run here?
 *
 * The file is parsed and verified, and its kernels are lowered as they would be for a launch. Nothing is run. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/gpu.h"
#include "cli/cli.h"
#include "cli/source.h"
#include "exec/exec.h"

struct check {
    const char *file;
    bool print;
};

enum { OPT_PRINT = 256 };

static const struct argp_option options[] = {
    {"print", OPT_PRINT, NULL, 0, "Print the module as PTX, one instruction a line, instead of a summary", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct check *c = state->input;
    switch (key) {
    case OPT_PRINT:
        c->print = true;
        return 0;
    case ARGP_KEY_ARG:
        if (c->file)
            argp_error(state, "one file at a time; '%s' is another", arg);
        c->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!c->file)
            argp_error(state, "which file?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    "FILE",
    "Parses and verifies the PTX of FILE (PTX text, a fat binary, or an object or program that nvcc made).\vThe exit "
    "status is 1 when it is not well formed or a kernel in it cannot run.",
    NULL,
    NULL,
    NULL};

/* ---- one module ---- */

static void put_head(const struct ptx_module *m)
{
    u32 kernels = 0, functions = 0;
    for (u32 i = 0; i < m->nfuncs; i++) {
        kernels += m->funcs[i]->is_entry && m->funcs[i]->defined;
        functions += !m->funcs[i]->is_entry && m->funcs[i]->defined;
    }
    printf("%s: PTX %u.%u for %s: %u kernel%s, %u device function%s, %u variable%s\n", m->file, m->version_major,
           m->version_minor, m->target, kernels, kernels == 1 ? "" : "s", functions, functions == 1 ? "" : "s",
           m->nvars, m->nvars == 1 ? "" : "s");
}

/* The name and what the PTX alone tells; `room` is the longest name. */
static void put_function(const struct ptx_func *f, int room)
{
    printf("  %-6s  %-*s  %4u parameter%s %6u instructions", f->is_entry ? "kernel" : "func", room, f->name, f->nparams,
           f->nparams == 1 ? " " : "s", f->ninsts);
}

/* True: it can run. */
static bool put_kernel(struct exec_module *m, const struct ptx_func *f, int room)
{
    const struct ir_func *ir = exec_module_kernel(m, f->name);
    put_function(f, room);
    if (!ir) {
        puts("  out of memory");
        return false;
    }
    printf(" %4u registers %6u bytes shared %6u bytes local\n", ir->registers, ir->shared_bytes, ir->local_bytes);
    if (ir->poison)
        printf("          cannot run: %s\n", ir->poison);
    return !ir->poison;
}

static bool put_functions(struct exec_module *m, const struct ptx_module *ptx)
{
    int room = 8;
    bool good = true;
    for (u32 i = 0; i < ptx->nfuncs; i++)
        if (ptx->funcs[i]->defined && (int)strlen(ptx->funcs[i]->name) > room)
            room = (int)strlen(ptx->funcs[i]->name);
    for (u32 i = 0; i < ptx->nfuncs; i++) {
        const struct ptx_func *f = ptx->funcs[i];
        if (!f->defined)
            continue;
        if (f->is_entry) {
            good = put_kernel(m, f, room) && good;
            continue;
        }
        put_function(f, room);
        putchar('\n');
    }
    return good;
}

/* Takes the module, whatever comes. */
static int summary(struct ptx_module *ptx, struct exec_device *device, struct diag_list *diags)
{
    struct exec_module *m;
    if (exec_module_load(device, &ptx, 1, &m, diags) != LS_OK)
        return CLI_TROUBLE;
    put_head(ptx);
    bool good = put_functions(m, ptx);
    exec_module_free(m);
    return good ? CLI_OK : CLI_BAD;
}

static int print_text(const struct ptx_module *ptx)
{
    char *text = ptx_print(ptx);
    if (text)
        fputs(text, stdout);
    else
        fputs("lockstep ptx: out of memory\n", stderr);
    ls_free(text);
    return text ? CLI_OK : CLI_TROUBLE;
}

/* ---- all of the file ---- */

static int each_unit(const struct check *c, struct cli_source *s, struct exec_device *device, struct diag_list *diags)
{
    int status = CLI_OK;
    for (u32 i = 0; i < s->img.n && status != CLI_TROUBLE; i++) {
        struct ptx_module *ptx = s->units[i];
        int got;
        if (c->print) {
            got = print_text(ptx);
        } else {
            s->units[i] = NULL;
            got = summary(ptx, device, diags);
        }
        status = got > status ? got : status;
    }
    return status;
}

static int check(const struct check *c, struct diag_list *diags)
{
    struct gpu gpu;
    struct cli_source source;
    struct exec_device device;
    if (gpu_find(getenv("LOCKSTEP_GPU"), &gpu, diags) != LS_OK)
        return CLI_TROUBLE;
    enum ls_status s = cli_source_open(c->file, gpu.cc_major * 10 + gpu.cc_minor, &source, diags);
    if (s != LS_OK)
        return s == LS_ERR_IO || s == LS_ERR_NOMEM ? CLI_TROUBLE : CLI_BAD;
    int status = CLI_TROUBLE;
    if (exec_device_init(&device, &gpu) == LS_OK) {
        status = each_unit(c, &source, &device, diags);
        exec_device_free(&device);
    } else {
        fputs("lockstep ptx: out of memory\n", stderr);
    }
    cli_source_close(&source);
    return status;
}

int cli_ptx(int argc, char **argv)
{
    struct check c = {0};
    argp_err_exit_status = CLI_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &c);
    struct diag_list diags;
    diag_init(&diags);
    int status = check(&c, &diags);
    if (diags.errors || diags.warnings)
        cli_print_diags(&diags);
    diag_free(&diags);
    return status;
}
