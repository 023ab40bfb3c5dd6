/* synccheck_tell.c - the findings of synccheck: parties and counts. */
#include "check/synccheck/synccheck.h"

void synccheck_party(struct party *p, const struct exec_block_info *b, const struct meeting *m)
{
    party_place(p, m->func, m->site);
    if (m->lanes)
        party_thread(p, b, m->warp, (unsigned)__builtin_ctz(m->lanes));
    p->does = DOES_WAIT;
}

bool synccheck_new(struct check_worker *w, enum finding_kind kind, const struct exec_block_info *b,
                   const struct meeting *m, const struct meeting *other, struct finding *f, u64 *key)
{
    *key = finding_key(m->func, finding_place(m->func, m->site), other ? other->func : NULL,
                       other ? finding_place(other->func, other->site) : 0);
    finding_init(f, kind);
    f->threads = (u32)__builtin_popcount(m->lanes);
    synccheck_party(&f->at, b, m);
    f->has_other = other != NULL;
    if (other)
        synccheck_party(&f->other, b, other);
    return !check_found_again(w->launch, kind, *key, 1);
}
