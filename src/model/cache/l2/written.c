/* written.c - a queue of lines, and a table of partly written sectors (written.h). The table forgets a line when another needs
 * its place: its sectors then count as whole. */
#include "model/cache/l2/written.h"

#include <string.h>

#include "base/alloc.h"
#include "model/cache/cache.h"

enum { PARTS_BITS = 18, PART_BITS = 18, RUN_MOST = (1 << 12) - 1, WORDS = CACHE_SECTOR / 4 };

/* A line's sectors that are not whole: how many words of each were written, 0 for one that is whole or was not written. */
struct part {
    u64 number : CACHE_NUMBER_BITS;
    u64 run : 12;
    u64 words : 12; /* 3 bits a sector */
};
_Static_assert(sizeof(struct part) == sizeof(u64), "");

static bool queue_init(struct line_queue *q, u32 bits)
{
    *q = (struct line_queue){.at = ls_calloc((size_t)1 << bits, sizeof *q->at), .bits = bits};
    return q->at;
}

bool written_init(struct written *w)
{
    *w = (struct written){.part = ls_calloc((size_t)1 << PART_BITS, sizeof *w->part)};
    return queue_init(&w->parts, PARTS_BITS) && w->part;
}

void written_free(struct written *w)
{
    ls_free(w->part);
    ls_free(w->parts.at);
    *w = (struct written){0};
}

void written_clear(struct written *w, u32 fewer_bits)
{
    w->fewer_bits = fewer_bits;
    w->parts.bits = PARTS_BITS - fewer_bits;
    w->parts.first = w->parts.n = 0;
    w->any_parts = false;
    w->partly = 0;
    if (w->run == RUN_MOST) { /* the runs begin anew: nothing of an old one may be left */
        memset(w->part, 0, sizeof *w->part << PART_BITS);
        w->run = 0;
    }
    w->run++;
}

static u64 *place_of(const struct written *w, u64 number)
{
    return &w->part[(number * 0x9e3779b97f4a7c15ull) >> (64 - PART_BITS + w->fewer_bits)];
}

static struct part part_at(const u64 *at)
{
    struct part p;
    memcpy(&p, at, sizeof p);
    return p;
}

bool part_write(struct written *w, u64 number, u32 sectors, u32 fresh, u32 words)
{
    u64 *at = place_of(w, number);
    struct part p = part_at(at);
    if (p.number != number || p.run != w->run) {
        w->partly -= p.run == w->run && p.words;
        p = (struct part){.number = number, .run = w->run};
    }
    const bool known = p.words != 0;
    w->any_parts = true;
    for (u32 k = 0; k < CACHE_SECTORS; k++) {
        const u32 before = p.words >> 3 * k & 7;
        if (!(sectors >> k & 1) || (!before && !(fresh >> k & 1)))
            continue;
        const u32 now = before + words < WORDS ? before + words : 0;
        p.words = (p.words & ~(7u << 3 * k)) | now << 3 * k;
    }
    memcpy(at, &p, sizeof p);
    w->partly += (u32)(p.words != 0) - known;
    return !known && p.words;
}

u32 part_take(struct written *w, u64 number, u32 sectors)
{
    u64 *at = place_of(w, number);
    struct part p = part_at(at);
    u32 taken = 0;
    if (p.number != number || p.run != w->run)
        return 0;
    const bool known = p.words != 0;
    for (u32 k = 0; k < CACHE_SECTORS; k++)
        if (sectors >> k & 1 && p.words >> 3 * k & 7) {
            taken |= 1u << k;
            p.words &= ~(7u << 3 * k);
        }
    memcpy(at, &p, sizeof p);
    w->partly -= known && !p.words;
    return taken;
}
