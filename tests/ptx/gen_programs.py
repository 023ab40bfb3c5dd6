"""gen_programs.py - the self-checking programs: sync, mbarrier, control, places. The text of each is below as it is; the
script only adds what all have in common: signature, registers, %r1 = the thread in the block, %r2 = the thread in the
grid, %q1 = the thread's output word, %q2 = the scratch memory. A program leaves its answer in %r9."""
import struct
FIRST = """.visible .entry %s(.param .u64 in0, .param .u64 in1, .param .u64 in2, .param .u64 in3,
    .param .u64 out, .param .u32 n)
{
    .reg .pred %%p<16>;
    .reg .b16 %%h<8>;
    .reg .b32 %%r<40>;
    .reg .b64 %%q<24>;
"""
START = """    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r2, %r2, %r3, %r1;
    ld.param.u64 %q1, [out];
    mad.wide.u32 %q1, %r2, 4, %q1;
    ld.param.u64 %q2, [in0];
    mov.u32 %r9, 0;
"""
END = """    st.global.u32 [%q1], %r9;
    ret;
}
"""
files = {}


CLUSTER = ".reqnctapercluster 1, 1, 1\n"  # an H200 sends into shared memory only where a kernel was launched as clusters


def program(file, name, code, grid=1, block=64, expect="ones", decl="", top="", shared=0, target="sm_90", directives=""):
    n = grid * block
    file = file if target == "sm_90" else "%s_%s" % (target, file)
    text = top + "// TEST: t_%s grid=%d block=%d n=%d%s\n// EXPECT: %s\n" % (
        name, grid, block, n, " shared=%d" % shared if shared else "", expect)
    text += (FIRST % ("t_" + name)).replace(")\n{", ")\n%s{" % directives, 1)
    text += "".join("    %s\n" % line.strip() for line in decl.strip().split("\n") if line.strip()) + START
    text += "".join(("    %s\n" if not line.strip().endswith(":") else "%s\n") % line.strip()
                    for line in code.strip().split("\n")) + END
    files.setdefault(file, []).append(text)


def words(values):
    return "out[0..] = " + " ".join(str(v & 0xffffffff) for v in values)


# ---- sync ----

def barriers():
    s = "sync"
    # Each thread writes a word, all wait, each reads its mirror image.
    mirror = """
        mov.u32 %%r4, buf;
        mad.lo.u32 %%r5, %%r1, 4, %%r4;
        st.shared.u32 [%%r5], %%r1;
        %s
        sub.u32 %%r6, %%r3, %%r1;
        sub.u32 %%r6, %%r6, 1;
        mad.lo.u32 %%r7, %%r6, 4, %%r4;
        ld.shared.u32 %%r8, [%%r7];
        setp.eq.u32 %%p1, %%r8, %%r6;
        selp.u32 %%r9, 1, 0, %%p1;"""
    shared = ".shared .align 4 .b8 buf[4096];"
    for k, bar in enumerate(("bar.sync 0;", "bar.sync 1, 128;", "barrier.sync 2;", "barrier.sync.aligned 3;",
                             "barrier.sync 4, 128;", "bar.cta.sync 15;", "barrier.cta.sync 6;",
                             "mov.u32 %r10, 7;\n bar.sync %r10, %r3;", "barrier.sync.aligned 8, 128;",
                             "barrier.cluster.arrive;\nbarrier.cluster.wait;",
                             "barrier.cluster.arrive.release.aligned;\nadd.u32 %r11, %r1, 1;\n"
                             "barrier.cluster.wait.acquire.aligned;",
                             "fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n"
                             "barrier.cluster.arrive;\nbarrier.cluster.wait;")):
        program(s, "barrier_%d" % k, mirror % bar, block=128, decl=shared)
    # Half of the threads arrive late and leave early; the last warp has gone.
    program(s, "cluster_phases", """
        mov.u32 %r9, 1;
        setp.ge.u32 %p1, %r1, 64;
        @%p1 bra GONE;
        setp.lt.u32 %p2, %r1, 20;
        mov.u32 %r4, buf;
        mad.lo.u32 %r5, %r1, 4, %r4;
        mov.u32 %r10, 0;
        AGAIN:
        add.u32 %r11, %r1, %r10;
        st.shared.u32 [%r5], %r11;
        @%p2 barrier.cluster.arrive;
        @!%p2 barrier.cluster.arrive;
        @!%p2 barrier.cluster.wait;
        @%p2 barrier.cluster.wait;
        xor.b32 %r6, %r1, 33;
        mad.lo.u32 %r7, %r6, 4, %r4;
        ld.shared.u32 %r8, [%r7];
        add.u32 %r6, %r6, %r10;
        setp.ne.u32 %p3, %r8, %r6;
        @%p3 mov.u32 %r9, 0;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        add.u32 %r10, %r10, 1;
        setp.lt.u32 %p4, %r10, 5;
        @%p4 bra AGAIN;
        GONE:""", block=96, decl=shared)
    program(s, "barrier_ragged", mirror % "bar.sync 0;", block=75, decl=shared)
    program(s, "barrier_two_blocks", mirror % "bar.sync 0;", grid=3, block=96, decl=shared)
    # bar.red over a predicate that holds for the threads below 40, for all, for none.
    for op in ("popc.u32", "and.pred", "or.pred"):
        for word, cond, count in (("some", "setp.lt.u32 %p1, %r1, 40;", 40), ("all", "setp.lt.u32 %p1, %r1, 4000;", 96),
                                  ("none", "setp.gt.u32 %p1, %r1, 4000;", 0)):
            for form, args in (("bar.red.", "0, "), ("barrier.red.", "1, "), ("bar.red.", "2, 96, ")):
                name = "bar_red_%s_%s_%s" % (op.split(".")[0], word, args[0])
                if op == "popc.u32":
                    code = "%s\n%s%s %%r9, %s%%p1;" % (cond, form, op, args)
                    want = words([count])
                else:
                    code = "%s\n%s%s %%p2, %s%%p1;\nselp.u32 %%r9, 1, 0, %%p2;" % (cond, form, op, args)
                    want = words([int(count == 96 if op[0] == "a" else count > 0)])
                program(s, name, code, block=96, expect=want)
    program(s, "bar_red_negated", "setp.lt.u32 %p1, %r1, 40;\nbar.red.popc.u32 %r9, 0, !%p1;", block=96, expect=words([56]))
    # Warps 0 and 1 produce and arrive; warps 2 and 3 wait and read.
    program(s, "bar_arrive", """
        mov.u32 %r4, buf;
        setp.ge.u32 %p1, %r1, 64;
        @%p1 bra CONSUME;
        mad.lo.u32 %r5, %r1, 4, %r4;
        add.u32 %r6, %r1, 1000;
        st.shared.u32 [%r5], %r6;
        bar.arrive 3, 128;
        mov.u32 %r9, 1;
        bra DONE;
        CONSUME:
        bar.sync 3, 128;
        sub.u32 %r7, %r1, 64;
        mad.lo.u32 %r5, %r7, 4, %r4;
        ld.shared.u32 %r6, [%r5];
        add.u32 %r7, %r7, 1000;
        setp.eq.u32 %p2, %r6, %r7;
        selp.u32 %r9, 1, 0, %p2;
        DONE:""", block=128, decl=shared)
    # Producer and consumer take turns on two named barriers, 50 times.
    program(s, "named_pair", """
        mov.u32 %r4, buf;
        mov.u32 %r10, 0;
        setp.ge.u32 %p1, %r1, 32;
        and.b32 %r5, %r1, 31;
        mad.lo.u32 %r5, %r5, 4, %r4;
        @%p1 bra CONSUMER;
        PRODUCER:
        add.u32 %r6, %r10, %r1;
        st.shared.u32 [%r5], %r6;
        barrier.arrive 1, 64;
        barrier.sync 2, 64;
        add.u32 %r10, %r10, 1;
        setp.lt.u32 %p2, %r10, 50;
        @%p2 bra PRODUCER;
        mov.u32 %r9, 1225;
        bra DONE;
        CONSUMER:
        barrier.sync 1, 64;
        ld.shared.u32 %r6, [%r5];
        add.u32 %r9, %r9, %r6;
        sub.u32 %r9, %r9, %r1;
        add.u32 %r9, %r9, 32;
        barrier.arrive 2, 64;
        add.u32 %r10, %r10, 1;
        setp.lt.u32 %p2, %r10, 50;
        @%p2 bra CONSUMER;
        DONE:""", block=64, expect=words([1225]), decl=shared)
    # Threads that have exited count as arrived.
    program(s, "exited_arrive", """
        mov.u32 %r9, 1;
        st.global.u32 [%q1], %r9;
        setp.ge.u32 %p1, %r1, 70;
        @%p1 exit;
        bar.sync 0;""", block=128)
    program(s, "barrier_all_exit", """
        mov.u32 %r9, 1;
        st.global.u32 [%q1], %r9;
        setp.ge.u32 %p1, %r1, 32;
        @%p1 ret;
        bar.sync 0;""", block=96)


def warps():
    s = "sync"
    # bar.warp.sync orders shared memory within the warp; odd and even lanes come from both sides of a branch.
    program(s, "bar_warp_sync", """
        mov.u32 %r4, buf;
        mad.lo.u32 %r5, %r1, 4, %r4;
        and.b32 %r6, %r1, 1;
        setp.eq.u32 %p1, %r6, 0;
        @%p1 bra EVEN;
        st.shared.u32 [%r5], 7;
        bar.warp.sync -1;
        bra READ;
        EVEN:
        st.shared.u32 [%r5], 6;
        bar.warp.sync 0xffffffff;
        READ:
        xor.b32 %r7, %r1, 1;
        mad.lo.u32 %r5, %r7, 4, %r4;
        ld.shared.u32 %r8, [%r5];
        xor.b32 %r6, %r6, 7;
        setp.eq.u32 %p2, %r8, %r6;
        selp.u32 %r9, 1, 0, %p2;""", decl=".shared .align 4 .b8 buf[4096];")
    lanes = range(64)
    program(s, "ballot_divergent", """
        and.b32 %r4, %r1, 3;
        setp.eq.u32 %p1, %r4, 1;
        @!%p1 bra OTHERS;
        vote.sync.ballot.b32 %r9, %p1, 0x22222222;
        bra DONE;
        OTHERS:
        setp.lt.u32 %p2, %r4, 1;
        vote.sync.ballot.b32 %r9, %p2, 0xdddddddd;
        DONE:""", expect=words([0x22222222 if i % 4 == 1 else 0x11111111 for i in lanes]))
    program(s, "activemask_divergent", """
        and.b32 %r4, %r1, 31;
        setp.lt.u32 %p1, %r4, 12;
        @!%p1 bra DONE;
        activemask.b32 %r9;
        DONE:""", expect=words([0xfff if i % 32 < 12 else 0 for i in lanes]))
    program(s, "activemask_guarded", "and.b32 %r4, %r1, 31;\nsetp.lt.u32 %p1, %r4, 9;\n@%p1 activemask.b32 %r9;",
            expect=words([0x1ff if i % 32 < 9 else 0 for i in lanes]))
    program(s, "shfl_divergent", """
        and.b32 %r4, %r1, 1;
        setp.eq.u32 %p1, %r4, 0;
        add.u32 %r5, %r1, 100;
        @%p1 bra EVEN;
        shfl.sync.idx.b32 %r9, %r5, 3, 31, 0xaaaaaaaa;
        bra DONE;
        EVEN:
        shfl.sync.idx.b32 %r9, %r5, 4, 31, 0x55555555;
        DONE:""", expect=words([100 + (i & 32) + (4 if i % 2 == 0 else 3) for i in lanes]))
    program(s, "shfl_whole_warp_from_two_sides", """
        and.b32 %r4, %r1, 1;
        setp.eq.u32 %p1, %r4, 0;
        @%p1 bra EVEN;
        shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;
        bra DONE;
        EVEN:
        shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;
        DONE:""", expect=words([i ^ 1 for i in lanes]))
    program(s, "redux_divergent", """
        and.b32 %r4, %r1, 31;
        setp.lt.u32 %p1, %r4, 10;
        @!%p1 bra DONE;
        redux.sync.add.u32 %r9, %r4, 0x3ff;
        DONE:""", expect=words([45 if i % 32 < 10 else 0 for i in lanes]))
    program(s, "match_divergent", """
        and.b32 %r4, %r1, 31;
        shr.u32 %r5, %r4, 2;
        setp.lt.u32 %p1, %r4, 10;
        @!%p1 bra DONE;
        match.any.sync.b32 %r9, %r5, 0x3ff;
        DONE:""", expect=words([0xf if i % 32 < 4 else 0xf0 if i % 32 < 8 else 0x300 if i % 32 < 10 else 0 for i in lanes]))
    program(s, "elect_sync", """
        elect.sync %r4|%p1, -1;
        vote.sync.ballot.b32 %r5, %p1, -1;
        popc.b32 %r6, %r5;
        bfind.u32 %r7, %r5;
        setp.eq.u32 %p2, %r6, 1;
        setp.eq.and.u32 %p3, %r7, %r4, %p2;
        selp.u32 %r9, 1, 0, %p3;""")
    program(s, "elect_sync_part", """
        and.b32 %r8, %r1, 31;
        setp.lt.u32 %p5, %r8, 20;
        @!%p5 bra OTHERS;
        elect.sync _|%p1, 0xfffff;
        vote.sync.ballot.b32 %r5, %p1, 0xfffff;
        popc.b32 %r9, %r5;
        bra DONE;
        OTHERS:
        mov.u32 %r9, 1;
        DONE:""")
    # A lock taken by each lane of a warp in turn, and by warps and blocks.
    program(s, "spin_lock", """
        LOCK:
        atom.global.acquire.gpu.cas.b32 %r4, [%q2], 0, 1;
        setp.ne.u32 %p1, %r4, 0;
        @%p1 bra LOCK;
        ld.relaxed.gpu.global.u32 %r5, [%q2+64];
        add.u32 %r5, %r5, 1;
        st.relaxed.gpu.global.u32 [%q2+64], %r5;
        atom.global.release.gpu.exch.b32 %r4, [%q2], 0;
        atom.global.add.u32 %r6, [%q2+128], 1;
        WAIT:
        ld.acquire.gpu.global.u32 %r7, [%q2+128];
        setp.lt.u32 %p2, %r7, 128;
        @%p2 bra WAIT;
        ld.relaxed.gpu.global.u32 %r9, [%q2+64];""", grid=2, block=64, expect=words([128]))
    # Fences in all forms: message passing from block 0 to block 1.
    for k, fence in enumerate(("membar.gl;", "membar.sys;", "fence.acq_rel.gpu;", "fence.sc.gpu;", "fence.acq_rel.sys;",
                               "fence.sc.sys;", "membar.cta;\nmembar.gl;", "fence.acq_rel.cta;\nfence.sc.cta;\nfence.acq_rel.cluster;\nmembar.gl;")):
        program(s, "fence_%d" % k, """
            mov.u32 %%r4, %%ctaid.x;
            mad.wide.u32 %%q3, %%r1, 4, %%q2;
            setp.ne.u32 %%p1, %%r4, 0;
            @%%p1 bra READ;
            add.u32 %%r5, %%r1, 77;
            st.global.u32 [%%q3+1024], %%r5;
            %s
            st.volatile.global.u32 [%%q3+4096], 1;
            mov.u32 %%r9, 1;
            bra DONE;
            READ:
            ld.volatile.global.u32 %%r6, [%%q3+4096];
            setp.eq.u32 %%p2, %%r6, 0;
            @%%p2 bra READ;
            %s
            ld.volatile.global.u32 %%r7, [%%q3+1024];
            add.u32 %%r5, %%r1, 77;
            setp.eq.u32 %%p3, %%r7, %%r5;
            selp.u32 %%r9, 1, 0, %%p3;
            DONE:""" % (fence, fence), grid=2, block=32)
    program(s, "nanosleep", "nanosleep.u32 100;\nmov.u32 %r4, 20;\nnanosleep.u32 %r4;\nmov.u32 %r9, 1;")
    # Everybody adds to one cell: the old values are all different and the sum is right.
    for space, cell in (("global", "[%q2]"), ("shared", "[cell]")):
        program(s, "contended_" + space, """
            mov.u32 %%r5, buf;
            mad.lo.u32 %%r5, %%r1, 4, %%r5;
            st.shared.u32 [%%r5], 0;
            st.shared.u32 [cell], 0;
            bar.sync 0;
            atom.%s.add.u32 %%r4, %s, 1;
            mov.u32 %%r5, buf;
            mad.lo.u32 %%r5, %%r4, 4, %%r5;
            red.shared.add.u32 [%%r5], 1;
            bar.sync 0;
            mov.u32 %%r5, buf;
            mad.lo.u32 %%r5, %%r1, 4, %%r5;
            ld.shared.u32 %%r9, [%%r5];""" % (space, cell), block=256,
                decl=".shared .align 4 .b8 buf[1024];\n.shared .align 4 .u32 cell;")


# ---- control ----

FUNCTIONS = """.func (.param .b32 r) twice(.param .b32 a)
{
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [a];
    add.u32 %r2, %r1, %r1;
    st.param.b32 [r], %r2;
    ret;
}
.func (.param .b32 r) thrice(.param .b32 a)
{
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [a];
    mul.lo.u32 %r2, %r1, 3;
    st.param.b32 [r], %r2;
    ret;
}
.func (.param .b32 r) fib(.param .b32 a)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    ld.param.u32 %r1, [a];
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra BASE;
    sub.u32 %r2, %r1, 1;
    {
        .param .b32 x;
        .param .b32 y;
        st.param.b32 [x], %r2;
        call (y), fib, (x);
        ld.param.b32 %r3, [y];
    }
    sub.u32 %r4, %r1, 2;
    {
        .param .b32 x;
        .param .b32 y;
        st.param.b32 [x], %r4;
        call (y), fib, (x);
        ld.param.b32 %r5, [y];
    }
    add.u32 %r6, %r3, %r5;
    st.param.b32 [r], %r6;
    ret;
BASE:
    st.param.b32 [r], %r1;
    ret;
}
.func (.param .align 16 .b8 r[16]) mixed(.param .b64 a, .param .b32 b, .param .align 8 .b8 c[16], .param .b16 h, .param .b8 e)
{
    .reg .b16 %h<4>;
    .reg .b32 %r<8>;
    .reg .b64 %q<8>;
    ld.param.u64 %q1, [a];
    ld.param.u32 %r1, [b];
    ld.param.v2.u32 {%r2, %r3}, [c];
    ld.param.u64 %q2, [c+8];
    ld.param.u16 %h1, [h];
    ld.param.s8 %r4, [e];
    cvt.u32.u16 %r5, %h1;
    add.u32 %r6, %r1, %r2;
    add.u32 %r7, %r5, %r4;
    add.u64 %q3, %q1, %q2;
    st.param.v2.b32 [r], {%r6, %r3};
    st.param.b32 [r+8], %r7;
    cvt.u32.u64 %r6, %q3;
    st.param.b32 [r+12], %r6;
    ret;
}
.func (.param .b128 r) turned(.param .b32 x, .param .b128 a)
{
    .reg .b64 %q<4>;
    .reg .b128 %w<4>;
    ld.param.b128 %w1, [a];
    mov.b128 {%q1, %q2}, %w1;
    ld.param.u32 %q3, [x];
    add.u64 %q1, %q1, %q3;
    mov.b128 %w2, {%q2, %q1};
    st.param.b128 [r], %w2;
    ret;
}
.func nothing()
{
    ret;
}
.func stop(.param .b32 a)
{
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    ld.param.u32 %r1, [a];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 exit;
    ret;
}

"""


def call(name, reg="%r1", to="%r9"):
    return """{
        .param .b32 x;
        .param .b32 y;
        st.param.b32 [x], %s;
        call (y), %s, (x);
        ld.param.b32 %s, [y];
        }""" % (reg, name, to)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


# Arguments narrower than a register, and what the driver's own functions are called with.
NARROW = """.func (.param .b32 r) narrow(.param .b8 a, .param .b16 b)
{
    .reg .b16 %h<4>;
    .reg .b32 %r<4>;
    ld.param.b8 %h1, [a];
    cvt.u32.u8 %r1, %h1;
    ld.param.s16 %r2, [b];
    mad.lo.u32 %r1, %r1, 65536, %r2;
    st.param.b32 [r], %r1;
    ret;
}
"""
BUILTINS = """.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
"""


def control():
    s = "control"
    lanes = range(64)
    program(s, "call_narrow", """
        neg.s32 %r4, %r1;
        cvt.u16.u32 %h1, %r1;
        cvt.u16.u32 %h2, %r4;
        {
        .param .b8 x;
        .param .b16 y;
        .param .b32 z;
        st.param.b8 [x], %h1;
        st.param.b16 [y], %h2;
        call (z), narrow, (x, y);
        ld.param.b32 %r9, [z];
        }""", expect=words([i * 65536 - i for i in lanes]), top=NARROW)
    program(s, "call_malloc", """
        {
        .param .b64 size;
        .param .b64 p;
        st.param.b64 [size], 64;
        call (p), malloc, (size);
        ld.param.b64 %q3, [p];
        }
        setp.eq.u64 %p1, %q3, 0;
        @%p1 bra DONE;
        st.u32 [%q3+60], %r2;
        bar.warp.sync -1;
        ld.u32 %r9, [%q3+60];
        {
        .param .b64 p;
        st.param.b64 [p], %q3;
        call free, (p);
        }
        DONE:""", expect=words(lanes), top=BUILTINS)
    program(s, "trap_not_reached", """
        setp.ge.u32 %p1, %r1, %r3;
        @%p1 trap;
        mov.u32 %r9, 1;""")
    program(s, "loop_unless", """
        AGAIN:
        add.u32 %r9, %r9, 1;
        setp.gt.u32 %p1, %r9, %r1;
        @!%p1 bra AGAIN;""", expect=words([i + 1 for i in lanes]))
    program(s, "const_b128", """
        ld.const.b128 %w1, [wide+16];
        mov.b128 {%q3, %q4}, %w1;
        shr.u64 %q4, %q4, 32;
        cvt.u32.u64 %r9, %q4;""", expect="out[0..] = 8", decl=".reg .b128 %w<2>;",
            top=".const .align 16 .b32 wide[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n")
    program(s, "call", call("twice"), expect=words([2 * i for i in lanes]), top=FUNCTIONS)
    program(s, "call_uni", call("twice").replace("call (", "call.uni ("), expect=words([2 * i for i in lanes]))
    program(s, "call_none", "call nothing;\ncall nothing, ();\nmov.u32 %r9, 1;")
    program(s, "call_divergent", """
        and.b32 %%r4, %%r1, 1;
        setp.eq.u32 %%p1, %%r4, 0;
        @%%p1 bra EVEN;
        %s
        bra DONE;
        EVEN:
        %s
        DONE:
        activemask.b32 %%r5;
        setp.ne.u32 %%p2, %%r5, -1;
        @%%p2 mov.u32 %%r9, 12345;""" % (call("twice"), call("thrice")),
            expect=words([(2 if i & 1 else 3) * i for i in lanes]))
    program(s, "call_recursive", "and.b32 %r8, %r1, 7;\n" + call("fib", "%r8"), expect=words([fib(i & 7) for i in lanes]))
    program(s, "call_indirect", """
        mov.u64 %q3, twice;
        mov.u64 %q4, thrice;
        and.b32 %r4, %r1, 3;
        setp.eq.u32 %p1, %r4, 2;
        selp.b64 %q5, %q4, %q3, %p1;
        {
        .param .b32 x;
        .param .b32 y;
        st.param.b32 [x], %r1;
        proto: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (y), %q5, (x), proto;
        ld.param.b32 %r9, [y];
        }""", expect=words([(3 if i & 3 == 2 else 2) * i for i in lanes]))
    program(s, "call_table", """
        and.b32 %r4, %r1, 1;
        mov.u64 %q3, pointers;
        mad.wide.u32 %q3, %r4, 8, %q3;
        ld.global.u64 %q5, [%q3];
        {
        .param .b32 x;
        .param .b32 y;
        st.param.b32 [x], %r1;
        targets: .calltargets twice, thrice;
        call (y), %q5, (x), targets;
        ld.param.b32 %r9, [y];
        }""", expect=words([(3 if i & 1 else 2) * i for i in lanes]), top=".global .align 8 .u64 pointers[2] = {twice, thrice};\n\n")
    program(s, "call_wide", """
        mad.wide.u32 %q4, %r1, 3, 7;
        mad.wide.u32 %q5, %r1, 5, 11;
        mov.b128 %w1, {%q4, %q5};
        {
        .param .b32 x;
        .param .b128 a;
        .param .b128 r;
        st.param.b32 [x], %r1;
        st.param.b128 [a], %w1;
        call (r), turned, (x, a);
        ld.param.b128 %w2, [r];
        }
        mov.b128 {%q6, %q7}, %w2;
        mad.lo.u64 %q6, %q6, 1000, %q7;
        cvt.u32.u64 %r9, %q6;""", decl=".reg .b128 %w<4>;", expect=words([(5 * i + 11) * 1000 + 4 * i + 7 for i in lanes]))
    program(s, "call_mixed", """
        {
        .param .b64 a;
        .param .b32 b;
        .param .align 8 .b8 c[16];
        .param .b16 h;
        .param .b8 e;
        .param .align 16 .b8 r[16];
        mov.u64 %q3, 40000000000;
        st.param.b64 [a], %q3;
        st.param.b32 [b], %r1;
        st.param.v2.b32 [c], {%r1, 55};
        st.param.b64 [c+8], 7;
        mov.u16 %h1, 65535;
        st.param.b16 [h], %h1;
        mov.u32 %r4, 254;
        st.param.b8 [e], %r4;
        call (r), mixed, (a, b, c, h, e);
        ld.param.v4.b32 {%r5, %r6, %r7, %r8}, [r];
        }
        add.u32 %r10, %r1, %r1;
        setp.eq.u32 %p1, %r5, %r10;
        setp.eq.and.u32 %p1, %r6, 55, %p1;
        setp.eq.and.u32 %p1, %r7, 65533, %p1;
        setp.eq.and.u32 %p1, %r8, 1345294343, %p1;
        selp.u32 %r9, 1, 0, %p1;""")
    program(s, "exit_in_function", """
        mov.u32 %r9, 1;
        st.global.u32 [%q1], %r9;
        and.b32 %r4, %r1, 3;
        {
        .param .b32 x;
        st.param.b32 [x], %r4;
        call stop, (x);
        }
        mov.u32 %r9, 2;""", expect=words([1 if i & 3 == 0 else 2 for i in lanes]))
    program(s, "brx_idx", """
        and.b32 %r4, %r1, 3;
        ts: .branchtargets A, B, C, D;
        brx.idx %r4, ts;
        A:
        mov.u32 %r9, 10;
        bra DONE;
        B:
        mov.u32 %r9, 20;
        bra DONE;
        C:
        mov.u32 %r9, 30;
        D:
        add.u32 %r9, %r9, 1;
        DONE:
        activemask.b32 %r5;
        setp.ne.u32 %p2, %r5, -1;
        @%p2 mov.u32 %r9, 12345;""", expect=words([[10, 20, 31, 1][i & 3] for i in lanes]))
    program(s, "brx_idx_uniform", """
        shr.u32 %r4, %r1, 5;
        ts: .branchtargets A, B;
        brx.idx.uni %r4, ts;
        A:
        mov.u32 %r9, 10;
        bra.uni DONE;
        B:
        mov.u32 %r9, 20;
        DONE:""", expect=words([10 if i < 32 else 20 for i in lanes]))
    # Collatz: every lane leaves the loop at its own time, and they meet again after it.
    def collatz(i):
        n = 0
        while i != 1:
            i, n = (3 * i + 1 if i & 1 else i // 2), n + 1
        return n
    program(s, "loop_divergent", """
        add.u32 %r4, %r1, 1;
        LOOP:
        setp.eq.u32 %p1, %r4, 1;
        @%p1 bra AFTER;
        and.b32 %r5, %r4, 1;
        setp.eq.u32 %p2, %r5, 0;
        @%p2 bra EVEN;
        mad.lo.u32 %r4, %r4, 3, 1;
        bra NEXT;
        EVEN:
        shr.u32 %r4, %r4, 1;
        NEXT:
        add.u32 %r9, %r9, 1;
        bra LOOP;
        AFTER:
        activemask.b32 %r5;
        setp.ne.u32 %p3, %r5, -1;
        @%p3 mov.u32 %r9, 12345;""", expect=words([collatz(i + 1) for i in lanes]))
    program(s, "nested_divergence", """
        and.b32 %r4, %r1, 1;
        and.b32 %r5, %r1, 2;
        setp.eq.u32 %p1, %r4, 0;
        setp.eq.u32 %p2, %r5, 0;
        @%p1 bra ONE;
        add.u32 %r9, %r9, 1;
        @%p2 bra TWO;
        add.u32 %r9, %r9, 2;
        TWO:
        add.u32 %r9, %r9, 4;
        ONE:
        activemask.b32 %r6;
        setp.eq.u32 %p3, %r6, -1;
        @%p3 add.u32 %r9, %r9, 8;""", expect=words([8 + (0 if i % 2 == 0 else 5 + (2 if i & 2 else 0)) for i in lanes]))
    program(s, "predicated", """
        setp.lt.u32 %p1, %r1, 20;
        @%p1 mov.u32 %r9, 5;
        @!%p1 mov.u32 %r9, 6;
        @%p1 st.global.u32 [%q1], 9;
        @%p1 ld.global.u32 %r4, [%q1];
        @%p1 add.u32 %r9, %r9, %r4;""", expect=words([14 if i < 20 else 6 for i in lanes]))
    program(s, "exit_some", """
        st.global.u32 [%q1], 3;
        and.b32 %r4, %r1, 5;
        setp.eq.u32 %p1, %r4, 0;
        @%p1 exit;
        activemask.b32 %r9;""", expect=words([3 if i & 5 == 0 else sum(1 << l for l in range(32) if l & 5) for i in lanes]))
    program(s, "tiny_block", "activemask.b32 %r9;", block=5, expect=words([31]))


# ---- places ----

def places():
    s = "places"
    lanes = range(64)
    top = """.const .align 8 .b8 cbytes[16] = {1, 2, 3, 4, 250, 251, 252, 253, 9, 10, 11, 12, 13, 14, 15, 16};
.const .align 8 .u32 cwords[4] = {100, 200, 300, 4000000000};
.const .align 8 .f64 cdouble = 0d3FF8000000000000;
.const .align 4 .f32 cfloat = 0f40490FDB;
.global .align 4 .u32 gword = 123456789;
.global .align 8 .b8 gbytes[8] = {1, 128, 3, 4, 5, 6, 7, 255};
.global .align 8 .u64 gpointer = generic(gword);
.global .align 8 .u64 gpointer2 = gbytes+4;
.global .align 4 .u32 gzero[4];
.visible .global .align 16 .b8 garray[64];

"""
    program(s, "const_loads", """
        ld.const.u8 %r4, [cbytes+4];
        ld.const.s8 %r5, [cbytes+4];
        ld.const.u16 %r6, [cbytes+2];
        ld.const.s16 %r7, [cbytes+4];
        ld.const.u32 %r8, [cwords+4];
        ld.const.u64 %q3, [cbytes];
        ld.const.v2.u32 {%r10, %r11}, [cwords+8];
        ld.const.v4.u8 {%r12, %r13, %r14, %r15}, [cbytes+8];
        setp.eq.u32 %p1, %r4, 250;
        setp.eq.and.s32 %p1, %r5, -6, %p1;
        setp.eq.and.u32 %p1, %r6, 0x0403, %p1;
        setp.eq.and.s32 %p1, %r7, -1030, %p1;
        setp.eq.and.u32 %p1, %r8, 200, %p1;
        setp.eq.and.u64 %p1, %q3, 0xfdfcfbfa04030201, %p1;
        setp.eq.and.u32 %p1, %r10, 300, %p1;
        setp.eq.and.u32 %p1, %r11, 4000000000, %p1;
        setp.eq.and.u32 %p1, %r12, 9, %p1;
        setp.eq.and.u32 %p1, %r15, 12, %p1;
        selp.u32 %r9, 1, 0, %p1;""", top=top)
    program(s, "const_vectors", """
        ld.const.v2.s8 {%r4, %r5}, [cbytes+4];
        ld.const.v4.s8 {%r10, %r11, %r12, %r13}, [cbytes+4];
        ld.const.v2.u8 {%r14, %r15}, [cbytes+4];
        ld.const.v2.s16 {%r16, %r17}, [cbytes+4];
        ld.const.v4.s16 {%r18, %r19, %r20, %r21}, [cbytes];
        ld.const.v2.u16 {%r22, %r23}, [cbytes];
        ld.const.v4.u16 {%r24, %r25, %r26, %r27}, [cbytes+8];
        ld.const.v4.u32 {%r28, %r29, %r30, %r31}, [cwords];
        ld.const.v2.u64 {%q3, %q4}, [cbytes];
        ld.const.s32 %q5, [cwords+12];
        ld.const.v2.s32 {%q6, %q7}, [cwords+8];
        setp.eq.s32 %p1, %r4, -6;
        setp.eq.and.s32 %p1, %r5, -5, %p1;
        setp.eq.and.s32 %p1, %r13, -3, %p1;
        setp.eq.and.u32 %p1, %r15, 251, %p1;
        setp.eq.and.s32 %p1, %r16, -1030, %p1;
        setp.eq.and.s32 %p1, %r17, -516, %p1;
        setp.eq.and.s32 %p1, %r18, 0x0201, %p1;
        setp.eq.and.s32 %p1, %r21, -516, %p1;
        setp.eq.and.u32 %p1, %r23, 0x0403, %p1;
        setp.eq.and.u32 %p1, %r27, 0x100f, %p1;
        setp.eq.and.u32 %p1, %r28, 100, %p1;
        setp.eq.and.u32 %p1, %r31, 4000000000, %p1;
        setp.eq.and.u64 %p1, %q4, 0x100f0e0d0c0b0a09, %p1;
        setp.eq.and.s64 %p1, %q5, -294967296, %p1;
        setp.eq.and.s64 %p1, %q6, 300, %p1;
        setp.eq.and.s64 %p1, %q7, -294967296, %p1;
        selp.u32 %r9, 1, 0, %p1;""")
    program(s, "const_gather", """
        and.b32 %r4, %r1, 3;
        mov.u64 %q3, cwords;
        mad.wide.u32 %q3, %r4, 4, %q3;
        ld.const.u32 %r9, [%q3];""", expect=words([[100, 200, 300, 4000000000][i & 3] for i in lanes]))
    program(s, "const_generic", """
        mov.u64 %q3, cwords;
        cvta.const.u64 %q4, %q3;
        ld.u32 %r4, [%q4+4];
        cvta.to.const.u64 %q5, %q4;
        ld.const.u32 %r5, [%q5+4];
        isspacep.const %p1, %q4;
        setp.eq.and.u32 %p1, %r4, 200, %p1;
        setp.eq.and.u32 %p1, %r5, 200, %p1;
        selp.u32 %r9, 1, 0, %p1;""")
    program(s, "param_space", """
        mov.b64 %q3, in1;
        cvta.param.u64 %q3, %q3;
        ld.u64 %q4, [%q3];
        ld.param.u64 %q5, [in1];
        mov.u64 %q6, cwords;
        cvta.const.u64 %q6, %q6;
        mov.u64 %q7, sbuf;
        cvta.shared.u64 %q7, %q7;
        isspacep.param %p1, %q3;
        isspacep.param::entry %p2, %q3;
        isspacep.const %p3, %q3;
        isspacep.param %p4, %q6;
        isspacep.const %p5, %q6;
        isspacep.param %p6, %q2;
        isspacep.param %p7, %q7;
        setp.eq.u64 %p8, %q4, %q5;
        selp.u32 %r9, 1, 0, %p1;
        @%p2 or.b32 %r9, %r9, 2;
        @%p3 or.b32 %r9, %r9, 4;
        @%p4 or.b32 %r9, %r9, 8;
        @%p5 or.b32 %r9, %r9, 16;
        @%p6 or.b32 %r9, %r9, 32;
        @%p7 or.b32 %r9, %r9, 64;
        @%p8 or.b32 %r9, %r9, 128;""", expect=words([1 + 2 + 16 + 128]), decl=".shared .align 4 .b8 sbuf[16];")
    # An H200 calls parameters global, but not constants.
    program(s, "global_space", """
        mov.b64 %q3, in1;
        cvta.param.u64 %q3, %q3;
        mov.u64 %q6, cwords;
        cvta.const.u64 %q6, %q6;
        isspacep.global %p1, %q3;
        isspacep.global %p2, %q6;
        isspacep.global %p3, %q2;
        selp.u32 %r9, 1, 0, %p1;
        @%p2 or.b32 %r9, %r9, 2;
        @%p3 or.b32 %r9, %r9, 4;""", expect=words([1 + 4]))
    # fma.oob: 1, the filler of either sign, a NaN, -2 and 0 with each other, and 1 added
    for t, one, two in (("f16", 0x3c00, 0xc000), ("bf16", 0x3f80, 0xc000)):
        pick = [one, 0x7ff7, 0xfff7, 0x7fff, two, 0]

        def fma(a, b, relu):
            if 0x7ff7 in (a & 0x7fff, b & 0x7fff):
                return 0
            if a == 0x7fff or b == 0x7fff:
                return 0x7fff
            product = {one: 1, two: -2, 0: 0}[a] * {one: 1, two: -2, 0: 0}[b] + 1
            product = max(0, product) if relu else product
            return {1: one, 2: one + (0x400 if t == "f16" else 0x80), -1: one | 0x8000, 0: 0,
                    5: 0x4500 if t == "f16" else 0x40a0}[product]
        for relu in (0, 1):
            pairs = [(pick[i % 6], pick[i // 6 % 6]) for i in lanes]
            other = [(b, a) for a, b in pairs[1:] + pairs[:1]]
            program(s, "fma_oob_%s%s" % (t, "_relu" if relu else ""), """
                rem.u32 %%r4, %%r1, 6;
                div.u32 %%r5, %%r1, 6;
                rem.u32 %%r5, %%r5, 6;
                add.u32 %%r6, %%r1, 1;
                rem.u32 %%r6, %%r6, 64;
                rem.u32 %%r7, %%r6, 6;
                div.u32 %%r8, %%r6, 6;
                rem.u32 %%r8, %%r8, 6;
                mov.u32 %%r20, %d;
                """ % one + "\n".join("""
                setp.eq.u32 %%p1, %%r%d, 1;
                selp.u32 %%r%d, 0x7ff7, %d, %%p1;
                setp.eq.u32 %%p1, %%r%d, 2;
                selp.u32 %%r%d, 0xfff7, %%r%d, %%p1;
                setp.eq.u32 %%p1, %%r%d, 3;
                selp.u32 %%r%d, 0x7fff, %%r%d, %%p1;
                setp.eq.u32 %%p1, %%r%d, 4;
                selp.u32 %%r%d, %d, %%r%d, %%p1;
                setp.eq.u32 %%p1, %%r%d, 5;
                selp.u32 %%r%d, 0, %%r%d, %%p1;""" % (k, to, one, k, to, to, k, to, to, k, to, two, to, k, to, to)
                    for k, to in ((4, 10), (5, 11), (8, 12), (7, 13))) + """
                shl.b32 %%r14, %%r12, 16;
                or.b32 %%r14, %%r14, %%r10;
                shl.b32 %%r15, %%r13, 16;
                or.b32 %%r15, %%r15, %%r11;
                mov.u32 %%r16, %d;
                fma.rn.oob%s.%sx2 %%r9, %%r14, %%r15, %%r16;
                cvt.u16.u32 %%h1, %%r10;
                cvt.u16.u32 %%h2, %%r11;
                cvt.u16.u32 %%h3, %%r20;
                fma.rn.oob%s.%s %%h4, %%h1, %%h2, %%h3;
                cvt.u32.u16 %%r17, %%h4;
                and.b32 %%r18, %%r9, 65535;
                setp.ne.u32 %%p1, %%r17, %%r18;
                @%%p1 mov.u32 %%r9, 0x12345678;""" % (one << 16 | one, ".relu" if relu else "", t, ".relu" if relu else "", t),
                    expect=words([fma(*p, relu) | fma(*q, relu) << 16 for p, q in zip(pairs, other)]))
    program(s, "const_floats", """
        ld.const.f64 %q3, [cdouble];
        ld.const.f32 %r4, [cfloat];
        setp.eq.f64 %p1, %q3, 0d3FF8000000000000;
        setp.eq.and.f32 %p1, %r4, 0f40490FDB, %p1;
        selp.u32 %r9, 1, 0, %p1;""")
    program(s, "globals", """
        ld.global.u32 %r4, [gword];
        ld.global.s8 %r5, [gbytes+1];
        ld.global.u64 %q3, [gpointer];
        ld.u32 %r6, [%q3];
        ld.global.u64 %q4, [gpointer2];
        ld.global.u8 %r7, [%q4+3];
        ld.global.u32 %r8, [gzero+12];
        setp.eq.u32 %p1, %r4, 123456789;
        setp.eq.and.s32 %p1, %r5, -128, %p1;
        setp.eq.and.u32 %p1, %r6, 123456789, %p1;
        setp.eq.and.u32 %p1, %r7, 255, %p1;
        setp.eq.and.u32 %p1, %r8, 0, %p1;
        selp.u32 %r9, 1, 0, %p1;""")
    program(s, "spaces", """
        mov.u64 %q3, sbuf;
        cvta.shared.u64 %q3, %q3;
        mov.u64 %q4, lbuf;
        cvta.local.u64 %q4, %q4;
        cvta.global.u64 %q5, %q2;
        isspacep.shared %p1, %q3;
        isspacep.shared %p2, %q4;
        isspacep.shared %p3, %q5;
        isspacep.local %p4, %q3;
        isspacep.local %p5, %q4;
        isspacep.local %p6, %q5;
        isspacep.global %p7, %q3;
        isspacep.global %p8, %q4;
        isspacep.global %p9, %q5;
        selp.u32 %r9, 1, 0, %p1;
        @%p2 or.b32 %r9, %r9, 2;
        @%p3 or.b32 %r9, %r9, 4;
        @%p4 or.b32 %r9, %r9, 8;
        @%p5 or.b32 %r9, %r9, 16;
        @%p6 or.b32 %r9, %r9, 32;
        @%p7 or.b32 %r9, %r9, 64;
        @%p8 or.b32 %r9, %r9, 128;
        @%p9 or.b32 %r9, %r9, 256;
        st.shared.u32 [sbuf], 0;
        cvta.to.shared.u64 %q6, %q3;
        cvta.to.local.u64 %q7, %q4;
        cvta.to.global.u64 %q8, %q5;
        setp.ne.u64 %p10, %q8, %q2;
        @%p10 or.b32 %r9, %r9, 512;
        mov.u64 %q9, sbuf;
        setp.ne.u64 %p10, %q6, %q9;
        @%p10 or.b32 %r9, %r9, 1024;
        mov.u64 %q9, lbuf;
        setp.ne.u64 %p10, %q7, %q9;
        @%p10 or.b32 %r9, %r9, 2048;""", expect=words([1 + 16 + 256]),
            decl=".shared .align 4 .b8 sbuf[16];\n.local .align 4 .b8 lbuf[16];")
    program(s, "param_widths", """
        ld.param.u32 %r4, [out];
        ld.param.u32 %r5, [out+4];
        ld.param.u64 %q3, [out];
        ld.param.v2.u32 {%r6, %r7}, [out];
        ld.param.u16 %r8, [out+2];
        ld.param.u8 %r10, [n];
        ld.param.s8 %r11, [n];
        ld.param.v2.u64 {%q4, %q5}, [in2];
        ld.param.v4.u16 {%h1, %h2, %h3, %h4}, [out];
        cvt.u32.u64 %r12, %q3;
        shr.u64 %q6, %q3, 32;
        cvt.u32.u64 %r13, %q6;
        shr.u32 %r14, %r12, 16;
        cvt.u32.u16 %r15, %h2;
        setp.eq.u32 %p1, %r4, %r12;
        setp.eq.and.u32 %p1, %r5, %r13, %p1;
        setp.eq.and.u32 %p1, %r6, %r12, %p1;
        setp.eq.and.u32 %p1, %r7, %r13, %p1;
        setp.eq.and.u32 %p1, %r8, %r14, %p1;
        setp.eq.and.u32 %p1, %r15, %r14, %p1;
        setp.eq.and.u32 %p1, %r10, 192, %p1;
        setp.eq.and.s32 %p1, %r11, -64, %p1;
        selp.u32 %r9, 1, 0, %p1;""", grid=3)
    program(s, "dynamic_shared", """
        mov.u32 %r4, dyn;
        mad.lo.u32 %r4, %r1, 16, %r4;
        st.shared.u32 [%r4+12], %r1;
        bar.sync 0;
        ld.shared.u32 %r9, [%r4+12];
        mov.u32 %r5, %dynamic_smem_size;
        add.u32 %r9, %r9, %r5;""", expect=words([i + 4096 for i in lanes]), shared=4096,
            top=".extern .shared .align 16 .b8 dyn[];\n\n")
    # cp.async in its sizes; with fewer bytes read than written the rest is zeros.
    program(s, "cp_async", """
        mad.wide.u32 %q3, %r1, 32, %q2;
        add.u32 %r4, %r1, 1;
        mov.u32 %r11, 0x01010101;
        st.global.v4.u32 [%q3], {%r4, %r11, %r11, %r11};
        st.global.v4.u32 [%q3+16], {%r11, %r11, %r11, %r4};
        bar.sync 0;
        mov.u32 %r5, abuf;
        mad.lo.u32 %r5, %r1, 64, %r5;
        cp.async.ca.shared.global [%r5], [%q3], 4;
        cp.async.ca.shared.global [%r5+8], [%q3+8], 8;
        cp.async.cg.shared.global [%r5+16], [%q3+16], 16;
        cp.async.ca.shared.global [%r5+32], [%q3], 16, 4;
        mov.u32 %r6, 0;
        cp.async.cg.shared.global [%r5+48], [%q3], 16, %r6;
        cp.async.commit_group;
        cp.async.wait_group 0;
        cp.async.wait_all;
        ld.shared.u32 %r12, [%r5];
        ld.shared.u32 %r13, [%r5+12];
        ld.shared.u32 %r14, [%r5+28];
        ld.shared.u32 %r15, [%r5+32];
        ld.shared.u32 %r16, [%r5+36];
        ld.shared.u32 %r17, [%r5+48];
        setp.eq.u32 %p1, %r12, %r4;
        setp.eq.and.u32 %p1, %r13, %r11, %p1;
        setp.eq.and.u32 %p1, %r14, %r4, %p1;
        setp.eq.and.u32 %p1, %r15, %r4, %p1;
        setp.eq.and.u32 %p1, %r16, 0, %p1;
        setp.eq.and.u32 %p1, %r17, 0, %p1;
        selp.u32 %r9, 1, 0, %p1;""", decl=".shared .align 16 .b8 abuf[4096];")
    program(s, "prefetch", """
        prefetch.global.L1 [%q2];
        prefetch.global.L2 [%q2];
        prefetch.L1 [%q2];
        prefetchu.L1 [%q2];
        mov.u32 %r9, 1;""")
    registers()


def registers():
    s = "places"
    lanes = range(96)
    for name, want in (("laneid", lambda i: i % 32), ("lanemask_eq", lambda i: 1 << i % 32),
                       ("lanemask_lt", lambda i: (1 << i % 32) - 1), ("lanemask_le", lambda i: (2 << i % 32) - 1),
                       ("lanemask_gt", lambda i: ~((2 << i % 32) - 1)), ("lanemask_ge", lambda i: ~((1 << i % 32) - 1)),
                       ("tid.x", lambda i: i % 48), ("ntid.x", lambda i: 48), ("ctaid.x", lambda i: i // 48),
                       ("nctaid.x", lambda i: 2), ("tid.y", lambda i: 0), ("tid.z", lambda i: 0), ("ntid.y", lambda i: 1),
                       ("ntid.z", lambda i: 1), ("ctaid.y", lambda i: 0), ("ctaid.z", lambda i: 0),
                       ("nctaid.y", lambda i: 1), ("nctaid.z", lambda i: 1), ("clusterid.x", lambda i: i // 48),
                       ("nclusterid.x", lambda i: 2), ("cluster_ctarank", lambda i: 0),
                       ("cluster_nctarank", lambda i: 1), ("cluster_ctaid.x", lambda i: 0),
                       ("cluster_nctaid.x", lambda i: 1), ("dynamic_smem_size", lambda i: 0)):
        block = 48
        values = [want(i if "lane" not in name else i % 48) for i in lanes]
        program(s, "sreg_" + name.replace(".", "_"), "mov.u32 %%r9, %%%s;" % name, grid=2, block=block, expect=words(values))
    program(s, "vector_registers", """
        mov.u32 q.x, %tid.x;
        mov.u32 q.g, 5;
        add.u32 q.b, q.x, q.y;
        sub.u32 q.a, q.z, q.r;
        st.shared.v4.u32 [held], q;
        bar.warp.sync 0xffffffff;
        ld.shared.v2.u32 pair, [held + 8];
        mov.b64 %q3, pair;
        mov.b64 pair, %q3;
        sub.u32 %r9, pair.y, 4;""", block=1, expect=words([1]), decl=".shared .align 16 .b8 held[16];\n.reg .v4 .u32 q;\n.reg .v2 .b32 pair;")
    program(s, "sreg_is_explicit_cluster", "mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r9, 0, 1, %p1;")
    program(s, "sreg_ranges", """
        mov.u32 %r4, %smid;
        mov.u32 %r5, %nsmid;
        setp.lt.u32 %p1, %r4, %r5;
        mov.u32 %r4, %warpid;
        mov.u32 %r5, %nwarpid;
        setp.lt.and.u32 %p1, %r4, %r5, %p1;
        selp.u32 %r9, 1, 0, %p1;""", grid=4)
    program(s, "sreg_clocks", """
        mov.u64 %q3, %clock64;
        mov.u32 %r4, %clock;
        mov.u32 %r5, %clock_hi;
        mov.u64 %q4, %globaltimer;
        mov.u32 %r6, %globaltimer_lo;
        mov.u32 %r7, %globaltimer_hi;
        mov.u64 %q5, %globaltimer;
        mov.u64 %q6, %clock64;
        setp.ge.u64 %p1, %q6, %q3;
        setp.ge.and.u64 %p1, %q5, %q4, %p1;
        shr.u64 %q7, %q5, 32;
        cvt.u32.u64 %r8, %q7;
        sub.u32 %r8, %r8, %r7;
        setp.le.and.u32 %p1, %r8, 1, %p1;
        mov.u64 %q8, %gridid;
        selp.u32 %r9, 1, 0, %p1;""")
    program(s, "sreg_smem_sizes", """
        mov.u32 %r4, %total_smem_size;
        mov.u32 %r5, %aggr_smem_size;
        st.shared.u32 [held], %r4;
        setp.ge.u32 %p1, %r4, 512;
        setp.ge.and.u32 %p1, %r5, %r4, %p1;
        selp.u32 %r9, 1, 0, %p1;""", decl=".shared .align 4 .b8 held[512];")


# ---- mbarriers and bulk copies ----

# Each thread waits for the phase of parity %r20: a loop that asks.
ASK = """WAIT%s:
    mbarrier.%s.shared::cta.b64 %%p2, [mb], %s;
    @!%%p2 bra WAIT%s;"""


def ask(label, wait, value):
    return ASK % (label, wait, value, label)


def mbarriers():
    s = "mbarrier"
    buf = ".shared .align 16 .b8 buf[4096];\n.shared .align 8 .b64 mb;"
    # The first thread makes an mbarrier of `count` arrivals; the others wait until it is there.
    make = """
        setp.eq.u32 %%p1, %%r1, 0;
        @%%p1 mbarrier.init.shared::cta.b64 [mb], %s;
        @%%p1 fence.mbarrier_init.release.cluster;
        bar.sync 0;"""
    # Each thread stores its number, arrives, waits, reads its mirror image: phase after phase.
    step = """
        mov.u32 %%r4, buf;
        mad.lo.u32 %%r5, %%r1, 4, %%r4;
        add.u32 %%r10, %%r1, %d;
        st.shared.u32 [%%r5], %%r10;
        %s
        %s
        sub.u32 %%r6, %%r3, %%r1;
        sub.u32 %%r6, %%r6, 1;
        mad.lo.u32 %%r7, %%r6, 4, %%r4;
        ld.shared.u32 %%r8, [%%r7];
        add.u32 %%r6, %%r6, %d;
        setp.ne.u32 %%p3, %%r8, %%r6;
        @%%p3 add.u32 %%r12, %%r12, 1;
        bar.sync 0;"""
    ways = (("state", "mbarrier.arrive.shared::cta.b64 %q3, [mb];", "try_wait", "%q3"),
            ("test", "mbarrier.arrive.release.cta.shared::cta.b64 %q3, [mb];", "test_wait", "%q3"),
            ("parity", "mbarrier.arrive.shared.b64 _, [mb];", "try_wait.parity", None),
            ("parity_test", "mbarrier.arrive.shared::cluster.b64 _, [mb];", "test_wait.parity.acquire.cta", None),
            ("hint", "mbarrier.arrive.shared.b64 _, [mb], 1;", "try_wait.parity", "hint"))
    for name, arrive, wait, value in ways:
        for block in (96, 128, 75):
            code = "mov.u32 %r12, 0;" + make % "%r3"
            for phase in range(3):
                value_now = value if value and value != "hint" else "%d" % (phase & 1) + (", 1000" if value else "")
                code += step % (1000 * phase, arrive, ask("%d" % phase, wait, value_now), 1000 * phase)
            code += "\nsetp.eq.u32 %p1, %r12, 0;\nselp.u32 %r9, 1, 0, %p1;"
            program(s, "mbarrier_%s_%d" % (name, block), code, block=block, decl=buf)
    # Through a generic address.
    code = "mov.u32 %r12, 0;" + make % "%r3" + "\nmov.u64 %q4, mb;\ncvta.shared.u64 %q4, %q4;" + step % (
        0, "mbarrier.arrive.b64 %q3, [%q4];", "AGAIN:\nmbarrier.try_wait.b64 %p2, [%q4], %q3;\n@!%p2 bra AGAIN;", 0)
    program(s, "mbarrier_generic", code + "\nsetp.eq.u32 %p1, %r12, 0;\nselp.u32 %r9, 1, 0, %p1;", block=96, decl=buf)
    # The parity of the phase before the first is over, that of the first is not; then the other way round.
    program(s, "mbarrier_parity_before", make % "1" + """
        mbarrier.test_wait.parity.shared.b64 %p2, [mb], 1;
        selp.u32 %r9, 1, 0, %p2;
        mbarrier.test_wait.parity.shared.b64 %p2, [mb], 0;
        selp.u32 %r10, 2, 0, %p2;
        bar.sync 0;
        @%p1 mbarrier.arrive.shared.b64 _, [mb];
        bar.sync 0;
        mbarrier.test_wait.parity.shared.b64 %p2, [mb], 1;
        selp.u32 %r11, 4, 0, %p2;
        mbarrier.test_wait.parity.shared.b64 %p2, [mb], 0;
        selp.u32 %r13, 8, 0, %p2;
        or.b32 %r9, %r9, %r10;
        or.b32 %r9, %r9, %r11;
        or.b32 %r9, %r9, %r13;""", block=64, decl=buf, expect=words([9]))
    # pending_count of a state: the arrivals that were to come before this one. One thread, counts 1, 3, 2 of 7.
    alone = "mbarrier.init.shared.b64 [mb], 7;\n"
    program(s, "mbarrier_pending_count", alone + """
        mbarrier.arrive.shared.b64 %q3, [mb];
        mbarrier.pending_count.b64 %r4, %q3;
        mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %q3, [mb], 3;
        mbarrier.pending_count.b64 %r5, %q3;
        mbarrier.arrive_drop.noComplete.shared.b64 %q3, [mb], 2;
        mbarrier.pending_count.b64 %r6, %q3;
        mbarrier.arrive.shared.b64 %q3, [mb];
        mbarrier.pending_count.b64 %r7, %q3;
        mbarrier.arrive.shared.b64 %q3, [mb];
        mbarrier.pending_count.b64 %r8, %q3;
        mad.lo.u32 %r9, %r4, 10, %r5;
        mad.lo.u32 %r9, %r9, 10, %r6;
        mad.lo.u32 %r9, %r9, 10, %r7;
        mad.lo.u32 %r9, %r9, 10, %r8;""", block=1, decl=buf, expect=words([76315]))
    # A thread that drops out is not waited for in the next phases.
    program(s, "mbarrier_drop", "mov.u32 %r9, 1;" + make % "%r3" + """
        setp.lt.u32 %p4, %r1, 40;
        @%p4 bra DROP;
        """ + "\n".join("mbarrier.arrive.shared.b64 _, [mb];\n" + ask("%d" % k, "try_wait.parity", "%d" % (k & 1))
                        for k in range(3)) + """
        bra END;
        DROP:
        mbarrier.arrive_drop.release.cta.shared::cta.b64 _, [mb];
        END:""", block=96, decl=buf)
    # Bytes: a phase ends when they have come, whatever came first.
    program(s, "mbarrier_bytes", "mbarrier.init.shared.b64 [mb], 1;\n" + """
        mbarrier.arrive.expect_tx.shared.b64 %q3, [mb], 100;
        mbarrier.test_wait.shared.b64 %p2, [mb], %q3;
        selp.u32 %r9, 1, 0, %p2;
        mbarrier.complete_tx.shared.b64 [mb], 60;
        mbarrier.test_wait.shared.b64 %p2, [mb], %q3;
        selp.u32 %r10, 2, 0, %p2;
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [mb], 40;
        mbarrier.test_wait.shared.b64 %p2, [mb], %q3;
        selp.u32 %r11, 4, 0, %p2;
        mbarrier.complete_tx.shared.b64 [mb], 8;
        mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [mb], 16;
        mbarrier.arrive.shared.b64 %q3, [mb];
        mbarrier.test_wait.parity.shared.b64 %p2, [mb], 1;
        selp.u32 %r12, 8, 0, %p2;
        mbarrier.complete_tx.shared.b64 [mb], 8;
        mbarrier.test_wait.parity.shared.b64 %p2, [mb], 1;
        selp.u32 %r13, 16, 0, %p2;
        or.b32 %r9, %r9, %r10;
        or.b32 %r9, %r9, %r11;
        or.b32 %r9, %r9, %r12;
        or.b32 %r9, %r9, %r13;
        mbarrier.inval.shared.b64 [mb];""", block=1, decl=buf, expect=words([20]))
    # cp.async: with .noinc each thread's arrival was counted at init, without it is added first.
    for name, count, arrive in (("noinc", "%r3", "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [mb];"),
                                ("inc", "%r3", "cp.async.mbarrier.arrive.shared.b64 [mb];\n"
                                 "mbarrier.arrive.shared.b64 _, [mb];")):
        program(s, "mbarrier_cp_async_" + name, make % count + """
            mov.u32 %r4, buf;
            mad.lo.u32 %r5, %r1, 4, %r4;
            mad.wide.u32 %q5, %r1, 4, %q2;
            st.global.u32 [%q5], %r1;
            bar.sync 0;
            cp.async.ca.shared.global [%r5], [%q5], 4;
            """ + arrive + "\n" + ask("", "try_wait.parity", "0") + """
            sub.u32 %r6, %r3, %r1;
            sub.u32 %r6, %r6, 1;
            mad.lo.u32 %r7, %r6, 4, %r4;
            ld.shared.u32 %r8, [%r7];
            setp.eq.u32 %p1, %r8, %r6;
            selp.u32 %r9, 1, 0, %p1;""", block=96, decl=buf)
    # Bulk copies: memory to shared, changed, and back.
    for name, copy in (
            ("cluster", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%q2], 512, [mb];"),
            ("multicast", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
             "[buf], [%q2], 512, [mb], %h1;"),
            ("hint", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
             "[buf], [%q2], 512, [mb], %q7;")):
        program(s, "bulk_" + name, make % "%r3" + """
            mov.u16 %h1, 1;
            mov.u64 %q7, 0x1000000000000000;
            mad.wide.u32 %q5, %r1, 4, %q2;
            add.u32 %r10, %r1, 7;
            st.global.u32 [%q5], %r10;
            fence.proxy.async;
            bar.sync 0;
            @!%p1 bra OTHERS;
            mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [mb], 512;
            """ + copy + "\nOTHERS:\nmbarrier.arrive.shared::cta.b64 %q3, [mb];\n" + ask("", "try_wait", "%q3") + """
            mov.u32 %r4, buf;
            sub.u32 %r6, 127, %r1;
            mad.lo.u32 %r5, %r6, 4, %r4;
            ld.shared.u32 %r8, [%r5];
            add.u32 %r6, %r6, 7;
            setp.eq.u32 %p4, %r8, %r6;
            add.u32 %r8, %r8, 1;
            st.shared.u32 [%r5], %r8;
            fence.proxy.async.shared::cta;
            bar.sync 0;
            add.u64 %q6, %q2, 4096;
            @!%p1 bra DONE;
            cp.async.bulk.global.shared::cta.bulk_group [%q6], [buf], 512;
            cp.async.bulk.commit_group;
            cp.async.bulk.wait_group.read 0;
            cp.async.bulk.wait_group 0;
            DONE:
            cp.async.bulk.prefetch.L2.global [%q2], 64;
            bar.sync 0;
            mad.wide.u32 %q5, %r1, 4, %q6;
            ld.global.u32 %r11, [%q5];
            add.u32 %r12, %r1, 8;
            setp.eq.and.u32 %p4, %r11, %r12, %p4;
            selp.u32 %r9, 1, 0, %p4;""", block=128, decl=buf)
    program(s, "policies", """
        createpolicy.fractional.L2::evict_last.b64 %q3, 0.5;
        createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %q4;
        createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %q5, [%q2], 256, 1024;
        createpolicy.cvt.L2.b64 %q6, 0x1000000000000000;
        mad.wide.u32 %q7, %r1, 4, %q2;
        st.global.L2::cache_hint.u32 [%q7], %r1, %q3;
        ld.global.L2::cache_hint.u32 %r4, [%q7], %q4;
        atom.global.add.L2::cache_hint.u32 %r5, [%q7], 5, %q5;
        ld.global.L2::cache_hint.u32 %r6, [%q7], %q6;
        setp.eq.u32 %p1, %r4, %r1;
        setp.eq.and.u32 %p1, %r5, %r1, %p1;
        add.u32 %r4, %r1, 5;
        setp.eq.and.u32 %p1, %r6, %r4, %p1;
        selp.u32 %r9, 1, 0, %p1;""")
    # Each thread takes two pieces of its own size, fills them, gives the second back and takes a third in its place.
    program("places", "alloca", """
        mov.u32 %r9, 1;
        mad.lo.u32 %r4, %r1, 4, 16;
        cvt.u64.u32 %q3, %r4;
        mov.u64 %q11, 0;
        alloca.u64 %q4, %q3, 16;
        stacksave.u64 %q10;
        alloca.u64 %q5, %q3, 32;
        mov.u32 %r5, 0;
        FILL:
        cvt.u64.u32 %q6, %r5;
        add.u64 %q7, %q4, %q6;
        add.u64 %q8, %q5, %q6;
        st.local.u32 [%q7], %r5;
        not.b32 %r6, %r5;
        st.local.u32 [%q8], %r6;
        add.u32 %r5, %r5, 4;
        setp.lt.u32 %p1, %r5, %r4;
        @%p1 bra FILL;
        stackrestore.u64 %q10;
        alloca.u64 %q9, %q3, 32;
        setp.ne.u64 %p2, %q9, %q5;
        @%p2 mov.u32 %r9, 0;
        and.b64 %q12, %q9, 31;
        setp.ne.u64 %p2, %q12, 0;
        @%p2 mov.u32 %r9, 0;
        mov.u32 %r5, 0;
        TAKE:
        cvt.u64.u32 %q6, %r5;
        add.u64 %q7, %q4, %q6;
        add.u64 %q8, %q9, %q6;
        ld.local.u32 %r7, [%q7];
        ld.local.u32 %r8, [%q8];
        not.b32 %r8, %r8;
        setp.ne.u32 %p2, %r7, %r5;
        @%p2 mov.u32 %r9, 0;
        setp.ne.u32 %p2, %r8, %r5;
        @%p2 mov.u32 %r9, 0;
        add.u32 %r5, %r5, 4;
        setp.lt.u32 %p1, %r5, %r4;
        @%p1 bra TAKE;""", block=75, grid=3)
    program("places", "alloca_u32", """
        mov.u32 %r4, 16;
        stacksave.u32 %r10;
        alloca.u32 %r5, %r4, 16;
        alloca.u32 %r6, %r4;
        stackrestore.u32 %r10;
        alloca.u32 %r7, %r4, 16;
        cvt.u64.u32 %q3, %r6;
        cvt.u64.u32 %q4, %r7;
        st.local.u32 [%q3], %r1;
        st.local.u32 [%q4], %r4;
        ld.local.u32 %r8, [%q3];
        setp.eq.u32 %p1, %r8, %r1;
        setp.eq.and.u32 %p1, %r7, %r5, %p1;
        selp.u32 %r9, 1, 0, %p1;""")
    program(s, "st_bulk", """
        mov.u32 %r4, buf;
        mad.lo.u32 %r5, %r1, 4, %r4;
        st.shared.u32 [%r5], %r1;
        bar.sync 0;
        setp.eq.u32 %p1, %r1, 0;
        mov.u64 %q3, 64;
        add.u32 %r7, %r4, 32;
        @%p1 st.bulk.shared::cta [%r7], %q3, 0;
        bar.sync 0;
        ld.shared.u32 %r9, [%r5];""", decl=buf, block=64, target="sm_100",
            expect=words([0 if 8 <= i < 24 else i for i in range(64)]))
    # Within the cluster, which is the block.
    program(s, "bulk_own", make % "1" + """
        mov.u32 %r4, buf;
        mad.lo.u32 %r5, %r1, 4, %r4;
        st.shared.u32 [%r5], %r1;
        fence.proxy.async.shared::cta;
        bar.sync 0;
        mov.u32 %r6, 0;
        mapa.shared::cluster.u32 %r7, %r4, %r6;
        mov.u32 %r10, mb;
        mapa.shared::cluster.u32 %r10, %r10, %r6;
        @!%p1 bra WAIT;
        mbarrier.arrive.expect_tx.shared.b64 _, [mb], 256;
        cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7+1024], [%r4], 256, [%r10];
        """ + ask("", "try_wait.parity.acquire.cluster", "0") + """
        ld.shared.u32 %r8, [%r5+1024];
        setp.eq.u32 %p1, %r8, %r1;
        selp.u32 %r9, 1, 0, %p1;""", block=64, decl=buf, directives=CLUSTER)
    # Addresses of the block's own shared memory are what they were, and it is the block of rank 0.
    program("places", "mapa_own", """
        mov.u32 %r24, buf;
        mov.u32 %r26, 0;
        cvt.u64.u32 %q11, %r24;
        cvta.shared.u64 %q12, %q11;
        cvt.u32.u64 %r27, %q12;
        mapa.shared::cluster.u64 %q13, %q11, %r26;
        mapa.u64 %q14, %q12, %r26;
        mapa.u32 %r28, %r27, %r26;
        getctarank.shared::cluster.u64 %r30, %q13;
        getctarank.u64 %r31, %q14;
        getctarank.u32 %r32, %r28;
        isspacep.shared::cluster %p1, %q14;
        selp.u32 %r9, 1, 0, %p1;
        setp.eq.u64 %p2, %q11, %q13;
        selp.u32 %r33, 2, 0, %p2;
        add.u32 %r9, %r9, %r33;
        setp.eq.u64 %p3, %q12, %q14;
        selp.u32 %r33, 4, 0, %p3;
        add.u32 %r9, %r9, %r33;
        setp.eq.u32 %p4, %r27, %r28;
        selp.u32 %r33, 8, 0, %p4;
        add.u32 %r9, %r9, %r33;
        or.b32 %r30, %r30, %r31;
        or.b32 %r30, %r30, %r32;
        shl.b32 %r30, %r30, 4;
        add.u32 %r9, %r9, %r30;""", block=64, decl=buf, expect=words([15] * 64))


# ---- reductions in bulk, asynchronous stores ----

N_ASYNC = 64
ASYNC_SIZES = {"16": 2, "32": 4, "64": 8}


def bf16(x):
    """To nearest even, from a float that f32 holds exactly."""
    u = struct.unpack("<I", struct.pack("<f", x))[0]
    return (u + 0x7fff + (u >> 16 & 1)) >> 16


FLOAT_BITS = {"f16": lambda x: struct.unpack("<H", struct.pack("<e", x))[0], "bf16": bf16,
              "f32": lambda x: struct.unpack("<I", struct.pack("<f", x))[0],
              "f64": lambda x: struct.unpack("<Q", struct.pack("<d", x))[0]}


def async_operands(op, kind):
    """What memory holds, what comes, and what is there then, as bit patterns."""
    bits = ASYNC_SIZES[kind[-2:]] * 8
    mask = (1 << bits) - 1
    if kind in FLOAT_BITS:
        to_bits = FLOAT_BITS[kind]
        # sums that lie between two values, and at a tie of them
        old = [(-1) ** i * (1 + i / 64) for i in range(N_ASYNC)]
        new = [1 / 256 + (i - 20) / 32 + (2.0 ** -(i % 12) if i % 3 else 0) for i in range(N_ASYNC)]
        if kind == "bf16":
            old, new = [float(i - 30) for i in range(N_ASYNC)], [1 + (i % 8) / 128 for i in range(N_ASYNC)]
        made = {"add": lambda a, b: a + b, "min": min, "max": max}[op]
        exact = {"f16": lambda x: struct.unpack("<e", struct.pack("<e", x))[0],
                 "f32": lambda x: struct.unpack("<f", struct.pack("<f", x))[0]}.get(kind, lambda x: x)
        old, new = [exact(x) for x in old], [exact(x) for x in new]
        return ([to_bits(x) for x in old], [to_bits(x) for x in new], [to_bits(made(a, b)) for a, b in zip(old, new)])
    old = [(i * 0x9E3779B97F4A7C15 >> 7) & mask if i % 4 else i for i in range(N_ASYNC)]
    new = [(i * 0xC2B2AE3D27D4EB4F >> 5) & mask if i % 5 else 2 * i - i % 3 & mask for i in range(N_ASYNC)]
    signed = lambda x: x - (1 << bits) if kind[0] == "s" and x >> (bits - 1) else x
    made = {"add": lambda a, b: a + b & mask, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
            "xor": lambda a, b: a ^ b, "inc": lambda a, b: 0 if a >= b else a + 1,
            "dec": lambda a, b: b if a == 0 or a > b else a - 1,
            "min": lambda a, b: a if signed(a) < signed(b) else b,
            "max": lambda a, b: b if signed(a) < signed(b) else a}[op]
    return old, new, [made(a, b) for a, b in zip(old, new)]


def async_table(name, size, values):
    return ".global .align 16 .b%d %s[%d] = {%s};\n" % (8 * size, name, len(values),
                                                        ", ".join("%d" % v for v in values))


def async_program(name, kind, old, new, made, copy):
    """A thread an element: memory gets `old`, what comes is `new`; copy says how. The result's words are xored."""
    size = ASYNC_SIZES[kind[-2:]]
    reg = {2: "%h", 4: "%r1", 8: "%q1"}[size]
    a, b = reg + "2", reg + "3"
    top = async_table("old_" + name, size, old) + async_table("new_" + name, size, new)
    code = """
        setp.eq.u32 %%p1, %%r1, 0;
        @%%p1 mbarrier.init.shared::cta.b64 [mb], 1;
        @%%p1 fence.mbarrier_init.release.cluster;
        mov.u64 %%q3, old_%(name)s;
        mad.wide.u32 %%q3, %%r1, %(size)d, %%q3;
        ld.global.b%(bits)d %(a)s, [%%q3];
        mov.u64 %%q4, new_%(name)s;
        mad.wide.u32 %%q4, %%r1, %(size)d, %%q4;
        ld.global.b%(bits)d %(b)s, [%%q4];
        mov.u32 %%r4, buf;
        mad.lo.u32 %%r5, %%r1, %(size)d, %%r4;
        st.shared.b%(bits)d [%%r5], %(a)s;
        st.shared.b%(bits)d [%%r5+1024], %(b)s;
        mad.wide.u32 %%q5, %%r1, %(size)d, %%q2;
        st.global.b%(bits)d [%%q5], %(a)s;
        fence.proxy.async;
        bar.sync 0;
        mov.u32 %%r6, 0;
        mapa.shared::cluster.u32 %%r7, %%r5, %%r6;
        mov.u32 %%r8, mb;
        mapa.shared::cluster.u32 %%r8, %%r8, %%r6;
        """ % {"name": name, "size": size, "bits": 8 * size, "a": a, "b": b}
    code += copy.replace("BYTES", "%d" % (size * N_ASYNC)).replace("VALUE", b)
    code += {2: "\ncvt.u32.u16 %r9, %h2;", 4: "\nmov.u32 %r9, %r12;",
             8: "\nmov.b64 {%r9, %r10}, %q12;\nxor.b32 %r9, %r9, %r10;"}[size]
    fold = lambda v: v if size < 8 else v & 0xffffffff ^ v >> 32
    program("async", name, code.replace("RESULT", a), decl=".shared .align 128 .b8 buf[4096];\n.shared .align 8 .b64 mb;",
            top=top, expect=words([fold(v) for v in made]),
            directives="" if name.startswith("bulk_out") else CLUSTER)


def asynchronous():
    # a result that comes over the mbarrier, to shared memory; or by a group, to global memory
    over = "mbarrier.arrive.expect_tx.shared.b64 _, [mb], BYTES;\n"
    wait = "\n" + ask("", "try_wait.parity.acquire.cluster", "0")
    complete = "shared::cluster.mbarrier::complete_tx::bytes"
    there = {"add": "u32 s32 u64", "min": "u32 s32", "max": "u32 s32", "inc": "u32", "dec": "u32", "and": "b32",
             "or": "b32", "xor": "b32"}
    out = {"add": "u32 s32 u64 f32 f64 f16 bf16", "min": "u32 s32 u64 s64 f16 bf16", "max": "u32 s32 u64 s64 f16 bf16",
           "inc": "u32", "dec": "u32", "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64"}
    for op in there:
        for kind in there[op].split():
            bits = int(kind[-2:])
            values = async_operands(op, kind)
            async_program("bulk_%s_%s" % (op, kind), kind, *values, """
                @!%%p1 bra THERE;
                %s
                cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.%s.%s [%%r7], [%%r4+1024], BYTES, [%%r8];
                THERE:
                %s
                ld.shared.b%d RESULT, [%%r5];""" % (over, op, kind, wait, bits))
            kinds = [kind] if kind != "u64" else ["u64", "s64"]
            for k in kinds:
                async_program("red_async_%s_%s" % (op, k), k, *async_operands(op, k), """
                    @%%p1 %s
                    bar.sync 0;
                    red.async.relaxed.cluster.%s.%s.%s [%%r7], VALUE, [%%r8];
                    %s
                    ld.shared.b%d RESULT, [%%r5];""" % (over, complete, op, k, wait, bits))
    for op in out:
        for kind in out[op].split():
            noftz = ".noftz" if op == "add" and kind in ("f16", "bf16") else ""
            hint, policy = (".L2::cache_hint", ", %q7") if op == "or" else ("", "")
            async_program("bulk_out_%s_%s" % (op, kind), kind, *async_operands(op, kind), """
                mov.u64 %%q7, 0x1000000000000000;
                @!%%p1 bra THERE;
                cp.reduce.async.bulk.global.shared::cta.bulk_group%s.%s%s.%s [%%q2], [%%r4+1024], BYTES%s;
                cp.async.bulk.commit_group;
                cp.async.bulk.wait_group 0;
                THERE:
                bar.sync 0;
                ld.global.b%d RESULT, [%%q5];""" % (hint, op, noftz, kind, policy, int(kind[-2:])))
    for kind in "b32 u32 s32 f32 b64 u64 s64 f64".split():
        bits = int(kind[-2:])
        old, new, _ = async_operands("xor", "b%d" % bits)
        async_program("st_async_" + kind, "b%d" % bits, old, new, new, """
            @%%p1 %s
            bar.sync 0;
            st.async.%s%s.%s [%%r7], VALUE, [%%r8];
            %s
            ld.shared.b%d RESULT, [%%r5];""" % (over, "weak." if kind[0] == "b" else "", complete, kind, wait, bits))
    # vectors: each second or fourth thread sends its own element and its neighbours'
    for vec, kind in ((2, "b32"), (4, "u32"), (2, "b64")):
        bits = int(kind[-2:])
        old, new, _ = async_operands("xor", "b%d" % bits)
        reg = "%r" if bits == 32 else "%q"
        values = [reg + "%d" % (20 + k) for k in range(vec)]
        load = "".join("ld.shared.b%d %s, [%%r5+%d];\n" % (bits, v, 1024 + k * bits // 8) for k, v in enumerate(values))
        async_program("st_async_v%d_%s" % (vec, kind), "b%d" % bits, old, new, new, """
            @%%p1 %s
            bar.sync 0;
            and.b32 %%r6, %%r1, %d;
            setp.ne.u32 %%p3, %%r6, 0;
            @%%p3 bra THERE;
            %s
            st.async.%s.v%d.%s [%%r7], {%s}, [%%r8];
            THERE:
            %s
            ld.shared.b%d RESULT, [%%r5];""" % (over, vec - 1, load, complete, vec, kind, ", ".join(values), wait, bits))


def header(name):
    arch, version = ("sm_100", "8.6") if name.startswith("sm_100") else ("sm_90", "8.5")
    return ("// %s.ptx - written by gen_programs.py: programs that check themselves. A thread leaves a 32-bit word in out;\n"
            "// in0 is 1 MiB of zeros.\n.version %s\n.target %s\n.address_size 64\n\n" % (name, version, arch))


def programs():
    barriers()
    mbarriers()
    warps()
    control()
    places()
    asynchronous()
    return {name: header(name) + "\n".join(texts) for name, texts in files.items()}
