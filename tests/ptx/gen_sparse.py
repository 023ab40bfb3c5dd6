"""gen_sparse.py - sparse.ptx, sm_90a_wgmma_sparse.ptx: self-checking programs for products of a sparse A (PTX ISA 9.7.14.6,
9.7.15.6).

Of every four elements of k (pairs of 4-bit integers; of tf32 every two) row r has in group g the two that PATTERNS names at
(r + g) % 6, or of tf32 the one at (r + c) % 2. Which bits of which lane say so is what an H200 answered when each of them was
turned (docs/differences.md); lanes that the selector leaves out have other bits. Elements are those of gen_matrix.py."""
from gen_matrix import BITS, as_bits, as_int, fragment, loop, position_b, position_c, value
from gen_programs import END, FIRST, START
from gen_wgmma import DECL, Matrix, frame
import gen_wgmma

PATTERNS = 0xED9C84  # four bits each: the first, the second; 01 02 03 12 13 23
texts = []


def program(name, code):
    text = "// TEST: t_%s grid=1 block=32 n=32\n// EXPECT: ones\n" % name
    text += FIRST % ("t_" + name) + "    .reg .f32 %f<8>;\n    .reg .f64 %d<8>;\n    .reg .b32 %v<40>;\n"
    text += START + "".join(("    %s\n" if not line.endswith(":") else "%s\n") % line for line in code) + END
    texts.append(text)


def pick(row, c):
    """%r33 = the two bits of the chosen one of four, of column c of the compressed matrix."""
    return ["shr.u32 %%r33, %s, 1;" % c, "add.u32 %%r33, %%r33, %s;" % row, "rem.u32 %r33, %r33, 6;", "shl.b32 %r33, %r33, 2;",
            "and.b32 %%r34, %s, 1;" % c, "shl.b32 %r34, %r34, 1;", "add.u32 %r33, %r33, %r34;", "mov.u32 %%r34, %d;" % PATTERNS,
            "shr.u32 %r33, %r34, %r33;", "and.b32 %r33, %r33, 3;"]


def choose(t, row, c, to):
    """to = the k of column c of the compressed matrix; %r32 to %r34 are used."""
    if t == "tf32":
        return ["add.u32 %%r33, %s, %s;" % (row, c), "and.b32 %r33, %r33, 1;", "mad.lo.u32 %s, %s, 2, %%r33;" % (to, c)]
    if BITS[t] == 4:
        return ["shr.u32 %%r32, %s, 1;" % c] + pick(row, "%r32") + \
            ["and.b32 %%r34, %s, 1;" % c, "mad.lo.u32 %r33, %r33, 2, %r34;", "shr.u32 %r32, %r32, 1;", "mad.lo.u32 %s, %%r32, 8, %%r33;" % to]
    return pick(row, c) + ["shr.u32 %%r34, %s, 1;" % c, "mad.lo.u32 %s, %%r34, 4, %%r33;" % to]


def metadata(t, k, selector):
    """%r35 = the lane's metadata: %r36 its line of 8 rows, %r37 its place in it, %r30 counts fields."""
    short = k * BITS[t] == 256
    first, lanes = {16: (selector * k // 16, k // 16), 32: (selector * k // 8, k // 8)}.get(
        BITS[t], (2 * selector if short else 0, 2 if short else 4))
    fields, width = (8, 4) if t == "tf32" else (16, 2)
    code = ["mov.u32 %%r35, %s;" % ("0xee4e4ee4" if t == "tf32" else "0x4e9d84c8")]
    inner = ["sub.u32 %%r32, %%r37, %d;" % first]
    if BITS[t] >= 16:
        inner += ["div.u32 %%r10, %%r30, %d;" % (fields // 2), "mad.lo.u32 %r10, %r10, 8, %r36;", "rem.u32 %%r11, %%r30, %d;" % (fields // 2),
                  "mad.lo.u32 %%r11, %%r32, %d, %%r11;" % (fields // 2)]
    else:
        inner += ["and.b32 %r10, %r32, 1;", "mad.lo.u32 %r10, %r10, 8, %r36;", "shr.u32 %r11, %r32, 1;", "mad.lo.u32 %r11, %r11, 16, %r30;"]
    if t == "tf32":
        inner += ["add.u32 %r33, %r10, %r11;", "and.b32 %r33, %r33, 1;", "mad.lo.u32 %r33, %r33, 10, 4;"]
    else:
        inner += pick("%r10", "%r11")
    inner += ["mul.lo.u32 %%r34, %%r30, %d;" % width, "shl.b32 %r33, %r33, %r34;", "or.b32 %r35, %r35, %r33;"]
    end = "M%d_%d_%s" % (k, selector, t)
    code += ["setp.lt.u32 %%p4, %%r37, %d;" % first, "setp.ge.u32 %%p5, %%r37, %d;" % (first + lanes), "or.pred %p4, %p4, %p5;",
             "@%%p4 bra %s;" % end, "mov.u32 %r35, 0;"]
    return code + loop("%r30", "0", fields, 1, inner) + [end + ":"]


def expected(k, t, tb):
    """%r21 = c + a * b at (%r10, %r11) = (row, column); %r22, %r23 keep them."""
    body = choose(t, "%r22", "%r25", "%r20") + ["mov.u32 %r10, %r22;", "mov.u32 %r11, %r20;"] + value("a", t) + \
        ["mov.u32 %r24, %r12;", "mov.u32 %r10, %r20;", "mov.u32 %r11, %r23;"] + value("b", tb) + ["mad.lo.s32 %r21, %r24, %r12, %r21;"]
    lines = ["mov.u32 %r22, %r10;", "mov.u32 %r23, %r11;"] + value("c", "s32") + ["mov.u32 %r21, %r12;"]
    return lines + loop("%r25", "0", k // 2, 1, body) + ["mov.u32 %r10, %r22;", "mov.u32 %r11, %r23;"]


def lane_a(t, nregs, first):
    """Registers of the compressed matrix: %r28 the lane's line, %r29 its place."""
    per, code = 32 // BITS[t], []
    for reg in range(nregs):
        inner = ["add.u32 %%r10, %%r28, %d;" % (8 * (reg % 2)), "mad.lo.u32 %%r31, %%r29, %d, %%r30;" % per,
                 "add.u32 %%r31, %%r31, %d;" % (4 * per * (reg // 2))] + choose(t, "%r10", "%r31", "%r11") + value("a", t) + as_bits(t) + \
            ["mul.lo.u32 %%r31, %%r30, %d;" % (BITS[t] % 32), "shl.b32 %r13, %r13, %r31;", "or.b32 %%v%d, %%v%d, %%r13;" % (first + reg, first + reg)]
        code += ["mov.b32 %%v%d, 0;" % (first + reg)] + loop("%r30", "0", per, 1, inner)
    return code


def lane_b(t, nregs, first):
    per, code = 32 // BITS[t], []
    for reg in range(nregs):
        inner = position_b(t, reg, 0) + ["add.u32 %r10, %r10, %r30;"] + value("b", t) + as_bits(t) + \
            ["mul.lo.u32 %%r31, %%r30, %d;" % (BITS[t] % 32), "shl.b32 %r13, %r13, %r31;", "or.b32 %%v%d, %%v%d, %%r13;" % (first + reg, first + reg)]
        code += ["mov.b32 %%v%d, 0;" % (first + reg)] + loop("%r30", "0", per, 1, inner)
    return code


def mma(k, ta, tb, td, selector, extra="", ordered=True):
    na, nb, nd = k * BITS[ta] // 128, k * BITS[ta] // 128, 2 if td == "f16" else 4
    c = na + nb
    code = ["shr.u32 %r28, %r1, 2;", "and.b32 %r29, %r1, 3;", "mov.u32 %r36, %r28;", "mov.u32 %r37, %r29;"]
    code += lane_a(ta, na, 0) + lane_b(tb, nb, na) + metadata(ta, k, selector)

    def place(reg, i):
        return position_c(reg, i) if td == "f16" else position_c(reg // 2, reg % 2)
    for reg in range(nd):
        code.append("mov.b32 %%v%d, 0;" % (c + reg))
        for i in range(2 if td == "f16" else 1):
            code += place(reg, i) + value("c", td) + as_bits(td) + ["shl.b32 %%r13, %%r13, %d;" % (16 * i), "or.b32 %%v%d, %%v%d, %%r13;" % (c + reg, c + reg)]
    code.append("mma.sp%s.sync.aligned.m16n8k%d.row.col%s.%s.%s.%s.%s %s, %s, %s, %s, %%r35, %d;" % (
        "::ordered_metadata" if ordered else "", k, extra, td, ta, tb, td, fragment(c + nd, nd), fragment(0, na), fragment(na, nb), fragment(c, nd),
        selector))
    code.append("mov.u32 %r9, 1;")
    for reg in range(nd):
        for i in range(2 if td == "f16" else 1):
            v = "%%v%d" % (c + nd + reg)
            code += place(reg, i) + expected(k, ta, tb) + (["shr.u32 %%r27, %s, %d;" % (v, 16 * i)] if td == "f16" else [])
            code += as_int(td, "%r27" if td == "f16" else v) + ["setp.ne.s32 %p2, %r26, %r21;", "@%p2 mov.u32 %r9, 0;"]
    program("mma_sp%s_k%d_%s_%s_%s_%d%s" % ("o" if ordered else "", k, td, ta, tb, selector, extra.replace(".", "_")), code)


def all_mma():
    for selector in range(4):
        for ta, td in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32")):
            mma(16, ta, ta, td, selector)
        mma(8, "tf32", "tf32", "f32", selector, ordered=selector % 2 == 0)
    for selector in range(2):
        for ta, td in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32")):
            mma(32, ta, ta, td, selector, ordered=selector == 0)
        mma(16, "tf32", "tf32", "f32", selector)
        for ta in ("s8", "u8"):
            mma(32, ta, "s8", "s32", selector, ".satfinite" if selector else "")
            mma(64, ta, "u8" if selector else "s8", "s32", 0, "", selector == 0)
        for ta in ("s4", "u4"):
            mma(64, ta, "s4", "s32", selector)
            mma(128, ta, "u4" if selector else "s4", "s32", 0, "", selector == 0)


class Compressed(Matrix):
    """A, of which only the chosen elements are stored; k: of them."""
    def element(self):
        return ["mov.u32 %r38, %r11;"] + choose(self.t, "%r10", "%r38", "%r11") + value("a", self.t) + as_bits(self.t) + \
            ["mov.u32 %r11, %r38;"]


def wgmma(n, ta, tb, td, selector, swizzle=(0, 0), crossed=False, in_registers=False):
    k, nd = 512 // BITS[ta], n // (4 if td == "f16" else 2)
    a, b = Compressed("a", ta, 64, k // 2, 0, swizzle[0]), Matrix("b", tb, n, k, 8192, swizzle[1], crossed)
    tail = "" if td == "s32" else ", 1, 1"
    if ta in ("f16", "bf16"):
        tail += ("" if in_registers else ", 0") + ", %d" % crossed
    instruction = "wgmma.mma_async.sp.sync.aligned.m64n%dk%d.%s.%s.%s %s, %s, %%q5, %%r35, %d, 1%s;" % (
        n, k, td, ta, tb, fragment(0, nd), fragment(200, 4) if in_registers else "%q4", selector, tail)
    # the line of the lane in its warp, and its place, for the metadata; rows of warps differ by 16
    first = b.fill() + b.descriptor("%q5") + (lane_a(ta, 4, 200) if in_registers else a.fill() + a.descriptor("%q4"))
    first += ["mov.u32 %r36, %r28;", "mov.u32 %r37, %r29;"] + metadata(ta, k, selector)
    body = ["wgmma.fence.sync.aligned;", instruction, "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    name = "sp_n%d_%s_%s_%s_%d_%s_s%d%s" % (n, td, ta, tb, selector, "r" if in_registers else "s%d" % swizzle[0], swizzle[1], "t" if crossed else "")
    gen_wgmma.program(name, frame(nd, first, body, lambda: expected(k, ta, tb), td), DECL)


def all_wgmma():
    for selector in range(2):
        for x, (ta, td) in enumerate((("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("tf32", "f32"))):
            wgmma(8 + 8 * x, ta, ta, td, selector, (x, (x + 2) % 3), in_registers=selector == 1)
            wgmma(64, ta, ta, td, selector, (1, 1), crossed=ta == "bf16")
    for ta, tb in (("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8")):
        wgmma(16, ta, tb, "s32", 0, (0, 2))
        wgmma(96, ta, tb, "s32", 0, (1, 1), in_registers=True)
    for ta, tb in (("e4m3", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e4m3"), ("e5m2", "e5m2")):
        wgmma(24, ta, tb, "f32", 0, (0, 0))
        wgmma(40, ta, tb, "f16", 0, (2, 1), in_registers=True)


def programs():
    all_mma()
    text = "// Written by gen_sparse.py; see there.\n.version 8.7\n.target sm_90\n.address_size 64\n\n" + "\n".join(texts)
    texts.clear()
    all_wgmma()
    return {"sparse": text, "sm_90a_wgmma_sparse": gen_wgmma.take().replace("gen_wgmma.py", "gen_sparse.py")}
