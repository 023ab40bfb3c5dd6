/* launch_command.c - `lockstep launch`: runs one kernel of a PTX file or fat binary without a host program.
 *
 * The file is read and checked here, so that what is wrong with it, or with the arguments, is said before a driver is
 * loaded. Then everything goes through the driver API, so that the same command runs on a GPU. What a launch is refused
 * for, and what a kernel ends in, Lockstep's driver says itself on stderr; it is not said twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/gpu.h"
#include "cli/cli.h"
#include "cli/launch/launch_command.h"
#include "cli/said.h"
#include "cli/shared_options.h"
#include "cli/source.h"
#include "lab/lab_session.h"

struct launch {
    struct engine_options engine;
    const char *file, *kernel; /* NULL: the only one */
    u32 grid[3], block[3];
    u64 shared;
    struct launch_arg args[LAUNCH_ARGS_MAX];
    u32 nargs;
    enum metric_id metrics[METRIC_COUNT];
    u32 nmetrics;
    bool all_metrics, gpu;
    enum launch_form form;
    /* while it runs */
    struct cli_source source;
    const struct ptx_func *func;
    u32 unit;
    struct lab_cuda cuda;
    bool open; /* cuda is */
    char session[256];
};

/* ---- options ---- */

static void take_metrics(struct option_reader *o, const struct option_value *v)
{
    struct launch *l = o->into;
    char name[200];
    for (const char *list = v->text; *list; list += list[0] == ',') {
        const size_t n = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : (int)sizeof name - 1, list);
        const int m = metric_find(name);
        if (strcmp(name, "all") == 0)
            l->all_metrics = true;
        else if (n && m < 0)
            option_wrong(o, "there is no metric '%s'; --metrics all prints every one that there is", name);
        else if (n && l->nmetrics < METRIC_COUNT)
            l->metrics[l->nmetrics++] = (enum metric_id)m;
        list += n;
    }
    if (!l->nmetrics && !l->all_metrics)
        option_wrong(o, "--metrics needs names of metrics, or all");
}

static void take_arg(struct option_reader *o, const struct option_value *v)
{
    struct launch *l = o->into;
    char why[256];
    if (l->nargs == LAUNCH_ARGS_MAX)
        option_wrong(o, "more than %d arguments", LAUNCH_ARGS_MAX);
    else if (!launch_arg_read(v->text, &l->args[l->nargs], why))
        option_wrong(o, "--arg %s: %s", v->text, why);
    else
        l->nargs++;
}

#define TO(member) .at = OPTION_AT(struct launch, member)

static const struct option_row rows[] = {
    OPTION(SIZES, "grid", "X[xY[xZ]]", "Blocks of the grid (1)", TO(grid), .least = 1, .most = 3,
           .takes = "positive numbers (256, 16x16, 8x8x4)"),
    OPTION(SIZES, "block", "X[xY[xZ]]", "Threads of a block (1)", TO(block), .least = 1, .most = 3,
           .takes = "positive numbers (256, 16x16, 8x8x4)"),
    OPTION(COUNT, "shared", "BYTES", "Dynamic shared memory of a block (0)", TO(shared), .most = UINT32_MAX,
           .takes = "bytes (4096, 48k)"),
    OPTION(CALL, "arg", "SPEC",
           "The next argument: i32:5, u64:7, f32:1.5, hex:00ff, or a buffer, "
           "buf:BYTES[:zero|random|iota][:out=TYPE[xN]], whose first N elements out= prints",
           .take = take_arg),
    OPTION(CALL, "metrics", "LIST", "Print these counters (ncu's or nvprof's names, commas between them), or all",
           .take = take_metrics),
    OPTION(CONST, "csv", NULL, "Print the counters as CSV", TO(form), .constant = LAUNCH_CSV),
    OPTION(CONST, "json", NULL, "Print counters and buffers as JSON", TO(form), .constant = LAUNCH_JSON),
    ROW_ON(TO(gpu)),
    ROW_GPU(TO(engine.gpu), 0),
    ROW_TIMEOUT(TO(engine.timeout), 0, " (60; 0: never)"),
};

static void take_word(struct option_reader *o, const char *word)
{
    struct launch *l = o->into;
    if (l->kernel)
        option_wrong(o, "one file and one kernel; '%s' is a third word", word);
    *(l->file ? &l->kernel : &l->file) = word;
}

static void finish(struct option_reader *o)
{
    const struct launch *l = o->into;
    if (!l->file)
        option_wrong(o, "which file? a PTX file, a fat binary, or an object that nvcc made");
    if (l->gpu && (l->nmetrics || l->all_metrics))
        option_wrong(o, "--on gpu has no counters (ncu has them); leave out --metrics");
    for (u32 i = 0; i < l->nargs && l->form == LAUNCH_CSV; i++)
        if (l->args[i].shown)
            option_wrong(o, "--csv has no place for a buffer's elements (out=); --json has");
}

static const struct option_table table = {
    .rows = rows,
    .n = LS_ARRAY_LEN(rows),
    .words = "FILE [KERNEL]",
    .about = "Launches a kernel of FILE (PTX, a fat binary, or an object or program that nvcc made) and prints its "
             "counters as ncu does.\vKERNEL may be left out when there is one. An --arg for each parameter, in order. "
             "The exit status is 1 when the file is bad, or the kernel cannot be launched or ends in an error.",
    .word = take_word,
    .finish = finish,
};

/* ---- the kernel and its parameters ---- */

static const char *type_of(const struct ptx_var *p)
{
    static char text[48];
    if (p->is_array)
        snprintf(text, sizeof text, ".%s[%llu]", ptx_type_name(p->type) + (ptx_type_name(p->type)[0] == '.'),
                 (unsigned long long)p->count);
    else
        snprintf(text, sizeof text, ".%s%s", ptx_type_name(p->type) + (ptx_type_name(p->type)[0] == '.'),
                 p->is_ptr ? " .ptr" : "");
    return text;
}

static void put_signature(FILE *out, const struct ptx_func *f)
{
    fprintf(out, "  %s(", f->name);
    for (u32 i = 0; i < f->nparams; i++)
        fprintf(out, "%s%s %s", i ? ", " : "", type_of(f->params[i]), f->params[i]->name);
    fputs(")\n", out);
}

static void put_kernels(const struct launch *l)
{
    const struct ptx_func *f;
    for (u32 i = 0; (f = cli_source_kernel(&l->source, i, NULL)); i++)
        put_signature(stderr, f);
}

/* The name that was asked for, or the function of that name as C++ mangles it at file scope: _Z5saxpyfPf. */
static bool named(const struct ptx_func *f, const char *name)
{
    char *end;
    if (strcmp(f->name, name) == 0)
        return true;
    if (strncmp(f->name, "_Z", 2) != 0)
        return false;
    unsigned long n = strtoul(f->name + 2, &end, 10);
    return n == strlen(name) && strncmp(end, name, n) == 0;
}

static bool choose_kernel(struct launch *l)
{
    const struct ptx_func *f;
    u32 n = cli_source_kernels(&l->source), matches = 0, unit;
    for (u32 i = 0; (f = cli_source_kernel(&l->source, i, &unit)); i++)
        if (l->kernel ? named(f, l->kernel) : n == 1) {
            bool exact = l->kernel && strcmp(f->name, l->kernel) == 0;
            matches = exact ? 1 : matches + 1;
            l->func = f;
            l->unit = unit;
            if (exact)
                break;
        }
    if (matches == 1)
        return true;
    if (n == 0)
        fprintf(stderr, "lockstep launch: %s has no kernel (no .entry)\n", l->file);
    else if (!l->kernel)
        fprintf(stderr, "lockstep launch: %s has %u kernels; name one of them:\n", l->file, n);
    else
        fprintf(stderr, "lockstep launch: %s %s kernel '%s'; its kernels are:\n", l->file,
                matches ? "has more than one" : "has no", l->kernel);
    put_kernels(l);
    return false;
}

/* What could be written for a parameter. */
static const char *example(const struct ptx_var *p)
{
    static char text[40];
    const char *name = ptx_type_name(p->type) + (ptx_type_name(p->type)[0] == '.');
    bool plain = !p->is_array && p->size <= 8 && strchr("suf", name[0]);
    if (!p->is_array && p->size == 8 && name[0] != 'f' && name[0] != 's')
        return "buf:BYTES or u64:VALUE";
    if (p->size <= LAUNCH_VALUE_BYTES && (p->is_array || p->type == PTX_F16 || !(plain || name[0] == 'b')))
        snprintf(text, sizeof text, "hex: and %llu bytes", (unsigned long long)p->size);
    else
        snprintf(text, sizeof text, "%c%u:VALUE",
                 name[0] == 'b'   ? 'u'
                 : name[0] == 's' ? 'i'
                                  : name[0],
                 (unsigned)(8 * p->size));
    return text;
}

static bool check_args(const struct launch *l)
{
    const struct ptx_func *f = l->func;
    for (u32 i = 0; i < f->nparams && i < l->nargs; i++) {
        const struct ptx_var *p = f->params[i];
        if (l->args[i].size == p->size)
            continue;
        fprintf(stderr,
                "lockstep launch: argument %u (--arg %s) has %u bytes, but parameter %s of %s, a %s, has %llu; "
                "write %s\n",
                i + 1, l->args[i].spec, l->args[i].size, p->name, f->name, type_of(p), (unsigned long long)p->size,
                example(p));
        return false;
    }
    if (l->nargs == f->nparams)
        return true;
    if (f->nparams == 0) {
        fprintf(stderr, "lockstep launch: %s has no parameters; leave out --arg\n", f->name);
        return false;
    }
    fprintf(stderr, "lockstep launch: %s has %u parameter%s, but there %s %u --arg; one for each, in this order:\n",
            f->name, f->nparams, f->nparams == 1 ? "" : "s", l->nargs == 1 ? "is" : "are", l->nargs);
    for (u32 i = 0; i < f->nparams; i++)
        fprintf(stderr, "  --arg %-24s %s %s\n", example(f->params[i]), type_of(f->params[i]), f->params[i]->name);
    return false;
}

/* ---- the driver ---- */

/* Of these errors Lockstep's driver prints nothing. */
static bool silent(CUresult r)
{
    return r == CUDA_ERROR_OUT_OF_MEMORY || r == CUDA_ERROR_NOT_FOUND || r == CUDA_ERROR_FILE_NOT_FOUND;
}

static int failed(const struct launch *l, CUresult r, const char *what, bool told)
{
    if (l->gpu || !told || silent(r))
        fprintf(stderr, "lockstep launch: %s: %s: %s\n", l->func->name, what, lab_cuda_error(&l->cuda, r));
    return silent(r) ? CLI_TROUBLE : CLI_BAD;
}

/* On the CPU a file that is PTX text is loaded by name, so that faults name it. */
static CUresult load(struct launch *l, CUmodule *module, CUfunction *function)
{
    const char *text = l->source.img.texts[l->unit].text;
    CUresult r =
        l->source.whole && !l->gpu ? l->cuda.module_load_file(module, l->file) : l->cuda.module_load(module, text);
    return r == CUDA_SUCCESS ? l->cuda.module_function(function, *module, l->func->name) : r;
}

static CUresult upload(struct launch *l, void *params[LAUNCH_ARGS_MAX], u32 *at)
{
    CUresult r = CUDA_SUCCESS;
    for (u32 i = 0; i < l->nargs && r == CUDA_SUCCESS; i++) {
        *at = i;
        params[i] = l->args[i].value;
        r = launch_arg_upload(&l->args[i], &l->cuda, i + 1);
    }
    return r;
}

/* More dynamic shared memory than the default must be asked for, and the device has a limit. */
static bool allow_shared(const struct launch *l, CUfunction f)
{
    int usual = 0, most = 0, fixed = 0;
    if (!l->shared)
        return true;
    l->cuda.device_attribute(&usual, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, l->cuda.device);
    l->cuda.device_attribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, l->cuda.device);
    l->cuda.function_attribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f);
    if (l->shared + (u64)fixed <= (u64)usual)
        return true;
    if (l->shared + (u64)fixed <= (u64)most &&
        l->cuda.function_set(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)l->shared) == CUDA_SUCCESS)
        return true;
    fprintf(stderr,
            "lockstep launch: %s: %llu bytes of dynamic shared memory and %d of its own; a block of %s has %d\n",
            l->func->name, (unsigned long long)l->shared, fixed, l->cuda.device_name, most);
    return false;
}

/* Launches and waits, between two events on a GPU. *launched: the launch itself was accepted. */
static CUresult start(struct launch *l, CUfunction f, void **params, double *ms, bool *launched)
{
    const u32 *g = l->grid, *b = l->block;
    struct lab_cuda *c = &l->cuda;
    CUevent from = NULL, to = NULL;
    float took = 0;
    CUresult r = CUDA_SUCCESS;
    if (l->gpu && (r = c->event_create(&from, 0)) == CUDA_SUCCESS)
        r = c->event_create(&to, 0);
    if (from && to)
        c->event_record(from, NULL);
    if (r == CUDA_SUCCESS)
        r = c->launch(f, g[0], g[1], g[2], b[0], b[1], b[2], (u32)l->shared, NULL, params, NULL);
    *launched = r == CUDA_SUCCESS;
    if (from && to)
        c->event_record(to, NULL);
    if (r == CUDA_SUCCESS)
        r = c->synchronize();
    if (r == CUDA_SUCCESS && from && to)
        c->event_elapsed(&took, from, to);
    if (from)
        c->event_destroy(from);
    if (to)
        c->event_destroy(to);
    *ms = took;
    return r;
}

/* ---- the result ---- */

/* The first elements of the buffers to be shown. */
static CUresult fetch(struct launch *l, struct arena *mem, struct launch_shown *shown, u32 *n)
{
    CUresult r = CUDA_SUCCESS;
    *n = 0;
    for (u32 i = 0; i < l->nargs && r == CUDA_SUCCESS; i++) {
        const struct launch_arg *a = &l->args[i];
        if (!a->shown)
            continue;
        u64 have = a->bytes / a->type->size, count = a->shown < have ? a->shown : have;
        u8 *data = arena_alloc(mem, count * a->type->size + 1);
        if (count)
            r = l->cuda.to_host(data, a->device, count * a->type->size);
        shown[(*n)++] = (struct launch_shown){i + 1, l->func->params[i]->name, a->type, data, count};
    }
    return r;
}

static int print(struct launch *l, struct arena *mem, double ms, struct diag_list *diags)
{
    struct launch_shown *shown = arena_array(mem, struct launch_shown, LAUNCH_ARGS_MAX);
    u32 nshown;
    CUresult r = fetch(l, mem, shown, &nshown);
    if (r != CUDA_SUCCESS)
        return failed(l, r, "its buffers cannot be read", false);
    u32 launches;
    struct meter_report *report = l->gpu ? NULL : lab_session_sum(l->session, l->func->name, &launches, diags);
    if (!l->gpu && !report) {
        fputs("lockstep launch: the driver left no counters\n", stderr);
        return CLI_TROUBLE;
    }
    struct launch_result result = {.kernel = l->func->name,
                                   .device = l->cuda.device_name,
                                   .report = report,
                                   .milliseconds = ms,
                                   .metrics = l->metrics,
                                   .nmetrics = l->all_metrics ? 0 : l->nmetrics,
                                   .all_metrics = l->all_metrics,
                                   .shown = shown,
                                   .nshown = nshown};
    memcpy(result.grid, l->grid, sizeof result.grid);
    memcpy(result.block, l->block, sizeof result.block);
    bool good = launch_print(stdout, &result, l->form);
    if (report)
        meter_report_free(report);
    if (!good)
        fputs("lockstep launch: out of memory\n", stderr);
    return good ? CLI_OK : CLI_TROUBLE;
}

static int run(struct launch *l, struct arena *mem, struct diag_list *diags)
{
    void *params[LAUNCH_ARGS_MAX];
    CUmodule module = NULL;
    CUfunction f = NULL;
    u32 at = 0;
    double ms;
    bool launched;
    char what[128];
    CUresult r = load(l, &module, &f);
    if (r != CUDA_SUCCESS)
        return failed(l, r, "the module cannot be loaded", true);
    r = upload(l, params, &at);
    if (r != CUDA_SUCCESS) {
        snprintf(what, sizeof what, "the buffer of argument %u (--arg %.60s) cannot be made", at + 1, l->args[at].spec);
        return failed(l, r, what, false);
    }
    if (!allow_shared(l, f))
        return CLI_BAD;
    r = start(l, f, params, &ms, &launched);
    if (r != CUDA_SUCCESS)
        return failed(l, r, launched ? "it ended in" : "it cannot be launched", true);
    return print(l, mem, ms, diags);
}

/* ---- from the start to the end ---- */

static bool open_driver(struct launch *l, struct diag_list *diags)
{
    if (!l->gpu && lab_session_open(l->session, diags) != LS_OK)
        return false;
    l->open = lab_cuda_open(&l->cuda, l->gpu, diags) == LS_OK;
    return l->open;
}

/* The compute capability that PTX is chosen for. */
static bool capability(struct launch *l, u32 *sm, struct diag_list *diags)
{
    struct gpu gpu;
    int major = 0, minor = 0;
    if (!l->gpu) {
        bool known = gpu_find(said.gpu, &gpu, diags) == LS_OK;
        *sm = known ? gpu.cc_major * 10 + gpu.cc_minor : 0;
        return known;
    }
    if (!open_driver(l, diags))
        return false;
    l->cuda.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, l->cuda.device);
    l->cuda.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, l->cuda.device);
    *sm = (u32)(major * 10 + minor);
    return true;
}

static int prepare_and_run(struct launch *l, struct diag_list *diags)
{
    u32 sm;
    if (!capability(l, &sm, diags))
        return CLI_TROUBLE;
    enum ls_status s = cli_source_open(l->file, sm, &l->source, diags);
    if (s != LS_OK)
        return s == LS_ERR_IO || s == LS_ERR_NOMEM ? CLI_TROUBLE : CLI_BAD;
    if (!choose_kernel(l))
        return cli_source_kernels(&l->source) ? CLI_USAGE : CLI_BAD;
    if (!check_args(l))
        return CLI_USAGE;
    if (!l->gpu && !open_driver(l, diags))
        return CLI_TROUBLE;
    struct arena mem = ARENA("launch");
    int status = CLI_TROUBLE;
    if (setjmp(mem.oom))
        fputs("lockstep launch: out of memory\n", stderr);
    else
        status = run(l, &mem, diags);
    arena_free(&mem);
    return status;
}

int cli_launch(int argc, char **argv)
{
    static struct launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct diag_list diags;
    int status;
    if (!options_read(&table, &l, argc, argv, &status))
        return status;
    said_set(&said, SETTING_KERNEL, ""); /* it could keep the driver from counting this one */
    if (!engine_options_set(&l.engine) ||
        !said_set(&said, SETTING_TIMEOUT, said.given[SETTING_TIMEOUT] ? NULL : "60") || !said_export(&said))
        return CLI_TROUBLE;
    diag_init(&diags);
    status = prepare_and_run(&l, &diags);
    if (diags.errors || diags.warnings)
        cli_print_diags(&diags);
    if (l.open)
        lab_cuda_close(&l.cuda);
    if (l.session[0])
        lab_session_close(l.session);
    cli_source_close(&l.source);
    diag_free(&diags);
    return status;
}
