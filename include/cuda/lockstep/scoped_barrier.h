/* scoped_barrier.h - cuda::barrier and the asynchronous copies that one waits for: what <cuda/barrier> is made of.
 *
 * A barrier is one word: how many are still to come in this phase, how many a phase expects, and the phase's number,
 * which is what a token remembers. The last to come starts the next phase. So it works in every scope and memory, as
 * libcu++'s does outside shared memory. A block's barrier in shared memory is an mbarrier object from compute capability 8.0 on. A copy
 * that a barrier waits for is complete before memcpy_async returns; memcpy_async_tx is a bulk copy. */
#ifndef LOCKSTEP_SCOPED_BARRIER_H
#define LOCKSTEP_SCOPED_BARRIER_H

#include "copy_async.h"
#include "scoped_atomic.h"

#define LS_HD __host__ __device__ __forceinline__
#define LS_D __device__ __forceinline__

namespace ls_barrier {

struct nothing {
    LS_HD void operator()() const {}
};

/* pending: bits 0 to 19, expected: 20 to 39, phase: from 40. */
typedef unsigned long long state;
static constexpr state count_mask = (1ull << 20) - 1;
static LS_HD constexpr state pending(state s) { return s & count_mask; }
static LS_HD constexpr state expected(state s) { return s >> 20 & count_mask; }
static LS_HD constexpr state phase(state s) { return s >> 40; }
static LS_HD constexpr state make(state pending, state expected, state phase)
{
    return pending | expected << 20 | phase << 40;
}

} // namespace ls_barrier

namespace cuda {

template <thread_scope Scope, class Completion = ls_barrier::nothing> class barrier {
    template <thread_scope, class> friend class barrier;
    typedef ls_atomic::place<ls_barrier::state, Scope> memory;
    alignas(8) mutable ls_barrier::state state_;

    /* `n` have come, `drop` of them for good. */
    LS_HD ls_barrier::state come(ls_barrier::state n, ls_barrier::state drop) const
    {
        ls_barrier::state old = memory::load(&state_, memory_order_relaxed), now;
        do {
            now = ls_barrier::make(ls_barrier::pending(old) - n, ls_barrier::expected(old) - drop,
                                   ls_barrier::phase(old));
            if (__is_same(Completion, ls_barrier::nothing) && ls_barrier::pending(now) == 0)
                now = next(now);
        } while (!memory::swap(&state_, old, now, memory_order_acq_rel));
        if (!__is_same(Completion, ls_barrier::nothing) && ls_barrier::pending(now) == 0) {
            Completion()();
            memory::store(&state_, next(now), memory_order_release);
        }
        return ls_barrier::phase(old);
    }
    static LS_HD ls_barrier::state next(ls_barrier::state s)
    {
        const ls_barrier::state n = ls_barrier::expected(s);
        return ls_barrier::make(n, n, ls_barrier::phase(s) + 1);
    }
    LS_HD ls_barrier::state now() const { return ls_barrier::phase(memory::load(&state_, memory_order_acquire)); }

  public:
    class arrival_token {
        template <thread_scope, class> friend class barrier;
        ls_barrier::state phase_;
        explicit LS_HD arrival_token(ls_barrier::state phase) : phase_(phase) {}

      public:
        arrival_token(arrival_token &&) = default;
        arrival_token &operator=(arrival_token &&) = default;
    };

    /* Without a value, as shared memory has it: init() comes first. */
    barrier() = default;
    LS_HD barrier(ptrdiff_t n, Completion = Completion()) : state_(ls_barrier::make((unsigned)n, (unsigned)n, 0)) {}
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;
    friend LS_HD void init(barrier *b, ptrdiff_t n, Completion = Completion())
    {
        b->state_ = ls_barrier::make((unsigned)n, (unsigned)n, 0);
    }

    [[nodiscard]] LS_HD arrival_token arrive(ptrdiff_t n = 1) const { return arrival_token(come((unsigned)n, 0)); }
    LS_HD void wait(arrival_token &&token) const
    {
        while (now() == token.phase_) {
        }
    }
    LS_HD bool try_wait(arrival_token &&token) const { return now() != token.phase_; }
    LS_HD bool try_wait_parity(bool parity) const { return (now() & 1) != parity; }
    LS_HD void wait_parity(bool parity) const
    {
        while (!try_wait_parity(parity)) {
        }
    }
    LS_HD void arrive_and_wait() const { wait(arrive()); }
    LS_HD void arrive_and_drop() const { come(1, 1); }
    static constexpr LS_HD ptrdiff_t max() { return (ptrdiff_t)ls_barrier::count_mask; }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define LS_MBARRIER(object, otherwise)                                                                                 \
    if (ls_copy::is_shared(&state_))                                                                                   \
        object;                                                                                                        \
    otherwise
#else
#define LS_MBARRIER(object, otherwise) otherwise
#endif

/* A block's: an mbarrier object in shared memory, anywhere else a word as above. */
template <> class barrier<thread_scope_block, ls_barrier::nothing> {
    typedef barrier<thread_scope_device> word;
    alignas(8) mutable ls_barrier::state state_;
    LS_HD const word &plain() const { return reinterpret_cast<const word &>(state_); }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    LS_D unsigned at() const { return ls_copy::shared_address(&state_); }
    LS_D ls_barrier::state object_arrive(unsigned n) const
    {
        ls_barrier::state token;
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(token) : "r"(at()), "r"(n) : "memory");
#else
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at()) : "memory");
        for (ls_barrier::state more; n > 1; n--)
            asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(more) : "r"(at()) : "memory");
#endif
        return token;
    }
    LS_D bool object_drop() const
    {
        ls_barrier::state token;
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(at()) : "memory");
        return true;
    }
    LS_D bool object_over(ls_barrier::state token) const
    {
        unsigned over;
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at()), "l"(token)
                     : "memory");
        return over;
    }
    /* .parity is of PTX ISA 7.1. */
    LS_D bool object_parity(bool parity) const
    {
        unsigned over;
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at()), "r"((unsigned)parity)
                     : "memory");
        return over;
    }
    LS_D void object_init(unsigned n) const
    {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at()), "r"(n) : "memory");
    }
#endif
    LS_HD void start(unsigned n) { LS_MBARRIER(return object_init(n), state_ = ls_barrier::make(n, n, 0)); }
    LS_HD ls_barrier::state come(unsigned n) const
    {
        LS_MBARRIER(return object_arrive(n), return plain().arrive(n).phase_);
    }
    LS_HD bool over(ls_barrier::state token) const
    {
        LS_MBARRIER(return object_over(token), return plain().now() != token);
    }

  public:
    class arrival_token {
        friend class barrier;
        ls_barrier::state token_;

      public:
        explicit LS_HD arrival_token(ls_barrier::state token) : token_(token) {}
        arrival_token(arrival_token &&) = default;
        arrival_token &operator=(arrival_token &&) = default;
    };

    barrier() = default;
    LS_HD barrier(ptrdiff_t n, ls_barrier::nothing = ls_barrier::nothing()) { start((unsigned)n); }
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;
    friend LS_HD void init(barrier *b, ptrdiff_t n, ls_barrier::nothing = ls_barrier::nothing())
    {
        b->start((unsigned)n);
    }

    [[nodiscard]] LS_HD arrival_token arrive(ptrdiff_t n = 1) const { return arrival_token(come((unsigned)n)); }
    LS_HD void wait(arrival_token &&token) const
    {
        while (!over(token.token_)) {
        }
    }
    LS_HD bool try_wait(arrival_token &&token) const { return over(token.token_); }
    LS_HD bool try_wait_parity(bool parity) const
    {
        LS_MBARRIER(return object_parity(parity), return plain().try_wait_parity(parity));
    }
    LS_HD void wait_parity(bool parity) const
    {
        while (!try_wait_parity(parity)) {
        }
    }
    LS_HD void arrive_and_wait() const { wait(arrive()); }
    LS_HD void arrive_and_drop() const { LS_MBARRIER(return (void)object_drop(), plain().arrive_and_drop()); }
    static constexpr LS_HD ptrdiff_t max() { return (ptrdiff_t)ls_barrier::count_mask; }
    LS_HD unsigned long long *ls_handle() const { return &state_; }
};
#undef LS_MBARRIER

/* A size, and that it and the addresses are multiples of Alignment. */
template <size_t Alignment> struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    constexpr LS_HD aligned_size_t(size_t size) : value(size) {}
    constexpr LS_HD operator size_t() const { return value; }
};

/* ---- copies that a barrier waits for: of a group, of one thread ---- */

template <class Group, class Shape, thread_scope Scope, class Completion>
LS_D void memcpy_async(const Group &group, void *dst, const void *src, const Shape &shape, barrier<Scope, Completion> &)
{
    ls_copy::by_threads((unsigned)group.thread_rank(), (unsigned)group.size(), dst, src, static_cast<size_t>(shape));
    ls_copy::commit();
    ls_copy::wait<0>();
}
template <class Shape, thread_scope Scope, class Completion>
LS_D void memcpy_async(void *dst, const void *src, const Shape &shape, barrier<Scope, Completion> &)
{
    ls_copy::by_threads(0, 1, dst, src, static_cast<size_t>(shape));
    ls_copy::commit();
    ls_copy::wait<0>();
}

/* ---- bytes that a block's barrier waits for, from compute capability 9.0 on ---- */

namespace device {

typedef barrier<thread_scope_block> ls_block_barrier;

/* The mbarrier object: for cuda::ptx. */
LS_D uint64_t *barrier_native_handle(ls_block_barrier &b) { return reinterpret_cast<uint64_t *>(b.ls_handle()); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
LS_D void barrier_expect_tx(ls_block_barrier &b, ptrdiff_t bytes)
{
    asm volatile(
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(ls_copy::shared_address(b.ls_handle())),
        "r"((unsigned)bytes)
        : "memory");
}
[[nodiscard]] LS_D ls_block_barrier::arrival_token barrier_arrive_tx(ls_block_barrier &b, ptrdiff_t n, ptrdiff_t bytes)
{
    barrier_expect_tx(b, bytes);
    return b.arrive(n);
}
/* A bulk copy: the addresses and the size are multiples of 16. */
template <size_t Alignment>
LS_D void memcpy_async_tx(void *dst, const void *src, aligned_size_t<Alignment> size, ls_block_barrier &b)
{
    static_assert(Alignment >= 16, "memcpy_async_tx copies multiples of 16 bytes");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     ls_copy::shared_address(dst)),
                 "l"(__cvta_generic_to_global(src)), "r"((unsigned)size.value),
                 "r"(ls_copy::shared_address(b.ls_handle()))
                 : "memory");
}
#endif

} // namespace device

namespace std {
template <class Completion = ls_barrier::nothing> using barrier = cuda::barrier<thread_scope_system, Completion>;
}

} // namespace cuda

#undef LS_HD
#undef LS_D
#endif
