/* warp_state.c - stall reasons in words (warp_state.h). */
#include "report/warp_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const advice[STALL_COUNT] = {
    [STALL_SELECTED] = "",
    [STALL_NOT_SELECTED] = "Warps are ready and wait for their turn: only fewer instructions help.",
    [STALL_WAIT] =
        "Fixed latencies show where there is little else to do: more warps, or more independent work in each thread.",
    [STALL_LONG_SCOREBOARD] =
        ("Have more loads under way: ask for data earlier and several at a time, or run more warps; or keep what is "
         "used again in shared memory or registers."),
    [STALL_SHORT_SCOREBOARD] =
        "Access shared memory less often, wider, and without bank conflicts; call fewer special functions.",
    [STALL_BARRIER] =
        "Give the warps of a block equal work before each __syncthreads(), or make blocks smaller so that others run.",
    [STALL_MEMBAR] = "Fence less often, or for a narrower scope (__threadfence_block()).",
    [STALL_MATH_PIPE_THROTTLE] = "One pipe has all the work: use cheaper operations, or such as run in other pipes.",
    [STALL_LG_THROTTLE] =
        "Too many accesses to global or local memory wait at once: make them wider (float4), and fewer.",
    [STALL_MIO_THROTTLE] =
        "Too many accesses to shared memory, shuffles or special functions wait at once: make them wider, and fewer.",
    [STALL_TEX_THROTTLE] = "Too many texture fetches wait at once: fetch less often, or load from global memory.",
    [STALL_DRAIN] = "Warps end with many stores: coalesce them, or store earlier.",
    [STALL_BRANCH_RESOLVING] = "Jump less often: unroll loops, or turn short branches into selections.",
    [STALL_NO_INSTRUCTION] =
        "Instructions are not there in time: shorter code, less unrolling, or more work in a launch.",
    [STALL_IMC_MISS] = "Constants are not in their cache: read fewer different ones, or take them from global memory.",
    [STALL_SLEEPING] = "Threads sleep: what they wait for comes late.",
    [STALL_DISPATCH_STALL] = "The dispatch unit holds instructions back: mix the kinds of instructions more evenly.",
    [STALL_GMMA] =
        "Warps wait for a product of their warpgroup: have two groups of products under way, or work of another kind.",
    [STALL_MISC] = "",
};

const char *warp_state_advice(enum stall_reason reason) { return (u32)reason < STALL_COUNT ? advice[reason] : ""; }

enum stall_reason warp_state_largest(const u64 n[EVENT_COUNT], double *share)
{
    const u64 all = stall_cycles(n);
    enum stall_reason most = STALL_COUNT;
    for (u32 k = 0; k < STALL_COUNT; k++) {
        const enum stall_reason reason = (enum stall_reason)k;
        if (reason != STALL_SELECTED && n[stall_event(reason)] > (most < STALL_COUNT ? n[stall_event(most)] : 0))
            most = reason;
    }
    *share = most < STALL_COUNT ? (double)n[stall_event(most)] / (double)all : 0;
    return most;
}

static u64 cycles_of(const u64 n[EVENT_COUNT], enum stall_reason reason)
{
    return reason < STALL_COUNT ? n[stall_event(reason)] : stall_cycles(n);
}

bool warp_state_line(const struct meter_report *r, enum stall_reason reason, struct arena *mem, struct meter_line *out,
                     double *share)
{
    u32 n;
    const struct meter_line *lines = meter_source_lines(r, mem, &n);
    u64 most = 0;
    for (u32 i = 0; i < n; i++)
        if (cycles_of(lines[i].n, reason) > most) {
            most = cycles_of(lines[i].n, reason);
            *out = lines[i];
        }
    const u64 all = cycles_of(r->n, reason);
    *share = all ? (double)most / (double)all : 0;
    return most > 0;
}

/* "x.cu:12"; without a source line the instruction. */
static void name_line(const struct meter_line *l, char *out, size_t size)
{
    if (l->line)
        snprintf(out, size, "%s:%u", l->file ? l->file : "line", l->line);
    else if (l->ptx)
        snprintf(out, size, "line %u of the PTX (%.*s)", l->ptx_line, (int)strcspn(l->ptx, ";"), l->ptx);
    else
        snprintf(out, size, "line %u of the PTX", l->ptx_line);
}

/* Name of the line with most cycles of a reason; "" without one. */
static double find_line(const struct meter_report *r, enum stall_reason reason, char *out, size_t size)
{
    struct arena mem = ARENA("tmp");
    struct meter_line l = {0};
    double share = 0;
    out[0] = 0;
    if (!setjmp(mem.oom) && warp_state_line(r, reason, &mem, &l, &share))
        name_line(&l, out, size);
    arena_free(&mem);
    return share;
}

void warp_state_costly(const struct meter_report *r, char *out, size_t size)
{
    char name[1024];
    const double share = find_line(r, STALL_COUNT, name, sizeof name);
    out[0] = 0;
    if (*name)
        snprintf(out, size, "The line that costs most is %s, with %.0f%% of the time of all warps. ", name,
                 100 * share);
}

bool warp_state_text(const struct meter_report *r, char *out, size_t size)
{
    char name[1024], where[1100] = "";
    double share;
    const enum stall_reason reason = warp_state_largest(r->n, &share);
    const u64 issued = r->n[EVENT_stall_SELECTED];
    if (reason == STALL_COUNT || !issued)
        return false;
    const double of_it = find_line(r, reason, name, sizeof name);
    if (*name)
        snprintf(where, sizeof where, "%s has %.0f%% of these cycles. ", name, 100 * of_it);
    const double issuing = meter_value(r, METRIC_issue_active);
    snprintf(out, size,
             "The largest stall reason is %s (%s): %.1f of the %.1f cycles between two instructions of a warp, %.0f%%. "
             "%s%s%s",
             stall_name(reason), stall_text(reason), (double)r->n[stall_event(reason)] / (double)issued,
             (double)stall_cycles(r->n) / (double)issued, 100 * share, where,
             issuing >= 80 ? "Schedulers issue in nearly every cycle all the same, so that little is lost by it. " : "",
             warp_state_advice(reason));
    return true;
}
