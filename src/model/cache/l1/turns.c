/* turns.c - see turns.h. */
#include "model/cache/l1/turns.h"

#include <math.h>
#include <string.h>

#include "base/larger.h"

/* Cycles until what was loaded is there from behind L1, as H200's kernels of tile_reads.cu have them: cold caches, and all SMs ask.
 * SMs and times differ by up to SPREAD of that. */
#define FAR 1000.0
#define SPREAD 0.05

bool turns_are_scarce(u32 n, double pace) { return (n / TURNS_SCHEDULERS - 1.0) * pace > FAR; }

/* ---- schedulers ---- */

static bool goes_before(const struct turn *a, const struct turn *b)
{
    return a->block != b->block ? a->block < b->block : a->last < b->last;
}

/* Of its warps that are ready first. A block's warps are at the schedulers in turn. */
static void choose(struct turns *t, u32 scheduler)
{
    double first = INFINITY;
    u32 best = UINT32_MAX;
    for (u32 k = 0; k < t->n; k++)
        if (t->of[k].scheduler == scheduler)
            first = smaller(first, t->of[k].ready);
    first = larger(first, t->free[scheduler]);
    for (u32 k = 0; k < t->n && first < INFINITY; k++)
        if (t->of[k].scheduler == scheduler && t->of[k].ready <= first &&
            (best == UINT32_MAX || goes_before(&t->of[k], &t->of[best])))
            best = k;
    t->next[scheduler] = first;
    t->best[scheduler] = best;
}

u32 turns_next(const struct turns *t)
{
    u32 first = 0;
    for (u32 c = 1; c < TURNS_SCHEDULERS; c++)
        if (t->next[c] < t->next[first])
            first = c;
    return t->next[first] < INFINITY ? t->best[first] : UINT32_MAX;
}

/* ---- memory ---- */

static double is_there(struct turns *t, double now, u64 line, bool missed)
{
    struct flying *f = &t->flying[(line * 0x9e3779b97f4a7c15ull) >> 56];
    _Static_assert(TURNS_FLYING == 1 << 8, "of eight bits of the hash");
    if (missed) {
        t->random = t->random * 6364136223846793005ull + 1442695040888963407ull;
        const double spread = (double)(t->random >> 40) / (1 << 23) - 1;
        *f = (struct flying){line, now + FAR * (1 + SPREAD * spread)};
    }
    return larger(now + TURNS_NEAR, f->line == line ? f->there : 0);
}

void turns_took(struct turns *t, u32 k, bool waits, u64 line, bool missed)
{
    struct turn *turn = &t->of[k];
    const double until = t->next[turn->scheduler] + t->pace;
    t->free[turn->scheduler] = turn->last = until;
    turn->ready = waits ? is_there(t, until, line, missed) : until;
    choose(t, turn->scheduler);
}

/* ---- barriers ---- */

static bool is_over(const struct requests *r) { return r->next >= r->len; }

bool turns_pass(struct requests *const *streams, u32 n)
{
    u32 earliest = UINT32_MAX;
    for (u32 k = 0; k < n; k++) {
        if (is_over(streams[k]))
            continue;
        if (!turns_waits(streams[k]))
            return false;
        const u32 barrier = request_barrier(streams[k]->at[streams[k]->next]);
        earliest = barrier < earliest ? barrier : earliest;
    }
    for (u32 k = 0; k < n; k++)
        if (!is_over(streams[k]))
            streams[k]->passes = earliest;
    return true;
}

/* Stream k's block, where all of its warps wait. */
static void release(struct turns *t, struct requests *const *streams, u32 k)
{
    u32 from = k, end = k + 1;
    double open = t->of[k].came;
    while (from && t->of[from - 1].block == t->of[k].block)
        from--;
    while (end < t->n && t->of[end].block == t->of[k].block)
        end++;
    if (!turns_pass(streams + from, end - from))
        return;
    for (u32 i = from; i < end; i++)
        open = is_over(streams[i]) ? open : larger(open, t->of[i].came);
    for (u32 i = from; i < end; i++)
        if (!is_over(streams[i]) && !turns_waits(streams[i]))
            t->of[i].ready = open;
    for (u32 c = 0; c < TURNS_SCHEDULERS; c++)
        choose(t, c);
}

void turns_stop(struct turns *t, struct requests *const *streams, u32 k)
{
    t->of[k].came = t->of[k].ready;
    t->of[k].ready = INFINITY;
    choose(t, t->of[k].scheduler);
    release(t, streams, k);
}

/* ---- all ---- */

void turns_begin(struct turns *t, struct turn *of, struct requests *const *streams, u32 n, double pace, u64 seed)
{
    *t = (struct turns){.of = of, .n = n, .pace = pace, .random = seed * 0x9e3779b97f4a7c15ull + 1};
    memset(t->flying, 255, sizeof t->flying);
    for (u32 k = 0; k < n; k++) {
        const bool same = k && streams[k]->block == streams[k - 1]->block;
        of[k] = (struct turn){.block = streams[k]->block,
                              .scheduler = same ? (of[k - 1].scheduler + 1) % TURNS_SCHEDULERS : 0,
                              .ready = turns_waits(streams[k]) ? INFINITY : 0};
    }
    for (u32 c = 0; c < TURNS_SCHEDULERS; c++)
        choose(t, c);
    for (u32 k = 0; k < n; k++)
        if (!k || of[k].block != of[k - 1].block)
            release(t, streams, k);
}
