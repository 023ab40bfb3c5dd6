/* tensor.h - the box of a tensor that a bulk copy takes (PTX ISA 5.5): where each of its rows lies in global memory and in
 * shared memory. Internal to exec/.
 *
 * A row is the elements of a box along dimension 0. In shared memory rows follow each other without gaps, but with a swizzle each
 * takes the whole span of it; each unit of 16 bytes is where the swizzle puts it. What of a row is outside the tensor is filled on
 * the way in. On the way out units of 16 bytes that begin outside are left out: one that begins inside is stored as a whole, as an
 * H200 does it. */
#ifndef LS_EXEC_TENSOR_H
#define LS_EXEC_TENSOR_H

#include "exec/sync/tensor_map.h"

struct tensor_box {
    struct tensor_map map;
    i32 at[TENSOR_RANKS]; /* the innermost first */
    u16 offsets[3];       /* TENSOR_IM2COL: of W, H, D */
};

struct tensor_row {
    u32 place;        /* in the box as shared memory has it, bytes, before the swizzle */
    u32 bytes;        /* of the row */
    u32 first, count; /* the bytes of it that are inside the tensor; count 0: none */
    u64 address;      /* of these in global memory */
};

enum { TENSOR_ROW_MOST = TENSOR_MOST_BOX * 8, TENSOR_UNIT = 16 };

/* Why the box's map is not one for a copy of that many coordinates in that mode, or they are not for the map; or NULL. `out`: from
 * shared memory, a store or a reduction. */
const char *tensor_wrong(const struct tensor_box *b, u32 rank, enum tensor_mode mode, bool out);
/* Of a whole box; of the shared memory that it takes. */
u32 tensor_box_bytes(const struct tensor_map *m);
u32 tensor_box_room(const struct tensor_map *m);
/* Row by row, until fn says false; false then. */
bool tensor_rows(const struct tensor_box *b, bool (*fn)(void *ctx, const struct tensor_row *r), void *ctx);

/* Where shared memory has the unit of 16 bytes that is at this address without a swizzle (5.5.7): the higher bits of the
 * address choose how the units within a span change places. */
static inline u64 tensor_swizzled(u8 swizzle, u64 address)
{
    const u64 places = (1u << swizzle) - 1;
    return address ^ ((address >> 7 & places) << 4);
}

/* A row that lies in global memory, to shared memory and back. `base` is what the address 0 of shared memory would be at;
 * `box` the address of the box there. */
void tensor_fill_row(const struct tensor_map *m, const struct tensor_row *r, u8 *row);
/* What of the row came from a tensor of tf32 is rounded. */
void tensor_round_row(const struct tensor_map *m, const struct tensor_row *r, u8 *row);
void tensor_put_row(const struct tensor_map *m, const struct tensor_row *r, const u8 *row, u8 *base, u64 box);
void tensor_take_row(const struct tensor_map *m, const struct tensor_row *r, u8 *row, const u8 *base, u64 box);

#endif
