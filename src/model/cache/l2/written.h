/* written.h - sectors in L2 of which only a part was written: how much of each, and their lines in the order in which they came. Numbers only: the
 * lines themselves are in the caches (cache_l2.c). */
#ifndef LS_MODEL_WRITTEN_H
#define LS_MODEL_WRITTEN_H

#include "base/base.h"

/* Numbers of lines, in the order in which they came. */
struct line_queue {
    u64 *at; /* [2^bits] */
    u32 bits, first, n;
};

struct written {
    struct line_queue parts;
    u64 *part; /* [2^PART_BITS] by a hash of the line: struct part */
    bool any_parts;
    u32 partly; /* lines that have such sectors now; the queue has some that are whole again */
    u32 run;    /* counts launches; what an older one left is not there */
    u32 fewer_bits;
};

/* False: no memory. */
bool written_init(struct written *w);
void written_free(struct written *w);
/* For another launch: empty; of one line in 2^fewer_bits, so it has room for as many fewer. */
void written_clear(struct written *w, u32 fewer_bits);
/* A full queue must be taken from first. */
static inline bool queue_full(const struct line_queue *q) { return q->n == 1u << q->bits; }
static inline void queue_put(struct line_queue *q, u64 number)
{
    q->at[(q->first + q->n++) & ((1u << q->bits) - 1)] = number;
}
static inline u64 queue_take(struct line_queue *q)
{
    q->n--;
    return q->at[q->first++ & ((1u << q->bits) - 1)];
}
/* `words` of the eight of each of these sectors are written; of those in `fresh`, for the first time. Sectors are whole when
 * eight words were written: words that are written twice are not told apart. True: the line had no such sector before. */
bool part_write(struct written *w, u64 number, u32 sectors, u32 fresh, u32 words);
/* The line's sectors that are not whole; they are, from now on, no longer known. */
u32 part_take(struct written *w, u64 number, u32 sectors);

#endif
