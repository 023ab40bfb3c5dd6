/* racecheck of shared memory: each hazard and its clean twin. A case is the body of a kernel; what it must find follows
 * from the memory model: two threads, one byte, a write among them, and nothing between that orders them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

/* For bodies: %t thread, %l lane, %w warp, %s address of 4 KiB of shared memory, %a that of the thread's own word, %g
 * global memory of the thread's own 16 bytes, %warp0 and %warp1, %lane0: predicates. */
static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry kernel(.param .u64 memory)\n{\n"
                           ".reg .b32 %t, %l, %w, %s, %a, %n, %r<16>;\n.reg .b64 %g, %rd<8>;\n"
                           ".reg .pred %warp0, %warp1, %lane0, %thread0, %p<8>;\n"
                           ".shared .align 16 .b8 space[4096];\n"
                           "mov.u32 %t, %tid.x;\nand.b32 %l, %t, 31;\nshr.u32 %w, %t, 5;\nmov.u32 %s, space;\n"
                           "mad.lo.u32 %a, %t, 4, %s;\nld.param.u64 %g, [memory];\nmul.wide.u32 %rd0, %t, 16;\n"
                           "add.u64 %g, %g, %rd0;\nmov.u32 %n, %ctaid.x;\nmul.wide.u32 %rd0, %n, 1024;\nadd.u64 %g, "
                           "%g, %rd0;\nsetp.eq.u32 %warp0, %w, 0;\nsetp.eq.u32 %warp1, %w, 1;\n"
                           "setp.eq.u32 %lane0, %l, 0;\nsetp.eq.u32 %thread0, %t, 0;\nmov.u32 %r0, 0;\n";
static const char tail[] = "ret;\n}\n";

enum { NOTHING = FINDING_KINDS };

struct sample {
    const char *name, *body;
    u32 threads;
    int kind, second, third; /* what is found, and what may be besides; 0: no more */
};

#define BAR "bar.sync 0;\n"
#define SYNCWARP "bar.warp.sync 0xffffffff;\n"
#define STORE_OWN "st.shared.u32 [%a], %t;\n"
#define LOAD_OTHER_WARP "xor.b32 %n, %a, 128;\nld.shared.u32 %r1, [%n];\n"
#define LOAD_OTHER_LANE "xor.b32 %n, %a, 4;\nld.shared.u32 %r1, [%n];\n"
#define LOAD_FIRST "ld.shared.u32 %r1, [%s];\n"
#define CP_ASYNC "cp.async.ca.shared.global [%a], [%g], 4;\n"
#define COMMIT "cp.async.commit_group;\n"
#define WAIT_ALL "cp.async.wait_group 0;\n"
#define MBARRIER(count) "@%thread0 mbarrier.init.shared.b64 [%s+2048], " #count ";\n" BAR
#define ARRIVE "mbarrier.arrive.shared.b64 %rd1, [%s+2048];\n"
#define BULK_IN                                                                                                        \
    "@!%thread0 bra B;\nmbarrier.arrive.expect_tx.shared.b64 %rd1, [%s+2048], 256;\n"                                  \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%g], 256, [%s+2048];\nB: "
#define PROXY "fence.proxy.async.shared::cta;\n"
#define BULK_OUT                                                                                                       \
    "@!%thread0 bra B;\ncp.async.bulk.global.shared::cta.bulk_group [%g], [%s], "                                      \
    "256;\ncp.async.bulk.commit_group;\nB: "
#define TRY(phase, label)                                                                                              \
    label ":\nmbarrier.try_wait.parity.shared.b64 %p1, [%s+2048], " phase ";\n@!%p1 bra " label ";\n"

static const struct sample samples[] = {
    /* between warps */
    {"read after write", STORE_OWN LOAD_OTHER_WARP, 64, FINDING_SHARED_RAW, FINDING_SHARED_WAR, 0},
    {"read after write, barrier", STORE_OWN BAR LOAD_OTHER_WARP, 64, NOTHING, 0, 0},
    {"write after read", LOAD_OTHER_WARP STORE_OWN, 64, FINDING_SHARED_WAR, FINDING_SHARED_RAW, 0},
    {"write after read, barrier", LOAD_OTHER_WARP BAR STORE_OWN, 64, NOTHING, 0, 0},
    {"write after read alone", "@%warp0 ld.shared.u32 %r1, [%s+128];\n@%warp1 st.shared.u32 [%a], %t;\n", 64,
     FINDING_SHARED_WAR, 0, 0},
    {"write after write", "mad.lo.u32 %n, %l, 4, %s;\nst.shared.u32 [%n], %t;\n", 64, FINDING_SHARED_WAW, 0, 0},
    {"write after write, barrier",
     "mad.lo.u32 %n, %l, 4, %s;\n@%warp0 st.shared.u32 [%n], %t;\n" BAR "@%warp1 st.shared.u32 [%n], %t;\n", 64,
     NOTHING, 0, 0},
    {"the same value", "mad.lo.u32 %n, %l, 4, %s;\nst.shared.u32 [%n], %l;\n", 64, FINDING_SHARED_SAME, 0, 0},
    {"all read one word, one writes it", BAR "ld.shared.u32 %r1, [%s];\n@%thread0 st.shared.u32 [%s], %t;\n", 64,
     FINDING_SHARED_WAR, FINDING_SHARED_RAW, 0},
    {"all read one word, barrier, one writes it",
     BAR "ld.shared.u32 %r1, [%s];\n" BAR "@%thread0 st.shared.u32 [%s], %t;\n", 64, NOTHING, 0, 0},
    {"one writes, all read", "@%thread0 st.shared.u32 [%s], %t;\nld.shared.u32 %r1, [%s];\n", 64, FINDING_SHARED_RAW, 0,
     0},
    {"one writes, barrier, all read", "@%thread0 st.shared.u32 [%s], %t;\n" BAR "ld.shared.u32 %r1, [%s];\n", 64,
     NOTHING, 0, 0},
    /* loops */
    {"no second barrier in a loop",
     "mov.u32 %r2, 4;\nL: " STORE_OWN BAR LOAD_OTHER_WARP
     "sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n",
     64, FINDING_SHARED_WAR, FINDING_SHARED_RAW, 0},
    {"two barriers in a loop",
     "mov.u32 %r2, 4;\nL: " STORE_OWN BAR LOAD_OTHER_WARP BAR
     "sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n",
     64, NOTHING, 0, 0},
    {"two buffers, one barrier",
     "mov.u32 %r2, 6;\nL: xor.b32 %a, %a, 1024;\n" STORE_OWN BAR LOAD_OTHER_WARP
     "sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n",
     64, NOTHING, 0, 0},
    /* lanes of a warp */
    /* which of a warp's lanes wrote last matters to whom reads it */
    {"lanes of one store", "st.shared.u32 [%s], %t;\n" BAR LOAD_FIRST, 32, FINDING_SHARED_WAW, 0, 0},
    {"lanes of one store, unread", "st.shared.u32 [%s], %t;\n" BAR, 32, NOTHING, 0, 0},
    {"lanes of one store, overwritten",
     "st.shared.u32 [%s], %t;\n" BAR "@%lane0 st.shared.u32 [%s], %t;\n" BAR LOAD_FIRST, 32, NOTHING, 0, 0},
    {"lanes of one store, added to", "st.shared.u32 [%s], %t;\n" BAR "red.shared.add.u32 [%s], 1;\n", 32,
     FINDING_SHARED_WAW, 0, 0},
    {"lanes of one store, the same value", "st.shared.u32 [%s], %r0;\n" BAR LOAD_FIRST, 32, FINDING_SHARED_SAME, 0, 0},
    {"lanes of one scattered store",
     "and.b32 %n, %l, 7;\nmad.lo.u32 %n, %n, 4, %s;\nst.shared.u32 [%n], %t;\n" BAR LOAD_FIRST, 32, FINDING_SHARED_WAW,
     0, 0},
    {"lanes of two stores", "st.shared.u32 [%a], %t;\nxor.b32 %n, %a, 4;\nst.shared.u32 [%n], %t;\n" BAR LOAD_FIRST, 32,
     FINDING_SHARED_WAW, 0, 0},
    {"warps, unread", "st.shared.u32 [%s], %w;\n" BAR, 64, FINDING_SHARED_WAW, FINDING_SHARED_SAME, 0},
    {"one lane stores", "@%lane0 st.shared.u32 [%s], %t;\n", 32, NOTHING, 0, 0},
    {"lanes", STORE_OWN LOAD_OTHER_LANE, 32, FINDING_SHARED_RAW, 0, 0},
    {"lanes, __syncwarp", STORE_OWN SYNCWARP LOAD_OTHER_LANE, 32, NOTHING, 0, 0},
    {"lanes, a shuffle", STORE_OWN "shfl.sync.bfly.b32 %r2, %t, 1, 31, 0xffffffff;\n" LOAD_OTHER_LANE, 32,
     FINDING_SHARED_RAW, 0, 0},
    {"halves of a warp",
     "setp.lt.u32 %p1, %l, 16;\n" STORE_OWN "@%p1 bra LOW;\nbar.warp.sync 0xffff0000;\n" LOAD_OTHER_LANE
     "ret;\nLOW: bar.warp.sync 0xffff;\n" LOAD_OTHER_LANE,
     32, NOTHING, 0, 0},
    {"halves of a warp, across",
     "setp.lt.u32 %p1, %l, 16;\n" STORE_OWN "@%p1 bra LOW;\nbar.warp.sync 0xffff0000;\nxor.b32 %n, %a, 64;\n"
     "ld.shared.u32 %r1, [%n];\nret;\nLOW: bar.warp.sync 0xffff;\n",
     32, FINDING_SHARED_RAW, 0, 0},
    {"one word, one warp", "ld.shared.u32 %r1, [%s];\n@%thread0 st.shared.u32 [%s], %t;\n", 32, FINDING_SHARED_WAR, 0,
     0},
    {"volatile reduction",
     STORE_OWN SYNCWARP
     "ld.volatile.shared.u32 %r1, [%a+64];\nld.volatile.shared.u32 %r2, [%a];\nadd.u32 %r1, %r1, %r2;\n"
     "st.volatile.shared.u32 [%a], %r1;\nld.volatile.shared.u32 %r1, [%a+32];\n",
     32, FINDING_SHARED_WAR, FINDING_SHARED_RAW, 0},
    {"reduction with __syncwarp",
     STORE_OWN SYNCWARP "ld.shared.u32 %r1, [%a+64];\n" SYNCWARP "st.shared.u32 [%a], %r1;\n" SYNCWARP
                        "ld.shared.u32 %r1, [%a+32];\n" SYNCWARP "st.shared.u32 [%a], %r1;\n",
     32, NOTHING, 0, 0},
    {"so many __syncwarp that ticks begin anew",
     "mov.u32 %r2, 1100000;\nL: " STORE_OWN SYNCWARP LOAD_OTHER_LANE SYNCWARP
     "sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n",
     32, NOTHING, 0, 0},
    {"a volatile ticket within a warp",
     "@%thread0 st.shared.u32 [%s], 0;\n" SYNCWARP
     "W: ld.volatile.shared.u32 %r1, [%s];\nsetp.ne.u32 %p1, %r1, %l;\n@%p1 bra W;\n"
     "add.u32 %r1, %r1, 1;\nmembar.cta;\nst.volatile.shared.u32 [%s], %r1;\n",
     32, NOTHING, 0, 0},
    /* widths */
    {"neighbouring bytes",
     "shl.b32 %n, %l, 1;\nadd.u32 %n, %n, %w;\nadd.u32 %n, %n, %s;\nst.shared.u8 [%n], %t;\n"
     "ld.shared.u8 %r1, [%n];\n",
     64, NOTHING, 0, 0},
    {"bytes, read as words",
     "add.u32 %n, %s, %t;\nst.shared.u8 [%n], %t;\nshr.u32 %n, %t, 2;\nxor.b32 %n, %n, 8;\n"
     "mad.lo.u32 %n, %n, 4, %s;\nld.shared.u32 %r1, [%n];\n",
     64, FINDING_SHARED_RAW, FINDING_SHARED_WAR, 0},
    {"bytes, barrier, read as words",
     "add.u32 %n, %s, %t;\nst.shared.u8 [%n], %t;\nshr.u32 %n, %t, 2;\nxor.b32 %n, %n, 8;\n" BAR
     "mad.lo.u32 %n, %n, 4, %s;\nld.shared.u32 %r1, [%n];\n",
     64, NOTHING, 0, 0},
    {"words, then halves of them", STORE_OWN "xor.b32 %n, %a, 128;\nld.shared.u16 %r1, [%n+2];\n", 64,
     FINDING_SHARED_RAW, FINDING_SHARED_WAR, 0},
    {"16 bytes",
     "mad.lo.u32 %n, %t, 16, %s;\nst.shared.v4.u32 [%n], {%t, %t, %t, %t};\nxor.b32 %n, %n, 512;\n"
     "ld.shared.u8 %r1, [%n+15];\n",
     64, FINDING_SHARED_RAW, FINDING_SHARED_WAR, 0},
    {"16 bytes, barrier",
     "mad.lo.u32 %n, %t, 16, %s;\nst.shared.v4.u32 [%n], {%t, %t, %t, %t};\nxor.b32 %n, %n, 512;\n" BAR
     "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%n];\n",
     64, NOTHING, 0, 0},
    {"16 bytes beside 16 bytes",
     "mad.lo.u32 %n, %t, 32, %s;\nst.shared.v4.u32 [%n], {%t, %t, %t, %t};\n"
     "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%n+16];\n",
     64, NOTHING, 0, 0},
    /* named barriers */
    {"producer and consumer",
     "@%warp1 bra C;\n" STORE_OWN "bar.arrive 1, 64;\nret;\nC: bar.sync 1, 64;\n" LOAD_OTHER_WARP, 64, NOTHING, 0, 0},
    {"the producer arrives too early",
     "@%warp1 bra C;\nbar.arrive 1, 64;\n" STORE_OWN "ret;\nC: bar.sync 1, 64;\n" LOAD_OTHER_WARP, 64,
     FINDING_SHARED_RAW, 0, 0},
    {"two of three warps",
     "setp.eq.u32 %p1, %w, 2;\n@%p1 bra C;\n" STORE_OWN "bar.sync 1, 64;\n" LOAD_OTHER_WARP "C: " BAR, 96, NOTHING, 0,
     0},
    {"two of three warps, the third",
     "setp.eq.u32 %p1, %w, 2;\n@%p1 bra C;\n" STORE_OWN "bar.sync 1, 64;\nret;\nC: ld.shared.u32 %r1, [%s];\n", 96,
     FINDING_SHARED_RAW, 0, 0},
    {"a warp has exited", "@%warp0 bra C;\n" STORE_OWN "ret;\nC: " BAR LOAD_OTHER_WARP, 64, NOTHING, 0, 0},
    /* atomics and flags */
    {"atomics", "atom.shared.add.u32 %r1, [%s], 1;\nred.shared.add.u32 [%s], 1;\n", 64, NOTHING, 0, 0},
    {"an atomic and a read", "atom.shared.add.u32 %r1, [%s], 1;\nld.shared.u32 %r1, [%s];\n", 64, FINDING_SHARED_RAW,
     FINDING_SHARED_WAR, 0},
    {"an atomic, barrier, a read", "atom.shared.add.u32 %r1, [%s], 1;\n" BAR "ld.shared.u32 %r1, [%s];\n", 64, NOTHING,
     0, 0},
    {"a flag with a fence",
     "@%warp1 bra C;\n@%lane0 st.shared.u32 [%s], %t;\n@%lane0 membar.cta;\n@%lane0 st.volatile.shared.u32 [%s+512], "
     "1;\nret;\n"
     "C: @!%lane0 ret;\nW: ld.volatile.shared.u32 %r1, [%s+512];\nsetp.ne.u32 %p1, %r1, 1;\n@%p1 bra W;\nmembar.cta;\n"
     "ld.shared.u32 %r1, [%s];\n",
     64, NOTHING, 0, 0},
    {"a flag without a fence",
     "@%warp1 bra C;\n@%lane0 st.shared.u32 [%s], %t;\n@%lane0 st.volatile.shared.u32 [%s+512], 1;\nret;\n"
     "C: @!%lane0 ret;\nW: ld.volatile.shared.u32 %r1, [%s+512];\nsetp.ne.u32 %p1, %r1, 1;\n@%p1 bra W;\n"
     "ld.shared.u32 %r1, [%s];\n",
     64, FINDING_SHARED_RAW, 0, 0},
    {"a lock",
     "@!%lane0 ret;\nW: atom.shared.cas.b32 %r1, [%s+512], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra W;\n"
     "ld.shared.u32 %r2, [%s];\nadd.u32 %r2, %r2, 1;\nst.shared.u32 [%s], %r2;\nmembar.cta;\n"
     "atom.shared.exch.b32 %r1, [%s+512], 0;\n",
     128, NOTHING, 0, 0},
    {"no lock", "@!%lane0 ret;\nld.shared.u32 %r2, [%s];\nadd.u32 %r2, %r2, 1;\nst.shared.u32 [%s], %r2;\n", 128,
     FINDING_SHARED_RAW, FINDING_SHARED_WAR, FINDING_SHARED_WAW},
    /* asynchronous copies */
    {"cp.async", CP_ASYNC COMMIT WAIT_ALL BAR LOAD_OTHER_WARP, 64, NOTHING, 0, 0},
    {"cp.async, no wait", CP_ASYNC COMMIT BAR LOAD_OTHER_WARP, 64, FINDING_COPY_NOT_AWAITED, 0, 0},
    {"cp.async, no wait, own bytes", CP_ASYNC COMMIT "ld.shared.u32 %r1, [%a];\n", 64, FINDING_COPY_NOT_AWAITED, 0, 0},
    {"cp.async, wait, own bytes", CP_ASYNC "cp.async.wait_all;\nld.shared.u32 %r1, [%a];\n", 64, NOTHING, 0, 0},
    {"cp.async, not committed", CP_ASYNC WAIT_ALL "ld.shared.u32 %r1, [%a];\n", 64, FINDING_COPY_NOT_AWAITED, 0, 0},
    {"cp.async, no barrier", CP_ASYNC COMMIT WAIT_ALL LOAD_OTHER_WARP, 64, FINDING_SHARED_RAW, FINDING_SHARED_WAR, 0},
    {"cp.async, barrier before the wait", CP_ASYNC COMMIT BAR WAIT_ALL LOAD_OTHER_WARP, 64, FINDING_SHARED_RAW,
     FINDING_COPY_NOT_AWAITED, 0},
    {"cp.async, two groups",
     CP_ASYNC COMMIT "cp.async.ca.shared.global [%a+1024], [%g], 4;\n" COMMIT
                     "cp.async.wait_group 1;\n" BAR LOAD_OTHER_WARP WAIT_ALL BAR "ld.shared.u32 %r1, [%n+1024];\n",
     64, NOTHING, 0, 0},
    {"cp.async, the younger group",
     CP_ASYNC COMMIT "cp.async.ca.shared.global [%a+1024], [%g], 4;\n" COMMIT
                     "cp.async.wait_group 1;\n" BAR LOAD_OTHER_WARP "ld.shared.u32 %r1, [%n+1024];\n",
     64, FINDING_COPY_NOT_AWAITED, 0, 0},
    {"cp.async into what is read", LOAD_OTHER_WARP CP_ASYNC COMMIT WAIT_ALL, 64, FINDING_SHARED_WAR, FINDING_SHARED_RAW,
     0},
    /* mbarriers */
    {"mbarrier", MBARRIER(64) STORE_OWN ARRIVE TRY("0", "W") LOAD_OTHER_WARP, 64, NOTHING, 0, 0},
    {"mbarrier, nobody waits", MBARRIER(64) STORE_OWN ARRIVE LOAD_OTHER_WARP, 64, FINDING_SHARED_RAW,
     FINDING_SHARED_WAR, 0},
    {"mbarrier, one lane arrives without __syncwarp",
     MBARRIER(2) STORE_OWN "@%lane0 " ARRIVE TRY("0", "W") LOAD_OTHER_WARP, 64, FINDING_SHARED_RAW, 0, 0},
    {"mbarrier, one lane arrives behind __syncwarp",
     MBARRIER(2) STORE_OWN SYNCWARP "@%lane0 " ARRIVE TRY("0", "W") LOAD_OTHER_WARP, 64, NOTHING, 0, 0},
    {"mbarrier, one lane waits", MBARRIER(64) STORE_OWN ARRIVE "@!%lane0 bra E;\n" TRY("0", "W") "E: " LOAD_OTHER_WARP,
     64, FINDING_SHARED_RAW, 0, 0},
    {"mbarrier, one lane waits, __syncwarp",
     MBARRIER(64) STORE_OWN ARRIVE "@!%lane0 bra E;\n" TRY("0", "W") "E: " SYNCWARP LOAD_OTHER_WARP, 64, NOTHING, 0, 0},
    {"mbarrier, cp.async",
     MBARRIER(64) CP_ASYNC "cp.async.mbarrier.arrive.noinc.shared.b64 [%s+2048];\n" TRY("0", "W") LOAD_OTHER_WARP, 64,
     NOTHING, 0, 0},
    {"mbarrier, cp.async, no wait",
     MBARRIER(64) CP_ASYNC "cp.async.mbarrier.arrive.noinc.shared.b64 [%s+2048];\n" BAR LOAD_OTHER_WARP, 64,
     FINDING_COPY_NOT_AWAITED, 0, 0},
    {"mbarrier, no second wait in a loop",
     MBARRIER(64) "mov.u32 %r2, 0;\nL: and.b32 %r3, %r2, 1;\n" STORE_OWN ARRIVE TRY("%r3", "W") LOAD_OTHER_WARP
     "add.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 4;\n@%p1 bra L;\n",
     64, FINDING_SHARED_WAR, FINDING_SHARED_RAW, 0},
    {"mbarrier, two waits in a loop",
     MBARRIER(64) "mov.u32 %r2, 4;\nL: " STORE_OWN ARRIVE TRY("0", "W")
         LOAD_OTHER_WARP ARRIVE TRY("1", "V") "sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n",
     64, NOTHING, 0, 0},
    /* bulk copies */
    {"bulk copy", MBARRIER(1) BULK_IN TRY("0", "W") "ld.shared.u32 %r1, [%a];\n", 64, NOTHING, 0, 0},
    {"bulk copy, no wait", MBARRIER(1) BULK_IN BAR "ld.shared.u32 %r1, [%a];\n", 64, FINDING_COPY_NOT_AWAITED, 0, 0},
    {"bulk copy out", STORE_OWN PROXY BAR BULK_OUT "cp.async.bulk.wait_group 0;\n" BAR STORE_OWN, 64, NOTHING, 0, 0},
    {"bulk copy out, no fence", STORE_OWN BAR BULK_OUT "cp.async.bulk.wait_group 0;\n", 64, FINDING_MISSING_PROXY_FENCE,
     0, 0},
    {"bulk copy out, no wait", STORE_OWN PROXY BAR BULK_OUT BAR STORE_OWN, 64, FINDING_COPY_NOT_AWAITED, 0, 0},
    {"bulk copy out, no wait, read", STORE_OWN PROXY BAR BULK_OUT BAR "ld.shared.u32 %r1, [%a];\n", 64, NOTHING, 0, 0},
    {"mbarrier pipeline of two warps", /* 0: full, 8: empty; warp 0 fills, warp 1 empties */
     "@%thread0 mbarrier.init.shared.b64 [%s+2048], 32;\n@%thread0 mbarrier.init.shared.b64 [%s+2056], 32;\n" BAR
     "mov.u32 %r2, 0;\n@%warp1 bra C;\n"
     "P: mad.lo.u32 %n, %l, 4, %s;\nst.shared.u32 [%n], %r2;\nmbarrier.arrive.shared.b64 %rd1, [%s+2048];\nand.b32 "
     "%r3, %r2, 1;\n"
     "E: mbarrier.try_wait.parity.shared.b64 %p1, [%s+2056], %r3;\n@!%p1 bra E;\n"
     "add.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 5;\n@%p1 bra P;\nret;\n"
     "C: and.b32 %r3, %r2, 1;\n"
     "F: mbarrier.try_wait.parity.shared.b64 %p1, [%s+2048], %r3;\n@!%p1 bra F;\nxor.b32 %n, %l, 3;\n"
     "mad.lo.u32 %n, %n, 4, %s;\nld.shared.u32 %r4, [%n];\nmbarrier.arrive.shared.b64 %rd1, [%s+2056];\n"
     "add.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 5;\n@%p1 bra C;\n",
     64, NOTHING, 0, 0},
};

static void open_body(struct rig *r, const char *body)
{
    static char text[1 << 14];
    snprintf(text, sizeof text, "%s%s%s", head, body, tail);
    rig_open(r, text, CHECK_RACECHECK, NULL);
}

static void test_samples(void **state)
{
    (void)state;
    u32 bad = 0;
    for (u32 k = 0; k < sizeof samples / sizeof *samples; k++) {
        const struct sample *x = &samples[k];
        struct rig r;
        open_body(&r, x->body);
        const u64 memory = rig_alloc(&r, 4096);
        rig_run(&r, &(struct run){.kernel = "kernel", .grid = 3, .block = x->threads, .params = {memory}});
        const u32 expected = x->kind == NOTHING ? 0 : 1;
        bool good = r.status == LS_OK && (r.nfound == 0) == (expected == 0);
        for (u32 n = 0; n < r.nfound; n++)
            good &= (int)r.found[n].kind == x->kind || (int)r.found[n].kind == x->second ||
                    (int)r.found[n].kind == x->third;
        good &= !expected || rig_find(&r, (enum finding_kind)x->kind) != NULL;
        if (!good)
            print_message("%s: %u findings, status %s\n", x->name, r.nfound, ls_status_name(r.status));
        for (u32 n = 0; n < r.nfound && !good; n++)
            print_message("    %s: PTX line %u: %s; %u: %s\n", finding_info(r.found[n].kind)->name,
                          r.found[n].at.ptx_line, r.found[n].at.ptx, r.found[n].other.ptx_line, r.found[n].other.ptx);
        bad += !good;
        rig_close(&r);
    }
    assert_int_equal(bad, 0);
}

/* Who, where and what: thread 33 reads what thread 1 has just written. */
static void test_parties(void **state)
{
    struct rig r;
    (void)state;
    open_body(&r, "setp.eq.u32 %p1, %t, 1;\nsetp.eq.u32 %p2, %t, 33;\nmov.u32 %r2, 77;\n"
                  "@%p1 st.shared.u32 [%s+8], %r2;\n@%p2 ld.shared.u32 %r1, [%s+8];\n");
    const u64 memory = rig_alloc(&r, 4096);
    rig_run(&r, &(struct run){.kernel = "kernel", .grid = 2, .block = 64, .params = {memory}});
    const struct finding *f = rig_only(&r, FINDING_SHARED_RAW);
    assert_int_equal(f->count, 2);
    assert_int_equal(f->space, SPACE_SHARED);
    assert_int_equal(f->address, 8);
    assert_int_equal(f->size, 4);
    assert_int_equal(f->at.thread[0], 33);
    assert_int_equal(f->at.does, DOES_READ);
    assert_true(f->has_other);
    assert_int_equal(f->other.thread[0], 1);
    assert_int_equal(f->other.does, DOES_WRITE);
    assert_int_equal(f->other.ptx_line + 1, f->at.ptx_line);
    assert_int_equal(f->other.value_bytes, 4);
    assert_int_equal(f->other.value[0], 77);
    assert_int_equal(f->at.value[0], 77);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples), cmocka_unit_test(test_parties)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
