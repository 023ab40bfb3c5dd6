/* cache_l1.c - the first-level cache of an SM (traffic.h has its rules). */
#include "model/cache/cache_l1.h"

#include <math.h>
#include <string.h>

#include "base/fetch.h"
#include "model/cache/l1.h"
#include "model/cache/l1_stores.h"
#include "model/cache/turns.h"

/* ---- to L2 ---- */

static bool to_l2(struct sm *s, u64 request, u32 sectors)
{
    const u64 all = 15ull << 40;
    return !sectors || l1_push(s, (request & ~all) | (u64)sectors << 40);
}

static void settle(const u64 slices[2], struct traffic *t)
{
    enum { SECTORS = 2 }; /* one where the slice is of lines at home in the SM's half, else three */
    t->n[TRAFFIC_l2_settles] += SECTORS * slices_count(slices);
}

void sm_settle(struct sm *s, struct traffic *t)
{
    settle(s->slices.asked, t);
    slices_settle(&s->slices);
}

void sm_settle_all(struct sm *s, struct traffic *t)
{
    slices_settle(&s->slices);
    settle(s->slices.before, t);
}

_Static_assert(TRAFFIC_l1_gld_misses == TRAFFIC_l1_gld_hits + 1 && TRAFFIC_l1_gst_misses == TRAFFIC_l1_gst_hits + 1 &&
                   TRAFFIC_l1_other_misses == TRAFFIC_l1_other_hits + 1,
               "misses stand behind their hits in traffic.def");

/* Where its hits are counted. */
static enum traffic_count hits_of(enum traffic_kind kind)
{
    if (kind == TRAFFIC_LOAD || kind == TRAFFIC_LOAD_PAST)
        return TRAFFIC_l1_gld_hits;
    return is_store(kind) || kind == TRAFFIC_STORE_PAST ? TRAFFIC_l1_gst_hits : TRAFFIC_l1_other_hits;
}

/* What a hit needs nothing of L2 for. */
static bool reads(enum traffic_kind kind)
{
    return kind == TRAFFIC_LOAD || kind == TRAFFIC_LOCAL_LOAD || kind == TRAFFIC_TEXTURE;
}

/* What goes round L1 is asked of L2 as if it came from there. */
static u64 round_l1(u64 request)
{
    const enum traffic_kind kind = request_kind(request), as = kind == TRAFFIC_BULK_LOAD    ? TRAFFIC_LOAD
                                                               : kind == TRAFFIC_BULK_STORE ? TRAFFIC_STORE
                                                                                            : TRAFFIC_RED;
    return request_make(request_number(request), request_sectors(request), as, request_last(request),
                        request_site(request));
}

/* ---- lines that stand for all ---- */

/* An SM has looked up more than its share. The share that it looks up from now on depends on how much there was, in the order of the launch. */
static bool draw_fewer(struct sm *s)
{
    const u32 before = s->l2.asked_in, after = 2 * before;
    if (!l1_thin(&s->l1, before, after))
        return false;
    if (s->l2.one_in < after)
        l2_input_thin(&s->l2, after);
    s->l2.asked_in = after;
    return true;
}

/* So many plain requests were looked up. */
static inline bool note_looked(struct sm *s, u32 n)
{
    s->looked += n;
    return !sm_draws_fewer(s, s->looked, s->l2.asked_in) || draw_fewer(s);
}

/* Once for all that is staged. */
static bool draw_staged(struct sm *s)
{
    bool good = true;
    while (good && (s->l2.asked_in < s->staged_in || sm_draws_fewer(s, s->looked + s->staged, s->l2.asked_in)))
        good = draw_fewer(s);
    s->staged_in = s->l2.asked_in;
    return good;
}

/* Of so many sectors that an instruction asked for, so many are looked up. */
static inline void count_drawn(const struct sm *s, u64 one, u64 asked, u64 looked_up)
{
    (*s->l2.sites)[request_site(one)]->drawn.beyond += (i64)asked - (i64)(looked_up * s->l2.asked_in);
}

static inline bool is_drawn(const struct sm *s, u64 request)
{
    return LS_LIKELY(s->l2.asked_in == 1) || sample_keeps(request_number(request), s->l2.asked_in);
}

/* ---- requests that are not plain ---- */

static void ask(struct sm *s, u64 request, u32 sectors)
{
    const u32 one_in = s->l2.asked_in;
    struct traffic *t = (*s->l2.sites)[request_site(request)];
    const enum traffic_kind kind = request_kind(request);
    const u32 there = l1_ask(&s->l1, kind, sample_number(request_number(request), one_in), sectors);
    t->n[TRAFFIC_l1_lines] += one_in;
    t->n[hits_of(kind)] += sectors_in(there) * one_in;
    t->n[hits_of(kind) + 1] += sectors_in(sectors & ~there) * one_in;
}

/* One that has a line; as l1_look_up. Which stores go together is asked of all lines. */
static bool look_up_line(struct sm *s, const struct requests *r, u64 at, u64 request)
{
    const enum traffic_kind kind = request_kind(request);
    const u32 sectors = request_sectors(request);
    const bool drawn = is_drawn(s, request), bulk = kind >= TRAFFIC_BULK_LOAD;
    if (LS_UNLIKELY(s->l2.asked_in > 1))
        count_drawn(s, request, sectors_in(sectors), drawn ? sectors_in(sectors) : 0);
    s->parts += request_words(request) < 8 || request_is_atomic(request);
    if (bulk)
        return to_l2(s, round_l1(request), sectors);
    if (drawn)
        ask(s, request, sectors);
    const bool parts = is_store(kind) && kind != TRAFFIC_STORE,
               along = parts && !is_texels(request) && stores_join(s, r, at, &request), waits = parts && !along;
    u32 saved = along ? sectors_in(sectors) : 0;
    const bool good = !waits || stores_wait(s, r, at, request, &saved);
    (*s->l2.sites)[request_site(request)]->n[TRAFFIC_l1_served] += drawn ? saved * s->l2.asked_in : 0;
    return good && (along || waits || to_l2(s, request, sectors));
}

/* The request of a warp's stream, one that is not plain; of an access that stands as requests, it is at `at`. False: no memory. */
static bool l1_look_up(struct sm *s, const struct requests *r, u64 at, u64 request)
{
    if (request_kind(request) != TRAFFIC_EMPTY_L1) {
        s->looked += request_kind(request) < TRAFFIC_BULK_LOAD;
        return look_up_line(s, r, at, request);
    }
    if (request_number(request) & ORDER_SETTLES)
        sm_settle(s, (*s->l2.sites)[request_site(request)]);
    if (request_number(request) & ORDER_EMPTIES)
        l1_forget(&s->l1);
    return true;
}

/* ---- plain requests ---- */

/* L1 takes in what is asked for, and each line goes on to L2 or does not, whatever else is asked for. */
enum {
    PLAIN_KINDS = 1 << TRAFFIC_LOAD | 1 << TRAFFIC_LOCAL_LOAD | 1 << TRAFFIC_TEXTURE | 1 << TRAFFIC_STORE |
                  1 << TRAFFIC_LOCAL_STORE
};
static inline bool is_plain(enum traffic_kind kind) { return PLAIN_KINDS >> kind & 1; }

/* Plain requests whose turn has come, in their order. They are looked up together, before any that is not plain. */
enum { AT_A_TIME = 64 };
struct batch {
    struct sm *s;
    const u8 *how; /* by site (struct sm) */
    bool good;     /* there was memory for all */
    u64 asked;     /* lines, by the SM until this is over */
    u32 n;         /* apart from nruns, as a vector of both would be read before its halves are written */
    u64 like;      /* what is the same in all of the last run */
    u32 nruns;
    u8 begin[AT_A_TIME + 1]; /* of runs of one kind and site, which neighbours mostly are; behind the last one, n */
    u64 request[AT_A_TIME];
};
static inline u64 kind_and_site(u64 request) { return request & (~(REQUEST_LAST - 1) << 1 | 15ull << 44); }

static inline void batch_clear(struct batch *b)
{
    b->n = b->nruns = 0;
    b->like = UINT64_MAX; /* no request's */
}

/* What plain requests of one kind and site asked for: so many sectors were there, so many were not. */
static inline void count_plain(struct sm *s, u64 one, u64 lines, u64 hits, u64 misses)
{
    const enum traffic_kind kind = request_kind(one);
    struct traffic *t = (*s->l2.sites)[request_site(one)];
    t->n[TRAFFIC_l1_lines] += lines;
    t->n[hits_of(kind)] += hits;
    t->n[hits_of(kind) + 1] += misses;
    t->n[TRAFFIC_l1_tex_hits] += kind == TRAFFIC_TEXTURE ? hits : 0;
    t->n[TRAFFIC_l1_served] += reads(kind) ? hits : 0;
}

/* Requests that are looked up: where they were among all, and what L1 is asked for them. */
struct drawn {
    u32 n;
    u8 at[AT_A_TIME];
    u64 request[AT_A_TIME], among[AT_A_TIME];
};

/* The result: sectors of n requests that are alike, the first of which is number `at`. */
static u32 draw_alike(struct sm *s, struct drawn *d, const u64 *request, u32 at, u32 n)
{
    const u32 one_in = s->l2.asked_in;
    u32 asked = 0;
    for (u32 k = 0; k < n; k++) {
        d->at[d->n] = (u8)(at + k);
        d->request[d->n] = request[k];
        d->n += sample_keeps_near(request_number(request[k]), one_in);
        asked += sectors_in(request_sectors(request[k]));
    }
    for (u32 k = 0; k < n && !slices_all(&s->slices); k++)
        slices_ask(&s->slices, request_number(request[k]));
    return asked;
}

static void draw(struct batch *b, struct drawn *d)
{
    const u32 one_in = b->s->l2.asked_in;
    d->n = 0;
    b->begin[b->nruns] = (u8)b->n;
    for (u32 run = 0, k = 0, n; run < b->nruns; run++, k += n) {
        const u32 from = d->n;
        u32 looked_up = 0;
        n = b->begin[run + 1] - k;
        const u32 asked = draw_alike(b->s, d, b->request + k, k, n);
        for (u32 i = from; i < d->n; i++) {
            const u64 r = d->request[i];
            d->among[i] = sample_number(request_number(r), one_in) | (r & 15ull << 40);
            looked_up += sectors_in(request_sectors(r));
        }
        count_drawn(b->s, b->request[k], asked, looked_up);
    }
}

/* Each instruction is a turn of L2, whether or not something of it goes on: which of those do whose last line is not looked up, nobody knows. */
static void go_on_in_turns(struct batch *b, const struct drawn *d, const u8 *lacking)
{
    struct l2_input *in = &b->s->l2;
    for (u32 k = 0, next = 0; k < b->n; k++) {
        if (next < d->n && d->at[next] == k) {
            const u64 r = d->request[next] & ~REQUEST_LAST;
            const u32 sectors = reads(request_kind(r)) ? lacking[next] : request_sectors(r);
            b->good &= to_l2(b->s, r, sectors);
            next++;
        }
        if (request_last(b->request[k]))
            l2_input_end_turn(in);
    }
}

/* How many of the requests from that one on are of its kind and site. */
static inline u32 alike(const u64 *request, u32 most)
{
    u32 n = 1;
    while (n < most && kind_and_site(request[n]) == kind_and_site(request[0]))
        n++;
    return n;
}

/* look_up_batch, where one line in some is looked up. */
static __attribute__((noinline)) void look_up_some(struct batch *b)
{
    struct drawn d;
    u8 there[AT_A_TIME], lacking[AT_A_TIME];
    draw(b, &d);
    cache_take_lines(&b->s->l1, d.among, d.n, there, lacking);
    for (u32 k = 0, n; k < d.n; k += n) {
        const u64 one_in = b->s->l2.asked_in;
        n = alike(d.request + k, d.n - k);
        count_plain(b->s, d.request[k], n * one_in, sectors_of_all(there + k, n) * one_in,
                    sectors_of_all(lacking + k, n) * one_in);
    }
    go_on_in_turns(b, &d, lacking);
    b->good &= note_looked(b->s, b->n);
    batch_clear(b);
}

_Static_assert((int)AT_A_TIME <= (int)L2_INPUT_MOST, "all that goes on at once");
/* Whether the slices of all lines that L1 has are known to be asked: the SM has never waited, and no store is still to leave. */
static bool slices_are_known(const struct sm *s) { return !slices_settled(&s->slices) && !s->nwaiting; }

/* Of the batch's requests those that have one of these sectors go on. fresh: those that L1 lacked something for. */
static void go_on(struct batch *b, const u8 *sectors, u64 fresh)
{
    struct l2_input *in = &b->s->l2;
    u64 go = sectors_there(sectors, b->n);
    for (u64 k = slices_are_known(b->s) ? fresh : go; k && !slices_all(&b->s->slices); k &= k - 1)
        slices_ask(&b->s->slices, request_number(b->request[__builtin_ctzll(k)]));
    if (LS_LIKELY(l2_input_has_budget(in, b->n))) {
        b->good &= l2_input_push_all(in, b->request, sectors, b->n, go);
        return;
    }
    for (; go; go &= go - 1) {
        const u32 k = (u32)__builtin_ctzll(go);
        b->good &= to_l2(b->s, b->request[k], sectors[k]);
    }
}

/* What a run of requests that are alike asked for. The result: sectors of it that go on; what is to be read and was there does not, so all of the
 * others are put beside what is lacking. */
static u32 count_run(struct sm *s, u64 one, const u8 *there, u8 *lacking, u32 n)
{
    const u32 hits = sectors_of_all(there, n), misses = sectors_of_all(lacking, n);
    count_plain(s, one, n, hits, misses);
    if (reads(request_kind(one)))
        return misses;
    s->parts += request_kind(one) == TRAFFIC_STORE_WORD ? n : 0;
    for (u32 k = 0; k < n && hits; k++)
        lacking[k] |= there[k];
    return hits + misses;
}

static __attribute__((noinline)) void look_up_batch(struct batch *b)
{
    _Static_assert((int)REQUEST_NUMBER_BITS == (int)CACHE_NUMBER_BITS,
                   "a request is a word as cache_take_lines wants it");
    u8 there[AT_A_TIME], lacking[AT_A_TIME];
    if (LS_UNLIKELY(b->s->l2.asked_in > 1)) {
        look_up_some(b);
        return;
    }
    cache_take_lines(&b->s->l1, b->request, b->n, there, lacking);
    const u64 fresh = sectors_there(lacking, b->n);
    b->begin[b->nruns] = (u8)b->n;
    const bool counts = b->s->l2.one_in > 1 && l2_input_has_budget(&b->s->l2, b->n);
    for (u32 run = 0, k = 0, n; run < b->nruns; run++, k += n) {
        n = b->begin[run + 1] - k;
        const u32 sent = count_run(b->s, b->request[k], there + k, lacking + k, n);
        if (counts)
            (*b->s->l2.sites)[request_site(b->request[k])]->drawn.sent += sent;
    }
    go_on(b, lacking, fresh);
    b->s->l2.budget = sm_l2_budget(b->s, b->asked);
    b->good &= note_looked(b->s, b->n);
    batch_clear(b);
}

/* The next one is of that kind and site. */
static inline void batch_like(struct batch *b, u64 like)
{
    b->begin[b->nruns] = (u8)b->n;
    b->nruns += like != b->like;
    b->like = like;
}

static inline void batch_add(struct batch *b, u64 request)
{
    batch_like(b, kind_and_site(request));
    b->request[b->n++] = request;
    if (b->n == AT_A_TIME)
        look_up_batch(b);
}

/* Lines of one access. */
static void batch_add_all(struct batch *b, const u64 *request, u64 n)
{
    while (n) {
        const u32 room = AT_A_TIME - b->n, some = n < room ? (u32)n : room;
        batch_like(b, kind_and_site(*request));
        memcpy(b->request + b->n, request, sizeof *request * some);
        b->n += some;
        if (b->n == AT_A_TIME)
            look_up_batch(b);
        request += some;
        n -= some;
    }
}

/* ---- turns ---- */

/* One that is not plain, at `at` of its stream. */
static void look_up_other(struct batch *b, const struct requests *r, u64 at, u64 request)
{
    look_up_batch(b);
    b->good &= l1_look_up(b->s, r, at, request);
}

/* An access that stands as one word. */
static void look_up_again(struct batch *b, const struct requests *r, u64 again)
{
    const enum traffic_kind kind = request_kind(request_of_again(again, again));
    const bool plain =
        is_plain(kind) || kind == TRAFFIC_STORE_WORD; /* a row of its own for each thread: no other warp's */
    u64 at = request_first(again);
    do
        if (plain)
            batch_add(b, request_of_again(again, r->at[at]));
        else
            look_up_other(b, r, at, request_of_again(again, r->at[at]));
    while (!request_last(r->at[at++]));
}

/* The lines of a plain access, from `at` of the stream on: all are of its kind. */
static void look_up_plain(struct batch *b, struct requests *r, u64 at)
{
    const u64 first = at;
    while (!request_last(r->at[at++]) && at < r->len)
        ;
    r->next = at;
    fetch_to_read(r->at + at, at - first); /* the warp's next access is mostly as long */
    batch_add_all(b, r->at + first, at - first);
}

/* One instruction of the stream, of any kind; none where it waits. */
static __attribute__((noinline)) void take_any_turn(struct batch *b, struct requests *r)
{
    while (r->next < r->len) {
        const u64 at = r->next, request = r->at[at];
        if (LS_UNLIKELY(request_barrier(request))) {
            if (turns_waits(r))
                break;
            r->next++;
            continue;
        }
        if (is_plain(request_kind(request))) {
            look_up_plain(b, r, at);
        } else {
            r->next++;
            if (request_is_again(request))
                look_up_again(b, r, request);
            else
                look_up_other(b, r, at, request);
        }
        const u64 last = r->at[r->next - 1];
        if (request_last(last) && !(b->how[request_site(last)] & SITE_WITH_NEXT))
            break;
    }
}

/* One instruction of the stream, which has one. False: it is at its end. */
static inline bool take_turn(struct batch *b, struct requests *r)
{
    const u64 request = r->at[r->next];
    __builtin_prefetch(r->at + r->next + REQUESTS_AHEAD);
    if (LS_LIKELY(is_plain(request_kind(request)) && request_last(request) &&
                  !(b->how[request_site(request)] & SITE_WITH_NEXT))) {
        r->next++;
        batch_add(b, request);
    } else {
        take_any_turn(b, r);
    }
    return r->next < r->len;
}

/* The streams that have something, in the order of blocks and warps, of those in the first slots. */
static u32 begin_turns(struct sm *s, u32 warps, u32 slots)
{
    u32 n = 0;
    for (u32 b = 0; b < s->nheld && s->held[b].slot < slots; b++)
        for (u32 k = 0; k < warps; k++)
            if (s->held[b].warps[k].len) {
                s->turns[n] = &s->held[b].warps[k];
                s->turns[n++]->block = b;
            }
    return n;
}

/* Block by block. */
static void pass_barriers(struct requests **turns, u32 n)
{
    for (u32 k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && turns[end]->block == turns[k]->block;)
            end++;
        turns_pass(turns + k, end - k);
    }
}

/* The first line that the next access asks for. *waits: its warp waits for it. */
static u64 next_line(const struct requests *r, bool *waits)
{
    u64 at = r->next;
    while (at + 1 < r->len && request_kind(r->at[at]) == TRAFFIC_EMPTY_L1 && !request_is_again(r->at[at]))
        at++;
    const u64 request = r->at[at],
              of = request_is_again(request) ? request_of_again(request, r->at[request_first(request)]) : request;
    *waits = !is_store(request_kind(of)) && request_kind(of) != TRAFFIC_LOCAL_STORE && request_kind(of) != TRAFFIC_RED;
    return request_number(of);
}

/* The streams in the order in which schedulers come to them. */
static void run_by_time(struct sm *s, struct batch *b, u32 n)
{
    struct turns turns;
    turns_begin(&turns, s->turn, s->turns, n, s->pace, s->number);
    for (u32 k; (k = turns_next(&turns)) < n;) {
        struct requests *r = s->turns[k];
        const u64 sent = s->l2.seen;
        bool waits;
        const u64 line = next_line(r, &waits);
        const bool more = take_turn(b, r);
        s->taken++;
        look_up_batch(b);
        turns_took(&turns, k, waits, line, s->l2.seen > sent);
        if (!more || turns_waits(r))
            turns_stop(&turns, s->turns, k);
    }
    for (u32 k = 0; k < n; k++)
        requests_empty(s->turns[k]);
}

/* An access of each in turn. Streams that are at their end leave the turn. */
static void run_in_turn(struct sm *s, struct batch *b, u32 n)
{
    while (n) {
        u32 left = 0, waiting = 0;
        for (u32 k = 0; k < n; k++) {
            struct requests *r = s->turns[k];
            if (take_turn(b, r)) {
                s->turns[left++] = r;
                waiting += turns_waits(r);
            } else {
                requests_empty(r);
            }
        }
        s->taken += n;
        n = left;
        if (waiting)
            pass_barriers(s->turns, n);
    }
}

bool sm_run(struct sm *s, u32 warps, u32 slots)
{
    struct batch b;
    b.s = s;
    b.good = draw_staged(s);
    b.how = *s->how;
    b.asked = s->looked + s->staged;
    batch_clear(&b);
    const u32 n = begin_turns(s, warps, slots);
    if (turns_are_scarce(n, s->pace))
        run_by_time(s, &b, n);
    else
        run_in_turn(s, &b, n);
    look_up_batch(&b);
    s->staged = 0;
    return stores_leave(s) && b.good;
}

static u64 lines_of_again(const struct requests *r, u64 again)
{
    u64 at = request_first(again);
    while (!request_last(r->at[at]))
        at++;
    return at + 1 - request_first(again);
}

void sm_set_pace(struct sm *s, const struct held_block *h, u32 warps, u32 together, u64 cycles)
{
    enum { WARPS_QUEUE = 8 }; /* fewer do not keep L1 busy */
    const u8 *how = *s->how;
    u64 turns = s->taken, lines = s->looked;
    for (u32 w = 0; w < warps; w++) {
        const struct requests *r = &h->warps[w];
        for (u64 k = r->next; k < r->len; k++) {
            const u64 request = r->at[k];
            lines += request_is_again(request) ? lines_of_again(r, request) : 1;
            turns +=
                request_last(request) && !request_barrier(request) && !(how[request_site(request)] & SITE_WITH_NEXT);
        }
    }
    s->pace = turns ? (double)cycles / (double)turns : 0;
    s->stores_queue = cycles < TURNS_SCHEDULERS * lines && together >= WARPS_QUEUE;
}

/* Cycles until what L1 lacks is there, on the average. */
#define L2_WAIT 700.0

struct sm_turns sm_turns_to_l2(const struct sm *s, u32 warps)
{
    const double asked = (double)s->looked, turns = (double)s->taken;
    const bool all =
        s->l2.asked_in > 1 || !(asked > 0) || !(turns > 0); /* L1 is gone round, or what it has is not known */
    const double misses = all ? 1 : fmin(1, (double)s->l2.seen / asked);
    const double go_on = all ? 1 : fmax(1e-3, 1 - pow(1 - misses, asked / turns)); /* of turns */
    const double alone = s->pace + L2_WAIT * go_on + TURNS_NEAR * (1 - go_on);
    return (struct sm_turns){turns * go_on, fmax(s->pace / TURNS_SCHEDULERS, alone / warps) / go_on};
}
