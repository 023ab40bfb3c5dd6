/* tensor.c - see tensor.h.
 *
 * Tiles: the box begins at the coordinates and has every steps[k]-th element along dimension k. im2col: a column of pixels,
 * which begins at the coordinates and goes through a window of the tensor, W first, then H, D and N; offsets then move each
 * pixel. */
#include "exec/sync/tensor.h"

#include <string.h>

/* A map that a kernel made may lack a field. */
static bool is_whole(const struct tensor_map *m)
{
    for (u32 k = 0; k < m->rank; k++)
        if (!m->steps[k] || (m->mode == TENSOR_TILED && !m->box[k]))
            return false;
    return true;
}

/* An H200 takes a box that does not begin at a multiple of 16 bytes for an illegal instruction. */
const char *tensor_wrong(const struct tensor_box *b, u32 rank, enum tensor_mode mode)
{
    const struct tensor_map *m = &b->map;
    if (m->mark != TENSOR_MAP_MARK || m->type >= TENSOR_TYPES || m->rank > TENSOR_RANKS || m->swizzle >= SWIZZLES ||
        m->interleave >= INTERLEAVES || m->fill >= FILLS)
        return "its address is not that of a tensor map";
    if (m->rank != rank)
        return "the tensor map is of another number of dimensions";
    if (!is_whole(m))
        return "the kernel made the tensor map and left out its box or its steps";
    if (m->mode != mode)
        return m->mode == TENSOR_TILED ? "the tensor map is one of tiles, not of im2col"
                                       : "the tensor map is one of im2col, not of tiles";
    if (!m->interleave && (i64)b->at[0] * tensor_element(m->type) % TENSOR_UNIT)
        return "the box does not begin at a multiple of 16 bytes of the tensor's first dimension";
    return NULL;
}

/* Elements of a box along dimension k. */
static u32 count_of(const struct tensor_map *m, u32 k)
{
    return k || m->interleave ? (m->box[k] + m->steps[k] - 1u) / m->steps[k] : m->box[k];
}

static u32 row_elements(const struct tensor_map *m) { return m->mode == TENSOR_TILED ? count_of(m, 0) : m->channels; }

static u32 row_bytes(const struct tensor_map *m) { return row_elements(m) * tensor_element(m->type); }
/* From one row to the next in shared memory. */
static u32 row_room(const struct tensor_map *m)
{
    const u32 span = m->swizzle ? 16u << m->swizzle : 0, bytes = row_bytes(m);
    return bytes < span ? span : bytes;
}

static u32 rows_of(const struct tensor_map *m)
{
    u32 n = 1;
    if (m->mode == TENSOR_IM2COL)
        return m->pixels;
    for (u32 k = 1; k < m->rank; k++)
        n *= count_of(m, k);
    return n;
}

u32 tensor_box_bytes(const struct tensor_map *m) { return rows_of(m) * row_bytes(m); }
u32 tensor_box_room(const struct tensor_map *m) { return rows_of(m) * row_room(m); }

/* The row at these coordinates; [0] is that of its first element. */
static void place_row(const struct tensor_map *m, const i64 *at, struct tensor_row *r)
{
    const u32 size = tensor_element(m->type);
    const i64 n = r->bytes / size, last = m->lasts[0];
    const i64 lo = at[0] < 0 ? -at[0] : 0, hi = at[0] + n - 1 > last ? last - at[0] + 1 : n;
    u64 address = m->address + (u64)(at[0] + lo) * size;
    bool inside = lo < hi;
    for (u32 k = 1; k < m->rank; k++) {
        inside &= at[k] >= 0 && at[k] <= (i64)m->lasts[k];
        address += (u64)at[k] * m->strides[k - 1];
    }
    r->first = (u32)lo * size;
    r->count = inside ? (u32)(hi - lo) * size : 0;
    r->address = address;
}

/* Odometers: dimension 1 turns fastest. False: all have turned round. */
static bool next_of_tile(const struct tensor_box *b, i64 *at, u32 *turns)
{
    const struct tensor_map *m = &b->map;
    for (u32 k = 1; k < m->rank; k++) {
        at[k] += m->steps[k];
        if (++turns[k] < count_of(m, k))
            return true;
        turns[k] = 0;
        at[k] = b->at[k];
    }
    return false;
}

static void next_pixel(const struct tensor_map *m, i64 *at)
{
    for (u32 k = 1; k + 1 < m->rank; k++) {
        at[k] += m->steps[k];
        if (at[k] <= (i64)m->lasts[k] + m->upper[k - 1])
            return;
        at[k] = m->lower[k - 1];
    }
    at[m->rank - 1]++;
}

static bool columns(const struct tensor_box *b, struct tensor_row *r, bool (*fn)(void *, const struct tensor_row *),
                    void *ctx)
{
    const struct tensor_map *m = &b->map;
    i64 at[TENSOR_RANKS], moved[TENSOR_RANKS];
    for (u32 k = 0; k < TENSOR_RANKS; k++)
        at[k] = b->at[k];
    for (u32 n = 0; n < m->pixels; n++, r->place += row_room(m)) {
        for (u32 k = 0; k < m->rank; k++)
            moved[k] = at[k] + (k && k + 1 < m->rank ? b->offsets[k - 1] : 0);
        place_row(m, moved, r);
        if (!fn(ctx, r))
            return false;
        next_pixel(m, at);
    }
    return true;
}

bool tensor_rows(const struct tensor_box *b, bool (*fn)(void *ctx, const struct tensor_row *r), void *ctx)
{
    const struct tensor_map *m = &b->map;
    struct tensor_row r = {.bytes = row_bytes(m)};
    const u32 room = row_room(m);
    if (m->mode == TENSOR_IM2COL)
        return columns(b, &r, fn, ctx);
    u32 turns[TENSOR_RANKS] = {0};
    i64 at[TENSOR_RANKS];
    for (u32 k = 0; k < TENSOR_RANKS; k++)
        at[k] = b->at[k];
    do {
        place_row(m, at, &r);
        if (!fn(ctx, &r))
            return false;
        r.place += room;
    } while (next_of_tile(b, at, turns));
    return true;
}

/* ---- bytes ---- */

/* What is filled into an element that is outside the tensor. */
static u64 filler(const struct tensor_map *m)
{
    if (m->fill == FILL_ZERO)
        return 0;
    switch (tensor_element(m->type)) {
    case 2:
        return 0x7fff;
    case 4:
        return 0x7fffffff;
    default:
        return 0x7fffffffffffffff;
    }
}

static void fill(const struct tensor_map *m, u8 *row, u32 from, u32 to)
{
    const u64 value = filler(m);
    const u32 size = tensor_element(m->type);
    if (!value)
        memset(row + from, 0, to - from);
    for (u32 k = from; value && k < to; k += size)
        memcpy(row + k, &value, size);
}

void tensor_fill_row(const struct tensor_map *m, const struct tensor_row *r, u8 *row)
{
    if (!r->count) {
        fill(m, row, 0, r->bytes);
        return;
    }
    fill(m, row, 0, r->first);
    fill(m, row, r->first + r->count, r->bytes);
}

void tensor_put_row(const struct tensor_map *m, const struct tensor_row *r, const u8 *row, u8 *base, u64 box)
{
    for (u32 k = 0; k < r->bytes; k += TENSOR_UNIT)
        memcpy(base + tensor_swizzled(m->swizzle, box + r->place + k), row + k, TENSOR_UNIT);
}

void tensor_take_row(const struct tensor_map *m, const struct tensor_row *r, u8 *row, const u8 *base, u64 box)
{
    for (u32 k = 0; k < r->bytes; k += TENSOR_UNIT)
        memcpy(row + k, base + tensor_swizzled(m->swizzle, box + r->place + k), TENSOR_UNIT);
}
