/* debugged.c - the driver's launches and modules, given to the debugger's agent. */
#include "attach/debugged.h"

#include "check/core/host/host.h"
#include "debug/agent/agent.h"
#include "driver/observe/launcher.h"

/* ---- the checks ---- */

static struct driver_launch *doing; /* launches run alone */
static struct check_launch *checking;

static void report(void *ctx, const struct finding *f, u64 id, bool again)
{
    (void)ctx, (void)id;
    if (!again)
        agent_found(f);
}

static const char *checks_start(unsigned tools)
{
    const struct check_options o = {.tools = tools, .report = report, .clock = agent_clock, .faults_end = true};
    const enum ls_status s = check_start_with(&o);
    return s == LS_OK ? NULL : ls_status_text(s);
}

static const struct exec_hooks *checks_begin(const struct exec_launch *l)
{
    const struct check_site site = {.call = doing->op->note, .op = queue_doing, .stream = doing->place.stream};
    if (!check_on)
        return NULL;
    check_forget(checked);
    return check_launch_begin(checked, l, &site, &checking) == LS_OK ? check_launch_hooks(checking) : NULL;
}

static void checks_end(enum ls_status s, const struct exec_fault *fault)
{
    u64 bad;
    check_launch_end(checking, s, fault, &bad);
}

static const struct agent_checks checks = {.start = checks_start, .begin = checks_begin, .end = checks_end};

/* ---- launches and modules ---- */

static enum ls_status launch(struct driver_launch *x, const struct exec_launch *l, exec_run_one *one, void *ctx,
                             struct exec_fault *fault)
{
    (void)one, (void)ctx;
    doing = x;
    return agent_launch(l, fault);
}

static u64 new_id(void) { return atomic_fetch_add(&drv.launches, 1) + 1; }

static void on_module_made(const struct exec_module *m, CUdevice device)
{
    (void)device;
    agent_module_made(m);
}

static void on_process(enum driver_moment moment)
{
    if (moment == PROCESS_FORKED)
        agent_forked();
    else if (moment == PROCESS_END)
        agent_end();
}

static void on_call_begin(const struct driver_call *c) { agent_call_begin(c->name); }

static void on_call_end(const struct driver_call *c)
{
    (void)c;
    agent_call_end();
}

static const struct driver_observer observer = {.process = on_process,
                                                .module_made = on_module_made,
                                                .module_gone = agent_module_gone,
                                                .call_begin = on_call_begin,
                                                .call_end = on_call_end};

/* Kernels are interpreted, and each register has a slot of its own, so that it can be read wherever the kernel is. */
static void set_up_devices(void)
{
    for (unsigned i = 0; i < drv.ndevices; i++) {
        drv.exec[i].tier = 0;
        drv.exec[i].keep_apart = true;
    }
}

bool debugged_start(void)
{
    const struct agent_config c = {.checks = &checks,
                                   .where = drv.settings.debug,
                                   .mem = drv.mem,
                                   .memory_most = drv.settings.debug_memory,
                                   .cancel = &drv.cancel,
                                   .new_id = new_id,
                                   .gpu = &drv.gpu,
                                   .devices = drv.ndevices};
    const char *why = drv.settings.debug ? agent_start(&c) : "";
    if (why) {
        if (*why)
            drv_log("LOCKSTEP_DEBUG=%s: %s: the program runs without a debugger", drv.settings.debug, why);
        return false;
    }
    set_up_devices();
    driver_launcher.launch = launch;
    driver_launcher.alone = true;
    driver_observe(&observer);
    return true;
}
