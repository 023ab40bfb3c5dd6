/* diff_device.cuh - the random kernels' words as CUDA C: what each means on a GPU. */
#include "lockstep_device.cuh"

#define FN static __device__ __forceinline__
#define NOINLINE static __device__ __attribute__((noinline))
#include "diff_common.h"

FN u32 brev(u32 a) { return __builtin_bitreverse32(a); }
FN float f32_min(float a, float b) { return __builtin_fminf(a, b); }
FN float f32_max(float a, float b) { return __builtin_fmaxf(a, b); }

__constant__ u32 diff_table[16] = {3, 0x80000000u, 17, 0xffffffffu, 1000003, 5, 0x7fffffff, 64,
                                   0, 1, 0xdeadbeefu, 42, 0x10001, 7, 0xff00ff00u, 99};
#define TABLE(i) diff_table[i]

#define ATOMIC(name, T, builtin)                                                                                       \
    FN T atomic_##name(T *p, T v) { return (T)builtin(p, v, __ATOMIC_RELAXED); }
ATOMIC(add, u32, __atomic_fetch_add)
ATOMIC(umin, u32, __atomic_fetch_min)
ATOMIC(umax, u32, __atomic_fetch_max)
ATOMIC(and, u32, __atomic_fetch_and)
ATOMIC(or, u32, __atomic_fetch_or)
ATOMIC(xor, u32, __atomic_fetch_xor)
ATOMIC(add64, u64, __atomic_fetch_add)
FN u32 atomic_smin(u32 *p, u32 v) { return (u32)__atomic_fetch_min((s32 *)p, (s32)v, __ATOMIC_RELAXED); }
FN u32 atomic_smax(u32 *p, u32 v) { return (u32)__atomic_fetch_max((s32 *)p, (s32)v, __ATOMIC_RELAXED); }
FN u32 atomic_cas(u32 *p, u32 expected, u32 v)
{
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

#define V(k) v[k]
#define W(k) w[k]
#define F(k) f[k]
#define D(k) d[k]
#define A(k) a[k]
#define TID (threadIdx.x)
#define LANE (threadIdx.x & 31)
#define WARP (threadIdx.x >> 5)
#define BLOCK (blockIdx.x)
#define GID (blockIdx.x * NT + threadIdx.x)

#define KERNEL(seed, threads, blocks)                                                                                  \
    extern "C" __global__ void k##seed(const u32 *in, u32 *out, u32 *acc, u32 *scratch, u32 n)                         \
    {                                                                                                                  \
        enum { NT = threads };                                                                                         \
        u32 v[8], a[8];                                                                                                \
        u64 w[4];                                                                                                      \
        float f[4];                                                                                                    \
        double d[2];
#define END_KERNEL }
#define SHARED(name, count) static __shared__ u32 name[count];
#define EACH {
#define END }
#define IF_EACH(cond) if (cond) {
#define END_IF }
#define FOR_EACH(i, count) for (u32 i = 0; i < (count); i++) {
#define END_FOR }
#define EXIT_IF(cond)                                                                                                  \
    if (cond)                                                                                                          \
        return;
#define SYNC __syncthreads();
#define SYNC_COUNT(dst, cond) v[dst] = (u32)__nvvm_bar0_popc(cond);
#define SYNC_OR(dst, cond) v[dst] = (u32)(__nvvm_bar0_or(cond) != 0);
#define SYNC_AND(dst, cond) v[dst] = (u32)(__nvvm_bar0_and(cond) != 0);
#define SYNCWARP(mask) __nvvm_bar_warp_sync(mask);

/* The clamp of PTX's shfl: the segment's mask above bit 8, 31 or (up) 0 below. */
#define SEGMENT(width) ((32 - (width)) << 8)
#define SHFL_IDX(dst, src, lane, width, mask)                                                                          \
    v[dst] = (u32)__nvvm_shfl_sync_idx_i32(mask, (int)v[src], (int)(lane), SEGMENT(width) | 31);
#define SHFL_XOR(dst, src, by, width, mask)                                                                            \
    v[dst] = (u32)__nvvm_shfl_sync_bfly_i32(mask, (int)v[src], by, SEGMENT(width) | 31);
#define SHFL_UP(dst, src, by, width, mask)                                                                             \
    v[dst] = (u32)__nvvm_shfl_sync_up_i32(mask, (int)v[src], by, SEGMENT(width));
#define SHFL_DOWN(dst, src, by, width, mask)                                                                           \
    v[dst] = (u32)__nvvm_shfl_sync_down_i32(mask, (int)v[src], by, SEGMENT(width) | 31);
#define BALLOT(dst, mask, cond) v[dst] = __nvvm_vote_ballot_sync(mask, cond);
#define ANY(dst, mask, cond) v[dst] = (u32)__nvvm_vote_any_sync(mask, cond);
#define ALL(dst, mask, cond) v[dst] = (u32)__nvvm_vote_all_sync(mask, cond);
#define MATCH(dst, mask, x) v[dst] = __nvvm_match_any_sync_i32(mask, x);
#define REDUX_ADD(dst, mask, x) v[dst] = (u32)__nvvm_redux_sync_add((int)(x), mask);
#define REDUX_UMIN(dst, mask, x) v[dst] = __nvvm_redux_sync_umin(x, mask);
#define REDUX_SMAX(dst, mask, x) v[dst] = (u32)__nvvm_redux_sync_max((int)(x), mask);
#define REDUX_XOR(dst, mask, x) v[dst] = (u32)__nvvm_redux_sync_xor((int)(x), mask);
#define REDUX_AND(dst, mask, x) v[dst] = (u32)__nvvm_redux_sync_and((int)(x), mask);
#define REDUX_OR(dst, mask, x) v[dst] = (u32)__nvvm_redux_sync_or((int)(x), mask);

#define TABLE_BEGIN
#define TABLE_ROW(seed)
#define TABLE_END

#include DIFF_BODY
