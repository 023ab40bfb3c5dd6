/* race_shared_found.c - the close look: which lanes of an access are in no order with whom, and the finding.
 *
 * Two accesses of different threads to one byte, one of them a write, with nothing between that orders them, are a
 * hazard. Not when both are atomic or otherwise strong (relaxed, acquire, release); and not when both are volatile and
 * of different warps, which PTX counts as strong: one warp polls what another sets. Among the lanes of one warp,
 * volatile is what the warp-synchronous code of old relied on, and orders nothing.
 *
 * What memory holds now is the other side's value; it is what the other read, too, unless it was written since. */
#include <string.h>

#include "check/racecheck/race_shared.h"

/* ---- stamps ---- */

static u32 stamp_site(u64 stamp) { return (u32)stamp & 0xffff; }
static u32 stamp_lane(u64 stamp) { return (u32)(stamp >> STAMP_LANE) & 31; }

/* Of a product: the first of its warpgroup. */
static u32 stamp_warp(u64 stamp)
{
    return ((u32)(stamp >> STAMP_WARP) & 31) * (stamp & STAMP_PRODUCT_BIT ? SYNC_GROUP_WARPS : 1);
}

static u32 stamp_agent(const struct sync_state *s, u64 stamp)
{
    return stamp & STAMP_PRODUCT_BIT ? sync_agent_of(s, stamp_warp(stamp)) : stamp_warp(stamp);
}

static const struct race_site *site_of(const struct shared_event *e, u32 number)
{
    return race_site_at(e->w->of.racecheck_shared->index.sites, number);
}

static bool both_strong(const struct shared_event *e, u64 stamp)
{
    const u32 other = site_of(e, stamp_site(stamp))->flags;
    const u32 strong = RACE_ATOMIC | RACE_RELAXED;
    if (e->flags & RACE_STRONG & ~RACE_VOLATILE && other & RACE_STRONG)
        return true;
    if (other & strong && e->flags & RACE_STRONG)
        return true;
    return e->flags & RACE_VOLATILE && other & RACE_VOLATILE && (stamp_warp(stamp) != e->t->warp || e->s->fenced);
}

bool race_shared_is_hazard(const struct shared_event *e, u64 stamp, u32 lane)
{
    const struct touch *t = e->t;
    if (!stamp_unordered(stamp, t->me + ((u64)lane << STAMP_LANE), t->limit, t->own))
        return false;
    if (sync_before(e->s, stamp_agent(e->s, stamp), stamp_lane(stamp), (u32)(stamp >> STAMP_CLOCK), t->warp, lane))
        return false;
    return !both_strong(e, stamp);
}

/* ---- values ---- */

struct value {
    u8 bytes[32];
    u32 n;
};

static struct value value_of(const struct shared_event *e, u32 lane)
{
    struct value v;
    v.n = e->a->pc ? exec_access_value(e->a, lane, v.bytes) : 0;
    return v;
}

static u32 cell_offset(const struct shared_event *e, u32 cell) { return cell << e->c->granule_bits; }
static u32 cell_bytes(const struct shared_event *e) { return 1u << e->c->granule_bits; }

/* The lane is about to write into the cell what is there. */
static bool writes_the_same(const struct shared_event *e, u32 lane, u32 cell)
{
    const struct value v = value_of(e, lane);
    const u32 at = cell_offset(e, cell) - (u32)e->a->addr[lane], n = cell_bytes(e);
    return e->a->op == ACCESS_ST && at + n <= v.n &&
           !memcmp(v.bytes + at, e->a->block->shared + cell_offset(e, cell), n);
}

static void set_value(struct party *p, const u8 *from, u32 n)
{
    p->value_bytes = (u8)(n < sizeof p->value ? n : sizeof p->value);
    memcpy(p->value, from, p->value_bytes);
}

/* ---- the finding ---- */

struct hazard {
    enum finding_kind kind;
    u32 lane; /* of the access */
    u32 warp, other_lane;
    u32 site; /* the other's */
    u8 does;  /* the other */
    u32 cell;
    const struct value *value; /* the other's, or NULL: what memory holds */
};

static u8 does_of(u32 flags)
{
    return flags & RACE_ATOMIC ? DOES_ATOMIC : flags & RACE_WRITES ? DOES_WRITE : DOES_READ;
}

static const char one_execution[] = "Both are lanes of one execution of the instruction.",
                  one_warp[] = "Both are threads of one warp, whose lanes nothing orders but __syncwarp().";

/* What is under way has no value, and no order of lanes helps. */
static bool of_copy(enum finding_kind k)
{
    return k == FINDING_COPY_NOT_AWAITED || k == FINDING_PRODUCT_NOT_AWAITED || k == FINDING_MISSING_PROXY_FENCE;
}

static void fill(const struct shared_event *e, const struct hazard *h, struct finding *f)
{
    const struct exec_access *a = e->a;
    const struct race_site *o = site_of(e, h->site);
    const struct value v = value_of(e, h->lane);
    finding_init(f, h->kind);
    f->space = SPACE_SHARED;
    f->has_address = true;
    f->address = a->addr[h->lane];
    f->size = a->size;
    party_place(&f->at, a->func, a->site);
    party_thread(&f->at, a->block, a->warp, h->lane);
    f->at.does = does_of(e->flags);
    set_value(&f->at, v.bytes, v.n);
    f->has_other = true;
    if (o->func)
        party_place(&f->other, o->func, o->site);
    party_thread(&f->other, a->block, h->warp, h->other_lane);
    f->other.does = h->does;
    if (!of_copy(h->kind) && f->address + f->size <= a->block->shared_bytes)
        set_value(&f->other, a->block->shared + f->address, (u32)f->size);
    if (!of_copy(h->kind) && h->warp == e->t->warp)
        strcpy(f->detail, one_warp);
}

/* Hazards of one access: the same again is only counted. */
struct tally {
    enum finding_kind kind;
    u32 site, times;
    struct hazard first;
};

static void tell(const struct shared_event *e, const struct tally *t)
{
    const struct race_site *o = site_of(e, t->site);
    const u64 key = race_key(e->a->func, e->a->site, o->func, o->site);
    struct finding f;
    if (!t->times || check_found_again(e->w->launch, t->kind, key, t->times))
        return;
    fill(e, &t->first, &f);
    f.count = t->times;
    f.threads = t->times;
    check_found(e->w->launch, &f, key);
}

static void add(const struct shared_event *e, struct tally *t, const struct hazard *h)
{
    if (t->times && (t->kind != h->kind || t->site != h->site)) {
        tell(e, t);
        t->times = 0;
    }
    if (!t->times++)
        t->first = *h, t->kind = h->kind, t->site = h->site;
}

static struct hazard hazard_with(enum finding_kind kind, u64 stamp, u8 does, u32 lane, u32 cell)
{
    return (struct hazard){.kind = kind,
                           .lane = lane,
                           .warp = stamp_warp(stamp),
                           .other_lane = stamp_lane(stamp),
                           .site = stamp_site(stamp),
                           .does = does,
                           .cell = cell};
}

#define EACH_LANE(lane, mask) for (u32 m_ = (mask), lane; m_ && (lane = (u32)__builtin_ctz(m_), true); m_ &= m_ - 1)

/* ---- lanes of one warp that wrote a cell in no order (race_shared_contested.c) ---- */

static void keep_value(struct party_value *to, const u8 *from, u32 n)
{
    to->n = (u8)(n < sizeof to->bytes ? n : sizeof to->bytes);
    memcpy(to->bytes, from, to->n);
}

static void keep(const struct shared_event *e, const struct hazard *h)
{
    const struct exec_access *a = e->a;
    const struct value v = value_of(e, h->lane);
    struct contested x = {.cell = h->cell,
                          .size = a->size,
                          .address = a->addr[h->lane],
                          .kind = h->kind,
                          .site = (u16)e->number,
                          .other_site = (u16)h->site,
                          .warp = (u8)a->warp,
                          .lane = (u8)h->lane,
                          .other_lane = (u8)h->other_lane,
                          .one_execution = h->value != NULL};
    keep_value(&x.value, v.bytes, v.n);
    if (h->value)
        keep_value(&x.other_value, h->value->bytes, h->value->n);
    else if (x.address + x.size <= a->block->shared_bytes)
        keep_value(&x.other_value, a->block->shared + x.address, x.size);
    contested_keep(e, &x);
}

/* A lane is about to read what stayed there. */
void race_shared_report_contested(const struct shared_event *e, const struct contested *x)
{
    const struct race_site *s = site_of(e, x->site), *o = site_of(e, x->other_site);
    const u64 key = race_key(s->func, s->site, o->func, o->site);
    struct finding f;
    if (check_found_again(e->w->launch, x->kind, key, 1))
        return;
    finding_init(&f, x->kind);
    f.space = SPACE_SHARED;
    f.has_address = f.has_other = true;
    f.address = x->address;
    f.size = x->size;
    party_place(&f.at, s->func, s->site);
    party_thread(&f.at, e->a->block, x->warp, x->lane);
    f.at.does = does_of(s->flags);
    set_value(&f.at, x->value.bytes, x->value.n);
    party_place(&f.other, o->func, o->site);
    party_thread(&f.other, e->a->block, x->warp, x->other_lane);
    f.other.does = does_of(o->flags | RACE_WRITES);
    set_value(&f.other, x->other_value.bytes, x->other_value.n);
    f.count = f.threads = 1;
    strcpy(f.detail, x->one_execution ? one_execution : one_warp);
    check_found(e->w->launch, &f, key);
}

/* ---- the looks ---- */

/* The lane's first cell whose stamp is a hazard; false: none. What is in flight is told apart. */
static bool first_hazard(const struct shared_event *e, const u64 *at, u32 lane, u32 *cell)
{
    for (u32 k = touch_cell(e->t, lane), end = k + (1u << e->t->bits); k < end; k++)
        if (!e->c->flight[k] && race_shared_is_hazard(e, at[k], lane)) {
            *cell = k;
            return true;
        }
    return false;
}

void race_shared_report_read(const struct shared_event *e)
{
    struct tally t = {0};
    EACH_LANE(lane, e->t->mask) {
        u32 k;
        if (first_hazard(e, e->c->wr, lane, &k)) {
            const u8 does = does_of(site_of(e, stamp_site(e->c->wr[k]))->flags | RACE_WRITES);
            const struct hazard h = hazard_with(FINDING_SHARED_RAW, e->c->wr[k], does, lane, k);
            add(e, &t, &h);
        }
    }
    tell(e, &t);
}

/* A write after a write: harmless if every cell of the lane that is in a hazard gets what it has. */
static bool all_the_same(const struct shared_event *e, u32 lane)
{
    for (u32 k = touch_cell(e->t, lane), end = k + (1u << e->t->bits); k < end; k++)
        if (!e->c->flight[k] && race_shared_is_hazard(e, e->c->wr[k], lane) && !writes_the_same(e, lane, k))
            return false;
    return true;
}

void race_shared_report_write(const struct shared_event *e)
{
    struct tally waw = {0}, war = {0};
    EACH_LANE(lane, e->t->mask) {
        u32 k;
        if (first_hazard(e, e->c->wr, lane, &k)) {
            const enum finding_kind kind = all_the_same(e, lane) ? FINDING_SHARED_SAME : FINDING_SHARED_WAW;
            const u8 does = does_of(site_of(e, stamp_site(e->c->wr[k]))->flags | RACE_WRITES);
            const struct hazard h = hazard_with(kind, e->c->wr[k], does, lane, k);
            if (h.warp == e->t->warp && !(e->flags & RACE_ATOMIC))
                keep(e, &h);
            else
                add(e, &waw, &h);
        }
        const u64 *reads = first_hazard(e, e->c->rd, lane, &k)    ? e->c->rd
                           : first_hazard(e, e->c->rd2, lane, &k) ? e->c->rd2
                                                                  : NULL;
        if (reads) {
            const bool product = site_of(e, stamp_site(reads[k]))->flags & RACE_PRODUCT;
            const struct hazard h =
                hazard_with(product ? FINDING_PRODUCT_NOT_AWAITED : FINDING_SHARED_WAR, reads[k], DOES_READ, lane, k);
            add(e, &war, &h);
        }
    }
    tell(e, &waw);
    tell(e, &war);
}

/* The lanes write the cell with the same bytes. */
static bool lanes_agree(const struct shared_event *e, const struct value *v, u32 lane, const struct value *w, u32 other,
                        u32 cell)
{
    const u32 at = cell_offset(e, cell), n = cell_bytes(e);
    const u32 a = at - (u32)e->a->addr[lane], b = at - (u32)e->a->addr[other];
    return a + n <= v->n && b + n <= w->n && !memcmp(v->bytes + a, w->bytes + b, n);
}

/* Behind cells_write, which found that lanes wrote the same cell: the last one's stamp is there. */
void race_shared_report_lanes(const struct shared_event *e)
{
    if (e->flags & RACE_ATOMIC)
        return;
    EACH_LANE(lane, e->t->mask)
        for (u32 k = touch_cell(e->t, lane), end = k + (1u << e->t->bits); k < end; k++) {
            const u32 other = stamp_lane(e->c->wr[k]);
            if (other == lane)
                continue; /* the last of them */
            const struct value v = value_of(e, lane), w = value_of(e, other);
            struct hazard h =
                hazard_with(lanes_agree(e, &v, lane, &w, other, k) ? FINDING_SHARED_SAME : FINDING_SHARED_WAW,
                            e->c->wr[k], DOES_WRITE, lane, k);
            h.value = &w;
            keep(e, &h);
        }
}

void race_shared_report_flight(const struct shared_event *e)
{
    struct tally t = {0};
    EACH_LANE(lane, e->t->mask)
        for (u32 k = touch_cell(e->t, lane), end = k + (1u << e->t->bits), warp; k < end; k++) {
            const u8 flight = e->c->flight[k];
            if (!flight || (flight == FLIGHT_READ && !(e->flags & RACE_WRITES)))
                continue;
            const struct copy *copy = copies_at(e->c, cell_offset(e, k), &warp);
            if (!copy)
                continue;
            const struct hazard h = {.kind = copy->kind == COPY_PRODUCT ? FINDING_PRODUCT_NOT_AWAITED
                                                                        : FINDING_COPY_NOT_AWAITED,
                                     .lane = lane,
                                     .warp = warp,
                                     .other_lane = copy->lane,
                                     .site = copy->site,
                                     .does = copy->kind == COPY_PRODUCT ? DOES_READ : DOES_COPY,
                                     .cell = k};
            add(e, &t, &h);
            break;
        }
    tell(e, &t);
}

void race_shared_report_proxy(const struct shared_event *e, u32 lane, u32 cell)
{
    const u64 stamp = e->c->wr[cell];
    const struct hazard h = {.kind = FINDING_MISSING_PROXY_FENCE,
                             .lane = lane,
                             .warp = stamp_warp(stamp),
                             .other_lane = stamp_lane(stamp),
                             .site = stamp_site(stamp),
                             .does = DOES_WRITE,
                             .cell = cell};
    struct tally t = {0};
    add(e, &t, &h);
    tell(e, &t);
}

void race_shared_report_register(struct check_worker *w, const struct copy *x, const struct exec_order *o)
{
    const struct race_site *p = race_site_at(w->of.racecheck_shared->index.sites, x->site);
    const u64 key = race_key(o->func, o->site, p->func, p->site);
    struct finding f;
    if (check_found_again(w->launch, FINDING_PRODUCT_NOT_AWAITED, key, 1))
        return;
    finding_init(&f, FINDING_PRODUCT_NOT_AWAITED);
    party_place(&f.at, o->func, o->site);
    party_thread(&f.at, o->block, o->warp, (unsigned)__builtin_ctz(o->mask));
    f.has_other = true;
    if (p->func)
        party_place(&f.other, p->func, p->site);
    party_thread(&f.other, o->block, o->warp, x->lane);
    f.other.does = DOES_READ;
    f.threads = 1;
    check_found(w->launch, &f, key);
}

void race_shared_report_fence(const struct shared_event *e, u32 site)
{
    const struct exec_access *a = e->a;
    const u32 lane = (u32)__builtin_ctz(a->mask);
    const u64 key = race_key(a->func, a->site, a->func, site);
    struct finding f;
    if (check_found_again(e->w->launch, FINDING_MISSING_WGMMA_FENCE, key, 1))
        return;
    finding_init(&f, FINDING_MISSING_WGMMA_FENCE);
    party_place(&f.at, a->func, a->site);
    party_thread(&f.at, a->block, a->warp, lane);
    f.has_other = site != a->site;
    if (f.has_other) {
        party_place(&f.other, a->func, site);
        party_thread(&f.other, a->block, a->warp, lane);
        f.other.does = DOES_WRITE;
    } else {
        strcpy(f.detail, "There is none since the kernel began.");
    }
    f.threads = 1;
    check_found(e->w->launch, &f, key);
}

void race_shared_report_init(struct check_worker *w, const struct sync_state *s, const struct exec_order *o)
{
    const struct sync_init *i = &s->early_init;
    const u32 lane = (u32)__builtin_ctz(s->early), times = (u32)__builtin_popcount(s->early);
    const u64 key = race_key(o->func, o->site, i->func, i->site);
    struct finding f;
    if (check_found_again(w->launch, FINDING_SHARED_RAW, key, times))
        return;
    finding_init(&f, FINDING_SHARED_RAW);
    f.space = SPACE_SHARED;
    f.has_address = f.has_other = true;
    f.address = o->addr[lane];
    f.size = sizeof(u64);
    party_place(&f.at, o->func, o->site);
    party_thread(&f.at, o->block, o->warp, lane);
    f.at.does = o->op == EXEC_MBARRIER_WAIT ? DOES_READ : DOES_ATOMIC;
    party_place(&f.other, i->func, i->site);
    party_thread(&f.other, o->block, i->warp, i->lane);
    f.other.does = DOES_WRITE;
    f.count = f.threads = times;
    strcpy(f.detail, "The mbarrier is used with nothing between that orders it behind its mbarrier.init.");
    check_found(w->launch, &f, key);
}
