/* children.c - events in the order of their times (children.h). */
#include "model/children.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"

/* Measured on an H200 by tests/hw/device_runtime.cu, with which launches stands behind each. */
#define CHILD_LAUNCH_NS 5800.0   /* of the thread that launches: one launches 1 to 256 grids */
#define CHILD_BESIDE_NS 240.0    /* for each further thread of its block that does: 1 to 128 threads */
#define CHILD_BEGIN_NS 250.0     /* until the device can begin the next: 1024 blocks launch a grid each */
#define CHILD_ORDER_NS 4100.0    /* from the end of a grid to the next in its stream: 32 grids of 50 us */
#define CHILD_TAIL_NS 1700.0     /* and to its tail: chains of 1 to 16 */
#define CHILD_STREAM_NS 250.0    /* an end in a stream keeps the device so long: 1024 blocks, each into its own */
#define CHILD_STREAMED_NS 4500.0 /* and then its parent knows of it: one launches one */
#define CHILD_END_NS 400.0       /* the same for a grid with children: binary trees of 511 and 1023 grids */
#define CHILD_ENDED_NS 3800.0    /* chains of 1 to 16 */
#define CHILD_FIRST_NS 17000.0   /* once for a launch whose kernels launch: one launches one, caches cold */
#define CHILD_GRIDS 128          /* that run at once: 32 to 608 grids of 500 us */

/* Sectors of L2, and of DRAM, once for a launch whose kernels launch; and of DRAM for each launch that is pending while others are: its
 * place in memory is used again when it is over (tests/hw/call_traffic.cu: 1 to 254 grids). */
enum { CHILD_FIRST_L2 = 5300, CHILD_FIRST_READS = 3300, CHILD_FIRST_DRAM = 1980, CHILD_PENDING_DRAM = 41 };

#define NONE UINT32_MAX

enum what {
    HANDED,  /* its launch is done, or the grid before it in its stream is complete */
    ENDED,   /* its blocks have */
    DONE,    /* all below it too: the next in its stream may begin */
    COMPLETE /* its parent knows */
};

struct event {
    double t;
    u32 seq; /* of events at one time the first comes first */
    u32 grid;
    enum what what;
};

struct node {
    double handed;          /* after its parent's begin */
    double alone;           /* its blocks */
    double own;             /* with its launches */
    double share;           /* of the device */
    double finished;        /* when it was DONE */
    u32 first, last, next;  /* its children, but tails, and the next of its parent's */
    u32 tail;               /* its first tail; those are linked by `after` */
    u32 before, after;      /* in its stream */
    u32 pending, nchildren; /* children that are not complete; of all kinds */
    bool launched, ended, done;
};

struct tree {
    struct arena *mem;
    const struct gpu *gpu;
    const struct child_grid *grids;
    struct node *nodes;
    u32 n;
    VEC(struct event) events; /* a heap */
    VEC(u32) ready;
    u32 nstarted, running, seq;
    u32 pending, pending_most; /* grids that are launched and not complete */
    double share;              /* of the device that is taken */
    double busy;               /* the device begins or ends another grid until then */
};

static double calls_ns(double rounds, double threads)
{
    return rounds * (CHILD_LAUNCH_NS + CHILD_BESIDE_NS * fmax(0, threads - 1));
}

/* ---- the queue of events ---- */

static bool earlier(const struct event *a, const struct event *b)
{
    return a->t < b->t || (a->t == b->t && a->seq < b->seq);
}

static void swap(struct event *a, struct event *b)
{
    const struct event c = *a;
    *a = *b, *b = c;
}

static void put(struct tree *t, double at, enum what what, u32 grid)
{
    vec_push(t->mem, &t->events, ((struct event){.t = at, .seq = t->seq++, .grid = grid, .what = what}));
    for (u32 k = t->events.len - 1; k && earlier(&t->events.at[k], &t->events.at[(k - 1) / 2]); k = (k - 1) / 2)
        swap(&t->events.at[k], &t->events.at[(k - 1) / 2]);
}

static struct event take(struct tree *t)
{
    struct event *at = t->events.at;
    const struct event first = at[0];
    at[0] = at[--t->events.len];
    for (u32 k = 0, least;; k = least) {
        least = k;
        for (u32 c = 2 * k + 1; c <= 2 * k + 2 && c < t->events.len; c++)
            if (earlier(&at[c], &at[least]))
                least = c;
        if (least == k)
            return first;
        swap(&at[k], &at[least]);
    }
}

/* ---- when launches are done, after the parent's begin ---- */

enum { THREADS = 1024 };

/* When a block's own work is done. */
static double place_of(const struct child_grid *p, double alone, u64 block)
{
    if (p->blocks <= p->held || p->blocks == 0)
        return alone;
    return alone * fmax(p->held, (double)block + 1) / (double)p->blocks;
}

/* The children from `first` on that the same block launched. */
static void hand_block(struct tree *t, u32 first, u32 end, const u32 *list)
{
    const struct child_grid *c = &t->grids[list[first]];
    struct node *parent = &t->nodes[c->parent];
    const double place = place_of(&t->grids[c->parent], parent->alone, c->block);
    u32 rounds[THREADS] = {0}, threads = 0;
    for (u32 k = first; k < end; k++)
        threads += !rounds[t->grids[list[k]].thread % THREADS]++;
    memset(rounds, 0, sizeof rounds);
    for (u32 k = first; k < end; k++) {
        const u32 thread = t->grids[list[k]].thread % THREADS;
        struct node *n = &t->nodes[list[k]];
        n->handed = place + calls_ns(++rounds[thread], threads);
        parent->own = fmax(parent->own, n->handed);
    }
}

/* Behind the last child of the same block and stream. */
static void link_stream(struct tree *t, u32 child, const u32 *list, u32 first, u32 k)
{
    const struct child_grid *c = &t->grids[child];
    while (k-- > first) {
        const struct child_grid *o = &t->grids[list[k]];
        if (o->block != c->block)
            return;
        if (o->order == c->order && o->stream == c->stream) {
            t->nodes[child].before = list[k];
            t->nodes[list[k]].after = child;
            return;
        }
    }
}

static void link_tail(struct tree *t, struct node *parent, u32 child)
{
    u32 *at = &parent->tail;
    while (*at != NONE)
        at = &t->nodes[*at].after;
    *at = child;
}

static void link_children(struct tree *t, struct node *parent, const u32 *list, u32 n)
{
    u32 first = 0;
    for (u32 k = 0; k < n; k++) {
        const struct child_grid *c = &t->grids[list[k]];
        if (k && t->grids[list[k - 1]].block != c->block) {
            hand_block(t, first, k, list);
            first = k;
        }
        if (c->order == CHILD_TAIL) {
            link_tail(t, parent, list[k]);
            continue;
        }
        if (c->order == CHILD_IN_STREAM)
            link_stream(t, list[k], list, first, k);
        if (parent->first == NONE)
            parent->first = list[k];
        else
            t->nodes[parent->last].next = list[k];
        parent->last = list[k];
        parent->pending++;
    }
    parent->nchildren = n;
    if (n)
        hand_block(t, first, n, list);
}

static void make_nodes(struct tree *t)
{
    u32 *counts = arena_array(t->mem, u32, t->n + 1), *list = arena_array(t->mem, u32, t->n + 1);
    t->nodes = arena_array(t->mem, struct node, t->n);
    for (u32 k = 0; k < t->n; k++) {
        const struct child_grid *g = &t->grids[k];
        const double alone = fmax(0, g->ns - t->gpu->kernel_ns);
        const double share = g->held > 0 ? (double)g->blocks / g->held : 1;
        t->nodes[k] = (struct node){.alone = alone,
                                    .own = alone,
                                    .share = fmin(1, share),
                                    .first = NONE,
                                    .next = NONE,
                                    .tail = NONE,
                                    .before = NONE,
                                    .after = NONE};
        counts[g->parent + 1 < t->n ? g->parent + 1 : t->n] += k > 0;
    }
    for (u32 k = 0; k < t->n; k++)
        counts[k + 1] += counts[k];
    for (u32 k = 1; k < t->n; k++) /* sorted by parent, in their order */
        list[counts[t->grids[k].parent]++] = k;
    for (u32 k = 0, from = 0; k < t->n; from = counts[k++])
        link_children(t, &t->nodes[k], &list[from], counts[k] - from);
}

/* ---- the course of it ---- */

/* From when on the device is at it: it does one after the other. */
static double serve(struct tree *t, double now, double ns)
{
    const double at = fmax(now, t->busy);
    t->busy = at + ns;
    return at;
}

static void begin_pending(struct tree *t)
{
    t->pending++;
    t->pending_most = t->pending > t->pending_most ? t->pending : t->pending_most;
}

/* Its tails wait from now on. */
static void start(struct tree *t, u32 grid, double at)
{
    const struct node *n = &t->nodes[grid];
    t->running++;
    t->share += n->share;
    put(t, at + n->own, ENDED, grid);
    for (u32 c = n->first; c != NONE; c = t->nodes[c].next)
        put(t, at + t->nodes[c].handed, HANDED, c);
    for (u32 c = n->tail; c != NONE; c = t->nodes[c].after)
        begin_pending(t);
}

static void start_ready(struct tree *t, double now)
{
    while (t->nstarted < t->ready.len) {
        const u32 grid = t->ready.at[t->nstarted];
        const bool room = t->running < CHILD_GRIDS && t->share + t->nodes[grid].share <= 1 + 1e-9;
        if (t->running && !room)
            return;
        t->nstarted++;
        start(t, grid, serve(t, now, CHILD_BEGIN_NS));
    }
}

static void hand(struct tree *t, u32 grid, double now)
{
    struct node *n = &t->nodes[grid];
    if (!n->launched && t->grids[grid].order != CHILD_TAIL)
        begin_pending(t);
    n->launched = true;
    const struct node *before = n->before == NONE ? NULL : &t->nodes[n->before];
    if (before && !before->done)
        return; /* it will be handed again */
    if (before && before->finished + CHILD_ORDER_NS > now) {
        put(t, before->finished + CHILD_ORDER_NS, HANDED, grid);
        return;
    }
    vec_push(t->mem, &t->ready, grid);
    start_ready(t, now);
}

/* A grid whose blocks have ended, and all of its children: its tails are next. */
static void look(struct tree *t, u32 grid, double now)
{
    struct node *n = &t->nodes[grid];
    if (!n->ended || n->pending)
        return;
    if (n->tail != NONE) {
        const u32 tail = n->tail;
        n->tail = t->nodes[tail].after;
        t->nodes[tail].after = NONE;
        n->pending = 1;
        put(t, now + CHILD_TAIL_NS, HANDED, tail);
    } else if (n->nchildren) {
        put(t, serve(t, now, CHILD_END_NS) + CHILD_ENDED_NS, DONE, grid);
    } else {
        put(t, now, DONE, grid);
    }
}

/* The next in its stream may begin; its parent hears of it later. */
static void finish(struct tree *t, u32 grid, double now)
{
    struct node *n = &t->nodes[grid];
    n->done = true;
    n->finished = now;
    if (n->after != NONE && t->nodes[n->after].launched)
        put(t, now + CHILD_ORDER_NS, HANDED, n->after);
    if (grid && t->grids[grid].order == CHILD_IN_STREAM)
        now = serve(t, now, CHILD_STREAM_NS) + CHILD_STREAMED_NS;
    put(t, now, COMPLETE, grid);
}

static void complete(struct tree *t, u32 grid, double now)
{
    if (!grid)
        return;
    t->pending--;
    t->nodes[t->grids[grid].parent].pending--;
    look(t, t->grids[grid].parent, now);
}

double children_ns(struct arena *mem, const struct gpu *gpu, const struct child_grid *grids, u32 n,
                   struct child_traffic *traffic)
{
    struct tree t = {.mem = mem, .gpu = gpu, .grids = grids, .n = n};
    *traffic = (struct child_traffic){0};
    if (!n)
        return 0;
    make_nodes(&t);
    start(&t, 0, 0);
    while (t.events.len) {
        const struct event e = take(&t);
        if (e.what == HANDED) {
            hand(&t, e.grid, e.t);
        } else if (e.what == DONE) {
            finish(&t, e.grid, e.t);
        } else if (e.what == COMPLETE) {
            complete(&t, e.grid, e.t);
        } else {
            t.running--;
            t.share -= t.nodes[e.grid].share;
            t.nodes[e.grid].ended = true;
            look(&t, e.grid, e.t);
            start_ready(&t, e.t);
        }
    }
    if (n > 1)
        *traffic = (struct child_traffic){.l2 = CHILD_FIRST_L2,
                                          .l2_reads = CHILD_FIRST_READS,
                                          .dram_reads = CHILD_FIRST_DRAM + CHILD_PENDING_DRAM * t.pending_most};
    return gpu->kernel_ns + t.nodes[0].finished + (n > 1 ? CHILD_FIRST_NS : 0);
}
