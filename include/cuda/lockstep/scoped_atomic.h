/* scoped_atomic.h - cuda::atomic, cuda::atomic_ref and fences, of a scope: what <cuda/atomic> is made of.
 *
 * On a device an operation is a relaxed one of its scope between the fences that its order asks for, which is what the
 * PTX memory model makes of the orders of C++. What has no instruction (floats' minimum, integers of 8 and 16 bits) is
 * a loop of compare-and-swap. On the host every scope is the system, and the compiler's own atomics do it. */
#ifndef LOCKSTEP_SCOPED_ATOMIC_H
#define LOCKSTEP_SCOPED_ATOMIC_H

#include <cuda_runtime.h>

#define LS_HD __host__ __device__ __forceinline__

namespace cuda {

enum thread_scope {
    thread_scope_system = 0,
    thread_scope_device = 1,
    thread_scope_block = 2,
    thread_scope_thread = 10
};

namespace std {
enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};
} // namespace std

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

} // namespace cuda

namespace ls_atomic {

using namespace cuda;

/* ---- instructions: for each scope ---- */

#define LS_SCOPED(before, after, ...)                                                                                  \
    if constexpr (Scope == thread_scope_system)                                                                        \
        asm volatile(before "sys" after __VA_ARGS__ : "memory");                                                       \
    else if constexpr (Scope == thread_scope_device)                                                                   \
        asm volatile(before "gpu" after __VA_ARGS__ : "memory");                                                       \
    else                                                                                                               \
        asm volatile(before "cta" after __VA_ARGS__ : "memory");

template <thread_scope Scope> static __device__ __forceinline__ void fence() { LS_SCOPED("fence.acq_rel.", ";", ::) }
template <thread_scope Scope> static __device__ __forceinline__ void fence_sc() { LS_SCOPED("fence.sc.", ";", ::) }

template <thread_scope Scope> static __device__ __forceinline__ void before(memory_order order)
{
    if (order == memory_order_seq_cst)
        fence_sc<Scope>();
    else if (order == memory_order_release || order == memory_order_acq_rel)
        fence<Scope>();
}
template <thread_scope Scope> static __device__ __forceinline__ void after(memory_order order)
{
    if (order != memory_order_relaxed && order != memory_order_release)
        fence<Scope>();
}

#define LS_LOAD_STORE(word, ptx, in)                                                                                   \
    template <thread_scope Scope> static __device__ __forceinline__ word load_word(const word *p)                      \
    {                                                                                                                  \
        word r;                                                                                                        \
        LS_SCOPED("ld.relaxed.", "." ptx " %0, [%1];", : "=" in(r) : "l"(p))                                           \
        return r;                                                                                                      \
    }                                                                                                                  \
    template <thread_scope Scope> static __device__ __forceinline__ void store_word(word *p, word value)               \
    {                                                                                                                  \
        LS_SCOPED("st.relaxed.", "." ptx " [%0], %1;", ::"l"(p), in(value))                                            \
    }
LS_LOAD_STORE(unsigned short, "b16", "h")
LS_LOAD_STORE(unsigned, "b32", "r")
LS_LOAD_STORE(unsigned long long, "b64", "l")
#undef LS_LOAD_STORE
template <thread_scope Scope> static __device__ __forceinline__ unsigned char load_word(const unsigned char *p)
{
    unsigned r;
    LS_SCOPED("ld.relaxed.", ".u8 %0, [%1];", : "=r"(r) : "l"(p))
    return (unsigned char)r;
}
template <thread_scope Scope>
static __device__ __forceinline__ void store_word(unsigned char *p, unsigned char value){
    LS_SCOPED("st.relaxed.", ".u8 [%0], %1;", ::"l"(p), "r"((unsigned)value))}

#define LS_SWAP(word, ptx, in)                                                                                         \
    template <thread_scope Scope> static __device__ __forceinline__ word swap_word(word *p, word expected, word value) \
    {                                                                                                                  \
        word r;                                                                                                        \
        LS_SCOPED("atom.relaxed.", ".cas." ptx " %0, [%1], %2, %3;", : "=" in(r) : "l"(p), in(expected), in(value))    \
        return r;                                                                                                      \
    }
LS_SWAP(unsigned, "b32", "r") LS_SWAP(unsigned long long, "b64", "l")
#undef LS_SWAP

    /* Narrower words: a swap of the word of 32 bits that they are in. */
    template <thread_scope Scope, class Word>
    static __device__ __forceinline__ Word swap_within(Word *p, Word expected, Word value)
{
    const unsigned long long address = (unsigned long long)p;
    unsigned *whole = (unsigned *)(address & ~3ull);
    const unsigned shift = (unsigned)(address & 3) * 8, mask = (unsigned)(Word)~0u << shift;
    unsigned seen = load_word<Scope>(whole);
    for (;;) {
        if ((Word)(seen >> shift) != expected)
            return (Word)(seen >> shift);
        const unsigned now = swap_word<Scope>(whole, seen, (seen & ~mask) | (unsigned)value << shift);
        if (now == seen)
            return expected;
        seen = now;
    }
}
template <thread_scope Scope>
static __device__ __forceinline__ unsigned char swap_word(unsigned char *p, unsigned char expected, unsigned char value)
{
    return swap_within<Scope>(p, expected, value);
}
template <thread_scope Scope>
static __device__ __forceinline__ unsigned short swap_word(unsigned short *p, unsigned short expected,
                                                           unsigned short value)
{
    return swap_within<Scope>(p, expected, value);
}

/* ---- operations: what they make of a value, and their instruction, if there is one ---- */

template <class Operation, class T> struct instruction {
    static constexpr bool has = false;
};
struct add {
    template <class T> static LS_HD T apply(T a, T b) { return (T)(a + b); }
};
struct bits_and {
    template <class T> static LS_HD T apply(T a, T b) { return (T)(a & b); }
};
struct bits_or {
    template <class T> static LS_HD T apply(T a, T b) { return (T)(a | b); }
};
struct bits_xor {
    template <class T> static LS_HD T apply(T a, T b) { return (T)(a ^ b); }
};
struct least {
    template <class T> static LS_HD T apply(T a, T b) { return b < a ? b : a; }
};
struct most {
    template <class T> static LS_HD T apply(T a, T b) { return a < b ? b : a; }
};
struct exchange {
    template <class T> static LS_HD T apply(T, T b) { return b; }
};

#define LS_INSTRUCTION(operation, type, ptx, in)                                                                       \
    template <> struct instruction<operation, type> {                                                                  \
        static constexpr bool has = true;                                                                              \
        template <thread_scope Scope> static __device__ __forceinline__ type run(type *p, type value)                  \
        {                                                                                                              \
            type r;                                                                                                    \
            LS_SCOPED("atom.relaxed.", "." ptx " %0, [%1], %2;", : "=" in(r) : "l"(p), in(value))                      \
            return r;                                                                                                  \
        }                                                                                                              \
    };
#define LS_INTEGER(type, size, kind, in)                                                                               \
    LS_INSTRUCTION(add, type, "add.u" size, in)                                                                        \
    LS_INSTRUCTION(bits_and, type, "and.b" size, in)                                                                   \
    LS_INSTRUCTION(bits_or, type, "or.b" size, in)                                                                     \
    LS_INSTRUCTION(bits_xor, type, "xor.b" size, in)                                                                   \
    LS_INSTRUCTION(least, type, "min." kind size, in)                                                                  \
    LS_INSTRUCTION(most, type, "max." kind size, in)                                                                   \
    LS_INSTRUCTION(exchange, type, "exch.b" size, in)
LS_INTEGER(int, "32", "s", "r")
LS_INTEGER(unsigned, "32", "u", "r")
LS_INTEGER(long, "64", "s", "l")
LS_INTEGER(unsigned long, "64", "u", "l")
LS_INTEGER(long long, "64", "s", "l")
LS_INTEGER(unsigned long long, "64", "u", "l")
LS_INSTRUCTION(add, float, "add.f32", "f")
LS_INSTRUCTION(add, double, "add.f64", "d")
#undef LS_INTEGER
#undef LS_INSTRUCTION
#undef LS_SCOPED

/* ---- values of any type of 1, 2, 4 or 8 bytes ---- */

template <int Size> struct word_of;
template <> struct word_of<1> {
    typedef unsigned char type;
};
template <> struct word_of<2> {
    typedef unsigned short type;
};
template <> struct word_of<4> {
    typedef unsigned type;
};
template <> struct word_of<8> {
    typedef unsigned long long type;
};

template <class T, thread_scope Scope> struct place {
    static_assert(__is_trivially_copyable(T), "an atomic type must be trivially copyable");
    typedef typename word_of<sizeof(T)>::type word;

    static LS_HD T load(const T *p, memory_order order)
    {
#ifdef __CUDA_ARCH__
        if (order == memory_order_seq_cst)
            fence_sc<Scope>();
        const word bits = load_word<Scope>((const word *)p);
        after<Scope>(order);
#else
        const word bits = __atomic_load_n((const word *)p, __ATOMIC_SEQ_CST);
        (void)order;
#endif
        return __builtin_bit_cast(T, bits);
    }
    static LS_HD void store(T *p, T value, memory_order order)
    {
        const word bits = __builtin_bit_cast(word, value);
#ifdef __CUDA_ARCH__
        before<Scope>(order);
        store_word<Scope>((word *)p, bits);
#else
        __atomic_store_n((word *)p, bits, __ATOMIC_SEQ_CST);
        (void)order;
#endif
    }
    static LS_HD bool swap(T *p, T &expected, T value, memory_order order)
    {
        word want = __builtin_bit_cast(word, expected);
        const word bits = __builtin_bit_cast(word, value);
#ifdef __CUDA_ARCH__
        before<Scope>(order);
        const word seen = swap_word<Scope>((word *)p, want, bits);
        after<Scope>(order);
        const bool done = seen == want;
        want = seen;
#else
        const bool done =
            __atomic_compare_exchange_n((word *)p, &want, bits, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        (void)order;
#endif
        if (!done)
            expected = __builtin_bit_cast(T, want);
        return done;
    }
    template <class Operation> static LS_HD T change(T *p, T operand, memory_order order)
    {
#ifdef __CUDA_ARCH__
        if constexpr (instruction<Operation, T>::has) {
            before<Scope>(order);
            const T old = instruction<Operation, T>::template run<Scope>(p, operand);
            after<Scope>(order);
            return old;
        }
#endif
        T old = load(p, memory_order_relaxed);
        while (!swap(p, old, Operation::apply(old, operand), order)) {
        }
        return old;
    }
};

/* ---- the members that atomic and atomic_ref share: Self has at(), the address ---- */

template <class Self, class T, thread_scope Scope> class operations {
    typedef place<T, Scope> memory;
    LS_HD T *at() const { return static_cast<const Self *>(this)->address(); }

  public:
    typedef T value_type;
    static constexpr bool is_always_lock_free = true;
    LS_HD bool is_lock_free() const { return true; }
    LS_HD T load(memory_order order = memory_order_seq_cst) const { return memory::load(at(), order); }
    LS_HD operator T() const { return load(); }
    LS_HD void store(T value, memory_order order = memory_order_seq_cst) const { memory::store(at(), value, order); }
    LS_HD T exchange(T value, memory_order order = memory_order_seq_cst) const
    {
        return memory::template change<ls_atomic::exchange>(at(), value, order);
    }
    LS_HD bool compare_exchange_strong(T &expected, T value, memory_order order = memory_order_seq_cst) const
    {
        return memory::swap(at(), expected, value, order);
    }
    LS_HD bool compare_exchange_strong(T &expected, T value, memory_order good, memory_order) const
    {
        return memory::swap(at(), expected, value, good);
    }
    LS_HD bool compare_exchange_weak(T &expected, T value, memory_order order = memory_order_seq_cst) const
    {
        return memory::swap(at(), expected, value, order);
    }
    LS_HD bool compare_exchange_weak(T &expected, T value, memory_order good, memory_order) const
    {
        return memory::swap(at(), expected, value, good);
    }

#define LS_FETCH(name, operation)                                                                                      \
    LS_HD T name(T value, memory_order order = memory_order_seq_cst) const                                             \
    {                                                                                                                  \
        return memory::template change<operation>(at(), value, order);                                                 \
    }
    LS_FETCH(fetch_add, add)
    LS_FETCH(fetch_and, bits_and)
    LS_FETCH(fetch_or, bits_or)
    LS_FETCH(fetch_xor, bits_xor)
    LS_FETCH(fetch_min, least)
    LS_FETCH(fetch_max, most)
#undef LS_FETCH
    LS_HD T fetch_sub(T value, memory_order order = memory_order_seq_cst) const
    {
        return fetch_add((T)(T() - value), order);
    }
    LS_HD T operator++(int) const { return fetch_add((T)1); }
    LS_HD T operator--(int) const { return fetch_sub((T)1); }
    LS_HD T operator++() const { return (T)(fetch_add((T)1) + 1); }
    LS_HD T operator--() const { return (T)(fetch_sub((T)1) - 1); }
    LS_HD T operator+=(T value) const { return (T)(fetch_add(value) + value); }
    LS_HD T operator-=(T value) const { return (T)(fetch_sub(value) - value); }
    LS_HD T operator&=(T value) const { return (T)(fetch_and(value) & value); }
    LS_HD T operator|=(T value) const { return (T)(fetch_or(value) | value); }
    LS_HD T operator^=(T value) const { return (T)(fetch_xor(value) ^ value); }

    /* Until it is something else. Whoever changes it need not tell: the wait looks. */
    LS_HD void wait(T old, memory_order order = memory_order_seq_cst) const
    {
        while (__builtin_bit_cast(typename memory::word, load(order)) ==
               __builtin_bit_cast(typename memory::word, old)) {
        }
    }
    LS_HD void notify_one() const {}
    LS_HD void notify_all() const {}
};

} // namespace ls_atomic

namespace cuda {

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public ls_atomic::operations<atomic<T, Scope>, T, Scope> {
    alignas(sizeof(T)) T value_;

  public:
    atomic() = default;
    constexpr LS_HD atomic(T value) : value_(value) {}
    atomic(const atomic &) = delete;
    atomic &operator=(const atomic &) = delete;
    LS_HD T operator=(T value)
    {
        this->store(value);
        return value;
    }
    LS_HD T *address() const { return const_cast<T *>(&value_); }
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public ls_atomic::operations<atomic_ref<T, Scope>, T, Scope> {
    T *value_;

  public:
    static constexpr size_t required_alignment = sizeof(T);
    explicit LS_HD atomic_ref(T &value) : value_(&value) {}
    atomic_ref(const atomic_ref &) = default;
    LS_HD T operator=(T value) const
    {
        this->store(value);
        return value;
    }
    LS_HD T *address() const { return value_; }
};

static __host__ __device__ __forceinline__ void atomic_thread_fence(memory_order order,
                                                                    thread_scope scope = thread_scope_system)
{
#ifdef __CUDA_ARCH__
    if (order == memory_order_relaxed)
        return;
    const bool sc = order == memory_order_seq_cst;
    if (scope == thread_scope_system)
        sc ? ls_atomic::fence_sc<thread_scope_system>() : ls_atomic::fence<thread_scope_system>();
    else if (scope == thread_scope_device)
        sc ? ls_atomic::fence_sc<thread_scope_device>() : ls_atomic::fence<thread_scope_device>();
    else
        sc ? ls_atomic::fence_sc<thread_scope_block>() : ls_atomic::fence<thread_scope_block>();
#else
    (void)order, (void)scope;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

namespace std {
template <class T> using atomic = cuda::atomic<T, thread_scope_system>;
template <class T> using atomic_ref = cuda::atomic_ref<T, thread_scope_system>;
} // namespace std

} // namespace cuda

#undef LS_HD
#endif
