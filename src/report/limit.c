/* limit.c - the nearest limit of a launch in words: what the bounds of model/bounds.h are for it, the numbers that say so,
 * and the line to blame. Where no model tells the bytes of DRAM, all global sectors are taken to pass it. */
#include "report/limit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/warp_state.h"

#define WASTE 1.1 /* a tenth more than needed is worth a remark */

static double event(const struct meter_report *r, enum event_id e) { return (double)r->n[e]; }

#define E(name) event(r, EVENT_##name)

const char *limit_name(enum bound_id id)
{
    static const char *const names[BOUND_COUNT] = {"DRAM Bandwidth",  "L1/TEX Bandwidth",   "Shared Memory",
                                                   "Load/Store Unit", "Instruction Issue",  "FP32 Arithmetic",
                                                   "FP64 Arithmetic", "Integer Arithmetic", "Latency"};
    return (u32)id < BOUND_COUNT ? names[id] : "?";
}

void limit_number(double v, char out[48])
{
    char digits[40];
    if (!isfinite(v)) {
        snprintf(out, 48, "n/a");
        return;
    }
    const bool whole = v == floor(v) && fabs(v) < 1e15;
    snprintf(digits, sizeof digits, whole ? "%.0f" : fabs(v) < 0.01 ? "%.2g" : "%.2f", fabs(v));
    const size_t end = strspn(digits, "0123456789");
    char *to = out;
    if (v < 0)
        *to++ = '-';
    for (size_t i = 0; digits[i] && to < out + 46; i++) {
        if (i && i < end && (end - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
}

/* ---- what was counted ---- */

static double wavefronts(const struct meter_report *r)
{
    return E(sld_wavefronts) + E(sst_wavefronts) + E(satom_wavefronts) + E(gmma_wavefronts);
}

static double per(double work, double rate) { return rate > 0 ? work / rate : 0; }

static double conflicts(const struct meter_report *r)
{
    return E(sld_conflicts) + E(sst_conflicts) + E(satom_conflicts);
}

struct limit_sectors limit_sectors(const struct meter_line *l)
{
    const u64 *n = l->n;
    const u64 bytes = n[EVENT_gld_bytes] + n[EVENT_gst_bytes] + n[EVENT_gasync_bytes];
    const u64 count = n[EVENT_gld_requests] + n[EVENT_gst_requests] + n[EVENT_gasync_requests];
    struct limit_sectors s = {n[EVENT_gld_sectors] + n[EVENT_gst_sectors] + n[EVENT_gasync_sectors], (bytes + 31) / 32};
    s.ideal = s.ideal < count ? count : s.ideal;
    return s;
}

struct limit_sectors limit_all_sectors(const struct meter_report *r)
{
    struct limit_sectors sum = {0};
    for (u32 i = 0; i < r->nlines; i++) {
        const struct limit_sectors s = limit_sectors(&r->lines[i]);
        sum.sectors += s.sectors;
        sum.ideal += s.ideal;
    }
    return sum;
}

/* A metric that a model may bring; NaN without one. */
static double modelled(const struct meter_report *r, const char *name) { return meter_value_of(r, name); }

/* ---- bounds ---- */

double limit_dram_bytes(const struct meter_report *r)
{
    const double bytes = modelled(r, "dram__bytes.sum");
    return isnan(bytes) ? 32 * work_of_report(r).global_sectors : bytes;
}

double limit_clock(const struct meter_report *r, const struct gpu *gpu)
{
    const double hz = modelled(r, "smsp__cycles_elapsed.avg.per_second");
    return hz > 0 ? hz : bound_hz(gpu);
}

bool limits_of(const struct meter_report *r, const struct gpu *gpu, struct limits *out)
{
    *out = (struct limits){.duration = NAN};
    if (!gpu || !gpu->sms || !(bound_hz(gpu) > 0) || !r->n[EVENT_inst])
        return false;
    struct model_work w = work_of_report(r);
    const double ns = modelled(r, "gpu__time_duration.sum");
    w.dram_bytes = limit_dram_bytes(r);
    out->bounds = bounds_of(gpu, &w, limit_clock(r, gpu));
    out->nearest = bounds_nearest(&out->bounds, BOUND_COUNT);
    out->duration = isnan(ns) ? NAN : ns * 1e-9;
    return true;
}

/* ---- the line to blame ---- */

static double weight(const struct meter_line *l, enum bound_id id)
{
    const u64 *n = l->n;
    const struct limit_sectors s = limit_sectors(l);
    switch (id) {
    case BOUND_DRAM:
    case BOUND_L1:
        return s.sectors > s.ideal ? 1e12 + (double)(s.sectors - s.ideal) : (double)s.sectors;
    case BOUND_SHARED: {
        const u64 more = n[EVENT_sld_conflicts] + n[EVENT_sst_conflicts] + n[EVENT_satom_conflicts];
        return more ? 1e12 + (double)more
                    : (double)(n[EVENT_sld_wavefronts] + n[EVENT_sst_wavefronts] + n[EVENT_satom_wavefronts] +
                               n[EVENT_gmma_wavefronts]);
    }
    case BOUND_LSU:
        return (double)(n[EVENT_gld_requests] + n[EVENT_gst_requests] + n[EVENT_sld_requests] + n[EVENT_sst_requests]);
    case BOUND_FP32:
        return (double)n[EVENT_fp32];
    case BOUND_FP64:
        return (double)n[EVENT_fp64];
    case BOUND_INTEGER:
        return (double)n[EVENT_integer];
    case BOUND_LATENCY:
        return (double)(n[EVENT_gld_requests] + n[EVENT_gatom_requests]);
    default:
        return (double)n[EVENT_inst];
    }
}

bool limit_line(const struct meter_report *r, enum bound_id id, struct arena *mem, struct meter_line *out)
{
    u32 n;
    const struct meter_line *lines = meter_source_lines(r, mem, &n);
    double most = 0;
    for (u32 i = 0; i < n; i++)
        if (weight(&lines[i], id) > most) {
            most = weight(&lines[i], id);
            *out = lines[i];
        }
    return most > 0;
}

/* ---- words ---- */

struct words {
    char *out;
    size_t size, len;
};

static void LS_PRINTF(2, 3) say(struct words *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(w->out + w->len, w->size - w->len, fmt, args);
    va_end(args);
    w->len += n > 0 ? (size_t)n : 0;
    w->len = w->len < w->size ? w->len : w->size - 1;
}

static const char *number(double v, char out[48])
{
    limit_number(v, out);
    return out;
}

static void say_sectors(struct words *w, const struct meter_report *r)
{
    char a[48], b[48];
    const struct limit_sectors s = limit_all_sectors(r);
    if (s.sectors > s.ideal)
        say(w,
            "Global accesses touch %s sectors where %s hold all the bytes that they ask for (%.0f%% are excessive). ",
            number((double)s.sectors, a), number((double)s.ideal, b),
            100.0 * (double)(s.sectors - s.ideal) / (double)s.sectors);
    else
        say(w, "Global accesses touch %s sectors, no more than their bytes need. ", number((double)s.sectors, a));
}

static void say_memory(struct words *w, const struct meter_report *r, const struct gpu *gpu, enum bound_id id)
{
    char a[48], b[48];
    if (id == BOUND_DRAM)
        say(w, "%s bytes %s DRAM at %s Gbyte/s. ", number(limit_dram_bytes(r), a),
            isnan(modelled(r, "dram__bytes.sum")) ? "of global sectors, if no cache helps, pass" : "pass",
            number(bound_dram_rate(gpu) / 1e9, b));
    else
        say(w, "An SM's L1 hands out 4 sectors a clock. ");
    say_sectors(w, r);
}

static void say_shared(struct words *w, const struct meter_report *r)
{
    char a[48], b[48];
    say(w, "Shared memory serves one wavefront a clock: %s wavefronts, of which %s are bank conflicts (%.0f%%). ",
        number(wavefronts(r), a), number(conflicts(r), b), 100 * per(conflicts(r), wavefronts(r)));
}

static void say_latency(struct words *w, const struct meter_report *r, const struct gpu *gpu)
{
    char a[48];
    const double blocks = (double)r->grid[0] * r->grid[1] * r->grid[2];
    const double threads = (double)r->block[0] * r->block[1] * r->block[2];
    const double each = fmin(ceil(blocks / gpu->sms), r->occupancy.blocks_per_sm ? r->occupancy.blocks_per_sm : 1);
    say(w, "There is too little work to hide latencies with: %s block%s for %u SMs", number(blocks, a),
        blocks == 1 ? "" : "s", gpu->sms);
    say(w, ", %.0f of %u warps on the busiest SM. ", each * ceil(threads / 32), gpu->threads_per_sm / 32);
}

static void say_rate(struct words *w, double work, const char *what, u32 rate)
{
    char a[48];
    say(w, "%s %s, of which an SM does %u a clock. ", number(work, a), what, rate);
}

static void say_evidence(struct words *w, const struct meter_report *r, const struct gpu *gpu, enum bound_id id)
{
    char a[48];
    switch (id) {
    case BOUND_DRAM:
    case BOUND_L1:
        say_memory(w, r, gpu, id);
        break;
    case BOUND_SHARED:
        say_shared(w, r);
        break;
    case BOUND_LATENCY:
        say_latency(w, r, gpu);
        break;
    case BOUND_LSU:
        say(w, "%s memory instructions of warps, of which an SM takes one every 2 clocks. ",
            number(work_of_report(r).requests, a));
        break;
    case BOUND_ISSUE:
        say_rate(w, E(inst), "warp instructions", gpu->sub_partitions);
        if (E(inst) > 0 && E(thread_inst) / E(inst) < 31.5)
            say(w, "%.1f of 32 threads take part in one. ", E(thread_inst) / E(inst));
        break;
    case BOUND_FP32:
        say_rate(w, E(fp32), "f32 instructions of threads", gpu->fp32_rate);
        break;
    case BOUND_FP64:
        say_rate(w, E(fp64), "f64 instructions of threads", gpu->fp64_rate);
        break;
    default:
        say_rate(w, E(integer), "integer instructions of threads", gpu->int_rate);
    }
}

static const char *const advice[BOUND_COUNT] = {
    "Move fewer bytes: neighbouring threads to neighbouring words, and each byte once.",
    "Let neighbouring threads take neighbouring words, or keep what is used again in registers or shared memory.",
    "Pad the rows or permute the indices, so that a warp's lanes fall into different banks; or load wider.",
    "Use wider accesses (float4), or keep values in registers.",
    "Let each thread do more for an instruction: unroll, vectorise, hoist what does not change.",
    "The arithmetic itself is the limit: fewer operations, a cheaper type, or tensor cores.",
    "f64 is the limit: use f32 where its precision suffices.",
    "Integer arithmetic is the limit: simplify indices, hoist them out of loops.",
    "Launch more blocks or threads, or give each thread several independent loads.",
};

static void say_line(struct words *w, const struct meter_report *r, enum bound_id id)
{
    struct arena mem = ARENA("tmp");
    struct meter_line l = {0};
    if (!setjmp(mem.oom) && limit_line(r, id, &mem, &l)) {
        if (l.line)
            say(w, "Look at %s:%u first. ", l.file ? l.file : "line", l.line);
        else
            say(w, "Look at line %u of the PTX first (compile with -lineinfo for source lines). ", l.ptx_line);
    }
    arena_free(&mem);
}

static bool note_sectors(struct words *w, const struct meter_report *r, enum bound_id nearest)
{
    const struct limit_sectors s = limit_all_sectors(r);
    if (nearest == BOUND_DRAM || nearest == BOUND_L1 || (double)s.sectors <= WASTE * (double)s.ideal)
        return false;
    say_sectors(w, r);
    say_line(w, r, BOUND_L1);
    say(w, "%s", advice[BOUND_L1]);
    return true;
}

static bool note_conflicts(struct words *w, const struct meter_report *r, enum bound_id nearest)
{
    if (nearest == BOUND_SHARED || wavefronts(r) <= WASTE * (wavefronts(r) - conflicts(r)))
        return false;
    say_shared(w, r);
    say_line(w, r, BOUND_SHARED);
    say(w, "%s", advice[BOUND_SHARED]);
    return true;
}

static bool note_threads(struct words *w, const struct meter_report *r, enum bound_id nearest)
{
    const double threads = per(E(thread_inst), E(inst));
    if (nearest == BOUND_ISSUE || threads <= 0 || threads * WASTE > 32)
        return false;
    say(w, "%.1f of 32 threads take part in an instruction. ", threads);
    say(w, "Let whole warps go the same way: make conditions depend on the warp, and blocks multiples of 32 threads.");
    return true;
}

bool limit_note(const struct meter_report *r, u32 n, enum bound_id nearest, const char **rule, char *out, size_t size)
{
    static const struct {
        const char *rule;
        bool (*note)(struct words *w, const struct meter_report *r, enum bound_id nearest);
    } notes[LIMIT_NOTES] = {{"UncoalescedGlobalAccess", note_sectors},
                            {"SharedMemoryConflicts", note_conflicts},
                            {"ThreadDivergence", note_threads}};
    struct words w = {out, size, 0};
    out[0] = 0;
    *rule = notes[n].rule;
    return notes[n].note(&w, r, nearest);
}

/* What fills the time that the limit does not. */
static void say_rest(struct words *w, const struct meter_report *r)
{
    double share;
    const enum stall_reason reason = warp_state_largest(r->n, &share);
    if (reason < STALL_COUNT)
        say(w, "For the rest of the time warps wait: most of it is %s (%s). ", stall_name(reason), stall_text(reason));
    else
        say(w, "For the rest of the time warps wait for results: theoretical occupancy is %.0f%%. ", r->occupancy.pct);
}

void limit_text(const struct meter_report *r, const struct gpu *gpu, const struct limits *l, char *out, size_t size)
{
    struct words w = {out, size, 0};
    char us[48];
    out[0] = 0;
    say(&w, "The nearest limit is %s: at least %s us", limit_name(l->nearest),
        number(l->bounds.seconds[l->nearest] * 1e6, us));
    if (l->duration > 0)
        say(&w, ", %.0f%% of the modelled duration", 100 * l->bounds.seconds[l->nearest] / l->duration);
    say(&w, ". ");
    say_evidence(&w, r, gpu, l->nearest);
    if (l->duration > 0 && l->nearest != BOUND_LATENCY && l->bounds.seconds[l->nearest] < 0.6 * l->duration)
        say_rest(&w, r);
    say_line(&w, r, l->nearest);
    char costly[1200];
    warp_state_costly(r, costly, sizeof costly);
    say(&w, "%s%s", costly, advice[l->nearest]);
}
