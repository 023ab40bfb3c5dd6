/* nvmath.c - runs the functions of nvmath.def for a warp, a lane at a time.
 *
 * A row becomes a function that loops over the lanes of the mask, and an entry of the table, which is sorted by name at
 * the first look-up. Functions that round in a given mode run with the processor's mode changed around the loop; this
 * file is compiled with -frounding-math. Argument offsets follow PTX: each at the next multiple of its own size. */
/* clang-format off */ // rows of macros and of text
#include "exec/device/nvmath.h"

#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "exec/device/nvmath_kernels.h"
#define LS_LEVEL nvmath
#include "exec/ops/halves.h"

typedef u32 raw32; /* results that are bit patterns of floats: not made canonical */
typedef u64 raw64;

/* ---- values in argument and result areas ---- */

#define OFFSET_2(A, B) ((sizeof(A) + sizeof(B) - 1) / sizeof(B) * sizeof(B))
#define OFFSET_3(A, B, C) ((OFFSET_2(A, B) + sizeof(B) + sizeof(C) - 1) / sizeof(C) * sizeof(C))
#define OFFSET_4(A, B, C, D) ((OFFSET_3(A, B, C) + sizeof(C) + sizeof(D) - 1) / sizeof(D) * sizeof(D))

#define GET(T, name, offset)                                                                                           \
    T name;                                                                                                            \
    memcpy(&name, c_->args + (size_t)lane * c_->arg_stride + (offset), sizeof name)

static void put(struct builtin_call *c, unsigned lane, const void *value, size_t size)
{
    memcpy(c->rets + (size_t)lane * c->ret_stride, value, size);
}
static void put_f32(struct builtin_call *c, unsigned lane, f32 x)
{
    const f32 r = canon_f32(x);
    put(c, lane, &r, sizeof r);
}
#define PUT_AS(T)                                                                                                      \
    static inline void put_##T(struct builtin_call *c, unsigned lane, T x) { put(c, lane, &x, sizeof x); }
PUT_AS(f64)
PUT_AS(i32)
PUT_AS(i64)
PUT_AS(u16)
PUT_AS(u32)
PUT_AS(u64)
PUT_AS(raw32)
PUT_AS(raw64)

/* ---- what a pointer argument points to ---- */

/* The host address of n writable bytes, or NULL. */
static u8 *target_of(struct builtin_call *c, unsigned lane, u64 address, u64 n, u8 *space)
{
    struct warp *w = c->w;
    u64 lo, hi, at;
    enum mem_kind kind;
    *space = SPACE_SHARED;
    if (warp_in_shared(w, address)) {
        at = address - w->shared_window;
        return at < w->shared_bytes && at + n <= w->shared_bytes ? w->shared + at : cluster_memory(w, at, n);
    }
    *space = SPACE_LOCAL;
    if ((at = address - w->local_window) < MEM_WINDOW_BYTES)
        return at + n <= w->local_bytes ? w->local + lane * w->local_bytes + at : NULL;
    *space = SPACE_GLOBAL;
    if ((!mem_range(w->mem, address, &lo, &hi, &kind) || address + n > hi || mem_read_only(kind)) &&
        !warp_forgive(w, c->pc, lane, address, n, SPACE_GLOBAL, true, false))
        return NULL;
    return (u8 *)(uintptr_t)address;
}

static bool store(struct builtin_call *c, unsigned lane, u64 address, const void *value, u64 n)
{
    u8 space;
    u8 *to = address % n == 0 ? target_of(c, lane, address, n, &space) : NULL;
    if (!to) {
        const bool misaligned = address % n != 0;
        return warp_excuse(c->w, c->pc, misaligned ? FAULT_MISALIGNED : FAULT_ILLEGAL_ADDRESS, lane, address, n,
                           misaligned ? SPACE_NONE : space, true, false);
    }
    const u64 base = space == SPACE_SHARED ? c->w->shared_window : space == SPACE_LOCAL ? c->w->local_window : 0;
    warp_touch(c->w, c->pc, lane, space, ACCESS_ST, address - base, n, false);
    memcpy(to, value, n);
    return true;
}

/* ---- parts of a word ---- */

#define NV_PARTS(bits, T, expr)                                                                                        \
    ({                                                                                                                 \
        u32 out_ = 0;                                                                                                  \
        for (int k_ = 0; k_ < 32; k_ += bits) {                                                                        \
            const i32 x = (T)(a >> k_), y = (T)(b >> k_);                                                              \
            const i32 min_ = -(1 << (bits - 1)), max_ = (1 << (bits - 1)) - 1, top_ = (1 << bits) - 1;                 \
            (void)min_, (void)max_, (void)top_;                                                                        \
            out_ |= ((u32)(expr) & (u32)top_) << k_;                                                                   \
        }                                                                                                              \
        out_;                                                                                                          \
    })
#define NV_PARTS1(bits, T, expr)                                                                                       \
    ({                                                                                                                 \
        const u32 b = 0;                                                                                               \
        NV_PARTS(bits, T, ((void)y, (expr)));                                                                          \
    })
#define NV_SUM(bits, T, expr)                                                                                          \
    ({                                                                                                                 \
        u32 sum_ = 0;                                                                                                  \
        for (int k_ = 0; k_ < 32; k_ += bits) {                                                                        \
            const i32 x = (T)(a >> k_), y = (T)(b >> k_);                                                              \
            sum_ += (u32)(expr);                                                                                       \
        }                                                                                                              \
        sum_;                                                                                                          \
    })
#define NV_CLAMP_S(v) ((v) < min_ ? min_ : (v) > max_ ? max_ : (v))
#define NV_CLAMP_U(v) ((v) < 0 ? 0 : (v) > top_ ? top_ : (v))

static u32 brev32(u32 x)
{
    u32 r = 0;
    for (int k = 0; k < 32; k++)
        r |= (x >> k & 1) << (31 - k);
    return r;
}

/* ---- the functions ---- */

#define EACH_LANE for (u32 m_ = c_->mask, lane = 0; m_ && (lane = (u32)__builtin_ctz(m_), true); m_ &= m_ - 1)
#define BEGIN(name)                                                                                                    \
    static bool run_##name(struct builtin_call *c_)                                                                    \
    {                                                                                                                  \
        EACH_LANE                                                                                                      \
        {
#define END                                                                                                            \
    }                                                                                                                  \
    return true;                                                                                                       \
    }
#define NV0(name, R, P, expr) BEGIN(name) put_##R(c_, lane, (R)(expr)); END
#define NV1(name, R, A, expr) BEGIN(name) GET(A, a, 0); put_##R(c_, lane, (R)(expr)); END
#define NV2(name, R, A, B, expr)                                                                                       \
    BEGIN(name) GET(A, a, 0); GET(B, b, OFFSET_2(A, B)); put_##R(c_, lane, (R)(expr)); END
#define NV3(name, R, A, B, C, expr)                                                                                    \
    BEGIN(name) GET(A, a, 0); GET(B, b, OFFSET_2(A, B)); GET(C, c, OFFSET_3(A, B, C));                                 \
    put_##R(c_, lane, (R)(expr)); END
#define NV4(name, R, A, B, C, D, expr)                                                                                 \
    BEGIN(name) GET(A, a, 0); GET(B, b, OFFSET_2(A, B)); GET(C, c, OFFSET_3(A, B, C));                                 \
    GET(D, d, OFFSET_4(A, B, C, D)); put_##R(c_, lane, (R)(expr)); END
#define NVR1(name, ...) NV1(name##_r, __VA_ARGS__)
#define NVR2(name, ...) NV2(name##_r, __VA_ARGS__)
#define NVR3(name, ...) NV3(name##_r, __VA_ARGS__)
#define NVP1(name, R, A, P, expr)                                                                                      \
    BEGIN(name) GET(A, a, 0); GET(u64, p0, OFFSET_2(A, u64)); P out0 = 0; const R r_ = (R)(expr);                      \
    if (!store(c_, lane, p0, &out0, sizeof out0)) return false;                                                        \
    put_##R(c_, lane, r_); END
#define NVP2(name, R, A, P, expr)                                                                                      \
    BEGIN(name) GET(A, a, 0); GET(u64, p0, OFFSET_2(A, u64)); GET(u64, p1, OFFSET_3(A, u64, u64));                     \
    P out0 = 0, out1 = 0; (void)(expr);                                                                                \
    if (!store(c_, lane, p0, &out0, sizeof out0) || !store(c_, lane, p1, &out1, sizeof out1)) return false;            \
    END
#define NVP3(name, R, A, P, expr)                                                                                      \
    BEGIN(name) GET(A, a, 0); GET(A, b, sizeof(A)); GET(u64, p0, OFFSET_3(A, A, u64)); P out0 = 0;                     \
    const R r_ = (R)(expr);                                                                                            \
    if (!store(c_, lane, p0, &out0, sizeof out0)) return false;                                                        \
    put_##R(c_, lane, r_); END
#define NVN(name, R, A, expr)                                                                                          \
    BEGIN(name) GET(i32, n, 0); GET(u64, p, OFFSET_2(i32, u64)); long double sum_ = 0; f64 inf_ = 0;                   \
    for (i32 k_ = 0; k_ < n; k_++) {                                                                                   \
        A v_;                                                                                                          \
        if (!builtin_read(c_, lane, p + (u64)k_ * sizeof v_, &v_, sizeof v_)) return false;                            \
        sum_ += (long double)v_ * (long double)v_;                                                                     \
        inf_ = isinf(v_) ? (f64)v_ : inf_;                                                                             \
    }                                                                                                                  \
    const f64 s = nv_root(sum_, inf_, 0, 0, 0);                                                                        \
    put_##R(c_, lane, (R)(expr)); END
#include "exec/device/nvmath.def"
#undef NV0
#undef NV1
#undef NV2
#undef NV3
#undef NV4
#undef NVR1
#undef NVR2
#undef NVR3
#undef NVP1
#undef NVP2
#undef NVP3
#undef NVN

/* ---- the table ---- */

struct function {
    const char *name;
    bool (*run)(struct builtin_call *c);
    int rounding; /* FE_* */
};

#define ROW(name, ...) {"__nv_" #name, run_##name, FE_TONEAREST},
#define ROWS(name, ...)                                                                                                \
    {"__nv_" #name "_rn", run_##name##_r, FE_TONEAREST}, {"__nv_" #name "_rz", run_##name##_r, FE_TOWARDZERO},         \
        {"__nv_" #name "_ru", run_##name##_r, FE_UPWARD}, {"__nv_" #name "_rd", run_##name##_r, FE_DOWNWARD},
#define NV0 ROW
#define NV1 ROW
#define NV2 ROW
#define NV3 ROW
#define NV4 ROW
#define NVR1 ROWS
#define NVR2 ROWS
#define NVR3 ROWS
#define NVP1 ROW
#define NVP2 ROW
#define NVP3 ROW
#define NVN ROW
static struct function functions[] = {
#include "exec/device/nvmath.def"
};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}
static void sort(void) { qsort(functions, LS_ARRAY_LEN(functions), sizeof functions[0], by_name); }

int nvmath_find(const char *name)
{
    const struct function key = {.name = name};
    pthread_once(&once, sort);
    const struct function *f = bsearch(&key, functions, LS_ARRAY_LEN(functions), sizeof functions[0], by_name);
    return f ? (int)(f - functions) : -1;
}

const char *nvmath_name(int n)
{
    pthread_once(&once, sort);
    return n >= 0 && (size_t)n < LS_ARRAY_LEN(functions) ? functions[n].name : NULL;
}

bool nvmath_run(int id, struct builtin_call *c)
{
    const struct function *f = &functions[id];
    if (f->rounding == FE_TONEAREST)
        return f->run(c);
    const int old = fegetround();
    fesetround(f->rounding);
    const bool ok = f->run(c);
    fesetround(old);
    return ok;
}
