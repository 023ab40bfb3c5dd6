/* report_command.c - `lockstep report`: a program under the meter, or a report file, as one HTML file to look at. It is
 * `lockstep profile --html` with the options that matter for it. */
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/profile/profile_command.h"
#include "cli/program.h"
#include "cli/shared_options.h"

#define TO(member) .at = OPTION_AT(struct profile, member)

static const struct option_row rows[] = {
    OPTION_TITLE("What is written:"),
    OPTION(TEXT, "output", "FILE", "The page (lockstep.html)", TO(html), .letter = 'o'),
    OPTION(TEXT, "import", "FILE", "From a report file of `lockstep profile -o`; no program runs", TO(import),
           .letter = 'i'),
    OPTION(TEXT, "baseline", "FILE", "Compare with an older report of `lockstep profile -o`", TO(baseline)),
    OPTION(CALL, "source-folders", "FOLDER,...", "Where to look for source files", .take = profile_take_folders),
    OPTION(FLAG, "quiet", NULL, "Do not say what was written", TO(silent), .letter = 'q'),
    OPTION_TITLE("Which launches:"),
    OPTION(TEXT, "kernel-name", "NAME|regex:EXPR", "Only kernels of that name", TO(select.kernel), .letter = 'k'),
    ROW_LAUNCH_SKIP(TO(select.skip)),
    ROW_LAUNCH_COUNT("Record at most N launches", TO(select.count), .least = 1),
    OPTION(CHOICE, "model-launches", "all|sampled",
           "all: model every launch. sampled: of launches alike the 1st, 2nd, 4th, 8th ... (sampled)",
           TO(model_launches), .as_text = true),
    OPTION(CHOICE, "clock-control", "base|none",
           "The clock of the modelled time: the GPU's base clock (base), or its boost clock", TO(boost_clock)),
    OPTION_TITLE("How the program runs:"),
    ROW_GPU(TO(gpu), 0),
    ROW_WORKERS(TO(workers), 0, ""),
    ROW_SEED(TO(seed), 0),
    ROW_MEMORY(TO(memory)),
    ROW_TIMEOUT(TO(timeout), 0, ""),
    ROW_PTXAS(TO(ptxas)),
    ROW_NO_CHECK(TO(unchecked)),
};

/* As `lockstep profile -o` names them. */
static bool is_named_report(const char *path)
{
    static const char end[] = ".lsrep";
    const size_t n = strlen(path);
    return n >= sizeof end && !strcmp(path + n - (sizeof end - 1), end);
}

/* A single word that is a report, or should be one, is no program. */
static void finish(struct option_reader *o)
{
    struct profile *p = o->into;
    profile_check_options(o, p);
    if (p->program && !p->program[1] && !p->import &&
        (is_named_report(p->program[0]) || profile_is_report(p->program[0]))) {
        p->import = p->program[0];
        p->program = NULL;
    }
    if (!p->program && !p->import)
        option_wrong(o, "which program, or which report file?");
    if (p->program && p->import)
        option_wrong(o, "--import shows a report: no program runs beside it");
    p->html = p->html ? p->html : "lockstep.html";
    p->clock_named = option_given(o, "clock-control");
}

static const struct option_table table = {
    .rows = rows,
    .n = LS_ARRAY_LEN(rows),
    .words = "[--] PROGRAM [ARGUMENT...]\nFILE.lsrep",
    .about =
        "Runs a CUDA program on Lockstep's device and writes one HTML file: its kernels by modelled time, and of each "
        "the "
        "limits, the memory, the source line by line, and what to do. The file needs no network. The exit status is "
        "the program's.",
    .program = OPTION_AT(struct profile, program),
    .finish = finish,
};

static int write_page(struct profile *p, const struct session *s, int status)
{
    const char *filtered = select_given(&p->select) ? " that the filters take" : "";
    if (status)
        fprintf(stderr, "%s: the program failed (%s)\n", p->self, program_end_text(status));
    if (!s->n && p->import)
        fprintf(stderr, "%s: %s holds no launch%s: there is nothing to show, and %s was not written\n", p->self,
                p->import, filtered, p->html);
    else if (!s->n)
        fprintf(stderr, "%s: no kernel was launched%s: there is nothing to show, and %s was not written\n", p->self,
                filtered, p->html);
    if (!s->n)
        return status ? status : CLI_TROUBLE;
    if (!profile_html(p, s))
        return CLI_TROUBLE;
    if (!p->silent)
        fprintf(stderr, "%s: wrote %s\n", p->self, p->html);
    return status;
}

static int run(struct profile *p)
{
    struct session s = {0};
    int status = CLI_TROUBLE;
    if ((p->baseline && !profile_report_there(p, p->baseline)) || !profile_html_ready(p))
        return status;
    const bool good = p->import ? profile_read(p, p->import, &s, &status) : profile_run(p, stderr, &s, &status);
    if (good)
        status = write_page(p, &s, status);
    session_free(&s);
    timelines_free(&p->timelines);
    return status;
}

int cli_report(int argc, char **argv)
{
    struct profile *p = ls_calloc(1, sizeof *p);
    if (!p || setjmp(p->mem.oom)) {
        fputs("lockstep report: out of memory\n", stderr);
        return CLI_TROUBLE;
    }
    p->mem.name = "report";
    p->self = "lockstep report";
    p->select.base = "function";
    p->from_start = p->quiet = true; /* quiet: without ncu's lines in the program's output */
    int status;
    if (options_read(&table, p, argc, argv, &status))
        status = run(p);
    arena_free(&p->mem);
    ls_free(p);
    return status;
}
