/* deferred_free.c - freeing memory while nothing runs.
 *
 * Kernels remember the range of the allocation that an instruction touched last, so memory is really freed only while
 * no kernel, copy or fill runs. cuMemFree waits for its context as CUDA does; what kernels of other contexts or the
 * order of streams still hold up stays in a list until the last of them ends. */
#include <pthread.h>
#include <time.h>

#include "base/alloc.h"
#include "base/locked.h"
#include "driver/driver.h"

/* run_lock */
static struct deferred {
    u64 address, size;
    u8 kind;
} *deferred;
static size_t deferred_len, deferred_cap;

static void release(struct deferred d)
{
    switch (d.kind) {
    case MEM_REGISTERED:
        mem_unregister(drv.mem, (void *)(uintptr_t)d.address);
        break;
    case MEM_MAPPED: /* another process's, which has its addresses to itself */
        mem_unmap(drv.mem, d.address, d.size);
        mem_unreserve(drv.mem, d.address & ~(u64)(MEM_IMPORT_ALIGN - 1));
        break;
    case MEM_RESERVED:
        mem_unreserve(drv.mem, d.address);
        break;
    default:
        mem_free(drv.mem, d.address);
    }
}

/* run_lock held */
static void flush_deferred(void)
{
    LS_LOCKED(&drv.run_lock);
    for (size_t i = 0; i < deferred_len; i++)
        release(deferred[i]);
    deferred_len = 0;
}

static bool defer(struct deferred d)
{
    if (deferred_len == deferred_cap) {
        size_t more = deferred_cap ? deferred_cap * 2 : 16;
        struct deferred *to = ls_realloc(deferred, more * sizeof *to);
        if (!to)
            return false;
        deferred = to;
        deferred_cap = more;
    }
    deferred[deferred_len++] = d;
    return true;
}

/* Without memory for the list the allocation is leaked rather than pulled from under a kernel. */
void memory_give_back(const struct allocation *a)
{
    struct deferred d = {a->base, a->size, a->kind};
    if (a->graph)
        return;
    pthread_mutex_lock(&drv.run_lock);
    if (drv.running)
        defer(d);
    else
        release(d);
    pthread_mutex_unlock(&drv.run_lock);
}

/* ---- what runs ---- */

/* run_lock: */
static pthread_cond_t run_changed = PTHREAD_COND_INITIALIZER;
static bool alone;         /* one operation runs, or is about to, and others wait */
static pthread_t alone_is; /* in this thread */

/* run_lock held. Only operations wait: loading a module does not, because it holds locks that operations need. */
static void wait_for_alone(void)
{
    LS_LOCKED(&drv.run_lock);
    while (alone && queue_doing)
        pthread_cond_wait(&run_changed, &drv.run_lock);
}

void memory_run_begin(void)
{
    pthread_mutex_lock(&drv.run_lock);
    wait_for_alone();
    drv.running++;
    pthread_mutex_unlock(&drv.run_lock);
}

bool memory_run_begin_alone(void)
{
    enum { PATIENCE = 5 }; /* seconds */
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    pthread_mutex_lock(&drv.run_lock);
    wait_for_alone();
    alone = true;
    alone_is = pthread_self();
    while (drv.running && pthread_cond_timedwait(&run_changed, &drv.run_lock, &until) == 0)
        continue;
    const bool yes = alone = drv.running == 0;
    if (!yes)
        pthread_cond_broadcast(&run_changed);
    drv.running++;
    pthread_mutex_unlock(&drv.run_lock);
    return yes;
}

void memory_run_end(void)
{
    pthread_mutex_lock(&drv.run_lock);
    LS_BUG_ON(drv.running == 0);
    if (--drv.running == 0)
        flush_deferred();
    if (alone && pthread_equal(alone_is, pthread_self()))
        alone = false;
    pthread_cond_broadcast(&run_changed);
    pthread_mutex_unlock(&drv.run_lock);
}

unsigned memory_running(void)
{
    pthread_mutex_lock(&drv.run_lock);
    unsigned n = drv.running;
    pthread_mutex_unlock(&drv.run_lock);
    return n;
}
