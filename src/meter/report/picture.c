/* picture.c - which lane touched which address: the first execution of every memory instruction in the launch's first
 * block, kept so that it can be drawn. Costs nothing when it is not asked for: the meter then has other hooks. */
#include "meter/report/picture.h"

#include <string.h>

#include "meter/count.h"

void picture_block(void *ctx, const struct exec_block_info *b)
{
    struct counter *c = ctx;
    c->pictures = !c->failed && b->linear == 0;
}

static bool known(const struct counter *c, const struct exec_access *a)
{
    for (u32 i = 0; i < c->samples.len; i++)
        if (c->samples.at[i].func == a->func && c->samples.at[i].site == a->site)
            return true;
    return false;
}

static void keep(struct counter *c, const struct exec_access *a)
{
    struct picture_sample s = {
        .func = a->func, .site = a->site, .space = a->space, .op = a->op, .size = a->size, .mask = a->mask};
    const u32 first = (u32)__builtin_ctz(a->mask);
    for (u32 lane = 0; lane < 32; lane++)
        if (a->mask >> lane & 1)
            s.addr[lane] = a->pattern == PATTERN_UNIFORM      ? a->addr[first]
                           : a->pattern == PATTERN_CONTIGUOUS ? a->addr[0] + lane * a->size
                                                              : a->addr[lane];
    if (vec_room(&c->mem, &c->samples))
        c->samples.at[c->samples.len++] = s;
    else
        c->failed = true;
}

void picture_access(void *ctx, const struct exec_access *a)
{
    struct counter *c = ctx;
    if (c->pictures && !a->uncounted && !known(c, a))
        keep(c, a);
    counter_access(ctx, a);
}
