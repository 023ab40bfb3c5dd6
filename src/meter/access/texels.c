/* texels.c - from texels to requests, sectors, lines and cycles (texels.h).
 *
 * Four lanes that follow each other are a request. A line of L1 is 32 bytes of four rows:
 *
 *     an array: sectors of 16 bytes by 2 rows       rows of memory (pitch): of 32 bytes by 1
 *
 *          0..15   16..31                                0 .. 31
 *     y 0  ┌─────┬─────┐                            y 0  ┌─────────┐
 *     y 1  │  0  │  2  │                            y 1  ├─────────┤
 *     y 2  ├─────┼─────┤                            y 2  ├─────────┤
 *     y 3  │  1  │  3  │                            y 3  ├─────────┤
 *          └─────┴─────┘                                 └─────────┘
 *
 * Texels that lie as memory does (LAYOUT_MEMORY) are in lines of 128 bytes, and eight lanes are a request.
 *
 * The unit takes the four lanes at once, or two of 16 bytes. The data of lines is in banks, each of which gives what is wanted
 * of one line a cycle: a row is a bank where each lane looks at one texel (the right half of the next row but one; of 8
 * bytes or in three dimensions both halves; of 16 bytes: a half of two rows), half of the
 * texels of a row's 16 bytes, those with even or with odd x, where lanes look at several. In arrays the banks of the left and
 * the right half change places in every second line downwards. Two lines are looked up a cycle. That is what fits the
 * recording best, not more: filtered fetches from random places take a fifth longer on an H200. */
#include "meter/access/texels.h"

#include "model/cache/traffic.h"

enum {
    COLUMN = 32, /* bytes of a row that a line has */
    HALF = 16,
    ROWS = 4,
    PIECES_MOST = 8 * TEXTURE_LANES, /* eight texels a lane */
    LANES_OF_PAIR = 2,
    LANES_OF_QUAD = 4,
    LANES_OF_MEMORY = 8,
    LANES_OF_SURFACE = 8,
    BYTES_AT_ONCE = 64, /* that eight lanes may be spread over */
    LINES_A_CYCLE = 2,
    /* Cycles that a result takes longer, beyond those of the unit. */
    DELAY_FLOATS = 15, /* coordinates are floats */
    DELAY_FILTER = 7,
    DELAY_DEEP = 17, /* filtered in three dimensions */
    DELAY_8 = 7,     /* bytes of a texel */
    DELAY_16 = 27,
    DELAY_16_FILTER = 50,
    DELAY_SURFACE_8 = 4,
    DELAY_SURFACE_16 = 8,
    DELAY_SURFACE_LAYER = 8,
    DELAY_SURFACE_DEEP = 14,
};
_Static_assert((int)PIECES_MOST <= (int)LINES_MOST, "a line a texel");

/* A texel, as L1 has it. */
struct piece {
    u64 line;
    u8 sector;
    u8 one, several; /* banks: where each lane looks at one texel, and where some look at several */
    bool first;      /* of its lane */
};

struct pieces {
    struct piece at[PIECES_MOST];
    u32 n;
};

static struct piece piece_in_memory(const struct texels *t, u32 x, u32 z, u64 base)
{
    const u64 at = t->base - base + ((u64)z * t->width + x) * t->bytes;
    const u8 sector = (u8)(at / CACHE_SECTOR % CACHE_SECTORS);
    const u8 bank = t->bytes == HALF ? sector / 2 : sector;
    return (struct piece){.line = at / CACHE_LINE, .sector = sector, .one = bank, .several = bank};
}

static struct piece piece_in_rows(const struct texels *t, u32 x, u32 y, u32 z, u64 base)
{
    const u64 columns = ((u64)t->width * t->bytes + COLUMN - 1) / COLUMN, strips = (t->height + ROWS - 1) / ROWS;
    const u32 byte = x * t->bytes, row = y % ROWS;
    const bool blocks = t->layout == LAYOUT_BLOCKS;
    const u32 half = byte / HALF % 2, moved = blocks ? half ^ (y / ROWS & 1) : half;
    const u32 bank = t->bytes == HALF ? moved ^ (byte / COLUMN & 1) : moved;
    const u32 slice_row = t->dims == 3 ? row ^ (z & 1) << 1 : row; /* every second slice has other banks */
    return (struct piece){.line = REQUEST_TEXELS + (t->base - base) / CACHE_LINE +
                                  ((u64)z * strips + y / ROWS) * columns + byte / COLUMN,
                          .sector = (u8)(blocks ? half * 2 + row / 2 : row),
                          .one = (u8)(t->bytes == HALF              ? row / 2 * 2 + bank
                                      : t->bytes < 8 && t->dims < 3 ? row ^ half << 1
                                                                    : slice_row),
                          .several = (u8)((slice_row * 2 + bank) * 2 + (x & 1))};
}

static void add_lane(struct pieces *p, const struct texels *t, u64 base)
{
    const u32 before = p->n;
    for (u32 z = 0; z < t->n[2]; z++)
        for (u32 y = 0; y < t->n[1]; y++)
            for (u32 x = 0; x < t->n[0]; x++)
                p->at[p->n++] = t->layout == LAYOUT_MEMORY
                                    ? piece_in_memory(t, t->at[0][x], t->at[2][z], base)
                                    : piece_in_rows(t, t->at[0][x], t->at[1][y], t->at[2][z], base);
    if (p->n > before)
        p->at[before].first = true;
}

/* ---- the cycles of some lanes that go together ---- */

static u8 bank_of(const struct piece *p, bool several) { return several ? p->several : p->one; }

/* Whether an earlier piece asks the same bank for the same line. */
static bool is_again(const struct pieces *p, u32 k, bool several)
{
    for (u32 e = 0; e < k; e++)
        if (p->at[e].line == p->at[k].line && bank_of(&p->at[e], several) == bank_of(&p->at[k], several))
            return true;
    return false;
}

/* Whether an earlier lane's first texel is in the same line. */
static bool is_looked_up(const struct pieces *p, u32 k)
{
    for (u32 e = 0; e < k; e++)
        if (p->at[e].first && p->at[e].line == p->at[k].line)
            return true;
    return false;
}

static u32 cycles_of(const struct pieces *p, bool several)
{
    u8 wanted[4 * ROWS] = {0};
    u32 most = 1, lines = 0;
    for (u32 k = 0; k < p->n; k++) {
        const struct piece *at = &p->at[k];
        const u8 bank = bank_of(at, several);
        if (!is_again(p, k, several) && ++wanted[bank] > most)
            most = wanted[bank];
        lines += at->first && !is_looked_up(p, k);
    }
    const u32 looks = (lines + LINES_A_CYCLE - 1) / LINES_A_CYCLE;
    return most > looks ? most : looks;
}

static void add_lanes(struct pieces *p, const struct texels *t, u32 lanes, u64 base)
{
    for (u32 m = lanes; m; m &= m - 1)
        add_lane(p, &t[__builtin_ctz(m)], base);
}

/* p: the pieces of these lanes. */
static u32 cycles_of_lanes(const struct texels *t, u32 lanes, const struct pieces *p)
{
    const struct texels *first = &t[__builtin_ctz(lanes)];
    const u32 cycles = cycles_of(p, p->n > (u32)__builtin_popcount(lanes));
    return first->filtered && first->bytes == 16 ? 2 * cycles : cycles;
}

/* Filtered in three dimensions. */
static bool is_deep(const struct texels *t) { return t->filtered && t->dims == 3; }

/* Small texels in memory, so near to each other that eight lanes have them at once. */
static bool near_in_memory(const struct texels *t, const struct pieces *p)
{
    if (t->layout != LAYOUT_MEMORY || t->bytes > 4)
        return false;
    for (u32 k = 1; k < p->n; k++)
        if (p->at[k].line != p->at[0].line || p->at[k].sector / 2 != p->at[0].sector / 2)
            return false;
    return true;
}
_Static_assert(BYTES_AT_ONCE == 2 * CACHE_SECTOR, "near_in_memory looks at pairs of sectors");

/* Of the lanes of a request. */
static u32 request_cycles(const struct texels *t, u32 lanes, const struct pieces *p, u64 base)
{
    const struct texels *first = &t[__builtin_ctz(lanes)];
    const bool wide = first->bytes == 16 && first->layout != LAYOUT_MEMORY;
    const u32 together = wide || is_deep(first) ? LANES_OF_PAIR : LANES_OF_QUAD;
    u32 cycles = 0;
    if (near_in_memory(first, p))
        return 1;
    for (u32 lane = 0; lane < TEXTURE_LANES; lane += together) {
        const u32 these = lanes & ((1u << together) - 1) << lane;
        struct pieces some; /* 6 KiB: not filled with zeros */
        if (these == lanes)
            return cycles_of_lanes(t, lanes, p);
        if (!these)
            continue;
        some.n = 0;
        add_lanes(&some, t, these, base);
        cycles += cycles_of_lanes(t, these, &some);
    }
    return cycles;
}

/* ---- lines and sectors ---- */

/* Joined with the lines from `from` on; the number of sectors that were not there. */
static u32 add_pieces(struct lines *l, u32 from, const struct pieces *p)
{
    u32 sectors = 0;
    for (u32 k = 0; k < p->n; k++) {
        u32 at = from;
        while (at < l->n && l->number[at] != p->at[k].line)
            at++;
        if (at == l->n) {
            l->number[at] = p->at[k].line;
            l->sectors[at] = 0;
            l->n++;
        }
        sectors += !(l->sectors[at] >> p->at[k].sector & 1);
        l->sectors[at] |= (u8)(1u << p->at[k].sector);
    }
    return sectors;
}

/* p: the pieces of a request's lanes. Each pair of lanes that filters in three dimensions asks for itself. */
static u32 add_request(struct lines *l, const struct texels *t, u32 lanes, const struct pieces *p, u64 base)
{
    u32 sectors = 0;
    if (!is_deep(&t[__builtin_ctz(lanes)]))
        return add_pieces(l, l->n, p);
    for (u32 lane = 0; lane < TEXTURE_LANES; lane += LANES_OF_PAIR) {
        const u32 these = lanes & ((1u << LANES_OF_PAIR) - 1) << lane;
        struct pieces some;
        some.n = 0;
        add_lanes(&some, t, these, base);
        sectors += add_pieces(l, l->n, &some);
    }
    return sectors;
}

static u32 different_lines(const struct lines *l)
{
    u32 n = 0;
    for (u32 k = 0; k < l->n; k++) {
        u32 e = 0;
        while (e < k && l->number[e] != l->number[k])
            e++;
        n += e == k;
    }
    return n;
}

static u32 delay_of(const struct texels *t, bool several)
{
    const u32 floats = t->by_floats ? DELAY_FLOATS : 0;
    if (t->bytes == 16)
        return floats + (t->filtered ? DELAY_16_FILTER : DELAY_16);
    if (t->bytes == 8)
        return floats + DELAY_8;
    return floats + (!t->filtered ? 0 : t->dims == 3 ? DELAY_DEEP : several ? DELAY_FILTER : 0);
}

struct texel_cost texels_cost(struct lines *l, const struct texture_access *a, u32 mask, u64 base)
{
    const struct texels *t = a->texels, *first = &t[__builtin_ctz(mask)];
    const u32 wide = first->layout == LAYOUT_MEMORY ? LANES_OF_MEMORY : LANES_OF_QUAD;
    struct texel_cost c = {0};
    bool several = false;
    l->n = 0;
    for (u32 lane = 0; lane < TEXTURE_LANES; lane += wide) {
        const u32 lanes = mask & ((1u << wide) - 1) << lane;
        struct pieces p;
        if (!lanes)
            continue;
        p.n = 0;
        add_lanes(&p, t, lanes, base);
        several |= p.n > (u32)__builtin_popcount(lanes);
        c.requests++;
        c.sectors += add_request(l, t, lanes, &p, base);
        c.cycles += request_cycles(t, lanes, &p, base);
    }
    c.different = c.sectors;
    c.lines = different_lines(l);
    c.delay = delay_of(first, several);
    return c;
}

/* ---- surfaces ---- */

/* Lanes that go together: eight, and of layers or slices four. */
static u32 lanes_of_surface(const struct texels *t)
{
    return t->layered || t->dims == 3 ? LANES_OF_QUAD : LANES_OF_SURFACE;
}

/* Of a load's request: so many lanes at once as have 32 bytes. */
static u32 load_cycles(const struct texels *t, u32 lanes, u64 base)
{
    const struct texels *first = &t[__builtin_ctz(lanes)];
    const u32 all = lanes_of_surface(first), fit = COLUMN / first->bytes, together = fit < all ? fit : all;
    u32 cycles = 0;
    for (u32 lane = 0; lane < TEXTURE_LANES; lane += together) {
        const u32 these = lanes & ((1u << together) - 1) << lane;
        struct pieces p;
        if (!these)
            continue;
        p.n = 0;
        add_lanes(&p, t, these, base);
        cycles += cycles_of(&p, false);
    }
    return cycles;
}

static u32 delay_of_surface(const struct texels *t)
{
    return t->bytes == 16  ? DELAY_SURFACE_16
           : t->bytes == 8 ? DELAY_SURFACE_8
           : t->dims == 3  ? DELAY_SURFACE_DEEP
           : t->layered    ? DELAY_SURFACE_LAYER
                           : 0;
}

struct texel_cost surface_load_cost(struct lines *l, const struct texture_access *a, u32 mask, u64 base)
{
    const struct texels *first = &a->texels[__builtin_ctz(mask)];
    const u32 wide = lanes_of_surface(first);
    struct texel_cost c = {.delay = delay_of_surface(first)};
    l->n = 0;
    for (u32 lane = 0; lane < TEXTURE_LANES; lane += wide) {
        const u32 lanes = mask & ((1u << wide) - 1) << lane;
        struct pieces p;
        if (!lanes)
            continue;
        p.n = 0;
        add_lanes(&p, a->texels, lanes, base);
        c.requests++;
        c.sectors += add_pieces(l, l->n, &p);
        c.cycles += load_cycles(a->texels, lanes, base);
    }
    c.different = c.sectors;
    c.lines = different_lines(l);
    return c;
}

struct texel_cost surface_store_cost(struct lines *l, const struct texture_access *a, u32 mask, u64 base)
{
    const u32 wide = lanes_of_surface(&a->texels[__builtin_ctz(mask)]);
    struct texel_cost c = {0};
    l->n = 0;
    for (u32 lane = 0; lane < TEXTURE_LANES; lane += wide) {
        const u32 lanes = mask & ((1u << wide) - 1) << lane;
        struct pieces p;
        struct lines own; /* of the request; neither is filled with zeros */
        if (!lanes)
            continue;
        p.n = own.n = 0;
        add_lanes(&p, a->texels, lanes, base);
        c.different += add_pieces(l, 0, &p);
        c.requests++;
        c.sectors += add_pieces(&own, 0, &p);
    }
    c.lines = l->n;
    c.cycles = c.requests;
    return c;
}
