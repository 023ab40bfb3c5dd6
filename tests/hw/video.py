"""video.py - scalar video instructions (PTX ISA 9.7.18.1) as ptxas has sm_90 do them, against the manual.

    python3 tests/hw/video.py

No GPU is needed: sm_90 has no such instructions, ptxas makes each of a few plain ones, and this file does those on special and
random values. It wants ptxas and nvdisasm in the PATH, and prints how many forms of each opcode differ from the manual. Forms:
all types, .sat, secondary operations, merges into b0, b2, h0 and h1, sources whole; then random ones with parts of sources of
those forms that Lockstep runs, of which none may differ."""
import collections
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

M = 0xffffffff
OPS = ("add", "sub", "absdiff", "min", "max", "shl", "shr")
PARTS = ("", "b0", "b1", "b2", "b3", "h0", "h1")
SPECIAL = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0x80000001, M, 0xfffffffe, 31, 32, 33,
           0xffffff80, 0xffff8000]
Form = collections.namedtuple("Form", "op d a b sat way second dest asel bsel")


# ---- what the manual says ----

def extended(x, bits, signed):
    x &= (1 << bits) - 1
    return x - (1 << bits) if signed and x >> (bits - 1) else x


def part(x, sel, signed):
    bits = {"": 32, "b": 8, "h": 16}[sel[:1]]
    return extended(x >> bits * int(sel[1:] or 0), bits, signed)


def manual(f, va, vb, vc):
    x, y = part(va, f.asel, f.a == "s"), part(vb, f.bsel, f.b == "s")
    if f.way:
        y = min(y, 32) if f.way == ".clamp" else y & 31
    t = {"add": lambda: x + y, "sub": lambda: x - y, "absdiff": lambda: abs(x - y), "min": lambda: min(x, y),
         "max": lambda: max(x, y), "shl": lambda: x << y, "shr": lambda: x >> y}[f.op]()
    bits = {"": 32, "b": 8, "h": 16}[f.dest[:1]]
    if f.sat:
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if f.d == "s" else (0, (1 << bits) - 1)
        t = max(low, min(high, t))
    if f.second:
        t, third = extended(t, 33, True), extended(vc, 32, f.d == "s")
        return {"add": t + third, "min": min(t, third), "max": max(t, third)}[f.second] & M
    if f.dest:
        field = ((1 << bits) - 1) << bits * int(f.dest[1])
        return vc & ~field & M | t << bits * int(f.dest[1]) & field
    return t & M


# ---- machine code ----

def signed(x):
    return extended(x, 32, True)


class Machine:
    """Runs straight machine code: the three loads give a, b, c; what is stored is the result."""

    def __init__(self, values):
        self.loads, self.regs, self.preds = values, collections.defaultdict(int), {"PT": True}

    def value(self, o):
        negative, o = o.startswith("-"), o.lstrip("-").replace(".reuse", "")
        inverted, o = o.startswith("~"), o.lstrip("~")
        v = 0 if o == "RZ" else self.regs[o] if o[0] == "R" else int(o, 0)
        v = ~v if inverted else v
        return (-v if negative else v) & M

    def pred(self, o):
        return self.preds.get(o.lstrip("!"), False) != o.startswith("!")

    def put(self, o, v):
        if o != "RZ":
            self.regs[o] = v & M

    def run(self, code):
        for line in code:
            guard = re.match(r"@(!?P\d) ", line)
            if guard and not self.pred(guard[1]):
                continue
            name, _, rest = line[guard.end() if guard else 0:].partition(" ")
            o = [x.strip() for x in rest.split(",")]
            if name.startswith("STG"):
                return self.value(o[-1])
            if name.startswith("LDG"):
                self.put(o[0], self.loads[int((re.search(r"\+0x([0-9a-f]+)\]", rest) or (0, "0"))[1], 16) // 4])
            elif not name.startswith(("LDC", "ULDC", "NOP")):
                getattr(self, name.split(".")[0].lower())(name.split("."), o)
        raise ValueError("nothing is stored")

    def prmt(self, name, o):
        low, how, high = map(self.value, o[1:4])
        both, v = high << 32 | low, 0
        for k in range(4):
            sel = how >> 4 * k & 15
            byte = both >> 8 * (sel & 7) & 0xff
            v |= (0xff * (byte >> 7) if sel & 8 else byte) << 8 * k
        self.put(o[0], v)

    def sel(self, name, o):
        self.put(o[0], self.value(o[1] if self.pred(o[3]) else o[2]))

    def imad(self, name, o):
        self.put(o[0], self.value(o[1]) * self.value(o[2]) + self.value(o[3]) + ("X" in name and self.pred(o[4])))

    def iadd3(self, name, o):
        """With a predicate: its carry. Less x is the inverse of x, and 1."""
        if not o[1].startswith("P"):
            return self.put(o[0], sum(map(self.value, o[1:4])))
        total = sum((~self.value(x.lstrip("-")) & M) + 1 if x.startswith("-") else self.value(x) for x in o[2:5])
        self.put(o[0], total)
        self.preds[o[1]] = total >> 32 != 0

    def lea(self, name, o):  # .HI.X.SX32
        self.put(o[0], (signed(self.value(o[1])) >> (32 - int(o[3], 16))) + self.value(o[2]) + self.pred(o[4]))

    def lop3(self, name, o):
        x, y, z = map(self.value, o[1:4])
        v = 0
        for t in range(8):
            if int(o[4], 16) >> t & 1:
                v |= (x if t & 4 else ~x) & (y if t & 2 else ~y) & (z if t & 1 else ~z)
        self.put(o[0], v)

    def shf(self, name, o):
        low, n, high = map(self.value, o[1:4])
        kind = [x for x in name if x in ("U32", "S32", "U64", "S64")][0]
        n = n & int(kind[1:]) - 1 if "W" in name else min(n, int(kind[1:]))
        both = high << 32 | low
        if name[1] == "L":
            return self.put(o[0], both << n >> (32 if "HI" in name else 0))
        if kind[1:] == "32":  # .HI: of the upper word alone
            return self.put(o[0], (signed(high) if kind[0] == "S" else high) >> n)
        both = extended(both, 64, kind[0] == "S")
        self.put(o[0], both >> n >> (32 if "HI" in name else 0))

    def isetp(self, name, o):
        x, y = self.value(o[2]), self.value(o[3])
        if "U32" not in name:
            x, y = signed(x), signed(y)
        v = {"LT": x < y, "GT": x > y, "LE": x <= y, "GE": x >= y, "EQ": x == y, "NE": x != y}[name[1]]
        if "EX" in name:  # the lower words have been compared
            low = self.pred(o[5])
            strict = {"LE": x < y, "GE": x > y}.get(name[1], v)
            v = v or low if name[1] == "NE" else v and low if name[1] == "EQ" else strict or (x == y and low)
        if o[0] != "PT":
            self.preds[o[0]] = v and self.pred(o[4])


# ---- both ----

def text(f):
    dot = [x and "." + x for x in (f.second, f.dest, f.asel, f.bsel)]
    return "v%s.%s32.%s32.%s32%s%s%s %%r5%s, %%r2%s, %%r3%s%s;" % (f.op, f.d, f.a, f.b, f.sat, f.way, *dot,
                                                                ", %r4" if f.second or f.dest else "")


def machine_code(forms):
    kernel = """.visible .entry k%d(.param .u64 p) {
.reg .b32 %%r<9>; .reg .b64 %%d<3>;
ld.param.b64 %%d0, [p];
ld.volatile.global.u32 %%r2, [%%d0]; ld.volatile.global.u32 %%r3, [%%d0+4]; ld.volatile.global.u32 %%r4, [%%d0+8];
%s
st.volatile.global.u32 [%%d0+12], %%r5;
ret;
}
"""
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = (os.path.join(folder, x) for x in ("video.ptx", "video.cubin"))
        with open(ptx, "w") as f:
            f.write(".version 9.0\n.target sm_90\n.address_size 64\n")
            f.writelines(kernel % (k, text(form)) for k, form in enumerate(forms))
        subprocess.run(["ptxas", "-arch=sm_90", ptx, "-o", cubin], check=True)
        out = subprocess.run(["nvdisasm", "-c", cubin], check=True, capture_output=True, text=True).stdout
    code, at = collections.defaultdict(list), None
    for line in out.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.k(\d+),", line)
        at = int(section[1]) if section else at
        instruction = re.match(r"\s+/\*[0-9a-f]{4}\*/\s+(.*?)\s*;", line)
        if instruction and at is not None:
            code[at].append(instruction[1])
    return [code[k] for k in range(len(forms))]


def differ(forms):
    """Those whose machine code does otherwise than the manual says."""
    rng, bad = random.Random(1), []
    for f, code in zip(forms, machine_code(forms)):
        values = ([rng.choice(SPECIAL) if rng.random() < .6 else rng.getrandbits(32) for _ in range(3)] for _ in range(400))
        if any(Machine(v).run(code) != manual(f, *v) for v in values):
            bad.append(f)
    return bad


def whole(op):
    ways = (".clamp", ".wrap") if op in ("shl", "shr") else ("",)
    thirds = [("", "")] + [(x, "") for x in ("add", "min", "max")] + [("", x) for x in ("b0", "b2", "h0", "h1")]
    for d, a, b, sat, way, third in itertools.product("us", "us", "u" if ways[0] else "us", ("", ".sat"), ways, thirds):
        yield Form(op, d, a, b, sat, way, *third, "", "")


def runs(f):
    return f.op != "absdiff" and not f.sat and f.second in ("", "add") and f.dest != "h1"


def partial(op, n):
    rng = random.Random(op)
    for _ in range(n):
        third = rng.choice([("", ""), ("add", ""), ("", rng.choice(PARTS[1:6]))])
        shift = op in ("shl", "shr")
        yield Form(op, *rng.choices("us", k=2), "u" if shift else rng.choice("us"), "",
                   rng.choice((".clamp", ".wrap")) if shift else "", *third, rng.choice(PARTS), rng.choice(PARTS))


def main():
    wrong = 0
    for op in OPS:
        forms = list(whole(op))
        bad = differ(forms)
        inside = [f for f in forms if runs(f)]
        mine = [f for f in bad if runs(f)] + (differ(list(partial(op, 100))) if op != "absdiff" else [])
        wrong += len(mine)
        print("v%-8s%4d forms, %3d otherwise than the manual; %2d run here, of which, and of %3d with parts of sources, %d" %
              (op, len(forms), len(bad), len(inside), 100 if inside else 0, len(mine)))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
