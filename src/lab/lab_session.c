/* lab_session.c - the folder in which the driver leaves each launch's counters, and reading them.
 *
 * The driver looks at LOCKSTEP_SESSION when it starts, so the folder is made before the driver is loaded. Records that
 * are not wanted (those of verification) are cut away before the launch that is. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.h"
#include "lab/trial.h"
#include "meter/session/session.h"

enum ls_status lab_session_open(char folder[256], struct diag_list *diags)
{
    struct settings said;
    char why[SETTING_WHY];
    snprintf(folder, 256, "%s/lockstep-XXXXXX", settings_tmp());
    if (!mkdtemp(folder)) {
        diag_add(diags, DIAG_ERROR, (struct diag_place){0}, "cannot make a folder %s for the counters", folder);
        folder[0] = '\0';
        return LS_ERR_IO;
    }
    settings_read(&said, NULL, NULL);
    settings_set(&said, SETTING_SESSION, folder, why);
    return settings_export(&said) ? LS_OK : LS_ERR_NOMEM;
}

static void each_record(const char *folder, void (*act)(const char *path))
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        char path[600];
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        act(path);
    }
    closedir(d);
}

static void empty_file(const char *path)
{
    if (truncate(path, 0) != 0)
        return; /* what stays is only read over */
}

static void remove_file(const char *path) { unlink(path); }

void lab_session_clear(const char *folder) { each_record(folder, empty_file); }

void lab_session_close(const char *folder)
{
    each_record(folder, remove_file);
    rmdir(folder);
}

struct meter_report *lab_session_sum(const char *folder, const char *kernel, u32 *launches, struct diag_list *diags)
{
    struct session s = {0};
    *launches = 0;
    if (session_read(folder, &s, diags) != LS_OK || s.n == 0)
        return NULL;
    u32 main = 0;
    while (main < s.n && strcmp(s.reports[main]->kernel, kernel) != 0)
        main++;
    main = main < s.n ? main : 0;
    struct meter_report *sum = s.reports[main];
    for (u32 i = 0; i < s.n; i++)
        if (i != main)
            meter_report_add(sum, s.reports[i]);
    *launches = s.n;
    s.reports[main] = s.reports[--s.n]; /* the caller's from here on */
    session_free(&s);
    return sum;
}
