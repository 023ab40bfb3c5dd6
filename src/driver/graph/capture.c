/* capture.c - stream capture: instead of being done, what is put into a stream becomes the nodes of a graph.
 *
 * A stream in a capture has a *frontier*: the nodes that its next node comes after. A node replaces the frontier by
 * itself. An event that is recorded in the capture remembers the frontier; a stream that waits for it adds that to its
 * own, and joins the capture if it was in none. Ending the capture in the stream that began it needs every other
 * stream's frontier behind it, also of those that were destroyed meanwhile. An operation that cannot be captured, or
 * that would wait for what has only been captured, fails and invalidates the capture, which then gives no graph.
 *
 * All of it is under one lock, which comes before the driver's others. */
#include "driver/graph/graph.h"

#include <string.h>

#include "base/alloc.h"
#include "base/locked.h"

struct capture {
    u64 id;
    CUcontext ctx;
    CUgraph graph;
    bool own_graph; /* made by the capture, not given to it */
    CUstreamCaptureMode mode;
    pthread_t thread;
    bool invalid;
    struct CUstream_st *origin, *streams;
    struct frontier left; /* of streams that are gone */
    struct capture *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct capture *all;
static atomic_uint under_way; /* how many; read without the lock by calls that have nothing to do with captures */
static _Thread_local CUstreamCaptureMode thread_mode;

/* ---- frontiers ---- */

static void frontier_free(struct frontier *f)
{
    ls_free(f->nodes);
    ls_free(f->data);
    *f = (struct frontier){0};
}

static bool frontier_has(const struct frontier *f, CUgraphNode n)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->nodes[i] == n)
            return true;
    return false;
}

/* Adds nodes that are not there yet. */
static CUresult frontier_add(struct frontier *f, const CUgraphNode *nodes, const CUgraphEdgeData *data, size_t n)
{
    if (!n)
        return CUDA_SUCCESS;
    CUgraphNode *to = ls_realloc(f->nodes, (f->n + n) * sizeof *to);
    if (to)
        f->nodes = to;
    CUgraphEdgeData *more = to ? ls_realloc(f->data, (f->n + n) * sizeof *more) : NULL;
    if (!more)
        return CUDA_ERROR_OUT_OF_MEMORY;
    f->data = more;
    for (size_t i = 0; i < n; i++) {
        if (frontier_has(f, nodes[i]))
            continue;
        f->nodes[f->n] = nodes[i];
        f->data[f->n++] = data ? data[i] : (CUgraphEdgeData){0};
    }
    return CUDA_SUCCESS;
}

static CUresult frontier_set(struct frontier *f, const CUgraphNode *nodes, const CUgraphEdgeData *data, size_t n)
{
    struct frontier to = {0};
    CUresult r = frontier_add(&to, nodes, data, n);
    if (r != CUDA_SUCCESS) {
        frontier_free(&to);
        return r;
    }
    frontier_free(f);
    *f = to;
    return CUDA_SUCCESS;
}

/* ---- the lists; lock held ---- */

static void join(struct capture *c, struct CUstream_st *s)
{
    LS_LOCKED(&lock);
    s->captured_next = c->streams;
    c->streams = s;
    atomic_store_explicit(&s->capture, c, memory_order_release);
}

static void leave(struct CUstream_st *s)
{
    LS_LOCKED(&lock);
    struct capture *c = atomic_load(&s->capture);
    struct CUstream_st **at = &c->streams;
    while (*at != s)
        at = &(*at)->captured_next;
    *at = s->captured_next;
    frontier_free(&s->frontier);
    atomic_store_explicit(&s->capture, NULL, memory_order_release);
}

static struct capture *find(u64 id)
{
    struct capture *c = all;
    while (c && c->id != id)
        c = c->next;
    return c;
}

static void destroy(struct capture *c)
{
    while (c->streams)
        leave(c->streams);
    struct capture **at = &all;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    atomic_fetch_sub(&under_way, 1);
    frontier_free(&c->left);
    ls_free(c);
}

static CUresult invalidate(struct capture *c, CUresult r)
{
    c->invalid = true;
    return r;
}

static bool active(void) { return atomic_load_explicit(&under_way, memory_order_acquire) != 0; }

/* ---- what is not allowed meanwhile ---- */

CUresult capture_unsafe(void)
{
    if (!active() || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_SUCCESS;
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    for (struct capture *c = all; c; c = c->next) {
        bool mine = pthread_equal(c->thread, pthread_self());
        if ((mine && c->mode != CU_STREAM_CAPTURE_MODE_RELAXED) ||
            (!mine && thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL))
            r = invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    pthread_mutex_unlock(&lock);
    return r;
}

CUresult capture_forbids(struct CUstream_st *s)
{
    if (!active())
        return CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    struct capture *c = atomic_load(&s->capture);
    CUresult r = c ? invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) : CUDA_SUCCESS;
    pthread_mutex_unlock(&lock);
    return r == CUDA_SUCCESS ? capture_unsafe() : r;
}

static bool has_blocking(const struct capture *c)
{
    for (const struct CUstream_st *s = c->streams; s; s = s->captured_next)
        if (!(s->flags & CU_STREAM_NON_BLOCKING))
            return true;
    return false;
}

CUresult capture_implicit(CUcontext ctx, bool spoil)
{
    if (!active())
        return CUDA_SUCCESS;
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    for (struct capture *c = all; c; c = c->next)
        if (c->ctx == ctx && has_blocking(c)) {
            r = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
            c->invalid |= spoil;
        }
    pthread_mutex_unlock(&lock);
    return r;
}

CUresult capture_context(CUcontext ctx)
{
    if (!active())
        return CUDA_SUCCESS;
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    for (struct capture *c = all; c; c = c->next)
        if (c->ctx == ctx)
            r = invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    pthread_mutex_unlock(&lock);
    return r;
}

/* ---- operations ---- */

static CUresult add(struct CUstream_st *s, struct op *op, CUgraph *bodies, unsigned nbodies)
{
    struct capture *c = atomic_load(&s->capture);
    CUgraphNode n;
    if (!c || c->invalid) {
        op_unref(op);
        bodies_free(bodies, nbodies);
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    CUresult r = graph_add(c->graph, s->frontier.nodes, s->frontier.data, s->frontier.n, op, bodies, nbodies, &n);
    return r == CUDA_SUCCESS ? frontier_set(&s->frontier, &n, NULL, 1) : invalidate(c, r);
}

CUresult capture_op(struct CUstream_st *s, struct op *op, CUgraph *bodies, unsigned nbodies)
{
    pthread_mutex_lock(&lock);
    CUresult r = add(s, op, bodies, nbodies);
    pthread_mutex_unlock(&lock);
    return r;
}

/* ---- events ---- */

static void forget(CUevent e)
{
    e->capture = 0;
    frontier_free(&e->frontier);
}

void capture_forget(CUevent e)
{
    pthread_mutex_lock(&lock);
    if (e->capture)
        forget(e);
    pthread_mutex_unlock(&lock);
}

CUresult capture_event(CUevent e)
{
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    if (e->capture) {
        struct capture *c = find(e->capture);
        r = CUDA_ERROR_CAPTURED_EVENT;
        if (c)
            invalidate(c, r);
    }
    pthread_mutex_unlock(&lock);
    return r;
}

static CUresult event_node(struct CUstream_st *s, CUevent e, CUgraphNodeType type)
{
    const CUgraphNodeParams p = {.type = type, .eventRecord = {e}};
    struct op *op = op_plain(&p, s->ctx);
    return op ? capture_op(s, op, NULL, 0) : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult capture_record(struct CUstream_st *s, CUevent e, bool external)
{
    if (external)
        return event_node(s, e, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
    pthread_mutex_lock(&lock);
    struct capture *c = atomic_load(&s->capture);
    CUresult r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (c && !c->invalid) {
        forget(e);
        r = frontier_set(&e->frontier, s->frontier.nodes, s->frontier.data, s->frontier.n);
        e->capture = c->id;
    }
    pthread_mutex_unlock(&lock);
    return r;
}

/* The wait of s for what e was recorded behind, in the capture `of`. Lock held. */
static CUresult wait_captured(struct CUstream_st *s, CUevent e, struct capture *of)
{
    struct capture *c = atomic_load(&s->capture);
    if (of->invalid || (c && c->invalid))
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (s->legacy)
        return invalidate(of, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    if (c && c != of) {
        invalidate(c, CUDA_ERROR_STREAM_CAPTURE_MERGE);
        return invalidate(of, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    if (!c)
        join(of, s);
    return frontier_add(&s->frontier, e->frontier.nodes, e->frontier.data, e->frontier.n);
}

bool capture_wait(struct CUstream_st *s, CUevent e, bool external, CUresult *r)
{
    if (external && stream_capturing(s)) {
        *r = event_node(s, e, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
        return true;
    }
    pthread_mutex_lock(&lock);
    struct capture *c = atomic_load(&s->capture), *of = e->capture ? find(e->capture) : NULL;
    bool mine = c || e->capture;
    if (of)
        *r = wait_captured(s, e, of);
    else if (c && c->invalid)
        *r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (c && (e->capture || e->point)) /* recorded, but outside of this capture */
        *r = invalidate(c, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    else if (e->capture)
        *r = CUDA_ERROR_CAPTURED_EVENT;
    pthread_mutex_unlock(&lock);
    return mine;
}

/* ---- beginning and ending ---- */

static CUresult begin(struct CUstream_st *s, CUgraph g, const CUgraphNode *deps, const CUgraphEdgeData *data, size_t n,
                      CUstreamCaptureMode mode)
{
    struct capture *c = ls_calloc(1, sizeof *c);
    CUgraph graph = g ? g : graph_new(NULL);
    if (!c || !graph) {
        ls_free(c);
        if (!g)
            graph_free(graph);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *c = (struct capture){.id = atomic_fetch_add(&drv.next_id, 1) + 1,
                          .ctx = s->ctx,
                          .graph = graph,
                          .own_graph = !g,
                          .mode = mode,
                          .thread = pthread_self(),
                          .origin = s,
                          .next = all};
    all = c;
    atomic_fetch_add(&under_way, 1);
    join(c, s);
    CUresult r = frontier_set(&s->frontier, deps, data, n);
    if (r == CUDA_SUCCESS)
        return r;
    if (!g)
        graph_free(graph);
    destroy(c);
    return r;
}

static bool of_graph(CUgraph g, const CUgraphNode *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!nodes || !node_valid(nodes[i]) || nodes[i]->graph != g)
            return false;
    return true;
}

static CUresult begin_in(CUstream handle, CUgraph g, const CUgraphNode *deps, const CUgraphEdgeData *data, size_t n,
                         CUstreamCaptureMode mode)
{
    struct CUstream_st *s;
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = stream_find(handle, &s);
    if (r != CUDA_SUCCESS)
        return r;
    if (s->legacy)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    pthread_mutex_lock(&lock);
    r = stream_capturing(s) ? CUDA_ERROR_ILLEGAL_STATE : begin(s, g, deps, data, n, mode);
    pthread_mutex_unlock(&lock);
    return r;
}

CUresult impl_cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    return begin_in(hStream, NULL, NULL, NULL, 0, mode);
}

CUresult impl_cuStreamBeginCapture(CUstream hStream)
{
    return begin_in(hStream, NULL, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult impl_cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
                                          const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                          CUstreamCaptureMode mode)
{
    if (!graph_valid(hGraph) || hGraph->constant || !of_graph(hGraph, dependencies, numDependencies))
        return CUDA_ERROR_INVALID_VALUE;
    return begin_in(hStream, hGraph, dependencies, dependencyData, numDependencies, mode);
}

/* Marks what the frontier's nodes come after, and themselves. NULL: no memory. */
static bool *reach(CUgraph g, const struct frontier *f)
{
    bool *seen = ls_calloc(g->n + 1, sizeof *seen);
    CUgraphNode *stack = ls_calloc(g->n + 1, sizeof *stack);
    size_t depth = 0;
    for (size_t i = 0; seen && stack && i < f->n; i++) {
        if (!seen[f->nodes[i]->index])
            stack[depth++] = f->nodes[i];
        seen[f->nodes[i]->index] = true;
    }
    while (depth) {
        CUgraphNode n = stack[--depth];
        for (size_t k = 0; k < n->ndeps; k++) {
            CUgraphNode dep = n->deps[k].node;
            if (!seen[dep->index])
                stack[depth++] = dep;
            seen[dep->index] = true;
        }
    }
    bool ok = stack != NULL;
    ls_free(stack);
    if (!ok) {
        ls_free(seen);
        return NULL;
    }
    return seen;
}

static bool has_reached(const bool *seen, const struct frontier *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (!seen[f->nodes[i]->index])
            return false;
    return true;
}

static CUresult joined(const struct capture *c)
{
    bool *seen = reach(c->graph, &c->origin->frontier);
    if (!seen)
        return CUDA_ERROR_OUT_OF_MEMORY;
    bool all_there = has_reached(seen, &c->left);
    for (const struct CUstream_st *s = c->streams; s; s = s->captured_next)
        all_there = all_there && has_reached(seen, &s->frontier);
    ls_free(seen);
    return all_there ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

/* out: NULL will do where the caller has the graph already. */
static CUresult end(struct CUstream_st *s, CUgraph *out)
{
    struct capture *c = atomic_load(&s->capture);
    if (!c)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (c->origin != s)
        return invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(c->thread, pthread_self()))
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    if (!out && c->own_graph) /* else the graph would be lost */
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = c->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : joined(c);
    if (r == CUDA_SUCCESS && out)
        *out = c->graph;
    else if (r != CUDA_SUCCESS && c->own_graph)
        graph_free(c->graph);
    destroy(c);
    return r;
}

CUresult impl_cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    struct CUstream_st *s;
    if (phGraph)
        *phGraph = NULL;
    CUresult r = stream_find(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&lock);
    r = end(s, phGraph);
    pthread_mutex_unlock(&lock);
    return r;
}

/* A capture cannot be ended without the stream that began it. Work of another stream must have been joined, or must
 * still be joined, through an event that it recorded. */
void capture_leave(struct CUstream_st *s)
{
    if (!stream_capturing(s))
        return;
    pthread_mutex_lock(&lock);
    struct capture *c = atomic_load(&s->capture);
    if (c && c->origin == s) {
        if (c->own_graph)
            graph_free(c->graph);
        destroy(c);
    } else if (c) {
        CUresult r = frontier_add(&c->left, s->frontier.nodes, s->frontier.data, s->frontier.n);
        if (r != CUDA_SUCCESS)
            invalidate(c, r);
        leave(s);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- questions ---- */

/* The stream; the legacy stream too, for which *r says whether it may be queried while others capture. */
static struct CUstream_st *asked(CUstream handle, CUresult *r)
{
    struct CUstream_st *s = NULL;
    if (handle == CU_STREAM_LEGACY || (!handle && !drv_per_thread)) {
        *r = capture_implicit(ctx_current(), false);
        return ctx_current()->legacy;
    }
    *r = stream_find(handle, &s);
    return s;
}

static CUstreamCaptureStatus status_of(const struct capture *c)
{
    if (!c)
        return CU_STREAM_CAPTURE_STATUS_NONE;
    return c->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult impl_cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    CUresult r;
    if (!captureStatus)
        return CUDA_ERROR_INVALID_VALUE;
    const struct CUstream_st *s = asked(hStream, &r);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&lock);
    *captureStatus = status_of(atomic_load(&s->capture));
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult impl_cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                        CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                        const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
    CUresult r;
    if (!captureStatus_out)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUstream_st *s = asked(hStream, &r);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&lock);
    const struct capture *c = atomic_load(&s->capture);
    *captureStatus_out = status_of(c);
    if (c && !c->invalid) {
        if (id_out)
            *id_out = c->id;
        if (graph_out)
            *graph_out = c->graph;
        if (dependencies_out)
            *dependencies_out = s->frontier.nodes;
        if (edgeData_out)
            *edgeData_out = s->frontier.data;
        if (numDependencies_out)
            *numDependencies_out = s->frontier.n;
        for (size_t i = 0; dependencies_out && !edgeData_out && i < s->frontier.n; i++)
            if (!edge_plain(&s->frontier.data[i]))
                r = CUDA_ERROR_LOSSY_QUERY;
    }
    pthread_mutex_unlock(&lock);
    return r;
}

CUresult impl_cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                        CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                        size_t *numDependencies_out)
{
    return impl_cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out, dependencies_out, NULL,
                                          numDependencies_out);
}

CUresult impl_cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out)
{
    return impl_cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, NULL, NULL, NULL, NULL);
}

CUresult impl_cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                                   const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                                   unsigned int flags)
{
    struct CUstream_st *s;
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = stream_find(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&lock);
    const struct capture *c = atomic_load(&s->capture);
    if (!c)
        r = CUDA_ERROR_ILLEGAL_STATE;
    else if (c->invalid)
        r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (!of_graph(c->graph, dependencies, numDependencies))
        r = CUDA_ERROR_INVALID_VALUE;
    else if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        r = frontier_set(&s->frontier, dependencies, dependencyData, numDependencies);
    else
        r = frontier_add(&s->frontier, dependencies, dependencyData, numDependencies);
    pthread_mutex_unlock(&lock);
    return r;
}

CUresult impl_cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies, size_t numDependencies,
                                                unsigned int flags)
{
    return impl_cuStreamUpdateCaptureDependencies_v2(hStream, dependencies, NULL, numDependencies, flags);
}

CUresult impl_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    CUstreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
