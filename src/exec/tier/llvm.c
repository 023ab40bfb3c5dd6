/* llvm.c - see llvm.h. One libLLVM for the process, never unloaded: dlclose would leave threads and exit handlers of its
 * behind.
 *
 * It is loaded with RTLD_LOCAL, and its symbols have its own version (LLVM_19.1), so that a program with another LLVM of
 * its own, or with the same, is left alone. Not with RTLD_DEEPBIND: that splits the process between two allocators where
 * another malloc is preloaded, and sanitizers refuse it. */
#include "exec/tier/llvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Names of the library, those first that the tier was tried with most. From 18 on the soname has a dot. */
static const char *const names[] = {
    "libLLVM.so.19.1", "/usr/lib/llvm-19/lib/libLLVM.so.19.1",
    "libLLVM.so.18.1", "/usr/lib/llvm-18/lib/libLLVM.so.18.1",
    "libLLVM.so.20.1", "/usr/lib/llvm-20/lib/libLLVM.so.20.1",
    "libLLVM.so.21.1", "/usr/lib/llvm-21/lib/libLLVM.so.21.1",
    "libLLVM.so.22.1", "/usr/lib/llvm-22/lib/libLLVM.so.22.1",
    "libLLVM.so.23.1", "/usr/lib/llvm-23/lib/libLLVM.so.23.1",
    "libLLVM-17.so.1", "/usr/lib/llvm-17/lib/libLLVM-17.so.1",
    "libLLVM-16.so.1", "/usr/lib/llvm-16/lib/libLLVM-16.so.1",
};
enum { LEAST_VERSION = 16, EXIT_WAIT_S = 5 };

static const struct {
    const char *name;
    size_t at;
} rows[] = {
#define LLVM_FUNCTION(result, Name, parameters) {"LLVM" #Name, offsetof(struct llvm, Name)},
#include "exec/tier/llvm.def"
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* everything below, but for what is atomic */
static char chosen[256];
static bool tried;
static struct llvm functions;
static const struct llvm *loaded; /* NULL: `failure` says why */
static char failure[LLVM_WHY], version[32], file[256];
static atomic_bool broken;                             /* a fatal error: functions may hang */
static unsigned guards;                                /* threads in llvm_guard, */
static unsigned resting;                               /* of which these will not go on */
static atomic_bool ending;                             /* the process is */
static pthread_cond_t calm = PTHREAD_COND_INITIALIZER; /* guards or resting has changed */

/* ---- loading ---- */

static bool look_up(void *library, const char *name)
{
    for (size_t i = 0; i < LS_ARRAY_LEN(rows); i++) {
        void *const f = dlsym(library, rows[i].name);
        if (!f) {
            snprintf(failure, sizeof failure, "%s has no function %s: LLVM %d or later is needed", name, rows[i].name,
                     LEAST_VERSION);
            return false;
        }
        memcpy((char *)&functions + rows[i].at, &f, sizeof f);
    }
    return true;
}

static bool new_enough(const char *name)
{
    unsigned major, minor, patch;
    functions.GetVersion(&major, &minor, &patch);
    snprintf(version, sizeof version, "%u.%u.%u", major, minor, patch);
    if (major < LEAST_VERSION)
        snprintf(failure, sizeof failure, "%s is LLVM %s: %d or later is needed", name, version, LEAST_VERSION);
    return major >= LEAST_VERSION;
}

static void *open_any(const char **name)
{
    const size_t n = *chosen ? 1 : LS_ARRAY_LEN(names);
    for (size_t i = 0; i < n; i++) {
        *name = *chosen ? chosen : names[i];
        void *const library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
        const char *const text = dlerror(); /* names the file */
        if (*chosen || (text && *names[i] != '/' && !strstr(text, "No such file")))
            snprintf(failure, sizeof failure, "LLVM cannot be loaded: %s", text ? text : *name);
    }
    if (!*failure)
        snprintf(failure, sizeof failure, "there is no libLLVM of version %d or later (%s and others were looked for)",
                 LEAST_VERSION, names[0]);
    return NULL;
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

/* A child has no thread that could be in a guard, and what LLVM had locked in one stays locked. */
static void in_child(void)
{
    if (guards) {
        atomic_store(&broken, true);
        snprintf(failure, sizeof failure, "LLVM was at work when the process forked");
    }
    guards = resting = 0;
    pthread_cond_init(&calm, NULL);
    pthread_mutex_unlock(&lock);
}

/* Waits for a thread that loads the library, because it holds the lock, and for those in guards. */
static void at_exit(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += EXIT_WAIT_S;
    atomic_store(&ending, true);
    pthread_mutex_lock(&lock);
    while (guards > resting && pthread_cond_timedwait(&calm, &lock, &until) == 0)
        ;
    pthread_mutex_unlock(&lock);
}

/* exit() runs the handlers of libLLVM's constructors before ours while dlopen still runs constructors: the last that came is
 * the first to run. But before all of them it runs what is to be done at the end of the thread that calls it. */
extern int __cxa_thread_atexit_impl(void (*end)(void *), void *arg, void *library);
extern void *__dso_handle;

static void at_thread_exit(void *main_thread)
{
    if (main_thread)
        at_exit();
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

void llvm_hold_exit(void)
{
    static _Thread_local bool held;
    if (!held) /* no memory: held or not, the library is loaded once in a process and seldom just then */
        __cxa_thread_atexit_impl(at_thread_exit, getpid() == gettid() ? &lock : NULL, &__dso_handle);
    held = true;
}

static bool hooked;

/* Not under the lock, because fork may hold the C library's own while it waits for ours. */
static void hook(void) { hooked = atexit(at_exit) == 0 && pthread_atfork(before_fork, after_fork, in_child) == 0; }

static void load(void)
{
    const char *name = NULL;
    if (!hooked || atomic_load(&ending)) {
        snprintf(failure, sizeof failure, "LLVM is not loaded: %s", hooked ? "the process ends" : "no memory");
        return;
    }
    if (strcmp(chosen, "none") == 0) {
        snprintf(failure, sizeof failure, "LLVM is set to none");
        return;
    }
    void *const library = open_any(&name);
    if (!library || !look_up(library, name) || !new_enough(name))
        return;
    snprintf(file, sizeof file, "%s", name);
    functions.InitializeX86TargetInfo();
    functions.InitializeX86Target();
    functions.InitializeX86TargetMC();
    functions.InitializeX86AsmPrinter();
    functions.InitializeX86AsmParser();
    if (atexit(at_exit)) { /* once more: this one runs before libLLVM's own */
        snprintf(failure, sizeof failure, "LLVM is not used: no memory");
        return;
    }
    loaded = &functions;
}

void llvm_choose(const char *name)
{
    pthread_mutex_lock(&lock);
    if (!tried)
        snprintf(chosen, sizeof chosen, "%s", name ? name : "");
    pthread_mutex_unlock(&lock);
}

const struct llvm *llvm_load(char *why, size_t n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, hook);
    pthread_mutex_lock(&lock);
    if (!tried)
        load();
    tried = true;
    const struct llvm *const ll = atomic_load(&broken) ? NULL : loaded;
    if (!ll)
        snprintf(why, n, "%s", failure);
    pthread_mutex_unlock(&lock);
    return ll;
}

const char *llvm_version(void) { return loaded ? version : ""; }
const char *llvm_file(void) { return loaded ? file : ""; }

/* ---- fatal errors ---- */

struct guard {
    jmp_buf out;
    char reason[LLVM_WHY - 32]; /* and "LLVM failed: " */
};

static _Thread_local struct guard *guard;

/* In a thread that is in no guard LLVM does what it would have done: it ends the process. */
static void fatal(const char *reason)
{
    if (!guard)
        return;
    snprintf(guard->reason, sizeof guard->reason, "%s", reason);
    longjmp(guard->out, 1);
}

/* The handler is LLVM's for the whole process, so it stands only as long as a guard does. */
static bool enter(char *why, size_t n)
{
    pthread_mutex_lock(&lock);
    const bool usable = loaded && !atomic_load(&broken) && !atomic_load(&ending);
    if (!usable)
        snprintf(why, n, "%s", *failure ? failure : !loaded ? "LLVM is not loaded" : "the process ends");
    else if (!guards++)
        functions.InstallFatalErrorHandler(fatal);
    pthread_mutex_unlock(&lock);
    return usable;
}

static void leave(const char *reason)
{
    pthread_mutex_lock(&lock);
    if (reason && !atomic_exchange(&broken, true))
        snprintf(failure, sizeof failure, "LLVM failed: %s", reason);
    if (!--guards)
        functions.ResetFatalErrorHandler();
    pthread_cond_signal(&calm);
    pthread_mutex_unlock(&lock);
}

void llvm_rest(void)
{
    if (!atomic_load_explicit(&ending, memory_order_relaxed) || !guard)
        return;
    pthread_mutex_lock(&lock);
    resting++;
    pthread_cond_signal(&calm);
    pthread_mutex_unlock(&lock);
    for (;;)
        pause();
}

bool llvm_guard(void (*run)(void *), void *arg, char *why, size_t n)
{
    struct guard g;
    LS_BUG_ON(guard);
    if (!enter(why, n))
        return false;
    guard = &g;
    const bool whole = setjmp(g.out) == 0;
    if (whole)
        run(arg);
    else
        snprintf(why, n, "LLVM failed: %s", g.reason);
    guard = NULL;
    leave(whole ? NULL : g.reason);
    return whole;
}
