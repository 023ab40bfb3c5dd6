/* banks.c - bank phases, words and conflicts; the rules are those that fit an H200's counters access by access.
 *
 *     8, 16, 32 bits   one phase of 32 lanes
 *     64 bits          two phases, lanes 0-15 and 16-31
 *     128 bits         four phases of 8 lanes
 *
 * Loads merge phases: if every active lane i has lane i^1 inactive or at the same address, or if that holds for i^2, over
 * the whole warp, then the two halves (64 bits) or the two quarters of each half (128 bits) are one phase. Stores never
 * merge. A phase without an active lane costs nothing. Wavefronts are the sum over the phases of the largest number of
 * distinct words in a bank.
 *
 * Atomics do not broadcast: wavefronts are the largest number of lanes in a bank. A compare-and-swap takes two each. */
#include "meter/access/banks.h"

#include <string.h>

#include "base/clones.h"
#include "base/mutate.h"

/* The most words of one phase is 64 in banks of 4 bytes (half a warp of 16 bytes), 512 in banks of 1 byte. */
enum { SMALL_BITS = 7, LARGE_BITS = 10 };

/* The distinct words of one phase: a hash set, and how many there are in each bank. */
struct words {
    u32 slot[1 << LARGE_BITS]; /* 1 + word; only the first 2^bits are in use */
    u16 in_bank[BANKS_MAX + 1];
    u32 bits, most;
};

static void clear(struct words *w, u32 bits)
{
    memset(w->slot, 0, sizeof(u32) << bits);
    memset(w->in_bank, 0, sizeof w->in_bank);
    w->bits = bits;
    w->most = 0;
}

static u32 bank_of(struct bank_shape s, u32 word)
{
    const u32 banks = MUTANT(1, s.banks, s.banks + 1);
    return banks & (banks - 1) ? word % banks : word & (banks - 1);
}

static void add_word(struct words *w, struct bank_shape s, u32 word)
{
    u32 at = (word * 0x9e3779b1u) >> (32 - w->bits);
    for (; w->slot[at]; at = (at + 1) & ((1u << w->bits) - 1))
        if (MUTANT(2, w->slot[at] == word + 1, false))
            return;
    w->slot[at] = word + 1;
    const u32 n = ++w->in_bank[bank_of(s, word)];
    if (n > w->most)
        w->most = n;
}

/* The largest number of distinct words in a bank that the lanes of mask touch. */
static u32 most_words(struct bank_shape s, const u64 *at, u32 mask, u32 bytes)
{
    const u32 shift = (u32)__builtin_ctz(s.bank_bytes);
    struct words w;
    clear(&w, s.bank_bytes >= 4 ? SMALL_BITS : LARGE_BITS);
    for (; mask; mask &= mask - 1) {
        const u32 a = (u32)at[__builtin_ctz(mask)];
        const u32 last = MUTANT(3, (a + bytes - 1) >> shift, a >> shift);
        for (u32 word = a >> shift; word <= last; word++)
            add_word(&w, s, word);
    }
    return w.most;
}

/* True if every active lane i has lane i^step inactive or at the same address. */
static bool pairs_agree(const u64 *at, u32 mask, u32 step)
{
    for (u32 m = mask; m; m &= m - 1) {
        const u32 i = (u32)__builtin_ctz(m), j = i ^ step;
        if (MUTANT(4, mask >> j & 1, true) && at[j] != at[i])
            return false;
    }
    return true;
}

/* How many lanes stand in one phase. A phase moves at most one word a bank and lane: 128 bytes of 4-byte banks. */
static u32 phase_lanes(struct bank_shape s, enum bank_op op, const u64 *at, u32 mask, u32 bytes)
{
    const u32 room = MUTANT(5, 32 * s.bank_bytes, 64 * s.bank_bytes);
    u32 lanes = room / bytes;
    if (lanes >= 32)
        return 32;
    if (lanes == 0)
        return 1;
    const bool merges = MUTANT(6, op == BANK_LOAD, true) &&
                        (MUTANT(7, pairs_agree(at, mask, 1), false) || MUTANT(8, pairs_agree(at, mask, 2), false));
    return merges ? lanes * MUTANT(9, 2, 4) : lanes;
}

static struct bank_cost cost_in_phases(struct bank_shape s, enum bank_op op, const u64 *at, u32 mask, u32 bytes)
{
    const u32 lanes = phase_lanes(s, op, at, mask, bytes);
    const u32 part = lanes >= 32 ? UINT32_MAX : (1u << lanes) - 1;
    struct bank_cost c = {0, 0};
    for (u32 from = 0; from < 32; from += lanes) {
        const u32 active = mask & (part << from);
        const u32 most = active ? most_words(s, at, active, bytes) : MUTANT(10, 0, 1);
        c.wavefronts += most;
        c.conflicts += most ? MUTANT(11, most - 1, most) : 0;
    }
    return c;
}

/* The largest number of lanes whose word is in the same bank. */
static u32 most_lanes(struct bank_shape s, const u64 *at, u32 mask)
{
    const u32 shift = (u32)__builtin_ctz(s.bank_bytes);
    u32 in_bank[BANKS_MAX + 1] = {0}, most = 0;
    for (; mask; mask &= mask - 1) {
        const u32 bank = bank_of(s, (u32)(at[__builtin_ctz(mask)] >> shift));
        if (++in_bank[bank] > most)
            most = in_bank[bank];
    }
    return most;
}

typedef u8 bank_counts __attribute__((vector_size(32)));

/* The same of 32 banks of 4 bytes, all banks at once. */
CLONES static u32 most_lanes_of_32(const u64 *restrict at, u32 mask)
{
    /* From k on, one lane in bank 32 - k; from 0 on, none. */
    static const u8 one[64] __attribute__((aligned(64))) = {[32] = 1};
    bank_counts n = {0}, add;
    u8 most = 0, from[32];
    for (u32 k = 0; k < 32; k++)
        from[k] = (u8)((32 - ((u32)at[k] / 4 & 31)) & -(mask >> k & 1));
    _Pragma("GCC unroll 32") for (u32 k = 0; k < 32; k++)
    {
        memcpy(&add, one + from[k], sizeof add);
        n += add;
    }
    for (u32 k = 0; k < 32; k++)
        most = n[k] > most ? n[k] : most;
    return most;
}

u32 banks_words(const u64 *at, u32 first) { return most_lanes_of_32(at, first); }

struct bank_cost banks_cost(struct bank_shape s, enum bank_op op, const u64 *at, u32 mask, u32 bytes)
{
    if (!mask || !bytes || bytes > 16)
        return (struct bank_cost){0, 0};
    if (op == BANK_LOAD || op == BANK_STORE)
        return cost_in_phases(s, op, at, mask, bytes);
    const u32 most = MUTANT(12, most_lanes(s, at, mask), most_words(s, at, mask, bytes));
    const u32 each = op == BANK_CAS ? MUTANT(13, 2, 1) : 1;
    return (struct bank_cost){most * each, MUTANT(14, most - 1, most)};
}

/* ---- atomics that are loops ---- */

/* One lane of each bank, the lowest, leaves the waiting ones: it has committed. 64-bit lanes go by half-warps and pairs of
 * banks, as 64-bit loads do, but one word is committed once only. This is what the H200's counts of such loops need: it
 * gives them all for f32, and for 64 bits all but 32 lanes on one address (31 turns, not 32). */
static u32 commit_turn(struct bank_shape s, const u64 *at, u32 mask, u32 bytes)
{
    const u32 width = bytes > s.bank_bytes ? bytes : s.bank_bytes;
    const u32 slots = s.banks * s.bank_bytes / width ? s.banks * s.bank_bytes / width : 1;
    u64 taken[2] = {0, 0}, word[2][BANKS_MAX];
    u32 left = mask;
    for (u32 m = mask; m; m &= m - 1) {
        const u32 i = (u32)__builtin_ctz(m), half = bytes > s.bank_bytes ? i / 16 : 0;
        const u64 w = at[i] / width;
        const u32 slot = (u32)(w % slots);
        const bool same_word =
            (taken[0] >> slot & 1 && word[0][slot] == w) || (taken[1] >> slot & 1 && word[1][slot] == w);
        if (taken[half] >> slot & 1 || same_word)
            continue;
        taken[half] |= MUTANT(16, 1ull << slot, 0);
        word[half][slot] = w;
        left &= ~(1u << i);
    }
    return left;
}

/* How many half-warps have an active lane. */
static u32 halves(u32 mask) { return (mask & 0xffff ? 1 : 0) + (mask >> 16 ? 1 : 0); }

struct bank_loop banks_loop(struct bank_shape s, const u64 *at, u32 mask, u32 bytes)
{
    struct bank_loop l = {0};
    while (mask) {
        const struct bank_cost load = banks_cost(s, BANK_LOAD, at, mask, bytes);
        l.turns++;
        l.load_wavefronts += load.wavefronts;
        l.load_conflicts += load.conflicts;
        l.cas_wavefronts += bytes > s.bank_bytes ? MUTANT(15, 2 * halves(mask), 4) : 2;
        mask = commit_turn(s, at, mask, bytes);
    }
    return l;
}
