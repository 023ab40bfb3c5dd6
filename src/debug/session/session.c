/* session.c - the life of a session: the program's start and end, and events. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "debug/session/internal.h"

bool session_fail(struct session *s, const char *fmt, ...)
{
    char text[sizeof s->error];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    memcpy(s->error, text, sizeof text); /* an argument may have been the last error */
    return false;
}

struct session *session_new(void)
{
    struct session *s = ls_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->mem = (struct arena)ARENA("session");
    s->stop_mem = (struct arena)ARENA_UNDER("stop", &s->mem);
    s->fd = -1;
    s->events = json_array();
    s->kept = json_array();
    s->cache = json_object();
    target_init(s);
    return s;
}

static void close_program(struct session *s)
{
    forget_stop(s);
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    s->in_len = 0;
    s->gone = false;
    s->has_launch = false;
    s->launch.kernel = NULL;
    s->told_of_lines = false;
    s->state = SESSION_NONE;
    s->pid = 0;
    s->stepping.on = false;
    s->focus = (struct session_focus){0};
    json_array_clear(s->events);
    json_decref(s->hello);
    s->hello = NULL;
    breakpoints_disarm(s);
    for (u32 k = 0; k < s->modules.len; k++)
        ((struct session_module *)s->modules.at[k])->gone = true;
}

void session_kill(struct session *s)
{
    if (s->pid > 0) {
        kill(s->pid, SIGKILL);
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close_program(s);
}

void session_end(struct session *s)
{
    if (!s)
        return;
    session_kill(s);
    for (u32 k = 0; k < s->modules.len; k++) {
        debug_info_close(s->modules.at[k]->info);
        ptx_free(s->modules.at[k]->ptx);
    }
    json_decref(s->events);
    json_decref(s->last_words);
    json_decref(s->given);
    json_decref(s->kept);
    json_decref(s->cache);
    ls_free(s->in);
    arena_free(&s->stop_mem);
    arena_free(&s->mem);
    ls_free(s);
}

const char *session_error(const struct session *s) { return s->error; }
void session_interruptible(struct session *s, volatile int *flag) { s->interrupt = flag; }
enum session_state session_state(const struct session *s) { return s->state; }
pid_t session_pid(const struct session *s) { return s->pid; }
const json_t *session_hello(const struct session *s) { return s->hello; }
int session_descriptor(const struct session *s) { return s->fd; }
struct arena *session_memory(struct session *s) { return &s->stop_mem; }
jmp_buf *session_recovery(struct session *s) { return &s->mem.oom; }

void forget_stop(struct session *s)
{
    json_decref(s->stop_message);
    s->stop_message = NULL;
    s->where = (struct session_stop){0};
    s->frames = NULL;
    s->nframes = 0;
    json_array_clear(s->kept);
    json_object_clear(s->cache);
    arena_free(&s->stop_mem);
}

/* ---- the start ---- */

bool session_start(struct session *s, session_spawn *spawn, void *ctx)
{
    int pair[2];
    char number[16];
    if (s->state != SESSION_NONE)
        return session_fail(s, "a program is there already");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return session_fail(s, "no socket: %s", strerror(errno));
    snprintf(number, sizeof number, "%d", pair[1]);
    s->fd = pair[0];

    fcntl(s->fd, F_SETFD, FD_CLOEXEC);
    const bool spawned = spawn(ctx, number, &s->pid);
    close(pair[1]);
    if (!spawned) {
        s->pid = 0;
        close_program(s);
        return session_fail(s, "the program could not be started");
    }
    s->state = SESSION_RUNNING;
    return true;
}

bool session_detach(struct session *s)
{
    if (!client_ask(s, "detach", NULL))
        return false;
    s->pid = 0;
    close_program(s);
    return true;
}

/* ---- events ---- */

static bool has_begun(struct session *s, const json_t *message)
{
    s->hello = json_incref((json_t *)message);
    s->state = SESSION_WAITING;
    return client_ask(s, "set", json_pack("{s:b, s:b}", "stop_on_module", 1, "stop_at_end", s->stop_at_end)) &&
           breakpoints_arm(s);
}

static bool has_module(struct session *s, const json_t *message)
{
    modules_refresh(s);
    breakpoints_resolve(s);
    return !json_is_true(json_object_get(message, "stopped")) || client_ask(s, "continue", NULL);
}

static void module_gone(struct session *s, u64 number)
{
    for (u32 k = 0; k < s->modules.len; k++)
        if (s->modules.at[k]->number == number)
            ((struct session_module *)s->modules.at[k])->gone = true;
}

/* A breakpoint that was pending and has places now. */
static bool resolved(struct session *s, struct session_event *e)
{
    for (u32 k = 0; k < s->breakpoints.len; k++) {
        struct breakpoint *b = (struct breakpoint *)s->breakpoints.at[k];
        if (b->resolved_now) {
            b->resolved_now = false;
            e->kind = SESSION_RESOLVED;
            e->number = b->told.number;
            return true;
        }
    }
    return false;
}

/* A kernel is launched, a line is waited for, and nothing that is loaded has lines: that is said once. */
static bool lacks_lines(struct session *s, struct session_event *e)
{
    const struct breakpoint *b = breakpoint_pending_line(s);
    if (s->told_of_lines || !s->launch.kernel || !b)
        return false;
    for (u32 k = 0; k < s->modules.len; k++)
        if (!s->modules.at[k]->gone && debug_info_has_lines(s->modules.at[k]->info))
            return false;
    s->told_of_lines = true;
    e->kind = SESSION_WARNING;
    e->text =
        arena_printf(&s->mem,
                     "Kernel %s has no line information, so breakpoint %u (%s) stays pending. Compile with -G, or "
                     "with -lineinfo for lines without variables; -g is for the host's code.",
                     s->launch.kernel, b->told.number, b->told.spec.place);
    return true;
}

/* False: nothing that the front end is to be told. */
static bool event_of(struct session *s, json_t *message, struct session_event *e)
{
    const char *name = member_text(message, "event");
    e->message = message;
    e->text = member_text(message, "text");
    e->number = (u32)member_u64(message, "module", 0);
    if (strcmp(name, "stop") == 0) {
        where_set(s, message);
        if (breakpoint_keeps_going(s) || steps_go_on(s))
            return false;
        s->stepping.on = false;
        breakpoints_watch_again(s);
        e->kind = SESSION_STOP;
        return true;
    }
    if (strcmp(name, "hello") == 0)
        return has_begun(s, message), false;
    if (strcmp(name, "module_gone") == 0)
        return module_gone(s, e->number), false;
    if (strcmp(name, "module") == 0)
        return e->kind = SESSION_MODULE, has_module(s, message);
    if (strcmp(name, "launch") == 0)
        launch_set(s, message);
    static const struct {
        const char *name;
        enum session_event_kind kind;
    } others[] = {{"print", SESSION_PRINT},
                  {"launch", SESSION_LAUNCH},
                  {"end", SESSION_LAUNCH_END},
                  {"finding", SESSION_FINDING},
                  {"warning", SESSION_WARNING}};
    for (u32 k = 0; k < LS_ARRAY_LEN(others); k++)
        if (strcmp(name, others[k].name) == 0)
            return e->kind = others[k].kind, true;
    return false;
}

static void has_ended(struct session *s, struct session_event *e)
{
    e->kind = SESSION_EXITED;
    pid_t got;
    while ((got = waitpid(s->pid, &e->status, 0)) < 0 && errno == EINTR)
        ;
    e->reaped = got == s->pid;
    close_program(s);
}

bool session_wait(struct session *s, int timeout, struct session_event *e)
{
    *e = (struct session_event){0};
    if (s->state == SESSION_NONE)
        return session_fail(s, "the program is not being run");
    for (;;) {
        if (resolved(s, e) || lacks_lines(s, e))
            return true;
        json_t *message = client_event(s, timeout);
        if (!message && s->gone) {
            has_ended(s, e);
            return true;
        }
        if (!message) {
            e->kind = SESSION_TIMEOUT;
            return true;
        }
        json_decref(s->given);
        s->given = message;
        const bool was_none = !s->hello;
        if (event_of(s, message, e))
            return true;
        if (was_none && s->hello) {
            e->kind = SESSION_BEGUN;
            return true;
        }
    }
}

bool session_interrupt(struct session *s)
{
    u64 id;
    return client_send(s, "interrupt", NULL, &id);
}

bool session_stop_at_end(struct session *s, bool on)
{
    s->stop_at_end = on;
    return s->state == SESSION_NONE || !s->hello || client_ask(s, "set", json_pack("{s:b}", "stop_at_end", on));
}
