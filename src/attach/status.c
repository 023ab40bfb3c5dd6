/* status.c - see status.h.
 *
 *     matmul(const float *, float *): 1,920 of 65,536 blocks, 12 s, about 6 min left
 *
 * A thread looks at the engine a few times a second and draws the line anew; it is erased when the kernel ends, before
 * anything else is printed. */
#include "attach/status.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "attach/attach.h"
#include "base/kernel_name.h"
#include "exec/progress.h"

enum { LOOK_MS = 250, COLUMNS = 80, LONGEST = 512 };

static struct {
    double after;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* of what is below, and of the terminal */
    pthread_cond_t ends;
    bool ending, drawn;
} status = {.lock = PTHREAD_MUTEX_INITIALIZER, .ends = PTHREAD_COND_INITIALIZER};

static unsigned columns(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : COLUMNS;
}

/* 1234567 as "1,234,567". */
static const char *grouped(u64 n, char out[static 32])
{
    char digits[24];
    const int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    char *to = out;
    for (int k = 0; k < len; k++) {
        if (k && (len - k) % 3 == 0)
            *to++ = ',';
        *to++ = digits[k];
    }
    *to = '\0';
    return out;
}

static const char *duration(double seconds, char out[static 32])
{
    if (seconds < 100)
        snprintf(out, 32, "%.0f s", seconds);
    else if (seconds < 100 * 60)
        snprintf(out, 32, "%.0f min", seconds / 60);
    else
        snprintf(out, 32, "%.1f h", seconds / 3600);
    return out;
}

/* What stands behind the name. */
static void describe(const struct exec_progress *p, char *out, size_t size)
{
    char done[32], all[32], since[32], left[32];
    int n = snprintf(out, size, ": %s of %s block%s, %s", grouped(p->done, done), grouped(p->blocks, all),
                     p->blocks == 1 ? "" : "s", duration(p->seconds, since));
    if (p->done && p->done < p->blocks)
        n += snprintf(out + n, size - (size_t)n, ", about %s left",
                      duration(p->seconds / (double)p->done * (double)(p->blocks - p->done), left));
    if (p->others)
        snprintf(out + n, size - (size_t)n, ", %u more at work", p->others);
}

/* The name, cut so that the line fits, and the rest. */
static void draw(const struct exec_progress *p)
{
    char rest[256], name[LONGEST];
    describe(p, rest, sizeof rest);
    kernel_name(p->kernel, KERNEL_DEMANGLED, name, sizeof name);
    const size_t width = columns() - 1, taken = strlen(rest), most = width > taken ? width - taken : 0;
    if (strlen(name) > most && most > 3 && most < sizeof name)
        memcpy(name + most - 3, "...", 4);
    fprintf(stderr, "\r\033[K%.*s%.*s", (int)most, name, (int)width, rest);
    fflush(stderr);
}

static void erase(void)
{
    pthread_mutex_lock(&status.lock);
    if (status.drawn)
        fputs("\r\033[K", stderr);
    status.drawn = false;
    pthread_mutex_unlock(&status.lock);
}

/* Waits until it is time to look again; false: the library ends. status.lock held. */
static bool wait_turn(void)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += LOOK_MS * 1000000L;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    while (!status.ending && pthread_cond_timedwait(&status.ends, &status.lock, &at) != ETIMEDOUT)
        ;
    return !status.ending;
}

static void *look(void *unused)
{
    (void)unused;
    struct exec_progress p;
    pthread_mutex_lock(&status.lock);
    while (wait_turn())
        if (exec_progress_longest(&p) && p.seconds >= status.after) {
            draw(&p);
            status.drawn = true;
        }
    pthread_mutex_unlock(&status.lock);
    return NULL;
}

/* Signals are the program's threads' to handle. */
void status_start(double after)
{
    sigset_t all, before;
    if (after <= 0 || !isatty(STDERR_FILENO))
        return;
    status.after = after;
    exec_progress_on(erase);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    status.started = pthread_create(&status.thread, NULL, look, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void status_forked(void) { status.started = false; }

void status_end(void)
{
    if (!status.started)
        return;
    pthread_mutex_lock(&status.lock);
    status.ending = true;
    pthread_cond_signal(&status.ends);
    pthread_mutex_unlock(&status.lock);
    pthread_join(status.thread, NULL);
    erase();
}
