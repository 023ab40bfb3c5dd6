/* ptxas.c - lockstep-ptxas: see ptxas.h. What cannot run here is a warning; a launch of it fails and says the same. */
#include "cli/ptxas/ptxas.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/gpu.h"
#include "cli/said.h"
#include "cli/source.h"
#include "driver/module/ptx_object.h"
#include "exec/exec.h"

#ifndef LS_VERSION
#define LS_VERSION "0"
#endif

bool ptxas_fatal(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("ptxas fatal   : ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return false;
}

/* Callers look for "release N.N": the CUDA release whose PTX is understood. */
static void put_version(void)
{
    puts("ptxas: Lockstep's stand-in for the PTX assembler\n"
         "lockstep " LS_VERSION "\n"
         "Cuda compilation tools, release 13.0, V13.0.0 (lockstep " LS_VERSION ")");
}

static void put_diags(const struct ptxas_options *o, const struct diag_list *diags)
{
    for (const struct diag *d = diags->first; d; d = d->next) {
        const bool bad = d->level == DIAG_ERROR;
        if (!bad && o->no_warnings)
            continue;
        if (d->at.line)
            fprintf(stderr, "ptxas %s, line %u; %s: %s\n", d->at.file ? d->at.file : "<text>", d->at.line,
                    bad ? "error   " : "warning ", d->text);
        else
            fprintf(stderr, "ptxas %s: %s%s%s\n", bad ? "error   " : "warning ", d->at.file ? d->at.file : "",
                    d->at.file ? ": " : "", d->text);
        if (d->note)
            fprintf(stderr, "    note: %s\n", d->note);
    }
}

/* PTX for sm_90 is for all from there on, for sm_90a for that GPU alone, for sm_100f for its family. */
static bool fits(const struct ptxas_options *o, const struct ptx_module *ptx)
{
    char first[32];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(ptx->target, ", "), ptx->target);
    const u32 made = ptxas_gpu(first), gpu = o->elf_flags, sm = made & PTX_OBJECT_SM, to = gpu & PTX_OBJECT_SM;
    if (made & PTX_OBJECT_ARCH ? made != gpu : made & PTX_OBJECT_FAMILY ? sm / 10 != to / 10 || sm > to : sm > to)
        return ptxas_fatal("PTX for %s cannot be made for %s: give --gpu-name=%s", first, o->gpu_name, first);
    return true;
}

/* ---- what kernels need ---- */

static bool warn(const struct ptxas_options *o, const char *file, u32 line, const char *text)
{
    if (o->no_warnings)
        return true;
    fprintf(stderr, "ptxas %s, line %u; %s: %s\n", file, line, o->werror ? "error   " : "warning ", text);
    return !o->werror;
}

static void put_kernel(const struct ptxas_options *o, const struct ptx_func *f, const struct ir_func *ir)
{
    fprintf(stderr,
            "ptxas info    : Compiling entry function '%s' for '%s'\n"
            "ptxas info    : Function properties for %s\n"
            "    %u bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
            "ptxas info    : Used %u registers, used %u barriers",
            f->name, o->gpu_name, f->name, ir->local_bytes, ir->registers, ir->nbarriers);
    if (ir->shared_bytes)
        fprintf(stderr, ", %u bytes smem", ir->shared_bytes);
    fputc('\n', stderr);
}

static bool judge_kernel(const struct ptxas_options *o, const struct ptx_module *ptx, const struct ptx_func *f,
                         const struct ir_func *ir)
{
    char text[400];
    bool good = true;
    if (ir->poison) {
        snprintf(text, sizeof text, "kernel %s cannot run on Lockstep: %s", f->name, ir->poison);
        good = warn(o, ptx->file, f->line, text);
    }
    if (o->warn_local && ir->local_bytes) {
        snprintf(text, sizeof text, "kernel %s uses %u bytes of local memory", f->name, ir->local_bytes);
        good = warn(o, ptx->file, f->line, text) && good;
    }
    if (o->verbose)
        put_kernel(o, f, ir);
    return good;
}

static void put_variables(const struct ptx_module *ptx)
{
    u64 global = 0, constant = 0;
    for (u32 i = 0; i < ptx->nvars; i++) {
        global += ptx->vars[i]->space == SPACE_GLOBAL ? ptx->vars[i]->size : 0;
        constant += ptx->vars[i]->space == SPACE_CONST ? ptx->vars[i]->size : 0;
    }
    fprintf(stderr, "ptxas info    : %llu bytes gmem", (unsigned long long)global);
    if (constant)
        fprintf(stderr, ", %llu bytes cmem[3]", (unsigned long long)constant);
    fputs("\nptxas info    : no machine code is made: registers and stack frames are Lockstep's estimates\n", stderr);
}

static bool judge_module(const struct ptxas_options *o, struct exec_module *m, const struct ptx_module *ptx)
{
    bool good = true;
    if (o->verbose)
        put_variables(ptx);
    for (u32 i = 0; i < ptx->nfuncs; i++) {
        const struct ptx_func *f = ptx->funcs[i];
        if (!f->is_entry || !f->defined)
            continue;
        const struct ir_func *ir = exec_module_kernel(m, f->name);
        good = (ir ? judge_kernel(o, ptx, f, ir) : ptxas_fatal("out of memory")) && good;
    }
    return good;
}

/* Takes the module, whatever comes. An object that is to be linked may lack what others define. */
static bool judge(const struct ptxas_options *o, struct ptx_module *ptx, struct diag_list *diags)
{
    struct gpu gpu;
    struct exec_device device;
    struct exec_module *m = NULL;
    bool good = false;
    if (gpu_find(said.gpu, &gpu, diags) != LS_OK || exec_device_init(&device, &gpu) != LS_OK) {
        ptx_free(ptx);
        return diags->errors ? false : ptxas_fatal("out of memory");
    }
    if (exec_module_load(&device, &ptx, 1, &m, diags) == LS_OK) {
        good = judge_module(o, m, ptx);
        exec_module_free(m);
    }
    exec_device_free(&device);
    return good;
}

/* ---- all of it ---- */

static bool open_text(const struct ptxas_options *o, struct cli_source *s, struct diag_list *diags)
{
    if (!o->input_text)
        return cli_source_open(o->file, o->elf_flags & PTX_OBJECT_SM, s, diags) == LS_OK;
    *s = (struct cli_source){0};
    s->units = ls_calloc(1, sizeof *s->units);
    if (!s->units || image_add(&s->img, o->input_text, strlen(o->input_text), "<text>") != LS_OK)
        return ptxas_fatal("out of memory");
    if (ptx_parse(o->input_text, strlen(o->input_text), "<text>", &s->units[0], diags) == LS_OK)
        return true;
    s->units[0] = NULL;
    return false;
}

static bool assemble(const struct ptxas_options *o, struct cli_source *s, struct diag_list *diags)
{
    char comment[200];
    if (s->img.n != 1)
        return ptxas_fatal("%s holds %u modules: give one", o->file, s->img.n);
    struct ptx_module *ptx = s->units[0];
    if (!fits(o, ptx))
        return false;
    s->units[0] = NULL;
    if (o->compile_only)
        ptx_free(ptx);
    else if (!judge(o, ptx, diags))
        return false;
    snprintf(comment, sizeof comment, "lockstep-ptxas " LS_VERSION " --gpu-name=%s", o->gpu_name);
    return strncmp(o->gpu_name, "compute_", 8) == 0 ||
           ptxas_write(o, s->img.texts[0].text, s->img.texts[0].len, comment);
}

int main(int argc, char **argv)
{
    struct ptxas_options o;
    struct cli_source source = {0};
    struct diag_list diags;
    if (!ptxas_options_read(&o, argc, argv) || !said_read())
        return PTXAS_FAILED;
    if (o.version || o.help) {
        o.version ? put_version() : ptxas_help();
        return PTXAS_OK;
    }
    diag_init(&diags);
    const bool good = open_text(&o, &source, &diags) && assemble(&o, &source, &diags);
    put_diags(&o, &diags);
    if (diags.errors)
        ptxas_fatal("no object is made of %s", o.file ? o.file : "the text");
    diag_free(&diags);
    cli_source_close(&source);
    return good ? PTXAS_OK : PTXAS_FAILED;
}
