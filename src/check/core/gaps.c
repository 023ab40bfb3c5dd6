/* gaps.c - the shape of bytes that were never written (gaps.h). */
#include "check/core/gaps.h"

#include <string.h>

enum { PADDING_MOST = 15, PITCH_ALIGN = 512 };

/* The largest alignment, of a scalar or a vector, that the address has. */
static u64 alignment(u64 address)
{
    const u64 low = address & -address;
    return low > 16 || !low ? 16 : low;
}

static bool has_pitch(struct allocations *made, u64 serial)
{
    struct host_call call;
    return allocations_made(made, serial, &call) && (strstr(call.api, "Pitch") || strstr(call.api, "Malloc3D"));
}

void gaps_begin(struct gaps *g, u64 base, u64 address, u64 size, struct allocations *made, u64 serial)
{
    *g = (struct gaps){.base = base,
                       .from = address,
                       .to = address + size,
                       .pitched = has_pitch(made, serial),
                       .small = true,
                       .padded = true,
                       .even = true};
    for (u32 m = 1; m <= GAPS_PERIOD; m++)
        g->repeats[m] = true;
}

/* Compares the gap with those before it. */
static void add_to_periods(struct gaps *g, u64 from, u64 n)
{
    for (u64 m = 1; m <= GAPS_PERIOD && m <= g->count; m++) {
        const u64 k = (g->count - m) % GAPS_PERIOD, step = from - g->latest[k];
        if (g->count == m)
            g->step[m] = step;
        g->repeats[m] &= step == g->step[m] && n == g->length[k];
    }
    g->latest[g->count % GAPS_PERIOD] = from;
    g->length[g->count % GAPS_PERIOD] = n;
}

/* The latest gap is not the last one. */
static void add_inner(struct gaps *g)
{
    const u64 n = g->last_end - g->last, distance = g->last - g->inner_last;
    if (!g->inner)
        g->inner = n;
    else if (!g->inner_period)
        g->inner_period = distance;
    else
        g->even &= distance == g->inner_period;
    g->even &= n == g->inner;
    g->inner_last = g->last;
}

void gaps_add(struct gaps *g, u64 from, u64 to)
{
    const u64 n = to - from;
    if (g->pitched && n < PITCH_ALIGN && (to - g->base) % PITCH_ALIGN == 0)
        return;
    g->small &= n <= PADDING_MOST && n < alignment(to);
    add_to_periods(g, from, n);
    g->longest = n > g->longest ? n : g->longest;
    g->bytes += n;
    if (g->count == 0) {
        g->first = from;
        g->first_end = to;
    } else if (g->count == 1) {
        g->period = from - g->first;
    } else {
        g->padded &= (from - g->last) % g->period == 0;
        add_inner(g);
    }
    g->last = from;
    g->last_end = to;
    g->count++;
}

bool gaps_are_padding(const struct gaps *g, u64 most)
{
    if (!g->small)
        return false;
    if (g->padded && (g->count > 1 ? g->period : g->to - g->from) <= most)
        return true;
    for (u64 m = 2; m <= GAPS_PERIOD && m < g->count; m++)
        if (g->repeats[m] && g->step[m] <= most)
            return true;
    return false;
}

bool gaps_are_halo(const struct gaps *g)
{
    return g->count > 1 && g->even && g->first == g->from && g->last_end == g->to &&
           g->first_end - g->first == g->last_end - g->last && g->bytes < (g->to - g->from) / 2;
}

bool gaps_are_lattice(const struct gaps *g)
{
    const u64 n = g->first_end - g->first, piece = g->first - g->from, tail = g->to - g->last_end;
    if (g->count < 2)
        return g->count && piece && piece == tail && n > piece;
    if (!g->even || !piece || g->period != piece + n || g->last_end - g->last != n)
        return false;
    if (g->inner && (g->inner != n || g->last - g->inner_last != g->period))
        return false;
    if (g->inner_period && g->inner_period != g->period)
        return false;
    return tail ? tail <= piece : g->bytes >= (g->to - g->from) / 8 * 7;
}
