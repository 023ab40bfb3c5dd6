/* bulk_experimental.h - cuda::device::experimental: bulk copies that the barrier of a block waits for, by the older names of libcu++. */
#ifndef LOCKSTEP_BULK_EXPERIMENTAL_H
#define LOCKSTEP_BULK_EXPERIMENTAL_H

#include "ptx_wrappers.h"

struct CUtensorMap_st;

#define LS_D static __device__ __forceinline__

namespace cuda {
namespace device {
namespace experimental {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

LS_D void cp_async_bulk_global_to_shared(void *to, const void *from, uint32_t size, ls_block_barrier &b)
{
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, size, barrier_native_handle(b));
}
LS_D void cp_async_bulk_shared_to_global(void *to, const void *from, uint32_t size)
{
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, size);
}
LS_D void cp_async_bulk_commit_group() { ptx::cp_async_bulk_commit_group(); }
template <int N> LS_D void cp_async_bulk_wait_group_read() { ptx::cp_async_bulk_wait_group_read(ptx::n32_t<N>()); }
LS_D void fence_proxy_async_shared_cta() { ptx::fence_proxy_async(ptx::space_shared); }

LS_D void cp_async_bulk_tensor_1d_global_to_shared(void *to, const CUtensorMap_st *map, int c0, ls_block_barrier &b)
{
    const int32_t c[] = {c0};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, c, barrier_native_handle(b));
}
LS_D void cp_async_bulk_tensor_1d_shared_to_global(const CUtensorMap_st *map, int c0, const void *from)
{
    const int32_t c[] = {c0};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, c, from);
}
LS_D void cp_async_bulk_tensor_2d_global_to_shared(void *to, const CUtensorMap_st *map, int c0, int c1,
                                                   ls_block_barrier &b)
{
    const int32_t c[] = {c0, c1};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, c, barrier_native_handle(b));
}
LS_D void cp_async_bulk_tensor_2d_shared_to_global(const CUtensorMap_st *map, int c0, int c1, const void *from)
{
    const int32_t c[] = {c0, c1};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, c, from);
}
LS_D void cp_async_bulk_tensor_3d_global_to_shared(void *to, const CUtensorMap_st *map, int c0, int c1, int c2,
                                                   ls_block_barrier &b)
{
    const int32_t c[] = {c0, c1, c2};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, c, barrier_native_handle(b));
}
LS_D void cp_async_bulk_tensor_3d_shared_to_global(const CUtensorMap_st *map, int c0, int c1, int c2, const void *from)
{
    const int32_t c[] = {c0, c1, c2};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, c, from);
}
LS_D void cp_async_bulk_tensor_4d_global_to_shared(void *to, const CUtensorMap_st *map, int c0, int c1, int c2, int c3,
                                                   ls_block_barrier &b)
{
    const int32_t c[] = {c0, c1, c2, c3};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, c, barrier_native_handle(b));
}
LS_D void cp_async_bulk_tensor_4d_shared_to_global(const CUtensorMap_st *map, int c0, int c1, int c2, int c3,
                                                   const void *from)
{
    const int32_t c[] = {c0, c1, c2, c3};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, c, from);
}
LS_D void cp_async_bulk_tensor_5d_global_to_shared(void *to, const CUtensorMap_st *map, int c0, int c1, int c2, int c3,
                                                   int c4, ls_block_barrier &b)
{
    const int32_t c[] = {c0, c1, c2, c3, c4};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, c, barrier_native_handle(b));
}
LS_D void cp_async_bulk_tensor_5d_shared_to_global(const CUtensorMap_st *map, int c0, int c1, int c2, int c3, int c4,
                                                   const void *from)
{
    const int32_t c[] = {c0, c1, c2, c3, c4};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, c, from);
}

#endif

} // namespace experimental
} // namespace device
} // namespace cuda

#undef LS_D
#endif
