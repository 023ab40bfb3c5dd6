/* l1.c - see l1.h. */
#include "model/cache/l1/l1.h"

#include "model/cache/sample.h"

enum { L1_WAYS = 16 };

bool l1_empty(struct cache *l1, u64 bytes)
{
    const bool good = cache_shape(l1, bytes, L1_WAYS);
    l1->policy = CACHE_KEEPS;
    return good;
}

void l1_forget(struct cache *l1)
{
    const u64 random = l1->random;
    cache_clear(l1);
    l1->random = random;
}

/* The line takes the next place of its set, if there is one. */
static void append(struct cache *l1, struct cache_line line)
{
    struct cache_line *set = l1->lines + cache_set(l1, line.number);
    u32 way = 0;
    while (way < l1->ways && set[way].held == l1->stamp)
        way++;
    if (way == l1->ways)
        return;
    line.held = l1->stamp;
    l1->begun += way == 0;
    l1->filled++;
    set[way] = line;
}

/* Lines that were asked for again stand in front in each set, so they come first. */
bool l1_thin(struct cache *l1, u32 before, u32 after)
{
    struct cache to;
    const u64 lines = (u64)l1->nsets * l1->ways;
    if (!cache_init(&to, lines / 2 * CACHE_LINE, l1->nsets % 2 ? l1->ways / 2 : l1->ways))
        return false;
    to.policy = l1->policy;
    to.random = l1->random;
    for (u32 again = 2; again-- > 0;)
        for (u64 k = 0; k < lines; k++) {
            struct cache_line line = l1->lines[k];
            if (line.held != l1->stamp || (line.dirty != 0) != again)
                continue;
            const u64 number = sample_line(line.number, before);
            line.number = sample_number(number, after);
            if (sample_keeps(number, after))
                append(&to, line);
        }
    cache_free(l1);
    *l1 = to;
    return true;
}

static u32 take(struct cache *l1, u64 number, u32 sectors)
{
    struct cache_line gone, *l = cache_take(l1, number, &gone);
    if (!l)
        return 0;
    const u32 there = l->valid & sectors;
    l->valid |= sectors;
    return there;
}

/* What was there leaves: it is to be read past L1. */
static u32 drop(struct cache *l1, u64 number, u32 sectors)
{
    u32 rank;
    struct cache_line *l = cache_peek(l1, number, &rank);
    if (l)
        l->valid &= ~sectors;
    return 0;
}

static u32 find(struct cache *l1, u64 number, u32 sectors)
{
    u32 rank;
    const struct cache_line *l = cache_peek(l1, number, &rank);
    return l ? l->valid & sectors : 0;
}

u32 l1_ask(struct cache *l1, enum traffic_kind kind, u64 number, u32 sectors)
{
    switch (kind) {
    case TRAFFIC_LOAD:
    case TRAFFIC_STORE:
    case TRAFFIC_STORE_WORD:
    case TRAFFIC_STORE_TWO:
    case TRAFFIC_STORE_FOUR:
    case TRAFFIC_LOCAL_LOAD:
    case TRAFFIC_LOCAL_STORE:
    case TRAFFIC_TEXTURE:
        return take(l1, number, sectors);
    case TRAFFIC_LOAD_PAST:
        return drop(l1, number, sectors);
    case TRAFFIC_STORE_PAST:
        return find(l1, number, sectors);
    case TRAFFIC_ATOM:
    case TRAFFIC_RED:
    case TRAFFIC_BULK_LOAD:
    case TRAFFIC_BULK_STORE:
    case TRAFFIC_BULK_RED:
    case TRAFFIC_EMPTY_L1:
        break;
    }
    return 0;
}
