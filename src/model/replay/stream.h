/* stream.h - what a warp did, as the replay reads it: 64-bit items in the order in which the engine ran them.
 *
 *     ENTER    a PTX block of a function, by these lanes
 *     ACCESS   a memory instruction, of the function last entered, and what it costs
 *     LINE     behind an access that L1 is asked for: one of its lines
 *     BARRIER  an arrival at a barrier of the block, or a sleep
 *
 * meter/replay/record.c writes them. */
#ifndef LS_MODEL_REPLAY_STREAM_H
#define LS_MODEL_REPLAY_STREAM_H

#include "base/base.h"

enum item_kind { ITEM_ENTER, ITEM_ACCESS, ITEM_BARRIER, ITEM_LINE };

/* What an access is to the SM. */
enum item_class {
    ITEM_LOAD, /* global memory, through L1 */
    ITEM_STORE,
    ITEM_ATOMIC,    /* its result is used */
    ITEM_REDUCTION, /* it is not */
    ITEM_LOCAL_LOAD,
    ITEM_LOCAL_STORE,
    ITEM_SHARED_LOAD,
    ITEM_SHARED_STORE,
    ITEM_SHARED_ATOMIC,
    ITEM_CONSTANT,
    ITEM_COPY, /* global to shared memory, asynchronous */
    ITEM_TEXTURE,
    ITEM_SURFACE_STORE,
    ITEM_LOAD_PAST, /* global memory, not through L1 */
    ITEM_SWAP,      /* a compare-and-swap by which some lane changes memory */
    ITEM_ASYNC,     /* a bulk copy, or what is done to an mbarrier (struct item_async) */
};

enum {
    ITEM_SITES = 1 << 22,
    ITEM_FUNCS = 1 << 10,
    ITEM_BLOCKS = 1 << 20,
    ITEM_PASSES_MOST = 511,
    ITEM_LINES_MOST = 127,
    ITEM_CONSTANTS = 1 << 20, /* where constants are, below */
    ITEM_SECTORS = 1 << 12,   /* that are told apart */
    ITEM_LINES_BEHIND = 257,  /* of an access, at most: a local one of 32 lanes has as many (meter/access/lines.h) */
};

static inline enum item_kind item_kind(u64 i) { return (enum item_kind)(i & 3); }

static inline u64 item_enter(u32 func, u32 block, u32 mask)
{
    return ITEM_ENTER | (u64)func << 2 | (u64)block << 12 | (u64)mask << 32;
}
static inline u32 item_func(u64 i) { return (u32)(i >> 2) & (ITEM_FUNCS - 1); }
static inline u32 item_block(u64 i) { return (u32)(i >> 12) & (ITEM_BLOCKS - 1); }
static inline u32 item_lanes(u64 i) { return (u32)(i >> 32); }

/* An access. passes: wavefronts of shared memory, sectors of global and local memory (of an atomic: what L2 does one after
 * the other), words of constants. lines: of 128 bytes, of
 * constants of 64. Fetches from textures have cycles of their unit in place of wavefronts, and in place of a sector how many
 * cycles longer than the shortest fetch they take. */
struct item_access {
    u8 class;  /* enum item_class */
    bool slow; /* an atomic on floats; a store that leaves most of its sectors as they are */
    u16 passes, lines;
    u16 wavefronts; /* of L1's data: words in one bank */
    u32 sector;     /* the first one, as a hash: below ITEM_SECTORS */
    u32 site;
};
static inline u64 item_access(struct item_access a)
{
    const u64 passes = a.passes > ITEM_PASSES_MOST ? ITEM_PASSES_MOST : a.passes;
    const u64 lines = a.lines > ITEM_LINES_MOST ? ITEM_LINES_MOST : a.lines;
    const u64 wavefronts = a.wavefronts > ITEM_LINES_MOST ? ITEM_LINES_MOST : a.wavefronts;
    const u64 where =
        a.class == ITEM_CONSTANT ? a.sector & (ITEM_CONSTANTS - 1) : (a.sector & (ITEM_SECTORS - 1)) | wavefronts << 12;
    return ITEM_ACCESS | (u64)a.class << 2 | (u64)a.site << 6 | passes << 28 | lines << 37 | where << 44 |
           (u64)(a.slow && a.class != ITEM_CONSTANT) << 63;
}
/* The same of another access by that instruction, if both are of L1. */
static inline u64 item_access_again(u64 item, u32 passes, u32 lines, u32 wavefronts, u32 sector)
{
    const u64 same = (ITEM_ACCESS | 15ull << 2 | (u64)(ITEM_SITES - 1) << 6 | 1ull << 63) & item;
    return same | item_access((struct item_access){.class = ITEM_LOAD,
                                                   .passes = (u16)passes,
                                                   .lines = (u16)lines,
                                                   .wavefronts = (u16)wavefronts,
                                                   .sector = sector});
}
static inline struct item_access item_read_access(u64 i)
{
    const bool constant = (i >> 2 & 15) == ITEM_CONSTANT;
    return (struct item_access){.class = (u8)(i >> 2 & 15),
                                .site = (u32)(i >> 6) & (ITEM_SITES - 1),
                                .passes = (u16)(i >> 28 & 511),
                                .lines = (u16)(i >> 37 & 127),
                                .sector = (u32)(i >> 44) & (constant ? ITEM_CONSTANTS - 1 : ITEM_SECTORS - 1),
                                .wavefronts = constant ? 0 : (u16)(i >> 56 & 127),
                                .slow = !constant && i >> 63};
}
/* Where such an access is, that is not of constants; and one like it in another place. */
static inline u64 item_place(u32 sector) { return (u64)(sector & (ITEM_SECTORS - 1)) << 44; }
static inline u64 item_elsewhere(u64 item, u32 sector, u32 lines)
{
    const u64 where = (u64)(ITEM_SECTORS - 1) << 44 | (u64)ITEM_LINES_MOST << 37;
    return (item & ~where) | item_place(sector) | (u64)(lines > ITEM_LINES_MOST ? ITEM_LINES_MOST : lines) << 37;
}
/* Instead of a sector, accesses of constants have where they begin and end: lines of 64 bytes of their bank. */
static inline u32 item_constant_lines(u32 first, u32 last) { return (first & 1023) << 10 | ((last - first) & 1023); }
static inline u32 item_constant_first(u32 sector) { return sector >> 10 & 1023; }
static inline u32 item_constant_span(u32 sector) { return sector & 1023; }

/* A bulk copy, an arrival at an mbarrier of the block, or a wait for it. slot: the mbarrier's number in the block, or ITEM_SLOTS - 1:
 * none that is counted. n: of copies sectors; of a wait how many arrivals there were before, copies' among them. */
enum async_what { ASYNC_LOAD, ASYNC_STORE, ASYNC_ARRIVE, ASYNC_WAIT };
enum { ITEM_SLOTS = 1 << 10, ITEM_ASYNC_MOST = (1 << 24) - 1 };
struct item_async {
    u8 what; /* enum async_what */
    u32 site, slot, n;
};
static inline u64 item_async(struct item_async a)
{
    const u64 n = a.n < ITEM_ASYNC_MOST ? a.n : ITEM_ASYNC_MOST;
    return ITEM_ACCESS | (u64)ITEM_ASYNC << 2 | (u64)a.site << 6 | (u64)(a.slot & (ITEM_SLOTS - 1)) << 28 | n << 38 |
           (u64)a.what << 62;
}
static inline bool item_is_async(u64 i) { return (i & 3) == ITEM_ACCESS && (i >> 2 & 15) == ITEM_ASYNC; }
static inline struct item_async item_read_async(u64 i)
{
    return (struct item_async){.what = (u8)(i >> 62),
                               .site = (u32)(i >> 6) & (ITEM_SITES - 1),
                               .slot = (u32)(i >> 28) & (ITEM_SLOTS - 1),
                               .n = (u32)(i >> 38) & ITEM_ASYNC_MOST};
}

static inline u32 item_site(u64 i) { return (u32)(i >> 6) & (ITEM_SITES - 1); } /* of ACCESS and BARRIER */

/* A line of 128 bytes: its number (40 bits), which of its sectors are asked for, and how (enum traffic_kind). */
static inline u64 item_line(u64 number, u32 sectors, u32 kind)
{
    return ITEM_LINE | (u64)sectors << 2 | (u64)kind << 6 | number << 10;
}
static inline u64 item_line_number(u64 i) { return i >> 10 & ((1ull << 40) - 1); }
static inline u32 item_line_sectors(u64 i) { return (u32)(i >> 2) & 15; }
static inline u32 item_line_kind(u64 i) { return (u32)(i >> 6) & 15; }

/* warps: that must come; 0: all of the block. waits: it does not only arrive. */
static inline u64 item_barrier(u32 site, u32 id, u32 warps, bool waits)
{
    return ITEM_BARRIER | (u64)waits << 2 | (u64)site << 6 | (u64)id << 28 | (u64)warps << 34;
}
/* nanosleep: what it is given, in ns; more takes no longer. */
enum { ITEM_SLEEP_MOST = (1 << 20) - 1 };
static inline u64 item_sleep(u32 site, u32 ns)
{
    return ITEM_BARRIER | 1ull << 3 | (u64)site << 6 | (u64)(ns < ITEM_SLEEP_MOST ? ns : ITEM_SLEEP_MOST) << 28;
}
static inline bool item_is_sleep(u64 i) { return (i & 11) == (ITEM_BARRIER | 8); }
static inline u32 item_sleep_ns(u64 i) { return (u32)(i >> 28); }
static inline bool item_waits(u64 i) { return i >> 2 & 1; }
static inline u32 item_barrier_id(u64 i) { return (u32)(i >> 28) & 31; }
static inline u32 item_barrier_warps(u64 i) { return (u32)(i >> 34) & 127; }

/* Which of the blocks that an SM runs are replayed: k counts them from 0, `of` is how many there are. Few are replayed all;
 * of many, runs of blocks that follow each other, from the start and from each further quarter: so L1 is found as the
 * blocks before left it. resident: blocks that the SM holds at once. */
enum { REPLAY_RUNS = 4, REPLAY_RUN_WAVES = 2 };
static inline bool replay_takes(u64 k, u64 of, u32 resident)
{
    const u64 run = (u64)REPLAY_RUN_WAVES * resident, distance = of / REPLAY_RUNS;
    return of <= REPLAY_RUNS * run || (k % distance < run && k / distance < REPLAY_RUNS);
}

#endif
