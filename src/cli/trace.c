/* trace.c - `lockstep trace PROGRAM`: when each copy and kernel would run on the GPU, as nvprof printed it, and as a file
 * for Perfetto. The program runs with every launch recorded; times come from the models (report/timeline/timeline.h). */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/folder.h"
#include "cli/program.h"
#include "report/timeline/timeline.h"

enum page { PAGE_GPU, PAGE_API, PAGE_SUMMARY };

struct trace {
    enum page page;
    bool csv, unchecked;
    const char *chrome, *log; /* NULL: none, stdout */
    char **program;
    char folder[FOLDER_MAX];
    struct gpu gpu;
    struct session session;
    struct timeline *lines; /* of the processes that have one */
    u32 n;
};

enum { OPT_API = 256, OPT_GPU_TRACE, OPT_SUMMARY, OPT_CSV, OPT_LOG, OPT_NO_CHECK };

static const struct argp_option options[] = {
    {"print-gpu-trace", OPT_GPU_TRACE, NULL, 0, "each copy, fill and kernel (the default)", 0},
    {"print-api-trace", OPT_API, NULL, 0, "each call of the CUDA API", 0},
    {"print-summary", OPT_SUMMARY, NULL, 0, "one line a kernel, kind of copy and call", 0},
    {"csv", OPT_CSV, NULL, 0, "comma-separated, times in us, sizes in bytes", 0},
    {"output", 'o', "FILE", 0, "write a trace for ui.perfetto.dev and chrome://tracing", 0},
    {"log-file", OPT_LOG, "FILE", 0, "print to the file and not to stdout", 0},
    {"gpu", 'g', "NAME", 0, "the GPU to be (`lockstep gpus` lists them)", 0},
    {"no-check", OPT_NO_CHECK, NULL, 0, "start the program without looking at its file first", 0},
    {0},
};

static error_t take(int key, char *arg, struct argp_state *state)
{
    struct trace *t = state->input;
    switch (key) {
    case OPT_GPU_TRACE:
        t->page = PAGE_GPU;
        return 0;
    case OPT_API:
        t->page = PAGE_API;
        return 0;
    case OPT_SUMMARY:
        t->page = PAGE_SUMMARY;
        return 0;
    case OPT_CSV:
        t->csv = true;
        return 0;
    case OPT_LOG:
        t->log = arg;
        return 0;
    case OPT_NO_CHECK:
        t->unchecked = true;
        return 0;
    case 'o':
        t->chrome = arg;
        return 0;
    case 'g':
        if (setenv("LOCKSTEP_GPU", arg, 1))
            argp_failure(state, CLI_TROUBLE, 0, "out of memory");
        return 0;
    case ARGP_KEY_ARG: /* the program: all that follows is its own */
        t->program = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which program?");
        return 0;
    case ARGP_KEY_END:
        if (t->csv && t->page == PAGE_SUMMARY)
            argp_error(state, "--csv is for --print-gpu-trace and --print-api-trace");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    take,
    "PROGRAM [ARGUMENT...]",
    "Runs a CUDA program and prints when its copies and kernels would run on the GPU, as nvprof --print-gpu-trace did. "
    "Times are modelled from sizes, counters and the GPU's file; the program's own work on the host counts nothing.",
    NULL,
    NULL,
    NULL};

/* ---- the program ---- */

static int run(struct trace *t)
{
    struct program_facts f;
    pid_t pid;
    int status = program_ready(t->program[0], t->unchecked, &f);
    if (status)
        return status;
    if (setenv("LOCKSTEP_SESSION", t->folder, 1) || setenv("LOCKSTEP_TIMELINE", "1", 1) ||
        setenv("LOCKSTEP_CACHES", "1", 1) || unsetenv("LOCKSTEP_KERNEL"))
        return CLI_TROUBLE;
    status = program_spawn(&f, t->program, &pid);
    return status ? status : program_wait(pid);
}

/* ---- what it left ---- */

static u32 process_of(const struct session *s, u64 pid)
{
    for (u32 i = 0; i < s->nprocesses; i++)
        if (s->processes[i].pid == pid)
            return i;
    return UINT32_MAX; /* it launched nothing */
}

static enum ls_status read_lines(struct trace *t, const char *name, struct diag_list *diags)
{
    char path[FOLDER_MAX + 300];
    struct timeline *more = ls_realloc(t->lines, (t->n + 1) * sizeof *more);
    if (!more)
        return LS_ERR_NOMEM;
    t->lines = more;
    snprintf(path, sizeof path, "%s/%s", t->folder, name);
    return timeline_read(path, &t->session, process_of(&t->session, strtoull(name, NULL, 10)), &t->gpu,
                         &t->lines[t->n++], diags);
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
    const u64 x = strtoull((*a)->d_name, NULL, 10), y = strtoull((*b)->d_name, NULL, 10);
    return (x > y) - (x < y);
}

static int is_lines(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && strcmp(dot, ".line") == 0;
}

static enum ls_status collect(struct trace *t, struct diag_list *diags)
{
    struct dirent **names;
    const int n = scandir(t->folder, &names, is_lines, by_number);
    enum ls_status status = session_read(t->folder, &t->session, diags);
    for (int i = 0; i < n; i++) {
        if (status == LS_OK)
            status = read_lines(t, names[i]->d_name, diags);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return status;
}

/* ---- printing ---- */

static void print_page(const struct trace *t, FILE *out)
{
    if (!t->n)
        fputs("==lockstep== no call of the CUDA API was seen\n", out);
    for (u32 i = 0; i < t->n; i++) {
        const struct timeline *l = &t->lines[i];
        if (!t->csv)
            fprintf(out, "==lockstep== %s on %s: modelled times, nothing was measured\n",
                    l->process < t->session.nprocesses ? t->session.processes[l->process].path : t->program[0],
                    t->gpu.name);
        if (t->page == PAGE_GPU)
            timeline_print_gpu(out, l, &t->gpu, t->csv);
        else if (t->page == PAGE_API)
            timeline_print_api(out, l, t->csv);
        else
            timeline_print_summary(out, l);
    }
}

static FILE *open_or_say(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f)
        fprintf(stderr, "lockstep trace: cannot write %s: %s\n", path, strerror(errno));
    return f;
}

static int close_or_say(FILE *f, bool ok, const char *path)
{
    ok &= ferror(f) == 0;
    ok &= fclose(f) == 0;
    if (!ok)
        fprintf(stderr, "lockstep trace: %s could not be written whole\n", path);
    return ok ? CLI_OK : CLI_TROUBLE;
}

static int print(const struct trace *t)
{
    FILE *f = t->log ? open_or_say(t->log) : stdout;
    if (!f)
        return CLI_TROUBLE;
    print_page(t, f);
    int status = t->log ? close_or_say(f, true, t->log) : CLI_OK;
    if (t->chrome) {
        f = open_or_say(t->chrome);
        if (!f)
            return CLI_TROUBLE;
        status |= close_or_say(f, timeline_chrome(f, t->lines, t->n, &t->session, &t->gpu), t->chrome);
    }
    return status;
}

static int report(struct trace *t)
{
    struct diag_list diags;
    diag_init(&diags);
    const enum ls_status s = collect(t, &diags);
    if (s == LS_ERR_NOMEM && !diags.errors)
        diag_add(&diags, DIAG_ERROR, (struct diag_place){0}, "out of memory");
    if (diags.errors || diags.warnings)
        cli_print_diags(&diags);
    diag_free(&diags);
    const int status = s == LS_OK ? print(t) : CLI_TROUBLE;
    for (u32 i = 0; i < t->n; i++)
        timeline_free(&t->lines[i]);
    ls_free(t->lines);
    session_free(&t->session);
    return status;
}

/* The program's own exit status, unless what it left could not be read. */
int cli_trace(int argc, char **argv)
{
    struct trace t = {.page = PAGE_GPU};
    argp_err_exit_status = CLI_USAGE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &t);
    if (!cli_gpu(&t.gpu) || !folder_make("trace", t.folder))
        return CLI_TROUBLE;
    int status = run(&t);
    if (status != 126 && status != 127) {
        const int told = report(&t);
        status = told ? told : status;
    }
    folder_remove(t.folder);
    return status;
}
