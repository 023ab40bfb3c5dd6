/* agent.c - the agent's life: the connection, modules, standing still, and its end. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "debug/agent/internal.h"

struct agent agent = {.serving = PTHREAD_MUTEX_INITIALIZER, .modules_lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- serving ---- */

void let_loose(void)
{
    struct debuggee *run = agent.run;
    agent.on = false;
    agent.stop_on_module = agent.stop_at_end = agent.interrupted = false;
    while (agent.stops) {
        struct stop *next = agent.stops->next;
        stop_free(agent.stops);
        agent.stops = next;
    }
    if (run) {
        run->until = UINT64_MAX;
        run->stored.on = false;
        travel_done(&run->travel);
        step_end(&run->step);
        stops_place();
        gate_alarm(UINT64_MAX);
    }
    snapshot_drop(&agent.snapshot);
    wire_close(agent.wire);
}

bool stand_still(json_t *told)
{
    enum answer a = ANSWER_STAY;
    agent.stopped = true;
    if (told)
        wire_send(agent.wire, told);
    while (a == ANSWER_STAY) {
        json_t *request = wire_take(agent.wire, true, agent.config.cancel);
        if (!request) {
            let_loose();
            break;
        }
        a = answer(request);
        json_decref(request);
    }
    agent.stopped = false;
    return a != ANSWER_BACK;
}

void serve_waiting(void)
{
    json_t *request;
    while ((request = wire_take(agent.wire, false, NULL))) {
        answer(request);
        json_decref(request);
    }
    if (wire_gone(agent.wire) && agent.on)
        let_loose();
}

/* Who leaves while something has come looks once more: the reader did not wait for the turn. */
void serve_waiting_alone(void)
{
    while (agent.on && wire_waiting(agent.wire) && pthread_mutex_trylock(&agent.serving) == 0) {
        if (agent.on)
            serve_waiting();
        pthread_mutex_unlock(&agent.serving);
    }
}

/* On the reader's thread. */
static void woken(void)
{
    gate_alarm(0);
    if (agent.ready)
        serve_waiting_alone();
}

/* ---- modules ---- */

void agent_module_made(const struct exec_module *m)
{
    struct agent_module *x = agent.on ? ls_calloc(1, sizeof *x) : NULL;
    if (!x)
        return;
    pthread_mutex_lock(&agent.modules_lock);
    x->module = m;
    x->id = ++agent.next_module;
    x->next = agent.modules;
    agent.modules = x;
    pthread_mutex_unlock(&agent.modules_lock);
    const bool stops = agent.stop_on_module && pthread_mutex_trylock(&agent.serving) == 0;
    json_t *event = json_pack("{s:s, s:I, s:b}", "event", "module", "module", (json_int_t)x->id, "stopped", stops);
    if (!stops) {
        wire_send(agent.wire, event);
        return;
    }
    stand_still(event);
    pthread_mutex_unlock(&agent.serving);
    serve_waiting_alone();
}

void agent_module_gone(const struct exec_module *m)
{
    pthread_mutex_lock(&agent.modules_lock);
    struct agent_module **at = &agent.modules;
    while (*at && (*at)->module != m)
        at = &(*at)->next;
    struct agent_module *gone = *at;
    if (gone)
        *at = gone->next;
    pthread_mutex_unlock(&agent.modules_lock);
    if (gone && agent.on)
        wire_send(agent.wire, json_pack("{s:s, s:I}", "event", "module_gone", "module", (json_int_t)gone->id));
    ls_free(gone);
}

/* ---- beginning and end ---- */

static json_t *hello(void)
{
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    const struct gpu *g = agent.config.gpu;
    json_t *device = json_pack("{s:s, s:s, s:[i, i], s:I}", "id", g->id, "name", g->name, "compute_capability",
                               (int)g->cc_major, (int)g->cc_minor, "sms", (json_int_t)g->sms);
    return json_pack("{s:s, s:i, s:i, s:o, s:b, s:i, s:o}", "event", "hello", "version", 1, "pid", (int)getpid(),
                     "program", word_text(path, n > 0 ? (size_t)n : 0), "stopped", 1, "devices",
                     (int)agent.config.devices, "device", device);
}

const char *agent_start(const struct agent_config *c)
{
    const char *why = NULL;
    agent.config = *c;
    agent.wire = wire_open(c->where, woken, &why);
    if (!agent.wire)
        return why;
    pthread_mutex_lock(&agent.serving);
    agent.on = true;
    agent.ready = true;
    agent.starting = true;
    stand_still(hello());
    agent.starting = false;
    why = agent.checks && agent.on ? c->checks->start(agent.checks) : NULL;
    if (why)
        wire_send(agent.wire, json_pack("{s:s, s:s}", "event", "warning", "text", why));
    agent.checks = why ? 0 : agent.checks;
    pthread_mutex_unlock(&agent.serving);
    serve_waiting_alone();
    return NULL;
}

void agent_end(void)
{
    if (!agent.on)
        return;
    wire_send(agent.wire, json_pack("{s:s}", "event", "exit"));
    agent.on = false;
    wire_close(agent.wire);
}

void agent_forked(void)
{
    if (agent.ready)
        wire_forked(agent.wire);
    agent.on = false;
}
