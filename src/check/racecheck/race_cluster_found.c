/* race_cluster_found.c - the findings of race_cluster.c. Each is of the tool that was asked for: races are racecheck's, the
 * rest synccheck's. */
#include "check/racecheck/race_cluster.h"

#include <stdio.h>
#include <string.h>

static const struct race_site *site_of(const struct check_worker *w, const struct cluster_stamp *s)
{
    return race_site_at(w->of.racecheck_cluster->index.sites, s->site);
}

static u8 does_of(u32 flags)
{
    return flags & RACE_ATOMIC ? DOES_ATOMIC : flags & RACE_WRITES ? DOES_WRITE : DOES_READ;
}

static void set_party(struct party *p, const struct check_worker *w, const struct cluster_state *c,
                      const struct cluster_stamp *s)
{
    const struct race_site *at = site_of(w, s);
    if (at->func)
        party_place(p, at->func, at->site);
    party_thread(p, c->blocks[s->rank]->info, s->warp, s->lane);
    p->does = does_of(at->flags);
}

static void say_whose(struct finding *f, const struct cluster_block *home)
{
    const u32 *id = home->info->id;
    snprintf(f->detail, sizeof f->detail, "in the shared memory of block (%u,%u,%u), which is number %u of its cluster",
             id[0], id[1], id[2], home->rank);
}

void race_cluster_race(const struct cluster_event *e, const struct cluster_stamp *other)
{
    const struct race_site *s = site_of(e->w, &e->stamp), *o = site_of(e->w, other);
    const bool strong = e->flags & RACE_STRONG && o->flags & RACE_STRONG;
    const u64 key = race_key(e->a->func, e->a->site, o->func, o->site);
    struct finding f;
    if (strong || !s->func || !(check_of(e->w)->options.tools & CHECK_RACECHECK) ||
        check_found_again(e->w->launch, FINDING_CLUSTER_RACE, key, 1))
        return;
    finding_init(&f, FINDING_CLUSTER_RACE);
    f.space = SPACE_SHARED;
    f.has_address = f.has_other = true;
    f.address = e->a->pattern == PATTERN_CONTIGUOUS ? e->a->addr[0] + (u64)e->stamp.lane * e->a->size
                : e->a->pattern == PATTERN_UNIFORM  ? e->a->addr[__builtin_ctz(e->a->mask)]
                                                    : e->a->addr[e->stamp.lane];
    f.size = e->a->size;
    set_party(&f.at, e->w, e->me->cluster, &e->stamp);
    set_party(&f.other, e->w, e->me->cluster, other);
    f.count = f.threads = 1;
    say_whose(&f, e->home);
    check_found(e->w->launch, &f, key);
}

void race_cluster_exit(struct check_worker *w, const struct cluster_block *b, const struct cluster_stamp *user)
{
    const struct race_site *o = site_of(w, user);
    struct finding f;
    if (!o->func || !(check_of(w)->options.tools & CHECK_SYNCCHECK))
        return;
    const u64 key = finding_key(o->func, finding_place(o->func, o->site), NULL, 0);
    if (check_found_again(w->launch, FINDING_CLUSTER_EXIT, key, 1))
        return;
    finding_init(&f, FINDING_CLUSTER_EXIT);
    set_party(&f.at, w, b->cluster, user);
    f.count = f.threads = 1;
    say_whose(&f, b);
    check_found(w->launch, &f, key);
}

void race_cluster_late(struct check_worker *w, const struct exec_fault *f)
{
    const u64 key = finding_key(f->func, finding_place(f->func, f->site), NULL, 0);
    struct finding out;
    if (check_found_again(w->launch, FINDING_CLUSTER_EXIT, key, 1))
        return;
    finding_init(&out, FINDING_CLUSTER_EXIT);
    party_place(&out.at, f->func, f->site);
    out.at.kernel = f->kernel;
    out.at.has_thread = true;
    memcpy(out.at.block, f->block, sizeof out.at.block);
    memcpy(out.at.thread, f->thread, sizeof out.at.thread);
    out.at.does = f->atomic ? DOES_ATOMIC : f->write ? DOES_WRITE : DOES_READ;
    out.count = out.threads = 1;
    snprintf(out.detail, sizeof out.detail, "%.200s", f->detail);
    check_found(w->launch, &out, key);
}

void race_cluster_barrier(struct check_worker *w, const struct exec_block_info *b, const struct ir_func *func, u32 site,
                          u32 warp, u32 lanes, bool waits)
{
    const u64 key = finding_key(func, finding_place(func, site), NULL, waits);
    struct finding f;
    if (!(check_of(w)->options.tools & CHECK_SYNCCHECK) ||
        check_found_again(w->launch, FINDING_CLUSTER_BARRIER, key, 1))
        return;
    finding_init(&f, FINDING_CLUSTER_BARRIER);
    party_place(&f.at, func, site);
    party_thread(&f.at, b, warp, (unsigned)__builtin_ctz(lanes));
    f.at.does = DOES_WAIT;
    f.threads = (u32)__builtin_popcount(lanes);
    snprintf(f.detail, sizeof f.detail, "%s",
             waits ? "it waits without having arrived" : "it arrives again without having waited");
    check_found(w->launch, &f, key);
}
