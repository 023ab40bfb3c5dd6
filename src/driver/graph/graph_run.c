/* graph_run.c - launching: a whole graph is one work of its stream, and its nodes run one after the other, each behind
 * those that it depends on.
 *
 * A launch takes references to the operations as they are then, so the graph may be changed, updated and destroyed
 * while it runs. What the launch itself decides: which points its events mean, which memory is live after it. Branches
 * do not run at the same time; CUDA promises nothing else. Launches of one executable graph take turns, whatever the
 * stream. */
#include "driver/graph/graph.h"
#include "driver/observe/launcher.h"

#include <string.h>

#include "base/alloc.h"

struct sequence {
    struct step *steps;
    size_t n;
};

struct step {
    struct op *op;
    struct event_point *point; /* that a record reaches, or a wait waits for */
    bool chosen, wanted;       /* a kernel: whether a tool wants it was decided at the launch, and how */
    struct sequence *bodies;
    unsigned nbodies;
};

struct graph_work {
    struct work work;
    CUcontext ctx;
    struct launch_place place;
    u64 number; /* of launches of graphs */
    struct sequence all;
    struct user_ref *users; /* kept until the run is over */
    size_t nusers;
};

/* ---- what a launch takes with it ---- */

static void sequence_free(struct sequence *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct step *t = &s->steps[i];
        if (t->point && t->op->params.type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
            event_point_reach(t->point); /* also when the run was skipped: others may wait */
        else if (t->point)
            event_point_unref(t->point);
        for (unsigned k = 0; k < t->nbodies; k++)
            sequence_free(&t->bodies[k]);
        ls_free(t->bodies);
        op_unref(t->op);
    }
    ls_free(s->steps);
}

static bool build(struct sequence *s, CUgraph g);

static bool build_step(struct step *t, CUgraphNode n)
{
    t->op = n->op;
    op_ref(t->op);
    if (!n->nbodies)
        return true;
    t->bodies = ls_calloc(n->nbodies, sizeof *t->bodies);
    if (!t->bodies)
        return false;
    for (; t->nbodies < n->nbodies; t->nbodies++)
        if (!build(&t->bodies[t->nbodies], n->bodies[t->nbodies])) {
            t->nbodies++;
            return false;
        }
    return true;
}

static bool build(struct sequence *s, CUgraph g)
{
    s->steps = ls_calloc(g->n + 1, sizeof *s->steps);
    if (!s->steps)
        return false;
    for (size_t i = 0; i < g->n; i++)
        if (!g->nodes[i]->disabled && !build_step(&s->steps[s->n++], g->nodes[i]))
            return false;
    return true;
}

/* ---- whether it may run ---- */

static CUresult check(const struct sequence *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct step *t = &s->steps[i];
        const CUgraphNodeParams *p = &t->op->params;
        if (!ctx_valid(t->op->ctx))
            return CUDA_ERROR_INVALID_CONTEXT;
        if ((p->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD || p->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT) &&
            !event_valid(p->eventRecord.event))
            return CUDA_ERROR_INVALID_HANDLE;
        for (unsigned k = 0; k < t->nbodies; k++) {
            CUresult r = check(&t->bodies[k]);
            if (r != CUDA_SUCCESS)
                return r;
        }
    }
    return CUDA_SUCCESS;
}

/* ---- memory ---- */

static bool frees(const struct sequence *s, u64 address)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct step *t = &s->steps[i];
        if (t->op->params.type == CU_GRAPH_NODE_TYPE_MEM_FREE && t->op->params.free.dptr == address)
            return true;
        for (unsigned k = 0; k < t->nbodies; k++)
            if (frees(&t->bodies[k], address))
                return true;
    }
    return false;
}

/* Memory that the graph allocates and does not free is live after the launch; it must not be live before, unless the
 * graph was instantiated to free it at launch. Memory of other graphs that it frees is live no more. */
static CUresult claim(const struct sequence *all, const struct sequence *s, bool auto_free)
{
    u64 address;
    for (size_t i = 0; i < s->n; i++) {
        const struct step *t = &s->steps[i];
        if (t->op->params.type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
            memory_graph_set_live(t->op->params.free.dptr, false);
        } else if (memory_op_address(t->op, &address) && !frees(all, address) && memory_graph_set_live(address, true) &&
                   !auto_free) {
            drv_log("the graph allocated %#llx in an earlier launch, and it was not freed since",
                    (unsigned long long)address);
            return CUDA_ERROR_INVALID_VALUE;
        }
        for (unsigned k = 0; k < t->nbodies; k++) {
            CUresult r = claim(all, &t->bodies[k], auto_free);
            if (r != CUDA_SUCCESS)
                return r;
        }
    }
    return CUDA_SUCCESS;
}

/* ---- events ---- */

/* In the order of the run: a wait behind a record in the same graph waits for that one. */
static CUresult take_points(struct sequence *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct step *t = &s->steps[i];
        const CUgraphNodeParams *p = &t->op->params;
        if (p->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD) {
            t->point = event_point_begin(p->eventRecord.event);
            if (!t->point)
                return CUDA_ERROR_OUT_OF_MEMORY;
        } else if (p->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT) {
            t->point = event_point_last(p->eventWait.event);
        }
        for (unsigned k = 0; k < t->nbodies; k++) {
            CUresult r = take_points(&t->bodies[k]);
            if (r != CUDA_SUCCESS)
                return r;
        }
    }
    return CUDA_SUCCESS;
}

/* ---- which kernels tools want ---- */

/* In the order of the run. The kernels of a condition run some number of times, so each time decides. */
static void choose(struct sequence *s, struct launch_place place)
{
    for (size_t i = 0; i < s->n; i++) {
        struct step *t = &s->steps[i];
        if (t->op->params.type == CU_GRAPH_NODE_TYPE_KERNEL) {
            t->chosen = true;
            t->wanted = driver_launcher.wants(kernel_op_name(t->op), place);
        } else if (t->op->params.type == CU_GRAPH_NODE_TYPE_GRAPH) {
            choose(&t->bodies[0], place);
        }
    }
}

/* ---- running ---- */

static void run_all(struct graph_work *w, struct sequence *s);

static bool stopped(const struct graph_work *w)
{
    return ctx_sticky(w->ctx) != CUDA_SUCCESS || atomic_load(&drv.exiting);
}

static void run_condition(struct graph_work *w, struct step *t)
{
    const struct condition *c = condition_of(t->op);
    u32 value = condition_read(c);
    switch (t->op->params.conditional.type) {
    case CU_GRAPH_COND_TYPE_IF:
        if (value)
            run_all(w, &t->bodies[0]);
        else if (t->nbodies > 1)
            run_all(w, &t->bodies[1]); /* else */
        break;
    case CU_GRAPH_COND_TYPE_WHILE:
        for (; value && !stopped(w); value = condition_read(c))
            run_all(w, &t->bodies[0]);
        break;
    case CU_GRAPH_COND_TYPE_SWITCH:
        if (value < t->nbodies)
            run_all(w, &t->bodies[value]);
        break;
    }
}

static void run_step(struct graph_work *w, struct step *t)
{
    switch (t->op->params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        kernel_op_run(t->op, w->place, t->chosen ? t->wanted : driver_launcher.wants(kernel_op_name(t->op), w->place));
        break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        run_all(w, &t->bodies[0]);
        break;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        run_condition(w, t);
        break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        event_point_reach(t->point);
        t->point = NULL;
        break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        if (t->point)
            event_point_wait(t->point);
        t->point = NULL;
        break;
    default:
        t->op->work.run(&t->op->work);
    }
}

static void run_all(struct graph_work *w, struct sequence *s)
{
    for (size_t i = 0; i < s->n; i++)
        run_step(w, &s->steps[i]);
}

static void reset_conditions(const struct sequence *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->steps[i].op->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
            condition_reset(condition_of(s->steps[i].op));
        for (unsigned k = 0; k < s->steps[i].nbodies; k++)
            reset_conditions(&s->steps[i].bodies[k]);
    }
}

static void graph_run(struct work *work)
{
    struct graph_work *w = (struct graph_work *)work;
    TELL(graph_begin, w->number);
    reset_conditions(&w->all);
    run_all(w, &w->all);
    TELL(graph_end);
}

static void graph_release(struct work *work)
{
    struct graph_work *w = (struct graph_work *)work;
    sequence_free(&w->all);
    users_free(w->users, w->nusers);
    ls_free(w);
}

/* ---- launching ---- */

/* The next launch of e comes behind this one, in whatever stream. */
static CUresult enqueue(CUgraphExec e, struct CUstream_st *s, struct graph_work *w)
{
    bool ok = true;
    pthread_mutex_lock(&drv.hub.lock);
    if (e->last && e->last != s->queue)
        ok = queue_push_wait(s->queue, e->last, e->last_n);
    pthread_mutex_unlock(&drv.hub.lock);
    if (!ok) {
        graph_release(&w->work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    u64 n;
    CUresult r = stream_submit(s, &w->work, &n);
    if (r != CUDA_SUCCESS)
        return r;
    struct queue *before = e->last;
    pthread_mutex_lock(&drv.hub.lock);
    queue_ref(s->queue);
    pthread_mutex_unlock(&drv.hub.lock);
    e->last = s->queue;
    e->last_n = n;
    if (before)
        queue_unref(before);
    return CUDA_SUCCESS;
}

static CUresult prepare(CUgraphExec e, struct graph_work *w)
{
    if (!build(&w->all, e->graph))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult r = check(&w->all);
    if (r == CUDA_SUCCESS)
        r = users_keep(e->graph, &w->users, &w->nusers);
    if (r == CUDA_SUCCESS)
        r = claim(&w->all, &w->all, e->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    return r == CUDA_SUCCESS ? take_points(&w->all) : r;
}

/* ---- events: to observers a launch is one operation, after all its waits and before all its records ---- */

static void tell_events(const struct sequence *q, const struct CUstream_st *s, CUgraphNodeType which)
{
    for (size_t i = 0; i < q->n; i++) {
        const struct step *t = &q->steps[i];
        const CUgraphNodeParams *p = &t->op->params;
        if (p->type == which && which == CU_GRAPH_NODE_TYPE_WAIT_EVENT)
            TELL(event_waited, s, p->eventWait.event, true);
        else if (p->type == which)
            TELL(event_recorded, s, p->eventRecord.event, true);
        for (unsigned k = 0; k < t->nbodies; k++)
            tell_events(&t->bodies[k], s, which);
    }
}

static void number(CUgraphExec e, const struct CUstream_st *s, struct graph_work *w)
{
    if (HEARD(event_waited))
        tell_events(&w->all, s, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
    w->work.number = stream_number(s, 0, NULL, e);
    if (HEARD(event_recorded))
        tell_events(&w->all, s, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

/* In a capture the graph becomes a child graph. */
static CUresult capture(CUgraphExec e, struct CUstream_st *s)
{
    const CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    CUgraph *bodies = ls_calloc(1, sizeof *bodies);
    struct op *op = op_plain(&p, s->ctx);
    CUresult r = bodies && op ? graph_clone(e->graph, bodies) : CUDA_ERROR_OUT_OF_MEMORY;
    if (r == CUDA_SUCCESS)
        return capture_op(s, op, bodies, 1);
    op_unref(op);
    ls_free(bodies);
    return r;
}

CUresult exec_launch(CUgraphExec e, struct CUstream_st *s)
{
    if (stream_capturing(s))
        return capture(e, s);
    struct graph_work *w = ls_calloc(1, sizeof *w);
    if (!w)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *w = (struct graph_work){
        .work = {.run = graph_run, .release = graph_release}, .ctx = s->ctx, .place = stream_place(s)};
    CUresult r = prepare(e, w);
    if (r != CUDA_SUCCESS) {
        graph_release(&w->work);
        return r;
    }
    w->number = atomic_fetch_add(&drv.graph_launches, 1) + 1;
    TELL(asked, &(struct driver_ask){.what = ASKED_GRAPH, .stream = s, .launch = w->number});
    choose(&w->all, w->place);
    number(e, s, w);
    r = enqueue(e, s, w);
    return r == CUDA_SUCCESS ? launch_wait(s) : r;
}
