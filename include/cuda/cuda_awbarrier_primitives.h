/* cuda_awbarrier_primitives.h - barriers of shared memory at which arriving and waiting are apart, in C (CUDA C++
 * Programming Guide, "Memory Barrier Primitives Interface"): each function is an mbarrier instruction. */
#ifndef LOCKSTEP_CUDA_AWBARRIER_PRIMITIVES_H
#define LOCKSTEP_CUDA_AWBARRIER_PRIMITIVES_H

#include <stdint.h>

#include "lockstep/copy_async.h"

#if defined(__cplusplus) && defined(__CUDA__)

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

#define LS_D static __device__ __forceinline__

LS_D uint32_t __mbarrier_maximum_count() { return (1u << 20) - 1; }
LS_D void __mbarrier_init(__mbarrier_t *barrier, uint32_t expected_count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(ls_copy::shared_address(barrier)), "r"(expected_count)
                 : "memory");
}
LS_D void __mbarrier_inval(__mbarrier_t *barrier)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(ls_copy::shared_address(barrier)) : "memory");
}
LS_D __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier)
{
    uint64_t token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"(ls_copy::shared_address(barrier))
                 : "memory");
    return token;
}
LS_D __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier)
{
    uint64_t token;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"(ls_copy::shared_address(barrier))
                 : "memory");
    return token;
}
LS_D uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    uint32_t count;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}

/* Whether a phase is over: the one that a token is of, or the one of a parity. */
#define LS_WAIT(name, type, in, instruction)                                                                           \
    LS_D bool name(__mbarrier_t *barrier, type phase)                                                                  \
    {                                                                                                                  \
        uint32_t over;                                                                                                 \
        asm volatile("{ .reg .pred p; mbarrier." instruction ".shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"        \
                     : "=r"(over)                                                                                      \
                     : "r"(ls_copy::shared_address(barrier)), in                                                       \
                     : "memory");                                                                                      \
        return over != 0;                                                                                              \
    }
LS_WAIT(__mbarrier_test_wait, __mbarrier_token_t, "l"(phase), "test_wait")
LS_WAIT(__mbarrier_test_wait_parity, bool, "r"((uint32_t)phase), "test_wait.parity")
#undef LS_WAIT

/* The same, suspended for some time first. */
#define LS_WAIT(name, type, in, instruction)                                                                           \
    LS_D bool name(__mbarrier_t *barrier, type phase, uint32_t max_sleep_nanosec)                                      \
    {                                                                                                                  \
        uint32_t over;                                                                                                 \
        asm volatile("{ .reg .pred p; mbarrier." instruction ".shared.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p; }"    \
                     : "=r"(over)                                                                                      \
                     : "r"(ls_copy::shared_address(barrier)), in, "r"(max_sleep_nanosec)                               \
                     : "memory");                                                                                      \
        return over != 0;                                                                                              \
    }
LS_WAIT(__mbarrier_try_wait, __mbarrier_token_t, "l"(phase), "try_wait")
LS_WAIT(__mbarrier_try_wait_parity, bool, "r"((uint32_t)phase), "try_wait.parity")
#undef LS_WAIT

#undef LS_D
#endif

#endif
