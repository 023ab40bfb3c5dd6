/* profile_options.c - the command line of `lockstep profile`: ncu's options, and a few of our own. What ncu takes and
 * what has no meaning here is taken and said; what would change the result and cannot is refused by name. */
#include <argp.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/profile/profile.h"

enum {
    OPT_METRICS = 256,
    OPT_CSV,
    OPT_PAGE,
    OPT_UNITS,
    OPT_DETAILS,
    OPT_SUMMARY,
    OPT_KERNEL_BASE,
    OPT_NAME_BASE,
    OPT_KERNEL_ID,
    OPT_SKIP_ANY,
    OPT_SECTION,
    OPT_SET,
    OPT_LIST_SECTIONS,
    OPT_LIST_SETS,
    OPT_LIST_METRICS,
    OPT_QUERY,
    OPT_QUERY_MODE,
    OPT_LOG,
    OPT_TARGET,
    OPT_FROM_START,
    OPT_KILL,
    OPT_RULES,
    OPT_PRINT_SOURCE,
    OPT_FOLDERS,
    OPT_PRINT_KIND,
    OPT_METRIC_NAME,
    OPT_EXIT_CODE,
    OPT_GPU,
    OPT_WORKERS,
    OPT_SEED,
    OPT_MEMORY,
    OPT_TIMEOUT,
    OPT_PTXAS,
    OPT_NO_CHECK,
    OPT_MODEL,
    OPT_DEVICES,
    OPT_REPLAY,
    OPT_FILTER_MODE,
    OPT_CLOCK,
    OPT_MODE,
    OPT_UNUSED = 400, /* taken, said, without effect */
    OPT_REFUSED = 500,
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to profile:", 1},
    {"kernel-name", 'k', "NAME|regex:EXPR", 0, "Only kernels of that name", 1},
    {"kernel-name-base", OPT_NAME_BASE, "function|demangled|mangled", 0, "What --kernel-name looks at (function)", 1},
    {"kernel-id", OPT_KERNEL_ID, "CONTEXT:STREAM:NAME:NUMBER", 0, "Only that launch; each part may be left out", 1},
    {"launch-skip", 's', "N", 0, "Leave out the first N launches that match", 1},
    {"launch-count", 'c', "N", 0, "Profile at most N launches", 1},
    {"launch-skip-before-match", OPT_SKIP_ANY, "N", 0, "Leave out the first N launches of all", 1},
    {"kill", OPT_KILL, "yes|no", 0, "yes: end the program when --launch-count launches have been profiled (no)", 1},
    {"profile-from-start", OPT_FROM_START, "on|off", 0, "off: wait for cuProfilerStart", 1},
    {"target-processes", OPT_TARGET, "all", 0, "Children are profiled too, always", 1},
    {"filter-mode", OPT_FILTER_MODE, "global|per-gpu", 0,
     "Launches are counted together, process by process; there is one GPU", 1},
    {"devices", OPT_DEVICES, "0", 0, "There is one device, 0", 1},
    {NULL, 0, NULL, 0, "What to print:", 2},
    {"metrics", OPT_METRICS, "LIST", 0, "Metrics: names (also nvprof's), regex:EXPR, group:NAME, with commas", 2},
    {"section", OPT_SECTION, "NAME|regex:EXPR", 0, "A section of the details page; may be given again", 2},
    {"set", OPT_SET, "basic|detailed|full|none", 0, "A set of sections (basic)", 2},
    {"page", OPT_PAGE, "details|raw|source|session", 0, "The page to print (details)", 2},
    {"csv", OPT_CSV, NULL, 0, "As CSV", 2},
    {"print-details", OPT_DETAILS, "header|body|all", 0, "Which rows of the sections (header)", 2},
    {"print-metric-name", OPT_METRIC_NAME, "label|name|label-name", 0, "What stands in the details page's first column",
     2},
    {"print-units", OPT_UNITS, "auto|base", 0, "Scale units, or not", 2},
    {"print-kernel-base", OPT_KERNEL_BASE, "function|demangled|mangled", 0, "How kernels are named (demangled)", 2},
    {"print-summary", OPT_SUMMARY, "none|per-kernel|per-gpu", 0, "All launches of a kernel in one table", 2},
    {"print-source", OPT_PRINT_SOURCE, "cuda|ptx", 0, "What the source page shows (cuda)", 2},
    {"print-kind", OPT_PRINT_KIND, NULL, 0, "A column that says whether a number is counted, modelled or estimated", 2},
    {"source-folders", OPT_FOLDERS, "FOLDER,...", 0, "Where to look for source files", 2},
    {"resolve-source-file", OPT_FOLDERS, "FOLDER,...", OPTION_ALIAS, NULL, 2},
    {"apply-rules", OPT_RULES, "yes|no", 0, "no: without advice", 2},
    {"log-file", OPT_LOG, "FILE|stdout|stderr", 0, "Where to print (stdout)", 2},
    {"check-exit-code", OPT_EXIT_CODE, "yes|no", 0, "no: do not say that the program failed", 2},
    {"quiet", 'q', NULL, 0, "Without the ==PROF== lines", 2},
    {NULL, 0, NULL, 0, "Reports:", 3},
    {"export", 'o', "FILE", 0, "Write a report file FILE.lsrep instead of printing", 3},
    {"force-overwrite", 'f', NULL, 0, "Also if it exists", 3},
    {"import", 'i', "FILE", 0, "Print from a report file; no program runs", 3},
    {NULL, 0, NULL, 0, "What there is:", 4},
    {"list-sections", OPT_LIST_SECTIONS, NULL, 0, "The sections", 4},
    {"list-sets", OPT_LIST_SETS, NULL, 0, "The sets", 4},
    {"list-metrics", OPT_LIST_METRICS, NULL, 0, "The metrics of the chosen sections", 4},
    {"query-metrics", OPT_QUERY, NULL, 0, "All metrics, with unit, kind and meaning", 4},
    {"query-metrics-mode", OPT_QUERY_MODE, "base|suffix|all", 0, "Names without their last part (base), or whole", 4},
    {NULL, 0, NULL, 0, "Lockstep's own:", 5},
    {"gpu", OPT_GPU, "NAME", 0, "The GPU to be (`lockstep gpus` lists them), as LOCKSTEP_GPU", 5},
    {"workers", OPT_WORKERS, "N", 0, "Threads of a launch, as LOCKSTEP_WORKERS", 5},
    {"seed", OPT_SEED, "N", 0, "Shuffle the order of blocks and warps, as LOCKSTEP_SEED", 5},
    {"memory", OPT_MEMORY, "weak|strong", 0, "The order in which others see stores, as LOCKSTEP_MEMORY", 5},
    {"timeout", OPT_TIMEOUT, "SECONDS", 0, "End a kernel that runs longer, as LOCKSTEP_TIMEOUT", 5},
    {"ptxas", OPT_PTXAS, "PROGRAM", 0, "The ptxas that is asked for registers, as LOCKSTEP_PTXAS; 0: none", 5},
    {"clock-control", OPT_CLOCK, "base|none", 0,
     "The clock of the modelled time: the GPU's base clock (base), or its boost clock", 2},
    {"model", OPT_MODEL, "yes|no", 0, "no: without the modelled metrics (caches, DRAM, time), which cost time", 5},
    {"no-check", OPT_NO_CHECK, NULL, 0, "Start the program without looking at its file first", 5},
    {NULL, 0, NULL, 0, "Taken, as ncu's, without effect:", 6},
    {"replay-mode", OPT_REPLAY, "kernel|application", 0, "Nothing is replayed: one run counts everything", 6},
    {"cache-control", OPT_UNUSED + 1, "all|none", 0, "", 6},
    {"mode", OPT_MODE, "launch-and-attach", 0, "", 6},
    {"app-replay-match", OPT_UNUSED + 2, "MODE", OPTION_HIDDEN, "", 6},
    {"app-replay-buffer", OPT_UNUSED + 3, "MODE", OPTION_HIDDEN, "", 6},
    {"app-replay-mode", OPT_UNUSED + 4, "MODE", OPTION_HIDDEN, "", 6},
    {"import-source", OPT_UNUSED + 5, "yes|no", OPTION_HIDDEN, "", 6},
    {"warp-sampling-interval", OPT_UNUSED + 6, "N", OPTION_HIDDEN, "", 6},
    {"warp-sampling-max-passes", OPT_UNUSED + 7, "N", OPTION_HIDDEN, "", 6},
    {"warp-sampling-buffer-size", OPT_UNUSED + 8, "N", OPTION_HIDDEN, "", 6},
    {"sampling-interval", OPT_UNUSED + 9, "N", OPTION_HIDDEN, "", 6},
    {"pm-sampling-interval", OPT_UNUSED + 10, "N", OPTION_HIDDEN, "", 6},
    {"disable-extra-suffixes", OPT_UNUSED + 11, NULL, OPTION_HIDDEN, "", 6},
    {"print-fp", OPT_UNUSED + 12, NULL, OPTION_HIDDEN, "", 6},
    {"verbose", OPT_UNUSED + 13, NULL, OPTION_HIDDEN, "", 6},
    {"support-32bit", OPT_UNUSED + 14, NULL, OPTION_HIDDEN, "", 6},
    {"port", 'p', "N", OPTION_HIDDEN, "", 6},
    {"max-connections", OPT_UNUSED + 15, "N", OPTION_HIDDEN, "", 6},
    {"graph-profiling", OPT_UNUSED + 16, "node|graph", OPTION_HIDDEN, "", 6},
    {"section-folder", OPT_UNUSED + 17, "FOLDER", OPTION_HIDDEN, "", 6},
    {"print-rule-details", OPT_UNUSED + 18, NULL, OPTION_HIDDEN, "", 6},
    {"print-metric-instances", OPT_UNUSED + 19, "none|values|details", OPTION_HIDDEN, "", 6},
    {"null-stdin", OPT_UNUSED + 20, NULL, OPTION_HIDDEN, "", 6},
    {"pipeline-boost-state", OPT_UNUSED + 21, "stable|dynamic", OPTION_HIDDEN, "", 6},
    {"pm-sampling-buffer-size", OPT_UNUSED + 22, "N", OPTION_HIDDEN, "", 6},
    {"pm-sampling-max-passes", OPT_UNUSED + 23, "N", OPTION_HIDDEN, "", 6},
    {"import-sass", OPT_UNUSED + 24, "yes|no", OPTION_HIDDEN, "", 6},
    {"forward-signals", OPT_UNUSED + 25, NULL, OPTION_HIDDEN, "", 6},
    {"injection-path-32", OPT_UNUSED + 26, "FOLDER", OPTION_HIDDEN, "", 6},
    {"injection-path-64", OPT_UNUSED + 27, "FOLDER", OPTION_HIDDEN, "", 6},
    {"print-metric-attribution", OPT_UNUSED + 28, NULL, OPTION_HIDDEN, "", 6},
    {"section-folder-recursive", OPT_UNUSED + 29, "FOLDER", OPTION_HIDDEN, "", 6},
    {NULL, 'h', NULL, OPTION_HIDDEN, NULL, 6},
    {"nvtx", OPT_REFUSED, NULL, OPTION_HIDDEN, "ranges of NVTX are not known to Lockstep", 7},
    {"nvtx-include", OPT_REFUSED + 1, "RANGE", OPTION_HIDDEN, "ranges of NVTX are not known to Lockstep", 7},
    {"nvtx-exclude", OPT_REFUSED + 2, "RANGE", OPTION_HIDDEN, "ranges of NVTX are not known to Lockstep", 7},
    {"range-filter", OPT_REFUSED + 3, "RANGE", OPTION_HIDDEN, "launches are profiled, not ranges", 7},
    {"target-processes-filter", OPT_REFUSED + 4, "NAME", OPTION_HIDDEN, "all processes are profiled", 7},
    {"rename-kernels", OPT_REFUSED + 5, "yes|no", OPTION_HIDDEN, "kernels keep their names", 7},
    {"hostname", OPT_REFUSED + 7, "NAME", OPTION_HIDDEN, "there is nothing to attach to", 7},
    {"rule", OPT_REFUSED + 8, "NAME", OPTION_HIDDEN,
     "there is one rule, of the nearest limit; --apply-rules no leaves it out", 7},
    {"config-file", OPT_REFUSED + 9, "on|off", OPTION_HIDDEN, "no configuration file is read", 7},
    {"call-stack", OPT_REFUSED + 10, NULL, OPTION_HIDDEN, "host call stacks are not recorded", 7},
    {"call-stack-type", OPT_REFUSED + 11, "TYPE", OPTION_HIDDEN, "host call stacks are not recorded", 7},
    {"native-include", OPT_REFUSED + 12, "FRAME", OPTION_HIDDEN, "host call stacks are not recorded", 7},
    {"native-exclude", OPT_REFUSED + 13, "FRAME", OPTION_HIDDEN, "host call stacks are not recorded", 7},
    {"python-include", OPT_REFUSED + 14, "FRAME", OPTION_HIDDEN, "host call stacks are not recorded", 7},
    {"python-exclude", OPT_REFUSED + 15, "FRAME", OPTION_HIDDEN, "host call stacks are not recorded", 7},
    {"nvtx-push-pop-scope", OPT_REFUSED + 16, "SCOPE", OPTION_HIDDEN, "ranges of NVTX are not known to Lockstep", 7},
    {"print-nvtx-rename", OPT_REFUSED + 17, "MODE", OPTION_HIDDEN, "ranges of NVTX are not known to Lockstep", 7},
    {"range-replay-options", OPT_REFUSED + 18, "OPTION", OPTION_HIDDEN, "launches are profiled, not ranges", 7},
    {"disable-profiler-start-stop", OPT_REFUSED + 19, NULL, OPTION_HIDDEN,
     "cuProfilerStart and cuProfilerStop always count", 7},
    {"rename-kernels-export", OPT_REFUSED + 20, "yes|no", OPTION_HIDDEN, "kernels keep their names", 7},
    {"rename-kernels-path", OPT_REFUSED + 21, "FILE", OPTION_HIDDEN, "kernels keep their names", 7},
    {"preload-library", OPT_REFUSED + 22, "FILE", OPTION_HIDDEN, "LD_PRELOAD does that", 7},
    {"list-rules", OPT_REFUSED + 23, NULL, OPTION_HIDDEN, "there is one rule, of the nearest limit", 7},
    {"chips", OPT_REFUSED + 24, "CHIPS", OPTION_HIDDEN, "`lockstep gpus` lists the GPUs; --gpu chooses one", 7},
    {"list-chips", OPT_REFUSED + 25, NULL, OPTION_HIDDEN, "`lockstep gpus` lists the GPUs", 7},
    {"query-metrics-collection", OPT_REFUSED + 26, "KIND", OPTION_HIDDEN,
     "--query-metrics lists all metrics that there are", 7},
    {"section-folder-restore", OPT_REFUSED + 27, NULL, OPTION_HIDDEN, "sections are built in", 7},
    {"config-file-path", OPT_REFUSED + 28, "FILE", OPTION_HIDDEN, "no configuration file is read", 7},
    {"mps", OPT_REFUSED + 29, "MODE", OPTION_HIDDEN, "there is no MPS", 7},
    {"mps-num-clients", OPT_REFUSED + 30, "N", OPTION_HIDDEN, "there is no MPS", 7},
    {"mps-timeout", OPT_REFUSED + 31, "N", OPTION_HIDDEN, "there is no MPS", 7},
    {"open-in-ui", OPT_REFUSED + 32, NULL, OPTION_HIDDEN, "there is no other interface than this one", 7},
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
    return WORD(option, "yes", "no", "on", "off", "1", "0", "true", "false") % 2 == 0;
}

static u64 number(struct argp_state *state, const char *option, const char *text)
{
    char *end;
    const u64 n = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end)
        argp_error(state, "--%s needs a number, not '%s'", option, text);
    return n;
}

/* ncu refuses a second one too, so nobody thinks that both would count. */
static void once(const char *before, const char *option, struct argp_state *state)
{
    if (before)
        argp_error(state, "--%s was given before; a regex: can name several kernels", option);
}

static void read_metrics(struct profile *p, const char *list, struct argp_state *state)
{
    while (*list) {
        const size_t n = strcspn(list, ",");
        if (n) {
            const char *wrong = ncu_metrics_add(&p->page.metrics, arena_strndup(&p->mem, list, n));
            if (wrong)
                argp_error(state, "--metrics: %s", wrong);
        }
        list += n + (list[n] == ',');
    }
}

static const char limit_section[] = "NearestLimit";

static bool section_fits(const char *text, const char *identifier, struct argp_state *state)
{
    if (strncmp(text, "regex:", 6) != 0)
        return !strcmp(text, identifier);
    regex_t r;
    if (regcomp(&r, text + 6, REG_EXTENDED | REG_NOSUB))
        argp_error(state, "--section: '%s' is no regular expression", text + 6);
    const bool fits = !regexec(&r, identifier, 0, NULL, 0);
    regfree(&r);
    return fits;
}

static void read_section(struct profile *p, const char *text, struct argp_state *state)
{
    bool any = section_fits(text, limit_section, state);
    if (!p->sections_named)
        p->page.sections = 0, p->page.limits = false;
    p->page.limits |= any;
    for (u32 i = 0; ncu_section_at(i); i++)
        if (section_fits(text, ncu_section_at(i)->identifier, state)) {
            p->page.sections |= 1ull << i;
            any = true;
        }
    if (!any)
        argp_error(state, "there is no section '%s'; --list-sections lists them", text);
    p->sections_named = true;
}

static void read_set(struct profile *p, u32 set)
{
    enum { BASIC, DETAILED, FULL, NONE };
    if (!p->sections_named)
        p->page.sections = 0;
    for (u32 i = 0; ncu_section_at(i) && set != NONE; i++)
        if (set == FULL || (set == BASIC ? ncu_section_at(i)->basic : ncu_section_at(i)->detailed))
            p->page.sections |= 1ull << i;
    if (set == FULL)
        p->page.rows = NCU_HEADER | NCU_BODY;
    p->page.limits = set != NONE;
    p->sections_named = true;
}

static void read_folders(struct profile *p, const char *list)
{
    while (*list) {
        const size_t n = strcspn(list, ",");
        if (n && p->nfolders < FOLDERS_MAX)
            p->folders[p->nfolders++] = arena_strndup(&p->mem, list, n);
        list += n + (list[n] == ',');
    }
}

static void read_print_source(struct profile *p, const char *arg, struct argp_state *state)
{
    if (strstr(arg, "sass"))
        argp_error(state, "--print-source %s: Lockstep runs PTX and has no machine code to show; cuda or ptx", arg);
    p->page.ptx_source = WORD("print-source", "cuda", "ptx") == 1;
}

static const char *option_name(int key)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(options); i++)
        if (options[i].key == key && options[i].name)
            return options[i].name;
    return "?";
}

static void read_unused(struct profile *p, int key)
{
    if (p->nunused < NAMES_MAX)
        p->unused[p->nunused++] = option_name(key);
}

static void refuse(int key, struct argp_state *state)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(options); i++)
        if (options[i].key == key)
            argp_error(state, "--%s: %s", options[i].name, options[i].doc);
}

/* ---- argp ---- */

/* Both would count launches, each in its own way; ncu refuses it too. An id of a name alone counts nothing. */
static void check_filters(const struct profile *p, struct argp_state *state)
{
    const char *id = p->select.kernel_id;
    if (!id)
        return;
    const char *stream = strchr(id, ':'), *name = stream ? strchr(stream + 1, ':') : NULL;
    const bool name_alone = *id == ':' && name == stream + 1 && id[strlen(id) - 1] == ':' && strrchr(id, ':') != name;
    if (p->select.skip && !name_alone)
        argp_error(state, "--launch-skip does not go with a context, stream or number in --kernel-id");
}

static void finish(struct profile *p, struct argp_state *state)
{
    const u32 works = (p->program != NULL) + (p->import != NULL) + (p->list != LIST_NOTHING);
    if (!works)
        argp_error(state, "which program? (or --import FILE)");
    if (p->import && p->program)
        argp_error(state, "--import prints a report: no program runs beside it");
    if (p->export_to && !p->program)
        argp_error(state, "--export writes what a program did: which program?");
    if (p->kill && !p->select.count)
        argp_error(state, "--kill yes ends the program when --launch-count launches have been profiled: how many?");
    check_filters(p, state);
    if (p->page.csv && !p->units_named)
        p->page.base_units = true; /* as ncu */
    if (p->page.metrics.n && !p->sections_named) {
        p->page.sections = 0;
        p->page.limits = false;
    }
    ncu_metrics_sort(&p->page.metrics);
}

static error_t parse_print(int key, char *arg, struct argp_state *state)
{
    struct profile *p = state->input;
    struct ncu_options *o = &p->page;
    switch (key) {
    case OPT_METRICS:
        read_metrics(p, arg, state);
        return 0;
    case OPT_SECTION:
        read_section(p, arg, state);
        return 0;
    case OPT_SET:
        read_set(p, WORD("set", "basic", "detailed", "full", "none"));
        return 0;
    case OPT_PAGE:
        o->page = (enum ncu_page)WORD("page", "details", "raw", "source", "session");
        p->page_named = true;
        return 0;
    case OPT_CSV:
        o->csv = true;
        return 0;
    case OPT_DETAILS:
        o->rows = (u32[]){NCU_HEADER, NCU_BODY, NCU_HEADER | NCU_BODY}[WORD("print-details", "header", "body", "all")];
        return 0;
    case OPT_METRIC_NAME:
        o->names = (enum ncu_names)WORD("print-metric-name", "label", "name", "label-name");
        return 0;
    case OPT_UNITS:
        o->base_units = WORD("print-units", "auto", "base") == 1;
        p->units_named = true;
        return 0;
    case OPT_KERNEL_BASE:
        o->name = (enum kernel_base)WORD("print-kernel-base", "function", "demangled", "mangled");
        return 0;
    case OPT_SUMMARY:
        o->summary = (enum ncu_summary)WORD("print-summary", "none", "per-kernel", "per-gpu");
        return 0;
    case OPT_PRINT_SOURCE:
        read_print_source(p, arg, state);
        return 0;
    case OPT_PRINT_KIND:
        o->print_kind = true;
        return 0;
    case OPT_FOLDERS:
        read_folders(p, arg);
        return 0;
    case OPT_RULES:
        o->no_rules = !yes(state, "apply-rules", arg);
        return 0;
    case OPT_LOG:
        p->log = strcmp(arg, "stdout") ? arg : NULL;
        return 0;
    case 'q':
        p->quiet = true;
        return 0;
    case 'o':
        p->export_to = arg;
        return 0;
    case 'f':
        p->force = true;
        return 0;
    case 'i':
        p->import = arg;
        return 0;
    case OPT_LIST_SECTIONS:
        p->list = LIST_SECTIONS;
        return 0;
    case OPT_LIST_SETS:
        p->list = LIST_SETS;
        return 0;
    case OPT_LIST_METRICS:
        p->list = LIST_METRICS;
        return 0;
    case OPT_QUERY:
        p->list = LIST_QUERY;
        return 0;
    case OPT_QUERY_MODE:
        p->query_mode =
            (const char *const[]){"base", "suffix", "all"}[WORD("query-metrics-mode", "base", "suffix", "all")];
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_run(int key, char *arg, struct argp_state *state)
{
    struct profile *p = state->input;
    switch (key) {
    case 'k':
        once(p->select.kernel, "kernel-name", state);
        p->select.kernel = arg;
        return 0;
    case OPT_NAME_BASE:
        p->select.base = (const char *const[]){"function", "demangled",
                                               "mangled"}[WORD("kernel-name-base", "function", "demangled", "mangled")];
        return 0;
    case OPT_KERNEL_ID:
        once(p->select.kernel_id, "kernel-id", state);
        p->select.kernel_id = arg;
        return 0;
    case 's':
        p->select.skip = number(state, "launch-skip", arg);
        return 0;
    case 'c':
        p->select.count = number(state, "launch-count", arg);
        if (!p->select.count)
            argp_error(state, "--launch-count needs 1 at least");
        return 0;
    case OPT_SKIP_ANY:
        p->select.skip_any = number(state, "launch-skip-before-match", arg);
        return 0;
    case OPT_FROM_START:
        p->from_start = yes(state, "profile-from-start", arg);
        return 0;
    case OPT_CLOCK:
        p->boost_clock = WORD("clock-control", "base", "none", "reset");
        p->clock_named = true;
        if (!strcmp(arg, "reset"))
            argp_error(state, "--clock-control reset: there are no clocks here that could have been locked");
        return 0;
    case OPT_KILL:
        p->kill = yes(state, "kill", arg);
        return 0;
    case OPT_TARGET:
        if (WORD("target-processes", "all", "application-only"))
            read_unused(p, key);
        return 0;
    case OPT_FILTER_MODE:
        WORD("filter-mode", "global", "per-gpu");
        return 0;
    case OPT_DEVICES:
        WORD("devices", "0");
        return 0;
    case OPT_MODE:
        WORD("mode", "launch-and-attach");
        return 0;
    case OPT_REPLAY:
        WORD("replay-mode", "kernel", "application");
        read_unused(p, key);
        return 0;
    case OPT_EXIT_CODE:
        p->tell_exit_code = yes(state, "check-exit-code", arg);
        return 0;
    case OPT_GPU:
        p->gpu = arg;
        return 0;
    case OPT_WORKERS:
        p->workers = arg;
        return 0;
    case OPT_SEED:
        p->seed = arg;
        return 0;
    case OPT_MEMORY:
        p->memory = arg;
        return 0;
    case OPT_TIMEOUT:
        p->timeout = arg;
        return 0;
    case OPT_PTXAS:
        p->ptxas = arg;
        return 0;
    case OPT_MODEL:
        p->no_model = !yes(state, "model", arg);
        return 0;
    case OPT_NO_CHECK:
        p->unchecked = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct profile *p = state->input;
    if (key == ARGP_KEY_ARG) { /* the program: all that follows is its own */
        p->program = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    }
    if (key == ARGP_KEY_END) {
        finish(p, state);
        return 0;
    }
    if (key == 'h')
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
    if (key >= OPT_REFUSED && key < OPT_REFUSED + 100)
        refuse(key, state);
    if (key == 'p' || (key >= OPT_UNUSED && key < OPT_REFUSED)) {
        read_unused(p, key);
        return 0;
    }
    const error_t e = parse_print(key, arg, state);
    return e == ARGP_ERR_UNKNOWN ? parse_run(key, arg, state) : e;
}

static const struct argp argp = {
    options,
    parse,
    "PROGRAM [ARGUMENT...]\n--import FILE",
    "Runs a CUDA program on Lockstep's device, counts what its kernels do, and prints it as "
    "Nsight Compute does. The exit status is the program's.",
    NULL,
    NULL,
    NULL};

void profile_read(struct profile *p, int argc, char **argv)
{
    p->page = (struct ncu_options){.name = KERNEL_DEMANGLED, .rows = NCU_HEADER, .folders = p->folders, .limits = true};
    p->page.metrics.mem = &p->mem;
    p->select.base = "function";
    p->from_start = p->tell_exit_code = true;
    p->query_mode = "base";
    for (u32 i = 0; ncu_section_at(i); i++)
        p->page.sections |= (u64)ncu_section_at(i)->basic << i;
    argp_err_exit_status = CLI_USAGE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, p);
}
