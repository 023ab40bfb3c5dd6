/* mem_tree.h - the extents of device memory, ordered by address: a treap that also knows where free space is.
 * Internal to device_memory.c and mem_tree.c; the caller holds the table's lock. */
#ifndef LS_EXEC_MEM_TREE_H
#define LS_EXEC_MEM_TREE_H

#include "base/base.h"

enum extent_state {
    EXTENT_LIVE,     /* an allocation */
    EXTENT_FREED,    /* freed and in quarantine: not used again yet, so that late accesses can be named */
    EXTENT_FREE,     /* may be allocated */
    EXTENT_RESERVED, /* addresses, and in `inside` the mappings there (mem_map.c) */
};

/*      base                base + size         base + span
 *       | the caller's bytes |   red zone         |            LIVE and FREED; the red zone is never handed out
 *       | ................ free ................. |            FREE (size 0)
 *
 * Extents never overlap. Those of the range tile it without holes; registered host memory and reservations of addresses
 * stand apart. */
struct extent {
    u64 base, size, span;
    u64 serial;
    const char *name;
    u8 kind, state;
    u8 device;            /* whose memory it is */
    bool listed;          /* only these devices may touch it; peers are not asked: */
    u16 readers, writers; /* a bit each */
    u32 priority;
    u64 max_free; /* the largest FREE span in this subtree */
    struct extent *left, *right;
    struct extent *inside; /* of a reservation: the root of its mappings */
    struct extent *next;   /* in the quarantine's queue */
};

void tree_insert(struct extent **root, struct extent *e);
void tree_remove(struct extent **root, struct extent *e);
struct extent *tree_floor(struct extent *root, u64 address); /* the last one with base <= address */
struct extent *tree_above(struct extent *root, u64 address); /* the first one with base > address */
struct extent *tree_fit(struct extent *root, u64 span);      /* the lowest FREE one of at least span bytes */
void tree_each(struct extent *root, void (*fn)(void *ctx, struct extent *e), void *ctx);

#endif
