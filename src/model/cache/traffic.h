/* traffic.h - the model of the caches: what L1 (cache_l1.h) and L2 (cache_l2.h) are asked for, and the rules by which
 * they and DRAM serve it. meter/caches.h turns accesses into such requests, and puts them in order.
 *
 * The rules. All caches are empty when the launch begins, as under the profiler;
 * what it leaves in L2, those that its kernels launch find there. Lines of 128 bytes in sectors of 32.
 *
 * - In L1 the last four lines of a set of 16 that were asked for again stay, and any other leaves when it is full. L1 is what the carve-out leaves of the SM's memory. What is read or written is taken in, sector by sector: an H200
 *   counts a store as a hit where an earlier access to the sector was. Loads past it (.cg, volatile, relaxed, acquire)
 *   and atomics miss. All stores go on to L2.
 *
 *   A fence of a cluster or wider, or an access that acquires so, empties it: machine code says so (CCTL.IVALL).
 *
 * - A fence, an access that releases, and the end of a launch: each slice of L2 that the SM has asked for something since the last one is
 *   asked whether that is done: two sectors, which are neither read nor written.
 *
 * - Between them: stores of a warp to parts of the same sectors that follow each other go together, of surfaces those of all warps. Reads of the same sectors by
 *   SMs of a group within 130 cycles go once, of those past L1 another SM's (joins.h; from compute capability 9.0 on; how SMs
 *   come apart is fitted).
 *
 * - L2 is one for the device, and written back; the least recently used line leaves. Stores and atomics take their line in;
 *   only atomics read it. What is dirty is bounded, and so is what was written in part: some goes to DRAM before L2 is
 *   full (written.h). What is still dirty when the launch ends costs DRAM nothing. Where L2 has two halves (compute capability
 *   8.0, 9.0, 10.0), an SM is at one of them, a line at home in one of them. What an SM reads from the other half, or writes there as whole
 *   sectors, is kept in its own half too, but for atomics; all is done at home. Each sector that goes across counts in both halves. What an SM
 *   at home writes or changes the other half no longer has; it is told so, which counts as one more.
 *
 * - Atomics: lanes that want the same element are one after the other, a request each.
 *
 * What is not modelled: prefetches, compression, persisting lines, constants and instructions but for a flat count
 * (struct beside).
 *
 * Long launches: where an SM sends L2 more than its share of four million requests, only one line in 2, 4, 8 ... of all SMs is kept (sample.h), the
 * L2 is as much smaller, and what was found is multiplied: by what was sent in all, instruction by instruction, which is known. Each
 * instruction remains a turn, so that SMs that read the same stay together. Of atomics all are counted. Where an SM mostly has accesses of many
 * lines that L1 does not hold (sm_draws_fewer), only some of those are looked up in L1 from then on, too, by the same rule. It depends on the order of
 * the launch alone, and below that nothing is left out. */
#ifndef LS_MODEL_TRAFFIC_H
#define LS_MODEL_TRAFFIC_H

#include <string.h>

#include "model/cache/sectors.h"

/* How a line is asked for. */
enum traffic_kind {
    TRAFFIC_LOAD,
    TRAFFIC_LOAD_PAST, /* not from L1 */
    TRAFFIC_STORE,
    TRAFFIC_STORE_PAST, /* volatile and the like */
    TRAFFIC_STORE_WORD, /* of one of a sector's eight words */
    TRAFFIC_STORE_TWO,
    TRAFFIC_STORE_FOUR,
    TRAFFIC_ATOM,
    TRAFFIC_RED,
    TRAFFIC_LOCAL_LOAD,
    TRAFFIC_LOCAL_STORE,
    TRAFFIC_TEXTURE,
    TRAFFIC_BULK_LOAD, /* these go round L1 */
    TRAFFIC_BULK_STORE,
    TRAFFIC_BULK_RED,
    TRAFFIC_EMPTY_L1, /* no line: an order (enum traffic_order); or an access that has been there before (requests_again) */
};

/* In place of a line's number, bits. */
enum traffic_order {
    ORDER_EMPTIES = 1, /* what L1 has is not read again */
    ORDER_SETTLES = 2, /* what the SM has asked L2 for must be done */
    ORDER_BARRIER = 4, /* alone: the warp waits for its block; behind the bits, how many barriers it has come to */
    ORDER_BITS = 3,
};

/* By one instruction. */
enum traffic_count {
#define TRAFFIC(id, text) TRAFFIC_##id,
#include "model/cache/traffic.def"
#undef TRAFFIC
    TRAFFIC_COUNT
};

/* Of a launch of which only some lines are looked up (sample.h), what all have asked for, in sectors. Those that are looked up count as one in so
 * many in `n`, too. */
struct traffic_drawn {
    i64 beyond;    /* L1, more than those that were looked up stand for */
    u64 sent;      /* L2, as those that L1 looked up stand for it */
    u64 looked_up; /* of that, what those stand for that L2 looked up */
};
static inline void traffic_drawn_add(struct traffic_drawn *to, const struct traffic_drawn *d)
{
    to->beyond += d->beyond;
    to->sent += d->sent;
    to->looked_up += d->looked_up;
}
struct traffic {
    u64 n[TRAFFIC_COUNT];
    struct traffic_drawn drawn;
};

/* Who served the sectors that an instruction asked for, as shares of them, whose sum is 1; all 0: it asked for none.
 *
 * A load's come from L1, from the SM's half of L2, from the other half, or from DRAM; what was asked for together with
 * another SM came from where all that arrived came from. The host's memory serves what is its own. An atomic is done in L2, near or far, or behind DRAM where its
 * sector had to be fetched. A store is over where it ends: in L1 when it went to L2 together with an earlier one of its
 * warp (it costs L2 nothing), else in L2, near or far; never in DRAM. So 1 - l1 is what L2 was asked for. */
struct served {
    double l1, near, far, dram, host;
};
/* n: struct traffic's counts of a site, or of a launch, which then is the mean of loads, stores and atomics. */
struct served traffic_served(const u64 n[TRAFFIC_COUNT]);

/* What L2 and DRAM have to do in a launch besides what the SMs' L1s ask for: instructions, constants and arguments, and
 * what the halves of L2 tell each other. Sectors; all but the reads of DRAM are hits. An H200 reads all code of a kernel from DRAM, and each
 * sector of it nine or ten times from L2, whether one SM runs or all (as often as there are GPCs, and between the halves): sixty
 * kernels of 400 bytes to 104 KB. */
struct beside {
    u64 l2, l2_reads, dram_reads; /* l2_reads is a part of l2 */
};
struct beside traffic_beside(u32 insts);
/* The same for a grid that a kernel launched, with its launch; what SMs write and change for that is added to n. */
struct beside traffic_beside_child(u64 n[TRAFFIC_COUNT]);
/* Sectors of L2 that are read while a launch takes so long, whatever it does. Fitted on kernels of one thread. */
u64 traffic_meanwhile(double ns);

/* A line that an instruction asks for, in 64 bits: number 40, sectors 4, kind 4, last line of its instruction 1,
 * site 15. */
enum { REQUEST_NUMBER_BITS = 40, REQUEST_SITES = 1 << 15 };
/* Numbers of lines of images, in an order of their own, and of local memory: no device address is so high. */
#define REQUEST_TEXELS (1ull << 38)
#define REQUEST_LOCAL (1ull << 39)
static inline u64 request_make(u64 number, u32 sectors, enum traffic_kind kind, bool last, u32 site)
{
    return (number & ((1ull << REQUEST_NUMBER_BITS) - 1)) | (u64)sectors << 40 | (u64)kind << 44 | (u64)last << 48 |
           (u64)site << 49;
}
static inline u64 request_number(u64 r) { return r & ((1ull << REQUEST_NUMBER_BITS) - 1); }
static inline u32 request_sectors(u64 r) { return (u32)(r >> 40) & 15; }
static inline enum traffic_kind request_kind(u64 r) { return (enum traffic_kind)(r >> 44 & 15); }
static inline bool request_is_atomic(u64 r)
{
    return request_kind(r) == TRAFFIC_ATOM || request_kind(r) == TRAFFIC_RED;
}
#define REQUEST_LAST (1ull << 48)
static inline bool request_last(u64 r) { return r & REQUEST_LAST; }
/* Words of a sector that a store writes. */
static inline u32 request_words(u64 r)
{
    const u64 by_kind = 0x8888888888888888ull ^ (8ull ^ 1) << 4 * TRAFFIC_STORE_WORD ^
                        (8ull ^ 2) << 4 * TRAFFIC_STORE_TWO ^ (8ull ^ 4) << 4 * TRAFFIC_STORE_FOUR;
    return by_kind >> 4 * request_kind(r) & 15;
}
static inline u32 request_site(u64 r) { return (u32)(r >> 49); }

/* How a site's accesses stand to its block's others, bits. */
enum traffic_site {
    SITE_WITH_NEXT = 1, /* what its warp asks for next is asked for in the same turn */
    SITE_ROW = 2,       /* a store that stands next to others in machine code */
    SITE_AFTER = 4,     /* next to the one that the warp made before it */
};

/* An access to the same sectors as one whose requests stand at `first` of its stream, in a word: threads that go through rows, each its own,
 * ask for the same lines again and again. Its kind is not TRAFFIC_EMPTY_L1's. */
static inline u64 request_again(u32 first, enum traffic_kind kind, u32 site)
{
    return request_make((u64)kind << 32 | first, 1, TRAFFIC_EMPTY_L1, true, site);
}
static inline bool request_is_again(u64 r) { return request_kind(r) == TRAFFIC_EMPTY_L1 && request_sectors(r); }
/* 0: it is no barrier. */
static inline u32 request_barrier(u64 r)
{
    const bool is = request_kind(r) == TRAFFIC_EMPTY_L1 && !request_sectors(r) && request_number(r) & ORDER_BARRIER;
    return is ? (u32)(request_number(r) >> ORDER_BITS) : 0;
}
static inline u32 request_first(u64 again) { return (u32)request_number(again); }
/* The one at `first`, or one behind it, as the other access has it. */
static inline u64 request_of_again(u64 again, u64 other)
{
    return request_make(request_number(other), request_sectors(other), request_number(again) >> 32, request_last(other),
                        request_site(again));
}

/* AHEAD: so far behind what is read of a stream the host's caches are asked for it, since other streams are read in turn. */
enum { REQUESTS_RECENT = 64, REQUESTS_AHEAD = 16 };
struct requests {
    u64 *at;
    u64 len, cap, next;
    struct recent {
        u32 at;                /* 1 + where an access begins; 0: there is none */
        u32 hash;              /* of its first line: others are told apart without a look at where they are */
    } recent[REQUESTS_RECENT]; /* by the hash's highest bits */
    u64 turns;  /* of its warp: accesses but those that are asked for with the next one (SITE_WITH_NEXT) */
    u64 folded; /* lines that words stand for, more than one each (requests_fold) */
    /* of barriers: that it has come to, that it may pass, of its block */
    u32 barriers, passes, block; /* block: which of those that the SM holds (sm_run's) */
};
/* Room for n more. False: no memory. */
bool requests_grow(struct requests *s, u64 n);
static inline bool requests_room(struct requests *s, u64 n)
{
    return LS_LIKELY(s->cap - s->len >= n) || requests_grow(s, n);
}
static inline void requests_empty(struct requests *s)
{
    s->len = s->next = s->turns = s->folded = 0;
    memset(s->recent, 0, sizeof s->recent);
}
/* The last n of them, which are one access, become a word if the stream has one to the same sectors. */
void requests_fold(struct requests *s, u32 n);
/* Of n requests, all together. */
u32 requests_sectors(const u64 *request, u32 n);
static inline bool requests_push(struct requests *s, u64 request)
{
    if (!requests_room(s, 1))
        return false;
    s->at[s->len++] = request;
    return true;
}

#endif
