/* matrix_memory.h - wmma.load and store, ldmatrix, stmatrix: between fragments (ir/matrix.h) and memory.
 *
 * Each machine access that ptxas makes of the instruction is one access here: resolved, reported and done before the
 * next. Addresses are read before any register is written: a destination may lie where the address did.
 *
 * A line of a unit is what four lanes hold. Where all lanes give the same address and stride, as they must, its bytes
 * lie side by side, and a line is moved whole; where they do not, or a lane's access was excused, lane by lane. */
#ifndef LS_EXEC_OPS_MATRIX_MEMORY_H
#define LS_EXEC_OPS_MATRIX_MEMORY_H

#include "exec/access.h"
#include "ir/matrix.h"

typedef u32 line_u32 __attribute__((vector_size(16), may_alias));
typedef u32 line_u32_any __attribute__((vector_size(16), aligned(1), may_alias));
typedef u16 line_u16 __attribute__((vector_size(16), may_alias));

/* ---- 8 x 8 elements of 16 bits ---- */

struct tile16 {
    line_u16 line[8];
} __attribute__((aligned(64)));

#if defined(__AVX512F__)
/* Column c of eight lines, four in each of two vectors. */
#define COLUMN(c) (c), 8 + (c), 16 + (c), 24 + (c), 32 + (c), 40 + (c), 48 + (c), 56 + (c)
typedef u16 tile_half __attribute__((vector_size(64), may_alias));
LANE_FN void tile_turn(struct tile16 *t)
{
    tile_half *h = (tile_half *)(void *)t;
    const tile_half low = __builtin_shufflevector(h[0], h[1], COLUMN(0), COLUMN(1), COLUMN(2), COLUMN(3));
    h[1] = __builtin_shufflevector(h[0], h[1], COLUMN(4), COLUMN(5), COLUMN(6), COLUMN(7));
    h[0] = low;
}
#else
#define LOW2(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH2(x, y) __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
/* Three times lines k and k + 4 interleaved is the transpose. */
LANE_FN void tile_turn(struct tile16 *t)
{
    for (u32 round = 0; round < 3; round++) {
        const struct tile16 was = *t;
        for (u32 k = 0; k < 4; k++) {
            t->line[2 * k] = LOW2(was.line[k], was.line[k + 4]);
            t->line[2 * k + 1] = HIGH2(was.line[k], was.line[k + 4]);
        }
    }
}
#endif

/* ---- addresses ---- */

/* One machine access of the warp: where each lane's bytes are. */
struct fetch {
    u64 base[IR_LANES] __attribute__((aligned(64)));
    u64 addr[IR_LANES] __attribute__((aligned(64)));
    u8 *ptr[IR_LANES];
    u64 stride[IR_LANES]; /* elements from one row (or column) to the next */
    bool even;            /* base and stride are the same in all lanes, elements whole bytes */
    bool whole;           /* resolved without an exception */
};

MEM_FN u8 fetch_type(u32 size)
{
    return size == 1 ? PTX_B8 : size == 2 ? PTX_B16 : size == 4 ? PTX_B32 : size == 8 ? PTX_B64 : PTX_B128;
}

/* Resolves x->addr of these lanes; false after a fault. */
MEM_FN bool fetch_resolve(const struct ir_inst *pc, struct warp *w, struct fetch *x, u32 mask, u32 size, bool store)
{
    const struct ir_matrix *m = pc->ptr;
    const struct access a = {.op = MEM_DESC(m->space, size, 1) | (store ? MEM_STORE : 0),
                             .mask = mask,
                             .size = size,
                             .type = fetch_type(size)};
    x->whole = resolve_whole(pc, w, &a, x->addr, x->ptr);
    return x->whole || resolve(pc, w, &a, x->addr, x->ptr);
}

/* The address of an element; whole bytes, or the first of its byte. */
MEM_FN u64 fetch_at(const struct fetch *x, const struct ir_matrix *m, u32 lane, u64 line, u64 run)
{
    const u64 element = m->crossed ? run * x->stride[lane] + line : line * x->stride[lane] + run;
    return x->base[lane] + element * m->d.bits / 8;
}

/* The addresses of lanes [first, first + n): of elements `a` apart, `per` of them in what lies side by side in memory. */
MEM_FN void fetch_spread(struct fetch *x, const struct ir_matrix *m, u32 first, u32 n, u64 at, u32 per, u32 width)
{
    const u64 step = x->stride[0] * m->d.bits / 8;
    for (u32 l = 0; l < n; l++)
        x->addr[first + l] = at + l / per * step + l % per * width;
}

/* ---- registers ---- */

MEM_FN u32 *fragment_words(const struct ir_fragment *f, const u8 *regs, u32 slot)
{
    return (u32 *)(void *)(regs + f->slots[slot]);
}

/* A lane's part of a register; registers beyond those that the matrix needs hold copies. */
MEM_FN void put_word(const struct ir_fragment *f, u8 *regs, u32 slot, u32 lane, u32 value)
{
    const u32 used = f->units * matrix_unit_slots(f);
    for (u32 k = slot; k < f->nslots; k += used)
        fragment_words(f, regs, k)[lane] = value;
}
MEM_FN void put_register(const struct ir_fragment *f, u8 *regs, u32 slot, const void *from)
{
    const u32 used = f->units * matrix_unit_slots(f);
    for (u32 k = slot; k < f->nslots; k += used)
        memcpy(regs + f->slots[k], from, IR_SLOT);
}

/* ---- a unit ---- */

/* Lane l's two elements of a transposed 8 x 8 unit of which lane k has v[k]: those at lines 2 (l % 4) and the next, run
 * l / 4. */
MEM_FN u32 turned_pair(const u32 *v, u32 l)
{
    const u32 run = l / 4, from = l % 4 * 8 + run / 2, shift = run % 2 * 16;
    return (v[from] >> shift & 0xffff) | (v[from + 4] >> shift & 0xffff) << 16;
}

/* Lines of four words, each in one piece of memory: at lines[0], lines[step], ... Where a vector holds four, they are put
 * together there: one read of what four writes have left would have to wait for them. */
MEM_FN void read_lines(struct tile16 *t, u8 *const *lines, u32 step)
{
#if defined(__AVX512F__)
    for (u32 r = 0; r < 8; r += 4) {
        __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)lines[r * step]));
        v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)lines[(r + 1) * step]), 1);
        v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)lines[(r + 2) * step]), 2);
        v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(const void *)lines[(r + 3) * step]), 3);
        *(tile_half *)(void *)&t->line[r] = (tile_half)v;
    }
#else
    for (u32 r = 0; r < 8; r++)
        t->line[r] = (line_u16) * (const line_u32_any *)(const void *)lines[r * step];
#endif
}

MEM_FN void load_lines(const struct ir_fragment *f, u8 *regs, u32 slot, u8 *const *lines, u32 step, bool turned)
{
    struct tile16 t;
    read_lines(&t, lines, step);
    if (turned)
        tile_turn(&t);
    put_register(f, regs, slot, &t);
}

MEM_FN void store_lines(const struct ir_fragment *f, const u8 *regs, u32 slot, u8 *const *lines, u32 step, bool turned)
{
    struct tile16 t;
    memcpy(&t, regs + f->slots[slot], sizeof t);
    if (turned)
        tile_turn(&t);
    for (u32 r = 0; r < 8; r++)
        *(line_u32_any *)(void *)lines[r * step] = (line_u32)t.line[r];
}

/* 32-bit accumulators: a line's even and odd columns are in two registers. */
MEM_FN void move_sides(const struct ir_fragment *f, u8 *regs, u32 slot, u8 *const *lines, bool store)
{
    line_u32 *even = (line_u32 *)(void *)(regs + f->slots[slot]);
    line_u32 *odd = (line_u32 *)(void *)(regs + f->slots[slot + 1]);
    for (u32 r = 0; r < 8; r++) {
        line_u32_any *p = (line_u32_any *)(void *)lines[4 * r];
        if (store) {
            p[0] = __builtin_shufflevector(even[r], odd[r], 0, 4, 1, 5);
            p[1] = __builtin_shufflevector(even[r], odd[r], 2, 6, 3, 7);
        } else {
            const line_u32 a = p[0], b = p[1];
            even[r] = __builtin_shufflevector(a, b, 0, 2, 4, 6);
            odd[r] = __builtin_shufflevector(a, b, 1, 3, 5, 7);
        }
    }
}

/* The same lane by lane. */
MEM_FN void move_lanes(const struct ir_fragment *f, u8 *regs, const struct fetch *x, u32 u, u32 i, u32 size, bool store)
{
    const u32 width = f->bits / 8, first = u * matrix_unit_slots(f) + (f->bits >= 32 ? i : 0);
    for (u32 l = 0; l < IR_LANES; l++) {
        if (f->bits == 64) {
            for (u32 k = 0; k < size / 8; k++) {
                u64 *r = (u64 *)(void *)(regs + f->slots[first + k]) + l;
                u64_any *p = (u64_any *)x->ptr[l] + k;
                if (store)
                    *p = *r;
                else
                    *r = *p;
            }
        } else if (size >= 4) {
            for (u32 k = 0; k < size / 4; k++) {
                u32_any *p = (u32_any *)x->ptr[l] + k;
                if (store)
                    *p = fragment_words(f, regs, first + k)[l];
                else
                    put_word(f, regs, first + k, l, *p);
            }
        } else { /* bytes of a word, crossed */
            const u32 old = i ? fragment_words(f, regs, first)[l] : 0;
            put_word(f, regs, first, l, old | (u32)*x->ptr[l] << (8 * width * i));
        }
    }
}

/* One access of `size` bytes for element i of a unit and those behind it. */
MEM_FN bool move_direct(const struct ir_inst *pc, u8 *regs, struct warp *w, struct fetch *x, u32 u, u32 i, u32 size,
                        bool store)
{
    const struct ir_matrix *m = pc->ptr;
    const struct ir_fragment *f = &m->d;
    const bool lines = x->even && m->walk == MATRIX_DIRECT;
    if (lines)
        fetch_spread(x, m, 0, IR_LANES, fetch_at(x, m, 0, f->line[u], f->run[u]), 4, size);
    for (u32 l = 0; l < IR_LANES && !lines; l++)
        x->addr[l] = fetch_at(x, m, l, f->line[u] + l / 4, f->run[u] + l % 4 * f->per_lane + i);
    if (!fetch_resolve(pc, w, x, FULL_MASK, size, store))
        return false;
    if (!lines || !x->whole || f->bits == 64)
        move_lanes(f, regs, x, u, i, size, store);
    else if (f->bits == 32 && f->per_lane == 2)
        move_sides(f, regs, 2 * u, x->ptr, store);
    else if (store)
        store_lines(f, regs, u, x->ptr, 4, false);
    else
        load_lines(f, regs, u, x->ptr, 4, false);
    return true;
}

MEM_FN bool move_pairs(const struct ir_inst *pc, u8 *regs, struct warp *w, struct fetch *x, u32 u, bool store)
{
    const struct ir_matrix *m = pc->ptr;
    const struct ir_fragment *f = &m->d;
    const u32 *held = fragment_words(f, regs, u);
    u32 v[IR_LANES];
    if (x->even)
        fetch_spread(x, m, 0, IR_LANES, fetch_at(x, m, 0, f->line[u], f->run[u]), 4, 4);
    for (u32 l = 0; l < IR_LANES && !x->even; l++)
        x->addr[l] = fetch_at(x, m, l, f->line[u] + 2 * (l % 4), f->run[u] + l / 4);
    if (!fetch_resolve(pc, w, x, FULL_MASK, 4, store))
        return false;
    if (x->even && x->whole) {
        if (store)
            store_lines(f, regs, u, x->ptr, 4, true);
        else
            load_lines(f, regs, u, x->ptr, 4, true);
        return true;
    }
    for (u32 l = 0; l < IR_LANES; l++) {
        if (store)
            *(u32_any *)x->ptr[l] = turned_pair(held, l);
        else
            v[l] = *(const u32_any *)x->ptr[l];
    }
    for (u32 l = 0; l < IR_LANES && !store; l++)
        put_word(f, regs, u, l, turned_pair(v, l));
    return true;
}

/* ldmatrix: lane 8 n + r points at row r of unit first + n, 16 bytes. */
MEM_FN bool move_rows(const struct ir_inst *pc, u8 *regs, struct warp *w, struct fetch *x, u32 first, bool store)
{
    const struct ir_matrix *m = pc->ptr;
    const u32 n = m->rows_units;
    if (!fetch_resolve(pc, w, x, n == 4 ? FULL_MASK : (1u << 8 * n) - 1, 16, store))
        return false;
    for (u32 u = 0; u < n; u++)
        if (store)
            store_lines(&m->d, regs, first + u, x->ptr + 8 * u, 1, m->crossed);
        else
            load_lines(&m->d, regs, first + u, x->ptr + 8 * u, 1, m->crossed);
    return true;
}

MEM_FN bool move_unit_rows(const struct ir_inst *pc, u8 *regs, struct warp *w, struct fetch *x, u32 first)
{
    const struct ir_matrix *m = pc->ptr;
    for (u32 k = 0; k < m->rows_units && x->even; k++) {
        const u32 u = first + k;
        fetch_spread(x, m, 8 * k, 8, fetch_at(x, m, 0, m->d.line[u], m->d.run[u]), 1, 0);
    }
    for (u32 l = 0; l < 8u * m->rows_units && !x->even; l++) {
        const u32 u = first + l / 8, r = l % 8;
        x->addr[l] = m->crossed ? fetch_at(x, m, l, m->d.line[u], m->d.run[u] + r)
                                : fetch_at(x, m, l, m->d.line[u] + r, m->d.run[u]);
    }
    return move_rows(pc, regs, w, x, first, false);
}

/* ---- instructions ---- */

MEM_FN void fetch_open(const struct ir_inst *pc, const u8 *regs, const struct warp *w, struct fetch *x)
{
    const struct ir_matrix *m = pc->ptr;
    const u32 *stride = (const u32 *)(const void *)(regs + pc->b);
    u64 off = 0;
    read_addresses(pc, regs, w, m->space, x->base);
    LANES
        x->stride[i] = stride[i];
    LANES
        off |= (x->base[i] ^ x->base[0]) | (x->stride[i] ^ x->stride[0]);
    x->even = off == 0 && m->d.bits >= 8;
}

MEM_SLOW bool move_fragment(const struct ir_inst *pc, u8 *regs, struct warp *w, bool store)
{
    const struct ir_matrix *m = pc->ptr;
    const u32 width = m->d.bits / 8;
    struct fetch x;
    bool ok = true;
    fetch_open(pc, regs, w, &x);
    for (u32 u = 0; u < m->d.units && ok; u += m->walk == MATRIX_ROWS ? m->rows_units : 1) {
        if (m->walk == MATRIX_ROWS)
            ok = move_unit_rows(pc, regs, w, &x, u);
        else if (m->walk == MATRIX_PAIRS)
            ok = move_pairs(pc, regs, w, &x, u, store);
        else if (m->walk == MATRIX_DIRECT)
            ok = move_direct(pc, regs, w, &x, u, 0, m->d.bits * m->d.per_lane / 8u, store);
        else
            for (u32 i = 0; i < m->d.per_lane && ok; i++)
                ok = move_direct(pc, regs, w, &x, u, i, width, store);
    }
    return ok;
}

MEM_SLOW bool move_matrices(const struct ir_inst *pc, u8 *regs, struct warp *w, bool store)
{
    struct fetch x;
    read_addresses(pc, regs, w, ((const struct ir_matrix *)pc->ptr)->space, x.addr);
    return move_rows(pc, regs, w, &x, 0, store);
}

#endif
