/* pool.c - threads that help with launches (pool.h).
 *
 * One pool a process. A thread that finds no work looks out for some for a while, then sleeps, or ends if enough others do.
 * When the process ends, or the library is unloaded, those that sleep are ended and waited for; whoever is at work then is
 * left alone. A forked child has none of the threads and begins with an empty pool.
 *
 * Threads take no signals of the program's, but for those that their own code may raise. */
#include "exec/pool.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "exec/sched.h"

/* Threads that sleep at most: more end. */
enum { IDLE_MOST = 256 };
/* Threads that one thread wakes. */
enum { WAKES = 2 };
/* A thread that has worked looks out for more for a part of the time that its work took, and no longer than this: it is there at
 * once when launches follow each other, where waking it takes 20 to 60 us. With two cores saxpy of 2^22 elements took 0.74 ms
 * without, 0.63 with 70 us or more, 0.67 with 40 (Sapphire Rapids). */
enum { LOOK_PART = 8 };
#define LOOK_MOST 100e-6 /* seconds */
/* How long the end of the process waits for the lock, which a thread may hold that a signal interrupted. */
#define END_PATIENCE_NS 100000000

struct member {
    pthread_t thread;
    struct member *next, **self;
    bool idle;
    bool awaited; /* the end of the pool joins it */
    double look;  /* how long it looks out for work when it finds none, in seconds */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;     /* work, or the end */
    struct pool_work *first; /* with free places */
    struct member *members;  /* on the stacks of their threads */
    unsigned places;         /* that are free, of all work */
    unsigned idle;           /* threads that sleep, */
    unsigned called;         /* and how many of them have been called, and have not heard it yet; or fewer */
    unsigned starting;       /* threads that are being made */
    bool ended;
    atomic_uint news; /* goes on when there is work, when a thread is called, and at the end */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- fork ---- */

static void before_fork(void) { pthread_mutex_lock(&pool.lock); }
static void after_fork(void) { pthread_mutex_unlock(&pool.lock); }
static void in_child(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.more, NULL);
    pool.first = NULL;
    pool.members = NULL;
    pool.places = pool.idle = pool.called = pool.starting = 0;
}
static void prepare_fork(void) { pthread_atfork(before_fork, after_fork, in_child); }

/* ---- threads ---- */

static void join_in(struct member *m)
{
    m->thread = pthread_self();
    m->next = pool.members;
    m->self = &pool.members;
    if (m->next)
        m->next->self = &m->next;
    pool.members = m;
    pool.starting--;
}

static void leave(struct member *m)
{
    *m->self = m->next;
    if (m->next)
        m->next->self = m->self;
    if (!m->awaited)
        pthread_detach(m->thread);
}

/* Lets the other thread of the core run, where the processor can be told. */
static inline void pause_core(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

static unsigned news(void) { return atomic_load_explicit(&pool.news, memory_order_relaxed); }
static void tell_news(void) { atomic_fetch_add_explicit(&pool.news, 1, memory_order_relaxed); }

/* How long a thread looks out behind work that began then, before it sleeps. */
static double looking_time(double began)
{
    const double part = (exec_now() - began) / LOOK_PART;
    return part < LOOK_MOST ? part : LOOK_MOST;
}

/* Under the lock, which it lets go meanwhile. True: there were news. */
static bool look_out(const struct member *m)
{
    const unsigned known = news();
    pthread_mutex_unlock(&pool.lock);
    for (const double until = exec_now() + m->look; news() == known && exec_now() < until;)
        pause_core();
    pthread_mutex_lock(&pool.lock);
    return news() != known;
}

/* There is no work. Who looks out counts as asleep: it may be called, and the end waits for it. When there were news it has
 * perhaps been called, and does not sleep even if the work is gone: the call would be waited for, and nobody else called. */
static void fall_asleep(struct member *m)
{
    pool.idle++;
    m->idle = true;
    const bool called = m->look > 0 && look_out(m);
    m->look = 0;
    if (!called)
        pthread_cond_wait(&pool.more, &pool.lock);
    m->idle = false;
    pool.idle--;
    pool.called -= pool.called > 0;
}

static struct pool_work *take_place(void)
{
    struct pool_work *w = pool.first;
    if (!w)
        return NULL;
    pool.places--;
    atomic_fetch_add_explicit(&w->inside, 1, memory_order_relaxed);
    if (!--w->places)
        pool.first = w->next;
    return w;
}

static unsigned inside(const struct pool_work *w) { return atomic_load_explicit(&w->inside, memory_order_relaxed); }

/* Under the lock. Whoever waits for it may let go of the work as soon as nobody is inside and the lock is free. */
static void leave_work(struct pool_work *w)
{
    if (atomic_fetch_sub_explicit(&w->inside, 1, memory_order_relaxed) == 1)
        pthread_cond_signal(&w->left);
}

static void call_some(void);

static void *member_main(void *arg)
{
    struct member me = {0};
    (void)arg;
    pthread_mutex_lock(&pool.lock);
    for (join_in(&me); !pool.ended;) {
        struct pool_work *w = take_place();
        if (!w && pool.idle >= IDLE_MOST)
            break;
        if (!w) {
            fall_asleep(&me);
            continue;
        }
        call_some();
        pthread_mutex_unlock(&pool.lock);
        const double began = exec_now();
        w->help(w->ctx);
        me.look = looking_time(began);
        pthread_mutex_lock(&pool.lock);
        leave_work(w);
    }
    leave(&me);
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

static bool make_thread(void)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
    sigset_t blocked, before;
    pthread_t thread;
    sigfillset(&blocked);
    for (size_t k = 0; k < LS_ARRAY_LEN(own); k++)
        sigdelset(&blocked, own[k]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const bool made = pthread_create(&thread, NULL, member_main, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

/* Under the lock, which it may let go meanwhile: calls or makes threads for places that nobody is on the way to. */
static void call_some(void)
{
    unsigned make = 0;
    for (unsigned k = 0; k < WAKES && pool.places > pool.called + pool.starting && !pool.ended; k++) {
        if (pool.idle > pool.called) {
            pool.called++;
            tell_news();
            pthread_cond_signal(&pool.more);
        } else {
            pool.starting++;
            make++;
        }
    }
    if (!make)
        return;
    pthread_mutex_unlock(&pool.lock);
    unsigned failed = 0;
    for (; make; make--)
        failed += !make_thread();
    pthread_mutex_lock(&pool.lock);
    pool.starting -= failed;
}

/* ---- work ---- */

static struct pool_work **find(struct pool_work *w)
{
    struct pool_work **at = &pool.first;
    while (*at && *at != w)
        at = &(*at)->next;
    return at;
}

void pool_offer(struct pool_work *w, unsigned places)
{
    if (!places)
        return;
    pthread_once(&once, prepare_fork);
    pthread_mutex_lock(&pool.lock);
    if (!w->offered)
        pthread_cond_init(&w->left, NULL);
    if (!w->offered)
        w->began = exec_now();
    w->offered = true;
    if (!w->places) {
        struct pool_work **last = find(NULL);
        w->next = NULL;
        *last = w;
    }
    w->places += places;
    pool.places += places;
    tell_news();
    call_some();
    pthread_mutex_unlock(&pool.lock);
}

/* Under the lock, which it lets go meanwhile: those inside are mostly about to leave, and sleep takes longer to end. */
static void await_end(const struct pool_work *w)
{
    pthread_mutex_unlock(&pool.lock);
    for (const double until = exec_now() + looking_time(w->began); inside(w) && exec_now() < until;)
        pause_core();
    pthread_mutex_lock(&pool.lock);
}

void pool_withdraw(struct pool_work *w)
{
    if (!w->offered)
        return;
    pthread_mutex_lock(&pool.lock);
    if (w->places)
        *find(w) = w->next;
    pool.places -= w->places;
    w->places = 0;
    if (inside(w))
        await_end(w);
    while (inside(w))
        pthread_cond_wait(&w->left, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    pthread_cond_destroy(&w->left);
    w->offered = false;
}

/* ---- the end ---- */

static struct member *sleeper(void)
{
    struct member *m = pool.members;
    while (m && (!m->idle || m->awaited))
        m = m->next;
    return m;
}

__attribute__((destructor)) static void end_pool(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += END_PATIENCE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_mutex_timedlock(&pool.lock, &until))
        return;
    pool.ended = true;
    tell_news();
    pthread_cond_broadcast(&pool.more);
    for (struct member *m; (m = sleeper());) {
        const pthread_t thread = m->thread;
        m->awaited = true;
        pthread_mutex_unlock(&pool.lock);
        pthread_join(thread, NULL);
        pthread_mutex_lock(&pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
}
