/* host_leaks.c - what the program has not freed when a context goes, and when the process ends. */
#include <stdio.h>

#include "base/alloc.h"
#include "check/core/allocations.h"
#include "check/core/host/host.h"
#include "check/leakcheck/device_leaks.h"

/* Not leaks: registered memory, which the program owns; memory of other processes; memory of graphs, which is live only
 * between an allocation and a free. In a context that an error ended nothing can be freed. */
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

/* Findings are written without the driver's lock: naming the program's files needs the loader's lock, whose holder may
 * wait for the driver's. ctx: the context that ends; NULL: the process ends. */
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
