/* host_pages.c - racecheck of the program's own loads and stores: while the host has not waited for an operation, the
 * pages of managed and pinned memory that it touched are taken from the program, which then faults on them.
 *
 *     a call of the program's begins     all pages are given back, and faults since are judged and reported
 *     a call of the program's ends       wait until the streams have nothing to do, then take the pages of operations
 *                                        that are done, but that the program cannot know to be done
 *     a fault on such a page             the page is given back, and address and backtrace are kept
 *
 * So pages are taken only while no thread is in a call and no stream does anything: nothing in here is hindered by
 * them. host_touch.c says which pages they are, and whether a fault was a race. An access to other bytes of such
 * a page is none; it costs a fault.
 *
 * Limits. What does not end within PATIENCE (a kernel that waits for the host to write something) is left alone, and
 * after some of these nobody waits any more. Several threads: what one does while another is in a call is not seen. A
 * system call on such a page fails with EFAULT instead; a thread that blocks SIGSEGV is killed: both on a race only, as
 * a page is taken only if an operation touched nearly all of it. When the program installs a handler of SIGSEGV behind
 * ours, nothing is taken any more. x86-64 and Linux alone: elsewhere, and under the thread sanitizer, nothing is ever
 * taken. */
#include "check/core/host/host.h"

#if defined(__SANITIZE_THREAD__) || !defined(__x86_64__) || !defined(__linux__)
#define CAN_TAKE 0
#else
#define CAN_TAKE 1
#endif

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <xxhash.h>

#include "check/racecheck/host_touch.h"

static bool on;                      /* pages can be taken on this machine */
static _Thread_local unsigned depth; /* calls within calls */

enum { PATIENCE_MS = 2000, TIMEOUTS = 3, PIECES = 1024, FAULTS = 64, SINGLE_PAGES = 256, PLACES = 128 };

enum fault_state { FAULT_UNUSED, FAULT_BUSY, FAULT_READY };
struct fault {
    atomic_int state;
    u64 address, pc;
    bool write;
    int nframes;
    void *frames[HOST_FRAMES + 8];
};

static struct {
    pthread_mutex_t lock;
    atomic_uint inside; /* threads in calls; changes with the lock */
    bool installed;
    atomic_bool stopped;
    atomic_bool impatient; /* what runs now was waited for long enough */
    atomic_uint timeouts;
    struct sigaction before;
    u64 base, size;      /* of all memory that this is about: else accessible, all of it */
    _Atomic(u64) lo, hi; /* what is taken lies in there; empty: nothing is */
    atomic_uint given;   /* pages, one by one, since */
    struct fault faults[FAULTS];
    u64 reported[PLACES]; /* places of the program's, hashed */
    unsigned nreported;
} host = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void give(u64 lo, u64 hi)
{
    if (lo < hi)
        mprotect((void *)(uintptr_t)lo, hi - lo, PROT_READ | PROT_WRITE);
}

/* ---- in the handler ---- */

static struct fault *free_fault(void)
{
    for (unsigned k = 0; k < FAULTS; k++) {
        int expected = FAULT_UNUSED;
        if (atomic_compare_exchange_strong(&host.faults[k].state, &expected, FAULT_BUSY))
            return &host.faults[k];
    }
    return NULL;
}

static void keep(u64 address, const ucontext_t *u)
{
    struct fault *f = free_fault();
    if (!f)
        return;
    f->address = address;
    f->pc = 0;
    f->write = false;
#if CAN_TAKE
    f->pc = (u64)u->uc_mcontext.gregs[REG_RIP];
    f->write = u->uc_mcontext.gregs[REG_ERR] & 2;
#else
    (void)u;
#endif
    f->nframes = backtrace(f->frames, LS_ARRAY_LEN(f->frames));
    atomic_store(&f->state, FAULT_READY);
}

/* A fault that is not ours goes to the handler that was installed before; without one the process ends as it would have. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *b = &host.before;
    if (b->sa_flags & SA_SIGINFO)
        b->sa_sigaction(number, info, context);
    else if (b->sa_handler != SIG_DFL && b->sa_handler != SIG_IGN)
        b->sa_handler(number);
    else if (info->si_code > 0 || b->sa_handler == SIG_DFL) { /* a fault cannot be ignored */
        const struct sigaction usual = {.sa_handler = SIG_DFL};
        sigaction(SIGSEGV, &usual, NULL);
        if (info->si_code <= 0) /* sent: it does not come again by itself */
            raise(SIGSEGV);
    }
}

/* All of the range is accessible but for what is taken, so each such fault in it is ours, also when the page was given
 * back meanwhile. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    const int saved = errno;
    const u64 address = (u64)(uintptr_t)info->si_addr, page = address & ~(u64)(HOST_PAGE - 1);
    if (info->si_code != SEGV_ACCERR || address - host.base >= host.size) {
        pass_on(number, info, context);
        return;
    }
    if (address - atomic_load(&host.lo) < atomic_load(&host.hi) - atomic_load(&host.lo))
        keep(address, context);
    if (atomic_fetch_add(&host.given, 1) < SINGLE_PAGES)
        give(page, page + HOST_PAGE);
    else
        give(host.base & ~(u64)(HOST_PAGE - 1), (host.base + host.size) & ~(u64)(HOST_PAGE - 1));
    errno = saved;
}

/* Lock held. Whether the handler is ours; the first time it is made so. */
static bool have_handler(void)
{
    struct sigaction now, ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    if (!host.installed) {
        host.installed = sigaction(SIGSEGV, &ours, &host.before) == 0;
        return host.installed;
    }
    return sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault;
}

/* ---- giving back, and what was found ---- */

/* Lock held. */
static void give_all(void)
{
    give(host.lo, host.hi);
    atomic_store(&host.lo, 0);
    atomic_store(&host.hi, 0);
    atomic_store(&host.given, 0);
}

/* The frames from the instruction on; the handler's are in front of it. Frames are return addresses. */
static struct host_call place_of(const struct fault *f)
{
    struct host_call at = {.nframes = 0};
    int first = 0;
    while (first < f->nframes && (u64)(uintptr_t)f->frames[first] != f->pc)
        first++;
    at.frames[at.nframes++] = f->pc + 1;
    for (int k = first + 1; k < f->nframes && at.nframes < HOST_FRAMES; k++)
        at.frames[at.nframes++] = (u64)(uintptr_t)f->frames[k];
    return at;
}

static const void *module_of(u64 code)
{
    Dl_info info;
    return dladdr((const void *)(uintptr_t)code, &info) ? info.dli_fbase : NULL;
}

/* A call of memcpy (of the C library) is one place, of whose instructions several may fault. */
static u64 hash_of(const struct host_call *at)
{
    enum { FRAMES = 6 };
    const u32 n = at->nframes < FRAMES ? at->nframes : FRAMES;
    const void *libc = module_of((u64)(uintptr_t)abort);
    const u32 first = n > 1 && module_of(at->frames[0]) == libc && module_of(at->frames[1]) != libc;
    return XXH3_64bits(at->frames + first, (n - first) * sizeof *at->frames);
}

/* Whether the place was not there yet and there is room for it. */
static bool is_new(u64 place)
{
    bool is = true;
    pthread_mutex_lock(&host.lock);
    for (unsigned k = 0; k < host.nreported; k++)
        is &= host.reported[k] != place;
    pthread_mutex_unlock(&host.lock);
    return is && host.nreported < PLACES;
}

static void note(u64 place)
{
    pthread_mutex_lock(&host.lock);
    if (host.nreported < PLACES)
        host.reported[host.nreported++] = place;
    pthread_mutex_unlock(&host.lock);
}

/* Without the lock: to write a finding the loader's is needed, and who holds that may be about to enter here. The host
 * has not waited for anything since the fault, as far as this thread is concerned. */
static void judge(void)
{
    for (unsigned k = 0; k < FAULTS; k++) {
        struct fault *f = &host.faults[k];
        int expected = FAULT_READY;
        if (!atomic_compare_exchange_strong(&f->state, &expected, FAULT_BUSY))
            continue;
        const struct host_call at = place_of(f);
        const u64 place = hash_of(&at);
        if (is_new(place) && host_touch_report(checked, f->address, f->write, &at))
            note(place);
        atomic_store(&f->state, FAULT_UNUSED);
    }
}

/* ---- taking ---- */

static bool take(const struct host_pages *p)
{
    const u64 lo = atomic_load(&host.lo), hi = atomic_load(&host.hi);
    atomic_store(&host.lo, hi && lo < p->lo ? lo : p->lo);
    atomic_store(&host.hi, hi > p->hi ? hi : p->hi);
    return mprotect((void *)(uintptr_t)p->lo, p->hi - p->lo, p->wrote ? PROT_NONE : PROT_READ) == 0;
}

/* Lock held. */
static void take_all(void)
{
    static struct host_pages pieces[PIECES];
    const u32 n = host_touch_pages(checked, pieces, PIECES);
    if (n && !have_handler())
        host.stopped = true;
    for (u32 k = 0; k < n && !host.stopped; k++)
        host.stopped = !take(&pieces[k]);
    if (host.stopped)
        give_all();
}

static u64 now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

/* Whether the streams have nothing to do, now or soon. A thread of a stream does not wait for itself, and one of
 * several that are in calls leaves it to the last. */
static bool wait_idle(void)
{
    const struct timespec pause = {0, 50000};
    const u64 until = now_ms() + PATIENCE_MS;
    bool idle = check_idle(), late = queue_doing || host.impatient || host.timeouts >= TIMEOUTS;
    while (!idle && !late && host.inside == 1) {
        nanosleep(&pause, NULL);
        idle = check_idle();
        late = now_ms() >= until;
        if (!idle && late)
            host.timeouts++;
        host.impatient = !idle && late;
    }
    if (idle)
        host.impatient = false;
    return idle;
}

/* ---- calls ---- */

static void start(void)
{
    if (!CAN_TAKE || sysconf(_SC_PAGESIZE) != HOST_PAGE)
        return;
    mem_extent(drv.mem, &host.base, &host.size);
    drv.host_align = HOST_PAGE;
    on = true;
}

static void stop(void)
{
    if (!on)
        return;
    pthread_mutex_lock(&host.lock);
    give_all();
    host.stopped = true;
    pthread_mutex_unlock(&host.lock);
    judge();
}

static void on_process(enum driver_moment moment)
{
    if (moment == PROCESS_START)
        start();
    else if (moment == PROCESS_MAIN_ENDED)
        stop();
}

/* The outermost call of this thread begins, and ends. */
static void on_call_begin(const struct driver_call *c)
{
    (void)c;
    if (depth++ || !on || atomic_load(&drv.forked))
        return;
    pthread_mutex_lock(&host.lock);
    host.inside++;
    give_all();
    pthread_mutex_unlock(&host.lock);
    judge();
}

static void on_call_end(const struct driver_call *c)
{
    (void)c;
    if (--depth || !on || atomic_load(&drv.forked))
        return;
    const bool wanted = !host.stopped && host_touch_any(checked);
    const bool idle = wanted && wait_idle();
    pthread_mutex_lock(&host.lock);
    host.inside--;
    if (idle && !host.inside && !host.stopped && check_idle())
        take_all();
    pthread_mutex_unlock(&host.lock);
}

const struct driver_observer observer_racecheck = {
    .process = on_process, .call_begin = on_call_begin, .call_end = on_call_end};
