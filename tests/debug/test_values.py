#!/usr/bin/env python3
"""test_values.py [-v] [--only SOURCE] [--with BUILD] [--fault] LOCKSTEP SOURCES [NVCC] - every variable of the kernels of
tests/debug/values at every line: what `lockstep debug` says in each lane against what a twin of the program prints there
(values_twin.py).

Each source is compiled in several ways. The debugger stops at each line of each function, each time that a warp's lanes
come to it, and tells all variables that the line sees. A value that is told must be the printed one; without optimisation
all must be told, in as many stops as the twin had turns, and no variable may be listed whose scope the line is not in.
--fault compares with twins of other programs, in which all threads' numbers are one more: then every comparison must fail.
BUILD is one of BUILDS, or all of `cc` or of `nvcc`."""
import json
import os
import re
import subprocess
import sys
import tempfile

import values_twin

SOURCES = ["numbers", "control", "memory", "language", "together"]
# name: compiler, flags, and what is there: all values at each turn, not all of them, or values of some turns
ALL, SOME, FEW = range(3)
BUILDS = {
    "lockstep cc -G": ("cc", ["-G"], ALL),
    "nvcc -G": ("nvcc", ["-G"], SOME),
    "lockstep cc -G -dopt=on": ("cc", ["-G", "-dopt=on"], FEW),
    "lockstep cc -lineinfo": ("cc", ["-lineinfo"], FEW),
    "nvcc -lineinfo": ("nvcc", ["-lineinfo"], FEW),
}


class Session:
    """`lockstep debug --json` on a program, asked line by line."""

    def __init__(self, lockstep, program):
        self.p = subprocess.Popen([lockstep, "debug", "--json", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)

    def ask(self, *lines):
        """What is answered to these lines, in one list."""
        self.p.stdin.write("".join(line + "\n" for line in lines) + "echo @end\n")
        self.p.stdin.flush()
        answers = []
        while True:
            line = self.p.stdout.readline()
            assert line, "the debugger has gone: %s" % answers
            if line.startswith("{"):
                answer = json.loads(line)
                if answer == {"text": "@end"}:
                    return answers
                answers.append(answer)

    def end(self):
        self.p.stdin.close()
        self.p.stdout.read()
        return self.p.wait(timeout=60)


def one(answers, name):
    return next((a[name] for a in answers if name in a), None)


def plain(text):
    """A value without what a debugger puts around it; None: optimised out."""
    if text in ("<optimized out>", "<value has been optimized out>"):
        return None
    text = re.sub(r"^(\([^()]*(\([^()]*\))?[^()]*\) )?@0x[0-9a-f]+: ", "", text)
    return re.sub(r"^(-?\d+) '.*'$", r"\1", text)


def same(told, expected):
    if told == expected:
        return True
    try:
        return float(told) == float(expected) or (told.endswith(("nan", "nan(0x400000)")) and expected.endswith("nan"))
    except ValueError:
        return re.sub(r"nan\(.*\)", "nan", told).lstrip("-") == expected.lstrip("-")


class Comparison:
    """One program's: the counts, and what is wrong."""

    def __init__(self, name, source, known, expected, level):
        self.name, self.source, self.expected, self.level = name, source, expected, level
        self.known = {line.number: line for line in known}
        self.turns = {}   # (line, block, thread) -> stops until now
        self.equal = self.lost = self.unknown = self.unmatched = 0
        self.wrong = {}   # (line, which) -> how often, and the first
        self.missing = {} # (line, mark) -> the first text of those that are not told
        self.lines = set()

    def fail(self, line, which, text):
        self.wrong.setdefault((line.number, which), []).append("%s.cu:%d: %s" % (self.source, line.number, text))

    def value(self, line, k, mark, at, turn, told):
        """at: block and thread."""
        printed = self.expected.get((line.number, k, *at), [])
        where = "%s in block %d, thread %d, turn %d" % (mark, *at, turn)
        value = plain(told)
        if told.startswith("<") and value is not None:
            self.unknown += 1
            self.missing.setdefault((line.number, mark), "%s.cu:%d: %s: %s" % (self.source, line.number, where, told))
            if self.level == ALL:
                self.fail(line, mark, "%s: %s" % (where, told))
            return
        if value is None:
            self.lost += 1
            self.missing.setdefault((line.number, mark), "%s.cu:%d: %s: %s" % (self.source, line.number, where, told))
            if self.level == ALL:
                self.fail(line, mark, where + " is optimised out")
            return
        turns = len(self.expected.get((line.number, -1, *at), []))
        if self.level == FEW and not printed:
            self.unmatched += 1 # the end of a loop, or what the twin does not come to
            return
        if self.level == FEW and turns != self.total[(line.number, *at)]:
            right = any(same(value, p) for p in printed)  # copies of the line: it is one of them
        elif turn >= turns:
            self.unmatched += 1
            return
        else:
            right = same(value, printed[turn])
        self.equal += right
        if not right:
            self.fail(line, mark, "%s is %s and not %s" % (where, told, printed[turn] if turn < len(printed) else printed))

    def finish(self, stops):
        """stops: (line, block, threads of lanes, answers of each mark)"""
        self.total = {}
        for number, block, threads, _ in stops:
            for t in threads.values():
                self.total[(number, block, t)] = self.total.get((number, block, t), 0) + 1
        for number, block, threads, told in stops:
            line = self.known[number]
            self.lines.add(number)
            for lane, t in threads.items():
                turn = self.turns.get((number, block, t), 0)
                self.turns[(number, block, t)] = turn + 1
                for k, mark in enumerate(line.marks):
                    self.value(line, k, mark[0], (block, t), turn, told[k][lane])
        if self.level != FEW:
            self.count_turns()

    def count_turns(self):
        """Without optimisation a statement stops as often as it begins; a loop's head and a function's end at least so."""
        for (number, k, block, thread), printed in self.expected.items():
            line = self.known[number]
            stops = self.total.get((number, block, thread), 0)
            if k == -1 and not line.empty and (stops < len(printed) if line.kind in ("loop", "end") else stops != len(printed)):
                self.fail(line, "stops", "block %d, thread %d: %d stops, and not %d" % (block, thread, stops, len(printed)))


def listed(c, line, answers):
    """The variables that are listed are those whose scope it is."""
    for answer in answers:
        name = answer.get("variable", {}).get("name")
        if name and c.level != FEW and not name.startswith("__") and name not in ("this", "<anonymous>") \
                and name not in line.declared:
            c.fail(line, name, "%s is listed, which is not in scope" % name)


def stopped(answers):
    """Which block and which lanes, and their threads, after `cuda`, `info cuda launch` and `info cuda warps`."""
    focus, launch = one(answers, "focus"), one(answers, "launch")
    (x, y, z), grid, warp = focus["block"], launch["grid"], focus["warp"]
    block = x + grid[0] * (y + grid[1] * z)
    lanes = next(w["lanes"] for w in (a["warp"] for a in answers if "warp" in a)
                 if (w["block"], w["warp"]) == (block, warp) and w["lanes"] >> focus["lane"] & 1)
    count = launch["block"][0] * launch["block"][1] * launch["block"][2]
    return block, {k: 32 * warp + k for k in range(32) if lanes >> k & 1 and 32 * warp + k < count}


def drive(lockstep, program, c):
    s = Session(lockstep, program)
    file = c.source + ".cu"
    s.ask(*["break %s:%d" % (file, n) for n, line in sorted(c.known.items()) if line.kind not in (None, "none")])
    stops, answers = [], s.ask("run")
    while not any("exited" in a for a in answers):
        stop, frame = one(answers, "stop"), one(answers, "frame")
        assert stop and stop["reason"] == "breakpoint", answers
        line = c.known.get(frame["line"]) if os.path.basename(frame["file"]) == file else None
        if line and re.search(r"(^|::|\b)%s(<.*>)?$" % (line.function or r"operator\(\)"), frame["function"]):
            look = s.ask("cuda", "info cuda launch", "info cuda warps", "info locals", "info args")
            listed(c, line, look)
            block, threads = stopped(look)
            said = s.ask(*["print -lanes " + m[0] for m in line.marks])
            assert len(said) == len(line.marks), said
            told = [a["lanes"]["values"] if "lanes" in a else ["<%s>" % a["error"]] * 32 for a in said]
            stops.append((line.number, block, threads, told))
        answers = s.ask("c")
    s.end()
    c.finish(stops)


class Programs:
    """Compiles, each program once."""

    def __init__(self, lockstep, sources, nvcc, folder, fault):
        self.compilers = {"cc": [lockstep, "cc"], "nvcc": [nvcc] if nvcc else None}
        self.sources, self.folder, self.fault = sources, folder, fault
        self.environment = dict(os.environ, LD_LIBRARY_PATH=os.path.join(os.path.dirname(lockstep), "..", "lib"),
                                LOCKSTEP_WORKERS="1")

    def compile(self, compiler, flags, source, out):
        program = os.path.join(self.folder, out)
        subprocess.run([*self.compilers[compiler], "-cudart", "shared", "-arch=sm_90", *flags, source, "-o", program],
                       check=True)
        return program

    def text(self, source):
        return open(os.path.join(self.sources, source + ".cu")).read()

    def expected(self, source):
        path = os.path.join(self.folder, source + "_twin.cu")
        text = self.text(source)
        with open(path, "w") as f:
            f.write(values_twin.twin(self.faulty(text) if self.fault else text))
        program = self.compile("cc", ["-fmad=false"], path, source + "_twin")
        ran = subprocess.run([program], env=self.environment, stdout=subprocess.PIPE, text=True, check=True)
        return values_twin.printed(ran.stdout)

    @staticmethod
    def faulty(text):
        """Another program, whose threads count otherwise."""
        return re.sub(r"= threadIdx.x([; ])", r"= (threadIdx.x ^ 1)\1", text)


def main():
    words, options = [], {}
    arguments = iter(sys.argv[1:])
    for word in arguments:
        if word in ("--only", "--with"):
            options[word] = next(arguments)
        elif word.startswith("-"):
            options[word] = True
        else:
            words.append(word)
    lockstep, sources = words[0], os.path.abspath(words[1])
    nvcc = words[2] if len(words) > 2 else None
    failed, right = 0, []
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(lockstep, sources, nvcc, folder, "--fault" in options)
        for source in SOURCES:
            if options.get("--only", source) != source:
                continue
            expected = programs.expected(source)
            known, _ = values_twin.read(programs.text(source))
            for name, (compiler, flags, level) in BUILDS.items():
                if not programs.compilers[compiler] or options.get("--with", name) not in (compiler, name):
                    continue
                c = Comparison(name, source, known, expected, level)
                program = programs.compile(compiler, [*flags, "-fmad=false"], os.path.join(sources, source + ".cu"), source)
                drive(lockstep, program, c)
                wrong = sum(len(texts) for texts in c.wrong.values())
                failed += wrong
                right += [name] * (wrong == 0)
                print("%-24s %-9s %3d lines, %6d values equal, %5d optimised out, %5d not known, %4d without a turn, %d wrong"
                      % (name, source, len(c.lines), c.equal, c.lost, c.unknown, c.unmatched, wrong), flush=True)
                for texts in list(c.wrong.values())[:1000 if "-v" in options else 20]:
                    print("  wrong: %s%s" % (texts[0], " (and %d more)" % (len(texts) - 1) if len(texts) > 1 else ""))
                for text in c.missing.values() if "-v" in options else []:
                    print("  missing: " + text)
    if "--fault" in options: # it has to be found by all that tell values
        return not failed or any(BUILDS[name][2] != FEW for name in right)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
