/* profile_options.c - the command line of `lockstep profile`: ncu's options, and a few of our own. What ncu takes and
 * what has no meaning here is taken and said; what would change the result and cannot is refused by name. */
#include <regex.h>
#include <string.h>

#include "cli/profile/profile_command.h"
#include "cli/program.h"
#include "cli/shared_options.h"

/* ---- what to profile ---- */

/* ncu refuses a second one too, so that no user believes that both count. */
static void once(struct option_reader *o, const char *option)
{
    if (option_given(o, option))
        option_wrong(o, "--%s was given before; a regex: can name several kernels", option);
}

static void take_kernel_name(struct option_reader *o, const struct option_value *v)
{
    (void)v;
    once(o, "kernel-name");
}

static void take_kernel_id(struct option_reader *o, const struct option_value *v)
{
    (void)v;
    once(o, "kernel-id");
}

static void take_target(struct option_reader *o, const struct option_value *v)
{
    if (strcmp(v->text, "all") != 0)
        option_unused(o, "target-processes");
}

static void take_replay(struct option_reader *o, const struct option_value *v)
{
    (void)v;
    option_unused(o, "replay-mode");
}

/* ---- what to print ---- */

static void take_metrics(struct option_reader *o, const struct option_value *v)
{
    struct profile *p = o->into;
    for (const char *list = v->text; *list;) {
        const size_t n = strcspn(list, ",");
        const char *wrong = n ? ncu_metrics_add(&p->page.metrics, arena_strndup(&p->mem, list, n)) : NULL;
        if (wrong)
            option_wrong(o, "--metrics: %s", wrong);
        list += n + (list[n] == ',');
    }
}

static const char limit_section[] = "NearestLimit";

/* --section and --set name what is printed; the first of them replaces the usual sections. */
static bool sections_named(const struct option_reader *o)
{
    return option_given(o, "section") || option_given(o, "set");
}

static bool section_fits(struct option_reader *o, const char *text, const char *identifier)
{
    if (strncmp(text, "regex:", 6) != 0)
        return !strcmp(text, identifier);
    regex_t r;
    if (regcomp(&r, text + 6, REG_EXTENDED | REG_NOSUB)) {
        option_wrong(o, "--section: '%s' is no regular expression", text + 6);
        return false;
    }
    const bool fits = !regexec(&r, identifier, 0, NULL, 0);
    regfree(&r);
    return fits;
}

static void take_section(struct option_reader *o, const struct option_value *v)
{
    struct profile *p = o->into;
    bool any = section_fits(o, v->text, limit_section);
    if (!sections_named(o))
        p->page.sections = 0, p->page.limits = false;
    p->page.limits |= any;
    for (u32 i = 0; ncu_section_at(i); i++)
        if (section_fits(o, v->text, ncu_section_at(i)->identifier)) {
            p->page.sections |= 1ull << i;
            any = true;
        }
    if (!any)
        option_wrong(o, "there is no section '%s'; --list-sections lists them", v->text);
}

static void take_set(struct option_reader *o, const struct option_value *v)
{
    enum { BASIC, DETAILED, FULL, NONE };
    struct profile *p = o->into;
    if (!sections_named(o))
        p->page.sections = 0;
    for (u32 i = 0; ncu_section_at(i) && v->n != NONE; i++)
        if (v->n == FULL || (v->n == BASIC ? ncu_section_at(i)->basic : ncu_section_at(i)->detailed))
            p->page.sections |= 1ull << i;
    if (v->n == FULL)
        p->page.rows = NCU_HEADER | NCU_BODY;
    p->page.limits = v->n != NONE;
}

static void take_details(struct option_reader *o, const struct option_value *v)
{
    static const u32 rows[] = {NCU_HEADER, NCU_BODY, NCU_HEADER | NCU_BODY};
    struct profile *p = o->into;
    p->page.rows = rows[v->n];
}

void profile_take_folders(struct option_reader *o, const struct option_value *v)
{
    struct profile *p = o->into;
    for (const char *list = v->text; *list;) {
        const size_t n = strcspn(list, ",");
        if (n && p->nfolders < FOLDERS_MAX)
            p->folders[p->nfolders++] = arena_strndup(&p->mem, list, n);
        list += n + (list[n] == ',');
    }
}

static void take_log(struct option_reader *o, const struct option_value *v)
{
    struct profile *p = o->into;
    p->log = strcmp(v->text, "stdout") ? v->text : NULL;
}

/* ---- the table ---- */

#define TO(member) .at = OPTION_AT(struct profile, member)

static const struct option_row rows[] = {
    OPTION_TITLE("What to profile:"),
    OPTION(TEXT, "kernel-name", "NAME|regex:EXPR", "Only kernels of that name", TO(select.kernel), .letter = 'k',
           .take = take_kernel_name),
    OPTION(CHOICE, "kernel-name-base", "function|demangled|mangled", "What --kernel-name looks at (function)",
           TO(select.base), .as_text = true),
    OPTION(TEXT, "kernel-id", "CONTEXT:STREAM:NAME:NUMBER", "Only that launch; each part may be left out",
           TO(select.kernel_id), .take = take_kernel_id),
    ROW_LAUNCH_SKIP(TO(select.skip)),
    ROW_LAUNCH_COUNT("Profile at most N launches", TO(select.count), .least = 1),
    OPTION(NUMBER, "launch-skip-before-match", "N", "Leave out the first N launches of all", TO(select.skip_any)),
    OPTION(YES_NO, "kill", "yes|no", "yes: end the program when --launch-count launches have been profiled (no)",
           TO(kill)),
    OPTION(YES_NO, "profile-from-start", "on|off", "off: wait for cuProfilerStart", TO(from_start)),
    OPTION(CHOICE, "target-processes", "all|application-only", "Children are profiled too, always",
           .take = take_target),
    OPTION(CHOICE, "filter-mode", "global|per-gpu",
           "Launches are counted together, process by process; there is one GPU"),
    OPTION(CHOICE, "devices", "0", "There is one device, 0"),
    OPTION_TITLE("What to print:"),
    OPTION(CALL, "metrics", "LIST", "Metrics: names (also nvprof's), regex:EXPR, group:NAME, with commas",
           .take = take_metrics),
    OPTION(CALL, "section", "NAME|regex:EXPR", "A section of the details page; may be given again",
           .take = take_section),
    OPTION(CHOICE, "set", "basic|detailed|full|none", "A set of sections (basic)", .take = take_set),
    OPTION(CHOICE, "page", "details|raw|source|session", "The page to print (details)", TO(page.page)),
    OPTION(FLAG, "csv", NULL, "As CSV", TO(page.csv)),
    OPTION(CHOICE, "print-details", "header|body|all", "Which rows of the sections (header)", .take = take_details),
    OPTION(CHOICE, "print-metric-name", "label|name|label-name", "What stands in the details page's first column",
           TO(page.names)),
    OPTION(CHOICE, "print-units", "auto|base", "Scale units, or not", TO(page.base_units)),
    OPTION(CHOICE, "print-kernel-base", "function|demangled|mangled", "How kernels are named (demangled)",
           TO(page.name)),
    OPTION(CHOICE, "print-summary", "none|per-kernel|per-gpu", "All launches of a kernel in one table",
           TO(page.summary)),
    OPTION(CHOICE, "print-source", "cuda|ptx", "What the source page shows (cuda)", TO(page.ptx_source),
           .note = "Lockstep runs PTX and has no machine code to show"),
    OPTION(FLAG, "print-kind", NULL, "A column that says whether a number is counted, modelled or estimated",
           TO(page.print_kind)),
    OPTION(CALL, "source-folders", "FOLDER,...", "Where to look for source files", .alias = "resolve-source-file",
           .take = profile_take_folders),
    OPTION(YES_NO, "apply-rules", "yes|no", "no: without advice", TO(page.no_rules), .negate = true),
    OPTION(CALL, "log-file", "FILE|stdout|stderr", "Where to print (stdout)", .take = take_log),
    ROW_CHECK_EXIT_CODE(TO(tell_exit_code)),
    OPTION(FLAG, "quiet", NULL, "Without the ==PROF== lines", TO(quiet), .letter = 'q'),
    OPTION(CHOICE, "clock-control", "base|none",
           "The clock of the modelled time: the GPU's base clock (base), or its boost clock", TO(boost_clock),
           .note = "there are no clocks here that could have been locked"),
    ROW_VERSION,
    OPTION_TITLE("Reports:"),
    OPTION(TEXT, "export", "FILE", "Write a report file FILE.lsrep instead of printing", TO(export_to), .letter = 'o'),
    OPTION(FLAG, "force-overwrite", NULL, "Also if it exists", TO(force), .letter = 'f'),
    OPTION(TEXT, "import", "FILE", "Print from a report file; no program runs", TO(import), .letter = 'i'),
    OPTION(TEXT, "baseline", "FILE",
           "Compare with an older report: times by kernel, and what moved; the newer one is the program, or a report "
           "in its place",
           TO(baseline)),
    OPTION(FLAG, "json", NULL, "That comparison as JSON", TO(json)),
    OPTION(TEXT, "html", "FILE", "Write one HTML file to look at instead of printing, as `lockstep report` does",
           TO(html)),
    OPTION_TITLE("What there is:"),
    OPTION(CONST, "list-sections", NULL, "The sections", TO(list), .constant = LIST_SECTIONS),
    OPTION(CONST, "list-sets", NULL, "The sets", TO(list), .constant = LIST_SETS),
    OPTION(CONST, "list-metrics", NULL, "The metrics of the chosen sections", TO(list), .constant = LIST_METRICS),
    OPTION(CONST, "query-metrics", NULL, "All metrics, with unit, kind and meaning", TO(list), .constant = LIST_QUERY),
    OPTION(CHOICE, "query-metrics-mode", "base|suffix|all", "Names without their last part (base), or whole",
           TO(query_mode), .as_text = true),
    OPTION_TITLE("Lockstep's own:"),
    ROW_GPU(TO(gpu), 0),
    ROW_WORKERS(TO(workers), 0, ""),
    ROW_SEED(TO(seed), 0),
    ROW_MEMORY(TO(memory)),
    ROW_TIMEOUT(TO(timeout), 0, ""),
    ROW_PTXAS(TO(ptxas)),
    OPTION(YES_NO, "model", "yes|no", "no: without the modelled metrics (caches, DRAM, time), which cost time",
           TO(no_model), .negate = true),
    OPTION(CHOICE, "model-launches", "all|sampled",
           "all: model every launch. sampled: of launches alike the 1st, 2nd, 4th, 8th ..., whose modelled metrics "
           "those between "
           "take (sampled)",
           TO(model_launches), .as_text = true),
    ROW_NO_CHECK(TO(unchecked)),
    OPTION_TITLE("Taken, as ncu's, without effect:"),
    OPTION(CHOICE, "replay-mode", "kernel|application", "Nothing is replayed: one run counts everything",
           .take = take_replay),
    OPTION(UNUSED, "cache-control", "all|none", ""),
    OPTION(CHOICE, "mode", "launch-and-attach", ""),
    OPTION(UNUSED, "app-replay-match", "MODE", NULL),
    OPTION(UNUSED, "app-replay-buffer", "MODE", NULL),
    OPTION(UNUSED, "app-replay-mode", "MODE", NULL),
    OPTION(UNUSED, "import-source", "yes|no", NULL),
    OPTION(UNUSED, "warp-sampling-interval", "N", NULL),
    OPTION(UNUSED, "warp-sampling-max-passes", "N", NULL),
    OPTION(UNUSED, "warp-sampling-buffer-size", "N", NULL),
    OPTION(UNUSED, "sampling-interval", "N", NULL),
    OPTION(UNUSED, "pm-sampling-interval", "N", NULL),
    OPTION(UNUSED, "disable-extra-suffixes", NULL, NULL),
    OPTION(UNUSED, "print-fp", NULL, NULL),
    OPTION(UNUSED, "verbose", NULL, NULL),
    OPTION(UNUSED, "support-32bit", NULL, NULL),
    OPTION(UNUSED, "port", "N", NULL, .letter = 'p'),
    OPTION(UNUSED, "max-connections", "N", NULL),
    OPTION(UNUSED, "graph-profiling", "node|graph", NULL),
    OPTION(UNUSED, "section-folder", "FOLDER", NULL),
    OPTION(UNUSED, "print-rule-details", NULL, NULL),
    OPTION(UNUSED, "print-metric-instances", "none|values|details", NULL),
    OPTION(UNUSED, "null-stdin", NULL, NULL),
    OPTION(UNUSED, "pipeline-boost-state", "stable|dynamic", NULL),
    OPTION(UNUSED, "pm-sampling-buffer-size", "N", NULL),
    OPTION(UNUSED, "pm-sampling-max-passes", "N", NULL),
    OPTION(UNUSED, "import-sass", "yes|no", NULL),
    OPTION(UNUSED, "forward-signals", NULL, NULL),
    OPTION(UNUSED, "injection-path-32", "FOLDER", NULL),
    OPTION(UNUSED, "injection-path-64", "FOLDER", NULL),
    OPTION(UNUSED, "print-metric-attribution", NULL, NULL),
    OPTION(UNUSED, "section-folder-recursive", "FOLDER", NULL),
    OPTION(REFUSED, "nvtx", NULL, "ranges of NVTX are not known to Lockstep"),
    OPTION(REFUSED, "nvtx-include", "RANGE", "ranges of NVTX are not known to Lockstep"),
    OPTION(REFUSED, "nvtx-exclude", "RANGE", "ranges of NVTX are not known to Lockstep"),
    OPTION(REFUSED, "range-filter", "RANGE", "launches are profiled, not ranges"),
    OPTION(REFUSED, "target-processes-filter", "NAME", "all processes are profiled"),
    OPTION(REFUSED, "rename-kernels", "yes|no", "kernels keep their names"),
    OPTION(REFUSED, "hostname", "NAME", "there is nothing to attach to"),
    OPTION(REFUSED, "rule", "NAME", "there is one rule, of the nearest limit; --apply-rules no leaves it out"),
    OPTION(REFUSED, "config-file", "on|off", "no configuration file is read"),
    OPTION(REFUSED, "call-stack", NULL, "host call stacks are not recorded"),
    OPTION(REFUSED, "call-stack-type", "TYPE", "host call stacks are not recorded"),
    OPTION(REFUSED, "native-include", "FRAME", "host call stacks are not recorded"),
    OPTION(REFUSED, "native-exclude", "FRAME", "host call stacks are not recorded"),
    OPTION(REFUSED, "python-include", "FRAME", "host call stacks are not recorded"),
    OPTION(REFUSED, "python-exclude", "FRAME", "host call stacks are not recorded"),
    OPTION(REFUSED, "nvtx-push-pop-scope", "SCOPE", "ranges of NVTX are not known to Lockstep"),
    OPTION(REFUSED, "print-nvtx-rename", "MODE", "ranges of NVTX are not known to Lockstep"),
    OPTION(REFUSED, "range-replay-options", "OPTION", "launches are profiled, not ranges"),
    OPTION(REFUSED, "disable-profiler-start-stop", NULL, "cuProfilerStart and cuProfilerStop always count"),
    OPTION(REFUSED, "rename-kernels-export", "yes|no", "kernels keep their names"),
    OPTION(REFUSED, "rename-kernels-path", "FILE", "kernels keep their names"),
    OPTION(REFUSED, "preload-library", "FILE", "LD_PRELOAD does that"),
    OPTION(REFUSED, "list-rules", NULL, "there is one rule, of the nearest limit"),
    OPTION(REFUSED, "chips", "CHIPS", "`lockstep gpus` lists the GPUs; --gpu chooses one"),
    OPTION(REFUSED, "list-chips", NULL, "`lockstep gpus` lists the GPUs"),
    OPTION(REFUSED, "query-metrics-collection", "KIND", "--query-metrics lists all metrics that there are"),
    OPTION(REFUSED, "section-folder-restore", NULL, "sections are built in"),
    OPTION(REFUSED, "config-file-path", "FILE", "no configuration file is read"),
    OPTION(REFUSED, "mps", "MODE", "there is no MPS"),
    OPTION(REFUSED, "mps-num-clients", "N", "there is no MPS"),
    OPTION(REFUSED, "mps-timeout", "N", "there is no MPS"),
    OPTION(REFUSED, "open-in-ui", NULL, "there is no other interface than this one"),
};

/* Both would count launches, each in its own way; ncu refuses it too. An id of a name alone counts nothing. */
static void check_filters(struct option_reader *o, const struct profile *p)
{
    const char *id = p->select.kernel_id;
    if (!id)
        return;
    const char *stream = strchr(id, ':'), *name = stream ? strchr(stream + 1, ':') : NULL;
    const bool name_alone = *id == ':' && name == stream + 1 && id[strlen(id) - 1] == ':' && strrchr(id, ':') != name;
    if (p->select.skip && !name_alone)
        option_wrong(o, "--launch-skip does not go with a context, stream or number in --kernel-id");
}

/* --baseline OLD NEW: a report in the program's place is the newer one. */
static void check_baseline(struct option_reader *o, struct profile *p)
{
    if (p->json && !p->baseline)
        option_wrong(o, "--json is for --baseline");
    if (!p->baseline)
        return;
    if (p->page.csv || option_given(o, "page") || p->page.metrics.n)
        option_wrong(o, "--baseline prints a comparison, with --json as JSON: no --page, --csv or --metrics beside it");
    if (p->program && !p->program[1] && !p->import && profile_is_report(p->program[0])) {
        p->import = p->program[0];
        p->program = NULL;
    }
}

void profile_check_options(struct option_reader *o, const struct profile *p)
{
    struct select s;
    char why[256];
    if (select_init(&s, &p->select, why))
        select_free(&s);
    else
        option_wrong(o, "--%s: %s", p->select.kernel_id ? "kernel-id" : "kernel-name", why);
    if (p->ptxas && *p->ptxas && strcmp(p->ptxas, "0") != 0 && !program_there(p->ptxas))
        option_wrong(o, "--ptxas: there is no program '%s'", p->ptxas);
}

static void finish(struct option_reader *o)
{
    struct profile *p = o->into;
    profile_check_options(o, p);
    check_baseline(o, p);
    const u32 works = (p->program != NULL) + (p->import != NULL) + (p->list != LIST_NOTHING);
    if (!works)
        option_wrong(o, "which program? (or --import FILE)");
    if (p->import && p->program)
        option_wrong(o, "--import prints a report: no program runs beside it");
    if (p->export_to && !p->program)
        option_wrong(o, "--export writes what a program did: which program?");
    if (p->kill && !p->select.count)
        option_wrong(o, "--kill yes ends the program when --launch-count launches have been profiled: how many?");
    check_filters(o, p);
    p->page_named = option_given(o, "page");
    p->sections_named = sections_named(o);
    p->clock_named = option_given(o, "clock-control");
    if (p->page.csv && !option_given(o, "print-units"))
        p->page.base_units = true; /* as ncu */
    if (p->page.metrics.n && !p->sections_named) {
        p->page.sections = 0;
        p->page.limits = false;
    }
    ncu_metrics_sort(&p->page.metrics);
}

static const struct option_table table = {
    .rows = rows,
    .n = LS_ARRAY_LEN(rows),
    .words = "PROGRAM [ARGUMENT...]\n--import FILE\n--baseline OLD NEW",
    .about = "Runs a CUDA program on Lockstep's device, counts what its kernels do, and prints it as Nsight Compute "
             "does. The exit status is the program's.",
    .program = OPTION_AT(struct profile, program),
    .finish = finish,
};

bool profile_options_read(struct profile *p, int argc, char **argv, int *status)
{
    p->page = (struct ncu_options){.name = KERNEL_DEMANGLED, .rows = NCU_HEADER, .folders = p->folders, .limits = true};
    p->page.metrics.mem = &p->mem;
    p->select.base = "function";
    p->from_start = p->tell_exit_code = true;
    p->query_mode = "base";
    for (u32 i = 0; ncu_section_at(i); i++)
        p->page.sections |= (u64)ncu_section_at(i)->basic << i;
    return options_read(&table, p, argc, argv, status);
}
