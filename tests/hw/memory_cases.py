#!/usr/bin/env python3
"""memory_cases.py LOCKSTEP FOLDER NAME: compiles NAME.cu (memory_cases, memory_rounds) into FOLDER, profiles some of its launches, and
compares what is modelled of them with what an H200 measured (h200/memory-cases.csv, memory-rounds.csv)."""
import statistics, sys

from modelled import compiled, number, profiled, recorded

SETS = {'memory_cases': ['dirty', 'few'], 'memory_rounds': ['few']}
CASE = ['what', 'mode', 'mib', 'bytes', 'lanes', 'blocks', 'threads', 'rounds']
# How far off each may be, in the median and at most, as a share; and what is too little to compare.
LIMITS = {'memory_cases': {'gpu__time_duration.sum': (0.09, 0.55, 0),
                           'lts__t_sectors.sum': (0.02, 0.15, 1000),
                           'dram__bytes_read.sum': (0.01, 0.25, 100000),
                           'dram__bytes_write.sum': (0.04, 0.55, 100000)},
          'memory_rounds': {'gpu__time_duration.sum': (0.1, 0.65, 0),
                            'lts__t_sectors.sum': (0.03, 0.4, 1000),
                            'dram__bytes_read.sum': (0.03, 2.5, 3000000),
                            'dram__bytes_write.sum': (0.2, 0.7, 3000000)}}


def main():
    lockstep, folder, name = sys.argv[1:]
    limits = LIMITS[name]
    out, rows = profiled(lockstep, compiled(lockstep, folder, name), SETS[name], limits, '^w_')
    measured = {tuple(r[c] for c in CASE): r for r in recorded(f"{name.replace('_', '-')}.csv")}
    cases = [tuple(line.split(',')) for line in out.splitlines() if line.startswith('w_')]
    bad = len(rows) != len(cases) or len(cases) < 17
    for metric, (middle, most, least) in limits.items():
        off = []
        for case, row in zip(cases, rows):
            a, b = number(row[metric]), number(measured[case][metric])
            if b <= least:
                continue
            off.append(abs(a - b) / b)
            if off[-1] > most:
                print(*case, f'{metric}: {a:g}, an H200 {b:g}')
                bad = True
        print(f'{metric}: {len(off)} values, {statistics.median(off):.3f} off in the median, {max(off):.3f} at most')
        bad |= statistics.median(off) > middle
    return bad


sys.exit(main())
