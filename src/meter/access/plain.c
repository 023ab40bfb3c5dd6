/* plain.c - see plain.h. Accesses of one shape at one site must all cost the same then, wherever they are: the engine says
 * no more than how many they were. Their lanes are not known, but no event is made of them (struct tally). */
#include "meter/access/plain.h"

#include "meter/access/sectors.h"
#include "meter/cost.h"

/* One like all of that shape. */
static struct exec_access example(enum exec_plain shape, enum access_class class, u8 size, u64 addr[32])
{
    const bool row = shape == PLAIN_ROW || shape == PLAIN_ROW_OFF;
    for (u32 i = 0; i < 32; i++)
        addr[i] = (shape == PLAIN_ROW_OFF ? size : 0) + (row ? i * size : 0);
    return (struct exec_access){.mask = shape == PLAIN_SAME_SOME ? 1 : UINT32_MAX,
                                .op = class == CLASS_GST || class == CLASS_SST ? ACCESS_ST : ACCESS_LD,
                                .size = size,
                                .pattern = row ? PATTERN_CONTIGUOUS : PATTERN_UNIFORM,
                                .addr = addr};
}

/* In shared memory a whole warp at one place costs the same at any place, also as a part of a wider access. */
static bool costs_the_same(const struct counter *c, const struct site_count *s, enum access_class class,
                           enum exec_plain shape, u8 size)
{
    u64 addr[32];
    const struct exec_access a = example(shape, class, size, addr);
    if (s->follows || (c->plain_shape && shape == PLAIN_SAME && (class == CLASS_SLD || class == CLASS_SST)))
        return true;
    return !s->width && cost_at_once(c, class, &a, size).cost;
}

void plain_ask(const struct counter *c, struct site_count *s, enum access_class class, const struct exec_access *a,
               struct exec_site_count *n)
{
    if (a->generic && a->space != SPACE_GLOBAL)
        return;
    s->asked = true;
    if (class != CLASS_GLD && class != CLASS_GST && class != CLASS_SLD && class != CLASS_SST && class != CLASS_CLD)
        return;
    s->plain_class = (u8) class;
    s->plain_bytes = a->size;
    for (u32 shape = 0; shape < PLAIN_AGAIN; shape++)
        n->n[shape] = costs_the_same(c, s, class, shape, a->size);
}

/* n of them. */
static void settle_again(struct counter *c, struct site_count *s, u64 n)
{
    struct tally *t = n && !s->follows ? tally_of(c, s, s->again.class) : NULL;
    if (!t)
        return;
    t->requests += n;
    t->cost += n * s->again.cost;
    t->conflicts += n * s->again.conflicts;
    t->bytes += n * s->again.bytes;
}

/* Sectors begin anew after 32 bytes, wide accesses that others are parts of after less, and banks after their width. */
void plain_again(struct counter *c, struct site_count *s, enum access_class class, const struct exec_access *a,
                 const struct cost *cost, struct exec_site_count *n)
{
    settle_again(c, s, n->n[PLAIN_AGAIN] ? n->n[PLAIN_AGAIN] - 1 : 0);
    s->again = (struct plain_cost){.class = (u8) class};
    if (cost) {
        s->again.cost = cost->cost;
        s->again.conflicts = cost->conflicts;
        s->again.bytes = cost->bytes;
    }
    n->n[PLAIN_AGAIN] = c->shape.bank_bytes <= SECTOR_BYTES;
    n->phase = (u32)(a->addr[0] % SECTOR_BYTES);
}

static void settle_shape(struct counter *c, struct site_count *s, enum exec_plain shape, u64 n)
{
    u64 addr[32];
    const struct exec_access a = example(shape, s->plain_class, s->plain_bytes, addr);
    struct tally *t = tally_of(c, s, s->plain_class);
    if (!t || s->follows)
        return;
    const struct cost cost = cost_of(c, s, s->plain_class, &a, s->bytes);
    t->requests += n;
    t->cost += n * cost.cost;
    t->conflicts += n * cost.conflicts;
    t->bytes += n * cost.bytes;
}

void plain_settle(struct counter *c)
{
    for (u32 k = 0; k < c->funcs.len; k++) {
        struct func_count *f = c->funcs.at[k];
        for (u32 site = 0; f->plain && site < f->func->src->ninsts; site++)
            for (u32 shape = 0; shape < PLAIN_SHAPES; shape++) {
                u64 *n = &f->plain[site].n[shape];
                if (*n > 1 && shape == PLAIN_AGAIN)
                    settle_again(c, &f->sites[site], *n - 1);
                else if (*n > 1)
                    settle_shape(c, &f->sites[site], shape, *n - 1);
                *n = 0;
            }
    }
}
