/* device_memory.h - device memory: one reserved range of the host's address space, its allocator, and the table of what
 * is alive and what was freed.
 *
 * A device address is a host address, so a checked access needs no translation. Every allocation is followed by a red
 * zone, freed memory is quarantined for a while before it is used again, and accesses are checked from the first to the
 * last byte against the allocation that contains the first. Host memory that kernels may touch (pinned, registered,
 * managed) is in the same table, and so are reservations of addresses and what is mapped there. The shared and local
 * windows are reserved, inaccessible ranges: a generic address inside one means shared or local memory.
 *
 * Several devices share the range and the table; each has a struct mem of its own, which says how much memory it has
 * and what it may touch. Every device may touch host memory and managed memory; other memory may be touched by its
 * device and the devices that were made its peers (mem_set_peer), or of those that have rights to just this memory
 * (mem_set_rights, mem_set_access).
 *
 * Thread-safe. Look-ups take no lock on the hit path of a caller's own cache (see mem_range). */
#ifndef LS_EXEC_DEVICE_MEMORY_H
#define LS_EXEC_DEVICE_MEMORY_H

#include "base/base.h"
#include "base/status.h"

enum mem_kind {
    MEM_DEVICE,      /* cuMemAlloc */
    MEM_PINNED,      /* cuMemAllocHost: host memory, mapped */
    MEM_MANAGED,     /* cuMemAllocManaged, .managed variables */
    MEM_REGISTERED,  /* cuMemHostRegister: the caller's own memory */
    MEM_GLOBAL,      /* a module's .global variable */
    MEM_CONST,       /* a module's .const variable: kernels may not write it */
    MEM_HEAP,        /* device-side malloc */
    MEM_INTERNAL,    /* ours */
    MEM_MAPPED,      /* mapped where addresses were reserved: cuMemMap, memory of other processes */
    MEM_MAPPED_READ, /* the same, to be read only */
    MEM_MAPPED_NONE, /* the same, and nobody may touch it */
    MEM_RESERVED,    /* addresses where nothing is mapped */
};

static inline bool mem_is_mapped(u8 kind)
{
    return kind == MEM_MAPPED || kind == MEM_MAPPED_READ || kind == MEM_MAPPED_NONE;
}

/* Kernels may not write it. */
static inline bool mem_read_only(enum mem_kind kind) { return kind == MEM_CONST || kind == MEM_MAPPED_READ; }

/* One allocation, alive or freed. A copy: the table may change after the call. */
struct mem_block {
    u64 base, size;
    u8 kind; /* enum mem_kind */
    bool live;
    u8 device;        /* whose memory it is */
    u64 serial;       /* 1, 2, ... in order of allocation */
    const char *name; /* a variable's name, or NULL */
};

enum { MEM_ALIGN = 256 };
/* A GPU maps pages of 2 MiB and knows nothing of what lies in them: an access a little behind an allocation does it no
 * harm. So this many bytes behind each allocation belong to no other: a caller may let accesses there pass, as a GPU
 * does (mem_behind). */
enum { MEM_SLACK = 512 };
#define MEM_WINDOW_BYTES                                                                                               \
    (16u << 20) /* size of the local window, and what a block has of the shared one: 16 MiB, as on the hardware */
/* Blocks that the shared window has room for: those of the largest cluster, and one that no cluster has. */
#define MEM_SHARED_BLOCKS 17u
#define MEM_SHARED_WINDOW_BYTES (MEM_SHARED_BLOCKS * MEM_WINDOW_BYTES)

struct mem;

/* Reserves address space for `capacity` bytes of device memory (less if the host refuses; at least 1 GiB or
 * LS_ERR_NOMEM). Nothing is touched until used. */
enum ls_status mem_create(u64 capacity, struct mem **out);
/* The same for several devices, `capacity` bytes each; *out is the first one's. */
enum { MEM_DEVICES = 16 };
enum ls_status mem_create_devices(u64 capacity, unsigned devices, struct mem **out);
void mem_destroy(struct mem *m); /* of all devices, by any of them */

struct mem *mem_of_device(struct mem *m, unsigned device);
struct mem *mem_of_all(struct mem *m); /* of no device: it allocates nothing, and sees and may touch everything */
/* m's device may touch the memory of that one, or may no more. */
void mem_set_peer(struct mem *m, unsigned device, bool yes);
/* The allocation at address is no longer open to its device's peers, but to the devices of these masks. */
void mem_set_rights(struct mem *m, u64 address, u32 readers, u32 writers);

u64 mem_shared_window(const struct mem *m); /* base of the shared window, a generic address */
u64 mem_count_base(const struct mem *m);    /* from where to count addresses that are to be the same in every run */
u64 mem_local_window(const struct mem *m);

/* Allocates; the contents are whatever was there (0xCD bytes after mem_set_poison, else zero pages the
 * first time). align is a power of two, at least MEM_ALIGN is used. name may be NULL (copied). */
enum ls_status mem_alloc(struct mem *m, u64 size, u64 align, enum mem_kind kind, const char *name, u64 *address);
/* LS_ERR_INVALID when address is not the base of a live allocation of one of MEM_DEVICE/PINNED/MANAGED/HEAP/... */
enum ls_status mem_free(struct mem *m, u64 address);
/* Puts host memory into the table (kind MEM_REGISTERED) and takes it out again. */
enum ls_status mem_register(struct mem *m, void *host, u64 size);
enum ls_status mem_unregister(struct mem *m, void *host);

/* Mapped memory. Addresses and sizes of reservations are multiples of a page (4 KiB); accesses to a reservation fault
 * until something is mapped. hint: where it should be, or 0. mem_unreserve: of a whole reservation, without mappings.
 */
enum ls_status mem_reserve(struct mem *m, u64 size, u64 align, u64 hint, u64 *address);
enum ls_status mem_unreserve(struct mem *m, u64 address);
/* The reservation that contains address; empty: nothing is mapped there. */
bool mem_reserved(struct mem *m, u64 address, u64 *base, u64 *size, bool *empty);
/* Shows the memory at home, a shared mapping of the host, at reserved addresses, as memory of m's device: MEM_MAPPED,
 * open to its peers, or what else of MEM_MAPPED_* the device alone may do. home may go afterwards. LS_ERR_INVALID: not
 * reserved, or something is mapped there. */
enum ls_status mem_map(struct mem *m, u64 address, u64 size, void *home, enum mem_kind kind);
/* Of whole mappings, one or several without a gap, else LS_ERR_INVALID. */
enum ls_status mem_unmap(struct mem *m, u64 address, u64 size);
/* What m's device may do there: one of MEM_MAPPED_*. */
enum ls_status mem_set_access(struct mem *m, u64 address, u64 size, enum mem_kind kind);
bool mem_mapping(struct mem *m, u64 address, struct mem_block *out); /* the mapping that contains address */
/* Counts memory that is allocated elsewhere as used. False: the device has not that much left. */
bool mem_charge(struct mem *m, u64 bytes);
void mem_discharge(struct mem *m, u64 bytes);

/* An allocation's bytes in a file that other processes may map; the file is the table's. */
struct mem_shared {
    int fd;
    u64 offset, size;
};
/* Of a MEM_DEVICE allocation. Its pages move, so device memory may not be written meanwhile, unless mem_is_shared. */
enum ls_status mem_share(struct mem *m, u64 address, struct mem_shared *out);
bool mem_is_shared(struct mem *m, u64 address);
/* Another process's memory: MEM_MAPPED at a new address, in a reservation of its own, which begins at that address
 * rounded down to MEM_IMPORT_ALIGN. */
enum { MEM_IMPORT_ALIGN = 4096 };
enum ls_status mem_import(struct mem *m, const struct mem_shared *from, u64 *address);

/* The live allocation that contains address and that m's device may touch: true and its range [*lo, *hi) and kind;
 * mappings that touch and have the same rights are one. This is what a body caches an instruction: an access [a, a + n)
 * with lo <= a and a + n <= hi needs no look-up while mem_epoch is the same. */
bool mem_range(struct mem *m, u64 address, u64 *lo, u64 *hi, enum mem_kind *kind);
/* All of [address, address + size) is in a live allocation, *b, or in the MEM_SLACK bytes behind it, and kernels may do
 * that with *b's memory; mem_range knows nothing of those bytes. Of registered memory they end with the host's page;
 * mapped memory is whole pages already and has none. */
bool mem_behind(struct mem *m, u64 address, u64 size, bool write, struct mem_block *b);
/* Changes whenever an allocation is freed or unregistered (caches must then be dropped). Launches read it at start;
 * frees wait for running kernels in the driver, and device-side free bumps it. */
u64 mem_epoch(const struct mem *m);

/* The allocation that contains address or is nearest to it, alive or freed; false when the table is empty. */
bool mem_nearest(struct mem *m, u64 address, struct mem_block *out);
/* "0 bytes after the 64-byte allocation #3 (device) at 0x7f..."; always NUL-terminated. Of another device's memory also
 * that it is, and that m's device may not touch it. */
void mem_describe(struct mem *m, u64 address, u64 size, char *buf, size_t n);

/* The observer of allocations: called with the new or the freed block, under the table's lock, so it must not come back
 * here. Registered and mapped memory too. One observer; NULL: none. */
struct mem_observer {
    void *ctx;
    void (*made)(void *ctx, const struct mem_block *b);
    void (*gone)(void *ctx, const struct mem_block *b);
};
void mem_observe(struct mem *m, const struct mem_observer *o);
/* The reserved range that all allocations but registered and mapped ones lie in: shadows of device memory are made for
 * it. */
void mem_extent(const struct mem *m, u64 *base, u64 *size);

u64 mem_used(struct mem *m); /* bytes in live MEM_DEVICE, MANAGED, GLOBAL, CONST and HEAP allocations, and charged */
u64 mem_capacity(struct mem *m); /* bytes of the device */
/* Less than what was asked for at first; before anything is allocated. */
void mem_set_capacity(struct mem *m, u64 bytes);
/* What is allocated from now on, on all devices, is filled with 0xCD bytes. */
void mem_set_poison(struct mem *m, bool on);
/* The most that live MEM_HEAP allocations may hold together; 8 MiB unless set. */
void mem_set_heap_limit(struct mem *m, u64 bytes);
/* Calls fn for every live allocation of m's device, in address order; of mem_of_all for every one. */
void mem_each(struct mem *m, void (*fn)(void *ctx, const struct mem_block *b), void *ctx);

#endif
