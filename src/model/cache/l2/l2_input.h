/* l2_input.h - what an SM sends to L2, kept until the launch is over.
 *
 * It is bounded: where an SM sends more than its budget, only one line in 2, 4, 8 ... is kept (sample.h). What is sent is counted
 * before, by instruction. Of atomics all are kept, as it is one word, or a few, that many lanes wait for: those of other lines
 * are counted, and not looked up. Where these are more than the budget too, every second, fourth ... stands for the others.
 *
 * Each instruction is a turn of the SM, also if nothing of it is kept: SMs that do the same stay side by side. */
#ifndef LS_MODEL_CACHE_L2_INPUT_H
#define LS_MODEL_CACHE_L2_INPUT_H

#include "model/cache/l2/places.h"
#include "model/cache/sample.h"
#include "model/cache/traffic.h"

struct l2_input {
    struct requests kept;
    u64 seen, budget;
    u32 one_in;              /* lines kept: one in so many, a power of two */
    u32 asked_in;            /* lines that L1 looks up: likewise; not more than one_in */
    u32 beside_in;           /* atomics of other lines: one in so many */
    u32 beside_next;         /* counts those */
    u64 beside;              /* that are kept */
    u64 idle;                /* turns behind all that is kept, of which nothing is */
    bool open;               /* something of the turn that is not over is kept */
    u32 sm;                  /* its number */
    u32 turn;                /* how often it has had other blocks since the first */
    struct sm_place first;   /* of its first blocks, and of its local memory */
    struct sm_place place;   /* of the blocks that it has; reads of a group are coalesced */
    struct traffic ***sites; /* the worker's, which may move */
};

/* From now on, and of what there is. */
void l2_input_thin(struct l2_input *in, u32 one_in);
/* Of an input that has been thinned. */
bool l2_input_push_some(struct l2_input *in, u64 request);
/* The same of a line that L1 does not look up: of atomics only. */
bool l2_input_push_beside(struct l2_input *in, u64 request);
/* The share kept depends on how many requests there were, not on how many were kept, so that it is the same for every
 * order in which SMs run. */
static inline bool l2_input_push(struct l2_input *in, u64 request)
{
    in->seen += in->asked_in;
    if (LS_UNLIKELY(in->seen > in->budget * in->one_in))
        l2_input_thin(in, in->one_in * 2);
    return LS_LIKELY(in->one_in == 1) ? requests_push(&in->kept, request) : l2_input_push_some(in, request);
}
/* The same of n requests, none an atomic, as far as they have a bit in `go`, and of these sectors; what they send is counted by who sends it, where the
 * input has been thinned. It is not thinned by them (l2_input_has_budget). */
enum { L2_INPUT_MOST = 64 };
bool l2_input_push_all(struct l2_input *in, const u64 *request, const u8 *sectors, u32 n, u64 go);
static inline bool l2_input_has_budget(const struct l2_input *in, u32 n)
{
    return in->seen + (u64)n * in->asked_in <= in->budget * in->one_in;
}
/* The same of requests of which L1 has looked up only some, by an input that has been thinned. go: how many of those do; kept: which of them stand for the others,
 * whose sectors are given; last: of all, which end a turn. */
bool l2_input_push_drawn(struct l2_input *in, const u64 *request, const u8 *sectors, u32 n, u32 go, u64 kept, u64 last);
/* Which of n requests are the last of their turn, a bit each. */
u64 requests_last(const u64 *request, u32 n);
/* Which of n requests that L1 looks up stand for the others, a bit each. */
static inline u64 l2_input_kept(const struct l2_input *in, const u64 *request, u32 n)
{
    return in->one_in == in->asked_in ? UINT64_MAX : sample_kept(request, n, in->one_in);
}
/* The turn is over: of an input that has been thinned. */
void l2_input_end_turn(struct l2_input *in);
/* What follows is of other blocks. */
#define REQUEST_OTHER_BLOCKS request_make(0, 0, TRAFFIC_EMPTY_L1, true, 0)
/* So many turns pass. */
static inline u64 request_turns(u64 n) { return request_make(n, 1, TRAFFIC_EMPTY_L1, true, 0); }
static inline bool request_is_turns(u64 r) { return request_kind(r) == TRAFFIC_EMPTY_L1 && request_sectors(r); }
static inline bool l2_input_other_blocks(struct l2_input *in) { return requests_push(&in->kept, REQUEST_OTHER_BLOCKS); }

#endif
