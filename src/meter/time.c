/* time.c - from counters to time (time.h). */
#include "meter/time.h"

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

#define E(x) ((double)in->n[EVENT_##x])

/* Cycles if all of it were done by one SM. */
static double pipes(const struct time_input *in)
{
    const struct gpu *g = in->gpu;
    const double each[] = {
        over(E(fp32), g->fp32_rate),       over(E(fp64), g->fp64_rate),
        over(E(fp16), 2.0 * g->fp32_rate), over(E(integer) + E(bit), g->int_rate),
        over(E(conversion), g->sfu_rate),  E(exchange) / SHUFFLE_RATE,
        E(tensor_inst) * MATRIX_CYCLES,
    };
    return largest(each, LS_ARRAY_LEN(each));
}

static double l1(const struct time_input *in)
{
    const double requests = E(gld_requests) + E(gst_requests) + E(gasync_requests) + E(gatom_requests) +
                            E(gred_requests) + E(lld_requests) + E(lst_requests) + E(sld_requests) + E(sst_requests) +
                            E(satom_requests) + E(tex_requests) + E(cld_requests);
    const double shared = E(sld_wavefronts) + E(sst_wavefronts) + E(satom_wavefronts);
    const double each[] = {requests * REQUEST_CYCLES, E(l1_lines) + shared, E(cld_words) * CONSTANT_CYCLES};
    return largest(each, LS_ARRAY_LEN(each));
}

static double l2_sectors(const struct time_input *in) { return E(l2_reads) + E(l2_writes) + E(l2_atoms) + E(l2_reds); }

static double l2_all_sectors(const struct time_input *in)
{
    return l2_sectors(in) + E(l2_far_reads) + E(l2_far_writes) + E(l2_far_atoms) + E(l2_far_reds);
}

/* Bytes a cycle that a copy reaches; where nobody measured it, nine tenths of the data sheet. */
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
static void add_shares(struct meter_time *t, const struct time_input *in, double path)
{
    const struct gpu *g = in->gpu;
    const double most = fmax(1, (double)in->blocks / g->sms), room = g->threads_per_sm / (double)g->warp_size;
    const double fits = HELD_SHARE * fmin(in->resident, most) * in->warps;
    const double lived = LIFE * path * in->warps * BLOCKS_A_CYCLE / g->sms;
    const bool starved = t->blocks > 0.7 * (t->busy - path * PATH_ONCE);
    const double sm[] = {t->issue, t->pipes, t->l1};
    t->warps_pct = 100 * over(starved ? fmin(fits, lived) : fits, room);
    t->active = t->busy * fmin(1, (double)in->blocks / g->sms);
    t->dram_pct = 100 * over(32 * (E(dram_reads) + E(dram_writes)), t->ns * 1e-9 * g->dram_bytes_per_s);
    t->l2_pct = 100 * over(32 * l2_all_sectors(in) / g->l2_rate, t->cycles);
    t->l1_pct = 100 * over(t->l1, t->busy);
    t->sm_pct = 100 * over(largest(sm, 3), t->cycles);
}

struct meter_time time_of(const struct time_input *in)
{
    const struct gpu *g = in->gpu;
    const double most = ceil((double)in->blocks / g->sms); /* blocks of the SM that has most */
    const double share = most / (double)in->blocks;
    const double turns = ceil(most / (in->resident ? in->resident : 1));
    const double path = in->path / ((double)in->blocks * in->warps);
    const double l2[] = {32 * l2_sectors(in) * share / g->l2_sm_rate, 32 * l2_all_sectors(in) / g->l2_rate};
    const double atomics[] = {(double)in->atomic_most * ATOMIC_CYCLES,
                              (E(gatom_lanes) + E(gred_lanes)) / g->atomic_rate};
    struct meter_time t = {
        .issue = E(inst) * share / g->sub_partitions,
        .pipes = pipes(in) * share,
        .l1 = l1(in) * share,
        .l2 = largest(l2, 2),
        .dram = over(32 * (E(dram_reads) + E(dram_writes)), dram_rate(g)),
        .atomics = largest(atomics, 2),
        .blocks = (double)in->blocks / BLOCKS_A_CYCLE,
        .latency = path * turns * PATH_AGAIN,
    };
    const double each[] = {t.issue, t.pipes, t.l1, t.l2, t.dram, t.atomics, t.blocks, t.latency};
    t.busy = norm(each, LS_ARRAY_LEN(each)) + path * PATH_ONCE;
    t.ns = t.busy / g->boost_mhz * 1e3 + g->kernel_ns;
    t.cycles = t.ns * g->boost_mhz / 1e3;
    t.sm_hz = g->boost_mhz * 1e6;
    t.dram_hz = g->memory_mhz * 1e6;
    add_shares(&t, in, path);
    return t;
}
