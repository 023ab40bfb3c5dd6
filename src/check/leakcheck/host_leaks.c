/* host_leaks.c - what the program has not freed when a context goes, and when the process ends. */
#include <stdio.h>

#include "base/alloc.h"
#include "check/core/allocations.h"
#include "check/core/host.h"
#include "check/leakcheck/heap.h"

/* What is not the program's to free is no leak: registered memory is its own, memory of other processes theirs, and a
 * graph's is live only between an allocation and a free. In a context that an error ended nothing can be freed. */
static bool may_leak(const struct allocation *a)
{
    if (a->ctx && ctx_sticky(a->ctx) != CUDA_SUCCESS)
        return false;
    if (a->kind == MEM_REGISTERED || a->kind == MEM_INTERNAL || a->kind == MEM_RESERVED || a->flags & ALLOCATION_OURS)
        return false;
    if (mem_is_mapped(a->kind))
        return a->piece != NULL;
    return !a->graph || a->live;
}

static void report_leak(const struct allocation *a)
{
    struct finding f;
    finding_init(&f, FINDING_LEAK);
    f.has_address = true;
    f.address = a->base;
    f.space = SPACE_GLOBAL;
    f.size = a->size;
    f.allocation = check_serial_of(a->base);
    snprintf(f.what, sizeof f.what, "Leaked %llu bytes at 0x%llx", (unsigned long long)a->size,
             (unsigned long long)a->base);
    allocations_made(check_allocations(checked), f.allocation, &f.call);
    check_report(checked, &f);
}

/* Whether an error ended one of the contexts that are there. */
static bool context_ended(void)
{
    bool ended = false;
    pthread_mutex_lock(&drv.lock);
    for (CUcontext c = drv.contexts; c; c = c->next)
        ended |= atomic_load(&c->alive) && ctx_sticky(c) != CUDA_SUCCESS;
    pthread_mutex_unlock(&drv.lock);
    return ended;
}

/* Findings are written without the driver's lock: to name the program's files the loader's is needed, and who holds
 * that may wait for the driver's. ctx: that is about to go; NULL: the process is. */
static void leaks_of(CUcontext ctx)
{
    size_t n;
    if (!ctx && !context_ended())
        leakcheck_heap_leaks(checked);
    struct allocation *all = memory_all(&n);
    for (size_t k = 0; k < n; k++)
        if ((!ctx || all[k].ctx == ctx) && may_leak(&all[k]))
            report_leak(&all[k]);
    ls_free(all);
}

static void on_process(enum driver_moment moment)
{
    if (moment == PROCESS_END)
        leaks_of(NULL);
}

const struct driver_observer observer_leakcheck = {.process = on_process, .context_end = leaks_of};
