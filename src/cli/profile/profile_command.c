/* profile_command.c - `lockstep profile`: a program under the meter, printed as Nsight Compute prints it.
 *
 * The driver in the program's processes writes the records (attach/profile.c); this command sets the environment, runs
 * the program, reads the records and prints them (report/ncu/ncu.h). Nothing is replayed: one run counts every metric. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/new_file.h"
#include "cli/profile/profile_command.h"

/* ---- lists ---- */

static void put_rule(FILE *out, const int *width, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        fputs(i ? " " : "", out);
        for (int k = 0; k < width[i]; k++)
            fputc('-', out);
    }
    fputc('\n', out);
}

static void list_sections(const struct profile *p)
{
    static const int width[] = {30, 38, 7};
    put_rule(stdout, width, 3);
    printf("%-*s %-*s %s\n", width[0], "Identifier", width[1], "Display Name", "Enabled");
    put_rule(stdout, width, 3);
    for (u32 i = 0; ncu_section_at(i); i++)
        printf("%-*s %-*s %s\n", width[0], ncu_section_at(i)->identifier, width[1], ncu_section_at(i)->title,
               p->page.sections >> i & 1 ? "yes" : "no");
    printf("%-*s %-*s %s\n", width[0], "NearestLimit", width[1], "Nearest Limit", p->page.limits ? "yes" : "no");
}

static void list_set(const char *name, bool enabled, u32 set)
{
    printf("%-10s %-7s ", name, enabled ? "yes" : "no");
    for (u32 i = 0; ncu_section_at(i); i++)
        if (set == 2 || (set == 0 ? ncu_section_at(i)->basic : ncu_section_at(i)->detailed))
            printf("%s, ", ncu_section_at(i)->identifier);
    puts("NearestLimit");
}

static void list_sets(void)
{
    puts("Identifier Enabled Sections");
    list_set("basic", true, 0);
    list_set("detailed", false, 1);
    list_set("full", false, 2);
    puts("full also prints the sections' bodies, as --print-details all does.");
}

static void list_metrics(const struct profile *p)
{
    const char *label, *name;
    for (u32 s = 0; ncu_section_at(s); s++)
        for (u32 i = 0; p->page.sections >> s & 1 && ncu_section_row(s, i, p->page.rows, &label, &name); i++)
            printf("%-70s %s\n", name, ncu_metric_find(name).id < 0 ? "not known to Lockstep" : label);
}

/* Whether an earlier metric has the same first `base` letters: names without their last part are listed once. */
static bool seen_before(u32 i, size_t base)
{
    const char *name = metric_info((enum metric_id)i)->name;
    for (u32 k = 0; k < i; k++) {
        const char *other = metric_info((enum metric_id)k)->name;
        if (!strncmp(other, name, base) && strcspn(other, ".") == base)
            return true;
    }
    return false;
}

static void query_metrics(const struct profile *p)
{
    static const int width[] = {78, 15, 9, 18};
    const bool whole = strcmp(p->query_mode, "base") != 0;
    put_rule(stdout, width, 4);
    printf("%-*s %-*s %-*s %s\n", width[0], "Metric Name", width[1], "Metric Unit", width[2], "Kind",
           "Metric Description");
    put_rule(stdout, width, 4);
    for (u32 i = 0; i < METRIC_COUNT; i++) {
        const struct metric_info *m = metric_info((enum metric_id)i);
        const size_t n = whole ? strlen(m->name) : strcspn(m->name, ".");
        if (whole || !seen_before(i, n))
            printf("%-*.*s %-*s %-*s %s\n", width[0], (int)n, m->name, width[1], m->unit, width[2],
                   metric_kind_name(m->kind), m->text);
    }
}

static void print_list(const struct profile *p)
{
    switch (p->list) {
    case LIST_SECTIONS:
        list_sections(p);
        break;
    case LIST_SETS:
        list_sets();
        break;
    case LIST_METRICS:
        list_metrics(p);
        break;
    default:
        query_metrics(p);
    }
}

/* ---- before the program runs ---- */

/* Tells each unknown name; false: all names were unknown, and no section was asked for. */
static bool check_metrics(const struct profile *p)
{
    const struct ncu_metrics *m = &p->page.metrics;
    for (u32 i = 0; i < m->n; i++) {
        char like[600];
        if (m->at[i].id >= 0)
            continue;
        ncu_metric_like(m->at[i].name, like, sizeof like);
        fprintf(stderr, "lockstep profile: there is no metric '%s'%s%s\n", m->at[i].name, *like ? "; nearest: " : "",
                *like ? like : "; --query-metrics lists them");
    }
    return !m->n || m->unknown < m->n || p->sections_named;
}

/* The file's name with its ending; false: it exists and may not be overwritten. */
static bool name_export(struct profile *p)
{
    static const char ending[] = ".lsrep";
    struct stat st;
    if (!p->export_to)
        return true;
    const size_t n = strlen(p->export_to);
    if (n < sizeof ending || strcmp(p->export_to + n - sizeof ending + 1, ending) != 0)
        p->export_to = arena_printf(&p->mem, "%s%s", p->export_to, ending);
    if (p->force || stat(p->export_to, &st))
        return true;
    fprintf(stderr, "lockstep profile: %s exists; --force-overwrite (-f) replaces it\n", p->export_to);
    return false;
}

static FILE *open_log(const struct profile *p)
{
    if (!p->log)
        return stdout;
    if (!strcmp(p->log, "stderr"))
        return stderr;
    FILE *f = fopen(p->log, "w");
    if (f && freopen(p->log, "a", f)) /* the driver appends to it meanwhile */
        return f;
    fprintf(stderr, "lockstep profile: cannot write %s: %s\n", p->log, strerror(errno));
    return NULL;
}

/* ---- printing ---- */

static int by_sequence(const void *a, const void *b)
{
    const struct ncu_launch *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* The GPU that the process saw; NULL: there is no such file here. */
static const struct gpu *gpu_of(struct arena *mem, const struct session_process *process, const struct meter_report *r)
{
    struct gpu *gpu = arena_new(mem, struct gpu);
    struct diag_list diags;
    diag_init(&diags);
    const bool found = gpu_find(process->gpu ? process->gpu : r->device, gpu, &diags) == LS_OK;
    diag_free(&diags);
    return found ? gpu : NULL;
}

struct ncu_launch *profile_launches(struct arena *mem, const struct session *s)
{
    struct ncu_launch *to = arena_array(mem, struct ncu_launch, s->n + 1);
    const struct gpu **gpus = arena_array(mem, const struct gpu *, s->nprocesses + 1);
    bool *looked = arena_array(mem, bool, s->nprocesses + 1);
    for (u32 i = 0; i < s->n; i++) {
        const struct meter_report *r = s->reports[i];
        if (!looked[r->process])
            gpus[r->process] = gpu_of(mem, &s->processes[r->process], r);
        looked[r->process] = true;
        to[i] = (struct ncu_launch){r, &s->processes[r->process], gpus[r->process], r->sequence};
    }
    if (s->n)
        qsort(to, s->n, sizeof *to, by_sequence);
    return to;
}

/* Text is printed process by process, each under its name; CSV names the process in every row. */
static void print_text(const struct profile *p, FILE *out, struct ncu_report *r, const struct session *s)
{
    const struct ncu_launch *all = r->launches;
    struct ncu_launch *some = arena_array(r->mem, struct ncu_launch, r->n + 1);
    const u32 n = r->n;
    for (u32 k = 0; k < s->nprocesses; k++) {
        r->n = 0;
        for (u32 i = 0; i < n; i++)
            if (all[i].process == &s->processes[k])
                some[r->n++] = all[i];
        if (!r->n)
            continue;
        r->launches = some;
        if (p->page.page != NCU_SESSION)
            fprintf(out, "[%llu] %s@127.0.0.1\n", (unsigned long long)s->processes[k].pid,
                    ncu_program(&s->processes[k]));
        ncu_print(out, r);
    }
}

static bool print(struct profile *p, FILE *out, const struct session *s)
{
    struct arena mem = ARENA("page"), tmp = ARENA_UNDER("tmp", &mem);
    if (setjmp(mem.oom)) {
        arena_free(&tmp);
        arena_free(&mem);
        return false;
    }
    struct ncu_report r = {.o = &p->page, .launches = profile_launches(&mem, s), .n = s->n, .mem = &mem, .tmp = &tmp};
    if (p->page.csv)
        ncu_print(out, &r);
    else
        print_text(p, out, &r, s);
    arena_free(&tmp);
    arena_free(&mem);
    return true;
}

/* Filters that take no launch are a mistake, most likely in a name: who asked for a profile gets none. */
static int finish_without(const struct profile *p, FILE *out, int status)
{
    fputs(p->import ? "==WARNING== The report has no such launches.\n" : "==WARNING== No kernels were profiled.\n",
          out);
    if (!select_given(&p->select))
        return status;
    fprintf(stderr, "lockstep profile: %s%s no launch that the filters take\n", p->import ? p->import : "the program",
            p->import ? " holds" : " made");
    return status ? status : CLI_TROUBLE;
}

static int finish(struct profile *p, FILE *out, const struct session *s, int status)
{
    if (!s->n)
        return finish_without(p, out, status);
    if (p->export_to) {
        char path[4096];
        fprintf(out, "==PROF== Report: %s\n", realpath(p->export_to, path) ? path : p->export_to);
    }
    if (p->html && !profile_html(p, s))
        return CLI_TROUBLE;
    if (p->html)
        fprintf(out, "==PROF== Page: %s\n", p->html);
    if (p->baseline)
        return profile_compare(p, out, s) ? status : CLI_TROUBLE;
    if (((!p->export_to && !p->html) || p->page_named) && !print(p, out, s)) {
        fputs("lockstep profile: out of memory\n", stderr);
        return CLI_TROUBLE;
    }
    return status;
}

const char *profile_command_text(struct profile *p)
{
    const char *text = NULL;
    for (char **word = p->program; word && *word; word++)
        text = text ? arena_printf(&p->mem, "%s %s", text, *word) : *word;
    return text ? text : p->import ? profile_report_command(p) : NULL;
}

static int run(struct profile *p)
{
    struct session s = {0};
    int status = CLI_USAGE;
    if (p->list) {
        print_list(p);
        return CLI_OK;
    }
    if (!check_metrics(p) || !name_export(p))
        return status;
    if (p->baseline && !profile_report_there(p, p->baseline)) /* before the program runs */
        return CLI_TROUBLE;
    if ((p->html && !profile_html_ready(p)) || (p->export_to && !new_file_ready(p->self, p->export_to)))
        return CLI_TROUBLE;
    FILE *out = open_log(p);
    if (!out)
        return CLI_TROUBLE;
    const bool good = p->import ? profile_read(p, p->import, &s, &status) : profile_run(p, out, &s, &status);
    p->page.command = good ? profile_command_text(p) : NULL;
    if (good)
        status = finish(p, out, &s, status);
    session_free(&s);
    timelines_free(&p->timelines);
    if (fflush(out) || ferror(out)) {
        fputs("lockstep profile: what was to be printed could not be written\n", stderr);
        status = CLI_TROUBLE;
    }
    if (p->log && out != stderr)
        fclose(out);
    return status;
}

int cli_profile(int argc, char **argv)
{
    struct profile *p = ls_calloc(1, sizeof *p);
    if (!p || setjmp(p->mem.oom)) {
        fputs("lockstep profile: out of memory\n", stderr);
        return CLI_TROUBLE;
    }
    p->mem.name = "profile";
    p->self = "lockstep profile";
    int status;
    if (profile_options_read(p, argc, argv, &status))
        status = run(p);
    arena_free(&p->mem);
    ls_free(p);
    return status;
}
