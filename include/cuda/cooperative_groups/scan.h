/* cooperative_groups/scan.h - what a thread's value and those of lower ranks make together (inclusive), or those of
 * lower ranks alone (exclusive).
 *
 * Each step adds what a lane 1, 2, 4 ... ranks below has. The first thread of an exclusive scan gets T(): the
 * identity of plus; with another operation, as CUDA says of it, nothing that counts. */
#ifndef LOCKSTEP_COOPERATIVE_GROUPS_SCAN_H
#define LOCKSTEP_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__cplusplus) && defined(__CUDA__)

#define LS_D __device__ __forceinline__

namespace ls_group {

template <class Group, class T, class Op> LS_D T scan_lanes(const Group &group, T value, Op &&op)
{
    const unsigned rank = group.thread_rank(), size = group.num_threads();
    for (unsigned apart = 1; apart < size; apart *= 2) {
        const T below = group.shfl_up(value, apart);
        if (rank >= apart)
            value = op(below, value);
    }
    return value;
}

template <class T, class Op> LS_D T scan_group(const cooperative_groups::coalesced_group &group, T value, Op &&op)
{
    return scan_lanes(group, value, op);
}
template <unsigned Size, class Parent, class T, class Op>
LS_D T scan_group(const cooperative_groups::thread_block_tile<Size, Parent> &tile, T value, Op &&op)
{
    if constexpr (Size > 32) {
        const cooperative_groups::thread_block_tile<32, void> warp;
        value = scan_lanes(warp, value, op);
        T before = value;
        return tile.before_warp(warp.shfl(value, 31), op, before) ? op(before, value) : value;
    } else {
        return scan_lanes(tile, value, op);
    }
}

/* The inclusive result of the rank below. */
template <class T> LS_D T shift_up(const cooperative_groups::coalesced_group &group, T value)
{
    return group.shfl_up(value, 1);
}
template <unsigned Size, class Parent, class T>
LS_D T shift_up(const cooperative_groups::thread_block_tile<Size, Parent> &tile, T value)
{
    if constexpr (Size > 32) {
        const cooperative_groups::thread_block_tile<32, void> warp;
        T before = value;
        const T below = warp.shfl_up(value, 1);
        tile.before_warp(warp.shfl(value, 31), [](const T &, const T &last) { return last; }, before);
        return lane() ? below : before;
    } else {
        return tile.shfl_up(value, 1);
    }
}

} // namespace ls_group

namespace cooperative_groups {

template <class Group, class T, class Op>
LS_D auto inclusive_scan(const Group &group, T &&value, Op &&op) -> decltype(op(value, value))
{
    return ls_group::scan_group(group, static_cast<ls_group::plain_t<T>>(value), op);
}
template <class Group, class T> LS_D ls_group::plain_t<T> inclusive_scan(const Group &group, T &&value)
{
    return inclusive_scan(group, value, plus<ls_group::plain_t<T>>());
}

template <class Group, class T, class Op>
LS_D auto exclusive_scan(const Group &group, T &&value, Op &&op) -> decltype(op(value, value))
{
    typedef ls_group::plain_t<T> type;
    const type below = ls_group::shift_up(group, static_cast<type>(inclusive_scan(group, value, op)));
    return group.thread_rank() ? below : type();
}
template <class Group, class T> LS_D ls_group::plain_t<T> exclusive_scan(const Group &group, T &&value)
{
    return exclusive_scan(group, value, plus<ls_group::plain_t<T>>());
}

} // namespace cooperative_groups

#undef LS_D
#endif

#endif
