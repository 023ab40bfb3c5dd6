#!/usr/bin/env python3
"""heap_shapes.py LOCKSTEP FOLDER: compiles heap_shapes.cu into FOLDER, profiles some of its launches, and compares what is modelled of
malloc and free with what an H200 measured (h200/heap-shapes.csv)."""
import csv, os, statistics, subprocess, sys
from pathlib import Path

here = Path(__file__).parent
SHAPES = ['pairs', 'give', 'warp', 'list', 'buckets', 'search_tree', 'vector', 'exchange']
CASE = ['shape', 'heap_mib', 'blocks', 'threads', 'n', 'bytes']
# How far off each may be, in the median and for nine in ten, as a share; and what is too little to compare.
METRICS = {'gpu__time_duration.sum': (0.10, 0.27, 0),
           'lts__t_sectors.sum': (0.16, 0.42, 16384),
           'dram__bytes_read.sum': (0.27, 0.65, 131072)}


def profiled(lockstep, program, folder, how, shapes, heap):
    """Of each launch the case and its metrics."""
    table = os.path.join(folder, 'heap_shapes.csv')
    out = subprocess.run([lockstep, 'profile', '-q', '--metrics', ','.join(METRICS), '--csv', '--page', 'raw', '--print-units', 'base',
                          '--kernel-name', 'regex:^w_', '--model-launches', 'all', '--log-file', table, program, how, *shapes, heap],
                         capture_output=True, text=True, check=True,
                         env={**os.environ, 'LOCKSTEP_GPU': 'h200', 'LOCKSTEP_DEVICE_MEMORY': 'gpu'}).stdout
    with open(table) as f:
        head, *rows = csv.reader(line for line in f if line.startswith('"'))
    rows = [dict(zip(head, r)) for r in rows if r[0].isdigit()]
    cases = [tuple(line.split(',')[:len(CASE)]) for line in out.splitlines() if line.split(',')[0] in shapes]
    if len(rows) != len(cases):
        sys.exit(f'{len(cases)} cases, {len(rows)} rows')
    return list(zip(cases, rows))


def main():
    lockstep, folder = sys.argv[1:]
    program = os.path.join(folder, 'heap_shapes')
    subprocess.run([lockstep, 'cc', '-O3', '-arch=sm_90', here / 'heap_shapes.cu', '-o', program], check=True)
    with open(here / 'h200' / 'heap-shapes.csv') as f:
        recorded = {tuple(r[c] for c in CASE): r for r in csv.DictReader(line for line in f if line[0] != '#')}
    found = profiled(lockstep, program, folder, 'run', SHAPES, '256') + profiled(lockstep, program, folder, 'small', ['pairs', 'give'], '8')
    bad = len(found) < 100
    for metric, (middle, most, least) in METRICS.items():
        off = sorted(abs(float(row[metric].replace(',', '')) / float(recorded[case][metric]) - 1)
                     for case, row in found if float(recorded[case][metric]) > least)
        print(f'{metric}: {len(off)} values, {statistics.median(off):.3f} off in the median, {off[len(off) * 9 // 10]:.3f} for nine in ten')
        bad |= statistics.median(off) > middle or off[len(off) * 9 // 10] > most
    return bad


sys.exit(main())
