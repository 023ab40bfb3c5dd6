/* check_options.c - the command line of `lockstep check`: compute-sanitizer's options, and some of our own. What
 * compute-sanitizer takes and what has no meaning here is taken and said; what would change the findings and cannot is
 * refused by name, with the reason. */
#include <string.h>

#include "cli/check/check_command.h"
#include "cli/shared_options.h"

/* ---- what to look for ---- */

/* The tools that --tool takes, by tools.def. */
#define TOOL_OPTION(...)
#define TOOL_NAMED(name, more) #name ", "
#define TOOL_DEFAULT(name, more) #name more ", "
static const char tool_names[] =
#define TOOL(id, name, how, ...) TOOL_##how(name, "")
#include "check/tools.def"
    "and all";
static const char tool_help[] =
#define TOOL(id, name, how, ...) TOOL_##how(name, " (default)")
#include "check/tools.def"
    "or all; several with commas";

static void take_tools(struct option_reader *o, const struct option_value *v)
{
    struct check_command *c = o->into;
    unsigned one;
    for (const char *list = v->text; *list;) {
        const size_t n = strcspn(list, ",");
        const char *name = arena_strndup(&c->mem, list, n);
        if (n && check_tool_by_name(name, &one))
            c->tools |= one;
        else if (n)
            option_wrong(o, "there is no tool '%s'; there are %s", name, tool_names);
        list += n + (list[n] == ',');
    }
    if (!c->tools)
        option_wrong(o, "--tool needs a tool");
}

static void drop(struct check_command *c, enum finding_kind first, enum finding_kind last, bool yes_drop)
{
    for (u32 k = first; k <= (u32)last; k++)
        c->dropped[k] |= yes_drop;
}

static void take_init_space(struct option_reader *o, const struct option_value *v)
{
    enum { GLOBAL, SHARED, ALL };
    struct check_command *c = o->into;
    drop(c, FINDING_UNINIT_GLOBAL, FINDING_UNINIT_GLOBAL, v->n == SHARED);
    drop(c, FINDING_UNINIT_COPY, FINDING_UNINIT_COPY, v->n == SHARED);
    drop(c, FINDING_UNINIT_SHARED, FINDING_UNINIT_SHARED, v->n == GLOBAL);
    drop(c, FINDING_UNINIT_LOCAL, FINDING_UNINIT_REGISTER, v->n != ALL);
}

static void take_device_heap(struct option_reader *o, const struct option_value *v)
{
    drop(o->into, FINDING_DEVICE_INVALID_FREE, FINDING_HEAP_EXHAUSTED, !v->n);
    drop(o->into, FINDING_HEAP_LEAK, FINDING_HEAP_LEAK, !v->n);
}

static void take_heap_failure(struct option_reader *o, const struct option_value *v)
{
    drop(o->into, FINDING_HEAP_EXHAUSTED, FINDING_HEAP_EXHAUSTED, !v->n);
}

static void take_api_access(struct option_reader *o, const struct option_value *v)
{
    drop(o->into, FINDING_UNINIT_COPY, FINDING_UNINIT_COPY, !v->n);
}

static void take_race_level(struct option_reader *o, const struct option_value *v)
{
    enum { INFO, WARN, ERROR };
    drop(o->into, FINDING_SHARED_SAME, FINDING_SHARED_SAME, v->n == ERROR);
    drop(o->into, FINDING_GLOBAL_SAME, FINDING_GLOBAL_SAME, v->n == ERROR);
}

static void take_race_copies(struct option_reader *o, const struct option_value *v)
{
    drop(o->into, FINDING_COPY_NOT_AWAITED, FINDING_COPY_NOT_AWAITED, !v->n);
}

static void take_pool_races(struct option_reader *o, const struct option_value *v)
{
    enum { ALL, BEFORE_ALLOC, AFTER_FREE, NO };
    struct check_command *c = o->into;
    c->pools = v->n != NO;
    drop(c, FINDING_POOL_BEFORE_ALLOC, FINDING_POOL_BEFORE_ALLOC, v->n == AFTER_FREE || v->n == NO);
    drop(c, FINDING_POOL_AFTER_FREE, FINDING_POOL_AFTER_FREE, v->n == BEFORE_ALLOC || v->n == NO);
}

static void take_api(struct option_reader *o, const struct option_value *v)
{
    struct check_command *c = o->into;
    c->api = strcmp(v->text, "extended") ? v->text : "explicit";
}

/* ---- which launches ---- */

static void add_filter(struct option_reader *o, const char **expression, bool *keyed, const char *text)
{
    struct check_command *c = o->into;
    char why[256];
    if (!check_filter_add(&c->mem, expression, keyed, text, why))
        option_wrong(o, "kernel filter: %s", why);
}

static void take_filter(struct option_reader *o, const struct option_value *v)
{
    struct check_command *c = o->into;
    add_filter(o, &c->names, &c->names_keyed, v->text);
}

static void take_exclude(struct option_reader *o, const struct option_value *v)
{
    struct check_command *c = o->into;
    add_filter(o, &c->excluded, &(bool){true}, v->text);
}

static void take_schedule(struct option_reader *o, const struct option_value *v)
{
    struct check_command *c = o->into;
    const char *seed = v->text + 5;
    if (strncmp(v->text, "seed=", 5) != 0 || !*seed || seed[strspn(seed, "0123456789")])
        option_wrong(o, "--schedule is seed=N, not '%s'", v->text);
    else
        c->seed = seed;
}

/* ---- what to print ---- */

static void take_print_level(struct option_reader *o, const struct option_value *v)
{
    struct check_command *c = o->into;
    c->text.errors_only = !strcmp(v->text, "error");
}

static void take_backtrace(struct option_reader *o, const struct option_value *v)
{
    enum { YES, HOST, DEVICE, NO };
    struct check_command *c = o->into;
    c->text.host = v->n == YES || v->n == HOST;
    c->text.device = v->n == YES || v->n == DEVICE;
}

static void take_demangle(struct option_reader *o, const struct option_value *v)
{
    static const enum kernel_base names[] = {KERNEL_DEMANGLED, KERNEL_FUNCTION, KERNEL_MANGLED};
    struct check_command *c = o->into;
    c->text.name = names[v->n];
}

/* NULL: said what is wrong with the name. */
static const char *file_name(struct option_reader *o, const char *option, const char *text)
{
    struct check_command *c = o->into;
    char why[256];
    const char *name = check_file_name(&c->mem, text, why);
    if (!name)
        option_wrong(o, "--%s: %s", option, why);
    return name;
}

static void take_log(struct option_reader *o, const struct option_value *v)
{
    ((struct check_command *)o->into)->log = file_name(o, "log-file", v->text);
}

static void take_save(struct option_reader *o, const struct option_value *v)
{
    ((struct check_command *)o->into)->save = file_name(o, "save", v->text);
}

/* ---- the table ---- */

#define TO(member) .at = OPTION_AT(struct check_command, member)

static const struct option_row rows[] = {
    OPTION_TITLE("What to look for:"),
    OPTION(CALL, "tool", "TOOL,...|all", tool_help, .take = take_tools),
    OPTION(CHOICE, "leak-check", "full|no", "full: memory that was not freed, as --tool leakcheck (no)", TO(leaks),
           .negate = true),
    OPTION(YES_NO, "check-device-heap", "yes|no", "no: without findings about malloc and free in kernels",
           .take = take_device_heap),
    OPTION(YES_NO, "report-device-side-allocation-failure", "yes|no", "no: not when malloc in a kernel fails",
           .take = take_heap_failure),
    OPTION(YES_NO, "check-api-memory-access", "yes|no", "no: without copies of what nothing wrote",
           .take = take_api_access),
    OPTION(CHOICE, "initcheck-address-space", "global|shared|all", "What initcheck reports (all)",
           .take = take_init_space),
    OPTION(CHOICE, "racecheck-detect-level", "info|warn|error", "error: without races that are warnings (warn)",
           .take = take_race_level),
    OPTION(YES_NO, "racecheck-memcpy-async", "yes|no", "no: without copies that nobody waited for",
           .take = take_race_copies),
    OPTION(CHOICE, "track-stream-ordered-races", "all|use-before-alloc|use-after-free|no",
           "What poolcheck reports (all); but for no, it runs as with --tool poolcheck", .take = take_pool_races),
    OPTION(FLAG, "ignore-getprocaddress-notfound", NULL, "Not when cuGetProcAddress finds nothing",
           TO(drop_entry_points)),
    OPTION(CHOICE, "report-api-errors", "all|extended|explicit|no",
           "Calls that fail; all: also those that the runtime library makes (explicit; extended is the same)",
           .take = take_api, .runs = true),
    OPTION_TITLE("Which launches to check:"),
    OPTION(CALL, "kernel-name", "FILTER",
           "Kernels: NAME, regex:EXPR, or of the name as in PTX kns=PART, kne=NAME, regex=EXPR; again: these too",
           .alias = "kernel-regex", .take = take_filter, .runs = true),
    OPTION(CALL, "kernel-name-exclude", "FILTER", "Without findings in these", .alias = "kernel-regex-exclude",
           .take = take_exclude),
    ROW_LAUNCH_SKIP(TO(select.skip), .runs = true),
    ROW_LAUNCH_COUNT("Check at most N launches; 0: all", TO(select.count), .runs = true),
    OPTION(CHOICE, "target-processes", "all|application-only", "application-only: without findings in children (all)",
           TO(only_program), .runs = true),
    OPTION_TITLE("What to do then:"),
    OPTION(CHOICE, "destroy-on-device-error", "context|kernel",
           "After an invalid access the context is lost, or the kernel goes on without that access (context)",
           TO(destroy), .as_text = true, .runs = true),
    OPTION(NUMBER, "error-exitcode", "N",
           "The exit status when there are errors and the program's is 0 (0: the program's)", TO(error_exit),
           .most = 255, .takes = "an exit status, 0 to 255"),
    OPTION(FLAG, "strict", NULL, "Warnings are errors", TO(strict)),
    ROW_CHECK_EXIT_CODE(TO(tell_exit_code)),
    OPTION(YES_NO, "require-cuda-init", "yes|no", "no: a program that does not use CUDA is no error", TO(need_cuda),
           .runs = true),
    OPTION(FLAG, "force-blocking-launches", NULL, "A launch returns when its kernel has ended", TO(blocking),
           .runs = true),
    OPTION_TITLE("What to print:"),
    OPTION(NUMBER, "print-limit", "N", "Findings that are printed (100); 0: all", TO(text.limit)),
    OPTION(CHOICE, "print-level", "info|auto|warn|error", "error: warnings are not printed (warn)",
           .take = take_print_level),
    OPTION(CHOICE, "show-backtrace", "yes|host|device|no", "Which backtraces (yes)", .take = take_backtrace),
    OPTION(YES_NO, "backtrace-short", "yes|no", "no: with the libraries' frames and those below main",
           TO(text.whole_backtrace), .negate = true),
    OPTION(NUMBER, "num-callers-host", "N", "Frames of a backtrace of the host; 0: all", TO(text.callers)),
    OPTION(CHOICE, "demangle", "full|simple|no", "Names of functions: with parameters, without, as in PTX (full)",
           .take = take_demangle),
    OPTION(YES_NO, "strip-paths", "yes|no", "no: files with their folders (yes)", TO(text.paths.strip)),
    OPTION(FLAG, "print-session-details", NULL, "The processes that were seen", TO(text.session)),
    OPTION(TEXT, "prefix", "TEXT", "In front of each line (=========)", TO(text.prefix)),
    OPTION(FLAG, "quiet", NULL, "Nothing but findings", TO(text.quiet), .letter = 'q'),
    OPTION(CALL, "log-file", "FILE",
           "Print there and not to stdout; %p, %q{VARIABLE} and %% as compute-sanitizer has them", .take = take_log),
    OPTION(OUTPUT, "json", "FILE", "As JSON, instead of the text or to a file beside it", TO(json), .optional = true),
    OPTION(OUTPUT, "sarif", "FILE", "As SARIF 2.1.0, for code hosts, likewise", TO(sarif), .optional = true),
    OPTION(CALL, "save", "FILE", "Keep the findings for --read; escapes as for --log-file", .take = take_save),
    OPTION(FLAG, "xml", NULL, "--save writes compute-sanitizer's XML, for --suppressions and not for --read", TO(xml)),
    OPTION(TEXT, "read", "FILE", "Print what --save kept; no program runs", TO(read)),
    OPTION(TEXT, "suppressions", "FILE", "Leave out what records of compute-sanitizer's XML describe",
           TO(suppressions)),
    OPTION(TEXT, "baseline", "FILE", "Leave out the findings that stand there", TO(baseline)),
    OPTION(TEXT, "save-baseline", "FILE", "Write all findings there, as known from now on", TO(save_baseline)),
    OPTION(FLAG, "list", NULL, "All kinds of findings: tool, severity, and what to do", TO(list)),
    ROW_VERSION,
    OPTION_TITLE("Lockstep's own:"),
    OPTION(CALL, "schedule", "seed=N", "Shuffle the order of blocks and warps, as LOCKSTEP_SEED", .take = take_schedule,
           .runs = true),
    OPTION(
        NUMBER, "schedules", "K",
        "Run each launch again under K shuffled orders, and report results that differ; with --memory weak unless told",
        TO(schedules), .least = 1, .runs = true),
    ROW_MEMORY(TO(memory)),
    ROW_GPU(TO(gpu), 0),
    ROW_WORKERS(TO(workers), 0, " (1, so that each run reports the same)"),
    OPTION(NUMBER, "seed", "N", "As --schedule seed=N", TO(seed), .as_text = true, .runs = true),
    ROW_TIMEOUT(TO(timeout), 0, ""),
    ROW_NO_CHECK(TO(unchecked)),
    OPTION_TITLE("Taken, as compute-sanitizer's, without effect:"),
    OPTION(UNUSED, "racecheck-report", "hazard|analysis|all", "Both threads are always named"),
    OPTION(UNUSED, "padding", "N", "Allocations always have red zones"),
    OPTION(UNUSED, "launch-timeout", "SECONDS", NULL),
    OPTION(UNUSED, "max-connections", "N", NULL),
    OPTION(UNUSED, "port", "N", NULL),
    OPTION(UNUSED, "kill", NULL, NULL),
    OPTION(UNUSED, "nvtx", "true|false", NULL),
    OPTION(UNUSED, "injection-path", "FOLDER", NULL),
    OPTION(UNUSED, "injection-path32", "FOLDER", NULL),
    OPTION(UNUSED, "support-32bit", NULL, NULL),
    OPTION(UNUSED, "force-synchronization-limit", "N", NULL),
    OPTION(UNUSED, "num-cuda-barriers", "N", NULL),
    OPTION(UNUSED, "num-callers-device", "N", NULL),
    OPTION(UNUSED, "save-session-details", NULL, NULL),
    OPTION(UNUSED, "racecheck-num-workers", "N", NULL),
    OPTION(UNUSED, "racecheck-deadlock-timeout", "N", NULL),
    OPTION(UNUSED, "racecheck-continue-on-deadlock", "yes|no", NULL),
    OPTION(UNUSED, "racecheck-indirect-barrier-dependency", NULL, NULL),
    OPTION(UNUSED, "missing-barrier-init-is-fatal", "yes|no", NULL),
    OPTION(UNUSED, "hmm-support", NULL, NULL),
    OPTION(ALWAYS, "check-bulk-copy", "yes|no", "copies are always checked"),
    OPTION(ALWAYS, "check-warpgroup-mma", "yes|no", "they are always checked"),
    OPTION(REFUSED, "generate-coredump", NULL, "there is no GPU to dump"),
    OPTION(REFUSED, "coredump-name", "FILE", "there is no GPU to dump"),
    OPTION(REFUSED, "coredump-behavior", "MODE", "there is no GPU to dump"),
    OPTION(REFUSED, "check-optix", NULL, "Lockstep has no OptiX"),
    OPTION(REFUSED, "check-optix-leaks", NULL, "Lockstep has no OptiX"),
    OPTION(REFUSED, "check-cache-control", NULL, "instructions that control caches are not checked"),
    OPTION(REFUSED, "detect-missing-module-unload", NULL, "modules are not looked at for leaks"),
    OPTION(REFUSED, "track-unused-memory", NULL, "--tool writecheck finds the parts of an output that nobody wrote"),
    OPTION(REFUSED, "unused-memory-threshold", "N", "--tool writecheck finds the parts of an output that nobody wrote"),
    OPTION(REFUSED, "unused-shared-memory-report-limit", "N", "unused shared memory is not reported"),
    OPTION(REFUSED, "racecheck-trace-sync", "yes|no", "barriers are not traced"),
    OPTION(REFUSED, "racecheck-filter-cluster-id", "N", "all blocks are checked"),
    OPTION(REFUSED, "target-processes-filter", "NAME",
           "all processes are checked, or the program alone (--target-processes application-only)"),
    OPTION(REFUSED, "dump-kernel-launches", NULL, "`lockstep profile` and `lockstep trace` list launches"),
    OPTION(REFUSED, "preload-library", "FILE", "set LD_PRELOAD: the environment is the program's"),
    OPTION(REFUSED, "language", "c|fortran", "threads and blocks are counted from 0, as in C"),
    OPTION(REFUSED, "mode", "MODE", "the program is started by this command; there is nothing to attach to"),
};

static void finish(struct option_reader *o)
{
    struct check_command *c = o->into;
    const char *run_option = option_given_for_run(o);
    if ((c->program != NULL) + (c->read != NULL) + c->list == 0)
        option_wrong(o, "which program? (or --read FILE)");
    if (c->read && c->program)
        option_wrong(o, "--read prints what was kept: no program runs beside it");
    if (c->read && c->save)
        option_wrong(o, "--save keeps what a program did; --read has it already");
    if (c->xml && !c->save)
        option_wrong(o, "--xml is for --save: into which file?");
    if (c->read && run_option)
        option_wrong(o, "--%s is for a program that runs; with --read none does", run_option);
    if (c->json.wanted && !c->json.to && c->sarif.wanted && !c->sarif.to)
        option_wrong(o, "--json and --sarif both instead of the text: give one of them a file (--sarif=FILE)");
    if (c->excluded && (c->select.skip || c->select.count))
        option_wrong(o,
                     "--kernel-name-exclude leaves findings out, not launches: it does not go with --launch-skip and "
                     "--launch-count");
    c->tools_named = c->tools || c->leaks || c->pools;
    c->tools |= c->tools ? 0 : CHECK_BY_DEFAULT;
    c->tools |= c->leaks ? CHECK_LEAKCHECK : 0;
    c->tools |= c->pools ? CHECK_POOLCHECK : 0;
    c->tools |= c->schedules ? CHECK_SCHEDULES : 0;
}

static const struct option_table table = {
    .rows = rows,
    .n = LS_ARRAY_LEN(rows),
    .words = "PROGRAM [ARGUMENT...]\n--read FILE\n--list",
    .about = "Runs a CUDA program on Lockstep's device and reports what is wrong with its kernels and its calls, as "
             "compute-sanitizer does, when the program has ended. The exit status is the program's, or "
             "--error-exitcode.",
    .program = OPTION_AT(struct check_command, program),
    .finish = finish,
};

bool check_options_read(struct check_command *c, int argc, char **argv, int *status)
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
    return options_read(&table, c, argc, argv, status);
}
