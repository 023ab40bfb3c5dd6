/* device_heap_chunks.c - see device_heap_chunks.h. */
#include "model/device_heap_chunks.h"

#include <math.h>

/* Slots; a chunk has 288 bytes besides its own, and is a slot of the next size. */
static const u64 slot_bytes[] = {80, 2208, 53280, 1279008, 30696480, 736715808};

enum {
    LEVELS = LS_ARRAY_LEN(slot_bytes) - 1, /* sizes of chunks */
    LEVELS_LEAST = 3                       /* of a heap of 8 MiB */
};

/* What warps leave of their last chunk, on average: of 32 lanes a warp makes 1.6 to 1.9 chunks of 64 bytes, not 1.33. */
#define SPARE 0.3

u32 device_heap_size(u64 bytes)
{
    enum { HEADER = 16 };
    u32 k = 0;
    while (k + 1 < HEAP_SIZES && bytes + HEADER > HEAP_SLOTS * slot_bytes[k])
        k++;
    return k;
}

enum { SLOTS_HALF = HEAP_SLOTS / 2 };

/* Slots that so many bytes need. */
static u64 slots_needed(u64 bytes)
{
    enum { HEADER = 16 };
    const u64 slot = slot_bytes[device_heap_size(bytes)], need = bytes + HEADER;
    return need / slot + (need % slot != 0);
}

u64 device_heap_slots(u64 bytes)
{
    const u64 n = slots_needed(bytes);
    if (n > SLOTS_HALF)
        return n > HEAP_SLOTS ? n : HEAP_SLOTS;
    return HEAP_SLOTS / (HEAP_SLOTS / n);
}

void device_heap_add(struct device_heap_sum *s, u64 bytes)
{
    const u64 n = slots_needed(bytes), slots = device_heap_slots(bytes);
    const struct device_heap_sum one = {
        .alike = slots, .needed = n, .large = n > SLOTS_HALF ? slots : 0, .least = n, .most = n};
    device_heap_merge(s, &one);
}

void device_heap_merge(struct device_heap_sum *s, const struct device_heap_sum *other)
{
    if (!other->most)
        return;
    s->alike += other->alike;
    s->needed += other->needed;
    s->large += other->large;
    s->least = s->most && s->least < other->least ? s->least : other->least;
    s->most = s->most > other->most ? s->most : other->most;
}

u64 device_heap_taken(const struct device_heap_sum *s)
{
    return s->least == s->most ? s->alike : s->needed > s->large ? s->needed : s->large;
}

struct heap_party heap_party_of(const struct device_call_count *n, double held)
{
    if (n->warps < 1)
        return (struct heap_party){0};
    const double all = n->warps / fmax(1, fmin(n->rounds, n->warps));
    const double warps = held > 0 ? fmax(1, fmin(all, held)) : all;
    return (struct heap_party){.warps = warps, .lanes = fmax(1, n->threads / n->warps), .rounds = n->warps / warps};
}

static double sum(const double slots[HEAP_SIZES])
{
    double n = 0;
    for (u32 k = 0; k < HEAP_SIZES; k++)
        n += slots[k];
    return n;
}

double heap_slots_each(const struct device_heap_use *u)
{
    const double n = u->taken.warps < 1 ? u->before_n : u->taken.threads;
    const double slots = sum(u->taken.warps < 1 ? u->before : u->slots);
    return n > 0 && slots > 0 ? slots / n : 1;
}

/* Of malloc's calls of a warp, those whose memory is there at once. */
static double most_alive(const struct device_heap_use *u, const struct heap_party *taken)
{
    const double kept = (u->taken.threads - u->given.threads) / taken->lanes / taken->warps;
    const double peak = u->given.warps < 1 ? taken->rounds : u->peak > 0 ? u->peak : 1;
    return fmax(1, fmin(taken->rounds, fmax(peak, kept)));
}

/* Of all warps; each has its own. */
static double own_chunks(double warps, double slots, bool shared)
{
    const double each = slots / warps;
    return warps * fmax(fmin(1, each), each / HEAP_SLOTS + (shared && each > 1 ? SPARE : 0));
}

/* Where chunks are, if each warp begins at any place of `room`. */
static double around(double chunks, double warps, double room)
{
    if (room < 1 || chunks <= 0)
        return 0;
    return fmax(chunks / HEAP_SLOTS, room * (1 - exp(-fmin(chunks, warps) / room)));
}

static double room_of(const struct device_heap_use *u, u32 level) { return u->bytes / (double)slot_bytes[level + 1]; }

/* `share` of the slots is there at once. */
static void count_chunks(const struct device_heap_use *u, double warps, const double slots[HEAP_SIZES], double share,
                         struct heap_chunks *c)
{
    const bool shared = heap_slots_each(u) < HEAP_SLOTS;
    double own = 0, up = 0, last = 0;
    for (u32 k = 0; k < LEVELS; k++) {
        const double here = k < HEAP_SIZES && slots[k] > 0 ? own_chunks(warps, slots[k] * share, shared) : 0;
        const double outer = around(last, warps, room_of(u, k));
        own += here;
        up += outer;
        last = here + outer;
        c->levels += room_of(u, k) >= 2;
    }
    c->levels = fmax(0, c->levels - LEVELS_LEAST);
    c->own = fmax(1, own / warps);
    c->around = up;
}

struct heap_chunks heap_chunks_taken(const struct device_heap_use *u, const struct heap_party *taken)
{
    struct heap_chunks c = {.calls = most_alive(u, taken), .before = sum(u->before) / HEAP_SLOTS};
    const double least[HEAP_SIZES] = {u->taken.threads};
    count_chunks(u, taken->warps, sum(u->slots) > 0 ? u->slots : least, c.calls / taken->rounds, &c);
    return c;
}

struct heap_chunks heap_chunks_given(const struct device_heap_use *u, const struct heap_party *given)
{
    const double share = u->before_n > 0 ? fmin(1, u->given.threads / u->before_n) : 0;
    struct heap_chunks c = {.calls = given->rounds, .before = sum(u->before) / HEAP_SLOTS * (1 - share)};
    count_chunks(u, given->warps, u->before, share, &c);
    return c;
}

double heap_chunks_all(const struct heap_chunks *c, const struct heap_party *p)
{
    return p->warps * c->own + c->around;
}
