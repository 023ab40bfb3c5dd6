/* stop.c - events of the session: why the launch stands still, what is resolved, the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/debug/dap/dap.h"

void stop_over(struct dap *d)
{
    d->stopped = false;
    d->frames.len = d->frames.cap = 0;
    d->holders.len = d->holders.cap = 0;
    d->frames.at = NULL;
    d->holders.at = NULL;
}

/* ---- reasons ---- */

static const struct reason {
    const char *reason, *told; /* the agent's, the protocol's */
    u32 exception;             /* EXCEPTION_* */
    const char *text;
} reasons[] = {
    {"breakpoint", "breakpoint", 0, "Paused on breakpoint"},
    {"entry", "entry", 0, "Paused on the kernel's first instruction"},
    {"watch", "data breakpoint", 0, "Paused on a write"},
    {"divergence", "exception", EXCEPTION_DIVERGENCE, "Paused on a divergent branch"},
    {"banks", "exception", EXCEPTION_BANKS, "Paused on a bank conflict"},
    {"finding", "exception", EXCEPTION_FINDING, "Paused where a check finds something"},
    {"fault", "exception", EXCEPTION_FAULT, "Paused on a fault"},
    {"step", "step", 0, "Paused after a step"},
    {"finish", "step", 0, "Paused behind the call"},
    {"exited", "step", 0, "Paused: the thread has exited"},
    {"tick", "goto", 0, "Paused at the place that was asked for"},
    {"interrupt", "pause", 0, "Paused"},
    {"end", "pause", 0, "Paused: the kernel has ended"},
    {"begin", "entry", 0, "Paused: there is nothing further back"},
};

static const struct reason *reason_of(const struct session_stop *w)
{
    static const struct reason other = {"", "pause", 0, "Paused"};
    for (u32 i = 0; i < LS_ARRAY_LEN(reasons); i++)
        if (strcmp(reasons[i].reason, w->reason) == 0)
            return &reasons[i];
    return &other;
}

/* Bytes as they lie in memory, in hexadecimal; up to 8 are a number. */
static void say_bytes(const char *bytes, char out[160])
{
    const size_t n = bytes ? strlen(bytes) / 2 : 0;
    char number[17] = "";
    for (size_t i = 0; i < n && n <= 8; i++)
        memcpy(number + 2 * i, bytes + 2 * (n - 1 - i), 2);
    if (n && n <= 8)
        snprintf(out, 160, "%llu (0x%llx)", strtoull(number, NULL, 16), strtoull(number, NULL, 16));
    else
        snprintf(out, 160, "%.140s", n ? bytes : "?");
}

/* Who wrote, and what. */
static json_t *write_text(const json_t *w)
{
    const char *lanes = json_string_value(json_object_get(w, "lanes"));
    char old[160], new[160];
    say_bytes(json_string_value(json_object_get(w, "old")), old);
    say_bytes(json_string_value(json_object_get(w, "new")), new);
    return text_format("block %lld warp %lld lanes %s wrote: %s became %s",
                       (long long)json_integer_value(json_object_get(w, "block")),
                       (long long)json_integer_value(json_object_get(w, "warp")), lanes ? lanes : "?", old, new);
}

/* Why the condition of the breakpoint has no value here; NULL: it has one, or there is none. */
static json_t *condition_text(struct dap *d, u32 number)
{
    const struct session_breakpoint *b = number ? session_breakpoint(d->session, number) : NULL;
    const struct debug_format format = {0};
    const char *value;
    if (!b || !b->spec.condition || session_print_value(d->session, b->spec.condition, &format, &value))
        return NULL;
    return text_format("%.200s: %s", b->spec.condition, session_error(d->session));
}

/* What the checks have to say here; NULL: nothing. */
static json_t *findings_text(struct dap *d)
{
    const struct session_finding *all;
    const u32 n = session_findings_here(d->session, &all);
    const char *text = "";
    for (u32 k = 0; k < n; k++)
        text = arena_printf(session_memory(d->session), "%s%s%s", text, k ? "\n" : "",
                            session_finding_text(d->session, &all[k]));
    return n ? text_of(text) : NULL;
}

static json_t *stop_text(struct dap *d, const struct session_stop *w)
{
    json_t *found = findings_text(d);
    if (found)
        return found;
    const json_t *write = json_object_get(w->message, "write"), *passes = json_object_get(w->message, "passes");
    const char *text = json_string_value(json_object_get(w->message, "text"));
    if (write)
        return write_text(write);
    if (passes)
        return text_format("the access takes %lld passes", (long long)json_integer_value(passes));
    return text ? text_of(text) : NULL;
}

/* ---- stops ---- */

static void find_here(struct dap *d, const struct session_stop *w)
{
    const struct session_focus *f = w->in_warp ? session_focus(d->session) : NULL;
    d->here = (struct dap_focus){0};
    d->in_warp = f != NULL;
    if (f)
        d->here = (struct dap_focus){f->block, f->warp, f->lane, 0};
}

static void tell_stop(struct dap *d, const struct session_stop *w, const struct reason *r,
                      const struct dap_breakpoint *b)
{
    const char *told = b && b->group == GROUP_FUNCTION      ? "function breakpoint"
                       : b && b->group == GROUP_INSTRUCTION ? "instruction breakpoint"
                                                            : r->told;
    json_t *text = stop_text(d, w),
           *body = json_pack("{s:s, s:s, s:I, s:b}", "reason", told, "description", r->text, "threadId",
                             (json_int_t)thread_number(d, &d->here), "allThreadsStopped", 1);
    if (b && b->group != GROUP_EXCEPTION)
        json_object_set_new(body, "hitBreakpointIds", json_pack("[I]", (json_int_t)w->breakpoint));
    if (!text)
        text = condition_text(d, w->breakpoint);
    if (text)
        json_object_set_new(body, "text", text);
    relay_flush(d->relay);
    dap_event(d, "stopped", body);
}

/* Is it one that only says something, or that nobody wants? Then it goes on as it came. */
static bool passes_over(struct dap *d, const struct session_stop *w, const struct reason *r,
                        const struct dap_breakpoint *b)
{
    const bool unwanted = r->exception && (!(d->exceptions & r->exception) || d->no_debug);
    if (!unwanted && !(b && b->log))
        return false;
    if (!unwanted) {
        json_t *text = breakpoint_log(d, b);
        dap_output(d, "console", json_string_value(text), json_string_length(text));
        json_decref(text);
    }
    const bool backwards = d->backwards && strcmp(w->reason, "fault") != 0;
    if (!session_continue(d->session, backwards))
        return false;
    stop_over(d);
    return true;
}

static void stopped(struct dap *d)
{
    const struct session_stop *w = session_where(d->session);
    if (!w)
        return;
    stop_over(d);
    const struct reason *r = reason_of(w);
    const struct dap_breakpoint *b = w->breakpoint ? breakpoint_by_number(d, w->breakpoint) : NULL;
    find_here(d, w);
    if (passes_over(d, w, r, b))
        return;
    d->stopped = true;
    tell_stop(d, w, r, b);
}

/* ---- other events ---- */

static void tell_module(struct dap *d, u32 number)
{
    dap_event(d, "module",
              json_pack("{s:s, s:{s:I, s:o}}", "reason", "new", "module", "id", (json_int_t)number, "name",
                        text_format("module %u", number)));
}

static void exited(struct dap *d, const struct session_event *e)
{
    const int status = !e->reaped ? 0 : WIFSIGNALED(e->status) ? 128 + WTERMSIG(e->status) : WEXITSTATUS(e->status);
    stop_over(d);
    d->exited = true;
    relay_watch(d->relay, 0);
    relay_flush(d->relay);
    if (e->reaped && WIFSIGNALED(e->status)) {
        char text[80];
        snprintf(text, sizeof text, "The program was ended by signal %d (%s).", WTERMSIG(e->status),
                 strsignal(WTERMSIG(e->status)));
        dap_say(d, text);
    }
    if (!d->begun)
        dap_say(d, "The program has not used CUDA.");
    dap_event(d, "exited", json_pack("{s:i}", "exitCode", status));
    dap_event(d, "terminated", NULL);
}

void stop_came(struct dap *d, const struct session_event *e)
{
    struct session_finding finding;
    switch (e->kind) {
    case SESSION_BEGUN:
        d->begun = true;
        if (d->configured && !session_continue(d->session, false))
            dap_say(d, session_error(d->session));
        break;
    case SESSION_STOP:
        stopped(d);
        break;
    case SESSION_MODULE:
        tell_module(d, e->number);
        break;
    case SESSION_RESOLVED:
        breakpoint_changed(d, e->number);
        break;
    case SESSION_FINDING:
        session_finding_read(d->session, e->message, &finding);
        dap_say(d, session_finding_text(d->session, &finding));
        break;
    case SESSION_WARNING:
        dap_say(d, e->text ? e->text : "a warning");
        break;
    case SESSION_EXITED:
        exited(d, e);
        break;
    case SESSION_TIMEOUT:
    case SESSION_PRINT: /* it is on the program's stdout, too */
    case SESSION_LAUNCH:
    case SESSION_LAUNCH_END:
        break;
    }
}

/* ---- exceptionInfo ---- */

json_t *request_exception_info(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    (void)arguments;
    const struct session_stop *w = session_where(d->session);
    const struct reason *r = w ? reason_of(w) : NULL;
    if (!r || !r->exception)
        return dap_fail(why, "it has not stopped for an exception");
    const char *error = json_string_value(json_object_get(w->message, "error"));
    json_t *text = stop_text(d, w);
    return json_pack("{s:o, s:o, s:s}", "exceptionId", text_of(error ? error : w->reason), "description",
                     text ? text : text_of(r->text), "breakMode", "always");
}
