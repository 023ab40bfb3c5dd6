/* shadow.h - what is remembered of device memory: a plane of fixed-size cells, one for each `granule` bytes of the range
 * that device memory lies in. The plane is reserved address space; the host gives pages when cells are touched, all zero.
 *
 *     device memory   base ............................................ base + size
 *     plane           cell 0, cell 1, ...       cell (address - base) / granule
 *
 * Memory outside the range (registered by the host) has no cells. */
#ifndef LS_CHECK_SHADOW_H
#define LS_CHECK_SHADOW_H

#include "base/base.h"
#include "base/status.h"

struct shadow {
    u8 *cells;
    u64 base, size;   /* of the memory, bytes */
    u32 granule_bits; /* a cell is for 1 << granule_bits bytes */
    u32 cell_bits;    /* of 1 << cell_bits bytes */
    u64 bytes;        /* reserved */
};

/* cell_bytes: a power of two. */
enum ls_status shadow_create(struct shadow *s, u64 base, u64 size, u32 granule, u32 cell_bytes);
void shadow_destroy(struct shadow *s);

/* Whether all of [address, address + n) has cells. */
static inline bool shadow_has(const struct shadow *s, u64 address, u64 n)
{
    return address - s->base < s->size && s->size - (address - s->base) >= n;
}

static inline void *shadow_cell(const struct shadow *s, u64 address)
{
    return s->cells + ((address - s->base) >> s->granule_bits << s->cell_bits);
}

/* All cells of the range become zero; whole pages go back to the host. */
void shadow_clear(struct shadow *s, u64 address, u64 n);

#endif
