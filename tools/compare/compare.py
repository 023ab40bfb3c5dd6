#!/usr/bin/env python3
"""compare.py LOCKSTEP PROGRAMS RECORDED - the same programs under Nsight Compute on a GPU and under `lockstep profile`.

PROGRAMS is a folder with the programs, RECORDED one with ncu's output for each (record.sh). Both outputs are read by the csv
module with ncu's column names; nothing here knows which of the two it reads. Prints docs/ncu.md.
"""
import csv
import math
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COUNTED, MODELLED, ESTIMATED = "counted", "modelled", "estimated"
KINDS = {
    "smsp__inst_executed.sum": ESTIMATED,
    "smsp__sass_average_branch_targets_threads_uniform.pct": ESTIMATED,
    "smsp__thread_inst_executed_per_inst_executed.ratio": ESTIMATED,
    "launch__registers_per_thread": ESTIMATED,
    "sm__maximum_warps_per_active_cycle_pct": ESTIMATED,
    "sm__warps_active.avg.pct_of_peak_sustained_active": MODELLED,
    "l1tex__t_sector_hit_rate.pct": MODELLED,
    "lts__t_sectors_op_read.sum": MODELLED,
    "lts__t_sectors_op_write.sum": MODELLED,
    "dram__bytes_read.sum": MODELLED,
    "dram__bytes_write.sum": MODELLED,
    "gpu__time_duration.sum": MODELLED,
}
NOISY = "l1tex__data_bank_conflicts"  # on a GPU with arbitration: never below ours


def lines(name):
    with open(os.path.join(HERE, name)) as f:
        return [line.split() for line in f if line.strip() and not line.startswith("#")]


def read(path):
    """The launches of one ncu log: a list of (kernel's name without parameters, {metric: value})."""
    with open(path, newline="") as f:
        rows = list(csv.reader(line for line in f if line.startswith('"')))
    head, launches = rows[0], []
    for row in rows[2:]:  # the units are in between
        fields = dict(zip(head, row))
        values = {}
        for name, text in fields.items():
            if "__" in name:
                try:
                    values[name] = float(text.replace(",", ""))
                except ValueError:
                    values[name] = math.nan
        launches.append((fields["Kernel Name"].split("(")[0], fields["Grid Size"], fields["Block Size"], values))
    return launches


def profile(lockstep, program, arguments, metrics):
    with tempfile.NamedTemporaryFile(suffix=".csv") as log:
        done = subprocess.run([lockstep, "profile", "--csv", "--page", "raw", "--print-units", "base", "--metrics", metrics,
                               "--log-file", log.name, program, *arguments], stdout=subprocess.DEVNULL)
        if done.returncode:
            sys.exit(f"compare.py: {program} ended with {done.returncode}")
        return read(log.name)


def same(a, b):
    return a == b or abs(a - b) <= 5e-3 * 1.0001 and abs(a - b) <= 1e-3 * max(abs(a), abs(b), 1)  # ncu prints two decimals


def error(ours, theirs, metric):
    if metric.endswith("pct"):
        return abs(ours - theirs)
    return 100 * abs(ours - theirs) / max(abs(theirs), 1e-9)


def main():
    lockstep, programs, recorded = sys.argv[1:4]
    metrics = [line[0] for line in lines("metrics.txt")]
    table, differing, errors = [], [], {m: [] for m in metrics}
    for program, *arguments in lines("programs.txt"):
        path = os.path.join(recorded, program + ".csv")
        if not os.path.exists(path):
            continue
        theirs, ours = read(path), profile(lockstep, os.path.join(programs, program), arguments, ",".join(metrics))
        if [t[:3] for t in theirs] != [o[:3] for o in ours]:
            sys.exit(f"compare.py: {program}: other launches: {[t[:3] for t in theirs]} against {[o[:3] for o in ours]}")
        counted = equal = above = 0
        times = []
        for (kernel, _, _, there), (_, _, _, here) in zip(theirs, ours):
            for m in metrics:
                a, b = here.get(m, math.nan), there.get(m, math.nan)
                if math.isnan(a) or math.isnan(b):
                    continue
                if m in KINDS:
                    errors[m].append(error(a, b, m))
                    if m == "gpu__time_duration.sum":
                        times.append(error(a, b, m))
                    continue
                counted += 1
                if same(a, b):
                    equal += 1
                elif m.startswith(NOISY) and b > a:
                    above += 1
                else:
                    differing.append((program, kernel, m, a, b))
        table.append((program, len(ours), counted, equal, above, counted - equal - above,
                      statistics.median(times) if times else math.nan))
    put(table, differing, errors)


def put(table, differing, errors):
    print("""# The same programs under Nsight Compute and under Lockstep

Made by `tools/compare/compare.py BUILD/bin/lockstep BUILD/tests/examples/nvcc tests/hw/h200/programs > docs/ncu.md`. The programs
are those of `examples/`, compiled by nvcc 13.0; on the H200 (driver 580.159.04) `tools/compare/record.sh` ran them under ncu
2025.3.1, with cold caches and clocks left alone. Here they ran under `lockstep profile` with the same `--metrics`, and both
outputs were read by the same code: Python's csv module and ncu's column names.

| program | launches | counted values | equal | the GPU's above ours by arbitration | different | time, median error |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |""")
    for row in table:
        print("| %s | %d | %d | %d | %d | %d | %.1f %% |" % row)
    sums = [sum(row[i] for row in table) for i in range(1, 6)]
    print("| all | %d | %d | %d | %d | %d | |" % tuple(sums))
    print("""
Conflicts of `l1tex__data_bank_conflicts_*` have the arbitration between warps in them on a GPU, never here.

| modelled or estimated | kind | values | equal | median error | 9 in 10 below | largest |
| --- | --- | ---: | ---: | ---: | ---: | ---: |""")
    for metric, kind in KINDS.items():
        e = sorted(errors[metric])
        if e:
            unit = "points" if metric.endswith("pct") else "%"
            print(f"| `{metric}` | {kind} | {len(e)} | {sum(x < 5e-3 for x in e)} | {statistics.median(e):.1f} {unit} | "
                  f"{e[min(len(e) - 1, int(0.9 * len(e)))]:.1f} {unit} | {e[-1]:.1f} {unit} |")
    if differing:
        print("\nCounted values that differ:\n\n| program | kernel | metric | Lockstep | H200 |\n| --- | --- | --- | ---: | ---: |")
        for row in differing:
            print("| %s | %s | `%s` | %.10g | %.10g |" % row)


main()
