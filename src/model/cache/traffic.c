/* traffic.c - memory of streams of requests (traffic.h). */
#include "model/cache/traffic.h"

#include "base/alloc.h"

bool requests_grow(struct requests *s)
{
    const u64 cap = s->cap ? s->cap * 2 : 64;
    u64 *to = ls_realloc(s->at, sizeof *to * cap);
    if (!to)
        return false;
    s->at = to;
    s->cap = cap;
    return true;
}
