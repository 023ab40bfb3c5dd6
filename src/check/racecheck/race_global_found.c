/* race_global_found.c - the close look at a cell of device memory, and the finding: within a launch a race in global
 * memory, between launches a race of streams.
 *
 * Not a hazard: two strong accesses (atomic, relaxed, volatile), unless both are volatile and by lanes of one warp,
 * which nothing orders but __syncwarp(), in a block that has executed no fence; accesses of different bytes of a word.
 * A store of what memory holds is only a warning. */
#include <stdio.h>
#include <string.h>

#include "check/racecheck/race_global.h"

/* ---- the other side ---- */

struct other {
    struct race_past launch;        /* number 0: this launch */
    const struct race_site *site;   /* this launch's */
    const struct race_place *place; /* another's */
    u64 block;
    u32 thread, number;
};

static bool find_other(const struct global_event *e, u64 stamp, struct other *o)
{
    struct race_plane *p = e->w->launch->check->of.racecheck;
    const struct race_launch *x = e->w->of.racecheck->launch;
    const struct race_chunk chunk = p->chunks[stamp_serial(stamp) >> G_CHUNK_BITS];
    *o = (struct other){.block = chunk.block, .thread = stamp_thread(stamp), .number = stamp_number(stamp)};
    if (chunk.launch == x->number) {
        o->site = race_site_at(x->kernel->sites, o->number);
        return true;
    }
    pthread_mutex_lock(&p->lock);
    o->launch = p->past[chunk.launch % RACE_LAUNCHES];
    o->place = o->launch.kernel ? race_place_of(o->launch.kernel, o->number) : NULL;
    pthread_mutex_unlock(&p->lock);
    return o->launch.number == chunk.launch;
}

static u32 flags_of(const struct global_event *e, u32 number)
{
    return number ? race_site_at(e->w->of.racecheck->launch->kernel->sites, number)->flags : RACE_STRONG;
}

static bool both_strong(const struct global_event *e, const struct other *o)
{
    const u32 mine = e->flags & RACE_STRONG;
    if (!mine)
        return false;
    if (o->launch.number) /* its kernel's table stays */
        return !o->number || race_site_at(o->launch.kernel->sites, o->number)->flags & RACE_STRONG;
    const u32 theirs = flags_of(e, o->number) & RACE_STRONG;
    const bool one_warp = o->block == (u32)e->g->linear && o->thread / SYNC_LANES == e->a->warp;
    return theirs && !(one_warp && !e->s->fenced && mine == RACE_VOLATILE && theirs == RACE_VOLATILE);
}

/* ---- the finding ---- */

static const char *keep_text(struct check *c, const char *text)
{
    pthread_mutex_lock(&c->of.racecheck->lock);
    const char *kept = check_copy_text(&c->of.racecheck->mem, text);
    pthread_mutex_unlock(&c->of.racecheck->lock);
    return kept;
}

static void split(u64 linear, const u32 dim[3], u32 out[3])
{
    out[0] = (u32)(linear % dim[0]);
    out[1] = (u32)(linear / dim[0] % dim[1]);
    out[2] = (u32)(linear / dim[0] / dim[1]);
}

/* A thread of a launch that may be over. */
static void past_party(struct check *c, const struct other *o, struct party *p)
{
    char text[160];
    p->kernel = o->launch.kernel->name;
    p->has_thread = true;
    split(o->block, o->launch.grid, p->block);
    split(o->thread, o->launch.block, p->thread);
    if (race_op_text(c, o->launch.op, text, sizeof text))
        p->launched = keep_text(c, text);
    if (!o->place)
        return;
    p->function = o->place->function;
    p->file = o->place->file;
    p->ptx_file = o->place->ptx_file;
    p->line = o->place->line;
    p->column = o->place->column;
    p->ptx_line = o->place->ptx_line;
    memcpy(p->ptx, o->place->ptx, sizeof p->ptx);
}

static void set_value(struct party *p, const u8 *from, u32 n)
{
    p->value_bytes = (u8)(n < sizeof p->value ? n : sizeof p->value);
    memcpy(p->value, from, p->value_bytes);
}

static u8 does_of(u32 flags)
{
    return flags & RACE_ATOMIC ? DOES_ATOMIC : flags & RACE_WRITES ? DOES_WRITE : DOES_READ;
}

static void fill_mine(const struct global_event *e, u32 lane, struct finding *f)
{
    const struct exec_access *a = e->a;
    u8 value[32];
    f->space = SPACE_GLOBAL;
    f->has_address = true;
    f->address = a->addr[lane];
    f->size = a->size;
    party_place(&f->at, a->func, a->site);
    party_thread(&f->at, a->block, a->warp, lane);
    f->at.does = does_of(e->flags);
    if (a->pc)
        set_value(&f->at, value, exec_access_value(a, lane, value));
}

static void fill(const struct global_event *e, u32 lane, const struct other *o, bool wrote, struct finding *f)
{
    struct check_launch *l = e->w->launch;
    fill_mine(e, lane, f);
    f->has_other = true;
    if (o->launch.number)
        past_party(l->check, o, &f->other);
    else
        party_thread_linear(&f->other, l->exec, o->block, o->thread);
    if (!o->launch.number && o->site->func)
        party_place(&f->other, o->site->func, o->site->site);
    f->other.does = o->launch.number ? (wrote ? DOES_WRITE : DOES_READ) : does_of(o->site->flags);
    set_value(&f->other, (const u8 *)(uintptr_t)f->address, (u32)f->size);
}

static void tell(const struct global_event *e, enum finding_kind kind, u32 lane, const struct other *o, bool wrote)
{
    struct check_launch *l = e->w->launch;
    const u64 key = o->launch.number ? finding_key(e->a->func, e->a->site, (const void *)o->launch.kernel, o->number)
                                     : race_key(e->a->func, e->a->site, o->site->func, o->site->site);
    struct finding f;
    if (check_found_again(l, kind, key, 1))
        return;
    finding_init(&f, kind);
    fill(e, lane, o, wrote, &f);
    f.threads = 1;
    if (!o->launch.number && o->block == e->g->linear && o->thread / SYNC_LANES == e->a->warp)
        strcpy(f.detail, "Both are threads of one warp, whose lanes nothing orders but __syncwarp().");
    else if (!o->launch.number && o->block != e->g->linear)
        strcpy(f.detail, "They are of different blocks, which no barrier orders.");
    check_found(l, &f, key);
}

/* The lane is about to write into these bytes what they hold. */
static bool writes_the_same(const struct global_event *e, u32 lane, u64 address, u32 n)
{
    u8 value[32];
    const u32 bytes = e->a->pc && e->a->op == ACCESS_ST ? exec_access_value(e->a, lane, value) : 0;
    const u64 at = address - e->a->addr[lane];
    return at + n <= bytes && !memcmp(value + at, (const void *)(uintptr_t)address, n);
}

void race_global_look(const struct global_event *e, u32 lane, u64 address, u64 stamp, bool wrote)
{
    struct other o;
    if (!stamp || race_before(e->w, e->s, e->g, stamp, wrote, e->a->warp, lane) || !find_other(e, stamp, &o))
        return;
    if (!o.launch.number && o.block == (u32)e->g->linear && o.thread == e->a->warp * SYNC_LANES + lane)
        return;
    if (!o.launch.number && !o.number) /* of an instruction that has no number: nothing is known of it */
        return;
    if (both_strong(e, &o))
        return;
    const bool writes = e->flags & RACE_WRITES;
    const u32 n = e->a->size < 4 ? e->a->size : 4;
    enum finding_kind kind = !wrote ? FINDING_GLOBAL_WAR : writes ? FINDING_GLOBAL_WAW : FINDING_GLOBAL_RAW;
    if (kind == FINDING_GLOBAL_WAW && writes_the_same(e, lane, address, n))
        kind = FINDING_GLOBAL_SAME;
    if (o.launch.number)
        kind = FINDING_STREAM_RACE;
    tell(e, kind, lane, &o, wrote);
}

/* Which threads the others were is no longer known, nor whether a flag orders them; so only where nothing was
 * released. */
void race_global_look_many(const struct global_event *e, u32 lane, u64 stamp)
{
    struct other o;
    const struct race_launch *x = e->w->of.racecheck->launch;
    const struct race_plane *p = e->w->launch->check->of.racecheck;
    const u32 now = __atomic_load_n(&p->now, __ATOMIC_RELAXED), passes = __atomic_load_n(&p->passes, __ATOMIC_RELAXED);
    if (now != x->began || passes != x->began_passes || !find_other(e, stamp, &o) || o.launch.number || !o.number ||
        o.block != (u32)e->g->linear || both_strong(e, &o))
        return;
    const u64 key = race_key(e->a->func, e->a->site, o.site->func, o.site->site);
    struct finding f;
    if (check_found_again(e->w->launch, FINDING_GLOBAL_WAR, key, 1))
        return;
    finding_init(&f, FINDING_GLOBAL_WAR);
    fill(e, lane, &o, false, &f);
    f.other.has_thread = false;
    f.threads = 1;
    strcpy(f.detail, "The reader is a thread of another block.");
    check_found(e->w->launch, &f, key);
}

/* Two lanes of one store write the same bytes. */
void race_global_report_lanes(const struct global_event *e, u32 lane, u32 other)
{
    const struct exec_access *a = e->a;
    const u64 key = race_key(a->func, a->site, a->func, a->site);
    u8 mine[32], theirs[32];
    const u32 n = a->pc ? exec_access_value(a, lane, mine) : 0, m = a->pc ? exec_access_value(a, other, theirs) : 0;
    const bool same = n && n == m && a->addr[lane] == a->addr[other] && !memcmp(mine, theirs, n);
    const enum finding_kind kind = same ? FINDING_GLOBAL_SAME : FINDING_GLOBAL_WAW;
    struct finding f;
    if (check_found_again(e->w->launch, kind, key, 1))
        return;
    finding_init(&f, kind);
    fill_mine(e, lane, &f);
    f.has_other = true;
    party_place(&f.other, a->func, a->site);
    party_thread(&f.other, a->block, a->warp, other);
    f.other.does = DOES_WRITE;
    set_value(&f.other, theirs, m);
    f.threads = 1;
    strcpy(f.detail, "Both are lanes of one execution of the instruction.");
    check_found(e->w->launch, &f, key);
}

/* An operation of the host's that touched the bytes, in no order with this launch. */
void race_global_report_host(const struct global_event *e, u32 lane)
{
    struct check *c = e->w->launch->check;
    const struct exec_access *a = e->a;
    struct race_host_op op;
    char text[160];
    if (!race_host_conflict(c, e->w->of.racecheck->launch->op, a->addr[lane], a->size, e->flags & RACE_WRITES, &op))
        return;
    const enum finding_kind kind = race_host_waits(&op.call) ? FINDING_HOST_RACE : FINDING_STREAM_RACE;
    const u64 key = finding_key(a->func, a->site, NULL, (u32)op.op);
    struct finding f;
    if (check_found_again(e->w->launch, kind, key, 1))
        return;
    finding_init(&f, kind);
    fill_mine(e, lane, &f);
    f.has_other = true;
    f.other.does = op.write ? DOES_WRITE : DOES_COPY;
    if (race_op_text(c, op.op, text, sizeof text))
        f.other.launched = keep_text(c, text);
    else if (op.call.api[0])
        f.other.launched = keep_text(c, op.call.api);
    f.threads = 1;
    check_found(e->w->launch, &f, key);
}

/* A bulk copy of the block writes the bytes, and its thread has not waited for it. */
void race_global_report_copy(const struct global_event *e, u32 lane, const struct global_copy *x)
{
    const u64 key = race_key(e->a->func, e->a->site, x->func, x->site);
    struct finding f;
    if (check_found_again(e->w->launch, FINDING_COPY_NOT_AWAITED, key, 1))
        return;
    finding_init(&f, FINDING_COPY_NOT_AWAITED);
    fill_mine(e, lane, &f);
    f.at.value_bytes = 0;
    f.has_other = true;
    party_place(&f.other, x->func, x->site);
    party_thread(&f.other, e->a->block, x->warp, x->lane);
    f.other.does = DOES_COPY;
    f.threads = 1;
    strcpy(f.detail, "A wait for the reads of the copy alone (.read) is none for what it writes.");
    check_found(e->w->launch, &f, key);
}
