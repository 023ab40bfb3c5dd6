#!/usr/bin/env python3
"""test_conditions.py LOCKSTEP SOURCES - conditions of breakpoints that the debugged process evaluates by itself: each stops
in the first lane in which the debugger's own evaluation of the same expression is not zero, or nowhere."""
import json
import os
import subprocess
import sys
import tempfile

lockstep, sources = sys.argv[1:3]
source = os.path.join(os.path.realpath(sources), "tests/debug/conditions.cu")

# (expression, whether the process evaluates it)
CONDITIONS = [(text, True) for text in """
i == 3
p.a == 4 && p.b == -4
p.in.low == -1
p.in.bits == 45
p.in.bits > 250
p.in.part == 2.25f
p.to == out + 9
*p.to == 4
p.to[1] == 15
d.a == 22
d.in.part > 0 && d.wide == 1.5
r.a == 24
few[2] == 17
*few == 30
*(few + 1) == 30
c == 7 && i > 3
c == 1
odd && i > 20
!odd && i > 20
none && none->a == 12
none == 0 && i > 4
i < 8 || none->a == 0
none ? none->a == 20 : i == 31
i > 3 ? 0 : i == 2
limit == 5 && i == 6
limit + i == 12
row[1][2] == i
row[3][7] == 31 && i == 1
&row[1][0] - 0 == &row[0][8] && i == 2
table[3] == 4.5 && i == 2
table[i % 4] == 3
all[1].in.low == -3 && i == 4
cell[i] == 49
cell[31 - i] == 4
shared.b == 77 && i == 3
given->a == 40 && i == 8
given->in.bits == 43 && i == 9
big >> 40 == 1 && i == 12
(char)(i * 20) == -116
(unsigned char)(i * 20) == 140
(short)(i << 12) < 0
(int)(i / 3.0f) == 5
(bool)(i & 16)
(float)i / 2 == 3.5
(double)p.in.low == -2
(unsigned)p.b == 4294967289
(long long)p.b * 1000000000 == -21000000000
i << 2 == 44
-i >> 1 == -9
~i == -14
100 / i == 5
100 % (i - 3) == 1 && i > 10
threadIdx.x == 14 && blockDim.x == 32
*(int *)p.to == (11 ^ 5)
((struct pair *)&p)->b == -15
+i == 19
i == 99
""".strip().splitlines()] + [
    ("p.a == 5 && \"a\"[0] == 'a'", False),
]


def compiled(folder):
    program = os.path.join(folder, "conditions")
    subprocess.run([lockstep, "cc", "-cudart", "shared", "-arch=sm_90", "-G", source, "-o", program], check=True)
    return program


def said(program, lines):
    script = program + ".lines"
    with open(script, "w") as f:
        f.write("\n".join(lines) + "\n")
    ran = subprocess.run([lockstep, "debug", "--batch", "--json", "-x", script, program], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=250)
    return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]


def first_lane(values):
    """The lowest lane whose value is not zero; those without one are none."""
    for lane, text in enumerate(values):
        if text is not None and text.split()[0] not in ("0", "0.0", "false", "<Division", "<Cannot", "<No"):
            return lane
    return None


def main():
    with open(source) as f:
        place = "conditions.cu:%d" % (1 + ["// here" in line for line in f].index(True))
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder)
        texts = [text for text, _ in CONDITIONS]
        lines = ["break " + place, "run", *["print -lanes " + text for text in texts], "delete", "kill"]
        expected = [first_lane(o["lanes"]["values"]) for o in said(program, lines) if "lanes" in o]
        assert len(expected) == len(texts), "%d of %d conditions have a value" % (len(expected), len(texts))
        lines = []
        for text in texts:
            lines += ["break %s if %s" % (place, text), "echo next", "run", "print threadIdx.x", "info breakpoints",
                      "delete", "kill"]
        found, slow, stopped = [], [], None
        for o in said(program, lines):
            if o.get("text") == "next":
                stopped = None
            elif "print" in o:
                stopped = int(o["print"]["value"])
            elif "breakpoint" in o and not o["breakpoint"]["pending"]:
                found.append(stopped)
                slow.append(o["breakpoint"]["slow"])
            elif "exited" in o:
                found.append(None)
                slow.append(None)
    failed = 0
    if len(found) != len(texts):
        print("%d answers to %d conditions" % (len(found), len(texts)))
        failed = 1
    for (text, fast), want, got, is_slow in zip(CONDITIONS, expected, found, slow):
        if want != got or is_slow is fast:
            failed += 1
            print("%s: lane %s, not %s%s" % (text, got, want, "; evaluated by the debugger" if is_slow else ""))
    print("%d of %d failed" % (failed, len(texts)))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
