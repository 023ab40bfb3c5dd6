/* feed.h - the counters' events as items of a warp's stream (model/replay/stream.h). */
#ifndef LS_METER_FEED_H
#define LS_METER_FEED_H

#include "meter/access/texels.h"
#include "meter/count.h"
#include "meter/replay/record.h"
#include "model/cache/cache.h"

/* A warp enters a block of f. */
static inline void feed_enter(struct counter *c, const struct func_count *f, u32 block, u32 mask, u32 warp,
                              const struct exec_block_info *b)
{
    if (block < f->fed)
        record_item(c->recorder, b, warp, item_enter(f->index, block, mask), f->weights[block]);
}
/* The same, mostly of the warp of the last access (struct warp_here); false: it is another, or there is no room. */
static inline bool feed_enter_here(const struct counter *c, const struct func_count *f, u32 block, u32 mask, u32 warp,
                                   const struct exec_block_info *b)
{
    const struct warp_here *h = &c->here;
    if (LS_UNLIKELY(h->warp != warp || h->block != b || block >= f->fed || h->record->len == h->record->cap))
        return false;
    record_put(h->record, item_enter(f->index, block, mask), f->weights[block]);
    return true;
}
/* A hash of the sector that an address is in, the same in every run. */
static inline u32 feed_sector(u64 address) { return (u32)((address / CACHE_SECTOR * 0x9e3779b97f4a7c15ull) >> 45); }
/* passes: as in struct item_access. The item; 0: it is not recorded. */
u64 feed_access(struct counter *c, const struct func_count *f, enum access_class class, const struct exec_access *a,
                u32 passes, u32 lines);
/* The same of a load of lanes in many places that L1 is asked for, by an instruction that had `item` for such a one. */
void feed_gather(struct counter *c, const struct site_count *s, const struct exec_access *a, u64 item, u32 passes,
                 u32 lines);
/* The same of one that differs from the one of that item in nothing but where it is. */
void feed_like(struct counter *c, const struct exec_access *a, u64 item, u32 lines, enum traffic_kind kind);
/* A fetch from textures or an access to a surface; l: its lines, NULL: caches are not modelled. */
void feed_texels(struct counter *c, const struct func_count *f, enum access_class class, const struct exec_access *a,
                 const struct texel_cost *cost, const struct lines *l);
/* The lanes of a compare-and-swap in global memory (up to 64 bits) that compare with what it holds now: one of those at each
 * word is about to change it. Inside the access hook only. */
u32 feed_swaps(const struct exec_access *a);
void feed_barrier(struct counter *c, const struct func_count *f, const struct exec_barrier *b);
/* A bulk copy of so many sectors of global memory; what is done to mbarriers of the block. */
void feed_bulk(struct counter *c, const struct func_count *f, const struct exec_bulk *b, u64 sectors);
void feed_order(struct counter *c, const struct func_count *f, const struct exec_order *o);
/* Machine instructions of f's block b, as they are estimated. */
void feed_weigh(struct counter *c, struct func_count *f);

#endif
