#!/usr/bin/env python3
"""sleep.py LOCKSTEP FOLDER: compiles sleep.cu into FOLDER, profiles its launches, and compares what sleeps take with what an H200 measured
(h200/sleep.csv). A single sleep takes anything up to twice what it asks for, so kernels are compared that sleep 64 times."""
import sys

from modelled import compiled, far_off, number, profiled, recorded

CASE = ['ns', 'n', 'doubles', 'blocks', 'threads']


def main():
    lockstep, folder = sys.argv[1:]
    out, rows = profiled(lockstep, compiled(lockstep, folder, 'sleep'), [], ['gpu__time_duration.sum'])
    modelled = dict(zip((tuple(line.split(',')) for line in out.splitlines() if line[:1].isdigit()), rows))
    pairs = [(r, number(modelled[tuple(r[c] for c in CASE)]['gpu__time_duration.sum']), number(r['gpu__time_duration.sum']))
             for r in recorded('sleep.csv') if r['n'] == '64']
    return len(pairs) < 20 or far_off('time', pairs, 0.08, 0.4)


sys.exit(main())
