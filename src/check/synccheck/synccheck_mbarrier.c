/* synccheck_mbarrier.c - synccheck: mbarriers that are used behind their mbarrier.inval.
 *
 * Behind mbarrier.inval only mbarrier.init may touch the object (PTX ISA 9.7.13.15.10); every other operation is
 * undefined, a second mbarrier.inval and a wait too. A GPU, and so `lockstep run`, lets the object work on, and such a
 * program usually gets away with it: threads that come late to a phase that is over find it over. It is an error none
 * the less, since the memory may be something else by then. What was never initialised is a fault of the engine. */
#include <inttypes.h>
#include <stdio.h>

#include "check/synccheck/synccheck.h"

/* Remembers who ended the object, for a finding about it. */
static void note_end(struct sync_block *s, const struct exec_order *o)
{
    for (u32 left = o->mask & ~o->dead; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        s->ended[s->nended++ % SYNCCHECK_ENDED] = (struct ended){
            .at = o->addr[lane], .by = {.func = o->func, .site = o->site, .warp = o->warp, .lanes = 1u << lane}};
    }
}

static const struct meeting *who_ended(const struct sync_block *s, u64 at)
{
    const u32 n = s->nended < SYNCCHECK_ENDED ? s->nended : SYNCCHECK_ENDED;
    for (u32 k = 0; k < n; k++)
        if (s->ended[k].at == at)
            return &s->ended[k].by;
    return NULL;
}

static void used_dead(struct check_worker *w, const struct sync_block *s, const struct exec_order *o)
{
    const struct meeting m = {.func = o->func, .site = o->site, .warp = o->warp, .lanes = o->dead};
    const u64 at = o->addr[__builtin_ctz(o->dead)];
    const struct meeting *by = who_ended(s, at);
    struct finding f;
    u64 key;
    if (!synccheck_new(w, FINDING_MBARRIER_INVALID, o->block, &m, by, &f, &key))
        return;
    f.at.does = o->op == EXEC_MBARRIER_WAIT ? DOES_WAIT : DOES_NOTHING;
    f.other.does = DOES_NOTHING;
    snprintf(f.detail, sizeof f.detail,
             "mbarrier.inval has ended the mbarrier at 0x%" PRIx64 " of shared memory: only mbarrier.init may follow",
             at);
    check_found(w->launch, &f, key);
}

void synccheck_order(struct check_worker *w, struct sync_block *s, const struct exec_order *o)
{
    if (o->dead)
        used_dead(w, s, o);
    if (o->op == EXEC_MBARRIER_INVAL)
        note_end(s, o);
}
