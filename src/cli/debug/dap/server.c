/* server.c - requests in, responses out: finds who answers a request, and refuses those that come at the wrong time. */
#include <stdio.h>
#include <string.h>

#include "cli/debug/dap/dap.h"

enum needs { NEEDS_NOTHING, NEEDS_INITIALIZED, NEEDS_PROGRAM, NEEDS_STOP };

static const struct {
    const char *command;
    json_t *(*answer)(struct dap *d, const json_t *arguments, char why[DAP_WHY]);
    enum needs needs;
} requests[] = {
#define REQUEST(command, function, needs) {#command, request_##function, NEEDS_##needs},
#include "cli/debug/dap/requests.def"
};

/* ---- events ---- */

void dap_event(struct dap *d, const char *event, json_t *body)
{
    json_t *message = json_pack("{s:s, s:s}", "type", "event", "event", event);
    if (body)
        json_object_set_new(message, "body", body);
    dap_send(d, message);
}

void dap_output(struct dap *d, const char *category, const char *text, size_t n)
{
    if (n)
        dap_event(d, "output", json_pack("{s:s, s:o}", "category", category, "output", text_json(text, n)));
}

void dap_say(struct dap *d, const char *text)
{
    char line[1024];
    const int n = snprintf(line, sizeof line, "%s\n", text);
    dap_output(d, "console", line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

/* ---- requests ---- */

static void respond(struct dap *d, json_int_t to, const char *command, json_t *body, const char *why)
{
    json_t *message = json_pack("{s:s, s:I, s:o, s:b}", "type", "response", "request_seq", to, "command",
                                text_of(command), "success", body != NULL);
    if (!body) {
        json_t *text = text_of(why);
        json_object_set(message, "message", text);
        body = json_pack("{s:{s:i, s:o, s:b}}", "error", "id", 1, "format", text, "showUser", 1);
    }
    if (json_object_size(body))
        json_object_set(message, "body", body);
    json_decref(body);
    dap_send(d, message);
}

void server_refuse(struct dap *d, const char *why) { respond(d, 0, "", NULL, why); }

static bool is_time(const struct dap *d, enum needs needs, char why[DAP_WHY])
{
    why[0] = '\0';
    if (needs >= NEEDS_INITIALIZED && !d->initialized)
        snprintf(why, DAP_WHY, "the first request is initialize");
    else if (needs >= NEEDS_PROGRAM && !d->launched)
        snprintf(why, DAP_WHY, "there is no program yet: launch starts one");
    else if (needs >= NEEDS_PROGRAM && d->exited)
        snprintf(why, DAP_WHY, "the program has ended");
    else if (needs >= NEEDS_STOP && !d->stopped)
        snprintf(why, DAP_WHY, "the program runs: pause stops it");
    return !why[0];
}

/* NULL without why: out of memory. */
static json_t *answer(struct dap *d, u32 i, const json_t *arguments, char why[DAP_WHY])
{
    if (setjmp(*session_recovery(d->session)))
        return NULL;
    return requests[i].answer(d, arguments, why);
}

void server_answer(struct dap *d, const json_t *message)
{
    const json_t *sequence = json_object_get(message, "seq"), *arguments = json_object_get(message, "arguments");
    const char *type = json_string_value(json_object_get(message, "type"));
    const char *command = json_string_value(json_object_get(message, "command"));
    const json_int_t to = json_is_integer(sequence) ? json_integer_value(sequence) : 0;
    char why[DAP_WHY] = "";
    json_t *body = NULL;
    u32 i = 0;
    if (!type || strcmp(type, "request") != 0 || !command || !json_is_integer(sequence)) {
        respond(d, to, command, NULL, "a request has a type, a seq and a command");
        return;
    }
    while (i < LS_ARRAY_LEN(requests) && strcmp(requests[i].command, command) != 0)
        i++;
    if (i == LS_ARRAY_LEN(requests))
        snprintf(why, sizeof why, "there is no request %.100s here", command);
    else if (arguments && !json_is_object(arguments) && !json_is_null(arguments))
        snprintf(why, sizeof why, "arguments is an object");
    else if (is_time(d, requests[i].needs, why))
        body = answer(d, i, arguments, why);
    respond(d, to, command, body, why[0] ? why : "out of memory");
    if (d->after)
        d->after(d);
    d->after = NULL;
}
