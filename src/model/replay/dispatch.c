/* dispatch.c - see dispatch.h. */
#include "model/replay/dispatch.h"

#include <math.h>

/* Warps of a block that end together. The end is a progress of their SM: machine instructions that each warp that was there all the time has
 * done by then. */
struct group {
    double end;
    u32 warps;
    bool last; /* of its block */
};

struct one_sm {
    double now, progress;
    double next;          /* when its next warps end; INFINITY: it has none */
    double present;       /* warps x cycles */
    u32 warps, held;      /* that are there, and blocks */
    struct group *groups; /* REPLAY_GROUPS + 1 of each block at most */
    u32 n;
};

static double pace_at(const struct dispatch_pace *p, double warps)
{
    return fmax(p->alone + p->more * fmax(0, warps - p->alone_warps), p->busy * warps);
}

static u32 first_to_end(const struct one_sm *s)
{
    u32 best = 0;
    for (u32 k = 1; k < s->n; k++)
        best = s->groups[k].end < s->groups[best].end ? k : best;
    return best;
}

static void set_next(struct one_sm *s, const struct dispatch_pace *p)
{
    s->next = s->n ? s->now + (s->groups[first_to_end(s)].end - s->progress) * pace_at(p, s->warps) : INFINITY;
}

static bool has_room(const struct one_sm *s, const struct replay_launch *l)
{
    return s->warps + l->warps <= l->slots && s->held < l->places;
}

/* Blocks that cost the same end at different times on a GPU. Here each takes up to so much more or less; else of SMs that end together one would take
 * all blocks that it has room for, and the others none. */
static double uneven(u64 block)
{
    const double most = 0.03;
    const u64 h = (block + 1) * 0x9e3779b97f4a7c15ull;
    return 1 + most * ((double)((h ^ h >> 29) * 0xbf58476d1ce4e5b9ull >> 40) / (1 << 23) - 1);
}

static void begin(struct one_sm *s, u32 warps, const struct replay_size *sizes, u64 block, double first)
{
    const struct replay_size *size = &sizes[block];
    const double times = uneven(block), from = s->progress + first * times;
    for (u32 g = 0; g < REPLAY_GROUPS; g++) {
        const u32 n = replay_group_begin(warps, g + 1) - replay_group_begin(warps, g);
        if (n)
            s->groups[s->n++] = (struct group){.end = from + size->others[g] * times, .warps = n};
    }
    s->groups[s->n++] = (struct group){.end = from + size->longest * times, .warps = 1, .last = true};
    s->warps += warps;
    s->held++;
}

static void end_first(struct one_sm *s)
{
    const u32 k = first_to_end(s);
    const struct group ends = s->groups[k];
    s->present += s->warps * (s->next - s->now);
    s->now = s->next;
    s->progress = ends.end;
    s->warps -= ends.warps;
    s->held -= ends.last;
    s->groups[k] = s->groups[--s->n];
}

static struct one_sm *earliest(struct one_sm *sms, u32 n)
{
    struct one_sm *best = sms;
    for (u32 k = 1; k < n; k++)
        best = sms[k].next < best->next ? &sms[k] : best;
    return best;
}

static struct dispatched sum_up(const struct one_sm *all, u32 n)
{
    struct dispatched d = {0};
    double worked = 0, present = 0;
    for (u32 k = 0; k < n; k++) {
        d.last = fmax(d.last, all[k].now);
        worked += all[k].now;
        present += all[k].present;
    }
    d.mean = n ? worked / n : 0;
    d.warps = worked > 0 ? present / worked : 0;
    return d;
}

struct dispatched dispatch(struct arena *mem, const struct replay_launch *l, const struct replay_size *blocks, u64 n,
                           u32 sms, const struct dispatch_pace *pace)
{
    const u32 active = n < sms ? (u32)n : sms;
    const u64 at_once = (u64)active * l->resident;
    struct one_sm *all = arena_array(mem, struct one_sm, active + 1);
    u64 next = 0;
    for (u32 k = 0; k < active; k++)
        all[k].groups = arena_array(mem, struct group, (REPLAY_GROUPS + 1) * l->places);
    for (; next < n && next < at_once; next++)
        begin(&all[next % active], l->warps, blocks, next, pace->first);
    for (u32 k = 0; k < active; k++)
        set_next(&all[k], pace);
    for (struct one_sm *s; active && (s = earliest(all, active))->next < INFINITY; set_next(s, pace)) {
        end_first(s);
        for (; next < n && has_room(s, l); next++)
            begin(s, l->warps, blocks, next, pace->first);
    }
    return sum_up(all, active);
}
