/* program.c - starting a program with Lockstep's libraries in front of it. */
#include "cli/program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/settings.h"
#include "cli/cli.h"

enum { NOT_RUNNABLE = 126, NOT_FOUND = 127 };

/* ---- the environment ---- */

/* The command's own folder. */
static bool own_folder(char out[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
    out[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(out, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* ../lib from there. */
static bool library_folder(char out[PATH_MAX])
{
    char self[PATH_MAX], lib[PATH_MAX + 8];
    if (!own_folder(self))
        return false;
    snprintf(lib, sizeof lib, "%s/../lib", self);
    return realpath(lib, out) != NULL;
}

/* The programs that stand in for NVIDIA's, for those that start them: nvidia-smi by its name, ptxas by Triton's variables. */
static bool stand_ins(void)
{
    static bool done;
    char folder[PATH_MAX], ptxas[PATH_MAX + 32];
    if (done || !own_folder(folder))
        return true;
    done = true;
    snprintf(ptxas, sizeof ptxas, "%s/lockstep-ptxas", folder);
    return settings_put(OTHERS_TRITON_PTXAS_PATH, ptxas) && settings_put(OTHERS_TRITON_PTXAS_BLACKWELL_PATH, ptxas) &&
           (!settings_other(OTHERS_PATH) || settings_prepend(OTHERS_PATH, folder, ':'));
}

/* A library built with a sanitizer needs the sanitizer's own library in the program, before all others. */
static bool sanitizer(void)
{
#ifdef LS_SANITIZER_LIBRARY
    return settings_put(OTHERS_ASAN_OPTIONS, "detect_leaks=0:verify_asan_link_order=0:use_sigaltstack=0") &&
           settings_prepend(OTHERS_LD_PRELOAD, LS_SANITIZER_LIBRARY, ':');
#else
    return true;
#endif
}

enum ls_status program_environment(const struct program_facts *f, struct diag_list *diags)
{
    static const char *const libraries[] = {"libcudart.so.12", "libcudart.so.13", "libcuda.so.1"};
    const struct diag_place nowhere = {0};
    char folder[PATH_MAX], path[PATH_MAX + 32];
    if (!library_folder(folder)) {
        diag_add(diags, DIAG_ERROR, nowhere, "Lockstep's libraries are not beside the command (../lib)");
        return LS_ERR_NOT_FOUND;
    }
    for (u32 i = 0; i < LS_ARRAY_LEN(libraries); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, libraries[i]);
        if (access(path, R_OK) && i > 0) { /* CUDA 12's is for programs of that time only */
            diag_add(diags, DIAG_ERROR, nowhere, "%s is missing", path);
            return LS_ERR_NOT_FOUND;
        }
        if (f->rpath && !settings_prepend(OTHERS_LD_PRELOAD, path, ':'))
            return LS_ERR_NOMEM;
    }
    return sanitizer() && stand_ins() && settings_prepend(OTHERS_LD_LIBRARY_PATH, folder, ':') ? LS_OK : LS_ERR_NOMEM;
}

int program_ready(const char *name, bool unchecked, struct program_facts *f)
{
    struct diag_list diags;
    diag_init(&diags);
    enum ls_status status =
        stand_ins() ? program_look(name, f, &diags) : LS_ERR_NOMEM; /* the program may be one of them */
    const int refused = status == LS_ERR_NOT_FOUND ? NOT_FOUND : NOT_RUNNABLE;
    if (status == LS_OK && !unchecked)
        status = program_check(f, &diags);
    if (status == LS_OK)
        status = program_environment(f, &diags);
    if (diags.errors || diags.warnings)
        cli_print_diags(&diags);
    diag_free(&diags);
    return status == LS_OK ? CLI_OK : refused;
}

/* ---- starting it ---- */

int program_exec(const struct program_facts *f, char **argv)
{
    execv(f->path, argv);
    if (errno == ENOEXEC) { /* a script without #!, as the shell takes it */
        size_t n = 0;
        while (argv[n])
            n++;
        char **with = calloc(n + 2, sizeof *with);
        if (with) {
            with[0] = (char *)"sh";
            with[1] = (char *)f->path;
            memcpy(with + 2, argv + 1, n * sizeof *with); /* its NULL too */
            execv("/bin/sh", with);
            free(with);
        }
    }
    fprintf(stderr, "lockstep: cannot run %s: %s\n", f->path, strerror(errno));
    return errno == ENOENT ? NOT_FOUND : NOT_RUNNABLE;
}

/* ---- signals, while it runs ---- */

/* What ends a program: it goes to the child, so that the child's end, and what is to be reported of it, come first. */
static const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { FORWARDED = LS_ARRAY_LEN(forwarded) };

static struct {
    volatile pid_t child; /* for the handler */
    struct sigaction before[FORWARDED];
} watched;

/* What comes from the terminal went to the child too: it is in our process group. */
static void forward(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code != SI_KERNEL)
        kill(watched.child, signal);
}

static void watch(pid_t child)
{
    struct sigaction take = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
    watched.child = child;
    for (u32 i = 0; i < FORWARDED; i++) {
        sigaction(forwarded[i], NULL, &watched.before[i]);
        if (watched.before[i].sa_handler != SIG_IGN) /* nohup, or a shell's background job: the child ignores it too */
            sigaction(forwarded[i], &take, NULL);
    }
}

static void unwatch(void)
{
    for (u32 i = 0; i < FORWARDED; i++)
        sigaction(forwarded[i], &watched.before[i], NULL);
}

int program_spawn(const struct program_facts *f, char **argv, pid_t *pid)
{
    sigset_t held, before;
    sigemptyset(&held);
    for (u32 i = 0; i < FORWARDED; i++)
        sigaddset(&held, forwarded[i]);
    fflush(NULL);
    sigprocmask(SIG_BLOCK, &held, &before); /* until the child is known */
    *pid = fork();
    if (*pid > 0)
        watch(*pid);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (*pid < 0) {
        fprintf(stderr, "lockstep: cannot start %s: %s\n", f->path, strerror(errno));
        return NOT_RUNNABLE;
    }
    if (*pid == 0)
        _exit(program_exec(f, argv));
    return CLI_OK;
}

int program_wait(pid_t pid)
{
    int status;
    pid_t got;
    while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        ;
    unwatch();
    if (got < 0)
        return NOT_RUNNABLE;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

const char *program_end_text(int status)
{
    static char text[80];
    const int signal = status > 128 ? status - 128 : 0;
    if (signal && signal < SIGRTMIN)
        snprintf(text, sizeof text, "exit status %d: signal %d, %s", status, signal, strsignal(signal));
    else
        snprintf(text, sizeof text, "exit status %d", status);
    return text;
}
