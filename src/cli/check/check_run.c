/* check_run.c - the program under the checks: a session folder for as long as it runs, the environment that tells the
 * driver in each of its processes what to look for, and the records read back. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/check_command.h"
#include "cli/cli.h"
#include "cli/folder.h"
#include "cli/program.h"

/* ---- the environment ---- */

static bool set(const char *variable, const char *value)
{
    return (value ? setenv(variable, value, 1) : unsetenv(variable)) == 0;
}

/* What was not asked for keeps what the environment says. */
static bool set_if(const char *variable, const char *value) { return !value || set(variable, value); }

static bool set_count(const char *variable, u64 n)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, n);
    return set(variable, n ? text : NULL);
}

static bool set_tools(unsigned tools)
{
    char all[200] = "";
    for (unsigned t = 1; t <= CHECK_ALL; t <<= 1)
        if (tools & t)
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? "," : "",
                     check_tool_name((enum check_tool)t));
    return set("LOCKSTEP_CHECK", all) && set("LOCKSTEP_CHECK_LEAKS", tools & CHECK_LEAKCHECK ? "full" : "no");
}

/* One expression for all filters. Filters of mangled names are compared with those alone. */
static bool set_kernels(const struct check_command *c)
{
    char *expression = NULL;
    if (c->names && asprintf(&expression, "regex:%s", c->names) < 0)
        return false;
    const bool good = set("LOCKSTEP_KERNEL", expression) &&
                      set("LOCKSTEP_KERNEL_BASE", c->names && c->names_keyed ? "mangled" : NULL);
    free(expression);
    return good && set("LOCKSTEP_KERNEL_ID", NULL) && set("LOCKSTEP_LAUNCH_SKIP_BEFORE_MATCH", NULL) &&
           set_count("LOCKSTEP_LAUNCH_SKIP", c->select.skip) && set_count("LOCKSTEP_LAUNCH_COUNT", c->select.count);
}

/* With one worker a run reports the same each time. */
static bool set_engine(const struct check_command *c)
{
    const char *workers = c->workers ? c->workers : getenv("LOCKSTEP_WORKERS") ? NULL : "1";
    const char *memory = c->memory ? c->memory : c->schedules ? "weak" : NULL;
    return set_if("LOCKSTEP_GPU", c->gpu) && set_if("LOCKSTEP_WORKERS", workers) && set_if("LOCKSTEP_SEED", c->seed) &&
           set_if("LOCKSTEP_MEMORY", memory) && set_if("LOCKSTEP_TIMEOUT", c->timeout) &&
           set_count("LOCKSTEP_SCHEDULES", c->schedules) && set_if("CUDA_LAUNCH_BLOCKING", c->blocking ? "1" : NULL);
}

/* What other commands set is not wanted here. */
static bool set_environment(const struct check_command *c, const char *folder)
{
    return set("LOCKSTEP_SESSION", folder) && set("LOCKSTEP_TIMELINE", NULL) && set("LOCKSTEP_CACHES", NULL) &&
           set("LOCKSTEP_PROGRESS", NULL) && set("LOCKSTEP_PROFILE_FROM_START", NULL) && set_tools(c->tools) &&
           set("LOCKSTEP_CHECK_API", c->api) && set("LOCKSTEP_CHECK_DESTROY", c->destroy) && set_kernels(c) &&
           set_engine(c);
}

/* ---- what it left ---- */

static bool read_records(struct check_report *r, const char *folder)
{
    struct diag_list diags;
    diag_init(&diags);
    const enum ls_status status = check_report_read_folder(r, folder, &diags);
    if (diags.errors || diags.warnings)
        cli_print_diags(&diags);
    diag_free(&diags);
    if (status != LS_OK)
        fprintf(stderr, "lockstep check: not all that was found could be read: %s\n", ls_status_text(status));
    return status != LS_ERR_NOMEM;
}

bool check_run(const struct check_command *c, struct check_report *r, int *status)
{
    struct program_facts facts;
    struct gpu gpu;
    char folder[FOLDER_MAX];
    pid_t pid;
    *status = CLI_TROUBLE;
    if (!folder_make("check", folder))
        return false;
    bool good = set_environment(c, folder) && cli_gpu(&gpu); /* an unknown GPU is told before the program runs */
    *status = good ? program_ready(c->program[0], c->unchecked, &facts) : CLI_TROUBLE;
    if (good && !*status)
        *status = program_spawn(&facts, c->program, &pid);
    good = good && !*status;
    if (good) {
        *status = program_wait(pid);
        r->only = c->only_program ? (u64)pid : 0;
        good = read_records(r, folder);
    }
    folder_remove(folder);
    return good;
}
