/* model.c - what the PTX memory model allows (PTX ISA, section 8, "Memory Consistency Model", sections 8.7 to 8.10).
 *
 * Every execution of a program is tried: each load reads from each write of its location (or the beginning), each order
 * of each location's writes, each order of the fence.sc. Those that no axiom forbids give the allowed outcomes. All
 * threads are within each other's scopes and all accesses of a location have one size, so accesses that are not weak
 * are morally strong. Not here: dependencies (loads never feed an address or a value), proxies, and races between weak
 * writes, whose coherence order would be partial (program_parse refuses them).
 *
 * A relation is an array of sets: bit j of r[i] is set when event i precedes event j. */
#include <string.h>

#include "program.h"

typedef uint32_t relation[MAX_EVENTS];
enum { INITIAL = -1 };

struct execution {
    const struct program *p;
    int from[MAX_EVENTS];      /* the write that a read reads from, or INITIAL */
    unsigned rank[MAX_EVENTS]; /* a write's place in its location's coherence order; a fence.sc's in theirs */
    struct outcomes *allowed;
};

static const struct event *at(const struct execution *x, unsigned i) { return &x->p->event[i]; }

static bool has(const relation r, unsigned i, unsigned j) { return r[i] >> j & 1; }

static void close_over(relation r, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < n; i++)
            if (has(r, i, k))
                r[i] |= r[k];
}

static bool program_order(const struct execution *x, unsigned i, unsigned j)
{
    return i < j && at(x, i)->thread == at(x, j)->thread;
}

static bool overlap(const struct event *a, const struct event *b)
{
    return a->kind != FENCE && b->kind != FENCE && a->location == b->location;
}

/* 8.7 */
static bool morally_strong(const struct execution *x, unsigned i, unsigned j)
{
    return at(x, i)->thread == at(x, j)->thread || (!at(x, i)->weak && !at(x, j)->weak);
}

static bool coherence(const struct execution *x, unsigned i, unsigned j)
{
    const struct event *a = at(x, i), *b = at(x, j);
    return overlap(a, b) && a->kind & WRITE && b->kind & WRITE && x->rank[i] < x->rank[j];
}

/* The read i reads from what precedes the write j in coherence order. */
static bool reads_before(const struct execution *x, unsigned i, unsigned j)
{
    return i != j && at(x, i)->kind & READ && at(x, j)->kind & WRITE && overlap(at(x, i), at(x, j)) &&
           (x->from[i] == INITIAL || x->rank[x->from[i]] < x->rank[j]);
}

/* 8.9.2: a write to the reads of its value, through exchanges too */
static void observation(const struct execution *x, relation r)
{
    const unsigned n = x->p->events;
    for (unsigned j = 0; j < n; j++)
        if (at(x, j)->kind & READ && x->from[j] != INITIAL && morally_strong(x, (unsigned)x->from[j], j))
            r[x->from[j]] |= 1u << j;
    close_over(r, n); /* what is in the middle reads and writes: an exchange */
}

/* 8.8: the write w is (in) a release pattern that begins at `first`. */
static bool release_pattern(const struct execution *x, unsigned first, unsigned w)
{
    const struct event *f = at(x, first), *e = at(x, w);
    if (!f->release || !(e->kind & WRITE) || e->weak)
        return false;
    return first == w || (program_order(x, first, w) && (f->kind == FENCE || f->location == e->location));
}

/* The read r is (in) an acquire pattern that ends at `last`. */
static bool acquire_pattern(const struct execution *x, unsigned r, unsigned last)
{
    const struct event *l = at(x, last), *e = at(x, r);
    if (!l->acquire || !(e->kind & READ) || e->weak)
        return false;
    return last == r || (program_order(x, r, last) && (l->kind == FENCE || l->location == e->location));
}

static bool patterns_meet(const struct execution *x, const relation observed, unsigned first, unsigned last)
{
    for (unsigned w = 0; w < x->p->events; w++)
        for (unsigned r = 0; r < x->p->events; r++)
            if (has(observed, w, r) && release_pattern(x, first, w) && acquire_pattern(x, r, last))
                return true;
    return false;
}

/* 8.9.4 and 8.9.5 */
static void base_causality(const struct execution *x, const relation observed, relation r)
{
    const unsigned n = x->p->events;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            const bool fences = at(x, i)->sc && at(x, j)->sc && x->rank[i] < x->rank[j];
            if (program_order(x, i, j) || fences ||
                (at(x, i)->thread != at(x, j)->thread && patterns_meet(x, observed, i, j)))
                r[i] |= 1u << j;
        }
    close_over(r, n);
}

/* Of accesses to one location: base causality, or observation and then base causality. */
static void causality(const struct execution *x, const relation observed, const relation base, relation r)
{
    const unsigned n = x->p->events;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            if (!overlap(at(x, i), at(x, j)))
                continue;
            bool yes = has(base, i, j);
            for (unsigned z = 0; z < n && !yes; z++)
                yes = has(observed, i, z) && has(base, z, j);
            r[i] |= (uint32_t)yes << j;
        }
}

/* 8.10.6: communication between morally strong accesses does not contradict program order. */
static bool sc_per_location(const struct execution *x)
{
    const unsigned n = x->p->events;
    relation r = {0};
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            if (i == j || !overlap(at(x, i), at(x, j)) || !morally_strong(x, i, j))
                continue;
            const bool read_from = at(x, j)->kind & READ && x->from[j] == (int)i;
            if (program_order(x, i, j) || read_from || coherence(x, i, j) || reads_before(x, i, j))
                r[i] |= 1u << j;
        }
    close_over(r, n);
    for (unsigned i = 0; i < n; i++)
        if (has(r, i, i))
            return false;
    return true;
}

/* 8.10.3: between what an exchange reads and what it writes nothing is written. */
static bool atomic(const struct execution *x)
{
    for (unsigned i = 0; i < x->p->events; i++) {
        if (at(x, i)->kind != EXCHANGE)
            continue;
        for (unsigned j = 0; j < x->p->events; j++)
            if (reads_before(x, i, j) && coherence(x, j, i))
                return false;
        if (x->from[i] != INITIAL && !coherence(x, (unsigned)x->from[i], i))
            return false;
    }
    return true;
}

/* 8.10.1, 8.10.2 and 8.10.5 */
static bool causal(const struct execution *x)
{
    const unsigned n = x->p->events;
    relation observed = {0}, base = {0}, cause = {0};
    observation(x, observed);
    base_causality(x, observed, base);
    causality(x, observed, base, cause);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            if (at(x, i)->sc && at(x, j)->sc && has(base, i, j) && x->rank[i] >= x->rank[j])
                return false;
            if (!has(cause, i, j))
                continue;
            if (coherence(x, j, i)) /* writes: coherence follows causality */
                return false;
            if (at(x, i)->kind & READ && x->from[i] == (int)j) /* a read from its future */
                return false;
            if (reads_before(x, j, i)) /* a read of what has been overwritten */
                return false;
        }
    return true;
}

static outcome result(const struct execution *x)
{
    outcome o = 0;
    unsigned shift = 0;
    for (unsigned i = 0; i < x->p->events; i++)
        if (at(x, i)->kind & READ) {
            o |= (outcome)(x->from[i] == INITIAL ? 0 : x->p->event[x->from[i]].value) << shift;
            shift += 4;
        }
    for (unsigned k = 0; k < x->p->locations; k++, shift += 4) {
        const struct event *last = NULL;
        unsigned rank = 0;
        for (unsigned i = 0; i < x->p->events; i++)
            if (at(x, i)->kind & WRITE && at(x, i)->location == k && (!last || x->rank[i] > rank))
                last = at(x, i), rank = x->rank[i];
        o |= (outcome)(last ? last->value : 0) << shift;
    }
    return o;
}

static void judge(struct execution *x)
{
    if (!sc_per_location(x) || !atomic(x) || !causal(x))
        return;
    const outcome o = result(x);
    if (!outcomes_have(x->allowed, o) && x->allowed->count < MAX_OUTCOMES)
        x->allowed->is[x->allowed->count++] = o;
}

/* ---- every execution ---- */

static void choose_from(struct execution *x, unsigned i)
{
    if (i == x->p->events) {
        judge(x);
        return;
    }
    if (!(at(x, i)->kind & READ)) {
        choose_from(x, i + 1);
        return;
    }
    x->from[i] = INITIAL;
    choose_from(x, i + 1);
    for (unsigned j = 0; j < x->p->events; j++)
        if (j != i && at(x, j)->kind & WRITE && overlap(at(x, i), at(x, j))) {
            x->from[i] = (int)j;
            choose_from(x, i + 1);
        }
}

/* Events that are ordered with i: the writes of its location, or the fence.sc. */
static bool ranked_together(const struct event *a, const struct event *b)
{
    return (a->sc && b->sc) || (overlap(a, b) && a->kind & WRITE && b->kind & WRITE);
}

/* Gives event i each place among those before it that are ordered with it. */
static void choose_rank(struct execution *x, unsigned i)
{
    if (i == x->p->events) {
        choose_from(x, 0);
        return;
    }
    if (!at(x, i)->sc && !(at(x, i)->kind & WRITE)) {
        choose_rank(x, i + 1);
        return;
    }
    unsigned peers = 0;
    for (unsigned j = 0; j < i; j++)
        peers += ranked_together(at(x, i), at(x, j));
    for (unsigned place = 0; place <= peers; place++) {
        unsigned before[MAX_EVENTS];
        memcpy(before, x->rank, sizeof before);
        for (unsigned j = 0; j < i; j++)
            if (ranked_together(at(x, i), at(x, j)) && x->rank[j] >= place)
                x->rank[j]++;
        x->rank[i] = place;
        choose_rank(x, i + 1);
        memcpy(x->rank, before, sizeof before);
    }
}

void program_allowed(const struct program *p, struct outcomes *allowed)
{
    struct execution x = {.p = p, .allowed = allowed};
    allowed->count = 0;
    choose_rank(&x, 0);
}
