/* clock_cache.c - the caches of timed launches: set-associative, in lines of 128 bytes and sectors of 32, the least
 * recently used line leaves. A set is a list of the lines it holds, so a cache costs memory for what was touched and
 * not for its size: an H200's L2 has half a million lines, and every SM has a view of it. */
#include "base/arena.h"
#include "exec/clock/clock.h"

void clock_cache_init(struct clock_cache *c, struct arena *mem, u64 bytes, u32 ways)
{
    u64 lines = bytes / CLOCK_LINE;
    *c = (struct clock_cache){.mem = mem};
    if (!lines)
        return;
    c->ways = lines < ways ? (u32)lines : ways;
    c->nsets = (u32)(lines / c->ways);
    c->sets = arena_array(mem, struct clock_line *, c->nsets);
}

struct clock_line *clock_cache_find(struct clock_cache *c, u64 number)
{
    if (!c->sets)
        return NULL;
    struct clock_line **set = &c->sets[number % c->nsets];
    for (struct clock_line **at = set, *l; (l = *at) != NULL; at = &l->next) {
        if (l->number != number)
            continue;
        *at = l->next;
        l->next = *set;
        *set = l;
        return l;
    }
    return NULL;
}

struct clock_line *clock_cache_put(struct clock_cache *c, u64 number)
{
    if (!c->sets)
        return NULL;
    struct clock_line **set = &c->sets[number % c->nsets], **last = set, *l;
    u32 held = 0;
    for (struct clock_line **at = set; *at; at = &(*at)->next, held++)
        last = at;
    if (held < c->ways) {
        l = arena_new(c->mem, struct clock_line);
    } else {
        l = *last;
        *last = NULL;
    }
    *l = (struct clock_line){.next = *set, .number = number};
    *set = l;
    return l;
}
