/* attach.c - see attach.h. */
#include "attach/attach.h"

#include "attach/debugged.h"
#include "attach/status.h"
#include "check/core/host/host.h"
#include "check/schedules/schedules.h"

/* Replays wrap the launch of grids: what is run again is run without the checks' hooks. */
static void take_launcher(void)
{
    if (check_on) {
        driver_launcher.wants = profile_wants;
        driver_launcher.grid = check_grid;
        if (schedules_on) {
            driver_launcher.launch = schedules_launch;
            driver_launcher.alone = true;
        }
    } else if (profile_on()) {
        driver_launcher.wants = profile_wants;
        driver_launcher.grid = profile_grid;
        driver_launcher.launch = profile_launch;
    }
}

static void process_start(void)
{
    if (drv.settings.timeline && drv.settings.session)
        timeline_start(drv.settings.session);
    if (debugged_start())
        return;
    check_start();
    profile_start(check_on);
    take_launcher();
    status_start(drv.settings.status);
}

static void on_process(enum driver_moment moment)
{
    if (moment == PROCESS_START)
        process_start();
    else if (moment == PROCESS_FORKED)
        status_forked();
    else if (moment == PROCESS_END)
        status_end();
}

static const struct driver_observer start = {.process = on_process};

/* The trace must show calls before cuInit too. */
__attribute__((constructor)) static void on_load(void)
{
    settings_read(&drv.settings, NULL, NULL); /* cuInit reads them again, and says what is wrong */
    if (drv.settings.trace)
        trace_start();
    driver_observe(&start);
}
