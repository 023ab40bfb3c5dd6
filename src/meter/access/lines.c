/* lines.c - from addresses to lines (lines.h). Neighbours mostly ask for the same line, so a sector is compared with
 * the last line first, and then looked for in a small hash table. */
#include "meter/access/lines.h"

#include <string.h>

#include "base/clones.h"

/* Device memory: two lines a lane at most. */
enum { DEVICE_BITS = 7, LOCAL_BITS = 9 };
_Static_assert(2 * 32 < 1 << DEVICE_BITS && LINES_MOST < 1 << LOCAL_BITS, "looking in a full table has no end");
_Static_assert(1 << LOCAL_BITS == LINES_SLOTS_MOST, "");

static inline void clear(struct lines *l, u32 slot_bits)
{
    l->n = 0;
    l->slot_bits = slot_bits;
    memset(l->slot, 0, sizeof *l->slot << slot_bits);
}

/* Where the line is, or the free slot where it belongs. */
static inline u16 *slot_of(struct lines *l, u64 number)
{
    u32 at = (u32)((number * 0x9e3779b97f4a7c15ull) >> (64 - l->slot_bits));
    while (l->slot[at] && l->number[l->slot[at] - 1] != number)
        at = (at + 1) & ((1u << l->slot_bits) - 1);
    return &l->slot[at];
}

static inline void add_sectors(struct lines *l, u64 number, u32 sectors)
{
    if (l->n && l->number[l->n - 1] == number) {
        l->sectors[l->n - 1] |= (u8)sectors;
        return;
    }
    u16 *slot = slot_of(l, number);
    if (*slot) {
        l->sectors[*slot - 1] |= (u8)sectors;
    } else if (l->n < LINES_MOST) {
        l->number[l->n] = number;
        l->sectors[l->n] = (u8)sectors;
        *slot = (u16)++l->n;
    }
}

static inline void add_bytes(struct lines *l, u64 address, u32 bytes)
{
    const u64 first = address / CACHE_SECTOR, last = (address + bytes - 1) / CACHE_SECTOR;
    for (u64 at = first; at <= last; at++)
        add_sectors(l, at / CACHE_SECTORS, 1u << at % CACHE_SECTORS);
}

/* A run of bytes: its lines in ascending order. */
static void add_run(struct lines *l, u64 address, u32 bytes)
{
    const u64 first = address / CACHE_SECTOR, last = (address + bytes - 1) / CACHE_SECTOR;
    l->n = 0;
    for (u64 at = first; at <= last;) {
        const u32 from = (u32)(at % CACHE_SECTORS);
        const u64 left = last - at + 1, room = CACHE_SECTORS - from, n = left < room ? left : room;
        l->number[l->n] = at / CACHE_SECTORS;
        l->sectors[l->n++] = (u8)(((1u << n) - 1) << from);
        at += n;
    }
}

/* Whether the first two lanes are in different lines: then it may be that all are. */
static bool begins_apart(const struct exec_access *a)
{
    const u32 rest = a->mask & (a->mask - 1);
    return rest && (a->addr[__builtin_ctz(a->mask)] ^ a->addr[__builtin_ctz(rest)]) >= CACHE_LINE;
}

/* In loops that each become vectors. */
CLONES static void line_a_lane(u64 *restrict number, u8 *restrict sectors, const u64 *restrict addr, u64 base)
{
    u32 bit[32];
    for (u32 i = 0; i < 32; i++)
        number[i] = (addr[i] - base) / CACHE_LINE;
    for (u32 i = 0; i < 32; i++)
        bit[i] = (u32)addr[i] / CACHE_SECTOR % CACHE_SECTORS;
    for (u32 i = 0; i < 32; i++)
        bit[i] = 1u << bit[i];
    for (u32 i = 0; i < 32; i++)
        sectors[i] = (u8)bit[i];
}

/* Each lane has one line, which no other has: nothing is looked for. False: it is not so. */
static bool add_apart(struct lines *l, const struct exec_access *a, u64 base)
{
    if (!begins_apart(a) || !sectors_near(a->addr, a->mask, &l->distinct))
        return false;
    l->compared = a->addr;
    const bool fits = a->size <= CACHE_SECTOR && !(a->size & (a->size - 1)); /* in one sector, where it is aligned */
    if (!fits || l->distinct.first_lines != a->mask || !sectors_aligned(&l->distinct, a->size))
        return false;
    if (a->mask == UINT32_MAX) {
        line_a_lane(l->number, l->sectors, a->addr, base);
        l->n = 32;
        return true;
    }
    l->n = 0;
    for (u32 m = a->mask; m; m &= m - 1) {
        const u64 address = a->addr[__builtin_ctz(m)];
        l->number[l->n] = (address - base) / CACHE_LINE;
        l->sectors[l->n++] = (u8)(1u << address / CACHE_SECTOR % CACHE_SECTORS);
    }
    return true;
}

void lines_of_device(struct lines *l, const struct exec_access *a, u64 base)
{
    l->compared = NULL;
    if (a->pattern == PATTERN_CONTIGUOUS) {
        add_run(l, a->addr[0] - base, 32u * a->size);
    } else if (a->pattern == PATTERN_UNIFORM) {
        add_run(l, a->addr[__builtin_ctz(a->mask)] - base, a->size);
    } else if (!add_apart(l, a, base)) {
        clear(l, DEVICE_BITS);
        for (u32 m = a->mask; m; m &= m - 1)
            add_bytes(l, a->addr[__builtin_ctz(m)] - base, a->size);
    }
}

void lines_of_atomic(struct lines *l, const struct exec_access *a, u64 base, u32 *mask)
{
    u32 taken = 0;
    l->compared = NULL;
    clear(l, DEVICE_BITS);
    for (u32 m = *mask; m; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        u32 before = taken;
        while (before && a->addr[__builtin_ctz(before)] != a->addr[lane])
            before &= before - 1;
        if (before)
            continue;
        taken |= 1u << lane;
        add_bytes(l, a->addr[lane] - base, a->size);
    }
    *mask &= ~taken;
}

void lines_of_local(struct lines *l, const struct exec_access *a, u64 first, u32 n)
{
    l->compared = NULL;
    clear(l, LOCAL_BITS);
    for (u32 m = a->mask; m; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        for (u64 k = a->addr[lane] / 4; k <= (a->addr[lane] + a->size - 1) / 4; k++)
            add_sectors(l, first + k % n, 1u << 4 * lane / CACHE_SECTOR);
    }
}
