#!/usr/bin/env python3
"""debug_costs.py LOCKSTEP [FAMILY...] - what debugging costs, as Markdown: a condition at a line that runs 10^6 times, and
`reverse-step` at each family's first and last rung, at their default sizes, from the end of the largest launch and from
its middle. All times are processor time, of the debugger and the program together."""
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading

FAMILIES = "vector divergence access banks reduce transpose matmul stencil conv2d constant texture shuffle scan histogram " \
           "fft transfer config spill latency timing fence coop nested".split()
GOAL = 1.0
LAUNCHES_MOST = 4
LIMIT = 60  # seconds for a line; a kernel that waits for the host waits for ever

LOOP = r"""
#include <cstdio>
__global__ void loop(int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum = sum * 3 + i;
    }
    out[threadIdx.x] = sum;
}
int main()
{
    int *out;
    cudaMalloc(&out, 128);
    loop<<<1, 32>>>(out, 1000000);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
"""


class Session:
    """`lockstep debug`, a line and its answer at a time."""

    def __init__(self, lockstep, *program):
        self.lockstep = subprocess.Popen([lockstep, "debug", "--args", *program], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                         start_new_session=True)

    def used(self):
        """Seconds of the processor, by now."""
        at = "/proc/%d" % self.lockstep.pid
        with open("%s/task/%d/children" % (at, self.lockstep.pid)) as f:
            processes = [at] + ["/proc/" + child for child in f.read().split()]
        ticks = 0
        for process in processes:
            with open(process + "/stat") as f:
                ticks += sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def line(self, text):
        """(what is answered, seconds)"""
        said = []
        if self.lockstep.poll() is not None:
            return "", 0
        began = self.used()
        timer = threading.Timer(LIMIT, os.killpg, (self.lockstep.pid, signal.SIGKILL))
        timer.start()
        self.lockstep.stdin.write(text + "\necho @@\n")
        self.lockstep.stdin.flush()
        for answer in self.lockstep.stdout:
            if answer == "@@\n":
                break
            said.append(answer)
        else:
            timer.cancel()
            self.lockstep.wait()
            return "waits for the host, which waits for it\n", 0
        timer.cancel()
        return "".join(said), max(0, self.used() - began)

    def end(self):
        self.line("kill")
        try:
            self.lockstep.stdin.close()
        except BrokenPipeError:
            pass
        self.lockstep.stdout.read()
        self.lockstep.wait()


def last_line(said):
    return said.strip().split("\n")[-1]


def tick(session):
    found = re.search(r"tick (\d+) of launch", session.line("info program")[0])
    return int(found.group(1)) if found else 0


# ---- going back ----


def rungs(lockstep, family):
    """The ladder's first and last."""
    said = subprocess.run([lockstep, "climb", family, "--list"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^ {4,}(\w+)", said, re.M)
    return [names[0], names[-1]] if names else []


def steps_back(session):
    """(ticks, seconds from the end, from the middle, why not)"""
    total = tick(session)
    said, end = session.line("reverse-step")
    if not tick(session) < total:
        return total, None, None, last_line(said)
    session.line("goto %d" % (total // 2))
    middle = session.line("reverse-step")[1]
    session.line("goto %d" % total)
    return total, end, middle, None


def ladder(lockstep, family, rung):
    session = Session(lockstep, lockstep, "climb", "%s/%s" % (family, rung), "--quick", "--no-time")
    session.line("catch end")
    said = session.line("run")[0]
    rows = []
    while " ends." in said and len(rows) < LAUNCHES_MOST:
        rows.append(steps_back(session))
        said = session.line("continue")[0]
    session.end()
    return max(rows, key=lambda row: row[0]) if rows else (0, None, None, last_line(said))


def seconds(value):
    return "" if value is None else "%.2f" % value


def ladders(lockstep, families):
    print("| rung | instructions | from the end, s | from the middle, s | |\n| --- | ---: | ---: | ---: | --- |")
    slow = 0
    for family in families:
        for rung in rungs(lockstep, family):
            total, end, middle, why = ladder(lockstep, family, rung)
            slow += sum(t is not None and t > GOAL for t in (end, middle))
            print("| %s/%s | %d | %s | %s | %s |" % (family, rung, total, seconds(end), seconds(middle), why or ""), flush=True)
    print("\n%d of them take more than %g s." % (slow, GOAL))


# ---- conditions ----


def timed(command):
    def used():
        r = resource.getrusage(resource.RUSAGE_CHILDREN)
        return r.ru_utime + r.ru_stime

    began = used()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return used() - began


def conditions(lockstep):
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "loop.cu"), os.path.join(folder, "loop")
        with open(source, "w") as f:
            f.write(LOOP)
        line = 1 + LOOP.split("\n").index("        sum = sum * 3 + i;")
        subprocess.run([lockstep, "cc", "-G", source, "-o", program], check=True)
        debug = [lockstep, "debug", "--batch"]
        ways = [("`lockstep run`", [lockstep, "run", program]),
                ("`lockstep debug`, no breakpoint", [*debug, "-ex", "run", program])]
        for condition in ("i == 2000000", "i == 2000000 && threadIdx.x == 3", "out[3] == 5"):
            ways.append(("`break loop.cu:%d if %s`" % (line, condition),
                         [*debug, "-ex", "break loop.cu:%d if %s" % (line, condition), "-ex", "run", program]))
        print("| a line that runs 10^6 times | s | x |\n| --- | ---: | ---: |")
        first = None
        for name, command in ways:
            took = statistics.median(timed(command) for _ in range(3))
            first = first or took
            print("| %s | %.2f | %.1f |" % (name, took, took / first), flush=True)


def main():
    lockstep = os.path.abspath(sys.argv[1])
    conditions(lockstep)
    print()
    ladders(lockstep, sys.argv[2:] or FAMILIES)


if __name__ == "__main__":
    main()
