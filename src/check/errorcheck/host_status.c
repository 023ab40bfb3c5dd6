/* host_status.c - errors that the program did not ask for.
 *
 * A launch by <<<>>> returns no result; cudaGetLastError and cudaPeekAtLastError do, in the same thread, for all
 * launches before. A site (the place of a <<<>>>) is *checked* once one of its launches was followed by such a call;
 * the others are findings at the end. Launches whose function returns a status are the caller's to look at.
 *
 * A call that fails is *dropped* if its caller does not look at what it returned, no last error was asked for in that
 * thread afterwards, and the process says in the end that all went well. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "check/core/host/host.h"
#include "check/errorcheck/errorcheck.h"

enum { MOST = 1024 }; /* sites and failures that are remembered, each */

struct site {
    const void *at;
    u64 launches;
    bool checked;
    u32 waits;        /* the thread whose launch nobody asked after yet; 0: none */
    char failed[160]; /* what the last launch that failed said; "": none did */
    struct host_call call;
};

struct failure {
    u32 thread;
    char what[160];
    struct host_call call;
};

static struct {
    pthread_mutex_t lock;
    struct site *sites;
    struct failure *failures;
    u32 nsites, nfailures;
    u32 threads;
} status = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Threads are numbered from 1. Lock held. */
static u32 thread(void)
{
    static _Thread_local u32 mine;
    if (!mine)
        mine = ++status.threads;
    return mine;
}

/* The table of n rows of that size, made at first use; NULL: no room for another row. */
static void *room(void *table, u32 n, size_t row)
{
    if (n == MOST)
        return NULL;
    return table ? table : ls_calloc(MOST, row);
}

/* ---- launches ---- */

/* The last <<<>>> of this thread, and the number of its call. */
static _Thread_local struct {
    struct site *site;
    u64 number;
} launch;

/* Lock held. NULL: no room. */
static struct site *site_at(const void *at)
{
    for (u32 k = 0; k < status.nsites; k++)
        if (status.sites[k].at == at)
            return &status.sites[k];
    struct site *table = room(status.sites, status.nsites, sizeof *table);
    if (!table)
        return NULL;
    status.sites = table;
    struct site *s = &table[status.nsites++];
    *s = (struct site){.at = at};
    const struct host_call *call = check_call();
    if (call)
        s->call = *call;
    return s;
}

static void on_launched(const void *at)
{
    pthread_mutex_lock(&status.lock);
    struct site *s = site_at(at);
    if (s) {
        s->launches++;
        s->waits = thread();
        launch.site = s;
        launch.number = check_call_number();
    }
    pthread_mutex_unlock(&status.lock);
}

static void on_asked(void)
{
    pthread_mutex_lock(&status.lock);
    const u32 me = thread();
    for (u32 k = 0; k < status.nsites; k++)
        status.sites[k].checked |= status.sites[k].waits == me;
    u32 n = 0;
    for (u32 k = 0; k < status.nfailures; k++)
        if (status.failures[k].thread != me)
            status.failures[n++] = status.failures[k];
    status.nfailures = n;
    pthread_mutex_unlock(&status.lock);
}

/* ---- failures ---- */

/* The <<<>>> under way, if it is one. Lock held. */
static struct site *launching(void) { return launch.number == check_call_number() ? launch.site : NULL; }

static void keep_failure(const char *what, const struct host_call *call)
{
    struct failure *table = room(status.failures, status.nfailures, sizeof *table);
    if (table) {
        status.failures = table;
        struct failure *f = &table[status.nfailures++];
        *f = (struct failure){.thread = thread(), .call = *call};
        snprintf(f->what, sizeof f->what, "%s", what);
    }
}

static void on_failed(int error, const char *name, const char *text)
{
    char what[160];
    if (!check_call_error(error, name, text, what, sizeof what))
        return;
    const struct host_call *call = check_call();
    const CUcontext ctx = ctx_current();
    if (ctx && ctx_sticky(ctx) != CUDA_SUCCESS)
        return; /* what a launch did is a finding already, and every call says so from now on */
    pthread_mutex_lock(&status.lock);
    struct site *s = launching();
    if (s)
        snprintf(s->failed, sizeof s->failed, "%s", what);
    else if (errorcheck_dropped(call->frames, call->nframes))
        keep_failure(what, call);
    pthread_mutex_unlock(&status.lock);
}

/* ---- the end ---- */

/* A launch that failed is reported as an error if the process ends with success. */
static void report_site(const struct site *s, bool success)
{
    struct finding f;
    finding_init(&f, FINDING_LAUNCH_UNCHECKED);
    if (s->failed[0] && success)
        f.severity = SEVERITY_ERROR;
    snprintf(f.detail, sizeof f.detail, "%s", s->failed);
    f.call = s->call;
    f.count = s->launches;
    check_report(checked, &f);
}

static void report_failure(const struct failure *d)
{
    struct finding f;
    finding_init(&f, FINDING_STATUS_DROPPED);
    f.call = d->call;
    snprintf(f.what, sizeof f.what, "%s", d->what);
    check_report(checked, &f);
}

static void on_process(enum driver_moment moment)
{
    const bool success = check_succeeded();
    for (u32 k = 0; moment == PROCESS_END && k < status.nsites; k++)
        if (!status.sites[k].checked)
            report_site(&status.sites[k], success);
    for (u32 k = 0; moment == PROCESS_END && success && k < status.nfailures; k++)
        report_failure(&status.failures[k]);
}

const struct driver_observer observer_errorcheck = {
    .process = on_process, .call_failed = on_failed, .error_asked = on_asked, .launch_untold = on_launched};
