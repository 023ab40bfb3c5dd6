/* write_access.c - writecheck at an access of a kernel: marks what is stored, and notes when two threads store
 * different values to one place.
 *
 * Two stores clash if they are of different threads of the launch, of different blocks or of one block and one epoch of
 * it (a barrier or __syncwarp in between orders them), and if the value differs from what is there. Stores of less than
 * a word leave the hash of their block alone: those of one block never clash, and a word that was stored both whole and
 * in part is left out. Once the launch has loaded from an allocation or touched it atomically, it is no output, and
 * clashes there are not looked for. */
#include "check/writecheck/writecheck.h"

#include <string.h>

enum { WRITER_MASK = (1 << WRITER_BITS) - 1 };

/* ---- what an instruction touches ---- */

static bool is_special(const struct ptx_inst *i)
{
    static const u16 mods[] = {MOD_VOLATILE, MOD_RELAXED, MOD_ACQUIRE, MOD_RELEASE, MOD_MMIO};
    for (unsigned k = 0; k < LS_ARRAY_LEN(mods); k++)
        if (ptx_has(i, mods[k]))
            return true;
    return false;
}

static struct write_func *make_func(struct check_worker *w, const struct ir_func *func)
{
    const struct ptx_func *f = func->src;
    struct write_func *x = check_new(&w->mem, struct write_func);
    if (!x || !(x->sites = check_array(&w->mem, struct write_site, f->ninsts + 1)))
        return NULL;
    x->func = func;
    for (u32 k = 0; k < f->ninsts; k++)
        x->sites[k].special = is_special(&f->insts[k]);
    x->next = w->of.writecheck->funcs;
    return w->of.writecheck->funcs = x;
}

static struct write_site *site_of(struct check_worker *w, const struct exec_access *a)
{
    struct write_worker *s = w->of.writecheck;
    if (LS_UNLIKELY(!s->func || s->func->func != a->func)) {
        struct write_func *f = s->funcs;
        while (f && f->func != a->func)
            f = f->next;
        s->func = f ? f : make_func(w, a->func);
    }
    return s->func ? &s->func->sites[a->site] : NULL;
}

static struct write_use *new_use(struct check_worker *w, const struct mem_block *b)
{
    struct write_use *u = check_new(&w->mem, struct write_use);
    if (!u)
        return NULL;
    u->serial = b->serial;
    u->base = b->base;
    u->size = b->size;
    u->next = w->of.writecheck->uses;
    return w->of.writecheck->uses = u;
}

/* Makes the site's the allocation that contains address; false: it is none that the host copies from. */
static __attribute__((noinline)) bool find_use(struct check_worker *w, struct write_site *s, u64 address)
{
    struct mem_block b;
    *s = (struct write_site){.special = s->special};
    if (!mem_nearest(check_of(w)->mem, address, &b) || !b.live || address - b.base >= b.size)
        return false;
    if (b.kind == MEM_DEVICE && shadow_has(&check_of(w)->of.writecheck->marks, b.base, b.size)) {
        struct write_use *u = w->of.writecheck->uses;
        while (u && u->serial != b.serial)
            u = u->next;
        s->use = u ? u : new_use(w, &b);
    }
    if (b.kind != MEM_HEAP) { /* what kernels free is looked up each time */
        s->lo = b.base;
        s->hi = b.base + b.size;
    }
    return s->use != NULL;
}

static inline bool is_known(const struct write_site *s, u64 first, u64 last)
{
    return first - s->lo < s->hi - s->lo && last - s->lo < s->hi - s->lo;
}

/* ---- who writes ---- */

struct writer {
    struct check_worker *w;
    const struct exec_access *a;
    struct write_use *use;
    u32 tag, epoch;
    u64 first;   /* number of the block's first thread */
    u32 threads; /* of a block */
    u8 block;    /* its hash, not 0 */
    bool looks;  /* for clashes */
};

static struct writer writer_of(struct check_worker *w, const struct exec_access *a, struct write_use *use)
{
    struct write_worker *s = w->of.writecheck;
    const struct exec_block_info *info = a->block;
    struct write_block *b = s->block;
    if (!b || b->info != info)
        for (b = s->blocks; b && b->info != info;)
            b = b->next;
    if (b)
        s->block = b;
    return (struct writer){
        .w = w,
        .a = a,
        .use = use,
        .tag = w->launch->of.writecheck->tag,
        .epoch = b ? b->epoch : EPOCH_MOST,
        .first = info->linear * info->threads,
        .threads = info->threads,
        .block = (u8)(1 + (u32)(info->linear * 0x9e3779b97f4a7c15u >> 40) % 255),
        .looks = !(use->touched & (TOUCH_LOAD | TOUCH_OTHER)),
    };
}

static u32 number_of(const struct writer *x, u32 lane)
{
    return (u32)(x->first + x->a->warp * IR_LANES + lane) & WRITER_MASK;
}

/* ---- clashes ---- */

/* The lane of this access that stored there before `lane` did, or -1: it was another access. */
static int earlier_lane(const struct exec_access *a, u32 lane, u64 word)
{
    for (u32 left = a->mask & ((1u << lane) - 1); left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (word - (a->addr[i] & ~(u64)3) < ((a->addr[i] & 3) + a->size + 3) / 4 * 4)
            return i;
    }
    return -1;
}

/* The `n` bytes at `address` that the lane stores; false: not known. */
static bool stored(const struct exec_access *a, u32 lane, u64 address, u32 n, u8 *out)
{
    u8 value[32];
    const u32 have = exec_access_value(a, lane, value);
    const u64 at = address - a->addr[lane];
    if (at >= have || have - at < n)
        return false;
    memcpy(out, value + at, n);
    return true;
}

static void describe(const struct writer *x, u32 lane, u64 at, u32 n, u32 other, const u8 *was, const u8 *is)
{
    struct write_clash *c = &x->use->clash;
    const struct exec_launch *l = x->w->launch->exec;
    const u64 blocks = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    c->address = at;
    c->bytes = n;
    party_place(&c->at, x->a->func, x->a->site);
    party_thread(&c->at, x->a->block, x->a->warp, lane);
    c->other = (struct party){0};
    if (other <= WRITER_MASK && blocks * x->threads <= (u64)WRITER_MASK + 1)
        party_thread_linear(&c->other, l, other / x->threads, other % x->threads);
    else
        c->other.kernel = l->kernel->name;
    c->at.does = c->other.does = DOES_WRITE;
    c->at.value_bytes = c->other.value_bytes = (u8)n;
    memcpy(c->at.value, is, n);
    memcpy(c->other.value, was, n);
}

/* n bytes at `at`, in one word, were written in this launch by another thread (other: its number, or more than
 * WRITER_MASK: not known), and nothing orders that write before the lane's. */
static __attribute__((noinline)) void clash(const struct writer *x, u32 lane, u64 at, u32 n, u32 other, bool across)
{
    u8 was[4], is[4];
    const int earlier = earlier_lane(x->a, lane, at & ~(u64)3);
    if (!stored(x->a, lane, at, n, is))
        return;
    if (earlier < 0)
        memcpy(was, (const void *)(uintptr_t)at, n);
    else if (!stored(x->a, (u32)earlier, at, n, was))
        return;
    if (!memcmp(was, is, n))
        return;
    if (x->use->clash.count++ == 0 || (across && !x->use->clash.across)) {
        x->use->clash.across = across;
        describe(x, lane, at, n, other, was, is);
    }
}

/* ---- marks ---- */

/* The mark with `bits` written now. */
static inline u32 marked(u32 mark, u32 tag, u32 bits, u32 word)
{
    if (mark >> MARK_TAG_SHIFT != tag)
        mark = (mark & (MARK_BEFORE | MARK_FILLED)) | (mark & MARK_NOW) << MARK_BEFORE_SHIFT;
    mark |= bits;
    if ((mark & MARK_NOW) == MARK_NOW)
        mark &= ~(u32)MARK_FILLED;
    return (mark & (MARK_BEFORE | MARK_FILLED | MARK_NOW)) | word | tag << MARK_TAG_SHIFT;
}

static inline void whole_word(const struct writer *x, u16 *mark, u32 *who, u64 at, u32 lane)
{
    const u32 m = *mark, me = number_of(x, lane), was = *who;
    if (LS_UNLIKELY(m >> MARK_TAG_SHIFT == x->tag && x->looks && m & MARK_WORD && was >> 8 != me)) {
        const bool across = (((was >> 8) - (u32)x->first) & WRITER_MASK) >= x->threads;
        if (across || ((was & 0xff) == x->epoch && x->epoch < EPOCH_MOST))
            clash(x, lane, at, 4, was >> 8, across);
    }
    *mark = (u16)marked(m, x->tag, MARK_NOW, MARK_WORD);
    *who = me << 8 | x->epoch;
}

/* `bits`: which of the word's bytes. Other threads may be at the others. */
static void part_of_word(const struct writer *x, u16 *mark, u32 *who, u64 word, u32 bits, u32 lane)
{
    const u32 shift = (u32)__builtin_ctz(bits), n = (u32)__builtin_popcount(bits);
    u8 *hash = (u8 *)who + shift;
    u16 was = __atomic_load_n(mark, __ATOMIC_RELAXED);
    const bool mine = was >> MARK_TAG_SHIFT == x->tag;
    if (mine && x->looks && (was & bits) == bits && !(was & MARK_WORD) && *hash && *hash != x->block)
        clash(x, lane, word + shift, n, UINT32_MAX, true);
    if (!mine || !(was & MARK_WORD))
        memset(hash, x->block, n);
    while (!__atomic_compare_exchange_n(mark, &was, (u16)marked(was, x->tag, bits, mine ? was & MARK_WORD : 0), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void store_lane(const struct writer *x, u32 lane)
{
    const struct write_plane *p = check_of(x->w)->of.writecheck;
    const u64 at = x->a->addr[lane], end = at + x->a->size;
    for (u64 word = at & ~(u64)3; word < end; word += 4) {
        const u32 from = word < at ? (u32)(at - word) : 0, to = end - word < 4 ? (u32)(end - word) : 4;
        const u32 bits = ((1u << to) - 1) & ~((1u << from) - 1);
        if (bits == MARK_NOW)
            whole_word(x, write_mark(p, word), write_writer(p, word), word, lane);
        else
            part_of_word(x, write_mark(p, word), write_writer(p, word), word, bits, lane);
    }
}

/* Whether none of n words has been written by this launch. */
static inline bool all_fresh(const u16 *mark, u32 n, u32 tag)
{
    u32 same = 0;
    for (u32 k = 0; k < n; k++)
        same |= (u32)(mark[k] >> MARK_TAG_SHIFT == tag);
    return !same;
}

/* 32 neighbours of a whole number of words each, none of which has been written by this launch. */
static inline void store_row(const struct writer *x, u16 *mark, u32 *who, u32 each)
{
    const u32 first = number_of(x, 0), tag = x->tag << MARK_TAG_SHIFT | MARK_WORD | MARK_NOW;
    for (u32 k = 0; k < 32 * each; k++) {
        const u32 m = mark[k];
        mark[k] = (u16)(tag | (m & MARK_BEFORE) | (m & MARK_NOW) << MARK_BEFORE_SHIFT);
    }
    for (u32 lane = 0; lane < 32; lane++)
        for (u32 k = 0; k < each; k++)
            who[lane * each + k] = ((first + lane) & WRITER_MASK) << 8 | x->epoch;
}

/* Lanes of whole words anywhere. */
static inline void store_words(const struct writer *x, const struct write_plane *p, u32 each)
{
    u16 *mark = (u16 *)(void *)p->marks.cells;
    u32 *who = (u32 *)(void *)p->writers.cells;
    for (u32 left = x->a->mask; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        const u64 at = x->a->addr[lane], k = (at - p->marks.base) >> 2;
        for (u32 j = 0; j < each; j++)
            whole_word(x, &mark[k + j], &who[k + j], at + 4 * j, lane);
    }
}

/* All lanes are in the site's allocation. */
static void store(struct check_worker *w, const struct exec_access *a, struct write_site *s)
{
    const struct write_plane *p = check_of(w)->of.writecheck;
    const struct writer x = writer_of(w, a, s->use);
    s->use->touched |= s->special ? TOUCH_STORE | TOUCH_OTHER : TOUCH_STORE;
    s->use->widest = a->size > s->use->widest ? a->size : s->use->widest;
    if (a->pattern == PATTERN_CONTIGUOUS && a->size % 4 == 0 && is_known(s, a->addr[0], a->addr[31])) {
        u16 *mark = write_mark(p, a->addr[0]);
        if (all_fresh(mark, 8u * a->size, x.tag)) {
            store_row(&x, mark, write_writer(p, a->addr[0]), a->size / 4);
            return;
        }
    }
    if (a->size % 4 == 0 && !a->uncounted) {
        store_words(&x, p, a->size / 4);
        return;
    }
    for (u32 left = a->mask; left; left &= left - 1)
        store_lane(&x, (u32)__builtin_ctz(left));
}

/* ---- events ---- */

/* Lanes of one access that touch several allocations go one by one. */
static void split(struct check_worker *w, const struct exec_access *a, struct write_site *s, u8 touched)
{
    for (u32 left = a->mask; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        struct exec_access one = *a;
        if (!is_known(s, a->addr[lane], a->addr[lane]) && !find_use(w, s, a->addr[lane]))
            continue;
        if (!s->use)
            continue;
        one.mask = 1u << lane;
        one.pattern = PATTERN_GATHER;
        s->use->touched |= touched;
        if (touched & TOUCH_STORE)
            store(w, &one, s);
    }
}

static bool all_known(const struct write_site *s, const struct exec_access *a)
{
    if (a->pattern != PATTERN_GATHER)
        return is_known(s, a->addr[__builtin_ctz(a->mask)], a->addr[31 - __builtin_clz(a->mask)]);
    const u64 lo = s->lo, size = s->hi - s->lo;
    u64 off = 0;
    if (a->mask == UINT32_MAX) {
        for (u32 i = 0; i < IR_LANES; i++)
            off |= (u64)(a->addr[i] - lo >= size);
        return !off;
    }
    for (u32 left = a->mask; left; left &= left - 1)
        off |= (u64)(a->addr[__builtin_ctz(left)] - lo >= size);
    return !off;
}

void write_access(struct check_worker *w, const struct exec_access *a)
{
    w->of.writecheck->asked |= a->op == ACCESS_ATOM;
    if ((a->space != SPACE_GLOBAL && a->space != SPACE_TEX) || !a->block)
        return;
    struct write_site *s = site_of(w, a);
    if (LS_UNLIKELY(!s))
        return;
    u8 touched = a->op == ACCESS_LD ? TOUCH_LOAD : a->op == ACCESS_ST ? TOUCH_STORE : TOUCH_OTHER;
    if (a->space == SPACE_TEX) /* by some of its texels */
        touched = TOUCH_LOAD | TOUCH_OTHER;
    if (LS_UNLIKELY(!all_known(s, a))) {
        const u64 first = a->addr[__builtin_ctz(a->mask)];
        if (!is_known(s, first, first))
            find_use(w, s, first);
        if (!all_known(s, a)) {
            split(w, a, s, touched);
            return;
        }
    }
    if (!s->use)
        return;
    if (touched == TOUCH_STORE) {
        store(w, a, s);
        return;
    }
    s->use->touched |= touched;
}
