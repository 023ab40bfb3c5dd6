/* timed_cache.c - set-associative, in lines of 128 bytes and sectors of 32, the least recently used line leaves. A set is
 * a list of the lines it holds. A sector on its way is waited for, so a line is fetched once. */
#include "model/cache/timed_cache.h"

static void cache_make(struct timed_cache *c, struct arena *mem, u64 bytes, u32 ways)
{
    u64 lines = bytes / CACHE_LINE;
    *c = (struct timed_cache){.mem = mem};
    if (!lines)
        return;
    c->ways = lines < ways ? (u32)lines : ways;
    c->nsets = (u32)(lines / c->ways);
    c->sets = arena_array(mem, struct timed_line *, c->nsets);
}

static struct timed_line *find(struct timed_cache *c, u64 number)
{
    if (!c->sets)
        return NULL;
    struct timed_line **set = &c->sets[number % c->nsets];
    for (struct timed_line **at = set, *l; (l = *at) != NULL; at = &l->next) {
        if (l->number != number)
            continue;
        *at = l->next;
        l->next = *set;
        *set = l;
        return l;
    }
    return NULL;
}

static struct timed_line *put(struct timed_cache *c, u64 number)
{
    if (!c->sets)
        return NULL;
    struct timed_line **set = &c->sets[number % c->nsets], **last = set, *l;
    u32 held = 0;
    for (struct timed_line **at = set; *at; at = &(*at)->next, held++)
        last = at;
    if (held < c->ways) {
        l = arena_new(c->mem, struct timed_line);
    } else {
        l = *last;
        *last = NULL;
    }
    *l = (struct timed_line){.next = *set, .number = number};
    *set = l;
    return l;
}

void timed_memory_init(struct timed_memory *m, struct arena *mem, u64 l1_bytes, u64 l2_bytes)
{
    enum { L1_WAYS = 8, L2_WAYS = 16 }; /* modelled: nobody publishes them */
    cache_make(&m->l1, mem, l1_bytes, L1_WAYS);
    cache_make(&m->l2, mem, l2_bytes, L2_WAYS);
}

/* When a sector that a cache has, or waits for, is there for who asks at `at`; never later than a fetch of its own. */
static u64 hit(u64 at, u64 ready, u32 latency, u32 miss)
{
    u64 soonest = at + latency, worst = at + miss;
    u64 done = ready > soonest ? ready : soonest;
    return done < worst ? done : worst;
}

static bool holds(const struct timed_line *line, u32 sector) { return line && line->valid >> sector & 1; }

/* The sector, which the line does not hold, is there from then on; NULL: the line neither, it is taken in. */
static void take(struct timed_cache *c, struct timed_line *line, u64 number, u32 sector, u64 when)
{
    if (!line)
        line = put(c, number);
    if (!line)
        return;
    line->valid |= (u8)(1u << sector);
    line->ready[sector] = when;
}

static u64 from_l2(struct timed_memory *m, const struct latencies *l, u64 at, u64 number, u32 sector)
{
    struct timed_line *line = find(&m->l2, number);
    if (holds(line, sector))
        return hit(at, line->ready[sector], l->l2, l->dram);
    take(&m->l2, line, number, sector, at + l->dram);
    return at + l->dram;
}

u64 timed_load(struct timed_memory *m, const struct latencies *l, u64 at, u64 number, u32 sector, bool past_l1)
{
    if (past_l1)
        return from_l2(m, l, at, number, sector);
    struct timed_line *line = find(&m->l1, number);
    if (holds(line, sector))
        return hit(at, line->ready[sector], l->l1, l->dram);
    const u64 done = from_l2(m, l, at, number, sector);
    take(&m->l1, line, number, sector, done);
    return done;
}

u64 timed_store(struct timed_memory *m, const struct latencies *l, u64 at, u64 number, u32 sector, bool local)
{
    struct timed_cache *c = local ? &m->l1 : &m->l2;
    struct timed_line *line = find(c, number);
    if (!holds(line, sector))
        take(c, line, number, sector, at + (local ? l->l1 : l->l2));
    return at + l->l2;
}
