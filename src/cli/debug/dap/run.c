/* run.c - going on, forwards and backwards. Whatever thread is named, the whole launch goes on; a step ends when the warp or
 * lane that is named has done it. */
#include <stdio.h>
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

/* ---- words of the console ---- */

static const struct going {
    const char *words; /* with blanks around each */
    enum session_step how;
    bool steps, backwards;
} goings[] = {
    {" continue c ", SESSION_STEP, false, false},
    {" reverse-continue rc ", SESSION_STEP, false, true},
    {" step s ", SESSION_STEP, true, false},
    {" next n ", SESSION_NEXT, true, false},
    {" stepi si ", SESSION_STEP_INSTRUCTION, true, false},
    {" nexti ni ", SESSION_NEXT_INSTRUCTION, true, false},
    {" finish fin ", SESSION_FINISH, true, false},
    {" reverse-step rs ", SESSION_STEP, true, true},
    {" reverse-next rn ", SESSION_NEXT, true, true},
    {" reverse-stepi rsi ", SESSION_STEP_INSTRUCTION, true, true},
    {" reverse-finish ", SESSION_FINISH, true, true},
};

static const struct going *going_of(const char *line)
{
    char word[40];
    char name[32] = "";
    sscanf(line, "%31s", name);
    snprintf(word, sizeof word, " %s ", name);
    for (u32 i = 0; name[0] && i < LS_ARRAY_LEN(goings); i++)
        if (strstr(goings[i].words, word))
            return &goings[i];
    return NULL;
}

/* party 1|2, finding N */
static bool finding_of(const char *line, u32 *number, u32 *party)
{
    *number = *party = 0;
    return sscanf(line, " party %u", party) == 1 || sscanf(line, " finding %u", number) == 1;
}

bool run_is_word(const char *line)
{
    u32 number, party;
    return going_of(line) || finding_of(line, &number, &party);
}

bool run_word(struct dap *d, const struct dap_focus *f, const char *line, char why[DAP_WHY])
{
    const struct going *g = going_of(line);
    u32 number, party;
    if (!dap_look_at(d, f, why))
        return false;
    const bool done = finding_of(line, &number, &party) ? session_go_to_finding(d->session, number, party)
                      : g->steps                        ? session_step(d->session, g->how, g->backwards)
                                                        : session_continue(d->session, g->backwards);
    json_t *body = gone_on(d, g && g->backwards, done, why);
    json_decref(body);
    if (body)
        dap_event(d, "continued",
                  json_pack("{s:I, s:b}", "threadId", (json_int_t)DAP_LAUNCH_THREAD, "allThreadsContinued", 1));
    return body != NULL;
}

json_t *request_pause(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    (void)arguments;
    if (d->stopped)
        return dap_fail(why, "it stands still already");
    return session_interrupt(d->session) ? json_object() : dap_failed(d, why);
}
