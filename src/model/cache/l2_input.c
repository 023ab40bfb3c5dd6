/* l2_input.c - see l2_input.h. */
#include "model/cache/l2_input.h"

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
static void end_turn(struct l2_input *in, u64 kept)
{
    if (in->open && request_kind(in->kept.at[kept - 1]) != TRAFFIC_EMPTY_L1)
        in->kept.at[kept - 1] |= REQUEST_LAST;
    else
        in->idle++;
    in->open = false;
}

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

void l2_input_thin(struct l2_input *in, u32 one_in)
{
    const u32 before = in->one_in;
    const u64 idle = in->idle, len = in->kept.len;
    if (one_in > SAMPLE_MOST)
        return;
    struct rewrite w = rewrite_begin(in);
    in->one_in = one_in;
    for (u64 k = 0; k < len; k++) {
        const u64 request = in->kept.at[k];
        if (before == 1 && request != REQUEST_OTHER_BLOCKS)
            drawn_of(in, request)->sent += sectors_in(request_sectors(request));
        rewrite_request(&w, request,
                        (before > 1 && is_beside(request, before)) || is_kept(in, request) ||
                            stays_beside(in, request));
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

CLONES static void find_kept(u8 *restrict kept, const u64 *restrict request, u32 n, u32 one_in)
{
    for (u32 k = 0; k < n; k++)
        kept[k] = sample_keeps(request_number(request[k]), one_in);
}

bool l2_input_push_all(struct l2_input *in, const u64 *request, u32 n)
{
    u8 kept[L2_INPUT_MOST];
    if (!requests_room(&in->kept, 2ull * n))
        return false;
    in->seen += (u64)n * in->asked_in;
    find_kept(kept, request, n, in->one_in);
    for (u32 k = 0; k < n; k++) {
        drawn_of(in, request[k])->sent += (u64)sectors_in(request_sectors(request[k])) * in->asked_in;
        keep_or_pass(in, request[k], kept[k]);
    }
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
