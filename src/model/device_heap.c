/* device_heap.c - see device_heap.h. */
#include "model/device_heap.h"

#include <math.h>

#include "model/device_heap_chunks.h"

/* Cycles, of an H200: of a chain of calls of one thread, 160 of each size, what it takes alone; the others fitted on one half of the
 * launches of tests/hw/h200/device-heap.csv and on the shapes of heap-shapes.csv that are not kept aside. On another GPU all of them
 * are as much longer as a thread's malloc and free are. */
#define PAIR 24232.0     /* that thread's */
#define TAKE 11900.0     /* malloc of a thread */
#define TAKE_LANE 3640.0 /* for each further lane */
#define LANE_CROWD 5340.0
#define CROWD 15.4           /* besides, where so many warps or more call */
#define TAKE_CHUNK 5070.0    /* for a new chunk */
#define TAKE_LEVEL 8550.0    /* and for each that it has to be made in */
#define TAKE_LIST 630.0      /* for each chunk of the list that grows meanwhile */
#define TAKE_LIST_NEW 1325.0 /* likewise, of who makes a new one */
#define TAKE_BEFORE 1050.0   /* for each that was there before */
#define TAKE_BEFORE_NEW 1400.0
#define LINK_CHUNK 1110.0 /* the device makes one after the other */
#define GIVE 10500.0      /* free of a thread */
#define GIVE_LANE 660.0
#define GIVE_LIST 1240.0
#define GIVE_BEFORE 1050.0
#define GIVE_CHUNK 1880.0    /* for a chunk that becomes empty */
#define GIVE_LEVEL 1570.0    /* and each around it */
#define UNLINK_CHUNK 3510.0  /* the device does one after the other */
#define UNLINK_AROUND 3960.0 /* likewise, of those around them */
#define BOTH 1.6             /* of allocating, where the same launch gives back */
/* Of the list, where warps give back while others still take: at once, at once and whole chunks, later. */
#define SHORTER 0.29
#define SHORTER_WHOLE 0.61
#define SHORTER_LATER 0.51
#define ALONE 2870.0  /* of small pairs of single lanes, which make no chunks */
#define ALL_WAIT 61.6 /* lanes that call at once, from which on warps wait for each other */
#define AGAIN 3260.0  /* further pairs of calls: for warps ^ AGAIN_WARPS */
#define AGAIN_LANE 2120.0
#define AGAIN_WARPS 0.75
#define COLD_TAKE 7500.0 /* the code comes from DRAM */
#define COLD_GIVE 10600.0
#define COLD_CHUNK 285.0

/* How much of what the device does one after the other is in the way. */
static double waiting(const struct heap_party *p) { return fmin(1, (p->warps - 1) * p->lanes / ALL_WAIT); }

/* Of the list that grows, what a call finds on average. */
static double list_of(const struct device_heap_use *u, const struct heap_party *p, const struct heap_chunks *c)
{
    const double all = heap_chunks_all(c, p) / 2, each = heap_slots_each(u);
    if (u->taken.warps < 1 || u->given.warps < 1 || p->warps <= 1)
        return all;
    if (c->calls > 1)
        return SHORTER_LATER * all;
    return each >= HEAP_SLOTS ? SHORTER_WHOLE * all : p->lanes > 1 ? SHORTER * all : all;
}

static double take_cycles(const struct heap_party *p, const struct heap_chunks *c, double list)
{
    const double lane = TAKE_LANE + LANE_CROWD * fmin(1, (p->warps - 1) / CROWD);
    const double calls = c->calls * (TAKE + lane * (p->lanes - 1)) + c->own * TAKE_CHUNK + c->levels * TAKE_LEVEL;
    const double lists = (c->calls * TAKE_LIST + c->own * TAKE_LIST_NEW) * list +
                         (c->calls * TAKE_BEFORE + (c->own - 1) * TAKE_BEFORE_NEW) * c->before;
    return calls + lists + waiting(p) * (p->warps - 1) * c->own * LINK_CHUNK;
}

static double give_cycles(const struct heap_party *p, const struct heap_chunks *c, double list)
{
    const double calls = c->calls * (GIVE + GIVE_LANE * (p->lanes - 1)) + c->own * GIVE_CHUNK + c->levels * GIVE_LEVEL;
    const double lists = (1 + (c->calls - 1) / p->warps) * (GIVE_LIST * list + GIVE_BEFORE * c->before);
    return calls + lists + waiting(p) * ((p->warps - 1) * c->own * UNLINK_CHUNK + c->around * UNLINK_AROUND);
}

/* Pairs of calls, when as much is alive as ever will be. */
static double again_cycles(const struct heap_party *p, double calls, const struct heap_chunks *c)
{
    const double list = p->warps > 1 ? 0 : heap_chunks_all(c, p) / 2;
    const double chunks =
        (c->own - 1) * (TAKE_CHUNK + GIVE_CHUNK) + (p->warps > 1 ? 0 : c->levels * (TAKE_LEVEL + GIVE_LEVEL));
    const double one = TAKE + GIVE + (TAKE_LANE + GIVE_LANE) * (p->lanes - 1) + chunks +
                       (TAKE_LIST + c->own * TAKE_LIST_NEW + GIVE_LIST) * list +
                       (TAKE_BEFORE + GIVE_BEFORE) * c->before;
    return calls * fmax(one, pow(p->warps - 1, AGAIN_WARPS) * (AGAIN + AGAIN_LANE * (p->lanes - 1)));
}

/* Single lanes that give back at once what is small find its place again. */
static bool is_alone(const struct device_heap_use *u, const struct heap_party *p, const struct heap_chunks *c)
{
    return p->warps > 1 && p->lanes < 1.5 && c->calls <= 1 && heap_slots_each(u) <= 2 && u->slots[1] + u->slots[2] <= 0;
}

static double allocating_cycles(const struct device_heap_use *u)
{
    const struct heap_party taken = heap_party_of(&u->taken, u->held), given = heap_party_of(&u->given, u->held);
    const struct heap_chunks c = heap_chunks_taken(u, &taken);
    const double list = list_of(u, &taken, &c), take = take_cycles(&taken, &c, list);
    const double cold = COLD_TAKE + COLD_CHUNK * heap_chunks_all(&c, &taken);
    if (given.warps < 1)
        return cold + take;
    const double share = fmin(1, u->given.threads / u->taken.threads);
    struct heap_chunks back = c;
    back.calls = fmax(1, fmin(c.calls, given.rounds));
    back.own *= share;
    back.around *= share;
    const double give = give_cycles(&given, &back, list);
    const double both = is_alone(u, &taken, &c) ? TAKE + GIVE + ALONE * taken.warps
                        : taken.warps > 1       ? hypot(BOTH * take, give)
                                                : take + give;
    return cold + COLD_GIVE + both + again_cycles(&taken, taken.rounds - c.calls, &c);
}

double device_heap_cycles(const struct gpu *g, const struct device_heap_use *u)
{
    const double scale = g->malloc_cycles / PAIR;
    if (u->taken.warps >= 1)
        return scale * allocating_cycles(u);
    if (u->given.warps < 1)
        return 0;
    const struct heap_party given = heap_party_of(&u->given, u->held);
    const struct heap_chunks c = heap_chunks_given(u, &given);
    return scale *
           (COLD_GIVE + COLD_CHUNK * heap_chunks_all(&c, &given) + give_cycles(&given, &c, list_of(u, &given, &c)));
}
