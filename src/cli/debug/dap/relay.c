/* relay.c - what the debugged program prints, as output events: its descriptors 1 and 2 are pipes, and so are our own, so
 * that nothing can get between the protocol's messages. A thread, as the program may print while a request is being answered. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/debug/dap/dap.h"

/* After the editor has gone, for what it has asked last to be done. */
enum { PATIENCE = 1000, READS = 64 };

struct stream {
    int from;
    const char *category;
    size_t held; /* the beginning of a character */
    char bytes[1 << 14];
};

struct relay {
    struct dap *d;
    struct stream streams[2];
    int in, wake;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    u64 wanted, done; /* flushes */
    bool end;
    atomic_int watched;
};

/* Sends what is there now, but for what has no end. */
static void drain(struct relay *r, struct stream *s)
{
    for (u32 k = 0; k < READS; k++) {
        const ssize_t n = read(s->from, s->bytes + s->held, sizeof s->bytes - s->held);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        const size_t len = s->held + (size_t)n, whole = text_whole(s->bytes, len);
        dap_output(r->d, s->category, s->bytes, whole);
        s->held = len - whole;
        memmove(s->bytes, s->bytes + whole, s->held);
    }
}

static bool woken(struct relay *r)
{
    u64 count;
    if (read(r->wake, &count, sizeof count) < 0)
        return true;
    pthread_mutex_lock(&r->lock);
    r->done = r->wanted;
    const bool go_on = !r->end;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return go_on;
}

static void kill_watched(struct relay *r)
{
    const int pid = atomic_exchange(&r->watched, 0);
    if (pid > 0)
        kill(pid, SIGKILL);
}

static void *run(void *relay)
{
    struct relay *r = relay;
    struct pollfd fds[4] = {{.fd = r->streams[0].from, .events = POLLIN},
                            {.fd = r->streams[1].from, .events = POLLIN},
                            {.fd = r->wake, .events = POLLIN},
                            {.fd = r->in, .events = 0}};
    int patience = -1; /* milliseconds */
    bool go_on = true;
    while (go_on) {
        const int n = poll(fds, 4, patience);
        if (n < 0)
            continue;
        if (n == 0) {
            kill_watched(r);
            patience = -1;
        }
        drain(r, &r->streams[0]);
        drain(r, &r->streams[1]);
        if (fds[3].revents) {
            patience = PATIENCE;
            fds[3].fd = -1;
        }
        if (fds[2].revents)
            go_on = woken(r);
    }
    return NULL;
}

/* ---- from the server's thread ---- */

static bool make_pipe(struct stream *s, int to, const char *category)
{
    int ends[2];
    if (pipe(ends))
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    s->from = ends[0];
    s->category = category;
    fcntl(s->from, F_SETFL, O_NONBLOCK);
    const bool made = dup2(ends[1], to) >= 0;
    close(ends[1]);
    return made;
}

struct relay *relay_open(struct dap *d, int in)
{
    struct relay *r = ls_calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->d = d;
    r->in = in;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    r->wake = eventfd(0, EFD_CLOEXEC);
    if (r->wake >= 0 && make_pipe(&r->streams[0], STDOUT_FILENO, "stdout") &&
        make_pipe(&r->streams[1], STDERR_FILENO, "stderr") && !pthread_create(&r->thread, NULL, run, r))
        return r;
    ls_free(r);
    return NULL;
}

void relay_watch(struct relay *r, pid_t pid) { atomic_store(&r->watched, pid); }

static void wake(struct relay *r, bool end)
{
    const u64 one = 1;
    pthread_mutex_lock(&r->lock);
    const u64 mine = ++r->wanted;
    r->end |= end;
    if (write(r->wake, &one, sizeof one) == sizeof one)
        while (!end && r->done < mine)
            pthread_cond_wait(&r->changed, &r->lock);
    pthread_mutex_unlock(&r->lock);
}

void relay_flush(struct relay *r) { wake(r, false); }

void relay_close(struct relay *r)
{
    wake(r, true);
    pthread_join(r->thread, NULL);
    close(r->streams[0].from);
    close(r->streams[1].from);
    close(r->wake);
    ls_free(r);
}
