"""gen_wgmma.py - wgmma*.ptx: self-checking programs for products of warpgroups (PTX ISA 9.7.15).

Elements are the small integers of gen_matrix.py, exact in all formats, and results are compared with a product that the
kernel computes element by element in integers. Matrices are laid out in shared memory by the formulas below, which
tests/hw/wgmma/layout.c has asked an H200 for."""
from gen_matrix import BITS, as_bits, as_int, expected, fragment, loop, value
from gen_programs import END, FIRST, START

texts = []
THREADS = 128
WIDTH = {0: 16, 1: 128, 2: 64, 3: 32}


def program(name, code, decl):
    text = "// TEST: t_wgmma_%s grid=1 block=%d n=%d\n// EXPECT: ones\n" % (name, THREADS, THREADS)
    text += FIRST % ("t_wgmma_" + name)
    text += "".join("    %s\n" % line for line in [".reg .f32 %f<8>;", ".reg .f64 %d<8>;"] + decl)
    text += START + "".join(("    %s\n" if not line.endswith(":") else "%s\n") % line for line in code) + END
    texts.append(text)


class Matrix:
    """Where a matrix of `rows` rows (of a) or columns (of b) by k elements is in shared memory."""
    def __init__(self, which, t, rows, k, at, swizzle=0, crossed=False):
        self.which, self.t, self.rows, self.k, self.at = which, t, rows, k, at
        self.swizzle, self.crossed = swizzle, crossed
        width = WIDTH[swizzle]
        side = rows if crossed else k  # what lies side by side
        pieces = max(1, side * BITS[t] // 8 // width)
        lines = k if crossed else rows
        if crossed and not swizzle:
            self.stride, self.leading = 128, 128 * pieces
        elif swizzle:
            self.stride, self.leading = 8 * width, 8 * width * (lines // 8)
        else:
            self.leading, self.stride = 128, 128 * pieces
        self.bytes = (rows * k * BITS[t] // 8 + 1023) // 1024 * 1024

    def address(self):
        """%r14 = the address of the byte of the element at line %r10 and k %r11."""
        line, run = ("%r11", "%r10") if self.crossed else ("%r10", "%r11")
        width, exchanged = WIDTH[self.swizzle], self.crossed and not self.swizzle
        bits = BITS[self.t]
        code = ["mul.lo.u32 %%r16, %s, %d;" % (run, bits), "shr.u32 %r16, %r16, 3;", "div.u32 %%r17, %%r16, %d;" % width,
                "rem.u32 %%r16, %%r16, %d;" % width, "mov.u32 %r14, buf;", "add.u32 %%r14, %%r14, %d;" % self.at,
                "add.u32 %r14, %r14, %r16;", "mad.lo.u32 %%r14, %%r17, %d, %%r14;" % (self.stride if exchanged else self.leading),
                "shr.u32 %%r16, %s, 3;" % line, "mad.lo.u32 %%r14, %%r16, %d, %%r14;" % (self.leading if exchanged else self.stride),
                "and.b32 %%r16, %s, 7;" % line, "mad.lo.u32 %%r14, %%r16, %d, %%r14;" % width]
        if self.swizzle:
            code += ["shr.u32 %r16, %r14, 7;", "and.b32 %%r16, %%r16, %d;" % (width // 16 - 1), "shl.b32 %r16, %r16, 4;",
                     "xor.b32 %r14, %r14, %r16;"]
        return code

    def element(self):
        """%r13 = the bits of the element at line %r10 and k %r11, which stay."""
        if self.which == "a":
            return value("a", self.t) + as_bits(self.t)
        return ["mov.u32 %r18, %r10;", "mov.u32 %r10, %r11;", "mov.u32 %r11, %r18;"] + value("b", self.t) + as_bits(self.t) + \
            ["mov.u32 %r18, %r10;", "mov.u32 %r10, %r11;", "mov.u32 %r11, %r18;"]

    def fill(self, skip=0):
        """skip: elements of k in front of the first."""
        place = ["add.u32 %%r11, %%r11, %d;" % skip] if skip else []
        back = ["sub.u32 %%r11, %%r11, %d;" % skip] if skip else []
        bits = BITS[self.t]
        if bits == 1:
            inner = ["mad.lo.u32 %r11, %r17, 32, %r19;"] + self.element() + ["shl.b32 %r13, %r13, %r19;", "or.b32 %r20, %r20, %r13;"]
            body = ["div.u32 %%r10, %%r15, %d;" % (self.k // 32), "rem.u32 %%r17, %%r15, %d;" % (self.k // 32), "mov.u32 %r20, 0;"]
            body += loop("%r19", "0", 32, 1, inner) + ["and.b32 %r11, %r11, -32;"] + self.address() + ["st.shared.b32 [%r14], %r20;"]
            return loop("%r15", "%r1", self.rows * self.k // 32, THREADS, body)
        store = {8: ["st.shared.b8 [%r14], %r13;"], 16: ["cvt.u16.u32 %h2, %r13;", "st.shared.b16 [%r14], %h2;"],
                 32: ["st.shared.b32 [%r14], %r13;"]}[bits]
        body = ["div.u32 %%r10, %%r15, %d;" % self.k, "rem.u32 %%r11, %%r15, %d;" % self.k] + place + self.element() + back + \
            self.address() + store
        return loop("%r15", "%r1", self.rows * self.k, THREADS, body)

    def descriptor(self, to):
        code = ["mov.u32 %r14, buf;", "add.u32 %%r14, %%r14, %d;" % self.at, "shr.u32 %r14, %r14, 4;", "cvt.u64.u32 %s, %%r14;" % to]
        rest = (self.leading // 16) << 16 | (self.stride // 16) << 32 | self.swizzle << 62
        return code + ["or.b64 %s, %s, %d;" % (to, to, rest if rest < 1 << 63 else rest - (1 << 64))]


def lane_a(t):
    """Registers %v200.. of a, from the figures of 9.7.15.5.1.1: %r28 the lane's line, %r29 its place."""
    per = 32 // BITS[t]
    code = []
    for reg in range(4):
        inner = ["add.u32 %%r10, %%r28, %d;" % (8 * (reg % 2)), "mad.lo.u32 %%r11, %%r29, %d, %%r30;" % per,
                 "add.u32 %%r11, %%r11, %d;" % (4 * per * (reg // 2))] + value("a", t) + as_bits(t) + \
            ["mul.lo.u32 %%r31, %%r30, %d;" % (BITS[t] % 32), "shl.b32 %r13, %r13, %r31;",
             "or.b32 %%v%d, %%v%d, %%r13;" % (200 + reg, 200 + reg)]
        code += ["mov.b32 %%v%d, 0;" % (200 + reg)] + loop("%r30", "0", per, 1, inner)
    return code


def position_d(td):
    """Line and column of register %r30, element %r31."""
    if td == "f16":
        return ["and.b32 %r16, %r30, 1;", "mad.lo.u32 %r10, %r16, 8, %r28;", "shr.u32 %r16, %r30, 1;",
                "mad.lo.u32 %r11, %r29, 2, %r31;", "mad.lo.u32 %r11, %r16, 8, %r11;"]
    return ["shr.u32 %r16, %r30, 1;", "and.b32 %r16, %r16, 1;", "mad.lo.u32 %r10, %r16, 8, %r28;", "shr.u32 %r16, %r30, 2;",
            "and.b32 %r17, %r30, 1;", "mad.lo.u32 %r11, %r29, 2, %r17;", "mad.lo.u32 %r11, %r16, 8, %r11;"]


def lanes():
    return ["and.b32 %r5, %r1, 31;", "shr.u32 %r28, %r5, 2;", "and.b32 %r29, %r5, 3;", "shr.u32 %r6, %r1, 5;",
            "mad.lo.u32 %r28, %r6, 16, %r28;"]


CHUNK = 64  # registers that are compared at once, by way of shared memory


def make_c(nd, td):
    """Registers %v0.. of c, by way of shared memory."""
    per, code = (2 if td == "f16" else 1), []
    for first in range(0, nd, CHUNK):
        n = min(CHUNK, nd - first)
        one = position_d(td) + value("c", td) + as_bits(td)
        body = ["mov.u32 %r20, 0;"]
        for i in range(per):
            body += ["mov.u32 %%r31, %d;" % i] + one + (["shl.b32 %r13, %r13, 16;"] if i else []) + ["or.b32 %r20, %r20, %r13;"]
        body += ["sub.u32 %%r16, %%r30, %d;" % first, "mad.lo.u32 %r14, %r16, 512, %r7;", "st.shared.b32 [%r14], %r20;"]
        code += loop("%r30", str(first), first + n, 1, body)
        code += ["ld.shared.b32 %%v%d, [%%r7+%d];" % (first + r, 512 * r) for r in range(n)]
    return code


def compare(nd, td, wanted):
    per, code = (2 if td == "f16" else 1), ["mov.u32 %r9, 1;"]
    for first in range(0, nd, CHUNK):
        n = min(CHUNK, nd - first)
        code += ["st.shared.b32 [%%r7+%d], %%v%d;" % (512 * r, first + r) for r in range(n)]
        body = []
        for i in range(per):
            body += ["mov.u32 %%r31, %d;" % i] + position_d(td) + wanted() + \
                ["sub.u32 %%r16, %%r30, %d;" % first, "mad.lo.u32 %r14, %r16, 512, %r7;", "ld.shared.b32 %r27, [%r14];"] + \
                (["shr.u32 %%r27, %%r27, %d;" % (16 * i)] if td == "f16" else []) + as_int(td, "%r27") + \
                ["setp.ne.s32 %p2, %r26, %r21;", "@%p2 mov.u32 %r9, 0;"]
        code += loop("%r30", str(first), first + n, 1, body)
    return code


def frame(nd, first, body, wanted, td):
    """A program: c is made, matrices are stored, the product is computed and compared. Shared memory is used for the one after
    the other; %r7 is the thread's word in it."""
    code = lanes() + ["mov.u32 %r7, buf;", "mad.lo.u32 %r7, %r1, 4, %r7;"] + make_c(nd, td) + ["bar.sync 0;"] + first
    code += ["fence.proxy.async;", "bar.sync 0;"] + body + ["bar.sync 0;"]
    return code + compare(nd, td, wanted)


DECL = [".reg .b32 %v<256>;", ".shared .align 1024 .b8 buf[40960];"]
K = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256}


def product(n, ta, tb, td, swizzle=(0, 0), crossed=(False, False), in_registers=False, extra="", adds="1", signs=(1, 1), name=""):
    k, nd = K[ta], n // (4 if td == "f16" else 2)
    a, b = Matrix("a", ta, 64, k, 0, swizzle[0], crossed[0]), Matrix("b", tb, n, k, 8192, swizzle[1], crossed[1])
    floats = td != "s32"
    tail = ", %s" % adds
    if floats:
        tail += ", %d, %d" % signs
    if ta in ("f16", "bf16"):
        tail += ("" if in_registers else ", %d" % crossed[0]) + ", %d" % crossed[1]
    instruction = "wgmma.mma_async.sync.aligned.m64n%dk%d%s.%s.%s.%s%s %s, %s, %%q5%s;" % (
        n, k, extra, td, ta, tb, ".and.popc" if ta == "b1" else "", fragment(0, nd),
        fragment(200, 4) if in_registers else "%q4", tail)
    first = b.fill() + b.descriptor("%q5") + (lane_a(ta) if in_registers else a.fill() + a.descriptor("%q4"))
    body = ["setp.ne.u32 %p3, %r3, %r3;", "wgmma.fence.sync.aligned;", instruction, "wgmma.commit_group.sync.aligned;",
            "wgmma.wait_group.sync.aligned 0;"]

    def wanted():
        lines = expected(64, n, k, ta, tb, "and" if ta == "b1" else "mul")
        if signs[0] * signs[1] < 0 or adds == "%p3":  # without c, or c minus the products
            lines += ["mov.u32 %r20, %r21;"] + value("c", "s32") + ["sub.s32 %r21, %r20, %r12;"]
            if signs[0] * signs[1] < 0:
                lines += ["neg.s32 %r21, %r21;"] + (["add.s32 %r21, %r21, %r12;"] if adds != "%p3" else [])
        return lines
    where = "r" if in_registers else "s%d%s" % (swizzle[0], "t" if crossed[0] else "")
    program("n%d_%s_%s_%s_%s_s%d%s%s%s" % (n, td, ta, tb, where, swizzle[1], "t" if crossed[1] else "", extra.replace(".", "_"),
                                           name), frame(nd, first, body, wanted, td), DECL)


def shapes():
    kinds = [("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("tf32", "tf32", "f32"), ("f16", "f16", "f16"), ("u8", "s8", "s32"),
             ("b1", "b1", "s32")]
    for turn, n in enumerate(range(8, 257, 8)):
        for ta, tb, td in kinds:
            if td != "s32" or n <= 32 or n % 16 == 0:
                if (turn + kinds.index((ta, tb, td))) % 3 == 0 or n == 256:
                    product(n, ta, tb, td, in_registers=turn % 4 == 1)


def layouts():
    for swizzle in range(4):
        for other in range(4):
            product(64, "f16", "f16", "f32", (swizzle, other))
            for crossed in ((True, False), (False, True), (True, True)):
                if (swizzle + other) % 2 == 0 or crossed == (True, True):
                    product(64 if crossed[1] else 24, "bf16" if other % 2 else "f16", "bf16" if other % 2 else "f16", "f32",
                            (swizzle, other), crossed)
        product(40, "tf32", "tf32", "f32", (swizzle, 3 - swizzle))
        product(48, "s8", "u8", "s32", (swizzle, 3 - swizzle))
        product(128, "b1", "b1", "s32", (3 - swizzle, swizzle))


def types():
    for in_registers in (False, True):
        for ta in ("s8", "u8"):
            for tb in ("s8", "u8"):
                product(16, ta, tb, "s32", (1, 1), in_registers=in_registers)
                product(32, ta, tb, "s32", (2, 3), in_registers=in_registers, extra=".satfinite")
        for x, (ta, td) in enumerate((("f16", "f32"), ("bf16", "f32"), ("tf32", "f32"), ("f16", "f16"))):
            for signs in ((1, -1), (-1, 1), (-1, -1)):
                product(24, ta, ta, td, (x % 4, 1), in_registers=in_registers, signs=signs, name="_%s%s" % tuple(
                    "n" if s < 0 else "p" for s in signs))
            product(16, ta, ta, td, (1, x % 4), in_registers=in_registers, adds="%p3", name="_alone")
            product(16, ta, ta, td, (1, x % 4), in_registers=in_registers, adds="%p3", signs=(1, -1), name="_alone_n")
        product(16, "u8", "u8", "s32", in_registers=in_registers, adds="%p3", name="_alone")
        product(16, "b1", "b1", "s32", in_registers=in_registers, adds="%p3", name="_alone")


def bytes_():
    for x, (ta, tb) in enumerate((("e4m3", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e4m3"), ("e5m2", "e5m2"))):
        for td in ("f32", "f16"):
            for in_registers in (False, True):
                product(24, ta, tb, td, (x, 3 - x), in_registers=in_registers)
            product(96, ta, tb, td, (1, 1), signs=(-1, 1), name="_np")
            product(16, ta, tb, td, (2, 2), adds="%p3", name="_alone")
    product(256, "e4m3", "e4m3", "f32", (1, 1))


def chains():
    """64 of k in four products, a group each, by moving the descriptors in their 128 bytes."""
    n, nd = 64, 32
    a, b = Matrix("a", "f16", 64, 64, 0, 1), Matrix("b", "f16", n, 64, 8192, 1)
    first = a.fill() + b.fill() + a.descriptor("%q4") + b.descriptor("%q5")
    for waits in (0, 1, 2):
        body = ["wgmma.fence.sync.aligned;"]
        for step in range(4):
            body += ["add.s64 %%q6, %%q4, %d;" % (2 * step), "add.s64 %%q7, %%q5, %d;" % (2 * step),
                     "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 %s, %%q6, %%q7, 1, 1, 1, 0, 0;" % fragment(0, nd),
                     "wgmma.commit_group.sync.aligned;"]
            if waits:
                body.append("wgmma.wait_group.sync.aligned %d;" % waits)
        body.append("wgmma.wait_group.sync.aligned 0;")
        program("chain_%d" % waits, frame(nd, first, body, lambda: expected(64, n, 64, "f16", "f16"), "f32"), DECL)


def unwaited():
    """Without a wait: ptxas puts one in front of the first use of a result, and of a write of a's registers."""
    b = Matrix("b", "f16", 16, 16, 8192)
    first = b.fill() + b.descriptor("%q5") + lane_a("f16")
    body = ["wgmma.fence.sync.aligned;", "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 %s, %s, %%q5, 1, 1, 1, 0;" %
            (fragment(0, 8), fragment(200, 4)), "wgmma.commit_group.sync.aligned;", "mov.b32 %v200, 0;"]
    program("unwaited", frame(8, first, body, lambda: expected(64, 16, 16, "f16", "f16"), "f32"), DECL)


def saturated():
    """Accumulators next to the ends of s32: what is above them is cut off, or else wraps."""
    for extra in (".satfinite", ""):
        a, b = Matrix("a", "u8", 64, 32, 0), Matrix("b", "u8", 16, 32, 8192)
        first = a.fill() + b.fill() + a.descriptor("%q4") + b.descriptor("%q5")
        first += ["mov.b32 %%v%d, %d;" % (r, 0x7fffffff - r) for r in range(8)]
        body = ["wgmma.fence.sync.aligned;", "wgmma.mma_async.sync.aligned.m64n16k32%s.s32.u8.u8 %s, %%q4, %%q5, 1;" % (extra, fragment(0, 8)),
                "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]

        def wanted():
            return expected(64, 16, 32, "u8", "u8") + ["mov.u32 %r20, %r21;"] + value("c", "s32") + \
                ["sub.s32 %r21, %r20, %r12;", "sub.u32 %r20, 2147483647, %r30;", "add%s.s32 %%r21, %%r21, %%r20;" % (".sat" if extra else "")]
        program("ends%s" % extra.replace(".", "_"), frame(8, first, body, wanted, "s32"), DECL)


def take():
    text = "// Written by gen_wgmma.py; see there.\n.version 8.7\n.target sm_90a\n.address_size 64\n\n" + "\n".join(texts)
    texts.clear()
    return text


def programs():
    made = {}
    for make, name in ((shapes, "shapes"), (layouts, "layouts"), (types, "types"), (bytes_, "bytes")):
        make()
        if make == types:
            chains()
            unwaited()
            saturated()
        made["sm_90a_wgmma_" + name] = take()
    return made
