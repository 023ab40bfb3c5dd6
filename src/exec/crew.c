/* crew.c - the threads of a grid: which of them runs which worker's blocks.
 *
 * A grid has workers (worker.c) and *hands*, the threads that run them. The launching thread is the first hand, others
 * come from the pool (pool.h), late or not at all. A hand has a worker as its *home*. When that one's blocks have ended,
 * it makes the next worker that nobody has begun its home; so one hand can run them all, one after the other, and does
 * where a launch is too short for others to be of help.
 *
 * How long a launch takes is told by how long the kernel took before, and by its text when it has not run. Where that
 * was wrong, a hand that has run for long calls for help later. None of this changes what a worker does or counts.
 *
 * Where blocks wait for blocks of other workers, several threads can be slower than one: each polls for what the others
 * are about to do, on processors that these could use. So a hand that finds that it mostly polls lends its workers to
 * another one and sleeps. That one runs the blocks of all its workers in the order of their numbers, as if they were one
 * worker's. After a while the sleeper takes its worker back and tries again, each time later if that was too early. In the
 * same way a hand whose blocks wait runs those of all workers that nobody has begun, until a thread comes for them.
 *
 * So two workers are about as fast as one where blocks only take turns, and faster where they have work besides. */
#include <errno.h>
#include <fenv.h>
#include <time.h>

#include "exec/pool.h"
#include "exec/sched.h"
#include "exec/sync/weak.h"
#include "exec/tier/tier.h"

/* A thread lends its workers when so many seconds, and such a part of its time, went into polling. */
#define POLL_LEAST 200e-6
#define POLL_SHARE 0.4
/* How far back that part is looked at, about. */
#define POLL_WINDOW 5e-3
/* How long it sleeps then: at first, and at most. A thread that ran well for as long as WELL before begins anew. */
#define SLEEP_FIRST 4e-3
#define SLEEP_MOST 64e-3
#define WELL 20e-3

/* What a thread should find to do for waking it to pay, ns: a wake-up takes some 5 of the one that calls and 20 to 60
 * until the other runs, measured on machines of 2025. */
enum { HELP_NS = 30000 };
/* What an instruction of a warp takes, ns, for kernels that have not run: fast, and with events or a clock. */
enum { INST_NS = 4, INST_TRACED_NS = 40 };
/* A grid with fewer threads than it could use calls the others after so many seconds, or when a worker has run so many
 * instructions; every so many turns a hand looks at the time. */
#define LONG_SECONDS 100e-6
/* How long a grid with weak memory waits for threads. */
#define WEAK_SECONDS 1.0
enum { LONG_INSTRUCTIONS = 1 << 15, LOOK_TURNS = 4 };

/* A thread, and the workers that it runs. */
struct hand {
    struct grid *grid;
    struct worker *home;
    bool guests;      /* it runs other workers than its own */
    bool fresh_first; /* start new blocks before going on with old ones */
    u64 last;         /* the number of the block that was taken up last */
    unsigned moves;   /* grid.moves when it last looked */
    unsigned turns;   /* since it last looked at the time */
    double since;     /* when it began to count polling */
    double polling;   /* how much of the time since then went into it, about */
    double sleep;     /* the length of the next sleep */
    double woken;     /* when it last woke */
};

/* ---- help ---- */

static bool may_loop(const struct ir_func *f)
{
    bool any = f->has_calls;
    for (u32 k = 0; k < f->nblocks && !any; k++)
        any = f->blocks[k].loop_depth > 0;
    return any;
}

/* How long the grid may take on one thread, ns. */
static u64 expected_ns(const struct grid *g)
{
    const struct ir_func *f = g->kernel->ir;
    const u64 known = atomic_load_explicit(&g->kernel->warp_ns[g->mode], memory_order_relaxed);
    u64 of_warp = known, all;
    if (!known && may_loop(f))
        return UINT64_MAX;
    if (!known)
        of_warp = (u64)f->code[g->mode].n * (g->mode == IR_FAST ? INST_NS : INST_TRACED_NS);
    return __builtin_mul_overflow(of_warp, g->nblocks * g->nwarps, &all) ? UINT64_MAX : all;
}

/* What the launches of the kernel that follow expect. */
static void note_time(const struct grid *g)
{
    const double ns = (exec_now() - g->began) * 1e9 * g->hands / (double)(g->nblocks * g->nwarps);
    if (!g->faulted)
        atomic_store_explicit(&g->kernel->warp_ns[g->mode],
                              ns < 1     ? 1
                              : ns > 4e9 ? 4000000000u
                                         : (u32)ns,
                              memory_order_relaxed);
}

/* Offers places for all threads that are missing. */
void crew_call(struct worker *w)
{
    w->help_at = UINT64_MAX;
    pool_offer(&w->grid->help, atomic_exchange(&w->grid->missing, 0));
}

/* A hand of a grid that could use more threads, every few turns. */
static void look_at_time(struct hand *h)
{
    if (++h->turns % LOOK_TURNS == 0 && exec_now() - h->grid->began > LONG_SECONDS)
        crew_call(h->home);
}

/* ---- workers that nobody has begun ---- */

/* With weak memory, workers of one thread would see of each other only what has reached memory. So there each has a thread
 * of its own, unless none can be had. */
static bool may_adopt(const struct hand *h) { return !h->home->weak || exec_now() - h->grid->began > WEAK_SECONDS; }

/* The hand's blocks wait, and there are workers that nobody has begun: what they wait for may be theirs. */
static void adopt(struct hand *h)
{
    struct grid *g = h->grid;
    pthread_mutex_lock(&g->lock);
    for (unsigned k = atomic_load(&g->next); k < g->nworkers; k++)
        g->workers[k].driver = h->home->index;
    atomic_store(&g->next, g->nworkers);
    atomic_fetch_add(&g->moves, 1);
    pthread_mutex_unlock(&g->lock);
}

/* ---- threads that run each other's workers ---- */

static void count_anew(struct hand *h)
{
    h->since = exec_now();
    h->polling = 0;
}

static void give_back(struct worker *w)
{
    w->wanted = false;
    w->driver = w->index;
    atomic_fetch_add(&w->grid->moves, 1);
    pthread_cond_signal(&w->wake);
}

/* Under the lock: of the thread's workers the one that goes on: with its lowest block to start or to take up, whichever
 * comes next of all workers' in the order of their numbers. NULL: none has any. */
static struct worker *choose(const struct hand *h, bool *fresh)
{
    struct worker *first = NULL, *next = NULL;
    u64 lowest = UINT64_MAX, nearest = 0;
    for (unsigned k = 0; k < h->grid->nworkers; k++) {
        struct worker *w = &h->grid->workers[k];
        if (w->driver != h->home->index || w->done)
            continue;
        const u64 number = w->nlive < w->nlive_most ? worker_next(w) : UINT64_MAX;
        const struct block *b = worker_waiting(w);
        const u64 ahead = b ? b->info.linear - h->last - 1 : 0; /* those behind are farthest: it wraps */
        first = number < lowest ? w : first;
        lowest = number < lowest ? number : lowest;
        if (b && (!next || ahead < nearest)) { /* the last one itself, if it is alone */
            next = w;
            nearest = ahead;
        }
    }
    *fresh = first && (h->fresh_first || !next);
    return *fresh ? first : next;
}

/* Looks at what other threads did to this thread's workers, and chooses which of them runs next. */
static struct worker *look_round(struct hand *h, bool *fresh)
{
    struct grid *g = h->grid;
    pthread_mutex_lock(&g->lock);
    h->guests = false;
    for (unsigned k = 0; k < g->nworkers; k++)
        h->guests |= g->workers[k].driver == h->home->index && &g->workers[k] != h->home && !g->workers[k].done;
    const unsigned moves = atomic_load(&g->moves);
    if (moves != h->moves)
        count_anew(h);
    h->moves = moves;
    struct worker *w = choose(h, fresh);
    if (w) {
        w->running = true;
        h->last = *fresh ? h->last : worker_waiting(w)->info.linear;
    }
    pthread_mutex_unlock(&g->lock);
    return w;
}

static void let_go(struct worker *w)
{
    pthread_mutex_lock(&w->grid->lock);
    w->running = false;
    if (w->wanted)
        give_back(w);
    pthread_mutex_unlock(&w->grid->lock);
}

/* Under the lock, by the thread of `home`, whose worker another one may run: waits until it has it back, or it is done. */
static void sleep_until_back(struct worker *home, double seconds)
{
    struct grid *g = home->grid;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    u64 ns = (u64)until.tv_nsec + (u64)(seconds * 1e9);
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    while (home->driver != home->index && !home->done && !atomic_load(&g->stop)) {
        if (pthread_cond_timedwait(&home->wake, &g->lock, &until) != ETIMEDOUT)
            continue;
        if (!home->running && home->driver != home->index)
            give_back(home);
        home->wanted = home->driver != home->index;
        until.tv_sec++; /* the thread that runs it gives it back and signals */
    }
    home->wanted = false;
}

/* Lends the thread's workers to another thread, if there is one awake, and sleeps. */
static void lend(struct hand *h)
{
    struct grid *g = h->grid;
    struct worker *to = NULL;
    pthread_mutex_lock(&g->lock);
    for (unsigned k = 0; k < g->nworkers && !to; k++)
        if (g->workers[k].awake && &g->workers[k] != h->home)
            to = &g->workers[k];
    if (to) {
        for (unsigned k = 0; k < g->nworkers; k++)
            if (g->workers[k].driver == h->home->index)
                g->workers[k].driver = to->index;
        atomic_fetch_add(&g->moves, 1);
        h->home->awake = false;
        atomic_fetch_sub(&g->awake, 1);
        const double now = exec_now();
        h->sleep = now - h->woken > WELL ? SLEEP_FIRST : h->sleep * 2 < SLEEP_MOST ? h->sleep * 2 : SLEEP_MOST;
        sleep_until_back(h->home, h->sleep);
        h->home->awake = true;
        atomic_fetch_add(&g->awake, 1);
        h->woken = exec_now();
    }
    count_anew(h);
    pthread_mutex_unlock(&g->lock);
}

/* A block has been put aside: the thread may lend its workers. Not with weak memory: there the stores of blocks that
 * have ended reach memory while their worker runs, or when its thread ends. */
static void judge(struct hand *h)
{
    if (h->home->weak)
        return;
    if (h->polling < POLL_LEAST || atomic_load_explicit(&h->grid->awake, memory_order_relaxed) == 1)
        return;
    const double all = exec_now() - h->since;
    if (h->polling > all * POLL_SHARE)
        lend(h);
    else if (all > POLL_WINDOW)
        count_anew(h);
}

/* ---- homes ---- */

/* Under the lock: a worker that nobody has begun, or NULL. It may inherit of one that is done. */
static struct worker *next_worker(struct grid *g, struct worker *before)
{
    const unsigned next = atomic_load_explicit(&g->next, memory_order_relaxed);
    if (next == g->nworkers)
        return NULL;
    struct worker *w = &g->workers[next];
    atomic_store_explicit(&g->next, next + 1, memory_order_relaxed);
    w->driver = next;
    w->heir_of = before && !before->weak && g->mode != IR_TIMED ? before : NULL;
    w->help_at = atomic_load_explicit(&g->missing, memory_order_relaxed) ? LONG_INSTRUCTIONS : UINT64_MAX;
    return w;
}

/* Under the lock: one that another hand runs as a guest and that no thread will come back to, or NULL. */
static struct worker *adopted_worker(struct grid *g)
{
    struct worker *w = g->workers;
    while (w < g->workers + g->nworkers && (w->has_home || w->done))
        w++;
    return w < g->workers + g->nworkers ? w : NULL;
}

/* Under the lock: finds a home for a thread that has none, or whose home is done. False: there is none to be had. */
static bool settle(struct hand *h)
{
    struct grid *g = h->grid;
    struct worker *before = h->home, *w = next_worker(g, before);
    if (!w)
        w = adopted_worker(g);
    if (!w)
        return false;
    if (before) {
        before->awake = false;
        atomic_fetch_sub(&g->awake, 1);
    }
    w->has_home = true;
    h->home = w;
    if (w->driver != w->index)
        sleep_until_back(w, 0); /* until the turn is over that it has now */
    w->awake = true;
    atomic_fetch_add(&g->awake, 1);
    return true;
}

static bool is_done(const struct worker *w) { return !w->live && worker_next(w) == UINT64_MAX; }

/* Under the lock: notes which of the thread's workers are done. True: some are not, another thread has lent them. */
static bool note_done(struct hand *h)
{
    struct grid *g = h->grid;
    bool more = false;
    if (!atomic_load(&g->moves)) { /* each hand has run its own home only */
        h->home->done = is_done(h->home);
        return !h->home->done;
    }
    for (unsigned k = 0; k < g->nworkers; k++) {
        struct worker *w = &g->workers[k];
        if (w->driver == h->home->index)
            w->done = is_done(w);
        more |= w->driver == h->home->index && !w->done;
        pthread_cond_signal(&w->wake);
    }
    return more;
}

/* All blocks of the thread's workers have ended, or the grid stops. True: it has more now. */
static bool go_on(struct hand *h)
{
    struct grid *g = h->grid;
    pthread_mutex_lock(&g->lock);
    bool more = note_done(h);
    const bool stop = atomic_load(&g->stop);
    if (!stop && !more)
        more = settle(h);
    if (stop || !more) {
        h->home->awake = false;
        atomic_fetch_sub(&g->awake, 1);
    }
    pthread_mutex_unlock(&g->lock);
    return !stop && more;
}

/* ---- turns ---- */

static bool stopped(const struct hand *h) { return atomic_load_explicit(&h->grid->stop, memory_order_relaxed); }

/* Other workers than its own are the thread's, or have been: it must ask. */
static bool shared(const struct hand *h)
{
    return h->guests || atomic_load_explicit(&h->grid->moves, memory_order_relaxed) != h->moves;
}

/* What worker w polled in its turn. As long as it is the thread's. */
static void count_polling(struct hand *h, struct worker *w)
{
    h->polling += 1e-9 * (double)w->polling;
    w->polling = 0;
}

/* After a turn. */
static void take_stock(struct hand *h, enum block_end end)
{
    const bool aside = end != BLOCK_DONE && end != BLOCK_STOPPED;
    h->fresh_first = aside && !h->fresh_first;
    if (LS_UNLIKELY(atomic_load_explicit(&h->grid->missing, memory_order_relaxed)))
        look_at_time(h);
    if (!aside)
        return;
    if (atomic_load_explicit(&h->grid->next, memory_order_relaxed) < h->grid->nworkers && may_adopt(h))
        adopt(h);
    judge(h);
}

/* Turns of the thread's home, as long as it has blocks and no other thread has to do with it. False: it has none. */
static bool run_home(struct hand *h)
{
    struct worker *const w = h->home;
    if (setjmp(w->mem.oom)) {
        worker_no_memory(w);
        return true;
    }
    while (!stopped(h) && !shared(h)) {
        enum block_end end = BLOCK_DONE;
        if (!worker_step(w, h->fresh_first, &end))
            return false;
        count_polling(h, w);
        take_stock(h, end);
    }
    return true;
}

static enum block_end step_guest(struct worker *w, bool fresh)
{
    enum block_end end = BLOCK_DONE;
    if (setjmp(w->mem.oom)) {
        worker_no_memory(w);
        return BLOCK_STOPPED;
    }
    worker_step(w, fresh, &end);
    return end;
}

/* The worker's blocks have ended: what is pending of their stores reaches memory. */
static void end_weak(struct worker *w)
{
    if (w->weak && !w->weak_ended)
        weak_worker_end(w);
    w->weak_ended = true;
}

/* One turn of one of the thread's workers. False: none has a block. */
static bool run_one_of_all(struct hand *h)
{
    bool fresh;
    struct worker *w = look_round(h, &fresh);
    if (!w)
        return false;
    const enum block_end end = step_guest(w, fresh);
    if (w->weak && is_done(w))
        end_weak(w); /* at once: other workers of the thread may wait for what it stored */
    count_polling(h, w);
    let_go(w);
    take_stock(h, end);
    return true;
}

/* Runs blocks of the thread's workers, of which usually there is one, until there are none. */
static void run_blocks(struct hand *h)
{
    while (!stopped(h) && (shared(h) ? run_one_of_all(h) : run_home(h)))
        ;
}

/* ---- the launch ---- */

static void serve(struct grid *g)
{
    struct hand h = {.grid = g, .fresh_first = true, .sleep = SLEEP_FIRST};
    pthread_mutex_lock(&g->lock);
    const bool any = !atomic_load(&g->stop) && settle(&h);
    g->hands += any;
    pthread_mutex_unlock(&g->lock);
    if (!any)
        return;
    if (g->nworkers > 1) {
        count_anew(&h);
        h.woken = h.since;
    }
    do {
        run_blocks(&h);
        end_weak(h.home);
    } while (go_on(&h));
}

/* A thread of the pool. It computes as the launching thread does. */
static void help(void *grid)
{
    struct grid *g = grid;
    fesetenv(&g->floats);
    serve(g);
}

/* Threads besides this one that could run at the same time. With weak memory, what others see of a worker's stores depends
 * on the moment, so each worker is to have its own. */
static unsigned others(const struct grid *g)
{
    const unsigned n = g->nworkers < exec_processors() ? g->nworkers : exec_processors();
    return (g->launch->device->weak_memory ? g->nworkers : n) - 1;
}

/* Calls as many of them as are of help. */
static void call_first(struct grid *g)
{
    const unsigned most = others(g);
    const u64 useful = g->launch->device->weak_memory ? most : expected_ns(g) / HELP_NS;
    const unsigned called = useful < most ? (unsigned)useful : most;
    g->began = exec_now();
    g->help = (struct pool_work){.help = help, .ctx = g};
    fegetenv(&g->floats);
    atomic_store(&g->missing, most - called);
    pool_offer(&g->help, called);
}

void crew_run(struct grid *g)
{
    if (g->nworkers > 1)
        call_first(g);
    serve(g);
    pool_withdraw(&g->help);
    for (unsigned k = 0; k < g->nworkers; k++) {
        end_weak(&g->workers[k]);
        tier_end_launch(&g->workers[k]);
    }
    if (g->nworkers > 1)
        note_time(g);
}
