/* host.c - see host.h. What is to be checked, LOCKSTEP_CHECK and the settings beside it (docs/environment.md), is looked
 * at when the driver starts.
 *
 * The record file is opened for each line: a program may close what it does not know. A child of fork has no driver and
 * writes nothing; what it executes appends to a file of its own pid. */
#include "check/core/host/host.h"
#include "check/schedules/schedules.h"

#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

/* Bytes between shared variables, so that an index that runs out of one hits no other at once. */
enum { SHARED_GAP = 1024 };

bool check_on;
struct check *checked;

static struct {
    char path[PATH_MAX];
    unsigned tools;
    bool spares_context; /* a launch that went wrong leaves it as it is: LOCKSTEP_CHECK_DESTROY=kernel */
    bool debugged;
    pid_t pid;
    int exit_status;                    /* 0 also when the process has not said */
    atomic_ullong checked, passed_over; /* launches: those that the filters take, and the others */
    atomic_bool complained;
} own;

bool check_succeeded(void) { return own.exit_status == 0; }

bool check_wants(enum check_tool tool) { return own.tools & (unsigned)tool; }

/* ---- the record file ---- */

static void complain(const char *what, const char *why)
{
    if (!atomic_exchange(&own.complained, true))
        drv_log("%s: %s", what, why);
}

/* One write a line, so that lines of several threads and processes stay whole. */
static void append(char *line)
{
    if (!line || !own.path[0] || getpid() != own.pid)
        return;
    const size_t n = strlen(line);
    line[n] = '\n'; /* in place of the NUL */
    const int fd = open(own.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, line, n + 1) != (ssize_t)n + 1)
        complain(own.path, "a finding cannot be written");
    if (fd >= 0)
        close(fd);
    line[n] = 0;
}

/* Takes the reference. */
static void append_json(json_t *o)
{
    char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    append(text);
    free(text);
    json_decref(o);
}

static void append_process(void)
{
    char program[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    json_t *tools = json_array();
    for (unsigned bit = 1; bit <= CHECK_SCHEDULES; bit <<= 1)
        if (own.tools & bit)
            json_array_append_new(tools, json_string(check_tool_name((enum check_tool)bit)));
    append_json(json_pack("{s:s, s:i, s:s, s:s, s:o}", "type", "process", "pid", (int)own.pid, "program", program,
                          "gpu", drv.gpu.id, "tools", tools));
}

static void report(void *ctx, const struct finding *f, u64 id, bool again)
{
    (void)ctx;
    if (again) {
        append_json(json_pack("{s:s, s:I, s:I, s:I}", "type", "again", "id", (json_int_t)id, "count",
                              (json_int_t)f->count, "threads", (json_int_t)f->threads));
        return;
    }
    char *text = finding_print(f, id);
    if (!text)
        complain("a finding is lost", "out of memory");
    append(text);
    ls_free(text);
}

/* ---- start and end ---- */

/* The tools of a list with commas; one that is not known is said and left out. */
static unsigned read_tools(const char *list)
{
    unsigned all = 0, one;
    char name[64];
    for (const char *at = list; *at;) {
        const size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), at);
        if (n && check_tool_by_name(name, &one))
            all |= one;
        else if (n)
            drv_log("LOCKSTEP_CHECK=%s: there is no tool %s: it is left out", list, name);
        at += n + (at[n] == ',');
    }
    return all;
}

/* False: nothing is to be checked. */
static bool look_at_settings(const struct settings *said)
{
    own.tools = said->check ? read_tools(said->check) : 0;
    if (said->schedules)
        own.tools |= CHECK_SCHEDULES;
    if (!own.tools)
        return false;
    if (!said->session ||
        snprintf(own.path, sizeof own.path, "%s/%ld.chk", said->session, (long)getpid()) >= (int)sizeof own.path) {
        drv_log("LOCKSTEP_CHECK=%s: nothing is checked, because LOCKSTEP_SESSION names no folder for the findings",
                said->check ? said->check : "schedules");
        return false;
    }
    if (said->check_leaks == CHECK_LEAKS_FULL)
        own.tools |= CHECK_LEAKCHECK;
    own.spares_context = said->check_destroy == CHECK_DESTROY_KERNEL;
    return true;
}

static void on_exit_status(int exit_status, void *ctx)
{
    (void)ctx;
    own.exit_status = exit_status;
}

static enum ls_status start(const struct check_options *o)
{
    const enum ls_status s = check_create(o, drv.mem, &checked);
    if (s != LS_OK)
        return s;
    if (check_wants(CHECK_MEMCHECK))
        for (unsigned i = 0; i < drv.ndevices; i++)
            drv.exec[i].shared_gap = SHARED_GAP;
    own.pid = getpid();
    check_call_init();
    drv.stops_at_end = true;
    check_on = true;
    return LS_OK;
}

void check_start(void)
{
    if (!look_at_settings(&drv.settings))
        return;
    const struct check_options o = {.tools = own.tools, .report = report};
    const enum ls_status s = start(&o);
    if (s != LS_OK) {
        drv_log("LOCKSTEP_CHECK: nothing is checked: %s", ls_status_text(s));
        return;
    }
    append_process();
    on_exit(on_exit_status, NULL);
    check_observe(NULL);
    schedules_on = check_wants(CHECK_SCHEDULES);
}

/* Nobody takes pages of managed memory from the program: a debugger reads and writes them itself. */
enum ls_status check_start_with(const struct check_options *o)
{
    own.tools = o->tools;
    own.debugged = true;
    const enum ls_status s = start(o);
    if (s == LS_OK)
        check_observe(&observer_racecheck);
    return s;
}

bool check_idle(void)
{
    bool idle = true;
    pthread_mutex_lock(&drv.lock);
    for (CUcontext c = drv.contexts; c && idle; c = c->next)
        if (atomic_load(&c->alive))
            idle = ctx_idle(c);
    pthread_mutex_unlock(&drv.lock);
    return idle;
}

/* Finishes the work of the streams, so that it is checked too; but not work that waits for the host, which would never
 * end. */
void check_settle(void)
{
    enum { PATIENCE_MS = 20000 };
    const struct timespec ms = {0, 1000000};
    for (int i = 0; i < PATIENCE_MS && check_on && !own.debugged && !check_idle(); i++)
        nanosleep(&ms, NULL);
}

/* After the program's own handlers and destructors: these may still free memory. */
void check_end(void)
{
    append_json(json_pack("{s:s, s:i, s:I, s:I}", "type", "end", "pid", (int)own.pid, "launches",
                          (json_int_t)atomic_load(&own.checked), "passed_over",
                          (json_int_t)atomic_load(&own.passed_over)));
    check_on = false;
}

/* ---- launches ---- */

static enum ls_status run(struct driver_launch *x, struct exec_launch *l, struct exec_fault *fault)
{
    struct check_launch *c;
    const struct check_site site = {.call = x->op->note, .op = queue_doing, .stream = x->place.stream};
    const enum ls_status begun = check_launch_begin(checked, l, &site, &c);
    if (begun != LS_OK) {
        complain("launches run without being checked", ls_status_text(begun));
        return exec_run(l, fault, NULL);
    }
    u64 bad;
    l->hooks = check_launch_hooks(c);
    const enum ls_status s = exec_run(l, fault, NULL);
    if (x->left_out == FAULT_NONE)
        x->left_out = check_launch_first(c);
    check_launch_end(c, s, fault, &bad);
    l->hooks = NULL;
    return s;
}

enum ls_status check_grid(struct driver_launch *x, CUfunction f, bool wanted, struct exec_launch *l,
                          struct exec_fault *fault)
{
    (void)f;
    if (!check_on) /* a child of fork */
        return exec_run(l, fault, NULL);
    atomic_fetch_add(wanted ? &own.checked : &own.passed_over, 1);
    if (wanted) {
        x->told = true;
        x->spared = own.spares_context;
        return run(x, l, fault);
    }
    check_unseen(checked);
    return exec_run(l, fault, NULL);
}
