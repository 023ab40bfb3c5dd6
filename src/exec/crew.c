/* crew.c - the workers of a grid: who runs which blocks, in which order, on which thread.
 *
 * Block b goes to SM b mod n and worker (SM mod workers), so what a block sees does not depend on timing. A worker runs
 * its blocks in launch order, one at a time. A block that only spins is put aside and another one started, up to what
 * the device could hold, so blocks may wait for later ones (grid barriers) as well as for earlier ones (look-back). As
 * each of those put aside polls in vain in its turn, there are to be few: more are started only when all of them do.
 *
 * A worker is what its blocks need of memory, counters and caches; a thread runs it. Each worker has a thread of its
 * own, its *home*. Where blocks wait for blocks of other workers, several threads can be slower than one: each polls
 * for what the others are about to do, on processors that these could use. So a thread that finds that it mostly polls
 * lends its workers to another thread and sleeps. That one runs the blocks of all its workers in the order of their
 * numbers, as if they were one worker's. After a while the sleeper takes its worker back and tries again, each time
 * later if that was too early.
 *
 * So two workers are about as fast as one where blocks only take turns, and faster where they have work besides. */
#include <errno.h>
#include <time.h>

#include "exec/sched.h"
#include "exec/sync/weak.h"

/* A thread lends its workers when so many seconds, and such a part of its time, went into polling. */
#define POLL_LEAST 200e-6
#define POLL_SHARE 0.4
/* How far back that part is looked at, about. */
#define POLL_WINDOW 5e-3
/* How long it sleeps then: at first, and at most. A thread that ran well for as long as WELL before begins anew. */
#define SLEEP_FIRST 4e-3
#define SLEEP_MOST 64e-3
#define WELL 20e-3

/* So many blocks of a worker may be put aside before no more are started, at first. */
enum { LIVE_LEAST = 8 };

/* A thread, and the workers that it runs. */
struct hand {
    struct grid *grid;
    struct worker *home;
    bool guests;      /* it runs other workers than its own */
    bool fresh_first; /* start new blocks before going on with old ones */
    u64 last;         /* the number of the block that was taken up last */
    unsigned moves;   /* grid.moves when it last looked */
    double since;     /* when it began to count polling */
    double polling;   /* how much of the time since then went into it, about */
    double sleep;     /* the length of the next sleep */
    double woken;     /* when it last woke */
};

/* A worker's own tables for a function that it runs for the first time. */
void worker_knows(struct worker *w, const struct exec_func *f)
{
    if (!w->sites[f->number])
        w->sites[f->number] = arena_array(&w->mem, struct site_cache, f->src->ninsts + 1);
}

/* ---- a worker's blocks ---- */

/* The linear number of a worker's n-th block, or UINT64_MAX past the last. */
static u64 block_number(const struct worker *w, u64 n)
{
    const struct grid *g = w->grid;
    u32 sms = g->launch->device->gpu.sms;
    u64 mine = (sms - w->index + g->nworkers - 1) / g->nworkers; /* SMs of this worker */
    u64 sm = w->index + n % mine * g->nworkers, linear = n / mine * sms + sm;
    return linear < g->nblocks ? linear : UINT64_MAX;
}

/* The place of a worker's n-th block in the order in which it takes them up: n, or with a seed shuffled by hands. A
 * hand is no more than may be under way at once, so that a block which waits for an earlier one finds it started. */
static u64 dealt(struct worker *w, u64 n)
{
    const u64 most = w->grid->resident < LS_ARRAY_LEN(w->hand) ? w->grid->resident : LS_ARRAY_LEN(w->hand);
    if (!w->grid->launch->seed)
        return n;
    if (n % most == 0) {
        u32 len = 0;
        for (; len < most && block_number(w, n + len) != UINT64_MAX; len++)
            w->hand[len] = (u8)len;
        for (u32 k = len; k > 1; k--) {
            const u32 other = (u32)(worker_random(w) % k);
            const u8 swap = w->hand[k - 1];
            w->hand[k - 1] = w->hand[other];
            w->hand[other] = swap;
        }
        if (!len)
            return n;
    }
    return block_number(w, n) == UINT64_MAX ? n : n - n % most + w->hand[n % most];
}

static struct block *start_block(struct worker *w)
{
    u64 linear = block_number(w, dealt(w, w->next));
    if (linear == UINT64_MAX)
        return NULL;
    struct block *b = w->free_blocks;
    if (b)
        w->free_blocks = b->next;
    else
        b = block_new(w);
    w->next++;
    block_begin(b, linear);
    return b;
}

/* Puts a block into the list of those put aside, by its number. A block that came from there remembers its place. */
static void put_aside(struct worker *w, struct block *b)
{
    struct block **to = b->info.linear < w->last ? &w->live : w->at;
    while (*to && (*to)->info.linear < b->info.linear)
        to = &(*to)->next;
    b->next = *to;
    *to = b;
    if (to == w->at && b->info.linear == w->last)
        w->at = &b->next;
    w->nlive++;
}

/* The block that take_up would give, or NULL. */
static const struct block *waiting(const struct worker *w) { return *w->at ? *w->at : w->live; }

/* Round and round, from the lowest number to the highest: where each block waits for the one before it, one round
 * serves them all. */
static struct block *take_up(struct worker *w)
{
    if (!*w->at)
        w->at = &w->live;
    struct block *b = *w->at;
    if (b) {
        *w->at = b->next;
        w->last = b->info.linear;
        w->nlive--;
    }
    return b;
}

/* Few blocks are put aside at first, so that a round of them is short; more when a whole round brought nothing, for
 * what all of them wait for may be a block that has not been started. */
static void note_turn(struct worker *w, enum block_end end)
{
    w->idle = end == BLOCK_IDLE || end == BLOCK_LONG ? w->idle + 1 : 0;
    if (end == BLOCK_DONE && w->nlive_most > LIVE_LEAST)
        w->nlive_most -= (w->nlive_most - LIVE_LEAST + 7) / 8;
    if (w->idle <= w->nlive)
        return;
    w->nlive_most = w->nlive_most * 2 < w->grid->resident ? w->nlive_most * 2 : w->grid->resident;
    w->idle = 0;
}

/* Starts a block of the worker or goes on with one, until it ends or waits. False: the worker has neither. */
static bool advance(struct worker *w, bool fresh_first, enum block_end *end)
{
    if (setjmp(w->mem.oom)) {
        struct exec_fault f = {.kind = FAULT_NOMEM, .kernel = w->grid->kernel->src->name};
        grid_fault(w->grid, &f);
        *end = BLOCK_STOPPED;
        return true;
    }
    struct block *b = fresh_first && w->nlive < w->nlive_most ? start_block(w) : NULL;
    if (!b)
        b = take_up(w);
    if (!b)
        b = start_block(w);
    if (!b)
        return false;
    *end = block_run(b);
    if (*end == BLOCK_DONE) {
        b->next = w->free_blocks;
        w->free_blocks = b;
        w->blocks++;
    } else {
        put_aside(w, b);
    }
    note_turn(w, *end);
    return true;
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
    u64 lowest = UINT64_MAX, nearest = UINT64_MAX;
    for (unsigned k = 0; k < h->grid->nworkers; k++) {
        struct worker *w = &h->grid->workers[k];
        if (w->driver != h->home->index || w->done)
            continue;
        const u64 number = w->nlive < w->nlive_most ? block_number(w, w->next) : UINT64_MAX;
        const struct block *b = waiting(w);
        const u64 ahead = b ? b->info.linear - h->last - 1 : UINT64_MAX; /* those behind are farthest: it wraps */
        first = number < lowest ? w : first;
        lowest = number < lowest ? number : lowest;
        next = ahead < nearest ? w : next;
        nearest = ahead < nearest ? ahead : nearest;
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
        h->last = *fresh ? h->last : waiting(w)->info.linear;
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

/* Under the lock, by the thread of `home`, whose worker another one runs: waits until it has it back, or it is done. */
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

/* All blocks of the thread's workers have ended, or the grid stops. True: another thread has lent it more meanwhile. */
static bool go_on(struct hand *h)
{
    struct grid *g = h->grid;
    const bool stop = atomic_load(&g->stop);
    bool more = false;
    pthread_mutex_lock(&g->lock);
    for (unsigned k = 0; k < g->nworkers; k++) {
        struct worker *w = &g->workers[k];
        if (w->driver == h->home->index)
            w->done = !w->live && block_number(w, w->next) == UINT64_MAX;
        more |= w->driver == h->home->index && !w->done;
        pthread_cond_signal(&w->wake);
    }
    if (stop || !more) {
        h->home->awake = false;
        atomic_fetch_sub(&g->awake, 1);
    }
    pthread_mutex_unlock(&g->lock);
    return !stop && more;
}

/* One turn of one of the thread's blocks. False: there is none. */
static bool turn(struct hand *h)
{
    bool fresh = h->fresh_first;
    enum block_end end = BLOCK_DONE;
    struct worker *w = h->home;
    const bool shared = h->guests || atomic_load_explicit(&h->grid->moves, memory_order_relaxed) != h->moves;
    if (shared)
        w = look_round(h, &fresh);
    const bool any = w && advance(w, fresh, &end);
    if (w) {
        h->polling += 1e-9 * (double)w->polling;
        w->polling = 0;
    }
    if (shared && w)
        let_go(w);
    const bool aside = end != BLOCK_DONE && end != BLOCK_STOPPED;
    h->fresh_first = aside && !h->fresh_first;
    if (aside)
        judge(h);
    return any;
}

/* Runs blocks of the thread's workers, of which usually there is one, until there are none. */
static void run_blocks(struct hand *h)
{
    do {
        while (!atomic_load_explicit(&h->grid->stop, memory_order_relaxed) && turn(h))
            ;
    } while (go_on(h));
}

/* ---- the launch ---- */

/* By the thread that will run the worker, so that its memory is near it. False after a fault, which stops the grid. */
static bool prepare(struct worker *w)
{
    struct exec_module *m = w->grid->module;
    if (setjmp(w->mem.oom)) {
        struct exec_fault f = {.kind = FAULT_NOMEM, .kernel = w->grid->kernel->src->name};
        grid_fault(w->grid, &f);
        return false;
    }
    w->at = &w->live;
    w->nlive_most = w->grid->resident < LIVE_LEAST ? w->grid->resident : LIVE_LEAST;
    w->sites = arena_array(&w->mem, struct site_cache *, m->nfuncs);
    w->free_frames = arena_array(&w->mem, struct frame *, m->nfuncs);
    worker_knows(w, w->grid->kernel);
    if (w->grid->launch->device->weak_memory)
        weak_worker_begin(w);
    return true;
}

static void *thread_main(void *arg)
{
    struct worker *w = arg;
    struct hand h = {.grid = w->grid, .home = w, .fresh_first = true, .sleep = SLEEP_FIRST};
    if (w->grid->nworkers > 1) {
        count_anew(&h);
        h.woken = exec_now();
    }
    if (prepare(w))
        run_blocks(&h);
    if (w->weak)
        weak_worker_end(w);
    return NULL;
}

void crew_run(struct grid *g)
{
    unsigned started = 1;
    pthread_mutex_lock(&g->lock);
    for (; started < g->nworkers; started++)
        if (pthread_create(&g->workers[started].thread, NULL, thread_main, &g->workers[started]))
            break;
    for (unsigned k = started; k < g->nworkers; k++) { /* no thread to be had: this one runs its blocks */
        g->workers[k].driver = 0;
        g->workers[k].awake = false;
        atomic_fetch_sub(&g->awake, 1);
        atomic_fetch_add(&g->moves, 1);
    }
    pthread_mutex_unlock(&g->lock);
    for (unsigned k = started; k < g->nworkers; k++)
        prepare(&g->workers[k]);
    thread_main(&g->workers[0]);
    for (unsigned k = 1; k < started; k++)
        pthread_join(g->workers[k].thread, NULL);
    for (unsigned k = started; k < g->nworkers; k++)
        if (g->workers[k].weak)
            weak_worker_end(&g->workers[k]);
}
