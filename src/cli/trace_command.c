/* trace_command.c - `lockstep trace PROGRAM`: when each copy and kernel would run on the GPU, as nvprof printed it, and as a file
 * for Perfetto. The program runs with every launch recorded; times come from the models (report/timeline/timeline.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/folder.h"
#include "cli/new_file.h"
#include "cli/program.h"
#include "cli/said.h"
#include "cli/shared_options.h"
#include "report/timeline/timeline.h"

enum page { PAGE_GPU, PAGE_API, PAGE_SUMMARY };

struct trace {
    struct engine_options engine;
    enum page page;
    bool csv, unchecked;
    const char *chrome, *log; /* NULL: none, stdout */
    char **program;
    char folder[FOLDER_MAX];
    struct gpu gpu;
    struct session session;
    struct timelines lines;
};

#define TO(member) .at = OPTION_AT(struct trace, member)

static const struct option_row rows[] = {
    OPTION(CONST, "print-gpu-trace", NULL, "Each copy, fill and kernel (the default)", TO(page), .constant = PAGE_GPU),
    OPTION(CONST, "print-api-trace", NULL, "Each call of the CUDA API", TO(page), .constant = PAGE_API),
    OPTION(CONST, "print-summary", NULL, "One line a kernel, kind of copy and call", TO(page),
           .constant = PAGE_SUMMARY),
    OPTION(FLAG, "csv", NULL, "Comma-separated, times in us, sizes in bytes", TO(csv)),
    OPTION(TEXT, "output", "FILE", "Write a trace for ui.perfetto.dev and chrome://tracing", TO(chrome), .letter = 'o'),
    OPTION(TEXT, "log-file", "FILE", "Print to the file and not to stdout", TO(log)),
    ROW_GPU(TO(engine.gpu), 'g'),
    ROW_NO_CHECK(TO(unchecked)),
};

static void finish(struct option_reader *o)
{
    const struct trace *t = o->into;
    if (!t->program)
        option_wrong(o, "which program?");
    else if (t->csv && t->page == PAGE_SUMMARY)
        option_wrong(o, "--csv is for --print-gpu-trace and --print-api-trace");
}

static const struct option_table table = {
    .rows = rows,
    .n = LS_ARRAY_LEN(rows),
    .words = "PROGRAM [ARGUMENT...]",
    .about = "Runs a CUDA program and prints when its copies and kernels would run on the GPU, as nvprof "
             "--print-gpu-trace did. Times are modelled from sizes, counters and the GPU's file; the program's own "
             "work on the host counts nothing.",
    .program = OPTION_AT(struct trace, program),
    .finish = finish,
};

/* ---- the program ---- */

static int run(struct trace *t)
{
    struct program_facts f;
    pid_t pid;
    int status = program_ready(t->program[0], t->unchecked, &f);
    if (status)
        return status;
    struct settings s = said;
    settings_begin_run(&s);
    if (!said_set(&s, SETTING_SESSION, t->folder) || !said_set(&s, SETTING_TIMELINE, "1") ||
        !said_set(&s, SETTING_CACHES, "1") || !said_set(&s, SETTING_CLOCK, said.given[SETTING_CLOCK]) ||
        !said_export(&s))
        return CLI_TROUBLE;
    status = program_spawn(&f, t->program, &pid);
    return status ? status : program_wait(pid);
}

/* ---- what it left ---- */

static enum ls_status collect(struct trace *t, struct diag_list *diags)
{
    const enum ls_status status = session_read(t->folder, &t->session, diags);
    return status == LS_OK ? timeline_read_folder(t->folder, &t->session, &t->gpu, &t->lines, diags) : status;
}

/* ---- printing ---- */

static void print_page(const struct trace *t, FILE *out)
{
    if (!t->lines.n)
        fputs("==lockstep== no call of the CUDA API was seen\n", out);
    for (u32 i = 0; i < t->lines.n; i++) {
        const struct timeline *l = &t->lines.all[i];
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
        status |= close_or_say(f, timeline_chrome(f, t->lines.all, t->lines.n, &t->session, &t->gpu), t->chrome);
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
    timelines_free(&t->lines);
    session_free(&t->session);
    return status;
}

/* The program's own exit status, unless what it left could not be read. */
int cli_trace(int argc, char **argv)
{
    struct trace t = {.page = PAGE_GPU};
    int status;
    if (!options_read(&table, &t, argc, argv, &status))
        return status;
    if (!engine_options_set(&t.engine) || !cli_gpu(&t.gpu) || !folder_make("trace", t.folder))
        return CLI_TROUBLE;
    const bool ready = (!t.log || new_file_ready("lockstep trace", t.log)) &&
                       (!t.chrome || new_file_ready("lockstep trace", t.chrome)); /* asked before the program runs */
    if (!ready) {
        folder_remove(t.folder);
        return CLI_TROUBLE;
    }
    status = run(&t);
    if (status != 126 && status != 127) {
        const int told = report(&t);
        status = told ? told : status;
    }
    folder_remove(t.folder);
    return status;
}
