/* race_cluster.c - the blocks of a cluster and each other's shared memory (race_cluster.h has the state). */
#include "check/racecheck/race_cluster.h"

#include <string.h>

/* ---- blocks under way ---- */

static bool wanted(struct check_launch *l)
{
    const u32 *c = l->exec->cluster;
    return (u64)c[0] * c[1] * c[2] > 1 && (u64)c[0] * c[1] * c[2] <= CLUSTER_RANKS;
}

static bool worker_begin(struct check_worker *w)
{
    struct race_cluster *r = arena_new(&w->mem, struct race_cluster);
    r->index.mem = &w->mem;
    w->of.racecheck_cluster = r;
    return (r->index.sites = race_sites_new(65535)) != NULL;
}

static void launch_end(struct check_launch *l, enum ls_status s, const struct exec_fault *fault)
{
    (void)s, (void)fault;
    for (struct check_worker *w = l->workers; w; w = w->next)
        if (w->of.racecheck_cluster)
            race_sites_free(w->of.racecheck_cluster->index.sites);
}

static struct cluster_block *find(struct race_cluster *r, const struct exec_block_info *info)
{
    if (r->now && r->now->info == info)
        return r->now;
    for (struct cluster_block *b = r->all; b; b = b->next)
        if (b->info == info)
            return r->now = b;
    return NULL;
}

/* The cluster of the block, which may be its first; NULL: no memory. */
static struct cluster_state *cluster_of(struct check_worker *w, const struct exec_block_info *info)
{
    struct race_cluster *r = w->of.racecheck_cluster;
    for (struct cluster_block *b = r->all; b; b = b->next)
        if (b->cluster && b->cluster->first == info->cluster)
            return b->cluster;
    struct cluster_state *c = r->free ? r->free : check_new(&w->mem, struct cluster_state);
    if (!c)
        return NULL;
    if (c == r->free)
        r->free = c->next;
    *c = (struct cluster_state){.first = info->cluster};
    return c;
}

/* Blocks are kept for those to come: they all have the same shape. */
static struct cluster_block *take_block(struct check_worker *w, const struct exec_block_info *info)
{
    struct race_cluster *r = w->of.racecheck_cluster;
    for (struct cluster_block *b = r->all; b; b = b->next)
        if (!b->cluster)
            return b;
    struct cluster_block *b = check_new(&w->mem, struct cluster_block);
    const u32 n = (u32)(info->reserved_at / CLUSTER_WORD + 1);
    if (!b || !(b->words = check_array(&w->mem, struct cluster_word, n)))
        return NULL;
    b->nwords = n;
    b->next = r->all;
    return r->all = b;
}

static void block_begin(struct check_worker *w, const struct exec_block_info *info)
{
    struct cluster_block *b = info->rank < CLUSTER_RANKS ? take_block(w, info) : NULL;
    struct cluster_state *c = b ? cluster_of(w, info) : NULL;
    if (!c)
        return; /* no memory: this block goes unchecked */
    struct cluster_word *words = b->words;
    struct cluster_block *next = b->next;
    const u32 nwords = b->nwords;
    *b = (struct cluster_block){
        .info = info, .next = next, .cluster = c, .rank = info->rank, .clock = 1, .nwords = nwords, .words = words};
    memset(words, 0, nwords * sizeof *words);
    c->blocks[b->rank] = b;
    c->live++;
}

/* All that know of the block's end have used its memory before, or not at all. */
static void block_end(struct check_worker *w, const struct exec_block_info *info)
{
    struct race_cluster *r = w->of.racecheck_cluster;
    struct cluster_block *b = find(r, info);
    if (!b)
        return;
    for (u32 k = 0; k < CLUSTER_RANKS; k++)
        if (b->users[k].clock && b->users[k].clock >= b->knows[k])
            race_cluster_exit(w, b, &b->users[k]);
    struct cluster_state *c = b->cluster;
    if (--c->live)
        return; /* others' findings may name it */
    for (u32 k = 0; k < CLUSTER_RANKS; k++)
        if (c->blocks[k]) {
            c->blocks[k]->cluster = NULL;
            c->blocks[k]->info = NULL;
        }
    r->now = NULL;
    c->next = r->free;
    r->free = c;
}

/* ---- order ---- */

static void join(u32 *to, const u32 *from)
{
    for (u32 k = 0; k < CLUSTER_RANKS; k++)
        to[k] = to[k] > from[k] ? to[k] : from[k];
}

/* Leaves what the block did and knows. */
static void hand_on(struct cluster_block *b, u32 *to)
{
    b->knows[b->rank] = ++b->clock;
    join(to, b->knows);
}

/* All blocks of the cluster are told of the release before one of them goes on: the first brings all together. */
static void on_release(struct check_worker *w, const struct exec_block_info *info, u32 id, const u32 *lanes)
{
    enum { CLUSTER_BARRIER = 16 };
    (void)lanes;
    struct cluster_block *b = id == CLUSTER_BARRIER ? find(w->of.racecheck_cluster, info) : NULL;
    u32 all[CLUSTER_RANKS] = {0};
    if (!b || ++b->releases <= b->joined)
        return;
    for (u32 k = 0; k < CLUSTER_RANKS; k++)
        if (b->cluster->blocks[k])
            hand_on(b->cluster->blocks[k], all);
    for (u32 k = 0; k < CLUSTER_RANKS; k++)
        if (b->cluster->blocks[k]) {
            join(b->cluster->blocks[k]->knows, all);
            b->cluster->blocks[k]->joined++;
        }
}

static void fence(struct cluster_block *b)
{
    hand_on(b, b->cluster->fenced);
    join(b->knows, b->cluster->fenced);
}

static u32 *channel_of(struct cluster_block *b, u64 offset) { return b->channels[offset / 8 % CLUSTER_CHANNELS]; }

static void on_order(struct check_worker *w, const struct exec_order *o)
{
    struct cluster_block *b = find(w->of.racecheck_cluster, o->block);
    if (b && o->op == EXEC_FENCE && o->scope >= EXEC_SCOPE_CLUSTER)
        fence(b);
    for (u32 left = b && o->op == EXEC_MBARRIER_WAIT && o->addr ? o->mask : 0; left; left &= left - 1)
        join(b->knows, channel_of(b, o->addr[__builtin_ctz(left)]));
}

static void use(struct cluster_block *me, struct cluster_block *home, const struct cluster_stamp *s)
{
    if (me != home)
        home->users[me->rank] = *s;
}

static void on_far_order(struct check_worker *w, const struct exec_order *o, const struct exec_block_info *info)
{
    struct race_cluster *r = w->of.racecheck_cluster;
    struct cluster_block *home = find(r, info), *me = find(r, o->block);
    if (!me || !home)
        return;
    if (o->op == EXEC_CLUSTER_WAIT) {
        const u32 early = o->mask & ~me->arrived[o->warp];
        me->arrived[o->warp] &= ~o->mask;
        if (early)
            race_cluster_barrier(w, info, o->func, o->site, o->warp, early, true);
        return;
    }
    const u32 lane = (u32)__builtin_ctz(o->mask);
    const struct exec_access a = {.func = o->func, .site = o->site};
    const struct cluster_stamp s = {.clock = me->clock,
                                    .site = (u16)race_site_of(&r->index, &a),
                                    .rank = (u8)me->rank,
                                    .warp = (u8)o->warp,
                                    .lane = (u8)lane};
    use(me, home, &s);
    hand_on(me, channel_of(home, o->addr[lane]));
}

static void on_barrier(struct check_worker *w, const struct exec_barrier *e)
{
    enum { CLUSTER_BARRIER = 16 };
    struct cluster_block *b = e->id == CLUSTER_BARRIER ? find(w->of.racecheck_cluster, e->block) : NULL;
    if (!b)
        return;
    const u32 again = e->mask & b->arrived[e->warp];
    b->arrived[e->warp] |= e->mask;
    if (again)
        race_cluster_barrier(w, e->block, e->func, e->site, e->warp, again, false);
}

/* ---- accesses ---- */

static bool unordered(const struct cluster_event *e, const struct cluster_stamp *s)
{
    return s->clock && s->rank != e->me->rank && s->bytes & e->stamp.bytes && s->clock >= e->me->knows[s->rank];
}

static void touch_word(const struct cluster_event *e, struct cluster_word *x)
{
    const bool writes = e->flags & RACE_WRITES;
    const struct cluster_stamp *bad = unordered(e, &x->wrote)             ? &x->wrote
                                      : writes && unordered(e, &x->read)  ? &x->read
                                      : writes && unordered(e, &x->read2) ? &x->read2
                                                                          : NULL;
    if (LS_UNLIKELY(bad != NULL))
        race_cluster_race(e, bad);
    if (writes) {
        x->wrote = e->stamp;
        return;
    }
    if (x->read.rank != e->stamp.rank)
        x->read2 = x->read;
    x->read = e->stamp;
}

static u64 offset_of(const struct exec_access *a, u32 lane)
{
    return a->pattern == PATTERN_CONTIGUOUS ? a->addr[0] + (u64)lane * a->size
           : a->pattern == PATTERN_UNIFORM  ? a->addr[__builtin_ctz(a->mask)]
                                            : a->addr[lane];
}

static void touch_lane(struct cluster_event *e, struct cluster_block *home, u64 at)
{
    const u64 end = at + e->a->size;
    for (u64 word = at / CLUSTER_WORD; word * CLUSTER_WORD < end && word < home->nwords; word++) {
        const u64 lo = at > word * CLUSTER_WORD ? at - word * CLUSTER_WORD : 0;
        const u64 hi = end - word * CLUSTER_WORD < CLUSTER_WORD ? end - word * CLUSTER_WORD : CLUSTER_WORD;
        e->stamp.bytes = (u8)((1u << hi) - (1u << lo));
        touch_word(e, &home->words[word]);
    }
}

static void touch(struct check_worker *w, const struct exec_access *a, struct cluster_block *me,
                  struct cluster_block *home)
{
    struct race_cluster *r = w->of.racecheck_cluster;
    const u32 number = race_site_of(&r->index, a);
    struct cluster_event e = {
        .w = w, .a = a, .me = me, .home = home, .flags = race_site_at(r->index.sites, number)->flags};
    if (a->op != ACCESS_LD)
        e.flags |= RACE_WRITES;
    else if (a->uncounted)
        e.flags &= ~(u32)RACE_WRITES; /* one side of a bulk copy */
    if (e.flags & (RACE_RELAXED | RACE_RELEASE))
        fence(me);
    e.stamp =
        (struct cluster_stamp){.clock = me->clock, .site = (u16)number, .rank = (u8)me->rank, .warp = (u8)a->warp};
    for (u32 m = a->mask; m; m &= m - 1) {
        e.stamp.lane = (u8)__builtin_ctz(m);
        touch_lane(&e, home, offset_of(a, e.stamp.lane));
    }
    use(me, home, &e.stamp);
}

static void on_access(struct check_worker *w, const struct exec_access *a)
{
    struct cluster_block *b = a->space == SPACE_SHARED ? find(w->of.racecheck_cluster, a->block) : NULL;
    if (b)
        touch(w, a, b, b);
}

static void on_far_access(struct check_worker *w, const struct exec_access *a, const struct exec_block_info *info)
{
    struct race_cluster *r = w->of.racecheck_cluster;
    struct cluster_block *home = find(r, info), *me = find(r, a->block);
    if (home && me)
        touch(w, a, me, home);
}

/* The block has exited already, in this run. */
static bool on_fault(struct check_worker *w, const struct exec_block_info *b, const struct exec_fault *f)
{
    (void)b;
    const bool late = f->kind == FAULT_CLUSTER_GONE && f->func && strstr(f->detail, "exited") &&
                      check_of(w)->options.tools & CHECK_SYNCCHECK;
    if (late)
        race_cluster_late(w, f);
    return late;
}

const struct check_instrument instrument_racecheck_cluster = {.tools = CHECK_RACECHECK | CHECK_SYNCCHECK,
                                                              .wanted = wanted,
                                                              .worker_begin = worker_begin,
                                                              .launch_end = launch_end,
                                                              .block_begin = block_begin,
                                                              .block_end = block_end,
                                                              .access = on_access,
                                                              .far_access = on_far_access,
                                                              .order = on_order,
                                                              .far_order = on_far_order,
                                                              .barrier = on_barrier,
                                                              .release = on_release,
                                                              .fault = on_fault};
