/* queue.c - see queue.h. A pthread mutex and condition variables. */
#include "driver/stream/queue.h"

#include "base/alloc.h"
#include "base/locked.h"

_Thread_local u64 queue_doing;

struct queue *queue_new(struct hub *hub)
{
    struct queue *q = ls_calloc(1, sizeof *q);
    if (!q)
        return NULL;
    q->hub = hub;
    q->tail = &q->head;
    q->refs = 1;
    pthread_cond_init(&q->wake, NULL);
    return q;
}

void queue_ref(struct queue *q)
{
    LS_LOCKED(&q->hub->lock);
    q->refs++;
}

/* Lock held; true: that was the last. */
static bool drop_ref(struct queue *q)
{
    LS_LOCKED(&q->hub->lock);
    LS_BUG_ON(q->refs == 0);
    return --q->refs == 0;
}

static void destroy(struct queue *q)
{
    pthread_cond_destroy(&q->wake);
    ls_free(q);
}

void queue_unref(struct queue *q)
{
    struct hub *hub = q->hub;
    pthread_mutex_lock(&hub->lock);
    bool last = drop_ref(q);
    pthread_mutex_unlock(&hub->lock);
    if (last)
        destroy(q);
}

void queue_close(struct queue *q)
{
    struct hub *hub = q->hub;
    pthread_mutex_lock(&hub->lock);
    q->closing = true;
    if (q->started)
        pthread_cond_signal(&q->wake);
    bool last = drop_ref(q);
    pthread_mutex_unlock(&hub->lock);
    if (last)
        destroy(q);
}

bool queue_idle(const struct queue *q)
{
    LS_LOCKED(&q->hub->lock);
    return q->completed == q->submitted;
}

static void announce(struct hub *hub)
{
    if (hub->waiters)
        pthread_cond_broadcast(&hub->changed);
}

static void wait_for(struct queue *q, u64 n)
{
    q->hub->waiters++;
    while (q->completed < n)
        pthread_cond_wait(&q->hub->changed, &q->hub->lock);
    q->hub->waiters--;
}

void queue_wait(struct queue *q, u64 n)
{
    pthread_mutex_lock(&q->hub->lock);
    wait_for(q, n);
    pthread_mutex_unlock(&q->hub->lock);
}

/* The thread of a queue. It owns one reference, so that the queue outlives its owner while works are left. */
static void *queue_main(void *arg)
{
    struct queue *q = arg;
    struct hub *hub = q->hub;
    pthread_mutex_lock(&hub->lock);
    for (;;) {
        while ((!q->head || q->busy) && !(q->closing && !q->head))
            pthread_cond_wait(&q->wake, &hub->lock);
        struct work *w = q->head;
        if (!w)
            break;
        q->head = w->next;
        if (!q->head)
            q->tail = &q->head;
        pthread_mutex_unlock(&hub->lock);
        queue_doing = w->number;
        w->run(w);
        queue_doing = 0;
        w->release(w);
        pthread_mutex_lock(&hub->lock);
        q->completed++;
        LS_BUG_ON(q->completed > q->submitted);
        announce(hub);
    }
    bool last = drop_ref(q);
    pthread_mutex_unlock(&hub->lock);
    if (last)
        destroy(q);
    return NULL;
}

static bool start(struct queue *q)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    q->started = pthread_create(&q->thread, &attr, queue_main, q) == 0;
    pthread_attr_destroy(&attr);
    if (q->started)
        q->refs++;
    return q->started;
}

bool queue_push(struct queue *q, struct work *w)
{
    LS_LOCKED(&q->hub->lock);
    if (!q->started && !start(q)) {
        w->release(w);
        return false;
    }
    w->next = NULL;
    *q->tail = w;
    q->tail = &w->next;
    q->submitted++;
    pthread_cond_signal(&q->wake);
    return true;
}

struct wait_work {
    struct work work;
    struct queue *on;
    u64 n;
};

static void wait_run(struct work *w)
{
    struct wait_work *x = (struct wait_work *)w;
    queue_wait(x->on, x->n);
}

static void wait_release(struct work *w)
{
    struct wait_work *x = (struct wait_work *)w;
    queue_unref(x->on);
    ls_free(x);
}

bool queue_push_wait(struct queue *q, struct queue *on, u64 n)
{
    if (on == q || on->completed >= n)
        return true;
    struct wait_work *x = ls_calloc(1, sizeof *x);
    if (!x)
        return false;
    *x = (struct wait_work){.work = {.run = wait_run, .release = wait_release}, .on = on, .n = n};
    if (!q->started && !start(q)) {
        ls_free(x);
        return false;
    }
    queue_ref(on);
    return queue_push(q, &x->work);
}

void queue_enter(struct queue *q)
{
    q->submitted++;
    q->busy = true;
}

void queue_leave(struct queue *q)
{
    pthread_mutex_lock(&q->hub->lock);
    q->busy = false;
    q->completed++;
    if (q->head)
        pthread_cond_signal(&q->wake);
    announce(q->hub);
}
