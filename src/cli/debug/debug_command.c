/* debug_command.c - `lockstep debug PROGRAM [ARGUMENT...]`: its options, and where its lines come from: -ex and -x, then
 * stdin; a terminal has a prompt and a history (libedit). */
#include <editline/readline.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/debug/dap/dap.h"
#include "cli/debug/debug.h"
#include "cli/said.h"
#include "cli/shared_options.h"

enum { LINES_MOST = 256 };

struct debug_options {
    struct engine_options engine;
    bool batch, json, unchecked, args, dap;
    char **program;
    struct {
        const char *text;
        bool file;
    } lines[LINES_MOST];
    u32 nlines;
    const char *unused;
};

static void add_line(struct option_reader *o, const char *text, bool file)
{
    struct debug_options *r = o->into;
    if (r->nlines == LINES_MOST) {
        option_wrong(o, "more than %d lines", LINES_MOST);
        return;
    }
    r->lines[r->nlines].text = text;
    r->lines[r->nlines++].file = file;
}

static void take_line(struct option_reader *o, const struct option_value *v) { add_line(o, v->text, false); }
static void take_file(struct option_reader *o, const struct option_value *v) { add_line(o, v->text, true); }

#define TO(member) .at = OPTION_AT(struct debug_options, member)

static const struct option_row rows[] = {
    OPTION(TEXT, "ex", "LINE", "Do this line first; may be given more than once", TO(unused), .take = take_line),
    OPTION(TEXT, "command", "FILE", "Do the lines of this file first", TO(unused), .take = take_file, .letter = 'x'),
    OPTION(FLAG, "batch", NULL, "End behind these lines", TO(batch)),
    OPTION(FLAG, "args", NULL, "The program and its arguments follow, as without", TO(args)),
    OPTION(FLAG, "dap", NULL, "Serve an editor on stdin and stdout, by the Debug Adapter Protocol", TO(dap)),
    OPTION(FLAG, "json", NULL, "An object of JSON a line instead of text", TO(json)),
    ROW_GPU(TO(engine.gpu), 'g'),
    ROW_SEED(TO(engine.seed), 's'),
    ROW_MEMORY(TO(engine.memory)),
    ROW_NO_CHECK(TO(unchecked)),
};

static const struct option_table table = {
    .rows = rows,
    .n = LS_ARRAY_LEN(rows),
    .words = "[PROGRAM [ARGUMENT...]]",
    .about =
        "Debugs the kernels of a CUDA program, in the words of cuda-gdb, forwards and backwards: break, run, step, "
        "print, info cuda threads, reverse-continue, info write. `help` inside lists them. Compile the program with "
        "`lockstep cc -G` or `nvcc -G -cudart shared`.",
    .program = OPTION_AT(struct debug_options, program),
};

/* ---- Ctrl-C ---- */

static volatile int interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* ---- lines ---- */

static void read_terminal(struct debug_cli *d)
{
    char *line;
    using_history();
    while (!d->over && (line = readline("(lockstep) "))) {
        if (*line)
            add_history(line);
        interrupted = 0; /* at the prompt it means nothing */
        debug_line(d, line);
        free(line); /* libedit's */
    }
}

static void read_lines(struct debug_cli *d, FILE *f)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while (!d->over && (n = getline(&line, &room, f)) >= 0) {
        if (n && line[n - 1] == '\n')
            line[n - 1] = '\0';
        debug_line(d, line);
    }
    free(line); /* getline's */
}

bool debug_read_file(struct debug_cli *d, const char *path)
{
    FILE *f = d->depth < 16 ? fopen(path, "r") : NULL;
    if (!f)
        return false;
    d->depth++;
    read_lines(d, f);
    d->depth--;
    fclose(f);
    return true;
}

static void serve(struct debug_cli *d, const struct debug_options *o)
{
    if (setjmp(*session_recovery(d->s))) {
        debug_wrong(d, "Out of memory.");
        d->status = CLI_TROUBLE;
        return;
    }
    for (u32 k = 0; k < o->nlines && !d->over; k++)
        if (!o->lines[k].file)
            debug_line(d, o->lines[k].text);
        else if (!debug_read_file(d, o->lines[k].text))
            debug_wrong(d, "%s cannot be read.", o->lines[k].text);
    if (d->batch || d->over)
        return;
    if (isatty(STDIN_FILENO) && !d->json)
        read_terminal(d);
    else
        read_lines(d, stdin);
}

/* -ex and -args, as gdb spells them: long options with one dash. */
static void two_dashes(int argc, char **argv)
{
    static const char *const with_value[] = {"--ex", "--command", "-x", "--gpu", "-g", "--seed", "-s", "--memory"};
    for (int k = 1; k < argc && argv[k][0] == '-'; k++) {
        if (strcmp(argv[k], "-ex") == 0)
            argv[k] = (char *)"--ex";
        else if (strcmp(argv[k], "-args") == 0)
            argv[k] = (char *)"--args";
        else if (strcmp(argv[k], "-batch") == 0)
            argv[k] = (char *)"--batch";
        const char *word = argv[k];
        for (u32 i = 0; i < LS_ARRAY_LEN(with_value); i++)
            k += strcmp(word, with_value[i]) == 0;
    }
}

int cli_debug(int argc, char **argv)
{
    struct debug_options o = {0};
    struct debug_cli d = {.told_lane = UINT32_MAX};
    int status;
    two_dashes(argc, argv);
    if (!options_read(&table, &o, argc, argv, &status))
        return status;
    if (!engine_options_set(&o.engine) || !said_export(&said))
        return CLI_TROUBLE;
    if (o.dap)
        return dap_serve();
    d.json = o.json;
    d.batch = o.batch;
    d.unchecked = o.unchecked;
    d.program = o.program && o.program[0] ? o.program : NULL;
    if (d.program && strchr(d.program[0], '/') && access(d.program[0], F_OK) != 0)
        fprintf(stderr, "lockstep: warning: there is no program '%s' yet\n", d.program[0]);
    d.s = session_new();
    if (!d.s)
        return CLI_TROUBLE;
    const struct sigaction take = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &take, NULL);
    session_interruptible(d.s, &interrupted);
    setvbuf(stdout, NULL, _IOLBF, 0);
    serve(&d, &o);
    word_undisplay(&d, "");
    session_end(d.s);
    if (d.detached)
        waitpid(d.detached, NULL, 0);
    return d.status;
}
