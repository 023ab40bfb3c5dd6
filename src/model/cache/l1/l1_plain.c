/* l1_plain.c - see l1_plain.h. */
#include "model/cache/l1/l1_plain.h"

#include <string.h>

#include "base/clones.h"
#include "model/cache/l1/l1.h"

_Static_assert((int)PLAIN_AT_A_TIME <= (int)L2_INPUT_MOST, "all that goes on at once");
_Static_assert((int)REQUEST_NUMBER_BITS == (int)CACHE_NUMBER_BITS, "a request is a word as cache_take_lines wants it");

static void clear(struct plain *b)
{
    b->n = b->nruns = 0;
    b->like = UINT64_MAX; /* no request's */
}

void plain_begin(struct plain *b, struct sm *s)
{
    b->s = s;
    b->how = *s->how;
    b->good = true;
    b->asked = s->looked + s->staged;
    clear(b);
}

void plain_add_all(struct plain *b, const u64 *request, u64 n)
{
    while (n) {
        const u32 room = PLAIN_AT_A_TIME - b->n, some = n < room ? (u32)n : room;
        plain_goes_on(b, plain_like(*request));
        memcpy(b->request + b->n, request, sizeof *request * some);
        b->n += some;
        if (b->n == PLAIN_AT_A_TIME)
            plain_look_up(b);
        request += some;
        n -= some;
    }
}

/* ---- what is counted ---- */

_Static_assert(TRAFFIC_l1_gld_misses == TRAFFIC_l1_gld_hits + 1 && TRAFFIC_l1_gst_misses == TRAFFIC_l1_gst_hits + 1 &&
                   TRAFFIC_l1_other_misses == TRAFFIC_l1_other_hits + 1,
               "misses stand behind their hits in traffic.def");

enum traffic_count l1_hits_of(enum traffic_kind kind)
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

/* What requests of one kind and site asked for: so many sectors were there, so many were not. */
static inline void count(struct sm *s, u64 one, u64 lines, u64 hits, u64 misses)
{
    const enum traffic_kind kind = request_kind(one);
    struct traffic *t = (*s->l2.sites)[request_site(one)];
    t->n[TRAFFIC_l1_lines] += lines;
    t->n[l1_hits_of(kind)] += hits;
    t->n[l1_hits_of(kind) + 1] += misses;
    t->n[TRAFFIC_l1_tex_hits] += kind == TRAFFIC_TEXTURE ? hits : 0;
    t->n[TRAFFIC_l1_served] += reads(kind) ? hits : 0;
}

static inline void count_sent(struct sm *s, u64 one, u64 sectors)
{
    (*s->l2.sites)[request_site(one)]->drawn.sent += sectors;
}

/* ---- all are looked up ---- */

/* Whether the slices of all lines that L1 has are known to be asked: the SM has never waited, and no store is still to leave. */
static bool slices_are_known(const struct sm *s) { return !slices_settled(&s->slices) && !s->nwaiting; }

/* Of the requests those that have one of these sectors go on. fresh: those that L1 lacked something for. */
static void go_on(struct plain *b, const u8 *sectors, u64 fresh)
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
        b->good &= l1_send(b->s, b->request[k], sectors[k]);
    }
}

/* What a run of requests that are alike asked for. The result: sectors of it that go on; what is to be read and was there does not, so all of the
 * others are put beside what is lacking. */
static u32 count_run(struct sm *s, u64 one, const u8 *there, u8 *lacking, u32 n)
{
    const u32 hits = sectors_of_all(there, n), misses = sectors_of_all(lacking, n);
    count(s, one, n, hits, misses);
    if (reads(request_kind(one)))
        return misses;
    s->parts += request_kind(one) == TRAFFIC_STORE_WORD ? n : 0;
    for (u32 k = 0; k < n && hits; k++)
        lacking[k] |= there[k];
    return hits + misses;
}

static void look_up_all(struct plain *b)
{
    u8 there[PLAIN_AT_A_TIME], lacking[PLAIN_AT_A_TIME];
    cache_take_lines(&b->s->l1, b->request, b->n, there, lacking);
    const u64 fresh = sectors_there(lacking, b->n);
    const bool counts = b->s->l2.one_in > 1 && l2_input_has_budget(&b->s->l2, b->n);
    for (u32 run = 0, k = 0, n; run < b->nruns; run++, k += n) {
        n = b->begin[run + 1] - k;
        const u32 sent = count_run(b->s, b->request[k], there + k, lacking + k, n);
        if (counts)
            count_sent(b->s, b->request[k], sent);
    }
    go_on(b, lacking, fresh);
}

/* ---- some are looked up, which stand for all ---- */

/* The share that is looked up depends on how much there was, in the order of the launch. */
bool l1_draw_fewer(struct sm *s)
{
    const u32 before = s->l2.asked_in, after = 2 * before;
    if (!l1_thin(&s->l1, before, after))
        return false;
    if (s->l2.one_in < after)
        l2_input_thin(&s->l2, after);
    s->l2.asked_in = after;
    return true;
}

/* Requests that are looked up: which of all they are, a bit each; where each was among all, and what L1 is asked for it. */
struct drawn {
    u64 which;
    u32 n;
    u8 at[PLAIN_AT_A_TIME];
    u64 request[PLAIN_AT_A_TIME], among[PLAIN_AT_A_TIME];
};

CLONES static void find_sectors(u8 *restrict sectors, const u64 *restrict request, u32 n)
{
    for (u32 k = 0; k < n; k++)
        sectors[k] = (u8)request_sectors(request[k]);
}

/* sample_number, and the sectors. */
CLONES static void find_among(u64 *restrict among, const u64 *restrict request, u32 n, u32 one_in_bits)
{
    for (u32 k = 0; k < n; k++) {
        const u64 number = request_number(request[k]);
        among[k] = sample_among(number, one_in_bits) | (request[k] & 15ull << 40);
    }
}

static void draw(const struct plain *b, struct drawn *d)
{
    const u32 one_in = b->s->l2.asked_in;
    u32 n = 0;
    d->which = sample_kept(b->request, b->n, one_in);
    for (u64 left = d->which; left; left &= left - 1)
        d->at[n++] = (u8)__builtin_ctzll(left);
    d->n = n;
    for (u32 i = 0; i < n; i++)
        d->request[i] = b->request[d->at[i]];
    find_among(d->among, d->request, n, (u32)__builtin_ctz(one_in));
    for (u32 k = 0; k < b->n && !slices_all(&b->s->slices); k++)
        slices_ask(&b->s->slices, request_number(b->request[k]));
}

/* Run by run. Of what is not to be read, all goes on: it is put beside what is lacking. counts: what goes on, too. */
static void count_some(struct plain *b, const struct drawn *d, const u8 *there, u8 *lacking, bool counts)
{
    const u64 one_in = b->s->l2.asked_in;
    for (u32 run = 0, from = 0, n; run < b->nruns; run++, from += n) {
        const u32 k = b->begin[run], end = b->begin[run + 1];
        const u64 one = b->request[k];
        n = (u32)__builtin_popcountll(d->which >> k << (64 - end + k));
        const u32 hits = sectors_of_all(there + from, n), misses = sectors_of_all(lacking + from, n);
        l1_count_drawn(b->s, one, requests_sectors(b->request + k, end - k), hits + misses);
        count(b->s, one, n * one_in, hits * one_in, misses * one_in);
        const bool all = !reads(request_kind(one));
        if (counts)
            count_sent(b->s, one, (all ? hits + misses : misses) * one_in);
        if (all)
            find_sectors(lacking + from, d->request + from, n);
    }
}

/* An instruction has a turn of L2 if its last line goes on. Of one that is not looked up nobody knows: it is taken for the one that was looked up
 * before it. */
static void go_on_one_by_one(struct plain *b, const struct drawn *d, const u8 *sectors)
{
    struct sm *s = b->s;
    for (u32 k = 0, next = 0; k < b->n; k++) {
        if (next < d->n && d->at[next] == k) {
            b->good &= l1_send(s, d->request[next] & ~REQUEST_LAST, sectors[next]);
            s->goes = sectors[next++] != 0;
        }
        if (request_last(b->request[k]) && s->goes)
            l2_input_end_turn(&s->l2);
    }
}

/* The last lines that go on, a bit each. go: those that are looked up and do, in their order. */
static u64 last_that_go(struct plain *b, const struct drawn *d, u64 go)
{
    u64 those = 0;
    for (u64 left = requests_last(b->request, b->n); left; left &= left - 1) {
        const u64 last = left & -left;
        const u32 n = (u32)__builtin_popcountll(d->which & (last | (last - 1))); /* looked up until then */
        those |= (n ? go >> (n - 1) & 1 : b->s->goes) ? last : 0;
    }
    if (d->n)
        b->s->goes = go >> (d->n - 1) & 1;
    return those;
}

static void go_on_together(struct plain *b, const struct drawn *d, const u8 *sectors)
{
    struct l2_input *in = &b->s->l2;
    const u64 stands = l2_input_kept(in, d->request, d->n), go = sectors_there(sectors, d->n);
    u8 of_all[PLAIN_AT_A_TIME];
    u64 kept = 0;
    for (u64 left = go & stands; left; left &= left - 1) {
        const u32 i = (u32)__builtin_ctzll(left), k = d->at[i];
        of_all[k] = sectors[i];
        kept |= 1ull << k;
    }
    b->good &=
        l2_input_push_drawn(in, b->request, of_all, b->n, (u32)__builtin_popcountll(go), kept, last_that_go(b, d, go));
}

static void look_up_some(struct plain *b)
{
    struct drawn d;
    u8 there[PLAIN_AT_A_TIME], lacking[PLAIN_AT_A_TIME];
    const bool together = l2_input_has_budget(&b->s->l2, b->n);
    draw(b, &d);
    cache_take_lines(&b->s->l1, d.among, d.n, there, lacking);
    count_some(b, &d, there, lacking, together);
    if (LS_LIKELY(together))
        go_on_together(b, &d, lacking);
    else
        go_on_one_by_one(b, &d, lacking);
}

/* ---- */

void plain_look_up(struct plain *b)
{
    struct sm *s = b->s;
    b->begin[b->nruns] = (u8)b->n;
    if (LS_UNLIKELY(s->l2.asked_in > 1))
        look_up_some(b);
    else
        look_up_all(b);
    s->l2.budget = sm_l2_budget(s, b->asked);
    s->looked += b->n;
    b->good &= !sm_draws_fewer(s, s->looked, s->l2.asked_in) || l1_draw_fewer(s);
    clear(b);
}
