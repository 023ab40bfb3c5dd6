/* wire.c - see wire.h. What is no request is answered at once, by the reader. A line may have 1 MiB, and 1024 requests may
 * wait: who sends more waits. */
#include "debug/agent/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

enum { LINE_MOST = 1 << 20, WAITING_MOST = 1024 };

struct wire {
    int fd;
    void (*woken)(void);
    pthread_t reader;
    pthread_mutex_t lock, sending;
    pthread_cond_t changed;
    json_t *waiting; /* an array */
    atomic_uint nwaiting;
    atomic_bool gone;
    char *line;
    size_t len;
    bool too_long;
};

/* ---- sending ---- */

static void end(struct wire *w)
{
    atomic_store(&w->gone, true);
    shutdown(w->fd, SHUT_RDWR);
}

static void send_all(struct wire *w, const char *text, size_t n)
{
    while (n && !atomic_load(&w->gone)) {
        const ssize_t sent = send(w->fd, text, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            end(w);
            return;
        }
        text += sent;
        n -= (size_t)sent;
    }
}

void wire_send(struct wire *w, json_t *message)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    if (!text)
        return;
    const size_t n = strlen(text);
    text[n] = '\n'; /* in place of its end */
    pthread_mutex_lock(&w->sending);
    send_all(w, text, n + 1);
    pthread_mutex_unlock(&w->sending);
    free(text);
}

static void refuse(struct wire *w, const char *why)
{
    wire_send(w, json_pack("{s:n, s:b, s:s}", "id", "ok", 0, "error", why));
}

/* ---- reading ---- */

static void put(struct wire *w, json_t *request)
{
    pthread_mutex_lock(&w->lock);
    while (json_array_size(w->waiting) >= WAITING_MOST && !atomic_load(&w->gone))
        pthread_cond_wait(&w->changed, &w->lock);
    json_array_append_new(w->waiting, request);
    atomic_store(&w->nwaiting, (unsigned)json_array_size(w->waiting));
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    w->woken();
}

static void take_line(struct wire *w)
{
    json_error_t error;
    if (w->too_long) {
        refuse(w, "the line has more than 1048576 bytes");
    } else if (w->len) {
        json_t *request = json_loadb(w->line, w->len, JSON_REJECT_DUPLICATES, &error);
        if (json_is_object(request)) {
            put(w, request);
        } else {
            refuse(w, request ? "a request is an object" : error.text);
            json_decref(request);
        }
    }
    w->len = 0;
    w->too_long = false;
}

static void take_bytes(struct wire *w, const char *at, size_t n)
{
    while (n) {
        const char *stop = memchr(at, '\n', n);
        const size_t part = stop ? (size_t)(stop - at) : n;
        if (w->len + part > LINE_MOST)
            w->too_long = true;
        else
            memcpy(w->line + w->len, at, part);
        w->len += w->too_long ? 0 : part;
        if (stop)
            take_line(w);
        at += part + (stop != NULL);
        n -= part + (stop != NULL);
    }
}

static void *read_all(void *wire)
{
    struct wire *w = wire;
    char bytes[16384];
    for (;;) {
        const ssize_t n = recv(w->fd, bytes, sizeof bytes, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        take_bytes(w, bytes, (size_t)n);
    }
    pthread_mutex_lock(&w->lock);
    atomic_store(&w->gone, true);
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    w->woken();
    return NULL;
}

/* ---- requests ---- */

static json_t *first(struct wire *w)
{
    json_t *request = json_incref(json_array_get(w->waiting, 0));
    if (request)
        json_array_remove(w->waiting, 0);
    atomic_store(&w->nwaiting, (unsigned)json_array_size(w->waiting));
    pthread_cond_broadcast(&w->changed);
    return request;
}

json_t *wire_take(struct wire *w, bool wait, const volatile bool *cancel)
{
    enum { LOOK_NS = 50000000 };
    json_t *request;
    pthread_mutex_lock(&w->lock);
    while (!(request = first(w)) && wait && !atomic_load(&w->gone) &&
           !(cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED))) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&w->changed, &w->lock, &until);
    }
    pthread_mutex_unlock(&w->lock);
    return request;
}

bool wire_waiting(const struct wire *w) { return atomic_load(&w->nwaiting) || atomic_load(&w->gone); }
bool wire_gone(const struct wire *w) { return atomic_load(&w->gone); }

/* ---- opening and closing ---- */

/* What a process starts has a number of its own there, if any: it is to be a Unix socket, and is not handed on. */
static int open_number(int fd, const char **why)
{
    int domain = 0;
    socklen_t len = sizeof domain;
    *why = "that descriptor is no Unix socket";
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) != 0 || domain != AF_UNIX)
        return -1;
    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? fd : -1;
}

static int open_socket(const char *where, const char **why)
{
    char *rest;
    const long number = strtol(where, &rest, 10);
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (*where && !*rest)
        return open_number((int)number, why);
    if (strlen(where) >= sizeof at.sun_path) {
        *why = "the path is too long for a socket";
        return -1;
    }
    memcpy(at.sun_path, where, strlen(where) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    *why = strerror(errno);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The program's signals are not for this thread. */
static bool start(struct wire *w)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&w->reader, NULL, read_all, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

struct wire *wire_open(const char *where, void (*woken)(void), const char **why)
{
    const int fd = open_socket(where, why);
    struct wire *w = fd >= 0 ? ls_calloc(1, sizeof *w) : NULL;
    if (fd < 0)
        return NULL;
    *why = "no memory";
    if (!w || !(w->line = ls_realloc(NULL, LINE_MOST)) || !(w->waiting = json_array())) {
        close(fd);
        return NULL;
    }
    w->fd = fd;
    w->woken = woken;
    pthread_mutex_init(&w->lock, NULL);
    pthread_mutex_init(&w->sending, NULL);
    pthread_cond_init(&w->changed, NULL);
    if (start(w))
        return w;
    *why = "no thread";
    close(fd);
    return NULL;
}

void wire_close(struct wire *w) { end(w); }

void wire_free(struct wire *w)
{
    end(w);
    pthread_join(w->reader, NULL);
    close(w->fd);
    json_decref(w->waiting);
    pthread_mutex_destroy(&w->lock);
    pthread_mutex_destroy(&w->sending);
    pthread_cond_destroy(&w->changed);
    ls_free(w->line);
    ls_free(w);
}

void wire_forked(struct wire *w)
{
    atomic_store(&w->gone, true);
    close(w->fd);
}
