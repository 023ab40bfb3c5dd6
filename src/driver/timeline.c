/* timeline.c - the lines of timeline.h, written as things are asked for. */
#include "driver/timeline.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool timeline_on;

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

void timeline_init(void)
{
    const char *on = getenv("LOCKSTEP_TIMELINE"), *folder = getenv("LOCKSTEP_SESSION");
    timeline_on = on && strcmp(on, "1") == 0 && folder && *folder &&
                  snprintf(line.path, sizeof line.path, "%s/%d.line", folder, (int)getpid()) < PATH_MAX;
    line.start = now();
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
        timeline_on = false;
        drv_log("LOCKSTEP_TIMELINE: %s cannot be written: the trace ends here", line.path);
    }
}

/* ---- calls ---- */

void timeline_call(const char *name, bool begins)
{
    if (timeline_on)
        put("{\"%s\":\"%s\",\"at\":%llu", begins ? "call" : "return", name, (unsigned long long)(now() - line.start));
}

/* ---- operations ---- */

static const char *place_of(const void *p)
{
    struct allocation a;
    const u64 at = (u64)(uintptr_t)p;
    if (!memory_find(at, &a))
        return memory_known(p) ? "device" : "pageable"; /* a module's variable is nobody's allocation */
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
    const struct profile_place at = profile_place(s);
    snprintf(text, 160, "{\"op\":\"%s\",\"stream\":%llu,\"context\":%llu,\"device\":%u,\"blocking\":%s", kind,
             (unsigned long long)at.stream, (unsigned long long)at.context, at.device,
             s->flags & CU_STREAM_NON_BLOCKING ? "false" : "true");
    return text;
}

static const char *truth(bool b) { return b ? "true" : "false"; }

void timeline_copy(const struct CUstream_st *s, u64 bytes, const void *from, const void *to, bool waits)
{
    char text[160];
    if (timeline_on)
        put("%s,\"bytes\":%llu,\"from\":\"%s\",\"to\":\"%s\",\"waits\":%s", head(text, "copy", s),
            (unsigned long long)bytes, place_of(from), place_of(to), truth(waits));
}

void timeline_set(const struct CUstream_st *s, u64 bytes)
{
    char text[160];
    if (timeline_on)
        put("%s,\"bytes\":%llu", head(text, "set", s), (unsigned long long)bytes);
}

void timeline_kernel(const struct CUstream_st *s, u64 launch)
{
    char text[160];
    if (timeline_on)
        put("%s,\"launch\":%llu", head(text, "kernel", s), (unsigned long long)launch);
}

void timeline_host(const struct CUstream_st *s)
{
    char text[160];
    if (timeline_on)
        put("%s", head(text, "host", s));
}

static void event_op(const char *kind, const struct CUstream_st *s, const struct CUevent_st *event)
{
    char text[160];
    if (timeline_on)
        put("%s,\"event\":%llu", head(text, kind, s), (unsigned long long)(uintptr_t)event);
}

void timeline_record(const struct CUstream_st *s, const struct CUevent_st *event) { event_op("record", s, event); }

void timeline_wait(const struct CUstream_st *s, const struct CUevent_st *event) { event_op("wait", s, event); }

/* ---- graphs ---- */

u64 timeline_graph(const struct CUstream_st *s)
{
    static atomic_ullong graphs;
    char text[160];
    const u64 graph = atomic_fetch_add(&graphs, 1) + 1;
    if (timeline_on)
        put("%s,\"graph\":%llu", head(text, "graph", s), (unsigned long long)graph);
    return graph;
}

void timeline_graph_begin(u64 graph) { in_graph = graph; }

void timeline_graph_end(void) { in_graph = 0; }

void timeline_graph_copy(u64 bytes, const void *from, const void *to)
{
    if (in_graph)
        timeline_copy(NULL, bytes, from, to, false);
}

void timeline_graph_set(u64 bytes)
{
    if (in_graph)
        timeline_set(NULL, bytes);
}

/* ---- the host waits ---- */

void timeline_sync(void)
{
    if (timeline_on)
        put("{\"op\":\"sync\"");
}

void timeline_sync_stream(const struct CUstream_st *s)
{
    if (timeline_on)
        put("{\"op\":\"sync\",\"stream\":%llu,\"context\":%llu", (unsigned long long)profile_place(s).stream,
            (unsigned long long)profile_place(s).context);
}

void timeline_sync_event(const struct CUevent_st *event)
{
    if (timeline_on)
        put("{\"op\":\"sync\",\"event\":%llu", (unsigned long long)(uintptr_t)event);
}
