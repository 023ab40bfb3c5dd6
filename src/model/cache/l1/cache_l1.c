/* cache_l1.c - the first-level cache of an SM (traffic.h has its rules). */
#include "model/cache/l1/cache_l1.h"

#include <math.h>
#include <string.h>

#include "base/fetch.h"
#include "model/cache/l1/l1.h"
#include "model/cache/l1/l1_plain.h"
#include "model/cache/l1/turns.h"

/* ---- to L2 ---- */

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

/* What goes round L1 is asked of L2 as if it came from there. */
static u64 round_l1(u64 request)
{
    const enum traffic_kind kind = request_kind(request), as = kind == TRAFFIC_BULK_LOAD    ? TRAFFIC_LOAD
                                                               : kind == TRAFFIC_BULK_STORE ? TRAFFIC_STORE
                                                                                            : TRAFFIC_RED;
    return request_make(request_number(request), request_sectors(request), as, request_last(request),
                        request_site(request));
}

/* Once for all that is staged. */
static bool draw_staged(struct sm *s)
{
    bool good = true;
    while (good && (s->l2.asked_in < s->staged_in || sm_draws_fewer(s, s->looked + s->staged, s->l2.asked_in)))
        good = l1_draw_fewer(s);
    s->staged_in = s->l2.asked_in;
    return good;
}

/* ---- requests that are not plain ---- */

static void ask(struct sm *s, u64 request, u32 sectors)
{
    const u32 one_in = s->l2.asked_in;
    struct traffic *t = (*s->l2.sites)[request_site(request)];
    const enum traffic_kind kind = request_kind(request);
    const u32 there = l1_ask(&s->l1, kind, sample_number(request_number(request), one_in), sectors);
    t->n[TRAFFIC_l1_lines] += one_in;
    t->n[l1_hits_of(kind)] += sectors_in(there) * one_in;
    t->n[l1_hits_of(kind) + 1] += sectors_in(sectors & ~there) * one_in;
}

/* One that has a line; as l1_look_up. Which stores go together is asked of all lines. */
static bool look_up_line(struct sm *s, const struct requests *r, u64 at, u64 request)
{
    const enum traffic_kind kind = request_kind(request);
    const u32 sectors = request_sectors(request);
    const bool drawn = l1_is_drawn(s, request), bulk = kind >= TRAFFIC_BULK_LOAD;
    if (LS_UNLIKELY(s->l2.asked_in > 1))
        l1_count_drawn(s, request, sectors_in(sectors), drawn ? sectors_in(sectors) : 0);
    s->parts += request_words(request) < 8 || request_is_atomic(request);
    if (bulk)
        return l1_send(s, round_l1(request), sectors);
    if (drawn)
        ask(s, request, sectors);
    const bool parts = is_store(kind) && kind != TRAFFIC_STORE,
               along = parts && !is_texels(request) && stores_join(s, r, at, &request), waits = parts && !along;
    u32 saved = along ? sectors_in(sectors) : 0;
    const bool good = !waits || stores_wait(s, r, at, request, &saved);
    (*s->l2.sites)[request_site(request)]->n[TRAFFIC_l1_served] += drawn ? saved * s->l2.asked_in : 0;
    return good && (along || waits || l1_send(s, request, sectors));
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

/* ---- turns ---- */

/* One that is not plain, at `at` of its stream. */
static void look_up_other(struct plain *b, const struct requests *r, u64 at, u64 request)
{
    plain_look_up(b);
    b->good &= l1_look_up(b->s, r, at, request);
}

/* An access that stands as one word. */
static void look_up_again(struct plain *b, const struct requests *r, u64 again)
{
    const enum traffic_kind kind = request_kind(request_of_again(again, again));
    const bool plain =
        is_plain(kind) || kind == TRAFFIC_STORE_WORD; /* a row of its own for each thread: no other warp's */
    u64 at = request_first(again);
    do
        if (plain)
            plain_add(b, request_of_again(again, r->at[at]));
        else
            look_up_other(b, r, at, request_of_again(again, r->at[at]));
    while (!request_last(r->at[at++]));
}

/* Behind the last request of the access that `at` is of. */
static inline u64 access_end(const struct requests *r, u64 at)
{
    const u64 *p = r->at + at, *const end = r->at + r->len;
    if (request_last(*p))
        return at + 1;
    while (end - p >= 8 && !((p[0] | p[1] | p[2] | p[3] | p[4] | p[5] | p[6] | p[7]) & REQUEST_LAST))
        p += 8;
    while (p < end && !request_last(*p++))
        ;
    return (u64)(p - r->at);
}

/* The lines of a plain access, from `at` of the stream on: all are of its kind. */
static void look_up_plain(struct plain *b, struct requests *r, u64 at)
{
    const u64 first = at;
    at = access_end(r, at);
    r->next = at;
    fetch_to_read(r->at + at, at - first); /* the warp's next access is mostly as long */
    plain_add_all(b, r->at + first, at - first);
}

/* One instruction of the stream, of any kind; none where it waits. */
static __attribute__((noinline)) void take_any_turn(struct plain *b, struct requests *r)
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
static inline bool take_turn(struct plain *b, struct requests *r)
{
    const u64 request = r->at[r->next];
    __builtin_prefetch(r->at + r->next + REQUESTS_AHEAD);
    if (LS_LIKELY(is_plain(request_kind(request)) && request_last(request) &&
                  !(b->how[request_site(request)] & SITE_WITH_NEXT))) {
        r->next++;
        plain_add(b, request);
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
static void run_by_time(struct sm *s, struct plain *b, u32 n)
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
        plain_look_up(b);
        const bool missed = s->l2.seen > sent || (s->l2.asked_in > 1 && s->goes);
        turns_took(&turns, k, waits, line, missed);
        if (!more || turns_waits(r))
            turns_stop(&turns, s->turns, k);
    }
    for (u32 k = 0; k < n; k++)
        requests_empty(s->turns[k]);
}

/* An access of each in turn. Streams that are at their end leave the turn. */
static void run_in_turn(struct sm *s, struct plain *b, u32 n)
{
    struct requests **const turns = s->turns;
    while (n) {
        u32 left = 0, waiting = 0;
        for (u32 k = 0; k < n; k++) {
            struct requests *r = turns[k];
            if (take_turn(b, r)) {
                turns[left++] = r;
                waiting += r->barriers && turns_waits(r);
            } else {
                requests_empty(r);
            }
        }
        s->taken += n;
        n = left;
        if (waiting)
            pass_barriers(turns, n);
    }
}

bool sm_run(struct sm *s, u32 warps, u32 slots)
{
    struct plain b;
    const bool drawn = draw_staged(s);
    plain_begin(&b, s);
    const u32 n = begin_turns(s, warps, slots);
    if (turns_are_scarce(n, s->pace))
        run_by_time(s, &b, n);
    else
        run_in_turn(s, &b, n);
    plain_look_up(&b);
    s->staged = 0;
    return stores_leave(s) && drawn && b.good;
}

void sm_set_pace(struct sm *s, const struct held_block *h, u32 warps, u32 together, u64 cycles)
{
    enum { WARPS_QUEUE = 8 }; /* fewer do not keep L1 busy */
    u64 turns = s->taken, lines = s->looked;
    for (u32 w = 0; w < warps; w++) {
        const struct requests *r = &h->warps[w];
        lines += r->len + r->folded;
        turns += r->turns;
    }
    s->pace = turns ? (double)cycles / (double)turns : 0;
    s->stores_queue = cycles < TURNS_SCHEDULERS * lines && together >= WARPS_QUEUE;
}

/* Cycles until what L1 lacks is there, on the average. */
#define L2_WAIT 700.0

struct sm_turns sm_turns_to_l2(const struct sm *s, u32 warps)
{
    const double asked = (double)s->looked, turns = (double)s->taken;
    const bool all = !(asked > 0) || !(turns > 0); /* L1 is gone round */
    const double misses = all ? 1 : fmin(1, (double)s->l2.seen / asked);
    const double go_on = all ? 1 : fmax(1e-3, 1 - pow(1 - misses, asked / turns)); /* of turns */
    const double alone = s->pace + L2_WAIT * go_on + TURNS_NEAR * (1 - go_on);
    return (struct sm_turns){turns * go_on, fmax(s->pace / TURNS_SCHEDULERS, alone / warps) / go_on};
}
