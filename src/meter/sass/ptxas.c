/* ptxas.c - asks an installed ptxas what it makes of a module: `ptxas -v -lineinfo -arch=sm_90 -o x.cubin module.ptx` prints
 * "Compiling entry function 'k'" and then "Used 16 registers", and the cubin tells what became of each line (sass.h). For
 * counting only: the machine code is read, never run.
 *
 * Optional: the caller names the program, or none. Every answer, also that there is none, is kept a module text and
 * architecture, so a module is assembled once a process. A ptxas that takes longer than TIMEOUT_S is ended. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/locked.h"
#include "meter/rules.h"

extern char **environ;

enum { TIMEOUT_S = 300, ANSWERS_MAX = 256, OUTPUT_MAX = 1 << 20 };

/* ---- running it ---- */

/* A temporary file with that text; its descriptor, or -1. The name is unlinked by the caller. */
static int make_file(const char *folder, char *name, size_t room, const char *what, const char *text, size_t len)
{
    const int n = snprintf(name, room, "%s/lockstep-%s-XXXXXX", folder, what);
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

/* Runs ptxas on the file with its messages going to fd, and the machine code to another file. */
static bool run(const char *program, const char *ptx_file, u32 sm, int fd, const char *cubin_file)
{
    char arch[32];
    snprintf(arch, sizeof arch, "-arch=sm_%u", sm);
    char *argv[] = {(char *)(uintptr_t)program,  "-v", "-lineinfo", arch, "-o", (char *)(uintptr_t)cubin_file,
                    (char *)(uintptr_t)ptx_file, NULL};
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

struct answer {
    u64 key;
    char *said; /* NULL: it could not be asked */
    struct arena mem;
    const struct sass *code; /* NULL: its output could not be read */
};

static char *read_said(int fd)
{
    char *text = ls_calloc(1, OUTPUT_MAX);
    if (text && pread(fd, text, OUTPUT_MAX - 1, 0) >= 0)
        return text;
    ls_free(text);
    return NULL;
}

/* a->mem lives as long as the process; without memory there is no answer. */
static void read_code(struct answer *a, int fd)
{
    struct stat st;
    void *cubin = fstat(fd, &st) == 0 && st.st_size > 0
                      ? mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0)
                      : MAP_FAILED;
    if (cubin == MAP_FAILED)
        return;
    if (!setjmp(a->mem.oom))
        a->code = sass_read(&a->mem, cubin, (size_t)st.st_size);
    munmap(cubin, (size_t)st.st_size);
}

static void ask(struct answer *a, const struct ptxas *with, const char *ptx, size_t len, u32 sm)
{
    char ptx_file[512], out_file[512], cubin_file[512];
    const int in = make_file(with->tmp, ptx_file, sizeof ptx_file, "ptx", ptx, len);
    const int out = in < 0 ? -1 : make_file(with->tmp, out_file, sizeof out_file, "ptxas", "", 0);
    const int cubin = out < 0 ? -1 : make_file(with->tmp, cubin_file, sizeof cubin_file, "cubin", "", 0);
    if (cubin >= 0 && run(with->program, ptx_file, sm, out, cubin_file)) {
        a->said = read_said(out);
        const int made = open(cubin_file, O_RDONLY | O_CLOEXEC); /* it may be a new file of that name */
        if (made >= 0) {
            read_code(a, made);
            close(made);
        }
    }
    if (cubin >= 0 && close(cubin) == 0)
        unlink(cubin_file);
    if (out >= 0 && close(out) == 0)
        unlink(out_file);
    if (in >= 0 && close(in) == 0)
        unlink(ptx_file);
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

/* lock held. NULL: too many modules. */
static const struct answer *answer_about(const struct ptxas *with, const char *ptx, size_t len, u32 sm)
{
    LS_LOCKED(&lock);
    while (len && !ptx[len - 1])
        len--;
    const u64 key = key_of(ptx, len, sm);
    for (u32 i = 0; i < nanswers; i++)
        if (answers[i].key == key)
            return &answers[i];
    if (nanswers == ANSWERS_MAX)
        return NULL;
    struct answer *a = &answers[nanswers++];
    *a = (struct answer){.key = key, .mem = ARENA("ptxas")};
    ask(a, with, ptx, len, sm);
    return a;
}

u32 ptxas_ask(const struct ptxas *with, const char *ptx, size_t len, u32 sm, const char *kernel,
              const struct sass_func **code)
{
    *code = NULL;
    if (!with->program)
        return 0;
    pthread_mutex_lock(&lock);
    const struct answer *a = answer_about(with, ptx, len, sm);
    const u32 registers = a && a->said ? find_registers(a->said, kernel) : 0;
    if (a && a->code)
        *code = sass_find(a->code, kernel);
    pthread_mutex_unlock(&lock);
    return registers;
}
