/* scoreboards.c - an order of nodes to a program: stalls where latencies are fixed, scoreboards where they vary.
 *
 * A result of fixed latency is there when its reader issues because the instructions between them, or their stalls, take as
 * long; the stall is put before the reader. What the end of the block leaves under way is waited for there, as nobody knows
 * which instruction comes next. Six scoreboards hold the rest. A result shares that of another one with the same reader;
 * else it takes the first that is free; if none is, that of the result which is read at about the same place. What comes from far (L1, L2, DRAM) has
 * the last four only, so that nothing that is near waits for it, and the last one if it is read behind the block: in ptxas's code of the
 * corpus's half for fitting 2264 of 2369 loads from global memory have one of the four, and of 185 that are read behind their block 181 the last.
 *
 * A store reads its registers some time after it has issued. They are free behind it, and ptxas gives them to results that
 * come soon: what takes the registers of a store waits until it has read them. */
#include "meter/code/estimate/nodes.h"

/* TAKEN: results behind a store until one takes its registers. Fitted. */
enum { SOON = 24, BEHIND = UINT32_MAX, TAKEN = 6 };

/* The first scoreboard of what comes from far, and that of what is under way from there across blocks. */
enum { FAR = 2, ACROSS = REPLAY_BARS - 1 };

struct scoring {
    const struct graph *g;
    const u32 *order;
    struct made *m;
    u32 *position;                 /* by node */
    u32 *reader;                   /* by node: the position that first reads its result; BEHIND the block */
    bool *wanted;                  /* by node: somebody reads its result */
    u32 *ready;                    /* by node: the cycle when results of fixed latency are there */
    u32 (*from)[REPLAY_BARS];      /* by node: 1 + the last position that set a scoreboard for it */
    u32 waited[REPLAY_BARS];       /* 1 + the last position that waited for it */
    u32 set[REPLAY_BARS];          /* 1 + the last position that set it */
    u32 first_reader[REPLAY_BARS]; /* of what was set since the last wait: the position that reads it first */
    u32 entered; /* the position that first reads what other groups left under way from far; 0: none does */
};

/* ---- who reads what ---- */

static void find_readers(struct scoring *s, const bool *exposed)
{
    const u32 n = s->g->nodes.len;
    for (u32 at = 0; at < n; at++)
        s->position[s->order[at]] = at;
    for (u32 k = 0; k < n; k++) {
        s->reader[k] = BEHIND;
        for (u32 e = s->g->nodes.at[k].first_out; e; e = s->g->edges.at[e - 1].next) {
            const struct edge *edge = &s->g->edges.at[e - 1];
            if (!edge->value)
                continue;
            s->wanted[k] = true;
            if (s->position[edge->to] < s->reader[k])
                s->reader[k] = s->position[edge->to];
        }
    }
    for (u32 k = 0; k < s->g->writes.len; k++)
        s->wanted[s->g->writes.at[k].node] |= exposed[s->g->writes.at[k].reg];
}

/* ---- scoreboards ---- */

/* Of what this group has set. */
static bool is_set(const struct scoring *s, u32 bar) { return s->set[bar] && s->waited[bar] <= s->set[bar]; }

static bool is_free(const struct scoring *s, u32 at, u32 bar)
{
    return (bar != ACROSS || at >= s->entered) && !is_set(s, bar);
}

static u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }

static u8 choose_bar(const struct scoring *s, u32 at, u32 reader, u8 first)
{
    for (u8 bar = first; bar < REPLAY_BARS && reader != BEHIND; bar++)
        if (is_set(s, bar) && s->first_reader[bar] == reader)
            return bar;
    if (reader == BEHIND && first == FAR)
        return ACROSS;
    for (u8 bar = first; bar < REPLAY_BARS; bar++)
        if (is_free(s, at, bar))
            return bar;
    u8 best = first;
    for (u8 bar = first; bar < REPLAY_BARS; bar++)
        if (distance(s->first_reader[bar], reader) < distance(s->first_reader[best], reader))
            best = bar;
    return best;
}

static u8 take_bar(struct scoring *s, u32 at, u32 reader, u8 first)
{
    const u8 bar = choose_bar(s, at, reader, first);
    s->first_reader[bar] = is_free(s, at, bar) || reader < s->first_reader[bar] ? reader : s->first_reader[bar];
    s->set[bar] = at + 1;
    return bar;
}

static void wait_for(struct scoring *s, u32 at, u32 bar, u32 from)
{
    if (s->waited[bar] > from)
        return;
    s->m->insts[at].wait |= (u8)(1u << bar);
    s->waited[bar] = at + 1;
    s->m->waited |= (u8)(1u << bar);
}

static void set_waits(struct scoring *s, u32 at)
{
    const u32 n = s->order[at];
    for (u32 bar = 0; bar < REPLAY_BARS; bar++)
        if (s->from[n][bar])
            wait_for(s, at, bar, s->from[n][bar]);
}

static void tell(struct scoring *s, u32 node, u8 bar, u32 at)
{
    if (s->from[node][bar] < at + 1)
        s->from[node][bar] = at + 1;
}

static bool takes_register(const struct scoring *s, u32 at)
{
    return s->wanted[s->order[at]] && !s->g->nodes.at[s->order[at]].predicate;
}

/* The position that takes the registers of a store; BEHIND the block. */
static u32 taker_of(const struct scoring *s, u32 at)
{
    const struct node *node = &s->g->nodes.at[s->order[at]];
    const u32 over = node->overwritten ? s->position[node->overwritten - 1] : 0;
    if (over > at && over < at + SOON)
        return over;
    u32 results = 0;
    for (u32 k = at + 1; k < s->m->n; k++)
        if (takes_register(s, k) && ++results == TAKEN)
            return k;
    return BEHIND;
}

/* Stores whose registers are taken behind the block share a scoreboard. */
static void hold(struct scoring *s, u32 at)
{
    struct made *m = s->m;
    const u32 taker = taker_of(s, at);
    const bool held = taker == BEHIND && m->held != REPLAY_NO_BAR;
    if (taker == BEHIND && !s->g->goes_on)
        return;
    const u8 bar = held ? m->held : take_bar(s, at, taker, 0);
    m->insts[at].read_bar = bar;
    s->set[bar] = at + 1;
    if (taker == BEHIND)
        m->held = bar;
    else
        tell(s, s->order[taker], bar, at);
}

static void set_bars(struct scoring *s, u32 at)
{
    const u32 n = s->order[at];
    const struct node *node = &s->g->nodes.at[n];
    struct replay_inst *i = &s->m->insts[at];
    if (node->variable && s->wanted[n])
        i->write_bar = take_bar(s, at, s->reader[n], node->far ? FAR : 0);
    if (node->store)
        hold(s, at);
    if (i->write_bar == REPLAY_NO_BAR)
        return;
    for (u32 e = node->first_out; e; e = s->g->edges.at[e - 1].next)
        if (s->g->edges.at[e - 1].value)
            tell(s, s->g->edges.at[e - 1].to, i->write_bar, at);
}

/* ---- stalls ---- */

/* A scoreboard is not seen by the instruction right behind the one that sets it. */
static u8 stall_before(const struct replay_inst *i, const struct replay_inst *next, u32 gap, u32 least)
{
    const u8 set = (u8)((i->write_bar != REPLAY_NO_BAR ? 1u << i->write_bar : 0) |
                        (i->read_bar != REPLAY_NO_BAR ? 1u << i->read_bar : 0));
    if (least < 2 && next && (next->wait & set))
        least = 2;
    const u32 stall = gap > least ? gap : least;
    return (u8)(stall < 255 ? stall : 255);
}

static void set_stalls(struct scoring *s, const bool *exposed)
{
    u32 now = 0, end = 0, free[PIPE_COUNT] = {0};
    for (u32 at = 0; at < s->m->n; at++) {
        const u32 n = s->order[at];
        const struct node *node = &s->g->nodes.at[n];
        if (at) {
            struct replay_inst *before = &s->m->insts[at - 1];
            const u32 pipe = free[node->inst.pipe], then = s->ready[n] > pipe ? s->ready[n] : pipe;
            before->stall = stall_before(before, &s->m->insts[at], then > now ? then - now : 1,
                                         s->g->nodes.at[s->order[at - 1]].least);
            now += before->stall;
        }
        free[node->inst.pipe] = now + node->every;
        for (u32 e = node->first_out; e && !node->variable; e = s->g->edges.at[e - 1].next) {
            const struct edge *edge = &s->g->edges.at[e - 1];
            const u32 there = now + node_distance(node, &s->g->nodes.at[edge->to]);
            if (edge->value && there > s->ready[edge->to])
                s->ready[edge->to] = there;
        }
        s->ready[n] = now;
    }
    for (u32 k = 0; k < s->g->writes.len; k++) {
        const struct node *node = &s->g->nodes.at[s->g->writes.at[k].node];
        const u32 there = s->ready[s->g->writes.at[k].node] + node->latency;
        if (!node->variable && exposed[s->g->writes.at[k].reg] && there > end)
            end = there;
    }
    if (s->m->n)
        s->m->insts[s->m->n - 1].stall = stall_before(&s->m->insts[s->m->n - 1], NULL, end > now ? end - now : 1,
                                                      s->g->nodes.at[s->order[s->m->n - 1]].least);
}

/* What other groups left under way from far has the last scoreboard until it is read. */
static void find_entered(struct scoring *s, const bool *left)
{
    for (u32 k = 0; k < s->g->reads.len; k++) {
        const u32 at = s->position[s->g->reads.at[k].node];
        if (left[s->g->reads.at[k].reg] && (!s->entered || at < s->entered))
            s->entered = at;
    }
    s->first_reader[ACROSS] = s->entered;
}

struct made *made_of(struct arena *mem, struct graph *g, u32 *order, u32 copies, const bool *exposed, const bool *left)
{
    const u32 n = g->nodes.len;
    struct made *m = arena_new(mem, struct made);
    *m = (struct made){.graph = g, .order = order, .n = n, .copies = copies, .held = REPLAY_NO_BAR, .first_set = n};
    m->insts = arena_array(mem, struct replay_inst, n + 1);
    struct scoring s = {.g = g,
                        .order = order,
                        .m = m,
                        .position = arena_array(mem, u32, n + 1),
                        .reader = arena_array(mem, u32, n + 1),
                        .wanted = arena_array(mem, bool, n + 1),
                        .ready = arena_array(mem, u32, n + 1),
                        .from = arena_alloc(mem, sizeof(u32[REPLAY_BARS]) * (n + 1))};
    find_readers(&s, exposed);
    find_entered(&s, left);
    for (u32 at = 0; at < n; at++) {
        m->insts[at] = g->nodes.at[order[at]].inst;
        set_waits(&s, at);
        set_bars(&s, at);
        if (takes_register(&s, at) && at < m->first_set)
            m->first_set = at;
    }
    set_stalls(&s, exposed);
    return m;
}
