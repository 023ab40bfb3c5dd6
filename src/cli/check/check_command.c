/* check_command.c - `lockstep check`: a program under the checks, reported as compute-sanitizer reports it.
 *
 * The driver in the program's processes runs the checks and writes the records (check/core/finding_print.c); this command
 * sets the environment, runs the program, reads the records, looks up the host's symbols and prints
 * (report/check/check_report.h). compute-sanitizer prints as it goes; here everything is printed when the program has ended,
 * so that one place is one finding with a count, and the program's own output stays whole. */
#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/check/check_command.h"
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/symbols.h"

/* ---- the list ---- */

static void print_kinds(void)
{
    printf("%-26s %-11s %-8s %s\n", "KIND", "TOOL", "SEVERITY", "WHAT IT IS, AND WHAT TO DO");
    for (u32 k = 0; k < FINDING_KINDS; k++) {
        const struct finding_info *i = finding_info((enum finding_kind)k);
        printf("%-26s %-11s %-8s %s\n%47s %s\n", i->name, check_tool_name(i->tool),
               i->severity == SEVERITY_ERROR ? "error" : "warning", i->title, "", i->remedy);
    }
}

/* ---- files ---- */

/* Where things go; NULL: nowhere. All are opened before the program runs, so that it does not run in vain. */
struct outputs {
    FILE *text, *json, *sarif, *save, *known;
    FILE *main; /* stdout or the log file */
};

static FILE *open_or_say(const char *path)
{
    FILE *f = fopen(path, "we");
    if (!f)
        fprintf(stderr, "lockstep check: cannot write %s: %s\n", path, strerror(errno));
    return f;
}

static bool open_one(FILE **to, bool wanted, const char *path, FILE *otherwise)
{
    *to = !wanted ? NULL : path ? open_or_say(path) : otherwise;
    return !wanted || *to;
}

static bool open_outputs(const struct check_command *c, struct outputs *o)
{
    const bool replaced = (c->json.wanted && !c->json.to) || (c->sarif.wanted && !c->sarif.to);
    *o = (struct outputs){0};
    if (!open_one(&o->main, true, c->log, stdout) || !open_one(&o->json, c->json.wanted, c->json.to, o->main) ||
        !open_one(&o->sarif, c->sarif.wanted, c->sarif.to, o->main) ||
        !open_one(&o->save, c->save != NULL, c->save, NULL) ||
        !open_one(&o->known, c->save_baseline != NULL, c->save_baseline, NULL))
        return false;
    o->text = replaced ? NULL : o->main;
    return true;
}

static bool close_one(FILE *f)
{
    if (!f)
        return true;
    const bool good = fflush(f) == 0 && !ferror(f);
    return (f == stdout || fclose(f) == 0) && good;
}

static bool close_outputs(struct outputs *o)
{
    bool good = true;
    good &= o->json == o->main || close_one(o->json);
    good &= o->sarif == o->main || close_one(o->sarif);
    good &= close_one(o->save);
    good &= close_one(o->known);
    return close_one(o->main) && good;
}

/* Prints a remark on the run into the report, or on stderr when the report is not text. */
static void LS_PRINTF(3, 4) remark(const struct check_command *c, const struct outputs *o, const char *fmt, ...)
{
    char text[PATH_MAX + 200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (o->text)
        check_text_note(o->text, &c->text, "%s", text);
    else
        fprintf(stderr, "lockstep check: %s\n", text);
}

/* ---- symbols ---- */

struct finder {
    struct symbols *symbols;
    const struct check_report *report;
};

/* The dynamic linker knows a program by the name that it was called by, which may have been found on PATH. */
static const char *module_path(const struct check_report *r, const char *module)
{
    if (strchr(module, '/') && !access(module, R_OK))
        return module;
    for (u32 k = 0; k < r->processes.len; k++) {
        const char *program = r->processes.at[k].program;
        if (program && !strcmp(check_base_name(program), check_base_name(module)))
            return program;
    }
    return module;
}

_Static_assert((int)CHECK_INLINED == (int)SYMBOLS_INLINED, "a frame has room for what is found");

static u32 find_frames(void *ctx, struct arena *mem, const struct check_frame *f, struct check_frame out[CHECK_INLINED])
{
    const struct finder *finder = ctx;
    struct symbol all[SYMBOLS_INLINED];
    const u32 n = symbols_find(finder->symbols, mem, module_path(finder->report, f->module), f->offset, all);
    for (u32 k = 0; k < n; k++) {
        out[k].function = all[k].function;
        out[k].file = all[k].file;
        out[k].line = all[k].line;
    }
    return n;
}

static bool find_symbols(struct check_report *r)
{
    struct finder finder = {symbols_open(), r};
    const bool good = finder.symbols && check_report_frames(r, find_frames, &finder);
    symbols_close(finder.symbols);
    return good;
}

/* ---- which findings ---- */

struct wanted {
    const struct check_command *c;
    regex_t excluded;
};

static bool is_excluded(const struct wanted *w, const struct check_record *f)
{
    char name[4096];
    if (!w->c->excluded || !f->has_at || !f->at.kernel)
        return false;
    return !regexec(&w->excluded, f->at.kernel, 0, NULL, 0) ||
           !regexec(&w->excluded, kernel_name(f->at.kernel, KERNEL_FUNCTION, name, sizeof name), 0, NULL, 0);
}

static bool is_wanted(void *ctx, const struct check_record *f)
{
    const struct wanted *w = ctx;
    enum finding_kind kind;
    unsigned tool;
    if (finding_by_name(f->kind, &kind) && w->c->dropped[kind])
        return false;
    if (w->c->read && w->c->tools_named && check_tool_by_name(f->tool, &tool) && !(tool & w->c->tools))
        return false;
    if (w->c->drop_entry_points && !strcmp(f->kind, finding_info(FINDING_API_ERROR)->name) && f->call.api &&
        strstr(f->call.api, "GetProcAddress"))
        return false;
    return !is_excluded(w, f);
}

static bool choose(const struct check_command *c, struct check_report *r)
{
    struct wanted w = {.c = c};
    if (c->excluded && regcomp(&w.excluded, c->excluded, REG_EXTENDED | REG_NOSUB))
        return false;
    check_report_filter(r, is_wanted, &w);
    if (c->excluded)
        regfree(&w.excluded);
    if (c->strict)
        check_report_strict(r);
    return true;
}

/* ---- known findings ---- */

/* Before the program runs, so that it does not run in vain. */
static bool read_known(struct check_command *c)
{
    struct diag_list diags;
    diag_init(&diags);
    bool good = !c->baseline || check_baseline_read(&c->mem, c->baseline, &c->known, &diags) == LS_OK;
    good = good &&
           (!c->suppressions || check_suppressions_read(&c->mem, c->suppressions, &c->suppressed, &diags) == LS_OK);
    if (diags.errors || diags.warnings)
        cli_print_diags(&diags);
    diag_free(&diags);
    return good;
}

static void leave_out_known(struct check_command *c, const struct outputs *o, struct check_report *r)
{
    if (c->suppressions) {
        const u32 n = check_suppressions_apply(&c->suppressed, r);
        if (n && !c->text.quiet)
            remark(c, o, "Suppressed: %u by %s", n, c->suppressions);
    }
    if (o->known)
        check_baseline_write(o->known, &c->mem, r, &c->text.paths);
    if (!c->baseline)
        return;
    const u32 known = check_baseline_apply(&c->known, r, &c->text.paths), gone = check_baseline_gone(&c->known);
    if (known && !c->text.quiet)
        remark(c, o, "Left out: %u of %s", known, c->baseline);
    if (gone && !c->text.quiet)
        remark(c, o, "Not found any more: %u of %s", gone, c->baseline);
}

/* ---- printing ---- */

/* The folder of the first program, for sources that are named from where it was compiled. */
static const char *folder_of(struct arena *mem, const struct check_report *r)
{
    const char *program = r->processes.len ? r->processes.at[0].program : NULL;
    const char *slash = program ? strrchr(program, '/') : NULL;
    return slash ? arena_strndup(mem, program, (size_t)(slash - program)) : NULL;
}

static bool print(struct check_command *c, const struct outputs *o, const struct check_report *r, int status)
{
    bool good = true;
    c->text.tools = c->tools;
    if (o->text)
        check_text(o->text, &c->text, r);
    if (o->json)
        good &= check_json(o->json, r, c->tools);
    if (o->sarif)
        good &= check_sarif(o->sarif, r, &c->text.paths, status);
    if (o->save && c->xml)
        check_xml(o->save, r);
    else if (o->save)
        good &= check_save(o->save, r);
    return good;
}

/* A report that is read says itself which tools ran, by its processes and by its findings. */
static void tools_of_report(struct check_command *c, const struct check_report *r)
{
    unsigned tool;
    if (!c->read || c->tools_named)
        return;
    c->tools = r->tools;
    for (u32 k = 0; k < r->findings.len; k++)
        if (check_tool_by_name(r->findings.at[k]->tool, &tool))
            c->tools |= tool;
}

/* ---- the command ---- */

static bool read_report(const struct check_command *c, struct check_report *r, int *status)
{
    struct diag_list diags;
    diag_init(&diags);
    const enum ls_status s = check_report_read(r, c->read, &diags);
    if (diags.errors || diags.warnings)
        cli_print_diags(&diags);
    diag_free(&diags);
    if (s == LS_ERR_NOMEM)
        fputs("lockstep check: out of memory\n", stderr);
    *status = s == LS_OK ? CLI_OK : CLI_TROUBLE;
    return s == LS_OK;
}

static bool set_command(struct check_report *r, char *const *program)
{
    for (u32 k = 0; program && program[k]; k++) {
        if (!vec_room(&r->mem, &r->command))
            return false;
        r->command.at[r->command.len++] = program[k];
    }
    return true;
}

static bool nothing_ran(const struct check_command *c, const struct check_report *r)
{
    return !c->read && c->need_cuda && !r->processes.len;
}

/* Most likely a name is misspelt: "0 errors" would be a lie. Calls of the host were checked all the same. */
static bool took_none(const struct check_command *c, const struct check_report *r)
{
    return !c->read && check_report_took_none(r);
}

static void print_remarks(const struct check_command *c, const struct outputs *o, const struct check_report *r,
                          int status)
{
    if (nothing_ran(c, r))
        remark(c, o,
               "Error: the program did not start CUDA, so nothing was checked (--require-cuda-init no allows that)");
    else if (took_none(c, r))
        remark(c, o, "Error: the filters took none of the program's launches, so no kernel was checked");
    else if (status && c->tell_exit_code && !c->read)
        remark(c, o, "Error: the program returned an error (%s)", program_end_text(status));
}

/* The command's exit status, from the program's. */
static int judge(const struct check_command *c, const struct check_report *r, int status)
{
    if (!status && check_report_errors(r))
        status = c->error_exit;
    return !status && (nothing_ran(c, r) || took_none(c, r) || r->incomplete) ? CLI_TROUBLE : status;
}

static int report(struct check_command *c, struct outputs *o, struct check_report *r, int status)
{
    char here[PATH_MAX];
    if (!set_command(r, c->program) || !choose(c, r) || !find_symbols(r)) {
        fputs("lockstep check: out of memory\n", stderr);
        return CLI_TROUBLE;
    }
    tools_of_report(c, r);
    c->text.paths.here = getcwd(here, sizeof here);
    c->text.paths.beside = folder_of(&c->mem, r);
    if (o->text)
        check_text_header(o->text, &c->text);
    leave_out_known(c, o, r);
    print_remarks(c, o, r, status);
    if (nothing_ran(c, r))
        o->text = NULL; /* nothing was checked: a summary would say 0 errors */
    if (!print(c, o, r, c->read ? -1 : status)) {
        fputs("lockstep check: what was found could not be printed\n", stderr);
        return CLI_TROUBLE;
    }
    return judge(c, r, status);
}

static int run(struct check_command *c)
{
    struct check_report r;
    struct outputs o;
    int status = CLI_TROUBLE;
    check_report_init(&r);
    bool good = read_known(c) && open_outputs(c, &o);
    if (good && (c->read ? read_report(c, &r, &status) : check_run(c, &r, &status)))
        status = report(c, &o, &r, status);
    if (good && !close_outputs(&o)) {
        fputs("lockstep check: what was to be printed could not be written\n", stderr);
        status = CLI_TROUBLE;
    }
    check_report_free(&r);
    return status;
}

int cli_check(int argc, char **argv)
{
    struct check_command *c = ls_calloc(1, sizeof *c);
    if (!c || setjmp(c->mem.oom)) {
        fputs("lockstep check: out of memory\n", stderr);
        return CLI_TROUBLE;
    }
    int status = CLI_OK;
    c->mem.name = "check";
    if (check_options_read(c, argc, argv, &status)) {
        if (c->list)
            print_kinds();
        else
            status = run(c);
    }
    arena_free(&c->mem);
    ls_free(c);
    return status;
}
