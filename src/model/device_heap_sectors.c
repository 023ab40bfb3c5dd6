/* device_heap_sectors.c - see device_heap.h. What SMs ask L2 for in malloc and free: fitted on the shapes of tests/hw/h200/heap-shapes.csv
 * that are not kept aside. */
#include <math.h>

#include "model/device_heap.h"
#include "model/device_heap_chunks.h"

/* Sectors of a warp. */
#define TAKE_WARP 126.0 /* of its first malloc */
#define TAKE 67.0       /* of each */
#define TAKE_LANE 45.0  /* for each further lane */
#define GIVE 108.0
#define GIVE_LANE 17.0
#define LIST 0.34 /* for each chunk that comes or goes */
#define WAIT                                                                                                           \
    6.4 /* while several chunks are made: for each that a call finds, x (own - 1) ^ WAIT_OWN x (lanes / 32) ^ WAIT_LANES */
#define WAIT_OWN 1.4
#define WAIT_LANES 2.55
#define SHORTER 0.58 /* of the list, where lanes give back before they take again */
#define AGAIN 0.78   /* further pairs of calls: as much more as AGAIN x (warps - 1) ^ AGAIN_WARPS */
#define AGAIN_WARPS 0.383
/* And of chunks that were there before, for each call and chunk; and where several are made, for each of those. */
#define BEFORE 2.9
#define BEFORE_NEW 5.0
#define BEFORE_LANE 0.56

/* Instructions, of the launch and of each SM. */
#define TAKE_CODE 1620.0
#define GIVE_CODE 1300.0
#define SM_CODE 320.0

/* Bytes from DRAM. */
#define DRAM_TAKE 27300.0 /* code */
#define DRAM_GIVE 15500.0
#define DRAM_SM 94.0
#define DRAM_CHUNK 80.0        /* for a chunk that comes */
#define DRAM_CHUNK_GIVEN 100.0 /* that becomes empty */
#define DRAM_CHUNK_BEFORE 30.0
#define DRAM_EACH 74.0       /* for an allocation */
#define DRAM_EACH_GIVEN 40.0 /* as most kernels have read what they give back */

enum { SECTOR = 32 };

/* How the sectors of each are parted: stores go to local memory too. */
struct mix {
    double reads, writes, atoms;
};
static const struct mix of_lane = {0.35, 0.55, 0.10}, of_lanes = {0.18, 0.32, 0.50}, of_list = {0.90, 0.05, 0.05},
                        of_waiting = {0.08, 0.26, 0.66}, of_again = {0.07, 0.11, 0.82};

static void add(struct device_heap_sectors *s, double n, struct mix m)
{
    s->reads += n * m.reads;
    s->writes += n * m.writes;
    s->atoms += n * m.atoms;
}

static void add_taking(struct device_heap_sectors *s, const struct heap_party *p, const struct heap_chunks *c,
                       double list)
{
    add(s, p->warps * (TAKE_WARP + c->calls * TAKE), of_lane);
    add(s, p->warps * c->calls * TAKE_LANE * (p->lanes - 1), of_lanes);
    add(s, p->warps * (LIST * list + c->calls * BEFORE * c->before), of_list);
    add(s, p->warps * (c->own - 1) * (BEFORE_NEW + BEFORE_LANE * p->lanes) * c->before, of_waiting);
    add(s, WAIT * p->warps * pow(c->own - 1, WAIT_OWN) * pow(p->lanes / 32, WAIT_LANES) * list / 2, of_waiting);
}

static void add_giving(struct device_heap_sectors *s, const struct heap_party *p, const struct heap_chunks *c)
{
    add(s, p->warps * c->calls * GIVE, of_lane);
    add(s, p->warps * c->calls * GIVE_LANE * (p->lanes - 1), of_lanes);
    add(s, (p->warps > 1 ? p->warps : c->calls) * BEFORE * c->before, of_list);
}

static void add_again(struct device_heap_sectors *s, const struct heap_party *p, double calls)
{
    const double pair = TAKE + GIVE + (TAKE_LANE + GIVE_LANE) * (p->lanes - 1);
    add(s, p->warps * calls * pair, of_lanes);
    add(s, p->warps * calls * pair * AGAIN * pow(p->warps - 1, AGAIN_WARPS) * fmin(1, (p->lanes - 1) / 31), of_again);
}

/* Code, for what the launch calls. */
static void add_code(struct device_heap_sectors *s, const struct gpu *g, const struct device_heap_use *u)
{
    const double sms = fmin(u->blocks, g->sms);
    const bool takes = u->taken.warps >= 1, gives = u->given.warps >= 1;
    s->code += (takes ? TAKE_CODE : 0) + (gives ? GIVE_CODE : 0) + SM_CODE * sms;
    s->dram += ((takes ? DRAM_TAKE : 0) + (gives ? DRAM_GIVE : 0) + DRAM_SM * sms) / SECTOR;
}

struct device_heap_sectors device_heap_sectors(const struct gpu *g, const struct device_heap_use *u)
{
    struct device_heap_sectors s = {0};
    const struct heap_party taken = heap_party_of(&u->taken, u->held), given = heap_party_of(&u->given, u->held);
    if (taken.warps < 1 && given.warps < 1)
        return s;
    add_code(&s, g, u);
    if (taken.warps < 1) {
        const struct heap_chunks c = heap_chunks_given(u, &given);
        add_giving(&s, &given, &c);
        s.dram += (DRAM_CHUNK_GIVEN * heap_chunks_all(&c, &given) + DRAM_CHUNK_BEFORE * c.before +
                   DRAM_EACH_GIVEN * u->given.threads) /
                  SECTOR;
        return s;
    }
    const struct heap_chunks c = heap_chunks_taken(u, &taken);
    const bool reused =
        given.warps >= 1 && c.calls <= 1 && taken.lanes > 1 && taken.warps > 1 && heap_slots_each(u) < HEAP_SLOTS;
    add_taking(&s, &taken, &c, (reused ? SHORTER : 1) * heap_chunks_all(&c, &taken));
    s.dram += (DRAM_CHUNK * heap_chunks_all(&c, &taken) + DRAM_CHUNK_BEFORE * c.before +
               DRAM_EACH * taken.warps * taken.lanes * c.calls) /
              SECTOR;
    if (given.warps < 1)
        return s;
    struct heap_chunks back = c;
    back.calls = fmax(1, fmin(c.calls, given.rounds));
    add_giving(&s, &given, &back);
    add_again(&s, &taken, taken.rounds - c.calls);
    return s;
}
