#!/usr/bin/env python3
"""half_copies.py LOCKSTEP FOLDER NAME: compiles NAME.cu (half_copies, slices) into FOLDER, profiles its launches, and compares the sectors of L2 that
are modelled with what an H200 counted (h200/half-copies.csv, slices.csv): all, and those that are neither reads nor writes nor atomics."""
import statistics, sys

from modelled import compiled, number, profiled, recorded

ALL = 'lts__t_sectors.sum'
PARTS = [f'lts__t_sectors_op_{op}.sum' for op in ('read', 'write', 'atom', 'red')]
# Of half_copies: memory of so many MiB at most. Of slices: an H200 has counted so many more in each launch that leaves slices unasked, and in some
# 564 or 1128 besides.
ARGUMENTS = {'half_copies': ['8'], 'slices': []}
MORE, STEP = 2390, 564
# How far off each may be, in the mean and for nine in ten: of all as a share, of the others in sectors. (Of half_copies what launches before have left
# decides: the same one has none of the others, or a quarter of its lines.)
LIMITS = {'half_copies': ((0.03, 0.05), (11000, 36000)), 'slices': ((0.05, 0.08), (50, 50))}
# Reads of what an SM's half has of its own writes, of an atomic, and of what another one has written.
READ_BACK = ('write-read', 'atom-read', 'read-read')


def others(row):
    return number(row[ALL]) - sum(number(row[p]) for p in PARTS)


def report(what, off, limits):
    mean, most = statistics.mean(off), sorted(off)[len(off) * 9 // 10]
    print(f'{what}: {len(off)} launches, {mean:.3g} off in the mean, {most:.3g} for nine in ten')
    return mean > limits[0] or most > limits[1]


def main():
    lockstep, folder, name = sys.argv[1:]
    out, rows = profiled(lockstep, compiled(lockstep, folder, name), ARGUMENTS[name], [ALL, *PARTS], '^w_')
    width = {'half_copies': 8, 'slices': 7}[name]
    measured = {}
    for r in recorded(f"{name.replace('_', '-')}.csv"):
        measured.setdefault(','.join(list(r.values())[:width]), r)
    cases = [line for line in out.splitlines() if line.count(',') == width - 1]
    bad = len(rows) != len(cases) or len(cases) < 170
    share, beside, back = [], [], []
    for case, row in zip(cases, rows):
        theirs = measured[case]
        more = others(theirs) - others(row)
        if name == 'slices':
            more -= MORE
            more -= round(more / STEP) * STEP if more > STEP / 2 else 0
        elif case.split(',')[0].removeprefix('w_two ') in READ_BACK:
            back.append(abs(number(row[PARTS[0]]) / number(theirs[PARTS[0]]) - 1))
        beside.append(abs(more))
        share.append(abs(number(row[ALL]) + (MORE if name == 'slices' else 0) - number(theirs[ALL])) / number(theirs[ALL]))
    bad |= report('all sectors', share, LIMITS[name][0])
    bad |= report('neither reads nor writes nor atomics', beside, LIMITS[name][1])
    if back:
        bad |= report('reads of what was used before', back, (0.01, 0.02))
    return bad


sys.exit(main())
