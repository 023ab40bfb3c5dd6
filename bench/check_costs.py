#!/usr/bin/env python3
"""check_costs.py - what the checks cost in time and memory, beside compute-sanitizer on a GPU.

    check_costs.py LOCKSTEP PROGRAM [RECORDED.csv]   a section of docs/performance.md on stdout
    check_costs.py --gpu PROGRAM SCALE               tool,kernel,seconds on stdout, for RECORDED.csv

PROGRAM is check_kernels.cu, built. One worker, so that both sides do the same work on one core.
"""
import csv
import os
import subprocess
import sys

GOALS = {"memcheck": 3, "racecheck": 5, "all": 12}
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck", "leakcheck", "writecheck", "errorcheck", "all"]
SANITIZER = ["memcheck", "racecheck", "initcheck", "synccheck"]
KERNELS = ["reduce", "transpose", "matmul"]
DEVICE_BYTES = 3 * 2048 * 2048 * 4  # of the largest kernel's three matrices, alive at once


def timed(command):
    """{kernel: seconds} and the most memory that any of its processes had, in bytes."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                             env=dict(os.environ, LOCKSTEP_WORKERS="1"))
    lines = child.stdout.read().splitlines()
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit("%s: exit status %d" % (" ".join(command), os.waitstatus_to_exitcode(status)))
    rows = (line.split() for line in lines)
    return {r[0]: float(r[1]) for r in rows if len(r) == 2 and r[0] in KERNELS}, used.ru_maxrss * 1024


def gpu(program, scale):
    out = csv.writer(sys.stdout)
    out.writerow(["tool", "kernel", "seconds"])
    for tool in ["none"] + SANITIZER:
        front = [] if tool == "none" else ["compute-sanitizer", "--tool", tool]
        for kernel, seconds in timed(front + [program, "5", scale])[0].items():
            out.writerow([tool, kernel, "%.6f" % seconds])


def factors(base, got):
    return " | ".join("%.1f" % (got[k] / base[k]) for k in KERNELS)


def section(lockstep, program, recorded):
    base, base_memory = timed([lockstep, "run", program])
    print("The same program, `bench/check_kernels.cu`, under `lockstep run` and `lockstep check`, one worker; the median of five "
          "runs of each\nkernel. Times as multiples of the fast engine's (%s s); memory: bytes of the host beyond those of "
          "`lockstep run`, for each\nbyte of device memory.\n" % ", ".join("%s %.3f" % (k, base[k]) for k in KERNELS))
    print("| tool | reduce | transpose | matmul | goal | memory |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for tool in TOOLS:
        got, memory = timed([lockstep, "check", "--tool", tool, "--log-file", os.devnull, program])
        print("| %s | %s | %s | %.1f |" % (tool, factors(base, got), "%d" % GOALS[tool] if tool in GOALS else "",
                                          (memory - base_memory) / DEVICE_BYTES))
    if not recorded:
        return
    with open(recorded, newline="") as f:
        rows = list(csv.DictReader(f))
    seconds = {}
    for r in rows:
        seconds.setdefault(r["tool"], {})[r["kernel"]] = float(r["seconds"])
    print("\ncompute-sanitizer on an H200 (`tests/hw/h200/check/%s`), the same program, as multiples of the plain run there "
          "(%s s),\nwith the seconds behind them:\n" % (os.path.basename(recorded), ", ".join("%s %.6f" % (k, seconds["none"][k]) for k in KERNELS)))
    print("| tool | reduce | transpose | matmul |\n| --- | ---: | ---: | ---: |")
    for tool in SANITIZER:
        if tool in seconds:
            print("| %s | %s |" % (tool, " | ".join("%.0f (%.4f s)" % (seconds[tool][k] / seconds["none"][k], seconds[tool][k])
                                                    for k in KERNELS)))


def main():
    words = sys.argv[1:]
    if len(words) == 3 and words[0] == "--gpu":
        gpu(words[1], words[2])
    elif len(words) in (2, 3):
        section(words[0], words[1], words[2] if len(words) == 3 else None)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
