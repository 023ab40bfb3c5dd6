/* cuda_pipeline_primitives.h - copies from global to shared memory that go on while a thread does, in C: each thread's
 * own pipeline of them (CUDA C++ Programming Guide, "Pipeline Primitives Interface").
 *
 * size_and_align is 4, 8 or 16, and a constant wherever the compiler can see it; the last zfill bytes become 0. */
#ifndef LOCKSTEP_CUDA_PIPELINE_PRIMITIVES_H
#define LOCKSTEP_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_awbarrier_primitives.h"
#include "lockstep/copy_async.h"

#if defined(__cplusplus) && defined(__CUDA__)

static __device__ __forceinline__ void __pipeline_memcpy_async(void *__restrict__ dst_shared,
                                                               const void *__restrict__ src_global,
                                                               size_t size_and_align, size_t zfill = 0)
{
    const unsigned given = (unsigned)(size_and_align - zfill);
    if (size_and_align == 16)
        ls_copy::piece<16>(dst_shared, src_global, given);
    else if (size_and_align == 8)
        ls_copy::piece<8>(dst_shared, src_global, given);
    else if (size_and_align == 4)
        ls_copy::piece<4>(dst_shared, src_global, given);
    else
        asm volatile("trap;");
}

static __device__ __forceinline__ void __pipeline_commit() { ls_copy::commit(); }

/* All batches but the last `prior` are complete; a number above 7, which CUDA does not allow for, waits for more. */
static __device__ __forceinline__ void __pipeline_wait_prior(size_t prior)
{
    switch (prior) {
    case 0:
        return ls_copy::wait<0>();
    case 1:
        return ls_copy::wait<1>();
    case 2:
        return ls_copy::wait<2>();
    case 3:
        return ls_copy::wait<3>();
    case 4:
        return ls_copy::wait<4>();
    case 5:
        return ls_copy::wait<5>();
    case 6:
        return ls_copy::wait<6>();
    default:
        return ls_copy::wait<7>();
    }
}

static __device__ __forceinline__ void __pipeline_arrive_on(__mbarrier_t *barrier)
{
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(ls_copy::shared_address(barrier)) : "memory");
}

#endif

#endif
