/* cache_l2.c - the second-level cache and DRAM (cache_l2.h): what becomes of a request. */
#include "model/cache/l2/cache_l2.h"

#include <string.h>

#include "base/alloc.h"
#include "model/cache/cache_entries.h"
#include "model/cache/l2/l2.h"

enum {
    COME_APART = 4, /* one in so many of these goes alone: an H200's SMs that start together join four in five */
    WORDS = CACHE_SECTOR / 4,
};

/* Measured on an H200 (docs/model.md): how many of a set's lines may be dirty, as a share; how many lines others have left in a set, on average, dirty
 * ones and others. */
#define DIRTY_MOST 0.467
#define LEFT_DIRTY 0.614
#define LEFT_CLEAN 1.0

/* ---- L2 ---- */

/* A request whose turn it was. */
struct coming {
    u64 request, number; /* of the line as L2 has it */
    size_t set;          /* in each half */
    struct traffic *t;
    const struct l2_places *at; /* [k]: more of where it is */
    u32 k;
    u8 near, home; /* halves */
};

struct l2 *l2_make(void)
{
    struct l2 *l2 = ls_calloc(1, sizeof *l2);
    if (!l2)
        return NULL;
    l2->lines = ls_calloc(2 * SPOTS, sizeof *l2->lines);
    l2->came = ls_calloc(1 << CAME_BITS, sizeof *l2->came);
    l2->joins = ls_calloc(1, sizeof *l2->joins);
    if (!written_init(&l2->written) || !l2->lines || !l2->came || !l2->joins) {
        l2_free(l2);
        return NULL;
    }
    l2->slices = l2->lines + SPOTS;
    l2->filled = &l2->batch[0];
    return l2;
}

void l2_free(struct l2 *l2)
{
    if (!l2)
        return;
    for (u32 k = 0; k < 2; k++)
        cache_free(&l2->half[k]);
    ls_free(l2->lines);
    ls_free(l2->came);
    ls_free(l2->joins);
    written_free(&l2->written);
    ls_free(l2);
}

static inline void count(const struct l2 *l2, struct traffic *t, enum traffic_count e, u32 sectors)
{
    t->n[e] += (u64)sectors_in(sectors) * l2->one_in;
}

static inline void at_slice(struct l2 *l2, u32 slice, enum hot_kind kind, u32 sectors)
{
    spot_add(&l2->slices[slice], l2->run, kind, sectors_in(sectors));
}

/* So many atomics. */
static void at_sectors(struct l2 *l2, u64 number, u32 sectors, u32 n)
{
    for (u32 k = 0; k < CACHE_SECTORS; k++)
        if (sectors >> k & 1)
            spot_add(&l2->lines[spot_of(number * CACHE_SECTORS + k)], l2->run, HOT_ATOMICS, n);
}

/* Of one line. */
static void to_dram(struct l2 *l2, u32 sectors, struct traffic *t)
{
    count(l2, t, TRAFFIC_dram_writes, sectors);
    l2->alone += sectors_in(sectors) == 1 ? l2->one_in : 0;
}

/* Of a line that goes to DRAM, sectors of which L2 has only a part are read first: those. */
static u32 complete(struct l2 *l2, u64 number, u32 sectors, struct traffic *t)
{
    const u32 parts = l2->written.any_parts ? part_take(&l2->written, number, sectors) : 0;
    count(l2, t, TRAFFIC_dram_reads, parts);
    count(l2, t, TRAFFIC_l2_fills, parts);
    return parts;
}

static u32 below(struct l2 *l2, u32 n)
{
    l2->random = l2->random * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)((l2->random >> 32) * n >> 32);
}

/* How many of at most two lines are there, each with that probability. */
static u32 draw(struct l2 *l2, double each)
{
    enum { PARTS = 1 << 20 };
    return (below(l2, PARTS) < each * PARTS) + (below(l2, PARTS) < each * PARTS);
}

/* A set has its first line: behind it stand those that others left there, which leave before it, the dirty ones first. */
static void find_left(struct l2 *l2, struct cache *half, struct cache_line *set)
{
    const u32 dirty = draw(l2, LEFT_DIRTY / 2), all = dirty + draw(l2, LEFT_CLEAN / 2);
    for (u32 k = 1; k <= all && k < half->ways; k++)
        set[k] = (struct cache_line){
            .number = CACHE_NOBODYS + k, .held = half->stamp, .valid = 15, .dirty = k > all - dirty ? 15 : 0};
}

/* Of a copy that the other half has, which has no sectors, `dirty` says that it was written through (write_copy). */
static inline bool is_dirty(const struct cache_line *l) { return l->dirty & l->valid; }

/* A dirty line goes to DRAM. */
static void write_back(struct l2 *l2, struct cache_line *l, struct traffic *t)
{
    complete(l2, l->number, l->dirty, t);
    to_dram(l2, l->dirty, t);
    l->dirty = 0;
}

/* line_of, of one that is not among the first of its set. */
static __attribute__((noinline)) struct cache_line *line_behind(struct l2 *l2, struct cache *c, size_t set, u64 number,
                                                                struct traffic *t)
{
    const u32 begun = c->begun;
    struct cache_line gone, *l = cache_take_in(c, set, number, &gone);
    if (is_dirty(&gone))
        write_back(l2, &gone, t);
    if (c->begun != begun)
        find_left(l2, c, l);
    return l;
}

/* NULL: there is no L2. A line that is asked for again is mostly one of the first of its set. */
static inline struct cache_line *line_of(struct l2 *l2, u32 half, const struct coming *r)
{
    struct cache *c = &l2->half[half];
    struct cache_line *l = entries_take_first(c, r->set, r->number);
    return LS_LIKELY(l != NULL) ? l : line_behind(l2, c, r->set, r->number, r->t);
}

static struct cache_line *peek(struct l2 *l2, u64 number, u32 *rank)
{
    return cache_peek(&l2->half[l2_home(l2->halves, number)], number, rank);
}

/* How many lines of a set may be dirty: the share is between two numbers, so some sets have the larger one. */
static u32 dirty_most(const struct cache *c, const struct cache_line *set)
{
    const double most = DIRTY_MOST * c->ways;
    const u64 h = (u64)(set - c->lines) * 0x9e3779b97f4a7c15ull;
    return (u32)(most + (double)(h >> 40) / (1 << 24));
}

/* The first line of a set has become dirty: where it is one too many, another goes to DRAM, and stays as one that is clean. What others
 * left goes before any other, as it is the oldest; of the launch's own lines any: one of the oldest would be all of what is written round
 * after round and is a little more than L2 keeps dirty, of which an H200 writes a part (tests/hw/h200/memory-rounds.csv). */
static __attribute__((noinline)) void clean_one(struct l2 *l2, u32 half, struct cache_line *set, struct traffic *t)
{
    const struct cache *c = &l2->half[half];
    u32 n = 0, at[L2_WAYS];
    for (u32 k = 1; k < c->ways && set[k].held == c->stamp; k++)
        if (is_dirty(&set[k]))
            at[n++] = k;
    if (!n || n + 1 <= dirty_most(c, set))
        return;
    const bool left = set[at[n - 1]].number >= CACHE_NOBODYS;
    write_back(l2, &set[at[left ? n - 1 : below(l2, n)]], t);
}

/* Those of its sectors that had to be read first go to DRAM. */
static void clean_parts(struct l2 *l2, u64 number, struct traffic *t)
{
    u32 rank;
    struct cache_line *l = peek(l2, number, &rank);
    const u32 parts = l ? complete(l2, number, l->dirty, t) : 0;
    if (!parts)
        return;
    to_dram(l2, parts, t);
    l->dirty &= ~parts & 15;
}

static inline u32 with_neighbours(u32 sectors) { return sectors | (sectors & 5) << 1 | (sectors & 10) >> 1; }

static inline u32 came_at(const struct coming *r) { return r->at->came[r->k]; }

/* Sectors that are there, or were asked for by a neighbour, though DRAM may not have sent them yet. */
static inline void count_late(struct l2 *l2, u32 came, u32 sectors, struct traffic *t)
{
    if (l2->when - l2->came[came] <= LATE)
        count(l2, t, TRAFFIC_l2_late, sectors);
}

/* Sectors of a line that its home has, or fetches: DRAM gives 64 bytes at least, the rest of which is taken in too. (An H200 reads twice
 * what lanes at random places ask for, and a sector more for a row whose length is an odd number of them.) Those it has. */
static u32 at_home(struct l2 *l2, const struct coming *r, u32 sectors)
{
    struct cache_line *l = line_of(l2, r->home, r);
    const u32 missing = l ? sectors & ~(u32)l->valid : sectors;
    const u32 fetched = l ? with_neighbours(missing) & ~(u32)l->valid : missing;
    if (l)
        l->valid |= fetched;
    count(l2, r->t, TRAFFIC_dram_reads, fetched);
    if (missing)
        l2->came[came_at(r)] = l2->when;
    return sectors & ~missing;
}

/* The other half sends 64 bytes at least, too, and they are kept: an H200's random reads of 1 GiB are two sectors across for every
 * access that goes there. */
static void l2_read(struct l2 *l2, const struct coming *r)
{
    const u32 sectors = request_sectors(r->request);
    struct traffic *t = r->t;
    count(l2, t, TRAFFIC_l2_reads, sectors);
    if (r->home == r->near) {
        const u32 there = at_home(l2, r, sectors);
        count(l2, t, TRAFFIC_l2_read_hits, there);
        count_late(l2, came_at(r), there, t);
        return;
    }
    struct cache_line *l = line_of(l2, r->near, r);
    const u32 there = l ? sectors & l->valid : 0, missing = sectors & ~there;
    count(l2, t, TRAFFIC_l2_read_hits, there);
    count_late(l2, came_at(r), there, t);
    if (!missing)
        return;
    const u32 asked = l ? with_neighbours(missing) & ~(u32)l->valid : missing;
    if (l) {
        l->valid |= asked;
        l->dirty = 0;
    }
    l2->copies = true;
    const u32 hits = at_home(l2, r, asked);
    count(l2, t, TRAFFIC_l2_far_reads, asked);
    count(l2, t, TRAFFIC_l2_far_hits, hits);
    count_late(l2, came_at(r), hits & missing, t);
}

/* What is partly written beyond what L2 keeps of that. */
static __attribute__((noinline)) void clean_some(struct l2 *l2, struct traffic *t)
{
    struct written *w = &l2->written;
    while (w->parts.n && (w->partly > l2->parts_most || queue_full(&w->parts)))
        clean_parts(l2, queue_take(&w->parts), t);
}

/* ---- the other half's copy ---- */

static bool is_local(enum traffic_kind kind) { return kind == TRAFFIC_LOCAL_LOAD || kind == TRAFFIC_LOCAL_STORE; }

static INLINED struct cache_line *copy_of(struct l2 *l2, const struct coming *r)
{
    u32 rank;
    return l2->copies ? cache_peek_in(&l2->half[1 - r->home], r->set, r->number, &rank) : NULL;
}

/* Whether the other half still has a line from before the launch that is now written for the first time: every second one; once more are
 * written than L2 keeps, one in eighteen (tests/hw/h200/half-copies.csv). */
static bool had_before(struct l2 *l2)
{
    enum { OLD = 2, OLD_LATER = 18 };
    l2->first_writes++;
    return l2->first_writes % (l2->first_writes <= l2->old_copies ? OLD : OLD_LATER) == 0;
}

/* An SM writes at the line's home: what the other half has of the line is no longer so, and its SMs ask the home again. It is told so, which counts as
 * one sector. */
static INLINED void recall(struct l2 *l2, const struct coming *r, bool first)
{
    struct cache_line *l = copy_of(l2, r);
    const bool own = is_local(request_kind(r->request)); /* the SM's, in earlier launches, too */
    if ((l && (l->valid || l->dirty)) || (first && !own && had_before(l2)))
        r->t->n[TRAFFIC_l2_recalls] += l2->one_in;
    if (l)
        l->valid = l->dirty = 0;
}

/* Who writes from the other half writes through a copy of its own: it has the sectors that are written as a whole. One without any is marked. */
static INLINED void write_copy(struct l2 *l2, const struct coming *r, u32 words)
{
    struct cache_line *l = line_of(l2, r->near, r);
    l2->copies = true;
    if (!l)
        return;
    if (words == WORDS)
        l->valid |= request_sectors(r->request);
    l->dirty = !l->valid;
}

/* ---- stores and atomics ---- */

/* `words` of the eight of each sector. (Inlined always, with what it calls: a store is mostly what was stored before, and takes few steps.) */
static INLINED void l2_write(struct l2 *l2, const struct coming *r, u32 words)
{
    const u32 sectors = request_sectors(r->request);
    struct written *w = &l2->written;
    if (w->parts.n)
        clean_some(l2, r->t);
    struct cache_line *l = line_of(l2, r->home, r);
    if (!l) { /* there is no L2 */
        to_dram(l2, sectors, r->t);
        return;
    }
    if (words == WORDS && w->any_parts)
        part_take(w, r->number, sectors);
    else if (words < WORDS && part_write(w, r->number, sectors, sectors & ~(u32)l->valid, words))
        queue_put(&w->parts, r->number);
    const bool clean = !l->dirty;
    l->valid |= sectors;
    l->dirty |= sectors;
    if (clean)
        clean_one(l2, r->home, l, r->t);
    if (r->near == r->home && l2->halves > 1)
        recall(l2, r, clean);
}

/* Done at the line's home: an SM of the other half has no copy any more. */
static void l2_atomic(struct l2 *l2, const struct coming *r)
{
    const u32 sectors = request_sectors(r->request);
    struct cache_line *l = line_of(l2, r->home, r), *copy = r->near != r->home ? copy_of(l2, r) : NULL;
    count(l2, r->t, TRAFFIC_dram_reads, l ? sectors & ~(u32)l->valid : sectors);
    if (copy)
        copy->valid = copy->dirty = 0;
    l2_write(l2, r, WORDS);
}

/* ---- the host's memory ---- */

static bool is_host(const struct l2 *l2, u64 number, enum traffic_kind kind)
{
    u32 low = 0, high = l2->nhost;
    while (low < high) {
        const u32 mid = (low + high) / 2;
        if (l2->host[mid].to <= number)
            low = mid + 1;
        else
            high = mid;
    }
    return low < l2->nhost && l2->host[low].from <= number && !is_local(kind);
}

/* L2 keeps nothing of it. What the link carries besides: of a line that is read as much as 51 bytes, so that one sector of it takes as
 * long as 70; of a sector that is written in part, and of an atomic, 100 and 110 for all of it (tests/hw/h200/zero-copy.csv). */
static void host_look_up(struct l2 *l2, u64 request, struct traffic *t)
{
    enum { READ = 51, READ_SECTOR = 19, PART = 100, ATOMIC = 110 };
    const enum traffic_kind kind = request_kind(request);
    const u32 sectors = request_sectors(request), n = sectors_in(sectors);
    u32 bytes = READ + READ_SECTOR * n;
    if (request_is_atomic(request)) {
        t->n[kind == TRAFFIC_RED ? TRAFFIC_l2_reds : TRAFFIC_l2_atoms] += n;
        count(l2, t, TRAFFIC_host_writes, sectors);
        bytes = ATOMIC * n;
    } else if (kind == TRAFFIC_STORE || kind == TRAFFIC_STORE_PAST || request_words(request) < WORDS) {
        count(l2, t, TRAFFIC_l2_writes, sectors);
        count(l2, t, TRAFFIC_host_writes, sectors);
        bytes = (request_words(request) < WORDS ? PART : 32) * n;
    } else {
        count(l2, t, TRAFFIC_l2_reads, sectors);
        count(l2, t, TRAFFIC_host_reads, sectors);
    }
    t->n[TRAFFIC_host_bytes] += (u64)bytes * l2->one_in;
}

static __attribute__((noinline)) void load(struct l2 *l2, const struct coming *r)
{
    at_slice(l2, r->at->slice[r->k], HOT_LOADS, request_sectors(r->request));
    l2_read(l2, r);
}

static INLINED void store(struct l2 *l2, const struct coming *r)
{
    const u32 sectors = request_sectors(r->request);
    count(l2, r->t, TRAFFIC_l2_writes, sectors);
    at_slice(l2, r->at->slice[r->k], HOT_STORES, sectors);
    if (r->near != r->home) { /* takes a line in its own half, too: seen by what is left dirty there */
        count(l2, r->t, TRAFFIC_l2_far_writes, sectors);
        write_copy(l2, r, request_words(r->request));
    }
    l2_write(l2, r, request_words(r->request));
}

/* Such requests, so many: of atomics all are counted. */
static void count_atomics(struct l2 *l2, const struct coming *r, u32 slice, u32 n)
{
    const u64 number = l2_number(l2->halves, 1, 0, request_number(r->request));
    const bool red = request_kind(r->request) == TRAFFIC_RED,
               far = r->near != l2_home(l2->halves, number); /* where it is among all lines */
    const u32 sectors = request_sectors(r->request), all = n * sectors_in(sectors);
    r->t->n[red ? TRAFFIC_l2_reds : TRAFFIC_l2_atoms] += all;
    r->t->n[red ? TRAFFIC_l2_far_reds : TRAFFIC_l2_far_atoms] += far ? all : 0;
    spot_add(&l2->slices[slice], l2->run, HOT_ATOMICS, all);
    at_sectors(l2, request_number(r->request), sectors, n);
}

static __attribute__((noinline)) void atomic(struct l2 *l2, const struct coming *r)
{
    count_atomics(l2, r, r->at->slice[r->k], 1);
    l2_atomic(l2, r);
}

/* ---- some requests at once ---- */

/* Whether a read goes along with what its group asked for before. A load past L1 joins another SM's alone: who looks again wants to know what is there
 * now. */
static bool could_join(u64 request, u32 asked, u32 before)
{
    return before && (before != asked || request_kind(request) != TRAFFIC_LOAD_PAST);
}

static void find_joined(struct l2 *l2, struct batch *b)
{
    for (u32 k = 0; k < b->n; k++) {
        const u64 from = b->from[k];
        const u32 asked = joins_asked(b->at.asked[k], from_sm(from));
        if (b->at.asked[k] && could_join(b->request[k], asked,
                                         joins_ask(l2->joins, from_group(from), b->at.line[k], asked, from_when(from))))
            b->joined[k] = ++l2->together % COME_APART;
    }
}

/* The tags of a large L2 are not in the host's caches. When the request is looked up, they are. A load looks in the SM's half, others look what
 * the other one has. */
struct fetches {
    struct cache_line *lines[2]; /* of the halves */
    struct spot *slices;
    u32 *came;
    u32 halves;
    bool deep;
};
static INLINED void fetch(const struct fetches *f, const struct batch *b, u32 k)
{
    const u32 home = b->at.home[k], other = b->at.asked[k] ? from_side(b->from[k]) : home ^ (f->halves - 1);
    if (b->at.asked[k])
        __builtin_prefetch(&f->came[b->at.came[k]], 1);
    if (b->joined[k])
        return;
    __builtin_prefetch(&f->slices[b->at.slice[k]], 1);
    cache_fetch(f->lines[home] + b->at.set[k], f->deep);
    cache_fetch(f->lines[other] + b->at.set[k], f->deep);
}

static INLINED struct coming coming_of(const struct batch *b, u32 k)
{
    return (struct coming){.request = b->request[k],
                           .number = b->at.number[k],
                           .set = b->at.set[k],
                           .t = b->t[k],
                           .at = &b->at,
                           .k = k,
                           .near = (u8)from_side(b->from[k]),
                           .home = (u8)b->at.home[k]};
}

static void look_up_in_batch(struct l2 *l2, const struct batch *b, u32 k)
{
    l2->when = from_when(b->from[k]);
    if (b->joined[k]) {
        count_late(l2, b->at.came[k], request_sectors(b->request[k]), b->t[k]);
        return;
    }
    if (!is_load(request_kind(b->request[k])) && !request_is_atomic(b->request[k])) {
        /* One of its own, which is nowhere in memory: whom it is given to is inlined. */
        const struct coming r = coming_of(b, k);
        store(l2, &r);
        return;
    }
    const struct coming r = coming_of(b, k);
    (request_is_atomic(r.request) ? atomic : load)(l2, &r);
}

/* Meanwhile what the next batch will be looked up in is fetched, a request's with each, as a core of the host has few lines under way. */
static void look_up_batch(struct l2 *l2, struct batch *b, const struct batch *next)
{
    const struct fetches f = {.lines = {l2->half[0].lines, l2->half[1].lines},
                              .slices = l2->slices,
                              .came = l2->came,
                              .halves = l2->halves,
                              .deep = cache_is_deep(&l2->half[0]) || cache_is_deep(&l2->half[1])};
    const u32 n = b->n, more = next->n;
    for (u32 k = 0; k < n || k < more; k++) {
        if (k < more)
            fetch(&f, next, k);
        if (k < n)
            look_up_in_batch(l2, b, k);
    }
    b->n = 0;
}

static struct batch *other_batch(struct l2 *l2, const struct batch *b) { return &l2->batch[b == &l2->batch[0]]; }

/* Nothing but what may be joined is looked at before others have come, too. */
struct batch *l2_batch_came(struct l2 *l2, u32 n)
{
    struct batch *b = l2->filled, *other = other_batch(l2, b);
    b->n = n;
    l2_find_places(&b->at, &l2->half[0], l2->halves, l2->one_in, b->request);
    memset(b->joined, 0, sizeof b->joined);
    if (l2->coalesces)
        find_joined(l2, b);
    look_up_batch(l2, other, b);
    return l2->filled = other;
}

void l2_all_come(struct l2 *l2)
{
    struct batch *none = l2_batch_came(l2, l2->filled->n);
    look_up_batch(l2, other_batch(l2, none), none);
}

/* ---- which are not looked up ---- */

void l2_count_beside(struct l2 *l2, const struct l2_input *in, u64 request, struct traffic *t)
{
    const u64 asked = request_number(request);
    const enum traffic_kind kind = request_kind(request);
    const struct coming r = {.request = request, .t = t, .near = (u8)from_side(from_place(in, l2->halves))};
    if (is_host(l2, asked, kind))
        t->n[kind == TRAFFIC_RED ? TRAFFIC_l2_reds : TRAFFIC_l2_atoms] += in->beside_in;
    else
        count_atomics(l2, &r, spot_of(slice_of(asked)), in->beside_in);
}

bool l2_asks_host(struct l2 *l2, u64 request, struct traffic *t)
{
    if (!is_host(l2, request_number(request), request_kind(request)))
        return false;
    host_look_up(l2, request, t);
    return true;
}
