/* group_tile.h - cooperative groups within a warp: coalesced_group and thread_block_tile, and the ways to make them.
 *
 * A coalesced_group is any set of lanes; its ranks number them upwards. A thread_block_tile<N> is N neighbours of a
 * block, N a power of two up to 32; tiles of several warps are in group_tile_wide.h. */
#ifndef LOCKSTEP_GROUP_TILE_H
#define LOCKSTEP_GROUP_TILE_H

#include "group_block.h"

#define LS_D __device__ __forceinline__

namespace cooperative_groups {

class coalesced_group : public thread_group {
    friend LS_D coalesced_group coalesced_threads();
    friend struct ls_group_access;

  protected:
    LS_D coalesced_group(unsigned lanes, unsigned rank = 0, unsigned size = 1)
        : thread_group(lanes_of_warp, lanes, rank, size)
    {
    }
    /* The lane of a rank; all 32 are their own. */
    LS_D unsigned lane_of(unsigned rank) const { return mask_ == ~0u ? rank : ls_group::lane_at(mask_, rank); }
    template <class T> LS_D T from(T value, unsigned lane) const
    {
        return ls_group::shuffle_value<ls_group::from_lane>(mask_, value, lane, 31);
    }

  public:
    LS_D unsigned num_threads() const { return ls_group::count(mask_); }
    LS_D unsigned size() const { return num_threads(); }
    LS_D unsigned thread_rank() const { return ls_group::count(mask_ & ls_group::lanes_below()); }
    LS_D unsigned meta_group_rank() const { return meta_rank_; }
    LS_D unsigned meta_group_size() const { return meta_size_; }
    LS_D void sync() const { ls_group::sync_lanes(mask_); }

    template <class T> LS_D T shfl(T value, int rank) const { return from(value, lane_of((unsigned)rank)); }
    /* A lane without a partner keeps its own. */
    template <class T> LS_D T shfl_down(T value, unsigned delta) const
    {
        const unsigned rank = thread_rank() + delta;
        return from(value, rank < size() ? lane_of(rank) : ls_group::lane());
    }
    template <class T> LS_D T shfl_up(T value, unsigned delta) const
    {
        const unsigned rank = thread_rank();
        return from(value, rank >= delta ? lane_of(rank - delta) : ls_group::lane());
    }
    LS_D int any(int predicate) const { return ls_group::any(mask_, predicate != 0); }
    LS_D int all(int predicate) const { return ls_group::all(mask_, predicate != 0); }
    LS_D unsigned ballot(int predicate) const
    {
        return ls_group::close_up(ls_group::ballot(mask_, predicate != 0), mask_);
    }
    template <class T> LS_D unsigned match_any(T value) const
    {
        return ls_group::close_up(ls_group::match_any(mask_, value), mask_);
    }
    template <class T> LS_D unsigned match_all(T value, int &same) const
    {
        return ls_group::close_up(ls_group::match_all(mask_, value, same), mask_);
    }
};

LS_D coalesced_group coalesced_threads() { return coalesced_group(ls_group::active_lanes()); }

/* ---- tiles ---- */

template <unsigned Size, class Parent = void> class thread_block_tile;

} // namespace cooperative_groups

namespace ls_group {

/* Where a tile stands among its parent's, for each parent that is known. */
template <unsigned Size, class Parent> struct tile_place;
template <unsigned Size> struct tile_place<Size, cooperative_groups::thread_block> {
    static LS_D unsigned rank() { return block_rank() / Size; }
    static LS_D unsigned size() { return (block_size() + Size - 1) / Size; }
};
template <unsigned Size, unsigned Outer, class Parent>
struct tile_place<Size, cooperative_groups::thread_block_tile<Outer, Parent>> {
    static LS_D unsigned rank() { return block_rank() % Outer / Size; }
    static LS_D unsigned size() { return Outer / Size; }
};

/* Size neighbours, Size <= 32. */
template <unsigned Size> class lane_tile : public cooperative_groups::thread_group {
    static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
    static constexpr unsigned clamp(unsigned end) { return (32 - Size) << 8 | end; }
    static LS_D unsigned first_lane() { return lane() & ~(Size - 1); }
    static constexpr unsigned ones = Size == 32 ? ~0u : (1u << Size % 32) - 1;

  protected:
    static LS_D unsigned lanes() { return Size == 32 ? ~0u : ones << first_lane(); }
    LS_D lane_tile(unsigned rank, unsigned size) : thread_group(lanes_of_warp, lanes(), rank, size) {}

  public:
    static LS_D unsigned thread_rank() { return block_rank() & (Size - 1); }
    static constexpr LS_D unsigned num_threads() { return Size; }
    static constexpr LS_D unsigned size() { return Size; }
    static LS_D void sync() { sync_lanes(lanes()); }

    template <class T> LS_D T shfl(T value, int rank) const
    {
        return shuffle_value<from_lane>(lanes(), value, (unsigned)rank, clamp(31));
    }
    template <class T> LS_D T shfl_down(T value, unsigned delta) const
    {
        return shuffle_value<from_above>(lanes(), value, delta, clamp(31));
    }
    template <class T> LS_D T shfl_up(T value, unsigned delta) const
    {
        return shuffle_value<from_below>(lanes(), value, delta, clamp(0));
    }
    template <class T> LS_D T shfl_xor(T value, unsigned mask) const
    {
        return shuffle_value<across>(lanes(), value, mask, clamp(31));
    }
    LS_D int any(int predicate) const { return ls_group::any(lanes(), predicate != 0); }
    LS_D int all(int predicate) const { return ls_group::all(lanes(), predicate != 0); }
    LS_D unsigned ballot(int predicate) const
    {
        return ls_group::ballot(lanes(), predicate != 0) >> first_lane() & ones;
    }
    template <class T> LS_D unsigned match_any(T value) const
    {
        return ls_group::match_any(lanes(), value) >> first_lane() & ones;
    }
    template <class T> LS_D unsigned match_all(T value, int &same) const
    {
        return ls_group::match_all(lanes(), value, same) >> first_lane() & ones;
    }
};

template <unsigned Size> class wide_tile;

template <unsigned Size, bool Wide = (Size > 32)> struct tile_base {
    typedef lane_tile<Size> type;
};
template <unsigned Size> struct tile_base<Size, true> {
    typedef wide_tile<Size> type;
};

} // namespace ls_group

namespace cooperative_groups {

/* With its parent known, a tile's place needs no register. */
template <unsigned Size, class Parent> class thread_block_tile : public ls_group::tile_base<Size>::type {
    typedef typename ls_group::tile_base<Size>::type base;
    typedef ls_group::tile_place<Size, Parent> place;

  public:
    LS_D thread_block_tile(const Parent &) : base(place::rank(), place::size()) {}
    static LS_D unsigned meta_group_rank() { return place::rank(); }
    static LS_D unsigned meta_group_size() { return place::size(); }
};

template <unsigned Size> class thread_block_tile<Size, void> : public ls_group::tile_base<Size>::type {
    typedef typename ls_group::tile_base<Size>::type base;

  public:
    LS_D thread_block_tile(unsigned rank = 0, unsigned size = 1) : base(rank, size) {}
    template <class Parent>
    LS_D thread_block_tile(const thread_block_tile<Size, Parent> &tile)
        : base(tile.meta_group_rank(), tile.meta_group_size())
    {
    }
    LS_D unsigned meta_group_rank() const { return this->meta_rank_; }
    LS_D unsigned meta_group_size() const { return this->meta_size_; }
};

} // namespace cooperative_groups

namespace cooperative_groups {

template <unsigned Size, class Parent> LS_D thread_block_tile<Size, Parent> tiled_partition(const Parent &parent)
{
    if constexpr (Size > 32)
        ls_group::wide_tile<Size>::prepare(parent);
    return thread_block_tile<Size, Parent>(parent);
}

LS_D thread_block_tile<1, void> this_thread() { return thread_block_tile<1, void>(); }

/* ---- partitions whose shape is known at run time ---- */

struct ls_group_access {
    static LS_D coalesced_group make(unsigned lanes, unsigned rank, unsigned size)
    {
        return coalesced_group(lanes, rank, size);
    }
    /* The lanes of any group within a warp, as a coalesced_group. */
    static LS_D coalesced_group of(const coalesced_group &group) { return group; }
    template <unsigned Size, class Parent> static LS_D coalesced_group of(const thread_block_tile<Size, Parent> &)
    {
        const unsigned ones = Size == 32 ? ~0u : (1u << Size % 32) - 1;
        return coalesced_group(ones << (ls_group::lane() & ~(Size - 1)));
    }
    static LS_D unsigned lanes(const coalesced_group &group) { return group.mask_; }
};

} // namespace cooperative_groups

namespace ls_group {
/* Those `lanes` whose rank among them, divided by `size`, is this thread's. */
static LS_D unsigned lanes_beside(unsigned lanes, unsigned size)
{
    const unsigned mine = count(lanes & lanes_below()) / size;
    unsigned r = 0;
    for (unsigned rank = 0, left = lanes; left; rank++, left &= left - 1)
        if (rank / size == mine)
            r |= left & (0u - left);
    return r;
}
} // namespace ls_group

namespace cooperative_groups {

/* The size must be a power of two up to 32; anything else is no group, and traps. */
LS_D coalesced_group tiled_partition(const coalesced_group &parent, unsigned size)
{
    if (size == 0 || size > 32 || (size & (size - 1)))
        asm volatile("trap;");
    const unsigned lanes = ls_group_access::lanes(parent), all = ls_group::count(lanes);
    return ls_group_access::make(ls_group::lanes_beside(lanes, size), parent.thread_rank() / size,
                                 (all + size - 1) / size);
}

LS_D thread_group tiled_partition(const thread_block &, unsigned size)
{
    if (size == 0 || size > 32 || (size & (size - 1)))
        asm volatile("trap;");
    const unsigned ones = size == 32 ? ~0u : (1u << size) - 1;
    return ls_group_access::make(ones << (ls_group::lane() & ~(size - 1)), ls_group::block_rank() / size,
                                 (ls_group::block_size() + size - 1) / size);
}

LS_D thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    if (parent.kind_ == thread_group::whole_grid)
        asm volatile("trap;");
    if (parent.kind_ == thread_group::whole_block)
        return tiled_partition(this_thread_block(), size);
    return tiled_partition(ls_group_access::make(parent.mask_, 0, 1), size);
}

/* The groups are numbered in the order of their first lanes. */
template <class Label, class Group> LS_D coalesced_group labeled_partition(const Group &group, Label label)
{
    const unsigned all = ls_group_access::lanes(ls_group_access::of(group));
    const unsigned mine = ls_group::match_any(all, label);
    const unsigned first = (unsigned)__builtin_ctz(mine);
    const unsigned leaders = ls_group::ballot(all, first == ls_group::lane());
    return ls_group_access::make(mine, ls_group::count(leaders & ((1u << first) - 1)), ls_group::count(leaders));
}

template <class Group> LS_D coalesced_group binary_partition(const Group &group, bool predicate)
{
    const unsigned all = ls_group_access::lanes(ls_group_access::of(group));
    const unsigned yes = ls_group::ballot(all, predicate);
    if (yes == all || yes == 0)
        return ls_group_access::make(all, 0, 1);
    return ls_group_access::make(predicate ? yes : all & ~yes, predicate, 2);
}

/* ---- one thread of a group ---- */

} // namespace cooperative_groups

namespace ls_group {
static LS_D bool elected(unsigned lanes)
{
#if __CUDA_ARCH__ >= 900
    unsigned is;
    asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "r"(lanes) : "memory");
    return is != 0;
#else
    return (unsigned)__builtin_ctz(lanes) == lane();
#endif
}
} // namespace ls_group

namespace cooperative_groups {

template <class Group, class Function, class... Args>
LS_D void invoke_one(const Group &group, Function &&function, Args &&...args)
{
    if (ls_group::elected(ls_group_access::lanes(ls_group_access::of(group))))
        static_cast<Function &&>(function)(static_cast<Args &&>(args)...);
}

template <class Group, class Function, class... Args>
LS_D auto invoke_one_broadcast(const Group &group, Function &&function, Args &&...args)
    -> ls_group::plain_t<decltype(static_cast<Function &&>(function)(static_cast<Args &&>(args)...))>
{
    typedef ls_group::plain_t<decltype(static_cast<Function &&>(function)(static_cast<Args &&>(args)...))> result;
    const unsigned lanes = ls_group_access::lanes(ls_group_access::of(group));
    const bool mine = ls_group::elected(lanes);
    const unsigned from = (unsigned)__builtin_ctz(ls_group::ballot(lanes, mine));
    alignas(result) unsigned char bytes[sizeof(result)] = {};
    if (mine)
        *(result *)bytes = static_cast<Function &&>(function)(static_cast<Args &&>(args)...);
    return ls_group::shuffle_value<ls_group::from_lane>(lanes, *(result *)bytes, from, 31);
}

/* ---- as functions ---- */

template <class Group> LS_D void sync(const Group &group) { group.sync(); }
template <class Group> LS_D auto thread_rank(const Group &group) -> decltype(group.thread_rank())
{
    return group.thread_rank();
}
template <class Group> LS_D auto group_size(const Group &group) -> decltype(group.num_threads())
{
    return group.num_threads();
}

} // namespace cooperative_groups

#undef LS_D
#endif
