#!/usr/bin/env python3
"""heap_shapes.py LOCKSTEP FOLDER: compiles heap_shapes.cu into FOLDER, profiles some of its launches, and compares what is modelled of
malloc and free with what an H200 measured (h200/heap-shapes.csv)."""
import statistics, sys

from modelled import compiled, number, profiled, recorded

SHAPES = ['pairs', 'give', 'warp', 'list', 'buckets', 'search_tree', 'vector', 'exchange']
CASE = ['shape', 'heap_mib', 'blocks', 'threads', 'n', 'bytes']
# How far off each may be, in the median and for nine in ten, as a share; and what is too little to compare.
METRICS = {'gpu__time_duration.sum': (0.10, 0.27, 0),
           'lts__t_sectors.sum': (0.16, 0.42, 16384),
           'dram__bytes_read.sum': (0.27, 0.65, 131072)}


def launches(lockstep, program, how, shapes, heap):
    """Of each launch the case and its metrics."""
    out, rows = profiled(lockstep, program, [how, *shapes, heap], METRICS, '^w_')
    cases = [tuple(line.split(',')[:len(CASE)]) for line in out.splitlines() if line.split(',')[0] in shapes]
    if len(rows) != len(cases):
        sys.exit(f'{len(cases)} cases, {len(rows)} rows')
    return list(zip(cases, rows))


def main():
    lockstep, folder = sys.argv[1:]
    program = compiled(lockstep, folder, 'heap_shapes')
    measured = {tuple(r[c] for c in CASE): r for r in recorded('heap-shapes.csv')}
    found = launches(lockstep, program, 'run', SHAPES, '256') + launches(lockstep, program, 'small', ['pairs', 'give'], '8')
    bad = len(found) < 100
    for metric, (middle, most, least) in METRICS.items():
        off = sorted(abs(number(row[metric]) / number(measured[case][metric]) - 1)
                     for case, row in found if number(measured[case][metric]) > least)
        print(f'{metric}: {len(off)} values, {statistics.median(off):.3f} off in the median, {off[len(off) * 9 // 10]:.3f} for nine in ten')
        bad |= statistics.median(off) > middle or off[len(off) * 9 // 10] > most
    return bad


sys.exit(main())
