#!/usr/bin/env python3
"""heap_shapes.py LOCKSTEP FOLDER: compiles heap_shapes.cu and heap_use.cu into FOLDER, profiles their launches, and compares what is
modelled of malloc and free with what an H200 measured (h200/heap-shapes.csv, heap-use.csv)."""
import collections, statistics, sys

from modelled import compiled, number, profiled, recorded

SHAPES = ['pairs', 'give', 'warp', 'list', 'buckets', 'search_tree', 'vector', 'exchange']
CASE = ['shape', 'heap_mib', 'blocks', 'threads', 'n', 'bytes']
# How far off each may be, in the median and for nine in ten, as a share; and what is too little to compare.
METRICS = {'gpu__time_duration.sum': (0.10, 0.27, 0),
           'lts__t_sectors.sum': (0.16, 0.42, 16384),
           'dram__bytes_read.sum': (0.27, 0.65, 131072)}
USE = ['kernel', 'heap_mib', 'blocks', 'threads', 'lanes', 'bytes', 'n', 'rounds', 'wait_us']
OPS = [f'lts__t_sectors_op_{op}.sum' for op in ('read', 'write', 'atom')]
USE_MOST = (0.17, 0.46)


def launches(lockstep, program, how, shapes, heap):
    """Of each launch the case and its metrics."""
    out, rows = profiled(lockstep, program, [how, *shapes, heap], METRICS, '^w_')
    cases = [tuple(line.split(',')[:len(CASE)]) for line in out.splitlines() if line.split(',')[0] in shapes]
    if len(rows) != len(cases):
        sys.exit(f'{len(cases)} cases, {len(rows)} rows')
    return list(zip(cases, rows))


def report(what, off, middle, most):
    """True: they are further off than that."""
    median, nine = statistics.median(off), sorted(off)[len(off) * 9 // 10]
    print(f'{what}: {len(off)} values, {median:.3f} off in the median, {nine:.3f} for nine in ten')
    return median > middle or nine > most


def uses_off(lockstep, folder):
    """How far off the sectors of the cases of heap_use.cu are that are read, written or of atomics: fences are not the same from launch to launch."""
    measured = collections.defaultdict(list)
    for r in recorded('heap-use.csv'):
        measured[tuple(r[c] for c in USE)].append(sum(number(r[op]) for op in OPS))
    out, rows = profiled(lockstep, compiled(lockstep, folder, 'heap_use'), ['8'], OPS)
    modelled = dict(zip((tuple(line.split(',')) for line in out.splitlines() if line[0] != '='), rows))
    return [abs(sum(number(row[op]) for op in OPS) / statistics.median(measured[case]) - 1)
            for case, row in modelled.items() if statistics.median(measured[case]) > 16384]


def main():
    lockstep, folder = sys.argv[1:]
    program = compiled(lockstep, folder, 'heap_shapes')
    measured = {tuple(r[c] for c in CASE): r for r in recorded('heap-shapes.csv')}
    found = launches(lockstep, program, 'run', SHAPES, '256') + launches(lockstep, program, 'small', ['pairs', 'give'], '8')
    bad = len(found) < 100
    for metric, (middle, most, least) in METRICS.items():
        off = [abs(number(row[metric]) / number(measured[case][metric]) - 1)
               for case, row in found if number(measured[case][metric]) > least]
        bad |= report(metric, off, middle, most)
    bad |= report('sectors of heap_use', uses_off(lockstep, folder), *USE_MOST)
    return bad


sys.exit(main())
