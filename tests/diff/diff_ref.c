/* diff_ref.c - the random kernels' words as scalar C: a block is an array of threads, and each region, each operation
 * that threads do together, is a loop over the array. `on[level]` says which threads have come here; an IF_EACH opens a
 * level. Built as a shared object that exports diff_kernels. */
#include <stdbool.h>
#include <stddef.h>

#define FN static inline __attribute__((unused))
#define NOINLINE static __attribute__((noinline, unused))
#include "diff_common.h"
#include "diff_table.h"

FN u32 brev(u32 a)
{
    u32 r = 0;
    for (int i = 0; i < 32; i++)
        r |= (a >> i & 1) << (31 - i);
    return r;
}
/* PTX ISA, min: the other operand when one is NaN, and -0 < +0. */
FN float f32_min(float a, float b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    if (a == b)
        return __builtin_signbit(a) ? a : b;
    return a < b ? a : b;
}
FN float f32_max(float a, float b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    if (a == b)
        return __builtin_signbit(a) ? b : a;
    return a > b ? a : b;
}

static const u32 diff_table[16] = {3, 0x80000000u, 17,          0xffffffffu, 1000003, 5, 0x7fffffff,  64,
                                   0, 1,           0xdeadbeefu, 42,          0x10001, 7, 0xff00ff00u, 99};
#define TABLE(i) diff_table[i]

#define ATOMIC(name, T, expr)                                                                                          \
    FN T atomic_##name(T *p, T v)                                                                                      \
    {                                                                                                                  \
        T old = *p;                                                                                                    \
        *p = expr;                                                                                                     \
        return old;                                                                                                    \
    }
ATOMIC(add, u32, old + v)
ATOMIC(umin, u32, umin(old, v))
ATOMIC(umax, u32, umax(old, v))
ATOMIC(smin, u32, smin(old, v))
ATOMIC(smax, u32, smax(old, v))
ATOMIC(and, u32, old &v)
ATOMIC(or, u32, old | v)
ATOMIC(xor, u32, old ^ v)
ATOMIC(add64, u64, old + v)
FN u32 atomic_cas(u32 *p, u32 expected, u32 v)
{
    u32 old = *p;
    *p = old == expected ? v : old;
    return old;
}

enum { MAX_THREADS = 256, MAX_LEVELS = 8 };

struct thread {
    u32 id;
    u32 v[8], a[8];
    u64 w[4];
    float f[4];
    double d[2];
    bool on[MAX_LEVELS];
    u32 given; /* what the thread brings to a common operation */
};

#define V(k) t->v[k]
#define W(k) t->w[k]
#define F(k) t->f[k]
#define D(k) t->d[k]
#define A(k) t->a[k]
#define TID (t->id)
#define LANE (t->id & 31)
#define WARP (t->id >> 5)
#define BLOCK block
#define GID (block * NT + t->id)

#define THREADS for (struct thread *t = threads; t < threads + NT; t++)
#define ACTIVE if (t->on[level])

#define KERNEL(seed, nthreads, nblocks)                                                                                \
    enum { threads_##seed = nthreads, blocks_##seed = nblocks };                                                       \
    static void k##seed(const u32 *in, u32 *out, u32 *acc, u32 *scratch, u32 n)                                        \
    {                                                                                                                  \
        enum { NT = nthreads };                                                                                        \
        static struct thread threads[NT];                                                                              \
        (void)in, (void)out, (void)acc, (void)scratch, (void)n;                                                        \
        for (u32 block = 0; block < nblocks; block++) {                                                                \
            int level = 0;                                                                                             \
            for (u32 i = 0; i < NT; i++)                                                                               \
                threads[i] = (struct thread){.id = i, .on = {true}};
#define END_KERNEL                                                                                                     \
    }                                                                                                                  \
    }
#define SHARED(name, count)                                                                                            \
    static u32 name[count];                                                                                            \
    (void)name;
#define EACH                                                                                                           \
    THREADS ACTIVE                                                                                                     \
    {
#define END }

#define IF_EACH(cond)                                                                                                  \
    {                                                                                                                  \
        THREADS t->on[level + 1] = t->on[level] && (cond);                                                             \
        level++;
#define END_IF                                                                                                         \
    level--;                                                                                                           \
    }
#define FOR_EACH(i, count)                                                                                             \
    {                                                                                                                  \
        THREADS t->on[level + 1] = t->on[level];                                                                       \
        level++;                                                                                                       \
        for (u32 i = 0;; i++) {                                                                                        \
            bool any = false;                                                                                          \
            THREADS any |= t->on[level] = t->on[level] && i < (count);                                                 \
            if (!any)                                                                                                  \
                break;
#define END_FOR                                                                                                        \
    }                                                                                                                  \
    level--;                                                                                                           \
    }
/* Stands at the top level only. */
#define EXIT_IF(cond) THREADS t->on[0] = t->on[0] && !(cond);

#define SYNC
#define SYNC_WITH(dst, cond, init, combine)                                                                            \
    {                                                                                                                  \
        u32 r = init;                                                                                                  \
        EACH const u32 x = (cond) != 0;                                                                                \
        r = combine;                                                                                                   \
        END EACH t->v[dst] = r;                                                                                        \
        END                                                                                                            \
    }
#define SYNC_COUNT(dst, cond) SYNC_WITH(dst, cond, 0, r + x)
#define SYNC_OR(dst, cond) SYNC_WITH(dst, cond, 0, r | x)
#define SYNC_AND(dst, cond) SYNC_WITH(dst, cond, 1, r &x)
#define SYNCWARP(mask)

/* Every thread brings v[src], then every thread takes from the lane that PTX's shfl names, or keeps its own. */
#define SHFL(dst, src, mask, lane_of)                                                                                  \
    {                                                                                                                  \
        EACH t->given = t->v[src];                                                                                     \
        END EACH const int lane = (int)LANE, from = lane_of;                                                           \
        t->v[dst] = threads[(t->id & ~31u) + (u32)from].given;                                                         \
        END                                                                                                            \
    }
#define FIRST(width) (lane & ~((width) - 1))
#define LAST(width) (lane | ((width) - 1))
#define SHFL_IDX(dst, src, which, width, mask) SHFL(dst, src, mask, FIRST(width) | ((int)(which) & ((width) - 1)))
#define SHFL_XOR(dst, src, by, width, mask) SHFL(dst, src, mask, (lane ^ (by)) <= LAST(width) ? lane ^ (by) : lane)
#define SHFL_UP(dst, src, by, width, mask) SHFL(dst, src, mask, lane - (by) >= FIRST(width) ? lane - (by) : lane)
#define SHFL_DOWN(dst, src, by, width, mask) SHFL(dst, src, mask, lane + (by) <= LAST(width) ? lane + (by) : lane)

/* The threads of a warp that are here and bring what `keep` (of `o`, the other thread) says, combined. */
#define ACROSS(dst, x, init, combine)                                                                                  \
    {                                                                                                                  \
        EACH t->given = (u32)(x);                                                                                      \
        END EACH u32 r = init;                                                                                         \
        for (const struct thread *o = threads; o < threads + NT; o++)                                                  \
            if (o->on[level] && (o->id ^ t->id) < 32)                                                                  \
                r = combine;                                                                                           \
        t->v[dst] = r;                                                                                                 \
        END                                                                                                            \
    }
#define BALLOT(dst, mask, cond) ACROSS(dst, (cond) != 0, 0, r | o->given << (o->id & 31))
#define ANY(dst, mask, cond) ACROSS(dst, (cond) != 0, 0, r | o->given)
#define ALL(dst, mask, cond) ACROSS(dst, (cond) != 0, 1, r & o->given)
#define MATCH(dst, mask, x) ACROSS(dst, x, 0, r | (u32)(o->given == t->given) << (o->id & 31))
#define REDUX_ADD(dst, mask, x) ACROSS(dst, x, 0, r + o->given)
#define REDUX_UMIN(dst, mask, x) ACROSS(dst, x, ~0u, umin(r, o->given))
#define REDUX_SMAX(dst, mask, x) ACROSS(dst, x, 0x80000000u, smax(r, o->given))
#define REDUX_XOR(dst, mask, x) ACROSS(dst, x, 0, r ^ o->given)
#define REDUX_AND(dst, mask, x) ACROSS(dst, x, ~0u, r & o->given)
#define REDUX_OR(dst, mask, x) ACROSS(dst, x, 0, r | o->given)

#define TABLE_BEGIN __attribute__((visibility("default"))) const struct diff_kernel diff_kernels[] = {
#define TABLE_ROW(seed) {"k" #seed, seed, threads_##seed, blocks_##seed, k##seed},
#define TABLE_END                                                                                                      \
    {                                                                                                                  \
        NULL, 0, 0, 0, NULL                                                                                            \
    }                                                                                                                  \
    }                                                                                                                  \
    ;

#include DIFF_BODY
