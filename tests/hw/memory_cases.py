#!/usr/bin/env python3
"""memory_cases.py LOCKSTEP FOLDER NAME: compiles NAME.cu (memory_cases, memory_rounds) into FOLDER, profiles some of its launches, and
compares what is modelled of them with what an H200 measured (h200/memory-cases.csv, memory-rounds.csv)."""
import sys

from modelled import compiled, far_off, number, profiled, recorded

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
        pairs = [(' '.join(case), number(row[metric]), number(measured[case][metric])) for case, row in zip(cases, rows)]
        bad |= far_off(metric, [pair for pair in pairs if pair[2] > least], middle, most)
    return bad


sys.exit(main())
