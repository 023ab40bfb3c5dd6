/* ptx_command.c - `lockstep ptx`: is this PTX right, what is in it, and what of it cannot run here?
 *
 * The file is parsed and verified, and its kernels are lowered as they would be for a launch. Nothing is run. Every
 * instruction that has no body is listed below its function; what else refuses a kernel (an operand of a kind that is
 * not there) is known for the first such instruction alone, as a launch would say it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/gpu.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/said.h"
#include "cli/source.h"
#include "exec/exec.h"

struct ptx_command {
    const char *file;
    bool print;
};

static const struct option_row rows[] = {
    OPTION(FLAG, "print", NULL, "Print the module as PTX, one instruction a line, instead of a summary",
           .at = OPTION_AT(struct ptx_command, print)),
};

static void take_word(struct option_reader *o, const char *word)
{
    struct ptx_command *c = o->into;
    if (c->file)
        option_wrong(o, "one file at a time; '%s' is another", word);
    c->file = word;
}

static void finish(struct option_reader *o)
{
    const struct ptx_command *c = o->into;
    if (!c->file)
        option_wrong(o, "which file?");
}

static const struct option_table table = {
    .rows = rows,
    .n = LS_ARRAY_LEN(rows),
    .words = "FILE",
    .about = "Parses and verifies the PTX of FILE (PTX text, a fat binary, or an object or program that nvcc "
             "made).\vThe exit status is 1 when it is not well formed or a kernel in it cannot run.",
    .word = take_word,
    .finish = finish,
};

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

/* Whether a launch refuses a kernel because of another function, that it calls. */
static bool is_of_another(const char *why, const struct ptx_func *f)
{
    const char *name = strstr(why, ": function ");
    const size_t n = strlen(f->name);
    name += name ? strlen(": function ") : 0;
    return name && (strncmp(name, f->name, n) != 0 || name[n] != ':');
}

/* Instructions of f that have no body; whether `first`, of which a launch would speak, is among them. */
static void put_refused(const struct ptx_func *f, const char *first, bool *told)
{
    for (u32 s = 0; s < f->ninsts; s++) {
        const char *reason = ptx_unsupported(&f->insts[s]);
        char text[160], line[40];
        if (!reason)
            continue;
        ptx_print_inst(&f->insts[s], text, sizeof text);
        snprintf(line, sizeof line, ":%u: ", f->insts[s].line);
        printf("          cannot run, line %u: `%s`: %s\n", f->insts[s].line, text, reason);
        *told = *told || (first && !is_of_another(first, f) && strstr(first, line));
    }
}

static bool is_refused(const struct ptx_func *f)
{
    for (u32 s = 0; s < f->ninsts; s++)
        if (ptx_unsupported(&f->insts[s]))
            return true;
    return false;
}

struct reached {
    const struct ptx_func **at;
    u32 n;
};

/* All functions that f calls or takes the address of, and theirs: found in turn, so r must have room for all. */
static void reach(const struct ptx_func *f, struct reached *r)
{
    r->at[r->n++] = f;
    for (u32 k = r->n - 1; k < r->n; k++)
        for (u32 s = 0; s < r->at[k]->ninsts; s++)
            for (u32 o = 0; o < r->at[k]->insts[s].noperands; o++) {
                const struct ptx_operand *op = &r->at[k]->insts[s].operands[o];
                u32 seen = 0;
                if (op->kind != PTX_FUNC || !op->func->defined)
                    continue;
                while (seen < r->n && r->at[seen] != op->func)
                    seen++;
                if (seen == r->n)
                    r->at[r->n++] = op->func;
            }
}

/* Functions that a kernel may come to and that cannot run; how many. */
static u32 put_refused_callees(const struct ptx_module *ptx, const struct ptx_func *kernel)
{
    struct reached r = {ls_calloc(ptx->nfuncs + 1, sizeof *r.at), 0};
    u32 refused = 0;
    if (!r.at)
        return 0;
    reach(kernel, &r);
    for (u32 i = 1; i < r.n; i++)
        if (is_refused(r.at[i])) {
            printf("          cannot run: it may call %s, which cannot\n", r.at[i]->name);
            refused++;
        }
    ls_free(r.at);
    return refused;
}

/* True: it can run. */
static bool put_kernel(struct exec_module *m, const struct ptx_module *ptx, const struct ptx_func *f, int room)
{
    const struct ir_func *ir = exec_module_kernel(m, f->name);
    bool told = false;
    put_function(f, room);
    if (!ir) {
        puts("  out of memory");
        return false;
    }
    printf(" %4u registers %6u bytes shared %6u bytes local\n", ir->registers, ir->shared_bytes, ir->local_bytes);
    put_refused(f, ir->poison, &told);
    const u32 callees = put_refused_callees(ptx, f);
    if (ir->poison && !told && !(callees && is_of_another(ir->poison, f)))
        printf("          cannot run: %s\n", ir->poison);
    return !ir->poison && !callees && !is_refused(f);
}

static bool put_functions(struct exec_module *m, const struct ptx_module *ptx)
{
    int room = 8;
    bool good = true, told = false;
    for (u32 i = 0; i < ptx->nfuncs; i++)
        if (ptx->funcs[i]->defined && (int)strlen(ptx->funcs[i]->name) > room)
            room = (int)strlen(ptx->funcs[i]->name);
    for (u32 i = 0; i < ptx->nfuncs; i++) {
        const struct ptx_func *f = ptx->funcs[i];
        if (!f->defined)
            continue;
        if (f->is_entry) {
            good = put_kernel(m, ptx, f, room) && good;
            continue;
        }
        put_function(f, room);
        putchar('\n');
        put_refused(f, NULL, &told);
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

static int each_unit(const struct ptx_command *c, struct cli_source *s, struct exec_device *device,
                     struct diag_list *diags)
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

static int check(const struct ptx_command *c, struct diag_list *diags)
{
    struct gpu gpu;
    struct cli_source source;
    struct exec_device device;
    if (gpu_find(said.gpu, &gpu, diags) != LS_OK)
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
    struct ptx_command c = {0};
    struct diag_list diags;
    int status;
    if (!options_read(&table, &c, argc, argv, &status))
        return status;
    diag_init(&diags);
    status = check(&c, &diags);
    if (diags.errors || diags.warnings)
        cli_print_diags(&diags);
    diag_free(&diags);
    return status;
}
