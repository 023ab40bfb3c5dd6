/* progress.c - see progress.h. The list has the grid that began first at its head. */
#include "exec/progress.h"

#include <stdio.h>

#include "exec/sched.h"

static struct {
    atomic_bool on;
    void (*ended)(void);
    pthread_mutex_t lock;
    struct progress_entry *first;
} running = {.lock = PTHREAD_MUTEX_INITIALIZER};

void exec_progress_on(void (*ended)(void))
{
    running.ended = ended;
    atomic_store(&running.on, true);
}

void progress_begin(struct progress_entry *e, const struct grid *g)
{
    *e = (struct progress_entry){0};
    if (!atomic_load(&running.on))
        return;
    *e = (struct progress_entry){.grid = g, .began = exec_now()};
    pthread_mutex_lock(&running.lock);
    struct progress_entry **to = &running.first;
    while (*to)
        to = &(*to)->next;
    *to = e;
    pthread_mutex_unlock(&running.lock);
}

void progress_end(struct progress_entry *e)
{
    if (!e->grid)
        return;
    pthread_mutex_lock(&running.lock);
    struct progress_entry **at = &running.first;
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    pthread_mutex_unlock(&running.lock);
    if (e->told)
        running.ended();
}

static u64 blocks_done(const struct grid *g)
{
    u64 done = 0;
    for (unsigned k = 0; k < g->nworkers; k++)
        done += __atomic_load_n(&g->workers[k].blocks, __ATOMIC_RELAXED);
    return done;
}

bool exec_progress_longest(struct exec_progress *out)
{
    pthread_mutex_lock(&running.lock);
    struct progress_entry *e = running.first;
    if (e) {
        *out = (struct exec_progress){
            .seconds = exec_now() - e->began, .done = blocks_done(e->grid), .blocks = e->grid->nblocks};
        snprintf(out->kernel, sizeof out->kernel, "%s", e->grid->kernel->src->name);
        for (const struct progress_entry *k = e->next; k; k = k->next)
            out->others++;
        e->told = true;
    }
    pthread_mutex_unlock(&running.lock);
    return e;
}
