/* tensor.c - see tensor.h. What the PTX manual leaves open is as an H200 does it (tests/hw/h200/tensor-maps.txt).
 *
 * Tiles: the box begins at the coordinates and has every steps[k]-th element along dimension k. im2col: a column of pixels,
 * which begins at the coordinates and goes through a window of the tensor, W first, then H, D and N; offsets then move each
 * pixel.
 *
 * Interleaved tiles (N C/8 D H W, then 8 channels): dimension 0 is W, whose elements are slices of 16 or 32 bytes; the last but one
 * is that of the slices, of which a box has one, whatever the map says. Here a slice is a row. */
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

/* What leaves shared memory must not begin before the tensor, nor may its window reach out of it. */
static bool leaves(const struct tensor_box *b)
{
    const struct tensor_map *m = &b->map;
    for (u32 k = 0; k < m->rank; k++)
        if (b->at[k] < 0)
            return true;
    for (u32 k = 0; m->mode == TENSOR_IM2COL && k + 2 < m->rank; k++)
        if (m->lower[k] < 0 || m->upper[k] > 0)
            return true;
    return false;
}

/* An H200 takes these for illegal instructions. */
const char *tensor_wrong(const struct tensor_box *b, u32 rank, enum tensor_mode mode, bool out)
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
    if (out && leaves(b))
        return m->mode == TENSOR_TILED ? "a store or reduction begins before the tensor: no coordinate may be below 0"
                                       : "a store's coordinates and the window of its map must be within the tensor";
    return NULL;
}

/* Whether dimension 0 has slices for elements. */
static bool is_sliced(const struct tensor_map *m) { return m->interleave && m->mode == TENSOR_TILED; }
/* Bytes from an element of dimension 0 to the next. */
static u32 inner_bytes(const struct tensor_map *m)
{
    return is_sliced(m) ? 8u << m->interleave : tensor_element(m->type);
}

/* Elements of a box along dimension k. */
static u32 count_of(const struct tensor_map *m, u32 k)
{
    if (is_sliced(m) && k + 2 == m->rank)
        return 1;
    return k || m->interleave ? (m->box[k] + m->steps[k] - 1u) / m->steps[k] : m->box[k];
}

static u32 row_bytes(const struct tensor_map *m)
{
    const u32 elements = is_sliced(m) ? 1 : m->mode == TENSOR_TILED ? count_of(m, 0) : m->channels;
    return elements * inner_bytes(m);
}
/* From one row to the next in shared memory. */
static u32 row_room(const struct tensor_map *m)
{
    const u32 span = m->swizzle && !is_sliced(m) ? 16u << m->swizzle : 0, bytes = row_bytes(m);
    return bytes < span ? span : bytes;
}

/* The first dimension that a row does not run along. */
static u32 outer_dimension(const struct tensor_map *m) { return is_sliced(m) ? 0 : 1; }

static u32 rows_of(const struct tensor_map *m)
{
    u32 n = 1;
    if (m->mode == TENSOR_IM2COL)
        return m->pixels;
    for (u32 k = outer_dimension(m); k < m->rank; k++)
        n *= count_of(m, k);
    return n;
}

u32 tensor_box_bytes(const struct tensor_map *m) { return rows_of(m) * row_bytes(m); }
u32 tensor_box_room(const struct tensor_map *m) { return rows_of(m) * row_room(m); }

/* The row at these coordinates; [0] is that of its first element. */
static void place_row(const struct tensor_map *m, const i64 *at, struct tensor_row *r)
{
    const u32 size = inner_bytes(m);
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

/* Odometers: the first turns fastest. False: all have turned round. */
static bool next_of_tile(const struct tensor_box *b, i64 *at, u32 *turns)
{
    const struct tensor_map *m = &b->map;
    for (u32 k = outer_dimension(m); k < m->rank; k++) {
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

/* What is outside the tensor: zeros, or a NaN, whose every 16 bits are 0x7ff7. */
static void fill(const struct tensor_map *m, u8 *row, u32 from, u32 to)
{
    for (u32 k = from; k < to; k++)
        row[k] = m->fill == FILL_ZERO ? 0 : k % 2 ? 0x7f : 0xf7;
}

/* f32 becomes tf32: 13 bits are rounded off, to nearest, halves away from zero. Subnormals stay, in .ftz types too. */
static u32 rounded(u32 x) { return (x & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : (x + 0x1000) & 0xffffe000; }

void tensor_round_row(const struct tensor_map *m, const struct tensor_row *r, u8 *row)
{
    if (m->type != TENSOR_TF32 && m->type != TENSOR_TF32_FTZ)
        return;
    for (u32 k = r->first; k < r->first + r->count; k += sizeof(u32)) {
        u32 x;
        memcpy(&x, row + k, sizeof x);
        x = rounded(x);
        memcpy(row + k, &x, sizeof x);
    }
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
