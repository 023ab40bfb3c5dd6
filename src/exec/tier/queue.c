/* queue.c - see queue.h.
 *
 * Tickets count from 1 and jobs end in their order, so one number says which have ended. A child of fork has the jobs that
 * wait and not the thread: the one that ran counts as ended, the rest are run by a thread of the child's own. */
#include "exec/tier/queue.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "exec/tier/llvm.h"

/* Beside threads that run kernels on every core a thread that is nicer by this has about a quarter of one (1024 against 335
 * shares): they wait for what it makes. LLVM recurses along the length of a function, hence the stack. */
enum { NICENESS = 5, STACK_BYTES = 64 << 20 };

struct job {
    struct job *next;
    u64 ticket;
    bool awaited; /* somebody stands still until it has run */
    void (*run)(void *), (*drop)(void *);
    void *arg;
};

static struct {
    pthread_mutex_t lock; /* everything here */
    pthread_cond_t added, ended;
    struct job *first, **last;
    struct job *running, *lost; /* lost: it ran when the process forked */
    u64 newest, done;           /* tickets: the last that was given; all up to this one have ended */
    bool started, ending;
} queue = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .added = PTHREAD_COND_INITIALIZER,
    .ended = PTHREAD_COND_INITIALIZER,
    .last = &queue.first,
};

/* All before the first that waits or runs have ended. */
static void settle(void)
{
    const struct job *const j = queue.running ? queue.running : queue.first;
    queue.done = j ? j->ticket - 1 : queue.newest;
    pthread_cond_broadcast(&queue.ended);
}

/* From the first job on that nobody waits for. The niceness is the thread's own, on Linux; where it may not be changed the
 * thread is as any other. */
static void be_nice(bool *is_nice)
{
    const int niceness = *is_nice ? 0 : nice(NICENESS);
    (void)niceness;
    *is_nice = true;
}

static void *work(void *unused)
{
    bool is_nice = false;
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        while (!queue.first || queue.ending)
            pthread_cond_wait(&queue.added, &queue.lock);
        struct job *const j = queue.running = queue.first;
        queue.first = j->next;
        if (!queue.first)
            queue.last = &queue.first;
        pthread_mutex_unlock(&queue.lock);
        if (!j->awaited)
            be_nice(&is_nice);
        j->run(j->arg);
        pthread_mutex_lock(&queue.lock);
        queue.running = NULL;
        ls_free(j);
        settle();
    }
    return unused;
}

static bool start(void)
{
    pthread_attr_t a;
    pthread_t thread;
    sigset_t all, old;
    if (pthread_attr_init(&a))
        return false;
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&a, STACK_BYTES);
    sigfillset(&all); /* the program's handlers are for its own threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const bool started = pthread_create(&thread, &a, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&a);
    if (started)
        pthread_setname_np(thread, "lockstep-tier");
    return started;
}

/* ---- the process ends or forks ---- */

/* The job that runs is left alone: llvm_rest keeps it from what exit handlers take away. */
static void at_exit(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.ending = true;
    pthread_mutex_unlock(&queue.lock);
}

static void before_fork(void) { pthread_mutex_lock(&queue.lock); }
static void in_parent(void) { pthread_mutex_unlock(&queue.lock); }

static void in_child(void)
{
    if (queue.running)
        queue.lost = queue.running;
    queue.running = NULL;
    queue.started = false;
    pthread_cond_init(&queue.added, NULL);
    pthread_cond_init(&queue.ended, NULL);
    settle();
    pthread_mutex_unlock(&queue.lock);
}

static bool hooked;

static void hook(void) { hooked = atexit(at_exit) == 0 && pthread_atfork(before_fork, in_parent, in_child) == 0; }

/* Under the lock. */
static bool ready(void)
{
    if (!queue.started && !queue.ending)
        queue.started = start();
    return queue.started && !queue.ending;
}

/* ---- jobs ---- */

static u64 add(void (*run)(void *), void (*drop)(void *), void *arg, bool awaited)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    llvm_hold_exit();
    pthread_once(&once, hook); /* not under the lock: fork may hold the C library's own while it waits for ours */
    struct job *const j = hooked ? ls_calloc(1, sizeof *j) : NULL;
    if (!j)
        return 0;
    pthread_mutex_lock(&queue.lock);
    u64 ticket = 0;
    if (ready()) {
        ticket = ++queue.newest;
        *j = (struct job){.ticket = ticket, .awaited = awaited, .run = run, .drop = drop, .arg = arg};
        *queue.last = j;
        queue.last = &j->next;
        pthread_cond_signal(&queue.added);
    }
    pthread_mutex_unlock(&queue.lock);
    if (!ticket)
        ls_free(j);
    return ticket;
}

u64 tier_queue_add(void (*run)(void *), void (*drop)(void *), void *arg) { return add(run, drop, arg, false); }

void tier_queue_wait(u64 ticket)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.done < ticket && ready())
        pthread_cond_wait(&queue.ended, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
}

bool tier_queue_run(void (*run)(void *), void (*drop)(void *), void *arg)
{
    const u64 ticket = add(run, drop, arg, true);
    if (ticket)
        tier_queue_wait(ticket);
    return ticket != 0;
}

/* Under the lock: takes the first job with this arg out. */
static struct job *take(const void *arg)
{
    for (struct job **at = &queue.first; *at; at = &(*at)->next) {
        struct job *const j = *at;
        if (j->arg != arg)
            continue;
        *at = j->next;
        if (!j->next)
            queue.last = at;
        return j;
    }
    return NULL;
}

bool tier_queue_cancel(const void *arg)
{
    struct job *j;
    pthread_mutex_lock(&queue.lock);
    while ((j = take(arg))) {
        pthread_mutex_unlock(&queue.lock);
        j->drop(j->arg);
        ls_free(j);
        pthread_mutex_lock(&queue.lock);
    }
    settle();
    while (queue.running && queue.running->arg == arg && !queue.ending)
        pthread_cond_wait(&queue.ended, &queue.lock);
    const bool gone = !queue.running || queue.running->arg != arg;
    pthread_mutex_unlock(&queue.lock);
    return gone;
}
