/* mem_table.h - the table of device memory from inside: what device_memory.c, mem_map.c and mem_share.c have in
 * common. */
#ifndef LS_EXEC_MEM_TABLE_H
#define LS_EXEC_MEM_TABLE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/intern.h"
#include "exec/memory/device_memory.h"
#include "exec/memory/mem_tree.h"

enum { MEM_SHARDS = 16, MEM_PAGE = 4096 };

/* Apart by more than a cache line, whatever the alignment of the whole. */
struct mem_shard {
    pthread_rwlock_t lock;
    u8 pad[128];
};

/* What one device has and sees of the memory of all; the last one, of no device, sees everything. */
struct mem {
    struct mem_table *table;
    unsigned device;
    u32 peers; /* a bit a device whose memory this one may touch */
    u64 capacity, used, heap_used, heap_limit;
};

struct mem_table {
    struct mem_shard shards[MEM_SHARDS];
    struct mem views[MEM_DEVICES + 1]; /* by device */
    unsigned devices;
    u8 *map;
    u64 map_bytes;
    u64 shared_window, local_window;
    u64 first, end; /* of the extents */
    bool poison;
    u64 serial;
    _Atomic u64 epoch;
    struct extent *root;
    struct extent *oldest, *newest; /* the quarantine */
    u64 quarantined_bytes, quarantined;
    struct extent *spare; /* extents to use again, linked by next */
    struct arena names_mem;
    struct intern names;
    int share_fd;     /* the file behind pages that other processes may map; -1: there is none */
    u8 *shared_pages; /* a bit a page of `map`: it is backed by share_fd */
    struct mem_observer observer;
};

/* The lock for a change: no look-ups meanwhile. */
void mem_lock(struct mem_table *m);
void mem_unlock(struct mem_table *m);

/* The rest with the lock held. */
struct extent *mem_new_extent(struct mem_table *m); /* zeroed; NULL: no memory */
void mem_drop_extent(struct mem_table *m, struct extent *e);
bool mem_occupied(struct mem_table *m, u64 lo, u64 size); /* does any extent touch [lo, lo + size)? */
struct extent *mem_live_at(struct mem_table *m, u64 address);
/* What the extent is to a device: its kind, but of memory with rights of its own the one that says what v may do. */
enum mem_kind mem_kind_for(const struct mem *v, const struct extent *e);
bool mem_same_rights(const struct extent *a, const struct extent *b);
struct mem_block mem_as_block(const struct mem *v, const struct extent *e);
void mem_tell_made(const struct mem_table *m, const struct extent *e);
void mem_tell_gone(const struct mem_table *m, const struct extent *e);

/* mem_map.c: the mapping of a reservation that contains address, or NULL. */
struct extent *mem_mapping_at(const struct extent *reservation, u64 address);
/* Widens [*lo, *hi), a mapping's, by its neighbours with the same rights. */
void mem_widen(const struct extent *reservation, const struct extent *mapping, u64 *lo, u64 *hi);
void mem_end_reservation(struct extent *reservation); /* its pages and mappings go */

/* mem_share.c: gives the pages of [lo, hi) that other processes could map back to the host. */
void mem_share_release(struct mem_table *m, u64 lo, u64 hi);
void mem_share_end(struct mem_table *m);

#endif
