/* check_run.c - the program under the checks: a session folder for as long as it runs, the environment that tells the
 * driver in each of its processes what to look for, and the records read back. */
#include <stdlib.h>
#include <string.h>

#include "cli/check/check_command.h"
#include "cli/cli.h"
#include "cli/folder.h"
#include "cli/program.h"
#include "cli/said.h"
#include "cli/shared_options.h"

/* ---- the environment ---- */

static bool set_tools(struct settings *s, unsigned tools, char all[200])
{
    *all = 0;
    for (unsigned t = 1; t <= CHECK_ALL; t <<= 1)
        if (tools & t)
            snprintf(all + strlen(all), 200 - strlen(all), "%s%s", *all ? "," : "",
                     check_tool_name((enum check_tool)t));
    return said_set(s, SETTING_CHECK, all) && said_set(s, SETTING_CHECK_LEAKS, tools & CHECK_LEAKCHECK ? "full" : "no");
}

/* With one worker a run reports the same each time. */
static bool set_engine(const struct check_command *c)
{
    const char *workers = c->workers ? c->workers : said.given[SETTING_WORKERS] ? NULL : "1";
    const char *memory = c->memory ? c->memory : c->schedules ? "weak" : NULL;
    const struct engine_options e = {c->gpu, workers, c->seed, memory, c->timeout};
    return engine_options_set(&e) && said_set(&said, SETTING_CUDA_LAUNCH_BLOCKING, c->blocking ? "1" : NULL);
}

/* One expression for all filters. Filters of mangled names are compared with those alone. */
static bool set_environment(const struct check_command *c, const char *folder)
{
    char *expression = NULL, tools[200], digits[3][24];
    if (!set_engine(c) || (c->names && asprintf(&expression, "regex:%s", c->names) < 0))
        return false;
    struct settings s = said;
    settings_begin_run(&s);
    const bool good = said_set(&s, SETTING_SESSION, folder) && set_tools(&s, c->tools, tools) &&
                      said_set(&s, SETTING_CHECK_API, c->api) && said_set(&s, SETTING_CHECK_DESTROY, c->destroy) &&
                      said_set(&s, SETTING_KERNEL, expression) &&
                      said_set(&s, SETTING_KERNEL_BASE, c->names && c->names_keyed ? "mangled" : NULL) &&
                      said_count(&s, SETTING_LAUNCH_SKIP, c->select.skip, digits[0]) &&
                      said_count(&s, SETTING_LAUNCH_COUNT, c->select.count, digits[1]) &&
                      said_count(&s, SETTING_SCHEDULES, c->schedules, digits[2]) && said_export(&s);
    free(expression);
    return good;
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
