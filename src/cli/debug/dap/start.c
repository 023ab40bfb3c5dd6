/* start.c - how a debugging session begins and ends: capabilities, the program with its environment and folder. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/debug/dap/dap.h"
#include "cli/program.h"
#include "cli/said.h"

/* ---- initialize ---- */

static json_t *plain_filters(void)
{
    return json_pack("[{s:s, s:s, s:s, s:b}, {s:s, s:s, s:s, s:b}, {s:s, s:s, s:s, s:b, s:b, s:s}]", //
                     "filter", "fault", "label", "Faults", "description", "A bad address, a trap, a deadlock, ...",
                     "default", 1, //
                     "filter", "divergence", "label", "Divergent branches", "description",
                     "In front of a branch at which lanes of a warp part", "default", 0, //
                     "filter", "banks", "label", "Bank conflicts", "description",
                     "In front of an access of shared memory that takes more than one pass", "default", 0,
                     "supportsCondition", 1, "conditionDescription", "passes: more than so many (1)");
}

static json_t *exception_filters(void)
{
    static const char *const tools[][2] = {
        {"memcheck", "Accesses that cannot be done, with the allocation"},
        {"racecheck", "Two accesses of threads that nothing orders; the launch stops at the later one"},
        {"initcheck", "Reads of what nothing wrote"},
        {"synccheck", "Barriers and warp-wide operations that are used wrongly"}};
    json_t *all = plain_filters();
    for (u32 i = 0; i < LS_ARRAY_LEN(tools); i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:b}", "filter", tools[i][0], "label", tools[i][0],
                                             "description", tools[i][1], "default", 0));
    return all;
}

static void initialized(struct dap *d) { dap_event(d, "initialized", NULL); }

json_t *request_initialize(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    static const char *const yes[] = {"supportsConfigurationDoneRequest",
                                      "supportsFunctionBreakpoints",
                                      "supportsConditionalBreakpoints",
                                      "supportsHitConditionalBreakpoints",
                                      "supportsLogPoints",
                                      "supportsInstructionBreakpoints",
                                      "supportsDataBreakpoints",
                                      "supportsExceptionFilterOptions",
                                      "supportsExceptionInfoRequest",
                                      "supportsEvaluateForHovers",
                                      "supportsClipboardContext",
                                      "supportsSetVariable",
                                      "supportsStepBack",
                                      "supportsSteppingGranularity",
                                      "supportsReadMemoryRequest",
                                      "supportsWriteMemoryRequest",
                                      "supportsDisassembleRequest",
                                      "supportsDelayedStackTraceLoading",
                                      "supportsValueFormattingOptions",
                                      "supportsTerminateRequest"};
    bool lines_from_1;
    if (d->initialized)
        return dap_fail(why, "initialize comes once");
    if (!argument_bool(arguments, "linesStartAt1", true, &lines_from_1, why))
        return NULL;
    json_t *body = json_object();
    for (u32 i = 0; i < LS_ARRAY_LEN(yes); i++)
        json_object_set_new(body, yes[i], json_true());
    json_object_set_new(body, "exceptionBreakpointFilters", exception_filters());
    d->lines_from_0 = !lines_from_1;
    d->initialized = true;
    return body;
}

/* ---- launch ---- */

struct start { /* what the program is started with */
    struct dap *d;
    struct program_facts facts;
    char **argv;
    const char *folder; /* NULL: ours */
};

/* A program with an environment of its own is started by env, which finds `-u NAME` and `NAME=VALUE` in front of it. */
static size_t put_environment(char **argv, const json_t *env, struct arena *mem)
{
    const char *name;
    json_t *value;
    size_t n = 0;
    if (!json_object_size(env))
        return 0;
    argv[n++] = (char *)"env";
    json_object_foreach((json_t *)env, name, value) {
        if (!json_is_null(value))
            continue;
        argv[n++] = (char *)"-u";
        argv[n++] = arena_printf(mem, "%s", name);
    }
    json_object_foreach((json_t *)env, name, value)
        if (json_is_string(value))
            argv[n++] = arena_printf(mem, "%s=%s", name, json_string_value(value));
    return n;
}

static bool are_texts(const json_t *list, const char *what, char why[DAP_WHY])
{
    size_t i;
    json_t *one;
    json_array_foreach((json_t *)list, i, one)
        if (!json_is_string(one)) {
            dap_fail(why, "%s: texts are wanted", what);
            return false;
        }
    return true;
}

static bool is_environment(const json_t *env, char why[DAP_WHY])
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)env, name, value) {
        if (name[0] && name[0] != '-' && !strchr(name, '=') && (json_is_string(value) || json_is_null(value)))
            continue;
        dap_fail(why, "env: %.80s is no variable with a text", name);
        return false;
    }
    return true;
}

static bool make_argv(struct start *s, const json_t *args, const json_t *env, struct arena *mem, char why[DAP_WHY])
{
    size_t n, i;
    json_t *one;
    if (args && !json_is_null(args) && !json_is_array(args))
        return dap_fail(why, "args: a list is wanted");
    if (env && !json_is_null(env) && !json_is_object(env))
        return dap_fail(why, "env: an object is wanted");
    if (!are_texts(args, "args", why) || !is_environment(env, why))
        return false;
    s->argv = arena_array(mem, char *, json_array_size(args) + 2 * json_object_size(env) + 3);
    n = put_environment(s->argv, env, mem);
    s->argv[n++] = arena_printf(mem, "%s", s->facts.path);
    json_array_foreach((json_t *)args, i, one)
        s->argv[n++] = arena_printf(mem, "%s", json_string_value(one));
    if (json_object_size(env))
        snprintf(s->facts.path, sizeof s->facts.path, "/usr/bin/env");
    return true;
}

/* As program_ready, but what is wrong goes to the editor. */
static bool find_program(struct dap *d, const char *name, struct program_facts *f, char why[DAP_WHY])
{
    struct diag_list diags;
    diag_init(&diags);
    enum ls_status status = program_look(name, f, &diags);
    if (status == LS_OK)
        status = program_check(f, &diags);
    if (status == LS_OK)
        status = program_environment(f, &diags);
    char *text = diag_text(&diags);
    if (text && text[0])
        dap_output(d, status == LS_OK ? "console" : "stderr", text, strlen(text));
    if (status != LS_OK)
        dap_fail(why, "%s", diags.first ? diags.first->text : ls_status_name(status));
    ls_free(text);
    diag_free(&diags);
    char whole[PATH_MAX];
    if (status == LS_OK && realpath(f->path, whole))
        snprintf(f->path, sizeof f->path, "%s", whole);
    return status == LS_OK;
}

static bool spawn(void *ctx, const char *debug, pid_t *pid)
{
    static char socket[32];
    struct start *s = ctx;
    snprintf(socket, sizeof socket, "%s", debug);
    if (!said_set(&said, SETTING_DEBUG, socket) || !said_export(&said))
        return false;
    *pid = fork();
    if (*pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        if (s->folder && chdir(s->folder)) {
            perror(s->folder);
            _exit(127);
        }
        _exit(program_exec(&s->facts, s->argv));
    }
    if (*pid > 0)
        relay_watch(s->d->relay, *pid);
    return *pid > 0;
}

static bool launch_options(struct dap *d, const json_t *arguments, bool *at_end, char why[DAP_WHY])
{
    const char *threads;
    if (!argument_bool(arguments, "stopOnEntry", false, &d->stop_on_entry, why) ||
        !argument_bool(arguments, "stopAtEnd", false, at_end, why) ||
        !argument_bool(arguments, "noDebug", false, &d->no_debug, why) ||
        !argument_text(arguments, "threads", "warps", &threads, why))
        return false;
    d->lanes_as_threads = strcmp(threads, "lanes") == 0;
    if (!d->lanes_as_threads && strcmp(threads, "warps") != 0)
        dap_fail(why, "threads: warps or lanes");
    return !why[0];
}

static bool start_program(struct dap *d, struct start *s, const json_t *arguments, struct arena *mem, char why[DAP_WHY])
{
    if (setjmp(mem->oom))
        return false;
    if (!make_argv(s, json_object_get(arguments, "args"), json_object_get(arguments, "env"), mem, why))
        return false;
    return session_start(d->session, spawn, s) || dap_failed(d, why);
}

json_t *request_launch(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    struct start s = {.d = d};
    struct arena mem = ARENA("launch");
    const char *program;
    bool at_end;
    if (d->launched)
        return dap_fail(why, "there is a program already");
    if (!argument_text(arguments, "program", NULL, &program, why) ||
        !argument_text(arguments, "cwd", "", &s.folder, why) || !launch_options(d, arguments, &at_end, why) ||
        !find_program(d, program, &s.facts, why))
        return NULL;
    if (!s.folder[0])
        s.folder = NULL;
    const bool started = start_program(d, &s, arguments, &mem, why);
    arena_free(&mem);
    if (!started)
        return NULL;
    if (at_end && !session_stop_at_end(d->session, true))
        return dap_failed(d, why);
    d->launched = true;
    d->after = initialized;
    return json_object();
}

json_t *request_attach(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    (void)d, (void)arguments;
    return dap_fail(why, "one cannot attach to a program that runs: launch it");
}

json_t *request_configuration_done(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    (void)arguments;
    const struct session_breakpoint_spec entry = {.kind = SESSION_AT_ENTRY};
    u32 number;
    if (!d->launched || d->configured)
        return dap_fail(why, d->launched ? "configurationDone comes once" : "there is no program yet");
    if (d->exited)
        return json_object();
    if (d->stop_on_entry && !d->no_debug && !session_break(d->session, &entry, &number))
        return dap_failed(d, why);
    d->configured = true;
    return !d->begun || session_continue(d->session, false) ? json_object() : dap_failed(d, why);
}

/* ---- the end ---- */

/* What it prints has nowhere to go without us, so it does not go on alone. False: there is none. */
static bool end_program(struct dap *d)
{
    const bool there = d->launched && !d->exited;
    relay_watch(d->relay, 0);
    if (there) {
        stop_over(d);
        session_kill(d->session);
        d->exited = true;
    }
    return there;
}

static void leave(struct dap *d) { d->over = true; }

json_t *request_disconnect(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    (void)arguments, (void)why;
    end_program(d);
    d->after = leave;
    return json_object();
}

static void say_terminated(struct dap *d) { dap_event(d, "terminated", NULL); }

json_t *request_terminate(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    (void)arguments, (void)why;
    if (end_program(d))
        d->after = say_terminated;
    return json_object();
}
