#!/usr/bin/env python3
"""fills.py LOCKSTEP FOLDER: compiles fills.cu into FOLDER, profiles it, and compares the times of what DRAM sends and SMs write with an
H200's (h200/fills.csv)."""
import statistics, sys

from modelled import compiled, far_off, number, profiled, recorded

TIME = 'gpu__time_duration.sum'
MEAN, MOST = 0.045, 0.13  # how far off


def main():
    lockstep, folder = sys.argv[1:]
    measured = recorded('fills.csv')
    _, rows = profiled(lockstep, compiled(lockstep, folder, 'fills'), [], [TIME], kernels='^w_')
    pairs = [(' '.join(list(wanted.values())[:4]), number(row[TIME]), number(wanted[TIME])) for row, wanted in zip(rows, measured)]
    return far_off(TIME, pairs, MEAN, MOST, statistics.mean) or len(rows) != len(measured)


sys.exit(main())
