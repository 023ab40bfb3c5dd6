/* device_heap_sectors.c - see device_heap.h. What SMs ask L2 for in malloc and free: fitted on tests/hw/h200/heap-shapes.csv and
 * heap-use.csv, what fences ask apart from the rest (docs/model.md). */
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
#define CODE 2280.0
#define CODE_SM 173.0

/* Of each call of a warp, and of each further lane in it; take_again: of calls of malloc when as much is alive as ever will be. */
static const struct parts take = {2.8, 138, 20}, take_lane = {6.7, 10.3, 22}, take_again = {2.1, 57, 5.7},
                          give = {29, 75, 2.8}, give_lane = {4, 3.4, 8.8};

/* Besides, of each other call of malloc: for each warp that calls, of up to CROWD_MOST. */
static const struct parts crowd = {0, 0, 1.54};
#define CROWD_MOST 49.0

/* While one lane makes a chunk the others wait, and it goes through the list: (chunks of a warp - 1/2) ^ OWN x lanes x the list. given: where the
 * launch gives memory back, kept: where that stays, again: when as much is alive as ever will be. */
static const struct parts wait_given = {0.0046, 0.0151, 0.0407}, wait_kept = {0.008, 0.0219, 0.0553},
                          wait_again = {0.00054, 0.00156, 0.00157};
#define OWN 1.37
#define OWN_LEAST 2.96
/* Of each warp that makes fewer than OWN_LEAST chunks, for each chunk of the list; of what is kept of all warps. */
static const struct parts list_given = {0.085, 0.128, 0.058}, list_kept = {0.136, 1.02, 0.235};
/* Of each call that makes fewer: x (lanes / 32) ^ LANES x warps ^ FEW. */
static const struct parts few_given = {1.6, 25.7, 17.5}, few_kept = {6.8, 2.7, 45};
#define LANES 1.8
#define FEW 0.58

/* Calls when as much is alive as ever will be: x warps ^ AGAIN x (lanes / 32) ^ LANES. */
static const struct parts again = {93, 142, 1320};
#define AGAIN 0.42

/* And of chunks that were there before, for each call and chunk; and where several are made, for each of those. */
static const struct parts before = {2.6, 0.145, 0.145}, before_new = {0.4, 1.3, 3.3},
                          before_lane = {0.045, 0.146, 0.37};

/* The SM's sectors after which it has asked about two slices of three. */
#define SETTLES_AFTER 2200.0

/* Fences: who gives back while others go through the list waits for them, and asks all slices again and again, SPIN sectors a cycle; a few warps of an
 * SM at once. It happens where memory is held for HOLD of the time that calls take, or longer; a call of malloc holds it for HELD cycles at least. */
#define SPIN 0.0133
#define SPIN_WARPS 2.8
#define HOLD 0.083
#define HELD 1020.0

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

/* Calls of each warp that make chunks, as often as it calls if it is alone: what it gives back is gone. */
static double making(const struct heap_party *p, const struct heap_chunks *c)
{
    return p->warps > 1 ? c->calls : p->rounds;
}

/* What lanes ask for that wait for another. kept: of what is taken, the share that the launch does not give back. */
static void add_waiting(struct device_heap_sectors *s, const struct heap_party *p, const struct heap_chunks *c,
                        double kept)
{
    const double calls = making(p, c), list = heap_chunks_all(c, p), lanes = pow(p->lanes / 32, LANES);
    const double further = (p->rounds - calls) * p->warps;
    if (c->own >= OWN_LEAST) {
        const double wait = pow(c->own - 0.5, OWN) * p->lanes * list;
        add(s, (1 - kept) * p->warps * wait * calls / c->calls, wait_given);
        add(s, kept * p->warps * wait * calls / c->calls, wait_kept);
        add(s, further * wait, wait_again);
    } else {
        add(s, (1 - kept) * p->warps * list, list_given);
    }
    if (c->own < OWN_LEAST * c->calls) {
        const double few = p->warps * calls * lanes * pow(p->warps, FEW);
        add(s, (1 - kept) * few, few_given);
        add(s, kept * few, few_kept);
    }
    add(s, further * lanes * pow(p->warps, AGAIN), again);
}

static void add_taking(struct device_heap_sectors *s, const struct heap_party *p, const struct heap_chunks *c,
                       double kept)
{
    const double calls = p->warps * making(p, c);
    add(s, calls, take);
    add(s, calls * p->warps / (1 + p->warps / CROWD_MOST), crowd);
    add(s, calls * (p->lanes - 1), take_lane);
    add(s, p->warps * p->rounds - calls, take_again);
    add(s, kept * p->warps * heap_chunks_all(c, p), list_kept);
    add(s, calls * c->before, before);
    add(s, p->warps * (c->own - 1) * c->before, before_new);
    add(s, p->warps * (c->own - 1) * c->before * p->lanes, before_lane);
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
    s->code += CODE + CODE_SM * sms;
    s->dram += ((takes ? DRAM_TAKE : 0) + (gives ? DRAM_GIVE : 0) + DRAM_SM * sms) / SECTOR;
}

/* When an SM ends it asks the slices of L2 that it has used since its last fence: the more, the more its calls ask for. */
static void add_settling(struct device_heap_sectors *s, double sms)
{
    const double each = (s->reads + s->writes + s->atoms) / fmax(1, sms);
    s->settles = sms * SETTLES * (1 - exp(-each / SETTLES_AFTER));
}

static void add_fences(struct device_heap_sectors *s, const struct gpu *g, const struct device_heap_use *u,
                       const struct heap_party *taken, const struct heap_party *given, double sms)
{
    const double calls = device_heap_cycles(g, u),
                 share = given->warps * given->rounds / (taken->warps * taken->rounds);
    const double held = (u->own_cycles + HELD * taken->rounds) / (HOLD * calls);
    s->fences = fmin(1, share) * fmin(taken->warps, SPIN_WARPS * sms) * SPIN * calls * (1 - exp(-held * held));
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
        add_fences(&s, g, u, &taken, &given, sms);
    add_settling(&s, sms);
    s.dram += ((takes ? DRAM_CHUNK : DRAM_CHUNK_GIVEN) * all + DRAM_CHUNK_BEFORE * c.before +
               (takes ? DRAM_EACH * taken.warps * taken.lanes * c.calls : DRAM_EACH_GIVEN * u->given.threads)) /
              SECTOR;
    return s;
}
