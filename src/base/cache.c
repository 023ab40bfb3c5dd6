/* cache.c - sets as arrays in order of use (cache.h). */
#include "base/cache.h"

#include <string.h>

#include "base/alloc.h"

bool cache_init(struct cache *c, u64 bytes, u32 ways)
{
    const u64 lines = bytes / CACHE_LINE;
    *c = (struct cache){0};
    if (!lines || !ways)
        return true;
    c->ways = lines < ways ? (u32)lines : ways;
    c->nsets = (u32)(lines / c->ways);
    c->low_bits = (u32)__builtin_ctz(c->nsets);
    c->rest = c->nsets >> c->low_bits;
    c->lines = ls_calloc((size_t)c->nsets * c->ways, sizeof *c->lines);
    return c->lines != NULL;
}

void cache_free(struct cache *c)
{
    ls_free(c->lines);
    *c = (struct cache){0};
}

void cache_clear(struct cache *c)
{
    if (c->lines)
        memset(c->lines, 0, sizeof *c->lines * c->nsets * c->ways);
}

/* The lines number / 2^low_bits have in common are spread over all low sets, shifted by a hash of that quotient. */
static struct cache_line *set_of(const struct cache *c, u64 number)
{
    const u64 run = number >> c->low_bits;
    const u32 mask = (1u << c->low_bits) - 1;
    const u32 shift = (u32)((run * 0x9e3779b97f4a7c15ull) >> 32);
    const u32 low = ((u32)number ^ shift) & mask, high = c->rest == 1 ? 0 : (u32)(run % c->rest);
    return c->lines + (size_t)((high << c->low_bits) + low) * c->ways;
}

/* Moves entry `at` of the set to its front. */
static void to_front(struct cache_line *set, u32 at)
{
    const struct cache_line l = set[at];
    memmove(set + 1, set, sizeof *set * at);
    set[0] = l;
}

struct cache_line *cache_find(struct cache *c, u64 number)
{
    if (!c->lines)
        return NULL;
    struct cache_line *set = set_of(c, number);
    for (u32 k = 0; k < c->ways && set[k].held; k++)
        if (set[k].number == number) {
            if (k)
                to_front(set, k);
            return set;
        }
    return NULL;
}

struct cache_line *cache_put(struct cache *c, u64 number, struct cache_line *gone)
{
    if (!c->lines) {
        gone->held = false;
        return NULL;
    }
    struct cache_line *set = set_of(c, number);
    *gone = set[c->ways - 1];
    memmove(set + 1, set, sizeof *set * (c->ways - 1));
    set[0] = (struct cache_line){.number = number, .held = true};
    return set;
}
