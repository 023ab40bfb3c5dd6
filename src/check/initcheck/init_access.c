/* init_access.c - initcheck at an access of a kernel: what it reads must have been written.
 *
 *     global  the plane of initcheck.c.
 *     shared  a bitmap a block, empty when the block begins. What lies behind the kernel's own memory (the scratch
 *             of cooperative groups) counts as initialised.
 *     local   a bitmap a lane, empty when the block begins. A callee's frame reuses the stack's bytes: what an
 *             earlier call wrote there counts as initialised (a miss, never a false alarm). Arguments are not local
 *             memory.
 *
 * An access whose bytes are all initialised costs a few comparisons; the rest is looked at lane by lane, element by
 * element (initcheck.h has the rule). A finding does not initialise: each place that reads the same bytes is found.
 * Bulk copies carry the state of what they copy; cp.async is a load and a store. */
#include "check/initcheck/init_state.h"

#include <inttypes.h>
#include <stdio.h>

/* Where the bits of an access are: of offsets [base, base + size). */
struct bitmap {
    u8 *bits;
    u64 base, size;
};

static inline bool holds(const struct bitmap *m, u64 address, u64 n)
{
    return address - m->base < m->size && m->size - (address - m->base) >= n;
}

/* ---- bits of lanes ---- */

/* Lanes some of whose bytes are not marked. What the bitmap does not hold is initialised. */
static inline u32 lanes_missing(const struct bitmap *m, const struct exec_access *a)
{
    const u32 n = a->size, ones = init_ones(n);
    u32 missing = 0;
    if (a->pattern == PATTERN_CONTIGUOUS && holds(m, a->addr[0], 32ull * n) &&
        init_all(m->bits, a->addr[0] - m->base, 32ull * n))
        return 0;
    if (a->pattern == PATTERN_UNIFORM) {
        const u64 at = a->addr[__builtin_ctz(a->mask)];
        return holds(m, at, n) && init_get(m->bits, at - m->base, n) != ones ? a->mask : 0;
    }
    for (u32 left = a->mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (holds(m, a->addr[i], n))
            missing |= (u32)(init_get(m->bits, a->addr[i] - m->base, n) != ones) << i;
    }
    return missing;
}

static inline void lanes_set(const struct bitmap *m, const struct exec_access *a)
{
    const u32 n = a->size, ones = init_ones(n);
    if (a->pattern == PATTERN_CONTIGUOUS && holds(m, a->addr[0], 32ull * n)) {
        if (!init_all(m->bits, a->addr[0] - m->base, 32ull * n))
            init_set(m->bits, a->addr[0] - m->base, 32ull * n);
        return;
    }
    for (u32 left = a->mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (!holds(m, a->addr[i], n))
            continue;
        const u64 at = a->addr[i] - m->base;
        if (init_get(m->bits, at, n) != ones)
            init_put(m->bits, at, n, ones);
    }
}

/* ---- the rule ---- */

static struct init_load load_of(struct check_worker *w, const struct exec_access *a)
{
    struct init_shared *s = w->of.initcheck;
    struct init_uses *u = s->uses;
    const u16 op = a->func->src->insts[a->site].op;
    if (a->op != ACCESS_LD || op != OP_LD)
        return (struct init_load){0};
    while (u && u->func != a->func)
        u = u->next;
    if (!u) {
        if (setjmp(w->mem.oom))
            return (struct init_load){.elements = 1}; /* unused: no memory, no finding */
        u = init_uses_make(&w->mem, a->func);
        u->next = s->uses;
        s->uses = u;
    }
    return u->loads[a->site];
}

/* cp.async may read less than it writes, or nothing. */
static u32 bytes_read(const struct exec_access *a, u32 lane)
{
    return a->bytes && a->bytes[lane] < a->size ? a->bytes[lane] : a->size;
}

/* An atomic operation that takes what is there for a number: the others may be meant for some bytes of it. */
static bool sums(const struct exec_access *a)
{
    return a->op != ACCESS_LD && (a->atom_op == MOD_ADD || a->atom_op == MOD_MIN || a->atom_op == MOD_MAX ||
                                  a->atom_op == MOD_INC || a->atom_op == MOD_DEC);
}

/* Which of the missing ones of the n bytes that a lane reads make a finding. */
static u32 matters(const struct exec_access *a, const struct init_load *l, u32 n, u32 missing)
{
    const u32 all = init_ones(n);
    const bool near = a->space == SPACE_GLOBAL || a->space == SPACE_SHARED;
    u32 bad = 0;
    if (!l->elements)
        return missing == all || sums(a) ? missing : 0;
    if (a->space == SPACE_LOCAL && l->store)
        return 0;
    for (u32 k = 0; k < l->elements; k++) {
        const u32 mine = init_ones(l->bytes) << k * l->bytes;
        const u8 bits = (u8)(l->used | (a->space == SPACE_GLOBAL ? l->chosen : 0));
        if (((missing & mine) == mine && bits >> k & 1) || (near && l->whole >> k & 1))
            bad |= missing & mine;
    }
    return !bad && near && l->copied && l->elements > 1 && missing == all ? missing : bad;
}

/* ---- findings ---- */

static const char *space_name(u8 space)
{
    return space == SPACE_SHARED ? "__shared__" : space == SPACE_LOCAL ? "__local__" : "__global__";
}

/* One lane's bytes, and the allocation that they are in. */
struct unread {
    u32 lane, bytes; /* bytes: a bit each */
    struct mem_block block;
};

static void describe(const struct exec_access *a, const struct unread *u, struct finding *f)
{
    snprintf(f->what, sizeof f->what, "Uninitialized %s memory %s of size %u bytes", space_name(a->space),
             a->op == ACCESS_LD ? "read" : "atomic", a->size);
    if (a->space == SPACE_GLOBAL)
        snprintf(f->detail, sizeof f->detail, "offset %" PRIu64 " in the %" PRIu64 "-byte allocation #%" PRIu64,
                 f->address - u->block.base, u->block.size, u->block.serial);
    else
        snprintf(f->detail, sizeof f->detail, "offset %" PRIu64 " in %s memory", f->address,
                 a->space == SPACE_SHARED ? "the block's shared" : "the thread's local");
    if (f->size != a->size) {
        const size_t used = strlen(f->detail);
        snprintf(f->detail + used, sizeof f->detail - used, "\n%" PRIu64 " of the %u bytes were never written", f->size,
                 a->size);
    }
}

static void report(struct check_worker *w, const struct exec_access *a, enum finding_kind kind, u32 lanes,
                   const struct unread *u)
{
    const u64 key = finding_key(a->func, finding_place(a->func, a->site), NULL, 0),
              times = (u64)__builtin_popcount(lanes);
    struct finding f;
    if (check_found_again(w->launch, kind, key, times))
        return;
    finding_init(&f, kind);
    party_place(&f.at, a->func, a->site);
    if (a->block)
        party_thread(&f.at, a->block, a->warp, u->lane);
    f.at.does = a->op == ACCESS_LD ? DOES_READ : DOES_ATOMIC;
    f.has_address = true;
    f.space = a->space;
    f.address = a->addr[u->lane] + (u64)__builtin_ctz(u->bytes);
    f.size = (u64)__builtin_popcount(u->bytes);
    f.allocation = a->space == SPACE_GLOBAL ? u->block.serial : 0;
    f.count = f.threads = times;
    describe(a, u, &f);
    check_found(w->launch, &f, key);
}

/* ---- copies to local memory ---- */

static struct init_carry *carry_of(struct check_worker *w, const struct exec_access *a, u32 store)
{
    struct init_shared *s = w->of.initcheck;
    for (u32 k = 0; k < INIT_CARRIES; k++) {
        struct init_carry *x = &s->carries[k];
        if (x->lanes && x->store == store && x->func == a->func && x->block == a->block && x->warp == a->warp)
            return x;
    }
    return NULL;
}

static void carry(struct check_worker *w, const struct exec_access *a, const struct init_load *l, u32 lane, u32 missing)
{
    struct init_shared *s = w->of.initcheck;
    struct init_carry *x = carry_of(w, a, l->store - 1);
    for (u32 k = 0; k < INIT_CARRIES && !x; k++)
        if (!s->carries[k].lanes) {
            x = &s->carries[k];
            s->ncarries++;
            *x = (struct init_carry){.block = a->block, .func = a->func, .warp = a->warp, .store = l->store - 1};
        }
    if (!x)
        return;
    x->lanes |= 1u << lane;
    x->missing[lane] = missing;
}

/* What the store has just marked as initialised is not. */
static __attribute__((noinline)) void carry_out(struct check_worker *w, const struct exec_access *a,
                                                struct init_local *local)
{
    struct init_carry *x = carry_of(w, a, a->site);
    if (!x)
        return;
    for (u32 left = x->lanes & a->mask; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        const u64 at = a->addr[lane];
        for (u32 k = 0; k < a->size; k++)
            if (x->missing[lane] >> k & 1)
                local->rows[((at + k) >> 6) * 32 + lane] &= ~((u64)1 << ((at + k) & 63));
    }
    x->lanes &= ~a->mask;
    w->of.initcheck->ncarries -= !x->lanes;
}

/* ---- global and shared memory ---- */

/* What is in memory before matters: an exchange is how locks and flags are set, and a store if nobody looks at its
 * result. */
static inline bool needs_old(const struct exec_access *a)
{
    return a->op != ACCESS_ST && !(a->op == ACCESS_ATOM && a->atom_op == MOD_EXCH);
}

/* A copy, by elements of 4 or 8 bytes, of an array that was filled up to the middle of an element: all of the
 * allocation before it is written, nothing behind it is. It is no padding, of which an array of structs has more than
 * one piece, unless the struct is alone in its allocation; no such struct is expected to be so large. Which bytes of
 * the element. */
static u32 cut_off(const struct init_plane *p, const struct init_load *l, const struct mem_block *b, u64 at,
                   u32 missing)
{
    enum { LEAST = 256 };
    const u32 first = missing ? (u32)__builtin_ctz(missing) : 0;
    const u64 base = p->bits.base, cut = at + first, end = b->base + b->size;
    if (!missing || l->bytes < 4 || first % l->bytes == 0 || cut - b->base < LEAST)
        return 0;
    if (init_find(p->bits.cells, b->base - base, cut - base, false) < cut - base ||
        init_find(p->bits.cells, cut - base, end - base, true) < end - base)
        return 0;
    return missing & init_ones(l->bytes) << first / l->bytes * l->bytes;
}

static __attribute__((noinline)) void read_missing(struct check_worker *w, const struct exec_access *a,
                                                   const struct bitmap *m, u32 missing)
{
    const bool global = a->space == SPACE_GLOBAL;
    const struct init_load l = load_of(w, a);
    struct unread first = {0}, now;
    u32 bad = 0;
    for (u32 left = missing; left; left &= left - 1) {
        now.lane = (u32)__builtin_ctz(left);
        const u64 at = a->addr[now.lane];
        const u32 n = bytes_read(a, now.lane);
        u32 gone = ~init_get(m->bits, at - m->base, n) & init_ones(n);
        now.bytes = matters(a, &l, n, gone);
        if (global && (now.bytes || l.store || l.used || l.copied)) {
            gone = init_missing(check_of(w), at, n, &now.block);
            now.bytes = matters(a, &l, n, gone);
            if (gone && !now.bytes && l.elements)
                now.bytes = cut_off(check_of(w)->of.initcheck, &l, &now.block, at, gone);
        }
        if (l.store && gone && !now.bytes)
            carry(w, a, &l, now.lane, gone);
        if (now.bytes && !bad)
            first = now;
        bad |= (u32)(now.bytes != 0) << now.lane;
    }
    if (bad)
        report(w, a, global ? FINDING_UNINIT_GLOBAL : FINDING_UNINIT_SHARED, bad, &first);
}

/* A bulk copy reads all of its pieces, then writes them: uninitialised bytes stay so at the destination, and a later
 * read of them is the finding. */
static __attribute__((noinline)) void move_piece(struct check_worker *w, const struct exec_access *a,
                                                 const struct bitmap *m)
{
    struct init_bulk *k = &w->of.initcheck->bulk;
    const u64 at = a->addr[__builtin_ctz(a->mask)];
    const u32 n = a->size;
    if (a->op == ACCESS_LD) {
        struct mem_block block;
        u32 have = holds(m, at, n) ? init_get(m->bits, at - m->base, n) : init_ones(n);
        if (have != init_ones(n) && a->space == SPACE_GLOBAL)
            have = ~init_missing(check_of(w), at, n, &block) & init_ones(n);
        if (have != init_ones(n) && k->npieces < LS_ARRAY_LEN(k->pieces))
            k->pieces[k->npieces++] = (struct init_piece){.number = k->nread, .bits = have};
        k->nread++;
        return;
    }
    const bool known = k->taken < k->npieces && k->pieces[k->taken].number == k->nwritten;
    if (holds(m, at, n))
        init_put(m->bits, at - m->base, n, known ? k->pieces[k->taken].bits : UINT32_MAX);
    k->taken += known;
    if (++k->nwritten >= k->nread)
        *k = (struct init_bulk){0};
}

static inline void access_bitmap(struct check_worker *w, const struct exec_access *a, const struct bitmap *m)
{
    if (LS_UNLIKELY(a->async && a->uncounted)) {
        move_piece(w, a, m);
        return;
    }
    if (needs_old(a)) {
        const u32 missing = lanes_missing(m, a);
        if (LS_UNLIKELY(missing))
            read_missing(w, a, m, missing);
    }
    if (a->op != ACCESS_LD)
        lanes_set(m, a);
}

static inline struct bitmap plane_of(const struct check_worker *w)
{
    const struct shadow *s = &check_of(w)->of.initcheck->bits;
    return (struct bitmap){s->cells, s->base, s->size};
}

/* ---- local memory ---- */

static inline u64 local_get(const struct init_local *l, u64 offset, u32 lane, u32 n)
{
    const u64 row = offset >> 6, shift = offset & 63;
    if (row >= l->used)
        return 0;
    u64 bits = l->rows[row * 32 + lane] >> shift;
    if (shift + n > 64 && row + 1 < l->used)
        bits |= l->rows[(row + 1) * 32 + lane] << (64 - shift);
    return bits & init_ones(n);
}

static inline void local_set(struct init_local *l, u64 offset, u32 lane, u32 n)
{
    const u64 row = offset >> 6, shift = offset & 63, ones = init_ones(n);
    l->rows[row * 32 + lane] |= ones << shift;
    if (shift + n > 64)
        l->rows[(row + 1) * 32 + lane] |= ones >> (64 - shift);
}

static __attribute__((noinline)) void local_missing(struct check_worker *w, const struct exec_access *a,
                                                    const struct init_local *local, u32 missing)
{
    const struct init_load l = load_of(w, a);
    struct unread first = {0};
    u32 bad = 0;
    for (u32 left = missing; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left), ones = init_ones(a->size);
        const u32 gone = ~(u32)local_get(local, a->addr[lane], lane, a->size) & ones;
        const u32 bytes = matters(a, &l, a->size, gone);
        if (l.store)
            carry(w, a, &l, lane, gone);
        if (bytes && !bad)
            first = (struct unread){.lane = lane, .bytes = bytes};
        bad |= (u32)(bytes != 0) << lane;
    }
    if (bad)
        report(w, a, FINDING_UNINIT_LOCAL, bad, &first);
}

static void access_local(struct check_worker *w, const struct exec_access *a, struct init_local *l)
{
    const u32 n = a->size, ones = init_ones(n);
    u32 missing = 0;
    u64 last = 0;
    if (needs_old(a)) {
        for (u32 left = a->mask; left; left &= left - 1) {
            const u32 i = (u32)__builtin_ctz(left);
            missing |= (u32)(local_get(l, a->addr[i], i, n) != ones) << i;
        }
        if (LS_UNLIKELY(missing))
            local_missing(w, a, l, missing);
    }
    if (a->op == ACCESS_LD)
        return;
    for (u32 left = a->mask; left; left &= left - 1) {
        const u64 end = a->addr[__builtin_ctz(left)] + n;
        last = end > last ? end : last;
    }
    if (!init_local_grow(w, l, (last + 63) / 64))
        return;
    for (u32 left = a->mask; left; left &= left - 1) {
        const u32 i = (u32)__builtin_ctz(left);
        local_set(l, a->addr[i], i, n);
    }
    if (LS_UNLIKELY(w->of.initcheck->ncarries))
        carry_out(w, a, l);
}

/* ---- events ---- */

/* Of the shared memory of its own or another block. */
void init_far_access(struct check_worker *w, const struct exec_access *a, const struct exec_block_info *home)
{
    struct init_block *b = init_block_of(w->of.initcheck, home);
    if (!b)
        return;
    const struct bitmap m = {b->shared, 0, w->of.initcheck->shared_bytes};
    access_bitmap(w, a, &m);
}

void init_access(struct check_worker *w, const struct exec_access *a)
{
    struct bitmap m;
    struct init_block *b;
    switch (a->space) {
    case SPACE_TEX: /* what textures and surfaces hold is not checked when it is read */
        if (a->op == ACCESS_LD)
            break;
        /* fall through */
    case SPACE_GLOBAL:
        m = plane_of(w);
        access_bitmap(w, a, &m);
        break;
    case SPACE_SHARED:
        init_far_access(w, a, a->block);
        break;
    case SPACE_LOCAL:
        if ((b = init_block_of(w->of.initcheck, a->block)) != NULL)
            access_local(w, a, &b->warps[a->warp]);
        break;
    default:
        break;
    }
}

/* An mbarrier is 8 bytes. */
void init_order(struct check_worker *w, const struct exec_order *o)
{
    struct init_block *b = o->op == EXEC_MBARRIER_INIT && o->addr ? init_block_of(w->of.initcheck, o->block) : NULL;
    for (u32 left = b ? o->mask : 0; left; left &= left - 1) {
        const u64 at = o->addr[__builtin_ctz(left)];
        if (at < w->of.initcheck->shared_bytes && w->of.initcheck->shared_bytes - at >= 8)
            init_put(b->shared, at, 8, UINT32_MAX);
    }
}
