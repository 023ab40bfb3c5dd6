/* shadow.c - planes of cells beside device memory, in address space that the host fills with pages as they are touched. */
#include "check/core/shadow.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum ls_status shadow_create(struct shadow *s, u64 base, u64 size, u32 granule, u32 cell_bytes)
{
    const u32 granule_bits = (u32)__builtin_ctz(granule), cell_bits = (u32)__builtin_ctz(cell_bytes);
    const u64 bytes = ((size + granule - 1) >> granule_bits) << cell_bits;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return LS_ERR_NOMEM;
    *s = (struct shadow){
        .cells = at, .base = base, .size = size, .granule_bits = granule_bits, .cell_bits = cell_bits, .bytes = bytes};
    return LS_OK;
}

void shadow_destroy(struct shadow *s)
{
    if (s->cells)
        munmap(s->cells, s->bytes);
    *s = (struct shadow){0};
}

void shadow_clear(struct shadow *s, u64 address, u64 n)
{
    if (!n || !shadow_has(s, address, n))
        return;
    const u64 page = (u64)sysconf(_SC_PAGESIZE);
    u8 *from = shadow_cell(s, address), *to = (u8 *)shadow_cell(s, address + n - 1) + ((u64)1 << s->cell_bits);
    u8 *first = (u8 *)(uintptr_t)ls_align_up((uintptr_t)from, page), *last = (u8 *)((uintptr_t)to & ~(page - 1));
    if (first >= last || madvise(first, (size_t)(last - first), MADV_DONTNEED)) {
        memset(from, 0, (size_t)(to - from));
        return;
    }
    memset(from, 0, (size_t)(first - from));
    memset(last, 0, (size_t)(to - last));
}
