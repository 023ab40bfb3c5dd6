/* run.c - going on, forwards and backwards. Whatever thread is named, the whole launch goes on; a step ends when the warp or
 * lane that is named has done it. */
#include <string.h>

#include "cli/debug/dap/dap.h"

static json_t *gone_on(struct dap *d, bool backwards, bool done, char why[DAP_WHY])
{
    if (!done)
        return dap_failed(d, why);
    d->backwards = backwards;
    stop_over(d);
    return json_object();
}

json_t *request_continue(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    (void)arguments;
    json_t *body = gone_on(d, false, session_continue(d->session, false), why);
    if (body)
        json_object_set_new(body, "allThreadsContinued", json_true());
    return body;
}

json_t *request_reverse_continue(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    (void)arguments;
    return gone_on(d, true, session_continue(d->session, true), why);
}

static json_t *step(struct dap *d, const json_t *arguments, enum session_step how, enum session_step instruction,
                    bool backwards, char why[DAP_WHY])
{
    const char *granularity;
    struct dap_focus f;
    u64 thread;
    if (!argument_number(arguments, "threadId", DAP_LAUNCH_THREAD, INT64_MAX, &thread, why) ||
        !argument_text(arguments, "granularity", "statement", &granularity, why))
        return NULL;
    if (thread != DAP_LAUNCH_THREAD && (!thread_focus(d, thread, &f, why) || !dap_look_at(d, &f, why)))
        return NULL;
    if (strcmp(granularity, "instruction") == 0)
        how = instruction;
    return gone_on(d, backwards, session_step(d->session, how, backwards), why);
}

json_t *request_next(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    return step(d, arguments, SESSION_NEXT, SESSION_NEXT_INSTRUCTION, false, why);
}

json_t *request_step_in(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    return step(d, arguments, SESSION_STEP, SESSION_STEP_INSTRUCTION, false, why);
}

json_t *request_step_out(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    return step(d, arguments, SESSION_FINISH, SESSION_FINISH, false, why);
}

json_t *request_step_back(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    return step(d, arguments, SESSION_NEXT, SESSION_STEP_INSTRUCTION, true, why);
}

json_t *request_pause(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    (void)arguments;
    if (d->stopped)
        return dap_fail(why, "it stands still already");
    return session_interrupt(d->session) ? json_object() : dap_failed(d, why);
}
