/* mem_share.c - allocations that other processes map too.
 *
 * Device memory is private to its process. When an allocation is shared, its pages move into a file in memory, at the
 * file's same offset as in the range, and are mapped from there at the address where they were: a process that has the
 * file can map them too. Pages of neighbours that an allocation shares its first and last page with move along. They
 * stay in the file when the allocation is freed, only their contents go.
 *
 * The move copies, so the caller makes sure that nothing writes meanwhile; host memory (pinned, managed), which
 * programs write at any time, has pages of its own (device_memory.c). */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "exec/memory/mem_table.h"

static u64 map_base(const struct mem_table *m) { return (u64)(uintptr_t)m->map; }

static bool is_shared(const struct mem_table *m, u64 page)
{
    return m->shared_pages && (m->shared_pages[page / 8] >> page % 8 & 1);
}

static bool make_file(struct mem_table *m)
{
    if (m->share_fd >= 0)
        return true;
    const int fd = memfd_create("lockstep device memory", MFD_CLOEXEC);
    u8 *pages = ls_calloc(1, m->map_bytes / MEM_PAGE / 8 + 1);
    if (fd < 0 || !pages || ftruncate(fd, (off_t)m->map_bytes) != 0) {
        if (fd >= 0)
            close(fd);
        ls_free(pages);
        return false;
    }
    m->share_fd = fd;
    m->shared_pages = pages;
    return true;
}

/* Moves pages [first, end) into the file: copied to a view elsewhere, which then takes their place in one step. */
static bool move_pages(struct mem_table *m, u64 first, u64 end)
{
    const u64 offset = first * MEM_PAGE, bytes = (end - first) * MEM_PAGE;
    void *view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, m->share_fd, (off_t)offset);
    if (view == MAP_FAILED)
        return false;
    memcpy(view, m->map + offset, bytes);
    if (mremap(view, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, m->map + offset) == MAP_FAILED) {
        munmap(view, bytes);
        return false;
    }
    madvise(m->map + offset, bytes, MADV_DONTDUMP);
    for (u64 p = first; p < end; p++)
        m->shared_pages[p / 8] |= (u8)(1u << p % 8);
    return true;
}

/* Moves what is not there yet of pages [page, end), run by run. */
static bool move_rest(struct mem_table *m, u64 page, u64 end)
{
    while (page < end) {
        u64 to = page;
        while (to < end && !is_shared(m, to))
            to++;
        if (to > page && !move_pages(m, page, to))
            return false;
        page = to + 1;
    }
    return true;
}

static void page_range(const struct mem_table *m, const struct extent *e, u64 *first, u64 *end)
{
    *first = (e->base - map_base(m)) / MEM_PAGE;
    *end = (e->base + e->size - map_base(m) + MEM_PAGE - 1) / MEM_PAGE;
}

static struct extent *device_at(struct mem_table *m, u64 address)
{
    struct extent *e = mem_live_at(m, address);
    return e && e->base == address && e->kind == MEM_DEVICE ? e : NULL;
}

bool mem_is_shared(struct mem *v, u64 address)
{
    struct mem_table *m = v->table;
    u64 page = 0, end = 0;
    mem_lock(m);
    const struct extent *e = device_at(m, address);
    if (e)
        page_range(m, e, &page, &end);
    while (page < end && is_shared(m, page))
        page++;
    mem_unlock(m);
    return e && page == end;
}

enum ls_status mem_share(struct mem *v, u64 address, struct mem_shared *out)
{
    struct mem_table *m = v->table;
    enum ls_status s = LS_ERR_INVALID;
    mem_lock(m);
    const struct extent *e = device_at(m, address);
    if (e) {
        u64 page, end;
        page_range(m, e, &page, &end);
        s = make_file(m) && move_rest(m, page, end) ? LS_OK : LS_ERR_NOMEM;
        *out = (struct mem_shared){.fd = m->share_fd, .offset = e->base - map_base(m), .size = e->size};
    }
    mem_unlock(m);
    return s;
}

enum ls_status mem_import(struct mem *m, const struct mem_shared *from, u64 *address)
{
    const u64 skip = from->offset % MEM_PAGE, bytes = ls_align_up(skip + from->size, MEM_PAGE);
    u64 at;
    *address = 0;
    if (!from->size || bytes < from->size)
        return LS_ERR_INVALID;
    void *home =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, from->fd, (off_t)(from->offset - skip));
    if (home == MAP_FAILED)
        return LS_ERR_NOMEM;
    enum ls_status s = mem_reserve(m, bytes, MEM_PAGE, 0, &at);
    if (s == LS_OK && (s = mem_map(m, at + skip, from->size, home, MEM_MAPPED)) != LS_OK)
        mem_unreserve(m, at);
    munmap(home, bytes);
    if (s == LS_OK)
        *address = at + skip;
    return s;
}

void mem_share_release(struct mem_table *m, u64 lo, u64 hi)
{
    if (m->share_fd >= 0)
        (void)fallocate(m->share_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(lo - map_base(m)),
                        (off_t)(hi - lo));
}

void mem_share_end(struct mem_table *m)
{
    if (m->share_fd >= 0)
        close(m->share_fd);
    ls_free(m->shared_pages);
}
