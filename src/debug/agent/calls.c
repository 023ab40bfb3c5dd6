/* calls.c - stops at calls of CUDA's API: the program waits in front of what the call does, in the thread that makes it, and the
 * debugger is told from where it was called. Only the outermost of calls within calls is looked at. */
#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "debug/agent/internal.h"

enum { FRAMES_MOST = 64 };

static _Thread_local unsigned depth;

/* "cudaMemcpy", or "cudaLaunch*". */
static bool is_called(const struct stop *s, const char *name)
{
    const size_t n = s->function ? strlen(s->function) : 0;
    if (!s->enabled || s->kind != STOP_AT_CALL)
        return false;
    return !n || (s->function[n - 1] == '*' ? strncmp(s->function, name, n - 1) == 0 : strcmp(s->function, name) == 0);
}

static struct stop *stop_at(const char *name)
{
    struct stop *s = agent.stops;
    while (s && !is_called(s, name))
        s = s->next;
    return s;
}

/* Return addresses, from the start of the file that each is in, innermost first. */
static json_t *frames(void)
{
    void *at[FRAMES_MOST];
    const int n = backtrace(at, FRAMES_MOST);
    json_t *all = json_array();
    for (int k = 0; k < n; k++) {
        Dl_info i;
        if (dladdr((char *)at[k] - 1, &i) && i.dli_fname)
            json_array_append_new(all, json_pack("{s:o, s:I}", "module", word_text(i.dli_fname, strlen(i.dli_fname)),
                                                 "offset", (json_int_t)((char *)at[k] - (char *)i.dli_fbase)));
    }
    return all;
}

static void stand_still_at(struct stop *s, const char *name)
{
    s->hits++;
    if (s->ignore) {
        s->ignore--;
        return;
    }
    json_t *event = json_pack("{s:s, s:s, s:s, s:I, s:I, s:o}", "event", "stop", "reason", "call", "call", name, "stop",
                              (json_int_t)s->id, "host_thread", (json_int_t)syscall(SYS_gettid), "frames", frames());
    if (s->temporary)
        stop_delete(s);
    stand_still(event);
}

/* A launch that is under way ends first: the debugger talks with one thread at a time. */
void agent_call_begin(const char *name)
{
    if (depth++ || !agent.on || !agent.has_call_stops)
        return;
    pthread_mutex_lock(&agent.serving);
    struct stop *s = agent.on ? stop_at(name) : NULL;
    if (s)
        stand_still_at(s, name);
    pthread_mutex_unlock(&agent.serving);
    if (s)
        serve_waiting_alone();
}

void agent_call_end(void) { depth -= depth > 0; }
