/* l2_input.c - see l2_input.h. */
#include "model/cache/l2/l2_input.h"

#include "base/clones.h"

enum { BESIDE = 8 }; /* so many times the budget: they cost little */

static struct traffic_drawn *drawn_of(const struct l2_input *in, u64 request)
{
    return &(*in->sites)[request_site(request)]->drawn;
}

/* An atomic of a line that is not kept. */
static bool is_beside(u64 request, u32 one_in)
{
    return request_is_atomic(request) && !sample_keeps(request_number(request), one_in);
}

/* ---- turns ---- */

/* Where a stream is written anew in its own place: what is left out makes room for the turns that pass. */
struct rewrite {
    struct l2_input *in;
    u64 to;
};

static void rewrite_put(struct rewrite *w, u64 request)
{
    if (w->in->idle)
        w->in->kept.at[w->to++] = request_turns(w->in->idle);
    w->in->idle = 0;
    w->in->kept.at[w->to++] = request;
}

/* A turn is over. The last request of it that is kept ends it. */
static inline void close_turn(u64 *at, u64 kept, bool *open, u64 *idle)
{
    if (*open && request_kind(at[kept - 1]) != TRAFFIC_EMPTY_L1)
        at[kept - 1] |= REQUEST_LAST;
    else
        ++*idle;
    *open = false;
}

static void end_turn(struct l2_input *in, u64 kept) { close_turn(in->kept.at, kept, &in->open, &in->idle); }

static void rewrite_request(struct rewrite *w, u64 request, bool stays)
{
    if (request_is_turns(request)) {
        w->in->idle += request_number(request);
        return;
    }
    if (stays)
        rewrite_put(w, request);
    if (request == REQUEST_OTHER_BLOCKS)
        return;
    w->in->open |= stays;
    if (request_last(request))
        end_turn(w->in, w->to);
}

static struct rewrite rewrite_begin(struct l2_input *in)
{
    in->idle = 0;
    in->open = false;
    return (struct rewrite){in, 0};
}

static void rewrite_end(struct rewrite *w, u64 idle)
{
    w->in->kept.len = w->to;
    w->in->idle += idle;
}

/* ---- some requests at once ---- */

enum { TOGETHER = L2_INPUT_MOST };
_Static_assert((int)TOGETHER <= 64, "a bit each");

/* Word k is bit k, for vectors. */
#define FOUR(k) 1ull << (k), 1ull << ((k) + 1), 1ull << ((k) + 2), 1ull << ((k) + 3)
#define SIXTEEN(k) FOUR(k), FOUR((k) + 4), FOUR((k) + 8), FOUR((k) + 12)
static const u64 bit[64] = {SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)};

/* A bit each: those that are the last of their turn. */
CLONES static u64 find_last(const u64 *restrict request, u32 n)
{
    u64 last = 0;
    for (u32 k = 0; k < n; k++)
        last |= bit[k] & -(request[k] >> 48 & 1);
    return last;
}
u64 requests_last(const u64 *request, u32 n) { return find_last(request, n); }

/* Bits that are not the same in all of them. */
CLONES static u64 differ(const u64 *restrict request, u32 n)
{
    u64 bits = 0;
    for (u32 k = 0; k < n; k++)
        bits |= request[k] ^ request[0];
    return bits;
}

/* What n requests send. */
static void count_sent(const struct l2_input *in, const u64 *request, u32 n)
{
    if (LS_LIKELY(!request_site(differ(request, n)))) {
        drawn_of(in, request[0])->sent += requests_sectors(request, n);
        return;
    }
    for (u32 k = 0; k < n; k++)
        drawn_of(in, request[k])->sent += sectors_in(request_sectors(request[k]));
}

/* Whether none is an atomic, or stands in place of a request. Mostly all are of one kind. */
static bool are_plain(const u64 *request, u32 n)
{
    enum { OTHERS = 1 << TRAFFIC_ATOM | 1 << TRAFFIC_RED | 1 << TRAFFIC_EMPTY_L1 };
    const u32 first = OTHERS >> request_kind(*request) & 1;
    u32 others = first;
    if (LS_LIKELY(!request_kind(differ(request, n))))
        return !first;
    for (u32 k = 1; k < n; k++)
        others |= OTHERS >> request_kind(request[k]) & 1;
    return !others;
}

/* Puts those that are kept of plain requests behind the first `to`, before which they stand: the number that there are then. last: the last ones of
 * turns, of those that are kept and others. sectors: of each; NULL: as they stand there. Of turns that are over one behind the other only the first may
 * have something that is kept. */
CLONES static u64 put_kept(struct l2_input *in, u64 to, const u64 *request, const u8 *sectors, u64 kept, u64 last)
{
    u64 *const at = in->kept.at;
    u64 idle = in->idle;
    bool open = in->open;
    for (;;) {
        const u64 first = kept & -kept, over = first ? last & (first - 1) : last;
        if (over) {
            close_turn(at, to, &open, &idle);
            idle += (u64)__builtin_popcountll(over) - 1;
        }
        if (!first)
            break;
        const u32 k = (u32)__builtin_ctzll(first);
        const u64 one = sectors ? (request[k] & ~(15ull << 40)) | (u64)sectors[k] << 40 : request[k];
        last &= ~over & ~first;
        kept ^= first;
        if (idle)
            at[to++] = request_turns(idle);
        idle = 0;
        at[to++] = one;
        open = !request_last(one);
    }
    in->idle = idle;
    in->open = open;
    return to;
}

/* Puts those that go on; all are kept. */
CLONES static u64 put_all(u64 *restrict to, const u64 *restrict request, const u8 *restrict sectors, u32 n, u64 go)
{
    const u64 others = ~(15ull << 40);
    const u64 *const from = to;
    if (go == UINT64_MAX >> (64 - n)) {
        for (u32 k = 0; k < n; k++)
            to[k] = (request[k] & others) | (u64)sectors[k] << 40;
        return n;
    }
    for (; go; go &= go - 1) {
        const u32 k = (u32)__builtin_ctzll(go);
        *to++ = (request[k] & others) | (u64)sectors[k] << 40;
    }
    return (u64)(to - from);
}

/* ---- what is kept ---- */

/* Every second of them goes. */
static void thin_beside(struct l2_input *in)
{
    const u64 idle = in->idle, len = in->kept.len;
    struct rewrite w = rewrite_begin(in);
    u64 n = 0;
    in->beside_in *= 2;
    for (u64 k = 0; k < len; k++) {
        const u64 request = in->kept.at[k];
        rewrite_request(&w, request, !is_beside(request, in->one_in) || n++ % 2 == 0);
    }
    in->beside = (n + 1) / 2;
    rewrite_end(&w, idle);
}

/* One of those that stand for all is kept. */
static bool stays_beside(struct l2_input *in, u64 request)
{
    const bool stays = is_beside(request, in->one_in) && in->beside_next++ % in->beside_in == 0;
    in->beside += stays;
    return stays;
}

static bool is_kept(const struct l2_input *in, u64 request)
{
    return request == REQUEST_OTHER_BLOCKS || sample_keeps(request_number(request), in->one_in);
}

static void thin_plain(struct rewrite *w, const u64 *request, u32 n, u32 before)
{
    const u32 one_in = w->in->one_in;
    if (before == 1)
        count_sent(w->in, request, n);
    w->to = put_kept(w->in, w->to, request, NULL, sample_kept(request, n, one_in), find_last(request, n));
}

/* Of any requests, n from `from` on. */
static void thin_any(struct rewrite *w, u64 from, u32 n, u32 before)
{
    struct l2_input *in = w->in;
    for (u64 k = from; k < from + n; k++) {
        const u64 request = in->kept.at[k];
        if (before == 1 && request != REQUEST_OTHER_BLOCKS)
            drawn_of(in, request)->sent += sectors_in(request_sectors(request));
        rewrite_request(w, request,
                        (before > 1 && is_beside(request, before)) || is_kept(in, request) ||
                            stays_beside(in, request));
    }
}

void l2_input_thin(struct l2_input *in, u32 one_in)
{
    const u32 before = in->one_in;
    const u64 idle = in->idle, len = in->kept.len;
    if (one_in > SAMPLE_MOST)
        return;
    struct rewrite w = rewrite_begin(in);
    in->one_in = one_in;
    for (u64 k = 0; k < len; k += TOGETHER) {
        const u32 n = len - k < TOGETHER ? (u32)(len - k) : TOGETHER;
        if (LS_LIKELY(are_plain(in->kept.at + k, n)))
            thin_plain(&w, in->kept.at + k, n, before);
        else
            thin_any(&w, k, n, before);
    }
    rewrite_end(&w, idle);
    if (in->beside > BESIDE * in->budget)
        thin_beside(in);
}

static bool keep(struct l2_input *in, u64 request)
{
    if (!requests_room(&in->kept, 2))
        return false;
    if (in->idle)
        in->kept.at[in->kept.len++] = request_turns(in->idle);
    in->idle = 0;
    in->kept.at[in->kept.len++] = request;
    in->open = !request_last(request);
    return true;
}

static bool keep_or_pass(struct l2_input *in, u64 request, bool stays)
{
    if (stays)
        return keep(in, request);
    if (request_last(request))
        end_turn(in, in->kept.len);
    return true;
}

bool l2_input_push_all(struct l2_input *in, const u64 *request, const u8 *sectors, u32 n, u64 go)
{
    if (!go)
        return true;
    if (!requests_room(&in->kept, 2ull * n))
        return false;
    in->seen += (u64)__builtin_popcountll(go) * in->asked_in;
    in->kept.len = in->one_in == 1 ? in->kept.len + put_all(in->kept.at + in->kept.len, request, sectors, n, go)
                                   : put_kept(in, in->kept.len, request, sectors,
                                              go & sample_kept(request, n, in->one_in), go & find_last(request, n));
    return true;
}

bool l2_input_push_drawn(struct l2_input *in, const u64 *request, const u8 *sectors, u32 n, u32 go, u64 kept, u64 last)
{
    if (!requests_room(&in->kept, 2ull * n))
        return false;
    in->seen += (u64)go * in->asked_in;
    in->kept.len = put_kept(in, in->kept.len, request, sectors, kept, last);
    return true;
}

void l2_input_end_turn(struct l2_input *in) { end_turn(in, in->kept.len); }

bool l2_input_push_beside(struct l2_input *in, u64 request)
{
    const bool stays = stays_beside(in, request);
    if (in->beside > BESIDE * in->budget)
        thin_beside(in);
    return keep_or_pass(in, request, stays);
}

bool l2_input_push_some(struct l2_input *in, u64 request)
{
    drawn_of(in, request)->sent += (u64)sectors_in(request_sectors(request)) * in->asked_in;
    return is_kept(in, request) ? keep(in, request) : l2_input_push_beside(in, request);
}
