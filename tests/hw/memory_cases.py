#!/usr/bin/env python3
"""memory_cases.py LOCKSTEP FOLDER NAME: compiles NAME.cu (memory_cases, memory_rounds) into FOLDER, profiles some of its launches, and
compares what is modelled of them with what an H200 measured (h200/memory-cases.csv, memory-rounds.csv)."""
import csv, os, statistics, subprocess, sys
from pathlib import Path

here = Path(__file__).parent
SETS = {'memory_cases': ['dirty', 'few'], 'memory_rounds': ['few']}
CASE = ['what', 'mode', 'mib', 'bytes', 'lanes', 'blocks', 'threads', 'rounds']
# How far off each may be, in the median and at most, as a share; and what is too little to compare.
LIMITS = {'memory_cases': {'gpu__time_duration.sum': (0.09, 0.55, 0),
                           'lts__t_sectors.sum': (0.02, 0.15, 1000),
                           'dram__bytes_read.sum': (0.01, 0.25, 100000),
                           'dram__bytes_write.sum': (0.08, 0.65, 100000)},
          'memory_rounds': {'gpu__time_duration.sum': (0.1, 0.65, 0),
                            'lts__t_sectors.sum': (0.03, 0.4, 1000),
                            'dram__bytes_read.sum': (0.03, 2.5, 3000000),
                            'dram__bytes_write.sum': (0.35, 1.25, 3000000)}}


def main():
    lockstep, folder, name = sys.argv[1:]
    program, limits = os.path.join(folder, name), LIMITS[name]
    subprocess.run([lockstep, 'cc', '-O3', '-arch=sm_90', here / f'{name}.cu', '-o', program], check=True)
    table = os.path.join(folder, f'{name}.csv')
    out = subprocess.run([lockstep, 'profile', '-q', '--metrics', ','.join(limits), '--csv', '--page', 'raw', '--print-units', 'base',
                          '--kernel-name', 'regex:^w_', '--model-launches', 'all', '--log-file', table, program, *SETS[name]],
                         capture_output=True, text=True, check=True,
                         env={**os.environ, 'LOCKSTEP_GPU': 'h200', 'LOCKSTEP_DEVICE_MEMORY': 'gpu'}).stdout
    with open(here / 'h200' / f"{name.replace('_', '-')}.csv") as f:
        recorded = {tuple(r[c] for c in CASE): r for r in csv.DictReader(line for line in f if line[0] != '#')}
    with open(table) as f:
        head, *rows = csv.reader(line for line in f if line.startswith('"'))
    rows = [dict(zip(head, r)) for r in rows if r[0].isdigit()]
    cases = [tuple(line.split(',')) for line in out.splitlines() if line.startswith('w_')]
    bad = len(rows) != len(cases) or len(cases) < 17
    for metric, (middle, most, least) in limits.items():
        off = []
        for case, row in zip(cases, rows):
            a, b = float(row[metric].replace(',', '')), float(recorded[case][metric])
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
