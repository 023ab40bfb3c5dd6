#!/usr/bin/env python3
"""fills.py LOCKSTEP FOLDER: compiles fills.cu into FOLDER, profiles it, and compares the times of what DRAM sends and SMs write with an
H200's (h200/fills.csv)."""
import statistics, sys

from modelled import compiled, number, profiled, recorded

TIME = 'gpu__time_duration.sum'
MEAN, MOST = 0.045, 0.13  # how far off


def main():
    lockstep, folder = sys.argv[1:]
    measured = recorded('fills.csv')
    _, rows = profiled(lockstep, compiled(lockstep, folder, 'fills'), [], [TIME], kernels='^w_')
    off = [number(row[TIME]) / number(wanted[TIME]) - 1 for row, wanted in zip(rows, measured)]
    for share, wanted in zip(off, measured):
        if abs(share) > MOST:
            print(wanted['read'], wanted['written'], wanted['kib'], f'{share:+.0%}')
    mean = statistics.mean(map(abs, off))
    print(f'{len(off)} launches: {mean:.1%} off in the mean, {max(map(abs, off)):.1%} at most')
    return len(rows) != len(measured) or mean > MEAN or max(map(abs, off)) > MOST


sys.exit(main())
