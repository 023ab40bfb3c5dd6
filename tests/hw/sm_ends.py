#!/usr/bin/env python3
"""sm_ends.py LOCKSTEP FOLDER: compiles sm_ends.cu into FOLDER, profiles some of its launches, and compares how long all SMs take, and one on
average, with what an H200 measured (h200/sm-ends.csv)."""
import statistics, sys

from modelled import compiled, far_off, number, profiled, recorded

SETS = [['1', '8', 'fma', 'read', 'stride', 'read_l2', 'write', 'shared'], ['2', '8', 'fma', 'read', 'shared']]
CASE = ['kernel', 'blocks_an_sm', 'waves', 'turns']
# How far off each may be, in the mean and at most, as a share.
METRICS = {'sm__cycles_elapsed.max': (0.048, 0.15), 'smsp__cycles_active.avg': (0.095, 0.4)}


def main():
    lockstep, folder = sys.argv[1:]
    program = compiled(lockstep, folder, 'sm_ends')
    measured = {tuple(r[c] for c in CASE): r for r in recorded('sm-ends.csv')}
    cases, rows = [], []
    for asked in SETS:
        out, found = profiled(lockstep, program, asked, METRICS, '^w_')
        cases += [tuple(line.split(',')) for line in out.splitlines() if line.startswith('w_')]
        rows += found
    bad = len(rows) != len(cases) or len(cases) < 25
    for metric, (middle, most) in METRICS.items():
        pairs = [(' '.join(case), number(row[metric]), number(measured[case][metric])) for case, row in zip(cases, rows)]
        bad |= far_off(metric, pairs, middle, most, statistics.mean)
    return bad


sys.exit(main())
