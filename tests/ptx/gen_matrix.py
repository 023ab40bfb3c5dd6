"""gen_matrix.py - matrix.ptx and matrix_fp8.ptx: self-checking programs for the warp matrix instructions (PTX ISA 9.7.14).

Every matrix has small integers for elements, so each product and sum is exact in all formats and in any order, and the
programs must give the same answer on every GPU. Results are compared with a product that the kernel computes element by
element in integers. wmma: the layout of fragments is not looked at, they go from load to store. mma: each lane makes its
fragments from the formulas of the manual's figures."""
from gen_programs import END, FIRST, START

texts = []
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "s8": 8, "u8": 8, "f64": 64, "s4": 4, "u4": 4, "b1": 1,
        "e4m3": 8, "e5m2": 8}


def program(name, code, decl="", shared=0, expect="ones"):
    text = "// TEST: t_%s grid=1 block=32 n=32%s\n// EXPECT: %s\n" % (name, " shared=%d" % shared if shared else "", expect)
    text += FIRST % ("t_" + name)
    text += "".join("    %s\n" % line for line in [".reg .f32 %f<8>;", ".reg .f64 %d<8>;"] + decl.split("\n") if line)
    text += START + "".join(("    %s\n" if not line.endswith(":") else "%s\n") % line for line in code) + END
    texts.append(text)


# ---- elements: %r10 = row, %r11 = column -> %r12, an integer ----

def value(which, t):
    """The element of matrix a, b or c at (%r10, %r11) as an integer in %r12."""
    p, q, m, off = {"a": (7, 3, 11, 5), "b": (5, 11, 13, 6), "c": (3, 5, 17, 8)}[which]
    if t == "b1":
        m, off = 2, 0
    elif t in ("u8", "u4"):
        off = 0
    elif t == "s4":
        m = min(m, 13)
    return ["mul.lo.u32 %%r12, %%r10, %d;" % p, "mad.lo.u32 %%r12, %%r11, %d, %%r12;" % q,
            "rem.u32 %%r12, %%r12, %d;" % m, "sub.s32 %%r12, %%r12, %d;" % off]


def as_bits(t):
    """%r12 as the bits of a t in %r13 (f64: %q13)."""
    if t in ("f16",):
        return ["cvt.rn.f16.s32 %h1, %r12;", "cvt.u32.u16 %r13, %h1;"]
    if t == "bf16":
        return ["cvt.rn.f32.s32 %f1, %r12;", "mov.b32 %r13, %f1;", "shr.u32 %r13, %r13, 16;"]
    if t in ("f32", "tf32"):
        return ["cvt.rn.f32.s32 %f1, %r12;", "mov.b32 %r13, %f1;"]
    if t in ("e4m3", "e5m2"):
        return ["cvt.rn.f32.s32 %f1, %r12;", "mov.f32 %f3, 0f00000000;", "cvt.rn.satfinite." + t + "x2.f32 %h1, %f3, %f1;",
                "cvt.u32.u16 %r13, %h1;"]
    if t == "f64":
        return ["cvt.rn.f64.s32 %d1, %r12;", "mov.b64 %q13, %d1;"]
    bits = BITS[t]
    return ["mov.u32 %r13, %r12;"] if bits == 32 else ["and.b32 %%r13, %%r12, %d;" % ((1 << bits) - 1)]


label = [0]


def new_label():
    label[0] += 1
    return "L%d" % label[0]


def loop(reg, first, limit, step, body):
    """for (reg = first; reg < limit; reg += step) body; %p1 is used."""
    top, end = new_label(), new_label()
    return ["mov.u32 %s, %s;" % (reg, first), top + ":", "setp.ge.u32 %%p1, %s, %d;" % (reg, limit), "@%%p1 bra %s;" % end] + \
        body + ["add.u32 %s, %s, %d;" % (reg, reg, step), "bra %s;" % top, end + ":"]


def address(rows, cols, layout, ld, t, base):
    """%q14 = the address of (%r10, %r11)."""
    r, c = ("%r10", "%r11") if layout == "row" else ("%r11", "%r10")
    lines = ["mad.lo.u32 %%r14, %s, %d, %s;" % (r, ld, c)]
    return lines + ["mad.wide.u32 %%q14, %%r14, %d, %s;" % (BITS[t] // 8, base)]


def split(rows, cols):
    return ["div.u32 %%r10, %%r15, %d;" % cols, "rem.u32 %%r11, %%r15, %d;" % cols]


def fill(which, rows, cols, layout, ld, t, base):
    store = "st.b64 [%q14], %q13;" if t == "f64" else "st.b%d [%%q14], %s;" % (BITS[t], "%r13")
    if t == "f64":
        pass
    elif BITS[t] == 16:
        store = "st.b16 [%q14], %h2;"
    elif BITS[t] == 8:
        store = "st.b8 [%q14], %r13;"
    narrow = ["cvt.u16.u32 %h2, %r13;"] if BITS[t] == 16 else []
    return loop("%r15", "%r1", rows * cols, 32, split(rows, cols) + value(which, t) + as_bits(t) + narrow +
                address(rows, cols, layout, ld, t, base) + [store])


def fill_words(which, lines, runs, t, ld, base, line_first):
    """Elements of less than a byte: a word at a time. ld in elements; line_first: the line is the row (a), else the
    column (b)."""
    per = 32 // BITS[t]
    body = ["div.u32 %%r16, %%r15, %d;" % (runs // per), "rem.u32 %%r17, %%r15, %d;" % (runs // per), "mov.u32 %r18, 0;"]
    line, run = ("%r10", "%r11") if line_first else ("%r11", "%r10")
    inner = ["mov.u32 %s, %%r16;" % line, "mad.lo.u32 %s, %%r17, %d, %%r19;" % (run, per)] + value(which, t) + as_bits(t) + \
        ["mul.lo.u32 %%r20, %%r19, %d;" % BITS[t], "shl.b32 %r13, %r13, %r20;", "or.b32 %r18, %r18, %r13;"]
    body += loop("%r19", "0", per, 1, inner)
    body += ["mad.lo.u32 %%r14, %%r16, %d, %%r17;" % (ld // per), "mad.wide.u32 %%q14, %%r14, 4, %s;" % base,
             "st.b32 [%q14], %r18;"]
    return loop("%r15", "%r1", lines * runs // per, 32, body)


def expected(m, n, k, ta, tb, op="mul"):
    """%r21 = c + a * b at (%r10, %r11) = (row, column); %r22, %r23 keep them."""
    step = {"mul": ["mad.lo.s32 %r21, %r24, %r12, %r21;"],
            "xor": ["xor.b32 %r12, %r24, %r12;", "add.u32 %r21, %r21, %r12;"],
            "and": ["and.b32 %r12, %r24, %r12;", "add.u32 %r21, %r21, %r12;"]}[op]
    body = ["mov.u32 %r10, %r22;", "mov.u32 %r11, %r25;"] + value("a", ta) + ["mov.u32 %r24, %r12;",
            "mov.u32 %r10, %r25;", "mov.u32 %r11, %r23;"] + value("b", tb) + step
    lines = ["mov.u32 %r22, %r10;", "mov.u32 %r23, %r11;"] + value("c", "s32") + ["mov.u32 %r21, %r12;"]
    return lines + loop("%r25", "0", k, 1, body) + ["mov.u32 %r10, %r22;", "mov.u32 %r11, %r23;"]


def as_int(t, bits):
    """%r26 = the integer that `bits`, a register, is as a t."""
    if t == "f16":
        return ["cvt.u16.u32 %%h3, %s;" % bits, "cvt.f32.f16 %f2, %h3;", "cvt.rni.s32.f32 %r26, %f2;"]
    if t == "f32":
        return ["mov.b32 %%f2, %s;" % bits, "cvt.rni.s32.f32 %r26, %f2;"]
    if t == "f64":
        return ["mov.b64 %%d2, %s;" % bits, "cvt.rni.s32.f64 %r26, %d2;"]
    return ["mov.u32 %%r26, %s;" % bits]


def compare(m, n, k, ta, tb, layout, ld, t, base, op="mul"):
    load = {"f16": ["ld.u16 %h4, [%q14];", "cvt.u32.u16 %r27, %h4;"], "f64": ["ld.b64 %q15, [%q14];"]}.get(
        t, ["ld.b32 %r27, [%q14];"])
    body = split(m, n) + expected(m, n, k, ta, tb, op) + address(m, n, layout, ld, t, base) + load + \
        as_int(t, "%q15" if t == "f64" else "%r27") + ["setp.ne.s32 %p2, %r26, %r21;", "@%p2 mov.u32 %r9, 0;"]
    return ["mov.u32 %r9, 1;"] + loop("%r15", "%r1", m * n, 32, body)


# ---- wmma ----

def registers(which, shape, t):
    table = {"m16n16k16": (16, 16, 16), "m8n32k16": (8, 32, 16), "m32n8k16": (32, 8, 16), "m16n16k8": (16, 16, 8),
             "m8n8k4": (8, 8, 4), "m8n8k32": (8, 8, 32), "m8n8k128": (8, 8, 128)}
    m, n, k = table[shape]
    if t == "f16" and which in "ab":
        return 8
    size = {"a": m * k, "b": k * n, "c": m * n}[which]
    return size // 32 if t == "f64" else size * BITS[t] // 32 // 32


def fragment(first, n):
    return "{" + ", ".join("%%v%d" % (first + i) for i in range(n)) + "}"


def wmma(shape, ta, tc, td, la, lb, lc, ld_, space, extra="", op="mul", plain_ld=False, rounding=""):
    """la lb lc ld_: layouts. Leading dimensions are longer than the matrix, unless plain_ld leaves them out."""
    m, n, k = [int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split()]
    sub = BITS[ta] < 8
    pad = {"f64": 2, "s8": 16, "u8": 16, "tf32": 4}.get(ta, 8)
    lda = (k if la == "row" else m) + (0 if plain_ld else 128 if ta == "b1" else 32 if sub else pad)
    ldb = (n if lb == "row" else k) + (0 if plain_ld else 128 if ta == "b1" else 32 if sub else pad)
    pc = {"f16": 8, "f64": 2}.get(tc, 4)
    pd = {"f16": 8, "f64": 2}.get(td, 4)
    ldc, ldd = (n if lc == "row" else m) + (0 if plain_ld else pc), (n if ld_ == "row" else m) + (0 if plain_ld else pd)
    code = ["mov.u64 %q3, buf;", "cvta.shared.u64 %q3, %q3;"] if space == "shared" else ["cvta.global.u64 %q3, %q2;"]
    code += ["add.u64 %q4, %q3, 4096;", "add.u64 %q5, %q3, 8192;", "add.u64 %q6, %q3, 12288;"]
    if sub:
        code += fill_words("a", m, k, ta, lda, "%q3", True) + fill_words("b", n, k, ta, ldb, "%q4", False)
    else:
        code += fill("a", m, k, la, lda, ta, "%q3") + fill("b", k, n, lb, ldb, ta, "%q4")
    code += fill("c", m, n, lc, ldc, tc, "%q5") + ["bar.sync 0;"]
    where = ["%q3", "%q4", "%q5", "%q6"]
    dot = {"global": ".global", "shared": ".shared", "generic": ""}[space]
    if space != "generic":
        for i, q in enumerate(where):
            code.append("cvta.to.%s.u64 %%q%d, %s;" % (space, 7 + i, q))
        where = ["%%q%d" % (7 + i) for i in range(4)]
    na, nb, nc, nd = registers("a", shape, ta), registers("b", shape, ta), registers("c", shape, tc), registers("c", shape, td)
    fa, fb, fc, fd = fragment(0, na), fragment(na, nb), fragment(na + nb, nc), fragment(na + nb + nc, nd)

    def stride(x):
        return "" if plain_ld else ", %d" % x
    code.append("wmma.load.a.sync.aligned.%s.%s%s.%s %s, [%s]%s;" % (la, shape, dot, ta, fa, where[0], stride(lda)))
    code.append("wmma.load.b.sync.aligned.%s.%s%s.%s %s, [%s]%s;" % (lb, shape, dot, ta, fb, where[1], stride(ldb)))
    code.append("wmma.load.c.sync.aligned.%s.%s%s.%s %s, [%s]%s;" % (lc, shape, dot, tc, fc, where[2], stride(ldc)))
    types = "%s.%s" % (td, tc) if ta == "f16" else "%s.%s.%s.%s" % (td, ta, ta, tc)
    code.append("wmma.mma.%ssync.aligned.%s.%s.%s%s.%s%s %s, %s, %s, %s;" %
                (op + ".popc." if op != "mul" else "", la, lb, shape, rounding, types, extra, fd, fa, fb, fc))
    code.append("wmma.store.d.sync.aligned.%s.%s%s.%s [%s], %s%s;" % (ld_, shape, dot, td, where[3], fd, stride(ldd)))
    code.append("bar.sync 0;")
    code += compare(m, n, k, ta, ta, ld_, ldd, td, "%q6", op)
    decl = ".reg .%s %%v<40>;" % ("b64" if ta == "f64" else "b32")
    if space == "shared":
        decl += "\n.shared .align 32 .b8 buf[16384];"
    name = "wmma_%s_%s_%s_%s_%s%s%s%s_%s%s%s" % (shape, ta, tc, td, la[0], lb[0], lc[0], ld_[0], space,
                                                (rounding + extra).replace(".", "_"), ("_" + op if op != "mul" else "") + ("_plain" if plain_ld else ""))
    program(name, code, decl, shared=16384 if space == "shared" else 0)


def all_wmma():
    layouts = [("row", "col"), ("col", "row"), ("row", "row"), ("col", "col")]
    spaces = ["global", "shared", "generic"]
    for turn, shape in enumerate(("m16n16k16", "m8n32k16", "m32n8k16")):
        for x, (la, lb) in enumerate(layouts):
            lc, ld = layouts[(x + turn) % 4]
            wmma(shape, "f16", "f32", "f32", la, lb, lc, ld, "shared" if x < 2 else "global")
            wmma(shape, "bf16", "f32", "f32", la, lb, ld, lc, spaces[(x + turn) % 3])
        for x in (0, 1):
            la, lb = layouts[x]
            wmma(shape, "f16", "f16", "f16", la, lb, lb, la, spaces[(x + turn) % 3])
            wmma(shape, "s8", "s32", "s32", la, lb, la, lb, spaces[(x + turn) % 2])
            wmma(shape, "u8", "s32", "s32", la, lb, lb, la, spaces[(x + turn + 1) % 2])
        wmma(shape, "f16", "f16", "f32", "row", "col", "row", "col", "global")
        wmma(shape, "f16", "f32", "f16", "col", "row", "col", "row", "generic")
        wmma(shape, "f16", "f32", "f32", "row", "row", "row", "row", "global", plain_ld=True)
        wmma(shape, "f16", "f16", "f16", "col", "col", "col", "col", "shared", plain_ld=True)
    wmma("m16n16k16", "s8", "s32", "s32", "row", "col", "row", "row", "global", ".satfinite")
    for x, (la, lb) in enumerate(layouts):
        wmma("m16n16k8", "tf32", "f32", "f32", la, lb, lb, la, spaces[x % 3])
        wmma("m8n8k4", "f64", "f64", "f64", la, lb, la, lb, spaces[x % 3])
        wmma("m8n8k4", "f64", "f64", "f64", la, lb, la, lb, spaces[x % 3], rounding=[".rn", ".rz", ".rm", ".rp"][x])
    for x, t in enumerate(("s4", "u4")):
        wmma("m8n8k32", t, "s32", "s32", "row", "col", "row", "col", spaces[x], ".satfinite" if x else "")
    for x, op in enumerate(("xor", "and")):
        wmma("m8n8k128", "b1", "s32", "s32", "row", "col", "col", "row", spaces[x], op=op)


# ---- mma: fragments made by the lanes themselves ----

def position_a(m, k, t, reg, i):
    """Row and column of element i of register reg, from the figures of 9.7.14.5: groupID %r28, threadID_in_group %r29."""
    per = max(1, 32 // BITS[t])
    rows = 2 if m == 16 else 1
    return ["add.u32 %%r10, %%r28, %d;" % (8 * (reg % rows)),
            "mad.lo.u32 %%r11, %%r29, %d, %d;" % (per, i + 4 * per * (reg // rows))]


def position_b(t, reg, i):
    per = max(1, 32 // BITS[t])
    return ["mad.lo.u32 %%r10, %%r29, %d, %d;" % (per, i + 4 * per * reg), "mov.u32 %r11, %r28;"]


def position_c(reg, i):
    """Element i (0, 1) of the pair reg."""
    return ["add.u32 %%r10, %%r28, %d;" % (8 * reg), "mad.lo.u32 %%r11, %%r29, 2, %d;" % i]


def make(which, t, nregs, first, where):
    code = []
    per = max(1, 32 // BITS[t])
    for reg in range(nregs):
        if t == "f64":
            code += where(reg, 0) + value(which, t) + as_bits(t) + ["mov.b64 %%v%d, %%q13;" % (first + reg)]
            continue
        inner = []
        if per <= 4:
            code.append("mov.b32 %%v%d, 0;" % (first + reg))
            for i in range(per):
                inner += where(reg, i) + value(which, t) + as_bits(t)
                inner += (["shl.b32 %%r13, %%r13, %d;" % (i * BITS[t])] if i else []) + \
                    ["or.b32 %%v%d, %%v%d, %%r13;" % (first + reg, first + reg)]
            code += inner
        else:
            body = [line.replace("@i", "%r30") for line in where(reg, "@i")] + value(which, t) + as_bits(t) + \
                ["mul.lo.u32 %%r31, %%r30, %d;" % BITS[t], "shl.b32 %r13, %r13, %r31;",
                 "or.b32 %%v%d, %%v%d, %%r13;" % (first + reg, first + reg)]
            code += ["mov.b32 %%v%d, 0;" % (first + reg)] + loop("%r30", "0", per, 1, body)
    return code


def dynamic(f):
    """Positions whose element number is a register."""
    def at(reg, i):
        if i != "@i":
            return f(reg, i)
        lines = f(reg, 0)
        run = "%r11" if f.__name__ == "a" else "%r10"
        return lines + ["add.u32 %s, %s, @i;" % (run, run)]
    return at


def mma(shape, ta, tb, tc, td, extra="", op="mul"):
    m, n, k = [int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split()]

    def count(rows, cols, t):
        return rows * cols // 32 if t == "f64" else rows * cols * BITS[t] // 1024

    def a(reg, i):
        return position_a(m, k, ta, reg, i)

    def b(reg, i):
        return position_b(tb, reg, i)

    def c(reg, i, t):
        return position_c(reg, i) if BITS[t] == 16 else position_c(reg // 2, reg % 2)
    na, nb, nc, nd = count(m, k, ta), count(k, n, tb), count(m, n, tc), count(m, n, td)
    code = ["shr.u32 %r28, %r1, 2;", "and.b32 %r29, %r1, 3;"]
    code += make("a", ta, na, 0, dynamic(a)) + make("b", tb, nb, na, dynamic(b))
    code += make("c", tc, nc, na + nb, lambda reg, i: c(reg, i, tc))
    fa, fb, fc, fd = fragment(0, na), fragment(na, nb), fragment(na + nb, nc), fragment(na + nb + nc, nd)
    before, behind = (extra, "") if extra == ".satfinite" else ("", extra)
    code.append("mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s%s %s, %s, %s, %s;" %
                (shape, before, td, ta, tb, tc, behind, fd, fa, fb, fc))
    code.append("mov.u32 %r9, 1;")
    for reg in range(nd):
        for i in range(2 if td == "f16" else 1):
            v = "%%v%d" % (na + nb + nc + reg)
            code += c(reg, i, td) + expected(m, n, k, ta, tb, op)
            code += ["shr.u32 %%r27, %s, %d;" % (v, 16 * i)] if td == "f16" else []
            code += as_int(td, "%r27" if td == "f16" else v)
            code += ["setp.ne.s32 %p2, %r26, %r21;", "@%p2 mov.u32 %r9, 0;"]
    name = "mma_%s_%s_%s_%s_%s%s" % (shape, ta, tb, tc, td, extra.replace(".", "_"))
    program(name, code, ".reg .%s %%v<40>;" % ("b64" if ta == "f64" else "b32"))


def mma_rounded(shape, mode):
    """Of thirds of small integers, which are no f64: as a chain of fma in the order of k, each rounded so."""
    m, n, k = [int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split()]
    na, nb, nc = m * k // 32, k * n // 32, m * n // 32
    third = ["mul.rn.f64 %d1, %d1, 0d3FD5555555555555;"]

    def element(which):
        return value(which, "f64") + ["cvt.rn.f64.s32 %d1, %r12;"] + third
    code = ["shr.u32 %r28, %r1, 2;", "and.b32 %r29, %r1, 3;"]
    for which, count, first, at in (("a", na, 0, lambda reg: position_a(m, k, "f64", reg, 0)),
                                    ("b", nb, na, lambda reg: position_b("f64", reg, 0)),
                                    ("c", nc, na + nb, lambda reg: position_c(reg // 2, reg % 2))):
        for reg in range(count):
            code += at(reg) + element(which) + ["mov.b64 %%v%d, %%d1;" % (first + reg)]
    code.append("mma.sync.aligned.%s.row.col%s.f64.f64.f64.f64 %s, %s, %s, %s;" % (
        shape, mode, fragment(na + nb + nc, nc), fragment(0, na), fragment(na, nb), fragment(na + nb, nc)))
    code.append("mov.u32 %r9, 1;")
    for reg in range(nc):
        code += position_c(reg // 2, reg % 2) + ["mov.u32 %r22, %r10;", "mov.u32 %r23, %r11;"] + element("c")
        code += ["mov.f64 %d3, %d1;"]
        body = ["mov.u32 %r10, %r22;", "mov.u32 %r11, %r25;"] + element("a") + ["mov.f64 %d2, %d1;",
                "mov.u32 %r10, %r25;", "mov.u32 %r11, %r23;"] + element("b")
        code += loop("%r25", "0", k, 1, body + ["fma%s.f64 %%d3, %%d2, %%d1, %%d3;" % (mode or ".rn")])
        code += ["mov.b64 %%d4, %%v%d;" % (na + nb + nc + reg), "setp.neu.f64 %p2, %d4, %d3;", "@%p2 mov.u32 %r9, 0;"]
    program("mma_%s_rounded%s" % (shape, mode.replace(".", "_")), code, ".reg .b64 %v<40>;")


def all_mma():
    for shape in ("m16n8k8", "m16n8k16"):
        mma(shape, "f16", "f16", "f32", "f32")
        mma(shape, "f16", "f16", "f16", "f16")
        mma(shape, "bf16", "bf16", "f32", "f32")
    for shape in ("m16n8k4", "m16n8k8"):
        mma(shape, "tf32", "tf32", "f32", "f32")
    for shape in ("m8n8k16", "m16n8k16", "m16n8k32"):
        mma(shape, "s8", "s8", "s32", "s32")
        mma(shape, "u8", "u8", "s32", "s32")
        mma(shape, "u8", "s8", "s32", "s32")
        mma(shape, "s8", "u8", "s32", "s32", ".satfinite")
    for shape in ("m8n8k32", "m16n8k32", "m16n8k64"):
        for ta in ("s4", "u4"):
            mma(shape, ta, "u4", "s32", "s32")
    for shape in ("m8n8k128", "m16n8k128", "m16n8k256"):
        for op in ("xor", "and"):
            mma(shape, "b1", "b1", "s32", "s32", ".%s.popc" % op, op)
    for shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"):
        mma(shape, "f64", "f64", "f64", "f64")
    for shape, mode in (("m8n8k4", ".rz"), ("m16n8k4", ".rm"), ("m16n8k8", ".rp"), ("m16n8k16", ".rz"), ("m8n8k4", ".rp"),
                        ("m8n8k4", ".rm"), ("m16n8k16", "")):
        mma_rounded(shape, mode)


# ---- ldmatrix, stmatrix, movmatrix: element (unit, row, column) of the 8 x 8 matrices is 64 unit + 8 row + column ----

def element(unit, trans, i, to):
    """What lane %r28 * 4 + %r29 holds as its element i of a matrix."""
    if trans:
        return ["mad.lo.u32 %%r10, %%r29, 16, %d;" % (64 * unit + 8 * i), "add.u32 %s, %%r10, %%r28;" % to]
    return ["mad.lo.u32 %%r10, %%r29, 2, %d;" % (64 * unit + i), "mad.lo.u32 %s, %%r28, 8, %%r10;" % to]


def row_address(n):
    """%r15 = where row %r1 % 8 of matrix %r1 / 8 lies: 48 bytes a row, so that rows are spread; lanes beyond n matrices
    point at nothing."""
    return ["mov.u32 %r14, buf;", "mad.lo.u32 %r15, %r1, 48, %r14;", "setp.ge.u32 %%p3, %%r1, %d;" % (8 * n),
            "@%p3 mov.u32 %r15, 3;"]


def matrices():
    halves = ["shr.u32 %r28, %r1, 2;", "and.b32 %r29, %r1, 3;", "mov.u32 %r9, 1;"]
    decl = ".reg .b32 %v<8>;\n.shared .align 16 .b8 buf[1536];"
    for n in (1, 2, 4):
        for trans in (False, True):
            suffix = "x%d%s" % (n, ".trans" if trans else "")
            regs = fragment(0, n)
            # element e of row r (of all 8 n rows) at r * 48 + 2 e
            fill_ = loop("%r15", "%r1", 64 * n, 32, ["shr.u32 %r10, %r15, 3;", "and.b32 %r11, %r15, 7;", "mov.u32 %r14, buf;",
                         "mad.lo.u32 %r14, %r10, 48, %r14;", "mad.lo.u32 %r14, %r11, 2, %r14;", "cvt.u16.u32 %h1, %r15;",
                         "st.shared.b16 [%r14], %h1;"])
            check = []
            for u in range(n):
                for i in range(2):
                    check += element(u, trans, i, "%r12") + ["shr.u32 %%r13, %%v%d, %d;" % (u, 16 * i),
                                                           "and.b32 %r13, %r13, 65535;", "setp.ne.u32 %p2, %r13, %r12;",
                                                           "@%p2 mov.u32 %r9, 0;"]
            for generic in (False, True):
                to = ["cvt.u64.u32 %q3, %r15;", "cvta.shared.u64 %q3, %q3;"] if generic else []
                program("ldmatrix_%s%s" % (suffix.replace(".", "_"), "_generic" if generic else ""),
                        halves + fill_ + ["bar.sync 0;"] + row_address(n) + to +
                        ["ldmatrix.sync.aligned.m8n8.%s%s.b16 %s, [%s];" % (suffix, "" if generic else ".shared", regs,
                                                                           "%q3" if generic else "%r15")] + check, decl, 1536)
            hold = []
            for u in range(n):
                hold += element(u, trans, 0, "%r12") + element(u, trans, 1, "%r13") + \
                    ["shl.b32 %r13, %r13, 16;", "or.b32 %%v%d, %%r12, %%r13;" % u]
            back = loop("%r15", "%r1", 64 * n, 32, ["shr.u32 %r10, %r15, 3;", "and.b32 %r11, %r15, 7;", "mov.u32 %r14, buf;",
                        "mad.lo.u32 %r14, %r10, 48, %r14;", "mad.lo.u32 %r14, %r11, 2, %r14;",
                        "ld.shared.u16 %h1, [%r14];", "cvt.u32.u16 %r12, %h1;", "setp.ne.u32 %p2, %r12, %r15;",
                        "@%p2 mov.u32 %r9, 0;"])
            program("stmatrix_%s" % suffix.replace(".", "_"), halves + hold + row_address(n) +
                    ["stmatrix.sync.aligned.m8n8.%s.shared.b16 [%%r15], %s;" % (suffix, regs), "bar.sync 0;"] + back,
                    decl, 1536)
    hold = element(0, False, 0, "%r12") + element(0, False, 1, "%r13") + ["shl.b32 %r13, %r13, 16;", "or.b32 %v0, %r12, %r13;"]
    check = element(0, True, 0, "%r12") + element(0, True, 1, "%r13") + \
        ["shl.b32 %r13, %r13, 16;", "or.b32 %r12, %r12, %r13;", "setp.ne.u32 %p2, %r12, %v1;", "@%p2 mov.u32 %r9, 0;"]
    program("movmatrix", halves + hold + ["movmatrix.sync.aligned.m8n8.trans.b16 %v1, %v0;"] + check, decl)


# ---- element by element ----

def pieces():
    """Accumulators can be scaled register by register, and a fragment may be filled with one value."""
    code = ["cvta.global.u64 %q3, %q2;"] + fill("c", 16, 16, "row", 16, "f32", "%q3") + ["bar.sync 0;"]
    f = fragment(0, 8)
    code += ["wmma.load.c.sync.aligned.row.m16n16k16.f32 %s, [%%q3], 16;" % f]
    for i in range(8):
        code += ["mov.b32 %%f1, %%v%d;" % i, "fma.rn.f32 %f1, %f1, 0f40400000, 0f3F800000;", "mov.b32 %%v%d, %%f1;" % i]
    code += ["wmma.store.d.sync.aligned.col.m16n16k16.f32 [%%q3], %s, 16;" % f, "bar.sync 0;", "mov.u32 %r9, 1;"]
    code += loop("%r15", "%r1", 256, 32, split(16, 16) + value("c", "f32") + ["mad.lo.s32 %r21, %r12, 3, 1;"] +
                 address(16, 16, "col", 16, "f32", "%q3") + ["ld.b32 %r27, [%q14];"] + as_int("f32", "%r27") +
                 ["setp.ne.s32 %p2, %r26, %r21;", "@%p2 mov.u32 %r9, 0;"])
    program("wmma_elements", code, ".reg .b32 %v<8>;")


def all_fp8():
    """8-bit floats; the values of value() are exact in e5m2, whose significand has three bits: none is above 8, or odd
    above 7."""
    for shape in ("m16n8k16", "m16n8k32"):
        for ta in ("e4m3", "e5m2"):
            for tb in ("e4m3", "e5m2"):
                mma(shape, ta, tb, "f32", "f32")
                mma(shape, ta, tb, "f16", "f16")


def take(version):
    """A file of all that was made since the last one."""
    text = ("// Written by gen_matrix.py; see there.\n.version %s\n.target sm_90\n.address_size 64\n\n" % version +
            "\n".join(texts))
    texts.clear()
    return text


def programs():
    all_wmma()
    all_mma()
    matrices()
    pieces()
    made = {"matrix": take("8.0")}
    all_fp8()
    made["matrix_fp8"] = take("8.7")
    return made
