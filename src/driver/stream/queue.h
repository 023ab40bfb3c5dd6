/* queue.h - work in order on a thread of its own: what a stream is made of.
 *
 * A queue runs its works one after the other. The thread starts with the first work that cannot be run in the
 * submitter's own thread, so that streams that are never used cost nothing. All queues share one lock and one condition
 * (struct hub), because works wait for works of other queues.
 *
 * A position in a queue is a count: `submitted` works were put in, `completed` are done; the work with number n is done
 * when completed >= n. That is all that an event or a wait needs to remember. */
#ifndef LS_DRIVER_QUEUE_H
#define LS_DRIVER_QUEUE_H

#include <pthread.h>

#include "base/base.h"

struct hub {
    pthread_mutex_t lock; /* of every queue's fields; held for a few instructions only, never while a work runs */
    pthread_cond_t changed;
    unsigned waiters; /* threads that wait on `changed`; 0: no need to signal */
};

#define HUB_INIT {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}

/* Embedded at the start of the struct that describes the work. `run` is called without locks, and then `release`, which
 * frees it. A queue that fails or closes skips `run`. */
struct work {
    void (*run)(struct work *w);
    void (*release)(struct work *w);
    struct work *next;
    u64 number; /* what queue_doing says in the thread that runs it */
};

extern _Thread_local u64 queue_doing; /* the operation that this thread does; 0: none, or one without a number */

struct queue {
    struct hub *hub;
    pthread_cond_t wake; /* the thread waits here for works */
    struct work *head, **tail;
    u64 submitted, completed;
    pthread_t thread;
    unsigned refs; /* its owner, its waits and events, and its thread */
    bool started, busy, closing;
};

struct queue *queue_new(struct hub *hub); /* NULL: no memory */
void queue_ref(struct queue *q);          /* hub->lock held */
void queue_unref(struct queue *q);
/* No more works will come: the thread ends once the present ones are done. Drops the owner's reference. */
void queue_close(struct queue *q);

/* All with hub->lock held. queue_push false: the thread could not be started (the work is released). */
bool queue_idle(const struct queue *q);
bool queue_push(struct queue *q, struct work *w);
/* The next work of q starts only after the first n of `on`. False: no memory. */
bool queue_push_wait(struct queue *q, struct queue *on, u64 n);

/* With hub->lock held, on an idle queue: takes the queue for a work that the caller is going to do itself, without the
 * lock, between the two calls. The second takes the lock again, leaves it taken. */
void queue_enter(struct queue *q);
void queue_leave(struct queue *q);

/* Waits until the first n works are done. */
void queue_wait(struct queue *q, u64 n);

#endif
