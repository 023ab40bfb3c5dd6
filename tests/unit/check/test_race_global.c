/* racecheck of device memory: each race and its clean twin, within a block, between blocks, between launches and with
 * the host. What must be found follows from the memory model; what orders blocks is a release, a strong write, and a
 * strong read of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/core/stream_order.h"
#include "check/racecheck/race_global.h"
#include "rig.h"

/* For bodies: %t thread, %b block, %l lane, %i index in the grid, %m memory, %a its word of index %i, %f a word far
 * behind; %thread0, %block0, %lane0, %warp0: predicates. */
static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry kernel(.param .u64 memory)\n{\n"
                           ".reg .b32 %t, %b, %l, %i, %n, %r<16>;\n.reg .b64 %m, %a, %f, %rd<8>;\n"
                           ".reg .pred %thread0, %block0, %lane0, %warp0, %p<8>;\n"
                           "mov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\nand.b32 %l, %t, 31;\nmov.u32 %n, %ntid.x;\n"
                           "mad.lo.u32 %i, %b, %n, %t;\nld.param.u64 %m, [memory];\nmul.wide.u32 %rd0, %i, 4;\n"
                           "add.u64 %a, %m, %rd0;\nadd.u64 %f, %m, 8192;\nsetp.eq.u32 %thread0, %t, 0;\n"
                           "setp.eq.u32 %block0, %b, 0;\nsetp.eq.u32 %lane0, %l, 0;\nsetp.lt.u32 %warp0, %t, 32;\n";
static const char tail[] = "ret;\n}\n";

enum { NOTHING = FINDING_KINDS };

struct sample {
    const char *name, *body;
    u32 blocks, threads;
    int kind, second, third; /* what is found, and what may be besides; 0: no more */
    bool cooperative;
};

#define BAR "bar.sync 0;\n"
#define OWN "st.global.u32 [%a], %i;\n"
#define NEXT_WARP "xor.b32 %r1, %i, 32;\nmul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %m, %rd1;\n"
#define NEXT_LANE "xor.b32 %r1, %i, 1;\nmul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %m, %rd1;\n"
#define NEXT_BLOCK "xor.b32 %r1, %i, 64;\nmul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %m, %rd1;\n"
#define LOAD "ld.global.u32 %r2, [%rd1];\n"
/* Blocks of 64 leave a partial sum; the last one, by the counter at %f, adds them up. */
#define LAST_BLOCK(fence)                                                                                              \
    "mul.wide.u32 %rd1, %b, 4;\nadd.u64 %rd1, %m, %rd1;\n@%thread0 st.global.u32 [%rd1], %b;\n" fence                  \
    "@!%thread0 bra E;\natom.global.add.u32 %r3, [%f], 1;\nmov.u32 %r4, %nctaid.x;\nsub.u32 %r4, %r4, 1;\n"            \
    "setp.ne.u32 %p1, %r3, %r4;\n@%p1 bra E;\n" fence "ld.global.u32 %r5, [%m];\nld.global.u32 %r5, [%m+4];\n"         \
    "ld.global.u32 %r5, [%m+8];\nE: "
/* Block 0 says by a flag that its data is there; block 1 waits for it. */
#define MESSAGE(fence, store, load, fence_after)                                                                       \
    "@!%thread0 ret;\n@!%block0 bra R;\nst.global.u32 [%m], %t;\n" fence store " [%f], 1;\nret;\n"                     \
    "R: " load " %r2, [%f];\nsetp.ne.u32 %p1, %r2, 1;\n@%p1 bra R;\n" fence_after "ld.global.u32 %r3, [%m];\n"
/* All threads of block 0 read, and its first says so by a flag, behind a barrier or at once; block 1 then overwrites.
 */
#define READ_AND_TELL(barrier, flag)                                                                                   \
    "@!%block0 bra R;\nmul.wide.u32 %rd1, %t, 4;\nadd.u64 %rd1, %m, %rd1;\nld.global.u32 %r2, [%rd1];\n" barrier       \
    "@%thread0 st.relaxed.gpu.global." flag ";\nret;\n"                                                                \
    "R: @!%thread0 bra D;\nP: ld.relaxed.gpu.global.u32 %r2, [%f];\nsetp.ne.u32 %p1, %r2, 1;\n@%p1 bra P;\n"           \
    "D: " BAR "mul.wide.u32 %rd1, %t, 4;\nadd.u64 %rd1, %m, %rd1;\nst.global.u32 [%rd1], %t;\n"
#define LOCK(fence)                                                                                                    \
    "@!%thread0 ret;\nL: atom.global.cas.b32 %r2, [%f], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n"                \
    "ld.global.u32 %r3, [%m];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%m], %r3;\n" fence                                 \
    "atom.global.exch.b32 %r2, [%f], 0;\n"
/* All blocks meet: a fence, a count, and everybody polls it. */
#define GRID_BARRIER(fence)                                                                                            \
    BAR fence "@!%thread0 bra D;\natom.global.add.u32 %r3, [%f], 1;\nmov.u32 %r4, %nctaid.x;\n"                        \
              "P: ld.volatile.global.u32 %r3, [%f];\nsetp.lt.u32 %p1, %r3, %r4;\n@%p1 bra P;\n" fence "D: " BAR

static const struct sample samples[] = {
    /* one block */
    {"own words", OWN "ld.global.u32 %r2, [%a];\n" OWN, 4, 64, NOTHING, 0, 0, 0},
    {"another warp's word", OWN NEXT_WARP LOAD, 1, 64, FINDING_GLOBAL_RAW, FINDING_GLOBAL_WAR, 0, 0},
    {"another warp's word, barrier", OWN BAR NEXT_WARP LOAD, 1, 64, NOTHING, 0, 0, 0},
    {"another lane's word", OWN NEXT_LANE LOAD, 1, 32, FINDING_GLOBAL_RAW, 0, 0, 0},
    {"another lane's word, __syncwarp", OWN "bar.warp.sync 0xffffffff;\n" NEXT_LANE LOAD, 1, 32, NOTHING, 0, 0, 0},
    {"read, then write without a barrier", NEXT_WARP LOAD OWN, 1, 64, FINDING_GLOBAL_WAR, FINDING_GLOBAL_RAW, 0, 0},
    {"read, barrier, write", NEXT_WARP LOAD BAR OWN, 1, 64, NOTHING, 0, 0, 0},
    {"lanes write one word", "st.global.u32 [%m], %t;\n", 1, 32, FINDING_GLOBAL_WAW, 0, 0, 0},
    {"lanes write the same into one word", "st.global.u32 [%m], %b;\n", 1, 32, FINDING_GLOBAL_SAME, 0, 0, 0},
    {"bytes of one word",
     "mul.wide.u32 %rd1, %i, 1;\nadd.u64 %rd1, %m, %rd1;\nst.global.u8 [%rd1], %t;\n"
     "ld.global.u8 %r2, [%rd1];\n",
     2, 64, NOTHING, 0, 0, 0},
    {"16 bytes, the last of them",
     "mul.wide.u32 %rd1, %i, 16;\nadd.u64 %rd1, %m, %rd1;\n"
     "st.global.v4.u32 [%rd1], {%t, %t, %t, %t};\nxor.b32 %r1, %i, 32;\n"
     "mul.wide.u32 %rd1, %r1, 16;\nadd.u64 %rd1, %m, %rd1;\nld.global.u8 %r2, [%rd1+15];\n",
     1, 64, FINDING_GLOBAL_RAW, FINDING_GLOBAL_WAR, 0, 0},
    {"a loop with one barrier",
     "mov.u32 %r5, 4;\nL: " OWN BAR NEXT_WARP LOAD "sub.u32 %r5, %r5, 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra L;\n", 1,
     64, FINDING_GLOBAL_WAR, FINDING_GLOBAL_RAW, 0, 0},
    {"a loop with two barriers",
     "mov.u32 %r5, 4;\nL: " OWN BAR NEXT_WARP LOAD BAR "sub.u32 %r5, %r5, 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra L;\n",
     1, 64, NOTHING, 0, 0, 0},
    /* blocks */
    {"another block's word", OWN NEXT_BLOCK LOAD, 2, 64, FINDING_GLOBAL_RAW, FINDING_GLOBAL_WAR, 0, 0},
    {"another block's word, a barrier is no help", OWN BAR NEXT_BLOCK LOAD, 2, 64, FINDING_GLOBAL_RAW,
     FINDING_GLOBAL_WAR, 0, 0},
    {"all blocks read one word", "ld.global.u32 %r2, [%m];\n" OWN, 1, 32, FINDING_GLOBAL_WAR, 0, 0, 0},
    {"all blocks read, none writes", "ld.global.u32 %r2, [%m];\nld.global.u32 %r2, [%a];\n", 4, 64, NOTHING, 0, 0, 0},
    {"a block reads what another writes after",
     NEXT_BLOCK "@%block0 ld.global.u32 %r2, [%rd1];\n@!%block0 st.global.u32 [%a], %t;\n", 2, 64, FINDING_GLOBAL_WAR,
     0, 0, 0},
    {"two blocks read, one of them writes",
     "ld.global.u32 %r2, [%m];\n" BAR "@%block0 ret;\n@%thread0 st.global.u32 [%m], %t;\n", 2, 32, FINDING_GLOBAL_WAR,
     0, 0, 0},
    {"blocks write one word", "@%thread0 st.global.u32 [%m], %b;\n", 3, 32, FINDING_GLOBAL_WAW, 0, 0, 0},
    {"blocks write the same", "mov.u32 %r2, 7;\n@%thread0 st.global.u32 [%m], %r2;\n", 3, 32, FINDING_GLOBAL_SAME, 0, 0,
     0},
    {"atomics", "atom.global.add.u32 %r2, [%m], 1;\nred.global.add.u32 [%m], 1;\n", 4, 64, NOTHING, 0, 0, 0},
    {"an atomic and a read", "@%thread0 atom.global.add.u32 %r2, [%m], 1;\n@%thread0 ld.global.u32 %r2, [%m];\n", 3, 32,
     FINDING_GLOBAL_WAR, FINDING_GLOBAL_RAW, 0, 0},
    {"relaxed accesses", "@%thread0 st.relaxed.gpu.global.u32 [%m], %b;\nld.relaxed.gpu.global.u32 %r2, [%m];\n", 3, 64,
     NOTHING, 0, 0, 0},
    /* reads that are over */
    {"read, barrier, flag, overwritten", READ_AND_TELL(BAR, "v2.u32 [%f], {1, 2}"), 2, 64, NOTHING, 0, 0, 0},
    {"read, flag, overwritten", READ_AND_TELL("", "v2.u32 [%f], {1, 2}"), 2, 64, FINDING_GLOBAL_WAR, 0, 0, 0},
    {"read, barrier, flag of no result, overwritten", READ_AND_TELL(BAR, "u32 [%f], 1"), 2, 64, FINDING_GLOBAL_WAR, 0,
     0, 0},
    /* releases */
    {"last block", LAST_BLOCK("membar.gl;\n"), 3, 64, NOTHING, 0, 0, 0},
    {"last block, no fence", LAST_BLOCK(""), 3, 64, FINDING_GLOBAL_RAW, 0, 0, 0},
    {"last block, the fence of a block", LAST_BLOCK("membar.cta;\n"), 3, 64, FINDING_GLOBAL_RAW, 0, 0, 0},
    {"message", MESSAGE("membar.gl;\n", "st.volatile.global.u32", "ld.volatile.global.u32", "membar.gl;\n"), 2, 32,
     NOTHING, 0, 0, 0},
    {"message, no fence", MESSAGE("", "st.volatile.global.u32", "ld.volatile.global.u32", ""), 2, 32,
     FINDING_GLOBAL_RAW, 0, 0, 0},
    {"message by release and acquire", MESSAGE("", "st.release.gpu.global.u32", "ld.acquire.gpu.global.u32", ""), 2, 32,
     NOTHING, 0, 0, 0},
    {"message by plain accesses",
     "@!%thread0 ret;\n@!%block0 bra R;\nst.global.u32 [%m], %t;\nmembar.gl;\n"
     "st.global.u32 [%f], 1;\nret;\nR: ld.global.u32 %r2, [%f];\n",
     2, 32, FINDING_GLOBAL_RAW, 0, 0, 0},
    {"lock", LOCK("membar.gl;\n"), 4, 32, NOTHING, 0, 0, 0},
    {"lock, no fence", LOCK(""), 4, 32, FINDING_GLOBAL_RAW, FINDING_GLOBAL_WAW, FINDING_GLOBAL_WAR, 0},
    {"grid barrier", OWN GRID_BARRIER("membar.gl;\n") NEXT_BLOCK LOAD, 4, 64, NOTHING, 0, 0, true},
    {"grid barrier, no fence", OWN GRID_BARRIER("") NEXT_BLOCK LOAD, 4, 64, FINDING_GLOBAL_RAW, FINDING_GLOBAL_WAR, 0,
     true},
};

static void open_body(struct rig *r, const char *body)
{
    static char text[1 << 14];
    snprintf(text, sizeof text, "%s%s%s", head, body, tail);
    rig_open(r, text, CHECK_RACECHECK, NULL);
}

static bool as_expected(const struct rig *r, const struct sample *x)
{
    const bool any = x->kind != NOTHING;
    bool good = r->status == LS_OK && (r->nfound != 0) == any;
    for (u32 n = 0; n < r->nfound; n++) {
        const int kind = (int)r->found[n].kind;
        good &= kind == x->kind || kind == x->second || kind == x->third;
    }
    return good && (!any || rig_find(r, (enum finding_kind)x->kind));
}

static void show(const struct rig *r, const char *name)
{
    print_message("%s: %u findings, status %s\n", name, r->nfound, ls_status_name(r->status));
    for (u32 n = 0; n < r->nfound; n++)
        print_message("    %s: PTX line %u: %s; %u: %s\n", finding_info(r->found[n].kind)->name,
                      r->found[n].at.ptx_line, r->found[n].at.ptx, r->found[n].other.ptx_line, r->found[n].other.ptx);
}

/* Once and again in the same memory: launches without streams are in order. */
static void run_samples(unsigned workers, bool clean_only)
{
    u32 bad = 0;
    for (u32 k = 0; k < sizeof samples / sizeof *samples; k++) {
        const struct sample *x = &samples[k];
        struct rig r;
        if (clean_only && x->kind != NOTHING)
            continue;
        open_body(&r, x->body);
        for (u32 n = 0; n < 2; n++) {
            const u64 memory = rig_alloc(&r, 16384);
            for (u32 again = 0; again < 2; again++) {
                memset((void *)(uintptr_t)memory, 0, 16384);
                rig_run(&r, &(struct run){.kernel = "kernel",
                                          .grid = x->blocks,
                                          .block = x->threads,
                                          .params = {memory},
                                          .workers = workers,
                                          .cooperative = x->cooperative});
            }
        }
        if (!as_expected(&r, x)) {
            show(&r, x->name);
            bad++;
        }
        rig_close(&r);
    }
    assert_int_equal(bad, 0);
}

static void test_samples(void **state)
{
    (void)state;
    run_samples(1, false);
}

static void test_workers(void **state)
{
    (void)state;
    run_samples(4, true);
}

static void test_parties(void **state)
{
    struct rig r;
    (void)state;
    open_body(&r, "mov.u32 %r2, 77;\n@%block0 bra W;\n@%thread0 ld.global.u32 %r1, [%m+12];\nret;\n"
                  "W: setp.eq.u32 %p1, %t, 40;\n@%p1 st.global.u32 [%m+12], %r2;\n");
    const u64 memory = rig_alloc(&r, 4096);
    rig_run(&r, &(struct run){.kernel = "kernel", .grid = 2, .block = 64, .params = {memory}});
    const struct finding *f = rig_only(&r, FINDING_GLOBAL_RAW);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->space, SPACE_GLOBAL);
    assert_true(f->address == memory + 12);
    assert_int_equal(f->size, 4);
    assert_int_equal(f->at.block[0], 1);
    assert_int_equal(f->at.thread[0], 0);
    assert_int_equal(f->at.does, DOES_READ);
    assert_int_equal(f->other.block[0], 0);
    assert_int_equal(f->other.thread[0], 40);
    assert_int_equal(f->other.does, DOES_WRITE);
    assert_int_equal(f->other.ptx_line, f->at.ptx_line + 3);
    assert_int_equal(f->other.value_bytes, 4);
    assert_int_equal(f->other.value[0], 77);
    assert_true(f->allocation != 0);
    rig_close(&r);
}

/* ---- streams and the host ---- */

static const struct order_stream one = {.id = 1, .context = 1}, two = {.id = 2, .context = 1};

static u64 put(struct stream_order *o, const struct order_stream *s, const char *text, const struct host_call *call)
{
    static u64 number;
    order_op(o, ++number, s, text, call);
    return number;
}

static void launch(struct rig *r, const struct order_stream *s, u64 memory)
{
    struct check_launch *c;
    struct stream_order *o = check_order(r->check);
    struct exec_launch l = {.device = &r->bench.device,
                            .module = r->bench.module,
                            .kernel = exec_module_kernel(r->bench.module, "kernel"),
                            .grid = {2, 1, 1},
                            .block = {64, 1, 1},
                            .params = &memory,
                            .workers = 1,
                            .id = ++r->launches};
    const struct check_site site = {.op = put(o, s, "launch of kernel", NULL), .stream = s->id};
    assert_int_equal(check_launch_begin(r->check, &l, &site, &c), LS_OK);
    l.hooks = check_launch_hooks(c);
    assert_int_equal(exec_run(&l, &r->fault, NULL), LS_OK);
    check_launch_end(c, LS_OK, &r->fault, &r->left_out);
}

static void copy_out(struct rig *r, const struct order_stream *s, u64 memory, const char *api)
{
    struct host_call call = {.nframes = 1, .frames = {42}};
    strcpy(call.api, api);
    check_host_read(r->check, memory, 512, put(check_order(r->check), s, "copy", &call), &call);
}

static void test_streams(void **state)
{
    struct rig r;
    (void)state;
    open_body(&r, OWN);
    const u64 memory = rig_alloc(&r, 4096), other = rig_alloc(&r, 4096);
    launch(&r, &one, memory);
    launch(&r, &one, memory);
    launch(&r, &two, other);
    rig_none(&r);
    launch(&r, &two, memory);
    const struct finding *f = rig_only(&r, FINDING_STREAM_RACE);
    assert_string_equal(f->other.kernel, "kernel");
    assert_string_equal(f->other.launched, "launch of kernel");
    assert_int_equal(f->other.ptx_line, f->at.ptx_line);
    rig_forget(&r);
    order_record(check_order(r.check), &two, 5);
    order_wait(check_order(r.check), &one, 5);
    launch(&r, &one, memory);
    rig_none(&r);
    rig_close(&r);
}

/* The kernel that finds no flag leaves a message, the next one, in another stream, takes it. */
static void meet(const char *fence, bool clean)
{
    struct rig r;
    char body[1024];
    snprintf(body, sizeof body,
             "@!%%block0 ret;\n@!%%thread0 ret;\nld.volatile.global.u32 %%r1, [%%f];\nsetp.ne.u32 %%p1, %%r1, "
             "0;\n@%%p1 bra R;\n"
             "st.global.u32 [%%m], %%t;\n%sst.volatile.global.u32 [%%f], 1;\nret;\nR: %sld.global.u32 %%r2, [%%m];\n",
             fence, fence);
    open_body(&r, body);
    const u64 memory = rig_alloc(&r, 16384);
    launch(&r, &one, memory);
    launch(&r, &two, memory);
    if (clean)
        rig_none(&r);
    else
        rig_only(&r, FINDING_STREAM_RACE);
    rig_close(&r);
}

static void test_flag_between_streams(void **state)
{
    (void)state;
    meet("membar.sys;\n", true);
    meet("", false);
}

static void test_freed_memory_is_clean(void **state)
{
    struct rig r;
    (void)state;
    open_body(&r, OWN);
    const u64 memory = rig_alloc(&r, 4096);
    launch(&r, &one, memory);
    race_global_clear(r.check, memory, 4096);
    launch(&r, &two, memory);
    rig_none(&r);
    rig_close(&r);
}

static void test_host(void **state)
{
    struct rig r;
    (void)state;
    open_body(&r, OWN);
    const u64 memory = rig_alloc(&r, 4096);
    launch(&r, &one, memory);
    copy_out(&r, &one, memory, "cudaMemcpyAsync");
    copy_out(&r, &two, memory + 512, "cudaMemcpyAsync"); /* behind what the kernel wrote */
    rig_none(&r);
    copy_out(&r, &two, memory, "cudaMemcpyAsync");
    const struct finding *f = rig_only(&r, FINDING_STREAM_RACE);
    assert_string_equal(f->other.kernel, "kernel");
    assert_int_equal(f->at.does, DOES_READ);
    assert_int_equal(f->other.does, DOES_WRITE);
    rig_forget(&r);
    copy_out(&r, &two, memory, "cudaMemcpy");
    rig_only(&r, FINDING_HOST_RACE);
    rig_forget(&r);
    order_host_waits_all(check_order(r.check));
    copy_out(&r, &two, memory, "cudaMemcpyAsync");
    rig_none(&r);
    launch(&r, &one, memory); /* which the copy in the other stream may still read */
    rig_only(&r, FINDING_STREAM_RACE);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_workers),
        cmocka_unit_test(test_parties),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_flag_between_streams),
        cmocka_unit_test(test_freed_memory_is_clean),
        cmocka_unit_test(test_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
