/* timeline.c - what the program asked for, in order, for `lockstep trace`: with LOCKSTEP_TIMELINE=1 each call, and each
 * operation that a call put into a stream, is a line of JSON in $LOCKSTEP_SESSION/<pid>.line. No times of the device
 * are in it: the reader models them, from the sizes here and the launches' records.
 *
 *     {"call":"cuMemAlloc_v2","thread":1,"at":1500}         begins; "at": the host's nanoseconds since the first line
 *     {"return":"cuMemAlloc_v2","thread":1,"at":9000}
 *     {"op":"copy","stream":7,"context":1,"blocking":true,"thread":1,"bytes":4096,"from":"pageable","to":"device","waits":true}
 *     {"op":"set", ... ,"bytes":4096}
 *     {"op":"kernel", ... ,"launch":3}                      the record of that id has the rest
 *     {"op":"host", ... }                                   a function of the host's in a stream
 *     {"op":"record", ... ,"event":94}  {"op":"wait", ... ,"event":94}
 *     {"op":"graph", ... ,"graph":2}                        what it does are the lines with "in":2, written when it runs
 *     {"op":"sync","thread":1}                              the host waits: for everything, or for
 *     {"op":"sync","thread":1,"stream":13}  {"op":"sync","thread":1,"event":94}
 *
 * Streams and contexts are numbered as in the records. A line is one write, and the lines of all threads are in the order
 * in which things were asked for. */
#include "attach/attach.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool on; /* until a line cannot be written */

static struct {
    char path[PATH_MAX];
    pthread_mutex_t lock;
    int file;
    u64 start;
    unsigned threads;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

static u64 now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

/* Threads are numbered as they come. line.lock held. */
static unsigned thread(void)
{
    static _Thread_local unsigned mine;
    if (!mine)
        mine = ++line.threads;
    return mine;
}

/* "{", the caller's part, the thread, "}" and a newline, in one write. The first that fails ends it all. */
LS_PRINTF(1, 2) static void put(const char *fmt, ...)
{
    char text[1024];
    va_list args;
    if (!on)
        return;
    va_start(args, fmt);
    const int n = vsnprintf(text, sizeof text - 40, fmt, args);
    va_end(args);
    if (n < 0 || n >= (int)sizeof text - 40)
        return;
    pthread_mutex_lock(&line.lock);
    if (line.file < 0)
        line.file = open(line.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const int all = n + snprintf(text + n, sizeof text - (size_t)n, ",\"thread\":%u}\n", thread());
    const bool written = line.file >= 0 && write(line.file, text, (size_t)all) == all;
    pthread_mutex_unlock(&line.lock);
    if (!written) {
        on = false;
        drv_log("LOCKSTEP_TIMELINE: %s cannot be written: the trace ends here", line.path);
    }
}

/* ---- calls ---- */

static void put_call(const char *kind, const char *name)
{
    put("{\"%s\":\"%s\",\"at\":%llu", kind, name, (unsigned long long)(now() - line.start));
}

static void on_call_begin(const struct driver_call *c) { put_call("call", c->name); }

static void on_call_end(const struct driver_call *c) { put_call("return", c->name); }

/* ---- operations ---- */

static const char *place_of(const void *p)
{
    struct allocation a;
    const u64 at = (u64)(uintptr_t)p;
    if (!memory_find(at, &a))
        return memory_known(p) ? "device" : "pageable"; /* a module's variable is in no allocation of the program's */
    switch ((enum mem_kind)a.kind) {
    case MEM_PINNED:
    case MEM_REGISTERED:
        return "pinned";
    case MEM_MANAGED:
        return "managed";
    default:
        return "device";
    }
}

static _Thread_local u64 in_graph; /* the launch of a graph that this thread runs; 0: none */

/* The head of every operation's line, without its closing brace. What a graph does is in its stream: s NULL. */
static const char *head(char text[160], const char *kind, const struct CUstream_st *s)
{
    if (!s) {
        snprintf(text, 160, "{\"op\":\"%s\",\"in\":%llu", kind, (unsigned long long)in_graph);
        return text;
    }
    const struct launch_place at = stream_place(s);
    snprintf(text, 160, "{\"op\":\"%s\",\"stream\":%llu,\"context\":%llu,\"device\":%u,\"blocking\":%s", kind,
             (unsigned long long)at.stream, (unsigned long long)at.context, at.device,
             s->flags & CU_STREAM_NON_BLOCKING ? "false" : "true");
    return text;
}

static const char *truth(bool b) { return b ? "true" : "false"; }

static void on_asked(const struct driver_ask *a)
{
    char text[160];
    if (!a->stream && !in_graph)
        return;
    switch (a->what) {
    case ASKED_COPY:
        put("%s,\"bytes\":%llu,\"from\":\"%s\",\"to\":\"%s\",\"waits\":%s", head(text, "copy", a->stream),
            (unsigned long long)a->bytes, place_of(a->from), place_of(a->to), truth(a->waits));
        break;
    case ASKED_FILL:
        put("%s,\"bytes\":%llu", head(text, "set", a->stream), (unsigned long long)a->bytes);
        break;
    case ASKED_KERNEL:
        put("%s,\"launch\":%llu", head(text, "kernel", a->stream), (unsigned long long)a->launch);
        break;
    case ASKED_HOST:
        put("%s", head(text, "host", a->stream));
        break;
    case ASKED_GRAPH:
        put("%s,\"graph\":%llu", head(text, "graph", a->stream), (unsigned long long)a->launch);
        break;
    }
}

static void on_graph_begin(u64 launch) { in_graph = launch; }

static void on_graph_end(void) { in_graph = 0; }

/* What a graph's nodes do is left out, since the program did not ask for it by a call; so are events of several
 * processes, which this process's lines cannot order. */
static void put_event(const char *kind, const struct CUstream_st *s, const struct CUevent_st *event)
{
    char text[160];
    put("%s,\"event\":%llu", head(text, kind, s), (unsigned long long)(uintptr_t)event);
}

static void on_recorded(const struct CUstream_st *s, const struct CUevent_st *e, bool by_node)
{
    if (!by_node)
        put_event("record", s, e);
}

static void on_waited(const struct CUstream_st *s, const struct CUevent_st *e, bool by_node)
{
    if (!by_node && !e->shared)
        put_event("wait", s, e);
}

/* ---- the host waits ---- */

static void on_host_waits(const struct driver_wait *w)
{
    if (w->stream) {
        const struct launch_place at = stream_place(w->stream);
        put("{\"op\":\"sync\",\"stream\":%llu,\"context\":%llu", (unsigned long long)at.stream,
            (unsigned long long)at.context);
    } else if (w->event) {
        put("{\"op\":\"sync\",\"event\":%llu", (unsigned long long)(uintptr_t)w->event);
    } else {
        put("{\"op\":\"sync\"");
    }
}

/* ---- start ---- */

static const struct driver_observer timeline = {.call_begin = on_call_begin,
                                                .call_end = on_call_end,
                                                .asked = on_asked,
                                                .graph_begin = on_graph_begin,
                                                .graph_end = on_graph_end,
                                                .event_recorded = on_recorded,
                                                .event_waited = on_waited,
                                                .host_waits = on_host_waits};

void timeline_start(const char *folder)
{
    on = snprintf(line.path, sizeof line.path, "%s/%d.line", folder, (int)getpid()) < PATH_MAX;
    line.start = now();
    if (on)
        driver_observe(&timeline);
}
