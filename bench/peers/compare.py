#!/usr/bin/env python3
"""compare.py - the kernels of bench/peers/ by Lockstep, its interpreter alone, PoCL and OpenMP; bench/peers.sh calls it.

    compare.py --build DIR [--kernels a,b] [--rounds N] [--warm S] [--quick] [--only one|all|first]
               [--markdown]

Steady: of each kernel one process of each kind is kept, warmed up, and they take turns; the median of the rounds. On one
thread processor time is measured, of all threads of the process together, so that other work on the machine counts little;
the process is held on one core besides. On all cores it is time on the clock. First launch: a new process each time, by the
clock, from the source in memory to the end of the first launch. Nobody has a cache of compiled kernels.

Each process compares its result with plain C's, on fresh data, when it is done: one that is wrong ends all.
"""
import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile

KINDS = ["lockstep", "interpreter", "pocl", "openmp"]
TITLES = {"lockstep": "Lockstep", "interpreter": "interpreter", "pocl": "PoCL", "openmp": "OpenMP"}
PROGRAMS = {"lockstep": "cuda", "interpreter": "cuda", "pocl": "opencl", "openmp": "openmp"}
# POCL_MAX_PTHREAD_COUNT is called POCL_CPU_MAX_CU_COUNT from PoCL 5 on.
ONE_THREAD = {"LOCKSTEP_WORKERS": "1", "POCL_MAX_PTHREAD_COUNT": "1", "POCL_CPU_MAX_CU_COUNT": "1", "OMP_NUM_THREADS": "1"}
ALWAYS = {"POCL_KERNEL_CACHE": "0", "LOCKSTEP_TIER_CACHE": "0", "OMP_WAIT_POLICY": "passive"}
STEADY = 0.08  # what two runs may differ by to be taken for steady


class Failed(Exception):
    pass


class Peer:
    """A process of one of the programs, which has launched its kernel once."""

    def __init__(self, options, kind, kernel, one_thread, pinned):
        build = options.build
        folder = {"cuda": [os.path.join(build, "bench", "peers")], "opencl": [os.path.dirname(__file__)], "openmp": []}
        program = PROGRAMS[kind]
        env = dict(os.environ, **ALWAYS)
        for name in ONE_THREAD:
            env.pop(name, None)
        if one_thread:
            env.update(ONE_THREAD)
        if kind == "interpreter":
            env["LOCKSTEP_TIER"] = "off"
        core = {max(os.sched_getaffinity(0))}
        self.what = "%s, %s" % (kernel, TITLES[kind])
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [os.path.join(build, "bench", "bench_peers_" + program), kernel] + folder[program], env=env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            preexec_fn=(lambda: os.sched_setaffinity(0, core)) if pinned else None)
        self.first = float(self.answer("first")[0])

    def answer(self, word):
        words = self.process.stdout.readline().split()
        if words[:1] != [word]:
            self.process.kill()
            self.process.wait()
            self.errors.seek(0)
            raise Failed("%s: %s\n%s" % (self.what, " ".join(words) or "ended", self.errors.read()))
        return words[1:]

    def ask(self, wish, word):
        self.process.stdin.write(wish + "\n")
        self.process.stdin.flush()
        return self.answer(word)

    def run(self, seconds, cpu):
        """Milliseconds a launch."""
        launches, wall, used = self.ask("run %f" % seconds, "run")
        return float(used if cpu else wall) * 1e3 / int(launches)

    def warm(self, options, cpu):
        """Until it is as fast as it was just before."""
        self.ask("warm %f" % options.warm, "warm")
        before = self.run(options.run, cpu)
        for _ in range(options.patience):
            now = self.run(options.run, cpu)
            if abs(now - before) <= STEADY * before:
                return
            before = now

    def end(self):
        self.ask("check", "right")
        self.process.stdin.close()
        self.process.wait()


def steady(options, kernel, one_thread):
    """{kind: ms a launch}"""
    peers = {kind: Peer(options, kind, kernel, one_thread, one_thread) for kind in options.kinds}
    for peer in peers.values():
        peer.warm(options, one_thread)
    times = {kind: [] for kind in peers}
    for k in range(options.rounds):
        turn = k % len(options.kinds)
        for kind in options.kinds[turn:] + options.kinds[:turn]:
            times[kind].append(peers[kind].run(options.run, one_thread))
    for peer in peers.values():
        peer.end()
    return {kind: statistics.median(t) for kind, t in times.items()}


def first(options, kernel, one_thread):
    """{kind: ms}; OpenMP's loops are compiled beforehand."""
    times = {kind: [] for kind in options.kinds if kind in ("lockstep", "pocl")}
    for _ in range(options.rounds):
        for kind, t in times.items():
            peer = Peer(options, kind, kernel, one_thread, False)
            t.append(peer.first)
            peer.end()
    return {kind: statistics.median(t) for kind, t in times.items()}


# ---- tables ----


def number(value):
    return "-" if value is None else "%.0f" % value if value >= 100 else "%.1f" % value if value >= 10 else "%.2f" % value


def mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def ratio(times, over):
    return times["pocl"] / times[over] if "pocl" in times and over in times else None


def table(kinds, over, results):
    """Rows of text: a kernel each, and the geometric mean of PoCL's time by each of `over`."""
    head = ["kernel"] + [TITLES[k] for k in kinds] + ["PoCL / " + TITLES[k] for k in over]
    rows = [head]
    for kernel, times in results.items():
        rows.append([kernel] + [number(times.get(k)) for k in kinds] + [number(ratio(times, k)) for k in over])
    if over:
        rows.append(["geometric mean"] + [""] * len(kinds) +
                    [number(mean([ratio(t, k) for t in results.values()])) for k in over])
    return rows


def show(options, title, rows):
    if options.markdown:
        print("%s\n" % title)
        print("| " + " | ".join(rows[0]) + " |\n| --- |" + " ---: |" * (len(rows[0]) - 1))
        for row in rows[1:]:
            print("| " + " | ".join(row) + " |")
    else:
        print(title)
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        for row in rows:
            print("  " + row[0].ljust(widths[0]) + "".join("  " + c.rjust(w) for c, w in zip(row[1:], widths[1:])))
    print(flush=True)


# ---- what is compared ----


def said(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def program(options, kind):
    return os.path.join(options.build, "bench", "bench_peers_" + PROGRAMS[kind])


def processor():
    with open("/proc/cpuinfo") as f:
        names = [line.split(":")[1].strip() for line in f if line.startswith("model name")]
    return names[0] if names else "a processor without a name"


def about(options):
    """One line each, of what can run; the kinds that can."""
    kinds, lines = [], []
    for kind in KINDS:
        if not os.path.exists(program(options, kind)):
            continue
        words = said([program(options, kind), "--about"])
        if not words:
            continue
        kinds.append(kind)
        if kind == "lockstep":
            commit = said(["git", "describe", "--always", "--dirty"])
            words = said([os.path.join(options.build, "bin", "lockstep"), "--version"]).replace("\n", ", ") or words
            words += ", commit " + commit if commit else ""
            words += ", LOCKSTEP_TIER=" + os.environ["LOCKSTEP_TIER"] if "LOCKSTEP_TIER" in os.environ else ""
        if kind != "interpreter":
            lines.append(words)
    lines.append("%s, %d cores, %s" % (processor(), len(os.sched_getaffinity(0)), said(["date", "+%F"])))
    lines.append("%d rounds of %g s, after %g s of warming up or more" % (options.rounds, options.run, options.warm))
    return kinds, lines


# What is measured: the option that chooses it, how, on one thread or not, and the kinds it is of.
PARTS = [
    ("one", steady, True, KINDS, "Steady, one thread: milliseconds of processor time a launch."),
    ("all", steady, False, KINDS, "Steady, all cores: milliseconds a launch."),
    ("first", first, True, ["lockstep", "pocl"], "First launch, one thread: milliseconds."),
    ("first", first, False, ["lockstep", "pocl"], "First launch, all cores: milliseconds."),
]


def section(options):
    for part, measure, one_thread, kinds, title in PARTS:
        if options.only and part not in options.only.split(","):
            continue
        results = {}
        for kernel in options.kernels:
            if sys.stderr.isatty():
                print("\r%-16s" % kernel, end="", file=sys.stderr, flush=True)
            results[kernel] = measure(options, kernel, one_thread)
        if sys.stderr.isatty():
            print("\r", end="", file=sys.stderr, flush=True)
        kinds = [k for k in kinds if k in options.kinds]
        over = [k for k in kinds if k != "pocl"] if "pocl" in kinds else []
        show(options, title, table(kinds, over, results))


def main():
    parser = argparse.ArgumentParser(prog="bench/peers.sh", description="Compares kernels by Lockstep, PoCL and OpenMP.")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--kernels", help="some of them, with commas between")
    parser.add_argument("--rounds", type=int, help="turns of each (7)")
    parser.add_argument("--warm", type=float, help="seconds that each process is warmed up, at least (3): more on a busy machine")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, shorter: a look, no result")
    parser.add_argument("--only", metavar="PARTS", help="one thread steady: one; all cores steady: all; first; commas between")
    parser.add_argument("--markdown", action="store_true", help="the section of docs/performance.md")
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 7)
    options.warm = options.warm or (1.5 if options.quick else 3.0)
    options.run, options.patience = (0.05, 3) if options.quick else (0.15, 10)
    known = said([program(options, "lockstep"), "--list"]).split()
    options.kernels = options.kernels.split(",") if options.kernels else known
    for kernel in options.kernels:
        if kernel not in known:
            sys.exit("bench/peers.sh: there is no kernel '%s'; there are %s" % (kernel, ", ".join(known)))
    if options.only and set(options.only.split(",")) - {part[0] for part in PARTS}:
        sys.exit("bench/peers.sh: --only takes one, all, first, with commas between; not '%s'" % options.only)
    options.kinds, lines = about(options)
    print(("".join("- %s\n" % line for line in lines)) if options.markdown else "\n".join(lines) + "\n", flush=True)
    try:
        section(options)
    except Failed as e:
        sys.exit("bench/peers.sh: %s" % e)


main()
