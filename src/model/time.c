/* time.c - from counters to time (time.h). */
#include "model/time.h"

#include <math.h>

/* Fitted on one half of the recorded kernels of an H200, and tested on the other: docs/model.md. */
#define BLOCKS_A_CYCLE 0.8 /* that the device starts */
#define ATOMIC_CYCLES 1.45 /* of a sector of atomics in a slice of L2 */
#define OVERLAP 3.4        /* the p of the norm */
#define PATH_ONCE 1.2      /* of a warp's way, that nothing hides: filling the SM, and draining it */
#define PATH_AGAIN 0.13    /* of it, each time that the SM is filled */
#define HELD_SHARE 0.8     /* of the warps that fit, that are there on average */
#define LIFE 3.0           /* ways of a warp that a block lives, where blocks are started too slowly to fill the SM */
/* Rates that no manual tells; not fitted one by one. */
#define MATRIX_CYCLES 2.0   /* of an SM for a matrix product of a warp, 16 x 8 x 16 halves */
#define REQUEST_CYCLES 1.0  /* of an SM for a memory instruction of a warp */
#define CONSTANT_CYCLES 2.0 /* for a word of constant memory */
#define SHUFFLE_RATE 32.0   /* lanes a clock */

static double largest(const double *v, u32 n)
{
    double most = 0;
    for (u32 k = 0; k < n; k++)
        most = v[k] > most ? v[k] : most;
    return most;
}

static double over(double a, double b) { return b > 0 ? a / b : 0; }

/* Cycles if all of it were done by one SM. */
static double pipes(const struct gpu *g, const struct model_work *w)
{
    const double each[] = {
        over(w->fp32, g->fp32_rate),       over(w->fp64, g->fp64_rate),
        over(w->fp16, 2.0 * g->fp32_rate), over(w->integer + w->bit, g->int_rate),
        over(w->conversion, g->sfu_rate),  w->exchange / SHUFFLE_RATE,
        w->products * MATRIX_CYCLES,
    };
    return largest(each, LS_ARRAY_LEN(each));
}

static double l1(const struct model_work *w)
{
    const double each[] = {(w->requests + w->elsewhere) * REQUEST_CYCLES, w->l1_lines + w->wavefronts,
                           w->words * CONSTANT_CYCLES};
    return largest(each, LS_ARRAY_LEN(each));
}

static double l2_bytes(const struct model_work *w) { return 32 * (w->l2_sectors + w->l2_far_sectors); }

/* Bytes a cycle that a copy reaches; nine tenths of the data sheet's rate where it was not measured. */
static double dram_rate(const struct gpu *g)
{
    const double rate = g->copy_bytes_per_s > 0 ? g->copy_bytes_per_s : 0.9 * g->dram_bytes_per_s;
    return rate / (g->boost_mhz * 1e6);
}

static double norm(const double *v, u32 n)
{
    double sum = 0;
    for (u32 k = 0; k < n; k++)
        sum += pow(v[k], OVERLAP);
    return pow(sum, 1 / OVERLAP);
}

/* Of what there is, how much is used: warps of an SM while it works, and the units in all of the time. */
static void add_shares(struct model_time *t, const struct gpu *g, const struct model_work *w, double path)
{
    const double most = fmax(1, (double)w->blocks / g->sms), room = g->threads_per_sm / (double)g->warp_size;
    const double fits = HELD_SHARE * fmin(w->resident, most) * w->warps;
    const double lived = LIFE * path * w->warps * BLOCKS_A_CYCLE / g->sms;
    const bool starved = t->blocks > 0.7 * (t->busy - path * PATH_ONCE);
    const double sm[] = {t->issue, t->pipes, t->l1};
    t->warps_pct = 100 * over(starved ? fmin(fits, lived) : fits, room);
    t->active = t->busy * fmin(1, (double)w->blocks / g->sms);
    t->dram_pct = 100 * over(w->dram_bytes, t->ns * 1e-9 * g->dram_bytes_per_s);
    t->l2_pct = fmin(100, 100 * over(l2_bytes(w) / g->l2_rate, t->cycles));
    t->l1_pct = fmin(100, 100 * over(t->l1, t->busy));
    t->sm_pct = fmin(100, 100 * over(largest(sm, 3), t->cycles));
}

void time_at_base_clock(struct gpu *g)
{
    if (g->base_mhz)
        g->boost_mhz = g->base_mhz; /* all that the model knows of clocks */
}

struct model_time time_of(const struct gpu *g, const struct model_work *w)
{
    const double share = work_share(w, g->sms), most = ceil((double)w->blocks / g->sms);
    const double turns = ceil(most / (w->resident ? w->resident : 1));
    const double path = w->path / ((double)w->blocks * w->warps);
    const double l2[] = {32 * w->l2_sectors * share / g->l2_sm_rate, l2_bytes(w) / g->l2_rate};
    const double atomics[] = {w->slice_sectors * ATOMIC_CYCLES, w->lanes / g->atomic_rate};
    struct model_time t = {
        .issue = w->inst * share / g->sub_partitions,
        .pipes = pipes(g, w) * share,
        .l1 = l1(w) * share,
        .l2 = largest(l2, 2),
        .dram = over(w->dram_bytes, dram_rate(g)),
        .atomics = largest(atomics, 2),
        .blocks = (double)w->blocks / BLOCKS_A_CYCLE,
        .latency = path * turns * PATH_AGAIN,
    };
    const double each[] = {t.issue, t.pipes, t.l1, t.l2, t.dram, t.atomics, t.blocks, t.latency};
    t.busy = norm(each, LS_ARRAY_LEN(each)) + path * PATH_ONCE;
    t.ns = t.busy / g->boost_mhz * 1e3 + g->kernel_ns;
    t.cycles = t.ns * g->boost_mhz / 1e3;
    t.sm_hz = g->boost_mhz * 1e6;
    t.dram_hz = g->memory_mhz * 1e6;
    t.formula_ns = t.ns;
    add_shares(&t, g, w, path);
    return t;
}

void time_replayed(struct model_time *t, const struct gpu *g, const struct model_work *w, const struct replay_result *r)
{
    t->busy = r->cycles;
    t->ns = r->ns;
    t->sm_hz = r->hz;
    t->cycles = t->ns * r->hz / 1e9;
    add_shares(t, g, w, 0);
    t->active = r->active * fmin(1, (double)w->blocks / g->sms);
    t->l1_pct = 100 * r->l1_used;
    t->sm_pct = 100 * r->sm_used * over(t->active, t->cycles);
    t->warps_pct = 100 * over(r->warps, g->threads_per_sm / (double)g->warp_size);
}
