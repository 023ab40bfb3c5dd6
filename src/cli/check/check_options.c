/* check_options.c - the command line of `lockstep check`: compute-sanitizer's options, and some of our own. What
 * compute-sanitizer takes and what has no meaning here is taken and said; what would change the findings and cannot is
 * refused by name, with the reason. */
#include <argp.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"
#include "cli/cli.h"

enum {
    OPT_TOOL = 256,
    OPT_LEAKS,
    OPT_DEVICE_HEAP,
    OPT_HEAP_FAILURE,
    OPT_API_ACCESS,
    OPT_INIT_SPACE,
    OPT_RACE_LEVEL,
    OPT_RACE_COPY,
    OPT_ENTRY_POINTS,
    OPT_PRINT_LIMIT,
    OPT_PRINT_LEVEL,
    OPT_BACKTRACE,
    OPT_SHORT,
    OPT_CALLERS,
    OPT_DEMANGLE,
    OPT_STRIP,
    OPT_SESSION,
    OPT_LOG,
    OPT_PREFIX,
    OPT_SAVE,
    OPT_READ,
    OPT_JSON,
    OPT_SARIF,
    OPT_STRICT,
    OPT_EXIT,
    OPT_EXIT_CODE,
    OPT_LIST,
    OPT_KERNEL_EXCLUDE,
    OPT_RUN = 300, /* from here to 399: what the program shall do; nothing for --read */
    OPT_KERNEL = OPT_RUN,
    OPT_API,
    OPT_DESTROY,
    OPT_BLOCKING,
    OPT_CUDA,
    OPT_TARGET,
    OPT_SCHEDULE,
    OPT_SCHEDULES,
    OPT_GPU,
    OPT_WORKERS,
    OPT_SEED,
    OPT_MEMORY,
    OPT_TIMEOUT,
    OPT_NO_CHECK,
    OPT_UNUSED = 400, /* taken, said, without effect */
    OPT_REFUSED = 500,
    OPT_YES = 600, /* taken when it says yes, which is what is done anyhow; else refused */
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to look for:", 1},
    {"tool", OPT_TOOL, "TOOL,...|all", 0,
     "memcheck (the default), racecheck, initcheck, synccheck, leakcheck, writecheck, errorcheck; several with commas",
     1},
    {"leak-check", OPT_LEAKS, "full|no", 0, "full: memory that was not freed, as --tool leakcheck (no)", 1},
    {"check-device-heap", OPT_DEVICE_HEAP, "yes|no", 0, "no: without findings about malloc and free in kernels", 1},
    {"report-device-side-allocation-failure", OPT_HEAP_FAILURE, "yes|no", 0, "no: not when malloc in a kernel fails",
     1},
    {"check-api-memory-access", OPT_API_ACCESS, "yes|no", 0, "no: without copies of what nothing wrote", 1},
    {"initcheck-address-space", OPT_INIT_SPACE, "global|shared|all", 0, "What initcheck reports (all)", 1},
    {"racecheck-detect-level", OPT_RACE_LEVEL, "info|warn|error", 0, "error: without races that are warnings (warn)",
     1},
    {"racecheck-memcpy-async", OPT_RACE_COPY, "yes|no", 0, "no: without copies that nobody waited for", 1},
    {"ignore-getprocaddress-notfound", OPT_ENTRY_POINTS, NULL, 0, "Not when cuGetProcAddress finds nothing", 1},
    {"report-api-errors", OPT_API, "all|extended|explicit|no", 0,
     "Calls that fail; all: also those that the runtime library makes (explicit; extended is the same)", 1},
    {NULL, 0, NULL, 0, "Which launches to check:", 2},
    {"kernel-name", OPT_KERNEL, "FILTER", 0,
     "Kernels: NAME, regex:EXPR, or of the name as in PTX kns=PART, kne=NAME, regex=EXPR; again: these too", 2},
    {"kernel-regex", OPT_KERNEL, "FILTER", OPTION_ALIAS, NULL, 2},
    {"kernel-name-exclude", OPT_KERNEL_EXCLUDE, "FILTER", 0, "Without findings in these", 2},
    {"kernel-regex-exclude", OPT_KERNEL_EXCLUDE, "FILTER", OPTION_ALIAS, NULL, 2},
    {"launch-skip", 's', "N", 0, "Leave out the first N launches that match", 2},
    {"launch-count", 'c', "N", 0, "Check at most N launches; 0: all", 2},
    {"target-processes", OPT_TARGET, "all|application-only", 0, "application-only: without findings in children (all)",
     2},
    {NULL, 0, NULL, 0, "What to do then:", 3},
    {"destroy-on-device-error", OPT_DESTROY, "context|kernel", 0,
     "After an invalid access the context is lost, or the kernel goes on without that access (context)", 3},
    {"error-exitcode", OPT_EXIT, "N", 0,
     "The exit status when there are errors and the program's is 0 (0: the program's)", 3},
    {"strict", OPT_STRICT, NULL, 0, "Warnings are errors", 3},
    {"check-exit-code", OPT_EXIT_CODE, "yes|no", 0, "no: do not say that the program failed", 3},
    {"require-cuda-init", OPT_CUDA, "yes|no", 0, "no: a program that does not use CUDA is no error", 3},
    {"force-blocking-launches", OPT_BLOCKING, NULL, 0, "A launch returns when its kernel has ended", 3},
    {NULL, 0, NULL, 0, "What to print:", 4},
    {"print-limit", OPT_PRINT_LIMIT, "N", 0, "Findings that are printed (100); 0: all", 4},
    {"print-level", OPT_PRINT_LEVEL, "info|auto|warn|error", 0, "error: warnings are not printed (warn)", 4},
    {"show-backtrace", OPT_BACKTRACE, "yes|host|device|no", 0, "Which backtraces (yes)", 4},
    {"backtrace-short", OPT_SHORT, "yes|no", 0, "no: with the libraries' frames and those below main", 4},
    {"num-callers-host", OPT_CALLERS, "N", 0, "Frames of a backtrace of the host; 0: all", 4},
    {"demangle", OPT_DEMANGLE, "full|simple|no", 0, "Names of functions: with parameters, without, as in PTX (full)",
     4},
    {"strip-paths", OPT_STRIP, "yes|no", 0, "no: files with their folders (yes)", 4},
    {"print-session-details", OPT_SESSION, NULL, 0, "The processes that were seen", 4},
    {"prefix", OPT_PREFIX, "TEXT", 0, "In front of each line (=========)", 4},
    {"quiet", 'q', NULL, 0, "Nothing but findings", 4},
    {"log-file", OPT_LOG, "FILE", 0,
     "Print there and not to stdout; %p, %q{VARIABLE} and %% as compute-sanitizer has them", 4},
    {"json", OPT_JSON, "FILE", OPTION_ARG_OPTIONAL, "As JSON, instead of the text or to a file beside it", 4},
    {"sarif", OPT_SARIF, "FILE", OPTION_ARG_OPTIONAL, "As SARIF 2.1.0, for code hosts, likewise", 4},
    {"save", OPT_SAVE, "FILE", 0, "Keep the findings for --read; escapes as for --log-file", 4},
    {"read", OPT_READ, "FILE", 0, "Print what --save kept; no program runs", 4},
    {"list", OPT_LIST, NULL, 0, "All kinds of findings: tool, severity, and what to do", 4},
    {"version", 'v', NULL, 0, "The version", 4},
    {NULL, 0, NULL, 0, "Lockstep's own:", 5},
    {"schedule", OPT_SCHEDULE, "seed=N", 0, "Shuffle the order of blocks and warps, as LOCKSTEP_SEED", 5},
    {"schedules", OPT_SCHEDULES, "K", 0,
     "Run each launch again under K shuffled orders, and report results that differ; with --memory weak unless told",
     5},
    {"memory", OPT_MEMORY, "weak|strong", 0, "The order in which others see stores, as LOCKSTEP_MEMORY", 5},
    {"gpu", OPT_GPU, "NAME", 0, "The GPU to be (`lockstep gpus` lists them), as LOCKSTEP_GPU", 5},
    {"workers", OPT_WORKERS, "N", 0, "Threads of a launch, as LOCKSTEP_WORKERS (1, so that each run reports the same)",
     5},
    {"seed", OPT_SEED, "N", 0, "As --schedule seed=N", 5},
    {"timeout", OPT_TIMEOUT, "SECONDS", 0, "End a kernel that runs longer, as LOCKSTEP_TIMEOUT", 5},
    {"no-check", OPT_NO_CHECK, NULL, 0, "Start the program without looking at its file first", 5},
    {NULL, 0, NULL, 0, "Taken, as compute-sanitizer's, without effect:", 6},
    {"racecheck-report", OPT_UNUSED, "hazard|analysis|all", 0, "Both threads are always named", 6},
    {"padding", OPT_UNUSED + 1, "N", 0, "Allocations always have red zones", 6},
    {"launch-timeout", OPT_UNUSED + 2, "SECONDS", OPTION_HIDDEN, "", 6},
    {"max-connections", OPT_UNUSED + 3, "N", OPTION_HIDDEN, "", 6},
    {"port", OPT_UNUSED + 4, "N", OPTION_HIDDEN, "", 6},
    {"kill", OPT_UNUSED + 5, NULL, OPTION_HIDDEN, "", 6},
    {"nvtx", OPT_UNUSED + 6, "true|false", OPTION_HIDDEN, "", 6},
    {"injection-path", OPT_UNUSED + 7, "FOLDER", OPTION_HIDDEN, "", 6},
    {"injection-path32", OPT_UNUSED + 8, "FOLDER", OPTION_HIDDEN, "", 6},
    {"support-32bit", OPT_UNUSED + 9, NULL, OPTION_HIDDEN, "", 6},
    {"force-synchronization-limit", OPT_UNUSED + 10, "N", OPTION_HIDDEN, "", 6},
    {"num-cuda-barriers", OPT_UNUSED + 11, "N", OPTION_HIDDEN, "", 6},
    {"num-callers-device", OPT_UNUSED + 12, "N", OPTION_HIDDEN, "", 6},
    {"save-session-details", OPT_UNUSED + 13, NULL, OPTION_HIDDEN, "", 6},
    {"racecheck-num-workers", OPT_UNUSED + 14, "N", OPTION_HIDDEN, "", 6},
    {"racecheck-deadlock-timeout", OPT_UNUSED + 15, "N", OPTION_HIDDEN, "", 6},
    {"racecheck-continue-on-deadlock", OPT_UNUSED + 16, "yes|no", OPTION_HIDDEN, "", 6},
    {"racecheck-indirect-barrier-dependency", OPT_UNUSED + 17, NULL, OPTION_HIDDEN, "", 6},
    {"missing-barrier-init-is-fatal", OPT_UNUSED + 18, "yes|no", OPTION_HIDDEN, "", 6},
    {"hmm-support", OPT_UNUSED + 19, NULL, OPTION_HIDDEN, "", 6},
    {NULL, 'h', NULL, OPTION_HIDDEN, NULL, 6},
    {"check-bulk-copy", OPT_YES, "yes|no", OPTION_HIDDEN, "copies are always checked", 7},
    {"check-warpgroup-mma", OPT_YES + 1, "yes|no", OPTION_HIDDEN, "they are always checked", 7},
    {"track-stream-ordered-races", OPT_REFUSED, "MODE", OPTION_HIDDEN,
     "races between streams, and the use of memory before cudaMallocAsync or behind cudaFreeAsync, are racecheck's "
     "(--tool racecheck)",
     7},
    {"xml", OPT_REFUSED + 1, NULL, OPTION_HIDDEN, "there is no XML; --json and --sarif are for programs", 7},
    {"suppressions", OPT_REFUSED + 2, "FILE", OPTION_HIDDEN,
     "there are no suppressions; --kernel-name-exclude leaves kernels out", 7},
    {"generate-coredump", OPT_REFUSED + 3, NULL, OPTION_HIDDEN, "there is no GPU to dump", 7},
    {"coredump-name", OPT_REFUSED + 4, "FILE", OPTION_HIDDEN, "there is no GPU to dump", 7},
    {"coredump-behavior", OPT_REFUSED + 5, "MODE", OPTION_HIDDEN, "there is no GPU to dump", 7},
    {"check-optix", OPT_REFUSED + 6, NULL, OPTION_HIDDEN, "Lockstep has no OptiX", 7},
    {"check-optix-leaks", OPT_REFUSED + 7, NULL, OPTION_HIDDEN, "Lockstep has no OptiX", 7},
    {"check-cache-control", OPT_REFUSED + 8, NULL, OPTION_HIDDEN, "instructions that control caches are not checked",
     7},
    {"detect-missing-module-unload", OPT_REFUSED + 9, NULL, OPTION_HIDDEN, "modules are not looked at for leaks", 7},
    {"track-unused-memory", OPT_REFUSED + 10, NULL, OPTION_HIDDEN,
     "--tool writecheck finds the parts of an output that nobody wrote", 7},
    {"unused-memory-threshold", OPT_REFUSED + 11, "N", OPTION_HIDDEN,
     "--tool writecheck finds the parts of an output that nobody wrote", 7},
    {"unused-shared-memory-report-limit", OPT_REFUSED + 12, "N", OPTION_HIDDEN, "unused shared memory is not reported",
     7},
    {"racecheck-trace-sync", OPT_REFUSED + 13, "yes|no", OPTION_HIDDEN, "barriers are not traced", 7},
    {"racecheck-filter-cluster-id", OPT_REFUSED + 14, "N", OPTION_HIDDEN, "all blocks are checked", 7},
    {"target-processes-filter", OPT_REFUSED + 15, "NAME", OPTION_HIDDEN,
     "all processes are checked, or the program alone (--target-processes application-only)", 7},
    {"dump-kernel-launches", OPT_REFUSED + 16, NULL, OPTION_HIDDEN,
     "`lockstep profile` and `lockstep trace` list launches", 7},
    {"preload-library", OPT_REFUSED + 17, "FILE", OPTION_HIDDEN, "set LD_PRELOAD: the environment is the program's", 7},
    {"language", OPT_REFUSED + 18, "c|fortran", OPTION_HIDDEN, "threads and blocks are counted from 0, as in C", 7},
    {"mode", OPT_REFUSED + 19, "MODE", OPTION_HIDDEN,
     "the program is started by this command; there is nothing to attach to", 7},
    {0},
};

/* ---- values ---- */

/* The place of text in a list of words; ends the command when it is none. */
static u32 word(struct argp_state *state, const char *option, const char *text, const char *const *words, u32 n)
{
    char all[200] = "";
    for (u32 i = 0; i < n; i++) {
        if (!strcmp(text, words[i]))
            return i;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? i + 1 == n ? " or " : ", " : "", words[i]);
    }
    argp_error(state, "--%s is %s, not '%s'", option, all, text);
    return 0;
}
#define WORD(option, ...)                                                                                              \
    word(state, option, arg, (const char *const[]){__VA_ARGS__}, LS_ARRAY_LEN(((const char *const[]){__VA_ARGS__})))

static bool yes(struct argp_state *state, const char *option, const char *arg)
{
    return WORD(option, "yes", "no") == 0;
}

static u64 number(struct argp_state *state, const char *option, const char *text)
{
    char *end;
    const u64 n = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end)
        argp_error(state, "--%s needs a number, not '%s'", option, text);
    return n;
}

static void read_tools(struct check_command *c, const char *list, struct argp_state *state)
{
    unsigned one;
    while (*list) {
        const size_t n = strcspn(list, ",");
        const char *name = arena_strndup(&c->mem, list, n);
        if (n && !check_tool_by_name(name, &one))
            argp_error(
                state,
                "there is no tool '%s'; there are memcheck, racecheck, initcheck, synccheck, leakcheck, writecheck, "
                "errorcheck, and all",
                name);
        c->tools |= n ? one : 0;
        list += n + (list[n] == ',');
    }
    if (!c->tools)
        argp_error(state, "--tool needs a tool");
}

static void drop(struct check_command *c, enum finding_kind first, enum finding_kind last, bool yes_drop)
{
    for (u32 k = first; k <= (u32)last; k++)
        c->dropped[k] |= yes_drop;
}

static void read_init_space(struct check_command *c, u32 space)
{
    enum { GLOBAL, SHARED, ALL };
    drop(c, FINDING_UNINIT_GLOBAL, FINDING_UNINIT_GLOBAL, space == SHARED);
    drop(c, FINDING_UNINIT_COPY, FINDING_UNINIT_COPY, space == SHARED);
    drop(c, FINDING_UNINIT_SHARED, FINDING_UNINIT_SHARED, space == GLOBAL);
    drop(c, FINDING_UNINIT_LOCAL, FINDING_UNINIT_REGISTER, space != ALL);
}

static void read_device_heap(struct check_command *c, bool wanted)
{
    drop(c, FINDING_DEVICE_INVALID_FREE, FINDING_HEAP_EXHAUSTED, !wanted);
    drop(c, FINDING_HEAP_LEAK, FINDING_HEAP_LEAK, !wanted);
}

static void read_filter(struct check_command *c, const char **expression, bool *keyed, const char *arg,
                        struct argp_state *state)
{
    char why[256];
    if (!check_filter_add(&c->mem, expression, keyed, arg, why))
        argp_error(state, "kernel filter: %s", why);
}

static const char *file(struct check_command *c, const char *option, const char *arg, struct argp_state *state)
{
    char why[256];
    const char *name = check_file_name(&c->mem, arg, why);
    if (!name)
        argp_error(state, "--%s: %s", option, why);
    return name;
}

static void read_schedule(struct check_command *c, const char *arg, struct argp_state *state)
{
    if (strncmp(arg, "seed=", 5) != 0)
        argp_error(state, "--schedule is seed=N, not '%s'", arg);
    number(state, "schedule seed", arg + 5);
    c->seed = arg + 5;
}

static void read_schedules(struct check_command *c, const char *arg, struct argp_state *state)
{
    c->schedules = number(state, "schedules", arg);
    if (!c->schedules)
        argp_error(state, "--schedules needs 1 at least");
}

static void read_exit(struct check_command *c, const char *arg, struct argp_state *state)
{
    const u64 n = number(state, "error-exitcode", arg);
    if (n > 255)
        argp_error(state, "--error-exitcode is an exit status, 0 to 255, not %s", arg);
    c->error_exit = (int)n;
}

static const char *option_name(int key)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(options); i++)
        if (options[i].key == key && options[i].name)
            return options[i].name;
    return "?";
}

static void read_unused(struct check_command *c, int key)
{
    if (c->nunused < CHECK_NAMES)
        c->unused[c->nunused++] = option_name(key);
}

static void refuse(int key, struct argp_state *state)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(options); i++)
        if (options[i].key == key && options[i].name)
            argp_error(state, "--%s: %s", options[i].name, options[i].doc);
}

/* ---- argp ---- */

/* "-" is what no file is. */
static const char *stdout_or(const char *file_name)
{
    return file_name && strcmp(file_name, "-") == 0 ? NULL : file_name;
}

static error_t parse_look(int key, char *arg, struct argp_state *state)
{
    struct check_command *c = state->input;
    switch (key) {
    case OPT_TOOL:
        read_tools(c, arg, state);
        return 0;
    case OPT_LEAKS:
        c->leaks = WORD("leak-check", "full", "no") == 0;
        return 0;
    case OPT_DEVICE_HEAP:
        read_device_heap(c, yes(state, "check-device-heap", arg));
        return 0;
    case OPT_HEAP_FAILURE:
        drop(c, FINDING_HEAP_EXHAUSTED, FINDING_HEAP_EXHAUSTED,
             !yes(state, "report-device-side-allocation-failure", arg));
        return 0;
    case OPT_API_ACCESS:
        drop(c, FINDING_UNINIT_COPY, FINDING_UNINIT_COPY, !yes(state, "check-api-memory-access", arg));
        return 0;
    case OPT_INIT_SPACE:
        read_init_space(c, WORD("initcheck-address-space", "global", "shared", "all"));
        return 0;
    case OPT_RACE_LEVEL:
        if (WORD("racecheck-detect-level", "info", "warn", "error") == 2)
            c->dropped[FINDING_SHARED_SAME] = c->dropped[FINDING_GLOBAL_SAME] = true;
        return 0;
    case OPT_RACE_COPY:
        drop(c, FINDING_COPY_NOT_AWAITED, FINDING_COPY_NOT_AWAITED, !yes(state, "racecheck-memcpy-async", arg));
        return 0;
    case OPT_ENTRY_POINTS:
        c->drop_entry_points = true;
        return 0;
    case OPT_KERNEL_EXCLUDE:
        read_filter(c, &c->excluded, &(bool){true}, arg, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_print(int key, char *arg, struct argp_state *state)
{
    struct check_command *c = state->input;
    struct check_text *t = &c->text;
    u32 n;
    switch (key) {
    case OPT_PRINT_LIMIT:
        t->limit = number(state, "print-limit", arg);
        return 0;
    case OPT_PRINT_LEVEL:
        t->errors_only = WORD("print-level", "info", "auto", "warn", "error") == 3;
        return 0;
    case OPT_BACKTRACE:
        n = WORD("show-backtrace", "no", "host", "device", "yes");
        t->host = n & 1;
        t->device = n & 2;
        return 0;
    case OPT_SHORT:
        t->whole_backtrace = !yes(state, "backtrace-short", arg);
        return 0;
    case OPT_CALLERS:
        t->callers = number(state, "num-callers-host", arg);
        return 0;
    case OPT_DEMANGLE:
        t->name = (const enum kernel_base[]){KERNEL_DEMANGLED, KERNEL_FUNCTION,
                                             KERNEL_MANGLED}[WORD("demangle", "full", "simple", "no")];
        return 0;
    case OPT_STRIP:
        t->paths.strip = yes(state, "strip-paths", arg);
        return 0;
    case OPT_SESSION:
        t->session = true;
        return 0;
    case OPT_PREFIX:
        t->prefix = arg;
        return 0;
    case 'q':
        t->quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
    struct check_command *c = state->input;
    switch (key) {
    case OPT_LOG:
        c->log = file(c, "log-file", arg, state);
        return 0;
    case OPT_SAVE:
        c->save = file(c, "save", arg, state);
        return 0;
    case OPT_READ:
        c->read = arg;
        return 0;
    case OPT_JSON:
        c->json = true;
        c->json_to = stdout_or(arg);
        return 0;
    case OPT_SARIF:
        c->sarif = true;
        c->sarif_to = stdout_or(arg);
        return 0;
    case OPT_STRICT:
        c->strict = true;
        return 0;
    case OPT_EXIT:
        read_exit(c, arg, state);
        return 0;
    case OPT_EXIT_CODE:
        c->tell_exit_code = yes(state, "check-exit-code", arg);
        return 0;
    case OPT_LIST:
        c->list = true;
        return 0;
    case 'v':
        puts("lockstep " LS_VERSION);
        exit(CLI_OK);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_run(int key, char *arg, struct argp_state *state)
{
    struct check_command *c = state->input;
    switch (key) {
    case OPT_KERNEL:
        read_filter(c, &c->names, &c->names_keyed, arg, state);
        return 0;
    case 's':
        c->select.skip = number(state, "launch-skip", arg);
        return 0;
    case 'c':
        c->select.count = number(state, "launch-count", arg);
        return 0;
    case OPT_API:
        c->api = (const char *const[]){"all", "explicit", "explicit",
                                       "no"}[WORD("report-api-errors", "all", "extended", "explicit", "no")];
        return 0;
    case OPT_DESTROY:
        c->destroy = WORD("destroy-on-device-error", "context", "kernel") ? "kernel" : "context";
        return 0;
    case OPT_BLOCKING:
        c->blocking = true;
        return 0;
    case OPT_CUDA:
        c->need_cuda = yes(state, "require-cuda-init", arg);
        return 0;
    case OPT_TARGET:
        c->only_program = WORD("target-processes", "all", "application-only") == 1;
        return 0;
    case OPT_SCHEDULE:
        read_schedule(c, arg, state);
        return 0;
    case OPT_SCHEDULES:
        read_schedules(c, arg, state);
        return 0;
    case OPT_GPU:
        c->gpu = arg;
        return 0;
    case OPT_WORKERS:
        c->workers = (number(state, "workers", arg), arg);
        return 0;
    case OPT_SEED:
        c->seed = (number(state, "seed", arg), arg);
        return 0;
    case OPT_MEMORY:
        c->memory = WORD("memory", "weak", "strong") ? "strong" : "weak";
        return 0;
    case OPT_TIMEOUT:
        c->timeout = arg;
        return 0;
    case OPT_NO_CHECK:
        c->unchecked = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void finish(struct check_command *c, struct argp_state *state)
{
    if ((c->program != NULL) + (c->read != NULL) + c->list == 0)
        argp_error(state, "which program? (or --read FILE)");
    if (c->read && c->program)
        argp_error(state, "--read prints what was kept: no program runs beside it");
    if (c->read && c->save)
        argp_error(state, "--save keeps what a program did; --read has it already");
    if (c->read && c->run_option)
        argp_error(state, "--%s is for a program that runs; with --read none does", c->run_option);
    if (c->json && !c->json_to && c->sarif && !c->sarif_to)
        argp_error(state, "--json and --sarif both instead of the text: give one of them a file (--sarif=FILE)");
    if (c->excluded && (c->select.skip || c->select.count))
        argp_error(state,
                   "--kernel-name-exclude leaves findings out, not launches: it does not go with --launch-skip and "
                   "--launch-count");
    c->tools_named = c->tools || c->leaks;
    c->tools |= c->tools ? 0 : CHECK_MEMCHECK;
    c->tools |= c->leaks ? CHECK_LEAKCHECK : 0;
    c->tools |= c->schedules ? CHECK_SCHEDULES : 0;
}

static error_t parse_other(int key, char *arg, struct argp_state *state)
{
    struct check_command *c = state->input;
    if (key == 'h')
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
    if (key >= OPT_YES && !yes(state, option_name(key), arg))
        refuse(key, state);
    if (key >= OPT_REFUSED && key < OPT_YES)
        refuse(key, state);
    if (key >= OPT_UNUSED && key < OPT_REFUSED)
        read_unused(c, key);
    return key == 'h' || key >= OPT_UNUSED ? 0 : ARGP_ERR_UNKNOWN;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static error_t (*const parsers[])(int, char *, struct argp_state *) = {parse_look, parse_print, parse_output,
                                                                           parse_run};
    struct check_command *c = state->input;
    if (key == ARGP_KEY_ARG) { /* the program: all that follows is its own */
        c->program = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    }
    if (key == ARGP_KEY_END) {
        finish(c, state);
        return 0;
    }
    if (key > ARGP_KEY_END) /* argp's own steps */
        return ARGP_ERR_UNKNOWN;
    if ((key >= OPT_RUN && key < OPT_UNUSED) || key == 's' || key == 'c')
        c->run_option = option_name(key);
    for (u32 k = 0; k < LS_ARRAY_LEN(parsers); k++) {
        const error_t e = parsers[k](key, arg, state);
        if (e != ARGP_ERR_UNKNOWN)
            return e;
    }
    return parse_other(key, arg, state);
}

static const struct argp argp = {
    options,
    parse,
    "PROGRAM [ARGUMENT...]\n--read FILE\n--list",
    "Runs a CUDA program on Lockstep's device and reports what is wrong with its kernels and its calls, as "
    "compute-sanitizer does, when the program has ended. The exit status is the program's, or --error-exitcode.",
    NULL,
    NULL,
    NULL};

void check_options_read(struct check_command *c, int argc, char **argv)
{
    c->text = (struct check_text){.prefix = "=========",
                                  .limit = 100,
                                  .host = true,
                                  .device = true,
                                  .name = KERNEL_DEMANGLED,
                                  .paths = {.strip = true}};
    c->api = "explicit";
    c->destroy = "context";
    c->names_keyed = c->need_cuda = c->tell_exit_code = true;
    argp_err_exit_status = CLI_USAGE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, c);
}
