/* cooperative_groups/reduce.h - one value from the values of a group, which every thread of the group gets.
 *
 * 32-bit integers go through the warp's own reduction (redux). Anything else is halved by exchanges between lanes that
 * are size/2, size/4 ... 1 apart, in which order floats are added too; in a group that is no tile, the first lanes take
 * what comes after the largest power of two, and pass the result on. */
#ifndef LOCKSTEP_COOPERATIVE_GROUPS_REDUCE_H
#define LOCKSTEP_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__CUDA__)

#define LS_D __device__ __forceinline__

namespace cooperative_groups {

template <class T> struct plus {
    __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
    __host__ __device__ __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
    __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
    __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_xor {
    __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a ^ b; }
};
template <class T> struct bit_or {
    __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a | b; }
};

} // namespace cooperative_groups

namespace ls_group {

/* ---- what redux can do ---- */

template <class Op, class T> struct redux {
    static constexpr bool has = false;
};
#define LS_REDUX(op, type, ptx)                                                                                        \
    template <> struct redux<cooperative_groups::op<type>, type> {                                                     \
        static constexpr bool has = true;                                                                              \
        static LS_D type run(unsigned lanes, type value)                                                               \
        {                                                                                                              \
            type r;                                                                                                    \
            asm volatile("redux.sync." ptx " %0, %1, %2;" : "=r"(r) : "r"(value), "r"(lanes));                         \
            return r;                                                                                                  \
        }                                                                                                              \
    };
LS_REDUX(plus, int, "add.s32")
LS_REDUX(plus, unsigned, "add.u32")
LS_REDUX(less, int, "min.s32")
LS_REDUX(less, unsigned, "min.u32")
LS_REDUX(greater, int, "max.s32")
LS_REDUX(greater, unsigned, "max.u32")
LS_REDUX(bit_and, int, "and.b32")
LS_REDUX(bit_and, unsigned, "and.b32")
LS_REDUX(bit_or, int, "or.b32")
LS_REDUX(bit_or, unsigned, "or.b32")
LS_REDUX(bit_xor, int, "xor.b32")
LS_REDUX(bit_xor, unsigned, "xor.b32")
#undef LS_REDUX

/* ---- by kind of group ---- */

template <class Op, class T, unsigned Size> LS_D T reduce_lanes(const lane_tile<Size> &tile, T value, Op &&op)
{
#pragma unroll
    for (unsigned apart = Size / 2; apart; apart /= 2)
        value = op(value, tile.shfl_xor(value, apart));
    return value;
}

template <class Op, class T, unsigned Size, class Parent>
LS_D T reduce_group(const cooperative_groups::thread_block_tile<Size, Parent> &tile, T value, Op &&op)
{
    if constexpr (Size > 32) {
        const cooperative_groups::thread_block_tile<32, void> warp;
        return tile.over_warps(reduce_lanes(warp, value, op), op);
    } else {
        return reduce_lanes(tile, value, op);
    }
}

template <class Op, class T> LS_D T reduce_group(const cooperative_groups::coalesced_group &group, T value, Op &&op)
{
    const unsigned size = group.num_threads(), rank = group.thread_rank();
    unsigned width = 1u << (31 - __builtin_clz(size)); /* the largest power of two in it */
    const T after = group.shfl_down(value, width);
    if (rank + width < size)
        value = op(value, after);
    for (width /= 2; width; width /= 2) {
        const T other = group.shfl(value, (int)((rank ^ width) % size));
        value = op(value, other);
    }
    return group.shfl(value, 0);
}

template <class T> struct is_tile {
    static constexpr bool in_warp = false;
};
template <unsigned Size, class Parent> struct is_tile<cooperative_groups::thread_block_tile<Size, Parent>> {
    static constexpr bool in_warp = Size <= 32;
};
template <> struct is_tile<cooperative_groups::coalesced_group> {
    static constexpr bool in_warp = true;
};

} // namespace ls_group

namespace cooperative_groups {

template <class Group, class T, class Op>
LS_D auto reduce(const Group &group, T &&value, Op &&op) -> decltype(op(value, value))
{
    typedef ls_group::plain_t<T> type;
#if __CUDA_ARCH__ >= 800
    typedef ls_group::redux<ls_group::plain_t<Op>, type> instruction;
    if constexpr (instruction::has && ls_group::is_tile<Group>::in_warp)
        return instruction::run(ls_group_access::lanes(ls_group_access::of(group)), value);
    else
#endif
        return ls_group::reduce_group(group, static_cast<type>(value), op);
}

/* The result at *dst, written by one thread; the group has not waited for it. */
template <class Group, class T, class U, class Op>
LS_D void reduce_store_async(const Group &group, T *dst, U &&value, Op &&op)
{
    const T result = reduce(group, static_cast<T>(value), op);
    if (group.thread_rank() == 0)
        *dst = result;
}

} // namespace cooperative_groups

#undef LS_D
#endif

#endif
