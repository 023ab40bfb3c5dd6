/* lockstep_latency.cuh - what a latency experiment needs and CUDA C++ does not promise: where the clock is read, and
 * that a load is one instruction whose address is the value loaded before.
 *
 * Inline PTX, so that every compiler makes the same chain. Volatile statements keep their order among each other; what
 * is passed to ls_clock is computed before the clock is read and used after it. */
#ifndef LOCKSTEP_LATENCY_CUH
#define LOCKSTEP_LATENCY_CUH

#define LS_LATENCY static __device__ __forceinline__

/* The clock, read between what made x and what uses it. */
LS_LATENCY long long ls_clock(float &x)
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t), "+f"(x)::"memory");
    return t;
}
LS_LATENCY long long ls_clock(unsigned int &x)
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t), "+r"(x)::"memory");
    return t;
}
LS_LATENCY long long ls_clock(const void *&x)
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t), "+l"(x)::"memory");
    return t;
}

/* Nothing in the machine code: x is made before this point, and used after it. */
LS_LATENCY void ls_hold(float &x) { asm volatile("" : "+f"(x)); }
LS_LATENCY void ls_hold(const void *&x) { asm volatile("" : "+l"(x)); }

/* An address in shared memory, as ld.shared takes it. */
LS_LATENCY unsigned int ls_shared_address(const void *p)
{
    unsigned long long address;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(p));
    return (unsigned int)address;
}

/* The word at p, which is the next address. */
LS_LATENCY unsigned int ls_next_shared(unsigned int p)
{
    unsigned int next;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"(p) : "memory");
    return next;
}
LS_LATENCY const void *ls_next_global(const void *p)
{
    const void *next;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(p) : "memory");
    return next;
}

#undef LS_LATENCY

#endif
