/* load.c - when a load's result is there: L1 is looked up for each of its lines, and what it lacks comes from L2 or DRAM.
 *
 * The lines are in the stream, and L1 is the model's own (model/cache/l1/l1.h), asked in the order of the replay. Who serves what L1
 * lacks, the model of the caches has found for the whole launch, as shares of the instruction's sectors: they are dealt out line
 * by line, so that the sums are right. */
#include "model/replay/sm/sm.h"

/* What an access needs from beyond L1. */
struct beyond {
    double near, far, dram, host; /* sectors */
    double late;                  /* of near: DRAM has just been asked for them */
    u32 lines, dram_lines;        /* that lack something; of which DRAM sends some */
    double under_way;             /* when what L1 has asked for before is there; 0: all is */
};

/* ---- what is on its way to L1 ---- */

static struct sm_arriving *arriving_of(const struct sm *s, u64 number)
{
    return &s->arriving[(number * 0x9e3779b97f4a7c15ull) >> (64 - SM_ARRIVING_BITS)];
}

static double under_way(const struct sm *s, u64 number, u32 sectors)
{
    const struct sm_arriving *a = s->arriving ? arriving_of(s, number) : NULL;
    double t = 0;
    for (u32 k = 0; a && a->number == number && k < CACHE_SECTORS; k++)
        if (sectors >> k & 1)
            t = larger(t, a->at[k]);
    return t;
}

static void set_arriving(struct sm *s, u64 number, u32 sectors, double t)
{
    if (!s->arriving)
        s->arriving = arena_array(s->mem, struct sm_arriving, (size_t)1 << SM_ARRIVING_BITS);
    struct sm_arriving *a = arriving_of(s, number);
    if (a->number != number)
        *a = (struct sm_arriving){.number = number};
    for (u32 k = 0; k < CACHE_SECTORS; k++)
        if (sectors >> k & 1)
            a->at[k] = t;
}

/* ---- who serves it ---- */

/* A share of sectors is dealt out by whole lines: true for those that have it. */
static bool deal(float *carry, double share, u32 sectors)
{
    *carry += (float)(share * sectors);
    if (*carry * 2 < sectors)
        return false;
    *carry -= (float)sectors;
    return true;
}

/* A line of which L1 lacks so many sectors. */
static void ask_beyond(struct beyond *b, const struct replay_shares *shares, float *carry, u32 sectors)
{
    const struct served *from = &shares->served;
    const double device = from->near + from->far + from->dram, all = device + from->host,
                 whole = device > 0 ? device : 1;
    b->lines++;
    if (from->host > 0 && deal(&carry[3], from->host / all, sectors)) {
        b->host += sectors;
    } else if (deal(&carry[2], from->dram / whole, sectors)) {
        b->dram += sectors;
        b->dram_lines++;
    } else if (deal(&carry[1], from->far / larger(whole - from->dram, 1e-9), sectors)) {
        b->far += sectors;
    } else {
        b->near += sectors;
        b->late += deal(&carry[0], shares->late / larger(from->near, 1e-9), sectors) ? sectors : 0;
    }
}

/* Of each line, those of its sectors that L1 lacks. */
static struct beyond look_up(struct sm *s, const struct sm_warp *w, const struct sm_cost *cost, u32 site, u8 *missing)
{
    struct beyond b = {0};
    for (u32 k = 0; k < cost->nlines; k++) {
        const u64 line = cost->lines[k], number = item_line_number(line);
        const u32 sectors = item_line_sectors(line);
        const u32 there = l1_ask(&s->l1, (enum traffic_kind)item_line_kind(line), number, sectors);
        missing[k] = (u8)(sectors & ~there);
        if (there)
            b.under_way = larger(b.under_way, under_way(s, number, there));
        if (missing[k])
            ask_beyond(&b, &w->func->shares[site], w->func->prepared->carry[site], sectors_in(missing[k]));
    }
    return b;
}

/* All of an access that does not look into L1. */
static struct beyond go_past(const struct sm_warp *w, const struct item_access *a)
{
    const u32 lines = a->lines ? a->lines : 1;
    struct beyond b = {0};
    for (u32 k = 0; k < lines; k++) {
        const u32 sectors = (u32)a->passes * (k + 1) / lines - (u32)a->passes * k / lines;
        if (sectors)
            ask_beyond(&b, &w->func->shares[a->site], w->func->prepared->carry[a->site], sectors);
    }
    return b;
}

/* ---- when it is there ---- */

bool sm_is_scattered(const struct item_access *a) { return a->lines > 4 && a->passes <= a->lines; }

static u64 distance(u64 a, u64 b) { return a > b ? a - b : b - a; }

enum sm_places sm_places_of(const struct item_access *a, const struct sm_cost *cost)
{
    enum { FEW = 2, FAR = 64 }; /* lines */
    u32 apart = 0;
    if (a->lines <= FEW)
        return PLACES_WHOLE;
    for (u32 k = 1; k < cost->nlines; k++)
        apart += distance(item_line_number(cost->lines[k]), item_line_number(cost->lines[k - 1])) > FAR;
    return !cost->nlines || 2 * apart >= cost->nlines ? PLACES_APART : PLACES_STRIDED;
}

double sm_dram_cycles(const double *share, enum sm_places places, double sectors, double lines)
{
    return larger(sectors * share[PLACES_WHOLE], places == PLACES_WHOLE ? 0 : lines * share[places]);
}

static double read_beyond(struct sm *s, const struct sm_warp *w, const struct item_access *a,
                          const struct sm_cost *cost, const struct beyond *b, double t)
{
    const struct machine *m = s->machine;
    const double sectors = b->near + b->far + b->dram + b->host;
    if (sectors <= 0)
        return 0;
    const enum sm_places places = sm_places_of(a, cost);
    const double share = a->class == ITEM_LOAD_PAST ? s->past_share : s->read_share;
    t = larger(t, s->memory.atomics_out);
    s->came += sectors;
    s->memory.lsu += b->lines * m->miss_line;
    double done = larger(sm_take(&s->memory.l2_read, t, sectors * share),
                         sm_take(&s->memory.l2, t, b->lines * (places == PLACES_APART ? s->apart_share : s->l2_share)));
    done += b->far > 0 ? m->far : m->l2;
    if (b->host > 0)
        done = larger(done, sm_take(&s->memory.link_in, t, b->host * w->func->shares[a->site].link * s->link_in_share) +
                                m->host);
    if (b->late > 0)
        done = larger(done, t + m->dram);
    if (b->dram > 0)
        done = larger(done, sm_read_dram(s, t, b->dram, sm_dram_cycles(s->dram_read, places, b->dram, b->dram_lines)) +
                                m->dram + (b->dram_lines - 1) * m->dram_line);
    return done;
}

double sm_load(struct sm *s, struct sm_warp *w, const struct sm_cost *cost, const struct item_access *a, double t)
{
    u8 missing[ITEM_LINES_BEHIND];
    t = larger(t, s->memory.atomics_port); /* L1 comes behind those that wait */
    const bool past = a->class == ITEM_LOAD_PAST;
    const struct beyond b = past ? go_past(w, a) : look_up(s, w, cost, a->site, missing);
    const double beyond = read_beyond(s, w, a, cost, &b, t);
    for (u32 k = 0; !past && beyond > 0 && k < cost->nlines; k++)
        if (missing[k])
            set_arriving(s, item_line_number(cost->lines[k]), missing[k], beyond);
    return larger(t + s->machine->l1 - s->machine->issue, larger(beyond, b.under_way));
}

void sm_store_through(struct sm *s, const struct sm_cost *cost)
{
    for (u32 k = 0; k < cost->nlines; k++)
        l1_ask(&s->l1, (enum traffic_kind)item_line_kind(cost->lines[k]), item_line_number(cost->lines[k]),
               item_line_sectors(cost->lines[k]));
}
