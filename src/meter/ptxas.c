/* ptxas.c - asks an installed ptxas how many registers a kernel gets: `ptxas -v -arch=sm_90 -o /dev/null module.ptx`
 * prints "Compiling entry function 'k'" and then "Used 16 registers". For counting only; the machine code is dropped.
 *
 * Optional: LOCKSTEP_PTXAS names the program (empty or 0: never ask), else the PATH is searched. Every answer, also that
 * there is none, is kept a module text and architecture, so a module is assembled once a process. A ptxas that takes
 * longer than TIMEOUT_S is ended. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "meter/rules.h"

extern char **environ;

enum { TIMEOUT_S = 20, ANSWERS_MAX = 256, OUTPUT_MAX = 1 << 20 };

/* ---- running it ---- */

static const char *program(void)
{
    const char *p = getenv("LOCKSTEP_PTXAS");
    if (!p)
        return "ptxas";
    return *p && strcmp(p, "0") ? p : NULL;
}

/* A temporary file with that text; its descriptor, or -1. The name is unlinked by the caller. */
static int make_file(char *name, size_t room, const char *what, const char *text, size_t len)
{
    const char *dir = getenv("TMPDIR");
    const int n = snprintf(name, room, "%s/lockstep-%s-XXXXXX", dir && *dir ? dir : "/tmp", what);
    if (n < 0 || (size_t)n >= room)
        return -1;
    const int fd = mkstemp(name);
    if (fd < 0)
        return -1;
    for (size_t at = 0; at < len;) {
        const ssize_t w = write(fd, text + at, len - at);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0) {
            close(fd);
            unlink(name);
            return -1;
        }
        at += (size_t)w;
    }
    return fd;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Waits for the child, at most TIMEOUT_S; true when it ended with status 0. */
static bool await(pid_t pid)
{
    const double end = now() + TIMEOUT_S;
    const struct timespec nap = {0, 2000000};
    bool killed = false;
    for (;;) {
        int status;
        const pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid)
            return !killed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (got < 0 && errno != EINTR)
            return false;
        if (!killed && now() > end) {
            kill(pid, SIGKILL);
            killed = true;
        }
        nanosleep(&nap, NULL);
    }
}

/* Runs ptxas on the file with its messages going to fd. */
static bool run(const char *ptx_file, u32 sm, int fd)
{
    char arch[32];
    snprintf(arch, sizeof arch, "-arch=sm_%u", sm);
    char *argv[] = {(char *)program(), "-v", arch, "-o", "/dev/null", (char *)ptx_file, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions))
        return false;
    pid_t pid;
    const bool started = !posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) &&
                         !posix_spawn_file_actions_adddup2(&actions, fd, 1) &&
                         !posix_spawn_file_actions_adddup2(&actions, fd, 2) &&
                         !posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return started && await(pid);
}

/* What ptxas said about the text, ls_realloc'ed; NULL when it could not be asked. */
static char *ask(const char *ptx, size_t len, u32 sm)
{
    char ptx_file[512], out_file[512];
    const int in = make_file(ptx_file, sizeof ptx_file, "ptx", ptx, len);
    if (in < 0)
        return NULL;
    close(in);
    char *text = NULL;
    const int out = make_file(out_file, sizeof out_file, "ptxas", "", 0);
    if (out >= 0) {
        unlink(out_file);
        ssize_t n = -1;
        if (run(ptx_file, sm, out) && (text = ls_calloc(1, OUTPUT_MAX)))
            n = pread(out, text, OUTPUT_MAX - 1, 0);
        if (n < 0) {
            ls_free(text);
            text = NULL;
        }
        close(out);
    }
    unlink(ptx_file);
    return text;
}

/* ---- reading its messages ---- */

static u32 find_registers(const char *said, const char *kernel)
{
    char entry[1100];
    const int n = snprintf(entry, sizeof entry, "entry function '%s'", kernel);
    if (n < 0 || (size_t)n >= sizeof entry)
        return 0;
    const char *at = strstr(said, entry);
    const char *used = at ? strstr(at, "Used ") : NULL;
    const char *next = at ? strstr(at + n, "entry function '") : NULL;
    if (!used || (next && next < used))
        return 0;
    return (u32)strtoul(used + 5, NULL, 10);
}

/* ---- remembering ---- */

struct answer {
    u64 key;
    char *said; /* or NULL */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct answer answers[ANSWERS_MAX];
static u32 nanswers;

/* FNV-1a, 64 bits. */
static u64 key_of(const char *ptx, size_t len, u32 sm)
{
    u64 h = 0xcbf29ce484222325ull ^ sm;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (u8)ptx[i]) * 0x100000001b3ull;
    return h;
}

static const char *said_about(const char *ptx, size_t len, u32 sm)
{
    const u64 key = key_of(ptx, len, sm);
    for (u32 i = 0; i < nanswers; i++)
        if (answers[i].key == key)
            return answers[i].said;
    if (nanswers == ANSWERS_MAX)
        return NULL;
    answers[nanswers] = (struct answer){key, ask(ptx, len, sm)};
    return answers[nanswers++].said;
}

u32 ptxas_registers(const char *ptx, size_t len, u32 sm, const char *kernel)
{
    if (!program())
        return 0;
    while (len && !ptx[len - 1])
        len--;
    pthread_mutex_lock(&lock);
    const char *said = said_about(ptx, len, sm);
    const u32 registers = said ? find_registers(said, kernel) : 0;
    pthread_mutex_unlock(&lock);
    return registers;
}
