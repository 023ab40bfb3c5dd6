"""gen_video.py - video.ptx: the video instructions (PTX ISA 9.7.18) with types, selectors, saturation and
secondary operations drawn at random. Thread t makes its operands from t and mixes the results of all instructions of a
kernel into one word; the expected words come from the model below, written after the manual's pseudocode with Python's
unbounded integers."""
import random

M = 0xffffffff
THREADS = 32
FIRST = """// TEST: t_%s grid=1 block=%d n=%d
// EXPECT: out[0..] = %s
.visible .entry t_%s(.param .u64 in0, .param .u64 in1, .param .u64 in2, .param .u64 in3,
    .param .u64 out, .param .u32 n)
{
    .reg .b32 %%r<16>;
    .reg .b64 %%q<4>;
    mov.u32 %%r1, %%tid.x;
    ld.param.u64 %%q1, [out];
    mad.wide.u32 %%q1, %%r1, 4, %%q1;
    mov.u32 %%r9, 0;
"""
# Operands: hashes of the thread with every second one made small or negative, so that saturation and ties happen.
MAKE = """    mad.lo.u32 %%r2, %%r1, %d, %d;
    mad.lo.u32 %%r3, %%r1, %d, %d;
    mad.lo.u32 %%r4, %%r1, %d, %d;
"""
MIX = """    mad.lo.u32 %%r9, %%r9, 33, %%r%d;
"""
END = """    st.global.u32 [%q1], %r9;
    ret;
}
"""


def ext(x, bits, signed):
    x &= (1 << bits) - 1
    return x - (1 << bits) if signed and x >> (bits - 1) else x


def clamp(x, bits, signed):
    lo, hi = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return max(lo, min(hi, x))


def part(x, sel, signed):
    if not sel:
        return ext(x, 32, signed)
    bits = 8 if sel[0] == "b" else 16
    return ext(x >> bits * int(sel[1]), bits, signed)


BASE = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "absdiff": lambda a, b: abs(a - b),
        "min": min, "max": max, "avrg": lambda a, b: (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1}
CMP = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
       "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


def finish(t, sat, signed, dsel, op2, c):
    if sat:
        t = clamp(t, {"": 32, "b": 8, "h": 16}[dsel[:1]], signed)
    t = ext(t, 33, True)
    third = ext(c, 32, signed)
    if op2:
        return {"add": t + third, "min": min(t, third), "max": max(t, third)}[op2] & M
    if dsel:
        bits = 8 if dsel[0] == "b" else 16
        field = ((1 << bits) - 1) << bits * int(dsel[1])
        return (c & ~field & M) | (t << bits * int(dsel[1]) & field)
    return t & M


def dot(s):
    return "." + s if s else ""


def scalar(rng, op):
    """A random instruction as text, and what it computes of a, b, c."""
    d, a, b = (rng.choice("us") for _ in range(3))
    asel, bsel = (rng.choice(["", "b0", "b1", "b2", "b3", "h0", "h1"]) for _ in range(2))
    sat, mode = rng.random() < .5, rng.randrange(3)
    op2 = rng.choice(["add", "min", "max"]) if mode == 1 else ""
    dsel = rng.choice(["b0", "b1", "b2", "b3", "h0", "h1"]) if mode == 2 else ""
    if op == "set":
        cmp, d, sat = rng.choice(list(CMP)), "u", False
        value = lambda x, y: int(CMP[cmp](x, y))
        name = "vset.%s32.%s32.%s%s" % (a, b, cmp, dot(op2))
    else:
        value = BASE[op]
        name = "v%s.%s32.%s32.%s32%s%s" % (op, d, a, b, ".sat" if sat else "", dot(op2))
    text = "%s %%r5%s, %%r2%s, %%r3%s%s;" % (name, dot(dsel), dot(asel), dot(bsel), ", %r4" if mode else "")
    return text, lambda x, y, z: finish(value(part(x, asel, a == "s"), part(y, bsel, b == "s")), sat, d == "s", dsel,
                                        op2, z)


def plain(rng, op):
    """The forms of vadd, vsub, vmin, vmax, vshl, vshr that the machine code of sm_90 has as the manual."""
    d, a, b = rng.choice("us"), rng.choice("us"), rng.choice("us")
    asel, bsel = (rng.choice(["", "b0", "b1", "b2", "b3", "h0", "h1"]) for _ in range(2))
    mode, wrap = rng.randrange(3), rng.random() < .5
    op2, dsel = "add" if mode == 1 else "", rng.choice(["b0", "b1", "b2", "b3", "h0"]) if mode == 2 else ""
    shifts = {"shl": lambda x, y: x << y, "shr": lambda x, y: x >> y}
    if op in shifts:
        b = "u"
        value = lambda x, y: shifts[op](x, y & 31 if wrap else min(y, 32))
    else:
        value = BASE[op]
    way = (".wrap" if wrap else ".clamp") if op in shifts else ""
    name = "v%s.%s32.%s32.%s32%s%s" % (op, d, a, b, way, dot(op2))
    text = "%s %%r5%s, %%r2%s, %%r3%s%s;" % (name, dot(dsel), dot(asel), dot(bsel), ", %r4" if mode else "")
    return text, lambda x, y, z: finish(value(part(x, asel, a == "s"), part(y, bsel, b == "s")), False, d == "s", dsel,
                                        op2, z)


def packed(rng, op, n):
    bits = 32 // n
    d, a, b = (rng.choice("us") for _ in range(3))
    letter = "h" if n == 2 else "b"
    sel = lambda: "" if rng.random() < .3 else letter + "".join(str(rng.randrange(2 * n)) for _ in range(n))
    asel, bsel = sel(), sel()
    chosen = sorted(rng.sample(range(n), rng.randrange(1, n + 1)), reverse=True)
    mask = "" if len(chosen) == n else letter + "".join(map(str, chosen))
    add, sat = rng.random() < .4, rng.random() < .5
    if op == "set":
        cmp = rng.choice(list(CMP))
        value = lambda x, y: int(CMP[cmp](x, y))
        sat, name = False, "vset%d.%s32.%s32.%s%s" % (n, a, b, cmp, ".add" if add else "")
    else:
        sat &= not add
        value = BASE[op]
        name = "v%s%d.%s32.%s32.%s32%s" % (op, n, d, a, b, ".add" if add else ".sat" if sat else "")
    text = "%s %%r5%s, %%r2%s, %%r3%s, %%r4;" % (name, dot(mask), dot(asel), dot(bsel))

    def pick(x, y, sel, default, signed):
        both = y << 32 | x
        digits = [int(s) for s in reversed(sel[1:])] or default
        return [ext(both >> bits * k, bits, signed) for k in digits]

    def result(x, y, z):
        va = pick(x, y, asel, list(range(n)), a == "s")
        vb = pick(x, y, bsel, list(range(n, 2 * n)), b == "s")
        out = z
        for k in chosen:
            t = value(va[k], vb[k])
            if sat:
                t = clamp(t, bits, d == "s")
            field = ((1 << bits) - 1) << bits * k
            out = out + t if add else (out & ~field) | (t << bits * k & field)
        return out & M
    return text, result


def kernel(name, make, count):
    rng = random.Random(name)
    words, code = [0] * THREADS, ""
    for k in range(count):
        shift = rng.choice([0, 0, 8, 16, 24])  # small operands too
        factors = [(rng.getrandbits(31) | 1) >> shift for _ in range(3)]
        offsets = [rng.choice([0, M, 0x7fffffff, rng.getrandbits(32)]) for _ in range(3)]
        text, value = make(rng)
        code += MAKE % (factors[0], offsets[0], factors[1], offsets[1], factors[2], offsets[2])
        code += "    " + text + "\n" + MIX % 5
        for t in range(THREADS):
            x, y, z = ((t * f + o) & M for f, o in zip(factors, offsets))
            words[t] = (words[t] * 33 + value(x, y, z)) & M
    return FIRST % (name, THREADS, THREADS, " ".join(map(str, words)), name) + code + END


def programs():
    text = ("// video.ptx - written by gen_video.py, which says what is expected.\n"
            ".version 8.5\n.target sm_90\n.address_size 64\n\n")
    for op in ("absdiff", "set"):
        text += kernel("v" + op, lambda rng: scalar(rng, op), 24)
    for op in ("add", "sub", "min", "max", "shl", "shr"):
        text += kernel("v" + op, lambda rng: plain(rng, op), 24)
    for n in (2, 4):
        for op in ("add", "sub", "avrg", "absdiff", "min", "max", "set"):
            text += kernel("v%s%d" % (op, n), lambda rng: packed(rng, op, n), 16)
    return {"video": text}
