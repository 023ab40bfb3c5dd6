/* l2_turns.c - a launch: what the SMs send to L2, taken in turns (cache_l2.h). */
#include <string.h>

#include "base/alloc.h"
#include "model/cache/l2/l2.h"

/* Measured on an H200 (docs/model.md): of how many of all lines some sector may be partly written, as a share. */
#define PARTS_MOST 0.116
/* Of so many of its lines, as a share, a half may have copies from before the launch. */
#define OLD_COPIES 0.3
/* Cycles: of the lines that an instruction asks for an SM sends one after the other. */
#define OF_LINE 1.5

/* Of a launch of which only some lines are looked up. False: this one is not, an atomic of another line. */
static inline bool draw_line(struct l2 *l2, const struct l2_input *in, u64 request, struct traffic *t)
{
    if (LS_UNLIKELY(request_is_atomic(request)) && !sample_keeps(request_number(request), l2->one_in)) {
        l2_count_beside(l2, in, request, t);
        return false;
    }
    t->drawn.looked_up += (u64)sectors_in(request_sectors(request)) << l2->one_in_bits;
    return true;
}

/* Those that L2 does not look up are counted. */
static inline bool is_looked_up(struct l2 *l2, const struct l2_input *in, u64 request, struct traffic *t)
{
    return (l2->one_in == 1 || draw_line(l2, in, request, t)) && (!l2->nhost || !l2_asks_host(l2, request, t));
}

/* An SM's turns, in a line of the host's caches. */
struct sender {
    const u64 *next, *end; /* of what it sent */
    struct traffic *const *sites;
    u64 waits;     /* turns that are still to pass */
    u32 from;      /* from_place */
    u32 lag, lags; /* parts of 2^32 of a turn that it is late, and how many more with each turn */
    struct l2_input *in;
};
_Static_assert(sizeof(struct sender) <= 64, "a line of the host's caches");

/* What stands in place of a request: the SM has other blocks, or turns pass (the result). */
static __attribute__((noinline)) bool take_order(struct l2 *l2, struct sender *s, u64 order)
{
    struct l2_input *in = s->in;
    if (order == REQUEST_OTHER_BLOCKS) {
        in->place = sm_place_later(in->sm, ++in->turn);
        s->from = from_place(in, l2->halves);
        return false;
    }
    s->waits = request_number(order) - 1;
    return true;
}

/* Whether all are looked up that go the same way as this one. */
static inline bool are_looked_up(const struct l2 *l2, u64 request)
{
    return !l2->leaves_out || (!l2->nhost && !request_is_atomic(request));
}

/* What follows the last of the batch in its access, and goes the same way, until the batch is full; all are looked up. */
static __attribute__((noinline)) u32 put_alike(const struct l2 *l2, struct batch *b, u32 n, struct sender *s)
{
    const u64 what = request_make(REQUEST_LOCAL, 0, 15, true, REQUEST_SITES - 1), from = b->from[n - 1];
    struct traffic *const t = b->t[n - 1];
    u64 last = s->next[-1], sectors = 0;
    while (!request_last(last) && s->next < s->end && n < L2_TOGETHER && !((*s->next ^ last) & what & ~REQUEST_LAST)) {
        last = *s->next++;
        sectors += sectors_in(request_sectors(last));
        __builtin_prefetch(s->next + REQUESTS_AHEAD);
        b->request[n] = last;
        b->from[n] = from;
        b->t[n++] = t;
    }
    if (l2->one_in > 1)
        t->drawn.looked_up += sectors << l2->one_in_bits;
    return n;
}

/* The next instruction's lines of one SM, whatever they are; false: it is at its end. */
static __attribute__((noinline)) bool step_any(struct l2 *l2, struct sender *s, u32 now)
{
    if (s->waits) {
        s->waits--;
        return true;
    }
    const u64 *const begun = s->next;
    struct batch *b = l2->filled;
    u64 from = from_make(s->from, now);
    u32 n = b->n;
    for (bool over = false; s->next < s->end && !over;) {
        const u64 request = *s->next++;
        __builtin_prefetch(s->next + REQUESTS_AHEAD);
        if (LS_UNLIKELY(request_kind(request) == TRAFFIC_EMPTY_L1)) {
            over = take_order(l2, s, request);
            from = from_make(s->from, now);
            continue;
        }
        struct traffic *t = s->sites[request_site(request)];
        over = request_last(request);
        if (LS_UNLIKELY(l2->leaves_out) && !is_looked_up(l2, s->in, request, t))
            continue;
        b->request[n] = request;
        b->from[n] = LS_LIKELY(request_number(request) < REQUEST_LOCAL) ? from : from_local(from, s->in, l2->halves);
        b->t[n++] = t;
        if (!over && are_looked_up(l2, request)) {
            n = put_alike(l2, b, n, s);
            over = request_last(s->next[-1]);
        }
        if (n == L2_TOGETHER)
            b = l2_batch_came(l2, n), n = 0;
    }
    b->n = n;
    l2->sent += (u64)(s->next - begun);
    return s->next < s->end;
}

/* It is all of its instruction, a line of device memory. */
static inline bool is_alone(u64 request)
{
    return (request & (REQUEST_LAST | REQUEST_LOCAL)) == REQUEST_LAST && request_kind(request) != TRAFFIC_EMPTY_L1;
}

/* step_any; most instructions send a line. */
static inline bool l2_step(struct l2 *l2, struct sender *s, u32 now)
{
    if (LS_UNLIKELY(s->waits || s->next == s->end || l2->leaves_out) || !is_alone(*s->next))
        return step_any(l2, s, now);
    struct batch *b = l2->filled;
    const u64 request = *s->next++;
    __builtin_prefetch(s->next + REQUESTS_AHEAD);
    b->request[b->n] = request;
    b->from[b->n] = from_make(s->from, now);
    b->t[b->n] = s->sites[request_site(request)];
    l2->sent++;
    if (++b->n == L2_TOGETHER)
        l2_batch_came(l2, L2_TOGETHER)->n = 0;
    return s->next < s->end;
}

/* SMs that do the same do not stay together: of a million turns one lets up to a thousand pass, each its own number of them. Fitted, on how
 * many reads an H200 joins in long kernels. */
#define LAGS_MOST 0.001
static void begin_turns(const struct l2 *l2, struct sender *senders, struct l2_input *const *inputs, u32 n)
{
    for (u32 k = 0; k < n; k++) {
        const struct requests *kept = &inputs[k]->kept;
        senders[k] = (struct sender){.next = kept->at,
                                     .end = kept->at + kept->len,
                                     .sites = *inputs[k]->sites,
                                     .from = from_place(inputs[k], l2->halves),
                                     .lags = (u32)(LAGS_MOST * ((k + 1) * 0x9e3779b9u)),
                                     .in = inputs[k]};
    }
}

/* Whether it lets this turn pass. */
static inline bool lags(struct sender *s)
{
    s->lag += s->lags;
    return s->lag < s->lags;
}

/* A round of so many SMs is over. */
static void pass(struct l2 *l2, u32 sms)
{
    const double sending = OF_LINE * l2->one_in * (double)l2->sent / sms;
    l2->now += sending > l2->turn ? sending : l2->turn;
    l2->sent = 0;
}

/* Those that are at their end leave the turn. */
static void run(struct l2 *l2, struct sender *senders, u32 n)
{
    for (u32 left; n; n = left) {
        const u32 now = l2->begun + (u32)(u64)l2->now;
        left = 0;
        for (u32 k = 0; k < n; k++)
            if (lags(&senders[k]) || l2_step(l2, &senders[k], now)) {
                if (left != k)
                    senders[left] = senders[k];
                left++;
            }
        pass(l2, n);
    }
    l2_all_come(l2);
}

/* False: no memory. */
static bool take_turns(struct l2 *l2, struct l2_input *const *inputs, u32 n)
{
    struct sender *senders = ls_calloc(n + 1, sizeof *senders);
    if (!senders)
        return false;
    begin_turns(l2, senders, inputs, n);
    run(l2, senders, n);
    ls_free(senders);
    return true;
}

/* ---- launches ---- */

enum { CYCLES_MOST = 1 << 30 };

/* Nothing of an older launch is on its way, nor does it matter when that ended. */
static void begin_clock(struct l2 *l2, double turn)
{
    const u64 begun = l2->begun + (u64)l2->now + LATE + 1;
    const bool anew = begun >= CYCLES_MOST;
    if (anew) {
        memset(l2->came, 0, sizeof *l2->came << CAME_BITS);
        memset(l2->joins, 0, sizeof *l2->joins);
    }
    l2->begun = anew ? LATE + 1 : (u32)begun;
    l2->now = 0;
    l2->turn = turn;
    l2->sent = 0;
}
_Static_assert((int)JOINS_CYCLES <= (int)LATE, "nobody joins an older launch's reads");

/* Nothing in it, nothing dirty. */
static bool empty(struct l2 *l2, const struct l2_shape *shape, u32 one_in)
{
    bool good = true;
    l2->copies = false;
    l2->first_writes = 0;
    l2->old_copies = (u32)(OLD_COPIES * (double)shape->bytes / CACHE_LINE / one_in);
    l2->parts_most = (u32)(PARTS_MOST * (double)shape->bytes / CACHE_LINE / one_in);
    written_clear(&l2->written, (u32)__builtin_ctz(one_in));
    for (u32 k = 0; k < shape->halves; k++) {
        good = good && cache_shape(&l2->half[k], shape->bytes / shape->halves / one_in, L2_WAYS);
        l2->half[k].policy = CACHE_MIXED;
        l2->half[k].same_set = shape->halves == 1 ? 0 : 1ull << WHICH_BIT;
    }
    return good;
}

/* For another grid. What L2 holds stays where that goes on from the one before, and as many lines were kept. */
static bool renew(struct l2 *l2, const struct l2_shape *shape, u32 one_in)
{
    const bool stays = shape->goes_on && l2->halves == shape->halves && l2->one_in == one_in;
    bool good = stays || empty(l2, shape, one_in);
    l2->halves = shape->halves;
    l2->coalesces = shape->coalesces;
    l2->one_in = good ? one_in : 0;
    l2->one_in_bits = (u32)__builtin_ctz(one_in);
    l2->run++;
    l2->random = 1;
    begin_clock(l2, shape->turn);
    l2->host = shape->host;
    l2->nhost = shape->nhost;
    l2->leaves_out = one_in > 1 || shape->nhost;
    l2->together = 0;
    l2->alone = 0;
    return good;
}

bool l2_run(struct l2 *l2, const struct l2_shape *shape, struct l2_input **inputs, u32 n, struct l2_hot *hot)
{
    u32 one_in = 1;
    for (u32 k = 0; k < n; k++)
        one_in = inputs[k]->one_in > one_in ? inputs[k]->one_in : one_in;
    for (u32 k = 0; k < n; k++)
        if (inputs[k]->one_in < one_in)
            l2_input_thin(inputs[k], one_in);
    if (!renew(l2, shape, one_in) || !take_turns(l2, inputs, n))
        return false;
    *hot = (struct l2_hot){.alone = l2->alone};
    u64 sectors[HOT_KINDS] = {0};
    const u32 stands_for[HOT_KINDS] = {[HOT_LOADS] = one_in, [HOT_STORES] = one_in, [HOT_ATOMICS] = 1};
    spots_most(l2->lines, l2->run, stands_for, sectors);
    hot->sector = sectors[HOT_ATOMICS];
    hot->slice_all = spots_most(l2->slices, l2->run, stands_for, hot->slice);
    return true;
}
