/* synccheck.c - synccheck: barriers that not all threads reach, or not in the same way.
 *
 * The rules, from the PTX ISA (9.7.13.1) and the CUDA C++ programming guide (synchronization functions):
 *
 *   BARRIER_DIVERGENT
 *       All threads of a warp come to an aligned barrier (bar, barrier.aligned, __syncthreads) together. Asked when
 *       the barrier is complete, not at each arrival: lanes that come one after the other to the *same* place are
 *       together to CUDA (one of them may have waited for a flag). Wrong are lanes of one warp that met at different
 *       places, and lanes that ran on, past the barrier, to code that the others run too.
 *       Whole warps that meet from different places are legal PTX, and what kernels with roles for warps do: nothing
 *       is said of them as long as all threads come equally often. When threads of such a block exit while others
 *       still wait at that barrier, they did not, and it is an error.
 *
 *   BARRIER_EXITED, a warning
 *       Threads exited, and others use a barrier of all of the block. Since Volta the barrier waits for those that are
 *       left, so an early return works; CUDA C++ forbids it none the less. Whole warps that go round a barrier to the
 *       end of the kernel are the same to PTX.
 *
 *   BARRIER_COUNT
 *       A count is not more than the block's threads, and the same for all threads in one phase. One that is no
 *       multiple of 32 ends the kernel (memcheck_final.c). At a deadlock, also one that differs from the phase before.
 *
 *   BARRIER_MIXED
 *       Reductions (bar.red) do not meet sync or arrive in one phase.
 *
 * Invalid numbers, mbarriers that were not initialised and deadlocks are faults of the engine (memcheck_final.c); masks are
 * in synccheck_warp.c, mbarriers that were ended in synccheck_mbarrier.c. Barriers of clusters: race_cluster.c. Not seen: more warps
 * at a counted barrier than it counts, unless it ends in a deadlock; who is missing at a barrier that never completes,
 * but for the deadlock's own text. */
#include "check/synccheck/synccheck.h"

#include <stdio.h>
#include <string.h>

/* ---- blocks under way ---- */

static bool worker_begin(struct check_worker *w)
{
    w->of.synccheck = arena_new(&w->mem, struct synccheck);
    return true;
}

static struct sync_block **bucket_of(struct synccheck *c, const struct exec_block_info *b)
{
    return &c->buckets[(uintptr_t)b / 256 % SYNCCHECK_BUCKETS];
}

static struct sync_block *find(struct synccheck *c, const struct exec_block_info *b)
{
    if (c->last && c->last->block == b)
        return c->last;
    struct sync_block *s = *bucket_of(c, b);
    while (s && s->block != b)
        s = s->next;
    return c->last = s;
}

static void block_begin(struct check_worker *w, const struct exec_block_info *b)
{
    struct synccheck *c = w->of.synccheck;
    struct sync_block *s = c->free ? c->free : check_new(&w->mem, struct sync_block), **head = bucket_of(c, b);
    if (!s || b->warps > SYNCCHECK_WARPS)
        return; /* this block goes unchecked */
    if (s == c->free)
        c->free = s->next;
    s->block = b;
    s->linear = b->linear;
    s->never = b->threads % IR_LANES ? ~0u << b->threads % IR_LANES : 0;
    memset(s->exited, 0, sizeof s->exited);
    memset(s->mixed, 0, sizeof s->mixed);
    s->nended = 0;
    s->next = *head;
    *head = s;
}

static void close_phase(struct synccheck *c, struct phase *p, u32 warps)
{
    while (p->absent) {
        struct absent *a = p->absent;
        p->absent = a->next;
        a->next = c->free_absent;
        c->free_absent = a;
    }
    p->before = p->counted ? p->threads : 0;
    p->before_first = p->first;
    p->open = p->counted = p->told = p->mixed = false;
    memset(p->of_kind, 0, sizeof p->of_kind);
    memset(p->warps, 0, warps * sizeof *p->warps);
}

static void block_end(struct check_worker *w, const struct exec_block_info *b)
{
    struct synccheck *c = w->of.synccheck;
    struct sync_block **at = bucket_of(c, b);
    while (*at && (*at)->block != b)
        at = &(*at)->next;
    struct sync_block *s = *at;
    if (!s)
        return;
    for (u32 k = 0; k < SYNCCHECK_BARRIERS; k++)
        if (s->phases[k]) {
            close_phase(c, s->phases[k], SYNCCHECK_WARPS);
            s->phases[k]->before = 0;
        }
    *at = s->next;
    s->block = NULL;
    s->next = c->free;
    c->free = s;
    c->last = NULL;
}

/* NULL: no memory. */
static struct phase *phase_of(struct check_worker *w, struct sync_block *s, u32 id)
{
    if (s->phases[id])
        return s->phases[id];
    return s->phases[id] = check_new(&w->mem, struct phase);
}

/* ---- arrivals ---- */

static u32 whole_warps(u32 threads) { return (threads + IR_LANES - 1) / IR_LANES * IR_LANES; }

static bool same_place(const struct meeting *a, const struct meeting *b)
{
    return a->site == b->site && a->func == b->func;
}

static void wrong_count(struct check_worker *w, struct phase *p, const struct exec_barrier *e, const struct meeting *m)
{
    const u32 most = whole_warps(e->block->threads), count = e->threads ? e->threads : most;
    const bool many = count > most;
    struct finding f;
    u64 key;
    if ((!many && count == p->threads) || p->told)
        return;
    p->told = true;
    if (!synccheck_new(w, FINDING_BARRIER_COUNT, e->block, m, many ? NULL : &p->first, &f, &key))
        return;
    if (many)
        snprintf(f.detail, sizeof f.detail, "barrier %u waits for %u threads; the block has %u", e->id, count,
                 e->block->threads);
    else
        snprintf(f.detail, sizeof f.detail, "barrier %u: here for %u threads, where others wait for %u", e->id, count,
                 p->threads);
    check_found(w->launch, &f, key);
}

static void mixed_kinds(struct check_worker *w, struct phase *p, const struct exec_barrier *e, const struct meeting *m)
{
    const bool reduces = e->op == EXEC_BARRIER_REDUCE;
    struct finding f;
    u64 key;
    if (!p->of_kind[reduces].func)
        p->of_kind[reduces] = *m;
    const struct meeting *other = &p->of_kind[!reduces];
    if (!other->func || p->told)
        return;
    p->told = true;
    if (!synccheck_new(w, FINDING_BARRIER_MIXED, e->block, m, other, &f, &key))
        return;
    snprintf(f.detail, sizeof f.detail, "a reduction (bar.red) and a plain barrier meet at barrier %u", e->id);
    check_found(w->launch, &f, key);
}

/* Lanes of one warp are at different barriers that complete each other. */
static void parted_warp(struct check_worker *w, struct phase *p, const struct exec_barrier *e, const struct meeting *m)
{
    const struct meeting *other = &p->warps[e->warp];
    struct finding f;
    u64 key;
    if (p->told)
        return;
    p->told = true;
    if (!synccheck_new(w, FINDING_BARRIER_DIVERGENT, e->block, other, m, &f, &key))
        return;
    snprintf(f.what, sizeof f.what, "Barrier error detected. Divergent thread(s) in warp");
    snprintf(f.detail, sizeof f.detail,
             "threads of one warp wait at different barriers: lanes 0x%08x here, lanes 0x%08x there", other->lanes,
             m->lanes);
    check_found(w->launch, &f, key);
}

/* NULL: no memory. */
static struct absent *new_absent(struct check_worker *w, struct phase *p, u32 warp, const struct exec_place *place)
{
    struct synccheck *c = w->of.synccheck;
    struct absent *a = c->free_absent ? c->free_absent : check_new(&w->mem, struct absent);
    if (!a)
        return NULL;
    if (a == c->free_absent)
        c->free_absent = a->next;
    *a = (struct absent){.next = p->absent, .warp = warp, .place = *place};
    return p->absent = a;
}

/* Remembers the lanes of the warp that are elsewhere now, unless they are about to leave: at the release it is known
 * whether they came. */
static void note_absent(struct check_worker *w, const struct sync_block *s, struct phase *p,
                        const struct exec_barrier *e, u32 missing)
{
    for (; missing; missing &= missing - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(missing);
        struct exec_place place;
        if (!exec_lane_at(s->block, e->warp, lane, &place) || synccheck_leaves(&place))
            continue;
        struct absent *a = p->absent;
        while (a && !(a->warp == e->warp && a->place.func == place.func && a->place.site == place.site))
            a = a->next;
        if (!a)
            a = new_absent(w, p, e->warp, &place);
        if (a)
            a->lanes |= 1u << lane;
    }
}

static void open_phase(struct phase *p, const struct exec_barrier *e, const struct meeting *m)
{
    p->open = true;
    p->counted = e->threads != 0;
    p->threads = e->threads ? e->threads : whole_warps(e->block->threads);
    p->first = *m;
}

static void on_barrier(struct check_worker *w, const struct exec_barrier *e)
{
    struct sync_block *s = find(w->of.synccheck, e->block);
    struct phase *p = s && e->id < SYNCCHECK_BARRIERS ? phase_of(w, s, e->id) : NULL;
    if (!p)
        return;
    const struct meeting m = {.func = e->func, .site = e->site, .warp = e->warp, .lanes = e->mask};
    struct meeting *mine = &p->warps[e->warp];
    if (!p->open)
        open_phase(p, e, &m);
    wrong_count(w, p, e, &m);
    mixed_kinds(w, p, e, &m);
    p->mixed |= !same_place(&p->first, &m);
    if (!mine->func)
        *mine = m;
    else if (!same_place(mine, &m) && e->aligned && m.lanes & ~mine->lanes) /* none had arrived before and gone on */
        parted_warp(w, p, e, &m);
    mine->lanes |= m.lanes;
    const u32 missing = ~e->exited & ~mine->lanes;
    if (missing && e->aligned)
        note_absent(w, s, p, e, missing);
}

/* ---- releases ---- */

static unsigned count_lanes(const u32 *lanes, u32 n)
{
    unsigned sum = 0;
    for (u32 k = 0; k < n; k++)
        sum += (unsigned)__builtin_popcount(lanes[k]);
    return sum;
}

/* Lanes that ran past a barrier where others of their warp waited. Those that returned early have parted for good. */
static bool ran_past(struct check_worker *w, const struct sync_block *s, struct phase *p, const u32 *lanes)
{
    for (const struct absent *a = p->absent; a; a = a->next) {
        const u32 gone = a->lanes & ~lanes[a->warp];
        const struct meeting *m = &p->warps[a->warp];
        const struct meeting other = {.func = a->place.func, .site = a->place.site, .warp = a->warp, .lanes = gone};
        struct finding f;
        u64 key;
        if (!gone || !synccheck_passed(&a->place, m->func, m->site))
            continue;
        if (!synccheck_new(w, FINDING_BARRIER_DIVERGENT, s->block, m, NULL, &f, &key))
            return true;
        f.has_other = true;
        synccheck_party(&f.other, s->block, &other);
        f.other.does = DOES_NOTHING;
        snprintf(f.what, sizeof f.what, "Barrier error detected. Divergent thread(s) in warp");
        snprintf(f.detail, sizeof f.detail,
                 "%d of the warp's threads came to the barrier (lanes 0x%08x), %d did not (0x%08x)",
                 __builtin_popcount(lanes[a->warp]), lanes[a->warp], __builtin_popcount(gone), gone);
        check_found(w->launch, &f, key);
        return true;
    }
    return false;
}

/* The first thread of the block that has exited; false: none has. */
static bool first_exited(const struct sync_block *s, struct party *p)
{
    for (u32 k = 0; k < s->block->warps; k++)
        if (s->exited[k]) {
            party_thread(p, s->block, k, (unsigned)__builtin_ctz(s->exited[k]));
            return true;
        }
    return false;
}

/* The warps of the block met at barrier 0 from different places, and now some have exited while others still wait. */
static bool unequal(struct check_worker *w, struct sync_block *s)
{
    struct finding f;
    u64 key;
    if (!s->mixed[0].func)
        return false;
    if (synccheck_new(w, FINDING_BARRIER_DIVERGENT, s->block, &s->mixed[0], &s->mixed[1], &f, &key)) {
        snprintf(f.what, sizeof f.what, "Barrier error detected. Divergent thread(s) in block");
        snprintf(f.detail, sizeof f.detail,
                 "warps of the block wait at different barriers, and come there unequally often");
        check_found(w->launch, &f, key);
    }
    memset(s->mixed, 0, sizeof s->mixed);
    return true;
}

static void without_exited(struct check_worker *w, const struct sync_block *s, const struct phase *p)
{
    const unsigned exited = count_lanes(s->exited, s->block->warps);
    struct finding f;
    u64 key;
    if (!exited || !synccheck_new(w, FINDING_BARRIER_EXITED, s->block, &p->first, NULL, &f, &key))
        return;
    f.threads = s->block->threads - exited;
    f.has_other = first_exited(s, &f.other);
    snprintf(f.detail, sizeof f.detail, "%u of the block's %u threads have exited and do not come to it", exited,
             s->block->threads);
    check_found(w->launch, &f, key);
}

/* The first two warps that met from different places. */
static void note_mixed(struct sync_block *s, const struct phase *p)
{
    if (s->mixed[0].func)
        return;
    for (u32 k = 0; k < s->block->warps; k++)
        if (p->warps[k].func && !same_place(&p->first, &p->warps[k])) {
            s->mixed[0] = p->first;
            s->mixed[1] = p->warps[k];
            return;
        }
}

static void on_release(struct check_worker *w, const struct exec_block_info *b, u32 id, const u32 *lanes)
{
    struct sync_block *s = find(w->of.synccheck, b);
    struct phase *p = s && id < SYNCCHECK_BARRIERS ? s->phases[id] : NULL;
    if (!p || !p->open)
        return;
    if (p->absent && !p->told)
        p->told = ran_past(w, s, p, lanes);
    if (!p->counted && !p->told) {
        if (p->mixed && id == 0)
            note_mixed(s, p);
        if (count_lanes(lanes, b->warps) < b->threads && !(id == 0 && unequal(w, s)))
            without_exited(w, s, p);
    }
    close_phase(w->of.synccheck, p, b->warps);
}

/* ---- the rest ---- */

static void on_exit_lanes(struct check_worker *w, const struct exec_block_info *b, u32 warp, u32 mask)
{
    struct sync_block *s = find(w->of.synccheck, b);
    if (s)
        s->exited[warp] |= mask & synccheck_real(s, warp);
}

static void on_warp_sync(struct check_worker *w, const struct exec_warp_sync *e)
{
    if (!(e->lanes & ~e->members) && !(e->reads & ~e->lanes))
        return;
    const struct sync_block *s = find(w->of.synccheck, e->block);
    if (s)
        synccheck_warp(w, s, e);
}

static void on_order(struct check_worker *w, const struct exec_order *o)
{
    if (!o->dead && o->op != EXEC_MBARRIER_INVAL)
        return;
    struct sync_block *s = find(w->of.synccheck, o->block);
    if (s)
        synccheck_order(w, s, o);
}

/* ---- deadlocks ---- */

static void party_of(struct party *p, const struct check_launch *l, u64 block, const struct meeting *m)
{
    party_place(p, m->func, m->site);
    party_thread_linear(p, l->exec, block, m->warp * IR_LANES + (u32)__builtin_ctz(m->lanes));
    p->does = DOES_WAIT;
}

/* Some wait at a counted barrier for ever, that others passed with another count. */
static void stuck_count(struct check_launch *l, const struct sync_block *s, u32 id)
{
    const struct phase *p = s->phases[id];
    struct finding f;
    if (!p || !p->open || !p->counted || p->told || !p->before || p->before == p->threads)
        return;
    finding_init(&f, FINDING_BARRIER_COUNT);
    party_of(&f.at, l, s->linear, &p->first);
    party_of(&f.other, l, s->linear, &p->before_first);
    f.has_other = true;
    f.threads = (u32)__builtin_popcount(p->first.lanes);
    snprintf(f.detail, sizeof f.detail, "barrier %u: here for %u threads, which never come; before it was for %u", id,
             p->threads, p->before);
    check_found(l, &f, finding_key(p->first.func, p->first.site, p->before_first.func, p->before_first.site));
}

/* The blocks that were under way are ours; the engine's own are gone. */
static void launch_end(struct check_launch *l, enum ls_status status, const struct exec_fault *fault)
{
    if (status != LS_ERR_FAULT || !fault || fault->kind != FAULT_DEADLOCK)
        return;
    for (const struct check_worker *w = l->workers; w; w = w->next)
        for (u32 k = 0; k < SYNCCHECK_BUCKETS && w->of.synccheck; k++)
            for (const struct sync_block *s = w->of.synccheck->buckets[k]; s; s = s->next)
                for (u32 id = 0; id < SYNCCHECK_BARRIERS; id++)
                    stuck_count(l, s, id);
}

const struct check_instrument instrument_synccheck = {.tools = CHECK_SYNCCHECK,
                                                      .worker_begin = worker_begin,
                                                      .block_begin = block_begin,
                                                      .block_end = block_end,
                                                      .barrier = on_barrier,
                                                      .release = on_release,
                                                      .warp_sync = on_warp_sync,
                                                      .order = on_order,
                                                      .exit = on_exit_lanes,
                                                      .launch_end = launch_end};
