/* group_tile_wide.h - tiles of 64 to 512 threads: several warps of a block.
 *
 * Their barrier is a word of shared memory for each size and place, used as a grid's (group_block.h) but with warps for
 * blocks; their values pass through a place of shared memory for each warp. All of it is one static variable, which
 * dividing a block sets up: that is a barrier of the block, so every thread of it must take part, as CUDA asks. */
#ifndef LOCKSTEP_GROUP_TILE_WIDE_H
#define LOCKSTEP_GROUP_TILE_WIDE_H

#include "group_tile.h"

#define LS_D __device__ __forceinline__

namespace ls_group {

struct wide_memory {
    static constexpr unsigned value_bytes = 32, warps = 32;
    unsigned words[warps]; /* of the tile of s warps from warp w on: words[w + s / 2], no two the same */
    alignas(16) unsigned char values[warps][value_bytes];
};

static LS_D wide_memory &wide()
{
    __shared__ wide_memory memory;
    return memory;
}

template <unsigned Size> class wide_tile {
    static_assert(Size == 64 || Size == 128 || Size == 256 || Size == 512, "a tile has at most 512 threads");
    static constexpr unsigned warps = Size / 32;
    static LS_D unsigned first_warp() { return block_rank() / Size * warps; }

  protected:
    unsigned meta_rank_, meta_size_;
    LS_D wide_tile(unsigned rank, unsigned size) : meta_rank_(rank), meta_size_(size) {}

  public:
    static LS_D void prepare(const cooperative_groups::thread_block &)
    {
        sync_block();
        for (unsigned i = block_rank(); i < wide_memory::warps; i += block_size())
            wide().words[i] = 0;
        sync_block();
    }
    /* A tile of a tile: its block has been divided before. */
    template <class Parent> static LS_D void prepare(const Parent &) {}

    static LS_D unsigned thread_rank() { return block_rank() & (Size - 1); }
    static constexpr LS_D unsigned num_threads() { return Size; }
    static constexpr LS_D unsigned size() { return Size; }

    static LS_D void sync()
    {
        unsigned *word = &wide().words[first_warp() + warps / 2], before = 0, now;
        sync_lanes(~0u);
        if (lane() == 0)
            asm volatile("atom.acq_rel.cta.add.u32 %0, [%1], %2;"
                         : "=r"(before)
                         : "l"(word), "r"(thread_rank() < 32 ? grid_top - (warps - 1) : 1u)
                         : "memory");
        before = shuffle_word<from_lane>(~0u, before, 0, 31);
        do
            asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
        while (((now ^ before) & grid_top) == 0);
        sync_lanes(~0u);
    }

    /* Each warp's value, from its first lane, through `combine`, in the order of the warps. */
    template <class T, class Combine> LS_D T over_warps(T value, Combine combine) const
    {
        static_assert(sizeof(T) <= wide_memory::value_bytes, "a value of a multi-warp tile has at most 32 bytes");
        const unsigned first = first_warp();
        if (lane() == 0)
            *(T *)wide().values[first + thread_rank() / 32] = value;
        sync();
        T result = *(const T *)wide().values[first];
        for (unsigned i = 1; i < warps; i++)
            result = combine(result, *(const T *)wide().values[first + i]);
        sync();
        return result;
    }

    /* The values of the warps before this one; false in the first, which has none. */
    template <class T, class Combine> LS_D bool before_warp(T total, Combine combine, T &result) const
    {
        static_assert(sizeof(T) <= wide_memory::value_bytes, "a value of a multi-warp tile has at most 32 bytes");
        const unsigned first = first_warp(), warp = thread_rank() / 32;
        if (lane() == 0)
            *(T *)wide().values[first + warp] = total;
        sync();
        if (warp)
            result = *(const T *)wide().values[first];
        for (unsigned i = 1; i < warp; i++)
            result = combine(result, *(const T *)wide().values[first + i]);
        sync();
        return warp != 0;
    }

    template <class T> LS_D T shfl(T value, unsigned rank) const
    {
        static_assert(sizeof(T) <= wide_memory::value_bytes, "a value of a multi-warp tile has at most 32 bytes");
        T *place = (T *)wide().values[first_warp()];
        if (thread_rank() == rank)
            *place = value;
        sync();
        value = *place;
        sync();
        return value;
    }
    LS_D int any(int predicate) const
    {
        return over_warps(ls_group::any(~0u, predicate != 0), [](bool a, bool b) { return a || b; });
    }
    LS_D int all(int predicate) const
    {
        return over_warps(ls_group::all(~0u, predicate != 0), [](bool a, bool b) { return a && b; });
    }
};

} // namespace ls_group

#undef LS_D
#endif
