/* stream_order.c - see stream_order.h.
 *
 * A *line* is a stream's operations, counted 1, 2, ... A *clock* says of each line how many of its operations are done;
 * a line's own number in its own clock is not used: an operation is behind all earlier ones of its line. Clocks that
 * operations remember never change: a line whose clock is shared with an operation gets a new one when it learns more.
 *
 *     before(a, b) = b.clock[a.line] >= a.n,  or a.n < b.n in the same line
 *
 * The *floor* is the smallest of the host's clock and of the clocks of all operations that the host has not waited for:
 * what is at or below it is before all that can still ask. */
#include "check/core/stream_order.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"

enum { LINES = 256, FIRST_OPS = 256, MOST_OPS = 32768, EVENT_SLOTS = 64 };

struct clock {
    u32 refs;
    u32 n; /* lines that it knows of; of later ones it knows nothing */
    u64 at[];
};

struct line {
    u64 id, context;
    bool blocking, legacy;
    bool gone;           /* destroyed, perhaps with work left */
    u64 n;               /* operations */
    u64 host_seen;       /* the version of the host's clock that is in this one */
    struct clock *clock; /* NULL: knows nothing */
};

/* What is printed of an operation. */
struct note {
    char *text;
    char api[64];
    u32 nframes;
    u64 frames[];
};

struct operation {
    u32 line;
    u64 n;
    struct clock *clock;
    struct note *note; /* or NULL */
};

struct event {
    struct event *next;
    u64 id;
    u32 line;
    u64 n;
    struct clock *clock;
};

struct stream_order {
    pthread_mutex_t lock;
    bool broken; /* no memory: all is ordered */
    bool values; /* streams wait for values: all is ordered */
    struct line lines[LINES];
    u32 nlines;
    u64 host[LINES], host_version;
    struct operation *ops; /* a ring: number k is at k & (room - 1), first <= k < next; n 0: it has not come yet */
    u64 room, first, next;
    struct event **events;
    u64 nevents, event_room;
};

/* ---- clocks ---- */

static void clock_unref(struct clock *c)
{
    if (c && --c->refs == 0)
        ls_free(c);
}

static struct clock *clock_ref(struct clock *c)
{
    if (c)
        c->refs++;
    return c;
}

static u64 clock_at(const struct clock *c, u32 line) { return c && line < c->n ? c->at[line] : 0; }

/* The line's clock, which nobody else has, with room for all lines; NULL: no memory. */
static struct clock *own_clock(struct stream_order *o, struct line *l)
{
    struct clock *old = l->clock;
    if (old && old->refs == 1 && old->n == o->nlines)
        return old;
    struct clock *c = ls_calloc(1, sizeof *c + o->nlines * sizeof *c->at);
    if (!c) {
        o->broken = true;
        return NULL;
    }
    c->refs = 1;
    c->n = o->nlines;
    if (old)
        memcpy(c->at, old->at, old->n * sizeof *old->at);
    clock_unref(old);
    l->clock = c;
    return c;
}

static void learn_one(struct stream_order *o, struct line *l, u32 line, u64 n)
{
    if (clock_at(l->clock, line) >= n || line == (u32)(l - o->lines))
        return;
    struct clock *c = own_clock(o, l);
    if (c)
        c->at[line] = n;
}

static void learn(struct stream_order *o, struct line *l, const struct clock *from)
{
    for (u32 i = 0; from && from != l->clock && i < from->n; i++)
        learn_one(o, l, i, from->at[i]);
}

static void learn_line(struct stream_order *o, struct line *l, const struct line *from)
{
    if (from == l)
        return;
    learn(o, l, from->clock);
    learn_one(o, l, (u32)(from - o->lines), from->n);
}

static void host_learns(struct stream_order *o, const struct clock *from, u32 line, u64 n)
{
    bool more = o->host[line] < n;
    if (more)
        o->host[line] = n;
    for (u32 i = 0; from && i < from->n; i++)
        if (o->host[i] < from->at[i]) {
            o->host[i] = from->at[i];
            more = true;
        }
    o->host_version += more;
}

static void host_learns_line(struct stream_order *o, const struct line *l)
{
    host_learns(o, l->clock, (u32)(l - o->lines), l->n);
}

/* ---- operations that are kept ---- */

static struct operation *slot(const struct stream_order *o, u64 op) { return &o->ops[op & (o->room - 1)]; }

/* NULL: forgotten, or not come yet. */
static struct operation *find(const struct stream_order *o, u64 op)
{
    return op >= o->first && op < o->next && slot(o, op)->n ? slot(o, op) : NULL;
}

static void note_free(struct note *n)
{
    if (n)
        ls_free(n->text);
    ls_free(n);
}

static void forget_first(struct stream_order *o)
{
    struct operation *p = slot(o, o->first++);
    clock_unref(p->clock);
    note_free(p->note);
}

static void find_floor(const struct stream_order *o, u64 floor[LINES])
{
    bool seen[LINES] = {false};
    memcpy(floor, o->host, sizeof o->host);
    for (u64 k = o->first; k < o->next; k++) {
        const struct operation *p = slot(o, k);
        if (p->n <= o->host[p->line] || seen[p->line])
            continue;
        seen[p->line] = true; /* the oldest of its line knows least */
        for (u32 i = 0; i < o->nlines; i++)
            if (i != p->line && clock_at(p->clock, i) < floor[i])
                floor[i] = clock_at(p->clock, i);
    }
}

static bool grow(struct stream_order *o)
{
    const u64 room = o->room ? o->room * 2 : FIRST_OPS;
    struct operation *to = ls_calloc(room, sizeof *to);
    if (!to)
        return false;
    for (u64 k = o->first; k < o->next; k++)
        to[k & (room - 1)] = *slot(o, k);
    ls_free(o->ops);
    o->ops = to;
    o->room = room;
    return true;
}

/* Forgets operations that no query can ask for; grows if these were few; at its largest size forgets the oldest.
 */
static bool make_room(struct stream_order *o)
{
    if (o->next - o->first < o->room)
        return true;
    u64 floor[LINES];
    find_floor(o, floor);
    while (o->first < o->next && slot(o, o->first)->n <= floor[slot(o, o->first)->line])
        forget_first(o);
    const u64 kept = o->next - o->first;
    if (o->room && kept <= o->room / 2)
        return true;
    if (o->room < MOST_OPS)
        return grow(o);
    while (o->next - o->first > MOST_OPS / 4 * 3)
        forget_first(o);
    return true;
}

static struct note *note_new(const char *text, const struct host_call *call)
{
    const u32 frames = call ? call->nframes : 0;
    struct note *n = ls_calloc(1, sizeof *n + frames * sizeof *n->frames);
    const size_t bytes = strlen(text) + 1;
    if (!n || !(n->text = ls_realloc(NULL, bytes))) {
        ls_free(n);
        return NULL;
    }
    memcpy(n->text, text, bytes);
    if (call) {
        memcpy(n->api, call->api, sizeof n->api);
        n->nframes = frames;
        memcpy(n->frames, call->frames, frames * sizeof *n->frames);
    }
    return n;
}

/* ---- lines ---- */

static struct line *find_line(struct stream_order *o, u64 id)
{
    for (u32 i = 0; i < o->nlines; i++)
        if (o->lines[i].id == id && !o->lines[i].gone)
            return &o->lines[i];
    return NULL;
}

/* A line whose stream is gone and whose operations are before everything. Its numbers go on. */
static struct line *find_unused(struct stream_order *o)
{
    u64 floor[LINES];
    bool known = false;
    for (u32 i = 0; i < o->nlines; i++) {
        if (!o->lines[i].gone)
            continue;
        if (!known)
            find_floor(o, floor);
        known = true;
        if (o->lines[i].n <= floor[i])
            return &o->lines[i];
    }
    return NULL;
}

/* Streams beyond the last line share that: ordered among each other, and with the default streams. */
static struct line *line_of(struct stream_order *o, const struct order_stream *s)
{
    struct line *l = find_line(o, s->id);
    if (l)
        return l;
    l = find_unused(o);
    if (!l && o->nlines == LINES) {
        o->lines[LINES - 1].blocking = true;
        return &o->lines[LINES - 1];
    }
    if (!l)
        l = &o->lines[o->nlines++];
    clock_unref(l->clock);
    *l = (struct line){.id = s->id, .context = s->context, .blocking = s->blocking, .legacy = s->legacy, .n = l->n};
    return l;
}

static void learn_host(struct stream_order *o, struct line *l)
{
    if (l->host_seen == o->host_version)
        return;
    for (u32 i = 0; i < o->nlines; i++)
        learn_one(o, l, i, o->host[i]);
    l->host_seen = o->host_version;
}

/* What comes next in the stream is behind what the host knows, and what the legacy stream's rule puts before it. */
static struct line *advance(struct stream_order *o, const struct order_stream *s)
{
    struct line *l = line_of(o, s);
    learn_host(o, l);
    for (u32 i = 0; i < o->nlines && (s->legacy || s->blocking); i++) {
        const struct line *t = &o->lines[i];
        if (t->context == s->context && (s->legacy ? t->blocking : t->legacy))
            learn_line(o, l, t);
    }
    return l;
}

/* ---- events ---- */

static struct event **event_slot(const struct stream_order *o, u64 id)
{
    struct event **e = &o->events[(id * 0x9e3779b97f4a7c15u >> 32) & (o->event_room - 1)];
    while (*e && (*e)->id != id)
        e = &(*e)->next;
    return e;
}

static void grow_events(struct stream_order *o)
{
    const u64 old = o->event_room;
    struct event **from = o->events, **to = ls_calloc(old * 2, sizeof(struct event *));
    if (!to)
        return; /* longer chains */
    o->events = to;
    o->event_room = old * 2;
    for (u64 i = 0; i < old; i++)
        for (struct event *e = from[i], *next; e; e = next) {
            next = e->next;
            e->next = NULL;
            *event_slot(o, e->id) = e;
        }
    ls_free(from);
}

static struct event *event_of(struct stream_order *o, u64 id)
{
    if (o->nevents > o->event_room)
        grow_events(o);
    struct event **at = event_slot(o, id);
    if (!*at && (*at = ls_calloc(1, sizeof **at))) {
        (*at)->id = id;
        o->nevents++;
    }
    return *at;
}

static void event_free(struct event *e)
{
    clock_unref(e->clock);
    ls_free(e);
}

/* ---- the interface ---- */

struct stream_order *order_create(void)
{
    struct stream_order *o = ls_calloc(1, sizeof *o);
    struct event **events = o ? ls_calloc(EVENT_SLOTS, sizeof(struct event *)) : NULL;
    if (!events) {
        ls_free(o);
        return NULL;
    }
    pthread_mutex_init(&o->lock, NULL);
    o->events = events;
    o->event_room = EVENT_SLOTS;
    o->first = o->next = 1;
    return o;
}

void order_destroy(struct stream_order *o)
{
    if (!o)
        return;
    while (o->first < o->next)
        forget_first(o);
    for (u32 i = 0; i < o->nlines; i++)
        clock_unref(o->lines[i].clock);
    for (u64 i = 0; i < o->event_room; i++)
        for (struct event *e = o->events[i], *next; e; e = next) {
            next = e->next;
            event_free(e);
        }
    ls_free(o->events);
    ls_free(o->ops);
    pthread_mutex_destroy(&o->lock);
    ls_free(o);
}

/* Makes room up to that number; false: it is forgotten already, or there is no memory. */
static bool reach(struct stream_order *o, u64 number)
{
    if (o->first == o->next && number > o->next)
        o->first = o->next = number;
    while (o->next <= number) {
        if (!make_room(o))
            return false;
        *slot(o, o->next++) = (struct operation){0};
    }
    return number >= o->first;
}

void order_op(struct stream_order *o, u64 number, const struct order_stream *s, const char *text,
              const struct host_call *call)
{
    struct note *note = note_new(text, call);
    pthread_mutex_lock(&o->lock);
    const bool kept = reach(o, number);
    if (kept) {
        struct line *l = advance(o, s);
        *slot(o, number) =
            (struct operation){.line = (u32)(l - o->lines), .n = ++l->n, .clock = clock_ref(l->clock), .note = note};
    }
    pthread_mutex_unlock(&o->lock);
    if (!kept)
        note_free(note);
}

/* A record is in the stream's line as an operation is, but nothing asks for it. */
void order_record(struct stream_order *o, const struct order_stream *s, u64 event)
{
    pthread_mutex_lock(&o->lock);
    const struct line *l = advance(o, s);
    struct event *e = event_of(o, event);
    if (e) {
        clock_unref(e->clock);
        e->line = (u32)(l - o->lines);
        e->n = l->n;
        e->clock = clock_ref(l->clock);
    } else {
        o->broken = true;
    }
    pthread_mutex_unlock(&o->lock);
}

void order_event_gone(struct stream_order *o, u64 event)
{
    pthread_mutex_lock(&o->lock);
    struct event **at = event_slot(o, event), *e = *at;
    if (e) {
        *at = e->next;
        event_free(e);
        o->nevents--;
    }
    pthread_mutex_unlock(&o->lock);
}

void order_wait(struct stream_order *o, const struct order_stream *s, u64 event)
{
    pthread_mutex_lock(&o->lock);
    struct line *l = advance(o, s);
    const struct event *e = *event_slot(o, event);
    if (e) {
        learn(o, l, e->clock);
        learn_one(o, l, e->line, e->n);
    }
    pthread_mutex_unlock(&o->lock);
}

void order_wait_all(struct stream_order *o, const struct order_stream *s)
{
    pthread_mutex_lock(&o->lock);
    struct line *l = advance(o, s);
    for (u32 i = 0; i < o->nlines; i++)
        learn_line(o, l, &o->lines[i]);
    pthread_mutex_unlock(&o->lock);
}

void order_wait_value(struct stream_order *o)
{
    pthread_mutex_lock(&o->lock);
    o->values = true;
    pthread_mutex_unlock(&o->lock);
}

void order_host_waits_stream(struct stream_order *o, const struct order_stream *s)
{
    pthread_mutex_lock(&o->lock);
    host_learns_line(o, advance(o, s));
    pthread_mutex_unlock(&o->lock);
}

void order_host_waits_event(struct stream_order *o, u64 event)
{
    pthread_mutex_lock(&o->lock);
    const struct event *e = *event_slot(o, event);
    if (e)
        host_learns(o, e->clock, e->line, e->n);
    pthread_mutex_unlock(&o->lock);
}

void order_host_waits_op(struct stream_order *o, u64 op)
{
    pthread_mutex_lock(&o->lock);
    const struct operation *p = find(o, op);
    if (p)
        host_learns(o, p->clock, p->line, p->n);
    pthread_mutex_unlock(&o->lock);
}

static void host_waits(struct stream_order *o, bool all, u64 context)
{
    pthread_mutex_lock(&o->lock);
    for (u32 i = 0; i < o->nlines; i++)
        if (all || o->lines[i].context == context)
            host_learns_line(o, &o->lines[i]);
    pthread_mutex_unlock(&o->lock);
}

void order_host_waits_context(struct stream_order *o, u64 context) { host_waits(o, false, context); }

void order_host_waits_all(struct stream_order *o) { host_waits(o, true, 0); }

void order_stream_gone(struct stream_order *o, u64 stream)
{
    pthread_mutex_lock(&o->lock);
    struct line *l = find_line(o, stream);
    if (l && l != &o->lines[LINES - 1])
        l->gone = true;
    pthread_mutex_unlock(&o->lock);
}

/* ---- questions ---- */

static bool before(const struct stream_order *o, u64 a, u64 b)
{
    const struct operation *x = find(o, a), *y = find(o, b);
    if (o->broken || o->values || a == b || !x || (b && !y))
        return true;
    if (!b)
        return o->host[x->line] >= x->n;
    return x->line == y->line ? x->n < y->n : clock_at(y->clock, x->line) >= x->n;
}

bool order_before(struct stream_order *o, u64 a, u64 b)
{
    pthread_mutex_lock(&o->lock);
    const bool yes = before(o, a, b);
    pthread_mutex_unlock(&o->lock);
    return yes;
}

bool order_describe(struct stream_order *o, u64 op, char *text, size_t n, struct host_call *call)
{
    pthread_mutex_lock(&o->lock);
    const struct operation *p = find(o, op);
    const struct note *note = p ? p->note : NULL;
    if (note) {
        const size_t len = strlen(note->text), fits = len < n ? len : n - 1;
        memcpy(text, note->text, fits);
        text[fits] = 0;
        *call = (struct host_call){.nframes = note->nframes};
        memcpy(call->api, note->api, sizeof call->api);
        memcpy(call->frames, note->frames, note->nframes * sizeof *note->frames);
    }
    pthread_mutex_unlock(&o->lock);
    return note != NULL;
}

u64 order_kept(struct stream_order *o)
{
    pthread_mutex_lock(&o->lock);
    const u64 n = o->next - o->first;
    pthread_mutex_unlock(&o->lock);
    return n;
}
