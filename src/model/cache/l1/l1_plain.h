/* l1_plain.h - requests that L1 looks up together. Internal to cache_l1.c.
 *
 * Most are plain: L1 takes in what is asked for, and each line goes on to L2 or does not, whatever else is asked for. Of a long launch only some of
 * their lines are looked up, which stand for all (sample.h). */
#ifndef LS_MODEL_CACHE_L1_PLAIN_H
#define LS_MODEL_CACHE_L1_PLAIN_H

#include "model/cache/l1/l1_stores.h"

enum {
    PLAIN_KINDS = 1 << TRAFFIC_LOAD | 1 << TRAFFIC_LOCAL_LOAD | 1 << TRAFFIC_TEXTURE | 1 << TRAFFIC_STORE |
                  1 << TRAFFIC_LOCAL_STORE
};
static inline bool is_plain(enum traffic_kind kind) { return PLAIN_KINDS >> kind & 1; }

/* Plain requests whose turn has come, in their order. They are looked up together, before any that is not plain. */
enum { PLAIN_AT_A_TIME = 64 };
struct plain {
    struct sm *s;
    const u8 *how; /* by site (struct sm) */
    bool good;     /* there was memory for all */
    u64 asked;     /* lines, by the SM until this is over */
    u32 n;         /* apart from nruns, as a vector of both would be read before its halves are written */
    u64 like;      /* what is the same in all of the last run */
    u32 nruns;
    /* of runs of one kind and site, which neighbours mostly are; behind the last one, n */
    u8 begin[PLAIN_AT_A_TIME + 1];
    u64 request[PLAIN_AT_A_TIME];
};
void plain_begin(struct plain *b, struct sm *s);
/* All that there are; there are none then. */
void plain_look_up(struct plain *b);

static inline u64 plain_like(u64 request) { return request & (~(REQUEST_LAST - 1) << 1 | 15ull << 44); }

/* The next one is of that kind and site. */
static inline void plain_goes_on(struct plain *b, u64 like)
{
    if (like == b->like)
        return;
    b->begin[b->nruns++] = (u8)b->n;
    b->like = like;
}

static inline void plain_add(struct plain *b, u64 request)
{
    plain_goes_on(b, plain_like(request));
    b->request[b->n++] = request;
    if (b->n == PLAIN_AT_A_TIME)
        plain_look_up(b);
}

/* n lines of one access. */
void plain_add_all(struct plain *b, const u64 *request, u64 n);

/* ---- also of others ---- */

/* Where hits of that kind are counted; misses stand behind them. */
enum traffic_count l1_hits_of(enum traffic_kind kind);

/* An SM has looked up more than its share: from now on half as many lines, of which each stands for twice as many. False: no memory. */
bool l1_draw_fewer(struct sm *s);
static inline bool l1_is_drawn(const struct sm *s, u64 request)
{
    return LS_LIKELY(s->l2.asked_in == 1) || sample_keeps(request_number(request), s->l2.asked_in);
}
/* Of so many sectors that an instruction asked for, so many are looked up. */
static inline void l1_count_drawn(const struct sm *s, u64 one, u64 asked, u64 looked_up)
{
    (*s->l2.sites)[request_site(one)]->drawn.beyond += (i64)asked - (i64)(looked_up * s->l2.asked_in);
}

#endif
