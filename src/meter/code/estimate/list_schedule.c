/* list_schedule.c - the order in which a block's machine instructions are issued: list scheduling, as compilers do it.
 *
 * Of the instructions whose operands are there, the one with the longest way to the end of the block goes first; where none
 * is ready, the one that will be first. Loads are assumed to take as long as one that misses, so independent ones come
 * together and their uses sink, until so many registers are taken as ptxas is expected to spend, or all predicates (pressure.c).
 *
 * What is looked at are the next WINDOW instructions, so that a long block costs its length. */
#include "meter/code/estimate/nodes.h"

/* COPIES: the cycle from which on copies of registers come, behind the loads that a loop begins with: what they copy may be under way. */
enum { WINDOW = 256, NEAR = 12, NEARBY = 24, NEAR_LOADS = 64, COPIES = 20 };

struct list {
    const struct graph *g;
    u32 *height;              /* cycles from the issue to the end of the block */
    u32 *needs;               /* nodes that have to be issued before */
    u32 *ready;               /* the cycle when its operands are there */
    bool *done;               /* issued */
    bool *alone;              /* a load whose readers read no other load */
    bool *early;              /* a load, or what its address needs */
    u32 *open, nopen;         /* nodes of the window that need no other one to be issued first */
    u32 first, end;           /* the window: from the lowest node that is not issued */
    struct pressure pressure; /* of what is issued */
    u32 now;
    u32 free[PIPE_COUNT]; /* the cycle from which on the pipe takes another one */
};

/* Cycles from n to one that needs its result. What reads two loads frees registers, and is wanted soon where those are few. */
static u32 distance(const struct list *l, u32 n, const struct edge *e)
{
    const struct node *from = &l->g->nodes.at[n];
    if (!e->value)
        return 1;
    const u32 assumed = l->alone[n] ? from->alone : l->g->roomy ? from->roomy : 0;
    return from->latency < assumed ? assumed : node_distance(from, &l->g->nodes.at[e->to]);
}

static void find_heights(struct list *l)
{
    for (u32 n = l->g->nodes.len; n-- > 0;) {
        const struct node *node = &l->g->nodes.at[n];
        l->height[n] = node->latency;
        for (u32 k = node->first_out; k; k = l->g->edges.at[k - 1].next) {
            const struct edge *e = &l->g->edges.at[k - 1];
            const u32 way = distance(l, n, e) + l->height[e->to];
            l->height[n] = way > l->height[n] ? way : l->height[n];
        }
    }
}

/* It comes forward, and there are no registers for that, or no predicate. Four words of a load need places that follow each other, at a multiple of four: some
 * are lost. */
static bool is_crowded(const struct list *l, u32 n)
{
    const u32 words = l->g->nodes.at[n].words;
    if (n != l->first && pressure_lacks_predicate(&l->pressure, n))
        return true;
    if (n == l->first || !(words || n >= l->first + NEAR))
        return false;
    const u32 behind = pressure_behind(&l->pressure, n) + (words > 2 ? 2 * (words - 1) : 0);
    return behind > l->g->room && behind > l->pressure.now;
}

/* The cycle when it can be issued. */
static u32 soonest(const struct list *l, u32 n)
{
    const u32 pipe = l->free[l->g->nodes.at[n].inst.pipe], operands = l->ready[n] > l->now ? l->ready[n] : l->now;
    return pipe > operands ? pipe : operands;
}

/* The lower, the sooner its turn: what is not crowded, what can be issued first, what has the longest way to the end. */
static u64 rank(const struct list *l, u32 n)
{
    return (u64)is_crowded(l, n) << 63 | (u64)soonest(l, n) << 32 | (UINT32_MAX - l->height[n]);
}

/* ptxas brings loads forward from far away, other instructions only a little. In loops it puts a load some 300 cycles before its use: 60 to 85
 * instructions of a chain. */
static bool is_near(const struct list *l, u32 n)
{
    return n < l->first + NEARBY || (l->early[n] && (!l->g->loop || n < l->first + NEAR_LOADS));
}

/* The place in `open` of the node to issue; of equals the one that is first in the text. */
static u32 choose(const struct list *l)
{
    u32 best = 0;
    u64 lowest = UINT64_MAX;
    for (u32 k = 0; k < l->nopen; k++) {
        if (!is_near(l, l->open[k]))
            continue;
        const u64 r = rank(l, l->open[k]);
        if (r < lowest || (r == lowest && l->open[k] < l->open[best])) {
            lowest = r;
            best = k;
        }
    }
    return best;
}

static void move_window(struct list *l)
{
    const u32 n = l->g->nodes.len;
    while (l->first < n && l->done[l->first])
        l->first++;
    for (; l->end < n && l->end < l->first + WINDOW; l->end++)
        if (!l->needs[l->end])
            l->open[l->nopen++] = l->end;
}

static void issue(struct list *l, u32 n)
{
    const struct node *node = &l->g->nodes.at[n];
    l->now = soonest(l, n);
    l->free[node->inst.pipe] = l->now + node->every;
    l->done[n] = true;
    pressure_issue(&l->pressure, n);
    for (u32 k = node->first_out; k; k = l->g->edges.at[k - 1].next) {
        const struct edge *e = &l->g->edges.at[k - 1];
        const u32 at = l->now + distance(l, n, e);
        l->ready[e->to] = at > l->ready[e->to] ? at : l->ready[e->to];
        if (--l->needs[e->to] == 0 && e->to < l->end)
            l->open[l->nopen++] = e->to;
    }
    l->now++;
}

static void find_alone(struct arena *mem, struct list *l)
{
    const struct graph *g = l->g;
    u32 *loads = arena_array(mem, u32, g->nodes.len + 1); /* by node: how many it reads */
    for (u32 n = 0; n < g->nodes.len; n++)
        for (u32 k = g->nodes.at[n].words ? g->nodes.at[n].first_out : 0; k; k = g->edges.at[k - 1].next)
            loads[g->edges.at[k - 1].to] += g->edges.at[k - 1].value;
    for (u32 n = 0; n < g->nodes.len; n++) {
        l->alone[n] = g->nodes.at[n].words != 0;
        for (u32 k = g->nodes.at[n].first_out; k; k = g->edges.at[k - 1].next) {
            const struct edge *e = &g->edges.at[k - 1];
            if (e->value && !g->nodes.at[e->to].fused && loads[e->to] > 1)
                l->alone[n] = false;
        }
    }
}

/* In a loop the addresses of loads that are used together come no sooner than anything else. */
static void find_early(struct list *l)
{
    for (u32 n = l->g->nodes.len; n-- > 0;) {
        bool *early = &l->early[n];
        *early = l->g->nodes.at[n].words != 0;
        for (u32 k = l->g->nodes.at[n].first_out; k && !*early; k = l->g->edges.at[k - 1].next) {
            const struct edge *e = &l->g->edges.at[k - 1];
            *early = e->value && l->early[e->to] && (!l->g->loop || !l->g->nodes.at[e->to].words || l->alone[e->to]);
        }
    }
}

u32 *list_schedule(struct arena *mem, const struct graph *g, u32 *most)
{
    const u32 n = g->nodes.len;
    struct list l = {.g = g,
                     .height = arena_array(mem, u32, n + 1),
                     .needs = arena_array(mem, u32, n + 1),
                     .ready = arena_array(mem, u32, n + 1),
                     .done = arena_array(mem, bool, n + 1),
                     .alone = arena_array(mem, bool, n + 1),
                     .early = arena_array(mem, bool, n + 1),
                     .open = arena_array(mem, u32, n + 1)};
    u32 *order = arena_array(mem, u32, n + 1);
    pressure_begin(mem, g, &l.pressure);
    find_alone(mem, &l);
    find_early(&l);
    find_heights(&l);
    for (u32 k = 0; k < n; k++) {
        l.needs[k] = g->nodes.at[k].needs;
        l.ready[k] = g->nodes.at[k].copy ? COPIES : 0;
    }
    for (u32 at = 0; at < n; at++) {
        move_window(&l);
        const u32 k = choose(&l);
        order[at] = l.open[k];
        l.open[k] = l.open[--l.nopen];
        issue(&l, order[at]);
    }
    *most = l.pressure.most;
    return order;
}
