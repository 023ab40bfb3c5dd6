/* child.c - temporary files and programs for ptxas.c and disassemble.c. */
#include "meter/sass/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { TIMEOUT_S = 300 };

int child_file(const char *folder, char *name, size_t room, const char *what, const char *text, size_t len)
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

bool child_run(const char *const *argv, int out, int err)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions))
        return false;
    pid_t pid;
    const bool started = !posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) &&
                         !posix_spawn_file_actions_adddup2(&actions, out, 1) &&
                         !posix_spawn_file_actions_adddup2(&actions, err, 2) &&
                         !posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return started && await(pid);
}
