"""gen_memory.py - the part of gen.py for memory, atomics and warp-wide operations.

Loads and stores: thread i has 32 bytes of its own in the space; what one side writes with plain instructions the other
reads with the one under test, so that a mistake made alike in ld and st is seen. `copy.D.S` is the reference: source
type S, extended to D. Atomics work on a cell of the thread's own: what it held, and what it holds then."""

WIDTHS = ["b8", "b16", "b32", "b64"]
# How a space's 32 bytes are reached: declarations, address arithmetic, address, and the space's name in plain accesses.
SPACES = {
    "global": ([], [], "%q21", "global"),
    "shared": ([".shared .align 32 .b8 buf[8192];"], ["mov.u32 %r26, buf;", "mad.lo.u32 %r26, %r24, 32, %r26;"], "%r26",
               "shared"),
    "local": ([".local .align 32 .b8 loc[32];"], ["mov.u32 %r26, loc;"], "%r26", "local"),
    "generic": ([".shared .align 32 .b8 buf[8192];"],
                ["mov.u64 %q26, buf;", "cvta.shared.u64 %q26, %q26;", "mad.wide.u32 %q26, %r24, 32, %q26;"], "%q26",
                "generic"),
    "generic_local": ([".local .align 32 .b8 loc[32];"], ["mov.u64 %q26, loc;", "cvta.local.u64 %q26, %q26;"], "%q26",
                      "generic"),
    "generic_global": ([], ["cvta.global.u64 %q26, %q21;"], "%q26", "generic"),
}


def dotted(space):
    return "" if space == "generic" else "." + space


def width(t):
    return int("".join(c for c in t if c.isdigit()))


def scalar_loads(emit):
    for space, (decl, address, at, plain) in SPACES.items():
        for t in ("u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64", "f32", "f64"):
            bits = "b%d" % width(t)
            for d in ["b16", "b32", "b64"]:
                if width(d) < width(t) or (t[0] == "f" and width(d) != width(t)):
                    continue
                if width(d) > max(width(t), 16) and t[0] == "b" and t != "b8":
                    continue
                code = address + ["st%s.%s [%s], {a};" % (dotted(plain), bits, at),
                                  "ld%s.%s {d}, [%s];" % (dotted(plain), t, at)]
                emit("mem_" + plain, "copy.%s.%s" % (d, t), [bits], [d], code, "ld.%s.%s.%s" % (space, t, d), decl=decl)
        for t in WIDTHS:
            if "global" in space: # a thread has no bytes beyond its words there
                continue
            code = address + ["st%s.%s [%s+8], {a};" % (dotted(plain), t, at),
                              "ld%s.%s {d}, [%s+8];" % (dotted(plain), t, at)]
            emit("mem_" + plain, "copy.%s.%s" % (t, t), [t], [t], code, "st.%s.%s.offset" % (space, t), decl=decl)


def vectors(emit):
    for space, (decl, address, at, plain) in SPACES.items():
        for t in WIDTHS + ["s8", "s16", "s32", "f32", "f64"]:
            for n in (2, 4):
                bits, step = "b%d" % width(t), width(t) // 8
                if n * step > 16:
                    continue
                names = ["{%s}" % c for c in "abcx"[:n]]
                into = ["{%s}" % c for c in "defg"[:n]]
                scalar_st = ["st%s.%s [%s+%d], %s;" % (dotted(plain), bits, at, k * step, names[k]) for k in range(n)]
                scalar_ld = ["ld%s.%s %s, [%s+%d];" % (dotted(plain), bits, into[k], at, k * step) for k in range(n)]
                dest = "b16" if step == 1 else bits
                emit("mem_" + plain, "copy.%s.%s" % (dest, t), [bits] * n, [dest] * n,
                     address + scalar_st + ["ld%s.v%d.%s {%s}, [%s];" % (dotted(plain), n, t, ", ".join(into), at)],
                     "ld.%s.v%d.%s" % (space, n, t), decl=decl)
                if t == "s32": # sign-extended into wider registers
                    emit("mem_" + plain, "copy.b64.s32", [bits] * n, ["b64"] * n,
                         address + scalar_st + ["ld%s.v%d.s32 {%s}, [%s];" % (dotted(plain), n, ", ".join(into), at)],
                         "ld.%s.v%d.s32.b64" % (space, n), decl=decl)
                if t[0] == "b":
                    emit("mem_" + plain, "copy.%s.%s" % (t, t), [bits] * n, [bits] * n,
                         address + ["st%s.v%d.%s [%s], {%s};" % (dotted(plain), n, t, at, ", ".join(names))] + scalar_ld,
                         "st.%s.v%d.%s" % (space, n, t), decl=decl)


def qualifiers(emit):
    """Cache operators, semantics and scopes: they change nothing that one thread sees."""
    file = "mem_qualifiers"
    loads, stores = [], []
    for space in ("global", "shared", "generic"):
        s = dotted(space)
        loads += [q % s for q in ("weak%s", "volatile%s")] + [
            "%s.%s%s" % (q, scope, s) for q in ("relaxed", "acquire") for scope in ("cta", "cluster", "gpu", "sys")]
        stores += [q % s for q in ("weak%s", "volatile%s")] + [
            "%s.%s%s" % (q, scope, s) for q in ("relaxed", "release") for scope in ("cta", "cluster", "gpu", "sys")]
    loads += ["global." + c for c in ("ca", "cg", "cs", "lu", "cv", "nc", "ca.nc", "cg.nc", "L1::evict_last",
                                      "L1::no_allocate", "L2::128B", "nc.L1::evict_first.L2::256B")]
    loads += ["local." + c for c in ("ca", "cg", "cs", "lu", "cv")] + ["mmio.relaxed.sys.global"]
    stores += ["global." + c for c in ("wb", "cg", "cs", "wt", "L1::evict_last", "L1::no_allocate")]
    stores += ["local." + c for c in ("wb", "cg", "cs", "wt")] + ["mmio.relaxed.sys.global"]
    for q in loads:
        space = next((s for s in ("global", "shared", "local") if s in q), "generic")
        decl, address, at, _ = SPACES[space]
        nc = ".nc" in q # the read-only path must not see a store of the same kernel
        for t in ("b32",) if "mmio" in q else ("b8", "b64", "v2.b32", "v4.b32"):
            n = int(t[1]) if t[0] == "v" else 1
            bits = t.split(".")[-1]
            into = ["{%s}" % c for c in "defg"[:n]]
            if nc:
                if n == 1:
                    emit(file, "copy.%s.%s" % (bits, bits), [bits], [bits], "ld.%s.%s {d}, [%%q20]" % (q, t), "ld.%s.%s" % (q, t))
                continue
            store = ["st%s.%s [%s+%d], {%s};" % (dotted(space), bits, at, k * width(bits) // 8, "abcx"[k]) for k in range(n)]
            emit(file, "copy.%s.%s" % (bits, bits), [bits] * n, [bits] * n,
                 address + store + ["ld.%s.%s %s, [%s];" % (q, t, into[0] if n == 1 else "{%s}" % ", ".join(into), at)],
                 "ld.%s.%s" % (q, t), decl=decl)
    for q in stores:
        space = next((s for s in ("global", "shared", "local") if s in q), "generic")
        decl, address, at, _ = SPACES[space]
        for t in ("b32",) if "mmio" in q else ("b8", "b64", "v2.b32", "v4.b32"):
            n = int(t[1]) if t[0] == "v" else 1
            bits = t.split(".")[-1]
            from_ = ["{%s}" % c for c in "abcx"[:n]]
            load = ["ld%s.%s {%s}, [%s+%d];" % (dotted(space), bits, "defg"[k], at, k * width(bits) // 8) for k in range(n)]
            emit(file, "copy.%s.%s" % (bits, bits), [bits] * n, [bits] * n,
                 address + ["st.%s.%s [%s], %s;" % (q, t, at, from_[0] if n == 1 else "{%s}" % ", ".join(from_))] + load,
                 "st.%s.%s" % (q, t), decl=decl)


def wide(emit):
    """128 bits at once: ld.b128, st.b128 and the pieces of a vector in mov."""
    f = "mem_wide"
    for space, (decl, address, at, plain) in SPACES.items():
        regs = list(decl) + [".reg .b128 %w<4>;"]
        emit(f, "copy.b64.b64", ["b64", "b64"], ["b64", "b64"],
             address + ["st%s.b64 [%s], {a};" % (dotted(plain), at), "st%s.b64 [%s+8], {b};" % (dotted(plain), at),
                        "ld%s.b128 %%w1, [%s];" % (dotted(plain), at), "mov.b128 %w2, %w1;", "mov.b128 {{d}, {e}}, %w2;"],
             "ld.%s.b128" % space, decl=regs)
        emit(f, "copy.b64.b64", ["b64", "b64"], ["b64", "b64"],
             address + ["mov.b128 %w1, {{a}, {b}};", "st%s.b128 [%s], %%w1;" % (dotted(plain), at),
                        "ld%s.b64 {d}, [%s];" % (dotted(plain), at), "ld%s.b64 {e}, [%s+8];" % (dotted(plain), at)],
             "st.%s.b128" % space, decl=regs)
    for part, n, whole in (("b16", 2, "b32"), ("b16", 4, "b64"), ("b32", 2, "b64"), ("b32", 4, "b128"), ("b8", 2, "b16"),
                           ("b8", 4, "b32")):
        letters, into = ["{%s}" % c for c in "abcx"[:n]], ["{%s}" % c for c in "defg"[:n]]
        name = "%w1" if whole == "b128" else {"b16": "%h20", "b32": "%r27", "b64": "%q27"}[whole]
        if part == "b8":
            regs = [".reg .b8 %c<8>;"]
            code = ["cvt.u8.u16 %%c%d, %s;" % (k, letters[k]) for k in range(n)]
            code += ["mov.%s %s, {%s};" % (whole, name, ", ".join("%%c%d" % k for k in range(n)))]
            code += ["mov.%s {%s}, %s;" % (whole, ", ".join("%%c%d" % (4 + k) for k in range(n)), name)]
            code += ["cvt.u16.u8 %s, %%c%d;" % (into[k], 4 + k) for k in range(n)]
        else:
            regs = [".reg .b128 %w<4>;"]
            code = ["mov.%s %s, {%s};" % (whole, name, ", ".join(letters)),
                    "mov.%s {%s}, %s;" % (whole, ", ".join(into), name)]
        emit(f, "copy.%s.%s" % (part, part), [part] * n, [part] * n, code, "mov.%s.%sx%d" % (whole, part, n), decl=regs)


def atomics(emit):
    cells = {"global": SPACES["global"], "shared": SPACES["shared"], "generic": SPACES["generic"],
             "generic_global": SPACES["generic_global"]}
    ops = [(op, t) for t in ("u32", "s32", "u64", "s64") for op in ("min", "max")]
    ops += [("add", t) for t in ("u32", "s32", "u64", "f32", "f64")] + [("inc", "u32"), ("dec", "u32")]
    ops += [(op, t) for t in ("b32", "b64") for op in ("and", "or", "xor")]
    ops += [("add.noftz", t) for t in ("f16", "bf16", "f16x2", "bf16x2")]
    only_atom = [(op, t) for t in ("b32", "b64") for op in ("exch", "cas")] + [("cas", "b16")]
    for space, (decl, address, at, plain) in cells.items():
        for kind in ("atom", "red"):
            for op, t in ops + (only_atom if kind == "atom" else []):
                one(emit, kind, space, "", op, t, cells[space])
    for sem in ("relaxed", "acquire", "release", "acq_rel"):
        for scope in ("cta", "cluster", "gpu", "sys"):
            for space in ("global", "shared", "generic"):
                one(emit, "atom", space, ".%s.%s" % (sem, scope), "add", "u32", cells[space])
                if sem in ("relaxed", "release"):
                    one(emit, "red", space, ".%s.%s" % (sem, scope), "add", "u32", cells[space])
    wide_atomics(emit)
    vector_atomics(emit)


def one(emit, kind, space, sem, op, t, cell):
    decl, address, at, plain = cell
    bits = "b%d" % (32 if "x2" in t else width(t))
    cas, name = op == "cas", "%s%s%s.%s.%s" % (kind, sem, dotted(plain), op, t)
    code = address + ["st%s.%s [%s], {a};" % (dotted(plain), bits, at)]
    if kind == "atom":
        code += ["%s {d}, [%s], {b}%s;" % (name, at, ", {c}" if cas else ""), "ld%s.%s {e}, [%s];" % (dotted(plain), bits, at)]
    else:
        code += ["%s [%s], {b};" % (name, at), "ld%s.%s {d}, [%s];" % (dotted(plain), bits, at)]
    if space == "generic":
        name = name.replace(kind, kind + ".shared", 1) # the reference must know where the cell is
    extra = "ref=nan" if t in ("f64",) else ""
    emit("atom" if kind == "atom" else "red", name, [t] * (3 if cas else 2), [bits] * (1 if kind == "red" else 2) if t[0] != "f"
         else [t] * (1 if kind == "red" else 2), code, "%s_%s" % (space, name), extra=extra, decl=decl)


def wide_atomics(emit):
    for space in ("global", "shared", "generic"):
        decl, address, at, plain = SPACES[space]
        regs = list(decl) + [".reg .b128 %w<6>;"]
        start = address + ["mov.b128 %w1, {{a}, {b}};", "mov.b128 %w2, {{c}, {x}};", "st%s.b64 [%s], {a};" % (dotted(plain), at),
                           "st%s.b64 [%s+8], {b};" % (dotted(plain), at)]
        end = ["mov.b128 {{d}, {e}}, %w3;", "ld%s.b64 {f}, [%s];" % (dotted(plain), at), "ld%s.b64 {g}, [%s+8];" % (dotted(plain), at)]
        s = dotted(plain)
        for name, code, fix in (
                ("exch", ["atom%s.exch.b128 %%w3, [%s], %%w2;" % (s, at)], []),
                ("cas.equal", ["atom%s.cas.b128 %%w3, [%s], %%w1, %%w2;" % (s, at)], []),
                ("cas.unequal", ["not.b64 %q27, {b};", "mov.b128 %w4, {{a}, %q27};",
                                 "atom%s.cas.b128 %%w3, [%s], %%w4, %%w2;" % (s, at)],
                 ["xor.b64 {f}, {f}, {a};", "xor.b64 {f}, {f}, {c};", "xor.b64 {g}, {g}, {b};", "xor.b64 {g}, {g}, {x};"])):
            emit("atom_wide", "copy.b64.b64", ["b64"] * 4, ["b64"] * 4, start + code + end + fix,
                 "atom.%s.%s.b128" % (space, name), decl=regs)


def vector_atomics(emit):
    """Elements 0 and 1 of the vector, then the last two, are looked at; even elements get a and b, odd ones c and x."""
    for t, counts, ops in (("f32", (2, 4), ("add",)), ("f16", (2, 4, 8), ("add.noftz", "min.noftz", "max.noftz")),
                           ("bf16", (2, 4, 8), ("add.noftz", "min.noftz", "max.noftz")),
                           ("f16x2", (2, 4), ("add.noftz", "min.noftz", "max.noftz")),
                           ("bf16x2", (2, 4), ("add.noftz", "min.noftz", "max.noftz"))):
        step = 4 if "x2" in t or t == "f32" else 2
        r, bits = ("r", "b32") if step == 4 else ("h", "b16")
        for op in ops:
            for n in counts:
                for space in ("global", "generic_global"):
                    for look in (0, n - 2):
                        cell = SPACES[space]
                        s = dotted(cell[3])
                        store = ["st%s.%s [%s+%d], {%s};" % (s, bits, cell[2], k * step, "ac"[k & 1]) for k in range(n)]
                        data = ", ".join("{%s}" % "bx"[k & 1] for k in range(n))
                        old = ["%%%s%d" % (r, 15 + k) if k not in (look, look + 1) else "{%s}" % "df"[k - look] for k in range(n)]
                        ld = ["ld%s.%s {%s}, [%s+%d];" % (s, bits, "eg"[k], cell[2], (look + k) * step) for k in range(2)]
                        for kind in ("atom", "red"):
                            name = "%s%s.%s.v%d.%s" % (kind, s, op, n, t)
                            dest = "{%s}, " % ", ".join(old) if kind == "atom" else ""
                            code = cell[1] + store + ["%s %s[%s], {%s};" % (name, dest, cell[2], data)] + ld
                            if kind == "red":
                                code += ["mov.%s {d}, {a};" % bits, "mov.%s {f}, {c};" % bits]
                            emit("atom_vector", name.replace("red", "atom", 1), [t] * 4, [t] * 4, code,
                                 "%s.%s.%d" % (name, space, look))


def warps(emit):
    f = "warp"
    for mode, clamps in (("up", (0, 0x1800, 0x1c00)), ("down", (31, 0x181f, 0x1c1f, 20)), ("bfly", (31, 0x181f, 0x1c1f)),
                         ("idx", (31, 0x181f, 0x1c1f, 0x1e1f, 12))):
        for c in clamps:
            name = "shfl.sync.%s.b32" % mode
            emit(f, name, ["b32", "u32:0-31"], ["b32", "pred"], "%s {d}|{e}, {a}, {b}, %d, -1" % (name, c),
                 "%s.%d" % (name, c), extra="imm=%d" % c)
            emit(f, name, ["b32", "u32:0-31"], ["b32"], "%s {d}, {a}, {b}, %d, -1" % (name, c),
                 "%s.%d" % (name, c), extra="imm=%d" % c)
    for mode, out in (("all.pred", "pred"), ("any.pred", "pred"), ("uni.pred", "pred"), ("ballot.b32", "b32")):
        for bang in ("", "!"):
            name = "vote.sync." + mode
            emit(f, name, ["u32:0-20"], [out], ["setp.ne.u32 %p19, {a}, 0;", "%s {d}, %s%%p19, -1;" % (name, bang)],
                 name + (".not" if bang else ""), extra="not=1" if bang else "")
    for t in ("b32", "b64"):
        for top in (0, 1, 7):
            for high in (0, 28 if t == "b32" else 40):
                pre = ["shl.%s {a}, {a}, %d;" % (t, high)]
                emit(f, "match.any.sync." + t, ["%s:0-%d" % (t, top)], ["b32"],
                     pre + ["match.any.sync.%s {d}, {a}, -1;" % t], "match.any.sync.%s.%d.%d" % (t, top, high))
                emit(f, "match.all.sync." + t, ["%s:0-%d" % (t, top)], ["b32", "pred"],
                     pre + ["match.all.sync.%s {d}|{e}, {a}, -1;" % t], "match.all.sync.%s.%d.%d" % (t, top, high))
    for op in ("add", "min", "max"):
        for t in ("u32", "s32"):
            emit(f, "redux.sync.%s.%s" % (op, t), [t], [t], "redux.sync.%s.%s {d}, {a}, -1" % (op, t))
    for op in ("and", "or", "xor"):
        emit(f, "redux.sync.%s.b32" % op, ["b32"], ["b32"], "redux.sync.%s.b32 {d}, {a}, -1" % op)
    emit(f, "activemask.b32", ["b32"], ["b32"], "activemask.b32 {d}")


def all(emit):
    scalar_loads(emit)
    vectors(emit)
    qualifiers(emit)
    wide(emit)
    atomics(emit)
    warps(emit)
