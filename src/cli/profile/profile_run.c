/* profile_run.c - the program under the meter: a session folder for as long as it runs, the environment that tells the
 * driver in each of its processes what to record, and the records read back; or a report file read. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gpu.h"
#include "cli/cli.h"
#include "cli/folder.h"
#include "cli/profile/profile_command.h"
#include "cli/program.h"
#include "cli/said.h"
#include "cli/shared_options.h"

/* ---- the environment ---- */

/* The whole path: the program may change its folder. */
static const char *progress_of(const struct profile *p, char path[PATH_MAX])
{
    if (p->quiet)
        return "/dev/null";
    if (!p->log)
        return "-";
    if (!strcmp(p->log, "stderr"))
        return "/dev/stderr";
    return realpath(p->log, path) ? path : p->log;
}

/* The model of caches and time costs, so it runs only for what needs it. */
static bool wants_model(const struct profile *p)
{
    const struct ncu_options *o = &p->page;
    if (p->no_model)
        return false;
    if (p->export_to || p->baseline || p->html || o->page == NCU_SOURCE)
        return true;
    if (o->sections || o->limits)
        return o->page == NCU_DETAILS || o->page == NCU_RAW;
    if (!o->metrics.n)
        return o->page == NCU_RAW;
    for (u32 i = 0; i < o->metrics.n; i++) {
        const struct ncu_metric *m = &o->metrics.at[i];
        if (m->id >= 0 && (m->how == NCU_PER_SECOND || metric_info((enum metric_id)m->id)->kind == METRIC_MODELLED))
            return true;
    }
    return false;
}

static bool set_engine(const struct profile *p)
{
    const struct engine_options e = {p->gpu, p->workers, p->seed, p->memory, p->timeout};
    return engine_options_set(&e) && said_set(&said, SETTING_PTXAS, p->ptxas);
}

static bool set_environment(const struct profile *p, const char *folder)
{
    char path[PATH_MAX], digits[3][24];
    if (!set_engine(p))
        return false;
    struct settings s = said;
    settings_begin_run(&s);
    return said_set(&s, SETTING_SESSION, folder) && said_set(&s, SETTING_KERNEL, p->select.kernel) &&
           said_set(&s, SETTING_KERNEL_BASE, p->select.base) && said_set(&s, SETTING_KERNEL_ID, p->select.kernel_id) &&
           said_count(&s, SETTING_LAUNCH_SKIP, p->select.skip, digits[0]) &&
           said_count(&s, SETTING_LAUNCH_COUNT, p->select.count, digits[1]) &&
           said_count(&s, SETTING_LAUNCH_SKIP_BEFORE_MATCH, p->select.skip_any, digits[2]) &&
           said_set(&s, SETTING_PROFILE_FROM_START, p->from_start ? NULL : "0") &&
           said_set(&s, SETTING_KILL, p->kill ? "1" : NULL) && said_set(&s, SETTING_PROGRESS, progress_of(p, path)) &&
           said_set(&s, SETTING_CACHES, wants_model(p) ? "1" : "0") &&
           said_set(&s, SETTING_MODEL_LAUNCHES, p->model_launches ? p->model_launches : "sampled") &&
           said_set(&s, SETTING_PICTURES, p->html ? "1" : NULL) &&
           said_set(&s, SETTING_MACHINE_CODE, p->html || p->export_to ? "1" : NULL) &&
           said_set(&s, SETTING_TIMELINE, p->html ? "1" : NULL) &&
           said_set(&s, SETTING_CLOCK, p->boost_clock ? "boost" : "base") && said_export(&s);
}

/* ---- the folder ---- */

/* A process that became another program by exec connects again; it disconnects once. */
static void say_disconnected(FILE *out, const char *folder)
{
    char path[PATH_MAX], line[PATH_MAX + 32];
    long last = 0, pid;
    snprintf(path, sizeof path, "%s/connected", folder);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%ld", &pid) == 1 && pid != last) {
            fprintf(out, "==PROF== Disconnected from process %ld\n", pid);
            last = pid;
        }
    if (f)
        fclose(f);
    else
        fputs("==WARNING== No process was profiled: the program did not start CUDA (see lockstep run).\n", out);
}

/* ---- report files ---- */

enum { REPORT_VERSION = 1 };

/* The text as the inside of a JSON string. */
static void put_json(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', f);
        if ((u8)*text < ' ' || (u8)*text > 126)
            fputc('?', f);
        else
            fputc(*text, f);
    }
}

static bool write_report(const struct profile *p, const char *folder)
{
    FILE *f = fopen(p->export_to, "w");
    if (f) {
        fprintf(f, "{\"type\":\"report\",\"version\":%d,\"command\":\"", REPORT_VERSION);
        for (u32 i = 0; p->program[i]; i++) {
            fputs(i ? " " : "", f);
            put_json(f, p->program[i]);
        }
        fputs("\"}\n", f);
    }
    const bool good = f && session_pack(folder, f) == LS_OK && !ferror(f);
    if ((f && fclose(f)) || !good)
        fprintf(stderr, "%s: cannot write %s: %s\n", p->self, p->export_to, strerror(errno));
    return good;
}

static bool read_session(const struct profile *p, const char *folder, struct session *s)
{
    struct diag_list diags;
    diag_init(&diags);
    const enum ls_status status = session_read(folder, s, &diags);
    if (diags.errors)
        cli_print_diags(&diags);
    diag_free(&diags);
    if (status != LS_OK)
        fprintf(stderr, "%s: cannot read what was recorded: %s\n", p->self, ls_status_text(status));
    return status == LS_OK;
}

/* A report without a timeline is a report, so that what is wrong with one is said in it. */
static void read_timelines(struct profile *p, const char *folder, const struct session *s, const struct gpu *gpu)
{
    struct diag_list diags;
    if (select_given(&p->select)) {
        p->no_timeline = "There is no timeline of some launches alone: leave out the filters.";
        return;
    }
    if (p->no_model) {
        p->no_timeline = "There is no timeline without modelled times (--model no).";
        return;
    }
    diag_init(&diags);
    if (timeline_read_folder(folder, s, gpu, &p->timelines, &diags) != LS_OK) {
        p->no_timeline = diags.first ? arena_strndup(&p->mem, diags.first->text, strlen(diags.first->text))
                                     : "There was no memory for a timeline.";
        timelines_free(&p->timelines);
    }
    diag_free(&diags);
}

static void say_clock(const struct profile *p, const struct gpu *gpu)
{
    if (p->clock_named && !p->boost_clock && !gpu->base_mhz)
        fprintf(stderr, "%s: gpus/%s.json has no base clock: time is modelled at the boost clock, %u MHz\n", p->self,
                gpu->id, gpu->boost_mhz);
}

bool profile_run(struct profile *p, FILE *out, struct session *s, int *status)
{
    struct program_facts facts;
    char folder[FOLDER_MAX];
    pid_t pid;
    *status = CLI_TROUBLE;
    if (!folder_make("profile", folder))
        return false;
    struct gpu gpu;
    bool good = set_environment(p, folder) && cli_gpu(&gpu); /* an unknown GPU is told before the program runs */
    if (good)
        say_clock(p, &gpu);
    *status = good ? program_ready(p->program[0], p->unchecked, &facts) : CLI_TROUBLE;
    if (good && !*status)
        *status = program_spawn(&facts, p->program, &pid);
    good = good && !*status;
    if (good) {
        *status = program_wait(pid);
        if (!p->quiet)
            say_disconnected(out, folder);
        if (*status && p->tell_exit_code)
            fprintf(out, "==ERROR== The application returned an error code (%d).\n", *status);
        good = read_session(p, folder, s) && (!p->export_to || !s->n || write_report(p, folder));
        if (good && p->html)
            read_timelines(p, folder, s, &gpu);
        if (!good)
            *status = CLI_TROUBLE;
    }
    folder_remove(folder);
    return good;
}

/* ---- import ---- */

static bool is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool has_records(const char *folder)
{
    bool any = false;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && !any && (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');
        any = dot && !strcmp(dot, ".rec");
    }
    if (d)
        closedir(d);
    return any;
}

enum { NO_REPORT = -1, NO_FILE = -2 };

/* The format of a report, which its first line names (0: it names none); NO_REPORT; NO_FILE: it cannot be read, errno says why. */
static int report_format(const char *path)
{
    static const char start[] = "{\"type\":\"report\"";
    char head[64] = "";
    unsigned format = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return NO_FILE;
    const bool good = fgets(head, sizeof head, f) && !strncmp(head, start, sizeof start - 1);
    fclose(f);
    if (good && sscanf(head + sizeof start - 1, ",\"version\":%9u", &format) != 1)
        format = 0;
    return good ? (int)format : NO_REPORT;
}

bool profile_is_report(const char *path) { return is_folder(path) || report_format(path) >= 0; }

bool profile_report_there(const struct profile *p, const char *path)
{
    if (is_folder(path)) {
        if (has_records(path))
            return true;
        fprintf(stderr, "%s: %s is a folder without records of launches (*.rec)\n", p->self, path);
        return false;
    }
    const int format = report_format(path);
    if (format == REPORT_VERSION)
        return true;
    if (format == NO_FILE)
        fprintf(stderr, "%s: cannot read %s: %s\n", p->self, path, strerror(errno));
    else if (format == NO_REPORT)
        fprintf(stderr, "%s: %s is no report of `lockstep profile --export`\n", p->self, path);
    else
        fprintf(stderr,
                "%s: %s is a report in format %d, and this Lockstep reads format %d: profile the program again\n",
                p->self, path, format, REPORT_VERSION);
    return false;
}

const char *profile_report_command(struct profile *p)
{
    FILE *f = fopen(p->import, "r");
    json_t *first = f ? json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    const char *command = json_string_value(json_object_get(first, "command"));
    if (command)
        command = arena_strndup(&p->mem, command, strlen(command));
    json_decref(first);
    if (f)
        fclose(f);
    return command;
}

static bool select_launches(const struct profile *p, struct session *s)
{
    struct select select;
    char why[256];
    u32 n = 0;
    if (!select_init(&select, &p->select, why)) {
        fprintf(stderr, "%s: %s\n", p->self, why);
        return false;
    }
    for (u32 i = 0; i < s->n; i++) {
        struct meter_report *r = s->reports[i];
        if (select_take(&select, r->kernel, r->context, r->stream))
            s->reports[n++] = r;
        else
            meter_report_free(r);
    }
    s->n = n;
    select_free(&select);
    return true;
}

bool profile_read(const struct profile *p, const char *path, struct session *s, int *status)
{
    struct diag_list diags;
    *status = CLI_TROUBLE;
    if (!profile_report_there(p, path))
        return false;
    diag_init(&diags);
    const bool good = (is_folder(path) ? session_read : session_read_file)(path, s, &diags) == LS_OK;
    if (diags.errors)
        cli_print_diags(&diags);
    diag_free(&diags);
    if (!good || !select_launches(p, s))
        return false;
    *status = CLI_OK;
    return true;
}
