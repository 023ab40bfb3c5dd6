/* device_heap.c - see device_heap.h. */
#include "model/device_heap.h"

#include <math.h>

/* Cycles, of an H200: of a chain of calls of one thread, 160 of each size, what it takes alone; the others fitted on one half of the
 * launches of tests/hw/h200/device-heap.csv. On another GPU all of them are as much longer as a thread's malloc and free are. */
#define PAIR 24232.0         /* that thread's */
#define TAKE 12500.0         /* malloc of a thread */
#define TAKE_LANE 2900.0     /* for each further lane */
#define TAKE_BESIDE 7000.0   /* besides, where eight warps or more call */
#define TAKE_CHUNK 9000.0    /* for a new chunk */
#define TAKE_LIST 700.0      /* for each chunk of the list */
#define TAKE_LIST_NEW 1310.0 /* likewise, of who makes a new one */
#define LINK_CHUNK 2480.0    /* the device makes one after the other */
#define GIVE 10500.0         /* free of a thread */
#define GIVE_LANE 720.0
#define GIVE_LIST 1000.0
#define GIVE_CHUNK 1600.0   /* for a chunk that becomes empty */
#define UNLINK_WARP 4450.0  /* the device does one after the other: what warps have given back */
#define UNLINK_CHUNK 2300.0 /* and chunks that are empty */
#define AGAIN 500.0         /* the device does one pair of calls after the other */
#define AGAIN_LANE 600.0
#define BESIDE 0.93 /* of allocating, where the same launch gives back */
#define APART 0.45  /* warps with a chunk of their own, for each SM of those that call */

u64 device_heap_slots(u64 bytes)
{
    enum { HEADER = 16, MOST = HEAP_SLOTS / 2 };
    static const u64 slots[] = {80, 2208, 53280};
    const u64 need = bytes + HEADER;
    u32 k = 0;
    while (k + 1 < LS_ARRAY_LEN(slots) && need > HEAP_SLOTS * slots[k])
        k++;
    const u64 n = need / slots[k] + (need % slots[k] != 0);
    if (n > MOST)
        return n > HEAP_SLOTS ? n : HEAP_SLOTS;
    return HEAP_SLOTS / (HEAP_SLOTS / n);
}

/* Those that call at once, as often as all that come after them together. */
struct party {
    double warps, lanes, rounds;
};

static struct party party_of(const struct device_call_count *n, double held)
{
    if (n->warps < 1)
        return (struct party){0};
    const double all = n->warps / fmax(1, fmin(n->rounds, n->warps));
    const double warps = held > 0 ? fmax(1, fmin(all, held)) : all;
    return (struct party){.warps = warps, .lanes = fmax(1, n->threads / n->warps), .rounds = n->warps / warps};
}

/* What is alive at once: calls of each warp, and chunks of all. */
struct alive {
    double calls, chunks, before;
};

static double take_cycles(const struct party *p, const struct alive *a)
{
    const double lane = TAKE_LANE + TAKE_BESIDE * fmin(1, (p->warps - 1) / 8);
    const double own = a->chunks / p->warps; /* of a warp */
    const double calls = a->calls * (TAKE + lane * (p->lanes - 1)) + own * TAKE_CHUNK;
    const double list = (a->calls * TAKE_LIST + own * TAKE_LIST_NEW) * (a->before + a->chunks / 2);
    return calls + list + (p->warps - 1) * own * LINK_CHUNK;
}

static double give_cycles(const struct party *p, const struct alive *a)
{
    const double own = a->chunks / p->warps;
    const double calls = a->calls * (GIVE + GIVE_LANE * (p->lanes - 1)) + a->chunks * GIVE_CHUNK;
    const double list = (1 + (a->calls - 1) / p->warps) * GIVE_LIST * (a->before + a->chunks / 2);
    return calls + list + (p->warps - 1) * (UNLINK_WARP + UNLINK_CHUNK * own) * fmin(1, own);
}

/* Pairs of calls, when as much is alive as ever will be. */
static double again_cycles(const struct party *p, double calls, const struct alive *a)
{
    const double one = TAKE + GIVE + (TAKE_LANE + GIVE_LANE) * (p->lanes - 1) + (TAKE_LIST + GIVE_LIST) * a->before;
    return calls * fmax(one, p->warps * (AGAIN + AGAIN_LANE * (p->lanes - 1)));
}

/* Of malloc's calls of a warp, those whose memory is there at once. */
static double most_alive(const struct device_heap_use *u, const struct party *taken)
{
    const double kept = (u->taken.threads - u->given.threads) / taken->lanes / taken->warps;
    const double peak = u->given.warps < 1 ? taken->rounds : u->peak > 0 ? u->peak : 1;
    return fmax(1, fmin(taken->rounds, fmax(peak, kept)));
}

/* Warps that call at once have chunks of their own, but for those of one SM. */
static double apart(const struct gpu *g, const struct device_heap_use *u, double warps, double chunks)
{
    const double own = APART * warps * fmin(u->blocks, g->sms);
    return warps > 1 ? fmax(chunks, fmin(warps, chunks + own)) : chunks;
}

static double allocating_cycles(const struct gpu *g, const struct device_heap_use *u)
{
    const struct party taken = party_of(&u->taken, u->held), given = party_of(&u->given, u->held);
    struct alive a = {.calls = most_alive(u, &taken), .before = u->before / HEAP_SLOTS};
    a.chunks = apart(g, u, taken.warps, fmax(u->slots, u->taken.threads) / HEAP_SLOTS * a.calls / taken.rounds);
    const double take = take_cycles(&taken, &a);
    if (given.warps < 1)
        return take;
    const struct alive back = {.calls = fmax(1, fmin(a.calls, given.rounds)),
                               .chunks = a.chunks * fmin(1, u->given.threads / u->taken.threads),
                               .before = a.before};
    const double give = give_cycles(&given, &back);
    const double both = taken.warps > 1 ? hypot(BESIDE * take, give) : take + give;
    return both + again_cycles(&taken, taken.rounds - a.calls, &a);
}

double device_heap_cycles(const struct gpu *g, const struct device_heap_use *u)
{
    const double scale = g->malloc_cycles / PAIR;
    if (u->taken.warps >= 1)
        return scale * allocating_cycles(g, u);
    if (u->given.warps < 1)
        return 0;
    const struct party given = party_of(&u->given, u->held);
    const double share = u->before_n > 0 ? fmin(1, u->given.threads / u->before_n) : 0, before = u->before / HEAP_SLOTS;
    const struct alive back = {
        .calls = given.rounds, .chunks = apart(g, u, given.warps, before * share), .before = before * (1 - share)};
    return scale * give_cycles(&given, &back);
}
