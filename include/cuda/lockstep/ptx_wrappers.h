/* ptx_wrappers.h - cuda::ptx: PTX instructions of barriers, bulk copies and clusters as functions, what <cuda/ptx> is made of. Names
 * and arguments are libcu++'s. From compute capability 9.0 on. */
#ifndef LOCKSTEP_PTX_WRAPPERS_H
#define LOCKSTEP_PTX_WRAPPERS_H

#include <stdint.h>

#include "copy_async.h"

#define LS_D static __device__ __forceinline__

namespace cuda {
namespace ptx {

/* ---- what an argument's type says ---- */

template <int Value> struct ls_space {};
template <int Value> struct ls_sem {};
template <int Value> struct ls_scope {};
template <int Value> struct ls_operation {};

typedef ls_space<0> space_global_t;
typedef ls_space<1> space_shared_t;
typedef ls_space<2> space_cluster_t;
typedef ls_sem<0> sem_acq_rel_t;
typedef ls_sem<1> sem_acquire_t;
typedef ls_sem<2> sem_relaxed_t;
typedef ls_sem<3> sem_release_t;
typedef ls_sem<4> sem_sc_t;
typedef ls_scope<0> scope_cluster_t;
typedef ls_scope<1> scope_cta_t;
typedef ls_scope<2> scope_gpu_t;
typedef ls_scope<3> scope_sys_t;
typedef ls_operation<0> op_add_t;
typedef ls_operation<1> op_and_op_t;
typedef ls_operation<2> op_dec_t;
typedef ls_operation<3> op_inc_t;
typedef ls_operation<4> op_max_t;
typedef ls_operation<5> op_min_t;
typedef ls_operation<6> op_or_op_t;
typedef ls_operation<7> op_xor_op_t;

static constexpr space_global_t space_global{};
static constexpr space_shared_t space_shared{};
static constexpr space_cluster_t space_cluster{};
static constexpr sem_acq_rel_t sem_acq_rel{};
static constexpr sem_acquire_t sem_acquire{};
static constexpr sem_relaxed_t sem_relaxed{};
static constexpr sem_release_t sem_release{};
static constexpr sem_sc_t sem_sc{};
static constexpr scope_cluster_t scope_cluster{};
static constexpr scope_cta_t scope_cta{};
static constexpr scope_gpu_t scope_gpu{};
static constexpr scope_sys_t scope_sys{};
static constexpr op_add_t op_add{};
static constexpr op_and_op_t op_and_op{};
static constexpr op_dec_t op_dec{};
static constexpr op_inc_t op_inc{};
static constexpr op_max_t op_max{};
static constexpr op_min_t op_min{};
static constexpr op_or_op_t op_or_op{};
static constexpr op_xor_op_t op_xor_op{};

/* A number that is known when the program is compiled. */
template <int N> struct n32_t {
    static constexpr int value = N;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/* Addresses as instructions take them: of shared memory 32 bits, of another block's too. */
LS_D unsigned ls_at(const void *p) { return ls_copy::shared_address(p); }
LS_D unsigned long long ls_global(const void *p) { return __cvta_generic_to_global(p); }

/* ---- mbarriers ---- */

LS_D void mbarrier_init(uint64_t *at, const uint32_t &count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(ls_at(at)), "r"(count) : "memory");
}
LS_D void mbarrier_inval(uint64_t *at) { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(ls_at(at)) : "memory"); }

LS_D uint64_t mbarrier_arrive(uint64_t *at)
{
    uint64_t token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(ls_at(at)) : "memory");
    return token;
}
template <class Scope>
LS_D uint64_t mbarrier_arrive(sem_release_t, Scope, space_shared_t, uint64_t *at, const uint32_t &count = 1)
{
    uint64_t token;
    if constexpr (__is_same(Scope, scope_cluster_t))
        asm volatile("mbarrier.arrive.release.cluster.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(token)
                     : "r"(ls_at(at)), "r"(count)
                     : "memory");
    else
        asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(token)
                     : "r"(ls_at(at)), "r"(count)
                     : "memory");
    return token;
}
/* Of another block: what mapa() gives. */
LS_D void mbarrier_arrive(sem_release_t, scope_cluster_t, space_cluster_t, uint64_t *at, const uint32_t &count = 1)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(ls_at(at)), "r"(count)
                 : "memory");
}
template <class Scope>
LS_D uint64_t mbarrier_arrive_expect_tx(sem_release_t, Scope, space_shared_t, uint64_t *at, const uint32_t &bytes)
{
    uint64_t token;
    if constexpr (__is_same(Scope, scope_cluster_t))
        asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(token)
                     : "r"(ls_at(at)), "r"(bytes)
                     : "memory");
    else
        asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(token)
                     : "r"(ls_at(at)), "r"(bytes)
                     : "memory");
    return token;
}
LS_D void mbarrier_arrive_expect_tx(sem_release_t, scope_cluster_t, space_cluster_t, uint64_t *at,
                                    const uint32_t &bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(ls_at(at)),
                 "r"(bytes)
                 : "memory");
}
template <class Scope>
LS_D void mbarrier_expect_tx(sem_relaxed_t, Scope, space_shared_t, uint64_t *at, const uint32_t &bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(ls_at(at)), "r"(bytes) : "memory");
}

#define LS_WAIT(name, type, constraint, instruction)                                                                   \
    LS_D bool name(uint64_t *at, const type &phase)                                                                    \
    {                                                                                                                  \
        uint32_t over;                                                                                                 \
        asm volatile("{ .reg .pred p; mbarrier." instruction ".shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"   \
                     : "=r"(over)                                                                                      \
                     : "r"(ls_at(at)), constraint(phase)                                                               \
                     : "memory");                                                                                      \
        return over;                                                                                                   \
    }                                                                                                                  \
    LS_D bool name(sem_acquire_t, scope_cta_t, uint64_t *at, const type &phase) { return name(at, phase); }            \
    LS_D bool name(sem_acquire_t, scope_cluster_t, uint64_t *at, const type &phase)                                    \
    {                                                                                                                  \
        uint32_t over;                                                                                                 \
        asm volatile("{ .reg .pred p; mbarrier." instruction                                                           \
                     ".acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"                           \
                     : "=r"(over)                                                                                      \
                     : "r"(ls_at(at)), constraint(phase)                                                               \
                     : "memory");                                                                                      \
        return over;                                                                                                   \
    }
LS_WAIT(mbarrier_try_wait, uint64_t, "l", "try_wait")
LS_WAIT(mbarrier_try_wait_parity, uint32_t, "r", "try_wait.parity")
LS_WAIT(mbarrier_test_wait, uint64_t, "l", "test_wait")
LS_WAIT(mbarrier_test_wait_parity, uint32_t, "r", "test_wait.parity")
#undef LS_WAIT

/* ---- fences ---- */

LS_D void fence_mbarrier_init(sem_release_t, scope_cluster_t)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
LS_D void fence_proxy_async() { asm volatile("fence.proxy.async;" ::: "memory"); }
LS_D void fence_proxy_async(space_shared_t) { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
LS_D void fence_proxy_async(space_cluster_t) { asm volatile("fence.proxy.async.shared::cluster;" ::: "memory"); }
LS_D void fence_proxy_async(space_global_t) { asm volatile("fence.proxy.async.global;" ::: "memory"); }
LS_D void fence(sem_acq_rel_t, scope_cta_t) { asm volatile("fence.acq_rel.cta;" ::: "memory"); }
LS_D void fence(sem_acq_rel_t, scope_cluster_t) { asm volatile("fence.acq_rel.cluster;" ::: "memory"); }
LS_D void fence(sem_acq_rel_t, scope_gpu_t) { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
LS_D void fence(sem_acq_rel_t, scope_sys_t) { asm volatile("fence.acq_rel.sys;" ::: "memory"); }
LS_D void fence(sem_sc_t, scope_cta_t) { asm volatile("fence.sc.cta;" ::: "memory"); }
LS_D void fence(sem_sc_t, scope_cluster_t) { asm volatile("fence.sc.cluster;" ::: "memory"); }
LS_D void fence(sem_sc_t, scope_gpu_t) { asm volatile("fence.sc.gpu;" ::: "memory"); }
LS_D void fence(sem_sc_t, scope_sys_t) { asm volatile("fence.sc.sys;" ::: "memory"); }

/* ---- clusters, warps ---- */

LS_D void barrier_cluster_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
LS_D void barrier_cluster_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
LS_D void barrier_cluster_arrive(sem_release_t) { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
LS_D void barrier_cluster_arrive(sem_relaxed_t) { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
LS_D void barrier_cluster_wait(sem_acquire_t) { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
template <class T> LS_D T *mapa(space_cluster_t, const T *p, const uint32_t &rank)
{
    unsigned long long to;
    asm("mapa.u64 %0, %1, %2;" : "=l"(to) : "l"(p), "r"(rank));
    return (T *)to;
}
LS_D uint32_t getctarank(space_cluster_t, const void *p)
{
    uint32_t rank;
    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p));
    return rank;
}
/* True in one lane of those in the mask. */
LS_D bool elect_sync(const uint32_t &mask)
{
    uint32_t chosen;
    asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(chosen) : "r"(mask) : "memory");
    return chosen;
}
LS_D uint32_t get_sreg_cluster_ctarank()
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
LS_D uint32_t get_sreg_cluster_nctarank()
{
    uint32_t n;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    return n;
}

/* ---- bulk copies. What arrives, arrives at an mbarrier; what leaves is of a group ---- */

LS_D void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> LS_D void cp_async_bulk_wait_group(n32_t<N>)
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}
template <int N> LS_D void cp_async_bulk_wait_group_read(n32_t<N>)
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

LS_D void cp_async_bulk(space_cluster_t, space_global_t, void *to, const void *from, const uint32_t &size,
                        uint64_t *bar)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(ls_at(to)),
        "l"(ls_global(from)), "r"(size), "r"(ls_at(bar))
        : "memory");
}
LS_D void cp_async_bulk(space_shared_t, space_global_t, void *to, const void *from, const uint32_t &size, uint64_t *bar)
{
    cp_async_bulk(space_cluster, space_global, to, from, size, bar);
}
/* To the same place in each block whose rank is a bit of the mask. */
LS_D void cp_async_bulk(space_cluster_t, space_global_t, void *to, const void *from, const uint32_t &size,
                        uint64_t *bar, const uint16_t &mask)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
                 "[%3], %4;" ::"r"(ls_at(to)),
                 "l"(ls_global(from)), "r"(size), "r"(ls_at(bar)), "h"(mask)
                 : "memory");
}
LS_D void cp_async_bulk(space_cluster_t, space_shared_t, void *to, const void *from, const uint32_t &size,
                        uint64_t *bar)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(ls_at(to)),
        "r"(ls_at(from)), "r"(size), "r"(ls_at(bar))
        : "memory");
}
LS_D void cp_async_bulk(space_global_t, space_shared_t, void *to, const void *from, const uint32_t &size)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(ls_global(to)), "r"(ls_at(from)),
                 "r"(size)
                 : "memory");
}

#define LS_REDUCE(op, type, name)                                                                                      \
    LS_D void cp_reduce_async_bulk(space_global_t, space_shared_t, op_##op##_t, type *to, const type *from,            \
                                   const uint32_t &size)                                                               \
    {                                                                                                                  \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." name                                        \
                     " [%0], [%1], %2;" ::"l"(ls_global(to)),                                                          \
                     "r"(ls_at(from)), "r"(size)                                                                       \
                     : "memory");                                                                                      \
    }
LS_REDUCE(add, uint32_t, "add.u32")
LS_REDUCE(add, int32_t, "add.s32")
LS_REDUCE(add, uint64_t, "add.u64")
LS_REDUCE(add, float, "add.f32")
LS_REDUCE(add, double, "add.f64")
LS_REDUCE(min, uint32_t, "min.u32")
LS_REDUCE(min, int32_t, "min.s32")
LS_REDUCE(min, uint64_t, "min.u64")
LS_REDUCE(min, int64_t, "min.s64")
LS_REDUCE(max, uint32_t, "max.u32")
LS_REDUCE(max, int32_t, "max.s32")
LS_REDUCE(max, uint64_t, "max.u64")
LS_REDUCE(max, int64_t, "max.s64")
LS_REDUCE(inc, uint32_t, "inc.u32")
LS_REDUCE(dec, uint32_t, "dec.u32")
LS_REDUCE(and_op, uint32_t, "and.b32")
LS_REDUCE(and_op, uint64_t, "and.b64")
LS_REDUCE(or_op, uint32_t, "or.b32")
LS_REDUCE(or_op, uint64_t, "or.b64")
LS_REDUCE(xor_op, uint32_t, "xor.b32")
LS_REDUCE(xor_op, uint64_t, "xor.b64")
#undef LS_REDUCE

/* ---- tensors: coordinates, the innermost first ---- */

LS_D void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&c)[1],
                               uint64_t *bar)
{
    asm volatile(
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::
            "r"(ls_at(to)),
        "l"(map), "r"(c[0]), "r"(ls_at(bar))
        : "memory");
}
LS_D void cp_async_bulk_tensor(space_shared_t, space_global_t, void *to, const void *map, const int32_t (&c)[1],
                               uint64_t *bar)
{
    cp_async_bulk_tensor(space_cluster, space_global, to, map, c, bar);
}
LS_D void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&c)[1],
                               uint64_t *bar, const uint16_t &mask)
{
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2}], [%3], %4;" ::"r"(ls_at(to)),
                 "l"(map), "r"(c[0]), "r"(ls_at(bar)), "h"(mask)
                 : "memory");
}
LS_D void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&c)[1], const void *from)
{
    asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%1, {%2}], [%0];" ::"r"(ls_at(from)),
                 "l"(map), "r"(c[0])
                 : "memory");
}
LS_D void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&c)[2],
                               uint64_t *bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                 "%3}], [%4];" ::"r"(ls_at(to)),
                 "l"(map), "r"(c[0]), "r"(c[1]), "r"(ls_at(bar))
                 : "memory");
}
LS_D void cp_async_bulk_tensor(space_shared_t, space_global_t, void *to, const void *map, const int32_t (&c)[2],
                               uint64_t *bar)
{
    cp_async_bulk_tensor(space_cluster, space_global, to, map, c, bar);
}
LS_D void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&c)[2],
                               uint64_t *bar, const uint16_t &mask)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(ls_at(to)),
                 "l"(map), "r"(c[0]), "r"(c[1]), "r"(ls_at(bar)), "h"(mask)
                 : "memory");
}
LS_D void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&c)[2], const void *from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {%2, %3}], [%0];" ::"r"(ls_at(from)),
                 "l"(map), "r"(c[0]), "r"(c[1])
                 : "memory");
}
LS_D void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&c)[3],
                               uint64_t *bar)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4}], [%5];" ::"r"(ls_at(to)),
                 "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(ls_at(bar))
                 : "memory");
}
LS_D void cp_async_bulk_tensor(space_shared_t, space_global_t, void *to, const void *map, const int32_t (&c)[3],
                               uint64_t *bar)
{
    cp_async_bulk_tensor(space_cluster, space_global, to, map, c, bar);
}
LS_D void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&c)[3],
                               uint64_t *bar, const uint16_t &mask)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(ls_at(to)),
                 "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(ls_at(bar)), "h"(mask)
                 : "memory");
}
LS_D void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&c)[3], const void *from)
{
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4}], [%0];" ::"r"(ls_at(from)),
        "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2])
        : "memory");
}
LS_D void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&c)[4],
                               uint64_t *bar)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4, %5}], [%6];" ::"r"(ls_at(to)),
                 "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(ls_at(bar))
                 : "memory");
}
LS_D void cp_async_bulk_tensor(space_shared_t, space_global_t, void *to, const void *map, const int32_t (&c)[4],
                               uint64_t *bar)
{
    cp_async_bulk_tensor(space_cluster, space_global, to, map, c, bar);
}
LS_D void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&c)[4],
                               uint64_t *bar, const uint16_t &mask)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6], %7;" ::"r"(ls_at(to)),
                 "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(ls_at(bar)), "h"(mask)
                 : "memory");
}
LS_D void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&c)[4], const void *from)
{
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4, %5}], [%0];" ::"r"(ls_at(from)),
        "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])
        : "memory");
}
LS_D void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&c)[5],
                               uint64_t *bar)
{
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4, %5, %6}], [%7];" ::"r"(ls_at(to)),
                 "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(ls_at(bar))
                 : "memory");
}
LS_D void cp_async_bulk_tensor(space_shared_t, space_global_t, void *to, const void *map, const int32_t (&c)[5],
                               uint64_t *bar)
{
    cp_async_bulk_tensor(space_cluster, space_global, to, map, c, bar);
}
LS_D void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to, const void *map, const int32_t (&c)[5],
                               uint64_t *bar, const uint16_t &mask)
{
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3, %4, %5, %6}], [%7], %8;" ::"r"(ls_at(to)),
                 "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(ls_at(bar)), "h"(mask)
                 : "memory");
}
LS_D void cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&c)[5], const void *from)
{
    asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4, %5, %6}], [%0];" ::"r"(
                     ls_at(from)),
                 "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])
                 : "memory");
}

#define LS_REDUCE(op, name)                                                                                            \
    LS_D void cp_reduce_async_bulk_tensor(space_global_t, space_shared_t, op_##op##_t, const void *map,                \
                                          const int32_t(&c)[1], const void *from)                                      \
    {                                                                                                                  \
        asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta." name                                         \
                     ".tile.bulk_group [%1, {%2}], [%0];" ::"r"(ls_at(from)),                                          \
                     "l"(map), "r"(c[0])                                                                               \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    LS_D void cp_reduce_async_bulk_tensor(space_global_t, space_shared_t, op_##op##_t, const void *map,                \
                                          const int32_t(&c)[2], const void *from)                                      \
    {                                                                                                                  \
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." name                                         \
                     ".tile.bulk_group [%1, {%2, %3}], [%0];" ::"r"(ls_at(from)),                                      \
                     "l"(map), "r"(c[0]), "r"(c[1])                                                                    \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    LS_D void cp_reduce_async_bulk_tensor(space_global_t, space_shared_t, op_##op##_t, const void *map,                \
                                          const int32_t(&c)[3], const void *from)                                      \
    {                                                                                                                  \
        asm volatile("cp.reduce.async.bulk.tensor.3d.global.shared::cta." name                                         \
                     ".tile.bulk_group [%1, {%2, %3, %4}], [%0];" ::"r"(ls_at(from)),                                  \
                     "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2])                                                         \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    LS_D void cp_reduce_async_bulk_tensor(space_global_t, space_shared_t, op_##op##_t, const void *map,                \
                                          const int32_t(&c)[4], const void *from)                                      \
    {                                                                                                                  \
        asm volatile("cp.reduce.async.bulk.tensor.4d.global.shared::cta." name                                         \
                     ".tile.bulk_group [%1, {%2, %3, %4, %5}], [%0];" ::"r"(ls_at(from)),                              \
                     "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])                                              \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    LS_D void cp_reduce_async_bulk_tensor(space_global_t, space_shared_t, op_##op##_t, const void *map,                \
                                          const int32_t(&c)[5], const void *from)                                      \
    {                                                                                                                  \
        asm volatile("cp.reduce.async.bulk.tensor.5d.global.shared::cta." name                                         \
                     ".tile.bulk_group [%1, {%2, %3, %4, %5, %6}], [%0];" ::"r"(ls_at(from)),                          \
                     "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])                                   \
                     : "memory");                                                                                      \
    }
LS_REDUCE(add, "add")
LS_REDUCE(and_op, "and")
LS_REDUCE(dec, "dec")
LS_REDUCE(inc, "inc")
LS_REDUCE(max, "max")
LS_REDUCE(min, "min")
LS_REDUCE(or_op, "or")
LS_REDUCE(xor_op, "xor")
#undef LS_REDUCE

#endif

} // namespace ptx
} // namespace cuda

#undef LS_D
#endif
