/* cooperative_groups/memcpy_async.h - copies by a whole group that go on while its threads do, from global to shared
 * memory (cp.async), and the wait for them.
 *
 * The pieces are as wide as addresses and size allow: 16, 8 or 4 bytes, dealt to the threads in turn. What cannot be
 * such a copy (from or to elsewhere, or less aligned) is made at once. */
#ifndef LOCKSTEP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define LOCKSTEP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../lockstep/copy_async.h"

#if defined(__cplusplus) && defined(__CUDA__)

#define LS_D __device__ __forceinline__

namespace cooperative_groups {

template <class Group> LS_D void memcpy_async(const Group &group, void *dst, const void *src, size_t bytes)
{
    ls_copy::by_threads((unsigned)group.thread_rank(), (unsigned)group.num_threads(), dst, src, bytes);
    ls_copy::commit();
}
/* aligned_size_t<N> and other sizes that say how aligned they are. */
template <class Group, class Shape>
LS_D void memcpy_async(const Group &group, void *dst, const void *src, const Shape &shape)
{
    memcpy_async(group, dst, src, static_cast<size_t>(shape));
}
template <class Group, class T, class DstLayout, class SrcLayout>
LS_D void memcpy_async(const Group &group, T *dst, const DstLayout &dst_elements, const T *src,
                       const SrcLayout &src_elements)
{
    const size_t to = static_cast<size_t>(dst_elements), from = static_cast<size_t>(src_elements);
    memcpy_async(group, (void *)dst, (const void *)src, (to < from ? to : from) * sizeof(T));
}

/* All copies of the group but the last Stage are complete, and all of its threads may read them. */
template <unsigned Stage, class Group> LS_D void wait_prior(const Group &group)
{
    ls_copy::wait<Stage>();
    group.sync();
}
template <class Group> LS_D void wait(const Group &group) { wait_prior<0>(group); }

} // namespace cooperative_groups

#undef LS_D
#endif

#endif
