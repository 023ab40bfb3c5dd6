/* record.c - streams of blocks while they run, and which are kept (record.h). */
#include "meter/replay/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clones.h"
#include "base/fetch.h"

enum {
    COSTLY = 4, /* most costly blocks */
    ROOM =
        24 << 20, /* items of all blocks that are kept together: 192 MB; half is for the blocks that SM 0 begins with */
    ITEMS_LEAST = 4096,
    POLLS_KEPT = 1,
    MBARRIERS = 64, /* of a block, that are told apart */
    SIZES_MOST = 1 << 18,
};

/* A block that runs. */
struct open_block {
    u64 linear;
    u64 items_most; /* of a warp */
    struct record_warp *warps;
    bool there;
    /* mbarriers that something was done to: where, and how many arrivals there were */
    u64 mbarriers[MBARRIERS];
    u32 arrived[MBARRIERS], nmbarriers;
};

struct sized {
    u64 linear;
    struct replay_size size;
};

struct recorder {
    struct record_here here; /* of `current` */
    struct record_launch launch;
    u64 first_most, items_most; /* of a warp: of the blocks that SM 0 begins with, and of the others */
    struct open_block *open;
    u32 nopen;
    struct open_block *current;
    struct record_block *kept;
    u32 nkept, kept_room;
    double cost;
    struct sized *sizes; /* of all blocks, in launches of SIZES_MOST at most */
    u64 nsizes, sizes_room;
    bool failed;
};

/* ---- making and freeing ---- */

/* Of a warp, where n blocks share half of the room. */
static u64 items_of(const struct record_launch *l, u64 n)
{
    const u64 most = ROOM / 2 / (n * (l->warps ? l->warps : 1));
    return most > ITEMS_LEAST ? most : ITEMS_LEAST;
}

struct recorder *recorder_make(const struct record_launch *l)
{
    struct recorder *r = ls_calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->launch = *l;
    r->first_most = items_of(l, REPLAY_RUN_WAVES * (l->resident ? l->resident : 1));
    r->items_most = items_of(l, (REPLAY_RUNS - 1) * REPLAY_RUN_WAVES * (l->resident ? l->resident : 1) + COSTLY);
    return r;
}

static void free_block(struct record_block *b, u32 warps)
{
    for (u32 k = 0; b->items && k < warps; k++)
        ls_free(b->items[k]);
    ls_free(b->items);
    ls_free(b->lengths);
    *b = (struct record_block){0};
}

void recorder_free(struct recorder *r)
{
    if (!r)
        return;
    for (u32 k = 0; k < r->nkept; k++)
        free_block(&r->kept[k], r->launch.warps);
    for (u32 k = 0; k < r->nopen; k++) {
        for (u32 w = 0; r->open[k].warps && w < r->launch.warps; w++)
            ls_free(r->open[k].warps[w].at);
        ls_free(r->open[k].warps);
    }
    ls_free(r->kept);
    ls_free(r->open);
    ls_free(r->sizes);
    ls_free(r);
}

/* ---- blocks that run ---- */

/* NULL: none. */
static struct open_block *set_current(struct recorder *r, struct open_block *o)
{
    r->current = o;
    r->here = (struct record_here){0};
    if (o)
        r->here = (struct record_here){o->linear, r->launch.warps, o->warps};
    return o;
}

static struct open_block *find_open(struct recorder *r, u64 linear)
{
    if (LS_LIKELY(r->current && r->current->linear == linear))
        return r->current;
    for (u32 k = 0; k < r->nopen; k++)
        if (r->open[k].there && r->open[k].linear == linear)
            return set_current(r, &r->open[k]);
    return NULL;
}

static struct open_block *free_place(struct recorder *r)
{
    for (u32 k = 0; k < r->nopen; k++)
        if (!r->open[k].there)
            return &r->open[k];
    struct open_block *to = ls_realloc(r->open, sizeof *to * (r->nopen + 1));
    if (!to)
        return NULL;
    r->open = to;
    to[r->nopen] = (struct open_block){.warps = ls_calloc(r->launch.warps, sizeof *to->warps)};
    return to[r->nopen].warps ? &r->open[r->nopen++] : NULL;
}

/* Of the blocks that SM 0 begins with. */
static bool starts(const struct record_launch *l, u64 linear)
{
    return linear % l->sms == 0 && linear / l->sms < (u64)REPLAY_RUN_WAVES * l->resident;
}

void record_block_begin(struct recorder *r, const struct exec_block_info *b)
{
    struct open_block *o = free_place(r);
    r->failed |= !o;
    if (o)
        o->linear = b->linear;
    if (!set_current(r, o))
        return;
    o->items_most = starts(&r->launch, b->linear) ? r->first_most : r->items_most;
    o->there = true;
    o->nmbarriers = 0;
    for (u32 w = 0; w < r->launch.warps; w++) {
        struct record_warp *to = &o->warps[w];
        to->len = 0;
        to->cost = to->lost = 0;
        to->polled = to->polls = 0;
    }
}

static __attribute__((noinline)) bool warp_grow(struct recorder *r, struct record_warp *w, u64 most)
{
    if (w->len >= most)
        return false;
    const u64 cap = w->cap ? w->cap * 2 : 64;
    u64 *to = ls_realloc(w->at, sizeof *to * cap);
    r->failed |= !to;
    if (!to)
        return false;
    w->at = to;
    w->cap = cap;
    return true;
}

static inline bool warp_room(struct recorder *r, struct record_warp *w, u64 most)
{
    return LS_LIKELY(w->len < w->cap) || warp_grow(r, w, most);
}

static struct record_warp *warp_of(struct recorder *r, const struct exec_block_info *b, u32 warp)
{
    struct open_block *o = b ? find_open(r, b->linear) : NULL;
    return o && warp < r->launch.warps ? &o->warps[warp] : NULL;
}

/* False: it is cut off. */
static inline bool put(struct recorder *r, struct record_warp *w, u64 item)
{
    if (!warp_room(r, w, r->current->items_most))
        return false;
    w->at[w->len++] = item;
    return true;
}

static void push(struct recorder *r, struct record_warp *w, u64 item, double cost)
{
    w->cost += cost;
    if (!put(r, w, item))
        w->lost += cost;
}

void record_item_anywhere(struct recorder *r, const struct exec_block_info *b, u32 warp, u64 item, double cost)
{
    struct record_warp *w = warp_of(r, b, warp);
    if (w)
        push(r, w, item, cost);
}

CLONES static void items_of_lines(u64 *restrict to, const u64 *restrict number, const u8 *restrict sectors, u32 n,
                                  u32 kind)
{
    for (u32 k = 0; k < n; k++)
        to[k] = item_line(number[k], sectors[k], kind);
}

/* There is room for all. */
static inline void put_all_lines(struct record_warp *w, const struct lines *l, u32 kind)
{
    u64 *to = w->at + w->len;
    fetch_to_write(to + l->n, l->n); /* where the warp's next access will be */
    items_of_lines(to, l->number, l->sectors, l->n, kind);
    w->len += l->n;
}

static void put_lines(struct recorder *r, struct record_warp *w, const struct lines *l, u32 kind)
{
    for (u32 k = 0; k < l->n && warp_room(r, w, r->current->items_most);) {
        const u32 left = l->n - k, n = w->cap - w->len < left ? (u32)(w->cap - w->len) : left;
        items_of_lines(w->at + w->len, l->number + k, l->sectors + k, n, kind);
        w->len += n;
        k += n;
    }
}

void record_access(struct recorder *r, const struct exec_block_info *b, u32 warp, u64 item, const struct lines *l,
                   u32 kind)
{
    struct record_warp *w = warp_of(r, b, warp);
    if (!w)
        return;
    put(r, w, item);
    if (l && w->cap - w->len >= l->n)
        put_all_lines(w, l, kind);
    else if (l)
        put_lines(r, w, l, kind);
}

/* The last item was the same look at the same place, and nothing but jumps came after it. */
static bool polls_again(const struct record_warp *w, u64 item)
{
    if (!w->polled || w->at[w->polled - 1] != item)
        return false;
    for (u64 k = w->polled; k < w->len; k++)
        if (item_kind(w->at[k]) != ITEM_ENTER && !item_is_sleep(w->at[k]))
            return false;
    return true;
}

void record_poll(struct recorder *r, const struct exec_block_info *b, u32 warp, u64 item)
{
    struct record_warp *w = warp_of(r, b, warp);
    if (!w)
        return;
    w->polls = polls_again(w, item) ? w->polls + 1 : 1;
    if (w->polls > POLLS_KEPT) {
        w->cost = w->cost_then;
        w->lost = 0;
        w->len = w->polled;
        return;
    }
    const u64 before = w->len;
    push(r, w, item, 0);
    if (w->len > before) {
        w->polled = w->len;
        w->cost_then = w->cost;
    }
}

/* Its number in the block; ITEM_SLOTS - 1: there is none, or no number left. */
static u32 slot_of(struct open_block *o, u64 barrier)
{
    for (u32 k = 0; k < o->nmbarriers; k++)
        if (o->mbarriers[k] == barrier)
            return k;
    if (barrier == UINT64_MAX || o->nmbarriers == MBARRIERS)
        return ITEM_SLOTS - 1;
    o->mbarriers[o->nmbarriers] = barrier;
    o->arrived[o->nmbarriers] = 0;
    return o->nmbarriers++;
}

void record_async(struct recorder *r, const struct exec_block_info *b, u32 warp, struct item_async a, u64 barrier)
{
    struct record_warp *w = warp_of(r, b, warp);
    if (!w)
        return;
    a.slot = slot_of(r->current, barrier);
    const bool counted = a.slot < MBARRIERS;
    if (a.what == ASYNC_WAIT)
        a.n = counted ? r->current->arrived[a.slot] : 0;
    else if (counted)
        r->current->arrived[a.slot]++;
    push(r, w, item_async(a), 0);
}

/* The last `period` items are entries of blocks, the same as those before them. */
static bool turns_again(const struct record_warp *w, u64 period)
{
    if (w->len < 2 * period)
        return false;
    for (u64 k = w->len - period; k < w->len; k++)
        if (item_kind(w->at[k]) != ITEM_ENTER || w->at[k] != w->at[k - period])
            return false;
    return true;
}

void record_unspin(struct recorder *r, const struct exec_block_info *b, u32 warp, u32 func, const double *weights)
{
    enum { LONGEST = 3 };
    struct record_warp *w = warp_of(r, b, warp);
    for (u64 period = 1; w && period <= LONGEST; period++)
        while (turns_again(w, period))
            for (u64 k = 0; k < period; k++) {
                const u64 item = w->at[--w->len];
                w->cost -= item_func(item) == func ? weights[item_block(item)] : 0;
            }
}

/* ---- which are kept ---- */

static bool is_sample(const struct record_launch *l, u64 linear)
{
    return linear % l->sms == 0 && replay_takes(linear / l->sms, (l->nblocks + l->sms - 1) / l->sms, l->resident);
}

/* Its longest warp is longer, or as long and the block is earlier. */
static bool before(const struct record_block *a, const struct record_block *b)
{
    return a->longest != b->longest ? a->longest > b->longest : a->linear < b->linear;
}

/* The least of the costly ones, when there are as many as are kept; NULL: there is room. */
static struct record_block *least_costly(struct recorder *r)
{
    struct record_block *least = NULL;
    u32 n = 0;
    for (u32 k = 0; k < r->nkept; k++)
        if (!r->kept[k].sample && ++n && (!least || before(least, &r->kept[k])))
            least = &r->kept[k];
    return n < COSTLY ? NULL : least;
}

static struct record_block *new_kept(struct recorder *r)
{
    if (r->nkept == r->kept_room) {
        const u32 room = r->kept_room ? r->kept_room * 2 : 16;
        struct record_block *to = ls_realloc(r->kept, sizeof *to * room);
        if (!to)
            return NULL;
        r->kept = to;
        r->kept_room = room;
    }
    r->kept[r->nkept] = (struct record_block){0};
    return &r->kept[r->nkept++];
}

/* The streams go from the open block to the kept one. */
static bool take_streams(struct recorder *r, struct record_block *to, struct open_block *from)
{
    const u32 n = r->launch.warps;
    to->items = ls_calloc(n, sizeof *to->items);
    to->lengths = ls_calloc(n, sizeof *to->lengths);
    if (!to->items || !to->lengths)
        return false;
    for (u32 w = 0; w < n; w++) {
        struct record_warp *o = &from->warps[w];
        to->items[w] = ls_realloc(o->at, sizeof *o->at * (o->len ? o->len : 1));
        if (!to->items[w])
            return false;
        to->lengths[w] = o->len;
        *o = (struct record_warp){0};
    }
    return true;
}

static struct record_block cost_of(const struct recorder *r, const struct open_block *o)
{
    struct record_block b = {.linear = o->linear, .sample = is_sample(&r->launch, o->linear)};
    for (u32 w = 0; w < r->launch.warps; w++) {
        b.cost += o->warps[w].cost;
        b.kept_cost += o->warps[w].cost - o->warps[w].lost;
        b.longest = o->warps[w].cost > b.longest ? o->warps[w].cost : b.longest;
    }
    return b;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct replay_size size_of(const struct open_block *o, u32 warps)
{
    double costs[1024 / 32];
    struct replay_size size = {0};
    for (u32 w = 0; w < warps; w++)
        costs[w] = o->warps[w].cost;
    qsort(costs, warps, sizeof *costs, by_value);
    size.longest = (float)costs[warps - 1];
    for (u32 g = 0; g < REPLAY_GROUPS; g++) {
        const u32 from = replay_group_begin(warps, g), to = replay_group_begin(warps, g + 1);
        double sum = 0;
        for (u32 w = from; w < to; w++)
            sum += costs[w];
        size.others[g] = to > from ? (float)(sum / (to - from)) : 0;
    }
    return size;
}

static bool keep_size(struct recorder *r, const struct open_block *o)
{
    if (r->nsizes == r->sizes_room) {
        const u64 room = r->sizes_room ? 2 * r->sizes_room : 64;
        struct sized *to = ls_realloc(r->sizes, sizeof *to * room);
        if (!to)
            return false;
        r->sizes = to;
        r->sizes_room = room;
    }
    r->sizes[r->nsizes++] = (struct sized){o->linear, size_of(o, r->launch.warps)};
    return true;
}

void record_block_end(struct recorder *r, const struct exec_block_info *b)
{
    struct open_block *o = find_open(r, b->linear);
    if (!o)
        return;
    const struct record_block made = cost_of(r, o);
    r->failed |= record_has_sizes(r->launch.nblocks) && !keep_size(r, o);
    struct record_block *to = made.sample ? NULL : least_costly(r);
    o->there = false;
    set_current(r, NULL);
    r->cost += made.cost;
    if (to && !before(&made, to))
        return;
    if (to)
        free_block(to, r->launch.warps);
    else if (!(to = new_kept(r))) {
        r->failed = true;
        return;
    }
    *to = made;
    r->failed |= !take_streams(r, to, o);
}

/* ---- all workers ---- */

static int by_cost(const void *a, const void *b)
{
    const struct record_block *x = *(const struct record_block *const *)a, *y = *(const struct record_block *const *)b;
    return x->sample != y->sample ? (x->sample ? -1 : 1) : before(x, y) ? -1 : before(y, x);
}

static int by_place(const void *a, const void *b)
{
    const struct record_block *x = *(const struct record_block *const *)a, *y = *(const struct record_block *const *)b;
    return (x->linear > y->linear) - (x->linear < y->linear);
}

static u32 owner_of(struct recorder *const *all, u32 workers, const struct record_block *b)
{
    for (u32 k = 0; k < workers; k++)
        if (all[k] && b >= all[k]->kept && b < all[k]->kept + all[k]->nkept)
            return k;
    return 0;
}

const struct record_block **record_blocks(struct recorder *const *all, u32 workers, u32 **worker, u32 *n)
{
    u32 total = 0, kept = 0;
    for (u32 k = 0; k < workers; k++)
        total += all[k] ? all[k]->nkept : 0;
    *n = 0;
    const struct record_block **blocks = ls_calloc(total + 1, sizeof *blocks);
    *worker = ls_calloc(total + 1, sizeof **worker);
    if (!blocks || !*worker || !total) {
        ls_free(blocks);
        return NULL;
    }
    for (u32 k = 0; k < workers; k++)
        for (u32 b = 0; all[k] && b < all[k]->nkept; b++)
            blocks[kept++] = &all[k]->kept[b];
    qsort(blocks, kept, sizeof *blocks, by_cost);
    u32 samples = 0;
    while (samples < kept && blocks[samples]->sample)
        samples++;
    *n = kept < samples + COSTLY ? kept : samples + COSTLY;
    qsort(blocks, *n, sizeof *blocks, by_place);
    for (u32 k = 0; k < *n; k++)
        (*worker)[k] = owner_of(all, workers, blocks[k]);
    return blocks;
}

bool record_good(const struct recorder *r) { return !r || !r->failed; }
double record_cost(const struct recorder *r) { return r->cost; }

bool record_has_sizes(u64 nblocks) { return nblocks <= SIZES_MOST; }

bool record_sizes(struct recorder *const *all, u32 workers, u64 nblocks, struct replay_size *to)
{
    u64 n = 0;
    for (u32 k = 0; k < workers; k++)
        for (u64 b = 0; all[k] && b < all[k]->nsizes; b++, n++)
            to[all[k]->sizes[b].linear] = all[k]->sizes[b].size;
    return n == nblocks;
}
