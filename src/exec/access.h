/* access.h - what the bodies of memory instructions share: where a warp's lanes point, whether they may, and the event
 * that says so. Included by bodies_mem.c only, after lanes.h.
 *
 * An access goes through up to three functions, each of which ends in a tail call, so that the usual case stays small:
 *
 *     head   full mask, 64-bit (shared: also 32-bit) address register, address[i] = address[0] + i * size
 *            -> one range check, one copy
 *     rest   the same address in every lane (one load), or any addresses inside one region (a lane loop)
 *     slow   everything else, lane by lane: several allocations, mixed spaces, odd registers, faults
 *
 * Head and rest only ever succeed; whatever they do not accept goes on to slow, which is the reference and the only one
 * that faults. A *region* is what an access is checked against: an allocation, the block's shared memory, or a lane's
 * local memory. A lane's offset in it is its address register + delta; offset + size <= bytes must hold.
 *
 * Other threads of the host may touch the same bytes: kernels race when their authors let them. So device memory is
 * only touched through the *_any types (any alignment, any aliasing) and the functions that do are not instrumented by
 * the thread sanitizer. What a lane accesses by one instruction is one access of the host (memory/lane_memory.h). x86's
 * order of memory (TSO) and the calls between bodies, which the compiler cannot look through, make every access at
 * least acquire (loads) or release (stores), so .relaxed, .acquire, .release and .volatile need nothing more. */
#ifndef LS_EXEC_ACCESS_H
#define LS_EXEC_ACCESS_H

#include "exec/clock/clock.h"
#include "exec/lanes.h"
#include "exec/sync/weak.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define RACY __attribute__((no_sanitize("thread")))
/* The stages vanish into each body, which makes all their parameters but the addresses constants. Where that brings no
 * speed it only costs time to compile. */
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MEM_FN static inline __attribute__((always_inline, unused)) RACY
#else
#define MEM_FN static __attribute__((unused)) RACY
#endif
#define MEM_SLOW static __attribute__((noinline, unused)) RACY
/* A body that touches device memory. */
#define MEM_BODY(name)                                                                                                 \
    RACY static const struct ir_inst *BODY_NAME(name, LS_LEVEL)(const struct ir_inst *pc, u8 *regs, struct warp *w);   \
    OP(name)

typedef i8 i8_any __attribute__((may_alias));
typedef i16 i16_any __attribute__((aligned(1), may_alias));
typedef u16 u16_any __attribute__((aligned(1), may_alias));
typedef u32 u32_any __attribute__((aligned(1), may_alias));
typedef u64 u64_any __attribute__((aligned(1), may_alias));
typedef u64 u64x2 __attribute__((vector_size(16), may_alias));
typedef u64 u64x2_any __attribute__((vector_size(16), aligned(1), may_alias));

/* The constants of a memory body in one word, so that slow functions take them in a register. */
#define MEM_SPACE(op) ((op) & 0xffu)
#define MEM_ESIZE(op) ((op) >> 8 & 0xffu)
#define MEM_COUNT(op) ((op) >> 16 & 0xfu)
#define MEM_SIZE(op) (MEM_ESIZE(op) * MEM_COUNT(op))
#define MEM_SEXT 0x100000u
#define MEM_STORE 0x200000u
#define MEM_ATOMIC 0x400000u
#define MEM_NO_RESULT 0x800000u /* red */
#define MEM_DESC(space, esize, n) ((u32)(space) | (u32)(esize) << 8 | (u32)(n) << 16)

/* ---- addresses ---- */

/* Bit i is set when lane i's address is not first + i * stride. */
MEM_FN u32 lanes_off_64(const u64 *a, u64 first, u64 stride)
{
#if defined(__AVX512F__)
    const __m512i iota = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i e =
        _mm512_add_epi64(_mm512_set1_epi64((i64)first), _mm512_mullo_epi64(iota, _mm512_set1_epi64((i64)stride)));
    const __m512i step = _mm512_set1_epi64((i64)(8 * stride));
    const __m512i e1 = _mm512_add_epi64(e, step), e2 = _mm512_add_epi64(e1, step), e3 = _mm512_add_epi64(e2, step);
    return (u32)_mm512_cmpneq_epi64_mask(_mm512_load_si512(a), e) |
           (u32)_mm512_cmpneq_epi64_mask(_mm512_load_si512(a + 8), e1) << 8 |
           (u32)_mm512_cmpneq_epi64_mask(_mm512_load_si512(a + 16), e2) << 16 |
           (u32)_mm512_cmpneq_epi64_mask(_mm512_load_si512(a + 24), e3) << 24;
#elif defined(__AVX2__)
    const __m256i step = _mm256_set1_epi64x((i64)(4 * stride));
    __m256i e =
        _mm256_set_epi64x((i64)(first + 3 * stride), (i64)(first + 2 * stride), (i64)(first + stride), (i64)first);
    u32 on = 0;
    for (int k = 0; k < IR_LANES; k += 4, e = _mm256_add_epi64(e, step)) {
        const __m256i same = _mm256_cmpeq_epi64(_mm256_load_si256((const __m256i *)(const void *)(a + k)), e);
        on |= (u32)_mm256_movemask_pd(_mm256_castsi256_pd(same)) << k;
    }
    return ~on;
#else
    u32 off = 0;
    LANES
        off |= (u32)(a[i] != first + (u64)i * stride) << i;
    return off;
#endif
}

MEM_FN u32 lanes_off_32(const u32 *a, u32 first, u32 stride)
{
#if defined(__AVX512F__)
    const __m512i iota = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i e =
        _mm512_add_epi32(_mm512_set1_epi32((i32)first), _mm512_mullo_epi32(iota, _mm512_set1_epi32((i32)stride)));
    const __m512i e1 = _mm512_add_epi32(e, _mm512_set1_epi32((i32)(16 * stride)));
    return (u32)_mm512_cmpneq_epi32_mask(_mm512_load_si512(a), e) |
           (u32)_mm512_cmpneq_epi32_mask(_mm512_load_si512(a + 16), e1) << 16;
#elif defined(__AVX2__)
    const __m256i iota = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), step = _mm256_set1_epi32((i32)(8 * stride));
    __m256i e =
        _mm256_add_epi32(_mm256_set1_epi32((i32)first), _mm256_mullo_epi32(iota, _mm256_set1_epi32((i32)stride)));
    u32 on = 0;
    for (int k = 0; k < IR_LANES; k += 8, e = _mm256_add_epi32(e, step)) {
        const __m256i same = _mm256_cmpeq_epi32(_mm256_load_si256((const __m256i *)(const void *)(a + k)), e);
        on |= (u32)_mm256_movemask_ps(_mm256_castsi256_ps(same)) << k;
    }
    return ~on;
#else
    u32 off = 0;
    LANES
        off |= (u32)(a[i] != first + (u32)i * stride) << i;
    return off;
#endif
}

/* Whether the 32 addresses are first + i * stride, where first is lane 0's. */
MEM_FN bool lanes_affine(const void *a, bool a32, unsigned stride)
{
#if defined(__AVX512F__)
    if (!a32) {
        const u64 *q = a;
        const __m512i iota = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        const __m512i step = _mm512_mullo_epi64(iota, _mm512_set1_epi64((i64)stride));
        const __m512i eight = _mm512_set1_epi64(8 * (i64)stride);
        __m512i e = _mm512_add_epi64(step, _mm512_set1_epi64((i64)q[0]));
        __m512i off = _mm512_xor_si512(_mm512_load_si512(q), e);
        for (int k = 8; k < IR_LANES; k += 8) {
            e = _mm512_add_epi64(e, eight);
            off = _mm512_or_si512(off, _mm512_xor_si512(_mm512_load_si512(q + k), e));
        }
        return _mm512_test_epi64_mask(off, off) == 0;
    }
    return lanes_off_32(a, *(const u32 *)a, stride) == 0;
#else
    if (a32) {
        const u32 *p = a, first = *p;
        u32 off = 0;
        LANES
            off |= p[i] ^ (first + (u32)i * stride);
        return off == 0;
    }
    const u64 *p = a, first = *p;
    u64 off = 0;
    LANES
        off |= p[i] ^ (first + (u64)i * stride);
    return off == 0;
#endif
}

MEM_FN u32 lanes_off(const void *a, bool a32, u64 first, unsigned stride)
{
    return a32 ? lanes_off_32(a, (u32)first, stride) : lanes_off_64(a, first, stride);
}

MEM_FN u64 lane_address(const void *a, bool a32, unsigned lane)
{
    return a32 ? ((const u32 *)a)[lane] : ((const u64 *)a)[lane];
}

/* Bit i is set when lane i's offset is above `last` or its address, offset + base, is not a multiple of size. */
MEM_FN u32 lanes_bad_32(const u32 *a, u32 delta, u32 base, u32 last, u32 low)
{
    u32 bad = 0;
#if defined(__AVX512F__)
    for (int k = 0; k < IR_LANES; k += 16) {
        const __m512i x = _mm512_add_epi32(_mm512_load_si512(a + k), _mm512_set1_epi32((i32)delta));
        const __m512i y = _mm512_add_epi32(x, _mm512_set1_epi32((i32)base));
        bad |= ((u32)_mm512_cmpgt_epu32_mask(x, _mm512_set1_epi32((i32)last)) |
                (u32)_mm512_test_epi32_mask(y, _mm512_set1_epi32((i32)low)))
               << k;
    }
#elif defined(__AVX2__)
    const __m256i sign = _mm256_set1_epi32(INT32_MIN), end = _mm256_xor_si256(_mm256_set1_epi32((i32)last), sign);
    for (int k = 0; k < IR_LANES; k += 8) {
        const __m256i x =
            _mm256_add_epi32(_mm256_load_si256((const __m256i *)(const void *)(a + k)), _mm256_set1_epi32((i32)delta));
        const __m256i y =
            _mm256_and_si256(_mm256_add_epi32(x, _mm256_set1_epi32((i32)base)), _mm256_set1_epi32((i32)low));
        const __m256i above = _mm256_cmpgt_epi32(_mm256_xor_si256(x, sign), end);
        const __m256i good = _mm256_andnot_si256(above, _mm256_cmpeq_epi32(y, _mm256_setzero_si256()));
        bad |= (~(u32)_mm256_movemask_ps(_mm256_castsi256_ps(good)) & 0xff) << k;
    }
#else
    LANES
        bad |= (u32)((a[i] + delta > last) | (((a[i] + delta + base) & low) != 0)) << i;
#endif
    return bad;
}

MEM_FN u32 lanes_bad_64(const u64 *a, u64 delta, u64 base, u64 last, u64 low)
{
    u32 bad = 0;
#if defined(__AVX512F__)
    for (int k = 0; k < IR_LANES; k += 8) {
        const __m512i x = _mm512_add_epi64(_mm512_load_si512(a + k), _mm512_set1_epi64((i64)delta));
        const __m512i y = _mm512_add_epi64(x, _mm512_set1_epi64((i64)base));
        bad |= ((u32)_mm512_cmpgt_epu64_mask(x, _mm512_set1_epi64((i64)last)) |
                (u32)_mm512_test_epi64_mask(y, _mm512_set1_epi64((i64)low)))
               << k;
    }
#elif defined(__AVX2__)
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN), end = _mm256_xor_si256(_mm256_set1_epi64x((i64)last), sign);
    for (int k = 0; k < IR_LANES; k += 4) {
        const __m256i x =
            _mm256_add_epi64(_mm256_load_si256((const __m256i *)(const void *)(a + k)), _mm256_set1_epi64x((i64)delta));
        const __m256i y =
            _mm256_and_si256(_mm256_add_epi64(x, _mm256_set1_epi64x((i64)base)), _mm256_set1_epi64x((i64)low));
        const __m256i above = _mm256_cmpgt_epi64(_mm256_xor_si256(x, sign), end);
        const __m256i good = _mm256_andnot_si256(above, _mm256_cmpeq_epi64(y, _mm256_setzero_si256()));
        bad |= (~(u32)_mm256_movemask_pd(_mm256_castsi256_pd(good)) & 0xf) << k;
    }
#else
    LANES
        bad |= (u32)((a[i] + delta > last) | (((a[i] + delta + base) & low) != 0)) << i;
#endif
    return bad;
}

MEM_FN u32 lanes_bad(const void *a, bool a32, u64 delta, u64 base, u64 last, unsigned size)
{
    return a32 ? lanes_bad_32(a, (u32)delta, (u32)base, last > UINT32_MAX ? UINT32_MAX : (u32)last, size - 1)
               : lanes_bad_64(a, delta, base, last, size - 1);
}

/* ---- regions ---- */

struct region {
    u8 *host; /* of offset 0; lane i's is host + i * stride */
    u64 bytes;
    u64 delta;  /* address register + delta = offset */
    u64 stride; /* 0 but for local memory */
    u64 event;  /* address register + event = the address as events have it */
    u32 space;
};

MEM_FN struct region region_site(const struct ir_inst *pc, struct warp *w, u32 space)
{
    const struct site_cache *c = &w->sites[pc->site];
    return (struct region){.host = (u8 *)(uintptr_t)c->lo,
                           .bytes = c->hi - c->lo,
                           .delta = (u64)pc->imm - c->lo,
                           .event = (u64)pc->imm,
                           .space = space};
}

MEM_FN struct region region_shared(const struct ir_inst *pc, struct warp *w, u64 window)
{
    const u64 delta = (u64)pc->imm - window;
    return (struct region){
        .host = w->shared, .bytes = w->shared_bytes, .delta = delta, .event = delta, .space = SPACE_SHARED};
}

MEM_FN struct region region_local(const struct ir_inst *pc, struct warp *w, u64 window)
{
    const u64 delta = (u64)pc->imm - window;
    return (struct region){.host = w->local,
                           .bytes = w->local_bytes,
                           .delta = delta,
                           .event = delta,
                           .stride = w->local_bytes,
                           .space = SPACE_LOCAL};
}

/* The region that an access of which one address register is `first` most probably means; fixed: it has none. */
MEM_FN struct region region_of(const struct ir_inst *pc, struct warp *w, u32 space, u64 first, bool fixed)
{
    if (space == SPACE_SHARED)
        return region_shared(pc, w, fixed ? 0 : w->shared_at);
    if (space == SPACE_LOCAL)
        return region_local(pc, w, 0);
    if (space == SPACE_NONE) {
        const u64 address = first + (u64)pc->imm;
        if (address - w->shared_window < MEM_WINDOW_BYTES)
            return region_shared(pc, w, w->shared_window);
        if (address - w->local_window < MEM_WINDOW_BYTES)
            return region_local(pc, w, w->local_window);
        return region_site(pc, w, SPACE_GLOBAL);
    }
    return region_site(pc, w, space);
}

/* For alignment: what to add to an offset. Shared and local memory are aligned, whatever their host address is. */
MEM_FN u64 region_base(const struct region *r)
{
    return r->space == SPACE_SHARED || r->space == SPACE_LOCAL ? 0 : (u64)(uintptr_t)r->host;
}

MEM_FN bool region_holds(const struct region *r, u64 x, u64 n, unsigned size)
{
    return x < r->bytes && r->bytes - x >= n && ((x + region_base(r)) & (size - 1)) == 0;
}

/* ---- events ---- */

MEM_FN u8 mem_type(u32 op)
{
    switch (MEM_ESIZE(op)) {
    case 1:
        return op & MEM_SEXT ? PTX_S8 : PTX_B8;
    case 2:
        return op & MEM_SEXT ? PTX_S16 : PTX_B16;
    case 4:
        return op & MEM_SEXT ? PTX_S32 : PTX_B32;
    case 8:
        return PTX_B64;
    default:
        return PTX_B128;
    }
}

/* Whether accesses are to be announced: to an instrument, or to the clock of a timed launch. */
MEM_FN bool access_is_heard(const struct warp *w) { return w->clock || (w->hooks && w->hooks->access); }

MEM_FN void announce(struct warp *w, const struct exec_access *e)
{
    CALL_OUT();
    if (w->clock)
        clock_access(w, e);
    if (w->hooks && w->hooks->access)
        w->hooks->access(w->hook_ctx, e);
}

/* The event of a ld or st whose addresses are the address register + event. */
MEM_FN void tell_regs(const struct ir_inst *pc, const u8 *regs, struct warp *w, u32 op, u32 space, u32 pattern,
                      u64 event)
{
    u64 addr[IR_LANES] __attribute__((aligned(64)));
    const void *a = regs + pc->a;
    if (!access_is_heard(w))
        return;
    struct exec_access e = {.func = w->func,
                            .site = pc->site,
                            .mask = w->mask,
                            .space = (u8)space,
                            .op = op & MEM_STORE ? ACCESS_ST : ACCESS_LD,
                            .size = (u8)MEM_SIZE(op),
                            .pattern = (u8)pattern,
                            .type = mem_type(op),
                            .generic = MEM_SPACE(op) == SPACE_NONE,
                            .warp = w->index,
                            .block = w->info,
                            .pc = pc,
                            .regs = regs,
                            .addr = addr};
    if (pc->aux & IR_ADDR_CONST) {
        LANES
            addr[i] = event;
    } else if (pc->aux & IR_ADDR32) {
        const u32 *p = a;
        LANES
            addr[i] = (u32)(p[i] + (u32)event);
    } else if (event == 0) {
        e.addr = a;
    } else {
        const u64 *p = a;
        LANES
            addr[i] = p[i] + event;
    }
    announce(w, &e);
}

MEM_SLOW void trace_regs(const struct ir_inst *pc, const u8 *regs, struct warp *w, u32 op, u32 space, u32 pattern,
                         u64 event)
{
    tell_regs(pc, regs, w, op, space, pattern, event);
}

/* Whether the access is one that is counted and not told (struct exec_site_count). */
MEM_FN bool only_counted(const struct ir_inst *pc, const struct warp *w, u32 op, u32 space, enum exec_plain shape)
{
    if (!w->counts.sites || (MEM_SPACE(op) == SPACE_NONE && space != SPACE_GLOBAL))
        return false;
    u64 *n = &w->counts.sites[pc->site].n[shape];
    if (!*n)
        return false;
    ++*n;
    return true;
}

MEM_FN bool row_is_counted(const struct ir_inst *pc, const struct warp *w, u32 op, const struct region *r, u64 x)
{
    const u64 first = x + region_base(r);
    return only_counted(pc, w, op, r->space, first % 32 ? PLAIN_ROW_OFF : PLAIN_ROW);
}

/* An access of region r is counted or told: contiguous, the first lane at offset x; or any. */
MEM_FN void trace_row(const struct ir_inst *pc, const u8 *regs, struct warp *w, u32 op, const struct region *r, u64 x)
{
    if (!row_is_counted(pc, w, op, r, x))
        trace_regs(pc, regs, w, op, r->space, PATTERN_CONTIGUOUS, r->event);
}

MEM_FN void trace_any(const struct ir_inst *pc, const u8 *regs, struct warp *w, u32 op, const struct region *r,
                      bool uniform)
{
    if (!uniform)
        trace_regs(pc, regs, w, op, r->space, PATTERN_GATHER, r->event);
    else if (!only_counted(pc, w, op, r->space, w->mask == FULL_MASK ? PLAIN_SAME : PLAIN_SAME_SOME))
        trace_regs(pc, regs, w, op, r->space, PATTERN_UNIFORM, r->event);
}

#ifdef LS_TRACED
#define TRACE_ROW(x) trace_row(pc, regs, w, op, &r, x)
#define TRACE_ANY(uniform) trace_any(pc, regs, w, op, &r, uniform)
#else
#define TRACE_ROW(x) ((void)0)
#define TRACE_ANY(uniform) ((void)0)
#endif

/* What a resolved access is, for its event and its fault. */
struct access {
    u32 op, mask, size;
    u8 atom_op, type; /* atomics: enum ptx_mod, enum ptx_type */
    const u32 *bytes; /* cp.async: what each lane reads of `size`, or NULL */
    bool async;
    const u8 *regs; /* where the data is, or NULL */
};

MEM_FN struct exec_access lanes_event(const struct ir_inst *pc, const struct warp *w, const struct access *x, u32 space,
                                      u32 mask, const u64 *addr)
{
    const u32 op = x->op;
    return (struct exec_access){.func = w->func,
                                .site = pc->site,
                                .mask = mask,
                                .space = (u8)space,
                                .op = op & MEM_ATOMIC  ? (op & MEM_NO_RESULT ? ACCESS_RED : ACCESS_ATOM)
                                      : op & MEM_STORE ? ACCESS_ST
                                                       : ACCESS_LD,
                                .size = (u8)x->size,
                                .pattern = PATTERN_GATHER,
                                .atom_op = x->atom_op,
                                .type = x->type,
                                .generic = MEM_SPACE(op) == SPACE_NONE,
                                .warp = w->index,
                                .async = x->async,
                                .bytes = x->bytes,
                                .block = w->info,
                                .pc = pc,
                                .regs = x->regs,
                                .addr = addr};
}

MEM_FN void trace_lanes(const struct ir_inst *pc, struct warp *w, const struct access *x, u32 space, u32 mask,
                        const u64 *addr)
{
#ifdef LS_TRACED
    if (!mask || !access_is_heard(w))
        return;
    const struct exec_access e = lanes_event(pc, w, x, space, mask, addr);
    announce(w, &e);
#else
    (void)pc, (void)w, (void)x, (void)space, (void)mask, (void)addr;
#endif
}

/* The lanes that look into other blocks of the cluster. */
MEM_FN void trace_far(const struct ir_inst *pc, struct warp *w, const struct access *x, u32 mask, const u64 *addr)
{
#ifdef LS_TRACED
    if (!mask)
        return;
    const struct exec_access e = lanes_event(pc, w, x, SPACE_SHARED, mask, addr);
    CALL_OUT();
    cluster_tell(w, &e);
#else
    (void)pc, (void)w, (void)x, (void)mask, (void)addr;
#endif
}

/* ---- the slow path: every lane on its own ---- */

/* The effective addresses of operand a. Those that are constants count from the block's own shared memory. */
MEM_FN void read_addresses(const struct ir_inst *pc, const u8 *regs, const struct warp *w, u32 space, u64 *addr)
{
    const u64 imm = (u64)pc->imm;
    if (pc->aux & IR_ADDR_CONST) {
        const u64 at = imm + (space == SPACE_SHARED ? w->shared_at : 0);
        LANES
            addr[i] = at;
    } else if (pc->aux & IR_ADDR32) {
        const u32 *a = (const u32 *)(const void *)(regs + pc->a);
        LANES
            addr[i] = (u32)(a[i] + (u32)imm);
    } else {
        const u64 *a = (const u64 *)(const void *)(regs + pc->a);
        LANES
            addr[i] = a[i] + imm;
    }
}

/* The lanes whose generic address means shared and local memory. */
MEM_FN void sort_lanes(const struct warp *w, u32 space, u32 mask, const u64 *addr, u32 *shared, u32 *local)
{
    *shared = space == SPACE_SHARED ? mask : 0;
    *local = space == SPACE_LOCAL ? mask : 0;
    if (space != SPACE_NONE)
        return;
    for (u32 m = mask; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        if (warp_in_shared(w, addr[i]))
            *shared |= 1u << i;
        else if (addr[i] - w->local_window < MEM_WINDOW_BYTES)
            *local |= 1u << i;
    }
}

/* Constant accesses reach .const variables and the blocks of kernel parameters (MEM_INTERNAL), nothing else.
 *
 * The allocation around address, from the site's cache or the table. What is freed while kernels run (the heap) is
 * never cached, so that a use after free is always seen. */
MEM_FN bool find_block(const struct ir_inst *pc, struct warp *w, u32 op, u64 address, u64 size)
{
    struct site_cache *c = &w->sites[pc->site];
    u64 lo, hi;
    enum mem_kind kind;
    if (address - c->lo < c->hi - c->lo)
        return c->hi - address >= size;
    CALL_OUT();
    if (!mem_range(w->mem, address, &lo, &hi, &kind) || hi - address < size)
        return false;
    if (op & (MEM_STORE | MEM_ATOMIC) && mem_read_only(kind))
        return false;
    if (MEM_SPACE(op) == SPACE_CONST && kind != MEM_CONST && kind != MEM_INTERNAL)
        return false;
    if (kind != MEM_HEAP)
        *c = (struct site_cache){lo, hi, !mem_read_only(kind)};
    return true;
}

/* Turns 32 addresses into host pointers, checks every active lane and reports the access; false after a fault that ends
 * the kernel. A lane whose fault does not has zeros of its own for memory, and no part in the event. On return addr
 * holds offsets for lanes of the shared and local windows. */
MEM_SLOW bool resolve(const struct ir_inst *pc, struct warp *w, const struct access *x, u64 *addr, u8 **ptr)
{
    const u32 space = MEM_SPACE(x->op), far = space == SPACE_NONE ? SPACE_GLOBAL : space;
    u32 shared, local, good = x->mask, others = 0;
#ifndef LS_WEAK
    /* an access of global memory that has no weak form: in order after everything the warp did */
    if (LS_UNLIKELY(w->weak != NULL) && far == SPACE_GLOBAL) {
        CALL_OUT();
        weak_fence(w);
    }
#endif
    sort_lanes(w, space, x->mask, addr, &shared, &local);
    const u64 own = space == SPACE_NONE ? w->shared_window : w->shared_at,
              low = space == SPACE_NONE ? w->local_window : 0;
    if (space == SPACE_NONE || space == SPACE_SHARED) {
        LANES
            addr[i] -= ACTIVE(shared, i) ? own : ACTIVE(local, i) ? low : 0;
    }
    for (u32 m = x->mask; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        const u64 at = addr[i], size = x->bytes ? x->bytes[i] : x->size;
        const bool is_shared = ACTIVE(shared, i), is_local = ACTIVE(local, i);
        const u64 bytes = is_shared ? w->shared_bytes : w->local_bytes;
        const bool aligned = (at & (x->size - 1)) == 0;
        const bool inside =
            is_shared || is_local ? at < bytes && bytes - at >= size : aligned && find_block(pc, w, x->op, at, size);
        if (!aligned || !inside) {
            CALL_OUT();
            if (aligned && is_shared && at >= CLUSTER_STRIDE && (ptr[i] = cluster_memory(w, at, size)) != NULL) {
                good &= ~(1u << i);
                others |= 1u << i;
                continue;
            }
            if (aligned && !is_shared && !is_local &&
                warp_forgive(w, pc, i, at, size, (u8)far, x->op & (MEM_STORE | MEM_ATOMIC), x->op & MEM_ATOMIC)) {
                ptr[i] = (u8 *)(uintptr_t)at;
                continue;
            }
            ptr[i] = warp_excuse(w, pc, aligned ? FAULT_ILLEGAL_ADDRESS : FAULT_MISALIGNED, i, at, size,
                                 (u8)(is_shared  ? SPACE_SHARED
                                      : is_local ? SPACE_LOCAL
                                                 : far),
                                 x->op & (MEM_STORE | MEM_ATOMIC), x->op & MEM_ATOMIC);
            if (!ptr[i])
                return false;
            good &= ~(1u << i);
            continue;
        }
        ptr[i] = is_shared ? w->shared + at : is_local ? w->local + i * w->local_bytes + at : (u8 *)(uintptr_t)at;
    }
    trace_lanes(pc, w, x, SPACE_SHARED, shared & good, addr);
    trace_lanes(pc, w, x, SPACE_LOCAL, local & good, addr);
    trace_lanes(pc, w, x, far, good & ~(shared | local), addr);
    trace_far(pc, w, x, others, addr);
    return true;
}

/* What resolve does, all lanes at once, where they are all inside the block's shared memory or the allocation that the
 * instruction met last; else nothing. */
MEM_FN bool resolve_whole(const struct ir_inst *pc, struct warp *w, const struct access *x, u64 *addr, u8 **ptr)
{
    const u32 space = MEM_SPACE(x->op);
    u64 low = w->shared_at, bytes = w->shared_bytes;
    u8 *host = w->shared;
    bool shared = true;
    if (space == SPACE_NONE && addr[0] - w->shared_window < MEM_WINDOW_BYTES) {
        low = w->shared_window;
    } else if (space == SPACE_NONE || space == SPACE_GLOBAL) {
        const struct site_cache *c = &w->sites[pc->site];
        low = c->lo;
        bytes = c->hi - c->lo;
        host = (u8 *)(uintptr_t)low;
        shared = false;
    } else if (space != SPACE_SHARED) {
        return false;
    }
    if (w->weak || bytes < x->size ||
        (lanes_bad_64(addr, 0 - low, shared ? 0 : low, bytes - x->size, x->size - 1) & x->mask))
        return false;
    LANES /* lanes that are not active may have any address */
        ptr[i] = (u8 *)((uintptr_t)host + (uintptr_t)(addr[i] - low));
    if (shared) {
        LANES
            addr[i] -= low;
    }
    trace_lanes(pc, w, x, shared ? SPACE_SHARED : SPACE_GLOBAL, x->mask, addr);
    return true;
}

/* Either way. */
MEM_FN bool resolve_lanes(const struct ir_inst *pc, struct warp *w, const struct access *x, u64 *addr, u8 **ptr)
{
    return resolve_whole(pc, w, x, addr, ptr) || resolve(pc, w, x, addr, ptr);
}

#endif
