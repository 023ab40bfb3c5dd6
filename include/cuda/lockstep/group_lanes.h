/* group_lanes.h - what groups within a warp are made of: sets of lanes, and values of any type between lanes.
 *
 * A value that is wider than a register goes in as many shuffles as it has words; its type must be trivially copyable,
 * as CUDA asks. */
#ifndef LOCKSTEP_GROUP_LANES_H
#define LOCKSTEP_GROUP_LANES_H

#include <cuda_runtime.h>

#define LS_D static __device__ __forceinline__

namespace ls_group {

LS_D unsigned lane()
{
    unsigned r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
LS_D unsigned lanes_below()
{
    unsigned r;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
    return r;
}
LS_D unsigned active_lanes()
{
    unsigned r;
    asm volatile("activemask.b32 %0;" : "=r"(r)::"memory");
    return r;
}
LS_D unsigned count(unsigned lanes) { return (unsigned)__builtin_popcount(lanes); }
/* The lane that comes `rank`th, from 0, in a set; ~0 when there are fewer. */
LS_D unsigned lane_at(unsigned lanes, unsigned rank)
{
    unsigned r;
    asm("fns.b32 %0, %1, 0, %2;" : "=r"(r) : "r"(lanes), "r"(rank + 1));
    return r;
}
LS_D void sync_lanes(unsigned lanes) { __nvvm_bar_warp_sync(lanes); }
LS_D void sync_block() { asm volatile("barrier.sync 0;" ::: "memory"); }

/* The thread's place in its block, x fastest. */
LS_D unsigned block_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
LS_D unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

/* Bits of a warp-wide vote that belong to `lanes`, closed up: bit i is the lane with rank i. */
LS_D unsigned close_up(unsigned votes, unsigned lanes)
{
    unsigned r = 0;
    for (unsigned rank = 0; lanes; rank++, lanes &= lanes - 1)
        r |= (votes >> (unsigned)__builtin_ctz(lanes) & 1) << rank;
    return r;
}

/* ---- shuffles: `clamp` is the instruction's last operand ---- */

enum shuffle { from_lane, from_above, from_below, across };

template <shuffle How> LS_D unsigned shuffle_word(unsigned lanes, unsigned word, unsigned at, unsigned clamp)
{
    const int a = (int)word, b = (int)at, c = (int)clamp;
    return (unsigned)(How == from_lane    ? __nvvm_shfl_sync_idx_i32(lanes, a, b, c)
                      : How == from_above ? __nvvm_shfl_sync_down_i32(lanes, a, b, c)
                      : How == from_below ? __nvvm_shfl_sync_up_i32(lanes, a, b, c)
                                          : __nvvm_shfl_sync_bfly_i32(lanes, a, b, c));
}

template <shuffle How, class T> LS_D T shuffle_value(unsigned lanes, T value, unsigned at, unsigned clamp)
{
    static_assert(__is_trivially_copyable(T), "a shuffled type must be trivially copyable");
    unsigned words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
    for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++)
        words[i] = shuffle_word<How>(lanes, words[i], at, clamp);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}

/* ---- votes and matches ---- */

LS_D bool any(unsigned lanes, bool predicate) { return __nvvm_vote_any_sync(lanes, predicate); }
LS_D bool all(unsigned lanes, bool predicate) { return __nvvm_vote_all_sync(lanes, predicate); }
LS_D unsigned ballot(unsigned lanes, bool predicate) { return __nvvm_vote_ballot_sync(lanes, predicate); }

/* The bits of a value of up to 8 bytes. */
template <class T> LS_D unsigned long long word_of(T value)
{
    static_assert(sizeof(T) <= 8, "match compares values of up to 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T> LS_D unsigned match_any(unsigned lanes, T value)
{
    if constexpr (sizeof(T) <= 4)
        return __nvvm_match_any_sync_i32(lanes, (unsigned)word_of(value));
    else
        return (unsigned)__nvvm_match_any_sync_i64(lanes, word_of(value));
}
template <class T> LS_D unsigned match_all(unsigned lanes, T value, int &same)
{
    unsigned r;
    if constexpr (sizeof(T) <= 4)
        asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                     : "=r"(r), "=r"(same)
                     : "r"((unsigned)word_of(value)), "r"(lanes));
    else
        asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                     : "=r"(r), "=r"(same)
                     : "l"(word_of(value)), "r"(lanes));
    return r;
}

/* ---- types ---- */

template <class T> struct plain {
    typedef T type;
};
template <class T> struct plain<T &> : plain<T> {};
template <class T> struct plain<T &&> : plain<T> {};
template <class T> struct plain<const T> : plain<T> {};
template <class T> struct plain<volatile T> : plain<T> {};
template <class T> struct plain<const volatile T> : plain<T> {};
template <class T> using plain_t = typename plain<T>::type;

} // namespace ls_group

#undef LS_D
#endif
