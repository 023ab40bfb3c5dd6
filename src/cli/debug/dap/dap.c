/* dap.c - the loop: requests from the editor, events from the session. Stdin and stdout are the protocol's; the program gets
 * nothing to read, and what it prints goes through relay.c. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/debug/dap/dap.h"

void dap_send(struct dap *d, json_t *message)
{
    pthread_mutex_lock(&d->sending);
    port_send(&d->port, message);
    pthread_mutex_unlock(&d->sending);
}

json_t *dap_fail(char why[DAP_WHY], const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, DAP_WHY, fmt, args);
    va_end(args);
    return NULL;
}

json_t *dap_failed(const struct dap *d, char why[DAP_WHY]) { return dap_fail(why, "%s", session_error(d->session)); }

/* ---- the loop ---- */

static void take_messages(struct dap *d)
{
    char why[PORT_WHY];
    json_t *message;
    while (!d->over) {
        const enum port_took took = port_take(&d->port, &message, why);
        if (took == PORT_NOTHING)
            return;
        if (took == PORT_MESSAGE)
            server_answer(d, message);
        else if (why[0])
            server_refuse(d, why);
        json_decref(message);
        d->over |= took == PORT_END;
    }
}

static void take_events(struct dap *d)
{
    struct session_event e;
    if (setjmp(*session_recovery(d->session))) {
        dap_say(d, "lockstep: out of memory");
        d->over = true;
    }
    while (!d->over && d->launched && !d->exited && session_wait(d->session, 0, &e) && e.kind != SESSION_TIMEOUT)
        stop_came(d, &e);
}

static void serve(struct dap *d)
{
    while (!d->over) {
        const int session = d->launched && !d->exited ? session_descriptor(d->session) : -1;
        struct pollfd fds[2] = {{.fd = d->port.in, .events = POLLIN}, {.fd = session, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0)
            continue;
        if (fds[0].revents)
            port_fill(&d->port);
        take_messages(d);
        take_events(d);
    }
}

/* ---- beginning and end ---- */

/* The protocol's descriptors are put where no program that is started has them. */
static bool take_descriptors(int *in, int *out)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    *in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    *out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    return nothing >= 0 && *in >= 0 && *out >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && !close(nothing);
}

int dap_serve(void)
{
    struct dap d = {.sending = PTHREAD_MUTEX_INITIALIZER, .exceptions = EXCEPTION_FAULT};
    int in, out;
    if (!take_descriptors(&in, &out))
        return CLI_TROUBLE;
    signal(SIGPIPE, SIG_IGN);
    port_open(&d.port, in, out);
    d.session = session_new();
    d.relay = relay_open(&d, in);
    if (d.session)
        d.memory = session_memory(d.session);
    if (d.session && d.relay)
        serve(&d);
    const int status = d.session && d.relay ? CLI_OK : CLI_TROUBLE;
    if (d.session)
        session_end(d.session);
    if (d.relay)
        relay_close(d.relay);
    breakpoints_free(&d);
    port_close(&d.port);
    return status;
}
