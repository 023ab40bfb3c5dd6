"""gen.py - the test programs that have one shape: a thread loads its operands, runs one instruction, and stores every
destination. make.py says what the head of a kernel means."""
import re

import gen_memory

INTS = ["u16", "s16", "u32", "s32", "u64", "s64"]
RND = ["rn", "rz", "rm", "rp"]
SIZE = {"pred": 4, "u8": 1, "s8": 1, "b8": 1, "u16": 2, "s16": 2, "b16": 2, "f16": 2, "bf16": 2, "u32": 4, "s32": 4,
        "b32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4, "u16x2": 4, "s16x2": 4, "u64": 8, "s64": 8, "b64": 8, "f64": 8}
files = {}
names = set()


def size(t):
    return SIZE[t.split(":")[0]]


def reg_letter(t):
    """The registers of a type: predicates p, 16 bits h, 32 bits r, 64 bits q."""
    t = t.split(":")[0]
    return "p" if t == "pred" else {1: "h", 2: "h", 4: "r", 8: "q"}[SIZE[t]]


def load(n, t):
    """The lines that load operand n; its register is %<letter><n + 1>."""
    r, base = reg_letter(t), t.split(":")[0]
    lines = ["ld.param.u64 %%q20, [in%d];" % n, "mad.wide.u32 %%q20, %%r20, %d, %%q20;" % size(t)]
    if r == "p":
        return lines + ["ld.global.b32 %r21, [%q20];", "setp.ne.u32 %%p%d, %%r21, 0;" % (n + 1)]
    kind = "b%d" % (8 * size(t)) if size(t) > 1 else ("s8" if base == "s8" else "u8")
    return lines + ["ld.global.%s %%%s%d, [%%q20];" % (kind, r, n + 1)]


def store(n, t):
    """The line that stores destination n, register %<letter><n + 11>, as a zero-extended word."""
    r = reg_letter(t)
    if r == "p":
        return ["selp.b32 %%r21, 1, 0, %%p%d;" % (n + 11), "st.global.b32 [%%q21+%d], %%r21;" % (8 * n)]
    return ["st.global.b%d [%%q21+%d], %%%s%d;" % (8 * size(t), 8 * n, r, n + 11)]


def kernel_name(text):
    name = base = "t_" + re.sub(r"[^a-z0-9A-Z]+", "_", text).strip("_")
    k = 2
    while name in names:
        name, k = "%s_%d" % (base, k), k + 1
    names.add(name)
    return name


def emit(file, op, ins, outs, code=None, name=None, extra="", decl=(), top=""):
    """One kernel. code: its instructions with {d} {e} destinations and {a} {b} {c} {x} operands."""
    regs = {"abcx"[n]: "%%%s%d" % (reg_letter(t), n + 1) for n, t in enumerate(ins)}
    regs.update({"defg"[n]: "%%%s%d" % (reg_letter(t), n + 11) for n, t in enumerate(outs)})
    if code is None:
        code = op + " " + ", ".join(["{d}"] + ["{%s}" % "abcx"[n] for n in range(len(ins))])
    name = kernel_name(name or op)
    head = "// TEST: %s op=%s in=%s out=%s%s\n" % (name, op, ",".join(ins), ",".join(outs), extra and " " + extra)
    body = [".reg .pred %p<24>;", ".reg .b16 %h<24>;", ".reg .b32 %r<32>;", ".reg .b64 %q<32>;"] + list(decl)
    body += ["mov.u32 %r22, %ctaid.x;", "mov.u32 %r23, %ntid.x;", "mov.u32 %r24, %tid.x;",
             "mad.lo.u32 %r20, %r22, %r23, %r24;", "ld.param.u32 %r25, [n];", "setp.ge.u32 %p20, %r20, %r25;",
             "@%p20 exit;", "ld.param.u64 %q21, [out];", "mad.wide.u32 %%q21, %%r20, %d, %%q21;" % (8 * len(outs))]
    for n, t in enumerate(ins):
        body += load(n, t)
    lines = code if isinstance(code, list) else [code]
    body += [line if line.rstrip().endswith((";", ":", "{", "}")) else line + ";" for line in
             (re.sub(r"\{([abcxdefg])\}", lambda m: regs[m.group(1)], line) for line in lines)]
    if any("%q21" in line for line in lines): # the code used the output words as scratch
        body += ["st.global.b64 [%%q21+%d], 0;" % (8 * n) for n in range(len(outs))]
    for n, t in enumerate(outs):
        body += store(n, t)
    body += ["ret;"]
    text = top + head + ".visible .entry %s(.param .u64 in0, .param .u64 in1, .param .u64 in2, .param .u64 in3,\n" \
        "    .param .u64 out, .param .u32 n)\n{\n" % name
    files.setdefault(file, []).append(text + "".join("    %s\n" % line for line in body) + "}\n")


# ---- integers ----

def integers():
    f = "int_arith"
    for t in INTS:
        for op in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
            emit(f, "%s.%s" % (op, t), [t, t], [t])
        for op in ("mad.lo", "mad.hi", "sad"):
            emit(f, "%s.%s" % (op, t), [t, t, t], [t])
        for op in ("div", "rem"):
            emit(f, "%s.%s" % (op, t), [t, t + ":nz"], [t])
            emit(f, "%s.%s" % (op, t), [t, t + ":0-0"], [t], name="%s.%s.by_zero" % (op, t), extra="ref=none")
        if t[0] == "s":
            emit(f, "abs." + t, [t], [t])
            emit(f, "neg." + t, [t], [t])
    for t in ("u16", "s16", "u32", "s32"):
        w = t[0] + str(2 * int(t[1:]))
        emit(f, "mul.wide." + t, [t, t], [w])
        emit(f, "mad.wide." + t, [t, t, w], [w])
    for op in ("add.sat.s32", "sub.sat.s32", "add.u16x2", "add.s16x2", "min.u16x2", "max.u16x2", "min.s16x2", "max.s16x2",
               "min.relu.s16x2", "max.relu.s16x2", "min.relu.s32", "max.relu.s32", "mul24.lo.u32", "mul24.lo.s32",
               "mul24.hi.u32", "mul24.hi.s32"):
        t = op.split(".")[-1]
        emit(f, op, [t, t], [t])
    for op in ("mad.hi.sat.s32", "mad24.lo.u32", "mad24.lo.s32", "mad24.hi.u32", "mad24.hi.s32", "mad24.hi.sat.s32"):
        t = op.split(".")[-1]
        emit(f, op, [t, t, t], [t])
    for a in ("u32", "s32"):
        for b in ("u32", "s32"):
            for op in ("dp4a", "dp2a.lo", "dp2a.hi"):
                emit(f, "%s.%s.%s" % (op, a, b), ["b32", "b32", "b32"], ["b32"])


def carries():
    """The carry goes in by an add.cc of the last operand and ~0 or by a sub.cc, and comes out by an addc or subc."""
    f = "int_carry"
    for t in ("u32", "s32", "u64", "s64"):
        h = "b64" if size(t) == 8 else "b32"
        u = "u64" if size(t) == 8 else "u32"
        for op, out in (("add.cc", "addc"), ("sub.cc", "subc")):
            emit(f, "%s.%s" % (op, t), [t, t], [t, h],
                 ["%s.%s {d}, {a}, {b}" % (op, t), "%s.%s {e}, 0, 0" % (out, u)])
        for op in ("addc", "addc.cc", "subc", "subc.cc"):
            carry = ["add.cc.%s {e}, {c}, -1" % u] if op[0] == "a" else ["sub.cc.%s {e}, 0, {c}" % u]
            after = [("addc.%s {e}, 0, 0" if op[0] == "a" else "subc.%s {e}, 0, 0") % u] if ".cc" in op else []
            emit(f, "%s.%s" % (op, t), [t, t, h + ":0-1"], [t, h] if after else [t],
                 [line.replace("{e}", "%r26" if size(t) == 4 else "%q26") for line in carry] +
                 ["%s.%s {d}, {a}, {b}" % (op, t)] + after)
        for half in ("lo", "hi"):
            emit(f, "mad.%s.cc.%s" % (half, t), [t, t, t], [t, h],
                 ["mad.%s.cc.%s {d}, {a}, {b}, {c}" % (half, t), "addc.%s {e}, 0, 0" % u])
            for cc in ("", ".cc"):
                emit(f, "madc.%s%s.%s" % (half, cc, t), [t, t, t, h + ":0-1"], [t, h] if cc else [t],
                     ["add.cc.%s %%%s26, {x}, -1" % (u, "r" if size(t) == 4 else "q"),
                      "madc.%s%s.%s {d}, {a}, {b}, {c}" % (half, cc, t)] + (["addc.%s {e}, 0, 0" % u] if cc else []))


def bits():
    f = "bits"
    for t in ("pred", "b16", "b32", "b64"):
        for op in ("and", "or", "xor"):
            emit(f, "%s.%s" % (op, t), [t, t], [t])
        emit(f, "not." + t, [t], [t])
        emit(f, "mov." + t, [t], [t])
        if t != "pred":
            emit(f, "cnot." + t, [t], [t])
            emit(f, "selp." + t, [t, t, "pred"], [t])
    for t in INTS + ["f32", "f64"]:
        emit(f, "selp." + t, [t, t, "pred"], [t])
        emit(f, "mov." + t, [t], [t])
    for n in (16, 32, 64):
        emit(f, "shl.b%d" % n, ["b%d" % n, "u32:shift"], ["b%d" % n])
        for s in "bus":
            emit(f, "shr.%s%d" % (s, n), ["%s%d" % (s, n), "u32:shift"], ["%s%d" % (s, n)])
    for d in "lr":
        for m in ("wrap", "clamp"):
            emit(f, "shf.%s.%s.b32" % (d, m), ["b32", "b32", "u32:shift"], ["b32"])
    for lut in (0x00, 0x01, 0x1b, 0x40, 0x69, 0x80, 0x96, 0xc0, 0xca, 0xe8, 0xf8, 0xfe, 0xff):
        emit(f, "lop3.b32", ["b32", "b32", "b32"], ["b32"], "lop3.b32 {d}, {a}, {b}, {c}, %d" % lut,
             name="lop3.b32.%d" % lut, extra="imm=%d" % lut)
        for op in ("or", "and"):
            emit(f, "lop3.%s.b32" % op, ["b32", "b32", "b32", "pred"], ["b32", "pred"],
                 "lop3.%s.b32 {d}|{e}, {a}, {b}, {c}, %d, {x}" % (op, lut), name="lop3.%s.b32.%d" % (op, lut),
                 extra="imm=%d" % lut)
    emit(f, "prmt.b32", ["b32", "b32", "b32"], ["b32"])
    for m in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        emit(f, "prmt.b32." + m, ["b32", "b32", "b32"], ["b32"])
    for n in (32, 64):
        for op in ("popc", "clz"):
            emit(f, "%s.b%d" % (op, n), ["b%d" % n], ["u32"])
        emit(f, "brev.b%d" % n, ["b%d" % n], ["b%d" % n])
        emit(f, "bfi.b%d" % n, ["b%d" % n, "b%d" % n, "u32:shift", "u32:shift"], ["b%d" % n])
        for s in "us":
            for m in ("", ".shiftamt"):
                emit(f, "bfind%s.%s%d" % (m, s, n), ["%s%d" % (s, n)], ["u32"])
            emit(f, "bfe.%s%d" % (s, n), ["%s%d" % (s, n), "u32:shift", "u32:shift"], ["%s%d" % (s, n)])
    emit(f, "fns.b32", ["b32", "b32:0-31", "s32:-33-33"], ["b32"])
    for m in ("clamp", "wrap"):
        for t in ("u32", "s32"):
            emit(f, "szext.%s.%s" % (m, t), [t, "u32:shift"], [t])
        emit(f, "bmsk.%s.b32" % m, ["u32:shift", "u32:shift"], ["b32"])
    for t in INTS + ["b16", "b32", "b64", "f32", "f64"]:
        emit(f, "slct.%s.s32" % t, [t, t, "s32"], [t])
        emit(f, "slct.%s.f32" % t, [t, t, "f32"], [t])
        emit(f, "slct.ftz.%s.f32" % t, [t, t, "f32"], [t])


# ---- comparisons ----

def comparisons():
    signed = ["eq", "ne", "lt", "le", "gt", "ge"]
    floats = signed + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
    for t in INTS + ["b16", "b32", "b64", "f32", "f64", "f16", "bf16", "f16x2", "bf16x2"]:
        ops = floats if "f" in t else ["eq", "ne"] if t[0] == "b" else signed + (
            ["lo", "ls", "hi", "hs"] if t[0] == "u" else [])
        for ftz in ("", ".ftz") if t in ("f32", "f16", "f16x2") else ("",):
            for op in ops:
                compare(op, ftz, t)
    # Boolean combinations with a third predicate, plain and negated, with one and two destinations.
    for op in ("and", "or", "xor"):
        for t in ("s32", "u64", "f32", "f64", "f16", "bf16", "f16x2", "bf16x2"):
            full = "setp.lt.%s.%s" % (op, t)
            d, dests = ("{d}", ["pred"]) if t in ("f16", "bf16") else ("{d}|{e}", ["pred", "pred"])
            emit("setp", full, [t, t, "pred"], dests, full + " %s, {a}, {b}, {c}" % d)
            emit("setp", full, [t, t, "pred"], dests, full + " %s, {a}, {b}, !{c}" % d, name=full + ".not", extra="not=1")
            if "x2" not in t:
                full = "set.ge.%s.u32.%s" % (op, t)
                emit("set", full, [t, t, "pred"], ["u32"])
    # The destination is an operand too.
    emit("setp", "setp.lt.and.s32", ["s32", "s32", "pred"], ["pred", "pred"],
         ["setp.lt.and.s32 {c}|{e}, {a}, {b}, {c}", "mov.pred {d}, {c}"], name="setp.lt.and.s32.same")


def compare(op, ftz, t):
    full = "setp.%s%s.%s" % (op, ftz, t)
    if "x2" in t or (op in ("eq", "lt", "gtu", "hi") and "f16" not in t):
        emit("setp", full, [t, t], ["pred", "pred"], full + " {d}|{e}, {a}, {b}")
    else:
        emit("setp", full, [t, t], ["pred"])
    if t in ("f16x2", "bf16x2"):
        dests = [t]
    elif t in ("f16", "bf16"):
        dests = [t, "u16", "s16", "u32", "s32"] 
    else:
        dests = ["u32", "s32", "f32"]
    for d in dests:
        emit("set", "set.%s%s.%s.%s" % (op, ftz, d, t), [t, t], [d])


# ---- floating point ----

def singles():
    f = "f32"
    for ftz in ("", ".ftz"):
        for r in [""] + ["." + r for r in RND]:
            for sat in ("", ".sat"):
                for op in ("add", "sub", "mul"):
                    emit(f, op + r + ftz + sat + ".f32", ["f32"] * 2, ["f32"])
                if r:
                    emit(f, "fma" + r + ftz + sat + ".f32", ["f32"] * 3, ["f32"])
                    emit(f, "mad" + r + ftz + sat + ".f32", ["f32"] * 3, ["f32"])
            if r:
                emit(f, "div" + r + ftz + ".f32", ["f32"] * 2, ["f32"])
                emit(f, "rcp" + r + ftz + ".f32", ["f32"], ["f32"])
                emit(f, "sqrt" + r + ftz + ".f32", ["f32"], ["f32"])
        for op in ("min", "max"):
            for m in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
                emit(f, op + ftz + m + ".f32", ["f32"] * 2, ["f32"])
                if "xorsign" not in m:
                    for ab in ("", ".abs"):
                        emit("sm_100_f32", op + ftz + m + ab + ".f32", ["f32"] * 3, ["f32"])
        for op in ("abs", "neg"):
            emit(f, op + ftz + ".f32", ["f32"], ["f32"], extra="ref=nan")
    for t in ("f32", "f64"):
        emit(f if t == "f32" else "f64", "copysign." + t, [t, t], [t])
        for p in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            emit(f if t == "f32" else "f64", "testp.%s.%s" % (p, t), [t], ["pred"])
    for t in ("f16", "bf16"):
        for r in [""] + ["." + r for r in RND]:
            for sat in ("", ".sat"):
                for op in ("add", "sub"):
                    full = "%s%s%s.f32.%s" % (op, r, sat, t)
                    emit("sm_100_f32", full, [t, "f32"], ["f32"])
                if r:
                    emit("sm_100_f32", "fma%s%s.f32.%s" % (r, sat, t), [t, t, "f32"], ["f32"])


def doubles():
    f = "f64"
    for r in [""] + ["." + r for r in RND]:
        for op in ("add", "sub", "mul"):
            emit(f, op + r + ".f64", ["f64"] * 2, ["f64"], extra="ref=nan")
        if r:
            for op in ("fma", "mad"):
                emit(f, op + r + ".f64", ["f64"] * 3, ["f64"], extra="ref=nan")
            emit(f, "div" + r + ".f64", ["f64"] * 2, ["f64"], extra="ref=nan")
            emit(f, "rcp" + r + ".f64", ["f64"], ["f64"], extra="ref=nan")
            emit(f, "sqrt" + r + ".f64", ["f64"], ["f64"], extra="ref=nan")
    for op in ("min", "max"):
        emit(f, op + ".f64", ["f64"] * 2, ["f64"], extra="ref=nan")
    for op in ("abs", "neg"):
        emit(f, op + ".f64", ["f64"], ["f64"], extra="ref=nan")


def halves():
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        f, brain = t, t[0] == "b"
        for op in ("add", "sub", "mul"):
            for r in ("", ".rn"):
                for ftz in ("",) if brain else ("", ".ftz"):
                    for sat in ("",) if brain else ("", ".sat"):
                        emit(f, op + r + ftz + sat + "." + t, [t, t], [t])
        for ftz in ("",) if brain else ("", ".ftz"):
            for m in ("", ".relu") if brain else ("", ".sat", ".relu"):
                emit(f, "fma.rn%s%s.%s" % (ftz, m, t), [t] * 3, [t])
            for m in ("", ".relu") if not ftz else ():
                emit(f, "fma.rn.oob%s.%s" % (m, t), [t] * 3, [t])
            for op in ("min", "max"):
                for m in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
                    emit(f, op + ftz + m + "." + t, [t, t], [t])
            for op in ("abs", "neg"):
                emit(f, op + ftz + "." + t, [t], [t], extra="ref=nan")


def approximations():
    """The errors are those of the PTX ISA manual, 9.7.3 and 9.7.4."""
    f = "approx"
    for ftz in ("", ".ftz"):
        for op, err in (("rcp", "ulp:1"), ("sqrt", "rel:-22"), ("rsqrt", "rel:-22"), ("lg2", "lg2"), ("ex2", "ulp:2+ex2"),
                        ("sin", "abs:-20"), ("cos", "abs:-20")):
            full = "%s.approx%s.f32" % (op, ftz)
            emit(f, full, ["f32" + (":trig" if op in ("sin", "cos") else "")], ["f32"], extra="err=" + err)
            if op in ("sin", "cos"):
                emit(f, full, ["f32"], ["f32"], name=full + ".any", extra="err=any")
        emit(f, "div.approx%s.f32" % ftz, ["f32", "f32"], ["f32"], extra="err=ulp:2")
        emit(f, "div.full%s.f32" % ftz, ["f32", "f32"], ["f32"], extra="err=ulp:2")
    emit(f, "tanh.approx.f32", ["f32"], ["f32"], extra="err=rel:-11")
    emit(f, "rcp.approx.ftz.f64", ["f64"], ["f64"], extra="err=rel:-20")
    emit(f, "rsqrt.approx.ftz.f64", ["f64"], ["f64"], extra="err=rel:-20")
    emit(f, "rsqrt.approx.f64", ["f64"], ["f64"], extra="err=rel:-20")
    for t in ("f16", "f16x2"):
        emit(f, "ex2.approx." + t, [t], [t], extra="err=rel:-9.9")
        emit(f, "tanh.approx." + t, [t], [t], extra="err=abs:-10.987")
    for t in ("bf16", "bf16x2"):
        emit(f, "ex2.approx.ftz." + t, [t], [t], extra="err=rel:-7")
        emit(f, "tanh.approx." + t, [t], [t], extra="err=abs:-8")


# ---- conversions ----

def holds(d, a):
    """Whether integers of type d have all values of type a: ptxas then takes no .sat."""
    return int(d[1:]) - (d[0] == "s") >= int(a[1:]) - (a[0] == "s") and not (d[0] == "u" and a[0] == "s")


def conversions():
    """ptxas for sm_90 takes no .sat to or from bf16, no bf16 to or from 8 bits, and no .rn.satfinite to tf32."""
    ints = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
    for d in ints:
        for a in ints:
            emit("cvt_int", "cvt.%s.%s" % (d, a), [a], [d])
            if not holds(d, a):
                emit("cvt_int", "cvt.sat.%s.%s" % (d, a), [a], [d])
        for a in ("f16", "bf16", "f32", "f64") if size(d) > 1 else ("f16", "f32", "f64"):
            for r in ("rni", "rzi", "rmi", "rpi"):
                for ftz in ("", ".ftz") if a == "f32" else ("",):
                    for sat in ("", ".sat") if a != "bf16" else ("",):
                        emit("cvt_to_int", "cvt.%s%s%s.%s.%s" % (r, ftz, sat, d, a), [a], [d])
    for a in ints:
        for d in ("f16", "bf16", "f32", "f64") if size(a) > 1 else ("f16", "f32", "f64"):
            for r in RND:
                for ftz in ("", ".ftz") if d == "f32" else ("",):
                    for sat in ("",) if d == "bf16" else ("", ".sat"):
                        emit("cvt_from_int", "cvt.%s%s%s.%s.%s" % (r, ftz, sat, d, a), [a], [d])
    f = "cvt_float"
    order = {"f16": 0, "bf16": 0, "f32": 1, "f64": 2}
    for d in order:
        for a in order:
            narrow = order[a] > order[d] or (a != d and order[a] == order[d])
            for ftz in ("", ".ftz") if "f32" in (d, a) else ("",):
                for sat in ("", ".sat") if "bf16" not in (d, a) else ("",):
                    if narrow:
                        for r in RND:
                            emit(f, "cvt.%s%s%s.%s.%s" % (r, ftz, sat, d, a), [a], [d], extra=nan_rule(d, a))
                    else:
                        emit(f, "cvt%s%s.%s.%s" % (ftz, sat, d, a), [a], [d], extra=nan_rule(d, a))
                        if d == a:
                            for r in ("rni", "rzi", "rmi", "rpi"):
                                emit(f, "cvt.%s%s%s.%s.%s" % (r, ftz, sat, d, a), [a], [d], extra=nan_rule(d, a))
    for r in ("rn", "rz"):
        for relu in ("", ".relu"):
            for fin in ("", ".satfinite"):
                for d in ("f16x2", "bf16x2"):
                    emit("cvt_pack", "cvt.%s%s%s.%s.f32" % (r, relu, fin, d), ["f32", "f32"], [d])
                if relu or fin:
                    for d in ("f16", "bf16"):
                        emit("cvt_pack", "cvt.%s%s%s.%s.f32" % (r, relu, fin, d), ["f32"], [d])
                if not fin:
                    emit("cvt_pack", "cvt.%s%s.tf32.f32" % (r, relu), ["f32"], ["b32"])
    for m in ("", ".satfinite"):
        emit("cvt_pack", "cvt.rna%s.tf32.f32" % m, ["f32"], ["b32"])
    for relu in ("", ".relu"):
        for e in ("e4m3x2", "e5m2x2"):
            emit("cvt_pack", "cvt.rn.satfinite%s.%s.f32" % (relu, e), ["f32", "f32"], ["b16"])
            emit("cvt_pack", "cvt.rn.satfinite%s.%s.f16x2" % (relu, e), ["f16x2"], ["b16"])
            emit("cvt_pack", "cvt.rn%s.f16x2.%s" % (relu, e), ["b16"], ["f16x2"])
    for t in ("u16", "s16"):
        emit("cvt_pack", "cvt.pack.sat.%s.s32" % t, ["s32", "s32"], ["b32"])
    for t in ("u8", "s8", "u4", "s4", "u2", "s2"):
        emit("cvt_pack", "cvt.pack.sat.%s.s32.b32" % t, ["s32", "s32", "b32"], ["b32"])


def nan_rule(d, a):
    return "ref=nan" if "f64" in (d, a) or d == a else ""


def header(name):
    arch, version = ("sm_100a", "8.8") if name.startswith("sm_100") else ("sm_90", "8.6" if name == "cvt_pack" else "8.5")
    return "// %s.ptx - written by gen.py; see there and runner.c.\n.version %s\n.target %s\n.address_size 64\n\n" % (
        name, version, arch)


def programs():
    integers()
    carries()
    bits()
    comparisons()
    singles()
    doubles()
    halves()
    approximations()
    conversions()
    gen_memory.all(emit)
    return {name: header(name) + "\n".join(kernels) for name, kernels in files.items()}
