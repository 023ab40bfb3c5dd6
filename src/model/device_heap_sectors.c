/* device_heap_sectors.c - see device_heap.h. What SMs ask L2 for in malloc and free: fitted on tests/hw/h200/heap-shapes.csv and
 * heap-use.csv, without what fences ask (docs/model.md). */
#include <math.h>

#include "model/device_heap.h"
#include "model/device_heap_chunks.h"

enum {
    SECTOR = 32,
    SETTLES = 192 /* sectors of a fence when an SM has asked all slices of L2 for something */
};

/* Sectors, by what they are for. */
struct parts {
    double reads, writes, atoms;
};

/* Instructions, of a launch, and of each SM. */
#define TAKE_CODE 2170.0
#define GIVE_CODE 530.0
#define GIVE_CODE_SM 111.0

/* Of each call of a warp, and of each further lane in it. */
static const struct parts take = {39, 85, 24}, take_lane = {8.1, 16.6, 7.7}, give = {29, 75, 2.8},
                          give_lane = {4.8, 0.66, 9.7};

/* Of each warp for each chunk of the list: where memory is given back in the same launch, and where it stays. */
static const struct parts list_given = {0.083, 0.219, 0}, list_kept = {0.2, 0.98, 0.72};

/* While one lane makes a chunk the others wait, and it goes through the list: (chunks of a warp - 1/2) ^ OWN x lanes x the list. */
static const struct parts wait_given = {0.00406, 0.0135, 0.0371}, wait_kept = {0.00769, 0.0202, 0.0508},
                          wait_again = {0.00093, 0.00181, 0.00289};
#define OWN 1.4
#define OWN_LEAST 2.5
/* Of each call that makes fewer than OWN_LEAST chunks: x (lanes / 32) ^ LANES x warps ^ FEW. */
static const struct parts few_given = {0, 47, 645}, few_kept = {49, 0, 511};
#define LANES 1.6
#define FEW 0.1

/* Of each warp, for each other one, of up to CROWD_MOST. */
static const struct parts crowd = {0, 0, 0.516};
#define CROWD_MOST 1100.0

/* Pairs of calls, when as much is alive as ever will be: of each further lane; and x warps ^ AGAIN x (lanes / 32) ^ LANES. */
static const struct parts again_lane = {12.9, 12.3, 0}, again = {18.5, 44.4, 605};
#define AGAIN 0.55

/* And of chunks that were there before, for each call and chunk; and where several are made, for each of those. */
static const struct parts before = {2.6, 0.145, 0.145}, before_new = {0.4, 1.3, 3.3},
                          before_lane = {0.045, 0.146, 0.37};

/* The SM's sectors after which it has asked about two slices of three. */
#define SETTLES_AFTER 2200.0

/* Fences in calls of single lanes: of each further pair; and where warps hold what they took for HOLD cycles and more before they give it back, for
 * each pair and each warp that holds some, of up to HOLD_MOST. Of further pairs a part. */
#define FENCES_AGAIN 300.0
#define FENCES_HOLD 200.0
#define FENCES_HOLD_AGAIN 80.0
#define HOLD_MOST 250.0
#define HOLD 70000.0

/* Bytes from DRAM. */
#define DRAM_TAKE 27300.0 /* code */
#define DRAM_GIVE 15500.0
#define DRAM_SM 94.0
#define DRAM_CHUNK 80.0        /* for a chunk that comes */
#define DRAM_CHUNK_GIVEN 100.0 /* that becomes empty */
#define DRAM_CHUNK_BEFORE 30.0
#define DRAM_EACH 74.0       /* for an allocation */
#define DRAM_EACH_GIVEN 40.0 /* as most kernels have read what they give back */

static void add(struct device_heap_sectors *s, double n, struct parts each)
{
    s->reads += n * each.reads;
    s->writes += n * each.writes;
    s->atoms += n * each.atoms;
}

/* What lanes ask for that wait for another. kept: of what is taken, the share that the launch does not give back. */
static void add_waiting(struct device_heap_sectors *s, const struct heap_party *p, const struct heap_chunks *c,
                        double kept)
{
    const double further = fmax(0, p->rounds - c->calls) * p->warps, lanes = pow(p->lanes / 32, LANES);
    if (c->own >= OWN_LEAST) {
        const double wait = pow(c->own - 0.5, OWN) * p->lanes * heap_chunks_all(c, p);
        add(s, (1 - kept) * p->warps * wait, wait_given);
        add(s, kept * p->warps * wait, wait_kept);
        add(s, further * wait, wait_again);
    }
    if (c->own < OWN_LEAST * c->calls) {
        const double few = p->warps * c->calls * lanes * pow(p->warps, FEW);
        add(s, (1 - kept) * few, few_given);
        add(s, kept * few, few_kept);
    }
    add(s, (1 - kept) * p->warps * p->warps / (1 + p->warps / CROWD_MOST), crowd);
    add(s, further * lanes * pow(p->warps, AGAIN), again);
}

static void add_taking(struct device_heap_sectors *s, const struct heap_party *p, const struct heap_chunks *c,
                       double kept)
{
    const double calls = p->warps * c->calls, list = p->warps * heap_chunks_all(c, p);
    add(s, calls, take);
    add(s, calls * (p->lanes - 1), take_lane);
    add(s, (1 - kept) * list, list_given);
    add(s, kept * list, list_kept);
    add(s, calls * c->before, before);
    add(s, p->warps * (c->own - 1) * c->before, before_new);
    add(s, p->warps * (c->own - 1) * c->before * p->lanes, before_lane);
    add(s, p->warps * fmax(0, p->rounds - c->calls) * (p->lanes - 1), again_lane);
    add_waiting(s, p, c, kept);
}

static void add_giving(struct device_heap_sectors *s, const struct heap_party *p, double chunks_before)
{
    add(s, p->warps * p->rounds, give);
    add(s, p->warps * p->rounds * (p->lanes - 1), give_lane);
    add(s, p->warps * chunks_before, before);
}

static void add_code(struct device_heap_sectors *s, bool takes, bool gives, double sms)
{
    s->code += (takes ? TAKE_CODE : 0) + (gives ? GIVE_CODE + GIVE_CODE_SM * sms : 0);
    s->dram += ((takes ? DRAM_TAKE : 0) + (gives ? DRAM_GIVE : 0) + DRAM_SM * sms) / SECTOR;
}

/* When an SM ends it asks the slices of L2 that it has used since its last fence: the more, the more its calls ask for. */
static void add_settling(struct device_heap_sectors *s, double sms)
{
    const double each = (s->reads + s->writes + s->atoms) / fmax(1, sms);
    s->settles = sms * SETTLES * (1 - exp(-each / SETTLES_AFTER));
}

/* Calls of several lanes have as many at times, but not as a rule. */
static void add_fences(struct device_heap_sectors *s, const struct device_heap_use *u, const struct heap_party *taken,
                       const struct heap_chunks *c, const struct heap_party *given)
{
    const double first = taken->warps * c->calls, further = fmax(0, taken->warps * taken->rounds - first);
    const double share = fmin(1, given->warps * given->rounds / fmax(1, first + further));
    const double held = u->own_cycles / fmax(1, taken->rounds) / HOLD, holds = 1 - exp(-held * held);
    const double others = taken->warps / (1 + taken->warps / HOLD_MOST);
    if (taken->lanes < 1.5)
        s->fences =
            share * (FENCES_AGAIN * further + holds * others * (FENCES_HOLD * first + FENCES_HOLD_AGAIN * further));
}

struct device_heap_sectors device_heap_sectors(const struct gpu *g, const struct device_heap_use *u)
{
    struct device_heap_sectors s = {0};
    const struct heap_party taken = heap_party_of(&u->taken, u->held), given = heap_party_of(&u->given, u->held);
    const bool takes = taken.warps >= 1, gives = given.warps >= 1;
    const double sms = fmin(u->blocks, g->sms);
    if (!takes && !gives)
        return s;
    const struct heap_chunks c = takes ? heap_chunks_taken(u, &taken) : heap_chunks_given(u, &given);
    const double all = heap_chunks_all(&c, takes ? &taken : &given);
    add_code(&s, takes, gives, sms);
    if (takes)
        add_taking(&s, &taken, &c, 1 - fmin(1, u->given.threads / u->taken.threads));
    if (gives)
        add_giving(&s, &given, c.before);
    if (takes && gives)
        add_fences(&s, u, &taken, &c, &given);
    add_settling(&s, sms);
    s.dram += ((takes ? DRAM_CHUNK : DRAM_CHUNK_GIVEN) * all + DRAM_CHUNK_BEFORE * c.before +
               (takes ? DRAM_EACH * taken.warps * taken.lanes * c.calls : DRAM_EACH_GIVEN * u->given.threads)) /
              SECTOR;
    return s;
}
