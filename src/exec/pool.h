/* pool.h - threads that help with launches: made when they are first needed, asleep between launches.
 *
 * Who has work that others may help with offers places in it. Threads that are free take a place and call `help`, on as
 * many threads at once as places are taken; a place that nobody has taken when the work is withdrawn stays empty. So
 * nobody may count on help: it comes late, or not at all where no thread can be had. Who offers wakes two threads, and
 * each that takes a place two more, so many are awake soon and none wakes all of them. */
#ifndef LS_EXEC_POOL_H
#define LS_EXEC_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"

struct pool_work {
    void (*help)(void *ctx);
    void *ctx;
    /* the pool's own */
    unsigned places;    /* that are free */
    atomic_uint inside; /* threads that are at it */
    bool offered;
    double began;           /* when it was, by exec_now */
    struct pool_work *next; /* with free places */
    pthread_cond_t left;    /* the last of those inside */
};

/* Offers so many places more. The work must stay where it is until it is withdrawn. From any thread that is at it. */
void pool_offer(struct pool_work *w, unsigned places);
/* Nobody comes any more; waits until those that came have left. By the owner; nothing if it was never offered. */
void pool_withdraw(struct pool_work *w);

#endif
