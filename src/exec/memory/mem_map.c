/* mem_map.c - addresses without memory, and memory that is mapped there: what cuMemMap and memory of other processes
 * stand on.
 *
 * A reservation is a mapping of the host's own, apart from the range that device_memory.c hands out, and an extent of
 * the table. Its mappings are extents too, in a tree of the reservation's. Memory comes as a *home*: a shared mapping
 * of the host, of which each mapping is another view (mremap with an old size of 0), so the same home at two addresses
 * shows the same bytes.
 *
 *     reservation   | none | mapping | mapping |  none  |        accesses are checked against runs of mappings that
 *     home                 | 0 ..... |  0 .... |                 touch and have the same rights
 *
 * What is unmapped becomes private pages of zeros, not a hole: a kernel that uses the addresses nevertheless, by a
 * range that it looked up before, does no harm. */
#include <string.h>
#include <sys/mman.h>

#include "exec/memory/mem_table.h"

static u64 page_down(u64 at) { return at & ~(u64)(MEM_PAGE - 1); }

static u64 page_up(u64 at) { return ls_align_up(at, MEM_PAGE); }

static void *pointer(u64 address) { return (void *)(uintptr_t)address; }

/* ---- reservations ---- */

static u64 host_range(u64 at, u64 size, int flags)
{
    void *p = mmap(pointer(at), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    return p == MAP_FAILED ? 0 : (u64)(uintptr_t)p;
}

/* Host addresses: at the hint if they are free there, else anywhere with the alignment. 0: there are none. */
static u64 find_addresses(u64 size, u64 align, u64 hint)
{
    u64 at = hint && hint % align == 0 ? host_range(hint, size, MAP_FIXED_NOREPLACE) : 0;
    if (at && at != hint) { /* a kernel that does not know the flag */
        munmap(pointer(at), size);
        at = 0;
    }
    if (at)
        return at;
    const u64 slack = align > MEM_PAGE ? align : 0;
    at = host_range(0, size + slack, 0);
    if (!at || !slack)
        return at;
    const u64 base = ls_align_up(at, align);
    if (base > at)
        munmap(pointer(at), base - at);
    if (base + size < at + size + slack)
        munmap(pointer(base + size), at + slack - base);
    return base;
}

enum ls_status mem_reserve(struct mem *v, u64 size, u64 align, u64 hint, u64 *address)
{
    struct mem_table *m = v->table;
    *address = 0;
    if (!size || size % MEM_PAGE || (align & (align - 1)))
        return LS_ERR_INVALID;
    if (align < MEM_PAGE)
        align = MEM_PAGE;
    if (size + align < size)
        return LS_ERR_NOMEM;
    const u64 at = find_addresses(size, align, hint);
    if (!at)
        return LS_ERR_NOMEM;
    madvise(pointer(at), size, MADV_DONTDUMP);
    mem_lock(m);
    struct extent *e = mem_occupied(m, at, size) ? NULL : mem_new_extent(m);
    if (e) {
        e->base = at;
        e->size = e->span = size;
        e->state = EXTENT_RESERVED;
        e->kind = MEM_RESERVED;
        e->serial = ++m->serial;
        tree_insert(&m->root, e);
    }
    mem_unlock(m);
    if (!e) {
        munmap(pointer(at), size);
        return LS_ERR_NOMEM;
    }
    *address = at;
    return LS_OK;
}

static struct extent *reservation_at(struct mem_table *m, u64 address)
{
    struct extent *e = tree_floor(m->root, address);
    return e && e->state == EXTENT_RESERVED && address - e->base < e->size ? e : NULL;
}

bool mem_reserved(struct mem *v, u64 address, u64 *base, u64 *size, bool *empty)
{
    struct mem_table *m = v->table;
    mem_lock(m);
    const struct extent *r = reservation_at(m, address);
    if (r) {
        *base = r->base;
        *size = r->size;
        *empty = !r->inside;
    }
    mem_unlock(m);
    return r;
}

void mem_end_reservation(struct extent *reservation) { munmap(pointer(reservation->base), reservation->size); }

enum ls_status mem_unreserve(struct mem *v, u64 address)
{
    struct mem_table *m = v->table;
    mem_lock(m);
    struct extent *r = reservation_at(m, address);
    const bool ok = r && r->base == address && !r->inside;
    if (ok) {
        mem_end_reservation(r);
        tree_remove(&m->root, r);
        mem_drop_extent(m, r);
        atomic_fetch_add_explicit(&m->epoch, 1, memory_order_release);
    }
    mem_unlock(m);
    return ok ? LS_OK : LS_ERR_INVALID;
}

/* ---- mappings ---- */

struct extent *mem_mapping_at(const struct extent *reservation, u64 address)
{
    struct extent *e = tree_floor(reservation->inside, address);
    return e && address - e->base < e->size ? e : NULL;
}

void mem_widen(const struct extent *reservation, const struct extent *mapping, u64 *lo, u64 *hi)
{
    for (const struct extent *e; (e = mem_mapping_at(reservation, *lo - 1)) && mem_same_rights(e, mapping);)
        *lo = e->base;
    for (const struct extent *e; (e = mem_mapping_at(reservation, *hi)) && mem_same_rights(e, mapping);)
        *hi = e->base + e->size;
}

/* No mapping has a page of [lo, hi). */
static bool pages_free(const struct extent *r, u64 lo, u64 hi)
{
    const struct extent *e = tree_floor(r->inside, hi - 1);
    return !e || page_up(e->base + e->size) <= lo;
}

static void set_access(struct extent *e, u32 device, enum mem_kind kind)
{
    const bool reads = kind != MEM_MAPPED_NONE, writes = kind == MEM_MAPPED;
    e->listed = true;
    e->readers = (u16)(reads ? e->readers | device : e->readers & ~device);
    e->writers = (u16)(writes ? e->writers | device : e->writers & ~device);
}

static enum ls_status map_locked(const struct mem *v, u64 address, u64 size, void *home, enum mem_kind kind)
{
    struct mem_table *m = v->table;
    const u64 lo = page_down(address), hi = page_up(address + size);
    struct extent *r = reservation_at(m, address);
    if (!r || hi - r->base > r->size || !pages_free(r, lo, hi))
        return LS_ERR_INVALID;
    struct extent *e = mem_new_extent(m);
    if (!e)
        return LS_ERR_NOMEM;
    if (mremap(home, 0, hi - lo, MREMAP_MAYMOVE | MREMAP_FIXED, pointer(lo)) == MAP_FAILED) {
        mem_drop_extent(m, e);
        return LS_ERR_NOMEM;
    }
    madvise(pointer(lo), hi - lo, MADV_DONTDUMP);
    e->base = address;
    e->size = e->span = size;
    e->kind = MEM_MAPPED;
    e->device = (u8)v->device;
    if (kind != MEM_MAPPED)
        set_access(e, 1u << v->device, kind);
    e->state = EXTENT_LIVE;
    e->serial = ++m->serial;
    tree_insert(&r->inside, e);
    mem_tell_made(m, e);
    return LS_OK;
}

enum ls_status mem_map(struct mem *v, u64 address, u64 size, void *home, enum mem_kind kind)
{
    struct mem_table *m = v->table;
    if (!size || address + size < address)
        return LS_ERR_INVALID;
    mem_lock(m);
    const enum ls_status s = map_locked(v, address, size, home, kind);
    mem_unlock(m);
    return s;
}

/* [address, address + size) is whole mappings without a hole. */
static bool whole_mappings(const struct extent *r, u64 address, u64 size)
{
    u64 at = address;
    while (at < address + size) {
        const struct extent *e = mem_mapping_at(r, at);
        if (!e || e->base != at || e->size > address + size - at)
            return false;
        at += e->size;
    }
    return size > 0;
}

static void unmap_one(struct mem_table *m, struct extent *r, struct extent *e)
{
    const u64 lo = page_down(e->base), hi = page_up(e->base + e->size);
    mmap(pointer(lo), hi - lo, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    mem_tell_gone(m, e);
    tree_remove(&r->inside, e);
    mem_drop_extent(m, e);
}

enum ls_status mem_unmap(struct mem *v, u64 address, u64 size)
{
    struct mem_table *m = v->table;
    mem_lock(m);
    struct extent *r = reservation_at(m, address);
    const bool ok = r && whole_mappings(r, address, size);
    for (struct extent *e; ok && size > 0;) {
        e = mem_mapping_at(r, address);
        address += e->size;
        size -= e->size;
        unmap_one(m, r, e);
    }
    if (ok)
        atomic_fetch_add_explicit(&m->epoch, 1, memory_order_release);
    mem_unlock(m);
    return ok ? LS_OK : LS_ERR_INVALID;
}

enum ls_status mem_set_access(struct mem *v, u64 address, u64 size, enum mem_kind kind)
{
    struct mem_table *m = v->table;
    mem_lock(m);
    const struct extent *r = reservation_at(m, address);
    const bool ok = r && whole_mappings(r, address, size);
    for (struct extent *e; ok && size > 0; address += e->size, size -= e->size) {
        e = mem_mapping_at(r, address);
        set_access(e, 1u << v->device, kind);
    }
    if (ok)
        atomic_fetch_add_explicit(&m->epoch, 1, memory_order_release);
    mem_unlock(m);
    return ok ? LS_OK : LS_ERR_INVALID;
}

bool mem_mapping(struct mem *v, u64 address, struct mem_block *out)
{
    struct mem_table *m = v->table;
    mem_lock(m);
    const struct extent *r = reservation_at(m, address);
    const struct extent *e = r ? mem_mapping_at(r, address) : NULL;
    if (e)
        *out = mem_as_block(v, e);
    mem_unlock(m);
    return e;
}

bool mem_charge(struct mem *v, u64 bytes)
{
    mem_lock(v->table);
    const bool ok = bytes <= v->capacity - v->used;
    v->used += ok ? bytes : 0;
    mem_unlock(v->table);
    return ok;
}

void mem_discharge(struct mem *v, u64 bytes)
{
    mem_lock(v->table);
    v->used -= bytes;
    mem_unlock(v->table);
}
