/* gate_options.c - the command lines of `lockstep gate record`, `check` and `update`: a table each. */
#include <stdlib.h>
#include <string.h>

#include "base/likeness.h"
#include "cli/cli.h"
#include "cli/gate/gate_command.h"
#include "meter/session/select.h"

#define TO(member) .at = OPTION_AT(struct gate_command, member)

static void take_tolerance(struct option_reader *o, const struct option_value *v)
{
    struct gate_command *c = o->into;
    char name[200], *end;
    const char *equals = strrchr(v->text, '='), *near = NULL;
    if (!equals) {
        option_wrong(o, "--tolerance needs METRIC=PERCENT, not '%s'", v->text);
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - v->text), v->text);
    const int m = gate_metric_find(name);
    const double percent = strtod(equals + 1, &end);
    if (m < 0) {
        for (u32 i = 0; i < GATE_METRICS; i++)
            likeness_keep(&near, name, gate_metric_info((enum gate_metric)i)->name);
        option_wrong(o, "a baseline has no metric '%s'%s%s%s (docs/gate.md lists them)", name,
                     near ? "; the nearest is '" : "", near ? near : "", near ? "'" : "");
    } else if (end == equals + 1 || strcmp(end, *end == '%' ? "%" : "") != 0 || !(percent >= 0) || percent > 1e6) {
        option_wrong(o, "--tolerance %s needs a percentage, 0 or more, not '%s'", name, equals + 1);
    } else {
        c->tolerance[m] = (struct gate_tolerance){true, percent};
    }
}

static void take_kernel(struct option_reader *o, const struct option_value *v)
{
    struct gate_command *c = o->into;
    vec_push(&c->mem, &c->accepted, v->text);
}

#define ROWS_RUN                                                                                                       \
    OPTION_TITLE("How the program runs:"), ROW_GPU(TO(engine.gpu), 0), ROW_WORKERS(TO(engine.workers), 0, " (1)"),     \
        ROW_SEED(TO(engine.seed), 0), ROW_TIMEOUT(TO(engine.timeout), 0, ""), ROW_NO_CHECK(TO(unchecked)),             \
        OPTION(YES_NO, "check-exit-code", "yes|no", "no: a program that fails is compared all the same",               \
               TO(tell_exit_code)),                                                                                    \
        OPTION(FLAG, "quiet", NULL, "Print errors alone", TO(quiet), .letter = 'q')

#define ROWS_RECORDED                                                                                                  \
    OPTION(CALL, "tolerance", "METRIC=PERCENT",                                                                        \
           "A difference of so much is none, in this baseline; also makes a metric fail that is told otherwise",       \
           .take = take_tolerance),                                                                                    \
        OPTION(FLAG, "strict", NULL, "Instructions and branches are compared too, in this baseline", TO(strict))

static const struct option_row record_rows[] = {
    OPTION_TITLE("What is recorded:"),
    OPTION(TEXT, "output", "FILE", "The baseline (lockstep.gate)", TO(file), .letter = 'o'),
    OPTION(TEXT, "kernel-name", "NAME", "Kernels of that name alone, or regex:EXPR", TO(select), .letter = 'k'),
    ROWS_RECORDED,
    OPTION(YES_NO, "model", "yes|no", "no: without modelled time, which takes a while (yes)", TO(no_model),
           .negate = true),
    ROWS_RUN,
};

static const struct option_row check_rows[] = {
    OPTION_TITLE("What is printed, and written beside it:"),
    OPTION(FLAG, "told", NULL, "Also kernels of which nothing differs but what does not fail", TO(told)),
    OPTION(TEXT, "markdown", "FILE", "A table for a pull request", TO(markdown)),
    OPTION(TEXT, "junit", "FILE", "JUnit's XML, a test case a kernel", TO(junit)),
    OPTION(TEXT, "json", "FILE", "All of it as JSON", TO(json)),
    OPTION(TEXT, "sarif", "FILE", "SARIF 2.1.0, for code hosts", TO(sarif)),
    ROWS_RUN,
};

static const struct option_row update_rows[] = {
    OPTION_TITLE("What is accepted:"),
    OPTION(CALL, "kernel", "NAME", "This kernel alone (may be given again): its name, with or without parameters",
           .take = take_kernel),
    ROWS_RECORDED,
    ROWS_RUN,
};

static void finish_record(struct option_reader *o)
{
    struct gate_command *c = o->into;
    c->file = c->file ? c->file : "lockstep.gate";
    const struct select_options wanted = {.kernel = c->select, .base = "function"};
    struct select s;
    char why[256];
    if (select_init(&s, &wanted, why))
        select_free(&s);
    else
        option_wrong(o, "--kernel-name: %s", why);
    if (!c->program)
        option_wrong(o, "which program?");
}

/* The first word is the baseline, unless it came in front of the options. */
static void finish_with_file(struct option_reader *o)
{
    struct gate_command *c = o->into;
    if (!c->file && c->program) {
        c->file = *c->program++;
        if (*c->program && !strcmp(*c->program, "--"))
            c->program++;
    }
    if (!c->file)
        option_wrong(o, "which baseline?");
    if (c->program && !*c->program)
        c->program = NULL;
}

static const struct option_table tables[] = {
    [GATE_RECORD] =
        {.rows = record_rows,
         .n = LS_ARRAY_LEN(record_rows),
         .words = "[--] PROGRAM [ARGUMENT...]",
         .about = "Runs a program, or a command that runs several, and writes what its kernels do to a baseline.",
         .program = OPTION_AT(struct gate_command, program),
         .finish = finish_record},
    [GATE_CHECK] =
        {.rows = check_rows,
         .n = LS_ARRAY_LEN(check_rows),
         .words = "FILE [OPTION...] [-- PROGRAM [ARGUMENT...]]",
         .about = "Runs the program again, the baseline's own unless one is given, and says what has changed. The exit "
                  "status is 0 when nothing has, 1 when something has, 2 when it could not be done.",
         .program = OPTION_AT(struct gate_command, program),
         .finish = finish_with_file},
    [GATE_UPDATE] = {.rows = update_rows,
                     .n = LS_ARRAY_LEN(update_rows),
                     .words = "FILE [OPTION...] [-- PROGRAM [ARGUMENT...]]",
                     .about = "Runs the program again and writes what it does now into the baseline.",
                     .program = OPTION_AT(struct gate_command, program),
                     .finish = finish_with_file},
};

static void print_usage(FILE *out)
{
    fputs("usage: lockstep gate record [OPTION...] [-o FILE] [--] PROGRAM [ARGUMENT...]\n"
          "       lockstep gate check FILE [OPTION...] [-- PROGRAM [ARGUMENT...]]\n"
          "       lockstep gate update FILE [OPTION...] [-- PROGRAM [ARGUMENT...]]\n\n"
          "Writes down what a program's kernels do, and says later what has changed, where and why.\n"
          "`lockstep gate record --help` and its like say more.\n",
          out);
}

static const char *const verbs[] = {"record", "check", "update"};

/* For what describes the commands: all tables. */
static void hand_on_tables(struct gate_command *c, int *status)
{
    for (u32 v = 0; v < LS_ARRAY_LEN(verbs); v++) {
        char name[40];
        snprintf(name, sizeof name, "lockstep gate %s", verbs[v]);
        options_read(&tables[v], c, 1, (char *[]){name, NULL}, status);
    }
}

bool gate_options_read(struct gate_command *c, int argc, char **argv, int *status)
{
    static char name[40];
    const char *given = argc > 1 ? argv[1] : "";
    const bool help =
        !strcmp(given, "--help") || !strcmp(given, "-h") || !strcmp(given, "-?") || !strcmp(given, "--usage");
    c->tell_exit_code = true;
    if (options_collected()) {
        hand_on_tables(c, status);
        return false;
    }
    for (u32 v = 0; v < LS_ARRAY_LEN(verbs); v++) {
        if (strcmp(given, verbs[v]) != 0)
            continue;
        c->verb = (enum gate_verb)v;
        snprintf(name, sizeof name, "lockstep gate %s", given);
        if (v != GATE_RECORD && argc > 2 && argv[2][0] != '-') {
            c->file = argv[2];
            argv++;
            argc--;
        }
        argv[1] = name;
        const bool good = options_read(&tables[v], c, argc - 1, argv + 1, status);
        *status = *status ? GATE_EXIT_NOT_DONE : *status;
        return good;
    }
    if (!help)
        fprintf(stderr, "lockstep gate: record, check or update?\n");
    print_usage(help ? stdout : stderr);
    *status = help ? GATE_EXIT_SAME : GATE_EXIT_NOT_DONE;
    return false;
}
