/* What the engine tells of barriers, warp-wide operations, exits, fences, copies and mbarriers, in fast code and in
 * traced code; what accesses that no counter knows of look like; the values of accesses; and where shared variables
 * lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"

enum { MOST = 64 };

/* Everything that one worker heard, in order. */
struct heard {
    u32 nreleases, nsyncs, nexits, norders, nheap, naccesses;
    u32 releases[MOST][4]; /* id, lanes of warps 0, 1, 2 */
    struct exec_warp_sync syncs[MOST];
    u32 exits[MOST][2]; /* warp, mask */
    struct exec_order orders[MOST];
    u64 order_at[MOST]; /* the first lane's */
    struct exec_heap heap[MOST];
    struct exec_access accesses[MOST];
    u64 address[MOST];  /* the first lane's */
    u8 value[MOST][32]; /* the last lane's */
    u32 value_bytes[MOST];
    bool launch_is_known;
    u32 values[MOST], nmatches;
};

static void *begin(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}

static void block(void *ctx, const struct exec_block_info *b)
{
    struct heard *h = ctx;
    h->launch_is_known = b->launch && b->launch->block[0] == b->threads && b->shared;
}

static void release(void *ctx, const struct exec_block_info *b, u32 id, const u32 *lanes)
{
    struct heard *h = ctx;
    u32 *r = h->releases[h->nreleases++ % MOST];
    r[0] = id;
    for (u32 k = 0; k < b->warps && k < 3; k++)
        r[1 + k] = lanes[k];
}

static void warp_sync(void *ctx, const struct exec_warp_sync *s)
{
    struct heard *h = ctx;
    h->syncs[h->nsyncs++ % MOST] = *s;
}

static void leave(void *ctx, const struct exec_block_info *b, u32 warp, u32 mask)
{
    struct heard *h = ctx;
    (void)b;
    h->exits[h->nexits][0] = warp;
    h->exits[h->nexits++ % MOST][1] = mask;
}

static void order(void *ctx, const struct exec_order *o)
{
    struct heard *h = ctx;
    h->order_at[h->norders] = o->addr ? o->addr[__builtin_ctz(o->mask)] : UINT64_MAX;
    h->orders[h->norders++ % MOST] = *o;
}

static void heap(void *ctx, const struct exec_heap *x)
{
    struct heard *h = ctx;
    h->heap[h->nheap++ % MOST] = *x;
}

static void match(void *ctx, const struct ir_func *func, u32 site, u32 values)
{
    struct heard *h = ctx;
    assert_int_equal(func->src->insts[site].op, OP_MATCH);
    h->values[h->nmatches++ % MOST] = values;
}

static void see(void *ctx, const struct exec_access *a)
{
    struct heard *h = ctx;
    const u32 k = h->naccesses++ % MOST;
    h->accesses[k] = *a;
    h->address[k] = a->addr[__builtin_ctz(a->mask)];
    h->value_bytes[k] = exec_access_value(a, 31 - (unsigned)__builtin_clz(a->mask), h->value[k]);
}

static void open_kernel(struct bench *b, const char *outer, const char *body)
{
    char text[6144];
    snprintf(text, sizeof text,
             ".version 8.5\n.target sm_90\n.address_size 64\n%s\n"
             ".visible .entry k(.param .u64 p, .param .u64 out)\n{\n"
             "    .reg .pred %%p<4>;\n    .reg .b16 %%h<4>;\n    .reg .b32 %%r<16>;\n    .reg .b64 %%q<16>;\n"
             "    .reg .b128 %%w<4>;\n"
             "    .shared .align 16 .b8 s[1024];\n    .shared .align 8 .b64 mb;\n"
             "    ld.param.u64 %%q1, [p];\n    ld.param.u64 %%q2, [out];\n"
             "    mov.u32 %%r1, %%tid.x;\n    mul.wide.u32 %%q3, %%r1, 16;\n"
             "    add.u64 %%q4, %%q1, %%q3;\n    mov.u32 %%r2, s;\n    shl.b32 %%r3, %%r1, 4;\n"
             "    add.u32 %%r3, %%r2, %%r3;\n    cvt.u64.u32 %%q5, %%r1;\n"
             "%s\n    ret;\n}\n",
             outer, body);
    bench_open(b, text);
}

/* Runs a kernel with `threads`; p points to 1024 bytes 0, 1, 2, ... */
static void run(struct heard *h, const char *outer, const char *body, u32 threads, bool traced)
{
    struct bench b;
    const struct exec_hooks hooks = {.launch = h,
                                     .worker_begin = begin,
                                     .block_begin = block,
                                     .release = release,
                                     .warp_sync = warp_sync,
                                     .match = match,
                                     .exit = leave,
                                     .order = order,
                                     .heap = heap,
                                     .access = traced ? see : NULL};
    memset(h, 0, sizeof *h);
    open_kernel(&b, outer, body);
    u8 *p = bench_alloc(&b, 1024);
    for (u32 i = 0; i < 1024; i++)
        p[i] = (u8)i;
    bench_run_ok(&b, &(struct run){.kernel = "k",
                                   .grid = 1,
                                   .block = threads,
                                   .params = {(u64)(uintptr_t)p, (u64)(uintptr_t)bench_alloc(&b, 1024)},
                                   .workers = 1,
                                   .hooks = &hooks});
    assert_true(h->launch_is_known);
    bench_close(&b);
}

/* ---- barriers and exits ---- */

static void a_barrier_is_released_with_its_lanes(void **state)
{
    struct heard h;
    (void)state;
    for (int traced = 0; traced < 2; traced++) {
        run(&h, "",
            "setp.eq.u32 %p1, %r1, 3; @%p1 exit; bar.sync 0;\n"
            "setp.ge.u32 %p2, %r1, 32; @%p2 bra B; bar.sync 5, 32;\nB:",
            48, traced);
        assert_int_equal(h.nreleases, 2);
        const u32 all[4] = {0, ~8u, 0xffff}, some[4] = {5, ~8u, 0};
        assert_memory_equal(h.releases[0], all, 12);
        assert_memory_equal(h.releases[1], some, 12);
    }
}

static void exits(void **state)
{
    struct heard h;
    (void)state;
    for (int traced = 0; traced < 2; traced++) {
        u32 left[2] = {0};
        run(&h, "", "setp.lt.u32 %p1, %r1, 5; @%p1 exit; bar.warp.sync -1;", 48, traced);
        for (u32 k = 0; k < h.nexits; k++) {
            assert_int_equal(left[h.exits[k][0]] & h.exits[k][1], 0);
            left[h.exits[k][0]] |= h.exits[k][1];
        }
        assert_int_equal(left[0], UINT32_MAX);
        assert_int_equal(left[1], 0xffff);
        assert_int_equal(h.exits[0][1], 0x1f);
    }
}

/* ---- warp-wide operations ---- */

/* Of the lanes that take part; match.all is not told. */
static void matches_tell_how_many_values_there_are(void **state)
{
    struct heard h;
    (void)state;
    for (int traced = 0; traced < 2; traced++) {
        run(&h, "",
            "and.b32 %r4, %r1, 4; match.any.sync.b32 %r5, %r4, -1; match.any.sync.b32 %r5, %r1, -1;\n"
            "mov.u64 %q6, 7; match.any.sync.b64 %r5, %q6, -1; match.all.sync.b32 %r5, %r1, -1;\n"
            "setp.ge.u32 %p1, %r1, 3; @%p1 exit; match.any.sync.b32 %r5, %r1, 7;",
            32, traced);
        const u32 values[] = {2, 32, 1, 3};
        assert_int_equal(h.nmatches, LS_ARRAY_LEN(values));
        assert_memory_equal(h.values, values, sizeof values);
    }
}

struct group {
    const char *body;
    u32 n;
    u32 lanes, members, reads, exited; /* of the first */
    bool orders;
};

static const struct group groups[] = {
    {"bar.warp.sync -1;", 1, UINT32_MAX, UINT32_MAX, 0, 0, true},
    {"vote.sync.any.pred %p1, %p1, -1;", 1, UINT32_MAX, UINT32_MAX, 0, 0, false},
    {"shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;", 0, 0, 0, 0, 0, false}, /* whole warps that name themselves whole */
    {"setp.ge.u32 %p1, %r1, 4; @%p1 exit; bar.warp.sync 15;", 1, 15, 15, 0, ~15u, true},
    {"setp.ge.u32 %p1, %r1, 4; @%p1 exit; bar.warp.sync -1;", 1, 15, UINT32_MAX, 0, ~15u, true},
    /* lanes 0 and 1 read 1 and 2, and so on: lane 3 reads one that is not there */
    {"setp.ge.u32 %p1, %r1, 4; @%p1 exit; shfl.sync.down.b32 %r4, %r1, 1, 31, 15;", 1, 15, 15, 0x1e, ~15u, false},
    {"setp.ge.u32 %p1, %r1, 4; @%p1 exit; shfl.sync.idx.b32 %r4, %r1, 9, 31, 15;", 1, 15, 15, 0x200, ~15u, false},
    /* at two places */
    {"setp.ge.u32 %p1, %r1, 4; @%p1 bra B; bar.warp.sync -1; bra C;\nB: bar.warp.sync -1;\nC:", 1, UINT32_MAX,
     UINT32_MAX, 0, 0, true},
    /* threads outside their own mask */
    {"bar.warp.sync 3;", 1, UINT32_MAX, 3, 0, 0, true},
    {"vote.sync.any.pred %p1, %p1, 3;", 1, UINT32_MAX, 3, 0, 0, false},
    /* tiles of eight */
    {"shr.u32 %r4, %r1, 3; shl.b32 %r4, %r4, 3; mov.u32 %r5, 255; shl.b32 %r5, %r5, %r4; bar.warp.sync %r5;", 4, 255,
     255, 0, 0, true},
};

static void warp_wide_operations(void **state)
{
    (void)state;
    for (u32 k = 0; k < 2 * LS_ARRAY_LEN(groups); k++) {
        const struct group *g = &groups[k / 2];
        struct heard h;
        run(&h, "", g->body, 32, k & 1);
        if (h.nsyncs != g->n)
            fail_msg("%s: %u events", g->body, h.nsyncs);
        const struct exec_warp_sync *s = &h.syncs[0];
        if (g->n && (s->lanes != g->lanes || s->members != g->members || s->reads != g->reads ||
                     s->exited != g->exited || s->orders != g->orders))
            fail_msg("%s: lanes %x members %x reads %x exited %x", g->body, s->lanes, s->members, s->reads, s->exited);
    }
}

/* ---- order ---- */

struct ordering {
    const char *body;
    u32 n;
    struct {
        u8 op, scope;
        bool bulk;
        u32 value, mask;
        u64 at; /* UINT64_MAX: no addresses */
    } events[6];
};

#define NOWHERE UINT64_MAX
#define ALL UINT32_MAX
static const struct ordering orderings[] = {
    {"membar.cta; membar.gl; membar.sys;",
     3,
     {{EXEC_FENCE, EXEC_SCOPE_BLOCK, false, 0, ALL, NOWHERE},
      {EXEC_FENCE, EXEC_SCOPE_GPU, false, 0, ALL, NOWHERE},
      {EXEC_FENCE, EXEC_SCOPE_SYSTEM, false, 0, ALL, NOWHERE}}},
    {"setp.lt.u32 %p1, %r1, 8; @%p1 fence.acq_rel.gpu; fence.sc.cta; fence.acq_rel.cluster; fence.proxy.async;",
     4,
     {{EXEC_FENCE, EXEC_SCOPE_GPU, false, 0, 255, NOWHERE},
      {EXEC_FENCE, EXEC_SCOPE_BLOCK, false, 0, ALL, NOWHERE},
      {EXEC_FENCE, EXEC_SCOPE_CLUSTER, false, 0, ALL, NOWHERE},
      {EXEC_FENCE, EXEC_SCOPE_SYSTEM, false, 0, ALL, NOWHERE}}},
    {"cp.async.ca.shared.global [%r3], [%q4], 16; cp.async.commit_group; cp.async.wait_group 1; cp.async.wait_all;",
     3,
     {{EXEC_COPY_COMMIT, 0, false, 0, ALL, NOWHERE},
      {EXEC_COPY_WAIT, 0, false, 1, ALL, NOWHERE},
      {EXEC_COPY_WAIT, 0, false, UINT32_MAX, ALL, NOWHERE}}},
    {"cp.async.bulk.global.shared::cta.bulk_group [%q4], [%r3], 16; cp.async.bulk.commit_group;\n"
     "cp.async.bulk.wait_group 0;",
     2,
     {{EXEC_COPY_COMMIT, 0, true, 0, ALL, NOWHERE}, {EXEC_COPY_WAIT, 0, true, 0, ALL, NOWHERE}}},
    {"setp.ne.u32 %p1, %r1, 0; @%p1 exit; mbarrier.init.shared.b64 [mb], 2;\n"
     "mbarrier.test_wait.parity.shared.b64 %p2, [mb], 0; mbarrier.arrive.expect_tx.shared.b64 _, [mb], 32;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%q1], 32, [mb];\n"
     "cp.async.mbarrier.arrive.noinc.shared.b64 [mb]; mbarrier.test_wait.parity.shared.b64 %p2, [mb], 0;\n"
     "mbarrier.inval.shared.b64 [mb];",
     6,
     {{EXEC_MBARRIER_INIT, 0, false, 0, 1, 1024},
      {EXEC_MBARRIER_ARRIVE, 0, false, 0, 1, 1024},
      {EXEC_MBARRIER_ARRIVE, 0, true, 0, 1, 1024},
      {EXEC_MBARRIER_COPIES, 0, false, 0, 1, 1024},
      {EXEC_MBARRIER_WAIT, 0, false, 0, 1, 1024},
      {EXEC_MBARRIER_INVAL, 0, false, 0, 1, 1024}}},
};

static void what_orders(void **state)
{
    (void)state;
    for (u32 k = 0; k < 2 * LS_ARRAY_LEN(orderings); k++) {
        const struct ordering *x = &orderings[k / 2];
        struct heard h;
        run(&h, "", x->body, 32, k & 1);
        if (h.norders != x->n)
            fail_msg("%s: %u events", x->body, h.norders);
        for (u32 i = 0; i < x->n; i++) {
            const struct exec_order *o = &h.orders[i];
            if (o->op != x->events[i].op || o->scope != x->events[i].scope || o->bulk != x->events[i].bulk ||
                o->value != x->events[i].value || o->mask != x->events[i].mask || h.order_at[i] != x->events[i].at)
                fail_msg("%s: event %u: op %u scope %u value %u mask %x at %llu", x->body, i, o->op, o->scope, o->value,
                         o->mask, (unsigned long long)h.order_at[i]);
        }
    }
}

/* ---- accesses ---- */

/* The last memory instruction of the body: its value in lane 31, in bytes as in memory. */
struct value {
    const char *body;
    u8 op, space;
    u32 bytes;
    u8 value[32];
};

#define L31 31, 0, 0, 0
static const struct value values[] = {
    {"mov.u32 %r4, 0x12345678; st.global.u8 [%q4], %r4;", ACCESS_ST, SPACE_GLOBAL, 1, {0x78}},
    {"mov.u16 %h1, 0x5678; st.shared.u16 [%r3], %h1;", ACCESS_ST, SPACE_SHARED, 2, {0x78, 0x56}},
    {"st.global.u32 [%q4], %r1;", ACCESS_ST, SPACE_GLOBAL, 4, {L31}},
    {"st.u32 [%q4], %r1;", ACCESS_ST, SPACE_GLOBAL, 4, {L31}},
    {"st.volatile.global.u64 [%q4], %q5;", ACCESS_ST, SPACE_GLOBAL, 8, {L31}},
    {"st.global.v2.u32 [%q4], {%r1, 7};", ACCESS_ST, SPACE_GLOBAL, 8, {L31, 7}},
    {"st.shared.v4.u32 [%r3], {7, %r1, 8, 9};", ACCESS_ST, SPACE_SHARED, 16, {7, 0, 0, 0, L31, 8, 0, 0, 0, 9}},
    {"st.global.v2.u64 [%q4], {%q5, 9};", ACCESS_ST, SPACE_GLOBAL, 16, {L31, 0, 0, 0, 0, 9}},
    {"mov.b128 %w1, {9, %q5}; st.global.b128 [%q4], %w1;", ACCESS_ST, SPACE_GLOBAL, 16, {9, 0, 0, 0, 0, 0, 0, 0, L31}},
    {"st.global.v4.u8 [%q4], {%r1, 1, 2, 3};", ACCESS_ST, SPACE_GLOBAL, 4, {31, 1, 2, 3}},
    {".local .align 8 .b64 l; st.local.u32 [l + 4], %r1;", ACCESS_ST, SPACE_LOCAL, 4, {L31}},
    {"atom.global.add.u32 %r4, [%q4], %r1;", ACCESS_ATOM, SPACE_GLOBAL, 4, {L31}},
    {"atom.global.cas.b64 %q6, [%q4], 0, %q5;", ACCESS_ATOM, SPACE_GLOBAL, 8, {L31}},
    {"atom.shared.exch.b32 %r4, [%r3], %r1;", ACCESS_ATOM, SPACE_SHARED, 4, {L31}},
    {"red.global.add.u64 [%q4], %q5;", ACCESS_RED, SPACE_GLOBAL, 8, {L31}},
    {"red.shared.add.u32 [%r3], %r1;", ACCESS_RED, SPACE_SHARED, 4, {L31}},
    {"mov.b128 %w1, {9, %q5}; atom.global.exch.b128 %w2, [%q4], %w1;",
     ACCESS_ATOM,
     SPACE_GLOBAL,
     16,
     {9, 0, 0, 0, 0, 0, 0, 0, L31}},
    /* p[496 ...] is 0xf0, 0xf1, ... */
    {"ld.global.u16 %h1, [%q4];", ACCESS_LD, SPACE_GLOBAL, 2, {0xf0, 0xf1}},
    {"ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%q4];",
     ACCESS_LD,
     SPACE_GLOBAL,
     16,
     {0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff}},
    {"st.shared.u32 [%r3], %r1; ld.shared.u32 %r4, [%r3];", ACCESS_LD, SPACE_SHARED, 4, {L31}},
    {".local .align 8 .b64 l; st.local.u64 [l], %q5; ld.local.u32 %r4, [l];", ACCESS_LD, SPACE_LOCAL, 4, {L31}},
};

static void values_of_accesses(void **state)
{
    (void)state;
    for (u32 k = 0; k < LS_ARRAY_LEN(values); k++) {
        const struct value *v = &values[k];
        struct heard h;
        run(&h, "", v->body, 32, true);
        const u32 last = h.naccesses - 1;
        const struct exec_access *a = &h.accesses[last];
        if (!h.naccesses || a->op != v->op || a->space != v->space || a->size != v->bytes || a->async || a->uncounted)
            fail_msg("%s: op %u space %u size %u", v->body, a->op, a->space, a->size);
        if (h.value_bytes[last] != v->bytes || memcmp(h.value[last], v->value, v->bytes))
            fail_msg("%s: %u bytes, %02x %02x %02x %02x", v->body, h.value_bytes[last], h.value[last][0],
                     h.value[last][1], h.value[last][2], h.value[last][3]);
    }
}

/* Copies are asynchronous; bulk ones come in pieces of one lane and are no counter's. */
static void copies(void **state)
{
    struct heard h;
    (void)state;
    run(&h, "",
        "setp.ge.u32 %p1, %r1, 16; selp.u32 %r4, 4, 16, %p1;\n"
        "cp.async.ca.shared.global [%r3], [%q4], 16, %r4;",
        32, true);
    assert_int_equal(h.naccesses, 2);
    assert_true(h.accesses[0].async && h.accesses[1].async && !h.accesses[0].uncounted);
    assert_int_equal(h.value_bytes[0], 4);
    assert_int_equal(h.value[0][0], 0xf0);
    assert_int_equal(h.value_bytes[1], 0);
    assert_null(h.accesses[1].bytes);
    run(&h, "",
        "setp.ne.u32 %p1, %r1, 3; @%p1 exit;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%q4], [%r3], 48;",
        32, true);
    assert_int_equal(h.naccesses, 6);
    for (u32 k = 0; k < 6; k++) {
        const struct exec_access *a = &h.accesses[k];
        assert_int_equal(a->mask, 8);
        assert_int_equal(a->size, 16);
        assert_true(a->async && a->uncounted);
        assert_int_equal(a->op, k >= 3 ? ACCESS_ST : ACCESS_LD);
        assert_int_equal(a->space, k >= 3 ? SPACE_GLOBAL : SPACE_SHARED);
        assert_int_equal(h.address[k] % 48, (h.address[k / 3 * 3] + 16 * (k % 3)) % 48);
    }
}

static void built_in_functions(void **state)
{
    static const char outer[] = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
                                ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                                ".global .align 1 .b8 text[4] = {37, 100, 10, 0};\n";
    struct heard h;
    (void)state;
    run(&h, outer,
        ".local .align 8 .b64 l; st.local.u32 [l], %r1; mov.u64 %q6, l; cvta.local.u64 %q6, %q6;\n"
        "mov.u64 %q7, text; cvta.global.u64 %q7, %q7;\n"
        "{ .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %q7; st.param.b64 [v], %q6;\n"
        "call (r), vprintf, (f, v); }",
        1, true);
    bool read = false;
    for (u32 k = 0; k < h.naccesses; k++)
        if (h.accesses[k].uncounted && h.accesses[k].space == SPACE_LOCAL)
            read |= h.accesses[k].op == ACCESS_LD && h.address[k] == 0 && !h.accesses[k].async;
    assert_true(read);
    for (int traced = 0; traced < 2; traced++) {
        run(&h, outer, "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 40; call (r), malloc, (n); }", 3, traced);
        assert_int_equal(h.nheap, 3);
        assert_int_equal(h.heap[2].lane, 2);
        assert_int_equal(h.heap[2].size, 40);
        assert_int_not_equal(h.heap[2].address, 0);
        run(&h, outer, "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 4000000000; call (r), malloc, (n); }", 1,
            traced);
        assert_int_equal(h.heap[0].address, 0);
    }
}

/* ---- shared variables ---- */

static const char shared_text[] =
    ".version 8.5\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 dyn[];\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    "    .reg .b32 %r<8>;\n    .reg .b64 %q<4>;\n"
    "    .shared .align 4 .b8 first[10];\n    .shared .align 16 .b8 tile[1024];\n"
    "    ld.param.u64 %q1, [out];\n    mov.u32 %r1, first;\n    mov.u32 %r2, tile;\n    mov.u32 %r3, dyn;\n"
    "    st.global.v2.u32 [%q1], {%r1, %r2};\n    st.global.u32 [%q1 + 8], %r3;\n    ret;\n}\n"
    ".visible .entry none()\n{\n    ret;\n}\n";

static void variables_and_gaps(void **state)
{
    (void)state;
    for (u32 gap = 0; gap <= 64; gap += 64) {
        struct bench b;
        const char *name;
        u64 base, size;
        bench_open(&b, shared_text);
        b.device.shared_gap = gap;
        u32 *out = bench_alloc(&b, 16);
        bench_run_ok(&b, &(struct run){.kernel = "k",
                                       .grid = 1,
                                       .block = 1,
                                       .dynamic_shared = 32,
                                       .params = {(u64)(uintptr_t)out},
                                       .workers = 1});
        const struct ir_func *k = exec_module_kernel(b.module, "k");
        assert_int_equal(k->shared_bytes, 16 + 1024);
        assert_int_equal(k->shared_placed, (gap ? 80 : 16) + 1024); /* nothing behind the last */
        const u32 tile = gap ? 80 : 16;                             /* 10 + 64, aligned */
        const u32 dynamic = gap ? tile + 1024 + 64 : 1040;
        assert_int_equal(out[0], 0);
        assert_int_equal(out[1], tile);
        assert_int_equal(out[2], dynamic);
        assert_true(exec_shared_variable(k, 9, &name, &base, &size));
        assert_string_equal(name, "first");
        assert_int_equal(size, 10);
        assert_true(exec_shared_variable(k, tile - 1, &name, &base, &size));
        assert_string_equal(name, "first");
        assert_true(exec_shared_variable(k, tile + 1023 + (gap ? 8 : 0), &name, &base, &size));
        assert_string_equal(name, "tile");
        assert_int_equal(base, tile);
        assert_int_equal(size, 1024);
        assert_true(exec_shared_variable(k, dynamic + 5, &name, &base, &size));
        assert_string_equal(name, "dyn");
        assert_int_equal(base, dynamic);
        assert_int_equal(size, 0);
        assert_false(exec_shared_variable(exec_module_kernel(b.module, "none"), 0, &name, &base, &size));
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_is_released_with_its_lanes),
        cmocka_unit_test(exits),
        cmocka_unit_test(matches_tell_how_many_values_there_are),
        cmocka_unit_test(warp_wide_operations),
        cmocka_unit_test(what_orders),
        cmocka_unit_test(values_of_accesses),
        cmocka_unit_test(copies),
        cmocka_unit_test(built_in_functions),
        cmocka_unit_test(variables_and_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
