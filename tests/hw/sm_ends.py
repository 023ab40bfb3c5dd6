#!/usr/bin/env python3
"""sm_ends.py LOCKSTEP FOLDER: compiles sm_ends.cu into FOLDER, profiles some of its launches, and compares how long all SMs take, and one on
average, with what an H200 measured (h200/sm-ends.csv)."""
import csv, os, statistics, subprocess, sys
from pathlib import Path

here = Path(__file__).parent
SETS = [['1', '8', 'fma', 'read', 'stride', 'read_l2', 'write', 'shared'], ['2', '8', 'fma', 'read', 'shared']]
CASE = ['kernel', 'blocks_an_sm', 'waves', 'turns']
# How far off each may be, in the median and at most, as a share.
METRICS = {'sm__cycles_elapsed.max': (0.06, 0.15), 'smsp__cycles_active.avg': (0.08, 0.4)}


def main():
    lockstep, folder = sys.argv[1:]
    program = os.path.join(folder, 'sm_ends')
    subprocess.run([lockstep, 'cc', '-O3', '-arch=sm_90', here / 'sm_ends.cu', '-o', program], check=True)
    table = os.path.join(folder, 'sm_ends.csv')
    with open(here / 'h200' / 'sm-ends.csv') as f:
        recorded = {tuple(r[c] for c in CASE): r for r in csv.DictReader(line for line in f if line[0] != '#')}
    cases, rows = [], []
    for asked in SETS:
        out = subprocess.run([lockstep, 'profile', '-q', '--metrics', ','.join(METRICS), '--csv', '--page', 'raw', '--print-units', 'base',
                              '--kernel-name', 'regex:^w_', '--model-launches', 'all', '--log-file', table, program, *asked],
                             capture_output=True, text=True, check=True,
                             env={**os.environ, 'LOCKSTEP_GPU': 'h200', 'LOCKSTEP_DEVICE_MEMORY': 'gpu'}).stdout
        cases += [tuple(line.split(',')) for line in out.splitlines() if line.startswith('w_')]
        with open(table) as f:
            head, *lines = csv.reader(line for line in f if line.startswith('"'))
        rows += [dict(zip(head, r)) for r in lines if r[0].isdigit()]
    bad = len(rows) != len(cases) or len(cases) < 25
    for metric, (middle, most) in METRICS.items():
        off = [abs(float(row[metric].replace(',', '')) / float(recorded[case][metric]) - 1) for case, row in zip(cases, rows)]
        for case, row, x in zip(cases, rows, off):
            if x > most:
                print(*case, f'{metric}: {row[metric]}, an H200 {recorded[case][metric]}')
                bad = True
        print(f'{metric}: {len(off)} values, {statistics.median(off):.3f} off in the median, {max(off):.3f} at most')
        bad |= statistics.median(off) > middle
    return bad


sys.exit(main())
