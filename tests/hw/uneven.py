#!/usr/bin/env python3
"""uneven.py LOCKSTEP FOLDER: compiles uneven.cu into FOLDER, profiles its launches, and compares when they end, how long SMs work and how many warps
they have with what an H200 measured (h200/uneven.csv)."""
import statistics, sys

from modelled import compiled, number, profiled, recorded

TIME, ACTIVE, WARPS = 'gpu__time_duration.sum', 'smsp__cycles_active.avg', 'sm__warps_active.avg.pct_of_peak_sustained_active'
# How far off, in the mean and at most: as a share, of warps in points. (ACTIVE is twice an H200's where one warp of a block is longer than the others: what
# is counted are sub-partitions, of which three are idle then.)
LIMITS = {TIME: (0.09, 0.45), ACTIVE: (0.12, 1.3), WARPS: (6, 25)}


def main():
    lockstep, folder = sys.argv[1:]
    program = compiled(lockstep, folder, 'uneven')
    measured = recorded('uneven.csv')
    _, rows = profiled(lockstep, program, [], list(LIMITS))
    bad = len(rows) != len(measured)
    for metric, (mean, most) in LIMITS.items():
        off = []
        for row, wanted in zip(rows, measured):
            a, b = number(row[metric]), number(wanted[metric])
            off.append(abs(a - b) if metric == WARPS else abs(a / b - 1))
            if off[-1] > most:
                print(','.join(list(wanted.values())[:6]), f'{metric}: {a:g}, an H200 {b:g}')
                bad = True
        print(f'{metric}: {statistics.mean(off):.3f} off in the mean, {statistics.median(off):.3f} in the median, {max(off):.3f} at most')
        bad |= statistics.mean(off) > mean
    return bad


sys.exit(main())
